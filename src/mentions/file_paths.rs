//! The shapes of paths and of the lines that texts state with them.

use crate::mentions::hints::pattern;
use crate::model::LineRange;
use regex::Regex;
use std::ops::Range;
use std::sync::LazyLock;

/// The longest path.
const LONGEST: usize = 1024;

/// The most ranges of lines that one mention states.
const MOST_RANGES: usize = 8;

/// How many bytes before and after a path are searched for the lines that it is mentioned with.
const WINDOW: usize = 48;

/// Well-known names of text files without an extension.
const BARE_NAMES: [&str; 22] = [
    "BUILD",
    "Brewfile",
    "CODEOWNERS",
    "Caddyfile",
    "Containerfile",
    "Dockerfile",
    "Earthfile",
    "GNUmakefile",
    "Gemfile",
    "Guardfile",
    "Jenkinsfile",
    "Justfile",
    "Makefile",
    "Pipfile",
    "Podfile",
    "Procfile",
    "Rakefile",
    "Tiltfile",
    "Vagrantfile",
    "WORKSPACE",
    "justfile",
    "makefile",
];

/// Lines stated after a path: ` line 12`, `, lines 10-20`, ` (L10-L20)`, `(12,3)`.
static AFTER: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r#"^(?:["'`)\],:]{0,3}\s{0,2}\(?(?:at |on )?(?i:lines?\s{1,2}|l)#?|\(L?)(\d{1,7})(?:\s?(?:-|–|to)\s?L?(\d{1,7}))?(?:,\s?\d{1,7})?(?:[^\w]|$)"#,
    )
});

/// Lines stated before a path: `line 12 of `, `lines 10-20 in `.
static BEFORE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r#"(?i)\blines?\s{1,2}(\d{1,7})(?:\s?(?:-|–|to)\s?(\d{1,7}))?\s(?:of|in|from)\s(?:the\s)?(?:file\s)?["'`(\[]?$"#,
    )
});

/// A path in a text, and the lines that stand with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PathMention<'a> {
    /// The path as written, without lines and punctuation.
    pub(super) path: &'a str,
    /// The stated lines, in order.
    pub(super) lines: Vec<LineRange>,
}

/// Returns the path of any kind of file in a word; `in_span` says that the word is in a code span.
pub(super) fn path_mention(word: &str, in_span: bool) -> Option<PathMention<'_>> {
    let word = word.trim_start_matches(['@', '*', '=', ':']).trim_end_matches(['.', ':', '!', '?', '*', '>']);
    if word.len() > LONGEST {
        return None;
    }
    let (path, lines) = split_lines(word)?;
    let path = path.strip_prefix("./").unwrap_or(path);
    let unusual =
        |c: char| matches!(c, '*' | '?' | '<' | '>' | '{' | '}' | '$' | '…' | '\\' | ':' | '#' | '|') || c.is_control();
    let shaped = is_file_shaped(path) || in_span && is_path_without_extension(path);
    (shaped && !path.contains(unusual) && !is_template(path)).then_some(PathMention { path, lines })
}

/// Returns whether a path ends in a file's name: with an extension, a leading dot, or one of the well-known names.
pub(super) fn is_file_shaped(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    if path.contains("//") || name.len() > 255 {
        return false;
    }
    match name.rsplit_once('.') {
        Some((stem, extension)) => {
            let letters = extension.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'+'));
            // A number is the end of a version more often than an extension.
            let named = extension.bytes().any(|b| b.is_ascii_alphabetic());
            let stem = stem.is_empty() || stem.chars().any(|c| c.is_alphanumeric() || c == '_' || c == ']');
            !extension.is_empty() && extension.len() <= 16 && letters && named && stem && !is_jumble(extension)
        }
        None => is_bare_name(name),
    }
}

/// Returns whether a text is the well-known name of a file without an extension.
pub(super) fn is_bare_name(name: &str) -> bool {
    BARE_NAMES.binary_search(&name).is_ok()
}

fn is_path_without_extension(path: &str) -> bool {
    let plain = |part: &str| {
        let bytes = part.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.'));
        !part.is_empty() && bytes && !is_jumble(part)
    };
    path.contains('/') && path.split('/').all(plain)
}

