//! `contextpack inbox`: turns that are put into inboxes of agents, claimed and acknowledged.

use super::args::{InboxCommand, TurnPutArgs};
use super::handover::{not_found, party, party_of};
use super::ledger::{Done, HandoffFiles, OpenLedger, Shown, fault_outputs, state_output, state_text};
use super::publish::UnknownPush;
use crate::cli::args::Global;
use crate::cli::packs::OpenedRepository;
use crate::cli::rebuild::root_item;
use crate::console::report::print_failure;
use crate::console::{self, Exit, Failure, Format, object, settled};
use crate::engine::EngineError;
use crate::handoff::cards::{CardError, CardFileKind, LogName};
use crate::handoff::handover::{Party, TaskLog, is_own_log, logs_of, own_log};
use crate::handoff::ledger::{Dispatched, Ledger, REQUEST_VERSION, Status, TaskState, TurnRequest, WorkId};
use crate::knowledge::AgentError;
use crate::store::Access;
use serde_json::{Value, json};
use std::cell::Cell;
use std::time::Duration;

/// A batch that commands add to, and as it was read.
type ReadBatch<'f> = (OpenLedger<'f>, Ledger);

impl HandoffFiles {
    pub(super) fn open_inbox(&self, agent: &LogName) -> OpenLedger<'_> {
        OpenLedger { files: self, folder: &self.inboxes, name: agent.as_str().to_owned() }
    }

    /// Finds the inbox of an agent, and the agent: one whose file is gone has an inbox and no tasks.
    fn inbox(&self, typed: &str) -> Result<(OpenLedger<'_>, Option<Party>), Failure> {
        let found = settled(|| {
            let repository = self.global.open(Some(Access::Read))?;
            let agent = party(&repository.project(), typed)?;
            Ok((own_log(&agent)?, Some(agent)))
        });
        let (name, agent) = found.or_else(|failure| match LogName::new(typed) {
            Ok(name) if self.inboxes.has_inbox(&name)? => Ok((name, None)),
            _ => Err(failure),
        })?;
        Ok((self.open_inbox(&name), agent))
    }

    /// Reads the batches, by id; returns them, and what is wrong with those in which an agent has tasks, or may have some.
    fn all_batches(&self, agent: Option<&Party>) -> Result<(Vec<ReadBatch<'_>>, Vec<String>), Failure> {
        let (mut batches, mut faults) = (Vec::new(), Vec::new());
        for batch in self.batches.batches()?.iter().map(|id| self.open_batch(id)) {
            match batch.read() {
                Ok(ledger) => {
                    // Without its fork a batch does not know its agents.
                    let is_unknown = ledger.fork.is_none() && !ledger.is_over();
                    if is_unknown || work(&ledger, agent).any(|task| !task.status.is_terminal()) {
                        faults.extend(batch.faults(&ledger));
                    }
                    batches.push((batch, ledger));
                }
                Err(error) => faults.push(error.message()),
            }
        }
        Ok((batches, faults))
    }

    /// Finds what is named in an inbox: a turn by its id, or a task as `BATCH.TASK`; and the ledger that it is in.
    pub(super) fn find_work<'f>(
        &'f self,
        (inbox, agent): (OpenLedger<'f>, Option<&Party>),
        typed: &str,
    ) -> Result<(OpenLedger<'f>, WorkId), Failure> {
        let Some((batch, task)) = typed.split_once('.') else {
            let turn = inbox.read()?.find_turn(typed)?;
            return Ok((inbox, turn));
        };
        let bad = |_| CardError::bad(format!("`{typed}` names no task: write `BATCH.TASK`, such as `3f2a.0`"));
        let id = WorkId::Task(task.parse().map_err(bad)?);
        let batch = self.open_batch(&self.batches.find_batch(batch)?);
        let ledger = batch.read()?;
        ledger.state_of(&id)?;
        if work(&ledger, agent).all(|task| task.id != id) {
            let other = ledger.forked(&id).map_or("no agent", |forked| &forked.agent);
            let why = format!("task not found: {typed} is for {other}, not for {}", inbox.name);
            return Err(CardError::NotFound(why).into());
        }
        Ok((batch, id))
    }
}

