//! What an agent is given: a pack in the form that its program takes, and the record of what was delivered.

use super::args::{Global, JobArgs, RenderArgs, RenderPart};
use super::input;
use super::packs::{OpenedRepository, PackKey};
use super::since::TRAILER;
use crate::config::Job;
use crate::console::report::{self, print_invalid_pack};
use crate::console::{self, Exit, Failure, Format, json_text, printable, settled};
use crate::engine::{PackTarget, Repository};
use crate::init::DELIVERED;
use crate::intake::CacheUse;
use crate::model::{Digest, RepoPath, did_you_mean};
use crate::render::{Form, Rendering, split_shared};
use crate::review::invisible_faults;
use crate::seal::bytes_of;
use crate::store::{Access, Folder, open_state};
use crate::wire::Pack;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::error::Error;
use std::io::Write as _;
use std::time::SystemTime;

pub(crate) fn print(pack: &Pack, format: Format, part: Option<RenderPart>) -> Result<(), Failure> {
    let rendering = crate::render::pack(pack);
    let (shared, rest) = split_shared(pack, &rendering);
    let Rendering { instructions, context, .. } = &rendering;
    let text = match (format, part) {
        (Format::Json, _) => String::from_utf8_lossy(&bytes_of(pack)).into_owned(),
        (Format::Parts, _) => {
            let markdown = rendering.whole();
            let parts =
                json!({"contextPack": pack, "markdown": markdown, "instructions": instructions, "context": context});
            json_text(&parts) + "\n"
        }
        (Format::Messages, _) => {
            let system = json!({"role": "system", "content": instructions});
            json_text(&json!([system, {"role": "user", "content": context}])) + "\n"
        }
        (Format::Anthropic, _) => {
            // What other packs begin with too ends with the marker of a cache.
            let cached = |text: &str| json!({"type": "text", "text": text, "cache_control": {"type": "ephemeral"}});
            let shared = Some(shared).filter(|shared| !shared.is_empty()).map(cached);
            let content: Vec<Value> = shared.into_iter().chain([json!({"type": "text", "text": rest})]).collect();
            let messages = json!([{"role": "user", "content": content}]);
            json_text(&json!({"system": [cached(instructions)], "messages": messages})) + "\n"
        }
        (_, None) => rendering.whole(),
        (_, Some(RenderPart::Instructions)) => instructions.clone(),
        (_, Some(RenderPart::Context)) => context.clone(),
    };
    let mut out = console::exact();
    out.write_all(text.as_bytes())?;
    out.flush()?;
    Ok(())
}

const LOG: &str = "delivered.jsonl";

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct DeliveryLine {
    pub(crate) at: String,
    #[serde(flatten)]
    pub(crate) key: PackKey,
    pub(crate) hash: String,
    commit: Option<String>,
    dirty: Option<bool>,
}

#[derive(Debug)]
pub(crate) struct DeliveryLog {
    pub(crate) folder: Folder,
    /// The lines that can be read, the oldest first.
    pub(crate) lines: Vec<DeliveryLine>,
    pub(crate) unreadable: usize,
}

pub(crate) fn log(repository: &Repository) -> Result<Option<DeliveryLog>, Failure> {
    let configured = repository.settings().context.record.clone();
    // A state file that git tracks, or may track, was not written here.
    let is_own = repository.files().cache_use() == CacheUse::Free;
    let Some(dir) = configured.or_else(|| RepoPath::new(DELIVERED).ok().filter(|_| is_own)) else { return Ok(None) };
    // What is no folder of the repo holds no record of it.
    let Ok(folder) = Folder::open(repository.root(), &dir) else { return Ok(None) };
    let Some(text) = folder.read(LOG)? else { return Ok(None) };
    let text = String::from_utf8_lossy(&text);
    let all: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    let lines: Vec<DeliveryLine> = all.iter().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let unreadable = all.len() - lines.len();
    Ok(Some(DeliveryLog { folder, lines, unreadable }))
}

/// Keeps a delivered pack, adds a line about it to the log, and says its hash on standard error.
pub(crate) fn record(global: &Global, repository: &Repository, pack: &Pack) -> Result<(), Failure> {
    let folder = keep(repository, pack).map_err(|failure| match failure {
        Failure::Outside(cause) => Failure::Outside(Box::new(Unrecorded(cause))),
        failure => failure,
    })?;
    Ok(global.note(&format!("recorded {} in `{folder}`", pack.hash))?)
}

