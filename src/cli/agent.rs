//! `contextpack agent`.

use super::args::{AgentCommand, Global};
use crate::config::{DocumentType, Policy};
use crate::console::{self, Column, Document, Exit, Failure, Format, line, printable, report};
use crate::engine::{Project, Repository};
use crate::knowledge::{Agent, BUILT_IN_TEMPLATE, NewAgent, Scope, not_allowed};
use crate::model::{Node, Refusal, RepoPath, SourceTree as _};
use crate::redact::Clean;
use crate::store::{Access, Folder, WriteResult};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::Write as _;

pub(crate) fn run(global: &Global, command: &AgentCommand) -> Result<Exit, Failure> {
    if let AgentCommand::Job(args) = command {
        return super::delivery::job(global, args);
    }
    let repository = global.open(Some(Access::Read))?;
    let project = repository.project();
    match command {
        AgentCommand::New { name, purpose, role, tools } => {
            // The file is for git.
            let clean = |typed: &str| project.redacted_line(typed);
            let agent = NewAgent {
                name: clean(name.trim()),
                purpose: clean(purpose.trim()),
                role: role.as_deref().map(clean),
                tools: tools.iter().map(|tool| clean(tool)).collect(),
            };
            create(global, &repository, &project, &agent)
        }
        AgentCommand::List => list(global, &project),
        AgentCommand::Show { agent, allowed_tools: true } => {
            // An agent that asks for more than it may have gets nothing.
            let agent = &project.knowledge().agents.all[project.agent_of_handover(agent)?.agent];
            let tools: Vec<String> = agent.tools.iter().map(|tool| claude_tool(&project.masked(tool))).collect();
            global.print(&json!({"allowed_tools": tools}), [tools.join(",")])
        }
        AgentCommand::Show { agent, .. } => show(global, &project, agent),
        // Answered above.
        AgentCommand::Job(_) => Ok(Exit::Done),
    }
}

const CLAUDE_TOOLS: &str = "Bash Edit Glob Grep NotebookEdit Read Task TodoWrite WebFetch WebSearch Write";

/// Returns a tool as Claude Code writes it: `Bash(git *)` for `bash:git *`. Others, such as those of MCP servers, stay as they are.
fn claude_tool(tool: &str) -> String {
    let (name, rest) = tool.split_once([':', '(']).unwrap_or((tool, ""));
    match CLAUDE_TOOLS.split(' ').find(|known| known.eq_ignore_ascii_case(name)) {
        Some(name) if rest.is_empty() => name.to_owned(),
        Some(name) => format!("{name}({})", rest.strip_suffix(')').unwrap_or(rest)),
        None => tool.to_owned(),
    }
}

fn create(global: &Global, repository: &Repository, project: &Project<'_>, agent: &NewAgent) -> Result<Exit, Failure> {
    if agent.name.is_empty() || agent.purpose.is_empty() || agent.name.contains(['\n', '\r']) {
        return Err(Failure::usage("an agent needs a name on one line, and a purpose"));
    }
    let [(kind, allowed), _] = repository.settings().agents.allowed();
    if let Some((message, help)) = agent.tools.iter().find_map(|tool| not_allowed(kind, allowed, tool)) {
        return Err(Failure::usage(format!("{message} (help: {help})")));
    }
    project.confirm_agents_read()?;
    let (from, template) = template(repository, project)?;
    let text = agent.fill(&template).map_err(|error| {
        let place = from.as_ref().map_or("the built-in template".to_owned(), |path| format!("`{path}`"));
        Failure::usage(format!("{place}, {error} (help: {})", error.help()))
    })?;
    let folder = agents_folder(repository)?;
    let stem = agent.stem();
    let name = format!("{stem}.md");
    let path = RepoPath::new(&format!("{folder}/{name}")).ok();
    if !path.is_some_and(|path| project.is_agent_file(&path)) {
        let why = match stem.starts_with('_') {
            true => "names that begin with `_` are no agents (help: choose another name)",
            false => "`agents.include` does not match it (help: choose another name, or add a glob)",
        };
        return Err(Failure::usage(format!("`{folder}/{name}` would be no agent: {why}")));
    }
    if let Ok(known) = project.knowledge().agents.find(&stem) {
        let known = &project.knowledge().agents.all[known];
        return Err(Failure::usage(format!("`{}` is the agent `{}` already", known.shown, known.key)));
    }
    match Folder::open(repository.root(), &folder)?.unreserved(repository.root())?.write_once(&name, text.as_bytes())? {
        WriteResult::Written => {
            writeln!(console::stdout(), "{}", printable(&format!("{folder}/{name}")))?;
            if !template.to_lowercase().contains("pack") {
                let note = "the template has no rule about context packs: say in it that the agent reads its pack before it acts";
                global.note(&format!("note: {note}"))?;
            }
            Ok(Exit::Done)
        }
        WriteResult::Unchanged => Err(Failure::usage(format!("`{folder}/{name}` exists, and is not overwritten"))),
    }
}

