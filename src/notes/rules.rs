//! The rules of a document, word for word.

use super::extract::{DocumentContext, first_by_rank, on_one_line, shown};
use super::sentences::{CodeText, lower, visible};
use super::words::{self, Meaning, Strength, TitleMeaning, title_meaning};
use crate::markdown::{TextBlock, TextBlockKind};
use crate::redact::{Clean, CleanBuf};
use std::cmp::Reverse;
use std::collections::HashSet;
use std::ops::Range;

/// The longest rule, in bytes: a rule is never shortened.
const LONGEST: usize = 1000;
/// The longest code block that a rule is completed with, in bytes, and the most lines of one.
const LONGEST_CODE: usize = 300;
const MOST_LINES_OF_CODE: usize = 6;

#[derive(Debug)]
pub(super) struct Rules {
    most: usize,
    found: Vec<(Reverse<Strength>, Clean)>,
    seen: HashSet<Clean>,
    left_out: usize,
    last_end: usize,
    /// What the head of the open table says of each column.
    columns: Vec<Option<(TitleMeaning, Clean)>>,
}

impl Rules {
    pub(super) fn new(most: usize) -> Self {
        Self { most, found: Vec::new(), seen: HashSet::new(), left_out: 0, last_end: 0, columns: Vec::new() }
    }

    /// Takes the rules of a paragraph or an item, whose sentences these are, and returns which of them are rules.
    pub(super) fn read(
        &mut self,
        document: &Clean,
        context: &DocumentContext,
        block: &TextBlock,
        sentences: &[Range<usize>],
    ) -> Vec<bool> {
        let is_item = block.kind == TextBlockKind::Item;
        let seen = |range: &Range<usize>| lower(visible(&document[range.clone()], CodeText::Blank));
        let seen: Vec<String> = sentences.iter().map(seen).collect();
        let meanings: Vec<Meaning> = seen.iter().map(|sentence| words::meaning(sentence)).collect();
        if is_item && let Some(strength) = whole_item(document, context, block, &meanings) {
            self.add(strength, &carriers(context, true, true), on_one_line(document, block.range.clone()));
            return vec![true; sentences.len()];
        }
        let is_below_rules = context.ruling().is_some_and(|section| section.meaning == Some(TitleMeaning::Rules));
        let has_instructions = context.binds() || is_below_rules;
        let mut used = vec![false; sentences.len()];
        for (index, range) in sentences.iter().enumerate() {
            let is_instruction = has_instructions && words::is_order(&seen[index]);
            let is_command = is_instruction && names_command(&document[range.clone()]);
            let order = if is_command { Strength::Obliges } else { Strength::Plain };
            let strength = meanings[index].strength.max(is_instruction.then_some(order));
            used[index] |= is_wrong(&document[range.clone()]);
            let (Some(strength), false) = (strength, used[index] || says_nothing(&document[range.clone()])) else {
                continue;
            };
            // What refers to the sentence before means nothing without it, and what limits a rule belongs to it.
            let refers = meanings[index].refers;
            let first = if refers && index > 0 && !used[index - 1] { index - 1 } else { index };
            let mut last = index;
            while meanings.get(last + 1).is_some_and(|next| next.limits) {
                last += 1;
            }
            used[first..=last].fill(true);
            let source = sentences[first].start..sentences[last].end;
            let carriers = carriers(context, is_item, !refers || first < index);
            if self.add(strength, &carriers, on_one_line(document, source.clone())) {
                self.last_end = source.end;
            }
        }
        used
    }

    pub(super) fn read_row(
        &mut self,
        document: &Clean,
        context: &DocumentContext,
        is_head: bool,
        cells: &[Range<usize>],
    ) {
        if is_head {
            let column = |cell: &Range<usize>| {
                let title = shown(document, cell.clone());
                Some((title_meaning(&words::title_words(&title))?, title))
            };
            self.columns = cells.iter().map(column).collect();
            return;
        }
        let columns = std::mem::take(&mut self.columns);
        for (cell, column) in cells.iter().zip(&columns).filter(|(cell, _)| !cell.is_empty()) {
            let text = || on_one_line(document, cell.clone());
            match column {
                Some((TitleMeaning::Rules, _)) => self.add(Strength::Plain, &carriers(context, false, true), text()),
                Some((TitleMeaning::Forbidden, head)) => self.add(Strength::Obliges, &[head], text()),
                _ => false,
            };
        }
        self.columns = columns;
    }

    /// Takes back the last rule if it ends where `end` is.
    pub(super) fn retract(&mut self, end: usize) {
        if std::mem::take(&mut self.last_end) == end
            && let Some((_, rule)) = self.found.pop()
        {
            self.seen.remove(&rule);
        }
    }

    /// Adds a code block to the rule that announces it with a colon, or takes the rule back: without its code it says nothing.
    pub(super) fn complete(&mut self, document: &Clean, code: &Range<usize>) {
        let between = document.get(self.last_end..code.start).filter(|_| self.last_end > 0);
        let is_blank = |line: &str| is_fence(line) || line.trim_matches([' ', '>', '*', '_']).is_empty();
        let is_announced = between.is_some_and(|text| text.lines().all(is_blank));
        let end = self.last_end;
        let Some((_, rule)) = self.found.last_mut().filter(|(_, rule)| is_announced && ends_with_colon(rule)) else {
            return;
        };
        let whole = code_of_rule(document, code).map(|code| CleanBuf::new().text(rule).lit(" ").text(&code).finish());
        if let Some(whole) = whole.filter(|whole| whole.len() <= LONGEST && !self.seen.contains(whole)) {
            self.seen.remove(rule);
            self.seen.insert(whole.clone());
            *rule = whole;
        } else {
            self.retract(end);
            self.left_out += 1;
        }
        self.last_end = 0;
    }

