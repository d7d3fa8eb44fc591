//! A redactor with a cache, so that each text is scrubbed and parsed once.

use crate::cache::{BuildCache, CachedReading, FilePurpose};
use crate::mentions::Markdown;
use crate::model::{Digest, Digester, RepoPath};
use crate::redact::{Environment, Piece, Redactor, Scrubbed};
use std::sync::Arc;

/// A redactor that looks results up in a cache first.
pub(super) struct CachingRedactor<'a> {
    pub(super) redactor: Redactor,
    pub(super) cache: &'a dyn BuildCache,
    /// Texts with one of its values are not cached: what is parsed from them, such as the path in a mention, may be one.
    pub(super) environment: Environment,
}

/// The source of texts that are scrubbed together.
#[derive(Debug, Clone, Copy)]
pub(super) struct ScrubBatch<'a> {
    /// The file under which removals are recorded.
    pub(super) path: &'a str,
    pub(super) purpose: FilePurpose,
    /// The digests of the files that the texts were read from; `None` if these files hold other items as well.
    pub(super) content: Option<&'a [Digest]>,
}

/// The scrubbed texts of one source.
pub(super) struct ScrubResult {
    pub(super) scrubbed: Scrubbed,
    /// The texts that are Markdown, parsed, in their order.
    pub(super) markdown: Vec<Arc<Markdown>>,
    pub(super) digest: Digest,
}

impl CachingRedactor<'_> {
    /// Scrubs the texts of one source together, parses those with the indexes `markdown_pieces` as Markdown, and digests
    /// the result with `digested`.
    pub(super) fn scrub(
        &self,
        batch: ScrubBatch<'_>,
        pieces: &[Piece<'_>],
        markdown_pieces: &[usize],
        digested: impl FnOnce(&Scrubbed) -> Digest,
    ) -> ScrubResult {
        let key = self.cache.base_key().map(|prefix| key(prefix, batch, pieces));
        // A cached result is authenticated with the cache's key, so that it cannot be one of other texts.
        let proof = self.cache.base_key().zip(key).map(|(prefix, key)| prefix.part("scrubbed").part(key.bytes()));
        let cached_reading = key
            .and_then(|key| self.cache.get(&key))
            .filter(|cached_reading| cached_reading.markdown.len() == markdown_pieces.len());
        if let Some(CachedReading { scrubbed, markdown, digest }) = cached_reading
            && let Some(scrubbed) = proof.as_ref().and_then(|proof| scrubbed.restore(pieces, proof))
        {
            return ScrubResult { scrubbed, markdown: markdown.into_iter().map(Arc::new).collect(), digest };
        }
        let scrubbed = self.redactor.scrub(batch.path, pieces);
        let texts = markdown_pieces.iter().map(|index| scrubbed.texts.get(*index).map_or("", |text| text.as_str()));
        let mut markdown: Vec<Markdown> = texts.map(Markdown::read).collect();
        let digest = digested(&scrubbed);
        if let Some((key, proof)) = key.zip(proof)
            && !scrubbed.texts.iter().any(|text| self.environment.find(text).is_some())
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

/// Returns the key of a cached result: a digest of the texts, or of the files that hold them and nothing else.
fn key(key_prefix: Digester, batch: ScrubBatch<'_>, pieces: &[Piece<'_>]) -> Digest {
    let key_prefix = key_prefix.part([batch.purpose as u8, u8::from(batch.content.is_some())]).part(batch.path);
    let key_prefix =
        batch.content.into_iter().flatten().fold(key_prefix, |digester, content| digester.part(content.bytes()));
    pieces
        .iter()
        .fold(key_prefix, |digester, Piece { key, text, line }| {
            let digester = digester.part(key).part(line.to_le_bytes());
            match batch.content {
                Some(_) => digester.part(text.len().to_le_bytes()),
                None => digester.part(text),
            }
        })
        .digest()
}
