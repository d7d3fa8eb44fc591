//! The packs of a watch on a served page: those of an agent as it last built them, others as it last wrote them.

use super::packs::PackFiles;
use super::serve::{PageSource, Server};
use crate::cli::args::{Global, ServeArgs};
use crate::cli::watch::{WatchReporter, agent_request, from_root, refuse_typed, stamps};
use crate::cli::workspace::user_caches;
use crate::console::Exit;
use crate::console::Failure;
use crate::engine::{SessionRequest, process_environment};
use crate::intake::Repo;
use crate::model::natural_cmp;
use crate::review::{Freshness, PageEntry, report_freshness};
use crate::watch::{Event, Events, Native, Poll, Watch};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The packs of an agent as a watch last built them. The watch and the server share it.
#[derive(Default)]
pub(super) struct AgentPacks(Mutex<PackData>);

#[derive(Default)]
struct PackData {
    entries: Vec<Arc<PageEntry>>,
    freshness: String,
    /// Whether the server has not asked for them since they changed.
    changed: bool,
}

impl AgentPacks {
    fn lock(&self) -> MutexGuard<'_, PackData> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the packs, and their freshness as JSON.
    pub(super) fn state(&self) -> (Vec<Arc<PageEntry>>, String) {
        let packs = self.lock();
        (packs.entries.clone(), packs.freshness.clone())
    }

    /// Returns the state, if it changed since the last call.
    pub(super) fn changed(&self) -> Option<(Vec<Arc<PageEntry>>, String)> {
        let mut packs = self.lock();
        std::mem::take(&mut packs.changed).then(|| (packs.entries.clone(), packs.freshness.clone()))
    }

    /// Takes over the packs of a watch.
    fn update<E: Events>(&self, watch: &Watch<E>) -> Result<(), Failure> {
        let folder = watch.delivered();
        let mut names = folder.list()?;
        names.sort_by(|a, b| natural_cmp(a, b));
        let mut entries = Vec::new();
        for name in &names {
            entries.extend(folder.read(name)?.map(|bytes| Arc::new(PageEntry::new(name, &bytes))));
        }
        let freshness = match watch.is_current() {
            true => Freshness { status: "fresh", reasons: Vec::new() },
            false => Freshness { status: "stale", reasons: vec!["the last build failed: see its terminal".to_owned()] },
        };
        let freshness = report_freshness(&names.iter().map(|name| (name.as_str(), &freshness)).collect());
        *self.lock() = PackData { entries, freshness, changed: true };
        Ok(())
    }
}

/// Builds packs, for an agent in memory, and serves them until stopped.
pub(super) fn serve(global: &Global, args: &ServeArgs) -> Result<Exit, Failure> {
    let here = std::env::current_dir()?;
    let root = Repo::find_root(&here)?;
    let typed = args.packs.iter().map(|root| root.display().to_string());
    let request = SessionRequest {
        config: global.config.clone(),
        roots: typed.map(|typed| from_root(&here, &root, &typed)).collect(),
        untracked: global.untracked(),
        caches: user_caches(),
        agent: agent_request(&args.agent, true),
        root,
        ..SessionRequest::default()
    };
    let (sender, receiver) = channel();
    match args.poll {
        Some(every) => follow(global, args, request, Poll::new(every, receiver), sender),
        None => {
            let events = Native::new(&request.root, sender.clone(), receiver);
            follow(global, args, request, events.map_err(|error| Failure::Outside(error.into()))?, sender)
        }
    }
}

fn follow<E: Events>(
    global: &Global,
    args: &ServeArgs,
    request: SessionRequest,
    events: E,
    sender: Sender<Event>,
) -> Result<Exit, Failure> {
    let is_delivered = args.agent.agent.is_some();
    let mut watch = Watch::new(request, process_environment(), events, stamps()?, false);
    if is_delivered {
        watch = watch.in_memory();
    }
    let reporter = WatchReporter { global, print: None, out: None, delivered: is_delivered };
    let report = watch.check();
    refuse_typed(&report)?;
    let packs = Arc::new(AgentPacks::default());
    let source = match is_delivered {
        true => {
            reporter.print_errors(report, &watch)?;
            packs.update(&watch)?;
            PageSource::Agent(Arc::clone(&packs))
        }
        false => {
            reporter.print_first(report, &watch, args.poll)?;
            PageSource::files(global, PackFiles::open(global, &[])?)
        }
    };
    let server = Server::listen(global, args.port, source)?;
    let serving = std::thread::Builder::new().spawn(move || {
        let served = server.run();
        // The watch has ended already if nobody receives this.
        let _ = sender.send(Event::Stop);
        served
    })?;
    while let Some(report) = watch.next_report() {
        match is_delivered {
            true if report.is_quiet() => {}
            true => {
                reporter.print_problems(report, &watch)?;
                packs.update(&watch)?;
            }
            false => reporter.print_update(report, &watch)?,
        }
    }
    serving.join().unwrap_or(Ok(()))?;
    Ok(Exit::Done)
}
