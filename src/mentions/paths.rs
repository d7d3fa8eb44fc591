//! Paths and URLs: their shapes, the words that may be ones, and those with a line in the output of programs.

use crate::mentions::lines::{MOST_RANGES, fragment_lines, leading_lines, split_lines, without_lines};
use crate::mentions::vocabulary::{means, pattern, words_for};
use crate::model::{LineRange, ends_name, is_document_name, is_other_script, latin_parts, with_slashes};
use memchr::memmem;
use regex::Regex;
use std::borrow::Cow;
use std::ops::Range;
use std::sync::LazyLock;

const LONGEST_PATH: usize = 1024;
const SENTENCE_MARKS: [char; 7] = ['.', ':', '!', '?', '*', '>', '…'];

static VARIABLE: LazyLock<Regex> = LazyLock::new(|| pattern("variable in a path"));

pub(super) struct PathMention<'a> {
    pub(super) path: &'a str,
    pub(super) lines: Vec<LineRange>,
}

/// Returns the path of any file in a word; `@` stays, behind which only an exact path counts: `@scope/name` is a package.
pub(super) fn path_mention(word: &str) -> Option<PathMention<'_>> {
    let word = word.trim_start_matches(['*', '=', ':']).trim_end_matches(SENTENCE_MARKS);
    let (path, lines) = split_lines(word).filter(|_| word.len() <= LONGEST_PATH)?;
    let path = path.strip_prefix("./").unwrap_or(path);
    // In lower case a name before a line is more often a host or an image: `redis:6379`, `node:18`.
    let is_capitalized = || path.starts_with(|c: char| c.is_ascii_uppercase()) && path.len() <= 64;
    let is_name = || is_bare_name(path) || is_capitalized() && is_made_of(path, b"_-") && !is_jumble(path);
    let is_plain = |name: &str| is_made_of(name, b"_.-") && !is_jumble(name);
    let has_folder =
        || path.contains('/') && path.split('/').all(is_plain) && path.contains(|c: char| c.is_ascii_alphabetic());
    let is_shaped = is_file_shaped(path) || has_folder() || !lines.is_empty() && is_name();
    let is_path = is_shaped && !has_signs(path, &['#', '|']) && !is_template(path) && !is_host(path, &lines);
    is_path.then_some(PathMention { path, lines })
}

/// Returns the path of a document in a word; a name without a folder is one only if it has the number of an ADR.
pub(super) fn path_in(word: &str) -> Option<&str> {
    document_in(word).filter(|word| {
        let path = word.split('#').next().unwrap_or(word);
        path.contains('/') || adr_number(path).is_some()
    })
}

/// Returns the path or name of a document in a word, without a line, a full stop or an `@` around it.
pub(super) fn document_in(word: &str) -> Option<&str> {
    // A quick test that almost every word of prose fails.
    if !word.trim_end_matches('.').contains('.') {
        return None;
    }
    let word = word.trim_start_matches(['@', '*', '=', ':']).trim_end_matches(SENTENCE_MARKS);
    let word = match word.split_once('#') {
        Some((path, fragment)) if !fragment_lines(fragment).is_empty() => path,
        _ => without_lines(word),
    };
    let is_document = word.len() <= LONGEST_PATH && is_document_name(word) && !has_signs(word, &['$']);
    (is_document && !has_placeholder(word)).then_some(word)
}

/// Returns whether a word has signs of globs and placeholders, or `others`.
fn has_signs(word: &str, others: &[char]) -> bool {
    word.contains(|c: char| c.is_control() || "*?<>{}…\\:".contains(c) || others.contains(&c))
}

