//! `contextpack batch fork`.

use super::matrix;
use crate::cli::args::BudgetArgs;
use crate::cli::handoff::args::WakeArgs;
use crate::cli::handoff::card::removal_note;
use crate::cli::handoff::handover::{BuiltHandover, HandoverTask, built, party};
use crate::cli::handoff::ledger::{Done, HandoffFiles};
use crate::cli::input;
use crate::cli::packs::OpenedRepository;
use crate::config::{BatchFile, TargetStrategy};
use crate::console::report::{print_error, print_error_json, print_failure};
use crate::console::{Exit, Failure, Format, settled, stamp};
use crate::handoff::cards::{BoxContent, CardFileKind, ContentId, LogName};
use crate::handoff::handover::{RecipeArguments, own_log};
use crate::handoff::ledger::{
    Attempt, BATCH_VERSION, Batch, DEADLINE_SECONDS, ForkedTask, Ledger, LedgerPath, ShortId,
};
use crate::model::Digest;
use crate::review::read;
use crate::store::{Access, Folder};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;

const RECIPE: &str = "delegate";

struct ForkPlan<'a> {
    /// The name of its file for people.
    shown: String,
    lines: Vec<u32>,
    batch: Batch,
    id: ShortId,
    boxes: &'a [String],
}

struct BuiltBatch {
    parent_log: LogName,
    tasks: Vec<BuiltHandover>,
    exit: Exit,
}

/// Forks a batch: checks and builds everything, then writes it, `batch.json` last.
pub(super) fn run(files: &HandoffFiles, file: &Path, boxes: &[String], wake: &WakeArgs) -> Result<Exit, Failure> {
    let shown = if file == Path::new("-") { "standard input".to_owned() } else { file.display().to_string() };
    let bytes = input::file_or_stdin(file)?;
    let text = String::from_utf8(bytes).map_err(|_| Failure::Usage(format!("`{shown}` is not UTF-8")))?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let (file, lines) = match BatchFile::read(text, files.settings.handover.max_tasks) {
        Ok(read) => read,
        Err(faults) => {
            let faults = faults.iter().map(|fault| format!("{}{}", prefix(&shown, fault.line), fault.message));
            let faults: Vec<String> = faults.map(|fault| files.redacted(&fault)).collect();
            faults.iter().try_for_each(|fault| print_error(fault, None))?;
            if files.global.format == Format::Json {
                print_error_json(&faults.join("; "), "bad_request", Exit::Usage, &[])?;
            }
            return Ok(Exit::Usage);
        }
    };
    let (batch, removed) = batch(files, file)?;
    if let Some(note) = removal_note(removed) {
        files.global.note(&format!("note: {shown}: {note}"))?;
    }
    let plan = ForkPlan { shown, lines, id: batch.id(), batch, boxes };
    files.published(wake.publish, Some(wake), || fork(files, &plan))
}

