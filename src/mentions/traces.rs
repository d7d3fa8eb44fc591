//! Files and lines in the output of programs: stack traces and messages of compilers.

use crate::mentions::brackets::opening;
use crate::mentions::file_paths::{is_file_shaped, is_template, leading_lines};
use crate::model::{LineRange, ends_name, with_slashes, without_drive};
use memchr::memmem::Finder;
use std::borrow::Cow;
use std::sync::LazyLock;

/// The longest path in a trace.
const LONGEST: usize = 1024;

/// What .NET writes in other languages before a line's number: `Foo.cs:Zeile 7.`
const LINE_WORDS: [&str; 14] = [
    "Zeile",
    "ligne",
    "línea",
    "linha",
    "riga",
    "regel",
    "rad",
    "wiersz",
    "řádek",
    "satır",
    "строка",
    "행",
    "줄",
    "行",
];

/// The word before a line's number in `File "x.py", line 7`, `x.php on line 7` and `Foo.cs:line 7`.
static LINE: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("line "));

/// A path with a line in a text that is not prose.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TracedLine<'a> {
    /// Where the path begins.
    pub(super) start: usize,
    /// The path, perhaps absolute, with `/` and without a drive.
    pub(super) path: Cow<'a, str>,
    /// The lines.
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
        let Some(lines) = number(&text[at + 5..]).and_then(|(line, _)| LineRange::new(line, line)) else { continue };
        let before = text[..at].trim_end_matches("on ").trim_end_matches([' ', ',', ':']);
        // A quoted path may have spaces in it.
        let quoted = before.strip_suffix('"').and_then(|inner| {
            let from = inner.len().saturating_sub(LONGEST);
            let open = memchr::memrchr2(b'"', b'\n', inner.as_bytes().get(from..)?)? + from;
            inner.as_bytes().get(open).filter(|byte| **byte == b'"')?;
            Some(TracedLine { start: open + 1, path: with_slashes(without_drive(inner.get(open + 1..)?)), lines })
        });
        let found_here = match quoted {
            Some(quoted) => Some(quoted).filter(|quoted| is_traced_path(&quoted.path)),
            None => traced(text, before.len(), lines),
        };
        found.extend(found_here);
    }
    found.sort_by_key(|line| line.start);
    found
}

/// Reads the path that ends at `end`.
fn traced(text: &str, end: usize, lines: LineRange) -> Option<TracedLine<'_>> {
    let from = text.ceil_char_boundary(end.saturating_sub(LONGEST));
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

/// Reads `Zeile 12` and the like.
fn after_word(text: &str) -> Option<LineRange> {
    let text = text.strip_prefix(' ').unwrap_or(text);
    let rest = LINE_WORDS.iter().find_map(|word| text.strip_prefix(word))?;
    let rest = rest.trim_start_matches(['号', '號']);
    let digits = rest.trim_start_matches([' ', '\u{a0}']);
    number(digits).filter(|_| digits.len() < rest.len()).and_then(|(line, _)| LineRange::new(line, line))
}

/// Reads `12`, `12:5`, `12-20` or, up to a closing bracket, `12)`, `12,3)` and `12,3,12,8)`.
fn numbers(text: &str, closed_by: Option<char>) -> Option<LineRange> {
    if let Some(bracket) = closed_by {
        let (first, rest) = number(text)?;
        let rest = rest.strip_prefix(',').map_or(rest, |columns| {
            columns.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, ' ' | ',' | '-'))
        });
        return rest.starts_with(bracket).then(|| LineRange::new(first, first))?;
    }
    let (lines, rest) = leading_lines(text)?;
    // Not a number of a version, an address or a time of day in a name.
    let ends = !rest.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '.' | '/' | '_') && !ends_sentence(rest));
    ends.then_some(lines)
}

fn ends_sentence(rest: &str) -> bool {
    rest.strip_prefix('.').is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric()))
}

