//! The answers of issue forms: headings of level 3 that represent fields.

use crate::markdown::Outline;
use crate::records::values::is_nothing;

/// Titles of questions, without parentheses and in lower case, and the fields that they ask for.
const QUESTIONS: [(&str, &str); 9] = [
    ("area", "area"),
    ("type", "type"),
    ("priority", "priority"),
    ("size", "size"),
    ("risk", "risk"),
    ("estimate", "estimate_hrs"),
    ("estimate hrs", "estimate_hrs"),
    ("actual", "actual_hrs"),
    ("actual hrs", "actual_hrs"),
];

/// The longest answer that is a field's value, in bytes.
const LONGEST: usize = 200;

/// Returns the answers of a body that are values of fields: name, value; the first of each name.
pub(super) fn answers(body: &str) -> Vec<(&'static str, String)> {
    let markdown = Outline::read(body);
    let mut found: Vec<(&'static str, String)> = Vec::new();
    for heading in markdown.headings.iter().filter(|heading| heading.level == 3) {
        let Some((_, name)) = QUESTIONS.iter().find(|(title, _)| *title == plain(&heading.title)) else { continue };
        let Some(block) = markdown.blocks.get(heading.block + 1).filter(|block| block.heading.is_none()) else {
            continue;
        };
        // Several paragraphs are prose, which only stays in the body.
        let alone = markdown.blocks.get(heading.block + 2).is_none_or(|next| next.heading.is_some());
        let answer = body.get(block.range.clone()).unwrap_or_default().trim();
        let short = answer.len() <= LONGEST && !answer.contains('\n');
        if alone && short && !is_nothing(answer) && !found.iter().any(|(known, _)| known == name) {
            found.push((name, answer.to_owned()));
        }
    }
    found
}

/// Returns the words of a title in lower case: `Estimate (hrs)` → `estimate hrs`.
fn plain(title: &str) -> String {
    let words: Vec<String> =
        title.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_lowercase).collect();
    words.join(" ")
}
