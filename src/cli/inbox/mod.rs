//! `contextpack inbox`.

mod dispatch;

use super::args::{Global, InboxArg, InboxCommand, TurnAckArgs};
use super::handover::party;
use super::input;
use super::ledger::{Done, LedgerFiles, OpenLedger, fault_outputs, object, state_output, state_text};
use super::wake::Ring;
use super::workspace::{open, settled};
use crate::console::report::print_lines;
use crate::console::{Exit, Failure, PathFailure};
use crate::handoff::cards::{ContentId, LogName};
use crate::handoff::handover::{Party, own_log};
use crate::handoff::ledger::{Attempt, Inbox, LedgerPath, REFUSED, TaskState, TaskStatus, TurnId, TurnRequest};
use crate::model::RepoPath;
use crate::review::read;
use crate::store::Access;
pub(crate) use dispatch::run as dispatch;
use serde_json::{Value, json};
use std::fmt::Display;
use std::io::ErrorKind;
use std::path::Path;
use std::rc::Rc;
use std::time::Duration;

type OpenInbox<'f> = OpenLedger<'f, TurnId>;

/// The pack of a handover.
pub(crate) struct HandedPack {
    /// Its path from the repo's root.
    path: String,
    agent: String,
    /// The inbox of that agent, if the pack names its file.
    inbox: Option<LogName>,
    /// The log that it names for the results.
    output: Option<LogName>,
}

impl HandedPack {
    /// Reads the pack of the handover that made a box, if it is in this folder below `root`.
    fn read(root: &Path, packs: &str, context: &ContentId) -> Result<Option<Self>, Failure> {
        let path = format!("{packs}/{}.json", context.short());
        match root.join(&path).symlink_metadata() {
            Ok(there) if there.is_file() => Ok(Self::of(&input::listed_file(&root.join(&path))?, path, context)),
            Err(error) if error.kind() != ErrorKind::NotFound => Err(PathFailure::failure("read", path, error)),
            _ => Ok(None),
        }
    }

    /// Returns the pack at `path` with these bytes, if it is the one of the handover that made a box.
    fn of(bytes: &[u8], path: String, context: &ContentId) -> Option<Self> {
        let pack = read(bytes).ok()?;
        let handover = pack.handover.filter(|it| it.context_box_id == context.to_string())?;
        let agent = pack.agent?;
        let soul = pack.sections.iter().find(|section| section.id == "agent");
        let file = soul.and_then(|section| RepoPath::new(section.source.path.as_deref()?).ok());
        let party = file.map(|file| Party { key: agent.key.clone(), stem: file.stem().to_owned() });
        let inbox = party.and_then(|party| own_log(&party).ok());
        Some(Self { path, agent: agent.key, inbox, output: LogName::new(&handover.output_box).ok() })
    }

    /// Says why a turn of an agent, in this inbox, may not name its box: it was handed to another agent.
    fn refusal(&self, inbox: &LogName, agent: &str) -> Option<String> {
        let is_for_agent = self.agent == agent && self.inbox.as_ref().is_none_or(|own| own == inbox);
        (!is_for_agent).then(|| format!("its box was handed to {}, so that it is no turn of {agent}", self.agent))
    }
}

