//! The published schemas of the files of a batch.

use super::{Batch, BatchResult, Claim, Event, Report};
use schemars::{JsonSchema, Schema, schema_for};

/// Returns the JSON Schema (2020-12) of `batch.json`, with a final newline.
pub fn batch_schema() -> String {
    schema_text::<Batch>("batch", "batch/v1")
}

/// Returns the JSON Schema (2020-12) of a claim, with a final newline.
pub fn batch_claim_schema() -> String {
    schema_text::<Claim>("batch-claim", "batch_claim/v1")
}

/// Returns the JSON Schema (2020-12) of a report, with a final newline.
pub fn batch_report_schema() -> String {
    schema_text::<Report>("batch-report", "batch_report/v1")
}

/// Returns the JSON Schema (2020-12) of an event, with a final newline.
pub fn batch_event_schema() -> String {
    schema_text::<Event>("batch-event", "batch_event/v1")
}

/// Returns the JSON Schema (2020-12) of `result.json`, with a final newline.
pub fn batch_result_schema() -> String {
    schema_text::<BatchResult>("batch-result", "batch_result/v1")
}

/// Returns the JSON Schema (2020-12) of a type, with a final newline.
pub(crate) fn schema_text<T: JsonSchema>(name: &str, title: &str) -> String {
    let mut schema: Schema = schema_for!(T);
    schema.insert("$id".into(), format!("urn:contextpack:schema:{name}:1").into());
    schema.insert("title".into(), title.into());
    format!("{:#}\n", schema.to_value())
}
