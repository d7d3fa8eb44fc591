//! Reads and redacts every work item of the repository, and every issue of the snapshot.

use super::reader::{COMMIT, InputReader, ScrubBatch, ScrubResult, markdown_pieces, merged, recorded, unreadable};
use crate::cache::FilePurpose;
use crate::config::{Globs, ItemSource, OneOrMany, Settings, TemplatePart};
use crate::graph::{ClaimedIssue, Entry, Identity, ParsedComment, ParsedText, RecordedRemoval, SourceRules};
use crate::mentions::Markdown;
use crate::model::{Code, Diagnostic, Digest, Refusal, RemovedLines, RepoPath, Severity, natural_cmp, nearest};
use crate::records::{self, Item, Mention, RecordPart, SnapshotFile};
use crate::redact::{Clean, Piece, Redactor, Scrubbed};
use rayon::prelude::*;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

#[derive(Clone, Default)]
pub(super) struct ParsedFiles {
    pub(super) entries: Vec<Arc<Entry>>,
    pub(super) diagnostics: Vec<Diagnostic>,
    pub(super) unread: Vec<Diagnostic>,
    /// The names of the fields in the files of each source, given by its index.
    pub(super) names: BTreeSet<(usize, String)>,
}

impl ParsedFiles {
    pub(super) fn extend(&mut self, other: Self) {
        self.entries.extend(other.entries);
        self.diagnostics.extend(other.diagnostics);
        self.unread.extend(other.unread);
        self.names.extend(other.names);
    }
}

/// A file with items: the index of its source, the index of the glob that matches, and its path.
type Matched = (usize, usize, RepoPath);

/// Reads all items, in the order of sources, globs, paths and lines.
pub(super) fn read(reader: &InputReader<'_>) -> ParsedFiles {
    let settings = reader.settings;
    let rules: Vec<Arc<SourceRules>> =
        settings.work_items.iter().map(|source| Arc::new(source_rules(source))).collect();
    let files = item_files(reader.source().files(), settings);
    let read: Vec<ParsedFiles> = files.par_iter().map(|matched| read_file(reader, &rules, matched)).collect();
    let mut all = ParsedFiles::default();
    for (mut read, (index, _, path)) in read.into_iter().zip(&files) {
        mark_untracked(&mut read, reader, path);
        add_documents_beside(&mut read, reader, &settings.work_items[*index].beside, path);
        all.extend(read);
    }
    let unknown = settings.work_items.iter().enumerate().flat_map(|(index, source)| unknown_names(index, source, &all));
    let unknown: Vec<Diagnostic> = unknown.map(|diagnostic| reader.scrubbed(diagnostic)).collect();
    all.diagnostics.extend(unknown);
    all
}

/// Warns of each mapping by which no item of a source has a field, if one of theirs has nearly its name: trackers have optional
/// fields, which a repo need not use.
fn unknown_names(index: usize, source: &ItemSource, all: &ParsedFiles) -> Vec<Diagnostic> {
    let names: BTreeSet<&str> =
        all.names.iter().filter(|(of, _)| *of == index).map(|(_, name)| name.as_str()).collect();
    let unknown = source.fields.iter().filter(|(_, theirs)| !theirs.iter().any(|name| names.contains(name.as_str())));
    let report = |(ours, theirs): (&String, &OneOrMany)| {
        let written = theirs.first()?;
        let near = theirs.iter().find_map(|name| nearest(name, names.iter().copied()))?;
        let message = format!("no item of `{}` has the field `{written}`", source.include.written.join("`, `"));
        let help = format!("did you mean `{near}`? correct `fields.{ours}`");
        Some(Diagnostic::new(Code::UnknownMappedField, None, message).help(help))
    };
    unknown.filter_map(report).collect()
}

/// Marks the items in untracked files, after the cache: git may start to track a file without changing it.
fn mark_untracked(read: &mut ParsedFiles, reader: &InputReader<'_>, path: &RepoPath) {
    let mut about = Vec::new();
    for entry in &mut read.entries {
        let body = &entry.item.body;
        if reader.distrusts(path) || body.in_file && reader.distrusts(&body.origin.path) {
            about.push(entry.item.id.to_string());
            Arc::make_mut(entry).untrusted_file = true;
        }
    }
    if !about.is_empty() {
        let message = format!("git does not track `{path}` or its body, so that its text counts as untrusted");
        let diagnostic = Diagnostic::in_file(Code::UntrackedFile, path, message).help(COMMIT);
        read.diagnostics.push(Diagnostic { about, ..reader.scrubbed(diagnostic) });
    }
}

