//! Batches and inboxes as data for the page.

use serde::Serialize;

/// A batch on the page.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct BatchView {
    /// Its id.
    pub id: String,
    /// Its state.
    pub status: &'static str,
    /// When it was joined, if it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub joined_at: Option<String>,
    /// The agent that gets the result.
    pub parent: String,
    /// The log that the result goes to, as the page names it; absent if the event of the fork is not there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent_log: Option<String>,
    /// When it was forked; absent if the event of the fork is not there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub forked_at: Option<String>,
    /// How many seconds after the fork its open tasks can be ended.
    pub deadline_seconds: u64,
    /// Whether the first task that does not succeed fails the batch.
    pub fail_fast: bool,
    /// Its tasks, in order.
    pub tasks: Vec<TaskView>,
}

/// The inbox of an agent on the page.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct InboxView {
    /// The log of the agent, which names it.
    pub name: String,
    /// Whether it takes no turns.
    pub closed: bool,
    /// Its turns, in the order in which they were dispatched.
    pub tasks: Vec<TaskView>,
}

/// A task of a batch, or a turn in an inbox.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct TaskView {
    /// The number of the task, or the id of the turn.
    pub id: String,
    /// Its state.
    pub status: &'static str,
    /// Whether it has ended.
    pub ended: bool,
    /// The attempt that it is at, from 1.
    pub epoch: u32,
    /// The agent.
    pub agent: String,
    /// What is to be done; absent of a turn, whose context says it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instruction: Option<String>,
    /// The agent that dispatched the turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// The box that the agent reads, as the page names it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context: Option<String>,
    /// The work item that it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub root: Option<String>,
    /// Its pack, as the page names it; absent if the event of the fork is not there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pack: Option<String>,
    /// The log with its results, as the page names it; absent if the event of the fork is not there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log: Option<String>,
    /// Whether somebody has it, or had it last.
    pub claimed: bool,
    /// Who.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub claimed_by: Option<String>,
    /// Since when.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub claimed_at: Option<String>,
    /// What was done, as the report that counts says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// Why it did not succeed: a code and a message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<(String, String)>,
    /// The box with the results, as the page names it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<String>,
    /// All reports, by epoch.
    pub reports: Vec<ReportView>,
}

/// A report about a task, or a response to a turn.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct ReportView {
    /// Its epoch.
    pub epoch: u32,
    /// Its word.
    pub status: String,
    /// When.
    pub at: String,
    /// Why it does not count; absent if it does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub late: Option<&'static str>,
}