/// Returns the turns of an inbox, or the tasks of a batch that an agent has, in order.
fn work(ledger: &Ledger, agent: Option<&Party>) -> impl Iterator<Item = TaskState> {
    ledger.work_of(agent.map(|agent| &*agent.key))
}

pub(crate) fn run(global: &Global, command: &InboxCommand) -> Result<Exit, Failure> {
    if let InboxCommand::Put(options) = command {
        return put(global, options);
    }
    let files = HandoffFiles::open(global)?;
    files.settle(run_on(&files, command))
}

fn run_on(files: &HandoffFiles, command: &InboxCommand) -> Result<Exit, Failure> {
    match command {
        // Answered above.
        InboxCommand::Put(_) => Ok(Exit::Done),
        InboxCommand::List { agent, watch } => list(files, agent, *watch),
        InboxCommand::Claim { turn, author, publish } => files.published(*publish, None, || {
            let (inbox, agent) = files.inbox(&turn.agent)?;
            claim(files, (inbox, agent.as_ref()), turn.turn.as_deref(), author.as_deref())
        }),
        InboxCommand::Ack { agent, turn, epoch, status, outcome, wake } => {
            files.published(wake.publish, Some(wake), || {
                let (inbox, agent) = files.inbox(agent)?;
                let (ledger, id) = files.find_work((inbox, agent.as_ref()), turn)?;
                ledger.report(&id, *epoch, status, outcome)
            })
        }
        InboxCommand::Reclaim { turn, reclaim } => files.published(reclaim.wake.publish, Some(&reclaim.wake), || {
            let (inbox, agent) = files.inbox(&turn.agent)?;
            let Some(typed) = &turn.turn else { return inbox.reclaim(None, reclaim.after) };
            let (ledger, id) = files.find_work((inbox, agent.as_ref()), typed)?;
            ledger.reclaim(Some(&id), reclaim.after)
        }),
        InboxCommand::Close(end) => files.published(end.publish, None, || set_closed(files, &end.agent, true)),
        InboxCommand::Open(end) => files.published(end.publish, None, || set_closed(files, &end.agent, false)),
    }
}

fn list(files: &HandoffFiles, agent: &str, watch: Option<Duration>) -> Result<Exit, Failure> {
    let (open, agent) = files.inbox(agent)?;
    let agent = agent.as_ref();
    if agent.is_none() {
        files.global.note(&format!("note: there is no agent `{}`: tasks of batches are not listed", open.name))?;
    }
    files.follow(watch, || shown(files, &open, agent))
}

