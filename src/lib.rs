//! Deterministic, budgeted, redacted and explained context packs for AI agents and people, as files in git.
//!
//! A pack holds what one piece of work needs: the work item or issue itself, its parent, children and
//! dependencies, and the decisions and documents that it refers to. The same files give the same bytes on
//! every machine, except for the time of the build, which the hash leaves out; a budget holds exactly; secrets
//! are removed before anything else happens; and what a pack lacks is listed with a reason.
//!
//! ```
//! use contextpack::{OpenRequest, PackRequest, Repository};
//! use std::path::Path;
//!
//! # fn main() -> Result<(), contextpack::EngineError> {
//! let repository = Repository::open(&OpenRequest::new(Path::new(".")))?;
//! let pack = repository.snapshot().pack(&PackRequest::new("feat:incremental").within_tokens(8_000))?;
//! println!("{}", contextpack::render(pack.pack()).whole());
//! # assert!(pack.pack().budget.used_tokens <= Some(8_000));
//! # Ok(())
//! # }
//! ```
//!
//! [`Repository::snapshot`] reads all work items once: it lists what packs can be built of, builds many, and says what is
//! wrong with the input.
//!
//! ```
//! use contextpack::{ItemState, OpenRequest, PackRequest, Repository};
//! # use std::path::Path;
//!
//! # fn main() -> Result<(), contextpack::EngineError> {
//! let repository = Repository::open(&OpenRequest::new(Path::new(".")))?;
//! let snapshot = repository.snapshot();
//! let open = snapshot.roots()?.into_iter().filter(|root| root.state == ItemState::Open);
//! let requests: Vec<PackRequest> = open.map(|root| PackRequest::new(root.id)).collect();
//! for (request, pack) in requests.iter().zip(snapshot.packs(&requests)) {
//!     match pack {
//!         Ok(pack) => println!("{}: {} bytes", request.root, pack.bytes().len()),
//!         Err(error) => eprintln!("{}: {error}", request.root),
//!     }
//! }
//! # Ok(())
//! # }
//! ```
//!
//! [`verify`] checks a finished pack without its repository, [`difference`] says why a pack is stale, [`explain`] why each section is there, and [`Redactor`] removes secrets from any text. The format is
//! `context_pack/v1`, whose types are [`Pack`] and what it holds.
//!
//! # Features
//!
//! | feature | default | adds |
//! |---|---|---|
//! | `cli` | yes | the command line, on which the other features stand, and the crates for it |
//! | `github` | yes | the command `sync`, which alone uses the network, and the crates for it |
//! | `handoff` | yes | the commands `card`, `box`, `handover`, `batch` and `inbox`, and `verify` of their files |
//! | `mcp` | yes | the command `mcp`, a server of the Model Context Protocol, and the crates for it; it needs `handoff` |
//! | `page` | yes | the command `page`, also with `--serve` on the loopback, and the crates for it; it needs `handoff` |
//!
//! As a library, depend on it with `default-features = false`: then the command line and its crates are not built.
//! Nothing else changes: packs are the same bytes with any features, also those of handovers that are built again.
//!
//! The program `contextpack` is this library's [`command_line`]. `docs/architecture.md` describes the modules.

// What commands alone use is part of modules that a library uses too. With all features, unused code is found.
#![cfg_attr(
    not(all(feature = "github", feature = "mcp", feature = "page")),
    allow(dead_code, unused_imports, reason = "used by features")
)]

mod cache;
#[cfg(feature = "cli")]
mod cli;
mod config;
#[cfg(feature = "cli")]
mod console;
mod engine;
mod fit;
mod git;
#[cfg(feature = "github")]
mod github;
mod graph;
mod handoff;
#[cfg(feature = "cli")]
mod init;
mod intake;
mod knowledge;
mod markdown;
#[cfg(feature = "mcp")]
mod mcp;
mod mentions;
mod model;
mod notes;
#[cfg(feature = "page")]
mod page;
mod records;
mod redact;
mod render;
mod review;
mod seal;
mod select;
mod store;
#[cfg(feature = "cli")]
mod watch;
mod wire;
mod yaml;

#[cfg(feature = "cli")]
pub use cli::run as command_line;
pub use config::{RedactionAllow, RedactionRule, RedactionSettings, Strategy};
pub use engine::{
    BudgetLimits, EngineError, OpenRequest, PackRequest, Repository, RootError, RootSummary, Snapshot, Unsettled,
};
pub use intake::IntakeError;
pub use model::{Code, Diagnostic, Digest, ItemState, Place, RepoPath, Severity, Untracked};
pub use redact::{Clean, Environment, Piece, Redactor, Removal, RuleInfo, Scrubbed, built_in_rules};
pub use render::{Rendering, pack as render};
pub use review::{Difference, Explanation, ReadError, Verification, difference, explain, read as read_pack, verify};
pub use seal::Sealed;
pub use store::StoreError;
pub use wire::{
    Generator, Metadata, Pack, PackBudget, PackEdge, PackInput, PackOmission, PackRoot, Redaction, Section,
    SectionEvidence, SectionSource, Warning,
};

/// Parts that this project's own tests and benchmarks need; no part of the public API, and without any promise.
#[doc(hidden)]
pub mod internals;

/// The library example of the README, which runs as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
