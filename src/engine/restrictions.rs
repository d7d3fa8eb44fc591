//! Which files of the knowledge are not for everyone, and whose text may be instructions.

use super::clean;
use super::project::{COMMIT, Project, unreadable};
use crate::cache::FilePurpose;
use crate::config::Settings;
use crate::graph::RecordedRemoval;
use crate::knowledge::DocumentRules;
use crate::model::{Code, Diagnostic, Place, Refusal, RepoPath, Severity, SourceTree, conflict_in_markdown};
use crate::records::conflict_markers;
use crate::redact::Clean;

/// Why a pack must not hold the text of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Withheld {
    /// It is another agent's.
    OtherAgent,
    /// It holds secrets.
    Secret,
}

impl Withheld {
    /// Returns what the document is.
    pub(super) fn reason(self) -> &'static str {
        match self {
            Self::OtherAgent => "a document of one agent",
            Self::Secret => "a document that holds secrets",
        }
    }
}

/// Returns why a file with this text is not for everyone, if it, or what it leads to, is an agent's, or a document with secrets
/// or of one agent: whatever else names it, it is nothing but that.
pub(super) fn restriction(
    source: &dyn SourceTree,
    settings: &Settings,
    path: &RepoPath,
    raw: &str,
) -> Option<Withheld> {
    let of_agent = || leads_to_agent(source, settings, path).then_some(Withheld::OtherAgent);
    document_restriction(source, settings, path, raw).or_else(of_agent)
}

/// Returns why the document that a file with this text is, or leads to, is not for everyone.
pub(super) fn document_restriction(
    source: &dyn SourceTree,
    settings: &Settings,
    path: &RepoPath,
    raw: &str,
) -> Option<Withheld> {
    let of = |path: &RepoPath| DocumentRules::of(&settings.knowledge, path);
    let rules: Vec<DocumentRules<'_>> =
        [Some(path), source.link_end(path)].into_iter().flatten().filter_map(of).collect();
    if rules.iter().any(|rules| rules.secrecy(raw).is_secret()) {
        return Some(Withheld::Secret);
    }
    rules.iter().any(|rules| rules.is_scoped(raw)).then_some(Withheld::OtherAgent)
}

/// Returns whether a file, or what it leads to, is that of an agent.
pub(super) fn leads_to_agent(source: &dyn SourceTree, settings: &Settings, path: &RepoPath) -> bool {
    [Some(path), source.link_end(path)].into_iter().flatten().any(|path| settings.knowledge.is_agent_file(path))
}

/// Returns the error that instructions are a document that is not for everyone.
pub(super) fn restricted_instructions(path: &RepoPath, withheld: Withheld) -> Diagnostic {
    let message = format!("`{path}` is {}, so that nobody is given it as instructions", withheld.reason());
    Diagnostic::new(Code::InvalidAgent, Some(Place::file(path.clone())), message)
        .help("take it out of `documents` and of `agents`, or move the instructions to another file")
}

/// Returns whether a path is that of a pipe, a socket, a device or a cyclic link.
pub(super) fn is_special(project: &Project<'_>, path: &RepoPath) -> bool {
    project.source().special_files().binary_search(path).is_ok()
}

/// Reads the raw text of a file.
pub(super) fn raw(project: &Project<'_>, path: &RepoPath) -> Result<String, Diagnostic> {
    project.source().read(path).map_err(|refusal| {
        // What is no file is in no clone either.
        let refusal = if is_special(project, path) { Refusal::Binary } else { refusal };
        let fault = unreadable(path, &refusal);
        let severity = if matches!(refusal, Refusal::Unreadable(_)) { Severity::Error } else { Severity::Warning };
        Diagnostic { severity, ..fault }
    })
}

/// Reads an agent's file, or a job's, whose text is instructions.
pub(super) fn trusted_instructions(
    project: &Project<'_>,
    path: &RepoPath,
) -> Result<(Clean, Clean, Vec<RecordedRemoval>), Diagnostic> {
    let raw = raw(project, path).map_err(|fault| Diagnostic { severity: Severity::Error, ..fault })?;
    confirm_tracked(project, path)?;
    if let Some(withheld) = restriction(project.source(), project.settings, path, &raw) {
        return Err(restricted_instructions(path, withheld));
    }
    if let Some(line) = conflict_in_markdown(&raw) {
        let fault = conflict_markers(Place::line(path.clone(), line), &format!("`{path}`, which holds instructions,"));
        return Err(Diagnostic { severity: Severity::Error, ..fault });
    }
    let (shown, text, removals, _) = clean::file(&project.scrubber, path, FilePurpose::Document, &raw);
    Ok((shown, text.clean.trimmed(), removals))
}

/// Confirms that nobody without a say could have put instructions into a file.
pub(super) fn confirm_tracked(project: &Project<'_>, path: &RepoPath) -> Result<(), Diagnostic> {
    if !project.untracked.distrusts(project.source(), path) {
        return Ok(());
    }
    let message = format!("git does not track `{path}`, so that anyone could have written these instructions");
    let diagnostic = Diagnostic::new(Code::UntrackedFile, Some(Place::file(path.clone())), message).help(COMMIT);
    Err(Diagnostic { severity: Severity::Error, ..diagnostic })
}
