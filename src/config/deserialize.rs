//! A `serde` deserializer over [`YamlNode`] whose faults have places, and which finds every unknown setting.

use super::faults::{ConfigFault, MAX_SUGGESTIONS, did_you_mean, quoted, shortened};
use crate::yaml::{YamlKey, YamlNode, YamlValue};
use serde::de::{self, DeserializeOwned, Deserializer, IntoDeserializer, Visitor};
use serde::forward_to_deserialize_any;
use std::cell::RefCell;

/// Reads `T` from a tree, and returns the faults.
///
/// Unknown settings are collected and skipped, so that one run names all of them; the first value of a wrong shape ends
/// the reading, and there is no `T`.
pub(super) fn deserialize<T: DeserializeOwned>(root: &YamlNode) -> (Option<T>, Vec<ConfigFault>) {
    let unknown = RefCell::new(Vec::new());
    let result = T::deserialize(ConfigDeserializer { node: root, unknown: &unknown });
    let mut faults = unknown.into_inner();
    faults.sort_by_key(|fault| fault.at);
    let value = result.map_err(|fault| faults.push(fault)).ok();
    (value, faults)
}

#[derive(Clone, Copy)]
struct ConfigDeserializer<'a> {
    node: &'a YamlNode,
    unknown: &'a RefCell<Vec<ConfigFault>>,
}

impl ConfigDeserializer<'_> {
    /// Adds this node's place to a fault without one.
    fn at_node<T>(self, result: Result<T, ConfigFault>) -> Result<T, ConfigFault> {
        result.map_err(|mut fault| {
            fault.at.get_or_insert(self.node.at);
            fault
        })
    }

    fn wrong_shape<T>(self, expected: &str) -> Result<T, ConfigFault> {
        let found = match &self.node.value {
            YamlValue::Null => "nothing",
            YamlValue::Scalar { plain: false, .. } => "a text in quotes",
            YamlValue::Scalar { .. } => "a single value",
            YamlValue::List(_) => "a list",
            YamlValue::Map(_) => "a map",
        };
        Err(ConfigFault::new(self.node.at, format!("expected {expected}, found {found}")))
    }
}

macro_rules! whole_numbers {
    ($($method:ident $visit:ident $type:ty;)+) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ConfigFault> {
            let YamlValue::Scalar { text, plain: true } = &self.node.value else { return self.wrong_shape("a whole number") };
            match text.parse::<$type>() {
                Ok(number) if text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'-')) => self.at_node(visitor.$visit(number)),
                _ => Err(ConfigFault::new(
                    self.node.at,
                    format!("`{}` is not a whole number from {} to {}", shortened(text), <$type>::MIN, <$type>::MAX),
                )),
            }
        })+
    };
}

impl<'de> Deserializer<'de> for ConfigDeserializer<'de> {
    type Error = ConfigFault;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ConfigFault> {
        self.at_node(match &self.node.value {
            YamlValue::Null => visitor.visit_unit(),
            YamlValue::Scalar { text, .. } => visitor.visit_borrowed_str(text),
            YamlValue::List(nodes) => visitor.visit_seq(SeqDeserializer { nodes: nodes.iter(), unknown: self.unknown }),
            YamlValue::Map(pairs) => visitor.visit_map(MapDeserializer {
                pairs: pairs.iter(),
                value: None,
                fields: None,
                unknown: self.unknown,
            }),
        })
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ConfigFault> {
        match &self.node.value {
            YamlValue::Scalar { text, plain: true } if text == "true" => visitor.visit_bool(true),
            YamlValue::Scalar { text, plain: true } if text == "false" => visitor.visit_bool(false),
            _ => self.wrong_shape("`true` or `false`"),
        }
    }

    whole_numbers! {
        deserialize_u8 visit_u8 u8;
        deserialize_u32 visit_u32 u32;
        deserialize_u64 visit_u64 u64;
        deserialize_i32 visit_i32 i32;
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ConfigFault> {
        match &self.node.value {
            YamlValue::Scalar { text, .. } => self.at_node(visitor.visit_borrowed_str(text)),
            _ => self.wrong_shape("a text"),
        }
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ConfigFault> {
        self.deserialize_str(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ConfigFault> {
        match &self.node.value {
            YamlValue::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, ConfigFault> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ConfigFault> {
        match &self.node.value {
            YamlValue::List(_) => self.deserialize_any(visitor),
            _ => self.wrong_shape("a list"),
        }
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ConfigFault> {
        match &self.node.value {
            YamlValue::Map(_) => self.deserialize_any(visitor),
            _ => self.wrong_shape("a map of names and values"),
        }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ConfigFault> {
        let pairs = match &self.node.value {
            YamlValue::Map(pairs) => pairs.as_slice(),
            // A name without settings yet, such as `profiles: {coding: }`.
            YamlValue::Null => &[],
            _ => return self.wrong_shape("a map of settings"),
        };
        let pairs = MapDeserializer { pairs: pairs.iter(), value: None, fields: Some(fields), unknown: self.unknown };
        self.at_node(visitor.visit_map(pairs))
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ConfigFault> {
        match &self.node.value {
            YamlValue::Scalar { text, .. } if variants.contains(&text.as_str()) => {
                self.at_node(visitor.visit_enum(text.as_str().into_deserializer()))
            }
            YamlValue::Scalar { text, .. } => {
                Err(ConfigFault::new(self.node.at, format!("`{}` is none of {}", shortened(text), quoted(variants)))
                    .help(did_you_mean(text, variants)))
            }
            _ => self.wrong_shape(&format!("one of {}", quoted(variants))),
        }
    }

    forward_to_deserialize_any! {
        i8 i16 i64 i128 u16 u128 f32 f64 char bytes byte_buf unit unit_struct
        tuple tuple_struct identifier ignored_any
    }
}

struct SeqDeserializer<'a> {
    nodes: std::slice::Iter<'a, YamlNode>,
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
    pairs: std::slice::Iter<'a, (YamlKey, YamlNode)>,
    value: Option<&'a YamlNode>,
    /// The settings of a struct; `None` for a map, which takes every name.
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
                let mut fault = ConfigFault::new(key.at, format!("unknown setting `{}`", shortened(&key.text)));
                let mut unknown = self.unknown.borrow_mut();
                if unknown.len() < MAX_SUGGESTIONS {
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
    use super::super::tree;
    use super::*;
    use crate::yaml::Position;
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
        deserialize::<NestingLimits>(&tree::read(text).unwrap()).1
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
        assert_eq!(faults("names: {a: b}\n")[0].at, Some(Position { line: 1, column: 8 }));
        let kind = &faults("kind: truncate-tail\n")[0];
        assert_eq!(kind.help.as_deref(), Some("did you mean `truncate_tail`?"));
    }

    #[test]
    fn numbers_in_lists_of_names_keep_their_spelling() {
        let (limits, faults) =
            deserialize::<NestingLimits>(&tree::read("names: [4.10, 0012, no]\nkind: both\n").unwrap());
        assert_eq!(faults, []);
        assert_eq!(limits.unwrap().names.unwrap(), ["4.10", "0012", "no"]);
    }
}
