//! Relations that a text states: labels, sentences, headings and task lists.

use crate::model::Relation;
use crate::parse::clauses::{Reading, is_at_least};
use crate::parse::formats::LineStarts;
use crate::parse::hints;
use crate::parse::markdown::{BodyRelation, Via};
use crate::parse::references::pattern;
use crate::parse::run::Run;
use crate::parse::sections::Section;
use crate::parse::words::Strength;
use regex::Regex;
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// `Blocked by:` at the start of a line.
static LABEL: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)^[ \t]*(?:[-*•+][ \t]+)?(parent(?:[ _-](?:issue|feature|epic|task|item|url|link|story))*|part[ -]of|child(?:ren|[ -](?:issues?|tasks?|features?|items?))|sub-?(?:issues?|tasks?)|blocks|blocking|blocked[ -](?:by|on)|depends[ -](?:up)?on|dependencies|related(?:[ -](?:to|issues?|tasks?|items?|prs?))*)[ \t]*(?:\([^()\n]{0,40}\)[ \t]*)?[:：]",
    )
});
/// `Part of #12`, `Blocks #12` at the start of a line.
static START: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?i)^[ \t]*(?:[-*•+][ \t]+)?(?:(part[ -]of)|(blocks))\b"));
/// Collects the relations of a text, run by run.
#[derive(Debug, Default)]
pub(super) struct Relations {
    found: Vec<BodyRelation>,
    seen: BTreeSet<(u32, Relation, String)>,
    label: Option<Label>,
}

/// A label with nothing after it: the list below it is meant, or else the paragraph.
#[derive(Debug, Clone, Copy)]
struct Label {
    relation: Relation,
    /// How many lists it stands in itself.
    depth: usize,
    /// Whether a list answered it.
    used: bool,
}

impl Relations {
    /// Reads a run that stands under `section`.
    pub(super) fn read(&mut self, run: &Run, section: Option<Section>, lines: &LineStarts) {
        if run.quoted {
            return;
        }
        // Nothing here announces a relation, and nothing before it did.
        let announced =
            self.label.is_some() || matches!(section, Some(Section::Relation(_) | Section::Children { .. }));
        if !announced && !hints::relations(&run.said.text) {
            return;
        }
        let reading = Reading::of(&run.said.text);
        if reading.words.is_empty() {
            return;
        }
        let label = self.label_for(run, &reading);
        let stated = reading.relations(run, section, label);
        for (at, relation, target, via) in stated.found {
            let line = lines.line(run.said.source(at));
            if self.seen.insert((line, relation, target.clone())) {
                self.found.push(BodyRelation { relation, target, line, via });
            }
        }
        if let Some(relation) = stated.label {
            self.label = Some(Label { relation, depth: run.lists, used: false });
        }
    }

    /// All that was read, in order.
    pub(super) fn finish(self) -> Vec<BodyRelation> {
        self.found
    }

    /// The label that still speaks for this run.
    fn label_for(&mut self, run: &Run, reading: &Reading<'_>) -> Option<Relation> {
        let label = self.label?;
        if run.lists > label.depth && !run.heading {
            self.label = Some(Label { used: true, ..label });
            return Some(label.relation);
        }
        self.label = None;
        let answers = reading.words.first().is_some_and(|word| is_at_least(word, Strength::Id));
        (answers && !label.used && run.lists == 0 && label.depth == 0 && !run.heading).then_some(label.relation)
    }
}

/// What a run states.
#[derive(Default)]
struct Found {
    found: Vec<(usize, Relation, String, Via)>,
    /// A label at the end that names nothing itself.
    label: Option<Relation>,
}

/// What a line was.
enum Line {
    /// A label that names nothing itself.
    Label(Relation),
    /// Anything else.
    Text,
}

