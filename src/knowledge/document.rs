//! Documents that packs take notes from: their scope, their type, and whether they may be read.

use super::agent::{Agents, suggestion};
use super::front_matter::FrontMatter;
use super::relevance::SearchTerms;
use super::sensitive::{loose_fields, secret_line};
use crate::config::{DocumentSource, DocumentType, KnowledgeSettings, nearest};
use crate::graph::RecordedRemoval;
use crate::markdown::front_matter::{front_matter, key, near_miss};
use crate::model::{Code, Diagnostic, Digest, Node, Place, RepoPath, Severity, Value};
use crate::notes::{Notes, SIDECAR};
use crate::records::read_front_matter;
use crate::redact::Clean;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Who may see a document.
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

/// A document with its notes.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct KnowledgeDocument {
    /// The file.
    #[serde(skip, default = "RepoPath::root")]
    pub path: RepoPath,
    /// The redacted path.
    #[serde(skip)]
    pub shown: Clean,
    /// The title: that of the front matter, the first heading of level 1, or the path.
    #[serde(skip)]
    pub title: Clean,
    /// Who may see it.
    pub scope: Scope,
    /// Whether packs hold it without being asked.
    pub pinned: bool,
    /// What it is.
    pub kind: DocumentType,
    /// Whether it holds secrets, so that nothing below its front matter was read.
    pub secret: bool,
    /// How much it matters among pinned documents.
    pub weight: i32,
    /// The notes; `None` if it holds secrets.
    #[serde(skip)]
    pub notes: Option<Notes>,
    /// Whether the notes are of another version of the document.
    #[serde(skip)]
    pub stale_notes: bool,
    /// The sidecar file that the notes are from.
    pub notes_file: Option<NotesFile>,
    /// What the search looks at; nothing if it holds secrets.
    pub search: SearchTerms,
    /// The text below the front matter; empty if it holds secrets, or packs never hold it in full.
    #[serde(skip)]
    pub body: Clean,
    /// The line on which that begins.
    pub body_line: u32,
    /// The redactions in what was read.
    pub removals: Vec<RecordedRemoval>,
    /// The digest of what was read.
    pub digest: Digest,
    /// Whether an untrusted author could have put the file there.
    #[serde(skip)]
    pub untrusted: bool,
}

/// The sidecar file with the notes on a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NotesFile {
    /// The redacted path.
    #[serde(skip)]
    pub shown: Clean,
    /// The redactions in it.
    pub removals: Vec<RecordedRemoval>,
    /// The digest of its redacted text.
    pub digest: Digest,
}

/// A document whose text can be in no pack, since it is no text or too large: what its front matter says, as far as it has one.
#[derive(Debug)]
pub struct UnusableDocument {
    /// The document.
    pub document: KnowledgeDocument,
    /// The reason of its omission.
    pub reason: &'static str,
}

/// The agents and documents of a repo.
#[derive(Debug, Default)]
pub struct Knowledge {
    /// The agents.
    pub agents: Agents,
    /// The documents, sorted by path.
    pub documents: Vec<Arc<KnowledgeDocument>>,
    /// The documents whose text can be in no pack, sorted by path.
    pub unusable: Vec<UnusableDocument>,
    /// What is wrong with them.
    pub diagnostics: Vec<Diagnostic>,
}

impl Knowledge {
    /// Returns the document at a path.
    pub fn document(&self, path: &RepoPath) -> Option<&Arc<KnowledgeDocument>> {
        let at = self.documents.binary_search_by(|document| document.path.cmp(path)).ok()?;
        self.documents.get(at)
    }
}

/// What the configuration says of a document.
#[derive(Debug, Clone, Copy)]
pub struct DocumentRules<'a> {
    /// The entry of `documents:` that matches it, if it is not the overview alone.
    pub source: Option<&'a DocumentSource>,
    /// Whether `overview:` names it.
    pub is_overview: bool,
}

