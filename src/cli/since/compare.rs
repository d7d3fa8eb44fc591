//! Compares a pack that was read with what a build gives now.

use super::find::FoundPack;
use crate::cli::rebuild;
use crate::config::Strategy;
use crate::console::Failure;
use crate::engine::{
    BudgetLimits, BudgetProbe, EngineError, Project, Repository, RootError, UNVERIFIABLE, lost_its_issue,
};
use crate::model::{Diagnostic, Severity};
use crate::review::{Difference, InRepo, SalvagedPack, TextMove, content_hash, difference, moves, salvage};
use crate::seal::Sealed;
use crate::wire::{Pack, PackBudget, PackEdge, PackInput, Section};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

/// A pack that was read, compared with a build. All texts are redacted by the rules of today.
pub(super) struct Compared {
    /// `fresh`, `stale`, `edited`, `orphaned`, `unverifiable`, `failed`, `missing` or `invalid`.
    pub(super) status: &'static str,
    /// Why it is not fresh, and what the comparison leaves out.
    pub(super) reasons: Vec<String>,
    /// The pack as it was read.
    pub(super) old: SalvagedPack,
    /// What a build gives now.
    pub(super) new: Option<SalvagedPack>,
    /// What moved, in the order of the new pack.
    pub(super) moves: Vec<Moved>,
    /// The sections whose texts are the same and that the budget shortens at another place.
    pub(super) recut: BTreeSet<String>,
    /// The sections whose changes others say.
    pub(super) told: BTreeSet<String>,
    /// Whether the file is no whole pack.
    pub(super) is_damaged: bool,
    /// What is wrong with the inputs of what a build gives now.
    pub(super) diagnostics: Vec<Diagnostic>,
}

/// A part of a section that moved.
pub(super) struct Moved {
    /// The section's id.
    pub(super) section: String,
    /// Where its text can be read; empty for the root itself.
    pub(super) place: String,
    pub(super) text: TextMove,
    /// Whether it is a relation that is gone, and the item is still there.
    pub(super) is_there: bool,
}

/// What the comparisons of a run share.
pub(super) struct Comparer<'a> {
    pub(super) repository: &'a Repository,
    pub(super) project: &'a Project<'a>,
}

impl<'a> Comparer<'a> {
    pub(super) fn new(repository: &'a Repository, project: &'a Project<'a>) -> Self {
        Self { repository, project }
    }

    /// Removes secrets from a text.
    pub(super) fn clean(&self, text: &str) -> String {
        self.project.without_secrets(text)
    }

    /// Compares a pack with what a build gives for its root, profile, agent, policy and limits.
    ///
    /// # Errors
    /// If the repo cannot be built at all.
    pub(super) fn compare(&self, found: &FoundPack) -> Result<Compared, Failure> {
        let old = salvage(&found.bytes);
        let mut compared = Compared {
            // What is no pack was not edited either.
            status: if old.pack.is_some() { "edited" } else { "invalid" },
            reasons: old.faults.iter().map(|fault| self.clean(fault)).collect(),
            is_damaged: old.pack.is_none() || old.truncated || old.is_unmerged,
            old: SalvagedPack { pack: old.pack.as_ref().map(|pack| self.project.scrubbed(pack)), ..old.clone() },
            new: None,
            moves: Vec::new(),
            recut: BTreeSet::new(),
            told: BTreeSet::new(),
            diagnostics: Vec::new(),
        };
        compared.old.faults.clone_from(&compared.reasons);
        let Some(pack) = &old.pack else { return Ok(compared) };
        let (root, renamed) = match self.root(pack)? {
            Ok(found) => found,
            Err((status, why)) => {
                compared.status = status;
                compared.reasons.push(self.clean(&why));
                return Ok(compared);
            }
        };
        compared.reasons.extend(renamed.map(|note| self.clean(&note)));
        let built = match rebuild::probe(self.repository, self.project, pack, &root) {
            Ok((probe, limits)) => self.within(&probe, limits, &pack.budget)?,
            // Its profile, agent, job or handover is gone.
            Err(Failure::Usage(why) | Failure::Input(why)) => {
                compared.status = "orphaned";
                compared.reasons.push(self.clean(&why));
                return Ok(compared);
            }
            Err(failure) => return Err(failure),
        };
        let (sealed, is_other, diagnostics) = built;
        compared.diagnostics = diagnostics;
        match sealed {
            None => {
                compared.status = "failed";
                let faults = compared.diagnostics.iter().filter(|fault| fault.severity == Severity::Error);
                compared.reasons.extend(faults.map(|fault| fault.message.clone()));
            }
            Some(sealed) => {
                if is_other {
                    compared
                        .reasons
                        .push("its limits are not the configured ones, and it is compared within its own".to_owned());
                }
                self.judge(&mut compared, found, &sealed);
            }
        }
        Ok(compared)
    }

