//! The validated configuration: globs compiled, numbers checked, defaults filled in.

use super::handover::HandoverSettings;
use super::knowledge::KnowledgeSettings;
use crate::model::{Code, Level, Relation, RepoPath};
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

/// Field names and the values that match, compared without case. The field `state` is the item's state (`open`, `done`).
#[derive(Debug, Clone, Default)]
pub struct FieldFilter(pub BTreeMap<String, Vec<String>>);

/// Compiled globs; `**` crosses folders, `*` does not, case counts, braces work.
#[derive(Debug, Clone)]
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

impl ItemSource {
    /// Returns the index of the first glob that includes a file, unless the file is excluded. A hidden folder holds items
    /// only where the glob spells it.
    pub fn glob_of(&self, path: &str) -> Option<usize> {
        let globs = self.include.set.matches(path).into_iter();
        let glob = globs.filter(|glob| self.include.spells_hidden(*glob, path)).min()?;
        (!self.exclude.set.is_match(path)).then_some(glob)
    }
}

/// One entry of `work_items`.
#[derive(Debug, Clone)]
pub struct ItemSource {
    /// Files that hold items.
    pub include: Globs,
    /// Files that do not.
    pub exclude: Globs,
    /// The template of ids. `None` means `{id}`, then `{stable_id}`, then `{path}`.
    pub id: Option<Template>,
    /// The template that turns a bare relation value into an id; default `{}`.
    pub reference: Template,
    /// Native fields and the names they have in these files: texts take the first that is not empty, relations all.
    pub fields: FieldMap,
    /// A field that holds a list of edges.
    pub edges: Option<EdgeMap>,
    /// Items that exist as neighbours but get no pack.
    pub no_pack: FieldFilter,
    /// Equivalent id prefixes; a bare number takes the first.
    pub prefixes: Vec<String>,
    /// The name of the file beside the item that holds its body.
    pub body_file: Option<String>,
}

/// Native field name → the names in the files, in order.
pub type FieldMap = BTreeMap<String, Vec<String>>;

/// A field that holds a list of edge objects.
#[derive(Debug, Clone)]
pub struct EdgeMap {
    /// The field with the list.
    pub field: String,
    /// The key of the target's id in an edge.
    pub to: String,
    /// The key of the edge's type.
    pub kind: String,
    /// Type → relation; other types are no relation.
    pub types: BTreeMap<String, Relation>,
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

/// The validated form of `adrs:`.
#[derive(Debug, Clone)]
pub struct AdrSettings {
    /// Files that are ADRs.
    pub include: Globs,
    /// Whether the configuration names them, so that a glob without a match is a mistake.
    pub is_configured: bool,
    /// What an excerpt holds.
    pub excerpt: Excerpt,
}

/// The content of an ADR excerpt.
#[derive(Debug, Clone, Hash)]
pub struct Excerpt {
    /// The headings whose sections it takes, compared without case and level, with their usual aliases.
    pub headings: Vec<String>,
    /// The most lines it takes.
    pub max_lines: u32,
}

/// The validated form of `github:`.
#[derive(Debug, Clone)]
pub struct GithubSettings {
    /// The repo as `owner/name`. If `None`, repo URLs stay unresolved.
    pub repo: Option<String>,
    /// The host of repo URLs; default `github.com`.
    pub host: String,
    /// The snapshot's folder.
    pub snapshot: RepoPath,
    /// How many comments of the root a pack takes.
    pub comments: u32,
    /// Whether comments by authors who are not trusted are left out.
    pub trusted_only: bool,
    /// Whether this repo is private; `None` if the snapshot decides.
    pub private: Option<bool>,
}

/// The settings for packs of one kind of work.
#[derive(Debug, Clone, Hash)]
pub struct Profile {
    /// Its name, of `[a-z0-9-]+`.
    pub name: String,
    /// The instructions for the agent.
    pub instructions: Instructions,
    /// The limits of a pack.
    pub budget: Budget,
    /// Groups from strongest to weakest, each once.
    pub priority: Vec<Group>,
    /// The neighbours whose ADR and document references are followed, besides those of the root.
    pub adr_refs_of: Vec<Relation>,
    /// The neighbours whose references to code are followed, besides those of the root.
    pub code_refs_of: Vec<Relation>,
    /// The most detail that code is shown in.
    pub code_detail: CodeDetail,
    /// Relations that get sections, although by default they are only in the edge list.
    pub sections_of: Vec<Relation>,
    /// Groups that are left out, with the omission reason `profile`.
    pub leave_out: Vec<Group>,
    /// Headings whose sections are cut last, compared without case and level.
    pub key_headings: Vec<String>,
    /// Whether a work item's own text comes before the text of its GitHub issue.
    pub draft_first: bool,
    /// Whether comments by untrusted authors may fill a budget that would stay empty.
    pub fill_with_untrusted: bool,
}

/// The source of a profile's instructions.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Instructions {
    /// Built-in instructions. Packs that change with an upgrade name the version as the cause.
    Builtin {
        /// Raised whenever the text changes.
        version: u32,
        /// The text.
        text: &'static str,
    },
    /// A file of the repo.
    File(RepoPath),
}

