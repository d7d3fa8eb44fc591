//! The one YAML reader: text → [`YamlNode`]s that know their line, column and spelling.
//!
//! Work items and the configuration are read from the events of `saphyr-parser` into the same tree. The configuration
//! then becomes typed by `serde` over that tree; neither goes through `serde_yaml` (tried in 0.10 of its successor,
//! `yaml_serde`):
//!
//! - The scalars of a work item keep their spelling (`4.10`, `0012`, `no`), and any field may be a list or a map.
//!   `serde_yaml` decides on a type first, which makes 4.1 of the first.
//! - Every message on the configuration names a line and a column. Most come from checks that follow the reading (a glob
//!   that does not compile, two rules of one name), and the values of `serde_yaml` have lost their places by then.
//! - All unknown settings are reported in one run, each with its own suggestion, where `serde_yaml` stops at the first.
//! - A key that is given twice in a map of names, such as `profiles`, is an error here; there the last one wins.

use saphyr_parser::{Event, Marker, Parser, ScalarStyle, Tag};
use std::collections::{BTreeSet, HashMap};
use thiserror::Error;

/// The most bytes of a text.
const MAX_BYTES: usize = 1 << 20;
/// How deep lists and maps may nest, with aliases written out.
const MAX_DEPTH: usize = 256;
/// How many nodes aliases may add to a text: the copies they make, and those that their anchors keep.
const MAX_ALIASED_NODES: usize = 100_000;
/// How many bytes of scalars aliases may add.
const MAX_ALIASED_BYTES: usize = 4 << 20;

/// How far a line is moved that saphyr wants deeper, and how often such lines are looked for.
const SHIFT: usize = 64;
const MAX_SHIFTS: usize = 64;

/// A line and a column in characters, both from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Position {
    pub(crate) line: u32,
    pub(crate) column: u32,
}

impl Position {
    /// The beginning of a text.
    pub(crate) const START: Self = Self { line: 1, column: 1 };

    fn of(marker: &Marker) -> Self {
        let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        Self { line: number(marker.line()).max(1), column: number(marker.col()).saturating_add(1) }
    }
}

/// A value and where it begins. An alias begins at its own place, the values inside it where they are written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct YamlNode {
    pub(crate) at: Position,
    pub(crate) value: YamlValue,
}

/// The shapes of values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum YamlValue {
    /// An absent value, `~` or `null`.
    Null,
    /// Any other scalar.
    Scalar {
        /// The scalar as spelled, without quotes.
        text: String,
        /// Whether it has neither quotes nor a tag, so that `12` is a number and `true` a boolean.
        plain: bool,
    },
    /// A list.
    List(Vec<YamlNode>),
    /// Keys and values in source order, those that `<<` merges after the map's own; no key twice.
    Map(Vec<(YamlKey, YamlNode)>),
}

/// The key of a map and where it begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct YamlKey {
    pub(crate) at: Position,
    pub(crate) text: String,
}

/// How much of YAML a text may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum YamlDialect {
    /// Data of other tools: several documents, empty keys, and tags, whose scalars are not plain.
    Data,
    /// Settings: one document, no empty key, no tag but those that YAML itself defines, which change nothing.
    Settings,
}

/// An error in a text, with its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct YamlError {
    pub(crate) at: Position,
    pub(crate) kind: YamlErrorKind,
}

/// The reasons to refuse a text.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub(crate) enum YamlErrorKind {
    /// It is not YAML; the parser's words.
    #[error("{}", .0.to_lowercase())]
    Syntax(String),
    #[error("it is larger than {MAX_BYTES} bytes")]
    TooLarge,
    #[error("values nest deeper than {MAX_DEPTH} levels")]
    TooDeep,
    #[error("aliases make it too large")]
    TooManyAliases,
    #[error("an alias stands inside the value that it names")]
    RecursiveAlias,
    /// A list or map where a key belongs; settings only.
    #[error("a key is not a text")]
    KeyNotText,
    #[error("the key `{key}` stands there twice")]
    DuplicateKey { key: String, first: Position },
    /// A value of `<<` that is neither a map nor a list of maps.
    #[error("`<<` merges maps only")]
    MergeOfNoMap,
    /// A key without a text; settings only.
    #[error("a key is empty")]
    EmptyKey,
    /// A tag that YAML does not define; settings only.
    #[error("the tag `{0}` means nothing here")]
    CustomTag(String),
    /// A second document; settings only.
    #[error("the file holds more than one YAML document")]
    SecondDocument,
}