    /// Says how a pack differs from its build.
    fn judge(&self, compared: &mut Compared, found: &FoundPack, sealed: &Sealed) {
        let is_same = sealed.is_unchanged(&found.bytes)
            || content_hash(&found.bytes).is_some_and(|digest| digest.to_string() == sealed.pack().hash);
        let clean = |reasons: Vec<String>| reasons.into_iter().map(|reason| self.clean(&reason));
        compared.status = if is_same {
            "fresh"
        } else if lost_its_issue(&found.bytes, sealed.pack()) {
            compared.reasons.push("its issue is not in the snapshot: run `contextpack sync`".to_owned());
            UNVERIFIABLE
        } else if compared.old.faults.is_empty() {
            match difference(&found.bytes, sealed.pack(), &|name| self.project.has(name)) {
                Difference::Stale(reasons) => {
                    compared.reasons.extend(clean(reasons));
                    "stale"
                }
                Difference::Edited(reasons) => {
                    compared.reasons.extend(clean(reasons));
                    "edited"
                }
            }
        } else if compared.is_damaged
            || compared.old.pack.as_ref().is_some_and(|old| old.schema_version == sealed.pack().schema_version)
        {
            "edited"
        } else {
            // Of another version: only what both know is compared.
            "stale"
        };
        let new = SalvagedPack { pack: Some(self.project.scrubbed(sealed.pack())), ..SalvagedPack::default() };
        if !is_same && let (Some(old), Some(new)) = (&compared.old.pack, &new.pack) {
            (compared.moves, compared.told) = moved(old, new, compared.is_damaged, &|name| self.project.has(name));
            compared.recut = recut(old, new);
        }
        compared.new = Some(new);
    }

    /// Returns the root of a pack as it is named now, with a note if it has another name; else the status and the reason.
    #[expect(clippy::type_complexity, reason = "the two outcomes of one look-up")]
    fn root(&self, pack: &Pack) -> Result<Result<(String, Option<String>), (&'static str, String)>, Failure> {
        let name = rebuild::root(pack);
        if name.is_empty() {
            return Ok(Ok((String::new(), None)));
        }
        let found = |typed: &str| self.repository.find_roots(self.project, &[typed.to_owned()]);
        let error = match found(name) {
            Ok(_) => return Ok(Ok((name.to_owned(), None))),
            Err(EngineError::Root(error)) => error,
            Err(error) => return Err(error.into()),
        };
        // An item that has another id now is in the same file, or claims the same issue.
        let is_root = |kind: &str, id: Option<&str>| kind == "work_item" && id == Some(name);
        let files = pack.inputs.iter().filter(|input| is_root(&input.kind, input.id.as_deref()));
        let paths = files.filter_map(|input| input.path.as_deref());
        for other in paths.chain(pack.root.issue_url.as_deref().filter(|url| *url != name)) {
            if let Ok(items) = found(other)
                && let [item] = items[..]
            {
                let id = self.project.corpus().entries[item].item.id.to_string();
                let note = format!("`{name}` is `{id}` now");
                return Ok(Ok((id, Some(note))));
            }
        }
        Ok(Err(match error {
            RootError::Issue(_) => (UNVERIFIABLE, error.to_string()),
            // A similar id is no help to who did not type this one.
            RootError::Unknown { .. } => ("orphaned", format!("there is no item `{name}` any more")),
            error => ("orphaned", error.to_string()),
        }))
    }

