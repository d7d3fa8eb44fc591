//! The keys and values of a front matter, also where it is not YAML.

use crate::markdown::front_matter::{FrontMatter, front_matter, key, near_miss, unquoted};
use crate::model::{Code, Diagnostic, Node, Place, RepoPath, Value};
use crate::records::yaml::{self, SyntaxFault};
use std::collections::HashSet;

/// The most bytes of a front matter.
const LARGEST: usize = 64 << 10;

/// A front matter with its fields, as far as a text has one.
#[derive(Debug, Clone, Default)]
pub struct ReadFrontMatter {
    /// Where it is.
    pub place: Option<FrontMatter>,
    /// Its keys and values, in order.
    pub pairs: Vec<(String, Node<String>)>,
    /// Why it is not read as YAML, or not read at all.
    pub fault: Option<FrontMatterFault>,
}

/// What is wrong with a front matter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FrontMatterFault {
    line: u32,
    message: String,
    help: &'static str,
}

impl FrontMatterFault {
    /// Returns the warning about the front matter of a file.
    pub fn diagnostic(&self, path: &RepoPath) -> Diagnostic {
        let place = Place::line(path.clone(), self.line);
        let message = format!("the front matter {}", self.message);
        Diagnostic::new(Code::InvalidFrontMatter, Some(place), message).help(self.help)
    }
}

/// Reads the front matter of a text.
///
/// One that is not YAML is read by its top-level keys: those that are YAML as YAML, the others line by line.
pub fn read_front_matter(text: &str) -> ReadFrontMatter {
    let Some(place) = front_matter(text) else {
        let fault = |near: crate::markdown::front_matter::NearMiss| FrontMatterFault {
            line: near.line,
            message: near.why.to_owned(),
            help: near.help,
        };
        return ReadFrontMatter { fault: near_miss(text).map(fault), ..ReadFrontMatter::default() };
    };
    let yaml = &text[place.yaml.clone()];
    let mut fault = None;
    let mut pairs = match yaml_pairs(yaml) {
        Ok(pairs) => pairs,
        Err(why) => {
            let spaced = crate::yaml::spaced(yaml, true).and_then(|spaced| yaml_pairs(&spaced).ok());
            let help = match &spaced {
                Some(_) => "indent with spaces in place of tabs",
                None => "it was read line by line; put values with special characters in quotes",
            };
            let line = why.line + place.yaml_line - 1;
            fault = Some(FrontMatterFault { line, message: format!("is not YAML: {}", why.message), help });
            spaced.unwrap_or_else(|| read_by_line(yaml, 1))
        }
    };
    for (_, node) in &mut pairs {
        shift(node, place.yaml_line - 1);
    }
    ReadFrontMatter { place: Some(place), pairs, fault }
}

fn yaml_pairs(text: &str) -> Result<Vec<(String, Node<String>)>, SyntaxFault> {
    if text.len() > LARGEST {
        return Err(SyntaxFault::new(1, format!("it is larger than {LARGEST} bytes")));
    }
    match yaml::one(text)? {
        None | Some(Node { value: Value::Null, .. }) => Ok(Vec::new()),
        Some(Node { value: Value::Map(pairs), .. }) => Ok(pairs),
        Some(node) => Err(SyntaxFault::new(node.line, "it is no map of keys and values")),
    }
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

    fn fenced(yaml: &str) -> ReadFrontMatter {
        read_front_matter(&format!("---\n{yaml}---\n"))
    }

    fn texts(text: &str) -> Vec<(String, u32, String)> {
        fenced(text)
            .pairs
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
        assert_eq!(fenced(text).fault.unwrap().line, 3);
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
        assert_eq!(fenced("a: 1\na: 2\n").fault.unwrap().line, 3);
        assert_eq!(texts("a: 1\na: 2\n"), [row("a", 2, "1")]);
    }

    #[test]
    fn a_front_matter_that_is_too_large_is_still_read() {
        let text = format!("a: 1\nb: {}\n", "[".repeat(LARGEST));
        let read = fenced(&text);
        assert_eq!(read.pairs.len(), 2);
        assert!(read.fault.unwrap().message.contains("larger"));
    }

    #[test]
    fn tabs_that_indent_are_read_as_spaces_with_a_fault() {
        let read = fenced("id: x\ndeps:\n\t- a\n\t- b\nmap:\n\tk: v\n");
        assert_eq!(read.fault.unwrap().help, "indent with spaces in place of tabs");
        assert!(matches!(&read.pairs[2].1.value, Value::Map(pairs) if pairs[0].0 == "k"));
        assert_eq!(texts("id: x\ndeps:\n\t- a\n\t- b\n")[1], row("deps", 4, "a|b"));
    }

    #[test]
    fn lines_of_an_example_are_no_keys_and_values_with_colons_are_whole() {
        let text =
            "name: a\ndescription: Use when: x. <example>\nContext: c\nuser: \"u\"\n</example>\ntools: Read, Grep\n";
        let rows = texts(text);
        assert_eq!(rows.iter().map(|(name, ..)| name.as_str()).collect::<Vec<_>>(), ["name", "description", "tools"]);
        assert_eq!(rows[1].2, "Use when: x. <example> Context: c user: \"u\" </example>");
        assert_eq!(texts("name: a: b\nnote: <example>\ntools: x\n").len(), 3, "an element without an end");
        assert_eq!(texts("id:\u{a0}x\n"), [row("id", 2, "x")]);
    }
}