/// Adds the documents that the source names beside an item, after the cache: they come and go without changing the item.
fn add_documents_beside(read: &mut ParsedFiles, reader: &InputReader<'_>, globs: &Globs, path: &RepoPath) {
    let folder = if path.dir().is_empty() { String::new() } else { format!("{}/", path.dir()) };
    let files = reader.source().files();
    let first = files.partition_point(|file| file.as_str() < folder.as_str());
    let below = files[first..].iter().map_while(|file| file.as_str().strip_prefix(&folder));
    let matched = below.filter_map(|name| Some((globs.set.matches(name).into_iter().min()?, name)));
    let mut found: Vec<(usize, &str)> = if globs.written.is_empty() { Vec::new() } else { matched.collect() };
    found.sort_by(|a, b| a.0.cmp(&b.0).then_with(|| natural_cmp(a.1, b.1)));
    let names: Vec<Clean> = found.into_iter().map(|(_, name)| reader.line("docs", name)).collect();
    for entry in read.entries.iter_mut().filter(|_| !names.is_empty()) {
        let item = &mut Arc::make_mut(entry).item;
        let line = item.line;
        item.docs.extend(names.iter().map(|name| Mention { value: name.clone(), line }));
    }
}

fn item_files(files: &[RepoPath], settings: &Settings) -> Vec<Matched> {
    let matched = |path: &RepoPath| {
        let by_source = |(index, source): (usize, &ItemSource)| {
            source.glob_of(path.as_str()).map(|glob| (index, glob, path.clone()))
        };
        settings.work_items.iter().enumerate().find_map(by_source)
    };
    let mut files: Vec<Matched> = files.par_iter().with_min_len(64).filter_map(matched).collect();
    files.sort();
    files
}

fn read_file(reader: &InputReader<'_>, rules: &[Arc<SourceRules>], (index, _, path): &Matched) -> ParsedFiles {
    if let Some(known) = reader.inputs.file_result::<ParsedFiles>(FilePurpose::Items, path) {
        return ParsedFiles::clone(&known);
    }
    let text = match reader.inputs.read(path) {
        Ok(text) => text,
        Err(refusal) => return undecodable(reader, &rules[*index], (*index, path), &refusal),
    };
    if let Some(withheld) = reader.restriction(path, &text) {
        let message = format!("`{path}` is {}, so that it is no work item", withheld.reason());
        let fault = Diagnostic::in_file(Code::InvalidDocument, path, message)
            .help("take it out of `work_items` or of `documents`, or move what is to be done to another file");
        // Globs of work items are often broad.
        let severity = if reader.leads_to_agent(path) { Severity::Warning } else { fault.severity };
        let diagnostics = vec![reader.scrubbed(fault.with_severity(severity))];
        return ParsedFiles { diagnostics, ..ParsedFiles::default() };
    }
    let unread = RefCell::new(Vec::new());
    let content = RefCell::new(Vec::from_iter(reader.inputs.content(path, &text)));
    let body_files = RefCell::new(Vec::new());
    let parsed = records::items(&reader.settings.work_items[*index], *index, path, &text, &|body_file| {
        let text = reader.inputs.read(body_file);
        let is_restricted = text.as_ref().is_ok_and(|text| reader.restriction(body_file, text).is_some());
        let text = if is_restricted { Err(Refusal::Denied) } else { text };
        body_files.borrow_mut().push(body_file.clone());
        content.borrow_mut().extend(text.as_ref().ok().and_then(|text| reader.inputs.content(body_file, text)));
        if let Err(refusal @ Refusal::Unreadable(_)) = &text {
            unread.borrow_mut().push(reader.scrubbed(unreadable(body_file, refusal)));
        }
        text
    });
    let (content, body_files) = (content.into_inner(), body_files.into_inner());
    // If a file holds several items, each is cached under its own texts rather than the file's.
    let content = Some(&*content).filter(|_| parsed.items.len() == 1);
    let whole = |item| Arc::new(entry(reader, item, content, &rules[*index]));
    let mut entries: Vec<Arc<Entry>> = parsed.items.iter().map(whole).collect();
    let diagnostics: Vec<Diagnostic> =
        parsed.diagnostics.into_iter().map(|diagnostic| reader.scrubbed(diagnostic)).collect();
    entries.extend(parsed.damaged.iter().map(|(item, why)| {
        let damage = diagnostics.get(*why).cloned().map(Arc::new);
        Arc::new(Entry { damage, ..entry(reader, item, None, &rules[*index]) })
    }));
    let names = parsed.names.into_iter().map(|name| (*index, name)).collect();
    let parsed = ParsedFiles { entries, diagnostics, unread: unread.into_inner(), names };
    // A file that the system refused to read may be readable next time; the cache key would be the same.
    if parsed.unread.is_empty() {
        reader.inputs.put_file_result(FilePurpose::Items, path, &body_files, || parsed.clone());
    }
    parsed
}