impl YamlErrorKind {
    fn at(self, at: Position) -> YamlError {
        YamlError { at, kind: self }
    }
}

/// Reads the documents of `text`; those before an error are returned with it.
///
/// Aliases are expanded within a budget.
pub(crate) fn documents(text: &str, dialect: YamlDialect) -> (Vec<YamlNode>, Option<YamlError>) {
    if text.len() > MAX_BYTES {
        return (Vec::new(), Some(YamlErrorKind::TooLarge.at(Position::START)));
    }
    let mut shifted = BTreeSet::new();
    let read = events(text, dialect, &shifted);
    if !matches!(read.1, Some(YamlError { kind: YamlErrorKind::Syntax(_), .. })) {
        return read;
    }
    // The parser refuses a tab between a key's colon and its value, which YAML 1.2.2 (6.2) allows, and lines of a list, map or
    // quoted text that stand no deeper than their key, which libyaml and thus most programs accept.
    let mut text = spaced(text, false).unwrap_or_else(|| text.to_owned());
    for _ in 0..MAX_SHIFTS {
        let again = events(&text, dialect, &shifted);
        let Some(YamlError { kind: YamlErrorKind::Syntax(why), at }) = &again.1 else { return again };
        match with_shifted_lines(&text, why, *at, &mut shifted) {
            Some(next) => text = next,
            None => break,
        }
    }
    read
}

/// Indents the lines that are not deep enough for the parser, from that of its error up to the first that can end the list, map or
/// quoted text around it, where indents mean nothing.
fn with_shifted_lines(text: &str, why: &str, at: Position, shifted: &mut BTreeSet<u32>) -> Option<String> {
    let is_quoted = why.ends_with("quoted scalar");
    let is_indent = why.starts_with("invalid indentation") && text.len() < 4 * MAX_BYTES;
    let ends: &[char] = if is_quoted { &['"', '\''] } else { &[']', '}'] };
    let mut next = (at.line + u32::from(is_quoted)..).find(|line| !shifted.contains(line)).filter(|_| is_indent);
    let mut out = String::with_capacity(text.len() + SHIFT);
    for (line, content) in (1..).zip(text.split_inclusive('\n')) {
        if next == Some(line) {
            shifted.insert(line);
            out.push_str(&" ".repeat(SHIFT));
            next = (!content.contains(ends)).then_some(line + 1);
        }
        out.push_str(content);
    }
    (out.len() > text.len()).then_some(out)
}

/// Returns the text with spaces in place of the tabs behind keys and, with `indents`, of those that indent lines; `None` if it
/// has none. Texts in blocks keep theirs, and every place stays the same.
pub(crate) fn spaced(text: &str, indents: bool) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    // The indent of the line that begins the open text in a block.
    let mut block: Option<usize> = None;
    for line in text.split_inclusive('\n') {
        let content = line.trim_start_matches([' ', '\t']);
        let (indent, content) = line.split_at(line.len() - content.len());
        if block.is_some_and(|block| content.trim().is_empty() || indent.len() > block) {
            out.push_str(line);
            continue;
        }
        let header = content.trim_end().trim_end_matches(|c: char| matches!(c, '+' | '-') || c.is_ascii_digit());
        let key = header.strip_suffix(['|', '>']).map(str::trim_end);
        block = key.filter(|key| key.ends_with([':', '-'])).map(|_| indent.len());
        out.push_str(&if indents { indent.replace('\t', " ") } else { indent.to_owned() });
        let (mut behind_colon, mut quote) = (false, None);
        for c in content.chars() {
            match c {
                '"' | '\'' if quote.is_none() => quote = Some(c),
                c if quote == Some(c) => quote = None,
                _ => {}
            }
            let is_tab = behind_colon && c == '\t';
            behind_colon = is_tab || c == ':' && quote.is_none();
            out.push(if is_tab { ' ' } else { c });
        }
    }
    (out != text).then_some(out)
}

