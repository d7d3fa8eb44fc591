//! Ids that are the first 12 hex digits of a hash.

use crate::handoff::cards::CardError;
use crate::model::Digest;

/// The number of hex digits of an id.
const DIGITS: usize = 12;

/// The fewest digits that name something.
const FEWEST: usize = 4;

/// Returns the first digits of the SHA-256 of these bytes.
pub(crate) fn short_hash(bytes: &[u8]) -> String {
    Digest::of(bytes).short(DIGITS)
}

/// Returns whether a text is a whole id.
pub(crate) fn is_short_hash(text: &str) -> bool {
    text.len() == DIGITS && is_hex(text)
}

fn is_hex(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// Parses an id or its first digits, as a user types them; `field` is the name of the id in messages.
///
/// # Errors
/// [`CardError::BadRequest`] if it is none.
pub(crate) fn short_prefix(typed: &str, field: &str) -> Result<String, CardError> {
    let digits = typed.to_ascii_lowercase();
    if (FEWEST..=DIGITS).contains(&digits.len()) && is_hex(&digits) {
        return Ok(digits);
    }
    Err(CardError::BadRequest(format!(
        "`{typed}` is no {field}: give its {DIGITS} hex digits, or the first {FEWEST} or more of them"
    )))
}

/// Defines a type of ids, with its documentation and the name of the field that holds one.
macro_rules! short_id {
    ($(#[doc = $doc:literal])+ $name:ident, $field:literal) => {
        $(#[doc = $doc])+
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
        pub struct $name(String);

        impl $name {
            /// Returns the id of a file with these bytes.
            pub fn of(bytes: &[u8]) -> Self {
                Self($crate::handoff::batches::short_hash(bytes))
            }

            /// Parses a whole id.
            pub fn parse(text: &str) -> Option<Self> {
                $crate::handoff::batches::is_short_hash(text).then(|| Self(text.to_owned()))
            }

            /// Parses an id or its first digits, as a user types them.
            ///
            /// # Errors
            /// [`CardError::BadRequest`](crate::handoff::cards::CardError) if it is none.
            pub fn prefix(typed: &str) -> Result<String, $crate::handoff::cards::CardError> {
                $crate::handoff::batches::short_prefix(typed, $field)
            }

            /// Returns the digits.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(&self.0)
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = <String as serde::Deserialize>::deserialize(deserializer)?;
                let wrong = || serde::de::Error::custom(concat!("`", $field, "` is 12 lower-case hex digits"));
                Self::parse(&text).ok_or_else(wrong)
            }
        }

        impl schemars::JsonSchema for $name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                schemars::json_schema!({
                    "type": "string",
                    "pattern": "^[0-9a-f]{12}$",
                    "description": concat!($($doc),+).trim(),
                })
            }
        }
    };
}
pub(crate) use short_id;
