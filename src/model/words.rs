//! Lists of words in data files.

use std::collections::HashMap;

/// Words or phrases by the name of their list.
#[derive(Debug)]
pub struct WordLists(HashMap<&'static str, Vec<&'static str>>);

impl WordLists {
    /// Reads lines such as `list: word, two words`; others are comments.
    pub fn read(text: &'static str) -> Self {
        let lines = text.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once(": "));
        Self(lines.map(|(name, words)| (name, words.split(", ").collect())).collect())
    }

    /// Returns the words of a list, in order.
    pub fn of(&self, list: &str) -> &[&'static str] {
        self.0.get(list).map_or(&[], Vec::as_slice)
    }

    /// Returns whether a list has a word.
    pub fn has(&self, list: &str, word: &str) -> bool {
        self.of(list).contains(&word)
    }
}
