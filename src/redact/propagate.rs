//! Propagates secrets found in one text of a source to its other texts.

use super::detect::{Finding, RuleRef};
use super::edit::PieceEdit;
use super::heuristics;
use super::invisible::invisible;
use super::redactor::Piece;
use super::rules::TOKEN;
use super::text::starts_token;
use aho_corasick::{AhoCorasick, MatchKind};
use std::collections::{BTreeMap, BTreeSet};

/// The longest value that is searched for in other texts.
const MAX_SECRET_BYTES: usize = 16 * 1024;
/// The length from which on a value is also searched for inside words.
const MIN_BYTES_INSIDE_WORDS: usize = 16;

/// The secrets found in a source.
#[derive(Default)]
pub(super) struct FoundSecrets {
    /// Secrets that are searched for everywhere, in every spelling.
    distinct: BTreeMap<Vec<u8>, RuleRef>,
    /// Secrets of fields that are too plain for that, by their line in the file: searched for in the record's own text
    /// on that line only.
    plain: BTreeMap<u32, BTreeMap<Vec<u8>, RuleRef>>,
    /// Secrets of the record's own text, in which a field has its name, by their line: searched for in the fields that
    /// begin on it.
    recorded: BTreeMap<u32, BTreeMap<Vec<u8>, RuleRef>>,
}

impl FoundSecrets {
    /// Adds a value found in `piece`.
    pub(super) fn add(&mut self, piece: &Piece<'_>, value: &[u8], rule: RuleRef) {
        if is_certain(value, rule) && value.len() <= MAX_SECRET_BYTES {
            for form in forms(value) {
                self.distinct.entry(form).or_insert(rule);
            }
        } else if !matches!(piece.key, "head" | "body") && value.len() >= 3 {
            self.plain.entry(piece.line).or_default().entry(value.to_vec()).or_insert(rule);
        }
    }

    /// Adds a value found in the record's own text, on this line of its file.
    pub(super) fn add_recorded(&mut self, line: u32, value: &[u8], rule: RuleRef) {
        if !value.is_empty() && value.len() <= MAX_SECRET_BYTES {
            self.recorded.entry(line).or_default().entry(value.to_vec()).or_insert(rule);
        }
    }

    /// Adds the occurrences of the secrets in all texts to `found`.
    pub(super) fn propagate(&self, pieces: &[Piece<'_>], drafts: &[PieceEdit<'_>], found: &mut [Vec<Finding>]) {
        let distinct = SecretFinder::new(&self.distinct);
        for (index, (piece, draft)) in pieces.iter().zip(drafts).enumerate() {
            if !matches!(piece.key, "head" | "body")
                && let Some(values) = self.recorded.get(&piece.line)
            {
                let finder = SecretFinder::new(values);
                found[index].extend(finder.map(|finder| finder.places(draft.text.as_bytes(), 0)).unwrap_or_default());
            }
            if distinct.is_none() && (self.plain.is_empty() || piece.key != "head") {
                continue;
            }
            for view in draft.views(&invisible(&draft.text)) {
                let text = view.text.as_bytes();
                let mut places = distinct.as_ref().map(|finder| finder.places(text, 0)).unwrap_or_default();
                if piece.key == "head" && view.is_whole() {
                    places.extend(self.plain_places(text, piece.line));
                }
                found[index].extend(places.into_iter().filter_map(|place| view.to_raw(place)));
            }
        }
    }

    fn plain_places(&self, text: &[u8], first: u32) -> Vec<Finding> {
        let ends = text.iter().enumerate().filter(|(_, b)| **b == b'\n').map(|(at, _)| at + 1);
        let starts: Vec<usize> = std::iter::once(0).chain(ends).collect();
        let mut found = Vec::new();
        for (line, values) in &self.plain {
            let row = line.checked_sub(first).and_then(|row| usize::try_from(row).ok());
            let Some(row) = row.filter(|row| *row < starts.len()) else {
                continue;
            };
            let end = starts.get(row + 1).map_or(text.len(), |next| next - 1);
            let finder = SecretFinder::new(values);
            found.extend(finder.map(|finder| finder.places(&text[..end], starts[row])).unwrap_or_default());
        }
        found
    }
}

