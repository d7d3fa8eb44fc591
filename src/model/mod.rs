//! Ids, repo paths, natural order, digests, diagnostics: the types that all modules share.

mod card;
#[cfg(test)]
pub(crate) mod cases;
mod cluster;
mod commands;
mod conflict;
mod decision;
mod diagnostic;
mod digest;
mod file_system;
mod github;
mod item;
mod json;
mod named_enum;
mod names;
mod natural;
mod path;
mod shard;
mod slug;
mod snapshot;
mod source;
mod suggest;
mod text;
mod value;
mod volatile;
mod words;

pub use card::{Given, is_card_type};
pub use cluster::floor_cluster;
pub use commands::{Commands, harmless_json};
pub use conflict::{conflict_in_markdown, conflict_line, conflict_sides, original_of_conflict_copy};
pub use decision::{
    DecisionState, StatusPosition, date_in, decision_state, is_status_template, names_nothing, names_successor,
    state_at,
};
pub use diagnostic::{Code, Diagnostic, Level, Place, Severity, bounded};
pub use digest::{Digest, Digester};
pub use file_system::{FileState, REST, describe, if_present, is_absent};
pub use github::{IssueReference, is_repo_name, issue_url};
pub use item::{ItemState, Relation};
pub use json::{parse_json, whole_surrogates};
pub(crate) use named_enum::named_enum;
pub use names::{
    canonical, ends_name, has_letter_prefix, is_other_script, is_typographic_hyphen, latin_parts, with_plain_hyphens,
    with_slashes, without_drive,
};
pub use natural::natural_cmp;
pub use path::{RepoPath, has_document_extension, is_document_name, is_git_name, is_github_name};
pub use shard::Shard;
pub use slug::slug;
pub use snapshot::{
    Completeness, SNAPSHOT_VERSION, SnapshotAuthor, SnapshotCode, SnapshotComment, SnapshotComments, SnapshotIssue,
    SnapshotRef, SnapshotRelation, SnapshotRelations,
};
pub use source::{Refusal, SourceTree, Untracked};
pub use suggest::{nearest, nearest_within};
pub(crate) use text::escape_markup;
pub use text::{
    LineRange, LineStarts, RemovedLines, heading_in_line, is_hidden, is_line_end, joined_instructions, parse_amount,
    parse_limit, percent_decoded, short_title_in_line, title_in_line,
};
pub use value::{Node, Value};
pub use volatile::is_volatile;
pub use words::WordLists;
