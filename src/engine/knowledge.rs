//! Reads agents and documents, and makes the sections about them.

use super::document_cache::{DocumentCache, FoundDocument};
use super::project::{COMMIT, Project, unreadable};
use super::{apply_severities, clean, document_notes};
use crate::cache::FilePurpose;
use crate::config::{
    AGENT_INSTRUCTIONS, BuiltinText, ContextSettings, DocumentSource, DocumentType, HANDOVER_INSTRUCTIONS,
    KNOWLEDGE_INSTRUCTIONS, Policy, Settings,
};
use crate::graph::Value;
use crate::knowledge::{
    Agent, Agents, DocumentFile, DocumentRules, Knowledge, KnowledgeDocument, KnowledgeRequest, Relevant, Scope,
    SearchTerms, Secrecy, UnusableDocument,
};
use crate::markdown::front_matter::front_matter;
use crate::model::{Code, Diagnostic, Digest, Place, Refusal, RepoPath, Severity, SourceTree};
use crate::redact::Clean;
use crate::select::{HandedOver, JobInstructions, KnowledgeSections, RecentChanges, RootReferences, SelectionContext};
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};

/// An agent that packs are built for.
#[derive(Debug, Clone)]
pub struct AgentContext {
    /// Its index among the agents.
    pub agent: usize,
    /// How much the packs hold.
    pub policy: Policy,
    /// The recent changes.
    pub changes: RecentChanges,
    /// What is wrong with the files that these are from, redacted.
    pub faults: Vec<Diagnostic>,
    /// The job that they are for.
    pub job: Option<JobInstructions>,
    /// What was handed over to it.
    pub handover: Option<Arc<HandedOver>>,
}

/// The knowledge of a repo, with an error for each file of it that exists and cannot be read.
#[derive(Debug, Default)]
pub(super) struct ReadKnowledge {
    pub(super) knowledge: Knowledge,
    /// The documents that the cache may know.
    cached: BTreeMap<RepoPath, CachedDocument>,
    pub(super) unread: Vec<Diagnostic>,
}

/// A document that the cache may know.
#[derive(Debug)]
struct CachedDocument {
    /// The identity of its files.
    identity: Digest,
    /// Whether its body and notes were left in the cache.
    is_partial: bool,
    /// The document with its body and its notes, once a pack needed them.
    complete: OnceLock<Arc<KnowledgeDocument>>,
}

/// The file that the names of agents and documents are configured in.
const CONFIG: &str = "contextpack.yml";

/// A file of the knowledge: its text, or why there is none.
type ReadFile = Result<String, Diagnostic>;

/// A document, or why it cannot be used.
type ReadDocument = Result<FoundDocument, Diagnostic>;

