//! Passwords and tokens before the `@` of a URL.

use super::heuristics::{self, NameClass, WordList};
use super::names;
use super::text::starts_ignoring_case;

/// The longest user part that is read.
const MAX_USER_BYTES: usize = 1024;

/// Passes the secret of every URL in `text` to `found`.
///
/// Looked for by the `@` rather than the `://`: most URLs have none.
pub(super) fn each_secret(text: &[u8], mut found: impl FnMut(usize, usize)) {
    let mut low = 0;
    for at in memchr::memchr_iter(b'@', text) {
        let before = &text[low.max(at.saturating_sub(MAX_USER_BYTES))..at];
        let width = before.iter().rev().take_while(|b| !ends_authority(**b)).count();
        let from = at - width;
        if width < before.len()
            && text[from - 1] == b'#'
            && let Some((start, end)) = with_hash(text, &before[..before.len() - width - 1], at)
        {
            found(start, end);
            low = at;
            continue;
        }
        // Before an earlier `@` of the same URL nothing is new.
        if width < before.len()
            && text[..from].ends_with(b"://")
            && let Some((start, end)) = credentials(text, from)
        {
            found(start, end);
        } else if width < before.len()
            && text[from - 1] == b' '
            && let Some((start, end)) = spaced(text, &before[..before.len() - width - 1], at)
        {
            found(start, end);
        }
        low = at;
    }
}

/// Finds the password with one blank in it of a quoted URL of a server: `before` ends at the blank, the `@` is at `at`.
fn spaced(text: &[u8], before: &[u8], at: usize) -> Option<(usize, usize)> {
    static SERVERS: WordList =
        WordList::new("postgres postgresql mysql mariadb mongodb srv redis rediss amqp amqps mssql sqlserver ftp smtp");
    let width = before.iter().rev().take_while(|b| !ends_authority(**b)).count();
    let (head, user) = before.split_at(before.len() - width);
    let head = head.strip_suffix(b"://")?;
    let scheme = head.iter().rev().take_while(|b| b.is_ascii_alphabetic()).count();
    let (head, scheme) = head.split_at(head.len() - scheme);
    let colon = user.iter().position(|b| *b == b':')?;
    let quoted =
        head.strip_suffix(b"mongodb+").unwrap_or(head).last().is_some_and(|b| matches!(b, b'"' | b'\'' | b'`'));
    let window = &text[at..text.len().min(at + MAX_USER_BYTES)];
    let authority = &window[..window.iter().position(|b| ends_authority(*b)).unwrap_or(window.len())];
    let last = at + authority.iter().rposition(|b| *b == b'@')?;
    let start = at - 1 - text[..at].iter().rev().take_while(|b| **b != b' ').count() - (user.len() - colon - 1);
    (quoted && SERVERS.has(scheme) && !heuristics::is_placeholder(&text[start..last])).then_some((start, last))
}

/// Finds the password with a `#` in it of the URL of a server: `before` ends at the `#`, the `@` is at `at`.
fn with_hash(text: &[u8], before: &[u8], at: usize) -> Option<(usize, usize)> {
    let width = before.iter().rev().take_while(|b| !ends_authority(**b)).count();
    let (head, user) = before.split_at(before.len() - width);
    let scheme = head.strip_suffix(b"://")?;
    let web = scheme.ends_with(b"http") || scheme.ends_with(b"https");
    let colon = user.iter().position(|b| *b == b':')?;
    let host = &text[at + 1..text.len().min(at + 96)];
    let host = &host[..host.iter().position(|b| ends_authority(*b)).unwrap_or(host.len())];
    let named = host.first().is_some_and(u8::is_ascii_alphanumeric) && host.iter().any(|b| matches!(b, b'.' | b':'));
    // The `#` and all before it back to the colon.
    let start = at - (text[..at].iter().rev().position(|b| *b == b'#')? + 1) - (user.len() - colon - 1);
    let password = &text[start..at];
    let port = user[colon + 1..].iter().all(u8::is_ascii_digit);
    (!web && named && !port && !heuristics::is_placeholder(password)).then_some((start, at))
}

