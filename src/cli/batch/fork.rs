//! `contextpack batch fork`.

use super::output::ForkedBatch;
use super::{BatchFiles, matrix, ring_for_tasks};
use crate::cli::args::{BudgetArgs, Global, PublishArgs, WakeArgs};
use crate::cli::card::CardFiles;
use crate::cli::handover::{BuiltHandover, HandoverTask, built, not_found, party};
use crate::cli::input;
use crate::cli::ledger::Done;
use crate::cli::workspace::{open, settled, stamp};
use crate::config::{BatchFile, Recipe};
use crate::console::Exit;
use crate::console::Failure;
use crate::console::Format;
use crate::console::report::{print_error, print_lines};
use crate::console::{self, printable};
use crate::engine::{Project, Repository};
use crate::handoff::batches::decide::NewFile;
use crate::handoff::batches::{Batch, BatchId, BatchTask, ForkedTask, Ledger, LedgerPath, TargetStrategy};
use crate::handoff::cards::{BoxContent, CardError, ContentId, FileKind, LogName, Transaction};
use crate::handoff::handover::{Arguments, own_log};
use crate::model::{Digest, RepoPath};
use crate::review::read;
use crate::store::{Access, Folder};
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::Path;

/// The recipe that makes the packs of tasks.
const RECIPE: &str = "delegate";

/// A batch that was checked and built, and is not written yet.
struct PreparedBatch {
    id: BatchId,
    batch: Batch,
    parent_log: LogName,
    tasks: Vec<BuiltHandover>,
    folder: Folder,
    dir: RepoPath,
    at: String,
}

/// A plan with what is known about it.
enum Plan {
    /// With the exit code that follows from the inputs of its packs.
    New(Box<PreparedBatch>, Exit),
    Known(BatchId),
}

