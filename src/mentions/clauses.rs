//! Sentences that state relations, and the lists of names in them.

use crate::markdown::GAP;
use crate::mentions::hints::pattern;
use crate::mentions::words::{NameStrength, Word, words};
use crate::model::Relation;
use regex::Regex;
use std::sync::LazyLock;

/// The phrases that state a relation anywhere in a sentence.
static PHRASE: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?i)\b(?:(depends?[\s-]+(?:up)?on)|(blocked[\s-]+(?:by|on)))\b"));

/// Words that are allowed between `depends on` and its targets.
const FILLERS: [&str; 24] = [
    "the", "a", "an", "this", "both", "issue", "issues", "pr", "prs", "pull", "request", "requests", "task", "tasks",
    "epic", "feature", "ticket", "tickets", "bug", "item", "story", "upstream", "work", "in",
];
/// Words that join the entries of a list.
const JOINS: [&str; 5] = ["and", "or", "plus", "as", "well"];
/// The most words of [`FILLERS`] in a row.
const MOST_FILLERS: usize = 4;
/// The most words of a remark in parentheses after an entry.
const LONGEST_REMARK: usize = 16;

/// The words of a run, and the relations that phrases state of them.
pub(super) struct ClauseReader<'a> {
    pub(super) text: &'a str,
    pub(super) words: Vec<Word<'a>>,
    /// For each word, whether a phrase names it, and its relation; the inner `None` if the phrase is negated or about
    /// another item.
    pub(super) claimed: Vec<Option<Option<Relation>>>,
}

/// Returns whether a word names an item at least this surely.
pub(super) fn is_at_least(word: &Word<'_>, strength: NameStrength) -> bool {
    word.target.is_some_and(|(_, own)| own >= strength)
}

impl<'a> ClauseReader<'a> {
    /// Reads the text of a run.
    pub(super) fn of(text: &'a str) -> Self {
        let words = words(text);
        let mut reading = Self { text, claimed: vec![None; words.len()], words };
        reading.phrases();
        reading
    }

    /// Finds the targets of `depends on` and `blocked by`.
    fn phrases(&mut self) {
        for found in PHRASE.captures_iter(self.text) {
            let Some(whole) = found.get(0) else { continue };
            let relation = if found.get(1).is_some() { Relation::DependsOn } else { Relation::BlockedBy };
            let own = !self.denied(whole.start()) && !self.of_another(whole.start());
            for index in self.list(whole.end(), self.words.len()) {
                self.claimed[index] = Some(own.then_some(relation));
            }
        }
    }

    /// Returns the index of the first word at or after a byte.
    pub(super) fn word_at(&self, at: usize) -> usize {
        self.words.partition_point(|word| word.start < at)
    }

    /// Returns the entries of a list such as `#1, #2 (done) and #3` that begins at a byte and ends before the word
    /// `until`.
    pub(super) fn list(&self, from: usize, until: usize) -> Vec<usize> {
        let mut entries = Vec::new();
        let mut end = from;
        let (mut fillers, mut remark, mut joined) = (0, 0, true);
        for (index, word) in self.words.iter().enumerate().take(until).skip(self.word_at(from)) {
            let Some(gap) = self.text.get(end..word.start) else {
                break;
            };
            if gap.contains(['.', '!', '?', ';', GAP]) {
                break;
            }
            end = word.end;
            if remark > 0 && !gap.contains(')') {
                remark += 1;
                if remark > LONGEST_REMARK {
                    break;
                }
                continue;
            }
            if !entries.is_empty() && gap.contains('(') && !gap.contains(')') {
                remark = 1;
                continue;
            }
            remark = 0;
            let outside = gap.rsplit(')').next().unwrap_or(gap);
            joined |= outside.contains([',', '&', '+', '/']);
            let lower = word.text.to_lowercase();
            if joined && self.names(index) {
                entries.push(index);
                (fillers, joined) = (0, false);
            } else if JOINS.contains(&lower.as_str()) {
                joined = true;
            } else if joined && FILLERS.contains(&lower.as_str()) && fillers < MOST_FILLERS {
                fillers += 1;
            } else {
                break;
            }
        }
        entries
    }

    /// Returns whether a word names an item at a position where a list of items is expected.
    ///
    /// Words joined by hyphens only count if nothing follows that they could describe: `blocked by cache-layer.`, not
    /// `blocked by pre-existing faults`.
    fn names(&self, index: usize) -> bool {
        let word = &self.words[index];
        match word.target {
            Some((_, NameStrength::Weak)) => {
                let rest = self.text[word.end..].trim_start_matches([' ', '\t']);
                let joins = self.words.get(index + 1).is_some_and(|next| JOINS.contains(&next.text));
                joins || rest.starts_with(|c: char| !c.is_alphanumeric()) || rest.is_empty()
            }
            target => target.is_some(),
        }
    }

    /// Returns whether the phrase at a byte is negated: not, never, no longer, n't shortly before it.
    fn denied(&self, at: usize) -> bool {
        let mut end = at;
        let before = self.words[..self.word_at(at)].iter().rev().take(4);
        let mut next = String::new();
        for word in before {
            let Some(gap) = self.text.get(word.end..end) else {
                return false;
            };
            if gap.contains(['.', ',', ';', '!', '?', ':', '(']) {
                return false;
            }
            end = word.start;
            let lower = word.text.to_lowercase();
            // An apostrophe divides words, so that `isn't` ends in a word `t`.
            let negated = matches!(lower.as_str(), "not" | "never" | "cannot" | "without" | "nor")
                || lower == "no" && next == "longer"
                || lower == "t" && self.text[..word.start].ends_with(['\'', '’']);
            if negated {
                return true;
            }
            next = lower;
        }
        false
    }

    /// Returns whether the phrase at a byte has another item as its subject: `#5 depends on #6`,
    /// or is in a remark on one: `#5 (low, depends on #6)`.
    fn of_another(&self, at: usize) -> bool {
        if let Some(open) = self.remark(at)
            && let Some(word) = self.word_at(open).checked_sub(1).map(|index| &self.words[index])
            && is_at_least(word, NameStrength::Id)
            && self.text.get(word.end..open).is_some_and(|gap| gap.trim().is_empty())
        {
            return true;
        }
        let mut end = at;
        for word in self.words[..self.word_at(at)].iter().rev().take(4) {
            let Some(gap) = self.text.get(word.end..end) else {
                return false;
            };
            if !gap.chars().all(|c| matches!(c, ' ' | '\t' | '→')) {
                return false;
            }
            if is_at_least(word, NameStrength::Id) {
                return true;
            }
            let lower = word.text.to_lowercase();
            let between = ["is", "are", "was", "also", "currently", "still", "which", "that", "now", "and"];
            if !between.contains(&lower.as_str()) {
                return false;
            }
            end = word.start;
        }
        false
    }

    /// Returns where the parenthesis around a byte opens, if it does shortly before.
    fn remark(&self, at: usize) -> Option<usize> {
        let before = self.text.get(..at)?.char_indices().rev().take(LONGEST_REMARK * 10);
        let mut closed = 0_u32;
        for (place, c) in before {
            match c {
                '(' if closed == 0 => return Some(place),
                '(' => closed -= 1,
                ')' => closed += 1,
                '\n' | '.' => return None,
                _ => {}
            }
        }
        None
    }
}
