//! Line-by-line differences of a text, with the changed words of each line.

use schemars::JsonSchema;
use serde::Serialize;
use similar::{Algorithm, DiffOp, capture_diff_slices};
use std::ops::Range;

/// The number of unchanged lines shown around a change.
const CONTEXT: usize = 3;

/// The largest changed block, in bytes on both sides, whose words are compared: a larger one has hardly a line in common.
const MAX_COMPARED_BLOCK: usize = 20_000;

/// A change with the lines around it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, JsonSchema)]
pub struct Hunk {
    /// The first line of the old text, from 1.
    pub old_line: usize,
    /// The first line of the new text, from 1.
    pub new_line: usize,
    /// The lines; removed ones come before added ones.
    pub lines: Vec<DiffLine>,
}

/// A line of either text.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, JsonSchema)]
pub struct DiffLine {
    /// `same`, `removed` or `added`.
    pub change: String,
    /// The parts of the line, which joined are the whole.
    pub segments: Vec<Segment>,
}

/// A part of a line.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, JsonSchema)]
pub struct Segment {
    /// The text.
    pub text: String,
    /// Whether this part of the line changed.
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
pub(super) fn hunks(old: &str, new: &str) -> Vec<Hunk> {
    let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    let ops = capture_diff_slices(Algorithm::Myers, &old, &new);
    similar::group_diff_ops(ops, CONTEXT).iter().map(|ops| hunk(ops, &old, &new)).collect()
}

/// Returns two texts of one line as a removed and an added line, with the changed words marked.
pub fn changed_words(old: &str, new: &str) -> Vec<DiffLine> {
    block(&[old], &[new])
}

/// Returns a whole text as one added or removed hunk.
pub(super) fn whole(change: &str, text: &str) -> Vec<Hunk> {
    let lines: Vec<DiffLine> = text.lines().map(|line| DiffLine::plain(change, line)).collect();
    if lines.is_empty() { Vec::new() } else { vec![Hunk { old_line: 1, new_line: 1, lines }] }
}

fn hunk(ops: &[DiffOp], old: &[&str], new: &[&str]) -> Hunk {
    let mut lines = Vec::new();
    for op in ops {
        let (_, before, after) = op.as_tag_tuple();
        match op {
            DiffOp::Equal { .. } => lines.extend(old[before].iter().map(|line| DiffLine::plain("same", line))),
            _ => lines.extend(block(&old[before], &new[after])),
        }
    }
    let first = |range: Option<Range<usize>>| range.map_or(1, |range| range.start + 1);
    Hunk {
        old_line: first(ops.first().map(DiffOp::old_range)),
        new_line: first(ops.first().map(DiffOp::new_range)),
        lines,
    }
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
    let mut removed = Marked::new("removed");
    let mut added = Marked::new("added");
    for (at, op) in ops.iter().enumerate() {
        // Blanks between two changes are marked too, so that they form one mark.
        let blank = || old_words[op.old_range()].iter().all(|word| *word != "\n" && word.trim().is_empty());
        let between = at > 0 && at + 1 < ops.len();
        let same = matches!(op, DiffOp::Equal { .. }) && !(between && blank());
        old_words[op.old_range()].iter().for_each(|word| removed.push(word, !same));
        new_words[op.new_range()].iter().for_each(|word| added.push(word, !same));
    }
    removed.end().into_iter().chain(added.end()).collect()
}

/// Splits a text into words, runs of blanks, line ends and single punctuation characters.
fn words(text: &str) -> Vec<&str> {
    let kind = |c: char| match c {
        '\n' => 0,
        c if c.is_whitespace() => 1,
        c if c.is_alphanumeric() || c == '_' => 2,
        _ => 3,
    };
    let mut words = Vec::new();
    let mut start = 0;
    let mut before = None;
    for (at, c) in text.char_indices() {
        let here = kind(c);
        if before.is_some_and(|before| before != here || matches!(here, 0 | 3)) {
            words.push(&text[start..at]);
            start = at;
        }
        before = Some(here);
    }
    if start < text.len() {
        words.push(&text[start..]);
    }
    words
}

/// A builder of lines with marked segments.
struct Marked {
    change: &'static str,
    lines: Vec<DiffLine>,
    segments: Vec<Segment>,
}

impl Marked {
    fn new(change: &'static str) -> Self {
        Self { change, lines: Vec::new(), segments: Vec::new() }
    }

    fn push(&mut self, word: &str, marked: bool) {
        if word == "\n" {
            self.line();
            return;
        }
        match self.segments.last_mut() {
            Some(last) if last.marked == marked => last.text.push_str(word),
            _ => self.segments.push(Segment { text: word.to_owned(), marked }),
        }
    }

    fn line(&mut self) {
        let segments = std::mem::take(&mut self.segments);
        self.lines.push(if segments.is_empty() {
            DiffLine::plain(self.change, "")
        } else {
            DiffLine { change: self.change.to_owned(), segments }
        });
    }

    fn end(mut self) -> Vec<DiffLine> {
        self.line();
        self.lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(old: &str, new: &str) -> String {
        let mut out = String::new();
        for hunk in hunks(old, new) {
            out += &format!("@{},{}\n", hunk.old_line, hunk.new_line);
            for line in hunk.lines {
                out.push(match line.change.as_str() {
                    "added" => '+',
                    "removed" => '-',
                    _ => ' ',
                });
                line.segments
                    .iter()
                    .for_each(|it| out += &if it.marked { format!("[{}]", it.text) } else { it.text.clone() });
                out.push('\n');
            }
        }
        out
    }

    #[test]
    fn changed_words_are_marked_in_their_line() {
        assert_eq!(
            shown("a\nWe cache for a minute.\nb", "a\nWe cache for an hour.\nb"),
            "@1,1\n a\n-We cache for [a minute].\n+We cache for [an hour].\n b\n"
        );
        assert_eq!(shown("same", "same"), "");
    }

    #[test]
    fn lines_without_anything_in_common_are_not_marked() {
        assert_eq!(shown("one two three", "vier fünf sechs"), "@1,1\n-one two three\n+vier fünf sechs\n");
    }

    #[test]
    fn only_the_lines_around_a_change_are_shown_with_it() {
        let old: String = (1..=40).map(|n| format!("line {n}\n")).collect();
        let new = old.replace("line 20\n", "");
        assert_eq!(shown(&old, &new), "@17,17\n line 17\n line 18\n line 19\n-line 20\n line 21\n line 22\n line 23\n");
    }

    #[test]
    fn the_parts_of_a_line_are_the_whole_line() {
        let (old, new) = ("ä b\t(c) d\n\nlast one here", "ä b\t(c) e\n\n\nlast two here");
        let lines: Vec<DiffLine> = hunks(old, new).into_iter().flat_map(|hunk| hunk.lines).collect();
        let text = |skip: &str| {
            lines.iter().filter(|line| line.change != skip).map(DiffLine::text).collect::<Vec<_>>().join("\n")
        };
        assert_eq!((text("added"), text("removed")), (old.to_owned(), new.to_owned()));
    }
}
