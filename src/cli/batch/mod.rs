//! `contextpack batch`.

mod fork;
mod output;
mod write;

use super::args::{BatchArg, BatchArgs, BatchCommand, Global};
use super::ledger::LedgerFiles;
use super::wake::Ring;
use crate::console::Exit;
use crate::console::Failure;
use crate::console::Format;
use crate::console::report::print_lines;
use crate::console::{self, printable};
use crate::handoff::batches::decide::NewFile;
use crate::handoff::batches::{BatchId, BatchStore, Ledger, TaskStatus};
use crate::handoff::cards::CardError;
pub(crate) use output::{
    BatchList, BatchMatrix, BatchStatusOutput, ClaimedTask, EndedTasks, ForkedBatch, JoinedBatch, ReclaimedTasks,
    ReportedTask,
};
use output::{ListedBatch, MatrixTask, changed_lines, status_lines};
use serde_json::json;
use std::io::{IsTerminal as _, Write as _};
use std::ops::Deref;
use std::time::Duration;

/// The batches of a repo, with the cards beside them.
pub(crate) struct BatchFiles {
    files: LedgerFiles,
    store: BatchStore,
}

impl Deref for BatchFiles {
    type Target = LedgerFiles;

    fn deref(&self) -> &LedgerFiles {
        &self.files
    }
}

impl BatchFiles {
    /// Opens the folder of batches of the repo around the current folder.
    fn open(global: &Global) -> Result<Self, Failure> {
        let files = LedgerFiles::open(global)?;
        let store = BatchStore::new(&files.root, &files.settings.handover.dir);
        Ok(Self { files, store })
    }

    /// Creates a file of a batch, and returns whether it did.
    fn create(&self, id: &BatchId, file: &NewFile) -> Result<bool, CardError> {
        let path = self.store.shown(id, &file.path.to_string());
        self.created(path, &file.bytes, || self.store.create(id, file))
    }

    /// Finds the batch that the user names.
    fn find(&self, arg: &BatchArg) -> Result<BatchId, Failure> {
        self.store.find(&arg.id).map_err(|error| self.failure(error))
    }

    fn read(&self, id: &BatchId) -> Result<Ledger, Failure> {
        let ledger = self.store.read(id).map_err(|error| self.failure(error))?;
        Ok(ledger.redacted(&|text| self.cards.redacted(text)))
    }

    /// Prints the files of a batch that cannot be used, and returns whether there are any.
    fn report_faults_of(&self, ledger: &Ledger) -> Result<bool, Failure> {
        self.report_faults(&ledger.faults, &|path| self.store.shown(&ledger.id, path))
    }
}

/// Runs one of the commands about batches.
pub(crate) fn run(global: &Global, args: &BatchArgs) -> Result<Exit, Failure> {
    if let BatchCommand::Fork { file, boxes, publish, wake } = &args.command {
        return fork::run(global, file, boxes, *publish, wake);
    }
    let files = BatchFiles::open(global)?;
    match &args.command {
        BatchCommand::Fork { .. } => Ok(Exit::Done),
        BatchCommand::Claim { task, author, publish } => {
            files.published(global, *publish, None, || write::claim(global, &files, task, author.as_deref()))
        }
        BatchCommand::Report(options) => {
            files.published(global, options.publish, None, || write::report(global, &files, options))
        }
        BatchCommand::Reclaim { batch, task, after, publish, wake } => {
            files.published(global, *publish, Some(wake), || write::reclaim(global, &files, batch, *task, *after))
        }
        BatchCommand::Expire(end) => {
            files.published(global, end.publish, None, || write::expire(global, &files, &end.batch))
        }
        BatchCommand::Cancel(end) => {
            files.published(global, end.publish, None, || write::cancel(global, &files, &end.batch))
        }
        BatchCommand::Join { end, wake } => {
            files.published(global, end.publish, Some(wake), || write::join(global, &files, &end.batch))
        }
        BatchCommand::Status { batch, watch } => status(global, &files, batch, *watch),
        BatchCommand::Matrix(batch) => {
            let ledger = files.read(&files.find(batch)?)?;
            print_matrix(&matrix(&ledger))?;
            Ok(Exit::Done)
        }
        BatchCommand::List => list(global, &files),
    }
}

