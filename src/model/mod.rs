//! Ids, repo paths, natural order, digests, diagnostics: the types that all modules share.

mod card_type;
mod cluster;
mod commands;
mod conflict;
mod conflict_copy;
mod decision;
mod diagnostic;
mod digest;
mod file_state;
mod github;
mod given;
mod json;
mod line_range;
mod names;
mod natural;
mod path;
mod relation;
mod shard;
mod slug;
mod snapshot;
mod source;
mod state;
mod surrogates;
mod system_error;
mod text;
mod title;
mod value;
mod volatile;

pub use card_type::is_card_type;
pub use cluster::floor_cluster;
pub use commands::{Commands, harmless_json};
pub use conflict::{conflict_in_markdown, conflict_line, conflict_sides};
pub use conflict_copy::original_of_conflict_copy;
pub use decision::{
    DecisionState, StatusPosition, date_in, decision_state, is_status_template, names_nothing, names_successor,
    state_at,
};
pub use diagnostic::{Code, Diagnostic, Level, Place, Severity, bounded};
pub use digest::{Digest, Digester};
pub use file_state::{FileState, REST};
pub use github::{is_repo_name, issue_url};
pub use given::Given;
pub use json::parse_json;
pub use line_range::LineRange;
pub use names::{
    canonical, ends_name, has_letter_prefix, is_other_script, is_typographic_hyphen, latin_parts, with_plain_hyphens,
    with_slashes, without_drive,
};
pub use natural::natural_cmp;
#[cfg(test)]
pub use path::DOCUMENT_EXTENSIONS;
pub use path::{RepoPath, has_document_extension, is_document_name, is_git_name, is_github_name};
pub use relation::Relation;
pub use shard::Shard;
pub use slug::slug;
pub use snapshot::{
    Completeness, SNAPSHOT_VERSION, SnapshotAuthor, SnapshotCode, SnapshotComment, SnapshotComments, SnapshotIssue,
    SnapshotRef, SnapshotRelation, SnapshotRelations,
};
pub use source::{Refusal, SourceTree, Untracked};
pub use state::ItemState;
pub use surrogates::whole_surrogates;
pub use system_error::{describe, if_present, is_absent};
pub use text::{
    LineStarts, RemovedLines, is_hidden, is_line_end, joined_instructions, parse_amount, parse_limit, percent_decoded,
};
pub(crate) use title::escape_markup;
pub use title::{heading_in_line, short_title_in_line, title_in_line};
pub use value::{Node, Value};
pub use volatile::is_volatile;
