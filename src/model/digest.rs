//! SHA-256 digests in the one spelling that packs use.

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use std::fmt;
use std::hash::Hasher;

/// A SHA-256 digest; shown as `sha256:` and 64 lower-case hex digits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Digest([u8; 32]);

impl Digest {
    /// Returns the digest of `bytes`.
    pub fn of(bytes: impl AsRef<[u8]>) -> Self {
        Self(Sha256::digest(bytes.as_ref()).into())
    }

    /// Returns the digest that a text shows; `None` if it shows none.
    pub fn parse(text: &str) -> Option<Self> {
        let is_hex = |byte: &u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(byte);
        let hex = text.strip_prefix("sha256:").filter(|hex| hex.len() == 64 && hex.as_bytes().iter().all(is_hex))?;
        let mut bytes = [0; 32];
        for (at, byte) in (0..64).step_by(2).zip(&mut bytes) {
            *byte = u8::from_str_radix(&hex[at..at + 2], 16).ok()?;
        }
        Some(Self(bytes))
    }

    /// Returns the 32 bytes.
    pub fn bytes(&self) -> [u8; 32] {
        self.0
    }

    /// Returns the digest with these bytes.
    pub fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// Returns the first `digits` hex digits, without the algorithm's name.
    pub fn short(&self, digits: usize) -> String {
        let mut hex = String::with_capacity(digits);
        for byte in &self.0[..digits.div_ceil(2).min(32)] {
            hex.extend([byte >> 4, byte & 15].map(|digit| char::from(b"0123456789abcdef"[usize::from(digit)])));
        }
        hex.truncate(digits);
        hex
    }

    /// Returns all 64 hex digits, without the algorithm's name.
    pub fn hex(&self) -> String {
        self.short(64)
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "sha256:{}", self.hex())
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// An incremental digest: of parts, and as a [`Hasher`] of everything that implements [`std::hash::Hash`].
///
/// The bytes that `Hash` feeds it depend on the machine, so a digest of them is only valid on this machine.
#[derive(Clone, Default)]
pub struct Digester(Sha256);

impl Digester {
    /// Adds a part; its length is part of the digest.
    #[must_use]
    pub fn part(mut self, bytes: impl AsRef<[u8]>) -> Self {
        let bytes = bytes.as_ref();
        self.0.update((bytes.len() as u64).to_le_bytes());
        self.0.update(bytes);
        self
    }

    pub fn digest(self) -> Digest {
        Digest(self.0.finalize().into())
    }
}

impl Hasher for Digester {
    fn write(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// Returns the first 64 bits; [`Digester::digest`] returns all.
    fn finish(&self) -> u64 {
        self.clone().digest().0.iter().take(8).fold(0, |number, byte| number << 8 | u64::from(*byte))
    }
}

impl fmt::Debug for Digester {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Digester")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_parts_end_is_part_of_the_digest() {
        let of = |parts: &[&str]| parts.iter().fold(Digester::default(), Digester::part).digest();
        assert_eq!(of(&["ab", "c"]), of(&["ab", "c"]));
        assert_ne!(of(&["ab", "c"]), of(&["a", "bc"]));
    }
}
