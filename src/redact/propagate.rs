//! Removes what was found in one text of a source from its other texts, where that is certain: tokens of a known form
//! or that only a machine makes, and the values of fields from the record that has them.

use super::edit::{Piece, PieceEdit};
use super::findings::{Finding, RuleRef};
use super::judge;
use super::rules::TOKEN;
use super::text::starts_token;
use aho_corasick::{AhoCorasick, MatchKind};
use std::collections::BTreeMap;

/// The lengths of tokens that are searched for: a short one may be a word, a long one is a file.
const TOKEN_LENGTHS: std::ops::Range<usize> = 16..16 * 1024;

/// The secrets found in a source.
#[derive(Default)]
pub(super) struct FoundSecrets {
    /// Tokens of a known form or that only a machine makes, searched for everywhere.
    tokens: BTreeMap<Vec<u8>, RuleRef>,
    /// Values of fields by their line in the file: searched for in the record's own text on that line only.
    fields: BTreeMap<u32, BTreeMap<Vec<u8>, RuleRef>>,
    /// Values in the record's own text by their line: searched for in the fields that begin on it.
    recorded: BTreeMap<u32, BTreeMap<Vec<u8>, RuleRef>>,
}

impl FoundSecrets {
    /// Adds a value found in `piece`, on this line of its file.
    pub(super) fn add(&mut self, piece: &Piece<'_>, line: u32, value: &[u8], rule: RuleRef) {
        let is_token = match rule {
            RuleRef::BuiltIn(label) => label.rank == TOKEN || judge::is_machine_made(value),
            RuleRef::User(_) => true,
        };
        let values = match piece.key {
            _ if is_token && TOKEN_LENGTHS.contains(&value.len()) => &mut self.tokens,
            "body" => return,
            "head" => self.recorded.entry(line).or_default(),
            _ => self.fields.entry(piece.line).or_default(),
        };
        for form in forms(value) {
            values.entry(form).or_insert(rule);
        }
    }

    /// Adds the occurrences of the secrets in all texts to `found`.
    pub(super) fn propagate(&self, pieces: &[Piece<'_>], drafts: &[PieceEdit<'_>], found: &mut [Vec<Finding>]) {
        let tokens = Finder::new(&self.tokens);
        for ((piece, draft), found) in pieces.iter().zip(drafts).zip(found) {
            let text = draft.text.as_bytes();
            if let Some(tokens) = &tokens {
                found.extend(tokens.places(text, 0));
            }
            match piece.key {
                "head" => found.extend(self.field_places(text, piece.line)),
                "body" => {}
                _ => {
                    let values = self.recorded.get(&piece.line).and_then(Finder::new);
                    found.extend(values.map(|values| values.places(text, 0)).unwrap_or_default());
                }
            }
        }
    }

    fn field_places(&self, text: &[u8], first: u32) -> Vec<Finding> {
        let mut found = Vec::new();
        let (mut at, mut row) = (0, first);
        for line in text.split_inclusive(|b| *b == b'\n') {
            if let Some(values) = self.fields.get(&row).and_then(Finder::new) {
                found.extend(values.places(&text[..at + line.len()], at));
            }
            (at, row) = (at + line.len(), row.saturating_add(1));
        }
        found
    }
}

/// A search for many values at once.
struct Finder {
    automaton: AhoCorasick,
    rules: Vec<RuleRef>,
}

impl Finder {
    /// Returns `None` if there are no values, or too many to search for at once: then each is still removed
    /// where its own rule found it.
    fn new(values: &BTreeMap<Vec<u8>, RuleRef>) -> Option<Self> {
        if values.is_empty() {
            return None;
        }
        let automaton = AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(values.keys()).ok()?;
        Some(Self { automaton, rules: values.values().copied().collect() })
    }

    /// Finds the values in `text` from `from` on. A short one inside a longer word is another word.
    fn places(&self, text: &[u8], from: usize) -> Vec<Finding> {
        let hits = self.automaton.find_iter(&text[from..]).map(|hit| Finding {
            start: from + hit.start(),
            end: from + hit.end(),
            rule: self.rules[hit.pattern().as_usize()],
        });
        let is_own = |place: &Finding| {
            place.end - place.start >= TOKEN_LENGTHS.start
                || starts_token(text, place.start) && !text.get(place.end).is_some_and(u8::is_ascii_alphanumeric)
        };
        hits.filter(is_own).collect()
    }
}

/// Returns a value as found, and as JSON and single-quoted YAML spell it.
fn forms(value: &[u8]) -> Vec<Vec<u8>> {
    let mut forms = vec![value.to_vec()];
    if let Ok(text) = std::str::from_utf8(value) {
        let json = serde_json::Value::from(text).to_string();
        forms.push(json.as_bytes()[1..json.len() - 1].to_vec());
        forms.push(text.replace('\'', "''").into_bytes());
    }
    forms
}
