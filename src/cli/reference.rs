//! What the program prints about itself: `contextpack schema` and `completions`.

use super::args::{CompletionsArgs, SchemaArgs, SchemaKind};
use super::completion;
use crate::console::{self, Exit, Failure};
use std::io::Write as _;

/// The schemas that are data.
const SCHEMAS: [(SchemaKind, &str); 12] = [
    (SchemaKind::Card, include_str!("../../schema/card.schema.json")),
    (SchemaKind::Box, include_str!("../../schema/box.schema.json")),
    (SchemaKind::Batch, include_str!("../../schema/batch.schema.json")),
    (SchemaKind::BatchClaim, include_str!("../../schema/batch-claim.schema.json")),
    (SchemaKind::BatchReport, include_str!("../../schema/batch-report.schema.json")),
    (SchemaKind::BatchEvent, include_str!("../../schema/batch-event.schema.json")),
    (SchemaKind::BatchResult, include_str!("../../schema/batch-result.schema.json")),
    (SchemaKind::InboxRequest, include_str!("../../schema/inbox-request.schema.json")),
    (SchemaKind::InboxClaim, include_str!("../../schema/inbox-claim.schema.json")),
    (SchemaKind::InboxResponse, include_str!("../../schema/inbox-response.schema.json")),
    (SchemaKind::InboxEvent, include_str!("../../schema/inbox-event.schema.json")),
    (SchemaKind::Output, include_str!("../../schema/output.schema.json")),
];

/// Prints a JSON Schema.
pub(crate) fn schema(args: &SchemaArgs) -> Result<Exit, Failure> {
    let known = SCHEMAS.iter().find(|(kind, _)| *kind == args.kind).map(|(_, text)| *text);
    let text = match args.kind {
        SchemaKind::Config => crate::config::schema(),
        SchemaKind::WorkItem => crate::records::WORK_ITEM_SCHEMA.to_owned(),
        SchemaKind::BatchFile => crate::config::batch_file_schema(),
        SchemaKind::Pack => crate::wire::schema(),
        _ => known.unwrap_or_default().to_owned(),
    };
    console::stdout().write_all(text.as_bytes())?;
    Ok(Exit::Done)
}

/// Prints a script that completes commands, options, roots and packs.
pub(crate) fn completions(args: &CompletionsArgs) -> Result<Exit, Failure> {
    let mut script = Vec::new();
    completion::script(args.shell, &mut script)?;
    console::exact().write_all(&script)?;
    Ok(Exit::Done)
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests {
    use crate::cli::explain::BudgetSteps;
    use crate::cli::output::{Build, Check, List, Matrix, Notes, Ready, Redact, RedactRules, RedactWhy, Sync, Verify};
    use crate::cli::since::SinceOutput;
    use crate::cli::stats::StatsOutput;
    use crate::console::ErrorOutput;
    use crate::review::{Diff, Explanation, WhyNot};
    use schemars::JsonSchema;
    use serde_json::Value;

    /// What commands print with `--format json`, as far as it is a type.
    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "its fields are read by the schema alone")]
    struct Outputs {
        build: Build,
        error: ErrorOutput,
        check: Check,
        diff: Diff,
        explain: Explanation,
        explain_at: BudgetSteps,
        explain_why_not: WhyNot,
        list: List,
        list_matrix: Matrix,
        notes: Notes,
        ready: Ready,
        redact: Redact,
        redact_rules: RedactRules,
        redact_why: RedactWhy,
        since: SinceOutput,
        stats: StatsOutput,
        sync: Sync,
        verify: Verify,
    }

    #[test]
    fn the_schema_of_outputs_has_what_the_types_say() {
        let published: Value = serde_json::from_str(include_str!("../../schema/output.schema.json")).unwrap();
        let derived = schemars::schema_for!(Outputs).to_value();
        for (part, value) in derived["$defs"].as_object().unwrap() {
            assert_eq!(published["$defs"][part], *value, "{part}");
        }
        for (command, value) in derived["properties"].as_object().unwrap() {
            assert_eq!(published["properties"][command]["$ref"], value["$ref"], "{command}");
        }
    }
}