/// Returns whether letters of both cases and digits are mixed as in no name that people give. Such a text is more likely a
/// secret than a file, and mentions are cached.
fn is_jumble(text: &str) -> bool {
    let count = |is: fn(&u8) -> bool| text.as_bytes().iter().filter(|byte| is(byte)).count();
    let digits = count(u8::is_ascii_digit);
    digits > 3 || digits > 0 && count(u8::is_ascii_uppercase) > 0 && count(u8::is_ascii_lowercase) > 0
}

/// Returns whether a path only shows the form of one: `path/to/NNNN.rs`, `src/XXX.py`.
fn is_template(path: &str) -> bool {
    path.split(|c: char| !c.is_alphanumeric()).any(|part| {
        part.len() >= 3 && (part.bytes().all(|b| matches!(b, b'X' | b'x')) || matches!(part, "NNN" | "NNNN" | "YYYY"))
    })
}

/// Splits `:12`, `:12:5`, `:12-20`, `:12,30`, `#L10-L20` or the name of a function (`:parse`, `::parse`) off the end of a
/// path; `None` if something else follows it.
fn split_lines(word: &str) -> Option<(&str, Vec<LineRange>)> {
    if let Some((path, fragment)) = word.split_once('#') {
        let path = path.split('?').next().unwrap_or(path);
        return Some((path, fragment_lines(fragment)));
    }
    let Some((path, place)) = word.split_once(':') else { return Some((word, Vec::new())) };
    if let Some(ranges) = place_lines(place) {
        return Some((path, ranges));
    }
    let symbol = place.trim_start_matches(':');
    let named = symbol.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && symbol.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | ':' | '#'));
    named.then(|| (path, Vec::new()))
}

/// Reads `12`, `12:5`, `12-20`, `L12-L20`, `12,30-40`; `None` if the text is anything else.
fn place_lines(place: &str) -> Option<Vec<LineRange>> {
    let mut ranges = Vec::new();
    for part in place.split(',').take(MOST_RANGES) {
        // A column, or the rest of a line of compiler output (`:12:5:error`).
        let lines = part.split(':').next().unwrap_or_default();
        let (first, last) = lines.split_once(['-', '–']).unwrap_or((lines, lines));
        ranges.push(range(first, last)?);
    }
    ranges.sort_unstable();
    ranges.dedup();
    Some(ranges)
}

/// Reads the fragment of a URL: `L10`, `L10-L20`, `L10-20`, `L10C3-L20C4`; anything else states no lines.
pub(super) fn fragment_lines(fragment: &str) -> Vec<LineRange> {
    let Some(rest) = fragment.strip_prefix('L') else { return Vec::new() };
    let line = |text: &str| text.split('C').next().unwrap_or_default().to_owned();
    let (first, last) = rest.split_once('-').unwrap_or((rest, rest));
    range(&line(first), &line(last)).into_iter().collect()
}

/// Returns the lines that the target of a link states: `a.rs#L10-L20`, `a.rs:12`.
pub fn lines_of_target(target: &str) -> Vec<LineRange> {
    if let Some((_, fragment)) = target.split_once('#') {
        return fragment_lines(fragment);
    }
    if target.contains("://") {
        return Vec::new();
    }
    split_lines(target).map(|(_, lines)| lines).unwrap_or_default()
}

fn range(first: &str, last: &str) -> Option<LineRange> {
    let number = |text: &str| {
        let digits = text.strip_prefix('L').unwrap_or(text);
        let plain = !digits.is_empty() && digits.len() <= 7 && digits.bytes().all(|b| b.is_ascii_digit());
        plain.then(|| digits.parse::<u32>().ok())?
    };
    let (first, last) = (number(first)?, number(last)?);
    LineRange::new(first, last).or_else(|| LineRange::new(first, first))
}

