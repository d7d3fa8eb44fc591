//! What the server offers: its tools, its prompt, and what it says about them. All of it is in `offer.json`.
//!
//! Every agent pays for these texts in each of its sessions, so that a test holds them below 600 tokens.

use rmcp::model::{Prompt, ResourceTemplate, Tool};
use serde::{Deserialize, Serialize};
use std::sync::LazyLock;

pub(super) const PACK: &str = "get_context_pack";

pub(super) const LIST: &str = "list_work_items";

pub(super) const EXPLAIN: &str = "explain";

pub(super) const WORK_ON: &str = "work_on";

/// What a client reads about the server.
#[derive(Serialize, Deserialize)]
pub(super) struct Offer {
    pub(super) instructions: String,
    pub(super) tools: Vec<Tool>,
    pub(super) prompts: Vec<Prompt>,
    pub(super) templates: Vec<ResourceTemplate>,
}

pub(super) fn offer() -> &'static Offer {
    #[expect(clippy::expect_used, reason = "the file is part of the program, and a test reads it")]
    static OFFER: LazyLock<Offer> =
        LazyLock::new(|| serde_json::from_str(include_str!("offer.json")).expect("`offer.json` is valid"));
    &OFFER
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use crate::config::Policy;
    use crate::engine::count_tokens;

    #[test]
    fn all_that_an_agent_reads_takes_less_than_600_tokens() {
        let tokens = count_tokens(&serde_json::to_string(offer()).unwrap());
        assert!(tokens < 600, "{tokens}");
    }

    #[test]
    fn every_tool_only_reads_and_names_the_policies_that_there_are() {
        for tool in &offer().tools {
            assert_eq!(tool.annotations.as_ref().unwrap().read_only_hint, Some(true), "{}", tool.name);
            assert!(!tool.input_schema.contains_key("$schema"));
        }
        let policies = &offer().tools[0].input_schema["properties"]["policy"]["enum"];
        assert_eq!(*policies, serde_json::json!(Policy::ALL.map(Policy::name)));
    }
}
