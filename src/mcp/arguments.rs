//! The arguments of calls and the addresses of packs, checked before the repository is asked.

use super::questions::{ItemQuery, PackQuery, Question};
use crate::config::Policy;
use crate::console::{Failure, printable, without_secrets};
use crate::model::{ItemState, parse_limit};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use rmcp::model::{Prompt, ResourceTemplate, Tool};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::sync::LazyLock;

/// The longest text of an argument, in bytes: far more than any id or path has.
const LONGEST: usize = 4096;

/// The argument that is a text of an agent, which only the length of a message limits.
const PROSE: &str = "text";

const DEFAULT_ITEMS: u64 = 50;

/// The longest part of an unknown name that is sent back, in characters.
const LONGEST_NAME: usize = 80;

/// What the address of every pack begins with: `contextpack://pack/<root>?profile=<profile>`.
const BASE: &str = "contextpack://pack/";

const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// What a call may have, in the types that the schemas say.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct ToolArguments {
    root: Option<String>,
    agent: Option<String>,
    profile: Option<String>,
    policy: Option<String>,
    max_tokens: Option<u64>,
    query: String,
    state: Option<String>,
    limit: Option<u64>,
    why_not: Option<String>,
}

/// Returns what a call of a tool or prompt asks; `None` if there is none of that name.
pub(super) fn question(
    name: &str,
    given: Option<Map<String, Value>>,
    writes: bool,
) -> Option<Result<Question, String>> {
    // A prompt has no schema; its one argument is that of the tools.
    let tool = if name == WORK_ON { EXPLAIN } else { name };
    let tool = tools(writes).find(|offered| offered.name == tool)?;
    let mut properties = tool.input_schema["properties"].as_object().cloned().unwrap_or_default();
    properties.retain(|property, _| name != WORK_ON || property == "root");
    Some(read(name, &properties, given.unwrap_or_default()).map_err(|failure| in_tools(&failure.in_full())))
}

/// Reads arguments of these `properties`. `null` and an empty string mean that an argument is not given.
fn read(name: &str, properties: &Map<String, Value>, mut given: Map<String, Value>) -> Result<Question, Failure> {
    given.retain(|_, value| !value.is_null());
    for (name, schema) in properties {
        let Some(value) = given.get_mut(name) else { continue };
        match schema["type"].as_str() {
            Some("integer") => *value = integer(name, schema, value)?.into(),
            Some("array") => match &*value {
                Value::Array(texts) => texts.iter().try_for_each(|text| check_text(name, schema, text))?,
                _ => return Err(wrong_type(name, value, "an array of strings")),
            },
            Some("object") if value.is_object() => {}
            Some("object") => return Err(wrong_type(name, value, "an object")),
            _ => check_text(name, schema, value)?,
        }
    }
    given.retain(|_, value| value.as_str() != Some(""));
    let unexpected = given.keys().find(|name| !properties.contains_key(*name)).cloned();
    given.retain(|name, _| properties.contains_key(name));
    let question = match hand_off().iter().any(|tool| tool.name == name) {
        true => Question::HandOff { tool: name.to_owned(), arguments: given },
        // The types were checked.
        false => asked(name, serde_json::from_value(given.into()).unwrap_or_default())?,
    };
    match unexpected {
        None => Ok(question),
        Some(name) => Err(Failure::usage(format!("unexpected argument `{}`", unknown_name(&name)))),
    }
}

fn asked(name: &str, arguments: ToolArguments) -> Result<Question, Failure> {
    let ToolArguments { root, agent, profile, policy, max_tokens, query, state, limit, why_not } = arguments;
    if name == PACK && root.is_none() && agent.is_none() {
        return Err(Failure::usage("name an item as `root`, or an agent with `agent`"));
    }
    if policy.is_some() && agent.is_none() {
        return Err(Failure::usage("`policy` is for packs of an agent: name one with `agent`"));
    }
    Ok(match (name, root) {
        (PACK, root) => {
            let policy = policy.as_deref().and_then(Policy::named);
            Question::Pack(PackQuery { root, agent, profile, policy, max_tokens, as_json: false })
        }
        (LIST, _) => Question::Items(ItemQuery {
            words: query.split_whitespace().map(str::to_lowercase).collect(),
            state: state.and_then(|name| ItemState::ALL.into_iter().find(|state| state.name() == name)),
            limit: usize::try_from(limit.unwrap_or(DEFAULT_ITEMS)).unwrap_or(usize::MAX),
        }),
        (_, None) => return Err(Failure::usage("name an item: `root` is missing")),
        (EXPLAIN, Some(root)) => Question::Explain { root, why_not },
        (_, Some(root)) => Question::WorkOn(root),
    })
}