/// Returns the folder that new agents are written to: that of the first glob.
fn agents_folder(repository: &Repository) -> Result<RepoPath, Failure> {
    let globs = &repository.settings().agents.include.written;
    let plain = globs.iter().find_map(|glob| {
        let folder = glob.rsplit_once('/')?.0.split("/**").next()?;
        RepoPath::new(folder).ok().filter(|_| !folder.contains(['*', '?', '[', '{']))
    });
    let message = "`agents.include` names no folder for new agents: add a glob such as `agents/*.md`";
    plain.ok_or_else(|| Failure::usage(message))
}

fn template(repository: &Repository, project: &Project<'_>) -> Result<(Option<RepoPath>, String), Failure> {
    let read = |path: &RepoPath| repository.files().read(path);
    let confirmed = |path: RepoPath, text: String| match project.restricted(&path, &text) {
        Some(what) => Err(Failure::usage(format!(
            "the template `{path}` is {what} (help: take it out of `documents`, or name another template)"
        ))),
        None => Ok((Some(path), text)),
    };
    if let Some(path) = repository.settings().agents.template.clone() {
        let unread = |_| Failure::usage(format!("`agents.template` names `{path}`, which cannot be read"));
        let text = read(&path).map_err(unread)?;
        return confirmed(path, text);
    }
    if let Ok(path) = RepoPath::new("agents/_template.md") {
        match read(&path) {
            Ok(text) => return confirmed(path, text),
            Err(Refusal::Unreadable(why)) => {
                return Err(Failure::Input(format!("the template `{path}` cannot be read: {why}")));
            }
            Err(_) => {}
        }
    }
    let mut documents = project.knowledge().documents.iter().filter(|document| {
        document.kind == DocumentType::AgentSoulTemplate && document.scope == Scope::Global && !document.secret
    });
    match (documents.next(), documents.next()) {
        (Some(one), Some(other)) => Err(Failure::usage(format!(
            "`{}` and `{}` are both of the type `agent_soul_template` (help: name one of them in `agents.template`)",
            project.masked(&one.shown),
            project.masked(&other.shown)
        ))),
        (Some(document), None) => Ok((Some(document.path.clone()), project.complete(document).body.to_string())),
        (None, _) => Ok((None, BUILT_IN_TEMPLATE.to_owned())),
    }
}

fn summary(project: &Project<'_>, agent: &Agent) -> Value {
    let text = |text: &str| project.masked(text);
    let texts = |list: &[Clean]| list.iter().map(|it| text(it)).collect::<Vec<_>>();
    let masked = |node: &Node<Clean>| node.map("", &mut |_, it, _| text(it)).json();
    let fields = agent.fields.iter().map(|(name, node)| (text(name), masked(node)));
    json!({
        "key": text(&agent.key),
        "name": text(&agent.name),
        "path": text(&agent.shown),
        "purpose": agent.purpose.as_deref().map(text),
        "role": agent.role.as_deref().map(text),
        "tools": texts(&agent.tools),
        "skills": texts(&agent.skills),
        "profile": agent.profile.as_deref().map(text),
        "policy": agent.policy.map(Policy::name),
        "assignees": texts(&agent.assignees),
        "labels": texts(&agent.labels),
        "fields": fields.collect::<BTreeMap<String, Option<Value>>>(),
    })
}

