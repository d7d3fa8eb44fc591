//! Options of the commands that read packs, and of `redact` and `notes`.

use super::agent::AgentChoice;
#[cfg(feature = "page")]
use super::build::interval;
use super::build::{BudgetArgs, SummaryArgs, limit};
use crate::cli::completion;
use crate::cli::packs::PackTarget;
#[cfg(feature = "page")]
use clap::ArgGroup;
use clap::{Args as Options, Subcommand, ValueEnum};
use clap_complete::engine::ArgValueCandidates;
use std::path::PathBuf;

/// Options of `verify`.
#[derive(Debug, Options)]
pub(crate) struct VerifyArgs {
    /// Packs, folders of packs, the folder of cards or a part of it, or `-` for standard input
    #[arg(value_name = "PACK|DIR|-", required = true)]
    pub(crate) packs: Vec<PathBuf>,

    /// Fails unless the one pack has this hash, such as `sha256:…`
    #[arg(long, value_name = "HASH")]
    pub(crate) expect: Option<String>,

    /// Also builds each pack from the current repo, and fails unless all bytes are equal
    ///
    /// Each is built under its own profile, with the limits of the configuration. The time and the generator are not compared.
    #[arg(long)]
    pub(crate) against_repo: bool,
}

/// Options of `render`.
#[derive(Debug, Options)]
pub(crate) struct RenderArgs {
    /// A pack, a root to build in memory, or `-` for a pack on standard input; with `--agent` it can be omitted
    #[arg(value_name = "PACK|ROOT|-", required_unless_present = "agent", add = ArgValueCandidates::new(completion::packs_and_roots))]
    pub(crate) target: Option<String>,

    /// Prints only one of the two parts of the rendering
    #[arg(long, value_enum, value_name = "PART")]
    pub(crate) part: Option<RenderPart>,

    #[command(flatten)]
    pub(crate) budget: BudgetArgs,

    #[command(flatten)]
    pub(crate) agent: AgentChoice,

    /// Keeps the pack below `.contextpack/delivered`, or `context.record`, and adds a line about it to `delivered.jsonl`
    ///
    /// `contextpack since` finds it there by its hash.
    #[arg(long)]
    pub(crate) record: bool,
}

impl RenderArgs {
    /// Returns the pack that is rendered.
    pub(crate) fn pack_target(&self) -> PackTarget<'_> {
        PackTarget::new(self.target.as_deref(), &self.budget, &self.agent)
    }
}

/// A part of a rendering.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum RenderPart {
    /// The instructions for the agent: the system prompt
    Instructions,
    /// The material that it works on: the first message
    Context,
}

/// Options of `explain`.
#[derive(Debug, Options)]
pub(crate) struct ExplainArgs {
    /// A pack, a root to build in memory, or `-` for a pack on standard input; with `--agent` it can be omitted
    #[arg(value_name = "PACK|ROOT|-", required_unless_present = "agent", add = ArgValueCandidates::new(completion::packs_and_roots))]
    pub(crate) target: Option<String>,

    /// Explains why the item or file is not in the pack, or where it is
    ///
    /// An id, an issue, or a path from the repo's root. With a root the answer also covers the items and files of the repo: the distance to an item, whether anything refers to a file, and the smallest limit at which it fits the budget.
    #[arg(long, value_name = "PATH|ID", conflicts_with = "at", add = ArgValueCandidates::new(completion::roots))]
    pub(crate) why_not: Option<String>,

    /// Shows which sections each of these limits adds, such as `4k,8k,16k`, and the limit that adds the next one
    ///
    /// In tokens if the profile limits tokens, else in characters; `--max-tokens N` or `--max-chars N` says which, and N is one of the limits. Needs a root.
    #[arg(long, value_name = "N,N,…", value_delimiter = ',', value_parser = limit, conflicts_with_all = ["max_bytes", "strategy"])]
    pub(crate) at: Vec<u64>,

    #[command(flatten)]
    pub(crate) budget: BudgetArgs,

    #[command(flatten)]
    pub(crate) agent: AgentChoice,
}

impl ExplainArgs {
    /// Returns the pack that is explained.
    pub(crate) fn pack_target(&self) -> PackTarget<'_> {
        PackTarget::new(self.target.as_deref(), &self.budget, &self.agent)
    }
}

