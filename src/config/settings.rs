//! The configuration: what the file holds, and the settings that the program uses.
//!
//! The doc comments of what is read from the file are the descriptions of the published schema, and are written for the
//! author of the file. Values check themselves while they are read; `check` compares them with each other.

use super::handover::HandoverSettings;
use super::knowledge::{AgentSettings, ContextSettings, DocumentSource, Job, KnowledgeSettings};
use super::profiles::Profile;
use super::redaction::{RedactionForm, RedactionSettings};
use super::schema::{self, all_optional};
use super::values::{self, Words};
use crate::model::{Code, Level, Relation, RepoPath};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer};
use std::collections::BTreeMap;

/// The validated configuration of a repo.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Which items and issues get a pack.
    pub roots: RootFilter,
    /// Where work items come from, in order of precedence.
    pub work_items: Vec<ItemSource>,
    /// Statuses that mean done, compared without case.
    pub done_statuses: Vec<String>,
    /// Statuses that mean closed without being done, compared without case.
    pub not_planned_statuses: Vec<String>,
    /// Names of files, in lower case, that a link in passing does not bring into a pack.
    pub boilerplate: Globs,
    /// Where ADRs are and what an excerpt of one holds.
    pub adrs: AdrSettings,
    /// Agents, the documents that they share, and their jobs.
    pub knowledge: KnowledgeSettings,
    /// Which repo this is on GitHub, and where its snapshot is.
    pub github: GithubSettings,
    /// The built-in profiles and those of the configuration, by name.
    pub profiles: BTreeMap<String, Profile>,
    /// Additions and exceptions to redaction.
    pub redaction: RedactionSettings,
    /// Where packs go.
    pub output: OutputSettings,
    /// Where cards and boxes are, and how agents hand over to each other.
    pub handover: HandoverSettings,
    /// The levels that the user gives to warning codes.
    pub warnings: BTreeMap<Code, Level>,
}

impl Settings {
    /// Returns whether packs, and so their inputs from GitHub, are committed: those in the state folder are not.
    pub fn commits_packs(&self) -> bool {
        !self.output.dir.is_under(".contextpack")
    }

    /// Returns the folders that only this program writes, and that are no inputs of packs: packs, what was delivered to one
    /// agent, cards, boxes, logs, batches, inboxes and the packs of handovers.
    pub fn own_folders(&self) -> Vec<RepoPath> {
        let written = [Some(&self.output.dir), self.knowledge.context.record.as_ref()];
        written.into_iter().flatten().cloned().chain(self.handover.folders()).collect()
    }
}

