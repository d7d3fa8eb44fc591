//! The options of `watch`, as its help documents them.

use super::args::BudgetArgs;
use clap::{Args as Options, ValueEnum};
use std::path::PathBuf;
use std::time::Duration;

/// Options of `watch`.
#[derive(Debug, Options)]
pub(crate) struct WatchArgs {
    /// Work items and issues to build; all roots of the configuration where none is given
    ///
    /// An id (`feat:cache`), the path of an item's file, an id without its prefix, or an issue (`123`, `owner/repo#123`, a URL).
    #[arg(value_name = "ROOT")]
    pub(crate) roots: Vec<String>,

    #[command(flatten)]
    pub(crate) building: BudgetArgs,

    /// Writes packs to DIR instead of the configuration's `output.dir`
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,

    /// Prints on stdout what changed in the renderings, as a unified diff; `--print=full` prints the whole rendering that `now.md` holds
    #[arg(long, value_enum, value_name = "WHAT", num_args = 0..=1, require_equals = true, default_missing_value = "diff")]
    pub(crate) print: Option<Print>,

    /// Looks every INTERVAL (default `2s`) instead of waiting for notices, which some network and container file systems do not give
    #[arg(long, value_name = "INTERVAL", num_args = 0..=1, require_equals = true, default_missing_value = "2s", value_parser = interval)]
    pub(crate) poll: Option<Duration>,
}

/// What `watch` prints of a rendering.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Print {
    /// The difference
    Diff,
    /// All of it
    Full,
}

/// Less than this between two looks would be work without end.
const SHORTEST_INTERVAL: Duration = Duration::from_millis(100);

fn interval(text: &str) -> Result<Duration, String> {
    match humantime::parse_duration(text) {
        Ok(interval) if interval >= SHORTEST_INTERVAL => Ok(interval),
        Ok(_) => Err("the shortest interval is `100ms`".to_owned()),
        Err(_) => Err("write an interval such as `500ms` or `2s`".to_owned()),
    }
}
