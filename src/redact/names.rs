//! Names of secrets: classifies names such as `DB_PASSWORD`, `apiKey` and `next_page_token` by the words of `rules.toml`.

use super::rules::{self, FindingLabel, SortedWords};

/// The class of secret that a name announces; it decides which values count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    /// A password: words count as well.
    Password,
    /// A secret that a program uses.
    Secret,
    /// A key of an API, or one that signs or encrypts.
    Key,
    /// A token with an owner: `ACCESS_TOKEN`.
    Token,
    /// A name that may be that of something else: `token`, `session`.
    Weak,
    /// A name that rarely is that of a secret: `key`, `signature`.
    Hint,
}

const fn label(name: &'static str, reason: &'static str) -> FindingLabel {
    FindingLabel { name, reason, rank: 5 }
}

static PASSWORD: FindingLabel = label("password", "is the value of a name that says password");
static SECRET: FindingLabel = label("secret", "is the value of a name that says secret");
static KEY: FindingLabel = label("api-key", "is the value of a name that says key");
static TOKEN: FindingLabel = label("token", "is the value of a name that says token");
static CREDENTIALS: FindingLabel = label("credentials", "is the random value of a name that speaks of access");

/// The labels of this file.
pub(super) static LABELS: [&FindingLabel; 5] = [&PASSWORD, &SECRET, &KEY, &TOKEN, &CREDENTIALS];

impl Class {
    /// Returns the label of values under a name of this class.
    pub(super) fn label(self) -> &'static FindingLabel {
        match self {
            Self::Password => &PASSWORD,
            Self::Secret => &SECRET,
            Self::Key => &KEY,
            Self::Token => &TOKEN,
            Self::Weak | Self::Hint => &CREDENTIALS,
        }
    }

    /// Returns the name of the class, as `redact --why` prints it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Password => "password",
            Self::Secret => "secret",
            Self::Key => "key",
            Self::Token => "token",
            Self::Weak => "weak",
            Self::Hint => "hint",
        }
    }
}

/// Returns the words for a password that are not written in ASCII.
pub(super) fn foreign_words() -> impl Iterator<Item = &'static str> {
    rules::NAMES_FOREIGN.iter().filter(|word| !word.is_ascii())
}

/// Returns the class of secret that `name` announces; `None` if its value need not be secret.
pub(super) fn class_of(name: &[u8]) -> Option<Class> {
    if !name.is_ascii() {
        let name = std::str::from_utf8(name).ok()?;
        return foreign_words().any(|word| name.ends_with(word)).then_some(Class::Password);
    }
    let mut words = words_of(name);
    while words.len() > 1 && words.last().is_some_and(|word| rules::NAMES_ENDINGS.has(word.as_bytes())) {
        words.pop();
    }
    let last = words.last()?.as_bytes();
    let before = words.len().checked_sub(2).map_or(&b""[..], |at| words[at].as_bytes());
    if words.len() > 1 && rules::NAMES_QUESTIONS.has(words[0].as_bytes()) {
        return None;
    }
    let joined = words.concat();
    let is_in = |list: &SortedWords| list.has(last) || list.has_end_of(&joined);
    let is_constant = words.len() > 1 && !name.iter().any(u8::is_ascii_lowercase);
    Some(if is_in(&rules::NAMES_PASSWORD) || is_in(&rules::NAMES_FOREIGN) {
        Class::Password
    } else if is_in(&rules::NAMES_SECRET) || last == b"sk" && words.len() > 1 {
        Class::Secret
    } else if is_in(&rules::NAMES_TOKEN) {
        if rules::NAMES_NO_TOKEN.has(before)
            || last.strip_suffix(b"token").is_some_and(|no| rules::NAMES_NO_TOKEN.has(no))
        {
            return None;
        }
        if words.len() == 1 { Class::Weak } else { Class::Token }
    } else if last == b"key" && rules::NAMES_NO_KEY.has(before) {
        return None;
    } else if is_in(&rules::NAMES_KEY) || last == b"key" && is_constant {
        Class::Key
    } else if is_in(&rules::NAMES_WEAK) {
        Class::Weak
    } else if is_in(&rules::NAMES_HINT) {
        Class::Hint
    } else {
        return None;
    })
}

/// Splits a name into its words, in lower case and without the digits at their ends: `dbPass2` is `db`, `pass`.
pub(super) fn words_of(name: &[u8]) -> Vec<String> {
    let mut words = vec![String::new()];
    for (at, byte) in name.iter().enumerate() {
        let before = at.checked_sub(1).map_or(b'_', |before| name[before]);
        let next_is_small = name.get(at + 1).is_some_and(u8::is_ascii_lowercase);
        let begins =
            byte.is_ascii_uppercase() && (before.is_ascii_lowercase() || before.is_ascii_uppercase() && next_is_small);
        if begins || !byte.is_ascii_alphanumeric() {
            words.push(String::new());
        }
        if byte.is_ascii_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.push(char::from(byte.to_ascii_lowercase()));
        }
    }
    for word in &mut words {
        let letters = word.trim_end_matches(|c: char| c.is_ascii_digit()).len();
        word.truncate(if letters >= 3 || letters == 0 { letters } else { word.len() });
    }
    words.retain(|word| !word.is_empty());
    words
}
