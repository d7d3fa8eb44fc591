//! Where the front matter of a text begins and ends.

use std::ops::Range;

/// The position of a front matter in a text; it begins at byte 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FrontMatter {
    /// The lines between the fences; they begin on line 2.
    pub(crate) yaml: Range<usize>,
    /// Where the text below it begins.
    pub(crate) body: usize,
    /// The line on which the text below it begins.
    pub(crate) body_line: u32,
}

/// Finds the front matter of a text: a line `---` at byte 0, lines of which
/// the first with content is a key, and a line `---`.
///
/// A text that merely begins with a thematic break has none.
pub(crate) fn front_matter(text: &str) -> Option<FrontMatter> {
    let mut lines = text.split_inclusive('\n');
    let opening = lines.next().filter(|line| fence(line) && line.ends_with('\n'))?;
    let start = opening.len();
    let mut end = start;
    let mut first = true;
    for (line_number, line) in (3..).zip(lines) {
        if fence(line) {
            return Some(FrontMatter { yaml: start..end, body: end + line.len(), body_line: line_number });
        }
        let content = line.trim();
        if first && !content.is_empty() && !content.starts_with('#') {
            first = false;
            if key(line).is_none() && !line.starts_with(['{', ' ', '-', '%', '?', '&', '!']) {
                return None;
            }
        }
        end += line.len();
    }
    None
}

/// Returns whether a text without front matter begins like one: a line `---` and right below it a key.
pub(crate) fn is_unclosed(text: &str) -> bool {
    let mut lines = text.lines();
    lines.next().is_some_and(fence) && lines.next().is_some_and(|line| key(line).is_some())
}

fn fence(line: &str) -> bool {
    line.trim_end() == "---"
}

/// Returns the key that a line at indent 0 begins with, and the rest of the line.
pub(crate) fn key(line: &str) -> Option<(&str, &str)> {
    let line = line.trim_end();
    let (name, rest) = match line.find(": ") {
        Some(at) => (&line[..at], &line[at + 2..]),
        None => (line.strip_suffix(':')?, ""),
    };
    let name = unquoted(name.trim_end());
    let shaped = name.chars().next().is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | '$' | '@' | '<'))
        && name.len() <= 64
        && !name.contains(['"', '[', ']', '{', '}', '#', '`']);
    shaped.then_some((name, rest.trim()))
}

/// Returns the text without the quotes around it.
pub(crate) fn unquoted(text: &str) -> &str {
    ['"', '\''].into_iter().find_map(|quote| text.strip_prefix(quote)?.strip_suffix(quote)).unwrap_or(text)
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn front_matter_is_only_at_the_beginning() {
        let found = front_matter("---\na: 1\n---\n\nText\n").unwrap();
        assert_eq!((found.yaml, found.body, found.body_line), (4..9, 13, 4));
        assert!(front_matter("---\n---\nText").is_some());
        assert!(front_matter("---\na: 1\n---").is_some());
        for none in ["", "---", "---\na: 1\n", "\n---\na: 1\n---\n", "Text\n---\na: 1\n---\n", "----\na: 1\n---\n"] {
            assert_eq!(front_matter(none), None, "{none:?}");
        }
    }

    #[test]
    fn a_text_between_thematic_breaks_is_no_front_matter() {
        assert_eq!(front_matter("---\n\nBlocked by #4, see there.\n\n---\n"), None);
        assert_eq!(front_matter("---\n## A heading\nand text\n---\n"), None);
    }
}
