//! What is in a repository, and the files that `init` writes into it.

#[cfg(feature = "mcp")]
mod agent_entries;
pub(crate) mod detect;
pub(crate) mod options;
mod setup;
pub(crate) mod starter;
mod trackers;

pub(crate) use detect::DetectedRepo;
#[cfg(feature = "github")]
pub(crate) use detect::github;
pub(crate) use options::InitArgs;
pub(crate) use setup::{CONFIG, DELIVERED, Setup, is_half, unfit};
