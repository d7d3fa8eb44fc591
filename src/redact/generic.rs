//! Secrets that only their name gives away: `password = …`, `"api_key": "…"`, `| TOKEN | … |`.

use super::judge::{self, Class};
use super::names::class_of;
use super::rules::Label;
use super::text::starts_ignoring_case;

/// Keywords of which one stands in every name that is looked at.
pub(super) const STEMS: &[&str] = &["pass", "pwd", "secret", "token", "key", "auth", "credential", "creds"];

/// Longest name to each side of its keyword.
const NAME: usize = 64;
/// Longest value that is read.
const VALUE: usize = 1024;
/// How many names inside one value are looked at: `a=b=c` is read, a long chain of it costs nothing.
const INSIDE: usize = 4;

/// Finds values by their names, each name once.
#[derive(Debug, Default)]
pub(super) struct Names {
    seen: usize,
    /// The end of the last value without quotes, and how many names inside it were looked at.
    value_end: usize,
    inside: usize,
}

/// What stands between a name and its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Separator {
    Assign,
    Colon,
    Cell,
    Flag,
    Tag,
    Comma,
    Is,
}

/// A value as it stands in the text.
#[derive(Debug, Clone, Copy)]
struct Found {
    start: usize,
    end: usize,
    quoted: bool,
}

impl Names {
    /// The secret whose name holds the keyword at `hit`.
    ///
    /// `strict` texts are records (front matter, JSON): there whatever a secret's name holds is one.
    pub(super) fn value(&mut self, text: &[u8], hit: usize, strict: bool) -> Option<(usize, usize, &'static Label)> {
        if hit < self.seen {
            return None;
        }
        let low = hit.saturating_sub(NAME);
        let mut start = hit - text[low..hit].iter().rev().take_while(|b| is_name_byte(**b)).count();
        let length = text[hit..].iter().take(NAME + 1).take_while(|b| is_name_byte(**b)).count();
        self.seen = hit + length;
        if length > NAME {
            return None;
        }
        let mut end = hit + length;
        while end > hit && matches!(text[end - 1], b'.' | b'-') {
            end -= 1;
        }
        let flag = text[start..].starts_with(b"--");
        let (separator, at) = separator(text, start, end, flag)?;
        if text[start..end].eq_ignore_ascii_case(b"key") {
            start = word_before(text, start);
        }
        let (class, label) = class_of(&text[start..end])?;
        // The token of a badge is public: the image is on every page that shows it.
        let before = &text[start.saturating_sub(128)..start];
        if class == Class::Weak && before.ends_with(b"?") && before.windows(5).any(|part| part == b"badge") {
            return None;
        }
        if strict
            && is_field(text, start, separator)
            && let Some((start, end)) = whole_value(text, at)
        {
            let value = text[start..end].trim_ascii();
            return (!is_exempt(value, class)).then_some((start, end, label));
        }
        if at < self.value_end {
            self.inside += 1;
            if self.inside > INSIDE {
                return None;
            }
        } else {
            self.inside = 0;
        }
        let (found, secret) = value(text, at, separator, class)?;
        self.value_end = self.value_end.max(found.end);
        secret.then_some((found.start, found.end, label))
    }
}

/// The rule for a field's whole value: in a record the name is enough.
pub(super) fn field(key: &str, value: &str) -> Option<&'static Label> {
    if key.len() > 2 * NAME || key.is_empty() {
        return None;
    }
    let (class, label) = class_of(key.as_bytes()).or_else(|| class_of(key.replace(' ', "_").as_bytes()))?;
    (!is_exempt(value.trim().as_bytes(), class)).then_some(label)
}

/// Whether a record's value under a secret's name is none: a stand-in, a switch, a limit.
fn is_exempt(value: &[u8], class: Class) -> bool {
    const SWITCHES: &str = "true false yes no on off null none n/a nil required optional unknown tbd todo";
    let number = value.iter().all(|b| b.is_ascii_digit() || matches!(b, b'.' | b',' | b'_' | b'k' | b'K'));
    judge::is_placeholder(value)
        || judge::is_one_of(SWITCHES, value)
        || (number && class != Class::Password)
        || (class == Class::Weak && !judge::looks_secret(value, class, true))
}

fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.')
}

