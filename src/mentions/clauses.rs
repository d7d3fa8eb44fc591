//! Sentences that state relations, and the lists of names in them.

use crate::markdown::{GAP, LinkSpan, Run};
use crate::mentions::relations::LABEL;
use crate::mentions::vocabulary::{means, pattern};
use crate::mentions::words::{NameStrength, Word, words};
use crate::model::{Relation, ends_name, has_letter_prefix, is_document_name};
use regex::Regex;
use std::ops::Range;
use std::sync::LazyLock;

/// The phrases that state a relation anywhere in a sentence.
static PHRASE: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?i)\b(?:(depends?[\s-]+(?:up)?on)|(blocked[\s-]+(?:by|on)))\b"));

/// The most fillers in a row.
const MAX_FILLERS: usize = 4;
/// How many words before a phrase say whether it is denied or of another item.
const MAX_WORDS_BEFORE: usize = 4;
/// How much of a sentence is searched for its question mark, in bytes.
const LONGEST_QUESTION: usize = 400;
/// The longest id of which a text names the exact word, in bytes.
const LONGEST_ID: usize = 100;
/// The most words of a remark in parentheses after an entry.
const LONGEST_REMARK: usize = 16;

/// The words of a run, and the relations that phrases state of them.
pub(super) struct ClauseReader<'a> {
    pub(super) text: &'a str,
    pub(super) words: Vec<Word<'a>>,
    /// For each word, whether a phrase names it, and its relation; the inner `None` if the phrase is negated or about
    /// another item.
    pub(super) claimed: Vec<Option<Option<Relation>>>,
    /// Links to files, in order.
    pub(super) links: &'a [LinkSpan],
    /// The links that a phrase names, and its relation.
    pub(super) claimed_links: Vec<(usize, Relation)>,
}

/// A phrase with its names, which another may follow: `depends on #43 and is blocked by #44`.
#[derive(Default)]
struct StatedPhrase {
    named: Vec<usize>,
    of_another: bool,
}

/// What a word is made of that has no form of an id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WordShape {
    /// Letters and digits: `T001`, `日本-1`.
    Mixed,
    /// Numbers with full stops between: `1.2`.
    Dotted,
    /// A number, or capital letters: `12`, `ABC`.
    Short,
    /// Anything else.
    Other,
}

impl WordShape {
    fn of(word: &str) -> Self {
        let digit = word.chars().any(char::is_numeric);
        if digit && word.chars().any(char::is_alphabetic) {
            Self::Mixed
        } else if digit && word.contains('.') && word.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') {
            Self::Dotted
        } else if word.bytes().all(|byte| byte.is_ascii_digit()) || word.bytes().all(|byte| byte.is_ascii_uppercase()) {
            Self::Short
        } else {
            Self::Other
        }
    }
}

/// Returns whether a word names an item at least this surely.
pub(super) fn is_at_least(word: &Word<'_>, strength: NameStrength) -> bool {
    word.target.is_some_and(|(_, own)| own >= strength)
}

impl<'a> ClauseReader<'a> {
    /// Reads the text of a run.
    pub(super) fn of(run: &'a Run) -> Self {
        let text = run.spoken.text.as_str();
        let mut words = words(text);
        let codes =
            run.spoken_codes.iter().filter(|(_, code)| !code.trim().is_empty() && !code.trim().contains(ends_name));
        words.extend(codes.map(|(start, code)| Word {
            start: *start,
            end: start + GAP.len_utf8(),
            text: code.trim(),
            target: None,
            code: true,
        }));
        if !run.spoken_codes.is_empty() {
            words.sort_by_key(|word| word.start);
        }
        let (claimed, links) = (vec![None; words.len()], run.spoken_links.as_slice());
        let mut reading = Self { text, words, claimed, links, claimed_links: Vec::new() };
        reading.phrases();
        reading
    }

