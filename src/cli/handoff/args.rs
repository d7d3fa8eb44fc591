//! Options of the commands about cards, boxes, handovers, batches and inboxes.

use crate::cli::args::{BudgetArgs, interval};
use crate::cli::completion::{self, configured};
use crate::handoff::cards::{CardStore, MessageStyle, Role};
use crate::handoff::ledger::{BATCHES, LAST_EPOCH, LedgerFolder, ShortId};
use clap::{ArgGroup, Args as Options, Subcommand, ValueEnum};
use clap_complete::engine::{ArgValueCandidates, CompletionCandidate};
use std::path::PathBuf;
use std::time::Duration;

#[derive(Debug, Subcommand)]
pub(crate) enum HandoffCommand {
    #[command(subcommand)]
    Card(CardCommand),
    #[command(subcommand)]
    Box(BoxCommand),
    Handover(HandoverArgs),
    #[command(subcommand)]
    Batch(BatchCommand),
    #[command(subcommand)]
    Inbox(InboxCommand),
}

impl HandoffCommand {
    /// Returns whether it prints cards, which are the messages of a chat.
    pub(crate) fn shows_boxes(&self) -> bool {
        matches!(self, Self::Box(BoxCommand::Show { .. }))
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum CardCommand {
    Add(CardAddArgs),
    Show {
        #[arg(value_name = "ID", required = true)]
        ids: Vec<String>,
    },
    Delete {
        id: String,
    },
    Fix,
}

#[derive(Debug, Options)]
#[command(group = ArgGroup::new("card").args(["file", "text", "from_messages"]).required(true))]
pub(crate) struct CardAddArgs {
    #[arg(value_name = "FILE|-", conflicts_with_all = ["kind", "role"])]
    pub(crate) file: Option<PathBuf>,
    #[arg(long = "type", value_name = "TYPE", requires = "text")]
    pub(crate) kind: Option<String>,
    #[arg(long, value_enum, value_name = "ROLE", requires = "text")]
    pub(crate) role: Option<Role>,
    #[arg(long, value_name = "AUTHOR", allow_hyphen_values = true)]
    pub(crate) author: Option<String>,
    #[arg(long, value_name = "TEXT", requires = "kind", allow_hyphen_values = true)]
    pub(crate) text: Option<String>,
    #[arg(long = "meta", value_name = "KEY=VALUE", allow_hyphen_values = true)]
    pub(crate) metadata: Vec<String>,
    #[arg(long, value_name = "TIME", value_parser = seconds)]
    pub(crate) ttl: Option<Duration>,
    #[arg(long, value_name = "FILE|-")]
    pub(crate) from_messages: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum BoxCommand {
    New {
        #[arg(value_name = "ID")]
        ids: Vec<String>,
        #[arg(long = "parent", value_name = "BOX", add = ArgValueCandidates::new(boxes))]
        parents: Vec<String>,
    },
    Snapshot {
        #[arg(value_name = "BOX", add = ArgValueCandidates::new(boxes))]
        name: String,
    },
    FromPack {
        #[arg(value_name = "PACK|-")]
        pack: PathBuf,
    },
    Append {
        #[arg(value_name = "LOG", add = ArgValueCandidates::new(logs))]
        log: String,
        #[arg(value_name = "ID", required = true)]
        ids: Vec<String>,
        #[arg(long, value_name = "AUTHOR", allow_hyphen_values = true)]
        author: Option<String>,
    },
    Show {
        #[arg(value_name = "BOX", required = true, add = ArgValueCandidates::new(boxes))]
        names: Vec<String>,
        #[arg(long, value_enum, default_value_t = MessageStyle::Openai, value_name = "STYLE")]
        style: MessageStyle,
    },
    List,
    Diff {
        #[arg(value_name = "A", add = ArgValueCandidates::new(boxes))]
        old: String,
        #[arg(value_name = "B", add = ArgValueCandidates::new(boxes))]
        new: String,
    },
}

#[derive(Debug, Options)]
pub(crate) struct HandoverArgs {
    #[arg(value_name = "RECIPE", add = ArgValueCandidates::new(recipes))]
    pub(crate) recipe: String,
    #[arg(long, value_name = "AGENT", add = ArgValueCandidates::new(completion::agents))]
    pub(crate) to: Option<String>,
    #[arg(long, value_name = "AGENT", add = ArgValueCandidates::new(completion::agents))]
    pub(crate) from: Option<String>,
    #[arg(long, value_name = "ITEM", add = ArgValueCandidates::new(completion::roots))]
    pub(crate) root: Option<String>,
    #[arg(long = "arg", value_name = "KEY=TEXT|KEY=@FILE.json", allow_hyphen_values = true)]
    pub(crate) arguments: Vec<String>,
    #[arg(long = "box", value_name = "BOX", add = ArgValueCandidates::new(boxes))]
    pub(crate) boxes: Vec<String>,
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) budget: BudgetArgs,
}

#[derive(Debug, Subcommand)]
pub(crate) enum BatchCommand {
    Fork {
        #[arg(value_name = "FILE|-")]
        file: PathBuf,
        #[arg(long = "box", value_name = "BOX", add = ArgValueCandidates::new(boxes))]
        boxes: Vec<String>,
        #[command(flatten)]
        wake: WakeArgs,
    },
    Claim {
        #[command(flatten)]
        task: TaskArg,
        #[arg(long = "by", value_name = "NAME", allow_hyphen_values = true)]
        author: Option<String>,
        #[command(flatten)]
        publish: PublishArgs,
    },
    Report {
        #[command(flatten)]
        task: TaskArg,
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i64::from(LAST_EPOCH)))]
        epoch: u32,
        #[arg(long, value_name = "WORD", allow_hyphen_values = true)]
        status: String,
        #[command(flatten)]
        outcome: OutcomeArgs,
        #[command(flatten)]
        publish: PublishArgs,
    },
    Reclaim {
        #[command(flatten)]
        batch: BatchArg,
        task: Option<u32>,
        #[command(flatten)]
        reclaim: ReclaimArgs,
    },
    Expire(EndArgs),
    Cancel(EndArgs),
    Status {
        #[command(flatten)]
        batch: BatchArg,
        #[arg(long, value_name = "INTERVAL", num_args = 0..=1, require_equals = true, default_missing_value = "2s", value_parser = interval)]
        watch: Option<Duration>,
    },
    Matrix(BatchArg),
    Join {
        #[command(flatten)]
        batch: BatchArg,
        #[command(flatten)]
        wake: WakeArgs,
    },
    List,
}

