//! What packs hold of agents and documents, and what they must not hold.

use super::agents::AgentContext;
use super::document_cache::DocumentCache;
use super::documents::{document_of, read, read_document};
use super::project::{Project, ReadKnowledge};
use super::reader::Withheld;
use super::{EngineError, apply_severities};
use crate::config::{
    AGENT_INSTRUCTIONS, BuiltinText, ContextSettings, DocumentType, HANDOVER_INSTRUCTIONS, KNOWLEDGE_INSTRUCTIONS,
    Policy,
};
use crate::graph::Value;
use crate::knowledge::{AgentError, DocumentRules, Knowledge, KnowledgeDocument, KnowledgeRequest, Relevant, Scope};
use crate::model::{Code, Diagnostic, RepoPath};
use crate::redact::Clean;
use crate::review::UnusedText;
use crate::select::{KnowledgeSections, ReferencedFile, RootReferences, SelectionContext};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

impl Project<'_> {
    /// Returns the agents and documents, which are read when first needed.
    pub fn knowledge(&self) -> &Knowledge {
        &self.read_knowledge().knowledge
    }

    /// Returns what is wrong with agents and documents, redacted, with the severities of the configuration.
    pub fn knowledge_diagnostics(&self) -> Vec<Diagnostic> {
        let ReadKnowledge { knowledge, unread, .. } = self.read_knowledge();
        apply_severities(self.redacted(knowledge.diagnostics.iter().chain(unread)), self.reader.settings)
    }

    /// Confirms that no agent is missing because its file, or a folder that may hold it, could not be read.
    pub(crate) fn confirm_agents_read(&self) -> Result<(), EngineError> {
        match &self.read_knowledge().unread[..] {
            [] => Ok(()),
            unread => Err(EngineError::Unread(self.redacted(unread))),
        }
    }

    /// Returns what kind of document keeps a file with this text from everyone.
    pub fn restricted(&self, path: &RepoPath, raw: &str) -> Option<&'static str> {
        self.reader.document_restriction(path, raw).map(Withheld::reason)
    }

    pub(super) fn read_knowledge(&self) -> &ReadKnowledge {
        self.knowledge.get_or_init(|| read(self))
    }

    /// Returns whether packs without an agent may hold documents.
    pub(super) fn has_documents(&self) -> bool {
        let settings = self.reader.settings;
        !settings.documents.is_empty() || settings.overview.is_some()
    }

    /// Returns an error for each unreadable agent and document: any pack may lack it, since its front matter says which.
    pub(super) fn unread_knowledge(&self, agent: Option<&AgentContext>) -> &[Diagnostic] {
        if agent.is_some() || self.has_documents() { &self.read_knowledge().unread } else { &[] }
    }

    /// Returns whether a file is where agents are.
    pub fn is_agent_file(&self, path: &RepoPath) -> bool {
        self.reader.settings.is_agent_file(path)
    }

    /// Returns what is added to the instructions of packs: how to use what they hold besides their root.
    pub(super) fn additions(&self, agent: Option<&AgentContext>) -> &'static [BuiltinText] {
        let binds =
            |document: &Arc<KnowledgeDocument>| document.pinned && !document.secret && document.scope == Scope::Global;
        match agent.map(|agent| &agent.handover) {
            Some(Some(_)) => &[AGENT_INSTRUCTIONS, HANDOVER_INSTRUCTIONS],
            Some(None) => &[AGENT_INSTRUCTIONS],
            None if self.has_documents() && self.knowledge().documents.iter().any(binds) => &[KNOWLEDGE_INSTRUCTIONS],
            None => &[],
        }
    }

    /// Returns why packs must not hold the text of a file that a root refers to.
    /// Returns whether a file that is neither a document, an item nor an agent states that it is for another agent. Names of no
    /// agent mean something else, such as who wrote it.
    pub(super) fn is_stated_of_other(&self, path: &RepoPath, stated: &[String], agent: Option<&AgentContext>) -> bool {
        let is_own = |name: &String| match self.knowledge().agents.find(name) {
            Ok(found) => agent.is_some_and(|agent| agent.agent == found),
            Err(error) => matches!(error, AgentError::Unknown { .. }),
        };
        let is_other = |path: &RepoPath| {
            DocumentRules::of(self.reader.settings, path).is_none() && self.graph.of_file(path).is_none()
        };
        !stated.iter().all(is_own) && self.reader.names(path).all(is_other) && !self.reader.leads_to_agent(path)
    }

    pub(super) fn withheld(&self, path: &RepoPath, agent: Option<&AgentContext>) -> Option<Withheld> {
        let key = agent.map(|agent| &self.knowledge().agents.all[agent.agent]);
        let names = || self.reader.names(path);
        // An agent's file is for that agent; for packs without an agent it is a file like all others.
        let is_others = |path: &RepoPath| self.is_agent_file(path) && key.is_some_and(|agent| agent.path != *path);
        let notes_of = |path: &RepoPath| document_of(path).is_some_and(|path| is_others(&path));
        if names().any(|path| is_others(path) || notes_of(path)) {
            return Some(Withheld::OtherAgent);
        }
        if !self.has_documents() {
            return None;
        }
        let knowledge = self.knowledge();
        let at = |path: &RepoPath| {
            let found = knowledge.unusable.binary_search_by(|unusable| unusable.document.path.cmp(path)).ok();
            let unusable = || Some(&knowledge.unusable.get(found?)?.document);
            knowledge.document(path).map(|document| &**document).or_else(unusable)
        };
        // What is in the notes on a document is as secret as the document, and a link opens no more than what it leads to.
        let of = |path: &RepoPath| at(path).or_else(|| at(&document_of(path)?));
        let documents: Vec<_> = names().filter_map(of).collect();
        let key = key.map(|agent| &agent.key);
        if documents.iter().any(|document| !document.scope.admits(key)) {
            return Some(Withheld::OtherAgent);
        }
        if documents.iter().any(|document| document.secret) {
            return Some(Withheld::Secret);
        }
        // Notes without their document are what its entry says.
        let entry = documents.is_empty().then(|| self.reader.settings.source_of(path)).flatten()?;
        match (&entry.agent, entry.is_secret()) {
            (Some(_), _) => Some(Withheld::OtherAgent),
            (None, true) => Some(Withheld::Secret),
            (None, false) => None,
        }
    }

    /// Returns what the pack of `root` holds besides the root and its neighbourhood.
    pub(super) fn knowledge_sections(
        &self,
        context: &SelectionContext<'_>,
        root: Option<usize>,
        references: &RootReferences,
        agent: Option<&AgentContext>,
    ) -> KnowledgeSections {
        let mut sections = KnowledgeSections::default();
        if agent.is_none() && !self.has_documents() {
            return sections;
        }
        let knowledge = self.knowledge();
        let found = agent.map(|context| (&knowledge.agents.all[context.agent], context));
        let mut referenced: BTreeMap<RepoPath, bool> = BTreeMap::new();
        for ReferencedFile { file, by, configured, .. } in references.files.iter().filter(|it| it.document.is_ok()) {
            let by_insiders = !*configured && !self.corpus.entries[*by].is_untrusted_at(&file.at);
            let is_whole = Some(*by) == root && file.anchor.is_none() && by_insiders;
            *referenced.entry(file.path.clone()).or_default() |= is_whole;
        }
        let query = self.query(root, agent.map(|context| context.agent));
        let meaning = agent.and_then(|context| context.vectors.meaning(&query));
        let query: Vec<&str> = query.iter().map(Clean::as_str).collect();
        let chosen = knowledge.choose(&KnowledgeRequest {
            agent: found.map(|(agent, context)| (&agent.key, context.policy)),
            limits: &self.reader.settings.context,
            query: &query,
            meaning,
            referenced: &referenced,
        });
        if let Some((agent, context)) = found {
            sections.add_agent(agent, context.policy);
        }
        sections.add_documents(context, knowledge, &chosen, &|document| self.complete(document));
        let whole = [&chosen.overview, &chosen.user].into_iter().flatten();
        let shown: BTreeSet<usize> =
            chosen.pinned.iter().chain(&chosen.pinned_by_policy).chain(whole).copied().collect();
        let is_chosen = |path: &RepoPath| shown.iter().any(|index| knowledge.documents[*index].path == *path);
        let secrets: BTreeSet<&RepoPath> = references.secrets.iter().filter(|path| !is_chosen(path)).collect();
        secrets
            .into_iter()
            .filter_map(|path| knowledge.document(path))
            .for_each(|document| sections.add_secret(document));
        if let Some((_, asked)) = found {
            sections.add_changes(&asked.changes);
            asked.handover.iter().for_each(|handed| sections.add_handover(context, handed));
            asked.job.iter().for_each(|job| sections.add_job(job));
        }
        sections
    }

    /// Returns the texts that say what the work is about: those of the root, or what the agent with this index is for.
    pub(super) fn query(&self, root: Option<usize>, agent: Option<usize>) -> Vec<Clean> {
        if let Some(root) = root {
            let entry = &self.corpus.entries[root];
            return [entry.item.title.clone(), entry.body.clean.clone()].into_iter().chain(self.labels(root)).collect();
        }
        let agent = agent.and_then(|agent| self.knowledge().agents.all.get(agent));
        agent.map(|agent| agent.purpose.iter().chain(&agent.role).cloned().collect()).unwrap_or_default()
    }

    /// Returns the place of a document among all that are relevant to the work, and the terms that it shares with it.
    pub fn relevance(&self, root: Option<usize>, agent: &AgentContext, path: &RepoPath) -> Option<Relevant> {
        let knowledge = self.knowledge();
        let query = self.query(root, Some(agent.agent));
        let meaning = agent.vectors.meaning(&query);
        let query: Vec<&str> = query.iter().map(Clean::as_str).collect();
        let all = ContextSettings { relevant: usize::MAX, ..self.reader.settings.context.clone() };
        let chosen = knowledge.choose(&KnowledgeRequest {
            agent: Some((&knowledge.agents.all.get(agent.agent)?.key, Policy::Expanded)),
            limits: &all,
            query: &query,
            meaning,
            referenced: &BTreeMap::new(),
        });
        chosen.relevant.into_iter().find(|found| knowledge.documents[found.document].path == *path)
    }

    /// Returns a document with its body and its notes, which may still be in the cache or in its file.
    pub fn complete(&self, document: &Arc<KnowledgeDocument>) -> Arc<KnowledgeDocument> {
        let ReadKnowledge { knowledge, cached, .. } = self.read_knowledge();
        let Some(found) = cached.get(&document.path) else { return Arc::clone(document) };
        let cache = DocumentCache::new(self, &knowledge.agents);
        let complete = || {
            if !found.is_partial {
                cache.keep_texts(document, &found.identity);
                return Arc::clone(document);
            }
            if let Some(complete) = cache.complete(document, &found.identity) {
                return Arc::new(complete);
            }
            // The file may have changed since it was listed, also whom it is for.
            let is_same_to_readers =
                |read: &KnowledgeDocument| read.scope == document.scope && read.secret == document.secret;
            let read = read_document(self, &knowledge.agents, &document.path).filter(is_same_to_readers);
            let Some(read) = read else { return Arc::clone(document) };
            if read.digest == document.digest && read.notes_file == document.notes_file {
                cache.keep_texts(&read, &found.identity);
            }
            Arc::new(read)
        };
        Arc::clone(found.complete.get_or_init(complete))
    }

    /// Returns decisions, documents for everyone and other Markdown files with their kinds, and why some are no work items.
    pub fn known_texts(&self) -> Vec<UnusedText> {
        let mut known = BTreeMap::new();
        let items: BTreeSet<&str> = self.corpus().entries.iter().map(|entry| entry.item.origin.path.as_str()).collect();
        let boilerplate: BTreeSet<&RepoPath> = self.corpus().rules.boilerplate.iter().map(|(path, _)| path).collect();
        let is_hidden = |path: &RepoPath| path.as_str().split('/').any(|part| part.starts_with('.'));
        let is_other = |path: &&RepoPath| {
            path.as_str().to_lowercase().ends_with(".md")
                && !items.contains(path.as_str())
                && !boilerplate.contains(path)
                && !is_hidden(path)
                && !self.is_agent_file(path)
                && !self.is_own_output(path)
                && !self.denies(path)
        };
        known.extend(self.reader.source().files().iter().filter(is_other).map(|path| (path, "document")));
        for document in &self.knowledge().documents {
            let is_rules = matches!(document.kind, DocumentType::StyleGuide | DocumentType::Playbook);
            if document.secret || document.scope != Scope::Global {
                known.remove(&document.path);
            } else {
                known.insert(&document.path, if is_rules { "rules" } else { "document" });
            }
        }
        known.extend(self.corpus().rules.adrs.iter().map(|path| (path, "adr")));
        let clean = |text: &str| self.redacted_line(text);
        // Of several faults of a file the first counts, which is inserted last.
        let of_items =
            self.diagnostics.iter().rev().filter(|it| it.is_of_unread_item() || it.code == Code::DuplicateId);
        let faults: BTreeMap<&RepoPath, &str> =
            of_items.filter_map(|fault| Some((&fault.at.as_ref()?.path, fault.message.as_str()))).collect();
        let text = |(path, kind): (&RepoPath, &str)| {
            let reason = faults.get(path).filter(|_| kind == "document").copied();
            let kind = if reason.is_some() { "work_item" } else { kind };
            UnusedText { path: clean(path.as_str()), kind: kind.to_owned(), reason: reason.map(clean) }
        };
        known.into_iter().map(text).collect()
    }

    fn labels(&self, root: usize) -> Vec<Clean> {
        let text = |value: &Value<Clean>| match value {
            Value::Scalar { text, .. } => Some(text.clone()),
            Value::Null | Value::List(_) | Value::Map(_) => None,
        };
        let fields = &self.corpus.entries[root].item.fields;
        match fields.iter().find(|field| &*field.name == "labels").map(|field| &field.node.value) {
            Some(Value::List(nodes)) => nodes.iter().filter_map(|node| text(&node.value)).collect(),
            value => value.and_then(text).into_iter().collect(),
        }
    }
}
