//! The collection of an item's references: files, omissions, warnings; each once, in order.

use super::quote::one_line;
use super::{Entry, FileKind, FileRef, ItemReferences, KeptCodeRef, MissingReference, ShownPlace};
use crate::model::{self, Code, Diagnostic, LineRange, RepoPath, bounded, natural_cmp};
use crate::records::KeptCode;
use crate::redact::{Clean, CleanBuf};
use std::collections::BTreeMap;

/// The most sections of one file that are included separately; more are the whole file.
const MOST_PARTS: usize = 50;

/// The most missing references with one reason that are listed; more are counted.
const MOST_MISSING: usize = 100;

/// The most code files of one item: each costs a section, a pointer or an omission.
const MOST_CODE_FILES: usize = 100;

/// Keeps the first missing references of each reason, and one entry that counts the others.
fn limit_missing(missing: Vec<MissingReference>) -> Vec<MissingReference> {
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

/// The referenced parts of a file: all of it if one reference names no heading.
#[derive(Default)]
struct FileParts {
    adr: bool,
    whole: Option<ShownPlace>,
    named: BTreeMap<String, ShownPlace>,
}

/// The referenced lines of a code file.
#[derive(Default)]
struct CodeParts {
    whole: Option<ShownPlace>,
    lines: BTreeMap<LineRange, (ShownPlace, Option<Clean>)>,
}

/// The references of one item found so far.
pub(super) struct ReferenceCollector<'a> {
    entry: &'a Entry,
    files: BTreeMap<RepoPath, FileParts>,
    code: BTreeMap<RepoPath, CodeParts>,
    /// The lines that the snapshot keeps, by their index in the code of the item's issue.
    kept: BTreeMap<usize, ShownPlace>,
    found: ItemReferences,
}

impl<'a> ReferenceCollector<'a> {
    pub(super) fn of(entry: &'a Entry) -> Self {
        let (files, code, kept) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        Self { entry, files, code, kept, found: ItemReferences::default() }
    }

    /// Returns whether the file is referenced already, or the item's own.
    pub(super) fn contains(&self, path: &RepoPath) -> bool {
        self.is_own(path) || self.files.contains_key(path)
    }

