//! The sections about agent, project and documents: everything of a pack that is neither its root nor the root's
//! neighbourhood.

use super::origins::redactions;
use super::outline::{ChunkWeight, ExcerptSize};
use super::passage::PassageBuilder;
use super::types::{
    CHANGES, FURTHER_OVERVIEW, JOB, OVERVIEW, PINNED, RELEVANT, SECRET_DOCUMENT, SOUL, SectionKind, USER,
};
use super::{
    AgentLabel, Candidate, CardFacts, Chunk, DocumentFacts, HandoverLabel, Input, Omission, PackLabels, Passage, Rank,
    SectionBody, SelectionContext, TextLevels, TextOrigin, Trim,
};
use crate::config::Policy;
use crate::graph::{Outline, RecordedRemoval};
use crate::knowledge::{Agent, ChosenDocuments, Knowledge, KnowledgeDocument, Scope, UnusableDocument};
use crate::model::{CardSource, Digest, OriginKind, RULES, section_kind};
use crate::redact::{Clean, CleanBuf};
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// What a pack holds besides its root and the root's neighbourhood.
#[derive(Debug, Clone, Default)]
pub struct KnowledgeSections {
    pub labels: PackLabels,
    /// The agent's SOUL, which is shown with the instructions.
    pub soul: Option<Candidate>,
    pub(super) first: Vec<Candidate>,
    pub(super) last: Vec<Candidate>,
    pub(super) inputs: Vec<Input>,
    pub(super) omissions: Vec<Omission>,
}

/// The recent changes of a repo, rendered.
#[derive(Debug, Clone)]
pub struct RecentChanges {
    /// One line each, the newest first.
    pub lines: Vec<Clean>,
    /// A remark below them, such as that the history is incomplete.
    pub remark: Option<Clean>,
}

#[derive(Debug, Clone)]
pub struct JobInstructions {
    pub name: String,
    pub text: Clean,
    pub shown: Clean,
    pub removals: Vec<RecordedRemoval>,
}

impl Hash for KnowledgeSections {
    /// Hashes what the sections are made of: the digests of what was read, and what was chosen and left out.
    fn hash<H: Hasher>(&self, state: &mut H) {
        let Self { labels, soul, first, last, inputs, omissions } = self;
        (labels, soul.is_some(), inputs, omissions).hash(state);
        for section in first.iter().chain(last) {
            (&section.id, section.kind.provenance, &section.title, section.untrusted).hash(state);
            (&section.document, &section.card).hash(state);
            if section.kind.name == section_kind::DOCUMENT_NOTES
                && let SectionBody::Passage(notes, _) = &section.body
            {
                notes.full().hash(state);
            }
        }
    }
}

impl KnowledgeSections {
    pub fn add_agent(&mut self, agent: &Agent, policy: Policy) {
        self.labels.agent = Some(AgentLabel { key: agent.key.clone(), name: agent.name.clone() });
        self.labels.policy = Some(policy);
        self.read(&agent.shown, agent.digest);
        let origin = lines_of(&agent.shown, agent.soul_line, &agent.soul);
        let removals = redactions(&agent.removals, |removal| removal.line >= agent.soul_line, &origin);
        self.soul = Some(Candidate { removals, ..always(SOUL, agent.name.clone(), origin, &agent.shown_soul) });
    }

    /// Returns the files that they show or leave out.
    pub fn paths(&self) -> impl Iterator<Item = &Clean> {
        let shown = self.first.iter().chain(&self.last).map(|section| &section.origin);
        shown.chain(self.omissions.iter().map(|omission| &omission.origin)).filter_map(|origin| origin.path.as_ref())
    }

