//! The state of a pack's file, its comparison with the pack that a build gives, and packs that no build gives.

use super::{
    BuildJob, BuildReport, Built, EngineError, Planned, Project, Repository, Skip, build_packs, markdown_copy,
};
use crate::cache::{FreshnessPolicy, PackSummary};
use crate::model::{Diagnostic, IssueReference, OriginKind, slug};
use crate::render;
use crate::review::{Difference, PackStatus, difference, read, root_names};
use crate::seal::Sealed;
use crate::store::{Folder, StoreError};
use crate::wire::Pack;
use std::collections::BTreeSet;
use std::path::Path;

const NOT_BUILT: &str = "it was not built yet";
const NOT_IN_SNAPSHOT: &str = "its issue is not in the snapshot: run `contextpack sync`, or commit the snapshot";
const UNREADABLE: &str = "the file of its item cannot be read as a whole";
const DISPLACED: &str = "a link, or something else that is not read, is in the place of its item's file";

/// What a build did with a pack, or how the pack's file compares with what a build gives.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct PackState {
    pub name: String,
    pub root: String,
    pub profile: String,
    pub status: PackStatus,
    /// Why it was written, removed or not built, or is not fresh.
    pub reasons: Vec<String>,
    pub summary: Option<PackSummary>,
    /// The names of files that a build wrote or removed: the pack, its Markdown copy.
    pub files: Vec<String>,
}

impl PackState {
    /// Returns the state of a planned pack of which no file was touched.
    pub(super) fn new(plan: &Planned, status: PackStatus, reasons: Vec<String>) -> Self {
        let (name, root, profile) = (plan.name.clone(), plan.root.to_string(), plan.profile.clone());
        Self { name, root, profile, status, reasons, summary: None, files: Vec::new() }
    }

    /// Returns the state of a finished pack.
    pub fn of_pack(name: &str, pack: &Pack, status: PackStatus, reasons: Vec<String>) -> Self {
        let root = pack.root.name();
        let (name, root, profile) = (name.to_owned(), root.cloned().unwrap_or_default(), pack.profile.clone());
        Self { name, root, profile, status, reasons, summary: Some(pack.into()), files: Vec::new() }
    }

    /// Compares a built pack, and its Markdown copy if there are any, with the files on disk, if it is to have any.
    pub fn of(project: &Project<'_>, folder: Option<&Folder>, built: &Built) -> Result<Self, StoreError> {
        let with_copy = project.settings().output.markdown;
        let Built { plan, outcome } = built;
        let name = &plan.name;
        let existing = folder.map(|folder| Ok((folder, folder.read(name)?))).transpose()?;
        let (status, reasons) = match (outcome, existing) {
            (Err(fault), _) => (PackStatus::Failed, vec![project.masked(&fault.message)]),
            (Ok(_), None) => (PackStatus::Buildable, Vec::new()),
            (Ok(_), Some((_, None))) => (PackStatus::Missing, vec![NOT_BUILT.to_owned()]),
            (Ok(sealed), Some((folder, Some(existing)))) => match project.compare(&existing, sealed) {
                (PackStatus::Fresh, _) => {
                    let rendering = with_copy.then(|| render::pack(sealed.pack()).whole());
                    let fault =
                        rendering.map(|rendering| markdown_copy::fault(folder, name, &rendering)).transpose()?;
                    match fault.flatten() {
                        Some((status, reason)) => (status, vec![reason]),
                        None if !with_copy && markdown_copy::exists(folder, name)? => {
                            let copy = markdown_copy::name(name);
                            let help = "`output.markdown` is off: `contextpack build` removes it";
                            (PackStatus::Stale, vec![format!("its Markdown copy `{copy}` is there, and {help}")])
                        }
                        None => (PackStatus::Fresh, Vec::new()),
                    }
                }
                differing => differing,
            },
        };
        let summary = outcome.as_ref().ok().map(|sealed| sealed.pack().into());
        Ok(Self { summary, ..Self::new(plan, status, reasons) })
    }
}

