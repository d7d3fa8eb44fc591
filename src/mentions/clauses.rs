//! Sentences that state relations, and the lists of names in them.

use crate::markdown::{GAP, LinkSpan, Run};
use crate::mentions::relations::LABEL;
use crate::mentions::vocabulary::{means, pattern};
use crate::mentions::words::{NameStrength, Word, words};
use crate::model::{Relation, ends_name, has_letter_prefix, is_document_name};
use regex::Regex;
use std::ops::Range;
use std::sync::LazyLock;

static PHRASE: LazyLock<Regex> = LazyLock::new(|| pattern("phrase"));
static DENIED: LazyLock<Regex> = LazyLock::new(|| pattern("denied phrase"));
static DENIED_NAME: LazyLock<Regex> = LazyLock::new(|| pattern("denied name"));
static NONE: LazyLock<Regex> = LazyLock::new(|| pattern("entry of nothing"));
static QUESTION: LazyLock<Regex> = LazyLock::new(|| pattern("rest of a question"));

const MAX_FILLERS: usize = 4;
const MAX_WORDS_BEFORE: usize = 4;
/// How much of a text before a phrase or a name is searched for words that deny it, in bytes.
const LONGEST_DENIAL: usize = 240;
const LONGEST_QUESTION: usize = 400;
const LONGEST_ID: usize = 100;
const LONGEST_REMARK: usize = 16;

pub(super) struct ClauseReader<'a> {
    pub(super) text: &'a str,
    pub(super) words: Vec<Word<'a>>,
    /// For each word the relation of the phrase that names it, `None` inside if that is negated or about another item.
    pub(super) claimed: Vec<Option<Option<Relation>>>,
    pub(super) links: &'a [LinkSpan],
    pub(super) claimed_links: Vec<(usize, Relation)>,
}

impl<'a> ClauseReader<'a> {
    pub(super) fn of(run: &'a Run) -> Self {
        let text = run.spoken.text.as_str();
        let mut words = words(text);
        let codes = run.spoken_codes.iter().map(|(start, code)| (*start, code.trim()));
        let codes = codes.filter(|(_, code)| !code.is_empty() && !code.contains(ends_name));
        let code = |(start, text)| Word { start, end: start + GAP.len_utf8(), text, target: None, code: true };
        words.extend(codes.map(code));
        words.sort_by_key(|word| word.start);
        let (claimed, links) = (vec![None; words.len()], run.spoken_links.as_slice());
        let mut reading = Self { text, words, claimed, links, claimed_links: Vec::new() };
        reading.phrases();
        reading
    }

    fn phrases(&mut self) {
        // The names of the last phrase, and whether it is about another item: `depends on #43 and is blocked by #44`.
        let mut previous = (Vec::new(), false);
        for found in PHRASE.captures_iter(self.text) {
            let Some(whole) = found.get(0).filter(|whole| !self.is_label(whole)) else { continue };
            let relation = if found.get(1).is_some() { Relation::DependsOn } else { Relation::BlockedBy };
            let linked = self.link_after(whole.end());
            let mut named = self.list(whole.end(), self.words.len(), false);
            if let Some(link) = linked.filter(|_| named.is_empty()) {
                named = self.list(self.links[link].range.end, self.words.len(), false);
            }
            let is_of_another = self.is_of_another(whole.start(), &named, &previous);
            let is_own = !is_of_another && !self.denies(whole.start(), self.end_of(&named, whole.end()));
            for index in &named {
                self.claimed[*index] = Some(is_own.then_some(relation));
            }
            previous = (named, is_of_another);
            self.claimed_links.extend(linked.filter(|_| is_own).map(|link| (link, relation)));
        }
    }

    /// Returns whether a phrase is the label of a line, which is read as one: `Blocked by: T1`.
    fn is_label(&self, phrase: &regex::Match<'_>) -> bool {
        if !self.text[phrase.end()..].trim_start_matches(' ').starts_with([':', '：', '(']) {
            return false;
        }
        let line = self.text[..phrase.start()].rfind('\n').map_or(0, |end| end + 1);
        LABEL.find(&self.text[line..]).is_some_and(|label| phrase.start() < line + label.end())
    }

    fn near(&self, at: usize) -> usize {
        self.text.ceil_char_boundary(at.saturating_sub(LONGEST_DENIAL))
    }

