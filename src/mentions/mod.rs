//! Mentions: the relations, references and ADR numbers in the prose of a Markdown text.
//!
//! [`Mentions::of`] goes through the inline parts of a text, as `markdown` gives them, and finds two kinds of mentions.
//! No file and no other item is looked up here: `graph` resolves what was found.
//!
//! # Grammar of relations
//!
//! A *name* is a word that may name an item. There are three strengths (`words.rs`):
//!
//! | strength | forms |
//! |---|---|
//! | sure | `#12`, `GH-12`, `owner/repo#12`, the URL of an issue or pull request, `kind:slug` |
//! | id   | words with a hyphen and a digit (`TASK-4`, `bd-au0.10`), `kind:12` |
//! | weak | words with a hyphen (`cache-layer`) |
//!
//! A *list* is names joined by commas, `and`, `&`, `/`, `+` and the like: `#1, #2 (done) and the issue #3`. Remarks in parentheses
//! and filler words such as `the issue` are skipped. A *range* (`#1-#4`, `BACK-1..BACK-4`) is one name for several. A relation is stated in one of five ways:
//!
//! ```text
//! phrase     … (depends on | blocked by | blocked on) list                anywhere in a sentence  (clauses.rs)
//! label      [bullet] (Parent | Blocked by | Depends on | Blocks | …) : list    at the start of a line  (relations.rs)
//! beginning  (Part of | Blocks) list                                      at the start of a line  (relations.rs)
//! heading    ## (Parent | Blocked by | Dependencies | Related | …)        names in its section    (sections.rs)
//! children   ## (Children | Sub-issues | Tasks | …)                       items of its lists      (sections.rs)
//! ```
//!
//! - A phrase states nothing if it is negated (`not`, `never`, `no longer`, `previously`), asks, or has another item as its
//!   subject (`#5 depends on #6`). Its names are then not available to labels and headings either.
//! - An announced name states nothing directly after such a word (`no longer #12`, `(was #12)`), nor does any in an entry that
//!   begins with `None` or the like as a clause of its own.
//! - A label without names applies to the list below it, or to the next paragraph if that begins with a name.
//! - Under a heading such as `Tasks` only items with a checkbox are children; under one that names children
//!   (`Sub-issues`) every item of the outermost list is. A heading `Tasks` inside such a section only groups it.
//! - A weak name only counts directly after a phrase or label. Of several names for a parent the first counts.
//! - Where a relation was announced by a label or heading, any other word and the link to a file may name an item: `graph` knows
//!   whether it is the exact id or the file of one.
//! - A line of its own in bold or italics is a heading. A block ```` ```[tasklist] ```` is the Markdown in it.
//! - Code, quotes, struck text and HTML comments state nothing, HTML only below a heading of a relation. A link to an issue counts as its URL.
//!
//! # Grammar of references
//!
//! References are found in all inline text, code spans and visible HTML included (`references.rs`):
//!
//! - the target of a link or of a link definition, unless it is an anchor or has another scheme than `http`;
//! - a web address or a path in prose or in a code span: a word that ends as a file's name does (`docs/a.md`,
//!   `src/a.rs`, `a.go`, `app/[slug]/page.tsx`), unless it is a glob, a placeholder (`NNNN-title.md`), the name of a host
//!   (`example.com:80`) or of a version (`v1.2.3-rc1`);
//! - a path without an extension (`bin/deploy`), and the name of such a file in a code span (`Makefile`) or with a line;
//! - in a code block, a path with a line, as stack traces and compilers write it (`traces.rs`);
//! - the number of an ADR: `ADR-12`, `ADR 12`, `ADRs 3, 4 and 5`, `ADR-1 through ADR-4`; a repo's name before it makes it
//!   foreign;
//! - bare numbers in a section with a heading such as `Architecture decisions`, or after a label such as `ADRs:`.
//!
//! What ends a name, and which spellings are one, is defined in `model`'s `names.rs` for all of these.
//!
//! Lines go with a path or a link (`file_paths.rs`):
//!
//! ```text
//! a.rs:120   a.rs:120-140   a.rs:120..140   a.rs:120:5   a.rs:L3-L5   a.rs:3,7-9   a.rs#L10   a.rs#L10-L20
//! a.rs#L10C3-L20C4   Makefile:12   Makefile line 12
//! a.rs line 12   a.rs, lines 10-20   a.rs (L10-L20)   lines 10-20 of a.rs   a.ts(12,3) (line, column)   [a.rs:12](src/a.rs)
//! File "a.py", line 7   a.php on line 7   Foo.cs:line 7   --> a.rs:10:2   a.go:12 +0x1d   (a.js:1:2)
//! ```

mod adr;
mod adr_status;
mod brackets;
#[cfg(test)]
pub(crate) mod cases;
mod clauses;
mod file_paths;
mod paths;
mod references;
mod relations;
mod sections;
mod traces;
mod vocabulary;
mod words;

pub use adr::adr_number;
#[cfg(test)]
pub(crate) use adr_status::AdrStatus;
pub use adr_status::adr_status;
pub use file_paths::{lines_of_target, without_lines};
pub use references::{Reference, ReferenceForm};
pub use relations::{BodyRelation, NameForm, Via};

use crate::markdown::{InlinePart, MarkdownText, Outline};
use crate::model::LineStarts;
use references::ReferenceFinder;
use relations::RelationCollector;
use sections::{HeadingMeaning, OpenSections};
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
        let mut reader = MentionsReader::new(&text.lines);
        reader.read(text);
        Self { relations: reader.relations.finish(), references: reader.references.finish() }
    }
}

struct MentionsReader<'a> {
    lines: &'a LineStarts,
    sections: OpenSections,
    relations: RelationCollector,
    references: ReferenceFinder,
}

impl<'a> MentionsReader<'a> {
    fn new(lines: &'a LineStarts) -> Self {
        Self {
            lines,
            sections: OpenSections::default(),
            relations: RelationCollector::default(),
            references: ReferenceFinder::default(),
        }
    }

    fn read(&mut self, text: &MarkdownText) {
        let lines = self.lines;
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
                    self.read(tasks);
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
