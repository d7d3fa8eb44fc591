//! The words of the grammar, which `vocabulary.txt` lists by what they do, and its patterns.

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

/// Compiles a pattern of `patterns.txt`.
#[expect(clippy::expect_used, reason = "the patterns are part of the program, and the tests of the module use each")]
pub(super) fn pattern(name: &str) -> Regex {
    Regex::new(&written(name)).expect("a valid pattern")
}

fn written(name: &str) -> String {
    let pattern = |line: &'static str| line.strip_prefix(name)?.strip_prefix(": ");
    let Some(pattern) = include_str!("patterns.txt").lines().find_map(pattern) else {
        return words_for(name).join(r"\b|") + r"\b";
    };
    let is_name = |at: usize| at % 2 == 1;
    let pieces = pattern.split(['«', '»']).enumerate();
    pieces.map(|(at, piece)| if is_name(at) { written(piece) } else { piece.to_owned() }).collect()
}
