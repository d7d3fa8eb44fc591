//! Packs on disk: compared, written whole or not at all, removed; and the state folder.

mod error;
mod file_state;
mod folder;
mod state;
#[cfg(test)]
mod tests;

pub use error::StoreError;
pub use file_state::FileState;
pub use folder::{Folder, Wrote};
pub use state::{init_state_dir, mark_cache, open_cache, open_state};