/// The most detail that code is shown in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CodeDetail {
    /// Lines, small files and outlines.
    Full,
    /// Paths and numbers of lines.
    Pointer,
}

/// Groups of sections that are omitted together. Instructions and root belong to none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Group {
    /// The parent, with the siblings as lines.
    Parent,
    /// What the root depends on.
    Dependencies,
    /// The children of the root.
    Children,
    /// Architecture decisions.
    Adrs,
    /// The root's discussion.
    Comments,
    /// Other referenced documents.
    Documents,
    /// Referenced code.
    Code,
    /// `related` and `blocks` items that `sections_of` asks for.
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

/// The limits of a pack, of which at least one is given.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Budget {
    /// Unicode scalar values.
    pub max_chars: Option<u64>,
    /// UTF-8 bytes.
    pub max_bytes: Option<u64>,
    /// Tokens of `tokenizer`.
    pub max_tokens: Option<u64>,
    /// How a pack is made to fit.
    pub strategy: Strategy,
    /// The vocabulary that counts tokens.
    pub tokenizer: Tokenizer,
    /// Percent of each limit that stays free, 0 to 90.
    pub margin: u8,
    /// Percent of the limit that the root's body may take, 10 to 100; default 70.
    pub root_share: u8,
}

/// How a pack is made to fit its budget, as `docs/budget.md` describes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Strategy {
    /// The pack is cut at its end.
    TruncateTail,
    /// Whole sections are omitted, weakest first.
    DropLowPriority,
    /// Sections are reduced in detail, weakest first, then omitted.
    Both,
}

/// The vocabularies of which tokens are counted exactly.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tokenizer {
    /// The newer vocabulary, the default.
    O200kBase,
    /// The older vocabulary.
    Cl100kBase,
}

/// The validated form of `redaction:`.
#[derive(Debug, Clone, Default)]
pub struct RedactionSettings {
    /// Findings that are not removed.
    pub allow: Vec<RedactionAllow>,
    /// Rules besides the built-in ones.
    pub rules: Vec<RedactionRule>,
    /// Patterns for files that are never opened, as [`super::DenyList::new`] takes them.
    pub deny_paths: Vec<String>,
}

/// Findings that are not removed: every part that is given must match.
#[derive(Debug, Clone, Default)]
pub struct RedactionAllow {
    /// The name of the rule.
    pub rule: Option<String>,
    /// The files that hold them.
    pub path: Option<globset::GlobMatcher>,
    /// The SHA-256 of the exact value, in lower-case hex.
    pub sha256: Option<String>,
}

/// A redaction rule of the user.
#[derive(Debug, Clone)]
pub struct RedactionRule {
    /// Its name as the marker shows it, of `[a-z0-9-]+`.
    pub name: String,
    /// The pattern; its group 1 is removed if it has one, else the whole match.
    pub pattern: regex::bytes::Regex,
    /// Words of which one must be near a match; empty for none. ASCII words are in lower case, others in both.
    pub keywords: Vec<String>,
    /// Why it is removed, as packs record it.
    pub reason: String,
}

/// The validated form of `output:`.
#[derive(Debug, Clone)]
pub struct OutputSettings {
    /// The folder of packs, inside the repo.
    pub dir: RepoPath,
    /// Profiles that `build` takes if none is named.
    pub profiles: Vec<String>,
    /// Whether the Markdown of each pack is written beside it.
    pub markdown: bool,
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

impl Strategy {
    /// Returns the name in the configuration and in packs.
    pub fn name(self) -> &'static str {
        match self {
            Self::TruncateTail => "truncate_tail",
            Self::DropLowPriority => "drop_low_priority",
            Self::Both => "both",
        }
    }
}

impl Tokenizer {
    /// Returns the name in the configuration and in packs.
    pub fn name(self) -> &'static str {
        match self {
            Self::O200kBase => "o200k_base",
            Self::Cl100kBase => "cl100k_base",
        }
    }
}

impl Group {
    /// All groups, in the default priority.
    pub const ALL: [Group; 12] = [
        Self::Knowledge,
        Self::Cards,
        Self::Parent,
        Self::Dependencies,
        Self::Children,
        Self::Adrs,
        Self::Code,
        Self::Comments,
        Self::Documents,
        Self::Related,
        Self::Relevant,
        Self::Changes,
    ];

    /// Returns whether its sections are about neighbours of the root, or files that it refers to.
    pub fn is_neighbourhood(self) -> bool {
        !matches!(self, Self::Comments | Self::Knowledge | Self::Relevant | Self::Changes | Self::Cards)
    }

    /// Returns the name in the configuration.
    pub fn name(self) -> &'static str {
        match self {
            Self::Parent => "parent",
            Self::Dependencies => "dependencies",
            Self::Children => "children",
            Self::Adrs => "adrs",
            Self::Comments => "comments",
            Self::Documents => "documents",
            Self::Code => "code",
            Self::Related => "related",
            Self::Knowledge => "knowledge",
            Self::Relevant => "relevant",
            Self::Changes => "changes",
            Self::Cards => "cards",
        }
    }
}
