//! Whether a decision applies, by the words of its status.

use super::words::WordLists;
use std::sync::LazyLock;

static MEANINGS: LazyLock<WordLists> = LazyLock::new(|| WordLists::read(include_str!("decision.txt")));

fn means(meaning: &str, word: &str) -> bool {
    MEANINGS.has(meaning, word)
}

/// Returns how many words the longest phrase of a meaning has with which `words` begin.
fn phrase(words: &[&str], meaning: &str) -> Option<usize> {
    let begins = |phrase: &&str| {
        let length = phrase.split(' ').count();
        words.get(..length).is_some_and(|words| phrase.split(' ').eq(words.iter().copied())).then_some(length)
    };
    MEANINGS.of(meaning).iter().filter_map(begins).max()
}

/// Whether a decision applies; a later one counts more where a status says several.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum DecisionState {
    Unknown,
    Open,
    InForce,
    Inactive,
}

/// Returns what a status says, whose text has no markup. Of several states of a history (`Proposed → Accepted`) the last counts.
///
/// A decision is inactive by a word about itself: not by a negated one, one about another decision, or one about what it
/// replaces.
pub fn decision_state(status: &str) -> DecisionState {
    state_at(status, StatusPosition::Status)
}

/// Where a sentence stands; the further in front, the less it needs around a word that says a state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum StatusPosition {
    Later,
    /// At the beginning of a paragraph or list item.
    Paragraph,
    Status,
}

pub fn state_at(status: &str, position: StatusPosition) -> DecisionState {
    let lower = status.to_lowercase().replace(['’', '\''], "");
    if is_status_template(&lower) || is_without_successor(&lower) {
        return DecisionState::Unknown;
    }
    let steps: Vec<&str> =
        lower.split(['→', '⇒']).flat_map(|step| step.split("->")).flat_map(|step| step.split("=>")).collect();
    let said = |(index, step): (usize, &&str)| {
        let clauses = clauses(step);
        let place = |at| {
            if at > 0 {
                StatusPosition::Later
            } else {
                position.min(if index > 0 { StatusPosition::Paragraph } else { position })
            }
        };
        let mut found = DecisionState::Unknown;
        let (mut is_of_other, mut is_past) = (false, false);
        for (at, Clause { words, is_remark }) in clauses.iter().enumerate() {
            // `Accepted (was: rejected)`
            is_past = *is_remark && at > 0 && (is_past || means("past", words[0]));
            // `supersedes ADR-5 (rejected)`
            if is_past || *is_remark && is_of_other {
                continue;
            }
            let state = clause_state(words, place(at));
            is_of_other = state == DecisionState::Unknown && is_reference(words, words.len() - 1);
            found = found.max(state);
        }
        Some(found).filter(|state| *state != DecisionState::Unknown)
    };
    steps.iter().enumerate().rev().find_map(said).unwrap_or(DecisionState::Unknown)
}

fn clause_state(words: &[&str], position: StatusPosition) -> DecisionState {
    let phrase = |at: usize, meaning: &str| phrase(&words[at..], meaning);
    if (0..words.len()).any(|at| phrase(at, "other").is_some()) {
        return DecisionState::Inactive;
    }
    let (mut at, mut state) = (0, DecisionState::Unknown);
    while at < words.len() {
        if let Some(length) = phrase(at, "inactive") {
            let is_whole = words[at + length..].get(..2) != Some(&["in", "part"]);
            let is_own = match words.get(at + length) {
                None => true,
                Some(next) if means("follow", next) || is_number(next) && !is_reference(words, at + length) => true,
                Some(_) if position == StatusPosition::Status && at == 0 => true,
                Some(_) => position > StatusPosition::Later && is_reference(words, at + length),
            };
            return if is_own && is_whole { DecisionState::Inactive } else { state };
        }
        if let Some(denying) = phrase(at, "denying") {
            let skips = |at: &usize| means("filler", words[*at]) || words[*at] == "yet";
            let found = |at: usize| Some((at, phrase(at, "deniable")?));
            let first = (at + denying..words.len()).find(|at| found(*at).is_some() || !skips(at));
            let Some((denied, length)) = first.and_then(found) else { break };
            let is_whole = words.get(denied + length).is_none_or(|next| means("follow", next) || *next == "yet");
            return match words[at..].contains(&"yet") {
                true => state.max(DecisionState::Open),
                false if position > StatusPosition::Later || is_whole => DecisionState::Inactive,
                false => state,
            };
        }
        let next = phrase(at, "in force").map(|length| (length, DecisionState::InForce));
        let next = next.or_else(|| phrase(at, "open").map(|length| (length, DecisionState::Open)));
        let filler = || {
            let is_month = |name: &&str| name == &words[at] || words[at].len() == 3 && name.starts_with(words[at]);
            let is_date = is_number(words[at]) && (at == 0 || words[at - 1] != "adr");
            let is_date = is_date || MEANINGS.of("month").iter().any(is_month);
            (means("filler", words[at]) || is_date).then_some((1, DecisionState::Unknown))
        };
        match next.or_else(filler) {
            Some((length, said)) => (at, state) = (at + length, state.max(said)),
            None => break,
        }
    }
    state
}

