//! A secret of every rule's form, for tests. None is written down whole.

#![expect(clippy::unwrap_used, reason = "tests")]
#![allow(dead_code, reason = "shared by unit tests and those in `tests`")]

use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// The characters of the secrets in fixed tests.
pub(super) const SEED: &str = "q7Rt5Kx9wZ1c3VbN8mLp2Jh6Gf4Ds0Ya";

/// Examples for the rules in Rust code: name and template of [`fill`]; `~~` separates the secret from
/// the text around it.
#[rustfmt::skip]
const OTHER_RULES: &[(&str, &str)] = &[
    ("discord-bot-token", "MT<a22>.<a6>.<a38>"),
    ("airtable-token", "pat<a14>.<h64>"),
    ("zhipu-key", "<h32>.<a13>7Qx"),
    ("seed-phrase", "mnemonic: ~~ripple lantern obtain velvet thunder cactus meadow orphan puzzle skate vanish yellow"),
    ("kubernetes-secret", "{\"kind\": \"Secret\", \"data\": {\"any\": \"~~<a24>~~\"}}"),
    ("url-password", "postgres://app:~~<a10>4z~~@db.host/x"),
    ("password", "DB_PASSWORD=~~<a9>5q7"),
    ("secret", "client_secret: ~~<a20>5q7w8"),
    ("api-key", r##""api_key": "~~<a20>5q7w8"##),
    ("token", "ACCESS_TOKEN=~~<a20>5q7w8"),
    ("credentials", r##""credentials": "~~<a20>5q7w8"##),
    ("private-key", "> -----BEGIN RSA PRIVATE KEY-----\n> ~~<a64>~~\n> -----END RSA PRIVATE KEY-----"),
];

/// The rules of `rules.toml` that have a pattern, with their examples.
#[derive(Debug, Deserialize)]
pub(super) struct RuleFile {
    tokens: BTreeMap<String, RuleEntry>,
    arguments: BTreeMap<String, RuleEntry>,
    pub(super) named: BTreeMap<String, toml::Value>,
}

#[derive(Debug, Deserialize)]
pub(super) struct RuleEntry {
    /// Templates of [`fill`] that hold a secret, between `«` and `»` where it is not all of the text.
    finds: Vec<String>,
    /// Templates of texts that stay as they are.
    #[serde(default)]
    pub(super) keeps: Vec<String>,
}

impl RuleFile {
    pub(super) fn patterns(&self) -> impl Iterator<Item = (&String, &RuleEntry)> {
        self.tokens.iter().chain(&self.arguments)
    }
}

/// Returns the data file, read once.
pub(super) fn rule_file() -> &'static RuleFile {
    static FILE: LazyLock<RuleFile> =
        LazyLock::new(|| toml::from_str(include_str!("../../src/redact/rules.toml")).unwrap());
    &FILE
}

/// Makes a secret of each rule's form out of `seed`: rule, text before, secret, text after.
pub(super) fn examples(seed: &str) -> Vec<(&'static str, String, String, String)> {
    let from_file = rule_file()
        .patterns()
        .flat_map(|(id, entry)| entry.finds.iter().map(|find| (&**id, find.replace(['«', '»'], "~~"))));
    let others = OTHER_RULES.iter().map(|(rule, template)| (*rule, (*template).to_owned()));
    let example = |(rule, template): (&'static str, String)| {
        let filled = fill(&template, seed);
        let (before, rest) = filled.split_once("~~").unwrap_or(("", &filled));
        let (secret, after) = rest.split_once("~~").unwrap_or((rest, ""));
        (rule, before.to_owned(), secret.to_owned(), after.to_owned())
    };
    from_file.chain(others).map(example).collect()
}

/// Fills the holes of `template` from `seed`: `<a20>` with 20 letters and digits, `<h32>`
/// hexadecimal, `<u8>` upper and `<l8>` lower case, `<d9>` digits, `<b9>` and `<c9>` the alphabets
/// of Base32 and Base58, `<i>` a UUID.
pub(super) fn fill(template: &str, seed: &str) -> String {
    let mut filled = String::new();
    let mut rest = template;
    while let Some((before, (hole, after))) =
        rest.split_once('<').and_then(|(before, from)| Some((before, from.split_once('>')?)))
    {
        filled.push_str(before);
        let (kind, count) = hole.split_at(1.min(hole.len()));
        match (kind, count.parse()) {
            ("i", Err(_)) if count.is_empty() => {
                let groups = [8, 4, 4, 4, 12].map(|n| characters_from(seed, 'h', n));
                filled.push_str(&groups.join("-"));
            }
            ("a" | "h" | "u" | "l" | "d" | "b" | "c", Ok(count)) => {
                filled.push_str(&characters_from(seed, kind.chars().next().unwrap_or('a'), count));
            }
            // No hole: markup.
            _ => {
                filled.push('<');
                rest = &rest[before.len() + 1..];
                continue;
            }
        }
        rest = after;
    }
    filled + rest
}

fn characters_from(seed: &str, kind: char, count: usize) -> String {
    let base32 = b"abcdefghijklmnopqrstuvwxyz234567";
    let base58 = b"123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
    let letter = |(at, byte): (usize, u8)| match kind {
        // By its place too, so that any seed gives digits as well as letters.
        'h' => b"0123456789abcdef"[(usize::from(byte) + 7 * at) % 16],
        'd' => b'1' + byte % 9,
        'b' => base32[usize::from(byte) % base32.len()],
        'c' => base58[usize::from(byte) % base58.len()],
        'u' => byte.to_ascii_uppercase(),
        'l' => byte.to_ascii_lowercase(),
        _ => byte,
    };
    seed.bytes().cycle().take(count).enumerate().map(|byte| char::from(letter(byte))).collect()
}
