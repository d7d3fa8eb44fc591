//! The YAML reader of work items, until it moves into a module of its own.
//!
//! `records` compiles `yaml.rs` as a part of itself; this module only provides the path of the types that it names.

pub(crate) mod record {
    pub(crate) use crate::model::{Node, Value};
}