#[derive(Debug, Options)]
pub(crate) struct BatchArg {
    #[arg(value_name = "ID", add = ArgValueCandidates::new(batches))]
    pub(crate) id: String,
}

#[derive(Debug, Options)]
pub(crate) struct EndArgs {
    #[command(flatten)]
    pub(crate) batch: BatchArg,
    #[command(flatten)]
    pub(crate) publish: PublishArgs,
}

#[derive(Debug, Options)]
pub(crate) struct TaskArg {
    #[command(flatten)]
    pub(crate) batch: BatchArg,
    #[arg(value_name = "TASK")]
    pub(crate) index: u32,
}

#[derive(Debug, Options)]
pub(crate) struct TurnPutArgs {
    #[arg(value_name = "AGENT", add = ArgValueCandidates::new(completion::agents))]
    pub(crate) agent: String,
    #[arg(long = "box", value_name = "BOX", add = ArgValueCandidates::new(boxes))]
    pub(crate) context: String,
    #[arg(long, value_name = "ITEM", add = ArgValueCandidates::new(completion::roots))]
    pub(crate) root: Option<String>,
    #[arg(long, value_name = "LOG", add = ArgValueCandidates::new(logs))]
    pub(crate) output: Option<String>,
    #[arg(long, value_name = "AGENT", add = ArgValueCandidates::new(completion::agents))]
    pub(crate) from: Option<String>,
    #[arg(long, value_name = "ID", allow_hyphen_values = true)]
    pub(crate) correlation_id: Option<String>,
    #[arg(long, value_name = "ID")]
    pub(crate) trace_id: Option<String>,
    #[arg(long, value_name = "KEY", allow_hyphen_values = true)]
    pub(crate) key: Option<String>,
    #[command(flatten)]
    pub(crate) wake: WakeArgs,
}

#[derive(Debug, Subcommand)]
pub(crate) enum InboxCommand {
    Put(TurnPutArgs),
    List {
        #[arg(value_name = "AGENT", add = ArgValueCandidates::new(completion::agents))]
        agent: String,
        #[arg(long, value_name = "INTERVAL", num_args = 0..=1, require_equals = true, default_missing_value = "2s", value_parser = interval)]
        watch: Option<Duration>,
    },
    Claim {
        #[command(flatten)]
        turn: TurnArg,
        #[arg(long = "by", value_name = "NAME", allow_hyphen_values = true)]
        author: Option<String>,
        #[command(flatten)]
        publish: PublishArgs,
    },
    Ack {
        #[arg(value_name = "AGENT", add = ArgValueCandidates::new(completion::agents))]
        agent: String,
        turn: String,
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i64::from(LAST_EPOCH)))]
        epoch: Option<u32>,
        #[arg(long, value_name = "WORD", default_value = "success", allow_hyphen_values = true)]
        status: String,
        #[command(flatten)]
        outcome: OutcomeArgs,
        #[command(flatten)]
        wake: WakeArgs,
    },
    Reclaim {
        #[command(flatten)]
        turn: TurnArg,
        #[command(flatten)]
        reclaim: ReclaimArgs,
    },
    Close(InboxEndArgs),
    Open(InboxEndArgs),
}