    pub(super) fn word_at(&self, at: usize) -> usize {
        self.words.partition_point(|word| word.start < at)
    }

    pub(super) fn end_of(&self, words: &[usize], default: usize) -> usize {
        words.last().map_or(default, |last| self.words[*last].end)
    }

    fn link_after(&self, at: usize) -> Option<usize> {
        let index = self.links.partition_point(|link| link.range.start < at);
        let between = self.text.get(at..self.links.get(index)?.range.start)?;
        let is_filler = |word: &str| means("filler", &word.to_lowercase());
        (between.len() <= 40 && !between.contains('\n') && between.split_whitespace().all(is_filler)).then_some(index)
    }

    /// Returns the entries of a list (`#1, #2 (done) and #3`) at a byte; code spans are some where a relation was `announced`.
    pub(super) fn list(&self, from: usize, until: usize, announced: bool) -> Vec<usize> {
        let mut entries = Vec::new();
        let mut end = from;
        let (mut fillers, mut remark, mut joined) = (0, 0, true);
        for (index, word) in self.words.iter().enumerate().take(until).skip(self.word_at(from)) {
            let Some(gap) = self.text.get(end..word.start) else { break };
            let ends = gap.contains(['.', '!', '?', '。', '！', '？', GAP]) || !announced && gap.contains([';', '；']);
            if ends || word.code && !announced || remark > LONGEST_REMARK {
                break;
            }
            end = word.end;
            let begins_remark = !entries.is_empty() && gap.contains('(');
            if (remark > 0 || begins_remark) && !gap.contains(')') {
                remark += 1;
                continue;
            }
            remark = 0;
            let outside = gap.rsplit(')').next().unwrap_or(gap);
            joined |= outside.contains([',', ';', '&', '+', '/', '、', '，', '；']);
            let lower = word.text.to_lowercase();
            let (joins, fills) = (means("join", &lower), means("filler", &lower) && !word.code);
            if joined && self.names(index, announced) && (word.target.is_some() || !joins && !fills) {
                entries.push(index);
                (fillers, joined) = (0, false);
            } else if joins {
                joined = true;
            } else if joined && fills && fillers < MAX_FILLERS {
                fillers += 1;
            } else {
                break;
            }
        }
        entries
    }

    /// Returns whether a word may name an item at a position where a list of items is expected.
    ///
    /// Words joined by hyphens only count if nothing follows that they could describe: `blocked by cache-layer.`, not
    /// `blocked by pre-existing faults`. So do words without a form of their own, which must be the exact id of an item.
    pub(super) fn names(&self, index: usize, announced: bool) -> bool {
        let word = &self.words[index];
        match word.target {
            Some((_, NameStrength::Weak)) => self.is_alone(index),
            Some(_) => true,
            None if word.code || word.text.len() > LONGEST_ID => word.code && announced,
            None if self.is_mixed(index) => true,
            None if is_short(word.text) => self.is_alone(index),
            None if is_dotted(word.text) => announced || self.is_alone(index),
            None if is_document_name(word.text) => announced || word.text.contains('/'),
            None => announced && self.is_alone(index),
        }
    }

    /// Returns whether nothing follows a word that it could describe.
    fn is_alone(&self, index: usize) -> bool {
        let rest = self.text[self.words[index].end..].trim_start_matches([' ', '\t']);
        let joins = self.words.get(index + 1).is_some_and(|next| means("join", next.text));
        joins || rest.starts_with(|c: char| !c.is_alphanumeric() && c != '#') || rest.is_empty()
    }

    /// Returns whether an announced entry is only this word, which has the number of an id: if none is so called, it is misspelled.
    pub(super) fn must_name(&self, index: usize) -> bool {
        let Word { text, target, .. } = self.words[index];
        let is_numbered = || text.contains('#') && text.contains(char::is_numeric) || is_dotted(text);
        let is_id = || has_digits_and_letters(text) || has_letter_prefix(text) || is_numbered();
        self.is_alone(index) && target.map_or_else(is_id, |(_, strength)| strength >= NameStrength::Id)
    }

    pub(super) fn begins_with_id(&self, index: usize) -> bool {
        index < self.words.len() && (self.is_at_least(index, NameStrength::Id) || self.is_mixed(index))
    }

    pub(super) fn is_at_least(&self, index: usize, strength: NameStrength) -> bool {
        self.words[index].target.is_some_and(|(_, own)| own >= strength)
    }

