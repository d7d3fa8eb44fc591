//! Diagnostics: problems of the input as data, printed for people, as JSON and as annotations.

use super::{RepoPath, named_enum};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

named_enum! {
    /// The severity of a diagnostic after the configuration's `warnings:` and `--strict` are applied.
    #[cfg_attr(test, derive(schemars::JsonSchema))]
    pub enum Severity {
        /// Exit code 3. What it concerns was not built, unless it is a warning that the configuration or `--strict` made an
        /// error: then the pack was built.
        Error = "error",
        /// What it concerns was built; a reader should know.
        Warning = "warning",
    }
}

/// The level that the configuration gives to a warning's code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
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
        [self.line, self.column].iter().flatten().try_for_each(|number| write!(f, ":{number}"))
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

    /// Returns a diagnostic about a line of a file.
    pub fn on_line(code: Code, path: &RepoPath, line: u32, message: impl Into<String>) -> Self {
        Self::new(code, Some(Place::line(path.clone(), line)), message)
    }

    /// Returns a diagnostic about a whole file.
    pub fn in_file(code: Code, path: &RepoPath, message: impl Into<String>) -> Self {
        Self::new(code, Some(Place::file(path.clone())), message)
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

    /// Replaces the severity of its code.
    #[must_use]
    pub fn with_severity(self, severity: Severity) -> Self {
        Self { severity, ..self }
    }

    /// Replaces its texts, but for the path, by what `clean` makes of them.
    #[must_use]
    pub fn map_texts(self, clean: &dyn Fn(&str) -> String) -> Self {
        let about = self.about.iter().map(|id| clean(id)).collect();
        Self { message: clean(&self.message), help: self.help.as_deref().map(clean), about, ..self }
    }

    /// Returns whether it says that an item, or a file that may hold some, cannot be read.
    pub fn is_of_unread_item(&self) -> bool {
        matches!(self.code, Code::InvalidItem | Code::UnreadableFile)
    }

    /// Returns whether it says that an item whose id is known cannot be read: no pack is built as if it did not exist.
    pub fn is_of_damaged_item(&self) -> bool {
        self.is_of_unread_item() && !self.about.is_empty()
    }

    /// Returns by what it is the same in another build: it may have moved by some lines.
    pub fn key(&self) -> (Code, &str, Option<&RepoPath>) {
        (self.code, &self.message, self.at.as_ref().map(|at| &at.path))
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
    let mut alike: BTreeMap<(Option<RepoPath>, Code, Vec<String>), Vec<Diagnostic>> = BTreeMap::new();
    for diagnostic in diagnostics {
        let path = diagnostic.at.as_ref().map(|at| at.path.clone());
        alike.entry((path, diagnostic.code, diagnostic.about.clone())).or_default().push(diagnostic);
    }
    let mut kept = Vec::new();
    for mut group in alike.into_values() {
        let more = group.len().saturating_sub(MOST_ALIKE);
        if more > 1 {
            group.truncate(MOST_ALIKE + 1);
            group[MOST_ALIKE].message = format!("{more} more of these, from here on");
        }
        kept.extend(group);
    }
    kept.sort();
    kept
}

macro_rules! codes {
    ($($Code:ident $name:literal $Severity:ident $summary:literal,)+) => {
        named_enum! {
            /// The stable names of diagnostics. Each has a page in `docs/diagnostics/`, and a summary.
            #[non_exhaustive]
            pub enum Code {
                $(#[doc = $summary] $Code = $name,)+
            }
        }

        impl Code {
            /// Returns the severity that applies unless the configuration sets another.
            pub const fn severity(self) -> Severity {
                match self {
                    $(Self::$Code => Severity::$Severity,)+
                }
            }

            /// Returns what it means, in a sentence: the first paragraph of its page.
            pub const fn summary(self) -> &'static str {
                match self {
                    $(Self::$Code => $summary,)+
                }
            }
        }
    };
}

include!("codes.txt");

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
