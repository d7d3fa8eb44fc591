//! Several files that are written together.

use super::store::FileKind;
use super::{BoxSnapshot, CardError, CardStore, ContentId, PreparedCard};
use crate::store::{Folder, WriteResult};

/// Cards and boxes that are written together: unless all are written, those that are new are removed again.
///
/// Each file is named by its content, so that a crash in between leaves files that nothing names, and no file by halves.
pub struct Transaction<'a> {
    store: &'a CardStore,
    written: Vec<(Folder, String)>,
}

impl<'a> Transaction<'a> {
    /// Begins to write to the folder of cards.
    pub fn new(store: &'a CardStore) -> Self {
        Self { store, written: Vec::new() }
    }

    /// Writes a card.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn card(&mut self, card: &PreparedCard) -> Result<(), CardError> {
        self.file(FileKind::Card, &card.id, &card.bytes)
    }

    /// Writes a box.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn snapshot(&mut self, snapshot: &BoxSnapshot) -> Result<(), CardError> {
        let bytes = snapshot.bytes();
        self.file(FileKind::Box, &ContentId::of(&bytes), &bytes)
    }

    fn file(&mut self, kind: FileKind, id: &ContentId, bytes: &[u8]) -> Result<(), CardError> {
        let folder = self.store.folder_of(kind, id.hex())?;
        let name = format!("{}.json", id.hex());
        let is_new = folder.state(&name).is_none() && folder.read(&name)?.is_none();
        if folder.write(&name, bytes)? == WriteResult::Written && is_new {
            self.written.push((folder, name));
        }
        Ok(())
    }

    /// Keeps everything that was written.
    pub fn commit(mut self) {
        self.written.clear();
    }
}

impl Drop for Transaction<'_> {
    fn drop(&mut self) {
        for (folder, name) in self.written.drain(..).rev() {
            // The error that ended the transaction is reported, and what cannot be removed is named by nothing.
            let _ = folder.remove(&name);
        }
    }
}
