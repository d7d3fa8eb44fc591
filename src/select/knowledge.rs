//! The sections about agent, project and documents: everything of a pack that is neither its root nor the root's
//! neighbourhood.

use super::outline::ExcerptSize;
use super::rank::Rank;
use super::{
    Candidate, Chunk, DocumentFacts, HandoverLabel, Input, Omission, OriginKind, Passage, Role, SectionBody,
    SelectionContext, TextLevels, TextOrigin, TrimRank, Trust, removals,
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
    /// The agent that the pack is for.
    pub agent: Option<AgentLabel>,
    /// How much it holds.
    pub policy: Option<Policy>,
    /// The name of the job that it is for.
    pub job: Option<String>,
    /// The handover that the pack is made by.
    pub handover: Option<HandoverLabel>,
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

/// The agent that a pack is for.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct AgentLabel {
    /// Its key.
    pub key: Clean,
    /// Its name.
    pub name: Clean,
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
    /// The job's name.
    pub name: String,
    /// The text.
    pub text: Clean,
    /// The redacted path of its file.
    pub shown: Clean,
    /// The redactions in it.
    pub removals: Vec<RecordedRemoval>,
}

impl Hash for KnowledgeSections {
    /// Hashes what the sections are made of: the digests of what was read, and what was chosen and left out.
    fn hash<H: Hasher>(&self, state: &mut H) {
        let Self { agent, policy, job, handover, soul, first, last, inputs, omissions } = self;
        (agent, policy, job, handover, soul.is_some(), inputs).hash(state);
        let sections = first.iter().map(|(section, _)| section).chain(last.iter().map(|(section, _)| section));
        for section in sections {
            (&section.id, section.provenance, &section.title, section.trust == Trust::Untrusted).hash(state);
            (&section.document, &section.card).hash(state);
            if let SectionBody::Levels(levels) = &section.body {
                levels.full.hash(state);
            }
        }
        for Omission { id, title, origin, provenance, reason, trust, chars } in omissions {
            (id, title, origin, provenance, reason, *trust == Trust::Untrusted, chars).hash(state);
        }
    }
}

impl KnowledgeSections {
    /// Adds the agent and its SOUL.
    pub fn add_agent(&mut self, agent: &Agent, policy: Policy) {
        self.agent = Some(AgentLabel { key: agent.key.clone(), name: agent.name.clone() });
        self.policy = Some(policy);
        let lines = u64::from(agent.soul_line);
        let last = lines + (agent.soul.lines().count() as u64).saturating_sub(1);
        let origin = file_origin(&agent.shown, Some([lines, last.max(lines)]));
        self.read(&agent.shown, agent.digest);
        let removals = removals::records(&agent.removals, |removal| u64::from(removal.line) >= lines, &origin);
        self.soul = Some(Candidate {
            role: Role::Fixed,
            removals,
            ..candidate(
                Clean::literal("agent"),
                "instructions",
                agent.name.clone(),
                origin,
                "agent",
                SectionBody::Whole(agent.soul.clone()),
            )
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
            origin: file_origin(&document.shown, None),
            provenance,
            reason,
            trust: Trust::of(document.untrusted),
            chars: None,
        });
    }

