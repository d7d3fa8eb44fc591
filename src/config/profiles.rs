//! Profiles: what packs of one kind of work hold. The built-in ones are in `defaults.yml`.

use super::faults::ConfigFault;
use super::values::{self, checked};
use crate::model::{Relation, RepoPath, named_enum};
use serde::{Deserialize, Deserializer};

/// The most documents that a profile adds to its packs.
const MAX_FILES: usize = 20;

/// A built-in text besides the instructions of profiles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BuiltinText {
    pub id: &'static str,
    /// Raised whenever the text changes.
    pub version: u32,
    pub text: &'static str,
}

/// What is added to the instructions of packs for an agent.
pub const AGENT_INSTRUCTIONS: BuiltinText =
    BuiltinText { id: "instructions/agent", version: 2, text: include_str!("instructions/agent.md") };

/// What is added to the instructions of other packs that hold pinned documents.
pub const KNOWLEDGE_INSTRUCTIONS: BuiltinText =
    BuiltinText { id: "instructions/knowledge", version: 2, text: include_str!("instructions/knowledge.md") };

/// The instructions of an agent's packs without a root.
pub const SESSION_INSTRUCTIONS: BuiltinText =
    BuiltinText { id: "instructions/session", version: 1, text: include_str!("instructions/session.md") };

/// What is added to the instructions of packs that hand over from one agent to another.
pub const HANDOVER_INSTRUCTIONS: BuiltinText =
    BuiltinText { id: "instructions/handover", version: 1, text: include_str!("instructions/handover.md") };

/// The instructions of such packs without a root.
pub const HANDOVER_TASK_INSTRUCTIONS: BuiltinText =
    BuiltinText { id: "instructions/handover-task", version: 1, text: include_str!("instructions/handover_task.md") };

/// The settings for packs of one kind of work. Absent settings keep the value of the built-in profile of this name.
#[derive(Debug, Clone, Hash, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Profile {
    /// Its name, of `[a-z0-9-]+`.
    #[serde(skip)]
    pub name: String,
    #[serde(default)]
    pub instructions: Instructions,
    #[serde(default, deserialize_with = "files")]
    pub files: Vec<ProfileFile>,
    pub budget: Budget,
    #[serde(deserialize_with = "priority")]
    pub priority: Vec<Group>,
    #[serde(deserialize_with = "adr_refs_of")]
    pub adr_refs_of: Vec<Relation>,
    #[serde(deserialize_with = "code_refs_of")]
    pub code_refs_of: Vec<Relation>,
    pub code_detail: CodeDetail,
    #[serde(deserialize_with = "sections_of")]
    pub sections_of: Vec<Relation>,
    #[serde(deserialize_with = "groups")]
    pub leave_out: Vec<Group>,
    #[serde(deserialize_with = "values::texts")]
    pub key_headings: Vec<String>,
    pub draft_first: bool,
    pub fill_with: FillWith,
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

impl Instructions {
    /// Returns the built-in instructions of a profile; those of `other` for new profiles.
    pub(super) fn builtin(profile: &str) -> Self {
        let text = match profile {
            "drafting" => include_str!("instructions/drafting.md"),
            "coding" => include_str!("instructions/coding.md"),
            "review" => include_str!("instructions/review.md"),
            _ => include_str!("instructions/other.md"),
        };
        Self::Builtin { version: 4, text }
    }
}

impl Default for Instructions {
    fn default() -> Self {
        Self::builtin("other")
    }
}

impl<'de> Deserialize<'de> for Instructions {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        values::repo_path(deserializer).map(Self::File)
    }
}

/// A document of the repo, or the section below one of its headings, that each pack of a profile holds.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ProfileFile {
    pub path: RepoPath,
    /// The anchor of the heading.
    pub anchor: Option<String>,
    /// The line of the entry in the configuration.
    pub line: u32,
}

fn files<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<ProfileFile>, D::Error> {
    values::list(deserializer, MAX_FILES, |written: String| {
        let (path, anchor) = written.split_once('#').map_or((&*written, None), |(path, anchor)| (path, Some(anchor)));
        Ok(ProfileFile { path: values::path(path)?, anchor: anchor.map(str::to_owned), line: 1 })
    })
}

/// The items whose references are followed.
// After `Root`, in the order of `Relation::ALL`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Whose {
    Root,
    Parent,
    Child,
    DependsOn,
    BlockedBy,
    Blocks,
    Related,
}

fn adr_refs_of<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Relation>, D::Error> {
    refs_of(deserializer, "add `root`; to leave ADRs or documents out, name them under `leave_out`")
}

fn code_refs_of<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Relation>, D::Error> {
    refs_of(deserializer, "add `root`; to leave code out, name it under `leave_out`")
}

/// Reads whose references are followed; those of the root are always.
fn refs_of<'de, D: Deserializer<'de>>(deserializer: D, help: &str) -> Result<Vec<Relation>, D::Error> {
    checked(deserializer, |written: Vec<Whose>| {
        if !written.contains(&Whose::Root) {
            return Err(ConfigFault::new("references of the root are always followed").help(help));
        }
        let relations = Relation::ALL.into_iter().enumerate();
        Ok(relations
            .filter(|(index, _)| written.iter().any(|whose| *whose as usize == index + 1))
            .map(|r| r.1)
            .collect())
    })
}

