//! What earlier builds found out, so that each text is scrubbed and read once.

use super::references::LoadedDocument;
use crate::graph::{Entry, ItemReferences};
use crate::model::{Diagnostic, Digest, Digester, RepoPath};
use crate::parse::Markdown;
use crate::redact::{CachedScrub, Piece, Redactor, Scrubbed};
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

/// The door, and what it remembers.
pub(super) struct CachingRedactor<'a> {
    pub(super) redactor: Redactor,
    pub(super) memory: &'a dyn BuildCache,
}

/// Where the texts come from that pass the door together.
#[derive(Debug, Clone, Copy)]
pub(super) struct ScrubBatch<'a> {
    /// The file that they are told under.
    pub(super) path: &'a str,
    pub(super) purpose: FilePurpose,
    /// Digests of the files that they were read out of, where these hold nothing else of the kind.
    pub(super) content: Option<&'a [Digest]>,
}

/// Texts that passed the door.
pub(super) struct ScrubResult {
    pub(super) scrubbed: Scrubbed,
    /// Of the texts that were to be read as Markdown.
    pub(super) markdown: Vec<Arc<Markdown>>,
    pub(super) digest: Digest,
}

impl CachingRedactor<'_> {
    /// Scrubs the texts of one source together, reads those with the indexes `marked`, and takes the digest of what
    /// passed as `digested` says.
    pub(super) fn pass(
        &self,
        from: ScrubBatch<'_>,
        pieces: &[Piece<'_>],
        marked: &[usize],
        digested: impl FnOnce(&Scrubbed) -> Digest,
    ) -> ScrubResult {
        let key = self.memory.begun().map(|begun| key(begun, from, pieces));
        // What it is stored under begins with the cache's key; a cached result has to prove that it was made with it.
        let proof = self.memory.begun().zip(key).map(|(begun, key)| begun.part("scrubbed").part(key.bytes()));
        let known = key.and_then(|key| self.memory.recall(&key)).filter(|known| known.markdown.len() == marked.len());
        if let Some(CachedReading { scrubbed, markdown, digest }) = known
            && let Some(scrubbed) = proof.as_ref().and_then(|proof| scrubbed.restore(pieces, proof))
        {
            return ScrubResult { scrubbed, markdown: markdown.into_iter().map(Arc::new).collect(), digest };
        }
        let scrubbed = self.redactor.scrub(from.path, pieces);
        let texts = marked.iter().map(|index| scrubbed.texts.get(*index).map_or("", |text| text.as_str()));
        let mut markdown: Vec<Markdown> = texts.map(Markdown::read).collect();
        let digest = digested(&scrubbed);
        if let Some((key, proof)) = key.zip(proof)
            && let Some(cached) = scrubbed.cached(pieces, &proof)
        {
            let reading = CachedReading { scrubbed: cached, markdown, digest };
            self.memory.keep(&key, &reading);
            markdown = reading.markdown;
        }
        ScrubResult { scrubbed, markdown: markdown.into_iter().map(Arc::new).collect(), digest }
    }

    /// A digest of a file's text, where anything is remembered.
    pub(super) fn content(&self, path: &RepoPath, text: &str) -> Option<Digest> {
        self.memory.begun().map(|_| self.memory.content(path, text))
    }
}

/// Of the texts themselves, or of the files that they make up.
fn key(begun: Digester, from: ScrubBatch<'_>, pieces: &[Piece<'_>]) -> Digest {
    let begun = begun.part([from.purpose as u8, u8::from(from.content.is_some())]).part(from.path);
    let begun = from.content.into_iter().flatten().fold(begun, |digester, content| digester.part(content.bytes()));
    pieces
        .iter()
        .fold(begun, |digester, Piece { key, text, line }| {
            let digester = digester.part(key).part(line.to_le_bytes());
            match from.content {
                Some(_) => digester.part(text.len().to_le_bytes()),
                None => digester.part(text),
            }
        })
        .digest()
}
