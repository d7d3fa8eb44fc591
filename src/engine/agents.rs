//! Packs for agents: who asks, with which profile and limits, what changed lately, and what was handed over.

use super::json_lines::JsonLines;
use super::reader::{merged, recorded};
use super::{BudgetLimits, EngineError, Project, Repository};
use crate::config::{Job, Policy, Settings};
use crate::git::{CommitLog, last_commits};
use crate::graph::RecordedRemoval;
use crate::handoff::cards::{Card, CardContent, CardWriter, ToolCall};
use crate::handoff::handover::{HandedCard, HandoverPlan};
use crate::knowledge::{AgentError, Vectors};
use crate::model::{Code, Diagnostic, RepoPath, Severity};
use crate::redact::{Clean, CleanBuf, Environment, Piece, Redactor};
use crate::select::{CardContentText, CardText, HandedOver, HandoverLabel, JobInstructions, RecentChanges};
use chrono::{DateTime, Datelike as _, Utc};
use rayon::prelude::*;
use serde::Deserialize;
use serde_json::Value;
use std::path::Path;
use std::sync::Arc;

/// An agent that packs are built for.
#[derive(Debug, Clone)]
pub struct AgentContext {
    /// Its index among the agents.
    pub agent: usize,
    /// How much the packs hold.
    pub policy: Policy,
    /// The recent changes.
    pub changes: RecentChanges,
    /// The vectors of documents and queries.
    pub vectors: Arc<Vectors>,
    /// What is wrong with the files that these are from, redacted.
    pub faults: Vec<Diagnostic>,
    /// The job that they are for.
    pub job: Option<JobInstructions>,
    /// What was handed over to it.
    pub handover: Option<Arc<HandedOver>>,
}

pub(super) type CommitLogResult = Result<CommitLog, String>;

#[derive(Debug, Deserialize)]
struct Activity {
    at: String,
    message: String,
    actor: Option<String>,
}

/// A change: its time, if that is one of the years 1 to 9999, what it did, and who made it.
type RecentChange = (Option<DateTime<Utc>>, String, Option<String>);

/// The most characters of a commit's subject, or of the message of an activity.
const MAX_MESSAGE: usize = 300;

const ACTIVITY: JsonLines = JsonLines {
    setting: "context.activity",
    content: "activities",
    largest: 4 << 20,
    shorten: "keep its last lines, and move the others to a file that `context.activity` does not name",
    example: "write `{\"at\": \"2026-02-06T10:15:00Z\", \"message\": \"…\", \"actor\": \"…\"}`",
};

impl Repository {
    /// Returns the profiles and limits of packs: those given, else those of the agent's file, else those of the configuration.
    pub(crate) fn with_defaults(
        &self,
        project: &Project<'_>,
        agent: Option<&AgentContext>,
        profiles: &[String],
        limits: BudgetLimits,
    ) -> Result<(Vec<String>, BudgetLimits), EngineError> {
        let configuration = self.configuration();
        let Some(agent) = agent.map(|context| &project.knowledge().agents.all[context.agent]) else {
            return Ok((configuration.profiles(profiles)?, limits));
        };
        let own = agent.profile.as_ref().map(ToString::to_string);
        let mut found = configuration.profiles(if profiles.is_empty() { own.as_slice() } else { profiles })?;
        if profiles.is_empty() {
            found.truncate(1);
        }
        let is_limited = limits.max_chars.or(limits.max_bytes).or(limits.max_tokens).is_some();
        let strategy = limits.strategy.or(agent.limits.strategy);
        let limits = if is_limited { limits } else { BudgetLimits { strategy, ..agent.limits } };
        Ok((found, limits))
    }
}

/// Reads the last commits that packs for agents show: those that touched more than what this program writes.
pub(super) fn history(root: &Path, settings: &Settings) -> CommitLogResult {
    last_commits(root, settings.context.changes, &settings.written_folders())
}