/// The configuration of contextpack: `contextpack.yml` at the root of a repo. Every part is optional.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "contextpack.yml", rename = "Config", transform = all_optional)]
#[expect(dead_code, reason = "the two versions are read from the tree, before everything else")]
pub(super) struct ConfigFile {
    /// The version of this file's format. Always 1.
    #[schemars(range(min = 1, max = 1))]
    version: Option<u32>,
    /// The version of contextpack that this repo needs, whole or in part, such as "0.1" or "0.1.3". Another version refuses to run and says how to get this one.
    required_version: Option<String>,
    /// Which work items and issues get a pack. Default: every work item, and every issue of the GitHub snapshot that was asked for.
    pub(super) roots: Option<RootsForm>,
    /// Where work items come from, in order of precedence. Default: `work_items/**/*.{md,yml,yaml,json,jsonl}` with the native fields.
    pub(super) work_items: Vec<ItemSource>,
    /// Statuses that mean done, compared without case. Replaces the default list.
    #[serde(deserialize_with = "values::texts")]
    pub(super) done_statuses: Vec<String>,
    /// Statuses that mean closed without being done, compared without case. Replaces the default list.
    #[serde(deserialize_with = "values::texts")]
    pub(super) not_planned_statuses: Vec<String>,
    /// Names of files that a link in passing does not bring into a pack, as globs without a folder, compared without case. Replaces the default list: licences, codes of conduct, contribution guides and changelogs.
    #[serde(deserialize_with = "values::globs_of_lower_case")]
    #[schemars(with = "Vec<String>")]
    pub(super) boilerplate: Globs,
    /// Where architecture decision records are, and what a pack takes of one.
    pub(super) adrs: AdrSettings,
    /// Which repo this is on GitHub. A build never asks a remote or the environment for it.
    pub(super) github: GithubSettings,
    /// Where the files of agents are, for whom `--agent` builds packs.
    pub(super) agents: AgentSettings,
    /// Documents that packs take notes from. A file belongs to the first entry that matches it. Default: none.
    #[serde(default, deserialize_with = "values::bounded")]
    pub(super) documents: Vec<DocumentSource>,
    /// The document that says what the project is, which packs hold in full.
    #[serde(default, deserialize_with = "values::optional_path")]
    pub(super) overview: Option<RepoPath>,
    /// What packs hold besides their root.
    pub(super) context: ContextSettings,
    /// Tasks that agents do again and again, by name. A name is made of a-z, 0-9 and `-`.
    #[serde(default)]
    #[schemars(schema_with = "schema::by_name::<Job>")]
    pub(super) jobs: BTreeMap<String, Job>,
    /// Profiles by name: changes to the built-in ones (`drafting`, `coding`, `review`, `other`), and new ones, which begin as `other`. A name is made of a-z, 0-9 and `-`.
    #[schemars(schema_with = "schema::by_name::<Option<Profile>>")]
    pub(super) profiles: BTreeMap<String, Profile>,
    /// What is removed from texts, and which files are never opened.
    pub(super) redaction: Option<RedactionForm>,
    /// Where packs go.
    pub(super) output: OutputSettings,
    /// Where cards and boxes are: what agents leave for others.
    pub(super) handover: HandoverSettings,
    /// The level of warnings, by code: `allow` hides one, `deny` makes it an error. Errors cannot be weakened.
    #[serde(default)]
    #[schemars(schema_with = "schema::warnings")]
    pub(super) warnings: Option<BTreeMap<String, Level>>,
}

/// The items and issues that are roots.
#[derive(Debug, Clone, Default)]
pub struct RootFilter {
    /// They match every field named here; empty takes all.
    pub only: FieldFilter,
    /// Their ids match one of these globs; empty takes all.
    pub include: Vec<globset::GlobMatcher>,
    /// They match no field named here.
    pub exclude: FieldFilter,
}

/// Which work items and issues get a pack. All parts that are given must hold; values compare without case.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Roots")]
pub(super) struct RootsForm {
    /// Only items and issues with one of these labels.
    labels: Option<Words>,
    /// Only items and issues in one of these states: `open`, `done`, `not_planned`, `merged`, `unknown`.
    state: Option<Words>,
    /// Only items with one of these statuses, as spelled in their files.
    status: Option<Words>,
    /// Only items of one of these types.
    #[serde(rename = "type")]
    kind: Option<Words>,
    /// Only items with one of these priorities.
    priority: Option<Words>,
    /// Only items of one of these areas.
    area: Option<Words>,
    /// Only items assigned to one of these.
    assignees: Option<Words>,
    /// Only items and issues of one of these milestones.
    milestone: Option<Words>,
    /// Only ids that match one of these globs, such as `feat:*`.
    #[serde(default, deserialize_with = "values::id_globs")]
    #[schemars(with = "Words")]
    include: Vec<globset::GlobMatcher>,
    /// Not those of which a field, named here, has one of these values, such as `{status: [draft]}`.
    #[serde(default)]
    #[schemars(with = "BTreeMap<String, Words>")]
    exclude: FieldFilter,
}

impl From<RootsForm> for RootFilter {
    fn from(form: RootsForm) -> Self {
        let only = [
            ("labels", form.labels),
            ("state", form.state),
            ("status", form.status),
            ("type", form.kind),
            ("priority", form.priority),
            ("area", form.area),
            ("assignees", form.assignees),
            ("milestone", form.milestone),
        ];
        let only = only.into_iter().filter_map(|(name, words)| Some((name.to_owned(), words?.0)));
        Self { only: FieldFilter(only.collect()), include: form.include, exclude: form.exclude }
    }
}

