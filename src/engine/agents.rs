//! Packs for agents: who asks, with which profile and limits, and what changed lately.

use super::knowledge::{AgentContext, confirm_tracked, trusted_instructions};
use super::{BudgetLimits, EngineError, Project, Repository, clean};
use crate::config::{Job, Policy};
use crate::intake::{CommitLog, last_commits};
use crate::knowledge::{Agent, AgentError};
use crate::model::{Code, Diagnostic, Place, RepoPath, Severity};
use crate::redact::{Clean, CleanBuf};
use crate::select::{JobInstructions, RecentChanges};
use serde::Deserialize;

/// What the files of the repo say about packs for an agent, where the user does not.
#[derive(Debug, Clone)]
pub struct AgentDefaults {
    /// The profile.
    pub profile: Option<String>,
    /// The limits.
    pub limits: BudgetLimits,
}

/// A line of an activity file.
#[derive(Debug, Deserialize)]
struct Activity {
    at: String,
    message: String,
    actor: Option<String>,
}

/// A change with its time, in seconds since 1970.
struct Change {
    at: i64,
    line: Clean,
}

impl Repository {
    /// Prepares packs for the agent that `name` means. `job` is what it has to do.
    ///
    /// # Errors
    /// [`EngineError::Agent`] if the name means none or several, [`EngineError::NotBuilt`] if a file of the agent or the job
    /// cannot be used.
    pub(crate) fn agent(
        &self,
        project: &Project<'_>,
        name: &str,
        policy: Option<Policy>,
        job: Option<(&str, &Job)>,
    ) -> Result<(AgentContext, AgentDefaults), EngineError> {
        let knowledge = project.knowledge();
        let agent = knowledge.agents.find(name).map_err(|error| EngineError::Agent(masked(project, error)))?;
        let known = &knowledge.agents.all[agent];
        let not_built =
            |fault: Diagnostic| EngineError::NotBuilt { diagnostics: vec![project.redacted_for_output(fault)] };
        let faults = knowledge.diagnostics.iter().filter(|fault| {
            fault.severity == Severity::Error && fault.at.as_ref().is_some_and(|at| at.path == known.path)
        });
        let faults: Vec<Diagnostic> = faults.map(|fault| project.redacted_for_output(fault.clone())).collect();
        if !faults.is_empty() {
            return Err(EngineError::NotBuilt { diagnostics: faults });
        }
        confirm_tracked(project, &known.path).map_err(not_built)?;
        let settings = &self.settings().knowledge;
        let policy = policy.or(job.and_then(|(_, job)| job.policy)).or(known.policy).unwrap_or(settings.context.policy);
        let job = job.map(|(name, job)| instructions(project, name, job)).transpose().map_err(not_built)?;
        let changes = self.recent_changes(project).map_err(not_built)?;
        Ok((AgentContext { agent, policy, changes, job }, defaults(known)))
    }

    /// Returns the last commits and the lines of activity files, the newest first.
    fn recent_changes(&self, project: &Project<'_>) -> Result<RecentChanges, Diagnostic> {
        let settings = self.settings();
        let most = settings.knowledge.context.changes;
        let mut excluded = vec![settings.output.dir.as_str(), ".contextpack"];
        excluded.extend(settings.knowledge.context.record.as_ref().map(RepoPath::as_str));
        let redactor = &project.scrubber.redactor;
        let (log, mut remark) = match last_commits(self.root(), most, &excluded) {
            Ok(log) => (log, None),
            Err(why) => {
                let mut text = CleanBuf::new();
                text.lit("The history cannot be read: ").line(&clean::line(redactor, "message", &why));
                (CommitLog::default(), Some(text.finish()))
            }
        };
        if log.shallow && log.commits.len() < most {
            remark = Some(Clean::literal("The clone is shallow: older commits are not known here."));
        }
        let mut changes: Vec<Change> = log
            .commits
            .iter()
            .map(|commit| {
                let subject = clean::line(redactor, "message", &commit.subject);
                let author = clean::line(redactor, "author", &commit.author);
                Change { at: commit.at, line: line(commit.at, &subject, Some(&author)) }
            })
            .collect();
        for path in &settings.knowledge.context.activity {
            changes.extend(activity(project, path)?);
        }
        // Stable, so that commits of one second stay in git's order.
        changes.sort_by_key(|change| std::cmp::Reverse(change.at));
        changes.truncate(most);
        Ok(RecentChanges { lines: changes.into_iter().map(|change| change.line).collect(), remark })
    }
}

