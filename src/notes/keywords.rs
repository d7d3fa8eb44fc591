//! Keywords: words of a document by how often and where they stand, by a formula in whole numbers.

use super::words::is_cjk;
use crate::redact::Clean;
use foldhash::{HashMap, HashSet};
use std::borrow::Cow;
use std::cmp::Reverse;
use std::ops::Range;
use std::sync::LazyLock;

/// Words of seven languages that say nothing about a document.
static STOP_WORDS: LazyLock<HashSet<&str>> =
    LazyLock::new(|| include_str!("stop_words.txt").split_ascii_whitespace().collect());

/// Returns whether a word in lower case says nothing about a text in one of the seven languages.
pub fn is_stop_word(word: &str) -> bool {
    STOP_WORDS.contains(word)
}

/// Chinese and Japanese characters that join words rather than make them.
const CJK_STOP: &str =
    "的了是在和与或不有我你他她它们这那就也都而及等被把对于从到为以其将可能要会个一上下中人时请并则所该让使用";

const MOST_TERMS: usize = 20_000;
const SHORTEST: usize = 3;
const LONGEST: usize = 40;
const IN_HEADING: u32 = 6;

#[derive(Debug)]
struct CountedTerm {
    count: u32,
    weight: u32,
    source: Range<usize>,
    /// Whether it is a pair of characters cut out of a longer run each time.
    is_pair: bool,
}

/// The words of a document so far, by the word without the `s` of a plural; `None` for those that say nothing.
#[derive(Debug, Default)]
pub(super) struct KeywordCounts {
    terms: HashMap<String, Option<CountedTerm>>,
}

impl KeywordCounts {
    /// Counts the words of a text that begins at `at` in the document.
    pub(super) fn read(&mut self, text: &str, at: usize, is_heading: bool) {
        let weight = if is_heading { IN_HEADING } else { 1 };
        let ends = |c: char| matches!(c, ' ' | '\t' | '\n' | '(' | ')' | '[' | ']' | '"' | ',' | ';' | '`');
        for piece in text.split(ends) {
            let bare = piece.trim_matches(|c: char| c.is_ascii_punctuation());
            let start = at + (bare.as_ptr() as usize - text.as_ptr() as usize);
            if bare.bytes().all(|b| b.is_ascii_alphanumeric()) {
                if bare.len() >= SHORTEST {
                    self.count(bare, start..start + bare.len(), weight, false);
                }
            // Addresses and paths are left out whole.
            } else if !piece.contains('@') && piece.matches('/').count() <= 1 {
                for (range, is_pair) in words(bare) {
                    self.count(&bare[range.clone()], start + range.start..start + range.end, weight, is_pair);
                }
            }
        }
    }

    fn count(&mut self, word: &str, source: Range<usize>, weight: u32, is_pair: bool) {
        let word = &*lower(word);
        let stem = word.strip_suffix('s').filter(|stem| stem.len() > 3 && !stem.ends_with(['i', 's', 'u']));
        let stem = stem.unwrap_or(word);
        if let Some(term) = self.terms.get_mut(stem) {
            let Some(term) = term else { return };
            term.count += 1;
            term.weight = term.weight.max(weight);
            term.is_pair &= is_pair;
        } else if self.terms.len() < MOST_TERMS {
            let term = (is_term(stem) && (stem.len() == word.len() || is_term(word))).then_some(CountedTerm {
                count: 1,
                weight,
                source,
                is_pair,
            });
            self.terms.insert(stem.to_owned(), term);
        }
    }

    /// Returns the best keywords: worth `count + count × (weight - 1) / 2 + 2 × weight`, by their largest weight.
    pub(super) fn finish(self, document: &Clean, most: usize) -> Vec<Clean> {
        let worth = |term: &CountedTerm| term.count + term.count * (term.weight - 1) / 2 + 2 * term.weight;
        // A pair of characters that occurs once is more often no word than one.
        let terms = self.terms.into_values().flatten().filter(|term| term.count > 1 || !term.is_pair);
        let mut ranked: Vec<_> =
            terms.map(|term| (Reverse(worth(&term)), term.source.start, term.source.end)).collect();
        ranked.sort_unstable();
        let mut chosen: Vec<Clean> = Vec::new();
        for (_, start, end) in ranked {
            if chosen.len() == most {
                break;
            }
            let source = document.slice(start..end);
            let word = lower(&source);
            // Of overlapping Chinese and Japanese words the first stays.
            let overlaps = || chosen.iter().any(|it| it.contains(&*word) || word.contains(it.as_str()));
            if !(word.contains(is_cjk) && overlaps()) {
                chosen.extend(source.read_out(&word));
            }
        }
        chosen
    }
}

/// Returns the words of a piece without spaces, and whether each is a pair cut out of a run of Chinese or Japanese.
fn words(piece: &str) -> Vec<(Range<usize>, bool)> {
    let is_joint = |c: char| matches!(c, '-' | '_' | '\'' | '’' | '.');
    // 0: between words.
    let script = |c: char| match c {
        '\u{3040}'..='\u{309f}' | '・' => 0,
        '\u{30a0}'..='\u{30ff}' => 2,
        c if is_cjk(c) => {
            if CJK_STOP.contains(c) {
                0
            } else {
                3
            }
        }
        c if c.is_alphanumeric() || is_joint(c) => 1,
        _ => 0,
    };
    let mut found = Vec::new();
    let mut run = (0, 0);
    for (at, c) in piece.char_indices().chain([(piece.len(), ' ')]) {
        let kind = script(c);
        if kind == run.1 {
            continue;
        }
        let text = &piece[run.0..at];
        match run.1 {
            0 => {}
            3 if text.chars().count() > 4 => {
                let offsets: Vec<usize> = text.char_indices().map(|(offset, _)| run.0 + offset).chain([at]).collect();
                found.extend(offsets.windows(3).map(|pair| (pair[0]..pair[2], true)));
            }
            _ => {
                let start = at - text.trim_start_matches(is_joint).len();
                let end = run.0 + text.trim_end_matches(is_joint).len();
                found.extend((start < end).then_some((start..end, false)));
            }
        }
        run = (at, kind);
    }
    found
}

/// Returns a word in lower case, with a plain apostrophe.
fn lower(word: &str) -> Cow<'_, str> {
    match word.bytes().all(|b| b.is_ascii() && !b.is_ascii_uppercase()) {
        true => Cow::Borrowed(word),
        false => Cow::Owned(word.to_lowercase().replace('’', "'")),
    }
}

fn is_term(word: &str) -> bool {
    let count = word.chars().take(LONGEST + 1).count();
    if !word.is_ascii() && word.contains(is_cjk) {
        return (2..=LONGEST).contains(&count);
    }
    (SHORTEST..=LONGEST).contains(&count) && !word.starts_with(|c: char| c.is_ascii_digit()) && !is_stop_word(word)
}
