//! ContextPack v1 on the wire: the frozen output types and nothing else.
//!
//! Field order is the order of the published file. Nothing here derives from
//! internal types, so that the inside may change and v1 may not. Numbers are
//! integers below 2^53, object keys are ASCII: RFC 8785 needs no more.

mod schema;

pub use schema::schema;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The value of `schema_version`.
pub const SCHEMA_VERSION: &str = "context_pack/v1";

/// The name of the rendering that the budgets of new packs measure.
pub const RENDERING: &str = "markdown/2";

/// A context pack: everything that one piece of work needs, bounded, hashed and explained.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Pack {
    /// Always `context_pack/v1`.
    pub schema_version: String,
    /// `cp_<slug>_<profile>_<first 12 hex digits of the hash>`.
    pub pack_id: String,
    /// When the pack was built, in UTC; not part of the hash.
    pub generated_at: String,
    /// What built the pack; not part of the hash.
    pub generator: Generator,
    /// The kind of work: `drafting`, `coding`, `review`, `other` or a name from the configuration.
    pub profile: String,
    /// The piece of work that the pack is for.
    pub root: PackRoot,
    /// Everything that was read for the pack, also what was left out later.
    pub inputs: Vec<PackInput>,
    /// The limits and what the rendering uses of them.
    pub budget: PackBudget,
    /// SHA-256 over the RFC 8785 form of the pack without `hash`, `pack_id`, `generated_at` and `generator`.
    pub hash: String,
    /// The texts, in the order of the rendering.
    pub sections: Vec<Section>,
    /// What was left out, and why.
    pub omissions: Vec<PackOmission>,
    /// What was removed from the texts, why, and how to include it safely.
    pub redactions: Vec<Redaction>,
    /// What a reader should know about the inputs.
    pub warnings: Vec<Warning>,
}

/// The program that built a pack.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Generator {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
}

/// The root of a pack: an id, a URL, or both.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Root")]
pub struct PackRoot {
    /// The work item's stable id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub work_item_id: Option<String>,
    /// The issue's URL.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub issue_url: Option<String>,
    /// The title.
    pub title: String,
}

/// Something that was read for a pack.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Input")]
pub struct PackInput {
    /// `work_item`, `issue`, `file` or `builtin`.
    pub kind: String,
    /// The work item's id, or the name of a built-in text.
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
}

/// The limits of a pack and what its rendering uses of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Budget")]
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
    /// Percent of each limit that was kept free.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub margin: Option<u64>,
    /// `truncate_tail`, `drop_low_priority` or `both`.
    pub strategy: String,
    /// Who counted tokens; there where `max_tokens` is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokenizer: Option<String>,
    /// The name of the rendering that was measured.
    pub rendering: String,
    /// Unicode scalar values of the rendering.
    pub used_chars: u64,
    /// UTF-8 bytes of the rendering.
    pub used_bytes: u64,
    /// Tokens of the rendering; there where `max_tokens` is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub used_tokens: Option<u64>,
}

/// A text in a pack, with where it came from and why it is there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Section {
    /// Unique in the pack and stable between builds, such as `adr.docs/adr/0007-cache.md`.
    pub id: String,
    /// `instructions`, `issue`, `comment`, `work_item_json`, `edge_list`, `adr_excerpt` or `file_excerpt`.
    pub kind: String,
    /// The title.
    pub title: String,
    /// Where the text came from.
    pub source: SectionSource,
    /// Why it is there: `profile`, `root`, `comment`, `graph`, `parent`, `child`, `dependency`, `adr_ref`, `doc_ref` or `config`.
    pub provenance: String,
    /// The text.
    pub content: String,
    /// Facts about the text for programs.
    pub metadata: Metadata,
}

/// Where a text came from.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Source")]
pub struct SectionSource {
    /// `work_item`, `issue`, `file` or `builtin`.
    pub kind: String,
    /// The work item's id, or the name of a built-in text.
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
    /// The heading's anchor, where only its section was meant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub anchor: Option<String>,
    /// The version of a built-in text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
}

