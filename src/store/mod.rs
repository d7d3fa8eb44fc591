//! Packs on disk: compared, written whole or not at all, removed; and the state folder.

mod error;
mod folder;
mod read;
mod state;
#[cfg(test)]
mod tests;

pub use error::StoreError;
pub use folder::{Folder, Wrote};
pub use read::{LARGEST, LARGEST_SET, Links, read_file, read_stream};
pub use state::{init_state_dir, mark_cache, open_cache, open_state};
