//! Lists of words in data files, and the fields that a tracker changes by itself.

use super::memo::Memo;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// Words or phrases by the name of their list: in their order, and sorted.
#[derive(Debug)]
pub struct WordLists(BTreeMap<&'static str, [Vec<&'static str>; 2]>);

impl WordLists {
    /// Reads lines such as `list: word, two words`; others are comments.
    pub fn read(text: &'static str) -> Self {
        let lines = text.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once(": "));
        let list = |(name, words): (&'static str, &'static str)| {
            let words: Vec<&str> = words.split(", ").collect();
            let mut sorted = words.clone();
            sorted.sort_unstable();
            (name, [words, sorted])
        };
        Self(lines.map(list).collect())
    }

    /// Returns the words of a list, in order.
    pub fn of(&self, list: &str) -> &[&'static str] {
        self.0.get(list).map_or(&[], |[words, _]| words)
    }

    pub fn has(&self, list: &str, word: &str) -> bool {
        self.0.get(list).is_some_and(|[_, sorted]| sorted.binary_search(&word).is_ok())
    }
}

static WORDS: LazyLock<WordLists> = LazyLock::new(|| WordLists::read(include_str!("volatile.txt")));

/// Returns whether the field `name` with the value `text` changes with every sync of a tracker, or is of use to its
/// programs only: times of creation and change, counts of comments and votes, locks, node ids, URLs of APIs.
///
/// What a person plans stays: due, start and target dates, milestones, estimates.
pub fn is_volatile(name: &str, text: &str) -> bool {
    static KNOWN: LazyLock<Memo<NameMeaning>> = LazyLock::new(Memo::default);
    let (meaning, text) = (KNOWN.get(name, || meaning_of(name)), text.trim());
    meaning.internal
        || meaning.time && is_point_in_time(text)
        || meaning.count && !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
        || is_api_url(meaning.address, text)
}

/// What the values of a field may be, by its name.
#[derive(Debug, Clone, Copy, Default)]
struct NameMeaning {
    internal: bool,
    time: bool,
    count: bool,
    address: bool,
}

fn meaning_of(name: &str) -> NameMeaning {
    let words = words(name);
    let joined = words.concat();
    let is = |list: &str, word: &str| WORDS.has(list, word);
    let is_done = |word: &String| is("done", word);
    let is_counted = |word: &String| WORDS.of("counted").iter().any(|noun| is_form_of(word, noun));
    NameMeaning {
        internal: is("internal", &joined),
        time: is("time", &joined)
            || words.iter().any(is_done) && words.iter().all(|word| is_done(word) || is("when", word)),
        count: words.iter().any(is_counted) && words.iter().all(|word| is_counted(word) || is("count", word)),
        address: words.last().is_some_and(|word| matches!(word.as_str(), "url" | "uri" | "self" | "href" | "link")),
    }
}

/// Divides a name into words in lower case: at every sign, and at capital letters within.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut after_small = false;
    for c in name.chars() {
        if !c.is_alphanumeric() || c.is_uppercase() && after_small {
            words.push(String::new());
        }
        after_small = c.is_lowercase() || c.is_numeric();
        if c.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.extend(c.to_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Returns whether a word is the singular or plural of a noun.
fn is_form_of(word: &str, noun: &str) -> bool {
    word == noun
        || word.strip_suffix('s') == Some(noun)
        || word.strip_suffix("ies").is_some_and(|stem| noun.strip_suffix('y') == Some(stem))
}

/// Returns whether a text is a date, a date with a time, or seconds or milliseconds since 1970.
fn is_point_in_time(text: &str) -> bool {
    let bytes = text.as_bytes();
    let digits = |part: &[u8]| !part.is_empty() && part.iter().all(u8::is_ascii_digit);
    if digits(bytes) {
        return matches!(bytes.len(), 8 | 10 | 13 | 16);
    }
    let numbers = bytes.split(|byte| !byte.is_ascii_digit()).filter(|part| !part.is_empty());
    // The zone and the month may be words, as in `Tue, 3 Feb 2026 10:00:00 +0000`.
    let has_year = numbers.clone().any(|number| number.len() == 4);
    has_year && numbers.count() >= 2 && text.len() <= 48 && !text.contains(['\n', '/', '#']) || is_slashed(bytes)
}

/// Returns whether a text begins with a date such as `2/3/2026`.
fn is_slashed(bytes: &[u8]) -> bool {
    let date = bytes.split(|byte| *byte == b' ').next().unwrap_or_default();
    let parts: Vec<&[u8]> = date.split(|byte| *byte == b'/').collect();
    parts.len() == 3 && parts.iter().all(|part| (1..=4).contains(&part.len()) && part.iter().all(u8::is_ascii_digit))
}

/// Returns whether a text is a URL that programs read.
fn is_api_url(is_address: bool, text: &str) -> bool {
    let Some(rest) = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://")) else { return false };
    let host = rest.split('/').next().unwrap_or_default();
    is_address && (host.starts_with("api.") || rest.contains("/api/") || rest.contains("/rest/"))
}