/// Builds the packs of `job` in memory and returns their states by name, compared with the files in `folder`; without one packs
/// are on demand, and it counts whether they can be built. With `skips_known` a pack is not built if it has no file, or the cache
/// knows that its file is current. Several threads call `progress` once for each pack.
pub fn check_packs(
    repository: &Repository,
    project: &Project<'_>,
    job: &BuildJob,
    folder: Option<&Folder>,
    skips_known: bool,
    progress: &(dyn Fn() + Sync),
) -> Result<(Vec<PackState>, BuildReport), EngineError> {
    let names = folder.filter(|_| skips_known).map(Folder::list).transpose()?.unwrap_or_default();
    let (absent, reasons) = match folder {
        Some(_) => (PackStatus::Missing, vec![NOT_BUILT.to_owned()]),
        None => (PackStatus::OnDemand, Vec::new()),
    };
    let policy = FreshnessPolicy { exclusive: true, renderings: project.settings().output.markdown };
    let known = |plan: &Planned| {
        let state = match names.binary_search(&plan.name) {
            Err(_) => PackState::new(plan, absent, reasons.clone()),
            Ok(_) => {
                let pack = plan.cached(repository.cache()?, folder?, policy)?;
                PackState { summary: Some(pack.summary.clone()), ..PackState::new(plan, PackStatus::Fresh, Vec::new()) }
            }
        };
        progress();
        Some(Ok(state))
    };
    let skip = skips_known.then_some(&known as &Skip<'_, _>);
    let (states, build) = build_packs(repository.files(), project, job, skip, &|built| {
        let state = PackState::of(project, folder, &built);
        progress();
        state
    })?;
    let mut states = states.into_iter().collect::<Result<Vec<PackState>, StoreError>>()?;
    states.sort();
    Ok((states, build))
}

impl Project<'_> {
    /// Compares a finished pack with the one that a build gives: fresh, stale, edited or unverifiable, and why.
    pub fn compare(&self, existing: &[u8], built: &Sealed) -> (PackStatus, Vec<String>) {
        if built.is_unchanged(existing) {
            return (PackStatus::Fresh, Vec::new());
        }
        match difference(existing, built.pack(), &|name| self.has(name)) {
            Difference::Stale(_) if lost_its_issue(existing, built.pack()) => {
                (PackStatus::Unverifiable, vec![NOT_IN_SNAPSHOT.to_owned()])
            }
            Difference::Stale(reasons) => (PackStatus::Stale, reasons),
            Difference::Edited(reasons) => (PackStatus::Edited, reasons),
        }
    }
}

/// Returns whether the pack on disk was built from its root's issue, and the new one was not.
fn lost_its_issue(existing: &[u8], built: &Pack) -> bool {
    let has = |pack: &Pack| {
        pack.inputs.iter().any(|input| {
            input.kind == OriginKind::Issue.name() && input.url.is_some() && input.url == pack.root.issue_url
        })
    };
    !has(built) && read(existing).is_ok_and(|old| has(&old))
}

/// Returns whether the root of a pack is an issue that is not in the snapshot.
pub fn lacks_its_issue(project: &Project<'_>, pack: &Pack) -> bool {
    let url = pack.root.issue_url.as_deref().filter(|_| pack.root.work_item_id.is_none());
    url.and_then(IssueReference::parse).is_some_and(|issue| {
        project.graph().of_issue(project.corpus(), issue.repo.unwrap_or_default(), issue.number).is_none()
    })
}

/// Returns the file names of the packs of these roots; `None` if two roots share one, so that neither is built.
fn pack_names(project: &Project<'_>, roots: &[usize], profiles: &[String]) -> Option<BTreeSet<String>> {
    let mut names = BTreeSet::new();
    let mut slugs = roots.iter().map(|root| slug(&project.pack_name(*root)));
    let mut is_new = |slug: &str, profile: &String| names.insert(format!("{slug}.{profile}.json"));
    slugs.all(|slug| profiles.iter().all(|profile| is_new(&slug, profile))).then_some(names)
}

/// A pack in the folder that no root and profile produces.
pub(super) struct OrphanPack {
    name: String,
    pack: Pack,
    reason: String,
    pub(super) unverifiable: Option<&'static str>,
}

impl OrphanPack {
    pub(super) fn remove(self, folder: &Folder) -> Result<Option<PackState>, StoreError> {
        let markdown = markdown_copy::remove(folder, &self.name)?;
        if !folder.remove(&self.name)? {
            return Ok(None);
        }
        let markdown = markdown.then(|| markdown_copy::name(&self.name));
        let files = [self.name.clone()].into_iter().chain(markdown).collect();
        Ok(Some(PackState {
            files,
            ..PackState::of_pack(&self.name, &self.pack, PackStatus::Removed, vec![self.reason])
        }))
    }

    fn state(&self) -> PackState {
        let (status, reason) = match self.unverifiable {
            Some(why) => (PackStatus::Unverifiable, why.to_owned()),
            None => (PackStatus::Orphaned, format!("{}: `contextpack build` removes it", self.reason)),
        };
        PackState { summary: None, ..PackState::of_pack(&self.name, &self.pack, status, vec![reason]) }
    }
}

