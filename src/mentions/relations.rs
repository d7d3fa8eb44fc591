//! Relations that a text states: labels, sentences, headings and task lists.

use crate::markdown::{LinkSpan, Run, without_parentheses};
use crate::mentions::clauses::ClauseReader;
use crate::mentions::vocabulary::{means, pattern, words_for};
use crate::mentions::words::{NameStrength, id_range};
use crate::model::{LineStarts, Relation};
use regex::Regex;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::LazyLock;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Via {
    Checklist,
    /// A sentence, a list item or a heading.
    Body,
    /// A keyword such as `Fixes`, which relates a pull request to what it closes; in other texts it states nothing.
    Closing,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum NameForm {
    /// By a word with the form of an id or an issue.
    Usual,
    /// By a word that must be the exact id of an item, or names nothing.
    Exact,
    /// By a word with a digit that is a whole entry where a relation was announced: it names an item, or is misspelled.
    Entry,
    Link,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BodyRelation {
    pub relation: Relation,
    /// The named item: `#12`, `GH-12`, `owner/repo#12`, a URL, an id; the target of a link.
    pub target: String,
    pub form: NameForm,
    pub line: u32,
    pub via: Via,
}

pub(super) static LABEL: LazyLock<Regex> = LazyLock::new(|| pattern("label of a relation"));
/// The relations of labels by how these begin; any other is a dependency.
const LABELS: [(&str, Relation); 6] = [
    ("par", Relation::Parent),
    ("child", Relation::Child),
    ("sub", Relation::Child),
    ("blocked", Relation::BlockedBy),
    ("block", Relation::Blocks),
    ("rel", Relation::Related),
];
static START: LazyLock<Regex> = LazyLock::new(|| pattern("beginning of a relation"));
static CLOSING: LazyLock<Regex> = LazyLock::new(|| pattern("closing keyword"));
static PHRASE_HINT: LazyLock<Regex> = LazyLock::new(|| pattern("hint of a phrase"));
static LABEL_HINT: LazyLock<Regex> = LazyLock::new(|| pattern("hint of a label"));

/// The most ids between the ends of ranges that one text names.
const MAX_BETWEEN: usize = 1000;

#[derive(Debug, Default)]
pub(super) struct RelationCollector {
    found: Vec<BodyRelation>,
    seen: BTreeSet<(u32, Relation, String)>,
    label: Option<PendingLabel>,
    /// How many ids between the ends of ranges there were.
    between: usize,
}

#[derive(Debug, Clone, Copy)]
struct PendingLabel {
    relation: Relation,
    depth: usize,
    used: bool,
}

impl RelationCollector {
    pub(super) fn read(&mut self, run: &Run, section: Option<HeadingMeaning>, lines: &LineStarts) {
        let text = &run.spoken.text;
        let is_announced = self.label.is_some()
            || matches!(section, Some(HeadingMeaning::Relation(_) | HeadingMeaning::Children { .. }));
        let is_hinted = || PHRASE_HINT.is_match(text) || text.contains([':', '：']) && LABEL_HINT.is_match(text);
        if run.quoted || !is_announced && !is_hinted() && run.bold_line().is_none() {
            return;
        }
        let clauses = ClauseReader::of(run);
        if clauses.words.is_empty() {
            return;
        }
        let above = self.label_for(run, &clauses);
        let mut reader =
            RunReader { clauses, run, section, lines, used: BTreeSet::new(), via: Via::Body, found: Vec::new() };
        let below = reader.read(above);
        reader.found.into_iter().for_each(|(_, stated)| self.add(stated));
        if let Some(relation) = below {
            self.label = Some(PendingLabel { relation, depth: run.lists, used: false });
        }
    }

    pub(super) fn finish(self) -> Vec<BodyRelation> {
        self.found
    }

    /// Adds a relation: of a range its ends, and what is between them, of items those that exist.
    fn add(&mut self, stated: BodyRelation) {
        let range = id_range(&stated.target).filter(|_| stated.form != NameForm::Link);
        let Some(([first, last], between, are_issues)) = range else { return self.add_one(stated) };
        let one = |target, form| BodyRelation { target, form, ..stated };
        self.add_one(one(first, stated.form));
        if stated.relation == Relation::Parent {
            return;
        }
        self.add_one(one(last, stated.form));
        let form = if are_issues { NameForm::Usual } else { NameForm::Exact };
        let room = MAX_BETWEEN.saturating_sub(self.between);
        self.between += between.len();
        between.into_iter().take(room).for_each(|between| self.add_one(one(between, form)));
    }

    fn add_one(&mut self, stated: BodyRelation) {
        if self.seen.insert((stated.line, stated.relation, stated.target.clone())) {
            self.found.push(stated);
        }
    }

    fn label_for(&mut self, run: &Run, clauses: &ClauseReader<'_>) -> Option<Relation> {
        let label = self.label.take()?;
        if run.lists > label.depth && !run.heading {
            self.label = Some(PendingLabel { used: true, ..label });
            return Some(label.relation);
        }
        let is_answer = !label.used && run.lists == 0 && label.depth == 0 && !run.heading && clauses.begins_with_id(0);
        is_answer.then_some(label.relation)
    }
}

struct RunReader<'a> {
    clauses: ClauseReader<'a>,
    run: &'a Run,
    section: Option<HeadingMeaning>,
    lines: &'a LineStarts,
    used: BTreeSet<usize>,
    /// How the relations are stated that are found next.
    via: Via,
    found: Vec<(usize, BodyRelation)>,
}

impl RunReader<'_> {
    /// Reads the run, to which the label `above` applies, and returns the label on its last line if that has no targets.
    fn read(&mut self, above: Option<Relation>) -> Option<Relation> {
        let run = self.run;
        match self.section {
            Some(HeadingMeaning::Children { named }) if run.lists > 0 => {
                if run.first_of_item && above.is_none() && (run.ticked.is_some() || named && run.lists == 1) {
                    self.child();
                    return None;
                }
            }
            _ => self.claimed(),
        }
        let (mut offset, mut label, mut label_above) = (0, None, None);
        for line in self.clauses.text.split('\n') {
            let range = self.clauses.word_at(offset)..self.clauses.word_at(offset + line.len() + 1);
            // A label of this run applies to the lines below it while they begin with an id.
            label_above = label_above.filter(|_| !range.is_empty() && self.clauses.begins_with_id(range.start));
            label = self.line(line, offset, range, label_above.or(above));
            label_above = label.or(label_above);
            offset += line.len() + 1;
        }
        self.closed();
        self.found.sort_by_key(|(at, _)| *at);
        label
    }

    /// Reads `Fixes #12`, unless a phrase or a label names the item.
    fn closed(&mut self) {
        self.via = Via::Closing;
        for keyword in CLOSING.find_iter(self.clauses.text) {
            let next = self.clauses.word_at(keyword.end());
            let is_name = self.clauses.words.get(next).is_some_and(|word| word.start == keyword.end())
                && self.clauses.is_at_least(next, NameStrength::Id);
            if is_name && self.is_free(next) && !self.clauses.denies(keyword.start(), self.clauses.words[next].end) {
                self.state(next, Relation::Related, false);
            }
        }
    }

    fn claimed(&mut self) {
        for index in 0..self.clauses.words.len() {
            if let Some(Some(relation)) = self.clauses.claimed[index] {
                self.state(index, relation, false);
            }
        }
        for (link, relation) in std::mem::take(&mut self.clauses.claimed_links) {
            self.state_link(link, relation);
        }
    }

    fn line(&mut self, line: &str, offset: usize, words: Range<usize>, pending: Option<Relation>) -> Option<Relation> {
        if let Some((end, relation)) = label_of(line).map(|(length, relation)| (offset + length, relation)) {
            let rest = self.clauses.word_at(end)..words.end;
            if rest.is_empty() {
                return Some(relation);
            }
            let leading = self.clauses.list(end, words.end, true);
            if !self.clauses.asks(offset, self.clauses.end_of(&leading, end)) {
                self.take(rest, &leading, true, relation);
            }
            return None;
        }
        // In a list a line in bold is a label without its colon.
        if offset == 0
            && self.run.lists > 0
            && self.run.bold_line().is_some()
            && let Some((_, relation)) = label_of(&format!("{line}:"))
        {
            return Some(relation);
        }
        if self.beginning(line, offset, words.end) {
            return None;
        }
        let of_section = || match self.section.filter(|_| !self.run.heading)? {
            HeadingMeaning::Relation(relation) => Some(relation),
            HeadingMeaning::Children { named: true } if self.run.lists == 0 => {
                let begins = !words.is_empty() && self.clauses.is_at_least(words.start, NameStrength::Sure);
                begins.then_some(Relation::Child)
            }
            _ => None,
        };
        let relation = pending.or_else(of_section)?;
        let leading = self.leading(words.clone());
        // Below a heading, what an entry begins with is meant; the rest of it says something about that.
        let first = self.clauses.words.get(words.start).map_or(0, |word| word.start);
        let link = self.links_in(&words).next().map(|link| &self.clauses.links[link].range);
        let words = match (leading.last(), link.filter(|link| link.start <= first)) {
            _ if pending.is_some() => words,
            (Some(last), _) => words.start..last + 1,
            (None, Some(link)) => words.start..self.clauses.word_at(link.end).min(words.end),
            (None, None) if self.run.lists > 0 => return None,
            (None, None) => words,
        };
        self.take(words, &leading, false, relation);
        None
    }

    /// Reads `Part of #12` and `Blocks #12`, and returns whether the line is one of these.
    fn beginning(&mut self, line: &str, offset: usize, until: usize) -> bool {
        let Some(found) = START.captures(line) else { return false };
        let relation = if found.get(1).is_some() { Relation::Parent } else { Relation::Blocks };
        let leading = self.clauses.list(offset + found[0].len(), until, false);
        let is_stated = leading.first().is_some_and(|first| self.clauses.begins_with_id(*first));
        if is_stated && !self.clauses.asks(offset, self.clauses.end_of(&leading, offset)) {
            for index in leading {
                if self.clauses.claimed[index].is_none() && !self.used.contains(&index) {
                    self.state(index, relation, false);
                }
            }
        }
        is_stated
    }

    fn outside_remarks(&self, range: Range<usize>) -> impl Iterator<Item = usize> {
        let (mut depth, mut end) = (0_i32, None);
        range.filter(move |index| {
            let word = &self.clauses.words[*index];
            let gap = end.and_then(|end| self.clauses.text.get(end..word.start)).unwrap_or_default();
            end = Some(word.end);
            for c in gap.chars() {
                depth = (depth + i32::from(c == '(') - i32::from(c == ')')).max(0);
            }
            depth == 0
        })
    }

    fn leading(&self, range: Range<usize>) -> Vec<usize> {
        let clauses = &self.clauses;
        let first = range.clone().next();
        let first = first.filter(|first| clauses.words[*first].target.is_some() || clauses.names(*first, true));
        first.map(|first| clauses.list(clauses.words[first].start, range.end, true)).unwrap_or_default()
    }

    /// Returns whether no phrase and no other label names a word, and the text does not deny it.
    fn is_free(&self, index: usize) -> bool {
        self.clauses.claimed[index].is_none()
            && !self.used.contains(&index)
            && !self.clauses.is_denied_name(self.clauses.words[index].start)
    }

    /// Adds the `leading` words and the other words of `range` that surely name an item.
    ///
    /// After a label, or if there are none of these, words that only look like an id count too. Of parents only the first
    /// word counts. Words that must be exact ids, and links, which must lead to the file of an item, come besides.
    fn take(&mut self, range: Range<usize>, leading: &[usize], is_label: bool, relation: Relation) {
        let clauses = &self.clauses;
        if clauses.says_none(&range) {
            return;
        }
        let free = |index: &usize| range.contains(index) && self.is_free(*index);
        let leading: Vec<usize> = leading.iter().copied().filter(free).collect();
        let (mut chosen, mut exact): (BTreeSet<usize>, BTreeSet<usize>) =
            leading.iter().copied().partition(|index| clauses.words[*index].target.is_some());
        let is = |index: &usize, strength| clauses.is_at_least(*index, strength);
        chosen.extend(range.clone().filter(|index| is(index, NameStrength::Sure)).filter(free));
        if is_label || chosen.is_empty() {
            let ids = self.outside_remarks(range.clone());
            chosen.extend(ids.filter(|index| is(index, NameStrength::Id)).filter(free));
        }
        if chosen.is_empty() && !exact.iter().any(|index| clauses.is_mixed(*index) || clauses.words[*index].code) {
            exact.extend(range.clone().filter(|index| clauses.is_mixed(*index)).filter(free));
        }
        let most = if relation == Relation::Parent { 1 } else { usize::MAX };
        let links = self.links_in(&range).filter(|link| !clauses.is_denied_name(clauses.links[*link].range.start));
        let links: Vec<usize> = links.take(most).collect();
        for index in chosen.into_iter().take(most).chain(exact.into_iter().take(most)) {
            self.state(index, relation, leading.contains(&index));
        }
        links.into_iter().for_each(|link| self.state_link(link, relation));
    }

    fn links_in(&self, words: &Range<usize>) -> Range<usize> {
        let ClauseReader { words: all, links, text, .. } = &self.clauses;
        let start = all.get(words.start).map_or(text.len(), |word| word.start);
        let end = self.clauses.end_of(&Vec::from_iter(words.clone().next_back()), 0);
        let at = |byte: usize| links.partition_point(|link| link.range.start < byte);
        at(start)..at(end)
    }

    /// Adds the children that a list item under a heading of children names: those it begins with, or all issues in it.
    fn child(&mut self) {
        let clauses = &self.clauses;
        let all = 0..clauses.words.len();
        if clauses.says_none(&all) {
            return;
        }
        self.via = if self.run.ticked.is_some() { Via::Checklist } else { Via::Body };
        let is_sure = |index: &usize| clauses.is_at_least(*index, NameStrength::Sure);
        let leading = self.leading(all.clone());
        let (mut chosen, exact): (Vec<usize>, Vec<usize>) =
            leading.iter().copied().partition(|index| clauses.words[*index].target.is_some());
        // `cache-first design (#7)` begins with words that only look like an id.
        if chosen.len() < 2 && !chosen.iter().any(is_sure) {
            let others: Vec<usize> = all.filter(is_sure).filter(|index| self.is_free(*index)).collect();
            chosen = if others.is_empty() { chosen } else { others };
        }
        let is_first = |link: &LinkSpan| clauses.text[..link.range.start].trim().is_empty();
        let link = clauses.links.first().is_some_and(is_first);
        for index in chosen.into_iter().chain(exact) {
            self.state(index, Relation::Child, leading.contains(&index));
        }
        if link {
            self.state_link(0, Relation::Child);
        }
    }

    fn state(&mut self, index: usize, relation: Relation, is_entry: bool) {
        self.used.insert(index);
        let word = self.clauses.words[index];
        let form = match word.target {
            _ if is_entry && self.clauses.must_name(index) => NameForm::Entry,
            Some(_) => NameForm::Usual,
            None => NameForm::Exact,
        };
        self.add(word.start, relation, word.target.map_or(word.text, |(target, _)| target).to_owned(), form);
    }

    fn state_link(&mut self, link: usize, relation: Relation) {
        let LinkSpan { range, target } = &self.clauses.links[link];
        self.add(range.start, relation, target.clone(), NameForm::Link);
    }

    fn add(&mut self, at: usize, relation: Relation, target: String, form: NameForm) {
        let line = self.lines.line(self.run.spoken.source(at));
        self.found.push((at, BodyRelation { relation, target, form, line, via: self.via }));
    }
}

fn label_of(line: &str) -> Option<(usize, Relation)> {
    let found = LABEL.captures(line)?;
    let label = found.get(1)?.as_str().to_lowercase();
    let relation = LABELS.iter().find(|(start, _)| label.starts_with(start));
    Some((found.get(0)?.end(), relation.map_or(Relation::DependsOn, |(_, relation)| *relation)))
}

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
