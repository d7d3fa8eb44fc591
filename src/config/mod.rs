//! `contextpack.yml`: the raw form as written, validated into [`Settings`].

mod check;
mod deny;
mod deserialize;
mod faults;
mod load;
mod pattern_size;
mod patterns;
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
pub use load::{load, load_knowing};
pub use patterns::{PatternError, Patterns};
pub use schema::schema;
pub use settings::{
    AdrSettings, Budget, EdgeMap, Excerpt, FieldFilter, FieldMap, GithubSettings, Globs, Group, Instructions,
    ItemSource, OutputSettings, Profile, RedactionAllow, RedactionRule, RedactionSettings, RootFilter, Settings,
    Strategy, Template, TemplatePart, Tokenizer,
};
