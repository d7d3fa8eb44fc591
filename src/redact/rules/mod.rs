//! The rules of `rules.yml`: forms of tokens, passwords in commands, and keys under a provider's name.
//!
//! The tables are made from that file when the package is built (`src/build/redaction_rules.rs`). A rule ignores what
//! follows a token, since in Markdown anything may; what precedes it matters where letters alone would
//! be found inside words.

pub(super) mod checks;
mod provider;
mod unseparated;

pub(super) use provider::Provider;

use super::heuristics::{self, WordList};
use provider::{Alphabet, TokenForm};
use regex::bytes::{Regex, RegexBuilder};
use std::borrow::Cow;
use std::sync::OnceLock;

/// The version of the built-in rules, raised whenever one of them changes what it removes.
pub(super) const VERSION: u32 = 14;

include!(concat!(env!("OUT_DIR"), "/rules.rs"));

/// Every rule with a pattern; where two match one place the longer match covers both.
pub(super) fn token_rules() -> impl Iterator<Item = &'static TokenRule> {
    TOKENS.iter().chain(&COMMANDS)
}

/// Every rule for keys that only their provider's name gives away.
pub(super) fn providers() -> &'static [Provider] {
    &PROVIDERS
}

/// The name and reason that a finding is recorded with.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct FindingLabel {
    /// The rule's name, `[a-z0-9-]+`.
    pub(super) name: &'static str,
    /// Why the text was removed.
    pub(super) reason: &'static str,
    /// Decides which of several labels on one place is shown: the lowest.
    pub(super) rank: u8,
}

/// The rank of rules for tokens whose form no other text has.
pub(super) const TOKEN: u8 = 1;
/// The rank of rules whose label yields to that of any token form.
const WEAK: u8 = 4;
/// How many bytes after its keyword a token is searched for, before it is extended to its word's end.
const REACH: usize = 1024;
/// Like [`REACH`], for a match that may begin before its keyword, so that each window is searched as a whole.
const SHORT_REACH: usize = 128;
/// Like [`REACH`], for tokens of which some are very long.
const LONG_REACH: usize = 4096;
/// The longest token that may be an identifier.
const MAX_WORDED_BYTES: usize = 80;
/// The longest word of an identifier with digits in it.
const MAX_WORD_BYTES: usize = 14;
/// An argument of a command: in quotes, or up to a blank or what the shell reads; an escaped mark belongs to it.
const ARGUMENT: &str = concat!(
    r#"(?:'([^'\n]{4,200})'|"([^"\n]{4,200})"|"#,
    r#"\\?['"]?((?:[^\s'"`|;&<>\\]|\\[^\s\w'"]){3,}(?:[^\s'"`|;&<>\\,)\]]|\\[^\s\w'"])))"#
);
/// How many bytes at a token's beginning hold no blank: this dismisses most keywords in prose.
const DENSE: usize = 12;

/// The sides of a match that must not touch a letter or a digit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Boundary {
    None,
    Start,
    End,
    Both,
}

/// A rule that finds a secret by a pattern near a keyword.
#[derive(Debug)]
pub(super) struct TokenRule {
    pub(super) label: FindingLabel,
    /// Lower case, `[abc]` for one of several; the pattern is tried at each occurrence.
    keywords: &'static [&'static str],
    /// The first group that matches, else the whole match, is the secret.
    pattern: &'static str,
    /// How many bytes before the keyword the match may begin; 0: it begins with the keyword.
    before: usize,
    boundary: Boundary,
    /// Whether letters and digits that follow the match belong to the secret, unless the boundary forbids them.
    extends: bool,
    /// Whether blanks may occur at the beginning of the match.
    spaced: bool,
    reach: usize,
    /// A further condition on the secret.
    check: fn(&[u8]) -> bool,
    compiled: OnceLock<Option<Regex>>,
}