    /// `complete` adds the body and the notes to a document that a pack holds.
    pub fn add_documents(
        &mut self,
        context: &SelectionContext<'_>,
        knowledge: &Knowledge,
        chosen: &ChosenDocuments,
        complete: &dyn Fn(&Arc<KnowledgeDocument>) -> Arc<KnowledgeDocument>,
    ) {
        let found = |index: usize| knowledge.documents.get(index).map(complete);
        for (index, kind, title) in
            [(chosen.overview, OVERVIEW, "Project overview"), (chosen.user, USER, "Project user")]
        {
            if let Some(document) = index.and_then(found) {
                self.read(&document.shown, document.digest);
                self.first.push(match document.secret {
                    true => notes(&document, kind, &Clean::default()),
                    false => Candidate { title: Clean::literal(title), ..whole(context, &document, kind) },
                });
            }
        }
        for document in chosen.pinned.iter().filter_map(|index| found(*index)) {
            self.read_notes(&document);
            self.first.push(notes(&document, PINNED, &document.shown));
            let more = document.notes.as_ref().map_or(0, |notes| notes.left_out.rules as u64);
            if more > 0 {
                let id = CleanBuf::new().text(&document.shown).lit("#rules").finish();
                let title = CleanBuf::new().number(more).lit(" more rules of ").line(&document.title).finish();
                let omission = Omission::new(PINNED, &id, title, TextOrigin::file(&document.shown), "limit");
                self.omissions.push(Omission { untrusted: document.untrusted, ..omission });
            }
        }
        for relevant in &chosen.relevant {
            let Some(document) = found(relevant.document) else { continue };
            self.read_notes(&document);
            let section = notes(&document, RELEVANT, &document.shown);
            let (rank, matched, meaning) = (Some(relevant.rank), relevant.matched.clone(), relevant.meaning);
            self.last.push(Candidate {
                document: section.document.map(|facts| DocumentFacts { rank, matched, meaning, ..facts }),
                // What a search alone leads to gives way to what the root or its neighbours name.
                rank: Rank { second_hop: true, ..section.rank },
                ..section
            });
        }
        let left_out: [(&[usize], _, _); 4] = [
            (&chosen.over_limit, PINNED, "limit"),
            (&chosen.further, FURTHER_OVERVIEW, "limit"),
            (&chosen.pinned_by_policy, PINNED, "policy"),
            (&chosen.relevant_by_policy, RELEVANT, "policy"),
        ];
        for (indices, kind, reason) in left_out {
            for document in indices.iter().filter_map(|index| knowledge.documents.get(*index)) {
                self.leave_out(document, kind, reason);
            }
        }
        for UnusableDocument { document, reason } in
            chosen.unusable.iter().filter_map(|index| knowledge.unusable.get(*index))
        {
            self.leave_out(document, if document.has_notes() { PINNED } else { FURTHER_OVERVIEW }, reason);
        }
    }

    fn leave_out(&mut self, document: &KnowledgeDocument, kind: SectionKind, reason: &'static str) {
        let (title, origin) = (document.title.clone(), TextOrigin::file(&document.shown));
        let omission = Omission::new(kind, &document.shown, title, origin, reason);
        self.omissions.push(Omission { untrusted: document.untrusted, ..omission });
    }

    /// Adds a document that holds secrets and that the root refers to: the line that names it.
    pub fn add_secret(&mut self, document: &KnowledgeDocument) {
        if self.labels.policy == Some(Policy::Minimal) {
            return self.leave_out(document, SECRET_DOCUMENT, "policy");
        }
        self.read(&document.shown, document.digest);
        self.first.push(notes(document, SECRET_DOCUMENT, &document.shown));
    }

    pub fn add_changes(&mut self, changes: &RecentChanges) {
        if changes.lines.is_empty() && changes.remark.is_none() {
            return;
        }
        let mut text = CleanBuf::new();
        text.lit("## Recent changes\n\n");
        let head = text.as_str().len();
        for line in &changes.lines {
            text.text(line).lit("\n");
        }
        if let Some(remark) = &changes.remark {
            text.lit("\n").text(remark).lit("\n");
        }
        let text = text.finish().trimmed();
        let chunks = vec![Chunk { heading: true, ..Chunk::new(0..head) }, Chunk::new(head..text.len())];
        let origin = TextOrigin::named(OriginKind::Builtin, Clean::literal("history"));
        self.inputs.push(Input { origin: origin.clone(), digest: Some(Digest::of(text.as_str())) });
        let passage = Arc::new(Passage::new(text, chunks, Clean::literal("git log")));
        let body = SectionBody::Passage(passage, Clean::literal("Recent changes: git log"));
        let section = Candidate::new(CHANGES, &Clean::default(), Clean::literal("Recent changes"), origin, body);
        // Anyone whose commits are merged writes their subjects.
        self.first.push(Candidate { rank: Rank { second_hop: true, ..section.rank }, ..section });
    }

