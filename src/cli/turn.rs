//! What the commands about tasks of batches and turns of inboxes tell people alike.

use super::args::Global;
use crate::config::nearest;
use crate::console::Failure;
use crate::console::{self, printable};
use crate::handoff::batches::{ClaimState, LateReason, LedgerFault, TaskStatus};
use crate::handoff::cards::ToolError;
use schemars::JsonSchema;
use serde::Serialize;
use std::io::Write as _;

/// The most characters of a summary that a line shows.
const LONGEST_SUMMARY: usize = 80;

/// A file that cannot be used.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct FaultOutput {
    /// Its path in the folder of the batch or inbox.
    path: String,
    /// Why.
    message: String,
}

impl FaultOutput {
    /// Returns a fault; `redacted` removes secrets from what a file may quote.
    pub(crate) fn of(fault: &LedgerFault, redacted: &dyn Fn(&str) -> String) -> Self {
        Self { path: redacted(&fault.path), message: redacted(&fault.message) }
    }
}

/// Returns who made a claim and when, as far as it can be read, with a space before each.
pub(crate) fn by_and_at(by: Option<&str>, at: Option<&str>) -> String {
    let by = by.map_or_else(String::new, |by| format!(" by {by}"));
    let at = at.map_or_else(String::new, |at| format!(" at {at}"));
    by + &at
}

/// Returns the line about a task or turn that cannot be claimed; `claim` is the one that somebody else made.
pub(crate) fn busy_line(reason: &str, claim: Option<&ClaimState>, epoch: u32) -> String {
    let who = match claim.filter(|_| reason == "claimed") {
        Some(ClaimState { at: None, .. }) => ", by a claim that cannot be read".to_owned(),
        Some(claim) => by_and_at(claim.author_id.as_deref(), claim.at.as_deref()),
        None => String::new(),
    };
    format!("busy: {reason}{who}, epoch {epoch}")
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

/// Returns the line about a report or response that was made, or was `known` before.
pub(crate) fn reported_line(what: &str, counts_as: TaskStatus, late: Option<LateReason>, known: bool) -> String {
    let again = if known { "; it was already reported, and nothing was written" } else { "" };
    match late {
        None => format!("counted: {}{again}", counts_as.name()),
        Some(reason) => format!("late: {}; the {what} is kept and does not count{again}", reason.name()),
    }
}

/// Says that the word of a report is none of the known ones, and what it counts as.
pub(crate) fn note_unknown_word(global: &Global, word: &str) -> Result<(), Failure> {
    let known = TaskStatus::REPORTED.map(TaskStatus::name);
    if global.quiet || known.contains(&word) {
        return Ok(());
    }
    let what = match nearest(word, known) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("the known words are {}", known.join(", ")),
    };
    let line = format!("note: `{word}` counts as `{}`; {what}", TaskStatus::of_word(word).name());
    Ok(writeln!(console::stderr(), "{}", printable(&line))?)
}
