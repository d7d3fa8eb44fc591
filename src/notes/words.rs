//! The words of `words.txt`: what they make of a sentence, and what titles mean.

use aho_corasick::{AhoCorasick, AhoCorasickKind};
use foldhash::{HashMap, HashSet};
use std::sync::LazyLock;

/// The lists of the file: each phrase with its class.
fn phrases() -> impl Iterator<Item = (&'static str, &'static str)> {
    let lines = include_str!("words.txt").lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(|line| line.split_once(": ")).flat_map(|(class, phrases)| {
        phrases.split(", ").map(str::trim).filter(|phrase| !phrase.is_empty()).map(move |phrase| (class, phrase))
    })
}

static CLASSES: LazyLock<HashMap<&str, HashSet<&str>>> = LazyLock::new(|| {
    let mut classes = HashMap::<_, HashSet<_>>::default();
    phrases().for_each(|(class, phrase)| {
        classes.entry(class).or_default().insert(phrase);
    });
    classes
});

fn is_in(class: &str, phrase: &str) -> bool {
    CLASSES.get(class).is_some_and(|phrases| phrases.contains(phrase))
}

/// How much a sentence obliges.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Strength {
    /// It is a rule by its place only: below a heading of rules, or as an instruction.
    Plain,
    Advises,
    Obliges,
}

/// A phrase that says something of the sentence that it is in.
#[derive(Debug)]
struct Phrase {
    class: &'static str,
    /// Whether it counts only where a clause begins.
    at_start: bool,
    /// Whether it is of a script that puts spaces between words.
    is_spaced: bool,
}

static PHRASES: LazyLock<Option<(AhoCorasick, Vec<Phrase>)>> = LazyLock::new(|| {
    const CLASSES: [&str; 5] = ["oblige", "advise", "cancel", "except", "refer"];
    let (mut texts, mut found) = (Vec::new(), Vec::new());
    for (class, text) in phrases().filter(|(class, _)| CLASSES.contains(class)) {
        texts.push(text.trim_start_matches('^'));
        found.push(Phrase { class, at_start: text.starts_with('^'), is_spaced: !text.chars().any(is_cjk) });
    }
    // Twice as fast as the usual kind, for some more memory.
    Some((AhoCorasick::builder().kind(Some(AhoCorasickKind::DFA)).build(texts).ok()?, found))
});

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Meaning {
    /// How much it obliges; `None` if it does not by its words.
    pub(super) strength: Option<Strength>,
    pub(super) limits: bool,
    pub(super) refers: bool,
}

/// Returns what a sentence says that [`visible`](super::sentences::visible) has made, in lower case.
pub(super) fn meaning(lower: &str) -> Meaning {
    let mut meaning = Meaning::default();
    let Some((finder, phrases)) = &*PHRASES else { return meaning };
    let mut cancelled: Vec<std::ops::Range<usize>> = Vec::new();
    let mut made = Vec::new();
    for found in finder.find_overlapping_iter(lower) {
        let Some(phrase) = phrases.get(found.pattern().as_usize()) else { continue };
        let (before, after) = (&lower[..found.start()], &lower[found.end()..]);
        let is_word = |c: char| c.is_alphanumeric() || matches!(c, '-' | '\'' | '_');
        if phrase.is_spaced && (before.ends_with(is_word) || after.starts_with(is_word)) {
            continue;
        }
        let before = before.trim_end();
        let begins = || !before.contains(char::is_alphanumeric);
        match phrase.class {
            "except" => meaning.limits |= begins(),
            "refer" => meaning.refers |= begins(),
            _ if phrase.at_start && !(before.ends_with(CLAUSE_ENDS) || begins()) => {}
            "cancel" => cancelled.push(found.range()),
            "oblige" => made.push((found.range(), Strength::Obliges)),
            _ => made.push((found.range(), Strength::Advises)),
        }
    }
    let stands =
        |range: &std::ops::Range<usize>| !cancelled.iter().any(|it| it.start <= range.start && range.end <= it.end);
    meaning.strength = made.into_iter().filter(|(range, _)| stands(range)).map(|(_, strength)| strength).max();
    meaning
}

const CLAUSE_ENDS: [char; 9] = [',', ';', ':', '–', '—', '(', '.', '-', '/'];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TitleMeaning {
    Rules,
    Forbidden,
    Wrong,
    Skipped,
}

