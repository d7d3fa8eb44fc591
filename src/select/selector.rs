//! What a root refers to, and what the selection for its pack gathers: sections, what was left out, and inputs.

use super::origins::origin_of_item;
use super::{Candidate, Fillers, Input, Notice, Omission, ParsedDocument, SelectionContext, TextOrigin, Trim};
use crate::config::Group;
use crate::graph::{FileRef, KeptCode, MentionedItem, MissingReference, ParsedText, RecordedRemoval, ShownPlace};
use crate::knowledge::LikelyFile;
use crate::model::{Digest, LineRange, RepoPath};
use crate::redact::{Clean, CleanBuf};
use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A document, or the reason of its omission (`docs/format.md`).
pub(super) type Loaded = Result<Arc<ParsedDocument>, &'static str>;

/// A document that the root, or a neighbour that the profile names, refers to.
#[derive(Debug, Clone)]
pub struct ReferencedFile {
    pub file: FileRef,
    pub by: usize,
    pub shown: Clean,
    pub document: Loaded,
    /// Whether an untrusted author could have put the file there, see [`Untracked`](crate::model::Untracked).
    pub untrusted: bool,
    /// Whether the profile names it, and no item.
    pub configured: bool,
}

#[derive(Debug, Clone)]
pub struct ReferencedCode {
    pub path: RepoPath,
    pub shown: Clean,
    pub document: Loaded,
    pub untrusted: bool,
    /// The first reference to the file as a whole.
    pub whole: Option<CodeUse>,
    pub lines: Vec<(LineRange, CodeUse)>,
    /// The paths of its tests.
    pub tests: Vec<Clean>,
}

#[derive(Debug, Clone)]
pub struct CodeUse {
    pub by: usize,
    pub at: ShownPlace,
    /// The document of the item's own folder that names it; `None` for the item itself.
    pub document: Option<Clean>,
    /// The commit whose lines are meant.
    pub commit: Option<Clean>,
}

/// Lines at a commit that the root, or a neighbour that the profile names, refers to.
#[derive(Debug, Clone)]
pub struct ReferencedLines {
    pub code: KeptCode<Clean>,
    pub removals: Vec<RecordedRemoval>,
    pub by: usize,
    pub at: ShownPlace,
}

/// What a root refers to besides other items.
#[derive(Debug, Clone, Default)]
pub struct RootReferences {
    pub files: Vec<ReferencedFile>,
    pub code: Vec<ReferencedCode>,
    /// The lines at commits that the snapshot keeps, each once, by path.
    pub kept: Vec<ReferencedLines>,
    /// The documents with secrets that are referred to, whose texts no pack holds.
    pub secrets: Vec<RepoPath>,
    /// The references that lead to no file that a pack may hold.
    pub missing: Vec<MissingReference>,
    /// The files that a search found, the most likely first.
    pub likely: Vec<LikelyFile>,
    /// Names of code in its text that are in no source file.
    pub absent: Vec<Clean>,
    pub warnings: Vec<Notice>,
    pub url: Option<Clean>,
    pub mentioned: Vec<MentionedItem>,
}

/// The most files of code in a pack where some are named by neighbours alone.
const MAX_CODE_WITH_NEIGHBOURS: usize = 4;

impl ReferencedCode {
    /// Returns whether `item`, or a document of its own folder, names the file.
    pub fn is_named_by(&self, item: usize) -> bool {
        self.whole.iter().chain(self.lines.iter().map(|(_, from)| from)).any(|from| from.by == item)
    }
}

impl RootReferences {
    /// Returns the code that a pack has a section of, and what only neighbours name beyond the limit.
    pub fn code_within_limit(&self, root: usize) -> (Vec<&ReferencedCode>, Vec<&ReferencedCode>) {
        let own = self.code.iter().filter(|code| code.is_named_by(root)).count();
        let mut others = 0;
        self.code.iter().partition(|code| {
            others += usize::from(!code.is_named_by(root));
            code.is_named_by(root) || own + others <= MAX_CODE_WITH_NEIGHBOURS
        })
    }

