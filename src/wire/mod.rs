//! The wire types of ContextPack v1: the frozen format of published packs, and its JSON Schema.
//!
//! Field order is the order of the published file. The types are independent of
//! internal ones, so that those may change and v1 does not. Numbers are integers
//! below 2^53 and object keys are ASCII, which is all of RFC 8785 that is needed.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// The value of `schema_version`.
pub const SCHEMA_VERSION: &str = "context_pack/v1";
/// The name of the rendering that the budgets of new packs measure.
pub const RENDERING: &str = "markdown/2";

/// The JSON Schema (2020-12) of a pack, with a final newline; a test makes it from the types below.
pub const SCHEMA: &str = include_str!("../../schema/pack.schema.json");

/// The fields of an object that this version does not know: they are kept, and the hash covers them.
pub type Extra = BTreeMap<String, Value>;

/// A context pack: everything that one piece of work needs, bounded, hashed and explained.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Pack {
    /// Always `context_pack/v1`.
    pub schema_version: String,
    /// `cp_<slug>_<profile>_<first 12 hex digits of the hash>`.
    pub pack_id: String,
    /// When the pack was built, in UTC; not part of the hash.
    pub generated_at: String,
    /// The program that built the pack; not part of the hash.
    pub generator: Generator,
    /// The kind of work: `drafting`, `coding`, `review`, `other` or a name from the configuration.
    pub profile: String,
    /// The piece of work that the pack is for.
    pub root: PackRoot,
    /// The agent that the pack is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<PackAgent>,
    /// How much a pack for an agent holds: `minimal`, `default` or `expanded`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy: Option<String>,
    /// The name of the job that the pack is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub job: Option<String>,
    /// The handover that the pack is made by.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handover: Option<PackHandover>,
    /// Everything that was read for the pack, including what was left out later.
    pub inputs: Vec<PackInput>,
    /// The limits, and how much of them the rendering uses.
    pub budget: PackBudget,
    /// SHA-256 over the RFC 8785 form of the pack without `hash`, `pack_id`, `generated_at` and `generator`.
    pub hash: String,
    /// The texts, in the order of the rendering.
    pub sections: Vec<Section>,
    /// The sections that were left out, and why.
    pub omissions: Vec<PackOmission>,
    /// The redactions in the texts, why, and how to include the removed text safely.
    pub redactions: Vec<Redaction>,
    /// Warnings about the inputs.
    pub warnings: Vec<Warning>,
    /// Fields that a newer writer added.
    #[serde(flatten)]
    pub extra: Extra,
}

impl Pack {
    /// Returns the names of the fields that a newer writer added, in alphabetical order; none in a pack of this version.
    pub fn newer_fields(&self) -> BTreeSet<&str> {
        let Self { generator, root, inputs, budget, sections, omissions, redactions, warnings, .. } = self;
        let sources = sections.iter().map(|it| &it.source).chain(omissions.iter().map(|it| &it.source));
        let edges = sections.iter().flat_map(|it| it.metadata.edges.iter().flatten());
        let extras = [&self.extra, &generator.extra, &root.extra, &budget.extra].into_iter();
        let extras = extras.chain(inputs.iter().map(|it| &it.extra)).chain(sections.iter().map(|it| &it.extra));
        let extras = extras.chain(sections.iter().map(|it| &it.metadata.extra)).chain(sources.map(|it| &it.extra));
        let extras = extras.chain(edges.map(|it| &it.extra)).chain(omissions.iter().map(|it| &it.extra));
        let extras = extras.chain(redactions.iter().map(|it| &it.extra)).chain(warnings.iter().map(|it| &it.extra));
        extras.flat_map(|extra| extra.keys().map(String::as_str)).collect()
    }
}

/// The program that built a pack.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Generator {
    /// The program's name.
    pub name: String,
    /// The program's version.
    pub version: String,
    /// The version of the built-in redaction rules. The hash leaves it out: the same text gives the same pack under other rules.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub redaction_rules: Option<String>,
    /// Fields that a newer writer added.
    #[serde(flatten)]
    pub extra: Extra,
}

/// The root of a pack: an id, a URL, or both.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Root"))]
pub struct PackRoot {
    /// The work item's stable id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub work_item_id: Option<String>,
    /// The issue's URL.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub issue_url: Option<String>,
    /// The title; empty if the writer left it out.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub title: String,
    /// Fields that a newer writer added.
    #[serde(flatten)]
    pub extra: Extra,
}

impl PackRoot {
    /// Returns the id of the work item, or else the URL of the issue.
    pub fn name(&self) -> Option<&String> {
        self.work_item_id.as_ref().or(self.issue_url.as_ref())
    }
}

/// The agent that a pack is for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Agent"))]
pub struct PackAgent {
    /// Its key, such as `agent:research:main`.
    pub key: String,
    /// Its name.
    pub name: String,
    /// Fields that a newer writer added.
    #[serde(flatten)]
    pub extra: Extra,
}

