//! Which files of the knowledge are not for everyone, and whose text may be instructions.

use super::clean::InputReader;
use super::project::{COMMIT, unreadable};
use crate::cache::FilePurpose;
use crate::graph::RecordedRemoval;
use crate::knowledge::DocumentRules;
use crate::model::{Code, Diagnostic, Place, Refusal, RepoPath, Severity, SourceTree, conflict_in_markdown};
use crate::records::conflict_markers;
use crate::redact::Clean;

/// Why a pack must not hold the text of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Withheld {
    OtherAgent,
    Secret,
}

impl Withheld {
    pub(super) fn reason(self) -> &'static str {
        match self {
            Self::OtherAgent => "a document of one agent",
            Self::Secret => "a document that holds secrets",
        }
    }
}

pub(super) fn restricted_instructions(path: &RepoPath, withheld: Withheld) -> Diagnostic {
    let message = format!("`{path}` is {}, so that nobody is given it as instructions", withheld.reason());
    Diagnostic::new(Code::InvalidAgent, Some(Place::file(path.clone())), message)
        .help("take it out of `documents` and of `agents`, or move the instructions to another file")
}

impl InputReader<'_> {
    /// Returns why a file with this text is not for everyone, if it, or what it leads to, is an agent's, or a document with
    /// secrets or of one agent: whatever else names it, it is nothing but that.
    pub(super) fn restriction(&self, path: &RepoPath, raw: &str) -> Option<Withheld> {
        let of_agent = || self.leads_to_agent(path).then_some(Withheld::OtherAgent);
        self.document_restriction(path, raw).or_else(of_agent)
    }

    /// Returns why the document that a file with this text is, or leads to, is not for everyone.
    pub(super) fn document_restriction(&self, path: &RepoPath, raw: &str) -> Option<Withheld> {
        let of = |path: &RepoPath| DocumentRules::of(self.settings, path);
        let rules: Vec<DocumentRules<'_>> = self.names(path).filter_map(of).collect();
        if rules.iter().any(|rules| rules.secrecy(raw).is_secret()) {
            return Some(Withheld::Secret);
        }
        rules.iter().any(|rules| rules.is_scoped(raw)).then_some(Withheld::OtherAgent)
    }

    pub(super) fn leads_to_agent(&self, path: &RepoPath) -> bool {
        self.names(path).any(|path| self.settings.is_agent_file(path))
    }

    /// Returns a path, and what it leads to if it is a link.
    pub(super) fn names<'p>(&'p self, path: &'p RepoPath) -> impl Iterator<Item = &'p RepoPath> {
        [path].into_iter().chain(self.inputs.link_end(path))
    }

    /// Returns whether a path is that of a pipe, a socket, a device or a cyclic link.
    pub(super) fn is_special(&self, path: &RepoPath) -> bool {
        self.inputs.special_files().binary_search(path).is_ok()
    }

    pub(super) fn raw(&self, path: &RepoPath) -> Result<String, Diagnostic> {
        self.inputs.read(path).map_err(|refusal| {
            // What is no file is in no clone either.
            let refusal = if self.is_special(path) { Refusal::Binary } else { refusal };
            let severity = if matches!(refusal, Refusal::Unreadable(_)) { Severity::Error } else { Severity::Warning };
            Diagnostic { severity, ..unreadable(path, &refusal) }
        })
    }

    /// Reads an agent's file, or a job's, whose text is instructions.
    pub(super) fn trusted_instructions(
        &self,
        path: &RepoPath,
    ) -> Result<(Clean, Clean, Vec<RecordedRemoval>), Diagnostic> {
        let raw = self.raw(path).map_err(|fault| Diagnostic { severity: Severity::Error, ..fault })?;
        self.confirm_tracked(path)?;
        if let Some(withheld) = self.restriction(path, &raw) {
            return Err(restricted_instructions(path, withheld));
        }
        if let Some(line) = conflict_in_markdown(&raw) {
            let what = format!("`{path}`, which holds instructions,");
            let fault = conflict_markers(Place::line(path.clone(), line), &what);
            return Err(Diagnostic { severity: Severity::Error, ..fault });
        }
        let (shown, text, removals, _) = self.file(path, FilePurpose::Document, &raw);
        Ok((shown, text.clean.trimmed(), removals))
    }

    /// Confirms that nobody without a say could have put instructions into a file.
    pub(super) fn confirm_tracked(&self, path: &RepoPath) -> Result<(), Diagnostic> {
        if !self.distrusts(path) {
            return Ok(());
        }
        let message = format!("git does not track `{path}`, so that anyone could have written these instructions");
        let diagnostic = Diagnostic::new(Code::UntrackedFile, Some(Place::file(path.clone())), message).help(COMMIT);
        Err(Diagnostic { severity: Severity::Error, ..diagnostic })
    }
}
