//! Lenient reading of damaged packs, so that their readable parts can be compared.

use super::super::read::{ReadError, read};
use super::super::verify::content_hash;
use crate::wire::{Pack, SCHEMA_VERSION};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

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
    let no_pack =
        |fault: String, is_unmerged| SalvagedPack { pack: None, faults: vec![fault], truncated: true, is_unmerged };
    let error = match read(bytes) {
        Ok(pack) => {
            let changed = content_hash(bytes).is_none_or(|digest| digest.to_string() != pack.hash);
            let fault = "its content is not what its hash says: it was changed after it was built".to_owned();
            let faults = Vec::from_iter(changed.then_some(fault));
            return SalvagedPack { pack: Some(pack), faults, ..SalvagedPack::default() };
        }
        // Markers stand between two packs, of which neither is the one.
        Err(error @ ReadError::Conflict(_)) => {
            let claims = String::from_utf8_lossy(bytes).contains("\"context_pack/");
            let what = if claims { "it is damaged" } else { "it is no context pack" };
            return no_pack(format!("{what}: {error}"), claims);
        }
        Err(error) => error,
    };
    let fields = readable(&String::from_utf8_lossy(bytes));
    let named = fields.get("schema_version").and_then(Value::as_str).is_some_and(|it| it.starts_with("context_pack/"));
    let fault = match &error {
        _ if !named && fields.is_empty() => format!("it is no context pack: {error}"),
        _ if !named => "it is no context pack: no `schema_version` says that it is one".to_owned(),
        ReadError::Version(version) => {
            format!("it is of version `{version}`: only what `{SCHEMA_VERSION}` knows is compared")
        }
        error => format!("it is damaged, and compared as far as it can be read: {error}"),
    };
    if !named {
        return no_pack(fault, false);
    }
    let truncated = !matches!(error, ReadError::Version(_));
    SalvagedPack { pack: Some(known(&fields)), faults: vec![fault], truncated, is_unmerged: false }
}

/// Returns the outermost fields up to the first syntax error; of a list that it is in, the whole entries.
fn readable(text: &str) -> Map<String, Value> {
    let text = text.trim_start_matches('\u{feff}');
    let error = match serde_json::Deserializer::from_str(text).into_iter().next() {
        Some(Ok(Value::Object(fields))) => return fields,
        Some(Err(error)) => error,
        _ => return Map::new(),
    };
    let lines = text.split_inclusive('\n').take(error.line().saturating_sub(1));
    let end = lines.map(str::len).sum::<usize>() + error.column();
    let (mut open, mut whole) = (String::new(), (0, String::new()));
    let (mut in_string, mut is_escaped) = (false, false);
    for (at, c) in text.bytes().enumerate().take_while(|(at, _)| *at < end) {
        match c {
            _ if in_string => {
                in_string = c != b'"' || is_escaped;
                is_escaped = c == b'\\' && !is_escaped;
            }
            b'"' => in_string = true,
            b'{' => open.insert(0, '}'),
            b'[' => open.insert(0, ']'),
            b'}' | b']' if !open.is_empty() => {
                open.remove(0);
                whole = if matches!(&*open, "}" | "]}") { (at + 1, open.clone()) } else { whole };
            }
            b',' if matches!(&*open, "}" | "]}") => whole = (at, open.clone()),
            _ => {}
        }
    }
    let (end, closing) = whole;
    serde_json::from_str(&format!("{}{closing}", &text[..end])).unwrap_or_default()
}

/// Returns the known fields as a pack; a field that is missing or of another type is empty, such a list entry is left out.
fn known(fields: &Map<String, Value>) -> Pack {
    let names = field_names();
    let empty = json!(Pack::default());
    let mut whole = empty.clone();
    for (name, value) in fields.iter().filter(|(name, _)| names.contains(*name)) {
        let with = |value: &Value| {
            let mut pack = empty.clone();
            pack[name] = value.clone();
            serde_json::from_value::<Pack>(pack).is_ok()
        };
        let value = match stripped(value, &names) {
            Value::Array(entries) => entries.into_iter().filter(|entry| with(&json!([entry]))).collect(),
            value => value,
        };
        if with(&value) {
            whole[name] = value;
        }
    }
    serde_json::from_value(whole).unwrap_or_default()
}

fn field_names() -> BTreeSet<String> {
    fn collect(schema: &Value, names: &mut BTreeSet<String>) {
        match schema {
            Value::Object(fields) => {
                let properties = fields.get("properties").and_then(Value::as_object);
                names.extend(properties.into_iter().flat_map(Map::keys).cloned());
                fields.values().for_each(|child| collect(child, names));
            }
            Value::Array(values) => values.iter().for_each(|child| collect(child, names)),
            _ => {}
        }
    }
    let mut names = BTreeSet::new();
    collect(&serde_json::from_str(crate::wire::SCHEMA).unwrap_or_default(), &mut names);
    names
}

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