impl TokenRule {
    const fn token(
        name: &'static str,
        reason: &'static str,
        keywords: &'static [&'static str],
        pattern: &'static str,
    ) -> Self {
        Self {
            label: FindingLabel { name, reason, rank: TOKEN },
            keywords,
            pattern,
            before: 0,
            boundary: Boundary::None,
            extends: true,
            spaced: false,
            reach: REACH,
            check: checks::no_sample,
            compiled: OnceLock::new(),
        }
    }

    const fn command(
        name: &'static str,
        reason: &'static str,
        keywords: &'static [&'static str],
        pattern: &'static str,
    ) -> Self {
        let mut rule = Self::token(name, reason, keywords, pattern)
            .boundary(Boundary::Start)
            .spaced()
            .weak()
            .check(checks::quoted_password);
        rule.extends = false;
        rule
    }

    const fn boundary(mut self, boundary: Boundary) -> Self {
        self.boundary = boundary;
        self
    }

    const fn weak(mut self) -> Self {
        self.label.rank = WEAK;
        self
    }

    const fn spaced(mut self) -> Self {
        self.spaced = true;
        self
    }

    const fn long(mut self) -> Self {
        self.reach = LONG_REACH;
        self
    }

    const fn before(mut self, bytes: usize) -> Self {
        self.before = bytes;
        self.reach = SHORT_REACH;
        self
    }

    const fn check(mut self, check: fn(&[u8]) -> bool) -> Self {
        self.check = check;
        self
    }

    /// Returns the pattern, compiled at its first use: most runs need only a few.
    fn regex(&self) -> Option<&Regex> {
        self.compiled
            .get_or_init(|| {
                let pattern = match self.before {
                    0 => format!(r"\A(?:{})", self.pattern),
                    _ => self.pattern.to_owned(),
                };
                let pattern = pattern.replace("<VALUE>", ARGUMENT);
                RegexBuilder::new(&pattern).unicode(false).size_limit(1 << 20).build().ok()
            })
            .as_ref()
    }

    /// Returns the keywords, classes of characters expanded.
    pub(super) fn keywords(&self) -> impl Iterator<Item = Cow<'static, str>> {
        self.keywords.iter().flat_map(|word| expand_classes(word))
    }

    /// Finds the secret whose keyword is at `hit`.
    pub(super) fn find(&self, text: &[u8], hit: usize) -> Option<(usize, usize)> {
        if self.before == 0 {
            let dense = || text.get(hit..hit + DENSE).is_some_and(|head| !head.iter().any(u8::is_ascii_whitespace));
            if (self.is_bounded_before() && !super::text::starts_token(text, hit)) || (!self.spaced && !dense()) {
                return None;
            }
        }
        let from = hit.saturating_sub(self.before);
        let window = &text[from..text.len().min(hit + self.reach)];
        let (start, end) = self.first_match(window, hit - from)?;
        let (start, end) = (from + start, from + end);
        let cut_off = self.is_bounded_after() && text.get(end).is_some_and(u8::is_ascii_alphanumeric);
        let touches_word = self.is_bounded_before() && self.before > 0 && !super::text::starts_token(text, start);
        let harmless = || self.label.rank == TOKEN && (is_worded(text, start, end) || is_file_name(text, end));
        (!cut_off
            && !touches_word
            && (self.check)(&text[start..end])
            && !harmless()
            && !is_version_of_file(text, start))
        .then_some((start, end))
    }

    /// Finds the first match in `window` that reaches past `hit`: one before it belongs to an earlier keyword.
    fn first_match(&self, window: &[u8], hit: usize) -> Option<(usize, usize)> {
        let regex = self.regex()?;
        let mut at = 0;
        loop {
            let (found, end) = match regex.captures_len() {
                1 => regex.find_at(window, at).map(|found| (found, found.end())),
                _ => regex.captures_at(window, at).and_then(|groups| {
                    let whole = groups.get(0)?;
                    Some((groups.iter().skip(1).flatten().next().unwrap_or(whole), whole.end()))
                }),
            }?;
            if end > hit {
                return Some((found.start(), found.end()));
            }
            at = end.max(at + 1);
        }
    }

    /// Whether letters and digits directly after the match belong to the secret.
    pub(super) fn extends(&self) -> bool {
        self.extends && !self.is_bounded_after()
    }

    fn is_bounded_before(&self) -> bool {
        matches!(self.boundary, Boundary::Start | Boundary::Both)
    }

    fn is_bounded_after(&self) -> bool {
        matches!(self.boundary, Boundary::End | Boundary::Both)
    }
}

/// Whether the word of the token at `start..end` is an identifier or a slug: words and short numbers, nothing random.
///
/// One run of capitals and digits is neither, however few its digits (`AKIA…`), and no word is as long as the random
/// part of a token of fixed length.
fn is_worded(text: &[u8], start: usize, end: usize) -> bool {
    let word = &text[start..end];
    let capitals = word.iter().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit());
    let mut parts = word.split(|b| !b.is_ascii_lowercase() && !b.is_ascii_digit());
    let long = |part: &[u8]| part.len() > MAX_WORD_BYTES && part.iter().any(u8::is_ascii_digit);
    // Hyphens in a random token make parts so short that each of them may be a word: `glpat-…4GpJ_lcX-K`.
    let tail = word.iter().position(|b| matches!(b, b'-' | b'_')).map_or(word, |at| &word[at..]);
    // The case of a random token changes more often than that of words.
    let letters = tail.iter().filter(|b| b.is_ascii_alphabetic()).count();
    let changes = tail.windows(2).filter(|pair| {
        pair.iter().all(u8::is_ascii_alphabetic) && pair[0].is_ascii_lowercase() != pair[1].is_ascii_lowercase()
    });
    let shuffled = letters >= 14 && changes.count() * 3 >= letters;
    word.len() <= MAX_WORDED_BYTES
        && !capitals
        && !shuffled
        && !parts.any(long)
        && heuristics::is_name(word)
        && !heuristics::is_jumble(tail)
}

