//! Line-by-line differences of a text, with the changed words of each line.

use crate::model::OUTLINE_HEAD;
use crate::wire::Section;
use serde::Serialize;
use similar::{Algorithm, DiffOp, capture_diff_slices};
use std::ops::Range;

const CONTEXT: usize = 3;

/// The largest changed block, in bytes on both sides, whose words are compared: a larger one has hardly a line in common.
const MAX_COMPARED_BLOCK: usize = 20_000;

#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
pub struct Hunk {
    pub old_line: usize,
    pub new_line: usize,
    pub lines: Vec<DiffLine>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
pub struct DiffLine {
    pub change: String,
    pub segments: Vec<Segment>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
pub struct Segment {
    pub text: String,
    pub marked: bool,
}

impl DiffLine {
    fn plain(change: &str, text: &str) -> Self {
        Self { change: change.to_owned(), segments: vec![Segment { text: text.to_owned(), marked: false }] }
    }

    /// Returns the whole line.
    pub fn text(&self) -> String {
        self.segments.iter().map(|segment| &*segment.text).collect()
    }
}

/// Returns the changes from `old` to `new`; empty if they are equal.
///
/// Marks of omission are equal, whatever they count: their figures follow from edits that are shown, or that no pack holds.
pub(super) fn hunks<'t>(old: &'t Section, new: &'t Section) -> Vec<Hunk> {
    let is_cut = |section: &Section| section.metadata.detail != "full";
    if is_cut(old) && is_cut(new) && is_cut_elsewhere(&old.content, &new.content) {
        return Vec::new();
    }
    let is_outline = is_outline(old) && is_outline(new);
    let (old, new): (Vec<&'t str>, Vec<&'t str>) = (old.content.lines().collect(), new.content.lines().collect());
    let compared = |line: &'t str| compared(line, is_outline);
    let [before, after] = [&old, &new].map(|lines| lines.iter().map(|line| compared(line)).collect::<Vec<_>>());
    let ops = capture_diff_slices(Algorithm::Myers, &before, &after);
    let hunks = similar::group_diff_ops(ops, CONTEXT).into_iter().map(|ops| hunk(&ops, &old, &new));
    hunks.filter(|hunk| hunk.lines.iter().any(|line| line.change != "same")).collect()
}

/// The beginning of a mark of omission such as `[… 389 of 1607 characters omitted: a.md]`.
const MARK: &str = "[… ";

/// Returns whether a line is such a mark and nothing else: people may write what looks like one.
pub(in crate::review) fn is_omission_mark(line: &str) -> bool {
    let mark = line.strip_prefix(MARK).and_then(|rest| rest.strip_suffix(']'));
    let counts = mark.and_then(|mark| mark.split_once(" characters omitted: "));
    counts.is_some_and(|(counts, _)| counts.chars().all(|c| c.is_ascii_digit() || " of".contains(c)))
}

/// Returns whether a text lists the definitions of a source file.
pub(super) fn is_outline(section: &Section) -> bool {
    section.id.starts_with("code.") && section.content.starts_with(OUTLINE_HEAD)
}

fn is_only_mark(lines: &[&str]) -> bool {
    lines.iter().any(|line| is_omission_mark(line))
        && lines.iter().all(|line| line.is_empty() || is_omission_mark(line))
}

/// Returns what of a line is compared: of a mark of omission its beginning, and of a line of an outline all but numbers, which
/// edits elsewhere move.
fn compared(line: &str, is_outline: bool) -> &str {
    match line {
        _ if is_omission_mark(line) => MARK,
        _ if is_outline && line.starts_with(OUTLINE_HEAD) => OUTLINE_HEAD,
        _ if is_outline => line.trim_start_matches(|c: char| c.is_ascii_digit()),
        _ => line,
    }
}

/// Returns whether two texts have as many marks of omission, and what is between these only goes on for longer on one side.
fn is_cut_elsewhere(old: &str, new: &str) -> bool {
    let parts = |text: &str| -> Vec<String> {
        let lines: Vec<&str> = text.lines().collect();
        lines.split(|line| is_omission_mark(line)).map(|part| part.join("\n").trim().to_owned()).collect()
    };
    let (old, new) = (parts(old), parts(new));
    let goes_on = |(old, new): (&String, &String)| {
        let (short, long) = if old.len() < new.len() { (old, new) } else { (new, old) };
        long.starts_with(&**short) || long.ends_with(&**short)
    };
    old.len() == new.len() && old.len() > 1 && old.iter().zip(&new).all(goes_on)
}

pub(super) fn whole(change: &str, text: &str) -> Vec<Hunk> {
    let lines: Vec<DiffLine> = text.lines().map(|line| DiffLine::plain(change, line)).collect();
    if lines.is_empty() { Vec::new() } else { vec![Hunk { old_line: 1, new_line: 1, lines }] }
}

fn hunk(ops: &[DiffOp], old: &[&str], new: &[&str]) -> Hunk {
    let mut lines = Vec::new();
    for op in ops {
        let (_, before, after) = op.as_tag_tuple();
        match op {
            DiffOp::Equal { .. } => lines.extend(new[after].iter().map(|line| DiffLine::plain("same", line))),
            // What the budget cuts, or shows again, nobody removed or wrote.
            _ if is_only_mark(&old[before.clone()]) || is_only_mark(&new[after.clone()]) => {
                lines.extend(new[after].iter().map(|line| DiffLine::plain("same", line)));
            }
            _ => lines.extend(block(&old[before], &new[after])),
        }
    }
    let first = |range: fn(&DiffOp) -> Range<usize>| ops.first().map_or(1, |op| range(op).start + 1);
    Hunk { old_line: first(DiffOp::old_range), new_line: first(DiffOp::new_range), lines }
}

/// Returns a block of replaced lines, with the changed words marked if enough words are the same.
fn block(old: &[&str], new: &[&str]) -> Vec<DiffLine> {
    let plain = || {
        let removed = old.iter().map(|line| DiffLine::plain("removed", line));
        removed.chain(new.iter().map(|line| DiffLine::plain("added", line))).collect()
    };
    let (before, after) = (old.join("\n"), new.join("\n"));
    if old.is_empty() || new.is_empty() || before.len() + after.len() > MAX_COMPARED_BLOCK {
        return plain();
    }
    let (old_words, new_words) = (words(&before), words(&after));
    let ops = capture_diff_slices(Algorithm::Myers, &old_words, &new_words);
    let length = |words: &[&str]| words.iter().map(|word| word.trim().len()).sum::<usize>();
    let same: usize =
        ops.iter().filter(|op| matches!(op, DiffOp::Equal { .. })).map(|op| length(&old_words[op.old_range()])).sum();
    // With less than a third in common, the marks would cover nearly everything.
    if same * 3 < length(&old_words).max(length(&new_words)) {
        return plain();
    }
    let (mut removed, mut added) = (Vec::new(), Vec::new());
    for (at, op) in ops.iter().enumerate() {
        // Blanks between two changes are marked too, so that they form one mark.
        let blank = || old_words[op.old_range()].iter().all(|word| *word != "\n" && word.trim().is_empty());
        let between = at > 0 && at + 1 < ops.len();
        let marked = !matches!(op, DiffOp::Equal { .. }) || between && blank();
        removed.extend(old_words[op.old_range()].iter().map(|word| (*word, marked)));
        added.extend(new_words[op.new_range()].iter().map(|word| (*word, marked)));
    }
    [marked_lines("removed", removed), marked_lines("added", added)].concat()
}

/// Joins words to lines whose neighbouring words of one mark form a segment.
fn marked_lines(change: &str, mut words: Vec<(&str, bool)>) -> Vec<DiffLine> {
    // What changed at several places with no blank between them, such as a link, has one mark.
    for chunk in words.chunk_by_mut(|(a, _), (b, _)| !a.trim().is_empty() && !b.trim().is_empty()) {
        if chunk.chunk_by(|a, b| a.1 == b.1).filter(|run| run[0].1).count() > 1 {
            chunk.iter_mut().for_each(|(_, marked)| *marked = true);
        }
    }
    let line = |words: &[(&str, bool)]| {
        if words.is_empty() {
            return DiffLine::plain(change, "");
        }
        let runs = words.chunk_by(|a, b| a.1 == b.1);
        let segments = runs.map(|run| Segment { text: run.iter().map(|(word, _)| *word).collect(), marked: run[0].1 });
        DiffLine { change: change.to_owned(), segments: segments.collect() }
    };
    words.split(|(word, _)| *word == "\n").map(line).collect()
}

/// Splits a text into words, runs of blanks, line ends and single punctuation characters.
fn words(text: &str) -> Vec<&str> {
    let kind = |c: char| match c {
        '\n' => 0,
        c if c.is_whitespace() => 1,
        c if c.is_alphanumeric() || c == '_' => 2,
        _ => 3,
    };
    let starts = text.char_indices().scan(None, |before, (at, c)| {
        let here = kind(c);
        let starts = before.replace(here) != Some(here) || matches!(here, 0 | 3);
        Some(starts.then_some(at))
    });
    let starts: Vec<usize> = starts.flatten().collect();
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    starts.iter().zip(ends).map(|(start, end)| &text[*start..end]).collect()
}
