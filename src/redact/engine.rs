//! Scrubs the texts of one source together.

use super::clean::Clean;
use super::detect::{self, Finding, RuleRef};
use super::edit::PieceEdit;
use super::hidden::{COMMENT, HIDDEN, IMAGE};
use super::invisible;
use super::propagate::FoundSecrets;
use super::view::View;
use super::{advice, catalog, generic, rules};
use crate::config::{RedactionAllow, RedactionRule, RedactionSettings};
use crate::model::{Digest, RemovedLines};
use aho_corasick::AhoCorasick;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// How often a changed text is read again: what a removal brought together may match anew.
const ROUNDS: usize = 4;
/// How far from its keyword a user's rule is looked for, in bytes.
const NEAR: usize = 512;

/// How often each rule removed something, by piece, line and name.
type RemovalLog = BTreeMap<(usize, u32, String), (u32, RuleRef)>;

/// Takes secrets and invisible characters out of texts. Built once a run, shared by threads.
#[derive(Debug)]
pub struct Redactor {
    pub(super) allow: Vec<RedactionAllow>,
    rules: Vec<RedactionRule>,
    /// Keywords of the user's rules, and whose they are.
    keywords: Option<AhoCorasick>,
    owners: Vec<usize>,
    /// The names that a marker may hold.
    pub(super) names: BTreeSet<String>,
}

/// One of a source's texts.
#[derive(Debug, Clone, Copy)]
pub struct Piece<'a> {
    /// The name of the field that it is the value of, or `body`, `head`, `path`, or nothing.
    pub key: &'a str,
    /// The text.
    pub text: &'a str,
    /// The line of the file on which it begins.
    pub line: u32,
}

/// What [`Redactor::scrub`] gives back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scrubbed {
    /// The pieces' texts, in their order.
    pub texts: Vec<Clean>,
    /// What was taken out, by piece, line and rule; each triple once.
    pub removals: Vec<Removal>,
    /// Where line ends went with a removal, piece by piece.
    pub folds: Vec<Vec<RemovedLines>>,
}

/// A record of something taken out. It says nothing of the secret itself.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Removal {
    /// The piece's index.
    pub piece: usize,
    /// The line of the file: the piece's first line and the line ends before the place.
    pub line: u32,
    /// The rule.
    pub rule: String,
    /// Why.
    pub reason: String,
    /// What the user can do to include it safely.
    pub to_include: String,
    /// How often; for `invisible-text` how many characters.
    pub count: u32,
}

impl Redactor {
    /// A redactor with the built-in rules and the user's. Cheap: patterns are compiled when first needed.
    pub fn new(settings: &RedactionSettings) -> Self {
        let words: Vec<(&str, usize)> = settings
            .rules
            .iter()
            .enumerate()
            .flat_map(|(index, rule)| rule.keywords.iter().map(move |word| (word.as_str(), index)))
            .filter(|(word, _)| !word.is_empty())
            .collect();
        let keywords = match words.is_empty() {
            true => None,
            false => AhoCorasick::builder().ascii_case_insensitive(true).build(words.iter().map(|(word, _)| word)).ok(),
        };
        let own = settings.rules.iter().map(|rule| rule.name.clone());
        Self {
            allow: settings.allow.clone(),
            rules: reasoned(&settings.rules),
            owners: words.iter().map(|(_, owner)| *owner).collect(),
            keywords,
            names: catalog::secret_labels()
                .chain([&COMMENT, &IMAGE, &HIDDEN])
                .map(|label| label.name.to_owned())
                .chain(own)
                .collect(),
        }
    }

    /// The version of the built-in rules: raised whenever they remove something else than before.
    pub fn rules_version(&self) -> u32 {
        rules::VERSION
    }

