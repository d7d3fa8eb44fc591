//! What all packs of one profile are selected from, and the passages that they share.

use super::boilerplate::is_comment;
use super::edge_list::quoted_title;
use super::key_headings::KeyHeadings;
use super::origins::{file_origin, item_origin};
use super::outline::{
    ExcerptSize, chunks, limit_sections, mark_adr, mark_boilerplate, mark_headings, mark_opening, mark_sections,
    mark_title, within,
};
use super::{Chunk, ChunkWeight, Input, Passage, SectionBody, TextOrigin, Trust};
use crate::config::{Excerpt, Profile};
use crate::graph::{
    Corpus, Edge, Entry, FileKind, Graph, GraphRules, IssueDraft, Outline, ParsedComment, ParsedText, Target, Value,
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

/// The key of a cached passage: a file, its kind, the anchor of the section that is shown, and the headings that its root
/// names.
type FileKey = (RepoPath, FileKind, Option<String>, Vec<usize>);

/// Headings of what came out of an item.
const OUTCOME_HEADINGS: [&str; 4] = ["Outcome", "Final summary", "Decision", "Acceptance criteria"];

/// Fields that state what came out of an item.
const OUTCOME_FIELDS: [&str; 4] = ["close_reason", "final_summary", "outcome", "resolution"];

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
    keys: KeyHeadings,
    outcomes: KeyHeadings,
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
            keys: KeyHeadings::new(&profile.key_headings),
            outcomes: KeyHeadings::new(&OUTCOME_HEADINGS.map(str::to_owned)),
            items: slots(),
            parents: slots(),
            files: Mutex::default(),
        }
    }

    /// Feeds `state` the settings that all packs of the profile share.
    pub fn hash_settings<H: Hasher>(&self, state: &mut H) {
        let GraphRules { repo, host, done, not_planned, boilerplate: _, adrs: _ } = &self.corpus.rules;
        (self.profile, self.excerpt, &self.instructions, &self.inputs, self.comments).hash(state);
        (repo, host, done, not_planned).hash(state);
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
        self.text(&draft.text.clean, &draft.text.markdown.outline, origin, pointer, ExcerptSize::ROOT)
    }

    /// Returns a comment's body, which begins with `first_line` at every level of detail.
    pub(super) fn comment(&self, parsed: &ParsedComment, first_line: &Clean, origin: &TextOrigin) -> SectionBody {
        let mut pointer = CleanBuf::new();
        let pointer = pointer.text(first_line).lit(" ").line(&origin.place()).finish();
        let (text, parts) = self.parts(&parsed.comment.text, &parsed.markdown.outline);
        let mut comment = PassageBuilder::default();
        comment.text.text(first_line).lit(if text.is_empty() { "" } else { "\n\n" });
        // Like a heading it never stays without text.
        comment.end_heading();
        comment.append(&text, parts);
        SectionBody::Passage(comment.passage(origin, ExcerptSize::NEIGHBOUR), pointer)
    }

    /// Returns a text without the comments of templates as a section's body.
    pub(super) fn text(
        &self,
        text: &Clean,
        markdown: &Outline,
        origin: &TextOrigin,
        pointer: Clean,
        size: ExcerptSize,
    ) -> SectionBody {
        let (text, parts) = self.parts(text, markdown);
        let mut draft = PassageBuilder::default();
        draft.append(&text, parts);
        SectionBody::Passage(draft.passage(origin, size), pointer)
    }

    /// Returns a text without the comments of templates, and its chunks.
    fn parts(&self, text: &Clean, markdown: &Outline) -> (Clean, Vec<Chunk>) {
        let mut parts = chunks(markdown);
        mark_boilerplate(&mut parts, markdown, text);
        mark_headings(&mut parts, markdown, &self.keys);
        mark_title(&mut parts, markdown, text);
        mark_opening(&mut parts, markdown, text);
        without_comments(text, parts)
    }

    /// Returns an item's body, with the `list` of its children if it is a parent. The excerpt of a neighbour has its opening;
    /// that of one that is done has its outcome instead.
    fn body(&self, item: usize, neighbour: bool, list: Option<Clean>) -> SectionBody {
        let entry = &self.corpus.entries[item];
        let origin = item_origin(entry);
        let markdown = &entry.body.markdown.outline;
        let body = &entry.body.clean;
        let state = Graph::state(self.corpus, item);
        let settled = neighbour && state.is_settled();
        let outcome = if settled { outcome_of(entry) } else { None };
        let mut parts = chunks(markdown);
        mark_boilerplate(&mut parts, markdown, body);
        let has_outcome =
            settled && mark_sections(&mut parts, markdown, |title| self.outcomes.contain(title)) | outcome.is_some();
        if !has_outcome {
            mark_headings(&mut parts, markdown, &self.keys);
        }
        mark_title(&mut parts, markdown, body);
        if !has_outcome {
            mark_opening(&mut parts, markdown, body);
        }
        let titled = markdown
            .blocks
            .iter()
            .find(|block| !is_comment(body.get(block.range.clone()).unwrap_or_default()))
            .and_then(|block| block.heading)
            .is_some_and(|heading| markdown.headings[heading].title.trim() == entry.item.title.trim());
        let (body, parts) = without_comments(body, parts);
        let mut text = PassageBuilder::default();
        if !titled {
            text.text.lit("# ").line(&entry.item.title).lit(if body.is_empty() { "" } else { "\n\n" });
            text.end_heading();
        }
        text.append(&body, parts);
        if let Some(outcome) = outcome {
            text.text.lit("\n\n## Outcome\n\n");
            text.end_heading();
            text.text.text(&outcome);
            text.end_chunk(ChunkWeight::Key);
        }
        if let Some(list) = list.filter(|list| !list.is_empty()) {
            let key = self.profile.key_headings.iter().any(|key| key.eq_ignore_ascii_case("children"));
            text.text.lit("\n\n## Children\n\n").text(&list);
            text.end_chunk(if key { ChunkWeight::Key } else { ChunkWeight::Normal });
        }
        let size = if neighbour { ExcerptSize::NEIGHBOUR } else { ExcerptSize::ROOT };
        let passage = text.passage(&origin, size);
        let state = Clean::literal(state.name());
        let pointer = pointer(&entry.item.title, title_trust(entry), Some(&state), &origin);
        SectionBody::Passage(passage, pointer)
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

    /// Returns title, origin and body of a file or of its section under `anchor`; `None` if there is no such heading. Sections
    /// under the headings `named` by the root are cut last.
    pub(super) fn file(
        &self,
        document: &Document,
        kind: FileKind,
        anchor: Option<&str>,
        named: Vec<usize>,
    ) -> Option<(Clean, TextOrigin, SectionBody)> {
        let markdown = &document.text.markdown.outline;
        let text = &document.text.clean;
        let range = match anchor {
            None => 0..text.len(),
            Some(anchor) => markdown.section(text.len(), anchor)?,
        };
        let origin = file_origin(document, anchor, &range);
        let key = (document.path.clone(), kind, anchor.map(str::to_owned), named);
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        let read = |key: &FileKey| self.read(document, kind, &range, &origin, &key.3);
        let (title, body) = files.entry(key).or_insert_with_key(read).clone();
        Some((title, origin, body))
    }

    fn read(
        &self,
        document: &Document,
        kind: FileKind,
        range: &std::ops::Range<usize>,
        origin: &TextOrigin,
        named: &[usize],
    ) -> (Clean, SectionBody) {
        let markdown = &document.text.markdown.outline;
        let whole = &document.text.clean;
        let mut parts = chunks(markdown);
        mark_boilerplate(&mut parts, markdown, whole);
        if kind == FileKind::Adr {
            mark_adr(&mut parts, markdown, whole, self.excerpt);
        } else {
            // What the root asks for by name is the excerpt.
            if !mark_sections(&mut parts, markdown, |title| {
                named.iter().any(|index| markdown.headings[*index].title == title)
            }) {
                mark_headings(&mut parts, markdown, &self.keys);
                mark_opening(&mut parts, markdown, whole);
            }
            mark_title(&mut parts, markdown, whole);
        }
        let end = range.start + whole[range.clone()].trim_end().len();
        let mut parts = within(parts, &(range.start..end), 0);
        if *range != (0..whole.len())
            && let Some(first) = parts.first_mut()
        {
            first.weight = ChunkWeight::Core;
        }
        let (text, parts) = without_comments(&whole.slice(range.start..end), parts);
        let mut file = PassageBuilder::default();
        file.append(&text, parts);
        let mut title = CleanBuf::new();
        title.line(&heading(document, range, origin.anchor.is_some()));
        if let Some(status) = document.status.as_ref().filter(|status| kind == FileKind::Adr && is_inactive(status)) {
            title.lit(" (").line(status).lit(")");
        }
        let title = title.finish();
        let pointer =
            pointer(&title, Trust::Trusted, document.status.as_ref().filter(|status| !is_inactive(status)), origin);
        (title, SectionBody::Passage(file.passage(origin, ExcerptSize::NEIGHBOUR), pointer))
    }
}

