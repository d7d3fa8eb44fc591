//! The settings of agents, their documents and their jobs: `agents:`, `documents:`, `overview:`, `context:`, `jobs:`.

use super::faults::{ConfigFault, shortened};
use super::schema::all_optional;
use super::settings::Globs;
use super::values::{self, Words, checked};
use crate::model::RepoPath;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};
use std::collections::BTreeMap;
use std::str::FromStr as _;

/// The validated form of `agents:`, `documents:`, `overview:`, `context:` and `jobs:`.
#[derive(Debug, Clone)]
pub struct KnowledgeSettings {
    /// Where agents are.
    pub agents: AgentSettings,
    /// Where documents are. A file belongs to the first entry that matches it.
    pub documents: Vec<DocumentSource>,
    /// The document that says what the project is.
    pub overview: Option<RepoPath>,
    /// The line that names it, from 1.
    pub overview_line: u32,
    /// What packs hold besides their root.
    pub context: ContextSettings,
    /// The tasks that agents do again and again, by name.
    pub jobs: BTreeMap<String, Job>,
}

impl KnowledgeSettings {
    /// Returns the first entry of `documents:` that matches a path.
    pub fn source_of(&self, path: &RepoPath) -> Option<&DocumentSource> {
        let matches = |globs: &globset::GlobSet| globs.is_match(path.as_str());
        self.documents.iter().find(|source| matches(&source.include.set) && !matches(&source.exclude.set))
    }

    /// Returns whether a file is where agents are.
    pub fn is_agent_file(&self, path: &RepoPath) -> bool {
        self.agents.include.set.is_match(path.as_str()) && !path.name().starts_with('_')
    }
}

/// Where the files of agents are.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Agents", transform = all_optional)]
pub struct AgentSettings {
    /// Files that describe an agent each, as globs. Names that begin with `_` are no agents. Default: `agents/*.md`.
    #[schemars(with = "Words")]
    pub include: Globs,
    /// The template of `agent new`. Default: a document of type `agent_soul_template`, else the built-in one.
    #[serde(default, deserialize_with = "values::optional_path")]
    pub template: Option<RepoPath>,
}

/// Documents that packs take notes from. A file belongs to the first entry that matches it.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Documents")]
pub struct DocumentSource {
    /// Files of this entry, as globs.
    #[schemars(with = "Words")]
    pub include: Globs,
    /// Files among them that are none of its documents.
    #[serde(default)]
    #[schemars(with = "Words")]
    pub exclude: Globs,
    /// The agent that alone sees them: its key, the stem of its file or its name. Default: every agent sees them.
    #[schemars(with = "Option<String>")]
    pub agent: Option<NameInConfig>,
    /// Whether every pack that may hold them does. Default: `false`.
    #[serde(default)]
    pub pinned: bool,
    /// What they are. Default: `general`.
    #[serde(rename = "type", default)]
    pub kind: DocumentType,
    /// Whether they hold secrets, so that they are named and never read. Default: `normal`.
    #[serde(default)]
    sensitivity: Sensitivity,
    /// How much they matter among pinned documents: the higher, the earlier. Default: 0.
    #[serde(default)]
    pub weight: i32,
}

impl DocumentSource {
    /// Returns whether they hold secrets.
    pub fn is_secret(&self) -> bool {
        self.sensitivity == Sensitivity::ContainsSecrets || self.kind == DocumentType::Credentials
    }
}

/// Whether a document holds secrets.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Sensitivity {
    /// It does not.
    #[default]
    Normal,
    /// It does: packs name it, and nothing below its front matter is read.
    ContainsSecrets,
}

/// A name in the configuration that only the files of the repo can confirm, with its line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NameInConfig {
    /// The name.
    pub name: String,
    /// Its line, from 1.
    pub line: u32,
}

impl<'de> Deserialize<'de> for NameInConfig {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        values::agent_name(deserializer).map(|name| Self { name, line: 0 })
    }
}

/// What a document is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DocumentType {
    /// Anything else.
    #[default]
    General,
    /// How something is done.
    Playbook,
    /// What is looked up.
    Reference,
    /// Secrets: it is named and never read.
    Credentials,
    /// How texts and code are written.
    StyleGuide,
    /// What the project is. There is one at most.
    ProjectOverview,
    /// Who the project's user is. There is one at most.
    ProjectUser,
    /// The template of `agent new`.
    AgentSoulTemplate,
}

impl DocumentType {
    /// All types.
    pub const ALL: [Self; 8] = [
        Self::General,
        Self::Playbook,
        Self::Reference,
        Self::Credentials,
        Self::StyleGuide,
        Self::ProjectOverview,
        Self::ProjectUser,
        Self::AgentSoulTemplate,
    ];