pub(super) fn title_words(title: &str) -> String {
    let lower = title.to_lowercase();
    let words: Vec<&str> = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    words.join(" ")
}

pub(super) fn title_meaning(words: &str) -> Option<TitleMeaning> {
    let classes = [
        ("skip", TitleMeaning::Skipped),
        ("wrong", TitleMeaning::Wrong),
        ("forbid", TitleMeaning::Forbidden),
        ("rules", TitleMeaning::Rules),
    ];
    classes.into_iter().find(|(class, _)| is_in(class, words)).map(|(_, meaning)| meaning)
}

pub(super) fn is_condition(words: &str) -> bool {
    words.split(' ').next().is_some_and(|word| is_in("when", word))
}

pub(super) fn teaches(words: &str) -> bool {
    [words.split(' ').next(), words.rsplit(' ').next()].into_iter().flatten().any(|word| is_in("teaches", word))
}

/// Returns whether a title ends or begins with a word for rules, as `Architecture rules` and `架构规则`.
pub(super) fn ends_with_rules(words: &str) -> bool {
    let ends = [words.split(' ').next(), words.rsplit(' ').next()];
    let is_cjk_end = |end: &&str| end.contains(is_cjk) && words.ends_with(*end);
    ends.into_iter().flatten().any(|word| is_in("rules-end", word))
        || CLASSES.get("rules-end").is_some_and(|words| words.iter().any(is_cjk_end))
}

/// Returns whether a sentence, visible and in lower case, begins with an order, or has one behind a condition.
pub(super) fn is_order(lower: &str) -> bool {
    let mut clauses = lower.split([',', '，']);
    let words = |clause| str::split(clause, |c: char| !c.is_alphanumeric()).filter(|word: &&str| !word.is_empty());
    let orders = |clause| {
        let mut words = words(clause).skip_while(|word| is_in("then", word));
        let (first, second) = (words.next().unwrap_or_default(), words.next());
        // The imperative of French, and the polite one of German.
        let is_polite = first.len() > 3 && first.ends_with("ez") || first.ends_with("en") && second == Some("sie");
        is_polite || is_in("order", first)
    };
    let Some(condition) = clauses.next() else { return false };
    let leads = |word: &str| is_in("when", word) && word != "to" || is_in("then", word);
    let mut back = words(condition).rev();
    // `When you add, remove or …` orders nothing.
    let goes_on =
        back.next().is_some_and(|last| is_in("order", last)) && matches!(back.next(), Some("you" | "to" | "or"));
    orders(condition) || words(condition).next().is_some_and(leads) && !goes_on && clauses.next().is_some_and(orders)
}

/// Returns whether a text that introduces a list denies what the items say.
pub(super) fn denies(text: &str) -> bool {
    text.split(|c: char| !c.is_alphanumeric() && c != '\'').any(|word| is_in("deny", word))
}

pub(super) fn is_label(text: &str) -> bool {
    is_in("label", text.to_lowercase().trim())
}

/// Returns whether a document with this title, type or file name binds its readers: its instructions are rules.
pub fn is_binding(title: &str) -> bool {
    let words = title_words(title.get(..title.floor_char_boundary(200)).unwrap_or_default());
    let is_history =
        ["release notes", "release history", "changelog", "change log"].iter().any(|it| words.contains(it));
    !is_history && words.split(' ').any(|word| is_in("binds", word))
}

/// Returns whether `c` belongs to a script without spaces between words.
pub(super) fn is_cjk(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '々' | '\u{20000}'..='\u{2fa1f}')
}

/// Counts words: runs without a space that hold a letter or a digit; of Chinese and Japanese, two characters are a word.
pub(super) fn count(text: &str) -> usize {
    if text.is_ascii() {
        let says = |word: &&str| word.bytes().any(|b| b.is_ascii_alphanumeric());
        return text.split_ascii_whitespace().filter(says).count();
    }
    let is_plain = |c: char| c.is_alphanumeric() && !is_cjk(c);
    let words = text.split_whitespace().filter(|word| word.contains(is_plain)).count();
    words + text.chars().filter(|c| is_cjk(*c)).count().div_ceil(2)
}
