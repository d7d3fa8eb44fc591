//! What all packs of one profile are selected from, and the passages that they share.

use super::edge_list::quoted_title;
use super::origins::{file_origin, item_origin};
use super::outline::{chunks, mark_adr, mark_headings, mark_opening, mark_title};
use super::{Chunk, Input, Passage, SectionBody, TextOrigin, Trust};
use crate::config::{Excerpt, Profile};
use crate::graph::{
    Corpus, Edge, Entry, FileKind, Graph, GraphRules, IssueDraft, Outline, ParsedComment, ParsedText, Target,
};
use crate::model::{Digest, RepoPath};
use crate::redact::{Clean, CleanBuf};
use std::collections::HashMap;
use std::hash::{Hash as _, Hasher};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// A file that some root refers to, read, redacted and parsed.
#[derive(Debug)]
pub struct Document {
    /// The file.
    pub path: RepoPath,
    /// The redacted path.
    pub shown: Clean,
    /// The text.
    pub text: ParsedText,
    /// An ADR's status as written, if it has one.
    pub status: Option<Clean>,
    /// The redactions in it.
    pub removals: Vec<crate::graph::RecordedRemoval>,
    /// The digest of the text after redaction.
    pub digest: Digest,
}

/// A profile's instructions.
#[derive(Debug, Hash)]
pub struct ProfileInstructions {
    /// The text.
    pub text: Clean,
    /// The text's origin.
    pub origin: TextOrigin,
    /// The redactions in it.
    pub removals: Vec<crate::graph::RecordedRemoval>,
}

/// The rules that choose the comments of a root.
#[derive(Debug, Clone, Copy, Hash)]
pub struct CommentRules {
    /// The most comments that a pack shows: the last ones.
    pub most: usize,
    /// Whether comments by untrusted authors are left out.
    pub trusted_only: bool,
}

/// The key of a cached passage: a file, its kind, and the anchor of the section that is shown.
type FileKey = (RepoPath, FileKind, Option<String>);

/// Everything that the packs of one profile are selected from.
#[derive(Debug)]
pub struct SelectionContext<'a> {
    /// All items.
    pub corpus: &'a Corpus,
    /// The edges between the items.
    pub graph: &'a Graph,
    /// The profile.
    pub profile: &'a Profile,
    /// The settings for excerpts of ADRs.
    pub excerpt: &'a Excerpt,
    /// The profile's instructions.
    pub instructions: ProfileInstructions,
    /// The inputs that every pack of the profile has: instructions, rules.
    pub inputs: Vec<Input>,
    /// The rules that choose the comments of a root.
    pub comments: CommentRules,
    items: Vec<OnceLock<SectionBody>>,
    parents: Vec<OnceLock<SectionBody>>,
    files: Mutex<HashMap<FileKey, (Clean, SectionBody)>>,
}

impl<'a> SelectionContext<'a> {
    /// Creates a context with an empty cache of passages.
    pub fn new(
        corpus: &'a Corpus,
        graph: &'a Graph,
        profile: &'a Profile,
        excerpt: &'a Excerpt,
        instructions: ProfileInstructions,
        inputs: Vec<Input>,
        comments: CommentRules,
    ) -> Self {
        let slots = || (0..corpus.entries.len()).map(|_| OnceLock::new()).collect();
        Self {
            corpus,
            graph,
            profile,
            excerpt,
            instructions,
            inputs,
            comments,
            items: slots(),
            parents: slots(),
            files: Mutex::default(),
        }
    }

    /// Feeds `state` the settings that all packs of the profile share.
    pub fn hash_settings<H: Hasher>(&self, state: &mut H) {
        let GraphRules { repo, host, done, adrs: _ } = &self.corpus.rules;
        (self.profile, self.excerpt, &self.instructions, &self.inputs, self.comments).hash(state);
        (repo, host, done).hash(state);
    }

