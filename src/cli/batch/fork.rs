//! `contextpack batch fork`.

use super::matrix;
use crate::cli::args::{BudgetArgs, PublishArgs, WakeArgs};
use crate::cli::card::CardFiles;
use crate::cli::handover::{BuiltHandover, HandoverTask, built, party};
use crate::cli::input;
use crate::cli::ledger::{Done, LedgerFiles};
use crate::cli::workspace::{open, settled, stamp};
use crate::config::BatchFile;
use crate::console::report::print_error;
use crate::console::{self, Exit, Failure, Format, printable};
use crate::engine::{Project, Repository};
use crate::handoff::cards::{BoxContent, ContentId, FileKind, LogName, Transaction};
use crate::handoff::handover::{Arguments, TargetStrategy, own_log};
use crate::handoff::ledger::{Attempt, Batch, BatchTask, ForkedTask, Ledger, LedgerPath, ShortId};
use crate::model::{Digest, RepoPath};
use crate::review::read;
use crate::store::{Access, Folder};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::Path;

/// The recipe that makes the packs of tasks.
const RECIPE: &str = "delegate";

/// A batch that was checked and built, and is not written yet.
struct PreparedBatch {
    batch: Batch,
    parent_log: LogName,
    tasks: Vec<BuiltHandover>,
    folder: Folder,
    dir: RepoPath,
    at: String,
    /// What follows from the inputs of the packs.
    exit: Exit,
}

/// A plan with what is known about it.
enum ForkPlan {
    New(Box<PreparedBatch>),
    Known(ShortId),
    /// It has errors, which were reported.
    Faulty(Exit),
}

/// Fields with their tasks, if they are those of one.
type TaskFields = Vec<(Option<usize>, String)>;

/// The file of a plan.
struct PlanFile<'a> {
    /// Its name for people.
    shown: &'a str,
    text: &'a str,
    /// The boxes that the user gives.
    boxes: &'a [String],
}

/// Forks a batch: checks and builds everything, then writes it, `batch.json` last.
pub(super) fn run(
    files: &LedgerFiles,
    file: &Path,
    boxes: &[String],
    publish: PublishArgs,
    wake: &WakeArgs,
) -> Result<Exit, Failure> {
    let shown = if file == Path::new("-") { "standard input".to_owned() } else { file.display().to_string() };
    let bytes = input::file_or_stdin(file)?;
    let text = String::from_utf8(bytes).map_err(|_| Failure::Usage(format!("`{shown}` is not UTF-8")))?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let plan = PlanFile { shown: &shown, text, boxes };
    files.published(publish, Some(wake), || fork(files, &plan))
}

fn fork(files: &LedgerFiles, file: &PlanFile<'_>) -> Result<Done, Failure> {
    let (id, exit, existed) = match settled(|| prepare(files, file))? {
        ForkPlan::Faulty(exit) => return Ok(Done::silent(exit)),
        ForkPlan::Known(id) => (id, Exit::Done, true),
        ForkPlan::New(prepared) => {
            let (id, exit) = (prepared.batch.id(), prepared.exit);
            write(files, &id, *prepared)?;
            (id, exit, false)
        }
    };
    let batch = files.open_batch(&id);
    let ledger = batch.read()?;
    if existed {
        record_forked(files, &ledger)?;
    }
    let matrix = matrix(&ledger);
    let known = existed.then(|| format!("{id} was forked before: nothing was written"));
    let ring = matrix.include.first().map(|task| {
        let attempt = Attempt { of: task.task_index.clone(), epoch: task.epoch };
        batch.ring(&ledger, &attempt, &LedgerPath::File("batch.json"))
    });
    // Standard output is the id alone, for scripts.
    let tasks = matrix.include.iter().map(|task| {
        let (agent, pack) = (task.agent.as_deref().unwrap_or_default(), task.pack.as_deref().unwrap_or_default());
        format!("{:>4}  {agent}  {pack}  {}", task.task_index.to_string(), task.output_box)
    });
    let tasks: Vec<String> = tasks.filter(|_| files.global.format == Format::Text).collect();
    let (message, lines) = (format!("Fork batch {id}"), vec![id.to_string()]);
    let output = json!({"batch_id": id, "existed": existed, "matrix": matrix});
    let mut done = Done::new(message, &output, lines).noted(known);
    done.notes.extend(tasks);
    Ok(Done { exit, ring, ..done })
}

