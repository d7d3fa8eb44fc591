//! The raw form of `handover:`.
//!
//! The doc comments are the descriptions of the published schema, and are written for the author of the file.

use super::shapes::OneOrMany;
use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::BTreeMap;

/// Where cards and boxes are, and how agents hand over to each other.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Handover")]
pub(super) struct RawHandover {
    /// The folder of cards, boxes, logs and the packs of handovers, inside the repo. Default: `context`.
    pub(super) dir: Option<String>,
    /// The most tasks of one batch. Default: 8.
    pub(super) max_tasks: Option<u32>,
    /// Recipes of `contextpack handover`, by name, besides `launch`, `delegate` and `ask-expert`.
    pub(super) recipes: Option<BTreeMap<String, RawRecipe>>,
}

/// How a handover is made up.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Recipe")]
pub(super) struct RawRecipe {
    /// The arguments that become cards, in order. Those that are not given are left out.
    pub(super) pack_arguments: Option<Vec<RawPackArgument>>,
    /// What is inherited besides the boxes that `--box` names.
    pub(super) inherit_context: Option<RawInheritContext>,
    /// Who it is for.
    pub(super) target_profile_config: Option<RawTargetProfile>,
    /// The logs that arguments may name without `--box`, as globs. Default: none.
    pub(super) allow: Option<OneOrMany>,
}

/// An argument that becomes a card.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "PackArgument")]
pub(super) struct RawPackArgument {
    /// Its name, as in `--arg NAME=TEXT`.
    pub(super) arg_key: String,
    /// The type of its card. Default: `task.instruction`.
    pub(super) as_card_type: Option<String>,
    /// The metadata of its card; `role` in it is the card's role. Default: the role of the type, else `user`.
    pub(super) card_metadata: Option<BTreeMap<String, String>>,
}

/// What a handover inherits.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "InheritContext")]
pub(super) struct RawInheritContext {
    /// The arguments that name boxes, one or a list of them, whose cards are inherited in order.
    pub(super) include_boxes_from_args: Option<OneOrMany>,
    /// Whether a card names the agent of `--from`. Default: `false`.
    pub(super) include_parent: Option<bool>,
}

/// Who a handover is for.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "TargetProfile")]
pub(super) struct RawTargetProfile {
    /// The agent, unless `--to` names another one: its key, the stem of its file or its name.
    pub(super) profile_name: Option<String>,
}
