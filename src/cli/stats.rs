//! `contextpack stats`: what feeds the packs of all roots, what no pack holds, which budgets cut most, and what agents read.

use super::args::{Global, PackArgs};
use super::delivery::{self, DeliveryLine};
use super::packs::{OpenedRepository, PackKey};
use crate::console::Column::{Left, Right};
use crate::console::report::visible;
use crate::console::{self, Document, Exit, Failure, counted, line, no_roots};
use crate::engine::{Built, Repository, count_tokens};
use crate::handoff::cards::CardStore;
use crate::review::{Stats, StatsCollector, UnusedText, read};
use serde::Serialize;
use serde_json::json;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;

#[derive(Debug, Default, Serialize)]
struct Deliveries {
    count: usize,
    packs: usize,
    lost: usize,
    unreadable: usize,
    roots: Vec<DeliveredRoot>,
}

#[derive(Debug, Default, Serialize)]
struct DeliveredRoot {
    root: Option<String>,
    agent: Option<String>,
    count: usize,
    last: String,
}

pub(crate) fn run(global: &Global, args: &PackArgs) -> Result<Exit, Failure> {
    let repository = global.open(None)?;
    let opened = OpenedRepository::new(global, &repository);
    let project = &opened.project;
    let items = opened.find_roots(&args.roots)?;
    let pack_of = |built: Built| {
        let key = (built.plan.root.to_string(), built.plan.profile);
        Some((key, built.outcome.ok()?.pack().clone()))
    };
    let (built, run) = opened.run(items.clone(), (&args.roots, &args.budget), &pack_of)?;
    let built: BTreeMap<_, _> = built.into_iter().flatten().collect();
    let mut figures = StatsCollector::default();
    built.values().for_each(|pack| figures.add(pack, count_tokens));
    // What a pack would hold that its budget prevents is built without limits.
    let profiles = args.budget.profiles(&repository)?;
    let id = |item: usize| project.item(item).id.to_string();
    let is_failed = |item: &usize| profiles.iter().any(|name| !built.contains_key(&(id(*item), name.clone())));
    let failed: Vec<usize> = items.iter().copied().filter(is_failed).collect();
    if !failed.is_empty() {
        let unlimited = args.budget.unlimited();
        let (whole, _) = opened.run(failed.clone(), (&args.roots, &unlimited), &pack_of)?;
        let whole: BTreeMap<_, _> = whole.into_iter().flatten().collect();
        for key in failed.into_iter().flat_map(|item| profiles.iter().map(move |name| (id(item), name.clone()))) {
            if !built.contains_key(&key) {
                figures.add_failed(&key.0, whole.get(&key));
            }
        }
    }
    let named = (!args.roots.is_empty()).then(|| items.iter().map(|item| id(*item)).collect());
    let deliveries = deliveries(&opened, &mut figures, named.as_ref())?;
    for fault in add_deliverables(&repository, &mut figures)? {
        global.note(&format!("warning: {}", project.redacted_line(&fault)))?;
    }
    // What some roots do not use, others may.
    let stats = figures.finish(if args.roots.is_empty() { project.known_texts() } else { Vec::new() });
    repository.confirm_settled()?;
    let document = document(&stats, &deliveries);
    let mut output = json!(stats);
    output["deliveries"] = json!(deliveries);
    output["diagnostics"] = json!(console::diagnostics(&run.diagnostics));
    document.print(global.format, global.verbose, &visible(&run.diagnostics, true), &output)?;
    if built.is_empty() && !run.blocked {
        global.note(no_roots(&repository))?;
    }
    Ok(run.exit())
}

/// Reads the record of deliveries, and adds the packs that it names; with `roots` those of these alone.
fn deliveries(
    OpenedRepository { repository, project, .. }: &OpenedRepository<'_>,
    figures: &mut StatsCollector,
    roots: Option<&BTreeSet<String>>,
) -> Result<Deliveries, Failure> {
    let Some(mut log) = delivery::log(repository)? else { return Ok(Deliveries::default()) };
    if let Some(named) = roots {
        log.lines.retain(|line| line.key.root.as_ref().is_some_and(|root| named.contains(root)));
    }
    let mut found = Deliveries { count: log.lines.len(), unreadable: log.unreadable, ..Deliveries::default() };
    let mut by_root = BTreeMap::<(Option<String>, Option<String>), DeliveredRoot>::new();
    let mut times = BTreeMap::<String, usize>::new();
    let clean = |text: String| project.redacted_line(&text);
    for DeliveryLine { at, key: PackKey { agent, root, .. }, hash, .. } in log.lines {
        let (root, agent, at) = (root.map(clean), agent.map(clean), clean(at));
        let of_root = by_root.entry((root.clone(), agent.clone())).or_default();
        let last = if of_root.last < at { at } else { std::mem::take(&mut of_root.last) };
        *of_root = DeliveredRoot { root, agent, count: of_root.count + 1, last };
        *times.entry(hash).or_default() += 1;
    }
    found.packs = times.len();
    for (hash, times) in times {
        let hex = hash.strip_prefix("sha256:").unwrap_or_default();
        let is_hex = hex.len() == 64 && hex.bytes().all(|byte| byte.is_ascii_hexdigit());
        let bytes = if is_hex { log.folder.read(&format!("{hex}.json"))? } else { None };
        match bytes.and_then(|bytes| read(&bytes).ok()) {
            // A file may hold what the rules of today remove.
            Some(pack) => figures.add_delivered(&project.scrubbed(&pack), times),
            None => found.lost += 1,
        }
    }
    found.roots = by_root.into_values().collect();
    found.roots.sort_by_key(|it| (Reverse(it.count), it.root.clone(), it.agent.clone()));
    Ok(found)
}

