//! Files that hold accounts without any label: two lines of which the second is the password, as OpenVPN reads them, and lines
//! `user:password`, as web servers do. A word before them says what they are.

use super::super::heuristics::{self, NameClass, looks_secret};
use super::super::names::PASSWORD;
use super::super::text::{contains_ignoring_case, first_line};
use super::OnFinding;

/// What announces a file of two lines.
pub(in super::super) const PAIRS: &[&str] = &[
    "auth-user-pass",
    "two lines",
    "2 lines",
    "zwei zeilen",
    "deux lignes",
    "dos l\u{ed}neas",
    "due righe",
    "twee regels",
    "auth.txt",
    "login.txt",
    "login.conf",
    "pass.txt",
    "passwd.txt",
    "credentials.txt",
    "creds.txt",
    "/credentials\n",
    "up.txt",
    "userpass.txt",
    "in line 2",
    "zweite zeile",
    "ligne 2",
];
/// What announces a file of `user:password` lines.
pub(in super::super) const USERS: &[&str] = &[
    "userfile",
    "users`",
    "users:\n",
    "users.txt",
    "users.properties",
    "users.conf",
    "users.csv",
    "users file",
    "user file",
    "htpasswd",
    "passwd file",
    "passwd.client",
    "sasl_passwd",
    "password file",
    "passwords.txt",
    "benutzerdatei",
    "users.list",
];

/// How far the lines may be from the word.
const MAX_LEAD: usize = 240;
const MAX_LINE: usize = 120;
const MAX_LINES: usize = 40;

/// A line of one word.
#[derive(Debug, Clone, Copy)]
struct Line {
    start: usize,
    end: usize,
}

/// Passes the password of the two lines after the keyword at `hit..end` to `found`.
pub(in super::super) fn pair(text: &[u8], hit: usize, end: usize, found: OnFinding<'_>) {
    let Some(lines) = block(text, end) else { return };
    let [user, password] = lines[..] else { return };
    let (name, value) = (&text[user.start..user.end], &text[password.start..password.end]);
    let is_name = (2..=48).contains(&name.len())
        && name.iter().all(|b| b.is_ascii_alphanumeric() || b"._@-+\\".contains(b))
        && name.iter().any(u8::is_ascii_alphanumeric);
    let around = &text[hit.saturating_sub(80)..user.start];
    let told = contains_ignoring_case(around, b"pass") || contains_ignoring_case(around, b"cred");
    let worded = || told && (heuristics::is_joined_words(value) || heuristics::is_plain_words(value));
    let spelled = value.iter().filter(|b| b.is_ascii_alphabetic() || !b.is_ascii()).count() >= 3;
    if is_name
        && spelled
        && name != value
        && !is_field(value)
        && (looks_secret(value, NameClass::Password, true) || worded())
    {
        found(password.start, password.end, &PASSWORD);
    }
}

/// Passes the passwords of the `user:password` lines after the keyword that ends at `end` to `found`.
pub(in super::super) fn users(text: &[u8], end: usize, found: OnFinding<'_>) {
    let Some(lines) = block(text, end) else { return };
    let mut passwords = Vec::with_capacity(lines.len());
    for line in &lines {
        let content = &text[line.start..line.end];
        let Some(mark) = content.iter().position(|b| matches!(b, b':' | b'=' | b',')) else { return };
        let name = &content[..mark];
        let value = Line { start: line.start + mark + 1, end: line.end };
        let is_name = (1..=40).contains(&name.len())
            && name[0].is_ascii_alphanumeric()
            && name.iter().all(|b| b.is_ascii_alphanumeric() || b"._@-".contains(b));
        if !is_name || value.end - value.start < 4 {
            return;
        }
        passwords.push(value);
    }
    let is_certain = |line: &Line| {
        let value = &text[line.start..line.end];
        looks_secret(value, NameClass::Password, true) && !value.starts_with(b"//") && !is_field(value)
    };
    let is_possible = |line: &Line| {
        let value = &text[line.start..line.end];
        is_certain(line) || heuristics::is_joined_words(value) || heuristics::is_plain_words(value)
    };
    if lines.len() >= 2 && passwords.iter().any(is_certain) && passwords.iter().all(is_possible) {
        passwords.iter().for_each(|line| found(line.start, line.end, &PASSWORD));
    }
}

