//! `contextpack inbox`.

mod dispatch;

use super::args::{Global, InboxArg, InboxCommand, TurnAckArgs, TurnArg};
use super::handover::party;
use super::ledger::{Done, LedgerFiles, OpenLedger, fault_outputs, object, state_output, state_text};
use super::workspace::{open, settled};
use crate::console::report::print_lines;
use crate::console::{Exit, Failure};
use crate::handoff::cards::LogName;
use crate::handoff::handover::own_log;
use crate::handoff::ledger::{Ledger, Status};
use crate::store::Access;
pub(crate) use dispatch::run as dispatch;
use serde_json::json;

impl LedgerFiles {
    fn open_inbox(&self, agent: &LogName) -> OpenLedger<'_> {
        OpenLedger { files: self, folder: &self.inboxes, name: agent.as_str().to_owned() }
    }

    /// Opens the inbox that the user names: one that exists, else that of an agent.
    fn inbox(&self, arg: &InboxArg) -> Result<OpenLedger<'_>, Failure> {
        if let Ok(name) = LogName::new(&arg.agent)
            && self.inboxes.has_inbox(&name)?
        {
            return Ok(self.open_inbox(&name));
        }
        let name = settled(|| {
            let repository = open(&self.global, &[], Some(Access::Read))?;
            Ok(own_log(&party(&repository.project(), &arg.agent)?)?)
        });
        Ok(self.open_inbox(&name?))
    }
}

pub(crate) fn run(global: &Global, command: &InboxCommand) -> Result<Exit, Failure> {
    let files = LedgerFiles::open(global)?;
    files.cards.settle(run_on(&files, command))
}

fn run_on(files: &LedgerFiles, command: &InboxCommand) -> Result<Exit, Failure> {
    match command {
        InboxCommand::List(inbox) => list(files, inbox),
        InboxCommand::Claim { turn, author, publish } => {
            files.published(*publish, None, || claim(files, turn, author.as_deref()))
        }
        InboxCommand::Ack(options) => {
            files.published(options.publish, Some(&options.wake), || acknowledge(files, options))
        }
        InboxCommand::Reclaim { turn, reclaim } => files.published(reclaim.publish, Some(&reclaim.wake), || {
            let named = |inbox: &Ledger| turn.turn.as_deref().map(|typed| inbox.find_turn(typed)).transpose();
            files.inbox(&turn.inbox)?.reclaim(named, reclaim.after)
        }),
        InboxCommand::Close { inbox, publish } => files.published(*publish, None, || set_closed(files, inbox, true)),
        InboxCommand::Open { inbox, publish } => files.published(*publish, None, || set_closed(files, inbox, false)),
    }
}

fn list(files: &LedgerFiles, arg: &InboxArg) -> Result<Exit, Failure> {
    let open = files.inbox(arg)?;
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
    print_lines(files.global.format, &output, lines)?;
    open.report_faults(&inbox)
}

fn claim(files: &LedgerFiles, arg: &TurnArg, author: Option<&str>) -> Result<Done, Failure> {
    files.inbox(&arg.inbox)?.claim(author, |inbox, repeats| match &arg.turn {
        Some(typed) => inbox.state_of(&inbox.find_turn(typed)?).map(Some),
        None => {
            let turns = inbox.states();
            let own = turns.iter().find(|turn| repeats(turn));
            Ok(own.or_else(|| turns.iter().find(|turn| turn.status == Status::Pending)).cloned())
        }
    })
}

fn acknowledge(files: &LedgerFiles, args: &TurnAckArgs) -> Result<Done, Failure> {
    let attempt = |inbox: &Ledger| inbox.attempt(inbox.find_turn(&args.turn)?, args.epoch);
    files.inbox(&args.inbox)?.report(&args.status, &args.outcome, attempt)
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