/// Returns whether a path ends in a file's name: with an extension, a leading dot, or one of the well-known names.
pub(super) fn is_file_shaped(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    let Some((stem, extension)) = name.rsplit_once('.') else { return is_bare_name(name) };
    // A number is the end of a version more often than an extension, and begins that of one: `1.2.3-rc1`.
    let is_version =
        extension.starts_with(|c: char| c.is_ascii_digit()) && stem.ends_with(|c: char| c.is_ascii_digit());
    // `ADR-2..ADR-4` is a range.
    let is_stem = stem.is_empty()
        || !stem.ends_with('.') && stem.contains(|c: char| c.is_alphanumeric() || matches!(c, '_' | ']'));
    let has_letter = || extension.bytes().any(|byte| byte.is_ascii_alphabetic());
    let is_extension = extension.len() <= 16 && is_made_of(extension, b"_+-") && has_letter() && !is_jumble(extension);
    is_extension && is_stem && !is_version && name.len() <= 255 && !path.contains("//")
}

/// Returns whether a text is the name of a file without an extension: a well-known one, or such as `Dockerfile`.
pub(super) fn is_bare_name(name: &str) -> bool {
    let is_such = |stem: &str| {
        stem.len() <= 36
            && stem.starts_with(|c: char| c.is_ascii_uppercase())
            && stem.bytes().all(|byte| byte.is_ascii_alphabetic())
    };
    name.strip_suffix("file").is_some_and(is_such) || means("file name", name)
}

/// Returns whether a name without a folder is that of a host: `example.com`, `db.internal:5432`.
fn is_host(name: &str, lines: &[LineRange]) -> bool {
    let Some((rest, domain)) =
        name.rsplit_once('.').filter(|(rest, _)| is_made_of(rest, b".-") && !rest.starts_with('.'))
    else {
        return false;
    };
    let is_port =
        matches!(lines, [LineRange { first, last }] if first == last && (matches!(first, 80 | 443) || *first >= 1000));
    let is_clear = is_port || rest == "example" || rest.contains('.') && !lines.is_empty();
    means("domain", domain) || means("doubtful domain", domain) && is_clear
}

/// Returns whether a text has only letters and digits of ASCII and `others`.
pub(super) fn is_made_of(text: &str, others: &[u8]) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || others.contains(&byte))
}

/// Returns whether letters and digits are mixed as in a secret rather than a file: mentions are cached.
fn is_jumble(text: &str) -> bool {
    let count = |is: fn(&u8) -> bool| text.as_bytes().iter().filter(|byte| is(byte)).count();
    let digits = count(u8::is_ascii_digit);
    digits > 3 || digits > 0 && count(u8::is_ascii_uppercase) > 0 && count(u8::is_ascii_lowercase) > 0
}

/// Returns whether a path only shows the form of one (`path/to/NNNN.rs`, `src/XXX.py`), or has a variable or a version in it.
fn is_template(path: &str) -> bool {
    has_placeholder(path) || path.contains(['$', '@']) && VARIABLE.is_match(path)
}

/// Returns whether a word of a path only shows its form: `ADR-XXXX-title.md`, `NNNN-title.md`.
fn has_placeholder(path: &str) -> bool {
    let is_one = |word: &str| match word.as_bytes() {
        [b'X' | b'x', rest @ ..] => rest.len() > 1 && rest.iter().all(|byte| matches!(byte, b'X' | b'x')),
        word => matches!(word, b"NNN" | b"NNNN" | b"YYYY"),
    };
    path.split(|c: char| !c.is_alphanumeric()).any(is_one)
}

/// Returns the URL in a word, or an empty text if it is no web address; `at` is the offset of its `://`.
pub(super) fn word_url(word: &str, at: usize) -> &str {
    let scheme = ["https", "http"].into_iter().find(|scheme| word[..at].ends_with(scheme));
    let start = scheme.map_or(word.len(), |scheme| at - scheme.len());
    let url = word[start..].trim_end_matches(['.', ':', '!', '?', '*', '_', '>', '<']);
    url.split('<').next().unwrap_or(url)
}

