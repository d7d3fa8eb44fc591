//! The built-in rules by name, for people who allow one or add their own.

use super::containment::UNREADABLE;
use super::hidden::{COMMENT, HIDDEN, IMAGE};
use super::invisible::INVISIBLE;
use super::rules::{self, FindingLabel};
use super::{dotted, keys, kubernetes, names, seed_phrase, url};
use std::collections::BTreeMap;

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
