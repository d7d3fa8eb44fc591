//! `contextpack.yml` as written.
//!
//! The doc comments of fields are the descriptions of the published schema:
//! they speak to the person who writes the file.

use super::shapes::{OneOrMany, Percent};
use crate::model::{Code, Level};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use std::collections::BTreeMap;

/// The configuration of contextpack: `contextpack.yml` at the root of a repo. Every part is optional.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "contextpack.yml")]
#[expect(dead_code, reason = "the two versions are read from the tree, before all else is")]
#[schemars(rename = "Config")]
pub(super) struct RawConfig {
    /// The version of this file's format. Always 1.
    #[schemars(range(min = 1, max = 1))]
    pub(super) version: Option<u32>,
    /// The version of contextpack that this repo needs, whole or in part, such as "0.1" or "0.1.3". Another version refuses to run and says how to get this one.
    pub(super) required_version: Option<String>,
    /// Which work items and issues get a pack. Default: every work item, and every issue of the GitHub snapshot that was asked for.
    pub(super) roots: Option<RawRoots>,
    /// Where work items come from, in order of precedence. Default: `work_items/**/*.{md,yml,yaml,json,jsonl}` with the native fields.
    pub(super) work_items: Option<Vec<RawItems>>,
    /// Statuses that mean done, compared without case. Replaces the default list.
    pub(super) done_statuses: Option<Vec<String>>,
    /// Where architecture decision records are, and what a pack takes of one.
    pub(super) adrs: Option<RawAdrs>,
    /// Which repo this is on GitHub. A build never asks a remote or the environment for it.
    pub(super) github: Option<RawGithub>,
    /// Profiles by name: changes to the built-in ones (`drafting`, `coding`, `review`, `other`), and new ones, which begin as `other`. A name is made of a-z, 0-9 and `-`.
    #[serde(default)]
    #[schemars(schema_with = "profiles")]
    pub(super) profiles: Option<BTreeMap<String, RawProfile>>,
    /// What is removed from texts, and which files are never opened.
    pub(super) redaction: Option<RawRedaction>,
    /// Where packs go.
    pub(super) output: Option<RawOutput>,
    /// What is done about warnings, by code: `allow` hides one, `deny` makes it an error. Errors cannot be weakened.
    #[serde(default)]
    #[schemars(schema_with = "warnings")]
    pub(super) warnings: Option<BTreeMap<String, Level>>,
}

/// Which work items and issues get a pack. All parts that are given must hold; values compare without case.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Roots")]
pub(super) struct RawRoots {
    /// Only items and issues with one of these labels.
    pub(super) labels: Option<OneOrMany>,
    /// Only items and issues in one of these states: `open`, `done`, `not_planned`, `merged`, `unknown`.
    pub(super) state: Option<OneOrMany>,
    /// Only items with one of these statuses, as they are written.
    pub(super) status: Option<OneOrMany>,
    /// Only items of one of these types.
    #[serde(rename = "type")]
    pub(super) kind: Option<OneOrMany>,
    /// Only items with one of these priorities.
    pub(super) priority: Option<OneOrMany>,
    /// Only items of one of these areas.
    pub(super) area: Option<OneOrMany>,
    /// Only items assigned to one of these.
    pub(super) assignees: Option<OneOrMany>,
    /// Only items and issues of one of these milestones.
    pub(super) milestone: Option<OneOrMany>,
    /// Only ids that match one of these globs, such as `feat:*`.
    pub(super) include: Option<OneOrMany>,
    /// Not those of which a field, named here, has one of these values, such as `{status: [draft]}`.
    pub(super) exclude: Option<BTreeMap<String, OneOrMany>>,
}

