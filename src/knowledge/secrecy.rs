//! Whether a document holds secrets, and whose it is: what its head says or may say, however carelessly it is written.
//!
//! A front matter that no parser understands must not open a document that its author meant to close. So next to the parser
//! this reads the head of a text as a person would who looks for one word: whatever the format, the quotes, the indent or the
//! characters that nobody sees.

use super::front_matter::scalar;
use crate::config::{DocumentSource, DocumentType, Settings};
use crate::markdown::front_matter::{front_matter, key, near_miss};
use crate::model::{Node, RepoPath, Value, nearest};
use crate::notes::SIDECAR;
use crate::records::read_front_matter;
use std::ops::Range;

/// The fields that mean something in the front matter of a document; others are its author's.
pub(super) const FIELDS: [&str; 9] =
    ["title", "agent", "agent_key", "scope", "pinned", "doc_type", "sensitivity", "weight", "notes"];

/// The fields that state whose a document is; the first that is there counts.
pub(super) const SCOPE_FIELDS: [&str; 3] = ["agent", "agent_key", "scope"];
pub(super) const SENSITIVITIES: [&str; 2] = ["normal", "contains_secrets"];
pub(super) const GLOBAL: &str = "global";
/// The most lines and bytes of a head that no front matter bounds.
const MAX_HEAD_LINES: usize = 200;
const MAX_HEAD_BYTES: usize = 64 << 10;

const UNSEEN: [char; 9] =
    ['\u{feff}', '\u{200b}', '\u{200c}', '\u{200d}', '\u{200e}', '\u{200f}', '\u{2060}', '\u{ad}', '\u{180e}'];

#[derive(Debug, Clone, Copy)]
pub struct DocumentRules<'a> {
    /// The entry of `documents:` that matches it, if it is not the overview alone.
    pub source: Option<&'a DocumentSource>,
    pub is_overview: bool,
}

impl<'a> DocumentRules<'a> {
    /// Returns what the configuration says of a file; `None` if it is no document, which files with notes never are.
    pub fn of(settings: &'a Settings, path: &RepoPath) -> Option<Self> {
        let is_overview = settings.overview.as_ref() == Some(path);
        let source = settings.source_of(path);
        let is_document = (source.is_some() || is_overview) && !path.as_str().ends_with(SIDECAR);
        is_document.then_some(Self { source, is_overview })
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
        let read = read_front_matter(raw);
        let fields: Vec<Secrecy> = read.pairs.iter().map(|(name, node)| secrecy_of(name, node)).collect();
        if self.source.is_some_and(|source| source.is_secret()) || fields.contains(&Secrecy::Secret) {
            return Secrecy::Secret;
        }
        if let Some(unclear) = fields.into_iter().find(|secrecy| secrecy.is_secret()) {
            return unclear;
        }
        // What is nearly a front matter may say so all the same.
        let nearly = near_miss(raw).filter(|_| read.place.is_none()).and_then(|near| {
            let lines = (1..).zip(raw.lines()).skip_while(|(line, _)| *line <= near.line);
            let mut keys = lines.map_while(|(line, text)| Some((line, key(text)?.0)));
            keys.find(|(_, name)| is_about_secrets(name)).map(|(line, _)| line)
        });
        let line = nearly.or_else(|| secret_line(raw));
        line.map_or(Secrecy::Open, |line| Secrecy::Unclear { line, is_field: false })
    }
}

/// Whether a document holds secrets, so that nothing below its front matter is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Secrecy {
    Open,
    Secret,
    /// It counts as secret, since its beginning may say so.
    Unclear {
        line: u32,
        /// Whether it is a field with an unknown name or value, which `KnowledgeDocument::read` reports.
        is_field: bool,
    },
}

impl Secrecy {
    /// The message about a document whose beginning may say that it holds secrets.
    pub const UNCLEAR: &str = "this may say that the document holds secrets, so that it counts as secret";
    pub const UNCLEAR_HELP: &str = "write `sensitivity: contains_secrets` or `sensitivity: normal` in YAML between two lines `---` at the beginning";

    pub fn is_secret(self) -> bool {
        self != Self::Open
    }
}

