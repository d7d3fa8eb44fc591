//! Anchors of headings.

use std::collections::{HashMap, HashSet};

/// Anchors of headings as GitHub makes them.
#[derive(Debug, Default)]
pub(super) struct Anchors {
    taken: HashSet<String>,
    next: HashMap<String, u32>,
}

impl Anchors {
    /// The anchor of the next heading, which has this title.
    pub(super) fn take(&mut self, title: &str) -> String {
        let base: String = title
            .trim()
            .to_lowercase()
            .chars()
            .filter_map(|c| match c {
                ' ' => Some('-'),
                '-' | '_' => Some(c),
                c => c.is_alphanumeric().then_some(c),
            })
            .collect();
        let mut anchor = base.clone();
        let next = self.next.entry(base.clone()).or_insert(0);
        while !self.taken.insert(anchor.clone()) {
            *next += 1;
            anchor = format!("{base}-{next}");
        }
        anchor
    }
}