impl LedgerFiles {
    fn open_inbox(&self, agent: LogName) -> OpenInbox<'_> {
        let name = agent.as_str().to_owned();
        let read = Box::new(move || {
            let inbox = self.inboxes.read(&agent, REFUSED)?;
            for (request, _) in inbox.turns() {
                self.find_pack(&request.context_box_id)?;
            }
            // The pack of another agent's handover would be shown.
            let foreign =
                |request: &TurnRequest| self.pack_of(&request.context_box_id)?.refusal(&agent, &request.agent);
            Ok(inbox.without(&foreign).redacted(&|text| self.cards.redacted(text)))
        });
        OpenLedger { files: self, folder: &self.inboxes, name, read }
    }

    /// Opens the inbox that the user names: one that exists, else that of an agent.
    fn inbox(&self, arg: &InboxArg) -> Result<OpenInbox<'_>, Failure> {
        if let Ok(name) = LogName::new(&arg.agent)
            && self.inboxes.exists(&name)?
        {
            return Ok(self.open_inbox(name));
        }
        let name = settled(|| {
            let repository = open(&self.global, &[], Some(Access::Read))?;
            Ok(own_log(&party(&repository.project(), &arg.agent)?)?)
        });
        Ok(self.open_inbox(name?))
    }

    /// Finds the pack of the handover that made a box, if it is there.
    fn find_pack(&self, context: &ContentId) -> Result<Option<Rc<HandedPack>>, Failure> {
        if let Some(known) = self.pack_of(context) {
            return Ok(Some(known));
        }
        let Some(packs) = self.settings.handover.packs() else { return Ok(None) };
        let pack = HandedPack::read(&self.root, packs.as_str(), context)?.map(Rc::new);
        self.packs.borrow_mut().extend(pack.clone().map(|pack| (context.clone(), pack)));
        Ok(pack)
    }

    /// Returns the pack of the handover that made the box of a turn of an inbox that was read.
    fn pack_of(&self, context: &ContentId) -> Option<Rc<HandedPack>> {
        self.packs.borrow().get(context).cloned()
    }

    /// Returns what a turn is about, without the secrets of a request that was made by hand.
    fn pointers(&self, request: &TurnRequest) -> Value {
        let redacted = |text: &str| self.cards.redacted(text);
        object([json!({
            "correlation_id": redacted(&request.correlation()),
            "trace_id": request.trace(),
            "context_box_id": request.context_box_id,
            "output_box": redacted(&request.output_box),
            "root": request.root.as_deref().map(redacted),
            "from_agent": request.from_agent.as_deref().map(redacted),
            "pack": self.pack_of(&request.context_box_id).map(|pack| pack.path.clone()),
        })])
    }
}

impl OpenInbox<'_> {
    /// Returns what the doorbell says about a turn; `file` is what the others need to have.
    fn ring(&self, event: &'static str, request: &TurnRequest, epoch: u32, file: &dyn Display) -> Ring {
        let redacted = |text: &str| self.files.cards.redacted(text);
        let payload = json!({
            "agent": redacted(&request.agent),
            "inbox": self.name,
            "agent_turn_id": request.id(),
            "turn_epoch": epoch,
            "correlation_id": redacted(&request.correlation()),
            "trace_id": request.trace(),
        });
        Ring { event, payload, file: self.shown(file) }
    }
}

/// Returns the fault of a request, at `path` in the folder of cards `root`, that names the box of another agent's handover.
pub(super) fn foreign_box(root: &Path, path: &str, bytes: &[u8]) -> Option<String> {
    let (inbox, _) = path.strip_prefix("inbox/")?.split_once("/requests/")?;
    let request: TurnRequest = serde_json::from_slice(bytes).ok()?;
    // A pack that cannot be read is reported by itself.
    let pack = HandedPack::read(root, "packs", &request.context_box_id).ok()??;
    pack.refusal(&LogName::new(inbox).ok()?, &request.agent)
}

pub(crate) fn run(global: &Global, command: &InboxCommand) -> Result<Exit, Failure> {
    let files = LedgerFiles::open(global)?;
    files.cards.settle(run_on(&files, command))
}

fn run_on(files: &LedgerFiles, command: &InboxCommand) -> Result<Exit, Failure> {
    match command {
        InboxCommand::List(inbox) => list(files, inbox),
        InboxCommand::Claim { inbox, turn, author, publish } => {
            files.published(*publish, None, || claim(files, inbox, turn.as_deref(), author.as_deref()))
        }
        InboxCommand::Ack(options) => {
            files.published(options.publish, Some(&options.wake), || acknowledge(files, options))
        }
        InboxCommand::Reclaim { inbox, turn, after, publish, wake } => {
            files.published(*publish, Some(wake), || reclaim(files, inbox, turn.as_deref(), *after))
        }
        InboxCommand::Close { inbox, publish } => files.published(*publish, None, || set_closed(files, inbox, true)),
        InboxCommand::Open { inbox, publish } => files.published(*publish, None, || set_closed(files, inbox, false)),
    }
}

