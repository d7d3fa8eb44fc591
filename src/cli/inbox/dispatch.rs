//! `contextpack dispatch`.

use super::{DispatchedTurn, InboxFiles};
use crate::cli::args::{DispatchArgs, Global};
use crate::cli::handover::{not_found, party};
use crate::cli::ledger::Done;
use crate::cli::publish::UnknownPush;
use crate::cli::workspace::{open, settled};
use crate::console;
use crate::console::Exit;
use crate::console::Failure;
use crate::console::Format;
use crate::console::report::{print_error, print_lines};
use crate::engine::EngineError;
use crate::handoff::batches::TaskStatus;
use crate::handoff::cards::{CardError, LogName};
use crate::handoff::handover::own_log;
use crate::handoff::inbox::decide::{self, Dispatched};
use crate::handoff::inbox::{TurnId, TurnRequest};
use crate::knowledge::AgentError;
use crate::store::Access;
use std::cell::Cell;
use std::io::Write as _;

/// An agent with the log that names its inbox.
struct Recipient {
    key: String,
    inbox: LogName,
    /// The work item or issue that the turn is about.
    root: Option<String>,
    /// The key of the agent that dispatches it.
    from_agent: Option<String>,
}

/// Puts a turn into the inbox of an agent.
pub(crate) fn run(global: &Global, args: &DispatchArgs) -> Result<Exit, Failure> {
    // What is wrong, for programs that read the result and not the message.
    let code = Cell::new("bad_request");
    let run = || {
        let files = InboxFiles::open(global)?;
        files.published(global, args.publish, Some(&args.wake), || dispatch(global, &files, args, &code))
    };
    run().inspect_err(|failure| {
        let code = match failure {
            Failure::Usage(_) => "bad_request",
            Failure::Outside(error) if error.is::<UnknownPush>() => "unknown",
            Failure::Outside(_) | Failure::Unsettled => "not_written",
            Failure::Input(_) => code.get(),
            Failure::Config { .. } | Failure::Unread(_) => "invalid_input",
        };
        if global.format == Format::Json {
            // If standard output is closed, the message and the exit code still say it.
            let _ = print_lines(global.format, &DispatchedTurn::refused("error", code), []);
        }
    })
}