    pub fn add_job(&mut self, job: &JobInstructions) {
        self.labels.job = Some(job.name.clone());
        let origin = TextOrigin::file(&job.shown);
        self.read(&job.shown, Digest::of(job.text.as_str()));
        let removals = redactions(&job.removals, |_| true, &origin);
        let title = Clean::literal("The job's instructions");
        self.last.push(Candidate { removals, ..always(JOB, title, origin, &job.text) });
    }

    fn read_notes(&mut self, document: &KnowledgeDocument) {
        self.read(&document.shown, document.digest);
        if let Some(file) = &document.notes_file {
            self.read(&file.shown, file.digest);
        }
    }

    fn read(&mut self, shown: &Clean, digest: Digest) {
        self.inputs.push(Input { origin: TextOrigin::file(shown), digest: Some(digest) });
    }
}

fn always(kind: SectionKind, title: Clean, origin: TextOrigin, text: &Clean) -> Candidate {
    let section = Candidate::new(kind, &Clean::default(), title, origin, SectionBody::Whole(text.clone()));
    Candidate { trim: Trim::Fixed, ..section }
}

/// Returns the origin of a text in a file that begins at `line`.
fn lines_of(shown: &Clean, line: u32, text: &str) -> TextOrigin {
    let first = u64::from(line);
    let last = first + (text.lines().count() as u64).saturating_sub(1);
    TextOrigin { lines: Some([first, last]), ..TextOrigin::file(shown) }
}

fn whole(context: &SelectionContext<'_>, document: &KnowledgeDocument, kind: SectionKind) -> Candidate {
    let origin = lines_of(&document.shown, document.body_line, &document.body);
    let pointer = CleanBuf::new().title(&document.title).lit(": ").line(&origin.place()).finish();
    let outline = Outline::read(&document.body);
    let body = SectionBody::Passage(context.text(&document.body, &outline, &origin, ExcerptSize::NEIGHBOUR), pointer);
    Candidate {
        untrusted: document.untrusted,
        document: Some(facts(document)),
        removals: redactions(&document.removals, |removal| removal.line >= document.body_line, &origin),
        ..Candidate::new(kind, &Clean::default(), document.title.clone(), origin, body)
    }
}

fn facts(document: &KnowledgeDocument) -> DocumentFacts {
    let (kind, stale_notes) = (document.kind.name(), document.stale_notes);
    DocumentFacts { kind, rank: None, matched: Vec::new(), meaning: None, stale_notes }
}

fn notes(document: &KnowledgeDocument, kind: SectionKind, suffix: &Clean) -> Candidate {
    let origin = TextOrigin::file(&document.shown);
    // Rules come from the body, the title from above it.
    let mut removals = redactions(&document.removals, |_| true, &origin);
    if let Some(file) = &document.notes_file {
        removals.extend(redactions(&file.removals, |_| true, &TextOrigin::file(&file.shown)));
    }
    let body = notes_text(document, &origin);
    Candidate {
        untrusted: document.untrusted,
        document: Some(facts(document)),
        removals,
        ..Candidate::new(kind, suffix, document.title.clone(), origin, body)
    }
}

/// The bytes of notes that stay as long as a line of any other section.
const CORE_OF_NOTES: usize = 1_500;