pub fn scheme(text: &str) -> Option<&str> {
    let (name, _) = text.split_once(':')?;
    let is_scheme = name.len() > 1
        && name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-'));
    is_scheme.then_some(name)
}

const LONGEST_BRACKETS: usize = 64;

/// Returns the words that may be paths or URLs: with a full stop or a slash inside, or a number after a colon.
///
/// White space, quotes and brackets divide them, unless a path goes on behind, and so do the `edges` of code spans.
pub(super) fn path_words(text: &str, edges: &[usize]) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut start = 0;
    for end in edges.iter().copied().chain([text.len()]) {
        let mut done = start;
        let marks = |byte: u8| matches!(byte, b'.' | b'/' | b':' | b'\\');
        for at in (start..end).filter(|at| marks(bytes[*at])) {
            // A full stop that ends a sentence is the usual case.
            let next = bytes[at + 1..end].first().filter(|next| !next.is_ascii_whitespace());
            if at >= done && next.is_some_and(|next| bytes[at] != b':' || next.is_ascii_digit()) {
                let word = word_around(&text[..end], done, at);
                done = word.end;
                found.push(word);
            }
        }
        start = end;
    }
    found
}

fn word_around(text: &str, from: usize, at: usize) -> Range<usize> {
    let bytes = text.as_bytes();
    let start_of = |end: usize| {
        let before = text[from..end].char_indices().rev().find(|(_, c)| ends_name(*c));
        before.map_or(from, |(at, c)| from + at + c.len_utf8())
    };
    let end_of = |start: usize| text[start..].find(ends_name).map_or(text.len(), |length| start + length);
    let is_digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let (mut start, mut end) = (start_of(at), end_of(at));
    let mut more_numbers = 0..MOST_RANGES;
    loop {
        let around = || closing(text, start - 1).filter(|closed| *closed > end);
        if let Some(open) = opening(text, start).filter(|open| *open >= from) {
            start = start_of(open);
        } else if let Some(closed) = closing(text, end) {
            end = end_of(closed);
        } else if start > from
            && let Some(closed) = around()
        {
            // The word is inside of the brackets: `[...slug]/page.tsx`.
            (start, end) = (start_of(start - 1), end_of(closed));
        } else if bytes.get(end) == Some(&b',')
            && is_digit(end - 1)
            && is_digit(end + 1)
            && more_numbers.next().is_some()
            && text[start..end].contains(':')
        {
            // `a.rs:3,7-9`
            end = end_of(end + 1);
        } else {
            return start..end;
        }
    }
}

/// Returns where the bracket opens that closes directly before `at`, if a path goes on at `at`.
fn opening(text: &str, at: usize) -> Option<usize> {
    let before = text.as_bytes()[..at].iter().rev();
    Some(at - goes_on(text, at).then(|| bracket_length(before, [b']', b')'], [b'[', b'(']))??)
}

/// Returns where the bracket that opens at `at` is closed, if a path goes on after it.
fn closing(text: &str, at: usize) -> Option<usize> {
    let after = text.as_bytes().get(at..)?.iter();
    Some(at + bracket_length(after, [b'[', b'('], [b']', b')'])?).filter(|end| goes_on(text, *end))
}

/// Returns the number of bytes from a bracket to the one that matches it, both included, if a path may hold all of them.
fn bracket_length<'a>(bytes: impl Iterator<Item = &'a u8>, first: [u8; 2], last: [u8; 2]) -> Option<usize> {
    let (mut depth, mut kind) = (0_usize, None);
    for (length, byte) in (1..).zip(bytes.take(LONGEST_BRACKETS)) {
        let kind = match kind {
            Some(kind) => kind,
            None => *kind.insert(first.iter().position(|bracket| bracket == byte)?),
        };
        if *byte == first[kind] {
            depth += 1;
        } else if *byte == last[kind] {
            depth -= 1;
        } else if !(byte.is_ascii_alphanumeric() || b".-_$=[]()@+".contains(byte) || !byte.is_ascii()) {
            return None;
        }
        if depth == 0 {
            return Some(length);
        }
    }
    None
}

