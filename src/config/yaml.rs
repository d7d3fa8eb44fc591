//! YAML as a tree that knows where everything stands and how it was spelled.

use saphyr_parser::{Event, Parser, ScalarStyle};
use std::rc::Rc;

/// The largest configuration, in bytes.
const LARGEST: usize = 1024 * 1024;
/// How deep lists and maps may nest.
const DEEPEST: usize = 64;
/// How many values there may be once aliases are written out.
const MOST_VALUES: usize = 200_000;

/// A line and a column in characters, both from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Mark {
    pub(super) line: u32,
    pub(super) column: u32,
}

impl Mark {
    /// The beginning of the file.
    pub(super) const START: Mark = Mark { line: 1, column: 1 };
}

/// What is wrong, where, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ConfigFault {
    pub(super) at: Option<Mark>,
    pub(super) message: String,
    pub(super) help: Option<String>,
}

impl ConfigFault {
    /// A fault at a place.
    pub(super) fn at(mark: Mark, message: impl Into<String>) -> Self {
        Self { at: Some(mark), message: message.into(), help: None }
    }

    /// Adds what to do next.
    pub(super) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

/// A value and where it starts.
#[derive(Debug)]
pub(super) struct ConfigNode {
    pub(super) at: Mark,
    pub(super) value: ConfigValue,
    /// This value and all below it, aliases written out.
    size: usize,
}

/// The shapes of values; scalars keep their spelling.
#[derive(Debug)]
pub(super) enum ConfigValue {
    Null,
    Scalar {
        text: String,
        plain: bool,
    },
    List(Vec<Rc<ConfigNode>>),
    /// Sorted by key, no key twice.
    Map(Vec<(Key, Rc<ConfigNode>)>),
}

/// A map's key and where it stands.
#[derive(Debug)]
pub(super) struct Key {
    pub(super) at: Mark,
    pub(super) text: String,
}

impl ConfigNode {
    /// The key and value under `name`, where this is a map that has it.
    pub(super) fn get(&self, name: &str) -> Option<(&Key, &ConfigNode)> {
        match &self.value {
            ConfigValue::Map(pairs) => {
                let index = pairs.binary_search_by(|(key, _)| key.text.as_str().cmp(name)).ok()?;
                let (key, node) = &pairs[index];
                Some((key, node))
            }
            _ => None,
        }
    }

