//! Agents, the documents that they share with notes on each, and which of them a pack holds (`docs/context-flow.md`).

mod agent;
mod choice;
mod document;
mod front_matter;
mod relevance;
mod sensitive;
mod template;

pub use agent::{Agent, AgentError, Agents};
pub use choice::{Chosen, KnowledgeRequest, Relevant};
pub use document::{
    DocumentFile, DocumentRules, Knowledge, KnowledgeDocument, NotesFile, Scope, Secrecy, UnusableDocument,
};
pub use relevance::SearchTerms;
pub use template::{BUILT_IN_TEMPLATE, NewAgent};
