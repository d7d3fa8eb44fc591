//! Options of `batch`.

use super::build::interval;
use super::ledger::{OutcomeArgs, PublishArgs, WakeArgs};
use super::review::timeout;
use crate::cli::completion;
use clap::{Args as Options, Subcommand};
use clap_complete::engine::ArgValueCandidates;
use std::path::PathBuf;
use std::time::Duration;

/// Options of `batch`.
#[derive(Debug, Options)]
pub(crate) struct BatchArgs {
    #[command(subcommand)]
    pub(crate) command: BatchCommand,
}

/// The commands about batches.
#[derive(Debug, Subcommand)]
pub(crate) enum BatchCommand {
    /// Writes the batch of a plan: a pack for each task, and the ledger
    ///
    /// The plan, in YAML or JSON, has `parent_agent` and `tasks`, each with `target_strategy`, `target_ref` and `instruction` (`contextpack schema batch-file`). Everything is checked first; if anything is wrong, nothing is written. The id of the batch is a hash of the plan, so forking the same plan again changes nothing.
    Fork {
        /// The plan; `-` is standard input
        #[arg(value_name = "FILE|-")]
        file: PathBuf,
        /// A box that the plan may name as `context_box_id`; can be given several times
        #[arg(long = "box", value_name = "BOX", add = ArgValueCandidates::new(completion::boxes))]
        boxes: Vec<String>,
        #[command(flatten)]
        publish: PublishArgs,
        #[command(flatten)]
        wake: WakeArgs,
    },
    /// Claims a task: of several that claim it, one is accepted
    ///
    /// Prints `accepted` with the epoch that a report needs, or `busy`, with exit code 1.
    Claim {
        #[command(flatten)]
        task: TaskArg,
        /// Who claims it, for audit only
        #[arg(long = "by", value_name = "NAME", allow_hyphen_values = true)]
        author: Option<String>,
        #[command(flatten)]
        publish: PublishArgs,
    },
    /// Reports how a task ended
    ///
    /// The first report of an epoch counts. A report for an older epoch, a second one, or one after `batch join` is kept as `late` and never counts.
    Report(BatchReportArgs),
    /// Gives up turns that are claimed and not reported, so that their tasks can be claimed again
    ///
    /// The epoch of these tasks is raised, so that a report of the turn that was given up comes too late.
    Reclaim {
        #[command(flatten)]
        batch: BatchArg,
        /// The task, from 0; all if omitted
        #[arg(value_name = "TASK")]
        task: Option<u32>,
        /// Only turns that were claimed at least so long ago: `10m`, `2h`, or a number of seconds
        #[arg(long, value_name = "TIME", value_parser = timeout)]
        after: Option<Duration>,
        #[command(flatten)]
        publish: PublishArgs,
        #[command(flatten)]
        wake: WakeArgs,
    },
    /// Reports `timeout` for open tasks, if the deadline of the batch has passed
    Expire(EndArgs),
    /// Reports `canceled` for open tasks
    Cancel(EndArgs),
    /// Prints the state of a batch and its tasks
    Status {
        #[command(flatten)]
        batch: BatchArg,
        /// Prints what changes until all tasks have ended; looks at this clone every INTERVAL (default `2s`)
        ///
        /// On a terminal the whole state stays in its place. What other machines push is seen once this clone has it, by `git pull` for example.
        #[arg(long, value_name = "INTERVAL", num_args = 0..=1, require_equals = true, default_missing_value = "2s", value_parser = interval)]
        watch: Option<Duration>,
    },
    /// Prints the tasks that can be claimed as the matrix of a workflow, on one line of JSON for `fromJSON`
    Matrix(BatchArg),
    /// Closes a batch whose tasks have ended, and gives the result to the parent's log
    ///
    /// Open tasks are an error. From then on the result is the state of the batch, whatever is merged later. Joining again prints the same.
    Join {
        #[command(flatten)]
        end: EndArgs,
        #[command(flatten)]
        wake: WakeArgs,
    },
    /// Lists the batches
    List,
}

/// The batch of a command.
#[derive(Debug, Options)]
pub(crate) struct BatchArg {
    /// The id, or its first 4 or more hex digits
    #[arg(value_name = "ID", add = ArgValueCandidates::new(completion::batches))]
    pub(crate) id: String,
}

/// The options of commands that end a batch or its tasks.
#[derive(Debug, Options)]
pub(crate) struct EndArgs {
    #[command(flatten)]
    pub(crate) batch: BatchArg,
    #[command(flatten)]
    pub(crate) publish: PublishArgs,
}

/// The task of a command.
#[derive(Debug, Options)]
pub(crate) struct TaskArg {
    #[command(flatten)]
    pub(crate) batch: BatchArg,
    /// The task, from 0
    #[arg(value_name = "TASK")]
    pub(crate) index: u32,
}

/// Options of `batch report`.
#[derive(Debug, Options)]
pub(crate) struct BatchReportArgs {
    #[command(flatten)]
    pub(crate) task: TaskArg,

    /// The epoch that the claim gave
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i64::from(crate::handoff::ledger::LAST_EPOCH)))]
    pub(crate) epoch: u32,

    /// `success`, `failed`, `canceled`, `timeout` or `partial`; any other word counts as `failed`
    #[arg(long, value_name = "WORD", allow_hyphen_values = true)]
    pub(crate) status: String,

    #[command(flatten)]
    pub(crate) outcome: OutcomeArgs,

    #[command(flatten)]
    pub(crate) publish: PublishArgs,
}
