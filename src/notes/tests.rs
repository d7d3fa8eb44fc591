//! The extractor against documents in `tests/notes`, whose notes stand beside them.
//!
//! `CONTEXTPACK_BLESS=1 cargo test --lib notes` writes the notes anew; the difference is then to be read.

#![expect(clippy::unwrap_used, reason = "tests")]

use super::{LeftOut, NoteLimits, QuotableText, extract};
use crate::model::Digest;
use crate::redact::Clean;
use std::fs;
use std::path::Path;

fn clean(text: &str) -> Clean {
    Clean::literal(text.to_owned().leak())
}

#[test]
fn the_notes_on_every_sample_are_the_ones_beside_it() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/notes");
    let mut files: Vec<_> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "md"));
    files.sort();
    assert!(files.len() >= 8);
    for file in files {
        let document = clean(&fs::read_to_string(&file).unwrap().replace("\r\n", "\n"));
        let found = extract(&document, false, &NoteLimits::default());
        assert_eq!(extract(&document, false, &NoteLimits::default()), found);
        assert_eq!(found.misquoted(&document), Vec::<&Clean>::new(), "{}", file.display());
        let sidecar = found.sidecar(&Digest::of(document.as_str()));
        let beside = file.with_extension("md.notes.yml");
        if std::env::var_os("CONTEXTPACK_BLESS").is_some() {
            fs::write(&beside, &sidecar).unwrap();
        }
        assert_eq!(fs::read_to_string(&beside).unwrap().replace("\r\n", "\n"), sidecar, "{}", beside.display());
    }
}

#[test]
fn each_case_has_its_rules_and_facts_and_every_rule_is_verbatim_in_it() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/notes/cases.txt");
    let cases = fs::read_to_string(path).unwrap().replace("\r\n", "\n");
    for case in cases.split("====\n").skip(1) {
        let (text, expected) = case.split_once("----\n").unwrap();
        let found = extract(&clean(text), false, &NoteLimits::default());
        let lines = |kind: &str, list: &[Clean]| list.iter().map(|it| format!("{kind} {it}\n")).collect::<String>();
        assert_eq!(lines("rule", &found.rules) + &lines("fact", &found.key_facts), expected, "{text}");
        assert_eq!(found.misquoted(&clean(text)), Vec::<&Clean>::new(), "{text}");
    }
    let order = clean("Add tests for each change.\n");
    assert_eq!(extract(&order, true, &NoteLimits::default()).rules, [clean("Add tests for each change.")]);
}

#[test]
fn what_is_over_a_limit_is_counted_and_advice_leaves_first() {
    let limits = NoteLimits { rules: 2, key_facts: 1, ..NoteLimits::default() };
    let text = "You should rest.\n\nYou must work.\n\nNever stop.\n\n| a | b |\n|---|---|\n| c | 1 |\n| d | 2 |\n";
    let notes = extract(&clean(text), false, &limits);
    assert_eq!(notes.rules, [clean("You must work."), clean("Never stop.")]);
    assert_eq!(notes.left_out, LeftOut { rules: 1, key_facts: 1, sentences: 0 });
    let long = format!("You must {}stop.", "wait and ".repeat(600));
    assert_eq!(extract(&clean(&long), false, &limits).left_out.sentences, 1);
}

#[test]
fn a_rule_is_held_as_whole_sentences_only() {
    let document = clean("# G\n\nYou must **not** push. Ask first.\n\n## Never\n\n- force a merge\n");
    let quotable = QuotableText::of(&document);
    for rule in [
        "You must not push.",
        "You must **not** push",
        "You must not push. Ask first",
        "G: Ask first.",
        "Never: force a merge",
    ] {
        assert!(quotable.holds(rule), "{rule}");
    }
    for rule in ["push.", "You must push.", "must not push", "force a merge", "Never: push", ""] {
        assert!(!quotable.holds(rule), "{rule}");
    }
}
