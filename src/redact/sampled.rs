//! Secrets without a keyword that are longer than [`STEP`] bytes: seed phrases, private keys of wallets, and Base64
//! with secrets inside.
//!
//! A text is looked at only at every so many bytes, and read around a place only if it may be part of one.

use super::detect::{Finding, RuleRef};
use super::{encoded, phrases, wallet_keys};

/// The distance of the places at which a text is looked at. Each secret covers at least one of them.
pub(super) const STEP: usize = 40;

/// Adds the secrets of `text` to `findings`. `depth`: how often the text was decoded.
pub(super) fn find(text: &[u8], depth: usize, findings: &mut Vec<Finding>) {
    // The end of what was read around earlier places.
    let mut done = 0;
    for at in (0..text.len()).step_by(STEP) {
        if at < done {
            continue;
        }
        let left = at - done.max(at.saturating_sub(STEP));
        let start = at - text[at - left..at].iter().rev().take_while(|b| encoded::is_base64(**b)).count();
        // The mark of an added line.
        let start = start + usize::from(start < at && matches!(text[start], b'+' | b'-' | b'/'));
        let run = text[start..].iter().take(STEP).take_while(|b| encoded::is_base64(**b)).count();
        // Words of a phrase are short, unless hyphens join them.
        if (run <= 8 || run == STEP)
            && let Some(end) = phrases::around(text, at, done, findings)
        {
            done = end;
        } else if run == STEP {
            let end = start + text[start..].iter().take_while(|b| encoded::is_base64(**b)).count();
            if let Some(label) = wallet_keys::label(&text[start..end]) {
                findings.push(Finding { start, end, rule: RuleRef::BuiltIn(label) });
            }
            done = encoded::payload(text, start, end, depth, findings).max(end);
        }
    }
}
