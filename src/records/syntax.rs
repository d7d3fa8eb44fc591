//! YAML and JSON → [`Node`]s: numbers keep their spelling, values their lines, and duplicate keys are refused. Of a JSON text
//! that cannot be read, the entries before the fault are read, and keys and values after it.

use crate::model::{LineStarts, Node, Value, conflict_line};
use crate::yaml::{self, YamlDialect, YamlNode, YamlValue};
use regex::Regex;
use serde_json::value::RawValue;
use std::collections::HashSet;
use std::ops::Range;
use std::sync::LazyLock;

/// A violation of a file format, with its line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SyntaxFault {
    pub line: u32,
    /// The message, as a diagnostic shows it.
    pub message: String,
}

impl SyntaxFault {
    pub(super) fn new(line: u32, message: impl Into<String>) -> Self {
        Self { line, message: message.into() }
    }
}

/// Reads the documents of a YAML text that begins on `line` of its file; those before a fault are returned with it.
pub(super) fn yaml_documents(text: &str, line: u32) -> (Vec<Node<String>>, Option<SyntaxFault>) {
    if let Some(at) = conflict_line(text) {
        let message = "it has conflict markers: resolve the conflict, then `git add` the file";
        return (Vec::new(), Some(SyntaxFault::new(line - 1 + at, message)));
    }
    let (documents, error) = yaml::documents(text, YamlDialect::Data);
    let fault = error.map(|error| SyntaxFault::new(line - 1 + error.at.line, error.kind.to_string()));
    (documents.into_iter().map(|read| node(read, line - 1)).collect(), fault)
}

/// Reads a text that is one value and begins on `line` of its file; `None` if it holds nothing.
pub(super) fn one_yaml(text: &str, line: u32) -> Result<Option<Node<String>>, SyntaxFault> {
    let (mut documents, fault) = yaml_documents(text, line);
    match (fault, documents.get(1)) {
        (Some(fault), _) => Err(fault),
        (None, Some(second)) => Err(SyntaxFault::new(second.line, "it holds more than one document")),
        (None, None) => Ok(documents.pop()),
    }
}

/// Recursion is as deep as the reader allows values to nest.
fn node(read: YamlNode, above: u32) -> Node<String> {
    let value = match read.value {
        YamlValue::Null => Value::Null,
        YamlValue::Scalar { text, plain } => Value::Scalar { text, plain },
        YamlValue::List(nodes) => Value::List(nodes.into_iter().map(|entry| node(entry, above)).collect()),
        YamlValue::Map(pairs) => {
            Value::Map(pairs.into_iter().map(|(key, value)| (key.text, node(value, above))).collect())
        }
    };
    Node { line: above + read.at.line, value }
}

const DEEPEST: usize = 128;

/// Checks that a text that begins on `line` of its file is one JSON value.
pub(super) fn check_json(text: &str, line: u32) -> Result<(), SyntaxFault> {
    serde_json::from_str::<&RawValue>(text).map(drop).map_err(|error| {
        let at = u32::try_from(error.line()).unwrap_or(1).max(1);
        let words = error.to_string();
        let words = words.split(" at line ").next().unwrap_or_default().to_lowercase();
        SyntaxFault::new(line + at - 1, words)
    })
}

/// Reads one JSON value that begins on `line` of its file.
pub(super) fn read_json(text: &str, line: u32) -> Result<Node<String>, SyntaxFault> {
    // The cursor relies on the grammar.
    check_json(text, line)?;
    Cursor { text, at: 0, line }.value(0)
}

struct Cursor<'a> {
    text: &'a str,
    at: usize,
    line: u32,
}

