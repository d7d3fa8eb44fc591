//! Redacted texts and what was removed from them.

use crate::mentions::{Markdown, adr_status};
use crate::model::{DecisionState, RemovedLines};
use crate::records::{Body, Origin};
use crate::redact::{Clean, CleanBuf};
use serde::{Deserialize, Serialize};
use std::hash::{Hash, Hasher};
use std::sync::Arc;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParsedText {
    pub clean: Clean,
    pub markdown: Arc<Markdown>,
    pub folds: Vec<RemovedLines>,
}

/// The text is represented by its length, since its item has a digest of it; its Markdown follows from it.
impl Hash for ParsedText {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.clean.len(), &self.folds).hash(state);
    }
}

impl ParsedText {
    /// Returns the status that the text states as an ADR, without markup, and what it says of the decision.
    pub fn adr_status(&self) -> Option<(Clean, DecisionState)> {
        let found = adr_status(&self.clean, &self.markdown.outline)?;
        let stated = self.clean.slice(found.range).trimmed();
        let plain = stated.read_out(&found.plain).filter(|plain| !plain.is_empty()).unwrap_or(stated);
        let status =
            if found.is_successor { CleanBuf::new().lit("superseded by ").text(&plain).finish() } else { plain };
        Some((status, found.state))
    }

    pub fn line_before(&self, line: u32) -> u32 {
        self.shifted(line, |fold| fold.line < line)
    }

    pub fn count_lines(&self) -> u32 {
        // The blocks tile the text and know their lines: only the last one is needed.
        self.markdown.outline.blocks.last().map_or(0, |last| {
            let count = self.clean.get(last.range.clone()).map_or(0, |text| text.lines().count());
            (last.line - 1).saturating_add(u32::try_from(count).unwrap_or(u32::MAX))
        })
    }

    /// Returns the original line of a passage's last line, including line ends that were removed within it.
    pub fn last_line_before(&self, line: u32) -> u32 {
        self.shifted(line, |fold| fold.line <= line)
    }

    pub fn line_in_file(&self, body: &Body<Clean>, line: u32) -> u32 {
        if body.in_file { body.line.saturating_add(self.line_before(line)).saturating_sub(1) } else { body.line }
    }

    /// Returns the line of the redacted `body`, whose text this is, that `line` of its file became; `None` if it is outside.
    pub fn line_in_text(&self, body: &Body<Clean>, line: u32) -> Option<u32> {
        // Redaction only removes line ends, so a line is at `last` or before.
        let last = line.checked_sub(body.line).filter(|_| body.in_file)? + 1;
        let removed = self.shifted(0, |_| true);
        let first = last.saturating_sub(removed).max(1);
        Some((first..last).find(|earlier| self.line_in_file(body, *earlier) >= line).unwrap_or(last))
    }

    fn shifted(&self, line: u32, counts: impl Fn(&RemovedLines) -> bool) -> u32 {
        self.folds.iter().filter(|fold| counts(fold)).fold(line, |line, fold| line.saturating_add(fold.lines))
    }
}

/// A removal that `redact` made in a record or a document.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct RecordedRemoval {
    pub line: u32,
    /// Whether it was in the body (or the document's text), rather than in a field.
    pub in_body: bool,
    /// Whether it was in the id, the title or the status, which every section of the item shows.
    pub in_name: bool,
    pub rule: String,
    pub count: u32,
    pub reason: String,
    /// How the user can include it safely.
    pub to_include: String,
}

pub(super) fn shown_at(origin: &Origin<Clean>, line: u32) -> Clean {
    let at = || CleanBuf::new().text(&origin.shown).lit(":").number(line.into()).finish();
    origin.url.clone().unwrap_or_else(at)
}