/// Relations whose items are in the edge list only, unless a profile asks for more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum ListedRelation {
    Blocks,
    Related,
}

fn sections_of<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Relation>, D::Error> {
    let written = Vec::<ListedRelation>::deserialize(deserializer)?;
    let listed = [(ListedRelation::Blocks, Relation::Blocks), (ListedRelation::Related, Relation::Related)];
    Ok(listed.into_iter().filter(|(listed, _)| written.contains(listed)).map(|(_, relation)| relation).collect())
}

/// The most detail that code is shown in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CodeDetail {
    Full,
    Pointer,
}

/// What fills a budget that would otherwise stay empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FillWith {
    None,
    Untrusted,
}

named_enum! {
    /// Groups of sections that are left out together, in their default order.
    pub enum Group {
        Knowledge = "knowledge",
        Cards = "cards",
        Parent = "parent",
        Dependencies = "dependencies",
        Children = "children",
        Adrs = "adrs",
        Code = "code",
        Comments = "comments",
        Documents = "documents",
        Related = "related",
        Relevant = "relevant",
        Changes = "changes",
        Likely = "likely",
    }
}

impl Group {
    /// Returns whether its sections are about neighbours of the root, or files that it refers to.
    pub fn is_neighbourhood(self) -> bool {
        !matches!(self, Self::Comments | Self::Knowledge | Self::Relevant | Self::Changes | Self::Cards)
    }
}

fn groups<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Group>, D::Error> {
    let mut seen = Vec::new();
    values::list(deserializer, usize::MAX, |group: Group| {
        if seen.contains(&group) {
            return Err(ConfigFault::new(format!("`{}` is given twice", group.name())).help("name each group once"));
        }
        seen.push(group);
        Ok(group)
    })
}

/// Reads groups, and adds those that are not named: knowledge and cards before all others, the rest after them.
fn priority<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Group>, D::Error> {
    let mut named = groups(deserializer)?;
    let rest: Vec<Group> = Group::ALL.into_iter().filter(|group| !named.contains(group)).collect();
    for group in rest {
        let at = match group {
            Group::Knowledge => 0,
            Group::Cards => named.iter().position(|known| *known == Group::Knowledge).map_or(0, |at| at + 1),
            _ => named.len(),
        };
        named.insert(at, group);
    }
    Ok(named)
}

/// The limits of a pack. At least one limit is given; a pack keeps to every limit that is.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Budget {
    #[serde(default, deserialize_with = "values::limit")]
    pub max_chars: Option<u64>,
    #[serde(default, deserialize_with = "values::limit")]
    pub max_tokens: Option<u64>,
    #[serde(default, deserialize_with = "values::limit")]
    pub max_bytes: Option<u64>,
    #[serde(default)]
    pub strategy: Strategy,
    #[serde(default)]
    pub tokenizer: Tokenizer,
    #[serde(default, deserialize_with = "values::percent")]
    pub margin: u8,
    #[serde(default = "default_root_share", deserialize_with = "values::percent")]
    pub root_share: u8,
}

/// Limits and strategy that are given for one run, or by the file of an agent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct BudgetLimits {
    /// Unicode scalar values.
    pub max_chars: Option<u64>,
    /// UTF-8 bytes.
    pub max_bytes: Option<u64>,
    /// Tokens.
    pub max_tokens: Option<u64>,
    /// How a pack is trimmed to its limits.
    pub strategy: Option<Strategy>,
    /// The percentage of each limit that is kept free; `None` for none where limits are given, else for the profile's.
    pub margin: Option<u8>,
}

impl BudgetLimits {
    /// Returns the profile's budget, in which these limits replace all others if any is given.
    pub(crate) fn over(self, budget: &Budget) -> Budget {
        let given = self.max_chars.is_some() || self.max_bytes.is_some() || self.max_tokens.is_some();
        let limits = if given {
            self
        } else {
            Self { max_chars: budget.max_chars, max_bytes: budget.max_bytes, max_tokens: budget.max_tokens, ..self }
        };
        Budget {
            max_chars: limits.max_chars,
            max_bytes: limits.max_bytes,
            max_tokens: limits.max_tokens,
            strategy: self.strategy.unwrap_or(budget.strategy),
            margin: self.margin.unwrap_or(if given { 0 } else { budget.margin }),
            ..budget.clone()
        }
    }
}

fn default_root_share() -> u8 {
    70
}

named_enum! {
    /// How a pack is made to fit.
    #[derive(Default)]
    pub enum Strategy {
        /// The pack is cut at its end.
        TruncateTail = "truncate_tail",
        /// Whole sections are left out, weakest first.
        DropLowPriority = "drop_low_priority",
        /// Sections are reduced in detail, weakest first, and left out last.
        #[default]
        Both = "both",
    }
}

named_enum! {
    /// The vocabularies that can be counted.
    #[derive(Default)]
    pub enum Tokenizer {
        /// The newer vocabulary.
        #[default]
        O200kBase = "o200k_base",
        /// The older vocabulary.
        Cl100kBase = "cl100k_base",
    }
}
