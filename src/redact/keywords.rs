//! Finds many keywords in one pass.
//!
//! An automaton over so many words is megabytes large, and each byte waits for the step before it.
//! Here the bytes of a place are looked up in tables of bits that stay in the processor's nearest
//! cache, and only where some keyword may stand so are words compared.

/// How many bits a table has: one for each hash.
const BITS: usize = 1 << 16;

/// Keywords and what each calls.
pub(super) struct Keywords<T> {
    /// Words that are looked up by four of their bytes.
    long: Table<T>,
    /// Shorter ones, by three.
    short: Table<T>,
}

struct Table<T> {
    /// Which hashes some word has.
    bits: Box<[u64; BITS / 64]>,
    /// Where the words of a hash begin in `words`.
    first: Vec<u32>,
    /// In the order of their hashes: how far in a word the hashed bytes stand, the word, its call.
    words: Vec<(usize, Box<str>, T)>,
}

impl<T: Copy> Keywords<T> {
    /// Takes words of at least two bytes, in lower case as far as ASCII goes.
    pub(super) fn new(words: impl IntoIterator<Item = (String, T)>) -> Self {
        let (mut long, mut short) = (Vec::new(), Vec::new());
        for (word, call) in words {
            let bytes = word.as_bytes();
            match bytes.len() {
                0 | 1 => {}
                2 => {
                    // Whatever the third byte is.
                    let mut hashes: Vec<u16> =
                        (0..=u8::MAX).map(|third| hash(fold(&[bytes[0], bytes[1], third]))).collect();
                    hashes.sort_unstable();
                    hashes.dedup();
                    short.extend(hashes.into_iter().map(|hash| (hash, 0, word.clone(), call)));
                }
                3 => short.push((hash(fold(bytes)), 0, word, call)),
                _ => {
                    let telling = |four: &[u8]| four.iter().filter(|b| !b.is_ascii_punctuation()).count() >= 3;
                    // `----` stands in many texts, `-beg` in few.
                    let at = bytes.windows(4).position(telling).unwrap_or(0);
                    long.push((hash(fold(&bytes[at..at + 4])), at, word, call));
                }
            }
        }
        Self { long: Table::new(long), short: Table::new(short) }
    }

    /// Tells every keyword of `text`, whatever its case.
    pub(super) fn each(&self, text: &[u8], mut found: impl FnMut(usize, usize, T)) {
        let mut window = 0_u32;
        for (end, byte) in text.iter().enumerate() {
            window = (window << 8) | u32::from(byte | 0x20);
            let (long, short) = (hash(window), hash(window & 0xff_ffff));
            if self.long.has(long) | self.short.has(short) {
                if end >= 3 {
                    self.long.words_at(text, end - 3, long, &mut found);
                }
                if end >= 2 {
                    self.short.words_at(text, end - 2, short, &mut found);
                }
            }
        }
        // A word of two bytes at the very end.
        if let [.., a, b] = *text {
            self.short.words_at(text, text.len() - 2, hash(fold(&[a, b, 0])), &mut found);
        }
    }
}

impl<T: Copy> Table<T> {
    fn new(mut words: Vec<(u16, usize, String, T)>) -> Self {
        words.sort_by_key(|(hash, ..)| *hash);
        let mut bits = Box::new([0; BITS / 64]);
        let mut first = vec![0; BITS + 1];
        for (hash, ..) in &words {
            bits[usize::from(*hash / 64)] |= 1 << (hash % 64);
            first[usize::from(*hash) + 1] += 1;
        }
        for place in 1..first.len() {
            first[place] += first[place - 1];
        }
        let words = words.into_iter().map(|(_, at, word, call)| (at, word.into_boxed_str(), call)).collect();
        Self { bits, first, words }
    }

    fn has(&self, hash: u16) -> bool {
        (self.bits[usize::from(hash / 64)] >> (hash % 64)) & 1 == 1
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
