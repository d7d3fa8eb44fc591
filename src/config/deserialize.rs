//! Reads typed settings from a tree, with the place of every fault.
//!
//! `serde` stops at the first fault, and a user wants all of them. So a faulty value is recorded and removed, and the
//! reading begins again, until what is left can be read. Unknown settings are collected on the way.

use super::faults::{ConfigFault, FaultKind, MAX_SUGGESTIONS, PathStep, shortened};
use super::tree;
use crate::model::{did_you_mean, quoted};
use crate::yaml::{Position, YamlKey, YamlNode, YamlValue};
use serde::de::{self, DeserializeOwned, Deserializer, IntoDeserializer, Visitor};
use serde::forward_to_deserialize_any;
use std::cell::RefCell;
use std::collections::BTreeMap;

/// The most faulty values that one run reports; each costs a reading.
const MAX_FAULTY_VALUES: usize = 50;

/// Reads `T` from `root`, with `defaults` for what it leaves out, and records every fault.
///
/// What is faulty is removed from `root`, so that further checks see the rest. Returns `None` if no `T` is left.
pub(super) fn read<T: DeserializeOwned>(
    root: &mut YamlNode,
    defaults: Option<&YamlNode>,
    faults: &mut Vec<ConfigFault>,
) -> Option<T> {
    let unknown = RefCell::default();
    let mut value = None;
    for count in 1..=MAX_FAULTY_VALUES {
        let mut complete = root.clone();
        if let Some(defaults) = defaults {
            tree::fill(&mut complete, defaults);
        }
        let fault = match T::deserialize(ConfigDeserializer { node: &complete, unknown: &unknown }) {
            Ok(read) => {
                value = Some(read);
                break;
            }
            Err(fault) => fault,
        };
        let is_whole = fault.path.is_empty();
        let at_fault = tree::find(root, &fault.path);
        let is_lost = |name| at_fault.as_ref().is_some_and(|node| tree::has_lost(node, name));
        // A part is missing since it was removed itself.
        if !matches!(fault.kind, FaultKind::Missing(name) if is_lost(name)) {
            faults.push(fault);
        }
        let Some(node) = at_fault.filter(|_| !is_whole) else { break };
        tree::remove(node);
        if count == MAX_FAULTY_VALUES {
            let fault = ConfigFault::new(format!("only {count} faulty values are reported; there may be more"));
            let at = faults.last().and_then(|fault| fault.at).unwrap_or(root.at);
            faults.push(fault.help("correct those above and run the command again").at(at));
        }
    }
    faults.extend(unknown.into_inner().into_values());
    value
}

type UnknownSettings = RefCell<BTreeMap<Position, ConfigFault>>;

#[derive(Clone, Copy)]
struct ConfigDeserializer<'a> {
    node: &'a YamlNode,
    unknown: &'a UnknownSettings,
}

impl<'a> ConfigDeserializer<'a> {
    fn pairs(self, pairs: &'a [(YamlKey, YamlNode)], fields: Option<&'static [&'static str]>) -> YamlMapAccess<'a> {
        YamlMapAccess { pairs: pairs.iter(), value: None, fields, unknown: self.unknown }
    }

    /// Adds this node's place to a fault of its shape. What a check refuses is named at its key.
    fn at_node<T>(self, result: Result<T, ConfigFault>) -> Result<T, ConfigFault> {
        result.map_err(|mut fault| {
            if fault.kind != FaultKind::Check {
                fault.at.get_or_insert(self.node.at);
            }
            fault
        })
    }

    fn fault(self, message: String) -> ConfigFault {
        ConfigFault::new(message).at(self.node.at)
    }

    fn wrong_shape<T>(self, expected: &str) -> Result<T, ConfigFault> {
        let found = match &self.node.value {
            YamlValue::Null => "nothing",
            YamlValue::Scalar { plain: false, .. } => "a text in quotes",
            YamlValue::Scalar { .. } => "a single value",
            YamlValue::List(_) => "a list",
            YamlValue::Map(_) => "a map",
        };
        Err(self.fault(format!("expected {expected}, found {found}")))
    }

    /// Reads a whole number, whose limits are those of its type.
    fn whole_number<T: std::str::FromStr>(self, min: impl ToString, max: impl ToString) -> Result<T, ConfigFault> {
        let YamlValue::Scalar { text, plain: true } = &self.node.value else {
            return self.wrong_shape("a whole number");
        };
        let is_plain = text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'-'));
        text.parse().ok().filter(|_| is_plain).ok_or_else(|| {
            let (min, max) = (min.to_string(), max.to_string());
            self.fault(format!("`{}` is not a whole number from {min} to {max}", shortened(text)))
        })
    }
}