/// The start of the word before `start`, one space away: `API key`, `secret key`.
fn word_before(text: &[u8], start: usize) -> usize {
    let before = &text[start.saturating_sub(16)..start];
    let Some(before) = before.strip_suffix(b" ") else {
        return start;
    };
    let word = before.iter().rev().take_while(|b| b.is_ascii_alphabetic()).count();
    if word == 0 { start } else { start - 1 - word }
}

/// What separates the name in `start..end` from a value, and where the value may begin.
fn separator(text: &[u8], start: usize, end: usize, flag: bool) -> Option<(Separator, usize)> {
    let mut at = end;
    let mut closed = false;
    while at < end + 6 {
        match text.get(at)? {
            b'"' | b'\'' | b'`' | b'*' | b']' => closed = true,
            b'\\' if matches!(text.get(at + 1), Some(b'"' | b'\'')) => {}
            _ => break,
        }
        at += 1;
    }
    let touching = at;
    at = blank(text, at);
    let rest = &text[at..];
    let (separator, length) = match rest.first()? {
        b':' if rest.starts_with(b"::") => return None,
        b':' if rest.starts_with(b":=") => (Separator::Assign, 2),
        b':' => (Separator::Colon, 1),
        b'=' if rest.starts_with(b"=~") => return None,
        b'=' => (Separator::Assign, rest.iter().take(3).take_while(|b| matches!(b, b'=' | b'>')).count()),
        b'?' | b'+' if rest.get(1) == Some(&b'=') => (Separator::Assign, 2),
        b'|' => (Separator::Cell, 1),
        b',' if closed => (Separator::Comma, 1),
        b'>' if start > 0 && text[start - 1] == b'<' && at == end => (Separator::Tag, 1),
        _ if flag && at > touching => (Separator::Flag, 0),
        b'i' if rest.starts_with(b"is ") && at > touching => (Separator::Is, 3),
        b'w' if rest.starts_with(b"was ") && at > touching => (Separator::Is, 4),
        _ => return None,
    };
    at += length;
    at += text[at..].iter().take(3).take_while(|b| **b == b'*').count();
    Some((separator, blank(text, at)))
}

/// The first place at or after `at` that is no blank; looks 64 bytes far.
fn blank(text: &[u8], at: usize) -> usize {
    at + text[at..].iter().take(64).take_while(|b| matches!(b, b' ' | b'\t')).count()
}

/// The value at `at`, and whether it looks like a secret.
fn value(text: &[u8], at: usize, separator: Separator, class: Class) -> Option<(Found, bool)> {
    let at = after_block_mark(text, at, separator);
    let found = match quoted(text, at) {
        Some(found) if !found.quoted && needs_quotes(separator) => return None,
        Some(found) => found,
        None if needs_quotes(separator) => return None,
        None => bare(text, at, separator),
    };
    // `password: string = "…"`
    if !found.quoted && separator == Separator::Colon {
        let next = blank(text, found.end);
        if next > found.end && text.get(next) == Some(&b'=') && text.get(next + 1) != Some(&b'=') {
            return value(text, blank(text, next + 1), Separator::Assign, class);
        }
    }
    let found = after_scheme(text, found, separator);
    if separator == Separator::Tag && !text[found.end..].starts_with(b"</") {
        return None;
    }
    let secret = judge::looks_secret(&text[found.start..found.end], class, found.quoted);
    if found.quoted {
        return Some((found, secret));
    }
    // Left out of the judgement, since a sentence may end so, but perhaps the secret's own.
    let marks = text[found.end..].iter().take(8).take_while(|b| matches!(b, b'!' | b'?')).count();
    Some((Found { end: found.end + marks, ..found }, secret))
}

/// Whether only a value in quotes is one after such a separator.
fn needs_quotes(separator: Separator) -> bool {
    matches!(separator, Separator::Is | Separator::Comma)
}

/// The next line's text where `at` holds `|` or `>` of a YAML block.
fn after_block_mark(text: &[u8], at: usize, separator: Separator) -> usize {
    let mark = text[at..].iter().take(3).take_while(|b| matches!(b, b'|' | b'>' | b'-' | b'+')).count();
    if separator == Separator::Colon && mark > 0 && text.get(at + mark) == Some(&b'\n') {
        return blank(text, at + mark + 1);
    }
    at
}

