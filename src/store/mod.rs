//! Packs on disk: compared, written whole or not at all, removed; and the state folder.

mod error;
mod folder;
mod state;
#[cfg(test)]
mod tests;

pub use error::StoreError;
pub use folder::{Folder, Wrote};
pub use state::{init_state_dir, mark_cache, open_cache, open_state};
