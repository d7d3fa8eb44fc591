//! Settings that may be written in more than one way.

use crate::model::parse_amount;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, Deserialize, Deserializer, SeqAccess, Visitor};
use std::borrow::Cow;
use std::fmt;

/// One text or a list of texts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct OneOrMany(pub(super) Vec<String>);

impl<'de> Deserialize<'de> for OneOrMany {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct OneOrManyVisitor;
        impl<'de> Visitor<'de> for OneOrManyVisitor {
            type Value = OneOrMany;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a text or a list of texts")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<OneOrMany, E> {
                Ok(OneOrMany(vec![text.to_owned()]))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<OneOrMany, A::Error> {
                let mut words = Vec::new();
                while let Some(word) = items.next_element()? {
                    words.push(word);
                }
                Ok(OneOrMany(words))
            }
        }
        deserializer.deserialize_any(OneOrManyVisitor)
    }
}

impl JsonSchema for OneOrMany {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Words".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "anyOf": [
                {"description": "One.", "type": "string"},
                {"description": "Several.", "type": "array", "items": {"type": "string"}}
            ]
        })
    }
}

/// A limit, written `8000` or `8k`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RawLimit(pub(super) u64);

impl<'de> Deserialize<'de> for RawLimit {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct LimitVisitor;
        impl Visitor<'_> for LimitVisitor {
            type Value = RawLimit;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a limit such as `8000` or `8k`")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<RawLimit, E> {
                parse_amount(text).map(RawLimit).ok_or_else(|| E::invalid_value(de::Unexpected::Str(text), &self))
            }
        }
        deserializer.deserialize_any(LimitVisitor)
    }
}

impl JsonSchema for RawLimit {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Limit".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "anyOf": [
                {"description": "The limit as a number.", "type": "integer", "minimum": 1},
                {"description": "Thousands, such as `8k`.", "type": "string", "pattern": "^[1-9][0-9]*[kK]$"}
            ]
        })
    }
}

/// A percentage, written `15` or `15%`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Percent(pub(super) u8);

impl<'de> Deserialize<'de> for Percent {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct PercentVisitor;
        impl Visitor<'_> for PercentVisitor {
            type Value = Percent;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a percentage from 0 to 100, such as `15%`")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Percent, E> {
                let digits = text.strip_suffix('%').unwrap_or(text).trim_end();
                let number = digits.bytes().all(|b| b.is_ascii_digit()).then(|| digits.parse().ok());
                match number.flatten() {
                    Some(number @ 0..=100) => Ok(Percent(number)),
                    _ => Err(E::invalid_value(de::Unexpected::Str(text), &self)),
                }
            }
        }
        deserializer.deserialize_any(PercentVisitor)
    }
}

impl JsonSchema for Percent {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Percent".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "anyOf": [
                {"description": "Percent as a number.", "type": "integer", "minimum": 0, "maximum": 100},
                {"description": "Percent with its sign.", "type": "string", "pattern": "^[0-9]{1,3} ?%$"}
            ]
        })
    }
}
