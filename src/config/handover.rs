//! The settings of cards, boxes and handovers, and the built-in recipes.

use crate::model::RepoPath;
use std::collections::BTreeMap;

/// The argument that says whose log a handover writes to.
pub const TARGET_STRATEGY: &str = "target_strategy";

/// The argument that says whether the log of who hands over is inherited.
pub const INCLUDE_HISTORY: &str = "include_history";

/// The validated form of `handover:`.
#[derive(Debug, Clone)]
pub struct HandoverSettings {
    /// The folder of cards, boxes, logs and the packs of handovers, inside the repo.
    pub dir: RepoPath,
    /// The recipes of the configuration and the built-in ones, by name.
    pub recipes: BTreeMap<String, Recipe>,
    /// The most tasks of one batch.
    pub max_tasks: usize,
}

/// Returns whether a recipe is built in.
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

    /// Returns the folder of the packs of handovers.
    pub fn packs(&self) -> Option<RepoPath> {
        self.below("packs")
    }

    fn below(&self, name: &str) -> Option<RepoPath> {
        RepoPath::new(&format!("{}/{name}", self.dir)).ok()
    }
}

/// How a handover is made up: which arguments become cards, and what is inherited.
#[derive(Debug, Clone)]
pub struct Recipe {
    /// The arguments that become cards, in order.
    pub pack_arguments: Vec<PackArgument>,
    /// The arguments that name boxes whose cards are inherited, in order.
    pub include_boxes_from_args: Vec<String>,
    /// Whether a card names the agent that hands over.
    pub include_parent: bool,
    /// The agent that it is for, unless another one is named.
    pub profile_name: Option<String>,
    /// The logs that arguments may name without leave of the user, as globs.
    pub allow: Vec<globset::GlobMatcher>,
    /// The arguments that have to be given.
    pub required: Vec<String>,
    /// The arguments that it takes besides those that become cards or name boxes.
    pub options: Vec<&'static str>,
}

impl Recipe {
    /// Returns the names of all arguments, each once.
    pub fn arguments(&self) -> Vec<&str> {
        let cards = self.pack_arguments.iter().map(|argument| argument.arg_key.as_str());
        let boxes = self.include_boxes_from_args.iter().map(String::as_str);
        let mut names: Vec<&str> = Vec::new();
        for name in cards.chain(boxes).chain(self.options.iter().copied()) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }
}

/// An argument that becomes a card.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PackArgument {
    /// Its name.
    pub arg_key: String,
    /// The card's type.
    pub as_card_type: String,
    /// The card's metadata; `role` in it is the card's role.
    pub card_metadata: BTreeMap<String, String>,
}

/// Returns the built-in recipes by name.
pub(super) fn builtin() -> BTreeMap<String, Recipe> {
    let instruction = PackArgument {
        arg_key: "instruction".to_owned(),
        as_card_type: "task.instruction".to_owned(),
        card_metadata: BTreeMap::new(),
    };
    let recipe = |boxes: &[&str], options: &[&'static str]| Recipe {
        pack_arguments: vec![instruction.clone()],
        include_boxes_from_args: boxes.iter().map(|name| (*name).to_owned()).collect(),
        include_parent: true,
        profile_name: None,
        allow: Vec::new(),
        required: vec![instruction.arg_key.clone()],
        options: options.to_vec(),
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
