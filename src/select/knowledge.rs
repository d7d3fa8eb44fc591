//! The sections about agent, project and documents: everything of a pack that is neither its root nor the root's
//! neighbourhood.

use super::candidates::Rank;
use super::outline::ExcerptSize;
use super::{
    AgentLabel, Candidate, Chunk, DocumentFacts, Input, Omission, OriginKind, PackLabels, Passage, Role, SectionBody,
    SelectionContext, TextLevels, TextOrigin, Trust, removals,
};
use crate::config::{Group, Policy};
use crate::graph::{Outline, RecordedRemoval};
use crate::knowledge::{Agent, Chosen, Knowledge, KnowledgeDocument, Relevant, UnusableDocument};
use crate::model::Digest;
use crate::redact::{Clean, CleanBuf};
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// What a pack holds besides its root and the root's neighbourhood.
#[derive(Debug, Clone, Default)]
pub struct KnowledgeSections {
    pub labels: PackLabels,
    /// The agent's SOUL, which is shown with the instructions.
    pub soul: Option<Candidate>,
    /// The sections before the root's.
    pub(super) first: Vec<(Candidate, Option<Rank>)>,
    /// The sections after all others.
    pub(super) last: Vec<(Candidate, Option<Rank>)>,
    /// Everything else that was read for them.
    pub(super) inputs: Vec<Input>,
    /// What the pack could have held.
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

/// The instructions of a job.
#[derive(Debug, Clone)]
pub struct JobInstructions {
    pub name: String,
    pub text: Clean,
    /// The redacted path of its file.
    pub shown: Clean,
    pub removals: Vec<RecordedRemoval>,
}

impl Hash for KnowledgeSections {
    /// Hashes what the sections are made of: the digests of what was read, and what was chosen and left out.
    fn hash<H: Hasher>(&self, state: &mut H) {
        let Self { labels, soul, first, last, inputs, omissions } = self;
        (labels, soul.is_some(), inputs, omissions).hash(state);
        for (section, _) in first.iter().chain(last) {
            (&section.id, section.provenance, &section.title, section.trust).hash(state);
            (&section.document, &section.card).hash(state);
            if let SectionBody::Levels(levels) = &section.body {
                levels.full.hash(state);
            }
        }
    }
}

impl KnowledgeSections {
    /// Adds the agent and its SOUL.
    pub fn add_agent(&mut self, agent: &Agent, policy: Policy) {
        self.labels.agent = Some(AgentLabel { key: agent.key.clone(), name: agent.name.clone() });
        self.labels.policy = Some(policy);
        self.read(&agent.shown, agent.digest);
        let origin = lines_of(&agent.shown, agent.soul_line, &agent.soul);
        let body = SectionBody::Whole(agent.soul.clone());
        let from_soul = |removal: &RecordedRemoval| removal.line >= agent.soul_line;
        self.soul = Some(Candidate {
            role: Role::Fixed,
            removals: removals::records(&agent.removals, from_soul, &origin),
            ..Candidate::new(Clean::literal("agent"), "instructions", agent.name.clone(), origin, "agent", body)
        });
    }

