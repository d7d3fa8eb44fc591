//! The cached results of reading documents and making notes on them, which is most of the work on a pack for an agent.

use super::Project;
use crate::knowledge::{Agents, KnowledgeDocument, Scope};
use crate::model::{Diagnostic, Digest, Digester, RepoPath};
use crate::notes::{LeftOut, Notes, SIDECAR};
use crate::redact::{Clean, Piece, Scrubbed};
use serde::Serialize;
use std::sync::{Arc, OnceLock};

/// The documents that were read before, by the identity of their files. Each has two entries: the document with the
/// texts that every pack may need, and its body with the notes on it, which are cached once a pack held them. Few
/// documents are in any pack, and reading those of all others would take longer than everything else.
pub(super) struct DocumentCache<'p, 's> {
    project: &'p Project<'s>,
    /// A digester that has been fed everything that a document depends on besides its files; `None` without a cache.
    base: Option<Digester>,
}

#[derive(Debug)]
pub(super) struct CachedDocument {
    pub(super) identity: Digest,
    /// Whether its body and notes were left in the cache.
    pub(super) is_partial: bool,
    /// The document with its body and its notes, once a pack needed them.
    pub(super) complete: OnceLock<Arc<KnowledgeDocument>>,
}

/// The name of the entry with path and title, and of that with body and notes.
const NAMES: &str = "names";
const TEXTS: &str = "texts";

/// The raw text that the texts of a document are compared with: they are cached in full.
pub(super) const NOTHING: Piece<'static> = Piece { key: "", text: "", line: 1 };

/// Whether packs hold the body of a document, and how many notes of each kind there are.
type TextCounts = (bool, Option<([usize; 4], LeftOut)>);

impl<'p, 's> DocumentCache<'p, 's> {
    pub(super) fn new(project: &'p Project<'s>, agents: &Agents) -> Self {
        let base = project.reader.inputs.base_key().map(|base| {
            let base = base.part("document").part(project.reader.environment.digest().bytes());
            agents.all.iter().fold(base, |base, agent| {
                base.part(agent.key.as_str()).part(agent.name.as_str()).part(agent.path.as_str())
            })
        });
        Self { project, base }
    }

    /// Returns the document at a path from the cache, without its body and notes, else as `read` reads it.
    pub(super) fn document(
        &self,
        path: &RepoPath,
        read: impl Fn(&mut Vec<Diagnostic>) -> Result<KnowledgeDocument, Diagnostic>,
        faults: &mut Vec<Diagnostic>,
    ) -> Result<(KnowledgeDocument, Option<CachedDocument>), Diagnostic> {
        let reader = &self.project.reader;
        let sidecar = RepoPath::new(&format!("{path}{SIDECAR}")).ok().filter(|path| reader.source().has(path));
        let files: Vec<&RepoPath> = [path].into_iter().chain(&sidecar).collect();
        let identity = self.identity(&files);
        let cached = |identity, is_partial| CachedDocument { identity, is_partial, complete: OnceLock::new() };
        if let Some(identity) = identity
            && let Some((mut document, is_partial)) = self.find(path, &identity)
        {
            // Git may start to track a file without changing it.
            let has_notes = document.notes_file.is_some();
            document.untrusted =
                reader.distrusts(path) || has_notes && sidecar.as_ref().is_some_and(|path| reader.distrusts(path));
            return Ok((document, Some(cached(identity, is_partial))));
        }
        let document = read(faults)?;
        // A fault is reported by every build that reads the file.
        let is_same = |identity: &Digest| faults.is_empty() && self.identity(&files).as_ref() == Some(identity);
        let identity = identity.filter(is_same).filter(|identity| self.keep(&document, identity).is_some());
        Ok((document, identity.map(|identity| cached(identity, false))))
    }

    fn identity(&self, files: &[&RepoPath]) -> Option<Digest> {
        let identity = self.project.reader.inputs.identity(files)?;
        let base = self.base.clone()?.part(identity.bytes());
        Some(files.iter().fold(base, |digester, path| digester.part(path.as_str())).digest())
    }

    fn keep(&self, document: &KnowledgeDocument, identity: &Digest) -> Option<()> {
        let has_texts = document.notes.is_some() || !document.body.is_empty();
        let mut document = document.clone();
        let texts = names(&mut document).into_iter().map(|text| text.clone()).collect();
        self.put(NAMES, identity, &(document, has_texts), texts)
    }

