//! Tokens: used for one header, and shown to nobody.

use std::fmt;

/// How many bytes of a token in a row make a text unfit to be shown.
const TELLING: usize = 8;

/// The tokens of this process: the one that is used, and those that merely lie around.
///
/// It prints as nothing, and texts from outside pass it before anybody sees them: servers
/// and proxies repeat headers in their error pages.
#[derive(Clone, Default)]
pub struct Secrets {
    used: Option<String>,
    known: Vec<String>,
}

impl Secrets {
    /// The token that requests carry, and all that must not be told.
    pub fn new(used: Option<String>, others: impl IntoIterator<Item = String>) -> Self {
        let mut known: Vec<String> = used.iter().cloned().chain(others).filter(|value| !value.is_empty()).collect();
        // A token that contains another goes first, else its rest would stay.
        known.sort_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
        known.dedup();
        Self { used, known }
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
        self.known.iter().filter(|value| value.len() >= TELLING).fold(text.to_owned(), |text, value| {
            if text.contains(value.as_str()) { text.replace(value.as_str(), "[REDACTED:token]") } else { text }
        })
    }

    /// A message of a server, where it holds no part of a token: on one line, without what terminals obey, cut.
    pub(super) fn message(&self, text: &str) -> Option<String> {
        let told = self.known.iter().any(|value| {
            value
                .as_bytes()
                .windows(TELLING.min(value.len()))
                .any(|part| text.as_bytes().windows(part.len()).any(|there| there.eq_ignore_ascii_case(part)))
        });
        let line: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(200).collect();
        let line = line.trim().to_owned();
        (!told && !line.is_empty()).then_some(line)
    }
}

impl fmt::Debug for Secrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Secrets").field("authenticated", &self.is_authenticated()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secrets() -> Secrets {
        Secrets::new(Some("tok-0123456789-abc".to_owned()), ["tok-0123456789-abc-longer".to_owned(), String::new()])
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
        for echoed in ["Bearer tok-0123456789-abc", "you sent …23456789-a…", "TOK-0123456789-ABC"] {
            assert_eq!(secrets.message(echoed), None, "{echoed}");
        }
    }
}
