//! Keywords: words of a document by how often and where they stand, by a formula in whole numbers.

use super::words::is_cjk;
use crate::redact::Clean;
use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
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

/// How many different words are counted; words that appear first after these are not.
const MOST_TERMS: usize = 100_000;
/// How often a word counts at most.
const MOST_OFTEN: u32 = 30;
/// The longest keyword, in characters.
const LONGEST: usize = 40;
/// What a word of a heading counts more than another.
const IN_HEADING: u32 = 6;

#[derive(Debug)]
struct Term {
    count: u32,
    weight: u32,
    /// Where it first stands in the document.
    source: Range<usize>,
    /// Whether it is a pair of characters cut out of a longer run each time.
    is_pair: bool,
}

/// The words of a document so far.
#[derive(Debug, Default)]
pub(super) struct Keywords {
    terms: HashMap<String, Term>,
}

impl Keywords {
    /// Counts the words of a text that begins at `at` in the document.
    pub(super) fn read(&mut self, text: &str, at: usize, is_heading: bool) {
        // Addresses and paths are left out whole.
        for piece in
            text.split(|c: char| c.is_whitespace() || matches!(c, '(' | ')' | '[' | ']' | '"' | ',' | ';' | '`'))
        {
            if piece.contains('@') || piece.matches('/').count() > 1 {
                continue;
            }
            let start = at + (piece.as_ptr() as usize - text.as_ptr() as usize);
            for (range, is_pair) in words(piece) {
                let range = start + range.start..start + range.end;
                let word = piece[range.start - start..range.end - start].to_lowercase().replace('’', "'");
                if is_term(&word) {
                    self.count(word, range, if is_heading { IN_HEADING } else { 1 }, is_pair);
                }
            }
        }
    }

    fn count(&mut self, word: String, source: Range<usize>, weight: u32, is_pair: bool) {
        if let Some(term) = self.terms.get_mut(&word) {
            term.count = (term.count + 1).min(MOST_OFTEN);
            term.weight = term.weight.max(weight);
            term.is_pair &= is_pair;
        } else if self.terms.len() < MOST_TERMS {
            self.terms.insert(word, Term { count: 1, weight, source, is_pair });
        }
    }

    /// Returns at most `most` keywords, the best first.
    ///
    /// A word is worth `count + count × (weight - 1) / 2 + 2 × weight`, where `count` is at most 30 and `weight` the
    /// largest of its places; equal ones keep the order of the document. A word in the plural counts with its singular.
    pub(super) fn finish(mut self, document: &Clean, most: usize) -> Vec<Clean> {
        let singular = |word: &String| {
            let stem = word.strip_suffix('s').filter(|stem| stem.len() > 3 && !stem.ends_with('s'))?;
            let by_ies = stem.strip_suffix("ie").map(|stem| format!("{stem}y"));
            [Some(stem.to_owned()), by_ies].into_iter().flatten().find(|it| self.terms.contains_key(it))
        };
        // No plural is the singular of another word, so their order does not matter.
        let plurals: Vec<(String, String)> =
            self.terms.keys().filter_map(|word| Some((word.clone(), singular(word)?))).collect();
        for (plural, single) in plurals {
            let Some(term) = self.terms.remove(&plural) else { continue };
            if let Some(single) = self.terms.get_mut(&single) {
                single.count = (single.count + term.count).min(MOST_OFTEN);
                single.weight = single.weight.max(term.weight);
                if term.source.start < single.source.start {
                    single.source = term.source;
                }
            }
        }
        let worth = |term: &Term| term.count + term.count * (term.weight - 1) / 2 + 2 * term.weight;
        // A pair of characters that occurs once is more often no word than one.
        let terms = self.terms.into_iter().filter(|(_, term)| term.count > 1 || !term.is_pair);
        let mut ranked: Vec<_> =
            terms.map(|(word, term)| (Reverse(worth(&term)), term.source.start, term.source.end, word)).collect();
        ranked.sort_unstable();
        let mut chosen: Vec<(Clean, String)> = Vec::new();
        for (_, start, end, word) in ranked {
            if chosen.len() == most {
                break;
            }
            // Of overlapping Chinese and Japanese words the first stays.
            let overlaps = || chosen.iter().any(|(_, it)| it.contains(&word) || word.contains(it.as_str()));
            if !(word.contains(is_cjk) && overlaps()) {
                chosen.extend(document.slice(start..end).read_out(&word).map(|keyword| (keyword, word)));
            }
        }
        chosen.into_iter().map(|(keyword, _)| keyword).collect()
    }
}

/// Returns the words of a piece of text without spaces: letters, digits and what joins them; of Chinese and Japanese, runs of one
/// script, cut into pairs where long, and whether each is such a pair.
fn words(piece: &str) -> Vec<(Range<usize>, bool)> {
    let is_joint = |c: char| matches!(c, '-' | '_' | '\'' | '’' | '.');
    // 0: between words.
    let script = |c: char| match c {
        '\u{3040}'..='\u{309f}' | '・' => 0,
        '\u{30a0}'..='\u{30ff}' => 2,
        c if CJK_STOP.contains(c) => 0,
        c if is_cjk(c) => 3,
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

fn is_term(word: &str) -> bool {
    let count = word.chars().take(LONGEST + 1).count();
    match word.contains(is_cjk) {
        true => (2..=LONGEST).contains(&count),
        false => {
            (3..=LONGEST).contains(&count) && !word.starts_with(|c: char| c.is_ascii_digit()) && !is_stop_word(word)
        }
    }
}
