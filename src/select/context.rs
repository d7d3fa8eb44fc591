//! What all packs of one profile are selected from, and the passages that they share.

use super::boilerplate::is_comment;
use super::edge_list::quoted_title;
use super::mentioned::MentionedItem;
use super::origins::{file_origin, item_origin};
use super::outline::{ExcerptSize, MarkedText, sections, within};
use super::passage_builder::{PassageBuilder, without_comments};
use super::text_fields::{OUTCOME_FIELDS, first_statement, outcome_of, text_fields};
use super::{Chunk, ChunkWeight, Input, SectionBody, TextOrigin, Trust};
use crate::config::{Excerpt, Profile};
use crate::graph::{Block, Corpus, Edge, Entry, FileKind, Graph, GraphRules, IssueDraft, Outline, ParsedText, Target};
use crate::markdown::KeyHeadings;
use crate::markdown::front_matter::{front_matter, key};
use crate::model::{Digest, RepoPath, floor_cluster};
use crate::redact::{Clean, CleanBuf};
use std::collections::HashMap;
use std::hash::{Hash as _, Hasher};
use std::sync::{Mutex, OnceLock, PoisonError};

/// A file that some root refers to, read, redacted and parsed.
#[derive(Debug)]
pub struct Document {
    pub path: RepoPath,
    pub shown: Clean,
    pub text: ParsedText,
    /// An ADR's status as written, if it has one.
    pub status: Option<Clean>,
    /// Whether that says that the decision does not apply, or no longer.
    pub is_inactive: bool,
    pub removals: Vec<crate::graph::RecordedRemoval>,
    pub digest: Digest,
}

/// A profile's instructions.
#[derive(Debug, Hash)]
pub struct ProfileInstructions {
    pub text: Clean,
    pub origin: TextOrigin,
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
const RESULT_HEADINGS: [&str; 4] = ["Outcome", "Final summary", "Decision", "What was done"];

/// The heading of what an item must fulfil.
const CRITERIA_HEADING: &str = "Acceptance criteria";

/// The longest line about a neighbour's outcome, in characters.
const LONGEST_OUTCOME_LINE: usize = 200;

/// A neighbour's text.
#[derive(Debug, Clone)]
pub(super) struct NeighbourBody {
    pub(super) body: SectionBody,
    /// Whether its pointer says what came of it.
    pub(super) has_result: bool,
}

/// Everything that the packs of one profile are selected from.
#[derive(Debug)]
pub struct SelectionContext<'a> {
    pub corpus: &'a Corpus,
    pub graph: &'a Graph,
    pub profile: &'a Profile,
    /// The settings for excerpts of ADRs.
    pub excerpt: &'a Excerpt,
    pub instructions: ProfileInstructions,
    /// The inputs that every pack of the profile has: instructions, rules.
    pub inputs: Vec<Input>,
    /// The rules that choose the comments of a root.
    pub comments: CommentRules,
    keys: KeyHeadings,
    /// Headings of results.
    results: KeyHeadings,
    /// Headings of what came of the work, rather than of how it was done.
    summaries: KeyHeadings,
    /// Headings of acceptance criteria.
    criteria: KeyHeadings,
    pub(super) mentions: Vec<OnceLock<Vec<MentionedItem>>>,
    items: Vec<OnceLock<NeighbourBody>>,
    parents: Vec<OnceLock<NeighbourBody>>,
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
        fn slots<T>(corpus: &Corpus) -> Vec<OnceLock<T>> {
            corpus.entries.iter().map(|_| OnceLock::new()).collect()
        }
        let headings =
            |names: &[&str]| KeyHeadings::new(&names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>());
        Self {
            corpus,
            graph,
            profile,
            excerpt,
            instructions,
            inputs,
            comments,
            keys: KeyHeadings::new(&profile.key_headings),
            results: headings(&RESULT_HEADINGS),
            summaries: headings(&RESULT_HEADINGS[..3]),
            criteria: headings(&[CRITERIA_HEADING]),
            mentions: slots(corpus),
            items: slots(corpus),
            parents: slots(corpus),
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
    pub(super) fn item(&self, item: usize) -> NeighbourBody {
        self.items[item].get_or_init(|| self.body(item, true, None)).clone()
    }

    /// Returns an item's body as a parent: a list of its children follows.
    pub(super) fn parent(&self, item: usize) -> NeighbourBody {
        self.parents[item].get_or_init(|| self.body(item, true, Some(self.children(item)))).clone()
    }

    /// Returns an item's body as the root, whose opening is cut before its key headings.
    pub(super) fn root(&self, item: usize) -> SectionBody {
        self.body(item, false, None).body
    }

    /// Returns the body of the text that an item's file has beside its issue's text.
    pub(super) fn draft(&self, item: usize, draft: &IssueDraft, origin: &TextOrigin) -> SectionBody {
        let entry = &self.corpus.entries[item];
        let state = Clean::literal(Graph::state(self.corpus, item).name());
        let pointer = pointer(&entry.item.title, title_trust(entry), Some(&state), origin);
        self.text(&draft.text.clean, &draft.text.markdown.outline, origin, pointer, ExcerptSize::ROOT)
    }

    /// Returns the body of a text, which begins with `first_line` at every level of detail.
    pub(super) fn after_line(
        &self,
        first_line: &Clean,
        text: &Clean,
        markdown: &Outline,
        origin: &TextOrigin,
        pointer: Clean,
    ) -> SectionBody {
        let (text, parts) = self.parts(text, markdown);
        let mut comment = PassageBuilder::default();
        comment.text.text(first_line).lit(if text.is_empty() { "" } else { "\n\n" });
        // Like a heading it never stays without text.
        comment.end_heading(ChunkWeight::Core);
        comment.append(&text, parts);
        SectionBody::Passage(comment.passage(origin, ExcerptSize::NEIGHBOUR), pointer)
    }

    /// Returns the body of a text.
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
        let mut marked = MarkedText::new(markdown, text);
        marked.mark_sections(|title| self.keys.contain(title));
        if markdown.headings.first().is_some_and(|heading| heading.level == 1) {
            marked.mark_title();
        }
        marked.mark_opening();
        without_comments(text, marked.chunks)
    }

