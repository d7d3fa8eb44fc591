//! The cached results of reading documents and making notes on them, which is most of the work on a pack for an agent.

use super::Project;
use crate::knowledge::{Agents, KnowledgeDocument, Scope};
use crate::model::{Diagnostic, Digest, Digester, RepoPath};
use crate::notes::{LeftOut, Notes, SIDECAR};
use crate::redact::{CachedScrub, Clean, Piece, Scrubbed};
use serde::{Deserialize, Serialize};

/// The documents that were read before, by the identity of their files.
pub(super) struct DocumentCache<'p, 's> {
    project: &'p Project<'s>,
    /// A digester that has been fed everything that a document depends on besides its files; `None` without a cache.
    base: Option<Digester>,
}

/// A document as it is cached. Not cached is whether it is trusted, since git may start to track a file without changing it.
#[derive(Serialize, Deserialize)]
struct CachedDocument {
    /// The document without its texts.
    document: KnowledgeDocument,
    /// The texts that every pack may need, in the order of [`names`].
    names: CachedScrub,
    /// Whether the document has a body or notes.
    has_texts: bool,
}

/// The body of a document and the notes on it, as they are cached once a pack held the document: few documents are in any
/// pack, and reading those of all others would take longer than everything else.
#[derive(Serialize, Deserialize)]
struct CachedTexts {
    /// The texts in the order of [`texts`].
    texts: CachedScrub,
    has_body: bool,
    /// How many texts each list of the notes has.
    notes: Option<[usize; 4]>,
    left_out: LeftOut,
}

/// A document as it was read, or as it is cached.
pub(super) struct FoundDocument {
    pub(super) document: KnowledgeDocument,
    /// The identity of its files; `None` if it cannot be cached.
    pub(super) identity: Option<Digest>,
    /// Whether the document has a body or notes that are not in `document`.
    pub(super) is_partial: bool,
}

