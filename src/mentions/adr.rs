//! The number of an ADR.

use crate::model::is_typographic_hyphen;
use std::ops::Range;

/// Returns the number of an ADR by its file name; numbers in its title do not count.
///
/// A date is no number: `2022-08-02_020-x.md` is 20, `20200924-x.md` has none.
pub fn adr_number(file_name: &str) -> Option<u64> {
    let name = undated(file_name);
    let letters = name.len() - name.trim_start_matches(|c: char| c.is_ascii_alphabetic()).len();
    let prefix = name[..letters].to_ascii_lowercase();
    if !matches!(prefix.as_str(), "" | "adr" | "madr" | "dr" | "decision") {
        return None;
    }
    let rest = &name[letters..];
    let separates = |c| matches!(c, '-' | '_' | ' ' | '#') || is_typographic_hyphen(c);
    let digits = match rest.strip_prefix(separates) {
        Some(after) if letters > 0 => undated(after),
        _ => rest,
    };
    let length = digits.bytes().take_while(u8::is_ascii_digit).count();
    let ends = digits[length..].chars().next().is_none_or(|c| !c.is_alphanumeric());
    // Eight digits are a date, or no number that people give.
    (length > 0 && length < 8 && ends).then(|| digits[..length].parse().ok())?
}

/// Returns the text without the date that a name begins with; a name that is a date and words has no digits left.
fn undated(name: &str) -> &str {
    let bytes = name.as_bytes();
    let digits = |range: Range<usize>| bytes.get(range).is_some_and(|part| part.iter().all(u8::is_ascii_digit));
    let dash = |at: usize| bytes.get(at) == Some(&b'-');
    let length = if digits(0..4) && dash(4) && digits(5..7) && dash(7) && digits(8..10) {
        10
    } else if digits(0..8) && bytes.get(8).is_none_or(|byte| !byte.is_ascii_digit()) {
        8
    } else {
        return name;
    };
    name[length..].trim_start_matches(['-', '_', ' '])
}
