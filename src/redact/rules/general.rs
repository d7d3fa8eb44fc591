//! Forms that no single provider owns.

use super::{Rule, decode, random};
use crate::redact::judge::{self, Class};

const fn rule(
    name: &'static str,
    reason: &'static str,
    keywords: &'static [&'static str],
    pattern: &'static str,
) -> Rule {
    Rule::new(name, reason, keywords, pattern).edge().spaced()
}

/// The rules of this family.
pub(super) static RULES: [Rule; 8] = [
    rule(
        "jwt",
        "matches the pattern of a JSON Web Token",
        &["eyj"],
        r"eyJ[A-Za-z0-9_-]{8,}(?:\.eyJ[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?|\.[A-Za-z0-9_-]*\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,})",
    )
    .long()
    .check(|_| true),
    rule(
        "jwt-base64",
        "is a JSON Web Token in Base64",
        &["zxlk"],
        r"ZXlK[A-Za-z0-9+/_-]{60,}={0,2}",
    )
    .long()
    .check(|token| decode(token).windows(4).any(|part| part == b".eyJ")),
    rule(
        "jwk",
        "is the private part of a JSON Web Key",
        &[r#""d":"#, r#""d" :"#],
        r#""d" ?: ?"([A-Za-z0-9_-]{40,})""#,
    ),
    rule(
        "bearer-token",
        "follows `Bearer` as in an authorization header",
        &["bearer"],
        r#"(?i:bearer)["'`]{0,2}[ \t:=]{1,3}["'`]{0,2}([A-Za-z0-9._~+/=-]{11,}[A-Za-z0-9_~+/=-])"#,
    )
    .check(|token| judge::looks_secret(token, Class::Token, true)),
    rule(
        "basic-auth",
        "follows `Basic` as in an authorization header",
        &["basic "],
        r"(?i:basic) {1,2}([A-Za-z0-9+/]{8,}={0,2})",
    )
    .check(is_basic),
    rule(
        "docker-auth",
        "is the login of a container registry",
        &["\"auth\":", "\"auth\" :"],
        r#"(?i:"auth") ?: {0,2}"([A-Za-z0-9+/]{12,}={0,2})""#,
    )
    .check(is_basic),
    rule(
        "command-line-password",
        "is the password of a user named on a command line",
        &["-u ", "-u'", "-u\"", "--user ", "--user=", "--proxy-user "],
        r#"(?:-u|--user|--proxy-user)[ =]?\\?["']?[A-Za-z0-9._@-]{1,64}:([^\s"'`<>|;\\]{3,})"#,
    )
    .check(|value| judge::looks_secret(value, Class::Password, true)),
    rule(
        "password-hash",
        "is the hash of a user's password as files of logins hold it",
        &["$apr1$", "$2[aby]$", "$1$", "$5$", "$6$", "$y$", "{sha}", "{ssha}"],
        r"[A-Za-z0-9._@-]{1,64}:(\$(?:apr1|2[aby]|[156y])\$[A-Za-z0-9./$,=-]{19,}[A-Za-z0-9/]|\{S?SHA\}[A-Za-z0-9+/]{26,}={0,2})",
    )
    .back(65)
    .check(random),
];

/// Whether `token` is Base64 of `user:password`.
fn is_basic(token: &[u8]) -> bool {
    let decoded = decode(token);
    let colon = decoded.iter().position(|b| *b == b':');
    decoded.iter().all(|b| (0x20..0x7f).contains(b))
        && colon.is_some_and(|at| !judge::is_placeholder(&decoded[at + 1..]) || decoded[at + 1..].len() > 3)
}
