//! A walk over the pages of a list, which ends whatever the server answers.

use std::collections::BTreeSet;

/// The number of entries that a list may have beyond twice the announced number, for entries added while it is read.
const SLACK: u64 = 100;

/// The number of pages in a row without a new entry after which a list counts as endless.
const MAX_EMPTY_PAGES: u32 = 3;

/// The pages of one list that were visited so far.
pub(super) struct Walk {
    visited: BTreeSet<String>,
    most: usize,
    empty: u32,
    /// The most entries that the list may have.
    max_entries: Option<u64>,
    /// The number of different entries so far.
    entries: u64,
}

/// The reason why a list is not read to its end, or not accepted.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum End {
    /// The list has more pages than this number, which is the most that are read.
    Long(usize),
    /// The list does not end, or is far too long, for this reason.
    Endless(&'static str),
}

impl End {
    /// Returns the reason as it is reported.
    pub(super) fn reason(&self) -> String {
        match self {
            Self::Long(pages) => format!("it goes on after {pages} pages"),
            Self::Endless(why) => (*why).to_owned(),
        }
    }
}

impl Walk {
    /// Begins a walk of at most `most` pages at the page `first`.
    pub(super) fn new(first: &str, most: usize) -> Self {
        Self { visited: BTreeSet::from([first.to_owned()]), most, empty: 0, max_entries: None, entries: 0 }
    }

    /// Ends the walk if the list has far more entries than its issue announces; `None` allows any number.
    pub(super) fn announced(self, entries: Option<u64>) -> Self {
        Self { max_entries: entries.map(|entries| entries.saturating_mul(2).saturating_add(SLACK)), ..self }
    }

    /// Returns the number of visited pages, including the present one.
    pub(super) fn pages(&self) -> usize {
        self.visited.len()
    }

    /// Continues with the page `next`, if there is one; `new` is the number of entries on the present page that no
    /// earlier one had.
    ///
    /// # Errors
    /// If the list is too long or has no end.
    pub(super) fn go(&mut self, next: Option<String>, new: usize) -> Result<Option<String>, End> {
        self.entries = self.entries.saturating_add(new as u64);
        if self.max_entries.is_some_and(|max| self.entries > max) {
            return Err(End::Endless("it is far longer than the issue says"));
        }
        let Some(next) = next else { return Ok(None) };
        self.empty = if new == 0 { self.empty + 1 } else { 0 };
        if self.visited.contains(&next) {
            return Err(End::Endless("its pages lead in a circle"));
        }
        if self.empty >= MAX_EMPTY_PAGES {
            return Err(End::Endless("its pages go on without anything new on them"));
        }
        if self.visited.len() >= self.most {
            return Err(End::Long(self.most));
        }
        self.visited.insert(next.clone());
        Ok(Some(next))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(number: usize) -> String {
        format!("/x?page={number}")
    }

    #[test]
    fn a_walk_ends_in_a_circle_without_anything_new_and_after_its_pages() {
        let mut walk = Walk::new(&page(1), 50);
        let mut go = |number, new| walk.go(Some(page(number)), new);
        assert_eq!(go(2, 1), Ok(Some(page(2))));
        for (next, new) in [(1, 1), (2, 0)] {
            assert_eq!(go(next, new), Err(End::Endless("its pages lead in a circle")));
        }
        let mut walk = Walk::new(&page(1), 50);
        let steps: Vec<bool> =
            [0, 0, 1, 0, 0, 0].iter().zip(2..).map(|(new, n)| walk.go(Some(page(n)), *new).is_ok()).collect();
        assert_eq!(steps, [true, true, true, true, true, false]);
        let mut walk = Walk::new(&page(1), 3);
        let mut go = |number| walk.go(Some(page(number)), 1);
        assert_eq!((go(2), go(3), go(4)), (Ok(Some(page(2))), Ok(Some(page(3))), Err(End::Long(3))));
        assert_eq!(walk.pages(), 3);
    }

    #[test]
    fn a_list_may_be_somewhat_longer_than_announced_and_not_far() {
        for (announced, entries, ends) in
            [(Some(9), 118, false), (Some(9), 119, true), (Some(0), 101, true), (None, 5000, false)]
        {
            for next in [None, Some(page(2))] {
                let mut walk = Walk::new(&page(1), 50).announced(announced);
                assert_eq!(walk.go(next, entries).is_err(), ends, "{announced:?} {entries}");
            }
        }
        let mut walk = Walk::new(&page(1), 50).announced(Some(1));
        let read: Vec<bool> = (2..6).map(|n| walk.go(Some(page(n)), 50).is_ok()).collect();
        assert_eq!(read, [true, true, false, false]);
    }
}