fn events(text: &str, dialect: YamlDialect, shifted: &BTreeSet<u32>) -> (Vec<YamlNode>, Option<YamlError>) {
    let place = |marker: &Marker| {
        let Position { line, column } = Position::of(marker);
        let by = if shifted.contains(&line) { SHIFT as u32 } else { 0 };
        Position { line, column: column.saturating_sub(by).max(1) }
    };
    let mut builder = TreeBuilder::new(dialect);
    for event in Parser::new_from_str(text) {
        let added = match event {
            Ok((event, span)) => builder.add_event(event, place(&span.start)),
            Err(error) => Err(YamlErrorKind::Syntax(error.info().to_owned()).at(place(error.marker()))),
        };
        if let Err(error) = added {
            return (builder.documents, Some(error));
        }
    }
    (builder.documents, None)
}

/// A list or map whose end has not been read.
struct OpenCollection {
    at: Position,
    anchor: usize,
    items: OpenItems,
}

enum OpenItems {
    List(Vec<YamlNode>),
    Map {
        pairs: Vec<(YamlKey, YamlNode)>,
        /// The key whose value comes next, and whether that is merged into the map.
        key: Option<(YamlKey, bool)>,
        merged: Vec<YamlNode>,
        seen: HashMap<String, Position>,
    },
}

/// Builds trees from the parser's events.
struct TreeBuilder {
    dialect: YamlDialect,
    documents: Vec<YamlNode>,
    /// The number of documents begun so far.
    document_count: usize,
    open: Vec<OpenCollection>,
    /// Values by the number of their anchor. A collection is added at its end, so that an alias inside it finds nothing.
    anchors: HashMap<usize, YamlNode>,
    aliased_nodes: usize,
    aliased_bytes: usize,
}

impl TreeBuilder {
    fn new(dialect: YamlDialect) -> Self {
        let (documents, document_count, open, anchors, aliased_nodes, aliased_bytes) = Default::default();
        Self { dialect, documents, document_count, open, anchors, aliased_nodes, aliased_bytes }
    }

    fn add_event(&mut self, event: Event<'_>, at: Position) -> Result<(), YamlError> {
        match event {
            Event::DocumentStart(_) => {
                self.document_count += 1;
                if self.document_count > 1 && self.dialect == YamlDialect::Settings {
                    return Err(YamlErrorKind::SecondDocument.at(at));
                }
            }
            Event::Scalar(text, style, anchor, tag) => {
                let plain = !self.has_tag(tag.as_deref(), at)? && style == ScalarStyle::Plain;
                let value = match &*text {
                    "" | "~" | "null" | "Null" | "NULL" if plain => YamlValue::Null,
                    _ => YamlValue::Scalar { text: text.into_owned(), plain },
                };
                self.add(YamlNode { at, value }, anchor)?;
            }
            Event::SequenceStart(anchor, tag) => {
                self.has_tag(tag.as_deref(), at)?;
                self.begin(at, anchor, OpenItems::List(Vec::new()))?;
            }
            Event::MappingStart(anchor, tag) => {
                self.has_tag(tag.as_deref(), at)?;
                let (pairs, merged) = (Vec::new(), Vec::new());
                self.begin(at, anchor, OpenItems::Map { pairs, key: None, merged, seen: HashMap::new() })?;
            }
            Event::SequenceEnd | Event::MappingEnd => {
                if let Some(OpenCollection { at, anchor, items }) = self.open.pop() {
                    let value = match items {
                        OpenItems::List(nodes) => YamlValue::List(nodes),
                        OpenItems::Map { pairs, merged, seen, .. } => YamlValue::Map(merge(pairs, merged, seen)?),
                    };
                    self.add(YamlNode { at, value }, anchor)?;
                }
            }
            Event::Alias(anchor) => {
                let repeated = self.anchors.get(&anchor).cloned();
                let node = YamlNode { at, ..repeated.ok_or(YamlErrorKind::RecursiveAlias.at(at))? };
                self.charge(&node)?;
                self.add(node, 0)?;
            }
            Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentEnd => {}
        }
        Ok(())
    }

    /// Whether a value has a tag that counts in this dialect.
    fn has_tag(&self, tag: Option<&Tag>, at: Position) -> Result<bool, YamlError> {
        match (tag, self.dialect) {
            (None, _) => Ok(false),
            (Some(_), YamlDialect::Data) => Ok(true),
            (Some(tag), YamlDialect::Settings) if tag.is_yaml_core_schema() => Ok(false),
            (Some(tag), YamlDialect::Settings) => Err(YamlErrorKind::CustomTag(tag.to_string()).at(at)),
        }
    }

