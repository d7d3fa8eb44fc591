//! What commands that add to a ledger, a batch or an inbox, have in common.

mod open;

pub(crate) use open::{OpenLedger, age, attempt_output, fault_outputs, outcome_line, state_output, state_text, time};

use crate::cli::args::Global;
use crate::cli::handoff::args::{OutcomeArgs, PublishArgs, WakeArgs};
use crate::cli::handoff::publish::{self, Published, Publisher, UnknownPush};
use crate::cli::handoff::wake::{Doorbell, Ring};
use crate::cli::input;
use crate::config::Settings;
use crate::console::report::{print_error, print_lines};
use crate::console::{self, Exit, Failure, Format, PathFailure, object, printable, stamp};
use crate::engine::process_environment;
use crate::handoff::cards::{CardError, CardStore, ContentId, LogName, ToolError, WrittenFiles};
use crate::handoff::handover::{Party, TaskLog, own_log};
use crate::handoff::ledger::{
    BATCHES, ClaimState, INBOXES, Ledger, LedgerFolder, Outcome, TurnRequest, WorkId, Writer,
};
use crate::model::RepoPath;
use crate::redact::{Environment, Redactor};
use crate::review::{read, verify};
use crate::store::{StoreError, random_name};
use serde::Serialize;
use serde_json::{Value, json};
use std::cell::{OnceCell, RefCell};
use std::collections::BTreeMap;
use std::io::{ErrorKind, IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::Duration;

/// The files below the folder of cards, and what removes secrets from what is written there and printed of it.
pub(crate) struct HandoffFiles {
    pub(crate) global: Global,
    pub(crate) root: PathBuf,
    pub(crate) settings: Settings,
    pub(crate) redactor: Redactor,
    pub(crate) environment: Environment,
    pub(crate) store: CardStore,
    pub(crate) batches: LedgerFolder,
    pub(crate) inboxes: LedgerFolder,
    /// The packs of handovers that were read, by the boxes that these made.
    pub(crate) packs: RefCell<BTreeMap<ContentId, Rc<HandedPack>>>,
    pub(crate) written: RefCell<WrittenFiles>,
    /// The logs of tasks of batches, once they were asked for.
    task_logs: OnceCell<Vec<TaskLog>>,
    publisher: RefCell<Option<Publisher>>,
}

/// What a command prints that can follow a ledger.
pub(crate) struct Shown {
    pub(crate) lines: Vec<String>,
    pub(crate) output: Value,
    pub(crate) faults: Vec<String>,
    /// Whether something of it can change.
    pub(crate) is_open: bool,
}

pub(crate) struct Done {
    pub(crate) exit: Exit,
    pub(crate) message: String,
    /// What the doorbell says, if there is something to do for others.
    pub(crate) ring: Option<Ring>,
    pub(crate) output: Value,
    pub(crate) lines: Vec<String>,
    /// What is wrong, and did not keep the command from answering.
    pub(crate) errors: Vec<String>,
    pub(crate) notes: Vec<String>,
}

impl Done {
    pub(crate) fn new(message: String, output: &impl Serialize, lines: Vec<String>) -> Self {
        let output = json!(output);
        Self { exit: Exit::Done, message, ring: None, output, lines, errors: Vec::new(), notes: Vec::new() }
    }

    pub(crate) fn noted(mut self, note: impl IntoIterator<Item = String>) -> Self {
        self.notes.extend(note.into_iter().map(|note| format!("note: {note}")));
        self
    }

    pub(crate) fn print(&self, global: &Global) -> Result<Exit, Failure> {
        global.print(&self.output, self.lines.clone())?;
        self.errors.iter().try_for_each(|error| print_error(error, None))?;
        self.notes.iter().try_for_each(|note| global.note(note))?;
        Ok(self.exit)
    }
}

impl HandoffFiles {
    pub(crate) fn open(global: &Global) -> Result<Self, Failure> {
        let (root, configuration) = global.workspace().configuration()?;
        let settings = configuration.settings;
        let dir = &settings.handover.dir;
        let [batches, inboxes] = [&BATCHES, &INBOXES].map(|kind| LedgerFolder::new(kind, &root, dir));
        Ok(Self {
            global: global.clone(),
            redactor: Redactor::new(&settings.redaction),
            environment: process_environment(),
            store: CardStore::new(&root, dir.clone()),
            batches,
            inboxes,
            packs: RefCell::default(),
            written: RefCell::default(),
            task_logs: OnceCell::default(),
            publisher: RefCell::default(),
            root,
            settings,
        })
    }

    pub(crate) fn record(&self, path: String) {
        self.written.borrow_mut().add(&self.root, path);
    }

    /// Records a file that an earlier command wrote, if it is there: perhaps it was not committed.
    pub(crate) fn record_known(&self, path: String) {
        if self.root.join(&path).is_file() {
            self.record(path);
        }
    }

    pub(crate) fn record_created(&self, path: String) {
        self.written.borrow_mut().files.entry(path).or_insert(true);
    }

    /// Says, before a file is created, that it is to be removed again if the command is killed.
    pub(crate) fn announce(&self, path: &str, bytes: &[u8]) -> Result<(), StoreError> {
        self.publisher.borrow_mut().as_mut().map_or(Ok(()), |publisher| publisher.announce(path, bytes))
    }

    /// Returns whether the claim at `path` is that of a command which was killed before it could say so, and which is repeated now.
    fn repeats(&self, claim: Option<&ClaimState>, path: &str, writer: &Writer) -> bool {
        let is_own = claim.is_some_and(|claim| claim.at.is_some() && claim.author_id == writer.author_id);
        is_own && self.publisher.borrow().as_ref().is_some_and(|publisher| publisher.has_left(path))
    }

    /// Runs a command that writes, publishes what it wrote, prints what it did, and rings the doorbell.
    ///
    /// A doorbell that fails takes nothing back: what was written is the truth.
    pub(crate) fn published(
        &self,
        options: PublishArgs,
        wake: Option<&WakeArgs>,
        command: impl Fn() -> Result<Done, Failure>,
    ) -> Result<Exit, Failure> {
        let doorbell = wake.map(|wake| Doorbell::prepare(wake, &self.root, &self.settings)).transpose()?;
        let done = self.performed(options, command)?;
        done.print(&self.global)?;
        self.finish()?;
        let Some((doorbell, ring)) = doorbell.flatten().zip(done.ring) else { return Ok(done.exit) };
        if let Err(why) = self.rung(&doorbell, ring, options.push) {
            let why = self.redacted(&why.message());
            self.global.note(&format!("warning: the doorbell was not rung: {why}; what was written stays"))?;
            return Ok(done.exit.and(Exit::Outside));
        }
        Ok(done.exit)
    }

    /// Runs a command that writes, and publishes what it wrote. What it wrote is removed again if it fails.
    pub(crate) fn performed(
        &self,
        options: PublishArgs,
        command: impl Fn() -> Result<Done, Failure>,
    ) -> Result<Done, Failure> {
        if options.commit || options.push {
            let dir = self.settings.handover.dir.as_str();
            self.publisher.replace(Some(Publisher::open(&self.root, dir, options.push)?));
        } else {
            publish::heal(&self.root);
        }
        loop {
            let done = command().inspect_err(|_| {
                // A command writes everything or nothing. The error is reported, and what cannot be removed is no secret.
                let _ = self.written.take().remove_new(&self.root).map(|()| self.finish());
            })?;
            if self.publish(&done)? == Published::Done {
                return Ok(done);
            }
        }
    }

    fn publish(&self, done: &Done) -> Result<Published, Failure> {
        let written = self.written.take();
        let published = match &mut *self.publisher.borrow_mut() {
            Some(publisher) if !written.files.is_empty() => {
                publisher.publish(&written, &done.message, self.global.quiet)
            }
            _ => Ok(Published::Done),
        };
        // A remote's address, which git prints, may hold a token.
        published.map_err(|failure| match failure {
            Failure::Outside(error) => {
                let text = self.redacted(&error.to_string());
                Failure::Outside(if error.is::<UnknownPush>() { Box::new(UnknownPush(text)) } else { text.into() })
            }
            failure => failure,
        })
    }

    fn finish(&self) -> Result<(), Failure> {
        self.publisher.borrow_mut().as_mut().map_or(Ok(()), Publisher::finish)
    }

    /// Rings, after a push only if the remote has what the others need.
    fn rung(&self, doorbell: &Doorbell, mut ring: Ring, pushed: bool) -> Result<(), Failure> {
        if let Some(publisher) = self.publisher.borrow().as_ref().filter(|_| pushed) {
            ring.payload["ref"] = publisher.branch_with(&ring.file)?.into();
        }
        doorbell.ring(&ring)
    }

    pub(crate) fn task_logs(&self) -> Result<&[TaskLog], CardError> {
        if self.task_logs.get().is_none() {
            let _ = self.task_logs.set(self.batches.task_logs()?);
        }
        Ok(self.task_logs.get().map_or(&[], Vec::as_slice))
    }

    /// Prints errors that stop nothing, such as those of files that cannot be used.
    pub(crate) fn report_errors(&self, messages: &[String]) -> Result<Exit, Failure> {
        for message in messages {
            writeln!(console::stderr(), "error: {}", printable(&self.redacted(message)))?;
        }
        Ok(if messages.is_empty() { Exit::Done } else { Exit::Input })
    }

    /// Prints what `read` returns; with `watch` also what changes of it, at this interval, until nothing is open.
    pub(crate) fn follow(
        &self,
        watch: Option<Duration>,
        read: impl Fn() -> Result<Shown, Failure>,
    ) -> Result<Exit, Failure> {
        let format = self.global.format;
        let mut shown: Option<Vec<String>> = None;
        let mut exit = Exit::Done;
        loop {
            let Shown { lines, output, faults, is_open } = read()?;
            if shown.as_ref() != Some(&lines) {
                let news = match &shown {
                    // On a terminal it stays in its place.
                    _ if watch.is_some() && std::io::stdout().is_terminal() && format == Format::Text => {
                        write!(console::stdout(), "\u{1b}[H\u{1b}[2J")?;
                        lines.clone()
                    }
                    Some(before) => {
                        let is_new = |(at, line): &(usize, &String)| *at == 0 || before.get(*at) != Some(*line);
                        lines.iter().enumerate().filter(is_new).map(|(_, line)| line.clone()).collect()
                    }
                    None => lines.clone(),
                };
                print_lines(format, &output, news)?;
                exit = self.report_errors(&faults)?;
                shown = Some(lines);
            }
            match watch.filter(|_| is_open) {
                Some(interval) => std::thread::sleep(interval),
                None => return Ok(exit),
            }
        }
    }

    /// Returns who writes, when, and what makes the file differ from any other.
    pub(crate) fn writer(&self, author: Option<&str>) -> Result<Writer, Failure> {
        let author_id = author.map(|name| self.card_writer().line(name)).transpose()?;
        if author_id.as_deref().is_some_and(|name| name.trim().is_empty()) {
            return Err(Failure::usage("`--by` is empty"));
        }
        Ok(Writer { author_id, at: stamp()?.generated_at, nonce: random_name() })
    }

    fn outcome(&self, status: &str, args: &OutcomeArgs) -> Result<(Outcome, usize), Failure> {
        if status.trim().is_empty() {
            return Err(Failure::usage("`--status` is empty"));
        }
        if status == "success" && args.error_code.is_some() {
            return Err(Failure::usage("`--error-code` is given, and the status is `success`"));
        }
        let mut value = json!({
            "status": status, "summary": args.summary, "code": args.error_code, "message": args.error_message,
        });
        let redacted = self.card_writer().scrub_value(&mut value)?;
        let text = |key: &str| value.get(key).and_then(|value| value.as_str()).map(str::to_owned);
        let error = text("code").zip(text("message")).map(|(code, message)| ToolError { code, message });
        let status = text("status").unwrap_or_default();
        Ok((Outcome { status, summary: text("summary"), output_box_id: None, error }, redacted))
    }
}

pub(crate) struct HandedPack {
    pub(crate) path: String,
    pub(crate) agent: String,
    /// The key of the agent that hands over.
    pub(crate) from: Option<String>,
    pub(crate) inbox: Option<LogName>,
    /// The work item or issue that it is about, if it is about one.
    pub(crate) root: Option<String>,
    pub(crate) output: Option<LogName>,
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
    pub(crate) fn of(bytes: &[u8], path: String, context: &ContentId) -> Option<Self> {
        let pack = read(bytes).ok()?;
        let handover = pack.handover.filter(|it| it.context_box_id == context.to_string())?;
        let agent = pack.agent?;
        let soul = pack.sections.iter().find(|section| section.id == "agent");
        let file = soul.and_then(|section| RepoPath::new(section.source.path.as_deref()?).ok());
        let party = file.map(|file| Party { key: agent.key.clone(), stem: file.stem().to_owned() });
        let inbox = party.and_then(|party| own_log(&party).ok());
        let output = LogName::new(&handover.output_box).ok();
        let root = pack.root.name().filter(|root| **root != agent.key).cloned();
        Some(Self { path, agent: agent.key, from: handover.from, inbox, root, output })
    }

    pub(crate) fn refusal(&self, inbox: &str, agent: &str) -> Option<String> {
        let is_for_agent = self.agent == agent && self.inbox.as_ref().is_none_or(|own| own.as_str() == inbox);
        (!is_for_agent).then(|| format!("its box was handed to {}, so that it is no turn of {agent}", self.agent))
    }
}

impl HandoffFiles {
    pub(crate) fn find_pack(&self, context: &ContentId) -> Result<Option<Rc<HandedPack>>, Failure> {
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

    /// Says what is wrong with the pack of a task or turn; of a turn, whose box may have none, if a handover made the box.
    pub(crate) fn pack_fault(&self, ledger: &Ledger, id: &WorkId) -> Option<String> {
        let context = ledger.context(id)?;
        let path = match ledger.forked(id) {
            Some(forked) => forked.pack.clone(),
            None => format!("{}/{}.json", self.settings.handover.packs()?, context.short()),
        };
        // The cards that a handover gives come last, and say for whom it is.
        let last = || self.store.read_box(&context.to_string()).ok()??.card_ids.pop();
        let handover = || self.store.card(&last()?).ok()?.ok()?.metadata.remove("handover");
        let is_handed = || handover().is_some_and(|it| ledger.request(id).is_some_and(|turn| it["to"] == *turn.agent));
        let what = match input::listed_file(&self.root.join(&path)) {
            Ok(bytes) if verify(&bytes).is_valid() && HandedPack::of(&bytes, path.clone(), context).is_some() => None,
            Ok(_) => Some("was changed"),
            Err(_) => (ledger.forked(id).is_some() || is_handed()).then_some("is not there"),
        }?;
        Some(format!("the pack `{}` {what} (help: restore it from git)", self.redacted(&path)))
    }

    /// Returns what the worker on a task or turn reads, and where it writes, without the secrets of files that were made by
    /// hand.
    pub(crate) fn pointers(&self, ledger: &Ledger, id: &WorkId) -> Value {
        let redacted = |text: &str| self.redacted(text);
        let output_box = redacted(&ledger.output_box(id));
        object([match ledger.request(id) {
            Some(request) => json!({
                "correlation_id": redacted(&request.correlation()),
                "trace_id": request.trace(),
                "context_box_id": request.context_box_id,
                "output_box": output_box,
                "root": request.root.as_deref().map(redacted),
                "from_agent": request.from_agent.as_deref().map(redacted),
                "pack": self.pack_of(&request.context_box_id).map(|pack| pack.path.clone()),
            }),
            None => json!({
                "agent": ledger.forked(id).map(|forked| &forked.agent),
                "pack": ledger.forked(id).map(|forked| redacted(&forked.pack)),
                "context_box_id": ledger.forked(id).map(|forked| &forked.context_box_id),
                "output_box": output_box,
                "root": ledger.planned(id).and_then(|task| task.root.as_ref()),
            }),
        }])
    }
}

/// Returns the fault of a request, at `path` in the folder of cards `root`, that names the box of another agent's handover.
pub(crate) fn foreign_box(root: &Path, path: &str, bytes: &[u8]) -> Option<String> {
    let (inbox, _) = path.strip_prefix("inbox/")?.split_once("/requests/")?;
    let request: TurnRequest = serde_json::from_slice(bytes).ok()?;
    // A pack that cannot be read is reported by itself.
    let pack = HandedPack::read(root, "packs", &request.context_box_id).ok()??;
    pack.refusal(inbox, &request.agent)
}
