//! `contextpack page --serve`: packs on a page that is served on the loopback interface.

use super::args::{Global, PageArgs};
use super::packs::no_packs;
use super::page::print_faults;
use super::watch::{WatchReporter, agent_request, events, refuse_typed, stamps};
use crate::console::{Exit, Failure, user_caches};
use crate::engine::{SessionRequest, process_environment};
use crate::intake::Repo;
use crate::page::{AgentPacks, PackFiles, PageServer, PageSource};
use crate::watch::{Event, Watch};
use std::sync::Arc;

/// Serves finished packs, or those that it builds and follows.
pub(crate) fn run(global: &Global, args: &PageArgs, is_built: bool) -> Result<Exit, Failure> {
    if is_built {
        return watched(global, args);
    }
    let workspace = global.workspace();
    let packs = PackFiles::open(&workspace, &args.shown)?;
    let entries = packs.entries();
    print_faults(&entries)?;
    if entries.is_empty() && args.shown.is_empty() {
        no_packs(global).map_or(Ok(()), |note| global.note(note))?;
    }
    PageServer::listen(args.server.port, PageSource::files(workspace, packs), None, global.quiet)?.run()?;
    Ok(Exit::Done)
}

/// Builds packs, for an agent in memory, and serves them until stopped.
fn watched(global: &Global, args: &PageArgs) -> Result<Exit, Failure> {
    let root = Repo::find_root(&std::env::current_dir()?)?;
    let request = SessionRequest {
        config: global.config.clone(),
        roots: args.shown.iter().map(|typed| typed.display().to_string()).collect(),
        untracked: global.untracked(),
        caches: user_caches(),
        agent: agent_request(&args.agent, true),
        root,
        ..SessionRequest::default()
    };
    let (events, sender) = events(&request.root, args.server.poll)?;
    let is_delivered = args.agent.agent.is_some();
    let watch = Watch::new(request, process_environment(), events, stamps()?, false);
    let mut watch = if is_delivered { watch.in_memory() } else { watch };
    let reporter = WatchReporter { global, print: None, out: None, delivered: is_delivered };
    let mut report = watch.check();
    refuse_typed(&report)?;
    let packs = Arc::new(AgentPacks::default());
    let source = match is_delivered {
        true => {
            reporter.print_errors(&mut report, &watch)?;
            packs.update(&watch)?;
            PageSource::Agent(Arc::clone(&packs))
        }
        false => {
            reporter.print_first(report, &watch, args.server.poll)?;
            PageSource::files(global.workspace(), PackFiles::open(&global.workspace(), &[])?)
        }
    };
    let begin = watch.dir().zip(watch.focus().filter(|_| args.shown.len() == 1 && !is_delivered));
    let begin = begin.map(|(dir, name)| format!("{dir}/{name}"));
    let server = PageServer::listen(args.server.port, source, begin.as_deref(), global.quiet)?;
    let serving = std::thread::Builder::new().spawn(move || {
        let served = server.run();
        // The watch has ended already if nobody receives this.
        let _ = sender.send(Event::Stop);
        served
    })?;
    while let Some(mut report) = watch.next_report() {
        match is_delivered {
            true if report.is_quiet() => {}
            true => {
                reporter.print_errors(&mut report, &watch)?;
                packs.update(&watch)?;
            }
            false => reporter.print_update(report, &watch)?,
        }
    }
    serving.join().unwrap_or(Ok(()))?;
    Ok(Exit::Done)
}
