//! The built-in rules by name, for people who allow one or add their own, and how a text can be included that one removed.

use super::containment::UNREADABLE;
use super::invisible::INVISIBLE;
use super::rules::{self, FindingLabel};
use super::{dotted, keys, kubernetes, names, seed_phrase, url};
use std::collections::BTreeMap;

/// The label of comments.
pub(super) static COMMENT: FindingLabel =
    FindingLabel { name: "hidden-comment", reason: "is a comment that nobody sees on the page", rank: 9 };

/// The label of images and frames.
pub(super) static IMAGE: FindingLabel = FindingLabel {
    name: "remote-image",
    reason: "is an image or a frame that would be loaded from elsewhere",
    rank: 9,
};

/// The label of all other hidden text.
pub(super) static HIDDEN: FindingLabel = FindingLabel {
    name: "hidden-text",
    reason: "is text that a reader of the page does not see: an unused definition, a title, an attribute or the like",
    rank: 9,
};

/// A built-in rule by the name that users see.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RuleInfo {
    /// The name in markers, records and `redaction.allow`.
    pub name: &'static str,
    /// Why the rule removes a text, as records say it.
    pub reason: &'static str,
}

/// Lists every built-in rule, ordered by name.
pub fn built_in_rules() -> Vec<RuleInfo> {
    let labels = secret_labels().chain([&INVISIBLE, &COMMENT, &IMAGE, &HIDDEN, &UNREADABLE]);
    let by_name: BTreeMap<&str, &str> = labels.map(|label| (label.name, label.reason)).collect();
    by_name.into_iter().map(|(name, reason)| RuleInfo { name, reason }).collect()
}

/// Returns the labels of all rules that find secrets.
pub(super) fn secret_labels() -> impl Iterator<Item = &'static FindingLabel> {
    let patterns = rules::pattern_rules().map(|rule| &rule.label);
    let named = rules::named_keys().iter().map(|key| &key.label);
    let others = [&url::LABEL, &keys::BLOCK, &kubernetes::LABEL, &seed_phrase::LABEL];
    patterns.chain(named).chain(names::LABELS).chain(dotted::labels()).chain(others)
}

/// Returns how to include the text that `rule` removed from the file at `path`; `None` for a text without a file in the repo.
///
/// The path is clean already. One that a glob in YAML could not hold on one line is not repeated.
pub(super) fn to_include(rule: &str, path: Option<&str>) -> String {
    let fits = |path: &&str| {
        !path.is_empty() && !path.starts_with('!') && !path.contains(|c: char| c == '\\' || c.is_control())
    };
    let path = path.filter(fits).map(glob);
    let path = path.as_deref().unwrap_or("PATH");
    let entry = format!("`redaction: {{allow: [{{rule: {rule}, path: {path}}}]}}` in contextpack.yml");
    if rule == INVISIBLE.name {
        return "write the text without them, or name them, as in `U+200B`: no pack holds such characters".to_owned();
    }
    if rule == UNREADABLE.name {
        return "read it at its source: no setting lets it through; other text of the same file is as usual".to_owned();
    }
    if is_of_hidden_text(rule) {
        return format!("read it at its source; {entry} keeps it");
    }
    format!(
        "if it is no secret, {entry} lets it through, or `{{sha256: DIGEST}}` this value alone \
         (`printf %s 'VALUE' | sha256sum`); if it is one, hand it over outside the pack"
    )
}

/// Returns whether `rule` removes what authors hid, rather than secrets.
pub(super) fn is_of_hidden_text(rule: &str) -> bool {
    [COMMENT.name, IMAGE.name, HIDDEN.name].contains(&rule)
}

/// Returns a glob that matches `path` alone, as a YAML flow scalar.
fn glob(path: &str) -> String {
    let mut glob = String::with_capacity(path.len());
    for c in path.chars() {
        match c {
            // As a set of one: a backslash would be read as the end of a folder's name.
            '*' | '?' | '[' | '{' | '}' => glob.extend(['[', c, ']']),
            _ => glob.push(c),
        }
    }
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '/' | '-');
    if glob.chars().all(plain) && glob.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '.' || c == '_') {
        return glob;
    }
    format!("'{}'", glob.replace('\'', "''"))
}