/// Checks a text: its length, and that it is one of the schema's `enum`, if that has one.
fn check_text(name: &str, schema: &Value, value: &Value) -> Result<(), Failure> {
    let text = match value {
        Value::String(text) => text,
        Value::Number(number) => return Err(wrong_type(name, value, &format!("a string: `\"{number}\"`"))),
        _ => return Err(wrong_type(name, value, "a string")),
    };
    if name != PROSE && (text.len() > LONGEST || text.contains(char::is_control)) {
        return Err(Failure::usage(format!("`{name}` is longer than {LONGEST} bytes, or has control characters")));
    }
    let known: Vec<&str> = schema["enum"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    if known.is_empty() || text.is_empty() || known.contains(&text.as_str()) {
        return Ok(());
    }
    let (text, known) = (unknown_name(text), known.join(", "));
    Err(Failure::usage(format!("invalid value `{text}` for `{name}` (possible values: {known})")))
}

/// Reads an integer from 1 to the schema's `maximum`. As in JSON Schema, `8000.0` is an integer.
fn integer(name: &str, schema: &Value, value: &Value) -> Result<u64, Failure> {
    let Value::Number(number) = value else {
        return Err(wrong_type(name, value, "a number without quotes, such as 800"));
    };
    let least = schema["minimum"].as_u64().unwrap_or(1);
    if number.as_u64() == Some(0) && least == 0 {
        return Ok(0);
    }
    let most = schema["maximum"].as_u64();
    let text = number.to_string();
    let limit = parse_limit(text.strip_suffix(".0").unwrap_or(&text));
    limit.filter(|limit| most.is_none_or(|most| *limit <= most)).ok_or_else(|| {
        let range = match most {
            Some(most) => format!("it is a number from {least} to {most}"),
            None => format!("it is a number of at least {least}"),
        };
        Failure::usage(format!("invalid value `{number}` for `{name}`: {range}"))
    })
}

fn wrong_type(name: &str, value: &Value, wanted: &str) -> Failure {
    let given = match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    };
    Failure::usage(format!("invalid type of `{name}`: it is {given}, and must be {wanted}"))
}

/// Returns the beginning of an unknown name, on one line and without secrets, to be sent back.
pub(super) fn unknown_name(name: &str) -> String {
    // A secret is found whole, also where its end is not sent.
    let examined: String = name.chars().take(20 * LONGEST_NAME).collect();
    let clean = without_secrets(&examined);
    let begin: String = clean.chars().take(LONGEST_NAME).collect();
    let cut = if begin.len() < clean.len() { "…" } else { "" };
    format!("{}{cut}", printable(&begin))
}

pub(super) fn address(root: &str, profile: &str) -> String {
    let escaped = |part| utf8_percent_encode(part, ESCAPED);
    format!("{BASE}{}?profile={}", escaped(root), escaped(profile))
}

pub(super) fn pack_at(address: &str) -> Result<PackQuery, String> {
    if address.len() > LONGEST {
        return Err(format!("the address of a resource has at most {LONGEST} bytes"));
    }
    let decoded = |part: &str| {
        let text = percent_decode_str(part).decode_utf8().ok()?;
        (!text.is_empty() && !text.contains(char::is_control)).then(|| text.into_owned())
    };
    let query = || {
        let rest = address.strip_prefix(BASE).filter(|rest| !rest.contains('#'))?;
        let (root, options) = rest.split_once('?').map_or((rest, None), |(root, options)| (root, Some(options)));
        let mut query = PackQuery { root: Some(decoded(root)?), ..PackQuery::default() };
        for option in options.iter().flat_map(|options| options.split('&')) {
            match option.split_once('=')? {
                ("profile", profile) if query.profile.is_none() && !profile.contains('=') => {
                    query.profile = Some(decoded(profile)?);
                }
                ("format", "json") if !query.as_json => query.as_json = true,
                _ => return None,
            }
        }
        Some(query)
    };
    query().ok_or_else(|| {
        let (address, template) = (unknown_name(address), &offer().templates[0].uri_template);
        format!("`{address}` is no resource: their addresses are `{template}`")
    })
}

pub(super) const PACK: &str = "get_context_pack";

pub(super) const LIST: &str = "list_work_items";

pub(super) const EXPLAIN: &str = "explain";

pub(super) const WORK_ON: &str = "work_on";