fn faults(project: &Project<'_>) -> Result<Exit, Failure> {
    let faults = project.knowledge_diagnostics();
    report::print_diagnostics(&faults)?;
    Ok(Exit::of(&faults))
}

fn list(global: &Global, project: &Project<'_>) -> Result<Exit, Failure> {
    let agents: Vec<Value> = project.knowledge().agents.all.iter().map(|agent| summary(project, agent)).collect();
    let row = |agent: &Value| {
        let purpose = agent["purpose"].as_str().unwrap_or("(no purpose)");
        [text(agent, "key"), text(agent, "name"), purpose].map(|cell| line("{}", &[cell])).to_vec()
    };
    let mut document = Document::whole();
    document.table(&[Column::Left(""); 3], agents.iter().map(row));
    document.print(global.format, global.verbose, &[], &json!({"agents": agents}))?;
    if agents.is_empty() && global.format != Format::Json && project.confirm_agents_read().is_ok() {
        global.note("no agents: `contextpack agent new NAME --purpose TEXT` makes one")?;
    }
    faults(project)
}

fn text<'v>(value: &'v Value, field: &str) -> &'v str {
    value[field].as_str().unwrap_or_default()
}

fn show(global: &Global, project: &Project<'_>, name: &str) -> Result<Exit, Failure> {
    let knowledge = project.knowledge();
    let agent = &knowledge.agents.all[project.find_agent(name)?];
    let seen = knowledge.documents.iter().filter(|document| document.scope.admits(Some(&agent.key)));
    let seen = seen.map(|document| {
        let scope = match &document.scope {
            Scope::Global | Scope::Nobody => "global".to_owned(),
            Scope::Agent(key) => project.masked(key),
        };
        let (path, title) = (project.masked(&document.shown), project.masked(&document.title));
        json!({"path": path, "title": title, "doc_type": document.kind.name(), "scope": scope, "pinned": document.pinned})
    });
    let mut details = summary(project, agent);
    details["documents"] = seen.collect();
    details["soul"] = project.masked(&agent.soul).into();
    global.print(&details, lines(&details))?;
    faults(project)
}

fn lines(agent: &Value) -> Vec<String> {
    let shown = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let joined = |value: &Value| match value {
        Value::Null => String::new(),
        Value::Array(list) => list.iter().map(shown).collect::<Vec<_>>().join(", "),
        value => shown(value),
    };
    let fields = ["purpose", "role", "tools", "skills", "profile", "policy", "assignees", "labels"];
    let fields = fields.map(|name| (name.to_owned(), joined(&agent[name])));
    let others = agent["fields"].as_object().into_iter().flatten().map(|(name, value)| (name.clone(), joined(value)));
    let heading = format!("{}  {}", text(agent, "key"), text(agent, "name"));
    let mut lines = vec![heading, text(agent, "path").to_owned(), String::new()];
    let fields = fields.into_iter().chain(others).filter(|(_, value)| !value.is_empty());
    lines.extend(fields.map(|(name, value)| format!("{name}: {value}")));
    lines.extend([String::new(), "Documents that it sees".to_owned()]);
    let documents = agent["documents"].as_array().map(Vec::as_slice).unwrap_or_default();
    lines.extend(documents.is_empty().then(|| "  none".to_owned()));
    lines.extend(documents.iter().map(|document| {
        let pinned = if document["pinned"] == true { ", pinned" } else { "" };
        let scope = if document["scope"] == "global" { "" } else { ", its own" };
        let [title, kind, path] = ["title", "doc_type", "path"].map(|field| text(document, field));
        format!("  {title} ({kind}{pinned}{scope}): {path}")
    }));
    lines.extend([String::new(), "Soul".to_owned(), String::new()]);
    lines.extend(text(agent, "soul").lines().map(str::to_owned));
    lines
}
