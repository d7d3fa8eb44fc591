//! Handovers: a recipe, its arguments and boxes → what one agent gives another (`docs/handover.md`): its cards in order, its
//! boxes, and the log of its results. Everything is checked and made here in memory; nothing is written.

use super::cards::{
    BoxContent, BoxSnapshot, CardError, CardFileKind, CardStore, CardWriter, ContentId, LogEntry, LogName,
    PreparedCard, ReadCard, Role, is_hex,
};
use crate::config::{INCLUDE_HISTORY, Recipe, TARGET_STRATEGY, TargetStrategy};
use crate::model::{CardSource, did_you_mean, slug};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

const MOST_NAMED: usize = 5;

/// An agent that hands over, or is handed something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Party {
    pub key: String,
    pub stem: String,
}

#[derive(Debug, Clone, Copy)]
pub struct HandoverRequest<'a> {
    pub name: &'a str,
    pub recipe: &'a Recipe,
    pub arguments: &'a RecipeArguments,
    /// The boxes that the user gives, which may therefore be inherited.
    pub boxes: &'a [String],
    pub to: &'a Party,
    pub profile: &'a Value,
    pub from: Option<&'a Party>,
    /// The logs of tasks of batches, each with the key of its agent.
    pub task_logs: &'a [TaskLog],
    pub root: Option<&'a str>,
    pub now: &'a str,
}

/// The log of a task of a batch, and the key of the agent that the task is for.
pub type TaskLog = (String, String);

#[derive(Debug, Clone)]
pub struct HandedCard {
    pub id: ContentId,
    /// How it came here.
    pub given: CardSource,
    pub card: ReadCard,
}

#[derive(Debug, Clone)]
pub struct HandoverPlan {
    pub cards: Vec<HandedCard>,
    pub new_cards: Vec<PreparedCard>,
    /// The boxes to be written, each after those that it names.
    pub new_boxes: Vec<BoxSnapshot>,
    pub context_box: ContentId,
    pub profile_box: ContentId,
    pub output_box: LogName,
    /// What the user may have expected to be inherited, and is not.
    pub notes: Vec<String>,
}

pub fn plan(
    request: &HandoverRequest<'_>,
    store: &CardStore,
    writer: CardWriter<'_>,
) -> Result<HandoverPlan, CardError> {
    let HandoverRequest { recipe, arguments, to, .. } = *request;
    arguments.check(request.name, recipe)?;
    let strategy = arguments.strategy()?;
    let (inherited, mut notes) = inherited(request, store, strategy)?;
    // People launch; else it is an agent that hands over.
    if request.from.is_none() && recipe.inherit_context.include_parent && request.name != "launch" {
        notes.push("no card says who hands over, since there is no `--from`".to_owned());
    }
    let own_cards = own_cards(request, writer)?;
    let mut own = writer.prepare(own_cards.iter().map(|own| own.card.clone()).collect())?;
    for (card, own) in own.iter_mut().zip(&own_cards) {
        card.card.check_metadata()?;
        card.redacted += usize::from(own.redacted);
    }
    let profile = writer.prepare(vec![json!({
        "type": "sys.profile",
        "author_id": to.key,
        "content": {"kind": "json", "value": request.profile},
    })])?;
    for card in own.iter().chain(&profile) {
        if store.is_deleted(&card.id)? {
            return Err(CardError::NotFound(format!("card not found: {} was deleted, and stays deleted", card.id)));
        }
    }

    let logs = inherited.iter().filter(|content| content.id.is_none());
    let mut new_boxes: Vec<BoxSnapshot> = logs.map(BoxContent::snapshot).collect();
    let parent_ids = inherited.iter().map(BoxContent::snapshot_id).collect();
    let own_ids: BTreeSet<&ContentId> = own.iter().map(|card| &card.id).collect();
    let mut seen = BTreeSet::new();
    let mut cards = Vec::new();
    for id in inherited.iter().flat_map(|content| &content.card_ids) {
        // A card that is given with this task is no history, also if it was given before.
        if seen.insert(id) && !own_ids.contains(id) {
            cards.push(HandedCard {
                id: id.clone(),
                given: CardSource::Inherited,
                card: read(store, id, request.now)?,
            });
        }
    }
    let mut added = BTreeSet::new();
    for (card, own) in own.iter().zip(&own_cards).filter(|(card, _)| added.insert(&card.id)) {
        cards.push(HandedCard { id: card.id.clone(), given: own.given, card: Ok(Box::new(card.card.clone())) });
    }
    if cards.is_empty() {
        return Err(CardError::bad("the handover hands nothing over: give an argument, or a box with cards"));
    }
    distinct(&cards)?;

    let context = BoxSnapshot::new(cards.iter().map(|card| card.id.clone()).collect(), parent_ids);
    let context_box = context.id();
    let profile_snapshot = BoxSnapshot::new(profile.iter().map(|card| card.id.clone()).collect(), Vec::new());
    let profile_box = profile_snapshot.id();
    let output_box = match strategy {
        TargetStrategy::Reuse => own_log(to)?,
        // The same handover has the same log on every branch.
        _ => LogName::new(&format!("{}{}", fresh_begin(to), context_box.short()))?,
    };
    writer.check_name(output_box.as_str(), "the log's name")?;
    new_boxes.extend([profile_snapshot, context]);
    let new_cards = own.into_iter().chain(profile).collect();
    Ok(HandoverPlan { cards, new_cards, new_boxes, context_box, profile_box, output_box, notes })
}