/// One place of work items and how to read them.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "WorkItems")]
pub(super) struct RawItems {
    /// Files that hold work items, as globs from the root of the repo: `*` stays in a folder, `**` crosses folders, `{a,b}` is either.
    pub(super) include: OneOrMany,
    /// Files among them that hold none.
    pub(super) exclude: Option<OneOrMany>,
    /// How an id is made, such as `EIP-{eip}`: `{name}` is a field of the item; also `{path}`, `{dir}` and `{stem}` of its file. Default: `{id}`, else `{stable_id}`, else `{path}`.
    pub(super) id: Option<String>,
    /// How a bare relation value becomes an id, such as `EIP-{}`. Default: `{}`.
    #[serde(rename = "ref")]
    pub(super) reference: Option<String>,
    /// The names of fields: ours, then theirs (a name or a list of names). Of several, texts take the first that is not empty; relations and documents take all.
    #[serde(default)]
    #[schemars(schema_with = "field_names")]
    pub(super) fields: Option<BTreeMap<String, OneOrMany>>,
    /// A field that holds a list of edges to other items.
    pub(super) edges: Option<RawEdges>,
    /// Items that exist as neighbours but get no pack: field names and values, such as `{status: [tombstone]}`.
    pub(super) no_pack: Option<BTreeMap<String, OneOrMany>>,
    /// Prefixes of ids that mean the same, such as `[BACK-, task-]`. A bare number takes the first.
    pub(super) prefixes: Option<OneOrMany>,
    /// The name of the file beside the item that holds its body, such as `README.md`.
    pub(super) body_file: Option<String>,
}

/// A field that holds a list of edges to other items.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Edges")]
pub(super) struct RawEdges {
    /// The field with the list.
    pub(super) field: String,
    /// The key of an edge that holds the other item's id.
    pub(super) to: String,
    /// The key of an edge that holds its type. Default: `type`.
    #[serde(rename = "type")]
    pub(super) kind: Option<String>,
    /// What the other item is, by type of edge. Types that are not named here are no relation.
    pub(super) types: BTreeMap<String, RawRelation>,
}

/// What another item is to an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "Relation")]
pub(super) enum RawRelation {
    /// It contains the item.
    Parent,
    /// It is a part of the item.
    Child,
    /// The item needs it.
    DependsOn,
    /// It must be done before the item.
    BlockedBy,
    /// It waits for the item.
    Blocks,
    /// They belong together, without order.
    Related,
}

/// Whose references are followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "Whose")]
pub(super) enum RawWhose {
    /// The pack's root. It always stands here.
    Root,
    /// The root's parent.
    Parent,
    /// The root's parts.
    Child,
    /// What the root needs.
    DependsOn,
    /// What must be done before the root.
    BlockedBy,
    /// What waits for the root.
    Blocks,
    /// What belongs together with the root.
    Related,
}

/// Relations whose items stand in the edge list only, unless a profile asks for more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "Listed")]
pub(super) enum RawListed {
    /// Items that wait for the root.
    Blocks,
    /// Items that belong together with the root.
    Related,
}

/// Groups of sections that leave together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "Group")]
pub(super) enum RawGroup {
    /// The parent, with the siblings as lines.
    Parent,
    /// What the root depends on.
    Dependencies,
    /// The root's parts.
    Children,
    /// Architecture decisions.
    Adrs,
    /// The root's discussion.
    Comments,
    /// Other referenced documents.
    Documents,
    /// What `sections_of` asks for.
    Related,
}

/// Where architecture decision records (ADRs) are, and what a pack takes of one.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Adrs")]
pub(super) struct RawAdrs {
    /// Files that are ADRs, as globs. Default: Markdown files below `docs/adr`, `docs/adrs`, `docs/decisions`, `doc/adr`, `doc/architecture/decisions` and `docs/architecture/decisions`, in upper or lower case.
    pub(super) include: Option<OneOrMany>,
    /// What an excerpt holds.
    pub(super) excerpt: Option<RawExcerpt>,
}

/// What an excerpt of an ADR holds.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Excerpt")]
pub(super) struct RawExcerpt {
    /// Headings whose sections it takes, case and level ignored; usual other names of them are known. Default: Status, Context, Decision, Consequences.
    pub(super) headings: Option<Vec<String>>,
    /// The most lines that it takes. Default: 120.
    #[schemars(range(min = 1))]
    pub(super) max_lines: Option<u32>,
}