/// Whether `byte` ends what may be the user and the host of a URL.
fn ends_authority(byte: u8) -> bool {
    matches!(byte, b'/' | b'?' | b'#' | b'"' | b'\'' | b'`' | b'<' | b'>' | b'|' | b'\\') || byte.is_ascii_whitespace()
}

/// Finds the secret of a URL whose `://` ends at `from`: its password, or its user if that is a token.
pub(super) fn credentials(text: &[u8], from: usize) -> Option<(usize, usize)> {
    let window = &text[from..text.len().min(from + MAX_USER_BYTES)];
    let authority = &window[..window.iter().position(|b| ends_authority(*b)).unwrap_or(window.len())];
    // The last `@`: a careless password may hold one.
    let at = authority.iter().rposition(|b| *b == b'@')?;
    let (user, host) = (&authority[..at], &authority[at + 1..]);
    if memchr::memmem::find(user, b")[").is_some() || memchr::memmem::find(user, b"](").is_some() {
        return None;
    }
    if host.is_empty() || !(host[0].is_ascii_alphanumeric() || matches!(host[0], b'[' | b'$' | b'{' | b'%' | b'_')) {
        return None;
    }
    match user.iter().position(|b| *b == b':') {
        // `https://token:@host`, `https://token:x-oauth-basic@host`
        Some(colon) if matches!(&user[colon + 1..], b"" | b"x" | b"x-oauth-basic") => {
            let token = colon >= 16 && heuristics::looks_secret(&user[..colon], NameClass::Token, true);
            token.then_some((from, from + colon))
        }
        Some(colon) => {
            let (name, password) = (&user[..colon], &user[colon + 1..]);
            // `https://[^:@]*:([^@]+)@`, a pattern.
            let pattern = authority.windows(2).any(|pair| pair == b"[^");
            // `github://owner:repository@ref`
            let repository = text[..from].ends_with(b"github://");
            if pattern || repository || is_public_password(name, password, host) {
                return None;
            }
            Some((from + colon + 1, from + at))
        }
        // Elsewhere a user without a password is a name or a public key (`enode://…@host`).
        None if text[..from].ends_with(b"http://") || text[..from].ends_with(b"https://") => {
            // The public part of an address to report errors to.
            let public = host.windows(8).any(|part| part == b".ingest.") || host.ends_with(b"sentry.io");
            let token = !public && user.len() >= 16 && heuristics::looks_secret(user, NameClass::Token, true);
            token.then_some((from, from + at))
        }
        None => None,
    }
}

