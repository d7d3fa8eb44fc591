//! Other people's programs measure and read the same things.

use super::memory::{Memory, Office, cases, pack};
use super::texts::{document, plan};
use contextpack::internals::engine::BudgetLimits;
use contextpack::internals::graph::Value as Read;
use contextpack::internals::render;
use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use serde_yaml::Value;
use std::collections::BTreeMap;
use std::fmt::Write as _;

proptest! {
    #![proptest_config(cases(10))]

    #[test]
    fn tiktoken_rs_counts_the_same_tokens(plan in plan(), odd in document(), limit in 1500_u64..9000) {
        let memory = plan.memory();
        for (name, judge) in [
            ("o200k_base", tiktoken_rs::o200k_base_singleton()),
            ("cl100k_base", tiktoken_rs::cl100k_base_singleton()),
        ] {
            let budget = format!("profiles: {{coding: {{budget: {{max_tokens: {limit}, tokenizer: {name}}}}}}}\n");
            let office = Office::new(&budget);
            let project = office.project(&memory);
            let sealed = pack(&project, "T-0", BudgetLimits::default());
            if let Ok(sealed) = &sealed {
                let pack = sealed.pack();
                let count = |text: &str| judge.encode_ordinary(text).len() as u64;
                prop_assert_eq!(pack.budget.used_tokens, Some(count(&render::pack(pack).whole())));
                for section in &pack.sections {
                    prop_assert_eq!(section.metadata.tokens, Some(count(&section.content)), "{}", section.id);
                }
            }
            // Text that means something to a tokenizer is text like any other.
            let text = format!("{odd}<|endoftext|><|im_start|>");
            let ours = tiktoken::get_encoding(name).unwrap().count(&text);
            prop_assert_eq!(ours, judge.encode_ordinary(&text).len());
        }
    }
}

/// How a string may be written in YAML.
#[derive(Debug, Clone, Copy)]
enum Style {
    Plain,
    Single,
    Double,
    Literal,
    Folded,
}

#[derive(Debug, Clone)]
enum Tree {
    Scalar(String, Style),
    List(Vec<Tree>, bool),
    Map(BTreeMap<String, Tree>, bool),
}

fn scalar() -> impl Strategy<Value = Tree> {
    let style = prop::sample::select(vec![Style::Plain, Style::Single, Style::Double, Style::Literal, Style::Folded]);
    let text = prop_oneof![
        "[a-z]{1,8}( [a-z]{1,8}){0,4}",
        "[a-z: #'\"\\\\{},&*!|>%@`-]{0,12}",
        "-?[0-9]{1,6}",
        Just("語 é 👩‍👩‍👧".to_owned()),
        "[a-z]{1,5}(\n[a-z]{1,5}){1,4}",
    ];
    (text, style).prop_map(|(text, style)| Tree::Scalar(text, style))
}

fn tree() -> impl Strategy<Value = Tree> {
    scalar().prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            (vec(inner.clone(), 0..4), any::<bool>()).prop_map(|(list, flow)| Tree::List(list, flow)),
            (btree_map("[a-z]{1,6}", inner, 0..4), any::<bool>()).prop_map(|(map, flow)| Tree::Map(map, flow)),
        ]
    })
}

/// Writes a value after `key:` or `-`, in block style unless it is in flow style already.
fn write(out: &mut String, tree: &Tree, depth: usize, flow: bool) {
    let indent = "  ".repeat(depth);
    match tree {
        Tree::Scalar(text, style) => write_scalar(out, text, *style, &indent, flow),
        Tree::List(list, as_flow) if flow || *as_flow || list.is_empty() => {
            out.push_str(" [");
            for (n, one) in list.iter().enumerate() {
                out.push_str(if n > 0 { "," } else { "" });
                write(out, one, depth, true);
            }
            out.push(']');
        }
        Tree::Map(map, as_flow) if flow || *as_flow || map.is_empty() => {
            out.push_str(" {");
            for (n, (key, one)) in map.iter().enumerate() {
                let _ = write!(out, "{}k{key}:", if n > 0 { ", " } else { "" });
                write(out, one, depth, true);
            }
            out.push('}');
        }
        Tree::List(list, _) => {
            for one in list {
                let _ = write!(out, "\n{indent}-");
                write(out, one, depth + 1, false);
            }
        }
        Tree::Map(map, _) => {
            for (key, one) in map {
                let _ = write!(out, "\n{indent}k{key}:");
                write(out, one, depth + 1, false);
            }
        }
    }
}

