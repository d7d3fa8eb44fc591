//! Reads and redacts every work item of the repository.

use super::clean;
use super::clean::CachingRedactor;
use super::project::{COMMIT, ParsedFiles, unreadable};
use super::restrictions::{leads_to_agent, restriction};
use crate::cache::{FilePurpose, FileResult};
use crate::config::{ItemSource, Settings, TemplatePart};
use crate::graph::{Entry, Identity, SourceRules};
use crate::model::{
    Code, Diagnostic, Digest, Place, Refusal, RepoPath, Severity, SourceTree, Untracked, original_of_conflict_copy,
};
use crate::records;
use crate::records::Item;
use crate::redact::Redactor;
use rayon::prelude::*;
use std::cell::RefCell;
use std::sync::Arc;

/// A file with items: the index of its source, the index of the glob that matches, and its path.
type Matched = (usize, usize, RepoPath);

/// Reads all items, in the order of sources, globs, paths and lines.
pub(super) fn read(settings: &Settings, scrubber: &CachingRedactor<'_>, untracked: Untracked) -> ParsedFiles {
    let source: &dyn SourceTree = &scrubber.inputs;
    let rules: Vec<Arc<SourceRules>> =
        settings.work_items.iter().map(|source| Arc::new(source_rules(source))).collect();
    let (copies, files): (Vec<_>, Vec<_>) =
        item_files(source.files(), settings).into_iter().partition(|(.., path)| live_original(source, path).is_some());
    let read: Vec<ParsedFiles> =
        files.par_iter().map(|matched| read_file(settings, scrubber, &rules, matched)).collect();
    let mut all = ParsedFiles::default();
    for (mut read, (.., path)) in read.into_iter().zip(&files) {
        mark_untracked(&mut read, source, path, &scrubber.redactor, untracked);
        all.extend(read);
    }
    let report = |(.., path): &Matched| {
        let original = live_original(source, path)?;
        let message =
            format!("`{path}` is a copy of `{original}` that synchronising it left, and `{original}` is built");
        let fault = Diagnostic::new(Code::DuplicateId, Some(Place::file(path.clone())), message);
        Some(scrubbed(&scrubber.redactor, fault.help("merge what is right into the original, and remove the copy")))
    };
    all.diagnostics.extend(copies.iter().filter_map(report));
    all
}

/// Returns the file that a path is a conflict copy of, if that is still there.
fn live_original(source: &dyn SourceTree, path: &RepoPath) -> Option<RepoPath> {
    original_of_conflict_copy(path).filter(|original| source.has(original))
}

/// Marks the items in untracked files. The mark is not cached with the items, since git may start to track a file without
/// changing it.
fn mark_untracked(
    read: &mut ParsedFiles,
    source: &dyn SourceTree,
    path: &RepoPath,
    redactor: &Redactor,
    untracked: Untracked,
) {
    let distrusts = |path: &RepoPath| untracked.distrusts(source, path);
    let mut about = Vec::new();
    for entry in &mut read.entries {
        let body = &entry.item.body;
        if distrusts(path) || body.in_file && distrusts(&body.origin.path) {
            about.push(entry.item.id.to_string());
            Arc::make_mut(entry).untrusted_file = true;
        }
    }
    if !about.is_empty() {
        let message = format!("git does not track `{path}` or its body, so that its text counts as untrusted");
        let place = Place::file(path.clone());
        let diagnostic = Diagnostic::new(Code::UntrackedFile, Some(place), message).help(COMMIT);
        read.diagnostics.push(Diagnostic { about, ..scrubbed(redactor, diagnostic) });
    }
}

/// Returns the files that hold items, each with the first source that matches it.
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