/// Whether a value is a field or an address rather than a password.
fn is_field(value: &[u8]) -> bool {
    value.ends_with(b":") || value.windows(3).any(|part| part == b"://")
}

/// Returns the lines of one word each that are the next paragraph, or the content of the next fence, after `from`.
fn block(text: &[u8], from: usize) -> Option<Vec<Line>> {
    let limit = text.len().min(from + MAX_LEAD);
    let mut at = from + text[from.saturating_sub(1)..limit].iter().position(|b| *b == b'\n')?;
    let mut opened = true;
    while at < limit {
        let (start, end) = line(text, at);
        let content = &text[start..end];
        if content.is_empty() || content.starts_with(b"```") || content.starts_with(b"~~~") {
            opened = true;
        } else if opened && is_word(content) {
            return lines(text, at);
        } else {
            opened = false;
        }
        at = end + text[end..].iter().position(|b| *b == b'\n').map_or(text.len() - end, |rest| rest + 1);
    }
    None
}

/// Returns the lines from `at` to the end of their paragraph if each is one word.
fn lines(text: &[u8], mut at: usize) -> Option<Vec<Line>> {
    let mut lines = Vec::new();
    while at < text.len() {
        let (start, end) = line(text, at);
        let content = &text[start..end];
        if content.is_empty() || content.starts_with(b"```") || content.starts_with(b"~~~") {
            break;
        }
        if !is_word(content) || lines.len() == MAX_LINES {
            return None;
        }
        lines.push(Line { start, end });
        at = end + text[end..].iter().position(|b| *b == b'\n').map_or(text.len() - end, |rest| rest + 1);
    }
    Some(lines)
}

/// Returns the place of the line at `at` without its indentation, the mark of a quote or its end.
fn line(text: &[u8], at: usize) -> (usize, usize) {
    let rest = first_line(&text[at..text.len().min(at + MAX_LINE)]);
    let lead = rest.iter().take_while(|b| matches!(b, b' ' | b'\t' | b'>')).count();
    let start = at + lead;
    (start, start + rest[lead..].trim_ascii_end().len())
}

/// Whether a line is one word and goes on nowhere.
fn is_word(line: &[u8]) -> bool {
    line.len() < MAX_LINE - 24 && !line.iter().any(u8::is_ascii_whitespace)
}

#[cfg(test)]
mod tests {
    use crate::redact::canaries::{SEED, fill, scrub};

    #[test]
    fn passwords_of_files_without_labels_are_found() {
        let made = fill("<a7>4zQ", SEED);
        let chosen = "Harbour".to_owned() + "!" + "Breeze";
        for password in [&made, &chosen] {
            for template in [
                "auth.txt next to client.ovpn has two lines, user then password:\n\nj.berg\n@\n\nAUTH_FAILED\n",
                "auth-user-pass /etc/openvpn/login.conf\n\n```\nremote-7\n@\n```\n",
                "$ cat /etc/openvpn/credentials\nremote-7\n@\n",
                "pass.txt (user in line 1, password in line 2):\n\n    kim\n    @\n",
                "My `/etc/lighttpd/users`:\n\n    anna:@\n    door:otter77lake\n",
                "users.properties:\n```\nanna=@\nbert=otter77lake\n```\n",
            ] {
                let scrubbed = scrub(&template.replace('@', password));
                assert!(!scrubbed.contains(password.as_str()), "{scrubbed}");
                assert!(!scrubbed.contains("otter77lake"), "{scrubbed}");
            }
        }
    }

    #[test]
    fn other_files_of_short_lines_stay() {
        for text in [
            "The output has two lines:\n\nalpha\nbeta\n",
            "It prints two lines:\n\n```\nsrc/main.rs\nsrc/lib.rs\n```\n",
            "users:\n\n    anna:admin\n    bert:editor\n",
            "Create an htpasswd file:\n\n```\nhtpasswd -c file bob\n```\n",
            "users.properties:\n\nname=value\nhost=localhost\n",
            "It has two lines\n\nv1.2.3\nv1.2.4\n",
        ] {
            assert_eq!(scrub(text), text);
        }
    }
}
