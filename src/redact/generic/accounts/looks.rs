//! How passwords look that people choose for an account, where its name says that one follows.

use super::super::super::heuristics::{self, NameClass, looks_secret};

/// Whether a value is words that marks join, in one of which a digit stands for a letter: `l0ck-ness-monster`.
pub(in super::super) fn is_written(value: &[u8]) -> bool {
    let part = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.');
    let letter = |b: u8| matches!(b, b'0' | b'1' | b'3' | b'4' | b'5' | b'7');
    let digits = |run: &[u8]| run[0].is_ascii_lowercase() && letter(run[1]) && run[2].is_ascii_lowercase();
    (10..=40).contains(&value.len())
        && value.iter().all(part)
        && value.iter().any(|b| matches!(b, b'-' | b'_' | b'.'))
        && value.windows(3).any(digits)
        && looks_secret(value, NameClass::Password, true)
}

/// Whether a value is two words of five letters or more with a hyphen between them: shorter ones are those of roles and places.
pub(super) fn is_long_pair(value: &[u8]) -> bool {
    heuristics::is_plain_pair(value) && value.split(|b| *b == b'-').all(|word| word.len() >= 5)
}

/// Whether a value is a few words with a capital, in one of which a mark stands for a letter: `Br@nch-Otter`.
pub(super) fn is_substituted(value: &[u8]) -> bool {
    let mark =
        |run: &[u8]| run[0].is_ascii_alphabetic() && matches!(run[1], b'@' | b'$') && run[2].is_ascii_lowercase();
    let letters = |b: &u8| match b {
        b'@' => b'a',
        b'$' => b's',
        other => *other,
    };
    value[0].is_ascii_uppercase()
        // `Name@host`
        && value.iter().position(|b| *b == b'@').is_none_or(|at| at <= 3)
        && value.windows(3).any(mark)
        && heuristics::is_joined_words(&value.iter().map(letters).collect::<Vec<u8>>())
}
