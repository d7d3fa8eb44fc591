//! Values under names that only mention a secret, such as `my_password_service`: only what can be nothing else counts.

use super::super::heuristics;
use super::super::text::contains_ignoring_case;
use super::span::quoted;
use super::{Name, later};

/// Whether a value is a secret even where its name only mentions one: `my_password_service`.
pub(super) fn is_unmistakable(value: &[u8]) -> bool {
    heuristics::is_noisy(value)
        || later::is_strong(value) && heuristics::has_all_kinds(value) && !heuristics::is_description(value)
}

/// Whether a name mentions a secret: `my_password_service`.
pub(super) fn says_secret(name: &[u8]) -> bool {
    [&b"pass"[..], b"secret", b"apikey", b"api_key"].iter().any(|word| contains_ignoring_case(name, word))
}

/// Returns the quoted text directly after a name, if no text but a password has its marks: `secret"…"`.
pub(super) fn noise_after(text: &[u8], name: Name) -> Option<(usize, usize)> {
    let at = name.end + usize::from(text.get(name.end) == Some(&b' '));
    if !matches!(text.get(at), Some(b'"' | b'\'')) {
        return None;
    }
    let found = quoted(text, at).filter(|found| found.quoted && found.end < at + 128)?;
    heuristics::is_noisy(&text[found.start..found.end]).then_some((found.start, found.end))
}
