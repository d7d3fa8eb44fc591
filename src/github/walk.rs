//! A walk from page to page, which comes to an end whatever the server says.

use std::collections::BTreeSet;

/// How many more entries than announced a list may have: what is added while it is read, and as many again.
const SLACK: u64 = 100;

/// After so many pages in a row without anything new a list is taken for one without an end.
const EMPTY: u32 = 3;

/// The pages of one list that were read so far.
pub(super) struct Walk {
    been: BTreeSet<String>,
    most: usize,
    empty: u32,
    /// How many entries the list may have.
    room: Option<u64>,
    entries: u64,
}

/// Why a walk does not go on although there is a next page.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum End {
    /// It has more pages than this, which is the most that are read.
    Long(usize),
    /// No honest list goes on like this: what is wrong with it.
    Endless(&'static str),
}

impl End {
    /// Says what is wrong with the list.
    pub(super) fn why(&self) -> String {
        match self {
            Self::Long(pages) => format!("it goes on after {pages} pages"),
            Self::Endless(why) => (*why).to_owned(),
        }
    }
}

impl Walk {
    /// Begins at the page `first` and goes to `most` pages.
    pub(super) fn new(first: &str, most: usize) -> Self {
        Self { been: BTreeSet::from([first.to_owned()]), most, empty: 0, room: None, entries: 0 }
    }

    /// Ends a list that has far more entries than these, which its owner says that it has.
    pub(super) fn announced(self, entries: Option<u64>) -> Self {
        Self { room: entries.map(|entries| entries.saturating_mul(2).saturating_add(SLACK)), ..self }
    }

    /// How many pages were read, with the one that is being read.
    pub(super) fn pages(&self) -> usize {
        self.been.len()
    }

    /// Goes on to the page `next`, if there is one, after one with so many entries that no page before had.
    pub(super) fn go(&mut self, next: Option<String>, new: usize) -> Result<Option<String>, End> {
        self.entries = self.entries.saturating_add(new as u64);
        if self.room.is_some_and(|room| self.entries > room) {
            return Err(End::Endless("it is far longer than the issue says"));
        }
        let Some(next) = next else { return Ok(None) };
        self.empty = if new == 0 { self.empty + 1 } else { 0 };
        if self.been.contains(&next) {
            return Err(End::Endless("its pages lead in a circle"));
        }
        if self.empty >= EMPTY {
            return Err(End::Endless("its pages go on without anything new on them"));
        }
        if self.been.len() >= self.most {
            return Err(End::Long(self.most));
        }
        self.been.insert(next.clone());
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