/// Reads a handover again that was made before; `own` are the cards that it added.
pub fn replay(
    context_box: &str,
    profile_box: &str,
    output_box: &str,
    own: &BTreeMap<&str, CardSource>,
    store: &CardStore,
    now: &str,
) -> Result<HandoverPlan, CardError> {
    let id = |typed: &str| store.find(CardFileKind::Box, typed)?.ok_or_else(|| CardError::box_not_found(typed));
    let (context_box, profile_box) = (id(context_box)?, id(profile_box)?);
    let output_box = LogName::new(output_box)?;
    let mut cards = Vec::new();
    for id in store.existing_box(&context_box.to_string())?.card_ids {
        let given = own.get(id.to_string().as_str()).copied().unwrap_or(CardSource::Inherited);
        cards.push(HandedCard { card: read(store, &id, now)?, given, id });
    }
    let (new_cards, new_boxes, notes) = (Vec::new(), Vec::new(), Vec::new());
    Ok(HandoverPlan { cards, new_cards, new_boxes, context_box, profile_box, output_box, notes })
}

/// Returns the log of an agent, which is named by the stem of its file.
pub fn own_log(agent: &Party) -> Result<LogName, CardError> {
    LogName::new(&agent.stem).or_else(|_| LogName::new(&slug(&agent.stem))).map_err(|_| {
        CardError::bad(format!(
            "`{}` can be no name of a log, so that the agent has none of its own (help: rename its file, or hand over with `{TARGET_STRATEGY}=new`)",
            agent.stem
        ))
    })
}

/// Returns what the names of the logs of an agent's handovers begin with.
fn fresh_begin(agent: &Party) -> String {
    let mut name = slug(&agent.stem);
    name.truncate(80);
    let begin = name.trim_start_matches(|c: char| !c.is_ascii_alphanumeric());
    format!("{}-", if begin.is_empty() { "agent" } else { begin })
}

/// Returns whether a log is an agent's own: named like its file, or that of a handover or a task of a batch for it.
pub fn is_own_log(agent: &Party, log: &str, task_logs: &[TaskLog]) -> bool {
    let is_of_handover = log.strip_prefix(&fresh_begin(agent)).is_some_and(|end| is_hex(end, 12..=12));
    let is_of_task = || task_logs.iter().any(|(of_task, key)| of_task == log && *key == agent.key);
    is_of_handover || own_log(agent).is_ok_and(|own| own.as_str() == log) || is_of_task()
}

/// Returns the logs of an agent, the one with the last append first: its current output.
///
/// The last append is the one with the highest clock, of two with one clock the one with the higher hash. An append whose clock
/// jumped, by hand, is no later than the others.
pub fn logs_of(agent: &Party, store: &CardStore, task_logs: &[TaskLog]) -> Result<Vec<LogName>, CardError> {
    let appends = store.appends()?;
    let highest = LogEntry::highest(appends.iter().map(|(entry, _)| entry));
    let (known, jumped): (Vec<_>, Vec<_>) = appends.into_iter().partition(|(entry, _)| entry.clock <= highest);
    let mut seen = BTreeSet::new();
    let last = known.into_iter().rev().chain(jumped).map(|(_, log)| log).filter(|log| seen.insert(log.clone()));
    Ok(last.filter(|log| is_own_log(agent, log.as_str(), task_logs)).collect())
}

