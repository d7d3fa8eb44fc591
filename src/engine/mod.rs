//! The one driver of every command: opens a repository, builds packs from it, in full or incrementally, and compares
//! them with the files on disk.
//!
//! [`Project`] holds the redacted items and their graph; what a pack holds depends on the source and the settings
//! alone. [`Session`] builds one repository again and again.

mod agents;
mod budget_probe;
mod build;
mod clean;
pub mod companion;
mod configuration;
mod document_cache;
mod document_notes;
mod error;
mod github_warnings;
mod handover;
mod incremental;
mod issues;
mod items;
mod knowledge;
mod knowledge_reader;
mod notices;
mod orphans;
mod pack_state;
mod pack_target;
mod pack_writer;
mod prepared_profile;
mod project;
mod referenced_files;
mod repository;
mod restrictions;
mod roots;
mod session;
mod warm;
mod why_not;

pub use budget_probe::BudgetProbe;
#[cfg(feature = "mcp")]
pub use build::input_errors;
pub use build::{BuildJob, BuildReport, Built, Finish, Planned, Skip, build_packs, pack_file_name};
pub use configuration::{Configuration, validated};
pub use error::{EngineError, Unsettled, until_settled};
pub use handover::card_text;
pub use incremental::{BuildOrder, IncrementalBuild};
pub use knowledge::AgentContext;
pub use notices::{apply_severities, unmatched};
pub use orphans::{OrphanPack, orphaned, orphans};
pub use pack_state::{CheckRequest, PackState, UNVERIFIABLE, check_packs, lost_its_issue, pack_names};
pub use pack_target::{PackTarget, Probe};
pub use pack_writer::{PackWriter, WriteOutcome, WriteReport, WriteStatus, write_packs};
pub use prepared_profile::{BudgetLimits, count_tokens};
pub use project::Project;
pub use repository::{OpenRequest, PackRequest, Repository, path_inside, process_environment};
pub use roots::{RootError, RootSummary};
pub use session::{
    AgentRequest, BuildObserver, OnWritten, Session, SessionRequest, Update, WrittenPack, delivery_folder,
};
#[cfg(feature = "mcp")]
pub use warm::WarmReadings;
pub use why_not::why_not_in;