/// Returns the lines that words around a path state: `a.rs line 12`, `lines 3-4 of a.rs`, `a.ts(12,3)`.
pub(super) fn lines_around(text: &str, path: &Range<usize>) -> Option<LineRange> {
    let end = text.floor_char_boundary(path.end + WINDOW.min(text.len().saturating_sub(path.end)));
    let after = text.get(path.end..end)?;
    let start = text.ceil_char_boundary(path.start.saturating_sub(WINDOW));
    let before = text.get(start..path.start)?;
    // Most paths have no number near them.
    let digit = |text: &str| text.bytes().any(|b| b.is_ascii_digit());
    let found = digit(after).then(|| AFTER.captures(after)).flatten();
    let found = found.or_else(|| digit(before).then(|| BEFORE.captures(before)).flatten())?;
    let first = found.get(1)?.as_str();
    range(first, found.get(2).map_or(first, |last| last.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(word: &str, in_span: bool) -> Option<String> {
        let PathMention { path, lines } = path_mention(word, in_span)?;
        let lines: Vec<_> = lines.iter().map(|lines| format!("{}-{}", lines.first, lines.last)).collect();
        Some(format!("{path} {}", lines.join(" ")).trim_end().to_owned())
    }

    #[test]
    fn paths_and_their_lines_are_read() {
        for (word, expected) in [
            ("src/a.rs", "src/a.rs"),
            ("./src/a.rs.", "src/a.rs"),
            ("src/a.rs:120", "src/a.rs 120-120"),
            ("src/a.rs:120-140", "src/a.rs 120-140"),
            ("src/a.rs:120–140", "src/a.rs 120-140"),
            ("src/a.rs:120:5", "src/a.rs 120-120"),
            ("src/a.rs:L120-L140", "src/a.rs 120-140"),
            ("src/a.rs#L10-L20", "src/a.rs 10-20"),
            ("src/a.rs#L10C3-L20C4", "src/a.rs 10-20"),
            ("src/a.rs?plain=1#L10", "src/a.rs 10-10"),
            ("src/a.rs#main", "src/a.rs"),
            ("src/a.rs:parse", "src/a.rs"),
            ("src/a.rb::Parser.run", "src/a.rb"),
            ("a.rs:3,7-9", "a.rs 3-3 7-9"),
            ("a.rs:9-3", "a.rs 9-9"),
            ("Makefile", "Makefile"),
            (".github/workflows/ci.yml", ".github/workflows/ci.yml"),
            ("app/(group)/[id]/page.tsx", "app/(group)/[id]/page.tsx"),
            (".gitignore", ".gitignore"),
            ("__init__.py", "__init__.py"),
        ] {
            assert_eq!(read(word, false).as_deref(), Some(expected), "{word}");
        }
        assert_eq!(read("bin/deploy", true).as_deref(), Some("bin/deploy"));
        assert_eq!(read("bin/deploy", false), None);
    }

    #[test]
    fn patterns_templates_and_other_words_are_no_paths() {
        for word in [
            "src/**/*.rs",
            "src/{a,b}.rs",
            "<name>.rs",
            "$DIR/a.rs",
            "1.2.3",
            "v1.2",
            "end.",
            "e.g",
            "src/",
            "a//b.rs",
            "owner/repo:src/a.rs",
            "std::fmt",
            "src/XXX.rs",
            "docs/NNNN-x.py",
            "...",
            "a.rs:",
            ".",
            "/",
            "a.rs:1x",
            "a.rs:x/y",
        ] {
            let allowed = matches!(word, "e.g" | "a.rs:");
            assert_eq!(read(word, false).is_some(), allowed, "{word}");
        }
    }

    #[test]
    fn lines_are_read_from_the_words_around_a_path() {
        let around = |text: &str| {
            let at = text.find("a.rs").unwrap_or_default();
            lines_around(text, &(at..at + 4)).map(|lines| (lines.first, lines.last))
        };
        for (text, expected) in [
            ("see a.rs line 12.", (12, 12)),
            ("see a.rs, lines 12-20 there", (12, 20)),
            ("a.rs (L12-L20)", (12, 20)),
            ("File \"a.rs\", line 7, in f", (7, 7)),
            ("a.rs(12,3): error TS1", (12, 12)),
            ("on lines 3 to 4 of `a.rs`", (3, 4)),
            ("line 9 in a.rs", (9, 9)),
        ] {
            assert_eq!(around(text), Some(expected), "{text}");
        }
        for text in ["a.rs has 12 lines", "a.rs and 3 more", "12 lines in a.rs", "a.rs (see #12)", "a.rs l2x"] {
            assert_eq!(around(text), None, "{text}");
        }
    }
}