    /// Scrubs all texts of one source.
    ///
    /// A distinct secret found in one piece is removed from all of them. A piece
    /// whose key is a secret's name loses its whole value, unless that is a
    /// stand-in, a switch or a limit. `path` serves the user's allowances.
    pub fn scrub(&self, path: &str, pieces: &[Piece<'_>]) -> Scrubbed {
        let allowed: Vec<&RedactionAllow> =
            self.allow.iter().filter(|entry| entry.path.as_ref().is_none_or(|glob| glob.is_match(path))).collect();
        let mut drafts: Vec<PieceEdit<'_>> = pieces
            .iter()
            .map(|piece| PieceEdit { text: Cow::Borrowed(piece.text), gone: Vec::new(), changed: true })
            .collect();
        let mut records = RemovalLog::new();
        for _ in 0..ROUNDS {
            if !self.round(&allowed, pieces, &mut drafts, &mut records) {
                break;
            }
        }
        let place = if records.is_empty() { None } else { self.place(path) };
        let removals = records
            .into_iter()
            .map(|((piece, line, rule), (count, of))| Removal {
                piece,
                line,
                reason: self.reason(of).to_owned(),
                to_include: advice::to_include(&rule, place),
                rule,
                count,
            })
            .collect();
        let folds = drafts.iter().map(PieceEdit::folds).collect();
        let texts = drafts
            .into_iter()
            .map(|draft| match draft.text {
                Cow::Borrowed(text) => Clean::scrubbed(text),
                Cow::Owned(text) => Clean::scrubbed(text),
            })
            .collect();
        Scrubbed { texts, removals, folds }
    }

    /// One text without a source, such as a diagnostic's message.
    pub fn line(&self, text: &str) -> String {
        let scrubbed = self.scrub("", &[Piece { key: "", text, line: 1 }]);
        scrubbed.texts.first().map(|clean| clean.as_str().to_owned()).unwrap_or_default()
    }

    /// The path of a source, where it may be told: it has a place in the repo and holds nothing to remove.
    pub(super) fn place<'p>(&self, path: &'p str) -> Option<&'p str> {
        (!path.is_empty() && self.line(path) == path).then_some(path)
    }

    /// Finds and removes once; says whether anything changed.
    fn round(
        &self,
        allowed: &[&RedactionAllow],
        pieces: &[Piece<'_>],
        drafts: &mut [PieceEdit<'_>],
        records: &mut RemovalLog,
    ) -> bool {
        let mut values = FoundSecrets::default();
        let mut found: Vec<Vec<Finding>> = Vec::with_capacity(drafts.len());
        for (piece, draft) in pieces.iter().zip(drafts.iter()) {
            let mut findings = Vec::new();
            if draft.changed {
                for view in draft.views() {
                    for finding in self.findings(&view, piece.key, allowed) {
                        values.add(piece, &view.text.as_bytes()[finding.start..finding.end], finding.of);
                        findings.extend(view.to_raw(finding));
                    }
                }
            }
            found.push(findings);
        }
        values.spread(pieces, drafts, &mut found);
        let mut any = false;
        for (index, (draft, findings)) in drafts.iter_mut().zip(found).enumerate() {
            // No entry allows these: whoever reads a finished pack relies on their absence.
            let hidden = if draft.changed { invisible::invisible(&draft.text) } else { Vec::new() };
            draft.changed = self.apply(draft, findings, &hidden, |line, of| {
                let line = pieces[index].line.saturating_add(line);
                records.entry((index, line, self.name(of).to_owned())).or_insert((0, of)).0 += 1;
            });
            any |= draft.changed;
        }
        any
    }

    /// What all rules find in a view of a text.
    fn findings(&self, view: &View<'_>, key: &str, allowed: &[&RedactionAllow]) -> Vec<Finding> {
        let bytes = view.text.as_bytes();
        let mut findings = detect::built_in(bytes, key == "head");
        if view.is_whole()
            && let Some(label) = generic::field(key, &view.text)
        {
            findings.push(Finding { start: 0, end: bytes.len(), of: RuleRef::Ours(label) });
        }
        if !self.rules.is_empty() {
            self.own_findings(bytes, &mut findings);
        }
        for finding in &mut findings {
            let value = &bytes[finding.start..finding.end];
            finding.end -= value.len() - value.trim_ascii_end().len();
            finding.start = finding.end.min(finding.start + value.len() - value.trim_ascii_start().len());
        }
        findings.retain(|finding| finding.start < finding.end);
        self.keep_denied(&mut findings, bytes, allowed);
        findings
    }

    /// What the user's rules find: everywhere, or near their keywords.
    fn own_findings(&self, text: &[u8], findings: &mut Vec<Finding>) {
        let mut windows: Vec<Vec<Range<usize>>> = vec![Vec::new(); self.rules.len()];
        if let Some(keywords) = &self.keywords {
            for hit in keywords.find_overlapping_iter(text) {
                let window = hit.start().saturating_sub(NEAR)..text.len().min(hit.end() + NEAR);
                let windows = &mut windows[self.owners[hit.pattern().as_usize()]];
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
                        findings.push(Finding { start, end, of: RuleRef::Theirs(index) });
                    }
                }
            }
        }
    }

    /// Drops findings that the user allows: every part that an entry gives must match.
    fn keep_denied(&self, findings: &mut Vec<Finding>, text: &[u8], allowed: &[&RedactionAllow]) {
        if allowed.is_empty() {
            return;
        }
        findings.retain(|finding| {
            let mut digest: Option<String> = None;
            !allowed.iter().any(|entry| {
                entry.rule.as_deref().is_none_or(|rule| rule == self.name(finding.of))
                    && entry.sha256.as_ref().is_none_or(|wanted| {
                        digest
                            .get_or_insert_with(|| Digest::of(&text[finding.start..finding.end]).hex())
                            .eq_ignore_ascii_case(wanted)
                    })
            })
        });
    }

    pub(super) fn name(&self, of: RuleRef) -> &str {
        match of {
            RuleRef::Ours(label) => label.name,
            RuleRef::Theirs(index) => self.rules.get(index).map_or("", |rule| &rule.name),
        }
    }

    fn reason(&self, of: RuleRef) -> &str {
        match of {
            RuleRef::Ours(label) => label.reason,
            RuleRef::Theirs(index) => self.rules.get(index).map_or("", |rule| &rule.reason),
        }
    }

    /// The order of labels on one place: key blocks, forms of tokens, the user's rules, then what names say.
    pub(super) fn rank(&self, of: RuleRef) -> (u8, usize) {
        match of {
            RuleRef::Ours(label) => (label.rank, 0),
            RuleRef::Theirs(index) => (2, index),
        }
    }
}

/// The user's rules; their reasons stand in records, so they pass the door like any other text.
fn reasoned(rules: &[RedactionRule]) -> Vec<RedactionRule> {
    if rules.is_empty() {
        return Vec::new();
    }
    let door = Redactor::new(&RedactionSettings::default());
    rules.iter().map(|rule| RedactionRule { reason: door.line(&rule.reason), ..rule.clone() }).collect()
}