#[derive(Debug, Options)]
pub(crate) struct InboxEndArgs {
    #[arg(value_name = "AGENT", add = ArgValueCandidates::new(completion::agents))]
    pub(crate) agent: String,
    #[command(flatten)]
    pub(crate) publish: PublishArgs,
}

#[derive(Debug, Options)]
pub(crate) struct TurnArg {
    #[arg(value_name = "AGENT", add = ArgValueCandidates::new(completion::agents))]
    pub(crate) agent: String,
    pub(crate) turn: Option<String>,
}

#[derive(Debug, Options)]
pub(crate) struct ReclaimArgs {
    #[arg(long, value_name = "TIME", value_parser = timeout)]
    pub(crate) after: Option<Duration>,
    #[command(flatten)]
    pub(crate) wake: WakeArgs,
}

#[derive(Debug, Clone, Copy, Default, Options)]
#[command(next_help_heading = "Git options")]
pub(crate) struct PublishArgs {
    #[arg(long)]
    pub(crate) commit: bool,
    #[arg(long)]
    pub(crate) push: bool,
}

#[derive(Debug, Default, Options)]
pub(crate) struct OutcomeArgs {
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) summary: Option<String>,
    #[arg(long = "box", value_name = "BOX", add = ArgValueCandidates::new(boxes))]
    pub(crate) output: Option<String>,
    #[arg(long, value_name = "CODE", requires = "error_message", allow_hyphen_values = true)]
    pub(crate) error_code: Option<String>,
    #[arg(long, value_name = "TEXT", requires = "error_code", allow_hyphen_values = true)]
    pub(crate) error_message: Option<String>,
    #[arg(long = "by", value_name = "NAME", allow_hyphen_values = true)]
    pub(crate) author: Option<String>,
    /// A text that becomes a card in the log of the attempt: for agents without a shell, who cannot append one.
    #[arg(skip)]
    pub(crate) deliverable: Option<String>,
}

#[derive(Debug, Options)]
#[command(next_help_heading = "Doorbell")]
pub(crate) struct WakeArgs {
    #[command(flatten)]
    pub(crate) publish: PublishArgs,
    #[arg(long, value_enum, value_name = "HOW", default_value_t = WakeMode::None)]
    pub(crate) wake: WakeMode,
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = timeout)]
    pub(crate) wake_timeout: Duration,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum WakeMode {
    /// They look by themselves
    None,
    /// Sends `repository_dispatch` to the repo on GitHub, once the push is there; needs `--push`
    Github,
}

fn timeout(text: &str) -> Result<Duration, String> {
    let written = || humantime::parse_duration(text);
    let seconds = text.parse().map(Duration::from_secs).or_else(|_| written());
    seconds.map_err(|_| "write it as `90s`, `10m` or `2h`, or as a number of seconds".to_owned())
}

fn seconds(text: &str) -> Result<Duration, String> {
    let time = timeout(text)?;
    if time.as_secs() > 0 { Ok(time) } else { Err("the shortest time is `1s`".to_owned()) }
}

const MOST_READ: usize = 50;

fn batches() -> Vec<CompletionCandidate> {
    configured(|root, settings| {
        let store = LedgerFolder::new(&BATCHES, &root, &settings.handover.dir);
        let ids = store.batches().unwrap_or_default();
        let are_few = ids.len() <= MOST_READ;
        let state = |id: &ShortId| {
            let ledger = store.read(&id.to_string()).ok()?;
            Some(ledger.status(&ledger.states()).name().to_owned())
        };
        ids.iter().map(|id| (id.to_string(), if are_few { state(id) } else { None })).collect()
    })
}

fn logs() -> Vec<CompletionCandidate> {
    configured(|root, settings| {
        let names = CardStore::new(&root, settings.handover.dir).log_names().unwrap_or_default();
        names.into_iter().map(|name| (name, Some("log".to_owned()))).collect()
    })
}

/// Returns the logs and the boxes of the repo in the current folder.
fn boxes() -> Vec<CompletionCandidate> {
    let boxes = configured(|root, settings| {
        let ids = CardStore::new(&root, settings.handover.dir).boxes().unwrap_or_default();
        ids.iter().map(|id| (id.short().to_owned(), Some("box".to_owned()))).collect()
    });
    logs().into_iter().chain(boxes).collect()
}

fn recipes() -> Vec<CompletionCandidate> {
    configured(|_, settings| settings.handover.recipes.into_keys().map(|name| (name, None)).collect())
}
