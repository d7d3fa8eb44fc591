//! What changed in a text since it was read, item by item: which acceptance criterion is new, which paragraph is another.

use super::since::MovedText;
use crate::markdown::{InlinePart, KeyHeadings, MarkdownText};
use similar::{Algorithm, DiffOp, capture_diff_slices};
use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

/// What begins the name of an acceptance criterion.
pub(super) const CRITERION: &str = "acceptance criterion";

static CRITERIA: LazyLock<KeyHeadings> = LazyLock::new(|| {
    KeyHeadings::new(&["Acceptance criteria", "Success criteria", "Definition of done"].map(str::to_owned))
});

/// The most statements of a text that are compared; a longer text is described by its lines alone.
const MOST: usize = 5_000;

/// The most statements on either side of one change that are paired by their words.
const MOST_PAIRED: usize = 40;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Kind {
    Item,
    Paragraph,
    Code,
}

/// A list item with all below it, a paragraph or a code block.
#[derive(Debug, Clone)]
struct ComparedBlock {
    kind: Kind,
    /// Its name by its heading and its number among those of its kind below it: `item 2 of `Scope``.
    name: String,
    text: String,
    /// Whether its box is checked, if it has one.
    checked: Option<bool>,
}

#[derive(Debug, Default)]
struct MarkdownSection {
    title: Option<String>,
    /// Which of the headings with this title it is, from 0.
    nth: usize,
    statements: Vec<ComparedBlock>,
    counts: [usize; 3],
}

/// Returns what was added, removed and changed from `old` to `new`, in the order of the new text; what is gone comes last of its
/// heading. Both are redacted Markdown.
pub(super) fn moves(old: &str, new: &str) -> Vec<MovedText> {
    if old == new {
        return Vec::new();
    }
    let (before, after) = (parts(old), parts(new));
    let count = |parts: &[MarkdownSection]| parts.iter().map(|part| part.statements.len()).sum::<usize>();
    if count(&before).max(count(&after)) > MOST {
        return Vec::new();
    }
    fn key(part: &MarkdownSection) -> (Option<&str>, usize) {
        (part.title.as_deref(), part.nth)
    }
    let same: HashMap<_, &MarkdownSection> = before.iter().map(|part| (key(part), part)).collect();
    let kept: HashSet<_> = after.iter().map(key).collect();
    let mut left: Vec<(usize, &MarkdownSection)> =
        before.iter().enumerate().filter(|(_, part)| !kept.contains(&key(part))).collect();
    let mut moves = Vec::new();
    for (at, part) in after.iter().enumerate() {
        if let Some(old) = same.get(&key(part)) {
            of_part(old, part, &mut moves);
            continue;
        }
        match renamed(&left, at, part).map(|at| left.remove(at).1) {
            Some(old) => {
                let what = format!("the heading `{}`", old.title.as_deref().unwrap_or_default());
                moves.push(MovedText::new("changed", what, old.title.as_deref(), part.title.as_deref()));
                of_part(old, part, &mut moves);
            }
            None => whole("added", part, &mut moves),
        }
    }
    left.into_iter().for_each(|(_, part)| whole("removed", part, &mut moves));
    moves
}

/// Returns which of the parts that no heading has any more is `part` under another heading: the one with most of its statements, at
/// least half of them, or one without any at the same place.
fn renamed(left: &[(usize, &MarkdownSection)], at: usize, part: &MarkdownSection) -> Option<usize> {
    if left.len() > MOST_PAIRED || part.title.is_none() {
        return None;
    }
    let texts: HashSet<&str> = part.statements.iter().map(|statement| statement.text.as_str()).collect();
    let share = |(was_at, old): &(usize, &MarkdownSection)| {
        let most = old.statements.len().max(part.statements.len());
        let same = old.statements.iter().filter(|statement| texts.contains(statement.text.as_str())).count();
        let is_same = if most == 0 { *was_at == at } else { same * 2 >= most };
        (is_same && old.title.is_some()).then_some(same)
    };
    most_alike(left.iter().map(share))
}

/// Returns the index of the largest share, the first of several.
pub(super) fn most_alike(shares: impl Iterator<Item = Option<usize>>) -> Option<usize> {
    let shares = shares.enumerate().filter_map(|(index, share)| Some((share?, index)));
    shares.max_by_key(|(share, index)| (*share, usize::MAX - index)).map(|(_, index)| index)
}

