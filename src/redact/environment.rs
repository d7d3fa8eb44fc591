//! Secrets in the environment of the building process, which no finished pack may contain.

use super::variables::secrets;
use crate::model::{Digest, Digester};
use aho_corasick::{AhoCorasick, MatchKind};
use std::collections::BTreeMap;
use std::fmt;

/// The values of environment variables whose names look secret.
#[derive(Clone)]
pub struct Environment {
    finder: Option<AhoCorasick>,
    /// The names, one for each pattern of `finder`.
    names: Vec<String>,
    digest: Digest,
}

impl Environment {
    /// Whether no variable looks secret.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// Picks the variables that look secret.
    ///
    /// A value counts if it has at least 12 characters of two classes and is not made of common words, a path or a
    /// URL. Passwords in URLs, JSON and `key=value` count whatever the name of the variable. Each line of a key
    /// counts.
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
        let parts = wanted.iter().fold(Digester::default(), |digester, (value, name)| digester.part(value).part(name));
        Self { finder, names: wanted.into_values().collect(), digest: parts.digest() }
    }

    /// Returns a digest of the values, to compare environments. Short values can be guessed from it: it leaves the
    /// process only under a key.
    pub fn digest(&self) -> Digest {
        self.digest
    }

    /// Finds the first of the values in `text`: the name of its variable and its byte offset.
    pub fn find(&self, text: &str) -> Option<(&str, usize)> {
        let hit = self.finder.as_ref()?.find(text)?;
        Some((self.names.get(hit.pattern().as_usize())?, hit.start()))
    }

    /// Replaces all of the values in `text`.
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
