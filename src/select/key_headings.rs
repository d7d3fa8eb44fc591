//! Headings recognized by their meaning: case, level, punctuation, emoji, emphasis, numbering and qualifiers are ignored,
//! and the usual synonyms count, also in German, French, Spanish, Portuguese, Japanese and Chinese.

use std::collections::HashSet;

/// Synonyms, one family a line: in lower case and without punctuation. A key that is one of a family stands for all of it.
const FAMILIES: &str = include_str!("key_headings.txt");

/// Words before a heading's meaning that do not change it.
const QUALIFIERS: &str = "a additional agreed all business core current design detailed draft epic explicit feature final functional general high initial issue key level main minimal mvp new nonfunctional our overall planned preliminary primary product project proposed remaining revised specific story suggested system task team technical temporary the these this top updated user work";

/// Words after a heading's meaning that begin a remark on it.
const REMARKS: &str =
    "for of to in on from by with draft list statement overview tbd wip updated für von pour para de del do";

/// A set of headings.
#[derive(Debug)]
pub(super) struct KeyHeadings(HashSet<String>);

impl KeyHeadings {
    /// Creates the set of headings that mean one of `keys`.
    pub(super) fn new(keys: &[String]) -> Self {
        let mut phrases = HashSet::new();
        for key in keys {
            let phrase = words(key).join(" ");
            for family in FAMILIES.lines().filter(|family| family.split(", ").any(|known| known == phrase)) {
                phrases.extend(family.split(", ").map(str::to_owned));
            }
            phrases.insert(phrase);
        }
        Self(phrases)
    }

    /// Returns whether a heading with this title means one of the keys.
    pub(super) fn contain(&self, title: &str) -> bool {
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
            let remarks = (1..words.len()).filter(|at| is_one_of(REMARKS, &words[*at]));
            remarks.chain([words.len()]).any(|end| self.0.contains(&words[..end].join(" ")))
        })
    }
}

fn is_one_of(list: &str, word: &str) -> bool {
    list.split(' ').any(|listed| listed == word)
}

fn is_qualifier(word: &str) -> bool {
    is_one_of(QUALIFIERS, word) || word.bytes().all(|byte| byte.is_ascii_digit()) || word == "phase"
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
pub(super) fn words(heading: &str) -> Vec<String> {
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