    /// Builds within the limits of an older pack, and returns whether such packs have others now, and what is wrong with the
    /// inputs.
    fn within(
        &self,
        probe: &BudgetProbe<'_, '_>,
        limits: BudgetLimits,
        budget: &PackBudget,
    ) -> Result<(Option<Sealed>, bool, Vec<Diagnostic>), Failure> {
        fn of(budget: &PackBudget) -> (Option<u64>, Option<u64>, Option<u64>, Option<u64>, &str) {
            (budget.max_chars, budget.max_bytes, budget.max_tokens, budget.margin, &budget.strategy)
        }
        let (sealed, report) = probe.report(self.repository.files(), limits)?;
        let has_limit = budget.max_chars.or(budget.max_bytes).or(budget.max_tokens).is_some();
        // A pack of which no limit could be read has those of today.
        if !has_limit || sealed.as_ref().is_some_and(|sealed| of(&sealed.pack().budget) == of(budget)) {
            return Ok((sealed, false, report.diagnostics));
        }
        let strategies = [Strategy::TruncateTail, Strategy::DropLowPriority, Strategy::Both];
        let own = BudgetLimits {
            max_chars: budget.max_chars,
            max_bytes: budget.max_bytes,
            max_tokens: budget.max_tokens,
            strategy: strategies.into_iter().find(|strategy| strategy.name() == budget.strategy),
            margin: budget.margin.and_then(|margin| u8::try_from(margin).ok()).filter(|margin| *margin <= 90),
        };
        let (sealed, report) = probe.report(self.repository.files(), own)?;
        Ok((sealed, true, report.diagnostics))
    }
}

/// Returns the sections of both packs of which at least one is shortened and whose sources have the same digest.
fn recut(old: &Pack, new: &Pack) -> BTreeSet<String> {
    let digest = |pack: &Pack, section: &Section| {
        let source = &section.source;
        let is_source = |input: &&PackInput| {
            input.kind == source.kind && input.id == source.id && input.path == source.path && input.url == source.url
        };
        pack.inputs.iter().find(is_source).and_then(|input| input.digest.clone())
    };
    let before: BTreeMap<&str, &Section> = old.sections.iter().map(|section| (&*section.id, section)).collect();
    let is_recut = |section: &&Section| {
        before.get(&*section.id).is_some_and(|was| {
            let is_shortened = [*was, *section].iter().any(|it| it.metadata.detail != "full");
            let now = digest(new, section);
            is_shortened && now.is_some() && now == digest(old, was)
        })
    };
    new.sections.iter().filter(is_recut).map(|section| section.id.clone()).collect()
}

