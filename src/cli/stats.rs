//! `contextpack stats`: what feeds the packs of all roots, what no pack holds, which budgets cut most, and what agents read.

use super::args::{Global, PackArgs};
use super::delivery::{self, DeliveryLine};
use super::packs::{self, no_roots};
use super::workspace::open;
use crate::console::Exit;
use crate::console::Failure;
use crate::console::Format;
use crate::console::report::{Report, ReportLine, visible};
use crate::console::{self, counted, printable};
use crate::engine::{Built, Project, Repository, count_tokens};
use crate::review::{Stats, StatsCollector, UnusedText, read};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;
use unicode_width::UnicodeWidthStr as _;

/// The most rows of a table; `-v` shows all.
const MOST: usize = 20;

/// What `stats` prints.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct StatsOutput {
    #[serde(flatten)]
    stats: Stats,
    /// What was delivered with `--record`.
    deliveries: Deliveries,
    /// What is wrong with the input.
    diagnostics: Vec<crate::console::OutputDiagnostic>,
}

/// What was delivered to agents, by `delivered.jsonl`.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub(crate) struct Deliveries {
    /// The number of deliveries.
    count: usize,
    /// The number of different packs.
    packs: usize,
    /// The number of these whose files are gone, so that nothing says what was in them.
    lost: usize,
    /// The lines of the record that cannot be read.
    unreadable: usize,
    /// How often each root was delivered, the most often first.
    roots: Vec<DeliveredRoot>,
}

/// How often the packs of a root were delivered.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub(crate) struct DeliveredRoot {
    /// The root's id; absent for the start of an agent's session.
    root: Option<String>,
    /// The agent's key.
    agent: Option<String>,
    /// How often.
    count: usize,
    /// When last.
    last: String,
}

/// Prints figures over the packs of all roots, or of those that are named.
pub(crate) fn run(global: &Global, args: &PackArgs) -> Result<Exit, Failure> {
    let repository = open(global, &[], None)?;
    let project = repository.project();
    let items = repository.find_roots(&project, &args.roots)?;
    let pack_of = |built: Built| {
        let key = (built.plan.root.to_string(), built.plan.profile);
        Some((key, built.outcome.ok()?.pack().clone()))
    };
    let (built, run) = packs::run(global, &repository, &project, items.clone(), (&args.roots, &args.budget), &pack_of)?;
    let built: BTreeMap<_, _> = built.into_iter().flatten().collect();
    let mut figures = StatsCollector::new(&count_tokens);
    built.values().for_each(|pack| figures.add(pack));
    // What a pack would hold that its budget prevents is built without limits.
    let profiles = args.budget.profiles(&repository)?;
    let id = |item: usize| project.corpus().entries[item].item.id.to_string();
    let is_failed = |item: &usize| profiles.iter().any(|name| !built.contains_key(&(id(*item), name.clone())));
    let failed: Vec<usize> = items.iter().copied().filter(is_failed).collect();
    if !failed.is_empty() {
        let unlimited = args.budget.unlimited();
        let (whole, _) =
            packs::run(global, &repository, &project, failed.clone(), (&args.roots, &unlimited), &pack_of)?;
        let whole: BTreeMap<_, _> = whole.into_iter().flatten().collect();
        for key in failed.into_iter().flat_map(|item| profiles.iter().map(move |name| (id(item), name.clone()))) {
            if !built.contains_key(&key) {
                figures.add_failed(&key.0, whole.get(&key));
            }
        }
    }
    let named = (!args.roots.is_empty()).then(|| items.iter().map(|item| id(*item)).collect());
    let deliveries = deliveries(&repository, &project, &mut figures, named.as_ref())?;
    // What some roots do not use, others may.
    let stats = figures.finish(if args.roots.is_empty() { project.known_texts() } else { Vec::new() });
    repository.confirm_settled()?;
    let lines = if global.format == Format::Json { Vec::new() } else { text(&stats, &deliveries, global.verbose) };
    let report = Report {
        diagnostics: visible(&run.diagnostics, true),
        lines: lines.into_iter().map(ReportLine::Row).collect(),
    };
    report.print(global.format, global.verbose, || StatsOutput {
        stats,
        deliveries,
        diagnostics: crate::console::diagnostics(&run.diagnostics),
    })?;
    if built.is_empty() && !run.blocked && !global.quiet {
        writeln!(console::stderr(), "{}", no_roots(&repository))?;
    }
    Ok(run.exit())
}

/// Reads the record of deliveries, and adds the packs that it names; with `roots` those of these alone.
fn deliveries(
    repository: &Repository,
    project: &Project<'_>,
    figures: &mut StatsCollector<'_>,
    roots: Option<&BTreeSet<String>>,
) -> Result<Deliveries, Failure> {
    let Some(mut log) = delivery::log(repository)? else { return Ok(Deliveries::default()) };
    if let Some(named) = roots {
        log.lines.retain(|line| line.root.as_ref().is_some_and(|root| named.contains(root)));
    }
    let mut found = Deliveries { count: log.lines.len(), unreadable: log.unreadable, ..Deliveries::default() };
    let mut by_root = BTreeMap::<(Option<String>, Option<String>), DeliveredRoot>::new();
    let mut times = BTreeMap::<String, usize>::new();
    let clean = |text: String| project.without_secrets(&text);
    for DeliveryLine { at, agent, root, hash, .. } in log.lines {
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
    found.roots.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| (&a.root, &a.agent).cmp(&(&b.root, &b.agent))));
    Ok(found)
}

