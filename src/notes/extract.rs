//! The built-in extractor: one pass over the blocks of a document.

use super::keywords::KeywordCounts;
use super::rules::Rules;
use super::sentences::{CodeText, is_label, lower, sentences, visible};
use super::words::{self, TitleMeaning, count, title_meaning};
use super::{LeftOut, Notes};
use crate::markdown::{TextBlock, TextBlockKind, text_blocks};
use crate::redact::{Clean, CleanBuf};
use std::collections::HashSet;
use std::ops::Range;

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

#[derive(Debug, Clone)]
pub(super) struct OpenHeading {
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
    /// What its words say as those of a heading do, as `Bad:` does.
    meaning: Option<TitleMeaning>,
    /// Whether its words oblige, forbid, deny or set a condition, so that the items mean nothing without it.
    pub(super) carries: bool,
}

#[derive(Debug, Default)]
pub(super) struct DocumentContext {
    pub(super) sections: Vec<OpenHeading>,
    pub(super) leads: Vec<Lead>,
    /// Whether instructions are rules: the document's title, type or name says so.
    binds: bool,
    pub(super) headings: usize,
}

impl DocumentContext {
    fn enter(&mut self, level: u8, title: Clean) {
        while self.sections.last().is_some_and(|section| section.level >= level) {
            self.sections.pop();
        }
        let is_title = self.headings == 0 && level <= 2;
        self.binds |= is_title && words::is_binding(&title);
        self.headings += 1;
        self.leads.clear();
        let words = words::title_words(&title);
        let is_ruling = || self.binds && !is_title && words::ends_with_rules(&words);
        self.sections.push(OpenHeading {
            level,
            meaning: title_meaning(&words).or_else(|| is_ruling().then_some(TitleMeaning::Rules)),
            is_condition: !is_title && words::is_condition(&words),
            teaches: !is_title && words::teaches(&words),
            title,
        });
    }

    pub(super) fn ruling(&self) -> Option<&OpenHeading> {
        self.sections.iter().rev().find(|section| section.meaning.is_some())
    }

    pub(super) fn is_skipped(&self) -> bool {
        let sections = self.sections.iter().map(|section| section.meaning);
        let mut meanings = sections.chain(self.leads.iter().map(|lead| lead.meaning));
        meanings.any(|meaning| matches!(meaning, Some(TitleMeaning::Skipped | TitleMeaning::Wrong)))
    }

    pub(super) fn binds(&self) -> bool {
        self.binds && !self.sections.iter().any(|section| section.teaches)
    }

    /// Returns the block before a list as what introduces it, if it ends with a colon or is bold as a whole.
    fn lead(&self, document: &Clean, block: &TextBlock) -> Option<Lead> {
        let text = document[block.range.clone()].trim_end();
        let range = sentences(text).pop().filter(|range| range.len() <= LONGEST_SENTENCE)?;
        if !text.ends_with([':', '：']) && !is_label(&text[range.clone()]) {
            return None;
        }
        let shown = visible(&text[range.clone()], CodeText::Keep);
        let shown = shown.trim_end_matches([':', '：', ' ']);
        let all = lower(visible(text, CodeText::Blank));
        let meaning = title_meaning(&words::title_words(shown));
        let carries = words::meaning(&all).strength.is_some()
            || words::denies(&all)
            || words::is_condition(&words::title_words(&all))
            || matches!(meaning, Some(TitleMeaning::Rules | TitleMeaning::Forbidden))
            || self.binds() && words::is_order(&lower(visible(&text[range], CodeText::Blank)));
        let text = document.slice(block.range.clone()).read_out(shown)?;
        Some(Lead { text: Some(text), meaning, carries })
    }
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
    let source = source.start..document.floor_char_boundary(source.end.min(source.start + LONGEST_SENTENCE));
    let seen = visible(&document[source.clone()], CodeText::Keep);
    document.slice(source.clone()).read_out(&seen).unwrap_or_else(|| on_one_line(document, source))
}

/// Returns whether a quotation is a remark of the document itself, such as `> **Note** …`.
fn is_remark(quotation: &str) -> bool {
    let first = quotation.lines().next().unwrap_or_default().trim_start_matches(['>', ' ']);
    let label = first.trim_start_matches(|c: char| !c.is_alphanumeric());
    let end = label.find([':', '：', '*', '_', '!', ']']).unwrap_or(label.len());
    (label.len() < first.len() || end < label.len()) && words::is_label(&label[..end])
}

