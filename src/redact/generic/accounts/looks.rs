//! How passwords look that people choose for an account, where its name says that one follows.

use super::super::super::heuristics::{self, NameClass, looks_secret};
use super::super::super::text::last_line;
use super::super::beside::NAMED;
use super::super::later::trimmed;

/// Whether a value is words that marks join, in one of which a digit stands for a letter: `l0ck-ness-monster`.
pub(in super::super) fn is_written(value: &[u8]) -> bool {
    let part = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.');
    let letter = |b: u8| matches!(b, b'0' | b'1' | b'3' | b'4' | b'5' | b'7');
    let digits = |run: &[u8]| run[0].is_ascii_lowercase() && letter(run[1]) && run[2].is_ascii_lowercase();
    (10..=40).contains(&value.len())
        && value.iter().all(part)
        && value.iter().any(|b| matches!(b, b'-' | b'_' | b'.'))
        && value.windows(3).any(digits)
        && looks_secret(value, NameClass::Password, true)
}

/// Whether a value is two words of five letters or more with a hyphen between them: shorter ones are those of roles and places.
pub(super) fn is_long_pair(value: &[u8]) -> bool {
    heuristics::is_plain_pair(value) && value.split(|b| *b == b'-').all(|word| word.len() >= 5)
}

/// Whether a value is a few words with a capital, in one of which a mark stands for a letter: `Br@nch-Otter`.
pub(super) fn is_substituted(value: &[u8]) -> bool {
    let mark =
        |run: &[u8]| run[0].is_ascii_alphabetic() && matches!(run[1], b'@' | b'$') && run[2].is_ascii_lowercase();
    let letters = |b: &u8| match b {
        b'@' => b'a',
        b'$' => b's',
        other => *other,
    };
    value[0].is_ascii_uppercase()
        // `Name@host`
        && value.iter().position(|b| *b == b'@').is_none_or(|at| at <= 3)
        && value.windows(3).any(mark)
        && heuristics::is_joined_words(&value.iter().map(letters).collect::<Vec<u8>>())
}

/// Whether a word is the number of a report of a weakness: `CVE-2026-49272`.
pub(super) fn is_advisory(word: &[u8]) -> bool {
    [&b"CVE-"[..], b"GHSA-", b"CWE-", b"RUSTSEC-", b"PYSEC-", b"GO-"].iter().any(|start| word.starts_with(start))
}

/// Returns the name of an account without the marks of emphasis around it.
pub(super) fn trimmed_account(account: &[u8]) -> &[u8] {
    let (start, end) = trimmed(account, 0, account.len());
    account[start..end].trim_ascii().strip_suffix(b"**").unwrap_or(&account[start..end])
}

/// Returns a value after the slash at `slash` without the marks of emphasis at its end: `*a / X*`, `**… (a / X).**`.
pub(super) fn without_emphasis(text: &[u8], slash: usize, (start, end): (usize, usize)) -> (usize, usize) {
    let value = &text[start..end];
    if value.ends_with(b"*") && text.get(end) != Some(&b'*') && text[start - 1] == b'*' {
        return (start, end - 1);
    }
    let bold = || memchr::memmem::find(last_line(&text[slash.saturating_sub(160)..slash]), b"**").is_some();
    if value.ends_with(b"**") && bold() { trimmed(text, start, end - 2) } else { (start, end) }
}

/// Whether a value is another name like `account`: `sea-orm / sea-orm-migration`, `a.b.Client / a.b.Transport`.
pub(super) fn is_sibling(account: &[u8], value: &[u8]) -> bool {
    let letters = |part: &[u8]| part.iter().all(|b| b.is_ascii_alphabetic() || matches!(b, b'-' | b'_' | b'.'));
    let longer = value.strip_prefix(account).is_some_and(|rest| match rest.first() {
        Some(b'+') => true,
        Some(b'-' | b'_' | b'.') => letters(rest),
        _ => false,
    });
    let shared = account.iter().zip(value).take_while(|(a, b)| a == b).count();
    let path = shared >= 5 && value[..shared].contains(&b'.') && letters(&value[shared..]);
    let contained = account.len() >= 5 && value.ends_with(account) && value.len() <= account.len() + 4;
    longer || path || contained || is_class(account, value, shared) || is_cited(value) || is_next(account, value)
}

/// Whether an account and a value, whose first `shared` bytes are the same, are names of classes or products:
/// `LampRequest / LampResponse`, `LampPali / LampQwen2`.
fn is_class(account: &[u8], value: &[u8], shared: usize) -> bool {
    let (_, end) = trimmed(value, 0, value.len());
    let is_mark = |b: &u8| matches!(b, b'`' | b'*');
    let rest = value.get(shared..end).unwrap_or_default();
    let humps = |word: &[u8]| word.windows(2).any(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase());
    let product = rest.iter().filter(|b| b.is_ascii_digit()).count() <= 1
        && humps(account)
        && humps(value)
        && value[..end].iter().all(|b| b.is_ascii_alphanumeric() || is_mark(b));
    product
        || shared >= 4
            && account[0].is_ascii_uppercase()
            && account[1..].iter().any(u8::is_ascii_uppercase)
            && rest.iter().all(|b| b.is_ascii_alphabetic() || is_mark(b))
}

