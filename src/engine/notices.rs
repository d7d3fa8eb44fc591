//! Severities of diagnostics, the warnings that packs carry, and facts about repos and globs that warnings depend on.

use super::reader::{CONFIG, InputReader};
use crate::config::{Globs, Profile, ProfileFile, Settings};
use crate::graph::{Corpus, Value};
use crate::model::{Code, Diagnostic, Level, Place, RepoPath, Severity, SourceTree};
use crate::redact::Clean;
use crate::select::Notice;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The number of relations of an issue that GitHub has lists of.
const LISTS: usize = 4;

/// Applies the configured severities to diagnostics, and drops the allowed ones.
pub fn apply_severities(diagnostics: Vec<Diagnostic>, settings: &Settings) -> Vec<Diagnostic> {
    let configured = |diagnostic: Diagnostic| match settings.warnings.get(&diagnostic.code) {
        Some(Level::Allow) if diagnostic.severity == Severity::Warning => None,
        Some(Level::Deny) => Some(diagnostic.with_severity(Severity::Error)),
        Some(Level::Allow | Level::Warn) | None => Some(diagnostic),
    };
    diagnostics.into_iter().filter_map(configured).collect()
}

/// Returns a warning for each glob of `work_items`, `adrs` and `documents` that no file matches, but for the default ones,
/// and for each document that a profile names and that does not exist.
pub fn unmatched(settings: &Settings, source: &dyn SourceTree) -> Vec<Diagnostic> {
    let (files, special) = (source.files(), source.special_files());
    let items = settings.work_items.iter().map(|source| (&source.include, "work_items"));
    let adrs = settings.adrs.is_configured.then_some((&settings.adrs.include, "adrs"));
    let documents = settings.documents.iter().map(|source| (&source.include, "documents"));
    let matches = |globs: &Globs, index: usize, of: &str, path: &str| {
        globs.set.matches(path).contains(&index) && (of != "work_items" || globs.spells_hidden(index, path))
    };
    let mut unmatched = missing_files(settings, source);
    for (globs, of) in items.chain(adrs).chain(documents) {
        for (index, written) in
            globs.written.iter().enumerate().filter(|(_, it)| of != "work_items" || !it.starts_with("work_items/"))
        {
            if !files.iter().chain(special).any(|path| matches(globs, index, of, path.as_str())) {
                let message = format!("no file matches `{written}` of `{of}`");
                let help = "correct the glob, or remove it; ignored files count only where git tracks them";
                unmatched.push(Diagnostic::new(Code::UnmatchedGlob, None, message).help(help));
            }
        }
    }
    for (repo, folder) in &settings.sources {
        if !files.iter().any(|path| path.is_under(folder.as_str())) {
            let message = format!("`{folder}`, the folder of `{repo}`, has no files");
            let help = format!("run `git submodule update --init {folder}`, or correct `sources`");
            unmatched.push(Diagnostic::new(Code::UnmatchedGlob, None, message).help(help));
        }
    }
    unmatched
}

fn missing_files(settings: &Settings, source: &dyn SourceTree) -> Vec<Diagnostic> {
    let named = settings.profiles.values().flat_map(|profile| profile.files.iter().map(move |file| (profile, file)));
    let missing = named.filter(|(_, file)| !source.has(&file.path) && !source.special_files().contains(&file.path));
    let warning = |(profile, file): (&Profile, &ProfileFile)| {
        let message = format!("there is no file `{}`, which `profiles.{}.files` names", file.path, profile.name);
        let at = RepoPath::new(CONFIG).ok().map(|config| Place::line(config, file.line));
        Diagnostic::new(Code::UnreadableFile, at, message)
            .help("add the file, or correct the path; `files` takes no globs")
    };
    missing.map(warning).collect()
}

/// The warnings about items and their graph, by the id of the item that they concern.
pub(super) struct PackNotices(HashMap<String, Vec<(Code, Notice)>>);

impl PackNotices {
    pub(super) fn new(diagnostics: &[Diagnostic], reader: &InputReader<'_>) -> Self {
        let mut by_id: HashMap<String, Vec<(Code, Notice)>> = HashMap::new();
        for diagnostic in diagnostics {
            for id in &diagnostic.about {
                by_id.entry(id.clone()).or_default().push((diagnostic.code, notice(diagnostic, reader)));
            }
        }
        Self(by_id)
    }

    /// Returns the warnings for the pack of `root`: all about the root, and those about the texts of its neighbours.
    /// Warnings about a neighbour's references are left out, since these are not in this pack.
    pub(super) fn for_pack<'b>(&self, root: &str, neighbours: impl Iterator<Item = &'b str>) -> Vec<Notice> {
        let about = |id: &str| self.0.get(id).into_iter().flatten();
        let of_neighbours = neighbours.flat_map(about).filter(|(code, _)| concerns_text(*code));
        let mut notices: Vec<Notice> = about(root).chain(of_neighbours).map(|(_, notice)| notice.clone()).collect();
        notices.sort();
        notices.dedup();
        notices
    }
}

