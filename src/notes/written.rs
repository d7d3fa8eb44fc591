//! Notes that were written down: by people in front matter or a sidecar file, by a program as its answer.

use super::{NoteLimits, Notes, QuotableText};
use crate::model::Digest;
use crate::redact::Clean;
use crate::yaml::{Position, YamlDialect, YamlNode, YamlValue, documents};
use serde::Deserialize;
use thiserror::Error;

/// What follows the name of a document in that of its sidecar file.
pub const SIDECAR: &str = ".notes.yml";

/// The fields.
const FIELDS: [&str; 5] = ["summary", "key_facts", "rules", "keywords", "source_digest"];
/// The longest entry, in characters.
const LONGEST: usize = 1_000;

/// Notes as written, not redacted yet.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct WrittenNotes {
    /// See [`Notes::summary`].
    pub summary: Vec<String>,
    /// See [`Notes::key_facts`].
    pub key_facts: Vec<String>,
    /// See [`Notes::rules`].
    pub rules: Vec<String>,
    /// See [`Notes::keywords`].
    pub keywords: Vec<String>,
    /// The digest of the redacted text below the front matter that the notes belong to, as `sha256:` and 64 digits.
    pub source_digest: Option<String>,
}

/// Why written notes cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{message}")]
pub struct NotesFault {
    /// The line and the column in the file, if known.
    pub at: Option<(u32, u32)>,
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub help: Option<String>,
}

impl NotesFault {
    fn new(at: Option<Position>, message: impl Into<String>) -> Self {
        Self { at: at.map(|at| (at.line, at.column)), message: message.into(), help: None }
    }

    fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

impl WrittenNotes {
    /// Reads a sidecar file.
    ///
    /// # Errors
    /// Everything that is wrong with it, in order.
    pub fn from_yaml(text: &str, limits: &NoteLimits) -> Result<Self, Vec<NotesFault>> {
        let (documents, error) = documents(text, YamlDialect::Settings);
        if let Some(error) = error {
            return Err(vec![NotesFault::new(Some(error.at), format!("it is not YAML: {}", error.kind))]);
        }
        match documents.first() {
            Some(node) => Self::from_node(node, 1, limits),
            None => Err(vec![NotesFault::new(None, "the file is empty").help("delete it, or add `summary:`")]),
        }
    }

    /// Reads the value of `notes:` in front matter, or all of a sidecar file.
    ///
    /// `first_line` is the line of the file on which the YAML begins.
    ///
    /// # Errors
    /// Everything that is wrong with it, in order.
    pub(super) fn from_node(node: &YamlNode, first_line: u32, limits: &NoteLimits) -> Result<Self, Vec<NotesFault>> {
        let mut faults = Vec::new();
        let at = |at: Position| Some(Position { line: at.line + first_line - 1, ..at });
        let YamlValue::Map(pairs) = &node.value else {
            let fault = NotesFault::new(at(node.at), "notes are a map").help(format!("its keys are {}", listed()));
            return Err(vec![fault]);
        };
        let mut notes = Self::default();
        for (key, value) in pairs {
            let list = match key.text.as_str() {
                "summary" => &mut notes.summary,
                "key_facts" => &mut notes.key_facts,
                "rules" => &mut notes.rules,
                "keywords" => &mut notes.keywords,
                "source_digest" => {
                    match &value.value {
                        YamlValue::Scalar { text, .. } if is_digest(text) => notes.source_digest = Some(text.clone()),
                        _ => faults.push(
                            NotesFault::new(at(value.at), "`source_digest` is not `sha256:` and 64 hexadecimal digits")
                                .help("remove the line, or run `contextpack notes --write`"),
                        ),
                    }
                    continue;
                }
                unknown => {
                    let fault = NotesFault::new(at(key.at), format!("`{unknown}` is no key of notes"));
                    faults.push(fault.help(match nearest(unknown) {
                        Some(name) => format!("did you mean `{name}`?"),
                        None => format!("the keys are {}", listed()),
                    }));
                    continue;
                }
            };
            match &value.value {
                YamlValue::Null => {}
                YamlValue::List(entries) => {
                    for entry in entries {
                        match &entry.value {
                            YamlValue::Scalar { text, .. } => list.push(text.clone()),
                            _ => faults.push(
                                NotesFault::new(at(entry.at), format!("an entry of `{}` is not a text", key.text))
                                    .help("put a text with `: ` in quotation marks"),
                            ),
                        }
                    }
                }
                _ => faults.push(
                    NotesFault::new(at(value.at), format!("`{}` is not a list of texts", key.text))
                        .help("begin each entry with `- ` on a line of its own"),
                ),
            }
            faults.extend(over_limit(&key.text, list, limits).map(|message| NotesFault::new(at(value.at), message)));
        }
        if faults.is_empty() { Ok(notes) } else { Err(faults) }
    }

