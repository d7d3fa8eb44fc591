//! The checks that a rule of `rules.toml` may apply to a match besides its pattern.

use super::super::base64;
use super::super::judge::{self, AssignedValue};
use super::super::letters;
use super::super::names::Class;
use super::super::text::has_three_classes;

/// A condition on what a pattern matched; see the head of `rules.toml`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Check {
    Sample,
    Any,
    Digit,
    Random,
    Mixed,
    Varied,
    Login,
    Prefixed,
    Password,
    Words,
    Secret,
    Pair,
}

impl Check {
    /// Whether `value` meets the condition.
    pub(super) fn accepts(self, value: &[u8]) -> bool {
        let is_sample = || judge::is_sample(value) || letters::is_repetitive(value);
        match self {
            Self::Any => true,
            Self::Sample => !is_sample(),
            Self::Digit => value.iter().any(u8::is_ascii_digit) && !is_sample(),
            Self::Random => is_random(value) && !is_sample(),
            Self::Mixed => has_three_classes(value) && !letters::is_name(value) && !is_sample(),
            Self::Varied => is_random(value) && letters::distinct(value) >= 14 && !is_sample(),
            Self::Login => is_login(value),
            Self::Prefixed => is_prefixed(value) && !is_sample(),
            Self::Password => judge::judge(Class::Password, &AssignedValue::loose(value)).is_secret,
            Self::Words => judge::judge(Class::Password, &AssignedValue::quoted(value)).is_secret,
            // No name of a password is before it, so that it needs a form of its own.
            Self::Pair => value.iter().any(u8::is_ascii_digit) && Self::Password.accepts(value),
            Self::Secret => judge::judge(Class::Secret, &AssignedValue::quoted(value)).is_secret,
        }
    }
}

/// Whether `value` is not made of words as a name is.
fn is_random(value: &[u8]) -> bool {
    !letters::is_name(value) || has_three_classes(value) || letters::are_random(value)
}

/// Whether `value` is Base64 of a user and a password that is no placeholder.
fn is_login(value: &[u8]) -> bool {
    let decoded = base64::decode(value);
    let printable = decoded.iter().all(|b| (b' '..0x7f).contains(b));
    let password = decoded.iter().position(|b| *b == b':').map(|colon| &decoded[colon + 1..]);
    printable
        && !judge::is_sample(&decoded)
        && password.is_some_and(|password| !password.is_empty() && !judge::is_placeholder(password))
}

/// Whether `value` is a prefix of words that say secret, and random characters: `acme_live_…`.
fn is_prefixed(value: &[u8]) -> bool {
    let mut parts: Vec<&[u8]> = value.split(|b| matches!(b, b'_' | b'-')).collect();
    let Some(tail) = parts.pop() else { return false };
    let digits = tail.iter().filter(|b| b.is_ascii_digit()).count();
    let mixed = has_three_classes(tail) && digits >= 2 && letters::odd_pairs(tail).0 >= 4;
    let hex = tail.len() >= 32 && tail.iter().all(u8::is_ascii_hexdigit) && digits < tail.len();
    let lower = tail.len() >= 24
        && digits >= 4
        && tail.iter().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
        && letters::odd_pairs(tail).0 >= 4;
    parts.iter().all(|part| part.iter().all(u8::is_ascii_lowercase))
        && (parts.len() > 1 || parts.iter().any(|part| super::VALUES_PREFIXES.has(part)))
        && !parts.iter().any(|part| super::VALUES_PUBLIC_PREFIXES.has(part))
        && (mixed || hex || lower)
}
