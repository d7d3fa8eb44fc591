//! The files that roots refer to: resolved, read and redacted once each.

use super::clean;
use super::items::scrubbed;
use super::knowledge::AgentContext;
use super::project::{Project, unreadable};
use super::restrictions::Withheld;
use crate::cache::{FilePurpose, FileResult, LoadedDocument};
use crate::config::Profile;
use crate::graph::{FileKind, FileLookup, FileRef, ItemReferences, KeptCodeRef, MissingReference, RepoFiles, Target};
use crate::model::{Code, DecisionState, Diagnostic, Digest, Digester, Place, RepoPath, bounded, conflict_in_markdown};
use crate::records::conflict_markers;
use crate::select::{CodeUse, Document, ReferencedCode, ReferencedFile, ReferencedLines, RootReferences};
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::Hash as _;
use std::sync::Arc;

/// Why the text of a referenced document with secrets is in no pack: a line that names it is there instead.
const HOLDS_SECRETS: &str = "holds_secrets";

/// The references of the items that packs need, and the files that they lead to.
pub(super) struct ReferencedFiles {
    referenced: BTreeMap<usize, Arc<ItemReferences>>,
    documents: BTreeMap<RepoPath, LoadedDocument>,
    /// An error for each document that exists and cannot be read.
    unread: BTreeMap<RepoPath, Diagnostic>,
}

impl ReferencedFiles {
    /// Resolves the references of `roots`, and of the neighbours whose references a profile follows, and reads the files.
    pub(super) fn read(
        project: &Project<'_>,
        roots: &[usize],
        profiles: &[&Profile],
        agent: Option<&AgentContext>,
    ) -> Self {
        let items: BTreeSet<usize> = roots
            .iter()
            .flat_map(|root| profiles.iter().flat_map(move |profile| referring_items(project, *root, profile)))
            .map(|followed| followed.item)
            .collect();
        // Special files cannot be read, but must not count as absent.
        let mut found = project.source().files().to_vec();
        found.extend_from_slice(project.source().special_files());
        found.sort_unstable();
        let tracked: Vec<RepoPath> = match project.source().issues() {
            [] => Vec::new(),
            _ => found.iter().filter(|path| project.source().tracked(path)).cloned().collect(),
        };
        let files = RepoFiles::new(&found);
        let tracked = RepoFiles::new(&tracked);
        let output = project.settings.output.dir.as_str();
        let generated = |path: &RepoPath| project.is_own_output(path);
        let denied = |path: &RepoPath| project.deny.denies(path) || path.is_under(output);
        let lookup = FileLookup { files: &files, tracked: &tracked, denied: &denied, generated: &generated };
        let items: Vec<usize> = items.into_iter().collect();
        let memo = project.inputs().memo();
        memo.iter().for_each(|memo| memo.begin_references(names_digest(project)));
        let found = |item: usize| {
            let memo = memo.map(|memo| (memo, project.corpus.entries[item].identity()));
            if let Some(known) = memo.as_ref().and_then(|(memo, identity)| memo.references(identity)) {
                return known;
            }
            let found = Arc::new(project.graph.references(&project.corpus, item, &lookup));
            memo.into_iter().for_each(|(memo, identity)| memo.put_references(identity, &found));
            found
        };
        let referenced: BTreeMap<usize, Arc<ItemReferences>> =
            items.par_iter().map(|item| (*item, found(*item))).collect();
        // A file that one item names as an ADR and another as code is a document.
        let mut wanted: BTreeMap<&RepoPath, FilePurpose> = BTreeMap::new();
        for file in referenced.values().flat_map(|found| &found.files) {
            let purpose = wanted.entry(&file.path).or_insert(FilePurpose::Code);
            if file.kind != FileKind::Code {
                *purpose = FilePurpose::Document;
            }
        }
        let wanted: Vec<_> = wanted.into_iter().collect();
        let read: Vec<(RepoPath, Result<LoadedDocument, Diagnostic>)> = wanted
            .par_iter()
            .map(|(path, purpose)| ((*path).clone(), read_file(project, path, *purpose, agent)))
            .collect();
        let (mut documents, mut unread) = (BTreeMap::new(), BTreeMap::new());
        for (path, read) in read {
            match read {
                Ok(read) => drop(documents.insert(path, read)),
                Err(diagnostic) => drop(unread.insert(path, diagnostic)),
            }
        }
        Self { referenced, documents, unread }
    }