fn parts(text: &str) -> Vec<MarkdownSection> {
    let markdown = MarkdownText::read(text);
    let mut seen = HashMap::<String, usize>::new();
    let mut parts = vec![MarkdownSection::default()];
    let lines: Vec<&str> = text.lines().collect();
    for part in &markdown.parts {
        let (kind, run, continues) = match part {
            InlinePart::Heading(index) => {
                let title = markdown.outline.headings.get(*index).map(|heading| heading.title.clone());
                let nth = seen.entry(title.clone().unwrap_or_default()).or_default();
                parts.push(MarkdownSection { title, nth: *nth, ..MarkdownSection::default() });
                *nth += 1;
                continue;
            }
            InlinePart::Run(run) if run.heading => continue,
            InlinePart::Run(run) => {
                let kind = if run.lists > 0 { Kind::Item } else { Kind::Paragraph };
                let below = run.lists > 1 || run.lists == 1 && !run.first_of_item;
                (kind, &run.full, below)
            }
            InlinePart::Html(run) => (Kind::Paragraph, &run.full, false),
            InlinePart::Code(code) => (Kind::Code, code, false),
            InlinePart::Link { .. } | InlinePart::Tasks(_) => continue,
        };
        let text = run.text.split_whitespace().collect::<Vec<_>>().join(" ");
        let Some(under) = parts.last_mut().filter(|_| !text.is_empty()) else { continue };
        match under.statements.last_mut() {
            // What stands below an item is a part of it.
            Some(item) if continues && item.kind == Kind::Item => {
                item.text = format!("{} {text}", item.text);
            }
            _ => {
                under.counts[kind as usize] += 1;
                let name = name(kind, under.counts[kind as usize], under.title.as_deref());
                let line = lines.get((markdown.lines.line(run.source(0)) as usize).saturating_sub(1)).copied();
                let checked = line.filter(|_| kind == Kind::Item).and_then(checkbox);
                under.statements.push(ComparedBlock { kind, name, text, checked });
            }
        }
    }
    parts.retain(|part| part.title.is_some() || !part.statements.is_empty());
    parts
}

/// Returns whether the box at the beginning of an item's line is checked; `None` if it has none.
fn checkbox(line: &str) -> Option<bool> {
    let item = line.trim_start_matches(|c: char| c.is_whitespace() || c.is_ascii_digit() || "-*+.)>".contains(c));
    ["[x]", "[X]", "[ ]"].iter().find(|mark| item.starts_with(**mark)).map(|mark| *mark != "[ ]")
}

fn of_part(old: &MarkdownSection, new: &MarkdownSection, moves: &mut Vec<MovedText>) {
    fn texts(part: &MarkdownSection) -> Vec<(Kind, &str)> {
        part.statements.iter().map(|statement| (statement.kind, statement.text.as_str())).collect()
    }
    let (before, after) = (texts(old), texts(new));
    let mut removed = Vec::new();
    for op in capture_diff_slices(Algorithm::Myers, &before, &after) {
        let (was, is) = (&old.statements[op.old_range()], &new.statements[op.new_range()]);
        if let DiffOp::Equal { .. } = op {
            was.iter().zip(is).for_each(|(was, is)| moves.extend(checked(was, is)));
            continue;
        }
        if let ([was], [is]) = (was, is)
            && was.kind == is.kind
        {
            moves.push(changed(was, is));
            continue;
        }
        let mut left: Vec<&ComparedBlock> = was.iter().collect();
        for statement in is {
            let at = nearest(&left, statement, is.len());
            match at.map(|at| left.remove(at)) {
                Some(was) => moves.push(changed(was, statement)),
                None => moves.push(one_sided("added", statement)),
            }
        }
        removed.extend(left.into_iter().map(|statement| one_sided("removed", statement)));
    }
    // A statement that only changed its place is neither gone nor new.
    for gone in removed {
        match moves.iter().position(|it| it.change == "added" && it.new == gone.old) {
            Some(at) => {
                let what = format!("{} (it was {})", moves[at].what, gone.what);
                moves[at] = MovedText::new("renumbered", what, gone.old.as_deref(), gone.old.as_deref());
            }
            None => moves.push(gone),
        }
    }
}