    /// Drops the cached passages.
    pub fn clear_passages(&mut self) {
        self.items.iter_mut().chain(&mut self.parents).for_each(|slot| drop(slot.take()));
        self.files.get_mut().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// Returns an item's body as a child, a dependency or a related item.
    pub(super) fn item(&self, item: usize) -> SectionBody {
        self.items[item].get_or_init(|| self.body(item, true, None)).clone()
    }

    /// Returns an item's body as a parent: a list of its children follows.
    pub(super) fn parent(&self, item: usize) -> SectionBody {
        self.parents[item].get_or_init(|| self.body(item, true, Some(self.children(item)))).clone()
    }

    /// Returns an item's body as the root, whose opening is cut before its key headings.
    pub(super) fn root(&self, item: usize) -> SectionBody {
        self.body(item, false, None)
    }

    /// Returns the body of the text that an item's file has beside its issue's text.
    pub(super) fn draft(&self, item: usize, draft: &IssueDraft, origin: &TextOrigin) -> SectionBody {
        let entry = &self.corpus.entries[item];
        let state = Clean::literal(Graph::state(self.corpus, item).name());
        let pointer = pointer(&entry.item.title, title_trust(entry), Some(&state), origin);
        self.text(&draft.text.clean, &draft.text.markdown.outline, origin, pointer)
    }

    /// Returns a comment's body.
    pub(super) fn comment(&self, parsed: &ParsedComment, title: &Clean, origin: &TextOrigin) -> SectionBody {
        self.text(&parsed.comment.text, &parsed.markdown.outline, origin, pointer(title, Trust::Trusted, None, origin))
    }

    fn text(&self, text: &Clean, markdown: &Outline, origin: &TextOrigin, pointer: Clean) -> SectionBody {
        let mut parts = chunks(markdown, &(0..text.len()), 0);
        mark_headings(&mut parts, markdown, &self.profile.key_headings);
        mark_title(&mut parts, markdown, text);
        mark_opening(&mut parts, markdown);
        SectionBody::Passage(Arc::new(Passage::new(text.clone(), parts, origin.place())), pointer)
    }

    fn body(&self, item: usize, opening: bool, tail: Option<Clean>) -> SectionBody {
        let entry = &self.corpus.entries[item];
        let origin = item_origin(entry);
        let markdown = &entry.body.markdown.outline;
        let body = &entry.body.clean;
        let mut head = CleanBuf::new();
        let titled = markdown
            .blocks
            .first()
            .and_then(|block| block.heading)
            .is_some_and(|heading| markdown.headings[heading].title.trim() == entry.item.title.trim());
        if !titled {
            head.lit("# ").line(&entry.item.title);
            head.lit(if body.is_empty() { "" } else { "\n\n" });
        }
        let head = head.finish();
        let mut parts = chunks(markdown, &(0..body.len()), head.len());
        mark_headings(&mut parts, markdown, &self.profile.key_headings);
        mark_title(&mut parts, markdown, body);
        if opening {
            mark_opening(&mut parts, markdown);
        }
        if !head.is_empty() {
            parts.insert(0, Chunk { range: 0..head.len(), key: true, fence: None });
        }
        let tail = tail.filter(|tail| !tail.is_empty());
        let mut text = CleanBuf::new();
        // Most texts need no addition: packs then share them with the corpus.
        if !head.is_empty() || tail.is_some() {
            text.text(&head).text(body);
        }
        if let Some(tail) = &tail {
            let start = text.as_str().len();
            text.lit("\n\n## Children\n\n").text(tail);
            let key = self.profile.key_headings.iter().any(|key| key.eq_ignore_ascii_case("children"));
            parts.push(Chunk { range: start..text.as_str().len(), key, fence: None });
        }
        let text = if text.is_empty() { body.clone() } else { text.finish() };
        let state = Clean::literal(Graph::state(self.corpus, item).name());
        let pointer = pointer(&entry.item.title, title_trust(entry), Some(&state), &origin);
        SectionBody::Passage(Arc::new(Passage::new(text, parts, origin.place())), pointer)
    }

    /// Lists the children of an item, one a line: id, title, state.
    fn children(&self, item: usize) -> Clean {
        let mut lines = CleanBuf::new();
        let (children, listed) = self.graph.children(item);
        for edge in &children[..listed] {
            if !lines.is_empty() {
                lines.lit("\n");
            }
            lines.lit("- ").line(self.id(edge));
            if let Some(title) = self.title(edge) {
                lines.lit(" ");
                quoted_title(&mut lines, title, Trust::of(self.lists_untrusted([edge])));
            }
            lines.lit(": ").lit(self.state(edge));
        }
        if children.len() > listed {
            lines.lit("\n- and ").number((children.len() - listed) as u64).lit(" more");
        }
        lines.finish()
    }

    /// Returns the title of an edge's target, if it is known.
    pub(super) fn title<'b>(&'b self, edge: &'b Edge) -> Option<&'b Clean> {
        match &edge.to {
            Target::Item(item) => Some(&self.corpus.entries[*item].item.title),
            Target::Issue { title, .. } => title.as_ref(),
        }
    }

    /// Returns the id of an edge's target.
    pub(super) fn id<'b>(&'b self, edge: &'b Edge) -> &'b Clean {
        match &edge.to {
            Target::Item(item) => &self.corpus.entries[*item].item.id,
            Target::Issue { id, .. } => id,
        }
    }

    /// Returns the state of an edge's target.
    pub(super) fn state(&self, edge: &Edge) -> &'static str {
        match &edge.to {
            Target::Item(item) => Graph::state(self.corpus, *item).name(),
            Target::Issue { state, .. } => state.name(),
        }
    }

