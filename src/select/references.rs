//! Sections of what the root refers to: documents, code, and lines of code at a commit.

use super::candidates::{Rank, SelectionBuilder};
use super::code::{add_lines, anchor, code_sections, lines_at_commit};
use super::mentioned::names_successor;
use super::{Candidate, Document, Evidence, Input, Omission, SectionBody, TextOrigin, Trust, removals};
use crate::config::Group;
use crate::graph::{FileKind, FileRef, Graph, ItemState, KeptCode, MissingReference, RecordedRemoval, ShownPlace};
use crate::model::{Digest, LineRange, RepoPath};
use crate::redact::{Clean, CleanBuf};
use std::sync::Arc;

/// A document that the root, or a neighbour that the profile names, refers to.
#[derive(Debug, Clone)]
pub struct ReferencedFile {
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

/// A code file that the root, or a neighbour that the profile names, refers to.
#[derive(Debug, Clone)]
pub struct ReferencedCode {
    pub path: RepoPath,
    /// The file's redacted path.
    pub shown: Clean,
    /// The text, or the reason of its omission (`docs/format.md`).
    pub document: Result<Arc<Document>, &'static str>,
    /// Whether an untrusted author could have put the file there.
    pub untrusted: bool,
    /// The first reference to the file as a whole.
    pub whole: Option<CodeUse>,
    /// The named lines, in order.
    pub lines: Vec<(LineRange, CodeUse)>,
}

/// A reference to code.
#[derive(Debug, Clone)]
pub struct CodeUse {
    /// The referring item: an index into the corpus.
    pub by: usize,
    pub at: ShownPlace,
    /// The commit whose lines are meant.
    pub commit: Option<Clean>,
}

/// Lines at a commit that the root, or a neighbour that the profile names, refers to.
#[derive(Debug, Clone)]
pub struct ReferencedLines {
    pub code: KeptCode<Clean>,
    /// What was removed from them.
    pub removals: Vec<RecordedRemoval>,
    /// The referring item: an index into the corpus.
    pub by: usize,
    pub at: ShownPlace,
}

/// The number of digits by which a title names a commit.
const SHORT_SHA: usize = 10;

/// Returns the prefix of the ids of sections of a kind of file, and their provenance.
fn naming(kind: FileKind) -> (&'static str, &'static str) {
    match kind {
        FileKind::Adr => ("adr.", "adr_ref"),
        FileKind::Document => ("file.", "doc_ref"),
        FileKind::Code => ("code.", "code_ref"),
    }
}

impl SelectionBuilder<'_> {
    /// Adds the section of a document, or of the part of it that is referred to.
    pub(super) fn file(&mut self, reference: &ReferencedFile) {
        let FileRef { kind, path, anchor, at, .. } = &reference.file;
        let Some(document) = self.readable(*kind, path, &reference.shown, &reference.document) else { return };
        // A missing heading has a warning of its own; the whole document is shown instead.
        let anchor = anchor.as_deref();
        let named = if anchor.is_none() { self.named_headings(reference.by, document) } else { Vec::new() };
        let section = self.context.file(document, *kind, anchor, named);
        let whole = || self.context.file(document, *kind, None, Vec::new());
        let Some((title, origin, body)) = section.or_else(whole) else { return };
        let (prefix, provenance) = naming(*kind);
        let mut id = CleanBuf::new();
        id.lit(prefix).text(&reference.shown);
        if let Some(anchor) = &origin.anchor {
            id.lit("#").text(anchor);
        }
        // A document that is an item has the item's state.
        let is_adr = *kind == FileKind::Adr;
        let item = self.context.graph.of_file(path).filter(|_| !is_adr);
        let state = item.map(|item| Graph::state(self.context.corpus, item));
        let replaces = reference.by == self.root && self.replaces_root(at);
        let settled = document.is_inactive || state.is_some_and(ItemState::is_settled);
        let group = if is_adr { Group::Adrs } else { Group::Documents };
        let rank = Rank {
            settled: settled && !replaces,
            needed: !is_adr && self.states_requirements(reference),
            ..Rank::of((!replaces).then_some(group))
        };
        let kind = if is_adr { "adr_excerpt" } else { "file_excerpt" };
        let candidate = Candidate {
            state: state.map(|state| Clean::literal(state.name())),
            status: match item {
                Some(item) => self.context.corpus.entries[item].item.status.clone(),
                None => document.status.clone().filter(|_| is_adr),
            },
            trust: Trust::of(reference.untrusted),
            removals: removals::from_file(&document.removals, &origin),
            ..Candidate::new(id.finish(), kind, title, origin, provenance, body)
        };
        self.put_reference(candidate, reference.by, at, rank);
    }

