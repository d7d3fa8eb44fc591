//! Errors of a configuration, and suggestions of the intended name.

use crate::yaml::Position;
use serde::de;
use std::fmt;

/// How many unknown names get a suggestion: more are not read by anyone, and would take long.
pub(super) const MAX_SUGGESTIONS: usize = 100;

/// An error of the configuration, with its place and a help line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ConfigFault {
    /// `None` until the deserializer adds the place of the value.
    pub(super) at: Option<Position>,
    pub(super) message: String,
    pub(super) help: Option<String>,
}

impl ConfigFault {
    /// A fault at a place.
    pub(super) fn new(at: Position, message: impl Into<String>) -> Self {
        Self { at: Some(at), message: message.into(), help: None }
    }

    /// Adds what to do next.
    pub(super) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

impl std::error::Error for ConfigFault {}

impl fmt::Display for ConfigFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl de::Error for ConfigFault {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self { at: None, message: message.to_string(), help: None }
    }

    // The value itself is not repeated: it may be a secret in the wrong place.
    fn invalid_type(found: de::Unexpected<'_>, expected: &dyn de::Expected) -> Self {
        let found = match found {
            de::Unexpected::Unit | de::Unexpected::Option => "nothing",
            de::Unexpected::Seq => "a list",
            de::Unexpected::Map => "a map",
            _ => "a single value",
        };
        Self::custom(format_args!("expected {expected}, found {found}"))
    }

    fn invalid_value(_: de::Unexpected<'_>, expected: &dyn de::Expected) -> Self {
        Self::custom(format_args!("expected {expected}"))
    }

    fn missing_field(field: &'static str) -> Self {
        Self::custom(format_args!("`{field}` is missing"))
    }
}

/// Returns the name among `known` that `word` was probably meant to be.
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // A long word is near to no name, and measuring it would be slow.
    if word.len() > 64 {
        return None;
    }
    let normalized = |text: &str| text.to_lowercase().replace(['-', ' '], "_");
    let word = normalized(word);
    let most = |name: &str| (name.len() / 3).max(1);
    let length = word.chars().count();
    known
        .into_iter()
        // A word of another length is at least as far as that.
        .filter(|name| length.abs_diff(name.chars().count()) <= most(name))
        .map(|name| (strsim::damerau_levenshtein(&word, &normalized(name)), name))
        .filter(|(distance, name)| *distance <= most(name))
        .min()
        .map(|(_, name)| name)
}

/// Words the help for a name that is none of `known`.
pub(super) fn did_you_mean(word: &str, known: &[&str]) -> String {
    match nearest(word, known.iter().copied()) {
        Some(name) => format!("did you mean `{name}`?"),
        None => format!("known are {}", quoted(known)),
    }
}

/// Lists names in backticks.
pub(super) fn quoted(names: &[&str]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

/// Shortens a text for a message.
///
/// Long ones are cut between words: a part of a word may be a part of a secret, which no rule would recognize any more.
pub(super) fn shortened(text: &str) -> String {
    const MAX_CHARS: usize = 120;
    const CUT_CHARS: usize = 40;
    if text.chars().nth(MAX_CHARS).is_none() {
        return text.to_owned();
    }
    let start = text.char_indices().nth(CUT_CHARS).map_or(text, |(end, _)| &text[..end]);
    let words = start.rfind(char::is_whitespace).map_or("", |end| start[..end].trim_end());
    format!("{words}…")
}