/// Returns the scopes that a front matter states, in lower case, an empty one as that of everyone; `None` for one that is no text.
pub(super) fn scopes(pairs: &[(String, Node<String>)]) -> Vec<Option<String>> {
    let is_scope = |name: &str| SCOPE_FIELDS.iter().any(|field| field.eq_ignore_ascii_case(name));
    let text = |node: &Node<String>| {
        let text = if node.value == Value::Null { "" } else { scalar(node)?.trim() };
        Some(if text.is_empty() { GLOBAL.to_owned() } else { text.to_lowercase() })
    };
    pairs.iter().filter(|(name, _)| is_scope(name)).map(|(_, node)| text(node)).collect()
}

/// Returns the scopes in the head of a text whose front matter cannot be understood, as [`scopes`] does.
pub(super) fn loose_scopes(text: &str) -> Vec<Option<String>> {
    let read = read_front_matter(text);
    let mut found = Vec::new();
    if read.place.is_none() || read.fault.is_some() {
        let is_scope = |key: &str| ["agent", "agentkey", "scope"].contains(&key);
        loose_fields(text, &mut |_, key, value| found.extend(is_scope(key).then(|| Some(value.to_owned()))));
    }
    found
}

/// Returns whether a field says how secret a document is, or probably should.
pub(super) fn is_about_secrets(key: &str) -> bool {
    let is = |name: &str| ["sensitivity", "doc_type"].contains(&name);
    is(&key.to_lowercase()) || misspelled(key).is_some_and(is)
}

pub(super) fn misspelled(key: &str) -> Option<&'static str> {
    let is_field = FIELDS.iter().any(|field| field.eq_ignore_ascii_case(key));
    if is_field { None } else { nearest(key, FIELDS) }
}

/// Returns what a field says, or may say, about the secrecy of its document.
fn secrecy_of(name: &str, node: &Node<String>) -> Secrecy {
    let text = scalar(node).map(str::trim);
    let credentials = DocumentType::Credentials.name();
    if let Some(text) = text.filter(|_| name.eq_ignore_ascii_case("type")) {
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
        _ => Secrecy::Unclear { line: node.line, is_field: true },
    }
}

/// Returns whether the front matter of a file says that it holds secrets, also where the configuration calls it no document. What
/// is only similar counts for documents alone.
pub fn states_secrets(raw: &str) -> bool {
    const WORDS: [(&str, &str); 2] = [("sensitivity", "containssecrets"), ("doctype", "credentials")];
    let head = front_matter(raw).map_or("", |front| &raw[..front.body]);
    // Few do, and reading it takes time.
    let may = |word: &&str| head.as_bytes().windows(word.len()).any(|part| part.eq_ignore_ascii_case(word.as_bytes()));
    if !["secrets", "credentials"].iter().any(may) {
        return false;
    }
    let plain = |text: &str| letters(text).replace('_', "");
    let states = |field: &str, node: &Node<String>| {
        let is = |node: &Node<String>| scalar(node).is_some_and(|text| WORDS.contains(&(field, &plain(text))));
        if let Value::List(nodes) = &node.value { nodes.iter().any(is) } else { is(node) }
    };
    read_front_matter(raw).pairs.iter().any(|(name, node)| states(&plain(name), node))
}

/// Returns the agents that the front matter of a file says it is for, also where the configuration calls it no document.
pub fn stated_agents(raw: &str) -> Vec<String> {
    let head = front_matter(raw).map_or("", |front| &raw[..front.body]);
    if !head.to_ascii_lowercase().contains("agent") {
        return Vec::new();
    }
    let mut pairs = read_front_matter(raw).pairs;
    // Many a file has a `scope` of another kind.
    pairs.retain(|(name, _)| !name.eq_ignore_ascii_case("scope"));
    let listed = pairs.iter().filter_map(|(name, node)| match &node.value {
        Value::List(nodes) if SCOPE_FIELDS.contains(&name.to_lowercase().as_str()) => Some(nodes),
        _ => None,
    });
    let listed = listed.flatten().filter_map(scalar).map(|name| name.trim().to_lowercase());
    scopes(&pairs).into_iter().flatten().chain(listed).collect()
}

