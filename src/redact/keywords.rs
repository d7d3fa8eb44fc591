//! Finds many keywords in one pass.
//!
//! An automaton over so many words is megabytes large, and each byte waits for the step before it.
//! Here a filter that stays in the processor's nearest cache rules out most places of a block at
//! once, and only where some keyword may stand are words looked up by the hash of a few bytes.

use super::rarest_window::WindowFrequency;

/// How many bytes are looked at together.
const BLOCK: usize = 64;
/// How far the last place of a block reaches beyond it.
const BEYOND: usize = 3;
/// How many hashes there are.
const HASHES: usize = 1 << 16;

/// Keywords and what each calls.
pub(super) struct Keywords<T> {
    filter: PrefixFilter,
    /// Words that are looked up by four of their bytes.
    long: Table<T>,
    /// Shorter ones, by three.
    short: Table<T>,
}

/// Which three bytes some word begins with, and which follow one byte later.
///
/// Every byte counts as one of 32 kinds. Words are spread over four sets: a place may hold one only
/// where its two threes are of one set.
struct PrefixFilter {
    kinds: [u8; 256],
    /// The lower bits are the sets that three kinds begin, the upper ones those that they continue.
    sets: Box<[u8; 1 << 15]>,
}

struct Table<T> {
    /// Where the words of a hash begin in `words`.
    first: Vec<u32>,
    /// In the order of their hashes: how far in a word the hashed bytes stand, the word, its call.
    words: Vec<(usize, Box<str>, T)>,
}

impl<T: Copy> Keywords<T> {
    /// Takes words of at least two bytes, in lower case as far as ASCII goes.
    pub(super) fn new(words: impl IntoIterator<Item = (String, T)>) -> Self {
        let (mut long, mut short, mut telling) = (Vec::new(), Vec::new(), Vec::new());
        let plain = WindowFrequency::new();
        for (word, call) in words {
            let bytes = word.as_bytes();
            let mut at = 0;
            match bytes.len() {
                0 | 1 => continue,
                2 => {
                    // Whatever the third byte is.
                    let mut hashes: Vec<u16> =
                        (0..=u8::MAX).map(|third| hash(fold(&[bytes[0], bytes[1], third]))).collect();
                    hashes.sort_unstable();
                    hashes.dedup();
                    short.extend(hashes.into_iter().map(|hash| (hash, 0, word.clone(), call)));
                }
                3 => short.push((hash(fold(bytes)), 0, word.clone(), call)),
                _ => {
                    at = plain.telling(bytes);
                    long.push((hash(fold(&bytes[at..at + 4])), at, word.clone(), call));
                }
            }
            telling.push(bytes[at..bytes.len().min(at + 4)].to_vec());
        }
        Self { filter: PrefixFilter::new(telling), long: Table::new(long), short: Table::new(short) }
    }

    /// Tells every keyword of `text`, whatever its case.
    pub(super) fn each(&self, text: &[u8], mut found: impl FnMut(usize, usize, T)) {
        for start in (0..text.len()).step_by(BLOCK) {
            let rest = &text[start..];
            let mut last = [0; BLOCK + BEYOND];
            let block = rest.first_chunk().unwrap_or_else(|| {
                last[..rest.len()].copy_from_slice(rest);
                &last
            });
            self.filter.each(block, |at| {
                let window = fold(&block[at..at + 4]);
                self.long.words_at(text, start + at, hash(window), &mut found);
                self.short.words_at(text, start + at, hash(window >> 8), &mut found);
            });
        }
    }
}

impl PrefixFilter {
    /// Takes two to four bytes of each word.
    fn new(mut words: Vec<Vec<u8>>) -> Self {
        words.sort_unstable();
        words.dedup();
        let kinds: [u8; 256] = std::array::from_fn(|byte| kind(byte as u8));
        let mut sets = Box::new([0; 1 << 15]);
        for (index, word) in words.iter().enumerate() {
            let set = 1 << (index * 4 / words.len());
            let fits = |place: usize, kind: u8| word.get(place).is_none_or(|byte| kinds[usize::from(*byte)] == kind);
            let (first, second) = (kinds[usize::from(word[0])], kinds[usize::from(word[1])]);
            for third in (0..32).filter(|kind| fits(2, *kind)) {
                sets[three(first, second, third)] |= set;
                for fourth in (0..32).filter(|kind| fits(3, *kind)) {
                    sets[three(second, third, fourth)] |= set << 4;
                }
            }
        }
        Self { kinds, sets }
    }