/// The fields that state whose a document is; the first that is there counts.
const SCOPE_FIELDS: [&str; 3] = ["agent", "agent_key", "scope"];

/// The values of `sensitivity`.
const SENSITIVITIES: [&str; 2] = ["normal", "contains_secrets"];

impl<'a> DocumentRules<'a> {
    /// Returns what the configuration says of a file; `None` if it is no document, which files with notes never are.
    pub fn of(settings: &'a KnowledgeSettings, path: &RepoPath) -> Option<Self> {
        if path.as_str().ends_with(SIDECAR) {
            return None;
        }
        let is_overview = settings.overview.as_ref() == Some(path);
        let source = settings.source_of(path);
        (source.is_some() || is_overview).then_some(Self { source, is_overview })
    }

    /// Returns whether a document with this text is not for everyone.
    pub fn is_scoped(&self, raw: &str) -> bool {
        !self.restricting_scopes(raw).is_empty()
    }

    /// Returns the scopes of a document with this text but that of everyone; `None` for one that is no text.
    pub fn restricting_scopes(&self, raw: &str) -> Vec<Option<String>> {
        let mut stated = scopes(&read_front_matter(raw).pairs);
        if stated.is_empty() {
            stated = loose_scopes(raw);
        }
        if stated.is_empty() {
            let configured = self.source.and_then(|source| source.agent.as_ref());
            return configured.map(|named| Some(named.name.clone())).into_iter().collect();
        }
        stated.retain(|scope| scope.as_deref() != Some(GLOBAL));
        stated
    }

    /// Returns the part of a raw text that may be read: all of it, or the front matter alone if it may hold secrets.
    pub fn readable<'t>(&self, raw: &'t str) -> (&'t str, Secrecy) {
        match self.secrecy(raw) {
            Secrecy::Open => (raw, Secrecy::Open),
            secrecy => (front_matter(raw).map_or("", |front| &raw[..front.body]), secrecy),
        }
    }

    /// Returns whether a document with this text holds secrets. What cannot be understood counts as a secret.
    pub fn secrecy(&self, raw: &str) -> Secrecy {
        if self.source.is_some_and(|source| source.is_secret()) {
            return Secrecy::Secret;
        }
        let read = read_front_matter(raw);
        let nearly = near_miss(raw).filter(|_| read.place.is_none());
        let fields: Vec<Secrecy> = read.pairs.iter().map(secrecy_of).collect();
        if fields.contains(&Secrecy::Secret) {
            return Secrecy::Secret;
        }
        if let Some(unclear) = fields.into_iter().find(|secrecy| secrecy.is_secret()) {
            return unclear;
        }
        // What is nearly a front matter may say so all the same.
        let says_so = |near: crate::markdown::front_matter::NearMiss| {
            let lines = (1..).zip(raw.lines()).skip_while(|(line, _)| *line <= near.line);
            let mut keys = lines.map_while(|(line, text)| Some((line, key(text)?.0)));
            keys.find(|(_, name)| is_about_secrets(name)).map(|(line, _)| line)
        };
        let line = nearly.and_then(says_so).or_else(|| secret_line(raw));
        line.map_or(Secrecy::Open, |line| Secrecy::Unclear { line, is_field: false })
    }
}

/// Whether a document holds secrets, so that nothing below its front matter is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Secrecy {
    /// It does not.
    Open,
    /// Its entry or its front matter says so.
    Secret,
    /// It counts as secret, since its beginning may say so.
    Unclear {
        /// Where, from 1.
        line: u32,
        /// Whether it is a field with an unknown name or value, which [`KnowledgeDocument::read`] reports.
        is_field: bool,
    },
}

impl Secrecy {
    /// The message about a document whose beginning may say that it holds secrets.
    pub const UNCLEAR: &str = "this may say that the document holds secrets, so that it counts as secret";
    /// What to do about that.
    pub const UNCLEAR_HELP: &str = "write `sensitivity: contains_secrets` or `sensitivity: normal` in YAML between two lines `---` at the beginning";