    /// Caches the body of a document and the notes on it; `None` if they cannot be.
    pub(super) fn keep_texts(&self, document: &KnowledgeDocument, identity: &Digest) -> Option<()> {
        let mut document = document.clone();
        let has_body = !document.body.is_empty();
        let notes = document.notes.as_mut().map(|notes| (lists(notes).map(|list| list.len()), notes.left_out));
        let texts = texts(&mut document, has_body).into_iter().map(|text| text.clone()).collect();
        self.put(TEXTS, identity, &(has_body, notes), texts)
    }

    /// Returns a cached document without its body and notes, and whether it has any.
    fn find(&self, path: &RepoPath, identity: &Digest) -> Option<(KnowledgeDocument, bool)> {
        let ((mut document, has_texts), scrubbed): ((KnowledgeDocument, bool), _) = self.project.reader.cached(
            true,
            &key(NAMES, identity),
            &self.proof(NAMES, identity)?,
            |(document, _)| vec![NOTHING; names(document).len()],
        )?;
        fill(names(&mut document), scrubbed);
        document.path = path.clone();
        Some((document, has_texts))
    }

    /// Adds the body and the notes to a document whose files have this identity; `None` if they are not cached.
    pub(super) fn complete(&self, document: &KnowledgeDocument, identity: &Digest) -> Option<KnowledgeDocument> {
        let mut document = document.clone();
        let places = |counts: &mut TextCounts| {
            document.notes = counts.1.map(|(counts, left_out)| {
                let [summary, key_facts, rules, keywords] = counts.map(|count| vec![Clean::default(); count]);
                Notes { summary, key_facts, rules, keywords, left_out }
            });
            vec![NOTHING; texts(&mut document, counts.0).len()]
        };
        let (key, proof) = (key(TEXTS, identity), self.proof(TEXTS, identity)?);
        let ((has_body, _), scrubbed) = self.project.reader.cached(true, &key, &proof, places)?;
        fill(texts(&mut document, has_body), scrubbed);
        Some(document)
    }

    /// Caches a value and its texts as an entry of the files with this identity; `None` if they cannot be.
    fn put(&self, entry: &str, identity: &Digest, value: &impl Serialize, texts: Vec<Clean>) -> Option<()> {
        let (proof, pieces) = (self.proof(entry, identity)?, vec![NOTHING; texts.len()]);
        let scrubbed = Scrubbed { texts, removals: Vec::new(), removed_lines: Vec::new() };
        self.project.reader.cache(true, &key(entry, identity), &proof, value, &scrubbed, &pieces)
    }

    fn proof(&self, entry: &str, identity: &Digest) -> Option<Digester> {
        Some(self.base.clone()?.part(entry).part(identity.bytes()))
    }
}

fn key(entry: &str, identity: &Digest) -> Digest {
    Digester::default().part(entry).part(identity.bytes()).digest()
}

fn fill(places: Vec<&mut Clean>, scrubbed: Scrubbed) {
    places.into_iter().zip(scrubbed.texts).for_each(|(place, text)| *place = text);
}

/// Returns path and title of a document, the key of its agent, and the path of its notes.
fn names(document: &mut KnowledgeDocument) -> Vec<&mut Clean> {
    let agent = match &mut document.scope {
        Scope::Agent(key) => Some(key),
        Scope::Global | Scope::Nobody => None,
    };
    let notes_file = document.notes_file.as_mut().map(|file| &mut file.shown);
    [&mut document.shown, &mut document.title].into_iter().chain(agent).chain(notes_file).collect()
}

/// Returns the body of a document, if packs hold it, and its notes.
fn texts(document: &mut KnowledgeDocument, has_body: bool) -> Vec<&mut Clean> {
    let body = Some(&mut document.body).filter(|_| has_body);
    body.into_iter().chain(document.notes.iter_mut().flat_map(lists).flatten()).collect()
}

fn lists(notes: &mut Notes) -> [&mut Vec<Clean>; 4] {
    [&mut notes.summary, &mut notes.key_facts, &mut notes.rules, &mut notes.keywords]
}
