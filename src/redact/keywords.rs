//! A search for many keywords in one pass.
//!
//! Used in place of `aho-corasick`, whose default automaton takes 4.3 to 6 times as long for the same 1,171
//! keywords (10.9 MB of Markdown from public repositories, 24–28 ms against 120–142 ms on one core), so that
//! scrubbing as a whole would take more than twice as long. Its DFA is nearly as fast as this, but costs
//! 14 ms at start-up and 5.9 MB.
//!
//! Each step of an automaton waits for the one before. Here a filter that stays in the processor's nearest
//! cache rules out most places of a block at once, and only where a keyword may occur are words looked up
//! by the hash of a few bytes.

use super::text::{FLAGS, flags};
use std::borrow::Cow;

/// The number of bytes that are filtered together: so many that those stored first, byte by byte, can be read many at a
/// time once the last ones are stored.
const BLOCK: usize = 128;
/// How many bytes beyond a block its last places need.
const BEYOND: usize = 4;
/// The bits of the hash of a window in [`Table`].
const HASH_BITS: u32 = 14;

/// Keywords, each with a target of type `T`.
pub(super) struct KeywordIndex<T> {
    filter: WindowFilter,
    /// Words that are looked up by four of their bytes.
    long: Table<T>,
    /// Shorter words, looked up by three bytes.
    short: Table<T>,
}

/// The trigrams with which windows begin, and those that follow one byte later. Windows are the bytes by which words are
/// looked up.
///
/// Of each byte the five lower bits count, in which letters differ. Windows are divided into eight sets: one may begin at
/// a place only if both trigrams there belong to the same set. For each trigram the lower bits are the sets that it
/// begins, the upper ones those that it continues.
struct WindowFilter(Box<[u16; 1 << 15]>);