    /// Reads the answer of a program, which is JSON.
    ///
    /// # Errors
    /// The first thing that is wrong with it.
    pub fn from_json(answer: &[u8], limits: &NoteLimits) -> Result<Self, NotesFault> {
        // A list would be read as the fields in order.
        if !answer.trim_ascii_start().starts_with(b"{") {
            return Err(NotesFault::new(None, "the answer is not a JSON object"));
        }
        let notes: Self = serde_json::from_slice(answer).map_err(|error| {
            let at = u32::try_from(error.line()).ok().zip(u32::try_from(error.column()).ok());
            NotesFault { at, message: format!("the answer is not notes: {error}"), help: None }
        })?;
        let lists = [
            ("summary", &notes.summary),
            ("key_facts", &notes.key_facts),
            ("rules", &notes.rules),
            ("keywords", &notes.keywords),
        ];
        let fault = lists.into_iter().find_map(|(name, list)| over_limit(name, list, limits));
        match fault {
            Some(message) => Err(NotesFault::new(None, message)),
            None => Ok(notes),
        }
    }

    /// Returns the first rule that does not stand in the document word for word.
    pub fn misquoted(&self, document: &Clean) -> Option<&str> {
        let text = QuotableText::of(document);
        self.rules.iter().map(String::as_str).find(|rule| !text.holds(rule))
    }

    /// Returns whether the notes belong to another text than the document with this digest; `false` if they do not say.
    pub fn is_stale(&self, source: &Digest) -> bool {
        self.source_digest.as_ref().is_some_and(|digest| *digest != source.to_string())
    }

