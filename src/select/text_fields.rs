//! Texts that an item states in fields rather than in its body, such as `notes`, `design`, and what came out of it.

use super::{Chunk, ChunkWeight};
use crate::graph::{Entry, Value};
use crate::markdown::KeyHeadings;
use crate::redact::{Clean, CleanBuf};

/// Fields that hold a text however short it is.
const TEXT_FIELDS: [&str; 8] =
    ["context", "description", "design", "details", "implementation_notes", "implementation_plan", "notes", "summary"];

/// The length in bytes from which a line of several words is a text in any field.
const LONG_LINE: usize = 100;

/// Returns the texts in an item's fields but those named in `except`, each below the heading that the field's name makes:
/// fields of several lines, those that usually hold text, and lists under a key heading.
///
/// An issue without a file has the answers of its form as fields, which are its body already.
pub(super) fn text_fields(entry: &Entry, keys: &KeyHeadings, except: &[&str]) -> Vec<(Clean, Clean)> {
    if entry.bare_issue().is_some() {
        return Vec::new();
    }
    let mut found = Vec::new();
    for field in &entry.item.fields {
        let name = &*field.name;
        if matches!(name, "id" | "title" | "status") || except.contains(&name) {
            continue;
        }
        let heading = heading(&field.name);
        let text = match &field.node.value {
            Value::Scalar { text, .. } => {
                let text = text.trimmed();
                let is_text = text.contains('\n') || text.len() >= LONG_LINE && text.contains(' ');
                let usual = || TEXT_FIELDS.contains(&name) || keys.contain(&heading);
                if text.is_empty() || !(is_text || usual()) {
                    continue;
                }
                text
            }
            Value::List(items) if keys.contain(&heading) => {
                let mut list = CleanBuf::new();
                for item in items {
                    if let Value::Scalar { text, .. } = &item.value {
                        list.lit(if list.is_empty() { "- " } else { "\n- " }).line(text);
                    }
                }
                list.finish()
            }
            _ => continue,
        };
        if !text.is_empty() && !entry.body.clean.contains(&*text) {
            found.push((heading, text));
        }
    }
    // Key sections come first, so that they are cut last.
    found.sort_by_key(|(heading, _)| !keys.contain(heading));
    found
}

/// Returns the blocks of a text: divided at blank lines outside of code, headings marked.
pub(super) fn blocks(text: &str, weight: ChunkWeight) -> Vec<Chunk> {
    let mut chunks = vec![Chunk { weight, ..Chunk::new(0..0) }];
    // Whether the next line with text begins a block.
    let (mut at, mut fence, mut ended) = (0, None::<String>, false);
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let trimmed = line.trim();
        let mark: String = trimmed.chars().take_while(|c| matches!(c, '`' | '~')).collect();
        let is_heading = fence.is_none() && trimmed.starts_with('#');
        let begins = fence.is_none() && !trimmed.is_empty() && (ended || is_heading || mark.len() >= 3);
        if begins && chunks.last().is_some_and(|last| !last.range.is_empty()) {
            chunks.push(Chunk { weight, ..Chunk::new(start..start) });
        }
        let Some(last) = chunks.last_mut() else { continue };
        last.range.end = at;
        if let Some(open) = &fence {
            if mark == trimmed && mark.starts_with(open.as_str()) {
                fence = None;
                ended = true;
            }
        } else if mark.len() >= 3 && mark.len() <= 64 {
            last.fence = Some(mark.clone());
            fence = Some(mark);
            ended = false;
        } else {
            last.heading |= is_heading;
            ended = is_heading || trimmed.is_empty();
        }
    }
    chunks.retain(|chunk| !chunk.range.is_empty());
    chunks
}

fn heading(name: &Clean) -> Clean {
    let words = name.replace(['_', '-'], " ");
    let mut letters = words.chars();
    let title: String = letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect();
    name.read_out(&title).unwrap_or_else(|| name.clone())
}

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
