//! Which sections came, went, moved, or changed in their text, detail or facts.

use super::FieldChange;
use super::hunks::{Hunk, hunks, whole};
use crate::render;
use crate::wire::Section;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// A section that differs.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, JsonSchema)]
pub struct SectionChange {
    /// The section's id; of one that went its old id.
    pub id: String,
    /// Its kind.
    pub kind: String,
    /// Its title.
    pub title: String,
    /// Where it can be read.
    pub place: String,
    /// `trusted`, or `untrusted` for text that anyone could write; absent where the pack does not say.
    pub trust: Option<String>,
    /// Who wrote it on GitHub.
    pub author: Option<String>,
    /// `added`, `removed`, `changed`, `more_detail`, `less_detail` or `moved`.
    pub change: String,
    /// The id that it had before, where it stands under another now.
    pub was: Option<String>,
    /// Whether it stands elsewhere among the sections that both packs have.
    pub reordered: bool,
    /// The level of detail before; absent of a section that came.
    pub old_detail: Option<String>,
    /// The level of detail now; absent of a section that went.
    pub new_detail: Option<String>,
    /// Characters before.
    pub old_chars: Option<u64>,
    /// Characters now.
    pub new_chars: Option<u64>,
    /// Facts that differ: title, place, state and so on.
    pub fields: Vec<FieldChange>,
    /// What differs in the text.
    pub hunks: Vec<Hunk>,
}

/// What differs between the sections of two packs, in the order of the new one; what went follows.
pub(super) fn changes(old: &[Section], new: &[Section]) -> Vec<SectionChange> {
    let before: BTreeMap<&str, &Section> = old.iter().map(|section| (&*section.id, section)).collect();
    let after: BTreeMap<&str, &Section> = new.iter().map(|section| (&*section.id, section)).collect();
    let mut gone: Vec<&Section> = old.iter().filter(|section| !after.contains_key(&*section.id)).collect();
    let reordered = reordered(old, new);
    let mut changes = Vec::new();
    for section in new {
        let moved = reordered.contains(&*section.id);
        let change = match before.get(&*section.id) {
            Some(old) => both(old, section, moved),
            None => match gone.iter().position(|old| is_same(old, section)) {
                Some(at) => both(gone.remove(at), section, moved),
                None => Some(one("added", section)),
            },
        };
        changes.extend(change);
    }
    changes.extend(gone.into_iter().map(|section| one("removed", section)));
    changes
}

/// Whether two sections of different ids are one that moved: of one item under another relation, or of equal text.
fn is_same(old: &Section, new: &Section) -> bool {
    let item = |section: &Section| section.id.split_once('.').map(|(_, item)| item.to_owned());
    let neighbour = |section: &Section| ["parent", "child", "dependency", "related"].contains(&&*section.provenance);
    old.kind == new.kind
        && (neighbour(old) && neighbour(new) && item(old) == item(new)
            || !new.content.is_empty() && old.content == new.content)
}

/// A section that only one side has.
fn one(change: &str, section: &Section) -> SectionChange {
    let added = change == "added";
    let side = |is: bool| is.then(|| (section.metadata.detail.clone(), section.metadata.chars));
    let (old, new) = (side(!added), side(added));
    SectionChange {
        old_chars: old.as_ref().map(|(_, chars)| *chars),
        new_chars: new.as_ref().map(|(_, chars)| *chars),
        old_detail: old.map(|(detail, _)| detail),
        new_detail: new.map(|(detail, _)| detail),
        hunks: whole(change, &section.content),
        ..blank(change, section)
    }
}

fn blank(change: &str, section: &Section) -> SectionChange {
    SectionChange {
        id: section.id.clone(),
        kind: section.kind.clone(),
        title: section.title.clone(),
        place: render::place(&section.source),
        trust: section.metadata.trust.clone(),
        author: section.metadata.author.clone(),
        change: change.to_owned(),
        was: None,
        reordered: false,
        old_detail: None,
        new_detail: None,
        old_chars: None,
        new_chars: None,
        fields: Vec::new(),
        hunks: Vec::new(),
    }
}

/// A section that both sides have; nothing where it is the same.
fn both(old: &Section, new: &Section, reordered: bool) -> Option<SectionChange> {
    let fields = fields(old, new);
    let hunks = if old.content == new.content { Vec::new() } else { hunks(&old.content, &new.content) };
    let was = (old.id != new.id).then(|| old.id.clone());
    let level = |section: &Section| {
        let levels = ["pointer", "excerpt", "truncated", "full"];
        levels.iter().position(|level| *level == section.metadata.detail)
    };
    let change = match level(new).cmp(&level(old)) {
        std::cmp::Ordering::Greater => "more_detail",
        std::cmp::Ordering::Less => "less_detail",
        // A text that differs in its last line end only has no hunk.
        std::cmp::Ordering::Equal if old.content != new.content || !fields.is_empty() => "changed",
        std::cmp::Ordering::Equal if was.is_some() || reordered => "moved",
        std::cmp::Ordering::Equal => return None,
    };
    Some(SectionChange {
        was,
        reordered,
        old_detail: Some(old.metadata.detail.clone()),
        new_detail: Some(new.metadata.detail.clone()),
        old_chars: Some(old.metadata.chars),
        new_chars: Some(new.metadata.chars),
        fields,
        hunks,
        ..blank(change, new)
    })
}

