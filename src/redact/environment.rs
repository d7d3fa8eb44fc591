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
        finder.replace_all(text, &vec!["[REDACTED:environment-secret]"; finder.patterns_len()])
    }
}

impl fmt::Debug for Environment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Environment").field("names", &self.names).finish_non_exhaustive()
    }
}
