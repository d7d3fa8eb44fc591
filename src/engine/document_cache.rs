//! The cached results of reading documents and making notes on them, which is most of the work on a pack for an agent.

use super::Project;
use crate::config::DocumentType;
use crate::graph::RecordedRemoval;
use crate::knowledge::{Agents, KnowledgeDocument, NotesFile, Scope, SearchTerms};
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

/// A document as it is cached: everything except whether it is trusted, since git may start to track a file without
/// changing it, and except its body and notes.
#[derive(Serialize, Deserialize)]
struct CachedDocument {
    /// The texts that every pack may need, in the order of [`names`].
    names: CachedScrub,
    /// Whether the document has a body or notes.
    has_texts: bool,
    scope: CachedScope,
    pinned: bool,
    kind: DocumentType,
    secret: bool,
    weight: i32,
    body_line: u32,
    removals: Vec<RecordedRemoval>,
    digest: Digest,
    notes_file: Option<(Vec<RecordedRemoval>, Digest)>,
    search: SearchTerms,
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

/// A scope without the agent's key, which is one of the texts.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
enum CachedScope {
    Global,
    Agent,
    Nobody,
}

impl<'p, 's> DocumentCache<'p, 's> {
    /// Returns the documents of a project with these agents.
    pub(super) fn new(project: &'p Project<'s>, agents: &Agents) -> Self {
        let base = project.scrubber.cache.base_key().map(|base| {
            let base = base.part("document").part(project.environment.digest().bytes());
            agents.all.iter().fold(base, |base, agent| {
                base.part(agent.key.as_str()).part(agent.name.as_str()).part(agent.path.as_str())
            })
        });
        Self { project, base }
    }

    /// Returns the document at a path from the cache, without its body and notes, else as `read` reads it.
    ///
    /// # Errors
    /// Those of `read`.
    pub(super) fn document(
        &self,
        path: &RepoPath,
        read: impl Fn(&mut Vec<Diagnostic>) -> Result<KnowledgeDocument, Diagnostic>,
        faults: &mut Vec<Diagnostic>,
    ) -> Result<FoundDocument, Diagnostic> {
        let sidecar = RepoPath::new(&format!("{path}{SIDECAR}")).ok().filter(|path| self.project.source.has(path));
        let files: Vec<&RepoPath> = [path].into_iter().chain(&sidecar).collect();
        let identity = self.identity(&files);
        if let Some((mut document, is_partial)) = identity.as_ref().and_then(|identity| self.find(path, identity)) {
            let distrusts = |path: &RepoPath| self.project.untracked.distrusts(self.project.source, path);
            let has_notes = document.notes_file.is_some();
            document.untrusted = distrusts(path) || has_notes && sidecar.as_ref().is_some_and(distrusts);
            return Ok(FoundDocument { document, identity, is_partial });
        }
        let document = read(faults)?;
        // A fault is reported by every build that reads the file.
        let identity =
            identity.filter(|identity| faults.is_empty() && self.identity(&files).as_ref() == Some(identity));
        let identity = identity.filter(|identity| self.keep(&document, identity).is_some());
        Ok(FoundDocument { document, identity, is_partial: false })
    }

    fn identity(&self, files: &[&RepoPath]) -> Option<Digest> {
        let identity = self.project.scrubber.cache.identity(files)?;
        let base = self.base.clone()?.part(identity.bytes());
        Some(files.iter().fold(base, |digester, path| digester.part(path.as_str())).digest())
    }

    /// Returns what authenticates the texts that are cached under an identity.
    fn proof(&self, identity: &Digest, which: &str) -> Option<Digester> {
        Some(self.base.clone()?.part(which).part(identity.bytes()))
    }

    /// Encodes texts for the cache; `None` if one holds a secret of the environment.
    fn cached(&self, identity: &Digest, which: &str, texts: Vec<Clean>) -> Option<CachedScrub> {
        let is_public = texts.iter().all(|text| self.project.environment.find(text).is_none());
        let pieces = vec![NOTHING; texts.len()];
        let scrubbed = Scrubbed { texts, removals: Vec::new(), removed_lines: Vec::new() };
        scrubbed.cached(&pieces, &self.proof(identity, which)?).filter(|_| is_public)
    }

