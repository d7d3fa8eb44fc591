//! `contextpack handover`.

use super::args::HandoverArgs;
use super::card::{key_and_value, removal_note};
use super::ledger::{Done, HandedPack, HandoffFiles};
use crate::cli::args::{BudgetArgs, Global};
use crate::cli::input::{self, from_here};
use crate::cli::packs::OpenedRepository;
use crate::cli::rebuild::root_item;
use crate::cli::watch::on_signal;
use crate::config::Recipe;
use crate::console::report::{folded, visible};
use crate::console::{self, Exit, Failure, object, settled, stamp};
use crate::engine::{AgentContext, BudgetProbe, EngineError, Project, Repository, path_inside};
use crate::handoff::cards::{CardError, LogName, parse};
use crate::handoff::handover::{HandoverPlan, HandoverRequest, Party, RecipeArguments, own_log, plan};
use crate::handoff::ledger::{TaskState, TurnRequest};
use crate::knowledge::{Agent, AgentError, covers};
use crate::model::{CardSource, RepoPath, did_you_mean, section_kind};
use crate::redact::Clean;
use crate::seal::Sealed;
use crate::store::{Access, Folder};
use crate::wire::{Extra, PackAgent};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::path::Path;

pub(crate) fn run(global: &Global, args: &HandoverArgs) -> Result<Exit, Failure> {
    let files = HandoffFiles::open(global)?;
    let arguments = |repository: &Repository| arguments(repository, &args.arguments);
    // A few files belong together: Ctrl-C does not come between them.
    let done = hand_over(&files, args, arguments, || on_signal(|| {}));
    let next = |mut done: Done| {
        let text = |field: &Value| field.as_str().unwrap_or_default().to_owned();
        let (path, log) = (text(&done.output["pack"]["path"]), text(&done.output["output_box"]));
        done.lines.extend(next_steps(&path, &log));
        done.print(global)
    };
    files.settle(done.and_then(next))
}

/// Builds a handover, and writes it after `begin`.
pub(super) fn hand_over(
    files: &HandoffFiles,
    args: &HandoverArgs,
    arguments: impl Fn(&Repository) -> Result<RecipeArguments, Failure>,
    begin: impl FnOnce() -> Result<(), Failure>,
) -> Result<Done, Failure> {
    let (built, folder, shown_folder) = settled(|| prepare(files, args, &arguments))?;
    let BuiltHandover { plan, sealed, agent, exit } = &built;
    let log = files.store.read_box(plan.output_box.as_str())?;
    begin()?;
    write(files, &built, &folder)?;
    let path = format!("{shown_folder}/{}", built.file());
    let notes = notes(plan, log.map_or(0, |content| content.card_ids.len()));
    let result = json!({
        "context_box_id": plan.context_box,
        "target_profile_box_id": plan.profile_box,
        "attached_card_ids": plan.cards.iter().map(|card| &card.id).collect::<Vec<_>>(),
        "output_box": plan.output_box.as_str(),
        "agent": agent,
        "pack": {"path": path, "hash": sealed.pack().hash},
    });
    Ok(Done { exit: *exit, ..Done::new(String::new(), &result, summary(&built, &path)).noted(notes) })
}

