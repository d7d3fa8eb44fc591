//! The references of an item to files: found, left out, with warnings; each once, in order.

use super::entry::{Entry, ShownPlace};
use super::mentioned::MentionedItem;
use super::quote::one_line;
use crate::model::{Code, Diagnostic, LineRange, Place, RepoPath, bounded, named_enum, natural_cmp};
use crate::records::KeptCode;
use crate::redact::{Clean, CleanBuf};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The kind of a referenced file: ADRs before documents, code last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum FileKind {
    Adr,
    Document,
    Code,
}

/// A file that an item refers to, found in the repo (not yet read: reading may still be refused).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileRef {
    pub kind: FileKind,
    pub path: RepoPath,
    /// The anchor of the heading if only that section is meant. A reference to the whole file wins over one to a part.
    pub anchor: Option<String>,
    pub lines: Option<LineRange>,
    /// A cache holds no reference that has one.
    #[serde(skip)]
    pub commit: Option<Clean>,
    pub at: ShownPlace,
    /// The place of a document in the item's list of documents; others come behind them.
    pub order: usize,
}

/// Lines of a file at a commit that an item names by a URL, and that the snapshot keeps.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct KeptCodeRef {
    pub index: usize,
    pub at: ShownPlace,
}

named_enum! {
    /// Why a reference is not in a pack, as packs say it.
    pub enum MissingReason {
        Ambiguous = "ambiguous",
        Boilerplate = "boilerplate",
        Denied = "denied_path",
        Limit = "limit",
        NotInRepo = "not_in_repo",
        OtherAgent = "other_agent",
        OutsideRepo = "outside_repo",
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct MissingReference {
    /// The reference as written; of boilerplate the path of the file. A cache keeps it apart, as every text.
    #[serde(skip)]
    pub written: Clean,
    pub kind: FileKind,
    pub reason: MissingReason,
    pub untrusted: bool,
    pub at: ShownPlace,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ItemReferences {
    /// Files, ADRs first, in the order of the field `docs`, then by path; each once, code files once for each range of lines.
    pub files: Vec<FileRef>,
    /// The lines at commits that the snapshot keeps, in its order, each once.
    pub kept: Vec<KeptCodeRef>,
    pub missing: Vec<MissingReference>,
    pub diagnostics: Vec<Diagnostic>,
    /// The items that its text names, each once, in the order of the text.
    pub mentioned: Vec<MentionedItem>,
}

/// The most parts of one file that are included separately; more are the whole file, or its outline.
const MAX_PARTS: usize = 50;
/// The most missing references with one reason that are listed; more are counted.
const MAX_MISSING: usize = 100;
/// The most code files of one item: each costs a section, a pointer or an omission.
const MAX_CODE_FILES: usize = 100;

type FilePart = (Option<String>, Option<LineRange>);

/// The references to one file: the first place of each part and of the whole, and the commit whose lines are meant.
#[derive(Default)]
struct FileParts {
    is_adr: bool,
    order: Option<usize>,
    whole: Option<ShownPlace>,
    named: BTreeMap<FilePart, (ShownPlace, Option<Clean>)>,
}

pub(super) enum Absence<'p> {
    NotInRepo,
    /// A line of code in a file that is not there: texts name lines of other versions and repos.
    NoSuchPlace,
    OutsideRepo,
    Denied,
    Boilerplate,
    Ambiguous(&'p [&'p RepoPath]),
    Limit,
}

pub(super) struct ReferenceCollector<'a> {
    entry: &'a Entry,
    /// The place in the field `docs` that is read.
    pub(super) order: Option<usize>,
    documents: BTreeMap<RepoPath, FileParts>,
    code: BTreeMap<RepoPath, FileParts>,
    kept: BTreeMap<usize, ShownPlace>,
    missing: Vec<MissingReference>,
    diagnostics: Vec<Diagnostic>,
}

