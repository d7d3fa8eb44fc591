//! Measures redaction on generated secrets of known kinds, and on texts that only look like secrets.
//!
//! `cargo test --release --test redaction -- --nocapture` prints the figures that `docs/redaction.md` publishes, and
//! fails if one of them gets worse. A seeded generator makes all texts, so that the repository contains nothing that
//! looks like a secret. A debug build tries a third of the texts and asserts the same rates.
//!
//! `texts` holds texts that people wrote, with what must go and what must stay, as data.

#![expect(clippy::print_stdout, reason = "the figures are printed")]

mod contexts;
mod disguises;
mod harmless;
mod kinds;
mod places;
mod random;
mod reader;
mod report;
mod score;
mod texts;
