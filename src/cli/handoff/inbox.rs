//! `contextpack inbox`: turns that are put into inboxes of agents, claimed and acknowledged.

use super::args::{InboxCommand, TurnArg, TurnPutArgs};
use super::handover::{not_found, party};
use super::ledger::{Done, HandoffFiles, OpenLedger, fault_outputs, state_output, state_text};
use super::publish::UnknownPush;
use crate::cli::args::Global;
use crate::cli::packs::OpenedRepository;
use crate::cli::rebuild::root_item;
use crate::console::report::print_failure;
use crate::console::{Exit, Failure, Format, object, settled};
use crate::engine::EngineError;
use crate::handoff::cards::{CardError, CardFileKind, LogName};
use crate::handoff::handover::{Party, own_log};
use crate::handoff::ledger::{Dispatched, Ledger, REQUEST_VERSION, Status, TurnRequest, WorkId};
use crate::knowledge::AgentError;
use crate::store::Access;
use serde_json::json;
use std::cell::Cell;

impl HandoffFiles {
    pub(super) fn open_inbox(&self, agent: &LogName) -> OpenLedger<'_> {
        OpenLedger { files: self, folder: &self.inboxes, name: agent.as_str().to_owned() }
    }

    fn inbox(&self, agent: &str) -> Result<OpenLedger<'_>, Failure> {
        if let Ok(name) = LogName::new(agent)
            && self.inboxes.has_inbox(&name)?
        {
            return Ok(self.open_inbox(&name));
        }
        let name = settled(|| {
            let repository = self.global.open(Some(Access::Read))?;
            Ok(own_log(&party(&repository.project(), agent)?)?)
        });
        Ok(self.open_inbox(&name?))
    }
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
        InboxCommand::List { agent } => list(files, &files.inbox(agent)?)?.print(&files.global),
        InboxCommand::Claim { turn, author, publish } => {
            files.published(*publish, None, || claim(files, turn, author.as_deref()))
        }
        InboxCommand::Ack { agent, turn, epoch, status, outcome, wake } => {
            files.published(wake.publish, Some(wake), || {
                let attempt = |inbox: &Ledger| inbox.attempt(inbox.find_turn(turn)?, *epoch);
                files.inbox(agent)?.report(status, outcome, attempt)
            })
        }
        InboxCommand::Reclaim { turn, reclaim } => files.published(reclaim.wake.publish, Some(&reclaim.wake), || {
            let named = |inbox: &Ledger| turn.turn.as_deref().map(|typed| inbox.find_turn(typed)).transpose();
            files.inbox(&turn.agent)?.reclaim(named, reclaim.after)
        }),
        InboxCommand::Close(end) => files.published(end.publish, None, || set_closed(files, &end.agent, true)),
        InboxCommand::Open(end) => files.published(end.publish, None, || set_closed(files, &end.agent, false)),
    }
}

pub(super) fn list(files: &HandoffFiles, open: &OpenLedger<'_>) -> Result<Done, Failure> {
    let inbox = open.read()?;
    let turns = inbox.states();
    let count = turns.iter().filter(|turn| !turn.status.is_terminal()).count();
    let closed = if inbox.is_closed() { "  closed" } else { "" };
    let mut lines = vec![format!("{}{closed}  {count} of {} turns open", open.name, turns.len())];
    let mut outputs = Vec::new();
    for turn in &turns {
        let pointers = files.pointers(&inbox, &turn.id);
        let root = pointers["root"].as_str().map_or_else(String::new, |root| format!("  {root}"));
        let (id, status, epoch, text) = (&turn.id, turn.status.name(), turn.epoch, state_text(turn));
        lines.push(format!("  {id}  {status:<10}  epoch {epoch}{root}{text}"));
        outputs.push(object([state_output(turn), pointers]));
    }
    let output = json!({
        "inbox": open.name,
        "closed": inbox.is_closed(),
        "busy": turns.iter().any(|turn| turn.status == Status::Dispatched),
        "turns": outputs,
        "faults": fault_outputs(&inbox.faults),
    });
    let errors = open.fault_lines(&inbox);
    let exit = if errors.is_empty() { Exit::Done } else { Exit::Input };
    Ok(Done { exit, errors, ..Done::new(String::new(), &output, lines) })
}

fn claim(files: &HandoffFiles, arg: &TurnArg, author: Option<&str>) -> Result<Done, Failure> {
    claim_turn(&files.inbox(&arg.agent)?, arg.turn.as_ref(), author)
}

/// Claims a turn, or the oldest one that waits.
pub(super) fn claim_turn(open: &OpenLedger<'_>, turn: Option<&String>, author: Option<&str>) -> Result<Done, Failure> {
    open.claim(author, |inbox, repeats| match turn {
        Some(typed) => inbox.state_of(&inbox.find_turn(typed)?).map(Some),
        None => {
            let turns = inbox.states();
            let own = turns.iter().find(|turn| repeats(turn));
            Ok(own.or_else(|| turns.iter().find(|turn| turn.status == Status::Pending)).cloned())
        }
    })
}

fn set_closed(files: &HandoffFiles, agent: &str, closed: bool) -> Result<Done, Failure> {
    let inbox = files.inbox(agent)?;
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
    let (to, root, from_agent) = match settled(|| recipient(&files.global, args))? {
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
    let output = output.or_else(|| pack.and_then(|pack| pack.output.clone())).unwrap_or_else(|| inbox.clone());
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
        writer.check_name(text, &format!("`{field}`")).map_err(failed)?;
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
    let note = existed.then(|| format!("{id} was dispatched before: nothing was written"));
    let lines = vec![format!("accepted: turn {id}, epoch {}", turn.epoch)];
    Ok(Done { ring, ..Done::new(format!("Dispatch turn {id} to {name}"), &output, lines).noted(note) })
}

fn refused(status: &'static str, code: &'static str, why: &str) -> Result<Done, Failure> {
    let exit = if status == "busy" { Exit::Outside } else { Exit::Input };
    let output = json!({"status": status, "error_code": code});
    let errors = vec![why.to_owned()];
    Ok(Done { exit, errors, ..Done::new(String::new(), &output, vec![format!("{status}: {code}")]) })
}

/// The agent that a turn is for, the work item or issue that it is about, and the key of the agent that dispatches it.
type Recipient = (Party, Option<String>, Option<String>);

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
    Ok(Ok((to, root, from)))
}