/// The value between quotes that open at `at`, on one line; up to the next blank where they never close.
fn quoted(text: &[u8], at: usize) -> Option<Found> {
    let prefix = usize::from(
        matches!(text.get(at), Some(b'b' | b'r' | b'f' | b'u')) && matches!(text.get(at + 1), Some(b'"' | b'\'')),
    );
    let rest = &text[at + prefix..];
    const QUOTES: &[(&[u8], &[u8])] = &[
        (b"\"\"\"", b"\"\"\""),
        (b"\"", b"\""),
        (b"'", b"'"),
        (b"``", b"``"),
        (b"`", b"`"),
        (b"\\\"", b"\\\""),
        (b"\\'", b"\\'"),
        (b"&quot;", b"&quot;"),
        (b"<code>", b"</code>"),
        ("“".as_bytes(), "”".as_bytes()),
        ("‘".as_bytes(), "’".as_bytes()),
    ];
    let (open, close) = QUOTES.iter().find(|(open, _)| rest.starts_with(open))?;
    let start = at + prefix + open.len();
    let window = &text[start..text.len().min(start + VALUE)];
    let line = &window[..window.iter().position(|b| *b == b'\n').unwrap_or(window.len())];
    let mut length = 0;
    while length < line.len() && !line[length..].starts_with(close) {
        // An escaped quote belongs to the value, unless the value's own quotes are escaped.
        length += if line[length] == b'\\' && close.len() == 1 { 2 } else { 1 };
    }
    if length >= line.len() {
        // A quote that never closes: the text may be cut off.
        return Some(bare(text, start, Separator::Assign));
    }
    Some(Found { start, end: start + length, quoted: true })
}

/// The value without quotes at `at`.
fn bare(text: &[u8], at: usize, separator: Separator) -> Found {
    let window = &text[at..text.len().min(at + VALUE)];
    let mut open = 0_i32;
    let length = window
        .iter()
        .position(|b| match b {
            b'"' | b'\'' | b'`' | b',' | b';' | b'|' | b'\\' => true,
            b'&' => separator == Separator::Assign,
            b'<' => separator == Separator::Tag || text.get(at) != Some(&b'<'),
            b'(' | b'[' | b'{' => {
                open += 1;
                false
            }
            b')' | b']' | b'}' => {
                open -= 1;
                open < 0
            }
            _ => !b.is_ascii() || b.is_ascii_whitespace(),
        })
        .unwrap_or(window.len());
    let kept = window[..length]
        .iter()
        .rposition(|b| !matches!(b, b'.' | b':' | b'!' | b'?' | b'*' | b'_'))
        .map_or(0, |last| last + 1);
    Found { start: at, end: at + kept, quoted: false }
}

/// Steps over the scheme of an authorization header: `Bearer …`, `token …`.
fn after_scheme(text: &[u8], found: Found, separator: Separator) -> Found {
    const SCHEMES: &[&[u8]] = &[b"bearer", b"token", b"basic", b"apikey", b"bot", b"key", b"digest"];
    let value = &text[found.start..found.end];
    let Some(scheme) = SCHEMES.iter().find(|scheme| starts_ignoring_case(value, scheme)) else {
        return found;
    };
    let next = found.start + scheme.len();
    if text.get(next) != Some(&b' ') {
        return found;
    }
    let start = blank(text, next);
    if found.quoted { Found { start: start.min(found.end), ..found } } else { bare(text, start, separator) }
}

/// Whether a record's field begins at `start`: a YAML line's or a JSON object's key.
fn is_field(text: &[u8], start: usize, separator: Separator) -> bool {
    let before = &text[..start];
    let key = before.last() == Some(&b'"') && before.len().checked_sub(2).is_none_or(|at| before[at] != b'\\');
    let leads = before
        .iter()
        .rev()
        .take(256)
        .take_while(|b| **b != b'\n')
        .all(|b| matches!(b, b' ' | b'\t' | b'-' | b'"' | b'\'' | b'{'));
    separator == Separator::Colon && (key || leads)
}

