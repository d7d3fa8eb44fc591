//! The file `.contextpack/now.md`: the rendering of the pack in focus, for an agent that works beside the watch.

use crate::engine::SessionRequest;
use crate::render;
use crate::review::read;
use crate::store::{Folder, StoreError, open_state};
use std::path::PathBuf;

const NOW: &str = "now.md";

/// The file `now.md` with the last good rendering of the pack in focus.
#[derive(Debug, Default)]
pub(super) struct NowFile {
    root: PathBuf,
    /// Whether there is such a file; otherwise the state is kept in memory only.
    pub(super) is_written: bool,
    /// Whether an earlier watch may have left the context of another agent in the file.
    may_be_foreign: bool,
    pub(super) focus: Option<String>,
    hash: Option<String>,
    rendering: String,
}

impl NowFile {
    pub(super) fn new(request: &SessionRequest) -> Self {
        let (root, may_be_foreign) = (request.root.clone(), request.agent.is_some());
        Self { root, is_written: true, may_be_foreign, ..Self::default() }
    }

    pub(super) fn rendering(&self) -> &str {
        &self.rendering
    }

    pub(super) fn show(&mut self, folder: &Folder, name: &str, hash: &str) -> Result<(), StoreError> {
        if self.focus.as_deref() != Some(name) || self.hash.as_deref() != Some(hash) {
            let Some(pack) = folder.read(name)?.and_then(|bytes| read(&bytes).ok()) else { return Ok(()) };
            self.rendering = render::pack(&pack).whole();
            (self.focus, self.hash) = (Some(name.to_owned()), Some(hash.to_owned()));
        }
        self.write(&self.rendering)
    }

    /// Puts a line above the rendering that says why it is outdated; `why` is one line of redacted text.
    pub(super) fn mark_outdated(&self, why: &str) -> Result<(), StoreError> {
        if self.focus.is_none() {
            return if self.may_be_foreign { self.write(&format!("> There is no context: {why}.\n")) } else { Ok(()) };
        }
        self.write(&format!("> Not up to date: {why}. What follows is the last good state.\n\n{}", self.rendering))
    }

    /// Writes the file; the folder is opened each time, since it may have been removed together with the repo.
    fn write(&self, text: &str) -> Result<(), StoreError> {
        if !self.is_written {
            return Ok(());
        }
        open_state(&self.root)?.write(NOW, text.as_bytes()).map(|_| ())
    }
}