impl Project<'_> {
    /// Returns the agents and documents, which are read when first needed.
    pub fn knowledge(&self) -> &Knowledge {
        &self.read_knowledge().knowledge
    }

    /// Returns what is wrong with agents and documents, redacted, with the severities of the configuration.
    pub fn knowledge_diagnostics(&self) -> Vec<Diagnostic> {
        let faults = self.knowledge().diagnostics.iter().cloned().map(|fault| self.redacted_for_output(fault));
        apply_severities(faults.collect(), self.settings)
    }

    /// Returns what kind of document keeps a file with this text from everyone.
    pub fn restricted(&self, path: &RepoPath, raw: &str) -> Option<&'static str> {
        document_restriction(self.source, self.settings, path, raw).map(Withheld::reason)
    }

    pub(super) fn read_knowledge(&self) -> &ReadKnowledge {
        self.knowledge.get_or_init(|| read(self))
    }

    /// Returns whether packs without an agent may hold documents.
    pub(super) fn has_documents(&self) -> bool {
        let knowledge = &self.settings.knowledge;
        !knowledge.documents.is_empty() || knowledge.overview.is_some()
    }

    /// Returns an error for each agent and document that exists and cannot be read. Any pack may lack it, since only its front
    /// matter says which.
    pub(super) fn unread_knowledge(&self, agent: Option<&AgentContext>) -> &[Diagnostic] {
        if agent.is_some() || self.has_documents() { &self.read_knowledge().unread } else { &[] }
    }

    /// Returns whether a file is where agents are.
    pub fn is_agent_file(&self, path: &RepoPath) -> bool {
        self.settings.knowledge.is_agent_file(path)
    }

    /// Returns what is added to the instructions of packs: how to use what they hold besides their root.
    pub(super) fn additions(&self, agent: Option<&AgentContext>) -> &'static [BuiltinText] {
        match agent.map(|agent| &agent.handover) {
            Some(Some(_)) => return &[AGENT_INSTRUCTIONS, HANDOVER_INSTRUCTIONS],
            Some(None) => return &[AGENT_INSTRUCTIONS],
            None => {}
        }
        let binds =
            |document: &Arc<KnowledgeDocument>| document.pinned && !document.secret && document.scope == Scope::Global;
        let has_rules = self.has_documents() && self.knowledge().documents.iter().any(binds);
        if has_rules { &[KNOWLEDGE_INSTRUCTIONS] } else { &[] }
    }

    /// Returns why packs must not hold the text of a file that a root refers to: it is another agent's document, or it holds
    /// secrets.
    pub(super) fn withheld(&self, path: &RepoPath, agent: Option<&AgentContext>) -> Option<Withheld> {
        let key = agent.map(|agent| &self.knowledge().agents.all[agent.agent]);
        let names = [Some(path), self.source.link_end(path)];
        // An agent's file is for that agent; for packs without an agent it is a file like all others.
        let is_others = |path: &&RepoPath| self.is_agent_file(path) && key.is_some_and(|agent| agent.path != **path);
        let notes_of = |path: &&RepoPath| document_notes::document_of(path).is_some_and(|path| is_others(&&path));
        if names.iter().flatten().any(|path| is_others(path) || notes_of(path)) {
            return Some(Withheld::OtherAgent);
        }
        if !self.has_documents() {
            return None;
        }
        let knowledge = self.knowledge();
        // What is in the notes on a document is as secret as the document.
        let of = |path: &RepoPath| {
            let at = |path: &RepoPath| {
                let found = knowledge.unusable.binary_search_by(|unusable| unusable.document.path.cmp(path)).ok();
                let unusable = || Some(&knowledge.unusable.get(found?)?.document);
                knowledge.document(path).map(|document| &**document).or_else(unusable)
            };
            at(path).or_else(|| at(&document_notes::document_of(path)?))
        };
        // A link opens no more than what it leads to.
        let documents: Vec<_> = names.into_iter().flatten().filter_map(of).collect();
        let key = key.map(|agent| &agent.key);
        if documents.iter().any(|document| !document.scope.admits(key)) {
            return Some(Withheld::OtherAgent);
        }
        if documents.iter().any(|document| document.secret) {
            return Some(Withheld::Secret);
        }
        // Notes without their document are what its entry says.
        let entry = documents.is_empty().then(|| self.settings.knowledge.source_of(path)).flatten()?;
        match (&entry.agent, entry.secret) {
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
        let referenced: BTreeSet<RepoPath> =
            references.files.iter().filter(|file| file.document.is_ok()).map(|file| file.file.path.clone()).collect();
        let query = self.query(root, agent);
        let query: Vec<&str> = query.iter().map(Clean::as_str).collect();
        let chosen = knowledge.choose(&KnowledgeRequest {
            agent: found.map(|(agent, context)| (&agent.key, context.policy)),
            limits: &self.settings.knowledge.context,
            query: &query,
            referenced: &referenced,
        });
        if let Some((agent, context)) = found {
            sections.add_agent(agent, context.policy);
        }
        sections.add_documents(context, knowledge, &chosen, &|document| self.complete(document));
        let secrets: BTreeSet<&RepoPath> = references.secrets.iter().collect();
        let pinned = || chosen.pinned.iter().chain(&chosen.pinned_by_policy);
        let whole = || chosen.overview.iter().chain(&chosen.user);
        let is_chosen =
            |path: &RepoPath| pinned().chain(whole()).any(|index| knowledge.documents[*index].path == *path);
        for path in secrets {
            if let Some(document) = knowledge.document(path)
                && !is_chosen(path)
            {
                sections.add_secret(document);
            }
        }
        if let Some((_, asked)) = found {
            sections.add_changes(&asked.changes);
            asked.handover.iter().for_each(|handed| sections.add_handover(context, handed));
            asked.job.iter().for_each(|job| sections.add_job(job));
        }
        sections
    }

    /// Returns the texts that say what the work is about: those of the root, or what the agent is for.
    fn query(&self, root: Option<usize>, agent: Option<&AgentContext>) -> Vec<Clean> {
        if let Some(root) = root {
            let entry = &self.corpus.entries[root];
            return [entry.item.title.clone(), entry.body.clean.clone()].into_iter().chain(self.labels(root)).collect();
        }
        let agent = agent.and_then(|context| self.knowledge().agents.all.get(context.agent));
        agent.map(|agent| agent.purpose.iter().chain(&agent.role).cloned().collect()).unwrap_or_default()
    }

    /// Returns the place of a document among all that share terms with the work, and these terms, however many of them a pack
    /// holds.
    pub fn relevance(&self, root: Option<usize>, agent: &AgentContext, path: &RepoPath) -> Option<Relevant> {
        let knowledge = self.knowledge();
        let query = self.query(root, Some(agent));
        let query: Vec<&str> = query.iter().map(Clean::as_str).collect();
        let all = ContextSettings { relevant: usize::MAX, ..self.settings.knowledge.context.clone() };
        let chosen = knowledge.choose(&KnowledgeRequest {
            agent: Some((&knowledge.agents.all.get(agent.agent)?.key, Policy::Expanded)),
            limits: &all,
            query: &query,
            referenced: &BTreeSet::new(),
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
            let read = || {
                let rules = DocumentRules::of(&self.settings.knowledge, &document.path)?;
                let config = RepoPath::new(CONFIG).ok()?;
                self::document(self, &document.path, rules, &knowledge.agents, &config, &mut Vec::new()).ok()
            };
            // The file may have changed since it was listed, also whom it is for.
            let is_same_to_readers =
                |read: &KnowledgeDocument| read.scope == document.scope && read.secret == document.secret;
            let Some(read) = read().filter(is_same_to_readers) else { return Arc::clone(document) };
            if read.digest == document.digest && read.notes_file == document.notes_file {
                cache.keep_texts(&read, &found.identity);
            }
            Arc::new(read)
        };
        Arc::clone(found.complete.get_or_init(complete))
    }

    fn labels(&self, root: usize) -> Vec<Clean> {
        let fields = &self.corpus.entries[root].item.fields;
        let Some(field) = fields.iter().find(|field| &*field.name == "labels") else { return Vec::new() };
        match &field.node.value {
            Value::Scalar { text, .. } => vec![text.clone()],
            Value::List(nodes) => nodes
                .iter()
                .filter_map(|node| match &node.value {
                    Value::Scalar { text, .. } => Some(text.clone()),
                    _ => None,
                })
                .collect(),
            Value::Null | Value::Map(_) => Vec::new(),
        }
    }
}

/// Why a pack must not hold the text of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Withheld {
    /// It is another agent's.
    OtherAgent,
    /// It holds secrets.
    Secret,
}

