//! Sections of the files that the root refers to.

use super::candidates::SelectionBuilder;
use super::context::Document;
use super::mentioned::names_successor;
use super::rank::Rank;
use super::removals;
use super::{Candidate, Evidence, Input, Omission, OriginKind, Role, TextOrigin, TrimRank, Trust};
use crate::config::Group;
use crate::graph::{FileKind, FileRef, Graph, ItemState, MissingReference};
use crate::redact::{Clean, CleanBuf};
use std::sync::Arc;

/// A file that the root, or a neighbour that the profile names, refers to.
#[derive(Debug, Clone)]
pub struct ReferencedFile {
    /// The reference.
    pub file: FileRef,
    /// The referring item: an index into the corpus.
    pub by: usize,
    /// The file's redacted path.
    pub shown: Clean,
    /// The document, or the reason of its omission (`docs/format.md`).
    pub document: Result<Arc<Document>, &'static str>,
    /// Whether an untrusted author could have put the file there, see [`Untracked`](crate::model::Untracked).
    pub untrusted: bool,
}

impl SelectionBuilder<'_> {
    pub(super) fn file(&mut self, reference: &ReferencedFile) {
        if self.has_section(&reference.file.path) {
            return;
        }
        let adr = reference.file.kind == FileKind::Adr;
        let (prefix, provenance, kind) =
            if adr { ("adr.", "adr_ref", "adr_excerpt") } else { ("file.", "doc_ref", "file_excerpt") };
        let mut id = CleanBuf::new();
        id.lit(prefix).text(&reference.shown);
        let source = TextOrigin { path: Some(reference.shown.clone()), ..TextOrigin::new(OriginKind::File) };
        let document = match &reference.document {
            Ok(document) => document,
            Err(reason) => {
                let omission = Omission {
                    id: id.finish(),
                    title: reference.shown.clone(),
                    origin: source,
                    provenance,
                    reason,
                    // The title is the path of a file in the repo.
                    trust: Trust::Trusted,
                    chars: None,
                };
                return self.omit(omission);
            }
        };
        self.record(Input { origin: source, digest: Some(document.digest) });
        // A missing heading has a warning of its own; the whole document is shown instead.
        let anchor = reference.file.anchor.as_deref();
        let named = if anchor.is_none() { self.named_headings(reference.by, document) } else { Vec::new() };
        let Some((title, origin, body)) = self
            .context
            .file(document, reference.file.kind, anchor, named)
            .or_else(|| self.context.file(document, reference.file.kind, None, Vec::new()))
        else {
            return;
        };
        if let Some(anchor) = &origin.anchor {
            id.lit("#").text(anchor);
        }
        // A document that is an item has the item's state.
        let item = self.context.graph.of_file(&reference.file.path).filter(|_| !adr);
        let state = item.map(|item| Graph::state(self.context.corpus, item));
        let replaces = reference.by == self.root && self.replaces_root(reference);
        let first_line = origin.lines.map_or(1, |lines| lines[0]);
        let last_line = origin.lines.map_or(u64::MAX, |lines| lines[1]);
        let removals = removals::records(&document.removals, |removal| removal.in_body, &origin)
            .into_iter()
            .filter(|removal| (first_line..=last_line).contains(&removal.line))
            .collect();
        let at = self.context.corpus.entries[reference.by].shown_at(&reference.file.at);
        let candidate = Candidate {
            id: id.finish(),
            kind,
            title,
            origin,
            provenance,
            role: Role::Rank(TrimRank::default()),
            body,
            state: state.map(|state| Clean::literal(state.name())),
            status: match item {
                Some(item) => self.context.corpus.entries[item].item.status.clone(),
                None => document.status.clone().filter(|_| adr),
            },
            trust: Trust::of(reference.untrusted),
            by: None,
            relation: None,
            evidence: Some(Evidence { source: "reference", at }),
            document: None,
            card: None,
            removals,
        };
        let group = if adr { Group::Adrs } else { Group::Documents };
        let needed = !adr && self.states_requirements(reference);
        let second_hop = reference.by != self.root;
        let settled = document.is_inactive || state.is_some_and(ItemState::is_settled);
        let group = if replaces { None } else { Some(group) };
        self.put(candidate, Rank { settled: settled && !replaces, needed, second_hop, ..Rank::of(group) });
    }

    /// Returns whether the root says that a file replaces it.
    fn replaces_root(&self, reference: &ReferencedFile) -> bool {
        let at = &reference.file.at;
        let entry = &self.context.corpus.entries[self.root];
        let origins = [&entry.item.body.origin, &entry.item.origin];
        let Some(origin) = origins.into_iter().find(|origin| origin.path == at.path) else { return false };
        self.is_settled_root() && names_successor(self.context.line_of(self.root, &origin.shown, at.line))
    }

    pub(super) fn missing(&mut self, missing: &MissingReference) {
        let (prefix, provenance) = match missing.kind {
            FileKind::Adr => ("adr.", "adr_ref"),
            FileKind::Document => ("file.", "doc_ref"),
            FileKind::Code => ("code.", "code_ref"),
        };
        let mut id = CleanBuf::new();
        id.lit(prefix).line(&missing.written);
        let origin = TextOrigin { path: Some(missing.written.clone()), ..TextOrigin::new(OriginKind::File) };
        let omission = Omission {
            id: id.finish(),
            title: missing.written.clone(),
            origin,
            provenance,
            reason: missing.reason,
            trust: Trust::of(missing.untrusted),
            chars: None,
        };
        self.omit(omission);
    }
}
