//! Lists of words in data files.

use std::collections::HashMap;

/// Words or phrases by the name of their list.
pub type WordLists = HashMap<&'static str, Vec<&'static str>>;

/// Reads lines such as `list: word, two words`; others are comments.
pub fn word_lists(text: &'static str) -> WordLists {
    let lines = text.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once(": "));
    lines.map(|(name, words)| (name, words.split(", ").collect())).collect()
}

/// Returns whether a list has a word.
pub fn holds(lists: &WordLists, list: &str, word: &str) -> bool {
    lists.get(list).is_some_and(|words| words.contains(&word))
}
