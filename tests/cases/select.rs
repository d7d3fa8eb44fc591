//! Runs `tests/cases/select.yml`: what single texts are read as.

use super::source_text::SourceText;
use super::{Tier, WorkItemJson, code, outline, references};
use crate::graph::{self, Node, Outline, Value};
use crate::model::states_successor;
use crate::redact::Clean;
use serde::Deserialize;
use serde_yaml::Value as Yaml;

#[derive(Deserialize)]
struct Case {
    /// What is read.
    reads: String,
    /// The name of a file.
    #[serde(default)]
    file: String,
    #[serde(default)]
    line: usize,
    text: Yaml,
    gives: Yaml,
}

#[test]
fn texts_are_read_as_their_cases_say() {
    let cases: Vec<Case> = serde_yaml::from_str(include_str!("select.yml")).unwrap_or_default();
    assert!(cases.len() > 50);
    for case in cases {
        assert_eq!(read(&case), case.gives, "{} of {:?}", case.reads, case.text);
    }
}

fn read(case: &Case) -> Yaml {
    let text = case.text.as_str().unwrap_or_default();
    let list = |parts: Vec<&str>| parts.into_iter().map(Yaml::from).collect::<Vec<_>>().into();
    match case.reads.as_str() {
        "definitions" => {
            let lines = SourceText::new(&case.file, text).definitions().into_iter();
            Yaml::Sequence(lines.map(|line| Yaml::from(line + 1)).collect())
        }
        "block around" => {
            let line = case.line - 1;
            let block = SourceText::new(&case.file, text).block_around(&(line..case.line));
            block.map_or(Yaml::Null, |block| vec![block.start + 1, block.end].into())
        }
        "boilerplate" => {
            let outline = Outline::read(text);
            let blocks = outline::boilerplate(&outline, text).into_iter();
            list(blocks.map(|block| text[outline.blocks[block].range.clone()].trim()).collect())
        }
        "is a comment" => outline::is_comment(text).into(),
        "names the heading limits" => {
            text.find("limits").is_some_and(|at| references::is_naming(text, at, at + "limits".len())).into()
        }
        "names requirements" => references::names_requirements(text).into(),
        "ids" => list(graph::words(text).filter_map(graph::name_in).collect()),
        "without struck through" => graph::unstruck(text).concat().into(),
        "names a successor" => states_successor(text).into(),
        "fence" => code::fence_for(text).into(),
        "fields" => {
            let Value::Map(fields) = node(&case.text).value else { return Yaml::Null };
            WorkItemJson::new(fields, Clean::literal("a.md")).of(Tier::Other).as_str().into()
        }
        _ => Yaml::Null,
    }
}

/// Returns a node in which `{plain: 12}` is a scalar without quotes.
fn node(yaml: &Yaml) -> Node<Clean> {
    let clean = |yaml: &Yaml| Clean::literal(yaml.as_str().unwrap_or_default().to_owned().leak());
    let value = match yaml {
        Yaml::Sequence(items) => Value::List(items.iter().map(node).collect()),
        Yaml::Mapping(pairs) => match pairs.get("plain") {
            Some(text) => Value::Scalar { text: clean(text), plain: true },
            None => Value::Map(pairs.iter().map(|(key, value)| (clean(key), node(value))).collect()),
        },
        text => Value::Scalar { text: clean(text), plain: false },
    };
    Node { line: 1, value }
}
