//! The cases of `tests/cases/mentions.yml`: a text, and all that is found in it.

#![expect(clippy::unwrap_used, reason = "tests")]

use crate::markdown::Outline;
use crate::mentions::adr_status::{AdrStatus, adr_status};
use crate::mentions::{BodyRelation, Markdown, NameForm, Reference, adr_number};
use serde::Deserialize;
use std::collections::BTreeMap;

#[derive(Deserialize)]
struct Case {
    text: String,
    #[serde(default)]
    found: Vec<String>,
}

fn cases() -> BTreeMap<String, Vec<Case>> {
    serde_yaml::from_str(include_str!("mentions.yml")).unwrap()
}

fn mentions(text: &str) -> Vec<String> {
    let found = Markdown::read(text).mentions;
    let relation = |it: &BodyRelation| {
        let form = if it.form == NameForm::Usual { String::new() } else { format!(" ({:?})", it.form) };
        let via = [" in a checklist", "", " closed"][it.via as usize];
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

fn status(text: &str) -> Vec<String> {
    let show = |it: AdrStatus| {
        let line = 1 + text[..it.range.start].matches('\n').count();
        let field = if it.is_successor { " (successor)" } else { "" };
        format!("{:?}: {}{field}, line {line}", it.state, it.plain)
    };
    adr_status(text, &Outline::read(text)).map(show).into_iter().collect()
}

fn number(file_name: &str) -> Vec<String> {
    adr_number(file_name).map(|number| number.to_string()).into_iter().collect()
}

#[test]
fn texts_mention_what_the_cases_say() {
    let cases = cases();
    for (section, find) in [("mentions", mentions as fn(&str) -> Vec<String>), ("status", status), ("number", number)] {
        assert!(!cases[section].is_empty());
        let wrong = cases[section].iter().filter(|case| find(&case.text) != case.found);
        let wrong: Vec<_> = wrong.map(|case| (&case.text, &case.found, find(&case.text))).collect();
        assert!(wrong.is_empty(), "text, expected, found: {wrong:#?}");
    }
}

/// One that is read more than once a byte takes minutes here.
#[test]
fn hostile_texts_hold_a_few_mentions_a_piece() {
    for Case { text: piece, .. } in &cases()["hostile"] {
        let count = 20_000 / piece.len();
        for head in ["", "## Child tasks\n\n", "Depends on: ", "ADRs: ", "```\n"] {
            assert!(mentions(&format!("{head}{}", piece.repeat(count))).len() <= 4 * count, "{head}{piece}");
        }
    }
}