/// Returns the result for a file whose text cannot be read. If it is no UTF-8 or has a NUL byte, its items are damaged:
/// what of it is text says which ids it holds.
fn undecodable(
    reader: &InputReader<'_>,
    rules: &Arc<SourceRules>,
    (index, path): (usize, &RepoPath),
    refusal: &Refusal,
) -> ParsedFiles {
    let fault = reader.scrubbed(unreadable(path, refusal));
    let is_partly_text = matches!(refusal, Refusal::NotUtf8 | Refusal::Binary);
    let head = Some(path).filter(|_| is_partly_text).and_then(|path| reader.source().head(path));
    let head = head.filter(|head| reader.restriction(path, head).is_none());
    let Some(head) = head else { return unusable(fault) };
    let no_body = &|_: &RepoPath| Err(Refusal::NotInRepo);
    let parsed = records::items(&reader.settings.work_items[index], index, path, &head, no_body);
    let items: Vec<&Item<String>> = parsed.items.iter().chain(parsed.damaged.iter().map(|(item, _)| item)).collect();
    if items.is_empty() {
        return unusable(fault);
    }
    let help = fault.help.as_deref().unwrap_or_default();
    let help = Some(format!("{help}; until then packs that may hold it stay as they are"));
    let about = items.iter().map(|item| reader.redactor.line(&item.id)).collect();
    let fault = Arc::new(Diagnostic { severity: Severity::Error, help, about, ..fault });
    let damaged = |item| Arc::new(Entry { damage: Some(Arc::clone(&fault)), ..entry(reader, item, None, rules) });
    let entries = items.into_iter().map(damaged).collect();
    ParsedFiles { entries, diagnostics: vec![(*fault).clone()], ..ParsedFiles::default() }
}

fn unusable(diagnostic: Diagnostic) -> ParsedFiles {
    match diagnostic.severity {
        Severity::Error => ParsedFiles { unread: vec![diagnostic], ..ParsedFiles::default() },
        Severity::Warning => ParsedFiles { diagnostics: vec![diagnostic], ..ParsedFiles::default() },
    }
}

fn entry(reader: &InputReader<'_>, raw: &Item<String>, content: Option<&[Digest]>, rules: &Arc<SourceRules>) -> Entry {
    let (visible, hidden, hidden_in_comments) = visible(reader, raw);
    let (item, body, mut comments, mut removals, digest) = reader.item(visible.as_ref().unwrap_or(raw), content);
    removals.extend(hidden);
    for (comment, hidden) in comments.iter_mut().zip(hidden_in_comments) {
        comment.removals = merged(comment.removals.drain(..).chain(hidden).collect());
    }
    Entry { removals: merged(removals), comments, ..entry_of(item, body, digest, rules) }
}

type Removals = Vec<RecordedRemoval>;

/// Returns an item without what untrusted authors hid in its text and in its comments, and what was removed from each; `None` if
/// none of its authors is untrusted.
fn visible(reader: &InputReader<'_>, raw: &Item<String>) -> (Option<Item<String>>, Removals, Vec<Removals>) {
    if !raw.untrusted && raw.comments.iter().all(|comment| comment.by.trusted) {
        return Default::default();
    }
    let mut item = raw.clone();
    let (path, line) = (raw.origin.path.as_str(), raw.body.line);
    let hide = |is_trusted: bool, text: &mut String| {
        if is_trusted {
            return Vec::new();
        }
        let seen = reader.redactor.visible_text(path, text);
        *text = seen.text;
        seen.removals.into_iter().map(|it| RecordedRemoval { line, ..recorded(it, "body") }).collect()
    };
    let of_body = hide(!raw.untrusted, &mut item.body.text);
    let of_comments = item.comments.iter_mut().map(|comment| hide(comment.by.trusted, &mut comment.text)).collect();
    (Some(item), of_body, of_comments)
}

