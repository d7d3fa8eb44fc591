//! Markdown → its outline (blocks, headings, anchors) and its inline parts (text, links, code).

#[cfg(test)]
#[path = "../../tests/cases/markdown.rs"]
mod cases;
pub(crate) mod front_matter;
mod inline;
mod key_headings;
mod outline;
mod reader;
mod text_blocks;
mod tree;

pub(crate) use inline::{GAP, LinkSpan, Run, Traced};
pub use inline::{InlinePart, MarkdownText};
pub(crate) use key_headings::{KeyHeadings, without_parentheses, words};
pub use outline::{Block, Heading, Outline};
pub use text_blocks::{TextBlock, TextBlockKind, text_blocks};
pub use tree::tree;
