//! What all packs of one profile are selected from, and the passages that they share.

use super::edge_list::quoted_title;
use super::fields::{first_statement, outcome_of, text_fields};
use super::origins::{
    ParsedDocument, RedactionRecord, TextOrigin, file_origin, item_origin, marker, redactions,
    redactions_in_text_and_names,
};
use super::outline::{AdrHeadings, Chunk, ChunkWeight, ExcerptSize, MarkedText, is_comment, sections, within};
use super::passage::{PassageBuilder, without_comments};
use super::{Input, Passage, SectionBody, TextLevels, WORDS};
use crate::config::{Excerpt, Profile};
use crate::graph::{Block, Corpus, Edge, Entry, FileKind, Graph, GraphRules, IssueDraft, Outline, Target};
use crate::markdown::front_matter::{front_matter, key};
use crate::markdown::{Heading, KeyHeadings};
use crate::model::{RepoPath, floor_cluster};
use crate::redact::{Clean, CleanBuf};
use std::collections::{BTreeSet, HashMap};
use std::hash::{Hash as _, Hasher};
use std::ops::Range;
use std::sync::{Arc, LazyLock, Mutex, OnceLock, PoisonError};

#[derive(Debug, Hash)]
pub struct ProfileInstructions {
    pub text: Clean,
    pub origin: TextOrigin,
    pub removals: Vec<crate::graph::RecordedRemoval>,
}

#[derive(Debug, Clone, Copy, Hash)]
pub struct CommentRules {
    /// The most comments that a pack shows: the last ones.
    pub most: usize,
    pub trusted_only: bool,
}

type FileKey = (RepoPath, FileKind, Option<String>, Vec<usize>);
/// The title and the body of a file or its section.
type FileSection = (Clean, SectionBody);

static OUTCOMES: LazyLock<KeyHeadings> = LazyLock::new(|| key_headings("outcome_heading"));
static SUMMARIES: LazyLock<KeyHeadings> = LazyLock::new(|| key_headings("summary_heading"));
static RESULTS: LazyLock<KeyHeadings> = LazyLock::new(|| key_headings("result_heading"));
static LOGS: LazyLock<KeyHeadings> = LazyLock::new(|| key_headings("log_heading"));
static CRITERIA: LazyLock<KeyHeadings> = LazyLock::new(|| key_headings("criteria_heading"));

fn key_headings(list: &str) -> KeyHeadings {
    KeyHeadings::new(&WORDS.of(list).iter().map(|name| (*name).to_owned()).collect::<Vec<_>>())
}

const MAX_OUTCOME_LINE: usize = 200;

#[derive(Debug, Clone)]
pub(super) struct NeighbourBody {
    pub(super) passage: Arc<Passage>,
    pub(super) pointer: Clean,
    /// Whether the pointer says what came of it.
    pub(super) has_result: bool,
}

/// Everything that the packs of one profile are selected from.
#[derive(Debug)]
pub struct SelectionContext<'a> {
    pub corpus: &'a Corpus,
    pub graph: &'a Graph,
    pub profile: &'a Profile,
    pub excerpt: &'a Excerpt,
    pub instructions: ProfileInstructions,
    pub inputs: Vec<Input>,
    pub comments: CommentRules,
    pub shared: SharedPassages,
}

/// What the packs of one profile share, made when first needed.
#[derive(Debug)]
pub struct SharedPassages {
    keys: KeyHeadings,
    adr_headings: AdrHeadings,
    /// The bodies of each item as a neighbour, and as a parent.
    neighbours: Vec<[OnceLock<NeighbourBody>; 2]>,
    files: Mutex<HashMap<FileKey, Arc<OnceLock<FileSection>>>>,
}

impl SharedPassages {
    pub fn of(corpus: &Corpus, profile: &Profile, excerpt: &Excerpt) -> Self {
        let (keys, adr_headings) = (KeyHeadings::new(&profile.key_headings), AdrHeadings::of(excerpt));
        let neighbours = corpus.entries.iter().map(|_| Default::default()).collect();
        Self { keys, adr_headings, neighbours, files: Mutex::default() }
    }