    /// Returns an error for each referenced file that cannot be read.
    pub(super) fn unread(&self) -> impl Iterator<Item = &Diagnostic> {
        self.unread.values()
    }

    /// Returns the error for the first unreadable file that the pack of `root` would hold.
    pub(super) fn first_unread(&self, project: &Project<'_>, root: usize, profile: &Profile) -> Option<&Diagnostic> {
        if self.unread.is_empty() {
            return None;
        }
        let found = referring_items(project, root, profile).into_iter();
        let found = found.filter_map(|by| Some((by, self.referenced.get(&by.item)?)));
        let mut files = found.flat_map(|(by, found)| found.files.iter().filter(move |file| by.follows(file.kind)));
        files.find_map(|file| self.unread.get(&file.path))
    }

    /// Returns the references for the pack of `root`, and diagnostics about them.
    pub(super) fn for_pack(
        &self,
        project: &Project<'_>,
        root: usize,
        profile: &Profile,
        agent: Option<&AgentContext>,
    ) -> (RootReferences, Vec<Diagnostic>) {
        let mut references = RootReferences { url: project.issue_url(root), ..RootReferences::default() };
        let mut diagnostics = Vec::new();
        let mut seen: BTreeSet<(&RepoPath, Option<&String>)> = BTreeSet::new();
        let mut code: BTreeMap<&RepoPath, ReferencedCode> = BTreeMap::new();
        for followed in referring_items(project, root, profile) {
            let by = followed.item;
            let Some(found) = self.referenced.get(&by) else { continue };
            // A neighbour whose code alone is followed has its omissions and no warnings here.
            if followed.documents {
                diagnostics.extend(found.diagnostics.iter().cloned());
            }
            if followed.code {
                found.kept.iter().for_each(|kept| add_kept(project, by, kept, agent, &mut references));
            }
            references.missing.extend(found.missing.iter().filter(|missing| followed.follows(missing.kind)).cloned());
            for file in found.files.iter().filter(|file| followed.follows(file.kind)) {
                if let Some((_, Err(HOLDS_SECRETS))) = self.documents.get(&file.path) {
                    references.secrets.push(file.path.clone());
                    continue;
                }
                if file.kind == FileKind::Code {
                    self.add_code(project, file, by, &mut code);
                    continue;
                }
                let known = seen.contains(&(&file.path, None)) || !seen.insert((&file.path, file.anchor.as_ref()));
                if by != root && (known || self.is_own(project, root, &file.path)) {
                    continue;
                }
                let Some((shown, document)) = self.documents.get(&file.path) else { continue };
                let at = Place::line(file.at.path.clone(), file.at.line);
                let id = project.corpus.entries[by].item.id.as_str();
                let readable = document.as_ref().ok();
                let conflict = readable.and_then(|document| conflict_in(document));
                diagnostics.extend(conflict.map(|conflict| conflict.about(id)));
                diagnostics.extend(
                    readable.and_then(|document| document_warning(document, file.kind, file.anchor.as_deref(), at, id)),
                );
                if known {
                    continue;
                }
                let mut file = file.clone();
                // An unreadable file, or one without this heading, is included whole.
                file.anchor =
                    file.anchor.filter(|anchor| document.as_ref().is_ok_and(|document| has_section(document, anchor)));
                let untrusted = project.untracked.distrusts(project.source(), &file.path);
                let (shown, document) = (shown.clone(), document.clone());
                references.files.push(ReferencedFile { file, by, shown, document, untrusted });
            }
        }
        references.files.sort_by(|a, b| {
            (a.file.kind.cmp(&b.file.kind))
                .then_with(|| a.file.path.cmp(&b.file.path))
                .then_with(|| a.file.anchor.cmp(&b.file.anchor))
        });
        // A whole file comes before its sections, which it contains.
        references.files.dedup_by(|later, first| {
            (later.file.kind, &later.file.path) == (first.file.kind, &first.file.path)
                && (first.file.anchor.is_none() || first.file.anchor == later.file.anchor)
        });
        references.code = code.into_values().collect();
        for code in &mut references.code {
            code.lines.sort_by_key(|(lines, _)| *lines);
        }
        references.kept.sort_by(|a, b| {
            let key = |kept: &ReferencedLines| (kept.code.lines, kept.code.commit.to_string());
            a.code.path.cmp(&b.code.path).then_with(|| key(a).cmp(&key(b)))
        });
        references.secrets.sort_unstable();
        references.secrets.dedup();
        diagnostics.sort();
        diagnostics.dedup();
        (references, bounded(diagnostics))
    }

