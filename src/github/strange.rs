//! Entries of lists that are not what was asked for: counted, and told with what they are.

use super::sync::SyncEngine;
use std::collections::BTreeMap;

/// How many lists are told one by one; of further ones their number is.
const MOST: usize = 50;
/// How many kinds of strange entries of one list are told.
const KINDS: usize = 5;

/// The strange entries of a list, or of a page of one.
#[derive(Debug, Default)]
pub(super) struct Strange {
    /// How many there are of each kind.
    kinds: BTreeMap<String, usize>,
}

impl Strange {
    /// Gives what was taken from an entry, or notes what it is instead.
    pub(super) fn note<T>(&mut self, taken: Result<T, String>) -> Option<T> {
        taken.map_err(|kind| *self.kinds.entry(kind).or_default() += 1).ok()
    }

    pub(super) fn is_none(&self) -> bool {
        self.kinds.is_empty()
    }

    /// `3 entries are not what they should be: a number (2), an object without a \`number\``.
    fn told(&self) -> String {
        let all: usize = self.kinds.values().sum();
        let mut kinds: Vec<String> = self.kinds.iter().take(KINDS).map(|(kind, count)| counted(kind, *count)).collect();
        if self.kinds.len() > KINDS {
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
    /// Tells the strange entries of a list. What they would have replaced stays as it is, and the run is not complete.
    pub(super) fn strange(&mut self, strange: &Strange, list: impl FnOnce() -> String) {
        if strange.is_none() {
            return;
        }
        self.strange_lists += 1;
        if self.strange_lists <= MOST {
            self.summary.failed.push(format!("{}: {}", list(), strange.told()));
        }
    }

    /// Tells how many lists had strange entries besides those that were told.
    pub(super) fn other_strange_lists(&self) -> Option<String> {
        let more = self.strange_lists.checked_sub(MOST).filter(|more| *more > 0)?;
        Some(format!("{more} more answers have entries that are not what was asked for"))
    }
}
