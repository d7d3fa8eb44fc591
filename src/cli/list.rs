//! `contextpack list`.

use super::args::{BudgetArgs, Global, ListArgs};
use super::output;
use super::packs::{self, BuildRun};
use super::workspace::open;
use crate::console::{self, Column, Document, Exit, Failure, Format, line, printable, report};
use crate::engine::{CheckRequest, PackState, Project, RootSummary, check_packs};
use crate::model::{Code, Diagnostic, ItemState, Relation, Severity, Shard};
use crate::store::{Access, Folder};
use std::collections::BTreeMap;
use std::io::Write as _;
use std::num::NonZeroU32;

struct ListRow {
    root: RootSummary,
    edges: Vec<(Relation, usize)>,
    packs: Vec<PackState>,
}

/// Lists the roots with the state of their packs. Packs that have a file are built in memory to compare them.
pub(crate) fn run(global: &Global, args: &ListArgs) -> Result<Exit, Failure> {
    let repository = open(global, &[], Some(Access::Read))?;
    let project = repository.project();
    let mut items = project.roots();
    let all = items.len();
    if !args.states.is_empty() {
        let states: Vec<ItemState> = args.states.iter().map(|state| ItemState::from(*state)).collect();
        items.retain(|item| states.contains(&project.state(*item)));
    }
    if let Some(shards) = args.matrix.and_then(NonZeroU32::new) {
        repository.confirm_all_read(&project)?;
        return matrix(&project, &items, shards);
    }
    let folder = Folder::open(repository.root(), &repository.settings().output.dir)?;
    // A pack without a file is missing whatever a build gives, so it need not be built.
    let request = CheckRequest { folder: &folder, markdown: repository.settings().output.markdown, skip_missing: true };
    let job = packs::job(&repository, &project, items.clone(), &[], &BudgetArgs::default())?;
    let bar = packs::progress(global, job.roots.len() * job.profiles.len());
    let (states, build) = check_packs(repository.files(), &project, &job, &request, &|| bar.inc(1))?;
    bar.finish_and_clear();
    repository.confirm_settled()?;
    let run = BuildRun::new(global, build);
    let mut packs = BTreeMap::<String, Vec<PackState>>::new();
    for state in states {
        packs.entry(state.root.clone()).or_default().push(state);
    }
    let rows: Vec<ListRow> = items.iter().map(|item| row(&project, *item, &mut packs)).collect();
    let is_text = global.format != Format::Github;
    let diagnostics = report::visible(&run.diagnostics, is_text);
    if is_text && !global.quiet && global.format != Format::Json {
        print_hidden_items(&run.diagnostics, global.verbose)?;
    }
    // A pipe gets rows only, of which programs cut out columns.
    let has_header = global.format == Format::Table || console::width().is_some();
    let dir = repository.settings().output.dir.as_str();
    let value = output::List {
        roots: rows.iter().map(|row| as_json(row, dir)).collect(),
        diagnostics: console::diagnostics(&run.diagnostics),
    };
    document(&rows, has_header).print(global.format, global.verbose, &diagnostics, &value)?;
    if rows.is_empty() && !run.blocked && !global.quiet && global.format != Format::Json {
        match all {
            0 => writeln!(console::stderr(), "{}", packs::no_roots(&repository))?,
            all => writeln!(console::stderr(), "no root is in this state; {} in others", are(all))?,
        }
    }
    Ok(run.exit())
}

/// Prints the warnings about items that the list lacks, or whose fields could not be read: a line for each code, or all.
/// `build` reports all other warnings.
fn print_hidden_items(diagnostics: &[Diagnostic], verbose: bool) -> std::io::Result<()> {
    let mut hidden = BTreeMap::<Code, Vec<&Diagnostic>>::new();
    for diagnostic in diagnostics.iter().filter(|it| it.severity == Severity::Warning && hides_item(it.code)) {
        hidden.entry(diagnostic.code).or_default().push(diagnostic);
    }
    for (code, all) in &hidden {
        let shown = if verbose { all.len() } else { 1 };
        for diagnostic in all.iter().take(shown) {
            let at = diagnostic.at.as_ref().map(|at| format!("{at}: ")).unwrap_or_default();
            let line = format!("warning[{code}]: {at}{}", diagnostic.message);
            let more = match all.len() - shown {
                0 => String::new(),
                more => format!("; and {more} more, `-v` shows all"),
            };
            writeln!(console::stderr(), "{}{more}", printable(&line))?;
        }
    }
    Ok(())
}