/// A text that is put together from parts, with its chunks.
#[derive(Default)]
struct PassageBuilder {
    text: CleanBuf,
    parts: Vec<Chunk>,
    /// The whole text if it is one part, so that packs share it with the corpus.
    shared: Option<Clean>,
}

impl PassageBuilder {
    /// Makes what was written since the last chunk a chunk.
    fn end_chunk(&mut self, weight: ChunkWeight) {
        let start = self.parts.last().map_or(0, |chunk| chunk.range.end);
        let end = self.text.as_str().len();
        if start < end {
            self.parts.push(Chunk { weight, ..Chunk::new(start..end) });
        }
    }

    /// Makes what was written since the last chunk a heading.
    fn end_heading(&mut self) {
        let before = self.parts.len();
        self.end_chunk(ChunkWeight::Core);
        self.parts[before..].iter_mut().for_each(|chunk| chunk.heading = true);
    }

    /// Appends a text with its chunks.
    fn append(&mut self, text: &Clean, parts: Vec<Chunk>) {
        let start = self.text.as_str().len();
        self.shared = (start == 0).then(|| text.clone());
        self.text.text(text);
        self.parts.extend(
            parts.into_iter().map(|chunk| Chunk { range: chunk.range.start + start..chunk.range.end + start, ..chunk }),
        );
    }

