//! Agents: who they are, and which one a name means.

use super::front_matter::{FrontMatter, scalar};
use crate::config::{Allowed, BudgetLimits, Policy, Strategy};
use crate::graph::RecordedRemoval;
use crate::model::{Code, Diagnostic, Digest, Node, Place, RepoPath, Value, did_you_mean, nearest, parse_limit};
use crate::redact::{Clean, CleanBuf};
use std::collections::BTreeMap;
use std::ops::Deref;

#[derive(Debug, Clone)]
pub struct Agent {
    pub path: RepoPath,
    pub shown: Clean,
    /// Its key, unique in the repo: `agent:<stem>:main` unless the file states another.
    pub key: Clean,
    pub name: Clean,
    pub purpose: Option<Clean>,
    pub role: Option<Clean>,
    pub tools: Vec<Clean>,
    pub skills: Vec<Clean>,
    pub profile: Option<Clean>,
    pub policy: Option<Policy>,
    pub limits: BudgetLimits,
    /// The assignees whose work items are its own.
    pub assignees: Vec<Clean>,
    /// The labels whose work items are its own.
    pub labels: Vec<Clean>,
    /// Its other fields, such as the model of another program.
    pub fields: BTreeMap<Clean, Node<Clean>>,
    pub soul: Clean,
    /// Its SOUL as packs hold it: with its tools and skills, where the configuration says which ones agents may have.
    pub shown_soul: Clean,
    /// The line on which that begins.
    pub soul_line: u32,
    pub removals: Vec<RecordedRemoval>,
    pub digest: Digest,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AgentError {
    #[error("there is no agent `{name}`")]
    Unknown { name: String, nearest: Option<String> },
    #[error("`{name}` means {}", .keys.join(" or "))]
    Ambiguous { name: String, keys: Vec<String> },
}

impl AgentError {
    pub fn help(&self) -> String {
        match self {
            Self::Unknown { nearest: Some(near), .. } => format!("did you mean `{near}`?"),
            Self::Unknown { nearest: None, .. } => {
                "`contextpack agent list` shows all, `contextpack agent new` makes one".to_owned()
            }
            Self::Ambiguous { .. } => "give the whole key".to_owned(),
        }
    }
}

#[derive(Debug, Default)]
pub struct Agents {
    pub all: Vec<Agent>,
}

const FIELDS: [&str; 12] = [
    "name",
    "key",
    "purpose",
    "description",
    "role",
    "tools",
    "skills",
    "profile",
    "policy",
    "budget",
    "assignees",
    "labels",
];

impl Agent {
    /// Returns the stem of its file: `research` of `agents/research.md`.
    pub fn stem(&self) -> &str {
        let name = self.path.name();
        name.rsplit_once('.').map_or(name, |(stem, _)| stem)
    }

