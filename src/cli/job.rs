//! `contextpack job`.

use super::args::{Global, JobArgs};
use super::delivery;
use super::packs::{self, PackTarget, probe};
use super::workspace::{open, settled};
use crate::config::Job;
use crate::console::{self, Exit, Failure, Format, printable, report};
use crate::engine::Repository;
use crate::store::Access;
use serde_json::{Value, json};
use std::io::Write as _;
use std::time::SystemTime;

/// Lists the jobs, or prints the context of one: exactly what is to be given to the agent.
pub(crate) fn run(global: &Global, args: &JobArgs) -> Result<Exit, Failure> {
    settled(|| {
        let repository = open(global, &[], Some(if args.name.is_some() { Access::Write } else { Access::Read }))?;
        let jobs = &repository.settings().jobs;
        let Some(name) = &args.name else { return list(global, &repository) };
        let Some(job) = jobs.get(name) else {
            let near = crate::config::nearest(name, jobs.keys().map(String::as_str));
            let help = near.map(|near| format!(" (help: did you mean `{near}`?)")).unwrap_or_default();
            return Err(Failure::usage(format!("there is no job `{name}`{help}")));
        };
        deliver(global, &repository, args, name, job)
    })
}

fn deliver(global: &Global, repository: &Repository, args: &JobArgs, name: &str, job: &Job) -> Result<Exit, Failure> {
    let project = repository.project();
    let target = PackTarget {
        root: job.root.as_deref(),
        profiles: &args.budget.profiles,
        limits: args.budget.limits(),
        agent: Some(&job.agent.name),
        policy: args.policy,
        job: Some((name, job)),
    };
    let probe = probe(repository, &project, &target)?;
    let (sealed, run) = packs::build(global, repository, &probe, probe.limits)?;
    run.print(global, false)?;
    let Some(sealed) = sealed else { return Ok(run.exit()) };
    if args.record {
        delivery::record(global, repository, sealed.pack())?;
    }
    delivery::print(sealed.pack(), crate::render::pack(sealed.pack()), global.format, args.part)?;
    repository.save_documents();
    Ok(run.exit())
}

fn list(global: &Global, repository: &Repository) -> Result<Exit, Failure> {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let now = i64::try_from(now).unwrap_or(i64::MAX);
    let jobs = &repository.settings().jobs;
    let next = |job: &Job| job.schedule.as_ref().and_then(|schedule| schedule.next(now));
    let outputs = jobs.iter().map(|(name, job)| {
        json!({
            "name": name,
            "agent": job.agent.name,
            "schedule": job.schedule.as_ref().map(|schedule| &schedule.written),
            "next": next(job),
            "intent": job.intent,
            "policy": job.policy.map(|policy| policy.name()),
            "root": job.root,
        })
    });
    // A job may be for nobody, or lack its instructions.
    let faults = repository.project().knowledge_diagnostics();
    report::print_diagnostics(&report::visible(&faults, true))?;
    let mut out = console::stdout();
    if global.format == Format::Json {
        writeln!(out, "{}", console::json_text(&json!({"jobs": outputs.collect::<Value>()})))?;
        return Ok(Exit::of(&faults));
    }
    for (name, job) in jobs {
        let next = next(job).map_or_else(|| "not scheduled".to_owned(), |next| format!("next {next}"));
        let root = job.root.as_ref().map(|root| format!(", about {root}")).unwrap_or_default();
        writeln!(out, "{}", printable(&format!("{name}: {}{root}, {next}", job.agent.name)))?;
    }
    if jobs.is_empty() && !global.quiet {
        writeln!(console::stderr(), "no jobs: name them under `jobs` of `contextpack.yml`")?;
    }
    Ok(Exit::of(&faults))
}
