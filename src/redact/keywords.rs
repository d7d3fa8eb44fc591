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

use super::rarest_window::WindowFrequency;

/// The number of bytes that are filtered together.
const BLOCK: usize = 64;
/// How many bytes beyond a block its last place needs.
const BEYOND: usize = 3;
/// The number of hashes.
const HASHES: usize = 1 << 16;

/// Keywords, each with a target of type `T`.
pub(super) struct Keywords<T> {
    filter: PrefixFilter,
    /// Words that are looked up by four of their bytes.
    long: Table<T>,
    /// Shorter words, looked up by three bytes.
    short: Table<T>,
}

/// The trigrams with which words begin, and those that follow one byte later.
///
/// Every byte belongs to one of 32 classes. Words are divided into four sets: one may begin at a place only
/// if both trigrams there belong to the same set.
struct PrefixFilter {
    classes: [u8; 256],
    /// For each trigram of classes: in the lower bits the sets that it begins, in the upper ones those that it continues.
    sets: Box<[u8; 1 << 15]>,
}

struct Table<T> {
    /// A bit for each two hashes: whether there are words of them. It stays in the nearest cache, too.
    known: Box<[u64; HASHES / 128]>,
    /// The index in `words` at which the words of each hash begin.
    first: Vec<u32>,
    /// The offset of the hashed bytes in a word, the word and its target, in the order of the hashes.
    words: Vec<(usize, Box<str>, T)>,
}

impl<T: Copy> Keywords<T> {
    /// Collects words of at least two bytes; their ASCII letters have to be in lower case.
    pub(super) fn new(words: impl IntoIterator<Item = (String, T)>) -> Self {
        let (mut long, mut short, mut windows) = (Vec::new(), Vec::new(), Vec::new());
        let plain = WindowFrequency::new();
        for (word, target) in words {
            let bytes = word.as_bytes();
            let mut at = 0;
            match bytes.len() {
                0 | 1 => continue,
                2 => {
                    // A word of two bytes matches with any third byte.
                    let mut hashes: Vec<u16> =
                        (0..=u8::MAX).map(|third| hash(fold(&[bytes[0], bytes[1], third]))).collect();
                    hashes.sort_unstable();
                    hashes.dedup();
                    short.extend(hashes.into_iter().map(|hash| (hash, 0, word.clone(), target)));
                }
                3 => short.push((hash(fold(bytes)), 0, word.clone(), target)),
                _ => {
                    at = plain.rarest_window(bytes);
                    long.push((hash(fold(&bytes[at..at + 4])), at, word.clone(), target));
                }
            }
            windows.push(bytes[at..bytes.len().min(at + 4)].to_vec());
        }
        Self { filter: PrefixFilter::new(windows), long: Table::new(long), short: Table::new(short) }
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
        let classes: [u8; 256] = std::array::from_fn(|byte| class_of(byte as u8));
        let mut sets = Box::new([0; 1 << 15]);
        for (index, word) in words.iter().enumerate() {
            let set = 1 << (index * 4 / words.len());
            let fits =
                |place: usize, class: u8| word.get(place).is_none_or(|byte| classes[usize::from(*byte)] == class);
            let (first, second) = (classes[usize::from(word[0])], classes[usize::from(word[1])]);
            for third in (0..32).filter(|class| fits(2, *class)) {
                sets[trigram(first, second, third)] |= set;
                for fourth in (0..32).filter(|class| fits(3, *class)) {
                    sets[trigram(second, third, fourth)] |= set << 4;
                }
            }
        }
        Self { classes, sets }
    }

    /// Passes the places of a block at which a word may begin to `found`.
    ///
    /// Each step does one thing to the whole block: a branch for each byte would cost more than the rest.
    fn candidates(&self, block: &[u8; BLOCK + BEYOND], mut found: impl FnMut(usize)) {
        let classes = block.map(|byte| self.classes[usize::from(byte)]);
        let mut sets = [0; BLOCK + 1];
        for (at, set) in sets.iter_mut().enumerate() {
            *set = self.sets[trigram(classes[at], classes[at + 1], classes[at + 2])];
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

/// Returns the class of a byte; letters of both cases are the same.
fn class_of(byte: u8) -> u8 {
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

/// Returns the index of a trigram of classes.
fn trigram(first: u8, second: u8, third: u8) -> usize {
    (usize::from(first) << 10 | usize::from(second) << 5 | usize::from(third)) & 0x7fff
}

impl<T: Copy> Table<T> {
    fn new(mut words: Vec<(u16, usize, String, T)>) -> Self {
        words.sort_by_key(|(hash, ..)| *hash);
        let mut first = vec![0; HASHES + 1];
        let mut known = Box::new([0; HASHES / 128]);
        for (hash, ..) in &words {
            known[usize::from(*hash) / 128] |= 1 << (hash / 2 % 64);
            first[usize::from(*hash) + 1] += 1;
        }
        for place in 1..first.len() {
            first[place] += first[place - 1];
        }
        let words = words.into_iter().map(|(_, at, word, target)| (at, word.into_boxed_str(), target)).collect();
        Self { known, first, words }
    }

    /// Passes the words whose hashed bytes are at `place` to `found`.
    fn words_at(&self, text: &[u8], place: usize, hash: u16, found: &mut impl FnMut(usize, usize, T)) {
        if self.known[usize::from(hash) / 128] >> (hash / 2 % 64) & 1 == 0 {
            return;
        }
        let hash = usize::from(hash);
        for (at, word, target) in &self.words[self.first[hash] as usize..self.first[hash + 1] as usize] {
            let Some(start) = place.checked_sub(*at) else { continue };
            let end = start + word.len();
            // The last byte rules most words out.
            let (Some(here), Some(last)) = (text.get(start..end), word.as_bytes().last()) else { continue };
            if (here[here.len() - 1] ^ last) & !0x20 == 0 && here.eq_ignore_ascii_case(word.as_bytes()) {
                found(start, end, *target);
            }
        }
    }
}

/// Packs bytes into one number; letters of both cases are the same.
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
        let keywords = Keywords::new([("pw".to_owned(), ()), ("key".to_owned(), ())]);
        for (text, count) in [("", 0), ("p", 0), ("pw", 1), ("pwpw", 2), ("key", 1), ("ke", 0)] {
            let mut found = 0;
            keywords.find_each(text.as_bytes(), |_, _, ()| found += 1);
            assert_eq!(found, count, "{text}");
        }
    }
}