    /// Returns whether the document counts as secret.
    pub fn is_secret(self) -> bool {
        self != Self::Open
    }
}

/// The scope of every agent.
const GLOBAL: &str = "global";

/// Returns the scopes that a front matter states, in lower case; `None` for one that is no text.
fn scopes(pairs: &[(String, Node<String>)]) -> Vec<Option<String>> {
    let is_scope = |name: &str| SCOPE_FIELDS.iter().any(|field| field.eq_ignore_ascii_case(name));
    let text = |node: &Node<String>| match &node.value {
        Value::Scalar { text, .. } if !text.trim().is_empty() => Some(text.trim().to_lowercase()),
        _ => None,
    };
    pairs.iter().filter(|(name, _)| is_scope(name)).map(|(_, node)| text(node)).collect()
}

/// Returns the scopes in the head of a text whose front matter cannot be understood, as [`scopes`] does.
fn loose_scopes(text: &str) -> Vec<Option<String>> {
    let read = read_front_matter(text);
    let mut found = Vec::new();
    if read.place.is_none() || read.fault.is_some() {
        loose_fields(text, &mut |_, key, value| {
            if ["agent", "agentkey", "scope"].contains(&key) {
                found.push(Some(value.to_owned()));
            }
        });
    }
    found
}

/// Returns whether a field says how secret a document is, or probably should.
fn is_about_secrets(key: &str) -> bool {
    let is = |name: &str| ["sensitivity", "doc_type"].contains(&name);
    is(&key.to_lowercase()) || misspelled(key).is_some_and(is)
}

/// The fields that mean something in the front matter of a document; others are its author's.
const FIELDS: [&str; 9] =
    ["title", "agent", "agent_key", "scope", "pinned", "doc_type", "sensitivity", "weight", "notes"];

/// Returns the field that a key is probably meant to be, if it is none.
fn misspelled(key: &str) -> Option<&'static str> {
    let is_field = FIELDS.iter().any(|field| field.eq_ignore_ascii_case(key));
    if is_field { None } else { nearest(key, FIELDS) }
}

/// Returns what a field says, or may say, about the secrecy of its document.
fn secrecy_of((name, node): &(String, Node<String>)) -> Secrecy {
    let unclear = Secrecy::Unclear { line: node.line, is_field: true };
    let text = match &node.value {
        Value::Scalar { text, .. } => Some(text.trim()),
        _ => None,
    };
    let credentials = DocumentType::Credentials.name();
    if let Some(text) = text
        && name.eq_ignore_ascii_case("type")
    {
        return if text.eq_ignore_ascii_case(credentials) { Secrecy::Secret } else { Secrecy::Open };
    }
    if !is_about_secrets(name) {
        return Secrecy::Open;
    }
    let is_known = |text: &str| DocumentType::ALL.into_iter().any(|kind| kind.name() == text);
    match (name.to_lowercase().as_str(), text) {
        ("sensitivity", Some("normal")) => Secrecy::Open,
        ("sensitivity", Some("contains_secrets")) => Secrecy::Secret,
        ("doc_type", Some(text)) if text == credentials => Secrecy::Secret,
        ("doc_type", Some(text)) if is_known(text) => Secrecy::Open,
        _ => unclear,
    }
}

/// What a document's file states, before its notes are made.
pub struct DocumentFile {
    /// The file.
    pub path: RepoPath,
    /// The redacted path.
    pub shown: Clean,
    /// The redacted text that was read.
    pub text: Clean,
    /// The redactions in it.
    pub removals: Vec<RecordedRemoval>,
    /// Its digest.
    pub digest: Digest,
    /// Whether only its front matter was read, since it holds secrets.
    pub secret: bool,
    /// Whether an untrusted author could have put it there.
    pub untrusted: bool,
}