    /// Adds the sections of a code file: one of the whole, one for each group of named lines.
    pub(super) fn code(&mut self, reference: &ReferencedCode) {
        let ReferencedCode { path, shown, untrusted, .. } = reference;
        let Some(document) = self.readable(FileKind::Code, path, shown, &reference.document) else { return };
        for section in code_sections(self.context.profile.code_detail, reference, document) {
            let (mut id, mut title) = (CleanBuf::new(), CleanBuf::new());
            id.lit("code.").text(shown);
            title.line(shown);
            if let Some(named) = section.named {
                anchor(id.lit("#"), named);
                add_lines(title.lit(":"), named.first.into(), named.last.into());
            }
            let origin = TextOrigin {
                lines: section.lines,
                anchor: section.named.map(|named| anchor(&mut CleanBuf::new(), named).finish()),
                ..TextOrigin::file(shown)
            };
            let body = SectionBody::Levels(Arc::new(section.body));
            let candidate = Candidate {
                trust: Trust::of(*untrusted),
                removals: removals::from_file(&document.removals, &origin),
                ..Candidate::new(id.finish(), "file_excerpt", title.finish(), origin, "code_ref", body)
            };
            // Lines are more to the point than a file.
            let rank = Rank { needed: section.named.is_some(), ..Rank::of(Some(Group::Code)) };
            self.put_reference(candidate, section.from.by, &section.from.at, rank);
        }
    }

    /// Adds the section of lines at a commit.
    pub(super) fn kept_code(&mut self, reference: &ReferencedLines) {
        let ReferencedLines { code, removals, by, at } = reference;
        if self.shown.contains(&code.path) {
            return;
        }
        let (text, last) = lines_at_commit(code, self.context.profile.code_detail);
        let mut id = CleanBuf::new();
        id.lit("code.").text(&code.shown).lit("@").text(&code.commit).lit("#");
        let id = anchor(&mut id, code.lines).finish();
        let mut title = CleanBuf::new();
        add_lines(title.line(&code.shown).lit(":"), code.lines.first.into(), code.lines.last.into());
        title.lit(" as of ").part(&code.commit, 0..code.commit.floor_char_boundary(SHORT_SHA));
        let origin = TextOrigin {
            lines: Some([code.lines.first, last].map(u64::from)),
            anchor: Some(anchor(&mut CleanBuf::new(), code.lines).finish()),
            ..TextOrigin::file(&code.shown)
        };
        // The file of today may be another input.
        let input = TextOrigin { id: Some(id.clone()), ..TextOrigin::file(&code.shown) };
        self.record(Input { origin: input, digest: Some(Digest::of(code.text.as_str())) });
        let body = SectionBody::Levels(Arc::new(text));
        let candidate = Candidate {
            // GitHub shows commits of forks as those of the repo: the author of the URL may have written the lines.
            trust: Trust::of(self.context.corpus.entries[*by].is_untrusted_at(at)),
            removals: removals::records(removals, |removal| removal.in_body, &origin),
            ..Candidate::new(id, "file_excerpt", title.finish(), origin, "code_ref", body)
        };
        self.put_reference(candidate, *by, at, Rank { needed: true, ..Rank::of(Some(Group::Code)) });
    }

    /// Adds the omission of a reference that leads to no file that a pack may hold.
    pub(super) fn missing(&mut self, missing: &MissingReference) {
        let id = CleanBuf::new().lit(naming(missing.kind).0).line(&missing.written).finish();
        self.omit_reference(missing.kind, id, &missing.written, missing.reason, missing.untrusted);
    }

    /// Returns the document of a file without a section, and records it as an input; adds an omission for one that
    /// cannot be read.
    fn readable<'d>(
        &mut self,
        kind: FileKind,
        path: &RepoPath,
        shown: &Clean,
        document: &'d Result<Arc<Document>, &'static str>,
    ) -> Option<&'d Document> {
        if self.shown.contains(path) {
            return None;
        }
        match document {
            Ok(document) => {
                self.record(Input { origin: TextOrigin::file(shown), digest: Some(document.digest) });
                Some(document)
            }
            Err(reason) => {
                let id = CleanBuf::new().lit(naming(kind).0).text(shown).finish();
                // The title is the path of a file in the repo.
                self.omit_reference(kind, id, shown, reason, false);
                None
            }
        }
    }

    fn omit_reference(&mut self, kind: FileKind, id: Clean, path: &Clean, reason: &'static str, untrusted: bool) {
        self.omit(Omission {
            id,
            title: path.clone(),
            origin: TextOrigin::file(path),
            provenance: naming(kind).1,
            reason,
            trust: Trust::of(untrusted),
            chars: None,
        });
    }

    fn put_reference(&mut self, candidate: Candidate, by: usize, at: &ShownPlace, rank: Rank) {
        let at = self.context.corpus.entries[by].shown_at(at);
        let candidate = Candidate { evidence: Some(Evidence { source: "reference", at }), ..candidate };
        self.put(candidate, Rank { second_hop: by != self.root, ..rank });
    }

    /// Returns whether the root says at this place that a file replaces it.
    fn replaces_root(&self, at: &ShownPlace) -> bool {
        let entry = &self.context.corpus.entries[self.root];
        let origins = [&entry.item.body.origin, &entry.item.origin];
        let Some(origin) = origins.into_iter().find(|origin| origin.path == at.path) else { return false };
        self.is_settled_root() && names_successor(self.context.line_of(self.root, &origin.shown, at.line))
    }
}
