//! Runs `tests/cases/notes.yml`.

#![expect(clippy::unwrap_used, reason = "tests")]

use super::sentences::{CodeText, sentences, visible};
use super::words::{is_condition, is_order, title_meaning, title_words};
use super::{NoteLimits, Notes, NotesFault, QuotableText, ReadableDocument, WrittenNotes, extract, is_binding};
use crate::model::Digest;
use crate::redact::Clean;
use serde::Deserialize;

fn clean(text: &str) -> Clean {
    Clean::literal(text.to_owned().leak())
}

#[derive(Deserialize)]
struct Case {
    reads: String,
    text: String,
    gives: Vec<String>,
}

#[test]
fn texts_are_read_as_their_cases_say() {
    let cases: Vec<Case> = serde_yaml::from_str(include_str!("notes.yml")).unwrap();
    let limits = NoteLimits::default();
    for Case { reads, text, gives } in cases {
        let found: Vec<String> = match reads.as_str() {
            "sentences" => sentences(&text).into_iter().map(|range| text[range].to_owned()).collect(),
            "visible" => [CodeText::Blank, CodeText::Keep].map(|code| visible(&text, code)).into(),
            "title" => title_meaning(&title_words(&text)).iter().map(|meaning| format!("{meaning:?}")).collect(),
            "words" => {
                let is = [is_condition(&text), is_binding(&text), is_order(&text)];
                let names = ["condition", "binding", "order"].into_iter().zip(is).filter(|(_, is)| *is);
                names.map(|(name, _)| name.to_owned()).collect()
            }
            "sidecar" => faults(WrittenNotes::from_yaml(&text, &limits)),
            "front matter" => faults(ReadableDocument::open(&text, &limits)),
            "few" => {
                let notes = extract(&clean(&text), false, &NoteLimits { rules: 2, key_facts: 1, ..limits });
                vec![format!("{:?}", notes.rules), format!("{:?}", notes.left_out)]
            }
            "quotable" => {
                let document = clean("# G\n\nYou must **not** push. Ask first.\n\n## Never\n\n- force a merge\n");
                vec![QuotableText::of(&document).holds(&text).to_string()]
            }
            other => vec![format!("no reader `{other}`")],
        };
        assert_eq!(found, gives, "{reads} of {text:?}");
    }
    let long = format!("You must {}stop.", "wait and ".repeat(600));
    assert_eq!(extract(&clean(&long), false, &limits).left_out.sentences, 1);
    let many = faults(WrittenNotes::from_yaml(&format!("summary:\n{}", "- a\n".repeat(11)), &limits));
    assert_eq!(many, ["2:3 `summary` has 11 entries; 10 are the most ()"]);
}

fn faults<T>(read: Result<T, Vec<NotesFault>>) -> Vec<String> {
    let shown = |fault: NotesFault| {
        let (line, column) = fault.at.unwrap_or_default();
        format!("{line}:{column} {} ({})", fault.message, fault.help.unwrap_or_default())
    };
    read.err().into_iter().flatten().map(shown).collect()
}

#[test]
fn written_notes_are_read_as_they_were_written() {
    let source = Digest::of("text");
    let notes = Notes {
        summary: vec![clean("Uses `a: b` \"quoted\" — 日本 \\ #1")],
        rules: vec![clean("- Never: commit"), clean("yes")],
        ..Notes::default()
    };
    let read = WrittenNotes::from_yaml(&notes.sidecar(&source), &NoteLimits::default()).unwrap();
    assert_eq!(read.redacted(&|text| clean(text)), notes);
    assert!(!read.is_stale(&source) && read.is_stale(&Digest::of("other")));
    assert!(!WrittenNotes::default().is_stale(&source));
    let text = "---\ntitle: A Guide\ndoc_type: playbook\nnotes:\n  rules: [Never push]\n---\n\n# Body\n";
    let document = ReadableDocument::open(text, &NoteLimits::default()).unwrap();
    let ReadableDocument { body, body_line, title, doc_type, notes } = document;
    assert_eq!((title.as_deref(), doc_type.as_deref(), notes.is_some()), (Some("A Guide"), Some("playbook"), true));
    assert_eq!((&text[body], body_line), ("\n# Body\n", 7));
}