/// Records what an earlier fork of the plan wrote: perhaps it was not committed.
fn record_forked(files: &LedgerFiles, ledger: &Ledger) -> Result<(), Failure> {
    let fork = ledger.fork.as_ref();
    let own = [Some("batch.json"), fork.map(|fork| fork.path.as_str())];
    own.into_iter().flatten().for_each(|path| files.record_known(files.batches.shown(&ledger.name, &path)));
    let store = &files.cards.store;
    let record = |kind, id: &ContentId| files.record_known(store.shown(kind, id));
    for task in fork.into_iter().flat_map(|fork| &fork.tasks) {
        files.record_known(task.pack.clone());
        let bytes = input::listed_file(&files.root.join(&task.pack));
        let Some(pack) = bytes.ok().and_then(|bytes| read(&bytes).ok()) else { continue };
        // Cards that were inherited are not the fork's.
        let own = pack.sections.iter().filter(|section| ["argument", "parent_pointer"].contains(&&*section.provenance));
        let ids = own.filter_map(|section| section.metadata.card.as_ref()?.id.strip_prefix("sha256:"));
        ids.filter_map(ContentId::from_hex).for_each(|id| record(FileKind::Card, &id));
        let profile = pack.handover.map(|handover| handover.target_profile_box_id);
        for (name, is_profile) in [(Some(task.context_box_id.to_string()), false), (profile, true)] {
            let Some(content) = name.map(|name| store.read_box(&name)).transpose()?.flatten() else { continue };
            content.id.iter().chain(&content.parent_ids).for_each(|id| record(FileKind::Box, id));
            content.card_ids.iter().filter(|_| is_profile).for_each(|id| record(FileKind::Card, id));
        }
    }
    Ok(())
}

/// Checks the plan and builds the packs in memory.
fn prepare(files: &LedgerFiles, plan: &PlanFile<'_>) -> Result<ForkPlan, Failure> {
    let PlanFile { shown, text, boxes } = plan;
    let repository = open(&files.global, &[], Some(Access::Read))?;
    let settings = repository.settings();
    let cards = &files.cards;
    let (file, lines) = match BatchFile::read(text, settings.handover.max_tasks) {
        Ok(read) => read,
        Err(faults) => {
            for fault in faults {
                let place = fault.line.map_or_else(String::new, |line| format!(":{line}"));
                print_error(&cards.redacted(&format!("{shown}{place}: {}", fault.message)), None)?;
            }
            return Ok(ForkPlan::Faulty(Exit::Usage));
        }
    };
    let (batch, removed) = batch(cards, file)?;
    for (task, field) in removed.iter().filter(|_| !files.global.quiet) {
        let place = prefix(shown, task.and_then(|task| lines.get(task)).copied());
        let task = task.map_or_else(String::new, |task| format!(" of task {task}"));
        let line = format!("note: {place}secrets were removed from `{field}`{task}");
        writeln!(console::stderr(), "{}", printable(&line))?;
    }
    let id = batch.id();
    if files.batches.has_batch(&id)? {
        return Ok(ForkPlan::Known(id));
    }
    let dir = settings.handover.packs().ok_or_else(|| Failure::usage("`handover.dir` is no folder"))?;
    let folder = Folder::open(repository.root(), &dir)?;
    let project = repository.project();
    let parent_log = party(&project, &batch.parent_agent).and_then(|parent| Ok(own_log(&parent)?));
    let parent_log = parent_log.map_err(|error| at(shown, None, error))?;
    let given = boxes.iter().map(|name| cards.store.existing_box(name)).collect::<Result<Vec<_>, _>>()?;
    let forking = Forking { repository: &repository, project: &project, files, id: &id, given: &given };
    let mut tasks = Vec::with_capacity(batch.tasks.len());
    let mut reused: BTreeMap<String, usize> = BTreeMap::new();
    let mut exit = Exit::Done;
    for (index, task) in batch.tasks.iter().enumerate() {
        let place = lines.get(index).copied();
        let built = match forking.task(index, task, &batch.parent_agent).map_err(|error| at(shown, place, error))? {
            Ok(built) => built,
            Err(exit) => {
                print_error(&format!("{}the pack of task {index} cannot be built", prefix(shown, place)), None)?;
                return Ok(ForkPlan::Faulty(exit));
            }
        };
        if task.target_strategy == TargetStrategy::Reuse
            && let Some(first) = reused.insert(built.agent.key.clone(), index)
        {
            let key = &built.agent.key;
            let message = format!("task {index} reuses the agent `{key}`, which task {first} reuses already");
            return Err(at(shown, place, Failure::Usage(message)));
        }
        exit = exit.and(built.exit);
        tasks.push(built);
    }
    let at = stamp()?.generated_at;
    Ok(ForkPlan::New(Box::new(PreparedBatch { batch, parent_log, tasks, folder, dir, at, exit })))
}

