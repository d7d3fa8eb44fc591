//! Lenient reading of damaged packs, so that their readable parts can be compared.

use super::super::read::{ReadError, read};
use super::super::verify::content_hash;
use crate::wire::{Generator, Pack, PackBudget, PackRoot, SCHEMA_VERSION};
use serde::de::{DeserializeOwned, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use std::fmt;

/// A pack that may be incomplete.
#[derive(Debug, Clone, Default)]
pub struct SalvagedPack {
    /// The pack, or as much of it as could be read; `None` if it is not a pack at all.
    pub pack: Option<Pack>,
    /// The faults of the file.
    pub faults: Vec<String>,
    /// Whether the file ends early, so that the rest of the pack is unknown.
    pub truncated: bool,
    /// Whether it is a pack with the markers of a conflict, so that nothing of it can be compared.
    pub is_unmerged: bool,
}

/// Reads a pack leniently: the known fields of another version, the part before the damage of a broken file.
pub fn salvage(bytes: &[u8]) -> SalvagedPack {
    let error = match read(bytes) {
        Ok(pack) => {
            let changed = content_hash(bytes).is_none_or(|digest| digest.to_string() != pack.hash);
            let fault = "its content is not what its hash says: it was changed after it was built".to_owned();
            return SalvagedPack {
                pack: Some(pack),
                faults: Vec::from_iter(changed.then_some(fault)),
                truncated: false,
                is_unmerged: false,
            };
        }
        Err(error) => error,
    };
    // Markers stand between two packs, of which neither is the one.
    if let ReadError::Conflict(_) = &error {
        let claims = String::from_utf8_lossy(bytes).contains("\"context_pack/");
        let what = if claims { "it is damaged" } else { "it is no context pack" };
        return SalvagedPack {
            pack: None,
            faults: vec![format!("{what}: {error}")],
            truncated: true,
            is_unmerged: claims,
        };
    }
    let fault = match &error {
        ReadError::Version(version) => {
            format!("it is of version `{version}`: only what `{SCHEMA_VERSION}` knows is compared")
        }
        error => format!("it is damaged, and compared as far as it can be read: {error}"),
    };
    let fields = readable(bytes);
    let named = fields.get("schema_version").and_then(Value::as_str).is_some_and(|it| it.starts_with("context_pack/"));
    if !named {
        let why = match fields.is_empty() {
            true => error.to_string(),
            false => "no `schema_version` says that it is one".to_owned(),
        };
        return SalvagedPack {
            pack: None,
            faults: vec![format!("it is no context pack: {why}")],
            truncated: true,
            is_unmerged: false,
        };
    }
    SalvagedPack {
        pack: Some(known(&fields)),
        faults: vec![fault],
        truncated: !matches!(error, ReadError::Version(_)),
        is_unmerged: false,
    }
}

/// Returns the outermost fields up to the first syntax error.
fn readable(bytes: &[u8]) -> Map<String, Value> {
    let text = String::from_utf8_lossy(bytes);
    let mut fields = Map::new();
    let mut json = serde_json::Deserializer::from_str(text.trim_start_matches('\u{feff}'));
    // The fields before the error are the result.
    let _damage = PackFields(&mut fields).deserialize(&mut json);
    fields
}

struct PackFields<'a>(&'a mut Map<String, Value>);
struct PackField<'a>(&'a mut Value);

impl<'de> DeserializeSeed<'de> for PackFields<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for PackFields<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a pack")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        const LISTS: [&str; 5] = ["inputs", "sections", "omissions", "redactions", "warnings"];
        while let Some(name) = map.next_key::<String>()? {
            if LISTS.contains(&name.as_str()) {
                map.next_value_seed(PackField(self.0.entry(name).or_insert_with(|| json!([]))))?;
            } else {
                let value = map.next_value::<Value>()?;
                self.0.insert(name, value);
            }
        }
        Ok(())
    }
}

impl<'de> DeserializeSeed<'de> for PackField<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for PackField<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        let Value::Array(values) = self.0 else { return list.next_element::<IgnoredAny>().map(drop) };
        while let Some(value) = list.next_element::<Value>()? {
            values.push(value);
        }
        Ok(())
    }
}