/// Facts about a section.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Metadata {
    /// How much of the text is there: `full`, `truncated`, `excerpt` or `pointer`.
    pub detail: String,
    /// Unicode scalar values of `content`.
    pub chars: u64,
    /// Tokens of `content`; there where the budget has `max_tokens`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    /// Unicode scalar values of the whole text, where the budget made it smaller.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub full_chars: Option<u64>,
    /// `open`, `done`, `not_planned`, `merged` or `unknown`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
    /// The status as written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    /// The login of who wrote it on GitHub.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    /// What the author is to the repo, as GitHub says it: `OWNER`, `MEMBER`, `NONE` and so on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub author_association: Option<String>,
    /// When it was written, RFC 3339.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created_at: Option<String>,
    /// Whether it was changed later, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edited: Option<bool>,
    /// `trusted`: committed text, built in, or by an author whom `sync` found trusted; `untrusted`: text that anyone could write.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trust: Option<String>,
    /// What the neighbour is to the root.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub relation: Option<String>,
    /// Why the neighbour or the reference is there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<SectionEvidence>,
    /// Every one-hop edge of the root, in the edge list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edges: Option<Vec<PackEdge>>,
    /// How many relations only authors who are not trusted state of the root; `edges` ends with the first of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub untrusted_edges: Option<u64>,
}

/// Where a relation or reference was stated.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Evidence")]
pub struct SectionEvidence {
    /// `field`, `sub_issue`, `dependency_api`, `checklist`, `body` or, for a file, `reference`.
    pub source: String,
    /// `path:line` or a URL.
    pub at: String,
}

/// A one-hop edge of the root.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Edge")]
pub struct PackEdge {
    /// The root's id.
    pub from: String,
    /// The other's id.
    pub to: String,
    /// What the other is to the root: `parent`, `child`, `depends_on`, `blocked_by`, `blocks` or `related`.
    pub relation: String,
    /// The other's title; its id where nothing here describes it.
    pub title: String,
    /// The other's state.
    pub state: String,
    /// Whether the other is described here.
    pub resolved: bool,
    /// `field`, `sub_issue`, `dependency_api`, `checklist` or `body`.
    pub source: String,
    /// Where it was stated: `path:line` or a URL.
    pub at: String,
    /// `untrusted` where only authors who are not trusted state it, and not in the root's own text: nothing relies on it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trust: Option<String>,
}

/// Something that could have been in the pack and is not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Omission")]
pub struct PackOmission {
    /// The id that its section would have; of many comments those of the first and the last, as in `comment.101-163`.
    pub id: String,
    /// The title, or the reference as written; of many comments how many they are.
    pub title: String,
    /// Where it can be read.
    pub source: SectionSource,
    /// Why it would have been there.
    pub provenance: String,
    /// `budget`, `limit`, `profile`, `denied_path`, `outside_repo`, `not_in_repo`, `binary`, `not_utf8`, `too_large`, `ambiguous` or `low_trust`.
    pub reason: String,
    /// `untrusted` where anyone could have written its title or its text; absent elsewhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trust: Option<String>,
    /// Unicode scalar values of its full text, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chars: Option<u64>,
    /// Tokens of its full text, where that is known and tokens are counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
}

/// Something that was removed from a section's source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Redaction {
    /// The section's id.
    pub section: String,
    /// The file or URL that holds it.
    pub source: SectionSource,
    /// The line in the source.
    pub line: u64,
    /// The rule that matched.
    pub rule: String,
    /// How often it matched on that line.
    pub count: u64,
    /// Why it was removed.
    pub reason: String,
    /// What to do to include it safely.
    pub to_include: String,
}

/// Something a reader should know about the inputs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Warning {
    /// The stable name; each has a page in the documentation.
    pub code: String,
    /// What is wrong.
    pub message: String,
    /// Where.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<SectionSource>,
}