/// Prints the state of a batch; with an interval again whenever it changes, until all tasks have ended.
fn status(global: &Global, files: &BatchFiles, batch: &BatchArg, watch: Option<Duration>) -> Result<Exit, Failure> {
    let id = files.find(batch)?;
    let mut shown: Option<Vec<String>> = None;
    loop {
        let ledger = files.read(&id)?;
        let output = BatchStatusOutput::of(&ledger, &|text| files.cards.redacted(text));
        let lines = status_lines(&output);
        let is_open = output.is_open();
        let mut has_faults = !ledger.faults.is_empty();
        if shown.as_ref() != Some(&lines) {
            let news = match &shown {
                // On a terminal it stays in its place.
                _ if watch.is_some() && std::io::stdout().is_terminal() && global.format == Format::Text => {
                    write!(console::stdout(), "\u{1b}[H\u{1b}[2J")?;
                    lines.clone()
                }
                Some(before) => changed_lines(before, &lines),
                None => lines.clone(),
            };
            print_lines(global.format, &output, news)?;
            has_faults = files.report_faults_of(&ledger)?;
            shown = Some(lines);
        }
        match watch.filter(|_| is_open) {
            Some(interval) => std::thread::sleep(interval),
            None => return Ok(if has_faults { Exit::Input } else { Exit::Done }),
        }
    }
}

/// Returns what the doorbell says about a batch whose tasks can be claimed; `file` is one that says so.
fn ring_for_tasks(files: &BatchFiles, id: &BatchId, file: &str) -> Ring {
    Ring { event: "contextpack-batch", payload: json!({"batch": id}), file: files.store.shown(id, file) }
}

/// Returns the tasks that can be claimed.
fn matrix(ledger: &Ledger) -> BatchMatrix {
    let state = ledger.state();
    let tasks = state.tasks.iter().filter(|task| task.status == TaskStatus::Pending && !state.joined);
    let include = tasks.map(|task| {
        let forked = ledger.forked(task.index);
        MatrixTask {
            batch_id: ledger.id.clone(),
            task_index: task.index,
            epoch: task.epoch,
            agent: forked.map(|it| it.agent.clone()),
            pack: forked.map(|it| it.pack.clone()),
            output_box: ledger.output_box(task.index),
        }
    });
    BatchMatrix { include: include.collect() }
}

/// Prints a matrix on one line, for the output of a step.
fn print_matrix(matrix: &BatchMatrix) -> Result<(), Failure> {
    let text = serde_json::to_string(matrix).map_err(std::io::Error::from)?;
    Ok(writeln!(console::stdout(), "{text}")?)
}

fn list(global: &Global, files: &BatchFiles) -> Result<Exit, Failure> {
    let (mut batches, mut has_faults) = (Vec::new(), false);
    for id in files.store.ids().map_err(|error| files.failure(error))? {
        match files.store.read(&id) {
            Ok(ledger) => {
                has_faults |= files.report_faults_of(&ledger)?;
                batches.push(ListedBatch::of(&ledger));
            }
            // One bad batch hides no other.
            Err(error) => {
                has_faults = true;
                let message = files.failure(error).message();
                writeln!(console::stderr(), "error: {}", printable(&message))?;
            }
        }
    }
    for path in files.store.odd_paths().map_err(|error| files.failure(error))? {
        has_faults = true;
        let message = files.cards.redacted(&format!("`{path}`: it is no batch; remove it"));
        writeln!(console::stderr(), "error: {}", printable(&message))?;
    }
    let lines: Vec<String> = batches.iter().map(ListedBatch::line).collect();
    if batches.is_empty() && !has_faults && !global.quiet && global.format == Format::Text {
        writeln!(console::stderr(), "note: there are no batches; `contextpack batch fork` makes one")?;
    }
    print_lines(global.format, &BatchList { batches }, lines)?;
    Ok(if has_faults { Exit::Input } else { Exit::Done })
}
