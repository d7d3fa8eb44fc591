//! Secrets of the building process that must not stand in a finished pack.

use super::judge;
use aho_corasick::{AhoCorasick, MatchKind};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// Shorter values are too likely to stand in a text by chance.
const LEAST: usize = 12;

/// The values of environment variables whose names look secret.
pub struct Environment {
    finder: Option<AhoCorasick>,
    /// The names, one for each pattern of `finder`.
    names: Vec<String>,
}

impl Environment {
    /// Whether there is nothing to look for.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// Picks the variables that look secret.
    ///
    /// A value counts from 12 characters of two classes on, unless it is made of
    /// common words, a path or a URL. What a URL, JSON or `key=value` calls a
    /// password counts by that, whatever its variable's name. Of a key of several
    /// lines each line counts.
    pub fn new(vars: impl Iterator<Item = (String, String)>) -> Self {
        let mut wanted: BTreeMap<String, String> = BTreeMap::new();
        let mut vars: Vec<(String, String)> = vars.collect();
        vars.sort();
        for (name, value) in vars {
            for value in secrets(&name, &value) {
                let json = serde_json::Value::from(value.as_str()).to_string();
                wanted.entry(json[1..json.len() - 1].to_owned()).or_insert_with(|| name.clone());
                wanted.entry(value).or_insert_with(|| name.clone());
            }
        }
        let finder = match wanted.is_empty() {
            true => None,
            false => AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(wanted.keys()).ok(),
        };
        Self { finder, names: wanted.into_values().collect() }
    }

    /// The first of the values that stands in `text`: its variable's name and its byte offset.
    pub fn find(&self, text: &str) -> Option<(&str, usize)> {
        let hit = self.finder.as_ref()?.find(text)?;
        Some((self.names.get(hit.pattern().as_usize())?, hit.start()))
    }

    /// The text with every one of the values replaced.
    pub fn mask(&self, text: &str) -> String {
        let Some(finder) = &self.finder else { return text.to_owned() };
        let mut masked = String::new();
        finder.replace_all_with(text, &mut masked, |_, _, out| {
            out.push_str("[REDACTED:environment-secret]");
            true
        });
        masked
    }
}

impl fmt::Debug for Environment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Environment").field("names", &self.names).finish_non_exhaustive()
    }
}

/// What of a variable is looked for.
fn secrets(name: &str, value: &str) -> Vec<String> {
    let value = value.trim();
    let mut found = Vec::new();
    if value.contains("://") && !value.contains(char::is_whitespace) {
        url_parts(value, &mut found);
    } else if let Some(json) = json(value) {
        json_parts(name, &json, &mut found);
    } else {
        pairs(value, &['\n', ';', ' '], &mut found);
    }
    let Some(strength) = strength(name).filter(|_| found.is_empty() && !value.contains("://")) else {
        return found;
    };
    // Keys of several lines are kept on one with `\\n` where a variable cannot hold line ends.
    let lines = if value.contains("-----BEGIN") { value.replace("\\n", "\n") } else { value.to_owned() };
    if lines.contains('\n') {
        // They may be indented where they stand, so each line counts.
        let lines = lines.lines().map(str::trim).filter(|line| !line.starts_with("-----") && !line.contains(' '));
        return lines.filter(|line| counts(line)).map(str::to_owned).collect();
    }
    let bare = value.trim_matches(['"', '\'']);
    let scheme = bare.split_once(' ').filter(|(scheme, _)| {
        ["bearer", "basic", "token", "apikey", "digest"].contains(&scheme.trim_end_matches(':').to_lowercase().as_str())
    });
    let alone = scheme.map_or(bare, |(_, token)| token.trim());
    // `user:password`
    let password = alone.split_once(':').map_or(alone, |(_, password)| password);
    for candidate in [value, bare, alone, password] {
        if is_meant(candidate, strength) {
            found.push(candidate.to_owned());
        }
    }
    found
}

/// Whether a value can be the secret that its variable's name announces.
fn is_meant(value: &str, strength: Strength) -> bool {
    let words = judge::is_name(value.as_bytes()) && !value.bytes().any(|b| b.is_ascii_digit());
    let plain = match strength {
        Strength::Says => words && value.bytes().all(|b| b.is_ascii_alphabetic()),
        Strength::Hints => words,
    };
    !plain && counts(value) && !is_path(value)
}

/// The password of a URL, and what its query calls a secret.
fn url_parts(url: &str, found: &mut Vec<String>) {
    for (at, mark) in url.match_indices("://") {
        let password =
            super::url::credentials(url.as_bytes(), at + mark.len()).and_then(|(start, end)| url.get(start..end));
        if let Some(password) = password {
            let decoded = percent_decoded(password);
            found.extend([password.to_owned(), decoded].into_iter().filter(|password| counts(password)));
        }
    }
    if let Some((_, query)) = url.split_once('?') {
        pairs(query, &['&', '#'], found);
    }
}