/// Returns the line on which a head says, or may say, that the text holds secrets, at any depth, in any notation.
pub(super) fn secret_line(text: &str) -> Option<u32> {
    let mut found = None;
    loose_fields(text, &mut |line, key, value| {
        if is_credentials(key, value) || key.ends_with("sensitivity") && value != "normal" {
            found = found.or(Some(line));
        }
    });
    found.or_else(|| bare_secret_line(text))
}

fn is_credentials(key: &str, value: &str) -> bool {
    matches!(key, "type" | "doctype") && matches!(value, "credentials" | "credential")
}

/// Returns the line that says so in a text that begins with fields without a fence; values of prose are none.
fn bare_secret_line(text: &str) -> Option<u32> {
    let is_key = |key: &str| {
        let plain = |c: char| c.is_alphanumeric() || c.is_whitespace() || matches!(c, '_' | '-' | '"' | '\'');
        key.chars().all(plain) && (1..=3).contains(&key.split_whitespace().count())
    };
    let bounded = (1..).zip(text.lines()).take(MAX_HEAD_LINES).filter(|(_, line)| line.len() < MAX_HEAD_BYTES);
    for (number, line) in bounded {
        let line = seen(line);
        if line.trim().is_empty() {
            continue;
        }
        let (key, value) = line.split_once(ASSIGNS).filter(|(key, _)| is_key(key))?;
        let [key, value] = [letters(key).replace('_', ""), letters(value).replace('_', "")];
        let is_secret = ["secret", "credential", "confidential"].iter().any(|word| value.contains(word));
        if is_credentials(&key, &value) || key == "sensitivity" && is_secret {
            return Some(number);
        }
    }
    None
}

const ASSIGNS: [char; 4] = [':', '=', '：', '﹕'];

fn seen(line: &str) -> String {
    line.chars().filter(|c| !UNSEEN.contains(c)).collect()
}

fn letters(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric() || *c == '_').flat_map(char::to_lowercase).collect()
}

/// Calls `found` with the line of each field of a head, its name and its value, letters and digits in lower case.
fn loose_fields(text: &str, found: &mut dyn FnMut(u32, &str, &str)) {
    for range in heads(text) {
        let first = 1 + text[..range.start].matches('\n').count();
        let part = unescaped(&text[range]);
        for (number, line) in (first..).zip(part.lines()) {
            let number = u32::try_from(number).unwrap_or(u32::MAX);
            for (key, value) in seen(line).split([',', '{', '}']).filter_map(|field| field.split_once(ASSIGNS)) {
                found(number, &letters(key).replace('_', ""), &letters(value));
            }
        }
    }
}

/// Returns the parts of a text that may be a front matter.
fn heads(text: &str) -> Vec<Range<usize>> {
    match front_matter(text) {
        Some(front) => [Some(front.yaml), opened(text, front.body)].into_iter().flatten().collect(),
        None => opened(text, 0).into_iter().collect(),
    }
}

/// Returns the part of a text behind `start` that begins as a front matter does in some notation.
fn opened(text: &str, start: usize) -> Option<Range<usize>> {
    let seen = text[start..].trim_start_matches(|c: char| c.is_whitespace() || UNSEEN.contains(&c));
    let begins = ["---", "+++", ";;;", "{", "%YAML", "<!--"].iter().any(|mark| seen.starts_with(mark));
    if !begins {
        return None;
    }
    let mut fences = 0;
    let mut end = 0;
    for line in seen.split_inclusive('\n').take(MAX_HEAD_LINES) {
        let is_fence = ["---", "+++", ";;;"].iter().any(|fence| line.starts_with(fence)) || line.trim_end() == "...";
        fences += usize::from(is_fence);
        // The second block may be the one that says it.
        if fences > 3 || end + line.len() > MAX_HEAD_BYTES {
            break;
        }
        end += line.len();
    }
    let start = text.len() - seen.len();
    Some(start..start + end)
}

/// Replaces escapes of ASCII characters (`\u0069`) by the characters.
fn unescaped(text: &str) -> String {
    let mut parts = text.split("\\u00");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        match part.get(..2).and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(byte) => {
                out.push(char::from(byte));
                out.push_str(&part[2..]);
            }
            None => {
                out.push_str("\\u00");
                out.push_str(part);
            }
        }
    }
    out
}
