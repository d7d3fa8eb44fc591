//! The inputs of a pack: everything that was read to select its sections.

use super::candidates::SelectionBuilder;
use super::{Input, OriginKind, TextOrigin};
use crate::model::Digest;
use crate::redact::Clean;

impl SelectionBuilder<'_> {
    /// Records an item as an input: the digest of its whole text if it has a section (`whole`), else of its line in a
    /// list.
    pub(super) fn record_item(&mut self, item: usize, whole: bool) {
        let entry = &self.context.corpus.entries[item];
        let status = entry.item.status.as_deref().unwrap_or_default();
        // A line about an issue also names the issue's state.
        let state = entry.issue.as_ref().map(|issue| issue.state.name());
        let line = || {
            let parts: Vec<&str> = [&*entry.item.id, &*entry.item.title, status].into_iter().chain(state).collect();
            Digest::of(parts.join("\n"))
        };
        if entry.bare_issue().is_none() {
            let path = &entry.item.origin.shown;
            let origin = TextOrigin {
                id: Some(entry.item.id.clone()),
                path: Some(path.clone()),
                ..TextOrigin::new(OriginKind::WorkItem)
            };
            self.record_text(item, path, origin, whole, if whole { entry.digest } else { line() });
        }
        if let Some(issue) = entry.issue.as_ref().filter(|_| whole || entry.bare_issue().is_some()) {
            let origin = TextOrigin { url: Some(issue.url.clone()), ..TextOrigin::new(OriginKind::Issue) };
            self.record_text(item, &issue.url, origin, whole, if whole { issue.digest } else { line() });
        }
    }

    /// Records a text of `item` as an input; the digest of a whole text replaces that of a line.
    pub(super) fn record_text(&mut self, item: usize, place: &Clean, origin: TextOrigin, whole: bool, digest: Digest) {
        let key = (0, self.context.corpus.entries[item].item.id.to_string(), place.to_string());
        if whole || !self.inputs.contains_key(&key) {
            self.inputs.insert(key, Input { origin, digest: Some(digest) });
        }
    }

    /// Records an input that belongs to no item.
    pub(super) fn record(&mut self, input: Input) {
        let text = |part: &Option<Clean>| part.as_deref().unwrap_or_default().to_owned();
        let key = (1 + input.origin.kind as u8, text(&input.origin.id), text(&input.origin.path));
        self.inputs.insert(key, input);
    }
}
