//! The configuration once it is known to be usable: globs compiled, numbers checked.

use crate::model::{Code, Level, Relation, RepoPath};
use std::collections::BTreeMap;

/// Everything that the configuration says; every part has a default.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Who gets a pack.
    pub roots: RootFilter,
    /// Where work items come from, in include order.
    pub work_items: Vec<ItemSource>,
    /// Statuses that mean done, compared without case.
    pub done_statuses: Vec<String>,
    /// Where ADRs are and what an excerpt of one holds.
    pub adrs: AdrSettings,
    /// Which repo this is on GitHub, and where its snapshot lies.
    pub github: GithubSettings,
    /// The built-in profiles and those of the configuration, by name.
    pub profiles: BTreeMap<String, Profile>,
    /// What the user adds to, or takes from, redaction.
    pub redaction: RedactionSettings,
    /// Where packs go.
    pub output: OutputSettings,
    /// What the user says of warning codes.
    pub warnings: BTreeMap<Code, Level>,
}

/// Which items and issues are roots.
#[derive(Debug, Clone, Default)]
pub struct RootFilter {
    /// Only those that match every field named here; empty takes all.
    pub only: FieldFilter,
    /// Ids, as globs; empty takes all.
    pub include: Vec<globset::GlobMatcher>,
    /// Not those that match any field named here.
    pub exclude: FieldFilter,
}

/// Field names and the values that match, compared without case. `state`
/// stands for the item's state (`open`, `done`).
#[derive(Debug, Clone, Default)]
pub struct FieldFilter(pub BTreeMap<String, Vec<String>>);

/// Compiled globs; `**` crosses folders, `*` does not, case counts, braces work.
#[derive(Debug, Clone)]
pub struct Globs {
    /// As written, in order.
    pub written: Vec<String>,
    /// One matcher for each.
    pub set: globset::GlobSet,
}

/// One entry of `work_items`.
#[derive(Debug, Clone)]
pub struct ItemSource {
    /// Files that hold items.
    pub include: Globs,
    /// Files that do not.
    pub exclude: Globs,
    /// How an id is made; where absent: `{id}`, then `{stable_id}`, then `{path}`.
    pub id: Option<Template>,
    /// How a bare relation value becomes an id; default `{}`.
    pub reference: Template,
    /// Our field ← theirs, first that is not empty for texts, all for relations.
    pub fields: FieldMap,
    /// A field that holds a list of edges.
    pub edges: Option<EdgeMap>,
    /// Items that are neighbours only.
    pub no_pack: FieldFilter,
    /// Id prefixes that mean the same; a bare number takes the first.
    pub prefixes: Vec<String>,
    /// The file beside the item that holds its body.
    pub body_file: Option<String>,
}

/// Our field name → names of theirs, in order.
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
    /// Type → relation; a type that is not named is no relation.
    pub types: BTreeMap<String, Relation>,
}

/// A text with `{field}` holes, parsed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template {
    /// Literal texts and field names in turn; a hole with an empty name is the value itself.
    pub parts: Vec<TemplatePart>,
}

/// A part of a [`Template`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TemplatePart {
    /// Text as written.
    Text(String),
    /// The value of a field, `path`, `dir` or `stem`; empty: the value itself.
    Hole(String),
}

/// `adrs:`.
#[derive(Debug, Clone)]
pub struct AdrSettings {
    /// Files that are ADRs.
    pub include: Globs,
    /// What an excerpt holds.
    pub excerpt: Excerpt,
}

/// What an excerpt of an ADR holds.
#[derive(Debug, Clone, Hash)]
pub struct Excerpt {
    /// Headings, compared without case and level, with their usual aliases.
    pub headings: Vec<String>,
    /// The most lines it takes.
    pub max_lines: u32,
}

/// `github:`.
#[derive(Debug, Clone)]
pub struct GithubSettings {
    /// `owner/name`; absent: repo URLs stay unresolved.
    pub repo: Option<String>,
    /// The host of repo URLs; default `github.com`.
    pub host: String,
    /// The snapshot's folder.
    pub snapshot: RepoPath,
    /// How many comments of the root a pack takes.
    pub comments: u32,
    /// Whether comments by authors who are not trusted are left out.
    pub trusted_only: bool,
    /// Whether this repo is private; nothing where the snapshot is to say.
    pub private: Option<bool>,
}

