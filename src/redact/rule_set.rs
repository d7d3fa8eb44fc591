//! The rules of one redactor, built in and the user's, and the order between them.

use super::catalog::{self, COMMENT, HIDDEN, IMAGE};
use super::containment::UNREADABLE;
use super::findings::{Finding, RuleRef};
use crate::config::RedactionRule;
use aho_corasick::AhoCorasick;
use std::collections::BTreeMap;
use std::ops::Range;

/// How far from its keyword a user's rule may match, in bytes.
const MAX_KEYWORD_DISTANCE: usize = 512;

/// The user's rules, and the names of all rules.
#[derive(Debug)]
pub(super) struct RuleSet {
    pub(super) rules: Vec<RedactionRule>,
    /// The keywords of the user's rules; `None` if they have none.
    keywords: Option<AhoCorasick>,
    /// The index of the rule to which each keyword belongs.
    keyword_rules: Vec<usize>,
    /// The reasons of the rules whose names a marker may contain.
    names: BTreeMap<String, String>,
}

impl RuleSet {
    pub(super) fn new(rules: Vec<RedactionRule>) -> Self {
        let words: Vec<(&str, usize)> = rules
            .iter()
            .enumerate()
            .flat_map(|(index, rule)| rule.keywords.iter().map(move |word| (word.as_str(), index)))
            .filter(|(word, _)| !word.is_empty())
            .collect();
        let keywords = match words.is_empty() {
            true => None,
            false => AhoCorasick::builder().ascii_case_insensitive(true).build(words.iter().map(|(word, _)| word)).ok(),
        };
        let keyword_rules = words.iter().map(|(_, rule)| *rule).collect();
        let names = catalog::secret_labels()
            .chain([&COMMENT, &IMAGE, &HIDDEN, &UNREADABLE])
            .map(|label| (label.name.to_owned(), label.reason.to_owned()))
            .chain(rules.iter().map(|rule| (rule.name.clone(), rule.reason.clone())))
            .collect();
        Self { rules, keywords, keyword_rules, names }
    }

    /// Adds the findings of the user's rules: everywhere, or near their keywords.
    pub(super) fn find(&self, text: &[u8], findings: &mut Vec<Finding>) {
        if self.rules.is_empty() {
            return;
        }
        let mut windows: Vec<Vec<Range<usize>>> = vec![Vec::new(); self.rules.len()];
        if let Some(keywords) = &self.keywords {
            for hit in keywords.find_overlapping_iter(text) {
                let window =
                    hit.start().saturating_sub(MAX_KEYWORD_DISTANCE)..text.len().min(hit.end() + MAX_KEYWORD_DISTANCE);
                let windows = &mut windows[self.keyword_rules[hit.pattern().as_usize()]];
                match windows.last_mut() {
                    Some(last) if window.start <= last.end => {
                        // A longer keyword is reported later though it may begin earlier.
                        *last = last.start.min(window.start)..last.end.max(window.end);
                    }
                    _ => windows.push(window),
                }
            }
        }
        for (index, rule) in self.rules.iter().enumerate() {
            if rule.keywords.is_empty() || self.keywords.is_none() {
                windows[index].push(0..text.len());
            }
            for window in &windows[index] {
                for groups in rule.pattern.captures_iter(&text[window.clone()]) {
                    if let Some(found) = groups.get(1).or_else(|| groups.get(0)) {
                        let (start, end) = (window.start + found.start(), window.start + found.end());
                        findings.push(Finding { start, end, rule: RuleRef::User(index) });
                    }
                }
            }
        }
    }

    pub(super) fn name(&self, rule: RuleRef) -> &str {
        match rule {
            RuleRef::BuiltIn(label) => label.name,
            RuleRef::User(index) => self.rules.get(index).map_or("", |rule| &rule.name),
        }
    }

    pub(super) fn reason(&self, rule: RuleRef) -> &str {
        match rule {
            RuleRef::BuiltIn(label) => label.reason,
            RuleRef::User(index) => self.rules.get(index).map_or("", |rule| &rule.reason),
        }
    }

    /// Returns what decides between labels of one place: key blocks, forms of tokens, the user's rules, then names.
    pub(super) fn rank(&self, rule: RuleRef) -> (u8, usize) {
        match rule {
            RuleRef::BuiltIn(label) => (label.rank, 0),
            RuleRef::User(index) => (2, index),
        }
    }

    /// Sorts the findings and merges those that overlap, under the label with the lowest rank; the markers that the text
    /// already has are cut out of them.
    pub(super) fn merged(&self, text: &str, mut findings: Vec<Finding>) -> Vec<Finding> {
        findings.sort_by_key(|f| (f.start, std::cmp::Reverse(f.end), self.rank(f.rule)));
        let mut merged: Vec<Finding> = Vec::with_capacity(findings.len());
        for finding in findings {
            match merged.last_mut() {
                Some(last) if finding.start < last.end => {
                    last.end = last.end.max(finding.end);
                    if self.rank(finding.rule) < self.rank(last.rule) {
                        last.rule = finding.rule;
                    }
                }
                _ => merged.push(finding),
            }
        }
        let mut markers = self.markers(text).peekable();
        let mut kept = Vec::with_capacity(merged.len());
        for mut finding in merged {
            while markers.next_if(|marker| marker.end <= finding.start).is_some() {}
            while let Some(marker) = markers.next_if(|marker| marker.start < finding.end) {
                kept.push(Finding { end: marker.start.max(finding.start), ..finding });
                finding.start = marker.end;
            }
            kept.push(Finding { end: finding.end.max(finding.start), ..finding });
        }
        kept.retain(|finding| !text[finding.start..finding.end].trim().is_empty());
        kept
    }

    /// Returns the name and the reason of each known rule whose marker is in `text`.
    pub(super) fn marked<'t>(&'t self, text: &'t str) -> impl Iterator<Item = (&'t str, &'t String)> {
        let name = |marker: Range<usize>| &text[marker.start + "[REDACTED:".len()..marker.end - 1];
        self.markers(text).filter_map(move |marker| Some((name(marker.clone()), self.names.get(name(marker))?)))
    }

    /// Finds the markers with names of known rules.
    fn markers<'t>(&'t self, text: &'t str) -> impl Iterator<Item = Range<usize>> + 't {
        text.match_indices("[REDACTED:").filter_map(|(start, open)| {
            let name = &text[start + open.len()..];
            let length = name.bytes().take(101).position(|b| b == b']')?;
            self.names.contains_key(&name[..length]).then_some(start..start + open.len() + length + 1)
        })
    }
}
