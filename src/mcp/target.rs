//! The arguments of the tools, checked before the repository is asked.

use super::server::unknown_name;
use crate::config::Policy;
use crate::console::Failure;
use crate::engine::{Project, Repository};
use crate::model::{ItemState, RepoPath, has_letter_prefix, parse_limit};
use serde_json::{Map, Value};
use std::path::Path;

/// The longest text of an argument, in bytes: far more than any id or path has.
const LONGEST: usize = 4096;

/// How many items a list shows unless more are asked for, and at most.
const ITEMS: (u64, u64) = (50, 1000);

/// The pack that a call asks for.
#[derive(Debug, Clone, Default)]
pub(super) struct PackQuery {
    pub(super) root: Option<String>,
    pub(super) agent: Option<String>,
    pub(super) profile: Option<String>,
    pub(super) policy: Option<Policy>,
    pub(super) max_tokens: Option<u64>,
}

/// The items that a call asks for.
#[derive(Debug, Clone)]
pub(super) struct ItemQuery {
    /// Words in lower case, all of which an item has.
    pub(super) words: Vec<String>,
    pub(super) state: Option<ItemState>,
    pub(super) limit: usize,
}

/// The arguments of a call, taken one by one.
pub(super) struct Arguments {
    left: Map<String, Value>,
}

impl Arguments {
    /// Returns the arguments of a call.
    pub(super) fn new(arguments: Option<Map<String, Value>>) -> Self {
        Self { left: arguments.unwrap_or_default() }
    }

    /// Takes a string. `null` and an empty string mean that it is not given.
    fn text(&mut self, name: &str) -> Result<Option<String>, Failure> {
        let text = match self.left.remove(name) {
            None | Some(Value::Null) => return Ok(None),
            Some(Value::String(text)) => text,
            Some(Value::Number(number)) => {
                return Err(wrong_type(name, "a number", &format!("a string: `\"{number}\"`")));
            }
            Some(other) => return Err(wrong_type(name, type_name(&other), "a string")),
        };
        if text.len() > LONGEST || text.contains(char::is_control) {
            return Err(Failure::usage(format!("`{name}` is longer than {LONGEST} bytes, or has control characters")));
        }
        Ok(Some(text).filter(|text| !text.is_empty()))
    }

    /// Takes an integer from 1 to `most`; `range` says which they are. `null` means that it is not given.
    ///
    /// As in JSON Schema, `8000.0` is an integer.
    fn limit(&mut self, name: &str, most: u64, range: &str) -> Result<Option<u64>, Failure> {
        let number = match self.left.remove(name) {
            None | Some(Value::Null) => return Ok(None),
            Some(Value::Number(number)) => number,
            Some(other) => return Err(wrong_type(name, type_name(&other), "a number without quotes, such as 800")),
        };
        let text = number.to_string();
        let limit = parse_limit(text.strip_suffix(".0").unwrap_or(&text)).filter(|limit| *limit <= most);
        limit.map(Some).ok_or_else(|| Failure::usage(format!("invalid value `{number}` for `{name}`: {range}")))
    }

    /// Takes the one of `known` that is named.
    fn one_of<T: Copy>(&mut self, name: &str, known: &[(&str, T)]) -> Result<Option<T>, Failure> {
        let Some(text) = self.text(name)? else { return Ok(None) };
        match known.iter().find(|(known, _)| *known == text) {
            Some((_, value)) => Ok(Some(*value)),
            None => {
                let names: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
                Err(Failure::usage(format!(
                    "invalid value `{}` for `{name}` (possible values: {})",
                    unknown_name(&text),
                    names.join(", ")
                )))
            }
        }
    }

    /// Takes a root that must be given.
    fn root(&mut self) -> Result<String, Failure> {
        self.text("root")?.ok_or_else(|| Failure::usage("name a root: `root` is missing"))
    }

    /// Refuses the arguments that were not taken.
    fn finish(self) -> Result<(), Failure> {
        match self.left.keys().next() {
            None => Ok(()),
            Some(name) => Err(Failure::usage(format!("unexpected argument `{}`", unknown_name(name)))),
        }
    }

