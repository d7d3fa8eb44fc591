//! The questions that wait for the engine.

use crate::console::Failure;
use crate::engine::{Project, Repository};
use crate::watch::Event;
use std::collections::VecDeque;
use std::sync::mpsc::Sender;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;
use tokio::sync::oneshot;

/// The most questions that wait at once.
const MOST_WAITING: usize = 256;

/// How often a question is asked again while files change under it.
const MOST_TRIES: u32 = 3;

/// The questions that wait, first come first served.
pub(super) struct Jobs {
    waiting: Mutex<VecDeque<Job>>,
    wake: Sender<Event>,
}

/// A question, and where its answer goes.
pub(super) struct Job {
    work: Box<dyn Work>,
    /// Whether the answer may be kept in the cache on disk, as `render` does.
    pub(super) writes_cache: bool,
    /// When it was asked.
    pub(super) asked: Instant,
    tries: u32,
}

/// A question whose answer has some type.
trait Work: Send {
    fn is_wanted(&self) -> bool;
    fn answer(&mut self, repository: &Repository, project: &Project<'_>) -> bool;
    fn deliver(self: Box<Self>);
    fn refuse(self: Box<Self>, why: String);
}

struct Question<T, F> {
    ask: F,
    answer: Option<Result<T, String>>,
    to: oneshot::Sender<Result<T, String>>,
}

impl<T, F> Work for Question<T, F>
where
    T: Send,
    F: Fn(&Repository, &Project<'_>) -> Result<T, Failure> + Send,
{
    fn is_wanted(&self) -> bool {
        !self.to.is_closed()
    }

    fn answer(&mut self, repository: &Repository, project: &Project<'_>) -> bool {
        let answer = (self.ask)(repository, project);
        let settled = !matches!(answer, Err(Failure::Unsettled));
        self.answer = Some(answer.map_err(|failure| failure.in_full()));
        settled
    }

    fn deliver(self: Box<Self>) {
        if let Some(answer) = self.answer {
            // A client that cancelled the call receives nothing.
            let _ = self.to.send(answer);
        }
    }

    fn refuse(self: Box<Self>, why: String) {
        let _ = self.to.send(Err(why));
    }
}

impl Job {
    /// Returns whether somebody still waits for the answer.
    pub(super) fn is_wanted(&self) -> bool {
        self.work.is_wanted()
    }

    /// Counts one more try, and returns whether there may be another.
    pub(super) fn may_try_again(&mut self) -> bool {
        self.tries += 1;
        self.tries <= MOST_TRIES
    }

    /// Finds the answer. Returns `false` if git changed files meanwhile.
    pub(super) fn answer(&mut self, repository: &Repository, project: &Project<'_>) -> bool {
        self.work.answer(repository, project)
    }

    /// Sends the answer that was found last.
    pub(super) fn deliver(self) {
        self.work.deliver();
    }

    /// Sends the reason why there is no answer.
    pub(super) fn refuse(self, why: String) {
        self.work.refuse(why);
    }
}

impl Jobs {
    /// Creates an empty queue; `wake` tells the engine of each question.
    pub(super) fn new(wake: Sender<Event>) -> Self {
        Self { waiting: Mutex::default(), wake }
    }

    /// Asks the engine, and waits for the answer or the reason why there is none, in the words of the command line.
    ///
    /// `ask` may be called several times, if files change meanwhile. If the future is dropped, nobody is asked any more.
    pub(super) async fn ask<T: Send + 'static>(
        &self,
        writes_cache: bool,
        ask: impl Fn(&Repository, &Project<'_>) -> Result<T, Failure> + Send + 'static,
    ) -> Result<T, String> {
        let (to, answer) = oneshot::channel();
        let work = Box::new(Question { ask, answer: None, to });
        {
            let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
            // Calls that were cancelled take no place.
            if waiting.len() >= MOST_WAITING {
                waiting.retain(Job::is_wanted);
            }
            if waiting.len() >= MOST_WAITING {
                return Err(format!("{MOST_WAITING} calls wait already; call again when some of them are answered"));
            }
            waiting.push_back(Job { work, writes_cache, asked: Instant::now(), tries: 0 });
        }
        let ended = || "the server has ended".to_owned();
        self.wake.send(Event::Tick).map_err(|_| ended())?;
        answer.await.unwrap_or_else(|_| Err(ended()))
    }

    /// Takes the question that waits longest.
    pub(super) fn next(&self) -> Option<Job> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner).pop_front()
    }

    /// Puts a question back, to be asked next.
    pub(super) fn put_back(&self, job: Job) {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner).push_front(job);
    }

    /// Returns whether a question waits.
    pub(super) fn has_next(&self) -> bool {
        !self.waiting.lock().unwrap_or_else(PoisonError::into_inner).is_empty()
    }
}