/// The values of `key=value` whose key says that they are secret.
fn pairs(text: &str, between: &[char], found: &mut Vec<String>) {
    for (key, value) in text.split(between).filter_map(|pair| pair.split_once('=')) {
        let value = value.trim().trim_matches(['"', '\'']);
        if let Some(strength) = strength(key.trim())
            && is_meant(value, strength)
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

fn percent_decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let code = after.get(..2).filter(|_| *first == b'%').and_then(|hex| std::str::from_utf8(hex).ok());
        match code.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = &after[2..];
            }
            None => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8(bytes).unwrap_or_default()
}

/// How much a variable's name says.
#[derive(Clone, Copy)]
enum Strength {
    /// The value is a secret.
    Says,
    /// It may be a name, a provider, a setting.
    Hints,
}

/// Last words of names whose values are about a secret, and none.
const ABOUT: [&str; 31] = [
    "FILE",
    "PATH",
    "DIR",
    "NAME",
    "HOST",
    "PORT",
    "USER",
    "USERNAME",
    "TYPE",
    "MODE",
    "ALG",
    "ALGORITHM",
    "EXPIRY",
    "TTL",
    "PROVIDER",
    "METHOD",
    "SOCK",
    "ADDRESS",
    "ENABLED",
    "LENGTH",
    "REGION",
    "VERSION",
    "SOURCE",
    "ISSUER",
    "AUDIENCE",
    "SERVER",
    "ENDPOINT",
    "STYLE",
    "CLASS",
    "DESKTOP",
    "MANAGER",
];
/// Words of names of keys that anybody may know.
const OPEN: [&str; 9] = ["PUBLIC", "PUBKEY", "CACHE", "PRIMARY", "FOREIGN", "PARTITION", "SORT", "GPG", "HOSTKEY"];

fn strength(name: &str) -> Option<Strength> {
    let name = name.to_ascii_uppercase();
    // A key of no said kind: `KEY=linux-cargo-1a2b3c`.
    if matches!(name.as_str(), "PWD" | "OLDPWD" | "KEY" | "KEYS") || name.starts_with("XDG_") {
        return None;
    }
    let parts: Vec<&str> = name.split(|c: char| !c.is_ascii_alphanumeric()).collect();
    if parts.last().is_some_and(|last| ABOUT.contains(last)) {
        return None;
    }
    let has = |parts: &[&str]| parts.iter().any(|part| name.contains(part));
    let word = |words: &[&str]| parts.iter().any(|part| words.contains(part));
    if has(&["SECRET", "PASSWORD", "PASSWD", "PASSPHRASE", "PASSCODE", "PRIVATEKEY", "PRIVATE_KEY", "ACCOUNTKEY"])
        || word(&["PASS", "PWD", "PASSWRD"])
    {
        return Some(Strength::Says);
    }
    if word(&OPEN) {
        return None;
    }
    let hints = has(&["TOKEN", "APIKEY", "CREDENTIAL", "ACCESSKEY", "_KEY"])
        || word(&[
            "KEY",
            "KEYS",
            "AUTH",
            "AUTHORIZATION",
            "CREDS",
            "PAT",
            "JWT",
            "BEARER",
            "COOKIE",
            "SESSION",
            "DSN",
            "SIG",
            "SIGNATURE",
        ])
        || name.ends_with("PWD");
    hints.then_some(Strength::Hints)
}

/// Whether a value is long and varied enough to mean something where it stands.
fn counts(value: &str) -> bool {
    let classes = [
        value.bytes().any(|b| b.is_ascii_lowercase()),
        value.bytes().any(|b| b.is_ascii_uppercase()),
        value.bytes().any(|b| b.is_ascii_digit()),
        value.bytes().any(|b| !b.is_ascii_alphanumeric()),
    ];
    let distinct: BTreeSet<char> = value.chars().collect();
    value.chars().count() >= LEAST
        && classes.iter().filter(|class| **class).count() >= 2
        && distinct.len() >= 5
        && !is_open(value)
}

/// Whether a value is a variable that was not filled in, or is made of common words, perhaps with numbers.
fn is_open(value: &str) -> bool {
    let wrapped = [("${", "}"), ("$(", ")"), ("{{", "}}"), ("<", ">"), ("%", "%")]
        .iter()
        .any(|(open, close)| value.starts_with(open) && value.ends_with(close));
    let lower = value.to_ascii_lowercase().replace("passw0rd", "password");
    let mut words = lower.split(|c: char| !c.is_alphabetic()).filter(|part| !part.is_empty()).peekable();
    wrapped || words.peek().is_some() && words.all(common)
}

