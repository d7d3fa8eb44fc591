//! The published schema of a work item's native fields.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

/// Returns the JSON Schema of a work item, as `schema/work-item.schema.json` holds it.
pub fn work_item_schema() -> String {
    let mut schema = SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<WorkItemFile>();
    // Fields with a schema of their own count as required otherwise.
    schema.remove("required");
    schema.insert("$id".to_owned(), "urn:contextpack:schema:work-item:1".into());
    format!("{:#}\n", schema.to_value())
}

/// A work item in a file: a YAML or JSON document, a line of JSONL, or the front matter of a Markdown file whose text is then the body. All fields are optional; further ones keep their names and stand in packs as they are.
#[derive(JsonSchema)]
#[schemars(title = "Work item")]
#[expect(dead_code, reason = "it describes files; items are read by their own code, which takes more spellings")]
pub struct WorkItemFile {
    /// The id, such as `feat:cache`. Default: `stable_id`, else the path of the file.
    #[schemars(schema_with = "scalar")]
    id: (),
    /// The id under its other name; used where there is no `id`.
    #[schemars(schema_with = "scalar")]
    stable_id: (),
    /// The kind of work, such as `epic`, `feature`, `task`, `bug`, `spike`, `test` or `chore`.
    #[serde(rename = "type")]
    #[schemars(schema_with = "scalar")]
    kind: (),
    /// The title. Default: the first heading of the body.
    #[schemars(schema_with = "scalar")]
    title: (),
    /// The status, as the team writes it. `done_statuses` of the configuration say which ones mean done.
    #[schemars(schema_with = "scalar")]
    status: (),
    /// The text, in Markdown. In a Markdown file it is what follows the front matter.
    #[schemars(schema_with = "scalar")]
    body: (),
    /// The item that contains this one.
    #[schemars(schema_with = "relation")]
    parent: (),
    /// The parts of this item.
    #[schemars(schema_with = "relation")]
    children: (),
    /// What this item needs.
    #[schemars(schema_with = "relation")]
    depends_on: (),
    /// What must be done before this item.
    #[schemars(schema_with = "relation")]
    blocked_by: (),
    /// What waits for this item.
    #[schemars(schema_with = "relation")]
    blocks: (),
    /// What belongs together with this item, without order.
    #[schemars(schema_with = "relation")]
    related: (),
    /// The GitHub issue that this item is: a number, `owner/repo#12` or a URL. The two are one item then.
    #[schemars(schema_with = "scalar")]
    issue: (),
    /// Architecture decisions that bind this item: paths, or numbers such as `ADR-0012`.
    #[schemars(schema_with = "words")]
    adrs: (),
    /// Documents to read with this item: paths from the root of the repo or from the item, perhaps with `#heading`.
    #[schemars(schema_with = "words")]
    docs: (),
    /// Labels.
    #[schemars(schema_with = "words")]
    labels: (),
    /// The priority, such as `P1`.
    #[schemars(schema_with = "scalar")]
    priority: (),
    /// The size, such as `M`.
    #[schemars(schema_with = "scalar")]
    size: (),
    /// The risk, such as `Low`.
    #[schemars(schema_with = "scalar")]
    risk: (),
    /// The area of the product.
    #[schemars(schema_with = "scalar")]
    area: (),
    /// The estimate in hours.
    #[schemars(schema_with = "scalar")]
    estimate_hrs: (),
    /// What must hold for the item to be done.
    #[schemars(schema_with = "words")]
    acceptance_criteria: (),
    /// Who works on it.
    #[schemars(schema_with = "words")]
    assignees: (),
}

fn scalar(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"type": ["string", "number", "boolean", "null"]})
}

fn words(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"type": ["string", "number", "array", "null"], "items": {"type": ["string", "number", "boolean", "null"]}})
}

fn relation(_: &mut SchemaGenerator) -> Schema {
    let forms = "An id, a number, an issue reference or URL, the path of an item's file, a list of these, or a comma-separated text.";
    json_schema!({
        "type": ["string", "number", "array", "null"],
        "items": {"description": forms, "type": ["string", "number", "null"]}
    })
}
