//! Documents that packs take notes from: their scope, their type, and whether they may be read.

use super::agent::Agents;
use super::choice::SearchTerms;
use super::front_matter::FrontMatter;
use super::secrecy::{
    DocumentRules, GLOBAL, SCOPE_FIELDS, SENSITIVITIES, is_about_secrets, loose_scopes, misspelled, scopes,
};
use crate::config::DocumentType;
use crate::graph::RecordedRemoval;
use crate::model::{Code, Diagnostic, Digest, Place, RepoPath, Severity, did_you_mean};
use crate::notes::Notes;
use crate::redact::Clean;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Scope {
    /// Every agent, and packs without one.
    Global,
    /// The agent with this key alone.
    Agent(#[serde(skip)] Clean),
    /// Nobody, since its agent is not known.
    Nobody,
}

impl Scope {
    /// Returns whether packs for the agent with this key, or without an agent, may hold the document.
    pub fn admits(&self, agent: Option<&Clean>) -> bool {
        match self {
            Self::Global => true,
            Self::Agent(key) => agent == Some(key),
            Self::Nobody => false,
        }
    }
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct KnowledgeDocument {
    #[serde(skip, default = "RepoPath::root")]
    pub path: RepoPath,
    #[serde(skip)]
    pub shown: Clean,
    /// The title: that of the front matter, the first heading of level 1, or the path.
    #[serde(skip)]
    pub title: Clean,
    pub scope: Scope,
    pub pinned: bool,
    pub kind: DocumentType,
    /// Whether it holds secrets, so that nothing below its front matter was read.
    pub secret: bool,
    pub weight: i32,
    #[serde(skip)]
    pub notes: Option<Notes>,
    /// Whether the notes are of another version of the document.
    #[serde(skip)]
    pub stale_notes: bool,
    pub notes_file: Option<NotesFile>,
    /// What the search looks at; nothing if it holds secrets.
    pub search: SearchTerms,
    /// The text below the front matter; empty if it holds secrets, or packs never hold it in full.
    #[serde(skip)]
    pub body: Clean,
    /// The line on which that begins.
    pub body_line: u32,
    pub removals: Vec<RecordedRemoval>,
    pub digest: Digest,
    #[serde(skip)]
    pub untrusted: bool,
}

/// The sidecar file with the notes on a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NotesFile {
    #[serde(skip)]
    pub shown: Clean,
    pub removals: Vec<RecordedRemoval>,
    pub digest: Digest,
}

/// A document whose text can be in no pack, since it is no text or too large: what its front matter says, as far as it has one.
#[derive(Debug)]
pub struct UnusableDocument {
    pub document: KnowledgeDocument,
    pub reason: &'static str,
}

#[derive(Debug, Default)]
pub struct Knowledge {
    pub agents: Agents,
    pub documents: Vec<Arc<KnowledgeDocument>>,
    /// The documents whose text can be in no pack, sorted by path.
    pub unusable: Vec<UnusableDocument>,
    pub diagnostics: Vec<Diagnostic>,
}

impl Knowledge {
    pub fn document(&self, path: &RepoPath) -> Option<&Arc<KnowledgeDocument>> {
        let at = self.documents.binary_search_by(|document| document.path.cmp(path)).ok()?;
        self.documents.get(at)
    }
}

/// What a document's file states, before its notes are made.
pub struct DocumentFile {
    pub path: RepoPath,
    pub shown: Clean,
    pub text: Clean,
    pub removals: Vec<RecordedRemoval>,
    pub digest: Digest,
    /// Whether only its front matter was read, since it holds secrets.
    pub secret: bool,
    pub untrusted: bool,
}

impl KnowledgeDocument {
    /// Returns whether packs hold notes on the document, rather than all of it or nothing.
    pub fn has_notes(&self) -> bool {
        use DocumentType::{AgentSoulTemplate, ProjectOverview, ProjectUser};
        !matches!(self.kind, ProjectOverview | ProjectUser | AgentSoulTemplate)
    }

    /// Returns the title and the notes: what the search compares with the work.
    pub fn title_and_notes<'d>(&'d self) -> impl Iterator<Item = &'d Clean> {
        let texts = |notes: &'d Notes| [&notes.summary, &notes.key_facts, &notes.rules, &notes.keywords];
        // A path in place of a title would match every text that refers to a file.
        let title = Some(&self.title).filter(|title| **title != self.shown);
        title.into_iter().chain(self.notes.iter().flat_map(texts).flatten())
    }

    /// Reads a document, without its notes; what is wrong is added to `faults`.
    pub fn read(
        file: DocumentFile,
        rules: DocumentRules<'_>,
        agents: &Agents,
        config: &RepoPath,
        faults: &mut Vec<Diagnostic>,
    ) -> (Self, FrontMatter) {
        let DocumentFile { path, shown, text, removals, digest, secret, untrusted } = file;
        let front = FrontMatter::read(&text);
        faults.extend(front.fault.as_ref().map(|fault| fault.diagnostic(&path)));
        let here = |line: u32| Place::line(path.clone(), line);
        for (key, line) in front.keys() {
            if let Some(field) = misspelled(key) {
                let so = if is_about_secrets(key) { ", so that the document counts as secret" } else { "" };
                let message = format!("`{key}` is no field of a document{so}");
                let found = Diagnostic::new(Code::InvalidDocument, Some(here(line)), message);
                let severity = if so.is_empty() { Severity::Warning } else { Severity::Error };
                faults.push(Diagnostic { severity, ..found.help(format!("did you mean `{field}`?")) });
            }
        }
        let mut fault = |at: Place, message: String, help: String| {
            faults.push(Diagnostic::new(Code::InvalidDocument, Some(at), message).help(help));
        };
        // A value that is none of these counts as secret.
        let mut choice = |field: &str, what: &str, known: &[&'static str]| {
            let node = front.value(&[field])?;
            let written = front.text(&[field]).map(|(text, _)| text).unwrap_or_default();
            let found = known.iter().position(|name| *name == &*written);
            if found.is_none() {
                let message = format!("`{written}` is no {what} counts as secret");
                fault(here(node.line), message, did_you_mean(&written, known.iter().copied()));
            }
            found
        };
        let kinds = DocumentType::ALL.map(DocumentType::name);
        let stated_kind = choice("doc_type", "type of document, so that it", &kinds);
        choice("sensitivity", "sensitivity, so that the document", &SENSITIVITIES);
        let source = rules.source;
        let kind = match stated_kind {
            Some(stated) => DocumentType::ALL[stated],
            None if rules.is_overview => DocumentType::ProjectOverview,
            None => source.map_or(DocumentType::General, |source| source.kind),
        };
        let configured = source.and_then(|source| source.agent.as_ref());
        let configured = configured.map(|named| (&*named.name, Place::line(config.clone(), named.line)));
        let scope = scope(&front, &text, agents, &here, configured).unwrap_or_else(|(at, message, help)| {
            fault(at, message, help);
            Scope::Nobody
        });
        let mut pinned = source.is_some_and(|source| source.pinned);
        if let Some((written, line)) = front.text(&["pinned"]) {
            match &*written.to_lowercase() {
                "true" | "yes" | "on" => pinned = true,
                "false" | "no" | "off" => pinned = false,
                _ => fault(
                    here(line),
                    format!("`pinned: {written}` is neither true nor false"),
                    "write `true` or `false`".to_owned(),
                ),
            }
        }
        let mut weight = source.map_or(0, |source| source.weight);
        if let Some((written, line)) = front.text(&["weight"]) {
            match written.parse() {
                Ok(written) => weight = written,
                Err(_) => fault(
                    here(line),
                    format!("`weight: {written}` is no whole number"),
                    "write a number, such as 10".to_owned(),
                ),
            }
        }
        let document = Self {
            title: front.text(&["title"]).map(|(title, _)| title).unwrap_or_else(|| shown.clone()),
            path,
            shown,
            scope,
            pinned,
            kind,
            secret,
            weight,
            notes: None,
            stale_notes: false,
            notes_file: None,
            search: SearchTerms::default(),
            body: if secret { Clean::default() } else { front.body.clone() },
            body_line: front.body_line,
            removals,
            digest,
            untrusted,
        };
        (document, front)
    }
}

