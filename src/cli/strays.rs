//! Packs of the folder that no root and profile gives.

use super::packs::Run;
use contextpack::model::{self, Code};
use contextpack::pipeline::Desk;
use contextpack::review::{self, read};
use contextpack::store::{Folder, StoreError};
use contextpack::wire;
use std::collections::BTreeSet;

/// A pack of the folder that no root and profile gave.
pub(crate) struct Stray {
    pub(crate) name: String,
    pub(crate) pack: wire::Pack,
    /// Whether it may still be right: it is of an issue that the snapshot lacks.
    pub(crate) unverifiable: bool,
}

impl Stray {
    /// The root's id, or its issue's URL.
    pub(crate) fn root(&self) -> String {
        let root = &self.pack.root;
        root.work_item_id.clone().or_else(|| root.issue_url.clone()).unwrap_or_default()
    }
}

/// Packs of the folder whose root or profile is gone, and those of issues that the snapshot lacks.
///
/// A file that is no pack under its own name is none of them, nor is the pack
/// of an item whose file could not be read.
pub(crate) fn strays(
    folder: &Folder,
    names: &BTreeSet<&str>,
    run: &Run,
    desk: &Desk<'_>,
) -> Result<Vec<Stray>, StoreError> {
    let unread: Vec<&str> = run
        .diagnostics
        .iter()
        .filter(|diagnostic| matches!(diagnostic.code, Code::InvalidItem | Code::UnreadableFile))
        .filter_map(|diagnostic| Some(diagnostic.at.as_ref()?.path.as_str()))
        .collect();
    let mut strays = Vec::new();
    for name in folder.list()?.into_iter().filter(|name| !names.contains(name.as_str())) {
        let Some(Ok(pack)) = folder.read(&name)?.map(|bytes| read(&bytes)) else { continue };
        let source = pack
            .sections
            .iter()
            .find(|section| section.id == "root.json")
            .and_then(|section| section.source.path.as_deref());
        let own =
            review::names(&pack.root).iter().any(|root| name == format!("{}.{}.json", model::slug(root), pack.profile));
        if own && !source.is_some_and(|path| unread.contains(&path)) {
            let url = pack.root.issue_url.as_deref().filter(|_| pack.root.work_item_id.is_none());
            let lacks = |(repo, number)| desk.graph().of_issue(desk.corpus(), repo, number).is_none();
            let unverifiable = url.and_then(review::issue).is_some_and(lacks);
            strays.push(Stray { name, pack, unverifiable });
        }
    }
    Ok(strays)
}
