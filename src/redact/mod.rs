//! Redaction: takes raw text, returns [`Clean`] text and a record of what was removed (`docs/redaction.md`).
//!
//! One pass over a text searches for the keywords of all rules; a rule's pattern then runs in a bounded
//! window around each hit, so the work is linear in the text. Findings are merged and replaced by
//! `[REDACTED:<rule>]`; the words around them stay. Invisible characters are deleted.

mod advice;
mod assembled;
mod bare_keys;
mod cached;
mod calls;
#[cfg(test)]
mod canaries;
mod catalog;
mod clean;
mod codes;
mod commands;
mod containment;
mod detect;
mod edit;
mod encoded;
mod entity;
mod environment;
mod expressions;
mod generic;
mod groups;
mod heuristics;
mod hidden;
mod invisible;
mod keys;
mod keywords;
mod kubernetes;
mod letters;
mod names;
mod networks;
mod parts;
mod phrase_layouts;
mod phrases;
mod places;
mod positional_tokens;
mod propagate;
mod rarest_window;
mod redactor;
mod rules;
mod sampled;
mod seed_words;
mod signs;
mod split;
mod tables;
#[cfg(test)]
mod tests;
mod text;
mod url;
mod variables;
mod view;
mod wallet_keys;

pub use cached::CachedScrub;
pub use catalog::{RuleInfo, built_in_rules};
pub use clean::{Clean, CleanBuf};
pub use environment::Environment;
pub use invisible::invisible;
pub use redactor::{Piece, Redactor, Removal, Scrubbed};