    /// Returns the notes with each text redacted by `clean`, on one line each.
    pub fn redacted(&self, clean: &dyn Fn(&str) -> Clean) -> Notes {
        let line = |text: &String| crate::redact::CleanBuf::new().line(&clean(text)).finish();
        let list = |texts: &[String]| texts.iter().map(line).collect();
        Notes {
            summary: list(&self.summary),
            key_facts: list(&self.key_facts),
            rules: list(&self.rules),
            keywords: list(&self.keywords),
            ..Notes::default()
        }
    }
}

impl Notes {
    /// Returns the notes as a sidecar file: the same notes give the same bytes.
    pub fn sidecar(&self, source: &Digest) -> String {
        let mut text = format!("source_digest: {source}\n");
        let lists = [
            ("summary", &self.summary),
            ("key_facts", &self.key_facts),
            ("rules", &self.rules),
            ("keywords", &self.keywords),
        ];
        for (name, list) in lists {
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

/// Returns why a list is too long, or an entry of it is too long or empty.
fn over_limit(name: &str, list: &[String], limits: &NoteLimits) -> Option<String> {
    let most = match name {
        "summary" => limits.bullets,
        "rules" => limits.rules,
        "key_facts" => limits.key_facts,
        _ => limits.keywords,
    };
    if list.len() > most {
        return Some(format!("`{name}` has {} entries; {most} are the most", list.len()));
    }
    if list.iter().any(|entry| entry.chars().count() > LONGEST) {
        return Some(format!("an entry of `{name}` has more than {LONGEST} characters"));
    }
    list.iter().any(|entry| entry.trim().is_empty()).then(|| format!("an entry of `{name}` is empty"))
}

fn is_digest(text: &str) -> bool {
    let is_hex = |b: u8| b.is_ascii_digit() || (b'a'..=b'f').contains(&b);
    text.strip_prefix("sha256:").is_some_and(|hex| hex.len() == 64 && hex.bytes().all(is_hex))
}

/// Returns the key that `name` almost spells.
fn nearest(name: &str) -> Option<&'static str> {
    let name = name.to_lowercase().replace(['-', ' '], "_");
    FIELDS
        .into_iter()
        .map(|field| (strsim::damerau_levenshtein(&name, field), field))
        .filter(|(distance, field)| *distance <= 2 || name.len() >= 4 && field.starts_with(&name))
        .min()
        .map(|(_, field)| field)
}

fn listed() -> String {
    FIELDS.map(|field| format!("`{field}`")).join(", ")
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    fn faults(text: &str) -> Vec<String> {
        let shown = |fault: NotesFault| {
            let (line, column) = fault.at.unwrap_or_default();
            format!("{line}:{column} {} ({})", fault.message, fault.help.unwrap_or_default())
        };
        WrittenNotes::from_yaml(text, &NoteLimits::default()).unwrap_err().into_iter().map(shown).collect()
    }

    #[test]
    fn a_sidecar_is_read_as_it_was_written() {
        let source = Digest::of("text");
        let notes = Notes {
            summary: vec![Clean::literal("Uses `a: b` \"quoted\" — 日本 \\ #1")],
            rules: vec![Clean::literal("- Never: commit"), Clean::literal("yes")],
            ..Notes::default()
        };
        let text = notes.sidecar(&source);
        let read = WrittenNotes::from_yaml(&text, &NoteLimits::default()).unwrap();
        assert_eq!(read.redacted(&|text| Clean::literal(text.to_owned().leak())), notes);
        assert!(!read.is_stale(&source) && read.is_stale(&Digest::of("other")));
        assert!(!WrittenNotes::default().is_stale(&source));
    }

    #[test]
    fn faults_name_their_place_and_what_to_do() {
        assert_eq!(
            faults("summary: one\nrule:\n  - x\nkeywords:\n  - a: b\nsource_digest: 12\n"),
            [
                "1:10 `summary` is not a list of texts (begin each entry with `- ` on a line of its own)",
                "2:1 `rule` is no key of notes (did you mean `rules`?)",
                "5:5 an entry of `keywords` is not a text (put a text with `: ` in quotation marks)",
                "6:16 `source_digest` is not `sha256:` and 64 hexadecimal digits (remove the line, or run `contextpack notes --write`)",
            ]
        );
        assert_eq!(faults("- a\n").len(), 1);
        assert_eq!(faults(""), ["0:0 the file is empty (delete it, or add `summary:`)"]);
        assert!(faults("summary: [\n")[0].contains("it is not YAML"));
        let many = format!("summary:\n{}", "- a\n".repeat(11));
        assert_eq!(faults(&many), ["2:3 `summary` has 11 entries; 10 are the most ()"]);
    }

    #[test]
    fn an_answer_is_refused_for_its_shape_and_its_limits() {
        let read = |text: &str| WrittenNotes::from_json(text.as_bytes(), &NoteLimits::default());
        assert_eq!(read(r#"{"rules": ["a"]}"#).unwrap().rules, ["a"]);
        for wrong in ["", "[]", r#"{"rule": []}"#, r#"{"rules": "a"}"#, r#"{"rules": [" "]}"#, r#"{"rules": [1]}"#] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
