//! Passwords after an account and a comma, where the page to log in stands before them: `http://host/ (admin, X)`,
//! `/wp-admin, anna, X`.

use super::super::heuristics;
use super::super::names;
use super::super::text::{contains_ignoring_case, last_line};
use super::OnFinding;
use super::accounts::{is_odd, is_ticket, is_word_with_digit, is_written};
use super::later::{is_plain, is_strong, trimmed};

/// Passes the password that follows an account and a comma to `on_finding`: `http://host/ (admin, X)`, or the page to log in and
/// an account: `/wp-admin, anna, X`.
pub(super) fn after_comma(text: &[u8], (at, start): (usize, usize), on_finding: OnFinding<'_>) {
    let words = |from: usize| text[from..].iter().take(72).take_while(|b| !b.is_ascii_whitespace()).count();
    let page = text[at] == b'/';
    let mut from = start;
    if page {
        let length = words(from);
        let account = text[from..from + length].strip_suffix(b",").unwrap_or_default();
        let named = account.iter().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'-' | b'@'));
        if account.is_empty() || !named || text.get(from + length) != Some(&b' ') {
            return;
        }
        from += length + 1;
    } else if memchr::memmem::find(last_line(&text[at.saturating_sub(120)..at]), b"://").is_none() {
        return;
    }
    let (start, end) = trimmed(text, from, from + words(from));
    let value = &text[start..end];
    let closes = match text.get(end..) {
        Some(rest) if page => rest.is_empty() || rest.starts_with(b"\n"),
        rest => rest.is_some_and(|rest| rest.starts_with(b")") || rest.starts_with("\u{ff09}".as_bytes())),
    };
    if closes && value.iter().all(u8::is_ascii_graphic) && fits_account(value) {
        on_finding(start, end, &names::PASSWORD);
    }
}

/// Whether a value beside an account looks like the password of it.
fn fits_account(value: &[u8]) -> bool {
    is_strong(value)
        || is_plain(value) && !is_ticket(value)
        || is_odd(value)
        || is_written(value)
        || is_word_with_digit(value)
        || heuristics::is_word_chain(value, 3)
        || value.len() >= 8 && heuristics::is_plain_pair(value)
}

/// Whether a line has a word for a password.
pub(super) fn says_password(line: &[u8]) -> bool {
    const WORDS: [&str; 14] = [
        "password",
        "passwor",
        "kennwort",
        "mot de passe",
        "contrase",
        "senha",
        "wachtwoord",
        "l\u{f6}senord",
        "has\u{142}o",
        "парол",
        "Парол",
        "密码",
        "口令",
        "パスワード",
    ];
    WORDS.iter().any(|word| contains_ignoring_case(line, word.as_bytes()))
}

#[cfg(test)]
mod tests {
    use crate::redact::canaries::{SEED, scrub};

    #[test]
    fn passwords_after_an_account_and_a_comma_are_found() {
        let digit = SEED.len() % 9 + 1;
        for password in [format!("l4mp_verde{digit}{digit}"), "La-vecchia-quercia-ride".to_owned()] {
            for template in [
                "1. Open http://10.1.5.2/admin (admin, @) and wait\n",
                "打开 http://10.1.5.2/admin（admin，@）\n",
                "- CMS: /wp-login.php, editor, @\n",
                "- Panel: /admin, laura, @",
            ] {
                let scrubbed = scrub(&template.replace('@', &password));
                assert!(!scrubbed.contains(&password), "{scrubbed}");
            }
        }
    }

    #[test]
    fn other_lists_with_commas_stay() {
        for text in [
            "Roles (admin, editor) and (root, wheel) exist (admin, super-user-account-role).",
            "See http://host.example/docs (admin, operators) or (admin, version2).",
            "Routes: /login, /logout, /register-new-account\n/admin, users, settings\n/login, api, two-factor-auth-page\n",
        ] {
            assert_eq!(scrub(text), text);
        }
    }
}
