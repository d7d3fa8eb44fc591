//! Finds many keywords in one pass.
//!
//! An automaton over so many words is megabytes large, and each byte waits for the step before it.
//! Here the first three bytes of a place are looked up in a table of bits that stays in the
//! processor's nearest cache, and only where some keyword begins so are words compared.

/// Bits of a hash of three bytes.
const BITS: u32 = 16;

/// Keywords and what each calls.
pub(super) struct Keywords<T> {
    /// Which hashes some keyword has.
    bits: Vec<u64>,
    /// Where the keywords of a hash begin in `words`.
    first: Vec<u32>,
    /// In the order of their hashes.
    words: Vec<(Box<str>, T)>,
}

impl<T: Copy> Keywords<T> {
    /// Takes words of at least two bytes, in lower case as far as ASCII goes.
    pub(super) fn new(words: impl IntoIterator<Item = (String, T)>) -> Self {
        let mut hashed: Vec<(u32, Box<str>, T)> = Vec::new();
        for (word, call) in words {
            match *word.as_bytes() {
                [a, b] => {
                    // Whatever the third byte is. Folded bytes have this bit.
                    let mut hashes: Vec<u32> = (0..=u8::MAX).map(|c| hash(push(push(push(0, a), b), c))).collect();
                    hashes.sort_unstable();
                    hashes.dedup();
                    hashed.extend(hashes.into_iter().map(|hash| (hash, word.clone().into_boxed_str(), call)));
                }
                [a, b, c, ..] => hashed.push((hash(push(push(push(0, a), b), c)), word.into_boxed_str(), call)),
                _ => {}
            }
        }
        hashed.sort_by_key(|(hash, ..)| *hash);
        let mut bits = vec![0; (1 << BITS) / 64];
        let mut first = vec![0; (1 << BITS) + 1];
        for (hash, ..) in &hashed {
            bits[*hash as usize / 64] |= 1 << (hash % 64);
            first[*hash as usize + 1] += 1;
        }
        for place in 1..first.len() {
            first[place] += first[place - 1];
        }
        Self { bits, first, words: hashed.into_iter().map(|(_, word, call)| (word, call)).collect() }
    }

    /// Tells every keyword of `text`, whatever its case, in the order of their beginnings.
    pub(super) fn each(&self, text: &[u8], mut found: impl FnMut(usize, usize, T)) {
        let mut window = 0;
        for (end, byte) in text.iter().enumerate() {
            window = push(window, *byte);
            let hash = hash(window);
            if self.bits[hash as usize / 64] >> (hash % 64) & 1 == 1 && end >= 2 {
                self.words_at(text, end - 2, hash, &mut found);
            }
        }
        for at in text.len().saturating_sub(2)..text.len() {
            window = push(window, 0);
            self.words_at(text, at, hash(window), &mut found);
        }
    }

    #[cold]
    fn words_at(&self, text: &[u8], at: usize, hash: u32, found: &mut impl FnMut(usize, usize, T)) {
        let hash = hash as usize;
        for (word, call) in &self.words[self.first[hash] as usize..self.first[hash + 1] as usize] {
            let end = at + word.len();
            if text.get(at..end).is_some_and(|here| here.eq_ignore_ascii_case(word.as_bytes())) {
                found(at, end, *call);
            }
        }
    }
}

/// Three bytes after one more, the oldest of them gone; letters of both cases are one.
fn push(window: u32, byte: u8) -> u32 {
    ((window << 8) | u32::from(byte | 0x20)) & 0xff_ffff
}

fn hash(window: u32) -> u32 {
    window.wrapping_mul(0x9e37_79b1) >> (32 - BITS)
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
