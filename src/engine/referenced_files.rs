//! The files that roots refer to: resolved, read and redacted once each.

use super::agents::AgentContext;
use super::known_references::KnownReferences;
use super::project::Project;
use super::reader::{CONFIG, Withheld, unreadable};
use crate::cache::FilePurpose;
use crate::config::{Profile, ProfileFile};
use crate::graph::{
    FileKind, FileLookup, FileRef, ItemReferences, KeptCodeRef, MissingReason, MissingReference, RepoFiles, ShownPlace,
    Target,
};
use crate::knowledge::{TestFiles, stated_agents, states_secrets};
use crate::model::{Code, DecisionState, Diagnostic, Digest, Digester, Place, RepoPath, bounded, conflict_in_markdown};
use crate::records::conflict_markers;
use crate::redact::{Clean, CleanBuf};
use crate::select::{CodeUse, ParsedDocument, ReferencedCode, ReferencedFile, ReferencedLines, RootReferences};
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::Hash as _;
use std::sync::{Arc, OnceLock};

/// The largest file that a text refers to, in bytes.
const MAX_FILE_BYTES: usize = 1 << 20;

/// Why the text of a referenced document with secrets is in no pack: a line that names it is there instead.
const HOLDS_SECRETS: &str = "holds_secrets";

/// A referenced document as read: its path in clean text, and its content or why there is none.
type LoadedDocument = (Clean, Result<Arc<ParsedDocument>, &'static str>);

/// The references of the items that packs need, and the files that they lead to.
pub(super) struct ReferencedFiles<'p, 's> {
    project: &'p Project<'s>,
    agent: Option<&'p AgentContext>,
    referenced: BTreeMap<usize, Arc<ItemReferences>>,
    /// The files; an error for each that exists and cannot be read.
    documents: BTreeMap<RepoPath, Result<LoadedDocument, Diagnostic>>,
    has_unread: bool,
    tests: OnceLock<TestFiles>,
}

impl<'p, 's> ReferencedFiles<'p, 's> {
    /// Resolves the references of `roots`, and of the neighbours whose references a profile follows, and reads the files.
    pub(super) fn read(
        project: &'p Project<'s>,
        roots: &[usize],
        profiles: &[&Profile],
        agent: Option<&'p AgentContext>,
    ) -> Self {
        let followed = |root: &usize| {
            let root = *root;
            profiles.iter().flat_map(move |profile| followed_items(project, root, profile))
        };
        let items: BTreeSet<usize> = roots.iter().flat_map(followed).map(|followed| followed.item).collect();
        let source = project.reader.source();
        // Special files cannot be read, but must not count as absent.
        let mut found = [source.files(), source.special_files()].concat();
        found.sort_unstable();
        let only_tracked: Vec<RepoPath> = found.iter().filter(|path| source.tracked(path)).cloned().collect();
        let files = RepoFiles::new(&found);
        let tracked = (only_tracked.len() < found.len()).then(|| RepoFiles::new(&only_tracked));
        let tracked = tracked.as_ref().unwrap_or(&files);
        let output = project.reader.settings.output.dir.as_str();
        let generated = |path: &RepoPath| project.is_own_output(path);
        let denied = |path: &RepoPath| project.reader.deny.denies(path) || path.is_under(output);
        let lookup = FileLookup { files: &files, tracked, denied: &denied, generated: &generated };
        let (names, known) = (OnceLock::new(), KnownReferences::new(project));
        let resolved = |item: usize| {
            let names = || names.get_or_init(|| names_digest(project)).bytes();
            let identity = || project.corpus.entries[item].identity().bytes();
            let key = || Digester::default().part(names()).part(identity()).digest();
            let found = || known.find(&key(), item, || project.graph.references(&project.corpus, item, &lookup));
            project.reader.inputs.memoized(key, found)
        };
        let mut referenced: BTreeMap<usize, Arc<ItemReferences>> =
            items.into_par_iter().map(|item| (item, resolved(item))).collect();
        let read = |(path, purpose): (&RepoPath, FilePurpose)| (path.clone(), read_file(project, path, purpose, agent));
        let mut documents: BTreeMap<_, _> = wanted(&referenced, profiles).into_par_iter().map(read).collect();
        let shown = |path: &RepoPath| Some(&documents.get(path)?.as_ref().ok()?.0);
        known.keep(&referenced, &|path| shown(path).is_some_and(|shown| shown.as_str() == path.as_str()));
        for (item, found) in &mut referenced {
            // What documents of an item's own folder name, such as a list of tasks, it names too.
            let folder = project.corpus.entries[*item].item.origin.path.dir();
            let is_own = |file: &FileRef| file.order != usize::MAX && !folder.is_empty() && file.path.is_under(folder);
            let read = |path| Some(&documents.get(path)?.as_ref().ok()?.1.as_ref().ok()?.text);
            let own = found.files.iter().filter(|file| is_own(file) && project.graph.of_file(&file.path).is_none());
            let own = own.filter_map(|file| Some((&file.path, read(&file.path)?)));
            let (mut named, missing) = project.graph.code_named_in(&project.corpus, *item, &lookup, own);
            named.retain(|code| found.files.iter().all(|known| known.path != code.path));
            if !named.is_empty() || !missing.is_empty() {
                let found = Arc::make_mut(found);
                found.files.extend(named);
                found.missing.extend(missing);
            }
        }
        let more = wanted(&referenced, profiles).into_par_iter().filter(|(path, _)| !documents.contains_key(path));
        let more: Vec<_> = more.map(read).collect();
        documents.extend(more);
        let has_adrs = documents.keys().any(|path| is_adr(project, path));
        if has_adrs {
            mark_replaced(project, &mut documents, agent);
            add_successors(project, &mut referenced, &mut documents, agent);
        }
        let has_unread = documents.values().any(Result::is_err) || has_adrs && project.replacements().is_err();
        Self { project, agent, referenced, documents, has_unread, tests: OnceLock::new() }
    }

    pub(super) fn unread(&self) -> impl Iterator<Item = &Diagnostic> {
        self.documents.values().filter_map(|read| read.as_ref().err())
    }

    /// Returns the error for the first unreadable file that the pack of `root` would hold.
    pub(super) fn first_unread(&self, root: usize, profile: &Profile) -> Option<&Diagnostic> {
        let found = followed_items(self.project, root, profile).into_iter().filter(|_| self.has_unread);
        let found = found.filter_map(|by| Some((by, self.referenced.get(&by.item)?)));
        let files = found.flat_map(|(by, found)| found.files.iter().filter(move |file| by.follows(file.kind)));
        let configured = profile.files.iter().map(|file| &file.path);
        let mut paths = files.map(|file| &file.path).chain(configured);
        let of_adrs = |path| self.project.replacements().as_ref().err().filter(|_| is_adr(self.project, path));
        paths.find_map(|path| self.documents.get(path)?.as_ref().err().or_else(|| of_adrs(path)))
    }

    pub(super) fn for_pack(&self, root: usize, profile: &Profile) -> (RootReferences, Vec<Diagnostic>) {
        let project = self.project;
        let mut references = RootReferences { url: project.issue_url(root), ..RootReferences::default() };
        references.mentioned = self.referenced.get(&root).map(|found| found.mentioned.clone()).unwrap_or_default();
        let mut diagnostics = Vec::new();
        let mut seen: BTreeSet<(&RepoPath, Option<&String>)> = BTreeSet::new();
        let mut code: BTreeMap<&RepoPath, ReferencedCode> = BTreeMap::new();
        for followed in followed_items(project, root, profile) {
            let by = followed.item;
            let Some(found) = self.referenced.get(&by) else { continue };
            // A neighbour whose code alone is followed has its omissions and no warnings here.
            if followed.documents {
                diagnostics.extend(found.diagnostics.iter().cloned());
            }
            if followed.code {
                found.kept.iter().for_each(|kept| self.add_kept(by, kept, &mut references));
            }
            references.missing.extend(found.missing.iter().filter(|missing| followed.follows(missing.kind)).cloned());
            for file in found.files.iter().filter(|file| followed.follows(file.kind)) {
                let Some(Ok((shown, document))) = self.documents.get(&file.path) else { continue };
                if matches!(document, Err(HOLDS_SECRETS)) {
                    references.secrets.push(file.path.clone());
                    continue;
                }
                let (shown, document) = (shown.clone(), document.clone());
                let untrusted = project.reader.distrusts(&file.path);
                if file.kind == FileKind::Code {
                    let (path, lines) = (file.path.clone(), Vec::new());
                    let tests = || self.tests_of(&file.path);
                    let new =
                        || ReferencedCode { path, shown, document, untrusted, whole: None, lines, tests: tests() };
                    let named_in = self.documents.get(&file.at.path).filter(|_| !self.is_own(by, &file.at.path));
                    let named_in = named_in.and_then(|read| Some(read.as_ref().ok()?.0.clone()));
                    add_code(code.entry(&file.path).or_insert_with(new), file, by, named_in);
                    continue;
                }
                let known = seen.contains(&(&file.path, None)) || !seen.insert((&file.path, file.anchor.as_ref()));
                if by != root && (known || self.is_own(root, &file.path)) {
                    continue;
                }
                if let Ok(document) = &document {
                    let id = project.corpus.entries[by].item.id.as_str();
                    diagnostics.extend(conflict_in(document).map(|conflict| conflict.about(id)));
                    diagnostics.extend(document_warning(document, file, id));
                }
                if known {
                    continue;
                }
                let mut file = file.clone();
                // An unreadable file, or one without this heading, is included whole.
                let has = |anchor: &String| document.as_ref().is_ok_and(|document| has_section(document, anchor));
                file.anchor = file.anchor.filter(has);
                references.files.push(ReferencedFile { file, by, shown, document, untrusted, configured: false });
            }
        }
        for file in profile.files.iter().filter_map(|file| self.configured(root, file, &mut diagnostics)) {
            match file.document {
                Err(HOLDS_SECRETS) => references.secrets.push(file.file.path),
                _ => references.files.push(file),
            }
        }
        let mut orders: BTreeMap<RepoPath, usize> = BTreeMap::new();
        for ReferencedFile { file, .. } in &references.files {
            let order = orders.entry(file.path.clone()).or_insert(file.order);
            *order = file.order.min(*order);
        }
        let order = |path: &RepoPath| orders.get(path).copied();
        references.files.sort_by(|ReferencedFile { file: a, .. }, ReferencedFile { file: b, .. }| {
            (a.kind, order(&a.path), &a.path, &a.anchor).cmp(&(b.kind, order(&b.path), &b.path, &b.anchor))
        });
        // A whole file comes before its sections, which it contains.
        references.files.dedup_by(|ReferencedFile { file: b, .. }, ReferencedFile { file: a, .. }| {
            (b.kind, &b.path) == (a.kind, &a.path) && (a.anchor.is_none() || a.anchor == b.anchor)
        });
        references.code = code.into_values().collect();
        references.code.iter_mut().for_each(|code| code.lines.sort_by_key(|(lines, _)| *lines));
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

    /// Returns a document that the profile names, as if the root referred to it.
    fn configured(&self, root: usize, file: &ProfileFile, warnings: &mut Vec<Diagnostic>) -> Option<ReferencedFile> {
        let (project, path) = (self.project, &file.path);
        let (shown, document) = self.documents.get(path)?.as_ref().ok().filter(|_| !self.is_own(root, path))?.clone();
        let kind = if is_adr(project, path) { FileKind::Adr } else { FileKind::Document };
        let (anchor, at) = (file.anchor.clone(), ShownPlace { path: RepoPath::new(CONFIG).ok()?, line: file.line });
        let mut file = FileRef { kind, path: path.clone(), anchor, lines: None, commit: None, at, order: usize::MAX };
        let document = if project.denies(path) { Err("denied_path") } else { document };
        let id = project.corpus.entries[root].item.id.as_str();
        if let Ok(document) = &document {
            warnings.extend(document_warning(document, &file, id));
            file.anchor = file.anchor.filter(|anchor| has_section(document, anchor));
        }
        let untrusted = project.reader.distrusts(path);
        Some(ReferencedFile { file, by: root, shown, document, untrusted, configured: true })
    }

    /// Returns the paths of the tests of a file, as packs show them.
    fn tests_of(&self, path: &RepoPath) -> Vec<Clean> {
        let tests = self.tests.get_or_init(|| self.project.test_files());
        tests.of(path).into_iter().map(|test| self.project.reader.line("path", test.as_str())).collect()
    }

    fn is_own(&self, root: usize, path: &RepoPath) -> bool {
        let entry = &self.project.corpus.entries[root];
        let draft = entry.draft.as_ref().is_some_and(|draft| draft.body.origin.path == *path);
        draft || entry.item.origin.path == *path || entry.item.body.origin.path == *path
    }

    /// Adds lines that the snapshot keeps, unless they are of a document that the pack must not hold.
    fn add_kept(&self, by: usize, kept: &KeptCodeRef, references: &mut RootReferences) {
        let Some(issue) = &self.project.corpus.entries[by].issue else { return };
        let (Some(code), Some(removals)) = (issue.code.get(kept.index), issue.code_removals.get(kept.index)) else {
            return;
        };
        match self.project.withheld(&code.path, self.agent) {
            Some(Withheld::Secret) => return references.secrets.push(code.path.clone()),
            Some(Withheld::OtherAgent) => {
                let (written, at, kind) = (code.shown.clone(), kept.at.clone(), FileKind::Code);
                let missing =
                    MissingReference { written, kind, reason: MissingReason::OtherAgent, untrusted: false, at };
                return references.missing.push(missing);
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
}

/// Adds a reference to code; of several to the same lines the first counts.
fn add_code(code: &mut ReferencedCode, file: &FileRef, by: usize, document: Option<Clean>) {
    let from = CodeUse { by, at: file.at.clone(), document, commit: file.commit.clone() };
    match file.lines {
        None => drop(code.whole.get_or_insert(from)),
        Some(lines) if code.lines.iter().any(|(known, _)| *known == lines) => {}
        Some(lines) => code.lines.push((lines, from)),
    }
}

/// Returns the files that items refer to. One that an item names as an ADR and another as code is a document.
fn wanted<'r>(
    referenced: &'r BTreeMap<usize, Arc<ItemReferences>>,
    profiles: &[&'r Profile],
) -> BTreeMap<&'r RepoPath, FilePurpose> {
    let configured = profiles.iter().flat_map(|profile| &profile.files);
    let mut wanted: BTreeMap<_, _> = configured.map(|file| (&file.path, FilePurpose::Document)).collect();
    for file in referenced.values().flat_map(|found| &found.files) {
        let purpose = wanted.entry(&file.path).or_insert(FilePurpose::Code);
        if file.kind != FileKind::Code {
            *purpose = FilePurpose::Document;
        }
    }
    wanted
}

fn names_digest(project: &Project<'_>) -> Digest {
    let (mut digester, source) = (Digester::default(), project.reader.source());
    project.corpus.hash_names(&mut digester);
    let files = source.files().iter().chain(source.special_files());
    files.for_each(|path| (path, source.tracked(path)).hash(&mut digester));
    digester.digest()
}

#[derive(Debug, Clone, Copy)]
struct FollowedItem {
    item: usize,
    documents: bool,
    code: bool,
}

impl FollowedItem {
    fn follows(self, kind: FileKind) -> bool {
        if kind == FileKind::Code { self.code } else { self.documents }
    }
}

fn followed_items(project: &Project<'_>, root: usize, profile: &Profile) -> Vec<FollowedItem> {
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

fn read_file(
    project: &Project<'_>,
    path: &RepoPath,
    purpose: FilePurpose,
    agent: Option<&AgentContext>,
) -> Result<LoadedDocument, Diagnostic> {
    let refused = |reason| Ok((project.reader.line("path", path.as_str()), Err(reason)));
    match project.withheld(path, agent) {
        Some(Withheld::OtherAgent) => return refused("other_agent"),
        Some(Withheld::Secret) => return refused(HOLDS_SECRETS),
        None => {}
    }
    let reader = &project.reader;
    if let Some(known) = reader.inputs.file_result::<LoadedDocument>(purpose, path) {
        return Ok(LoadedDocument::clone(&known));
    }
    let raw = match reader.inputs.read(path) {
        // Files of items may be larger than those that a text refers to.
        Ok(raw) if raw.len() > MAX_FILE_BYTES => return refused("too_large"),
        // One that the configuration calls a document has a line of its own.
        Ok(raw) if states_secrets(&raw) => return refused("denied_path"),
        Ok(raw) => raw,
        Err(refusal) => {
            let fault = || reader.scrubbed(unreadable(path, &refusal));
            return refusal.omission_reason().map_or_else(|| Err(fault()), refused);
        }
    };
    let stated = stated_agents(&raw);
    if project.is_stated_of_other(path, &stated, agent) {
        return refused("other_agent");
    }
    let (shown, text, removals, digest) = reader.file(path, purpose, &raw);
    let (status, state) = text.adr_status().unzip();
    let is_inactive = state == Some(DecisionState::Inactive);
    let document = ParsedDocument {
        path: path.clone(),
        shown: shown.clone(),
        text,
        status,
        is_inactive,
        successor: None,
        removals,
        digest,
    };
    let read = (shown, Ok(Arc::new(document)));
    // Which agents there are may change, and who asks.
    if stated.is_empty() {
        reader.inputs.put_file_result(purpose, path, &[], || read.clone());
    }
    Ok(read)
}

fn is_adr(project: &Project<'_>, path: &RepoPath) -> bool {
    project.corpus.rules.adrs.binary_search(path).is_ok()
}

/// Marks the ADRs that others replaced, unless the agent must not see these.
fn mark_replaced(
    project: &Project<'_>,
    documents: &mut BTreeMap<RepoPath, Result<LoadedDocument, Diagnostic>>,
    agent: Option<&AgentContext>,
) {
    for (path, by) in project.replacements().iter().flatten() {
        let Some(Ok((_, Ok(document)))) = documents.get_mut(path) else { continue };
        let Ok((shown, Ok(successor))) = read_file(project, by, FilePurpose::Document, agent) else { continue };
        if !document.is_inactive {
            let status = Some(CleanBuf::new().lit("superseded by ").text(&shown).finish());
            let successor = Some((shown, successor.digest));
            let marked = ParsedDocument { status, is_inactive: true, successor, ..ParsedDocument::clone(document) };
            *document = Arc::new(marked);
        }
    }
}

/// Adds to the references of each item the decisions in force that replaced those that it names, with the same evidence.
fn add_successors(
    project: &Project<'_>,
    referenced: &mut BTreeMap<usize, Arc<ItemReferences>>,
    documents: &mut BTreeMap<RepoPath, Result<LoadedDocument, Diagnostic>>,
    agent: Option<&AgentContext>,
) {
    let inactive = documents.values().flatten().filter_map(|(_, read)| read.as_ref().ok()).filter(|it| it.is_inactive);
    let successors: BTreeMap<RepoPath, RepoPath> =
        inactive.filter_map(|old| Some((old.path.clone(), successor(project, old, agent)?))).collect();
    for (item, found) in referenced.iter_mut() {
        let entry = &project.corpus.entries[*item];
        let mut new = BTreeMap::new();
        for old in found.files.iter().filter(|file| file.kind == FileKind::Adr) {
            let Some(path) = successors.get(&old.path) else { continue };
            // The root may be the newer decision itself, and an issue leads to tracked files alone.
            let may_lead = *path != entry.item.origin.path
                && (entry.issue.is_none() || project.reader.source().tracked(path))
                && found.files.iter().all(|file| file.path != *path);
            if may_lead {
                new.entry(path).or_insert_with(|| FileRef { path: path.clone(), anchor: None, ..old.clone() });
            }
        }
        if !new.is_empty() {
            Arc::make_mut(found).files.extend(new.into_values());
        }
    }
    for path in successors.into_values() {
        let read = |path: &RepoPath| read_file(project, path, FilePurpose::Document, agent);
        documents.entry(path).or_insert_with_key(read);
    }
}

/// Returns the decision in force that replaced `old`, directly or through others; `None` if there is none, as in a circle. What a
/// distrusted file says of its successor does not count.
fn successor(project: &Project<'_>, old: &Arc<ParsedDocument>, agent: Option<&AgentContext>) -> Option<RepoPath> {
    let replaced = project.replacements().as_ref().ok()?;
    let (mut old, mut seen) = (Arc::clone(old), BTreeSet::from([old.path.clone()]));
    loop {
        let stated = || {
            let text = Some(&old.text).filter(|_| !project.reader.distrusts(&old.path))?;
            let named = crate::mentions::superseded_by(&text.clean, &text.markdown.outline);
            named.iter().find_map(|name| project.graph.named_adr(&project.corpus.rules, name, &old.path))
        };
        let next = replaced.get(&old.path).cloned().or_else(stated).filter(|next| seen.insert(next.clone()))?;
        // What the pack may not hold is an omission.
        let Ok((_, Ok(document))) = read_file(project, &next, FilePurpose::Document, agent) else { return Some(next) };
        if !document.is_inactive && !replaced.contains_key(&next) {
            return Some(next);
        }
        old = document;
    }
}

fn has_section(document: &ParsedDocument, anchor: &str) -> bool {
    document.text.markdown.outline.section(document.text.clean.len(), anchor).is_some()
}

fn conflict_in(document: &ParsedDocument) -> Option<Diagnostic> {
    let line = document.text.line_before(conflict_in_markdown(&document.text.clean)?);
    Some(conflict_markers(Place::line(document.path.clone(), line), &format!("`{}`", document.shown)))
}

/// Returns a warning if a document lacks the referenced heading, or is an ADR that is not in force.
fn document_warning(document: &ParsedDocument, file: &FileRef, id: &str) -> Option<Diagnostic> {
    let at = Some(Place::line(file.at.path.clone(), file.at.line));
    if let Some(anchor) = file.anchor.as_ref().filter(|anchor| !has_section(document, anchor)) {
        let message = format!("`{}` has no heading `#{anchor}`; the whole document is taken", document.shown);
        return Some(Diagnostic::new(Code::MissingAnchor, at, message).help("correct the heading's anchor").about(id));
    }
    let status = document.status.as_ref().filter(|_| file.kind == FileKind::Adr && document.is_inactive)?;
    // `Superseded by ADR-0012`: only the first word is put into lower case.
    let (word, rest) = status.split_at(status.find(' ').unwrap_or(status.len()));
    let message = format!("`{}` is {}{rest}", document.shown, word.to_lowercase());
    Some(Diagnostic::new(Code::InactiveAdr, at, message).help("refer to the ADR that is in force").about(id))
}