/// Calls `visit` with what may be noted, headings and lists; the range of a list is that of what introduces it.
pub(super) fn walk(document: &Clean, binds: bool, visit: &mut dyn FnMut(&DocumentContext, &TextBlock)) {
    let mut context = DocumentContext { binds, ..DocumentContext::default() };
    let mut before: Option<TextBlock> = None;
    text_blocks(document, &mut |mut block| {
        let lead = before.take();
        match &block.kind {
            TextBlockKind::Heading(level) => context.enter(*level, shown(document, block.range.clone())),
            TextBlockKind::ListStart { .. } => {
                context.leads.push(lead.as_ref().and_then(|lead| context.lead(document, lead)).unwrap_or_default());
                block.range = lead.map_or(block.range, |lead| lead.range);
            }
            TextBlockKind::ListEnd => {
                context.leads.pop();
            }
            _ => {
                let is_quoted = block.quotation.is_some_and(|at| !is_remark(&document[at..]));
                if is_quoted || block.is_footnote || context.is_skipped() {
                    return;
                }
                visit(&context, &block);
                before = Some(block);
                return;
            }
        }
        visit(&context, &block);
    });
}

/// Makes notes on a document: redacted Markdown without its front matter.
///
/// If its type or its name `binds`, its instructions are rules; see [`is_binding`](super::is_binding).
pub fn extract(document: &Clean, binds: bool, limits: &NoteLimits) -> Notes {
    let (mut rules, mut facts) = (Rules::new(limits.rules), Facts::new(limits.key_facts));
    let (mut summary, mut keywords) = (Summary::default(), KeywordCounts::default());
    let (mut long_sentences, mut items) = (0, Vec::new());
    walk(document, binds, &mut |context, block| {
        let text = &document[block.range.clone()];
        let mut found = Vec::new();
        match &block.kind {
            // What introduces a list is said by its items.
            TextBlockKind::ListStart { .. } if text.ends_with([':', '：']) => rules.retract(block.range.end),
            TextBlockKind::Code { .. } => rules.complete(document, &block.range),
            TextBlockKind::Heading(_) if !context.is_skipped() => keywords.read(text, block.range.start, true),
            TextBlockKind::Row { is_head, cells } => {
                rules.read_row(document, context, *is_head, cells);
                cells.iter().for_each(|cell| keywords.read(&document[cell.clone()], cell.start, false));
            }
            TextBlockKind::Paragraph | TextBlockKind::Item => {
                let is_template = text.starts_with('[') && text.trim_end().ends_with(']') && !text.contains("](");
                found = sentences(text);
                long_sentences += found.iter().filter(|range| range.len() > LONGEST_SENTENCE).count();
                found.retain(|range| range.len() <= LONGEST_SENTENCE && !is_template);
                let start = block.range.start;
                found.iter_mut().for_each(|range| *range = start + range.start..start + range.end);
                let used = rules.read(document, context, block, &found);
                summary.read(document, context, block, &found, &used);
                keywords.read(text, block.range.start, false);
                let mut unused = used.into_iter().map(|is_used| !is_used);
                found.retain(|_| unused.next().unwrap_or(true));
                let is_item = block.kind == TextBlockKind::Item && items.len() < limits.bullets;
                items.extend(found.first().filter(|_| is_item).map(|range| shown(document, range.clone())));
            }
            _ => {}
        }
        facts.read(document, block, &found);
    });
    let (rules, rules_left_out) = rules.finish();
    let mut summary = first_by_rank(summary.found, limits.bullets);
    if summary.is_empty() {
        // A document of lists and tables is what these say, besides its rules.
        summary =
            if facts.found.is_empty() { items } else { facts.found.iter().take(limits.bullets).cloned().collect() };
    }
    Notes {
        summary,
        key_facts: facts.found,
        keywords: keywords.finish(document, limits.keywords),
        left_out: LeftOut { rules: rules_left_out, key_facts: facts.left_out, sentences: long_sentences },
        rules,
    }
}

const MAX_FACT: usize = 300;
const TERM_WORDS: usize = 6;
const LONGEST_TERM: usize = 120;
#[derive(Debug)]
pub(super) struct Facts {
    most: usize,
    pub(super) found: Vec<Clean>,
    seen: HashSet<Clean>,
    pub(super) left_out: usize,
}

impl Facts {
    pub(super) fn new(most: usize) -> Self {
        Self { most, found: Vec::new(), seen: HashSet::new(), left_out: 0 }
    }

