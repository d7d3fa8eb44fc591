//! Seeds of one-time passwords: Base32, whole or in groups.

use super::super::{heuristics, letters};
use super::lines_after;

/// Returns the Base32 seed soon after the label that ends at `from`.
pub(super) fn after(text: &[u8], from: usize) -> Option<(usize, usize)> {
    let limit = lines_after(text, from, 4, 160);
    let mut at = from;
    while at < limit {
        if !text[at].is_ascii_alphanumeric()
            || at > 0 && (text[at - 1].is_ascii_alphanumeric() || matches!(text[at - 1], b'_' | b'/' | b'-' | b'%'))
        {
            at += 1;
            continue;
        }
        let (end, groups) = base32(text, at);
        let value = &text[at..end];
        let digit = value.iter().any(u8::is_ascii_digit);
        let joined: Vec<u8> = value.iter().copied().filter(u8::is_ascii_alphanumeric).collect();
        let random = letters::are_random(&joined) || digit;
        let fits = match groups {
            0 => false,
            1 => {
                (16..=64).contains(&joined.len())
                    && joined.len().is_multiple_of(2)
                    && random
                    // `v3oauth2clientcredential: …`, a name.
                    && (text[at].is_ascii_uppercase() || text.get(end) != Some(&b':'))
                    && (digit || joined.len() >= 26)
                    && !joined.iter().all(u8::is_ascii_hexdigit)
            }
            // `requests-aws4auth`
            _ => joined.len() >= 16 && random && (text[at].is_ascii_uppercase() || letters::are_random(&joined)),
        };
        if fits && !heuristics::is_placeholder(value) {
            return Some((at, end));
        }
        at = end.max(at + 1);
    }
    None
}

/// Returns the end of the Base32 at `at`, in groups of four or whole, and the number of groups.
fn base32(text: &[u8], at: usize) -> (usize, usize) {
    let upper = text[at].is_ascii_uppercase()
        || text[at].is_ascii_digit() && text[at..].iter().take(4).any(u8::is_ascii_uppercase);
    let is_part =
        |b: &u8| matches!(b, b'2'..=b'7') || if upper { b.is_ascii_uppercase() } else { b.is_ascii_lowercase() };
    let run = |from: usize| {
        let length = text[from..].iter().take(72).take_while(|b| is_part(b)).count();
        let whole = !text.get(from + length).is_some_and(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'('));
        if whole { length } else { 0 }
    };
    let first = run(at);
    if first == 0 {
        return (at + text[at..].iter().take(72).take_while(|b| b.is_ascii_alphanumeric()).count(), 0);
    }
    let (mut end, mut groups) = (at + first, 1);
    while groups < 16 && matches!(first, 4 | 8) && matches!(text.get(end), Some(b' ' | b'-')) && run(end + 1) == first {
        end += 1 + first;
        groups += 1;
    }
    (end, groups)
}
