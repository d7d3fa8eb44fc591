//! The thread that reads the repository and answers questions about it.
//!
//! A reading lasts until an input changes. The next one costs what changed. An answer is sent only if no change is known
//! that was made before the question.

use super::arguments::in_tools;
use super::questions::{Question, Reply};
use crate::console::{self, Failure, Workspace, settled, user_caches};
use crate::engine::{OpenedCache, Project, Repository, SessionRequest};
use crate::store::Access;
use crate::watch::{Event, FollowError, Follower, Native, Poll};
use std::collections::VecDeque;
use std::io::Write as _;
use std::ops::ControlFlow::{self, Break, Continue};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};
use tokio::sync::{oneshot, watch};

const QUIET: Duration = Duration::from_millis(50);

const MAX_BURST: Duration = Duration::from_secs(2);

/// How often the repository is opened because folders were not followed when it was opened before.
const MAX_OPENINGS: u32 = 8;

/// The interval at which a source without notifications wakes up for nothing.
const IDLE: Duration = Duration::from_secs(3600);

const MAX_WAITING: usize = 256;

/// How often a question is asked again while files change under it.
const MAX_TRIES: u32 = 3;

pub(super) struct Queue {
    waiting: Mutex<VecDeque<Call>>,
    wake: Sender<Event>,
}

struct Call {
    question: Question,
    asked: Instant,
    tries: u32,
    /// A client that cancelled the call receives nothing.
    to: oneshot::Sender<Result<Reply, String>>,
}

