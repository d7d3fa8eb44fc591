//! Forms that no single provider owns.

use super::{TokenRule, decode, of_three_kinds, random};
use crate::redact::judge::{self, NameClass};
use crate::redact::letters;

const fn rule(
    name: &'static str,
    reason: &'static str,
    keywords: &'static [&'static str],
    pattern: &'static str,
) -> TokenRule {
    TokenRule::new(name, reason, keywords, pattern).edge().spaced()
}

/// The rules of this family.
pub(super) static RULES: [TokenRule; 9] = [
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
        &[r#""d":"#, r#""d" :"#, r#""p":"#, r#""q":"#, r#""dp":"#, r#""dq":"#, r#""qi":"#],
        r#""(?:d|p|q|dp|dq|qi)" ?: ?"([A-Za-z0-9_-]{40,})""#,
    ),
    rule(
        "bearer-token",
        "follows `Bearer` as in an authorization header",
        &["bearer"],
        r#"(?i:bearer)["'`]{0,2}[ \t:=]{1,3}["'`]{0,2}([A-Za-z0-9._~+/=-]{11,}[A-Za-z0-9_~+/=-])"#,
    )
    .check(|token| judge::looks_secret(token, NameClass::Token, true)),
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
    .check(|value| judge::looks_secret(value, NameClass::Password, true)),
    rule(
        "password-hash",
        "is the hash of a user's password as files of logins hold it",
        &["$apr1$", "$2[aby]$", "$1$", "$5$", "$6$", "$y$", "{sha}", "{ssha}"],
        r"[A-Za-z0-9._@-]{1,64}:(\$(?:apr1|2[aby]|[156y])\$[A-Za-z0-9./$,=-]{19,}[A-Za-z0-9/]|\{S?SHA\}[A-Za-z0-9+/]{26,}={0,2})",
    )
    .back(65)
    .check(random),
    rule(
        "prefixed-token",
        "has the form of a token: words that say so, then random characters",
        &[
            "_live_", "_prod_", "_org_", "_user_", "_sk_", "_pat_", "_secret_", "_token_", "_api_", "_key_", "_at_",
            "_rt_", "_svc_", "_sa_", "_admin_", "_access_", "_personal_", "_project_", "_server_", "-api-", "-secret-",
            "-token-", "-key-", "-pat-", "sk_", "pat_", "tok_", "secret_", "apikey_", "token_", "api_", "key_",
        ],
        r"(?:[A-Za-z0-9]{1,12}[_-]){1,4}[A-Za-z0-9]{20,}",
    )
    .back(32)
    .after_forms()
    .check(is_prefixed),
];

/// Whether `token` ends in random characters, and its words do not say that it is public.
fn is_prefixed(token: &[u8]) -> bool {
    const PUBLIC: &str = "pk pub public publishable id ids pi cs cus acct req evt sub price prod client site test";
    let mut parts: Vec<&[u8]> = token.split(|b| matches!(b, b'_' | b'-')).collect();
    let Some(tail) = parts.pop() else { return false };
    let digits = tail.iter().filter(|b| b.is_ascii_digit()).count();
    let hexadecimal = tail.len() >= 32 && tail.iter().all(u8::is_ascii_hexdigit) && digits < tail.len();
    let mixed = of_three_kinds(tail) && digits >= 2 && letters::odd_pairs(tail).0 >= 4;
    let worded = parts.iter().all(|part| part.iter().all(u8::is_ascii_lowercase));
    let public = parts.iter().any(|part| judge::is_one_of(PUBLIC, part));
    worded && !public && (mixed || hexadecimal) && !judge::is_sample(token)
}

/// Whether `token` is Base64 of `user:password`.
fn is_basic(token: &[u8]) -> bool {
    let decoded = decode(token);
    let colon = decoded.iter().position(|b| *b == b':');
    decoded.iter().all(|b| (0x20..0x7f).contains(b))
        && colon.is_some_and(|at| !judge::is_placeholder(&decoded[at + 1..]) || decoded[at + 1..].len() > 3)
}
