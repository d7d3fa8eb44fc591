//! How well redaction does on made-up secrets of known kinds, and on texts that only look like them.
//!
//! `cargo test --release --test redaction -- --nocapture` prints the figures.
//! Everything is made by a seeded generator, so that no secret-looking text
//! stands in the repository; a debug build tries a sample.

#![expect(clippy::print_stdout, reason = "the figures are printed")]

mod contexts;
mod harmless;
mod kinds;
mod obfuscated;
mod places;
mod random;
mod reader;
mod report;
mod score;
