//! The built-in extractor: one pass over the blocks of a document.

use super::facts::Facts;
use super::keywords::Keywords;
use super::rules::Rules;
use super::sentences::{CodeText, sentences, visible};
use super::summary::Summary;
use super::words::{self, TitleMeaning, title_meaning};
use super::{LeftOut, Notes};
use crate::markdown::{TextBlock, TextBlockKind, text_blocks};
use crate::redact::{Clean, CleanBuf};
use std::ops::Range;

/// The longest sentence that is read, in bytes.
pub(super) const LONGEST_SENTENCE: usize = 4096;

/// The most entries of each kind.
#[derive(Debug, Clone, Copy)]
pub struct NoteLimits {
    /// Bullets of the summary.
    pub bullets: usize,
    /// Rules.
    pub rules: usize,
    /// Key facts.
    pub key_facts: usize,
    /// Keywords.
    pub keywords: usize,
}

impl Default for NoteLimits {
    fn default() -> Self {
        Self { bullets: 10, rules: 60, key_facts: 60, keywords: 20 }
    }
}

/// A heading around the text that is being read.
#[derive(Debug, Clone)]
pub(super) struct Section {
    level: u8,
    pub(super) title: Clean,
    pub(super) meaning: Option<TitleMeaning>,
    /// Whether the title says when the rules below it hold.
    pub(super) is_condition: bool,
    teaches: bool,
}

/// What introduces an open list: the paragraph or item before it, if that ends with a colon.
#[derive(Debug, Clone, Default)]
pub(super) struct Lead {
    pub(super) text: Option<Clean>,
    /// Whether its words oblige, forbid or set a condition, so that the items mean nothing without it.
    pub(super) carries: bool,
    pub(super) is_ordered: bool,
}

/// Where in the document a text stands.
#[derive(Debug, Default)]
pub(super) struct Context {
    pub(super) sections: Vec<Section>,
    pub(super) leads: Vec<Lead>,
    /// Whether instructions are rules: the document's title, type or name says so.
    binds: bool,
    /// The number of headings so far.
    pub(super) headings: usize,
}

impl Context {
    pub(super) fn new(binds: bool) -> Self {
        Self { binds, ..Self::default() }
    }

    pub(super) fn enter(&mut self, level: u8, title: Clean) {
        while self.sections.last().is_some_and(|section| section.level >= level) {
            self.sections.pop();
        }
        let is_title = self.headings == 0 && level <= 2;
        self.binds |= is_title && words::is_binding(&title);
        self.headings += 1;
        self.leads.clear();
        self.sections.push(Section {
            level,
            meaning: title_meaning(&title),
            is_condition: !is_title && words::is_condition(&title),
            teaches: !is_title && words::teaches(&title),
            title,
        });
    }

    /// Returns the innermost heading that says what stands below it.
    pub(super) fn ruling(&self) -> Option<&Section> {
        self.sections.iter().rev().find(|section| section.meaning.is_some())
    }

    /// Returns whether nothing is noted here.
    pub(super) fn is_skipped(&self) -> bool {
        let skips = [Some(TitleMeaning::Skipped), Some(TitleMeaning::Wrong)];
        self.sections.iter().any(|section| skips.contains(&section.meaning))
    }

    /// Returns whether instructions are rules here.
    pub(super) fn binds(&self) -> bool {
        self.binds && !self.sections.iter().any(|section| section.teaches)
    }

    /// Opens a list behind `before`, and follows an end of one for [`Context::leave_list`].
    pub(super) fn enter_list(&mut self, document: &Clean, before: Option<&TextBlock>, is_ordered: bool) {
        let text =
            before.map(|block| &document[block.range.clone()]).filter(|text| text.trim_end().ends_with([':', '：']));
        let last = text.and_then(|text| sentences(text).pop().map(|range| (text, range)));
        let lead = last.filter(|(_, range)| range.len() <= LONGEST_SENTENCE).and_then(|(text, range)| {
            let shown = visible(&text[range], CodeText::Keep);
            let lower = visible(text, CodeText::Blank).to_lowercase();
            let carries = words::meaning(&lower).strength.is_some() || words::is_condition(&lower);
            let shown = shown.trim_end_matches([':', '：', ' ']);
            let text = before.and_then(|block| document.slice(block.range.clone()).read_out(shown))?;
            Some(Lead { text: Some(text), carries, is_ordered })
        });
        self.leads.push(lead.unwrap_or(Lead { is_ordered, ..Lead::default() }));
    }
}