/// Checks the request and builds the pack in memory, and returns it with its folder and that folder's path for people.
fn prepare(
    files: &HandoffFiles,
    args: &HandoverArgs,
    arguments: impl Fn(&Repository) -> Result<RecipeArguments, Failure>,
) -> Result<(BuiltHandover, Folder, String), Failure> {
    let repository = files.global.open(Some(Access::Read))?;
    let recipe = recipe(&repository, &args.recipe)?;
    let arguments = arguments(&repository)?;
    if args.budget.profiles.len() > 1 {
        return Err(Failure::usage("one pack has one profile: give `--profile` once"));
    }
    let (folder, shown) = folder(&repository, args.out.as_deref())?;
    let Some(to) = args.to.as_ref().or(recipe.target_profile_config.profile_name.as_ref()) else {
        return Err(Failure::Usage(format!(
            "no valid target_profile_box_id: the recipe `{}` names no agent (help: name one with `--to`)",
            args.recipe
        )));
    };
    let HandoverArgs { recipe: name, boxes, budget, .. } = args;
    let (arguments, from, root) = (&arguments, args.from.as_deref(), args.root.as_ref());
    let task = HandoverTask { name, recipe, arguments, boxes, to, from, root, output_box: None, budget };
    let mut built = built(&OpenedRepository::new(&files.global, &repository), files, task)?;
    built.plan.notes.extend(check_free(files, &folder, &shown, &built)?);
    Ok((built, folder, shown))
}

pub(crate) struct HandoverTask<'a> {
    pub(crate) name: &'a str,
    pub(crate) recipe: &'a Recipe,
    pub(crate) arguments: &'a RecipeArguments,
    pub(crate) boxes: &'a [String],
    pub(crate) to: &'a str,
    pub(crate) from: Option<&'a str>,
    pub(crate) root: Option<&'a String>,
    /// The log of the results, unless it is that of the strategy.
    pub(crate) output_box: Option<LogName>,
    pub(crate) budget: &'a BudgetArgs,
}

pub(crate) struct BuiltHandover {
    pub(crate) plan: HandoverPlan,
    pub(crate) sealed: Sealed,
    pub(crate) agent: PackAgent,
    pub(crate) exit: Exit,
}

impl BuiltHandover {
    fn file(&self) -> String {
        format!("{}.json", self.plan.context_box.short())
    }
}

pub(crate) fn built(
    opened: &OpenedRepository<'_>,
    files: &HandoffFiles,
    task: HandoverTask<'_>,
) -> Result<BuiltHandover, Failure> {
    let OpenedRepository { repository, project, .. } = opened;
    let agent = project.agent_of_handover(task.to).map_err(not_found)?;
    let known = &project.knowledge().agents.all[agent.agent];
    confirm_allowed(project, known, &task)?;
    let to = party(project, task.to)?;
    let from = task.from.map(|name| party(project, name)).transpose()?;
    let item = root_item(opened, task.root)?;
    let root = item.map(|item| project.item(item).id.to_string());
    let stamp = stamp()?;
    let HandoverTask { name, recipe, arguments, boxes, .. } = task;
    let (to, profile, from, root, now) = (&to, &profile(known), from.as_ref(), root.as_deref(), &stamp.generated_at);
    let task_logs = if from.is_some() { files.task_logs()? } else { &[] };
    let request = HandoverRequest { name, recipe, arguments, boxes, to, profile, from, task_logs, root, now };
    let mut plan = plan(&request, &files.store, files.card_writer())?;
    if let Some(log) = task.output_box {
        plan.output_box = log;
    }
    let budget = task.budget;
    let (profiles, limits) = repository.with_defaults(project, Some(&agent), &budget.profiles, budget.limits())?;
    let Some(profile) = profiles.into_iter().next() else { return Err(Failure::usage("there is no profile")) };
    let handover = project.handed_over(name, from.map(|from| from.key.as_str()), &plan);
    let target = PackAgent { key: known.key.to_string(), name: known.name.to_string(), extra: Extra::new() };
    let agent = AgentContext { handover: Some(handover), ..agent };
    let probe = BudgetProbe { project, item, profile, limits, stamp, agent: Some(agent) };
    let (sealed, run) = opened.build(&probe)?;
    let shown = visible(&run.diagnostics, opened.global.quiet);
    let sealed = sealed.ok_or_else(|| Failure::Unread(folded(&shown, opened.global.verbose).into_owned()))?;
    run.print(opened.global, false)?;
    Ok(BuiltHandover { plan, sealed, agent: target, exit: run.exit() })
}

