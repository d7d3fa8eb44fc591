//! Files on disk: packs, which are compared, written atomically and removed; the state folder; and cache files, which
//! are authenticated as written by the same user.

mod error;
mod folder;
mod key;
mod listing;
mod random;
mod read;
mod sealed;
mod state;
#[cfg(test)]
mod tests;
mod unfinished;

pub use error::{CacheUnavailable, StoreError};
pub use folder::{Folder, WriteResult};
pub use listing::{entries_below, is_json, json_files};
pub use random::name as random_name;
pub use read::{LARGEST_SET, Links, read_file, read_stream};
pub use sealed::{Access, CacheFolder, SealedContent};
pub use state::{init_state_dir, open_state, sweep_state};
