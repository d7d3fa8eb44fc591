//! Passwords and tokens before the `@` of a URL.

use super::findings::Findings;
use super::judge::{self, AssignedValue, judge};
use super::names::Class;
use super::rules::FindingLabel;

/// The label of passwords in URLs.
pub(super) static LABEL: FindingLabel =
    FindingLabel { name: "url-password", reason: "is the password or token of a URL", rank: 3 };

/// The longest user part that is read.
const MAX_USER_BYTES: usize = 1024;
/// The least length of a token in place of a user.
const MIN_TOKEN: usize = 16;

/// Finds the secret of every URL in `text`. Looked for by the `@` rather than the `://`: most URLs have none.
pub(super) fn find(text: &[u8], findings: &mut Findings) {
    let mut low = 0;
    for at in memchr::memchr_iter(b'@', text) {
        let before = &text[low.max(at.saturating_sub(MAX_USER_BYTES))..at];
        low = at;
        let width = before.iter().rev().take_while(|b| !ends_authority(**b)).count();
        // Before an earlier `@` of the same URL nothing is new.
        if width < before.len()
            && text[..at - width].ends_with(b"://")
            && let Some((start, end)) = credentials(text, at - width)
        {
            findings.add(start, end, &LABEL);
        }
    }
}

/// Whether `byte` ends what may be the user and the host of a URL.
fn ends_authority(byte: u8) -> bool {
    matches!(byte, b'/' | b'?' | b'"' | b'\'' | b'`' | b'<' | b'>' | b'|' | b'\\') || byte.is_ascii_whitespace()
}

/// Finds the secret of a URL whose `://` ends at `from`: its password, or its user if that is a token.
pub(super) fn credentials(text: &[u8], from: usize) -> Option<(usize, usize)> {
    let window = &text[from..text.len().min(from + MAX_USER_BYTES)];
    let authority = &window[..window.iter().position(|b| ends_authority(*b)).unwrap_or(window.len())];
    // The last `@`: a careless password may hold one.
    let at = authority.iter().rposition(|b| *b == b'@')?;
    let (user, host) = (&authority[..at], &authority[at + 1..]);
    let is_host = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'[' | b'$' | b'{' | b'%' | b'_');
    let is_markup =
        [&b")["[..], b"](", b"[^", b"[:"].iter().any(|part| memchr::memmem::find(authority, part).is_some());
    if !host.first().is_some_and(is_host) || is_markup {
        return None;
    }
    let is_token =
        |token: &[u8]| token.len() >= MIN_TOKEN && judge(Class::Token, &AssignedValue::quoted(token)).is_secret;
    match user.iter().position(|b| *b == b':') {
        // `https://token:@host`, `https://token:x-oauth-basic@host`
        Some(colon) if matches!(&user[colon + 1..], b"" | b"x" | b"x-oauth-basic") => {
            is_token(&user[..colon]).then_some((from, from + colon))
        }
        Some(colon) => {
            let is_public = text[..from].ends_with(b"github://") || is_public(&user[..colon], &user[colon + 1..], host);
            (!is_public).then_some((from + colon + 1, from + at))
        }
        // Elsewhere a user without a password is a name or a public key (`enode://…@host`).
        None if text[..from].ends_with(b"http://") || text[..from].ends_with(b"https://") => {
            // The public part of an address to report errors to.
            let is_public = memchr::memmem::find(host, b".ingest.").is_some() || host.ends_with(b"sentry.io");
            (!is_public && is_token(user)).then_some((from, from + at))
        }
        None => None,
    }
}

/// Whether a password is not secret: a placeholder, the name of what stands there, or the default of a local server.
fn is_public(name: &[u8], password: &[u8], host: &[u8]) -> bool {
    let is_local = !host.contains(&b'.') || host.starts_with(b"127.");
    let is_port =
        password.iter().all(u8::is_ascii_digit) && (name.eq_ignore_ascii_case(b"localhost") || password.len() < 6);
    let is_label = password.iter().all(|b| b.is_ascii_uppercase() || *b == b'_')
        && (password.contains(&b'_') || password.len() < 12);
    let words = password.iter().all(|b| b.is_ascii_alphabetic() || *b == b'_');
    let names_secret = words && super::names::class_of(password).is_some();
    let hump = |part: &[u8]| {
        part.iter().all(u8::is_ascii_alphabetic)
            && part.windows(2).any(|p| p[0].is_ascii_lowercase() && p[1].is_ascii_uppercase())
    };
    is_port
        || is_label
        || names_secret
        || password.starts_with(b"$")
        || password.starts_with(b"[[")
        || judge::is_placeholder(password)
        || name.eq_ignore_ascii_case(password) && (is_local || name == b"anonymous")
        || name == b"scott" && password == b"tiger"
        || hump(name) && hump(password)
}
