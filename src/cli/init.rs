//! `contextpack init`.

use super::args::Global;
use super::trailer::{HookResult, write_hook};
use crate::config::{DenyList, Settings};
use crate::console::Exit;
use crate::console::Failure;
use crate::console::report::{Report, ReportLine};
use crate::console::{self, printable};
use crate::engine::{Project, process_environment, validated};
use crate::git::is_in_git;
use crate::init::{CONFIG, DetectedRepo, InitArgs, Setup, is_half, starter, unfit};
use crate::intake::{Repo, RepoOptions};
use crate::model::ItemState;
use serde_json::json;
use std::io::Write;
use std::path::Path;

/// Sets up a repo: detects everything first, then writes, and overwrites nothing.
pub(crate) fn run(global: &Global, args: &InitArgs) -> Result<Exit, Failure> {
    if global.config.is_some() {
        return Err(Failure::usage("`init` writes `contextpack.yml`; run it without `--config`"));
    }
    let root = Repo::find_root(Path::new("."))?;
    if (args.git || args.hook) && !is_in_git(&root) {
        let option = if args.git { "--git" } else { "--hook" };
        return Err(Failure::usage(format!(
            "`{option}` sets up the clone, and this is not in a git repository: run `git init` first",
        )));
    }
    let mut found = DetectedRepo::at(&root);
    found.closed = closed_items(&root, &found);
    let mut setup = Setup::new(&root);
    let existing = existing(&root, &setup, &found, args)?;
    setup.all(&found, existing.as_ref().map(|(name, settings)| (name.as_str(), settings)), args)?;
    #[cfg(feature = "mcp")]
    setup.write_entries(&args.agents)?;
    if args.git {
        crate::git::configure(&root, &super::git::SETTINGS).map_err(Failure::usage)?;
        if !global.quiet {
            writeln!(console::stderr(), "git shows and merges packs with `contextpack git` in this clone")?;
        }
    }
    if args.hook {
        match write_hook(&root)? {
            HookResult::Written(path) => setup.written.push(path),
            HookResult::Exists(path, true) => setup.left.push((path, "it has the hook")),
            HookResult::Exists(path, false) => setup.left.push((path, FOREIGN_HOOK)),
            HookResult::NoFolder => {
                return Err(Failure::usage("git does not say where its hooks are: is it on the `PATH`?"));
            }
        }
    }
    print_report(global, &setup, &found)?;
    Ok(Exit::Done)
}

/// Why a hook of the same name was left alone, with what to do.
const FOREIGN_HOOK: &str = "it is another hook; to add trailers, let it run `git interpret-trailers --in-place --if-exists addIfDifferent --trailer \"$CONTEXTPACK_TRAILER\" \"$1\"` where the variable is set";

/// Returns the existing configuration with its name. A partly written starter configuration does not count.
fn existing(
    root: &Path,
    setup: &Setup<'_>,
    found: &DetectedRepo,
    args: &InitArgs,
) -> Result<Option<(String, Settings)>, Failure> {
    let Some((name, text)) = Repo::read_config(root, None)? else { return Ok(None) };
    let starter = starter::config(found, setup.output(args.cached)?, !args.cached);
    if name == CONFIG && is_half(text.as_bytes(), &starter) {
        return Ok(None);
    }
    // Lines of the file are not quoted, since they are not redacted yet.
    let faulty = |diagnostics| Failure::Config { diagnostics, text: None };
    let settings = validated(&name, Some(&text)).map_err(faulty)?;
    match unfit(&name, &settings) {
        unfit if unfit.is_empty() => Ok(Some((name, settings))),
        unfit => Err(faulty(unfit)),
    }
}

/// Returns how many of the items that could get a pack are closed, and how many there are; none if they cannot be read.
fn closed_items(root: &Path, found: &DetectedRepo) -> (usize, usize) {
    let text = starter::config(found, "packs", true);
    let (Ok(settings), Ok(deny)) = (validated(CONFIG, Some(&text)), DenyList::new(&[])) else { return (0, 0) };
    let excluded = settings.own_folders();
    let snapshot = Some(&settings.github.snapshot);
    let Ok(repo) = Repo::open(root, RepoOptions { deny: &deny, excluded: &excluded, snapshot }) else { return (0, 0) };
    let project = Project::open(&repo, &settings, &deny, process_environment());
    let roots = project.roots();
    let is_open = |item: &&usize| matches!(project.state(**item), ItemState::Open | ItemState::Unknown);
    (roots.len() - roots.iter().filter(is_open).count(), roots.len())
}

