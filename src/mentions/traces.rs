//! Files and lines in the output of programs: stack traces and messages of compilers.

use crate::mentions::lines::leading_lines;
use crate::mentions::path_words::opening;
use crate::mentions::paths::{LONGEST_PATH, is_file_shaped, is_template};
use crate::mentions::vocabulary::words_for;
use crate::model::{LineRange, ends_name, with_slashes, without_drive};
use memchr::memmem::Finder;
use std::borrow::Cow;
use std::sync::LazyLock;

/// The word before a line's number in `File "x.py", line 7`, `x.php on line 7` and `Foo.cs:line 7`.
static LINE: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("line "));

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TracedLine<'a> {
    pub(super) start: usize,
    /// The path, perhaps absolute, with `/` and without a drive.
    pub(super) path: Cow<'a, str>,
    pub(super) lines: LineRange,
}

/// Finds every path with a line: `a.rs:12:5`, `(x.js:1:2)`, `x.go:12 +0x1d`, `a.ts(12,3)`, `File "x.py", line 7`.
///
/// A path without a line does not count: code blocks are full of examples. Each byte is looked at a few times at most.
pub(super) fn traced_lines(text: &str) -> Vec<TracedLine<'_>> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    for at in memchr::memchr2_iter(b':', b'(', bytes) {
        let rest = &text[at + 1..];
        let lines = match bytes.get(at + 1) {
            Some(b'0'..=b'9') => numbers(rest, (bytes[at] == b'(').then_some(')')),
            // Maven
            Some(b'[') if bytes[at] == b':' => numbers(&rest[1..], Some(']')),
            Some(b' ' | b'A'..=b'z' | 128..) if bytes[at] == b':' => after_word(rest),
            _ => None,
        };
        found.extend(lines.and_then(|lines| traced(text, at, lines)));
    }
    for at in LINE.find_iter(bytes) {
        let Some((lines, _)) = leading_lines(&text[at + 5..]) else { continue };
        let before = text[..at].trim_end_matches("on ").trim_end_matches([' ', ',', ':']);
        // A quoted path may have spaces in it.
        let quoted = before.strip_suffix('"').and_then(|inner| {
            let near = &inner[inner.ceil_char_boundary(inner.len().saturating_sub(LONGEST_PATH))..];
            let (_, path) =
                near.rsplit_once(['"', '\n']).filter(|(before, _)| near[before.len()..].starts_with('"'))?;
            Some(TracedLine { start: inner.len() - path.len(), path: with_slashes(without_drive(path)), lines })
        });
        found.extend(match quoted {
            Some(quoted) => Some(quoted).filter(|quoted| is_traced_path(&quoted.path)),
            None => traced(text, before.len(), lines),
        });
    }
    found.sort_by_key(|line| line.start);
    found
}

fn traced(text: &str, end: usize, lines: LineRange) -> Option<TracedLine<'_>> {
    let from = text.ceil_char_boundary(end.saturating_sub(LONGEST_PATH));
    let window = text.get(from..end)?;
    let divides = |c: char| ends_name(c) || matches!(c, '<' | '>' | '=' | '{' | '}' | ':');
    let word = |end: usize| {
        let before = window.get(..end).unwrap_or_default();
        before.char_indices().rev().find(|(_, c)| divides(*c)).map_or(0, |(at, c)| at + c.len_utf8())
    };
    let mut start = word(window.len());
    // Brackets are parts of some paths: `app/(shop)/[id]/page.tsx`.
    while let Some(open) = opening(window, start) {
        start = word(open);
    }
    // `C:\Users\My Name\a.cs`
    let line = window[..start].rfind('\n').map_or(0, |end| end + 1);
    if let Some(drive) = window[line..start].rfind(":\\").map(|at| line + at + 1)
        && !window[drive..start].contains(|c| c != ' ' && divides(c))
    {
        start = drive;
    }
    let path = window.get(start..)?;
    // The host of `http://host/a.js:1:2` is no folder of the repo; `webpack:///a.js` and `file:///a.js` have none.
    let scheme = window.get(..start).unwrap_or_default();
    if path.starts_with("//") && (scheme.ends_with("http:") || scheme.ends_with("https:")) {
        return None;
    }
    // Go shortens long paths to `.../a.go`; bundlers put a layer before them: `(rsc)/./app/a.ts`.
    let trimmed = path.rfind("/./").map_or(path, |at| &path[at + 3..]);
    let trimmed = trimmed.trim_start_matches("//").trim_start_matches(".../");
    let start = from + start + (path.len() - trimmed.len());
    let path = with_slashes(trimmed);
    is_traced_path(&path).then_some(TracedLine { start, path, lines })
}

fn is_traced_path(path: &str) -> bool {
    is_file_shaped(path) && !is_template(path) && !path.contains(['*', '?', '…']) && !path.contains("/.../")
}

fn after_word(text: &str) -> Option<LineRange> {
    let text = text.strip_prefix(' ').unwrap_or(text);
    let rest = words_for("line").iter().find_map(|word| text.strip_prefix(word))?;
    let digits = rest.trim_start_matches(['号', '號']).strip_prefix([' ', '\u{a0}'])?;
    leading_lines(digits).map(|(lines, _)| lines)
}

/// Reads `12`, `12:5`, `12-20` or, up to a closing bracket, `12)`, `12,3)` and `12,3,12,8)`.
fn numbers(text: &str, closed_by: Option<char>) -> Option<LineRange> {
    let (lines, rest) = leading_lines(text)?;
    let is_end = match closed_by {
        Some(bracket) => {
            let is_column = |c: char| c.is_ascii_digit() || matches!(c, ' ' | ',' | '-');
            rest.trim_start_matches(is_column).starts_with(bracket)
        }
        // Not a number of a version, an address or a time of day in a name.
        None => {
            let after = rest.strip_prefix('.').unwrap_or(rest);
            !rest.starts_with(['/', '_']) && !after.starts_with(char::is_alphanumeric)
        }
    };
    is_end.then_some(lines)
}
