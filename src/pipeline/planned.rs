//! Packs about to be built, and what tells whether they need be.

use crate::model::{Diagnostic, Digest};
use crate::redact::Clean;

/// A pack about to be built, and everything that decides how it will be.
#[derive(Debug)]
pub struct Planned {
    /// The root's id.
    pub root: Clean,
    /// The profile.
    pub profile: String,
    /// The file's name.
    pub name: String,
    /// Of all that may stand in it and of its budget: where it is the same, under the same program and
    /// environment, so is the pack. Where nobody asks for it, it says nothing.
    pub fingerprint: Digest,
    /// Warnings about the references of this root.
    pub diagnostics: Vec<Diagnostic>,
}

/// Says of a pack whether it need not be built.
pub type IsUnchanged<'a> = dyn Fn(&Planned) -> bool + Sync + 'a;