    /// Its text, where it is a scalar.
    pub(super) fn text(&self) -> Option<&str> {
        match &self.value {
            ConfigValue::Scalar { text, .. } => Some(text),
            _ => None,
        }
    }
}

/// Reads the one document of `text`.
///
/// Refuses what could take long or mean two things: large and deep files,
/// alias bombs, a key given twice, tags, several documents.
pub(super) fn read(text: &str) -> Result<Rc<ConfigNode>, ConfigFault> {
    if text.len() > LARGEST {
        return Err(ConfigFault::at(Mark::START, "the configuration is larger than 1 MiB"));
    }
    let mut builder = Builder::default();
    for event in Parser::new_from_str(text) {
        let (event, span) = event.map_err(|error| {
            let mark = mark(error.marker());
            ConfigFault::at(mark, format!("this is not YAML: {}", error.info()))
        })?;
        builder.take(event, mark(&span.start))?;
    }
    Ok(builder.root.unwrap_or_else(|| null(Mark::START)))
}

fn mark(marker: &saphyr_parser::Marker) -> Mark {
    let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    Mark { line: number(marker.line()).max(1), column: number(marker.col()).saturating_add(1) }
}

fn null(at: Mark) -> Rc<ConfigNode> {
    Rc::new(ConfigNode { at, value: ConfigValue::Null, size: 1 })
}

/// A list or map that is still open.
struct OpenCollection {
    at: Mark,
    anchor: usize,
    size: usize,
    shape: OpenShape,
}

enum OpenShape {
    List(Vec<Rc<ConfigNode>>),
    Map { pairs: Vec<(Key, Rc<ConfigNode>)>, key: Option<Key> },
}

#[derive(Default)]
struct Builder {
    open: Vec<OpenCollection>,
    /// Anchored values by the parser's number, which rises; an anchor inside itself is not there yet.
    anchors: std::collections::BTreeMap<usize, Rc<ConfigNode>>,
    root: Option<Rc<ConfigNode>>,
    documents: usize,
    values: usize,
}

impl Builder {
    fn take(&mut self, event: Event<'_>, at: Mark) -> Result<(), ConfigFault> {
        match event {
            Event::DocumentStart(_) => {
                self.documents += 1;
                if self.documents > 1 {
                    return Err(ConfigFault::at(at, "the file holds more than one YAML document")
                        .help("remove what follows the second `---`"));
                }
                Ok(())
            }
            Event::Scalar(text, style, anchor, tag) => {
                refuse_tag(tag.as_deref(), at)?;
                let plain = style == ScalarStyle::Plain;
                let value = match &*text {
                    "" | "~" | "null" | "Null" | "NULL" if plain => ConfigValue::Null,
                    _ => ConfigValue::Scalar { text: text.into_owned(), plain },
                };
                self.add(Rc::new(ConfigNode { at, value, size: 1 }), anchor, at)
            }
            Event::Alias(anchor) => {
                let node = self.anchors.get(&anchor).cloned();
                let node = node.ok_or_else(|| ConfigFault::at(at, "an alias stands inside its own anchor"))?;
                self.add(node, 0, at)
            }
            Event::SequenceStart(anchor, tag) => {
                refuse_tag(tag.as_deref(), at)?;
                self.begin(OpenShape::List(Vec::new()), anchor, at)
            }
            Event::MappingStart(anchor, tag) => {
                refuse_tag(tag.as_deref(), at)?;
                self.begin(OpenShape::Map { pairs: Vec::new(), key: None }, anchor, at)
            }
            Event::SequenceEnd | Event::MappingEnd => {
                let Some(open) = self.open.pop() else {
                    return Ok(());
                };
                let value = match open.shape {
                    OpenShape::List(nodes) => ConfigValue::List(nodes),
                    OpenShape::Map { mut pairs, .. } => {
                        pairs.sort_by(|(a, _), (b, _)| a.text.cmp(&b.text).then(a.at.cmp(&b.at)));
                        refuse_twice(&pairs)?;
                        ConfigValue::Map(pairs)
                    }
                };
                let node = Rc::new(ConfigNode { at: open.at, value, size: open.size });
                self.add(node, open.anchor, at)
            }
            Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentEnd => Ok(()),
        }
    }

    fn begin(&mut self, shape: OpenShape, anchor: usize, at: Mark) -> Result<(), ConfigFault> {
        if self.open.len() >= DEEPEST {
            return Err(ConfigFault::at(at, format!("lists and maps nest deeper than {DEEPEST} levels")));
        }
        self.open.push(OpenCollection { at, anchor, size: 1, shape });
        Ok(())
    }