    /// Returns the passage, with the chunks of its excerpt limited to a size.
    fn passage(self, origin: &TextOrigin, size: ExcerptSize) -> Arc<Passage> {
        let (text, mut parts) = self.finish();
        limit_sections(&mut parts, &text, size);
        Arc::new(Passage::new(text, parts, origin.place()))
    }

    fn finish(mut self) -> (Clean, Vec<Chunk>) {
        let text = self.shared.filter(|shared| shared.len() == self.text.as_str().len());
        (text.unwrap_or_else(|| self.text.finish()), self.parts)
    }
}

/// Returns a text and its chunks without the comments and markers of templates, which no reader of the text sees.
fn without_comments(text: &Clean, parts: Vec<Chunk>) -> (Clean, Vec<Chunk>) {
    let comments = |chunk: &Chunk| is_comment(&text[chunk.range.clone()]);
    if !parts.iter().any(comments) {
        return (text.clone(), parts);
    }
    let mut rest = PassageBuilder::default();
    let last = parts.iter().rposition(|chunk| !comments(chunk));
    let mut divided = false;
    for (index, chunk) in parts.into_iter().enumerate() {
        if comments(&chunk) {
            divided = true;
            continue;
        }
        // What a comment divided stays divided.
        if std::mem::take(&mut divided)
            && let Some(before) = rest.parts.last_mut()
            && !rest.text.as_str().ends_with("\n\n")
        {
            rest.text.lit("\n");
            before.range.end += 1;
        }
        let part = text.slice(chunk.range.clone());
        let part = if Some(index) == last { part.slice(0..part.trim_end().len()) } else { part };
        rest.append(&part, vec![Chunk { range: 0..part.len(), ..chunk }]);
    }
    rest.finish()
}

/// Returns what the fields of an item say about its outcome.
fn outcome_of(entry: &Entry) -> Option<Clean> {
    let mut outcome = CleanBuf::new();
    for name in OUTCOME_FIELDS {
        let field = entry.item.fields.iter().find(|field| &*field.name == name);
        if let Some(Value::Scalar { text, .. }) = field.map(|field| &field.node.value)
            && !text.trim().is_empty()
        {
            outcome.lit(if outcome.is_empty() { "" } else { "\n\n" }).text(&text.trimmed());
        }
    }
    (!outcome.is_empty()).then(|| outcome.finish())
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
