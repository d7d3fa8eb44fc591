//! Whether a rule stands in a document word for word, and means there what it says alone.

use super::commands::commands;
use super::context::exception;
use super::cues::{Strength, has_negation, strength};
use super::leads::{heading_level, lead};
use super::reader::{Block, BlockKind, InlineText, read};
use super::rules::{ELSEWHERE, columns};
use super::sections::{Meaning, Place};
use super::sentences::sentences;
use super::source::title;
use crate::redact::Clean;
use std::ops::Range;
use std::sync::Arc;

/// The longest label of a link, in bytes.
const LONGEST_LABEL: usize = 200;

/// The texts of a document that rules can be quoted from.
#[derive(Debug)]
pub struct QuotableText {
    passages: Vec<Passage>,
}

/// The text of a block without markup, in which every white space is one space.
#[derive(Debug)]
struct Passage {
    text: String,
    sentences: Vec<Range<usize>>,
    /// Headings and introductions that may stand before the rule, with a colon.
    carriers: Arc<[Arc<str>]>,
    /// Whether the text means something else without one of them: an item below `Never`.
    needs_carrier: bool,
    /// Where the code begins that stands behind the text.
    code: usize,
}

/// The texts that introduce a list, and whether its items mean something else without them.
type Introduction = (Vec<Arc<str>>, bool);

/// How many lists around a block are looked at for what introduces them.
const NEAREST: usize = 8;
/// How many texts may stand before a rule: a heading, what introduces its list, and what introduces that.
const MOST_CARRIERS: usize = 3;

/// Returns whether `rule` stands in `document`; see [`QuotableText::holds`].
#[cfg(test)]
pub fn stands_in(document: &Clean, rule: &str) -> bool {
    QuotableText::of(document).holds(rule)
}

impl QuotableText {
    /// Reads a document. Code blocks, comments and quotations of others cannot be quoted.
    pub fn of(document: &Clean) -> Self {
        let mut place = Place::default();
        let mut before: Option<Block> = None;
        // What may stand before a rule here: the titles above, and for each open list what introduces it.
        let mut titles: Vec<Arc<str>> = Vec::new();
        let mut leads: Vec<Introduction> = Vec::new();
        let mut carriers: Arc<[Arc<str>]> = Arc::default();
        let mut heads = Vec::new();
        let mut passages: Vec<Passage> = Vec::new();
        // The passage that an exception behind it belongs to.
        let mut ruled: Option<usize> = None;
        read(document, &mut |block| {
            let level = heading_level(&block, &place);
            match &block.kind {
                BlockKind::ListStart { ordered } => {
                    let introduction = before.take();
                    let lead = lead(document, &place, introduction.as_ref(), *ordered);
                    let texts = [&lead.condition, &lead.carried, &lead.sentence].into_iter().flatten();
                    let means_more = lead.carried.is_some() || lead.condition.is_some();
                    leads.push((texts.map(|text| plain(text).into()).collect(), means_more));
                    place.leads.push(lead);
                }
                BlockKind::ListEnd => {
                    place.leads.pop();
                    leads.pop();
                }
                _ => {}
            }
            if let Some(level) = level {
                place.enter(level, title(document, &block.text));
                let texts = place.titles().flat_map(|title| [bare(title), plain(title)]);
                titles = texts.map(Arc::from).collect();
                titles.dedup();
                leads.clear();
            }
            if level.is_some() || matches!(block.kind, BlockKind::ListStart { .. } | BlockKind::ListEnd) {
                carriers = titles
                    .iter()
                    .chain(leads.iter().rev().take(NEAREST).flat_map(|(texts, _)| texts))
                    .cloned()
                    .collect();
            }
            let is_list = matches!(block.kind, BlockKind::ListStart { .. } | BlockKind::ListEnd);
            if !is_list && !block.is_quoted && !place.is_wrong() {
                let ruling = place.ruling().and_then(|section| section.meaning);
                let is_carried = leads.iter().any(|(_, carries)| *carries);
                let forbids = is_carried || matches!(ruling, Some(Meaning::Forbid | Meaning::Bind));
                if let BlockKind::Row { is_head: true, cells } = &block.kind {
                    heads = columns(document, cells);
                }
                let texts: Vec<(&InlineText, Option<&(Meaning, Clean)>)> = match &block.kind {
                    BlockKind::Row { is_head, cells } => {
                        let head = |index: usize| heads.get(index).and_then(Option::as_ref).filter(|_| !is_head);
                        cells.iter().enumerate().map(|(index, cell)| (cell, head(index))).collect()
                    }
                    _ => vec![(&block.text, None)],
                };
                let found = sentences(&block.text);
                match exception(&block, &found) {
                    Some(all) => {
                        if let Some(passage) = ruled.and_then(|at: usize| passages.get_mut(at)) {
                            passage.go_on(&bare(&block.text.shown[all]));
                        }
                    }
                    None => ruled = Some(passages.len()),
                }
                let needs_carrier = forbids && matches!(block.kind, BlockKind::Item);
                for (text, head) in texts.into_iter().filter(|(text, _)| !text.shown.trim().is_empty()) {
                    passages.extend(match head {
                        Some((Meaning::Wrong, _)) => None,
                        Some((Meaning::Forbid, head)) => {
                            let head: Arc<str> = plain(head).into();
                            Some(Passage::new(text, None, true, carriers.iter().cloned().chain([head]).collect()))
                        }
                        _ => Some(Passage::new(text, block.task, needs_carrier, Arc::clone(&carriers))),
                    });
                }
            }
            if let BlockKind::Code { ranges, is_shell } = &block.kind
                && !block.is_quoted
                && !place.is_wrong()
                && let Some((code, _)) = commands(document, ranges)
            {
                let code = plain(&code);
                let is_text =
                    |block: &Block| !block.is_quoted && matches!(block.kind, BlockKind::Item | BlockKind::Paragraph);
                let introduction = passages.last_mut().filter(|_| before.as_ref().is_some_and(is_text));
                if let Some(passage) =
                    introduction.filter(|it: &&mut Passage| *is_shell || it.text.ends_with([':', '：']))
                {
                    passage.append(&code);
                }
                if *is_shell {
                    passages.push(Passage::code(code, Arc::clone(&carriers)));
                }
            }
            before = if is_list { None } else { Some(block) };
        });
        Self { passages }
    }

