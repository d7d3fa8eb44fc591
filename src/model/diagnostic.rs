//! Diagnostics: problems of the input as data, printed for people, as JSON and as annotations.

use super::RepoPath;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::fmt;

/// The severity of a diagnostic after the configuration's `warnings:` and `--strict` are applied.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Exit code 3. What it concerns was not built, unless it is a warning that the configuration or `--strict` made an
    /// error: then the pack was built.
    Error,
    /// What it concerns was built; a reader should know.
    Warning,
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Error => "error",
            Self::Warning => "warning",
        })
    }
}

/// The level that the configuration gives to a warning's code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Not shown, and in no pack.
    Allow,
    /// Shown, and in the pack that it concerns: the default.
    Warn,
    /// An error.
    Deny,
}

/// A location in the repo. Lines and columns count from 1.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Place {
    /// The file.
    pub path: RepoPath,
    /// The line, if known.
    pub line: Option<u32>,
    /// The column in characters, if known.
    pub column: Option<u32>,
}

impl Place {
    /// Returns a whole file.
    pub fn file(path: RepoPath) -> Self {
        Self { path, line: None, column: None }
    }

    /// Returns a line of a file.
    pub fn line(path: RepoPath, line: u32) -> Self {
        Self { path, line: Some(line), column: None }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.path)?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        if let Some(column) = self.column {
            write!(f, ":{column}")?;
        }
        Ok(())
    }
}

/// A problem of the input, and what to do about it.
///
/// Sorted by place, code, message; equal ones are one. Messages and help are
/// lower case, without a final full stop, names in backticks.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Diagnostic {
    /// The place, if the problem has one.
    pub at: Option<Place>,
    /// The stable name of the kind of problem.
    pub code: Code,
    /// The severity.
    pub severity: Severity,
    /// The problem.
    pub message: String,
    /// What to do next.
    pub help: Option<String>,
    /// Ids of the items it concerns; a pack carries the warnings of its own root and neighbours.
    pub about: Vec<String>,
}

impl Diagnostic {
    /// Returns a diagnostic with its code's default severity.
    pub fn new(code: Code, at: Option<Place>, message: impl Into<String>) -> Self {
        Self { at, code, severity: code.severity(), message: message.into(), help: None, about: Vec::new() }
    }

    /// Adds what to do next.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Adds an item that it concerns.
    #[must_use]
    pub fn about(mut self, id: impl Into<String>) -> Self {
        self.about.push(id.into());
        self
    }

    /// Returns whether it says that an item, or a file that may hold some, cannot be read.
    pub fn is_of_unread_item(&self) -> bool {
        matches!(self.code, Code::InvalidItem | Code::UnreadableFile)
    }
}

/// One line, such as ``work_items/a.md:6:1: error[unknown-id]: no work item has the id `x` (help: correct the id)``.
impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(at) = &self.at {
            write!(f, "{at}: ")?;
        }
        write!(f, "{}[{}]: {}", self.severity, self.code, self.message)?;
        self.help.iter().try_for_each(|help| write!(f, " (help: {help})"))
    }
}

/// How many diagnostics of one code about one item are shown for one file.
const MOST_ALIKE: usize = 100;

/// Keeps the first 100 diagnostics of each code about the same items in one file, and counts the others in one more.
///
/// The diagnostics must be sorted, and the result is sorted.
pub fn bounded(diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
    if diagnostics.len() <= MOST_ALIKE {
        return diagnostics;
    }
    let mut counts: HashMap<(Option<RepoPath>, Code, Vec<String>), usize> = HashMap::new();
    let mut kept = Vec::new();
    let mut overflow: Vec<(Diagnostic, usize)> = Vec::new();
    for diagnostic in diagnostics {
        let path = diagnostic.at.as_ref().map(|at| at.path.clone());
        let key = (path, diagnostic.code, diagnostic.about.clone());
        let next = overflow.len();
        let count = counts.entry(key).or_insert(0);
        if *count < MOST_ALIKE {
            *count += 1;
            kept.push(diagnostic);
        } else if *count == MOST_ALIKE {
            *count += 1 + next;
            overflow.push((diagnostic, 1));
        } else {
            overflow[*count - MOST_ALIKE - 1].1 += 1;
        }
    }
    for (first, more) in overflow {
        let message = if more == 1 { first.message.clone() } else { format!("{more} more of these, from here on") };
        kept.push(Diagnostic { message, ..first });
    }
    kept.sort();
    kept
}