fn dispatch(
    global: &Global,
    files: &InboxFiles,
    args: &DispatchArgs,
    code: &Cell<&'static str>,
) -> Result<Done, Failure> {
    let failed = |error: CardError| {
        code.set(match error {
            CardError::Secret(_) => "secret",
            _ => "invalid_file",
        });
        files.failure(error)
    };
    code.set("not_found");
    let recipient = match settled(|| recipient(global, args))? {
        Ok(recipient) => recipient,
        Err(message) => return Ok(refused(global, "rejected", "agent_not_found", files.cards.redacted(&message))),
    };
    code.set("box_not_found");
    let writer = files.cards.writer();
    let content = files.cards.store.existing_box(&args.context).map_err(|error| match error {
        error @ CardError::NotFound(_) => files.failure(error),
        error => failed(error),
    })?;
    let output = args.output.as_deref().map(LogName::new).transpose().map_err(failed)?;
    let snapshot = content.snapshot_id();
    // The pack of a handover tells the agent where its results go.
    let pack = files.find_pack(&snapshot)?;
    if let Some(why) = pack.as_ref().and_then(|pack| pack.refusal(&recipient.inbox, &recipient.key)) {
        code.set("box_of_other_agent");
        let help = "make a handover to this agent, or give it the cards in another box: `contextpack box new`";
        return Err(
            files.failure(CardError::Unauthorized(format!("unauthorized box_id: {snapshot}: {why} (help: {help})")))
        );
    }
    let output =
        output.or_else(|| pack.and_then(|pack| pack.output.clone())).unwrap_or_else(|| recipient.inbox.clone());
    let named = [
        ("the log's name", Some(output.as_str())),
        ("the correlation id", args.correlation_id.as_deref()),
        ("the trace id", args.trace_id.as_deref()),
        ("the key", args.key.as_deref()),
        ("the agent's key", Some(recipient.key.as_str())),
        ("the agent's key", recipient.from_agent.as_deref()),
        ("the root", recipient.root.as_deref()),
    ];
    for (what, name) in named {
        name.map_or(Ok(()), |name| writer.check_name(name, what)).map_err(failed)?;
    }
    let request = TurnRequest {
        root: recipient.root,
        from_agent: recipient.from_agent,
        correlation_id: args.correlation_id.clone(),
        trace_id: args.trace_id.clone(),
        key: args.key.clone(),
        ..TurnRequest::new(recipient.key, snapshot, output.as_str().to_owned())
    };
    let (name, id) = (recipient.inbox, TurnId::of(&request.bytes()));
    let inbox = files.read(&name)?;
    match decide::dispatch(&inbox, &request).map_err(failed)? {
        Dispatched::Closed => {
            let message = format!("the inbox of {} is closed", name.as_str());
            return Ok(refused(global, "rejected", "inbox_closed", message));
        }
        Dispatched::Busy(turn) => {
            let message = format!(
                "{} works on the turn {turn} (help: `contextpack inbox list {}`)",
                name.as_str(),
                name.as_str()
            );
            return Ok(refused(global, "busy", "agent_busy", message));
        }
        Dispatched::Known => {}
        Dispatched::New(file) => {
            files.snapshot(content)?;
            files.create(&name, &file).map_err(failed)?;
        }
    }
    let existed = inbox.request(&id).is_some();
    let inbox = files.read(&name)?;
    let missing = || Failure::Input(format!("`{}` cannot be written", files.store.shown(&name, "requests")));
    let turn = inbox.turns().into_iter().find(|turn| turn.id == id).ok_or_else(missing)?;
    let path = inbox.path_of(&id).map(|path| path.to_string()).unwrap_or_default();
    // A turn that was dispatched and not committed is committed now.
    files.record(files.store.shown(&name, &path));
    files.record(files.cards.store.shown(crate::handoff::cards::FileKind::Box, &turn.request.context_box_id));
    let ring = (turn.status == TaskStatus::Pending)
        .then(|| files.ring("contextpack-turn", &name, &turn.request, turn.epoch, &path));
    let output = DispatchedTurn::accepted(&turn, existed);
    let line = format!("accepted: turn {id}, epoch {}", turn.epoch);
    let message = format!("Dispatch turn {id} to {}", name.as_str());
    let (format, quiet) = (global.format, global.quiet);
    let print = Box::new(move || {
        if existed && !quiet {
            writeln!(console::stderr(), "note: {id} was dispatched before: nothing was written")?;
        }
        Ok(print_lines(format, &output, [line])?)
    });
    Ok(Done { exit: Exit::Done, message, ring, print })
}

/// Returns the end of a dispatch that is not accepted.
fn refused(global: &Global, status: &'static str, code: &'static str, why: String) -> Done {
    let exit = if status == "busy" { Exit::Outside } else { Exit::Input };
    let format = global.format;
    let print = Box::new(move || {
        print_error(&why, None)?;
        let line = format!("{status}: {code}");
        Ok(print_lines(format, &DispatchedTurn::refused(status, code), [line])?)
    });
    Done { exit, message: String::new(), ring: None, print }
}

/// Finds the agent, the root and who dispatches; `Err` of the inner result says that there is no such agent.
fn recipient(global: &Global, args: &DispatchArgs) -> Result<Result<Recipient, String>, Failure> {
    let repository = open(global, &[], Some(Access::Read))?;
    let project = repository.project();
    let agents = &project.knowledge().agents.all;
    let agent = match project.agent_of_handover(&args.agent) {
        Ok((agent, _)) => agent,
        Err(error @ EngineError::Agent(AgentError::Unknown { .. })) => {
            return match not_found(error) {
                Failure::Input(message) => Ok(Err(message)),
                failure => Err(failure),
            };
        }
        Err(error) => return Err(error.into()),
    };
    let from = args.from.as_deref().map(|name| project.agent_of_handover(name).map_err(not_found)).transpose()?;
    let root = match &args.root {
        Some(root) => repository.find_roots(&project, std::slice::from_ref(root))?.first().copied(),
        None => None,
    };
    let party = party(agents, agent.agent)?;
    let inbox = own_log(&party).map_err(|error| Failure::Usage(error.to_string()))?;
    Ok(Ok(Recipient {
        key: party.key,
        inbox,
        root: root.map(|item| project.corpus().entries[item].item.id.to_string()),
        from_agent: from.map(|(from, _)| agents[from.agent].key.to_string()),
    }))
}