    /// Returns whether the document holds `rule`: word for word, apart from white space and inline markup, within one
    /// block, at the boundaries of words.
    ///
    /// What is left out of its first and last sentence must not deny or limit the rest. A heading above, or the text that
    /// introduces its list, may stand before it with a colon, and must where the document forbids by it.
    pub fn holds(&self, rule: &str) -> bool {
        let rule = plain(rule.strip_suffix(ELSEWHERE).unwrap_or(rule));
        let rule = rule.trim_end_matches(['.', '!', ';', ',', '。', ' ']);
        if rule.is_empty() {
            return false;
        }
        self.passages.iter().any(|passage| passage.holds(rule, MOST_CARRIERS))
    }
}

impl Passage {
    fn new(block: &InlineText, task: Option<bool>, needs_carrier: bool, carriers: Arc<[Arc<str>]>) -> Self {
        // The mark of a task, without its brackets.
        let mut text = if task == Some(true) { "x ".to_owned() } else { String::new() };
        let mut ranges = Vec::new();
        let mut end = 0;
        for range in sentences(block) {
            // Chinese and Japanese sentences follow each other without a space.
            if !text.is_empty() && range.start > end {
                text.push(' ');
            }
            end = range.end;
            let start = text.len();
            text.push_str(&bare(&block.shown[range]));
            ranges.push(start..text.len());
        }
        Self { code: text.len(), text, sentences: ranges, carriers, needs_carrier }
    }

    /// Returns the passage of a block of commands, each of which could stand alone.
    fn code(text: String, carriers: Arc<[Arc<str>]>) -> Self {
        Self { code: 0, text, sentences: Vec::new(), carriers, needs_carrier: true }
    }

