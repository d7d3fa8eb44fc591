//! The thread that answers questions about the repository, each from a reading of its own.
//!
//! A reading costs what changed since the one before. Nothing watches the files, so an answer is right without notices of
//! changes, and a server that waits costs nothing.

use super::HandOffTools;
use super::arguments::in_tools;
use super::questions::{Question, Reply};
use crate::console::{Failure, Workspace, settled, user_caches};
use crate::engine::OpenedCache;
use crate::store::Access;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use tokio::sync::oneshot;

const MAX_WAITING: usize = 256;

/// How questions reach the reader, which ends once this is dropped.
pub(super) struct Queue(SyncSender<Call>);

struct Call {
    question: Question,
    /// A client that cancelled the call receives nothing.
    to: oneshot::Sender<Result<Reply, String>>,
}

impl Queue {
    /// Asks the reader, and waits for the answer or the reason why there is none.
    pub(super) async fn ask(&self, question: Question) -> Result<Reply, String> {
        let (to, answer) = oneshot::channel();
        let is_taken = self.0.try_send(Call { question, to }).is_ok();
        let refused = format!("{MAX_WAITING} calls wait already; call again when some of them are answered");
        answer.await.unwrap_or_else(|_| Err(if is_taken { "the server has ended".to_owned() } else { refused }))
    }
}

pub(super) struct RepositoryReader {
    workspace: Workspace,
    root: PathBuf,
    tools: Option<HandOffTools>,
    calls: Receiver<Call>,
    cache: OpenedCache,
    access: Access,
    has_noted: bool,
}

impl RepositoryReader {
    /// Creates the reader of the repository at `root`, and the queue of its questions.
    pub(super) fn new(workspace: Workspace, root: PathBuf, tools: Option<HandOffTools>) -> (Self, Queue) {
        let (sender, calls) = sync_channel(MAX_WAITING);
        (Self { workspace, root, tools, calls, cache: None, access: Access::Read, has_noted: false }, Queue(sender))
    }

    pub(super) fn run(&mut self) {
        while let Ok(Call { question, to }) = self.calls.recv() {
            if to.is_closed() {
                continue;
            }
            let answered = catch_unwind(AssertUnwindSafe(|| match (&question, &self.tools) {
                (Question::HandOff { tool, arguments }, Some(tools)) => {
                    Ok((tools.call)(tool, arguments).unwrap_or_else(|failure| Reply::refusal(&failure)))
                }
                _ => settled(|| self.answer(&question)),
            }));
            let bug = |_| Err("an error in contextpack: its standard error says more when it ends".to_owned());
            let answered = answered.map_or_else(bug, |answer| answer.map_err(|failure| in_tools(&failure.in_full())));
            let _ = to.send(answered);
        }
    }

    fn answer(&mut self, question: &Question) -> Result<Reply, Failure> {
        let mut repository = self.workspace.open_at(&self.root, &[], None)?;
        if question.writes_cache() {
            self.access = Access::Write;
        }
        repository.resume(self.cache.take(), self.access, user_caches().as_deref(), None);
        if !std::mem::replace(&mut self.has_noted, true) {
            self.workspace.print_notes(&repository);
        }
        let answer = question.answer(&repository, &repository.project());
        let answer = answer.and_then(|reply| Ok(repository.confirm_settled().map(|()| reply)?));
        self.cache = repository.take_cache();
        if let Some((_, cache)) = &mut self.cache {
            cache.evict_unused();
            cache.end_reading();
        }
        answer
    }
}
