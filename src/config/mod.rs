//! `contextpack.yml`: text → tree → [`Settings`], with the place of every fault.

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
mod redaction;

mod settings;
mod tree;
mod values;

pub use batch_file::{BatchFile, LONGEST_DEADLINE, PlannedTask, TargetStrategy};
pub use deny::{DenyList, denying_pattern};
pub use handover::{INCLUDE_HISTORY, Recipe, TARGET_STRATEGY, is_builtin_recipe};
pub use ignore_patterns::IgnorePatterns;
pub use knowledge::{Allowed, ContextSettings, DocumentSource, DocumentType, Job, Policy};
pub use load::{load, load_with_rules};
pub use profiles::{
    AGENT_INSTRUCTIONS, Budget, BudgetLimits, BuiltinText, CodeDetail, FillWith, Group, HANDOVER_INSTRUCTIONS,
    HANDOVER_TASK_INSTRUCTIONS, Instructions, KNOWLEDGE_INSTRUCTIONS, Profile, ProfileFile, SESSION_INSTRUCTIONS,
    Strategy, Tokenizer,
};
pub use redaction::{RedactionAllow, RedactionRule, RedactionSettings};
pub use settings::{Excerpt, ItemSource, MinTrust, Settings};
pub use values::{Globs, OneOrMany, Template, TemplatePart};
