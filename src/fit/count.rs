//! The counter that measures texts in characters, bytes and tokens.

use crate::config::Tokenizer;
use crate::redact::Clean;
use crate::select::{Amount, Ruler};
use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

/// Measures texts, with a cache of the token counts of texts that packs share.
pub struct Counter {
    bpe: Option<&'static tiktoken::CoreBpe>,
    shared: [Mutex<TokenCounts>; SHARDS],
}

/// Token counts by the address and the length of a text; the text beside each count keeps its address valid.
type TokenCounts = HashMap<(usize, usize), (Clean, u64)>;

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
}

impl Ruler for Counter {
    fn measure(&self, text: &str) -> Amount {
        self.measure(text)
    }

    fn measure_part(&self, text: &Clean, range: Range<usize>) -> Amount {
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
