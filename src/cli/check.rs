//! `contextpack check`.

use super::annotations::Annotations;
use super::args::{CheckArgs, Format, Global};
use super::build::{is_unchanged, orphans};
use super::exit::Exit;
use super::failure::Failure;
use super::output;
use super::packs;
use super::report::{self, json_text, printable};
use super::summary::{self, Row};
use super::workspace::Workspace;
use contextpack::pipeline::Built;
use contextpack::review::{Difference, difference};
use contextpack::store::{Folder, StoreError};
use std::collections::BTreeSet;
use std::io::Write as _;
use std::sync::{Mutex, PoisonError};

/// How a pack on disk stands to the one that a build gives.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Standing {
    pub(super) name: String,
    pub(super) root: String,
    pub(super) profile: String,
    /// `fresh`, `stale`, `edited`, `missing`, `orphaned` or `failed`.
    pub(super) status: &'static str,
    pub(super) reasons: Vec<String>,
    /// Characters, and tokens where they are counted, of the pack that a build gives.
    pub(super) size: Option<(u64, Option<u64>)>,
}

impl Standing {
    /// As the summary shows it.
    fn row(&self, dir: &str) -> Row {
        Row {
            path: format!("{dir}/{}", self.name),
            status: self.status,
            reasons: self.reasons.join("; "),
            tokens: self.size.and_then(|(_, tokens)| tokens),
            chars: self.size.map(|(chars, _)| chars),
        }
    }

    /// As JSON shows it; `dir` is the folder of packs.
    pub(super) fn output(&self, dir: &str) -> output::CheckedPack {
        output::CheckedPack {
            root: self.root.clone(),
            profile: self.profile.clone(),
            path: format!("{dir}/{}", self.name),
            status: self.status,
            reasons: self.reasons.clone(),
        }
    }
}

/// Builds in memory and compares bytes.
pub(crate) fn run(global: &Global, args: &CheckArgs) -> Result<Exit, Failure> {
    let workspace = Workspace::open(global, &[])?;
    let desk = workspace.desk();
    let items = workspace.roots(&desk, &args.roots)?;
    let folder = Folder::open(&workspace.root, &workspace.settings.output.dir)?;
    let standings = Mutex::new(Vec::new());
    let failed: Mutex<Option<StoreError>> = Mutex::new(None);
    let run = packs::run(global, &workspace, &desk, items, &args.building, &|built| match standing(&folder, built) {
        Ok(standing) => standings.lock().unwrap_or_else(PoisonError::into_inner).push(standing),
        Err(error) => {
            failed.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
        }
    })?;
    if let Some(error) = failed.into_inner().unwrap_or_else(PoisonError::into_inner) {
        return Err(error.into());
    }
    let mut standings: Vec<Standing> = standings.into_inner().unwrap_or_else(PoisonError::into_inner);
    if args.roots.is_empty() && args.building.profiles.is_empty() && !run.blocked {
        let names: BTreeSet<&str> = standings.iter().map(|standing| standing.name.as_str()).collect();
        let orphaned: Vec<Standing> = orphans(&folder, &names, &run)?
            .into_iter()
            .map(|(name, pack)| Standing {
                name,
                root: pack.root.work_item_id.unwrap_or_default(),
                profile: pack.profile,
                status: "orphaned",
                reasons: vec!["its root or profile is gone: `contextpack build --prune` removes it".to_owned()],
                size: None,
            })
            .collect();
        standings.extend(orphaned);
    }
    standings.sort();
    let dir = workspace.settings.output.dir.as_str();
    let bad: Vec<&Standing> =
        standings.iter().filter(|standing| !matches!(standing.status, "fresh" | "failed")).collect();
    if let Some(file) = &args.telling.summary {
        let rows: Vec<Row> = standings.iter().map(|standing| standing.row(dir)).collect();
        let next = (!bad.is_empty()).then_some("Run `contextpack build` and commit what it writes.");
        summary::append(file, "check", &rows, &run.diagnostics, next)?;
    }
    match global.format {
        Format::Json => {
            let packs = standings.iter().map(|standing| standing.output(dir)).collect();
            let text = json_text(&output::Check { packs, diagnostics: output::told(&run.diagnostics) });
            writeln!(anstream::stdout(), "{text}")?;
        }
        Format::Github => {
            let mut annotations = Annotations::new();
            annotations.diagnostics(&run.diagnostics);
            for standing in &bad {
                annotations.pack(&format!("{dir}/{}", standing.name), standing.status, &standing.reasons.join("; "));
            }
            annotations.write(&mut anstream::stdout().lock())?;
            conclude(global, &standings, &bad)?;
        }
        Format::Text | Format::Markdown => {
            let quiet = |diagnostic: &&contextpack::model::Diagnostic| {
                !global.quiet || diagnostic.severity == contextpack::model::Severity::Error
            };
            let diagnostics: Vec<_> = run.diagnostics.iter().filter(quiet).cloned().collect();
            report::tell(global.format, &diagnostics, &|_| None)?;
            let mut out = anstream::stdout().lock();
            for standing in &bad {
                let path = format!("{dir}/{}", standing.name);
                let reasons = standing.reasons.join("; ");
                writeln!(out, "{}: {}: {}", standing.status, printable(&path), printable(&reasons))?;
            }
            conclude(global, &standings, &bad)?;
        }
    }
    let input = if run.has_errors() { Exit::Input } else { Exit::Done };
    Ok(input.and(if bad.is_empty() { Exit::Done } else { Exit::Stale }))
}

fn conclude(global: &Global, standings: &[Standing], bad: &[&Standing]) -> Result<(), Failure> {
    if !global.quiet {
        let fresh = standings.iter().filter(|standing| standing.status == "fresh").count();
        writeln!(anstream::stderr(), "{fresh} of {} packs are fresh", standings.len())?;
        if !bad.is_empty() {
            writeln!(anstream::stderr(), "run `contextpack build` and commit what it writes")?;
        }
    }
    Ok(())
}

/// Compares one pack with the file on disk.
pub(super) fn standing(folder: &Folder, built: Built) -> Result<Standing, StoreError> {
    let Built { root, profile, name, outcome, .. } = built;
    let existing = folder.read(&name)?;
    let budget = outcome.as_ref().ok().map(|sealed| &sealed.pack().budget);
    let size = budget.map(|budget| (budget.used_chars, budget.used_tokens));
    let (status, reasons) = match (outcome, existing) {
        (Err(fault), _) => ("failed", vec![fault.diagnostic.message]),
        (Ok(_), None) => ("missing", vec!["it was not built yet".to_owned()]),
        (Ok(sealed), Some(existing)) if is_unchanged(Some(&existing), &sealed) => ("fresh", Vec::new()),
        (Ok(sealed), Some(existing)) => match difference(&existing, sealed.pack()) {
            Difference::Stale(reasons) => ("stale", reasons),
            Difference::Edited(reasons) => ("edited", reasons),
        },
    };
    Ok(Standing { name, root: root.to_string(), profile, status, reasons, size })
}
