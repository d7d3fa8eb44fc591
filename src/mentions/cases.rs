//! The cases of `tests/cases/mentions.yml`: a text, and all that is found in it.

#![expect(clippy::unwrap_used, reason = "tests")]

use crate::markdown::Outline;
use crate::mentions::{Markdown, NameForm, Reference, Via, adr_number, adr_status};
use serde::Deserialize;
use std::collections::BTreeMap;

const CASES: &str = include_str!("../../tests/cases/mentions.yml");

#[derive(Deserialize)]
struct Case {
    text: String,
    found: Vec<String>,
}

/// Returns a line for each relation, then one for each reference.
pub(crate) fn mentions(text: &str) -> Vec<String> {
    let found = Markdown::read(text).mentions;
    let relation = |it: &super::BodyRelation| {
        let form = if it.form == NameForm::Usual { String::new() } else { format!(" ({:?})", it.form) };
        let via = if it.via == Via::Checklist { " in a checklist" } else { "" };
        format!("{} {}{form}{via}, line {}", it.relation.name(), it.target, it.line)
    };
    let reference = |it: &Reference| {
        let lines: String = it.lines.iter().map(|lines| format!(" {}-{}", lines.first, lines.last)).collect();
        let foreign = it.foreign.as_ref().map_or(String::new(), |repo| format!(" of {repo}"));
        let link = it.link.as_ref().map_or(String::new(), |link| format!(" linked to {link}"));
        let part = if it.part { " (part)" } else { "" };
        format!("{:?} {}{lines}{foreign}{link}{part}, line {}", it.form, it.target, it.line)
    };
    found.relations.iter().map(relation).chain(found.references.iter().map(reference)).collect()
}

/// Returns what an ADR says of its status.
pub(crate) fn status(text: &str) -> Vec<String> {
    let show = |it: super::AdrStatus| {
        assert!(text.get(it.range).is_some());
        let field = if it.is_successor { " (successor)" } else { "" };
        format!("{:?}: {}{field}, line {}", it.state, it.plain, it.line)
    };
    adr_status(text, &Outline::read(text)).map(show).into_iter().collect()
}

fn number(file_name: &str) -> Vec<String> {
    adr_number(file_name).map(|number| number.to_string()).into_iter().collect()
}

#[test]
fn texts_mention_what_the_cases_say() {
    let cases: BTreeMap<String, Vec<Case>> = serde_yaml::from_str(CASES).unwrap();
    for (section, find) in [("mentions", mentions as fn(&str) -> Vec<String>), ("status", status), ("number", number)] {
        assert!(!cases[section].is_empty());
        for case in &cases[section] {
            assert_eq!(find(&case.text), case.found, "{}", case.text);
        }
    }
}

/// One that is read more than once a byte takes minutes here.
#[test]
fn hostile_texts_hold_a_few_mentions_a_piece() {
    let pieces = [
        "depends on ",
        "blocked by #1, ",
        "#1,\n",
        "#1 (",
        "Blocks:\n- ",
        "not ",
        "a-b ",
        "(",
        "- [ ] #1\n",
        "ADR-1 ",
        "[#1](https://github.com/o/r/issues/1) ",
        "[ADR-1](x) ",
        "ADRs 1, ",
        "`a/b.md` ",
        "`a b/c.md` ",
        "docs/a.md:",
        "://",
        "<!--",
        "[x]: y\n",
        "-adr1",
        ":1",
        "a:1",
        "line 1",
        "\"line 1",
        "(1",
        "a.b(1",
        "x.y:1:1",
        "/",
        "((((",
    ];
    for piece in pieces {
        let count = 20_000 / piece.len();
        for head in ["", "## Child tasks\n\n", "Depends on: ", "ADRs: ", "```\n"] {
            assert!(mentions(&format!("{head}{}", piece.repeat(count))).len() <= 4 * count, "{head}{piece}");
        }
    }
}
