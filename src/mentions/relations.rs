//! Relations that a text states: labels, sentences, headings and task lists.

use crate::markdown::Run;
use crate::mentions::clauses::{ClauseReader, is_at_least};
use crate::mentions::sections::HeadingMeaning;
use crate::mentions::vocabulary::pattern;
use crate::mentions::words::{NameStrength, id_range};
use crate::model::{LineStarts, Relation};
use regex::Regex;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::LazyLock;

/// The part of a body that states a relation, as its evidence names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Via {
    /// A task list under a heading of children.
    Checklist,
    /// A sentence, a list item or a heading.
    Body,
}

/// How a text names an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum NameForm {
    /// By a word with the form of an id or an issue.
    Usual,
    /// By a word that must be the exact id of an item, or names nothing.
    Exact,
    /// By a word with a digit that is a whole entry where a relation was announced: it names an item, or is misspelled.
    Entry,
    /// By a link to its file.
    Link,
}

/// A relation that a text states.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BodyRelation {
    /// The relation of the named item to the item with this text.
    pub relation: Relation,
    /// The named item: `#12`, `GH-12`, `owner/repo#12`, a URL, an id; the target of a link.
    pub target: String,
    /// How it is named.
    pub form: NameForm,
    /// The line.
    pub line: u32,
    /// The part of the text.
    pub via: Via,
}

/// `Blocked by:` at the start of a line.
pub(super) static LABEL: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)^[ \t]*(?:[-*•+][ \t]+)?(parent(?:[ _-](?:issue|feature|epic|task|item|url|link|story))*|part[ -]of|child(?:ren|[ -](?:issues?|tasks?|features?|items?))|sub-?(?:issues?|tasks?)|blocks|blocking|blocked[ -](?:by|on)|depends[ -](?:up)?on|dependencies|related(?:[ -](?:to|issues?|tasks?|items?|prs?))*)[ \t]*(?:\([^()\n]{0,40}\)[ \t]*)?[:：]",
    )
});
/// The relations of labels by how these begin; any other is a dependency.
const LABELS: [(&str, Relation); 6] = [
    ("par", Relation::Parent),
    ("child", Relation::Child),
    ("sub", Relation::Child),
    ("blocked", Relation::BlockedBy),
    ("block", Relation::Blocks),
    ("rel", Relation::Related),
];
/// `Part of #12`, `Blocks #12` at the start of a line.
static START: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?i)^[ \t]*(?:[-*•+][ \t]+)?(?:(part[ -]of)|(blocks))\b"));
/// What a text contains that states a relation by its own words, independent of headings and labels above it; parts of
/// labels count with a colon. Most prose is not read word by word.
static PHRASE_HINT: LazyLock<Regex> = LazyLock::new(|| pattern("(?i)depend|bloc|part[ -]of"));
static LABEL_HINT: LazyLock<Regex> = LazyLock::new(|| pattern("(?i)parent|child|relat|ub-?[it]"));

/// The most ids between the ends of ranges that one text names.
const MAX_BETWEEN: usize = 1000;

/// Collects the relations of a text, run by run.
#[derive(Debug, Default)]
pub(super) struct RelationCollector {
    found: Vec<BodyRelation>,
    seen: BTreeSet<(u32, Relation, String)>,
    label: Option<PendingLabel>,
    /// How many ids between the ends of ranges there were.
    between: usize,
}

/// A label without targets on its line: it applies to the list below it, or to the next paragraph.
#[derive(Debug, Clone, Copy)]
struct PendingLabel {
    relation: Relation,
    /// The number of lists around it.
    depth: usize,
    /// Whether it was applied to a list.
    used: bool,
}

