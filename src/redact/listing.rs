//! The rules by their names, for people who allow one or add their own.

use super::detect;
use super::hidden::{COMMENT, HIDDEN, IMAGE};
use super::hygiene::INVISIBLE;
use std::collections::BTreeMap;

/// A built-in rule as users name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RuleInfo {
    /// Its name, which stands in markers, records and `redaction.allow`.
    pub name: &'static str,
    /// Why it removes something, as records say it.
    pub reason: &'static str,
}

/// Every built-in rule, by name.
pub fn built_in_rules() -> Vec<RuleInfo> {
    let labels = detect::labels().chain([&INVISIBLE, &COMMENT, &IMAGE, &HIDDEN]);
    let by_name: BTreeMap<&str, &str> = labels.map(|label| (label.name, label.reason)).collect();
    by_name.into_iter().map(|(name, reason)| RuleInfo { name, reason }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_has_a_name_of_its_own_and_says_why() {
        let rules = built_in_rules();
        assert!(rules.len() > 50 && rules.is_sorted_by(|a, b| a.name < b.name));
        for rule in rules {
            assert!(rule.name.bytes().all(|b| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'-')), "{rule:?}");
            assert!(rule.reason.starts_with(|c: char| c.is_ascii_lowercase()), "{rule:?}");
            assert!(!rule.reason.ends_with('.') && !rule.reason.contains('\n'), "{rule:?}");
        }
    }
}