impl Reading<'_> {
    fn relations(&self, run: &Run, section: Option<Section>, label: Option<Relation>) -> Found {
        let mut stated = Found::default();
        let child = match section {
            Some(Section::Children { named }) if run.lists > 0 && run.first_of_item && label.is_none() => {
                run.task || named && run.lists == 1
            }
            _ => false,
        };
        if child {
            self.child(run.task, &mut stated);
            return stated;
        }
        let in_children = matches!(section, Some(Section::Children { .. })) && run.lists > 0;
        let mut taken: BTreeSet<usize> = BTreeSet::new();
        if !in_children {
            for (index, claim) in self.claimed.iter().enumerate() {
                if let Some(Some(relation)) = claim {
                    taken.insert(index);
                    self.state(index, *relation, Via::Body, &mut stated);
                }
            }
        }
        let (mut offset, mut said) = (0, None);
        for line in self.text.split('\n') {
            let range = self.word_at(offset)..self.word_at(offset + line.len() + 1);
            // A label of this run speaks for the lines below it as long as they begin with what it asks for.
            let begins = self.words.get(range.start).is_some_and(|word| is_at_least(word, Strength::Id));
            let pending = said.filter(|_| begins).or(label);
            said = match self.line(line, offset, range, section, pending, run, &mut taken, &mut stated) {
                Line::Label(relation) => {
                    stated.label = Some(relation);
                    Some(relation)
                }
                Line::Text => {
                    stated.label = None;
                    said.filter(|_| begins)
                }
            };
            offset += line.len() + 1;
        }
        stated.found.sort_by_key(|(at, ..)| *at);
        stated
    }

    /// Reads one line for which `pending` speaks.
    #[expect(clippy::too_many_arguments, reason = "the state of one loop, which has no meaning of its own")]
    fn line(
        &self,
        line: &str,
        offset: usize,
        range: std::ops::Range<usize>,
        section: Option<Section>,
        pending: Option<Relation>,
        run: &Run,
        taken: &mut BTreeSet<usize>,
        stated: &mut Found,
    ) -> Line {
        if let Some(found) = LABEL.captures(line)
            && let (Some(whole), Some(name)) = (found.get(0), found.get(1))
        {
            let relation = label_relation(name.as_str());
            let rest = self.word_at(offset + whole.end())..range.end;
            if rest.is_empty() {
                return Line::Label(relation);
            }
            let leading = self.list(offset + whole.end(), range.end);
            self.take(rest, &leading, true, relation, taken, stated);
            return Line::Text;
        }
        if let Some(found) = START.captures(line)
            && let Some(whole) = found.get(0)
        {
            let relation = if found.get(1).is_some() { Relation::Parent } else { Relation::Blocks };
            let leading = self.list(offset + whole.end(), range.end);
            let first = leading.first().map(|index| &self.words[*index]);
            if first.is_some_and(|word| is_at_least(word, Strength::Id)) {
                for index in leading {
                    if self.claimed[index].is_none() && taken.insert(index) {
                        self.state(index, relation, Via::Body, stated);
                    }
                }
                return Line::Text;
            }
        }
        let begins = self.words.get(range.start).is_some_and(|word| is_at_least(word, Strength::Sure));
        let relation = match (pending, section) {
            (Some(relation), _) => relation,
            (None, Some(Section::Relation(relation))) if !run.heading => relation,
            (None, Some(Section::Children { named: true })) if begins && run.lists == 0 && !run.heading => {
                Relation::Child
            }
            _ => return Line::Text,
        };
        let leads = range.clone().next().filter(|first| self.words[*first].target.is_some());
        let leading = leads.map(|first| self.list(self.words[first].start, range.end)).unwrap_or_default();
        self.take(range, &leading, false, relation, taken, stated);
        Line::Text
    }

    /// The words of a range that stand in no parentheses.
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

    /// States the `leading` words, then what else in `range` surely names an item, and after a
    /// label, or where nothing does, what only looks like an id. Of parents only the first.
    fn take(
        &self,
        range: std::ops::Range<usize>,
        leading: &[usize],
        label: bool,
        relation: Relation,
        taken: &mut BTreeSet<usize>,
        stated: &mut Found,
    ) {
        let free = |index: &usize| self.claimed[*index].is_none() && !taken.contains(index);
        let mut chosen: BTreeSet<usize> =
            leading.iter().copied().filter(|index| range.contains(index)).filter(free).collect();
        let least = |index: &usize, strength| is_at_least(&self.words[*index], strength);
        chosen.extend(range.clone().filter(|index| least(index, Strength::Sure)).filter(free));
        if label || chosen.is_empty() {
            let ids = self.outside_remarks(range).into_iter();
            chosen.extend(ids.filter(|index| least(index, Strength::Id)).filter(free));
        }
        let most = if relation == Relation::Parent { 1 } else { usize::MAX };
        for index in chosen.into_iter().take(most) {
            taken.insert(index);
            self.state(index, relation, Via::Body, stated);
        }
    }

    /// A list item under a heading of children: what it begins with, else all issues that it names.
    fn child(&self, task: bool, stated: &mut Found) {
        let via = if task { Via::Checklist } else { Via::Body };
        let leads = self.words.first().filter(|word| word.target.is_some());
        let leading = leads.map(|word| self.list(word.start, self.words.len())).unwrap_or_default();
        let sure = |index: &usize| is_at_least(&self.words[*index], Strength::Sure) && self.claimed[*index].is_none();
        let chosen: Vec<usize> = match leading.as_slice() {
            [] => (0..self.words.len()).filter(sure).collect(),
            // `cache-first design (#7)` begins with words that only look like an id.
            [first] if !is_at_least(&self.words[*first], Strength::Sure) => {
                let others: Vec<usize> = (0..self.words.len()).filter(sure).collect();
                if others.is_empty() { leading } else { others }
            }
            _ => leading,
        };
        for index in chosen {
            self.state(index, Relation::Child, via, stated);
        }
    }

    fn state(&self, index: usize, relation: Relation, via: Via, stated: &mut Found) {
        let word = &self.words[index];
        if let Some((target, _)) = word.target {
            stated.found.push((word.start, relation, target.to_owned(), via));
        }
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

#[cfg(test)]
mod tests {
    use crate::model::Relation::{self, BlockedBy, Blocks, Child, DependsOn, Parent, Related};
    use crate::parse::{Markdown, Via};

    fn stated(text: &str) -> Vec<(Relation, String, u32)> {
        let found = Markdown::read(text).relations;
        found.into_iter().map(|found| (found.relation, found.target, found.line)).collect()
    }

    fn targets(text: &str) -> Vec<(Relation, String)> {
        stated(text).into_iter().map(|(relation, target, _)| (relation, target)).collect()
    }

    fn of(relation: Relation, names: &[&str]) -> Vec<(Relation, String)> {
        names.iter().map(|name| (relation, (*name).to_owned())).collect()
    }

    #[test]
    fn sentences_state_dependencies_with_all_that_they_list() {
        assert_eq!(
            targets("This depends on #1, o/r#2 (done, see #9) and GH-3. See #4."),
            of(DependsOn, &["#1", "o/r#2", "GH-3"])
        );
        assert_eq!(targets("It is blocked by the issue feat:x\nand task:y"), of(BlockedBy, &["feat:x", "task:y"]));
        assert_eq!(targets("Depends on PR #7 & bd-au0.10."), of(DependsOn, &["#7", "bd-au0.10"]));
        let url = "https://github.com/o/r/issues/5";
        assert_eq!(targets(&format!("blocked by [the cache]({url}#x)")), of(BlockedBy, &[url]));
        assert_eq!(targets("Depends on the weather, see #4"), []);
    }

    #[test]
    fn denied_sentences_state_nothing() {
        for text in [
            "This is not blocked by #1.",
            "It no longer depends on #1",
            "It doesn't depend on #1",
            "It isn’t really blocked by #1",
            "It never depends on #1",
        ] {
            assert_eq!(targets(text), [], "{text}");
        }
        assert_eq!(targets("Do not merge. Blocked by #1"), of(BlockedBy, &["#1"]));
    }

    #[test]
    fn what_another_item_needs_is_not_ours() {
        for text in ["#5 depends on #6", "Moved to #5 (low, depends on #6)", "- TASK-1 is blocked by TASK-2"] {
            assert_eq!(targets(text), [], "{text}");
        }
        assert_eq!(targets("Closes #4\nDepends on #5"), of(DependsOn, &["#5"]));
    }

    #[test]
    fn labels_count_at_the_start_of_a_line_or_a_list_item() {
        let text = "Parent: #1\nPart of #2\n**Blocked by**: #3, #4\n\n- Blocks #5\n- **Depends on:** TASK-6 (needs UTF-8)\n* [ ] Blocks: o/r#7\n";
        let expected: Vec<_> = [
            (Parent, "#1", 1),
            (Parent, "#2", 2),
            (BlockedBy, "#3", 3),
            (BlockedBy, "#4", 3),
            (Blocks, "#5", 5),
            (DependsOn, "TASK-6", 6),
            (Blocks, "o/r#7", 7),
        ]
        .into_iter()
        .map(|(relation, target, line)| (relation, target.to_owned(), line))
        .collect();
        assert_eq!(stated(text), expected);
        assert_eq!(targets("Text that is part of #1 and blocks #2. Blocks are stored in #3."), []);
    }

    #[test]
    fn a_label_speaks_for_the_list_below_it_and_no_further() {
        let text = "### Dependencies (Blocked By / Blocks)\n\nBlocked by:\n- #1\n- Cache (#2)\n\nBlocks:\n- #3\n\n## Notes\n- #4\n";
        let expected = [of(BlockedBy, &["#1", "#2"]), of(Blocks, &["#3"])].concat();
        assert_eq!(targets(text), expected);
        assert_eq!(targets("Blocked by:\n- #1\n\nNothing else.\n\n- #2\n"), of(BlockedBy, &["#1"]));
        assert_eq!(targets("Blocked by:\n\n#1\n\n#2 is a copy\n"), of(BlockedBy, &["#1"]));
    }

    #[test]
    fn headings_speak_for_their_sections() {
        assert_eq!(targets("## Blocked by\n\n#1, feat:y\n\n## Goal\n\n#2\n"), of(BlockedBy, &["#1", "feat:y"]));
        assert_eq!(
            targets("### Parent Feature URL\n\nhttps://github.com/o/r/issues/3\n"),
            of(Parent, &["https://github.com/o/r/issues/3"])
        );
        assert_eq!(targets("## Related issues\n- see #1 for #2\n"), of(Related, &["#1", "#2"]));
        assert_eq!(targets("## Depends on #8\n"), of(DependsOn, &["#8"]));
        assert_eq!(targets("## Dependencies\n\n_No response_\n\n## Parent\n\nN/A\n"), []);
    }

    #[test]
    fn task_lists_under_a_children_heading_are_children() {
        let text = "## Child Issues (link them)\n\n### Features\n\n* [ ] #1\n- [x] Title #2\n\n### Tasks\n\n1. [ ] o/r#3 (see #9)\n2. task:y\n\n## Notes\n\n- [ ] #4\n";
        let found = Markdown::read(text).relations;
        let found: Vec<_> = found.iter().map(|r| (r.relation, r.target.as_str(), r.line, r.via)).collect();
        assert_eq!(
            found,
            [
                (Child, "#1", 5, Via::Checklist),
                (Child, "#2", 6, Via::Checklist),
                (Child, "o/r#3", 10, Via::Checklist),
                (Child, "task:y", 11, Via::Body),
            ]
        );
    }

    #[test]
    fn what_a_child_needs_is_not_ours() {
        assert_eq!(
            targets("## Child tasks\n- [ ] #1 (blocked by #2)\n- [ ] Cache #3, depends on #4\n"),
            of(Child, &["#1", "#3"])
        );
    }

    #[test]
    fn under_a_heading_of_tasks_only_checkboxes_are_children() {
        assert_eq!(targets("## Tasks\n- [ ] #1\n- #2\n"), of(Child, &["#1"]));
    }

    #[test]
    fn code_quotes_struck_text_and_comments_do_not_count() {
        for text in [
            "`blocked by #1`",
            "Blocked by `#1`",
            "```\n## Blocked by\n#1\n```\n",
            "    Blocked by #1\n",
            "> Blocked by #1\n",
            "~~Blocked by #1~~",
            "Blocked by ~~#1~~",
            "<!-- Blocked by #1 -->",
            "Text <!-- blocked by #1 --> text",
            "<details>\n<!--\n\nBlocked by #1\n\n-->\n</details>\n",
            "---\nnote: Blocked by #1\n---\n",
        ] {
            assert_eq!(targets(text), [], "{text}");
        }
    }

    #[test]
    fn what_is_struck_is_passed_over() {
        assert_eq!(targets("Blocked by ~~#1~~ #2, ~~#3~~, #4"), of(BlockedBy, &["#2", "#4"]));
    }

    #[test]
    fn hostile_texts_state_no_more_relations_than_pieces() {
        for piece in [
            "depends on ",
            "blocked by #1, ",
            "#1,\n",
            "#1 (",
            "Blocks:\n- ",
            "not ",
            "a-b ",
            "(",
            "- [ ] #1\n",
            "[#1](https://github.com/o/r/issues/1) ",
        ] {
            let pieces = 100_000 / piece.len();
            let text = piece.repeat(pieces);
            for head in ["## Child tasks\n\n", "Depends on: ", "## Depends on\n\n"] {
                assert!(stated(&format!("{head}{text}")).len() <= pieces, "{piece}");
            }
        }
    }
}