    /// Returns an item's body, with the `list` of its children if it is a parent. A neighbour's texts in other fields follow
    /// its body. The excerpt of a neighbour has its opening; that of one that is done has its outcome instead.
    fn body(&self, item: usize, neighbour: bool, list: Option<Clean>) -> NeighbourBody {
        let entry = &self.corpus.entries[item];
        let origin = item_origin(entry);
        let markdown = &entry.body.markdown.outline;
        let body = &entry.body.clean;
        let state = Graph::state(self.corpus, item);
        let settled = neighbour && state.is_settled();
        let outcome = if settled { outcome_of(entry) } else { None };
        let mut marked = MarkedText::new(markdown, body);
        let is_outcome = |title: &str| self.results.contain(title) || self.criteria.contain(title);
        let fields = if neighbour {
            let keys = if settled { &self.results } else { &self.keys };
            text_fields(entry, keys, if settled { &OUTCOME_FIELDS } else { &[] })
        } else {
            Vec::new()
        };
        let has_outcome = settled
            && marked.mark_sections(is_outcome)
                | outcome.is_some()
                | fields.iter().any(|(heading, _)| is_outcome(heading));
        if !has_outcome {
            marked.mark_sections(|title| self.keys.contain(title));
            marked.mark_opening();
        }
        let is_shown = |block: &&Block| !is_comment(body.get(block.range.clone()).unwrap_or_default());
        let first = markdown.blocks.iter().find(is_shown).and_then(|block| block.heading);
        let titled = first.is_some_and(|first| markdown.headings[first].title.trim() == entry.item.title.trim());
        // Another heading than the title stays only with the text below it.
        if titled || markdown.headings.first().is_some_and(|first| has_text(&marked.chunks, first.block)) {
            marked.mark_title();
        }
        let line = if settled { self.outcome_line(entry, outcome.as_ref(), &marked.chunks) } else { None };
        if settled {
            marked.move_fulfilled(&self.criteria);
        }
        let (body, parts) = without_comments(body, marked.chunks);
        let mut text = PassageBuilder::default();
        if !titled {
            text.text.lit("# ").line(&entry.item.title).lit(if body.is_empty() { "" } else { "\n\n" });
            text.end_heading(ChunkWeight::Core);
        }
        match &outcome {
            // What came of it stands before everything else, so that it is cut last.
            Some(outcome) => {
                let title = if titled { parts.iter().take_while(|chunk| chunk.heading).count().min(1) } else { 0 };
                let end = parts[..title].last().map_or(0, |chunk| chunk.range.end);
                text.append(&body.slice(0..end), parts[..title].to_vec());
                text.section(&Clean::literal("Outcome"), outcome, ChunkWeight::Key);
                let rest = parts[title..].iter().cloned();
                let rest = rest.map(|chunk| Chunk { range: chunk.range.start - end..chunk.range.end - end, ..chunk });
                if end < body.len() {
                    text.blank_line();
                    // Without a heading of its own the text would pass for the outcome.
                    if rest.clone().next().is_some_and(|chunk| !chunk.heading) {
                        text.heading(&Clean::literal("Description"), ChunkWeight::Normal);
                    }
                }
                text.append(&body.slice(end..body.len()), rest.collect());
            }
            None => text.append(&body, parts),
        }
        for (heading, field) in &fields {
            let key = if has_outcome { is_outcome(heading) } else { self.keys.contain(heading) };
            text.section(heading, field, if key { ChunkWeight::Key } else { ChunkWeight::Normal });
        }
        if let Some(list) = list.filter(|list| !list.is_empty()) {
            let key = self.profile.key_headings.iter().any(|key| key.eq_ignore_ascii_case("children"));
            text.text.lit("\n\n## Children\n\n").text(&list);
            text.end_chunk(if key { ChunkWeight::Key } else { ChunkWeight::Normal });
        }
        let size = if neighbour { ExcerptSize::NEIGHBOUR } else { ExcerptSize::ROOT };
        let passage = text.passage(&origin, size);
        let state = Clean::literal(state.name());
        let has_result = line.is_some();
        let pointer = match line {
            Some(line) => {
                let mut pointer = CleanBuf::new();
                pointer.line(&entry.item.id).lit(" (").line(&state).lit("): ").text(&line);
                pointer.lit(" (").line(&origin.place()).lit(")").finish()
            }
            None => pointer(&entry.item.title, title_trust(entry), Some(&state), &origin),
        };
        let body = SectionBody::Passage(passage, pointer);
        NeighbourBody { body, has_result }
    }

