//! The words of `words.txt`: what they make of a sentence, and what titles mean.

use aho_corasick::AhoCorasick;
use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

/// The lists of the file: each phrase with its class.
fn phrases() -> impl Iterator<Item = (&'static str, &'static str)> {
    let lines = include_str!("words.txt").lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(|line| line.split_once(": ")).flat_map(|(class, phrases)| {
        phrases.split(", ").map(str::trim).filter(|phrase| !phrase.is_empty()).map(move |phrase| (class, phrase))
    })
}

/// Returns the phrases of a class.
fn class(name: &'static str) -> HashSet<&'static str> {
    phrases().filter(|(class, _)| *class == name).map(|(_, phrase)| phrase).collect()
}

/// How much a sentence obliges.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Strength {
    /// It is a rule by its place only: below a heading of rules, or as an instruction.
    Plain,
    /// It advises.
    Advises,
    /// It obliges or forbids.
    Obliges,
}

/// What a phrase makes of the sentence in which it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Effect {
    Makes(Strength),
    Cancels,
    /// It limits the sentence before.
    Limits,
    /// It refers to the sentence before.
    Refers,
}

#[derive(Debug)]
struct Phrase {
    effect: Effect,
    /// Whether it counts only where a clause, or with [`Effect::Limits`] and [`Effect::Refers`] the sentence, begins.
    at_start: bool,
    /// Whether it is of a script that puts spaces between words.
    is_spaced: bool,
}

struct Phrases {
    finder: AhoCorasick,
    phrases: Vec<Phrase>,
}

static PHRASES: LazyLock<Option<Phrases>> = LazyLock::new(|| {
    let (mut texts, mut found) = (Vec::new(), Vec::new());
    for (class, text) in phrases() {
        let effect = match class {
            "oblige" => Effect::Makes(Strength::Obliges),
            "advise" => Effect::Makes(Strength::Advises),
            "cancel" => Effect::Cancels,
            "except" => Effect::Limits,
            "refer" => Effect::Refers,
            _ => continue,
        };
        let bare = text.strip_prefix('^');
        let text = bare.unwrap_or(text);
        let at_start = bare.is_some() || matches!(effect, Effect::Limits | Effect::Refers);
        found.push(Phrase { effect, at_start, is_spaced: !text.chars().any(is_cjk) });
        texts.push(text);
    }
    Some(Phrases { finder: AhoCorasick::new(texts).ok()?, phrases: found })
});

/// What the words of a sentence say.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Meaning {
    /// How much it obliges; `None` if it does not by its words.
    pub(super) strength: Option<Strength>,
    /// Whether it limits the sentence before it.
    pub(super) limits: bool,
    /// Whether it refers to the sentence before it.
    pub(super) refers: bool,
}

/// Returns what a sentence says that [`visible`](super::sentences::visible) has made, in lower case.
pub(super) fn meaning(lower: &str) -> Meaning {
    let mut meaning = Meaning::default();
    let Some(phrases) = &*PHRASES else { return meaning };
    let mut cancelled: Vec<std::ops::Range<usize>> = Vec::new();
    let mut made = Vec::new();
    for found in phrases.finder.find_overlapping_iter(lower) {
        let Some(phrase) = phrases.phrases.get(found.pattern().as_usize()) else { continue };
        let (before, after) = (&lower[..found.start()], &lower[found.end()..]);
        let is_word = |c: char| c.is_alphanumeric() || matches!(c, '-' | '\'' | '_');
        if phrase.is_spaced && (before.ends_with(is_word) || after.starts_with(is_word)) {
            continue;
        }
        let before = before.trim_end();
        let begins = before.trim_start_matches(|c: char| !c.is_alphanumeric()).is_empty();
        match phrase.effect {
            Effect::Limits => meaning.limits |= begins,
            Effect::Refers => meaning.refers |= begins,
            _ if phrase.at_start && !(begins || before.ends_with(ends_clause)) => {}
            Effect::Cancels => cancelled.push(found.range()),
            Effect::Makes(strength) => made.push((found.range(), strength)),
        }
    }
    let stands =
        |range: &std::ops::Range<usize>| !cancelled.iter().any(|it| it.start <= range.start && range.end <= it.end);
    meaning.strength = made.into_iter().filter(|(range, _)| stands(range)).map(|(_, strength)| strength).max();
    meaning
}

fn ends_clause(c: char) -> bool {
    matches!(c, ',' | ';' | ':' | '–' | '—' | '(' | '.' | '-' | '/')
}

/// What stands below a heading.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TitleMeaning {
    /// Rules.
    Rules,
    /// What is forbidden.
    Forbidden,
    /// Examples of what is wrong.
    Wrong,
    /// Nothing to note.
    Skipped,
}

