//! The exit codes of all commands.

use crate::model::{Diagnostic, Severity};
use std::process::ExitCode;

/// The result of a command, with its exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// 0: done, with or without warnings.
    Done,
    /// 1: a file, a permission or the network failed.
    Outside,
    /// 2: wrong usage, or the repo requires another version.
    Usage,
    /// 3: the input has errors.
    Input,
    /// 4: packs are stale, or differ.
    Stale,
    /// 5: a pack is not valid.
    Invalid,
    /// 130: ended by the user or the system; the code that shells use for Ctrl-C.
    Interrupted,
}

impl Exit {
    /// From highest to lowest precedence.
    const ORDER: [Exit; 6] = [Self::Usage, Self::Outside, Self::Input, Self::Invalid, Self::Stale, Self::Done];

    /// Returns the exit code that follows from the diagnostics of what a command was asked: 3 if any is an error.
    #[must_use]
    pub(crate) fn of(diagnostics: &[Diagnostic]) -> Self {
        let has_error = diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error);
        if has_error { Self::Input } else { Self::Done }
    }

    /// Returns the result with the higher precedence.
    #[must_use]
    pub(crate) fn and(self, other: Self) -> Self {
        Self::ORDER.into_iter().find(|exit| *exit == self || *exit == other).unwrap_or(self)
    }

    /// Returns the exit code.
    pub(crate) fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Outside => 1,
            Self::Usage => 2,
            Self::Input => 3,
            Self::Stale => 4,
            Self::Invalid => 5,
            Self::Interrupted => 130,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        exit.code().into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_several_ends_the_first_in_the_documented_order_wins() {
        let order: Vec<u8> = Exit::ORDER.into_iter().map(Exit::code).collect();
        assert_eq!(order, [2, 1, 3, 5, 4, 0]);
        for (index, first) in Exit::ORDER.into_iter().enumerate() {
            for second in &Exit::ORDER[index..] {
                assert_eq!((first.and(*second), second.and(first)), (first, first));
            }
        }
    }
}