macro_rules! codes {
    ($($(#[doc = $doc:literal])+ $variant:ident = $name:literal, $severity:ident;)+) => {
        /// The stable names of diagnostics. Each has a page in `docs/diagnostics/`.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, schemars::JsonSchema)]
        #[non_exhaustive]
        pub enum Code {
            $($(#[doc = $doc])+ #[serde(rename = $name)] $variant,)+
        }

        impl Code {
            /// Every code, in the order of their names' first mention.
            pub const ALL: &'static [Code] = &[$(Code::$variant),+];

            /// Returns the name that users read and write.
            pub fn name(self) -> &'static str {
                match self { $(Code::$variant => $name),+ }
            }

            /// Returns the severity that applies unless the configuration sets another.
            pub fn severity(self) -> Severity {
                match self { $(Code::$variant => Severity::$severity),+ }
            }

            /// Returns what it means, in a sentence: the first paragraph of its page.
            pub fn summary(self) -> &'static str {
                match self { $(Code::$variant => concat!($($doc),+)),+ }
            }
        }
    };
}

codes! {
    /// The configuration cannot be used as written.
    InvalidConfig = "invalid-config", Error;
    /// A file that should hold work items cannot be read as its format.
    InvalidItem = "invalid-item", Warning;
    /// The file of an agent cannot be used as written.
    InvalidAgent = "invalid-agent", Error;
    /// A document of `documents:` states a type, a scope or another field that is not known.
    InvalidDocument = "invalid-document", Error;
    /// The notes on a document cannot be used as written; those of the next source are.
    InvalidNotes = "invalid-notes", Warning;
    /// The notes on a document are of another version of it.
    StaleNotes = "stale-notes", Warning;
    /// Front matter is not YAML and was read line by line.
    InvalidFrontMatter = "invalid-front-matter", Warning;
    /// A text has the markers of a conflict that git could not merge, and stands in packs with both sides.
    ConflictMarkers = "conflict-markers", Warning;
    /// A field of a work item has almost the name of one that contextpack reads.
    UnknownField = "unknown-field", Warning;
    /// A file that the configuration names cannot be read.
    UnreadableFile = "unreadable-file", Warning;
    /// Two items have one id; the first is built.
    DuplicateId = "duplicate-id", Warning;
    /// Two roots would be written to one pack file.
    SlugClash = "slug-clash", Error;
    /// An item has more than one parent.
    MultipleParents = "multiple-parents", Warning;
    /// An item has more relations than its packs show.
    TooManyRelations = "too-many-relations", Warning;
    /// Items depend on, or contain, each other in a circle.
    Cycle = "cycle", Warning;
    /// An item names itself as its neighbour.
    SelfReference = "self-reference", Warning;
    /// A relation names an item that does not exist.
    UnknownId = "unknown-id", Warning;
    /// A relation or reference matches more than one target.
    AmbiguousReference = "ambiguous-reference", Warning;
    /// A relation matched an id only when case was ignored.
    CaseMismatch = "case-mismatch", Warning;
    /// A relation matched an id only under another prefix.
    PrefixMismatch = "prefix-mismatch", Warning;
    /// A reference names an ADR or a document that does not exist.
    DanglingReference = "dangling-reference", Warning;
    /// A reference was resolved by its unique file name; its folder is stale.
    StaleReference = "stale-reference", Warning;
    /// A reference leads out of the repo.
    OutsideReference = "outside-reference", Warning;
    /// A referenced ADR is superseded, rejected or deprecated.
    InactiveAdr = "inactive-adr", Warning;
    /// A repo URL or a bare issue number was found, and the configuration does not say which repo this is.
    UnknownRepo = "unknown-repo", Warning;
    /// An issue and its work item differ in their text.
    BodyDiffers = "body-differs", Warning;
    /// An issue and its work item differ in their state.
    StatusDiffers = "status-differs", Warning;
    /// The budget cannot hold the instructions and the beginning of the root.
    BudgetTooSmall = "budget-too-small", Error;
    /// A finished pack would contain a secret value of the building environment.
    EnvironmentSecret = "environment-secret", Error;
    /// A file of the GitHub snapshot cannot be used.
    InvalidSnapshot = "invalid-snapshot", Error;
    /// The snapshot lacks relations or comments of an issue.
    IncompleteIssue = "incomplete-issue", Warning;
    /// An issue of a private repo stands in a pack that this repo may publish.
    PrivateIssue = "private-issue", Warning;
    /// A heading that a reference names is not in the document.
    MissingAnchor = "missing-anchor", Warning;
    /// A glob of the configuration matches no file.
    UnmatchedGlob = "unmatched-glob", Warning;
    /// There is a git repository, and git cannot say which files it tracks.
    GitUnavailable = "git-unavailable", Warning;
    /// Git tracks the cache, or another file that belongs to one working copy alone.
    TrackedCache = "tracked-cache", Error;
    /// Git does not track an input, and the build trusts tracked files only.
    UntrackedFile = "untracked-file", Warning;
    /// A lock that git leaves behind where it crashes is in the repository.
    StaleLock = "stale-lock", Warning;
    /// GitHub moved an issue, or renamed the repo.
    IssueMoved = "issue-moved", Warning;
    /// An issue was deleted, and its file left the snapshot.
    IssueGone = "issue-gone", Warning;
    /// An issue that is named does not exist, or the token may not see it.
    IssueNotVisible = "issue-not-visible", Warning;
    /// The server has no lists of relations: they are unknown, which is not none.
    UnknownRelations = "unknown-relations", Warning;
    /// Without a token GitHub answers 60 requests an hour.
    AnonymousSync = "anonymous-sync", Warning;
    /// The configuration needs another version of contextpack.
    RequiredVersion = "required-version", Error;
    /// A pack that a commit names in a trailer is not what a build gives now.
    MovedContext = "moved-context", Warning;
    /// A commit names a pack in a trailer that no file holds, or something that is no hash of a pack.
    UnknownContext = "unknown-context", Warning;
    /// The root is done, or closed without being done.
    RootDone = "root-done", Warning;
    /// The text of the root says nothing beyond its headings.
    EmptyBody = "empty-body", Warning;
    /// Nothing in the text of the root says when the work is done.
    NoAcceptanceCriteria = "no-acceptance-criteria", Warning;
    /// The text of the root leaves a question open.
    OpenQuestion = "open-question", Warning;
    /// The text of the root still has a place of its template that was not filled.
    UnfilledTemplate = "unfilled-template", Warning;
    /// The root rests on an ADR that is not decided yet.
    ProposedAdr = "proposed-adr", Warning;
    /// The untrusted author of the root changed it after it had been asked for.
    EditedIssue = "edited-issue", Warning;
    /// The root waits for an item that is not known to be done.
    OpenBlocker = "open-blocker", Warning;
    /// The budget cuts the text of the root.
    RootCut = "root-cut", Warning;
    /// The pack on disk is not the one that a build would write.
    StalePack = "stale-pack", Warning;
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests")]
impl Diagnostic {
    /// Returns a warning at a path with characters that output formats have to escape.
    pub(crate) fn sample(message: &str) -> Self {
        let at = Place { path: RepoPath::new("work_items/a,b:c.md").unwrap(), line: Some(6), column: Some(3) };
        Self::new(Code::UnknownId, Some(at), message).help("did you mean `x`?")
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn more_than_a_hundred_alike_are_counted() {
        let at = |line| Some(Place::line(RepoPath::new("a.md").unwrap(), line));
        let one = |line, id: &str| Diagnostic::new(Code::UnknownId, at(line), format!("no {line}")).about(id);
        let mut all: Vec<Diagnostic> = (1..=150).map(|line| one(line, "a")).collect();
        all.extend((1..=101).map(|line| one(200 + line, "b")));
        let kept = bounded(all.clone());
        assert_eq!(kept.len(), 202, "the one that would be counted alone is shown itself");
        assert_eq!((kept[100].message.as_str(), kept[100].at.clone()), ("50 more of these, from here on", at(101)));
        assert_eq!(kept.iter().filter(|it| it.about == ["b"]).count(), 101);
        assert_eq!(bounded(kept.clone()), kept);
        all.truncate(100);
        assert_eq!(bounded(all.clone()), all);
    }
}
