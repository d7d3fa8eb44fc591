//! Where the front matter of a text begins and ends, and what is nearly one.

use std::ops::Range;

/// The position of a front matter in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FrontMatter {
    /// The lines between the fences.
    pub(crate) yaml: Range<usize>,
    /// The line on which these begin.
    pub(crate) yaml_line: u32,
    /// Where the text below it begins.
    pub(crate) body: usize,
    /// The line on which the text below it begins.
    pub(crate) body_line: u32,
}

/// A beginning that looks like a front matter and is none, so that its fields are text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct NearMiss {
    /// The line of its first fence.
    pub(crate) line: u32,
    /// What is wrong with it, after "the front matter".
    pub(crate) why: &'static str,
    /// What to do about it.
    pub(crate) help: &'static str,
}

impl NearMiss {
    fn new(line: u32, why: &'static str, help: &'static str) -> Option<Self> {
        Some(Self { line, why, help })
    }
}

/// The most blank lines and comments above it.
const MOST_ABOVE: usize = 100;
/// The languages that may be named behind the opening fence.
const LANGUAGES: [&str; 2] = ["yaml", "yml"];

/// Finds the front matter of a text: a line `---`, lines of which the first with content is a key, and a line `---` or `...`.
///
/// Only blank lines and HTML comments may stand above it. A text that merely begins with a thematic break has none.
pub(crate) fn front_matter(text: &str) -> Option<FrontMatter> {
    let (first, yaml_line) = first_line(text)?;
    let mut lines = text[first..].split_inclusive('\n');
    let opening = lines.next().filter(|line| opens(line) && line.ends_with('\n'))?;
    let is_bare = opening.starts_with("---");
    let start = first + opening.len();
    let mut end = start;
    let mut is_first = true;
    for (body_line, line) in (yaml_line + 2..).zip(lines) {
        // A fence that is not at the margin is closed by one like it.
        if matches!(if is_bare { line.trim_end() } else { trimmed(line) }, "---" | "...") {
            return Some(FrontMatter { yaml: start..end, yaml_line: yaml_line + 1, body: end + line.len(), body_line });
        }
        let content = line.trim();
        if is_first && !content.is_empty() && !content.starts_with('#') {
            is_first = false;
            if key(line).is_none() && !line.starts_with(['{', ' ', '-', '%', '?', '&', '!']) {
                return None;
            }
        }
        end += line.len();
    }
    None
}

/// Returns what keeps the beginning of a text without front matter from being one.
pub(crate) fn near_miss(text: &str) -> Option<NearMiss> {
    let (first, line) = first_line(text)?;
    let mut lines = text[first..].lines();
    let opening = lines.next()?;
    let is_field = |line: &str| key(line).is_some();
    let bare = trimmed(opening);
    if bare.starts_with("```") || bare.starts_with("~~~") {
        let inner = &text[first + opening.len()..];
        let why = "stands in a code block with the rest of the text, so it was read as text";
        return front_matter(inner).and_then(|_| NearMiss::new(line, why, "remove the fence around the whole file"));
    }
    let below = lines.next().unwrap_or_default();
    if opens(opening) {
        let why = "has no end, so it was read as text";
        let why_odd = "has lines that are no `key: value`, so it was read as text";
        let odd = || {
            all_odd_fields(std::iter::once(below).chain(lines))
                .then(|| NearMiss::new(line, why_odd, "write `key: value`, with a space after the colon"))
        };
        return if is_field(below) { NearMiss::new(line, why, "end it with a line `---`") } else { odd().flatten() };
    }
    let rest = &text[first + opening.len()..];
    if opening.starts_with("# ") || opening.starts_with("%YAML") {
        let why = "has a line above it, so it was read as text";
        let is_all_fields = front_matter(rest).is_some_and(|found| {
            rest[found.yaml].lines().all(|line| is_field(line) || line.is_empty() || line.starts_with([' ', '-', '#']))
        });
        return is_all_fields.then(|| NearMiss::new(line, why, "put the line below it")).flatten();
    }
    if bare == "{" && below.trim_start().starts_with('"') && below.contains("\":") && rest.contains("\n}") {
        let why = "is JSON, so it was read as text";
        return NearMiss::new(line, why, "write it as YAML between two lines `---`");
    }
    let is_toml = |line: &str| line.split_once('=').is_some_and(|(name, _)| is_field(&format!("{}:", name.trim())));
    let fence = bare.trim_end_matches(|c: char| c.is_ascii_alphabetic()).trim_end();
    let is_fence = fence.chars().count() > 1 || matches!(fence, "–" | "—");
    if is_fence && fence.chars().all(|c| matches!(c, '-' | '–' | '—' | '+' | ';')) {
        let is_near = is_field(below) || is_toml(below) || below.trim_start().starts_with(['{', '"']);
        let why = "is not between lines `---`, so it was read as text";
        return is_near.then(|| NearMiss::new(line, why, "write it as YAML between two lines `---`")).flatten();
    }
    // Fields above a single fence: the first one is missing.
    let head: Vec<&str> =
        text[first..].lines().take_while(|line| is_field(line) || line.starts_with([' ', '-', '#'])).collect();
    let fields = head.iter().take_while(|line| line.trim_end() != "---").filter(|line| is_field(line)).count();
    let is_closed = is_field(opening) && fields > 1 && head.iter().any(|line| line.trim_end() == "---");
    let why = "has no beginning, so it was read as text";
    is_closed.then(|| NearMiss::new(line, why, "put a line `---` above it")).flatten()
}

