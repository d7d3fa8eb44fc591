//! The forms of tokens that providers publish: tables, one for each family.
//!
//! What follows a token is not looked at, since in Markdown anything may; what
//! stands before it is where letters alone would be found inside words.

mod ai;
mod clouds;
mod code;
mod data;
mod general;
mod payments;
mod people;

use super::judge;
use regex::bytes::{Regex, RegexBuilder};
use std::sync::OnceLock;

/// Raised whenever a built-in rule changes what it removes.
pub(super) const VERSION: u32 = 4;

/// What a record says of a finding.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct FindingLabel {
    /// The rule's name, `[a-z0-9-]+`.
    pub(super) name: &'static str,
    /// Why the text was removed.
    pub(super) reason: &'static str,
    /// Of labels on one place the lowest is shown.
    pub(super) rank: u8,
}

/// How far from its keyword a token reaches at most before it is extended to its word's end.
const REACH: usize = 1024;
/// The same where the match begins before its keyword, so that each window is searched as a whole.
const SHORT_REACH: usize = 128;
/// The same for tokens of which some are very long.
const LONG_REACH: usize = 4096;
/// So many bytes at a token's beginning hold no blank: most keywords in prose are dismissed by this.
const DENSE: usize = 12;

/// A token's form.
#[derive(Debug)]
pub(super) struct TokenRule {
    pub(super) label: FindingLabel,
    /// Lower case, `[abc]` for one of several; each occurrence is a place to look at.
    keywords: &'static [&'static str],
    /// The first group that matches, else the whole match, is the token.
    pattern: &'static str,
    /// How many bytes before the keyword the match may begin; 0: it begins with the keyword.
    back: usize,
    /// Whether letters and digits before the match rule it out.
    edge: bool,
    /// Whether letters and digits after it rule it out, rather than belong to it.
    exact: bool,
    /// Whether the token ends where the match does, whatever follows.
    bounded: bool,
    /// Whether blanks may stand within the match.
    spaced: bool,
    reach: usize,
    /// What else must be true of the token.
    check: fn(&[u8]) -> bool,
    compiled: OnceLock<Option<Regex>>,
}

impl TokenRule {
    pub(super) const fn new(
        name: &'static str,
        reason: &'static str,
        keywords: &'static [&'static str],
        pattern: &'static str,
    ) -> Self {
        Self {
            label: FindingLabel { name, reason, rank: 1 },
            keywords,
            pattern,
            back: 0,
            edge: false,
            exact: false,
            bounded: false,
            spaced: false,
            reach: REACH,
            check: |token| !judge::is_sample(token),
            compiled: OnceLock::new(),
        }
    }

    pub(super) const fn edge(mut self) -> Self {
        self.edge = true;
        self
    }

    const fn exact(mut self) -> Self {
        self.edge = true;
        self.exact = true;
        self
    }

    /// [`TokenRule::exact`] for a match that begins with what stands before the token.
    const fn whole(mut self) -> Self {
        self.exact = true;
        self
    }

    pub(super) const fn bounded(mut self) -> Self {
        self.bounded = true;
        self
    }

    /// Letters before the match do not rule it out.
    pub(super) const fn inside(mut self) -> Self {
        self.edge = false;
        self
    }

    /// Of labels on one place those of forms are shown rather than this one.
    pub(super) const fn after_forms(mut self) -> Self {
        self.label.rank = 4;
        self
    }

    pub(super) const fn spaced(mut self) -> Self {
        self.spaced = true;
        self
    }

    const fn long(mut self) -> Self {
        self.reach = LONG_REACH;
        self
    }

    pub(super) const fn back(mut self, bytes: usize) -> Self {
        self.back = bytes;
        self.reach = SHORT_REACH;
        self
    }

    pub(super) const fn check(mut self, check: fn(&[u8]) -> bool) -> Self {
        self.check = check;
        self
    }

    /// The pattern, compiled at its first use: most runs need a few only.
    fn regex(&self) -> Option<&Regex> {
        self.compiled
            .get_or_init(|| {
                let pattern = match self.back {
                    0 => format!(r"\A(?:{})", self.pattern),
                    _ => self.pattern.to_owned(),
                };
                RegexBuilder::new(&pattern).unicode(false).size_limit(1 << 20).build().ok()
            })
            .as_ref()
    }

    /// The keywords, each written out.
    pub(super) fn keywords(&self) -> impl Iterator<Item = String> {
        self.keywords.iter().flat_map(|word| written_out(word))
    }

    /// The token at the keyword that stands at `hit`.
    pub(super) fn find(&self, text: &[u8], hit: usize) -> Option<(usize, usize)> {
        if self.back == 0 {
            let dense = || text.get(hit..hit + DENSE).is_some_and(|head| !head.iter().any(u8::is_ascii_whitespace));
            if (self.edge && !super::text::starts_token(text, hit)) || (!self.spaced && !dense()) {
                return None;
            }
        }
        let from = hit.saturating_sub(self.back);
        let window = &text[from..text.len().min(hit + self.reach)];
        let (start, end) = self.matched(window, hit - from)?;
        let (start, end) = (from + start, from + end);
        let cut_off = self.exact && text.get(end).is_some_and(u8::is_ascii_alphanumeric);
        let runs_in = self.edge && self.back > 0 && !super::text::starts_token(text, start);
        (!cut_off && !runs_in && (self.check)(&text[start..end])).then_some((start, end))
    }

    /// The first match in `window` that reaches past `hit`: one before it belongs to an earlier keyword.
    fn matched(&self, window: &[u8], hit: usize) -> Option<(usize, usize)> {
        let regex = self.regex()?;
        let mut at = 0;
        loop {
            let (found, end) = match regex.captures_len() {
                1 => regex.find_at(window, at).map(|found| (found, found.end())),
                _ => regex.captures_at(window, at).and_then(|groups| {
                    let whole = groups.get(0)?;
                    Some((groups.iter().skip(1).flatten().next().unwrap_or(whole), whole.end()))
                }),
            }?;
            if end > hit {
                return Some((found.start(), found.end()));
            }
            at = end.max(at + 1);
        }
    }

    /// Whether what follows directly belongs to the token.
    pub(super) fn extends(&self) -> bool {
        !self.exact && !self.bounded
    }
}

