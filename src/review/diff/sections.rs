//! Sections that were added, removed or moved, or changed in text, detail or metadata.

use super::hunks::{DiffLine, Hunk, hunks, is_outline, whole};
use super::{FieldChange, field_changes};
use crate::model::{LIKELY_CODE, TESTS, section_kind};
use crate::render;
use crate::review::explain::neighbour_of;
use crate::wire::{Section, SectionSource};
use serde::Serialize;
use serde_json::{Value, json};
use similar::{Algorithm, DiffOp, capture_diff_slices};
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// A section that differs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize)]
pub struct SectionChange {
    /// The section's id; the old one if it was removed.
    pub id: String,
    /// The section's kind.
    pub kind: String,
    /// The section's title.
    pub title: String,
    /// Where the text can be read.
    pub place: String,
    /// `trusted`, or `untrusted` for text that anyone could write; absent if unknown.
    pub trust: Option<String>,
    /// The login of the author on GitHub.
    pub author: Option<String>,
    /// `added`, `removed`, `changed`, `more_detail`, `less_detail` or `moved`.
    pub change: String,
    /// The old id, if it changed.
    pub was: Option<String>,
    /// Whether its order among the sections of both packs changed.
    pub reordered: bool,
    /// The name of the input that its text is of, if that input changed, was added or was removed.
    pub input: Option<String>,
    /// Whether only the budget changed it: it was cut at another place, let in or left out, and its text is the same.
    pub recut: bool,
    /// The old level of detail; absent if the section was added.
    pub old_detail: Option<String>,
    /// The new level of detail; absent if the section was removed.
    pub new_detail: Option<String>,
    /// The old number of characters.
    pub old_chars: Option<u64>,
    /// The new number of characters.
    pub new_chars: Option<u64>,
    /// The fields that differ: title, place, state and so on.
    pub fields: Vec<FieldChange>,
    /// The changes of the text.
    pub hunks: Vec<Hunk>,
}

impl SectionChange {
    /// Returns whether its text or its facts show what changed.
    pub fn is_shown(&self) -> bool {
        !self.fields.is_empty() || self.edits().next().is_some()
    }

    /// Returns the changes of the text that may be somebody's edit: not the size of a file in a pointer, nor lines that the budget
    /// cuts, or shows again, with another level of detail.
    pub fn edits(&self) -> impl Iterator<Item = &Hunk> {
        let is_pointer = [&self.old_detail, &self.new_detail].into_iter().any(|it| it.as_deref() == Some("pointer"));
        let needed = match &*self.change {
            "more_detail" => Some("removed"),
            "less_detail" => Some("added"),
            _ => None,
        };
        let has = move |hunk: &&Hunk| needed.is_none_or(|change| hunk.lines.iter().any(|line| line.change == change));
        self.hunks.iter().filter(move |_| !is_pointer).filter(has)
    }

    /// Returns whether its text is a list of what several inputs say: the relations or the fields of a work item.
    pub fn is_list(&self) -> bool {
        matches!(&*self.kind, section_kind::EDGE_LIST | section_kind::WORK_ITEM_JSON)
    }

    /// Returns whether what differs is the result of a search, which any change of the code moves: likely code, or the tests of
    /// a file that did not change.
    pub fn is_guess(&self) -> bool {
        let lines = self.hunks.iter().flat_map(|hunk| &hunk.lines).filter(|line| line.change != "same");
        let is_test = |line: &DiffLine| line.text().is_empty() || line.text().starts_with(TESTS);
        let is_code = self.kind == section_kind::FILE_EXCERPT && self.id.starts_with("code.");
        let has_tests = || self.input.is_none() && self.fields.is_empty() && !self.hunks.is_empty();
        self.id == LIKELY_CODE || is_code && has_tests() && { lines }.all(is_test)
    }

    /// Returns whether it is the same at another place: the text, or a list of relations but for the places that state them, in
    /// brackets at the ends of its lines.
    pub fn is_elsewhere(&self) -> bool {
        let of = |change: &str| {
            let lines = self.hunks.iter().flat_map(|hunk| &hunk.lines).filter(|line| line.change == change);
            let relation =
                |text: String| text.rsplit_once(" (").map_or(text.clone(), |(relation, _)| relation.to_owned());
            lines.map(|line| relation(line.text())).collect::<Vec<_>>()
        };
        let is_place = |field: &FieldChange| matches!(&*field.field, "place" | "evidence");
        let is_same = self.hunks.is_empty() || self.kind == section_kind::EDGE_LIST && of("added") == of("removed");
        self.change == "changed"
            && is_same
            && self.fields.iter().all(is_place)
            && (self.is_list() || !self.fields.is_empty())
    }

    /// Returns whether what people wrote is the same: the budget cut it at another place, its lines or its order moved, or it
    /// is a guess.
    pub fn is_unedited(&self) -> bool {
        self.recut || self.is_guess() || self.is_elsewhere() || self.change == "moved" && self.was.is_none()
    }
}