    fn begin(&mut self, at: Position, anchor: usize, items: OpenItems) -> Result<(), YamlError> {
        if self.open.len() >= MAX_DEPTH {
            return Err(YamlErrorKind::TooDeep.at(at));
        }
        self.open.push(OpenCollection { at, anchor, items });
        Ok(())
    }

    /// Adds a complete value to the innermost open collection, or as a document.
    fn add(&mut self, node: YamlNode, anchor: usize) -> Result<(), YamlError> {
        if anchor != 0 {
            self.charge(&node)?;
            self.anchors.insert(anchor, node.clone());
        }
        match self.open.last_mut().map(|open| &mut open.items) {
            None => self.documents.push(node),
            Some(OpenItems::List(nodes)) => nodes.push(node),
            Some(OpenItems::Map { pairs, key, merged, seen }) => match key.take() {
                Some((_, true)) => merged.push(node),
                Some((key, false)) => pairs.push((key, node)),
                None => {
                    let at = node.at;
                    let merges = matches!(&node.value, YamlValue::Scalar { text, plain: true } if text == "<<");
                    let text = match &node.value {
                        YamlValue::Scalar { text, .. } => text.clone(),
                        YamlValue::Null if self.dialect == YamlDialect::Data => String::new(),
                        YamlValue::Null => return Err(YamlErrorKind::EmptyKey.at(at)),
                        YamlValue::List(_) | YamlValue::Map(_) if self.dialect == YamlDialect::Data => flow(&node),
                        YamlValue::List(_) | YamlValue::Map(_) => return Err(YamlErrorKind::KeyNotText.at(at)),
                    };
                    if !merges && let Some(first) = seen.insert(text.clone(), at) {
                        return Err(YamlErrorKind::DuplicateKey { key: text, first }.at(at));
                    }
                    *key = Some((YamlKey { at, text }, merges));
                }
            },
        }
        Ok(())
    }

    /// Charges a value that an anchor keeps or an alias repeats to the budget of aliases.
    fn charge(&mut self, node: &YamlNode) -> Result<(), YamlError> {
        let at = node.at;
        let mut pending = vec![(node, 1)];
        while let Some((node, depth)) = pending.pop() {
            if self.open.len() + depth > MAX_DEPTH {
                return Err(YamlErrorKind::TooDeep.at(at));
            }
            self.aliased_nodes += 1;
            match &node.value {
                YamlValue::Null => {}
                YamlValue::Scalar { text, .. } => self.aliased_bytes += text.len(),
                YamlValue::List(nodes) => pending.extend(nodes.iter().map(|node| (node, depth + 1))),
                YamlValue::Map(pairs) => {
                    for (key, node) in pairs {
                        self.aliased_bytes += key.text.len();
                        pending.push((node, depth + 1));
                    }
                }
            }
        }
        if self.aliased_nodes > MAX_ALIASED_NODES || self.aliased_bytes > MAX_ALIASED_BYTES {
            return Err(YamlErrorKind::TooManyAliases.at(at));
        }
        Ok(())
    }
}

/// Returns a value on one line, such as `{a: 1}`: the text of a key that is a list or map, as templates have (`{{ name }}`).
fn flow(node: &YamlNode) -> String {
    match &node.value {
        YamlValue::Null => String::new(),
        YamlValue::Scalar { text, .. } => text.clone(),
        YamlValue::List(nodes) => format!("[{}]", nodes.iter().map(flow).collect::<Vec<_>>().join(", ")),
        YamlValue::Map(pairs) => {
            let pair = |(key, node): &(YamlKey, YamlNode)| match node.value {
                YamlValue::Null => key.text.clone(),
                _ => format!("{}: {}", key.text, flow(node)),
            };
            format!("{{{}}}", pairs.iter().map(pair).collect::<Vec<_>>().join(", "))
        }
    }
}

