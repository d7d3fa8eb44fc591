//! `contextpack inbox`.

mod dispatch;
mod output;

use super::args::{Global, InboxArg, InboxArgs, InboxCommand, TurnAckArgs};
use super::handover::{not_found, party};
use super::input;
use super::ledger::{Done, LedgerFiles, age, is_old, report_redacted, time};
use super::turn::{busy_line, note_unknown_word, reported_line};
use super::wake::Ring;
use super::workspace::{open, settled};
use crate::console::Exit;
use crate::console::Format;
use crate::console::report::print_lines;
use crate::console::{self, printable};
use crate::console::{Failure, PathFailure};
use crate::handoff::batches::{ClaimState, TaskStatus};
use crate::handoff::cards::{CardError, ContentId, LogName};
use crate::handoff::handover::{Party, own_log};
use crate::handoff::inbox::decide::{self, BusyReason, Claimed, NewFile};
use crate::handoff::inbox::{Attempt, Inbox, InboxPath, InboxStore, TurnId, TurnRequest, TurnState};
use crate::model::RepoPath;
use crate::review::read;
use crate::store::Access;
pub(crate) use dispatch::run as dispatch;
pub(crate) use output::{AcknowledgedTurn, ClaimedTurn, DispatchedTurn, InboxDoor, InboxOutput, ReclaimedTurns};
use output::{TurnEpoch, TurnPointers};
use serde_json::json;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io::{ErrorKind, Write as _};
use std::ops::Deref;
use std::path::Path;
use std::rc::Rc;
use std::time::{Duration, SystemTime};

/// How often a decision is made again after another process was first. Each time the inbox has come further.
const MAX_TRIES: usize = 1_000;

/// The inboxes of a repo, with the cards beside them.
struct InboxFiles {
    files: LedgerFiles,
    store: InboxStore,
    /// The packs of handovers that were read, by the boxes that these made.
    packs: RefCell<BTreeMap<ContentId, Rc<HandedPack>>>,
}

/// The pack of a handover.
struct HandedPack {
    /// Its path from the repo's root.
    path: String,
    /// The key of the agent that it is for.
    agent: String,
    /// The inbox of that agent, if the pack names its file.
    inbox: Option<LogName>,
    /// The log that it names for the results.
    output: Option<LogName>,
}

impl HandedPack {
    /// Reads the pack of the handover that made a box, if it is in this folder below `root`.
    ///
    /// # Errors
    /// If the system refuses to read it.
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

impl Deref for InboxFiles {
    type Target = LedgerFiles;

    fn deref(&self) -> &LedgerFiles {
        &self.files
    }
}

impl InboxFiles {
    /// Opens the folder of inboxes of the repo around the current folder.
    fn open(global: &Global) -> Result<Self, Failure> {
        let files = LedgerFiles::open(global)?;
        let store = InboxStore::new(&files.root, &files.settings.handover.dir);
        Ok(Self { files, store, packs: RefCell::default() })
    }

    fn read(&self, agent: &LogName) -> Result<Inbox, Failure> {
        let inbox = self.store.read(agent).map_err(|error| self.failure(error))?;
        for turn in inbox.turns() {
            self.find_pack(&turn.request.context_box_id)?;
        }
        Ok(self.without_foreign(agent, inbox).redacted(&|text| self.cards.redacted(text)))
    }

    /// Finds the inbox that the user names: one that exists, else that of an agent.
    fn find(&self, global: &Global, arg: &InboxArg) -> Result<LogName, Failure> {
        if let Ok(name) = LogName::new(&arg.agent)
            && self.store.exists(&name).map_err(|error| self.failure(error))?
        {
            return Ok(name);
        }
        settled(|| {
            let repository = open(global, &[], Some(Access::Read))?;
            let project = repository.project();
            let (agent, _) = project.agent_of_handover(&arg.agent).map_err(not_found)?;
            let party = party(&project.knowledge().agents.all, agent.agent)?;
            own_log(&party).map_err(|error| self.failure(error))
        })
    }

    /// Creates a file of an inbox, and returns whether it did.
    fn create(&self, agent: &LogName, file: &NewFile) -> Result<bool, CardError> {
        let path = self.store.shown(agent, &file.path.to_string());
        self.files.created(path, &file.bytes, || self.store.create(agent, file))
    }