fn inherited(
    request: &HandoverRequest<'_>,
    store: &CardStore,
    strategy: TargetStrategy,
) -> Result<(Vec<BoxContent>, Vec<String>), CardError> {
    let mut boxes = request.boxes.iter().map(|name| store.existing_box(name)).collect::<Result<Vec<_>, _>>()?;
    let given = boxes.clone();
    for name in request.arguments.boxes(request.recipe)? {
        let content = store.existing_box(name)?;
        let log = content.log();
        let is_given = given.iter().any(|known| known.covers(&content));
        let tasks = request.task_logs;
        let is_own = || matches!((request.from, log), (Some(source), Some(log)) if is_own_log(source, log, tasks));
        let is_allowed = || log.is_some_and(|log| request.recipe.allow.iter().any(|glob| glob.is_match(log)));
        if !is_given && !is_own() && !is_allowed() {
            return Err(unauthorized(request, name));
        }
        boxes.push(content);
    }
    let mut notes = Vec::new();
    for content in boxes.iter().filter(|content| !content.parent_ids.is_empty()) {
        let parents: Vec<String> = content.parent_ids.iter().map(|id| format!("`--box {}`", &id.hex()[..12])).collect();
        let name = content.id.as_ref().map_or(content.name.as_str(), ContentId::short);
        notes.push(format!(
            "the box {name} continues others, which are not inherited; give them, before it, by {}",
            parents.join(" ")
        ));
    }
    if request.arguments.include_history()? || strategy == TargetStrategy::Clone {
        let no_source = "what the source did last is inherited, but there is no source (help: name it with `--from`)";
        let source = request.from.ok_or_else(|| CardError::bad(no_source))?;
        let logs = logs_of(source, store, request.task_logs)?;
        let Some((last, others)) = logs.split_first() else {
            let (own, key) = (own_log(source)?, &source.key);
            let own = own.as_str();
            return Err(CardError::NotFound(format!(
                "box not found: {own} (help: {key} has no log yet: `contextpack box append {own} CARD` begins its own)"
            )));
        };
        let is_known = |log: &&LogName| boxes.iter().any(|content| content.log() == Some(log.as_str()));
        let others = others.iter().filter(|log| !is_known(log)).map(|log| format!("`--box {}`", log.as_str()));
        let others: Vec<String> = others.collect();
        if !others.is_empty() {
            let more = others.len().saturating_sub(MOST_NAMED);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            let others = others[..others.len().min(MOST_NAMED)].join(", ");
            let (key, last) = (&source.key, last.as_str());
            notes.push(format!("of the logs of {key} the last is inherited, `{last}`; give others by {others}{more}"));
        }
        boxes.push(store.existing_box(last.as_str())?);
    }
    Ok((boxes, notes))
}

fn unauthorized(request: &HandoverRequest<'_>, name: &str) -> CardError {
    let has_list = !request.boxes.is_empty() || !request.recipe.allow.is_empty();
    let why = if has_list { "" } else { ": inherit_context requires authorized_inherit_box_ids" };
    let is_own = !crate::config::is_builtin_recipe(request.name);
    let or = if is_own { ", or name its log under `allow` of the recipe" } else { "" };
    CardError::Unauthorized(format!("unauthorized box_id: {name}{why} (help: give it by `--box` too{or})"))
}

/// A card that a handover adds.
struct OwnCard {
    card: Value,
    /// Whether a secret was removed that only the name of the argument or its type makes one.
    redacted: bool,
    given: CardSource,
}

/// Returns the cards that the handover adds: those of its arguments, and the one that names its source.
fn own_cards(request: &HandoverRequest<'_>, writer: CardWriter<'_>) -> Result<Vec<OwnCard>, CardError> {
    let HandoverRequest { name, recipe, arguments, to, from, root, .. } = *request;
    // Two handovers of one text to different agents, or about different items, are different.
    let mut about = Map::new();
    about.insert("recipe".to_owned(), name.into());
    about.insert("to".to_owned(), to.key.as_str().into());
    about.extend(from.map(|from| ("from".to_owned(), from.key.as_str().into())));
    about.extend(root.map(|root| ("root".to_owned(), root.into())));
    let mut cards = arguments.cards(recipe, writer)?;
    for OwnCard { card, .. } in &mut cards {
        card["author_id"] = name.into();
        card["metadata"]["handover"] = about.clone().into();
    }
    if let Some(from) = from.filter(|_| recipe.inherit_context.include_parent) {
        let card = json!({
            "type": "meta.parent_pointer",
            "role": "system",
            "author_id": from.key,
            "content": {"kind": "json", "value": {"parent_agent_id": from.key}},
            "metadata": {"handover": about},
        });
        cards.push(OwnCard { card, redacted: false, given: CardSource::ParentPointer });
    }
    Ok(cards)
}

fn read(store: &CardStore, id: &ContentId, now: &str) -> Result<ReadCard, CardError> {
    match store.card_in_use(id, now)? {
        Err("not found") => Err(CardError::card_not_found(&id.to_string())),
        read => Ok(read),
    }
}

/// Checks that no two cards have the same first digits, by which the sections of a pack are named.
fn distinct(cards: &[HandedCard]) -> Result<(), CardError> {
    let mut known: BTreeMap<&str, &ContentId> = BTreeMap::new();
    for card in cards {
        if let Some(other) = known.insert(card.id.short(), &card.id) {
            let why = format!("{other} and {} begin alike, so that a pack cannot hold both", card.id);
            return Err(CardError::Invalid(why));
        }
    }
    Ok(())
}

