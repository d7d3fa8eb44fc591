//! Headings that give their sections a meaning: relations, children, ADRs.

use crate::markdown::{Run, without_parentheses};
use crate::mentions::vocabulary::{means, words_for};
use crate::model::Relation;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HeadingMeaning {
    /// The references in it are of this relation.
    Relation(Relation),
    /// Its list items are children; if the heading does not name children, such as `Tasks`, only those with a checkbox.
    Children { named: bool },
    /// Bare numbers in it are ADRs.
    Adrs,
}

fn meaning_of(title: &str) -> Option<HeadingMeaning> {
    let bare = without_parentheses(title).to_lowercase();
    let words: Vec<&str> = bare
        .split(|c: char| !(c.is_alphanumeric() || c == '-'))
        .filter(|word| !word.is_empty() && word.chars().any(char::is_alphabetic))
        .collect();
    let is = |meaning: &str| words_for(meaning).iter().any(|phrase| is_phrase(phrase, &words, &["thing"]));
    let relation = |relation: &Relation| is(&format!("heading {}", relation.name()));
    if let Some(relation) = Relation::ALL.into_iter().find(relation) {
        return Some(HeadingMeaning::Relation(relation));
    }
    let named = is("heading children");
    if named || is("heading tasks") {
        return Some(HeadingMeaning::Children { named });
    }
    let words = match words.split_first()? {
        (first, rest) if means("adr qualifier", first) => rest,
        _ => &words,
    };
    let is_adrs = |phrase: &&str| is_phrase(phrase, words, &["thing", "thing about adrs"]);
    words_for("heading adrs").iter().any(is_adrs).then_some(HeadingMeaning::Adrs)
}

/// Returns whether words are a phrase, in which `*` is any number of `things`.
fn is_phrase(phrase: &str, words: &[&str], things: &[&str]) -> bool {
    let (fixed, is_open) = phrase.strip_suffix(" *").map_or((phrase, false), |fixed| (fixed, true));
    let Some((head, rest)) = words.split_at_checked(fixed.split(' ').count()) else { return false };
    let is_thing = |word: &&str| things.iter().any(|meaning| means(meaning, word));
    fixed.split(' ').eq(head.iter().copied()) && (rest.is_empty() || is_open && rest.iter().all(is_thing))
}

const BOLD: u8 = 7;

#[derive(Debug, Default, Clone)]
pub(super) struct OpenSections(Vec<(u8, Option<HeadingMeaning>)>);

impl OpenSections {
    pub(super) fn open(&mut self, level: u8, title: &str) {
        while self.0.last().is_some_and(|(open, _)| *open >= level) {
            self.0.pop();
        }
        // A heading such as `Tasks` inside a children section groups children that are named there.
        let outer = self.current();
        let own = match (meaning_of(title), outer) {
            (Some(HeadingMeaning::Children { named: false }), Some(HeadingMeaning::Children { named: true })) => outer,
            (own, _) => own,
        };
        self.0.push((level, own));
    }

    /// Opens the section of a line in bold or italics, unless a colon makes it a label of a relation, or a number a statement.
    pub(super) fn open_bold(&mut self, run: &Run) {
        let Some(title) = run.bold_line().filter(|_| run.lists == 0 && !run.quoted && !run.heading) else { return };
        let label = title.ends_with([':', '：']) || run.full.text[run.bold..].trim_start().starts_with([':', '：']);
        let struck = run.spoken.text.trim().is_empty();
        let means = meaning_of(title).filter(|means| !(label && matches!(means, HeadingMeaning::Relation(_))));
        // Italics are often remarks, which end no section.
        if means.is_none() && run.italic
            || means.is_some() && (struck || title.contains(|c: char| c == '#' || c.is_numeric()))
        {
            return;
        }
        self.open(BOLD, if means.is_some() { title } else { "" });
    }

    pub(super) fn nest(&mut self) {
        self.0.iter_mut().for_each(|(level, _)| *level = 0);
    }

    pub(super) fn current(&self) -> Option<HeadingMeaning> {
        self.0.iter().rev().find_map(|(_, section)| *section)
    }
}
