//! YAML → [`Node`]s, through the reader that the configuration uses too.

use crate::model::{Node, Value, conflict_line};
use crate::yaml::{self, YamlDialect, YamlError, YamlNode, YamlValue};

/// A violation of a file format, with its line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SyntaxFault {
    /// The line, from 1.
    pub line: u32,
    /// The message, as a diagnostic shows it.
    pub message: String,
}

impl SyntaxFault {
    /// A fault at a line.
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
pub(super) fn documents(text: &str) -> (Vec<Node<String>>, Option<SyntaxFault>) {
    if let Some(line) = conflict_line(text) {
        let message = "it has conflict markers: resolve the conflict, then `git add` the file";
        return (Vec::new(), Some(SyntaxFault::new(line, message)));
    }
    let (documents, error) = yaml::documents(text, YamlDialect::Data);
    (documents.into_iter().map(node).collect(), error.map(SyntaxFault::from))
}

/// Reads a text that is one value; `None` if it holds nothing.
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
