//! YAML → [`Node`]s, from events, so that scalars keep their spelling and values their lines.

use crate::parse::record::{Node, Value};
use saphyr_parser::{Event, Parser, ScalarStyle};
use std::collections::{HashMap, HashSet};

/// The most bytes of a YAML file.
pub(super) const LARGEST: usize = 1 << 20;
/// How deep values may nest.
const DEEPEST: usize = 256;
/// How many nodes aliases may add to one text: what they repeat, and what is kept for them to repeat.
const ALIASED_NODES: usize = 100_000;
/// How many bytes of text aliases may add.
const ALIASED_BYTES: usize = 4 << 20;

/// Why a text is not what its format demands, and on which of its lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SyntaxFault {
    /// The line, from 1.
    pub(super) line: u32,
    /// In the words of a diagnostic.
    pub(super) message: String,
}

impl SyntaxFault {
    /// A fault at a line.
    pub(super) fn new(line: u32, message: impl Into<String>) -> Self {
        Self { line, message: message.into() }
    }
}

/// Reads the documents of a YAML text; those before a fault are given too.
///
/// Aliases are expanded under a budget, duplicate keys refused; `<<` is a key
/// like any other.
pub(super) fn documents(text: &str) -> (Vec<Node<String>>, Option<SyntaxFault>) {
    let mut reader = YamlReader::default();
    if text.len() > LARGEST {
        return (Vec::new(), Some(SyntaxFault::new(1, format!("it is larger than {LARGEST} bytes"))));
    }
    let fault = reader.read(text).err();
    (reader.documents, fault)
}

/// Reads a text that is one value; `None` where it holds nothing.
pub(super) fn one(text: &str) -> Result<Option<Node<String>>, SyntaxFault> {
    match documents(text) {
        (_, Some(fault)) => Err(fault),
        (mut documents, None) if documents.len() < 2 => Ok(documents.pop()),
        (documents, None) => {
            let line = documents.get(1).map_or(1, |node| node.line);
            Err(SyntaxFault::new(line, "it holds more than one document"))
        }
    }
}

/// A collection that is not finished.
struct OpenNode {
    line: u32,
    anchor: usize,
    kind: Kind,
}

enum Kind {
    List(Vec<Node<String>>),
    Map { pairs: Vec<(String, Node<String>)>, key: Option<String>, seen: HashSet<String> },
}

#[derive(Default)]
struct YamlReader {
    documents: Vec<Node<String>>,
    open: Vec<OpenNode>,
    anchors: HashMap<usize, Node<String>>,
    aliased_nodes: usize,
    aliased_bytes: usize,
}

impl YamlReader {
    fn read(&mut self, text: &str) -> Result<(), SyntaxFault> {
        let mut parser = Parser::new_from_str(text);
        while let Some(event) = parser.next_event() {
            let (event, span) = event
                .map_err(|error| SyntaxFault::new(line_number(error.marker().line()), error.info().to_lowercase()))?;
            let line = line_number(span.start.line());
            match event {
                Event::StreamEnd => break,
                Event::Scalar(text, style, anchor, tag) => {
                    let plain = style == ScalarStyle::Plain && tag.is_none();
                    let value = match &*text {
                        "" | "~" | "null" | "Null" | "NULL" if plain => Value::Null,
                        text => Value::Scalar { text: text.to_owned(), plain },
                    };
                    self.value(Node { line, value }, anchor)?;
                }
                Event::SequenceStart(anchor, _) => self.begin(line, anchor, Kind::List(Vec::new()))?,
                Event::MappingStart(anchor, _) => {
                    self.begin(line, anchor, Kind::Map { pairs: Vec::new(), key: None, seen: HashSet::new() })?;
                }
                Event::SequenceEnd | Event::MappingEnd => self.end()?,
                Event::Alias(anchor) => {
                    let node = self
                        .anchors
                        .get(&anchor)
                        .ok_or_else(|| SyntaxFault::new(line, "an alias stands inside the value that it names"))?
                        .clone();
                    self.charge(&node, line)?;
                    self.value(Node { line, ..node }, 0)?;
                }
                Event::Nothing | Event::StreamStart | Event::DocumentStart(_) | Event::DocumentEnd => {}
            }
        }
        Ok(())
    }

    fn begin(&mut self, line: u32, anchor: usize, kind: Kind) -> Result<(), SyntaxFault> {
        if self.open.len() >= DEEPEST {
            return Err(SyntaxFault::new(line, format!("values nest deeper than {DEEPEST} levels")));
        }
        self.open.push(OpenNode { line, anchor, kind });
        Ok(())
    }

    fn end(&mut self) -> Result<(), SyntaxFault> {
        let Some(OpenNode { line, anchor, kind }) = self.open.pop() else {
            return Ok(());
        };
        let value = match kind {
            Kind::List(nodes) => Value::List(nodes),
            Kind::Map { pairs, .. } => Value::Map(pairs),
        };
        self.value(Node { line, value }, anchor)
    }

    /// Puts a finished value where it belongs.
    fn value(&mut self, node: Node<String>, anchor: usize) -> Result<(), SyntaxFault> {
        if anchor != 0 {
            self.charge(&node, node.line)?;
            self.anchors.insert(anchor, node.clone());
        }
        let line = node.line;
        match self.open.last_mut() {
            None => self.documents.push(node),
            Some(OpenNode { kind: Kind::List(nodes), .. }) => nodes.push(node),
            Some(OpenNode { kind: Kind::Map { pairs, key, seen }, .. }) => match key.take() {
                Some(key) => pairs.push((key, node)),
                None => {
                    let name = match node.value {
                        Value::Scalar { text, .. } => text,
                        Value::Null => String::new(),
                        Value::List(_) | Value::Map(_) => {
                            return Err(SyntaxFault::new(line, "a key is not a text"));
                        }
                    };
                    if !seen.insert(name.clone()) {
                        return Err(SyntaxFault::new(line, format!("the key `{name}` stands there twice")));
                    }
                    *key = Some(name);
                }
            },
        }
        Ok(())
    }

