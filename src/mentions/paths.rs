//! The shapes of paths and URLs.

use crate::mentions::adr::adr_number;
use crate::mentions::lines::{fragment_lines, split_lines, without_lines};
use crate::mentions::vocabulary::{means, pattern};
use crate::model::{LineRange, is_document_name};
use regex::Regex;
use std::sync::LazyLock;

pub(super) const LONGEST_PATH: usize = 1024;
const SENTENCE_MARKS: [char; 7] = ['.', ':', '!', '?', '*', '>', '…'];

/// A variable or a version in a path: `$DIR/a.rs`, `pkg@1.2.3/a.js`.
static VARIABLE: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?:^|/)\$(?:\(|[^a-z./]+(?:/|$))|@[v^~]*[0-9]"));

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
    let is_shaped = is_file_shaped(path) || is_path_without_extension(path) || !lines.is_empty() && is_name();
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

fn is_path_without_extension(path: &str) -> bool {
    let is_plain = path.contains('/') && path.split('/').all(|name| is_made_of(name, b"_.-") && !is_jumble(name));
    is_plain && path.bytes().any(|byte| byte.is_ascii_alphabetic())
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
pub(super) fn is_template(path: &str) -> bool {
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
