//! Sizes of texts in every unit that a budget may limit, and the search for the most that one holds.

use crate::config::Tokenizer;
use crate::redact::Clean;
use std::cmp::Ordering;
use std::collections::HashMap;
use std::ops::Range;
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

/// Measures texts, with a cache of the token counts of texts that packs share.
pub struct Counter {
    bpe: Option<&'static tiktoken::CoreBpe>,
    shared: [Mutex<TokenCounts>; SHARDS],
}

/// Token counts by the address and the length of a text; the text beside each count keeps its address valid.
type TokenCounts = HashMap<(usize, usize), (Clean, u64)>;

const SHARDS: usize = 16;

impl Counter {
    /// Creates a counter of characters and bytes, and of tokens if a tokenizer is given (about 50 ms to load).
    pub fn new(tokenizer: Option<Tokenizer>) -> Self {
        let bpe = tokenizer.and_then(|tokenizer| tiktoken::get_encoding(tokenizer.name()));
        Self { bpe, shared: std::array::from_fn(|_| Mutex::default()) }
    }

    /// Measures a text of one pack.
    pub fn measure(&self, text: &str) -> Amount {
        Amount { tokens: self.tokens(text), ..Amount::of(text) }
    }

    /// Measures a text that several packs share, and caches its tokens.
    pub fn measure_shared(&self, text: &Clean) -> Amount {
        self.measure_part(text, 0..text.len())
    }

    /// Drops the cached counts and the texts that they refer to.
    pub fn clear_shared(&self) {
        self.shared.iter().for_each(|shard| shard.lock().unwrap_or_else(PoisonError::into_inner).clear());
    }

    /// Returns whether tokens are counted.
    pub fn counts_tokens(&self) -> bool {
        self.bpe.is_some()
    }

    fn tokens(&self, text: &str) -> u64 {
        self.bpe.map_or(0, |bpe| bpe.count(text) as u64)
    }

    /// Measures a part of a text that is measured again and again, since packs share it.
    pub fn measure_part(&self, text: &Clean, range: Range<usize>) -> Amount {
        let part = &text[range];
        let amount = Amount::of(part);
        if self.bpe.is_none() {
            return amount;
        }
        let key = (part.as_ptr() as usize, part.len());
        let shard = &self.shared[(key.0 >> 5) % SHARDS];
        if let Some((_, tokens)) = shard.lock().unwrap_or_else(PoisonError::into_inner).get(&key) {
            return Amount { tokens: *tokens, ..amount };
        }
        let tokens = self.tokens(part);
        shard.lock().unwrap_or_else(PoisonError::into_inner).insert(key, (text.clone(), tokens));
        Amount { tokens, ..amount }
    }
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
