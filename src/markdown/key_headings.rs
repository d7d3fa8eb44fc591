//! Headings recognized by their meaning: case, level, punctuation, emoji, emphasis, numbering and qualifiers are ignored,
//! and the usual synonyms count, also in German, French, Spanish, Portuguese, Japanese and Chinese.

use crate::model::{Memo, WordLists};
use std::collections::HashSet;
use std::sync::LazyLock;

const WORDS: &str = include_str!("key_headings.txt");

static LISTS: LazyLock<WordLists> = LazyLock::new(|| WordLists::read(WORDS));

#[derive(Debug)]
pub(crate) struct KeyHeadings {
    phrases: HashSet<String>,
    known: Memo<bool>,
}

impl KeyHeadings {
    pub(crate) fn new(keys: &[String]) -> Self {
        let mut phrases = HashSet::new();
        for key in keys {
            let phrase = words(key).join(" ");
            let families = WORDS.lines().filter(|line| !line.contains(": "));
            for family in families.filter(|family| family.split(", ").any(|known| known == phrase)) {
                phrases.extend(family.split(", ").map(str::to_owned));
            }
            phrases.insert(phrase);
        }
        Self { phrases, known: Memo::default() }
    }

    pub(crate) fn contain(&self, title: &str) -> bool {
        self.known.get(title, || self.find(title))
    }

    fn find(&self, title: &str) -> bool {
        let title = without_parentheses(title);
        let all = words(&title);
        self.words_mean(&all) || title.split(is_separator).any(|part| self.words_mean(&words(part))) || {
            // `Goals and non-goals` means both.
            all.split(|word| matches!(word.as_str(), "and" | "or" | "und" | "oder" | "et" | "ou" | "y" | "e"))
                .filter(|part| part.len() < all.len())
                .any(|part| self.words_mean(part))
        }
    }

    fn words_mean(&self, words: &[String]) -> bool {
        let is_number = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit());
        let is_qualifier = |word: &str| LISTS.has("qualifier", word) || is_number(word) || word == "phase";
        // A qualifier may itself be the beginning of a key, so each beginning is tried.
        let qualified = words.iter().take_while(|word| is_qualifier(word)).count();
        (0..=qualified).any(|start| {
            let words = &words[start..];
            let remarks = (1..words.len()).filter(|at| LISTS.has("remark", &words[*at]));
            remarks.chain([words.len()]).any(|end| self.phrases.contains(&words[..end].join(" ")))
        })
    }
}

fn is_separator(c: char) -> bool {
    matches!(c, ':' | '：' | '/' | '&' | ',' | '|' | '—' | '–' | '・' | '、' | '与' | '和' | '及')
}

/// Removes parentheses, unless they are all of the title: `Acceptance criteria (draft)` → `Acceptance criteria `.
pub(crate) fn without_parentheses(title: &str) -> String {
    let mut depth = 0_u32;
    let mut outside = String::with_capacity(title.len());
    for c in title.chars() {
        match c {
            '(' | '（' | '[' => depth += 1,
            ')' | '）' | ']' => depth = depth.saturating_sub(1),
            c if depth == 0 => outside.push(c),
            _ => {}
        }
    }
    if outside.trim().is_empty() { title.to_owned() } else { outside }
}

/// Returns the words of a heading in lower case, without punctuation, emoji and numbering.
pub(crate) fn words(heading: &str) -> Vec<String> {
    let lower = heading.to_lowercase();
    let mut words: Vec<String> =
        lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_owned).collect();
    let numbering = words.iter().take_while(|word| word.bytes().all(|b| b.is_ascii_digit())).count();
    if numbering < words.len() {
        words.drain(..numbering);
    }
    words
}
