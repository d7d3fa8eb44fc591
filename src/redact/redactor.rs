//! The scrubber: finds and removes secrets in the texts of one source together.

use super::clean::Clean;
use super::containment::{UNREADABLE, contained};
use super::detect;
use super::edit::{Piece, PieceEdit, widen};
use super::findings::{Finding, RuleRef};
use super::invisible;
use super::judge::{AssignedValue, judge};
use super::propagate::FoundSecrets;
use super::rule_set::RuleSet;
use super::view::View;
use super::{catalog, names, rules};
use crate::config::{RedactionAllow, RedactionRule, RedactionSettings};
use crate::model::{Digest, RemovedLines};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::cell::LazyCell;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::LazyLock;

/// How many times a changed text is scanned at most: text that a removal joined may match anew.
const MAX_ROUNDS: usize = 4;
/// What is added to the help for a text that the snapshot has without what was removed.
const SYNC_AGAIN: &str = "; the snapshot lacks it until `contextpack sync` runs again";
/// The longest finding that counts beside one that covers it.
const MAX_SINGLE: usize = 1024;

/// The number of removals by piece, line and rule name.
type RemovalLog = BTreeMap<(usize, u32, String), (u32, RuleRef)>;
/// The edits of the texts of a source, and what they removed.
type Edited<'a> = (Vec<PieceEdit<'a>>, RemovalLog);

/// Removes secrets and invisible characters from texts. Built once a run, shared by threads.
#[derive(Debug)]
pub struct Redactor {
    allow: Vec<RedactionAllow>,
    pub(super) rules: RuleSet,
}

/// The result of [`Redactor::scrub`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scrubbed {
    /// The scrubbed texts, in the order of the pieces.
    pub texts: Vec<Clean>,
    /// The removals, ordered by piece, line and rule; each triple once.
    pub removals: Vec<Removal>,
    /// The line ends that were removed together with findings, for each piece.
    pub removed_lines: Vec<Vec<RemovedLines>>,
}

/// A record of text that was removed. It says nothing about the secret itself.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Removal {
    /// The index of the piece.
    pub piece: usize,
    /// The line in the file: the first line of the piece plus the line ends before the removed text.
    pub line: u32,
    /// The name of the rule.
    pub rule: String,
    /// Why the rule removes such text.
    pub reason: String,
    /// How the user can include the text safely.
    pub to_include: String,
    /// The number of removals; for `invisible-text` the number of characters.
    pub count: u32,
}

impl Redactor {
    /// Makes a redactor with the built-in rules and the user's. Cheap: patterns are compiled when first needed.
    pub fn new(settings: &RedactionSettings) -> Self {
        Self { allow: settings.allow.clone(), rules: RuleSet::new(with_scrubbed_reasons(&settings.rules)) }
    }

    /// Returns the version of the built-in rules, which is raised whenever they remove something else than before.
    pub fn rules_version(&self) -> u32 {
        rules::VERSION
    }

