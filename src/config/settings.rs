//! The settings of a repo, as `contextpack.yml` holds them over `defaults.yml`.
//!
//! `schema/config.schema.json` says what each setting means. Values check themselves while they
//! are read; `check` compares them with each other.

use super::handover::HandoverSettings;
use super::knowledge::{AgentSettings, CodeSettings, ContextSettings, DocumentSource, Job};
use super::profiles::Profile;
use super::redaction::{RedactionForm, RedactionSettings};
use super::values::{self, Globs, OneOrMany, Template};
use crate::model::{Code, Level, Relation, RepoPath};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// The configuration of contextpack: `contextpack.yml` at the root of a repo. Every part is optional.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "`schema/config.schema.json` says what each setting means")]
pub struct Settings {
    #[expect(dead_code, reason = "read from the tree before everything else")]
    version: Option<u32>,
    #[expect(dead_code, reason = "read from the tree before everything else")]
    required_version: Option<String>,
    #[serde(default)]
    pub roots: RootFilter,
    pub work_items: Vec<ItemSource>,
    #[serde(deserialize_with = "values::texts")]
    pub done_statuses: Vec<String>,
    #[serde(deserialize_with = "values::texts")]
    pub not_planned_statuses: Vec<String>,
    #[serde(deserialize_with = "values::globs_of_lower_case")]
    pub boilerplate: Globs,
    pub adrs: AdrSettings,
    pub github: GithubSettings,
    pub agents: AgentSettings,
    #[serde(default, deserialize_with = "values::bounded")]
    pub documents: Vec<DocumentSource>,
    #[serde(default, deserialize_with = "values::optional_path")]
    pub overview: Option<RepoPath>,
    /// The line that names the overview, from 1.
    #[serde(skip)]
    pub overview_line: u32,
    pub context: ContextSettings,
    pub code: CodeSettings,
    /// The folders of other projects, git submodules or copies, by their repos (`owner/name`).
    #[serde(default, deserialize_with = "values::folders_of_repos")]
    pub sources: BTreeMap<String, RepoPath>,
    #[serde(default)]
    pub jobs: BTreeMap<String, Job>,
    pub profiles: BTreeMap<String, Profile>,
    #[serde(default, rename = "redaction")]
    pub(super) written_redaction: RedactionForm,
    #[serde(skip)]
    pub redaction: RedactionSettings,
    pub output: OutputSettings,
    pub handover: HandoverSettings,
    #[serde(default, rename = "warnings")]
    pub(super) written_warnings: Option<BTreeMap<String, Level>>,
    #[serde(skip)]
    pub warnings: BTreeMap<Code, Level>,
}

impl Settings {
    /// Returns whether packs, and so their inputs from GitHub, are committed. Those in the state folder, the default, are built
    /// on demand; this is the one rule, whatever git ignores.
    pub fn commits_packs(&self) -> bool {
        !self.output.dir.is_under(".contextpack")
    }

    /// Returns the folders that only this program writes, and that are no inputs of packs: packs, what was delivered to one
    /// agent, cards, boxes, logs, batches, inboxes and the packs of handovers.
    pub fn own_folders(&self) -> Vec<RepoPath> {
        let written = [Some(&self.output.dir), self.context.record.as_ref()];
        written.into_iter().flatten().cloned().chain(self.handover.folders()).collect()
    }

    /// Returns all folders that only this program writes, that of its state too.
    pub fn written_folders(&self) -> Vec<RepoPath> {
        self.own_folders().into_iter().chain(RepoPath::new(".contextpack").ok()).collect()
    }

    /// Returns the first entry of `documents:` that matches a path.
    pub fn source_of(&self, path: &RepoPath) -> Option<&DocumentSource> {
        let matches = |globs: &globset::GlobSet| globs.is_match(path.as_str());
        self.documents.iter().find(|source| matches(&source.include.set) && !matches(&source.exclude.set))
    }

    /// Returns whether a file is an ADR; one of another project also if it is one there.
    pub fn is_adr(&self, path: &RepoPath) -> bool {
        let below = |folder: &RepoPath| path.as_str().strip_prefix(folder.as_str())?.strip_prefix('/');
        let there = self.sources.values().filter_map(below);
        [path.as_str()].into_iter().chain(there).any(|path| self.adrs.include.set.is_match(path))
    }

    /// Returns whether a file is where agents are.
    pub fn is_agent_file(&self, path: &RepoPath) -> bool {
        self.agents.include.set.is_match(path.as_str()) && !path.name().starts_with('_')
    }
}