    /// Adds a file, or one section of it; the item's own files are ignored.
    pub(super) fn add_file(&mut self, path: RepoPath, anchor: Option<String>, adr: bool, at: &ShownPlace) {
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

    /// Adds a code file: all of it, or the stated lines. Of an item that names very many files the first count.
    pub(super) fn add_code(
        &mut self,
        path: RepoPath,
        lines: &[LineRange],
        commit: Option<&Clean>,
        at: &ShownPlace,
        written: impl FnOnce() -> Clean,
    ) {
        if self.is_own(&path) || self.files.contains_key(&path) {
            return;
        }
        if self.code.len() >= MOST_CODE_FILES && !self.code.contains_key(&path) {
            return self.add_missing(FileKind::Code, written(), "limit", at);
        }
        let parts = self.code.entry(path).or_default();
        if lines.is_empty() {
            parts.whole.get_or_insert_with(|| at.clone());
        }
        for lines in lines {
            let known = parts.lines.entry(*lines).or_insert_with(|| (at.clone(), commit.cloned()));
            // Lines that are named without a commit are those of today.
            if commit.is_none() {
                known.1 = None;
            }
        }
    }

    /// Adds lines of a file as they were at a commit, if the snapshot keeps all of them; else returns `false`.
    pub(super) fn add_kept_code(
        &mut self,
        path: &RepoPath,
        commit: &str,
        lines: &[LineRange],
        at: &ShownPlace,
    ) -> bool {
        let kept = self.entry.issue.as_ref().map_or(&[][..], |issue| &issue.code);
        let is_named = |code: &KeptCode<Clean>, lines: &LineRange| {
            code.path == *path && code.lines == *lines && *code.commit == *commit && !code.text.is_empty()
        };
        let found: Option<Vec<usize>> =
            lines.iter().map(|lines| kept.iter().position(|code| is_named(code, lines))).collect();
        let Some(found) = found.filter(|found| !found.is_empty()) else { return false };
        for index in found {
            self.kept.entry(index).or_insert_with(|| at.clone());
        }
        true
    }

    /// Returns whether the file is the item's own.
    pub(super) fn is_own(&self, path: &RepoPath) -> bool {
        let draft = self.entry.draft.as_ref().is_some_and(|draft| draft.body.origin.path == *path);
        draft || *path == self.entry.item.origin.path || *path == self.entry.item.body.origin.path
    }

    /// Adds a reference to a denied name.
    pub(super) fn add_denied(&mut self, kind: FileKind, written: Clean, at: &ShownPlace) {
        self.add_missing(kind, written, "denied_path", at);
    }

    /// Adds a reference to boilerplate by the name of the file.
    pub(super) fn add_boilerplate(&mut self, kind: FileKind, name: Clean, at: &ShownPlace) {
        self.add_missing(kind, name, "boilerplate", at);
    }

    /// Adds a reference that leads out of the repo, with a warning.
    pub(super) fn add_outside(&mut self, kind: FileKind, written: Clean, at: &ShownPlace) {
        let message = format!("`{}` leads out of the repo", one_line(&written));
        self.warn(Code::OutsideReference, at, message, "name a file of this repo by its path from the root");
        self.add_missing(kind, written, "outside_repo", at);
    }

    /// Adds a reference to a file that does not exist, with a warning.
    pub(super) fn add_dangling(&mut self, kind: FileKind, written: Clean, at: &ShownPlace) {
        let what = match kind {
            FileKind::Adr => "ADR",
            FileKind::Document => "document",
            FileKind::Code => "file",
        };
        let message = format!("no {what} of this repo is `{}`", one_line(&written));
        self.warn(Code::DanglingReference, at, message, "correct the reference, or add and track the file");
        self.add_missing(kind, written, "not_in_repo", at);
    }

    /// Adds a reference that fits more than one file, with a warning.
    pub(super) fn add_ambiguous(&mut self, kind: FileKind, written: Clean, all: &[&RepoPath], at: &ShownPlace) {
        let names: Vec<String> = all.iter().take(8).map(|path| format!("`{path}`")).collect();
        let message = format!("`{}` may be {}", one_line(&written), names.join(" or "));
        self.warn(Code::AmbiguousReference, at, message, "name the file that is meant");
        self.add_missing(kind, written, "ambiguous", at);
    }

    fn add_missing(&mut self, kind: FileKind, written: Clean, reason: &'static str, at: &ShownPlace) {
        let untrusted = self.entry.is_untrusted_at(at);
        self.found.missing.push(MissingReference { written, kind, reason, untrusted, at: at.clone() });
    }

    pub(super) fn warn(&mut self, code: Code, at: &ShownPlace, message: String, help: &str) {
        let place = model::Place::line(at.path.clone(), at.line);
        let diagnostic = Diagnostic::new(code, Some(place), message).help(help);
        self.found.diagnostics.push(diagnostic.about(&*self.entry.item.id));
    }

    pub(super) fn finish(self) -> ItemReferences {
        let ItemReferences { mut files, kept: _, mut missing, mut diagnostics } = self.found;
        let kept = self.kept.into_iter().map(|(index, at)| KeptCodeRef { index, at }).collect();
        for (path, parts) in self.files {
            let kind = if parts.adr { FileKind::Adr } else { FileKind::Document };
            let file = |anchor, at| FileRef { kind, path: path.clone(), anchor, lines: None, commit: None, at };
            // An excerpt of an ADR has headings of its own choice.
            let part = parts.named.values().min().filter(|_| parts.adr).cloned();
            // A file of which very many headings are named is included whole.
            let many = parts.named.values().min().filter(|_| parts.named.len() > MOST_PARTS).cloned();
            match parts.whole.or(part).or(many) {
                Some(at) => files.push(file(None, at)),
                None => files.extend(parts.named.into_iter().map(|(anchor, at)| file(Some(anchor), at))),
            }
        }
        for (path, parts) in self.code {
            let file = |lines, commit, at| FileRef {
                kind: FileKind::Code,
                path: path.clone(),
                anchor: None,
                lines,
                commit,
                at,
            };
            // A file of which very many lines are named is an outline.
            let many = parts.lines.values().map(|(at, _)| at).min().filter(|_| parts.lines.len() > MOST_PARTS).cloned();
            let lines = if many.is_some() { BTreeMap::new() } else { parts.lines };
            files.extend(parts.whole.or(many).map(|at| file(None, None, at)));
            files.extend(lines.into_iter().map(|(lines, (at, commit))| file(Some(lines), commit, at)));
        }
        files.sort_by_key(|file| file.kind);
        missing.sort_by(|a, b| {
            natural_cmp(&a.written, &b.written)
                .then_with(|| (a.kind, a.reason).cmp(&(b.kind, b.reason)))
                // A reference that a committed text has too is not untrusted.
                .then_with(|| (a.untrusted, &a.at).cmp(&(b.untrusted, &b.at)))
        });
        missing.dedup_by(|later, first| {
            (&later.written, later.kind, later.reason) == (&first.written, first.kind, first.reason)
        });
        let missing = limit_missing(missing);
        diagnostics.sort();
        diagnostics.dedup();
        let diagnostics = bounded(diagnostics);
        ItemReferences { files, kept, missing, diagnostics }
    }
}
