//! The words of the grammar, which `vocabulary.txt` lists by what they do.

use regex::Regex;
use std::collections::HashMap;
use std::sync::LazyLock;

static WORDS: LazyLock<HashMap<&str, Vec<&str>>> = LazyLock::new(|| {
    let line =
        |line: &'static str| line.split_once(": ").map(|(meaning, words)| (meaning, words.split(", ").collect()));
    include_str!("vocabulary.txt").lines().filter(|line| !line.starts_with('#')).filter_map(line).collect()
});

/// Returns the words with a meaning, in the order of the file.
pub(super) fn words_for(meaning: &str) -> &'static [&'static str] {
    WORDS.get(meaning).map_or(&[], Vec::as_slice)
}

/// Returns whether a word has a meaning.
pub(super) fn means(meaning: &str, word: &str) -> bool {
    words_for(meaning).contains(&word)
}

/// Compiles a pattern that is written in the source code.
#[expect(clippy::expect_used, reason = "the pattern is a constant that every test of the module compiles")]
pub(super) fn pattern(written: &str) -> Regex {
    Regex::new(written).expect("a valid pattern")
}
