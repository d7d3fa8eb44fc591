//! A walk over the pages of a list, which ends whatever the server answers.

use std::collections::BTreeSet;

/// The number of pages in a row without a new entry after which a list counts as endless.
const MAX_EMPTY_PAGES: u32 = 3;

/// The pages of one list that were visited so far.
pub(super) struct Walk {
    visited: BTreeSet<String>,
    most: usize,
    empty: u32,
}

/// The reason why a walk ends although there is a next page.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum End {
    /// The list has more pages than are read.
    Long,
    /// The list does not end, for this reason.
    Endless(&'static str),
}

impl Walk {
    /// Begins a walk of at most `most` pages at the page `first`.
    pub(super) fn new(first: &str, most: usize) -> Self {
        Self { visited: BTreeSet::from([first.to_owned()]), most, empty: 0 }
    }

    /// Returns the number of visited pages, including the present one.
    pub(super) fn pages(&self) -> usize {
        self.visited.len()
    }

    /// Continues with the page `next`; `new` is the number of entries on the present page that no earlier one had.
    pub(super) fn go(&mut self, next: String, new: usize) -> Result<String, End> {
        self.empty = if new == 0 { self.empty + 1 } else { 0 };
        if self.visited.contains(&next) {
            return Err(End::Endless("its pages lead in a circle"));
        }
        if self.empty >= MAX_EMPTY_PAGES {
            return Err(End::Endless("its pages go on without anything new on them"));
        }
        if self.visited.len() >= self.most {
            return Err(End::Long);
        }
        self.visited.insert(next.clone());
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
