//! `contextpack batch`.

mod fork;
mod output;
mod write;

use super::args::{BatchArg, BatchArgs, BatchCommand, Format, Global};
use super::card::CardFiles;
use super::console::{self, printable};
use super::exit::Exit;
use super::failure::Failure;
use super::report::print_lines;
use super::workspace::configuration;
use crate::batches::{BatchId, BatchStore, Ledger, TaskStatus};
use crate::cards::CardError;
pub(crate) use output::{
    BatchList, BatchMatrix, BatchStatusOutput, ClaimedTask, EndedTasks, ForkedBatch, JoinedBatch, ReclaimedTasks,
    ReportedTask,
};
use output::{ListedBatch, MatrixTask, status_lines};
use std::io::Write as _;

/// The batches of a repo, with the cards beside them.
pub(crate) struct BatchFiles {
    pub(crate) cards: CardFiles,
    pub(crate) store: BatchStore,
}

impl BatchFiles {
    /// Opens the folder of batches of the repo around the current folder.
    fn open(global: &Global) -> Result<Self, Failure> {
        let (root, configuration) = configuration(global)?;
        let store = BatchStore::new(&root, configuration.settings.handover.dir);
        Ok(Self { cards: CardFiles::open(global)?, store })
    }

    fn failure(&self, error: CardError) -> Failure {
        self.cards.failure(error)
    }

    /// Finds the batch that the user names.
    fn find(&self, arg: &BatchArg) -> Result<BatchId, Failure> {
        self.store.find(&arg.id).map_err(|error| self.failure(error))
    }

    fn read(&self, id: &BatchId) -> Result<Ledger, Failure> {
        self.store.read(id).map_err(|error| self.failure(error))
    }

    /// Prints the files that cannot be used, and returns whether there are any.
    fn report_faults(&self, ledger: &Ledger) -> Result<bool, Failure> {
        for fault in &ledger.faults {
            let path = self.store.shown(&ledger.id, &fault.path);
            let line = self.cards.redacted(&format!("error: `{path}`: {}", fault.message));
            writeln!(console::stderr(), "{}", printable(&line))?;
        }
        Ok(!ledger.faults.is_empty())
    }
}

/// Runs one of the commands about batches.
pub(crate) fn run(global: &Global, args: &BatchArgs) -> Result<Exit, Failure> {
    if let BatchCommand::Fork { file, boxes } = &args.command {
        return fork::run(global, file, boxes);
    }
    let files = BatchFiles::open(global)?;
    match &args.command {
        BatchCommand::Fork { .. } => Ok(Exit::Done),
        BatchCommand::Claim { task, author } => write::claim(global, &files, task, author.as_deref()),
        BatchCommand::Report(options) => write::report(global, &files, options),
        BatchCommand::Reclaim { batch, task, after } => write::reclaim(global, &files, batch, *task, *after),
        BatchCommand::Expire(batch) => write::expire(global, &files, batch),
        BatchCommand::Cancel(batch) => write::cancel(global, &files, batch),
        BatchCommand::Join(batch) => write::join(global, &files, batch),
        BatchCommand::Status(batch) => {
            let ledger = files.read(&files.find(batch)?)?;
            let output = BatchStatusOutput::of(&ledger, &|text| files.cards.redacted(text));
            let lines = status_lines(&output);
            print_lines(global.format, &output, lines)?;
            Ok(if files.report_faults(&ledger)? { Exit::Input } else { Exit::Done })
        }
        BatchCommand::Matrix(batch) => {
            let ledger = files.read(&files.find(batch)?)?;
            print_matrix(&matrix(&ledger))?;
            Ok(Exit::Done)
        }
        BatchCommand::List => list(global, &files),
    }
}

/// Returns the tasks that can be claimed.
fn matrix(ledger: &Ledger) -> BatchMatrix {
    let state = ledger.state();
    let tasks = state.tasks.iter().filter(|task| task.status == TaskStatus::Pending && !state.joined);
    let include = tasks.map(|task| {
        let forked = ledger.forked(task.index);
        let default_log = || format!("{}.{}", ledger.id, task.index);
        MatrixTask {
            batch_id: ledger.id.clone(),
            task_index: task.index,
            epoch: task.epoch,
            agent: forked.map(|it| it.agent.clone()),
            pack: forked.map(|it| it.pack.clone()),
            output_box: forked.map_or_else(default_log, |it| it.output_box.clone()),
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
                has_faults |= files.report_faults(&ledger)?;
                batches.push(ListedBatch::of(&ledger));
            }
            // One bad batch hides no other.
            Err(CardError::Invalid(message)) => {
                has_faults = true;
                writeln!(console::stderr(), "error: {}", printable(&files.cards.redacted(&message)))?;
            }
            Err(error) => return Err(files.failure(error)),
        }
    }
    let lines: Vec<String> = batches.iter().map(ListedBatch::line).collect();
    if batches.is_empty() && !has_faults && !global.quiet && global.format == Format::Text {
        writeln!(console::stderr(), "note: there are no batches; `contextpack batch fork` makes one")?;
    }
    print_lines(global.format, &BatchList { batches }, lines)?;
    Ok(if has_faults { Exit::Input } else { Exit::Done })
}
