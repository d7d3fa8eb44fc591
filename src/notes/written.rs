//! Notes that were written down: by people or by any program, in front matter, a sidecar file or what `--from` names.

use super::{NoteLimits, Notes, QuotableText};
use crate::markdown::front_matter::{front_matter, near_miss};
use crate::model::{Digest, did_you_mean, quoted};
use crate::redact::{Clean, CleanBuf};
use crate::yaml::{Position, YamlDialect, YamlNode, YamlValue, documents};
use std::ops::Range;
use thiserror::Error;

/// What follows the name of a document in that of its sidecar file.
pub const SIDECAR: &str = ".notes.yml";
const LISTS: [&str; 4] = ["summary", "key_facts", "rules", "keywords"];
const DIGEST: &str = "source_digest";
const LONGEST: usize = 1_000;

/// Notes as written, not redacted yet.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct WrittenNotes {
    lists: [Vec<String>; 4],
    /// Whether they have the key `rules`: without it the rules are those of the document.
    pub states_rules: bool,
    /// The digest of the redacted text below the front matter that the notes belong to, as `sha256:` and 64 digits.
    pub source_digest: Option<String>,
}

/// Why written notes cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{message}")]
pub struct NotesFault {
    pub at: Option<(u32, u32)>,
    pub message: String,
    pub help: Option<String>,
}

impl NotesFault {
    pub fn new(at: Option<Position>, message: impl Into<String>, help: &str) -> Self {
        let help = Some(help.to_owned()).filter(|help| !help.is_empty());
        Self { at: at.map(|at| (at.line, at.column)), message: message.into(), help }
    }
}

impl WrittenNotes {
    /// # Errors
    /// Everything that is wrong with it, in order.
    pub fn from_yaml(text: &str, limits: &NoteLimits) -> Result<Self, Vec<NotesFault>> {
        let (documents, error) = documents(text, YamlDialect::Settings);
        if let Some(error) = error {
            return Err(vec![NotesFault::new(Some(error.at), format!("it is not YAML: {}", error.kind), "")]);
        }
        match documents.first() {
            Some(node) => Self::from_node(node, 1, limits),
            None => Err(vec![NotesFault::new(None, "the file is empty", "delete it, or add `summary:`")]),
        }
    }

    /// Reads `notes:` of front matter that begins on `first_line`, or all of a sidecar file.
    pub(super) fn from_node(node: &YamlNode, first_line: u32, limits: &NoteLimits) -> Result<Self, Vec<NotesFault>> {
        let mut faults = Vec::new();
        let at = |at: Position| Some(Position { line: at.line + first_line - 1, ..at });
        let YamlValue::Map(pairs) = &node.value else {
            let help = format!("its keys are {}", quoted(LISTS.into_iter().chain([DIGEST])));
            return Err(vec![NotesFault::new(at(node.at), "notes are a map", &help)]);
        };
        let most = [limits.bullets, limits.key_facts, limits.rules, limits.keywords];
        let mut notes = Self::default();
        for (key, value) in pairs {
            let mut fault = |place: Position, message: String, help: &str| {
                faults.push(NotesFault::new(at(place), message, help));
            };
            let name = key.text.as_str();
            let Some(index) = LISTS.iter().position(|list| *list == name) else {
                match &value.value {
                    // What other programs write too; the digest says of which text the notes are.
                    _ if name == "extracted_at" => {}
                    _ if name != DIGEST => {
                        let help = did_you_mean(name, LISTS.into_iter().chain([DIGEST]));
                        fault(key.at, format!("`{name}` is no key of notes"), &help);
                    }
                    YamlValue::Scalar { text, .. } if Digest::parse(text).is_some() => {
                        notes.source_digest = Some(text.clone())
                    }
                    _ => {
                        let help = "remove the line, or run `contextpack notes --write`";
                        fault(value.at, format!("`{DIGEST}` is not `sha256:` and 64 hexadecimal digits"), help);
                    }
                }
                continue;
            };
            notes.states_rules |= name == "rules";
            let entries = match &value.value {
                YamlValue::Null => &[],
                YamlValue::List(entries) => &**entries,
                _ => {
                    let help = "begin each entry with `- ` on a line of its own";
                    fault(value.at, format!("`{name}` is not a list of texts"), help);
                    continue;
                }
            };
            for entry in entries {
                match &entry.value {
                    YamlValue::Scalar { text, .. } => notes.lists[index].push(text.clone()),
                    _ => {
                        let help = "put a text with `: ` in quotation marks";
                        fault(entry.at, format!("an entry of `{name}` is not a text"), help);
                    }
                }
            }
            if let Some(message) = over_limit(name, &notes.lists[index], most[index]) {
                fault(value.at, message, "");
            }
        }
        if faults.is_empty() { Ok(notes) } else { Err(faults) }
    }

