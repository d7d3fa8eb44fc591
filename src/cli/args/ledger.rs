//! Options that commands about batches and inboxes share.

use super::review::timeout;
use crate::cli::completion;
use clap::{Args as Options, ValueEnum};
use clap_complete::engine::ArgValueCandidates;
use std::time::Duration;

/// What becomes of the files that a command wrote.
#[derive(Debug, Clone, Copy, Default, Options)]
#[command(next_help_heading = "Git options")]
pub(crate) struct PublishArgs {
    /// Commits exactly the files that were written
    ///
    /// Other changes in the work tree and in the index stay as they are. Hooks are not run.
    #[arg(long)]
    pub(crate) commit: bool,

    /// Fast-forwards to the remote first, and pushes the commit; if the remote moved meanwhile, decides again
    ///
    /// The push is the transaction: of two clones that claim one task, the one whose push is rejected says `busy` and leaves no file. It is tried for at most two minutes. The branch must not have other commits that the remote lacks.
    #[arg(long)]
    pub(crate) push: bool,
}

/// What a report says besides its status.
#[derive(Debug, Options)]
pub(crate) struct OutcomeArgs {
    /// What was done
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) summary: Option<String>,

    /// The box with the results; the default is the log that they go to, if it has cards
    #[arg(long = "box", value_name = "BOX", add = ArgValueCandidates::new(completion::boxes))]
    pub(crate) output: Option<String>,

    /// A stable name of the error
    #[arg(long, value_name = "CODE", requires = "error_message", allow_hyphen_values = true)]
    pub(crate) error_code: Option<String>,

    /// What went wrong
    #[arg(long, value_name = "TEXT", requires = "error_code", allow_hyphen_values = true)]
    pub(crate) error_message: Option<String>,

    /// Who reports it, for audit only
    #[arg(long = "by", value_name = "NAME", allow_hyphen_values = true)]
    pub(crate) author: Option<String>,
}

/// How others learn that there is something to do.
#[derive(Debug, Options)]
#[command(next_help_heading = "Doorbell")]
pub(crate) struct WakeArgs {
    /// Says afterwards the workflows of the repo that there is something to do
    ///
    /// A doorbell that fails takes nothing back: it is a warning, and the exit code is 1. `dispatch`, `batch fork` and `batch join` ring again if they are run again.
    #[arg(long, value_enum, value_name = "HOW", default_value_t = WakeMode::None)]
    pub(crate) wake: WakeMode,

    /// How long the request with its retries may take
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = timeout)]
    pub(crate) wake_timeout: Duration,
}

/// How others learn that there is something to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum WakeMode {
    /// They look by themselves
    None,
    /// Sends `repository_dispatch` to the repo on GitHub, once the push is there; needs `--push`
    Github,
}
