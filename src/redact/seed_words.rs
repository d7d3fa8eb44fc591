//! The English word list of BIP-39, and the checksum of phrases made of it.
//!
//! `seed_words.txt` is the list as the crate `bip39` publishes it under CC0-1.0.

use sha2::{Digest as _, Sha256};
use std::ops::RangeInclusive;
use std::sync::OnceLock;

const LIST: &str = include_str!("seed_words.txt");
/// The number of slots of the table, of which words take half.
const SLOTS: usize = 4096;

/// A hash table of the words.
pub(super) struct SeedWords {
    slots: Box<[(u64, u16)]>,
}

impl SeedWords {
    /// The lengths of the words.
    pub(super) const LENGTHS: RangeInclusive<usize> = 3..=8;

    /// Returns the table, made at its first use.
    pub(super) fn get() -> &'static Self {
        static WORDS: OnceLock<SeedWords> = OnceLock::new();
        WORDS.get_or_init(|| {
            let mut slots = vec![(0, 0); SLOTS].into_boxed_slice();
            for (index, word) in (0..).zip(LIST.lines()) {
                let packed = pack(word.as_bytes());
                let mut slot = slot_of(packed);
                while slots[slot].0 != 0 {
                    slot = (slot + 1) % SLOTS;
                }
                slots[slot] = (packed, index);
            }
            Self { slots }
        })
    }

    /// Returns the index of `word`, whatever its case.
    pub(super) fn index(&self, word: &[u8]) -> Option<u16> {
        if !Self::LENGTHS.contains(&word.len()) {
            return None;
        }
        let packed = pack(word);
        let mut slot = slot_of(packed);
        loop {
            match self.slots[slot] {
                (0, _) => return None,
                (found, index) if found == packed => return Some(index),
                _ => slot = (slot + 1) % SLOTS,
            }
        }
    }
}

/// Packs the letters of a word of up to eight into a number, in lower case.
fn pack(word: &[u8]) -> u64 {
    word.iter().fold(0, |packed, byte| packed << 8 | u64::from(byte | 0x20))
}

fn slot_of(packed: u64) -> usize {
    (packed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 52) as usize
}

/// Whether words have the checksum of a phrase: 12, 15, 18, 21 or 24 words of 11 bits each, of which the last few are
/// the first bits of the digest of those before.
pub(super) fn is_phrase(words: &[u16]) -> bool {
    if !matches!(words.len(), 12 | 15 | 18 | 21 | 24) {
        return false;
    }
    let mut bytes = Vec::with_capacity(33);
    let (mut held, mut bits) = (0_u32, 0_u32);
    for word in words {
        held = held << 11 | u32::from(*word);
        bits += 11;
        while bits >= 8 {
            bits -= 8;
            bytes.push((held >> bits & 0xff) as u8);
        }
    }
    let entropy = words.len() * 4 / 3;
    // What is left over is part of the checksum of 24 words at most, whose size is a whole byte.
    let checksum = u32::try_from(words.len() / 3).unwrap_or(0);
    let given = bytes.get(entropy).map_or(held & ((1 << bits) - 1), |byte| u32::from(*byte));
    let Some(entropy) = bytes.get(..entropy) else { return false };
    u32::from(Sha256::digest(entropy)[0]) >> (8 - checksum) == given
}

#[cfg(test)]
mod tests {
    use super::*;

    fn indices(phrase: &str) -> Vec<u16> {
        phrase.split(' ').filter_map(|word| SeedWords::get().index(word.as_bytes())).collect()
    }

    #[test]
    fn every_word_of_the_list_is_found_by_its_place() {
        for (place, word) in (0..).zip(LIST.lines()) {
            assert_eq!(SeedWords::get().index(word.as_bytes()), Some(place));
        }
        assert_eq!(SeedWords::get().index(b"ABANDON"), Some(0));
        assert_eq!(SeedWords::get().index(b"the"), None);
        assert_eq!(SeedWords::get().index(b"zooz"), None);
    }

    #[test]
    fn phrases_of_the_standard_have_a_checksum_and_others_have_none() {
        let zero = |count: usize| "abandon ".repeat(count - 1);
        for (count, last) in [(12, "about"), (15, "address"), (18, "agent"), (21, "admit"), (24, "art")] {
            let phrase = zero(count) + last;
            assert!(is_phrase(&indices(&phrase)), "{count}");
            assert!(!is_phrase(&indices(&phrase.replace(last, "zebra"))), "{count}");
        }
        assert!(is_phrase(&indices("legal winner thank year wave sausage worth useful legal winner thank yellow")));
        assert!(!is_phrase(&indices("legal winner thank year wave sausage worth useful legal winner thank year")));
        assert!(!is_phrase(&indices("abandon about")));
    }
}
