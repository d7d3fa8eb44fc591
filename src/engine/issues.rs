//! Reads and redacts every issue of the snapshot.

use super::clean;
use super::clean::{CachingRedactor, ScrubBatch, ScrubResult};
use super::items::scrubbed;
use super::project::{ParsedFiles, Project, unreadable};
use crate::cache::{FilePurpose, FileResult};
use crate::graph::{ClaimedIssue, Entry, Identity, ParsedComment, ParsedText, RecordedRemoval, SourceRules, Target};
use crate::mentions::Markdown;
use crate::model::{Code, Diagnostic, Digest, Place, Refusal, RemovedLines, RepoPath, SourceTree as _};
use crate::records;
use crate::records::SnapshotFile;
use crate::redact::{Clean, Piece, Redactor, Scrubbed};
use rayon::prelude::*;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Reads all files of the snapshot, in the order of their paths.
pub(super) fn read(scrubber: &CachingRedactor<'_>) -> ParsedFiles {
    let rules = Arc::new(SourceRules::default());
    let read: Vec<Result<Arc<Entry>, Diagnostic>> =
        scrubber.inputs.issues().par_iter().map(|path| read_file(scrubber, path, &rules)).collect();
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

fn read_file(
    scrubber: &CachingRedactor<'_>,
    path: &RepoPath,
    rules: &Arc<SourceRules>,
) -> Result<Arc<Entry>, Diagnostic> {
    if let Some(work) = scrubber.inputs.file_result(FilePurpose::Issue, path)
        && let FileResult::Issue(entry) = &*work
    {
        return Ok(Arc::clone(entry));
    }
    let text = scrubber.inputs.read_issue(path).map_err(|refusal| unusable(path, &refusal))?;
    let mut file = SnapshotFile::read(path, &text).map_err(|diagnostic| scrubbed(&scrubber.redactor, diagnostic))?;
    let hidden = HiddenText::remove_from(&mut file, &scrubber.redactor, path);
    let content = scrubber.inputs.content(path, &text);
    let entry = Arc::new(scrub_issue(scrubber, &file.parsed(), &hidden, content, rules));
    scrubber.inputs.put_file_result(FilePurpose::Issue, path, &[], || FileResult::Issue(Arc::clone(&entry)));
    Ok(entry)
}

fn unusable(path: &RepoPath, refusal: &Refusal) -> Diagnostic {
    let why = match refusal {
        Refusal::NotUtf8 => "it is not UTF-8".to_owned(),
        Refusal::TooLarge(limit) => format!("it is larger than {limit} bytes"),
        Refusal::GitLfs => "it is stored with Git LFS".to_owned(),
        Refusal::Unreadable(_) => return unreadable(path, refusal),
        Refusal::Binary => "it is no text file".to_owned(),
        Refusal::Denied | Refusal::Outside | Refusal::NotInRepo => "it is no longer there".to_owned(),
    };
    Diagnostic::new(Code::InvalidSnapshot, Some(Place::file(path.clone())), format!("it cannot be read: {why}"))
        .help("run `contextpack sync` for this issue again, or remove the file")
}

/// The hidden parts that were removed from the texts of untrusted authors before scrubbing.
struct HiddenText {
    body: HiddenPart,
    /// The hidden parts of each comment.
    comments: Vec<HiddenPart>,
}

/// The hidden parts of one text.
#[derive(Default)]
struct HiddenPart {
    removals: Vec<RecordedRemoval>,
    folds: Vec<RemovedLines>,
}

impl HiddenText {
    /// Removes the hidden parts from the texts of untrusted authors in `file`.
    fn remove_from(file: &mut SnapshotFile, redactor: &Redactor, path: &RepoPath) -> Self {
        let remove = |text: &mut String| {
            let visible = redactor.visible_text(path.as_str(), text);
            *text = visible.text;
            let removals = visible.removals.into_iter().map(|removal| clean::recorded(removal, "body")).collect();
            HiddenPart { removals, folds: visible.removed_lines }
        };
        let trusted = |trust: &str| trust == "trusted";
        let body = file.issue.body.as_mut().filter(|_| !trusted(&file.issue.trust)).map(remove).unwrap_or_default();
        let comments = file.issue.comments.items.iter_mut();
        let comments = comments
            .map(|comment| if trusted(&comment.trust) { HiddenPart::default() } else { remove(&mut comment.body) })
            .collect();
        Self { body, comments }
    }
}

impl HiddenPart {
    /// Returns the line of the original text that `line` of the visible text was.
    fn line_before(&self, line: u32) -> u32 {
        self.folds.iter().filter(|fold| fold.line < line).fold(line, |line, fold| line.saturating_add(fold.lines))
    }
}

/// Scrubs all texts of an issue together, and returns its entry.
fn scrub_issue(
    scrubber: &CachingRedactor<'_>,
    raw: &records::Issue<String>,
    hidden: &HiddenText,
    content: Option<Digest>,
    rules: &Arc<SourceRules>,
) -> Entry {
    let mut pieces: Vec<Piece<'_>> = Vec::new();
    raw.map(&mut |key, text: &String, line| pieces.push(Piece { key, text, line }));
    let mut item_pieces = 0;
    raw.item.map(&mut |_, _: &String, _| item_pieces += 1);
    // The pieces of the comments come last, those of the links before them, and those of code before these.
    let comment_of_piece = index_by_piece(raw.comments.iter().map(piece_count));
    let first_comment = pieces.len() - comment_of_piece.len();
    // A link has a repo, a URL and, if it is visible, a title.
    let link_of_piece = index_by_piece(raw.links.iter().map(|link| 2 + usize::from(link.title.is_some())));
    let first_link = first_comment - link_of_piece.len();
    // Kept code has a path, a commit and a text.
    let code_of_piece = index_by_piece(raw.code.iter().map(|_| 3));
    let first_code = first_link - code_of_piece.len();

    // The pieces that are Markdown: the body, then the text of each comment.
    let mut markdown_pieces = vec![clean::body_of(&pieces)];
    let mut end = first_comment;
    for comment in &raw.comments {
        end += piece_count(comment);
        markdown_pieces.push(end - 1);
    }
    let content = content.as_ref().map(std::slice::from_ref);
    let batch = ScrubBatch { path: raw.item.origin.path.as_str(), purpose: FilePurpose::Issue, content };
    let digested = |scrubbed: &Scrubbed| digest(&scrubbed.texts[..first_comment], raw);
    let ScrubResult { scrubbed, markdown, digest } = scrubber.scrub(batch, &pieces, &markdown_pieces, digested);
    let mut texts = scrubbed.texts.iter();
    let issue = raw.map(&mut |_, _, _| texts.next().cloned().unwrap_or_default());

    let mut removals = hidden.body.removals.clone();
    let mut comment_removals: Vec<Vec<RecordedRemoval>> =
        hidden.comments.iter().map(|part| part.removals.clone()).collect();
    let mut link_removals: Vec<Vec<RecordedRemoval>> = raw.links.iter().map(|_| Vec::new()).collect();
    let mut code_removals: Vec<Vec<RecordedRemoval>> = raw.code.iter().map(|_| Vec::new()).collect();
    for removal in scrubbed.removals {
        let Piece { key, line, .. } = pieces[removal.piece];
        let piece = removal.piece;
        let mut recorded = clean::recorded(removal, key);
        if let Some(comment) = piece.checked_sub(first_comment).and_then(|piece| comment_of_piece.get(piece)) {
            recorded.in_body = true;
            recorded.line = hidden.comments[*comment].line_before(recorded.line);
            comment_removals[*comment].push(recorded);
            continue;
        }
        if let Some(link) = piece.checked_sub(first_link).and_then(|piece| link_of_piece.get(piece)) {
            recorded.line = 1;
            link_removals[*link].push(recorded);
            continue;
        }
        if let Some(code) = piece.checked_sub(first_code).and_then(|piece| code_of_piece.get(piece)) {
            code_removals[*code].push(recorded);
            continue;
        }
        recorded.in_name &= piece < item_pieces;
        // Only the body has lines on the issue's page.
        let within = recorded.line.saturating_sub(line).saturating_add(1);
        recorded.line = if recorded.in_body { hidden.body.line_before(within) } else { 1 };
        removals.push(recorded);
    }
    let removed = IssueRemovals {
        issue: clean::merged(removals),
        links: link_removals.into_iter().map(clean::merged).collect(),
        code: code_removals.into_iter().map(clean::merged).collect(),
        comments: comment_removals.into_iter().map(clean::merged).collect(),
    };
    to_entry(issue, markdown, removed, digest, rules)
}

/// The removals in the parts of an issue.
struct IssueRemovals {
    issue: Vec<RecordedRemoval>,
    links: Vec<Vec<RecordedRemoval>>,
    code: Vec<Vec<RecordedRemoval>>,
    comments: Vec<Vec<RecordedRemoval>>,
}

/// Returns for each piece the index of the part that it belongs to, given the number of pieces of each part.
fn index_by_piece(pieces: impl Iterator<Item = usize>) -> Vec<usize> {
    pieces.enumerate().flat_map(|(at, pieces)| std::iter::repeat_n(at, pieces)).collect()
}

fn to_entry(
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
        code: issue.code,
        code_removals: removed.code,
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
        damage: None,
        identity: Identity::default(),
    }
}

/// Returns the number of pieces that a comment has.
fn piece_count(comment: &records::Comment<String>) -> usize {
    let by = &comment.by;
    2 + [&by.author, &by.association, &by.created_at].into_iter().filter(|text| text.is_some()).count()
}

/// Returns a digest of everything but the comments, which are inputs of their own in packs that hold them.
fn digest(texts: &[Clean], issue: &records::Issue<String>) -> Digest {
    let links = issue.links.iter().map(|link| format!("{} {}", link.relation.name(), link.state.name()));
    let parts: Vec<String> = texts.iter().map(ToString::to_string).chain(links).collect();
    Digest::of(parts.join("\n"))
}

impl Project<'_> {
    /// Returns the files of issues that are in the snapshot as neighbours only and that no item refers to any more, sorted.
    ///
    /// An issue is needed if a root of a pack refers to it: a requested issue, or a work item. References of neighbours do
    /// not count, since packs look one hop far. If a file cannot be read, its references are unknown, and the result is
    /// empty.
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
