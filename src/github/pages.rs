//! Reading of lists with several pages.

use super::client::{Client, FetchError, FetchOutcome};
use super::json::kind;
use super::walk::Walk;
use serde_json::Value;
use std::collections::BTreeSet;

/// The most pages of an issue's comments or relations.
pub(super) const MAX_PAGES: usize = 50;

/// The most entries of a page.
pub(super) const FULL_PAGE: usize = 100;

/// The result of reading a list.
#[derive(Debug)]
pub(super) enum ListOutcome {
    /// The entries, each once.
    Items {
        items: Vec<Value>,
        /// Whether these are all entries.
        complete: bool,
        /// The entity tag, if there was only one page.
        etag: Option<String>,
        /// The error of a further page.
        failed: Option<FetchError>,
    },
    /// 304.
    Same,
    /// 404.
    Missing,
    /// 403, 410.
    Refused,
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
) -> Result<ListOutcome, FetchError> {
    let (mut items, mut seen) = (Vec::new(), BTreeSet::new());
    let mut walk = Walk::new(path, MAX_PAGES).announced(announced);
    let mut path = path.to_owned();
    let mut only = None;
    let partial = |items, failed| Ok(ListOutcome::Items { items, complete: false, etag: None, failed });
    loop {
        let first = walk.pages() == 1;
        let page = match client.get(&path, etag.filter(|_| first)) {
            Ok(FetchOutcome::Page(page)) => page,
            Ok(FetchOutcome::Same) => return Ok(ListOutcome::Same),
            Ok(FetchOutcome::Missing) if first => return Ok(ListOutcome::Missing),
            Ok(FetchOutcome::Gone | FetchOutcome::Refused(_)) if first => return Ok(ListOutcome::Refused),
            Ok(_) => {
                return partial(
                    items,
                    Some(FetchError::Server("a page in the middle of a list is missing".to_owned())),
                );
            }
            Err(stop) if !first && stop.is_transient() => return partial(items, Some(stop)),
            Err(stop) => return Err(stop),
        };
        let entries = match (page.value, first) {
            (Value::Array(entries), _) => entries,
            (other, true) => return Err(not_a_list(&other)),
            (other, false) => return partial(items, Some(not_a_list(&other))),
        };
        let before = items.len();
        // Entries may move to a later page while the list is read.
        items.extend(entries.into_iter().filter(|entry| entry["id"].as_u64().is_none_or(|id| seen.insert(id))));
        if first {
            only = page.etag;
        }
        path = match walk.go(page.next, items.len() - before) {
            Ok(Some(next)) => next,
            Ok(None) => {
                return Ok(ListOutcome::Items { items, complete: true, etag: only.filter(|_| first), failed: None });
            }
            Err(end) => return partial(items, Some(FetchError::endless(&end.reason()))),
        };
    }
}

/// Returns the error of an answer that is not a list.
pub(super) fn not_a_list(value: &Value) -> FetchError {
    FetchError::Server(format!("a list was asked for, and {} came", kind(value)))
}
