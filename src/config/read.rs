//! A `serde` deserializer over [`ConfigNode`]: every fault has its place, every unknown setting is found.

use super::yaml::{ConfigFault, ConfigNode, ConfigValue, Key};
use serde::de::{self, DeserializeOwned, Deserializer, IntoDeserializer, Visitor};
use serde::forward_to_deserialize_any;
use std::cell::RefCell;
use std::fmt;
use std::rc::Rc;

/// Reads `T` from a tree, with all settings that it does not know.
///
/// Unknown settings are collected and passed over, so that one run names all
/// of them; the first value of a wrong shape ends the reading.
pub(super) fn read<T: DeserializeOwned>(root: &ConfigNode) -> (Option<T>, Vec<ConfigFault>) {
    let unknown = RefCell::new(Vec::new());
    let result = T::deserialize(ConfigDeserializer { node: root, unknown: &unknown });
    let mut faults = unknown.into_inner();
    faults.sort_by_key(|fault| fault.at);
    let value = result.map_err(|fault| faults.push(fault)).ok();
    (value, faults)
}

/// So many wrong names are given a suggestion each: more are not read by anyone, and would take long.
pub(super) const MOST_HELPED: usize = 100;

/// The name among `known` that `word` was probably meant to be.
pub(super) fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // A long word is near to no name, and measuring it would be slow.
    if word.len() > 64 {
        return None;
    }
    let plain = |text: &str| text.to_lowercase().replace(['-', ' '], "_");
    let word = plain(word);
    known
        .into_iter()
        .map(|name| (strsim::damerau_levenshtein(&word, &plain(name)), name))
        .filter(|(distance, name)| *distance <= (name.len() / 3).max(1))
        .min()
        .map(|(_, name)| name)
}

/// Help for a name that is none of `known`.
pub(super) fn did_you_mean(word: &str, known: &[&str]) -> String {
    match nearest(word, known.iter().copied()) {
        Some(name) => format!("did you mean `{name}`?"),
        None => format!("known are {}", quoted(known)),
    }
}

fn quoted(names: &[&str]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
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

#[derive(Clone, Copy)]
struct ConfigDeserializer<'a> {
    node: &'a ConfigNode,
    unknown: &'a RefCell<Vec<ConfigFault>>,
}

impl ConfigDeserializer<'_> {
    /// Gives a fault without a place this node's.
    fn placed<T>(self, result: Result<T, ConfigFault>) -> Result<T, ConfigFault> {
        result.map_err(|mut fault| {
            fault.at.get_or_insert(self.node.at);
            fault
        })
    }

    fn wrong<T>(self, expected: &str) -> Result<T, ConfigFault> {
        let found = match &self.node.value {
            ConfigValue::Null => "nothing",
            ConfigValue::Scalar { plain: false, .. } => "a text in quotes",
            ConfigValue::Scalar { .. } => "a single value",
            ConfigValue::List(_) => "a list",
            ConfigValue::Map(_) => "a map",
        };
        Err(ConfigFault::at(self.node.at, format!("expected {expected}, found {found}")))
    }
}

macro_rules! whole_numbers {
    ($($method:ident $visit:ident $type:ty;)+) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ConfigFault> {
            let ConfigValue::Scalar { text, plain: true } = &self.node.value else { return self.wrong("a whole number") };
            match text.parse::<$type>() {
                Ok(number) if text.bytes().all(|b| b.is_ascii_digit()) => self.placed(visitor.$visit(number)),
                _ => Err(ConfigFault::at(
                    self.node.at,
                    format!("`{}` is not a whole number from 0 to {}", shortened(text), <$type>::MAX),
                )),
            }
        })+
    };
}

/// A text as messages quote it.
///
/// Long ones are cut between words: a part of a word may be a part of a secret, which nothing would know any more.
pub(super) fn shortened(text: &str) -> String {
    const WHOLE: usize = 120;
    const CUT: usize = 40;
    if text.chars().nth(WHOLE).is_none() {
        return text.to_owned();
    }
    let start = text.char_indices().nth(CUT).map_or(text, |(end, _)| &text[..end]);
    let words = start.rfind(char::is_whitespace).map_or("", |end| start[..end].trim_end());
    format!("{words}…")
}

