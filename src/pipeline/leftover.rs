//! Issues of the snapshot that no pack can show any more.

use super::Project;
use crate::graph::Target;
use crate::model::{Code, RepoPath};
use std::collections::BTreeSet;

impl Project<'_> {
    /// The files of issues that are in the snapshot as somebody's neighbours and are nobody's any more, sorted.
    ///
    /// Whoever gets a pack keeps its neighbours: an issue that was asked for, and every work item. What
    /// neighbours refer to keeps nothing, as packs look one hop far. Where a file cannot be read nobody knows
    /// whom it names, so that nothing is left over.
    pub fn leftover_issues(&self) -> Vec<&RepoPath> {
        let unread = |code| matches!(code, Code::InvalidSnapshot | Code::InvalidItem | Code::UnreadableFile);
        if !self.unread.is_empty() || self.diagnostics.iter().any(|diagnostic| unread(diagnostic.code)) {
            return Vec::new();
        }
        let is_neighbour = |item: &usize| {
            let entry = &self.corpus.entries[*item];
            entry.bare_issue().is_some() && entry.item.no_pack
        };
        let (neighbours, others): (Vec<usize>, Vec<usize>) =
            (0..self.corpus.entries.len()).partition(|item| is_neighbour(item));
        let needed: BTreeSet<usize> = others
            .into_iter()
            .flat_map(|item| self.graph.edges(item))
            .filter_map(|edge| match edge.to {
                Target::Item(other) => Some(other),
                Target::Issue { .. } => None,
            })
            .collect();
        let left = neighbours.into_iter().filter(|item| !needed.contains(item));
        let mut paths: Vec<&RepoPath> = left.map(|item| &self.corpus.entries[item].item.origin.path).collect();
        paths.sort_unstable();
        paths
    }
}