/// The keywords that `word` stands for: `gh[os]_` is `gho_` and `ghs_`.
fn written_out(word: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut rest = word;
    while let Some((before, (class, after))) =
        rest.split_once('[').and_then(|(before, from)| Some((before, from.split_once(']')?)))
    {
        let letters = |word: &String| class.chars().map(|letter| format!("{word}{before}{letter}")).collect::<Vec<_>>();
        words = words.iter().flat_map(letters).collect();
        rest = after;
    }
    words.into_iter().map(|word| word + rest).collect()
}

/// A table of rules: name, what the reason calls it, keywords, pattern, and what else is to be known.
macro_rules! table {
    ($($name:literal $what:literal [$($word:literal)+] $pattern:literal
        $(=> $($call:ident $(($($of:expr),*))?)+)?;)+) => {
        /// The rules of this family.
        pub(super) static RULES: [TokenRule; [$($name),+].len()] = [$(
            TokenRule::new($name, concat!("matches the pattern of ", $what), &[$($word),+], $pattern)
                $($(.$call($($($of),*)?))+)?
        ),+];
    };
}
use table;

/// All rules, in no particular order; where two match one place the longer one covers both.
pub(super) fn all() -> impl Iterator<Item = &'static TokenRule> {
    let families: [&[TokenRule]; 7] =
        [&general::RULES, &code::RULES, &clouds::RULES, &data::RULES, &ai::RULES, &payments::RULES, &people::RULES];
    families.into_iter().flatten()
}

/// Whether `token` is neither a sample nor made of words as a name is.
fn random(token: &[u8]) -> bool {
    !judge::is_sample(token) && (!judge::is_name(token) || of_three_kinds(token))
}

/// The same for forms that names in code come close to.
fn mixed(token: &[u8]) -> bool {
    !judge::is_sample(token) && !judge::is_name(token) && of_three_kinds(token)
}

fn of_three_kinds(token: &[u8]) -> bool {
    token.iter().any(u8::is_ascii_digit)
        && token.iter().any(u8::is_ascii_uppercase)
        && token.iter().any(u8::is_ascii_lowercase)
}

/// Whether `token` holds many different characters: data with long runs of one of them does not.
fn varied(token: &[u8]) -> bool {
    let mut seen = [false; 256];
    for byte in token {
        seen[usize::from(*byte)] = true;
    }
    seen.iter().filter(|seen| **seen).count() >= 14 && !judge::is_sample(token)
}

