//! The rules of `rules.toml`: words of names and values, forms of tokens, passwords of commands, and keys under a
//! provider's name.
//!
//! The tables are made from that file when the package is built (`src/build/redaction_rules.rs`). A rule ignores what
//! follows a token, since in Markdown anything may; what precedes it matters where letters alone would be found inside
//! words.

mod checks;
mod named;

pub(super) use checks::Check;
pub(super) use named::NamedKey;

use super::letters;
use super::text::{has_three_classes, starts_token};
use named::{Alphabet, KeyForm};
use regex::bytes::{Regex, RegexBuilder};
use std::borrow::Cow;
use std::sync::OnceLock;

/// The version of the built-in rules, raised whenever one of them changes what it removes.
pub(super) const VERSION: u32 = 16;

include!(concat!(env!("OUT_DIR"), "/rules.rs"));

/// Returns every rule with a pattern.
pub(super) fn pattern_rules() -> impl Iterator<Item = &'static PatternRule> {
    TOKENS.iter().chain(&ARGUMENTS)
}

/// Returns every rule for keys that only their provider's name gives away.
pub(super) fn named_keys() -> &'static [NamedKey] {
    &NAMED
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
pub(super) const WEAK: u8 = 4;
/// How many bytes after its keyword a token is searched for, before it is extended to its word's end.
const REACH: usize = 4096;
/// Like [`REACH`], for a match that may begin before its keyword, so that each window is searched as a whole.
const SHORT_REACH: usize = 160;
/// The longest token that may be an identifier.
const MAX_WORDED_BYTES: usize = 80;
/// An argument of a command: in quotes, or up to a blank or what the shell reads; an escaped mark belongs to it.
const ARGUMENT: &str = concat!(
    r#"(?:'([^'\n]{4,200})'|"([^"\n]{4,200})"|"#,
    r#"\\?['"]?((?:[^\s'"`|;&<>\\]|\\[^\s\w'"]){3,}(?:[^\s'"`|;&<>\\,)\]]|\\[^\s\w'"])))"#
);

/// A sorted list of words in lower case.
#[derive(Debug)]
pub(super) struct SortedWords(&'static [&'static str]);

impl SortedWords {
    /// Whether the list has `word`, ASCII case ignored.
    pub(super) fn has(&self, word: &[u8]) -> bool {
        self.0.binary_search_by(|known| known.bytes().cmp(word.iter().map(u8::to_ascii_lowercase))).is_ok()
    }

    /// Whether the list has an ending (`*key`, which sorts before all words) of a text in lower case.
    pub(super) fn has_end_of(&self, text: &str) -> bool {
        self.iter().map_while(|word| word.strip_prefix('*')).any(|ending| text.ends_with(ending))
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &'static str> {
        self.0.iter().copied()
    }
}

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
pub(super) struct PatternRule {
    pub(super) label: FindingLabel,
    /// Lower case, `[abc]` for one of several; the pattern is tried at each occurrence.
    keywords: &'static [&'static str],
    /// The first group that matches, else the whole match, is the secret.
    pattern: &'static str,
    boundary: Boundary,
    check: Check,
    /// How many bytes before the keyword the match may begin; 0: it begins with the keyword.
    before: usize,
    /// Whether it is an argument or a setting, which ends where the match does.
    is_argument: bool,
    compiled: OnceLock<Option<Regex>>,
}

