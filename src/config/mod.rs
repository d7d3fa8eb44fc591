//! `contextpack.yml`: the raw form as written, validated into [`Settings`].

mod check;
mod deny;
mod deserialize;
mod faults;
mod ignore_patterns;
mod load;
mod pattern_size;
mod profiles;
mod raw;
mod schema;
mod settings;
mod shapes;
mod tree;
mod validate;
mod validate_profiles;
mod validate_redaction;

pub use deny::DenyList;
pub use ignore_patterns::{IgnorePatterns, PatternError};
pub use load::{load, load_with_rules};
pub use schema::schema;
pub use settings::{
    AdrSettings, Budget, EdgeMap, Excerpt, FieldFilter, FieldMap, GithubSettings, Globs, Group, Instructions,
    ItemSource, OutputSettings, Profile, RedactionAllow, RedactionRule, RedactionSettings, RootFilter, Settings,
    Strategy, Template, TemplatePart, Tokenizer,
};
