//! What the program prints about itself: `contextpack schema` and `completions`.

use super::args::{CompletionsArgs, SchemaArgs, SchemaKind};
use super::batch::{
    BatchList, BatchMatrix, BatchStatusOutput, ClaimedTask, EndedTasks, ForkedBatch, JoinedBatch, ReclaimedTasks,
    ReportedTask,
};
use super::boxes::{AppendedCards, BoxDifference, BoxList, ShownBox, ShownBoxes, WrittenBox};
use super::card::{AddedCard, AddedCards, DeletedCard, ShownCards};
use super::completion;
use super::explain::BudgetSteps;
use super::handover::HandoverResult;
use super::inbox::{AcknowledgedTurn, ClaimedTurn, DispatchedTurn, InboxDoor, InboxOutput, ReclaimedTurns};
use super::output::{Build, Check, List, Matrix, Notes, Ready, Redact, RedactRules, RedactWhy, Sync, Verify};
use super::since::SinceOutput;
use super::stats::StatsOutput;
use crate::console;
use crate::console::ErrorOutput;
use crate::console::Exit;
use crate::console::Failure;
use crate::review::{Diff, Explanation, WhyNot};
use schemars::JsonSchema;
use std::io::Write as _;

/// Prints a JSON Schema.
pub(crate) fn schema(args: &SchemaArgs) -> Result<Exit, Failure> {
    let text = match args.kind {
        SchemaKind::Config => crate::config::schema(),
        SchemaKind::WorkItem => crate::records::WORK_ITEM_SCHEMA.to_owned(),
        SchemaKind::Card => crate::handoff::cards::card_schema(),
        SchemaKind::Box => crate::handoff::cards::box_schema(),
        SchemaKind::BatchFile => crate::config::batch_file_schema(),
        SchemaKind::Batch => crate::handoff::batches::batch_schema(),
        SchemaKind::BatchClaim => crate::handoff::batches::batch_claim_schema(),
        SchemaKind::BatchReport => crate::handoff::batches::batch_report_schema(),
        SchemaKind::BatchEvent => crate::handoff::batches::batch_event_schema(),
        SchemaKind::BatchResult => crate::handoff::batches::batch_result_schema(),
        SchemaKind::InboxRequest => crate::handoff::inbox::inbox_request_schema(),
        SchemaKind::InboxClaim => crate::handoff::inbox::inbox_claim_schema(),
        SchemaKind::InboxResponse => crate::handoff::inbox::inbox_response_schema(),
        SchemaKind::InboxEvent => crate::handoff::inbox::inbox_event_schema(),
        SchemaKind::Output => output_schema(),
        SchemaKind::Pack => crate::wire::schema(),
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

/// What the commands print with `--format json`: the name of each property is the command's, with its option where that prints something of its own.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "its fields are read by the schema alone")]
struct Outputs {
    /// What `batch claim` prints.
    batch_claim: ClaimedTask,
    /// What `batch expire` and `batch cancel` print.
    batch_expire: EndedTasks,
    /// What `batch fork` prints.
    batch_fork: ForkedBatch,
    /// What `batch join` prints.
    batch_join: JoinedBatch,
    /// What `batch list` prints.
    batch_list: BatchList,
    /// What `batch matrix` prints.
    batch_matrix: BatchMatrix,
    /// What `batch reclaim` prints.
    batch_reclaim: ReclaimedTasks,
    /// What `batch report` prints.
    batch_report: ReportedTask,
    /// What `batch status` prints.
    batch_status: BatchStatusOutput,
    /// What `box append` prints.
    box_append: AppendedCards,
    /// What `box diff` prints.
    box_diff: BoxDifference,
    /// What `box list` prints.
    box_list: BoxList,
    /// What `box new`, `box snapshot` and `box from-pack` print.
    box_new: WrittenBox,
    /// What `box show` prints of one box.
    box_show: ShownBox,
    /// What `box show` prints of several boxes.
    box_show_several: ShownBoxes,
    /// What `build` prints.
    build: Build,
    /// What any command prints that cannot begin.
    error: ErrorOutput,
    /// What `card add` prints.
    card_add: AddedCard,
    /// What `card add --from-messages` prints.
    card_add_from_messages: AddedCards,
    /// What `card delete` prints.
    card_delete: DeletedCard,
    /// What `card show` prints.
    card_show: ShownCards,
    /// What `check` prints.
    check: Check,
    /// What `diff` prints.
    diff: Diff,
    /// What `dispatch` prints.
    dispatch: DispatchedTurn,
    /// What `explain` prints.
    explain: Explanation,
    /// What `explain --at` prints.
    explain_at: BudgetSteps,
    /// What `explain --why-not` prints.
    explain_why_not: WhyNot,
    /// What `handover` prints.
    handover: HandoverResult,
    /// What `inbox ack` prints.
    inbox_ack: AcknowledgedTurn,
    /// What `inbox claim` prints.
    inbox_claim: ClaimedTurn,
    /// What `inbox close` and `inbox open` print.
    inbox_close: InboxDoor,
    /// What `inbox list` prints.
    inbox_list: InboxOutput,
    /// What `inbox reclaim` prints.
    inbox_reclaim: ReclaimedTurns,
    /// What `list` prints.
    list: List,
    /// What `list --matrix` prints.
    list_matrix: Matrix,
    /// What `notes` prints.
    notes: Notes,
    /// What `ready` prints.
    ready: Ready,
    /// What `redact --report` prints.
    redact: Redact,
    /// What `redact --rules` prints.
    redact_rules: RedactRules,
    /// What `redact --why` prints.
    redact_why: RedactWhy,
    /// What `since` prints.
    since: SinceOutput,
    /// What `stats` prints.
    stats: StatsOutput,
    /// What `sync` prints.
    sync: Sync,
    /// What `verify` prints.
    verify: Verify,
}

/// Returns the JSON Schema (2020-12) of what the commands print, with a final newline.
fn output_schema() -> String {
    let mut schema = schemars::schema_for!(Outputs);
    schema.insert("$id".into(), "urn:contextpack:schema:output:1".into());
    schema.insert("title".into(), "Output of contextpack's commands with --format json".into());
    format!("{:#}\n", schema.to_value())
}
