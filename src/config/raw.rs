//! The raw form of `contextpack.yml`, as `serde` reads it.
//!
//! The doc comments are the descriptions of the published schema, and are written for the author of the file.

use super::raw_handover::RawHandover;
use super::raw_knowledge::{RawAgents, RawContext, RawDocuments, RawJob};
use super::shapes::{OneOrMany, Percent, RawLimit};
use crate::model::{Code, Level};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use std::collections::BTreeMap;

/// The configuration of contextpack: `contextpack.yml` at the root of a repo. Every part is optional.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "contextpack.yml")]
#[expect(dead_code, reason = "the two versions are read from the tree, before everything else")]
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
    /// Statuses that mean closed without being done, compared without case. Replaces the default list.
    pub(super) not_planned_statuses: Option<Vec<String>>,
    /// Names of files that a link in passing does not bring into a pack, as globs without a folder, compared without case. Replaces the default list: licences, codes of conduct, contribution guides and changelogs.
    pub(super) boilerplate: Option<Vec<String>>,
    /// Where architecture decision records are, and what a pack takes of one.
    pub(super) adrs: Option<RawAdrs>,
    /// Which repo this is on GitHub. A build never asks a remote or the environment for it.
    pub(super) github: Option<RawGithub>,
    /// Where the files of agents are, for whom `--agent` builds packs.
    pub(super) agents: Option<RawAgents>,
    /// Documents that packs take notes from. A file belongs to the first entry that matches it. Default: none.
    pub(super) documents: Option<Vec<RawDocuments>>,
    /// The document that says what the project is, which packs hold in full.
    pub(super) overview: Option<String>,
    /// What packs hold besides their root.
    pub(super) context: Option<RawContext>,
    /// Tasks that agents do again and again, by name. A name is made of a-z, 0-9 and `-`.
    #[serde(default)]
    #[schemars(schema_with = "jobs")]
    pub(super) jobs: Option<BTreeMap<String, RawJob>>,
    /// Profiles by name: changes to the built-in ones (`drafting`, `coding`, `review`, `other`), and new ones, which begin as `other`. A name is made of a-z, 0-9 and `-`.
    #[serde(default)]
    #[schemars(schema_with = "profiles")]
    pub(super) profiles: Option<BTreeMap<String, RawProfile>>,
    /// What is removed from texts, and which files are never opened.
    pub(super) redaction: Option<RawRedaction>,
    /// Where packs go.
    pub(super) output: Option<RawOutput>,
    /// Where cards and boxes are: what agents leave for others.
    pub(super) handover: Option<RawHandover>,
    /// The level of warnings, by code: `allow` hides one, `deny` makes it an error. Errors cannot be weakened.
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
    /// Only items with one of these statuses, as spelled in their files.
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

/// A source of work items and how to read it.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "WorkItems")]
pub(super) struct RawItems {
    /// Files that hold work items, as globs from the root of the repo: `*` stays in a folder, `**` crosses folders, `{a,b}` is either.
    pub(super) include: OneOrMany,
    /// Files among them that hold no work items.
    pub(super) exclude: Option<OneOrMany>,
    /// The template of ids, such as `EIP-{eip}`: `{name}` is a field of the item; also `{path}`, `{dir}` and `{stem}` of its file. Default: `{id}`, else `{stable_id}`, else `{path}`.
    pub(super) id: Option<String>,
    /// The template that turns a bare relation value into an id, such as `EIP-{}`. Default: `{}`.
    #[serde(rename = "ref")]
    pub(super) reference: Option<String>,
    /// The names of fields: first the native name, then the name or names in your files. If several are given, texts take the first that is not empty; relations and documents take all.
    #[serde(default)]
    #[schemars(schema_with = "field_names")]
    pub(super) fields: Option<BTreeMap<String, OneOrMany>>,
    /// A field that holds a list of edges to other items.
    pub(super) edges: Option<RawEdges>,
    /// Items that exist as neighbours but get no pack: field names and values, such as `{status: [tombstone]}`; the value `*` is any.
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
    /// The relation of the other item, by type of edge. Types that are not named here are no relation.
    pub(super) types: BTreeMap<String, RawRelation>,
}

