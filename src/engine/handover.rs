//! Cards of a handover → what packs show of them.

use super::agents::AgentContext;
use super::reader::{merged, recorded};
use super::{EngineError, Project};
use crate::graph::RecordedRemoval;
use crate::handoff::cards::{Card, CardContent, CardWriter, ToolCall};
use crate::handoff::handover::{HandedCard, HandoverPlan};
use crate::redact::{Clean, CleanBuf, Environment, Piece, Redactor};
use crate::select::{CardContentText, CardText, HandedOver, HandoverLabel};
use rayon::prelude::*;
use serde_json::Value;
use std::sync::Arc;

impl Project<'_> {
    /// Prepares packs for the agent that a handover is for: without recent changes, so that they can be committed.
    pub(crate) fn agent_of_handover(&self, name: &str) -> Result<AgentContext, EngineError> {
        self.agent_without_changes(name, None, None)
    }

    pub(crate) fn handed_over(&self, recipe: &str, from: Option<&str>, plan: &HandoverPlan) -> Arc<HandedOver> {
        let redactor = &self.reader.redactor;
        let id = |hex: &str| CleanBuf::new().lit("sha256:").hex(hex).finish();
        let label = HandoverLabel {
            recipe: recipe.to_owned(),
            from: from.map(|from| self.reader.line("key", from)),
            context_box: id(plan.context_box.hex()),
            profile_box: id(plan.profile_box.hex()),
            output_box: self.reader.line("box", plan.output_box.as_str()),
        };
        let cards = plan.cards.par_iter().map(|card| redacted_card(redactor, card)).collect();
        Arc::new(HandedOver { label, cards })
    }
}

fn redacted_card(redactor: &Redactor, handed: &HandedCard) -> CardText {
    let content = handed.card.as_ref().map_err(|why| *why).map(|card| card_text(redactor, card));
    CardText { hex: handed.id.hex().to_owned(), given: handed.given, content }
}

/// Returns what a card says, redacted value by value, as Markdown.
pub fn card_text(redactor: &Redactor, card: &Card) -> CardContentText {
    let (text, removals) = value_by_value(redactor, card);
    // A card that was made by hand may hold a secret that only its neighbour in the JSON makes one.
    let no_environment = Environment::new(std::iter::empty());
    let Ok((scrubbed, true)) = CardWriter::new(redactor, &no_environment).scrubbed(card) else {
        return CardContentText { removals, ..text };
    };
    let json = serde_json::to_string(card).unwrap_or_default();
    let beside = redactor.scrub("", &[Piece { key: "", text: &json, line: 1 }]).removals.into_iter();
    let mut removals = removals;
    for removal in beside.map(|removal| recorded(removal, "body")) {
        if !removals.iter().any(|known| known.rule == removal.rule) {
            removals.push(removal);
        }
    }
    removals.sort();
    CardContentText { removals, ..value_by_value(redactor, &scrubbed).0 }
}

fn value_by_value(redactor: &Redactor, card: &Card) -> (CardContentText, Vec<RecordedRemoval>) {
    // The texts are collected in a fixed order, and put together again from the redacted ones in the same order.
    let mut raw: Vec<(String, String)> = Vec::new();
    put_together(card, &mut |key, text| {
        raw.push((key.to_owned(), text.to_owned()));
        Clean::default()
    });
    let pieces: Vec<Piece<'_>> = raw.iter().map(|(key, text)| Piece { key, text, line: 1 }).collect();
    let scrubbed = redactor.scrub("", &pieces);
    let mut texts = scrubbed.texts.into_iter();
    let [kind, author, parties, text] = put_together(card, &mut |_, _| texts.next().unwrap_or_default());
    let removals = scrubbed.removals.into_iter().map(|removal| recorded(removal, "body"));
    let removals = merged(removals.collect());
    let role = card.role.name();
    (CardContentText { kind, role, author, parties, text, removals: Vec::new() }, removals)
}

type Cleaned<'a> = dyn FnMut(&str, &str) -> Clean + 'a;