fn write_scalar(out: &mut String, text: &str, style: Style, indent: &str, flow: bool) {
    let simple = text.starts_with(|c: char| c.is_ascii_alphanumeric())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == ' ')
        && !text.ends_with(' ');
    let several = text.contains('\n');
    match style {
        Style::Plain if simple => {
            let _ = write!(out, " {text}");
        }
        Style::Single if !several => {
            let _ = write!(out, " '{}'", text.replace('\'', "''"));
        }
        Style::Literal | Style::Folded if several && !flow => {
            out.push_str(if matches!(style, Style::Literal) { " |-" } else { " >-" });
            for line in text.lines() {
                let _ = write!(out, "\n{indent}  {line}");
            }
        }
        _ => {
            let _ = write!(out, " {}", serde_json::Value::from(text));
        }
    }
}

/// The same value as both read it: every scalar as its text.
fn theirs(value: &Value) -> Shape {
    match value {
        Value::Null => Shape::Nothing,
        Value::Bool(value) => Shape::Text(value.to_string()),
        Value::Number(value) => Shape::Text(value.to_string()),
        Value::String(text) => Shape::Text(text.clone()),
        Value::Sequence(list) => Shape::List(list.iter().map(theirs).collect()),
        Value::Mapping(map) => {
            Shape::Map(map.iter().map(|(key, value)| (key.as_str().unwrap().to_owned(), theirs(value))).collect())
        }
        Value::Tagged(tagged) => theirs(&tagged.value),
    }
}

fn ours(value: &Read<contextpack::internals::redact::Clean>) -> Shape {
    match value {
        Read::Null => Shape::Nothing,
        Read::Scalar { text, .. } => Shape::Text(text.to_string()),
        Read::List(list) => Shape::List(list.iter().map(|node| ours(&node.value)).collect()),
        Read::Map(map) => Shape::Map(map.iter().map(|(key, node)| (key.to_string(), ours(&node.value))).collect()),
    }
}

#[derive(Debug, PartialEq)]
enum Shape {
    Nothing,
    Text(String),
    List(Vec<Shape>),
    Map(BTreeMap<String, Shape>),
}

proptest! {
    #![proptest_config(cases(200))]

    #[test]
    fn another_reader_of_yaml_finds_the_same_fields(fields in btree_map("[a-z]{1,6}", tree(), 1..5)) {
        let mut yaml = String::from("id: T-1\ntitle: one");
        for (name, tree) in &fields {
            let _ = write!(yaml, "\nf{name}:");
            write(&mut yaml, tree, 1, false);
        }
        yaml.push('\n');
        let judged: Value = serde_yaml::from_str(&yaml).unwrap_or_else(|error| panic!("{error}\n{yaml}"));
        for (path, text) in [("work_items/a.yaml", yaml.clone()), ("work_items/a.md", format!("---\n{yaml}---\n\nbody\n"))] {
            let (office, memory) = (Office::new(""), Memory::new([(path.to_owned(), text.clone())]));
            let project = office.project(&memory);
            prop_assert_eq!(project.diagnostics(), &[], "{}", text);
            let item = &project.corpus().entries[0].item;
            for name in fields.keys() {
                let name = format!("f{name}");
                let judged = theirs(judged.get(&*name).unwrap());
                let field = item.fields.iter().find(|field| *field.name == *name);
                let read = field.map_or(Shape::Nothing, |field| ours(&field.node.value));
                prop_assert_eq!(read, judged, "{} of\n{}", name, text);
            }
        }
    }
}