    /// Returns whether the notes belong to another text than the document with this digest; `false` if they do not say.
    pub fn is_stale(&self, source: &Digest) -> bool {
        self.source_digest.as_ref().is_some_and(|digest| *digest != source.to_string())
    }

    /// Returns the notes with each text redacted by `clean`, on one line each.
    pub fn redacted(&self, clean: &dyn Fn(&str) -> Clean) -> Notes {
        let line = |text: &String| CleanBuf::new().line(&clean(text)).finish();
        let [summary, key_facts, rules, keywords] = self.lists.each_ref().map(|list| list.iter().map(line).collect());
        Notes { summary, key_facts, rules, keywords, ..Notes::default() }
    }
}

#[derive(Debug)]
pub struct ReadableDocument {
    pub body: Range<usize>,
    pub body_line: u32,
    /// `title` of the front matter, not redacted.
    pub title: Option<String>,
    /// `doc_type` of the front matter, not redacted.
    pub doc_type: Option<String>,
    pub notes: Option<WrittenNotes>,
}

impl ReadableDocument {
    /// Reads the front matter of a document that holds no secrets.
    ///
    /// # Errors
    /// If its front matter cannot be understood.
    pub fn open(text: &str, limits: &NoteLimits) -> Result<Self, Vec<NotesFault>> {
        let fault = |line, column, message: String, help: Option<&str>| {
            vec![NotesFault { at: Some((line, column)), message, help: help.map(str::to_owned) }]
        };
        let whole = Self { body: 0..text.len(), body_line: 1, title: None, doc_type: None, notes: None };
        let Some(found) = front_matter(text) else {
            return match near_miss(text) {
                Some(near) => Err(fault(near.line, 1, format!("the front matter {}", near.why), Some(near.help))),
                None => Ok(whole),
            };
        };
        let (nodes, error) = documents(&text[found.yaml.clone()], YamlDialect::Data);
        if let Some(error) = error {
            let line = error.at.line + found.yaml_line - 1;
            return Err(fault(line, error.at.column, format!("the front matter is not YAML: {}", error.kind), None));
        }
        let mut document = Self { body: found.body..text.len(), body_line: found.body_line, ..whole };
        let Some(YamlNode { value: YamlValue::Map(pairs), .. }) = nodes.first() else { return Ok(document) };
        let mut faults = Vec::new();
        for (key, node) in pairs {
            match key.text.trim().to_lowercase().replace('-', "_").as_str() {
                "doc_type" => document.doc_type = scalar(node).map(|text| text.trim().to_lowercase()),
                "title" => document.title = scalar(node).map(str::to_owned),
                "notes" => match WrittenNotes::from_node(node, found.yaml_line, limits) {
                    Ok(notes) => document.notes = Some(notes),
                    Err(more) => faults.extend(more),
                },
                _ => {}
            }
        }
        if faults.is_empty() { Ok(document) } else { Err(faults) }
    }
}

fn scalar(node: &YamlNode) -> Option<&str> {
    match &node.value {
        YamlValue::Scalar { text, .. } => Some(text),
        _ => None,
    }
}

impl Notes {
    /// Returns the rules that are not in the document word for word.
    pub fn misquoted(&self, document: &Clean) -> Vec<&Clean> {
        let text = QuotableText::of(document);
        self.rules.iter().filter(|rule| !text.holds(rule)).collect()
    }

    /// Returns the notes as a sidecar file: the same notes give the same bytes.
    pub fn sidecar(&self, source: &Digest) -> String {
        let mut text = format!("source_digest: {source}\n");
        let lists = [&self.summary, &self.key_facts, &self.rules, &self.keywords];
        for (name, list) in LISTS.into_iter().zip(lists) {
            text.push_str(name);
            text.push_str(if list.is_empty() { ": []\n" } else { ":\n" });
            for entry in list {
                // A JSON string is a YAML scalar in double quotation marks.
                text.push_str(&format!("  - {}\n", serde_json::Value::from(entry.as_str())));
            }
        }
        text
    }
}

fn over_limit(name: &str, list: &[String], most: usize) -> Option<String> {
    if list.len() > most {
        return Some(format!("`{name}` has {} entries; {most} are the most", list.len()));
    }
    if list.iter().any(|entry| entry.chars().count() > LONGEST) {
        return Some(format!("an entry of `{name}` has more than {LONGEST} characters"));
    }
    list.iter().any(|entry| entry.trim().is_empty()).then(|| format!("an entry of `{name}` is empty"))
}
