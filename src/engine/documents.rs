//! Reads agents, documents and the notes on documents: those that somebody wrote down, or else those of the extractor.

use super::document_cache::DocumentCache;
use super::project::{Project, ReadKnowledge};
use super::reader::{CONFIG, InputReader, Withheld, restricted_instructions};
use crate::cache::FilePurpose;
use crate::config::{DocumentSource, DocumentType};
use crate::graph::ParsedText;
use crate::knowledge::{
    Agent, Agents, DocumentFile, DocumentRules, KnowledgeDocument, NotesFile, Scope, SearchTerms, Secrecy,
    UnusableDocument,
};
use crate::markdown::front_matter::front_matter;
use crate::model::{Code, Diagnostic, Place, Refusal, RepoPath, Severity, conflict_in_markdown};
use crate::notes::{NoteLimits, NotesFault, ReadableDocument, SIDECAR, WrittenNotes, extract, is_binding};
use crate::records::conflict_markers;
use crate::redact::Clean;
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::sync::Arc;

const UNUSABLE: &str = "the notes cannot be used";

pub(super) fn read(project: &Project<'_>) -> ReadKnowledge {
    // What a folder that cannot be listed holds may be agents and documents.
    let unread = project.redacted(project.reader.source().unlisted());
    let mut all = ReadKnowledge { unread, ..ReadKnowledge::default() };
    let agents = agents(project, &mut all);
    let Ok(config) = RepoPath::new(CONFIG) else { return all };
    let faults = &mut all.knowledge.diagnostics;
    faults.extend(misplaced_agents(project, &config));
    faults.extend(job_faults(project, &agents, &config));
    DocumentReader { project, agents: &agents, config: &config }.documents(&mut all);
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

pub(super) fn document_of(path: &RepoPath) -> Option<RepoPath> {
    path.as_str().strip_suffix(SIDECAR).and_then(|path| RepoPath::new(path).ok())
}

fn agents(project: &Project<'_>, all: &mut ReadKnowledge) -> Agents {
    let reader = &project.reader;
    let faults = &mut all.knowledge.diagnostics;
    let profiles: Vec<&str> = reader.settings.profiles.keys().map(String::as_str).collect();
    let allowed = reader.settings.agents.allowed();
    let mut agents = Vec::new();
    let mut scoped = BTreeMap::new();
    for path in reader.source().files().iter().filter(|path| project.is_agent_file(path)) {
        match reader.raw(path) {
            Ok(text) if reader.document_restriction(path, &text) == Some(Withheld::Secret) => {
                faults.push(restricted_instructions(path, Withheld::Secret));
            }
            Ok(text) => {
                if let Some(line) = conflict_in_markdown(&text) {
                    let fault =
                        conflict_markers(Place::line(path.clone(), line), &format!("`{path}`, an agent's file,"));
                    faults.push(fault.with_severity(Severity::Error));
                }
                scoped.insert(path.clone(), scopes_of_agent(reader, path, &text));
                let (shown, text, removals, digest) = reader.file(path, FilePurpose::Document, &text);
                agents.push(Agent::read(path, shown, &text.clean, removals, digest, (&profiles, allowed), faults));
            }
            Err(fault) if fault.severity == Severity::Error => all.unread.push(fault),
            Err(fault) => faults.push(fault),
        }
    }
    // Whom a text is for can be said with the name of any agent, so all of them are read before.
    let everyone = Agents::new(agents.clone(), &mut Vec::new());
    agents.retain(|agent| {
        let is_own = |name: &Option<String>| {
            let found = name.as_deref().map(|name| everyone.find(name));
            matches!(found, Some(Ok(found)) if everyone.all[found].path == agent.path)
        };
        let is_its_own = scoped.get(&agent.path).is_none_or(|scopes| scopes.iter().all(is_own));
        if !is_its_own {
            faults.push(restricted_instructions(&agent.path, Withheld::OtherAgent));
        }
        is_its_own
    });
    Agents::new(agents, faults)
}

/// Returns whom the text of an agent's file is for by its entry of `documents:`, and by the document that it links to.
fn scopes_of_agent(reader: &InputReader<'_>, path: &RepoPath, raw: &str) -> Vec<Option<String>> {
    let settings = reader.settings;
    let entry = settings.source_of(path).and_then(|source| source.agent.as_ref());
    let mut scopes: Vec<_> = entry.map(|named| Some(named.name.clone())).into_iter().collect();
    if let Some(end) = reader.source().link_end(path).filter(|end| *end != path) {
        if settings.is_agent_file(end) {
            scopes.push(None);
        } else if let Some(rules) = DocumentRules::of(settings, end) {
            scopes.extend(rules.restricting_scopes(raw));
        }
    }
    scopes
}

/// Returns what is wrong with `overview`, and which files of agents the configuration names as documents.
fn misplaced_agents(project: &Project<'_>, config: &RepoPath) -> Vec<Diagnostic> {
    let (settings, source) = (project.reader.settings, project.reader.source());
    let is_agent = |path: &RepoPath| project.reader.leads_to_agent(path);
    let mut faults = Vec::new();
    if let Some(overview) = &settings.overview {
        let mut fault = |message: String, help: &str| {
            let fault = Diagnostic::on_line(Code::InvalidDocument, config, settings.overview_line, message);
            faults.push(fault.help(help));
        };
        if is_agent(overview) {
            let help = "write what the project is in a file that `agents.include` does not match";
            fault(format!("`{overview}` is the file of an agent, so that it is no overview"), help);
        }
        if !source.has(overview) {
            let help = "correct the path of `overview`, or add the file";
            fault(format!("there is no file `{overview}`"), help);
        }
    }
    for path in source.files().iter().filter(|path| is_agent(path)) {
        let Some(entry) = settings.source_of(path) else { continue };
        if project.is_agent_file(path) && !is_named(entry, path) {
            continue;
        }
        let message = format!("`{path}` is the file of an agent, so that it is no document");
        let fault = Diagnostic::in_file(Code::InvalidDocument, path, message)
            .help("take it out of `documents`, or move what all agents should know to another file");
        faults.push(fault.with_severity(Severity::Warning));
    }
    faults
}

/// Returns whether an entry of `documents:` names the folder of a file, rather than all folders that there are.
fn is_named(source: &DocumentSource, path: &RepoPath) -> bool {
    source.include.written.iter().any(|glob| {
        let plain = &glob[..glob.find(['*', '?', '[', '{']).unwrap_or(glob.len())];
        let folder = plain.rfind('/').map_or("", |at| &plain[..at]);
        plain == path.as_str() || !folder.is_empty() && path.is_under(folder)
    })
}

/// Returns what is wrong with jobs: nobody does them, or their instructions or root are missing.
fn job_faults(project: &Project<'_>, agents: &Agents, config: &RepoPath) -> Vec<Diagnostic> {
    let mut faults = Vec::new();
    for (name, job) in &project.reader.settings.jobs {
        let mut fault = |what: String, help: String| {
            let message = format!("the job `{name}` {what}");
            faults.push(Diagnostic::on_line(Code::InvalidAgent, config, job.agent.line, message).help(help));
        };
        if let Err(error) = agents.find(&job.agent.name) {
            fault(format!("is for nobody: {error}"), error.help());
        }
        if !project.reader.source().has(&job.instructions) {
            let what = format!("has no instructions: there is no file `{}`", job.instructions);
            fault(what, "correct its `instructions`, or add the file".to_owned());
        }
        if let Some(root) = job.root.as_ref().filter(|root| project.find(root).is_err()) {
            let what = format!("has no root: `{root}` names no item, or several");
            fault(what, "`contextpack list` shows all".to_owned());
        }
    }
    faults
}

struct DocumentReader<'r, 'p> {
    project: &'r Project<'p>,
    agents: &'r Agents,
    config: &'r RepoPath,
}

impl DocumentReader<'_, '_> {
    fn documents(&self, all: &mut ReadKnowledge) {
        let reader = &self.project.reader;
        let (settings, source) = (reader.settings, reader.source());
        let faults = &mut all.knowledge.diagnostics;
        // A link to a document is that document, which stands for itself.
        let is_other_name =
            |path: &RepoPath| source.link_end(path).is_some_and(|end| DocumentRules::of(settings, end).is_some());
        let files = source.files().iter().chain(source.special_files());
        let named = files.filter_map(|path| Some((path, DocumentRules::of(settings, path)?)));
        let named: Vec<(&RepoPath, DocumentRules<'_>)> =
            named.filter(|(path, _)| !is_other_name(path) && !reader.leads_to_agent(path)).collect();
        let cache = DocumentCache::new(self.project, self.agents);
        let read = named.par_iter().map(|(path, rules)| {
            let mut faults = Vec::new();
            let read = cache.document(path, |faults| self.document(path, *rules, faults), &mut faults);
            (*path, *rules, read, faults)
        });
        let mut documents = Vec::new();
        for (path, rules, read, more) in read.collect::<Vec<_>>() {
            faults.extend(more);
            match read {
                Ok((document, cached)) => {
                    all.cached.extend(cached.map(|cached| (document.path.clone(), cached)));
                    documents.push(Arc::new(document));
                }
                Err(fault) if fault.severity == Severity::Error => all.unread.push(fault),
                Err(fault) => {
                    faults.push(fault);
                    match self.unusable(path, rules, faults) {
                        // The line that names a document with secrets needs none of its text.
                        Some(unusable) if unusable.document.secret => documents.push(Arc::new(unusable.document)),
                        found => all.knowledge.unusable.extend(found),
                    }
                }
            }
        }
        documents.sort_by(|a, b| a.path.cmp(&b.path));
        let overview = documents.iter().find(|document| settings.overview.as_ref() == Some(&document.path));
        faults.extend(overview.and_then(|document| self.no_overview(document)));
        all.knowledge.unusable.sort_by(|a, b| a.document.path.cmp(&b.document.path));
        only_one(&mut documents, DocumentType::ProjectOverview, settings.overview.as_ref(), faults);
        only_one(&mut documents, DocumentType::ProjectUser, None, faults);
        all.knowledge.documents = documents;
    }

    /// Returns why the document that `overview` names is none: its front matter, or its entry, says otherwise.
    fn no_overview(&self, document: &KnowledgeDocument) -> Option<Diagnostic> {
        let (kind, is_own) = (document.kind, matches!(document.scope, Scope::Agent(_)));
        let what = match kind {
            DocumentType::ProjectOverview if is_own => "is for one agent alone".to_owned(),
            DocumentType::ProjectOverview => return None,
            _ => format!("has the `doc_type` `{}`", kind.name()),
        };
        let message = format!("`{}` {what}, so that it is not the overview that `overview` says", document.shown);
        let line = self.project.reader.settings.overview_line;
        let help = format!("remove its `{}`, or name another file", if is_own { "agent" } else { "doc_type" });
        Some(Diagnostic::on_line(Code::InvalidDocument, self.config, line, message).help(help))
    }

    fn document(
        &self,
        path: &RepoPath,
        rules: DocumentRules<'_>,
        faults: &mut Vec<Diagnostic>,
    ) -> Result<KnowledgeDocument, Diagnostic> {
        let raw = self.project.reader.raw(path)?;
        let (text, mut document, stated_title) = self.fields(path, rules, rules.readable(&raw), faults);
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
        add_notes(&self.project.reader, &mut document, stated_title.as_deref(), (&raw, &text.clean), faults)?;
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
        let refusal = self.project.reader.inputs.read(path).err()?;
        let is_special = self.project.reader.is_special(path);
        let reason = if is_special { Refusal::Binary } else { refusal }.omission_reason()?;
        let head = source.head(path).unwrap_or_default();
        let front = front_matter(&head).map_or("", |front| &head[..front.body]);
        let (_, document, _) = self.fields(path, rules, (front, rules.secrecy(&head)), faults);
        Some(UnusableDocument { document, reason })
    }

    /// Redacts the part of a document that may be read; returns it with what its front matter says, and the title there.
    fn fields(
        &self,
        path: &RepoPath,
        rules: DocumentRules<'_>,
        (readable, secrecy): (&str, Secrecy),
        faults: &mut Vec<Diagnostic>,
    ) -> (ParsedText, KnowledgeDocument, Option<Clean>) {
        let reader = &self.project.reader;
        let (shown, text, removals, digest) = reader.file(path, FilePurpose::Document, readable);
        let (path, untrusted) = (path.clone(), reader.distrusts(path));
        let secret = secrecy.is_secret();
        if let Secrecy::Unclear { line, is_field: false } = secrecy {
            let fault = Diagnostic::on_line(Code::InvalidDocument, &path, line, Secrecy::UNCLEAR);
            faults.push(fault.help(Secrecy::UNCLEAR_HELP));
        }
        let file = DocumentFile { path, shown, text: text.clean.clone(), removals, digest, secret, untrusted };
        let (document, front) = KnowledgeDocument::read(file, rules, self.agents, self.config, faults);
        (text, document, front.text(&["title"]).map(|(title, _)| title))
    }
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
            let help = "give one of them another `doc_type`, or remove `overview` from the configuration";
            faults.push(Diagnostic::in_file(Code::InvalidDocument, &document.path, message).help(help));
        }
        !is_second
    });
}

