//! Secrets in the environment of the building process, which no finished pack may contain.

use super::variables::secrets;
use crate::model::{Digest, Digester};
use aho_corasick::{AhoCorasick, MatchKind};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
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
    /// A value counts if it has at least 12 characters of two classes, or 8 of a form that no word or version has, and is
    /// not made of common words, a path or a URL. It is found as it is and encoded. Passwords in URLs, JSON and `key=value` count whatever the name of the variable. Each line of a key
    /// counts.
    pub fn new(vars: impl Iterator<Item = (String, String)>) -> Self {
        let mut wanted: BTreeMap<String, String> = BTreeMap::new();
        let mut vars: Vec<(String, String)> = vars.collect();
        vars.sort();
        for (name, value) in vars {
            for value in secrets(&name, &value) {
                for form in forms(&value) {
                    wanted.entry(form).or_insert_with(|| name.clone());
                }
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

/// Returns the spellings of a value that a text may have: its own, and those in JSON, in URLs and inside Base64.
fn forms(value: &str) -> Vec<String> {
    // What `encodeURIComponent` escapes, and other encoders.
    const URL: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');
    const SCRIPT: &AsciiSet = &URL.remove(b'!').remove(b'*').remove(b'\'').remove(b'(').remove(b')');
    let json = serde_json::Value::from(value).to_string();
    let json = &json[1..json.len() - 1];
    let mut forms = vec![value.to_owned(), json.to_owned(), json.replace('/', "\\/")];
    for set in [URL, SCRIPT] {
        let escaped = utf8_percent_encode(value, set).to_string();
        let lower = value.chars().map(|c| utf8_percent_encode(c.encode_utf8(&mut [0; 4]), set).to_string());
        let lower = lower.map(|c| if c.starts_with('%') { c.to_ascii_lowercase() } else { c });
        forms.extend([escaped.replace("%20", "+"), escaped, lower.collect()]);
    }
    // The characters that no other byte has a part in, wherever the value begins in what was encoded.
    for before in 0..3 {
        let bytes = [&[0; 2][..before], value.as_bytes()].concat();
        let code = STANDARD_NO_PAD.encode(&bytes);
        let code = &code[(before * 8).div_ceil(6)..bytes.len() * 8 / 6];
        forms.extend([code.to_owned(), code.replace('+', "-").replace('/', "_")]);
    }
    forms
}

impl fmt::Debug for Environment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Environment").field("names", &self.names).finish_non_exhaustive()
    }
}