    pub(super) fn read(&mut self, document: &Clean, block: &TextBlock, sentences: &[Range<usize>]) {
        match &block.kind {
            TextBlockKind::Paragraph | TextBlockKind::Item => {
                for fact in sentences.iter().filter_map(|range| definition(document, range)) {
                    self.add(fact);
                }
            }
            TextBlockKind::Row { is_head: false, cells } => {
                let mut cells = cells.iter().filter(|cell| !cell.is_empty()).map(|cell| shown(document, cell.clone()));
                let (Some(term), Some(value)) = (cells.next(), cells.next()) else { return };
                let mut fact = CleanBuf::new();
                fact.text(&term).lit(": ").text(&value);
                cells.for_each(|cell| {
                    fact.lit("; ").text(&cell);
                });
                self.add(fact.finish());
            }
            _ => {}
        }
    }

    fn add(&mut self, fact: Clean) {
        if fact.len() > MAX_FACT || self.found.len() >= self.most && !self.seen.contains(&fact) {
            self.left_out += 1;
        } else if self.seen.insert(fact.clone()) {
            self.found.push(fact);
        }
    }
}

/// Returns `Term: value` or `**Term** — value` as a fact, if a sentence is one.
fn definition(document: &Clean, range: &Range<usize>) -> Option<Clean> {
    let source = &document[range.clone()];
    let is_bold = source.starts_with(['*', '_', '`']);
    let head = &source[..source.floor_char_boundary(source.len().min(LONGEST_TERM))];
    let colon = head.find([':', '：']);
    if !is_bold && colon.is_none_or(|at| count(&head[..at]) > TERM_WORDS) {
        return None;
    }
    let text = shown(document, range.clone());
    let (end, length) =
        [": ", "：", " — ", " – ", " - "].iter().filter_map(|mark| Some((text.find(mark)?, mark.len()))).min()?;
    let (term, value) = (text[..end].trim(), text[end + length..].trim());
    let is_term = (1..=TERM_WORDS).contains(&count(term)) && !words::is_label(term) && !term.ends_with(['.', ')']);
    let is_marked = text[end..].starts_with([':', '：']) || is_bold;
    if !is_term || !is_marked || value.is_empty() || value.starts_with("//") {
        return None;
    }
    let mut fact = CleanBuf::new();
    fact.text(&text.slice(0..end).trimmed()).lit(": ").text(&text.slice(end + length..text.len()).trimmed());
    Some(fact.finish())
}

/// How many words a bullet has at least and at most: fewer say little, more are no summary.
const SUMMARY_WORDS: std::ops::RangeInclusive<usize> = 4..=40;

#[derive(Debug, Default)]
pub(super) struct Summary {
    /// Bullets with the depths of their sections: those of deeper ones leave first.
    found: Vec<(usize, Clean)>,
    section: Option<usize>,
}

impl Summary {
    /// Reads a block; `used` says which of its sentences are rules already.
    pub(super) fn read(
        &mut self,
        document: &Clean,
        context: &DocumentContext,
        block: &TextBlock,
        sentences: &[Range<usize>],
        used: &[bool],
    ) {
        let section = Some(context.headings);
        if block.kind != TextBlockKind::Paragraph || self.section == section || !context.leads.is_empty() {
            return;
        }
        let is_text = |range: &Range<usize>| {
            let text = &document[range.clone()];
            text.len() < 1000
                && !text.ends_with([':', '：', '?', '!'])
                && !text.starts_with("[![")
                && SUMMARY_WORDS.contains(&count(text))
        };
        let unused = sentences.iter().zip(used).filter(|(range, used)| !**used && is_text(range));
        // The beginning of a document may say more than one sentence.
        let depth = context.sections.len();
        let most = if depth <= 1 && self.found.is_empty() { 2 } else { 1 };
        for (range, _) in unused.take(most) {
            self.section = section;
            self.found.push((depth, shown(document, range.clone())));
        }
    }
}

/// Returns at most `most` of these texts in their order: those of the lowest ranks, the first of each.
pub(super) fn first_by_rank<R: Ord + Copy>(found: Vec<(R, Clean)>, most: usize) -> Vec<Clean> {
    let mut chosen: Vec<_> = found.into_iter().enumerate().collect();
    chosen.sort_by_key(|(index, (rank, _))| (*rank, *index));
    chosen.truncate(most);
    chosen.sort_by_key(|(index, _)| *index);
    chosen.into_iter().map(|(_, (_, text))| text).collect()
}