impl RelationCollector {
    /// Reads a run in a section with the meaning `section`.
    pub(super) fn read(&mut self, run: &Run, section: Option<HeadingMeaning>, lines: &LineStarts) {
        let text = &run.spoken.text;
        let announced = self.label.is_some()
            || matches!(section, Some(HeadingMeaning::Relation(_) | HeadingMeaning::Children { .. }));
        let is_hinted = || PHRASE_HINT.is_match(text) || text.contains([':', '：']) && LABEL_HINT.is_match(text);
        if run.quoted || !announced && !is_hinted() && run.bold_line().is_none() {
            return;
        }
        let clauses = ClauseReader::of(run);
        if clauses.words.is_empty() {
            return;
        }
        let label = self.label_for(run, &clauses);
        let mut reader = RunReader { clauses, run, section, lines, used: BTreeSet::new(), found: Vec::new() };
        let label_below = reader.read(label);
        reader.found.into_iter().for_each(|(_, stated)| self.add(stated));
        if let Some(relation) = label_below {
            self.label = Some(PendingLabel { relation, depth: run.lists, used: false });
        }
    }

    /// Returns all that was read, in order.
    pub(super) fn finish(self) -> Vec<BodyRelation> {
        self.found
    }

    /// Adds a relation: of a range its ends, and what is between them, of items those that exist.
    fn add(&mut self, stated: BodyRelation) {
        let range = id_range(&stated.target).filter(|_| stated.form != NameForm::Link);
        let Some(range) = range else { return self.add_one(stated) };
        let one = |target, form| BodyRelation { target, form, ..stated };
        self.add_one(one(range.first, stated.form));
        if stated.relation == Relation::Parent {
            return;
        }
        self.add_one(one(range.last, stated.form));
        let form = if range.are_issues { NameForm::Usual } else { NameForm::Exact };
        let room = MAX_BETWEEN.saturating_sub(self.between);
        self.between += range.between.len();
        range.between.into_iter().take(room).for_each(|between| self.add_one(one(between, form)));
    }

    fn add_one(&mut self, stated: BodyRelation) {
        if self.seen.insert((stated.line, stated.relation, stated.target.clone())) {
            self.found.push(stated);
        }
    }

    /// Returns the label above that applies to this run.
    fn label_for(&mut self, run: &Run, clauses: &ClauseReader<'_>) -> Option<Relation> {
        let label = self.label?;
        if run.lists > label.depth && !run.heading {
            self.label = Some(PendingLabel { used: true, ..label });
            return Some(label.relation);
        }
        self.label = None;
        let answers = clauses.begins_with_id(0);
        (answers && !label.used && run.lists == 0 && label.depth == 0 && !run.heading).then_some(label.relation)
    }
}

/// Reads the relations that one run states.
struct RunReader<'a> {
    clauses: ClauseReader<'a>,
    run: &'a Run,
    section: Option<HeadingMeaning>,
    lines: &'a LineStarts,
    /// The words that name an item already.
    used: BTreeSet<usize>,
    /// The relations, each with its byte.
    found: Vec<(usize, BodyRelation)>,
}

