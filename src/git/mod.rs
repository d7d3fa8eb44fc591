//! The one runner of git: where its folder is, what it tracks, what commits hold, merges, and commands with the user's settings.

mod commits;
mod folder;
mod index;
mod merge;
mod objects;
mod run;

pub use commits::{
    CommitLog, CommitTrailers, changed_files, changed_since, commits_touching, file_versions, first_commits,
    head_commit, is_head, is_shallow, last_commits, merge_base, trailers,
};
pub use folder::{
    UnreadableGit, git_folder, history_inputs, is_in_git, is_sparse, is_without_index, outside_inputs, work_tree,
};
pub use index::{
    GitUnavailable, IndexEntry, configure, entries, entries_in, index_entries, is_tracked, is_without_links, remote,
};
pub use merge::write_merged_files;
pub use objects::{GitObject, HistoryError, ObjectReader, StoredObjects};
pub use run::{Git, GitError, MAX_DURATION, git, patient, wait};
