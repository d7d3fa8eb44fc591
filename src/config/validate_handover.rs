//! The raw form of `handover:` → [`HandoverSettings`].

use super::check::{ConfigFaults, MAX_COMPILED, SettingPlace};
use super::faults::shortened;
use super::handover::{HandoverSettings, INCLUDE_HISTORY, PackArgument, Recipe, TARGET_STRATEGY, builtin};
use super::raw_handover::{RawHandover, RawPackArgument, RawRecipe};
use super::settings::OutputSettings;
use super::validate::{lowercase, reserved};
use crate::model::{RepoPath, is_card_type};
use std::collections::BTreeMap;

/// The roles of cards.
const ROLES: [&str; 4] = ["system", "user", "assistant", "tool"];

/// The most tasks of one batch unless the configuration names another number.
const DEFAULT_MAX_TASKS: u32 = 8;

/// The most tasks that a configuration may allow.
const MAX_TASKS: u32 = 10_000;

/// Checks the folder of cards, and the recipes of handovers.
pub(super) fn handover(
    raw: Option<&RawHandover>,
    at: SettingPlace<'_>,
    output: Option<&OutputSettings>,
    snapshot: Option<&RepoPath>,
    faults: &mut ConfigFaults,
) -> Option<HandoverSettings> {
    let at_dir = at.key("dir");
    let dir = faults.path(at_dir, raw.and_then(|raw| raw.dir.as_deref()).unwrap_or("context"))?;
    let help = "name a folder that holds cards and boxes only, such as `context`";
    let shares = |other: &RepoPath| dir.is_under(other.as_str()) || other.is_under(dir.as_str());
    if let Some(name) = reserved(&dir) {
        faults.add_help(at_dir, format!("cards cannot lie in `{name}`"), help);
    } else if lowercase(&dir).is_under(".contextpack") {
        faults.add_help(at_dir, format!("`{dir}` holds other files of contextpack"), help);
    } else if raw.is_some_and(|raw| raw.dir.is_some()) {
        // Without the key nothing is said: a repo may write its packs to `context`, and have no cards.
        for other in output.map(|output| &output.dir).into_iter().chain(snapshot).filter(|other| shares(other)) {
            faults.add_help(at_dir, format!("cards cannot share a folder with `{other}`"), help);
        }
    }
    let recipes = recipes(raw.and_then(|raw| raw.recipes.as_ref()), at.key("recipes"), faults);
    let max_tasks = raw.and_then(|raw| raw.max_tasks).unwrap_or(DEFAULT_MAX_TASKS);
    if !(1..=MAX_TASKS).contains(&max_tasks) {
        faults.add(at.key("max_tasks"), format!("`{max_tasks}` is not from 1 to {MAX_TASKS}"));
    }
    Some(HandoverSettings { dir, recipes, max_tasks: max_tasks as usize })
}

fn recipes(
    raw: Option<&BTreeMap<String, RawRecipe>>,
    at: SettingPlace<'_>,
    faults: &mut ConfigFaults,
) -> BTreeMap<String, Recipe> {
    let mut recipes = builtin();
    for (name, raw) in raw.into_iter().flatten() {
        let at = at.key(name);
        if recipes.contains_key(name) {
            faults.add_help(at, format!("the recipe `{name}` is built in"), "give it another name");
        } else if faults.name(at, name, "a recipe") {
            let recipe = recipe(raw, at, faults);
            recipes.insert(name.clone(), recipe);
        }
    }
    recipes
}