impl RunReader<'_> {
    /// Reads the run, to which the label `above` applies, and returns the label on its last line if that has no targets.
    fn read(&mut self, above: Option<Relation>) -> Option<Relation> {
        let run = self.run;
        if let Some(HeadingMeaning::Children { named }) = self.section
            && run.lists > 0
        {
            let is_child = run.first_of_item && above.is_none() && (run.task || named && run.lists == 1);
            if is_child {
                self.child();
                return None;
            }
        } else {
            self.claimed();
        }
        let text = self.clauses.text;
        let (mut offset, mut label, mut label_above) = (0, None, None);
        for line in text.split('\n') {
            let range = self.clauses.word_at(offset)..self.clauses.word_at(offset + line.len() + 1);
            // A label of this run applies to the lines below it while they begin with an id.
            let begins = !range.is_empty() && self.clauses.begins_with_id(range.start);
            label_above = label_above.filter(|_| begins);
            label = self.line(line, offset, range, label_above.or(above));
            label_above = label.or(label_above);
            offset += line.len() + 1;
        }
        self.found.sort_by_key(|(at, _)| *at);
        label
    }

    /// Adds what phrases name.
    fn claimed(&mut self) {
        for index in 0..self.clauses.words.len() {
            if let Some(Some(relation)) = self.clauses.claimed[index] {
                self.used.insert(index);
                self.state(index, relation, false);
            }
        }
        for (link, relation) in std::mem::take(&mut self.clauses.claimed_links) {
            self.state_link(link, relation);
        }
    }

    /// Reads one line to which the label `pending` applies, and returns its label if that has no targets.
    fn line(&mut self, line: &str, offset: usize, words: Range<usize>, pending: Option<Relation>) -> Option<Relation> {
        let label =
            LABEL.captures(line).and_then(|found| Some((found.get(0)?.end(), relation_of(found.get(1)?.as_str()))));
        if let Some((length, relation)) = label {
            let end = offset + length;
            let rest = self.clauses.word_at(end)..words.end;
            if rest.is_empty() {
                return Some(relation);
            }
            let leading = self.clauses.list(end, words.end, true);
            if !self.clauses.asks(offset, self.end_of(&leading, end)) {
                self.take(rest, &leading, true, relation);
            }
            return None;
        }
        // In a list a line in bold is a label without its colon.
        if offset == 0
            && self.run.lists > 0
            && self.run.bold_line().is_some()
            && let Some(name) = LABEL.captures(&format!("{line}:")).and_then(|found| found.get(1))
        {
            return Some(relation_of(name.as_str()));
        }
        if self.beginning(line, offset, words.end) {
            return None;
        }
        let begins = self.clauses.words.get(words.start).is_some_and(|word| is_at_least(word, NameStrength::Sure));
        let relation = match (pending, self.section) {
            (Some(relation), _) => relation,
            (None, Some(HeadingMeaning::Relation(relation))) if !self.run.heading => relation,
            (None, Some(HeadingMeaning::Children { named: true }))
                if begins && self.run.lists == 0 && !self.run.heading =>
            {
                Relation::Child
            }
            _ => return None,
        };
        let leading = self.leading(words.clone());
        self.take(words, &leading, false, relation);
        None
    }

    /// Reads `Part of #12` and `Blocks #12`, and returns whether the line is one of these.
    fn beginning(&mut self, line: &str, offset: usize, until: usize) -> bool {
        let Some(found) = START.captures(line) else { return false };
        let relation = if found.get(1).is_some() { Relation::Parent } else { Relation::Blocks };
        let leading = self.clauses.list(offset + found[0].len(), until, false);
        if !leading.first().is_some_and(|first| self.clauses.begins_with_id(*first)) {
            return false;
        }
        if !self.clauses.asks(offset, self.end_of(&leading, offset)) {
            for index in leading {
                if self.clauses.claimed[index].is_none() && self.used.insert(index) {
                    self.state(index, relation, false);
                }
            }
        }
        true
    }

    /// Returns where the last of some words ends, or `default` if there is none.
    fn end_of(&self, words: &[usize], default: usize) -> usize {
        words.last().map_or(default, |last| self.clauses.words[*last].end)
    }

    /// Returns the words of a range outside parentheses.
    fn outside_remarks(&self, range: Range<usize>) -> Vec<usize> {
        let (mut depth, mut end) = (0_i32, None);
        range
            .filter(|index| {
                let word = &self.clauses.words[*index];
                let gap = end.and_then(|end| self.clauses.text.get(end..word.start)).unwrap_or_default();
                end = Some(word.end);
                for c in gap.chars() {
                    depth = match c {
                        '(' => depth + 1,
                        ')' => (depth - 1).max(0),
                        _ => depth,
                    };
                }
                depth == 0
            })
            .collect()
    }

    /// Returns the list of names that an announced entry begins with.
    fn leading(&self, range: Range<usize>) -> Vec<usize> {
        let clauses = &self.clauses;
        let first = range.clone().next();
        let first = first.filter(|first| clauses.words[*first].target.is_some() || clauses.names(*first, true));
        first.map(|first| clauses.list(clauses.words[first].start, range.end, true)).unwrap_or_default()
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
        let is_free = |index: &usize| {
            let is_denied = || clauses.is_denied_name(clauses.words[*index].start);
            clauses.claimed[*index].is_none() && !self.used.contains(index) && !is_denied()
        };
        let is = |index: &usize, strength| is_at_least(&clauses.words[*index], strength);
        let leading: Vec<usize> =
            leading.iter().copied().filter(|index| range.contains(index)).filter(is_free).collect();
        let (mut chosen, mut exact): (BTreeSet<usize>, BTreeSet<usize>) =
            leading.iter().copied().partition(|index| clauses.words[*index].target.is_some());
        chosen.extend(range.clone().filter(|index| is(index, NameStrength::Sure)).filter(is_free));
        if is_label || chosen.is_empty() {
            let ids = self.outside_remarks(range.clone()).into_iter();
            chosen.extend(ids.filter(|index| is(index, NameStrength::Id)).filter(is_free));
        }
        let links = self.links_in(&range);
        if chosen.is_empty() && !exact.iter().any(|index| clauses.is_mixed(*index) || clauses.words[*index].code) {
            exact.extend(range.filter(|index| clauses.is_mixed(*index)).filter(is_free));
        }
        let most = if relation == Relation::Parent { 1 } else { usize::MAX };
        let links: Vec<usize> =
            links.filter(|link| !clauses.is_denied_name(clauses.links[*link].range.start)).take(most).collect();
        for index in chosen.into_iter().take(most).chain(exact.into_iter().take(most)) {
            self.used.insert(index);
            self.state(index, relation, leading.contains(&index));
        }
        links.into_iter().for_each(|link| self.state_link(link, relation));
    }

    /// Returns the links among some words.
    fn links_in(&self, words: &Range<usize>) -> Range<usize> {
        let clauses = &self.clauses;
        let start = clauses.words.get(words.start).map_or(clauses.text.len(), |word| word.start);
        let end = words.end.checked_sub(1).and_then(|last| clauses.words.get(last)).map_or(0, |word| word.end);
        let at = |byte: usize| clauses.links.partition_point(|link| link.range.start < byte);
        at(start)..at(end)
    }

    /// Adds the children that a list item under a heading of children names: those it begins with, or all issues in it.
    fn child(&mut self) {
        let clauses = &self.clauses;
        let all = 0..clauses.words.len();
        if clauses.says_none(&all) {
            return;
        }
        let is_sure = |index: &usize| is_at_least(&clauses.words[*index], NameStrength::Sure);
        let is_free =
            |index: &usize| clauses.claimed[*index].is_none() && !clauses.is_denied_name(clauses.words[*index].start);
        let leading = self.leading(all.clone());
        let (mut chosen, exact): (Vec<usize>, Vec<usize>) =
            leading.iter().copied().partition(|index| clauses.words[*index].target.is_some());
        // `cache-first design (#7)` begins with words that only look like an id.
        if chosen.len() < 2 && !chosen.iter().any(is_sure) {
            let others: Vec<usize> = all.filter(is_sure).filter(is_free).collect();
            chosen = if others.is_empty() { chosen } else { others };
        }
        let link = clauses.links.first().filter(|link| clauses.text[..link.range.start].trim().is_empty()).map(|_| 0);
        for index in chosen.into_iter().chain(exact) {
            self.state(index, Relation::Child, leading.contains(&index));
        }
        link.into_iter().for_each(|link| self.state_link(link, Relation::Child));
        if self.run.task {
            self.found.iter_mut().for_each(|(_, stated)| stated.via = Via::Checklist);
        }
    }

    /// Adds the item that a word names; one that is a whole announced entry must exist.
    fn state(&mut self, index: usize, relation: Relation, is_entry: bool) {
        let word = self.clauses.words[index];
        let form = match word.target {
            _ if is_entry && self.clauses.must_name(index) => NameForm::Entry,
            Some(_) => NameForm::Usual,
            None => NameForm::Exact,
        };
        self.add(word.start, relation, word.target.map_or(word.text, |(target, _)| target).to_owned(), form);
    }

    fn state_link(&mut self, link: usize, relation: Relation) {
        let link = &self.clauses.links[link];
        self.add(link.range.start, relation, link.target.clone(), NameForm::Link);
    }

    fn add(&mut self, at: usize, relation: Relation, target: String, form: NameForm) {
        let line = self.lines.line(self.run.spoken.source(at));
        self.found.push((at, BodyRelation { relation, target, form, line, via: Via::Body }));
    }
}

fn relation_of(label: &str) -> Relation {
    let label = label.to_lowercase();
    LABELS.iter().find(|(start, _)| label.starts_with(start)).map_or(Relation::DependsOn, |(_, relation)| *relation)
}
