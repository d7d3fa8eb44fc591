//! Packs of the folder that no root and profile gives.

use super::Project;
use crate::model::{self, Code, Diagnostic};
use crate::review::{self, read};
use crate::store::{Folder, StoreError};
use crate::wire;
use std::collections::BTreeSet;
use std::path::Path;

/// Why a pack of GitHub's issue cannot be judged.
pub const NOT_IN_SNAPSHOT: &str = "its issue is not in the snapshot: run `contextpack sync`, or commit the snapshot";

/// A pack of the folder that no root and profile gave.
pub struct OrphanPack {
    /// The file's name.
    pub name: String,
    /// What the file holds.
    pub pack: wire::Pack,
    /// Why it may still be right, if it may: its issue is not in the snapshot, or something that is not read has taken
    /// the place of its item's file.
    pub unverifiable: Option<&'static str>,
}

impl OrphanPack {
    /// The root's id, or its issue's URL.
    pub fn root(&self) -> String {
        let root = &self.pack.root;
        root.work_item_id.clone().or_else(|| root.issue_url.clone()).unwrap_or_default()
    }
}

/// Packs of the folder whose root or profile is gone, and those of issues that the snapshot lacks.
///
/// A file that is no pack under its own name is none of them, nor is the pack
/// of an item whose file could not be read.
pub fn orphans(
    folder: &Folder,
    names: &BTreeSet<&str>,
    diagnostics: &[Diagnostic],
    project: &Project<'_>,
    top: &Path,
) -> Result<Vec<OrphanPack>, StoreError> {
    let unread: Vec<&str> = diagnostics
        .iter()
        .filter(|diagnostic| matches!(diagnostic.code, Code::InvalidItem | Code::UnreadableFile))
        .filter_map(|diagnostic| Some(diagnostic.at.as_ref()?.path.as_str()))
        .collect();
    let mut orphans = Vec::new();
    for name in folder.list()?.into_iter().filter(|name| !names.contains(name.as_str())) {
        let Some(Ok(pack)) = folder.read(&name)?.map(|bytes| read(&bytes)) else { continue };
        let source = pack
            .sections
            .iter()
            .find(|section| section.id == "root.json")
            .and_then(|section| section.source.path.as_deref());
        let own = review::root_names(&pack.root)
            .iter()
            .any(|root| name == format!("{}.{}.json", model::slug(root), pack.profile));
        if own && !source.is_some_and(|path| unread.contains(&path)) {
            let url = pack.root.issue_url.as_deref().filter(|_| pack.root.work_item_id.is_none());
            let lacks = |(repo, number)| project.graph().of_issue(project.corpus(), repo, number).is_none();
            let unverifiable = if url.and_then(review::parse_issue_url).is_some_and(lacks) {
                Some(NOT_IN_SNAPSHOT)
            } else if source.is_some_and(|path| is_displaced(top, path)) {
                Some("a link, or something else that is not read, is in the place of its item's file")
            } else {
                None
            };
            orphans.push(OrphanPack { name, pack, unverifiable });
        }
    }
    Ok(orphans)
}

/// Whether something exists at `path`, or at a folder above it, through which no file can be reached: a link, which may
/// lead nowhere, a pipe, or a folder in place of a file. Then it is not known that the file is gone.
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
