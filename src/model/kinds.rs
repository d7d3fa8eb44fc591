//! The kinds of sections, and of the inputs that their texts come from, as packs name them.

use super::named_enum;

named_enum! {
    /// Where a text comes from, in the order of inputs.
    pub enum OriginKind {
        /// The file or record of a work item.
        WorkItem = "work_item",
        /// An issue of the snapshot.
        Issue = "issue",
        /// Any other file.
        File = "file",
        /// A text of the program.
        Builtin = "builtin",
        /// A card of a handover.
        Card = "card",
    }
}

/// The id of the section that a search for code gives.
pub const LIKELY_CODE: &str = "code.likely";

/// How the outline of a source file begins, and what its rules follow in the notes on a document.
pub const OUTLINE_HEAD: &str = "Outline of ";

/// What begins the last line of the section of a source file: the tests that go with it.
pub const TESTS: &str = "tests: ";
pub const RULES: &str = "**Rules:**";

/// The kinds of sections; `docs/format.md` says what each is.
pub mod section_kind {
    pub const INSTRUCTIONS: &str = "instructions";
    pub const ISSUE: &str = "issue";
    pub const WORK_ITEM_JSON: &str = "work_item_json";
    pub const EDGE_LIST: &str = "edge_list";
    pub const COMMENT: &str = "comment";
    pub const ADR_EXCERPT: &str = "adr_excerpt";
    pub const FILE_EXCERPT: &str = "file_excerpt";
    pub const OVERVIEW: &str = "overview";
    pub const DOCUMENT_NOTES: &str = "document_notes";
    pub const RECENT_CHANGES: &str = "recent_changes";
    pub const CARD: &str = "card";
}
