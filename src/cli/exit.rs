//! Exit codes.

use std::process::ExitCode;

/// How a command ended; each has its own code, written in the help.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// 0: it is done, warnings included.
    Done,
    /// 1: the outside world failed: a disk, a permission, a network.
    Outside,
    /// 2: the command line, or the version that the repo asks for, is not this program's.
    Usage,
    /// 3: the input has errors.
    Input,
    /// 4: packs are stale, or differ.
    Stale,
    /// 5: a pack is not valid.
    Invalid,
    /// 130: the user, or the system, ended it, as shells say it of Ctrl-C.
    Interrupted,
}

impl Exit {
    /// From the one that wins over all others to the one that never does.
    const ORDER: [Exit; 6] = [Self::Usage, Self::Outside, Self::Input, Self::Invalid, Self::Stale, Self::Done];

    /// Both happened: the one that tells more.
    #[must_use]
    pub(crate) fn and(self, other: Self) -> Self {
        Self::ORDER.into_iter().find(|exit| *exit == self || *exit == other).unwrap_or(self)
    }

    /// The code.
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
