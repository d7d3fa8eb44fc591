//! What GitHub's runner reads of a step: annotations in its log, the job's summary, and the step's outputs.

mod annotations;
mod job_summary;
mod step_outputs;

pub(crate) use annotations::Annotations;
pub(crate) use job_summary::{SummaryRow, append_summary};
pub(crate) use step_outputs::{PackOutputs, StepPack, append_outputs};

use crate::console::{Failure, PathFailure};
use crate::intake::Repo;
use std::fs::OpenOptions;
use std::io::{self, Write as _};
use std::path::Path;

/// Appends `text` to a file that the runner named.
pub(crate) fn append(file: &Path, text: &str) -> Result<(), Failure> {
    let opened = OpenOptions::new().append(true).create(true).open(file);
    opened
        .and_then(|mut file| file.write_all(text.as_bytes()))
        .map_err(|error| PathFailure::failure("write", file.display().to_string(), error))
}

/// Returns a word with 128 random bits in hex.
pub(crate) fn random_word() -> io::Result<String> {
    let mut word = [0; 16];
    getrandom::fill(&mut word)?;
    Ok(format!("contextpack-{:032x}", u128::from_le_bytes(word)))
}

/// Returns the repo's path in the workflow's workspace: empty, or with a final `/`.
fn workspace_prefix() -> String {
    let below = || {
        let workspace = std::env::var_os("GITHUB_WORKSPACE").filter(|value| !value.is_empty())?;
        let workspace = Path::new(&workspace).canonicalize().ok()?;
        let root = Repo::find_root(&std::env::current_dir().ok()?).ok()?.canonicalize().ok()?;
        let below = root.strip_prefix(workspace).ok()?.to_str()?.replace('\\', "/");
        (!below.is_empty()).then(|| format!("{below}/"))
    };
    below().unwrap_or_default()
}
