//! The scrubber with a cache in front of it, so that each text is scrubbed and read once.

use crate::cache::{BuildCache, CachedReading, FilePurpose};
use crate::model::{Digest, Digester, RepoPath};
use crate::parse::Markdown;
use crate::redact::{Piece, Redactor, Scrubbed};
use std::sync::Arc;

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
        let known = key.and_then(|key| self.memory.recall(&key)).filter(|known| known.markdown.len() == marked.len());
        if let Some(CachedReading { scrubbed, markdown, digest }) = known
            && let Some(scrubbed) = scrubbed.restored(pieces)
        {
            return ScrubResult { scrubbed, markdown: markdown.into_iter().map(Arc::new).collect(), digest };
        }
        let scrubbed = self.redactor.scrub(from.path, pieces);
        let texts = marked.iter().map(|index| scrubbed.texts.get(*index).map_or("", |text| text.as_str()));
        let mut markdown: Vec<Markdown> = texts.map(Markdown::read).collect();
        let digest = digested(&scrubbed);
        if let Some(key) = key {
            let reading = CachedReading { scrubbed: scrubbed.kept(pieces), markdown, digest };
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
