//! Compares the packs on disk with those that a build gives.

use super::orphans::NOT_IN_SNAPSHOT;
use super::{BuildJob, BuildReport, Built, EngineError, OrphanPack, Planned, Project, Skip, build_packs, companion};
use crate::intake::Repo;
use crate::model::slug;
use crate::render;
use crate::review::{Difference, difference, read};
use crate::store::{Folder, StoreError};
use crate::wire::Pack;
use std::collections::BTreeSet;

/// Why a pack without a file is missing.
const NOT_BUILT: &str = "it was not built yet";

/// The state of a pack on disk, compared with the one that a build gives.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct PackState {
    /// The file's name.
    pub name: String,
    /// The root's id.
    pub root: String,
    /// The profile.
    pub profile: String,
    /// `fresh`, `stale`, `edited`, `missing`, `orphaned`, `unverifiable` or `failed`.
    pub status: &'static str,
    /// Why it is not fresh.
    pub reasons: Vec<String>,
    /// The size of the built pack in characters, and in tokens if they are counted.
    pub size: Option<(u64, Option<u64>)>,
}

impl PackState {
    /// The state of a pack that has no file.
    fn missing(planned: &Planned) -> Self {
        Self {
            name: planned.name.clone(),
            root: planned.root.to_string(),
            profile: planned.profile.clone(),
            status: "missing",
            reasons: vec![NOT_BUILT.to_owned()],
            size: None,
        }
    }

    /// Compares a built pack, and its companion if there are any, with the files on disk.
    pub fn of(project: &Project<'_>, request: &CheckRequest<'_>, built: &Built) -> Result<Self, StoreError> {
        let CheckRequest { folder, markdown: with_companion, .. } = *request;
        let Built { plan: Planned { root, profile, name, .. }, outcome } = built;
        let existing = folder.read(name)?;
        let budget = outcome.as_ref().ok().map(|sealed| &sealed.pack().budget);
        let size = budget.map(|budget| (budget.used_chars, budget.used_tokens));
        let (status, reasons) = match (outcome, existing) {
            (Err(fault), _) => ("failed", vec![fault.message.clone()]),
            (Ok(_), None) => ("missing", vec![NOT_BUILT.to_owned()]),
            (Ok(sealed), Some(existing)) if sealed.is_unchanged(&existing) => {
                let rendering = with_companion.then(|| render::pack(sealed.pack()).whole());
                let fault =
                    rendering.map(|rendering| companion::fault(folder, name, &rendering)).transpose()?.flatten();
                match fault {
                    Some(fault) => (fault.status(), vec![fault.reason(name)]),
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
        let (name, profile) = (name.clone(), profile.clone());
        Ok(Self { name, root: root.to_string(), profile, status, reasons, size })
    }
}

/// The files that a build is compared with.
#[derive(Debug, Clone, Copy)]
pub struct CheckRequest<'a> {
    /// The folder of packs.
    pub folder: &'a Folder,
    /// Whether each pack has a Markdown companion.
    pub markdown: bool,
    /// Whether packs without a file are reported as missing without being built. This is much faster, but does not
    /// find out whether they can be built.
    pub skip_missing: bool,
}

/// Builds the packs of `job` in memory and compares them with the files on disk; `progress` is called once for each
/// pack, from several threads. Returns the states in the order of their fields.
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
            Ok(PackState::missing(plan))
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

impl From<OrphanPack> for PackState {
    fn from(orphan: OrphanPack) -> Self {
        let (status, reason) = match orphan.unverifiable {
            Some(why) => (UNVERIFIABLE, why.to_owned()),
            None => ("orphaned", format!("{}: `contextpack build --prune` removes it", orphan.reason)),
        };
        let root = orphan.root();
        Self { name: orphan.name, root, profile: orphan.pack.profile, status, reasons: vec![reason], size: None }
    }
}

/// The status of a pack that cannot be compared: its issue is not in the snapshot, or its item cannot be read.
pub const UNVERIFIABLE: &str = "unverifiable";

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