/// Returns the turns of an inbox, the open tasks of its agent, and what the agent did last.
pub(super) fn shown(files: &HandoffFiles, open: &OpenLedger<'_>, agent: Option<&Party>) -> Result<Shown, Failure> {
    let inbox = open.read()?;
    let (batches, more_faults) = files.all_batches(agent)?;
    let turns = inbox.states();
    let tasks = batches.iter().flat_map(|(_, ledger)| work(ledger, agent).map(move |task| (ledger, task)));
    let tasks: Vec<(&Ledger, TaskState)> = tasks.filter(|(_, task)| !task.status.is_terminal()).collect();
    let task_logs: Vec<TaskLog> = batches.iter().flat_map(|(_, ledger)| ledger.task_logs()).collect();
    let logs = agent.map(|agent| logs_of(agent, &files.store, &task_logs)).transpose()?.unwrap_or_default();
    let last = logs.first().map(|log| files.store.existing_box(log.as_str())).transpose()?;
    let last = last.map(|content| files.redacted(&content.name));
    let (closed, open_turns) = (inbox.is_closed(), turns.iter().filter(|turn| !turn.status.is_terminal()).count());
    let in_batches = console::counted(tasks.len(), "task");
    let in_batches = if tasks.is_empty() { String::new() } else { format!(", {in_batches} of batches open") };
    let (shut, of) = (if closed { "  closed" } else { "" }, turns.len());
    let written = last.as_ref().map_or_else(String::new, |last| format!("  last output {last}"));
    let mut lines = vec![format!("{}{shut}  {open_turns} of {of} turns open{in_batches}{written}", open.name)];
    let mut listed = |ledger: &Ledger, state: &TaskState| {
        let pointers = files.pointers(ledger, &state.id);
        let root = pointers["root"].as_str().map_or_else(String::new, |root| format!("  {root}"));
        let (id, epoch, text) = (ledger.name_of(&state.id), state.epoch, state_text(state));
        lines.push(format!("  {id}  {:<10}  epoch {epoch}{root}{text}", state.status.name()));
        object([state_output(state), pointers])
    };
    let turn_outputs: Value = turns.iter().map(|turn| listed(&inbox, turn)).collect();
    let task_outputs: Value =
        tasks.iter().map(|(batch, task)| object([listed(batch, task), json!({"batch_id": batch.name})])).collect();
    let output = object([json!({
        "inbox": open.name,
        "closed": closed,
        "busy": turns.iter().any(|turn| turn.status == Status::Dispatched),
        "current_output": last,
        "turns": turn_outputs,
        "tasks": task_outputs,
        "faults": fault_outputs(&inbox.faults),
    })]);
    let faults = open.faults(&inbox).into_iter().chain(more_faults).collect();
    // One that is open may get a turn at any time.
    Ok(Shown { lines, output, faults, is_open: !closed || open_turns + tasks.len() > 0 })
}

/// Claims what is named, else the first that can be: turns in their order, then tasks by the ids of their batches and their
/// positions.
pub(super) fn claim<'f>(
    files: &'f HandoffFiles,
    (inbox, agent): (OpenLedger<'f>, Option<&Party>),
    typed: Option<&str>,
    author: Option<&str>,
) -> Result<Done, Failure> {
    if let Some(typed) = typed {
        let (ledger, id) = files.find_work((inbox, agent), typed)?;
        return ledger.claim_one(author, &id);
    }
    let (batches, faults) = files.all_batches(agent)?;
    files.report_errors(&faults)?;
    let tasks = batches.into_iter().filter(|(_, ledger)| work(ledger, agent).next().is_some());
    let ledgers: Vec<OpenLedger<'_>> = std::iter::once(inbox).chain(tasks.map(|(batch, _)| batch)).collect();
    // A claim of this command, which was killed before, comes first.
    for is_again in [true, false] {
        for ledger in &ledgers {
            let claimed = ledger.claim(author, |ledger, repeats| {
                let is_free = |it: &TaskState| it.status == Status::Pending && !ledger.is_over();
                Ok(work(ledger, agent).find(|it| if is_again { repeats(it) } else { is_free(it) }))
            })?;
            if let Some(done) = claimed {
                return Ok(done);
            }
        }
    }
    let (output, line) =
        (json!({"status": "busy", "reason": "empty"}), "busy: no turn or task can be claimed".to_owned());
    Ok(Done { exit: Exit::Outside, ..Done::new(String::new(), &output, vec![line]) })
}

fn set_closed(files: &HandoffFiles, agent: &str, closed: bool) -> Result<Done, Failure> {
    let (inbox, _) = files.inbox(agent)?;
    let (_, changed) = inbox.decided(|inbox| {
        let file = inbox.set_closed(closed);
        Ok((file.is_some(), file))
    })?;
    let name = inbox.name.clone();
    let (word, verb) = if closed { ("closed", "Close") } else { ("open", "Open") };
    let note = (!changed).then(|| format!("the inbox of {name} is {word} already"));
    let (message, lines) = (format!("{verb} the inbox of {name}"), vec![format!("{word}: {name}")]);
    Ok(Done::new(message, &json!({"inbox": name, "closed": closed, "changed": changed}), lines).noted(note))
}

