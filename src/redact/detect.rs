//! Detection: one pass over a text for keywords, then the rules that belong to them.

use super::judge::Verdict;
use super::keywords::Keywords;
use super::layouts::Names;
use super::names::{self, Class};
use super::rules::{self, FindingLabel, NamedKey, PatternRule};
use super::text::WordEnds;
use super::{base64, dotted, keys, kubernetes, seed_phrase, url};
use std::borrow::Cow;
use std::ops::Range;
use std::sync::OnceLock;

/// The rule of a finding.
#[derive(Debug, Clone, Copy)]
pub(super) enum RuleRef {
    BuiltIn(&'static FindingLabel),
    /// A user's rule, by its index in the configuration.
    User(usize),
}

/// The place of a secret in a text, in bytes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Finding {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) rule: RuleRef,
}

/// A value that was judged, for people who ask why.
#[derive(Debug)]
pub(super) struct Judged {
    pub(super) name: Range<usize>,
    pub(super) class: Class,
    pub(super) value: Range<usize>,
    pub(super) verdict: Verdict,
}

/// What was found in a text, in no order; findings may overlap.
#[derive(Debug, Default)]
pub(super) struct Findings {
    pub(super) found: Vec<Finding>,
    /// Every value that was judged; `None` if nobody asks.
    pub(super) judged: Option<Vec<Judged>>,
}

impl Findings {
    pub(super) fn add(&mut self, start: usize, end: usize, label: &'static FindingLabel) {
        self.found.push(Finding { start, end, rule: RuleRef::BuiltIn(label) });
    }

    /// Adds a value that was judged if it is a secret.
    pub(super) fn add_judged(&mut self, judged: Judged) {
        if judged.verdict.is_secret {
            self.add(judged.value.start, judged.value.end, judged.class.label());
        }
        if let Some(all) = &mut self.judged {
            all.push(judged);
        }
    }
}

/// What to run where a keyword occurs.
#[derive(Debug, Clone, Copy)]
enum KeywordTarget {
    Pattern(&'static PatternRule),
    Named(&'static NamedKey),
    Name,
    ForeignName,
    Kubernetes,
    SeedPhrase,
    KeyBlock,
    KeyEnd,
    Putty,
}

/// Returns the keywords of all built-in rules, collected at the first text.
fn keywords() -> &'static Keywords<KeywordTarget> {
    static KEYWORDS: OnceLock<Keywords<KeywordTarget>> = OnceLock::new();
    KEYWORDS.get_or_init(|| {
        let mut words: Vec<(Cow<'static, str>, KeywordTarget)> = Vec::new();
        for rule in rules::pattern_rules() {
            words.extend(rule.keywords().map(|word| (word, KeywordTarget::Pattern(rule))));
        }
        let mut add = |word: &'static str, target| words.push((word.into(), target));
        for key in rules::named_keys() {
            key.keywords.iter().for_each(|word| add(word, KeywordTarget::Named(key)));
        }
        rules::NAMES_STEMS.iter().for_each(|stem| add(stem, KeywordTarget::Name));
        names::foreign_words().for_each(|word| add(word, KeywordTarget::ForeignName));
        kubernetes::KEYWORDS.iter().for_each(|word| add(word, KeywordTarget::Kubernetes));
        seed_phrase::KEYWORDS.iter().for_each(|word| add(word, KeywordTarget::SeedPhrase));
        add(keys::BEGIN, KeywordTarget::KeyBlock);
        add(keys::BEGIN_SSH2, KeywordTarget::KeyBlock);
        add(keys::END, KeywordTarget::KeyEnd);
        add(keys::PUTTY, KeywordTarget::Putty);
        Keywords::new(&words)
    })
}

/// Returns what the built-in rules find in `text`.
pub(super) fn find(text: &[u8]) -> Vec<Finding> {
    let mut findings = Findings::default();
    search(text, 0, &mut findings);
    findings.found
}

/// Adds what the built-in rules find in `text`, which was decoded `depth` times.
pub(super) fn search(text: &[u8], depth: usize, findings: &mut Findings) {
    let mut names = Names::default();
    let mut ends = WordEnds::default();
    // A block holds no other block: skipping what it covers keeps the pass linear.
    let (mut key_end, mut object_end, mut phrase_end) = (0, 0, 0);
    // A prefix that is repeated begins as many tokens that all end with the word.
    let mut covered: Option<(&PatternRule, usize)> = None;
    // Of two rules for one place the first counts, and a form says more than the name of a provider.
    let mut named = Vec::new();
    base64::find(text, depth, findings);
    url::find(text, findings);
    dotted::find(text, findings);
    keywords().find_each(text, |at, end, target| match target {
        KeywordTarget::Pattern(rule) => {
            if covered.is_some_and(|(last, end)| at < end && std::ptr::eq(last, rule)) {
                return;
            }
            if let Some((start, end)) = rule.find(text, at) {
                let end = if rule.extends() { ends.end(text, end) } else { end };
                covered = Some((rule, end));
                findings.add(start, end, &rule.label);
            }
        }
        KeywordTarget::Named(key) => named.extend(key.find(text, at, end).map(|(start, end)| (start, end, &key.label))),
        KeywordTarget::Name => names.find(text, at, findings),
        KeywordTarget::ForeignName => names.foreign(text, at, end, findings),
        KeywordTarget::Kubernetes if at >= object_end => object_end = kubernetes::find(text, at, end, findings),
        KeywordTarget::SeedPhrase if at >= phrase_end => {
            if let Some((start, end)) = seed_phrase::words(text, end) {
                findings.add(start, end, &seed_phrase::LABEL);
                phrase_end = end;
            }
        }
        KeywordTarget::KeyBlock | KeywordTarget::KeyEnd | KeywordTarget::Putty if at >= key_end => {
            let found = match target {
                KeywordTarget::KeyBlock => keys::block(text, at),
                KeywordTarget::KeyEnd => keys::rest(text, at),
                _ => keys::putty(text, at),
            };
            if let Some((start, end)) = found {
                findings.add(start, end, &keys::BLOCK);
                key_end = end;
            }
        }
        _ => {}
    });
    for (start, end, label) in named {
        findings.add(start, end, label);
    }
}