/// Adds the notes on a document, whose file has the text `raw`: those in its front matter, else those in the sidecar file,
/// else those of the extractor. `title` is the one of the front matter.
fn add_notes(
    reader: &InputReader<'_>,
    document: &mut KnowledgeDocument,
    title: Option<&str>,
    (raw, clean): (&str, &Clean),
    faults: &mut Vec<Diagnostic>,
) -> Result<(), Diagnostic> {
    if let Some(line) = conflict_in_markdown(raw) {
        faults.push(conflict_markers(Place::line(document.path.clone(), line), &format!("`{}`", document.shown)));
    }
    let bullets = reader.settings.context.bullets;
    let default = NoteLimits::default();
    // What is written may be as long as what `contextpack notes` writes; what is shown is configured.
    let limits = NoteLimits { bullets: bullets.max(default.bullets), ..default };
    let written = match notes_in_front_matter(document, clean, &limits, faults) {
        Some(notes) => Some((notes, document.path.clone())),
        None => notes_in_sidecar(reader, document, &limits, faults)?,
    };
    let names = [title, Some(document.kind.name()), Some(document.path.stem())];
    let binds = names.into_iter().flatten().any(is_binding);
    let extracted = |body| extract(body, binds, &NoteLimits { bullets, ..default });
    let Some((written, path)) = written else {
        document.notes = Some(extracted(&document.body));
        return Ok(());
    };
    // The digest that `contextpack notes` prints is that of the redacted text below the front matter.
    let (body, line) = front_matter(raw).map_or((0, 1), |front| (front.body, front.body_line));
    let body_digest = || reader.part_digest(&document.path, raw, body..raw.len(), line);
    if written.source_digest.is_some() && written.is_stale(&body_digest()) {
        document.stale_notes = true;
        let message = format!("the notes on `{}` belong to another version of it", document.shown);
        let help = "read them again, then put the `source_digest` that `contextpack notes` prints there, or make \
                    them again with `contextpack notes --write`";
        faults.push(Diagnostic::in_file(Code::StaleNotes, &path, message).help(help));
    }
    // An escape in YAML can hide a secret from the redaction of the file.
    let mut notes = written.redacted(&|text| reader.line("body", text));
    notes.summary.truncate(bullets);
    if document.stale_notes || !written.states_rules {
        // A rule that was added or taken back binds at once.
        notes.rules = extracted(&document.body).rules;
    }
    document.notes = Some(notes);
    Ok(())
}

