//! Private keys of wallets, recognized by their checksums: Bitcoin's import format (WIF).

use super::heuristics;
use super::rules::{FindingLabel, TOKEN};
use super::text::contains_ignoring_case;
use sha2::{Digest as _, Sha256};

static WALLET_KEY: FindingLabel =
    FindingLabel { name: "wallet-key", reason: "is the private key of a Bitcoin wallet", rank: TOKEN };

static SOLANA_KEY: FindingLabel =
    FindingLabel { name: "wallet-key", reason: "is the private key of a wallet", rank: TOKEN };

const BASE58: &[u8] = b"123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";

/// Returns the label of a private key if `word` is one.
pub(super) fn label(word: &[u8]) -> Option<&'static FindingLabel> {
    let may_be = match word.len() {
        51 => matches!(word[0], b'5' | b'9'),
        52 => matches!(word[0], b'K' | b'L' | b'c'),
        _ => false,
    };
    (may_be && is_key(word)).then_some(&WALLET_KEY)
}

/// Returns the label of the 64 bytes at `start` in Base58 if words near them speak of a wallet's key: a signature has the
/// same form.
pub(super) fn pair(text: &[u8], start: usize, length: usize) -> Option<&'static FindingLabel> {
    const WORDS: [&[u8]; 9] =
        [b"id.json", b"keypair", b"private", b"secret", b"wallet", b"phantom", b"solana config", b"clave", b"keygen"];
    const OTHERS: [&[u8]; 6] = [b"signature", b"sig:", b"txn", b"transaction", b"/tx/", b"signed"];
    let word = &text[start..start + length];
    let is_base58 = matches!(length, 86..=88) && word.iter().all(|b| BASE58.contains(b));
    let before = || &text[start.saturating_sub(160)..start];
    let has = |words: &[&[u8]]| words.iter().any(|word| contains_ignoring_case(before(), word));
    (is_base58 && !heuristics::is_name(word) && has(&WORDS) && !has(&OTHERS)).then_some(&SOLANA_KEY)
}

/// Whether Base58 holds a version, a key, perhaps a mark that the public key is compressed, and a checksum.
fn is_key(word: &[u8]) -> bool {
    let Some(bytes) = decode(word) else { return false };
    let Some((key, checksum)) = bytes.split_last_chunk::<4>() else { return false };
    matches!(key[0], 0x80 | 0xef)
        && matches!((key.len(), key.last()), (33, _) | (34, Some(1)))
        && Sha256::digest(Sha256::digest(key))[..4] == checksum[..]
}

/// Decodes Base58; `None` if a character does not belong to it.
fn decode(word: &[u8]) -> Option<Vec<u8>> {
    let mut bytes: Vec<u8> = Vec::with_capacity(40);
    for byte in word {
        let mut carry = BASE58.iter().position(|known| known == byte)?;
        for byte in bytes.iter_mut().rev() {
            carry += usize::from(*byte) * 58;
            *byte = (carry & 0xff) as u8;
            carry >>= 8;
        }
        while carry > 0 {
            bytes.insert(0, (carry & 0xff) as u8);
            carry >>= 8;
        }
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Encodes as wallets do, so that no key is written down.
    fn encode(version: u8, compressed: bool) -> String {
        let mut bytes = vec![version];
        bytes.extend((0..32).map(|at: u8| at.wrapping_mul(37) ^ 0x5a));
        bytes.extend(compressed.then_some(1));
        let checksum = Sha256::digest(Sha256::digest(&bytes));
        bytes.extend(&checksum[..4]);
        let mut digits: Vec<usize> = Vec::new();
        for byte in bytes {
            let mut carry = usize::from(byte);
            for digit in &mut digits {
                carry += *digit << 8;
                *digit = carry % 58;
                carry /= 58;
            }
            while carry > 0 {
                digits.push(carry % 58);
                carry /= 58;
            }
        }
        digits.iter().rev().map(|digit| char::from(BASE58[*digit])).collect()
    }

    #[test]
    fn keys_of_both_networks_are_found_by_their_checksum() {
        for (version, compressed) in [(0x80, false), (0x80, true), (0xef, false), (0xef, true)] {
            let key = encode(version, compressed);
            assert_eq!(label(key.as_bytes()).map(|label| label.name), Some("wallet-key"), "{key}");
            let other = if key.ends_with('2') { '3' } else { '2' };
            let wrong = format!("{}{other}", &key[..key.len() - 1]);
            assert_eq!(label(wrong.as_bytes()), None);
        }
        assert_eq!(label(encode(0x81, true).as_bytes()), None);
    }
}
