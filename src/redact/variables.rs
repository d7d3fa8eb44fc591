//! Secrets in environment variables, recognized by the name and the form of the value.

use super::judge::{AssignedValue, judge};
use super::letters;
use super::names::Class;
use crate::model::percent_decoded;
use std::collections::BTreeSet;

/// The minimum length in characters: shorter values occur in texts by chance.
const MIN_CHARS: usize = 8;
/// The length under which a value must have a form that no word, name or version has.
const MIN_PLAIN_CHARS: usize = 12;

/// Returns the secrets in the value of a variable.
pub(super) fn secrets(name: &str, value: &str) -> Vec<String> {
    let value = value.trim();
    let mut found = Vec::new();
    let is_url = value.contains("://") && !value.contains(char::is_whitespace);
    if let Some(json) = json(value) {
        json_parts(name, &json, &mut found);
    } else {
        url_parts(value, &mut found);
        if !is_url {
            pairs(value, &['\n', ';', ' '], &mut found);
        }
    }
    let Some(strength) = evidence_of(name).filter(|_| found.is_empty() && !is_url) else {
        return found;
    };
    // Variables that cannot contain line ends have `\\n` in values of several lines.
    let lines = value.replace("\\n", "\n");
    if lines.contains('\n') {
        // They may be indented in a text, so each line counts.
        let lines = lines.lines().map(str::trim).filter(|line| !line.starts_with("-----") && !line.contains(' '));
        let long = |line: &&str| line.len() >= MIN_PLAIN_CHARS && is_varied(line);
        found.extend(lines.filter(long).map(str::to_owned));
    }
    if value.contains('\n') || value.contains("-----BEGIN") {
        return found;
    }
    let bare = value.trim_matches(['"', '\'']);
    let scheme = bare.split_once(' ').filter(|(scheme, _)| {
        ["bearer", "basic", "token", "apikey", "digest"].contains(&scheme.trim_end_matches(':').to_lowercase().as_str())
    });
    let alone = scheme.map_or(bare, |(_, token)| token.trim());
    // `user:password`
    let password = alone.split_once(':').map_or(alone, |(_, password)| password);
    for candidate in [value, bare, alone, password] {
        if is_plausible(candidate, strength) {
            found.push(candidate.to_owned());
        }
    }
    found
}

/// Whether a value can be the secret that the name of its variable announces.
fn is_plausible(value: &str, strength: NameEvidence) -> bool {
    let is_name = letters::is_name(value.as_bytes());
    let words = is_name && !value.bytes().any(|b| b.is_ascii_digit());
    let plain = match strength {
        NameEvidence::Strong => words && value.bytes().all(|b| b.is_ascii_alphabetic()),
        NameEvidence::Weak => words || is_name && value.len() < MIN_PLAIN_CHARS,
    };
    !plain && is_varied(value) && !is_path(value)
}

/// Collects the passwords of URLs, and the secrets in their queries.
fn url_parts(url: &str, found: &mut Vec<String>) {
    for (at, mark) in url.match_indices("://") {
        let password =
            super::url::credentials(url.as_bytes(), at + mark.len()).and_then(|(start, end)| url.get(start..end));
        if let Some(password) = password {
            let decoded = percent_decoded(password).unwrap_or_default();
            found.extend([password.to_owned(), decoded].into_iter().filter(|password| is_varied(password)));
        }
    }
    for query in url.split(char::is_whitespace).filter_map(|url| Some(url.split_once("://")?.1.split_once('?')?.1)) {
        pairs(query, &['&', '#'], found);
    }
}

/// Collects the values of `key=value` whose key says that they are secret.
fn pairs(text: &str, between: &[char], found: &mut Vec<String>) {
    for (key, value) in text.split(between).filter_map(|pair| pair.split_once('=')) {
        let value = value.trim().trim_matches(['"', '\'']);
        if let Some(strength) = evidence_of(key.trim())
            && is_plausible(value, strength)
        {
            found.push(value.to_owned());
        }
    }
}

fn json(value: &str) -> Option<serde_json::Value> {
    value.starts_with(['{', '[']).then(|| serde_json::from_str(value).ok()).flatten()
}

fn json_parts(name: &str, value: &serde_json::Value, found: &mut Vec<String>) {
    match value {
        serde_json::Value::String(text) if json(text).is_none() => found.extend(secrets(name, text)),
        serde_json::Value::Array(values) => values.iter().for_each(|value| json_parts(name, value, found)),
        serde_json::Value::Object(fields) => fields.iter().for_each(|(key, value)| json_parts(key, value, found)),
        _ => {}
    }
}

/// How strongly the name of a variable suggests a secret.
#[derive(Clone, Copy)]
enum NameEvidence {
    /// The value is a secret.
    Strong,
    /// The value may be a name, a provider, a setting.
    Weak,
}

/// Last words of names whose values describe a secret rather than being one.
const DESCRIBING_WORDS: &str = "FILE PATH DIR NAME HOST PORT USER USERNAME TYPE MODE ALG ALGORITHM EXPIRY TTL PROVIDER METHOD SOCK ADDRESS \
    ENABLED LENGTH REGION VERSION SOURCE ISSUER AUDIENCE SERVER ENDPOINT STYLE CLASS DESKTOP MANAGER EXPIRES IN \
    SIZE POLICY TOKENIZER";
/// Words in names of keys that are not secret.
const PUBLIC_KEY_WORDS: &str = "PUBLIC PUBKEY CACHE PRIMARY FOREIGN PARTITION SORT GPG HOSTKEY";

