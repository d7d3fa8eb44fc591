//! The rules of a document, word for word.

use super::extract::{Context, on_one_line, shown};
use super::sentences::{CodeText, visible};
use super::words::{self, Meaning, Strength, TitleMeaning, title_meaning};
use crate::markdown::{TextBlock, TextBlockKind};
use crate::redact::{Clean, CleanBuf};
use std::collections::HashSet;
use std::ops::Range;

/// The longest rule, in bytes: a rule is never shortened.
const LONGEST: usize = 1000;

/// The rules so far.
#[derive(Debug)]
pub(super) struct Rules {
    most: usize,
    found: Vec<(Strength, Clean)>,
    seen: HashSet<Clean>,
    left_out: usize,
    /// What the head of the open table says of each column.
    columns: Vec<Option<(TitleMeaning, Clean)>>,
}

impl Rules {
    pub(super) fn new(most: usize) -> Self {
        Self { most, found: Vec::new(), seen: HashSet::new(), left_out: 0, columns: Vec::new() }
    }

    /// Takes the rules of a paragraph or an item, whose sentences these are, and returns which of them are rules.
    pub(super) fn read(
        &mut self,
        document: &Clean,
        context: &Context,
        block: &TextBlock,
        sentences: &[Range<usize>],
    ) -> Vec<bool> {
        let is_item = block.kind == TextBlockKind::Item;
        let meanings: Vec<Meaning> = sentences.iter().map(|range| meaning(document, range)).collect();
        if is_item && let Some(strength) = whole_item(document, context, block, &meanings) {
            self.add(strength, carrier(context, true), on_one_line(document, block.range.clone()));
            return vec![true; sentences.len()];
        }
        let mut used = vec![false; sentences.len()];
        for (index, range) in sentences.iter().enumerate() {
            let strength = meanings[index]
                .strength
                .or_else(|| is_instruction(document, context, range).then_some(Strength::Plain));
            let (Some(strength), false) = (strength, used[index] || is_question(&document[range.clone()])) else {
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
            let stands_alone = !refers || first < index;
            self.add(
                strength,
                carrier(context, is_item).or_else(|| heading(context, stands_alone)),
                on_one_line(document, source),
            );
        }
        used
    }

    /// Takes the rules of a table: of its columns whose head says that they hold rules or what is forbidden.
    pub(super) fn read_row(&mut self, document: &Clean, context: &Context, is_head: bool, cells: &[Range<usize>]) {
        if is_head {
            let column = |cell: &Range<usize>| {
                let title = shown(document, cell.clone());
                Some((title_meaning(&title)?, title))
            };
            self.columns = cells.iter().map(column).collect();
            return;
        }
        let columns = std::mem::take(&mut self.columns);
        for (cell, column) in cells.iter().zip(&columns).filter(|(cell, _)| !cell.is_empty()) {
            let text = || on_one_line(document, cell.clone());
            match column {
                Some((TitleMeaning::Rules, _)) => self.add(Strength::Plain, heading(context, true), text()),
                Some((TitleMeaning::Forbidden, head)) => self.add(Strength::Obliges, Some(head.clone()), text()),
                _ => {}
            }
        }
        self.columns = columns;
    }

    fn add(&mut self, strength: Strength, carrier: Option<Clean>, text: Clean) {
        let rule = match carrier {
            Some(carrier) => CleanBuf::new().text(&carrier).lit(": ").text(&text).finish(),
            None => text,
        };
        if rule.len() > LONGEST {
            self.left_out += 1;
        } else if self.seen.insert(rule.clone()) {
            self.found.push((strength, rule));
        }
    }

    /// Returns the rules in the document's order, and how many are left out: first what has its place only, then advice.
    pub(super) fn finish(mut self) -> (Vec<Clean>, usize) {
        let over = self.found.len().saturating_sub(self.most);
        let mut leaving: Vec<usize> = (0..self.found.len()).collect();
        leaving.sort_by_key(|index| (self.found[*index].0, std::cmp::Reverse(*index)));
        leaving.truncate(over);
        leaving.sort_unstable();
        for index in leaving.into_iter().rev() {
            self.found.remove(index);
        }
        (self.found.into_iter().map(|(_, rule)| rule).collect(), self.left_out + over)
    }
}

fn meaning(document: &Clean, range: &Range<usize>) -> Meaning {
    words::meaning(&visible(&document[range.clone()], CodeText::Blank).to_lowercase())
}

fn is_question(sentence: &str) -> bool {
    sentence.trim_end_matches(['*', '_', '"', ')']).ends_with(['?', '？'])
}

/// Returns whether a sentence tells its reader what to do where instructions are rules.
fn is_instruction(document: &Clean, context: &Context, range: &Range<usize>) -> bool {
    let is_place =
        context.binds() || context.ruling().is_some_and(|section| section.meaning == Some(TitleMeaning::Rules));
    is_place && words::is_order(&visible(&document[range.clone()], CodeText::Blank).to_lowercase())
}

/// Returns how much an item obliges that is a rule as a whole: by its heading, or by what introduces its list.
fn whole_item(document: &Clean, context: &Context, block: &TextBlock, meanings: &[Meaning]) -> Option<Strength> {
    let text = visible(&document[block.range.clone()], CodeText::Blank);
    // Struck as a whole, or an introduction of further items.
    if !text.contains(char::is_alphanumeric) || text.ends_with([':', '：']) {
        return None;
    }
    let stated = meanings.iter().filter_map(|meaning| meaning.strength).max();
    if context.leads.iter().any(|lead| lead.carries) {
        return Some(stated.unwrap_or(Strength::Advises));
    }
    match context.ruling()?.meaning? {
        TitleMeaning::Forbidden => Some(Strength::Obliges),
        // Directly below the heading, not in a section of its own.
        TitleMeaning::Rules if context.sections.last().is_some_and(|section| section.meaning.is_some()) => {
            Some(stated.unwrap_or(Strength::Plain))
        }
        _ => None,
    }
}

/// Returns what must stand before an item: what introduces its list, or the heading that forbids.
fn carrier(context: &Context, is_item: bool) -> Option<Clean> {
    let lead = context.leads.iter().rev().find(|lead| lead.carries).and_then(|lead| lead.text.clone());
    let forbids = |section: &&super::extract::Section| section.meaning == Some(TitleMeaning::Forbidden);
    lead.or_else(|| context.ruling().filter(forbids).map(|section| section.title.clone())).filter(|_| is_item)
}

/// Returns the heading that must stand before a rule: a condition, or what it refers to.
fn heading(context: &Context, stands_alone: bool) -> Option<Clean> {
    let condition = context.sections.iter().rev().find(|section| section.is_condition);
    let nearest = context.sections.last().filter(|_| !stands_alone);
    condition.or(nearest).map(|section| section.title.clone())
}