fn put_together(card: &Card, clean: &mut Cleaned<'_>) -> [Clean; 4] {
    let kind = clean("type", &card.kind);
    let author = clean("author_id", &card.author_id);
    let mut parties = CleanBuf::new();
    for (name, word) in [("from", "from "), ("to", "to ")] {
        let party = card.metadata.get("handover").and_then(|handover| handover.get(name)).and_then(Value::as_str);
        if let Some(party) = party.map(|party| clean(name, party)) {
            parties.lit(if parties.is_empty() { "" } else { " " }).lit(word).line(&party);
        }
    }
    let mut text = CleanBuf::new();
    match &card.content {
        CardContent::Json { value } if card.kind == "meta.parent_pointer" && parent(value).is_some() => {
            let parent = clean("parent_agent_id", parent(value).unwrap_or_default());
            text.lit("The agent `").line(&parent).lit("` hands this task over.");
        }
        CardContent::Text { text: body } => {
            text.text(&clean("body", body).trimmed());
        }
        CardContent::Json { value } => json(&mut text, value, clean),
        CardContent::FieldsSchema { fields } => {
            text.lit("The fields of the result:\n");
            for field in fields {
                let (name, description) = (clean("name", &field.name), clean("description", &field.description));
                text.lit("\n- ").line(&name).lit(": ").line(&description);
            }
        }
        CardContent::File { path, uri, sha256 } => {
            let place = clean("path", path.as_ref().or(uri.as_ref()).map_or("", String::as_str));
            text.lit("File ").line(&place).lit(", SHA-256 ").hex(sha256);
        }
        CardContent::ToolCall { tool_name, arguments } => call(&mut text, tool_name, arguments, clean),
        CardContent::ToolResult { status, result, error, after_execution } => {
            text.lit("Status: ").line(&clean("status", status));
            if let Some(next) = after_execution {
                text.lit(", then ").line(&clean("after_execution", next));
            }
            if let Some(error) = error {
                text.lit("\n\nError ").line(&clean("code", &error.code)).lit(": ");
                text.text(&clean("message", &error.message).trimmed());
            }
            if let Some(result) = result {
                text.lit("\n\n");
                json(&mut text, result, clean);
            }
        }
    }
    for ToolCall { tool_name, arguments, .. } in card.tool_calls.iter().flatten() {
        if !text.is_empty() {
            text.lit("\n\n");
        }
        call(&mut text, tool_name, arguments, clean);
    }
    [kind, author, parties.finish(), text.finish()]
}

/// Returns the agent that a parent pointer names, if that is all it holds.
fn parent(value: &Value) -> Option<&str> {
    value.as_object().filter(|fields| fields.len() == 1)?.get("parent_agent_id")?.as_str()
}

fn call(text: &mut CleanBuf, tool: &str, arguments: &Value, clean: &mut Cleaned<'_>) {
    text.lit("Calls ").line(&clean("tool_name", tool)).lit(":\n\n");
    json(text, arguments, clean);
}

fn json(text: &mut CleanBuf, value: &Value, clean: &mut Cleaned<'_>) {
    if let Value::String(body) = value {
        text.text(&clean("body", body).trimmed());
        return;
    }
    text.lit("```json\n");
    write(text, "", value, 0, clean);
    text.lit("\n```");
}

/// Writes a value as JSON with an indent of two spaces; `key` is the one that it is the value of.
fn write(text: &mut CleanBuf, key: &str, value: &Value, depth: usize, clean: &mut Cleaned<'_>) {
    let (begin, end, entries): (_, _, Vec<(Option<&str>, &Value)>) = match value {
        Value::Array(values) => ("[", "]", values.iter().map(|value| (None, value)).collect()),
        Value::Object(fields) => ("{", "}", fields.iter().map(|(name, value)| (Some(&**name), value)).collect()),
        scalar => return write_scalar(text, key, scalar, clean),
    };
    let line = |text: &mut CleanBuf, depth: usize| {
        text.lit("\n");
        for _ in 0..depth {
            text.lit("  ");
        }
    };
    text.lit(begin);
    for (index, (name, value)) in entries.iter().enumerate() {
        text.lit(if index > 0 { "," } else { "" });
        line(text, depth + 1);
        if let Some(name) = name {
            text.json(&clean("", name)).lit(": ");
        }
        write(text, name.unwrap_or(key), value, depth + 1, clean);
    }
    if !entries.is_empty() {
        line(text, depth);
    }
    text.lit(end);
}

fn write_scalar(text: &mut CleanBuf, key: &str, value: &Value, clean: &mut Cleaned<'_>) {
    match value {
        Value::Bool(true) => text.lit("true"),
        Value::Bool(false) => text.lit("false"),
        Value::Number(number) => {
            let digits = number.to_string();
            let number = clean(key, &digits);
            // A number stays one unless it was a secret.
            if *number == *digits || number.is_empty() { text.text(&number) } else { text.json(&number) }
        }
        Value::String(body) => text.json(&clean(key, body)),
        Value::Null | Value::Array(_) | Value::Object(_) => text.lit("null"),
    };
}