/// Which repo this is on GitHub.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Github")]
pub(super) struct RawGithub {
    /// The repo as `owner/name`. Without it, URLs of repos stay unresolved.
    #[schemars(regex(pattern = r"^[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+$"))]
    pub(super) repo: Option<String>,
    /// The host of its URLs. Default: `github.com`.
    pub(super) host: Option<String>,
    /// The folder of the snapshot of issues, which builds read. Commit it where packs are committed. Default: `.contextpack/github`.
    pub(super) snapshot: Option<String>,
    /// How many of the root's last comments a pack takes; 0 takes none. Default: 5.
    pub(super) comments: Option<u32>,
    /// Whose comments a pack takes: only those of trusted authors, or everybody's. Bodies of issues always stay, marked with their trust. Default: `trusted`.
    pub(super) min_trust: Option<RawTrust>,
    /// Whether this repo is private, so that its packs may hold issues of private repos. Default: what the snapshot says of issues of `repo`.
    pub(super) private: Option<bool>,
}

/// How far an author is trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "Trust")]
pub(super) enum RawTrust {
    /// `sync` found that the author belongs to the repo.
    Trusted,
    /// Anyone.
    Untrusted,
}

/// How packs of one kind of work are made. What is not given stays as the built-in profile of this name has it.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Profile")]
pub(super) struct RawProfile {
    /// The file in this repo with the instructions for the agent, such as `instructions/coding.md`.
    pub(super) instructions: Option<String>,
    /// The limits of a pack. Replaces the built-in budget whole.
    pub(super) budget: Option<RawBudget>,
    /// Groups of sections from strongest to weakest; those that are not named follow in the default order (`parent`, `dependencies`, `children`, `adrs`, `comments`, `documents`, `related`).
    pub(super) priority: Option<Vec<RawGroup>>,
    /// Whose references to ADRs and documents are followed, such as `[root, parent]`.
    pub(super) adr_refs_of: Option<Vec<RawWhose>>,
    /// Relations whose items get sections, although they stand in the edge list only by default.
    pub(super) sections_of: Option<Vec<RawListed>>,
    /// Groups of sections that this profile leaves out.
    pub(super) leave_out: Option<Vec<RawGroup>>,
    /// Headings that are cut last, case and level ignored.
    pub(super) key_headings: Option<Vec<String>>,
    /// Whether a work item's own text stands before the text of its GitHub issue.
    pub(super) draft_first: Option<bool>,
}

/// The limits of a pack. At least one limit is given; a pack keeps to every limit that is.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Budget")]
pub(super) struct RawBudget {
    /// The most characters (Unicode scalar values).
    #[schemars(range(min = 1))]
    pub(super) max_chars: Option<u64>,
    /// The most tokens, as `tokenizer` counts them.
    #[schemars(range(min = 1))]
    pub(super) max_tokens: Option<u64>,
    /// The most bytes of UTF-8.
    #[schemars(range(min = 1))]
    pub(super) max_bytes: Option<u64>,
    /// How a pack is made to fit. Default: `both`.
    pub(super) strategy: Option<RawStrategy>,
    /// Who counts tokens. Default: `o200k_base`.
    pub(super) tokenizer: Option<RawTokenizer>,
    /// The part of each limit that stays free, for models that count otherwise, such as `15%`; at most 90. Default: 0.
    pub(super) margin: Option<Percent>,
    /// The part of the limit that the root's body takes at most, from 10 to 100; more where all else leaves it. Default: `70%`.
    pub(super) root_share: Option<Percent>,
}

/// How a pack is made to fit.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "Strategy")]
pub(super) enum RawStrategy {
    /// The pack is cut at its end.
    TruncateTail,
    /// Whole sections leave, weakest first.
    DropLowPriority,
    /// Sections step down in detail, weakest first, and leave last.
    Both,
}

/// The vocabularies that can be counted.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[schemars(rename = "Tokenizer")]
pub(super) enum RawTokenizer {
    /// The newer vocabulary.
    #[serde(rename = "o200k_base")]
    O200kBase,
    /// The older vocabulary.
    #[serde(rename = "cl100k_base")]
    Cl100kBase,
}

