//! Keys that their form shows under a name that says little: lists of bytes, and hexadecimal of a length that no digest has.

use super::super::heuristics;
use super::super::text::contains_ignoring_case;
use super::Name;
use super::separator::{after_closers, skip_blanks};

/// The length of a global key of Cloudflare: no digest has it.
pub(super) const GLOBAL_KEY: usize = 37;

/// Whether the cell of a table at `at` is hexadecimal of that length.
pub(super) fn is_global_key(text: &[u8], at: usize) -> bool {
    let value = &text[at..text.len().min(at + GLOBAL_KEY)];
    heuristics::is_hexadecimal_key(value)
        && value.len() == GLOBAL_KEY
        && text.get(at + GLOBAL_KEY).is_none_or(|b| !b.is_ascii_alphanumeric())
}

/// Returns where the numbers begin that are assigned to a name as a list: `key[16] = {0x…`, `network_key: [12, …`.
pub(super) fn list_of_bytes(text: &[u8], name: Name) -> Option<usize> {
    let (closed, _) = after_closers(text, name.end);
    if !matches!(text.get(skip_blanks(text, closed))?, b'=' | b':' | b'0'..=b'9') {
        return None;
    }
    // `key` alone is what the tests of ciphers call their vectors, and protocols derive others.
    const DERIVED: [&[u8]; 8] =
        [b"traffic", b"write", b"handshake", b"expected", b"test", b"wrong", b"client_", b"server_"];
    let word = &text[name.start..name.end];
    if word.len() < 6 || word.contains(&b' ') {
        return None;
    }
    let window = &text[name.end..text.len().min(name.end + 64)];
    let end = window.iter().position(|b| matches!(b, b'{' | b'(' | b';' | b'\'' | b',' | b'#')).unwrap_or(window.len());
    let open = match window.get(end) {
        Some(b'{') => end,
        // `: [u8; 16] = [`
        _ => window
            .windows(2)
            .rposition(|pair| pair[0] == b'[' && (pair[1].is_ascii_digit() || pair[1].is_ascii_whitespace()))?,
    };
    let first = window[open + 1..].trim_ascii_start().first()?;
    if DERIVED.iter().any(|part| contains_ignoring_case(word, part)) {
        return None;
    }
    (first.is_ascii_digit() && window[..open].iter().any(|b| matches!(b, b'=' | b':'))).then_some(name.end + open + 1)
}
