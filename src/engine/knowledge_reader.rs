//! Reads agents and documents.

use super::document_cache::{CachedDocument, DocumentCache};
use super::document_notes;
use super::project::Project;
use super::restrictions::{Withheld, restricted_instructions};
use crate::cache::FilePurpose;
use crate::config::{DocumentSource, DocumentType};
use crate::graph::ParsedText;
use crate::knowledge::{
    Agent, Agents, DocumentFile, DocumentRules, Knowledge, KnowledgeDocument, Scope, SearchTerms, Secrecy,
    UnusableDocument,
};
use crate::markdown::front_matter::front_matter;
use crate::model::{Code, Diagnostic, Place, Refusal, RepoPath, Severity};
use crate::redact::Clean;
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The knowledge of a repo, with an error for each file of it that exists and cannot be read.
#[derive(Debug, Default)]
pub(super) struct ReadKnowledge {
    pub(super) knowledge: Knowledge,
    pub(super) cached: BTreeMap<RepoPath, CachedDocument>,
    pub(super) unread: Vec<Diagnostic>,
}

pub(super) const CONFIG: &str = "contextpack.yml";

pub(super) fn read(project: &Project<'_>) -> ReadKnowledge {
    let mut all = ReadKnowledge::default();
    // What a folder that cannot be listed holds may be agents and documents.
    all.unread
        .extend(project.reader.source().unlisted().iter().cloned().map(|fault| project.redacted_for_output(fault)));
    let agents = agents(project, &mut all);
    let faults = &mut all.knowledge.diagnostics;
    faults.extend(misplaced_agents(project));
    let Ok(config) = RepoPath::new(CONFIG) else { return all };
    faults.extend(missing_overview(project, &config));
    faults.extend(job_faults(project, &agents, &config));
    documents(&DocumentReader { project, agents: &agents, config: &config }, &mut all);
    all.knowledge.diagnostics.sort();
    all.knowledge.diagnostics.dedup();
    all.knowledge.agents = agents;
    all
}

/// Reads one document again; `None` if it cannot be used.
pub(super) fn read_document(project: &Project<'_>, agents: &Agents, path: &RepoPath) -> Option<KnowledgeDocument> {
    let rules = DocumentRules::of(project.reader.settings, path)?;
    let config = RepoPath::new(CONFIG).ok()?;
    DocumentReader { project, agents, config: &config }.document(path, rules, &mut Vec::new()).ok()
}