/// Which work items and issues get a pack. All parts that are given must hold; values compare without case.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RootFilter {
    labels: Option<OneOrMany>,
    state: Option<OneOrMany>,
    status: Option<OneOrMany>,
    #[serde(rename = "type")]
    kind: Option<OneOrMany>,
    priority: Option<OneOrMany>,
    area: Option<OneOrMany>,
    assignees: Option<OneOrMany>,
    milestone: Option<OneOrMany>,
    #[serde(default, deserialize_with = "values::id_globs")]
    pub include: Vec<globset::GlobMatcher>,
    #[serde(default)]
    pub exclude: FieldMap,
}

impl RootFilter {
    /// Returns the fields that are filtered by, with the values of which an item must have one.
    pub fn only(&self) -> impl Iterator<Item = (&'static str, &[String])> {
        let fields = [
            ("labels", &self.labels),
            ("state", &self.state),
            ("status", &self.status),
            ("type", &self.kind),
            ("priority", &self.priority),
            ("area", &self.area),
            ("assignees", &self.assignees),
            ("milestone", &self.milestone),
        ];
        fields.into_iter().filter_map(|(name, words)| Some((name, words.as_ref()?.as_slice())))
    }
}

/// Names of fields, each with values that match without case or with names in the files, in order.
pub type FieldMap = BTreeMap<String, OneOrMany>;

/// A source of work items and how to read it.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ItemSource {
    pub include: Globs,
    #[serde(default)]
    pub exclude: Globs,
    /// The paths to its records in a JSON or YAML document; empty for the document itself.
    #[serde(default)]
    pub items: OneOrMany,
    /// The field that holds a list of further items, the children of this one.
    pub subitems: Option<String>,
    #[serde(default, deserialize_with = "values::id_template")]
    pub id: Option<Template>,
    #[serde(default, deserialize_with = "values::id_template")]
    pub title: Option<Template>,
    /// Whether fields are also read from labelled lines of a text, and from a head of `Key: value` lines.
    #[serde(default)]
    pub field_lines: bool,
    #[serde(rename = "ref", default, deserialize_with = "values::reference_template")]
    pub reference: Template,
    #[serde(default)]
    pub fields: FieldMap,
    pub edges: Option<EdgeMap>,
    #[serde(default)]
    pub no_pack: FieldMap,
    #[serde(default, deserialize_with = "values::words")]
    pub prefixes: Vec<String>,
    #[serde(default, deserialize_with = "values::file_name")]
    pub body_file: Option<String>,
    /// The documents of an item, from the folder of its file.
    #[serde(default)]
    pub beside: Globs,
    pub comments: Option<CommentMap>,
    /// The field that says whose text an item is, as GitHub names roles.
    pub trust: Option<String>,
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

/// The native names of a work item's fields.
pub(super) static NATIVE_FIELDS: LazyLock<Vec<&str>> = LazyLock::new(|| {
    let names = "id stable_id type title status body parent children depends_on blocked_by blocks related issue adrs docs \
                 labels priority size risk area estimate_hrs acceptance_criteria assignees";
    names.split(' ').collect()
});

/// A field that holds a list of edges to other items.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EdgeMap {
    pub field: String,
    pub to: String,
    #[serde(rename = "type", default = "type_key")]
    pub kind: String,
    pub types: BTreeMap<String, Relation>,
}

/// A field that holds a list of comments, and the names of their parts, which may lead into objects.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CommentMap {
    pub from: String,
    pub author: String,
    pub at: String,
    pub body: String,
    pub trust: Option<String>,
}

fn type_key() -> String {
    "type".to_owned()
}

/// Where architecture decision records (ADRs) are, and what a pack takes of one.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AdrSettings {
    pub include: Globs,
    /// Whether the configuration names them, so that a glob without a match is a mistake.
    #[serde(skip)]
    pub is_configured: bool,
    pub excerpt: Excerpt,
}

#[derive(Debug, Clone, Hash, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Excerpt {
    #[serde(deserialize_with = "values::texts")]
    pub headings: Vec<String>,
    pub max_lines: u32,
    /// Whether the configuration has it, so that a pack holds no more of an ADR.
    #[serde(skip)]
    pub is_configured: bool,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GithubSettings {
    pub repo: Option<String>,
    pub host: String,
    #[serde(deserialize_with = "values::repo_path")]
    pub snapshot: RepoPath,
    pub comments: u32,
    pub min_trust: MinTrust,
    pub private: Option<bool>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MinTrust {
    Trusted,
    Untrusted,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OutputSettings {
    #[serde(deserialize_with = "values::repo_path")]
    pub dir: RepoPath,
    #[serde(deserialize_with = "values::words")]
    pub profiles: Vec<String>,
    pub markdown: bool,
}
