//! Packs on disk: compared, written whole or not at all, removed; the state folder; and files of the cache, which only
//! the user who wrote them can have written.

mod error;
mod folder;
mod key;
mod random;
mod read;
mod sealed;
mod state;
#[cfg(test)]
mod tests;
mod unfinished;

pub use error::{CacheUnavailable, StoreError};
pub use folder::{Folder, WriteResult};
pub use read::{LARGEST, LARGEST_SET, Links, read_file, read_stream};
pub use sealed::{Access, CacheFolder, SealedContent};
pub use state::{init_state_dir, open_state, sweep_state};
