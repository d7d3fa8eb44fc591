//! The one driver of every command: opens a repository, builds packs from it, in full or incrementally, and compares
//! them with the files on disk.
//!
//! [`Project`] holds the redacted items and their graph; what a pack holds depends on the source and the settings
//! alone. [`Session`] builds one repository again and again.

mod agents;
mod build;
mod decisions;
mod document_cache;
mod documents;
mod driver;
mod error;
mod in_memory;
mod issues;
mod items;
mod json_lines;
mod knowledge;
mod known_references;
mod likely;
pub mod markdown_copy;
mod notices;
mod observer;
mod pack_state;
mod prepared_profile;
mod project;
mod reader;
mod referenced_files;
mod repository;
mod roots;
mod session;
mod vectors;
mod why_not;

pub use crate::config::BudgetLimits;
pub use agents::{AgentContext, card_text};
pub use build::{BuildJob, BuildReport, Built, Finish, Planned, Skip, build_packs, input_diagnostics, pack_file_name};
pub use driver::{AgentRequest, BuildOrder, BuildResult, SessionRequest};
pub use error::{EngineError, Unsettled, until_settled};
pub use in_memory::{BudgetProbe, PackRequest, PackTarget, Snapshot};
pub use notices::{apply_severities, unmatched};
pub use observer::{BuildObserver, WrittenPack};
pub use pack_state::{PackState, check_packs, has_unread_root, lacks_its_issue, orphaned};
pub use prepared_profile::count_tokens;
pub use project::Project;
pub use repository::{
    Configuration, OpenRequest, OpenedCache, Repository, path_inside, process_environment, validated,
};
pub use roots::{RootError, RootSummary};
pub use session::{Session, Update, delivery_folder};
pub use why_not::why_not_in;