    /// Returns the name in the configuration and in packs.
    pub fn name(self) -> &'static str {
        match self {
            Self::General => "general",
            Self::Playbook => "playbook",
            Self::Reference => "reference",
            Self::Credentials => "credentials",
            Self::StyleGuide => "style_guide",
            Self::ProjectOverview => "project_overview",
            Self::ProjectUser => "project_user",
            Self::AgentSoulTemplate => "agent_soul_template",
        }
    }
}

/// What packs hold besides their root.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Context", transform = all_optional)]
pub struct ContextSettings {
    /// How much packs for an agent hold. Default: `default`.
    pub policy: Policy,
    /// The most pinned documents of a pack. Default: 10.
    #[serde(deserialize_with = "count")]
    #[schemars(with = "u32")]
    pub pinned: usize,
    /// The most lines of a document's summary. Default: 10.
    #[serde(deserialize_with = "count")]
    #[schemars(with = "u32")]
    pub bullets: usize,
    /// The most recent changes of a pack for an agent. Default: 20.
    #[serde(deserialize_with = "count")]
    #[schemars(with = "u32")]
    pub changes: usize,
    /// The most relevant documents of a pack for an agent. Default: 5.
    #[serde(deserialize_with = "count")]
    #[schemars(with = "u32")]
    pub relevant: usize,
    /// Files with further recent changes: JSON Lines `{"at", "message", "actor"}`.
    #[serde(default, deserialize_with = "values::paths")]
    #[schemars(with = "Words")]
    pub activity: Vec<RepoPath>,
    /// The folder of the packs that `--record` keeps, to be committed. Default: `.contextpack/delivered`.
    #[serde(default, deserialize_with = "values::optional_path")]
    pub record: Option<RepoPath>,
}

fn count<'de, D: Deserializer<'de>>(deserializer: D) -> Result<usize, D::Error> {
    u32::deserialize(deserializer).map(|count| count as usize)
}

/// How much packs for an agent hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Policy {
    /// The agent, the overview, recent changes, and the root's own sections.
    Minimal,
    /// Everything but relevant documents.
    Default,
    /// Everything.
    Expanded,
}

impl Policy {
    /// All policies.
    pub const ALL: [Self; 3] = [Self::Minimal, Self::Default, Self::Expanded];

    /// Returns the policy with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|policy| policy.name() == name)
    }

    /// Returns the name in the configuration and in packs.
    pub fn name(self) -> &'static str {
        match self {
            Self::Minimal => "minimal",
            Self::Default => "default",
            Self::Expanded => "expanded",
        }
    }
}

/// A task that an agent does again and again.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Job {
    /// The agent that does it: its key, the stem of its file or its name.
    #[schemars(with = "String")]
    pub agent: NameInConfig,
    /// When it runs, in UTC, as five fields: minute, hour, day of the month, month, day of the week (1 is Monday).
    #[schemars(with = "Option<String>")]
    pub schedule: Option<Schedule>,
    /// What it is for, such as `daily_brief`.
    #[serde(default, deserialize_with = "text_if_any")]
    pub intent: Option<String>,
    /// How much its context holds. Default: the agent's policy.
    pub policy: Option<Policy>,
    /// The work item that it is about.
    pub root: Option<String>,
    /// The file with its instructions, which stand at the end of its context.
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

/// The fields of a schedule.
const FIELDS: [&str; 5] = ["minute", "hour", "day of the month", "month", "day of the week"];

impl Schedule {
    /// Parses five fields.
    ///
    /// # Errors
    /// What is wrong with them.
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

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn a_schedule_has_five_fields_in_utc_and_weeks_begin_on_monday() {
        // A Sunday.
        let sunday = 1_795_305_600;
        let schedule = Schedule::parse("0 7 * * 1-5").unwrap();
        assert_eq!(Schedule::parse(" 0  7 * *\t1-5 ").unwrap().written, schedule.written);
        assert_eq!(schedule.next(sunday).as_deref(), Some("2026-11-23T07:00:00Z"));
        for wrong in ["", "0 7 * *", "0 0 7 * * 1", "61 7 * * *", "a b c d e"] {
            assert!(Schedule::parse(wrong).is_err(), "{wrong}");
        }
        for (wrong, why) in [
            ("0 25 * * 1-5", "the hour `25`: "),
            ("61 7 * * *", "the minute `61`: "),
            ("0 7 32 * *", "the day of the month `32`: "),
            ("0 7 * 13 *", "the month `13`: "),
            ("0 7 * * 1-9", "the day of the week `1-9`: "),
            ("0 7 31 2 *", "it never comes"),
            ("0 7 31 2,4,6 *", "it never comes"),
        ] {
            let error = Schedule::parse(wrong).unwrap_err();
            assert!(error.starts_with(why), "{wrong}: {error}");
        }
        for right in ["0 0 29 2 *", "0 0 31 2 1", "0 0 31 */2 *"] {
            assert!(Schedule::parse(right).is_ok(), "{right}");
        }
    }
}
