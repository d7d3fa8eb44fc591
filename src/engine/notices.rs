//! Severities of diagnostics, and the warnings that packs carry.

use super::documents::CONFIG;
use super::project::Project;
use super::reader::InputReader;
use crate::config::{Globs, Settings};
use crate::model::{Code, Diagnostic, Level, RepoPath, Severity, SourceTree};
use crate::select::Notice;
use std::collections::{BTreeSet, HashMap};

/// Applies the configured severities to diagnostics, and drops the allowed ones.
pub fn apply_severities(diagnostics: Vec<Diagnostic>, settings: &Settings) -> Vec<Diagnostic> {
    let configured = |diagnostic: Diagnostic| match settings.warnings.get(&diagnostic.code) {
        Some(Level::Allow) if diagnostic.severity == Severity::Warning => None,
        Some(Level::Deny) => Some(diagnostic.with_severity(Severity::Error)),
        Some(Level::Allow | Level::Warn) | None => Some(diagnostic),
    };
    diagnostics.into_iter().filter_map(configured).collect()
}

/// Returns a warning for each glob of `work_items` and `adrs` that no file matches, but for the default ones.
pub fn unmatched(settings: &Settings, source: &dyn SourceTree) -> Vec<Diagnostic> {
    let files = source.files();
    let items = settings.work_items.iter().map(|source| (&source.include, "work_items"));
    let adrs = settings.adrs.is_configured.then_some((&settings.adrs.include, "adrs"));
    let globs = items.chain(adrs).flat_map(|(globs, of)| {
        globs.written.iter().enumerate().map(move |(index, written)| (globs, index, written, of))
    });
    let matches = |globs: &Globs, index: &usize, of: &str, path: &str| {
        globs.set.matches(path).contains(index) && (of != "work_items" || globs.spells_hidden(*index, path))
    };
    globs
        .filter(|(.., written, _)| !written.starts_with("work_items/"))
        .filter(|(globs, index, _, of)| !files.iter().any(|path| matches(globs, index, of, path.as_str())))
        .map(|(.., written, of)| {
            Diagnostic::new(Code::UnmatchedGlob, None, format!("no file matches `{written}` of `{of}`"))
                .help("correct the glob, or remove it; ignored files count only where git tracks them")
        })
        .collect()
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
    matches!(
        code,
        Code::DuplicateId
            | Code::ConflictMarkers
            | Code::InvalidFrontMatter
            | Code::InvalidItem
            | Code::UnreadableFile
            | Code::BodyDiffers
            | Code::StatusDiffers
    )
}

/// The items that packs hold, of which a diagnostic may speak.
pub(super) struct ConcernedItems<'p> {
    roots: BTreeSet<&'p str>,
    neighbours: BTreeSet<&'p str>,
    files: BTreeSet<&'p RepoPath>,
}

impl<'p> ConcernedItems<'p> {
    pub(super) fn new(project: &'p Project<'_>, roots: &[usize]) -> Self {
        let entries = &project.corpus().entries;
        let id = |item: usize| entries[item].item.id.as_str();
        let neighbours: Vec<usize> = roots.iter().flat_map(|root| project.neighbours(*root)).collect();
        Self {
            roots: roots.iter().map(|root| id(*root)).collect(),
            neighbours: neighbours.iter().map(|item| id(*item)).collect(),
            files: roots.iter().chain(&neighbours).map(|item| &entries[*item].item.origin.path).collect(),
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
