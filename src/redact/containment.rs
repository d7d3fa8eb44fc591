//! Containment of panics: a text that the redactor cannot read to its end is removed whole and stops no other text.

use super::rules::FindingLabel;
use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

/// The label of texts that could not be read to their end.
pub(super) static UNREADABLE: FindingLabel = FindingLabel {
    name: "unreadable-text",
    reason: "made the redactor fail, so that nobody knows whether it holds a secret; please report the text if you can",
    rank: 0,
};

thread_local! {
    static CONTAINED: Cell<bool> = const { Cell::new(false) };
}

/// Returns what `work` returns; `None` if it panics.
///
/// A panic's message may quote the text, so nothing is printed. Panics outside of such work are reported as before.
pub(super) fn contained<T>(work: impl FnOnce() -> T) -> Option<T> {
    static FILTER: Once = Once::new();
    FILTER.call_once(|| {
        let report = panic::take_hook();
        panic::set_hook(Box::new(move |panic| {
            if !CONTAINED.get() {
                report(panic);
            }
        }));
    });
    let outer = CONTAINED.replace(true);
    // What a panic leaves half done is dropped with the work: the redactor itself holds no state.
    let done = panic::catch_unwind(AssertUnwindSafe(work)).ok();
    CONTAINED.set(outer);
    done
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_ends_the_contained_work_only() {
        let nested = || (contained(|| panic!("on purpose")).is_none(), CONTAINED.get());
        assert_eq!(contained(nested), Some((true, true)));
        assert_eq!(contained(|| 1), Some(1));
        assert!(!CONTAINED.get());
    }
}
