//! Natural order: `bd-au0.10` after `bd-au0.5`, `EIP-1559` after `EIP-155`.

use std::cmp::Ordering;

/// Compares two ids or titles as people do.
///
/// Both are split at everything that is no letter or digit; all-digit parts
/// compare as numbers and come before words, other parts compare as bytes.
/// Equal so far, the whole strings compare as bytes, so the order is total.
pub fn natural_cmp(a: &str, b: &str) -> Ordering {
    let (mut left, mut right) = (parts(a), parts(b));
    loop {
        let order = match (left.next(), right.next()) {
            (None, None) => return a.cmp(b),
            (None, Some(_)) => Ordering::Less,
            (Some(_), None) => Ordering::Greater,
            (Some(x), Some(y)) => part_cmp(x, y),
        };
        if order != Ordering::Equal {
            return order;
        }
    }
}

/// Returns the pieces between separators; two neighbouring separators give an empty
/// word only where the text has no other part, so `a--b` and `a-b` tie here.
fn parts(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|part| !part.is_empty())
}

fn part_cmp(a: &str, b: &str) -> Ordering {
    match (is_number(a), is_number(b)) {
        (true, true) => number_cmp(a, b),
        (true, false) => Ordering::Less,
        (false, true) => Ordering::Greater,
        (false, false) => a.cmp(b),
    }
}

fn is_number(part: &str) -> bool {
    part.bytes().all(|b| b.is_ascii_digit())
}

/// Compares numbers of any length without parsing them.
fn number_cmp(a: &str, b: &str) -> Ordering {
    let (a, b) = (a.trim_start_matches('0'), b.trim_start_matches('0'));
    a.len().cmp(&b.len()).then_with(|| a.cmp(b))
}
