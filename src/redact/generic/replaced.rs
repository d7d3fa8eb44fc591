//! The old and the new password on lines of their own: `Old: …` above `New: …`.

use super::super::heuristics::{self, WordList};
use super::super::rules::FindingLabel;
use super::super::text::{contains_ignoring_case, last_line};
use super::beside::NAMED;
use super::chosen::{LABEL, speaks_of_account};
use super::later::{is_plain, is_strong, trimmed};

/// The labels of the old one, in lower case.
pub(in super::super) const KEYWORDS: [&str; 18] = [
    "old: ",
    "old pw: ",
    "alt: ",
    "ancien: ",
    "ancien : ",
    "ancienne : ",
    "vecchia: ",
    "vecchio: ",
    "antigua: ",
    "antiguo: ",
    "antiga: ",
    "oud: ",
    "oude: ",
    "gammalt: ",
    "gammel: ",
    "stare: ",
    "star\u{e9}: ",
    "eski: ",
];
/// Those of the new one, without the colon.
static NEW: WordList = WordList::new(
    "new neu neues nouveau nouvelle nuova nuovo nueva nuevo nova novo nieuw nieuwe nytt ny nowe nov\u{e9} yeni now jetzt",
);
/// How far before the lines words about an account may be, and how far after them.
const NEAR: usize = 260;

/// Passes the passwords after the keyword that ends at `end`, and on the next line, to `found`.
pub(in super::super) fn passwords(
    text: &[u8],
    start: usize,
    end: usize,
    mut found: impl FnMut(usize, usize, &'static FindingLabel),
) {
    let lead = last_line(&text[start.saturating_sub(8)..start]);
    if !lead.iter().all(|b| matches!(b, b' ' | b'-' | b'*' | b'>')) {
        return;
    }
    let Some(first) = alone(text, end) else { return };
    let next = end + text[end..].iter().take(80).take_while(|b| **b != b'\n').count();
    let below = &text[next..text.len().min(next + 32)];
    let label = below.iter().take_while(|b| b.is_ascii_whitespace() || matches!(b, b'-' | b'*' | b'>')).count();
    let Some(colon) = below[label..].iter().position(|b| *b == b':') else { return };
    if !NEW.has(below[label..label + colon].split(|b| *b == b' ').next().unwrap_or_default()) {
        return;
    }
    let from = next + label + colon + 1;
    let from = from + text[from..].iter().take(4).take_while(|b| **b == b' ').count();
    let Some(second) = alone(text, from) else { return };
    let before = &text[start.saturating_sub(NEAR)..start];
    let after = &text[second.1..text.len().min(second.1 + NEAR / 2)];
    let rotated = contains_ignoring_case(before, b"rotat") || contains_ignoring_case(before, b"credential");
    if rotated || speaks_of_account(before) || speaks_of_account(after) {
        for (start, end) in [first, second] {
            if is_password(&text[start..end]) {
                found(start, end, &LABEL);
            }
        }
    }
}

/// Returns the only word on the rest of a line.
fn alone(text: &[u8], at: usize) -> Option<(usize, usize)> {
    let length = text[at.min(text.len())..].iter().take(48).take_while(|b| !b.is_ascii_whitespace()).count();
    let rest = &text[text.len().min(at + length)..];
    (length >= 6 && matches!(rest, [] | [b'\n' | b'\r', ..])).then(|| trimmed(text, at, at + length))
}

/// Whether a value has letters of both cases and a digit, and is no name of a product.
fn is_password(value: &[u8]) -> bool {
    let word = value.iter().take_while(|b| b.is_ascii_alphabetic()).count();
    heuristics::has_all_kinds(value) && !NAMED.has(&value[..word]) && (is_strong(value) || is_plain(value))
}

#[cfg(test)]
mod tests {
    use crate::redact::canaries::{SEED, fill, scrub};

    #[test]
    fn old_and_new_passwords_are_found() {
        let password = fill("<a7>4z!Q", SEED);
        for (old, new) in [("Old", "New"), ("Alt", "Neu"), ("- old", "- new")] {
            let text =
                format!("Rotated the role of the database.\n{old}: Lantern_{}1\n{new}: {password}\n", SEED.len());
            let scrubbed = scrub(&text);
            assert!(!scrubbed.contains("Lantern_") && !scrubbed.contains(&password), "{scrubbed}");
        }
    }

    #[test]
    fn other_old_and_new_values_stay() {
        for text in [
            "The login uses another charset.\nOld: utf8mb3\nNew: utf8mb4_0900\n",
            "User guide\nOld: nginx-1.24.0\nNew: nginx-1.26.1\n",
            "No words.\nOld: Lantern_2031\nNew: Lantern_2032\n",
        ] {
            assert_eq!(scrub(text), text);
        }
    }
}