/// Whether `letters` are common words without anything between them.
fn common(letters: &str) -> bool {
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
    let relative = value.contains('/') && judge::is_name(value.as_bytes());
    let rooted = ["/", "./", "../", "~/"].iter().any(|start| value.starts_with(start));
    // Base64 has `/` too.
    let random = |part: &str| {
        part.len() >= 16
            && part.bytes().any(|b| b.is_ascii_lowercase())
            && part.bytes().any(|b| b.is_ascii_uppercase())
            && part.bytes().any(|b| b.is_ascii_digit())
    };
    let parts = value.matches('/').count() > 1 || judge::is_name(value.as_bytes());
    drive
        || relative
        || (rooted && parts && !value.contains('+') && !value.ends_with('=') && !value.split('/').any(random))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn environment(vars: &[(&str, &str)]) -> Environment {
        Environment::new(vars.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())))
    }

    #[test]
    fn values_of_secret_variables_are_found_by_name_and_place() {
        let vars = environment(&[("GITHUB_TOKEN", "q7Rt5Kx9wZ1c3"), ("DB_PASSWORD", "correct-horse-battery")]);
        assert_eq!(vars.find("see q7Rt5Kx9wZ1c3."), Some(("GITHUB_TOKEN", 4)));
        assert_eq!(vars.find("x correct-horse-battery"), Some(("DB_PASSWORD", 2)));
        assert_eq!(vars.find("nothing"), None);
    }

    #[test]
    fn the_password_of_a_url_counts_whatever_the_name() {
        let vars = environment(&[
            ("DATABASE_URL", "postgres://app:q7Rt5Kx9wZ1c3@db/x"),
            ("AUTH_URL", "https://login.example.org/a1"),
        ]);
        assert_eq!(vars.find("pw q7Rt5Kx9wZ1c3"), Some(("DATABASE_URL", 3)));
        assert_eq!(vars.find("https://login.example.org/a1"), None);
    }

    #[test]
    fn names_and_values_of_every_day_do_not_count() {
        let vars = environment(&[
            ("PWD", "/home/a1/b2/c3/d4"),
            ("OLDPWD", "/home/a1/b2/c3/d5"),
            ("SSH_AUTH_SOCK", "/tmp/ssh-a1b2c3/agent.1"),
            ("MY_SECRET_FILE", "work_items/a.md"),
            ("CREDENTIALS_DIR", "config/gcp2/keys"),
            ("AUTH_PROVIDER", "keycloak-openid"),
            ("API_KEY", "short1"),
            ("MY_TOKEN", "changeme-changeme-1"),
            ("MY_SECRET", "aaaaaaaaaaaaaaaa"),
            ("LANG", "q7Rt5Kx9wZ1c3"),
            ("KEYBOARD", "q7Rt5Kx9wZ1c3"),
            ("KEY", "linux-cargo-1a2b3c4d"),
            ("CACHE_KEY", "linux-cargo-1a2b3c4d"),
            ("GPG_KEY", "E3FF2839C048B25C084DEBE9B26995E310250568"),
            ("SSH_PUBLIC_KEY", "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGxq"),
            ("POSTGRES_PASSWORD", "postgres"),
            ("MYSQL_ROOT_PASSWORD", "my-secret-pw-password-1"),
            ("PASSWORD", "password1234"),
            ("ADMIN_PASSWORD", "Passw0rd1234!"),
            ("RABBITMQ_PASSWORD", "guest_guest_2024"),
            ("DB_PASSWORD", "${POSTGRES_PASSWORD}"),
            ("API_TOKEN", "<your api token 1>"),
            ("SECRET_NAME", "prod/app-7/db-key"),
            ("DBUS_SESSION_BUS_ADDRESS", "unix:path=/run/user/1000/bus"),
            ("DB_PASSWORD_FILE", "/run/secrets/Db7-pass"),
            ("LS_COLORS", "rs=0:di=01;34:ln=01;36"),
        ]);
        assert_eq!(format!("{vars:?}"), "Environment { names: [], .. }");
    }

    #[test]
    fn a_value_is_found_in_its_json_spelling_and_never_shown() {
        let vars = environment(&[
            ("A_SECRET", "q7\"Rt5\\Kx9wZ1c3"),
            ("SIGNING_KEY", "-----BEGIN X-----\n  b3BlbnNzaC1rZXktdjEAAAAABG5\n-----END X-----"),
        ]);
        assert_eq!(vars.find(r#"{"x":"q7\"Rt5\\Kx9wZ1c3"}"#), Some(("A_SECRET", 6)));
        assert_eq!(vars.find("b3BlbnNzaC1rZXktdjEAAAAABG5"), Some(("SIGNING_KEY", 0)));
        assert!(!format!("{vars:?}").contains("Rt5"));
        assert_eq!(vars.mask("q7\"Rt5\\Kx9wZ1c3, b3Bl"), "[REDACTED:environment-secret], b3Bl");
    }
}