impl Project<'_> {
    pub(super) fn not_built<'d>(&self, faults: impl IntoIterator<Item = &'d Diagnostic>) -> EngineError {
        EngineError::NotBuilt { diagnostics: self.redacted(faults) }
    }

    /// Prepares packs for the agent that `name` means, with the commits of `history` and what activity files have, or without
    /// recent changes.
    pub(super) fn agent_context(
        &self,
        name: &str,
        policy: Option<Policy>,
        job: Option<(&str, &Job)>,
        history: Option<&CommitLogResult>,
    ) -> Result<AgentContext, EngineError> {
        let knowledge = self.knowledge();
        let agent = self.find_agent(name)?;
        let known = &knowledge.agents.all[agent];
        let is_its_own = |fault: &&Diagnostic| {
            fault.severity == Severity::Error && fault.at.as_ref().is_some_and(|at| at.path == known.path)
        };
        let mut faults = knowledge.diagnostics.iter().filter(is_its_own).peekable();
        if faults.peek().is_some() {
            return Err(self.not_built(faults));
        }
        self.reader.confirm_tracked(&known.path).map_err(|fault| self.not_built([&fault]))?;
        let settings = &self.reader.settings;
        let policy = policy.or(job.and_then(|(_, job)| job.policy)).or(known.policy).unwrap_or(settings.context.policy);
        let instructions = |(name, job): (&str, &Job)| {
            let (shown, text, removals) = self.reader.trusted_instructions(&job.instructions)?;
            Ok(JobInstructions { name: name.to_owned(), text, shown, removals })
        };
        let job = job.map(instructions).transpose().map_err(|fault: Diagnostic| self.not_built([&fault]))?;
        let (vectors, unusable) = self.vectors().map_err(|fault| self.not_built([&fault]))?;
        let (changes, mut faults) = match history.map(|history| self.recent_changes(history)) {
            Some(read) => read.map_err(|fault| self.not_built([&fault]))?,
            None => (RecentChanges { lines: Vec::new(), remark: None }, Vec::new()),
        };
        faults.extend(unusable);
        let (vectors, faults) = (Arc::new(vectors), self.redacted(&faults));
        Ok(AgentContext { agent, policy, changes, vectors, faults, job, handover: None })
    }

    /// Returns why `name` means no agent: a file that cannot be read, the file that is meant and is none, or `error`.
    pub(super) fn no_agent(&self, name: &str, error: AgentError) -> EngineError {
        let unread = &self.read_knowledge().unread;
        if !unread.is_empty() {
            return EngineError::Unread(self.redacted(unread));
        }
        let is_meant = |fault: &&Diagnostic| {
            let path = fault.at.as_ref().map(|at| &at.path).filter(|path| self.is_agent_file(path));
            let stem = |path: &RepoPath| path.name().rsplit_once('.').map(|(stem, _)| stem.to_lowercase());
            path.is_some_and(|path| path.as_str() == name || stem(path) == Some(name.to_lowercase()))
        };
        let mut meant = self.knowledge().diagnostics.iter().filter(is_meant).peekable();
        if meant.peek().is_some() {
            return self.not_built(meant);
        }
        let clean = |name: String| self.redacted_line(&name);
        EngineError::Agent(match error {
            AgentError::Unknown { name, nearest } => AgentError::Unknown { name: clean(name), nearest },
            AgentError::Ambiguous { name, keys } => AgentError::Ambiguous { name: clean(name), keys },
        })
    }

    /// Returns the last commits and the lines of activity files, the newest first, and what is wrong with these files.
    fn recent_changes(&self, history: &CommitLogResult) -> Result<(RecentChanges, Vec<Diagnostic>), Diagnostic> {
        let settings = &self.reader.settings.context;
        let (mut faults, mut changes, mut remark) = (Vec::new(), Vec::new(), CleanBuf::new());
        match history {
            Ok(log) => {
                if log.shallow && log.commits.len() < settings.changes {
                    remark.lit("The clone is shallow: older commits are not known here.");
                }
                if log.no_repository {
                    remark.lit("This folder is no git repository: no commits are known here.");
                }
                let commits = log.commits.iter();
                changes.extend(
                    commits.map(|it| (it.at.and_then(shown_time), it.subject.clone(), Some(it.author.clone()))),
                );
            }
            Err(why) => {
                let fault = Diagnostic::new(Code::GitUnavailable, None, format!("{why}; recent changes are left out"));
                faults.push(fault.help("install git, or run `git status` here to see what is wrong"));
                remark.lit("The history cannot be read: ").line(&self.reader.line("message", why));
            }
        }
        for path in &settings.activity {
            let (read, unreadable) = self.reader.json_lines(path, &ACTIVITY, change)?;
            changes.extend(read);
            let Some((lines, fault)) = unreadable else { continue };
            faults.push(fault);
            remark.lit(if remark.is_empty() { "" } else { " " });
            match lines {
                0 => remark.lit("Nothing of "),
                1 => remark.lit("1 line of "),
                lines => remark.number(lines).lit(" lines of "),
            };
            remark.line(&self.reader.line("path", path.as_str()));
            remark.lit(if lines == 0 { " can be read." } else { " cannot be read." });
        }
        // Stable, so that commits of one second stay in git's order.
        changes.sort_by_key(|(at, ..)| std::cmp::Reverse(*at));
        changes.truncate(settings.changes);
        let line = |(at, message, actor): &RecentChange| {
            let mut message = self.reader.line("message", message);
            if let Some((end, _)) = message.char_indices().nth(MAX_MESSAGE) {
                message = CleanBuf::new().part(&message, 0..end).lit("…").finish();
            }
            let actor = actor.as_ref().map(|actor| self.reader.line("author", actor));
            if let Some(actor) = &actor {
                // What a message ends with and its author begins with may be a secret together.
                let mut both = CleanBuf::new();
                let both = both.line(&message).lit(" ").line(actor).finish();
                let scrubbed = self.reader.line("message", &both);
                if scrubbed != both {
                    return line(*at, &scrubbed, None);
                }
            }
            line(*at, &message, actor.as_ref())
        };
        let remark = Some(remark.finish()).filter(|remark| !remark.is_empty());
        Ok((RecentChanges { lines: changes.iter().map(line).collect(), remark }, faults))
    }
}

