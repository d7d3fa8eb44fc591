//! `contextpack list`.

use super::args::{BudgetArgs, Global, ListArgs};
use super::output;
use super::packs::{self, BuildRun};
use super::workspace::open;
use crate::console::Exit;
use crate::console::Failure;
use crate::console::Format;
use crate::console::report::{self, Report, ReportLine};
use crate::console::{self, printable};
use crate::engine::{CheckRequest, PackState, Project, RootSummary, check_packs};
use crate::model::{Code, Diagnostic, ItemState, Relation, Severity, Shard};
use crate::store::{Access, Folder};
use std::collections::BTreeMap;
use std::io::Write as _;
use std::num::NonZeroU32;
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

/// A root of the list.
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
    let width = console::width();
    let is_table = global.format == Format::Table || global.format == Format::Text && width.is_some();
    let lines = if is_table { table(&rows, width) } else { text(&rows) };
    let lines = lines.into_iter().map(ReportLine::Row).collect();
    let report = Report { diagnostics, lines };
    let dir = repository.settings().output.dir.as_str();
    report.print(global.format, global.verbose, || output::List {
        roots: rows.iter().map(|row| as_json(row, dir)).collect(),
        diagnostics: crate::console::diagnostics(&run.diagnostics),
    })?;
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

/// Returns the texts of a row that are aligned: id, type and status.
fn columns(row: &ListRow) -> [&str; 3] {
    let RootSummary { id, kind, status, .. } = &row.root;
    [id, kind.as_deref().unwrap_or_default(), status.as_deref().unwrap_or_default()]
}

/// Formats the rows in columns.
fn text(rows: &[ListRow]) -> Vec<String> {
    let widths = [0, 1, 2].map(|column: usize| {
        let width = |row: &ListRow| columns(row)[column].chars().count();
        rows.iter().map(width).max().unwrap_or_default().min(40)
    });
    let line = |row: &ListRow| {
        let edges: Vec<String> =
            row.edges.iter().map(|(relation, count)| format!("{count} {}", relation.name())).collect();
        let edges = if edges.is_empty() { "no relations".to_owned() } else { edges.join(", ") };
        let packs: Vec<String> = row.packs.iter().map(|pack| format!("{} {}", pack.profile, pack.status)).collect();
        let [id, kind, status] = columns(row);
        let columns = format!("{id:<0$}  {kind:<1$}  {status:<2$}", widths[0], widths[1], widths[2]);
        format!("{columns}  {}  [{edges}]  {}", row.root.title, packs.join(", "))
    };
    rows.iter().map(line).collect()
}

/// Formats the rows in columns below a header, the titles shortened so that a line fits `width`.
fn table(rows: &[ListRow], width: Option<usize>) -> Vec<String> {
    const HEADER: [&str; 6] = ["ID", "TYPE", "STATE", "TITLE", "RELATIONS", "PACKS"];
    const ID: usize = 0;
    const KIND: usize = 1;
    const STATE: usize = 2;
    const TITLE: usize = 3;
    const RELATIONS: usize = 4;
    const PACKS: usize = 5;
    const SHORTEST_TITLE: usize = 16;
    const SHORTEST: usize = 8;
    if rows.is_empty() {
        return Vec::new();
    }
    let cells = |row: &ListRow| {
        let [id, kind, status] = columns(row);
        let state = row.root.state.name();
        let state = if status.is_empty() || status == state { state.to_owned() } else { format!("{state} ({status})") };
        let edges: Vec<String> =
            row.edges.iter().map(|(relation, count)| format!("{count} {}", relation.name())).collect();
        let packs: Vec<String> = row.packs.iter().map(|pack| format!("{} {}", pack.profile, pack.status)).collect();
        [id.to_owned(), kind.to_owned(), state, row.root.title.clone(), edges.join(", "), packs.join(", ")]
            .map(|cell| printable(&cell).into_owned())
    };
    let mut lines = vec![HEADER.map(str::to_owned)];
    lines.extend(rows.iter().map(cells));
    let mut widths: [usize; 6] =
        std::array::from_fn(|column| lines.iter().map(|line| line[column].width()).max().unwrap_or_default());
    if let Some(width) = width {
        let others = |widths: &[usize; 6]| {
            let shown = widths.iter().filter(|width| **width > 0).count();
            widths.iter().sum::<usize>() - widths[TITLE] + 2 * shown.saturating_sub(1)
        };
        let excess = |widths: &[usize; 6]| (others(widths) + SHORTEST_TITLE).saturating_sub(width);
        // A narrow terminal has no room for them.
        for column in [RELATIONS, KIND] {
            if excess(&widths) > 0 {
                widths[column] = 0;
            }
        }
        for column in [ID, STATE, PACKS] {
            let shorter = widths[column].saturating_sub(excess(&widths)).max(SHORTEST);
            widths[column] = widths[column].min(shorter);
        }
        widths[TITLE] = widths[TITLE].min(width.saturating_sub(others(&widths)).max(SHORTEST));
    }
    let padded = |cell: &str, width: usize| {
        let cell = shortened(cell, width);
        let space = width.saturating_sub(cell.width());
        cell + &" ".repeat(space)
    };
    let line = |cells: &[String; 6]| {
        let shown = cells.iter().zip(widths).filter(|(_, width)| *width > 0);
        let cells: Vec<String> = shown.map(|(cell, width)| padded(cell, width)).collect();
        cells.join("  ").trim_end().to_owned()
    };
    lines.iter().map(line).collect()
}

/// Cuts a text to a width in columns, with `…` in place of the rest.
fn shortened(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let mut shown = String::new();
    for c in text.chars() {
        if shown.width() + c.width().unwrap_or(0) + 1 > width {
            break;
        }
        shown.push(c);
    }
    shown + "…"
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

#[cfg(test)]
mod tests {
    use super::*;

    fn row(id: &str, title: &str) -> ListRow {
        let root = RootSummary {
            id: id.to_owned(),
            title: title.to_owned(),
            kind: Some("feat".to_owned()),
            status: None,
            state: ItemState::Open,
            untrusted: false,
        };
        ListRow { root, edges: vec![(Relation::Child, 2)], packs: Vec::new() }
    }

    #[test]
    fn a_table_fits_the_terminal_also_with_wide_characters() {
        let rows = [row("feat:a", &"A long title ".repeat(20)), row("feat:日本", "日本語の題名")];
        for width in [60, 80, 120] {
            let lines = table(&rows, Some(width));
            assert!(lines.iter().all(|line| line.width() <= width), "{lines:?}");
            let column = |line: &str| line.find("open").map(|at| line[..at].width());
            assert_eq!(column(&lines[1]), column(&lines[2]), "{lines:?}");
            assert!(lines[1].contains("2 child"), "{lines:?}");
        }
        assert!(!table(&rows, Some(40))[1].contains("2 child"));
        let long = [row(&"a-long-id-".repeat(8), "A title"), row("feat:b", "Another title")];
        for width in [40, 60, 80] {
            let lines = table(&long, Some(width));
            assert!(lines.iter().all(|line| line.width() <= width) && lines[1].contains("A title"), "{lines:?}");
        }
        let whole = table(&rows, None);
        assert!(whole[0].starts_with("ID") && whole[1].contains(&"A long title ".repeat(20)), "{whole:?}");
        assert_eq!(shortened("日本語", 5), "日本…");
    }
}