    /// Returns whether a list of these neighbours shows a title that an untrusted author may have written.
    pub(super) fn lists_untrusted<'e>(&self, edges: impl IntoIterator<Item = &'e Edge>) -> bool {
        edges.into_iter().any(|edge| match &edge.to {
            Target::Item(item) => self.corpus.entries[*item].has_untrusted_title(),
            Target::Issue { title, .. } => title.is_some(),
        })
    }

    /// Returns whether one of these neighbours has its id from a file that git does not track and that counts as untrusted.
    pub(super) fn lists_untracked<'e>(&self, edges: impl IntoIterator<Item = &'e Edge>) -> bool {
        edges.into_iter().any(|edge| match &edge.to {
            Target::Item(item) => self.corpus.entries[*item].untrusted_file,
            Target::Issue { .. } => false,
        })
    }

    /// Returns the argument of `sync` that fetches an edge's target; `None` if the target is in the corpus.
    pub(super) fn sync(&self, edge: &Edge) -> Option<Clean> {
        let Target::Issue { id, .. } = &edge.to else { return None };
        let repo = id.rfind('#').map_or("", |hash| &id[..hash]);
        let here = self.corpus.rules.repo.as_ref().is_some_and(|this| this.eq_ignore_ascii_case(repo));
        Some(if here { id.slice(repo.len() + 1..id.len()) } else { id.clone() })
    }

    /// Returns title, origin and body of a file or of its section under `anchor`; `None` if there is no such heading.
    pub(super) fn file(
        &self,
        document: &Document,
        kind: FileKind,
        anchor: Option<&str>,
    ) -> Option<(Clean, TextOrigin, SectionBody)> {
        let markdown = &document.text.markdown.outline;
        let text = &document.text.clean;
        let range = match anchor {
            None => 0..text.len(),
            Some(anchor) => markdown.section(text.len(), anchor)?,
        };
        let origin = file_origin(document, anchor, &range);
        let key = (document.path.clone(), kind, anchor.map(str::to_owned));
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        let (title, body) = files.entry(key).or_insert_with(|| self.read(document, kind, &range, &origin)).clone();
        Some((title, origin, body))
    }

    fn read(
        &self,
        document: &Document,
        kind: FileKind,
        range: &std::ops::Range<usize>,
        origin: &TextOrigin,
    ) -> (Clean, SectionBody) {
        let markdown = &document.text.markdown.outline;
        let whole = &document.text.clean;
        let mut parts = chunks(markdown, &(0..whole.len()), 0);
        if kind == FileKind::Adr {
            mark_adr(&mut parts, markdown, whole, self.excerpt);
        } else {
            mark_headings(&mut parts, markdown, &self.profile.key_headings);
            mark_title(&mut parts, markdown, whole);
            mark_opening(&mut parts, markdown);
        }
        let end = range.start + whole[range.clone()].trim_end().len();
        let mut parts: Vec<Chunk> = parts
            .into_iter()
            .map(|chunk| Chunk {
                range: chunk.range.start.clamp(range.start, end) - range.start
                    ..chunk.range.end.clamp(range.start, end) - range.start,
                ..chunk
            })
            .filter(|chunk| !chunk.range.is_empty())
            .collect();
        if *range != (0..whole.len())
            && let Some(first) = parts.first_mut()
        {
            first.key = true;
        }
        let mut title = CleanBuf::new();
        title.line(&heading(document, range, origin.anchor.is_some()));
        if let Some(status) = document.status.as_ref().filter(|status| kind == FileKind::Adr && is_inactive(status)) {
            title.lit(" (").line(status).lit(")");
        }
        let title = title.finish();
        let pointer =
            pointer(&title, Trust::Trusted, document.status.as_ref().filter(|status| !is_inactive(status)), origin);
        let text = whole.slice(range.start..end);
        (title, SectionBody::Passage(Arc::new(Passage::new(text, parts, origin.place())), pointer))
    }
}

