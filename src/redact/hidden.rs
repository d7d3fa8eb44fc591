//! Hidden text: parts of Markdown by untrusted authors that readers of GitHub's page do not see or did not ask for.
//!
//! A text is read as Markdown and HTML. Visible text and its markup stay, and everything else is removed: [`markdown`]
//! checks all that no visible piece covers, so that an unknown form counts as hidden until it is known to be visible.

mod drawn;
mod html;
mod line_mapped_text;
mod markdown;
mod references;
pub(super) mod target;
mod unparsed;

use super::catalog::{self, COMMENT, HIDDEN, IMAGE};
use super::containment::{UNREADABLE, contained};
use super::redactor::{Redactor, Removal, is_allowed};
use super::rules::FindingLabel;
use crate::model::RemovedLines;
use line_mapped_text::{HiddenRecords, LineMappedText};
use std::ops::Range;

/// How many times a text is read again, since a removal may change how the rest reads. One that still changes then was
/// made for that, and is removed as a whole.
const MAX_ROUNDS: usize = 6;

/// A text without its hidden parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VisibleText {
    /// The text; not scrubbed yet.
    pub text: String,
    /// The removals; the piece is 0, lines are those of the original text.
    pub removals: Vec<Removal>,
    /// The line ends that were removed with them.
    pub removed_lines: Vec<RemovedLines>,
}

/// A hidden part of a text.
#[derive(Debug)]
struct HiddenRange {
    range: Range<usize>,
    label: &'static FindingLabel,
    put: Replacement,
}

/// What replaces a hidden part.
#[derive(Debug, PartialEq, Eq)]
enum Replacement {
    /// A marker, so that the text before and the text after it cannot combine to something new.
    Marker,
    /// Nothing, where a marker would change what the rest means.
    Nothing,
    /// Another form without the hidden part.
    Text(String),
}

impl HiddenRange {
    fn marked(range: Range<usize>, label: &'static FindingLabel) -> Self {
        Self { range, label, put: Replacement::Marker }
    }

    fn silent(range: Range<usize>, label: &'static FindingLabel) -> Self {
        Self { range, label, put: Replacement::Nothing }
    }
}

impl Redactor {
    /// Removes the hidden parts and the remote images of Markdown by an untrusted author. The result is not scrubbed.
    ///
    /// Code is visible, and stays. `path` is compared with the entries of `redaction.allow`.
    pub fn visible_text(&self, path: &str, text: &str) -> VisibleText {
        let allowed = self.allowed(path);
        let mut draft = LineMappedText::new(text);
        let mut records = HiddenRecords::new();
        for round in 0..=MAX_ROUNDS {
            let whole = |label| vec![HiddenRange::marked(0..draft.text.len(), label)];
            let mut edits = contained(|| markdown::hidden_ranges(&draft.text)).unwrap_or_else(|| whole(&UNREADABLE));
            edits.retain(|edit| !is_allowed(&allowed, edit.label.name, draft.text[edit.range.clone()].as_bytes()));
            if edits.is_empty() {
                break;
            }
            if round == MAX_ROUNDS {
                edits = whole(&HIDDEN);
            }
            draft.apply(edits, &mut records);
        }
        let place = if records.is_empty() { None } else { self.printable_path(path) };
        let removals = records
            .into_iter()
            .map(|((line, _), (count, label))| Removal {
                piece: 0,
                line,
                rule: label.name.to_owned(),
                reason: label.reason.to_owned(),
                to_include: catalog::to_include(label.name, place),
                count,
            })
            .collect();
        VisibleText { removed_lines: draft.removed_lines(), text: draft.text, removals }
    }
}