    /// Returns whether a word is one that may be an id although it has no form of one: letters and digits.
    pub(super) fn is_mixed(&self, index: usize) -> bool {
        let word = &self.words[index];
        word.target.is_none() && word.text.len() <= LONGEST_ID && has_digits_and_letters(word.text)
    }

    /// Returns whether the phrase at a byte, whose list of names ends at `end`, is denied, of the past or asked.
    pub(super) fn denies(&self, at: usize, end: usize) -> bool {
        DENIED.is_match(&self.text[self.near(at)..at]) || self.asks(at, end)
    }

    /// Returns whether the phrase at a byte, whose list of names ends at `end`, asks instead of stating: `Is it blocked by #8?`
    pub(super) fn asks(&self, at: usize, end: usize) -> bool {
        let rest = &self.text[end..self.text.floor_char_boundary(end.saturating_add(LONGEST_QUESTION))];
        let Some(asked) = QUESTION.captures(rest).and_then(|found| found.get(1)) else { return false };
        let sentence = self.text[..at].rsplit(['.', '!', '?', '\n', ':']).next().unwrap_or_default();
        let first = sentence.split_whitespace().next().unwrap_or_default().to_lowercase();
        !asked.as_str().contains(',') || means("question", &first)
    }

    /// Returns whether the words before the announced name at a byte deny it: `no longer #12`, `neither #1 nor #2`, `(was #12)`.
    pub(super) fn is_denied_name(&self, at: usize) -> bool {
        DENIED_NAME.is_match(&self.text[self.near(at)..at])
    }

    pub(super) fn says_none(&self, range: &Range<usize>) -> bool {
        let (Some(first), Some(last)) = (self.words.get(range.start), self.words[..range.end].last()) else {
            return false;
        };
        let entry = self.text.get(first.start..last.end).and_then(|entry| NONE.captures(entry));
        entry.is_some_and(|found| found.get(1).is_none_or(|next| !means("exception", &next.as_str().to_lowercase())))
    }

    /// Returns the words before a byte, nearest first, each with the text between it and what follows it, and in lower case.
    fn before(&self, at: usize) -> impl Iterator<Item = (usize, &'a str, String)> {
        let count = self.word_at(at);
        (0..count).rev().map_while(move |index| {
            let word = &self.words[index];
            let end = if index + 1 < count { self.words[index + 1].start } else { at };
            Some((index, self.text.get(word.end..end)?, word.text.to_lowercase()))
        })
    }

    /// Returns whether a phrase is about another item (`#5 depends on #6`, `#5 (low, depends on #6)`), as the one is that `and` joins it to.
    fn is_of_another(&self, at: usize, named: &[usize], previous: &(Vec<usize>, bool)) -> bool {
        // `T2 depends on T1` is about T2, but `OAuth2 depends on #1` is not.
        let is_plain = named.iter().all(|index| self.words[*index].target.is_none());
        let is_item = |index: usize| {
            self.is_at_least(index, NameStrength::Id) || is_plain && !self.words[index].code && self.is_mixed(index)
        };
        let remarked = self.remark(at).and_then(|open| self.before(open).next());
        if remarked.is_some_and(|(index, gap, _)| is_item(index) && gap.trim().is_empty()) {
            return true;
        }
        let (mut next, mut is_joined) = (String::new(), false);
        for (index, gap, word) in self.before(at).take(MAX_WORDS_BEFORE) {
            // `#8, which depends on #9`
            let may_pause = matches!(next.as_str(), "which" | "that");
            if !gap.chars().all(|c| matches!(c, ' ' | '\t' | '→') || c == ',' && may_pause) {
                return false;
            }
            if is_joined && previous.0.contains(&index) {
                return previous.1;
            }
            if is_item(index) || !means("predicate", &word) {
                return is_item(index);
            }
            is_joined |= word == "and";
            next = word;
        }
        false
    }

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

fn has_digits_and_letters(word: &str) -> bool {
    word.contains(char::is_numeric) && word.contains(char::is_alphabetic)
}

fn is_dotted(word: &str) -> bool {
    word.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
}

fn is_short(word: &str) -> bool {
    word.bytes().all(|byte| byte.is_ascii_digit()) || word.bytes().all(|byte| byte.is_ascii_uppercase())
}