/// Options of `diff`.
#[derive(Debug, Options)]
pub(crate) struct DiffArgs {
    /// The old pack, folder, `REV:path` or revision; without NEW a revision to compare with the checkout, `REV..REV`, or `REV...REV` from their merge base
    ///
    /// A revision stands for its packs in the configuration's `output.dir`, and `-` for a pack on standard input. Without any argument the checkout is compared with `HEAD`.
    #[arg(value_name = "OLD|REV|REV...REV", add = ArgValueCandidates::new(completion::packs))]
    pub(crate) old: Option<String>,

    /// The new pack, folder, `REV:path` or revision
    #[arg(value_name = "NEW", add = ArgValueCandidates::new(completion::packs))]
    pub(crate) new: Option<String>,

    /// Also builds all packs from the checkout in memory, and reports whether the new packs equal them
    #[arg(long)]
    pub(crate) rebuild: bool,

    /// Exits with 4 if packs differ
    #[arg(long)]
    pub(crate) exit_code: bool,
}

/// Options of `since`.
#[derive(Debug, Options)]
pub(crate) struct SinceArgs {
    /// Packs that were read: the hash (`sha256:…`, or at least eight of its hex digits), a file, or `-` for standard input
    ///
    /// A hash is looked for in the folder of packs, among delivered packs, in every version of these that git has, and among the packs that builds give now, under all profiles and for all agents.
    #[arg(value_name = "HASH|PACK|-", required_unless_present = "commits", add = ArgValueCandidates::new(completion::packs))]
    pub(crate) packs: Vec<String>,

    /// Also the packs that the commits of a range name in `Context-Pack` trailers, such as `main..HEAD`
    #[arg(long, value_name = "REV..REV", allow_hyphen_values = false)]
    pub(crate) commits: Option<String>,

    #[command(flatten)]
    pub(crate) summary: SummaryArgs,
}

/// Options of `trailer`.
#[derive(Debug, Options)]
pub(crate) struct TrailerArgs {
    /// A pack, a root to build in memory, or `-` for a pack on standard input; with `--agent` it can be omitted
    #[arg(value_name = "PACK|ROOT|-", required_unless_present = "agent", add = ArgValueCandidates::new(completion::packs_and_roots))]
    pub(crate) target: Option<String>,

    #[command(flatten)]
    pub(crate) budget: BudgetArgs,

    #[command(flatten)]
    pub(crate) agent: AgentChoice,
}

impl TrailerArgs {
    /// Returns the pack whose trailer is printed.
    pub(crate) fn pack_target(&self) -> PackTarget<'_> {
        PackTarget::new(self.target.as_deref(), &self.budget, &self.agent)
    }
}

/// Options of `open`.
#[derive(Debug, Options)]
pub(crate) struct OpenArgs {
    /// A pack, a root to build in memory, or `-` for a pack on standard input; with `--agent` it can be omitted
    #[arg(value_name = "PACK|ROOT|-", required_unless_present = "agent", add = ArgValueCandidates::new(completion::packs_and_roots))]
    pub(crate) target: Option<String>,

    /// Only prints the path of the page
    #[arg(long)]
    pub(crate) print: bool,

    #[command(flatten)]
    pub(crate) budget: BudgetArgs,

    #[command(flatten)]
    pub(crate) agent: AgentChoice,
}

impl OpenArgs {
    /// Returns the pack that is shown.
    pub(crate) fn pack_target(&self) -> PackTarget<'_> {
        PackTarget::new(self.target.as_deref(), &self.budget, &self.agent)
    }
}

/// Options of `report`.
#[derive(Debug, Options)]
pub(crate) struct ReportArgs {
    /// Packs and folders of packs; the configuration's `output.dir` if omitted
    #[arg(value_name = "PACK|DIR")]
    pub(crate) packs: Vec<PathBuf>,

    /// Writes the page to FILE instead of standard output
    #[arg(short, long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
}

/// Options of `serve`.
#[cfg(feature = "page")]
#[derive(Debug, Options)]
#[command(group = ArgGroup::new("followed").args(["watch", "agent"]).multiple(true))]
pub(crate) struct ServeArgs {
    /// Packs and folders of packs; the configuration's `output.dir` if omitted. With `--watch` or `--agent`, roots
    ///
    /// Packs for an agent are built in memory and shown as it gets them; without a root those of all roots, and the start of its sessions.
    #[arg(value_name = "PACK|DIR|ROOT")]
    pub(crate) packs: Vec<PathBuf>,