/// Endings of the names of files that a page is made of.
static ENDINGS: WordList =
    WordList::new("png jpg jpeg gif svg ico webp avif css js mjs map html htm woff woff2 ttf mp4 pdf");

/// Whether the token at `start` tells versions of such a file apart: `sdk.js?hash=…`.
fn is_version_of_file(text: &[u8], start: usize) -> bool {
    let before = text[start.saturating_sub(24)..start].strip_suffix(b"?hash=").unwrap_or_default();
    before.iter().rposition(|b| *b == b'.').is_some_and(|dot| ENDINGS.has(&before[dot + 1..]))
}

/// Whether the token that ends at `end` is the name of a file, such as the image of a page.
fn is_file_name(text: &[u8], end: usize) -> bool {
    let Some(rest) = text.get(end..).and_then(|rest| rest.strip_prefix(b".")) else { return false };
    let length = rest.iter().take(6).take_while(|b| b.is_ascii_alphanumeric()).count();
    ENDINGS.has(&rest[..length])
}

/// Returns the keywords that `word` abbreviates: `gh[os]_` is `gho_` and `ghs_`.
fn expand_classes(word: &'static str) -> Vec<Cow<'static, str>> {
    if !word.contains('[') {
        return vec![word.into()];
    }
    let mut words = vec![String::new()];
    let mut rest = word;
    while let Some((before, (class, after))) =
        rest.split_once('[').and_then(|(before, from)| Some((before, from.split_once(']')?)))
    {
        let letters = |word: &String| class.chars().map(|letter| format!("{word}{before}{letter}")).collect::<Vec<_>>();
        words = words.iter().flat_map(letters).collect();
        rest = after;
    }
    words.into_iter().map(|word| (word + rest).into()).collect()
}

/// Decodes Base64 of either alphabet, up to the first character that is in neither.
pub(super) fn decode_base64(text: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len() * 3 / 4);
    let (mut held, mut bits) = (0_u32, 0_u32);
    for byte in text {
        let six = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => break,
        };
        held = (held << 6) | u32::from(six);
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.push(((held >> bits) & 0xff) as u8);
        }
        held &= 0xffff;
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::redact::canaries::{RuleEntry, SEED, fill, rule_file};
    use std::collections::BTreeSet;

    #[test]
    fn every_pattern_compiles_and_every_keyword_is_in_lower_case() {
        for rule in token_rules() {
            assert!(rule.regex().is_some(), "{}", rule.label.name);
            assert!(!rule.keywords.is_empty());
            assert!(
                rule.keywords().all(|word| word.len() >= 2 && word == word.to_ascii_lowercase() && !word.contains('[')),
                "{}",
                rule.label.name
            );
        }
    }

    #[test]
    fn a_keyword_with_classes_is_expand_classes() {
        assert_eq!(expand_classes("g[ab]_[12]x"), ["ga_1x", "ga_2x", "gb_1x", "gb_2x"]);
        assert_eq!(expand_classes("ghp_"), ["ghp_"]);
    }

    #[test]
    fn the_build_reads_the_data_file_as_a_yaml_library_does() {
        let file = rule_file();
        let read = |entry: &'static RuleEntry| {
            let keywords: Vec<&str> = entry.keywords.iter().map(String::as_str).collect();
            (&*entry.id, &*entry.reason, keywords, entry.pattern.as_deref())
        };
        let built =
            |label: &FindingLabel, words: &[&'static str], pattern| (label.name, label.reason, words.to_vec(), pattern);
        let tokens: Vec<_> = token_rules().map(|rule| built(&rule.label, rule.keywords, Some(rule.pattern))).collect();
        assert_eq!(file.tokens.iter().chain(&file.commands).map(read).collect::<Vec<_>>(), tokens);
        let named: Vec<_> = providers().iter().map(|provider| built(&provider.label, provider.words, None)).collect();
        assert_eq!(file.named_keys.iter().map(read).collect::<Vec<_>>(), named);
    }

    #[test]
    fn near_misses_of_every_rule_stay() {
        for entry in rule_file().entries() {
            for template in &entry.keeps {
                let text = fill(template, SEED);
                let found = crate::redact::detect::built_in(text.as_bytes(), false);
                let found: Vec<&str> = found.iter().map(|finding| &text[finding.start..finding.end]).collect();
                assert_eq!(found, Vec::<&str>::new(), "{}: {text}", entry.id);
            }
        }
    }

    #[test]
    fn names_are_unique_and_fit_into_a_marker() {
        let names: BTreeSet<_> = token_rules().map(|rule| rule.label.name).collect();
        assert_eq!(names.len(), token_rules().count());
        assert!(
            names
                .iter()
                .all(|name| { name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-') })
        );
    }

    #[test]
    fn base64_is_decoded_in_both_alphabets() {
        assert_eq!(decode_base64(b"dXNlcjpwYXNzd29yZA=="), b"user:password");
        assert_eq!(decode_base64(b"-_-_"), decode_base64(b"+/+/"));
    }
}