impl<'p, 's> DocumentCache<'p, 's> {
    /// Returns the documents of a project with these agents.
    pub(super) fn new(project: &'p Project<'s>, agents: &Agents) -> Self {
        let base = project.inputs().base_key().map(|base| {
            let base = base.part("document").part(project.scrubber.environment.digest().bytes());
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
    ) -> Result<FoundDocument, Diagnostic> {
        let source = self.project.source();
        let sidecar = RepoPath::new(&format!("{path}{SIDECAR}")).ok().filter(|path| source.has(path));
        let files: Vec<&RepoPath> = [path].into_iter().chain(&sidecar).collect();
        let identity = self.identity(&files);
        if let Some((mut document, is_partial)) = identity.as_ref().and_then(|identity| self.find(path, identity)) {
            let distrusts = |path: &RepoPath| self.project.untracked.distrusts(source, path);
            let has_notes = document.notes_file.is_some();
            document.untrusted = distrusts(path) || has_notes && sidecar.as_ref().is_some_and(distrusts);
            return Ok(FoundDocument { document, identity, is_partial });
        }
        let document = read(faults)?;
        // A fault is reported by every build that reads the file.
        let is_same = |identity: &Digest| faults.is_empty() && self.identity(&files).as_ref() == Some(identity);
        let identity = identity.filter(is_same).filter(|identity| self.keep(&document, identity).is_some());
        Ok(FoundDocument { document, identity, is_partial: false })
    }

    fn identity(&self, files: &[&RepoPath]) -> Option<Digest> {
        let identity = self.project.inputs().identity(files)?;
        let base = self.base.clone()?.part(identity.bytes());
        Some(files.iter().fold(base, |digester, path| digester.part(path.as_str())).digest())
    }

    /// Returns what authenticates the texts that are cached under an identity.
    fn proof(&self, identity: &Digest, which: &str) -> Option<Digester> {
        Some(self.base.clone()?.part(which).part(identity.bytes()))
    }

    /// Encodes texts for the cache; `None` if one holds a secret of the environment.
    fn encode(&self, identity: &Digest, which: &str, texts: Vec<&mut Clean>) -> Option<CachedScrub> {
        let texts: Vec<Clean> = texts.into_iter().map(|text| text.clone()).collect();
        let is_public = texts.iter().all(|text| self.project.scrubber.environment.find(text).is_none());
        let pieces = vec![NOTHING; texts.len()];
        let scrubbed = Scrubbed { texts, removals: Vec::new(), removed_lines: Vec::new() };
        scrubbed.cached(&pieces, &self.proof(identity, which)?).filter(|_| is_public)
    }

    /// Puts cached texts back in their places; `None` if they are not those that were cached.
    fn decode(&self, identity: &Digest, which: &str, cached: CachedScrub, texts: Vec<&mut Clean>) -> Option<()> {
        let restored = cached.restore(&vec![NOTHING; texts.len()], &self.proof(identity, which)?)?;
        texts.into_iter().zip(restored.texts).for_each(|(place, text)| *place = text);
        Some(())
    }

    fn put(&self, key: &Digest, value: &impl Serialize) -> Option<()> {
        self.project.inputs().put_derived(key, postcard::to_allocvec(value).ok()?);
        Some(())
    }

    fn keep(&self, document: &KnowledgeDocument, identity: &Digest) -> Option<()> {
        let mut document = document.clone();
        let names = self.encode(identity, NAMES, names(&mut document))?;
        let has_texts = document.notes.is_some() || !document.body.is_empty();
        self.put(identity, &CachedDocument { document, names, has_texts })
    }

    /// Caches the body of a document and the notes on it; `None` if they cannot be.
    pub(super) fn keep_texts(&self, document: &KnowledgeDocument, identity: &Digest) -> Option<()> {
        let mut document = document.clone();
        let has_body = !document.body.is_empty();
        let notes = document.notes.as_mut().map(|notes| lists(notes).map(|list| list.len()));
        let left_out = document.notes.as_ref().map(|notes| notes.left_out).unwrap_or_default();
        let texts = self.encode(identity, TEXTS, texts(&mut document, has_body))?;
        self.put(&texts_of(identity), &CachedTexts { texts, has_body, notes, left_out })
    }

    /// Returns a cached document without its body and notes, and whether it has any.
    fn find(&self, path: &RepoPath, identity: &Digest) -> Option<(KnowledgeDocument, bool)> {
        let cached = self.project.inputs().derived(identity)?;
        let CachedDocument { mut document, names: cached, has_texts } = postcard::from_bytes(cached).ok()?;
        self.decode(identity, NAMES, cached, names(&mut document))?;
        document.path = path.clone();
        Some((document, has_texts))
    }

    /// Adds the body and the notes to a document whose files have this identity; `None` if they are not cached.
    pub(super) fn complete(&self, document: &KnowledgeDocument, identity: &Digest) -> Option<KnowledgeDocument> {
        let cached = self.project.inputs().derived(&texts_of(identity))?;
        let CachedTexts { texts: cached, has_body, notes, left_out } = postcard::from_bytes(cached).ok()?;
        let mut document = document.clone();
        document.notes = notes.map(|counts| {
            let [summary, key_facts, rules, keywords] = counts.map(|count| vec![Clean::default(); count]);
            Notes { summary, key_facts, rules, keywords, left_out }
        });
        self.decode(identity, TEXTS, cached, texts(&mut document, has_body))?;
        Some(document)
    }
}

/// Returns the key of the body of a document and the notes on it.
fn texts_of(identity: &Digest) -> Digest {
    Digester::default().part(TEXTS).part(identity.bytes()).digest()
}

const NAMES: &str = "names";
const TEXTS: &str = "texts";

/// The raw text that the texts of a document are compared with: they are cached in full.
const NOTHING: Piece<'static> = Piece { key: "", text: "", line: 1 };

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
