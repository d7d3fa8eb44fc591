//! The arguments of a handover, checked against its recipe.

use crate::config::{INCLUDE_HISTORY, Recipe, TARGET_STRATEGY, TargetStrategy, nearest};
use crate::handoff::cards::{CardError, CardWriter, Role};
use serde_json::{Value, json};
use std::collections::BTreeMap;

#[derive(Debug, Clone, Default)]
pub struct Arguments(pub BTreeMap<String, Value>);

impl Arguments {
    /// Checks that the recipe knows every argument, and that none is missing.
    pub(super) fn check(&self, name: &str, recipe: &Recipe) -> Result<(), CardError> {
        let known = recipe.arguments();
        for key in self.0.keys() {
            if !known.contains(&key.as_str()) {
                let listed = known.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
                let help = match nearest(key, known.iter().copied()) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None if known.is_empty() => "it takes none".to_owned(),
                    None => format!("it takes {listed}"),
                };
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

    pub(super) fn strategy(&self) -> Result<TargetStrategy, CardError> {
        let Some(value) = self.0.get(TARGET_STRATEGY) else { return Ok(TargetStrategy::New) };
        let bad = |_| CardError::bad(format!("`{TARGET_STRATEGY}` must be `new`, `reuse` or `clone`"));
        serde_json::from_value(value.clone()).map_err(bad)
    }

    pub(super) fn include_history(&self) -> Result<bool, CardError> {
        let Some(value) = self.0.get(INCLUDE_HISTORY) else { return Ok(false) };
        let included = value.as_bool().or_else(|| value.as_str()?.parse().ok());
        included.ok_or_else(|| CardError::bad(format!("`{INCLUDE_HISTORY}` must be `true` or `false`")))
    }

    /// Returns the boxes that the recipe's arguments name, in order.
    pub(super) fn boxes(&self, recipe: &Recipe) -> Result<Vec<&str>, CardError> {
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

    /// Returns the cards that the recipe makes of the arguments, each with whether a secret was removed that only the name of
    /// the argument or its type makes one.
    pub(super) fn cards(&self, recipe: &Recipe, writer: CardWriter<'_>) -> Result<Vec<(Value, bool)>, CardError> {
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
                    return Err(CardError::bad(format!("`{key}` is empty")));
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
            cards.push((card, by_key || by_type));
        }
        Ok(cards)
    }
}

fn fields(key: &str, value: &Value) -> Result<Value, CardError> {
    let is_field = |field: &Value| {
        let Some(field) = field.as_object() else { return false };
        field.len() == 2 && ["name", "description"].iter().all(|name| field.get(*name).is_some_and(Value::is_string))
    };
    match value {
        Value::Array(fields) if fields.iter().all(is_field) => Ok(json!({"kind": "fields_schema", "fields": fields})),
        _ => Err(CardError::bad(format!("{key} (task.result_fields) must be a list of {{name, description}}"))),
    }
}
