//! What GitHub's runner reads of a step: annotations in its log, the job's summary, and the step's outputs.

mod annotations;
mod job_summary;
mod runner;
mod step_outputs;

pub(crate) use annotations::Annotations;
pub(crate) use job_summary::{SummaryRow, append_summary};
pub(crate) use runner::random_word;
pub(crate) use step_outputs::{PackOutputs, StepPack, append_outputs};