/// Returns whether the fields of the root differ in its id, its title, its status and its relations alone, which other sections say.
fn repeats_fields(old: &Pack, new: &Pack) -> bool {
    let section = |pack: &'_ Pack, kind: &str| pack.sections.iter().find(|section| section.kind == kind).cloned();
    let fields = |pack: &Pack| section(pack, "work_item_json").and_then(|it| serde_json::from_str(&it.content).ok());
    let (Some(before), Some(after)): (Option<Map<String, Value>>, Option<_>) = (fields(old), fields(new)) else {
        return false;
    };
    let ends = |pack: &Pack| -> BTreeSet<String> {
        let edges = section(pack, "edge_list").and_then(|list| list.metadata.edges);
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
fn moved(old: &Pack, new: &Pack, is_damaged: bool, in_repo: &InRepo<'_>) -> (Vec<Moved>, BTreeSet<String>) {
    let before: BTreeMap<&str, &Section> = old.sections.iter().map(|section| (&*section.id, section)).collect();
    let (mut all, mut repeated) = (Vec::new(), BTreeSet::new());
    for section in &new.sections {
        let Some(was) = before.get(&*section.id) else { continue };
        let is_root = section.id == "root.issue";
        let place = match &section.source.path {
            _ if is_root || section.kind == "edge_list" => String::new(),
            Some(path) => path.clone(),
            None => crate::render::place(&section.source),
        };
        let mut add = |text, is_there| {
            all.push(Moved { section: section.id.clone(), place: place.clone(), text, is_there });
        };
        if section.kind == "edge_list" {
            edges([old, new], was, section).into_iter().for_each(|(text, to)| add(text, to.is_some_and(in_repo)));
            continue;
        }
        // The text of the root says what its fields repeat.
        if section.kind == "work_item_json" {
            repeated.extend(repeats_fields(old, new).then(|| section.id.clone()));
            continue;
        }
        let mut add = |text| add(text, false);
        // The edge list says it of a neighbour.
        let is_neighbour = section.metadata.relation.is_some() && was.metadata.state != section.metadata.state;
        let told = |text: &TextMove| !(is_neighbour && text.what == STATUS);
        let fields = fields(was, section);
        // The text of a decision repeats its status, and so does its title.
        let status = fields.iter().find(|field| field.what == STATUS).and_then(|field| field.new.clone());
        let renamed = [Some(was.title.clone()), Some(section.title.clone())];
        let lines = [old, new].map(|pack| Some(root_line(pack)));
        let repeats = |text: &TextMove| {
            let pair = [text.old.clone(), text.new.clone()];
            status.is_some() && text.new == status || text.change == "changed" && (pair == renamed || pair == lines)
        };
        let told =
            |text: &TextMove| told(text) && !(text.what == TITLE && status.is_some() && section.kind == "adr_excerpt");
        fields.into_iter().filter(told).for_each(&mut add);
        // A shortened text lacks what the budget cut, which nobody removed.
        let is_whole = |section: &Section| section.metadata.detail == "full";
        let is_text = !matches!(&*section.kind, "instructions" | "card");
        if is_text && is_whole(was) && is_whole(section) {
            let texts = moves(&was.content, &section.content);
            if !texts.is_empty() && texts.iter().all(repeats) {
                repeated.insert(section.id.clone());
            }
            texts.into_iter().filter(|text| !repeats(text)).for_each(add);
        }
    }
    // What a damaged pack lacks may have been lost.
    if is_damaged {
        all.retain(|moved| moved.text.change != "added");
    }
    (all, repeated)
}

/// The name of a section's title.
const TITLE: &str = "the title";

/// The name of a section's status.
const STATUS: &str = "the status";

/// Names the target of a relation.
fn neighbour(relation: &str, to: &str) -> String {
    let noun = match relation {
        "depends_on" => "dependency",
        "blocked_by" => "blocker",
        "blocks" => "blocked item",
        "related" => "related item",
        relation => relation,
    };
    format!("the {noun} `{to}`")
}

fn change(change: &str, what: &str, old: Option<&str>, new: Option<&str>) -> TextMove {
    let own = |text: Option<&str>| text.map(str::to_owned);
    TextMove { change: change.to_owned(), what: what.to_owned(), old: own(old), new: own(new), words: Vec::new() }
}

/// Returns the title, the status and the state that changed.
fn fields(old: &Section, new: &Section) -> Vec<TextMove> {
    let (was, is) = (&old.metadata, &new.metadata);
    let status = |section: &Section| section.metadata.status.clone().or_else(|| section.metadata.state.clone());
    let named = [
        (TITLE, Some(old.title.clone()), Some(new.title.clone())),
        (STATUS, status(old), status(new)),
        ("the trust", was.trust.clone(), is.trust.clone()),
    ];
    let differing = named.into_iter().filter(|(_, old, new)| old != new && old.is_some());
    differing.map(|(what, old, new)| change("changed", what, old.as_deref(), new.as_deref())).collect()
}

/// Returns the line about the root in the lists of its neighbours.
fn root_line(pack: &Pack) -> String {
    let root = pack.sections.iter().find(|section| section.id == "root.issue");
    let state = root.and_then(|root| root.metadata.state.as_deref()).unwrap_or_default();
    format!("{} \"{}\": {state}", pack.root.work_item_id.as_deref().unwrap_or_default(), pack.root.title)
}

/// Returns the neighbours that are new or gone, those whose id changed, and those whose state did; of one that is gone also its id.
fn edges<'a>(packs: [&Pack; 2], old: &'a Section, new: &Section) -> Vec<(TextMove, Option<&'a str>)> {
    fn by_end(section: &Section) -> BTreeMap<(&str, &str), &PackEdge> {
        let edges = section.metadata.edges.iter().flatten();
        edges.map(|edge| ((edge.relation.as_str(), edge.to.as_str()), edge)).collect()
    }
    let (before, after) = (by_end(old), by_end(new));
    let name = |(relation, to): &(&str, &str)| neighbour(relation, to);
    // A file with several items says nothing of one of them.
    let file = |pack: &Pack, id: &str| {
        let mut items = pack.inputs.iter().filter(|input| input.kind == "work_item");
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
            all.push(change("changed", &format!("the id of {}", name(end)), Some(old.1), Some(end.1)));
            Some(was)
        });
        match was {
            None => all.push(change("added", &name(end), None, Some(&edge.title))),
            Some(old) if old.state != edge.state => {
                let what = format!("the state of {}", name(end));
                all.push(change("changed", &what, Some(&old.state), Some(&edge.state)));
            }
            Some(_) => {}
        }
    }
    let mut all: Vec<_> = all.into_iter().map(|text| (text, None)).collect();
    let removed = |edge: &PackEdge, end| change("removed", &name(end), Some(&edge.title), None);
    all.extend(gone.into_iter().map(|(end, edge)| (removed(edge, end), Some(end.1))));
    all
}