fn recipe(raw: &RawRecipe, at: SettingPlace<'_>, faults: &mut ConfigFaults) -> Recipe {
    let at_arguments = at.key("pack_arguments");
    let written = raw.pack_arguments.as_deref().unwrap_or_default();
    let written = faults.at_most(at_arguments, written, MAX_COMPILED);
    let is_empty = written.is_empty();
    let pack_arguments: Vec<PackArgument> =
        written.iter().enumerate().filter_map(|(i, raw)| argument(raw, at_arguments.item(i), faults)).collect();
    let inherit = raw.inherit_context.as_ref();
    let at_boxes = at.key("inherit_context").key("include_boxes_from_args");
    let boxes = inherit.and_then(|inherit| inherit.include_boxes_from_args.as_ref()).map_or(&[][..], |names| &names.0);
    let boxes: Vec<String> = {
        let boxes = faults.at_most(at_boxes, boxes, MAX_COMPILED);
        faults.texts(at_boxes, boxes)
    };
    for (index, name) in boxes.iter().enumerate() {
        is_argument(name, at_boxes.item(index), faults);
        if pack_arguments.iter().any(|argument| argument.arg_key == *name) {
            let message = format!("`{}` becomes a card already", shortened(name));
            faults.add_help(at_boxes.item(index), message, "an argument becomes a card or names boxes, not both");
        }
    }
    let include_parent = inherit.and_then(|inherit| inherit.include_parent).unwrap_or(false);
    // Arguments that are wrong were reported.
    if is_empty && boxes.is_empty() && !include_parent {
        let help = "give `pack_arguments`, or `inherit_context`";
        faults.add_help(at, "the recipe hands nothing over", help);
    }
    let at_profile = at.key("target_profile_config").key("profile_name");
    let profile = raw.target_profile_config.as_ref().and_then(|target| target.profile_name.as_ref());
    if profile.is_some_and(|name| name.trim().is_empty()) {
        faults.add_help(at_profile, "the name is empty", "name an agent, or remove the line");
    }
    let profile_name = profile.map(|name| name.trim().to_owned());
    let at_allow = at.key("allow");
    let allow = raw.allow.as_ref().map_or(&[][..], |globs| &globs.0);
    let allow = faults.at_most(at_allow, allow, MAX_COMPILED);
    let allow = allow.iter().enumerate().filter_map(|(i, glob)| faults.id_glob(at_allow.item(i), glob)).collect();
    Recipe {
        pack_arguments,
        include_boxes_from_args: boxes,
        include_parent,
        profile_name,
        allow,
        required: Vec::new(),
        options: vec![TARGET_STRATEGY, INCLUDE_HISTORY],
    }
}

fn argument(raw: &RawPackArgument, at: SettingPlace<'_>, faults: &mut ConfigFaults) -> Option<PackArgument> {
    let fits = is_argument(&raw.arg_key, at.key("arg_key"), faults);
    let at_type = at.key("as_card_type");
    let as_card_type = raw.as_card_type.as_deref().unwrap_or("task.instruction");
    let is_type = is_card_type(as_card_type);
    if !is_type {
        let message = format!("`{}` is no type of a card", shortened(as_card_type));
        faults.add_help(at_type, message, "types have a dot, such as `task.instruction`");
    }
    let card_metadata = raw.card_metadata.clone().unwrap_or_default();
    let at_role = at.key("card_metadata").key("role");
    let role = card_metadata.get("role");
    let is_role = role.is_none_or(|role| faults.one_of(at_role, role, &ROLES, "the role of a card"));
    (fits && is_type && is_role).then(|| PackArgument {
        arg_key: raw.arg_key.clone(),
        as_card_type: as_card_type.to_owned(),
        card_metadata,
    })
}

/// Checks the name of an argument.
fn is_argument(name: &str, at: SettingPlace<'_>, faults: &mut ConfigFaults) -> bool {
    let is_plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.');
    let fits = !name.is_empty() && name.len() <= 100 && name.bytes().all(is_plain);
    let is_free = ![TARGET_STRATEGY, INCLUDE_HISTORY].contains(&name);
    if !fits {
        let message = format!("`{}` cannot be the name of an argument", shortened(name));
        faults.add_help(at, message, "names are made of letters, digits, `_`, `-` and `.`");
    } else if !is_free {
        let message = format!("`{name}` is an argument of every recipe");
        faults.add_help(at, message, "give it another name");
    }
    fits && is_free
}