    /// Decides on what the inbox is now and creates the file; if another process created it first, decides again.
    fn created<T>(
        &self,
        agent: &LogName,
        decide: impl Fn(&Inbox) -> Result<(T, Option<NewFile>), CardError>,
    ) -> Result<T, Failure> {
        for _ in 0..MAX_TRIES {
            let inbox = self.read(agent)?;
            let (value, file) = decide(&inbox).map_err(|error| self.failure(error))?;
            let Some(file) = file else { return Ok(value) };
            let is_ours = self.create(agent, &file).map_err(|error| self.failure(error))?;
            // Requests and events are named by their content: another process wrote the same.
            let is_exclusive = matches!(file.path, InboxPath::Claim(_) | InboxPath::Response(_));
            if is_ours || !is_exclusive {
                return Ok(value);
            }
        }
        let shown = self.store.shown(agent, "");
        Err(Failure::Input(format!("`{shown}` cannot be written: other files are in its place")))
    }

    /// Finds the pack of the handover that made a box, if it is there.
    ///
    /// # Errors
    /// If the system refuses to read it.
    fn find_pack(&self, context: &ContentId) -> Result<Option<Rc<HandedPack>>, Failure> {
        if let Some(known) = self.packs.borrow().get(context) {
            return Ok(Some(Rc::clone(known)));
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

    fn path_of_pack(&self, context: &ContentId) -> Option<String> {
        self.pack_of(context).map(|pack| pack.path.clone())
    }

    /// Takes the requests that name the box of another agent's handover out of an inbox: that agent's pack would be shown.
    fn without_foreign(&self, name: &LogName, inbox: Inbox) -> Inbox {
        inbox.without(&|request| self.pack_of(&request.context_box_id)?.refusal(name, &request.agent))
    }

    fn pointers(&self, request: &TurnRequest) -> TurnPointers {
        TurnPointers::of(request, &|context| self.path_of_pack(context), &|text| self.cards.redacted(text))
    }

    /// Returns what the doorbell says about a turn; `file` is what the others need to have.
    fn ring(&self, event: &'static str, agent: &LogName, request: &TurnRequest, epoch: u32, file: &str) -> Ring {
        Ring {
            event,
            payload: json!({
                "agent": self.cards.redacted(&request.agent),
                "inbox": agent.as_str(),
                "agent_turn_id": TurnId::of(&request.bytes()),
                "turn_epoch": epoch,
                "correlation_id": self.cards.redacted(&request.correlation()),
                "trace_id": request.trace(),
            }),
            file: self.store.shown(agent, file),
        }
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

/// Runs one of the commands about inboxes.
pub(crate) fn run(global: &Global, args: &InboxArgs) -> Result<Exit, Failure> {
    let files = InboxFiles::open(global)?;
    match &args.command {
        InboxCommand::List(inbox) => list(global, &files, inbox),
        InboxCommand::Claim { inbox, turn, author, publish } => {
            let command = || claim(global, &files, inbox, turn.as_deref(), author.as_deref());
            files.published(global, *publish, None, command)
        }
        InboxCommand::Ack(options) => {
            files.published(global, options.publish, Some(&options.wake), || acknowledge(global, &files, options))
        }
        InboxCommand::Reclaim { inbox, turn, after, publish, wake } => {
            let command = || reclaim(global, &files, inbox, turn.as_deref(), *after);
            files.published(global, *publish, Some(wake), command)
        }
        InboxCommand::Close { inbox, publish } => {
            files.published(global, *publish, None, || set_closed(global, &files, inbox, true))
        }
        InboxCommand::Open { inbox, publish } => {
            files.published(global, *publish, None, || set_closed(global, &files, inbox, false))
        }
    }
}

fn list(global: &Global, files: &InboxFiles, arg: &InboxArg) -> Result<Exit, Failure> {
    let name = files.find(global, arg)?;
    let inbox = files.read(&name)?;
    let output =
        InboxOutput::of(name.as_str(), &inbox, &|id| files.path_of_pack(id), &|text| files.cards.redacted(text));
    print_lines(global.format, &output, output.lines())?;
    let has_faults = files.report_faults(&inbox.faults, &|path| files.store.shown(&name, path))?;
    Ok(if has_faults { Exit::Input } else { Exit::Done })
}

fn claim(
    global: &Global,
    files: &InboxFiles,
    arg: &InboxArg,
    turn: Option<&str>,
    author: Option<&str>,
) -> Result<Done, Failure> {
    let name = files.find(global, arg)?;
    let writer = files.writer(author)?;
    let claimed = files.created(&name, |inbox| {
        let repeats = |turn: &TurnState| {
            let path = InboxPath::Claim(Attempt { turn: turn.id.clone(), epoch: turn.epoch }).to_string();
            turn.status == TaskStatus::Dispatched
                && files.repeats(turn.claim.as_ref(), &files.store.shown(&name, &path), &writer)
        };
        let named = match turn {
            Some(typed) => Some(decide::find(inbox, typed)?),
            None => inbox.turns().into_iter().find(repeats).map(|turn| turn.id),
        };
        Ok(match decide::claim(inbox, named.as_ref(), &writer)? {
            Claimed::Accepted(turn, file) => (Some((turn, None)), Some(file)),
            Claimed::Busy(turn, _) if repeats(&turn) => (Some((turn, None)), None),
            Claimed::Busy(turn, reason) => (Some((turn, Some(reason))), None),
            Claimed::Empty => (None, None),
        })
    })?;
    let busy = claimed.as_ref().map_or(Some("empty"), |(_, reason)| reason.map(BusyReason::name));
    let turn = claimed.map(|(turn, _)| turn);
    // Who was first, if this command was not.
    let other = turn.as_ref().filter(|_| busy == Some(BusyReason::Claimed.name())).and_then(|turn| turn.claim.clone());
    let redacted = |text: String| files.cards.redacted(&text);
    let other = other.map(|claim| ClaimState { author_id: claim.author_id.map(redacted), ..claim });
    let is_damaged = other.as_ref().is_some_and(|claim| claim.at.is_none()) && !global.quiet;
    let damaged = turn.as_ref().filter(|_| is_damaged).map(|turn| turn.id.clone());
    let line = match (&turn, busy) {
        (Some(turn), None) => format!("accepted: turn {}, epoch {}", turn.id, turn.epoch),
        (Some(turn), Some(reason)) => busy_line(reason, other.as_ref(), turn.epoch),
        (None, _) => "busy: no turn can be claimed".to_owned(),
    };
    let output = ClaimedTurn {
        status: if busy.is_none() { "accepted" } else { "busy" },
        agent_turn_id: turn.as_ref().map(|turn| turn.id.clone()),
        turn_epoch: turn.as_ref().map(|turn| turn.epoch),
        pointers: turn.filter(|_| busy.is_none()).map(|turn| files.pointers(&turn.request)),
        reason: busy,
        claimed_by: other.as_ref().and_then(|claim| claim.author_id.clone()),
        claimed_at: other.and_then(|claim| claim.at),
    };
    let mut lines = vec![line];
    if let Some(pointers) = &output.pointers {
        lines.extend(pointers.lines());
    }
    let exit = if busy.is_none() { Exit::Done } else { Exit::Outside };
    let turn = output.agent_turn_id.as_ref().map(ToString::to_string).unwrap_or_default();
    let message = format!("Claim turn {turn} of {}", name.as_str());
    let format = global.format;
    let print = Box::new(move || {
        if let Some(turn) = damaged {
            let help = format!("`contextpack inbox reclaim {} {turn}` begins the next epoch", name.as_str());
            writeln!(console::stderr(), "note: the claim of this epoch is damaged: {help}")?;
        }
        Ok(print_lines(format, &output, lines)?)
    });
    Ok(Done { exit, message, ring: None, print })
}

fn acknowledge(global: &Global, files: &InboxFiles, args: &TurnAckArgs) -> Result<Done, Failure> {
    let name = files.find(global, &args.inbox)?;
    let writer = files.writer(args.outcome.author.as_deref())?;
    let (mut outcome, redacted) = files.outcome(&args.status, &args.outcome)?;
    // Everything is checked before the box is written.
    let inbox = files.read(&name)?;
    let turn = decide::find(&inbox, &args.turn).map_err(|error| files.failure(error))?;
    decide::acknowledge(&inbox, &turn, args.epoch, &outcome, &writer).map_err(|error| files.failure(error))?;
    let missing = || Failure::Input(format!("turn not found: {turn}"));
    let request = inbox.request(&turn).ok_or_else(missing)?;
    outcome.output_box_id = files.output_box(args.outcome.output.as_deref(), &request.output_box)?;
    let (response, late, existed) = files.created(&name, |inbox| {
        let (response, reported) = decide::acknowledge(inbox, &turn, args.epoch, &outcome, &writer)?;
        let (late, existed, file) = reported.parts();
        Ok(((response, late, existed), file))
    })?;
    let file = InboxPath::Response(Attempt { turn: turn.clone(), epoch: response.turn_epoch }).to_string();
    if existed {
        files.record_known(files.store.shown(&name, &file));
    }
    report_redacted(global, redacted)?;
    let counts_as = TaskStatus::of_word(&outcome.status);
    let line = reported_line("response", counts_as, late, existed);
    let correlation_id = files.cards.redacted(&response.correlation_id);
    let ring = late.is_none().then(|| {
        let mut ring = files.ring("contextpack-response", &name, request, response.turn_epoch, &file);
        ring.payload["status"] = counts_as.name().into();
        if let Some(from) = &request.from_agent {
            ring.payload["from_agent"] = files.cards.redacted(from).into();
        }
        ring
    });
    let message = format!("Acknowledge turn {turn} of {}: {}", name.as_str(), counts_as.name());
    let output = AcknowledgedTurn {
        status: if late.is_none() { "counted" } else { "late" },
        counts_as,
        agent_turn_id: turn,
        turn_epoch: response.turn_epoch,
        correlation_id,
        reason: late,
        existed,
    };
    let options = global.clone();
    let print = Box::new(move || {
        note_unknown_word(&options, &outcome.status)?;
        Ok(print_lines(options.format, &output, [line])?)
    });
    Ok(Done { exit: Exit::Done, message, ring, print })
}

fn reclaim(
    global: &Global,
    files: &InboxFiles,
    arg: &InboxArg,
    turn: Option<&str>,
    after: Option<Duration>,
) -> Result<Done, Failure> {
    let name = files.find(global, arg)?;
    let writer = files.writer(None)?;
    let now = time(&writer.at)?;
    let failed = |error| files.failure(error);
    let inbox = files.read(&name)?;
    let named = turn.map(|typed| decide::find(&inbox, typed)).transpose().map_err(failed)?;
    let found = decide::reclaim(&inbox, named.as_ref(), &|at| is_old(at, after, now), &writer).map_err(failed)?;
    // All of them are published at once, so that one is as good as any other.
    let ring = found.first().and_then(|(attempt, file)| {
        Some(files.ring(
            "contextpack-turn",
            &name,
            inbox.request(&attempt.turn)?,
            attempt.epoch,
            &file.path.to_string(),
        ))
    });
    let mut reclaimed = Vec::new();
    for (attempt, file) in found {
        files.create(&name, &file).map_err(failed)?;
        reclaimed.push(TurnEpoch { agent_turn_id: attempt.turn, turn_epoch: attempt.epoch });
    }
    if reclaimed.is_empty() && !global.quiet {
        let ended = named.as_ref().and_then(|id| inbox.turns().into_iter().find(|turn| turn.id == *id));
        let why = match ended.filter(|turn| turn.status.is_terminal()) {
            Some(turn) => format!(
                "the turn {} has ended: {}; to do it again, dispatch it with another `--key`",
                turn.id,
                turn.status.name()
            ),
            None => match ahead(&inbox, named.as_ref(), now).filter(|_| after.is_some()) {
                Some((turn, at)) => format!(
                    "the turn {turn} was claimed in the future, at {at}, so that it has no age; without `--after`, `contextpack inbox reclaim {} {turn}` begins the next epoch",
                    name.as_str()
                ),
                None => format!("no turn is claimed{}", after.map_or("", |_| " for so long")),
            },
        };
        writeln!(console::stderr(), "note: {}", printable(&why))?;
    }
    let lines: Vec<String> = reclaimed
        .iter()
        .map(|turn| format!("reclaimed: turn {}, now at epoch {}", turn.agent_turn_id, turn.turn_epoch))
        .collect();
    let message = format!("Reclaim {} of {}", console::counted(reclaimed.len(), "turn"), name.as_str());
    let (format, output) = (global.format, ReclaimedTurns { reclaimed });
    let print = Box::new(move || Ok(print_lines(format, &output, lines)?));
    Ok(Done { exit: Exit::Done, message, ring, print })
}

/// Returns a turn, `named` if given, that was claimed after `now`, and when.
fn ahead(inbox: &Inbox, named: Option<&TurnId>, now: SystemTime) -> Option<(TurnId, String)> {
    inbox.turns().into_iter().find_map(|turn| {
        let at = turn.claim.filter(|_| turn.status == TaskStatus::Dispatched)?.at?;
        (named.is_none_or(|named| *named == turn.id) && age(&at, now).is_none()).then_some((turn.id, at))
    })
}

/// Closes or opens an inbox.
fn set_closed(global: &Global, files: &InboxFiles, arg: &InboxArg, closed: bool) -> Result<Done, Failure> {
    let name = files.find(global, arg)?;
    let changed = files.created(&name, |inbox| {
        let file = if closed { decide::close(inbox) } else { decide::open(inbox) };
        Ok((file.is_some(), file))
    })?;
    let (word, verb) = if closed { ("closed", "Close") } else { ("open", "Open") };
    if !changed && !global.quiet {
        let line = format!("note: the inbox of {} is {word} already", name.as_str());
        writeln!(console::stderr(), "{}", printable(&line))?;
    }
    let line = format!("{word}: {}", name.as_str());
    let message = format!("{verb} the inbox of {}", name.as_str());
    let (format, output): (Format, _) = (global.format, InboxDoor { inbox: name.as_str().to_owned(), closed, changed });
    let print = Box::new(move || Ok(print_lines(format, &output, [line])?));
    Ok(Done { exit: Exit::Done, message, ring: None, print })
}
