//! `contextpack report` and `contextpack serve`: packs on a page for a browser.

mod packs;
pub(super) mod report;
#[cfg(feature = "serve")]
pub(super) mod serve;
