//! Licence keys: groups of capitals and digits with hyphens between them.

use super::super::heuristics;
use super::lines_after;

/// Returns the licence key soon after the label that ends at `from`.
pub(super) fn after(text: &[u8], from: usize) -> Option<(usize, usize)> {
    let limit = lines_after(text, from, 3, 120);
    let mut at = from;
    while at < limit {
        let is_part = |b: &u8| b.is_ascii_uppercase() || b.is_ascii_digit() || *b == b'-';
        if !is_part(&text[at]) || at > from && text[at - 1].is_ascii_alphanumeric() {
            at += 1;
            continue;
        }
        let length = text[at..].iter().take(80).take_while(|b| is_part(b)).count();
        let token = &text[at..at + length];
        let groups: Vec<&[u8]> = token.split(|b| *b == b'-').collect();
        let digits = token.iter().filter(|b| b.is_ascii_digit()).count();
        let even = groups.iter().all(|group| group.len() == groups[0].len()) || groups.len() >= 4 && is_framed(&groups);
        let mixed = groups
            .iter()
            .filter(|group| group.iter().any(u8::is_ascii_digit) && group.iter().any(u8::is_ascii_uppercase))
            .count();
        let ended = !text.get(at + length).is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_');
        if ended
            && even
            && groups.len() >= 3
            && (4..=8).contains(&groups[1].len())
            && digits >= 2
            && (mixed >= 2 || groups.len() >= 4 && mixed >= 1 || groups.len() >= 5 && groups[0].len() <= 6)
            && !heuristics::is_placeholder(token)
        {
            return Some((at, at + length));
        }
        at += length.max(1);
    }
    None
}

/// Whether the groups between the first, which names a product, and the last, which may be a check, are of one length.
fn is_framed(groups: &[&[u8]]) -> bool {
    let [first, middle @ .., last] = groups else { return false };
    let length = middle[0].len();
    (2..=length).contains(&first.len())
        && (2..=length).contains(&last.len())
        && middle.iter().all(|group| group.len() == length)
}
