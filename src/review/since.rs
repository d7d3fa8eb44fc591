//! What moved between a pack that was read and the one that a build gives now: item by item, with the sections that only repeat it.

use super::diff::{DiffLine, SectionChange};
use super::moves::moves;
use super::stale::{InRepo, noun};
use crate::model::{LIKELY_CODE, OriginKind, section_kind};
use crate::wire::{Pack, PackEdge, Section};
use serde::Serialize;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

/// The longest text of a move in a sentence, in characters.
const MAX_TEXT: usize = 160;

const TITLE: &str = "the title";

const STATUS: &str = "the status";

/// What moved between two packs.
#[derive(Debug, Clone, Default)]
pub struct PackMoves {
    /// What moved, in the order of the new pack.
    pub moves: Vec<MovedText>,
    /// The sections that only repeat what moved in others.
    repeated: BTreeSet<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct MovedText {
    pub section: String,
    pub text: String,
    pub change: String,
    pub what: String,
    pub old: Option<String>,
    pub new: Option<String>,
    pub words: Vec<DiffLine>,
    /// Where its text can be read; empty for the root itself.
    #[serde(skip)]
    pub place: String,
}

impl MovedText {
    /// Creates a move whose section and sentence are not known yet.
    pub(super) fn new(change: &str, what: impl Into<String>, old: Option<&str>, new: Option<&str>) -> Self {
        let [old, new] = [old, new].map(|text| text.map(str::to_owned));
        Self { change: change.to_owned(), what: what.into(), old, new, ..Self::default() }
    }

    /// Creates the move of what only one side has.
    pub(super) fn one_sided(change: &str, what: String, text: &str) -> Self {
        let (old, new) = if change == "added" { (None, Some(text)) } else { (Some(text), None) };
        Self::new(change, what, old, new)
    }

    /// Returns the move as one of a part of a section; `is_there` says of a relation that is gone whether the item is still there.
    fn of(self, section: &Section, place: &str, is_there: bool) -> Self {
        let (text, section) = (self.sentence(place, is_there), section.id.clone());
        Self { section, text, place: place.to_owned(), ..self }
    }

    pub(super) fn sentence(&self, place: &str, is_there: bool) -> String {
        let Self { change, what, old, new, words, .. } = self;
        let place = if place.is_empty() { String::new() } else { format!("{place}: ") };
        let shown = |text: &Option<String>| {
            let text = text.as_deref().unwrap_or("none");
            text.char_indices().nth(MAX_TEXT).map_or(text.to_owned(), |(at, _)| format!("{}…", &text[..at]))
        };
        let verb = match change.as_str() {
            "added" => "was added",
            "removed" if is_there => "is no longer one",
            "removed" => "was removed",
            "checked" => "was checked off",
            "unchecked" => "is open again",
            "renumbered" => "has another place",
            _ => "changed",
        };
        let text = match change.as_str() {
            "changed" if what.starts_with("the heading") => return format!("{place}{what} is `{}` now", shown(new)),
            _ if what.starts_with("the heading") => String::new(),
            "changed" if words.is_empty() => format!(": {} → {}", shown(old), shown(new)),
            "removed" => format!(": {}", shown(old)),
            _ => format!(": {}", shown(new)),
        };
        format!("{place}{what} {verb}{text}")
    }
}

impl PackMoves {
    /// Compares two packs.
    pub fn between(old: &Pack, new: &Pack, in_repo: &InRepo<'_>) -> Self {
        let (moves, repeated) = moved(old, new, in_repo);
        Self { moves, repeated }
    }

