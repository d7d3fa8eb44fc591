//! Tokens of several parts with dots between them and without a word by which they could be searched for.

use super::findings::Findings;
use super::rules::{FindingLabel, TOKEN};
use super::text::starts_token;
use regex::bytes::Regex;
use std::sync::LazyLock;

/// The longest first part.
const MAX_FIRST: usize = 32;

const fn label(name: &'static str, reason: &'static str) -> FindingLabel {
    FindingLabel { name, reason, rank: TOKEN }
}

/// The labels of such tokens, each with the pattern from its first character.
static FORMS: [(FindingLabel, &str); 3] = [
    (
        label("discord-bot-token", "matches the pattern of a token of a Discord bot"),
        r"[MNO][A-Za-z0-9_-]{22,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,40}",
    ),
    (label("airtable-token", "matches the pattern of an Airtable token"), r"pat[A-Za-z0-9]{14}\.[0-9a-f]{64}"),
    (label("zhipu-key", "matches the pattern of a key of Zhipu"), r"[0-9a-f]{32}\.[A-Za-z0-9]{16}"),
];

/// Returns the labels of this file.
pub(super) fn labels() -> impl Iterator<Item = &'static FindingLabel> {
    FORMS.iter().map(|(label, _)| label)
}

/// Finds such tokens by their first dot.
pub(super) fn find(text: &[u8], findings: &mut Findings) {
    static PATTERNS: LazyLock<Vec<Option<Regex>>> =
        LazyLock::new(|| FORMS.iter().map(|(_, pattern)| Regex::new(&format!(r"(?-u)\A(?:{pattern})")).ok()).collect());
    let is_part = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-');
    for dot in memchr::memchr_iter(b'.', text) {
        // Most dots end a sentence or part a short name.
        if !text[dot.saturating_sub(17)..dot].iter().all(is_part) || !text.get(dot + 1).is_some_and(is_part) || dot < 17
        {
            continue;
        }
        let start = dot - text[dot.saturating_sub(MAX_FIRST)..dot].iter().rev().take_while(|b| is_part(b)).count();
        let window = &text[start..text.len().min(start + 120)];
        for ((label, _), pattern) in FORMS.iter().zip(PATTERNS.iter()) {
            if let Some(found) =
                pattern.as_ref().and_then(|pattern| pattern.find(window)).filter(|_| starts_token(text, start))
                && found.as_bytes().iter().any(u8::is_ascii_digit)
            {
                let rest = window[found.end()..].iter().take_while(|b| is_part(b)).count();
                findings.add(start, start + found.end() + rest, label);
            }
        }
    }
}