#[derive(Debug, Clone, Default)]
pub struct RecipeArguments(pub BTreeMap<String, Value>);

impl RecipeArguments {
    /// Checks that the recipe knows every argument, and that none is missing.
    fn check(&self, name: &str, recipe: &Recipe) -> Result<(), CardError> {
        let known = recipe.arguments();
        for key in self.0.keys() {
            if !known.contains(&key.as_str()) {
                let help = did_you_mean(key, known.iter().copied());
                return Err(CardError::bad(format!("the recipe `{name}` has no argument `{key}` (help: {help})")));
            }
        }
        if let Some((key, _)) = self.0.iter().find(|(_, value)| value.is_null()) {
            return Err(CardError::bad(format!("`{key}` is null: leave it out")));
        }
        match recipe.required.iter().find(|key| !self.0.contains_key(*key)) {
            None => Ok(()),
            Some(key) => {
                let help = format!("give it as `--arg {key}=TEXT`");
                Err(CardError::bad(format!("the recipe `{name}` needs the argument `{key}` (help: {help})")))
            }
        }
    }

    fn strategy(&self) -> Result<TargetStrategy, CardError> {
        let Some(value) = self.0.get(TARGET_STRATEGY) else { return Ok(TargetStrategy::New) };
        let bad = |_| CardError::bad(format!("`{TARGET_STRATEGY}` must be `new`, `reuse` or `clone`"));
        serde_json::from_value(value.clone()).map_err(bad)
    }

    fn include_history(&self) -> Result<bool, CardError> {
        let Some(value) = self.0.get(INCLUDE_HISTORY) else { return Ok(false) };
        let included = value.as_bool().or_else(|| value.as_str()?.parse().ok());
        included.ok_or_else(|| CardError::bad(format!("`{INCLUDE_HISTORY}` must be `true` or `false`")))
    }

    /// Returns the boxes that the recipe's arguments name, in order.
    fn boxes(&self, recipe: &Recipe) -> Result<Vec<&str>, CardError> {
        let mut boxes = Vec::new();
        for key in &recipe.inherit_context.include_boxes_from_args {
            let bad = || CardError::bad(format!("{key} must be a box_id or list[box_id]"));
            let names = match self.0.get(key) {
                None => continue,
                Some(Value::Array(names)) => names.as_slice(),
                Some(name) => std::slice::from_ref(name),
            };
            for name in names {
                boxes.push(name.as_str().ok_or_else(bad)?);
            }
        }
        Ok(boxes)
    }

    /// Returns the cards that the recipe makes of the arguments.
    fn cards(&self, recipe: &Recipe, writer: CardWriter<'_>) -> Result<Vec<OwnCard>, CardError> {
        let mut cards = Vec::new();
        for rule in &recipe.pack_arguments {
            let Some(value) = self.0.get(&rule.arg_key) else { continue };
            let key = &rule.arg_key;
            let (value, by_key) = writer.value_of(key, value);
            let last_word = rule.as_card_type.rsplit('.').next().unwrap_or_default();
            let (value, by_type) = writer.value_of(last_word, &value);
            let content = match &value {
                _ if rule.as_card_type == "task.result_fields" => fields(key, &value)?,
                Value::Array(_) | Value::Object(_) => json!({"kind": "json", "value": value}),
                Value::String(text) if text.trim().is_empty() => {
                    return Err(CardError::bad(format!("`{key}` is empty: give it a text")));
                }
                Value::String(text) => json!({"kind": "text", "text": text}),
                scalar => json!({"kind": "text", "text": scalar.to_string()}),
            };
            let mut metadata: serde_json::Map<String, Value> =
                rule.card_metadata.iter().map(|(key, value)| (key.clone(), value.as_str().into())).collect();
            let mut card = json!({"type": rule.as_card_type, "content": content});
            if let Some(role) = metadata.remove("role") {
                card["role"] = role;
            } else if Role::of_type(&rule.as_card_type).is_none() {
                card["role"] = "user".into();
            }
            card["metadata"] = metadata.into();
            cards.push(OwnCard { card, redacted: by_key || by_type, given: CardSource::Argument });
        }
        Ok(cards)
    }
}

fn fields(key: &str, value: &Value) -> Result<Value, CardError> {
    let is_field = |field: &Value| {
        let Some(field) = field.as_object() else { return false };
        ["name", "description"].iter().all(|name| field.get(*name).is_some_and(Value::is_string))
    };
    match value {
        Value::Array(fields) if fields.iter().all(is_field) => Ok(json!({"kind": "fields_schema", "fields": fields})),
        _ => Err(CardError::bad(format!("{key} (task.result_fields) must be a list of {{name, description}}"))),
    }
}
