//! Key facts: `Term: value` and rows of tables.

use super::extract::shown;
use super::words::{count, is_label};
use crate::markdown::{TextBlock, TextBlockKind};
use crate::redact::{Clean, CleanBuf};
use std::collections::HashSet;
use std::ops::Range;

/// The longest fact, in bytes.
const LONGEST: usize = 300;
/// How many words a term may have, and where in the source its colon is at the latest.
const TERM_WORDS: usize = 6;
const LONGEST_TERM: usize = 120;
/// The facts so far.
#[derive(Debug)]
pub(super) struct Facts {
    most: usize,
    /// In the document's order.
    pub(super) found: Vec<Clean>,
    seen: HashSet<Clean>,
    pub(super) left_out: usize,
}

impl Facts {
    pub(super) fn new(most: usize) -> Self {
        Self { most, found: Vec::new(), seen: HashSet::new(), left_out: 0 }
    }

    /// Takes the facts of a block.
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
        if fact.len() > LONGEST || self.found.len() >= self.most && !self.seen.contains(&fact) {
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
    let is_term = (1..=TERM_WORDS).contains(&count(term)) && !is_label(term) && !term.ends_with(['.', ')']);
    let is_marked = text[end..].starts_with([':', '：']) || is_bold;
    if !is_term || !is_marked || value.is_empty() || value.starts_with("//") {
        return None;
    }
    let mut fact = CleanBuf::new();
    fact.text(&text.slice(0..end).trimmed()).lit(": ").text(&text.slice(end + length..text.len()).trimmed());
    Some(fact.finish())
}