/// Returns the batch of a plan, without secrets, and the fields from which some were removed, with their tasks.
fn batch(cards: &CardFiles, file: BatchFile) -> Result<(Batch, TaskFields), Failure> {
    let deadline = file.deadline();
    let tasks = file.tasks.into_iter().map(|task| BatchTask {
        target_strategy: TargetStrategy::parse(&task.target_strategy).unwrap_or(TargetStrategy::New),
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
    let before = serde_json::to_value(&batch).map_err(std::io::Error::from)?;
    let mut value = before.clone();
    cards.writer().scrub_value(&mut value)?;
    let mut removed = changed_fields(None, &before, &value);
    let tasks = |value: &Value| value["tasks"].as_array().cloned().unwrap_or_default();
    for (index, (before, after)) in tasks(&before).iter().zip(&tasks(&value)).enumerate() {
        removed.extend(changed_fields(Some(index), before, after));
    }
    let scrubbed = serde_json::from_value(value).map_err(|_| {
        Failure::Input("a secret is where the plan needs another value; nothing was written".to_owned())
    })?;
    Ok((scrubbed, removed))
}

/// Returns the fields of an object whose values differ, except lists.
fn changed_fields(task: Option<usize>, before: &Value, after: &Value) -> TaskFields {
    let fields = before.as_object().into_iter().flatten();
    let changed = fields.filter(|(name, value)| !value.is_array() && after.get(*name) != Some(*value));
    changed.map(|(name, _)| (task, name.clone())).collect()
}

/// What the packs of all tasks are built from.
struct Forking<'a, 'p> {
    repository: &'a Repository,
    project: &'a Project<'p>,
    files: &'a LedgerFiles,
    id: &'a ShortId,
    /// The boxes that the user gives.
    given: &'a [BoxContent],
}

impl Forking<'_, '_> {
    fn task(&self, index: usize, task: &BatchTask, parent: &str) -> Result<Result<BuiltHandover, Exit>, Failure> {
        let mut arguments: BTreeMap<String, Value> = BTreeMap::new();
        arguments.insert("instruction".to_owned(), task.instruction.as_str().into());
        arguments.insert("target_strategy".to_owned(), task.target_strategy.name().into());
        let mut boxes = Vec::new();
        if let Some(name) = &task.context_box_id {
            let content = self.files.cards.store.existing_box(name)?;
            // A box that only the plan names has to be one that the recipe may read.
            if self.given.iter().any(|given| given.covers(&content)) {
                boxes.push(name.clone());
            } else {
                arguments.insert("context_box_id".to_owned(), name.as_str().into());
            }
        }
        let output_box = match task.target_strategy {
            TargetStrategy::Reuse => None,
            TargetStrategy::New | TargetStrategy::Clone => Some(LogName::new(&format!("{}.{index}", self.id))?),
        };
        let recipes = &self.repository.settings().handover.recipes;
        let missing = || Failure::Usage(format!("there is no recipe `{RECIPE}`"));
        let handover = HandoverTask {
            name: RECIPE,
            recipe: recipes.get(RECIPE).ok_or_else(missing)?,
            arguments: &Arguments(arguments),
            boxes: &boxes,
            to: &task.target_ref,
            from: Some(parent),
            root: task.root.as_ref(),
            output_box,
            budget: &BudgetArgs::default(),
        };
        built(&self.files.global, self.repository, self.project, &self.files.cards, handover)
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
fn write(files: &LedgerFiles, id: &ShortId, prepared: PreparedBatch) -> Result<(), Failure> {
    let PreparedBatch { batch, parent_log, tasks, folder, dir, at, .. } = prepared;
    let store = &files.cards.store;
    let mut transaction = Transaction::new(store);
    let mut forked = Vec::with_capacity(tasks.len());
    let mut packs: Vec<(String, &[u8])> = Vec::with_capacity(tasks.len());
    for (index, task) in tasks.iter().enumerate() {
        for card in &task.plan.new_cards {
            files.record(store.shown(FileKind::Card, &card.id));
            transaction.card(card)?;
        }
        for snapshot in &task.plan.new_boxes {
            files.record(store.shown(FileKind::Box, &snapshot.id()));
            transaction.snapshot(snapshot)?;
        }
        // The name has the hash of all bytes, so that two branches that fork one plan do not conflict.
        let bytes = task.sealed.bytes();
        let name = format!("{id}.{index}-{}.json", Digest::of(bytes).short(12));
        let pack = format!("{dir}/{name}");
        files.announce(&pack, bytes)?;
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
        folder.write(name, bytes)?;
    }
    let open = files.open_batch(id);
    open.create(&batch.fork_event(&at, parent_log.as_str(), &forked))?;
    open.create(&batch.file())?;
    transaction.commit();
    Ok(())
}