/// Whether an account and a value are members of a series: `Form89 / Form90`, `LMP-004 / SHADE-001`.
fn is_next(account: &[u8], value: &[u8]) -> bool {
    let name = |word: &[u8]| word.iter().rposition(|b| !b.is_ascii_digit()).map_or(0, |last| last + 1);
    let (a, b) = (name(account), name(value));
    a < account.len() && b < value.len() && (account[..a] == value[..b] || is_ticket(account) && is_ticket(value))
}

/// Whether a value is an author with a year, as texts cite them: `Miller+2021`.
fn is_cited(value: &[u8]) -> bool {
    value.iter().position(|b| *b == b'+').is_some_and(|at| {
        let year = &value[at + 1..];
        value[..at].iter().all(|b| b.is_ascii_alphabetic() || *b == b'-')
            && matches!(year, [b'1', b'9', ..] | [b'2', b'0', ..])
            && (4..=5).contains(&year.len())
            && year[..4].iter().all(u8::is_ascii_digit)
    })
}

/// Whether a value is a word with a capital and a digit or two, at its end or for a letter: `Lanternfish9`, `L4nternfish`.
pub(super) fn is_numbered(value: &[u8]) -> bool {
    let digits = value.iter().filter(|b| b.is_ascii_digit()).count();
    (8..=24).contains(&value.len())
        && value[0].is_ascii_uppercase()
        && value.iter().all(u8::is_ascii_alphanumeric)
        && (1..=4).contains(&digits)
        && value[1..].iter().all(|b| !b.is_ascii_uppercase())
        && looks_secret(value, NameClass::Password, true)
        && {
            let word = &value[..value.iter().rposition(|b| !b.is_ascii_digit()).map_or(0, |last| last + 1)];
            !NAMED.has(word) && (word.iter().any(u8::is_ascii_digit) || heuristics::is_plain_part(word))
        }
}

/// Whether a value is a word with a digit or more at its end: `calvin7`.
pub(in super::super) fn is_word_with_digit(value: &[u8]) -> bool {
    let digits = value.iter().rev().take_while(|b| b.is_ascii_digit()).count();
    let word = &value[..value.len() - digits];
    (1..=4).contains(&digits)
        && word.len() >= 5
        && word.iter().all(u8::is_ascii_lowercase)
        && !NAMED.has(word)
        && heuristics::is_plain_part(word)
}

/// Whether a value is a password without any label: letters, digits, and a mark that neither names nor numbers have.
pub(super) fn is_marked(value: &[u8]) -> bool {
    let both = value.iter().any(u8::is_ascii_uppercase) && value.iter().any(u8::is_ascii_lowercase);
    let odd = value.iter().any(|b| b"!#$%^&?".contains(b))
        || value.contains(&b'*') && value.contains(&b'=')
        || both && value[..value.len() - 1].iter().any(|b| b"@*+".contains(b)) && !value.contains(&b'.');
    let host = value.iter().rposition(|b| *b == b'@').is_some_and(|at| value[at..].contains(&b'.'));
    (8..=40).contains(&value.len())
        && odd
        && !host
        && value.iter().any(u8::is_ascii_digit)
        && value.iter().any(u8::is_ascii_alphabetic)
        && !value.iter().any(|b| b"\\[]{}<>|,;:()".contains(b))
        && (!value.contains(&b'=') || value.iter().any(|b| b"!#%^*".contains(b)) && heuristics::has_all_kinds(value))
        && !matches!(value[0], b'$' | b'@' | b'&' | b'*' | b'#' | b'%')
        && !value.ends_with(b"%")
        && looks_secret(value, NameClass::Password, false)
}

/// Whether digits stand among the letters of a value: `5un5hin3_`.
pub(in super::super) fn is_odd(value: &[u8]) -> bool {
    let digits = value.iter().filter(|b| b.is_ascii_digit()).count();
    (8..=40).contains(&value.len())
        && digits >= 2
        && value.iter().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'))
        && !heuristics::is_name(value)
        && looks_secret(value, NameClass::Password, false)
}

/// Whether a value is the number of a ticket, a release or a model: `ABC-1234`, `Chrome-120`, `LMP-4o`.
pub(in super::super) fn is_ticket(value: &[u8]) -> bool {
    let letters = value.iter().take_while(|b| b.is_ascii_alphabetic()).count();
    let Some((b'-', rest)) = value[letters..].split_first() else { return false };
    let digits = rest.iter().take_while(|b| b.is_ascii_digit()).count();
    let model = rest.len() == digits + 1 && rest[digits].is_ascii_lowercase() && digits <= 2;
    digits > 0 && (digits == rest.len() || model) || rest.is_empty()
}
