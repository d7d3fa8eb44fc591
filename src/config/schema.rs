//! The published schema of `contextpack.yml`.

use super::raw::RawConfig;
use schemars::generate::SchemaSettings;

/// Returns the JSON Schema of `contextpack.yml`, which is also in `schema/config.schema.json`.
pub fn schema() -> String {
    let mut schema = SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<RawConfig>();
    schema.insert("$id".to_owned(), "urn:contextpack:schema:config:1".into());
    format!("{:#}\n", schema.to_value())
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use serde_json::Value;

    /// Collects the properties without a description.
    fn undescribed(at: &str, schema: &Value, found: &mut Vec<String>) {
        match schema {
            Value::Object(map) => {
                for (key, value) in map {
                    let here = format!("{at}/{key}");
                    if let ("properties" | "$defs", Value::Object(properties)) = (key.as_str(), value) {
                        for (name, property) in properties {
                            if property.get("description").is_none() {
                                found.push(format!("{here}/{name}"));
                            }
                        }
                    }
                    undescribed(&here, value, found);
                }
            }
            Value::Array(values) => values.iter().for_each(|value| undescribed(at, value, found)),
            _ => {}
        }
    }

    #[test]
    fn every_setting_is_described_and_the_text_is_stable() {
        let text = schema();
        assert_eq!(text, schema());
        assert!(text.ends_with("}\n") && !text.ends_with("\n\n"));
        let value: Value = serde_json::from_str(&text).unwrap();
        for (key, expected) in [
            ("$schema", "https://json-schema.org/draft/2020-12/schema"),
            ("$id", "urn:contextpack:schema:config:1"),
            ("title", "contextpack.yml"),
        ] {
            assert_eq!(value[key], expected);
        }
        let mut found = Vec::new();
        undescribed("", &value, &mut found);
        assert_eq!(found, Vec::<String>::new());
        assert_eq!(value["additionalProperties"], false);
        assert!(value.get("required").is_none() && !text.contains("Raw"), "{text}");
        let required = &value["$defs"]["WorkItems"]["required"];
        assert_eq!(required, &serde_json::json!(["include"]));
    }
}