/// Returns the title of a document or section: a section's heading; a document's first heading of level 1, else its
/// `title:`, else its path.
fn heading(document: &Document, range: &std::ops::Range<usize>, section: bool) -> Clean {
    let markdown = &document.text.markdown.outline;
    let text = &document.text.clean;
    markdown
        .headings
        .iter()
        .filter(|heading| range.contains(&markdown.blocks[heading.block].range.start))
        .find(|heading| section || heading.level == 1)
        .and_then(|heading| text.slice(markdown.blocks[heading.block].range.clone()).read_out(&heading.title))
        .filter(|title| !title.trim().is_empty())
        .or_else(|| title_field(text))
        .unwrap_or_else(|| document.shown.clone())
}

/// Returns the value of `title:` in the front matter of a text.
fn title_field(text: &Clean) -> Option<Clean> {
    const KEY: &str = "\ntitle:";
    let front_matter = text.starts_with("---\n").then(|| &text[..text[4..].find("\n---").map_or(0, |end| end + 4)])?;
    let start = front_matter.find(KEY)? + KEY.len();
    let end = text[start..].find('\n').map_or(text.len(), |end| start + end);
    let value = text.slice(start..end).trimmed();
    let quoted = value.len() > 1 && ['"', '\''].iter().any(|q| value.starts_with(*q) && value.ends_with(*q));
    Some(if quoted { value.slice(1..value.len() - 1) } else { value }).filter(|value| !value.is_empty())
}

fn title_trust(entry: &Entry) -> Trust {
    Trust::of(entry.has_untrusted_title())
}

/// Returns whether an ADR's status says that the decision does not apply, or no longer.
pub fn is_inactive(status: &str) -> bool {
    let status = status.to_lowercase();
    ["superseded", "superceded", "rejected", "deprecated", "obsolete", "withdrawn"]
        .iter()
        .any(|word| status.contains(word))
}

/// Returns a section's lowest level of detail: title, state and place on one line.
fn pointer(title: &Clean, trust: Trust, state: Option<&Clean>, origin: &TextOrigin) -> Clean {
    let mut line = CleanBuf::new();
    match trust {
        Trust::Trusted => line.title(title),
        Trust::Untrusted => line.short_title(title).lit(" (untrusted)"),
    };
    if let Some(state) = state {
        line.lit(" (").line(state).lit(")");
    }
    line.lit(": ").line(&origin.place()).finish()
}