/// The handover that a pack is made by.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Handover"))]
pub struct PackHandover {
    /// The recipe.
    pub recipe: String,
    /// The key of the agent that hands over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// The box with the cards that were handed over.
    pub context_box_id: String,
    /// The box with the card that describes the agent that the pack is for.
    pub target_profile_box_id: String,
    /// The log that the agent appends to.
    pub output_box: String,
    /// Fields that a newer writer added.
    #[serde(flatten)]
    pub extra: Extra,
}

/// A text that was read for a pack.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Input"))]
pub struct PackInput {
    /// `work_item`, `issue`, `file`, `builtin` or `card`.
    pub kind: String,
    /// The work item's id, the name of a built-in text, or the card's id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The file, from the repo's root.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The issue's URL.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// The version of a built-in text or rule set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// SHA-256 of the text after redaction.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
    /// Fields that a newer writer added.
    #[serde(flatten)]
    pub extra: Extra,
}

/// The limits of a pack, and how much of them its rendering uses.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Budget"))]
pub struct PackBudget {
    /// The most Unicode scalar values.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_chars: Option<u64>,
    /// The most UTF-8 bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_bytes: Option<u64>,
    /// The most tokens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u64>,
    /// The percentage of each limit that is kept free.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub margin: Option<u64>,
    /// `truncate_tail`, `drop_low_priority` or `both`.
    pub strategy: String,
    /// The tokenizer; present if `max_tokens` is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokenizer: Option<String>,
    /// The name of the rendering that was measured.
    pub rendering: String,
    /// Unicode scalar values of the rendering.
    pub used_chars: u64,
    /// UTF-8 bytes of the rendering.
    pub used_bytes: u64,
    /// Tokens of the rendering; present if `max_tokens` is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub used_tokens: Option<u64>,
    /// Fields that a newer writer added.
    #[serde(flatten)]
    pub extra: Extra,
}

/// A text in a pack, with its source and the reason why it is in the pack.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Section {
    /// Unique in the pack and stable between builds, such as `adr.docs/adr/0007-cache.md`.
    pub id: String,
    /// `instructions`, `issue`, `comment`, `work_item_json`, `edge_list`, `adr_excerpt`, `file_excerpt`, `overview`, `document_notes`, `recent_changes` or `card`.
    pub kind: String,
    /// The title.
    pub title: String,
    /// The text's source.
    pub source: SectionSource,
    /// Why the text is in the pack: `profile`, `root`, `comment`, `graph`, `parent`, `child`, `dependency`, `adr_ref`, `doc_ref`, `code_ref`, `likely`, `config`, `agent`, `overview`, `pinned`, `relevant`, `history`, `job`, `inherited`, `argument` or `parent_pointer`.
    pub provenance: String,
    /// The text.
    pub content: String,
    /// Facts about the text for programs.
    pub metadata: Metadata,
    /// Fields that a newer writer added.
    #[serde(flatten)]
    pub extra: Extra,
}

/// The source of a text.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Source"))]
pub struct SectionSource {
    /// `work_item`, `issue`, `file`, `builtin` or `card`.
    pub kind: String,
    /// The work item's id, the name of a built-in text, or the first 12 hex digits of the card's id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The file, from the repo's root.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// First and last line in the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines: Option<[u64; 2]>,
    /// The URL.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// The heading's anchor, if only its section is meant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub anchor: Option<String>,
    /// The version of a built-in text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Fields that a newer writer added.
    #[serde(flatten)]
    pub extra: Extra,
}

/// Facts about a section.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Metadata {
    /// The level of detail: `full`, `truncated`, `excerpt` or `pointer`.
    pub detail: String,
    /// Unicode scalar values of `content`.
    pub chars: u64,
    /// Tokens of `content`; present if the budget has `max_tokens`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    /// Unicode scalar values of the whole text, if the budget shortened it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub full_chars: Option<u64>,
    /// `open`, `done`, `not_planned`, `merged` or `unknown`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
    /// The status as written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    /// The login of the author on GitHub.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    /// The author's association with the repo, as GitHub reports it: `OWNER`, `MEMBER`, `NONE` and so on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub author_association: Option<String>,
    /// When it was written, RFC 3339.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created_at: Option<String>,
    /// Whether it was changed later, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edited: Option<bool>,
    /// `trusted`: committed text, built in, or by an author whom `sync` found trusted; `untrusted`: text that anyone could write.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trust: Option<String>,
    /// The neighbour's relation to the root.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub relation: Option<String>,
    /// Where the relation or reference was stated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<SectionEvidence>,
    /// Every one-hop edge of the root, in the edge list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edges: Option<Vec<PackEdge>>,
    /// The number of relations of the root that only untrusted authors state; `edges` ends with the first of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub untrusted_edges: Option<u64>,
    /// What a document is: `general`, `playbook`, `reference`, `credentials`, `style_guide`, `project_overview` or `project_user`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub doc_type: Option<String>,
    /// A relevant document's place among them, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rank: Option<u64>,
    /// The terms that a relevant document shares with the work, the rarest first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub matched: Option<Vec<String>>,
    /// A relevant document's place by meaning, from 1, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub meaning: Option<u64>,
    /// `true` if the notes are of another version of the document; else absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stale_notes: Option<bool>,
    /// The files that a search for likely code found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub files: Option<Vec<PackFile>>,
    /// Which card it is, and whose.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub card: Option<PackCard>,
    /// Fields that a newer writer added.
    #[serde(flatten)]
    pub extra: Extra,
}

