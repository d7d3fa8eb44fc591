//! Walks over the pages of lists, which end whatever the server answers.

use super::SyncError;
use super::client::{ApiAnswer, Client, ResponsePage};
use super::shape::kind;
use serde_json::Value;
use std::collections::BTreeSet;

/// The most pages of an issue's comments or relations.
pub(super) const MAX_PAGES: usize = 50;

pub(super) const FULL_PAGE: usize = 100;

pub(super) struct Pagination {
    visited: BTreeSet<String>,
    most: usize,
    hint: &'static str,
}

impl Pagination {
    pub(super) fn new(first: &str, most: usize) -> Self {
        Self { visited: BTreeSet::from([first.to_owned()]), most, hint: "" }
    }

    pub(super) fn hint(self, hint: &'static str) -> Self {
        Self { hint, ..self }
    }

    /// Returns the number of visited pages, including the present one.
    pub(super) fn pages(&self) -> usize {
        self.visited.len()
    }

    /// Continues with the page `next`, if there is one.
    pub(super) fn go(&mut self, next: Option<String>) -> Result<Option<String>, SyncError> {
        let endless = |why: &str| Err(SyncError::Server(format!("a list has no end: {why}")));
        let Some(next) = next else { return Ok(None) };
        if self.visited.contains(&next) {
            return endless("its pages lead in a circle");
        }
        if self.visited.len() >= self.most {
            return endless(&format!("it goes on after {} pages{}", self.most, self.hint));
        }
        self.visited.insert(next.clone());
        Ok(Some(next))
    }
}

impl ResponsePage {
    pub(super) fn entries(&self) -> Result<&[Value], SyncError> {
        let entries = self.value.as_array().map(Vec::as_slice);
        entries.ok_or_else(|| SyncError::unexpected("a list", kind(&self.value)))
    }
}

/// A list that was read as far as its pages came.
#[derive(Debug)]
pub(super) struct List {
    pub(super) items: Vec<Value>,
    /// The entity tag, if there was only one page.
    pub(super) etag: Option<String>,
    /// The error of a further page, after which entries are missing.
    pub(super) failed: Option<SyncError>,
}

/// Reads a list to its end; the first answer if that is no page.
///
/// # Errors
/// If the first page fails, or no more requests are allowed.
pub(super) fn list(
    client: &mut Client<'_>,
    path: &str,
    etag: Option<&str>,
) -> Result<Result<List, ApiAnswer>, SyncError> {
    let mut walk = Pagination::new(path, MAX_PAGES);
    let mut first = match client.get(path, etag)? {
        ApiAnswer::Page(page) => page,
        other => return Ok(Err(other)),
    };
    let mut items = first.entries()?.to_vec();
    let mut next = first.next.take();
    let is_only = next.is_none();
    let mut rest = || -> Result<(), SyncError> {
        while let Some(path) = walk.go(next.take())? {
            let ApiAnswer::Page(mut page) = client.get(&path, None)? else {
                return Err(SyncError::Server("a page in the middle of a list is missing".to_owned()));
            };
            items.extend_from_slice(page.entries()?);
            next = page.next.take();
        }
        Ok(())
    };
    let failed = match rest() {
        Ok(()) => None,
        Err(error) if error.is_transient() => Some(error),
        Err(error) => return Err(error),
    };
    Ok(Ok(List { items, etag: first.etag.filter(|_| is_only), failed }))
}