/// Returns whether a path goes on at `at`, behind a bracket.
fn goes_on(text: &str, at: usize) -> bool {
    let next = |at: usize| text.as_bytes().get(at).copied().unwrap_or(b' ');
    let after = next(at + 1);
    match next(at) {
        b'.' | b'-' | b'_' => after.is_ascii_alphanumeric() || b"[($".contains(&after),
        b'/' | b'\\' => after.is_ascii_alphanumeric() || b"[($@+_.~-".contains(&after),
        byte => byte.is_ascii_alphanumeric(),
    }
}

/// Returns the parts of a word that changes its script which may be paths by themselves: `docs/a.md` of `docs/a.mdと`.
pub(super) fn parts_by_script(word: &str) -> Vec<Range<usize>> {
    if word.is_ascii() || !word.contains(is_other_script) {
        return Vec::new();
    }
    let mut cuts = Vec::new();
    let (mut start, mut before) = (0, ' ');
    for (at, c) in word.char_indices() {
        // A path goes on in other letters behind a folder: `docs/設計.md`.
        if before.is_ascii_alphanumeric() && is_other_script(c) && is_whole(&word[start..at]) {
            cuts.push(start..at);
            start = at;
        }
        before = c;
    }
    if cuts.is_empty() {
        // What begins with `/` or `.` is the rest of a name: `設計.md`.
        let begins = |part: &str| {
            let is_letter = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '@');
            part.starts_with(is_letter) || part.starts_with("./") || part.starts_with("../")
        };
        let parts = latin_parts(word).filter(|(_, part)| begins(part));
        return parts.map(|(at, part)| at..at + part.len()).collect();
    }
    if word[start..].contains(['.', '/', ':']) {
        cuts.push(start..word.len());
    }
    cuts
}

/// Returns whether a text ends in the extension of a file, a line or the number of an issue.
fn is_whole(text: &str) -> bool {
    let end = text.trim_end_matches(|c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'));
    match end.chars().next_back() {
        Some('.') => is_file_shaped(text),
        Some(':' | '#') => true,
        _ => end.ends_with("/issues/") || end.ends_with("/pull/"),
    }
}

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
    // `File "x.py", line 7`, `x.php on line 7` and `Foo.cs:line 7`
    for at in memmem::find_iter(bytes, b"line ") {
        let Some((lines, _)) = leading_lines(&text[at + 5..]) else { continue };
        let before = text[..at].trim_end_matches("on ").trim_end_matches([' ', ',', ':', '"']);
        found.extend(traced(text, before.len(), lines));
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
    let is_whole = !path.contains(['*', '?', '…']) && !path.contains("/.../");
    (is_whole && is_file_shaped(&path) && !is_template(&path)).then_some(TracedLine { start, path, lines })
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

static DATE: LazyLock<Regex> = LazyLock::new(|| pattern("date"));
static PREFIX: LazyLock<Regex> = LazyLock::new(|| pattern("prefix of an adr"));
static NUMBERED: LazyLock<Regex> = LazyLock::new(|| pattern("number in a file name"));

/// Returns the number that a file name gives an ADR; a date is none: `2022-08-02_020-x.md` is 20, `20200924-x.md` nothing.
pub fn adr_number(file_name: &str) -> Option<u64> {
    let name = undated(file_name);
    let name = PREFIX.find(name).map_or(name, |prefix| undated(&name[prefix.end()..]));
    let digits = NUMBERED.captures(name)?.get(1)?;
    let is_whole = !name[digits.end()..].starts_with(char::is_alphanumeric);
    is_whole.then(|| digits.as_str().parse().ok())?
}

fn undated(name: &str) -> &str {
    DATE.find(name).map_or(name, |date| &name[date.end()..])
}
