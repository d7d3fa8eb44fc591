//! What an item's references come to: files, omissions, warnings; each once, in order.

use super::place::shown;
use super::{Entry, FileKind, FileRef, ItemReferences, MissingReference, ShownPlace};
use crate::model::{self, Code, Diagnostic, RepoPath, bounded, natural_cmp};
use crate::redact::{Clean, CleanBuf};
use std::collections::BTreeMap;

/// More sections of one file than these are the file.
const MOST_PARTS: usize = 50;

/// More references than these that cannot be taken for one reason are counted.
const MOST_MISSING: usize = 100;

/// Keeps the first of each reason, and one that counts the others.
fn counted(missing: Vec<MissingReference>) -> Vec<MissingReference> {
    let mut counts: BTreeMap<(FileKind, &str), (usize, ShownPlace, bool)> = BTreeMap::new();
    let mut kept = Vec::new();
    for missing in missing {
        let first = || (0, missing.at.clone(), false);
        let (count, at, untrusted) = counts.entry((missing.kind, missing.reason)).or_insert_with(first);
        *count += 1;
        *untrusted |= missing.untrusted;
        if *count <= MOST_MISSING {
            kept.push(missing);
        } else if missing.at < *at {
            *at = missing.at;
        }
    }
    for ((kind, reason), (count, at, untrusted)) in counts.into_iter().filter(|(_, (count, ..))| *count > MOST_MISSING)
    {
        let mut written = CleanBuf::new();
        written.number((count - MOST_MISSING) as u64).lit(" more: ").lit(reason);
        kept.push(MissingReference { written: written.finish(), kind, reason, at, untrusted });
    }
    kept
}

/// The parts of a file that are taken: all of it where one reference names no heading.
#[derive(Default)]
struct FileParts {
    adr: bool,
    whole: Option<ShownPlace>,
    named: BTreeMap<String, ShownPlace>,
}

/// What was found so far for one item.
pub(super) struct ReferenceCollector<'a> {
    entry: &'a Entry,
    files: BTreeMap<RepoPath, FileParts>,
    found: ItemReferences,
}

impl<'a> ReferenceCollector<'a> {
    pub(super) fn of(entry: &'a Entry) -> Self {
        Self { entry, files: BTreeMap::new(), found: ItemReferences::default() }
    }

    /// Whether the file is taken, or the item's own.
    pub(super) fn has(&self, path: &RepoPath) -> bool {
        self.is_own(path) || self.files.contains_key(path)
    }

    /// Takes a file, or one section of it; an item is no reference to itself.
    pub(super) fn take(&mut self, path: RepoPath, anchor: Option<String>, adr: bool, at: &ShownPlace) {
        if self.is_own(&path) {
            return;
        }
        let parts = self.files.entry(path).or_default();
        parts.adr |= adr;
        match anchor {
            None => parts.whole.get_or_insert_with(|| at.clone()),
            Some(anchor) => parts.named.entry(anchor).or_insert_with(|| at.clone()),
        };
    }

    /// Whether the file is the item's own.
    pub(super) fn is_own(&self, path: &RepoPath) -> bool {
        let draft = self.entry.draft.as_ref().is_some_and(|draft| draft.body.origin.path == *path);
        draft || *path == self.entry.item.origin.path || *path == self.entry.item.body.origin.path
    }

    /// The name is one that is never opened.
    pub(super) fn denied(&mut self, kind: FileKind, written: Clean, at: &ShownPlace) {
        self.miss(kind, written, "denied_path", at);
    }

    /// The reference leads out of the repo.
    pub(super) fn outside(&mut self, kind: FileKind, written: Clean, at: &ShownPlace) {
        let message = format!("`{}` leads out of the repo", shown(&written));
        self.warn(Code::OutsideReference, at, message, "name a file of this repo by its path from the root");
        self.miss(kind, written, "outside_repo", at);
    }

    /// Nothing that may be taken is there.
    pub(super) fn dangling(&mut self, kind: FileKind, written: Clean, at: &ShownPlace) {
        let what = match kind {
            FileKind::Adr => "ADR",
            FileKind::Document => "document",
        };
        let message = format!("no {what} of this repo is `{}`", shown(&written));
        self.warn(Code::DanglingReference, at, message, "correct the reference, or add and track the file");
        self.miss(kind, written, "not_in_repo", at);
    }

    /// More than one ADR has the number.
    pub(super) fn ambiguous(&mut self, written: Clean, all: &[&RepoPath], at: &ShownPlace) {
        let names: Vec<String> = all.iter().take(8).map(|path| format!("`{path}`")).collect();
        let message = format!("`{}` may be {}", shown(&written), names.join(" or "));
        self.warn(Code::AmbiguousReference, at, message, "name the file that is meant");
        self.miss(FileKind::Adr, written, "ambiguous", at);
    }

    fn miss(&mut self, kind: FileKind, written: Clean, reason: &'static str, at: &ShownPlace) {
        let untrusted = self.entry.is_untrusted_at(at);
        self.found.missing.push(MissingReference { written, kind, reason, untrusted, at: at.clone() });
    }

    pub(super) fn warn(&mut self, code: Code, at: &ShownPlace, message: String, help: &str) {
        let place = model::Place::line(at.path.clone(), at.line);
        let diagnostic = Diagnostic::new(code, Some(place), message).help(help);
        self.found.diagnostics.push(diagnostic.about(&*self.entry.item.id));
    }

    pub(super) fn finish(self) -> ItemReferences {
        let ItemReferences { mut files, mut missing, mut diagnostics } = self.found;
        for (path, parts) in self.files {
            let kind = if parts.adr { FileKind::Adr } else { FileKind::Document };
            let file = |anchor, at| FileRef { kind, path: path.clone(), anchor, at };
            // An excerpt of an ADR has headings of its own choice.
            let part = parts.named.values().min().filter(|_| parts.adr).cloned();
            // Nor is a file that is named heading by heading anything but itself.
            let many = parts.named.values().min().filter(|_| parts.named.len() > MOST_PARTS).cloned();
            match parts.whole.or(part).or(many) {
                Some(at) => files.push(file(None, at)),
                None => files.extend(parts.named.into_iter().map(|(anchor, at)| file(Some(anchor), at))),
            }
        }
        files.sort_by_key(|file| file.kind);
        missing.sort_by(|a, b| {
            natural_cmp(&a.written, &b.written)
                .then_with(|| (a.kind, a.reason).cmp(&(b.kind, b.reason)))
                // What a committed text names as well is no outsider's word.
                .then_with(|| (a.untrusted, &a.at).cmp(&(b.untrusted, &b.at)))
        });
        missing.dedup_by(|later, first| {
            (&later.written, later.kind, later.reason) == (&first.written, first.kind, first.reason)
        });
        let missing = counted(missing);
        diagnostics.sort();
        diagnostics.dedup();
        let diagnostics = bounded(diagnostics);
        ItemReferences { files, missing, diagnostics }
    }
}
