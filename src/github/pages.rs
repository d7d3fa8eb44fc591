//! Lists of several pages.

use super::client::{Client, Got, Stop};
use serde_json::Value;
use std::collections::BTreeSet;

/// The most pages of one list, comments of an issue or relations.
pub(super) const MOST_PAGES: usize = 50;

/// What came of a list.
#[derive(Debug)]
pub(super) enum List {
    /// Its entries, each once.
    Items {
        items: Vec<Value>,
        /// Whether that is all of them.
        complete: bool,
        /// The mark of the answer, where it was the only page.
        etag: Option<String>,
        /// What broke in the middle.
        failed: Option<Stop>,
    },
    /// 304.
    Same,
    /// 404.
    Missing,
    /// 403, 410.
    Refused,
}

/// Follows a list to its end.
///
/// # Errors
/// Where the first page fails, or no request is allowed any more.
pub(super) fn list(client: &mut Client<'_>, path: &str, etag: Option<&str>) -> Result<List, Stop> {
    let (mut items, mut seen) = (Vec::new(), BTreeSet::new());
    let mut been = BTreeSet::new();
    let mut path = path.to_owned();
    let mut only = None;
    for number in 0.. {
        if number == MOST_PAGES || !been.insert(path.clone()) {
            return Ok(List::Items { items, complete: false, etag: None, failed: None });
        }
        let page = match client.get(&path, etag.filter(|_| number == 0)) {
            Ok(Got::Page(page)) => page,
            Ok(Got::Same) => return Ok(List::Same),
            Ok(Got::Missing) if number == 0 => return Ok(List::Missing),
            Ok(Got::Gone | Got::Refused(_)) if number == 0 => return Ok(List::Refused),
            Ok(_) => {
                let failed = Some(Stop::Server("a page in the middle of a list is missing".to_owned()));
                return Ok(List::Items { items, complete: false, etag: None, failed });
            }
            Err(stop) if number > 0 && stop.is_passing() => {
                return Ok(List::Items { items, complete: false, etag: None, failed: Some(stop) });
            }
            Err(stop) => return Err(stop),
        };
        let Value::Array(entries) = page.value else {
            let stop = Stop::Server("a list was asked for, and something else came".to_owned());
            return if number == 0 {
                Err(stop)
            } else {
                Ok(List::Items { items, complete: false, etag: None, failed: Some(stop) })
            };
        };
        // Entries move from page to page while they are read.
        items.extend(entries.into_iter().filter(|entry| entry["id"].as_u64().is_none_or(|id| seen.insert(id))));
        if number == 0 {
            only = page.etag;
        }
        match page.next {
            Some(next) => path = next,
            None => {
                let etag = only.filter(|_| number == 0);
                return Ok(List::Items { items, complete: true, etag, failed: None });
            }
        }
    }
    Err(Stop::Server("a list has no end".to_owned()))
}