/// Returns whether the lines up to a fence are fields but for their separators: `id：1`, `id = 1`, `id:1`.
fn all_odd_fields<'a>(lines: impl Iterator<Item = &'a str>) -> bool {
    let mut count = 0;
    for line in lines {
        if line.trim_end() == "---" {
            return count > 0;
        }
        let name = line
            .split_once([':', '：', '='])
            .filter(|(_, value)| !value.starts_with("//"))
            .map(|(name, _)| name.trim());
        let is_name =
            |name: &str| !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-'));
        if !line.trim().is_empty() && !name.is_some_and(is_name) && !line.starts_with([' ', '-', '#']) {
            return false;
        }
        count += usize::from(name.is_some());
    }
    false
}

/// Returns where the first line of a text begins that is neither blank nor an HTML comment, and its number.
fn first_line(text: &str) -> Option<(usize, u32)> {
    let (mut at, mut line) = (0, 1);
    for _ in 0..MOST_ABOVE {
        let rest = &text[at..];
        let first = rest.split_inclusive('\n').next()?;
        let skipped = if trimmed(first).is_empty() {
            first.len()
        } else if trimmed(first).starts_with("<!--") {
            rest.find("-->")? + "-->".len()
        } else {
            return Some((at, line));
        };
        line += u32::try_from(rest[..skipped].matches('\n').count()).unwrap_or(0);
        at += skipped;
    }
    None
}

/// Returns whether a line opens a front matter: `---`, perhaps behind a few spaces, with a language or a comment.
fn opens(line: &str) -> bool {
    let Some(rest) =
        trimmed(line).strip_prefix("---").filter(|_| !line.starts_with(['\t']) && !line.starts_with("    "))
    else {
        return false;
    };
    let is_comment = rest.starts_with([' ', '\t']) && rest.trim_start().starts_with('#');
    rest.is_empty() || is_comment || LANGUAGES.iter().any(|language| rest.trim().eq_ignore_ascii_case(language))
}

/// Returns the line without white space, visible or not, around it.
fn trimmed(line: &str) -> &str {
    line.trim_matches(|c: char| c.is_whitespace() || matches!(c, '\u{feff}' | '\u{200b}'..='\u{200f}' | '\u{2060}'))
}