#[derive(Debug, thiserror::Error)]
#[error(
    "the pack is not recorded, and so not delivered (help: make the folder of the record writable, name another one in \
     `context.record`, or leave out `--record`)"
)]
struct Unrecorded(#[source] Box<dyn Error>);

fn keep(repository: &Repository, pack: &Pack) -> Result<RepoPath, Failure> {
    let dir = match repository.settings().context.record.clone() {
        Some(dir) => dir,
        None => {
            open_state(repository.root())?;
            RepoPath::new(DELIVERED).map_err(|_| Failure::usage("the record has no folder"))?
        }
    };
    let folder = Folder::open(repository.root(), &dir)?.unreserved(repository.root())?;
    let is_pack = |hash: &str| Digest::parse(&format!("sha256:{hash}")).is_some();
    let known =
        |name: &str, is_folder: bool| !is_folder && (name == LOG || name.strip_suffix(".json").is_some_and(is_pack));
    if dir.as_str() == DELIVERED {
        let ignored = b"# What agents were given. `context.record` names a folder to commit.\n*\n";
        folder.write_once(".gitignore", ignored)?;
    } else if let Some(other) = folder.odd_names(&known)?.first() {
        let message = "which is no delivered pack (help: name a folder of its own in `context.record`)";
        return Err(Failure::Input(format!("`{dir}`, the folder of the record, holds `{other}`, {message}")));
    }
    let hash = pack.hash.strip_prefix("sha256:").unwrap_or(&pack.hash);
    folder.write(&format!("{hash}.json"), &bytes_of(pack))?;
    // The packs and the record are made of the files, and are none of them.
    let state = crate::git::head_commit(repository.root(), &repository.settings().written_folders());
    let (commit, dirty) = state.unzip();
    let line =
        DeliveryLine { at: pack.generated_at.clone(), key: PackKey::of(pack), hash: pack.hash.clone(), commit, dirty };
    let line = serde_json::to_string(&line).unwrap_or_default();
    folder.append_line(LOG, &line)?;
    Ok(dir)
}

/// Prints a pack as the Markdown that its budget measured, and nothing else; or in a form that an agent's program takes.
pub(crate) fn render(global: &Global, args: &RenderArgs) -> Result<Exit, Failure> {
    let target = args.target.pack();
    let (pack, exit) = input::pack(global, &target, !args.target.no_agent, true)?;
    let faults = faults(&pack);
    if !faults.is_empty() {
        let name = args.target.target.as_deref().unwrap_or("the pack");
        faults.iter().try_for_each(|fault| print_invalid_pack(name, fault))?;
        return Ok(Exit::Invalid);
    }
    if args.record {
        record(global, &global.open(None)?, &pack)?;
    }
    match args.trailer {
        true => writeln!(console::stdout(), "{TRAILER}: {}", printable(&pack.hash))?,
        false => print(&pack, global.format, args.part)?,
    }
    Ok(exit)
}

/// Returns why a pack must not be printed: its text would differ from the rendering that its budget measured, or it has
/// invisible text that an agent would follow.
fn faults(pack: &Pack) -> Vec<String> {
    let mut faults = invisible_faults(pack);
    if Form::named(&pack.budget.rendering).is_none() {
        let name: String = pack.budget.rendering.chars().take(80).collect();
        faults.push(format!("this program does not know the rendering `{name}`"));
    }
    faults
}

/// Lists the jobs, or prints the context of one: exactly what is to be given to the agent.
pub(crate) fn job(global: &Global, args: &JobArgs) -> Result<Exit, Failure> {
    settled(|| {
        let repository = global.open(Some(if args.name.is_some() { Access::Write } else { Access::Read }))?;
        let jobs = &repository.settings().jobs;
        let Some(name) = &args.name else { return list_jobs(global, &repository) };
        let Some(job) = jobs.get(name) else {
            let help = did_you_mean(name, jobs.keys().map(String::as_str));
            return Err(Failure::usage(format!("there is no job `{name}` (help: {help})")));
        };
        deliver_job(global, &repository, args, (name, job))
    })
}

fn deliver_job(global: &Global, repository: &Repository, args: &JobArgs, job: (&str, &Job)) -> Result<Exit, Failure> {
    let opened = OpenedRepository::new(global, repository);
    let (root, profiles, limits) = (job.1.root.as_deref(), &*args.budget.profiles, args.budget.limits());
    let agent = Some(&*job.1.agent.name);
    let target = PackTarget { root, profiles, limits, agent, policy: args.policy, job: Some(job) };
    let (sealed, run) = opened.build(&opened.probe(&target)?)?;
    let sealed = run.of_pack(global, false, sealed)?;
    if args.record {
        record(global, repository, sealed.pack())?;
    }
    print(sealed.pack(), global.format, args.part)?;
    repository.save_documents();
    Ok(run.exit())
}

fn list_jobs(global: &Global, repository: &Repository) -> Result<Exit, Failure> {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let now = i64::try_from(now).unwrap_or(i64::MAX);
    let jobs = &repository.settings().jobs;
    let next = |job: &Job| job.schedule.as_ref().and_then(|schedule| schedule.next(now));
    let outputs = jobs.iter().map(|(name, job)| {
        let Job { agent, schedule, intent, policy, root, .. } = job;
        let (schedule, policy) = (schedule.as_ref().map(|it| &it.written), policy.map(|policy| policy.name()));
        let (agent, next) = (&agent.name, next(job));
        json!({"name": name, "agent": agent, "schedule": schedule, "next": next, "intent": intent, "policy": policy, "root": root})
    });
    // A job may be for nobody, or lack its instructions.
    let faults = repository.project().knowledge_diagnostics();
    report::print_diagnostics(&report::visible(&faults, true))?;
    let lines = jobs.iter().map(|(name, job)| {
        let next = next(job).map_or_else(|| "not scheduled".to_owned(), |next| format!("next {next}"));
        let root = job.root.as_ref().map(|root| format!(", about {root}")).unwrap_or_default();
        format!("{name}: {}{root}, {next}", job.agent.name)
    });
    global.print(&json!({"jobs": outputs.collect::<Value>()}), lines)?;
    if jobs.is_empty() && global.format != Format::Json {
        global.note("no jobs: name them under `jobs` of `contextpack.yml`")?;
    }
    Ok(Exit::of(&faults))
}