/// The whole value of a field at `at`: a quoted text, else the rest of the line up to a comment.
fn whole_value(text: &[u8], at: usize) -> Option<(usize, usize)> {
    if let Some(found) = quoted(text, at) {
        return Some((found.start, found.end));
    }
    let at = after_block_mark(text, at, Separator::Colon);
    let window = &text[at..text.len().min(at + 2 * VALUE)];
    let line = &window[..window.iter().position(|b| *b == b'\n').unwrap_or(window.len())];
    let json = line.iter().any(|b| matches!(b, b'}' | b'"'));
    let length = match json {
        true => line.iter().position(|b| matches!(b, b',' | b'}' | b']')).unwrap_or(line.len()),
        false => line.windows(2).position(|pair| pair == b" #").unwrap_or(line.len()),
    };
    let value = line[..length].trim_ascii_end();
    (!value.is_empty()).then_some((at, at + value.len()))
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    fn found_in(text: &str, strict: bool) -> Vec<&str> {
        let mut names = Names::default();
        let lower = text.to_ascii_lowercase();
        let mut hits: Vec<usize> = STEMS.iter().flat_map(|stem| lower.match_indices(stem).map(|(at, _)| at)).collect();
        hits.sort_unstable();
        hits.into_iter()
            .filter_map(|hit| names.value(text.as_bytes(), hit, strict))
            .map(|(start, end, _)| &text[start..end])
            .collect()
    }

    #[test]
    fn values_are_found_in_every_notation() {
        for text in [
            "password = q7Rt5Kx9w",
            "DB_PASSWORD=q7Rt5Kx9w",
            "export API_KEY='q7Rt5Kx9w'",
            "\"clientSecret\": \"q7Rt5Kx9w\",",
            r#"{\"clientSecret\": \"q7Rt5Kx9w\"}"#,
            "secret_key_base: q7Rt5Kx9w # here",
            "**API key:** `q7Rt5Kx9w`",
            "**Password**: q7Rt5Kx9w.",
            "| ACCESS_TOKEN | q7Rt5Kx9w |",
            "| `ACCESS_TOKEN` | `q7Rt5Kx9w` |",
            "`API_KEY` = `q7Rt5Kx9w`",
            "`password=q7Rt5Kx9w`",
            "the password is `q7Rt5Kx9w` now",
            "const apiKey: string = \"q7Rt5Kx9w\";",
            "login --password q7Rt5Kx9w --user x",
            "<password>q7Rt5Kx9w</password>",
            "https://host/x?access_token=q7Rt5Kx9w&y=1",
            "Server=db;User Id=sa;Password=q7Rt5Kx9w;Encrypt=yes",
            "token: >-\n  q7Rt5Kx9w\n",
            "X-Api-Key: q7Rt5Kx9w",
            "Authorization: token q7Rt5Kx9w",
            "\"Authorization\": \"Bot q7Rt5Kx9w\"",
            "密码 password：password: q7Rt5Kx9w。",
            "password: “q7Rt5Kx9w”",
            "localStorage.setItem('token', 'q7Rt5Kx9w')",
        ] {
            assert_eq!(found_in(text, false), ["q7Rt5Kx9w"], "{text}");
        }
    }

    #[test]
    fn prose_code_and_limits_have_no_value_to_find() {
        for text in [
            "The token: a word that names a value.",
            "password: required",
            "getAccessToken() returns it",
            "let token = self.session.next_token();",
            "tokens: 4000",
            "max_tokens = 128000",
            "nextPageToken: q7Rt5Kx9w1",
            "secret_name: prod-db-2024-main",
            "secret: bytes32",
            "`token == address(0)`",
            "password: ${DB_PASSWORD_1}",
            "password: <password1>",
            "token = process.env.TOKEN_1",
            "author: someone (@name123)",
            "authority: 2001db8",
            "| Token | 32 bytes of it |",
            "password_required: true",
            "key: q7Rt5Kx9w",
            "https://host/graph/badge.svg?token=Q7RT5KX9WZ",
            "redis://:<password>@localhost",
            "private_key: Ed448PrivateKey",
            "PrivateKey|Ed25519PublicKey",
            "const PASS8: tcflag_t = 134217728;",
            "public_key: q7Rt5Kx9w",
            "token: [REDACTED:token]",
        ] {
            assert_eq!(found_in(text, false), Vec::<&str>::new(), "{text}");
        }
    }

    #[test]
    fn in_a_record_the_name_of_a_field_is_enough() {
        assert_eq!(found_in("title: x\npassword: correct horse # old\n", true), ["correct horse"]);
        assert_eq!(found_in(r#"{"a":1,"client_secret":"plainword","b":2}"#, true), ["plainword"]);
        assert_eq!(found_in("password: changeme\npassword_required: true\ntokens: 4000\n", true), Vec::<&str>::new());
        assert_eq!(field("password", "correct horse").unwrap().name, "password");
        assert_eq!(field("API key", "plain-word").unwrap().name, "api-key");
        assert_eq!(field("tokens", "4000"), None);
        assert_eq!(field("auth", "oauth2"), None);
        assert_eq!(field("title", "q7Rt5Kx9w"), None);
    }
}
