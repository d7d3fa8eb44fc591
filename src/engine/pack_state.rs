//! The state of a pack's file, and its comparison with the pack that a build gives.

use super::orphans::NOT_IN_SNAPSHOT;
use super::{BuildJob, BuildReport, Built, EngineError, Planned, Project, Skip, build_packs, companion};
use crate::cache::PackSummary;
use crate::intake::Repo;
use crate::model::slug;
use crate::render;
use crate::review::{Difference, difference, read};
use crate::store::{Folder, StoreError};
use crate::wire::Pack;
use std::collections::BTreeSet;

/// The pack's file is new or has new content.
pub const WRITTEN: &str = "written";
/// The file has the pack's content already, except for the stamp.
pub const UNCHANGED: &str = "unchanged";
/// The pack could not be built.
pub const FAILED: &str = "failed";
/// The pack's root or profile is gone, and its file was removed.
pub const REMOVED: &str = "removed";
/// The pack cannot be compared: its issue is not in the snapshot, or its item cannot be read.
pub const UNVERIFIABLE: &str = "unverifiable";

const NOT_BUILT: &str = "it was not built yet";

/// What a build did with a pack, or how the pack's file compares with what a build gives.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct PackState {
    /// The file's name.
    pub name: String,
    /// The root's id.
    pub root: String,
    pub profile: String,
    /// `written`, `unchanged`, `removed` or `failed` after a build; `fresh`, `stale`, `edited`, `missing`, `orphaned`,
    /// `unverifiable` or `failed` after a comparison.
    pub status: &'static str,
    /// Why it was written, removed or not built, or is not fresh.
    pub reasons: Vec<String>,
    /// Hash and size of the pack, if it was built.
    pub summary: Option<PackSummary>,
    /// The names of files that a build wrote or removed: the pack, its companion.
    pub files: Vec<String>,
}

impl PackState {
    /// Returns the state of a planned pack of which no file was touched.
    pub(super) fn new(plan: &Planned, status: &'static str, reasons: Vec<String>) -> Self {
        let (name, root, profile) = (plan.name.clone(), plan.root.to_string(), plan.profile.clone());
        Self { name, root, profile, status, reasons, summary: None, files: Vec::new() }
    }

    /// Compares a built pack, and its companion if there are any, with the files on disk.
    pub fn of(project: &Project<'_>, request: &CheckRequest<'_>, built: &Built) -> Result<Self, StoreError> {
        let CheckRequest { folder, markdown: with_companion, .. } = *request;
        let Built { plan, outcome } = built;
        let name = &plan.name;
        let (status, reasons) = match (outcome, folder.read(name)?) {
            (Err(fault), _) => (FAILED, vec![fault.message.clone()]),
            (Ok(_), None) => ("missing", vec![NOT_BUILT.to_owned()]),
            (Ok(sealed), Some(existing)) if sealed.is_unchanged(&existing) => {
                let rendering = with_companion.then(|| render::pack(sealed.pack()).whole());
                match rendering.map(|rendering| companion::fault(folder, name, &rendering)).transpose()?.flatten() {
                    Some((status, reason)) => (status, vec![reason]),
                    None if !with_companion && companion::exists(folder, name)? => {
                        ("stale", vec![obsolete_companion(name)])
                    }
                    None => ("fresh", Vec::new()),
                }
            }
            (Ok(sealed), Some(existing)) => match difference(&existing, sealed.pack(), &|name| project.has(name)) {
                Difference::Stale(_) if lost_its_issue(&existing, sealed.pack()) => {
                    (UNVERIFIABLE, vec![NOT_IN_SNAPSHOT.to_owned()])
                }
                Difference::Stale(reasons) => ("stale", reasons),
                Difference::Edited(reasons) => ("edited", reasons),
            },
        };
        let summary = outcome.as_ref().ok().map(|sealed| sealed.pack().into());
        Ok(Self { summary, ..Self::new(plan, status, reasons) })
    }
}

/// The files that a build is compared with.
#[derive(Debug, Clone, Copy)]
pub struct CheckRequest<'a> {
    pub folder: &'a Folder,
    /// Whether each pack has a Markdown companion.
    pub markdown: bool,
    /// Whether packs without a file are reported as missing without being built. This is much faster, but does not
    /// find out whether they can be built.
    pub skip_missing: bool,
}

/// Builds the packs of `job` in memory and compares them with the files on disk; `progress` is called once for each
/// pack, from several threads. Returns the states by name.
pub fn check_packs(
    files: &Repo,
    project: &Project<'_>,
    job: &BuildJob,
    request: &CheckRequest<'_>,
    progress: &(dyn Fn() + Sync),
) -> Result<(Vec<PackState>, BuildReport), EngineError> {
    let names = if request.skip_missing { request.folder.list()? } else { Vec::new() };
    let without_file = |plan: &Planned| {
        names.binary_search(&plan.name).is_err().then(|| {
            progress();
            Ok(PackState::new(plan, "missing", vec![NOT_BUILT.to_owned()]))
        })
    };
    let skip = request.skip_missing.then_some(&without_file as &Skip<'_, _>);
    let (states, build) = build_packs(files, project, job, skip, &|built| {
        let state = PackState::of(project, request, &built);
        progress();
        state
    })?;
    let mut states = states.into_iter().collect::<Result<Vec<PackState>, StoreError>>()?;
    states.sort();
    Ok((states, build))
}

fn obsolete_companion(name: &str) -> String {
    let markdown = companion::name(name);
    format!("`{markdown}` is beside it, and `output.markdown` is off: `contextpack build --prune` removes it")
}

/// Returns whether the pack on disk was built from its root's issue, and the new one was not.
pub fn lost_its_issue(existing: &[u8], built: &Pack) -> bool {
    let has = |pack: &Pack| {
        pack.inputs.iter().any(|input| input.kind == "issue" && input.url.is_some() && input.url == pack.root.issue_url)
    };
    !has(built) && read(existing).is_ok_and(|old| has(&old))
}

/// Returns the file names of the packs of these roots; `None` if two roots share one, so that neither is built.
pub fn pack_names(project: &Project<'_>, roots: &[usize], profiles: &[String]) -> Option<BTreeSet<String>> {
    let mut names = BTreeSet::new();
    for root in roots {
        let slug = slug(&project.pack_name(*root));
        if !profiles.iter().all(|profile| names.insert(format!("{slug}.{profile}.json"))) {
            return None;
        }
    }
    Some(names)
}