fn put(global: &Global, args: &TurnPutArgs) -> Result<Exit, Failure> {
    // What is wrong, for programs that read the result and not the message.
    let code = Cell::new("bad_request");
    let run = || {
        let files = HandoffFiles::open(global)?;
        let done = files.published(args.wake.publish, Some(&args.wake), || dispatch(&files, args, &code));
        files.settle(done)
    };
    run().or_else(|failure| {
        if global.format != Format::Json {
            return Err(failure);
        }
        let error_code = match &failure {
            Failure::Usage(_) => "bad_request",
            Failure::Outside(error) if error.is::<UnknownPush>() => "unknown",
            Failure::Outside(_) | Failure::Unsettled => "not_written",
            Failure::NotFound(Exit::Usage, _) => "bad_request",
            Failure::Input(_) | Failure::NotFound(..) | Failure::Unauthorized(_) => code.get(),
            Failure::Config { .. } | Failure::Unread(_) | Failure::Reported(..) => "invalid_input",
        };
        // If standard output is closed, the message and the exit code still say it.
        let _ = global.print(&json!({"status": "error", "error_code": error_code}), []);
        Ok(print_failure(failure, Format::Text))
    })
}

pub(super) fn dispatch(files: &HandoffFiles, args: &TurnPutArgs, code: &Cell<&'static str>) -> Result<Done, Failure> {
    let failed = |error: CardError| {
        code.set(if matches!(error, CardError::Secret(_)) { "secret" } else { "invalid_file" });
        Failure::from(error)
    };
    code.set("not_found");
    let (to, others, root, from_agent) = match settled(|| recipient(&files.global, args))? {
        Ok(found) => found,
        Err(message) => return refused("rejected", "agent_not_found", &files.redacted(&message)),
    };
    let inbox = own_log(&to).map_err(failed)?;
    code.set("box_not_found");
    let writer = files.card_writer();
    let content = files.store.existing_box(&args.context).map_err(|error| match error {
        error @ CardError::NotFound(_) => error.into(),
        error => failed(error),
    })?;
    let output = args.output.as_deref().map(LogName::new).transpose().map_err(failed)?;
    let snapshot = content.snapshot_id();
    // The pack of a handover tells the agent where its results go.
    let pack = files.find_pack(&snapshot)?;
    if let Some(why) = pack.as_ref().and_then(|pack| pack.refusal(inbox.as_str(), &to.key)) {
        code.set("box_of_other_agent");
        let help = "make a handover to this agent, or give it the cards in another box: `contextpack box new`";
        return Err(Failure::Unauthorized(format!("unauthorized box_id: {snapshot}: {why} (help: {help})")));
    }
    let about =
        pack.as_ref().and_then(|pack| pack.root.as_ref()).filter(|about| root.as_ref().is_some_and(|it| it != *about));
    let about = about.map(|about| format!("the pack of this box is about `{}`", files.redacted(about)));
    let output = output.or_else(|| pack.and_then(|pack| pack.output.clone())).unwrap_or_else(|| inbox.clone());
    let task_logs = files.task_logs().map_err(failed)?;
    let is_of = |agent: &&Party| is_own_log(agent, output.as_str(), task_logs);
    if let Some(other) = others.iter().find(is_of).filter(|_| !is_of(&&to)) {
        code.set("log_of_other_agent");
        let (log, other) = (output.as_str(), &other.key);
        let help =
            "give `--output` another log, or none: then the turn writes to that of the handover, or the agent's own";
        return Err(Failure::Unauthorized(format!(
            "unauthorized output_box: {log} is a log of {other} (help: {help})"
        )));
    }
    let request = TurnRequest {
        schema_version: REQUEST_VERSION.to_owned(),
        agent: to.key,
        context_box_id: snapshot,
        output_box: output.as_str().to_owned(),
        root,
        from_agent,
        correlation_id: args.correlation_id.clone(),
        trace_id: args.trace_id.clone(),
        key: args.key.clone(),
    };
    for (field, value) in json!(request).as_object().into_iter().flatten() {
        let text = value.as_str().unwrap_or_default();
        let secret = |error: CardError| failed(CardError::Secret(error.to_string()));
        writer.check_name(text, &format!("`{field}`")).map_err(secret)?;
    }
    let (open, id) = (files.open_inbox(&inbox), request.id());
    let name = &open.name;
    let inbox = open.read()?;
    match inbox.dispatch(&request).map_err(failed)? {
        Dispatched::Closed => return refused("rejected", "inbox_closed", &format!("the inbox of {name} is closed")),
        Dispatched::Busy(turn) => {
            let why = format!("{name} works on the turn {turn} (help: `contextpack inbox list {name}`)");
            return refused("busy", "agent_busy", &why);
        }
        Dispatched::Known => {}
        Dispatched::New(file) => {
            files.written.borrow_mut().snapshot_of(&files.store, &content)?;
            open.create(&file)?;
        }
    }
    let turn = WorkId::Turn(id.clone());
    let existed = inbox.request(&turn).is_some();
    let inbox = open.read()?;
    let missing = || Failure::Input(format!("`{}` cannot be written", open.shown(&"requests")));
    let (path, request) = inbox.request_path(&id).zip(inbox.request(&turn)).ok_or_else(missing)?;
    let turn = inbox.state_of(&turn).map_err(failed)?;
    // A turn that was dispatched and not committed is committed now.
    files.record(open.shown(&path));
    files.record(files.store.shown(CardFileKind::Box, &request.context_box_id));
    let ring = (turn.status == Status::Pending).then(|| open.ring(&inbox, &turn.attempt(), &path));
    let output = json!({
        "status": "accepted",
        "agent_turn_id": turn.id,
        "turn_epoch": turn.epoch,
        "trace_id": request.trace(),
        "correlation_id": request.correlation(),
        "existed": existed,
    });
    let note = existed.then(|| format!("{id} was dispatched before: nothing was written")).into_iter().chain(about);
    let lines = vec![format!("accepted: turn {id}, epoch {}", turn.epoch)];
    Ok(Done { ring, ..Done::new(format!("Dispatch turn {id} to {name}"), &output, lines).noted(note) })
}

