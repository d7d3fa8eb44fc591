//! Lists of several pages.

use super::client::{Client, FetchError, FetchOutcome};
use super::json::kind;
use super::walk::Walk;
use serde_json::Value;
use std::collections::BTreeSet;

/// The most pages of one list, comments of an issue or relations.
pub(super) const MOST_PAGES: usize = 50;

/// How many entries a page has at most.
pub(super) const FULL_PAGE: usize = 100;

/// What came of a list.
#[derive(Debug)]
pub(super) enum ListOutcome {
    /// Its entries, each once.
    Items {
        items: Vec<Value>,
        /// Whether that is all of them.
        complete: bool,
        /// The mark of the answer, where it was the only page.
        etag: Option<String>,
        /// What broke in the middle.
        failed: Option<FetchError>,
    },
    /// 304.
    Same,
    /// 404.
    Missing,
    /// 403, 410.
    Refused,
}

/// Follows a list to its end; `announced` is how many entries its issue says that it has.
///
/// # Errors
/// Where the first page fails, or no request is allowed any more.
pub(super) fn list(
    client: &mut Client<'_>,
    path: &str,
    etag: Option<&str>,
    announced: Option<u64>,
) -> Result<ListOutcome, FetchError> {
    let (mut items, mut seen) = (Vec::new(), BTreeSet::new());
    let mut walk = Walk::new(path, MOST_PAGES).announced(announced);
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
            Err(stop) if !first && stop.is_passing() => return partial(items, Some(stop)),
            Err(stop) => return Err(stop),
        };
        let entries = match (page.value, first) {
            (Value::Array(entries), _) => entries,
            (other, true) => return Err(no_list(&other)),
            (other, false) => return partial(items, Some(no_list(&other))),
        };
        let before = items.len();
        // Entries move from page to page while they are read.
        items.extend(entries.into_iter().filter(|entry| entry["id"].as_u64().is_none_or(|id| seen.insert(id))));
        if first {
            only = page.etag;
        }
        path = match walk.go(page.next, items.len() - before) {
            Ok(Some(next)) => next,
            Ok(None) => {
                return Ok(ListOutcome::Items { items, complete: true, etag: only.filter(|_| first), failed: None });
            }
            Err(end) => return partial(items, Some(FetchError::endless(&end.why()))),
        };
    }
}

/// Something else came where a list was asked for.
pub(super) fn no_list(value: &Value) -> FetchError {
    FetchError::Server(format!("a list was asked for, and {} came", kind(value)))
}
