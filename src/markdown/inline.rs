//! The inline parts of a Markdown text: links, and runs of text such as a paragraph, a heading or a table cell.

use crate::markdown::outline::Outline;
use crate::model::LineStarts;
use std::ops::Range;

/// A Markdown text with its outline and its inline parts in source order.
#[derive(Debug, Default)]
pub struct MarkdownText {
    pub outline: Outline,
    pub parts: Vec<InlinePart>,
    pub lines: LineStarts,
}

/// A part of a Markdown text that may contain mentions. Sources are byte offsets in the text.
#[derive(Debug)]
pub enum InlinePart {
    /// A heading at depth 0, by its index in [`Outline::headings`]; it precedes the run of its own text.
    Heading(usize),
    /// The target of a link or of a link definition.
    Link {
        target: String,
        source: usize,
    },
    Run(Run),
    /// The visible text of an HTML block, with a line for each of its paragraphs and items.
    Html(Run),
    Code(Traced),
    /// The content of the code block before it, if that is a list of tasks as GitHub had them (```` ```[tasklist] ````). Sources are
    /// offsets in the text around it.
    Tasks(Box<MarkdownText>),
}

/// The replacement for text that states no relations, such as code.
pub(crate) const GAP: char = '\u{FFFC}';

#[derive(Debug, Clone, Default)]
pub struct Traced {
    pub text: String,
    marks: Vec<(usize, usize)>,
}

impl Traced {
    pub fn push(&mut self, part: &str, source: usize) {
        self.marks.push((self.text.len(), source));
        self.text.push_str(part);
    }

    pub fn truncate(&mut self, at: usize) {
        self.text.truncate(at);
        while self.marks.pop_if(|(start, _)| *start >= at).is_some() {}
    }

    fn move_into(&mut self, around: &Self) {
        self.marks.iter_mut().for_each(|(_, source)| *source = around.source(*source));
    }

    /// Returns the source offset of the byte at `at`, exact if its part is unchanged from the source.
    pub fn source(&self, at: usize) -> usize {
        let after = self.marks.partition_point(|(start, _)| *start <= at);
        let mark = self.marks.get(after.saturating_sub(1));
        mark.map_or(0, |(start, source)| source + at.saturating_sub(*start))
    }
}

impl MarkdownText {
    pub(super) fn inside(mut self, code: &Traced) -> Self {
        for part in &mut self.parts {
            match part {
                InlinePart::Link { source, .. } => *source = code.source(*source),
                InlinePart::Run(run) | InlinePart::Html(run) => {
                    run.spoken.move_into(code);
                    run.full.move_into(code);
                }
                InlinePart::Code(inner) => inner.move_into(code),
                InlinePart::Heading(_) | InlinePart::Tasks(_) => {}
            }
        }
        self
    }
}

/// A link inside a run: the range of its text in [`Run::full`] or [`Run::spoken`], and its target.
#[derive(Debug, Clone)]
pub struct LinkSpan {
    pub range: Range<usize>,
    pub target: String,
}

/// A run of inline text with its place among headings and lists.
#[derive(Debug, Clone, Default)]
pub struct Run {
    /// The text that states relations: without code and struck text, links to issues as their URLs, with plain hyphens.
    pub spoken: Traced,
    /// The whole text, which may hold references.
    pub full: Traced,
    pub links: Vec<LinkSpan>,
    pub codes: Vec<Range<usize>>,
    /// Where code spans that are not struck stand in `spoken`, and their texts.
    pub spoken_codes: Vec<(usize, String)>,
    /// The ranges of links in `spoken` that are neither struck nor URLs of issues, and their targets.
    pub spoken_links: Vec<LinkSpan>,
    /// How much of `full` the bold or italic text at its beginning is; 0 if there is none, `usize::MAX` while it is open.
    pub bold: usize,
    pub italic: bool,
    pub quoted: bool,
    pub lists: usize,
    pub first_of_item: bool,
    /// Whether the box of its item is ticked; `None` if it has none.
    pub ticked: Option<bool>,
    pub heading: bool,
}

impl Run {
    /// Returns the text of the run's first line if all of it is bold or italic: `Blocked by` of `**Blocked by**`.
    pub(crate) fn bold_line(&self) -> Option<&str> {
        let (bold, rest) = self.full.text.split_at_checked(self.bold).filter(|(bold, _)| !bold.is_empty())?;
        let ends = rest.split('\n').next().unwrap_or_default().trim_matches([' ', ':', '：']).is_empty();
        (ends && !bold.contains('\n')).then(|| bold.trim())
    }
}