/// Confirms that an agent has the tools and skills that the recipe asks for, and, where the configuration says which tools agents may have,
/// those that arguments of the type `sys.tools` name.
fn confirm_allowed(project: &Project<'_>, agent: &Agent, task: &HandoverTask<'_>) -> Result<(), Failure> {
    let is_gated = project.settings().agents.allowed_tools.is_some();
    let given = task.recipe.pack_arguments.iter().filter(|argument| is_gated && argument.as_card_type == "sys.tools");
    let given = given.filter_map(|argument| task.arguments.0.get(&argument.arg_key));
    // A list, a request's `{"tools": […]}`, or one tool.
    let given = given.flat_map(|value| match value.as_array().or(value["tools"].as_array()) {
        Some(tools) => tools.as_slice(),
        None => std::slice::from_ref(value),
    });
    let name = |tool: &'_ Value| {
        let names = [tool, &tool["name"], &tool["function"]["name"]];
        names.into_iter().find_map(Value::as_str).unwrap_or("(a tool without a name)").to_owned()
    };
    let asked = &task.recipe.target_profile_config;
    let tools = asked.tools.iter().cloned().chain(given.map(name)).map(|tool| ("tool", &agent.tools, tool));
    let skills = asked.skills.iter().cloned().map(|skill| ("skill", &agent.skills, skill));
    match tools.chain(skills).find(|(_, own, asked)| !covers(own, asked)) {
        None => Ok(()),
        Some((kind, own, asked)) => Err(Failure::Unauthorized(format!(
            "the agent `{}` has no {kind} `{}`, which the handover asks for (help: {})",
            agent.key,
            project.redacted_line(&asked),
            did_you_mean(&asked, own.iter().map(Clean::as_str)),
        ))),
    }
}

fn recipe<'r>(repository: &'r Repository, name: &str) -> Result<&'r Recipe, CardError> {
    let known = &repository.settings().handover.recipes;
    known.get(name).ok_or_else(|| {
        let help = did_you_mean(name, known.keys().map(String::as_str));
        CardError::bad(format!("there is no recipe `{name}` (help: {help})"))
    })
}

fn arguments(repository: &Repository, given: &[String]) -> Result<RecipeArguments, Failure> {
    let mut arguments = BTreeMap::new();
    for pair in given {
        let usage = || Failure::usage("`--arg` is given as KEY=TEXT or KEY=@FILE.json");
        let (key, text) = key_and_value(pair).ok_or_else(usage)?;
        let value = match text.strip_prefix('@') {
            Some(file)
                if path_inside(repository.root(), Path::new(file))
                    .is_some_and(|path| repository.configuration().deny.denies(&path)) =>
            {
                let help = "(help: `redaction.deny_paths` says which; give the text itself)";
                return Err(Failure::Usage(format!("`{file}` is denied: files of its name are never opened {help}")));
            }
            Some(file) if file.ends_with(".json") => {
                parse(&input::named_file(Path::new(file))?, "the file of the argument")?
            }
            Some(file) if !file.is_empty() && !file.contains(char::is_whitespace) => {
                let help = "(help: `@` names a JSON file)";
                return Err(Failure::Usage(format!("`{key}` names a file that does not end in `.json` {help}")));
            }
            _ => Value::from(text),
        };
        if arguments.insert(key.to_owned(), value).is_some() {
            return Err(Failure::Usage(format!("`--arg` gives `{key}` twice")));
        }
    }
    Ok(RecipeArguments(arguments))
}

