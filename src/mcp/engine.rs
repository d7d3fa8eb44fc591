//! The thread that reads the repository and answers questions about it.
//!
//! A reading lasts until an input changes. The next one costs what changed. An answer is sent only if no change is known
//! that was made before the question.

use super::jobs::{Job, Jobs};
use crate::console::{self, Failure, Workspace, settled};
use crate::engine::{Project, Repository, SessionRequest, WarmReadings};
use crate::intake::is_listed_as_of;
use crate::store::Access;
use crate::watch::{Event, Events, FollowError, Follower, Native, Notice, Poll};
use std::io::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::time::{Duration, Instant, SystemTime};
use tokio::sync::watch;

/// The silence that ends a burst of changes.
const QUIET: Duration = Duration::from_millis(50);

/// The longest time to wait for the end of a burst.
const MAX_BURST: Duration = Duration::from_secs(2);

/// How often the repository is opened because folders were not followed when it was opened before.
const MOST_OPENINGS: u32 = 8;

/// The interval at which a source without notifications wakes up for nothing.
const IDLE: Duration = Duration::from_secs(3600);

/// What comes after a reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Next {
    Read,
    Stop,
}

/// The reader of the repository.
pub(super) struct Engine {
    workspace: Workspace,
    root: PathBuf,
    jobs: Arc<Jobs>,
    follower: Follower<Source>,
    /// Whether changes are not followed, so that each question needs a reading of its own.
    is_blind: bool,
    access: Access,
    /// When the last opening of the repository began.
    opened: Instant,
    readings: watch::Sender<u64>,
}

/// Where notices of changes come from.
pub(super) enum Source {
    Native(Native),
    /// The system gives none.
    Blind(Poll),
}

impl Source {
    /// Creates the source of notices of changes below `root`, and the sender of other events through it.
    pub(super) fn new(root: &Path) -> (Self, Sender<Event>) {
        let (sender, receiver) = channel();
        match Native::new(root, sender.clone(), receiver) {
            Ok(native) => (Self::Native(native), sender),
            Err(error) => {
                note_blind(&error);
                let (sender, receiver) = channel();
                (Self::Blind(Poll::new(IDLE, receiver)), sender)
            }
        }
    }
}

impl Events for Source {
    fn follow(&mut self, folder: &Path) -> Result<(), FollowError> {
        match self {
            Self::Native(events) => events.follow(folder),
            Self::Blind(events) => events.follow(folder),
        }
    }

    fn unfollow(&mut self, folder: &Path) {
        match self {
            Self::Native(events) => events.unfollow(folder),
            Self::Blind(events) => events.unfollow(folder),
        }
    }

    fn flush(&mut self) {
        match self {
            Self::Native(events) => events.flush(),
            Self::Blind(events) => events.flush(),
        }
    }

    fn next(&mut self, within: Option<Duration>) -> Event {
        match self {
            Self::Native(events) => events.next(within),
            Self::Blind(events) => events.next(within),
        }
    }
}

impl Engine {
    /// Creates the engine of the repository at `root`.
    pub(super) fn new(workspace: Workspace, root: PathBuf, jobs: Arc<Jobs>, source: Source) -> Self {
        let is_blind = matches!(source, Source::Blind(_));
        let config = workspace.config.clone();
        let request = SessionRequest { root: root.clone(), config, ..SessionRequest::default() };
        let readings = watch::Sender::new(0);
        Self {
            workspace,
            root,
            jobs,
            follower: Follower::new(request, source),
            is_blind,
            access: Access::Read,
            opened: Instant::now(),
            readings,
        }
    }

    /// Returns what tells of each new reading.
    pub(super) fn readings(&self) -> watch::Receiver<u64> {
        self.readings.subscribe()
    }

    /// Answers questions until the process is to stop.
    pub(super) fn run(&mut self) {
        let mut warm = WarmReadings::default();
        while self.reading(&mut warm) == Next::Read {}
    }

