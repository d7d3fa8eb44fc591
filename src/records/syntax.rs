//! YAML and JSON → [`Node`]s: numbers keep their spelling, values their lines, and duplicate keys are refused.

use crate::model::{Node, Value, conflict_line, whole_surrogates};
use crate::yaml::{self, YamlDialect, YamlError, YamlNode, YamlValue};
use serde_json::value::RawValue;
use std::collections::HashSet;
use std::ops::Range;

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

impl From<YamlError> for SyntaxFault {
    fn from(error: YamlError) -> Self {
        Self::new(error.at.line, error.kind.to_string())
    }
}

/// Reads the documents of a YAML text; those before a fault are returned with it.
pub(super) fn yaml_documents(text: &str) -> (Vec<Node<String>>, Option<SyntaxFault>) {
    if let Some(line) = conflict_line(text) {
        let message = "it has conflict markers: resolve the conflict, then `git add` the file";
        return (Vec::new(), Some(SyntaxFault::new(line, message)));
    }
    let (documents, error) = yaml::documents(text, YamlDialect::Data);
    (documents.into_iter().map(node).collect(), error.map(SyntaxFault::from))
}

/// Reads a text that is one value; `None` if it holds nothing.
pub(super) fn one_yaml(text: &str) -> Result<Option<Node<String>>, SyntaxFault> {
    match yaml_documents(text) {
        (_, Some(fault)) => Err(fault),
        (mut documents, None) if documents.len() < 2 => Ok(documents.pop()),
        (documents, None) => {
            let line = documents.get(1).map_or(1, |node| node.line);
            Err(SyntaxFault::new(line, "it holds more than one document"))
        }
    }
}

/// Recursion is as deep as the reader allows values to nest.
fn node(read: YamlNode) -> Node<String> {
    let value = match read.value {
        YamlValue::Null => Value::Null,
        YamlValue::Scalar { text, plain } => Value::Scalar { text, plain },
        YamlValue::List(nodes) => Value::List(nodes.into_iter().map(node).collect()),
        YamlValue::Map(pairs) => Value::Map(pairs.into_iter().map(|(key, value)| (key.text, node(value))).collect()),
    };
    Node { line: read.at.line, value }
}

const DEEPEST: usize = 128;

pub(super) struct JsonText {
    pub(super) node: Node<String>,
    /// The bytes of each entry if the value is a list.
    pub(super) entries: Vec<Range<usize>>,
    /// The line of the first half of a surrogate pair, which was read as U+FFFD.
    pub(super) halved: Option<u32>,
}

/// Reads one JSON value that begins on `line` of its file.
pub(super) fn read_json(text: &str, line: u32) -> Result<JsonText, SyntaxFault> {
    // serde_json checks the grammar, so that the cursor below may rely on it.
    serde_json::from_str::<&RawValue>(text).map_err(|error| {
        let at = u32::try_from(error.line()).unwrap_or(1).max(1);
        let words = error.to_string();
        let words = words.split(" at line ").next().unwrap_or_default().to_lowercase();
        SyntaxFault::new(line + at - 1, words)
    })?;
    let mut cursor = Cursor { text, at: 0, line, entries: Vec::new(), halved: None };
    let node = cursor.value(0)?;
    Ok(JsonText { node, entries: cursor.entries, halved: cursor.halved })
}

struct Cursor<'a> {
    text: &'a str,
    at: usize,
    line: u32,
    entries: Vec<Range<usize>>,
    halved: Option<u32>,
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
            let start = self.at;
            nodes.push(self.value(depth + 1)?);
            if depth == 0 {
                self.entries.push(start..self.at);
            }
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
        let whole = |written: &str| serde_json::from_str(written);
        if let Ok(text) = whole(written) {
            return Ok(text);
        }
        self.halved.get_or_insert(self.line);
        whole(&whole_surrogates(written))
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
