//! What commands about batches and inboxes print alike. The fields are those of `schema/output.schema.json`.

use crate::handoff::cards::ToolError;
use crate::handoff::ledger::{Attempt, ClaimState, LedgerFault, LedgerKind, TaskState};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The most characters of a summary that a line shows.
const LONGEST_SUMMARY: usize = 80;

/// The names of what a worker needs, for people and in JSON.
const POINTERS: [(&str, &str); 5] =
    [("agent", "agent"), ("context", "context_box_id"), ("output", "output_box"), ("root", "root"), ("pack", "pack")];

/// Returns an object without the fields that are null, together with those of other objects.
pub(crate) fn object<const N: usize>(parts: [Value; N]) -> Value {
    let fields = parts.into_iter().filter_map(|part| match part {
        Value::Object(fields) => Some(fields),
        _ => None,
    });
    fields.flatten().filter(|(_, value)| !value.is_null()).collect::<serde_json::Map<_, _>>().into()
}

pub(crate) fn fault_outputs(faults: &[LedgerFault]) -> Value {
    faults.iter().map(|it| json!({"path": it.path, "message": it.message})).collect()
}

pub(crate) fn attempt_output(attempt: &Attempt) -> Value {
    let LedgerKind { id_field, epoch_field, .. } = attempt.of.kind();
    json!({*id_field: attempt.of, *epoch_field: attempt.epoch})
}

pub(crate) fn claim_output(claim: Option<&ClaimState>) -> Value {
    json!({"claimed_by": claim.map(|claim| &claim.author_id), "claimed_at": claim.map(|claim| &claim.at)})
}

pub(crate) fn state_output(state: &TaskState) -> Value {
    let LedgerKind { epoch_field, reports, .. } = state.id.kind();
    let report_states = state.reports.iter().map(|it| {
        let counts = it.late.is_none();
        let reason = it.late;
        object([json!({*epoch_field: it.epoch, "status": it.outcome.status, "at": it.at, "counts": counts, "reason": reason})])
    });
    let outcome = state.outcome.as_ref();
    object([
        attempt_output(&state.attempt()),
        claim_output(state.claim.as_ref()),
        json!({
            "status": state.status,
            "claimed": state.claim.is_some(),
            "summary": outcome.map(|outcome| &outcome.summary),
            "output_box_id": outcome.map(|outcome| &outcome.output_box_id),
            "error": outcome.map(|outcome| &outcome.error),
            *reports: report_states.collect::<Value>(),
        }),
    ])
}

/// Returns the end of a line about a task or turn for people: who claimed and reported it, and how it ended.
pub(crate) fn state_text(state: &TaskState) -> String {
    let claimed = state.claim.as_ref().map(|claim| format!("  claimed{}", by_and_at(claim)));
    let reported = state.report.as_ref().map(|report| {
        let (author_id, at) = (report.author_id.clone(), Some(report.at.clone()));
        format!("  reported{}", by_and_at(&ClaimState { author_id, at }))
    });
    let outcome =
        state.outcome.as_ref().map(|outcome| outcome_line(outcome.summary.as_deref(), outcome.error.as_ref()));
    let outcome = outcome.filter(|line| !line.is_empty()).map(|line| format!("  {line}"));
    let mut late: BTreeMap<String, usize> = BTreeMap::new();
    for (report, reason) in state.reports.iter().filter_map(|report| Some((report, report.late?))) {
        *late.entry(format!("{} (epoch {}, {})", report.outcome.status, report.epoch, reason.name())).or_default() += 1;
    }
    let times = |count| if count > 1 { format!(" x {count}") } else { String::new() };
    let late: Vec<String> = late.into_iter().map(|(text, count)| text + &times(count)).collect();
    let late = (!late.is_empty()).then(|| format!("  not counted: {}", late.join(", ")));
    [claimed, reported, outcome, late].into_iter().flatten().collect()
}

/// Returns who made a claim and when, as far as it can be read, with a space before each.
pub(crate) fn by_and_at(claim: &ClaimState) -> String {
    let by = claim.author_id.as_ref().map_or_else(String::new, |by| format!(" by {by}"));
    let at = claim.at.as_ref().map_or_else(String::new, |at| format!(" at {at}"));
    by + &at
}

/// Returns what was done and why it did not succeed, in one line: the first line of the summary, then the error in parentheses.
pub(crate) fn outcome_line(summary: Option<&str>, error: Option<&ToolError>) -> String {
    let first = summary.and_then(|text| text.lines().find(|line| !line.trim().is_empty())).unwrap_or_default().trim();
    let mut line: String = first.chars().take(LONGEST_SUMMARY).collect();
    if line.len() < first.len() {
        line = line.trim_end().to_owned() + "…";
    }
    if let Some(ToolError { code, message }) = error {
        let space = if line.is_empty() { "" } else { " " };
        line += &format!("{space}({code}: {})", message.lines().next().unwrap_or_default());
    }
    line
}

pub(crate) fn pointer_lines(pointers: &Value) -> Vec<String> {
    let line = |(name, field): &(&str, &str)| Some(format!("{name:<8}{}", pointers.get(field)?.as_str()?));
    POINTERS.iter().filter_map(line).collect()
}