impl<'a> ReferenceCollector<'a> {
    pub(super) fn of(entry: &'a Entry) -> Self {
        let (documents, code, kept) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        Self { entry, order: None, documents, code, kept, missing: Vec::new(), diagnostics: Vec::new() }
    }

    pub(super) fn is_own(&self, path: &RepoPath) -> bool {
        self.entry.origins().any(|origin| origin.path == *path)
    }

    /// Returns whether the file is referenced already as a document, or the item's own.
    pub(super) fn contains(&self, path: &RepoPath) -> bool {
        self.is_own(path) || self.documents.contains_key(path)
    }

    /// Adds a file, or one section of it; the item's own files are ignored.
    pub(super) fn add_file(&mut self, path: RepoPath, anchor: Option<String>, is_adr: bool, at: &ShownPlace) {
        if self.is_own(&path) {
            return;
        }
        let parts = self.documents.entry(path).or_default();
        parts.order = parts.order.or(self.order);
        parts.is_adr |= is_adr;
        match anchor {
            None => drop(parts.whole.get_or_insert_with(|| at.clone())),
            part => drop(parts.named.entry((part, None)).or_insert_with(|| (at.clone(), None))),
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
        if self.contains(&path) {
            return;
        }
        if self.code.len() >= MAX_CODE_FILES && !self.code.contains_key(&path) {
            return self.add_missing(FileKind::Code, written(), Absence::Limit, at);
        }
        let parts = self.code.entry(path).or_default();
        if lines.is_empty() {
            parts.whole.get_or_insert_with(|| at.clone());
        }
        for lines in lines {
            let known = parts.named.entry((None, Some(*lines))).or_insert_with(|| (at.clone(), commit.cloned()));
            // Lines that are named without a commit are those of today.
            if commit.is_none() {
                known.1 = None;
            }
        }
    }

    /// Adds lines of a file as they were at a commit, if the snapshot keeps all of them; else returns `false`.
    pub(super) fn add_kept_code(&mut self, path: &RepoPath, sha: &str, lines: &[LineRange], at: &ShownPlace) -> bool {
        let kept = self.entry.issue.as_ref().map_or(&[][..], |issue| &issue.code);
        let is_named = |code: &KeptCode<Clean>, lines: &LineRange| {
            code.path == *path && code.lines == *lines && *code.commit == *sha && !code.text.is_empty()
        };
        let found: Option<Vec<usize>> =
            lines.iter().map(|lines| kept.iter().position(|code| is_named(code, lines))).collect();
        let Some(found) = found.filter(|found| !found.is_empty()) else { return false };
        for index in found {
            self.kept.entry(index).or_insert_with(|| at.clone());
        }
        true
    }

    /// Adds a reference that cannot be included, with a warning if its text should be corrected.
    pub(super) fn add_missing(&mut self, kind: FileKind, written: Clean, absence: Absence<'_>, at: &ShownPlace) {
        let shown = one_line(&written);
        let (reason, warning) = match absence {
            Absence::Denied => (MissingReason::Denied, None),
            Absence::NoSuchPlace => (MissingReason::NotInRepo, None),
            Absence::Boilerplate => (MissingReason::Boilerplate, None),
            Absence::Limit => (MissingReason::Limit, None),
            Absence::OutsideRepo => {
                let help = "name a file of this repo by its path from the root";
                (
                    MissingReason::OutsideRepo,
                    Some((Code::OutsideReference, format!("`{shown}` leads out of the repo"), help)),
                )
            }
            Absence::NotInRepo => {
                let what = ["ADR", "document", "file"][kind as usize];
                let message = format!("no {what} of this repo is `{shown}`");
                let help = "correct the reference, or add and track the file";
                (MissingReason::NotInRepo, Some((Code::DanglingReference, message, help)))
            }
            Absence::Ambiguous(paths) => {
                let names: Vec<String> = paths.iter().take(8).map(|path| format!("`{path}`")).collect();
                let message = format!("`{shown}` may be {}", names.join(" or "));
                (MissingReason::Ambiguous, Some((Code::AmbiguousReference, message, "name the file that is meant")))
            }
        };
        if let Some((code, message, help)) = warning {
            self.warn(code, at, message, help);
        }
        let untrusted = self.entry.is_untrusted_at(at);
        self.missing.push(MissingReference { written, kind, reason, untrusted, at: at.clone() });
    }

    pub(super) fn warn(&mut self, code: Code, at: &ShownPlace, message: String, help: &str) {
        let place = Place::line(at.path.clone(), at.line);
        self.diagnostics.push(self.entry.warning(code, place, message, help));
    }

    pub(super) fn finish(self) -> ItemReferences {
        let Self { documents, code, kept, mut missing, mut diagnostics, .. } = self;
        let kind = |parts: &FileParts| if parts.is_adr { FileKind::Adr } else { FileKind::Document };
        let documents = documents.into_iter().map(|(path, parts)| (kind(&parts), path, parts));
        let all = documents.chain(code.into_iter().map(|(path, parts)| (FileKind::Code, path, parts)));
        let mut files: Vec<FileRef> = all.flat_map(|(kind, path, parts)| references_to(kind, &path, parts)).collect();
        files.sort_by_key(|file| (file.kind, file.order));
        let kept = kept.into_iter().map(|(index, at)| KeptCodeRef { index, at }).collect();
        missing.sort_by(|a, b| {
            natural_cmp(&a.written, &b.written)
                .then_with(|| (a.kind, a.reason).cmp(&(b.kind, b.reason)))
                // A reference that a committed text has too is not untrusted.
                .then_with(|| (a.untrusted, &a.at).cmp(&(b.untrusted, &b.at)))
        });
        missing.dedup_by(|next, first| {
            (&next.written, next.kind, next.reason) == (&first.written, first.kind, first.reason)
        });
        diagnostics.sort();
        diagnostics.dedup();
        let (missing, diagnostics) = (limit_missing(missing), bounded(diagnostics));
        ItemReferences { files, kept, missing, diagnostics, mentioned: Vec::new() }
    }
}

fn references_to(kind: FileKind, path: &RepoPath, parts: FileParts) -> Vec<FileRef> {
    let FileParts { whole, named, order, .. } = parts;
    let order = order.filter(|_| kind == FileKind::Document).unwrap_or(usize::MAX);
    let is_crowded = named.len() > MAX_PARTS;
    let first = named.values().map(|(at, _)| at).min().filter(|_| is_crowded).cloned();
    let whole = whole.or(first);
    let is_separate = if kind == FileKind::Code { !is_crowded } else { whole.is_none() };
    let file =
        |(anchor, lines): FilePart, commit, at| FileRef { kind, path: path.clone(), anchor, lines, commit, at, order };
    let parts = named.into_iter().filter(|_| is_separate).map(|(part, (at, commit))| file(part, commit, at));
    whole.map(|at| file((None, None), None, at)).into_iter().chain(parts).collect()
}

/// Keeps the first missing references of each reason, and one entry that counts the others.
fn limit_missing(missing: Vec<MissingReference>) -> Vec<MissingReference> {
    let mut groups: BTreeMap<(FileKind, MissingReason), Vec<MissingReference>> = BTreeMap::new();
    let mut kept = Vec::new();
    for missing in missing {
        let group = groups.entry((missing.kind, missing.reason)).or_default();
        if group.len() < MAX_MISSING {
            kept.push(missing.clone());
        }
        group.push(missing);
    }
    for ((kind, reason), group) in groups {
        let Some(more) = group.len().checked_sub(MAX_MISSING).filter(|more| *more > 0) else { continue };
        let written = CleanBuf::new().number(more as u64).lit(" more: ").lit(reason.name()).finish();
        let untrusted = group.iter().any(|missing| missing.untrusted);
        let places = group[..1].iter().chain(&group[MAX_MISSING..]).map(|missing| &missing.at);
        kept.extend(places.min().cloned().map(|at| MissingReference { written, kind, reason, at, untrusted }));
    }
    kept
}
