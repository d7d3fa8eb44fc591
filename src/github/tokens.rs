//! The tokens of this process, which are used in one header and must never be shown.

use super::address::percent_encode;
use crate::model::is_hidden;
use aho_corasick::{AhoCorasick, MatchKind};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use std::fmt;

/// The number of consecutive bytes of a token that make a text unfit to be shown.
const MIN_MATCH: usize = 8;

/// The tokens of this process: the one that is used, and the others in its environment.
///
/// `Debug` does not show them. Texts of servers and proxies, which repeat headers in error
/// pages, are checked for them before they are shown.
#[derive(Clone, Default)]
pub struct Tokens {
    used: Option<String>,
    others: Vec<String>,
    /// Every form of every token, the longest first, so that a form that contains another is replaced whole.
    known: Vec<String>,
    /// The search for those forms that are too long to be a common word.
    finder: Option<AhoCorasick>,
}

impl Tokens {
    /// Creates the set of the token that requests carry and of others that must not be shown.
    pub fn new(used: Option<String>, others: impl IntoIterator<Item = String>) -> Self {
        let others: Vec<String> = others.into_iter().filter(|value| !value.is_empty()).collect();
        let mut known: Vec<String> = used.iter().chain(&others).flat_map(|token| encoded_forms(token)).collect();
        known.sort_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
        known.dedup();
        let long: Vec<&String> = known.iter().filter(|value| value.len() >= MIN_MATCH).collect();
        let finder = AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(long).ok();
        Self { used, others, known, finder }
    }

    /// Adds further values that never leave as they are.
    #[must_use]
    pub fn and(self, others: impl IntoIterator<Item = String>) -> Self {
        Self::new(self.used, self.others.into_iter().chain(others))
    }

    pub fn is_authenticated(&self) -> bool {
        self.used.is_some()
    }

    /// Returns the token, for the header only.
    pub(super) fn token(&self) -> Option<&str> {
        self.used.as_deref()
    }

    pub fn mask(&self, text: &str) -> String {
        let Some(finder) = &self.finder else { return text.to_owned() };
        finder.replace_all(text, &vec!["[REDACTED:token]"; finder.patterns_len()])
    }

    pub(super) fn occurs_in(&self, text: &str) -> bool {
        self.finder.as_ref().is_some_and(|finder| finder.is_match(text))
    }

    /// Returns a server's message on one line, shortened and without control characters; `None` if it holds a part of a
    /// token.
    pub(super) fn message(&self, text: &str) -> Option<String> {
        let exposes = self.known.iter().any(|value| {
            value
                .as_bytes()
                .windows(MIN_MATCH.min(value.len()))
                .any(|part| text.as_bytes().windows(part.len()).any(|there| there.eq_ignore_ascii_case(part)))
        });
        let line: String = text.chars().map(|c| if is_hidden(c) { ' ' } else { c }).take(200).collect();
        let line = line.trim().to_owned();
        (!exposes && !line.is_empty()).then_some(line)
    }
}

impl fmt::Debug for Tokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Secrets").field("authenticated", &self.is_authenticated()).finish_non_exhaustive()
    }
}

/// Returns every form in which a server or proxy may repeat a token: plain, hex, percent and Base64.
///
/// Base64 has three forms, one for each alignment of the token; each consists of the digits that the token alone decides.
fn encoded_forms(token: &str) -> Vec<String> {
    let bytes = token.as_bytes();
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    let percent: String = bytes.iter().map(|byte| format!("%{byte:02X}")).collect();
    let strict = percent_encode(token).replace('-', "%2D").replace('.', "%2E").replace('_', "%5F");
    let mut forms = vec![token.to_owned(), percent_encode(token), strict, hex.to_uppercase(), hex];
    forms.extend([percent.to_lowercase(), percent]);
    for start in 0..3 {
        let digits = base64_at(bytes, start);
        forms.extend([digits.replace('+', "-").replace('/', "_"), digits]);
    }
    forms
}

/// Returns the Base64 digits that `bytes` alone decide if `start` other bytes precede them.
fn base64_at(bytes: &[u8], start: usize) -> String {
    let text = [&[0; 3][..start], bytes].concat();
    let (first, end) = ((start * 8).div_ceil(6), text.len() * 8 / 6);
    STANDARD_NO_PAD.encode(text).get(first..end).unwrap_or_default().to_owned()
}
