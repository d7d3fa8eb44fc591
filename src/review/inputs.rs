//! The inputs that differ between two packs: the causes of a pack's change.

use super::diff::{SidePair, change_of, paired};
use crate::model::OriginKind;
use crate::wire::{Pack, PackInput, Section, SectionSource};
use serde::Serialize;

/// The name of the redaction rules among the inputs of older packs, which are no cause of a change.
const RULES: &str = "redaction-rules";

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct InputChange {
    pub name: String,
    #[serde(skip)]
    pub(super) id: Option<String>,
    #[serde(skip)]
    pub(super) path: Option<String>,
    pub change: String,
    pub old: Option<String>,
    pub new: Option<String>,
}

impl InputChange {
    /// Describes the change: `docs/x.md changed`, `new: docs/x.md`, `docs/x.md is no longer in it`, `built-in coding 3 → 4`.
    pub fn words(&self) -> String {
        match self.change.as_str() {
            "added" => format!("new: {}", self.name),
            "removed" => format!("{} is no longer in it", self.name),
            // A text of the repo has a digest, a built-in text a version.
            _ if [&self.old, &self.new].into_iter().flatten().any(|mark| mark.starts_with("sha256:")) => {
                format!("{} changed", self.name)
            }
            _ => {
                let [old, new] = [&self.old, &self.new].map(|version| version.as_deref().unwrap_or("none"));
                format!("built-in {} {old} → {new}", self.name)
            }
        }
    }
}

pub(super) fn changes(old: &[PackInput], new: &[PackInput]) -> Vec<InputChange> {
    let is_cause = |input: &&PackInput| input.id.as_deref() != Some(RULES);
    let [old, new] = [old, new].map(|inputs| inputs.iter().filter(is_cause).cloned().collect::<Vec<_>>());
    let mark = |input: &PackInput| input.version.clone().or_else(|| input.digest.clone());
    let change = |(old, new): SidePair<'_, PackInput>| {
        let input = new.or(old)?;
        let is_same = |(old, new): (&PackInput, &PackInput)| (&old.version, &old.digest) == (&new.version, &new.digest);
        (!old.zip(new).is_some_and(is_same)).then(|| InputChange {
            name: name(input),
            id: input.id.clone(),
            path: input.path.clone(),
            change: change_of(old, new),
            old: old.and_then(mark),
            new: new.and_then(mark),
        })
    };
    let mut changes: Vec<_> =
        paired(&old, &new, |input| (&input.path, &input.id, &input.url)).into_iter().filter_map(change).collect();
    changes.sort();
    changes.dedup();
    changes
}

/// Returns the input of which a section has the text, if it is among those of its pack.
pub(super) fn of_section<'p>(pack: &'p Pack, section: &Section) -> Option<&'p PackInput> {
    let SectionSource { kind, id, path, url, .. } = &section.source;
    // A source may say more of the text, such as the id of an issue.
    let says = |named: &Option<String>, source: &Option<String>| named.is_none() || named == source;
    pack.inputs
        .iter()
        .find(|input| input.kind == *kind && says(&input.id, id) && says(&input.path, path) && says(&input.url, url))
}

/// Returns the name of an input for people.
pub(super) fn name(input: &PackInput) -> String {
    match (&input.path, &input.id, &input.url) {
        (Some(path), Some(id), _) if path.ends_with(".jsonl") || path.ends_with(".json") => format!("{path} ({id})"),
        (Some(path), ..) => path.clone(),
        (None, Some(id), _) if input.kind == OriginKind::Card.name() => {
            let hex = id.strip_prefix("sha256:").unwrap_or(id);
            format!("card {}", hex.get(..12).unwrap_or(hex))
        }
        (None, Some(id), _) => id.clone(),
        (None, None, url) => url.clone().unwrap_or_default(),
    }
}