impl<'de> Deserializer<'de> for ConfigDeserializer<'de> {
    type Error = ConfigFault;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ConfigFault> {
        self.placed(match &self.node.value {
            ConfigValue::Null => visitor.visit_unit(),
            ConfigValue::Scalar { text, .. } => visitor.visit_borrowed_str(text),
            ConfigValue::List(nodes) => {
                visitor.visit_seq(SeqDeserializer { nodes: nodes.iter(), unknown: self.unknown })
            }
            ConfigValue::Map(pairs) => visitor.visit_map(MapDeserializer {
                pairs: pairs.iter(),
                value: None,
                fields: None,
                unknown: self.unknown,
            }),
        })
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ConfigFault> {
        match &self.node.value {
            ConfigValue::Scalar { text, plain: true } if text == "true" => visitor.visit_bool(true),
            ConfigValue::Scalar { text, plain: true } if text == "false" => visitor.visit_bool(false),
            _ => self.wrong("`true` or `false`"),
        }
    }

    whole_numbers! {
        deserialize_u8 visit_u8 u8;
        deserialize_u32 visit_u32 u32;
        deserialize_u64 visit_u64 u64;
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ConfigFault> {
        match &self.node.value {
            ConfigValue::Scalar { text, .. } => self.placed(visitor.visit_borrowed_str(text)),
            _ => self.wrong("a text"),
        }
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ConfigFault> {
        self.deserialize_str(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ConfigFault> {
        match &self.node.value {
            ConfigValue::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, ConfigFault> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ConfigFault> {
        match &self.node.value {
            ConfigValue::List(_) => self.deserialize_any(visitor),
            _ => self.wrong("a list"),
        }
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ConfigFault> {
        match &self.node.value {
            ConfigValue::Map(_) => self.deserialize_any(visitor),
            _ => self.wrong("a map of names and values"),
        }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ConfigFault> {
        let pairs = match &self.node.value {
            ConfigValue::Map(pairs) => pairs.as_slice(),
            // A heading with nothing below it yet, such as `profiles: {coding: }`.
            ConfigValue::Null => &[],
            _ => return self.wrong("a map of settings"),
        };
        let pairs = MapDeserializer { pairs: pairs.iter(), value: None, fields: Some(fields), unknown: self.unknown };
        self.placed(visitor.visit_map(pairs))
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ConfigFault> {
        match &self.node.value {
            ConfigValue::Scalar { text, .. } if variants.contains(&text.as_str()) => {
                self.placed(visitor.visit_enum(text.as_str().into_deserializer()))
            }
            ConfigValue::Scalar { text, .. } => {
                Err(ConfigFault::at(self.node.at, format!("`{}` is none of {}", shortened(text), quoted(variants)))
                    .help(did_you_mean(text, variants)))
            }
            _ => self.wrong(&format!("one of {}", quoted(variants))),
        }
    }

    forward_to_deserialize_any! {
        i8 i16 i32 i64 i128 u16 u128 f32 f64 char bytes byte_buf unit unit_struct
        tuple tuple_struct identifier ignored_any
    }
}

struct SeqDeserializer<'a> {
    nodes: std::slice::Iter<'a, Rc<ConfigNode>>,
    unknown: &'a RefCell<Vec<ConfigFault>>,
}

impl<'de> de::SeqAccess<'de> for SeqDeserializer<'de> {
    type Error = ConfigFault;

    fn next_element_seed<S: de::DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, ConfigFault> {
        match self.nodes.next() {
            Some(node) => seed.deserialize(ConfigDeserializer { node, unknown: self.unknown }).map(Some),
            None => Ok(None),
        }
    }
}

struct MapDeserializer<'a> {
    pairs: std::slice::Iter<'a, (Key, Rc<ConfigNode>)>,
    value: Option<&'a ConfigNode>,
    /// The settings that a struct knows; a map takes every name.
    fields: Option<&'static [&'static str]>,
    unknown: &'a RefCell<Vec<ConfigFault>>,
}

impl<'de> de::MapAccess<'de> for MapDeserializer<'de> {
    type Error = ConfigFault;

    fn next_key_seed<S: de::DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, ConfigFault> {
        for (key, node) in self.pairs.by_ref() {
            if let Some(fields) = self.fields
                && !fields.contains(&key.text.as_str())
            {
                let mut fault = ConfigFault::at(key.at, format!("unknown setting `{}`", shortened(&key.text)));
                let mut unknown = self.unknown.borrow_mut();
                if unknown.len() < MOST_HELPED {
                    fault = fault.help(did_you_mean(&key.text, fields));
                }
                unknown.push(fault);
                continue;
            }
            self.value = Some(node);
            return seed.deserialize(key.text.as_str().into_deserializer()).map(Some);
        }
        Ok(None)
    }

    fn next_value_seed<S: de::DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, ConfigFault> {
        match self.value.take() {
            Some(node) => seed.deserialize(ConfigDeserializer { node, unknown: self.unknown }),
            None => Err(de::Error::custom("a value was asked for before its name")),
        }
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::super::yaml::{self, Mark};
    use super::*;
    use serde::Deserialize;

    #[derive(Debug, Deserialize, PartialEq)]
    #[serde(deny_unknown_fields)]
    struct NestingLimits {
        max_chars: Option<u64>,
        kind: Option<ExpectedKind>,
        names: Option<Vec<String>>,
    }

    #[derive(Debug, Deserialize, PartialEq)]
    #[serde(rename_all = "snake_case")]
    enum ExpectedKind {
        Both,
        TruncateTail,
    }

    fn faults(text: &str) -> Vec<ConfigFault> {
        read::<NestingLimits>(&yaml::read(text).unwrap()).1
    }

    #[test]
    fn every_unknown_setting_is_named_with_the_nearest_known_one() {
        let found = faults("max_char: 1\nnames: [4.10]\nmax-chars: 2\nzzz: 3\n");
        let help: Vec<_> = found.iter().map(|f| (f.at.unwrap().line, f.help.as_deref().unwrap())).collect();
        assert_eq!(
            help,
            [
                (1, "did you mean `max_chars`?"),
                (3, "did you mean `max_chars`?"),
                (4, "known are `max_chars`, `kind`, `names`")
            ]
        );
    }

    #[test]
    fn values_of_a_wrong_shape_have_their_place() {
        assert_eq!(faults("max_chars: -1\n")[0].message, "`-1` is not a whole number from 0 to 18446744073709551615");
        assert_eq!(faults("max_chars: [1]\n")[0].message, "expected a whole number, found a list");
        assert_eq!(faults("names: {a: b}\n")[0].at, Some(Mark { line: 1, column: 8 }));
        let kind = &faults("kind: truncate-tail\n")[0];
        assert_eq!(kind.help.as_deref(), Some("did you mean `truncate_tail`?"));
    }

    #[test]
    fn numbers_in_lists_of_names_keep_their_spelling() {
        let (limits, faults) = read::<NestingLimits>(&yaml::read("names: [4.10, 0012, no]\nkind: both\n").unwrap());
        assert_eq!(faults, []);
        assert_eq!(limits.unwrap().names.unwrap(), ["4.10", "0012", "no"]);
    }
}