fn read_file(
    settings: &Settings,
    scrubber: &CachingRedactor<'_>,
    rules: &[Arc<SourceRules>],
    (index, _, path): &Matched,
) -> ParsedFiles {
    if let Some(work) = scrubber.inputs.file_result(FilePurpose::Items, path)
        && let FileResult::Items(entries, diagnostics) = &*work
    {
        let (entries, diagnostics) = (entries.clone(), diagnostics.clone());
        return ParsedFiles { entries, diagnostics, unread: Vec::new() };
    }
    let (redactor, source): (_, &dyn SourceTree) = (&scrubber.redactor, &scrubber.inputs);
    let text = match source.read(path) {
        Ok(text) => text,
        Err(refusal) => return undecodable(settings, scrubber, &rules[*index], (*index, path), &refusal),
    };
    if let Some(withheld) = restriction(source, settings, path, &text) {
        let message = format!("`{path}` is {}, so that it is no work item", withheld.reason());
        let fault = Diagnostic::new(Code::InvalidDocument, Some(Place::file(path.clone())), message)
            .help("take it out of `work_items` or of `documents`, or move what is to be done to another file");
        // Globs of work items are often broad.
        let is_agent = leads_to_agent(source, settings, path);
        let severity = if is_agent { Severity::Warning } else { fault.severity };
        let fault = Diagnostic { severity, ..fault };
        return ParsedFiles { diagnostics: vec![scrubbed(redactor, fault)], ..ParsedFiles::default() };
    }
    let unread = RefCell::new(Vec::new());
    let content = RefCell::new(Vec::from_iter(scrubber.inputs.content(path, &text)));
    let body_files = RefCell::new(Vec::new());
    let parsed = records::items(&settings.work_items[*index], *index, path, &text, &|body_file| {
        let text = source.read(body_file);
        let is_restricted = text.as_ref().is_ok_and(|text| restriction(source, settings, body_file, text).is_some());
        let text = if is_restricted { Err(Refusal::Denied) } else { text };
        body_files.borrow_mut().push(body_file.clone());
        content.borrow_mut().extend(text.as_ref().ok().and_then(|text| scrubber.inputs.content(body_file, text)));
        if let Err(refusal @ Refusal::Unreadable(_)) = &text {
            unread.borrow_mut().push(scrubbed(redactor, unreadable(body_file, refusal)));
        }
        text
    });
    let (content, body_files) = (content.into_inner(), body_files.into_inner());
    // If a file holds several items, each is cached under its own texts rather than the file's.
    let content = Some(&*content).filter(|_| parsed.items.len() == 1);
    let whole = |item| Arc::new(entry(scrubber, item, content, &rules[*index]));
    let mut entries: Vec<Arc<Entry>> = parsed.items.iter().map(whole).collect();
    let diagnostics: Vec<Diagnostic> =
        parsed.diagnostics.into_iter().map(|diagnostic| scrubbed(redactor, diagnostic)).collect();
    entries.extend(parsed.damaged.iter().map(|(item, why)| {
        let damage = diagnostics.get(*why).cloned().map(Arc::new);
        Arc::new(Entry { damage, ..entry(scrubber, item, None, &rules[*index]) })
    }));
    let unread = unread.into_inner();
    // A file that the system refused to read may be readable next time; the cache key would be the same.
    if unread.is_empty() {
        scrubber.inputs.put_file_result(FilePurpose::Items, path, &body_files, || {
            FileResult::Items(entries.clone(), diagnostics.clone())
        });
    }
    ParsedFiles { entries, diagnostics, unread }
}

/// Returns the result for a file whose text cannot be read. If it is no UTF-8 or has a NUL byte, its items are damaged:
/// what of it is text says which ids it holds.
fn undecodable(
    settings: &Settings,
    scrubber: &CachingRedactor<'_>,
    rules: &Arc<SourceRules>,
    (index, path): (usize, &RepoPath),
    refusal: &Refusal,
) -> ParsedFiles {
    let source: &dyn SourceTree = &scrubber.inputs;
    let fault = scrubbed(&scrubber.redactor, unreadable(path, refusal));
    let head =
        Some(path).filter(|_| matches!(refusal, Refusal::NotUtf8 | Refusal::Binary)).and_then(|path| source.head(path));
    let head = head.filter(|head| restriction(source, settings, path, head).is_none());
    let Some(head) = head else { return unusable(fault) };
    let no_body = &|_: &RepoPath| Err(Refusal::NotInRepo);
    let parsed = records::items(&settings.work_items[index], index, path, &head, no_body);
    let items: Vec<&Item<String>> = parsed.items.iter().chain(parsed.damaged.iter().map(|(item, _)| item)).collect();
    if items.is_empty() {
        return unusable(fault);
    }
    let help = fault.help.as_deref().unwrap_or_default();
    let fault = Arc::new(Diagnostic {
        severity: Severity::Error,
        help: Some(format!("{help}; until then packs that may hold it stay as they are")),
        about: items.iter().map(|item| scrubber.redactor.line(&item.id)).collect(),
        ..fault
    });
    let damaged = |item| Arc::new(Entry { damage: Some(Arc::clone(&fault)), ..entry(scrubber, item, None, rules) });
    let entries = items.into_iter().map(damaged).collect();
    ParsedFiles { entries, diagnostics: vec![(*fault).clone()], unread: Vec::new() }
}

/// Returns the result for a file that cannot be used.
fn unusable(diagnostic: Diagnostic) -> ParsedFiles {
    match diagnostic.severity {
        Severity::Error => ParsedFiles { unread: vec![diagnostic], ..ParsedFiles::default() },
        Severity::Warning => ParsedFiles { diagnostics: vec![diagnostic], ..ParsedFiles::default() },
    }
}

fn entry(
    scrubber: &CachingRedactor<'_>,
    raw: &Item<String>,
    content: Option<&[Digest]>,
    rules: &Arc<SourceRules>,
) -> Entry {
    let (item, body, removals, digest) = clean::item(scrubber, raw, content);
    Entry {
        item,
        body,
        removals,
        digest,
        rules: Arc::clone(rules),
        issue: None,
        draft: None,
        untrusted_file: false,
        damage: None,
        identity: Identity::default(),
    }
}

/// Redacts a diagnostic of parsing, which may quote raw text.
pub(super) fn scrubbed(redactor: &Redactor, diagnostic: Diagnostic) -> Diagnostic {
    Diagnostic {
        message: redactor.line(&diagnostic.message),
        help: diagnostic.help.map(|help| redactor.line(&help)),
        about: diagnostic.about.iter().map(|id| redactor.line(id)).collect(),
        ..diagnostic
    }
}

fn source_rules(source: &ItemSource) -> SourceRules {
    let mut reference = (String::new(), String::new());
    let mut after = false;
    for part in &source.reference.parts {
        match part {
            TemplatePart::Hole(_) => after = true,
            TemplatePart::Text(text) if after => reference.1.push_str(text),
            TemplatePart::Text(text) => reference.0.push_str(text),
        }
    }
    SourceRules { reference, prefixes: source.prefixes.clone() }
}