    /// Reads an agent from its redacted file; what is wrong is added to `faults`. `profiles` and what is `allowed` are those of the configuration.
    pub fn read(
        path: &RepoPath,
        shown: Clean,
        text: &Clean,
        removals: Vec<RecordedRemoval>,
        digest: Digest,
        (profiles, allowed): (&[&str], Allowed<'_>),
        faults: &mut Vec<Diagnostic>,
    ) -> Self {
        let front = FrontMatter::read(text);
        faults.extend(front.fault.as_ref().map(|fault| fault.diagnostic(path)));
        let mut fault = |line: u32, message: String, help: String| {
            faults.push(Diagnostic::new(Code::InvalidAgent, Some(Place::line(path.clone(), line)), message).help(help));
        };
        for (key, line) in front.keys().filter(|(key, _)| !FIELDS.contains(key)) {
            if let Some(near) = nearest(key, FIELDS) {
                fault(line, format!("`{key}` is no field of an agent"), format!("did you mean `{near}`?"));
            }
        }
        for field in ["name", "key", "purpose", "role", "profile", "policy"] {
            let node = front.value(&[field]).filter(|node| matches!(node.value, Value::List(_) | Value::Map(_)));
            if let Some(node) = node {
                fault(node.line, format!("`{field}` is no text"), format!("write `{field}: TEXT`"));
            }
        }
        let policy = front.text(&["policy"]).and_then(|(written, line)| {
            let found = Policy::named(&written);
            if found.is_none() {
                let names = Policy::ALL.map(Policy::name);
                fault(line, format!("`{written}` is no policy"), did_you_mean(&written, names));
            }
            found
        });
        if let Some((written, line)) = front.text(&["profile"])
            && !profiles.contains(&&*written)
        {
            fault(line, format!("there is no profile `{written}`"), did_you_mean(&written, profiles.iter().copied()));
        }
        let text_of = |name: &str| front.text(&[name]).map(|(text, _)| text);
        let stem_of_path = shown_stem(&shown);
        let key = || CleanBuf::new().lit("agent:").text(&stem_of_path).lit(":main").finish();
        let key = text_of("key").unwrap_or_else(key);
        let mut shown_soul = CleanBuf::new();
        shown_soul.text(&front.body);
        let [tools, skills] = allowed.map(|(kind, allowed)| {
            let listed = front.list(kind);
            let node = front.value(&[kind]);
            let line = node.map_or(1, |node| node.line);
            let is_list = |node: &Node<String>| match &node.value {
                Value::List(nodes) => nodes.iter().all(|node| scalar(node).is_some()),
                value => !matches!(value, Value::Map(_)),
            };
            if allowed.is_some() && !node.is_none_or(is_list) {
                fault(line, format!("`{kind}` is no list of names"), format!("write `{kind}: [NAME, NAME]`"));
            }
            for (message, help) in listed.iter().filter_map(|entry| not_allowed(kind, allowed, entry)) {
                fault(line, message, help);
            }
            if allowed.is_some() && !listed.is_empty() {
                shown_soul.lit("\n\n## Your ").lit(kind).lit("\n");
                for entry in &listed {
                    shown_soul.lit("\n- ").line(entry);
                }
            }
            listed
        });
        shown_soul.lit(if shown_soul.is_empty() { "" } else { "\n\n" }).lit("Your key is `").line(&key).lit("`.");
        let limits = front.value(&["budget"]).map(|node| limits(node, &mut fault)).unwrap_or_default();
        Self {
            key,
            name: text_of("name").unwrap_or(stem_of_path),
            // Agents of other programs have a description.
            purpose: text_of("purpose").or_else(|| text_of("description")),
            role: text_of("role"),
            tools,
            skills,
            profile: text_of("profile"),
            policy,
            limits,
            assignees: front.list("assignees"),
            labels: front.list("labels"),
            fields: front.others(&FIELDS),
            soul: front.body,
            shown_soul: shown_soul.finish(),
            soul_line: front.body_line,
            path: path.clone(),
            shown,
            removals,
            digest,
        }
    }
}

impl Agents {
    /// Sorts agents by their keys. Two with one key, in any case, are a fault, and the second of them is left out.
    pub fn new(mut agents: Vec<Agent>, faults: &mut Vec<Diagnostic>) -> Self {
        agents.sort_by(|a, b| (&a.key, &a.path).cmp(&(&b.key, &b.path)));
        let mut known: BTreeMap<String, Clean> = BTreeMap::new();
        agents.retain(|agent| match known.get(&agent.key.to_lowercase()) {
            None => {
                known.insert(agent.key.to_lowercase(), agent.shown.clone());
                true
            }
            Some(first) => {
                let message = format!("`{first}` has the key `{}` too", agent.key);
                let at = Some(Place::file(agent.path.clone()));
                faults.push(Diagnostic::new(Code::InvalidAgent, at, message).help("give one of them another `key`"));
                false
            }
        });
        Self { all: agents }
    }

