//! Secrets without a keyword whose first sign is a few bytes at fixed distances: all of them are looked for in one pass.

use super::generic::{OnFinding, beside, chosen};
use super::text::{FLAGS, each_place};
use super::{groups, positional_tokens};

/// How far after a place the last byte is that tells of what kind it is.
const REACH: usize = 17;
const CHOSEN: u8 = 1;
const BESIDE: u8 = 2;
const GROUPS: u8 = 4;
const POSITIONAL: u8 = 8;

/// Passes every such secret in `text` to `found`.
pub(super) fn find(text: &[u8], found: OnFinding<'_>) {
    let (mut chosen, mut beside, mut groups) = (0, 0, 0);
    let kinds = |window: &[u8; FLAGS + REACH], at: usize| {
        (chosen::is_place(window, at) * CHOSEN)
            | (beside::is_place(window, at) * BESIDE)
            | (groups::is_place(window, at) * GROUPS)
            | (positional_tokens::is_place(window, at) * POSITIONAL)
    };
    each_place(text, kinds, |at, kinds| {
        if kinds & CHOSEN != 0 {
            chosen::password(text, at, &mut chosen, found);
        }
        if kinds & BESIDE != 0 {
            beside::password(text, at, &mut beside, found);
        }
        if kinds & GROUPS != 0 {
            groups::key(text, at, &mut groups, found);
        }
        if kinds & POSITIONAL != 0 {
            positional_tokens::token(text, at, found);
        }
    });
}
