//! `.contextpack/now.md`: the rendering that an agent beside reads.

use crate::render;
use crate::review::read;
use crate::store::{Folder, StoreError, open_state};
use std::path::{Path, PathBuf};

/// The file's name.
const NOW: &str = "now.md";

/// The last good rendering of the pack in focus.
#[derive(Debug)]
pub(super) struct Now {
    root: PathBuf,
    /// The name of the pack in focus.
    pub(super) focus: Option<String>,
    /// The hash of the pack that the rendering is of.
    hash: Option<String>,
    rendering: String,
}

impl Now {
    /// Nothing is in focus. `root` is the repo's.
    pub(super) fn new(root: &Path) -> Self {
        Self { root: root.to_owned(), focus: None, hash: None, rendering: String::new() }
    }

    /// The last good rendering.
    pub(super) fn rendering(&self) -> &str {
        &self.rendering
    }

    /// Makes the file hold the pack `name` of `folder`, whose hash is `hash`.
    pub(super) fn show(&mut self, folder: &Folder, name: &str, hash: &str) -> Result<(), StoreError> {
        if self.focus.as_deref() != Some(name) || self.hash.as_deref() != Some(hash) {
            let Some(pack) = folder.read(name)?.and_then(|bytes| read(&bytes).ok()) else { return Ok(()) };
            self.rendering = render::pack(&pack).whole();
            (self.focus, self.hash) = (Some(name.to_owned()), Some(hash.to_owned()));
        }
        self.write(&self.rendering)
    }

    /// Heads what the file holds with a line that says why it is not of now. `why` is one line of clean text.
    pub(super) fn head(&self, why: &str) -> Result<(), StoreError> {
        if self.focus.is_none() {
            return Ok(());
        }
        self.write(&format!("> Not up to date: {why}. What follows is the last good state.\n\n{}", self.rendering))
    }

    /// The folder is opened anew each time: it may have been removed, together with the repo.
    fn write(&self, text: &str) -> Result<(), StoreError> {
        open_state(&self.root)?.write(NOW, text.as_bytes()).map(|_| ())
    }
}
