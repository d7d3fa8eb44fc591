//! A secret of every rule's form, for tests. None is written down whole.

#![expect(clippy::unwrap_used, reason = "tests")]

use super::{Piece, Redactor};
use serde::Deserialize;
use std::sync::LazyLock;

/// The characters of the secrets in fixed tests.
pub(super) const SEED: &str = "q7Rt5Kx9wZ1c3VbN8mLp2Jh6Gf4Ds0Ya";

/// Examples for the rules in Rust code: name and template of [`fill`]; `~~` separates the secret from
/// the text around it.
#[rustfmt::skip]
const HEURISTICS: &[(&str, &str)] = &[
    ("discord-bot-token", "MT<a22>.<a6>.<a38>"),
    ("sanctum-token", "see 12|~~<a37>Q7x"),
    ("zhipu-key", "<h32>.<a13>7Qx"),
    ("quay-robot-token", "team+robot:~~<u60>7QX9"),
    ("airtable-token", "pat<a14>.<h64>"),
    ("wallet-private-key", "new Wallet(\"0x~~<h64>~~\")"),
    ("call-key", "hmac.new(b\"~~<a20>7q~~\", body, sha256)"),
    ("call-password", "conn.simple_bind_s(\"cn=app\", \"~~<a10>7q~~\")"),
    ("command-argument", "cypher-shell -u neo4j -p ~~<a10>7q"),
    ("seed-phrase", "mnemonic: ~~ripple lantern obtain velvet thunder cactus meadow orphan puzzle skate vanish yellow"),
    ("licence-key", "Product key: ~~<u5>-8<u4>-K<d4>-<u3>2Z"),
    ("application-password", "app password: ~~qxzv wkjh bvtq zrpl"),
    ("network-key", "SSID Attic, key ~~<a12>4z"),
    ("login-pair", "VPN: kim.lee / ~~Wq<a6>!7x"),
    ("likely-password", "log on as reception with ~~Wq<a6>!7x"),
    ("wrapped-credentials", "data: ~~eyJhdXRocyI6eyJyLmlvIjp7<a90>~~"),
    ("kubernetes-secret", "{\"kind\": \"Secret\", \"data\": {\"any\": \"~~<a24>~~\"}}"),
    ("url-password", "postgres://app:~~<a10>4z~~@db.host/x"),
    ("password", "DB_PASSWORD=~~<a9>5q7"),
    ("secret", "client_secret: ~~<a20>5q7w8"),
    ("api-key", r##""api_key": "~~<a20>5q7w8"##),
    ("token", "ACCESS_TOKEN=~~<a20>5q7w8"),
    ("credentials", r##""credentials": "~~<a20>5q7w8"##),
    ("private-key-value", "PRIVATE_KEY=0x~~<h64>"),
    ("aws-secret-access-key", "aws_secret_access_key = ~~<a13>/<a12>+<a13>8"),
    ("azure-key", "AccountKey=~~<a40>+/<a40>5=="),
    ("private-key", "> -----BEGIN RSA PRIVATE KEY-----\n> ~~<a64>~~\n> -----END RSA PRIVATE KEY-----"),
];

/// The rules of `rules.yml` as a YAML library reads them.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RuleFile {
    pub(super) tokens: Vec<RuleEntry>,
    pub(super) commands: Vec<RuleEntry>,
    pub(super) named_keys: Vec<RuleEntry>,
}

#[derive(Debug, Deserialize)]
pub(super) struct RuleEntry {
    pub(super) id: String,
    pub(super) reason: String,
    pub(super) keywords: Vec<String>,
    pub(super) pattern: Option<String>,
    /// Templates of [`fill`] that hold a secret, between `«` and `»` where it is not all of the text.
    finds: Vec<String>,
    /// Templates of texts that stay as they are.
    pub(super) keeps: Vec<String>,
}

impl RuleFile {
    pub(super) fn entries(&self) -> impl Iterator<Item = &RuleEntry> {
        self.tokens.iter().chain(&self.commands).chain(&self.named_keys)
    }
}

/// Returns the data file, read once.
pub(super) fn rule_file() -> &'static RuleFile {
    static FILE: LazyLock<RuleFile> = LazyLock::new(|| serde_yaml::from_str(include_str!("rules.yml")).unwrap());
    &FILE
}

/// Makes a secret of each rule's form out of `seed`: rule, text before, secret, text after.
pub(super) fn canaries(seed: &str) -> Vec<(&'static str, String, String, String)> {
    let from_file =
        |entry: &'static RuleEntry| entry.finds.iter().map(|find| (&*entry.id, find.replace(['«', '»'], "~~")));
    let heuristics = HEURISTICS.iter().map(|(rule, template)| (*rule, (*template).to_owned()));
    let canary = |(rule, template): (&'static str, String)| {
        let filled = fill(&template, seed);
        let (before, rest) = filled.split_once("~~").unwrap_or(("", &filled));
        let (secret, after) = rest.split_once("~~").unwrap_or((rest, ""));
        (rule, before.to_owned(), secret.to_owned(), after.to_owned())
    };
    rule_file().entries().flat_map(from_file).chain(heuristics).map(canary).collect()
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

/// Returns a text of a document as the built-in rules leave it.
pub(super) fn scrub(text: &str) -> String {
    let piece = Piece { key: "body", text, line: 1 };
    Redactor::built_in().scrub("notes.md", &[piece]).texts[0].as_str().to_owned()
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