    /// Scrubs all texts of one source.
    ///
    /// A token of a known form that is found in one piece is removed from all of them. A piece whose key is the name of
    /// a secret is judged as a value under that name. `path` is compared
    /// with the entries of `redaction.allow`.
    pub fn scrub(&self, path: &str, pieces: &[Piece<'_>]) -> Scrubbed {
        let allowed = self.allowed(path);
        self.scrub_by(path, pieces, &|pieces| self.edited(&allowed, pieces))
    }

    /// Returns what `sync` removed from a text of the file at `path` before it wrote the text into the snapshot: a removal for
    /// each marker of a rule that removes secrets. What authors hid is removed later.
    pub fn removed_by_sync(&self, path: &str, index: usize, piece: &Piece<'_>) -> Vec<Removal> {
        let mut removals = Vec::new();
        if piece.text.contains("[REDACTED:") {
            let place = self.printable_path(path);
            for (line, text) in (piece.line..).zip(piece.text.split('\n')) {
                let marked = self.rules.marked(text).filter(|(rule, _)| !catalog::is_of_hidden_text(rule));
                removals.extend(marked.map(|(rule, reason)| Removal {
                    piece: index,
                    line,
                    rule: rule.to_owned(),
                    reason: reason.clone(),
                    to_include: catalog::to_include(rule, place) + SYNC_AGAIN,
                    count: 1,
                }));
            }
        }
        removals
    }

    /// Returns a digest of the user's entries and rules, which changes with what they let through and find.
    pub fn fingerprint(&self) -> Digest {
        Digest::of(format!("{} {:?} {:?}", self.rules_version(), self.allow, self.rules.rules))
    }

    /// Scrubs with `edit`. Texts that make it panic are removed whole.
    fn scrub_by<'a>(&self, path: &str, pieces: &[Piece<'a>], edit: &dyn Fn(&[Piece<'a>]) -> Edited<'a>) -> Scrubbed {
        let (drafts, records) = contained(|| edit(pieces)).unwrap_or_else(|| self.without_unreadable(pieces, edit));
        let place = if records.is_empty() { None } else { self.printable_path(path) };
        let removals = records
            .into_iter()
            .map(|((piece, line, name), (count, rule))| Removal {
                piece,
                line,
                reason: self.rules.reason(rule).to_owned(),
                to_include: catalog::to_include(&name, place),
                rule: name,
                count,
            })
            .collect();
        let removed_lines = drafts.iter().map(PieceEdit::removed_lines).collect();
        let texts = drafts
            .into_iter()
            .map(|draft| match draft.text {
                Cow::Borrowed(text) => Clean::scrubbed(text),
                Cow::Owned(text) => Clean::scrubbed(text),
            })
            .collect();
        Scrubbed { texts, removals, removed_lines }
    }

    /// Finds and removes until nothing changes.
    fn edited<'a>(&self, allowed: &[&RedactionAllow], pieces: &[Piece<'a>]) -> Edited<'a> {
        let mut drafts: Vec<PieceEdit<'a>> = pieces.iter().map(|piece| PieceEdit::new(piece.text)).collect();
        let mut records = RemovalLog::new();
        for _ in 0..MAX_ROUNDS {
            if !self.scan_once(allowed, pieces, &mut drafts, &mut records) {
                break;
            }
        }
        (drafts, records)
    }

    /// Edits the texts that `edit` reads without a panic, and replaces the others by a marker.
    fn without_unreadable<'a>(&self, pieces: &[Piece<'a>], edit: &dyn Fn(&[Piece<'a>]) -> Edited<'a>) -> Edited<'a> {
        let is_readable = |piece: &Piece<'a>| contained(|| edit(std::slice::from_ref(piece))).is_some();
        let only = |is_kept: &dyn Fn(&Piece<'a>) -> bool| -> Vec<Piece<'a>> {
            pieces.iter().map(|piece| if is_kept(piece) { *piece } else { Piece { text: "", ..*piece } }).collect()
        };
        let readable = only(&is_readable);
        let (mut drafts, mut records) = contained(|| edit(&readable)).unwrap_or_else(|| {
            // They can be read apart, but not together.
            (pieces.iter().map(|_| PieceEdit::new("")).collect(), RemovalLog::new())
        });
        let rule = RuleRef::BuiltIn(&UNREADABLE);
        for (index, (piece, draft)) in pieces.iter().zip(&mut drafts).enumerate() {
            if draft.text.is_empty() && !piece.text.is_empty() {
                *draft = PieceEdit::removed(piece.text, UNREADABLE.name);
                records.insert((index, piece.line, UNREADABLE.name.to_owned()), (1, rule));
            }
        }
        (drafts, records)
    }

    /// Returns the places of one text that [`Redactor::scrub`] removes first, in order, each with the marker for it.
    pub fn places(&self, text: &str) -> Vec<(Range<usize>, String)> {
        let rule = RuleRef::BuiltIn(&UNREADABLE);
        let whole = || vec![Finding { start: 0, end: text.len(), rule }];
        let found = contained(|| self.first_findings(text)).unwrap_or_else(whole).into_iter();
        found.map(|found| (found.start..found.end, format!("[REDACTED:{}]", self.rules.name(found.rule)))).collect()
    }

    fn first_findings(&self, text: &str) -> Vec<Finding> {
        let allowed = self.allowed("");
        let draft = PieceEdit::new(text);
        let mut findings = Vec::new();
        for view in draft.views(&invisible::invisible(text)) {
            let found = self.findings(&view, "", &allowed);
            findings.extend(found.into_iter().filter_map(|found| view.to_raw(found)));
        }
        widen(text, &mut findings);
        self.rules.merged(text, findings)
    }

    /// Scrubs one text without a source, such as a diagnostic's message.
    pub fn line(&self, text: &str) -> String {
        let scrubbed = self.scrub("", &[Piece { key: "", text, line: 1 }]);
        scrubbed.texts.first().map(|clean| clean.as_str().to_owned()).unwrap_or_default()
    }

    /// Returns the redactor that has the built-in rules only.
    pub fn built_in() -> &'static Self {
        static BUILT_IN: LazyLock<Redactor> = LazyLock::new(|| Redactor::new(&RedactionSettings::default()));
        &BUILT_IN
    }

    /// Returns `path` unless it is empty or contains something to remove.
    pub(super) fn printable_path<'p>(&self, path: &'p str) -> Option<&'p str> {
        (!path.is_empty() && self.line(path) == path).then_some(path)
    }

    /// Finds and removes once; returns whether anything changed.
    fn scan_once(
        &self,
        allowed: &[&RedactionAllow],
        pieces: &[Piece<'_>],
        drafts: &mut [PieceEdit<'_>],
        records: &mut RemovalLog,
    ) -> bool {
        let mut values = FoundSecrets::default();
        let mut found: Vec<Vec<Finding>> = Vec::with_capacity(drafts.len());
        let mut hidden: Vec<Vec<Range<usize>>> = Vec::with_capacity(drafts.len());
        for (piece, draft) in pieces.iter().zip(drafts.iter()) {
            let mut findings = Vec::new();
            let invisible = if draft.changed { invisible::invisible(&draft.text) } else { Vec::new() };
            if draft.changed {
                for view in draft.views(&invisible) {
                    for finding in self.findings(&view, piece.key, allowed) {
                        let value = &view.text.as_bytes()[finding.start..finding.end];
                        if let Some(place) = view.to_raw(finding) {
                            let line = piece.line.saturating_add(draft.line_of(place.start));
                            values.add(piece, line, value, finding.rule);
                            findings.push(place);
                        }
                    }
                }
            }
            found.push(findings);
            hidden.push(invisible);
        }
        values.propagate(pieces, drafts, &mut found);
        let mut any = false;
        for (index, ((draft, findings), hidden)) in drafts.iter_mut().zip(found).zip(hidden).enumerate() {
            // No entry allows these: readers of a finished pack rely on their absence.
            draft.changed = draft.apply(&self.rules, findings, &hidden, |line, rule| {
                let line = pieces[index].line.saturating_add(line);
                records.entry((index, line, self.rules.name(rule).to_owned())).or_insert((0, rule)).0 += 1;
            });
            any |= draft.changed;
        }
        any
    }

    /// Returns the findings of all rules in one view of a text.
    fn findings(&self, view: &View<'_>, key: &str, allowed: &[&RedactionAllow]) -> Vec<Finding> {
        let bytes = view.text.as_bytes();
        let mut findings = detect::find(bytes);
        if view.is_whole()
            && let Some(class) = names::class_of(key.as_bytes())
            && judge(class, &AssignedValue::quoted(bytes.trim_ascii())).is_secret
        {
            findings.push(Finding { start: 0, end: bytes.len(), rule: RuleRef::BuiltIn(class.label()) });
        }
        self.rules.find(bytes, &mut findings);
        for finding in &mut findings {
            let value = &bytes[finding.start..finding.end];
            finding.end -= value.len() - value.trim_ascii_end().len();
            finding.start = finding.end.min(finding.start + value.len() - value.trim_ascii_start().len());
        }
        findings.retain(|finding| finding.start < finding.end);
        // A prefix that is repeated begins as many tokens that all end with the word: one of them is enough, and each
        // would be read whole.
        findings.sort_by_key(|finding| finding.start);
        let mut reach = 0;
        findings.retain(|finding| {
            let covered = finding.end <= reach && finding.end - finding.start > MAX_SINGLE;
            reach = reach.max(finding.end);
            !covered
        });
        widen(&view.text, &mut findings);
        findings
            .retain(|finding| !is_allowed(allowed, self.rules.name(finding.rule), &bytes[finding.start..finding.end]));
        findings
    }

    /// Returns the entries of the user that allow findings in a file.
    pub(super) fn allowed(&self, path: &str) -> Vec<&RedactionAllow> {
        self.allow.iter().filter(|entry| entry.path.as_ref().is_none_or(|glob| glob.is_match(path))).collect()
    }
}

/// Returns whether one of these entries allows a finding of `rule`: every part of an entry must match.
pub(super) fn is_allowed(entries: &[&RedactionAllow], rule: &str, found: &[u8]) -> bool {
    let digest = LazyCell::new(|| Digest::of(found).hex());
    entries.iter().any(|entry| {
        entry.rule.as_deref().is_none_or(|named| named == rule)
            && entry.sha256.as_ref().is_none_or(|wanted| digest.eq_ignore_ascii_case(wanted))
    })
}

/// Returns the user's rules with their reasons scrubbed, since these are part of records.
fn with_scrubbed_reasons(rules: &[RedactionRule]) -> Vec<RedactionRule> {
    if rules.is_empty() {
        return Vec::new();
    }
    let built_in = Redactor::new(&RedactionSettings::default());
    rules.iter().map(|rule| RedactionRule { reason: built_in.line(&rule.reason), ..rule.clone() }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_makes_the_redactor_panic_is_removed_whole_and_stops_no_other() {
        let redactor = Redactor::built_in();
        let token = ["gh", "p_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"].concat();
        let title = format!("A {token}");
        let piece = |key, text, line| Piece { key, text, line };
        let pieces = [piece("title", &title, 1), piece("body", "one\nboom\nthree", 3), piece("note", "", 9)];
        let fails = |is_failing: fn(&str, usize) -> bool| {
            let scrubbed = redactor.scrub_by("a.md", &pieces, &|pieces| {
                assert!(!pieces.iter().any(|piece| is_failing(piece.text, pieces.len())), "one of {}", pieces.len());
                redactor.edited(&[], pieces)
            });
            let texts: Vec<String> = scrubbed.texts.iter().map(|text| text.as_str().to_owned()).collect();
            let removals: Vec<_> = scrubbed.removals.into_iter().map(|found| (found.line, found.rule)).collect();
            (texts, removals, scrubbed.removed_lines[1].clone())
        };
        let unreadable = |line| (line, "unreadable-text".to_owned());
        let lines = vec![RemovedLines { line: 1, lines: 2 }];
        let (texts, removals, removed_lines) = fails(|text, _| text.contains("boom"));
        assert_eq!(texts, ["A [REDACTED:github-pat]", "[REDACTED:unreadable-text]", ""]);
        assert_eq!(removals, [(1, "github-pat".to_owned()), unreadable(3)]);
        assert_eq!(removed_lines, lines);
        let (texts, removals, removed_lines) = fails(|text, together| together > 1 && !text.is_empty());
        assert_eq!(texts, ["[REDACTED:unreadable-text]", "[REDACTED:unreadable-text]", ""]);
        assert_eq!(removals, [unreadable(1), unreadable(3)]);
        assert_eq!(removed_lines, lines);
    }
}
