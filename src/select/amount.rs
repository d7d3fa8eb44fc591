//! Sizes of texts in every unit that a budget may limit, and the search for the most that one holds.

use crate::redact::Clean;
use std::cmp::Ordering;
use std::ops::Range;

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

    /// Measures `text` in the units that need no tokenizer.
    pub fn of(text: &str) -> Self {
        let chars = if text.is_ascii() { text.len() } else { text.chars().count() };
        Self { chars: chars as u64, bytes: text.len() as u64, tokens: 0 }
    }

    /// Returns whether every unit is within `limit`.
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

    /// Applies `f` unit by unit.
    #[must_use]
    pub fn with(self, other: Amount, f: impl Fn(u64, u64) -> u64) -> Self {
        Self {
            chars: f(self.chars, other.chars),
            bytes: f(self.bytes, other.bytes),
            tokens: f(self.tokens, other.tokens),
        }
    }
}

/// A measure of texts in the units that a budget limits.
pub trait Ruler {
    /// Measures a text.
    fn measure(&self, text: &str) -> Amount;

    /// Measures a part of a text that is measured again and again, since packs share it.
    fn measure_part(&self, text: &Clean, range: Range<usize>) -> Amount;
}

/// Finds the largest number that `test` finds not too large (`Less`), or one that it finds right (`Equal`), on the way down
/// one fixed tree of numbers.
///
/// So a test that finds fewer numbers too large never leads to a smaller number, even if what it finds too large is not
/// all larger than the rest: a larger budget never takes away.
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
