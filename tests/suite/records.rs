//! The cases of `tests/cases/records.yml`: a file, and all that is read from it.

use contextpack::internals::config::load;
use contextpack::internals::model::{Diagnostic, Node, Refusal, RepoPath, Value};
use contextpack::internals::records::{Item, Mention, SnapshotFile, items};
use serde::Deserialize;

const CASES: &str = include_str!("../../tests/cases/records.yml");

#[derive(Deserialize)]
struct Case {
    file: String,
    #[serde(default)]
    config: String,
    text: String,
    found: Vec<String>,
}

/// Returns lines for each item, each damaged item and each diagnostic of a file, beside which there is a `README.md`.
fn read(file: &str, config: &str, text: &str) -> Vec<String> {
    let path = RepoPath::new(file).unwrap();
    if file.starts_with("snapshot/") {
        return snapshot(&path, text);
    }
    let source =
        &load("contextpack.yml", Some(&format!("work_items: [{{include: ['**'], {config}}}]"))).unwrap().work_items[0];
    let parsed = items(source, 0, &path, text, &|path| match path.name() {
        "README.md" => Ok("\n# Beside\n\nText\n".to_owned()),
        _ => Err(Refusal::NotInRepo),
    });
    let mut found: Vec<String> = parsed.items.iter().flat_map(item).collect();
    found.extend(parsed.damaged.iter().map(|(item, fault)| format!("damaged {} by fault {fault}", item.id)));
    found.extend(parsed.diagnostics.iter().map(diagnostic));
    found
}

fn item(item: &Item<String>) -> Vec<String> {
    let no_pack = if item.no_pack { ", no pack" } else { "" };
    let status = item.status.as_ref().map_or(String::new(), |status| format!(", status {status}"));
    let mut found = vec![format!("item {}, line {}, title {}{status}{no_pack}", item.id, item.line, item.title)];
    let body = &item.body;
    let place = if body.in_file { "" } else { " of a field" };
    found.push(format!("  body{place} at {}:{}: {:?}, head {:?}", body.origin.shown, body.line, body.text, item.head));
    found.extend(
        item.fields.iter().map(|it| format!("  field {}: {}, line {}", it.name, value(&it.node), it.node.line)),
    );
    let mention = |kind: &str, it: &Mention<String>| format!("  {kind} {}, line {}", it.value, it.line);
    found.extend(item.relations.iter().map(|it| mention(it.relation.name(), &it.target)));
    for (kind, mentions) in [("adr", &item.adrs), ("doc", &item.docs)] {
        found.extend(mentions.iter().map(|it| mention(kind, it)));
    }
    found.extend(item.issue.as_ref().map(|it| mention("issue", it)));
    found
}

fn value(node: &Node<String>) -> String {
    match &node.value {
        Value::Null => "~".to_owned(),
        Value::Scalar { text, plain: true } => text.clone(),
        Value::Scalar { text, .. } => format!("{text:?}"),
        Value::List(nodes) => format!("[{}]", nodes.iter().map(value).collect::<Vec<_>>().join(", ")),
        Value::Map(pairs) => {
            let pair = |(name, node): &(String, Node<String>)| format!("{name}: {}", value(node));
            format!("{{{}}}", pairs.iter().map(pair).collect::<Vec<_>>().join(", "))
        }
    }
}

fn diagnostic(fault: &Diagnostic) -> String {
    let at = fault.at.as_ref().map_or(String::new(), ToString::to_string);
    let help = fault.help.as_deref().unwrap_or_default();
    format!("{:?} {} at {at} about {}: {} ({help})", fault.severity, fault.code, fault.about.join(", "), fault.message)
}

fn snapshot(path: &RepoPath, text: &str) -> Vec<String> {
    let issue = match SnapshotFile::read(path, text) {
        Ok(file) => file.parsed(),
        Err(fault) => return vec![diagnostic(&fault)],
    };
    let mut found = item(&issue.item);
    let links = issue.links.iter();
    found.extend(links.map(|it| format!("  {} {}#{} {}", it.relation.name(), it.repo, it.number, it.state.name())));
    let unknown: Vec<&str> = issue.unknown.iter().map(|relation| relation.name()).collect();
    found.push(format!("  state {}, unknown {}", issue.state.name(), unknown.join(" ")));
    found
}

#[test]
fn files_hold_what_the_cases_say() {
    let cases: Vec<Case> = serde_yaml::from_str(CASES).unwrap();
    assert!(!cases.is_empty());
    for case in cases {
        assert_eq!(read(&case.file, &case.config, &case.text), case.found, "{}: {}", case.file, case.text);
    }
}

#[test]
fn hostile_files_are_read_or_refused() {
    let large = format!("---\na: 1\nb: {}\n---\n", "[".repeat(64 << 10));
    assert!(read("w/a.md", "", &large).iter().any(|line| line.contains("larger") && line.contains("line by line")));
    let deep = format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000));
    assert!(read("w/a.json", "", &deep).concat().contains("nest"));
    for piece in ["[", "{\"a\":[]},", "{\"k\":", "\"", "'a':{", "{\"k\":[1,", "\\\"", "\"k\":\"x", "- ", "a:\n ", "#"] {
        for head in ["", "[", "---\n"] {
            let text = format!("{head}{}", piece.repeat(20_000 / piece.len()));
            for file in ["w/a.json", "w/a.jsonl", "w/a.yml", "w/a.md"] {
                read(file, "", &text);
            }
        }
    }
}