/// Returns the title of a heading on one line, without markup.
pub(super) fn title(document: &Clean, range: Range<usize>) -> Clean {
    let range = range.start..document.floor_char_boundary(range.end.min(range.start + LONGEST_SENTENCE));
    let shown = visible(&document[range.clone()], CodeText::Keep);
    document.slice(range.clone()).read_out(&shown).unwrap_or_else(|| on_one_line(document, range))
}

/// Returns a part of the source on one line; the marks of a quotation at the beginning of a line are white space.
pub(super) fn on_one_line(document: &Clean, source: Range<usize>) -> Clean {
    let mut buf = CleanBuf::new();
    let mut at = source.start;
    for (index, line) in document[source].split('\n').enumerate() {
        let bare = if index == 0 { line } else { line.trim_start_matches([' ', '\t', '>']) };
        let start = at + (line.len() - bare.len());
        if !bare.trim().is_empty() {
            if !buf.is_empty() {
                buf.lit(" ");
            }
            buf.line(&document.slice(start..start + bare.len()));
        }
        at += line.len() + 1;
    }
    buf.finish()
}

/// Returns a part of the source as a reader sees it, on one line; with its markup, if that cannot be told apart from the text.
pub(super) fn shown(document: &Clean, source: Range<usize>) -> Clean {
    let seen = visible(&document[source.clone()], CodeText::Keep);
    document.slice(source.clone()).read_out(&seen).unwrap_or_else(|| on_one_line(document, source))
}

/// Returns whether a quotation is a remark of the document itself, such as `> **Note** …`.
pub(super) fn is_remark(quotation: &str) -> bool {
    let first = quotation.lines().next().unwrap_or_default().trim_start_matches(['>', ' ']);
    let label = first.trim_start_matches(|c: char| !c.is_alphanumeric());
    let end = label.find([':', '：', '*', '_', '!', ']']).unwrap_or(label.len());
    (label.len() < first.len() || end < label.len()) && words::is_label(&label[..end])
}

/// Makes notes on a document: redacted Markdown without its front matter.
///
/// If its type or its name `binds`, its instructions are rules; see [`is_binding`](super::is_binding).
pub fn extract(document: &Clean, binds: bool, limits: &NoteLimits) -> Notes {
    let mut context = Context::new(binds);
    let (mut rules, mut facts) = (Rules::new(limits.rules), Facts::new(limits.key_facts));
    let (mut summary, mut keywords) = (Summary::default(), Keywords::default());
    let mut before: Option<TextBlock> = None;
    let mut long_sentences = 0;
    text_blocks(document, &mut |block| {
        match &block.kind {
            TextBlockKind::ListStart { ordered } => {
                context.enter_list(document, before.take().as_ref(), *ordered);
                return;
            }
            TextBlockKind::ListEnd => {
                context.leads.pop();
                before = None;
                return;
            }
            TextBlockKind::Heading(level) => {
                context.enter(*level, title(document, block.range.clone()));
                before = None;
                if !context.is_skipped() {
                    keywords.read(&document[block.range.clone()], block.range.start, true);
                }
                return;
            }
            _ => {}
        }
        let is_quoted = block.quotation.is_some_and(|at| !is_remark(&document[at..]));
        if is_quoted || block.is_footnote || context.is_skipped() {
            before = None;
            return;
        }
        if matches!(block.kind, TextBlockKind::Paragraph | TextBlockKind::Item) {
            let text = &document[block.range.clone()];
            let is_template = text.starts_with('[') && text.trim_end().ends_with(']') && !text.contains("](");
            let mut found = if is_template { Vec::new() } else { sentences(text) };
            let all = found.len();
            found.retain(|range| range.len() <= LONGEST_SENTENCE);
            long_sentences += all - found.len();
            for range in &mut found {
                *range = block.range.start + range.start..block.range.start + range.end;
            }
            let used = rules.read(document, &context, &block, &found);
            summary.read(document, &context, &block, &found, &used);
            keywords.read(text, block.range.start, false);
        }
        if let TextBlockKind::Row { is_head, cells } = &block.kind {
            rules.read_row(document, &context, *is_head, cells);
            cells.iter().for_each(|cell| keywords.read(&document[cell.clone()], cell.start, false));
        }
        facts.read(document, &context, &block);
        before = Some(block);
    });
    let (rules, rules_left_out) = rules.finish();
    let (key_facts, facts_left_out) = facts.finish();
    Notes {
        summary: summary.finish(limits.bullets),
        key_facts,
        keywords: keywords.finish(document, limits.keywords),
        left_out: LeftOut { rules: rules_left_out, key_facts: facts_left_out, sentences: long_sentences },
        rules,
    }
}