fn notes_in_front_matter(
    document: &KnowledgeDocument,
    clean: &Clean,
    limits: &NoteLimits,
    faults: &mut Vec<Diagnostic>,
) -> Option<WrittenNotes> {
    let front = front_matter(clean)?;
    if !clean[front.yaml].lines().any(|line| line.trim_start().to_lowercase().starts_with("notes")) {
        return None;
    }
    let read = ReadableDocument::open(clean, limits);
    read.map_err(|found| faults.extend(unusable_notes(&document.path, &found))).ok()?.notes
}

fn notes_in_sidecar(
    reader: &InputReader<'_>,
    document: &mut KnowledgeDocument,
    limits: &NoteLimits,
    faults: &mut Vec<Diagnostic>,
) -> Result<Option<(WrittenNotes, RepoPath)>, Diagnostic> {
    let path = RepoPath::new(&format!("{}{SIDECAR}", document.path)).ok();
    let Some(path) = path.filter(|path| reader.source().has(path)) else { return Ok(None) };
    let raw = match reader.raw(&path) {
        Ok(raw) => raw,
        Err(unreadable) if unreadable.severity == Severity::Error => return Err(unreadable),
        Err(unreadable) => {
            let message = format!("{UNUSABLE}: {}", unreadable.message);
            let fault = Diagnostic::in_file(Code::InvalidNotes, &path, message);
            faults.push(Diagnostic { help: unreadable.help, ..fault });
            return Ok(None);
        }
    };
    let (shown, text, removals, digest) = reader.file(&path, FilePurpose::Document, &raw);
    match WrittenNotes::from_yaml(&text.clean, limits) {
        Ok(notes) => {
            document.untrusted |= reader.distrusts(&path);
            document.notes_file = Some(NotesFile { shown, removals, digest });
            Ok(Some((notes, path)))
        }
        Err(found) => {
            faults.extend(unusable_notes(&path, &found));
            Ok(None)
        }
    }
}

/// Returns the warning about notes that cannot be used: the first fault with its place, and how many there are.
fn unusable_notes(path: &RepoPath, found: &[NotesFault]) -> Option<Diagnostic> {
    let first = found.first()?;
    let more = if found.len() > 1 { format!(" (and {} more)", found.len() - 1) } else { String::new() };
    let (line, column) = first.at.unzip();
    let at = Place { path: path.clone(), line, column };
    let help = first.help.as_deref().unwrap_or("correct them, or remove them to get those of the built-in extractor");
    Some(Diagnostic::new(Code::InvalidNotes, Some(at), format!("{UNUSABLE}: {}{more}", first.message)).help(help))
}
