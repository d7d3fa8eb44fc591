//! Differences between packs: by section, by cause, and with what a person should review. `schema/output.schema.json` describes
//! the fields.

mod hunks;
mod needs_review;
mod pack;
mod sections;
mod set;

pub(super) use hunks::is_omission_mark;
pub use hunks::{DiffLine, Hunk};
pub use sections::SectionChange;
pub(super) use sections::changes as section_changes;
pub(super) use set::derived_words;
pub use set::{Pair, compare};

use super::inputs::InputChange;
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;

#[derive(Debug, Clone, Default, Serialize)]
pub struct Diff {
    pub verdict: Verdict,
    pub causes: Vec<Cause>,
    pub needs_review: Vec<ReviewItem>,
    pub packs: Vec<PackChange>,
    pub sections: Vec<SharedChange>,
}

#[derive(Debug, Clone, Default, Serialize)]
pub struct Verdict {
    pub text: String,
    pub changed: usize,
    pub added: usize,
    pub removed: usize,
    pub unchanged: usize,
    pub not_rebuilt: Option<usize>,
    pub unverifiable: Option<usize>,
    pub needs_review: usize,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Cause {
    pub name: String,
    pub change: String,
    pub words: String,
    pub packs: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ReviewItem {
    pub reason: String,
    pub section: Option<String>,
    pub message: String,
    pub packs: Vec<String>,
}

#[derive(Debug, Clone, Default, Serialize)]
pub struct PackChange {
    pub name: String,
    pub change: String,
    pub root: String,
    pub title: String,
    pub profile: String,
    pub notes: Vec<String>,
    pub inputs: Vec<InputChange>,
    pub fields: Vec<FieldChange>,
    pub sections: Vec<usize>,
    pub omissions: Vec<OmissionChange>,
    pub redactions: Vec<RedactionChange>,
    pub warnings: Vec<WarningChange>,
    pub neighbours: Vec<NeighbourChange>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
pub struct FieldChange {
    pub field: String,
    pub old: Option<String>,
    pub new: Option<String>,
}

/// Returns those of the `fields`, named by their places in both JSON values, that differ.
fn field_changes(old: &Value, new: &Value, fields: &str) -> Vec<FieldChange> {
    let change = |field: &str| {
        let text = |value: &Value| match value.pointer(&format!("/{}", field.replace('.', "/"))) {
            None | Some(Value::Null) => None,
            Some(Value::String(text)) => Some(text.clone()),
            Some(other) => Some(other.to_string()),
        };
        let (old, new) = (text(old), text(new));
        (old != new).then(|| FieldChange { field: field.to_owned(), old, new })
    };
    fields.split(' ').filter_map(change).collect()
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

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct OmissionChange {
    pub id: String,
    pub title: String,
    pub change: String,
    pub old: Option<String>,
    pub new: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RedactionChange {
    pub section: String,
    pub rule: String,
    pub old: u64,
    pub new: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WarningChange {
    pub code: String,
    pub message: String,
    pub change: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NeighbourChange {
    pub to: String,
    pub relation: String,
    pub title: String,
    pub state: String,
    pub change: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SharedChange {
    pub packs: Vec<String>,
    #[serde(flatten)]
    pub section: SectionChange,
}
