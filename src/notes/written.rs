//! Notes that were written down: by people or by any program, in front matter, a sidecar file or what `--from` names.

use super::{NoteLimits, Notes, QuotableText};
use crate::model::Digest;
use crate::redact::{Clean, CleanBuf};
use crate::yaml::{Position, YamlDialect, YamlNode, YamlValue, documents};
use thiserror::Error;

/// What follows the name of a document in that of its sidecar file.
pub const SIDECAR: &str = ".notes.yml";

/// The lists, in their order.
const LISTS: [&str; 4] = ["summary", "key_facts", "rules", "keywords"];
const DIGEST: &str = "source_digest";
/// The longest entry, in characters.
const LONGEST: usize = 1_000;

/// Notes as written, not redacted yet.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct WrittenNotes {
    /// The entries of each of [`LISTS`].
    lists: [Vec<String>; 4],
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
    fn new(at: Option<Position>, message: impl Into<String>, help: &str) -> Self {
        let help = Some(help.to_owned()).filter(|help| !help.is_empty());
        Self { at: at.map(|at| (at.line, at.column)), message: message.into(), help }
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
            return Err(vec![NotesFault::new(Some(error.at), format!("it is not YAML: {}", error.kind), "")]);
        }
        match documents.first() {
            Some(node) => Self::from_node(node, 1, limits),
            None => Err(vec![NotesFault::new(None, "the file is empty", "delete it, or add `summary:`")]),
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
            let help = format!("its keys are {}", listed());
            return Err(vec![NotesFault::new(at(node.at), "notes are a map", &help)]);
        };
        let mut notes = Self::default();
        for (key, value) in pairs {
            let mut fault = |place: Position, message: String, help: &str| {
                faults.push(NotesFault::new(at(place), message, help));
            };
            let name = key.text.as_str();
            let Some(index) = LISTS.iter().position(|list| *list == name) else {
                match &value.value {
                    _ if name != DIGEST => {
                        let meant = nearest(name).map(|name| format!("did you mean `{name}`?"));
                        let help = meant.unwrap_or_else(|| format!("the keys are {}", listed()));
                        fault(key.at, format!("`{name}` is no key of notes"), &help);
                    }
                    YamlValue::Scalar { text, .. } if is_digest(text) => notes.source_digest = Some(text.clone()),
                    _ => {
                        let help = "remove the line, or run `contextpack notes --write`";
                        fault(value.at, format!("`{DIGEST}` is not `sha256:` and 64 hexadecimal digits"), help);
                    }
                }
                continue;
            };
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
            if let Some(message) = over_limit(name, &notes.lists[index], most(limits)[index]) {
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

impl Notes {
    /// Returns the rules that do not stand in the document word for word.
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

/// Returns how many entries each of [`LISTS`] may have.
fn most(limits: &NoteLimits) -> [usize; 4] {
    [limits.bullets, limits.key_facts, limits.rules, limits.keywords]
}

/// Returns why a list is too long, or an entry of it is too long or empty.
fn over_limit(name: &str, list: &[String], most: usize) -> Option<String> {
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
    LISTS
        .into_iter()
        .chain([DIGEST])
        .map(|field| (strsim::damerau_levenshtein(&name, field), field))
        .filter(|(distance, field)| *distance <= 2 || name.len() >= 4 && field.starts_with(&name))
        .min()
        .map(|(_, field)| field)
}

fn listed() -> String {
    LISTS.map(|field| format!("`{field}`")).join(", ") + " and `source_digest`"
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
}
