//! The raw form of `agents:`, `documents:`, `overview:`, `context:` and `jobs:`.
//!
//! The doc comments are the descriptions of the published schema, and are written for the author of the file.

use super::shapes::OneOrMany;
use schemars::JsonSchema;
use serde::Deserialize;

/// Where the files of agents are.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Agents")]
pub(super) struct RawAgents {
    /// Files that describe an agent each, as globs. Names that begin with `_` are no agents. Default: `agents/*.md`.
    pub(super) include: Option<OneOrMany>,
    /// The template of `agent new`. Default: a document of type `agent_soul_template`, else the built-in one.
    pub(super) template: Option<String>,
}

/// Documents that packs take notes from. A file belongs to the first entry that matches it.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Documents")]
pub(super) struct RawDocuments {
    /// Files of this entry, as globs.
    pub(super) include: OneOrMany,
    /// Files among them that are none of its documents.
    pub(super) exclude: Option<OneOrMany>,
    /// The agent that alone sees them: its key, the stem of its file or its name. Default: every agent sees them.
    pub(super) agent: Option<String>,
    /// Whether every pack that may hold them does. Default: `false`.
    pub(super) pinned: Option<bool>,
    /// What they are. Default: `general`.
    #[serde(rename = "type")]
    pub(super) kind: Option<RawDocumentType>,
    /// Whether they hold secrets, so that they are named and never read. Default: `normal`.
    pub(super) sensitivity: Option<RawSensitivity>,
    /// How much they matter among pinned documents: the higher, the earlier. Default: 0.
    pub(super) weight: Option<i32>,
}

/// What a document is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "DocumentType")]
pub(super) enum RawDocumentType {
    /// Anything else.
    General,
    /// How something is done.
    Playbook,
    /// What is looked up.
    Reference,
    /// Secrets: it is named and never read.
    Credentials,
    /// How texts and code are written.
    StyleGuide,
    /// What the project is. There is one at most.
    ProjectOverview,
    /// Who the project's user is. There is one at most.
    ProjectUser,
    /// The template of `agent new`.
    AgentSoulTemplate,
}

/// Whether a document holds secrets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "Sensitivity")]
pub(super) enum RawSensitivity {
    /// It does not.
    Normal,
    /// It does: packs name it, and nothing below its front matter is read.
    ContainsSecrets,
}

/// What packs hold besides their root.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Context")]
pub(super) struct RawContext {
    /// How much packs for an agent hold. Default: `default`.
    pub(super) policy: Option<RawPolicy>,
    /// The most pinned documents of a pack. Default: 10.
    pub(super) pinned: Option<u32>,
    /// The most lines of a document's summary. Default: 10.
    pub(super) bullets: Option<u32>,
    /// The most recent changes of a pack for an agent. Default: 20.
    pub(super) changes: Option<u32>,
    /// The most relevant documents of a pack for an agent. Default: 5.
    pub(super) relevant: Option<u32>,
    /// Files with further recent changes: JSON Lines `{"at", "message", "actor"}`.
    pub(super) activity: Option<OneOrMany>,
    /// The folder of the packs that `--record` keeps, to be committed. Default: `.contextpack/delivered`.
    pub(super) record: Option<String>,
}

/// How much packs for an agent hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "Policy")]
pub(super) enum RawPolicy {
    /// The agent, the overview, recent changes, and the root's own sections.
    Minimal,
    /// Everything but relevant documents.
    Default,
    /// Everything.
    Expanded,
}

/// A task that an agent does again and again.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Job")]
pub(super) struct RawJob {
    /// The agent that does it: its key, the stem of its file or its name.
    pub(super) agent: String,
    /// When it runs, in UTC, as five fields: minute, hour, day of the month, month, day of the week (1 is Monday).
    pub(super) schedule: Option<String>,
    /// What it is for, such as `daily_brief`.
    pub(super) intent: Option<String>,
    /// How much its context holds. Default: the agent's policy.
    pub(super) policy: Option<RawPolicy>,
    /// The work item that it is about.
    pub(super) root: Option<String>,
    /// The file with its instructions, which stand at the end of its context.
    pub(super) instructions: String,
}
