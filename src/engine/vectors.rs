//! The vectors that `context.vectors` names, and the texts that they are made from.

use super::json_lines::JsonLines;
use super::{EngineError, Project};
use crate::graph::Graph;
use crate::knowledge::{Scope, Vectors, embedded_text};
use crate::model::{Diagnostic, Digest, RepoPath, Severity};
use crate::redact::Clean;
use std::collections::BTreeMap;

const VECTORS: JsonLines = JsonLines {
    setting: "context.vectors",
    content: "vectors",
    // As much as commands read from a program.
    largest: 64 << 20,
    shorten: "make vectors of fewer dimensions",
    example: "remove the line: `contextpack notes --vectors` then prints its text again",
};

impl Project<'_> {
    /// Reads the vectors, and says what cannot be read of their file.
    pub(super) fn vectors(&self) -> Result<(Vectors, Option<Diagnostic>), Diagnostic> {
        let Some(path) = &self.settings().context.vectors else { return Ok((Vectors::default(), None)) };
        let (lines, unreadable) = self.reader.json_lines(path, &VECTORS, Vectors::read::<i8>)?;
        Ok((Vectors(lines.into_iter().collect()), unreadable.map(|(_, fault)| fault)))
    }

    /// Returns the texts of which packs for agents may compare vectors, of documents that are not pinned, open work items and
    /// agents, by their digests, and all vectors of the file.
    ///
    /// # Errors
    /// If a file cannot be read that may hold a text, or that holds vectors.
    pub fn embedded_texts(&self) -> Result<(BTreeMap<Digest, Clean>, Vectors), EngineError> {
        if !self.unread().is_empty() {
            return Err(EngineError::Unread(self.redacted(self.unread())));
        }
        self.confirm_agents_read()?;
        let is_new = |path: &RepoPath| !self.reader.source().has(path);
        let vectors = match self.vectors() {
            Ok((vectors, None)) => vectors,
            Ok((vectors, _)) if self.settings().context.vectors.as_ref().is_some_and(is_new) => vectors,
            Ok((_, Some(fault))) | Err(fault) => {
                return Err(self.not_built([&fault.with_severity(Severity::Error)]));
            }
        };
        let knowledge = self.knowledge();
        let documents = knowledge.documents.iter().filter(|it| it.has_notes() && !it.pinned && !it.secret);
        let documents = documents.filter(|document| document.scope != Scope::Nobody);
        let documents = documents.map(|document| embedded_text(self.complete(document).title_and_notes()));
        let is_open = |root: &usize| !Graph::state(&self.corpus, *root).is_settled();
        let items = self.roots().into_iter().filter(is_open).map(|root| self.query(Some(root), None));
        let queries = items.chain((0..knowledge.agents.all.len()).map(|agent| self.query(None, Some(agent))));
        let texts = documents.chain(queries.map(|query| embedded_text(&query)));
        let texts = texts.filter(|text| !text.is_empty()).map(|text| (Digest::of(&*text), text));
        Ok((texts.collect(), vectors))
    }
}
