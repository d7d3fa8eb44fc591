//! Re-exports for this project's own tests and benchmarks.

/// The cache of earlier builds.
pub mod cache {
    pub use crate::cache::{Cache, FileFingerprint};
}
/// The configuration.
pub mod config {
    pub use crate::config::{
        DenyList, Policy, RedactionAllow, RedactionRule, RedactionSettings, Settings, Strategy, Tokenizer, load,
    };
}
/// The driver.
pub mod engine {
    pub use crate::engine::{
        AgentContext, AgentRequest, BudgetLimits, BuildJob, Built, Project, Session, SessionRequest, Unsettled, Update,
    };
}
/// Counting of tokens.
pub mod fit {
    pub use crate::fit::Counter;
}
/// GitHub's API.
#[cfg(feature = "github")]
pub mod github {
    pub use crate::github::{ApiBase, Ask, Http, Tokens, Transport};
}
/// The graph.
pub mod graph {
    pub use crate::graph::{Target, Value};
}
/// Batches and inboxes.
#[cfg(feature = "cli")]
pub mod ledger {
    pub use crate::handoff::ledger::{
        Attempt, BatchId, BatchLedger, BatchStatus, Dispatched, Inbox, NewFile, Outcome, TaskStatus, TurnId,
        TurnRequest, Writer,
    };
}
/// Files.
pub mod intake {
    pub use crate::intake::{Repo, RepoOptions};
}
/// Names, places and diagnostics.
pub mod model {
    pub use crate::model::{
        Code, Completeness, Diagnostic, Digest, Given, Refusal, RepoPath, SNAPSHOT_VERSION, Severity, SnapshotAuthor,
        SnapshotComment, SnapshotComments, SnapshotIssue, SnapshotRef, SnapshotRelation, SnapshotRelations, SourceTree,
    };
}
/// Markdown.
pub mod mentions {
    pub use crate::mentions::Markdown;
}
/// The scrubber.
pub mod redact {
    pub use crate::redact::{Clean, Environment, Piece, Redactor, Scrubbed, built_in_rules};
}
/// The rendering.
pub mod render {
    pub use crate::render::{pack, place};
}
/// Checks of finished packs.
pub mod review {
    pub use crate::review::{Pair, SalvagedPack, SectionChange, compare, read, salvage, verify};
}
/// Sealed packs.
pub mod seal {
    pub use crate::seal::{Sealed, Stamp};
}
/// What a pack could hold.
pub mod select {
    pub use crate::select::{CardContentText, CardText, HandedOver, HandoverLabel, RecentChanges};
}
/// Files of the cache.
pub mod store {
    pub use crate::store::{Access, CacheFolder};
}
/// The watch.
#[cfg(feature = "cli")]
pub mod watch {
    pub use crate::watch::{Event, Events, FollowError, Watch};
}
/// The published types.
pub mod wire {
    pub use crate::wire::{Metadata, Pack, PackOmission, Section, SectionSource};
}
/// Notes on documents.
pub mod notes {
    pub use crate::notes::{NoteLimits, Notes, QuotableText, extract, is_binding};
}
