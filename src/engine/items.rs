//! Reads and redacts every work item of the repository.

use super::project::ParsedFiles;
use super::reader::{COMMIT, InputReader, unreadable};
use crate::cache::FilePurpose;
use crate::config::{ItemSource, Settings, TemplatePart};
use crate::graph::{Entry, Identity, ParsedText, SourceRules};
use crate::model::{Code, Diagnostic, Digest, Refusal, RepoPath, Severity, SourceTree, original_of_conflict_copy};
use crate::records::{self, Item};
use crate::redact::Clean;
use rayon::prelude::*;
use std::cell::RefCell;
use std::sync::Arc;

/// A file with items: the index of its source, the index of the glob that matches, and its path.
type Matched = (usize, usize, RepoPath);

/// Reads all items, in the order of sources, globs, paths and lines.
pub(super) fn read(reader: &InputReader<'_>) -> ParsedFiles {
    let (settings, source) = (reader.settings, reader.source());
    let rules: Vec<Arc<SourceRules>> =
        settings.work_items.iter().map(|source| Arc::new(source_rules(source))).collect();
    let (copies, files): (Vec<_>, Vec<_>) =
        item_files(source.files(), settings).into_iter().partition(|(.., path)| live_original(source, path).is_some());
    let read: Vec<ParsedFiles> = files.par_iter().map(|matched| read_file(reader, &rules, matched)).collect();
    let mut all = ParsedFiles::default();
    for (mut read, (.., path)) in read.into_iter().zip(&files) {
        mark_untracked(&mut read, reader, path);
        all.extend(read);
    }
    let report = |(.., path): &Matched| {
        let original = live_original(source, path)?;
        let message =
            format!("`{path}` is a copy of `{original}` that synchronising it left, and `{original}` is built");
        let fault = Diagnostic::in_file(Code::DuplicateId, path, message);
        Some(reader.scrubbed(fault.help("merge what is right into the original, and remove the copy")))
    };
    all.diagnostics.extend(copies.iter().filter_map(report));
    all
}

/// Returns the file that a path is a conflict copy of, if that is still there.
fn live_original(source: &dyn SourceTree, path: &RepoPath) -> Option<RepoPath> {
    original_of_conflict_copy(path).filter(|original| source.has(original))
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
    let parsed = ParsedFiles { entries, diagnostics, unread: unread.into_inner() };
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
    ParsedFiles { entries, diagnostics: vec![(*fault).clone()], unread: Vec::new() }
}

fn unusable(diagnostic: Diagnostic) -> ParsedFiles {
    match diagnostic.severity {
        Severity::Error => ParsedFiles { unread: vec![diagnostic], ..ParsedFiles::default() },
        Severity::Warning => ParsedFiles { diagnostics: vec![diagnostic], ..ParsedFiles::default() },
    }
}

fn entry(reader: &InputReader<'_>, raw: &Item<String>, content: Option<&[Digest]>, rules: &Arc<SourceRules>) -> Entry {
    let (item, body, removals, digest) = reader.item(raw, content);
    Entry { removals, ..entry_of(item, body, digest, rules) }
}

/// Returns an entry of which nothing else is known yet.
pub(super) fn entry_of(item: Item<Clean>, body: ParsedText, digest: Digest, rules: &Arc<SourceRules>) -> Entry {
    let (rules, removals, identity) = (Arc::clone(rules), Vec::new(), Identity::default());
    let (issue, draft, damage, untrusted_file) = (None, None, None, false);
    Entry { item, body, removals, digest, rules, issue, draft, untrusted_file, damage, identity }
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
