//! Files on disk: packs, which are compared, written atomically and removed; the state folder; and cache files, which
//! are authenticated as written by the same user.

mod cache_folder;
mod error;
mod folder;
mod read;
mod state;
mod unfinished;

pub use cache_folder::{Access, CacheFolder, SealedContent};
pub use error::{CacheUnavailable, StoreError};
pub use folder::{Folder, WriteResult};
pub use read::{LARGEST_SET, Symlinks, entries_below, is_json, json_files, random_name, read_file, read_stream};
pub use state::{hide_state, init_state_dir, open_state, sweep_state};