/// Whether a password is not secret: a placeholder, or the default of a server on the local machine.
fn is_public_password(name: &[u8], password: &[u8], host: &[u8]) -> bool {
    const SHOWN: &[&[u8]] = &[b"password", b"passwd", b"pass", b"pwd", b"pw", b"secret", b"token", b"passw0rd", b"p"];
    let local = !host.contains(&b'.') || host.starts_with(b"127.");
    let port = name.eq_ignore_ascii_case(b"localhost") && password.iter().all(u8::is_ascii_digit);
    // `api_token`, `AppSecret`: the name of what stands there.
    let parted = password.contains(&b'_') || password[1.min(password.len())..].iter().any(u8::is_ascii_uppercase);
    let named = parted
        && password.iter().all(|b| b.is_ascii_alphabetic() || *b == b'_')
        && names::class_of(password).is_some_and(|(class, _)| class != NameClass::Password);
    // `ApiUser:ApiPass@SenderID`, `myuser:mypass@…`, `public_key:seed@hostname`: what each part is.
    let hump = |part: &[u8]| {
        !part.is_empty()
            && part.iter().all(u8::is_ascii_alphabetic)
            && part[0].is_ascii_uppercase()
            && part.iter().any(u8::is_ascii_lowercase)
            && part[1..].iter().any(u8::is_ascii_uppercase)
    };
    let template = hump(name) && hump(password) && hump(host);
    let mine = |part: &[u8]| starts_ignoring_case(part, b"my") && part.iter().all(u8::is_ascii_alphabetic);
    let ours = mine(name) && mine(password) && names::class_of(&password[2..]).is_some();
    let hosted = host.split(|b| matches!(b, b':' | b',')).next() == Some(b"hostname")
        && password.iter().all(u8::is_ascii_lowercase);
    let offered = password.trim_ascii_end();
    let offered = offered.strip_suffix(b"]]").or(offered.strip_suffix(b"]")).unwrap_or(offered);
    let yours = [&b"your"[..], b"some", b"my_", b"my-"]
        .iter()
        .any(|whose| starts_ignoring_case(password, whose) && names::class_of(&password[whose.len()..]).is_some());
    // `redispassword`, as examples say whose it is.
    let owned = [&b"password"[..], b"passwd"].iter().any(|word| password.ends_with(word))
        && password.iter().all(u8::is_ascii_lowercase);
    port || named
        || owned
        || name == b"scott" && password == b"tiger"
        || yours
        || name == b"anonymous" && password == name
        || template
        || ours
        || hosted
        || heuristics::is_placeholder(password)
        || SHOWN.iter().any(|shown| offered.eq_ignore_ascii_case(shown))
        || (name.eq_ignore_ascii_case(password) && local)
        // `PASSWORD`, `DB_PASS`: a name in place of the value.
        || (password.iter().all(|b| b.is_ascii_uppercase() || *b == b'_') && (password.contains(&b'_') || password.len() < 12))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(url: &str) -> Option<&str> {
        let mut all = Vec::new();
        each_secret(url.as_bytes(), |start, end| all.push(&url[start..end]));
        assert!(all.len() < 2, "{url}");
        all.pop()
    }

    #[test]
    fn the_password_of_a_url_is_found_whatever_surrounds_it() {
        assert_eq!(found("postgres://app:hunter2@db.internal:5432/x"), Some("hunter2"));
        assert_eq!(found("<https://bob:s3cr@t@host.example/>"), Some("s3cr@t"));
        assert_eq!(found("redis://:q8w7e6r5@cache:6379"), Some("q8w7e6r5"));
        assert_eq!(found("https://a1b2c3d4e5f6a7b8c9d0@git.host/x.git"), Some("a1b2c3d4e5f6a7b8c9d0"));
        assert_eq!(found("https://a1b2c3d4e5f6a7b8c9d0:@git.host/x.git"), Some("a1b2c3d4e5f6a7b8c9d0"));
        assert_eq!(found("\"mysql://app:q8w! 7e6@r5@db.host/x\""), Some("q8w! 7e6@r5"));
        assert_eq!(found("'mongodb+srv://app:q8w! 7e6r5@db.host/x'"), Some("q8w! 7e6r5"));
        assert_eq!(found("postgresql://app:q8#w7e_6r5@db.internal:5432/x"), Some("q8#w7e_6r5"));
    }

    #[test]
    fn placeholders_ports_and_plain_users_are_no_secrets() {
        for url in [
            "postgres://user:password@host/db",
            "clickhouse://[user:password]@host/db",
            "lamps://[[user[:password]]@[address]",
            "redis+sentinel://:yourpassword@host1:26379/x",
            "postgresql://anonymous:anonymous@lamps.example.org/x",
            "postgres://postgres:postgres@localhost/db",
            "https://${USER}:${PASS}@host",
            "https://<user>:<pass>@host",
            "mysql://root:DB_PASS@host",
            "ssh://git@github.com:22/x",
            "https://host:8080/@scope/name",
            "mysql://host:3306 bob@host.example",
            "\"https://host:8080 bob@host.example\"",
            "https://host/a:b@c",
            "http://host.example:80#part@x.y",
            "https://0123456789abcdef0123456789abcdef@o1.ingest.sentry.io/1",
            "enode://9e1096aa59862a6f164994cb5cb16f5124d6c992@192.0.2.1:30303",
            "https://x:[REDACTED:url-password]@host",
            "lamp://TemplateID:AppID@ApiKey/UserID",
            "lamp://public_key:seed@hostname/room",
            "mailto://mySendingUsername:mySendingPassword@example.org",
            "[a](https://www.lamp.example)[mailto](mailto:someone@lamp.example)",
        ] {
            assert_eq!(found(url), None, "{url}");
        }
    }
}
