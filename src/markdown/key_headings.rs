//! Headings recognized by their meaning: case, level, punctuation, emoji, emphasis, numbering and qualifiers are ignored,
//! and the usual synonyms count, also in German, French, Spanish, Portuguese, Japanese and Chinese.

use std::collections::{HashMap, HashSet};
use std::sync::{LazyLock, PoisonError, RwLock};

/// Synonyms, one family a line: in lower case and without punctuation. A key from a family matches all of it.
const FAMILIES: &str = include_str!("key_headings.txt");

/// Words before a heading's meaning that do not change it.
static QUALIFIERS: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    word_list(
        "a additional agreed all business core current design detailed draft epic explicit feature final functional general high initial issue key level main minimal mvp new nonfunctional our overall planned preliminary primary product project proposed remaining revised specific story suggested system task team technical temporary the these this top updated user work",
    )
});

/// Words after a heading's meaning that begin a remark on it.
static REMARKS: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    word_list("for of to in on from by with draft list statement overview tbd wip updated für von pour para de del do")
});

fn word_list(words: &'static str) -> HashSet<&'static str> {
    words.split(' ').collect()
}

/// The most titles whose meaning is remembered.
const MOST_KNOWN: usize = 10_000;

/// A set of headings.
#[derive(Debug)]
pub(crate) struct KeyHeadings {
    phrases: HashSet<String>,
    /// Titles that were looked at: most texts of a repo have the same headings.
    known: RwLock<HashMap<String, bool>>,
}

impl KeyHeadings {
    /// Creates the set of headings that mean one of `keys`.
    pub(crate) fn new(keys: &[String]) -> Self {
        let mut phrases = HashSet::new();
        for key in keys {
            let phrase = words(key).join(" ");
            for family in FAMILIES.lines().filter(|family| family.split(", ").any(|known| known == phrase)) {
                phrases.extend(family.split(", ").map(str::to_owned));
            }
            phrases.insert(phrase);
        }
        Self { phrases, known: RwLock::default() }
    }

    /// Returns whether a heading with this title means one of the keys.
    pub(crate) fn contain(&self, title: &str) -> bool {
        if let Some(known) = self.known.read().unwrap_or_else(PoisonError::into_inner).get(title) {
            return *known;
        }
        let found = self.find(title);
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        if known.len() < MOST_KNOWN {
            known.insert(title.to_owned(), found);
        }
        found
    }

    fn find(&self, title: &str) -> bool {
        let title = without_parentheses(title);
        self.mean(&title) || title.split(is_separator).any(|part| self.mean(part)) || {
            // `Goals and non-goals` means both.
            let words = words(&title);
            words
                .split(|word| matches!(word.as_str(), "and" | "or" | "und" | "oder" | "et" | "ou" | "y" | "e"))
                .filter(|part| part.len() < words.len())
                .any(|part| self.words_mean(part))
        }
    }

    fn mean(&self, text: &str) -> bool {
        self.words_mean(&words(text))
    }

    fn words_mean(&self, words: &[String]) -> bool {
        // A qualifier may itself be the beginning of a key, so each beginning is tried.
        let qualified = words.iter().take_while(|word| is_qualifier(word)).count();
        (0..=qualified).any(|start| {
            let words = &words[start..];
            let remarks = (1..words.len()).filter(|at| REMARKS.contains(words[*at].as_str()));
            remarks.chain([words.len()]).any(|end| self.phrases.contains(&words[..end].join(" ")))
        })
    }
}

fn is_qualifier(word: &str) -> bool {
    QUALIFIERS.contains(word) || word.bytes().all(|byte| byte.is_ascii_digit()) || word == "phase"
}

/// Returns whether a character divides a heading into parts with a meaning each.
fn is_separator(c: char) -> bool {
    matches!(c, ':' | '：' | '/' | '&' | ',' | '|' | '—' | '–' | '・' | '、' | '与' | '和' | '及')
}

/// Removes parentheses: `Acceptance criteria (draft)` → `Acceptance criteria `.
fn without_parentheses(title: &str) -> String {
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
    // A title in brackets alone still has a meaning.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(keys: &[&str]) -> KeyHeadings {
        KeyHeadings::new(&keys.iter().map(|key| (*key).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn headings_are_compared_by_their_meaning() {
        let keys = keys(&["Goal", "Non-goals", "Acceptance criteria", "Definition of done", "Steps to reproduce"]);
        for title in [
            "Goal",
            "**Goals**",
            "## 2. Acceptance Criteria:",
            "✅ Acceptance criteria (must have)",
            "Proposed goals",
            "Goals and non-goals",
            "Objectives / scope",
            "3.1 Out of scope",
            "Definition of Done for phase 2",
            "DoD",
            "Acceptance",
            "Goal: less waiting",
            "The main goal",
            "Akzeptanzkriterien",
            "Critères d'acceptation",
            "Criterios de aceptación",
            "Critérios de aceitação",
            "受け入れ基準",
            "验收标准",
            "目标与范围",
            "How to reproduce",
            "Non-Goals",
            "Nicht-Ziele",
        ] {
            assert!(keys.contain(title), "{title}");
        }
        for title in [
            "Goalkeepers",
            "Background",
            "Scope creep",
            "Implementation",
            "",
            "2024",
            "Rejected goals we had",
            "Notes",
            "(draft)",
        ] {
            assert!(!keys.contain(title), "{title}");
        }
    }

    #[test]
    fn a_key_of_the_users_own_stands_for_itself() {
        let keys = keys(&["Rollout order"]);
        assert!(keys.contain("1) rollout ORDER") && keys.contain("Rollout order for Europe"));
        assert!(!keys.contain("Rollout") && !keys.contain("Goal"));
    }
}
