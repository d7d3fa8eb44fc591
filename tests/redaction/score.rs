//! What a scrubbed text is worth: whether the secret is gone, and whether the rest is still there.

use crate::contexts::Case;
use contextpack::internals::config::RedactionSettings;
use contextpack::internals::redact::{Piece, Redactor};
use std::collections::BTreeMap;

/// What became of one case.
#[derive(Debug, Clone)]
pub(crate) struct Outcome {
    pub(crate) output: String,
    /// No secret stands in the output as it was.
    pub(crate) removed: bool,
    /// Nor does more than half of one in one piece.
    pub(crate) strictly: bool,
    /// How many words the frame has, and how many of them are left.
    pub(crate) words: (usize, usize),
    /// Whether a second scrub changes nothing.
    pub(crate) stable: bool,
}

/// Built once; scrubs and judges.
#[derive(Debug)]
pub(crate) struct Judge(Redactor);

impl Judge {
    pub(crate) fn new() -> Self {
        Self(Redactor::new(&RedactionSettings::default()))
    }

    pub(crate) fn scrub(&self, key: &str, text: &str) -> String {
        let key = if key.is_empty() { "body" } else { key };
        let scrubbed = self.0.scrub("notes.md", &[Piece { key, text, line: 1 }]);
        scrubbed.texts.iter().map(|text| text.as_str()).collect()
    }

    /// Scrubs a case; `read` is how a reader decodes the text before looking for the secret.
    pub(crate) fn judge(&self, case: &Case, read: fn(&str) -> String) -> Outcome {
        let output = self.scrub(&case.key, &case.text);
        let seen = read(&without_markers(&output));
        let secrets: Vec<String> = case.secrets.iter().map(|secret| read(secret)).collect();
        let removed = !secrets.iter().any(|secret| seen.contains(&**secret));
        let frame = read(&case.frame.join("\n"));
        let strictly = removed && !secrets.iter().any(|secret| survives_by_half(secret, &seen, &frame));
        let stable = self.scrub(&case.key, &output) == output;
        let words = surviving(&frame, &seen);
        Outcome { output, removed, strictly, words, stable }
    }
}

/// Whether a piece longer than half of `secret` stands in `text` that its frame alone does not have.
fn survives_by_half(secret: &str, text: &str, frame: &str) -> bool {
    let marks: Vec<usize> = secret.char_indices().map(|(at, _)| at).chain([secret.len()]).collect();
    let long = (marks.len() - 1) / 2 + 1;
    marks.iter().zip(marks.iter().skip(long)).any(|(&from, &to)| {
        let piece = &secret[from..to];
        text.contains(piece) && !frame.contains(piece)
    })
}

/// The text with a space for each mark of a removal.
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

/// How many words the frame has, and how many of them the output has.
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