/// Adds to a map's own pairs those that it merges: of several with one key the first.
fn merge(
    mut pairs: Vec<(YamlKey, YamlNode)>,
    merged: Vec<YamlNode>,
    mut seen: HashMap<String, Position>,
) -> Result<Vec<(YamlKey, YamlNode)>, YamlError> {
    for YamlNode { at, value } in merged {
        let maps = match value {
            YamlValue::List(nodes) => nodes,
            YamlValue::Null => Vec::new(),
            value => vec![YamlNode { at, value }],
        };
        for map in maps {
            let YamlValue::Map(more) = map.value else { return Err(YamlErrorKind::MergeOfNoMap.at(map.at)) };
            for (key, node) in more {
                if seen.insert(key.text.clone(), key.at).is_none() {
                    pairs.push((key, node));
                }
            }
        }
    }
    Ok(pairs)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::cases::hold_blocks;
    use std::time::{Duration, Instant};

    fn lines(node: &YamlNode, key: &str) -> String {
        let head = format!("{}:{} {key}", node.at.line, node.at.column);
        match &node.value {
            YamlValue::Null => format!("{head}~\n"),
            YamlValue::Scalar { text, plain: true } => format!("{head}= {text}\n"),
            YamlValue::Scalar { text, .. } => format!("{head}{text:?}\n"),
            YamlValue::List(nodes) => nodes.iter().fold(format!("{head}[]\n"), |all, node| all + &lines(node, "- ")),
            YamlValue::Map(pairs) => pairs.iter().fold(format!("{head}{{}}\n"), |all, (key, node)| {
                all + &lines(node, &format!("{}:{} {}: ", key.at.line, key.at.column, key.text))
            }),
        }
    }

    #[test]
    fn texts_are_read_as_the_cases_say() {
        hold_blocks("yaml.txt", |title, text| {
            let dialect = if title == "settings" { YamlDialect::Settings } else { YamlDialect::Data };
            let text = spaced(text, true).filter(|_| title == "spaced").unwrap_or_else(|| text.to_owned());
            let (found, error) = documents(&text, dialect);
            let error = error.map(|error| format!("{}:{} fault: {}\n", error.at.line, error.at.column, error.kind));
            found.iter().map(|node| lines(node, "")).chain(error).collect()
        });
    }

    fn fault(text: &str) -> Option<YamlErrorKind> {
        let start = Instant::now();
        let (_, error) = documents(text, YamlDialect::Data);
        assert!(start.elapsed() < Duration::from_secs(60), "{}", text.get(..20).unwrap_or(text));
        error.map(|error| error.kind)
    }

    #[test]
    fn alias_bombs_are_errors() {
        let bomb = |width: usize, levels: usize| {
            let level = |n: usize| format!("a{n}: &a{n} [{}]\n", format!("*a{}, ", n - 1).repeat(width));
            (1..levels).fold("a0: &a0 [x]\n".to_owned(), |text, n| text + &level(n))
        };
        assert_eq!(fault(&bomb(9, 12)), Some(YamlErrorKind::TooManyAliases));
        assert_eq!(fault(&bomb(2, 40)), Some(YamlErrorKind::TooManyAliases));
        assert_eq!(fault(&bomb(1, 600)), Some(YamlErrorKind::TooDeep));
        let long = format!("a: &a {}\nb: [{}]\n", "x".repeat(100_000), "*a, ".repeat(1000));
        assert_eq!(fault(&long), Some(YamlErrorKind::TooManyAliases));
    }

    #[test]
    fn hostile_texts_are_refused_quickly_and_long_ones_read() {
        for (piece, count) in [
            ("[", 100_000),
            ("{", 100_000),
            ("{a: ", 100_000),
            ("[{a: ", 50_000),
            ("- ", 100_000),
            ("? ", 100_000),
            ("a:\n ", 100_000),
            ("x", MAX_BYTES + 1),
            ("*a ", 100_000),
        ] {
            assert!(fault(&piece.repeat(count)).is_some(), "{piece}");
        }
        assert!(fault(&format!("[{}", "\n".repeat(500_000))).is_some());
        assert!(fault(&format!("\"{}", "\\".repeat(500_000))).is_some());
        for text in [
            format!("a: {}1{}", "[".repeat(200), "]".repeat(200)),
            format!("a: {}", "x".repeat(900_000)),
            format!("a: [{}]", "b, ".repeat(100_000)),
            "# comment\n".repeat(90_000),
            (0..60_000).map(|n| format!("k{n}: 1\n")).collect(),
        ] {
            assert_eq!(fault(&text), None);
        }
    }
}
