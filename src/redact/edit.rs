//! Rewrites a text: replaces findings by markers and deletes invisible characters.

use super::findings::{Finding, RuleRef};
use super::invisible::INVISIBLE;
use super::rule_set::RuleSet;
use super::text::line_ends;
use super::view::View;
use crate::model::RemovedLines;
use std::borrow::Cow;
use std::ops::Range;

/// One text of a source.
#[derive(Debug, Clone, Copy)]
pub struct Piece<'a> {
    /// The name of the field whose value the text is, or `body`, `head`, `path`, or empty.
    pub key: &'a str,
    /// The text.
    pub text: &'a str,
    /// The line of the file on which it begins.
    pub line: u32,
}

/// A piece while it is being scrubbed.
pub(super) struct PieceEdit<'a> {
    pub(super) text: Cow<'a, str>,
    /// The line ends that were removed with findings: the offset in `text` and their number.
    pub(super) removed_lines: Vec<(usize, u32)>,
    /// Whether the last scan changed the text, so that it has to be scanned again.
    pub(super) changed: bool,
}

impl<'a> PieceEdit<'a> {
    /// Begins to edit `text`.
    pub(super) fn new(text: &'a str) -> Self {
        Self { text: Cow::Borrowed(text), removed_lines: Vec::new(), changed: true }
    }

    /// Replaces all of `text` by the marker of `rule`.
    pub(super) fn removed(text: &str, rule: &str) -> Self {
        let marker = format!("[REDACTED:{rule}]");
        let lines = line_ends(text);
        let removed_lines = if lines > 0 { vec![(marker.len(), lines)] } else { Vec::new() };
        Self { text: Cow::Owned(marker), removed_lines, changed: true }
    }

    /// Returns the ways in which the text can be read. `hidden`: its invisible characters.
    pub(super) fn views(&self, hidden: &[Range<usize>]) -> impl Iterator<Item = View<'_>> {
        // An invisible character may separate a secret from what follows it, so the text itself is read in any case.
        [
            Some(View::raw(&self.text)),
            View::visible(&self.text, hidden),
            View::continued(&self.text),
            View::decoded(&self.text),
        ]
        .into_iter()
        .flatten()
    }

    /// Returns the number of line ends before `at`, with those that were removed.
    pub(super) fn line_of(&self, at: usize) -> u32 {
        let removed = self.removed_lines.iter().filter(|(place, _)| *place <= at).map(|(_, lines)| lines);
        line_ends(self.text.get(..at).unwrap_or_default()) + removed.sum::<u32>()
    }

    /// Returns the lines on which line ends are missing.
    pub(super) fn removed_lines(&self) -> Vec<RemovedLines> {
        let (mut at, mut line) = (0, 1);
        let on_line = |&(place, lines): &(usize, u32)| {
            line += line_ends(&self.text[at..place]);
            at = place;
            RemovedLines { line, lines }
        };
        self.removed_lines.iter().map(on_line).collect()
    }

    /// Rewrites the text without the findings and the invisible characters; returns whether it changed.
    pub(super) fn apply(
        &mut self,
        rules: &RuleSet,
        mut findings: Vec<Finding>,
        hidden: &[Range<usize>],
        mut record: impl FnMut(u32, RuleRef),
    ) -> bool {
        if findings.is_empty() && hidden.is_empty() {
            return false;
        }
        let text: &str = &self.text;
        widen(text, &mut findings);
        let spans = rules.merged(text, findings);
        let mut edits: Vec<(Range<usize>, Option<RuleRef>)> =
            spans.into_iter().map(|f| (f.start..f.end, Some(f.rule))).collect();
        edits.extend(hidden.iter().map(|range| (range.clone(), None)));
        edits.sort_by_key(|(range, rule)| (range.start, rule.is_none()));
        if edits.is_empty() {
            return false;
        }
        let mut output = String::with_capacity(text.len());
        let mut removed_lines = Vec::new();
        let mut earlier = self.removed_lines.iter().peekable();
        let (mut at, mut line) = (0, 0_u32);
        for (range, rule) in edits {
            if range.start < at {
                continue;
            }
            output.push_str(&text[at..range.start]);
            line += line_ends(&text[at..range.start]);
            while let Some((place, lines)) = earlier.next_if(|(place, _)| *place <= range.start) {
                line += lines;
                removed_lines.push((output.len().saturating_sub(range.start - place), *lines));
            }
            record(line, rule.unwrap_or(RuleRef::BuiltIn(&INVISIBLE)));
            if let Some(rule) = rule {
                output.push_str("[REDACTED:");
                output.push_str(rules.name(rule));
                output.push(']');
                let lines = line_ends(&text[range.clone()]);
                if lines > 0 {
                    removed_lines.push((output.len(), lines));
                    line += lines;
                }
            }
            at = range.end;
        }
        let shift = output.len();
        for (place, lines) in earlier {
            removed_lines.push((shift + place.saturating_sub(at), *lines));
        }
        output.push_str(&text[at..]);
        self.text = Cow::Owned(output);
        self.removed_lines = removed_lines;
        true
    }
}

/// Widens findings to whole characters: rules read bytes.
pub(super) fn widen(text: &str, findings: &mut [Finding]) {
    for finding in findings {
        finding.start = text.floor_char_boundary(finding.start);
        finding.end = text.ceil_char_boundary(finding.end);
    }
}