fn fork(files: &HandoffFiles, plan: &ForkPlan<'_>) -> Result<Done, Failure> {
    let id = &plan.id;
    let existed = files.batches.has_batch(id)?;
    let mut exit = Exit::Done;
    if !existed {
        let built = settled(|| build(files, plan))?;
        exit = built.exit;
        write(files, plan, &built)?;
    }
    let batch = files.open_batch(id);
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
fn record_forked(files: &HandoffFiles, ledger: &Ledger) -> Result<(), Failure> {
    let fork = ledger.fork.as_ref();
    let own = [Some("batch.json"), fork.map(|fork| fork.path.as_str())];
    own.into_iter().flatten().for_each(|path| files.record_known(files.batches.shown(&ledger.name, &path)));
    let store = &files.store;
    let record = |kind, id: &ContentId| files.record_known(store.shown(kind, id));
    for task in fork.into_iter().flat_map(|fork| &fork.tasks) {
        files.record_known(task.pack.clone());
        let bytes = input::listed_file(&files.root.join(&task.pack));
        let Some(pack) = bytes.ok().and_then(|bytes| read(&bytes).ok()) else { continue };
        // Cards that were inherited are not the fork's.
        let own = pack.sections.iter().filter(|section| ["argument", "parent_pointer"].contains(&&*section.provenance));
        let ids = own.filter_map(|section| section.metadata.card.as_ref()?.id.strip_prefix("sha256:"));
        ids.filter_map(ContentId::from_hex).for_each(|id| record(CardFileKind::Card, &id));
        let profile = pack.handover.map(|handover| handover.target_profile_box_id);
        for (name, is_profile) in [(Some(task.context_box_id.to_string()), false), (profile, true)] {
            let Some(content) = name.map(|name| store.read_box(&name)).transpose()?.flatten() else { continue };
            content.id.iter().chain(&content.parent_ids).for_each(|id| record(CardFileKind::Box, id));
            content.card_ids.iter().filter(|_| is_profile).for_each(|id| record(CardFileKind::Card, id));
        }
    }
    Ok(())
}

fn build(files: &HandoffFiles, plan: &ForkPlan<'_>) -> Result<BuiltBatch, Failure> {
    let repository = files.global.open(Some(Access::Read))?;
    let opened = OpenedRepository::new(&files.global, &repository);
    let at = |line, failure: Failure| failure.map_message(|message| prefix(&plan.shown, line) + &message);
    let parent_log = party(&opened.project, &plan.batch.parent_agent).and_then(|parent| Ok(own_log(&parent)?));
    let parent_log = parent_log.map_err(|error| at(None, error))?;
    let given = plan.boxes.iter().map(|name| files.store.existing_box(name)).collect::<Result<Vec<_>, _>>()?;
    let mut batch = BuiltBatch { parent_log, tasks: Vec::with_capacity(plan.batch.tasks.len()), exit: Exit::Done };
    let mut reused: BTreeMap<String, usize> = BTreeMap::new();
    for (index, task) in plan.batch.tasks.iter().enumerate() {
        let line = plan.lines.get(index).copied();
        let built = build_task(files, &opened, plan, &given, index);
        if let Err(failure @ Failure::Unread(_)) = built {
            let diagnostics = failure.diagnostics().to_vec();
            let exit = print_failure(failure, Format::Text);
            print_error(&format!("{}the pack of task {index} cannot be built", prefix(&plan.shown, line)), None)?;
            return Err(Failure::Reported(exit, diagnostics));
        }
        let built = built.map_err(|error| at(line, error))?;
        let key = &built.agent.key;
        if task.target_strategy == TargetStrategy::Reuse
            && let Some(first) = reused.insert(key.clone(), index)
        {
            let message = format!("task {index} reuses the agent `{key}`, which task {first} reuses already");
            return Err(at(line, Failure::Usage(message)));
        }
        batch.exit = batch.exit.and(built.exit);
        batch.tasks.push(built);
    }
    Ok(batch)
}

fn build_task(
    files: &HandoffFiles,
    opened: &OpenedRepository<'_>,
    plan: &ForkPlan<'_>,
    given: &[BoxContent],
    index: usize,
) -> Result<BuiltHandover, Failure> {
    let task = &plan.batch.tasks[index];
    let given_as = |name: &str, text: &str| (name.to_owned(), Value::from(text));
    let strategy = given_as("target_strategy", task.target_strategy.name());
    let mut arguments = BTreeMap::from([given_as("instruction", &task.instruction), strategy]);
    let mut boxes = Vec::new();
    if let Some(name) = &task.context_box_id {
        let content = files.store.existing_box(name)?;
        // A box that only the plan names has to be one that the recipe may read.
        if given.iter().any(|given| given.covers(&content)) {
            boxes.push(name.clone());
        } else {
            arguments.extend([given_as("context_box_id", name)]);
        }
    }
    let is_reused = task.target_strategy == TargetStrategy::Reuse;
    let output_box = (!is_reused).then(|| LogName::new(&format!("{}.{index}", plan.id))).transpose()?;
    let missing = || Failure::Usage(format!("there is no recipe `{RECIPE}`"));
    let recipe = files.settings.handover.recipes.get(RECIPE).ok_or_else(missing)?;
    let (arguments, boxes, budget) = (&RecipeArguments(arguments), &boxes[..], &BudgetArgs::default());
    let (to, from, root) = (&*task.target_ref, Some(&*plan.batch.parent_agent), task.root.as_ref());
    let handover = HandoverTask { name: RECIPE, recipe, arguments, boxes, to, from, root, output_box, budget };
    built(opened, files, handover)
}

/// Returns the batch of a plan, without secrets, and how many of its values held some.
fn batch(files: &HandoffFiles, file: BatchFile) -> Result<(Batch, usize), Failure> {
    let deadline_seconds = file.deadline().unwrap_or(DEADLINE_SECONDS);
    let BatchFile { parent_agent, tool_call_id, key, fail_fast, tasks, .. } = file;
    let (schema_version, fail_fast) = (BATCH_VERSION.to_owned(), fail_fast.unwrap_or(false));
    let batch = Batch { schema_version, parent_agent, tool_call_id, key, fail_fast, deadline_seconds, tasks };
    let mut value = serde_json::to_value(&batch).map_err(std::io::Error::from)?;
    let removed = files.card_writer().scrub_value(&mut value)?;
    let scrubbed = serde_json::from_value(value).map_err(|_| {
        Failure::Input("a secret is where the plan needs another value; nothing was written".to_owned())
    })?;
    Ok((scrubbed, removed))
}

fn prefix(shown: &str, line: Option<u32>) -> String {
    line.map_or_else(|| format!("{shown}: "), |line| format!("{shown}:{line}: "))
}

/// Writes cards, boxes and packs, the event of the fork, and `batch.json` last: without it there is no batch.
fn write(files: &HandoffFiles, plan: &ForkPlan<'_>, built: &BuiltBatch) -> Result<(), Failure> {
    let dir = files.settings.handover.packs().ok_or_else(|| Failure::usage("`handover.dir` is no folder"))?;
    let folder = Folder::open(&files.root, &dir)?;
    let store = &files.store;
    let mut forked = Vec::with_capacity(built.tasks.len());
    let mut packs: Vec<(String, &[u8])> = Vec::with_capacity(built.tasks.len());
    for (index, task) in built.tasks.iter().enumerate() {
        let mut written = files.written.borrow_mut();
        task.plan.new_cards.iter().try_for_each(|card| written.card(store, card))?;
        task.plan.new_boxes.iter().try_for_each(|snapshot| written.snapshot(store, snapshot))?;
        // The name has the hash of all bytes, so that two branches that fork one plan do not conflict.
        let bytes = task.sealed.bytes();
        let name = format!("{}.{index}-{}.json", plan.id, Digest::of(bytes).short(12));
        let pack = format!("{dir}/{name}");
        files.announce(&pack, bytes)?;
        written.add(&files.root, pack.clone());
        let (agent, context_box_id) = (task.agent.key.clone(), task.plan.context_box.clone());
        forked.push(ForkedTask { agent, pack, context_box_id, output_box: task.plan.output_box.as_str().to_owned() });
        packs.push((name, bytes));
    }
    // What is new is removed again if anything cannot be written.
    for (name, bytes) in &packs {
        folder.write(name, bytes)?;
    }
    let open = files.open_batch(&plan.id);
    open.create(&plan.batch.fork_event(&stamp()?.generated_at, built.parent_log.as_str(), &forked))?;
    open.create(&plan.batch.file())?;
    Ok(())
}
