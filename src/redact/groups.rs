//! Keys that are written in groups of their own form, which needs no label: five groups of five capitals and digits, as
//! on licences and recovery codes of Microsoft, and eight groups of six digits, as on recovery keys of BitLocker.

use super::codes;
use super::generic::OnFinding;
use super::heuristics;

/// Whether a group of five or six characters between two hyphens begins at `at`, as 1 or 0.
pub(super) fn is_place<const WINDOW: usize>(window: &[u8; WINDOW], at: usize) -> u8 {
    let dash = |byte: u8| u8::from(byte == b'-');
    dash(window[at]) & (1 - dash(window[at + 1])) & (dash(window[at + 6]) | dash(window[at + 7]))
}

/// Passes the key whose first hyphen is at `dash` to `found`. `done`: the end of the last key.
pub(super) fn key(text: &[u8], dash: usize, done: &mut usize, found: OnFinding<'_>) {
    if dash < *done {
        return;
    }
    for (length, groups, label) in [(5, 5, &codes::LICENCE), (6, 8, &codes::RECOVERY)] {
        if let Some((start, end)) = groups_at(text, dash, length, groups) {
            *done = end;
            found(start, end, label);
        }
    }
}

/// Returns the key whose first group ends at `dash`.
fn groups_at(text: &[u8], dash: usize, length: usize, groups: usize) -> Option<(usize, usize)> {
    let start = dash.checked_sub(length)?;
    let end = start + groups * (length + 1) - 1;
    let key = text.get(start..end)?;
    let is_part = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_');
    if text.get(end).is_some_and(is_part) || start > 0 && is_part(&text[start - 1]) {
        return None;
    }
    let mut mixed = 0;
    for (index, group) in key.split(|b| *b == b'-').enumerate() {
        let digits = group.iter().filter(|b| b.is_ascii_digit()).count();
        let capitals = group.iter().filter(|b| b.is_ascii_uppercase()).count();
        if index >= groups || group.len() != length || digits + capitals != length || length == 6 && capitals > 0 {
            return None;
        }
        mixed += usize::from(digits > 0 && capitals > 0);
    }
    let varied = key.iter().filter(|b| **b != b'-' && **b != key[0]).count() > 2 * length;
    ((length == 6 || mixed >= 3) && varied && !heuristics::is_placeholder(key)).then_some((start, end))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::redact::canaries::{SEED, fill};
    use crate::redact::text::{FLAGS, each_place};

    fn found(text: &str) -> Vec<&str> {
        let mut found = Vec::new();
        let mut done = 0;
        each_place::<{ FLAGS + 7 }>(text.as_bytes(), is_place, |at, _| {
            key(text.as_bytes(), at, &mut done, &mut |start, end, _| found.push(&text[start..end]));
        });
        found
    }

    #[test]
    fn keys_are_found_by_their_groups() {
        let digits = |seed: usize| (0..8).map(|at| (100_003 + at * 77_773 + seed * 31).to_string()).collect::<Vec<_>>();
        for key in
            [digits(1).join("-"), digits(7).join("-"), ["A7<u3>", "<u2>3<u2>", "B<u3>4", "C2<u3>", "<u4>7"].join("-")]
        {
            let key = fill(&key, SEED);
            for text in [key.clone(), format!("anahtar: {key}\n"), format!("\u{ab}{key}\u{bb}, {}", "word ".repeat(30))]
            {
                assert_eq!(found(&text), [key.as_str()], "{text}");
            }
        }
    }

    #[test]
    fn other_groups_stay() {
        let one = "AB3CD-".repeat(4) + "AB3CD";
        for text in [
            "01234567-89ab-cdef-0123-456789abcdef",
            "|-----|------|-----|-----|-----|",
            "XXXXX-XXXXX-XXXXX-XXXXX-XXXXX",
            "111111-111111-111111-111111-111111-111111-111111-111111",
            "ABCDE-FGHIJ-KLMNO-PQRST-UVWXY",
            "a-12345-b-123456-c",
            &(one.clone() + "-AB3CD"),
            &("x".to_owned() + &one),
        ] {
            assert_eq!(found(text), Vec::<&str>::new(), "{text}");
        }
    }
}
