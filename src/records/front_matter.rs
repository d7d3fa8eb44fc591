//! The keys and values of a front matter, also where it is not YAML.

use crate::markdown::front_matter::{key, unquoted};
use crate::model::{Node, Value};
use crate::records::yaml::{self, SyntaxFault};
use std::collections::HashSet;

/// The most bytes of a front matter.
const LARGEST: usize = 64 << 10;

/// Reads the pairs of a front matter whose first line is line `line`.
///
/// A front matter that is not YAML is read by its top-level keys: those that are YAML as YAML, the others line by line.
/// The fault then explains why.
pub fn read_pairs(text: &str, line: u32) -> (Vec<(String, Node<String>)>, Option<SyntaxFault>) {
    let fault = if text.len() > LARGEST {
        SyntaxFault::new(1, format!("it is larger than {LARGEST} bytes"))
    } else {
        match yaml::one(text) {
            Ok(None) => return (Vec::new(), None),
            Ok(Some(Node { value: Value::Null, .. })) => return (Vec::new(), None),
            Ok(Some(Node { value: Value::Map(mut pairs), .. })) => {
                for (_, node) in &mut pairs {
                    shift(node, line - 1);
                }
                return (pairs, None);
            }
            Ok(Some(node)) => SyntaxFault::new(node.line, "it is no map of keys and values"),
            Err(fault) => fault,
        }
    };
    let pairs = read_by_line(text, line);
    (pairs, Some(SyntaxFault { line: fault.line + line - 1, ..fault }))
}

/// Adds `by` to the lines of a value and all values in it.
pub(super) fn shift(node: &mut Node<String>, by: u32) {
    let mut todo = vec![node];
    while let Some(node) = todo.pop() {
        node.line += by;
        match &mut node.value {
            Value::Null | Value::Scalar { .. } => {}
            Value::List(nodes) => todo.extend(nodes),
            Value::Map(pairs) => todo.extend(pairs.iter_mut().map(|(_, node)| node)),
        }
    }
}

/// Reads keys and values without YAML's grammar; a duplicate key keeps its first value.
pub(super) fn read_by_line(text: &str, line: u32) -> Vec<(String, Node<String>)> {
    let mut pairs = Vec::new();
    let mut seen = HashSet::new();
    let lines: Vec<&str> = text.lines().collect();
    let mut at = 0;
    while at < lines.len() {
        let Some((name, first)) = key(lines[at]) else {
            at += 1;
            continue;
        };
        let end = (at + 1..lines.len()).find(|&next| key(lines[next]).is_some()).unwrap_or(lines.len());
        let number = line + u32::try_from(at).unwrap_or(u32::MAX - line);
        if seen.insert(name) {
            pairs.push((name.to_owned(), read_value(first, &lines[at..end], number)));
        }
        at = end;
    }
    pairs
}

/// Returns the value of one key: `lines` are its own line and those up to the next key.
fn read_value(first: &str, lines: &[&str], line: u32) -> Node<String> {
    let chunk = lines.join("\n");
    if chunk.len() <= LARGEST
        && let Ok(Some(Node { value: Value::Map(mut pairs), .. })) = yaml::one(&chunk)
        && pairs.len() == 1
        && let Some((_, mut node)) = pairs.pop()
    {
        shift(&mut node, line - 1);
        return node;
    }
    let below = lines.iter().enumerate().skip(1).filter_map(|(offset, text)| {
        let text = uncommented(text.trim());
        let at = line + u32::try_from(offset).unwrap_or(0);
        (!text.is_empty()).then_some((at, text))
    });
    let block = first.starts_with(['|', '>']);
    let mut entries = Vec::new();
    let mut texts = Vec::new();
    for (at, text) in below {
        match text.strip_prefix("- ").or((text == "-").then_some("")) {
            Some(entry) if !block => entries.push(Node { line: at, value: scalar(entry) }),
            _ => texts.push(text),
        }
    }
    let first = if block { "" } else { uncommented(first) };
    let value = if !entries.is_empty() && first.is_empty() {
        Value::List(entries)
    } else if let Some(inner) = first.strip_prefix('[').and_then(|inner| inner.strip_suffix(']')) {
        let parts = inner.split(',').map(str::trim).filter(|part| !part.is_empty());
        Value::List(parts.map(|part| Node { line, value: scalar(part) }).collect())
    } else if texts.is_empty() {
        scalar(first)
    } else {
        let separator = if block { "\n" } else { " " };
        let all: Vec<&str> = Some(first).filter(|first| !first.is_empty()).into_iter().chain(texts).collect();
        scalar(&all.join(separator))
    };
    Node { line, value }
}

fn scalar(text: &str) -> Value<String> {
    let text = text.trim();
    let bare = unquoted(text);
    match bare {
        "" | "~" | "null" if bare.len() == text.len() => Value::Null,
        _ => Value::Scalar { text: bare.to_owned(), plain: bare.len() == text.len() },
    }
}

/// Returns the text without a comment at its end, unless it is quoted.
fn uncommented(text: &str) -> &str {
    if text.starts_with('#') {
        return "";
    }
    if text.starts_with(['"', '\'']) && unquoted(text).len() < text.len() {
        return text;
    }
    text.find(" #").map_or(text, |at| text[..at].trim_end())
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<(String, u32, String)> {
        let (pairs, _) = read_pairs(text, 2);
        pairs
            .into_iter()
            .map(|(name, node)| {
                let text = crate::records::values::scalars(&node).join("|");
                (name, node.line, text)
            })
            .collect()
    }

    fn row(name: &str, line: u32, text: &str) -> (String, u32, String) {
        (name.to_owned(), line, text.to_owned())
    }

    #[test]
    fn what_is_not_yaml_is_read_line_by_line_and_the_rest_as_yaml() {
        let text = "id: x\nreporter: @name\ntitle: 'A: b' # c\ndeps:\n  - T-1\n  - @two # why\nnote: a: b\nlist: [a,\n  b]\nfold: >\n  one\n  two\n";
        let (_, fault) = read_pairs(text, 2);
        assert_eq!(fault.unwrap().line, 3);
        assert_eq!(
            texts(text),
            [
                row("id", 2, "x"),
                row("reporter", 3, "@name"),
                row("title", 4, "A: b"),
                row("deps", 5, "T-1|@two"),
                row("note", 8, "a: b"),
                row("list", 9, "a|b"),
                row("fold", 12, "one two\n"),
            ]
        );
    }

    #[test]
    fn the_first_of_two_keys_with_one_name_stays_and_the_fault_names_the_second() {
        let (_, fault) = read_pairs("a: 1\na: 2\n", 2);
        assert_eq!(fault.unwrap().line, 3);
        assert_eq!(texts("a: 1\na: 2\n"), [row("a", 2, "1")]);
    }

    #[test]
    fn a_front_matter_that_is_too_large_is_still_read() {
        let text = format!("a: 1\nb: {}\n", "[".repeat(LARGEST));
        let (pairs, fault) = read_pairs(&text, 2);
        assert_eq!(pairs.len(), 2);
        assert!(fault.unwrap().message.contains("larger"));
    }
}
