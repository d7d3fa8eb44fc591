//! The front matter of a document that may be read, and the notes in it.

use super::NoteLimits;
use super::written::{NotesFault, WrittenNotes};
use crate::markdown::front_matter::{front_matter, near_miss};
use crate::yaml::{YamlDialect, YamlNode, YamlValue, documents};
use std::ops::Range;

/// A document that may be read.
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

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    fn open(text: &str) -> Result<ReadableDocument, Vec<NotesFault>> {
        ReadableDocument::open(text, &NoteLimits::default())
    }

    #[test]
    fn a_front_matter_that_cannot_be_understood_is_a_fault() {
        for text in ["---\ntitle: T\nbody", "---\na: [\ntitle: T\n---\nbody"] {
            assert_eq!(open(text).unwrap_err().len(), 1, "{text}");
        }
    }

    #[test]
    fn title_type_and_notes_are_read() {
        let text = "---\ntitle: A Guide\ndoc_type: playbook\nnotes:\n  rules: [Never push]\n---\n\n# Body\n";
        let document = open(text).unwrap();
        assert_eq!(document.title.as_deref(), Some("A Guide"));
        assert_eq!(document.doc_type.as_deref(), Some("playbook"));
        assert!(document.notes.is_some());
        assert_eq!((&text[document.body], document.body_line), ("\n# Body\n", 7));
        let faults = open("---\ntitle: T\nnotes:\n  ruls: []\n---\n").unwrap_err();
        assert_eq!(faults[0].at, Some((4, 3)));
    }
}
