//! What changed in a text since it was read, item by item: which acceptance criterion is new, which paragraph is another.

use super::diff::DiffLine;
use crate::markdown::{InlinePart, KeyHeadings, MarkdownText};
use schemars::JsonSchema;
use serde::Serialize;
use similar::{Algorithm, DiffOp, capture_diff_slices};
use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

/// Headings whose items are acceptance criteria.
static CRITERIA: LazyLock<KeyHeadings> = LazyLock::new(|| {
    KeyHeadings::new(&["Acceptance criteria", "Success criteria", "Definition of done"].map(str::to_owned))
});

/// The most statements of a text that are compared; a longer text is described by its lines alone.
const MOST: usize = 5_000;

/// The most statements on either side of one change that are paired by their words.
const MOST_PAIRED: usize = 40;

/// A statement of a text that was added, removed or changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TextMove {
    /// `added`, `removed`, `changed`, `checked`, `unchecked` or `renumbered`.
    pub change: String,
    /// What it is: ``acceptance criterion 3``, ``item 2 of `Scope` ``, ``paragraph 1``, ``the heading `Limits` ``.
    pub what: String,
    /// The old text, if there was one.
    pub old: Option<String>,
    /// The new text, if there is one.
    pub new: Option<String>,
    /// The changed words: a removed and an added line. Empty unless it is `changed`.
    pub words: Vec<DiffLine>,
}

/// What a statement is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Kind {
    Item,
    Paragraph,
    Code,
}

/// A list item with all below it, a paragraph or a code block.
#[derive(Debug, Clone)]
struct Statement {
    kind: Kind,
    /// Its number among those of its kind below its heading, from 1.
    number: usize,
    text: String,
    /// Whether its box is checked, if it has one.
    checked: Option<bool>,
}

/// What stands below one heading, or before the first.
#[derive(Debug, Default)]
struct Part {
    title: Option<String>,
    /// Which of the headings with this title it is, from 0.
    nth: usize,
    statements: Vec<Statement>,
    /// How many statements there are of each kind.
    counts: [usize; 3],
}

