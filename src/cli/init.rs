//! `contextpack init`.

use super::args::Global;
use super::init_findings::{Findings, Survey, cost_in_git};
use crate::config::Settings;
use crate::console::report::{Report, ReportLine};
use crate::console::{Exit, Failure};
use crate::engine::validated;
use crate::git::is_in_git;
use crate::init::{CONFIG, DetectedRepo, InitArgs, Setup, is_half, starter, unfit};
use crate::intake::Repo;
use crate::model::ItemState;
use serde_json::json;
use std::path::Path;

pub(crate) fn run(global: &Global, args: &InitArgs) -> Result<Exit, Failure> {
    if global.config.is_some() {
        return Err(Failure::usage("`init` writes `contextpack.yml`; run it without `--config`"));
    }
    let root = Repo::find_root(Path::new("."))?;
    if args.git && !is_in_git(&root) {
        let message = "`--git` sets up the clone, and this is not in a git repository: run `git init` first";
        return Err(Failure::usage(message));
    }
    let mut found = DetectedRepo::at(&root);
    let mut survey = Survey::of_starter(&root, &found);
    // A sample that an aborted run wrote changes nothing.
    found.has_states = !found.wants_samples() && survey.items.iter().any(|item| item.state != ItemState::Unknown);
    let mut setup = Setup::new(&root);
    let existing = existing(&root, &setup, &found, args)?;
    if let Some((_, settings)) = &existing {
        survey = Survey::of(&root, settings);
    }
    if args.commit.is_some() {
        let new = starter::config(&found, setup.output(true)?, true);
        let settings = existing.as_ref().map(|(_, settings)| settings.clone()).or(validated(CONFIG, Some(&new)).ok());
        if let Some(cost) = settings.and_then(|settings| cost_in_git(&root, &settings)) {
            global.note(&format!("packs in git: {cost}"))?;
        }
    }
    setup.all(&found, existing.as_ref().map(|(name, settings)| (name.as_str(), settings)), args)?;
    if args.git {
        crate::git::configure(&root, &super::git::SETTINGS).map_err(Failure::usage)?;
        global.note("git shows and merges packs with `contextpack git` in this clone")?;
    }
    let (is_new, commits) = (existing.is_none(), args.commit.is_some());
    let findings = Findings { found: &found, survey: &survey, is_new, commits };
    print_report(global, &setup, &findings)?;
    Ok(Exit::Done)
}

/// Returns the existing configuration with its name. A starter configuration does not count that was written in part, or that
/// `--commit` replaces.
fn existing(
    root: &Path,
    setup: &Setup<'_>,
    found: &DetectedRepo,
    args: &InitArgs,
) -> Result<Option<(String, Settings)>, Failure> {
    let Some((name, text)) = Repo::read_config(root, None)? else { return Ok(None) };
    let committed = args.commit.is_some();
    let starter = starter::config(found, setup.output(committed)?, committed);
    let is_earlier = || committed && setup.output(false).is_ok_and(|dir| text == starter::config(found, dir, false));
    if name == CONFIG && (is_half(text.as_bytes(), &starter) || is_earlier()) {
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

fn print_report(global: &Global, setup: &Setup<'_>, findings: &Findings<'_>) -> Result<(), Failure> {
    let faults = &findings.found.faults;
    let lines = setup.written.iter().cloned().map(ReportLine::File).collect();
    let report = Report { diagnostics: faults.clone(), known: Vec::new(), lines };
    report.print(global.format, global.verbose, || {
        let pairs = |pairs: &[(String, &str)], key: &str| -> Vec<serde_json::Value> {
            pairs.iter().map(|(path, text)| json!({"path": path, key: text})).collect()
        };
        json!({
            "written": setup.written,
            "left_alone": pairs(&setup.left, "reason"),
            "fill_in": pairs(&setup.fill_in, "what"),
            "by_hand": setup.by_hand.iter().map(|(path, entry)| json!({"path": path, "entry": entry})).collect::<Vec<_>>(),
            "found": findings.to_json(),
            "diagnostics": crate::console::diagnostics(faults),
            "next": findings.next_command(),
        })
    })?;
    for line in findings.lines() {
        global.note(&line)?;
    }
    for (path, why) in &setup.left {
        global.note(&format!("left alone: {path}: {why}"))?;
    }
    for (path, entry) in &setup.by_hand {
        global.note(&format!("by hand: {path}: add this, or put it in place of the other: {entry}"))?;
    }
    for (path, what) in &setup.fill_in {
        global.note(&format!("fill in: {path}: {what}"))?;
    }
    Ok(global.note(&format!("next: {}", findings.next_command()))?)
}
