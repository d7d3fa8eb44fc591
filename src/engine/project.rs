//! A repository's items and graph, read, redacted and ready for packs to be built from.

use super::document_cache::CachedDocument;
use super::items::ParsedFiles;
use super::reader::InputReader;
use super::{apply_severities, items, notices};
use crate::cache::{InputCaches, Inputs};
use crate::config::{DenyList, Settings};
use crate::graph::{Corpus, Graph, GraphRules, claim, merge_issues, plain_status};
use crate::knowledge::{Knowledge, SourceIndex};
use crate::model::{Diagnostic, IssueReference, Place, RepoPath, SourceTree, Untracked, bounded};
use crate::records::Item;
use crate::redact::{Clean, CleanBuf, Environment, Redactor};
use crate::review::scrubbed;
use crate::wire::Pack;
use std::collections::BTreeMap;
use std::sync::OnceLock;

/// The knowledge of a repo, with an error for each file of it that exists and cannot be read.
#[derive(Debug, Default)]
pub(super) struct ReadKnowledge {
    pub(super) knowledge: Knowledge,
    pub(super) cached: BTreeMap<RepoPath, CachedDocument>,
    pub(super) unread: Vec<Diagnostic>,
}

/// The index of the source files, and an error for each that exists and cannot be read: any pack may lack it.
#[derive(Debug, Default)]
pub(super) struct ReadSources {
    pub(super) index: SourceIndex,
    pub(super) unread: Vec<Diagnostic>,
}

/// The ADRs that replaced others, by the paths of those, or an error for one that exists and cannot be read.
pub(super) type Replacements = Result<BTreeMap<RepoPath, RepoPath>, Diagnostic>;

/// What packs on disk hold of items whose records cannot be read, which may have lost a relation.
#[derive(Debug, Default)]
pub(super) struct HeldDamage {
    /// The ids of roots whose packs hold such an item, which is given by its index.
    pub(super) roots: BTreeMap<String, usize>,
    /// A diagnostic for each pack that cannot be read, and may hold one.
    pub(super) unread: Vec<Diagnostic>,
}

/// The redacted items of a repository with their graph: everything that packs are built from.
pub struct Project<'a> {
    pub(super) reader: InputReader<'a>,
    pub(super) corpus: Corpus,
    pub(super) graph: Graph,
    pub(super) knowledge: OnceLock<ReadKnowledge>,
    /// The words of all source files, read when first needed.
    pub(super) sources: OnceLock<ReadSources>,
    pub(super) replacements: OnceLock<Replacements>,
    /// Diagnostics of reading and of the graph, sorted, with the severities of the configuration.
    pub(super) diagnostics: Vec<Diagnostic>,
    pub(super) notices: notices::PackNotices,
    /// An error for each file or folder that may hold items and could not be read.
    pub(super) unread: Vec<Diagnostic>,
    /// Whether the record of any item cannot be read.
    pub(super) has_damage: bool,
    /// Known once packs are compared with the disk.
    pub(super) held_damage: OnceLock<HeldDamage>,
    /// Whether packs are committed to a repo that others may read.
    pub(super) is_published: bool,
    pub(super) repos_without_relations: BTreeMap<String, Clean>,
}

impl<'a> Project<'a> {
    /// Reads and redacts the work items of `source` and builds their graph, without a cache. `environment` holds the
    /// secret values of the building process, which no pack may contain.
    pub fn open(
        source: &'a dyn SourceTree,
        settings: &'a Settings,
        deny: &'a DenyList,
        environment: Environment,
    ) -> Self {
        let inputs = Inputs::new(source, InputCaches::default());
        Self::open_with(inputs, settings, deny, environment, Untracked::Trusted)
    }

    /// Reads and redacts the work items among `inputs` and builds their graph; `untracked` says whether files that git does
    /// not track are trusted.
    pub fn open_with(
        inputs: Inputs<'a>,
        settings: &'a Settings,
        deny: &'a DenyList,
        environment: Environment,
        untracked: Untracked,
    ) -> Self {
        let redactor = Redactor::new(&settings.redaction);
        let reader = InputReader { settings, deny, redactor, inputs, environment, untracked };
        let ParsedFiles { entries, mut diagnostics, mut unread, names: _ } = items::read(&reader);
        let issues = items::read_issues(&reader);
        diagnostics.extend(issues.diagnostics);
        unread.extend(issues.unread);
        diagnostics.extend_from_slice(&unread);
        // These messages become the reasons why packs are not built, which are not redacted again.
        let clean = |text: &str| reader.environment.mask(&reader.redactor.line(text));
        let unlisted = reader.source().unlisted().iter().cloned();
        unread.extend(unlisted.map(|it| Diagnostic { message: clean(&it.message), ..it }));
        unread.sort();
        unread.dedup();
        let rules = graph_rules(&reader);
        let (entries, differences) = merge_issues(entries, issues.entries, &rules);
        diagnostics.extend(differences);
        let (corpus, duplicates) = Corpus::new(entries, rules, &|path| reader.source().tracked(path));
        let graph = Graph::build(&corpus);
        diagnostics.extend(duplicates);
        diagnostics.extend_from_slice(graph.diagnostics());
        let repos_without_relations = notices::repos_without_relations(&corpus);
        diagnostics.extend(notices::missing_relations(&repos_without_relations));
        diagnostics.sort();
        diagnostics.dedup();
        let diagnostics = apply_severities(bounded(diagnostics), settings);
        Self {
            notices: notices::PackNotices::new(&diagnostics, &reader),
            has_damage: corpus.entries.iter().any(|entry| entry.damage.is_some()),
            is_published: notices::is_published(settings, &corpus),
            reader,
            corpus,
            graph,
            knowledge: OnceLock::new(),
            sources: OnceLock::new(),
            replacements: OnceLock::new(),
            diagnostics,
            unread,
            held_damage: OnceLock::new(),
            repos_without_relations,
        }
    }

