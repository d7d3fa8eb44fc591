//! The published schemas of cards and boxes.

use super::{BoxSnapshot, Card};
use schemars::Schema;

/// Returns the JSON Schema (2020-12) of a card's file, with a final newline.
pub fn card_schema() -> String {
    text(schemars::schema_for!(Card), "card", "card/v1")
}

/// Returns the JSON Schema (2020-12) of a box's file, with a final newline.
pub fn box_schema() -> String {
    text(schemars::schema_for!(BoxSnapshot), "box", "box/v1")
}

fn text(mut schema: Schema, name: &str, title: &str) -> String {
    schema.insert("$id".into(), format!("urn:contextpack:schema:{name}:1").into());
    schema.insert("title".into(), title.into());
    format!("{:#}\n", schema.to_value())
}