impl Queue {
    /// Asks the reader, and waits for the answer or the reason why there is none.
    pub(super) async fn ask(&self, question: Question) -> Result<Reply, String> {
        let (to, answer) = oneshot::channel();
        {
            let mut waiting = self.lock();
            // Calls that were cancelled take no place.
            if waiting.len() >= MAX_WAITING {
                waiting.retain(|call| !call.to.is_closed());
            }
            if waiting.len() >= MAX_WAITING {
                return Err(format!("{MAX_WAITING} calls wait already; call again when some of them are answered"));
            }
            waiting.push_back(Call { question, asked: Instant::now(), tries: 0, to });
        }
        let ended = || "the server has ended".to_owned();
        self.wake.send(Event::Tick).map_err(|_| ended())?;
        answer.await.unwrap_or_else(|_| Err(ended()))
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<Call>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

pub(super) struct RepositoryReader {
    workspace: Workspace,
    root: PathBuf,
    queue: Arc<Queue>,
    follower: Follower,
    /// Whether changes are not followed, so that each question needs a reading of its own.
    is_blind: bool,
    access: Access,
    opened: Instant,
    readings: watch::Sender<u64>,
}

impl RepositoryReader {
    /// Creates the reader of the repository at `root`, and the sender of events through which it can be stopped.
    pub(super) fn new(workspace: Workspace, root: PathBuf) -> (Self, Sender<Event>) {
        let request =
            SessionRequest { root: root.clone(), config: workspace.config.clone(), ..SessionRequest::default() };
        let (mut sender, receiver) = channel();
        let native = Native::new(&root, sender.clone(), receiver);
        let is_blind = native.is_err();
        let follower = match native {
            Ok(native) => Follower::new(request, Box::new(native)),
            Err(error) => {
                note_blind(&error);
                let (other, receiver) = channel();
                sender = other;
                Follower::new(request, Box::new(Poll::new(IDLE, receiver)))
            }
        };
        let queue = Arc::new(Queue { waiting: Mutex::default(), wake: sender.clone() });
        let (access, opened, readings) = (Access::Read, Instant::now(), watch::Sender::new(0));
        (Self { workspace, root, queue, follower, is_blind, access, opened, readings }, sender)
    }

    pub(super) fn client(&self) -> (Arc<Queue>, watch::Receiver<u64>) {
        (Arc::clone(&self.queue), self.readings.subscribe())
    }

    pub(super) fn run(&mut self) {
        let mut cache = None;
        while self.reading(&mut cache).is_continue() {}
    }

    fn reading(&mut self, cache: &mut OpenedCache) -> ControlFlow<()> {
        let mut repository = match self.open() {
            Ok(repository) => repository,
            Err(failure) => return self.refuse_all(&in_tools(&failure.in_full())),
        };
        repository.resume(cache.take(), self.access, user_caches().as_deref(), None);
        self.workspace.print_notes(&repository);
        let next = {
            let project = repository.project();
            self.readings.send_modify(|reading| *reading += 1);
            self.serve(&repository, &project)
        };
        *cache = repository.take_cache();
        if let Some((_, cache)) = cache {
            cache.evict_unused();
            cache.end_reading();
        }
        next
    }

    /// Opens the repository, so that no change after the opening is missed.
    fn open(&mut self) -> Result<Repository, Failure> {
        let mut openings = 0;
        loop {
            self.opened = Instant::now();
            let began = SystemTime::now();
            let followed = self.follower.follow_base();
            self.blind_if_failed(followed.map(|()| false));
            let repository = settled(|| self.workspace.open_at(&self.root, &[], None))?;
            openings += 1;
            let settings = repository.settings();
            let followed = self.follower.follow(repository.files(), settings);
            if !self.blind_if_failed(followed) || openings == MAX_OPENINGS {
                return Ok(repository);
            }
            let (files, snapshot) = (repository.files(), &settings.github.snapshot);
            if self.workspace.config.is_none() && files.is_listed_as_of(snapshot, began) {
                return Ok(repository);
            }
        }
    }

    /// Returns whether a folder is newly followed; from the first failure on none is.
    fn blind_if_failed(&mut self, followed: Result<bool, FollowError>) -> bool {
        followed.unwrap_or_else(|error| {
            if !std::mem::replace(&mut self.is_blind, true) {
                note_blind(&error);
            }
            false
        })
    }

    /// Answers questions about one reading until an input changes.
    fn serve(&mut self, repository: &Repository, project: &Project<'_>) -> ControlFlow<()> {
        loop {
            let call = self.queue.lock().pop_front();
            let Some(call) = call else {
                match self.follower.next(None) {
                    Event::Stop => return Break(()),
                    // It is not known what changed since the reading.
                    Event::Tick if self.is_blind => return Continue(()),
                    Event::Tick | Event::Quiet => continue,
                    Event::Touched(_) | Event::Overflow => return self.settle(),
                }
            };
            if call.to.is_closed() {
                continue;
            }
            if call.question.writes_cache() && self.access == Access::Read {
                self.access = Access::Write;
                return self.ask_again(call);
            }
            self.follower.flush();
            let noticed = self.noticed();
            if noticed == Some(Break(())) {
                return Break(());
            }
            let is_stale = noticed.is_some() || self.is_blind && self.opened < call.asked;
            if is_stale && call.tries < MAX_TRIES {
                return self.ask_again(call);
            }
            let answered = catch_unwind(AssertUnwindSafe(|| call.question.answer(repository, project)));
            repository.files().close_objects();
            let noticed = self.noticed();
            // Git may have changed files meanwhile.
            let is_changed = noticed == Some(Continue(())) || matches!(answered, Ok(Err(Failure::Unsettled)));
            if is_changed && call.tries < MAX_TRIES {
                return self.ask_again(call);
            }
            let is_broken = answered.is_err();
            let bug = |_| Err("an error in contextpack: its standard error says more when it ends".to_owned());
            let _ = call
                .to
                .send(answered.map_or_else(bug, |answer| answer.map_err(|failure| in_tools(&failure.in_full()))));
            if noticed.is_some() || is_changed || is_stale || is_broken {
                return noticed.unwrap_or(Continue(()));
            }
        }
    }

    fn ask_again(&self, call: Call) -> ControlFlow<()> {
        self.queue.lock().push_front(Call { tries: call.tries + 1, ..call });
        Continue(())
    }

    /// Returns what follows from the notices that came so far; `None` if no input changed.
    fn noticed(&mut self) -> Option<ControlFlow<()>> {
        let mut changed = None;
        loop {
            match self.follower.next(Some(Duration::ZERO)) {
                Event::Stop => return Some(Break(())),
                Event::Touched(_) | Event::Overflow => changed = Some(Continue(())),
                Event::Tick => {}
                Event::Quiet => return changed,
            }
        }
    }

    /// Waits for the end of a burst of changes, but not while somebody asks.
    fn settle(&mut self) -> ControlFlow<()> {
        let began = Instant::now();
        while began.elapsed() < MAX_BURST && self.queue.lock().is_empty() {
            match self.follower.next(Some(QUIET)) {
                Event::Stop => return Break(()),
                Event::Quiet | Event::Tick => break,
                Event::Touched(_) | Event::Overflow => {}
            }
        }
        Continue(())
    }

    /// Refuses the questions that waited when the repository could not be opened, and waits until it changes or somebody
    /// asks.
    fn refuse_all(&mut self, why: &str) -> ControlFlow<()> {
        let opened = self.opened;
        let refused: Vec<Call> = {
            let mut waiting = self.queue.lock();
            let count = waiting.iter().take_while(|call| call.asked <= opened).count();
            waiting.drain(..count).collect()
        };
        for call in refused {
            let _ = call.to.send(Err(why.to_owned()));
        }
        if !self.queue.lock().is_empty() {
            return Continue(());
        }
        self.readings.send_modify(|reading| *reading += 1);
        match self.follower.next(None) {
            Event::Stop => Break(()),
            Event::Touched(_) | Event::Overflow => self.settle(),
            Event::Tick | Event::Quiet => Continue(()),
        }
    }
}

fn note_blind(error: &FollowError) {
    let why = match error {
        FollowError::Limit => "the system follows no more folders (on Linux raise `fs.inotify.max_user_watches`)",
        FollowError::Gone | FollowError::Refused(_) => "the system gives no change notifications",
    };
    let note = format!("note: {why}: every call reads the repo again, and no change is notified");
    // If standard error is closed, the note is lost.
    drop(writeln!(console::stderr(), "{note}"));
}
