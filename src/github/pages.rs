//! Walks over the pages of lists, which end whatever the server answers.

use super::SyncError;
use super::client::{Answer, Client, Page};
use super::shape::kind;
use serde_json::Value;
use std::collections::BTreeSet;

/// The most pages of an issue's comments or relations.
pub(super) const MAX_PAGES: usize = 50;

pub(super) const FULL_PAGE: usize = 100;

/// The number of entries that a list may have beyond twice the announced number, for entries added while it is read.
const SLACK: u64 = 100;

/// The number of pages in a row without a new entry after which a list counts as endless.
const MAX_EMPTY_PAGES: u32 = 3;

pub(super) struct Walk {
    visited: BTreeSet<String>,
    most: usize,
    empty: u32,
    max_entries: Option<u64>,
    entries: u64,
    ids: BTreeSet<u64>,
    hint: &'static str,
}

impl Walk {
    pub(super) fn new(first: &str, most: usize) -> Self {
        let visited = BTreeSet::from([first.to_owned()]);
        Self { visited, most, empty: 0, max_entries: None, entries: 0, ids: BTreeSet::new(), hint: "" }
    }

    /// Ends the walk if the list has far more entries than its issue announces; `None` allows any number.
    pub(super) fn announced(self, entries: Option<u64>) -> Self {
        Self { max_entries: entries.map(|entries| entries.saturating_mul(2).saturating_add(SLACK)), ..self }
    }

    pub(super) fn hint(self, hint: &'static str) -> Self {
        Self { hint, ..self }
    }

    /// Returns the number of visited pages, including the present one.
    pub(super) fn pages(&self) -> usize {
        self.visited.len()
    }

    /// Continues after a page with these entries to the page `next`, if there is one.
    pub(super) fn after(&mut self, entries: &[Value], next: Option<String>) -> Result<Option<String>, SyncError> {
        let new = entries.iter().filter(|entry| entry["id"].as_u64().is_some_and(|id| self.ids.insert(id))).count();
        self.go(next, new)
    }

    /// Continues with the page `next`, if there is one; `new` is the number of entries on the present page that no
    /// earlier one had.
    pub(super) fn go(&mut self, next: Option<String>, new: usize) -> Result<Option<String>, SyncError> {
        let endless = |why: &str| Err(SyncError::Server(format!("a list has no end: {why}")));
        self.entries = self.entries.saturating_add(new as u64);
        if self.max_entries.is_some_and(|max| self.entries > max) {
            return endless("it is far longer than the issue says");
        }
        let Some(next) = next else { return Ok(None) };
        self.empty = if new == 0 { self.empty + 1 } else { 0 };
        if self.visited.contains(&next) {
            return endless("its pages lead in a circle");
        }
        if self.empty >= MAX_EMPTY_PAGES {
            return endless("its pages go on without anything new on them");
        }
        if self.visited.len() >= self.most {
            return endless(&format!("it goes on after {} pages{}", self.most, self.hint));
        }
        self.visited.insert(next.clone());
        Ok(Some(next))
    }
}

impl Page {
    pub(super) fn entries(&self) -> Result<&[Value], SyncError> {
        let entries = self.value.as_array().map(Vec::as_slice);
        entries.ok_or_else(|| SyncError::unexpected("a list", kind(&self.value)))
    }
}

#[derive(Debug)]
pub(super) enum ListOutcome {
    Items {
        items: Vec<Value>,
        /// The entity tag, if there was only one page.
        etag: Option<String>,
        /// The error of a further page, after which entries are missing.
        failed: Option<SyncError>,
    },
    Same,
    /// 403, 404, 410.
    Missing,
}

/// Reads a list to its end; `announced` is the number of entries according to its issue.
///
/// # Errors
/// If the first page fails, or no more requests are allowed.
pub(super) fn list(
    client: &mut Client<'_>,
    path: &str,
    etag: Option<&str>,
    announced: Option<u64>,
) -> Result<ListOutcome, SyncError> {
    let mut walk = Walk::new(path, MAX_PAGES).announced(announced);
    let mut first = match client.get(path, etag)? {
        Answer::Page(page) => page,
        Answer::Same => return Ok(ListOutcome::Same),
        Answer::Missing | Answer::Gone | Answer::Refused(_) => return Ok(ListOutcome::Missing),
    };
    let mut items = first.entries()?.to_vec();
    let mut rest = || -> Result<bool, SyncError> {
        let mut next = walk.after(&items, first.next.take())?;
        let is_only = next.is_none();
        while let Some(path) = next {
            let Answer::Page(mut page) = client.get(&path, None)? else {
                return Err(SyncError::Server("a page in the middle of a list is missing".to_owned()));
            };
            let more = page.entries()?.to_vec();
            next = walk.after(&more, page.next.take())?;
            items.extend(more);
        }
        Ok(is_only)
    };
    let (is_only, failed) = match rest() {
        Ok(is_only) => (is_only, None),
        Err(error) if error.is_transient() => (false, Some(error)),
        Err(error) => return Err(error),
    };
    Ok(ListOutcome::Items { items, etag: first.etag.filter(|_| is_only), failed })
}