    fn add(&mut self, node: Rc<ConfigNode>, anchor: usize, at: Mark) -> Result<(), ConfigFault> {
        self.values += 1;
        if anchor != 0 {
            self.anchors.insert(anchor, Rc::clone(&node));
        }
        let Some(open) = self.open.last_mut() else {
            self.root = Some(node);
            return Ok(());
        };
        open.size = open.size.saturating_add(node.size);
        if open.size > MOST_VALUES || self.values > MOST_VALUES {
            return Err(ConfigFault::at(at, format!("the configuration holds more than {MOST_VALUES} values")));
        }
        match &mut open.shape {
            OpenShape::List(nodes) => nodes.push(node),
            OpenShape::Map { pairs, key } => match key.take() {
                Some(key) => pairs.push((key, node)),
                None => *key = Some(key_of(&node, at)?),
            },
        }
        Ok(())
    }
}

fn key_of(node: &ConfigNode, at: Mark) -> Result<Key, ConfigFault> {
    match &node.value {
        ConfigValue::Scalar { text, .. } => Ok(Key { at, text: text.clone() }),
        ConfigValue::Null => Err(ConfigFault::at(at, "a key is empty")),
        ConfigValue::List(_) | ConfigValue::Map(_) => {
            Err(ConfigFault::at(at, "a list or map stands where a name is expected")
                .help("put quotes around a value that begins with `{` or `[`"))
        }
    }
}

/// Refuses the first key that stands twice among `pairs`, which are sorted.
fn refuse_twice(pairs: &[(Key, Rc<ConfigNode>)]) -> Result<(), ConfigFault> {
    let neighbours = pairs.windows(2).map(|two| (&two[0].0, &two[1].0));
    let twice = neighbours.filter(|(first, second)| first.text == second.text);
    match twice.min_by_key(|(_, second)| second.at) {
        Some((first, second)) => {
            let fault = ConfigFault::at(second.at, format!("`{}` is given twice", second.text));
            Err(fault.help(format!("the first stands on line {}; join the two", first.at.line)))
        }
        None => Ok(()),
    }
}

fn refuse_tag(tag: Option<&saphyr_parser::Tag>, at: Mark) -> Result<(), ConfigFault> {
    match tag {
        Some(tag) if !tag.is_yaml_core_schema() => {
            Err(ConfigFault::at(at, format!("the tag `{tag}` means nothing here"))
                .help("put quotes around a value that begins with `!`"))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use std::time::{Duration, Instant};

    #[test]
    fn scalars_keep_their_spelling_and_values_their_places() {
        let root = read("a: 4.10\nb:\n  - 0012\n  - 'no'\nc: ~\n").unwrap();
        assert_eq!(root.get("a").unwrap().1.text(), Some("4.10"));
        let (key, list) = root.get("b").unwrap();
        assert_eq!(key.at, Mark { line: 2, column: 1 });
        let ConfigValue::List(items) = &list.value else { panic!("a list") };
        assert_eq!((items[0].text(), items[0].at), (Some("0012"), Mark { line: 3, column: 5 }));
        assert!(matches!(&items[1].value, ConfigValue::Scalar { plain: false, .. }));
        assert!(matches!(root.get("c").unwrap().1.value, ConfigValue::Null));
        assert!(matches!(read("# nothing\n").unwrap().value, ConfigValue::Null));
    }

    #[test]
    fn what_means_two_things_is_refused_with_its_place() {
        let twice = read("a: 1\nb: 2\na: 3\n").unwrap_err();
        assert_eq!((twice.at, twice.message.as_str()), (Some(Mark { line: 3, column: 1 }), "`a` is given twice"));
        assert!(read("a: 1\n---\nb: 2\n").unwrap_err().message.contains("more than one"));
        assert!(read("deny: !x\n").unwrap_err().help.unwrap().contains("quotes"));
        assert!(read("{a: 1}: 2\n").is_err());
        assert_eq!(read("a: [\n").unwrap_err().at.unwrap().line, 2);
        assert!(read("a: &x [*x]\n").is_err());
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
            format!("a: {}", "x".repeat(LARGEST)),
            "*a ".repeat(100_000),
            format!("[{}", "\n".repeat(500_000)),
            format!("\"{}", "\\".repeat(500_000)),
        ];
        for text in texts {
            let start = Instant::now();
            assert!(read(&text).is_err(), "{}", &text[..20]);
            assert!(start.elapsed() < Duration::from_secs(5), "{}", &text[..20]);
        }
    }

    #[test]
    fn long_harmless_texts_are_read_quickly() {
        for text in [
            format!("a: {}", "x".repeat(900_000)),
            format!("a: [{}]", "b, ".repeat(100_000)),
            "# comment\n".repeat(90_000),
        ] {
            let start = Instant::now();
            assert!(read(&text).is_ok());
            assert!(start.elapsed() < Duration::from_secs(5), "{}", &text[..20]);
        }
        assert!(read(&(0..60_000).map(|n| format!("k{n}: 1\n")).collect::<String>()).is_ok());
    }
}
