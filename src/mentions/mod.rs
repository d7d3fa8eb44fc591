//! Mentions: the relations, references and ADR numbers in the prose of a Markdown text.
//!
//! [`Mentions::of`] goes through the inline parts of a text, as `markdown` gives them. No file and no other item is looked up
//! here: `graph` resolves what was found. `docs/work-items.md` describes all forms; `vocabulary.txt` and
//! `patterns.txt` hold their words and patterns.
//!
//! A *name* is a word that may name an item (`words.rs`): surely (`#12`, `o/r#12`, URLs of issues, `kind:slug`), as an id
//! (`TASK-4`, `kind:12`), or weakly (`cache-layer`). A *list* is names with joints, fillers and remarks between (`clauses.rs`).
//! A relation is stated by a phrase anywhere in a sentence, by a label or a beginning at the start of a line, or by a heading
//! (`relations.rs`). Where it was announced by a label or heading, any other word and the link to a file may
//! name an item: `graph` knows whether it is the exact id or the file of one.
//!
//! References are the targets of links, paths and URLs in any inline text, paths with a line in code blocks (`references.rs`,
//! `paths.rs`) and numbers of ADRs (`adr.rs`).

mod adr;
mod adr_status;
#[cfg(test)]
#[path = "../../tests/cases/mentions.rs"]
mod cases;
mod clauses;
mod lines;
mod paths;
mod references;
mod relations;
mod vocabulary;
mod words;

pub use adr_status::{adr_status, replaced_decisions, superseded_by};
pub use lines::{lines_of_target, without_lines};
pub use paths::{adr_number, scheme};
pub use references::{Reference, ReferenceForm};
pub use relations::{BodyRelation, NameForm, Via};

use crate::markdown::{InlinePart, MarkdownText, Outline};
use crate::model::LineStarts;
use references::ReferenceFinder;
use relations::{HeadingMeaning, OpenSections, RelationCollector};
use serde::{Deserialize, Serialize};

/// A parsed Markdown text: its outline and its mentions.
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
    pub relations: Vec<BodyRelation>,
    /// Possible references to files and ADRs, in order.
    pub references: Vec<Reference>,
}

impl Markdown {
    /// Reads `text` in one pass, as [`MarkdownText::read`] does.
    pub fn read(text: &str) -> Self {
        let text = MarkdownText::read(text);
        let mentions = Mentions::of(&text);
        Self { outline: text.outline, mentions }
    }
}

impl Mentions {
    pub fn of(text: &MarkdownText) -> Self {
        let mut reader = MentionsReader::default();
        reader.read(text, &text.lines);
        Self { relations: reader.relations.finish(), references: reader.references.finish() }
    }
}

#[derive(Default)]
struct MentionsReader {
    sections: OpenSections,
    relations: RelationCollector,
    references: ReferenceFinder,
}

impl MentionsReader {
    fn read(&mut self, text: &MarkdownText, lines: &LineStarts) {
        for part in &text.parts {
            match part {
                InlinePart::Heading(index) => {
                    if let Some(heading) = text.outline.headings.get(*index) {
                        self.sections.open(heading.level, &heading.title);
                    }
                }
                InlinePart::Link { target, source } => self.references.link(target, *source, lines),
                InlinePart::Run(run) => {
                    self.sections.open_bold(run);
                    let section = self.sections.current();
                    self.relations.read(run, section, lines);
                    self.references.read(run, section, lines);
                }
                // HTML states relations only where Markdown announced them.
                InlinePart::Html(run) => {
                    let section = self.sections.current();
                    let is_announced =
                        matches!(section, Some(HeadingMeaning::Relation(_) | HeadingMeaning::Children { named: true }));
                    if is_announced {
                        self.relations.read(run, section, lines);
                    }
                    self.references.read(run, None, lines);
                }
                InlinePart::Code(code) => self.references.code(code, lines),
                InlinePart::Tasks(tasks) => {
                    let around = self.sections.clone();
                    self.sections.nest();
                    self.read(tasks, lines);
                    self.sections = around;
                }
            }
        }
    }
}

/// Finds the possible references in a text of one line, such as a title, on `line` of its file.
pub fn references_in_line(text: &str, line: u32) -> Vec<Reference> {
    let mut references = Markdown::read(text.trim()).mentions.references;
    for reference in &mut references {
        reference.line = line;
    }
    references
}