    /// Drops all passages.
    pub fn clear(&mut self) {
        self.neighbours.iter_mut().flatten().for_each(|slot| drop(slot.take()));
        self.files.get_mut().unwrap_or_else(PoisonError::into_inner).clear();
    }
}

impl SelectionContext<'_> {
    /// Feeds `state` the settings that all packs of the profile share.
    pub fn hash_settings<H: Hasher>(&self, state: &mut H) {
        let Self { corpus, graph: _, profile, excerpt, instructions, inputs, comments, shared: _ } = self;
        let GraphRules { repo, host, done, not_planned, boilerplate: _, adrs: _, sources: _ } = &corpus.rules;
        (profile, excerpt, instructions, inputs, comments).hash(state);
        (repo, host, done, not_planned).hash(state);
    }

    /// Returns an item's body as a neighbour; a list of its children follows that of a parent.
    pub(super) fn neighbour(&self, item: usize, is_parent: bool) -> NeighbourBody {
        let body = || self.body(item, true, is_parent.then(|| self.children(item)));
        self.shared.neighbours[item][usize::from(is_parent)].get_or_init(body).clone()
    }

    /// Returns an item's body as the root, whose opening is cut before its key headings.
    pub(super) fn root(&self, item: usize) -> SectionBody {
        let NeighbourBody { passage, pointer, .. } = self.body(item, false, None);
        SectionBody::Passage(passage, pointer)
    }

    pub(super) fn draft(&self, item: usize, IssueDraft { text, .. }: &IssueDraft, origin: &TextOrigin) -> SectionBody {
        let passage = self.text(&text.clean, &text.markdown.outline, origin, ExcerptSize::ROOT);
        SectionBody::Passage(passage, self.item_pointer(item, origin))
    }

    fn item_pointer(&self, item: usize, origin: &TextOrigin) -> Clean {
        let entry = &self.corpus.entries[item];
        let state = Clean::literal(Graph::state(self.corpus, item).name());
        pointer(&entry.item.title, entry.has_untrusted_title(), Some(&state), origin)
    }

    /// Returns the passage of a text, which begins with `line` at every level of detail.
    pub(super) fn after_line(
        &self,
        line: &Clean,
        text: &Clean,
        outline: &Outline,
        origin: &TextOrigin,
    ) -> Arc<Passage> {
        let (text, chunks) = self.chunks(text, outline);
        let mut comment = PassageBuilder::default();
        comment.text.text(line).lit(if text.is_empty() { "" } else { "\n\n" });
        // Like a heading it is never without text.
        comment.end_chunk(ChunkWeight::Core, true);
        comment.append(&text, &chunks);
        comment.passage(origin, ExcerptSize::NEIGHBOUR)
    }

    pub(super) fn text(&self, text: &Clean, outline: &Outline, origin: &TextOrigin, size: ExcerptSize) -> Arc<Passage> {
        let (text, chunks) = self.chunks(text, outline);
        PassageBuilder::of(&text, &chunks).passage(origin, size)
    }

    /// Returns a text without the comments of templates, and its chunks.
    fn chunks(&self, text: &Clean, markdown: &Outline) -> (Clean, Vec<Chunk>) {
        let mut marked = MarkedText::new(markdown, text);
        marked.mark_sections(|title| self.shared.keys.contain(title));
        if markdown.headings.first().is_some_and(|heading| heading.level == 1) {
            marked.mark_title();
        }
        marked.mark_opening();
        marked.mark_open_boxes();
        without_comments(text, marked.chunks)
    }

    /// Returns an item's body, then as a neighbour its text fields, then the `list` of its children. The excerpt of a neighbour
    /// has its opening; that of one that is done has its outcome instead.
    fn body(&self, item: usize, neighbour: bool, list: Option<Clean>) -> NeighbourBody {
        let entry = &self.corpus.entries[item];
        let origin = item_origin(entry);
        let (body, markdown) = (&entry.body.clean, &entry.body.markdown.outline);
        let state = Graph::state(self.corpus, item);
        let settled = neighbour && state.is_settled();
        let outcome = if settled { outcome_of(entry) } else { None };
        let fields = match neighbour {
            false => Vec::new(),
            true => text_fields(entry, if settled { &RESULTS } else { &self.shared.keys }, settled),
        };
        let is_outcome = |title: &str| RESULTS.contain(title) || CRITERIA.contain(title);
        let mut marked = MarkedText::new(markdown, body);
        let has_outcome = settled
            && marked.mark_sections(is_outcome)
                | outcome.is_some()
                | fields.iter().any(|(heading, _)| is_outcome(heading));
        let is_key = |title: &str| if has_outcome { is_outcome(title) } else { self.shared.keys.contain(title) };
        if !has_outcome {
            marked.mark_sections(is_key);
            marked.mark_opening();
            marked.mark_open_boxes();
        }
        let is_shown = |block: &&Block| !is_comment(body.get(block.range.clone()).unwrap_or_default());
        let first = markdown.blocks.iter().find(is_shown).and_then(|block| block.heading);
        let titled = first.is_some_and(|first| markdown.headings[first].title.trim() == entry.item.title.trim());
        // Another heading than the title stays only with the text below it.
        let below = markdown.headings.first().and_then(|first| marked.chunks.get(first.block + 1));
        if titled || below.is_some_and(|below| below.weight == ChunkWeight::Key) {
            marked.mark_title();
        }
        let line = if settled { outcome_line(entry, outcome.as_ref(), &marked.chunks) } else { None };
        if settled {
            marked.order_settled(line.is_some(), [&OUTCOMES, &CRITERIA, &LOGS]);
        }
        let (body, chunks) = without_comments(body, marked.chunks);
        let mut text = PassageBuilder::default();
        if !titled {
            text.text.lit("# ").line(&entry.item.title).lit(if body.is_empty() { "" } else { "\n\n" });
            text.end_chunk(ChunkWeight::Core, true);
        }
        let title = usize::from(outcome.is_some() && titled && chunks.first().is_some_and(|chunk| chunk.heading));
        let (title, rest) = chunks.split_at(title);
        text.append(&body, title);
        if let Some(outcome) = &outcome {
            // What came of it is before everything else, so that it is cut last.
            text.section(&Clean::literal("Outcome"), outcome, ChunkWeight::Key);
            if let Some(first) = rest.first() {
                text.blank_line();
                // Without a heading of its own the text would pass for the outcome.
                if !first.heading {
                    text.heading(&Clean::literal("Description"), ChunkWeight::Normal);
                }
            }
        }
        text.append(&body, rest);
        let weight = |is_key| if is_key { ChunkWeight::Key } else { ChunkWeight::Normal };
        for (heading, field) in &fields {
            text.section(heading, field, weight(is_key(heading)));
        }
        if let Some(list) = list.filter(|list| !list.is_empty()) {
            text.text.lit("\n\n## Children\n\n").text(&list);
            let is_key = self.profile.key_headings.iter().any(|key| key.eq_ignore_ascii_case("children"));
            text.end_chunk(weight(is_key), false);
        }
        let size = if neighbour { ExcerptSize::NEIGHBOUR } else { ExcerptSize::ROOT };
        let has_result = line.is_some();
        let pointer = match line {
            Some(line) => {
                let mut pointer = CleanBuf::new();
                pointer.line(&entry.item.id).lit(" (").lit(state.name()).lit("): ").text(&line);
                pointer.lit(" (").line(&origin.place()).lit(")").finish()
            }
            None => self.item_pointer(item, &origin),
        };
        NeighbourBody { passage: text.passage(&origin, size), pointer, has_result }
    }

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
                quoted_title(&mut lines, title, self.lists_untrusted([edge]));
            }
            lines.lit(": ").lit(self.state(edge));
        }
        if children.len() > listed {
            lines.lit("\n- and ").number((children.len() - listed) as u64).lit(" more");
        }
        lines.finish()
    }

    pub(super) fn title<'b>(&'b self, edge: &'b Edge) -> Option<&'b Clean> {
        match &edge.to {
            Target::Item(item) => Some(&self.corpus.entries[*item].item.title),
            Target::Issue { title, .. } => title.as_ref(),
        }
    }

    pub(super) fn id<'b>(&'b self, edge: &'b Edge) -> &'b Clean {
        match &edge.to {
            Target::Item(item) => &self.corpus.entries[*item].item.id,
            Target::Issue { id, .. } => id,
        }
    }

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

    /// Returns the redactions in the ids and titles of listed neighbours: of each rule the first of the item.
    pub(super) fn redactions_in_lines<'e>(&self, edges: impl IntoIterator<Item = &'e Edge>) -> Vec<RedactionRecord> {
        let (mut found, mut seen) = (Vec::new(), BTreeSet::new());
        for edge in edges {
            let id = self.id(edge);
            if !seen.insert(id) {
                continue;
            }
            let removed = match &edge.to {
                Target::Item(item) => redactions_in_text_and_names(&self.corpus.entries[*item]),
                Target::Issue { url, removals, .. } => {
                    let origin = TextOrigin { id: Some(id.clone()), ..TextOrigin::page(url) };
                    redactions(removals, |_| true, &origin)
                }
            };
            let mut rules = BTreeSet::new();
            for record in removed {
                let marker = marker(&record.removal.rule);
                let is_shown = id.contains(&marker) || self.title(edge).is_some_and(|title| title.contains(&marker));
                if is_shown && rules.insert(marker) {
                    found.push(record);
                }
            }
        }
        found
    }

    /// Returns the argument of `sync` that fetches an edge's target; `None` if the target is in the corpus.
    pub(super) fn sync(&self, edge: &Edge) -> Option<Clean> {
        let Target::Issue { id, .. } = &edge.to else { return None };
        let repo = id.rfind('#').map_or("", |hash| &id[..hash]);
        let here = self.corpus.rules.repo.as_ref().is_some_and(|this| this.eq_ignore_ascii_case(repo));
        Some(if here { id.slice(repo.len() + 1..id.len()) } else { id.clone() })
    }

    /// Returns title, origin and body of a file or its section, if it has that. Sections `named` by the root stay longest.
    pub(super) fn file(
        &self,
        document: &ParsedDocument,
        kind: FileKind,
        anchor: Option<&str>,
        named: Vec<usize>,
    ) -> Option<(Clean, TextOrigin, SectionBody)> {
        let text = &document.text.clean;
        let range = match anchor {
            None => 0..text.len(),
            Some(anchor) => document.text.markdown.outline.section(text.len(), anchor)?,
        };
        let origin = file_origin(document, anchor, &range);
        let key = (document.path.clone(), kind, anchor.map(str::to_owned), named);
        // Others may read other files meanwhile.
        let mut files = self.shared.files.lock().unwrap_or_else(PoisonError::into_inner);
        let section = Arc::clone(files.entry(key.clone()).or_default());
        drop(files);
        let (title, body) = section.get_or_init(|| self.read(document, &key, &range, &origin)).clone();
        Some((title, origin, body))
    }

    fn read(&self, document: &ParsedDocument, key: &FileKey, range: &Range<usize>, origin: &TextOrigin) -> FileSection {
        let (_, kind, anchor, named) = key;
        let markdown = &document.text.markdown.outline;
        let whole = &document.text.clean;
        let is_adr = *kind == FileKind::Adr;
        let mut marked = MarkedText::new(markdown, whole);
        // What the root asks for by name is the excerpt.
        let is_named = |title: &str| named.iter().any(|index| markdown.headings[*index].title == title);
        if is_adr {
            marked.mark_adr(self.excerpt, &self.shared.adr_headings);
        } else {
            if !marked.mark_sections(is_named) {
                marked.mark_sections(|title| self.shared.keys.contain(title));
                marked.mark_opening();
            }
            marked.mark_open_boxes();
            marked.mark_title();
        }
        let end = range.start + whole[range.clone()].trim_end().len();
        let mut chunks = within(marked.chunks, &(range.start..end));
        if let Some(first) = chunks.first_mut().filter(|_| *range != (0..whole.len())) {
            first.weight = ChunkWeight::Core;
        }
        let (text, chunks) = without_comments(&whole.slice(range.start..end), chunks);
        let passage = |size| PassageBuilder::of(&text, &chunks).passage(origin, size);
        let mut title = CleanBuf::new();
        title.line(&heading(document, range, anchor.is_some()));
        if let Some(status) = document.status.as_ref().filter(|_| is_adr && document.is_inactive) {
            title.lit(" (").line(status).lit(")");
        }
        let title = title.finish();
        let status = document.status.as_ref().filter(|_| !document.is_inactive);
        let pointer = pointer(&title, false, status, origin);
        let is_limited = is_adr && anchor.is_none() && self.excerpt.is_configured;
        let chosen = is_limited.then(|| passage(ExcerptSize::ROOT).above(ChunkWeight::Normal).cloned()).flatten();
        let passage = passage(ExcerptSize::NEIGHBOUR);
        let body = match chosen {
            Some(chosen) => {
                let excerpt = passage.above(ChunkWeight::Normal).filter(|short| short.len() < chosen.len()).cloned();
                let levels = TextLevels { excerpt, ..TextLevels::only(chosen, "excerpt", pointer) };
                SectionBody::Levels(Arc::new(levels))
            }
            None => SectionBody::Passage(passage, pointer),
        };
        (title, body)
    }
}

