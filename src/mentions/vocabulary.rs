//! The words of the grammar, which `vocabulary.txt` lists by what they do.

use crate::model::{WordLists, holds, word_lists};
use regex::Regex;
use std::sync::LazyLock;

static WORDS: LazyLock<WordLists> = LazyLock::new(|| word_lists(include_str!("vocabulary.txt")));

pub(super) fn words_for(meaning: &str) -> &'static [&'static str] {
    WORDS.get(meaning).map_or(&[], Vec::as_slice)
}

pub(super) fn means(meaning: &str, word: &str) -> bool {
    holds(&WORDS, meaning, word)
}

#[expect(clippy::expect_used, reason = "the pattern is a constant that every test of the module compiles")]
pub(super) fn pattern(written: &str) -> Regex {
    Regex::new(written).expect("a valid pattern")
}