impl Withheld {
    /// Returns what the document is.
    pub(super) fn reason(self) -> &'static str {
        match self {
            Self::OtherAgent => "a document of one agent",
            Self::Secret => "a document that holds secrets",
        }
    }
}

fn read(project: &Project<'_>) -> ReadKnowledge {
    let settings = &project.settings.knowledge;
    let mut all = ReadKnowledge::default();
    let faults = &mut all.knowledge.diagnostics;
    let files = project.source.files();
    let profiles: Vec<&str> = project.settings.profiles.keys().map(String::as_str).collect();
    let mut agents = Vec::new();
    let mut scoped = BTreeMap::new();
    for path in files.iter().filter(|path| project.is_agent_file(path)) {
        match raw(project, path) {
            Ok(text)
                if document_restriction(project.source, project.settings, path, &text) == Some(Withheld::Secret) =>
            {
                faults.push(restricted_instructions(path, Withheld::Secret));
            }
            Ok(text) => {
                scoped.insert(path.clone(), soul_scopes(project, path, &text));
                let (shown, text, removals, digest) =
                    clean::file(&project.scrubber, path, FilePurpose::Document, &text);
                agents.push(Agent::read(path, shown, &text.clean, removals, digest, &profiles, faults));
            }
            Err(fault) if fault.severity == Severity::Error => all.unread.push(fault),
            Err(fault) => faults.push(fault),
        }
    }
    // Whom a text is for can be said with the name of any agent, so all of them are read before.
    let everyone = Agents::new(agents.clone(), &mut Vec::new());
    agents.retain(|agent| {
        let is_own = |name: &Option<String>| match name.as_deref() {
            Some(name) => everyone.find(name).is_ok_and(|found| everyone.all[found].path == agent.path),
            None => false,
        };
        let is_its_own = scoped.get(&agent.path).is_none_or(|scopes| scopes.iter().all(is_own));
        if !is_its_own {
            faults.push(restricted_instructions(&agent.path, Withheld::OtherAgent));
        }
        is_its_own
    });
    let agents = Agents::new(agents, faults);
    // An agent's file is for that agent alone, so it is no document, whatever matches it or links to it.
    let is_agent = |path: &RepoPath| leads_to_agent(project.source, project.settings, path);
    if let Some(overview) = settings.overview.as_ref().filter(|overview| is_agent(overview)) {
        let message = format!("`{overview}` is the file of an agent, so that it is no overview");
        let at = RepoPath::new(CONFIG).ok().map(|config| Place::line(config, settings.overview_line));
        let help = "write what the project is in a file that `agents.include` does not match";
        faults.push(Diagnostic::new(Code::InvalidDocument, at, message).help(help));
    }
    for path in files.iter().filter(|path| is_agent(path)) {
        let Some(source) = settings.source_of(path) else { continue };
        if project.is_agent_file(path) && !is_named(source, path) {
            continue;
        }
        let message = format!("`{path}` is the file of an agent, so that it is no document");
        let fault = Diagnostic::new(Code::InvalidDocument, Some(Place::file(path.clone())), message)
            .help("take it out of `documents`, or move what all agents should know to another file");
        faults.push(Diagnostic { severity: Severity::Warning, ..fault });
    }
    // A link to a document is that document, which stands for itself.
    let is_other_name =
        |path: &RepoPath| project.source.link_end(path).is_some_and(|end| DocumentRules::of(settings, end).is_some());
    let named: Vec<(&RepoPath, DocumentRules<'_>)> = files
        .iter()
        .chain(project.source.special_files())
        .filter_map(|path| Some((path, DocumentRules::of(settings, path)?)))
        .filter(|(path, _)| !is_other_name(path) && !is_agent(path))
        .collect();
    let Ok(config) = RepoPath::new(CONFIG) else { return all };
    if let Some(overview) = settings.overview.as_ref().filter(|overview| files.binary_search(overview).is_err()) {
        let message = format!("there is no file `{overview}`");
        let at = Some(Place::line(config.clone(), settings.overview_line));
        faults.push(
            Diagnostic::new(Code::InvalidDocument, at, message).help("correct the path of `overview`, or add the file"),
        );
    }
    for (name, job) in &settings.jobs {
        if let Err(error) = agents.find(&job.agent.name) {
            let at = Some(Place::line(config.clone(), job.agent.line));
            let message = format!("the job `{name}` is for nobody: {error}");
            faults.push(Diagnostic::new(Code::InvalidAgent, at, message).help(error.help()));
        }
        let mut unknown = |what: String, help: &str| {
            let at = Some(Place::line(config.clone(), job.agent.line));
            faults.push(Diagnostic::new(Code::InvalidAgent, at, format!("the job `{name}` {what}")).help(help));
        };
        if files.binary_search(&job.instructions).is_err() {
            let what = format!("has no instructions: there is no file `{}`", job.instructions);
            unknown(what, "correct its `instructions`, or add the file");
        }
        if let Some(root) = job.root.as_ref().filter(|root| project.find(root).is_err()) {
            unknown(format!("has no root: `{root}` names no item, or several"), "`contextpack list` shows all");
        }
    }
    let cache = DocumentCache::new(project, &agents);
    let read: Vec<(ReadDocument, Vec<Diagnostic>)> = named
        .par_iter()
        .map(|(path, rules)| {
            let mut faults = Vec::new();
            let read =
                cache.document(path, |faults| document(project, path, *rules, &agents, &config, faults), &mut faults);
            (read, faults)
        })
        .collect();
    let mut documents = Vec::new();
    for (read, more) in read {
        faults.extend(more);
        match read {
            Ok(FoundDocument { document, identity, is_partial }) => {
                let cached = |identity| CachedDocument { identity, is_partial, complete: OnceLock::new() };
                all.cached.extend(identity.map(|identity| (document.path.clone(), cached(identity))));
                documents.push(Arc::new(document));
            }
            Err(fault) if fault.severity == Severity::Error => all.unread.push(fault),
            Err(fault) => {
                let path = fault.at.as_ref().map(|at| at.path.clone());
                faults.push(fault);
                let Some((path, rules)) =
                    path.and_then(|path| Some((path.clone(), DocumentRules::of(settings, &path)?)))
                else {
                    continue;
                };
                match unusable(project, &path, rules, &agents, &config, faults) {
                    // The line that names a document with secrets needs none of its text.
                    Some(UnusableDocument { document, .. }) if document.secret => documents.push(Arc::new(document)),
                    found => all.knowledge.unusable.extend(found),
                }
            }
        }
    }
    documents.sort_by(|a, b| a.path.cmp(&b.path));
    all.knowledge.unusable.sort_by(|a, b| a.document.path.cmp(&b.document.path));
    only_one(&mut documents, DocumentType::ProjectOverview, settings.overview.as_ref(), faults);
    only_one(&mut documents, DocumentType::ProjectUser, None, faults);
    faults.sort();
    faults.dedup();
    all.knowledge.agents = agents;
    all.knowledge.documents = documents;
    all
}

/// Leaves one document of a type, the preferred or the first one; each further one is a fault.
fn only_one(
    documents: &mut Vec<Arc<KnowledgeDocument>>,
    kind: DocumentType,
    preferred: Option<&RepoPath>,
    faults: &mut Vec<Diagnostic>,
) {
    let of_kind = || documents.iter().filter(|document| document.kind == kind && document.scope == Scope::Global);
    let first = of_kind().find(|document| Some(&document.path) == preferred).or_else(|| of_kind().next()).cloned();
    let Some(first) = first else { return };
    documents.retain(|document| {
        let is_second = document.kind == kind && document.scope == Scope::Global && document.path != first.path;
        if is_second {
            let message = format!("`{}` is the {} already", first.shown, kind.name().replace('_', " "));
            let at = Some(Place::file(document.path.clone()));
            let help = "give one of them another `doc_type`, or remove `overview` from the configuration";
            faults.push(Diagnostic::new(Code::InvalidDocument, at, message).help(help));
        }
        !is_second
    });
}

/// Reads what is known of a document whose text is refused: its entry, and its front matter if it has one.
fn unusable(
    project: &Project<'_>,
    path: &RepoPath,
    rules: DocumentRules<'_>,
    agents: &Agents,
    config: &RepoPath,
    faults: &mut Vec<Diagnostic>,
) -> Option<UnusableDocument> {
    let reason = match project.source.read(path).err()? {
        _ if is_special(project, path) => Refusal::Binary.omission_reason()?,
        refusal => refusal.omission_reason()?,
    };
    let head = project.source.head(path).unwrap_or_default();
    let secrecy = rules.secrecy(&head);
    let front = front_matter(&head).map_or("", |front| &head[..front.body]);
    let (shown, text, removals, digest) = clean::file(&project.scrubber, path, FilePurpose::Document, front);
    let untrusted = project.untracked.distrusts(project.source, path);
    let file = DocumentFile {
        path: path.clone(),
        shown,
        text: text.clean,
        removals,
        digest,
        secret: secrecy.is_secret(),
        untrusted,
    };
    let (document, _) = KnowledgeDocument::read(file, rules, agents, config, faults);
    faults.extend(unclear(path, secrecy));
    Some(UnusableDocument { document, reason })
}

/// Returns the error about a document that counts as secret although no field of its front matter says so.
fn unclear(path: &RepoPath, secrecy: Secrecy) -> Option<Diagnostic> {
    let Secrecy::Unclear { line, is_field: false } = secrecy else { return None };
    let at = Some(Place::line(path.clone(), line));
    Some(Diagnostic::new(Code::InvalidDocument, at, Secrecy::UNCLEAR).help(Secrecy::UNCLEAR_HELP))
}

/// Returns whether a path is that of a pipe, a socket, a device or a cyclic link.
fn is_special(project: &Project<'_>, path: &RepoPath) -> bool {
    project.source.special_files().binary_search(path).is_ok()
}

/// Reads the raw text of a file.
///
/// # Errors
/// Why it cannot be read: an error if it exists and the system refuses.
pub(super) fn raw(project: &Project<'_>, path: &RepoPath) -> ReadFile {
    project.source.read(path).map_err(|refusal| {
        // What is no file is in no clone either.
        let refusal = if is_special(project, path) { Refusal::Binary } else { refusal };
        let fault = unreadable(path, &refusal);
        let severity = if matches!(refusal, Refusal::Unreadable(_)) { Severity::Error } else { Severity::Warning };
        Diagnostic { severity, ..fault }
    })
}

/// Returns whether a file, or what it leads to, is that of an agent.
pub(super) fn leads_to_agent(source: &dyn SourceTree, settings: &Settings, path: &RepoPath) -> bool {
    [Some(path), source.link_end(path)].into_iter().flatten().any(|path| settings.knowledge.is_agent_file(path))
}

/// Returns whether an entry of `documents:` names the folder of a file, rather than all folders that there are.
fn is_named(source: &DocumentSource, path: &RepoPath) -> bool {
    let wild = ['*', '?', '[', '{'];
    source.include.written.iter().any(|glob| {
        let plain = &glob[..glob.find(wild).unwrap_or(glob.len())];
        let folder = plain.rfind('/').map_or("", |at| &plain[..at]);
        plain == path.as_str() || !folder.is_empty() && path.is_under(folder)
    })
}

/// Returns the scopes that the text of an agent's file has, if it has some: those of its entry of `documents:`, and of the
/// document that it links to. The file of another agent is for that one.
fn soul_scopes(project: &Project<'_>, path: &RepoPath, raw: &str) -> Vec<Option<String>> {
    let settings = &project.settings.knowledge;
    let entry = settings.source_of(path).and_then(|source| source.agent.as_ref());
    let mut scopes: Vec<_> = entry.map(|named| Some(named.name.clone())).into_iter().collect();
    if let Some(end) = project.source.link_end(path).filter(|end| *end != path) {
        if project.is_agent_file(end) {
            scopes.push(None);
        } else if let Some(rules) = DocumentRules::of(settings, end) {
            scopes.extend(rules.restricting_scopes(raw));
        }
    }
    scopes
}

/// Returns why a file with this text is not for everyone, if it, or what it leads to, is an agent's, or a document with secrets
/// or of one agent: whatever else names it, it is nothing but that.
pub(super) fn restriction(
    source: &dyn SourceTree,
    settings: &Settings,
    path: &RepoPath,
    raw: &str,
) -> Option<Withheld> {
    let of_agent = || leads_to_agent(source, settings, path).then_some(Withheld::OtherAgent);
    document_restriction(source, settings, path, raw).or_else(of_agent)
}

/// Returns why the document that a file with this text is, or leads to, is not for everyone.
fn document_restriction(source: &dyn SourceTree, settings: &Settings, path: &RepoPath, raw: &str) -> Option<Withheld> {
    let of = |path: &RepoPath| DocumentRules::of(&settings.knowledge, path);
    let rules: Vec<DocumentRules<'_>> =
        [Some(path), source.link_end(path)].into_iter().flatten().filter_map(of).collect();
    if rules.iter().any(|rules| rules.secrecy(raw).is_secret()) {
        return Some(Withheld::Secret);
    }
    rules.iter().any(|rules| rules.is_scoped(raw)).then_some(Withheld::OtherAgent)
}

/// Returns the error that instructions are a document that is not for everyone.
fn restricted_instructions(path: &RepoPath, withheld: Withheld) -> Diagnostic {
    let message = format!("`{path}` is {}, so that nobody is given it as instructions", withheld.reason());
    Diagnostic::new(Code::InvalidAgent, Some(Place::file(path.clone())), message)
        .help("take it out of `documents` and of `agents`, or move the instructions to another file")
}

fn document(
    project: &Project<'_>,
    path: &RepoPath,
    rules: DocumentRules<'_>,
    agents: &Agents,
    config: &RepoPath,
    faults: &mut Vec<Diagnostic>,
) -> Result<KnowledgeDocument, Diagnostic> {
    let raw = raw(project, path)?;
    let (readable, secrecy) = rules.readable(&raw);
    let secret = secrecy.is_secret();
    let (shown, text, removals, digest) = clean::file(&project.scrubber, path, FilePurpose::Document, readable);
    let untrusted = project.untracked.distrusts(project.source, path);
    let file =
        DocumentFile { path: path.clone(), shown, text: text.clean.clone(), removals, digest, secret, untrusted };
    let (mut document, front) = KnowledgeDocument::read(file, rules, agents, config, faults);
    faults.extend(unclear(path, secrecy));
    if document.secret {
        return Ok(document);
    }
    let headings = &text.markdown.outline.headings;
    let stated_title = front.text(&["title"]).map(|(title, _)| title);
    if stated_title.is_none()
        && let Some(title) = headings.iter().find(|heading| heading.level == 1)
        && let Some(block) = text.markdown.outline.blocks.get(title.block)
        && let Some(title) = text.clean.slice(block.range.clone()).read_out(title.title.trim())
        && !title.is_empty()
    {
        document.title = title;
    }
    document_notes::add(project, &mut document, stated_title.as_deref(), (&raw, &text.clean), faults);
    document.search = SearchTerms::new(&document, headings.iter().map(|heading| heading.title.as_str()));
    if document.has_notes() {
        document.body = Clean::default();
    }
    Ok(document)
}

/// Reads an agent's file, or a job's, whose text is instructions.
///
/// # Errors
/// If it cannot be read, or anyone could have written it.
pub(super) fn trusted_instructions(
    project: &Project<'_>,
    path: &RepoPath,
) -> Result<(Clean, Clean, Vec<crate::graph::RecordedRemoval>), Diagnostic> {
    let raw = raw(project, path).map_err(|fault| Diagnostic { severity: Severity::Error, ..fault })?;
    confirm_tracked(project, path)?;
    if let Some(withheld) = restriction(project.source, project.settings, path, &raw) {
        return Err(restricted_instructions(path, withheld));
    }
    let (shown, text, removals, _) = clean::file(&project.scrubber, path, FilePurpose::Document, &raw);
    Ok((shown, text.clean.trimmed(), removals))
}

/// Confirms that nobody without a say could have put instructions into a file.
///
/// # Errors
/// If git does not track it and untracked files are not trusted.
pub(super) fn confirm_tracked(project: &Project<'_>, path: &RepoPath) -> Result<(), Diagnostic> {
    if !project.untracked.distrusts(project.source, path) {
        return Ok(());
    }
    let message = format!("git does not track `{path}`, so that anyone could have written these instructions");
    let diagnostic = Diagnostic::new(Code::UntrackedFile, Some(Place::file(path.clone())), message).help(COMMIT);
    Err(Diagnostic { severity: Severity::Error, ..diagnostic })
}