/// What is removed from texts, and which files are never opened.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Redaction")]
pub(super) struct RawRedaction {
    /// Findings that are let through.
    pub(super) allow: Option<Vec<RawAllow>>,
    /// Further rules besides the built-in ones.
    pub(super) rules: Option<Vec<RawRule>>,
    /// Further files that are never opened, as globs; `!path` allows one that would not be opened.
    pub(super) deny_paths: Option<OneOrMany>,
}

/// Lets findings through. At least one part is given; all that are must match.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Allow")]
pub(super) struct RawAllow {
    /// The name of the rule that found them; `contextpack redact --rules` lists them.
    pub(super) rule: Option<String>,
    /// The files they stand in, as a glob. Alone it must name a folder or a file, such as `tests/fixtures/**`.
    pub(super) path: Option<String>,
    /// The SHA-256 of the exact value, in hex, as `printf %s VALUE | sha256sum` prints it.
    #[schemars(regex(pattern = r"^(sha256:)?[0-9A-Fa-f]{64}$"))]
    pub(super) sha256: Option<String>,
}

/// A rule of your own: what it matches is replaced by `[REDACTED:name]`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Rule")]
pub(super) struct RawRule {
    /// Its name, made of a-z, 0-9 and `-`.
    #[schemars(regex(pattern = r"^[a-z0-9-]+$"))]
    pub(super) name: String,
    /// The regular expression of what is removed: group 1 where there is one, else the whole match.
    pub(super) pattern: String,
    /// Words of which one must stand near for the rule to look at all, case ignored.
    pub(super) keywords: Option<OneOrMany>,
    /// Why it is removed, as packs record it.
    pub(super) reason: Option<String>,
}

/// Where packs go.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Output")]
pub(super) struct RawOutput {
    /// The folder of packs, inside the repo. Default: `packs`.
    pub(super) dir: Option<String>,
    /// The profiles that are built where none is named. Default: `[coding]`.
    pub(super) profiles: Option<OneOrMany>,
    /// Whether `<pack>.md` is kept beside each pack: exactly what `contextpack render` prints, for reviews. Default: `false`.
    pub(super) markdown: Option<bool>,
}

/// The names that a work item's fields have with us.
pub(super) const NATIVE_FIELDS: [&str; 23] = [
    "id",
    "stable_id",
    "type",
    "title",
    "status",
    "body",
    "parent",
    "children",
    "depends_on",
    "blocked_by",
    "blocks",
    "related",
    "issue",
    "adrs",
    "docs",
    "labels",
    "priority",
    "size",
    "risk",
    "area",
    "estimate_hrs",
    "acceptance_criteria",
    "assignees",
];

fn nullable_map(properties: serde_json::Map<String, serde_json::Value>) -> Schema {
    json_schema!({"type": ["object", "null"], "properties": properties, "additionalProperties": false})
}

fn profiles(generator: &mut SchemaGenerator) -> Schema {
    let profile = generator.subschema_for::<Option<RawProfile>>();
    json_schema!({"type": ["object", "null"], "patternProperties": {"^[a-z0-9-]+$": profile}, "additionalProperties": false})
}

fn warnings(generator: &mut SchemaGenerator) -> Schema {
    let level = generator.subschema_for::<Level>();
    let of = |code: &Code| {
        let mut schema = level.clone();
        schema.insert("description".to_owned(), code.summary().trim().into());
        (code.name().to_owned(), schema.to_value())
    };
    nullable_map(Code::ALL.iter().map(of).collect())
}

fn field_names(generator: &mut SchemaGenerator) -> Schema {
    let words = generator.subschema_for::<OneOrMany>();
    let of = |name: &&str| {
        let mut schema = words.clone();
        schema.insert("description".to_owned(), format!("Their name, or names, of our field `{name}`.").into());
        ((*name).to_owned(), schema.to_value())
    };
    nullable_map(NATIVE_FIELDS.iter().map(of).collect())
}
