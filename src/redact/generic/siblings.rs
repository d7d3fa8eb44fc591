//! Passwords of plain words whose account is assigned just before: `user = "bob"; password = "…"`.

use super::super::heuristics;
use super::Name;

/// How far before a password its account is looked for.
const REACH: usize = 240;
/// The most lines of comments between the two.
const MAX_COMMENTS: usize = 3;
/// The names of accounts.
const ACCOUNTS: &str = "user username usr login uid userid user_id db_user dbuser db_username account";

/// Whether a value is a password of plain words because the assignment before it, in the same notation, is that of the
/// account. `quoted`: whether the value is.
pub(super) fn is_password(text: &[u8], name: Name, value: &[u8], quoted: bool) -> bool {
    is_plain(value, quoted) && account(text, name).is_some_and(|(user, sign)| is_account(user, sign, quoted))
}

/// Whether a value is words that people choose, and not those of samples, labels and descriptions.
fn is_plain(value: &[u8], quoted: bool) -> bool {
    let part = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-') || quoted && *b == b' ';
    (6..=32).contains(&value.len())
        && value.iter().all(part)
        && value.iter().any(u8::is_ascii_lowercase)
        && value.iter().filter(|b| **b == b' ').count() <= 1
        && !heuristics::is_placeholder(value)
        && !heuristics::is_description(value)
        && !heuristics::is_of_names(value)
}

/// Returns the statement before that of `name`, and the sign between its name and its value.
fn account(text: &[u8], name: Name) -> Option<(&[u8], u8)> {
    let sign = *text[name.end..].trim_ascii_start().first()?;
    let before = &text[name.start.saturating_sub(REACH)..name.start];
    let before = before.strip_suffix(b"$").unwrap_or(before).trim_ascii_end();
    if let Some(before) = before.strip_suffix(b";") {
        let line = &before[before.iter().rposition(|b| *b == b'\n').map_or(0, |end| end + 1)..];
        return Some((line.rsplit(|b| *b == b';').next()?.trim_ascii(), sign));
    }
    let mut lines = before.rsplit(|b| *b == b'\n').map(<[u8]>::trim_ascii);
    // The name is the first word of its line.
    let start = text[..name.start].iter().rev().find(|b| !matches!(b, b' ' | b'\t' | b'$'));
    if start != Some(&b'\n') {
        return None;
    }
    let comment = |line: &&[u8]| line.starts_with(b"//") || line.starts_with(b"#");
    lines.by_ref().take(MAX_COMMENTS + 1).find(|line| !comment(line)).map(|line| (line, sign))
}

/// Whether a statement assigns the name of an account with `sign`, quoted or not.
fn is_account(statement: &[u8], sign: u8, quoted: bool) -> bool {
    let statement = statement.strip_prefix(b"$").unwrap_or(statement);
    let length = statement.iter().take_while(|b| b.is_ascii_alphanumeric() || **b == b'_').count();
    let (name, rest) = statement.split_at(length);
    let Some(value) = rest.trim_ascii_start().strip_prefix(&[sign]) else { return false };
    let value = value.trim_ascii();
    let value = value.strip_suffix(b",").unwrap_or(value);
    let value = value.strip_suffix(b";").unwrap_or(value);
    let inside = match value {
        [b'"' | b'\'', inside @ .., b'"' | b'\''] if quoted => inside,
        _ if !quoted => value,
        _ => return false,
    };
    matches!(sign, b'=' | b':')
        && heuristics::is_one_of(ACCOUNTS, name)
        && (2..=40).contains(&inside.len())
        && inside.iter().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.' | b'@' | b'\\'))
}