/// The relation of another item to an item.
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
    /// It has to be done before the item.
    BlockedBy,
    /// It waits for the item.
    Blocks,
    /// They belong together, without order.
    Related,
}

/// The items whose references are followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "Whose")]
pub(super) enum RawWhose {
    /// The pack's root, which has to be named.
    Root,
    /// The root's parent.
    Parent,
    /// The root's children.
    Child,
    /// What the root needs.
    DependsOn,
    /// What has to be done before the root.
    BlockedBy,
    /// What waits for the root.
    Blocks,
    /// What belongs together with the root.
    Related,
}

/// Relations whose items are in the edge list only, unless a profile asks for more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "Listed")]
pub(super) enum RawListed {
    /// Items that wait for the root.
    Blocks,
    /// Items that belong together with the root.
    Related,
}

/// The most detail that code is shown in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "CodeDetail")]
pub(super) enum RawCodeDetail {
    /// The named lines, small files, and outlines of others.
    Full,
    /// Paths and numbers of lines.
    Pointer,
}

/// Groups of sections that are left out together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "Group")]
pub(super) enum RawGroup {
    /// The parent, with the siblings as lines.
    Parent,
    /// What the root depends on.
    Dependencies,
    /// The root's children.
    Children,
    /// Architecture decisions.
    Adrs,
    /// The root's discussion.
    Comments,
    /// Other referenced documents.
    Documents,
    /// Referenced code: any other text file.
    Code,
    /// What `sections_of` asks for.
    Related,
    /// The overview, the user and pinned documents.
    Knowledge,
    /// Documents that are relevant for the work.
    Relevant,
    /// Recent changes of the repo.
    Changes,
    /// Cards that a handover inherits.
    Cards,
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
    /// Headings whose sections it takes, case and level ignored; their usual aliases match too. Default: Status, Context, Decision, Consequences.
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

/// The settings for packs of one kind of work. Absent settings keep the value of the built-in profile of this name.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Profile")]
pub(super) struct RawProfile {
    /// The file in this repo with the instructions for the agent, such as `instructions/coding.md`.
    pub(super) instructions: Option<String>,
    /// The limits of a pack. Replaces the built-in budget whole.
    pub(super) budget: Option<RawBudget>,
    /// Groups of sections from strongest to weakest; those that are not named follow in the default order (`knowledge`, `parent`, `dependencies`, `children`, `adrs`, `code`, `comments`, `documents`, `related`, `relevant`, `changes`).
    pub(super) priority: Option<Vec<RawGroup>>,
    /// Whose references to ADRs and documents are followed, such as `[root, parent]`.
    pub(super) adr_refs_of: Option<Vec<RawWhose>>,
    /// Whose references to code are followed, such as `[root, parent]`. Default: `[root, parent]` in `coding`, else `[root]`.
    pub(super) code_refs_of: Option<Vec<RawWhose>>,
    /// The most detail that code is shown in. Default: `pointer` in `drafting`, else `full`.
    pub(super) code_detail: Option<RawCodeDetail>,
    /// Relations whose items get sections, although by default they are only in the edge list.
    pub(super) sections_of: Option<Vec<RawListed>>,
    /// Groups of sections that this profile leaves out.
    pub(super) leave_out: Option<Vec<RawGroup>>,
    /// Headings that are cut last, case and level ignored.
    pub(super) key_headings: Option<Vec<String>>,
    /// Whether a work item's own text comes before the text of its GitHub issue.
    pub(super) draft_first: Option<bool>,
    /// What fills a budget that would otherwise stay empty: comments by authors without a say over the repo, or nothing. Default: `untrusted` in `drafting` and `review`, else `none`.
    pub(super) fill_with: Option<RawFiller>,
}

/// What fills a budget that would otherwise stay empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "Filler")]
pub(super) enum RawFiller {
    /// Nothing.
    None,
    /// Comments by authors without a say over the repo, marked as such.
    Untrusted,
}

/// The limits of a pack. At least one limit is given; a pack keeps to every limit that is.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Budget")]
pub(super) struct RawBudget {
    /// The most characters (Unicode scalar values).
    pub(super) max_chars: Option<RawLimit>,
    /// The most tokens, as `tokenizer` counts them.
    pub(super) max_tokens: Option<RawLimit>,
    /// The most bytes of UTF-8.
    pub(super) max_bytes: Option<RawLimit>,
    /// How a pack is made to fit. Default: `both`.
    pub(super) strategy: Option<RawStrategy>,
    /// The vocabulary that counts tokens. Default: `o200k_base`.
    pub(super) tokenizer: Option<RawTokenizer>,
    /// The part of each limit that stays free, for models that count otherwise, such as `15%`; at most 90. Default: 0.
    pub(super) margin: Option<Percent>,
    /// The part of the limit that the root's body takes at most, from 10 to 100; more if the rest leaves space. Default: `70%`.
    pub(super) root_share: Option<Percent>,
}

/// How a pack is made to fit.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "Strategy")]
pub(super) enum RawStrategy {
    /// The pack is cut at its end.
    TruncateTail,
    /// Whole sections are left out, weakest first.
    DropLowPriority,
    /// Sections are reduced in detail, weakest first, and left out last.
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
    /// Findings that are not removed.
    pub(super) allow: Option<Vec<RawAllow>>,
    /// Further rules besides the built-in ones.
    pub(super) rules: Option<Vec<RawRule>>,
    /// Further files that are never opened, as globs; `!path` allows one that would not be opened.
    pub(super) deny_paths: Option<OneOrMany>,
}

/// Findings that are not removed. At least one part has to be given; all that are given must match.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Allow")]
pub(super) struct RawAllow {
    /// The name of the rule that found them; `contextpack redact --rules` lists them.
    pub(super) rule: Option<String>,
    /// The files that hold them, as a glob. Alone it must name a folder or a file, such as `tests/fixtures/**`.
    pub(super) path: Option<String>,
    /// The SHA-256 of the exact value, in hex, as `printf %s VALUE | sha256sum` prints it.
    #[schemars(regex(pattern = r"^(sha256:)?[0-9A-Fa-f]{64}$"))]
    pub(super) sha256: Option<String>,
}

/// A rule of your own. Its matches are replaced by `[REDACTED:name]`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Rule")]
pub(super) struct RawRule {
    /// Its name, made of a-z, 0-9 and `-`.
    #[schemars(regex(pattern = r"^[a-z0-9-]+$"))]
    pub(super) name: String,
    /// The regular expression of what is removed: group 1 if it has one, else the whole match.
    pub(super) pattern: String,
    /// Words of which one must be near a match, case ignored.
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
    /// The profiles that are built if none is named. Default: `[coding]`.
    pub(super) profiles: Option<OneOrMany>,
    /// Whether `<pack>.md` is written beside each pack: exactly what `contextpack render` prints, for reviews. Default: `false`.
    pub(super) markdown: Option<bool>,
}

/// The native names of a work item's fields.
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

fn jobs(generator: &mut SchemaGenerator) -> Schema {
    let job = generator.subschema_for::<RawJob>();
    json_schema!({"type": ["object", "null"], "patternProperties": {"^[a-z0-9-]+$": job}, "additionalProperties": false})
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
        schema.insert(
            "description".to_owned(),
            format!("The name or names in your files for the native field `{name}`.").into(),
        );
        ((*name).to_owned(), schema.to_value())
    };
    nullable_map(NATIVE_FIELDS.iter().map(of).collect())
}