    /// Finds the targets of `depends on` and `blocked by`.
    fn phrases(&mut self) {
        let mut previous = StatedPhrase::default();
        for found in PHRASE.captures_iter(self.text) {
            let Some(whole) = found.get(0).filter(|whole| !self.is_label(whole)) else { continue };
            let relation = if found.get(1).is_some() { Relation::DependsOn } else { Relation::BlockedBy };
            let linked = self.link_after(whole.end());
            let from = linked.map_or(whole.end(), |link| self.links[link].range.end);
            let mut named = self.list(whole.end(), self.words.len(), false);
            if named.is_empty() && from > whole.end() {
                named = self.list(from, self.words.len(), false);
            }
            let end = named.last().map_or(whole.end(), |last| self.words[*last].end);
            // `T2 depends on T1` is about T2, but `OAuth2 depends on #1` is not.
            let plain = named.iter().all(|index| self.words[*index].target.is_none());
            let of_another = self.of_another(whole.start(), plain, &previous);
            let own = !self.denied(whole.start()) && !of_another && !self.asks(whole.start(), end);
            for index in &named {
                self.claimed[*index] = Some(own.then_some(relation));
            }
            previous = StatedPhrase { named, of_another };
            self.claimed_links.extend(linked.filter(|_| own).map(|link| (link, relation)));
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

    /// Returns the index of the first word at or after a byte.
    pub(super) fn word_at(&self, at: usize) -> usize {
        self.words.partition_point(|word| word.start < at)
    }

    /// Returns the link that begins at a byte or behind fillers after it.
    fn link_after(&self, at: usize) -> Option<usize> {
        let index = self.links.partition_point(|link| link.range.start < at);
        let between = self.text.get(at..self.links.get(index)?.range.start)?;
        let filler = |word: &str| means("filler", &word.to_lowercase());
        (between.len() <= 40 && !between.contains('\n') && between.split_whitespace().all(filler)).then_some(index)
    }

    /// Returns the entries of a list such as `#1, #2 (done) and #3` that begins at a byte and ends before the word
    /// `until`. If the relation was `announced` by a label or heading, code spans are entries too.
    pub(super) fn list(&self, from: usize, until: usize, announced: bool) -> Vec<usize> {
        let mut entries = Vec::new();
        let mut end = from;
        let (mut fillers, mut remark, mut joined) = (0, 0, true);
        for (index, word) in self.words.iter().enumerate().take(until).skip(self.word_at(from)) {
            let Some(gap) = self.text.get(end..word.start) else {
                break;
            };
            let ends = gap.contains(['.', '!', '?', '。', '！', '？', GAP]) || !announced && gap.contains([';', '；']);
            if ends || word.code && !announced {
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
            joined |= outside.contains([',', ';', '&', '+', '/', '、', '，', '；']);
            let lower = word.text.to_lowercase();
            let joins = means("join", &lower);
            let fills = means("filler", &lower) && !word.code;
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
            None => match WordShape::of(word.text) {
                WordShape::Mixed => true,
                WordShape::Dotted => announced || self.is_alone(index),
                WordShape::Short => self.is_alone(index),
                WordShape::Other if is_document_name(word.text) => announced || word.text.contains('/'),
                WordShape::Other => announced && self.is_alone(index),
            },
        }
    }

    /// Returns whether a word is the whole entry of a list: nothing follows that it could describe.
    fn is_alone(&self, index: usize) -> bool {
        let rest = self.text[self.words[index].end..].trim_start_matches([' ', '\t']);
        let joins = self.words.get(index + 1).is_some_and(|next| means("join", next.text));
        joins || rest.starts_with(|c: char| !c.is_alphanumeric() && c != '#') || rest.is_empty()
    }

    /// Returns whether an announced entry is nothing but this word, and the word has the number of an id: if there is no such
    /// item, the id is misspelled.
    pub(super) fn must_name(&self, index: usize) -> bool {
        let word = &self.words[index];
        self.is_alone(index)
            && match word.target {
                Some((_, strength)) => strength >= NameStrength::Id,
                None => {
                    let shape = WordShape::of(word.text);
                    shape == WordShape::Mixed
                        || has_letter_prefix(word.text)
                        || word.text.contains('#') && word.text.contains(|c: char| c.is_numeric())
                        || word.text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
                }
            }
    }

    /// Returns whether the word at an index, if there is one, looks like an id.
    pub(super) fn begins_with_id(&self, index: usize) -> bool {
        self.words.get(index).is_some_and(|word| is_at_least(word, NameStrength::Id) || self.is_mixed(index))
    }

    /// Returns whether a word is one that may be an id although it has no form of one, wherever it stands in an announced entry.
    pub(super) fn is_mixed(&self, index: usize) -> bool {
        let word = &self.words[index];
        word.target.is_none() && word.text.len() <= LONGEST_ID && WordShape::of(word.text) == WordShape::Mixed
    }

    /// Returns whether the phrase at a byte, whose list of names ends at `end`, asks instead of stating: `Is it blocked by #8?`
    pub(super) fn asks(&self, at: usize, end: usize) -> bool {
        let rest = &self.text[end..self.text.floor_char_boundary(end.saturating_add(LONGEST_QUESTION))];
        let mut depth = 0_i32;
        let mut chars = rest.chars().peekable();
        let mut comma = false;
        while let Some(c) = chars.next() {
            match c {
                '(' | '（' => depth += 1,
                ')' | '）' => depth -= 1,
                _ if depth > 0 => {}
                '?' | '？' => return !comma || self.begins_question(at),
                '.' if chars.peek().is_some_and(|next| !next.is_whitespace()) => {}
                '.' | '!' | ';' | ':' | '—' | '–' | '。' | '！' | '\n' => return false,
                ',' => comma = true,
                _ => {}
            }
        }
        false
    }

    /// Returns whether the sentence of a phrase begins as a question does.
    fn begins_question(&self, at: usize) -> bool {
        let sentence = self.text[..at].rsplit(['.', '!', '?', '\n', ':']).next().unwrap_or_default();
        let first = sentence.split_whitespace().next().unwrap_or_default().to_lowercase();
        means("question", &first)
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

    /// Returns whether the phrase at a byte is negated or of the past: not, never, no longer, n't, previously shortly before it.
    fn denied(&self, at: usize) -> bool {
        let mut next = String::new();
        for (index, gap, word) in self.before(at).take(MAX_WORDS_BEFORE) {
            // `Previously, it was blocked by #1.`
            let past = means("past", &word);
            if gap.contains(['.', ',', ';', '!', '?', ':', '(']) && !(past && gap.trim() == ",") {
                return false;
            }
            // An apostrophe divides words, so that `isn't` ends in a word `t`.
            let negated = match word.as_str() {
                "was" | "were" => next.is_empty() || next.ends_with("ly"),
                "no" => matches!(next.as_str(), "longer" | "more"),
                "had" => next == "been",
                "used" => next == "to",
                "t" => self.text[..self.words[index].start].ends_with(['\'', '’']),
                word => past || means("denial", word),
            };
            if negated {
                return true;
            }
            next = word;
        }
        false
    }

    /// Returns whether the announced name at a byte is negated or of the past by the words directly before it: `no longer #12`,
    /// `neither #1 nor #2`, `(was #12)`.
    pub(super) fn is_denied_name(&self, at: usize) -> bool {
        let mut next = String::new();
        for (index, gap, word) in self.before(at).take(LONGEST_REMARK) {
            let is_was = matches!(word.as_str(), "was" | "were");
            let is_past = is_was || means("past", &word);
            let is_name = self.words[index].target.is_some() || self.is_mixed(index);
            let is_joint = match gap.trim() {
                "" => !(is_name && gap.contains('\n')),
                ":" => is_past,
                joint => is_name && joint.chars().all(|c| matches!(c, ',' | '/' | '&' | '+')),
            };
            if !is_joint {
                return false;
            }
            let head = self.text[..self.words[index].start].trim_end_matches([' ', '\t', '_', '*']);
            let begins = head.is_empty() || head.ends_with(|c: char| !c.is_alphanumeric());
            if means("denial of a name", &word) || is_past && (begins || !is_was) || word == "used" && next == "to" {
                return true;
            }
            if !is_name && !["filler", "join", "denial goes on"].iter().any(|meaning| means(meaning, &word)) {
                return false;
            }
            next = word;
        }
        false
    }

    /// Returns whether an announced entry begins by saying that there is none: `None (was #12)`, `n/a, #12 is done`.
    pub(super) fn says_none(&self, range: &Range<usize>) -> bool {
        let word = |at: usize| self.words.get(range.start + at).filter(|_| range.start + at < range.end);
        let lower = |at: usize| word(at).map(|word| word.text.to_lowercase()).unwrap_or_default();
        let mut length = match (lower(0), lower(1)) {
            (first, second) if means("nothing", &format!("{first} {second}")) => 2,
            (first, _) if means("nothing", &first) => 1,
            _ => return false,
        };
        length += usize::from(means("nothing now", &lower(length)));
        let Some((last, next)) = word(length - 1).zip(word(length)) else { return true };
        let ends = self.text.get(last.end..next.start).is_some_and(|gap| !gap.trim().is_empty());
        ends && !means("exception", &lower(length))
    }

    /// Returns whether the phrase at a byte has another item as its subject: `#5 depends on #6`,
    /// or is in a remark on one: `#5 (low, depends on #6)`.
    ///
    /// If `plain`, a word of letters and digits is an item too. A phrase joined to the names of the `previous` one by `and` has
    /// the subject of that.
    fn of_another(&self, at: usize, plain: bool, previous: &StatedPhrase) -> bool {
        let is_item = |index: usize| {
            is_at_least(&self.words[index], NameStrength::Id)
                || plain && !self.words[index].code && self.is_mixed(index)
        };
        if let Some(open) = self.remark(at)
            && let Some((index, gap, _)) = self.before(open).next()
            && is_item(index)
            && gap.trim().is_empty()
        {
            return true;
        }
        let (mut next, mut is_joined) = (String::new(), false);
        for (index, gap, word) in self.before(at).take(MAX_WORDS_BEFORE) {
            // `#8, which depends on #9`
            let may_pause = matches!(next.as_str(), "which" | "that");
            if !gap.chars().all(|c| matches!(c, ' ' | '\t' | '→') || c == ',' && may_pause) {
                return false;
            }
            if is_joined && previous.named.contains(&index) {
                return previous.of_another;
            }
            if is_item(index) {
                return true;
            }
            if !means("predicate", &word) {
                return false;
            }
            is_joined |= word == "and";
            next = word;
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
