//! The raw form of `agents:`, `documents:`, `overview:`, `context:` and `jobs:` → [`KnowledgeSettings`].

use super::check::{ConfigFaults, MAX_COMPILED, SettingPlace};
use super::faults::shortened;
use super::knowledge::{
    AgentSettings, ContextSettings, DocumentSource, DocumentType, Job, KnowledgeSettings, NameInConfig, Policy,
    Schedule,
};
use super::raw::RawConfig;
use super::raw_knowledge::{RawContext, RawDocumentType, RawDocuments, RawJob, RawPolicy, RawSensitivity};
use super::validate::{lowercase, reserved};
use crate::model::RepoPath;
use std::collections::BTreeMap;

/// The default place of agents.
const DEFAULT_AGENTS: &str = "agents/*.md";

/// The most documents, changes or lines that a limit of `context:` allows.
const MOST: u32 = 1_000;

/// Checks the settings of agents and their documents. Packs are in `output`, issues in `snapshot`.
pub(super) fn knowledge(
    raw: &RawConfig,
    root: SettingPlace<'_>,
    output: Option<&RepoPath>,
    snapshot: Option<&RepoPath>,
    faults: &mut ConfigFaults,
) -> KnowledgeSettings {
    let at = root.key("agents");
    let agents = raw.agents.as_ref();
    let include = match agents.and_then(|agents| agents.include.as_ref()) {
        Some(written) => faults.globs(at.key("include"), &written.0, false),
        None => faults.globs(at, &[DEFAULT_AGENTS.to_owned()], false),
    };
    let template = agents.and_then(|agents| agents.template.as_ref());
    let template = template.and_then(|written| faults.path(at.key("template"), written));
    let at_documents = root.key("documents");
    let documents = raw.documents.as_deref().unwrap_or_default();
    let documents = faults.at_most(at_documents, documents, MAX_COMPILED);
    let documents = documents.iter().enumerate().map(|(i, raw)| source(raw, at_documents.item(i), faults)).collect();
    let overview = raw.overview.as_ref().and_then(|written| faults.path(root.key("overview"), written));
    let overview_line = root.key("overview").line();
    let no_context = RawContext::default();
    let context = context(raw.context.as_ref().unwrap_or(&no_context), root.key("context"), [output, snapshot], faults);
    let at_jobs = root.key("jobs");
    let mut jobs = BTreeMap::new();
    for (name, raw) in raw.jobs.iter().flatten() {
        let at = at_jobs.key(name);
        if faults.name(at, name, "a job")
            && let Some(job) = job(raw, at, faults)
        {
            jobs.insert(name.clone(), job);
        }
    }
    KnowledgeSettings { agents: AgentSettings { include, template }, documents, overview, overview_line, context, jobs }
}

fn source(raw: &RawDocuments, at: SettingPlace<'_>, faults: &mut ConfigFaults) -> DocumentSource {
    if raw.include.0.is_empty() {
        faults.add_help(at.key("include"), "the entry takes no files", "name at least one glob");
    }
    let kind = match raw.kind {
        None | Some(RawDocumentType::General) => DocumentType::General,
        Some(RawDocumentType::Playbook) => DocumentType::Playbook,
        Some(RawDocumentType::Reference) => DocumentType::Reference,
        Some(RawDocumentType::Credentials) => DocumentType::Credentials,
        Some(RawDocumentType::StyleGuide) => DocumentType::StyleGuide,
        Some(RawDocumentType::ProjectOverview) => DocumentType::ProjectOverview,
        Some(RawDocumentType::ProjectUser) => DocumentType::ProjectUser,
        Some(RawDocumentType::AgentSoulTemplate) => DocumentType::AgentSoulTemplate,
    };
    let exclude = raw.exclude.as_ref().map_or(&[][..], |words| &words.0);
    DocumentSource {
        include: faults.globs(at.key("include"), &raw.include.0, false),
        exclude: faults.globs(at.key("exclude"), exclude, false),
        agent: raw.agent.as_ref().map(|name| named(name, at.key("agent"), faults)),
        pinned: raw.pinned.unwrap_or(false),
        kind,
        secret: raw.sensitivity == Some(RawSensitivity::ContainsSecrets) || kind == DocumentType::Credentials,
        weight: raw.weight.unwrap_or(0),
    }
}

