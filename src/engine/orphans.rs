//! Finds packs in the output folder that belong to no root and profile.

use super::pack_state::{self, PackState, UNVERIFIABLE};
use super::{Project, Repository, companion, pack_names};
use crate::model::{self, Diagnostic, IssueReference};
use crate::review::{self, read};
use crate::store::{Folder, StoreError};
use crate::wire;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

pub const NOT_IN_SNAPSHOT: &str = "its issue is not in the snapshot: run `contextpack sync`, or commit the snapshot";

const UNREADABLE: &str = "the file of its item cannot be read as a whole";

/// A pack in the folder that no root and profile produces.
pub struct OrphanPack {
    pub name: String,
    pub pack: wire::Pack,
    /// Why no build gives it, if it is certainly orphaned.
    pub reason: String,
    /// Why it may still be valid: its issue is not in the snapshot, or its item's file cannot be read or was replaced by
    /// something else.
    pub unverifiable: Option<&'static str>,
}

impl OrphanPack {
    pub(super) fn remove(self, folder: &Folder) -> Result<Option<PackState>, StoreError> {
        let markdown = companion::remove(folder, &self.name)?;
        if !folder.remove(&self.name)? {
            return Ok(None);
        }
        let markdown = markdown.then(|| companion::name(&self.name));
        let files = [self.name.clone()].into_iter().chain(markdown).collect();
        Ok(Some(PackState { files, ..self.state(pack_state::REMOVED, String::clone) }))
    }

    fn state(self, status: &'static str, reason: impl Fn(&String) -> String) -> PackState {
        let root = &self.pack.root;
        PackState {
            root: root.work_item_id.clone().or_else(|| root.issue_url.clone()).unwrap_or_default(),
            status,
            reasons: vec![reason(&self.reason)],
            summary: Some((&self.pack).into()),
            files: Vec::new(),
            profile: self.pack.profile,
            name: self.name,
        }
    }
}

impl From<OrphanPack> for PackState {
    fn from(orphan: OrphanPack) -> Self {
        let state = match orphan.unverifiable {
            Some(why) => orphan.state(UNVERIFIABLE, |_| why.to_owned()),
            None => orphan.state("orphaned", |reason| format!("{reason}: `contextpack build --prune` removes it")),
        };
        Self { summary: None, ..state }
    }
}

/// Returns the packs in the folder whose root or profile is gone, and those of issues that the snapshot lacks. `names`
/// are the packs of the build. Skipped are packs of handovers, and files that are no pack under their own name.
pub fn orphans(
    folder: &Folder,
    names: &BTreeSet<&str>,
    diagnostics: &[Diagnostic],
    project: &Project<'_>,
    top: &Path,
) -> Result<Vec<OrphanPack>, StoreError> {
    let unread: Vec<&str> = diagnostics
        .iter()
        .filter(|diagnostic| diagnostic.is_of_unread_item())
        .filter_map(|diagnostic| Some(diagnostic.at.as_ref()?.path.as_str()))
        .collect();
    let mut orphans = Vec::new();
    for name in folder.list()?.into_iter().filter(|name| !names.contains(name.as_str())) {
        let bytes = match folder.read(&name) {
            // No pack is as large as that.
            Err(error) if error.is_too_large() => continue,
            read => read?,
        };
        let Some(Ok(pack)) = bytes.map(|bytes| read(&bytes)) else { continue };
        // It belongs to no build: it states what was handed over at one time.
        if pack.handover.is_some() {
            continue;
        }
        let source = pack
            .sections
            .iter()
            .find(|section| section.id == "root.json")
            .and_then(|section| section.source.path.as_deref());
        let own = review::root_names(&pack.root)
            .iter()
            .any(|root| name == format!("{}.{}.json", model::slug(root), pack.profile));
        if own {
            let url = pack.root.issue_url.as_deref().filter(|_| pack.root.work_item_id.is_none());
            let lacks = |issue: IssueReference<'_>| {
                let repo = issue.repo.unwrap_or_default();
                project.graph().of_issue(project.corpus(), repo, issue.number).is_none()
            };
            let unverifiable = if source.is_some_and(|path| unread.contains(&path)) {
                Some(UNREADABLE)
            } else if url.and_then(IssueReference::parse).is_some_and(lacks) {
                Some(NOT_IN_SNAPSHOT)
            } else if source.is_some_and(|path| is_displaced(top, path)) {
                Some("a link, or something else that is not read, is in the place of its item's file")
            } else {
                None
            };
            let reason = orphaned_by(&name, &pack, names, project);
            orphans.push(OrphanPack { name, reason, pack, unverifiable });
        }
    }
    Ok(orphans)
}

/// Returns the states of the packs in the folder that no root of `items` gives under `profiles`; `diagnostics` are those of
/// their build.
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
    Ok(orphans.into_iter().map(PackState::from).collect())
}

/// Returns the roots whose packs in the folder hold one of these items, each with the first of them.
pub(super) fn holding(folder: &Folder, items: &BTreeMap<&str, usize>) -> BTreeMap<String, usize> {
    let mut holding = BTreeMap::new();
    for name in folder.list().unwrap_or_default() {
        let Some(Ok(pack)) = folder.read(&name).ok().flatten().map(|bytes| read(&bytes)) else { continue };
        let inputs = pack.inputs.iter().filter_map(|input| input.id.as_deref().filter(|_| input.kind == "work_item"));
        let edges = pack.sections.iter().filter_map(|section| section.metadata.edges.as_ref()).flatten();
        let edges = edges.map(|edge| edge.to.as_str());
        let held = inputs.chain(edges).find_map(|id| items.get(id));
        if let (Some(held), Some(root)) = (held, pack.root.work_item_id) {
            holding.entry(root).or_insert(*held);
        }
    }
    holding
}

/// Returns which part of the configuration, or which missing item, keeps a build from giving the pack `name`; `names` are those
/// that it gives.
fn orphaned_by(name: &str, pack: &wire::Pack, names: &BTreeSet<&str>, project: &Project<'_>) -> String {
    let end = format!(".{}.json", pack.profile);
    let slug = name.strip_suffix(&end).unwrap_or(name);
    let is_of_root = |other: &&str| {
        other.strip_suffix(".json").and_then(|stem| stem.rsplit_once('.')).is_some_and(|(root, _)| root == slug)
    };
    // Names sort by what they begin with.
    if names.range(slug..).take_while(|other| other.starts_with(slug)).any(is_of_root) {
        return format!("the profile `{}` is not among `output.profiles`", pack.profile);
    }
    let mut items = 0..project.corpus().entries.len();
    match items.any(|item| model::slug(&project.pack_name(item)) == slug) {
        true => "its item is not among the `roots` of the configuration".to_owned(),
        false => "its item is gone".to_owned(),
    }
}

/// Returns whether something other than a file is at `path`, or something other than a folder above it, such as a link
/// or a pipe. Then it is unknown whether the file is gone.
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
