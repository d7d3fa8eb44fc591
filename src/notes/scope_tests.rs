//! What a rule says must be what its document says: exceptions, headings, offers and what sentences refer to.

use super::standing::stands_in;
use super::{NoteLimits, extract};
use crate::redact::Clean;

fn rules(text: &str) -> Vec<String> {
    let document = Clean::literal(text.to_owned().leak());
    let found = extract(&document, false, &NoteLimits::default()).rules;
    for rule in &found {
        assert!(stands_in(&document, rule), "{rule}");
    }
    found.iter().map(|rule| rule.to_string()).collect()
}

#[test]
fn an_exception_in_a_block_of_its_own_belongs_to_its_rule() {
    assert_eq!(
        rules(
            "# Policy on locks\n\n- Locks must not be held for a day\n  - Unless the owner asks for it. In that case, tell us.\n- Be kind\n"
        ),
        ["Locks must not be held for a day Unless the owner asks for it. In that case, tell us."]
    );
    assert_eq!(
        rules("# Contributing\n\nKeys must be rotated.\n\nExcept for keys of tests, which never leave the lab.\n"),
        ["Keys must be rotated. Except for keys of tests, which never leave the lab."]
    );
    assert_eq!(
        rules("# Contributing\n\nSign each tag. Only if the key is lost, ask a colleague.\n"),
        ["Sign each tag. Only if the key is lost, ask a colleague."]
    );
}

#[test]
fn the_nearest_heading_says_what_a_rule_without_a_subject_is_about() {
    assert_eq!(
        rules("# Contributing\n\n## Boats\n\n### Paddles\n\nMake sure to oil the handles.\n\nThe oars must be dry.\n"),
        ["Paddles: Make sure to oil the handles.", "The oars must be dry."]
    );
    assert_eq!(rules("# Contributing\n\n## Tests\n\nPlease add tests.\n"), ["Please add tests."]);
    assert_eq!(rules("# Contributing\n\n## Guidelines\n\nPlease add a note.\n"), ["Please add a note."]);
    assert_eq!(
        rules("# Contributing\n\n## Launch day\n\n- Lock the doors.\n- If it rains, wait.\n"),
        ["Launch day: Lock the doors.", "Launch day: If it rains, wait."]
    );
}

#[test]
fn what_a_rule_refers_to_stands_before_it() {
    assert_eq!(
        rules("# Contributing\n\nOars and sails are made elsewhere. Faults of these parts should be reported there.\n"),
        ["Oars and sails are made elsewhere. Faults of these parts should be reported there."]
    );
    assert_eq!(
        rules("# Contributing\n\n## Sails\n\nSails are sewn by hand.\n\nThis should save much work.\n"),
        Vec::<String>::new()
    );
    assert_eq!(
        rules("# Contributing\n\nRead the manual first. But never wait too long.\n"),
        ["Read the manual first. But never wait too long."]
    );
}

#[test]
fn offers_and_effects_are_no_duties() {
    assert_eq!(
        rules("# Contributing\n\nThe easiest way is this:\n\n- Copy the plan\n- Change its date\n- Send the result\n"),
        Vec::<String>::new()
    );
    assert_eq!(
        rules("# Contributing\n\n- Run `make tidy` once. This command will:\n- Close all doors\n- Remove the crumbs\n"),
        ["Run `make tidy` once."]
    );
    assert_eq!(
        rules("# Contributing\n\n1. (optional) Wash the deck. Remove the salt.\n2. Sail away.\n"),
        ["(optional) Wash the deck. Remove the salt."]
    );
}

#[test]
fn prohibitions_stand_anywhere_in_a_sentence() {
    assert_eq!(
        rules("# Names\n\nOld names stay for a year - DO NOT REMOVE THEM.\n"),
        ["Old names stay for a year - DO NOT REMOVE THEM."]
    );
    assert_eq!(
        rules("# Crew\n\nWe ask that you do not whistle on deck.\n"),
        ["We ask that you do not whistle on deck."]
    );
}

#[test]
fn a_heading_about_style_is_the_norm() {
    assert_eq!(
        rules(
            "# Style guide\n\n## Layout\n\n### 3 blanks of indentation\n\nText.\n\n### `CamelCase` for boats\n\n### How to name boats\n"
        ),
        ["3 blanks of indentation", "`CamelCase` for boats"]
    );
    assert_eq!(rules("# Manual\n\n### 3 blanks of indentation\n\n### `CamelCase` for boats\n"), Vec::<String>::new());
}

#[test]
fn status_reasons_and_books_are_no_rules() {
    for text in [
        "# Contributing\n\nA change can't be merged because the tests will fail.\n",
        "# Contributing\n\nBoats have historically been made of wood, and this must change.\n",
        "# Contributing\n\nHere are a few points you should be aware of.\n",
        "# Contributing\n\nTo understand the knots, consider\n\n```\nx\n```\n",
        "# Contributing\n\nThe guidelines are based on the following books:\n\n1. This book.\n2. Knots for sailors.\n",
        "# Style guide\n\nFurther reading:\n\n- [A1]: Avoid knots\n- [A2]: Use rope\n",
    ] {
        assert_eq!(rules(text), Vec::<String>::new(), "{text}");
    }
}
