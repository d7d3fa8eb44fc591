//! `contextpack init`.

use super::args::Global;
use crate::config::{DenyList, Settings};
use crate::console::report::{Report, ReportLine};
use crate::console::{self, Exit, Failure, PathFailure};
use crate::engine::{Project, process_environment, validated};
use crate::git::{hooks_folder, is_in_git};
use crate::init::{CONFIG, DetectedRepo, InitArgs, Setup, is_half, starter, unfit};
use crate::intake::{Repo, RepoOptions};
use crate::model::ItemState;
use serde_json::json;
use std::fs::OpenOptions;
use std::io::{ErrorKind, Write as _};
use std::path::Path;

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
    if args.git {
        crate::git::configure(&root, &super::git::SETTINGS).map_err(Failure::usage)?;
        global.note("git shows and merges packs with `contextpack git` in this clone")?;
    }
    if args.hook {
        match write_hook(&root)? {
            (path, None) => setup.written.push(path),
            (path, Some(why)) => setup.left.push((path, why)),
        }
    }
    print_report(global, &setup, &found)?;
    Ok(Exit::Done)
}

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

fn next_command(found: &DetectedRepo) -> &'static str {
    if found.github.is_some() && !found.has_items() { "contextpack sync" } else { "contextpack build" }
}

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
    for (path, why) in &setup.left {
        global.note(&format!("left alone: {path}: {why}"))?;
    }
    for (path, entry) in &setup.by_hand {
        global.note(&format!("by hand: {path}: add this, or put it in place of the other: {entry}"))?;
    }
    for (path, what) in &setup.fill_in {
        global.note(&format!("fill in: {path}: {what}"))?;
    }
    if found.proposals.is_empty() {
        for (folder, count) in found.likely_items.iter().take(MOST_FOLDERS) {
            let files = console::counted(*count, "file");
            global.note(&format!(
                "note: `{folder}/` has {files} with a status: if these are work items, set `work_items: [\"{folder}/**/*.md\"]` in {CONFIG}"
            ))?;
        }
    }
    let (closed, all) = found.closed;
    if found.open_only() && all > 0 && setup.written.iter().any(|path| path == CONFIG) {
        let open = all - closed;
        global.note(&format!("packs for open items only: {open} of {all} (`roots` in {CONFIG} says so)"))?;
    }
    Ok(global.note(&format!("next: {}", next_command(found)))?)
}

const HOOK: &str = "prepare-commit-msg";

/// The hook. It runs no program but git, so that it works where contextpack is not installed.
const SCRIPT: &str = include_str!("prepare-commit-msg.sh");

const FOREIGN_HOOK: &str = "it is another hook; to add trailers, let it run `git interpret-trailers --in-place --if-exists addIfDifferent --trailer \"$CONTEXTPACK_TRAILER\" \"$1\"` where the variable is set";

/// Writes the hook into the clone around `root`, and returns its path, and why a file of that name was left alone, if there is one.
fn write_hook(root: &Path) -> Result<(String, Option<&'static str>), Failure> {
    let unknown = || Failure::usage("git does not say where its hooks are: is it on the `PATH`?");
    let folder = hooks_folder(root).ok_or_else(unknown)?;
    let path = folder.join(HOOK);
    let shown = path.strip_prefix(root).unwrap_or(&path).display().to_string();
    let failed = |error| PathFailure::failure("write", shown.clone(), error);
    std::fs::create_dir_all(&folder).map_err(failed)?;
    let mut options = OpenOptions::new();
    // Neither a file nor a link in its place is replaced.
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o755);
    match options.open(&path) {
        Ok(mut file) => {
            file.write_all(SCRIPT.as_bytes()).map_err(|error| {
                // Half a hook must not stop the next try. The first error is the one to report.
                let _ = std::fs::remove_file(&path);
                failed(error)
            })?;
            Ok((shown, None))
        }
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            let is_own = std::fs::read(&path).is_ok_and(|text| text == SCRIPT.as_bytes());
            Ok((shown, Some(if is_own { "it has the hook" } else { FOREIGN_HOOK })))
        }
        Err(error) => Err(failed(error)),
    }
}
