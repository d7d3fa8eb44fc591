//! What came out of an item that is done.

use crate::graph::{Entry, Value};
use crate::redact::{Clean, CleanBuf};

/// Fields that state what came out of an item.
pub(super) const OUTCOME_FIELDS: [&str; 4] = ["close_reason", "final_summary", "outcome", "resolution"];

/// Returns what the fields of an item say about its outcome.
pub(super) fn outcome_of(entry: &Entry) -> Option<Clean> {
    let mut outcome = CleanBuf::new();
    for name in OUTCOME_FIELDS {
        let field = entry.item.fields.iter().find(|field| &*field.name == name);
        if let Some(Value::Scalar { text, .. }) = field.map(|field| &field.node.value)
            && !text.trim().is_empty()
        {
            outcome.lit(if outcome.is_empty() { "" } else { "\n\n" }).text(&text.trimmed());
        }
    }
    (!outcome.is_empty()).then(|| outcome.finish())
}

/// Returns the first line of a text that is no heading or announcement of what follows, without the mark of its list item.
pub(super) fn first_statement(text: &Clean) -> Option<Clean> {
    let mut at = 0;
    text.split_inclusive('\n').find_map(|line| {
        at += line.len();
        let bare = without_list_mark(line.trim_start());
        let said = bare.trim_end().trim_end_matches('*');
        let is_statement = !said.is_empty()
            && !said.ends_with([':', '：'])
            && !["#", "```", "~~~", "|", "<"].iter().any(|mark| bare.starts_with(mark));
        is_statement.then(|| text.slice(at - bare.len()..at).trimmed())
    })
}

/// Removes bullets, numbers and ticks before the text of a list item.
fn without_list_mark(mut line: &str) -> &str {
    loop {
        let digits = line.len() - line.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let numbered = || line[digits..].strip_prefix(['.', ')']).filter(|_| digits > 0);
        let mark = ["-", "*", "+", ">", "[x]", "[X]", "✅", "✓"].iter().find_map(|mark| line.strip_prefix(mark));
        match mark.or_else(numbered).filter(|rest| rest.starts_with([' ', '\t'])) {
            Some(rest) => line = rest.trim_start(),
            None => return line,
        }
    }
}
