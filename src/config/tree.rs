//! The configuration as a tree of settings, before it is typed.

use super::faults::ConfigFault;
use crate::model::conflict_line;
use crate::yaml::{self, Position, YamlDialect, YamlError, YamlErrorKind, YamlKey, YamlNode, YamlValue};

/// Reads the one document of `text`, with the keys of each map sorted, so that [`entry`] finds them.
///
/// An empty document is [`YamlValue::Null`].
pub(super) fn read(text: &str) -> Result<YamlNode, ConfigFault> {
    if let Some(line) = conflict_line(text) {
        let fault = ConfigFault::new(Position { line, column: 1 }, "the file has conflict markers");
        return Err(fault.help("resolve the conflict, then `git add` the file"));
    }
    let (documents, error) = yaml::documents(text, YamlDialect::Settings);
    if let Some(error) = error {
        return Err(fault(error));
    }
    let empty = || YamlNode { at: Position::START, value: YamlValue::Null };
    let mut root = documents.into_iter().next().unwrap_or_else(empty);
    sort_keys(&mut root);
    Ok(root)
}

/// Returns the key and the value under `name`, if `node` is a map that has it. Its keys are sorted.
pub(super) fn entry<'a>(node: &'a YamlNode, name: &str) -> Option<(&'a YamlKey, &'a YamlNode)> {
    let YamlValue::Map(pairs) = &node.value else { return None };
    let index = pairs.binary_search_by(|(key, _)| key.text.as_str().cmp(name)).ok()?;
    let (key, value) = &pairs[index];
    Some((key, value))
}

/// Returns the text of a scalar.
pub(super) fn text(node: &YamlNode) -> Option<&str> {
    match &node.value {
        YamlValue::Scalar { text, .. } => Some(text),
        _ => None,
    }
}

fn sort_keys(root: &mut YamlNode) {
    let mut pending = vec![root];
    while let Some(node) = pending.pop() {
        match &mut node.value {
            YamlValue::Null | YamlValue::Scalar { .. } => {}
            YamlValue::List(nodes) => pending.extend(nodes),
            YamlValue::Map(pairs) => {
                pairs.sort_by(|(a, _), (b, _)| a.text.cmp(&b.text));
                pending.extend(pairs.iter_mut().map(|(_, value)| value));
            }
        }
    }
}

/// Words an error of the reader for the author of a configuration.
fn fault(error: YamlError) -> ConfigFault {
    let YamlError { at, kind } = error;
    match kind {
        YamlErrorKind::Syntax(why) => ConfigFault::new(at, format!("this is not YAML: {why}")),
        YamlErrorKind::TooLarge => ConfigFault::new(at, "the configuration is larger than 1 MiB"),
        YamlErrorKind::KeyNotText => ConfigFault::new(at, "a list or map stands where a name is expected")
            .help("put quotes around a value that begins with `{` or `[`"),
        YamlErrorKind::DuplicateKey { key, first } => ConfigFault::new(at, format!("`{key}` is given twice"))
            .help(format!("the first stands on line {}; join the two", first.line)),
        YamlErrorKind::CustomTag(_) => {
            ConfigFault::new(at, kind.to_string()).help("put quotes around a value that begins with `!`")
        }
        YamlErrorKind::SecondDocument => {
            ConfigFault::new(at, kind.to_string()).help("remove what follows the second `---`")
        }
        YamlErrorKind::MergeOfNoMap
        | YamlErrorKind::TooDeep
        | YamlErrorKind::TooManyAliases
        | YamlErrorKind::RecursiveAlias
        | YamlErrorKind::EmptyKey => ConfigFault::new(at, kind.to_string()),
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn settings_are_found_by_name_with_their_places() {
        let root = read("b:\n  - 0012\na: 4.10\nc: ~\n").unwrap();
        let (key, value) = entry(&root, "a").unwrap();
        assert_eq!((key.at, text(value)), (Position { line: 3, column: 1 }, Some("4.10")));
        assert_eq!(entry(&root, "b").unwrap().0.at.line, 1);
        assert_eq!(entry(&root, "c").unwrap().1.value, YamlValue::Null);
        assert!(entry(&root, "d").is_none());
        assert_eq!(read("# nothing\n").unwrap().value, YamlValue::Null);
    }

    #[test]
    fn ambiguous_texts_are_refused_with_their_place_and_what_to_do() {
        let twice = read("a: 1\nb: 2\na: 3\n").unwrap_err();
        assert_eq!(twice.at, Some(Position { line: 3, column: 1 }));
        assert_eq!(
            (&*twice.message, &*twice.help.unwrap()),
            ("`a` is given twice", "the first stands on line 1; join the two")
        );
        assert!(read("a: 1\n---\nb: 2\n").unwrap_err().message.contains("more than one"));
        assert!(read("deny: !x\n").unwrap_err().help.unwrap().contains("quotes"));
        assert!(read("{a: 1}: 2\n").unwrap_err().help.unwrap().contains("quotes"));
        assert_eq!(read("a: [\n").unwrap_err().at.unwrap().line, 2);
        assert!(read("a: &x [*x]\n").is_err());
    }
}
