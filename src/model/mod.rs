//! Ids, repo paths, natural order, digests, diagnostics: the types that all modules share.

#[cfg(test)]
#[path = "../../tests/cases/model.rs"]
pub(crate) mod cases;
mod commands;
mod conflict;
mod decision;
mod diagnostic;
mod digest;
mod github;
mod item;
mod kinds;
mod memo;
mod named_enum;
mod names;
mod path;
mod roots;
mod source;
mod text;
mod value;
mod words;

pub use commands::{Commands, harmless_json};
pub use conflict::{conflict_in_markdown, conflict_line, conflict_sides};
pub use decision::{
    DecisionState, StatusPosition, decision_state, has_year, is_status_template, names_nothing, names_successor,
    state_at, states_successor,
};
pub use diagnostic::{Code, Diagnostic, Level, Place, Severity, bounded};
pub use digest::{Digest, Digester};
pub use github::{
    Completeness, GithubRepo, IssueReference, SNAPSHOT_VERSION, SnapshotAuthor, SnapshotCode, SnapshotComment,
    SnapshotComments, SnapshotIssue, SnapshotRef, SnapshotRelation, SnapshotRelations, is_repo_name, issue_url,
};
pub use item::{CardSource, ItemState, Relation, is_card_type};
pub use kinds::{LIKELY_CODE, OUTLINE_HEAD, OriginKind, RULES, TESTS, section_kind};
pub use memo::Memo;
pub(crate) use named_enum::named_enum;
pub use names::{
    canonical, did_you_mean, ends_name, has_letter_prefix, is_other_script, is_typographic_hyphen, latin_parts,
    natural_cmp, nearest, nearest_titled, nearest_within, quoted, with_plain_hyphens, with_slashes, without_drive,
};
pub use path::{RepoPath, has_document_extension, is_document_name, is_git_name, is_github_name};
pub use roots::{Shard, slug};
pub use source::{FileState, REST, Refusal, SourceTree, Untracked, describe, if_present, is_absent};
pub(crate) use text::escape_markup;
pub use text::{
    LineRange, LineStarts, RemovedLines, floor_cluster, heading_in_line, is_hidden, is_line_end, joined_instructions,
    log2, parse_amount, parse_limit, percent_decoded, short_title_in_line, title_in_line, with_line_feeds,
};
pub use value::{Node, Value, is_exact, parse_json};
pub use words::{WordLists, is_volatile};
