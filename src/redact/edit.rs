//! Rewrites a text: replaces findings by markers and deletes invisible characters.

use super::detect::{Finding, RuleRef};
use super::invisible::INVISIBLE;
use super::redactor::Redactor;
use super::text::line_ends;
use super::view::View;
use crate::model::RemovedLines;
use std::borrow::Cow;
use std::ops::Range;

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
}

/// Widens findings to whole characters: rules read bytes.
pub(super) fn widen(text: &str, findings: &mut [Finding]) {
    for finding in findings {
        finding.start = text.floor_char_boundary(finding.start);
        finding.end = text.ceil_char_boundary(finding.end);
    }
}

impl Redactor {
    /// Rewrites a piece without the findings and the invisible characters; returns whether it changed.
    pub(super) fn apply(
        &self,
        draft: &mut PieceEdit<'_>,
        mut findings: Vec<Finding>,
        hidden: &[Range<usize>],
        mut record: impl FnMut(u32, RuleRef),
    ) -> bool {
        if findings.is_empty() && hidden.is_empty() {
            return false;
        }
        let text: &str = &draft.text;
        widen(text, &mut findings);
        let spans = self.without_markers(text, self.merged(findings));
        let mut edits: Vec<(Range<usize>, Option<RuleRef>)> =
            spans.into_iter().map(|f| (f.start..f.end, Some(f.rule))).collect();
        edits.extend(hidden.iter().map(|range| (range.clone(), None)));
        edits.sort_by_key(|(range, rule)| (range.start, rule.is_none()));
        if edits.is_empty() {
            return false;
        }
        let mut output = String::with_capacity(text.len());
        let mut removed_lines = Vec::new();
        let mut earlier = draft.removed_lines.iter().peekable();
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
                output.push_str(self.name(rule));
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
        draft.text = Cow::Owned(output);
        draft.removed_lines = removed_lines;
        true
    }

    /// Sorts the findings and merges those that overlap, under the label with the lowest rank.
    pub(super) fn merged(&self, mut findings: Vec<Finding>) -> Vec<Finding> {
        findings.sort_by_key(|f| (f.start, std::cmp::Reverse(f.end), self.rank(f.rule)));
        let mut merged: Vec<Finding> = Vec::with_capacity(findings.len());
        for finding in findings {
            match merged.last_mut() {
                Some(last) if finding.start < last.end => {
                    last.end = last.end.max(finding.end);
                    if self.rank(finding.rule) < self.rank(last.rule) {
                        last.rule = finding.rule;
                    }
                }
                _ => merged.push(finding),
            }
        }
        merged
    }

    /// Returns the parts of findings outside markers that the text already has.
    pub(super) fn without_markers(&self, text: &str, findings: Vec<Finding>) -> Vec<Finding> {
        if findings.is_empty() {
            return findings;
        }
        let mut markers = self.markers(text).peekable();
        let mut kept = Vec::with_capacity(findings.len());
        for mut finding in findings {
            while markers.next_if(|marker| marker.end <= finding.start).is_some() {}
            while let Some(marker) = markers.next_if(|marker| marker.start < finding.end) {
                kept.push(Finding { end: marker.start.max(finding.start), ..finding });
                finding.start = marker.end;
            }
            kept.push(Finding { end: finding.end.max(finding.start), ..finding });
        }
        kept.retain(|finding| !text[finding.start..finding.end].trim().is_empty());
        kept
    }

    /// Finds the markers with names of known rules.
    fn markers<'t>(&'t self, text: &'t str) -> impl Iterator<Item = Range<usize>> + 't {
        text.match_indices("[REDACTED:").filter_map(|(start, open)| {
            let name = &text[start + open.len()..];
            let length = name.bytes().take(101).position(|b| b == b']')?;
            self.names.contains(&name[..length]).then_some(start..start + open.len() + length + 1)
        })
    }
}
