//! The published schemas of `contextpack.yml` and of the file of `batch fork`: the types that read them, described by
//! `descriptions.yml`.

use super::batch_file::BatchFile;
use super::settings::{NATIVE_FIELDS, Settings};
use super::values::Words;
use crate::model::{Code, Level, RepoPath};
use schemars::transform::{RecursiveTransform, Transform as _};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema, schema_for};
use serde_json::{Map, Value, json};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// What settings mean, by type and name.
const DESCRIPTIONS: &str = include_str!("descriptions.yml");

/// Returns the JSON Schema of `contextpack.yml`, which is also in `schema/config.schema.json`.
pub fn schema() -> String {
    let mut schema = schema_for!(Settings);
    RecursiveTransform(accept_null).transform(&mut schema);
    published(schema, "Config", "urn:contextpack:schema:config:1")
}

/// Returns the JSON Schema (2020-12) of the file that `batch fork` reads, with a final newline.
pub fn batch_file_schema() -> String {
    let mut schema = schema_for!(BatchFile);
    schema.insert("title".to_owned(), "The file that batch fork reads".into());
    published(schema, "BatchFile", "urn:contextpack:schema:batch-file:1")
}

/// Adds the descriptions, those of the type `root` to the schema itself.
fn published(mut schema: Schema, root: &str, id: &str) -> String {
    schema.insert("$id".to_owned(), id.into());
    let mut schema = schema.to_value();
    let all: BTreeMap<String, BTreeMap<String, Value>> = serde_yaml::from_str(DESCRIPTIONS).unwrap_or_default();
    for (name, texts) in all {
        let place = if name == root { Some(&mut schema) } else { schema["$defs"].get_mut(&name) };
        let Some(Value::Object(described)) = place else { continue };
        if let Some(Value::Array(names)) = described.remove("enum") {
            described.remove("type");
            let text = |name: &Value| name.as_str().and_then(|name| texts.get(name));
            let each = names.iter().map(|name| json!({"const": name, "description": text(name), "type": "string"}));
            described.insert("oneOf".to_owned(), each.collect());
        } else if let Some(Value::Object(properties)) = described.get_mut("properties") {
            for (name, text) in texts {
                if let Some(Value::Object(property)) = properties.get_mut(&name) {
                    property.insert("description".to_owned(), text);
                }
            }
        }
    }
    format!("{schema:#}\n")
}

/// Marks every setting as optional: what is absent has its default.
pub(super) fn all_optional(schema: &mut Schema) {
    schema.remove("required");
}

/// Lets every optional setting be empty, which is the same as absent.
fn accept_null(schema: &mut Schema) {
    if schema.get("type").is_none_or(|kind| kind != "object") {
        return;
    }
    let required = schema.remove("required");
    let is_required = |name: &str| {
        required.as_ref().and_then(Value::as_array).is_some_and(|names| names.iter().any(|required| required == name))
    };
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        for (name, property) in properties {
            if let Value::Object(property) = property
                && !is_required(name)
            {
                // The published schema states this one default alone.
                if name != "warnings" {
                    property.remove("default");
                }
                accept_null_in(property);
            }
        }
    }
    if let Some(required) = required {
        schema.insert("required".to_owned(), required);
    }
}

fn accept_null_in(property: &mut Map<String, Value>) {
    let null = json!({"type": "null"});
    if let Some(kind) = property.get_mut("type") {
        if kind.is_string() {
            *kind = json!([kind, "null"]);
        }
    } else if !property.get("anyOf").and_then(Value::as_array).is_some_and(|any| any.contains(&null)) {
        let description = property.remove("description");
        let any = Value::Array(vec![std::mem::take(property).into(), null]);
        property.insert("anyOf".to_owned(), any);
        property.extend(description.map(|description| ("description".to_owned(), description)));
    }
}

/// A map of names of `[a-z0-9-]+` to values of `T`.
pub(super) fn by_name<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    let value = generator.subschema_for::<T>();
    json_schema!({"type": ["object", "null"], "patternProperties": {"^[a-z0-9-]+$": value}, "additionalProperties": false})
}

/// The levels of warnings, by code.
pub(super) fn warnings(generator: &mut SchemaGenerator) -> Schema {
    let codes = Code::ALL.iter().map(|code| (code.name(), code.summary().trim().to_owned()));
    described(&generator.subschema_for::<Level>(), codes)
}

/// Names in the files, by native field.
pub(super) fn field_names(generator: &mut SchemaGenerator) -> Schema {
    let described_names = NATIVE_FIELDS
        .iter()
        .map(|name| (*name, format!("The name or names in your files for the native field `{name}`.")));
    described(&generator.subschema_for::<Words>(), described_names)
}

/// A map of the given names, which all have values of `schema`.
fn described<'a>(schema: &Schema, names: impl Iterator<Item = (&'a str, String)>) -> Schema {
    let properties: Map<String, Value> = names
        .map(|(name, description)| {
            let mut schema = schema.clone();
            schema.insert("description".to_owned(), description.into());
            (name.to_owned(), schema.to_value())
        })
        .collect();
    json_schema!({"type": ["object", "null"], "properties": properties, "additionalProperties": false})
}

pub(super) fn limit(_: &mut SchemaGenerator) -> Schema {
    either(
        json!({"description": "The limit as a number.", "type": "integer", "minimum": 1}),
        json!({"description": "Thousands, such as `8k`.", "type": "string", "pattern": "^[1-9][0-9]*[kK]$"}),
    )
}

pub(super) fn percent(_: &mut SchemaGenerator) -> Schema {
    either(
        json!({"description": "Percent as a number.", "type": "integer", "minimum": 0, "maximum": 100}),
        json!({"description": "Percent with its sign.", "type": "string", "pattern": "^[0-9]{1,3} ?%$"}),
    )
}

/// The schema of a value that may be written in two ways.
fn either(one: Value, other: Value) -> Schema {
    json_schema!({"anyOf": [one, other]})
}

impl JsonSchema for Words {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Words".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        either(
            json!({"description": "One.", "type": "string"}),
            json!({"description": "Several.", "type": "array", "items": {"type": "string"}}),
        )
    }
}

impl JsonSchema for RepoPath {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "RepoPath".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        String::json_schema(generator)
    }
}
