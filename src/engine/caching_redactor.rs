//! The scrubber with a cache in front of it, so that each text is scrubbed and read once.

use crate::cache::{BuildCache, CachedReading, FilePurpose};
use crate::mentions::Markdown;
use crate::model::{Digest, Digester, RepoPath};
use crate::redact::{Piece, Redactor, Scrubbed};
use std::sync::Arc;

/// A redactor that asks the cache first.
pub(super) struct CachingRedactor<'a> {
    pub(super) redactor: Redactor,
    pub(super) cache: &'a dyn BuildCache,
}

/// The origin of texts that are scrubbed together.
#[derive(Debug, Clone, Copy)]
pub(super) struct ScrubBatch<'a> {
    /// The file that their removals are recorded under.
    pub(super) path: &'a str,
    pub(super) purpose: FilePurpose,
    /// Digests of the files that they were read from; `None` if these hold other items as well.
    pub(super) content: Option<&'a [Digest]>,
}

/// Scrubbed texts of one source.
pub(super) struct ScrubResult {
    pub(super) scrubbed: Scrubbed,
    /// The outlines of the texts that are Markdown, in their order.
    pub(super) markdown: Vec<Arc<Markdown>>,
    pub(super) digest: Digest,
}

impl CachingRedactor<'_> {
    /// Scrubs the texts of one source together, parses those with the indexes `marked` as Markdown, and digests the
    /// result with `digested`.
    pub(super) fn pass(
        &self,
        from: ScrubBatch<'_>,
        pieces: &[Piece<'_>],
        marked: &[usize],
        digested: impl FnOnce(&Scrubbed) -> Digest,
    ) -> ScrubResult {
        let key = self.cache.base_key().map(|prefix| key(prefix, from, pieces));
        // A cached result proves under the cache's key that it is of these texts.
        let proof = self.cache.base_key().zip(key).map(|(prefix, key)| prefix.part("scrubbed").part(key.bytes()));
        let known = key.and_then(|key| self.cache.get(&key)).filter(|known| known.markdown.len() == marked.len());
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
            self.cache.put(&key, &reading);
            markdown = reading.markdown;
        }
        ScrubResult { scrubbed, markdown: markdown.into_iter().map(Arc::new).collect(), digest }
    }

    /// Returns a digest of a file's text; `None` without a cache.
    pub(super) fn content(&self, path: &RepoPath, text: &str) -> Option<Digest> {
        self.cache.base_key().map(|_| self.cache.content(path, text))
    }
}

/// The key of a cached result: of the texts themselves, or of the files that hold them and nothing else.
fn key(key_prefix: Digester, from: ScrubBatch<'_>, pieces: &[Piece<'_>]) -> Digest {
    let key_prefix = key_prefix.part([from.purpose as u8, u8::from(from.content.is_some())]).part(from.path);
    let key_prefix =
        from.content.into_iter().flatten().fold(key_prefix, |digester, content| digester.part(content.bytes()));
    pieces
        .iter()
        .fold(key_prefix, |digester, Piece { key, text, line }| {
            let digester = digester.part(key).part(line.to_le_bytes());
            match from.content {
                Some(_) => digester.part(text.len().to_le_bytes()),
                None => digester.part(text),
            }
        })
        .digest()
}