static TITLES: LazyLock<HashMap<&str, TitleMeaning>> = LazyLock::new(|| {
    let meaning = |class: &str| match class {
        "rules" => Some(TitleMeaning::Rules),
        "forbid" => Some(TitleMeaning::Forbidden),
        "wrong" => Some(TitleMeaning::Wrong),
        "skip" => Some(TitleMeaning::Skipped),
        _ => None,
    };
    phrases().filter_map(|(class, phrase)| Some((phrase, meaning(class)?))).collect()
});
static BINDING: LazyLock<HashSet<&str>> = LazyLock::new(|| class("binds"));
static WHEN: LazyLock<HashSet<&str>> = LazyLock::new(|| class("when"));
static TEACHING: LazyLock<HashSet<&str>> = LazyLock::new(|| class("teaches"));
static ORDERS: LazyLock<HashSet<&str>> = LazyLock::new(|| class("order"));
static LABELS: LazyLock<HashSet<&str>> = LazyLock::new(|| class("label"));

/// Returns a title in lower case, its words separated by single spaces.
fn title_words(title: &str) -> String {
    let lower = title.to_lowercase();
    let words: Vec<&str> = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    words.join(" ")
}

/// Returns what stands below a title, if the title says so.
pub(super) fn title_meaning(title: &str) -> Option<TitleMeaning> {
    TITLES.get(title_words(title).as_str()).copied()
}

/// Returns whether a title says when the rules below it hold.
pub(super) fn is_condition(title: &str) -> bool {
    title_words(title).split(' ').next().is_some_and(|word| WHEN.contains(word))
}

/// Returns whether a title is that of a section that shows how something is done.
pub(super) fn teaches(title: &str) -> bool {
    let words = title_words(title);
    [words.split(' ').next(), words.rsplit(' ').next()].into_iter().flatten().any(|word| TEACHING.contains(word))
}

/// Returns whether a sentence, visible and in lower case, begins with an order.
pub(super) fn is_order(lower: &str) -> bool {
    let sentence = lower.trim_start_matches(|c: char| !c.is_alphanumeric());
    ORDERS.contains(sentence.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default())
}

/// Returns whether a text before a colon defines nothing, such as `Note`.
pub(super) fn is_label(text: &str) -> bool {
    LABELS.contains(text.to_lowercase().trim())
}

/// Returns whether a document with this title, type or file name binds its readers: its instructions are rules.
pub fn is_binding(title: &str) -> bool {
    let words = title_words(title.get(..title.floor_char_boundary(200)).unwrap_or_default());
    let is_history =
        ["release notes", "release history", "changelog", "change log"].iter().any(|it| words.contains(it));
    !is_history && words.split(' ').any(|word| BINDING.contains(word))
}

/// Returns whether `c` belongs to a script without spaces between words.
pub(super) fn is_cjk(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '々' | '\u{20000}'..='\u{2fa1f}')
}

/// Counts words: runs without a space that hold a letter or a digit; of Chinese and Japanese, two characters are a word.
pub(super) fn count(text: &str) -> usize {
    let is_plain = |c: char| c.is_alphanumeric() && !is_cjk(c);
    let words = text.split_whitespace().filter(|word| word.contains(is_plain)).count();
    words + text.chars().filter(|c| is_cjk(*c)).count().div_ceil(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_oblige_advise_or_say_nothing() {
        let strength = |text: &str| meaning(&text.to_lowercase()).strength;
        for text in
            ["You must sign.", "Never push.", "必ず確認", "不得提交", "Muss geprüft werden.", "If so, do not push."]
        {
            assert_eq!(strength(text), Some(Strength::Obliges), "{text}");
        }
        assert_eq!(strength("You should sign."), Some(Strength::Advises));
        for text in
            ["A must-have feature.", "Never mind.", "It is not required.", "The sky is blue.", "必ずしも", "mustard"]
        {
            assert_eq!(strength(text), None, "{text}");
        }
        assert!(meaning("except on fridays.").limits && meaning("it must be empty.").refers);
        assert!(!meaning("all except one.").limits);
    }

    #[test]
    fn titles_say_what_stands_below_them() {
        assert_eq!(title_meaning("**Rules**:"), Some(TitleMeaning::Rules));
        assert_eq!(title_meaning("Don'ts"), Some(TitleMeaning::Forbidden));
        assert_eq!(title_meaning("License"), Some(TitleMeaning::Skipped));
        assert_eq!(title_meaning("Rulers"), None);
        assert!(is_condition("On release branches") && !is_condition("Branches"));
        assert!(is_binding("CONTRIBUTING") && is_binding("code-style-guide") && !is_binding("Release notes"));
        assert!(is_order("add tests") && !is_order("the tests"));
    }
}
