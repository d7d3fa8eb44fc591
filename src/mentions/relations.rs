//! Relations that a text states: labels, sentences, headings and task lists.

use crate::markdown::{LinkSpan, Run};
use crate::mentions::clauses::{ClauseReader, is_at_least};
use crate::mentions::hints;
use crate::mentions::hints::pattern;
use crate::mentions::sections::HeadingMeaning;
use crate::mentions::words::{NameStrength, id_range};
use crate::model::LineStarts;
use crate::model::Relation;
use regex::Regex;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
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
/// `Part of #12`, `Blocks #12` at the start of a line.
static START: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?i)^[ \t]*(?:[-*•+][ \t]+)?(?:(part[ -]of)|(blocks))\b"));
/// Collects the relations of a text, run by run.
#[derive(Debug, Default)]
pub(super) struct RelationCollector {
    found: Vec<BodyRelation>,
    seen: BTreeSet<(u32, Relation, String)>,
    label: Option<PendingLabel>,
    /// How many ids between the ends of ranges there were.
    between: usize,
}

/// The most ids between the ends of ranges that one text names.
const MOST_BETWEEN: usize = 1000;

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
        if run.quoted {
            return;
        }
        // Without a hint in the run or an announcement above it, no relation is possible.
        let announced = self.label.is_some()
            || matches!(section, Some(HeadingMeaning::Relation(_) | HeadingMeaning::Children { .. }));
        if !announced && !hints::relations(&run.spoken.text) && run.bold_line().is_none() {
            return;
        }
        let clauses = ClauseReader::of(run);
        if clauses.words.is_empty() {
            return;
        }
        let label = self.label_for(run, &clauses);
        let stated = clauses.relations(run, section, label);
        for Stated { at, relation, target, form, via } in stated.found {
            let line = lines.line(run.spoken.source(at));
            let mut add = |target: String, form| {
                if self.seen.insert((line, relation, target.clone())) {
                    self.found.push(BodyRelation { relation, target, form, line, via });
                }
            };
            let Some(range) = id_range(&target).filter(|_| form != NameForm::Link) else {
                add(target, form);
                continue;
            };
            add(range.first, form);
            if relation == Relation::Parent {
                continue;
            }
            add(range.last, form);
            // Of items those that there are.
            let form = if range.are_issues { NameForm::Usual } else { NameForm::Exact };
            let room = MOST_BETWEEN.saturating_sub(self.between);
            self.between += range.between.len();
            range.between.into_iter().take(room).for_each(|between| add(between, form));
        }
        if let Some(relation) = stated.label {
            self.label = Some(PendingLabel { relation, depth: run.lists, used: false });
        }
    }

    /// Returns all that was read, in order.
    pub(super) fn finish(self) -> Vec<BodyRelation> {
        self.found
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

/// A relation at a byte of a run.
struct Stated {
    at: usize,
    relation: Relation,
    target: String,
    form: NameForm,
    via: Via,
}

/// The relations that one run states.
#[derive(Default)]
struct StatedRelations {
    found: Vec<Stated>,
    /// The label on the last line, if it has no targets of its own.
    label: Option<Relation>,
}

/// The kind of a line.
enum LineKind {
    /// A label without targets of its own.
    Label(Relation),
    /// Anything else.
    Text,
}

impl ClauseReader<'_> {
    fn relations(&self, run: &Run, section: Option<HeadingMeaning>, label: Option<Relation>) -> StatedRelations {
        let mut stated = StatedRelations::default();
        let child = match section {
            Some(HeadingMeaning::Children { named }) if run.lists > 0 && run.first_of_item && label.is_none() => {
                run.task || named && run.lists == 1
            }
            _ => false,
        };
        if child {
            self.child(run.task, &mut stated);
            return stated;
        }
        let in_children = matches!(section, Some(HeadingMeaning::Children { .. })) && run.lists > 0;
        let mut used: BTreeSet<usize> = BTreeSet::new();
        if !in_children {
            for (index, claim) in self.claimed.iter().enumerate() {
                if let Some(Some(relation)) = claim {
                    used.insert(index);
                    self.state(index, *relation, Via::Body, false, &mut stated);
                }
            }
            for (link, relation) in &self.claimed_links {
                self.state_link(*link, *relation, Via::Body, &mut stated);
            }
        }
        let (mut offset, mut label_above) = (0, None);
        for line in self.text.split('\n') {
            let range = self.word_at(offset)..self.word_at(offset + line.len() + 1);
            // A label of this run applies to the lines below it while they begin with an id.
            let begins = !range.is_empty() && self.begins_with_id(range.start);
            let pending = label_above.filter(|_| begins).or(label);
            label_above = match self.line(line, offset, range, section, pending, run, &mut used, &mut stated) {
                LineKind::Label(relation) => {
                    stated.label = Some(relation);
                    Some(relation)
                }
                LineKind::Text => {
                    stated.label = None;
                    label_above.filter(|_| begins)
                }
            };
            offset += line.len() + 1;
        }
        stated.found.sort_by_key(|stated| stated.at);
        stated
    }

    /// Reads one line to which the label `pending` applies.
    #[expect(clippy::too_many_arguments, reason = "the state of one loop, which has no meaning of its own")]
    fn line(
        &self,
        line: &str,
        offset: usize,
        range: std::ops::Range<usize>,
        section: Option<HeadingMeaning>,
        pending: Option<Relation>,
        run: &Run,
        used: &mut BTreeSet<usize>,
        stated: &mut StatedRelations,
    ) -> LineKind {
        if let Some(found) = LABEL.captures(line)
            && let (Some(whole), Some(name)) = (found.get(0), found.get(1))
        {
            let relation = label_relation(name.as_str());
            let rest = self.word_at(offset + whole.end())..range.end;
            if rest.is_empty() {
                return LineKind::Label(relation);
            }
            let leading = self.list(offset + whole.end(), range.end, true);
            let end = leading.last().map_or(offset + whole.end(), |last| self.words[*last].end);
            if !self.asks(offset, end) {
                self.take(rest, &leading, true, relation, used, stated);
            }
            return LineKind::Text;
        }
        // In a list a line in bold is a label without its colon.
        if offset == 0
            && run.lists > 0
            && run.bold_line().is_some()
            && let Some(name) = LABEL.captures(&format!("{line}:")).and_then(|found| found.get(1))
        {
            return LineKind::Label(label_relation(name.as_str()));
        }
        if let Some(found) = START.captures(line)
            && let Some(whole) = found.get(0)
        {
            let relation = if found.get(1).is_some() { Relation::Parent } else { Relation::Blocks };
            let leading = self.list(offset + whole.end(), range.end, false);
            let named = leading.first().is_some_and(|first| self.begins_with_id(*first));
            if let Some(last) = leading.last().filter(|_| named) {
                let asks = self.asks(offset, self.words[*last].end);
                for index in leading.into_iter().filter(|_| !asks) {
                    if self.claimed[index].is_none() && used.insert(index) {
                        self.state(index, relation, Via::Body, false, stated);
                    }
                }
                return LineKind::Text;
            }
        }
        let begins = self.words.get(range.start).is_some_and(|word| is_at_least(word, NameStrength::Sure));
        let relation = match (pending, section) {
            (Some(relation), _) => relation,
            (None, Some(HeadingMeaning::Relation(relation))) if !run.heading => relation,
            (None, Some(HeadingMeaning::Children { named: true })) if begins && run.lists == 0 && !run.heading => {
                Relation::Child
            }
            _ => return LineKind::Text,
        };
        let leading = self.leading(range.clone());
        self.take(range, &leading, false, relation, used, stated);
        LineKind::Text
    }

    /// Returns the words of a range outside parentheses.
    fn outside_remarks(&self, range: std::ops::Range<usize>) -> Vec<usize> {
        let mut depth = 0_i32;
        let mut end = None;
        range
            .filter(|index| {
                let word = &self.words[*index];
                let gap = end.and_then(|end| self.text.get(end..word.start)).unwrap_or_default();
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
    fn leading(&self, range: std::ops::Range<usize>) -> Vec<usize> {
        let first =
            range.clone().next().filter(|first| self.words[*first].target.is_some() || self.names(*first, true));
        first.map(|first| self.list(self.words[first].start, range.end, true)).unwrap_or_default()
    }

    /// Adds the `leading` words and the other words of `range` that surely name an item.
    ///
    /// After a label, or if there are none of these, words that only look like an id count too. Of parents only the first
    /// word counts. Words that must be exact ids, and links, which must lead to the file of an item, come besides.
    fn take(
        &self,
        range: std::ops::Range<usize>,
        leading: &[usize],
        label: bool,
        relation: Relation,
        used: &mut BTreeSet<usize>,
        stated: &mut StatedRelations,
    ) {
        if self.says_none(&range) {
            return;
        }
        let free = |index: &usize| {
            self.claimed[*index].is_none() && !used.contains(index) && !self.is_denied_name(self.words[*index].start)
        };
        let has_form = |index: &usize| self.words[*index].target.is_some();
        let leading: Vec<usize> = leading.iter().copied().filter(|index| range.contains(index)).filter(free).collect();
        let (mut chosen, mut exact): (BTreeSet<usize>, BTreeSet<usize>) =
            leading.iter().copied().partition(|index| has_form(index));
        let least = |index: &usize, strength| is_at_least(&self.words[*index], strength);
        chosen.extend(range.clone().filter(|index| least(index, NameStrength::Sure)).filter(free));
        if label || chosen.is_empty() {
            let ids = self.outside_remarks(range.clone()).into_iter();
            chosen.extend(ids.filter(|index| least(index, NameStrength::Id)).filter(free));
        }
        let links = self.links_in(&range);
        if chosen.is_empty() && !exact.iter().any(|index| self.is_mixed(*index) || self.words[*index].code) {
            exact.extend(range.filter(|index| self.is_mixed(*index)).filter(free));
        }
        let most = if relation == Relation::Parent { 1 } else { usize::MAX };
        for index in chosen.into_iter().take(most).chain(exact.into_iter().take(most)) {
            used.insert(index);
            self.state(index, relation, Via::Body, leading.contains(&index) && self.must_name(index), stated);
        }
        let links = links.filter(|link| !self.is_denied_name(self.links[*link].range.start));
        links.take(most).for_each(|link| self.state_link(link, relation, Via::Body, stated));
    }

    /// Returns the links among some words.
    fn links_in(&self, range: &std::ops::Range<usize>) -> std::ops::Range<usize> {
        let start = self.words.get(range.start).map_or(self.text.len(), |word| word.start);
        let end = range.end.checked_sub(1).and_then(|last| self.words.get(last)).map_or(0, |word| word.end);
        let at = |byte: usize| self.links.partition_point(|link| link.range.start < byte);
        at(start)..at(end)
    }

    /// Adds the children that a list item under a heading of children names: those it begins with, or all issues in it.
    fn child(&self, task: bool, stated: &mut StatedRelations) {
        let via = if task { Via::Checklist } else { Via::Body };
        if self.says_none(&(0..self.words.len())) {
            return;
        }
        let leading = self.leading(0..self.words.len());
        let sure = |index: &usize| {
            let word = &self.words[*index];
            is_at_least(word, NameStrength::Sure) && self.claimed[*index].is_none() && !self.is_denied_name(word.start)
        };
        let others = || (0..self.words.len()).filter(sure).collect::<Vec<usize>>();
        let (named, exact): (Vec<usize>, Vec<usize>) =
            leading.iter().copied().partition(|index| self.words[*index].target.is_some());
        let chosen: Vec<usize> = match named.as_slice() {
            [] => others(),
            // `cache-first design (#7)` begins with words that only look like an id.
            [first] if !is_at_least(&self.words[*first], NameStrength::Sure) => {
                let others = others();
                if others.is_empty() { named } else { others }
            }
            _ => named,
        };
        for index in chosen.into_iter().chain(exact) {
            let entry = leading.contains(&index) && self.must_name(index);
            self.state(index, Relation::Child, via, entry, stated);
        }
        let leads = |link: &usize| self.text[..self.links[*link].range.start].trim().is_empty();
        (0..self.links.len().min(1)).filter(leads).for_each(|link| self.state_link(link, Relation::Child, via, stated));
    }

    fn state(&self, index: usize, relation: Relation, via: Via, entry: bool, stated: &mut StatedRelations) {
        let word = &self.words[index];
        let target = word.target.map_or(word.text, |(target, _)| target).to_owned();
        let form = match (entry, word.target.is_none()) {
            (true, _) => NameForm::Entry,
            (false, true) => NameForm::Exact,
            (false, false) => NameForm::Usual,
        };
        stated.found.push(Stated { at: word.start, relation, target, form, via });
    }

    fn state_link(&self, link: usize, relation: Relation, via: Via, stated: &mut StatedRelations) {
        let LinkSpan { range, target } = &self.links[link];
        let (target, form) = (target.clone(), NameForm::Link);
        stated.found.push(Stated { at: range.start, relation, target, form, via });
    }
}

fn label_relation(name: &str) -> Relation {
    let name = name.to_lowercase();
    let begins = |start: &str| name.starts_with(start);
    if begins("par") {
        Relation::Parent
    } else if begins("child") || begins("sub") {
        Relation::Child
    } else if begins("blocked") {
        Relation::BlockedBy
    } else if begins("block") {
        Relation::Blocks
    } else if begins("rel") {
        Relation::Related
    } else {
        Relation::DependsOn
    }
}