/// Returns a message with the tools of this server for the commands that it names. Others are for the user to run.
pub(crate) fn in_tools(message: &str) -> String {
    let mut parts = message.split("`contextpack ");
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (command, rest) = part.split_once('`').unwrap_or((part, ""));
        let mut tools =
            [("list", LIST), ("explain", EXPLAIN), ("render", PACK), ("inbox list", "inbox"), ("batch list", "batch")]
                .into_iter();
        let tool = tools.find(|(name, _)| command.starts_with(name));
        let is_order = text.ends_with("run ");
        text.truncate(text.len() - if is_order { "run ".len() } else { 0 });
        text += &match (tool, is_order) {
            (Some((_, tool)), true) => format!("call `{tool}`"),
            (Some((_, tool)), false) => format!("`{tool}`"),
            (None, true) => format!("ask the user to run `contextpack {command}`"),
            (None, false) => format!("the user's `contextpack {command}`"),
        };
        text += rest;
    }
    // An option may be followed by its value: `--box planner`.
    let options = ["agent", "to", "epoch", "root", "status"].map(|name| (name, name));
    options.into_iter().chain([("box", "boxes"), ("arg", "arguments")]).fold(text, |text, (option, argument)| {
        let text = text.replace(&format!("`--{option}`"), &format!("`{argument}`"));
        text.replace(&format!("`--{option} "), &format!("`{argument}` `"))
    })
}

#[derive(Serialize, Deserialize)]
pub(super) struct Offer {
    pub(super) instructions: String,
    pub(super) tools: Vec<Tool>,
    pub(super) prompts: Vec<Prompt>,
    pub(super) templates: Vec<ResourceTemplate>,
}

pub(super) fn offer() -> &'static Offer {
    #[expect(clippy::expect_used, reason = "the file is part of the program, and a test reads it")]
    static OFFER: LazyLock<Offer> =
        LazyLock::new(|| serde_json::from_str(include_str!("offer.json")).expect("`offer.json` is valid"));
    &OFFER
}

fn hand_off() -> &'static [Tool] {
    #[expect(clippy::expect_used, reason = "the file is part of the program, and a test reads it")]
    static HAND_OFF: LazyLock<Vec<Tool>> =
        LazyLock::new(|| serde_json::from_str(include_str!("hand_off.json")).expect("`hand_off.json` is valid"));
    &HAND_OFF
}

/// Returns the tools of a server, with those that write if it `writes`.
pub(super) fn tools(writes: bool) -> impl Iterator<Item = &'static Tool> {
    offer().tools.iter().chain(if writes { hand_off() } else { &[] })
}

/// Returns the instructions of the server; `agent` is the one that it acts as.
pub(super) fn instructions(agent: Option<&str>) -> String {
    let acts = agent.map_or_else(String::new, |agent| format!(" In hand_over, inbox and batch you act as {agent}."));
    format!("{}{acts}", offer().instructions)
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn an_address_names_the_root_and_the_profile_that_it_was_made_of(root in "\\PC{1,30}", profile in "[a-z0-9-]{1,9}") {
            let address = address(&root, &profile);
            prop_assert!(address.is_ascii() && !address.contains(' '));
            let query = pack_at(&address).unwrap();
            prop_assert_eq!((query.root, query.profile), (Some(root), Some(profile)));
        }
    }

    #[test]
    fn other_addresses_are_refused() {
        let twice = "contextpack://pack/a?profile=b&profile=c";
        for rest in ["?x=b", "%ff", "a%0ab", "a#b", ""] {
            assert!(pack_at(&format!("{BASE}{rest}")).is_err(), "{rest}");
        }
        assert!(pack_at(twice).is_err() && pack_at("").is_err() && pack_at("file:///etc/passwd").is_err());
        // A client may leave out the escapes of an issue.
        assert_eq!(pack_at("contextpack://pack/feat:a/b").unwrap().root.unwrap(), "feat:a/b");
    }

    use crate::config::Policy;
    use crate::engine::count_tokens;

    #[test]
    fn all_that_an_agent_reads_takes_less_than_600_tokens() {
        let tokens = count_tokens(&serde_json::to_string(offer()).unwrap());
        assert!(tokens < 600, "{tokens}");
        let tokens = tokens + count_tokens(&serde_json::to_string(hand_off()).unwrap());
        assert!(tokens + count_tokens(&instructions(Some("agent:planner:main"))) < 1_200, "{tokens}");
    }

    #[test]
    fn every_tool_only_reads_and_names_the_policies_that_there_are() {
        for tool in &offer().tools {
            assert_eq!(tool.annotations.as_ref().unwrap().read_only_hint, Some(true), "{}", tool.name);
            assert!(!tool.input_schema.contains_key("$schema"));
        }
        let policies = &offer().tools[0].input_schema["properties"]["policy"]["enum"];
        assert_eq!(*policies, serde_json::json!(Policy::ALL.map(Policy::name)));
    }
}
