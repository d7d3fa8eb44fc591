//! Entries of lists that are not of the expected type: counted, and reported by what they are.

use super::sync::SyncEngine;
use std::collections::BTreeMap;

/// The most lists that are reported one by one; further ones are counted.
const MAX_REPORTED_LISTS: usize = 50;
/// The most kinds of unexpected entries that are reported for one list.
const MAX_REPORTED_KINDS: usize = 5;

/// The unexpected entries of a list, or of one of its pages.
#[derive(Debug, Default)]
pub(super) struct UnexpectedEntries {
    /// The number of entries of each kind.
    kinds: BTreeMap<String, usize>,
}

impl UnexpectedEntries {
    /// Returns a converted entry, or counts the entry under its description.
    pub(super) fn note<T>(&mut self, converted: Result<T, String>) -> Option<T> {
        converted.map_err(|kind| *self.kinds.entry(kind).or_default() += 1).ok()
    }

    pub(super) fn is_none(&self) -> bool {
        self.kinds.is_empty()
    }

    /// Describes the entries: ``3 entries are not what was asked for, and left out: a number (2 times), …``.
    fn describe(&self) -> String {
        let all: usize = self.kinds.values().sum();
        let mut kinds: Vec<String> =
            self.kinds.iter().take(MAX_REPORTED_KINDS).map(|(kind, count)| counted(kind, *count)).collect();
        if self.kinds.len() > MAX_REPORTED_KINDS {
            kinds.push("others".to_owned());
        }
        let entries = if all == 1 { "1 entry is".to_owned() } else { format!("{all} entries are") };
        format!("{entries} not what was asked for, and left out: {}", kinds.join(", "))
    }
}

fn counted(kind: &str, count: usize) -> String {
    if count == 1 { kind.to_owned() } else { format!("{kind} ({count} times)") }
}

impl SyncEngine<'_> {
    /// Reports the unexpected entries of a list. Existing records are unchanged, and the run is not complete.
    pub(super) fn report_unexpected(&mut self, unexpected: &UnexpectedEntries, list: impl FnOnce() -> String) {
        if unexpected.is_none() {
            return;
        }
        self.unexpected_lists += 1;
        if self.unexpected_lists <= MAX_REPORTED_LISTS {
            self.summary.failed.push(format!("{}: {}", list(), unexpected.describe()));
        }
    }

    /// Returns a message with the number of lists that were not reported one by one.
    pub(super) fn other_unexpected_lists(&self) -> Option<String> {
        let more = self.unexpected_lists.checked_sub(MAX_REPORTED_LISTS).filter(|more| *more > 0)?;
        Some(format!("{more} more answers have entries that are not what was asked for"))
    }
}