/// Returns the next command: `sync` if all items are on GitHub, else `build`.
fn next_command(found: &DetectedRepo) -> &'static str {
    if found.github.is_some() && !found.has_items() { "contextpack sync" } else { "contextpack build" }
}

/// The most folders that are proposed as folders of work items.
const MOST_FOLDERS: usize = 3;

fn print_report(global: &Global, setup: &Setup<'_>, found: &DetectedRepo) -> Result<(), Failure> {
    let lines = setup.written.iter().cloned().map(ReportLine::File).collect();
    let report = Report { diagnostics: found.faults.clone(), lines };
    report.print(global.format, global.verbose, || {
        let pairs = |pairs: &[(String, &str)], key: &str| -> Vec<serde_json::Value> {
            pairs.iter().map(|(path, text)| json!({"path": path, key: text})).collect()
        };
        json!({
            "written": setup.written,
            "left_alone": pairs(&setup.left, "reason"),
            "fill_in": pairs(&setup.fill_in, "what"),
            "by_hand": setup.by_hand.iter().map(|(path, entry)| json!({"path": path, "entry": entry})).collect::<Vec<_>>(),
            "diagnostics": crate::console::diagnostics(&found.faults),
            "next": next_command(found),
        })
    })?;
    if global.quiet {
        return Ok(());
    }
    let stderr = &mut console::stderr();
    for (path, why) in &setup.left {
        writeln!(stderr, "left alone: {}: {why}", printable(path))?;
    }
    for (path, entry) in &setup.by_hand {
        writeln!(stderr, "by hand: {}: add this, or put it in place of the other: {entry}", printable(path))?;
    }
    for (path, what) in &setup.fill_in {
        writeln!(stderr, "fill in: {}: {what}", printable(path))?;
    }
    if found.proposals.is_empty() {
        for (folder, count) in found.likely_items.iter().take(MOST_FOLDERS) {
            let files = console::counted(*count, "file");
            let folder = printable(folder);
            let note = format!(
                "`{folder}/` has {files} with a status: if these are work items, set `work_items: [\"{folder}/**/*.md\"]` in {CONFIG}"
            );
            writeln!(stderr, "note: {note}")?;
        }
    }
    let (closed, all) = found.closed;
    if found.open_only() && all > 0 && setup.written.iter().any(|path| path == CONFIG) {
        let open = all - closed;
        writeln!(stderr, "packs for open items only: {open} of {all} (`roots` in {CONFIG} says so)")?;
    }
    writeln!(stderr, "next: {}", next_command(found))?;
    Ok(())
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use std::fs;

    fn set_up(root: &Path, cached: bool) -> (Vec<String>, Vec<String>) {
        let found = DetectedRepo::at(root);
        let mut setup = Setup::new(root);
        let args = InitArgs { cached, ..InitArgs::default() };
        let existing = existing(root, &setup, &found, &args).unwrap();
        setup.all(&found, existing.as_ref().map(|(name, settings)| (name.as_str(), settings)), &args).unwrap();
        (setup.written, setup.left.into_iter().map(|(path, _)| path).collect())
    }

    #[test]
    fn an_empty_folder_gets_everything_and_a_second_run_changes_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let all = [
            "docs/adr/0001-record-decisions.md",
            "work_items/feat-example.md",
            "contextpack.yml",
            ".contextpack/.gitignore",
            ".gitattributes",
            ".github/workflows/contextpack.yml",
        ];
        assert_eq!(set_up(dir.path(), false), (all.map(str::to_owned).to_vec(), vec![]));
        let (written, left) = set_up(dir.path(), false);
        assert_eq!(written, Vec::<String>::new());
        assert_eq!(left.len(), 4);
    }

    #[test]
    fn samples_are_written_only_where_there_is_nothing() {
        for (there, item, adr) in [
            ("docs/adr/0007-x.md", true, false),
            ("backlog/tasks/a.md", false, false),
            (".beads/issues.jsonl", false, false),
            ("work_items/x.md", false, false),
        ] {
            let dir = tempfile::tempdir().unwrap();
            fs::create_dir_all(dir.path().join(there).parent().unwrap()).unwrap();
            fs::write(dir.path().join(there), "x").unwrap();
            let written = set_up(dir.path(), false).0;
            assert_eq!(written.contains(&starter::ITEM.to_owned()), item, "{there}");
            assert_eq!(written.contains(&starter::ADR.to_owned()), adr, "{there}");
        }
    }

    #[test]
    fn existing_lines_of_gitattributes_stay() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(".gitattributes");
        fs::write(&path, "*.png binary").unwrap();
        fs::create_dir(dir.path().join("packs")).unwrap();
        set_up(dir.path(), false);
        assert_eq!(
            fs::read_to_string(&path).unwrap(),
            "*.png binary\n# contextpack begin\ncontext-packs/*.json linguist-generated diff=contextpack merge=contextpack text eol=lf\ncontext-packs/*.md merge=contextpack text eol=lf\ncontext/packs/*.json linguist-generated diff=contextpack merge=contextpack text eol=lf\n# contextpack end\n"
        );
    }

    #[test]
    fn cached_packs_stay_out_of_git() {
        let dir = tempfile::tempdir().unwrap();
        let (written, _) = set_up(dir.path(), true);
        assert!(!written.contains(&".gitattributes".to_owned()));
        assert!(fs::read_to_string(dir.path().join(".contextpack/.gitignore")).unwrap().contains("*\n!.gitignore\n"));
        assert!(
            fs::read_to_string(dir.path().join("contextpack.yml")).unwrap().contains("dir: \".contextpack/packs\"")
        );
    }

    #[cfg(unix)]
    #[test]
    fn no_link_is_followed_out_of_the_repo() {
        let (dir, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        for name in [".github", ".contextpack", "work_items"] {
            std::os::unix::fs::symlink(out.path(), dir.path().join(name)).unwrap();
        }
        std::os::unix::fs::symlink(out.path().join("x"), dir.path().join(".gitattributes")).unwrap();
        let (_, left) = set_up(dir.path(), false);
        assert_eq!(left, [".contextpack/.gitignore", ".gitattributes", ".github/workflows/contextpack.yml"]);
        assert_eq!(fs::read_dir(out.path()).unwrap().count(), 0);
    }

    #[test]
    fn every_file_that_breaks_off_is_made_whole_and_no_whole_one_is_touched() {
        let dir = tempfile::tempdir().unwrap();
        let (written, _) = set_up(dir.path(), false);
        for path in &written {
            let file = dir.path().join(path);
            let whole = fs::read(&file).unwrap();
            for length in [0, 1, whole.len() / 3, whole.len() / 2, whole.len() - 2] {
                let half = whole[..length].trim_ascii_end();
                fs::write(&file, half).unwrap();
                let (again, _) = set_up(dir.path(), false);
                // What of the block's first line does not name the program may be somebody else's.
                let unsure = path == ".gitattributes" && length == 1;
                assert!(unsure || (again == [path.as_str()] && fs::read(&file).unwrap() == whole), "{path} {length}");
                fs::write(&file, &whole).unwrap();
            }
            let own = [b"# mine\n", &*whole].concat();
            fs::write(&file, &own).unwrap();
            assert!(!set_up(dir.path(), false).0.contains(path) && fs::read(&file).unwrap() == own, "{path}");
            fs::write(&file, &whole).unwrap();
        }
    }

    #[test]
    fn a_workflow_that_installs_by_an_unregistered_name_is_reported() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir_all(dir.path().join(".github/workflows")).unwrap();
        // In two parts: no file of this project may say it.
        let by_name = "contextpack --locked --version 0.1.0";
        let old = format!("        run: cargo install {by_name}\n");
        fs::write(dir.path().join(".github/workflows/contextpack.yml"), old).unwrap();
        let (found, mut setup) = (DetectedRepo::at(dir.path()), Setup::new(dir.path()));
        let args = InitArgs::default();
        setup.all(&found, None, &args).unwrap();
        assert!(setup.left.iter().any(|(_, why)| why.contains("by a name that anyone could register")));
    }

    #[test]
    fn a_folder_that_means_something_in_a_workflow_is_refused_before_anything_is_written() {
        for (config, fits) in [
            ("output: {dir: \"${{ github.token }}\"}\n", false),
            ("github: {repo: o/r, snapshot: \"a`id`\"}\n", false),
            ("output: {dir: \"[.]github\"}\n", false),
            ("output: {dir: \"@SNAPSHOT@\"}\n", false),
            ("output: {dir: \"out put/v1.0\"}\n", true),
        ] {
            let dir = tempfile::tempdir().unwrap();
            fs::write(dir.path().join("contextpack.yml"), config).unwrap();
            let (found, setup) = (DetectedRepo::at(dir.path()), Setup::new(dir.path()));
            let args = InitArgs::default();
            let there = existing(dir.path(), &setup, &found, &args);
            assert_eq!(there.is_ok(), fits, "{config}");
            assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
        }
    }
}