/// Returns the sections that differ between two packs, in the order of the new one; removed ones follow.
pub(in crate::review) fn changes(old: &[Section], new: &[Section]) -> Vec<SectionChange> {
    let before: BTreeMap<&str, &Section> = old.iter().map(|section| (&*section.id, section)).collect();
    let after: BTreeMap<&str, &Section> = new.iter().map(|section| (&*section.id, section)).collect();
    let mut gone: Vec<&Section> = old.iter().filter(|section| !after.contains_key(&*section.id)).collect();
    let reordered = reordered(old, new);
    let mut changes = Vec::new();
    for section in new {
        let moved = reordered.contains(&*section.id);
        let change = match before.get(&*section.id) {
            Some(old) => two_sided(old, section, moved),
            None => match gone.iter().position(|old| is_same(old, section)) {
                Some(at) => two_sided(gone.remove(at), section, moved),
                None => Some(one_sided("added", section)),
            },
        };
        changes.extend(change);
    }
    changes.extend(gone.into_iter().map(|section| one_sided("removed", section)));
    changes
}

/// Returns whether two sections of different ids are the same one, moved: one item under another relation, or equal text.
fn is_same(old: &Section, new: &Section) -> bool {
    let is_item = || {
        let [old, new] = [old, new].map(|section| neighbour_of(&section.id).map(|(_, item)| item));
        old.is_some() && old == new
    };
    // Cards never change, so that another id is another card.
    old.kind == new.kind
        && old.kind != section_kind::CARD
        && (is_item() || !new.content.is_empty() && old.content == new.content)
}

/// Returns the change of a section that only one side has, which is all of its text.
fn one_sided(change: &str, section: &Section) -> SectionChange {
    let (old, new) = if change == "added" { (None, Some(section)) } else { (Some(section), None) };
    SectionChange { hunks: whole(change, &section.content), ..section_change(change, section, old, new) }
}

/// Returns the change of a section, which is described as it is in `shown`, without its fields, hunks and moves.
fn section_change(change: &str, shown: &Section, old: Option<&Section>, new: Option<&Section>) -> SectionChange {
    let Section { id, kind, title, source, metadata, .. } = shown.clone();
    let detail = |side: &Section| side.metadata.detail.clone();
    SectionChange {
        was: old.filter(|old| old.id != id).map(|old| old.id.clone()),
        id,
        kind,
        title,
        place: render::place(&source),
        trust: metadata.trust,
        author: metadata.author,
        change: change.to_owned(),
        old_detail: old.map(detail),
        new_detail: new.map(detail),
        old_chars: old.map(|old| old.metadata.chars),
        new_chars: new.map(|new| new.metadata.chars),
        ..SectionChange::default()
    }
}

/// Returns the change of a section that both sides have; `None` if it is the same.
fn two_sided(old: &Section, new: &Section, reordered: bool) -> Option<SectionChange> {
    if old == new && !reordered {
        return None;
    }
    let fields = fields(old, new);
    let hunks = if old.content == new.content { Vec::new() } else { hunks(old, new) };
    let level = |section: &Section| {
        let levels = ["pointer", "excerpt", "truncated", "full"];
        levels.iter().position(|level| *level == section.metadata.detail)
    };
    let change = match level(new).cmp(&level(old)) {
        Ordering::Greater => "more_detail",
        Ordering::Less => "less_detail",
        // The definitions of an outline are on other lines.
        Ordering::Equal if fields.is_empty() && hunks.is_empty() && is_outline(new) => "moved",
        // Texts that differ only in the final line end have no hunk.
        Ordering::Equal if old.content != new.content || !fields.is_empty() => "changed",
        Ordering::Equal if old.id != new.id || reordered => "moved",
        Ordering::Equal => return None,
    };
    Some(SectionChange { reordered, fields, hunks, ..section_change(change, new, Some(old), Some(new)) })
}

/// The fields that are compared; edges are compared as the pack's neighbours.
const FIELDS: &str = "title kind place version provenance state status trust author author_association created_at edited \
                      relation evidence untrusted_edges";

fn fields(old: &Section, new: &Section) -> Vec<FieldChange> {
    let facts = |section: &Section| {
        let Section { kind, title, source, provenance, metadata, .. } = section;
        // Edits above move a section's lines, so they matter only if the text is the same.
        let lines = source.lines.filter(|_| old.content == new.content);
        let place = render::place(&SectionSource { lines, ..source.clone() });
        let evidence = metadata.evidence.as_ref().map(|evidence| format!("{}, {}", evidence.source, evidence.at));
        let own = json!({
            "title": title, "kind": kind, "place": Some(place).filter(|place| !place.is_empty()),
            "version": source.version, "provenance": provenance, "evidence": evidence,
        });
        let mut facts = json!(metadata);
        if let (Value::Object(facts), Value::Object(own)) = (&mut facts, own) {
            facts.extend(own);
        }
        facts
    };
    field_changes(&facts(old), &facts(new), FIELDS)
}

/// Returns the fewest ids that explain another order: those outside a longest common subsequence of the common ids.
fn reordered<'a>(old: &[Section], new: &'a [Section]) -> BTreeSet<&'a str> {
    fn common<'s>(sections: &'s [Section], others: &[Section]) -> Vec<&'s str> {
        let others: HashSet<&str> = others.iter().map(|section| &*section.id).collect();
        sections.iter().map(|section| &*section.id).filter(|id| others.contains(id)).collect()
    }
    let (before, after) = (common(old, new), common(new, old));
    let ops = capture_diff_slices(Algorithm::Myers, &before, &after);
    let moved = ops.iter().filter(|op| !matches!(op, DiffOp::Equal { .. }));
    moved.flat_map(|op| after[op.new_range()].iter().copied()).collect()
}