impl PatternRule {
    /// Returns the pattern, compiled at its first use: most runs need only a few.
    fn regex(&self) -> Option<&Regex> {
        self.compiled
            .get_or_init(|| {
                let pattern = self.pattern.replace("<VALUE>", ARGUMENT);
                let pattern = if self.before == 0 { format!(r"\A(?:{pattern})") } else { pattern };
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
        let bounded_before = matches!(self.boundary, Boundary::Start | Boundary::Both);
        if self.before == 0 && bounded_before && !starts_token(text, hit) {
            return None;
        }
        let from = hit.saturating_sub(self.before);
        let reach = if self.before == 0 { REACH } else { SHORT_REACH };
        let window = &text[from..text.len().min(hit + reach)];
        let (start, end) = self.first_match(window, hit - from)?;
        let (start, end) = (from + start, from + end);
        let cut_off = self.is_bounded_after() && text.get(end).is_some_and(u8::is_ascii_alphanumeric);
        let touches_word = bounded_before && self.before > 0 && !starts_token(text, start);
        let value = &text[start..end];
        let is_worded = !self.is_argument && self.check != Check::Any && is_identifier(value);
        let kept = cut_off || touches_word || is_worded || is_file_name(text, start, end) || !self.check.accepts(value);
        (!kept).then_some((start, end))
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
        !self.is_argument && !self.is_bounded_after()
    }

    fn is_bounded_after(&self) -> bool {
        matches!(self.boundary, Boundary::End | Boundary::Both)
    }
}

/// Whether a match is the name of something: words without anything random, `ghp_some_function_name`.
fn is_identifier(value: &[u8]) -> bool {
    let tail = value.iter().position(|b| matches!(b, b'-' | b'_')).map_or(value, |at| &value[at..]);
    let one_run = value.iter().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit());
    let mut parts = value.split(|b| !b.is_ascii_lowercase() && !b.is_ascii_digit());
    let long = |part: &[u8]| part.len() > 14 && part.iter().any(u8::is_ascii_digit);
    // The case of a random token changes more often than that of words.
    let letters = tail.iter().filter(|b| b.is_ascii_alphabetic()).count();
    let changes = tail.windows(2).filter(|pair| {
        pair.iter().all(u8::is_ascii_alphabetic) && pair[0].is_ascii_lowercase() != pair[1].is_ascii_lowercase()
    });
    let shuffled = letters >= 14 && changes.count() * 3 >= letters;
    // One run of digits and letters of both cases, as long as a token, is none.
    let run = tail.rsplit(|b| !b.is_ascii_alphanumeric()).next().unwrap_or_default();
    let mixed = run.len() >= 16 && has_three_classes(run);
    value.len() <= MAX_WORDED_BYTES
        && !mixed
        && !one_run
        && !shuffled
        && !parts.any(long)
        && letters::is_name(value)
        && !letters::are_random(tail)
}

/// Whether the token at `start..end` is the name of a file of a page, or tells its versions apart: `sdk.js?hash=…`.
fn is_file_name(text: &[u8], start: usize, end: usize) -> bool {
    let ending = |rest: &[u8]| VALUES_PAGE_FILES.has(rest);
    let named = text[end..]
        .strip_prefix(b".")
        .is_some_and(|rest| ending(&rest[..rest.iter().take(6).take_while(|b| b.is_ascii_alphanumeric()).count()]));
    let before = text[start.saturating_sub(24)..start].strip_suffix(b"?hash=").unwrap_or_default();
    named || before.iter().rposition(|b| *b == b'.').is_some_and(|dot| ending(&before[dot + 1..]))
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_pattern_compiles_and_every_keyword_is_in_lower_case() {
        for rule in pattern_rules() {
            assert!(rule.regex().is_some(), "{}", rule.label.name);
            let fits = |word: Cow<'_, str>| word.len() >= 2 && word == word.to_ascii_lowercase() && !word.contains('[');
            assert!(!rule.keywords.is_empty() && rule.keywords().all(fits), "{}", rule.label.name);
        }
    }

    #[test]
    fn a_keyword_with_classes_is_expanded() {
        assert_eq!(expand_classes("g[ab]_[12]x"), ["ga_1x", "ga_2x", "gb_1x", "gb_2x"]);
        assert_eq!(expand_classes("ghp_"), ["ghp_"]);
    }

    #[test]
    fn names_are_unique_and_fit_into_a_marker() {
        let names = || pattern_rules().map(|rule| rule.label.name);
        let fits = |name: &str| name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-');
        assert!(names().all(fits));
        assert_eq!(names().collect::<BTreeSet<_>>().len(), names().count());
    }
}