    /// Adds a reference to code; of several to the same lines the first counts.
    fn add_code<'a>(
        &self,
        project: &Project<'_>,
        file: &'a FileRef,
        by: usize,
        code: &mut BTreeMap<&'a RepoPath, ReferencedCode>,
    ) {
        let Some((shown, document)) = self.documents.get(&file.path) else { return };
        let entry = code.entry(&file.path).or_insert_with(|| ReferencedCode {
            path: file.path.clone(),
            shown: shown.clone(),
            document: document.clone(),
            untrusted: project.untracked.distrusts(project.source(), &file.path),
            whole: None,
            lines: Vec::new(),
        });
        let from = CodeUse { by, at: file.at.clone(), commit: file.commit.clone() };
        match file.lines {
            None => drop(entry.whole.get_or_insert(from)),
            Some(lines) if entry.lines.iter().any(|(known, _)| *known == lines) => {}
            Some(lines) => entry.lines.push((lines, from)),
        }
    }

    fn is_own(&self, project: &Project<'_>, root: usize, path: &RepoPath) -> bool {
        let entry = &project.corpus.entries[root];
        let draft = entry.draft.as_ref().is_some_and(|draft| draft.body.origin.path == *path);
        draft || entry.item.origin.path == *path || entry.item.body.origin.path == *path
    }
}

/// Adds lines that the snapshot keeps; of several references to the same lines the first counts. A document that the pack must
/// not hold is not shown by way of the snapshot either.
fn add_kept(
    project: &Project<'_>,
    by: usize,
    kept: &KeptCodeRef,
    agent: Option<&AgentContext>,
    references: &mut RootReferences,
) {
    let Some(issue) = &project.corpus.entries[by].issue else { return };
    let (Some(code), Some(removals)) = (issue.code.get(kept.index), issue.code_removals.get(kept.index)) else {
        return;
    };
    match project.withheld(&code.path, agent) {
        Some(Withheld::Secret) => return references.secrets.push(code.path.clone()),
        Some(Withheld::OtherAgent) => {
            return references.missing.push(MissingReference {
                written: code.shown.clone(),
                kind: FileKind::Code,
                reason: "other_agent",
                untrusted: false,
                at: kept.at.clone(),
            });
        }
        None => {}
    }
    let is_same = |known: &ReferencedLines| {
        (&known.code.path, known.code.lines, &known.code.commit) == (&code.path, code.lines, &code.commit)
    };
    if !references.kept.iter().any(is_same) {
        let (code, removals, at) = (code.clone(), removals.clone(), kept.at.clone());
        references.kept.push(ReferencedLines { code, removals, by, at });
    }
}

/// Returns a digest of all names by which references are resolved, for one configuration.
fn names_digest(project: &Project<'_>) -> Digest {
    let mut digester = Digester::default();
    project.corpus.hash_names(&mut digester);
    for path in project.source().files().iter().chain(project.source().special_files()) {
        (path, project.source().tracked(path)).hash(&mut digester);
    }
    digester.digest()
}

