//! Tokens: used for one header, and shown to nobody.

use super::echoes::echoes;
use crate::model::is_hidden;
use aho_corasick::{AhoCorasick, MatchKind};
use std::fmt;

/// How many bytes of a token in a row make a text unfit to be shown.
const TELLING: usize = 8;

/// The tokens of this process: the one that is used, and those that merely lie around.
///
/// It prints as nothing, and texts from outside pass it before anybody sees them: servers
/// and proxies repeat headers in their error pages.
#[derive(Clone, Default)]
pub struct Tokens {
    used: Option<String>,
    others: Vec<String>,
    /// Everything that tells a token, the longest first: else the rest of what contains another would stay.
    known: Vec<String>,
    /// Finds those of them that are long enough to be no common word.
    finder: Option<AhoCorasick>,
}

impl Tokens {
    /// The token that requests carry, and all that must not be told.
    pub fn new(used: Option<String>, others: impl IntoIterator<Item = String>) -> Self {
        let others: Vec<String> = others.into_iter().filter(|value| !value.is_empty()).collect();
        let mut known: Vec<String> = used.iter().chain(&others).flat_map(|token| echoes(token)).collect();
        known.sort_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
        known.dedup();
        let long: Vec<&String> = known.iter().filter(|value| value.len() >= TELLING).collect();
        let finder = AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(long).ok();
        Self { used, others, known, finder }
    }

    /// With more that must not be told.
    #[must_use]
    pub fn and(self, others: impl IntoIterator<Item = String>) -> Self {
        Self::new(self.used, self.others.into_iter().chain(others))
    }

    /// Whether requests carry a token.
    pub fn is_authenticated(&self) -> bool {
        self.used.is_some()
    }

    /// The token, for the header alone.
    #[cfg_attr(not(feature = "github"), expect(dead_code, reason = "there is no transport to use it"))]
    pub(super) fn token(&self) -> Option<&str> {
        self.used.as_deref()
    }

    /// The text with every token in it replaced.
    pub fn mask(&self, text: &str) -> String {
        let Some(finder) = &self.finder else { return text.to_owned() };
        let mut masked = String::new();
        finder.replace_all_with(text, &mut masked, |_, _, out| {
            out.push_str("[REDACTED:token]");
            true
        });
        masked
    }

    /// Whether a token stands in the text.
    pub(super) fn tells(&self, text: &str) -> bool {
        self.finder.as_ref().is_some_and(|finder| finder.is_match(text))
    }

    /// A message of a server, where it holds no part of a token: on one line, without what terminals obey, cut.
    pub(super) fn message(&self, text: &str) -> Option<String> {
        let told = self.known.iter().any(|value| {
            value
                .as_bytes()
                .windows(TELLING.min(value.len()))
                .any(|part| text.as_bytes().windows(part.len()).any(|there| there.eq_ignore_ascii_case(part)))
        });
        let line: String = text.chars().map(|c| if is_hidden(c) { ' ' } else { c }).take(200).collect();
        let line = line.trim().to_owned();
        (!told && !line.is_empty()).then_some(line)
    }
}

impl fmt::Debug for Tokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Secrets").field("authenticated", &self.is_authenticated()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secrets() -> Tokens {
        Tokens::new(Some("tok-0123456789-abc".to_owned()), ["tok-0123456789-abc-longer".to_owned(), String::new()])
    }

    #[test]
    fn a_token_is_neither_printed_nor_left_in_a_text() {
        let secrets = secrets();
        let printed = format!("{secrets:?}");
        assert!(printed.contains("authenticated: true") && !printed.contains("tok-"), "{printed}");
        let masked = secrets.mask("a tok-0123456789-abc b tok-0123456789-abc-longer c");
        assert_eq!(masked, "a [REDACTED:token] b [REDACTED:token] c");
    }

    #[test]
    fn a_message_with_any_part_of_a_token_is_not_told_at_all() {
        let secrets = secrets();
        assert_eq!(secrets.message("Bad credentials"), Some("Bad credentials".to_owned()));
        assert_eq!(secrets.message("Bad\u{1b}[31m\ncredentials").unwrap_or_default(), "Bad [31m credentials");
        for echoed in [
            "Basic eC1hY2Nlc3MtdG9rZW46dG9rLTAxMjM0NTY3ODktYWJj",
            "%74%6f%6b%2d%30%31%32%33",
            "Bearer tok-0123456789-abc",
            "you sent …23456789-a…",
            "TOK-0123456789-ABC",
        ] {
            assert_eq!(secrets.message(echoed), None, "{echoed}");
        }
    }
}
