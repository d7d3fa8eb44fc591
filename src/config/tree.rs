//! The configuration as a tree of settings, before it is typed, and the faults at places in it.

use super::faults::{ConfigFault, MAX_SUGGESTIONS, PathStep, shortened};
use crate::model::{conflict_line, did_you_mean};
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

/// The place of a setting in the file, and its value if the file has it.
#[derive(Clone, Copy)]
pub(super) struct SettingPlace<'a> {
    at: Position,
    node: Option<&'a YamlNode>,
}

impl<'a> SettingPlace<'a> {
    pub(super) fn root(node: &'a YamlNode) -> Self {
        Self { at: Position::START, node: Some(node) }
    }

    pub(super) fn line(self) -> u32 {
        self.at.line
    }

    /// Returns the setting `name` below this one. If it is absent, its place is that of this one.
    pub(super) fn key(self, name: &str) -> Self {
        match self.node.and_then(|node| entry(node, name)) {
            Some((key, node)) => Self { at: key.at, node: Some(node) },
            None => Self { at: self.at, node: None },
        }
    }

    /// Returns the value at `index` of what was read of this list; a single value counts as a list of itself.
    pub(super) fn item(self, index: usize) -> Self {
        let Some(YamlValue::List(nodes)) = self.node.map(|node| &node.value) else { return self };
        let node = nodes.iter().filter(|node| !is_removed(node)).nth(index);
        node.map_or(self, |node| Self { at: node.at, node: Some(node) })
    }

    pub(super) fn is_written(self) -> bool {
        self.node.is_some_and(|node| node.value != YamlValue::Null)
    }

    /// Returns whether a faulty value was removed from here, so that what seems to be missing was reported.
    pub(super) fn lost_a_value(self) -> bool {
        self.node.is_some_and(has_removed)
    }
}

#[derive(Default)]
pub(super) struct ConfigFaults(pub(super) Vec<ConfigFault>);

impl ConfigFaults {
    pub(super) fn add(&mut self, at: SettingPlace<'_>, message: impl Into<String>) {
        self.0.push(ConfigFault::new(message).at(at.at));
    }

    pub(super) fn add_help(&mut self, at: SettingPlace<'_>, message: impl Into<String>, help: impl Into<String>) {
        self.0.push(ConfigFault::new(message).help(help).at(at.at));
    }

    /// Records the fault of a value at a setting, and returns the value otherwise.
    pub(super) fn take<T>(&mut self, at: SettingPlace<'_>, checked: Result<T, ConfigFault>) -> Option<T> {
        checked.map_err(|fault| self.0.push(fault.at(at.at))).ok()
    }

    /// Checks that a name is one of `known`; `what` is what it should name.
    pub(super) fn one_of(&mut self, at: SettingPlace<'_>, name: &str, known: &[&str], what: &str) {
        if !known.contains(&name) {
            let help = (self.0.len() < MAX_SUGGESTIONS).then(|| did_you_mean(name, known.iter().copied()));
            let fault = ConfigFault::new(format!("`{}` is not {what}", shortened(name))).at(at.at);
            self.0.push(ConfigFault { help, ..fault });
        }
    }
}