    /// Returns the pack that `get_context_pack` asks for.
    pub(super) fn pack(mut self) -> Result<PackQuery, Failure> {
        let policies = Policy::ALL.map(|policy| (policy.name(), policy));
        let query = PackQuery {
            root: self.text("root")?,
            agent: self.text("agent")?,
            profile: self.text("profile")?,
            policy: self.one_of("policy", &policies)?,
            max_tokens: self.limit("max_tokens", u64::MAX, "it is a number of at least 1, such as 8000")?,
        };
        self.finish()?;
        if query.root.is_none() && query.agent.is_none() {
            return Err(Failure::usage("name a root, or an agent with `agent`"));
        }
        if query.policy.is_some() && query.agent.is_none() {
            return Err(Failure::usage("`policy` is for packs of an agent: name one with `agent`"));
        }
        Ok(query)
    }

    /// Returns the items that `list_work_items` asks for.
    pub(super) fn items(mut self) -> Result<ItemQuery, Failure> {
        let states = [ItemState::Open, ItemState::Done, ItemState::NotPlanned, ItemState::Merged, ItemState::Unknown];
        let words = self.text("query")?.unwrap_or_default();
        let state = self.one_of("state", &states.map(|state| (state.name(), state)))?;
        let range = format!("it is a number from 1 to {}", ITEMS.1);
        let limit = self.limit("limit", ITEMS.1, &range)?.unwrap_or(ITEMS.0);
        self.finish()?;
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        Ok(ItemQuery { words: words.split_whitespace().map(str::to_lowercase).collect(), state, limit })
    }

    /// Returns the root that `explain` asks for, and what is missing in its pack.
    pub(super) fn explain(mut self) -> Result<(String, Option<String>), Failure> {
        let asked = (self.root()?, self.text("why_not")?);
        self.finish()?;
        Ok(asked)
    }

    /// Returns the root of a prompt.
    pub(super) fn prompt(mut self) -> Result<String, Failure> {
        let root = self.root()?;
        self.finish()?;
        Ok(root)
    }
}

/// Returns the error of an argument whose value has another type than the schema of the tool says.
fn wrong_type(name: &str, given: &str, wanted: &str) -> Failure {
    Failure::usage(format!("invalid type of `{name}`: it is {given}, and must be {wanted}"))
}

/// Returns the name of a value's type in JSON, with its article.
fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

/// Returns the root as the engine takes it: an id, an issue, or a path from the repo's root.
///
/// # Errors
/// If it is an option, standard input, a path outside the repo or the path of a pack: what else a command takes.
pub(super) fn root_in(repository: &Repository, project: &Project<'_>, typed: &str) -> Result<String, Failure> {
    if typed.starts_with('-') {
        return Err(Failure::usage(format!(
            "`{typed}` is no root: give an id, a number, or the path of an item in the repo"
        )));
    }
    if project.find(typed).is_ok() {
        return Ok(typed.to_owned());
    }
    match path_in(repository, typed)? {
        Some(path) if project.is_own_output(&path) => {
            Err(Failure::usage(format!("`{typed}` is no item: give the root, not the path of its pack")))
        }
        Some(path) if Path::new(typed).is_absolute() => Ok(path.to_string()),
        _ => Ok(typed.to_owned()),
    }
}

/// Returns what is typed as a path from the repo's root; `None` if it is none.
///
/// # Errors
/// If it leads out of the repo.
pub(super) fn path_in(repository: &Repository, typed: &str) -> Result<Option<RepoPath>, Failure> {
    if typed.contains("://") || has_letter_prefix(typed) {
        return Ok(None);
    }
    let root = repository.root();
    let below = |root: &Path| Path::new(typed).strip_prefix(root).ok()?.to_str();
    let below = below(root).or_else(|| below(&root.canonicalize().ok()?)).unwrap_or(typed);
    let below = if cfg!(windows) { below.replace('\\', "/") } else { below.to_owned() };
    match RepoPath::new(&below) {
        Ok(path) => Ok(Some(path)),
        Err(_) => Err(Failure::usage(format!("`{typed}` lies outside the repo"))),
    }
}
