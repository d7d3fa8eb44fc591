//! Values of fields as texts and lists of targets, and answers that mean nothing.

use crate::model::{Node, Value, is_document_name};
use crate::records::item::Mention;

/// Keys under which an object in a list of relations names its target, first present wins.
const TARGET_KEYS: [&str; 8] = ["id", "stable_id", "ref", "issue", "number", "url", "path", "to"];

/// Returns whether an answer means that there is nothing.
pub(super) fn is_nothing(text: &str) -> bool {
    let text = text.trim().trim_matches(['_', '*', '`']).trim_end_matches('.').trim();
    ["", "n/a", "na", "none", "nothing", "tbd", "todo", "no response", "null", "~", "-", "--", "—", "–"]
        .iter()
        .any(|empty| text.eq_ignore_ascii_case(empty))
}

/// Returns whether a value holds nothing at all.
pub(super) fn is_empty(node: &Node<String>) -> bool {
    match &node.value {
        Value::Null => true,
        Value::Scalar { text, .. } => text.trim().is_empty(),
        Value::List(nodes) => nodes.is_empty(),
        Value::Map(pairs) => pairs.is_empty(),
    }
}

/// Returns the value as one text: a scalar, a list of scalars joined, or the only key of `{accepted}`.
pub(super) fn text_of(node: &Node<String>) -> Option<String> {
    let text = match &node.value {
        Value::Null => return None,
        Value::Scalar { text, .. } => text.trim().to_owned(),
        Value::List(nodes) => {
            let texts: Vec<&str> = nodes
                .iter()
                .filter_map(|node| match &node.value {
                    Value::Scalar { text, .. } => Some(text.trim()),
                    _ => None,
                })
                .collect();
            texts.join(", ")
        }
        Value::Map(pairs) => {
            let keys: Vec<&str> =
                pairs.iter().map_while(|(key, node)| (node.value == Value::Null).then_some(key.trim())).collect();
            if keys.len() < pairs.len() {
                return None;
            }
            keys.join(", ")
        }
    };
    (!text.is_empty()).then_some(text)
}

/// Returns every scalar of a value that is a scalar or a list, as written.
pub(super) fn scalars(node: &Node<String>) -> Vec<&str> {
    match &node.value {
        Value::Scalar { text, .. } => vec![text],
        Value::List(nodes) => nodes
            .iter()
            .filter_map(|node| match &node.value {
                Value::Scalar { text, .. } => Some(text.as_str()),
                _ => None,
            })
            .collect(),
        Value::Null | Value::Map(_) => Vec::new(),
    }
}

/// Returns the targets that a value names: lists and comma-separated texts are split, empty answers left out.
///
/// `unnamed` receives the lines of entries that name nothing: objects without a known key.
pub(super) fn mentions(node: &Node<String>, unnamed: &mut dyn FnMut(u32)) -> Vec<Mention<String>> {
    let mut found = Vec::new();
    let mut todo = vec![node];
    while let Some(node) = todo.pop() {
        match &node.value {
            Value::Null => {}
            Value::Scalar { text, .. } => split_values(text, node.line, &mut found),
            Value::List(nodes) => todo.extend(nodes.iter().rev()),
            Value::Map(pairs) => {
                let named =
                    TARGET_KEYS.iter().find_map(|key| pairs.iter().find(|(name, node)| name == key && !is_empty(node)));
                match (named, text_of(node)) {
                    (Some((_, target)), _) => todo.push(target),
                    (None, Some(text)) => split_values(&text, node.line, &mut found),
                    (None, None) => unnamed(node.line),
                }
            }
        }
    }
    found
}

fn split_values(text: &str, line: u32, found: &mut Vec<Mention<String>>) {
    let whole = text.trim();
    // A comma without a space may be part of a file name: `a,b.md` is one document.
    let parts = if whole.contains(',') && is_document_name(whole) && !whole.contains(", ") {
        vec![whole]
    } else {
        whole.split([',', '\n']).collect()
    };
    for part in parts {
        let mut part = part.trim();
        part = part.strip_prefix("- ").map_or(part, str::trim_start);
        if let Some(inner) = part.strip_prefix("[[").and_then(|part| part.strip_suffix("]]")) {
            part = inner.trim();
        }
        if !is_nothing(part) {
            found.push(Mention { value: part.to_owned(), line });
        }
    }
}