/// An item whose references a pack follows, and which of them.
#[derive(Debug, Clone, Copy)]
struct FollowedItem {
    item: usize,
    /// Whether those to ADRs and documents are followed.
    documents: bool,
    /// Whether those to code are followed.
    code: bool,
}

impl FollowedItem {
    fn follows(self, kind: FileKind) -> bool {
        if kind == FileKind::Code { self.code } else { self.documents }
    }
}

/// Returns the root, then the neighbours whose references the profile follows.
fn referring_items(project: &Project<'_>, root: usize, profile: &Profile) -> Vec<FollowedItem> {
    let mut items = vec![FollowedItem { item: root, documents: true, code: true }];
    items.extend(project.graph.neighbours(root).into_iter().filter_map(|edge| match edge.to {
        Target::Item(item) => {
            let documents = profile.adr_refs_of.contains(&edge.relation);
            let code = profile.code_refs_of.contains(&edge.relation);
            (documents || code).then_some(FollowedItem { item, documents, code })
        }
        Target::Issue { .. } => None,
    }));
    items
}

/// Reads a document or code.
fn read_file(
    project: &Project<'_>,
    path: &RepoPath,
    purpose: FilePurpose,
    agent: Option<&AgentContext>,
) -> Result<LoadedDocument, Diagnostic> {
    let refused = |reason| Ok((clean::line(&project.scrubber.redactor, "path", path.as_str()), Err(reason)));
    match project.withheld(path, agent) {
        Some(Withheld::OtherAgent) => return refused("other_agent"),
        Some(Withheld::Secret) => return refused(HOLDS_SECRETS),
        None => {}
    }
    if let Some(work) = project.inputs().file_result(purpose, path)
        && let FileResult::Document(read) = &*work
    {
        return Ok(read.clone());
    }
    match project.source().read(path) {
        Err(refusal) => match refusal.omission_reason() {
            Some(reason) => refused(reason),
            None => Err(scrubbed(&project.scrubber.redactor, unreadable(path, &refusal))),
        },
        Ok(raw) => {
            let (shown, text, removals, digest) = clean::file(&project.scrubber, path, purpose, &raw);
            let (status, state) = text.adr_status().unzip();
            let is_inactive = state == Some(DecisionState::Inactive);
            let document =
                Document { path: path.clone(), shown: shown.clone(), text, status, is_inactive, removals, digest };
            let read = (shown, Ok(Arc::new(document)));
            project.inputs().put_file_result(purpose, path, &[], || FileResult::Document(read.clone()));
            Ok(read)
        }
    }
}

fn has_section(document: &Document, anchor: &str) -> bool {
    document.text.markdown.outline.section(document.text.clean.len(), anchor).is_some()
}

/// Returns a warning if a document has conflict markers.
fn conflict_in(document: &Document) -> Option<Diagnostic> {
    let line = document.text.line_before(conflict_in_markdown(&document.text.clean)?);
    Some(conflict_markers(Place::line(document.path.clone(), line), &format!("`{}`", document.shown)))
}

/// Returns a warning if a document lacks the referenced heading, or is an ADR that is not in force.
fn document_warning(
    document: &Document,
    kind: FileKind,
    anchor: Option<&str>,
    at: Place,
    id: &str,
) -> Option<Diagnostic> {
    if let Some(anchor) = anchor
        && !has_section(document, anchor)
    {
        let message = format!("`{}` has no heading `#{anchor}`; the whole document is taken", document.shown);
        return Some(
            Diagnostic::new(Code::MissingAnchor, Some(at), message).help("correct the heading's anchor").about(id),
        );
    }
    let status = document.status.as_ref().filter(|_| kind == FileKind::Adr && document.is_inactive)?;
    // `Superseded by ADR-0012`: only the first word is put into lower case.
    let (word, rest) = status.split_at(status.find(' ').unwrap_or(status.len()));
    let message = format!("`{}` is {}{rest}", document.shown, word.to_lowercase());
    Some(Diagnostic::new(Code::InactiveAdr, Some(at), message).help("refer to the ADR that is in force").about(id))
}
