//! Fields from lines: a head of `Key: value` lines, and labelled lines of a text such as `**Status**: Draft`.

use crate::markdown::Outline;
use crate::model::{LineStarts, Node, Value};
use crate::records::fields::{FieldPairs, words_as_name};

/// The longest value of a labelled line, in bytes, and the most words of its label: longer ones are prose.
const LONGEST: usize = 300;
const MOST_WORDS: usize = 4;

/// Returns the label and the value of a line such as `**Status**: Draft`, `- RFC PR: #12` or `Status: Draft`.
pub(super) fn label(line: &str) -> Option<(&str, &str)> {
    let line = line.trim();
    let line = ["- ", "* ", "+ "].iter().find_map(|mark| line.strip_prefix(mark)).unwrap_or(line).trim_start();
    let (label, value) = line.split_once([':', '：'])?;
    let name = label.trim_matches(['*', '_', ' ']);
    // Of `**Status:** Draft` the emphasis ends behind the colon.
    let is_open = label.starts_with(['*', '_']) && !label.ends_with(['*', '_']);
    let value = if is_open { value.trim_start_matches(['*', '_']) } else { value }.trim();
    let strong = value.strip_prefix("**").and_then(|value| value.strip_suffix("**"));
    let value = strong.filter(|inner| !inner.contains('*')).unwrap_or(value);
    let is_name = name.starts_with(char::is_alphabetic)
        && name.chars().all(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_' | '/'))
        && name.split_whitespace().count() <= MOST_WORDS;
    (is_name && !value.is_empty() && value.len() <= LONGEST && !value.starts_with("//")).then_some((name, value))
}

/// Adds a field unless there is one of its name; `is_mapped` says which names are used as written.
fn add(pairs: &mut FieldPairs, name: &str, value: String, line: u32, is_mapped: &dyn Fn(&str) -> bool) {
    let name = if is_mapped(name) { name.to_owned() } else { words_as_name(name) };
    if !pairs.iter().any(|(known, _)| *known == name) {
        pairs.push((name, Node { line, value: Value::Scalar { text: value, plain: false } }));
    }
}

/// Adds the fields of the labelled lines above the second heading of a text that begins on `line`.
pub(super) fn add_labelled(text: &str, line: u32, pairs: &mut FieldPairs, is_mapped: &dyn Fn(&str) -> bool) {
    let outline = Outline::read(text);
    let end = outline.headings.get(1).map_or(outline.blocks.len(), |heading| heading.block);
    for block in outline.blocks[..end].iter().filter(|block| block.prose) {
        let lines = (line + block.line - 1..).zip(text.get(block.range.clone()).unwrap_or_default().lines());
        // A value may go on below its line, and an entry of a list need not be a field.
        let goes_on = |text: &str| text.starts_with([' ', '\t', '-', '*', '+']);
        let found = lines.map(|(at, text)| (at, text, label(text)));
        let found = found.enumerate().take_while(|(n, (_, text, field))| field.is_some() || *n > 0 && goes_on(text));
        for (at, (name, value)) in
            found.filter_map(|(_, (at, text, field))| Some((at, field.filter(|_| !text.starts_with("  "))?)))
        {
            add(pairs, name, value.to_owned(), at, is_mapped);
        }
    }
}

/// Adds the fields of a head of `Key: value` lines, perhaps in a code block or `<pre>`, and returns the byte and the line at
/// which the text goes on; a deeper line continues the value above it.
pub(super) fn add_head(text: &str, pairs: &mut FieldPairs, is_mapped: &dyn Fn(&str) -> bool) -> Option<(usize, u32)> {
    let mut found: Vec<(&str, String, u32, usize)> = Vec::new();
    let (mut close, mut end) = (None, 0);
    for (number, line) in (1..).zip(text.split_inclusive('\n')) {
        let bare = line.trim();
        let indent = line.len() - line.trim_start().len();
        end += line.len();
        if close.is_some_and(|close| bare.starts_with(close)) || bare.is_empty() && close.is_none() && !found.is_empty()
        {
            break;
        } else if bare.is_empty() {
        } else if found.is_empty()
            && close.is_none()
            && ["```", "~~~", "<pre>"].iter().any(|open| bare.starts_with(open))
        {
            close = Some(if bare.starts_with('<') { "</pre>" } else { &bare[..3] });
        } else if let Some((_, value, ..)) = found.last_mut().filter(|(.., at)| indent > *at) {
            value.push(' ');
            value.push_str(bare);
        } else {
            let (name, value) = bare.split_once(':').filter(|(name, _)| is_key(name))?;
            found.push((name, value.trim().to_owned(), number, indent));
        }
    }
    if found.len() < 2 {
        return None;
    }
    for (name, value, line, _) in found.into_iter().filter(|(_, value, ..)| !value.is_empty()) {
        add(pairs, name, value.trim().to_owned(), line, is_mapped);
    }
    Some((end, LineStarts::of(text).line(end)))
}

fn is_key(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b" -_".contains(&byte))
        && name.split(' ').count() <= MOST_WORDS
}
