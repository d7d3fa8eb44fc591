//! Notes on a document: takes redacted Markdown, returns a summary, key facts, rules and keywords (`docs/notes.md`).
//!
//! A pure function of the text, in time proportional to its length. Notes made by others, from front matter, a sidecar file
//! or `--from`, are read by [`WrittenNotes`]; their rules are checked by [`QuotableText`]. Words are in `words.txt`.

#[cfg(test)]
#[path = "../../tests/cases/notes.rs"]
mod cases;
mod extract;
mod keywords;
mod quote;
mod rules;
mod sentences;
mod words;
mod written;

pub use extract::{NoteLimits, extract};
pub use keywords::is_stop_word;
pub use quote::QuotableText;
pub use words::is_binding;
pub use written::{NotesFault, ReadableDocument, SIDECAR, WrittenNotes};

use crate::redact::Clean;
use serde::{Deserialize, Serialize};

/// The notes on a document. All of it is redacted text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Notes {
    /// What the document is for and what it says to do, in the document's order.
    pub summary: Vec<Clean>,
    /// Definitions, and rows of tables.
    pub key_facts: Vec<Clean>,
    /// What the document requires or forbids, word for word.
    pub rules: Vec<Clean>,
    /// The words that the document is about, the most important first.
    pub keywords: Vec<Clean>,
    /// What was found and is not here.
    pub left_out: LeftOut,
}

/// How much of what was found is not in the notes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct LeftOut {
    /// Rules over the limit, and rules too long to quote.
    pub rules: usize,
    /// Facts over the limit, and facts too long to quote.
    pub key_facts: usize,
    /// Sentences of more than 4,096 bytes, which nothing was taken from.
    pub sentences: usize,
}