/// The facts that differ.
fn fields(old: &Section, new: &Section) -> Vec<FieldChange> {
    // Lines move with every edit above them: they tell something only where the text is the same.
    let place = |section: &Section| {
        let mut source = section.source.clone();
        if old.content != new.content {
            source.lines = None;
        }
        Some(render::place(&source)).filter(|place| !place.is_empty())
    };
    let evidence = |section: &Section| {
        section.metadata.evidence.as_ref().map(|evidence| format!("{}, {}", evidence.source, evidence.at))
    };
    let (was, is) = (&old.metadata, &new.metadata);
    let number = |number: Option<u64>| number.map(|number| number.to_string());
    let flag = |flag: Option<bool>| flag.map(|flag| flag.to_string());
    let text = |text: &str| Some(text.to_owned());
    // An item's neighbours are compared one by one, at the pack.
    [
        ("title", text(&old.title), text(&new.title)),
        ("kind", text(&old.kind), text(&new.kind)),
        ("place", place(old), place(new)),
        ("version", old.source.version.clone(), new.source.version.clone()),
        ("provenance", text(&old.provenance), text(&new.provenance)),
        ("state", was.state.clone(), is.state.clone()),
        ("status", was.status.clone(), is.status.clone()),
        ("trust", was.trust.clone(), is.trust.clone()),
        ("author", was.author.clone(), is.author.clone()),
        ("author_association", was.author_association.clone(), is.author_association.clone()),
        ("created_at", was.created_at.clone(), is.created_at.clone()),
        ("edited", flag(was.edited), flag(is.edited)),
        ("relation", was.relation.clone(), is.relation.clone()),
        ("evidence", evidence(old), evidence(new)),
        ("untrusted_edges", number(was.untrusted_edges), number(is.untrusted_edges)),
    ]
    .into_iter()
    .filter_map(|(field, old, new)| FieldChange::of(field, old, new))
    .collect()
}

/// Ids that both sides have in another order: all but a longest run of ids that kept theirs.
fn reordered<'a>(old: &[Section], new: &'a [Section]) -> BTreeSet<&'a str> {
    let places: BTreeMap<&str, usize> = old.iter().enumerate().map(|(at, section)| (&*section.id, at)).collect();
    let common: Vec<(&str, usize)> =
        new.iter().filter_map(|section| Some((&*section.id, *places.get(&*section.id)?))).collect();
    if common.is_sorted_by_key(|(_, at)| *at) {
        return BTreeSet::new();
    }
    // For each length the run that ends lowest, by the place of its last entry.
    let mut ends: Vec<usize> = Vec::new();
    let mut previous = vec![None; common.len()];
    for (here, (_, at)) in common.iter().enumerate() {
        let length = ends.partition_point(|end| common[*end].1 < *at);
        previous[here] = length.checked_sub(1).map(|shorter| ends[shorter]);
        if length == ends.len() {
            ends.push(here);
        } else {
            ends[length] = here;
        }
    }
    let mut kept = BTreeSet::new();
    let mut next = ends.last().copied();
    while let Some(here) = next {
        kept.insert(common[here].0);
        next = previous[here];
    }
    common.into_iter().map(|(id, _)| id).filter(|id| !kept.contains(id)).collect()
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use crate::wire::Pack;

    fn sections() -> Vec<Section> {
        let pack = include_str!("../../../tests/golden/roots-and-levels/packs/task-yes.coding.json");
        serde_json::from_str::<Pack>(pack).unwrap().sections
    }

    fn named(id: &str, provenance: &str, content: &str) -> Section {
        let kind = "issue".to_owned();
        Section {
            id: id.to_owned(),
            provenance: provenance.to_owned(),
            content: content.to_owned(),
            kind,
            ..sections().remove(1)
        }
    }

    fn told(old: &[Section], new: &[Section]) -> Vec<String> {
        let changes = changes(old, new);
        changes
            .iter()
            .map(|it| {
                format!("{} {}{}", it.change, it.id, it.was.as_ref().map_or(String::new(), |was| format!(" < {was}")))
            })
            .collect()
    }

    #[test]
    fn the_same_sections_do_not_differ() {
        assert_eq!(changes(&sections(), &sections()), []);
    }

    #[test]
    fn an_item_under_another_relation_and_a_file_under_another_name_moved() {
        let old = [named("child.task:z", "child", "Text."), named("adr.docs/1-a.md", "adr_ref", "Decision.")];
        let new = [
            named("dependency.task:z", "dependency", "Text, longer."),
            named("adr.docs/1-b.md", "adr_ref", "Decision."),
        ];
        assert_eq!(
            told(&old, &new),
            ["changed dependency.task:z < child.task:z", "moved adr.docs/1-b.md < adr.docs/1-a.md"]
        );
        let other = [named("dependency.task:y", "dependency", "Other.")];
        assert_eq!(told(&old[..1], &other), ["added dependency.task:y", "removed child.task:z"]);
    }

    #[test]
    fn of_sections_in_another_order_the_fewest_moved() {
        let [a, b, c] = ["root.issue", "root.draft", "root.json"].map(|id| named(id, "root", id));
        assert_eq!(told(&[a.clone(), b.clone(), c.clone()], &[b.clone(), a.clone(), c.clone()]).len(), 1);
        assert_eq!(told(&[a.clone(), b.clone(), c.clone()], &[c, a, b]), ["moved root.json"]);
    }

    #[test]
    fn more_and_less_detail_are_told_apart() {
        let full = named("child.task:z", "child", "One.\n\nTwo.");
        let mut excerpt = named("child.task:z", "child", "One.");
        excerpt.metadata.detail = "excerpt".to_owned();
        let (full, excerpt) = ([full], [excerpt]);
        assert_eq!(told(&full, &excerpt), ["less_detail child.task:z"]);
        assert_eq!(told(&excerpt, &full), ["more_detail child.task:z"]);
    }
}
