//! Options of `dispatch` and `inbox`.

use super::ledger::{OutcomeArgs, PublishArgs, WakeArgs};
use super::review::timeout;
use crate::cli::completion;
use clap::{Args as Options, Subcommand};
use clap_complete::engine::ArgValueCandidates;
use std::time::Duration;

/// Options of `dispatch`.
#[derive(Debug, Options)]
pub(crate) struct DispatchArgs {
    /// The agent: its key, the stem of its file, or its name
    #[arg(value_name = "AGENT", add = ArgValueCandidates::new(completion::agents))]
    pub(crate) agent: String,

    /// The box that the agent reads, such as the context box of a handover; of a log, what it holds now
    #[arg(long = "box", value_name = "BOX", add = ArgValueCandidates::new(completion::boxes))]
    pub(crate) context: String,

    /// The work item that the turn is about
    #[arg(long, value_name = "ROOT", add = ArgValueCandidates::new(completion::roots))]
    pub(crate) root: Option<String>,

    /// The log that the agent appends to; the default is the one that the pack of the box names, else the agent's own
    #[arg(long, value_name = "LOG", add = ArgValueCandidates::new(completion::logs))]
    pub(crate) output: Option<String>,

    /// The agent that dispatches the turn
    #[arg(long, value_name = "AGENT", add = ArgValueCandidates::new(completion::agents))]
    pub(crate) from: Option<String>,

    /// What joins request and response; the default is the id of the turn
    #[arg(long, value_name = "ID", allow_hyphen_values = true)]
    pub(crate) correlation_id: Option<String>,

    /// The trace that the turn belongs to: 32 hex digits, as in W3C Trace Context
    #[arg(long, value_name = "ID")]
    pub(crate) trace_id: Option<String>,

    /// Any word: with another key the same request is another turn
    #[arg(long, value_name = "KEY", allow_hyphen_values = true)]
    pub(crate) key: Option<String>,

    #[command(flatten)]
    pub(crate) publish: PublishArgs,

    #[command(flatten)]
    pub(crate) wake: WakeArgs,
}

/// Options of `inbox`.
#[derive(Debug, Options)]
pub(crate) struct InboxArgs {
    #[command(subcommand)]
    pub(crate) command: InboxCommand,
}

/// The commands about inboxes.
#[derive(Debug, Subcommand)]
pub(crate) enum InboxCommand {
    /// Prints the turns of an agent, oldest first, and how each ended
    List(InboxArg),
    /// Claims a turn: of several that claim it, one is accepted
    ///
    /// Prints `accepted` with the epoch that an `ack` after a reclaim needs, or `busy`, with exit code 1.
    Claim {
        #[command(flatten)]
        inbox: InboxArg,
        /// The turn: its id, or its first 4 or more hex digits; the oldest that can be claimed if omitted
        #[arg(value_name = "TURN")]
        turn: Option<String>,
        /// Who claims it, for audit only
        #[arg(long = "by", value_name = "NAME", allow_hyphen_values = true)]
        author: Option<String>,
        #[command(flatten)]
        publish: PublishArgs,
    },
    /// Acknowledges a turn: writes the response that says how it ended
    ///
    /// The first response of an epoch counts. One for an older epoch, or a second one, is kept as `late` and never counts.
    Ack(TurnAckArgs),
    /// Gives up turns that are claimed and not acknowledged, so that they can be claimed again
    ///
    /// The epoch of these turns is raised, so that a response of the attempt that was given up comes too late.
    Reclaim {
        #[command(flatten)]
        inbox: InboxArg,
        /// The turn; all if omitted
        #[arg(value_name = "TURN")]
        turn: Option<String>,
        /// Only turns that were claimed at least so long ago: `10m`, `2h`, or a number of seconds
        #[arg(long, value_name = "TIME", value_parser = timeout)]
        after: Option<Duration>,
        #[command(flatten)]
        publish: PublishArgs,
        #[command(flatten)]
        wake: WakeArgs,
    },
    /// Closes an inbox: what is dispatched is rejected, and the turns that are there can still be done
    Close {
        #[command(flatten)]
        inbox: InboxArg,
        #[command(flatten)]
        publish: PublishArgs,
    },
    /// Opens an inbox that was closed
    Open {
        #[command(flatten)]
        inbox: InboxArg,
        #[command(flatten)]
        publish: PublishArgs,
    },
}

/// The inbox of a command.
#[derive(Debug, Options)]
pub(crate) struct InboxArg {
    /// The agent: its key, the stem of its file, or its name
    #[arg(value_name = "AGENT", add = ArgValueCandidates::new(completion::agents))]
    pub(crate) agent: String,
}

/// Options of `inbox ack`.
#[derive(Debug, Options)]
pub(crate) struct TurnAckArgs {
    #[command(flatten)]
    pub(crate) inbox: InboxArg,

    /// The turn: its id, or its first 4 or more hex digits
    #[arg(value_name = "TURN")]
    pub(crate) turn: String,

    /// The epoch that the claim gave; it may be left out as long as the turn was never given up
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i64::from(crate::handoff::ledger::LAST_EPOCH)))]
    pub(crate) epoch: Option<u32>,

    /// `success`, `failed`, `canceled`, `timeout` or `partial`; any other word counts as `failed`
    #[arg(long, value_name = "WORD", default_value = "success", allow_hyphen_values = true)]
    pub(crate) status: String,

    #[command(flatten)]
    pub(crate) outcome: OutcomeArgs,

    #[command(flatten)]
    pub(crate) publish: PublishArgs,

    #[command(flatten)]
    pub(crate) wake: WakeArgs,
}
