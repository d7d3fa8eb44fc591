//! Re-exports for this project's own tests and benchmarks.

pub mod cache {
    pub use crate::cache::{Cache, FileFingerprint};
}
pub mod config {
    pub use crate::config::{
        BatchFile, DenyList, Instructions, Policy, RedactionAllow, RedactionRule, RedactionSettings, Settings,
        Strategy, Tokenizer, load,
    };
}
pub mod engine {
    pub use crate::engine::{
        AgentContext, AgentRequest, BudgetLimits, BuildJob, Built, Project, Session, SessionRequest, Unsettled, Update,
    };
}
pub mod fit {
    pub use crate::fit::Counter;
}
#[cfg(feature = "github")]
pub mod github {
    pub use crate::github::{
        ApiBase, Ask, Clock, EventTarget, Http, Response, SyncError, SyncLimits, SyncRequest, SyncSettings,
        SyncSummary, Tokens, Transport, send_event, sync,
    };
}
pub mod graph {
    pub use crate::graph::{
        Corpus, Edge, Entry, FileLookup, FileRef, Graph, GraphRules, Identity, ItemReferences, ParsedText, RepoFiles,
        RootMatch, SourceRules, Target, Value,
    };
}
#[cfg(feature = "handoff")]
pub mod ledger {
    pub use crate::handoff::ledger::{
        Attempt, Dispatched, Ledger, NewFile, Outcome, ShortId, Status, TurnRequest, WorkId, Writer,
    };
}
pub mod intake {
    pub use crate::intake::{Repo, RepoOptions};
}
pub mod model {
    pub use crate::model::{
        CardSource, Code, Completeness, Diagnostic, Digest, Node, Refusal, Relation, RepoPath, SNAPSHOT_VERSION,
        Severity, SnapshotAuthor, SnapshotComment, SnapshotComments, SnapshotIssue, SnapshotRef, SnapshotRelation,
        SnapshotRelations, SourceTree, Value,
    };
}
pub mod records {
    pub use crate::records::{Body, Field, FieldRelation, Item, Mention, Origin, SnapshotFile, items};
}
pub mod mentions {
    pub use crate::mentions::Markdown;
}
pub mod redact {
    pub use crate::redact::{Clean, Environment, Piece, Redactor, Scrubbed, built_in_rules};
}
pub mod render {
    pub use crate::render::{pack, place};
}
pub mod review {
    pub use crate::review::{Pair, SalvagedPack, SectionChange, compare, read, salvage, verify};
}
pub mod seal {
    pub use crate::seal::{Sealed, Stamp};
}
pub mod select {
    pub use crate::select::{CardContentText, CardText, HandedOver, HandoverLabel, RecentChanges};
}
pub mod store {
    pub use crate::store::{
        Access, CacheFolder, CacheUnavailable, Folder, SealedContent, WriteResult, init_state_dir, sweep_state,
    };
}
#[cfg(feature = "cli")]
pub mod watch {
    pub use crate::watch::{Event, Events, FollowError, Watch, WatchReport};
}
pub mod wire {
    pub use crate::wire::{Metadata, Pack, PackOmission, Section, SectionSource};
}
pub mod notes {
    pub use crate::notes::{NoteLimits, Notes, QuotableText, extract, is_binding};
}