/// How packs of one kind of work are made.
#[derive(Debug, Clone, Hash)]
pub struct Profile {
    /// `[a-z0-9-]+`.
    pub name: String,
    /// What the agent is told.
    pub instructions: Instructions,
    /// The limits.
    pub budget: Budget,
    /// Groups from strongest to weakest, each once.
    pub priority: Vec<Group>,
    /// Whose ADR and document references are followed: the root's, and those of these neighbours.
    pub adr_refs_of: Vec<Relation>,
    /// Relations that get sections although they stand in the edge list only by default.
    pub sections_of: Vec<Relation>,
    /// Groups that this profile leaves out; omission reason `profile`.
    pub leave_out: Vec<Group>,
    /// Headings that are cut last, compared without case and level.
    pub key_headings: Vec<String>,
    /// Whether the file's draft stands before GitHub's text.
    pub draft_first: bool,
}

/// Where a profile's instructions come from.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Instructions {
    /// Ours, under their own version: an upgrade names it as the cause of changed packs.
    Builtin {
        /// Raised whenever the text changes.
        version: u32,
        /// The text.
        text: &'static str,
    },
    /// A file of the repo.
    File(RepoPath),
}

/// Groups of sections that leave together, below instructions and root.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Group {
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
    /// `related` and `blocks` items that `sections_of` asks for.
    Related,
}

/// Limits of a pack; at least one is given.
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
    /// Who counts tokens.
    pub tokenizer: Tokenizer,
    /// Percent of each limit that stays free, 0 to 90.
    pub margin: u8,
    /// Percent of the limit that the root's body takes at most, 10 to 100; default 70.
    pub root_share: u8,
}

/// How a pack is made to fit (contract section 5).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Strategy {
    /// Cut at its end.
    TruncateTail,
    /// Whole sections leave, weakest first.
    DropLowPriority,
    /// Sections step down in detail, weakest first, then leave.
    Both,
}

/// The vocabularies that are counted exactly.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tokenizer {
    /// The newer vocabulary, the default.
    O200kBase,
    /// The older vocabulary.
    Cl100kBase,
}

/// `redaction:`.
#[derive(Debug, Clone, Default)]
pub struct RedactionSettings {
    /// Findings that are let through.
    pub allow: Vec<RedactionAllow>,
    /// Further rules.
    pub rules: Vec<RedactionRule>,
    /// Paths that are never opened besides the built-in ones, last match wins, `!` allows.
    pub deny_paths: Vec<String>,
}

/// Lets findings through; every part that is given must match.
#[derive(Debug, Clone, Default)]
pub struct RedactionAllow {
    /// The rule's name.
    pub rule: Option<String>,
    /// The files.
    pub path: Option<globset::GlobMatcher>,
    /// Lower-case hex SHA-256 of the exact value.
    pub sha256: Option<String>,
}

/// A rule of the user's own.
#[derive(Debug, Clone)]
pub struct RedactionRule {
    /// `[a-z0-9-]+`; what the marker says.
    pub name: String,
    /// What to remove: group 1 where there is one, else the whole match.
    pub pattern: regex::bytes::Regex,
    /// Words of which one must stand near, lower case; empty: looked for everywhere.
    pub keywords: Vec<String>,
    /// Why, for the record.
    pub reason: String,
}

/// `output:`.
#[derive(Debug, Clone)]
pub struct OutputSettings {
    /// The folder of packs, inside the repo.
    pub dir: RepoPath,
    /// Profiles that `build` makes where none is named.
    pub profiles: Vec<String>,
    /// Whether each pack's rendering is kept beside it.
    pub markdown: bool,
}

impl Strategy {
    /// The name in the configuration and in packs.
    pub fn name(self) -> &'static str {
        match self {
            Self::TruncateTail => "truncate_tail",
            Self::DropLowPriority => "drop_low_priority",
            Self::Both => "both",
        }
    }
}

impl Tokenizer {
    /// The name in the configuration and in packs.
    pub fn name(self) -> &'static str {
        match self {
            Self::O200kBase => "o200k_base",
            Self::Cl100kBase => "cl100k_base",
        }
    }
}

impl Group {
    /// All, in the contract's default priority.
    pub const ALL: [Group; 7] =
        [Self::Parent, Self::Dependencies, Self::Children, Self::Adrs, Self::Comments, Self::Documents, Self::Related];

    /// The name in the configuration.
    pub fn name(self) -> &'static str {
        match self {
            Self::Parent => "parent",
            Self::Dependencies => "dependencies",
            Self::Children => "children",
            Self::Adrs => "adrs",
            Self::Comments => "comments",
            Self::Documents => "documents",
            Self::Related => "related",
        }
    }
}