    /// Returns an error for each file or folder that may hold items and could not be read. While there is any, items and
    /// relations may be missing, so that no pack is built.
    pub fn unread(&self) -> &[Diagnostic] {
        &self.unread
    }

    /// Returns the diagnostics of the items and the graph.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    /// Returns the items.
    pub fn corpus(&self) -> &Corpus {
        &self.corpus
    }

    /// Returns an item by its index in the corpus.
    pub fn item(&self, item: usize) -> &Item<Clean> {
        &self.corpus.entries[item].item
    }

    /// Returns the edges between the items.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// Returns the name from which the slug of an item's packs is derived.
    pub fn pack_name(&self, item: usize) -> String {
        self.corpus.entries[item].name(&self.corpus.rules)
    }

    /// Returns the configuration.
    pub fn settings(&self) -> &'a Settings {
        self.reader.settings
    }

    /// Removes secrets and values of the environment from the texts and the path of a diagnostic. Paths and globs are
    /// raw until here, so that files can be looked up by them.
    pub fn redacted_for_output(&self, diagnostic: Diagnostic) -> Diagnostic {
        let clean = |text: &str| self.redacted_line(text);
        let path = |path: RepoPath| RepoPath::new(&clean(path.as_str())).unwrap_or(path);
        let at = diagnostic.at.clone().map(|at| Place { path: path(at.path), ..at });
        Diagnostic { at, ..diagnostic.map_texts(&clean) }
    }

    pub(super) fn redacted<'d>(&self, faults: impl IntoIterator<Item = &'d Diagnostic>) -> Vec<Diagnostic> {
        faults.into_iter().map(|fault| self.redacted_for_output(fault.clone())).collect()
    }

    /// Returns a text of one line without secrets and values of the environment.
    pub fn redacted_line(&self, text: &str) -> String {
        self.masked(&self.reader.redactor.line(text))
    }

    /// Returns a finished pack without what the rules of today remove, and without the secret values of the process.
    pub fn scrubbed(&self, pack: &Pack) -> Pack {
        scrubbed(pack, &self.reader.redactor, &|text| self.reader.environment.mask(text))
    }

    /// Returns the text without the secret values of the building process.
    pub fn masked(&self, text: &str) -> String {
        self.reader.environment.mask(text)
    }

    /// Returns whether a path has a name that is never opened, whether or not there is such a file.
    pub fn denies(&self, path: &RepoPath) -> bool {
        self.reader.deny.denies(path)
    }

    /// Returns whether a path is that of a pack or of the program's state.
    pub fn is_own_output(&self, path: &RepoPath) -> bool {
        self.reader.settings.written_folders().iter().any(|folder| path.is_under(folder.as_str()))
    }

    /// Returns the URL of the issue that an item claims; `None` if it claims none or the repo is unknown.
    pub(super) fn issue_url(&self, item: usize) -> Option<Clean> {
        let entry = &self.corpus.entries[item];
        if let Some(issue) = &entry.issue {
            return Some(issue.url.clone());
        }
        let issue = entry.item.issue.as_ref()?;
        let text = issue.value.trim();
        if text.starts_with("https://") {
            return Some(issue.value.trimmed());
        }
        let IssueReference { repo, number, .. } = claim(issue, &self.corpus.rules)?;
        let repo = match repo {
            Some(_) => issue.value.slice(0..issue.value.find('#')?),
            None => self.corpus.rules.repo.clone()?,
        };
        let mut url = CleanBuf::new();
        url.lit("https://").text(&self.corpus.rules.host).lit("/").text(&repo).lit("/issues/").number(number);
        Some(url.finish())
    }
}

/// Returns the facts about the repository under which references and states are understood.
fn graph_rules(reader: &InputReader<'_>) -> GraphRules {
    let (settings, source) = (reader.settings, reader.source());
    let files = |is_one: &dyn Fn(&RepoPath) -> bool| {
        let found = source.files().iter().chain(source.special_files()).filter(|path| is_one(path));
        let mut found: Vec<RepoPath> = found.cloned().collect();
        found.sort_unstable();
        found
    };
    let plain = |statuses: &[String]| statuses.iter().map(|status| plain_status(status)).collect();
    let github = &settings.github;
    let boilerplate = files(&|path| settings.boilerplate.set.is_match(path.name().to_lowercase()));
    let shown = |path: RepoPath| (path.clone(), reader.line("path", path.as_str()));
    GraphRules {
        repo: github.repo.as_ref().map(|repo| reader.line("repo", repo)),
        host: reader.line("host", &github.host),
        done: plain(&settings.done_statuses),
        not_planned: plain(&settings.not_planned_statuses),
        boilerplate: boilerplate.into_iter().map(shown).collect(),
        adrs: files(&|path| settings.is_adr(path)),
        sources: settings.sources.iter().map(|(repo, folder)| (repo.clone(), folder.clone())).collect(),
    }
}
