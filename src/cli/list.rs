//! `contextpack list`.

use super::args::{BudgetArgs, Global, ListArgs};
use super::packs::{self, BuildRun, OpenedRepository, checked_pack};
use crate::console::report::folded_to;
use crate::console::{self, Column, Document, Exit, Failure, Format, Line, counted, line};
use crate::engine::{PackState, Project, RootSummary, check_packs};
use crate::model::{Code, Diagnostic, Relation, Severity, Shard};
use crate::review::PackStatus;
use crate::store::{Access, Folder};
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::Write as _;
use std::num::NonZeroU32;

/// Lists the roots with the state of their packs. Packs that have a file are built in memory to compare them.
pub(crate) fn run(global: &Global, args: &ListArgs) -> Result<Exit, Failure> {
    let repository = global.open(Some(Access::Read))?;
    let opened = OpenedRepository::new(global, &repository);
    let project = &opened.project;
    let mut items = project.roots();
    let all = items.len();
    if !args.states.is_empty() {
        items.retain(|item| args.states.contains(&project.state(*item)));
    }
    if let Some(name) = &args.agent {
        let agent = project.find_agent(name)?;
        items.retain(|item| project.assigned(*item).iter().any(|(found, _)| *found == agent));
    }
    if let Some(shards) = args.matrix.and_then(NonZeroU32::new) {
        repository.confirm_all_read(project)?;
        return matrix(project, &items, shards);
    }
    let folder = Folder::open(repository.root(), &repository.settings().output.dir)?;
    let folder = Some(&folder).filter(|_| repository.settings().commits_packs());
    let job = opened.job(items.clone(), &[], &BudgetArgs::default())?;
    let bar = packs::progress(global, job.roots.len() * job.profiles.len());
    // A pack without a file is missing or on demand whatever a build gives, so it need not be built.
    let (states, build) = check_packs(&repository, project, &job, folder, true, &|| bar.inc(1))?;
    bar.finish_and_clear();
    repository.confirm_settled()?;
    let run = BuildRun::new(global, build);
    let dir = repository.settings().output.dir.as_str();
    let mut packs = BTreeMap::<String, Vec<PackState>>::new();
    for state in states {
        packs.entry(state.root.clone()).or_default().push(state);
    }
    let roots =
        items.iter().map(|item| root(project, *item, &packs.remove(&*project.item(*item).id).unwrap_or_default(), dir));
    let (roots, rows): (Vec<Value>, Vec<Vec<Line>>) = roots.unzip();
    let is_text = global.format != Format::Github;
    let is_shown =
        |it: &&Diagnostic| !is_text || it.severity == Severity::Error || !global.quiet && hides_item(it.code);
    let diagnostics: Vec<Diagnostic> = run.diagnostics.iter().filter(is_shown).cloned().collect();
    // A pipe gets rows only, of which programs cut out columns.
    let has_header = global.format == Format::Table || console::width().is_some();
    let header = ["ID", "TYPE", "STATE", "TITLE", "RELATIONS", "PACKS"];
    let columns = header.map(|name| Column::Flexible(if has_header { name } else { "" }));
    let mut document = Document::whole();
    document.table(&columns, rows);
    let is_empty = roots.is_empty();
    let value = json!({"roots": roots, "diagnostics": console::diagnostics(&run.diagnostics)});
    // The rows are what was asked for.
    let most = if global.verbose || !is_text { usize::MAX } else { 3 };
    document.print(global.format, global.verbose, &folded_to(most, &diagnostics), &value)?;
    if is_empty && !run.blocked && global.format != Format::Json {
        match all {
            0 => global.note(console::no_roots(&repository))?,
            all => {
                let others = project.corpus().entries.len() - all;
                let left = if others > 0 { format!(", and {others} have no pack, by `roots`") } else { String::new() };
                let (what, others) = if args.agent.is_some() {
                    ("assigned to this agent", "not")
                } else {
                    ("in this state", "in others")
                };
                global.note(&format!("no item with a pack is {what}: {} {others}{left}", counted(all, "item")))?;
            }
        }
    }
    Ok(run.exit())
}

/// Returns whether a warning is about an item that the list lacks, or whose fields could not be read. `build` reports all others.
fn hides_item(code: Code) -> bool {
    let unread = [Code::InvalidItem, Code::InvalidFrontMatter, Code::InvalidSnapshot, Code::UnreadableFile];
    unread.contains(&code) || matches!(code, Code::DuplicateId | Code::UnmatchedGlob)
}

const MAX_STATUS: usize = 24;

#[derive(Serialize)]
struct MatrixShard {
    shard: String,
    index: u32,
    roots: usize,
}

fn matrix(project: &Project<'_>, items: &[usize], shards: NonZeroU32) -> Result<Exit, Failure> {
    let mut parts = BTreeMap::<u32, MatrixShard>::new();
    let part = |index| MatrixShard { shard: format!("{index}/{shards}"), index, roots: 0 };
    for item in items {
        let index = Shard::holding(&project.item(*item).id, shards).index();
        parts.entry(index).or_insert_with(|| part(index)).roots += 1;
    }
    if parts.is_empty() {
        parts.insert(1, part(1));
    }
    // On one line, for the output of a step.
    let text = serde_json::to_string(&BTreeMap::from([("include", parts.into_values().collect::<Vec<_>>())]));
    let text = text.map_err(std::io::Error::from)?;
    writeln!(console::stdout(), "{text}")?;
    Ok(Exit::Done)
}

fn root(project: &Project<'_>, item: usize, packs: &[PackState], dir: &str) -> (Value, Vec<Line>) {
    let RootSummary { id, title, kind, status, state, .. } = project.summary(item);
    let (kind, status, state) = (kind.unwrap_or_default(), status.unwrap_or_default(), state.name());
    let mut edges = BTreeMap::<_, usize>::new();
    project.graph().edges(item).iter().for_each(|edge| *edges.entry(edge.relation.name()).or_default() += 1);
    let is_same = status.is_empty() || status == state;
    // One long status would set the width of the column.
    let short: String = status.chars().take(MAX_STATUS).collect();
    let cut = if short.len() < status.len() { "…" } else { "" };
    let shown = if is_same { state.to_owned() } else { format!("{state} ({short}{cut})") };
    let count = |name: &'static str| edges.get(name).map(|count| format!("{count} {name}"));
    let counts: Vec<String> = Relation::ALL.map(Relation::name).into_iter().filter_map(count).collect();
    let relations = if counts.is_empty() { "no relations".to_owned() } else { counts.join(", ") };
    let of_pack = |pack: &PackState| match pack.status {
        PackStatus::OnDemand => pack.profile.clone(),
        status => format!("{} {}", pack.profile, status.name().replace('_', " ")),
    };
    let states: Vec<String> = packs.iter().map(of_pack).collect();
    let cells = [&id, &kind, &shown, &title, &relations, &states.join(", ")].map(|text| line("{}", &[text.as_str()]));
    let packs: Vec<Value> = packs.iter().map(|pack| checked_pack(pack, dir)).collect();
    let root = json!({
        "id": id, "title": title, "type": kind, "status": status, "state": state, "edges": edges, "packs": packs,
    });
    (root, cells.to_vec())
}
