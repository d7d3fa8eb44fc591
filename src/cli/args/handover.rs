//! Options of `handover`.

use super::BudgetArgs;
use crate::cli::completion;
use clap::Args as Options;
use clap_complete::engine::ArgValueCandidates;
use std::path::PathBuf;

/// Options of `handover`.
#[derive(Debug, Options)]
pub(crate) struct HandoverArgs {
    /// How it is made up: `launch`, `delegate`, `ask-expert`, or a recipe of `handover.recipes` of the configuration
    #[arg(value_name = "RECIPE", add = ArgValueCandidates::new(completion::recipes))]
    pub(crate) recipe: String,

    /// The agent that it is for: its key, the stem of its file, or its name; the default is that of the recipe
    #[arg(long, value_name = "AGENT", add = ArgValueCandidates::new(completion::agents))]
    pub(crate) to: Option<String>,

    /// The agent that hands over; a card names it, and arguments may name its log
    #[arg(long, value_name = "AGENT", add = ArgValueCandidates::new(completion::agents))]
    pub(crate) from: Option<String>,

    /// The work item that it is about
    #[arg(long, value_name = "ROOT", add = ArgValueCandidates::new(completion::roots))]
    pub(crate) root: Option<String>,

    /// An argument of the recipe: a text, or the value of a JSON file; can be given several times
    ///
    /// A value that begins with `@` and ends in `.json` names a file.
    #[arg(long = "arg", value_name = "KEY=TEXT|KEY=@FILE.json", allow_hyphen_values = true)]
    pub(crate) arguments: Vec<String>,

    /// A box whose cards are inherited: an id, a log, or `log@clock`; can be given several times
    #[arg(long = "box", value_name = "BOX", add = ArgValueCandidates::new(completion::boxes))]
    pub(crate) boxes: Vec<String>,

    /// Writes the pack to DIR instead of `context/packs`
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) budget: BudgetArgs,
}
