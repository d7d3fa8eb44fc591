//! Values of YAML and JSON with their lines.

/// A value of YAML or JSON with the line where it starts, its scalars spelled as written.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Node<T> {
    /// The line in the file, from 1.
    pub line: u32,
    /// The value.
    pub value: Value<T>,
}

/// The shapes that a field may have.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Value<T> {
    /// Nothing, `~`, `null`.
    Null,
    /// A string, number or boolean.
    Scalar {
        /// As spelled.
        text: T,
        /// Whether it was not quoted, so that `12` is a number and `true` a boolean.
        plain: bool,
    },
    /// A list.
    List(Vec<Node<T>>),
    /// Keys and values in source order; no key twice.
    Map(Vec<(T, Node<T>)>),
}

impl<T: AsRef<str>> Node<T> {
    /// Returns the node with every text replaced by the result of `f` for its key, text and line.
    ///
    /// The key of a value is the name that it has in the innermost map, else `key`; keys themselves have an empty key.
    pub fn map<'a, U>(&'a self, key: &'a str, f: &mut impl FnMut(&'a str, &'a T, u32) -> U) -> Node<U> {
        let value = match &self.value {
            Value::Null => Value::Null,
            Value::Scalar { text, plain } => Value::Scalar { text: f(key, text, self.line), plain: *plain },
            Value::List(nodes) => Value::List(nodes.iter().map(|node| node.map(key, f)).collect()),
            Value::Map(pairs) => Value::Map(
                pairs.iter().map(|(name, node)| (f("", name, node.line), node.map(name.as_ref(), f))).collect(),
            ),
        };
        Node { line: self.line, value }
    }
}