/// Reads a number of at most 7 digits, and returns what follows it.
fn number(text: &str) -> Option<(u32, &str)> {
    let length = text.bytes().take(8).take_while(u8::is_ascii_digit).count();
    let number = text.get(..length).filter(|_| length > 0 && length < 8)?.parse().ok()?;
    Some((number, text.get(length..)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<String> {
        let lines = traced_lines(text).into_iter();
        lines.map(|line| format!("{} {}-{}", line.path, line.lines.first, line.lines.last)).collect()
    }

    #[test]
    fn traces_of_many_languages_are_read() {
        for (text, expected) in [
            ("  at src/a.rs:120:5", "src/a.rs 120-120"),
            ("error[E0308]: mismatched\n  --> src/a.rs:10:2\n", "src/a.rs 10-10"),
            ("  File \"pkg/my x.py\", line 7, in f", "pkg/my x.py 7-7"),
            ("main.f()\n\t/go/src/x.go:12 +0x1d", "/go/src/x.go 12-12"),
            ("    at Object.<anonymous> (x.js:1:2)", "x.js 1-1"),
            ("    at f (file.ts:3:4)", "file.ts 3-3"),
            ("\tat com.example.Foo.bar(Foo.java:12)", "Foo.java 12-12"),
            ("a.c:12:3: error: expected ';'", "a.c 12-12"),
            ("src/a.ts(12,3): error TS2322", "src/a.ts 12-12"),
            ("PHP Fatal error: x in /app/x.php on line 9", "/app/x.php 9-9"),
            ("at X.Y() in src/Foo.cs:line 42", "src/Foo.cs 42-42"),
            ("from lib/a.rb:3:in `f'", "lib/a.rb 3-3"),
            ("Makefile:12: *** missing separator.  Stop.", "Makefile 12-12"),
            ("at g (webpack:///./src/a.js:3:4)", "src/a.js 3-3"),
            ("at P (webpack-internal:///(rsc)/./app/[id]/page.tsx:3:4)", "app/[id]/page.tsx 3-3"),
            ("at P (app/(shop)/[...rest]/page.tsx:3:4)", "app/(shop)/[...rest]/page.tsx 3-3"),
            ("routes/$id.tsx:3:4: error", "routes/$id.tsx 3-3"),
            ("src/a.go:10..12: unused", "src/a.go 10-12"),
            ("at file:///app/src/a.mjs:3:4", "/app/src/a.mjs 3-3"),
            ("src/a.go:10-12: unused", "src/a.go 10-12"),
            ("    .../pkg/a_test.go:36: failed", "pkg/a_test.go 36-36"),
            (r"   at N.A.Run() in C:\work\src\A.cs:line 1", "/work/src/A.cs 1-1"),
            (r"   at N.A.Run() in C:\Users\My Name\src\A.cs:line 1", "/Users/My Name/src/A.cs 1-1"),
            (r"    at f (C:\work\src\y.js:1:2)", "/work/src/y.js 1-1"),
            ("    at file:///C:/work/src/y.mjs:3:4", "/work/src/y.mjs 3-3"),
            (r"thread 'main' panicked at src\a.rs:1:5:", "src/a.rs 1-1"),
            (r"  --> src\a.rs:1:5", "src/a.rs 1-1"),
            (r#"File "C:\work x\src\x.py", line 1, in <module>"#, "/work x/src/x.py 1-1"),
            (r#"{"file": "C:\\work\\src\\x.py:7"}"#, "/work/src/x.py 7-7"),
            (r"C:\work\src\A.cs(1,2): error CS1002: ; expected", "/work/src/A.cs 1-1"),
            (r"src\A.cs(1,2,1,9): warning", "src/A.cs 1-1"),
            (r"\\?\C:\work\src\a.rs:3:1", "/work/src/a.rs 3-3"),
            ("C:/work/src/x.go:12 +0x1d", "/work/src/x.go 12-12"),
            ("エラー：src/a.rs:3:1。", "src/a.rs 3-3"),
            ("[ERROR] /C:/work/src/A.java:[12,5] cannot find symbol", "/work/src/A.java 12-12"),
            ("[ERROR] /work/src/A.java:[12,5] error", "/work/src/A.java 12-12"),
            (r"   bei N.A.Run() in C:\work\src\A.cs:Zeile 12.", "/work/src/A.cs 12-12"),
            (r"   à N.A.Run() dans C:\work\src\A.cs:ligne 12", "/work/src/A.cs 12-12"),
            (r"   場所 N.A.Run() 場所 C:\work\src\A.cs:行 12", "/work/src/A.cs 12-12"),
            (r"   在 N.A.Run() 位置 C:\work\src\A.cs:行号 12", "/work/src/A.cs 12-12"),
        ] {
            assert_eq!(found(text), [expected], "{text}");
        }
    }

    #[test]
    fn code_without_a_line_and_addresses_are_no_traces() {
        for text in [
            "cargo run src/a.rs",
            "--- a/src/a.rs\n+++ b/src/a.rs\n@@ -1,3 +1,4 @@",
            "http://localhost:8080/x",
            "at f (http://h.example/static/a.js:1:2)",
            "127.0.0.1:80 and 10:30:15",
            "port: 12\nname: x.y",
            "f(12) + g(1,2)",
            "line 12",
            "src/a.rs:[x,5] and src/a.rs:Zeilen 12 or a.rs:row 3",
            "in line 3 of the list",
        ] {
            assert_eq!(found(text), [""; 0], "{text}");
        }
    }

    #[test]
    fn hostile_output_takes_linear_time() {
        for piece in [":1", "a:1", "line 1", "\"line 1", "(1", "a.b(1", "x.y:1:1", "/", "\", line 1"] {
            let text = piece.repeat(1_000_000 / piece.len());
            assert!(traced_lines(&text).len() <= text.len(), "{piece}");
        }
    }
}