impl<'de> Deserializer<'de> for ConfigDeserializer<'de> {
    type Error = ConfigFault;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ConfigFault> {
        self.at_node(match &self.node.value {
            YamlValue::Null => visitor.visit_unit(),
            YamlValue::Scalar { text, .. } => visitor.visit_borrowed_str(text),
            YamlValue::List(nodes) => visitor.visit_seq(Items { nodes, next: 0, unknown: self.unknown }),
            YamlValue::Map(pairs) => visitor.visit_map(self.pairs(pairs, None)),
        })
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ConfigFault> {
        match &self.node.value {
            YamlValue::Scalar { text, plain: true } if text == "true" => visitor.visit_bool(true),
            YamlValue::Scalar { text, plain: true } if text == "false" => visitor.visit_bool(false),
            _ => self.wrong_shape("`true` or `false`"),
        }
    }

    fn deserialize_u32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ConfigFault> {
        visitor.visit_u32(self.whole_number(u32::MIN, u32::MAX)?)
    }

    fn deserialize_u64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ConfigFault> {
        visitor.visit_u64(self.whole_number(u64::MIN, u64::MAX)?)
    }

    fn deserialize_i32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ConfigFault> {
        visitor.visit_i32(self.whole_number(i32::MIN, i32::MAX)?)
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ConfigFault> {
        match &self.node.value {
            YamlValue::Scalar { .. } => self.deserialize_any(visitor),
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
        self.at_node(visitor.visit_map(self.pairs(pairs, Some(fields))))
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ConfigFault> {
        match &self.node.value {
            YamlValue::Scalar { text, .. } if variants.contains(&text.as_str()) => {
                visitor.visit_enum(text.as_str().into_deserializer())
            }
            YamlValue::Scalar { text, .. } => {
                let fault = self.fault(format!("`{}` is none of {}", shortened(text), quoted(variants)));
                Err(fault.help(did_you_mean(text, variants.iter().copied())))
            }
            _ => self.wrong_shape(&format!("one of {}", quoted(variants))),
        }
    }

    forward_to_deserialize_any! {
        i8 i16 i64 i128 u8 u16 u128 f32 f64 char bytes byte_buf unit unit_struct
        tuple tuple_struct identifier ignored_any
    }
}

/// Adds to a fault the step to the value that has it, and where that is unless the fault has a place.
fn inside<T>(result: Result<T, ConfigFault>, at: Position, step: impl FnOnce() -> PathStep) -> Result<T, ConfigFault> {
    result.map_err(|mut fault| {
        fault.at.get_or_insert(at);
        fault.path.push(step());
        fault
    })
}

struct Items<'a> {
    nodes: &'a [YamlNode],
    next: usize,
    unknown: &'a UnknownSettings,
}

impl<'de> de::SeqAccess<'de> for Items<'de> {
    type Error = ConfigFault;

    fn next_element_seed<S: de::DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, ConfigFault> {
        while let Some(node) = self.nodes.get(self.next) {
            let index = self.next;
            self.next += 1;
            if !tree::is_removed(node) {
                let value = seed.deserialize(ConfigDeserializer { node, unknown: self.unknown });
                return inside(value, node.at, || PathStep::Index(index)).map(Some);
            }
        }
        Ok(None)
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.nodes.len())
    }
}

struct YamlMapAccess<'a> {
    pairs: std::slice::Iter<'a, (YamlKey, YamlNode)>,
    value: Option<(&'a YamlKey, &'a YamlNode)>,
    /// The settings of a struct; `None` for a map, which takes every name.
    fields: Option<&'static [&'static str]>,
    unknown: &'a UnknownSettings,
}

impl YamlMapAccess<'_> {
    /// Whether a pair is read: removed values are not, nor are settings without a value or a meaning.
    fn counts(&self, key: &YamlKey, node: &YamlNode) -> bool {
        let Some(fields) = self.fields else { return !tree::is_removed(node) };
        if fields.contains(&key.text.as_str()) {
            return node.value != YamlValue::Null;
        }
        let mut unknown = self.unknown.borrow_mut();
        let count = unknown.len();
        unknown.entry(key.at).or_insert_with(|| {
            let fault = ConfigFault::new(format!("unknown setting `{}`", shortened(&key.text))).at(key.at);
            if count < MAX_SUGGESTIONS { fault.help(did_you_mean(&key.text, fields.iter().copied())) } else { fault }
        });
        false
    }
}

impl<'de> de::MapAccess<'de> for YamlMapAccess<'de> {
    type Error = ConfigFault;

    fn next_key_seed<S: de::DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, ConfigFault> {
        while let Some((key, node)) = self.pairs.next() {
            if self.counts(key, node) {
                self.value = Some((key, node));
                return seed.deserialize(key.text.as_str().into_deserializer()).map(Some);
            }
        }
        Ok(None)
    }

    fn next_value_seed<S: de::DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, ConfigFault> {
        let (key, node) = self.value.take().ok_or_else(|| ConfigFault::new("a value was asked for before its name"))?;
        let value = seed.deserialize(ConfigDeserializer { node, unknown: self.unknown });
        inside(value, key.at, || PathStep::Key(key.text.clone()))
    }
}