    /// Adds the chosen documents.
    ///
    /// `complete` adds the body and the notes to a document that a pack holds.
    pub fn add_documents(
        &mut self,
        context: &SelectionContext<'_>,
        knowledge: &Knowledge,
        chosen: &Chosen,
        complete: &dyn Fn(&Arc<KnowledgeDocument>) -> Arc<KnowledgeDocument>,
    ) {
        let found = |index: usize| knowledge.documents.get(index).map(complete);
        for (index, id, title) in
            [(chosen.overview, "overview", "Project overview"), (chosen.user, "user", "Project user")]
        {
            if let Some(document) = index.and_then(found) {
                let (id, title) = (Clean::literal(id), Clean::literal(title));
                let section = match document.secret {
                    true => Candidate { id, kind: "overview", ..notes(&document, "overview", None) },
                    false => whole(context, &document, id, title),
                };
                self.read(&document.shown, document.digest);
                self.first.push((section, Some(Rank::of(Some(Group::Knowledge)))));
            }
        }
        for index in &chosen.pinned {
            let Some(document) = found(*index) else { continue };
            self.read_notes(&document);
            self.first.push((notes(&document, "pinned", None), Some(Rank::of(Some(Group::Knowledge)))));
        }
        for relevant in &chosen.relevant {
            let Some(document) = found(relevant.document) else { continue };
            self.read_notes(&document);
            // What words alone lead to gives way to what the root or its neighbours name.
            let rank = Rank { second_hop: true, ..Rank::of(Some(Group::Relevant)) };
            self.last.push((notes(&document, "relevant", Some(relevant)), Some(rank)));
        }
        let left_out = [
            (&chosen.over_limit, "limit", "pinned"),
            (&chosen.further, "limit", "overview"),
            (&chosen.pinned_by_policy, "policy", "pinned"),
            (&chosen.relevant_by_policy, "policy", "relevant"),
        ];
        for (indices, reason, provenance) in left_out {
            for document in indices.iter().filter_map(|index| knowledge.documents.get(*index)) {
                self.leave_out(document, provenance, reason);
            }
        }
        for UnusableDocument { document, reason } in
            chosen.unusable.iter().filter_map(|index| knowledge.unusable.get(*index))
        {
            self.leave_out(document, if document.has_notes() { "pinned" } else { "overview" }, reason);
        }
    }

    fn leave_out(&mut self, document: &KnowledgeDocument, provenance: &'static str, reason: &'static str) {
        self.omissions.push(Omission {
            id: id_of(document),
            title: document.title.clone(),
            origin: TextOrigin::file(&document.shown),
            provenance,
            reason,
            trust: Trust::of(document.untrusted),
            chars: None,
        });
    }

    /// Adds a document that holds secrets and that the root refers to: the line that names it.
    pub fn add_secret(&mut self, document: &KnowledgeDocument) {
        if self.labels.policy == Some(Policy::Minimal) {
            return self.leave_out(document, "doc_ref", "policy");
        }
        self.read(&document.shown, document.digest);
        self.first.push((notes(document, "doc_ref", None), Some(Rank::of(Some(Group::Knowledge)))));
    }

    /// Adds the recent changes, unless there are none.
    pub fn add_changes(&mut self, changes: &RecentChanges) {
        if changes.lines.is_empty() && changes.remark.is_none() {
            return;
        }
        let mut text = CleanBuf::new();
        text.lit("## Recent changes\n\n");
        let head = text.as_str().len();
        let mut parts = vec![Chunk { heading: true, ..Chunk::new(0..head) }];
        for line in &changes.lines {
            text.text(line).lit("\n");
        }
        if let Some(remark) = &changes.remark {
            text.lit("\n").text(remark).lit("\n");
        }
        let text = text.finish().trimmed();
        parts.push(Chunk::new(head..text.len()));
        let place = Clean::literal("git log");
        let origin = TextOrigin::named(OriginKind::Builtin, Clean::literal("history"));
        self.inputs.push(Input { origin: origin.clone(), digest: Some(Digest::of(text.as_str())) });
        let passage = Arc::new(Passage::new(text, parts, place));
        let body = SectionBody::Passage(passage, Clean::literal("Recent changes: git log"));
        let title = Clean::literal("Recent changes");
        let section = Candidate::new(Clean::literal("changes"), "recent_changes", title, origin, "history", body);
        // Anyone whose commits are merged writes their subjects.
        self.first.push((section, Some(Rank { second_hop: true, ..Rank::of(Some(Group::Changes)) })));
    }

