//! The front matter of a document: whether it may be read, and the notes in it.

use super::NoteLimits;
use super::sensitive::may_hold_secrets;
use super::written::{NotesFault, WrittenNotes};
use crate::markdown::front_matter::{front_matter, is_unclosed};
use crate::yaml::{YamlDialect, YamlNode, YamlValue, documents};
use std::ops::Range;

/// A document whose front matter allows that it is read.
#[derive(Debug)]
pub struct ReadableDocument {
    /// The text below the front matter.
    pub body: Range<usize>,
    /// The line on which it begins.
    pub body_line: u32,
    /// `title` of the front matter, not redacted.
    pub title: Option<String>,
    /// `doc_type` of the front matter, not redacted.
    pub doc_type: Option<String>,
    /// `notes` of the front matter.
    pub notes: Option<WrittenNotes>,
}

/// Why a document is not read below its front matter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refused {
    /// It says that it holds secrets.
    Secret,
    /// Its front matter cannot be understood, so it may say so.
    Invalid(Vec<NotesFault>),
}

impl ReadableDocument {
    /// Reads the front matter of `text`, and nothing below it.
    ///
    /// # Errors
    /// If the document holds secrets, or its front matter cannot be understood.
    pub fn open(text: &str, limits: &NoteLimits) -> Result<Self, Refused> {
        let fault =
            |line: u32, column: u32, message: String| NotesFault { at: Some((line, column)), message, help: None };
        let Some(found) = front_matter(text) else {
            if is_unclosed(text) {
                let fault = fault(1, 1, "the front matter has no end".to_owned());
                return Err(Refused::Invalid(vec![NotesFault {
                    help: Some("close it with a line `---`".to_owned()),
                    ..fault
                }]));
            }
            if may_hold_secrets(text) {
                return Err(Refused::Secret);
            }
            return Ok(Self { body: 0..text.len(), body_line: 1, title: None, doc_type: None, notes: None });
        };
        let (nodes, error) = documents(&text[found.yaml.clone()], YamlDialect::Data);
        if let Some(error) = error {
            let message = format!("the front matter is not YAML: {}", error.kind);
            return Err(Refused::Invalid(vec![fault(error.at.line + 1, error.at.column, message)]));
        }
        let is_secret = may_hold_secrets(text);
        let mut document =
            Self { body: found.body..text.len(), body_line: found.body_line, title: None, doc_type: None, notes: None };
        let Some(YamlNode { value: YamlValue::Map(pairs), .. }) = nodes.first() else {
            return if is_secret { Err(Refused::Secret) } else { Ok(document) };
        };
        let mut faults = Vec::new();
        for (key, node) in pairs {
            match key.text.trim().to_lowercase().replace('-', "_").as_str() {
                "sensitivity" => match scalar(node).as_deref() {
                    Some("normal") => {}
                    Some("contains_secrets") => return Err(Refused::Secret),
                    // The stricter reading of what cannot be understood.
                    _ => {
                        let message = "`sensitivity` is neither `normal` nor `contains_secrets`".to_owned();
                        faults.push(fault(node.at.line + 1, node.at.column, message));
                    }
                },
                "doc_type" | "type" if scalar(node).as_deref() == Some("credentials") => return Err(Refused::Secret),
                "doc_type" => document.doc_type = scalar(node),
                "title" => {
                    document.title = match &node.value {
                        YamlValue::Scalar { text, .. } => Some(text.clone()),
                        _ => None,
                    }
                }
                "notes" => match WrittenNotes::from_node(node, 2, limits) {
                    Ok(notes) => document.notes = Some(notes),
                    Err(more) => faults.extend(more),
                },
                _ => {}
            }
        }
        match (faults.is_empty(), is_secret) {
            (true, false) => Ok(document),
            (true, true) => Err(Refused::Secret),
            (false, _) => Err(Refused::Invalid(faults)),
        }
    }
}

fn scalar(node: &YamlNode) -> Option<String> {
    match &node.value {
        YamlValue::Scalar { text, .. } => Some(text.trim().to_lowercase()),
        _ => None,
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    fn open(text: &str) -> Result<ReadableDocument, Refused> {
        ReadableDocument::open(text, &NoteLimits::default())
    }

    #[test]
    fn documents_with_secrets_are_refused_and_so_is_what_cannot_be_understood() {
        for text in [
            "---\nsensitivity: contains_secrets\n---\nbody",
            "---\nSensitivity: \"Contains_Secrets\"\n---\nbody",
            "---\ntitle: T\ndoc_type: credentials\n---\nbody",
        ] {
            assert_eq!(open(text).unwrap_err(), Refused::Secret, "{text}");
        }
        for text in [
            "---\nsensitivity: contains-secrets\n---\nbody",
            "---\nsensitivity: [contains_secrets]\n---\nbody",
            "---\nsensitivity: contains_secrets\nbody",
            "---\na: [\nsensitivity: contains_secrets\n---\nbody",
        ] {
            assert!(matches!(open(text).unwrap_err(), Refused::Invalid(_)), "{text}");
        }
    }

    #[test]
    fn title_type_and_notes_are_read() {
        let text = "---\ntitle: A Guide\ndoc_type: playbook\nnotes:\n  rules: [Never push]\n---\n\n# Body\n";
        let document = open(text).unwrap();
        assert_eq!(document.title.as_deref(), Some("A Guide"));
        assert_eq!(document.doc_type.as_deref(), Some("playbook"));
        assert_eq!(document.notes.unwrap().rules, ["Never push"]);
        assert_eq!((&text[document.body], document.body_line), ("\n# Body\n", 7));
        let Refused::Invalid(faults) = open("---\ntitle: T\nnotes:\n  ruls: []\n---\n").unwrap_err() else { panic!() };
        assert_eq!(faults[0].at, Some((4, 3)));
    }
}
