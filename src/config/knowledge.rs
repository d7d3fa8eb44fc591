//! The settings of agents, their documents and their jobs: `agents:`, `documents:`, `overview:`, `context:`, `jobs:`.

use super::faults::{ConfigFault, shortened};
use super::values::{self, Globs, OneOrMany, checked};
use crate::model::{RepoPath, named_enum};
use serde::{Deserialize, Deserializer};
use std::str::FromStr as _;

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AgentSettings {
    pub include: Globs,
    #[serde(default, deserialize_with = "values::optional_path")]
    pub template: Option<RepoPath>,
    /// The tools that agents may have; `None` for all.
    pub allowed_tools: Option<OneOrMany>,
    /// The skills that agents may have; `None` for all.
    pub allowed_skills: Option<OneOrMany>,
}

/// What the configuration may limit, and the entries that agents may have of it; `None` for all.
pub type Allowed<'a> = [(&'static str, Option<&'a [String]>); 2];

impl AgentSettings {
    pub fn allowed(&self) -> Allowed<'_> {
        [("tools", &self.allowed_tools), ("skills", &self.allowed_skills)]
            .map(|(kind, allowed)| (kind, allowed.as_ref().map(|entries| entries.as_slice())))
    }
}

/// Documents that packs take notes from. A file belongs to the first entry that matches it.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DocumentSource {
    pub include: Globs,
    #[serde(default)]
    pub exclude: Globs,
    pub agent: Option<NameInConfig>,
    #[serde(default)]
    pub pinned: bool,
    #[serde(rename = "type", default)]
    pub kind: DocumentType,
    #[serde(default)]
    sensitivity: Sensitivity,
    #[serde(default)]
    pub weight: i32,
}

impl DocumentSource {
    pub fn is_secret(&self) -> bool {
        self.sensitivity == Sensitivity::ContainsSecrets || self.kind == DocumentType::Credentials
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Sensitivity {
    #[default]
    Normal,
    ContainsSecrets,
}

/// A name in the configuration that only the files of the repo can confirm, with its line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NameInConfig {
    pub name: String,
    /// Its line, from 1.
    pub line: u32,
}

impl<'de> Deserialize<'de> for NameInConfig {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        values::agent_name(deserializer).map(|name| Self { name, line: 0 })
    }
}

named_enum! {
    #[derive(Default)]
    pub enum DocumentType {
        #[default]
        General = "general",
        Playbook = "playbook",
        Reference = "reference",
        Credentials = "credentials",
        StyleGuide = "style_guide",
        ProjectOverview = "project_overview",
        ProjectUser = "project_user",
        AgentSoulTemplate = "agent_soul_template",
    }
}

/// What packs hold besides their root.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ContextSettings {
    pub policy: Policy,
    #[serde(deserialize_with = "count")]
    pub pinned: usize,
    #[serde(deserialize_with = "count")]
    pub bullets: usize,
    #[serde(deserialize_with = "count")]
    pub changes: usize,
    #[serde(deserialize_with = "count")]
    pub relevant: usize,
    #[serde(default, deserialize_with = "values::paths")]
    pub activity: Vec<RepoPath>,
    /// The file with the vectors that say what documents and queries mean.
    #[serde(default, deserialize_with = "values::optional_path")]
    pub vectors: Option<RepoPath>,
    #[serde(default, deserialize_with = "values::optional_path")]
    pub record: Option<RepoPath>,
}

/// What packs hold of code that nothing refers to.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CodeSettings {
    #[serde(deserialize_with = "count")]
    pub likely: usize,
}

fn count<'de, D: Deserializer<'de>>(deserializer: D) -> Result<usize, D::Error> {
    u32::deserialize(deserializer).map(|count| count as usize)
}

named_enum! {
    /// How much packs for an agent hold.
    pub enum Policy {
        /// The agent, the overview, recent changes, and the root's own sections.
        Minimal = "minimal",
        /// Everything but relevant documents.
        Default = "default",
        /// Everything.
        Expanded = "expanded",
    }
}

impl Policy {
    /// Returns the policy with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|policy| policy.name() == name)
    }
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Job {
    pub agent: NameInConfig,
    pub schedule: Option<Schedule>,
    #[serde(default, deserialize_with = "text_if_any")]
    pub intent: Option<String>,
    pub policy: Option<Policy>,
    pub root: Option<String>,
    #[serde(deserialize_with = "values::repo_path")]
    pub instructions: RepoPath,
}

fn text_if_any<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    let text = String::deserialize(deserializer)?;
    Ok(Some(text.trim().to_owned()).filter(|text| !text.is_empty()))
}

impl<'de> Deserialize<'de> for Schedule {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        checked(deserializer, |written: String| {
            Self::parse(&written).map_err(|why| {
                ConfigFault::new(format!("`{}` is not a schedule: {why}", shortened(&written)))
                    .help("write, for example, `0 7 * * 1-5`: at 7:00 UTC on workdays")
            })
        })
    }
}

/// The times at which a job runs: five fields in UTC, 1 is Monday.
#[derive(Debug, Clone)]
pub struct Schedule {
    /// The fields as written, with single spaces between them.
    pub written: String,
    cron: croner::Cron,
}

const FIELDS: [&str; 5] = ["minute", "hour", "day of the month", "month", "day of the week"];

impl Schedule {
    pub fn parse(written: &str) -> Result<Self, String> {
        if written.split_whitespace().count() != 5 {
            return Err(format!("it needs five fields: {}", FIELDS.join(", ")));
        }
        let cron = croner::Cron::from_str(written).map_err(|error| {
            let at_fault = |(index, field): (usize, &str)| {
                let mut alone = ["*"; 5];
                alone[index] = field;
                let error = croner::Cron::from_str(&alone.join(" ")).err()?;
                Some(format!("the {} `{field}`: {error}", FIELDS[index]))
            };
            let field = written.split_whitespace().enumerate().find_map(at_fault);
            field.unwrap_or_else(|| error.to_string())
        })?;
        // Any time will do: days of months and weeks repeat after 28 years.
        let first =
            chrono::DateTime::from_timestamp(0, 0).and_then(|from| cron.find_next_occurrence(&from, false).ok());
        if first.is_none() {
            return Err("it never comes: no month has such a day".to_owned());
        }
        let written = written.split_whitespace().collect::<Vec<_>>().join(" ");
        Ok(Self { written, cron })
    }

    /// Returns the next run after `now` (seconds since the epoch), as RFC 3339 in UTC; `None` if there is none in reach.
    pub fn next(&self, now: i64) -> Option<String> {
        let now = chrono::DateTime::from_timestamp(now, 0)?;
        let next = self.cron.find_next_occurrence(&now, false).ok()?;
        Some(next.format("%Y-%m-%dT%H:%M:%SZ").to_string())
    }
}