/// Returns the known fields as a pack; a field that is missing or of another type is empty, such a list entry is left out.
fn known(fields: &Map<String, Value>) -> Pack {
    let names = field_names();
    let part = |name: &str| stripped(fields.get(name).unwrap_or(&Value::Null), &names);
    let text = |name: &str| part(name).as_str().unwrap_or_default().to_owned();
    fn list<T: DeserializeOwned>(part: Value) -> Vec<T> {
        let Value::Array(values) = part else { return Vec::new() };
        values.into_iter().filter_map(|value| serde_json::from_value(value).ok()).collect()
    }
    let budget = PackBudget {
        max_chars: None,
        max_bytes: None,
        max_tokens: None,
        margin: None,
        strategy: String::new(),
        tokenizer: None,
        rendering: String::new(),
        used_chars: 0,
        used_bytes: 0,
        used_tokens: None,
    };
    Pack {
        schema_version: text("schema_version"),
        pack_id: text("pack_id"),
        generated_at: text("generated_at"),
        generator: serde_json::from_value(part("generator")).unwrap_or(Generator {
            name: String::new(),
            version: String::new(),
            redaction_rules: None,
        }),
        profile: text("profile"),
        root: serde_json::from_value(part("root")).unwrap_or(PackRoot {
            work_item_id: None,
            issue_url: None,
            title: String::new(),
        }),
        agent: serde_json::from_value(part("agent")).unwrap_or_default(),
        policy: serde_json::from_value(part("policy")).unwrap_or_default(),
        job: serde_json::from_value(part("job")).unwrap_or_default(),
        handover: serde_json::from_value(part("handover")).unwrap_or_default(),
        inputs: list(part("inputs")),
        budget: serde_json::from_value(part("budget")).unwrap_or(budget),
        hash: text("hash"),
        sections: list(part("sections")),
        omissions: list(part("omissions")),
        redactions: list(part("redactions")),
        warnings: list(part("warnings")),
    }
}

/// Returns the names of all fields in this version's schema.
fn field_names() -> BTreeSet<String> {
    fn collect(schema: &Value, names: &mut BTreeSet<String>) {
        let children: Box<dyn Iterator<Item = &Value>> = match schema {
            Value::Object(fields) => {
                names.extend(
                    fields.get("properties").and_then(Value::as_object).into_iter().flat_map(|it| it.keys().cloned()),
                );
                Box::new(fields.values())
            }
            Value::Array(values) => Box::new(values.iter()),
            _ => return,
        };
        children.for_each(|child| collect(child, names));
    }
    let mut names = BTreeSet::new();
    collect(&serde_json::from_str(&crate::wire::schema()).unwrap_or_default(), &mut names);
    names
}

/// Returns the value without fields that this version does not know.
fn stripped(value: &Value, names: &BTreeSet<String>) -> Value {
    match value {
        Value::Object(fields) => {
            let known = fields.iter().filter(|(name, _)| names.contains(*name));
            Value::Object(known.map(|(name, value)| (name.clone(), stripped(value, names))).collect())
        }
        Value::Array(values) => values.iter().map(|value| stripped(value, names)).collect(),
        other => other.clone(),
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    const PACK: &str = include_str!("../../../tests/golden/minimal/packs/feat-greeting.coding.json");

    #[test]
    fn a_whole_pack_has_no_fault_and_an_edited_one_says_so() {
        let whole = salvage(PACK.as_bytes());
        assert_eq!(whole.faults, Vec::<String>::new());
        let edited = salvage(PACK.replacen("\"trusted\"", "\"untrusted\"", 1).as_bytes());
        assert!(
            edited.pack.is_some() && edited.faults[0].contains("changed after it was built"),
            "{:?}",
            edited.faults
        );
    }

    #[test]
    fn a_truncated_pack_keeps_what_precedes_the_cut() {
        let whole = salvage(PACK.as_bytes()).pack.unwrap();
        let cut = PACK.find("\"id\": \"root.json\"").unwrap();
        let truncated = salvage(&PACK.as_bytes()[..cut]);
        assert!(truncated.faults[0].starts_with("it is damaged"), "{:?}", truncated.faults);
        let truncated = truncated.pack.unwrap();
        assert_eq!(truncated.inputs, whole.inputs);
        assert!(!truncated.sections.is_empty() && whole.sections.starts_with(&truncated.sections));
        assert!(truncated.sections.len() < whole.sections.len());
    }

    #[test]
    fn a_pack_of_a_later_version_keeps_the_known_fields() {
        let whole = salvage(PACK.as_bytes()).pack.unwrap();
        let later =
            PACK.replace("context_pack/v1", "context_pack/v2").replace("\"detail\":", "\"mood\": 1, \"detail\":");
        let read = salvage(later.as_bytes());
        assert!(read.faults[0].contains("`context_pack/v2`"), "{:?}", read.faults);
        assert_eq!(read.pack.unwrap().sections, whole.sections);
    }

    #[test]
    fn other_files_are_not_packs() {
        for text in ["", "{}", "[1]", "# Notes", "{\"schema_version\": \"x/1\"}", "\u{0}"] {
            let read = salvage(text.as_bytes());
            assert!(read.pack.is_none() && read.faults.len() == 1, "{text}: {:?}", read.faults);
        }
    }
}