    /// Returns the documents of a root that are in its own folder.
    pub(super) fn beside<'a>(
        &'a self,
        root: usize,
        folder: &'a str,
    ) -> impl Iterator<Item = (&'a Clean, &'a ParsedText)> {
        let stated = self.files.iter().filter(move |it| it.by == root && !it.untrusted && it.file.order != usize::MAX);
        let beside = stated.filter(move |it| !folder.is_empty() && it.file.path.is_under(folder));
        beside.filter_map(|it| Some((&it.shown, &it.document.as_ref().ok()?.text)))
    }

    /// Returns where documents may be that these change: OpenSpec has them at the same path from a folder above.
    pub fn changed_documents(&self, root: usize, folder: &str) -> BTreeSet<String> {
        let names = self.beside(root, folder).filter_map(|(path, _)| path.strip_prefix(folder)?.strip_prefix('/'));
        let above = folder.match_indices('/').map(|(at, _)| &folder[..at]);
        let names = names.filter(|name| name.contains('/'));
        names.flat_map(|name| above.clone().map(move |above| format!("{above}/{name}"))).collect()
    }

    /// Returns the lines with open boxes of these documents, if others are ticked: what is left to do.
    pub fn open_boxes(&self, root: usize, folder: &str) -> Clean {
        let mut left = CleanBuf::new();
        for (_, text) in self.beside(root, folder).filter(|(_, text)| text.markdown.outline.boxes.0 > 0) {
            let mut at = 0;
            for line in text.clean.split_inclusive('\n') {
                let is_open = line.trim_start().get(1..5) == Some(" [ ]");
                left.part(&text.clean, if is_open { at..at + line.len() } else { at..at });
                at += line.len();
            }
        }
        left.finish()
    }
}

/// The sections, omissions and inputs that were selected so far.
pub(super) struct Collected<'a> {
    pub(super) context: &'a SelectionContext<'a>,
    /// Whether the policy leaves out everything but the root's own sections.
    pub(super) root_only: bool,
    pub(super) candidates: Vec<Candidate>,
    /// The ids of optional sections and their omissions, so that each is added once.
    pub(super) ids: BTreeSet<Clean>,
    pub(super) omissions: Vec<Omission>,
    /// The inputs by their sort key: kind, natural key, path.
    pub(super) inputs: BTreeMap<(u8, String, String), Input>,
}

/// Selects the sections of a root and of what it has to do with.
pub(super) struct Selector<'a> {
    pub(super) context: &'a SelectionContext<'a>,
    pub(super) found: Collected<'a>,
    pub(super) root: usize,
    /// The root's text in lower case, made when first needed.
    pub(super) lower_root_text: OnceCell<String>,
    pub(super) shown: BTreeSet<RepoPath>,
    pub(super) fillers: Fillers,
}

impl Collected<'_> {
    /// Adds an omission, unless the section or omission of its id is there already.
    pub(super) fn omit(&mut self, omission: Omission) {
        if self.ids.insert(omission.id.clone()) {
            self.omissions.push(omission);
        }
    }

    /// Adds a section; of an optional one whose group the profile or the policy leaves out, the omission.
    pub(super) fn put(&mut self, candidate: Candidate) {
        if candidate.trim != Trim::Optional {
            return self.candidates.push(candidate);
        }
        if !self.ids.insert(candidate.id.clone()) {
            return;
        }
        let group = candidate.rank.group;
        if group.is_some_and(|group| self.context.profile.leave_out.contains(&group)) {
            self.omissions.push(candidate.omitted("profile"));
        } else if self.root_only && group.is_some_and(Group::is_neighbourhood) {
            self.omissions.push(candidate.omitted("policy"));
        } else {
            self.candidates.push(candidate);
        }
    }

    /// Records an item as an input: the digest of its `whole` text if it has a section, else of its line in a list.
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
            let place = entry.item.origin.shown.clone();
            let origin = origin_of_item(entry, place.clone(), None);
            self.record_text(item, &place, origin, whole, if whole { entry.digest } else { line() });
        }
        if let Some(issue) = entry.issue.as_ref().filter(|_| whole || entry.bare_issue().is_some()) {
            let digest = if whole { issue.digest } else { line() };
            self.record_text(item, &issue.url, TextOrigin::page(&issue.url), whole, digest);
        }
    }

    /// Records a text of `item` as an input; the digest of a whole text replaces that of a line.
    pub(super) fn record_text(&mut self, item: usize, place: &Clean, origin: TextOrigin, whole: bool, digest: Digest) {
        let key = (0, self.context.corpus.entries[item].item.id.to_string(), place.to_string());
        if whole || !self.inputs.contains_key(&key) {
            self.inputs.insert(key, Input { origin, digest: Some(digest) });
        }
    }

    pub(super) fn record(&mut self, input: Input) {
        let text = |part: &Option<Clean>| part.as_deref().unwrap_or_default().to_owned();
        let key = (1 + input.origin.kind as u8, text(&input.origin.id), text(&input.origin.path));
        self.inputs.insert(key, input);
    }
}
