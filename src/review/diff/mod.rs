//! Differences between packs: by section, by cause, and with what a person should review.

mod hunks;
mod needs_review;
mod pack;
mod salvage;
mod sections;
mod set;

pub use hunks::{DiffLine, changed_words};
pub use salvage::{SalvagedPack, salvage};
pub use sections::SectionChange;
pub(super) use sections::changes as section_changes;
pub use set::{Pair, Rebuilt, compare};

use super::inputs::InputChange;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// The difference between two sets of packs.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
pub struct Diff {
    /// The outcome in one line, and in numbers.
    pub verdict: Verdict,
    /// The causes of the change: added, removed and changed inputs, and others.
    pub causes: Vec<Cause>,
    /// What a person should review; an item that concerns several packs is listed once.
    pub needs_review: Vec<ReviewItem>,
    /// Every pack that differs, by name.
    pub packs: Vec<PackChange>,
    /// Every section that differs; a change that is equal in several packs is listed once.
    pub sections: Vec<SharedChange>,
}

/// The outcome in one line, and in numbers.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
pub struct Verdict {
    /// Such as `12 packs changed, 1 cause (docs/adr/0007-cache.md), rebuilt and equal, 0 need review`.
    pub text: String,
    /// The number of packs that are on both sides and differ.
    pub changed: usize,
    /// The number of packs that only the new side has.
    pub added: usize,
    /// The number of packs that only the old side has.
    pub removed: usize,
    /// The number of packs that are equal in everything but their stamps.
    pub unchanged: usize,
    /// The number of new packs that differ from a rebuild; absent if nothing was rebuilt.
    pub not_rebuilt: Option<usize>,
    /// The number of new packs that cannot be rebuilt, since their issue is not in the snapshot; absent if nothing was
    /// rebuilt.
    pub unverifiable: Option<usize>,
    /// The number of packs that a person should review.
    pub needs_review: usize,
}

/// A cause of the difference between packs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Cause {
    /// The input, `the limits of the budget`, or the program.
    pub name: String,
    /// `added`, `removed` or `changed`.
    pub change: String,
    /// A description of the cause.
    pub words: String,
    /// The packs that it concerns.
    pub packs: Vec<String>,
}

/// A part of the change that a person should review.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ReviewItem {
    /// `instructions`, `outside_text`, `trust`, `redaction_gone`, `left_out`, `adr_status`, `warning`, `no_cause`, `not_rebuilt`, `unverifiable` or `damaged`.
    pub reason: String,
    /// The section concerned.
    pub section: Option<String>,
    /// What to review.
    pub message: String,
    /// The packs that it concerns.
    pub packs: Vec<String>,
}

/// A pack that differs.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
pub struct PackChange {
    /// The name of the pack's file.
    pub name: String,
    /// `added`, `removed` or `changed`.
    pub change: String,
    /// The root's id or URL.
    pub root: String,
    /// The root's title.
    pub title: String,
    /// The profile.
    pub profile: String,
    /// Why the comparison is incomplete: a side is damaged, or of another version.
    pub notes: Vec<String>,
    /// The inputs that differ.
    pub inputs: Vec<InputChange>,
    /// The fields of the pack and of its budget that differ.
    pub fields: Vec<FieldChange>,
    /// The indices of its sections in the list of section changes.
    pub sections: Vec<usize>,
    /// The omissions that were added, removed or changed.
    pub omissions: Vec<OmissionChange>,
    /// The redactions that were added, removed or changed in number.
    pub redactions: Vec<RedactionChange>,
    /// The warnings that were added or removed.
    pub warnings: Vec<WarningChange>,
    /// The root's neighbours, including those that did not change.
    pub neighbours: Vec<NeighbourChange>,
}

/// A field that differs.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, JsonSchema)]
pub struct FieldChange {
    /// The field, such as `budget.used_chars` of a pack or `state` of a section.
    pub field: String,
    /// The old value, if any.
    pub old: Option<String>,
    /// The new value, if any.
    pub new: Option<String>,
}

/// Returns the fields that differ, which are named by their places in both JSON values.
fn field_changes(old: &Value, new: &Value, fields: &[&str]) -> Vec<FieldChange> {
    let change = |field: &&str| {
        let text = |value: &Value| match value.pointer(&format!("/{}", field.replace('.', "/"))) {
            None | Some(Value::Null) => None,
            Some(Value::String(text)) => Some(text.clone()),
            Some(other) => Some(other.to_string()),
        };
        let (old, new) = (text(old), text(new));
        (old != new).then(|| FieldChange { field: (*field).to_owned(), old, new })
    };
    fields.iter().filter_map(change).collect()
}

/// Pairs the entries of both sides that have the same key, in the order of the keys.
pub(super) fn paired<'a, T, K: Ord>(old: &'a [T], new: &'a [T], key: impl Fn(&'a T) -> K) -> Vec<SidePair<'a, T>> {
    let mut pairs = BTreeMap::<K, SidePair<'a, T>>::new();
    old.iter().for_each(|entry| pairs.entry(key(entry)).or_default().0 = Some(entry));
    new.iter().for_each(|entry| pairs.entry(key(entry)).or_default().1 = Some(entry));
    pairs.into_values().collect()
}

/// The old and the new entry of a list.
pub(super) type SidePair<'a, T> = (Option<&'a T>, Option<&'a T>);

/// Returns `added`, `removed` or `changed`.
pub(super) fn change_of<T>(old: Option<T>, new: Option<T>) -> String {
    let change = match (old, new) {
        (None, Some(_)) => "added",
        (Some(_), None) => "removed",
        _ => "changed",
    };
    change.to_owned()
}

/// An omission that differs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct OmissionChange {
    /// The id that its section would have.
    pub id: String,
    /// The title.
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
    /// How often the rule matched before.
    pub old: u64,
    /// How often the rule matches now.
    pub new: u64,
}

/// A warning that was added or removed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct WarningChange {
    /// The diagnostic's code.
    pub code: String,
    /// The warning's text.
    pub message: String,
    /// `added` or `removed`.
    pub change: String,
}

/// A neighbour of the root on either side.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct NeighbourChange {
    /// The neighbour's id.
    pub to: String,
    /// The neighbour's relation to the root.
    pub relation: String,
    /// The neighbour's title.
    pub title: String,
    /// The neighbour's state.
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
