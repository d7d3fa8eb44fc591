//! Which repo a command works on.

use std::path::{Path, PathBuf};

/// The names of the configuration; both at once are an error.
pub(crate) const CONFIGS: [&str; 2] = ["contextpack.yml", "contextpack.yaml"];

/// The nearest folder from `start` upwards that has a configuration or is a git repository, else `start`.
pub(crate) fn root(start: &Path) -> PathBuf {
    let marked = |dir: &&Path| CONFIGS.iter().chain([&".git"]).any(|name| dir.join(name).symlink_metadata().is_ok());
    start.ancestors().find(marked).unwrap_or(start).to_path_buf()
}
