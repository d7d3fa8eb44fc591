//! What earlier builds found out about texts, so that each is scrubbed and read once.

use crate::model::Digest;
use crate::model::Digester;
use crate::parse::Markdown;
use crate::redact::{Kept, Piece, Redactor, Scrubbed};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// What passing the door gave for the texts of one source.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Reading {
    /// What scrubbing gave.
    pub scrubbed: Kept,
    /// What those of the texts hold that are Markdown, in their order.
    pub markdown: Vec<Markdown>,
}

/// Remembers readings between builds, by a digest of everything that they depend on.
///
/// It may forget whatever it likes: that costs time and changes nothing else.
pub trait Memory: Sync {
    /// A digest that has begun with all that readings depend on besides the texts: the program and the
    /// configuration. Nothing where nothing is remembered.
    fn begun(&self) -> Option<Digester>;

    /// What was found out under this digest.
    fn recall(&self, key: &Digest) -> Option<Reading>;

    /// Remembers what was found out.
    fn keep(&self, key: &Digest, reading: &Reading);
}

/// Remembers nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct Forgetful;

impl Memory for Forgetful {
    fn begun(&self) -> Option<Digester> {
        None
    }

    fn recall(&self, _: &Digest) -> Option<Reading> {
        None
    }

    fn keep(&self, _: &Digest, _: &Reading) {}
}

/// The door, and what it remembers.
pub(super) struct Door<'a> {
    pub(super) redactor: Redactor,
    pub(super) memory: &'a dyn Memory,
}

/// Texts that passed the door.
pub(super) struct Passed {
    pub(super) scrubbed: Scrubbed,
    /// Of the texts that were to be read as Markdown.
    pub(super) markdown: Vec<Arc<Markdown>>,
}

impl Door<'_> {
    /// Scrubs the texts of the source at `path` together, and reads those with the indexes `marked`.
    pub(super) fn pass(&self, path: &str, pieces: &[Piece<'_>], marked: &[usize]) -> Passed {
        let key = self.memory.begun().map(|begun| key(begun, path, pieces));
        let known = key.and_then(|key| self.memory.recall(&key)).filter(|known| known.markdown.len() == marked.len());
        if let Some(known) = known
            && let Some(scrubbed) = known.scrubbed.restored(pieces)
        {
            return Passed { scrubbed, markdown: known.markdown.into_iter().map(Arc::new).collect() };
        }
        let scrubbed = self.redactor.scrub(path, pieces);
        let texts = marked.iter().map(|index| scrubbed.texts.get(*index).map_or("", |text| text.as_str()));
        let markdown: Vec<Markdown> = texts.map(Markdown::read).collect();
        let Some(key) = key else {
            return Passed { scrubbed, markdown: markdown.into_iter().map(Arc::new).collect() };
        };
        let reading = Reading { scrubbed: scrubbed.kept(pieces), markdown };
        self.memory.keep(&key, &reading);
        Passed { scrubbed, markdown: reading.markdown.into_iter().map(Arc::new).collect() }
    }
}

fn key(begun: Digester, path: &str, pieces: &[Piece<'_>]) -> Digest {
    pieces
        .iter()
        .fold(begun.part(path), |digester, piece| {
            digester.part(piece.key).part(piece.line.to_le_bytes()).part(piece.text)
        })
        .digest()
}