/// Adds what agents left in their logs as deliverables, and returns what is wrong with those that cannot be read.
fn add_deliverables(repository: &Repository, figures: &mut StatsCollector) -> Result<Vec<String>, Failure> {
    let store = CardStore::new(repository.root(), repository.settings().handover.dir.clone());
    let (mut ids, mut faults) = (BTreeSet::new(), Vec::new());
    for log in store.log_names()? {
        let content = store.existing_box(&log).map_err(|error| faults.push(error.to_string()));
        ids.extend(content.into_iter().flat_map(|content| content.card_ids));
    }
    for id in ids {
        match store.card(&id) {
            Ok(Ok(card)) if card.kind == "task.deliverable" => {
                figures.add_deliverable(&json!(card.content).to_string())
            }
            Ok(_) => {}
            Err(error) => faults.push(error.to_string()),
        }
    }
    Ok(faults)
}

fn document(stats: &Stats, deliveries: &Deliveries) -> Document {
    let cells = |cells: &[&dyn Display]| cells.iter().map(|cell| line("{}", &[&cell.to_string()])).collect::<Vec<_>>();
    let all: u64 = stats.groups.iter().map(|group| group.tokens).sum();
    let mut document = Document::default();
    let share = |tokens: u64| format!("{} %", (tokens * 100 + all / 2) / all.max(1));
    let (packs, tokens) = (counted(stats.packs, "pack"), counted(all, "token"));
    let shared = share(stats.shared_tokens);
    document.paragraph(format!("{packs}, {tokens} in their texts, {shared} in what all packs of a profile begin with"));
    let columns = [Right("TOKENS"), Right("SHARE"), Right("SECTIONS"), Right("PACKS"), Left("GROUP")];
    let rows = stats
        .groups
        .iter()
        .map(|group| cells(&[&group.tokens, &share(group.tokens), &group.sections, &group.packs, &group.group]));
    document.table(&columns, rows);
    let [packs, whole, shortened, left_out, delivered, cited, tokens] =
        ["PACKS", "WHOLE", "SHORTENED", "LEFT OUT", "DELIVERED", "CITED", "TOKENS"].map(Right);
    let columns = [packs, whole, shortened, left_out, delivered, cited, tokens, Left("KIND"), Left("TEXT")];
    let rows = stats.texts.iter().map(|it| {
        let (held, lacking) = (&it.packs, &it.left_out);
        cells(&[held, &it.whole, &it.shortened, lacking, &it.delivered, &it.cited, &it.tokens, &it.kind, &it.name])
    });
    document.table(&columns, rows);
    for (heading, texts) in [("IN NO PACK", &stats.unused), ("UNKNOWN: IN NO PACK THAT CAN BE BUILT", &stats.unknown)] {
        let rows = texts.iter().map(|UnusedText { path, kind, reason }| {
            let reason = reason.as_ref().map(|reason| format!(" ({reason})")).unwrap_or_default();
            cells(&[kind, &format!("{path}{reason}")])
        });
        document.table(&[Left("KIND"), Left(heading)], rows);
    }
    let (limit, profile, budget) = (Left("LIMIT"), Left("PROFILE"), Left("BUDGET THAT CUTS"));
    let columns = [Right("CHARS CUT"), left_out, shortened, limit, profile, budget];
    let rows = stats
        .budgets
        .iter()
        .map(|it| cells(&[&it.cut_chars, &it.left_out, &it.shortened, &it.limits.join(", "), &it.profile, &it.root]));
    document.table(&columns, rows);
    let ends = stats.budgets.iter().flat_map(|it| it.cut_ends.iter().map(move |text| (it, text)));
    let rows = ends.map(|(it, text)| cells(&[&it.profile, &it.root, text]));
    document.table(&[profile, Left("PACK"), Left("LACKS THE END OF")], rows);
    let rows = stats.redaction_rules.iter().map(|rule| cells(&[&rule.count, &rule.packs, &rule.rule]));
    document.table(&[Right("REMOVALS"), packs, Left("REDACTION RULE")], rows);
    let rows = deliveries.roots.iter().map(|it| {
        let (agent, root) = (it.agent.as_deref().unwrap_or("none"), it.root.as_deref().unwrap_or("start of a session"));
        cells(&[&it.count, &it.last, &agent, &root])
    });
    document.table(&[delivered, Left("LAST"), Left("AGENT"), Left("ITEM")], rows);
    notes(stats, deliveries, &mut document);
    document
}

fn notes(stats: &Stats, deliveries: &Deliveries, document: &mut Document) {
    if let [first, more @ ..] = &stats.failed[..] {
        let more = if more.is_empty() { String::new() } else { format!(" and {}", counted(more.len(), "other item")) };
        document.paragraph(line("", &[]));
        document.paragraph(format!("packs of `{first}`{more} cannot be built: what they hold is not counted"));
    }
    if deliveries.lost > 0 {
        let gone = counted(deliveries.lost, "delivered pack");
        document.paragraph(format!("{gone} cannot be read any more: what was in them is not counted"));
    }
    if deliveries.unreadable > 0 {
        document.paragraph(format!("{} of the record cannot be read", counted(deliveries.unreadable, "line")));
    }
}
