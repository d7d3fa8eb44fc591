//! What was found out about names that occur again and again.

use std::collections::HashMap;
use std::sync::{PoisonError, RwLock};

/// The most names that are remembered: texts of a repo have few headings and field names that differ.
const MOST: usize = 10_000;

/// The values that a pure function gave for names.
#[derive(Debug, Default)]
pub struct Memo<V>(RwLock<HashMap<String, V>>);

impl<V: Copy> Memo<V> {
    /// Returns what `find` gives for `name`, which is asked once for each name.
    pub fn get(&self, name: &str, find: impl FnOnce() -> V) -> V {
        if let Some(known) = self.0.read().unwrap_or_else(PoisonError::into_inner).get(name) {
            return *known;
        }
        let found = find();
        let mut known = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if known.len() < MOST {
            known.insert(name.to_owned(), found);
        }
        found
    }
}