/// Returns the notes on a document, of which rules, or a summary without rules, stay longest.
fn notes_text(document: &KnowledgeDocument, origin: &TextOrigin) -> SectionBody {
    let mut pointer = CleanBuf::new();
    pointer.title(&document.title).lit(" (").lit(document.kind.name());
    if document.secret {
        pointer.lit(", holds secrets and is not read");
    }
    let pointer = pointer.lit("): ").line(&document.shown).finish();
    let Some(made) = &document.notes else { return SectionBody::Levels(Arc::new(TextLevels::pointer(pointer))) };
    let mut notes = PassageBuilder::default();
    notes.text.lit("### ").heading(&document.title).lit(" (").lit(document.kind.name());
    notes.text.lit(if document.scope == Scope::Global { "" } else { ", your own" }).lit(")");
    notes.text.lit(if document.stale_notes { " (notes older than the document)" } else { "" });
    notes.end_chunk(ChunkWeight::Core, true);
    let mut core = CORE_OF_NOTES;
    let mut list = |notes: &mut PassageBuilder, entries: &[Clean], binds: bool| {
        for (index, entry) in entries.iter().enumerate() {
            notes.text.lit(if index == 0 { "\n\n- " } else { "\n- " }).line(entry);
            core = if binds { core.saturating_sub(entry.len()) } else { core };
            let weight = if core > 0 || index == 0 { ChunkWeight::Core } else { ChunkWeight::Key };
            notes.end_chunk(if binds { weight } else { ChunkWeight::Normal }, false);
        }
    };
    list(&mut notes, &made.summary, made.rules.is_empty());
    if !made.rules.is_empty() {
        notes.text.lit("\n\n").lit(RULES);
        notes.end_chunk(ChunkWeight::Core, true);
        list(&mut notes, &made.rules, true);
    } else if made.summary.is_empty() {
        notes.text.lit("\n\nThis document has nothing to note: read ").line(&document.shown).lit(" if you need it.");
        notes.end_chunk(ChunkWeight::Core, false);
    }
    if made.left_out.rules > 0 {
        notes.text.lit("\n\n").number(made.left_out.rules as u64).lit(" more rules that bind you are in ");
        notes.text.line(&document.shown).lit(".");
        notes.end_chunk(ChunkWeight::Normal, false);
    }
    let (text, mut chunks) = notes.finish();
    chunks.iter_mut().for_each(|chunk| chunk.unbroken = true);
    SectionBody::Passage(Arc::new(Passage::new(text, chunks, origin.place())), pointer)
}

/// The most inherited cards that have a section; older ones are omitted together.
const MAX_INHERITED: usize = 1_000;

/// What a handover gives, redacted.
#[derive(Debug, Clone)]
pub struct HandedOver {
    /// What the pack says of the handover.
    pub label: HandoverLabel,
    /// The cards, in the order of the context box.
    pub cards: Vec<CardText>,
}

/// A card that a handover gives, redacted.
#[derive(Debug, Clone)]
pub struct CardText {
    /// The 64 hex digits of its id.
    pub hex: String,
    /// How it came into the handover.
    pub given: CardSource,
    /// What it says, or why it is not read any more.
    pub content: Result<CardContentText, &'static str>,
}

/// What a card says, redacted.
#[derive(Debug, Clone)]
pub struct CardContentText {
    /// Its type.
    pub kind: Clean,
    /// Who says it, as a model sees it.
    pub role: &'static str,
    /// Who wrote it.
    pub author: Clean,
    /// From whom and to whom a handover gave it, if one did.
    pub parties: Clean,
    /// Its content as Markdown.
    pub text: Clean,
    /// What was removed from it.
    pub removals: Vec<RecordedRemoval>,
}

impl CardText {
    fn short_hex(&self) -> Clean {
        CleanBuf::new().hex(&self.hex[..12]).finish()
    }

    fn id(&self) -> Clean {
        CleanBuf::new().lit("sha256:").hex(&self.hex).finish()
    }

    /// Returns whether it is untrusted: an agent that left a card may have been talked into it, and a tool returns anything.
    fn is_untrusted(&self) -> bool {
        let is_inherited = self.given == CardSource::Inherited;
        is_inherited || self.content.as_ref().is_ok_and(|content| content.role == "tool")
    }
}

impl CardContentText {
    fn first_line(&self, given: CardSource) -> Clean {
        // Who wrote an inherited card says so of themselves.
        let claims = if given == CardSource::Inherited && self.role == "system" { "claims to be " } else { "" };
        let words = match given {
            CardSource::Inherited => "inherited",
            CardSource::Argument => "given with this task",
            CardSource::ParentPointer => "parent pointer",
        };
        let mut line = CleanBuf::new();
        line.lit("_").lit(words).lit(": ").line(&self.kind);
        line.lit(" (").lit(claims).lit(self.role).lit(") by ").line(&self.author);
        if !self.parties.is_empty() {
            line.lit(", ").line(&self.parties);
        }
        line.lit("_").finish()
    }

    fn title(&self) -> Clean {
        CleanBuf::new().line(&self.kind).lit(" by ").line(&self.author).finish()
    }

