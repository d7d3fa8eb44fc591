//! What a build asks of a cache, so that each text is scrubbed and read once.

use crate::graph::{Entry, ItemReferences};
use crate::mentions::Markdown;
use crate::model::{Diagnostic, Digest, Digester, RepoPath};
use crate::redact::{CachedScrub, Clean};
use crate::select::Document;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// What passing the door gave for the texts of one source.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct CachedReading {
    /// What scrubbing gave.
    pub scrubbed: CachedScrub,
    /// What those of the texts hold that are Markdown, in their order.
    pub markdown: Vec<Markdown>,
    /// Of what passed, as packs name it among their inputs.
    pub digest: Digest,
}

/// A referenced document as read: its path in clean text, and its content or why there is none.
pub type LoadedDocument = (Clean, Result<Arc<Document>, &'static str>);

/// What a build made of one file.
#[derive(Debug, Clone)]
pub enum FileResult {
    /// Work items, and what is wrong with them.
    Items(Vec<Arc<Entry>>, Vec<Diagnostic>),
    /// An issue of the snapshot.
    Issue(Arc<Entry>),
    /// A document.
    Document(LoadedDocument),
}

/// What a file is taken for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FilePurpose {
    /// Work items.
    Items,
    /// An issue of the snapshot.
    Issue,
    /// A document.
    Document,
}

/// Remembers what was found out between builds, under everything that it depends on.
///
/// It may forget whatever it likes: that costs time and changes nothing else.
pub trait BuildCache: Sync {
    /// A digest that has begun with all that readings depend on besides the texts: the program and the
    /// configuration. Nothing where nothing is remembered.
    fn begun(&self) -> Option<Digester>;

    /// A digest of the text of the file at `path`.
    fn content(&self, path: &RepoPath, text: &str) -> Digest;

    /// What was found out under this digest.
    fn recall(&self, key: &Digest) -> Option<CachedReading>;

    /// Remembers what was found out.
    fn keep(&self, key: &Digest, reading: &CachedReading);

    /// What was made of a file, where it and all that was read for it is as it was.
    fn made(&self, purpose: FilePurpose, path: &RepoPath) -> Option<Arc<FileResult>> {
        let _ = (purpose, path);
        None
    }

    /// What was found before among the names that `names` gives the digest of; nothing where that is not remembered.
    fn resolved(&self, names: &dyn Fn() -> Digest) -> Option<Box<dyn ReferenceCache + '_>> {
        let _ = names;
        None
    }

    /// Remembers what was made of a file and of those that were `read` for it besides.
    fn keep_made(&self, purpose: FilePurpose, path: &RepoPath, read: &[RepoPath], work: &dyn Fn() -> FileResult) {
        let _ = (purpose, path, read, work);
    }
}

/// References of items as they were found among the same names.
pub trait ReferenceCache: Sync {
    /// What was found for the item with this identity.
    fn get(&self, item: &Digest) -> Option<Arc<ItemReferences>>;

    /// Remembers what was found.
    fn keep(&self, item: Digest, found: &Arc<ItemReferences>);
}

/// Remembers nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoCache;

impl BuildCache for NoCache {
    fn begun(&self) -> Option<Digester> {
        None
    }

    fn content(&self, _: &RepoPath, _: &str) -> Digest {
        Digest::of("")
    }

    fn recall(&self, _: &Digest) -> Option<CachedReading> {
        None
    }

    fn keep(&self, _: &Digest, _: &CachedReading) {}
}