impl KnowledgeDocument {
    /// Returns whether packs hold notes on the document, rather than all of it or nothing.
    pub fn has_notes(&self) -> bool {
        use DocumentType::{AgentSoulTemplate, ProjectOverview, ProjectUser};
        !matches!(self.kind, ProjectOverview | ProjectUser | AgentSoulTemplate)
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
        let kinds = DocumentType::ALL.map(DocumentType::name);
        let mut kind = rules.source.map_or(DocumentType::General, |source| source.kind);
        if rules.is_overview {
            kind = DocumentType::ProjectOverview;
        }
        if let Some(node) = front.value(&["doc_type"]) {
            let written = front.text(&["doc_type"]).map(|(text, _)| text).unwrap_or_default();
            match DocumentType::ALL.into_iter().find(|kind| kind.name() == &*written) {
                Some(written) => kind = written,
                None => {
                    let message = format!("`{written}` is no type of document, so that it counts as secret");
                    fault(here(node.line), message, suggestion(&written, &kinds));
                }
            }
        }
        if let Some(node) = front.value(&["sensitivity"]) {
            let written = front.text(&["sensitivity"]).map(|(text, _)| text).unwrap_or_default();
            if !SENSITIVITIES.contains(&&*written) {
                let message = format!("`{written}` is no sensitivity, so that the document counts as secret");
                fault(here(node.line), message, suggestion(&written, &SENSITIVITIES));
            }
        }
        let scope_node = front.value(&SCOPE_FIELDS);
        let stated = front.text(&SCOPE_FIELDS);
        let configured = rules.source.and_then(|source| source.agent.as_ref());
        // Fields that contradict each other, and what only a careless reader finds, are no scope either.
        let all = scopes(front.pairs());
        let meaning = |name: &Option<String>| match name.as_deref()? {
            GLOBAL => Some(None),
            name => agents.find(name).ok().map(Some),
        };
        let is_contradicted = all.windows(2).any(|pair| {
            let [one, other] = [&pair[0], &pair[1]];
            one != other && (meaning(one).is_none() || meaning(one) != meaning(other))
        });
        let is_unclear = all.iter().any(Option::is_none)
            || all.is_empty() && loose_scopes(&text).iter().any(|scope| scope.as_deref() != Some(GLOBAL));
        let scope = match (&stated, configured) {
            _ if is_contradicted && !is_unclear => {
                let line = scope_node.map_or(1, |node| node.line);
                let message = "the fields of the scope contradict each other, so that no pack holds the document";
                fault(here(line), message.to_owned(), "keep one of `agent`, `agent_key` and `scope`".to_owned());
                Scope::Nobody
            }
            _ if is_unclear => {
                let line = scope_node.map_or(1, |node| node.line);
                let help = "write the stem, key or name of one agent, or `global`".to_owned();
                fault(here(line), "the scope names no agent, so that no pack holds the document".to_owned(), help);
                Scope::Nobody
            }
            (Some((name, _)), _) if name.eq_ignore_ascii_case(GLOBAL) => Scope::Global,
            (None, None) => Scope::Global,
            (Some((name, line)), _) => match agents.find(name) {
                Ok(agent) => Scope::Agent(agents.all[agent].key.clone()),
                Err(error) => {
                    fault(here(*line), format!("{error}, so that no pack holds the document"), error.help());
                    Scope::Nobody
                }
            },
            (None, Some(named)) => match agents.find(&named.name) {
                Ok(agent) => Scope::Agent(agents.all[agent].key.clone()),
                Err(error) => {
                    let at = Place::line(config.clone(), named.line);
                    fault(at, format!("{error}, so that no pack holds its documents"), error.help());
                    Scope::Nobody
                }
            },
        };
        let mut pinned = rules.source.is_some_and(|source| source.pinned);
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
        let mut weight = rules.source.map_or(0, |source| source.weight);
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
        let title = front.text(&["title"]).map(|(title, _)| title).unwrap_or_else(|| shown.clone());
        let document = Self {
            path,
            shown,
            title,
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
