//! A text while hidden parts are taken out of it, and which lines of the original are left.

use super::super::rules::FindingLabel;
use super::super::text::line_ends;
use super::{HiddenRange, Replacement};
use crate::model::RemovedLines;
use std::collections::BTreeMap;

/// What was taken out: for each line of the original and rule, how often.
pub(super) type HiddenRecords = BTreeMap<(u32, &'static str), (u32, &'static FindingLabel)>;

/// A text while it is edited, with the line of the original on which each of its lines begins.
pub(super) struct LineMappedText {
    pub(super) text: String,
    lines: Vec<u32>,
}

impl LineMappedText {
    pub(super) fn new(text: &str) -> Self {
        Self { text: text.to_owned(), lines: (1..=line_ends(text).saturating_add(1)).collect() }
    }

    /// Applies the edits, which may overlap.
    pub(super) fn apply(&mut self, mut edits: Vec<HiddenRange>, records: &mut HiddenRecords) {
        edits.sort_by_key(|edit| (edit.range.start, std::cmp::Reverse(edit.range.end)));
        let text = std::mem::take(&mut self.text);
        let before = std::mem::take(&mut self.lines);
        let mut lines = before.iter().copied();
        self.lines.extend(lines.next());
        let mut at = 0;
        // The index of the line, in the text before.
        let mut line = 0;
        for edit in edits {
            let range = edit.range.start.max(at)..edit.range.end;
            if range.is_empty() {
                continue;
            }
            self.text.push_str(&text[at..range.start]);
            let between = line_ends(&text[at..range.start]) as usize;
            self.lines.extend(lines.by_ref().take(between));
            line += between;
            let original = before.get(line).copied().unwrap_or(1);
            records.entry((original, edit.label.name)).or_insert((0, edit.label)).0 += 1;
            match edit.put {
                Replacement::Marker => {
                    self.text.push_str("[REDACTED:");
                    self.text.push_str(edit.label.name);
                    self.text.push(']');
                }
                Replacement::Nothing => {}
                Replacement::Text(text) => self.text.push_str(&text),
            }
            // The line's end stays, and with it the block that ends there.
            at = range.end - usize::from(text[range.clone()].ends_with('\n'));
            let gone = line_ends(&text[range.start..at]) as usize;
            lines.by_ref().take(gone).for_each(drop);
            line += gone;
        }
        self.text.push_str(&text[at..]);
        self.lines.extend(lines);
    }

    /// Returns the lines on which line ends are missing.
    pub(super) fn removed_lines(&self) -> Vec<RemovedLines> {
        let pairs = self.lines.iter().zip(self.lines.iter().skip(1)).zip(1..);
        let on_line = |((this, next), line): ((&u32, &u32), u32)| {
            let lines = next.saturating_sub(*this).saturating_sub(1);
            (lines > 0).then_some(RemovedLines { line, lines })
        };
        pairs.filter_map(on_line).collect()
    }
}
