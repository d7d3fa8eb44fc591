//! What changed between packs, and why: section by section, by cause, with what a person should look at.

mod eyes;
mod hunks;
mod pack;
mod salvage;
mod sections;
mod set;

pub use hunks::{DiffLine, Hunk, Segment};
pub use salvage::{SalvagedPack, salvage};
pub use sections::SectionChange;
pub use set::{Pair, Rebuilt, compare};

use super::inputs::InputChange;
use schemars::JsonSchema;
use serde::Serialize;

/// What changed between two sets of packs.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Diff {
    /// All of it in one line, and in numbers.
    pub verdict: Verdict,
    /// Inputs that changed, came or went, and other reasons for which packs differ; by name.
    pub causes: Vec<Cause>,
    /// What a person should look at; what concerns several packs stands here once.
    pub eyes: Vec<ReviewItem>,
    /// Every pack that differs, by name.
    pub packs: Vec<PackChange>,
    /// Every section that differs; a change that is equal in several packs stands here once.
    pub sections: Vec<SharedChange>,
}

/// The outcome in one line, and in numbers.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
pub struct Verdict {
    /// Such as `12 packs changed, 1 cause (docs/adr/0007-cache.md), rebuilt and equal, 0 need eyes`.
    pub text: String,
    /// Packs that are on both sides and differ.
    pub changed: usize,
    /// Packs that only the new side has.
    pub added: usize,
    /// Packs that only the old side has.
    pub removed: usize,
    /// Packs that are equal, whatever their stamps say.
    pub unchanged: usize,
    /// How many of the new side's packs are not what a rebuild gives; absent where nothing was rebuilt.
    pub not_rebuilt: Option<usize>,
    /// How many of them cannot be rebuilt, since their issue is not in the snapshot; absent where nothing was rebuilt.
    pub unverifiable: Option<usize>,
    /// Packs that a person should look at.
    pub need_eyes: usize,
}

/// Why packs differ.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Cause {
    /// The input, `the limits of the budget`, or the program.
    pub name: String,
    /// `added`, `removed` or `changed`.
    pub change: String,
    /// The same in words.
    pub words: String,
    /// The packs that it concerns.
    pub packs: Vec<String>,
}

/// Something that a person should look at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ReviewItem {
    /// `instructions`, `outside_text`, `trust`, `redaction_gone`, `left_out`, `no_cause`, `not_rebuilt`, `unverifiable` or `damaged`.
    pub reason: String,
    /// The section concerned.
    pub section: Option<String>,
    /// What to look at.
    pub message: String,
    /// The packs that it concerns.
    pub packs: Vec<String>,
}

/// A pack that differs.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
pub struct PackChange {
    /// The file.
    pub name: String,
    /// `added`, `removed` or `changed`.
    pub change: String,
    /// The root's id or URL.
    pub root: String,
    /// The root's title.
    pub title: String,
    /// The profile.
    pub profile: String,
    /// Why the comparison is not a whole one: a side is damaged, or of another version.
    pub notes: Vec<String>,
    /// Inputs that differ.
    pub inputs: Vec<InputChange>,
    /// Facts of the pack and of its budget that differ.
    pub fields: Vec<FieldChange>,
    /// Places in the list of section changes.
    pub sections: Vec<usize>,
    /// What came to the omissions, left them or differs.
    pub omissions: Vec<OmissionChange>,
    /// What came to the redactions, left them or differs in number.
    pub redactions: Vec<RedactionChange>,
    /// What came to the warnings or left them.
    pub warnings: Vec<WarningChange>,
    /// The root's neighbours, those too that did not change.
    pub neighbours: Vec<NeighbourChange>,
}

/// A fact that differs.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, JsonSchema)]
pub struct FieldChange {
    /// The field, such as `budget.used_chars` of a pack or `state` of a section.
    pub field: String,
    /// What it was; absent where it was not there.
    pub old: Option<String>,
    /// What it is; absent where it is not there.
    pub new: Option<String>,
}

impl FieldChange {
    /// The change of a field, where it did change.
    fn of(field: &str, old: Option<String>, new: Option<String>) -> Option<Self> {
        (old != new).then(|| Self { field: field.to_owned(), old, new })
    }
}

/// An omission that differs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct OmissionChange {
    /// The id that its section would have.
    pub id: String,
    /// Its title.
    pub title: String,
    /// `added`, `removed` or `changed`.
    pub change: String,
    /// Why it was left out before.
    pub old: Option<String>,
    /// Why it is left out now.
    pub new: Option<String>,
}

/// A redaction that differs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RedactionChange {
    /// The section's id.
    pub section: String,
    /// The rule.
    pub rule: String,
    /// How often it removed something there before.
    pub old: u64,
    /// How often it does now.
    pub new: u64,
}

/// A warning that came or went.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct WarningChange {
    /// Its code.
    pub code: String,
    /// What is wrong.
    pub message: String,
    /// `added` or `removed`.
    pub change: String,
}

/// A neighbour of the root on either side.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct NeighbourChange {
    /// Its id.
    pub to: String,
    /// What it is to the root.
    pub relation: String,
    /// Its title.
    pub title: String,
    /// Its state.
    pub state: String,
    /// `added`, `removed`, `changed` (in its title, state or text) or `same`.
    pub change: String,
}

/// A change of a section in all packs that have it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SharedChange {
    /// The packs, by name.
    pub packs: Vec<String>,
    /// The change.
    #[serde(flatten)]
    pub section: SectionChange,
}