impl Cursor<'_> {
    /// Returns the next byte that is no white space, not consumed.
    fn peek(&mut self) -> Option<u8> {
        loop {
            match self.text.as_bytes().get(self.at)? {
                b'\n' => self.line += 1,
                b' ' | b'\t' | b'\r' => {}
                byte => return Some(*byte),
            }
            self.at += 1;
        }
    }

    fn eat(&mut self, byte: u8) -> bool {
        let there = self.peek() == Some(byte);
        self.at += usize::from(there);
        there
    }

    fn value(&mut self, depth: usize) -> Result<Node<String>, SyntaxFault> {
        let first = self.peek();
        let line = self.line;
        if depth > DEEPEST {
            return Err(SyntaxFault::new(line, format!("values nest deeper than {DEEPEST} levels")));
        }
        let value = match first {
            Some(b'{') => self.map(depth)?,
            Some(b'[') => self.list(depth)?,
            Some(b'"') => Value::Scalar { text: self.string()?, plain: false },
            _ => match self.word() {
                "null" => Value::Null,
                word => Value::Scalar { text: word.to_owned(), plain: true },
            },
        };
        Ok(Node { line, value })
    }

    fn map(&mut self, depth: usize) -> Result<Value<String>, SyntaxFault> {
        self.at += 1;
        let mut pairs = Vec::new();
        let mut seen = HashSet::new();
        while self.peek().is_some_and(|byte| byte != b'}') {
            let line = self.line;
            let key = self.string()?;
            if !seen.insert(key.clone()) {
                return Err(SyntaxFault::new(line, format!("the key `{key}` stands there twice")));
            }
            self.eat(b':');
            pairs.push((key, self.value(depth + 1)?));
            self.eat(b',');
        }
        self.eat(b'}');
        Ok(Value::Map(pairs))
    }

    fn list(&mut self, depth: usize) -> Result<Value<String>, SyntaxFault> {
        self.at += 1;
        let mut nodes = Vec::new();
        while self.peek().is_some_and(|byte| byte != b']') {
            nodes.push(self.value(depth + 1)?);
            self.eat(b',');
        }
        self.eat(b']');
        Ok(Value::List(nodes))
    }

    fn string(&mut self) -> Result<String, SyntaxFault> {
        let start = self.at;
        let bytes = self.text.as_bytes();
        let mut end = start + 1;
        while let Some(byte) = bytes.get(end) {
            match byte {
                b'"' => break,
                b'\\' => end += 2,
                _ => end += 1,
            }
        }
        self.at = (end + 1).min(bytes.len());
        let written = self.text.get(start..self.at).unwrap_or_default();
        serde_json::from_str(written)
            .map_err(|_| SyntaxFault::new(self.line, "a string holds an escape that stands for no character"))
    }

    /// Returns a number or a literal, as spelled.
    fn word(&mut self) -> &str {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let end = rest.find(|c: char| matches!(c, ',' | ']' | '}') || c.is_ascii_whitespace()).unwrap_or(rest.len());
        self.at += end.max(1);
        rest.get(..end).unwrap_or_default()
    }
}

/// What is left of a record: its keys and values, and its line.
pub(super) type Fragment = (Vec<(String, Node<String>)>, u32);

#[derive(Default)]
pub(super) struct Fragments {
    /// The entries of a list before its fault, and their bytes.
    pub(super) whole: Vec<(Node<String>, Range<usize>)>,
    /// The records at the fault and behind it.
    pub(super) broken: Vec<Fragment>,
}

/// The beginning of a record, or a key with a value: a string, a word, or a list or an object in which no list is.
static PIECE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r#"\{|"([^"\\\n]{1,256})"\s*:\s*("(?:[^"\\\n]|\\.)*"|\[(?:[^\[\]{}]|\{[^{}]*\})*\]|\{[^{}\[\]]*\}|[^\s,\[\]{}"]+)"#,
    )
    .ok()
});

/// Reads what is left of a text that begins on `line` of its file and is no JSON. A key that is given twice keeps its first value.
pub(super) fn fragments(text: &str, line: u32) -> Fragments {
    let lines = LineStarts::of(text);
    let line_of = |at: usize| line - 1 + lines.line(at);
    let mut found = Fragments::default();
    let mut end =
        text.find(|c: char| !c.is_whitespace()).filter(|at| text[*at..].starts_with('[')).map_or(0, |at| at + 1);
    let entry = |end: usize| {
        let start = text.len() - text[end..].trim_start_matches([' ', '\t', '\n', '\r', ',']).len();
        let mut values = serde_json::Deserializer::from_str(&text[start..]).into_iter::<&RawValue>();
        let entry = start..start + values.next()?.ok()?.get().len();
        let goes_on = text[entry.end..].trim_start().starts_with([',', ']']);
        let node = read_json(&text[entry.clone()], line_of(start)).ok()?;
        (goes_on && matches!(node.value, Value::Map(_))).then_some((node, entry))
    };
    while let Some(entry) = Some(end).filter(|end| *end > 0).and_then(entry) {
        end = entry.1.end;
        found.whole.push(entry);
    }
    let (mut open, mut seen): (Fragment, _) = ((Vec::new(), line_of(end)), HashSet::new());
    for piece in PIECE.iter().flat_map(|piece| piece.captures_iter(&text[end..])) {
        if let (Some(key), Some(value)) = (piece.get(1), piece.get(2)) {
            let node = read_json(value.as_str(), line_of(end + value.start()));
            open.0.extend(node.ok().filter(|_| seen.insert(key.as_str())).map(|node| (key.as_str().to_owned(), node)));
        } else {
            let start = piece.get(0).map_or(0, |piece| piece.start());
            found.broken.push(std::mem::replace(&mut open, (Vec::new(), line_of(end + start))));
            seen.clear();
        }
    }
    found.broken.push(open);
    found.broken.retain(|(pairs, _)| !pairs.is_empty());
    found
}
