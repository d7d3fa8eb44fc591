//! The files of new agents, made from a template.

use crate::markdown::front_matter::front_matter;
use std::fmt::Write as _;

/// The template that is used unless the repo has its own.
pub const BUILT_IN_TEMPLATE: &str = include_str!("agent_template.md");

/// What a new agent is made of.
#[derive(Debug, Clone, Default)]
pub struct NewAgent {
    /// Its name.
    pub name: String,
    /// What it is for.
    pub purpose: String,
    /// What it does, in more detail.
    pub role: Option<String>,
    /// The tools that it has.
    pub tools: Vec<String>,
}

/// A placeholder that nobody knows.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: `{{{{{name}}}}}` is no placeholder")]
pub struct TemplateError {
    /// Its name.
    pub name: String,
    /// Its line, from 1.
    pub line: usize,
}

/// The placeholders of a template.
const PLACEHOLDERS: [&str; 4] = ["AGENT_NAME", "AGENT_PURPOSE", "AGENT_ROLE_DETAILS", "TOOLS_LIST"];

impl TemplateError {
    /// Returns what to do about it.
    pub fn help(&self) -> String {
        super::agent::suggestion(&self.name, &PLACEHOLDERS)
    }
}

impl NewAgent {
    /// Returns the stem of its file: the name in lower case, with `-` between its words.
    pub fn stem(&self) -> String {
        crate::model::slug(&self.name)
    }

    /// Fills a template in. A template without a front matter gets one.
    ///
    /// Values are never searched for placeholders.
    ///
    /// # Errors
    /// If the template has an unknown placeholder.
    pub fn fill(&self, template: &str) -> Result<String, TemplateError> {
        let role = self.role.clone().unwrap_or_else(|| sentence(&self.purpose));
        let tools = match &self.tools[..] {
            [] => "- none".to_owned(),
            tools => tools.iter().map(|tool| format!("- {tool}")).collect::<Vec<_>>().join("\n"),
        };
        // Without a role its section would say the purpose once more.
        let without_role = (self.role.is_none() && template == BUILT_IN_TEMPLATE)
            .then(|| template.replacen("## Role\n\n{{AGENT_ROLE_DETAILS}}\n\n", "", 1));
        let template = without_role.as_deref().unwrap_or(template);
        let mut filled = String::new();
        let mut rest = template;
        while let Some(open) = rest.find("{{") {
            let inside = &rest[open + 2..];
            let name = inside.find("}}").map(|close| &inside[..close]).filter(|name| is_placeholder(name));
            let Some(name) = name else {
                filled.push_str(&rest[..open + 2]);
                rest = inside;
                continue;
            };
            filled.push_str(&rest[..open]);
            rest = &inside[name.len() + 2..];
            filled.push_str(match name.trim() {
                "AGENT_NAME" => &self.name,
                "AGENT_PURPOSE" => &self.purpose,
                "AGENT_ROLE_DETAILS" => &role,
                "TOOLS_LIST" => &tools,
                name => {
                    let line = template[..template.len() - rest.len()].matches('\n').count() + 1;
                    return Err(TemplateError { name: name.to_owned(), line });
                }
            });
        }
        filled.push_str(rest);
        if front_matter(template).is_some() {
            return Ok(filled);
        }
        Ok(format!("{}\n{}", self.front_matter(), filled.trim_start()))
    }

    fn front_matter(&self) -> String {
        let mut yaml = format!("---\nname: {}\npurpose: {}\n", quoted(&self.name), quoted(&self.purpose));
        // Writing to a `String` cannot fail.
        if let Some(role) = &self.role {
            let _ = writeln!(yaml, "role: {}", quoted(role));
        }
        if !self.tools.is_empty() {
            let tools: Vec<String> = self.tools.iter().map(|tool| quoted(tool)).collect();
            let _ = writeln!(yaml, "tools: [{}]", tools.join(", "));
        }
        yaml.push_str("---\n");
        yaml
    }
}

/// Returns whether a text between braces has the form of a placeholder.
fn is_placeholder(name: &str) -> bool {
    !name.trim().is_empty() && name.len() <= 64 && !name.contains(['{', '}', '\n'])
}

/// Returns a text as a sentence: with a capital and a full stop.
fn sentence(text: &str) -> String {
    let text = text.trim();
    let mut chars = text.chars();
    let first: String = chars.next().map(|c| c.to_uppercase().collect()).unwrap_or_default();
    let stop = if text.ends_with(['.', '!', '?', '。']) || text.is_empty() { "" } else { "." };
    format!("{first}{}{stop}", chars.as_str())
}

/// Returns a text as a scalar of YAML in double quotes, which JSON's are.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    fn agent() -> NewAgent {
        let purpose = "find {{TOOLS_LIST}} and report".to_owned();
        NewAgent { name: "Research: \"Lead\"".to_owned(), purpose, role: None, tools: vec!["search".to_owned()] }
    }

    #[test]
    fn values_are_never_searched_for_placeholders() {
        let text =
            agent().fill("---\nname: x\n---\n{{AGENT_PURPOSE}} | {{ TOOLS_LIST }} | {{AGENT_ROLE_DETAILS}}").unwrap();
        let tail = "find {{TOOLS_LIST}} and report | - search | Find {{TOOLS_LIST}} and report.";
        assert_eq!(text, format!("---\nname: x\n---\n{tail}"));
    }

    #[test]
    fn a_template_without_front_matter_gets_one() {
        let text = agent().fill("# {{AGENT_NAME}}\n").unwrap();
        assert!(text.starts_with("---\nname: \"Research: \\\"Lead\\\"\"\npurpose: "), "{text}");
        assert!(text.ends_with("tools: [\"search\"]\n---\n\n# Research: \"Lead\"\n"), "{text}");
    }

    #[test]
    fn the_built_in_template_says_the_purpose_once() {
        let count = |agent: NewAgent| {
            let text = agent.fill(BUILT_IN_TEMPLATE).unwrap();
            (text.matches("## Role").count(), text.to_lowercase().matches("and report").count())
        };
        assert_eq!(count(agent()), (0, 2), "once in the front matter, once below");
        assert_eq!(count(NewAgent { role: Some("x".to_owned()), ..agent() }), (1, 2));
    }

    #[test]
    fn an_unknown_placeholder_is_an_error_with_its_line() {
        let error = agent().fill("a\n{{AGENT_NAMES}}").unwrap_err();
        assert_eq!((error.line, error.help().as_str()), (2, "did you mean `AGENT_NAME`?"));
        for unknown in ["x y", "agent.name", "tools"] {
            assert_eq!(agent().fill(&format!("a\n\n{{{{ {unknown} }}}}")).unwrap_err().line, 3, "{unknown}");
        }
        assert_eq!(agent().fill("{{agent name}}").unwrap_err().help(), "did you mean `AGENT_NAME`?");
        let none = "{{}} {{ }} {{a\nb}} {{ open";
        assert!(agent().fill(none).unwrap().ends_with(none));
    }
}
