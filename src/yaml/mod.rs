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
use std::collections::HashMap;
use thiserror::Error;

/// The most bytes of a text.
const MAX_BYTES: usize = 1 << 20;
/// How deep lists and maps may nest, with aliases written out.
const MAX_DEPTH: usize = 256;
/// How many nodes aliases may add to a text: the copies they make, and those that their anchors keep.
const MAX_ALIASED_NODES: usize = 100_000;
/// How many bytes of scalars aliases may add.
const MAX_ALIASED_BYTES: usize = 4 << 20;

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
    /// A list or map where a key belongs.
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
    let read = events(text, dialect);
    // The parser refuses a tab between a key's colon and its value, which YAML 1.2.2 (6.2) allows.
    match (&read.1, spaced(text, false)) {
        (Some(YamlError { kind: YamlErrorKind::Syntax(_), .. }), Some(spaced)) => {
            let again = events(&spaced, dialect);
            if again.1.is_none() { again } else { read }
        }
        _ => read,
    }
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

fn events(text: &str, dialect: YamlDialect) -> (Vec<YamlNode>, Option<YamlError>) {
    let mut builder = TreeBuilder::new(dialect);
    for event in Parser::new_from_str(text) {
        let added = match event {
            Ok((event, span)) => builder.add_event(event, Position::of(&span.start)),
            Err(error) => Err(YamlErrorKind::Syntax(error.info().to_owned()).at(Position::of(error.marker()))),
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
        Self {
            dialect,
            documents: Vec::new(),
            document_count: 0,
            open: Vec::new(),
            anchors: HashMap::new(),
            aliased_nodes: 0,
            aliased_bytes: 0,
        }
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
                    let text = match node.value {
                        YamlValue::Scalar { text, .. } => text,
                        YamlValue::Null if self.dialect == YamlDialect::Data => String::new(),
                        YamlValue::Null => return Err(YamlErrorKind::EmptyKey.at(at)),
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
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::YamlDialect::{Data, Settings};
    use super::*;
    use std::time::{Duration, Instant};

    fn data(text: &str) -> Result<Vec<YamlNode>, YamlError> {
        read(text, Data)
    }

    fn read(text: &str, dialect: YamlDialect) -> Result<Vec<YamlNode>, YamlError> {
        match documents(text, dialect) {
            (_, Some(error)) => Err(error),
            (documents, None) => Ok(documents),
        }
    }

    fn map(text: &str) -> Vec<(YamlKey, YamlNode)> {
        match data(text).unwrap().remove(0).value {
            YamlValue::Map(pairs) => pairs,
            other => unreachable!("no map: {other:?}"),
        }
    }

    fn scalar(text: &str, plain: bool) -> YamlValue {
        YamlValue::Scalar { text: text.to_owned(), plain }
    }

    fn at(line: u32, column: u32) -> Position {
        Position { line, column }
    }

    #[test]
    fn scalars_keep_their_spelling_and_whether_they_are_quoted() {
        for written in ["4.10", "0012", "0x1F", "1e3", "no", "2024-01-02", "1_000"] {
            assert_eq!(map(&format!("a: {written}"))[0].1.value, scalar(written, true));
            assert_eq!(map(&format!("a: '{written}'"))[0].1.value, scalar(written, false));
            assert_eq!(map(&format!("a: !!str {written}"))[0].1.value, scalar(written, false));
        }
    }

    #[test]
    fn only_plain_words_are_null() {
        for written in ["", "~", "null"] {
            assert_eq!(map(&format!("a: {written}\nb: 1"))[0].1.value, YamlValue::Null, "{written}");
        }
        assert_eq!(map("a: 'null'")[0].1.value, scalar("null", false));
        assert_eq!(map("a: ''")[0].1.value, scalar("", false));
        assert_eq!(data("# nothing\n").unwrap(), []);
    }

    #[test]
    fn every_value_and_key_has_its_position_and_comments_have_none() {
        let pairs = map("a: kinflate # why\nb:\n  - x\n  # y\n  - z\nc: {d: e}\n");
        assert_eq!(pairs[0].1.value, scalar("kinflate", true));
        let YamlValue::List(list) = &pairs[1].1.value else { unreachable!() };
        assert_eq!(list.iter().map(|node| node.at).collect::<Vec<_>>(), [at(3, 5), at(5, 5)]);
        assert_eq!((pairs[2].0.at, pairs[2].1.at), (at(6, 1), at(6, 4)));
    }

    #[test]
    fn a_duplicate_key_is_an_error_that_names_both_places() {
        let error = data("a: 1\nb: 2\na: 3\n").unwrap_err();
        assert_eq!(error.at, at(3, 1));
        assert_eq!(error.kind, YamlErrorKind::DuplicateKey { key: "a".to_owned(), first: at(1, 1) });
    }

    #[test]
    fn documents_before_an_error_are_returned() {
        let (documents, error) = documents("a: 1\n---\nb: 2\n---\nc: @x\n", Data);
        assert_eq!(documents.len(), 2);
        assert_eq!(error.unwrap().at.line, 5);
    }

    #[test]
    fn a_tab_may_stand_between_a_key_and_its_value() {
        let pairs = map("id:\titem-1\ntitle:\t Tidy\nlist:\n  - a:\tb\ntext: |\n  k:\tv\nq: \"a:\tb\"\n");
        assert_eq!(pairs[0].1, YamlNode { at: at(1, 5), value: scalar("item-1", true) });
        assert_eq!(pairs[1].1.value, scalar("Tidy", true));
        assert_eq!(pairs[3].1.value, scalar("k:\tv\n", false));
        assert_eq!(pairs[4].1.value, scalar("a:\tb", false));
        assert!(data("deps:\n\t- a\n").is_err(), "tabs do not indent");
        assert!(data(&spaced("deps:\n\t- a\n", true).unwrap()).is_ok());
    }

    #[test]
    fn maps_are_merged_and_own_keys_win() {
        let text =
            "base: &b {x: 1, y: 2}\nmore: &m {y: 3, z: 4}\none:\n  y: 0\n  <<: [*b, *m]\ntwo: {<<: *m, '<<': 5}\n";
        let pairs = map(text);
        let of = |index: usize| match &pairs[index].1.value {
            YamlValue::Map(pairs) => pairs.iter().map(|(key, node)| format!("{} {:?}", key.text, node.value)).collect(),
            other => vec![format!("{other:?}")],
        };
        let shown = |key: &str, text: &str| format!("{key} {:?}", scalar(text, true));
        assert_eq!(of(2), [shown("y", "0"), shown("x", "1"), shown("z", "4")]);
        assert_eq!(of(3), [shown("<<", "5"), shown("y", "3"), shown("z", "4")]);
        for (text, place) in [("<<: text\n", at(1, 5)), ("a: &a x\n<<: [*a]\n", at(2, 6))] {
            assert_eq!(data(text).unwrap_err(), YamlErrorKind::MergeOfNoMap.at(place), "{text}");
        }
    }

    #[test]
    fn settings_refuse_what_data_may_use() {
        for (text, kind) in [
            ("deny: !x y\n", YamlErrorKind::CustomTag("!x".to_owned())),
            ("a: 1\n---\nb: 2\n", YamlErrorKind::SecondDocument),
            ("a: 1\n---\n", YamlErrorKind::SecondDocument),
            ("~: 1\n", YamlErrorKind::EmptyKey),
        ] {
            assert!(data(text).is_ok(), "{text}");
            assert_eq!(read(text, Settings).unwrap_err().kind, kind, "{text}");
        }
        assert!(read("a: !!int 1\n", Settings).is_ok());
        assert_eq!(data("{a: 1}: 2\n").unwrap_err().kind, YamlErrorKind::KeyNotText);
    }

    #[test]
    fn an_alias_repeats_its_value_where_it_is_used() {
        let pairs = map("a: &x [1, 2]\nb: *x\n");
        let YamlValue::List(list) = &pairs[1].1.value else { unreachable!() };
        assert_eq!((pairs[1].1.at, list.len(), list[0].at), (at(2, 4), 2, at(1, 8)));
    }

    #[test]
    fn alias_bombs_are_errors() {
        let mut wide = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x]\n");
        for level in 1..12 {
            let above = format!("*a{}, ", level - 1).repeat(9);
            wide.push_str(&format!("a{level}: &a{level} [{above}]\n"));
        }
        assert_eq!(data(&wide).unwrap_err().kind, YamlErrorKind::TooManyAliases);
        let long = format!("a: &a {}\nb: [{}]\n", "x".repeat(100_000), "*a, ".repeat(1000));
        assert_eq!(data(&long).unwrap_err().kind, YamlErrorKind::TooManyAliases);
        let mut deep = String::from("a0: &a0 [x]\n");
        for level in 1..600 {
            deep.push_str(&format!("a{level}: &a{level} [*a{}]\n", level - 1));
        }
        assert_eq!(data(&deep).unwrap_err().kind, YamlErrorKind::TooDeep);
        assert_eq!(data("a: &a [*a]").unwrap_err().kind, YamlErrorKind::RecursiveAlias);
    }

    #[test]
    fn hostile_texts_are_refused_quickly() {
        let mut bomb = String::from("a0: &a0 [x, x]\n");
        for n in 1..40 {
            bomb.push_str(&format!("a{n}: &a{n} [*a{}, *a{}]\n", n - 1, n - 1));
        }
        let texts = [
            bomb,
            "[".repeat(100_000),
            "{".repeat(100_000),
            "{a: ".repeat(100_000),
            "[{a: ".repeat(50_000),
            "- ".repeat(100_000),
            "? ".repeat(100_000),
            "a:\n ".repeat(100_000),
            "x".repeat(MAX_BYTES + 1),
            "*a ".repeat(100_000),
            format!("[{}", "\n".repeat(500_000)),
            format!("\"{}", "\\".repeat(500_000)),
        ];
        for text in texts {
            let start = Instant::now();
            assert!(data(&text).is_err(), "{}", &text[..20]);
            assert!(start.elapsed() < Duration::from_secs(5), "{}", &text[..20]);
        }
        let fits = format!("a: {}1{}", "[".repeat(200), "]".repeat(200));
        assert!(data(&fits).is_ok());
    }

    #[test]
    fn long_harmless_texts_are_read_quickly() {
        for text in [
            format!("a: {}", "x".repeat(900_000)),
            format!("a: [{}]", "b, ".repeat(100_000)),
            "# comment\n".repeat(90_000),
            (0..60_000).map(|n| format!("k{n}: 1\n")).collect(),
        ] {
            let start = Instant::now();
            assert!(data(&text).is_ok());
            assert!(start.elapsed() < Duration::from_secs(5), "{}", &text[..20]);
        }
    }
}