    /// Returns whether they say what changed in a section.
    pub fn cover(&self, section: &SectionChange) -> bool {
        let only = |fields: [&str; 2]| {
            section.hunks.is_empty() && section.fields.iter().all(|field| fields.contains(&&*field.field))
        };
        let is_moved = || self.moves.iter().any(|moved| moved.section == section.id);
        match section.change.as_str() {
            _ if section.id == "root.edges" => true,
            "added" | "removed" => false,
            _ if section.recut || section.is_guess() => true,
            // That a text has another path is a reason, and its lines are no news. The edge list has the state of a neighbour.
            "changed" if only(["place", "evidence"]) || only(["state", "status"]) => true,
            "changed" => self.repeated.contains(&section.id) || is_moved(),
            _ => false,
        }
    }
}

/// Returns whether the fields of the root differ in its id, its title, its status and its relations alone, which other sections say.
fn repeats_fields(old: &Pack, new: &Pack) -> bool {
    let section = |pack: &'_ Pack, kind: &str| pack.sections.iter().find(|section| section.kind == kind).cloned();
    let fields =
        |pack: &Pack| section(pack, section_kind::WORK_ITEM_JSON).and_then(|it| serde_json::from_str(&it.content).ok());
    let (Some(before), Some(after)): (Option<Map<String, Value>>, Option<_>) = (fields(old), fields(new)) else {
        return false;
    };
    let ends = |pack: &Pack| -> BTreeSet<String> {
        let edges = section(pack, section_kind::EDGE_LIST).and_then(|list| list.metadata.edges);
        edges.into_iter().flatten().map(|edge| edge.to).collect()
    };
    let moved: BTreeSet<String> = ends(old).symmetric_difference(&ends(new)).cloned().collect();
    fn words(value: Option<&Value>) -> BTreeSet<&str> {
        match value {
            Some(Value::String(text)) => BTreeSet::from([text.as_str()]),
            Some(Value::Array(values)) => values.iter().flat_map(|value| words(Some(value))).collect(),
            _ => BTreeSet::new(),
        }
    }
    let is_told = |name: &String| {
        let (was, is) = (before.get(name), after.get(name));
        let other: Vec<&str> = words(was).symmetric_difference(&words(is)).copied().collect();
        let is_relation = || !other.is_empty() && other.iter().all(|word| moved.contains(*word));
        was == is || matches!(name.as_str(), "id" | "title" | "status") || is_relation()
    };
    before.keys().chain(after.keys()).all(is_told)
}

/// Returns what moved: of the root, of its neighbours, and of texts that both packs hold whole; and the sections that only repeat it.
fn moved(old: &Pack, new: &Pack, in_repo: &InRepo<'_>) -> (Vec<MovedText>, BTreeSet<String>) {
    let before: BTreeMap<&str, &Section> = old.sections.iter().map(|section| (&*section.id, section)).collect();
    let (mut all, mut repeated) = (Vec::new(), BTreeSet::new());
    for section in &new.sections {
        // A search is nobody's edit.
        let Some(was) = before.get(&*section.id).filter(|_| section.id != LIKELY_CODE) else { continue };
        if section.kind == section_kind::EDGE_LIST {
            let edges = edges([old, new], was, section).into_iter();
            all.extend(edges.map(|(text, to)| text.of(section, "", to.is_some_and(in_repo))));
            continue;
        }
        // The text of the root says what its fields repeat.
        if section.kind == section_kind::WORK_ITEM_JSON {
            repeated.extend(repeats_fields(old, new).then(|| section.id.clone()));
            continue;
        }
        let place = match &section.source.path {
            _ if section.id == "root.issue" => String::new(),
            Some(path) => path.clone(),
            None => crate::render::place(&section.source),
        };
        let mut add = |text: MovedText| all.push(text.of(section, &place, false));
        // The edge list has the state of a neighbour, and the text of a decision its title and its status.
        let is_neighbour = section.metadata.relation.is_some() && was.metadata.state != section.metadata.state;
        let fields = fields(was, section);
        let status = fields.iter().find(|field| field.what == STATUS).and_then(|field| field.new.clone());
        let is_decision = status.is_some() && section.kind == section_kind::ADR_EXCERPT;
        let is_new = |field: &MovedText| !(is_neighbour && field.what == STATUS || is_decision && field.what == TITLE);
        fields.into_iter().filter(is_new).for_each(&mut add);
        let renamed = [Some(was.title.clone()), Some(section.title.clone())];
        let lines = [old, new].map(|pack| Some(root_line(pack)));
        let repeats = |text: &MovedText| {
            let pair = [text.old.clone(), text.new.clone()];
            status.is_some() && text.new == status || text.change == "changed" && (pair == renamed || pair == lines)
        };
        // A shortened text lacks what the budget cut, which nobody removed.
        let is_whole = |section: &Section| section.metadata.detail == "full";
        let is_text = !matches!(&*section.kind, section_kind::INSTRUCTIONS | section_kind::CARD);
        if is_text && is_whole(was) && is_whole(section) {
            let texts = moves(&was.content, &section.content);
            repeated.extend((!texts.is_empty() && texts.iter().all(repeats)).then(|| section.id.clone()));
            texts.into_iter().filter(|text| !repeats(text)).for_each(add);
        }
    }
    (all, repeated)
}

fn fields(old: &Section, new: &Section) -> Vec<MovedText> {
    let (was, is) = (&old.metadata, &new.metadata);
    let status = |section: &Section| section.metadata.status.clone().or_else(|| section.metadata.state.clone());
    let named = [
        (TITLE, Some(old.title.clone()), Some(new.title.clone())),
        (STATUS, status(old), status(new)),
        ("the trust", was.trust.clone(), is.trust.clone()),
    ];
    let differing = named.into_iter().filter(|(_, old, new)| old != new && old.is_some());
    differing.map(|(what, old, new)| MovedText::new("changed", what, old.as_deref(), new.as_deref())).collect()
}

fn root_line(pack: &Pack) -> String {
    let root = pack.sections.iter().find(|section| section.id == "root.issue");
    let state = root.and_then(|root| root.metadata.state.as_deref()).unwrap_or_default();
    format!("{} \"{}\": {state}", pack.root.work_item_id.as_deref().unwrap_or_default(), pack.root.title)
}

/// Returns the neighbours that are new or gone, those whose id changed, and those whose state did; of one that is gone also its id.
fn edges<'a>(packs: [&Pack; 2], old: &'a Section, new: &Section) -> Vec<(MovedText, Option<&'a str>)> {
    fn by_end(section: &Section) -> BTreeMap<(&str, &str), &PackEdge> {
        let edges = section.metadata.edges.iter().flatten();
        edges.map(|edge| ((edge.relation.as_str(), edge.to.as_str()), edge)).collect()
    }
    let (before, after) = (by_end(old), by_end(new));
    let name = |(relation, to): &(&str, &str)| format!("the {} `{to}`", noun(relation));
    // A file with several items says nothing of one of them.
    let file = |pack: &Pack, id: &str| {
        let mut items = pack.inputs.iter().filter(|input| input.kind == OriginKind::WorkItem.name());
        let path = items.clone().find(|input| input.id.as_deref() == Some(id))?.path.clone()?;
        items.all(|input| input.id.as_deref() == Some(id) || input.path.as_ref() != Some(&path)).then_some(path)
    };
    let mut gone: Vec<_> = before.iter().filter(|(end, _)| !after.contains_key(*end)).collect();
    let mut all = Vec::new();
    for (end, edge) in &after {
        let was = before.get(end).or_else(|| {
            // An item that has another id now is in the same file.
            let path = file(packs[1], end.1)?;
            let is_same = |old: &(&str, &str)| old.0 == end.0 && file(packs[0], old.1).as_ref() == Some(&path);
            let at = gone.iter().position(|(old, _)| is_same(old))?;
            let (old, was) = gone.remove(at);
            all.push(MovedText::new("changed", format!("the id of {}", name(end)), Some(old.1), Some(end.1)));
            Some(was)
        });
        match was {
            None => all.push(MovedText::new("added", name(end), None, Some(&edge.title))),
            Some(old) if old.state != edge.state => {
                let what = format!("the state of {}", name(end));
                all.push(MovedText::new("changed", what, Some(&old.state), Some(&edge.state)));
            }
            Some(_) => {}
        }
    }
    let mut all: Vec<_> = all.into_iter().map(|text| (text, None)).collect();
    let removed = |edge: &PackEdge, end| MovedText::new("removed", name(end), Some(&edge.title), None);
    all.extend(gone.into_iter().map(|(end, edge)| (removed(edge, end), Some(end.1))));
    all
}
