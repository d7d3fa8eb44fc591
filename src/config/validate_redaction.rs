//! `redaction:`, with its patterns compiled.

use super::check::{At, Faults, MOST_COMPILED};
use super::raw::{RawAllow, RawRedaction, RawRule};
use super::settings::{RedactionAllow, RedactionRule, RedactionSettings};
use std::collections::BTreeSet;

/// The longest pattern, in bytes, and what it may take when compiled.
const LONGEST_PATTERN: usize = 10_000;
const LARGEST_PROGRAM: usize = 2 * 1024 * 1024;
/// The most entries of `allow`: repos with many test keys have many.
const MOST_ALLOWED: usize = 5000;

/// What the user adds to, or takes from, redaction.
pub(super) fn redaction(raw: Option<&RawRedaction>, at: At<'_>, faults: &mut Faults) -> RedactionSettings {
    let Some(raw) = raw else {
        return RedactionSettings::default();
    };
    let (at_allow, at_rules) = (at.key("allow"), at.key("rules"));
    let mut names = BTreeSet::new();
    let mut rules = Vec::new();
    let written = faults.first(at_rules, raw.rules.as_deref().unwrap_or_default(), MOST_COMPILED);
    for (index, raw) in written.iter().enumerate() {
        let at = at_rules.item(index);
        if !names.insert(&raw.name) {
            faults.add(at.key("name"), "two rules have this name");
        }
        rules.extend(rule(raw, at, faults));
    }
    let allow = faults.first(at_allow, raw.allow.as_deref().unwrap_or_default(), MOST_ALLOWED);
    RedactionSettings {
        allow: allow.iter().enumerate().map(|(i, raw)| allowed(raw, at_allow.item(i), faults)).collect(),
        rules,
        deny_paths: deny_paths(raw, at.key("deny_paths"), faults),
    }
}

fn rule(raw: &RawRule, at: At<'_>, faults: &mut Faults) -> Option<RedactionRule> {
    let named = faults.name(at.key("name"), &raw.name, "a rule");
    let at_pattern = at.key("pattern");
    if raw.pattern.len() > LONGEST_PATTERN {
        faults.add(at_pattern, format!("the pattern is longer than {LONGEST_PATTERN} bytes"));
        return None;
    }
    let pattern = match regex::bytes::RegexBuilder::new(&raw.pattern).size_limit(LARGEST_PROGRAM).build() {
        Ok(pattern) => pattern,
        Err(error) => {
            // The last line of the library's picture of the pattern says what is wrong.
            let text = error.to_string();
            let why = text.lines().last().unwrap_or_default().trim_start_matches("error: ");
            faults.add_help(
                at_pattern,
                format!("the pattern is not a regular expression: {why}"),
                "look-around and back-references do not exist; in YAML, single quotes keep `\\` as it is",
            );
            return None;
        }
    };
    if pattern.is_match(b"") {
        faults.add(at_pattern, "the pattern matches the empty text, so it would match everywhere");
    }
    let keywords = raw.keywords.clone().unwrap_or_default().0;
    let keywords = faults.texts(at.key("keywords"), &keywords).iter().map(|word| word.to_lowercase()).collect();
    let reason = raw.reason.as_deref().map(str::trim).filter(|reason| !reason.is_empty());
    named.then(|| RedactionRule {
        name: raw.name.clone(),
        pattern,
        keywords,
        reason: reason.map_or_else(|| format!("matches the rule `{}` of the configuration", raw.name), str::to_owned),
    })
}

fn allowed(raw: &RawAllow, at: At<'_>, faults: &mut Faults) -> RedactionAllow {
    if raw.rule.is_none() && raw.path.is_none() && raw.sha256.is_none() {
        faults.add_help(at, "this would let every finding through", "give `rule`, `path` or `sha256`");
    }
    let sha256 = raw.sha256.as_deref().map(|digest| digest.strip_prefix("sha256:").unwrap_or(digest).to_lowercase());
    // What stands there is not repeated: it may be the secret itself.
    if sha256.as_ref().is_some_and(|hex| hex.len() != 64 || !hex.bytes().all(|b| b.is_ascii_hexdigit())) {
        faults.add_help(at.key("sha256"), "this is not a SHA-256", "give the 64 hex digits of the value's digest");
    }
    if let Some(rule) = &raw.rule {
        faults.name(at.key("rule"), rule, "a rule");
    }
    RedactionAllow {
        rule: raw.rule.clone(),
        path: raw.path.as_deref().and_then(|glob| faults.file_glob(at.key("path"), glob)),
        sha256,
    }
}

/// Checks the globs; how they are matched is the business of the list of denied names.
fn deny_paths(raw: &RawRedaction, at: At<'_>, faults: &mut Faults) -> Vec<String> {
    let written = raw.deny_paths.clone().unwrap_or_default().0;
    for (index, text) in faults.first(at, &written, MOST_COMPILED).iter().enumerate() {
        let glob = text.strip_prefix('!').unwrap_or(text);
        faults.file_glob(at.item(index), glob.strip_suffix('/').unwrap_or(glob));
    }
    written
}