    fn keep(&self, document: &KnowledgeDocument, identity: &Digest) -> Option<()> {
        let cached = CachedDocument {
            names: self.cached(identity, NAMES, names(document))?,
            has_texts: document.notes.is_some() || !document.body.is_empty(),
            scope: match document.scope {
                Scope::Global => CachedScope::Global,
                Scope::Agent(_) => CachedScope::Agent,
                Scope::Nobody => CachedScope::Nobody,
            },
            pinned: document.pinned,
            kind: document.kind,
            secret: document.secret,
            weight: document.weight,
            body_line: document.body_line,
            removals: document.removals.clone(),
            digest: document.digest,
            notes_file: document.notes_file.as_ref().map(|file| (file.removals.clone(), file.digest)),
            search: document.search.clone(),
        };
        self.project.scrubber.cache.put_derived(identity, postcard::to_allocvec(&cached).ok()?);
        Some(())
    }

    /// Caches the body of a document and the notes on it; `None` if they cannot be.
    pub(super) fn keep_texts(&self, document: &KnowledgeDocument, identity: &Digest) -> Option<()> {
        let made = document.notes.as_ref();
        let cached = CachedTexts {
            texts: self.cached(identity, TEXTS, texts(document))?,
            has_body: !document.body.is_empty(),
            notes: made.map(|made| lists(made).map(<[Clean]>::len)),
            left_out: made.map(|made| made.left_out).unwrap_or_default(),
        };
        self.project.scrubber.cache.put_derived(&texts_of(identity), postcard::to_allocvec(&cached).ok()?);
        Some(())
    }

    /// Returns a cached document without its body and notes, and whether it has any.
    fn find(&self, path: &RepoPath, identity: &Digest) -> Option<(KnowledgeDocument, bool)> {
        let cached = self.project.scrubber.cache.get_derived(identity)?;
        let cached: CachedDocument = postcard::from_bytes(cached).ok()?;
        let is_own = cached.scope == CachedScope::Agent;
        let count = 2 + usize::from(is_own) + usize::from(cached.notes_file.is_some());
        let names = cached.names.restore(&vec![NOTHING; count], &self.proof(identity, NAMES)?)?;
        let mut names = names.texts.into_iter();
        let mut one = || names.next().unwrap_or_default();
        let document = KnowledgeDocument {
            path: path.clone(),
            shown: one(),
            title: one(),
            scope: match cached.scope {
                CachedScope::Global => Scope::Global,
                CachedScope::Agent => Scope::Agent(one()),
                CachedScope::Nobody => Scope::Nobody,
            },
            pinned: cached.pinned,
            kind: cached.kind,
            secret: cached.secret,
            weight: cached.weight,
            notes: None,
            // Stale notes are a fault.
            stale_notes: false,
            notes_file: cached.notes_file.map(|(removals, digest)| NotesFile { shown: one(), removals, digest }),
            search: cached.search,
            body: Clean::default(),
            body_line: cached.body_line,
            removals: cached.removals,
            digest: cached.digest,
            untrusted: false,
        };
        Some((document, cached.has_texts))
    }

    /// Adds the body and the notes to a document whose files have this identity; `None` if they are not cached.
    pub(super) fn complete(&self, document: &KnowledgeDocument, identity: &Digest) -> Option<KnowledgeDocument> {
        let cached = self.project.scrubber.cache.get_derived(&texts_of(identity))?;
        let cached: CachedTexts = postcard::from_bytes(cached).ok()?;
        let counts = cached.notes.unwrap_or_default();
        let count = usize::from(cached.has_body) + counts.iter().sum::<usize>();
        let texts = cached.texts.restore(&vec![NOTHING; count], &self.proof(identity, TEXTS)?)?;
        let mut texts = texts.texts.into_iter();
        let body = if cached.has_body { texts.next()? } else { Clean::default() };
        let [summary, key_facts, rules, keywords] = counts.map(|count| texts.by_ref().take(count).collect());
        let notes = cached.notes.map(|_| Notes { summary, key_facts, rules, keywords, left_out: cached.left_out });
        Some(KnowledgeDocument { body, notes, ..document.clone() })
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
fn names(document: &KnowledgeDocument) -> Vec<Clean> {
    let mut names = vec![document.shown.clone(), document.title.clone()];
    if let Scope::Agent(key) = &document.scope {
        names.push(key.clone());
    }
    names.extend(document.notes_file.as_ref().map(|file| file.shown.clone()));
    names
}

/// Returns the body of a document, if packs hold it, and its notes.
fn texts(document: &KnowledgeDocument) -> Vec<Clean> {
    let body = Some(document.body.clone()).filter(|body| !body.is_empty());
    body.into_iter().chain(document.notes.iter().flat_map(lists).flatten().cloned()).collect()
}

fn lists(notes: &Notes) -> [&[Clean]; 4] {
    [&notes.summary, &notes.key_facts, &notes.rules, &notes.keywords]
}
