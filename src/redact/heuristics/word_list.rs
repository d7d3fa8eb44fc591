//! Lists of words that are too long to be searched from the beginning for each word of a text.

use std::sync::OnceLock;

/// A list of words, sorted at its first use.
#[derive(Debug)]
pub(in super::super) struct WordList {
    /// The words, in lower case where they are ASCII, with blanks between them.
    words: &'static str,
    sorted: OnceLock<Sorted>,
}

/// The words of a list in order, and for each first byte the lengths of those that begin with it, as bits: most words of a
/// text are ruled out by them.
#[derive(Debug)]
struct Sorted {
    words: Vec<&'static [u8]>,
    lengths: [u32; 256],
}

impl WordList {
    /// Makes a list of the words in `words`, which blanks separate.
    pub(in super::super) const fn new(words: &'static str) -> Self {
        Self { words, sorted: OnceLock::new() }
    }

    /// Returns the words as they were given.
    pub(super) fn words(&self) -> impl Iterator<Item = &'static [u8]> + use<> {
        self.words.split_ascii_whitespace().map(str::as_bytes)
    }

    /// Whether the list has `word`, ASCII case ignored.
    pub(in super::super) fn has(&self, word: &[u8]) -> bool {
        const LONGEST: usize = 31;
        let Some(first) = word.first().filter(|_| word.len() <= LONGEST) else { return false };
        let sorted = self.sorted.get_or_init(|| {
            let mut words: Vec<&[u8]> = self.words().collect();
            words.sort_unstable();
            words.dedup();
            let mut lengths = [0; 256];
            for word in &words {
                lengths[usize::from(word[0])] |= 1 << word.len().min(LONGEST);
            }
            Sorted { words, lengths }
        });
        if sorted.lengths[usize::from(first.to_ascii_lowercase())] >> word.len() & 1 == 0 {
            return false;
        }
        let mut lower = [0; LONGEST];
        let lower = &mut lower[..word.len()];
        lower.copy_from_slice(word);
        lower.make_ascii_lowercase();
        let lower: &[u8] = lower;
        sorted.words.binary_search(&lower).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_whatever_their_case() {
        static LIST: WordList = WordList::new("is été na b a");
        for word in ["is", "IS", "été", "a", "NA"] {
            assert!(LIST.has(word.as_bytes()), "{word}");
        }
        for word in ["", "i", "s", "n", "is été", "nab", &"x".repeat(99)] {
            assert!(!LIST.has(word.as_bytes()), "{word}");
        }
    }
}
