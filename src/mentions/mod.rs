//! What a Markdown text mentions: relations to other items, and references to files and ADRs.

mod adr;
mod clauses;
mod hints;
mod paths;
mod references;
mod relations;
mod sections;
mod words;

pub use adr::{adr_number, adr_status};
pub use references::{Reference, ReferenceForm};
pub use relations::{BodyRelation, Via};

use crate::markdown::{InlinePart, MarkdownText, Outline};
use references::ReferenceFinder;
use relations::RelationCollector;
use sections::OpenSections;
use serde::{Deserialize, Serialize};

/// A Markdown text, read: its outline and what it mentions.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Markdown {
    /// Its blocks and headings.
    pub outline: Outline,
    /// The relations and references in its prose.
    pub mentions: Mentions,
}

/// The relations and references in the prose of a Markdown text.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mentions {
    /// Relations that the text states, in order.
    pub relations: Vec<BodyRelation>,
    /// Possible references to files and ADRs, in order.
    pub references: Vec<Reference>,
}

impl Markdown {
    /// Reads `text` in one pass.
    ///
    /// Tables, task lists, strike-through and footnotes are on; front matter is not read as Markdown.
    pub fn read(text: &str) -> Self {
        let text = MarkdownText::read(text);
        let mentions = Mentions::of(&text);
        Self { outline: text.outline, mentions }
    }
}

impl Mentions {
    /// Finds the relations and references in the inline parts of a text.
    pub fn of(text: &MarkdownText) -> Self {
        let lines = &text.lines;
        let mut sections = OpenSections::default();
        let mut relations = RelationCollector::default();
        let mut references = ReferenceFinder::default();
        for part in &text.parts {
            match part {
                InlinePart::Heading(index) => {
                    if let Some(heading) = text.outline.headings.get(*index) {
                        sections.open(heading.level, &heading.title);
                    }
                }
                InlinePart::Link { target, source } => references.link(target, *source, lines),
                InlinePart::Run(run) => {
                    let section = sections.current();
                    relations.read(run, section, lines);
                    references.read(run, section, lines);
                }
                // Only Markdown states relations; HTML may still hold references.
                InlinePart::Html(run) => references.read(run, None, lines),
            }
        }
        Self { relations: relations.finish(), references: references.finish() }
    }
}

/// Finds the possible references in a text of one line, such as a title, that stands on `line` of its file.
pub fn references_in_line(text: &str, line: u32) -> Vec<Reference> {
    let mut references = Markdown::read(text.trim()).mentions.references;
    for reference in &mut references {
        reference.line = line;
    }
    references
}
