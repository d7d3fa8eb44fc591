//! The errors of opening, building and comparing a repository.

use super::RootError;
use crate::config::RedactionSettings;
use crate::intake::IntakeError;
use crate::knowledge::AgentError;
use crate::model::{Code, Diagnostic, Place, RepoPath, quoted};
use crate::redact::{Environment, Redactor};
use crate::store::StoreError;
use std::error::Error;

/// Why a repository cannot be opened, built or compared with its packs.
///
/// Its text is complete: it includes the causes, which `source()` therefore does not repeat.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the fields are what the messages quote; diagnostics are redacted")]
pub enum EngineError {
    /// The configuration cannot be used, or git tracks the cache, which belongs to one working copy alone.
    #[error("the configuration cannot be used: {}", listed(diagnostics))]
    Config {
        /// The errors, redacted.
        diagnostics: Vec<Diagnostic>,
        /// The configuration's text, redacted, to show the lines concerned; `None` if redaction removed lines.
        text: Option<String>,
    },
    /// A requested profile is not in the configuration.
    #[error("there is no profile `{name}`; there are {}", quoted(known))]
    Profile { name: String, known: Vec<String> },
    /// A requested root matches no item, or several.
    #[error(transparent)]
    Root(#[from] RootError),
    /// A requested agent is none of the repo's, or several.
    #[error("{_0} (help: {})", .0.help())]
    Agent(AgentError),
    /// Packs for an agent would be written into the folder of the other packs.
    #[error(
        "`--out` is inside `{dir}`: packs for an agent change with every commit, so that `check` would find each of them stale (help: name another folder)"
    )]
    InOutputFolder { dir: String },
    /// What is asked for is not one pack.
    #[error("{0}")]
    Target(&'static str),
    /// The pack cannot be built, for example because its budget cannot hold the root.
    #[error("the pack cannot be built: {}", listed(diagnostics))]
    NotBuilt { diagnostics: Vec<Diagnostic> },
    /// Existing inputs cannot be read, and a requested root may be in them.
    #[error("an input cannot be read: {}", listed(.0))]
    Unread(Vec<Diagnostic>),
    /// The repository cannot be read.
    #[error("{}", with_causes(.0))]
    Intake(IntakeError),
    /// Git goes on changing files.
    #[error("git changed files while they were read, again and again; nothing was written: try again when git is done")]
    Unsettled(Unsettled),
    /// A pack cannot be read or written.
    #[error("{}", with_causes(.0))]
    Store(StoreError),
}

impl EngineError {
    /// Returns whether what was asked for does not exist.
    pub(crate) fn is_not_found(&self) -> bool {
        match self {
            Self::Root(error) => matches!(error, RootError::Unknown { .. } | RootError::Issue(_)),
            Self::Agent(error) => matches!(error, AgentError::Unknown { .. }),
            _ => false,
        }
    }
}

impl From<Unsettled> for EngineError {
    fn from(unsettled: Unsettled) -> Self {
        Self::Unsettled(unsettled)
    }
}

impl From<StoreError> for EngineError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

fn listed(diagnostics: &[Diagnostic]) -> String {
    diagnostics.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}

impl From<IntakeError> for EngineError {
    fn from(error: IntakeError) -> Self {
        let message = error.to_string();
        let fault = |place| Diagnostic::new(Code::InvalidConfig, place, message);
        let fault = match &error {
            IntakeError::ConfigSpelling { name } => {
                let help = format!("rename it: `git mv {name} {}`", name.to_ascii_lowercase());
                fault(RepoPath::new(name).ok().map(Place::file)).help(help)
            }
            // An error of the input, not of the system.
            IntakeError::TwoConfigs { .. } | IntakeError::Unusable { .. } => fault(None),
            IntakeError::Read { .. } | IntakeError::NotAFolder { .. } | IntakeError::Locked { .. } => {
                return Self::Intake(error);
            }
        };
        config_error(&Environment::new(std::iter::empty()), vec![fault], None)
    }
}

/// Git changed files while they were read, so that they may be of two commits. Nothing was built.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("git changed files while they were read")]
pub struct Unsettled;

/// How often a repository is read at most if git changes files meanwhile.
const MOST_TRIES: usize = 8;

/// Runs `read`, which writes nothing before it knows that git changes no file, and again a few times while git does.
pub fn until_settled<T, E>(is_unsettled: impl Fn(&E) -> bool, mut read: impl FnMut() -> Result<T, E>) -> Result<T, E> {
    for _ in 1..MOST_TRIES {
        match read() {
            Err(error) if is_unsettled(&error) => {}
            done => return done,
        }
    }
    read()
}

pub(super) fn with_causes(error: &dyn Error) -> String {
    let causes = std::iter::successors(error.source(), |cause: &&dyn Error| (*cause).source());
    causes.fold(error.to_string(), |text, cause| format!("{text}: {cause}"))
}

pub(super) fn config_error(environment: &Environment, diagnostics: Vec<Diagnostic>, text: Option<&str>) -> EngineError {
    let redactor = Redactor::new(&RedactionSettings::default());
    let clean = |text: &str| environment.mask(&redactor.line(text));
    // Removing a secret of several lines would shift the line numbers of the quoted text.
    let lines = |text: &str| text.matches('\n').count();
    let text = text.and_then(|text| Some(clean(text)).filter(|clean| lines(clean) == lines(text)));
    let diagnostics = diagnostics.into_iter().map(|diagnostic| diagnostic.map_texts(&clean)).collect();
    EngineError::Config { diagnostics, text }
}
