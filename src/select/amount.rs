//! Sizes of texts in every unit that a budget may limit, and the search for the most that one holds.

use crate::config::Tokenizer;
use foldhash::HashMap;
use std::cmp::Ordering;
use std::sync::{Mutex, PoisonError};

/// The size of a text in every unit that a budget may limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Amount {
    pub chars: u64,
    pub bytes: u64,
    /// Tokens; 0 if tokens are not counted.
    pub tokens: u64,
}

impl Amount {
    /// The limit that every text is within.
    pub const UNLIMITED: Amount = Amount { chars: u64::MAX, bytes: u64::MAX, tokens: u64::MAX };

    /// Measures `text` in the units that need no tokenizer.
    pub fn of(text: &str) -> Self {
        let chars = if text.is_ascii() { text.len() } else { text.chars().count() };
        Self { chars: chars as u64, bytes: text.len() as u64, tokens: 0 }
    }

    /// Computes each unit by itself; `f` gets what takes it out of an amount.
    pub fn by_unit(f: impl Fn(fn(Amount) -> u64) -> u64) -> Self {
        Self { chars: f(|it| it.chars), bytes: f(|it| it.bytes), tokens: f(|it| it.tokens) }
    }

    pub fn fits(self, limit: Amount) -> bool {
        self.chars <= limit.chars && self.bytes <= limit.bytes && self.tokens <= limit.tokens
    }

    /// Returns the sum of both amounts: for tokens an upper bound, since texts joined at lines hardly ever have more tokens.
    #[must_use]
    pub fn plus(self, other: Amount) -> Self {
        self.with(other, u64::saturating_add)
    }

    /// Subtracts `other`, down to zero; a unit without a limit stays without one.
    #[must_use]
    pub fn minus(self, other: Amount) -> Self {
        self.with(other, |a, b| if a == u64::MAX { a } else { a.saturating_sub(b) })
    }

    #[must_use]
    pub fn with(self, other: Amount, f: impl Fn(u64, u64) -> u64) -> Self {
        Self::by_unit(|unit| f(unit(self), unit(other)))
    }
}

/// Measures texts. Tokens are counted line by line, and the counts are kept: packs share most of their lines, and a plan that
/// is measured again has few new ones.
pub struct Counter {
    bpe: Option<&'static tiktoken::CoreBpe>,
    counted: [Mutex<CountedLines>; SHARDS],
}

/// The tokens of lines, up to a size at which they are forgotten.
#[derive(Default)]
struct CountedLines {
    tokens: HashMap<Box<str>, u64>,
    bytes: usize,
}

const SHARDS: usize = 16;
/// The most bytes of lines that a shard keeps.
const MAX_KEPT_BYTES: usize = 1 << 20;

impl Counter {
    /// Creates a counter of characters and bytes, and of tokens if a tokenizer is given (about 50 ms to load).
    pub fn new(tokenizer: Option<Tokenizer>) -> Self {
        let bpe = tokenizer.and_then(|tokenizer| tiktoken::get_encoding(tokenizer.name()));
        Self { bpe, counted: std::array::from_fn(|_| Mutex::default()) }
    }

    /// Measures `text` in characters, bytes and, with a tokenizer, tokens.
    pub fn measure(&self, text: &str) -> Amount {
        let tokens = self.bpe.map_or(0, |bpe| lines(text).map(|line| self.tokens(bpe, line)).sum());
        Amount { tokens, ..Amount::of(text) }
    }

    /// Returns whether tokens are counted.
    pub fn counts_tokens(&self) -> bool {
        self.bpe.is_some()
    }

    fn tokens(&self, bpe: &tiktoken::CoreBpe, line: &str) -> u64 {
        let lock = || self.counted[line.len() % SHARDS].lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(tokens) = lock().tokens.get(line) {
            return *tokens;
        }
        let tokens = bpe.count(line) as u64;
        let mut counted = lock();
        if counted.bytes > MAX_KEPT_BYTES {
            *counted = CountedLines::default();
        }
        counted.bytes += line.len();
        counted.tokens.insert(line.into(), tokens);
        tokens
    }
}

/// Splits a text where no token reaches across, in both vocabularies: after the end of a line, unless the next one begins with
/// white space or a slash.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let ends = memchr::memchr_iter(b'\n', rest.as_bytes()).map(|at| at + 1);
        let is_end = |at: &usize| !rest[*at..].starts_with(|next: char| next == '/' || next.is_whitespace());
        let end = { ends }.find(is_end).unwrap_or(rest.len());
        let (line, after) = rest.split_at(end);
        rest = after;
        (!line.is_empty()).then_some(line)
    })
}

impl std::fmt::Debug for Counter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Counter").field("tokens", &self.bpe.is_some()).finish_non_exhaustive()
    }
}

/// Finds the largest number that `test` does not find too large, or one that it finds right, in a fixed tree of numbers.
///
/// A test that finds fewer numbers too large never leads to a smaller number: a larger budget never takes away.
pub fn descend(mut test: impl FnMut(u64) -> Ordering) -> u64 {
    let mut found = 0;
    for bit in (0..u64::BITS - 1).rev() {
        match test(found | 1 << bit) {
            Ordering::Less => found |= 1 << bit,
            Ordering::Equal => return found | 1 << bit,
            Ordering::Greater => {}
        }
    }
    found
}

/// Returns the end of the longest beginning of `text` that `fits`, of at most so many bytes.
pub(super) fn longest(text: &str, most: u64, fits: impl Fn(usize) -> bool) -> usize {
    let end = |bytes: u64| text.floor_char_boundary(usize::try_from(bytes).unwrap_or(usize::MAX).min(text.len()));
    let most = most.min(text.len() as u64);
    end(descend(|bytes| if bytes <= most && fits(end(bytes)) { Ordering::Less } else { Ordering::Greater }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_of_lines_add_up_to_those_of_the_text() {
        let parts = ["a", "Ab's", "12", ".", "\n", "\r\n", " ", "/", "é\u{301}", "\u{2028}"];
        let tokenizers = [Tokenizer::O200kBase, Tokenizer::Cl100kBase];
        let counters = tokenizers.map(|tokenizer| Counter::new(Some(tokenizer)));
        for number in 0..10_000_usize {
            let text: String = (0..4).map(|place| parts[number / 10_usize.pow(place) % 10]).collect();
            for counter in &counters {
                let whole = counter.bpe.map_or(0, |bpe| bpe.count(&text) as u64);
                assert_eq!(counter.measure(&text).tokens, whole, "{text:?}");
            }
        }
    }
}