/// Returns the statement of `left` that has most words in common with another one, at least a third of the longer one's.
fn nearest(left: &[&ComparedBlock], statement: &ComparedBlock, others: usize) -> Option<usize> {
    if left.len().max(others) > MOST_PAIRED {
        return None;
    }
    let new = sorted_words(&statement.text);
    let share = |old: &ComparedBlock| {
        let old = sorted_words(&old.text);
        let (same, longest) = (common(&old, &new), old.len().max(new.len()).max(1));
        (same * 3 >= longest).then_some(same * 1000 / longest)
    };
    most_alike(left.iter().map(|old| if old.kind == statement.kind { share(old) } else { None }))
}

/// Returns the words of a text, sorted, without case and punctuation.
pub(super) fn sorted_words(text: &str) -> Vec<String> {
    let bare = text.split_whitespace().map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase());
    let mut words: Vec<String> = bare.filter(|word| !word.is_empty()).collect();
    words.sort_unstable();
    words
}

/// Counts the words that two sorted lists have in common.
pub(super) fn common(one: &[String], other: &[String]) -> usize {
    let (mut same, mut rest) = (0, other);
    for word in one {
        rest = &rest[rest.partition_point(|other| other < word)..];
        if rest.first() == Some(word) {
            same += 1;
            rest = &rest[1..];
        }
    }
    same
}

fn name(kind: Kind, number: usize, title: Option<&str>) -> String {
    let under = title.map(|title| format!(" of `{title}`")).unwrap_or_default();
    match kind {
        Kind::Item if title.is_some_and(|title| CRITERIA.contain(title)) => format!("{CRITERION} {number}"),
        Kind::Item => format!("item {number}{under}"),
        Kind::Paragraph => format!("paragraph {number}{under}"),
        Kind::Code => format!("code block {number}{under}"),
    }
}

fn one_sided(change: &'static str, statement: &ComparedBlock) -> MovedText {
    MovedText::one_sided(change, statement.name.clone(), &statement.text)
}

fn changed(old: &ComparedBlock, new: &ComparedBlock) -> MovedText {
    let words = super::diff::changed_words(&old.text, &new.text);
    MovedText { words, ..MovedText::new("changed", &*new.name, Some(&old.text), Some(&new.text)) }
}

fn checked(old: &ComparedBlock, new: &ComparedBlock) -> Option<MovedText> {
    let change = match (old.checked.unwrap_or(false), new.checked.unwrap_or(false)) {
        (false, true) => "checked",
        (true, false) => "unchecked",
        _ => return None,
    };
    Some(MovedText::new(change, &*new.name, Some(&old.text), Some(&new.text)))
}

/// Adds the moves of a heading that only one side has: the heading, and each statement below it.
fn whole(change: &'static str, part: &MarkdownSection, moves: &mut Vec<MovedText>) {
    let heading = part.title.iter().map(|title| MovedText::one_sided(change, format!("the heading `{title}`"), title));
    moves.extend(heading.chain(part.statements.iter().map(|statement| one_sided(change, statement))));
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[derive(serde::Deserialize)]
    struct MovesCase {
        name: String,
        old: String,
        new: String,
        moves: Vec<String>,
        back: Option<Vec<String>>,
    }

    fn shown(old: &str, new: &str) -> Vec<String> {
        moves(old, new).into_iter().map(|it| format!("{} {}", it.change, it.what)).collect()
    }

    #[test]
    fn moves_are_those_of_the_cases() {
        let cases: Vec<MovesCase> = serde_yaml::from_str(include_str!("../../tests/cases/moves.yml")).unwrap();
        for MovesCase { name, old, new, moves, back } in cases {
            assert_eq!(shown(&old, &new), moves, "{name}");
            back.iter().for_each(|back| assert_eq!(&shown(&new, &old), back, "{name}"));
        }
        let changed = &moves("Entries end after a minute.", "Entries end after ten minutes.")[0];
        assert_eq!((changed.old.as_deref(), changed.words.len()), (Some("Entries end after a minute."), 2));
    }

    #[test]
    fn long_texts_take_time_in_proportion_to_their_length() {
        let items = |count: usize| -> String { (0..count).map(|n| format!("- Item {n} of many\n")).collect() };
        // Too many to be compared one by one; their lines say what changed.
        assert_eq!(shown(&items(100_000), &items(99_999)), [""; 0]);
        let (old, new) = (items(4_000), items(4_000).replace("Item", "Thing"));
        assert_eq!(shown(&old, &new).len(), 8_000);
    }
}