/// Field names and the values that match, compared without case. The field `state` is the item's state (`open`, `done`).
#[derive(Debug, Clone, Default)]
pub struct FieldFilter(pub BTreeMap<String, Vec<String>>);

impl<'de> Deserialize<'de> for FieldFilter {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        names_and_words(deserializer).map(Self)
    }
}

fn names_and_words<'de, D: Deserializer<'de>>(deserializer: D) -> Result<BTreeMap<String, Vec<String>>, D::Error> {
    let written = BTreeMap::<String, Words>::deserialize(deserializer)?;
    Ok(written.into_iter().map(|(name, words)| (name, words.0)).collect())
}

/// Compiled globs; `**` crosses folders, `*` does not, case counts, braces work.
#[derive(Debug, Clone, Default)]
pub struct Globs {
    /// The globs as written, in order.
    pub written: Vec<String>,
    /// A matcher with one glob for each of `written`.
    pub set: globset::GlobSet,
}

impl Globs {
    /// Returns whether a glob spells the hidden folders of a path that it matches, such as `.trash` or `.obsidian`.
    pub fn spells_hidden(&self, glob: usize, path: &str) -> bool {
        let written = self.written.get(glob).map_or("", String::as_str);
        let mut hidden = path.rsplit('/').skip(1).filter(|part| part.starts_with('.'));
        hidden.all(|name| {
            let mut parts = written.split(['/', '{', ',', '}']).filter(|part| part.starts_with('.'));
            parts.any(|part| part == name || part.contains(['*', '?', '[']))
        })
    }
}

/// A source of work items and how to read it.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "WorkItems")]
pub struct ItemSource {
    /// Files that hold work items, as globs from the root of the repo: `*` stays in a folder, `**` crosses folders, `{a,b}` is either.
    #[schemars(with = "Words")]
    pub include: Globs,
    /// Files among them that hold no work items.
    #[serde(default)]
    #[schemars(with = "Words")]
    pub exclude: Globs,
    /// The template of ids, such as `EIP-{eip}`: `{name}` is a field of the item; also `{path}`, `{dir}` and `{stem}` of its file. Default: `{id}`, else `{stable_id}`, else `{path}`.
    #[serde(default, deserialize_with = "values::id_template")]
    #[schemars(with = "String")]
    pub id: Option<Template>,
    /// The template that turns a bare relation value into an id, such as `EIP-{}`. Default: `{}`.
    #[serde(rename = "ref", default, deserialize_with = "values::reference_template")]
    #[schemars(with = "String")]
    pub reference: Template,
    /// The names of fields: first the native name, then the name or names in your files. If several are given, texts take the first that is not empty; relations and documents take all.
    #[serde(default, deserialize_with = "names_and_words")]
    #[schemars(schema_with = "schema::field_names")]
    pub fields: FieldMap,
    /// A field that holds a list of edges to other items.
    pub edges: Option<EdgeMap>,
    /// Items that exist as neighbours but get no pack: field names and values, such as `{status: [tombstone]}`; the value `*` is any.
    #[serde(default)]
    #[schemars(with = "BTreeMap<String, Words>")]
    pub no_pack: FieldFilter,
    /// Prefixes of ids that mean the same, such as `[BACK-, task-]`. A bare number takes the first.
    #[serde(default, deserialize_with = "values::words")]
    #[schemars(with = "Words")]
    pub prefixes: Vec<String>,
    /// The name of the file beside the item that holds its body, such as `README.md`.
    #[serde(default, deserialize_with = "values::file_name")]
    pub body_file: Option<String>,
}

impl ItemSource {
    /// Returns the index of the first glob that includes a file, unless the file is excluded. A hidden folder holds items
    /// only where the glob spells it.
    pub fn glob_of(&self, path: &str) -> Option<usize> {
        let globs = self.include.set.matches(path).into_iter();
        let glob = globs.filter(|glob| self.include.spells_hidden(*glob, path)).min()?;
        (!self.exclude.set.is_match(path)).then_some(glob)
    }
}

/// Native field name → the names in the files, in order.
pub type FieldMap = BTreeMap<String, Vec<String>>;

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