/// A file that shares words with the root.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "File"))]
pub struct PackFile {
    /// The file, from the repo's root.
    pub path: String,
    /// First and last line of the part with most of the words.
    pub lines: [u64; 2],
    /// Words that it shares with the root, the rarest first.
    pub words: Vec<String>,
    /// Fields that a newer writer added.
    #[serde(flatten)]
    pub extra: Extra,
}

/// A card that a handover gives.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Card"))]
pub struct PackCard {
    /// The card's id: `sha256:` and 64 hex digits.
    pub id: String,
    /// Its type, such as `task.instruction`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Who says it, as a model sees it: `system`, `user`, `assistant` or `tool`.
    pub role: String,
    /// Who wrote it.
    pub author_id: String,
    /// Fields that a newer writer added.
    #[serde(flatten)]
    pub extra: Extra,
}

/// The place where a relation or reference was stated.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Evidence"))]
pub struct SectionEvidence {
    /// `field`, `sub_issue`, `dependency_api`, `checklist`, `body` or, for a file, `reference`.
    pub source: String,
    /// `path:line` or a URL.
    pub at: String,
    /// Fields that a newer writer added.
    #[serde(flatten)]
    pub extra: Extra,
}

/// A one-hop edge of the root.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Edge"))]
pub struct PackEdge {
    /// The root's id.
    pub from: String,
    /// The target's id.
    pub to: String,
    /// The target's relation to the root: `parent`, `child`, `depends_on`, `blocked_by`, `blocks` or `related`.
    pub relation: String,
    /// The target's title; its id if the title is unknown.
    pub title: String,
    /// The target's state.
    pub state: String,
    /// Whether the target is a work item or issue of this repo's files.
    pub resolved: bool,
    /// `field`, `sub_issue`, `dependency_api`, `checklist` or `body`.
    pub source: String,
    /// Where it was stated: `path:line` or a URL.
    pub at: String,
    /// `untrusted` if only untrusted authors state it, and not in the root's own text: nothing relies on it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trust: Option<String>,
    /// Fields that a newer writer added.
    #[serde(flatten)]
    pub extra: Extra,
}

/// A section that could have been in the pack and was left out.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Omission"))]
pub struct PackOmission {
    /// The id that its section would have; for many comments those of the first and the last, as in `comment.101-163`.
    pub id: String,
    /// The title, or the reference as written; for many comments their number.
    pub title: String,
    /// Where it can be read.
    pub source: SectionSource,
    /// Why it would have been in the pack.
    pub provenance: String,
    /// `budget`, `limit`, `profile`, `policy`, `other_agent`, `denied_path`, `outside_repo`, `not_in_repo`, `binary`, `not_utf8`, `too_large`, `git_lfs`, `ambiguous`, `boilerplate`, `low_trust`, `expired` or `deleted`.
    pub reason: String,
    /// `untrusted` if anyone could have written its title or its text; else absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trust: Option<String>,
    /// Unicode scalar values of its full text, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chars: Option<u64>,
    /// Tokens of its full text, if known and counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    /// Fields that a newer writer added.
    #[serde(flatten)]
    pub extra: Extra,
}

/// A redaction in a section's source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Redaction {
    /// The section's id.
    pub section: String,
    /// The file or URL that holds it.
    pub source: SectionSource,
    /// The line in the source.
    pub line: u64,
    /// The rule that matched.
    pub rule: String,
    /// How often the rule matched on that line.
    pub count: u64,
    /// Why the text was removed.
    pub reason: String,
    /// How to include the text safely.
    pub to_include: String,
    /// Fields that a newer writer added.
    #[serde(flatten)]
    pub extra: Extra,
}

/// A warning about the inputs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Warning {
    /// The diagnostic's code, which has a page in the documentation.
    pub code: String,
    /// The warning's text.
    pub message: String,
    /// The place that the warning is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<SectionSource>,
    /// Fields that a newer writer added.
    #[serde(flatten)]
    pub extra: Extra,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schema_is_that_of_the_types() {
        let mut schema = schemars::schema_for!(Pack);
        schema.insert("$id".into(), "urn:contextpack:schema:pack:1".into());
        schema.insert("title".into(), "ContextPack v1".into());
        let made = format!("{:#}\n", schema.to_value());
        if std::env::var_os("CONTEXTPACK_BLESS").is_some() {
            let file = concat!(env!("CARGO_MANIFEST_DIR"), "/schema/pack.schema.json");
            assert!(std::fs::write(file, &made).is_ok(), "{file}");
        }
        assert_eq!(made, SCHEMA, "accept it with `CONTEXTPACK_BLESS=1 cargo test the_schema_is`");
    }
}
