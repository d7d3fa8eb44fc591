//! Runs `tests/cases/knowledge.yml`: heads of documents, and templates of agents.

use super::secrecy::secret_line;
use super::template::{BUILT_IN_TEMPLATE, NewAgent};
use crate::model::Value;
use serde::Deserialize;

type Template = (String, Result<String, (usize, String)>);

#[derive(Deserialize)]
struct Cases {
    /// Heads that say that their document holds secrets.
    secret: Vec<String>,
    /// Texts with the line that says so.
    lines: Vec<(u32, String)>,
    open: Vec<String>,
    agent: NewAgent,
    /// Templates with what they become for the agent, or the line of an unknown placeholder and the help for it.
    templates: Vec<Template>,
    /// A template whose front matter has to stay YAML, with its values.
    quoted: (String, Vec<(String, String)>),
}

#[test]
fn documents_and_templates_are_read_as_their_cases_say() {
    let cases = serde_yaml::from_str::<Cases>(include_str!("knowledge.yml"));
    let Cases { secret, lines, open, agent, templates, quoted } = cases.unwrap_or_else(|error| panic!("{error}"));
    for head in secret {
        assert!(secret_line(&format!("{head}# Text\n\nA body.\n")).is_some(), "{head:?}");
    }
    for (line, text) in lines {
        assert_eq!(secret_line(&text), Some(line), "{text:?}");
    }
    for text in open {
        assert_eq!(secret_line(&text), None, "{text:?}");
    }
    for (template, gives) in templates {
        let filled = agent.fill(&template).map_err(|error| (error.line, error.help()));
        assert_eq!(filled, gives, "{template}");
    }
    let with_role = agent.fill(BUILT_IN_TEMPLATE).unwrap_or_default();
    let without = NewAgent { role: None, ..agent.clone() };
    assert!(with_role.contains("## Role") && !without.fill(BUILT_IN_TEMPLATE).unwrap_or_default().contains("## Role"));
    let text = without.fill("---\nx: 1\n---\n{{AGENT_ROLE_DETAILS}}").unwrap_or_default();
    assert!(text.ends_with("\nFind {{TOOLS_LIST}} and report."), "{text}");
    let read = crate::records::read_front_matter(&agent.fill(&quoted.0).unwrap_or_default());
    assert_eq!(read.fault, None);
    let shown = |(key, node): (String, crate::model::Node<String>)| match node.value {
        Value::Scalar { text, .. } => (key, text),
        Value::List(nodes) => (key, format!("{} entries", nodes.len())),
        other => (key, format!("{other:?}")),
    };
    assert_eq!(read.pairs.into_iter().map(shown).collect::<Vec<_>>(), quoted.1);
}
