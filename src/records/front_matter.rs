//! The keys and values of a front matter, also where it is not YAML.

use crate::markdown::front_matter::{FrontMatterFault, FrontMatterRange, front_matter, key, near_miss, unquoted};
use crate::model::{Node, Value};
use crate::records::syntax::{SyntaxFault, one_yaml};
use std::collections::HashSet;

const LARGEST: usize = 64 << 10;

/// A front matter with its fields, as far as a text has one.
#[derive(Debug, Clone, Default)]
pub struct ReadFrontMatter {
    pub place: Option<FrontMatterRange>,
    pub pairs: Vec<(String, Node<String>)>,
    /// Why it is not read as YAML, or not read at all.
    pub fault: Option<FrontMatterFault>,
}

/// Reads a front matter; one that is not YAML by its top-level keys: those that are YAML as YAML, the others line by line.
pub fn read_front_matter(text: &str) -> ReadFrontMatter {
    let Some(place) = front_matter(text) else {
        return ReadFrontMatter { fault: near_miss(text), ..ReadFrontMatter::default() };
    };
    let (yaml, line) = (&text[place.yaml.clone()], place.yaml_line);
    let mut fault = None;
    let pairs = yaml_pairs(yaml, line).unwrap_or_else(|why| {
        let spaced = crate::yaml::spaced(yaml, true).and_then(|spaced| yaml_pairs(&spaced, line).ok());
        let help = match &spaced {
            Some(_) => "indent with spaces in place of tabs",
            None => "it was read line by line; put values with special characters in quotes",
        };
        fault = Some(FrontMatterFault { line: why.line, why: format!("is not YAML: {}", why.message), help });
        spaced.unwrap_or_else(|| read_by_line(yaml, line))
    });
    ReadFrontMatter { place: Some(place), pairs, fault }
}

fn yaml_pairs(text: &str, line: u32) -> Result<Vec<(String, Node<String>)>, SyntaxFault> {
    if text.len() > LARGEST {
        return Err(SyntaxFault::new(line, format!("it is larger than {LARGEST} bytes")));
    }
    match one_yaml(text, line)? {
        None | Some(Node { value: Value::Null, .. }) => Ok(Vec::new()),
        Some(Node { value: Value::Map(pairs), .. }) => Ok(pairs),
        Some(node) => Err(SyntaxFault::new(node.line, "it is no map of keys and values")),
    }
}

/// The element of a value that holds lines which look like keys, as agents' descriptions do.
const EXAMPLE: (&str, &str) = ("<example>", "</example>");

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
        let mut depth = 0;
        let mut is_end = |next: &usize| {
            let count = |mark: &str| isize::try_from(lines[next - 1].matches(mark).count()).unwrap_or(0);
            depth += count(EXAMPLE.0) - count(EXAMPLE.1);
            depth <= 0 && key(lines[*next]).is_some()
        };
        let end = (at + 1..lines.len()).find(&mut is_end);
        // An element without an end holds nothing.
        let next_key = || (at + 1..lines.len()).find(|&next| key(lines[next]).is_some());
        let end = if depth > 0 { next_key() } else { end }.unwrap_or(lines.len());
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
        && let Ok(Some(Node { value: Value::Map(mut pairs), .. })) = one_yaml(&chunk, line)
        && pairs.len() == 1
        && let Some((_, node)) = pairs.pop()
    {
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