    /// Adds a document that holds secrets and that the root refers to: the line that names it.
    pub fn add_secret(&mut self, document: &KnowledgeDocument) {
        if self.policy == Some(Policy::Minimal) {
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
        let origin = TextOrigin { id: Some(Clean::literal("history")), ..TextOrigin::new(OriginKind::Builtin) };
        self.inputs.push(Input { origin: origin.clone(), digest: Some(Digest::of(text.as_str())) });
        let passage = Arc::new(Passage::new(text, parts, place));
        let body = SectionBody::Passage(passage, Clean::literal("Recent changes: git log"));
        let title = Clean::literal("Recent changes");
        let section = candidate(Clean::literal("changes"), "recent_changes", title, origin, "history", body);
        // Anyone whose commits are merged writes their subjects.
        self.first.push((section, Some(Rank { second_hop: true, ..Rank::of(Some(Group::Changes)) })));
    }

    /// Adds the instructions of a job.
    pub fn add_job(&mut self, job: &JobInstructions) {
        self.job = Some(job.name.clone());
        let origin = file_origin(&job.shown, None);
        self.read(&job.shown, Digest::of(job.text.as_str()));
        let body = SectionBody::Whole(job.text.clone());
        let title = Clean::literal("The job's instructions");
        let section = candidate(Clean::literal("job"), "instructions", title, origin.clone(), "job", body);
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
        self.inputs.push(Input { origin: file_origin(shown, None), digest: Some(digest) });
    }
}

/// Returns the id of the section with the notes on a document.
fn id_of(document: &KnowledgeDocument) -> Clean {
    CleanBuf::new().lit("doc.").text(&document.shown).finish()
}

fn file_origin(shown: &Clean, lines: Option<[u64; 2]>) -> TextOrigin {
    TextOrigin { path: Some(shown.clone()), lines, ..TextOrigin::new(OriginKind::File) }
}

pub(super) fn candidate(
    id: Clean,
    kind: &'static str,
    title: Clean,
    origin: TextOrigin,
    provenance: &'static str,
    body: SectionBody,
) -> Candidate {
    Candidate {
        id,
        kind,
        title,
        origin,
        provenance,
        role: Role::Rank(TrimRank::default()),
        body,
        state: None,
        status: None,
        trust: Trust::Trusted,
        by: None,
        relation: None,
        evidence: None,
        document: None,
        card: None,
        removals: Vec::new(),
    }
}

/// Returns the section of a document that stands in full.
fn whole(context: &SelectionContext<'_>, document: &KnowledgeDocument, id: Clean, title: Clean) -> Candidate {
    let first = u64::from(document.body_line);
    let last = first + (document.body.lines().count() as u64).saturating_sub(1);
    let origin = file_origin(&document.shown, Some([first, last.max(first)]));
    let body = context.document_body(&document.body, &Outline::read(&document.body), &origin, &document.title);
    let removals = removals::records(&document.removals, |removal| u64::from(removal.line) >= first, &origin);
    Candidate {
        trust: Trust::of(document.untrusted),
        document: Some(facts(document, None)),
        removals,
        ..candidate(id, "overview", title, origin, "overview", body)
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
    let origin = file_origin(&document.shown, None);
    let mut pointer = CleanBuf::new();
    pointer.title(&document.title).lit(" (").lit(document.kind.name());
    if document.secret {
        pointer.lit(", holds secrets and is not read");
    }
    let pointer = pointer.lit("): ").line(&document.shown).finish();
    let text = match &document.notes {
        None => TextLevels { full: pointer.clone(), full_detail: "pointer", excerpt: None, pointer },
        Some(made) => {
            let list = |text: &mut CleanBuf, entries: &[Clean]| {
                for entry in entries {
                    text.lit("\n- ").line(entry);
                }
            };
            let head = || {
                let mut head = CleanBuf::new();
                head.lit("### ").heading(&document.title).lit(" (").lit(document.kind.name()).lit(")");
                head
            };
            let mut full = head();
            if !made.summary.is_empty() {
                list(full.lit("\n"), &made.summary);
            }
            if !made.rules.is_empty() {
                list(full.lit("\n\n**Rules:**\n"), &made.rules);
            }
            if made.summary.is_empty() && made.rules.is_empty() {
                full.lit("\n\nThis document has nothing to note: read ").line(&document.shown).lit(" if you need it.");
            }
            let excerpt = (!made.summary.is_empty() && !made.rules.is_empty()).then(|| {
                let mut rules = head();
                list(rules.lit("\n\n**Rules:**\n"), &made.rules);
                rules.finish()
            });
            TextLevels { full: full.finish(), full_detail: "full", excerpt, pointer }
        }
    };
    // Rules come from the body, the title from above it.
    let mut removals = removals::records(&document.removals, |_| true, &origin);
    if let Some(file) = &document.notes_file {
        removals.extend(removals::records(&file.removals, |_| true, &file_origin(&file.shown, None)));
    }
    Candidate {
        trust: Trust::of(document.untrusted),
        document: Some(facts(document, relevant)),
        removals,
        ..candidate(
            id_of(document),
            "document_notes",
            document.title.clone(),
            origin,
            provenance,
            SectionBody::Levels(Arc::new(text)),
        )
    }
}

impl SelectionContext<'_> {
    /// Returns the body of a document that stands in full.
    fn document_body(&self, text: &Clean, outline: &Outline, origin: &TextOrigin, title: &Clean) -> SectionBody {
        let mut pointer = CleanBuf::new();
        let pointer = pointer.title(title).lit(": ").line(&origin.place()).finish();
        self.text(text, outline, origin, pointer, ExcerptSize::NEIGHBOUR)
    }
}