    /// Returns the first line of what came out of an item: of its fields, else below the heading of a result.
    fn outcome_line(&self, entry: &Entry, outcome: Option<&Clean>, parts: &[Chunk]) -> Option<Clean> {
        let body = &entry.body.clean;
        let in_body = || {
            let markdown = &entry.body.markdown.outline;
            // What came of it says more than how it was done.
            let first = sections(markdown, body, |title| self.summaries.contain(title));
            let results = first.chain(sections(markdown, body, |title| self.results.contain(title)));
            let blocks = results.flatten().filter(|block| !parts[*block].heading && parts[*block].fence.is_none());
            let mut texts = blocks.map(|block| body.slice(markdown.blocks[block].range.clone()));
            texts.find_map(|text| if is_comment(&text) { None } else { first_statement(&text) })
        };
        let first = outcome.and_then(first_statement).or_else(in_body)?;
        let end = first.char_indices().nth(LONGEST_OUTCOME_LINE).map(|(at, _)| floor_cluster(&first, at));
        let mut line = CleanBuf::new();
        line.line(&first.slice(0..end.unwrap_or(first.len()))).lit(if end.is_some() { "…" } else { "" });
        Some(line.finish())
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
        let mut marked = MarkedText::new(markdown, whole);
        if kind == FileKind::Adr {
            marked.mark_adr(self.excerpt);
        } else {
            // What the root asks for by name is the excerpt.
            let is_named = |title: &str| named.iter().any(|index| markdown.headings[*index].title == title);
            if !marked.mark_sections(is_named) {
                marked.mark_sections(|title| self.keys.contain(title));
                marked.mark_opening();
            }
            marked.mark_title();
        }
        let end = range.start + whole[range.clone()].trim_end().len();
        let mut parts = within(marked.chunks, &(range.start..end));
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
        if let Some(status) = document.status.as_ref().filter(|_| kind == FileKind::Adr && document.is_inactive) {
            title.lit(" (").line(status).lit(")");
        }
        let title = title.finish();
        let pointer =
            pointer(&title, Trust::Trusted, document.status.as_ref().filter(|_| !document.is_inactive), origin);
        (title, SectionBody::Passage(file.passage(origin, ExcerptSize::NEIGHBOUR), pointer))
    }
}

/// Returns whether the chunk below a heading is marked as key.
fn has_text(parts: &[Chunk], heading: usize) -> bool {
    parts.get(heading + 1).is_some_and(|below| below.weight == ChunkWeight::Key)
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
    let yaml = text.slice(front_matter(text)?.yaml);
    let line = yaml.lines().find(|line| key(line).is_some_and(|(name, _)| name == "title"))?;
    let value = yaml.read_out(key(line)?.1)?;
    let quoted = value.len() > 1 && ['"', '\''].iter().any(|q| value.starts_with(*q) && value.ends_with(*q));
    Some(if quoted { value.slice(1..value.len() - 1) } else { value }).filter(|value| !value.is_empty())
}

fn title_trust(entry: &Entry) -> Trust {
    Trust::of(entry.has_untrusted_title())
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
