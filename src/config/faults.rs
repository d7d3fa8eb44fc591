//! Errors of a configuration, and suggestions of the intended name.

use crate::yaml::Position;
use serde::de;
use std::fmt;

/// How many unknown names get a suggestion: more are not read by anyone, and would take long.
pub(super) const MAX_SUGGESTIONS: usize = 100;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ConfigFault {
    /// `None` until the deserializer adds the place of the setting.
    pub(super) at: Option<Position>,
    pub(super) message: String,
    pub(super) help: Option<String>,
    pub(super) kind: FaultKind,
    /// The steps from the faulty value up to the root of the file.
    pub(super) path: Vec<PathStep>,
}

/// How a value came to be faulty.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FaultKind {
    Check,
    /// It has another shape than its setting, such as a list in place of a text.
    Shape,
    /// A part of this name, which it must have, is absent.
    Missing(&'static str),
}

/// A step from a list or map to a value in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum PathStep {
    Key(String),
    Index(usize),
}

impl ConfigFault {
    /// A fault whose place is added later.
    pub(super) fn new(message: impl Into<String>) -> Self {
        Self { at: None, message: message.into(), help: None, kind: FaultKind::Check, path: Vec::new() }
    }

    pub(super) fn at(self, at: Position) -> Self {
        Self { at: Some(at), ..self }
    }

    pub(super) fn help(self, help: impl Into<String>) -> Self {
        Self { help: Some(help.into()), ..self }
    }
}

impl std::error::Error for ConfigFault {}

/// Separates the message from the help in the text that `serde` carries from a check to the deserializer. YAML texts
/// cannot hold it unescaped.
const HELP_MARK: char = '\u{1}';

impl fmt::Display for ConfigFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        self.help.iter().try_for_each(|help| write!(f, "{HELP_MARK}{help}"))
    }
}

impl de::Error for ConfigFault {
    fn custom<T: fmt::Display>(message: T) -> Self {
        let text = message.to_string();
        match text.split_once(HELP_MARK) {
            Some((message, help)) => Self::new(message).help(help),
            None => Self::new(text),
        }
    }

    // The value itself is not repeated: it may be a secret in the wrong place.
    fn invalid_type(found: de::Unexpected<'_>, expected: &dyn de::Expected) -> Self {
        let found = match found {
            de::Unexpected::Unit | de::Unexpected::Option => "nothing",
            de::Unexpected::Seq => "a list",
            de::Unexpected::Map => "a map",
            _ => "a single value",
        };
        Self { kind: FaultKind::Shape, ..Self::new(format!("expected {expected}, found {found}")) }
    }

    fn invalid_value(_: de::Unexpected<'_>, expected: &dyn de::Expected) -> Self {
        Self { kind: FaultKind::Shape, ..Self::new(format!("expected {expected}")) }
    }

    fn missing_field(field: &'static str) -> Self {
        Self { kind: FaultKind::Missing(field), ..Self::new(format!("`{field}` is missing")) }
    }
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