/// A table of figures, whose last columns are texts.
struct Table {
    rows: Vec<Vec<String>>,
    /// The number of columns with texts.
    texts: usize,
}

impl Table {
    fn new(head: &[&str], texts: usize) -> Self {
        Self { rows: vec![head.iter().map(|&cell| cell.to_owned()).collect()], texts }
    }

    fn row(&mut self, cells: &[&dyn std::fmt::Display]) {
        self.rows.push(cells.iter().map(|cell| printable(&cell.to_string()).into_owned()).collect());
    }

    /// Returns the lines after an empty one; of rows over the most only their number, and nothing of a table without rows.
    fn lines(self, most: usize) -> Vec<String> {
        let (columns, count) = (self.rows.first().map_or(0, Vec::len), self.rows.len());
        if count < 2 {
            return Vec::new();
        }
        let rows: Vec<Vec<String>> = self.rows.into_iter().take(most.saturating_add(1)).collect();
        let width = |column: usize| rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.width()).max();
        let widths: Vec<usize> = (0..columns).map(|column| width(column).unwrap_or_default()).collect();
        let line = |row: &Vec<String>| {
            let cell = |(at, cell): (usize, &String)| {
                let gap = " ".repeat(widths.get(at).copied().unwrap_or_default().saturating_sub(cell.width()));
                if at + self.texts >= columns { format!("{cell}{gap}") } else { format!("{gap}{cell}") }
            };
            row.iter().enumerate().map(cell).collect::<Vec<_>>().join("  ").trim_end().to_owned()
        };
        let mut lines = vec![String::new()];
        lines.extend(rows.iter().map(line));
        if count > rows.len() {
            lines.push(format!("{} more: `-v` shows all", count - rows.len()));
        }
        lines
    }
}

/// Returns the figures as tables.
fn text(stats: &Stats, deliveries: &Deliveries, whole: bool) -> Vec<String> {
    let most = if whole { usize::MAX - 1 } else { MOST };
    let all: u64 = stats.groups.iter().map(|group| group.tokens).sum();
    let mut groups = Table::new(&["TOKENS", "SHARE", "SECTIONS", "PACKS", "GROUP"], 1);
    for group in &stats.groups {
        let share = format!("{} %", (group.tokens * 100 + all / 2) / all.max(1));
        groups.row(&[&group.tokens, &share, &group.sections, &group.packs, &group.group]);
    }
    let mut texts = Table::new(&["PACKS", "WHOLE", "SHORTENED", "LEFT OUT", "DELIVERED", "TOKENS", "KIND", "TEXT"], 2);
    for text in &stats.texts {
        let (packs, whole, shortened) = (&text.packs, &text.whole, &text.shortened);
        texts.row(&[packs, whole, shortened, &text.left_out, &text.delivered, &text.tokens, &text.kind, &text.name]);
    }
    let listed = |heading: &str, texts: &[UnusedText]| {
        let mut table = Table::new(&["KIND", heading], 2);
        for UnusedText { path, kind, reason } in texts {
            let reason = reason.as_ref().map(|reason| format!(" ({reason})")).unwrap_or_default();
            table.row(&[kind, &format!("{path}{reason}")]);
        }
        table
    };
    let unused = listed("IN NO PACK", &stats.unused);
    let unknown = listed("UNKNOWN: IN NO PACK THAT CAN BE BUILT", &stats.unknown);
    let mut budgets = Table::new(&["CHARS CUT", "LEFT OUT", "SHORTENED", "LIMIT", "PROFILE", "BUDGET THAT CUTS"], 3);
    for pack in &stats.budgets {
        let limits = pack.limits.join(", ");
        budgets.row(&[&pack.cut_chars, &pack.left_out, &pack.shortened, &limits, &pack.profile, &pack.root]);
    }
    let mut rules = Table::new(&["REMOVALS", "PACKS", "REDACTION RULE"], 1);
    stats.redaction_rules.iter().for_each(|rule| rules.row(&[&rule.count, &rule.packs, &rule.rule]));
    let mut delivered = Table::new(&["DELIVERED", "LAST", "AGENT", "ROOT"], 3);
    for of_root in &deliveries.roots {
        let root = of_root.root.as_deref().unwrap_or("start of a session");
        delivered.row(&[&of_root.count, &of_root.last, &of_root.agent.as_deref().unwrap_or("none"), &root]);
    }
    let mut lines = vec![format!("{}, {} in their texts", counted(stats.packs, "pack"), counted(all, "token"))];
    lines.extend(
        [groups, texts, unused, unknown, budgets, rules, delivered].into_iter().flat_map(|table| table.lines(most)),
    );
    if let [first, more @ ..] = &stats.failed[..] {
        let more = if more.is_empty() { String::new() } else { format!(" and {}", counted(more.len(), "other root")) };
        let first = printable(first);
        lines.push(String::new());
        lines.push(format!("packs of `{first}`{more} cannot be built: what they hold is not counted"));
    }
    let gone = counted(deliveries.lost, "delivered pack");
    let unread = counted(deliveries.unreadable, "line");
    if deliveries.lost > 0 {
        lines.push(format!("{gone} cannot be read any more: what was in them is not counted"));
    }
    if deliveries.unreadable > 0 {
        lines.push(format!("{unread} of the record cannot be read"));
    }
    lines
}
