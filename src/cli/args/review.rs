//! The options of the commands that read packs: to verify, attest, render, explain, compare, show and merge them.

use super::build::BudgetArgs;
use clap::{Args as Options, Subcommand, ValueEnum};
use std::path::PathBuf;

/// Options of `verify`.
#[derive(Debug, Options)]
pub(crate) struct VerifyArgs {
    /// Packs, folders of packs, or `-` for standard input
    #[arg(value_name = "PACK|DIR|-", required = true)]
    pub(crate) packs: Vec<PathBuf>,

    /// Fails unless the one pack has this hash, such as `sha256:…`
    #[arg(long, value_name = "HASH")]
    pub(crate) expect: Option<String>,

    /// Also builds each pack from the repo around, and fails unless all bytes are the same
    ///
    /// Each is built under its own profile, with the limits of the configuration. When and by what it was built is not compared.
    #[arg(long)]
    pub(crate) against_repo: bool,
}

/// Options of `attest`.
#[derive(Debug, Options)]
pub(crate) struct AttestArgs {
    /// Packs
    #[arg(value_name = "PACK", required = true)]
    pub(crate) packs: Vec<PathBuf>,

    /// Prints the predicate alone, as `predicate-path` of `actions/attest` takes it
    #[arg(long)]
    pub(crate) predicate: bool,
}

/// Options of `render`.
#[derive(Debug, Options)]
pub(crate) struct RenderArgs {
    /// A pack, a root to build in memory, or `-` for a pack on standard input
    #[arg(value_name = "PACK|ROOT|-")]
    pub(crate) target: String,

    /// Prints one part only: the two joined are the whole
    #[arg(long, value_enum, value_name = "PART")]
    pub(crate) part: Option<RenderPart>,

    #[command(flatten)]
    pub(crate) building: BudgetArgs,
}

/// A part of a rendering.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum RenderPart {
    /// What the agent is told: the system prompt
    Instructions,
    /// What it works on: the first message
    Context,
}

/// Options of `explain`.
#[derive(Debug, Options)]
pub(crate) struct ExplainArgs {
    /// A pack, a root to build in memory, or `-` for a pack on standard input
    #[arg(value_name = "PACK|ROOT|-")]
    pub(crate) target: String,

    /// Says why the item or file is not in the pack, or where it is
    ///
    /// An id, an issue, or a path from the repo's root. Of a root also what the items and files of the repo tell is said: how far away an item is, that nothing refers to a file, and from which limit on something fits the budget.
    #[arg(long, value_name = "PATH|ID", conflicts_with = "at")]
    pub(crate) why_not: Option<String>,

    /// Says what each of these limits buys, such as `4k,8k,16k`, and at which limit the next section comes in
    ///
    /// In tokens where the profile limits tokens, else in characters. Needs a root.
    #[arg(long, value_name = "N,N,…", value_delimiter = ',', value_parser = thousands, conflicts_with_all = ["max_chars", "max_tokens", "max_bytes", "strategy"])]
    pub(crate) at: Vec<u64>,

    #[command(flatten)]
    pub(crate) building: BudgetArgs,
}

/// A number, or thousands with a `k` behind them.
fn thousands(text: &str) -> Result<u64, String> {
    let (digits, factor) = text.strip_suffix(['k', 'K']).map_or((text, 1), |digits| (digits, 1000));
    let number = digits.trim().parse::<u64>().ok().and_then(|number| number.checked_mul(factor));
    number.filter(|number| (1..1 << 53).contains(number)).ok_or_else(|| "write it as 8000 or 8k".to_owned())
}

/// Options of `diff`.
#[derive(Debug, Options)]
pub(crate) struct DiffArgs {
    /// The old pack, folder, `REV:path` or revision; alone: a revision, compared with the checkout, `REV..REV`, or `REV...REV` from where the two parted
    ///
    /// Of a revision the packs in the configuration's `output.dir` are meant. `-` is a pack on standard input. Without any argument the checkout is compared with `HEAD`.
    #[arg(value_name = "OLD|REV|REV...REV")]
    pub(crate) old: Option<String>,

    /// The new pack, folder, `REV:path` or revision
    #[arg(value_name = "NEW")]
    pub(crate) new: Option<String>,

    /// Also builds all packs from the checkout, in memory, and says whether the new ones are equal to those
    #[arg(long)]
    pub(crate) rebuild: bool,

    /// Exits with 4 where packs differ
    #[arg(long)]
    pub(crate) exit_code: bool,
}

/// Options of `report`.
#[derive(Debug, Options)]
pub(crate) struct ReportArgs {
    /// Packs and folders of packs; the configuration's `output.dir` where none is given
    #[arg(value_name = "PACK|DIR")]
    pub(crate) packs: Vec<PathBuf>,

    /// Writes the page to FILE instead of standard output
    #[arg(short, long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
}

/// Options of `serve`.
#[cfg(feature = "serve")]
#[derive(Debug, Options)]
pub(crate) struct ServeArgs {
    /// Packs and folders of packs; the configuration's `output.dir` where none is given
    #[arg(value_name = "PACK|DIR")]
    pub(crate) packs: Vec<PathBuf>,

    /// Listens on this port; any that is free where none is given
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    pub(crate) port: u16,
}

/// Options of `git`.
#[derive(Debug, Options)]
pub(crate) struct GitArgs {
    #[command(subcommand)]
    pub(crate) command: GitCommand,
}

/// What git asks for.
#[derive(Debug, Subcommand)]
pub(crate) enum GitCommand {
    /// Prints a pack as people read it
    Textconv {
        /// The file
        file: PathBuf,
    },
    /// Builds a pack that both sides of a merge changed
    Merge {
        /// This side's file, which takes the result: `%A`
        ours: PathBuf,
        /// The other side's file: `%B`
        theirs: PathBuf,
        /// Where it is in the repository: `%P`
        path: String,
    },
}

/// Options of `redact`.
#[derive(Debug, Options)]
pub(crate) struct RedactArgs {
    /// Files to read; standard input where none is given
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,

    /// Lists what was removed and why, never the secret, instead of the text
    #[arg(long)]
    pub(crate) report: bool,

    /// Writes each file under its own name to DIR instead of standard output
    #[arg(long, value_name = "DIR", requires = "files")]
    pub(crate) out: Option<PathBuf>,

    /// Lists the rules there are: the built-in ones and those of the configuration
    #[arg(long, conflicts_with_all = ["files", "report", "out"])]
    pub(crate) rules: bool,
}