/// Renders a change: `- 2026-02-06 10:15 subject _(author)_`, in UTC.
fn line(at: Option<DateTime<Utc>>, message: &Clean, actor: Option<&Clean>) -> Clean {
    let mut line = CleanBuf::new();
    match at {
        None => drop(line.lit("- (no time)")),
        Some(time) => {
            for (before, digits) in [("- ", "%Y"), ("-", "%m"), ("-", "%d"), (" ", "%H"), (":", "%M")] {
                line.lit(before).hex(&time.format(digits).to_string());
            }
        }
    }
    line.lit(" ").line(message);
    if let Some(actor) = actor.filter(|actor| !actor.trim().is_empty()) {
        line.lit(" _(").line(actor).lit(")_");
    }
    line.finish()
}

fn shown_time(at: i64) -> Option<DateTime<Utc>> {
    DateTime::from_timestamp(at, 0).filter(|time| (1..=9999).contains(&time.year()))
}

fn change(text: &str) -> Result<RecentChange, String> {
    let Activity { at, message, actor } =
        serde_json::from_str(text).map_err(|error| format!("this is no activity: {error}"))?;
    let at = DateTime::parse_from_rfc3339(&at)
        .map_err(|_| "`at` is no time with its zone, as RFC 3339 writes it".to_owned())?
        .timestamp();
    let at = shown_time(at).ok_or("`at` is no time of the years 1 to 9999 in UTC")?;
    if message.trim().is_empty() {
        return Err("`message` is empty".to_owned());
    }
    Ok((Some(at), message, actor))
}

impl Project<'_> {
    /// Prepares packs for the agent that a handover is for: without recent changes, so that they can be committed.
    pub(crate) fn agent_of_handover(&self, name: &str) -> Result<AgentContext, EngineError> {
        self.agent_context(name, None, None, None)
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
        let redacted = |HandedCard { id, given, card }: &HandedCard| {
            let content = card.as_ref().map_err(|why| *why).map(|card| card_text(redactor, card));
            CardText { hex: id.hex().to_owned(), given: *given, content }
        };
        let cards = plan.cards.par_iter().map(redacted).collect();
        Arc::new(HandedOver { label, cards })
    }
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
                for (key, value) in &field.more {
                    text.lit("; ").line(&clean("", key)).lit(": ");
                    write(&mut text, key, value, 0, clean);
                }
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