    /// Returns the index of the agent that `name` means: a key, `agent:<stem>`, a stem or a name, case ignored.
    ///
    /// # Errors
    /// If it means none or several.
    pub fn find(&self, name: &str) -> Result<usize, AgentError> {
        let wanted = name.trim().to_lowercase();
        let is = |text: &str| text.to_lowercase() == wanted;
        if let Some(exact) = self.all.iter().position(|agent| is(&agent.key)) {
            return Ok(exact);
        }
        let named = |agent: &Agent| {
            let stem = agent.stem();
            is(stem) || is(&format!("agent:{stem}")) || is(&agent.name)
        };
        let found: Vec<usize> = (0..self.all.len()).filter(|index| named(&self.all[*index])).collect();
        match found[..] {
            [one] => Ok(one),
            [] => {
                let names_of = |agent: &Agent| [agent.stem().to_owned(), agent.key.to_string(), agent.name.to_string()];
                let lower = |agent| names_of(agent).map(|name| (name.to_lowercase(), agent));
                let names: BTreeMap<String, &Agent> = self.all.iter().rev().flat_map(lower).collect();
                let near = nearest(&wanted, names.keys().map(String::as_str)).and_then(|near| names.get(near));
                Err(AgentError::Unknown { name: name.to_owned(), nearest: near.map(|agent| agent.key.to_string()) })
            }
            _ => {
                let keys = found.iter().map(|index| format!("`{}`", self.all[*index].key)).collect();
                Err(AgentError::Ambiguous { name: name.to_owned(), keys })
            }
        }
    }
}

/// Returns what is wrong with a tool or a skill of an agent, and what helps, if the configuration does not allow it.
pub fn not_allowed(kind: &str, allowed: Option<&[String]>, entry: &str) -> Option<(String, String)> {
    let allowed = allowed.filter(|allowed| !covers(allowed, entry))?;
    let message = format!("`{entry}` is none of the {kind} that `agents.allowed_{kind}` lists");
    Some((message, did_you_mean(entry, allowed.iter().map(String::as_str))))
}

/// Returns whether `tool` is in a list of tools: by the same name in any case, as a use of it (`bash:git *` or `Bash(git *)` of
/// `bash`), or by the beginning that an entry with `*` at its end names, without what would begin another command.
pub fn covers(tools: &[impl Deref<Target = str>], tool: &str) -> bool {
    let plain = |text: &str| text.trim().to_lowercase().replacen('(', ":", 1);
    let plain = |text: &str| plain(text).strip_suffix(')').map_or_else(|| plain(text), str::to_owned);
    let tool = plain(tool);
    let is_one = |rest: &str| !rest.contains([';', '&', '|', '`', '$', '<', '>', '(', ')', '\n']);
    tools.iter().map(|entry| plain(entry)).any(|entry| {
        let begins = |start: &str| tool.strip_prefix(start).is_some_and(is_one);
        tool == entry || begins(&format!("{entry}:")) || entry.strip_suffix('*').is_some_and(begins)
    })
}

fn shown_stem(shown: &Clean) -> Clean {
    let start = shown.rfind('/').map_or(0, |at| at + 1);
    let end = shown[start..].rfind('.').map_or(shown.len(), |at| start + at);
    shown.slice(start..end)
}

fn limits(node: &Node<String>, fault: &mut impl FnMut(u32, String, String)) -> BudgetLimits {
    const KEYS: [&str; 4] = ["max_chars", "max_bytes", "max_tokens", "strategy"];
    let mut limits = BudgetLimits::default();
    let Value::Map(pairs) = &node.value else {
        fault(node.line, "`budget` is no map of limits".to_owned(), "write `budget: {max_tokens: 8000}`".to_owned());
        return limits;
    };
    for (key, node) in pairs {
        let text = scalar(node).unwrap_or_default().trim();
        let limit = match key.as_str() {
            "max_chars" => &mut limits.max_chars,
            "max_bytes" => &mut limits.max_bytes,
            "max_tokens" => &mut limits.max_tokens,
            "strategy" => {
                let all = [Strategy::TruncateTail, Strategy::DropLowPriority, Strategy::Both];
                limits.strategy = all.into_iter().find(|strategy| strategy.name() == text);
                if limits.strategy.is_none() {
                    fault(node.line, "this is no strategy".to_owned(), did_you_mean(text, all.map(Strategy::name)));
                }
                continue;
            }
            _ => {
                fault(node.line, format!("`{key}` is no limit"), did_you_mean(key, KEYS));
                continue;
            }
        };
        *limit = parse_limit(&text.replace('_', ""));
        if limit.is_none() {
            fault(node.line, format!("`{key}` is no limit above 0"), "write it as 8000 or 8k".to_owned());
        }
    }
    limits
}