    fn charge(&mut self, node: &Node<String>, line: u32) -> Result<(), SyntaxFault> {
        let (nodes, bytes, depth) = size(node);
        if self.open.len() + depth > DEEPEST {
            return Err(SyntaxFault::new(line, format!("values nest deeper than {DEEPEST} levels")));
        }
        self.aliased_nodes += nodes;
        self.aliased_bytes += bytes;
        if self.aliased_nodes > ALIASED_NODES || self.aliased_bytes > ALIASED_BYTES {
            return Err(SyntaxFault::new(line, "aliases make it too large"));
        }
        Ok(())
    }
}

/// Nodes, bytes of text and levels of a value.
fn size(node: &Node<String>) -> (usize, usize, usize) {
    let mut todo = vec![(node, 1)];
    let (mut nodes, mut bytes, mut deepest) = (0, 0, 0);
    while let Some((node, depth)) = todo.pop() {
        nodes += 1;
        deepest = deepest.max(depth);
        match &node.value {
            Value::Null => {}
            Value::Scalar { text, .. } => bytes += text.len(),
            Value::List(list) => todo.extend(list.iter().map(|node| (node, depth + 1))),
            Value::Map(pairs) => {
                for (key, value) in pairs {
                    bytes += key.len();
                    todo.push((value, depth + 1));
                }
            }
        }
    }
    (nodes, bytes, deepest)
}

fn line_number(line: usize) -> u32 {
    u32::try_from(line).unwrap_or(u32::MAX).max(1)
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    fn map(text: &str) -> Vec<(String, Node<String>)> {
        match one(text).unwrap().unwrap().value {
            Value::Map(pairs) => pairs,
            other => unreachable!("no map: {other:?}"),
        }
    }

    fn scalar(text: &str, plain: bool) -> Value<String> {
        Value::Scalar { text: text.to_owned(), plain }
    }

    #[test]
    fn scalars_keep_their_spelling_and_their_quotes_are_remembered() {
        for written in ["4.10", "0012", "0x1F", "1e3", "no", "2024-01-02", "1_000"] {
            assert_eq!(map(&format!("a: {written}"))[0].1.value, scalar(written, true));
            assert_eq!(map(&format!("a: '{written}'"))[0].1.value, scalar(written, false));
        }
    }

    #[test]
    fn only_plain_words_are_null() {
        for written in ["", "~", "null"] {
            assert_eq!(map(&format!("a: {written}\nb: 1"))[0].1.value, Value::Null, "{written}");
        }
        assert_eq!(map("a: 'null'")[0].1.value, scalar("null", false));
        assert_eq!(map("a: ''")[0].1.value, scalar("", false));
    }

    #[test]
    fn every_value_has_its_line_and_comments_are_none() {
        let pairs = map("a: kinflate # why\nb:\n  - x\n  # y\n  - z\nc: {d: e}\n");
        assert_eq!(pairs[0].1.value, scalar("kinflate", true));
        let Value::List(list) = &pairs[1].1.value else { unreachable!() };
        assert_eq!(list.iter().map(|node| node.line).collect::<Vec<_>>(), [3, 5]);
        assert_eq!(pairs[2].1.line, 6);
    }

    #[test]
    fn a_key_that_stands_twice_is_refused_with_its_line() {
        let fault = one("a: 1\nb: 2\na: 3\n").unwrap_err();
        assert_eq!((fault.line, fault.message.contains("`a`")), (3, true));
    }

    #[test]
    fn documents_before_a_fault_are_kept() {
        let (documents, fault) = documents("a: 1\n---\nb: 2\n---\nc: @x\n");
        assert_eq!(documents.len(), 2);
        assert_eq!(fault.unwrap().line, 5);
    }

    #[test]
    fn an_alias_repeats_its_value() {
        let pairs = map("a: &x [1, 2]\nb: *x\n");
        let Value::List(list) = &pairs[1].1.value else { unreachable!() };
        assert_eq!((pairs[1].1.line, list.len()), (2, 2));
    }

    #[test]
    fn alias_bombs_end_in_an_error() {
        let mut wide = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x]\n");
        for level in 1..12 {
            let above = format!("*a{}, ", level - 1).repeat(9);
            wide.push_str(&format!("a{level}: &a{level} [{above}]\n"));
        }
        assert!(one(&wide).unwrap_err().message.contains("aliases"));
        let long = format!("a: &a {}\nb: [{}]\n", "x".repeat(100_000), "*a, ".repeat(1000));
        assert!(one(&long).unwrap_err().message.contains("aliases"));
        let mut deep = String::from("a0: &a0 [x]\n");
        for level in 1..600 {
            deep.push_str(&format!("a{level}: &a{level} [*a{}]\n", level - 1));
        }
        assert!(one(&deep).unwrap_err().message.contains("nest"));
        assert!(one("a: &a [*a]").is_err());
    }

    #[test]
    fn deep_and_large_texts_end_in_an_error() {
        for deep in ["[", "{", "{a: ", "- ", "? "] {
            assert!(one(&deep.repeat(100_000)).is_err(), "{deep}");
        }
        assert!(one(&"x".repeat(LARGEST + 1)).is_err());
        let fits = format!("a: {}1{}", "[".repeat(200), "]".repeat(200));
        assert!(one(&fits).is_ok());
    }
}