    /// Adds the instructions of a job.
    pub fn add_job(&mut self, job: &JobInstructions) {
        self.labels.job = Some(job.name.clone());
        let origin = TextOrigin::file(&job.shown);
        self.read(&job.shown, Digest::of(job.text.as_str()));
        let body = SectionBody::Whole(job.text.clone());
        let title = Clean::literal("The job's instructions");
        let section = Candidate::new(Clean::literal("job"), "instructions", title, origin.clone(), "job", body);
        let removals = removals::records(&job.removals, |_| true, &origin);
        self.last.push((Candidate { role: Role::Fixed, removals, ..section }, None));
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

/// Returns the id of the section with the notes on a document.
fn id_of(document: &KnowledgeDocument) -> Clean {
    CleanBuf::new().lit("doc.").text(&document.shown).finish()
}

/// Returns the origin of a text in a file that begins at `line`.
fn lines_of(shown: &Clean, line: u32, text: &str) -> TextOrigin {
    let first = u64::from(line);
    let last = first + (text.lines().count() as u64).saturating_sub(1);
    TextOrigin { lines: Some([first, last.max(first)]), ..TextOrigin::file(shown) }
}

/// Returns the section of a document that stands in full.
fn whole(context: &SelectionContext<'_>, document: &KnowledgeDocument, id: Clean, title: Clean) -> Candidate {
    let origin = lines_of(&document.shown, document.body_line, &document.body);
    let pointer = CleanBuf::new().title(&document.title).lit(": ").line(&origin.place()).finish();
    let outline = Outline::read(&document.body);
    let body = context.text(&document.body, &outline, &origin, pointer, ExcerptSize::NEIGHBOUR);
    Candidate {
        trust: Trust::of(document.untrusted),
        document: Some(facts(document, None)),
        removals: removals::records(&document.removals, |removal| removal.line >= document.body_line, &origin),
        ..Candidate::new(id, "overview", title, origin, "overview", body)
    }
}

fn facts(document: &KnowledgeDocument, relevant: Option<&Relevant>) -> DocumentFacts {
    DocumentFacts {
        kind: document.kind.name(),
        rank: relevant.map(|relevant| relevant.rank),
        matched: relevant.map(|relevant| relevant.matched.clone()).unwrap_or_default(),
        stale_notes: document.stale_notes,
    }
}

/// Returns the section with the notes on a document.
fn notes(document: &KnowledgeDocument, provenance: &'static str, relevant: Option<&Relevant>) -> Candidate {
    let origin = TextOrigin::file(&document.shown);
    // Rules come from the body, the title from above it.
    let mut removals = removals::records(&document.removals, |_| true, &origin);
    if let Some(file) = &document.notes_file {
        removals.extend(removals::records(&file.removals, |_| true, &TextOrigin::file(&file.shown)));
    }
    let body = SectionBody::Levels(Arc::new(notes_text(document)));
    Candidate {
        trust: Trust::of(document.untrusted),
        document: Some(facts(document, relevant)),
        removals,
        ..Candidate::new(id_of(document), "document_notes", document.title.clone(), origin, provenance, body)
    }
}

/// Returns the notes on a document in their levels of detail.
fn notes_text(document: &KnowledgeDocument) -> TextLevels {
    let mut pointer = CleanBuf::new();
    pointer.title(&document.title).lit(" (").lit(document.kind.name());
    if document.secret {
        pointer.lit(", holds secrets and is not read");
    }
    let pointer = pointer.lit("): ").line(&document.shown).finish();
    let Some(made) = &document.notes else { return TextLevels::only(pointer.clone(), "pointer", pointer) };
    let mut head = CleanBuf::new();
    head.lit("### ").heading(&document.title).lit(" (").lit(document.kind.name()).lit(")");
    let head = head.finish();
    let list = |entries: &[Clean]| {
        let mut list = CleanBuf::new();
        for entry in entries {
            list.lit("\n- ").line(entry);
        }
        list.finish()
    };
    let mut full = CleanBuf::new();
    full.text(&head);
    if !made.summary.is_empty() {
        full.lit("\n").text(&list(&made.summary));
    }
    let rules = CleanBuf::new().lit("\n\n**Rules:**\n").text(&list(&made.rules)).finish();
    match (made.summary.is_empty(), made.rules.is_empty()) {
        (true, true) => {
            full.lit("\n\nThis document has nothing to note: read ").line(&document.shown).lit(" if you need it.")
        }
        (false, true) => &mut full,
        (_, false) => full.text(&rules),
    };
    let has_both = !made.summary.is_empty() && !made.rules.is_empty();
    let excerpt = has_both.then(|| CleanBuf::new().text(&head).text(&rules).finish());
    TextLevels { excerpt, ..TextLevels::only(full.finish(), "full", pointer) }
}
