//! The files of new agents, made from a template.

use crate::markdown::front_matter::{front_matter, key};
use crate::model::did_you_mean;
use serde::Serialize;

pub const BUILT_IN_TEMPLATE: &str = include_str!("agent_template.md");

#[derive(Debug, Clone, Default, Serialize)]
#[cfg_attr(test, derive(serde::Deserialize))]
pub struct NewAgent {
    pub name: String,
    pub purpose: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: `{{{{{name}}}}}` is no placeholder")]
pub struct TemplateError {
    pub name: String,
    pub line: usize,
}

const PLACEHOLDERS: [&str; 4] = ["AGENT_NAME", "AGENT_PURPOSE", "AGENT_ROLE_DETAILS", "TOOLS_LIST"];

impl TemplateError {
    pub fn help(&self) -> String {
        did_you_mean(&self.name, PLACEHOLDERS)
    }
}

impl NewAgent {
    /// Returns the stem of its file: the name in lower case, with `-` between its words.
    pub fn stem(&self) -> String {
        crate::model::slug(&self.name)
    }

    /// Fills a template in, which gets a front matter if it has none; values are never searched for placeholders.
    ///
    /// # Errors
    /// If the template has an unknown placeholder.
    pub fn fill(&self, template: &str) -> Result<String, TemplateError> {
        // Without a role its section would say the purpose once more.
        let without_role = (self.role.is_none() && template == BUILT_IN_TEMPLATE)
            .then(|| template.replacen("## Role\n\n{{AGENT_ROLE_DETAILS}}\n\n", "", 1));
        let template = without_role.as_deref().unwrap_or(template);
        let list = |text: &str, values: &[String]| match (text, values) {
            ("TOOLS_LIST", []) => "- none".to_owned(),
            ("TOOLS_LIST", tools) => tools.iter().map(|tool| format!("- {tool}")).collect::<Vec<_>>().join("\n"),
            (_, values) => values.concat(),
        };
        let Some(place) = front_matter(template) else {
            let filled = self.filled(template, 1, &list)?;
            return Ok(format!("{}\n{}", self.front_matter(), filled.trim_start()));
        };
        let (head, body) = template.split_at(place.body);
        let mut filled = String::new();
        for (number, line) in (1..).zip(head.split_inclusive('\n')) {
            filled.push_str(&self.yaml_line(line, number)?);
        }
        filled.push_str(&self.filled(body, usize::try_from(place.body_line).unwrap_or(1), &list)?);
        Ok(filled)
    }

    /// Replaces the placeholders of a part that begins on `line`, by what `write` makes of each name and its values.
    fn filled(
        &self,
        part: &str,
        line: usize,
        write: &dyn Fn(&str, &[String]) -> String,
    ) -> Result<String, TemplateError> {
        let mut filled = String::new();
        let mut rest = part;
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
            let values = match name.trim() {
                "AGENT_NAME" => vec![self.name.clone()],
                "AGENT_PURPOSE" => vec![self.purpose.clone()],
                "AGENT_ROLE_DETAILS" => vec![self.role.clone().unwrap_or_else(|| sentence(&self.purpose))],
                "TOOLS_LIST" => self.tools.clone(),
                name => {
                    let line = line + part[..part.len() - rest.len()].matches('\n').count();
                    return Err(TemplateError { name: name.to_owned(), line });
                }
            };
            filled.push_str(&write(name.trim(), &values));
        }
        filled.push_str(rest);
        Ok(filled)
    }

    /// Fills one line of a front matter in: its value becomes a quoted scalar, a list of them, or lines of a block.
    fn yaml_line(&self, line: &str, number: usize) -> Result<String, TemplateError> {
        let content = line.trim_start_matches([' ', '-']);
        let behind_key = key(content).and_then(|_| Some(content.find(':')? + 1)).unwrap_or(0);
        let value = content[behind_key..].trim();
        let start = line.len() - content.len() + behind_key;
        let has_key = behind_key > 0 || line.trim_start().starts_with("- ");
        let end = line[start..].find(value).map_or(start, |at| start + at);
        let (before, after) = (&line[..end], &line[end + value.len()..]);
        let plain = |_: &str, values: &[String]| values.join(", ");
        let quotes = |values: &[String]| values.iter().map(|value| quoted(value)).collect::<Vec<_>>();
        let is_list =
            value.strip_prefix("{{").and_then(|name| name.strip_suffix("}}")).map(str::trim) == Some("TOOLS_LIST");
        let filled = match value.chars().next() {
            _ if !value.contains("{{") => value.to_owned(),
            Some('#') => self.filled(value, number, &|name, values| plain(name, values).replace('\n', " "))?,
            _ if is_list && behind_key > 0 => format!("[{}]", quotes(&self.tools).join(", ")),
            _ if is_list => {
                let indent = &line[..line.len() - line.trim_start().len()];
                let items = quotes(&self.tools).join(&format!("\n{indent}- "));
                format!("{}{items}", if has_key { "" } else { "- " })
            }
            Some('"') => self.filled(value, number, &|name, values| {
                let quoted = quoted(&plain(name, values));
                quoted[1..quoted.len() - 1].to_owned()
            })?,
            Some('\'') => {
                let write = |name: &str, values: &[String]| plain(name, values).replace('\'', "''").replace('\n', " ");
                self.filled(value, number, &write)?
            }
            Some('[' | '{') if !value.starts_with("{{") => {
                self.filled(value, number, &|_, values| quotes(values).join(", "))?
            }
            _ if has_key => quoted(&self.filled(value, number, &plain)?),
            // A line of a block.
            _ => {
                self.filled(value, number, &|name, values| plain(name, values).replace('\n', &format!("\n{before}")))?
            }
        };
        Ok(format!("{before}{filled}{after}"))
    }

    fn front_matter(&self) -> String {
        // Writing texts to a `String` cannot fail.
        format!("---\n{}---\n", serde_yaml::to_string(self).unwrap_or_default())
    }
}

fn is_placeholder(name: &str) -> bool {
    !name.trim().is_empty() && name.len() <= 64 && !name.contains(['{', '}', '\n'])
}

fn sentence(text: &str) -> String {
    let text = text.trim();
    let mut chars = text.chars();
    let first: String = chars.next().map(|c| c.to_uppercase().collect()).unwrap_or_default();
    let stop = if text.ends_with(['.', '!', '?', '。']) || text.is_empty() { "" } else { "." };
    format!("{first}{}{stop}", chars.as_str())
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
