//! Passwords of one application: four groups of four letters, as mail providers make them.

use super::super::{heuristics, letters};
use super::lines_after;

/// Returns the password of four groups of four letters after the label that ends at `from`.
pub(super) fn after(text: &[u8], from: usize) -> Option<(usize, usize)> {
    let is_group = |at: usize| {
        text.get(at..at + 4).is_some_and(|group| group.iter().all(u8::is_ascii_lowercase))
            && !text.get(at + 4).is_some_and(u8::is_ascii_alphanumeric)
    };
    let limit = lines_after(text, from, 3, 120);
    let mut at = from;
    while at < limit {
        if text[at].is_ascii_alphabetic() && !text[at - 1].is_ascii_alphanumeric() {
            let joint = text.get(at + 4).filter(|b| matches!(b, b' ' | b'-'));
            let whole = joint.is_some()
                && [0, 5, 10, 15]
                    .iter()
                    .all(|step| is_group(at + step) && (*step == 15 || text.get(at + step + 4) == joint));
            if whole {
                let joined: Vec<u8> = text[at..at + 19].iter().copied().filter(u8::is_ascii_lowercase).collect();
                let (odd, pairs) = letters::odd_pairs(&joined);
                if odd * 4 >= pairs && !heuristics::is_placeholder(&text[at..at + 19]) {
                    return Some((at, at + 19));
                }
            }
            at += text[at..].iter().take_while(|b| b.is_ascii_alphanumeric()).count();
        } else {
            at += 1;
        }
    }
    None
}