/// Returns who may see a document, `configured` unless its front matter says so, or what is wrong: place, message and help.
fn scope(
    front: &FrontMatter,
    text: &str,
    agents: &Agents,
    here: &dyn Fn(u32) -> Place,
    configured: Option<(&str, Place)>,
) -> Result<Scope, (Place, String, String)> {
    // Fields that contradict each other, and what only a careless reader finds, are no scope either.
    let all = scopes(front.pairs());
    let is_unclear = all.iter().any(Option::is_none)
        || all.is_empty() && loose_scopes(text).iter().any(|scope| scope.as_deref() != Some(GLOBAL));
    let first = || here(front.value(&SCOPE_FIELDS).map_or(1, |node| node.line));
    if is_unclear {
        let help = "write the stem, key or name of one agent, or `global`".to_owned();
        return Err((first(), "the scope names no agent, so that no pack holds the document".to_owned(), help));
    }
    let meaning = |name: &Option<String>| match name.as_deref()? {
        GLOBAL => Some(None),
        name => agents.find(name).ok().map(Some),
    };
    let is_contradicted = all.windows(2).any(|pair| {
        let [one, other] = [&pair[0], &pair[1]];
        one != other && (meaning(one).is_none() || meaning(one) != meaning(other))
    });
    if is_contradicted {
        let message = "the fields of the scope contradict each other, so that no pack holds the document";
        return Err((first(), message.to_owned(), "keep one of `agent`, `agent_key` and `scope`".to_owned()));
    }
    if !all.is_empty() && all.iter().all(|scope| scope.as_deref() == Some(GLOBAL)) {
        return Ok(Scope::Global);
    }
    let stated = front.text(&SCOPE_FIELDS);
    let stated = stated.as_ref().map(|(name, line)| (&**name, here(*line)));
    let is_own = stated.is_some();
    let what = if is_own { "the document" } else { "its documents" };
    match stated.or(configured) {
        None => Ok(Scope::Global),
        Some((name, at)) => match agents.find(name) {
            Ok(agent) => Ok(Scope::Agent(agents.all[agent].key.clone())),
            Err(error) => Err((at, format!("{error}, so that no pack holds {what}"), error.help())),
        },
    }
}