    /// Returns whether the passage says `rule`, behind at most `most` of the texts that may stand before it.
    fn holds(&self, rule: &str, most: usize) -> bool {
        let is_carried = most < MOST_CARRIERS;
        self.says(rule, is_carried || !self.needs_carrier)
            || most > 0
                && self.carriers.iter().any(|carrier| {
                    let carrier = carrier.trim_end_matches([':', '：', ' ']);
                    let rest = rule.strip_prefix(carrier).and_then(|rest| rest.strip_prefix([':', '：']));
                    !carrier.is_empty() && rest.is_some_and(|rest| self.holds(rest.trim(), most - 1))
                })
    }

    /// Appends the code that the text introduces to its last sentence.
    fn append(&mut self, code: &str) {
        self.text.push(' ');
        self.code = self.text.len();
        self.text.push_str(code);
        if let Some(last) = self.sentences.last_mut() {
            last.end = self.text.len();
        }
    }

    /// Appends an exception that stands in a block of its own.
    fn go_on(&mut self, exception: &str) {
        if self.code < self.text.len() {
            return;
        }
        self.text.push(' ');
        let start = self.text.len();
        self.text.push_str(exception);
        self.sentences.push(start..self.text.len());
        self.code = self.text.len();
    }

    /// Returns whether the text holds `rule` at the boundaries of words, with all that limits it.
    ///
    /// Unless it `is_carried` by what introduces it, it must be a rule by its own words.
    fn says(&self, rule: &str, is_carried: bool) -> bool {
        if rule.is_empty() {
            return false;
        }
        self.text.match_indices(rule).any(|(start, found)| {
            let end = start + found.len();
            let least = if start == 0 { Strength::Strong } else { Strength::Weak };
            if !is_carried && strength(rule).is_none_or(|strength| strength < least) {
                return false;
            }
            let joins = |a: Option<char>, b: Option<char>| {
                let is_word = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() && !super::words::is_cjk(c));
                is_word(a) && is_word(b)
            };
            let (before, after) = (&self.text[..start], &self.text[end..]);
            if joins(before.chars().next_back(), rule.chars().next())
                || joins(rule.chars().next_back(), after.chars().next())
            {
                return false;
            }
            let around = |at: usize| {
                let index = self.sentences.partition_point(|range| range.start <= at).saturating_sub(1);
                self.sentences.get(index).cloned().unwrap_or(0..self.text.len())
            };
            let first = around(start).start.min(start)..start;
            // A rule may leave out commands behind it, but not what is said of them.
            let rest = around(end.saturating_sub(1).max(start)).end;
            let last = end..if end <= self.code { rest.min(self.code) } else { end }.max(end);
            // Sentences beyond 4,096 bytes are not looked at, so nothing of them can be quoted in part.
            let limits = |part: Range<usize>| part.len() > super::cues::LONGEST || has_negation(&self.text[part]);
            !limits(first) && !limits(last)
        })
    }
}

/// Returns a text as it is compared: without inline markup and backticks, with single spaces.
fn plain(text: &str) -> String {
    let mut shown = String::new();
    read(text, &mut |block| {
        if !block.text.shown.is_empty() {
            if !shown.is_empty() {
                shown.push(' ');
            }
            shown.push_str(&block.text.shown);
        }
    });
    bare(if shown.is_empty() { text } else { &shown })
}

/// Drops backticks and the brackets of links with their labels, `[text][label]`, which a rule alone cannot resolve.
fn bare(shown: &str) -> String {
    let mut text = String::with_capacity(shown.len());
    let mut rest = shown;
    let mut space = false;
    while let Some(c) = rest.chars().next() {
        let label = rest.strip_prefix("][").map(|label| &label[..label.floor_char_boundary(LONGEST_LABEL)]);
        let label = label.and_then(|label| label.find(']'));
        if let Some(end) = label {
            rest = &rest[end + 3..];
            continue;
        }
        rest = &rest[c.len_utf8()..];
        if c.is_whitespace() || c.is_control() {
            space = !text.is_empty();
        } else if !matches!(c, '`' | '[' | ']') {
            if std::mem::take(&mut space) {
                text.push(' ');
            }
            text.push(c);
        }
    }
    text
}