/// Returns what was added, removed and changed from `old` to `new`, in the order of the new text; what is gone comes last of its
/// heading. Both are redacted Markdown.
pub fn moves(old: &str, new: &str) -> Vec<TextMove> {
    if old == new {
        return Vec::new();
    }
    let (before, after) = (parts(old), parts(new));
    let count = |parts: &[Part]| parts.iter().map(|part| part.statements.len()).sum::<usize>();
    if count(&before).max(count(&after)) > MOST {
        return Vec::new();
    }
    fn key(part: &Part) -> (Option<&str>, usize) {
        (part.title.as_deref(), part.nth)
    }
    let same: HashMap<_, &Part> = before.iter().map(|part| (key(part), part)).collect();
    let kept: HashSet<_> = after.iter().map(key).collect();
    let mut left: Vec<(usize, &Part)> =
        before.iter().enumerate().filter(|(_, part)| !kept.contains(&key(part))).collect();
    let mut moves = Vec::new();
    for (at, part) in after.iter().enumerate() {
        if let Some(old) = same.get(&key(part)) {
            of_part(old, part, &mut moves);
            continue;
        }
        match renamed(&left, at, part).map(|at| left.remove(at).1) {
            Some(old) => {
                let title = |part: &Part| part.title.clone();
                let what = format!("the heading `{}`", old.title.as_deref().unwrap_or_default());
                let (was, is) = (title(old), title(part));
                moves.push(TextMove { change: "changed".to_owned(), what, old: was, new: is, words: Vec::new() });
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
fn renamed(left: &[(usize, &Part)], at: usize, part: &Part) -> Option<usize> {
    if left.len() > MOST_PAIRED || part.title.is_none() {
        return None;
    }
    let texts: HashSet<&str> = part.statements.iter().map(|statement| statement.text.as_str()).collect();
    let share = |(was_at, old): &(usize, &Part)| {
        let most = old.statements.len().max(part.statements.len());
        let same = old.statements.iter().filter(|statement| texts.contains(statement.text.as_str())).count();
        let is_same = if most == 0 { *was_at == at } else { same * 2 >= most };
        (is_same && old.title.is_some()).then_some(same)
    };
    let shares = left.iter().enumerate().filter_map(|(index, old)| Some((share(old)?, index)));
    // Of equal ones the first.
    shares.max_by_key(|(share, index)| (*share, usize::MAX - index)).map(|(_, index)| index)
}

/// Splits a text at its headings into statements.
fn parts(text: &str) -> Vec<Part> {
    let markdown = MarkdownText::read(text);
    let mut seen = HashMap::<String, usize>::new();
    let mut parts = vec![Part::default()];
    let lines: Vec<&str> = text.lines().collect();
    for part in &markdown.parts {
        let (kind, said, source, continues) = match part {
            InlinePart::Heading(index) => {
                let title = markdown.outline.headings.get(*index).map(|heading| heading.title.clone());
                let nth = seen.entry(title.clone().unwrap_or_default()).or_default();
                parts.push(Part { title, nth: *nth, ..Part::default() });
                *nth += 1;
                continue;
            }
            InlinePart::Run(run) if run.heading => continue,
            InlinePart::Run(run) => {
                let kind = if run.lists > 0 { Kind::Item } else { Kind::Paragraph };
                let below = run.lists > 1 || run.lists == 1 && !run.first_of_item;
                (kind, &run.full, run.full.source(0), below)
            }
            InlinePart::Html(run) => (Kind::Paragraph, &run.full, run.full.source(0), false),
            InlinePart::Code(code) => (Kind::Code, code, code.source(0), false),
            InlinePart::Link { .. } | InlinePart::Tasks(_) => continue,
        };
        let said = said.text.split_whitespace().collect::<Vec<_>>().join(" ");
        let Some(under) = parts.last_mut().filter(|_| !said.is_empty()) else { continue };
        match under.statements.last_mut() {
            // What stands below an item is a part of it.
            Some(item) if continues && item.kind == Kind::Item => {
                item.text.push(' ');
                item.text.push_str(&said);
            }
            _ => {
                under.counts[kind as usize] += 1;
                let number = under.counts[kind as usize];
                let line = lines.get((markdown.lines.line(source) as usize).saturating_sub(1)).copied();
                let checked = line.filter(|_| kind == Kind::Item).and_then(checkbox);
                under.statements.push(Statement { kind, number, text: said, checked });
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

/// Adds the moves of what stands below a heading on both sides.
fn of_part(old: &Part, new: &Part, moves: &mut Vec<TextMove>) {
    let texts = |part: &Part| -> Vec<(Kind, String)> {
        part.statements.iter().map(|statement| (statement.kind, statement.text.clone())).collect()
    };
    let (before, after) = (texts(old), texts(new));
    let mut removed = Vec::new();
    for op in capture_diff_slices(Algorithm::Myers, &before, &after) {
        let (was, is) = (&old.statements[op.old_range()], &new.statements[op.new_range()]);
        if let DiffOp::Equal { .. } = op {
            was.iter().zip(is).for_each(|(was, is)| moves.extend(checked(was, is, new)));
            continue;
        }
        if let ([was], [is]) = (was, is)
            && was.kind == is.kind
        {
            moves.push(changed(was, is, new));
            continue;
        }
        let mut left: Vec<&Statement> = was.iter().collect();
        for statement in is {
            let at = nearest(&left, statement, is.len());
            match at.map(|at| left.remove(at)) {
                Some(was) => moves.push(changed(was, statement, new)),
                None => moves.push(one_sided("added", statement, new)),
            }
        }
        removed.extend(left.into_iter().map(|statement| one_sided("removed", statement, old)));
    }
    // A statement that only changed its place is neither gone nor new.
    for gone in removed {
        match moves.iter().position(|it| it.change == "added" && it.new == gone.old) {
            Some(at) => {
                let what = std::mem::take(&mut moves[at].what);
                let change = "renumbered".to_owned();
                moves[at] = TextMove { change, what: format!("{what} (it was {})", gone.what), ..gone.and_new() };
            }
            None => moves.push(gone),
        }
    }
}

impl TextMove {
    /// Returns the same with its old text as the new one.
    fn and_new(self) -> Self {
        Self { new: self.old.clone(), ..self }
    }
}

/// Returns the statement of `left` that has most words in common with another one, at least a third of the longer one's.
fn nearest(left: &[&Statement], statement: &Statement, others: usize) -> Option<usize> {
    if left.len().max(others) > MOST_PAIRED {
        return None;
    }
    let words = |text: &str| -> Vec<String> {
        let bare = text.split_whitespace().map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase());
        let mut words: Vec<String> = bare.filter(|word| !word.is_empty()).collect();
        words.sort_unstable();
        words
    };
    let new = words(&statement.text);
    let common = |old: &Statement| {
        let old = words(&old.text);
        let longest = old.len().max(new.len());
        let (mut same, mut rest) = (0, &new[..]);
        for word in &old {
            rest = &rest[rest.partition_point(|other| other < word)..];
            if rest.first() == Some(word) {
                same += 1;
                rest = &rest[1..];
            }
        }
        (same * 3 >= longest.max(1)).then_some(same * 1000 / longest.max(1))
    };
    let shares = left.iter().enumerate().filter(|(_, old)| old.kind == statement.kind);
    let shares = shares.filter_map(|(at, old)| Some((common(old)?, at)));
    // Of equal ones the first.
    shares.max_by_key(|(share, at)| (*share, usize::MAX - at)).map(|(_, at)| at)
}

/// Names a statement by its heading.
fn name(statement: &Statement, part: &Part) -> String {
    let number = statement.number;
    let under = part.title.as_ref().map(|title| format!(" of `{title}`")).unwrap_or_default();
    match statement.kind {
        Kind::Item if part.title.as_deref().is_some_and(|title| CRITERIA.contain(title)) => {
            format!("acceptance criterion {number}")
        }
        Kind::Item => format!("item {number}{under}"),
        Kind::Paragraph => format!("paragraph {number}{under}"),
        Kind::Code => format!("code block {number}{under}"),
    }
}

fn one_sided(change: &str, statement: &Statement, part: &Part) -> TextMove {
    let text = Some(statement.text.clone());
    let (old, new) = if change == "added" { (None, text) } else { (text, None) };
    TextMove { change: change.to_owned(), what: name(statement, part), old, new, words: Vec::new() }
}

fn changed(old: &Statement, new: &Statement, part: &Part) -> TextMove {
    TextMove {
        change: "changed".to_owned(),
        what: name(new, part),
        old: Some(old.text.clone()),
        new: Some(new.text.clone()),
        words: super::diff::changed_words(&old.text, &new.text),
    }
}

/// Returns the move of an item of the same text whose box was checked or cleared.
fn checked(old: &Statement, new: &Statement, part: &Part) -> Option<TextMove> {
    let change = match (old.checked.unwrap_or(false), new.checked.unwrap_or(false)) {
        (false, true) => "checked",
        (true, false) => "unchecked",
        _ => return None,
    };
    let (old, text) = (Some(old.text.clone()), Some(new.text.clone()));
    Some(TextMove { change: change.to_owned(), what: name(new, part), old, new: text, words: Vec::new() })
}

/// Adds the moves of a heading that only one side has: the heading, and each statement below it.
fn whole(change: &str, part: &Part, moves: &mut Vec<TextMove>) {
    if let Some(title) = &part.title {
        let text = Some(title.clone());
        let (old, new) = if change == "added" { (None, text) } else { (text, None) };
        let what = format!("the heading `{title}`");
        moves.push(TextMove { change: change.to_owned(), what, old, new, words: Vec::new() });
    }
    moves.extend(part.statements.iter().map(|statement| one_sided(change, statement, part)));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(old: &str, new: &str) -> Vec<String> {
        moves(old, new).into_iter().map(|it| format!("{} {}", it.change, it.what)).collect()
    }

    const OLD: &str = "# Cache\n\nResults are cached.\n\n## Acceptance criteria\n\n- A hit takes a millisecond.\n- Entries end after a minute.\n";

    #[test]
    fn a_criterion_that_is_new_is_named_by_its_number() {
        let new = format!("{OLD}- The cache has a limit.\n");
        assert_eq!(shown(OLD, &new), ["added acceptance criterion 3"]);
        assert_eq!(shown(&new, OLD), ["removed acceptance criterion 3"]);
        assert_eq!(shown(OLD, OLD), [""; 0]);
        let first = OLD.replace("- A hit", "- The cache has a limit.\n- A hit");
        assert_eq!(shown(OLD, &first), ["added acceptance criterion 1"]);
    }

    #[test]
    fn changed_words_are_told_with_both_texts() {
        let new = OLD.replace("a minute", "ten minutes").replace("are cached", "are cached in memory");
        assert_eq!(shown(OLD, &new), ["changed paragraph 1 of `Cache`", "changed acceptance criterion 2"]);
        let changed = &moves(OLD, &new)[1];
        assert_eq!(changed.old.as_deref(), Some("Entries end after a minute."));
        assert_eq!(changed.words.len(), 2);
    }

    #[test]
    fn boxes_order_and_headings_count() {
        let old = "## Acceptance criteria\n\n- [ ] One thing here.\n- [ ] Another one there.\n\n## Notes\n\nText.\n";
        let ticked = old.replace("- [ ] One", "- [x] One");
        assert_eq!(shown(old, &ticked), ["checked acceptance criterion 1"]);
        assert_eq!(shown(&ticked, old), ["unchecked acceptance criterion 1"]);
        let swapped =
            "## Acceptance criteria\n\n- [ ] Another one there.\n- [ ] One thing here.\n\n## Notes\n\nText.\n";
        assert_eq!(shown(old, swapped).len(), 1);
        assert!(shown(old, swapped)[0].starts_with("renumbered acceptance criterion"), "{:?}", shown(old, swapped));
        let renamed = old.replace("## Notes", "## Remarks");
        assert_eq!(shown(old, &renamed), ["changed the heading `Notes`"]);
        assert_eq!(shown("# A\n\n## B\n\nText.\n", "# C\n\n## B\n\nText.\n"), ["changed the heading `A`"]);
        let other = old.replace("## Notes\n\nText.", "## Remarks\n\nOther.");
        assert_eq!(shown(old, &other).len(), 4);
        let less = old.replace("\n## Notes\n\nText.\n", "");
        assert_eq!(shown(old, &less), ["removed the heading `Notes`", "removed paragraph 1 of `Notes`"]);
    }

    #[test]
    fn long_texts_take_time_in_proportion_to_their_length() {
        let items = |count: usize| -> String { (0..count).map(|n| format!("- Item {n} of many\n")).collect() };
        // Too many to be compared one by one; their lines say what changed.
        assert_eq!(shown(&items(100_000), &items(99_999)), [""; 0]);
        let (old, new) = (items(4_000), items(4_000).replace("Item", "Thing"));
        assert_eq!(shown(&old, &new).len(), 8_000);
    }

    #[test]
    fn what_stands_below_an_item_is_a_part_of_it() {
        let old = "## Scope\n\n- One\n  - inner\n- Two\n";
        assert_eq!(shown(old, &old.replace("inner", "inner thing")), ["changed item 1 of `Scope`"]);
    }
}
