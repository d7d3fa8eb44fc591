//! The JSON Schema of packs, made from the types.

use super::Pack;

/// The JSON Schema (2020-12) of a pack, with a final newline.
pub fn schema() -> String {
    let mut schema = schemars::schema_for!(Pack);
    schema.insert("$id".into(), "urn:contextpack:schema:pack:1".into());
    schema.insert("title".into(), "ContextPack v1".into());
    format!("{:#}\n", schema.to_value())
}