fn hides_item(code: Code) -> bool {
    matches!(
        code,
        Code::InvalidItem
            | Code::InvalidFrontMatter
            | Code::InvalidSnapshot
            | Code::UnreadableFile
            | Code::DuplicateId
            | Code::UnmatchedGlob
    )
}

fn are(roots: usize) -> String {
    if roots == 1 { "1 is".to_owned() } else { format!("{roots} are") }
}

/// Prints the parts of a build in `shards` jobs. Errors of the input are reported by the builds.
fn matrix(project: &Project<'_>, items: &[usize], shards: NonZeroU32) -> Result<Exit, Failure> {
    let mut parts = BTreeMap::<u32, output::MatrixShard>::new();
    let part = |index| output::MatrixShard { shard: format!("{index}/{shards}"), index, roots: 0 };
    for item in items {
        let index = Shard::holding(&project.corpus().entries[*item].item.id, shards).index();
        parts.entry(index).or_insert_with(|| part(index)).roots += 1;
    }
    if parts.is_empty() {
        parts.insert(1, part(1));
    }
    // On one line, for the output of a step.
    let text = serde_json::to_string(&output::Matrix { include: parts.into_values().collect() });
    let text = text.map_err(std::io::Error::from)?;
    writeln!(console::stdout(), "{text}")?;
    Ok(Exit::Done)
}

fn row(project: &Project<'_>, item: usize, packs: &mut BTreeMap<String, Vec<PackState>>) -> ListRow {
    let edges = project.graph().edges(item);
    let states = packs.remove(project.corpus().entries[item].item.id.as_str()).unwrap_or_default();
    ListRow {
        root: project.summary(item),
        edges: Relation::ALL
            .into_iter()
            .map(|relation| (relation, edges.iter().filter(|edge| edge.relation == relation).count()))
            .filter(|(_, count)| *count > 0)
            .collect(),
        packs: states,
    }
}

fn document(rows: &[ListRow], has_header: bool) -> Document {
    let header = ["ID", "TYPE", "STATE", "TITLE", "RELATIONS", "PACKS"].map(|name| if has_header { name } else { "" });
    let [id, kind, state, title, relations, packs] = header.map(Column::Flexible);
    let columns = [id, kind, state, title, relations, packs];
    let cells = |row: &ListRow| {
        let RootSummary { id, title, kind, status, state, .. } = &row.root;
        let state = match status.as_deref() {
            Some(status) if status != state.name() => format!("{} ({status})", state.name()),
            _ => state.name().to_owned(),
        };
        let edges = row.edges.iter().map(|(relation, count)| format!("{count} {}", relation.name()));
        let edges = if row.edges.is_empty() { "no relations".to_owned() } else { edges.collect::<Vec<_>>().join(", ") };
        let packs: Vec<String> = row.packs.iter().map(|pack| format!("{} {}", pack.profile, pack.status)).collect();
        let texts = [id, kind.as_deref().unwrap_or_default(), &state, title, &edges, &packs.join(", ")];
        texts.map(|text| line("{}", &[text])).to_vec()
    };
    let mut document = Document::whole();
    document.table(&columns, rows.iter().map(cells));
    document
}

fn as_json(row: &ListRow, dir: &str) -> output::Root {
    let RootSummary { id, title, kind, status, state, .. } = row.root.clone();
    output::Root {
        id,
        title,
        kind: kind.unwrap_or_default(),
        status: status.unwrap_or_default(),
        state: state.name(),
        edges: row.edges.iter().map(|(relation, count)| (relation.name(), *count)).collect(),
        packs: row.packs.iter().map(|pack| pack.output(dir)).collect(),
    }
}
