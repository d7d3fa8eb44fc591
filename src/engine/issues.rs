//! Every issue of the snapshot, clean.

use super::caching_redactor::{CachingRedactor, ScrubBatch, ScrubResult};
use super::clean;
use super::items::scrubbed;
use super::project::{ParsedFiles, Project, unreadable};
use crate::cache::{FilePurpose, FileResult};
use crate::graph::{ClaimedIssue, Entry, Identity, ParsedComment, ParsedText, RecordedRemoval, SourceRules, Target};
use crate::mentions::Markdown;
use crate::model::{Code, Diagnostic, Digest, Place, Refusal, RemovedLines, RepoPath, SourceTree};
use crate::records;
use crate::records::SnapshotFile;
use crate::redact::{Clean, Piece, Redactor, Scrubbed};
use rayon::prelude::*;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Reads all files of the snapshot, in the order of their paths.
pub(super) fn read(source: &dyn SourceTree, scrubber: &CachingRedactor<'_>) -> ParsedFiles {
    let rules = Arc::new(SourceRules::default());
    let read: Vec<Result<Arc<Entry>, Diagnostic>> =
        source.issues().par_iter().map(|path| file(source, scrubber, path, &rules)).collect();
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

fn file(
    source: &dyn SourceTree,
    scrubber: &CachingRedactor<'_>,
    path: &RepoPath,
    rules: &Arc<SourceRules>,
) -> Result<Arc<Entry>, Diagnostic> {
    if let Some(work) = scrubber.cache.get_file(FilePurpose::Issue, path)
        && let FileResult::Issue(entry) = &*work
    {
        return Ok(Arc::clone(entry));
    }
    let text = source.read_issue(path).map_err(|refusal| unusable(path, &refusal))?;
    let mut file = SnapshotFile::read(path, &text).map_err(|diagnostic| scrubbed(&scrubber.redactor, diagnostic))?;
    let hidden = HiddenText::taken_out(&mut file, &scrubber.redactor, path);
    let content = scrubber.content(path, &text);
    let entry = Arc::new(entry(scrubber, &file.parsed(), &hidden, content, rules));
    scrubber.cache.put_file(FilePurpose::Issue, path, &[], &|| FileResult::Issue(Arc::clone(&entry)));
    Ok(entry)
}

fn unusable(path: &RepoPath, refusal: &Refusal) -> Diagnostic {
    let why = match refusal {
        Refusal::NotUtf8 => "it is not UTF-8".to_owned(),
        Refusal::TooLarge(limit) => format!("it is larger than {limit} bytes"),
        Refusal::Unreadable(_) => return unreadable(path, refusal),
        Refusal::Binary => "it is no text file".to_owned(),
        Refusal::Denied | Refusal::Outside | Refusal::NotInRepo => "it is no longer there".to_owned(),
    };
    Diagnostic::new(Code::InvalidSnapshot, Some(Place::file(path.clone())), format!("it cannot be read: {why}"))
        .help("run `contextpack sync` for this issue again, or remove the file")
}

/// What was taken out of texts by authors who are not trusted, before they were scrubbed.
struct HiddenText {
    body: HiddenPart,
    /// One for each comment.
    comments: Vec<HiddenPart>,
}

#[derive(Default)]
struct HiddenPart {
    removals: Vec<RecordedRemoval>,
    folds: Vec<RemovedLines>,
}

impl HiddenText {
    fn taken_out(file: &mut SnapshotFile, redactor: &Redactor, path: &RepoPath) -> Self {
        let take = |text: &mut String| {
            let revealed = redactor.visible_text(path.as_str(), text);
            *text = revealed.text;
            let removals = revealed.removals.into_iter().map(|removal| clean::recorded(removal, "body")).collect();
            HiddenPart { removals, folds: revealed.removed_lines }
        };
        let trusted = |trust: &str| trust == "trusted";
        let body = file.issue.body.as_mut().filter(|_| !trusted(&file.issue.trust)).map(take).unwrap_or_default();
        let comments = file.issue.comments.items.iter_mut();
        let comments = comments
            .map(|comment| if trusted(&comment.trust) { HiddenPart::default() } else { take(&mut comment.body) })
            .collect();
        Self { body, comments }
    }
}

impl HiddenPart {
    /// The line of the text as it was.
    fn line_before(&self, line: u32) -> u32 {
        self.folds.iter().filter(|fold| fold.line < line).fold(line, |line, fold| line.saturating_add(fold.lines))
    }
}

/// All texts of an issue are scrubbed together, once.
fn entry(
    scrubber: &CachingRedactor<'_>,
    raw: &records::Issue<String>,
    hidden: &HiddenText,
    content: Option<Digest>,
    rules: &Arc<SourceRules>,
) -> Entry {
    let mut pieces: Vec<Piece<'_>> = Vec::new();
    raw.map(&mut |key, text: &String, line| pieces.push(Piece { key, text, line }));
    let mut of_item = 0;
    raw.item.map(&mut |_, _: &String, _| of_item += 1);
    // Texts of comments come last of all, and before them those of links.
    let commented: usize = raw.comments.iter().map(pieces_of).sum();
    let first_comment = pieces.len() - commented;
    let of_comment = owners(raw.comments.iter().map(pieces_of));
    // Repo, URL and title, where it is seen.
    let of_links = owners(raw.links.iter().map(|link| 2 + usize::from(link.title.is_some())));
    let first_link = first_comment - of_links.len();

    // The body, then each comment's own text.
    let mut marked = vec![clean::body_of(&pieces)];
    let mut end = first_comment;
    for comment in &raw.comments {
        end += pieces_of(comment);
        marked.push(end - 1);
    }
    let content = content.as_ref().map(std::slice::from_ref);
    let from = ScrubBatch { path: raw.item.origin.path.as_str(), purpose: FilePurpose::Issue, content };
    let digested = |scrubbed: &Scrubbed| digest(&scrubbed.texts[..first_comment], raw);
    let ScrubResult { scrubbed, markdown, digest } = scrubber.pass(from, &pieces, &marked, digested);
    let mut texts = scrubbed.texts.iter();
    let issue = raw.map(&mut |_, _, _| texts.next().cloned().unwrap_or_default());

    let mut removals = hidden.body.removals.clone();
    let mut of_comments: Vec<Vec<RecordedRemoval>> = hidden.comments.iter().map(|out| out.removals.clone()).collect();
    let mut link_removals: Vec<Vec<RecordedRemoval>> = raw.links.iter().map(|_| Vec::new()).collect();
    for removal in scrubbed.removals {
        let Piece { key, line, .. } = pieces[removal.piece];
        let piece = removal.piece;
        let mut recorded = clean::recorded(removal, key);
        if let Some(comment) = piece.checked_sub(first_comment).and_then(|piece| of_comment.get(piece)) {
            recorded.in_body = true;
            recorded.line = hidden.comments[*comment].line_before(recorded.line);
            of_comments[*comment].push(recorded);
            continue;
        }
        if let Some(link) = piece.checked_sub(first_link).and_then(|piece| of_links.get(piece)) {
            recorded.line = 1;
            link_removals[*link].push(recorded);
            continue;
        }
        recorded.in_name &= piece < of_item;
        // The page has no lines but those of its text.
        let within = recorded.line.saturating_sub(line).saturating_add(1);
        recorded.line = if recorded.in_body { hidden.body.line_before(within) } else { 1 };
        removals.push(recorded);
    }
    let removed = IssueRemovals {
        issue: once(removals),
        links: link_removals.into_iter().map(once).collect(),
        comments: of_comments.into_iter().map(once).collect(),
    };
    entry_of(issue, markdown, removed, digest, rules)
}

/// What was taken out of the parts of an issue.
struct IssueRemovals {
    issue: Vec<RecordedRemoval>,
    links: Vec<Vec<RecordedRemoval>>,
    comments: Vec<Vec<RecordedRemoval>>,
}

/// Whose each piece is, where one after the other has so many.
fn owners(pieces: impl Iterator<Item = usize>) -> Vec<usize> {
    pieces.enumerate().flat_map(|(at, pieces)| std::iter::repeat_n(at, pieces)).collect()
}

fn entry_of(
    issue: records::Issue<Clean>,
    markdown: Vec<Arc<Markdown>>,
    removed: IssueRemovals,
    digest: Digest,
    rules: &Arc<SourceRules>,
) -> Entry {
    let mut markdown = markdown.into_iter();
    let body = markdown.next().unwrap_or_default();
    let comments = issue.comments.into_iter().zip(removed.comments).zip(markdown);
    let comments = comments
        .map(|((comment, removals), markdown)| ParsedComment {
            markdown,
            digest: Digest::of(comment.text.as_str()),
            removals,
            comment,
        })
        .collect();
    let item = issue.item;
    let body = ParsedText { clean: item.body.text.clone(), markdown: body, folds: Vec::new() };
    let issue = ClaimedIssue {
        origin: item.origin.clone(),
        url: issue.url,
        repo: issue.repo,
        number: issue.number,
        private: issue.private,
        state: issue.state,
        by: issue.by,
        links: issue.links,
        link_removals: removed.links,
        comments,
        unknown: issue.unknown,
        has_comments: issue.has_comments,
        removals: removed.issue,
        digest,
    };
    let rules = Arc::clone(rules);
    Entry {
        item,
        body,
        removals: Vec::new(),
        digest,
        rules,
        issue: Some(Box::new(issue)),
        draft: None,
        untrusted_file: false,
        identity: Identity::default(),
    }
}

fn pieces_of(comment: &records::Comment<String>) -> usize {
    let by = &comment.by;
    2 + [&by.author, &by.association, &by.created_at].into_iter().filter(|text| text.is_some()).count()
}

/// Over everything but the comments, which are inputs of their own where a pack takes them.
fn digest(texts: &[Clean], issue: &records::Issue<String>) -> Digest {
    let links = issue.links.iter().map(|link| format!("{} {}", link.relation.name(), link.state.name()));
    let parts: Vec<String> = texts.iter().map(ToString::to_string).chain(links).collect();
    Digest::of(parts.join("\n"))
}

/// What a rule took from a text at two stages adds up; one value may be a field and a title at once.
fn once(mut removals: Vec<RecordedRemoval>) -> Vec<RecordedRemoval> {
    removals.sort();
    removals.dedup_by(|b, a| {
        let same = (a.line, a.in_body, &a.rule) == (b.line, b.in_body, &b.rule);
        if same {
            a.count = if a.in_body { a.count.saturating_add(b.count) } else { a.count.max(b.count) };
            a.in_name |= b.in_name;
        }
        same
    });
    removals
}

impl Project<'_> {
    /// Returns the files of issues that are in the snapshot as neighbours only and that no item refers to any more, sorted.
    ///
    /// Whoever gets a pack keeps its neighbours: an issue that was asked for, and every work item. What
    /// neighbours refer to keeps nothing, as packs look one hop far. Where a file cannot be read nobody knows
    /// whom it names, so that nothing is left over.
    pub fn leftover_issues(&self) -> Vec<&RepoPath> {
        let unread = |code| matches!(code, Code::InvalidSnapshot | Code::InvalidItem | Code::UnreadableFile);
        if !self.unread.is_empty() || self.diagnostics.iter().any(|diagnostic| unread(diagnostic.code)) {
            return Vec::new();
        }
        let is_neighbour = |item: &usize| {
            let entry = &self.corpus.entries[*item];
            entry.bare_issue().is_some() && entry.item.no_pack
        };
        let (neighbours, others): (Vec<usize>, Vec<usize>) =
            (0..self.corpus.entries.len()).partition(|item| is_neighbour(item));
        let needed: BTreeSet<usize> = others
            .into_iter()
            .flat_map(|item| self.graph.edges(item))
            .filter_map(|edge| match edge.to {
                Target::Item(other) => Some(other),
                Target::Issue { .. } => None,
            })
            .collect();
        let left = neighbours.into_iter().filter(|item| !needed.contains(item));
        let mut paths: Vec<&RepoPath> = left.map(|item| &self.corpus.entries[item].item.origin.path).collect();
        paths.sort_unstable();
        paths
    }
}