    /// Reads the repository, and answers questions until it changes.
    fn reading(&mut self, warm: &mut WarmReadings) -> Next {
        let repository = match self.open() {
            Ok(repository) => repository,
            Err(failure) => return self.refuse_all(&failure.in_full()),
        };
        warm.begin(&repository);
        let next = {
            let project = repository.warm_project(warm);
            self.readings.send_modify(|reading| *reading += 1);
            self.serve(&repository, &project)
        };
        warm.end();
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
            let repository = settled(|| self.workspace.open_at(&self.root, &[], Some(self.access)))?;
            openings += 1;
            let settings = repository.settings();
            let followed = self.follower.follow(repository.files(), settings);
            if !self.blind_if_failed(followed) || openings == MOST_OPENINGS {
                return Ok(repository);
            }
            let (files, snapshot) = (repository.files(), &settings.github.snapshot);
            if self.workspace.config.is_none() && is_listed_as_of(&self.root, files, snapshot, began) {
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
    fn serve(&mut self, repository: &Repository, project: &Project<'_>) -> Next {
        loop {
            let Some(mut job) = self.jobs.next() else {
                match self.follower.next(None) {
                    Notice::Stop => return Next::Stop,
                    // It is not known what changed since the reading.
                    Notice::Tick if self.is_blind => return Next::Read,
                    Notice::Tick | Notice::Quiet => continue,
                    Notice::Changed => return self.settle(),
                }
            };
            if !job.is_wanted() {
                continue;
            }
            if job.writes_cache && self.access == Access::Read {
                self.access = Access::Write;
                self.jobs.put_back(job);
                return Next::Read;
            }
            self.follower.flush();
            let noticed = self.noticed();
            let is_stale = noticed.is_some() || self.is_blind && self.opened < job.asked;
            if noticed == Some(Next::Stop) {
                return Next::Stop;
            }
            if is_stale && job.may_try_again() {
                self.jobs.put_back(job);
                return Next::Read;
            }
            match self.answer(job, repository, project) {
                None if is_stale => return Next::Read,
                None => {}
                Some(next) => return next,
            }
        }
    }

    /// Answers one question; `None` if the reading can go on.
    fn answer(&mut self, mut job: Job, repository: &Repository, project: &Project<'_>) -> Option<Next> {
        let answered = catch_unwind(AssertUnwindSafe(|| job.answer(repository, project)));
        repository.files().close_objects();
        let Ok(is_settled) = answered else {
            job.refuse("an error in contextpack: its standard error says more when it ends".to_owned());
            return Some(Next::Read);
        };
        let noticed = self.noticed();
        let is_changed = noticed == Some(Next::Read) || !is_settled;
        match is_changed && job.may_try_again() {
            true => self.jobs.put_back(job),
            false => job.deliver(),
        }
        if is_changed { Some(Next::Read) } else { noticed }
    }

    /// Returns what follows from the notices that came so far; `None` if no input changed.
    fn noticed(&mut self) -> Option<Next> {
        let mut changed = None;
        loop {
            match self.follower.next(Some(Duration::ZERO)) {
                Notice::Stop => return Some(Next::Stop),
                Notice::Changed => changed = Some(Next::Read),
                Notice::Tick => {}
                Notice::Quiet => return changed,
            }
        }
    }

    /// Waits for the end of a burst of changes, but not while somebody asks.
    fn settle(&mut self) -> Next {
        let began = Instant::now();
        while began.elapsed() < MAX_BURST && !self.jobs.has_next() {
            match self.follower.next(Some(QUIET)) {
                Notice::Stop => return Next::Stop,
                Notice::Quiet | Notice::Tick => break,
                Notice::Changed => {}
            }
        }
        Next::Read
    }

    /// Refuses the questions that waited when the repository could not be opened, and waits until it changes or somebody
    /// asks.
    fn refuse_all(&mut self, why: &str) -> Next {
        while let Some(job) = self.jobs.next() {
            if self.opened < job.asked {
                self.jobs.put_back(job);
                return Next::Read;
            }
            job.refuse(why.to_owned());
        }
        self.readings.send_modify(|reading| *reading += 1);
        match self.follower.next(None) {
            Notice::Stop => Next::Stop,
            Notice::Changed => self.settle(),
            Notice::Tick | Notice::Quiet => Next::Read,
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