/// A field that holds a list of edges to other items.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Edges")]
pub struct EdgeMap {
    /// The field with the list.
    pub field: String,
    /// The key of an edge that holds the other item's id.
    pub to: String,
    /// The key of an edge that holds its type. Default: `type`.
    #[serde(rename = "type", default = "type_key")]
    pub kind: String,
    /// The relation of the other item, by type of edge. Types that are not named here are no relation.
    pub types: BTreeMap<String, Relation>,
}

fn type_key() -> String {
    "type".to_owned()
}

/// A parsed template: text with `{field}` holes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template {
    /// The parts in order; a hole with an empty name is the value itself.
    pub parts: Vec<TemplatePart>,
}

/// A part of a [`Template`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TemplatePart {
    /// Text as written.
    Text(String),
    /// The name of a field, `path`, `dir` or `stem`; empty for the value itself.
    Hole(String),
}

impl Default for Template {
    fn default() -> Self {
        Self { parts: vec![TemplatePart::Hole(String::new())] }
    }
}

impl Template {
    /// Returns the names of the holes.
    pub(super) fn holes(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().filter_map(|part| match part {
            TemplatePart::Hole(name) => Some(name.as_str()),
            TemplatePart::Text(_) => None,
        })
    }
}

/// Where architecture decision records (ADRs) are, and what a pack takes of one.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Adrs", transform = all_optional)]
pub struct AdrSettings {
    /// Files that are ADRs, as globs. Default: Markdown files below `docs/adr`, `docs/adrs`, `docs/decisions`, `doc/adr`, `doc/architecture/decisions` and `docs/architecture/decisions`, in upper or lower case.
    #[schemars(with = "Words")]
    pub include: Globs,
    /// Whether the configuration names them, so that a glob without a match is a mistake.
    #[serde(skip)]
    pub is_configured: bool,
    /// What an excerpt holds.
    pub excerpt: Excerpt,
}

/// What an excerpt of an ADR holds.
#[derive(Debug, Clone, Hash, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = all_optional)]
pub struct Excerpt {
    /// Headings whose sections it takes, case and level ignored; their usual aliases match too. Default: Status, Context, Decision, Consequences.
    #[serde(deserialize_with = "values::texts")]
    pub headings: Vec<String>,
    /// The most lines that it takes. Default: 120.
    #[schemars(range(min = 1))]
    pub max_lines: u32,
}

/// Which repo this is on GitHub.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Github", transform = all_optional)]
pub struct GithubSettings {
    /// The repo as `owner/name`. Without it, URLs of repos stay unresolved.
    #[schemars(regex(pattern = r"^[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+$"))]
    pub repo: Option<String>,
    /// The host of its URLs. Default: `github.com`.
    pub host: String,
    /// The folder of the snapshot of issues, which builds read. Commit it where packs are committed. Default: `.contextpack/github`.
    #[serde(deserialize_with = "values::repo_path")]
    pub snapshot: RepoPath,
    /// How many of the root's last comments a pack takes; 0 takes none. Default: 5.
    pub comments: u32,
    /// Whose comments a pack takes: only those of trusted authors, or everybody's. Bodies of issues always stay, marked with their trust. Default: `trusted`.
    pub min_trust: MinTrust,
    /// Whether this repo is private, so that its packs may hold issues of private repos. Default: what the snapshot says of issues of `repo`.
    pub private: Option<bool>,
}

/// How far an author is trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "Trust")]
pub enum MinTrust {
    /// `sync` found that the author belongs to the repo.
    Trusted,
    /// Anyone.
    Untrusted,
}

/// Where packs go.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Output", transform = all_optional)]
pub struct OutputSettings {
    /// The folder of packs, inside the repo. Default: `packs`.
    #[serde(deserialize_with = "values::repo_path")]
    pub dir: RepoPath,
    /// The profiles that are built if none is named. Default: `[coding]`.
    #[serde(deserialize_with = "values::words")]
    #[schemars(with = "Words")]
    pub profiles: Vec<String>,
    /// Whether `<pack>.md` is written beside each pack: exactly what `contextpack render` prints, for reviews. Default: `false`.
    pub markdown: bool,
}
