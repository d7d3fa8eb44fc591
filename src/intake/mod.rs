//! Disk and git → a [`Repo`]: the names of its files and their texts, fixed when the build began.
//!
//! The walk and the reads are code of our own over `cap-std`, since a build promises what `ignore` and `walkdir` do not:
//! no link is followed, even one that is swapped in during the build; a folder that cannot be listed is an error rather
//! than empty; pipes and names that are not UTF-8 are reported. git itself lists the tracked files only: for the others it
//! would skip folders that it cannot read, and folders without git have to work too. How ignore files are matched, and why not by
//! the `ignore` crate, is in `config/ignore_patterns.rs`.

mod attributes;
mod checkout;
mod error;
mod links;
mod listing;
mod markup;
mod repo;
mod root;
mod snapshot;
mod state_folder;
mod text;
mod walk;

pub use error::IntakeError;
pub use repo::{Repo, RepoOptions};
pub use state_folder::CacheUse;
pub use text::normalised;
