//! What the server offers: its tools, its prompt, and what it says about them.
//!
//! Every agent pays for these texts in each of its sessions, so that a test holds them below 600 tokens.

use crate::config::Policy;
use rmcp::model::{Prompt, PromptArgument, ResourceTemplate, Tool, ToolAnnotations};
use serde_json::{Map, Value, json};

/// What an agent is told about the server.
pub(super) const INSTRUCTIONS: &str = "Context packs of this repo: a work item with what belongs to it, redacted and within a budget. Start work on an item with get_context_pack; what a pack left out is listed with its place.";

/// The name of the tool that returns a pack.
pub(super) const PACK: &str = "get_context_pack";

/// The name of the tool that lists work items.
pub(super) const LIST: &str = "list_work_items";

/// The name of the tool that explains a pack.
pub(super) const EXPLAIN: &str = "explain";

/// The name of the prompt.
pub(super) const WORK_ON: &str = "work_on";

/// Returns the tools.
pub(super) fn tools() -> Vec<Tool> {
    let text = |description: &str| json!({"type": "string", "description": description});
    let root = || text("Id, issue number as \"12\", or path of the item's file");
    let policies = Policy::ALL.map(Policy::name);
    vec![
        tool(
            PACK,
            "Everything to know about one work item, as Markdown. Give root, or agent for the start of its session, or both.",
            json!({
                "root": root(),
                "agent": text("Whom it is for; adds its role and documents"),
                "profile": text("Such as coding, review or drafting"),
                "policy": {"type": "string", "enum": policies, "description": "How much; needs agent"},
                "max_tokens": {"type": "integer", "minimum": 1},
            }),
            &[],
        ),
        tool(
            LIST,
            "Work items of this repo that can be roots of packs.",
            json!({
                "query": text("Words in id, title, type or status"),
                "state": {"type": "string", "enum": ["open", "done", "not_planned", "merged", "unknown"]},
                "limit": {"type": "integer", "minimum": 1, "maximum": 1000, "default": 50},
            }),
            &[],
        ),
        tool(
            EXPLAIN,
            "What a pack holds and left out, and why.",
            json!({"root": root(), "why_not": text("Id or path: why is it not in the pack?")}),
            &["root"],
        ),
    ]
}

fn tool(name: &'static str, description: &'static str, properties: Value, required: &[&str]) -> Tool {
    let mut schema = Map::new();
    schema.insert("type".to_owned(), "object".into());
    schema.insert("properties".to_owned(), properties);
    if !required.is_empty() {
        schema.insert("required".to_owned(), required.into());
    }
    schema.insert("additionalProperties".to_owned(), false.into());
    let annotations = ToolAnnotations::new().read_only(true).open_world(false);
    Tool::new(name, description, schema).with_annotations(annotations)
}

/// Returns the prompts.
pub(super) fn prompts() -> Vec<Prompt> {
    let root = PromptArgument::new("root").with_description("Id, number or path of the work item").with_required(true);
    vec![Prompt::new(WORK_ON, Some("Work on a work item with its context pack"), Some(vec![root]))]
}

/// Returns the templates of the resources.
pub(super) fn templates() -> Vec<ResourceTemplate> {
    let template = ResourceTemplate::new(super::resources::TEMPLATE, "pack");
    vec![template.with_description("The pack of a work item").with_mime_type(MARKDOWN)]
}

/// The type of renderings.
pub(super) const MARKDOWN: &str = "text/markdown";

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use crate::engine::count_tokens;

    #[test]
    fn all_that_an_agent_is_told_takes_less_than_600_tokens() {
        let told = [
            INSTRUCTIONS.to_owned(),
            serde_json::to_string(&tools()).unwrap(),
            serde_json::to_string(&prompts()).unwrap(),
            serde_json::to_string(&templates()).unwrap(),
        ];
        let tokens: Vec<u64> = told.iter().map(|text| count_tokens(text)).collect();
        assert!(tokens.iter().sum::<u64>() < 600, "{tokens:?}");
    }

    #[test]
    fn every_tool_only_reads() {
        for tool in tools() {
            assert_eq!(tool.annotations.unwrap().read_only_hint, Some(true), "{}", tool.name);
            assert!(!tool.input_schema.contains_key("$schema"));
        }
    }
}
