//! Agents, the documents that they share with notes on each, and which of them a pack holds (`docs/context-flow.md`).

mod agent;
#[cfg(test)]
#[path = "../../tests/cases/knowledge.rs"]
mod cases;
mod choice;
mod document;
mod front_matter;
mod likely;
mod secrecy;
mod template;
mod vectors;

pub use agent::{Agent, AgentError, Agents, covers, not_allowed};
pub use choice::SearchTerms;
pub use choice::{ChosenDocuments, KnowledgeRequest, Relevant};
pub use document::{DocumentFile, Knowledge, KnowledgeDocument, NotesFile, Scope, UnusableDocument};
pub use likely::{LikelyFile, SourceIndex, SourceParts, SourceTerms, TestFiles, is_source};
pub use secrecy::{DocumentRules, Secrecy, stated_agents, states_secrets};
pub use template::{BUILT_IN_TEMPLATE, NewAgent};
pub use vectors::{Vectors, embedded_text};
