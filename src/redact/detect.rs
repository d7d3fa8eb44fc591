//! Detection: one pass over a text for keywords, then the rules that belong to them.

use super::base64::Base64Run;
use super::findings::{Finding, Findings, RuleRef};
use super::keywords::KeywordIndex;
use super::layouts::Names;
use super::rules::{self, NamedKey, PatternRule};
use super::text::WordEnds;
use super::{base64, dotted, keys, kubernetes, names, seed_phrase, url};
use std::borrow::Cow;
use std::sync::OnceLock;

/// How often a text is decoded at most.
const MAX_DECODED: usize = 2;

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
fn keywords() -> &'static KeywordIndex<KeywordTarget> {
    static KEYWORDS: OnceLock<KeywordIndex<KeywordTarget>> = OnceLock::new();
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
        KeywordIndex::new(&words)
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
    if depth < MAX_DECODED {
        base64::runs(text).for_each(|run| find_decoded(&run, depth, findings));
    }
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

/// Adds a run of Base64 if it holds a secret: what is found inside takes all of it.
fn find_decoded(run: &Base64Run, depth: usize, findings: &mut Findings) {
    let mut inside = Findings::default();
    search(&run.decoded, depth + 1, &mut inside);
    let labels = inside.found.iter().filter_map(|finding| match finding.rule {
        RuleRef::BuiltIn(label) => Some(label),
        RuleRef::User(_) => None,
    });
    if let Some(label) = labels.min_by_key(|label| label.rank) {
        findings.add(run.start, run.end, label);
    }
}
