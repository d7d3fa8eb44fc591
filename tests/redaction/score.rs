//! Scores a scrubbed text: whether the secret is gone, and whether the rest is still there.

use crate::contexts::Case;
use contextpack::internals::config::RedactionSettings;
use contextpack::internals::redact::{Piece, Redactor};
use std::collections::BTreeMap;

/// The score of one case.
#[derive(Debug, Clone)]
pub(crate) struct Outcome {
    pub(crate) output: String,
    /// Whether the output contains none of the secrets.
    pub(crate) removed: bool,
    /// Whether it does not contain more than half of a secret in one piece either.
    pub(crate) strictly_removed: bool,
    /// The number of words around the secret, and how many of them remain.
    pub(crate) words: (usize, usize),
    /// Whether scrubbing again changes nothing.
    pub(crate) stable: bool,
}

/// Scrubs texts and scores the results.
#[derive(Debug)]
pub(crate) struct Scorer(Redactor);

impl Scorer {
    pub(crate) fn new() -> Self {
        Self(Redactor::new(&RedactionSettings::default()))
    }

    pub(crate) fn scrub(&self, key: &str, text: &str) -> String {
        let key = if key.is_empty() { "body" } else { key };
        let scrubbed = self.0.scrub("notes.md", &[Piece { key, text, line: 1 }]);
        scrubbed.texts.iter().map(|text| text.as_str()).collect()
    }

    /// Scores a case; `read` decodes a text as a reader does before the secret is searched for.
    pub(crate) fn score(&self, case: &Case, read: fn(&str) -> String) -> Outcome {
        let output = self.scrub(&case.key, &case.text);
        let seen = read(&without_markers(&output));
        let secrets: Vec<String> = case.secrets.iter().map(|secret| read(secret)).collect();
        let removed = !secrets.iter().any(|secret| seen.contains(&**secret));
        let frame = read(&case.frame.join("\n"));
        let strictly_removed = removed && !secrets.iter().any(|secret| survives_by_half(secret, &seen, &frame));
        let stable = self.scrub(&case.key, &output) == output;
        let words = surviving(&frame, &seen);
        Outcome { output, removed, strictly_removed, words, stable }
    }
}

/// Whether `text` contains a piece longer than half of `secret` that its frame alone does not contain.
fn survives_by_half(secret: &str, text: &str, frame: &str) -> bool {
    let marks: Vec<usize> = secret.char_indices().map(|(at, _)| at).chain([secret.len()]).collect();
    let long = (marks.len() - 1) / 2 + 1;
    marks.iter().zip(marks.iter().skip(long)).any(|(&from, &to)| {
        let piece = &secret[from..to];
        text.contains(piece) && !frame.contains(piece)
    })
}

/// Replaces each marker by a space.
pub(crate) fn without_markers(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("[REDACTED:") {
        out.push_str(&rest[..at]);
        out.push(' ');
        rest = rest[at..].find(']').map_or("", |end| &rest[at + end + 1..]);
    }
    out + rest
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty())
}

/// Counts the words of the frame, and those of them that the output has.
fn surviving(frame: &str, output: &str) -> (usize, usize) {
    let mut left: BTreeMap<&str, usize> = BTreeMap::new();
    for word in words(output) {
        *left.entry(word).or_default() += 1;
    }
    let (mut all, mut kept) = (0, 0);
    for word in words(frame) {
        all += 1;
        if let Some(count) = left.get_mut(word).filter(|count| **count > 0) {
            *count -= 1;
            kept += 1;
        }
    }
    (all, kept)
}