    fn add(&mut self, strength: Strength, carriers: &[&Clean], text: Clean) -> bool {
        let mut rule = CleanBuf::new();
        carriers.iter().for_each(|carrier| {
            rule.text(carrier).lit(": ");
        });
        let rule = rule.text(&text).finish();
        self.left_out += usize::from(rule.len() > LONGEST);
        let is_new = rule.len() <= LONGEST && self.seen.insert(rule.clone());
        if is_new {
            self.found.push((Reverse(strength), rule));
        }
        is_new
    }

    /// Returns the rules in the document's order, and how many are left out: first what has its place only, then advice.
    pub(super) fn finish(self) -> (Vec<Clean>, usize) {
        let over = self.found.len().saturating_sub(self.most);
        (first_by_rank(self.found, self.most), self.left_out + over)
    }
}

/// Returns a short code block as it follows the rule that announces it: `a`; `b`. None in a quotation, or with backticks.
pub(super) fn code_of_rule(document: &Clean, code: &Range<usize>) -> Option<Clean> {
    let text = document[code.clone()].trim_end();
    let (mut whole, mut count, mut at) = (CleanBuf::new(), 0, code.start);
    for line in text.split_inclusive('\n') {
        let range = at..at + line.len();
        at = range.end;
        let is_edge = range.start == code.start || at == code.start + text.len();
        if line.trim().is_empty() || is_edge && is_fence(line) {
            continue;
        }
        count += 1;
        if count > MOST_LINES_OF_CODE || line.contains('`') || line.trim_start().starts_with('>') {
            return None;
        }
        whole.lit(if count == 1 { "`" } else { "; `" }).text(&document.slice(range).trimmed()).lit("`");
    }
    (count > 0 && code.len() <= LONGEST_CODE).then(|| whole.finish())
}

fn ends_with_colon(rule: &str) -> bool {
    rule.trim_end_matches(['*', '_', ' ']).ends_with([':', '：'])
}

fn is_fence(line: &str) -> bool {
    line.trim_start_matches([' ', '>']).starts_with("```") || line.trim_start_matches([' ', '>']).starts_with("~~~")
}

/// Returns whether a sentence quotes a command to run: a code span of several words.
fn names_command(sentence: &str) -> bool {
    let mut spans = sentence.split('`').skip(1).step_by(2);
    spans.any(|span| span.starts_with(|c: char| c.is_ascii_lowercase()) && span.trim().contains(' '))
}

/// Returns whether a sentence is an example of what is wrong: `Bad: …`.
fn is_wrong(sentence: &str) -> bool {
    let label = sentence.split([':', '：']).next().unwrap_or_default();
    label.len() < 40.min(sentence.len()) && title_meaning(&words::title_words(label)) == Some(TitleMeaning::Wrong)
}

/// Returns whether a sentence is a question, or too short to say something.
fn says_nothing(sentence: &str) -> bool {
    let bare = sentence.trim_end_matches(['*', '_', '"', ')']);
    let least = if bare.ends_with([':', '：']) { 4 } else { 2 };
    bare.ends_with(['?', '？']) || bare.len() < 40 && words::count(bare) < least
}

/// Returns how much an item obliges that is a rule as a whole: by its heading, or by what introduces its list.
fn whole_item(
    document: &Clean,
    context: &DocumentContext,
    block: &TextBlock,
    meanings: &[Meaning],
) -> Option<Strength> {
    let stated = meanings.iter().filter_map(|meaning| meaning.strength).max();
    let is_carried = context.leads.iter().any(|lead| lead.carries);
    let strength = match context.ruling().and_then(|section| section.meaning) {
        _ if is_carried => stated.unwrap_or(Strength::Advises),
        Some(TitleMeaning::Forbidden) => Strength::Obliges,
        // Directly below the heading, not in a section of its own.
        Some(TitleMeaning::Rules) if context.sections.last()?.meaning.is_some() => stated.unwrap_or(Strength::Plain),
        _ => return None,
    };
    // Neither struck as a whole, nor an introduction of further items.
    let text = visible(&document[block.range.clone()], CodeText::Blank);
    let says = text.contains(|c: char| c.is_alphanumeric() || c == '`') && !text.ends_with([':', '：']);
    says.then_some(strength)
}

/// Returns what must be before a rule: its condition, what introduces its list, and the heading that forbids it.
fn carriers(context: &DocumentContext, is_item: bool, stands_alone: bool) -> Vec<&Clean> {
    let condition = context.sections.iter().rev().find(|section| section.is_condition).map(|section| &section.title);
    let lead = context.leads.iter().rev().find(|lead| lead.carries).and_then(|lead| lead.text.as_ref());
    let forbids = context.ruling().filter(|section| section.meaning == Some(TitleMeaning::Forbidden));
    let carrier = lead.or_else(|| forbids.map(|section| &section.title)).filter(|_| is_item);
    let nearest = context.sections.last().filter(|_| !stands_alone && condition.or(carrier).is_none());
    condition.into_iter().chain(carrier).chain(nearest.map(|section| &section.title)).collect()
}
