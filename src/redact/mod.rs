//! The door: raw text in, [`Clean`] text and a record of what was removed out.
//!
//! One pass over a text looks for the keywords of all rules; a rule's pattern
//! then runs in a bounded window around the hit, so the work is linear in the
//! text. Findings are merged and become `[REDACTED:<rule>]`; the words around
//! them stay. Invisible characters are deleted on the way.

mod advice;
#[cfg(test)]
mod canaries;
mod clean;
mod detect;
mod dots;
mod edit;
mod engine;
mod entity;
mod environment;
mod generic;
mod hidden;
mod hygiene;
mod judge;
mod kept;
mod keys;
mod keywords;
mod letters;
mod listing;
mod names;
mod phrases;
mod providers;
mod rules;
mod spread;
mod telling;
#[cfg(test)]
mod tests;
mod text;
mod url;
mod variables;
mod view;

pub use clean::{Clean, CleanBuf};
pub use engine::{Piece, Redactor, Removal, Scrubbed};
pub use environment::Environment;
pub use hidden::VisibleText;
pub use hygiene::invisible;
pub use kept::CachedScrub;
pub use listing::{RuleInfo, built_in_rules};