    /// Listens on this port; any free port if omitted
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    pub(crate) port: u16,

    /// Also builds the packs of the roots, and again after each save, as `watch` does
    ///
    /// Without a root those of all roots. The page shows all packs of the configuration's `output.dir`. With `--agent` it is not needed.
    #[arg(long)]
    pub(crate) watch: bool,

    #[command(flatten)]
    pub(crate) agent: AgentChoice,

    /// With `--watch` or `--agent`: polls every INTERVAL (default `2s`) instead of waiting for change notices, which some network and container file systems lack
    #[arg(long, value_name = "INTERVAL", num_args = 0..=1, require_equals = true, default_missing_value = "2s", value_parser = interval, requires = "followed")]
    pub(crate) poll: Option<std::time::Duration>,
}

/// Options of `git`.
#[derive(Debug, Options)]
pub(crate) struct GitArgs {
    #[command(subcommand)]
    pub(crate) command: GitCommand,
}

/// The commands that git runs.
#[derive(Debug, Subcommand)]
pub(crate) enum GitCommand {
    /// Prints a pack as readable text
    Textconv {
        /// The file
        file: PathBuf,
    },
    /// Builds a pack that both sides of a merge changed
    Merge {
        /// This side's file, which receives the result: `%A`
        ours: PathBuf,
        /// The other side's file: `%B`
        theirs: PathBuf,
        /// Its path in the repository: `%P`
        path: String,
    },
}

/// Options of `redact`.
#[derive(Debug, Options)]
pub(crate) struct RedactArgs {
    /// Files to read; standard input if omitted
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,

    /// Lists each redaction and its reason, never the secret, instead of the text
    #[arg(long)]
    pub(crate) report: bool,

    /// Writes each file by its own name to DIR instead of standard output
    #[arg(long, value_name = "DIR", requires = "files")]
    pub(crate) out: Option<PathBuf>,

    /// Lists all rules: the built-in ones and those of the configuration
    #[arg(long, conflicts_with_all = ["files", "report", "out"])]
    pub(crate) rules: bool,

    /// Says why each value in TEXT is removed or stays: its rule, the class of its name and the reason
    #[arg(long, value_name = "TEXT", conflicts_with_all = ["files", "report", "out", "rules"])]
    pub(crate) why: Option<String>,
}

/// Options of `notes`.
#[derive(Debug, Options)]
pub(crate) struct NotesArgs {
    /// Documents of the repo: Markdown files; all of `documents` in the configuration that hold no secrets if omitted
    #[arg(value_name = "DOC")]
    pub(crate) documents: Vec<PathBuf>,

    /// Writes made notes to `<file name>.notes.yml` beside each document, unless there are notes for this text already
    ///
    /// Notes in a sidecar file for an older text of the document are replaced, and any by those of `--from`. Notes in front matter are left alone.
    #[arg(long)]
    pub(crate) write: bool,

    /// Takes the notes on one document from a file, or from standard input as `-`, instead of making them
    ///
    /// They have the keys of a sidecar file, in YAML or JSON. They are redacted, and refused whole if a key or a limit is wrong or a rule does not stand in the document word for word.
    #[arg(long, value_name = "FILE", requires = "documents")]
    pub(crate) from: Option<PathBuf>,
}

/// Parses a duration: `90s`, `10m`, `2h`, or a number of seconds.
pub(super) fn timeout(text: &str) -> Result<std::time::Duration, String> {
    match text.parse() {
        Ok(seconds) => Ok(std::time::Duration::from_secs(seconds)),
        Err(_) => humantime::parse_duration(text)
            .map_err(|_| "write it as `90s`, `10m` or `2h`, or as a number of seconds".to_owned()),
    }
}

/// Parses a duration of at least a second.
pub(super) fn seconds(text: &str) -> Result<std::time::Duration, String> {
    let time = timeout(text)?;
    if time.as_secs() > 0 { Ok(time) } else { Err("the shortest time is `1s`".to_owned()) }
}
