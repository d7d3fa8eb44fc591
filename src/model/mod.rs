//! Ids, repo paths, natural order, digests, diagnostics: the words that every room speaks.

mod commands;
mod diagnostic;
mod digest;
mod file_state;
mod fold;
mod hidden;
mod natural;
mod path;
mod relation;
mod repo_name;
mod shard;
mod slug;
mod snapshot;
mod source;
mod state;
mod title;

pub use commands::{Commands, harmless_json};
pub use diagnostic::{Code, Diagnostic, Level, Place, Severity, bounded};
pub use digest::{Digest, Digester};
pub use file_state::{FileState, REST};
pub use fold::RemovedLines;
pub use hidden::{is_hidden, is_line_end};
pub use natural::natural_cmp;
pub use path::{OutsideRepo, RepoPath};
pub use relation::Relation;
pub use repo_name::is_repo_name;
pub use shard::{InvalidShard, Shard};
pub use slug::slug;
pub use snapshot::{
    Completeness, SNAPSHOT_VERSION, SnapshotAuthor, SnapshotComment, SnapshotComments, SnapshotIssue, SnapshotRef,
    SnapshotRelation, SnapshotRelations,
};
pub use source::{Refusal, SourceTree, Untracked};
pub use state::ItemState;
pub(crate) use title::escape_markup;
pub use title::{short_title_in_line, title_in_line};
