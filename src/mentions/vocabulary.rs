//! The words of the grammar, which `vocabulary.txt` lists by what they do.

use crate::model::WordLists;
use regex::Regex;
use std::sync::LazyLock;

static WORDS: LazyLock<WordLists> = LazyLock::new(|| WordLists::read(include_str!("vocabulary.txt")));

pub(super) fn words_for(meaning: &str) -> &'static [&'static str] {
    WORDS.of(meaning)
}

pub(super) fn means(meaning: &str, word: &str) -> bool {
    WORDS.has(meaning, word)
}

#[expect(clippy::expect_used, reason = "the pattern is a constant that every test of the module compiles")]
pub(super) fn pattern(written: &str) -> Regex {
    Regex::new(written).expect("a valid pattern")
}
