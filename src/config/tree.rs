//! The configuration as a tree of settings, before it is typed.

use super::faults::{ConfigFault, PathStep};
use crate::model::conflict_line;
use crate::yaml::{self, Position, YamlDialect, YamlError, YamlErrorKind, YamlKey, YamlNode, YamlValue};

/// The profile that new ones begin as.
const BASE_PROFILE: &str = "other";

/// The place of a value that was removed; no value of a file has it.
const REMOVED: Position = Position { line: 0, column: 0 };

/// Reads the one document of `text`, with the keys of each map sorted, so that [`entry`] finds them.
///
/// An empty document is [`YamlValue::Null`].
pub(super) fn read(text: &str) -> Result<YamlNode, ConfigFault> {
    if let Some(line) = conflict_line(text) {
        let fault = ConfigFault::new("the file has conflict markers").at(Position { line, column: 1 });
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

/// Adds to the maps of `node` the settings of `defaults` that they leave out. A `budget` is taken whole, and profiles of
/// the user begin as the profile `other`.
pub(super) fn fill(node: &mut YamlNode, defaults: &YamlNode) {
    if node.value == YamlValue::Null {
        node.value = YamlValue::Map(Vec::new());
    }
    let (YamlValue::Map(pairs), YamlValue::Map(defaults)) = (&mut node.value, &defaults.value) else { return };
    for (key, default) in defaults {
        match pairs.iter_mut().find(|(own, _)| own.text == key.text) {
            None => pairs.push((key.clone(), default.clone())),
            Some((_, own)) if own.value == YamlValue::Null => *own = default.clone(),
            Some((key, _)) if key.text == "budget" => {}
            Some((_, own)) if key.text == "profiles" => {
                if let (YamlValue::Map(profiles), Some((_, base))) = (&mut own.value, entry(default, BASE_PROFILE)) {
                    let new = profiles.iter_mut().filter(|(name, _)| entry(default, &name.text).is_none());
                    new.for_each(|(_, profile)| fill(profile, base));
                }
                fill(own, default);
            }
            Some((_, own)) => fill(own, default),
        }
    }
}

/// Returns the value to which `path` leads, the innermost step first.
pub(super) fn find<'n>(root: &'n mut YamlNode, path: &[PathStep]) -> Option<&'n mut YamlNode> {
    path.iter().rev().try_fold(root, |node, step| match (&mut node.value, step) {
        (YamlValue::List(nodes), PathStep::Index(index)) => nodes.get_mut(*index),
        (YamlValue::Map(pairs), PathStep::Key(name)) => {
            pairs.iter_mut().find(|(key, _)| key.text == *name).map(|(_, node)| node)
        }
        _ => None,
    })
}

pub(super) fn remove(node: &mut YamlNode) {
    *node = YamlNode { at: REMOVED, value: YamlValue::Null };
}

/// Returns whether the value of this name was removed from this map.
pub(super) fn has_lost(node: &YamlNode, name: &str) -> bool {
    let YamlValue::Map(pairs) = &node.value else { return false };
    pairs.iter().any(|(key, node)| key.text == name && is_removed(node))
}

pub(super) fn is_removed(node: &YamlNode) -> bool {
    node.at == REMOVED
}

/// Returns whether a value was removed from this list or map.
pub(super) fn has_removed(node: &YamlNode) -> bool {
    match &node.value {
        YamlValue::Null | YamlValue::Scalar { .. } => false,
        YamlValue::List(nodes) => nodes.iter().any(is_removed),
        YamlValue::Map(pairs) => pairs.iter().any(|(_, node)| is_removed(node)),
    }
}

/// Words an error of the reader for the author of a configuration.
fn fault(YamlError { at, kind }: YamlError) -> ConfigFault {
    let (message, help) = match &kind {
        YamlErrorKind::Syntax(why) => (format!("this is not YAML: {why}"), None),
        YamlErrorKind::TooLarge => ("the configuration is larger than 1 MiB".to_owned(), None),
        YamlErrorKind::KeyNotText => (
            "a list or map stands where a name is expected".to_owned(),
            Some("put quotes around a value that begins with `{` or `[`".to_owned()),
        ),
        YamlErrorKind::DuplicateKey { key, first } => {
            (format!("`{key}` is given twice"), Some(format!("the first stands on line {}; join the two", first.line)))
        }
        YamlErrorKind::CustomTag(_) => {
            (kind.to_string(), Some("put quotes around a value that begins with `!`".to_owned()))
        }
        YamlErrorKind::SecondDocument => (kind.to_string(), Some("remove what follows the second `---`".to_owned())),
        _ => (kind.to_string(), None),
    };
    ConfigFault { help, ..ConfigFault::new(message).at(at) }
}