fn folder(repository: &Repository, out: Option<&Path>) -> Result<(Folder, String), Failure> {
    let settings = repository.settings();
    let root = repository.root();
    let Some(out) = out else {
        let dir = settings.handover.packs().ok_or_else(|| Failure::usage("`handover.dir` is no folder"))?;
        return Ok((Folder::open(root, &dir)?, dir.to_string()));
    };
    let inside = path_inside(root, out);
    let packs = settings.handover.packs();
    let is_own = |dir: &RepoPath| inside.as_ref().is_some_and(|path| path == dir || path.is_under(dir.as_str()));
    let mut own = settings.written_folders().into_iter();
    if let Some(dir) = own.find(|dir| Some(dir) != packs.as_ref() && is_own(dir)) {
        let message = format!("`--out` is inside `{dir}`, which holds other files (help: name another folder)");
        return Err(Failure::Usage(message));
    }
    let shown = inside.map_or_else(|| out.display().to_string(), |path| path.to_string());
    Ok((Folder::open_anywhere(out)?.staged_at(root)?, shown))
}

pub(crate) fn not_found(error: EngineError) -> Failure {
    match &error {
        EngineError::Agent(unknown @ AgentError::Unknown { name, .. }) => {
            Failure::NotFound(Exit::Input, format!("agent not found: {name} (help: {})", unknown.help()))
        }
        _ => error.into(),
    }
}

/// Finds an agent, as one that hands over, or is handed something.
///
/// It is an error if another agent has the log that would be its own: they would share an inbox, and each could read what the
/// other is given.
pub(crate) fn party(project: &Project<'_>, name: &str) -> Result<Party, Failure> {
    let agents = &project.knowledge().agents.all;
    let agent = &agents[project.agent_of_handover(name).map_err(not_found)?.agent];
    let party = party_of(agent);
    let Ok(log) = own_log(&party) else { return Ok(party) };
    let sharing = agents.iter().filter(|agent| own_log(&party_of(agent)).is_ok_and(|own| own == log));
    // The one that is named like the log is first.
    match sharing.min_by_key(|agent| (agent.stem() != log.as_str(), &agent.path)) {
        Some(first) if first.key != agent.key => Err(Failure::Usage(format!(
            "the agents `{}` (`{}`) and `{}` (`{shown}`) would share the log and the inbox `{}`, since their files differ only in characters that these names lack (help: rename `{shown}`)",
            first.key,
            first.shown,
            party.key,
            log.as_str(),
            shown = agent.shown
        ))),
        _ => Ok(party),
    }
}

pub(crate) fn party_of(agent: &Agent) -> Party {
    Party { key: agent.key.to_string(), stem: agent.stem().to_owned() }
}

fn profile(agent: &Agent) -> Value {
    let texts = |list: &[Clean]| list.iter().map(ToString::to_string).collect::<Vec<String>>();
    let listed = |list: &[Clean]| Some(texts(list)).filter(|texts| !texts.is_empty());
    let fields = agent.fields.iter().filter_map(|(name, node)| Some((name.to_string(), node.json()?)));
    let fields: Map<String, Value> = fields.collect();
    object([json!({
        "key": &*agent.key,
        "name": &*agent.name,
        "purpose": agent.purpose.as_deref(),
        "role": agent.role.as_deref(),
        "profile": agent.profile.as_deref(),
        "path": &*agent.shown,
        "soul": &*agent.soul,
        "tools": listed(&agent.tools),
        "skills": listed(&agent.skills),
        "policy": agent.policy.map(|policy| policy.name()),
        "fields": Some(fields).filter(|fields| !fields.is_empty()),
    })])
}