/// Returns an entry of which nothing else is known yet.
fn entry_of(item: Item<Clean>, body: ParsedText, digest: Digest, rules: &Arc<SourceRules>) -> Entry {
    let (rules, removals, identity) = (Arc::clone(rules), Vec::new(), Identity::default());
    let (issue, draft, damage, untrusted_file, comments) = (None, None, None, false, Vec::new());
    Entry { item, body, comments, removals, digest, rules, issue, draft, untrusted_file, damage, identity }
}

fn source_rules(source: &ItemSource) -> SourceRules {
    let parts = &source.reference.parts;
    let hole = parts.iter().position(|part| matches!(part, TemplatePart::Hole(_))).unwrap_or(parts.len());
    let text = |part: &TemplatePart| match part {
        TemplatePart::Text(text) => text.clone(),
        TemplatePart::Hole(_) => String::new(),
    };
    let (before, after) = parts.split_at(hole);
    let reference = (before.iter().map(text).collect(), after.iter().map(text).collect());
    SourceRules { reference, prefixes: source.prefixes.clone() }
}

/// Reads and redacts every issue of the snapshot.
pub(super) fn read_issues(reader: &InputReader<'_>) -> ParsedFiles {
    let rules = Arc::new(SourceRules::default());
    let read: Vec<Result<Arc<Entry>, Diagnostic>> =
        reader.source().issues().par_iter().map(|path| read_issue(reader, path, &rules)).collect();
    let mut all = ParsedFiles::default();
    for result in read {
        match result {
            Ok(entry) => all.entries.push(entry),
            Err(diagnostic) if diagnostic.code == Code::UnreadableFile => all.unread.push(diagnostic),
            Err(diagnostic) => all.diagnostics.push(diagnostic),
        }
    }
    all
}

fn read_issue(reader: &InputReader<'_>, path: &RepoPath, rules: &Arc<SourceRules>) -> Result<Arc<Entry>, Diagnostic> {
    if let Some(known) = reader.inputs.file_result::<Arc<Entry>>(FilePurpose::Issue, path) {
        return Ok(Arc::clone(&known));
    }
    let text = reader.inputs.read_issue(path).map_err(|refusal| unusable_issue(path, &refusal))?;
    let mut file = SnapshotFile::read(path, &text).map_err(|diagnostic| reader.scrubbed(diagnostic))?;
    let hidden = Removed::hidden(&mut file, &reader.redactor, path);
    let content = reader.inputs.content(path, &text);
    let entry = Arc::new(scrub_issue(reader, &file.parsed(), hidden, content, rules));
    reader.inputs.put_file_result(FilePurpose::Issue, path, &[], || Arc::clone(&entry));
    Ok(entry)
}

fn unusable_issue(path: &RepoPath, refusal: &Refusal) -> Diagnostic {
    let why = match refusal {
        Refusal::Unreadable(_) => return unreadable(path, refusal),
        Refusal::Denied | Refusal::Outside | Refusal::NotInRepo => "it is no longer there".to_owned(),
        Refusal::Binary | Refusal::NotUtf8 | Refusal::TooLarge(_) | Refusal::GitLfs => refusal.to_string(),
    };
    Diagnostic::in_file(Code::InvalidSnapshot, path, format!("it cannot be read: {why}"))
        .help("run `contextpack sync` for this issue again, or remove the file")
}

#[derive(Default)]
struct Removed {
    removals: BTreeMap<RecordPart, Vec<RecordedRemoval>>,
    folds: BTreeMap<RecordPart, Vec<RemovedLines>>,
}

impl Removed {
    /// Removes the hidden parts from the texts of untrusted authors in `file`.
    fn hidden(file: &mut SnapshotFile, redactor: &Redactor, path: &RepoPath) -> Self {
        let issue = &mut file.issue;
        let body = issue.body.as_mut().map(|body| (RecordPart::Own, &*issue.trust, body));
        let comments = issue.comments.items.iter_mut().enumerate();
        let comments = comments.map(|(at, comment)| (RecordPart::Comment(at), &*comment.trust, &mut comment.body));
        let mut removed = Self::default();
        for (part, _, text) in body.into_iter().chain(comments).filter(|(_, trust, _)| *trust != "trusted") {
            let visible = redactor.visible_text(path.as_str(), text);
            *text = visible.text;
            let removals = visible.removals.into_iter().map(|removal| recorded(removal, "body"));
            removed.removals.insert(part, removals.collect());
            removed.folds.insert(part, visible.removed_lines);
        }
        removed
    }

    /// Returns the line of the original text that `line` of the visible text was.
    fn line_before(&self, part: RecordPart, line: u32) -> u32 {
        let folds = self.folds.get(&part).into_iter().flatten();
        folds.filter(|fold| fold.line < line).fold(line, |line, fold| line.saturating_add(fold.lines))
    }

