//! Secrets without a keyword that are long: seed phrases, private keys of wallets, and Base64 with secrets inside.
//!
//! A text is looked at only in so many places that none of them can be missed, and read around a place only if it may be
//! part of one.

use super::detect::{Finding, RuleRef};
use super::{encoded, phrases, wallet_keys};

/// The least length of a run of Base64 that is looked at.
pub(super) const MIN_RUN: usize = 40;
/// The size of the blocks that are looked at.
const BLOCK: usize = 16;
/// Their distance: a run of [`MIN_RUN`] fills at least one of them.
const BLOCK_STEP: usize = MIN_RUN - BLOCK + 1;

/// Adds the secrets of `text` to `findings`. `depth`: how often the text was decoded.
pub(super) fn find(text: &[u8], depth: usize, findings: &mut Vec<Finding>) {
    runs(text, depth, findings);
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
        if has_blank(block) || at < done || !is_run() {
            continue;
        }
        let start = at - text[done..at].iter().rev().take_while(|b| encoded::is_base64(**b)).count();
        // The mark of an added line.
        let start = start + usize::from(start < at && matches!(text[start], b'+' | b'-' | b'/'));
        let end = start + text[start..].iter().take_while(|b| encoded::is_base64(**b)).count();
        done = end.max(at + 1);
        if end - start < MIN_RUN {
            continue;
        }
        if let Some(label) = wallet_keys::label(&text[start..end]) {
            findings.push(Finding { start, end, rule: RuleRef::BuiltIn(label) });
        }
        done = encoded::payload(text, start, end, depth, findings).max(done);
    }
}

/// Whether a block has a blank, a line end or another control. Most blocks do, so that is asked of all bytes at once.
fn has_blank(block: &[u8; BLOCK]) -> bool {
    let every = |byte: u8| u128::from_ne_bytes([byte; BLOCK]);
    let bytes = u128::from_ne_bytes(*block);
    // The subtraction sets the highest bit of bytes that are less, and of none before the least of these.
    bytes.wrapping_sub(every(b' ' + 1)) & !bytes & every(0x80) != 0
}
