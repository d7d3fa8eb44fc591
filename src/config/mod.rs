//! `contextpack.yml`: text → tree → raw form → validated [`Settings`], with the place of every fault.

mod batch_file;
mod check;
mod deny;
mod deserialize;
mod faults;
mod handover;
mod ignore_patterns;
mod knowledge;
mod load;
mod profiles;
mod raw;
mod raw_handover;
mod raw_knowledge;
mod schema;
mod settings;
mod shapes;
mod tree;
mod validate;
mod validate_handover;
mod validate_knowledge;
mod validate_profiles;
mod validate_redaction;

pub use batch_file::{BatchFile, batch_file_schema};
pub use deny::DenyList;
pub use faults::nearest;
pub use handover::{INCLUDE_HISTORY, Recipe, TARGET_STRATEGY, is_builtin_recipe};
pub use ignore_patterns::IgnorePatterns;
pub use knowledge::{ContextSettings, DocumentSource, DocumentType, Job, KnowledgeSettings, Policy};
pub use load::{load, load_with_rules};
pub use profiles::{
    AGENT_INSTRUCTIONS, BuiltinText, HANDOVER_INSTRUCTIONS, HANDOVER_TASK_INSTRUCTIONS, KNOWLEDGE_INSTRUCTIONS,
    SESSION_INSTRUCTIONS,
};
pub use schema::schema;
pub use settings::{
    Budget, CodeDetail, Excerpt, Globs, Group, Instructions, ItemSource, Profile, RedactionAllow, RedactionRule,
    RedactionSettings, Settings, Strategy, Template, TemplatePart, Tokenizer,
};