    fn take(&mut self, part: RecordPart) -> Vec<RecordedRemoval> {
        merged(self.removals.remove(&part).unwrap_or_default())
    }
}

fn scrub_issue(
    reader: &InputReader<'_>,
    raw: &records::Issue<String>,
    mut removed: Removed,
    content: Option<Digest>,
    rules: &Arc<SourceRules>,
) -> Entry {
    let (mut pieces, mut parts): (Vec<Piece<'_>>, Vec<RecordPart>) = Default::default();
    raw.map(&mut |part, key, text: &String, line| {
        pieces.push(Piece { key, text, line });
        parts.push(part);
    });
    let first_comment = parts.iter().position(|part| matches!(part, RecordPart::Comment(_))).unwrap_or(parts.len());
    let content = content.as_ref().map(std::slice::from_ref);
    let batch = ScrubBatch { path: raw.item.origin.path.as_str(), purpose: FilePurpose::Issue, content };
    let digested = |scrubbed: &Scrubbed| issue_digest(&scrubbed.texts[..first_comment], raw);
    let ScrubResult { scrubbed, markdown, digest } =
        reader.scrub(batch, &pieces, &markdown_pieces(&pieces, &parts), digested);
    let mut texts = scrubbed.texts.iter();
    let issue = raw.map(&mut |_, _, _, _| texts.next().cloned().unwrap_or_default());
    let by_sync = parts.iter().zip(&pieces).enumerate().flat_map(|(index, (part, piece))| {
        // `sync` compares code with `allow` by its own path.
        let path = if let RecordPart::Code(at) = part { raw.code[*at].path.as_str() } else { batch.path };
        reader.redactor.removed_by_sync(path, index, piece)
    });
    for removal in scrubbed.removals.into_iter().chain(by_sync) {
        let (piece, part) = (removal.piece, parts[removal.piece]);
        let Piece { key, line, .. } = pieces[piece];
        let mut recorded = recorded(removal, key);
        match part {
            RecordPart::Code(_) => {}
            RecordPart::Link(_) => recorded.line = 1,
            RecordPart::Comment(_) => {
                recorded.in_body = true;
                recorded.line = removed.line_before(part, recorded.line);
            }
            RecordPart::Own => {
                // Only the body has lines on the issue's page.
                let within = recorded.line.saturating_sub(line).saturating_add(1);
                recorded.line = if recorded.in_body { removed.line_before(part, within) } else { 1 };
            }
        }
        removed.removals.entry(part).or_default().push(recorded);
    }
    to_entry(issue, markdown, removed, digest, rules)
}

fn to_entry(
    issue: records::Issue<Clean>,
    markdown: Vec<Arc<Markdown>>,
    mut removed: Removed,
    digest: Digest,
    rules: &Arc<SourceRules>,
) -> Entry {
    let mut markdown = markdown.into_iter();
    let item = issue.item;
    let body = markdown.next().unwrap_or_default();
    let body = ParsedText { clean: item.body.text.clone(), markdown: body, folds: Vec::new() };
    let link_removals = (0..issue.links.len()).map(|at| removed.take(RecordPart::Link(at))).collect();
    let code_removals = (0..issue.code.len()).map(|at| removed.take(RecordPart::Code(at))).collect();
    let comments = issue.comments.into_iter().zip(markdown).enumerate();
    let comments = comments
        .map(|(at, (comment, markdown))| ParsedComment::new(comment, markdown, removed.take(RecordPart::Comment(at))))
        .collect();
    let issue = ClaimedIssue {
        origin: item.origin.clone(),
        url: issue.url,
        repo: issue.repo,
        number: issue.number,
        private: issue.private,
        state: issue.state,
        by: issue.by,
        links: issue.links,
        link_removals,
        code: issue.code,
        code_removals,
        unknown: issue.unknown,
        has_comments: issue.has_comments,
        removals: removed.take(RecordPart::Own),
        digest,
    };
    Entry { comments, issue: Some(Box::new(issue)), ..entry_of(item, body, digest, rules) }
}

/// Returns a digest of everything but the comments, which are inputs of their own in packs that hold them.
fn issue_digest(texts: &[Clean], issue: &records::Issue<String>) -> Digest {
    let links = issue.links.iter().map(|link| format!("{} {}", link.relation.name(), link.state.name()));
    let parts: Vec<String> = texts.iter().map(ToString::to_string).chain(links).collect();
    Digest::of(parts.join("\n"))
}
