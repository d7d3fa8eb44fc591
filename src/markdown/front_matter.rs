//! Where the front matter of a text begins and ends, and what is nearly one.

use crate::model::{Code, Diagnostic, RepoPath};
use std::ops::Range;

/// The position of a front matter in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FrontMatterRange {
    pub(crate) yaml: Range<usize>,
    pub(crate) yaml_line: u32,
    pub(crate) body: usize,
    pub(crate) body_line: u32,
}

/// Why a front matter is not read as YAML, or a beginning that looks like one not at all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FrontMatterFault {
    pub(crate) line: u32,
    pub(crate) why: String,
    pub(crate) help: &'static str,
}

impl FrontMatterFault {
    pub fn diagnostic(&self, path: &RepoPath) -> Diagnostic {
        let message = format!("the front matter {}", self.why);
        Diagnostic::on_line(Code::InvalidFrontMatter, path, self.line, message).help(self.help)
    }
}

const MOST_ABOVE: usize = 100;
const LANGUAGES: [&str; 2] = ["yaml", "yml"];

/// Finds the front matter of a text: a line `---`, lines of which the first with content is a key, and a line `---` or `...`.
///
/// Only blank lines and HTML comments may stand above it. A text that merely begins with a thematic break has none.
pub(crate) fn front_matter(text: &str) -> Option<FrontMatterRange> {
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
            return Some(FrontMatterRange {
                yaml: start..end,
                yaml_line: yaml_line + 1,
                body: end + line.len(),
                body_line,
            });
        }
        let content = line.trim();
        if is_first && !content.is_empty() && !content.starts_with('#') {
            is_first = false;
            if !is_field(line) && !line.starts_with(['{', ' ', '-', '%', '?', '&', '!']) {
                return None;
            }
        }
        end += line.len();
    }
    None
}

/// Returns what keeps the beginning of a text without front matter from being one.
pub(crate) fn near_miss(text: &str) -> Option<FrontMatterFault> {
    let (first, line) = first_line(text)?;
    let (why, help) = fault(&text[first..])?;
    Some(FrontMatterFault { line, why: format!("{why}, so it was read as text"), help })
}

fn fault(text: &str) -> Option<(&'static str, &'static str)> {
    let opening = text.lines().next()?;
    let rest = &text[opening.len()..];
    let below = rest.lines().nth(1).unwrap_or_default();
    let bare = trimmed(opening);
    if bare.starts_with("```") || bare.starts_with("~~~") {
        let fault = ("stands in a code block with the rest of the text", "remove the fence around the whole file");
        return front_matter(rest).map(|_| fault);
    }
    if opens(opening) {
        return match is_field(below) {
            true => Some(("has no end", "end it with a line `---`")),
            false => are_odd_fields(rest.lines().skip(1))
                .then_some(("has lines that are no `key: value`", "write `key: value`, with a space after the colon")),
        };
    }
    if opening.starts_with("# ") || opening.starts_with("%YAML") {
        let is_entry = |line: &str| is_field(line) || line.is_empty() || line.starts_with([' ', '-', '#']);
        let found = front_matter(rest).filter(|found| rest[found.yaml.clone()].lines().all(is_entry));
        return found.map(|_| ("has a line above it", "put the line below it"));
    }
    if bare == "{" && below.trim_start().starts_with('"') && below.contains("\":") && rest.contains("\n}") {
        return Some(("is JSON", "write it as YAML between two lines `---`"));
    }
    let is_toml = |line: &str| line.split_once('=').is_some_and(|(name, _)| is_field(&format!("{}:", name.trim())));
    let fence = bare.trim_end_matches(|c: char| c.is_ascii_alphabetic()).trim_end();
    let is_fence = fence.chars().count() > 1 || matches!(fence, "–" | "—");
    if is_fence && fence.chars().all(|c| matches!(c, '-' | '–' | '—' | '+' | ';')) {
        let is_near = is_field(below) || is_toml(below) || below.trim_start().starts_with(['{', '"']);
        return is_near.then_some(("is not between lines `---`", "write it as YAML between two lines `---`"));
    }
    // Fields above a single fence: the first one is missing.
    let head: Vec<&str> = text.lines().take_while(|line| is_field(line) || line.starts_with([' ', '-', '#'])).collect();
    let end = head.iter().position(|line| line.trim_end() == "---")?;
    let is_near = is_field(opening) && head[..end].iter().filter(|line| is_field(line)).count() > 1;
    is_near.then_some(("has no beginning", "put a line `---` above it"))
}

/// Returns whether the lines up to a fence are fields but for their separators: `id：1`, `id = 1`, `id:1`.
fn are_odd_fields<'a>(lines: impl Iterator<Item = &'a str>) -> bool {
    let mut count = 0;
    for line in lines {
        if line.trim_end() == "---" {
            return count > 0;
        }
        let name = line.split_once([':', '：', '=']).filter(|(_, value)| !value.starts_with("//"));
        let is_letter = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
        let is_name = name.is_some_and(|(name, _)| !name.trim().is_empty() && name.trim().chars().all(is_letter));
        if !line.trim().is_empty() && !is_name && !line.starts_with([' ', '-', '#']) {
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
    let is_code = line.starts_with('\t') || line.starts_with("    ");
    let Some(rest) = trimmed(line).strip_prefix("---").filter(|_| !is_code) else { return false };
    let is_comment = rest.starts_with([' ', '\t']) && rest.trim_start().starts_with('#');
    rest.is_empty() || is_comment || LANGUAGES.iter().any(|language| rest.trim().eq_ignore_ascii_case(language))
}

/// Returns the line without white space, visible or not, around it.
fn trimmed(line: &str) -> &str {
    line.trim_matches(|c: char| c.is_whitespace() || matches!(c, '\u{feff}' | '\u{200b}'..='\u{200f}' | '\u{2060}'))
}

fn is_field(line: &str) -> bool {
    key(line).is_some()
}

pub(crate) fn key(line: &str) -> Option<(&str, &str)> {
    let line = line.trim_end();
    let mut colons = line.match_indices(':').map(|(at, _)| at);
    let (name, rest) = match colons.find(|at| line[at + 1..].starts_with(char::is_whitespace)) {
        Some(at) => (&line[..at], &line[at + 1..]),
        None => (line.strip_suffix(':')?, ""),
    };
    let name = unquoted(name.trim_end());
    let is_shaped = name.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '@' | '<'))
        && name.len() <= 64
        && !name.contains(['"', '[', ']', '{', '}', '#', '`']);
    is_shaped.then_some((name, rest.trim()))
}

pub(crate) fn unquoted(text: &str) -> &str {
    ['"', '\''].into_iter().find_map(|quote| text.strip_prefix(quote)?.strip_suffix(quote)).unwrap_or(text)
}