    /// The places of a block where some word may stand.
    ///
    /// Each step does one thing to the whole block: a branch for each byte would cost more than the rest.
    fn each(&self, block: &[u8; BLOCK + BEYOND], mut found: impl FnMut(usize)) {
        let kinds = block.map(|byte| self.kinds[usize::from(byte)]);
        let mut sets = [0; BLOCK + 1];
        for (at, set) in sets.iter_mut().enumerate() {
            *set = self.sets[three(kinds[at], kinds[at + 1], kinds[at + 2])];
        }
        let mut hits = [0; BLOCK];
        for (at, hit) in hits.iter_mut().enumerate() {
            *hit = u8::from(sets[at] & (sets[at + 1] >> 4) != 0);
        }
        let (eights, _) = hits.as_chunks();
        for (index, eight) in eights.iter().enumerate() {
            let mut left = u64::from_le_bytes(*eight);
            while left != 0 {
                found(index * 8 + (left.trailing_zeros() / 8) as usize);
                left &= left - 1;
            }
        }
    }
}

/// What a byte counts as; letters of both cases are the same.
fn kind(byte: u8) -> u8 {
    match byte {
        0..=b' ' => 0,
        b'a'..=b'z' => 1 + byte - b'a',
        b'A'..=b'Z' => 1 + byte - b'A',
        b'0'..=b'9' => 27 + byte % 2,
        b'_' | b'-' => 29,
        0x80.. => 31,
        _ => 30,
    }
}

/// Three kinds as one number.
fn three(first: u8, second: u8, third: u8) -> usize {
    (usize::from(first) << 10 | usize::from(second) << 5 | usize::from(third)) & 0x7fff
}

impl<T: Copy> Table<T> {
    fn new(mut words: Vec<(u16, usize, String, T)>) -> Self {
        words.sort_by_key(|(hash, ..)| *hash);
        let mut first = vec![0; HASHES + 1];
        for (hash, ..) in &words {
            first[usize::from(*hash) + 1] += 1;
        }
        for place in 1..first.len() {
            first[place] += first[place - 1];
        }
        let words = words.into_iter().map(|(_, at, word, call)| (at, word.into_boxed_str(), call)).collect();
        Self { first, words }
    }

    /// The words whose hashed bytes stand at `place`.
    fn words_at(&self, text: &[u8], place: usize, hash: u16, found: &mut impl FnMut(usize, usize, T)) {
        let hash = usize::from(hash);
        for (at, word, call) in &self.words[self.first[hash] as usize..self.first[hash + 1] as usize] {
            let Some(start) = place.checked_sub(*at) else { continue };
            let end = start + word.len();
            // The last byte rules most of them out.
            let (Some(here), Some(last)) = (text.get(start..end), word.as_bytes().last()) else { continue };
            if (here[here.len() - 1] ^ last) & !0x20 == 0 && here.eq_ignore_ascii_case(word.as_bytes()) {
                found(start, end, *call);
            }
        }
    }
}

/// Bytes as one number; letters of both cases are the same.
fn fold(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0, |number, byte| (number << 8) | u32::from(byte | 0x20))
}

fn hash(window: u32) -> u16 {
    let [a, b, ..] = window.wrapping_mul(0x9e37_79b1).to_be_bytes();
    u16::from_be_bytes([a, b])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_is_found_at_every_place_whatever_its_case() {
        let words = ["pw", "password", "pass", "密码", "_sk=", "://", "q~"];
        let keywords = Keywords::new(words.iter().map(|word| ((*word).to_owned(), *word)));
        let text = "PassWord pw 密码 x_SK=://Q~ compass PW";
        let mut found = Vec::new();
        keywords.each(text.as_bytes(), |start, end, word| found.push((start, &text[start..end], word)));
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
        let keywords = Keywords::new([("pw".to_owned(), ()), ("key".to_owned(), ())]);
        for (text, count) in [("", 0), ("p", 0), ("pw", 1), ("pwpw", 2), ("key", 1), ("ke", 0)] {
            let mut found = 0;
            keywords.each(text.as_bytes(), |_, _, ()| found += 1);
            assert_eq!(found, count, "{text}");
        }
    }
}