    fn digest(&self) -> Digest {
        Digest::of([&*self.kind, self.role, &*self.author, &*self.parties, &*self.text].join("\n"))
    }
}

impl KnowledgeSections {
    pub fn add_handover(&mut self, context: &SelectionContext<'_>, handed: &HandedOver) {
        self.labels.handover = Some(handed.label.clone());
        let inherited = handed.cards.iter().filter(|card| card.given == CardSource::Inherited).count();
        let (mut over, mut left_out) = (inherited.saturating_sub(MAX_INHERITED), Vec::new());
        let is_task =
            |card: &CardText| card.given == CardSource::Argument && card.content.is_ok() && !card.is_untrusted();
        let task = handed.cards.iter().rposition(is_task);
        let results =
            CleanBuf::new().lit("_Results go to the log `").line(&handed.label.output_box).lit("`._").finish();
        for (index, card) in handed.cards.iter().enumerate() {
            let digest = card.content.as_ref().ok().map(CardContentText::digest);
            self.inputs.push(Input { origin: TextOrigin::named(OriginKind::Card, card.id()), digest });
            if card.given == CardSource::Inherited && over > 0 {
                over -= 1;
                left_out.push(card);
                continue;
            }
            match &card.content {
                Ok(content) => {
                    self.first.push(section(context, card, content, (task == Some(index)).then_some(&results)));
                }
                Err(reason) => {
                    let hex = card.short_hex();
                    let title = CleanBuf::new().lit("card ").text(&hex).finish();
                    let origin = TextOrigin::named(OriginKind::Card, hex.clone());
                    let omission = Omission::new(SectionKind::of_card(card.given), &hex, title, origin, reason);
                    self.omissions.push(Omission { untrusted: card.is_untrusted(), ..omission });
                }
            }
        }
        self.omissions.extend(beyond_limit(&left_out));
        if task.is_none() {
            let origin = TextOrigin::named(OriginKind::Builtin, Clean::literal("handover"));
            self.last.push(always(JOB, Clean::literal("The log of the results"), origin, &results));
        }
    }
}

fn section(
    context: &SelectionContext<'_>,
    card: &CardText,
    content: &CardContentText,
    results: Option<&Clean>,
) -> Candidate {
    let hex = card.short_hex();
    let origin = TextOrigin::named(OriginKind::Card, hex.clone());
    let line = content.first_line(card.given);
    let (trim, body) = if card.given == CardSource::Inherited {
        let pointer = CleanBuf::new().line(&content.title()).lit(": card ").line(&hex).finish();
        let passage = context.after_line(&line, &content.text, &Outline::read(&content.text), &origin);
        (Trim::Optional, SectionBody::Passage(passage, pointer))
    } else {
        let mut body = CleanBuf::new();
        body.text(&line).lit("\n\n").text(&content.text);
        if let Some(results) = results {
            body.lit("\n\n").text(results);
        }
        (Trim::Fixed, SectionBody::Whole(body.finish()))
    };
    let CardContentText { kind, role: speaker, author, .. } = content;
    Candidate {
        trim,
        untrusted: card.is_untrusted(),
        card: Some(CardFacts { id: card.id(), kind: kind.clone(), role: speaker, author: author.clone() }),
        removals: redactions(&content.removals, |_| true, &origin),
        ..Candidate::new(SectionKind::of_card(card.given), &hex, content.title(), origin, body)
    }
}

fn beyond_limit(cards: &[&CardText]) -> Option<Omission> {
    let (first, last) = (cards.first()?, cards.last()?);
    let mut range = CleanBuf::new();
    range.text(&first.short_hex());
    if cards.len() > 1 {
        range.lit("-").text(&last.short_hex());
    }
    let range = range.finish();
    let title = CleanBuf::new().number(cards.len() as u64).lit(" older cards").finish();
    let contents = cards.iter().filter_map(|card| card.content.as_ref().ok());
    let chars = contents.map(|content| content.text.chars().count() as u64).sum();
    let origin = TextOrigin::named(OriginKind::Card, range.clone());
    let omission = Omission::new(SectionKind::of_card(CardSource::Inherited), &range, title, origin, "limit");
    Some(Omission { untrusted: true, chars: Some(chars), ..omission })
}
