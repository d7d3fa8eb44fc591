//! What can be made out of a JSON text that cannot be read: the entries before the fault, keys and values after it.

use crate::model::{Node, Value};
use crate::records::syntax::{JsonText, read_json};
use serde_json::value::RawValue;
use std::collections::HashSet;
use std::ops::Range;

/// How many lists and maps behind the fault are read in vain, each perhaps up to the end of the text.
const MOST_TRIES: u32 = 64;
const LONGEST_KEY: usize = 256;

type Pairs = Vec<(String, Node<String>)>;
/// What is left of a record, and its line.
pub(super) type Fragment = (Pairs, u32);

#[derive(Default)]
pub(super) struct Fragments {
    /// The entries of a list before its fault, and their bytes.
    pub(super) whole: Vec<(JsonText, Range<usize>)>,
    /// The records at the fault and behind it.
    pub(super) broken: Vec<Fragment>,
}

/// Reads what is left of a text that begins on `line` of its file and is no JSON.
///
/// A string that is cut off has no value, and a key that is given twice keeps its first.
pub(super) fn fragments(text: &str, line: u32) -> Fragments {
    let mut scanner = Scanner { text, at: 0, line, tries: MOST_TRIES };
    let mut found = Fragments::default();
    if let Some(start) = text.find(|c: char| !c.is_whitespace()).filter(|start| text[*start..].starts_with('[')) {
        scanner.advance(start + 1);
        while let Some(entry) = scanner.entry() {
            found.whole.push(entry);
        }
    }
    let mut open: (Pairs, u32) = (Vec::new(), scanner.line);
    let mut seen = HashSet::new();
    while let Some(next) = scanner.rest().chars().next() {
        match next {
            '{' => {
                found.broken.push(std::mem::replace(&mut open, (Vec::new(), scanner.line)));
                seen.clear();
                scanner.advance(1);
            }
            '"' | '\'' => {
                if let Some((key, node)) = scanner.pair()
                    && seen.insert(key.clone())
                {
                    open.0.push((key, node));
                }
            }
            other => scanner.advance(other.len_utf8()),
        }
    }
    found.broken.push(open);
    found.broken.retain(|(pairs, _)| !pairs.is_empty());
    found
}

struct Scanner<'a> {
    text: &'a str,
    at: usize,
    line: u32,
    tries: u32,
}

impl<'a> Scanner<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn advance(&mut self, by: usize) {
        let end = (self.at + by).min(self.text.len());
        self.line += u32::try_from(self.text[self.at..end].matches('\n').count()).unwrap_or(0);
        self.at = end;
    }

    fn skip(&mut self, skipped: &[char]) {
        self.advance(self.rest().len() - self.rest().trim_start_matches(skipped).len());
    }

    /// Consumes the next entry of a list, if it is an object that can be read and the list goes on or ends behind it.
    fn entry(&mut self) -> Option<(JsonText, Range<usize>)> {
        self.skip(&[' ', '\t', '\n', '\r', ',']);
        let length = self.rest().starts_with('{').then(|| value_length(self.rest())).flatten()?;
        let (value, behind) = self.rest().split_at(length);
        let json = read_json(value, self.line).ok()?;
        let range = self.at..self.at + length;
        behind.trim_start().starts_with([',', ']']).then(|| self.advance(length))?;
        Some((json, range))
    }

    /// Consumes a key and its value; `None` if the quote begins something else, or the value cannot be made out.
    fn pair(&mut self) -> Option<(String, Node<String>)> {
        let quote = self.rest().chars().next()?;
        let inner = &self.rest()[1..];
        let end = inner.find([quote, '\n']).filter(|end| inner[*end..].starts_with(quote) && *end <= LONGEST_KEY);
        let Some(end) = end else {
            self.advance(1);
            return None;
        };
        let key = &inner[..end];
        let behind = inner[end + 1..].trim_start_matches([' ', '\t']);
        if !behind.starts_with(':') {
            let is_string = behind.is_empty() || behind.starts_with([',', ']', '}', '\n']);
            self.advance(if is_string { end + 2 } else { 1 });
            return None;
        }
        self.advance(self.rest().len() - behind.len() + 1);
        self.skip(&[' ', '\t', '\n', '\r']);
        Some((key.to_owned(), self.value()?))
    }

    fn value(&mut self) -> Option<Node<String>> {
        let (rest, line) = (self.rest(), self.line);
        match rest.chars().next()? {
            quote @ ('"' | '\'') => {
                let length = string_length(rest, quote);
                self.advance(length.unwrap_or_else(|| rest.find('\n').unwrap_or(rest.len())));
                let written = &rest[..length?];
                let bare = || written[1..written.len() - 1].to_owned();
                let text = read_json(written, line).ok().and_then(|json| match json.node.value {
                    Value::Scalar { text, .. } => Some(text),
                    _ => None,
                });
                Some(Node { line, value: Value::Scalar { text: text.unwrap_or_else(bare), plain: false } })
            }
            '{' | '[' => {
                let read = (self.tries > 0).then(|| value_length(rest)).flatten();
                let read = read.and_then(|length| Some((read_json(&rest[..length], line).ok()?.node, length)));
                self.tries -= u32::from(read.is_none() && self.tries > 0);
                self.advance(read.as_ref().map_or(1, |(_, length)| *length));
                read.map(|(node, _)| node)
            }
            _ => {
                let word = &rest[..rest.find([',', ']', '}', '\n', ' ']).unwrap_or(rest.len())];
                self.advance(word.len());
                read_json(word, line).ok().map(|json| json.node)
            }
        }
    }
}

/// Returns how long the JSON value is that a text begins with.
fn value_length(text: &str) -> Option<usize> {
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<&RawValue>();
    values.next()?.ok().map(|value| value.get().len())
}

/// Returns how long the string is that a text begins with: up to a quote on the same line which a value could end with. Other
/// quotes belong to it.
fn string_length(text: &str, quote: char) -> Option<usize> {
    let mut is_escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            '\n' => return None,
            '\\' => is_escaped = !is_escaped,
            c if c == quote && !is_escaped => {
                let behind = text[at + 1..].trim_start();
                // A key may follow without a comma.
                let is_key =
                    |text: &str| text.split_once(quote).is_some_and(|(_, rest)| rest.trim_start().starts_with(':'));
                let is_before_key = || behind.strip_prefix(quote).is_some_and(is_key);
                if behind.is_empty() || behind.starts_with([',', '}', ']']) || is_before_key() {
                    return Some(at + 1);
                }
            }
            _ => is_escaped = false,
        }
    }
    None
}
