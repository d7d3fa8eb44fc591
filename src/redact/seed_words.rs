//! The English word list of BIP-39, and the checksum of phrases made of it.
//!
//! `seed_words.txt` is the list as the crate `bip39` publishes it under CC0-1.0.

use sha2::{Digest as _, Sha256};
use std::ops::RangeInclusive;
use std::sync::OnceLock;

const LIST: &str = include_str!("seed_words.txt");
/// The number of slots of the table, of which words take half.
const SLOTS: usize = 4096;

/// The bits of the filter, of which words set one in sixteen.
const FILTER_BITS: usize = 1 << 15;
/// The bytes that are read at once around a place.
const SPAN: usize = 16;

/// A hash table of the words.
pub(super) struct SeedWords {
    slots: Box<[(u64, u16)]>,
    /// A bit for the hash of each word, small enough to stay in the fastest cache.
    filter: Box<[u64]>,
}

/// What a glance at a place tells.
#[derive(PartialEq)]
enum PossibleWord {
    None,
    /// A word that ends there may be one of the list.
    Until(usize),
    Unknown,
}

impl SeedWords {
    /// The lengths of the words.
    pub(super) const LENGTHS: RangeInclusive<usize> = 3..=8;

    /// Returns the table, made at its first use.
    pub(super) fn get() -> &'static Self {
        static WORDS: OnceLock<SeedWords> = OnceLock::new();
        WORDS.get_or_init(|| {
            let mut slots = vec![(0, 0); SLOTS].into_boxed_slice();
            let mut filter = vec![0; FILTER_BITS / 64].into_boxed_slice();
            for (index, word) in (0..).zip(LIST.lines()) {
                let packed = pack(word.as_bytes());
                filter[bit_of(packed) / 64] |= 1 << (bit_of(packed) % 64);
                let mut slot = slot_of(packed);
                while slots[slot].0 != 0 {
                    slot = (slot + 1) % SLOTS;
                }
                slots[slot] = (packed, index);
            }
            Self { slots, filter }
        })
    }

    /// Whether two words of the list may follow each other at `at`; `true` where that cannot be told at once.
    ///
    /// This is asked of all texts at many places, and is hardly ever so.
    pub(super) fn may_be_at(&self, text: &[u8], at: usize) -> bool {
        match self.word_at(text, at) {
            PossibleWord::None => false,
            PossibleWord::Until(end) if text.get(end) == Some(&b' ') => {
                self.word_at(text, end + 1) != PossibleWord::None
            }
            _ => true,
        }
    }

    /// Tells, with next to no branches, whether the letters around `at`, or those before it, may be a word of the list.
    fn word_at(&self, text: &[u8], at: usize) -> PossibleWord {
        let around = at.checked_sub(SPAN).and_then(|start| text.get(start..at + SPAN));
        let halves = around.and_then(|around| Some((around.first_chunk()?, around.last_chunk()?)));
        let Some((before, after)) = halves else { return PossibleWord::Unknown };
        let ahead = (other_bytes(u128::from_le_bytes(*after)).trailing_zeros() / 8) as usize;
        let behind = (other_bytes(u128::from_le_bytes(*before)).leading_zeros() / 8) as usize;
        let length = ahead + behind;
        let Some(word) = text.get(at - behind..).and_then(|rest| rest.first_chunk()) else {
            return PossibleWord::Unknown;
        };
        let letters = length.clamp(1, *Self::LENGTHS.end());
        let bit = bit_of((u64::from_be_bytes(*word) | u64::from_ne_bytes([0x20; 8])) >> (64 - 8 * letters));
        let known = (self.filter[bit / 64] >> (bit % 64) & 1 != 0) & Self::LENGTHS.contains(&length);
        // The letter of an escape such as `\n` is not part of the word.
        let unknown = (length == 0) | (behind < SPAN && before[SPAN - 1 - behind] == b'\\');
        match (known | unknown, unknown) {
            (false, _) => PossibleWord::None,
            (true, false) => PossibleWord::Until(at + ahead),
            (true, true) => PossibleWord::Unknown,
        }
    }

    /// Returns the index of the word of which `letters` are the first four, or all of its three, whatever their case.
    pub(super) fn abbreviated(&self, letters: &[u8]) -> Option<u16> {
        static STARTS: OnceLock<Vec<(u64, u16)>> = OnceLock::new();
        let starts = STARTS.get_or_init(|| {
            let start = |word: &str| pack(&word.as_bytes()[..word.len().min(4)]);
            let mut starts: Vec<(u64, u16)> = LIST.lines().map(start).zip(0..).collect();
            starts.sort_unstable();
            starts
        });
        if !(3..=4).contains(&letters.len()) {
            return None;
        }
        let packed = pack(letters);
        starts.binary_search_by_key(&packed, |(start, _)| *start).ok().map(|at| starts[at].1)
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
    hash(packed) as usize % SLOTS
}

fn bit_of(packed: u64) -> usize {
    hash(packed) as usize % FILTER_BITS
}

fn hash(packed: u64) -> u64 {
    packed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 49
}

/// Returns the bytes of `text` that are no ASCII letters, as their highest bits.
fn other_bytes(text: u128) -> u128 {
    let every = |byte: u8| u128::from_ne_bytes([byte; SPAN]);
    let low = (text | every(0x20)) & every(0x7f);
    let from_a = low + every(0x80 - b'a');
    let past_z = low + every(0x7f - b'z');
    (!from_a | past_z | text) & every(0x80)
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
    fn no_word_of_the_list_is_ruled_out_at_any_of_its_letters() {
        let list = SeedWords::get();
        for (index, word) in LIST.lines().enumerate() {
            let word = if index % 2 == 0 { word.to_ascii_uppercase() } else { word.to_owned() };
            for (open, close) in [(" ", " "), ("é", "1"), ("\\n", "\\n"), ("{", "["), ("`", "@")] {
                let filler = "-".repeat(SPAN);
                let text = format!("{filler}{open}{word}{close}{filler}");
                let start = text.find(&word).unwrap_or_default();
                for at in start..=start + word.len() {
                    assert!(list.may_be_at(text.as_bytes(), at), "{text} {at}");
                }
            }
        }
        let ruled_out =
            |text: &str| !list.may_be_at(format!("a sentence before {text} and one after it").as_bytes(), 20);
        assert!(["identifier", "xqzk", "is", "kubernetes"].into_iter().all(ruled_out));
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
