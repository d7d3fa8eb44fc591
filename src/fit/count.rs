//! Sizes in characters, bytes and tokens, and the counter that measures texts.

use crate::config::Tokenizer;
use crate::redact::Clean;
use crate::select::Size;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// The size of a text in every unit that a budget may limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Amount {
    /// Unicode scalar values.
    pub chars: u64,
    /// UTF-8 bytes.
    pub bytes: u64,
    /// Tokens; 0 if tokens are not counted.
    pub tokens: u64,
}

impl Amount {
    /// The limit that every text is within.
    pub const UNLIMITED: Amount = Amount { chars: u64::MAX, bytes: u64::MAX, tokens: u64::MAX };

    /// Returns whether every unit is within `limit`.
    pub fn fits(self, limit: Amount) -> bool {
        self.chars <= limit.chars && self.bytes <= limit.bytes && self.tokens <= limit.tokens
    }

    /// Returns the sum of both amounts: for tokens an upper bound, since texts joined at lines never have more tokens.
    #[must_use]
    pub fn plus(self, other: Amount) -> Self {
        self.with(other, u64::saturating_add)
    }

    /// Subtracts `other`, down to zero; a unit without a limit stays without one.
    #[must_use]
    pub fn minus(self, other: Amount) -> Self {
        self.with(other, |a, b| if a == u64::MAX { a } else { a.saturating_sub(b) })
    }

    /// Applies `f` unit by unit.
    #[must_use]
    pub fn with(self, other: Amount, f: impl Fn(u64, u64) -> u64) -> Self {
        Self {
            chars: f(self.chars, other.chars),
            bytes: f(self.bytes, other.bytes),
            tokens: f(self.tokens, other.tokens),
        }
    }

    /// Returns the units that add up exactly.
    pub fn size(self) -> Size {
        Size { chars: self.chars, bytes: self.bytes }
    }
}

/// Measures texts, with a cache of the token counts of texts that packs share.
pub struct Counter {
    bpe: Option<&'static tiktoken::CoreBpe>,
    shared: [Mutex<TokenCounts>; SHARDS],
}

/// Token counts by the address of a text; the text beside each count keeps its address valid.
type TokenCounts = HashMap<usize, (Clean, u64)>;

const SHARDS: usize = 16;

impl Counter {
    /// Creates a counter of characters and bytes, and of tokens if a tokenizer is given (its vocabulary takes about 50 ms
    /// to load).
    pub fn new(tokenizer: Option<Tokenizer>) -> Self {
        let bpe = tokenizer.and_then(|tokenizer| tiktoken::get_encoding(tokenizer.name()));
        Self { bpe, shared: std::array::from_fn(|_| Mutex::default()) }
    }

    /// Measures a text of one pack.
    pub fn measure(&self, text: &str) -> Amount {
        let Size { chars, bytes } = Size::of(text);
        Amount { chars, bytes, tokens: self.tokens(text) }
    }

    /// Measures a text that several packs share, and caches its tokens.
    pub fn measure_shared(&self, text: &Clean) -> Amount {
        let Size { chars, bytes } = Size::of(text);
        if self.bpe.is_none() {
            return Amount { chars, bytes, tokens: 0 };
        }
        let address = text.as_str().as_ptr() as usize;
        let shard = &self.shared[(address >> 5) % SHARDS];
        if let Some((_, tokens)) = shard.lock().unwrap_or_else(PoisonError::into_inner).get(&address) {
            return Amount { chars, bytes, tokens: *tokens };
        }
        let tokens = self.tokens(text);
        shard.lock().unwrap_or_else(PoisonError::into_inner).insert(address, (text.clone(), tokens));
        Amount { chars, bytes, tokens }
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
}

impl std::fmt::Debug for Counter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Counter").field("tokens", &self.bpe.is_some()).finish_non_exhaustive()
    }
}