struct Table<T> {
    /// The index in `windows` and `words` at which those of each hash begin; there are only some thousands.
    first: Vec<u16>,
    /// The bytes by which a word is looked up, folded.
    windows: Vec<u32>,
    /// The offset of these bytes in the word, the word and its target.
    words: Vec<(usize, Cow<'static, str>, T)>,
}

impl<T: Copy> KeywordIndex<T> {
    /// Collects words of at least two bytes; their ASCII letters have to be in lower case.
    pub(super) fn new(words: &[(Cow<'static, str>, T)]) -> Self {
        let (mut long, mut short, mut windows) = (Vec::new(), Vec::new(), Vec::new());
        for (word, target) in words {
            let bytes = word.as_bytes();
            // Most words begin with what is rare elsewhere.
            let (at, window) = (0, &bytes[..bytes.len().min(4)]);
            let entry = |window: &[u8]| (fold(window), at, word.clone(), *target);
            match *window {
                [] | [_] => continue,
                // A word of two bytes matches with any third byte.
                [a, b] => {
                    let third = (0..=u8::MAX).filter(|byte| byte & 0x20 != 0);
                    short.extend(third.map(|third| entry(&[a, b, third])));
                }
                [_, _, _] => short.push(entry(window)),
                _ => long.push(entry(window)),
            }
            windows.push(window);
        }
        Self { filter: WindowFilter::new(windows), long: Table::new(long), short: Table::new(short) }
    }

    /// Passes every keyword in `text`, whatever its case, to `found`: start, end, target.
    pub(super) fn find_each(&self, text: &[u8], mut found: impl FnMut(usize, usize, T)) {
        for start in (0..text.len()).step_by(BLOCK) {
            let rest = &text[start..];
            let mut last = [0; BLOCK + BEYOND];
            let block = rest.first_chunk().unwrap_or_else(|| {
                last[..rest.len()].copy_from_slice(rest);
                &last
            });
            self.filter.candidates(block, |at| {
                let window = fold(&block[at..at + 4]);
                self.long.words_at(text, start + at, window, &mut found);
                self.short.words_at(text, start + at, window >> 8, &mut found);
            });
        }
    }
}

impl WindowFilter {
    /// Takes two to four bytes of each word.
    fn new(mut windows: Vec<&[u8]>) -> Self {
        windows.sort_unstable();
        windows.dedup();
        let mut sets = Box::new([0_u16; 1 << 15]);
        for (index, window) in windows.iter().enumerate() {
            let set = 1 << (index * 8 / windows.len());
            // What follows a shorter window can be any byte.
            let bytes_at = |place: usize| window.get(place).map_or(0..32, |byte| *byte..byte.saturating_add(1));
            for third in bytes_at(2) {
                sets[usize::from(trigram(window[0], window[1], third))] |= set;
                for fourth in bytes_at(3) {
                    sets[usize::from(trigram(window[1], third, fourth))] |= set << 8;
                }
            }
        }
        Self(sets)
    }

    /// Passes the places of a block at which a window may begin to `found`.
    ///
    /// Each step does one thing to the whole block: a branch for each byte would cost more than the rest.
    fn candidates(&self, block: &[u8; BLOCK + BEYOND], mut found: impl FnMut(usize)) {
        let (mut even, mut odd) = ([0; BLOCK / 2 + 1], [0; BLOCK / 2]);
        trigrams(block, &mut even);
        trigrams(&block[1..], &mut odd);
        let mut sets = [0; BLOCK + 1];
        let set = |trigram: u16| self.0[usize::from(trigram & 0x7fff)];
        for ((sets, even), odd) in sets.as_chunks_mut().0.iter_mut().zip(&even).zip(&odd) {
            *sets = [set(*even), set(*odd)];
        }
        sets[BLOCK] = set(even[BLOCK / 2]);
        let mut hits = [0; BLOCK];
        for (at, hit) in hits.iter_mut().enumerate() {
            *hit = u8::from(sets[at] & (sets[at + 1] >> 8) != 0);
        }
        for (index, hits) in hits.as_chunks().0.iter().enumerate() {
            let mut left = flags(hits);
            while left != 0 {
                found(index * FLAGS + left.trailing_zeros() as usize);
                left &= left - 1;
            }
        }
    }
}

/// Writes the indices in [`WindowFilter`] of the trigrams that begin at each second byte.
fn trigrams(bytes: &[u8], indices: &mut [u16]) {
    let (pairs, _) = bytes.as_chunks();
    let (next, _) = bytes[2..].as_chunks();
    for ((index, pair), next) in indices.iter_mut().zip(pairs).zip(next) {
        let (pair, next) = (u16::from_le_bytes(*pair), u16::from_le_bytes(*next));
        // As `trigram`, in steps that are done to many numbers at once.
        *index = (pair & 0x1f) << 10 | pair >> 3 & 0x3e0 | next & 0x1f;
    }
}

/// Returns the index in [`WindowFilter`] of three bytes.
fn trigram(first: u8, second: u8, third: u8) -> u16 {
    [first, second, third].iter().fold(0, |index, byte| index << 5 | u16::from(byte & 0x1f))
}

impl<T: Copy> Table<T> {
    fn new(mut words: Vec<(u32, usize, Cow<'static, str>, T)>) -> Self {
        words.sort_by_key(|(window, ..)| hash(*window));
        let mut first = vec![0; (1 << HASH_BITS) + 1];
        words.iter().for_each(|(window, ..)| first[hash(*window) + 1] += 1);
        for index in 1..first.len() {
            first[index] += first[index - 1];
        }
        let windows = words.iter().map(|(window, ..)| *window).collect();
        let words = words.into_iter().map(|(_, at, word, target)| (at, word, target)).collect();
        Self { first, windows, words }
    }

    /// Passes the words whose `window` is at `place` to `found`.
    fn words_at(&self, text: &[u8], place: usize, window: u32, found: &mut impl FnMut(usize, usize, T)) {
        let hash = hash(window);
        for index in usize::from(self.first[hash])..usize::from(self.first[hash + 1]) {
            if self.windows[index] != window {
                continue;
            }
            let (at, word, target) = &self.words[index];
            let Some(start) = place.checked_sub(*at) else { continue };
            let end = start + word.len();
            if text.get(start..end).is_some_and(|here| here.eq_ignore_ascii_case(word.as_bytes())) {
                found(start, end, *target);
            }
        }
    }
}

/// Packs bytes into one number; letters of both cases are the same.
fn fold(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0, |number, byte| (number << 8) | u32::from(byte | 0x20))
}

fn hash(window: u32) -> usize {
    (window.wrapping_mul(0x9e37_79b1) >> (32 - HASH_BITS)) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_is_found_at_every_place_whatever_its_case() {
        let words = ["pw", "password", "pass", "密码", "_sk=", "://", "q~"];
        let keywords = KeywordIndex::new(&words.map(|word| (word.into(), word)));
        let text = "PassWord pw 密码 x_SK=://Q~ compass PW";
        let mut found = Vec::new();
        keywords.find_each(text.as_bytes(), |start, end, word| found.push((start, &text[start..end], word)));
        let lower = text.to_ascii_lowercase();
        let mut expected: Vec<(usize, &str, &str)> = Vec::new();
        for word in words {
            expected.extend(lower.match_indices(word).map(|(at, _)| (at, &text[at..at + word.len()], word)));
        }
        found.sort_unstable();
        expected.sort_unstable();
        assert_eq!(found, expected);
    }

    #[test]
    fn short_texts_hold_short_words() {
        let keywords = KeywordIndex::new(&[("pw".into(), ()), ("key".into(), ())]);
        for (text, count) in [("", 0), ("p", 0), ("pw", 1), ("pwpw", 2), ("key", 1), ("ke", 0)] {
            let mut found = 0;
            keywords.find_each(text.as_bytes(), |_, _, ()| found += 1);
            assert_eq!(found, count, "{text}");
        }
    }
}
