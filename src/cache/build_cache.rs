//! The interface between a build and its cache, so that each text is scrubbed and parsed once.

use crate::graph::{Entry, ItemReferences};
use crate::mentions::Markdown;
use crate::model::{Diagnostic, Digest, Digester, RepoPath};
use crate::redact::{CachedScrub, Clean};
use crate::select::Document;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The cached result of scrubbing and parsing the texts of one source.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct CachedReading {
    /// The scrubbed texts and the record of removals.
    pub scrubbed: CachedScrub,
    /// The outlines of the texts that are Markdown, in their order.
    pub markdown: Vec<Markdown>,
    /// The digest of the scrubbed texts, as packs name it among their inputs.
    pub digest: Digest,
}

/// A referenced document as read: its path in clean text, and its content or why there is none.
pub type LoadedDocument = (Clean, Result<Arc<Document>, &'static str>);

/// The result of reading one file.
#[derive(Debug, Clone)]
pub enum FileResult {
    /// Work items, and diagnostics about them.
    Items(Vec<Arc<Entry>>, Vec<Diagnostic>),
    /// An issue of the snapshot.
    Issue(Arc<Entry>),
    /// A document.
    Document(LoadedDocument),
}

/// The purpose that a file is read for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FilePurpose {
    /// Work items.
    Items,
    /// An issue of the snapshot.
    Issue,
    /// A document.
    Document,
    /// Code, which is not parsed as Markdown.
    Code,
}

/// Results of earlier builds, each under a key of everything that it depends on.
///
/// A cache may drop any entry: that costs time and changes nothing else.
pub trait BuildCache: Sync {
    /// Returns a digester fed with everything that results depend on besides the texts: the program and the
    /// configuration. `None` if nothing is cached.
    fn base_key(&self) -> Option<Digester>;

    /// Returns a digest of the text of the file at `path`.
    fn content(&self, path: &RepoPath, text: &str) -> Digest;

    /// Returns the cached result for `key`, if any.
    fn get(&self, key: &Digest) -> Option<CachedReading>;

    /// Caches a result.
    fn put(&self, key: &Digest, reading: &CachedReading);

    /// Returns what identifies the present contents of `files` together; `None` if that cannot be told.
    ///
    /// If it is the same before and after a file was read, what was read are these contents.
    fn identity(&self, files: &[&RepoPath]) -> Option<Digest> {
        let _ = files;
        None
    }

    /// Returns what was derived from the files with the identity `key`, encoded, if it is cached.
    fn get_derived(&self, key: &Digest) -> Option<&[u8]> {
        let _ = key;
        None
    }

    /// Caches what was derived from the files with the identity `key`, encoded.
    fn put_derived(&self, key: &Digest, derived: Vec<u8>) {
        let _ = (key, derived);
    }

    /// Returns the result of a file, if neither it nor any file that was read for it changed.
    fn get_file(&self, purpose: FilePurpose, path: &RepoPath) -> Option<Arc<FileResult>> {
        let _ = (purpose, path);
        None
    }

    /// Returns the references that were resolved among the same names, whose digest `names` computes; `None` if these are
    /// not cached.
    fn references(&self, names: &dyn Fn() -> Digest) -> Option<Box<dyn ReferenceCache + '_>> {
        let _ = names;
        None
    }

    /// Caches the result of a file, for which the files `read` were read besides.
    fn put_file(&self, purpose: FilePurpose, path: &RepoPath, read: &[RepoPath], work: &dyn Fn() -> FileResult) {
        let _ = (purpose, path, read, work);
    }
}

/// Resolved references of items, all resolved among the same names.
pub trait ReferenceCache: Sync {
    /// Returns the references of the item with this identity, if they are cached.
    fn get(&self, item: &Digest) -> Option<Arc<ItemReferences>>;

    /// Caches the references of an item.
    fn put(&self, item: Digest, found: &Arc<ItemReferences>);
}

/// A cache that holds nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoCache;

impl BuildCache for NoCache {
    fn base_key(&self) -> Option<Digester> {
        None
    }

    fn content(&self, _: &RepoPath, _: &str) -> Digest {
        Digest::of("")
    }

    fn get(&self, _: &Digest) -> Option<CachedReading> {
        None
    }

    fn put(&self, _: &Digest, _: &CachedReading) {}
}
