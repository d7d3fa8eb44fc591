//! The packs of an agent on a served page: a watch builds them, and the page shows them as it last built them.

use super::serve::{PageSource, Server};
use crate::cli::args::{Global, ServeArgs};
use crate::cli::exit::Exit;
use crate::cli::failure::Failure;
use crate::cli::watch::{WatchReporter, agent_request, from_root, refuse_typed, stamps};
use crate::cli::workspace::user_caches;
use crate::engine::{SessionRequest, process_environment};
use crate::intake::Repo;
use crate::model::natural_cmp;
use crate::review::{PageEntry, report_data};
use crate::watch::{Event, Events, Native, Poll, Watch};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The packs of an agent as a watch last built them. The watch and the server share it.
#[derive(Default)]
pub(super) struct AgentPacks(Mutex<PackData>);

#[derive(Default)]
struct PackData {
    packs: usize,
    /// The data of the page.
    data: String,
    /// Whether the server has not asked for the data since it changed.
    changed: bool,
}

impl AgentPacks {
    fn lock(&self) -> MutexGuard<'_, PackData> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the number of packs.
    pub(super) fn len(&self) -> usize {
        self.lock().packs
    }

    /// Returns the data of the page.
    pub(super) fn data(&self) -> String {
        self.lock().data.clone()
    }

    /// Returns the data of the page, if it changed since the last call.
    pub(super) fn changed(&self) -> Option<String> {
        let mut packs = self.lock();
        std::mem::take(&mut packs.changed).then(|| packs.data.clone())
    }

    /// Takes over the packs of a watch.
    fn update<E: Events>(&self, watch: &Watch<E>) -> Result<(), Failure> {
        let folder = watch.delivered();
        let mut names = folder.list()?;
        names.sort_by(|a, b| natural_cmp(a, b));
        let mut entries = Vec::new();
        for name in &names {
            entries.extend(folder.read(name)?.map(|bytes| PageEntry::new(name, &bytes)));
        }
        let data = report_data(entries.iter());
        *self.lock() = PackData { packs: entries.len(), data, changed: true };
        Ok(())
    }
}

/// Builds the packs of an agent in memory, and serves them until stopped.
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
    let mut watch = Watch::new(request, process_environment(), events, stamps()?, false).in_memory();
    let reporter = WatchReporter { global, print: None, out: None, delivered: true };
    let report = watch.check();
    refuse_typed(&report)?;
    reporter.print_errors(report, &watch)?;
    let packs = Arc::new(AgentPacks::default());
    packs.update(&watch)?;
    let server = Server::listen(global, args.port, PageSource::Agent(Arc::clone(&packs)))?;
    let serving = std::thread::Builder::new().spawn(move || {
        let served = server.run();
        // The watch has ended already if nobody receives this.
        let _ = sender.send(Event::Stop);
        served
    })?;
    while let Some(report) = watch.next_report() {
        if !report.is_quiet() {
            reporter.print_problems(report, &watch)?;
            packs.update(&watch)?;
        }
    }
    serving.join().unwrap_or(Ok(()))?;
    Ok(Exit::Done)
}
