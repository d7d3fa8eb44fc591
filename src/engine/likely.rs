//! The search for code that a root does not refer to: reads the words of all source files, once, and looks into those found.

use super::project::{Project, ReadSources};
use crate::cache::FilePurpose;
use crate::graph::Entry;
use crate::knowledge::{LikelyFile, SourceIndex, SourceTerms, TestFiles, is_source, stated_agents, states_secrets};
use crate::model::{Diagnostic, Digester, RepoPath, Severity};
use crate::redact::Clean;
use crate::select::{ReferencedCode, RootReferences, source_parts};
use rayon::prelude::*;
use std::collections::BTreeSet;
use std::sync::Arc;

/// How many times a file counts that is in the folder of one that the item names, and a document that one of the item changes.
const NEAR: f32 = 1.25;
const CHANGED: f32 = 100.0;

impl Project<'_> {
    pub(super) fn unread_sources(&self) -> &[Diagnostic] {
        &self.sources().unread
    }

    /// Adds the files that share most words with a root, without those that the pack holds or names anyway, as `named`.
    pub(super) fn add_likely_code(&self, root: usize, references: &mut RootReferences, named: &[&Clean]) {
        let most = self.reader.settings.code.likely;
        if most == 0 {
            return;
        }
        let (index, entry) = (&self.sources().index, &self.corpus.entries[root]);
        let (code, _) = references.code_within_limit(root);
        let items = self.neighbours(root).chain([root]).map(|item| &self.corpus.entries[item]);
        let texts = items.flat_map(|entry| entry.origins().map(|origin| &origin.path));
        let files = references.files.iter().map(|it| &it.file.path).chain(references.code.iter().map(|it| &it.path));
        let files = files.chain(references.kept.iter().map(|kept| &kept.code.path));
        let paths = texts.chain(files).map(RepoPath::as_str);
        let tests = code.iter().filter(|code| code.document.is_ok()).flat_map(|code| &code.tests);
        let shown = tests.chain(references.missing.iter().map(|missing| &missing.written)).chain(named.iter().copied());
        let held: BTreeSet<&str> = paths.chain(shown.map(|path| path.as_str())).collect();
        let is_held = |path: &RepoPath| held.contains(path.as_str());
        let own = code.iter().filter(|code| code.is_named_by(root));
        let folders: BTreeSet<&str> = own.map(|code| code.path.dir()).collect();
        let changed = references.changed_documents(root, entry.item.origin.path.dir());
        let nearness = |path: &RepoPath| match path {
            _ if changed.contains(path.as_str()) => CHANGED,
            _ if folders.contains(path.dir()) => NEAR,
            _ => 1.0,
        };
        let left = references.open_boxes(root, entry.item.origin.path.dir());
        let mut prose = entry.prose();
        prose.insert(1, &left);
        let (found, absent) = index.find(&entry.item.id, &prose, &nearness, &is_held, most);
        let located = found.into_iter().filter_map(|found| {
            let raw = self.reader.inputs.read(found.path).ok()?;
            // The index is of raw text: only what redaction leaves of it is shown.
            let (path, text, ..) = self.reader.file(found.path, FilePurpose::Code, &raw);
            let parts = source_parts(found.path.name(), &text.clean);
            let LikelyFile { path, lines: [first, last], words } = found.located(path, &text.clean, &parts)?;
            let [first, last] = [first, last].map(|line| u32::try_from(line).unwrap_or(u32::MAX));
            let lines = [text.line_before(first), text.last_line_before(last)].map(u64::from);
            Some(LikelyFile { path, lines, words })
        });
        references.likely = located.collect();
        let files = self.reader.source().files();
        let is_cut = |text: &str, word: &str| {
            let is_part = |c: char| !c.is_ascii() && c.is_alphanumeric() || matches!(c, '@' | '\\');
            text.match_indices(word)
                .any(|(at, _)| text[..at].ends_with(is_part) || text[at + word.len()..].starts_with(is_part))
        };
        let is_there = |name: &Clean| {
            let name = name.as_str();
            let holds = |code: &ReferencedCode| code.document.as_ref().is_ok_and(|it| it.text.clean.contains(name));
            references.code.iter().any(holds)
                || files.iter().any(|path| path.as_str().contains(name))
                || prose.iter().any(|text| is_cut(text, name))
        };
        references.absent = absent.into_iter().filter(|name| !is_there(name)).collect();
    }

    fn sources(&self) -> &ReadSources {
        self.sources.get_or_init(|| {
            if self.reader.settings.code.likely == 0 {
                return ReadSources::default();
            }
            let (source, inputs) = (self.reader.source(), &self.reader.inputs);
            let files: Vec<&RepoPath> = source.files().iter().filter(|path| self.is_searched(path)).collect();
            let read =
                files.into_par_iter().map(|path| Ok(self.source_terms(path)?.map(|terms| (path.clone(), terms))));
            let (read, unread): (Vec<_>, Vec<_>) = read.partition_map(|read: Result<_, Diagnostic>| match read {
                Ok(read) => rayon::iter::Either::Left(read),
                Err(fault) => rayon::iter::Either::Right(fault),
            });
            let unread = unread.into_iter().filter(|fault| fault.severity == Severity::Error).collect();
            let words = |entry: &Arc<Entry>| {
                let key = || Digester::default().part("words").part(entry.identity().bytes()).digest();
                let text = || entry.prose().iter().map(|text| text.as_str()).collect::<Vec<_>>().join("\n");
                inputs.memoized(key, || SourceTerms::read(&text()))
            };
            // What outsiders write weighs no word of others.
            let items: Vec<_> = self
                .corpus
                .entries
                .par_iter()
                .filter(|it| !it.is_untrusted() && !it.has_untrusted_title())
                .map(words)
                .collect();
            ReadSources { index: SourceIndex::new(read.into_iter().flatten().collect(), &items), unread }
        })
    }

    /// Returns the tests among the files that packs may name.
    pub(super) fn test_files(&self) -> TestFiles {
        TestFiles::new(self.reader.source().files().iter().filter(|path| self.is_searched(path)))
    }

    fn is_searched(&self, path: &RepoPath) -> bool {
        let source = self.reader.source();
        is_source(path)
            && source.tracked(path)
            && source.link_end(path).is_none()
            && !self.denies(path)
            && !self.is_own_output(path)
            && !self.is_agent_file(path)
            && self.withheld(path, None).is_none()
    }

    /// Returns the words of a source file, from the cache if they are there; `None` if people did not write it.
    fn source_terms(&self, path: &RepoPath) -> Result<Option<SourceTerms>, Diagnostic> {
        let inputs = &self.reader.inputs;
        if let Some(known) = inputs.file_result::<Option<SourceTerms>>(FilePurpose::Source, path) {
            return Ok(Option::clone(&known));
        }
        let raw = self.reader.raw(path)?;
        // What is not for everyone is no candidate. Which agents there are may change, so that this is not kept.
        let stated = stated_agents(&raw);
        if states_secrets(&raw) || self.is_stated_of_other(path, &stated, None) {
            return Ok(None);
        }
        let key = inputs.base_key().zip(inputs.content(path, &raw));
        let key = key.map(|(base, content)| base.part("source").part(content.bytes()).digest());
        let cached = key.as_ref().and_then(|key| postcard::from_bytes(inputs.encoded(false, key)?).ok());
        let terms = cached.unwrap_or_else(|| {
            let terms = SourceTerms::read_source(&raw);
            let encoded = key.as_ref().zip(postcard::to_allocvec(&terms).ok());
            encoded.into_iter().for_each(|(key, encoded)| inputs.put_encoded(false, key, encoded));
            terms
        });
        if stated.is_empty() {
            inputs.put_file_result(FilePurpose::Source, path, &[], || terms.clone());
        }
        Ok(terms)
    }
}
