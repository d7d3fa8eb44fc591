//! The extractor against documents in `tests/notes`, whose notes stand beside them.
//!
//! `CONTEXTPACK_BLESS=1 cargo test --lib notes` writes the notes anew; the difference is then to be read.

#![expect(clippy::unwrap_used, reason = "tests")]

use super::{LeftOut, NoteLimits, Notes, QuotableText, extract};
use crate::model::Digest;
use crate::redact::Clean;
use std::fs;
use std::path::Path;

fn clean(text: &str) -> Clean {
    Clean::literal(text.to_owned().leak())
}

fn notes(text: &str) -> Notes {
    extract(&clean(text), false, &NoteLimits::default())
}

fn rules(text: &str) -> Vec<String> {
    notes(text).rules.iter().map(|rule| rule.to_string()).collect()
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
        let quotable = QuotableText::of(&document);
        for rule in &found.rules {
            assert!(quotable.holds(rule), "{}: {rule}", file.display());
        }
        let sidecar = found.sidecar(&Digest::of(document.as_str()));
        let beside = file.with_extension("md.notes.yml");
        if std::env::var_os("CONTEXTPACK_BLESS").is_some() {
            fs::write(&beside, &sidecar).unwrap();
        }
        assert_eq!(fs::read_to_string(&beside).unwrap().replace("\r\n", "\n"), sidecar, "{}", beside.display());
    }
}

#[test]
fn a_rule_keeps_its_exception_and_what_it_refers_to() {
    for text in [
        "Never push to `main`. Except for a release.",
        "A schema change needs a plan. It must be reviewed.",
        "必ず承認を得ること。ただし、文書は除く。",
    ] {
        assert_eq!(rules(&format!("# A\n\nThe sky is blue.\n\n{text} Be nice.\n")), [text]);
    }
    assert_eq!(rules("# Cache\n\nIt must be empty.\n"), ["Cache: It must be empty."]);
}

#[test]
fn a_condition_and_a_prohibition_above_stay_before_the_rule() {
    assert_eq!(rules("# G\n\n## On release branches\n\nYou must tag.\n"), ["On release branches: You must tag."]);
    assert_eq!(rules("# G\n\n## Don'ts\n\n- commit secrets\n"), ["Don'ts: commit secrets"]);
    assert_eq!(rules("When the build fails:\n\n- Stop the queue.\n"), ["When the build fails: Stop the queue."]);
    assert_eq!(rules("You must not:\n\n- push\n- merge\n"), ["You must not: push", "You must not: merge"]);
    let table = "| Do | Don't |\n|---|---|\n| wait | push |\n";
    assert_eq!(rules(&format!("# T\n\n{table}")), ["Don't: push"]);
}

#[test]
fn items_below_a_heading_of_rules_are_rules_and_orders_where_the_document_binds() {
    assert_eq!(rules("# G\n\n## Rules\n\n- Tabs, not spaces\n"), ["Tabs, not spaces"]);
    let text = "Add tests for each change. The suite is fast.\n";
    assert_eq!(rules(&format!("# Contributing\n\n{text}")), ["Add tests for each change."]);
    assert_eq!(rules(&format!("# A tour\n\n{text}")), Vec::<String>::new());
    assert_eq!(rules(&format!("# Contributing\n\n## Example\n\n{text}")), Vec::<String>::new());
    assert_eq!(extract(&clean(text), true, &NoteLimits::default()).rules.len(), 1);
}

#[test]
fn what_is_quoted_struck_asked_or_code_is_no_rule() {
    for text in [
        "> You must agree.",
        "~~You must use tabs.~~",
        "Must I sign?",
        "`You must not` is a message.",
        "It says \"you must wait\".",
        "```\nYou must wait.\n```",
        "<!-- You must wait. -->",
        "# License\n\nYou must keep this notice.",
        "# Wrong\n\n- Always log passwords.",
        "[You must fill this in]",
    ] {
        assert_eq!(rules(text), Vec::<String>::new(), "{text}");
    }
    assert_eq!(rules("> **Warning**\n> Do not run it twice."), ["Do not run it twice."]);
}

#[test]
fn what_is_over_a_limit_is_counted_and_advice_leaves_first() {
    let limits = NoteLimits { rules: 2, key_facts: 1, ..NoteLimits::default() };
    let text = "You should rest.\n\nYou must work.\n\nNever stop.\n\n| a | b |\n|---|---|\n| c | 1 |\n| d | 2 |\n";
    let notes = extract(&clean(text), false, &limits);
    assert_eq!(notes.rules.iter().map(|rule| rule.as_str()).collect::<Vec<_>>(), ["You must work.", "Never stop."]);
    assert_eq!(notes.left_out, LeftOut { rules: 1, key_facts: 1, sentences: 0 });
    let long = format!("You must {}stop.", "wait and ".repeat(600));
    assert_eq!(self::notes(&long).left_out.sentences, 1);
}

#[test]
fn facts_are_definitions_rows_and_commands() {
    let facts = |text: &str| notes(text).key_facts.iter().map(|fact| fact.to_string()).collect::<Vec<_>>();
    assert_eq!(facts("- **Port** — 8080\n- Retries: 3\n- Note: hidden\n"), ["Port: 8080", "Retries: 3"]);
    assert_eq!(facts("# Setup\n\n```sh\n$ make tools # all\nmade\n```\n"), ["Setup: `make tools # all`"]);
    assert_eq!(facts("| a | b | c |\n|---|---|---|\n| x | y | z |\n"), ["x: y; z"]);
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
