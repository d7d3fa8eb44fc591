//! Redaction: takes raw text, returns [`Clean`] text and a record of what was removed (`docs/redaction.md`).
//!
//! One pass over a text searches for the keywords of all rules; a rule's pattern then runs in a bounded
//! window around each hit, so the work is linear in the text. A value under the name of a secret is found by its layout
//! (`layouts`) and judged in one place (`judge`). Findings are merged and replaced by `[REDACTED:<rule>]`; the words
//! around them stay. Invisible characters are deleted.

mod base64;
mod cached;
#[cfg(test)]
#[path = "../../tests/cases/redact.rs"]
mod cases;
mod catalog;
mod clean;
mod containment;
mod detect;
mod dotted;
mod edit;
mod entity;
mod environment;
#[cfg(test)]
#[path = "../../tests/laws/examples.rs"]
mod examples;
mod explain;
mod findings;
mod hidden;
mod invisible;
mod judge;
mod keys;
mod keywords;
mod kubernetes;
mod layouts;
mod letters;
mod names;
mod propagate;
mod redactor;
mod rule_set;
mod rules;
mod seed_phrase;
mod split;
mod text;
mod url;
mod variables;
mod view;

pub use cached::CachedScrub;
pub use catalog::{RuleInfo, built_in_rules};
pub use clean::{Clean, CleanBuf};
pub use edit::Piece;
pub use environment::Environment;
pub use explain::RedactionExplanation;
pub use invisible::{invisible, invisible_at};
pub use redactor::{Redactor, Removal, Scrubbed};