/// A search for many values at once.
struct SecretFinder {
    automaton: AhoCorasick,
    labels: Vec<RuleRef>,
}

impl SecretFinder {
    /// Returns `None` if there are no values, or too many to search for at once: then each is still removed
    /// where its own rule found it.
    fn new(values: &BTreeMap<Vec<u8>, RuleRef>) -> Option<Self> {
        if values.is_empty() {
            return None;
        }
        let automaton = AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(values.keys()).ok()?;
        Some(Self { automaton, labels: values.values().copied().collect() })
    }

    /// Finds the values in `text` from `from` on. A short one inside a longer word is another word.
    fn places(&self, text: &[u8], from: usize) -> Vec<Finding> {
        self.automaton
            .find_iter(&text[from..])
            .map(|hit| Finding {
                start: from + hit.start(),
                end: from + hit.end(),
                rule: self.labels[hit.pattern().as_usize()],
            })
            .filter(|place| {
                let cut =
                    text.get(place.end).is_some_and(u8::is_ascii_alphanumeric) || !starts_token(text, place.start);
                !cut || place.end - place.start >= MIN_BYTES_INSIDE_WORDS
            })
            .collect()
    }
}

/// Whether a value is a secret wherever it occurs, so that it is searched for in other places: its form is that of a
/// provider's token, or it is long and neither a word nor an identifier.
fn is_certain(value: &[u8], rule: RuleRef) -> bool {
    let formed = match rule {
        RuleRef::BuiltIn(label) => label.rank <= TOKEN,
        RuleRef::User(_) => true,
    };
    let spelled = value.iter().all(|b| b.is_ascii_alphanumeric() || b.is_ascii_whitespace() || b"_-.:/,'".contains(b));
    let plain = heuristics::is_name(value) || heuristics::is_code(value, false);
    heuristics::is_distinct(value) && (formed || !plain && (!spelled || is_random(value)))
}

/// Whether a value of letters, digits and what joins words is none of words and versions: `pybind11`, `lamp-train-35B-A3B`.
fn is_random(value: &[u8]) -> bool {
    let parts = || value.split(|b| !b.is_ascii_alphanumeric());
    let count = |part: &[u8], class: fn(&u8) -> bool| part.iter().filter(|b| class(b)).count();
    let digits = count(value, u8::is_ascii_digit);
    let is_mixed = |part: &[u8]| {
        let both = count(part, u8::is_ascii_lowercase) > 0 && count(part, u8::is_ascii_uppercase) > 0;
        let digits = count(part, u8::is_ascii_digit);
        let numbers = part.split(|b| !b.is_ascii_digit()).filter(|number| !number.is_empty()).count();
        let mixed = part.len() >= 8 && both && numbers >= 2;
        let long = part.len() >= 10 && (digits >= 3 || digits > 0 && both);
        (mixed || long) && !heuristics::is_name(part)
    };
    let worded = |part: &[u8]| part.len() >= 3 && part.iter().all(u8::is_ascii_lowercase);
    digits > 0 && (parts().any(is_mixed) || value.len() >= 16 && digits >= 4 && !parts().any(worded))
}

/// Returns a value as found, and as JSON and single-quoted YAML spell it.
fn forms(value: &[u8]) -> BTreeSet<Vec<u8>> {
    let mut forms = BTreeSet::from([value.to_vec()]);
    if let Ok(text) = std::str::from_utf8(value) {
        let json = serde_json::Value::from(text).to_string();
        forms.insert(json.as_bytes()[1..json.len() - 1].to_vec());
        forms.insert(text.replace('\'', "''").into_bytes());
    }
    forms
}