/// Returns the key that a line at indent 0 begins with, and the rest of the line.
pub(crate) fn key(line: &str) -> Option<(&str, &str)> {
    let line = line.trim_end();
    let mut colons = line.match_indices(':').map(|(at, _)| at);
    let (name, rest) = match colons.find(|at| line[at + 1..].starts_with(char::is_whitespace)) {
        Some(at) => (&line[..at], &line[at + 1..]),
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
        assert_eq!((found.yaml, found.yaml_line, found.body, found.body_line), (4..9, 2, 13, 4));
        assert!(front_matter("---\n---\nText").is_some());
        assert!(front_matter("---\na: 1\n---").is_some());
        for none in ["", "---", "---\na: 1\n", "Text\n---\na: 1\n---\n", "----\na: 1\n---\n"] {
            assert_eq!(front_matter(none), None, "{none:?}");
        }
    }

    #[test]
    fn blank_lines_comments_and_marks_of_an_opening_fence_are_passed_over() {
        for (above, line) in [
            ("\n", 3),
            ("<!-- a\nb -->\n\n", 5),
            ("\u{a0}", 2),
            ("\u{200b}\n", 3),
            (" ", 2),
            ("\u{feff}<!-- a --> <!-- b -->\n", 3),
        ] {
            let text = format!("{above}---\na: 1\n---\nText\n");
            let found = front_matter(&text).unwrap();
            assert_eq!(
                (&text[found.yaml], found.yaml_line, &text[found.body..]),
                ("a: 1\n", line, "Text\n"),
                "{text:?}"
            );
            assert_eq!(found.body_line, line + 2);
        }
        for opening in ["---yaml", "--- yml", "--- # fields", "---\t"] {
            for closing in ["---", "...", "--- "] {
                let text = format!("{opening}\na:\t1\n{closing}\n");
                assert!(front_matter(&text).is_some(), "{text:?}");
            }
        }
        let indented = front_matter(" ---\n a: 1\n ---\nText\n").unwrap();
        assert_eq!(indented.body_line, 4);
    }

    #[test]
    fn what_is_nearly_a_front_matter_has_a_line_and_a_reason() {
        for (text, line) in [
            ("---\na: 1\n\nText\n", 1),
            ("\n---\na: 1\n", 2),
            ("+++\na = 1\n+++\n", 1),
            ("---toml\na = 1\n---\n", 1),
            (";;;\n{\"a\": 1}\n;;;\n", 1),
            ("----\na: 1\n----\n", 1),
            ("—\na: 1\n—\n", 1),
            ("```markdown\n---\na: 1\n---\nText\n```\n", 1),
            ("\n~~~\n\n---\na: 1\n---\n~~~\n", 2),
            ("a: 1\nb: 2\n---\nText\n", 1),
            ("---\na：1\nb：2\n---\n", 1),
            ("---\na = 1\n---\n", 1),
            ("---\na:1\n---\n", 1),
            ("{\n  \"a\": 1\n}\n\n# T\n", 1),
            ("# T\n\n---\na: 1\n---\n", 1),
            ("%YAML 1.2\n---\na: 1\n---\n", 1),
        ] {
            assert_eq!(front_matter(text), None, "{text:?}");
            assert_eq!(near_miss(text).map(|near| near.line), Some(line), "{text:?}");
        }
        for text in [
            "",
            "Text\n",
            "---\n\nNote: text\n",
            "---\nText\n",
            "a: 1\n",
            "---\n",
            "Note: a heading\n---\n",
            "```rust\nlet a = 1;\n```\n",
            "```yaml\na: 1\n```\n",
            "- a: 1\n",
            "# T\n\n---\n\nNote: text\nand more\n\n---\n",
            "---\nSee http://x.org\n---\n",
            "{% include a %}\n",
            "***\nNote: text\n",
        ] {
            assert_eq!(near_miss(text), None, "{text:?}");
        }
    }

    #[test]
    fn a_text_between_thematic_breaks_is_no_front_matter() {
        assert_eq!(front_matter("---\n\nBlocked by #4, see there.\n\n---\n"), None);
        assert_eq!(front_matter("---\n## A heading\nand text\n---\n"), None);
    }
}