/// Returns the packs in the folder whose root or profile is gone, and those of issues that the snapshot lacks. `names`
/// are the packs of the build. Skipped are packs of handovers, and files that are no pack under their own name.
pub(super) fn orphans(
    folder: &Folder,
    names: &BTreeSet<&str>,
    diagnostics: &[Diagnostic],
    project: &Project<'_>,
    top: &Path,
) -> Result<Vec<OrphanPack>, StoreError> {
    let mut orphans = Vec::new();
    for name in folder.list()?.into_iter().filter(|name| !names.contains(name.as_str())) {
        let bytes = match folder.read(&name) {
            // No pack is as large as that.
            Err(error) if error.is_too_large() => continue,
            read => read?,
        };
        let Some(Ok(pack)) = bytes.map(|bytes| read(&bytes)) else { continue };
        // A pack of a handover belongs to no build: it states what was handed over at one time.
        let is_own = |root: &String| name == format!("{}.{}.json", slug(root), pack.profile);
        if pack.handover.is_none() && root_names(&pack.root).iter().any(is_own) {
            let unverifiable = unverifiable(&pack, diagnostics, project, top);
            let reason = orphaned_by(&name, &pack, names, project);
            orphans.push(OrphanPack { name, reason, pack, unverifiable });
        }
    }
    Ok(orphans)
}

/// Returns why a pack that a build does not give may still be valid.
fn unverifiable(pack: &Pack, diagnostics: &[Diagnostic], project: &Project<'_>, top: &Path) -> Option<&'static str> {
    if has_unread_root(pack, diagnostics) {
        Some(UNREADABLE)
    } else if lacks_its_issue(project, pack) {
        Some(NOT_IN_SNAPSHOT)
    } else {
        root_path(pack).is_some_and(|path| is_displaced(top, path)).then_some(DISPLACED)
    }
}

fn root_path(pack: &Pack) -> Option<&str> {
    pack.sections.iter().find(|section| section.id == "root.json")?.source.path.as_deref()
}

/// Returns whether the file of the root of a pack cannot be read as a whole, as `diagnostics` say.
pub fn has_unread_root(pack: &Pack, diagnostics: &[Diagnostic]) -> bool {
    let path = root_path(pack);
    let is_root = |fault: &Diagnostic| path.is_some() && fault.at.as_ref().map(|at| at.path.as_str()) == path;
    diagnostics.iter().any(|fault| fault.is_of_unread_item() && is_root(fault))
}

/// Returns the states of the packs in the folder that no root of `items` gives under `profiles`.
pub fn orphaned(
    repository: &Repository,
    project: &Project<'_>,
    items: &[usize],
    profiles: &[String],
    folder: &Folder,
    diagnostics: &[Diagnostic],
) -> Result<Vec<PackState>, StoreError> {
    let Some(names) = pack_names(project, items, profiles) else { return Ok(Vec::new()) };
    let names: BTreeSet<&str> = names.iter().map(String::as_str).collect();
    let orphans = orphans(folder, &names, diagnostics, project, repository.root())?;
    Ok(orphans.iter().map(OrphanPack::state).collect())
}

/// Returns which part of the configuration, or which missing item, keeps a build from giving the pack `name`.
fn orphaned_by(name: &str, pack: &Pack, names: &BTreeSet<&str>, project: &Project<'_>) -> String {
    let slug_of_pack = name.strip_suffix(&format!(".{}.json", pack.profile)).unwrap_or(name);
    let is_of_root = |other: &&str| {
        let stem = other.strip_suffix(".json").and_then(|stem| stem.rsplit_once('.'));
        stem.is_some_and(|(root, _)| root == slug_of_pack)
    };
    // Names sort by what they begin with.
    if names.range(slug_of_pack..).take_while(|other| other.starts_with(slug_of_pack)).any(is_of_root) {
        return format!("the profile `{}` is not among `output.profiles`", pack.profile);
    }
    let mut items = 0..project.corpus().entries.len();
    let exists = items.any(|item| slug(&project.pack_name(item)) == slug_of_pack);
    if exists { "its item is not among the `roots` of the configuration" } else { "its item is gone" }.to_owned()
}

/// Returns whether something else, such as a link, is in the place of a file or of a folder above it.
fn is_displaced(top: &Path, path: &str) -> bool {
    let mut here = top.to_path_buf();
    let mut parts = path.split('/').peekable();
    while let Some(part) = parts.next() {
        here.push(part);
        let is_last = parts.peek().is_none();
        match here.symlink_metadata() {
            Ok(there) if there.is_dir() && !is_last => {}
            Ok(there) => return !(there.is_file() && is_last),
            Err(error) => return error.kind() != std::io::ErrorKind::NotFound,
        }
    }
    false
}