fn named(name: &str, at: SettingPlace<'_>, faults: &mut ConfigFaults) -> NameInConfig {
    if name.trim().is_empty() {
        faults.add_help(at, "the name is empty", "name an agent, or remove the line");
    }
    NameInConfig { name: name.trim().to_owned(), line: at.line() }
}

fn policy(raw: RawPolicy) -> Policy {
    match raw {
        RawPolicy::Minimal => Policy::Minimal,
        RawPolicy::Default => Policy::Default,
        RawPolicy::Expanded => Policy::Expanded,
    }
}

fn context(
    raw: &RawContext,
    at: SettingPlace<'_>,
    [output, snapshot]: [Option<&RepoPath>; 2],
    faults: &mut ConfigFaults,
) -> ContextSettings {
    let mut limit = |name: &str, written: Option<u32>, default: u32| {
        let limit = written.unwrap_or(default);
        if limit > MOST {
            faults.add_help(at.key(name), format!("`{name}` is {limit}"), format!("give at most {MOST}"));
        }
        limit.min(MOST) as usize
    };
    let (pinned, bullets) = (limit("pinned", raw.pinned, 10), limit("bullets", raw.bullets, 10));
    let (changes, relevant) = (limit("changes", raw.changes, 20), limit("relevant", raw.relevant, 5));
    let at_activity = at.key("activity");
    let activity = raw.activity.as_ref().map_or(&[][..], |paths| &paths.0);
    let activity = faults.at_most(at_activity, activity, MAX_COMPILED);
    let activity: Vec<RepoPath> =
        activity.iter().enumerate().filter_map(|(i, path)| faults.path(at_activity.item(i), path)).collect();
    let record = raw.record.as_ref().and_then(|written| faults.path(at.key("record"), written));
    if let Some(record) = &record {
        check_record(record, at.key("record"), [output, snapshot], faults);
    }
    ContextSettings {
        policy: raw.policy.map_or(Policy::Default, policy),
        pinned,
        bullets,
        changes,
        relevant,
        activity,
        record,
    }
}

/// Checks that nothing else is in the folder of delivered packs.
fn check_record(
    record: &RepoPath,
    at: SettingPlace<'_>,
    [output, snapshot]: [Option<&RepoPath>; 2],
    faults: &mut ConfigFaults,
) {
    let help = "name a folder that holds delivered packs only, such as `delivered`, or remove the line: the default is \
                `.contextpack/delivered`";
    let small = lowercase(record);
    let is_state = small.is_under(".contextpack") && !small.is_under(".contextpack/delivered");
    if let Some(name) = reserved(record) {
        faults.add_help(at, format!("delivered packs cannot lie in `{name}`"), help);
    } else if output.is_some_and(|output| record.is_under(output.as_str())) {
        let help = "packs for agents change with every commit: name another folder";
        faults.add_help(at, format!("`{record}` is inside the folder of packs"), help);
    } else if let Some(snapshot) = snapshot.filter(|snapshot| record.is_under(snapshot.as_str())) {
        faults.add_help(at, format!("delivered packs and the snapshot `{snapshot}` cannot share a folder"), help);
    } else if is_state {
        faults.add_help(at, format!("`{record}` holds other files of contextpack"), help);
    }
}

fn job(raw: &RawJob, at: SettingPlace<'_>, faults: &mut ConfigFaults) -> Option<Job> {
    let schedule = raw.schedule.as_ref().and_then(|written| match Schedule::parse(written) {
        Ok(schedule) => Some(schedule),
        Err(why) => {
            let message = format!("`{}` is not a schedule: {why}", shortened(written));
            faults.add_help(at.key("schedule"), message, "write, for example, `0 7 * * 1-5`: at 7:00 UTC on workdays");
            None
        }
    });
    Some(Job {
        agent: named(&raw.agent, at.key("agent"), faults),
        schedule,
        intent: raw.intent.as_ref().map(|intent| intent.trim().to_owned()).filter(|intent| !intent.is_empty()),
        policy: raw.policy.map(policy),
        root: raw.root.clone(),
        instructions: faults.path(at.key("instructions"), &raw.instructions)?,
    })
}