/// Returns whether a diagnostic about a neighbour concerns the text that is in the pack.
fn concerns_text(code: Code) -> bool {
    use Code::{BodyDiffers, ConflictMarkers, DuplicateId, InvalidFrontMatter, InvalidItem, StatusDiffers};
    matches!(code, DuplicateId | InvalidFrontMatter | InvalidItem | Code::UnreadableFile)
        || matches!(code, ConflictMarkers | BodyDiffers | StatusDiffers)
}

/// The items that packs hold, of which a diagnostic may speak.
pub(super) struct ConcernedItems<'p> {
    roots: BTreeSet<&'p str>,
    neighbours: BTreeSet<&'p str>,
    files: BTreeSet<&'p RepoPath>,
}

impl<'p> ConcernedItems<'p> {
    pub(super) fn new(corpus: &'p Corpus, roots: &[usize], neighbours: &[usize]) -> Self {
        let entries = &corpus.entries;
        let id = |item: usize| entries[item].item.id.as_str();
        Self {
            roots: roots.iter().map(|root| id(*root)).collect(),
            neighbours: neighbours.iter().map(|item| id(*item)).collect(),
            files: roots.iter().chain(neighbours).map(|item| &entries[*item].item.origin.path).collect(),
        }
    }

    /// Returns whether a diagnostic is about the configuration, a root, or the text or the file of one of its neighbours.
    pub(super) fn by(&self, diagnostic: &Diagnostic) -> bool {
        if diagnostic.about.is_empty() {
            return diagnostic.at.as_ref().is_none_or(|at| at.path.as_str() == CONFIG || self.files.contains(&at.path));
        }
        let mut about = diagnostic.about.iter().map(String::as_str);
        about.any(|id| self.roots.contains(id) || self.neighbours.contains(id) && concerns_text(diagnostic.code))
    }
}

pub(super) fn notice(diagnostic: &Diagnostic, reader: &InputReader<'_>) -> Notice {
    Notice {
        code: diagnostic.code.name(),
        message: reader.line("message", &diagnostic.message),
        path: diagnostic.at.as_ref().map(|at| reader.line("path", at.path.as_str())),
        line: diagnostic.at.as_ref().and_then(|at| at.line).map(u64::from),
    }
}

/// Returns the repos for none of whose issues, if there are several, the snapshot has relations, by names in lower case.
pub(super) fn repos_without_relations(corpus: &Corpus) -> BTreeMap<String, Clean> {
    let mut repos: BTreeMap<String, (&Clean, usize, bool)> = BTreeMap::new();
    for entry in &corpus.entries {
        let is_pull = || entry.item.fields.iter().any(|field| &*field.name == "type" && is(&field.node.value, "pull"));
        let Some(issue) = entry.issue.as_ref().filter(|_| !entry.item.no_pack && !is_pull()) else { continue };
        let (_, issues, all_unknown) = repos.entry(issue.repo.to_lowercase()).or_insert((&issue.repo, 0, true));
        *issues += 1;
        *all_unknown &= issue.unknown.len() == LISTS;
    }
    let without = repos.into_iter().filter(|(_, (_, issues, all_unknown))| *all_unknown && *issues > 1);
    without.map(|(repo, (shown, ..))| (repo, shown.clone())).collect()
}

fn is(value: &Value<Clean>, word: &str) -> bool {
    matches!(value, Value::Scalar { text, .. } if &**text == word)
}

pub(super) fn missing_relations(repos: &BTreeMap<String, Clean>) -> Vec<Diagnostic> {
    let warning = |repo: &Clean| {
        let message = format!("the snapshot has no relations of any issue of `{repo}`, which is unknown and not none");
        let help = "run `contextpack sync`; if the server has no lists of sub-issues and dependencies, state them in texts and work items, and allow this warning";
        Diagnostic::new(Code::IncompleteIssue, None, message).help(help)
    };
    repos.values().map(warning).collect()
}

/// Returns whether packs are committed to a repo that others may read, by the configuration or else by the snapshot.
pub(super) fn is_published(settings: &Settings, corpus: &Corpus) -> bool {
    let has_private_issues = || {
        let mut issues = corpus.entries.iter().filter_map(|entry| entry.issue.as_ref());
        issues.any(|issue| issue.is_here(&corpus.rules) && issue.private == Some(true))
    };
    settings.commits_packs() && !settings.github.private.unwrap_or_else(has_private_issues)
}