/// The bytes that Base64 of either alphabet stands for, up to the first character that is none.
pub(super) fn decode(text: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len() * 3 / 4);
    let (mut held, mut bits) = (0_u32, 0_u32);
    for byte in text {
        let six = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => break,
        };
        held = (held << 6) | u32::from(six);
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.push(((held >> bits) & 0xff) as u8);
        }
        held &= 0xffff;
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::redact::canaries::{SEED, fill};
    use std::collections::BTreeSet;

    #[test]
    fn every_pattern_compiles_and_every_keyword_is_in_lower_case() {
        for rule in all() {
            assert!(rule.regex().is_some(), "{}", rule.label.name);
            assert!(!rule.keywords.is_empty());
            assert!(
                rule.keywords().all(|word| word.len() >= 2 && word == word.to_ascii_lowercase() && !word.contains('[')),
                "{}",
                rule.label.name
            );
        }
    }

    #[test]
    fn a_keyword_with_classes_is_written_out() {
        assert_eq!(written_out("g[ab]_[12]x"), ["ga_1x", "ga_2x", "gb_1x", "gb_2x"]);
        assert_eq!(written_out("ghp_"), ["ghp_"]);
    }

    #[test]
    fn near_misses_of_every_family_stay() {
        for template in [
            // Code: names, versions, digests, samples.
            "npm_config_registry and npm_lifecycle_event_name_of_the_script",
            "ion_exchange_membrane, ico-moon, tss_handshake_round_two_of_three",
            "octopus API-GATEWAY and API-VERSIONING",
            "pul-<h12>, sqp_<h8>, glpat-xxxxxxxxxxxxxxxxxxxx",
            // Clouds: ids, public keys, digests.
            "AROA<u17>, arn:aws:iam::<d12>:role/x, ocid1.tenancy.oc1..<l60>",
            "sha256:<h64>, sha256~short, exoplanet, scwrl, akidney",
            "this.s.getAccessTokenForUserId() and (s.toLowerCaseStringOfWord)",
            "a3-column, da2-day, vcp_is_fine, v1.0-rc1, st. Petersburg",
            // Data: publishable keys and ids.
            "phc_<a43>, dvc_client_<a30>, mdb_sa_id_<h24>, 4b1d<h36>",
            "napi_create_external_arraybuffer_from_memory, sdk-<h8>, user.settings",
            // AI: names.
            "sk-learn-contrib-is-a-package, sk-ant-, hf_hub_download_with_progress_bar",
            "as-is, key_derivation_function, fc-list, up_to_date, r8_uncompressed",
            "m0-wallet, jina_embeddings_v2_base_en_model_of_the_hub_as_it_is",
            // Payments: publishable keys, public keys, addresses.
            "pk_live_<a24>, pk_test_<a24>, FLWPUBK-<h32>-X, xpub<c107>, npub1<l58>, AGE1<l58>",
            "test_that_a_user_can_log_in_with_two, live_reload_is_on_for_all_of_them, sandbox_mode",
            "pi_<a8>, seti_<a8>, bc1<l39>, 0x<h40>, api_live_reload",
            // People: public tokens, ids, data.
            "pk.eyJ<a60>.<a22>, AC<h32>, pubkey-<h32>, cli_<a16>, T0<u9>, C0<u9>",
            "re_exported_by_the_crate, md-file, oauth:login, oauth:authorization_code, EAA is a word",
            "![x](data:image/png;base64,EAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA)",
            "0/1 and 1/12/2024, patting-na, 00D, discord.com/channels/<d18>/<d18>",
            // Others.
            "docs of $2b$10$ and {SHA}, admin:$apr1$..., \"auth\": \"none\", \"auth\": \"oauth2\"",
            "$ANSIBLE_VAULT;1.1;AES256\n<d80>\n<d80>",
        ] {
            let text = fill(template, SEED);
            let found = crate::redact::detect::built_in(text.as_bytes(), false);
            let found: Vec<&str> = found.iter().map(|finding| &text[finding.start..finding.end]).collect();
            assert_eq!(found, Vec::<&str>::new(), "{text}");
        }
    }

    #[test]
    fn names_are_unique_and_fit_into_a_marker() {
        let names: BTreeSet<_> = all().map(|rule| rule.label.name).collect();
        assert_eq!(names.len(), all().count());
        assert!(
            names
                .iter()
                .all(|name| { name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-') })
        );
    }

    #[test]
    fn base64_is_decoded_in_both_alphabets() {
        assert_eq!(decode(b"dXNlcjpwYXNzd29yZA=="), b"user:password");
        assert_eq!(decode(b"-_-_"), decode(b"+/+/"));
    }
}
