//! A walk from page to page, which comes to an end whatever the server says.

use std::collections::BTreeSet;

/// After so many pages in a row without anything new a list is taken for one without an end.
const EMPTY: u32 = 3;

/// The pages of one list that were read so far.
pub(super) struct Walk {
    been: BTreeSet<String>,
    most: usize,
    empty: u32,
}

/// Why a walk does not go on although there is a next page.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum End {
    /// It has more pages than are read.
    Long,
    /// No honest list goes on like this: what is wrong with it.
    Endless(&'static str),
}

impl Walk {
    /// Begins at the page `first` and goes to `most` pages.
    pub(super) fn new(first: &str, most: usize) -> Self {
        Self { been: BTreeSet::from([first.to_owned()]), most, empty: 0 }
    }

    /// How many pages were read, with the one that is being read.
    pub(super) fn pages(&self) -> usize {
        self.been.len()
    }

    /// Goes on to the page `next` after one with so many entries that no page before had.
    pub(super) fn go(&mut self, next: String, new: usize) -> Result<String, End> {
        self.empty = if new == 0 { self.empty + 1 } else { 0 };
        if self.been.contains(&next) {
            return Err(End::Endless("its pages lead in a circle"));
        }
        if self.empty >= EMPTY {
            return Err(End::Endless("its pages go on without anything new on them"));
        }
        if self.been.len() >= self.most {
            return Err(End::Long);
        }
        self.been.insert(next.clone());
        Ok(next)
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
        assert_eq!(walk.go(page(2), 1), Ok(page(2)));
        for (next, new) in [(1, 1), (2, 0)] {
            assert_eq!(walk.go(page(next), new), Err(End::Endless("its pages lead in a circle")));
        }
        let mut walk = Walk::new(&page(1), 50);
        let steps: Vec<bool> =
            [0, 0, 1, 0, 0, 0].iter().zip(2..).map(|(new, n)| walk.go(page(n), *new).is_ok()).collect();
        assert_eq!(steps, [true, true, true, true, true, false]);
        let mut walk = Walk::new(&page(1), 3);
        assert_eq!(
            (walk.go(page(2), 1), walk.go(page(3), 1), walk.go(page(4), 1)),
            (Ok(page(2)), Ok(page(3)), Err(End::Long))
        );
        assert_eq!(walk.pages(), 3);
    }
}
