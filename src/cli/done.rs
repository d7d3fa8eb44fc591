//! `contextpack ready --done`: what the text of a pull request says of each acceptance criterion.

use super::args::{BudgetArgs, Global, PackArgs};
use super::input;
use super::packs::{OpenedRepository, PackKey};
use super::since::{TRAILER, pack_of_trailer};
use crate::console::{Document, Exit, Failure, Line, line, settled};
use crate::engine::{Built, pack_file_name};
use crate::model::{RepoPath, SourceTree as _, slug};
use crate::redact::Piece;
use crate::review::{Criterion, criteria, is_root_whole, keep_ids, note_done, read};
use crate::store::Folder;
use crate::wire::Pack;
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The most packs that trailers of one text may name.
const MAX_TRAILERS: usize = 50;

pub(crate) fn run(global: &Global, args: &PackArgs, file: &Path) -> Result<Exit, Failure> {
    // Standard input can be read once.
    let text = String::from_utf8_lossy(&input::file_or_stdin(file)?).into_owned();
    settled(|| try_run(global, args, &text))
}

fn try_run(global: &Global, args: &PackArgs, text: &str) -> Result<Exit, Failure> {
    let repository = global.open(None)?;
    let opened = OpenedRepository::new(global, &repository);
    let project = &opened.project;
    let mut packs: BTreeMap<usize, Pack> = BTreeMap::new();
    let named = text.lines().filter_map(|line| line.strip_prefix(TRAILER)?.strip_prefix(':'));
    let mut seen = BTreeSet::new();
    let mut named = named.filter(|value| seen.insert(value.trim()));
    for value in named.by_ref().take(MAX_TRAILERS) {
        let pack = pack_of_trailer(&opened, value.trim())?;
        let found = pack.and_then(|pack| Some((repository.find(project, &PackKey::of(&pack).root?).ok()?, pack)));
        if found.is_none() {
            global.note(&format!("note: no file holds the pack `{}`", project.redacted_line(value.trim())))?;
        }
        packs.extend(found);
    }
    let left_out = named.count();
    if left_out > 0 {
        global.note(&format!("note: {left_out} more packs are named than the {MAX_TRAILERS} that are read"))?;
    }
    let items = match args.roots.is_empty() {
        true => packs.keys().copied().collect(),
        false => opened.find_roots(&args.roots)?,
    };
    if items.is_empty() {
        let message = "the text names no pack that is known: name an item, or add the trailer that `contextpack render ITEM --trailer` prints";
        return Err(Failure::usage(message));
    }
    let profiles: Vec<String> = args.budget.profiles(&repository)?.into_iter().take(1).collect();
    // A pack that was read and not named is the one on disk.
    let folder = Folder::open(repository.root(), &repository.settings().output.dir)?;
    for item in &items {
        let name = pack_file_name(&slug(&project.pack_name(*item)), &profiles[0], None);
        let stored = folder.read(&name)?.and_then(|bytes| read(&bytes).ok());
        if let Some(pack) = stored.filter(|_| !packs.contains_key(item)) {
            packs.insert(*item, project.scrubbed(&pack));
        }
    }
    let budget = BudgetArgs { profiles, ..args.budget.unlimited() };
    let finish = |built: Built| Some((built.plan.root.to_string(), criteria(built.outcome.ok()?.pack())));
    let (built, run) = opened.run(items.clone(), (&args.roots, &budget), &finish)?;
    run.print(global, true)?;
    repository.confirm_settled()?;
    let mut built: BTreeMap<String, Vec<Criterion>> = built.into_iter().flatten().collect();

    let scrubbed = repository.redactor().scrub("", &[Piece { key: "", text, line: 1 }]);
    let clean = project.masked(scrubbed.texts.first().map_or("", |text| text));
    let removed_before = |line: u32| -> u32 {
        let removed = scrubbed.removed_lines.iter().flatten().filter(|removed| removed.line < line);
        removed.map(|removed| removed.lines).sum()
    };
    let has_file = |path: &str| RepoPath::new(path).is_ok_and(|path| repository.files().has(&path));
    let (mut document, mut roots, mut is_done) = (Document::default(), Vec::new(), true);
    for item in items {
        let root = project.item(item).id.to_string();
        let Some(mut now) = built.remove(&root) else { continue };
        let pack = packs.get(&item);
        if let Some(pack) = pack {
            keep_ids(&mut now, criteria(pack), is_root_whole(pack));
        }
        note_done(&mut now, &clean, &has_file);
        now.iter_mut().filter_map(|it| it.line.as_mut()).for_each(|line| *line += removed_before(*line));
        is_done &= now.iter().all(Criterion::is_done);
        let mut below = Document::default();
        below.nested_list(now.iter().map(criterion));
        document.details(verdict(&root, &now), below);
        roots.push(json!({"root": root, "read": pack.map(|pack| &pack.hash), "criteria": now}));
    }
    document.print(global.format, global.verbose, &[], &json!({"roots": roots}))?;
    Ok(run.exit().and(if is_done { Exit::Done } else { Exit::Stale }))
}

fn verdict(root: &str, criteria: &[Criterion]) -> Line {
    let met = criteria.iter().filter(|it| it.status == "met").count();
    let others = criteria.iter().filter(|it| !it.is_done()).map(|it| format!(", {} {}", it.id, it.state()));
    let others: String = others.collect();
    line(&format!("{{}}: {met} of {} acceptance criteria are met{others}", criteria.len()), &[root])
}

fn criterion(it: &Criterion) -> (Line, Document) {
    let at = it.line.map(|line| format!(" in line {line}")).unwrap_or_default();
    let by = it.place.as_ref().map_or("", |_| " by {}");
    let data: Vec<&str> = it.place.iter().chain([&it.text]).map(String::as_str).collect();
    let mut below = Document::default();
    it.was.iter().for_each(|was| below.paragraph(line("when the pack was read: {}", &[was])));
    (line(&format!("{} {}{at}{by}: {{}}", it.id, it.state()), &data), below)
}
