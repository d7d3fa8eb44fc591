//! Options of `card` and `box`.

use super::review::seconds;
use crate::cli::completion;
use crate::handoff::cards::{MessageStyle, Role};
use clap::{Args as Options, Subcommand};
use clap_complete::engine::ArgValueCandidates;
use std::path::PathBuf;
use std::time::Duration;

/// Options of `card`.
#[derive(Debug, Options)]
pub(crate) struct CardArgs {
    #[command(subcommand)]
    pub(crate) command: CardCommand,
}

/// The commands about cards.
#[derive(Debug, Subcommand)]
pub(crate) enum CardCommand {
    /// Writes a card, or one for each message of a conversation, and prints its id
    ///
    /// Reads the JSON of a card (`contextpack schema card`), in which `schema_version`, `author_id`, `metadata`, and the `role` of a standard type may be left out; or builds one of `--type` and `--text`; or reads messages. Secrets are removed first. The id is a hash of the rest, so equal cards are one file. If anything is wrong, nothing is written.
    Add(CardAddArgs),
    /// Prints cards by their ids, and which of them are missing
    ///
    /// Prints them in the order of the command line, each once, at most 100. Deleted and expired cards count as missing.
    Show {
        /// Ids, or their first 8 or more hex digits
        #[arg(value_name = "ID", required = true)]
        ids: Vec<String>,
    },
    /// Marks a card as deleted: it is not read any more
    ///
    /// Writes a tombstone beside the card. The card stays deleted if it is added again. This is no purge: its text is still in the file and in git's history. To purge a secret, revoke it first, then delete the card, remove its file with `git filter-repo --invert-paths --path context/cards/<2 digits>/<64 digits>.json`, and force-push; the tombstone keeps boxes that name the card valid.
    Delete {
        /// The id, or its first 8 or more hex digits
        #[arg(value_name = "ID")]
        id: String,
    },
}

/// Options of `card add`.
#[derive(Debug, Options)]
pub(crate) struct CardAddArgs {
    /// The JSON of a card; `-` is standard input
    #[arg(value_name = "FILE|-", conflicts_with_all = ["kind", "role", "text", "from_messages"])]
    pub(crate) file: Option<PathBuf>,

    /// The type: `task.instruction`, `agent.thought`, `task.deliverable`, or another with a dot
    #[arg(long = "type", value_name = "TYPE", requires = "text")]
    pub(crate) kind: Option<String>,

    /// Who says it, as a model sees it; the default is that of the type
    #[arg(long, value_enum, value_name = "ROLE", requires = "text")]
    pub(crate) role: Option<Role>,

    /// Who wrote it, for audit only; the default is the role
    #[arg(long, value_name = "AUTHOR", allow_hyphen_values = true)]
    pub(crate) author: Option<String>,

    /// The text; `-` reads it from standard input
    #[arg(long, value_name = "TEXT", requires = "kind", allow_hyphen_values = true, conflicts_with = "from_messages")]
    pub(crate) text: Option<String>,

    /// A field of the metadata, as a text; can be given several times
    #[arg(long = "meta", value_name = "KEY=VALUE", allow_hyphen_values = true)]
    pub(crate) metadata: Vec<String>,

    /// After how long the card expires, from `SOURCE_DATE_EPOCH` or now: `90s`, `10m`, `2h`, or a number of seconds
    #[arg(long, value_name = "TIME", value_parser = seconds)]
    pub(crate) ttl: Option<Duration>,

    /// Messages as OpenAI's or Anthropic's API has them, one card each: a JSON list, or an object with `messages`; `-` is standard input
    ///
    /// Tool calls, tool results, parts of contents and system prompts are kept. `metadata.n` is the position of the message, `metadata.extra` has its other fields.
    #[arg(long, value_name = "FILE|-")]
    pub(crate) from_messages: Option<PathBuf>,
}

/// Options of `box`.
#[derive(Debug, Options)]
pub(crate) struct BoxArgs {
    #[command(subcommand)]
    pub(crate) command: BoxCommand,
}

/// The commands about boxes.
#[derive(Debug, Subcommand)]
pub(crate) enum BoxCommand {
    /// Writes a box of these cards, and prints its id
    New {
        /// The ids of cards, in order; repeated ones are dropped
        #[arg(value_name = "ID")]
        ids: Vec<String>,
        /// A box that it continues; can be given several times. Of a log, a snapshot is written and named
        #[arg(long = "parent", value_name = "BOX", add = ArgValueCandidates::new(completion::boxes))]
        parents: Vec<String>,
    },
    /// Writes what a log holds now as a box that never changes, and prints its id
    Snapshot {
        /// A log, `log@clock`, or the id of a box, which is its own snapshot
        #[arg(value_name = "BOX", add = ArgValueCandidates::new(completion::boxes))]
        name: String,
    },
    /// Makes a box of what an agent reads of a pack: its instructions, and its context as the first message
    FromPack {
        /// A finished pack; `-` is standard input
        #[arg(value_name = "PACK|-")]
        pack: PathBuf,
    },
    /// Appends cards to a log, which the first append creates
    ///
    /// Each append is a file of its own, so that appends of several processes and branches do not conflict.
    Append {
        /// The log: a-z, 0-9, `.`, `_` and `-`
        #[arg(value_name = "LOG", add = ArgValueCandidates::new(completion::logs))]
        log: String,
        /// The ids of cards, in order
        #[arg(value_name = "ID", required = true)]
        ids: Vec<String>,
        /// Who appends them, for audit only; the default is the log's name
        #[arg(long, value_name = "AUTHOR", allow_hyphen_values = true)]
        author: Option<String>,
    },
    /// Prints the cards of boxes
    ///
    /// With `--format json` it prints `card_ids` and `parent_ids`; of several boxes `boxes` and `missing_box_ids`, each box once, at most 100. With `--format messages` it prints what the API of a model takes; deleted and expired cards are left out, and reported on stderr.
    Show {
        /// An id or its first 8 or more hex digits, a log, or `log@clock`
        #[arg(value_name = "BOX", required = true, add = ArgValueCandidates::new(completion::boxes))]
        names: Vec<String>,
        /// The API that `--format messages` is for
        #[arg(long, value_enum, default_value_t = MessageStyle::Openai, value_name = "STYLE")]
        style: MessageStyle,
    },
    /// Lists boxes and logs
    List,
    /// Shows which cards two boxes do not share
    Diff {
        /// The earlier box
        #[arg(value_name = "A", add = ArgValueCandidates::new(completion::boxes))]
        old: String,
        /// The later box
        #[arg(value_name = "B", add = ArgValueCandidates::new(completion::boxes))]
        new: String,
    },
}