fn defaults(agent: &Agent) -> AgentDefaults {
    let limits = agent.limits;
    AgentDefaults {
        profile: agent.profile.as_ref().map(ToString::to_string),
        limits: BudgetLimits {
            max_chars: limits.max_chars,
            max_bytes: limits.max_bytes,
            max_tokens: limits.max_tokens,
            strategy: limits.strategy,
        },
    }
}

/// Removes secrets from the name that a user typed.
fn masked(project: &Project<'_>, error: AgentError) -> AgentError {
    let masked = |text: &str| project.masked(&project.scrubber.redactor.line(text));
    match error {
        AgentError::Unknown { name, nearest } => AgentError::Unknown { name: masked(&name), nearest },
        AgentError::Ambiguous { name, keys } => AgentError::Ambiguous { name: masked(&name), keys },
    }
}

fn instructions(project: &Project<'_>, name: &str, job: &Job) -> Result<JobInstructions, Diagnostic> {
    let (shown, text, removals) = trusted_instructions(project, &job.instructions)?;
    Ok(JobInstructions { name: name.to_owned(), text, shown, removals })
}

/// Renders a change: `- 2026-02-06 10:15 subject _(author)_`, in UTC.
fn line(at: i64, message: &Clean, actor: Option<&Clean>) -> Clean {
    let mut line = CleanBuf::new();
    line.lit("- ");
    time(&mut line, at);
    line.lit(" ").line(message);
    if let Some(actor) = actor.filter(|actor| !actor.trim().is_empty()) {
        line.lit(" _(").line(actor).lit(")_");
    }
    line.finish()
}

/// Writes a time as `2026-02-06 10:15`.
fn time(line: &mut CleanBuf, at: i64) {
    let Some(time) = chrono::DateTime::from_timestamp(at, 0) else { return };
    let mut two = |before: &'static str, value: u32| {
        line.lit(before).lit(if value < 10 { "0" } else { "" }).number(u64::from(value));
    };
    use chrono::{Datelike as _, Timelike as _};
    let year = u32::try_from(time.year()).unwrap_or_default();
    two("", year);
    two("-", time.month());
    two("-", time.day());
    two(" ", time.hour());
    two(":", time.minute());
}

/// Reads the lines of an activity file.
fn activity(project: &Project<'_>, path: &RepoPath) -> Result<Vec<Change>, Diagnostic> {
    let redactor = &project.scrubber.redactor;
    let raw =
        super::knowledge::raw(project, path).map_err(|fault| Diagnostic { severity: Severity::Error, ..fault })?;
    let mut changes = Vec::new();
    for (number, text) in (1..).zip(raw.lines()).filter(|(_, text)| !text.trim().is_empty()) {
        let fault = |why: String| {
            let help = "write `{\"at\": \"2026-02-06T10:15:00Z\", \"message\": \"…\", \"actor\": \"…\"}`";
            Diagnostic::new(Code::InvalidDocument, Some(Place::line(path.clone(), number)), why).help(help)
        };
        let Activity { at, message, actor } =
            serde_json::from_str(text).map_err(|error| fault(format!("this is no activity: {error}")))?;
        let at = chrono::DateTime::parse_from_rfc3339(&at)
            .map_err(|_| fault("`at` is no time with its zone, as RFC 3339 writes it".to_owned()))?
            .timestamp();
        let actor = actor.map(|actor| clean::line(redactor, "author", &actor));
        changes.push(Change { at, line: line(at, &clean::line(redactor, "message", &message), actor.as_ref()) });
    }
    Ok(changes)
}
