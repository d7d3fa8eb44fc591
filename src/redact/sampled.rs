//! Secrets without a keyword that are long: seed phrases, private keys of wallets, also as lists of bytes, and Base64 with secrets inside.
//!
//! A text is looked at only in so many places that none of them can be missed, and read around a place only if it may be
//! part of one.

use super::detect::{Finding, RuleRef};
use super::{bare_keys, calls, encoded, phrases, positional_tokens, wallet_keys};

/// The least length of a run of Base64 that is looked at.
pub(super) const MIN_RUN: usize = 40;
/// The size of the blocks that are looked at.
const BLOCK: usize = 16;
/// Their distance: a run of [`MIN_RUN`] fills at least one of them.
const BLOCK_STEP: usize = MIN_RUN - BLOCK + 1;
/// The distance of the places at which a list of 64 random bytes is looked for, which is longer.
const LIST_STEP: usize = 128;
/// The longest such list: three digits, a comma and a blank for each byte.
const MAX_LIST: usize = 64 * 5;

/// Adds the secrets of `text` to `findings`. `depth`: how often the text was decoded.
pub(super) fn find(text: &[u8], depth: usize, findings: &mut Vec<Finding>) {
    runs(text, depth, findings);
    lists(text, findings);
    // The end of what was read around earlier places.
    let mut done = 0;
    for at in (0..text.len()).step_by(phrases::STEP) {
        if at >= done
            && let Some(end) = phrases::around(text, at, done, findings)
        {
            done = end;
        }
    }
}

/// Finds the runs of Base64 that are a wallet's key or hold a secret.
fn runs(text: &[u8], depth: usize, findings: &mut Vec<Finding>) {
    let mut done = 0;
    for at in (0..text.len()).step_by(BLOCK_STEP) {
        let Some(block) = text[at..].first_chunk() else { break };
        let is_run = || block.iter().all(|byte| encoded::is_base64(*byte));
        if has_blank(block) || at < done {
            continue;
        }
        if !is_run() {
            // A key of two parts is longer than the distance of the blocks, too.
            let dot = block.iter().position(|b| *b == b'.');
            done = dot.and_then(|dot| dotted(text, at + dot, findings)).unwrap_or(done);
            continue;
        }
        let start = at - text[done..at].iter().rev().take_while(|b| encoded::is_base64(**b)).count();
        // The mark of an added line.
        let start = start + usize::from(start < at && matches!(text[start], b'+' | b'-' | b'/'));
        let end = start + text[start..].iter().take_while(|b| encoded::is_base64(**b)).count();
        done = end.max(at + 1);
        if end - start < MIN_RUN {
            let before = start.checked_sub(1).filter(|before| text[*before] == b'.');
            let dot = before.or_else(|| text.get(end).filter(|b| **b == b'.').map(|_| end));
            done = dot.and_then(|dot| dotted(text, dot, findings)).unwrap_or(done);
            continue;
        }
        if let Some((end, label)) = bare_keys::key(text, start, end) {
            findings.push(Finding { start, end, rule: RuleRef::BuiltIn(label) });
        }
        // A path or a label may precede a key: `backup/5K…`.
        let mut from = start;
        for word in text[start..end].split(|b| !b.is_ascii_alphanumeric()) {
            if let Some(label) = wallet_keys::label(word)
                .or_else(|| positional_tokens::numbered(text, from, word.len()))
                .or_else(|| wallet_keys::pair(text, from, word.len()))
            {
                findings.push(Finding { start: from, end: from + word.len(), rule: RuleRef::BuiltIn(label) });
            }
            from += word.len() + 1;
        }
        done = encoded::payload(text, start, end, depth, findings).max(done);
    }
}

/// Finds the key of two parts whose dot is at `dot`; returns its end.
fn dotted(text: &[u8], dot: usize, findings: &mut Vec<Finding>) -> Option<usize> {
    let (start, end, label) = positional_tokens::dotted(text, dot)?;
    findings.push(Finding { start, end, rule: RuleRef::BuiltIn(label) });
    Some(end)
}

/// Finds the key files of wallets that are a list of 64 bytes on one line: `[12,201,…]`.
fn lists(text: &[u8], findings: &mut Vec<Finding>) {
    let is_part = |b: &u8| b.is_ascii_digit() || matches!(b, b',' | b' ');
    let mut done = 0;
    for at in (0..text.len()).step_by(LIST_STEP) {
        if at < done || !text[at..].iter().take(BLOCK).all(is_part) {
            continue;
        }
        let start = at - text[at.saturating_sub(MAX_LIST)..at].iter().rev().take_while(|b| is_part(b)).count();
        let end = at + text[at..].iter().take(MAX_LIST).take_while(|b| is_part(b)).count();
        done = end;
        let is_list = start > 0 && text[start - 1] == b'[' && text.get(end) == Some(&b']');
        if is_list && let Some((start, end, label)) = calls::key_list(text, start, end) {
            findings.push(Finding { start, end, rule: RuleRef::BuiltIn(label) });
        }
    }
}

/// Whether a block has a blank, a line end or another control. Most blocks do, so that is asked of all bytes at once.
fn has_blank(block: &[u8; BLOCK]) -> bool {
    let every = |byte: u8| u128::from_ne_bytes([byte; BLOCK]);
    let bytes = u128::from_ne_bytes(*block);
    // The subtraction sets the highest bit of bytes that are less, and of none before the least of these.
    bytes.wrapping_sub(every(b' ' + 1)) & !bytes & every(0x80) != 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::redact::canaries::{SEED, fill};

    #[test]
    fn keys_of_two_parts_and_numbered_tokens_are_found_at_every_offset() {
        for template in ["<h32>.<a13>7Qx", "812|<a37>Q7x"] {
            let token = fill(template, SEED);
            for padding in 0..60 {
                let text = format!("{}({token}). More", ". ".repeat(padding));
                let mut findings = Vec::new();
                find(text.as_bytes(), 0, &mut findings);
                let found: Vec<&str> = findings.iter().map(|found| &text[found.start..found.end]).collect();
                assert_eq!(found, [&token[token.find('|').map_or(0, |bar| bar + 1)..]], "{text}");
            }
        }
    }

    #[test]
    fn a_list_of_random_bytes_is_a_key_and_others_are_not() {
        let list = |bytes: &mut dyn Iterator<Item = u32>| {
            format!("[{}]", bytes.map(|byte| byte.to_string()).collect::<Vec<_>>().join(","))
        };
        let random = list(&mut (1..=64).map(|n: u32| n.wrapping_mul(0x9e37_79b1) >> 24));
        let counted = list(&mut (0..64));
        for (text, count) in [(random.clone(), 1), (counted, 0), (format!("\"signature\": {random}"), 0)] {
            let mut findings = Vec::new();
            find(text.as_bytes(), 0, &mut findings);
            assert_eq!(findings.len(), count, "{text}");
        }
    }
}