fn list(files: &LedgerFiles, arg: &InboxArg) -> Result<Exit, Failure> {
    let open = files.inbox(arg)?;
    let inbox = open.read()?;
    let redacted = |text: &str| files.cards.redacted(text);
    let turns = inbox.turns();
    let is_open = |turn: &TaskState<TurnId>| !turn.status.is_terminal();
    let count = turns.iter().filter(|(_, turn)| is_open(turn)).count();
    let closed = if inbox.is_closed() { "  closed" } else { "" };
    let mut lines = vec![format!("{}{closed}  {count} of {} turns open", open.name, turns.len())];
    let mut outputs = Vec::new();
    for (request, turn) in &turns {
        let pointers = files.pointers(request);
        let outcome = turn.report.as_ref().map(|report| &report.outcome);
        let root = pointers["root"].as_str().map_or_else(String::new, |root| format!("  {root}"));
        let (id, status, epoch, text) = (&turn.id, turn.status.name(), turn.epoch, state_text(turn, outcome));
        lines.push(format!("  {id}  {status:<10}  epoch {epoch}{root}{text}"));
        outputs.push(object([state_output(turn, outcome, &redacted), pointers]));
    }
    let output = json!({
        "inbox": open.name,
        "closed": inbox.is_closed(),
        "busy": turns.iter().any(|(_, turn)| turn.status == TaskStatus::Dispatched),
        "turns": outputs,
        "faults": fault_outputs(&inbox.faults, &redacted),
    });
    print_lines(files.global.format, &output, lines)?;
    let has_faults = files.report_faults(open.folder, &open.name, &inbox.faults)?;
    Ok(if has_faults { Exit::Input } else { Exit::Done })
}

fn claim(files: &LedgerFiles, arg: &InboxArg, turn: Option<&str>, author: Option<&str>) -> Result<Done, Failure> {
    let inbox = files.inbox(arg)?;
    let claimed = inbox.claim(author, |inbox, repeats| match turn {
        Some(typed) => inbox.state_of(&inbox.find(typed)?).map(Some),
        None => {
            let turns = inbox.states();
            let own = turns.iter().find(|turn| repeats(turn));
            Ok(own.or_else(|| turns.iter().find(|turn| turn.status == TaskStatus::Pending)).cloned())
        }
    })?;
    let turn = claimed.state.as_ref();
    let request = turn.filter(|_| claimed.busy.is_none()).and_then(|turn| claimed.ledger.request(&turn.id));
    let pointers = request.map(|request| files.pointers(request)).unwrap_or_default();
    let attempt = turn.map(|turn| json!({"agent_turn_id": turn.id, "turn_epoch": turn.epoch})).unwrap_or_default();
    let accepted = turn.map(|turn| format!("accepted: turn {}, epoch {}", turn.id, turn.epoch)).unwrap_or_default();
    Ok(claimed.done(&inbox, attempt, accepted, pointers))
}

fn acknowledge(files: &LedgerFiles, args: &TurnAckArgs) -> Result<Done, Failure> {
    let inbox = files.inbox(&args.inbox)?;
    let attempt = |inbox: &Inbox| inbox.attempt(&inbox.find(&args.turn)?, args.epoch);
    let log = |inbox: &Inbox, turn: &TurnId| inbox.request(turn).map_or("", |it| it.output_box.as_str()).to_owned();
    let reported = inbox.report(&args.status, &args.outcome, attempt, log)?;
    let Attempt { of: turn, epoch } = reported.attempt.clone();
    let missing = || Failure::Input(format!("turn not found: {turn}"));
    let request = reported.ledger.request(&turn).ok_or_else(missing)?;
    let ring = reported.late.is_none().then(|| {
        let path = LedgerPath::Report(reported.attempt.clone());
        let mut ring = inbox.ring("contextpack-response", request, epoch, &path);
        ring.payload["status"] = reported.counts_as.name().into();
        if let Some(from) = &request.from_agent {
            ring.payload["from_agent"] = files.cards.redacted(from).into();
        }
        ring
    });
    let correlation = files.cards.redacted(&request.correlation());
    let fields = json!({"agent_turn_id": turn, "turn_epoch": epoch, "correlation_id": correlation});
    Ok(Done { ring, ..reported.done(&inbox, fields) })
}

fn reclaim(files: &LedgerFiles, arg: &InboxArg, turn: Option<&str>, after: Option<Duration>) -> Result<Done, Failure> {
    let inbox = files.inbox(arg)?;
    let named = |inbox: &Inbox| turn.map(|typed| inbox.find(typed)).transpose();
    let mut found = inbox.reclaim(named, after, "dispatch it with another `--key`")?;
    if found.attempts.is_empty() && found.why_none.is_none() {
        found.why_none = Some(format!("no turn is claimed{}", after.map_or("", |_| " for so long")));
    }
    let ring = found.attempts.first().zip(found.event.as_ref()).and_then(|(attempt, event)| {
        let request = found.ledger.request(&attempt.of)?;
        Some(inbox.ring("contextpack-turn", request, attempt.epoch, event))
    });
    Ok(Done { ring, ..found.done(&inbox) })
}

fn set_closed(files: &LedgerFiles, arg: &InboxArg, closed: bool) -> Result<Done, Failure> {
    let inbox = files.inbox(arg)?;
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