/// Returns a note on the pack that is replaced: of this handover, perhaps with another strategy, profile or limit.
fn check_free(
    files: &HandoffFiles,
    folder: &Folder,
    shown: &str,
    built: &BuiltHandover,
) -> Result<Option<String>, Failure> {
    let (name, context) = (built.file(), &built.plan.context_box);
    let Some(existing) = folder.read(&name)? else { return Ok(None) };
    let handed = |bytes: &[u8]| HandedPack::of(bytes, name.clone(), context);
    let both = handed(&existing).zip(handed(built.sealed.bytes()));
    let Some((old, new)) = both.filter(|(old, new)| (&old.agent, &old.root) == (&new.agent, &new.root)) else {
        return Err(Failure::Input(format!(
            "`{shown}/{name}` is no pack of this handover, and is not overwritten (help: `--out` names another folder)"
        )));
    };
    let log = |pack: &HandedPack| pack.output.as_ref().map_or_else(String::new, |log| files.redacted(log.as_str()));
    // An agent that works on a turn writes to the log of the pack that it was given.
    if let Some(inbox) = old.inbox.as_ref().filter(|_| old.output != new.output) {
        let ledger = files.open_inbox(inbox).read()?;
        let is_old = |it: &TurnRequest| it.context_box_id == *context && it.output_box != log(&new);
        let is_open = |it: &TaskState| !it.status.is_terminal() && ledger.request(&it.id).is_some_and(is_old);
        if let Some(turn) = ledger.states().iter().find(|turn| is_open(turn)) {
            let (id, old, new) = (&turn.id, log(&old), log(&new));
            let why =
                format!("the turn {id} of this box is open, and its results go to the log `{old}`, not to `{new}`");
            return Err(Failure::Input(format!("{why} (help: `contextpack inbox ack` ends it)")));
        }
    }
    let replaced = format!("replaced the pack that named the log `{}`", log(&old));
    Ok((!built.sealed.is_unchanged(&existing)).then_some(replaced))
}

fn write(files: &HandoffFiles, built: &BuiltHandover, folder: &Folder) -> Result<(), Failure> {
    let (BuiltHandover { plan, sealed, .. }, name, store) = (built, built.file(), &files.store);
    store.transaction(|written| {
        plan.new_cards.iter().try_for_each(|card| written.card(store, card))?;
        plan.new_boxes.iter().try_for_each(|snapshot| written.snapshot(store, snapshot))?;
        if !folder.read(&name)?.is_some_and(|existing| sealed.is_unchanged(&existing)) {
            folder.write(&name, sealed.bytes())?;
        }
        Ok(())
    })
}

/// Returns what the result does not say: secrets that were removed, and a log that was used before.
fn notes(plan: &HandoverPlan, appended: usize) -> Vec<String> {
    let removed = removal_note(plan.new_cards.iter().map(|card| card.redacted).sum());
    let unread = plan.cards.iter().filter_map(|card| {
        let why = card.card.as_ref().err()?;
        Some(format!("{}: {why}, so that the pack does not hold it", card.id))
    });
    let cards = console::counted(appended, "card");
    let used = (appended > 0).then(|| format!("the log `{}` has {cards} already", plan.output_box.as_str()));
    removed.into_iter().chain(unread).chain(plan.notes.iter().cloned()).chain(used).collect()
}

fn summary(built: &BuiltHandover, path: &str) -> Vec<String> {
    let BuiltHandover { plan, sealed, agent, .. } = built;
    let count = |given: CardSource| plan.cards.iter().filter(|card| card.given == given).count();
    let shown = sealed.pack().sections.iter().filter(|section| section.kind == section_kind::CARD).count();
    let left_out = plan.cards.len().saturating_sub(shown);
    let mut parts = format!("{} given, {} inherited", count(CardSource::Argument), count(CardSource::Inherited));
    if count(CardSource::ParentPointer) > 0 {
        parts += ", 1 that names who hands over";
    }
    if left_out > 0 {
        parts += &format!(", {left_out} of them left out of the pack");
    }
    let (log, cards) = (plan.output_box.as_str(), console::counted(plan.cards.len(), "card"));
    vec![
        format!("{} ({}) is handed {cards}: {parts}", agent.name, agent.key),
        format!("pack:   {path}"),
        format!("box:    {}", plan.context_box),
        format!("output: {log}"),
    ]
}

fn next_steps(path: &str, log: &str) -> [String; 3] {
    [
        format!("next:   contextpack render {} --format messages    gives it to a model", from_here(path)),
        "        contextpack card add --from-messages RUN.json      keeps what the model said, as cards".to_owned(),
        format!("        contextpack box append {log} ID...    puts these into its log"),
    ]
}