/// A batch whose texts hold no secrets, with the fields from which some were removed.
struct ScrubbedBatch {
    batch: Batch,
    /// Each with its task, if it is one of a task.
    removed: Vec<(Option<usize>, &'static str)>,
}

/// Forks a batch: checks and builds everything, then writes it, `batch.json` last.
pub(super) fn run(
    global: &Global,
    file: &Path,
    boxes: &[String],
    publish: PublishArgs,
    wake: &WakeArgs,
) -> Result<Exit, Failure> {
    let shown = if file == Path::new("-") { "standard input".to_owned() } else { file.display().to_string() };
    let bytes = if file == Path::new("-") { input::stdin()? } else { input::named_file(file)? };
    let text = String::from_utf8(bytes).map_err(|_| Failure::Usage(format!("`{shown}` is not UTF-8")))?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let files = BatchFiles::open(global)?;
    files.published(global, publish, Some(wake), || fork(global, &files, &shown, text, boxes))
}

fn fork(global: &Global, files: &BatchFiles, shown: &str, text: &str, boxes: &[String]) -> Result<Done, Failure> {
    let plan = match settled(|| prepare(global, files, shown, text, boxes))? {
        Ok(plan) => plan,
        // The faults were printed.
        Err(exit) => return Ok(Done { exit, message: String::new(), ring: None, print: Box::new(|| Ok(())) }),
    };
    let existed = matches!(plan, Plan::Known(_));
    let (id, exit) = match plan {
        Plan::Known(id) => (id, Exit::Done),
        Plan::New(prepared, exit) => {
            let id = prepared.id.clone();
            write(files, *prepared)?;
            (id, exit)
        }
    };
    let ledger = files.read(&id)?;
    if existed {
        record_forked(files, &ledger)?;
    }
    let matrix = matrix(&ledger);
    // Standard output is the id alone, for scripts.
    let tasks = matrix.include.iter().map(|task| {
        let (agent, pack) = (task.agent.as_deref().unwrap_or_default(), task.pack.as_deref().unwrap_or_default());
        format!("{:>4}  {agent}  {pack}  {}", task.task_index, task.output_box)
    });
    let tasks: Vec<String> = tasks.filter(|_| global.format == Format::Text && !global.quiet).collect();
    let message = format!("Fork batch {id}");
    let ring = (!matrix.include.is_empty()).then(|| ring_for_tasks(files, &id, "batch.json"));
    let (format, quiet) = (global.format, global.quiet);
    let print = Box::new(move || {
        if existed && !quiet {
            writeln!(console::stderr(), "note: {id} was forked before: nothing was written")?;
        }
        let line = id.to_string();
        print_lines(format, &ForkedBatch { batch_id: id, existed, matrix }, [line])?;
        Ok(tasks.iter().try_for_each(|task| writeln!(console::stderr(), "{}", printable(task)))?)
    });
    Ok(Done { exit, message, ring, print })
}

/// Records what an earlier fork of the plan wrote: perhaps it was not committed.
fn record_forked(files: &BatchFiles, ledger: &Ledger) -> Result<(), Failure> {
    let own = [Some(LedgerPath::Batch.to_string()), ledger.fork_event().map(str::to_owned)];
    own.into_iter().flatten().for_each(|path| files.record_known(files.store.shown(&ledger.id, &path)));
    let store = &files.cards.store;
    let record = |kind, id: &ContentId| files.record_known(store.shown(kind, id));
    for task in (0..ledger.batch.tasks.len()).filter_map(|task| ledger.forked(u32::try_from(task).ok()?)) {
        files.record_known(task.pack.clone());
        let bytes = input::listed_file(&files.root.join(&task.pack));
        let Some(pack) = bytes.ok().and_then(|bytes| read(&bytes).ok()) else { continue };
        // Cards that were inherited are not the fork's.
        let own = pack.sections.iter().filter(|section| ["argument", "parent_pointer"].contains(&&*section.provenance));
        let ids = own.filter_map(|section| section.metadata.card.as_ref()?.id.strip_prefix("sha256:"));
        ids.filter_map(ContentId::from_hex).for_each(|id| record(FileKind::Card, &id));
        let profile = pack.handover.map(|handover| handover.target_profile_box_id);
        for (name, is_profile) in [(Some(task.context_box_id.to_string()), false), (profile, true)] {
            let content = name.map(|name| store.read_box(&name)).transpose().map_err(|error| files.failure(error))?;
            let Some(content) = content.flatten() else { continue };
            content.id.iter().chain(&content.parent_ids).for_each(|id| record(FileKind::Box, id));
            content.card_ids.iter().filter(|_| is_profile).for_each(|id| record(FileKind::Card, id));
        }
    }
    Ok(())
}

/// Checks the plan and builds the packs in memory; `Err` if the input has errors, which were reported.
fn prepare(
    global: &Global,
    files: &BatchFiles,
    shown: &str,
    text: &str,
    boxes: &[String],
) -> Result<Result<Plan, Exit>, Failure> {
    let repository = open(global, &[], Some(Access::Read))?;
    let settings = repository.settings();
    let cards = &files.cards;
    let (file, lines) = match BatchFile::read(text, settings.handover.max_tasks) {
        Ok(read) => read,
        Err(faults) => {
            for fault in faults {
                let place = fault.line.map_or_else(String::new, |line| format!(":{line}"));
                print_error(&cards.redacted(&format!("{shown}{place}: {}", fault.message)), None)?;
            }
            return Ok(Err(Exit::Usage));
        }
    };
    let ScrubbedBatch { batch, removed } = batch(cards, file)?;
    report_removed(global, shown, &lines, &removed)?;
    let id = BatchId::of(&batch.bytes());
    if files.store.exists(&id).map_err(|error| files.failure(error))? {
        return Ok(Ok(Plan::Known(id)));
    }
    let dir = settings.handover.packs().ok_or_else(|| Failure::usage("`handover.dir` is no folder"))?;
    let folder = Folder::open(repository.root(), &dir)?;
    let project = repository.project();
    let parent = parent_log(&project, &batch.parent_agent).map_err(|error| at(shown, None, error))?;
    let given = boxes.iter().map(|name| files.cards.store.existing_box(name)).collect::<Result<Vec<_>, _>>();
    let given = given.map_err(|error| files.failure(error))?;
    let forking = Forking { global, repository: &repository, project: &project, files, id: &id, given: &given };
    let mut tasks = Vec::with_capacity(batch.tasks.len());
    let mut reused: BTreeMap<String, usize> = BTreeMap::new();
    let mut exit = Exit::Done;
    for (index, task) in batch.tasks.iter().enumerate() {
        let place = lines.get(index).copied();
        let built = match forking.task(index, task, &batch.parent_agent).map_err(|error| at(shown, place, error))? {
            Ok(built) => built,
            Err(exit) => {
                print_error(&format!("{}the pack of task {index} cannot be built", prefix(shown, place)), None)?;
                return Ok(Err(exit));
            }
        };
        if task.target_strategy == TargetStrategy::Reuse
            && let Some(first) = reused.insert(built.agent.key.clone(), index)
        {
            let key = &built.agent.key;
            let message = format!("task {index} reuses the agent `{key}`, which task {first} reuses already");
            return Err(at(shown, place, Failure::Usage(files.cards.redacted(&message))));
        }
        exit = exit.and(built.exit);
        tasks.push(built);
    }
    let at = stamp()?.generated_at;
    Ok(Ok(Plan::New(Box::new(PreparedBatch { id, batch, parent_log: parent, tasks, folder, dir, at }), exit)))
}

/// Returns the batch of a plan, without secrets.
fn batch(cards: &CardFiles, file: BatchFile) -> Result<ScrubbedBatch, Failure> {
    let deadline = file.deadline();
    let tasks = file.tasks.into_iter().map(|task| BatchTask {
        target_strategy: TargetStrategy::ALL
            .into_iter()
            .find(|strategy| strategy.name() == task.target_strategy)
            .unwrap_or(TargetStrategy::New),
        target_ref: task.target_ref,
        instruction: task.instruction,
        context_box_id: task.context_box_id,
        root: task.root,
    });
    let batch = Batch::new(file.parent_agent, tasks.collect());
    let batch = Batch {
        tool_call_id: file.tool_call_id,
        key: file.key,
        fail_fast: file.fail_fast.unwrap_or(batch.fail_fast),
        deadline_seconds: deadline.unwrap_or(batch.deadline_seconds),
        ..batch
    };
    let mut value = serde_json::to_value(&batch).map_err(std::io::Error::from)?;
    cards.writer().scrub_value(&mut value).map_err(|error| cards.failure(error))?;
    let scrubbed: Batch = serde_json::from_value(value).map_err(|_| {
        Failure::Input("a secret is where the plan needs another value; nothing was written".to_owned())
    })?;
    let mut removed = Vec::new();
    let mut compare = |task, field, differs: bool| removed.extend(differs.then_some((task, field)));
    compare(None, "parent_agent", batch.parent_agent != scrubbed.parent_agent);
    compare(None, "tool_call_id", batch.tool_call_id != scrubbed.tool_call_id);
    compare(None, "key", batch.key != scrubbed.key);
    for (index, (before, after)) in batch.tasks.iter().zip(&scrubbed.tasks).enumerate() {
        let task = Some(index);
        compare(task, "target_ref", before.target_ref != after.target_ref);
        compare(task, "instruction", before.instruction != after.instruction);
        compare(task, "context_box_id", before.context_box_id != after.context_box_id);
        compare(task, "root", before.root != after.root);
    }
    Ok(ScrubbedBatch { batch: scrubbed, removed })
}

/// Says where secrets were removed from a plan; `lines` are those of its tasks.
fn report_removed(
    global: &Global,
    shown: &str,
    lines: &[u32],
    removed: &[(Option<usize>, &'static str)],
) -> Result<(), Failure> {
    for (task, field) in removed.iter().filter(|_| !global.quiet) {
        let place = prefix(shown, task.and_then(|task| lines.get(task)).copied());
        let task = task.map_or_else(String::new, |task| format!(" of task {task}"));
        let line = format!("note: {place}secrets were removed from `{field}`{task}");
        writeln!(console::stderr(), "{}", printable(&line))?;
    }
    Ok(())
}

fn parent_log(project: &Project<'_>, name: &str) -> Result<LogName, Failure> {
    let (agent, _) = project.agent_of_handover(name).map_err(not_found)?;
    let parent = party(&project.knowledge().agents.all, agent.agent)?;
    own_log(&parent).map_err(|error| Failure::Usage(error.to_string()))
}

/// What the packs of all tasks are built from.
struct Forking<'a, 'p> {
    global: &'a Global,
    repository: &'a Repository,
    project: &'a Project<'p>,
    files: &'a BatchFiles,
    id: &'a BatchId,
    /// The boxes that the user gives.
    given: &'a [BoxContent],
}

impl Forking<'_, '_> {
    fn task(&self, index: usize, task: &BatchTask, parent: &str) -> Result<Result<BuiltHandover, Exit>, Failure> {
        let failed = |error| self.files.failure(error);
        let mut arguments: BTreeMap<String, Value> = BTreeMap::new();
        arguments.insert("instruction".to_owned(), task.instruction.as_str().into());
        arguments.insert("target_strategy".to_owned(), task.target_strategy.name().into());
        let mut boxes = Vec::new();
        if let Some(name) = &task.context_box_id {
            let content = self.files.cards.store.existing_box(name).map_err(failed)?;
            let is_given = |given: &BoxContent| match &content.id {
                Some(id) => given.id.as_ref() == Some(id),
                None => given.log().is_some() && given.log() == content.log() && given.holds_all_of(&content),
            };
            // A box that only the plan names has to be one that the recipe may read.
            if self.given.iter().any(is_given) {
                boxes.push(name.clone());
            } else {
                arguments.insert("context_box_id".to_owned(), name.as_str().into());
            }
        }
        let output_box = match task.target_strategy {
            TargetStrategy::Reuse => None,
            TargetStrategy::New | TargetStrategy::Clone => {
                Some(LogName::new(&format!("{}.{index}", self.id)).map_err(failed)?)
            }
        };
        let handover = HandoverTask {
            name: RECIPE,
            recipe: self.recipe()?,
            arguments: &Arguments(arguments),
            boxes: &boxes,
            to: &task.target_ref,
            from: Some(parent),
            root: task.root.as_ref(),
            output_box,
            budget: &BudgetArgs::default(),
        };
        built(self.global, self.repository, self.project, &self.files.cards, handover)
    }

    fn recipe(&self) -> Result<&Recipe, Failure> {
        let missing = || Failure::Usage(format!("there is no recipe `{RECIPE}`"));
        self.repository.settings().handover.recipes.get(RECIPE).ok_or_else(missing)
    }
}

/// Names the place of the plan in an error about it.
fn at(shown: &str, line: Option<u32>, failure: Failure) -> Failure {
    let prefix = prefix(shown, line);
    match failure {
        Failure::Usage(message) => Failure::Usage(prefix + &message),
        Failure::Input(message) => Failure::Input(prefix + &message),
        failure => failure,
    }
}

fn prefix(shown: &str, line: Option<u32>) -> String {
    line.map_or_else(|| format!("{shown}: "), |line| format!("{shown}:{line}: "))
}

/// Writes cards, boxes and packs, the event of the fork, and `batch.json` last: without it there is no batch.
fn write(files: &BatchFiles, prepared: PreparedBatch) -> Result<(), Failure> {
    let PreparedBatch { id, batch, parent_log, tasks, folder, dir, at } = prepared;
    let failed = |error: CardError| files.failure(error);
    let cards = &files.cards.store;
    let mut transaction = Transaction::new(cards);
    let mut forked = Vec::with_capacity(tasks.len());
    let mut packs: Vec<(String, &[u8])> = Vec::with_capacity(tasks.len());
    for (index, task) in tasks.iter().enumerate() {
        for card in &task.plan.new_cards {
            files.record(cards.shown(FileKind::Card, &card.id));
            transaction.card(card).map_err(failed)?;
        }
        for snapshot in &task.plan.new_boxes {
            files.record(cards.shown(FileKind::Box, &ContentId::of(&snapshot.bytes())));
            transaction.snapshot(snapshot).map_err(failed)?;
        }
        // The name has the hash of all bytes, so that two branches that fork one plan do not conflict.
        let bytes = task.sealed.bytes();
        let name = format!("{id}.{index}-{}.json", Digest::of(bytes).short(12));
        let pack = format!("{dir}/{name}");
        files.announce(&pack, bytes).map_err(|error| failed(error.into()))?;
        files.record(pack.clone());
        forked.push(ForkedTask {
            agent: task.agent.key.clone(),
            pack,
            context_box_id: task.plan.context_box.clone(),
            output_box: task.plan.output_box.as_str().to_owned(),
        });
        packs.push((name, bytes));
    }
    // What is new is removed again if anything cannot be written.
    for (name, bytes) in &packs {
        folder.write(name, bytes).map_err(|error| failed(error.into()))?;
    }
    files.create(&id, &NewFile::fork(&id, at, parent_log.as_str(), forked)).map_err(failed)?;
    files.create(&id, &NewFile::batch(&batch)).map_err(failed)?;
    transaction.commit();
    Ok(())
}