fn refused(status: &'static str, code: &'static str, why: &str) -> Result<Done, Failure> {
    let exit = if status == "busy" { Exit::Outside } else { Exit::Input };
    let output = json!({"status": status, "error_code": code});
    let errors = vec![why.to_owned()];
    Ok(Done { exit, errors, ..Done::new(String::new(), &output, vec![format!("{status}: {code}")]) })
}

/// The agent that a turn is for, all agents, the work item or issue that it is about, and the key of the agent that dispatches it.
type Recipient = (Party, Vec<Party>, Option<String>, Option<String>);

/// Finds who a turn is for; `Err` of the inner result says that there is no such agent.
fn recipient(global: &Global, args: &TurnPutArgs) -> Result<Result<Recipient, String>, Failure> {
    let repository = global.open(Some(Access::Read))?;
    let opened = OpenedRepository::new(global, &repository);
    let project = &opened.project;
    if let Err(error @ EngineError::Agent(AgentError::Unknown { .. })) = project.agent_of_handover(&args.agent) {
        return Ok(Err(not_found(error).message()));
    }
    let to = party(project, &args.agent)?;
    let from = args.from.as_deref().map(|name| project.agent_of_handover(name).map_err(not_found)).transpose()?;
    let root = root_item(&opened, args.root.as_ref())?;
    let root = root.map(|item| project.item(item).id.to_string());
    let from = from.map(|from| project.knowledge().agents.all[from.agent].key.to_string());
    Ok(Ok((to, project.knowledge().agents.all.iter().map(party_of).collect(), root, from)))
}
