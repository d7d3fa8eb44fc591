//! Explanations: which values of a text are removed or kept, and why, for people who want to predict redaction.

use super::detect;
use super::edit::PieceEdit;
use super::findings::{Finding, Findings, Judged, RuleRef};
use super::invisible::invisible;
use super::names::Class;
use super::redactor::Redactor;
use super::text::line_ends;
use std::collections::BTreeMap;
use std::ops::Range;

/// A value of a text that a rule removes, or that was judged and stays.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RedactionExplanation {
    /// The line of the text.
    pub line: u32,
    /// Whether it is removed.
    pub is_removed: bool,
    /// The rule that removes it; for a value that stays, the one that would have.
    pub rule: String,
    /// The name before the value, and the class of secret that it announces; `None` if the rule needs none.
    pub name: Option<(String, &'static str)>,
    /// The value; empty if it is removed.
    pub value: String,
    /// Why.
    pub reason: String,
}

/// The places of a name and of the value after it in the text.
struct Known {
    name: Range<usize>,
    explanation: RedactionExplanation,
}

impl Redactor {
    /// Explains what the rules find in `text` and what they leave there, ordered by place.
    ///
    /// Values that were judged under a name are listed whether they go or stay; words that no rule looks at are not.
    pub fn explain(&self, text: &str) -> Vec<RedactionExplanation> {
        let draft = PieceEdit::new(text);
        let mut known: BTreeMap<(usize, usize), Known> = BTreeMap::new();
        for view in draft.views(&invisible(text)) {
            let mut findings = Findings { judged: Some(Vec::new()), ..Findings::default() };
            detect::search(view.text.as_bytes(), 0, &mut findings);
            self.rules.find(view.text.as_bytes(), &mut findings.found);
            let place = |range: &Range<usize>| {
                let rule = RuleRef::BuiltIn(Class::Password.label());
                let found = view.to_raw(Finding { start: range.start, end: range.end, rule })?;
                text.get(found.start..found.end).map(|_| found.start..found.end)
            };
            for judged in findings.judged.iter().flatten() {
                if let (Some(name), Some(value)) = (place(&judged.name), place(&judged.value)) {
                    let explanation = explanation(text, &name, &value, judged);
                    known.entry((value.start, value.end)).or_insert(Known { name, explanation });
                }
            }
            for found in findings.found.into_iter().filter_map(|finding| view.to_raw(finding)) {
                let label = RuleRef::BuiltIn(Class::Password.label());
                let judged = known.get_mut(&(found.start, found.end)).filter(|known| known.explanation.is_removed);
                if let Some(known) = judged {
                    // The rule that the marker names.
                    if self.rules.rank(found.rule) < self.rules.rank(label) {
                        self.rules.name(found.rule).clone_into(&mut known.explanation.rule);
                    }
                } else {
                    let explanation = RedactionExplanation {
                        line: line_ends(&text[..text.floor_char_boundary(found.start)]) + 1,
                        is_removed: true,
                        rule: self.rules.name(found.rule).to_owned(),
                        name: None,
                        value: String::new(),
                        reason: self.rules.reason(found.rule).to_owned(),
                    };
                    known.insert((found.start, found.end), Known { name: found.start..found.start, explanation });
                }
            }
        }
        let removed: Vec<Range<usize>> =
            known.iter().filter(|(_, one)| one.explanation.is_removed).map(|(place, _)| place.0..place.1).collect();
        // What is inside of a removed text is not told, nor what a part of it would be the name of.
        let is_covered = |(start, end): (usize, usize), name: &Range<usize>| {
            removed.iter().any(|place| {
                *place != (start..end) && place.start <= start && end <= place.end
                    || name.start < place.end && place.start < name.end
            })
        };
        known
            .into_iter()
            .filter(|(place, one)| !is_covered(*place, &one.name))
            .map(|(_, one)| one.explanation)
            .collect()
    }
}

fn explanation(text: &str, name: &Range<usize>, value: &Range<usize>, judged: &Judged) -> RedactionExplanation {
    let is_removed = judged.verdict.is_secret;
    RedactionExplanation {
        line: line_ends(&text[..value.start]) + 1,
        is_removed,
        rule: judged.class.label().name.to_owned(),
        name: Some((text[name.clone()].to_owned(), judged.class.name())),
        value: if is_removed { String::new() } else { text[value.clone()].to_owned() },
        reason: format!("the value {}", judged.verdict.because),
    }
}
