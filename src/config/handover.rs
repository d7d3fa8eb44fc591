//! The settings of cards, boxes and handovers, and the built-in recipes.

use super::faults::{ConfigFault, shortened};
use super::values::{self, OneOrMany, checked};
use crate::model::{RepoPath, is_card_type};
use serde::{Deserialize, Deserializer};
use std::collections::BTreeMap;

/// The argument that says whose log a handover writes to.
pub const TARGET_STRATEGY: &str = "target_strategy";

/// The argument that says whether the log of who hands over is inherited.
pub const INCLUDE_HISTORY: &str = "include_history";

/// The arguments that every recipe of the configuration takes.
const RESERVED: [&str; 2] = [TARGET_STRATEGY, INCLUDE_HISTORY];

/// Where cards and boxes are, and how agents hand over to each other.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HandoverSettings {
    #[serde(deserialize_with = "values::repo_path")]
    pub dir: RepoPath,
    pub max_tasks: u32,
    #[serde(default)]
    pub recipes: BTreeMap<String, Recipe>,
}

pub fn is_builtin_recipe(name: &str) -> bool {
    builtin().contains_key(name)
}

impl HandoverSettings {
    /// Returns the folders of cards, boxes, logs, batches, inboxes and the packs of handovers, which are no inputs of packs.
    ///
    /// Other files beside them are: a repo may have a folder `context` of its own.
    pub fn folders(&self) -> Vec<RepoPath> {
        ["cards", "boxes", "logs", "packs", "batches", "inbox"]
            .into_iter()
            .filter_map(|name| self.below(name))
            .collect()
    }

    pub fn packs(&self) -> Option<RepoPath> {
        self.below("packs")
    }

    fn below(&self, name: &str) -> Option<RepoPath> {
        RepoPath::new(&format!("{}/{name}", self.dir)).ok()
    }
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recipe {
    #[serde(default, deserialize_with = "values::bounded")]
    pub pack_arguments: Vec<PackArgument>,
    #[serde(default)]
    pub inherit_context: InheritContext,
    #[serde(default)]
    pub target_profile_config: TargetProfile,
    #[serde(default, deserialize_with = "values::id_globs")]
    pub allow: Vec<globset::GlobMatcher>,
    #[serde(skip)]
    pub required: Vec<String>,
    /// The arguments that it takes besides those that become cards or name boxes.
    #[serde(skip, default = "every_option")]
    pub options: &'static [&'static str],
}

fn every_option() -> &'static [&'static str] {
    &RESERVED
}

impl Recipe {
    /// Returns the names of all arguments, each once.
    pub fn arguments(&self) -> Vec<&str> {
        let cards = self.pack_arguments.iter().map(|argument| argument.arg_key.as_str());
        let boxes = self.inherit_context.include_boxes_from_args.iter().map(String::as_str);
        let mut names: Vec<&str> = Vec::new();
        for name in cards.chain(boxes).chain(self.options.iter().copied()) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PackArgument {
    #[serde(deserialize_with = "argument")]
    pub arg_key: String,
    #[serde(default = "instruction_type", deserialize_with = "card_type")]
    pub as_card_type: String,
    #[serde(default)]
    pub card_metadata: BTreeMap<String, String>,
}

fn instruction_type() -> String {
    "task.instruction".to_owned()
}

fn card_type<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    checked(deserializer, |written: String| {
        if is_card_type(&written) {
            return Ok(written);
        }
        let message = format!("`{}` is no type of a card", shortened(&written));
        Err(ConfigFault::new(message).help("types have a dot, such as `task.instruction`"))
    })
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InheritContext {
    #[serde(default, deserialize_with = "argument_names")]
    pub include_boxes_from_args: Vec<String>,
    #[serde(default)]
    pub include_parent: bool,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TargetProfile {
    #[serde(default, deserialize_with = "agent_name")]
    pub profile_name: Option<String>,
    /// The tools that the task needs.
    #[serde(default)]
    pub tools: OneOrMany,
    /// The skills that the task needs.
    #[serde(default)]
    pub skills: OneOrMany,
}

fn agent_name<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    values::agent_name(deserializer).map(Some)
}

fn argument<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    checked(deserializer, argument_name)
}

fn argument_names<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    let mut unique = values::unique();
    values::one_or_many(deserializer, values::MAX_COMPILED, |name| argument_name(unique(name)?))
}

fn argument_name(name: String) -> Result<String, ConfigFault> {
    let is_plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.');
    if name.is_empty() || name.len() > 100 || !name.bytes().all(is_plain) {
        let message = format!("`{}` cannot be the name of an argument", shortened(&name));
        return Err(ConfigFault::new(message).help("names are made of letters, digits, `_`, `-` and `.`"));
    }
    if RESERVED.contains(&name.as_str()) {
        let message = format!("`{name}` is an argument of every recipe");
        return Err(ConfigFault::new(message).help("give it another name"));
    }
    Ok(name)
}

pub(super) fn builtin() -> BTreeMap<String, Recipe> {
    let recipe = |boxes: &[&str], options: &'static [&'static str]| Recipe {
        pack_arguments: vec![PackArgument {
            arg_key: "instruction".to_owned(),
            as_card_type: instruction_type(),
            card_metadata: BTreeMap::new(),
        }],
        inherit_context: InheritContext {
            include_boxes_from_args: boxes.iter().map(|name| (*name).to_owned()).collect(),
            include_parent: true,
        },
        target_profile_config: TargetProfile::default(),
        allow: Vec::new(),
        required: vec!["instruction".to_owned()],
        options,
    };
    let boxes = ["context_box_id", "input_box_ids"];
    [
        ("launch", recipe(&[], &[])),
        ("delegate", recipe(&boxes, &[TARGET_STRATEGY])),
        ("ask-expert", recipe(&boxes, &[INCLUDE_HISTORY])),
    ]
    .map(|(name, recipe)| (name.to_owned(), recipe))
    .into()
}