fn agents(project: &Project<'_>, all: &mut ReadKnowledge) -> Agents {
    let faults = &mut all.knowledge.diagnostics;
    let profiles: Vec<&str> = project.reader.settings.profiles.keys().map(String::as_str).collect();
    let mut agents = Vec::new();
    let mut scoped = BTreeMap::new();
    for path in project.reader.source().files().iter().filter(|path| project.is_agent_file(path)) {
        match project.reader.raw(path) {
            Ok(text) if project.reader.document_restriction(path, &text) == Some(Withheld::Secret) => {
                faults.push(restricted_instructions(path, Withheld::Secret));
            }
            Ok(text) => {
                scoped.insert(path.clone(), soul_scopes(project, path, &text));
                let (shown, text, removals, digest) = project.reader.file(path, FilePurpose::Document, &text);
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
    Agents::new(agents, faults)
}

/// Returns what is wrong with files of agents that the configuration names as documents: such a file is for its agent alone,
/// whatever matches it or links to it.
fn misplaced_agents(project: &Project<'_>) -> Vec<Diagnostic> {
    let settings = &project.reader.settings;
    let is_agent = |path: &RepoPath| project.reader.leads_to_agent(path);
    let mut faults = Vec::new();
    if let Some(overview) = settings.overview.as_ref().filter(|overview| is_agent(overview)) {
        let message = format!("`{overview}` is the file of an agent, so that it is no overview");
        let at = RepoPath::new(CONFIG).ok().map(|config| Place::line(config, settings.overview_line));
        let help = "write what the project is in a file that `agents.include` does not match";
        faults.push(Diagnostic::new(Code::InvalidDocument, at, message).help(help));
    }
    for path in project.reader.source().files().iter().filter(|path| is_agent(path)) {
        let Some(source) = settings.source_of(path) else { continue };
        if project.is_agent_file(path) && !is_named(source, path) {
            continue;
        }
        let message = format!("`{path}` is the file of an agent, so that it is no document");
        let fault = Diagnostic::new(Code::InvalidDocument, Some(Place::file(path.clone())), message)
            .help("take it out of `documents`, or move what all agents should know to another file");
        faults.push(Diagnostic { severity: Severity::Warning, ..fault });
    }
    faults
}

fn missing_overview(project: &Project<'_>, config: &RepoPath) -> Option<Diagnostic> {
    let settings = &project.reader.settings;
    let files = project.reader.source().files();
    let overview = settings.overview.as_ref().filter(|overview| files.binary_search(overview).is_err())?;
    let at = Some(Place::line(config.clone(), settings.overview_line));
    let fault = Diagnostic::new(Code::InvalidDocument, at, format!("there is no file `{overview}`"));
    Some(fault.help("correct the path of `overview`, or add the file"))
}

/// Returns what is wrong with jobs: nobody does them, or their instructions or root are missing.
fn job_faults(project: &Project<'_>, agents: &Agents, config: &RepoPath) -> Vec<Diagnostic> {
    let files = project.reader.source().files();
    let mut faults = Vec::new();
    for (name, job) in &project.reader.settings.jobs {
        let mut fault = |what: String, help: String| {
            let at = Some(Place::line(config.clone(), job.agent.line));
            faults.push(Diagnostic::new(Code::InvalidAgent, at, format!("the job `{name}` {what}")).help(help));
        };
        if let Err(error) = agents.find(&job.agent.name) {
            fault(format!("is for nobody: {error}"), error.help());
        }
        if files.binary_search(&job.instructions).is_err() {
            let what = format!("has no instructions: there is no file `{}`", job.instructions);
            fault(what, "correct its `instructions`, or add the file".to_owned());
        }
        if let Some(root) = job.root.as_ref().filter(|root| project.find(root).is_err()) {
            fault(
                format!("has no root: `{root}` names no item, or several"),
                "`contextpack list` shows all".to_owned(),
            );
        }
    }
    faults
}

fn documents(reader: &DocumentReader<'_, '_>, all: &mut ReadKnowledge) {
    let DocumentReader { project, agents, .. } = reader;
    let settings = &project.reader.settings;
    let faults = &mut all.knowledge.diagnostics;
    let is_agent = |path: &RepoPath| project.reader.leads_to_agent(path);
    // A link to a document is that document, which stands for itself.
    let is_other_name = |path: &RepoPath| {
        project.reader.source().link_end(path).is_some_and(|end| DocumentRules::of(settings, end).is_some())
    };
    let named: Vec<(&RepoPath, DocumentRules<'_>)> = project
        .reader
        .source()
        .files()
        .iter()
        .chain(project.reader.source().special_files())
        .filter_map(|path| Some((path, DocumentRules::of(settings, path)?)))
        .filter(|(path, _)| !is_other_name(path) && !is_agent(path))
        .collect();
    let cache = DocumentCache::new(project, agents);
    let read: Vec<_> = named
        .par_iter()
        .map(|(path, rules)| {
            let mut faults = Vec::new();
            let read = cache.document(path, |faults| reader.document(path, *rules, faults), &mut faults);
            (*path, *rules, read, faults)
        })
        .collect();
    let mut documents = Vec::new();
    for (path, rules, read, more) in read {
        faults.extend(more);
        match read {
            Ok((document, cached)) => {
                all.cached.extend(cached.map(|cached| (document.path.clone(), cached)));
                documents.push(Arc::new(document));
            }
            Err(fault) if fault.severity == Severity::Error => all.unread.push(fault),
            Err(fault) => {
                faults.push(fault);
                match reader.unusable(path, rules, faults) {
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
    all.knowledge.documents = documents;
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

/// Returns the error about a document that counts as secret although no field of its front matter says so.
fn unclear(path: &RepoPath, secrecy: Secrecy) -> Option<Diagnostic> {
    let Secrecy::Unclear { line, is_field: false } = secrecy else { return None };
    let at = Some(Place::line(path.clone(), line));
    Some(Diagnostic::new(Code::InvalidDocument, at, Secrecy::UNCLEAR).help(Secrecy::UNCLEAR_HELP))
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
    let settings = &project.reader.settings;
    let entry = settings.source_of(path).and_then(|source| source.agent.as_ref());
    let mut scopes: Vec<_> = entry.map(|named| Some(named.name.clone())).into_iter().collect();
    if let Some(end) = project.reader.source().link_end(path).filter(|end| *end != path) {
        if project.is_agent_file(end) {
            scopes.push(None);
        } else if let Some(rules) = DocumentRules::of(settings, end) {
            scopes.extend(rules.restricting_scopes(raw));
        }
    }
    scopes
}

struct DocumentReader<'r, 'p> {
    project: &'r Project<'p>,
    agents: &'r Agents,
    config: &'r RepoPath,
}

impl DocumentReader<'_, '_> {
    fn document(
        &self,
        path: &RepoPath,
        rules: DocumentRules<'_>,
        faults: &mut Vec<Diagnostic>,
    ) -> Result<KnowledgeDocument, Diagnostic> {
        let raw = self.project.reader.raw(path)?;
        let (readable, secrecy) = rules.readable(&raw);
        let (text, mut document, stated_title) = self.fields(path, rules, (readable, secrecy), faults);
        if document.secret {
            return Ok(document);
        }
        let headings = &text.markdown.outline.headings;
        if stated_title.is_none()
            && let Some(title) = headings.iter().find(|heading| heading.level == 1)
            && let Some(block) = text.markdown.outline.blocks.get(title.block)
            && let Some(title) = text.clean.slice(block.range.clone()).read_out(title.title.trim())
            && !title.is_empty()
        {
            document.title = title;
        }
        document_notes::add(&self.project.reader, &mut document, stated_title.as_deref(), (&raw, &text.clean), faults)?;
        document.search = SearchTerms::new(&document, headings.iter().map(|heading| heading.title.as_str()));
        if document.has_notes() {
            document.body = Clean::default();
        }
        Ok(document)
    }

    /// Reads what is known of a document whose text is refused: its entry, and its front matter if it has one.
    fn unusable(
        &self,
        path: &RepoPath,
        rules: DocumentRules<'_>,
        faults: &mut Vec<Diagnostic>,
    ) -> Option<UnusableDocument> {
        let source = self.project.reader.source();
        let reason = match source.read(path).err()? {
            _ if self.project.reader.is_special(path) => Refusal::Binary.omission_reason()?,
            refusal => refusal.omission_reason()?,
        };
        let head = source.head(path).unwrap_or_default();
        let front = front_matter(&head).map_or("", |front| &head[..front.body]);
        let (_, document, _) = self.fields(path, rules, (front, rules.secrecy(&head)), faults);
        Some(UnusableDocument { document, reason })
    }

    /// Redacts the part of a document that may be read, and returns it with the document as its front matter describes
    /// it, and the title that is stated there.
    fn fields(
        &self,
        path: &RepoPath,
        rules: DocumentRules<'_>,
        (readable, secrecy): (&str, Secrecy),
        faults: &mut Vec<Diagnostic>,
    ) -> (ParsedText, KnowledgeDocument, Option<Clean>) {
        let Self { project, agents, config } = self;
        let (shown, text, removals, digest) = project.reader.file(path, FilePurpose::Document, readable);
        let file = DocumentFile {
            path: path.clone(),
            shown,
            text: text.clean.clone(),
            removals,
            digest,
            secret: secrecy.is_secret(),
            untrusted: project.reader.distrusts(path),
        };
        let (document, front) = KnowledgeDocument::read(file, rules, agents, config, faults);
        faults.extend(unclear(path, secrecy));
        (text, document, front.text(&["title"]).map(|(title, _)| title))
    }
}