/// Returns how strongly a name suggests a secret; `None` if it does not.
fn evidence_of(name: &str) -> Option<NameEvidence> {
    let name = name.to_ascii_uppercase();
    // A key of unknown kind: `KEY=linux-cargo-1a2b3c`.
    if matches!(name.as_str(), "PWD" | "OLDPWD" | "KEY" | "KEYS") || name.starts_with("XDG_") {
        return None;
    }
    let parts: Vec<&str> = name.split(|c: char| !c.is_ascii_alphanumeric()).collect();
    if parts.last().is_some_and(|last| DESCRIBING_WORDS.split(' ').any(|word| word == *last)) {
        return None;
    }
    let has = |parts: &[&str]| parts.iter().any(|part| name.contains(part));
    let word = |words: &str| parts.iter().any(|part| words.split(' ').any(|word| word == *part));
    if has(&["SECRET", "PASSWORD", "PASSWD", "PASSPHRASE", "PASSCODE", "PRIVATEKEY", "PRIVATE_KEY", "ACCOUNTKEY"])
        || word("PASS PWD PASSWRD")
    {
        return Some(NameEvidence::Strong);
    }
    if word(PUBLIC_KEY_WORDS) {
        return None;
    }
    let hints = has(&["TOKEN", "APIKEY", "CREDENTIAL", "ACCESSKEY", "_KEY"])
        || word("KEY KEYS AUTH AUTHORIZATION CREDS PAT JWT BEARER COOKIE SESSION DSN SIG SIGNATURE")
        || name.ends_with("PWD");
    hints.then_some(NameEvidence::Weak)
}

/// Whether a value is long and varied enough that it does not occur by chance.
fn is_varied(value: &str) -> bool {
    let classes = [
        value.bytes().any(|b| b.is_ascii_lowercase()),
        value.bytes().any(|b| b.is_ascii_uppercase()),
        value.bytes().any(|b| b.is_ascii_digit()),
        value.bytes().any(|b| !b.is_ascii_alphanumeric()),
    ];
    let distinct: BTreeSet<char> = value.chars().collect();
    // `eu-west-1`, `front-end`, `minio123`; a word with a capital and a digit, such as `Falcon99!`, is a password.
    let is_slug = || {
        let has_joint = value.contains(['-', '_', '.', '/', ':', ' ']);
        letters::is_name(value.as_bytes()) && (has_joint || !classes[1] || !classes[2])
    };
    let is_form = || judge(Class::Password, &AssignedValue::quoted(value.as_bytes())).is_secret && !is_slug();
    let length = value.chars().count();
    (length >= MIN_PLAIN_CHARS || length >= MIN_CHARS && is_form())
        && (classes.iter().filter(|class| **class).count() >= 2 || letters::are_random(value.as_bytes()))
        && distinct.len() >= 5
        && !is_placeholder(value)
}

/// Whether a value is a variable that was not expanded, or consists of common words, perhaps with numbers.
fn is_placeholder(value: &str) -> bool {
    let wrapped = [("${", "}"), ("$(", ")"), ("{{", "}}"), ("<", ">"), ("%", "%")]
        .iter()
        .any(|(open, close)| value.starts_with(open) && value.ends_with(close));
    let is_variable = |name: &str| name.bytes().all(|b| b.is_ascii_uppercase() || b == b'_');
    let wrapped = wrapped || value.strip_prefix('$').is_some_and(is_variable);
    let lower = value.to_ascii_lowercase().replace("passw0rd", "password");
    let mut words = lower.split(|c: char| !c.is_alphabetic()).filter(|part| !part.is_empty()).peekable();
    wrapped || words.peek().is_some() && words.all(is_common)
}

/// Whether `letters` consist of common words without anything between them.
fn is_common(letters: &str) -> bool {
    const WORDS: &str = "password passwd passphrase pass pwd pw secret token key api admin administrator root user test testing \
        tests dummy example sample demo local localhost dev development prod production staging postgres postgresql mysql \
        mariadb mongo redis rabbitmq guest default change changeme changeit replace replaceme me my your the a is it in not so \
        very super this here insert todo none null unset db database welcome letmein qwerty hello world foo bar baz qux abc \
        xyz ci github gitlab app service server client account login com org net www x y z";
    // Where words may end; words are few and short.
    let mut ends = BTreeSet::from([0]);
    while let Some(from) = ends.pop_first() {
        let rest = &letters[from..];
        if rest.is_empty() {
            return true;
        }
        ends.extend(WORDS.split_ascii_whitespace().filter(|word| rest.starts_with(word)).map(|word| from + word.len()));
    }
    false
}

fn is_path(value: &str) -> bool {
    let drive = value.as_bytes().get(1..3) == Some(b":\\".as_slice());
    let relative = value.contains('/') && letters::is_name(value.as_bytes());
    let rooted = ["/", "./", "../", "~/"].iter().any(|start| value.starts_with(start));
    // Base64 has `/` too.
    let random = |part: &str| {
        part.len() >= 16
            && part.bytes().any(|b| b.is_ascii_lowercase())
            && part.bytes().any(|b| b.is_ascii_uppercase())
            && part.bytes().any(|b| b.is_ascii_digit())
    };
    let parts = value.matches('/').count() > 1 || letters::is_name(value.as_bytes());
    drive
        || relative
        || (rooted && parts && !value.contains('+') && !value.ends_with('=') && !value.split('/').any(random))
}