/// Returns whether the word at `at` names another decision: `adr-9`, `adr 9`, `0009-x.md`, `#9`.
fn is_reference(words: &[&str], at: usize) -> bool {
    let is_named = |word: &str| word == "adr" || word.bytes().any(|byte| byte.is_ascii_digit());
    words.get(at).is_some_and(|word| is_named(word) && !has_year(word))
}

/// Returns whether a word is made of digits, as dates and their parts are.
fn is_number(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_digit())
        && word
            .trim_end_matches(['s', 't', 'n', 'd', 'r', 'h'])
            .bytes()
            .all(|byte| byte.is_ascii_digit() || byte == b'-' || byte == b'/')
}

/// The words of a clause, and whether it is in parentheses behind another.
struct Clause<'a> {
    words: Vec<&'a str>,
    is_remark: bool,
}

fn clauses(text: &str) -> Vec<Clause<'_>> {
    let mut clauses = Vec::new();
    let (mut start, mut is_remark) = (0, false);
    let chars: Vec<(usize, char)> = text.char_indices().collect();
    for (index, (at, c)) in chars.iter().enumerate() {
        let near = |offset: isize| index.checked_add_signed(offset).and_then(|index| chars.get(index)).map(|(_, c)| *c);
        let is_between = |test: &dyn Fn(char) -> bool| near(-1).is_some_and(test) && near(1).is_some_and(test);
        let divides = match c {
            ',' | ';' | '(' | ')' | '[' | ']' | '—' | '–' | '|' | '!' | '?' | '\n' => true,
            '.' | ':' => near(1).is_none_or(char::is_whitespace),
            '-' => is_between(&char::is_whitespace),
            '/' => !is_between(&|c| c.is_ascii_digit()),
            _ => false,
        };
        if divides {
            clauses.push(Clause { words: words(&text[start..*at]), is_remark });
            is_remark = *c == '(' || is_remark && *c == ':';
            start = at + c.len_utf8();
        }
    }
    clauses.push(Clause { words: words(&text[start..]), is_remark });
    clauses.retain(|clause| !clause.words.is_empty());
    clauses
}

fn words(clause: &str) -> Vec<&str> {
    let bare = |word| str::trim_matches(word, |c: char| !c.is_alphanumeric());
    clause.split_whitespace().map(bare).filter(|word| !word.is_empty()).collect()
}

/// Returns whether a text in lower case is the unfilled part of a template: alternatives, a question, or a placeholder.
pub fn is_status_template(lower: &str) -> bool {
    let text = lower.trim();
    if text.ends_with('?') {
        return true;
    }
    let states = |separators: &[&str]| {
        let mut parts = vec![text];
        for separator in separators {
            parts = parts.iter().flat_map(|part| part.split(separator)).collect();
        }
        let mut states: Vec<(DecisionState, usize)> = parts
            .into_iter()
            .map(words)
            .map(|words| (clause_state(&words, StatusPosition::Status), words.len()))
            .filter(|(state, _)| *state != DecisionState::Unknown)
            .collect();
        states.sort_unstable();
        states
    };
    if states(&["|"]).len() > 1 {
        return true;
    }
    let either = states(&["/", "\\", " or "]);
    let differ = either.iter().any(|(state, _)| *state == DecisionState::Open)
        && either.iter().any(|(state, _)| *state != DecisionState::Open);
    // `Proposed, Accepted, Rejected`: nothing but states.
    let list = states(&[",", "/", ";", " or "]);
    either.len() > 2 || differ || list.len() > 2 && list.iter().all(|(_, words)| *words == 1)
}

/// Returns whether a text in lower case names nothing by which the decision was replaced: `superseded by: none`.
fn is_without_successor(lower: &str) -> bool {
    let words = words(lower);
    let [first, by, rest @ ..] = &words[..] else { return false };
    let value = lower.split_once("by").map_or("", |(_, value)| value);
    *by == "by" && means("inactive", first) && (rest.is_empty() || names_nothing(value))
}

/// Returns whether the value of a field names nothing.
pub fn names_nothing(value: &str) -> bool {
    let value = value.to_lowercase().replace(['/', '\\', '.'], "");
    let value = words(&value).join(" ");
    value.is_empty() || means("none", &value)
}

/// Returns whether the name of a field says that its value replaced the decision: `superseded_by`.
pub fn names_successor(field: &str) -> bool {
    let plain: String = field.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
    means("successor", &plain)
}

/// Returns whether a line says that something replaces what it is about.
pub fn states_successor(line: &str) -> bool {
    let plain = line.to_lowercase().replace(['_', '-'], " ");
    MEANINGS.of("succession").iter().any(|words| plain.contains(words))
}

/// Returns whether a text has a year in it, as dates have.
pub fn has_year(text: &str) -> bool {
    let is_year = |part: &str| part.len() == 4 && part.parse().is_ok_and(|year: u32| (1900..2200).contains(&year));
    text.split(|c: char| !c.is_alphanumeric()).any(is_year)
}
