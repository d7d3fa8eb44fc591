//! Reads and redacts every issue of the snapshot.

use super::items::entry_of;
use super::project::{ParsedFiles, Project};
use super::reader::{InputReader, ScrubBatch, ScrubResult, body_of, merged, recorded, unreadable};
use crate::cache::FilePurpose;
use crate::graph::{ClaimedIssue, Entry, ParsedComment, ParsedText, RecordedRemoval, SourceRules, Target};
use crate::mentions::Markdown;
use crate::model::{Code, Diagnostic, Digest, Refusal, RemovedLines, RepoPath};
use crate::records::{self, SnapshotFile};
use crate::redact::{Clean, Piece, Redactor, Scrubbed};
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

pub(super) fn read(reader: &InputReader<'_>) -> ParsedFiles {
    let rules = Arc::new(SourceRules::default());
    let read: Vec<Result<Arc<Entry>, Diagnostic>> =
        reader.source().issues().par_iter().map(|path| read_file(reader, path, &rules)).collect();
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

fn read_file(reader: &InputReader<'_>, path: &RepoPath, rules: &Arc<SourceRules>) -> Result<Arc<Entry>, Diagnostic> {
    if let Some(known) = reader.inputs.file_result::<Arc<Entry>>(FilePurpose::Issue, path) {
        return Ok(Arc::clone(&known));
    }
    let text = reader.inputs.read_issue(path).map_err(|refusal| unusable(path, &refusal))?;
    let mut file = SnapshotFile::read(path, &text).map_err(|diagnostic| reader.scrubbed(diagnostic))?;
    let hidden = Removed::hidden(&mut file, &reader.redactor, path);
    let content = reader.inputs.content(path, &text);
    let entry = Arc::new(scrub_issue(reader, &file.parsed(), hidden, content, rules));
    reader.inputs.put_file_result(FilePurpose::Issue, path, &[], || Arc::clone(&entry));
    Ok(entry)
}

fn unusable(path: &RepoPath, refusal: &Refusal) -> Diagnostic {
    let why = match refusal {
        Refusal::NotUtf8 => "it is not UTF-8",
        Refusal::TooLarge(limit) => &*format!("it is larger than {limit} bytes"),
        Refusal::GitLfs => "it is stored with Git LFS",
        Refusal::Unreadable(_) => return unreadable(path, refusal),
        Refusal::Binary => "it is no text file",
        Refusal::Denied | Refusal::Outside | Refusal::NotInRepo => "it is no longer there",
    };
    Diagnostic::in_file(Code::InvalidSnapshot, path, format!("it cannot be read: {why}"))
        .help("run `contextpack sync` for this issue again, or remove the file")
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    Issue,
    Code(usize),
    Link(usize),
    Comment(usize),
}

#[derive(Default)]
struct Removed {
    removals: BTreeMap<Part, Vec<RecordedRemoval>>,
    folds: BTreeMap<Part, Vec<RemovedLines>>,
}

impl Removed {
    /// Removes the hidden parts from the texts of untrusted authors in `file`.
    fn hidden(file: &mut SnapshotFile, redactor: &Redactor, path: &RepoPath) -> Self {
        let issue = &mut file.issue;
        let body = issue.body.as_mut().map(|body| (Part::Issue, &*issue.trust, body));
        let comments = issue.comments.items.iter_mut().enumerate();
        let comments = comments.map(|(at, comment)| (Part::Comment(at), &*comment.trust, &mut comment.body));
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
    fn line_before(&self, part: Part, line: u32) -> u32 {
        let folds = self.folds.get(&part).into_iter().flatten();
        folds.filter(|fold| fold.line < line).fold(line, |line, fold| line.saturating_add(fold.lines))
    }

    fn take(&mut self, part: Part) -> Vec<RecordedRemoval> {
        merged(self.removals.remove(&part).unwrap_or_default())
    }
}

/// Returns the part that each piece of an issue is of; those of comments come last.
fn parts(raw: &records::Issue<String>, pieces: &[Piece<'_>]) -> Vec<Part> {
    let mut of_issue = 0;
    raw.item.map(&mut |_, _: &String, _| of_issue += 1);
    // The URL and the repo, and what is known of the author.
    let by = [&raw.by.author, &raw.by.association, &raw.by.created_at];
    of_issue += 2 + by.into_iter().filter(|text| text.is_some()).count();
    let mut parts = vec![Part::Issue; of_issue];
    // Code has a path, a commit and a text; a link a repo, a URL and, if it is visible, a title.
    (0..raw.code.len()).for_each(|at| parts.extend([Part::Code(at); 3]));
    for (at, link) in raw.links.iter().enumerate() {
        parts.extend(std::iter::repeat_n(Part::Link(at), 2 + usize::from(link.title.is_some())));
    }
    // The text of a comment is its last piece.
    let mut comment = 0;
    for piece in &pieces[parts.len()..] {
        parts.push(Part::Comment(comment));
        comment += usize::from(piece.key == "comment");
    }
    parts
}

fn scrub_issue(
    reader: &InputReader<'_>,
    raw: &records::Issue<String>,
    mut removed: Removed,
    content: Option<Digest>,
    rules: &Arc<SourceRules>,
) -> Entry {
    let mut pieces: Vec<Piece<'_>> = Vec::new();
    raw.map(&mut |key, text: &String, line| pieces.push(Piece { key, text, line }));
    let parts = parts(raw, &pieces);
    let first_comment = parts.iter().position(|part| matches!(part, Part::Comment(_))).unwrap_or(parts.len());
    let comments = (first_comment..pieces.len()).filter(|piece| pieces[*piece].key == "comment");
    let markdown_pieces: Vec<usize> = [body_of(&pieces)].into_iter().chain(comments).collect();
    let content = content.as_ref().map(std::slice::from_ref);
    let batch = ScrubBatch { path: raw.item.origin.path.as_str(), purpose: FilePurpose::Issue, content };
    let digested = |scrubbed: &Scrubbed| digest(&scrubbed.texts[..first_comment], raw);
    let ScrubResult { scrubbed, markdown, digest } = reader.scrub(batch, &pieces, &markdown_pieces, digested);
    let mut texts = scrubbed.texts.iter();
    let issue = raw.map(&mut |_, _, _| texts.next().cloned().unwrap_or_default());
    for removal in scrubbed.removals {
        let (piece, part) = (removal.piece, parts[removal.piece]);
        let Piece { key, line, .. } = pieces[piece];
        let mut recorded = recorded(removal, key);
        match part {
            Part::Code(_) => {}
            Part::Link(_) => recorded.line = 1,
            Part::Comment(_) => {
                recorded.in_body = true;
                recorded.line = removed.line_before(part, recorded.line);
            }
            Part::Issue => {
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
    let link_removals = (0..issue.links.len()).map(|at| removed.take(Part::Link(at))).collect();
    let code_removals = (0..issue.code.len()).map(|at| removed.take(Part::Code(at))).collect();
    let comments =
        issue.comments.into_iter().zip(markdown).enumerate().map(|(at, (comment, markdown))| ParsedComment {
            markdown,
            digest: Digest::of(comment.text.as_str()),
            removals: removed.take(Part::Comment(at)),
            comment,
        });
    let issue = ClaimedIssue {
        comments: comments.collect(),
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
        removals: removed.take(Part::Issue),
        digest,
    };
    Entry { issue: Some(Box::new(issue)), ..entry_of(item, body, digest, rules) }
}

/// Returns a digest of everything but the comments, which are inputs of their own in packs that hold them.
fn digest(texts: &[Clean], issue: &records::Issue<String>) -> Digest {
    let links = issue.links.iter().map(|link| format!("{} {}", link.relation.name(), link.state.name()));
    let parts: Vec<String> = texts.iter().map(ToString::to_string).chain(links).collect();
    Digest::of(parts.join("\n"))
}

impl Project<'_> {
    /// Returns the files of issues in the snapshot that no root of a pack refers to any more, sorted; empty if a file cannot be
    /// read, so that its references are unknown. References of neighbours do not count, since packs look one hop far.
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
