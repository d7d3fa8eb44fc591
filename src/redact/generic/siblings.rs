//! Passwords of plain words whose account comes just before: `user = "bob"; password = "…"`, `User ID=bob;Password=…`,
//! `login bob` and `password …` on the next line.

use super::super::heuristics::{self, WordList};
use super::Name;
use super::separator::after_closers;

/// How far before a password its account is looked for.
const REACH: usize = 240;
/// The most lines of comments between the two.
const MAX_COMMENTS: usize = 3;
/// The names of accounts.
static ACCOUNTS: WordList =
    WordList::new("user username usr login uid userid user_id db_user dbuser db_username account");

/// Passwords that documents show.
static SAMPLES: WordList = WordList::new("qwerty qwertz azerty abcdef swordfish letmein welcome iloveyou");

/// Whether a value is a password of plain words because the assignment before it, in the same notation, is that of the
/// account. `quoted`: whether the value is.
pub(super) fn is_password(text: &[u8], name: Name, (start, end): (usize, usize), quoted: bool) -> bool {
    let value = &text[start..end];
    let (closed, _) = after_closers(text, name.end);
    let sign = match text[closed..].trim_ascii_start().first() {
        Some(sign @ (b'=' | b':')) => *sign,
        _ => b' ',
    };
    let ends = |b: &u8| b.is_ascii_whitespace() || matches!(b, b';' | b'"' | b'\'' | b')');
    is_plain(value, quoted)
        && (quoted || text.get(end).is_none_or(ends))
        && any_before(text, name, |statement| is_account(statement, sign, value, quoted))
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
        && !SAMPLES.has(value)
}

/// Passes the statements before that of `name` to `is_account`: those on its line, or the one above.
fn any_before(text: &[u8], name: Name, is_account: impl Fn(&[u8]) -> bool) -> bool {
    let window = &text[name.start.saturating_sub(REACH)..name.start];
    let start = window.iter().rposition(|b| *b == b'\n').map_or(0, |end| end + 1);
    let (above, line) = (&window[..start], window[start..].trim_ascii_end());
    let line = line
        .strip_suffix(b"$")
        .or_else(|| line.strip_suffix(b"\""))
        .or_else(|| line.strip_suffix(b"'"))
        .unwrap_or(line);
    let line = line.trim_ascii();
    if line.is_empty() {
        let comment = |line: &&[u8]| line.is_empty() || line.starts_with(b"//") || line.starts_with(b"#");
        let mut lines = above.rsplit(|b| *b == b'\n').map(<[u8]>::trim_ascii).take(MAX_COMMENTS + 2);
        return start > 0 && lines.find(|line| !comment(line)).is_some_and(is_account);
    }
    let mark = match line.last() {
        Some(mark @ (b';' | b',')) => *mark,
        _ if window.ends_with(b" ") && text.get(name.end) == Some(&b'=') => b' ',
        _ => return false,
    };
    line.split(|b| *b == mark).any(|statement| is_account(statement.trim_ascii()))
}

/// Whether a statement gives an account its name with `sign`, quoted or not, that does not look like a label as `value`
/// may do.
fn is_account(statement: &[u8], sign: u8, value: &[u8], quoted: bool) -> bool {
    let mark = |b: &u8| matches!(b, b'"' | b'\'' | b'(' | b'{' | b'$' | b'[');
    let parts = match sign {
        b' ' => statement.iter().position(|b| *b == b' '),
        _ => statement.iter().position(|b| *b == sign),
    };
    let Some((name, user)) = parts.map(|at| (statement[..at].trim_ascii(), statement[at + 1..].trim_ascii())) else {
        return false;
    };
    let name = name.strip_suffix(b"\"").or_else(|| name.strip_suffix(b"'")).unwrap_or(name);
    let name = &name[name.iter().rposition(mark).map_or(0, |at| at + 1)..];
    let user = user.strip_suffix(b",").or_else(|| user.strip_suffix(b";")).unwrap_or(user);
    let user = match user {
        [b'"' | b'\'', inside @ .., b'"' | b'\''] if quoted => inside,
        _ if !quoted => user,
        _ => return false,
    };
    let label = |word: &[u8]| word[0].is_ascii_uppercase() && word[1..].iter().all(u8::is_ascii_lowercase);
    ACCOUNTS.has(name) | matches!(name, b"User ID" | b"User Id" | b"user id")
        && (2..=40).contains(&user.len())
        && user.iter().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.' | b'@' | b'\\'))
        && !(label(user) && label(value))
}

#[cfg(test)]
mod tests {
    fn is_found(text: &str) -> bool {
        let found = crate::redact::detect::built_in(text.as_bytes(), false);
        found.iter().any(|finding| &text[finding.start..finding.end] == "wonderland")
    }

    #[test]
    fn a_plain_word_after_its_account_is_a_password() {
        for text in [
            "$user = \"alice\"; $password = \"wonderland\";",
            "user = 'alice'\npassword = 'wonderland'\n",
            "\nuser = alice\n// a comment\npassword = wonderland\n",
            "Server=db;Port=5432;User ID=alice;Password=wonderland;Database=x",
            "connect(\"host=db dbname=x user=alice password=wonderland\")",
            "connect(host=\"db\", user=\"alice\", password=\"wonderland\")",
            "{\"username\": \"alice\", \"password\": \"wonderland\"}",
            "\nmachine db.example\n  login alice\n  password wonderland\n",
        ] {
            assert!(is_found(text), "{text}");
        }
    }

    #[test]
    fn labels_variables_and_words_without_an_account_stay() {
        for text in ["user = request.user\npassword = wonderland(x)\n", "user = alice()\npassword = wonderland\n"] {
            assert!(!is_found(text), "{text}");
        }
        let label = "{\"username\": \"Nutzername\", \"password\": \"Losungswort\"}";
        assert!(crate::redact::detect::built_in(label.as_bytes(), false).is_empty());
    }
}