/// Returns the first line of what came out of an item: of its fields, else below the heading of a result.
fn outcome_line(entry: &Entry, outcome: Option<&Clean>, chunks: &[Chunk]) -> Option<Clean> {
    let (body, markdown) = (&entry.body.clean, &entry.body.markdown.outline);
    let in_body = || {
        // What came of it says more than how it was done.
        let [summaries, results] = [&SUMMARIES, &RESULTS].map(|keys| sections(markdown, body, |it| keys.contain(it)));
        let is_text = |block: &usize| !chunks[*block].heading && chunks[*block].fence.is_none();
        let blocks = summaries.into_iter().chain(results).flatten().filter(is_text);
        let mut texts = blocks.map(|block| body.slice(markdown.blocks[block].range.clone()));
        texts.find_map(|text| if is_comment(&text) { None } else { first_statement(&text) })
    };
    let first = outcome.and_then(first_statement).or_else(in_body)?;
    let end = first.char_indices().nth(MAX_OUTCOME_LINE).map(|(at, _)| floor_cluster(&first, at));
    let mut line = CleanBuf::new();
    line.line(&first.slice(0..end.unwrap_or(first.len()))).lit(if end.is_some() { "…" } else { "" });
    Some(line.finish())
}

/// Returns the section's heading, or the document's first heading of level 1, else its `title:`, else its path.
fn heading(document: &ParsedDocument, range: &Range<usize>, section: bool) -> Clean {
    let markdown = &document.text.markdown.outline;
    let text = &document.text.clean;
    let bytes = |heading: &Heading| markdown.blocks[heading.block].range.clone();
    let mut headings = markdown.headings.iter().filter(|heading| range.contains(&bytes(heading).start));
    let heading = headings.find(|heading| section || heading.level == 1);
    let title = heading.and_then(|heading| text.slice(bytes(heading)).read_out(&heading.title));
    let title = title.filter(|title| !title.trim().is_empty()).or_else(|| title_field(text));
    title.unwrap_or_else(|| document.shown.clone())
}

fn title_field(text: &Clean) -> Option<Clean> {
    let yaml = text.slice(front_matter(text)?.yaml);
    let line = yaml.lines().find(|line| key(line).is_some_and(|(name, _)| name == "title"))?;
    let value = yaml.read_out(key(line)?.1)?;
    let quoted = value.len() > 1 && ['"', '\''].iter().any(|q| value.starts_with(*q) && value.ends_with(*q));
    Some(if quoted { value.slice(1..value.len() - 1) } else { value }).filter(|value| !value.is_empty())
}

/// Returns a section's lowest level of detail: title, state and place on one line.
fn pointer(title: &Clean, untrusted: bool, state: Option<&Clean>, origin: &TextOrigin) -> Clean {
    let mut line = CleanBuf::new();
    match untrusted {
        false => line.title(title),
        true => line.short_title(title).lit(" (untrusted)"),
    };
    if let Some(state) = state {
        line.lit(" (").line(state).lit(")");
    }
    line.lit(": ").line(&origin.place()).finish()
}
