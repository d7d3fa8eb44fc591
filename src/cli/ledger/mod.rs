//! What commands that add to a ledger, a batch or an inbox, have in common.

mod output;

use crate::cli::args::{Global, OutcomeArgs, PublishArgs, WakeArgs};
use crate::cli::card::CardFiles;
use crate::cli::inbox::HandedPack;
use crate::cli::publish::{self, Published, Publisher, UnknownPush, Written};
use crate::cli::wake::{Doorbell, Ring};
use crate::cli::workspace::{configuration, stamp};
use crate::config::{Settings, nearest};
use crate::console::{self, Exit, Failure, Format, printable};
use crate::handoff::cards::{BoxContent, CardError, ContentId, FileKind, ToolError};
use crate::handoff::ledger::{
    Attempt, BatchFolder, ClaimState, Claimable, Decision, InboxFolder, LateReason, Layout, Ledger, LedgerFault,
    LedgerFolder, LedgerPath, NewFile, Outcome, TaskState, TaskStatus, Writer,
};
use crate::store::{StoreError, random_name};
use output::{attempt_output, by_and_at, claim_output, pointer_lines};
pub(crate) use output::{fault_outputs, object, outcome_line, state_output, state_text};
use serde::Serialize;
use serde_json::{Value, json};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::PathBuf;
use std::rc::Rc;
use std::time::{Duration, SystemTime};

/// How often a decision is made again after another process was first. Each time the ledger has come further.
const MAX_TRIES: usize = 1_000;

/// The cards and ledgers of a repo, and the files that a command wrote.
pub(crate) struct LedgerFiles {
    pub(crate) global: Global,
    pub(crate) cards: CardFiles,
    pub(crate) root: PathBuf,
    pub(crate) settings: Settings,
    pub(crate) batches: BatchFolder,
    pub(crate) inboxes: InboxFolder,
    /// The packs of handovers that were read, by the boxes that these made.
    pub(crate) packs: RefCell<BTreeMap<ContentId, Rc<HandedPack>>>,
    written: RefCell<Written>,
    /// Commits what is written, if the command commits.
    publisher: RefCell<Option<Publisher>>,
}

/// What a command did, which is printed once it is published.
pub(crate) struct Done {
    pub(crate) exit: Exit,
    pub(crate) message: String,
    /// What the doorbell says, if there is something to do for others.
    pub(crate) ring: Option<Ring>,
    pub(crate) json: String,
    pub(crate) lines: Vec<String>,
    /// What people read on standard error, unless that is to be quiet.
    pub(crate) notes: Vec<String>,
}

impl Done {
    /// Creates the end of a command that did what it was to do.
    pub(crate) fn new(message: String, output: &impl Serialize, lines: Vec<String>) -> Self {
        let json = console::json_text(output);
        Self { exit: Exit::Done, message, ring: None, json, lines, notes: Vec::new() }
    }

    /// Creates the end of a command that printed everything.
    pub(crate) fn silent(exit: Exit) -> Self {
        let (message, json) = (String::new(), String::new());
        Self { exit, message, ring: None, json, lines: Vec::new(), notes: Vec::new() }
    }

    /// Adds notes for people.
    pub(crate) fn noted(mut self, note: impl IntoIterator<Item = String>) -> Self {
        self.notes.extend(note.into_iter().map(|note| format!("note: {note}")));
        self
    }

    fn print(&self, global: &Global) -> Result<(), Failure> {
        let mut out = console::stdout();
        if global.format == Format::Json && !self.json.is_empty() {
            writeln!(out, "{}", self.json)?;
        } else {
            self.lines.iter().try_for_each(|line| writeln!(out, "{}", printable(line)))?;
        }
        let notes = self.notes.iter().filter(|_| !global.quiet);
        Ok(notes.into_iter().try_for_each(|note| writeln!(console::stderr(), "{}", printable(note)))?)
    }
}

impl LedgerFiles {
    pub(crate) fn open(global: &Global) -> Result<Self, Failure> {
        let (root, configuration) = configuration(global)?;
        let settings = configuration.settings;
        let dir = &settings.handover.dir;
        Ok(Self {
            global: global.clone(),
            cards: CardFiles::new(&root, &settings),
            batches: BatchFolder::new(&root, dir),
            inboxes: InboxFolder::new(&root, dir),
            root,
            settings,
            packs: RefCell::default(),
            written: RefCell::default(),
            publisher: RefCell::default(),
        })
    }

    /// Records a file before it is written.
    pub(crate) fn record(&self, path: String) {
        self.written.borrow_mut().add(&self.root, path);
    }

    /// Records a file that an earlier command wrote, if it is there: perhaps it was not committed.
    pub(crate) fn record_known(&self, path: String) {
        if self.root.join(&path).is_file() {
            self.record(path);
        }
    }

    /// Records a file that was not there before.
    pub(crate) fn record_created(&self, path: String) {
        self.written.borrow_mut().add_created(path, true);
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
        let doorbell =
            wake.map(|wake| Doorbell::prepare(wake, options.push, &self.root, &self.settings)).transpose()?;
        if options.commit || options.push {
            let dir = self.settings.handover.dir.as_str();
            self.publisher.replace(Some(Publisher::open(&self.root, dir, options.push)?));
        } else {
            publish::heal(&self.root);
        }
        let done = loop {
            let done = command().inspect_err(|_| {
                // A command writes everything or nothing. The error is reported, and what cannot be removed is no secret.
                let _ = self.written.take().remove_new(&self.root).map(|()| self.finish());
            })?;
            if self.publish(&done)? == Published::Done {
                break done;
            }
        };
        done.print(&self.global)?;
        self.finish()?;
        let Some((doorbell, ring)) = doorbell.flatten().zip(done.ring) else { return Ok(done.exit) };
        if let Err(why) = self.rung(&doorbell, ring, options.push) {
            if !self.global.quiet {
                let why = self.cards.redacted(&why.message());
                let line = format!("warning: the doorbell was not rung: {why}; what was written stays");
                writeln!(console::stderr(), "{}", printable(&line))?;
            }
            return Ok(done.exit.and(Exit::Outside));
        }
        Ok(done.exit)
    }

    fn publish(&self, done: &Done) -> Result<Published, Failure> {
        let written = self.written.take();
        let published = match &mut *self.publisher.borrow_mut() {
            Some(publisher) if !written.is_empty() => publisher.publish(&written, &done.message, self.global.quiet),
            _ => Ok(Published::Done),
        };
        // A remote's address, which git prints, may hold a token.
        published.map_err(|failure| match failure {
            Failure::Outside(error) => {
                let text = self.cards.redacted(&error.to_string());
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

    /// Prints an error that stops nothing, such as that of a file that cannot be used.
    pub(crate) fn report_error(&self, message: &str) -> Result<(), Failure> {
        Ok(writeln!(console::stderr(), "error: {}", printable(&self.cards.redacted(message)))?)
    }

    /// Prints the files of a ledger that cannot be used, and returns whether there are any.
    pub(crate) fn report_faults<K: Claimable>(
        &self,
        folder: &LedgerFolder<K>,
        name: &str,
        faults: &[LedgerFault],
    ) -> Result<bool, Failure> {
        for fault in faults {
            self.report_error(&format!("`{}`: {}", folder.shown(&name, &fault.path), fault.message))?;
        }
        Ok(!faults.is_empty())
    }

    /// Returns who writes, when, and what makes the file differ from any other.
    pub(crate) fn writer(&self, author: Option<&str>) -> Result<Writer, Failure> {
        let author_id = author.map(|name| self.cards.writer().line(name)).transpose()?;
        if author_id.as_deref().is_some_and(|name| name.trim().is_empty()) {
            return Err(Failure::usage("`--by` is empty"));
        }
        Ok(Writer { author_id, at: stamp()?.generated_at, nonce: random_name() })
    }

    /// Returns what a report says, without secrets, and how many values were changed.
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
        let redacted = self.cards.writer().scrub_value(&mut value)?;
        let text = |key: &str| value.get(key).and_then(|value| value.as_str()).map(str::to_owned);
        let error = text("code").zip(text("message")).map(|(code, message)| ToolError { code, message });
        let status = text("status").unwrap_or_default();
        Ok((Outcome { status, summary: text("summary"), output_box_id: None, error }, redacted))
    }

    /// Returns the id of a box that never changes: of a log, a snapshot is written.
    pub(crate) fn snapshot(&self, content: &BoxContent) -> Result<ContentId, Failure> {
        if content.id.is_none() {
            self.record(self.cards.store.shown(FileKind::Box, &content.snapshot_id()));
        }
        Ok(self.cards.store.write_snapshot(content)?)
    }
}

pub(crate) struct OpenLedger<'f, K: Claimable> {
    pub(crate) files: &'f LedgerFiles,
    pub(crate) folder: &'f LedgerFolder<K>,
    pub(crate) name: String,
    pub(crate) read: Box<dyn Fn() -> Result<Ledger<K>, Failure> + 'f>,
}

/// What became of a claim.
pub(crate) struct Claimed<K: Claimable> {
    pub(crate) ledger: Ledger<K>,
    /// What was to be claimed; `None` if nothing can be.
    pub(crate) state: Option<TaskState<K>>,
    /// Why it cannot be claimed; `None` if it is.
    pub(crate) busy: Option<&'static str>,
    /// The claim of who was first, if that is why.
    other: Option<ClaimState>,
}

impl<K: Claimable> Claimed<K> {
    /// Returns the end of the command; `attempt` are the fields for programs that name the attempt, `accepted` is the line
    /// for people, and `pointers` are what the worker needs, if it is accepted.
    pub(crate) fn done(&self, open: &OpenLedger<'_, K>, attempt: Value, accepted: String, pointers: Value) -> Done {
        let (status, exit) = if self.busy.is_none() { ("accepted", Exit::Done) } else { ("busy", Exit::Outside) };
        let mut lines = vec![match (&self.state, self.busy) {
            (None, _) => format!("busy: no {} can be claimed", K::LAYOUT.noun),
            (Some(_), None) => accepted,
            (Some(state), Some(reason)) => {
                let who = match &self.other {
                    Some(ClaimState { at: None, .. }) => ", by a claim that cannot be read".to_owned(),
                    Some(claim) => by_and_at(claim),
                    None => String::new(),
                };
                format!("busy: {reason}{who}, epoch {}", state.epoch)
            }
        }];
        lines.extend(pointer_lines(&pointers));
        let claim = claim_output(self.other.as_ref());
        let output = object([json!({"status": status, "reason": self.busy}), attempt, claim, pointers]);
        let key = self.state.as_ref().map(|state| state.id.to_string()).unwrap_or_default();
        let message = format!("Claim {} {key} of {}", K::LAYOUT.noun, open.title());
        Done { exit, ..Done::new(message, &output, lines).noted(self.damage_note(&open.name)) }
    }

    /// Returns how the task or turn goes on if it is busy for a file that is damaged.
    fn damage_note(&self, name: &str) -> Option<String> {
        let state = self.state.as_ref().filter(|_| self.busy == Some("claimed"))?;
        let is_damaged = self.other.as_ref().is_some_and(|claim| claim.at.is_none());
        let what = if state.is_blocked { K::LAYOUT.report } else { "claim" };
        let way_on = state.id.way_on(name);
        (state.is_blocked || is_damaged).then(|| format!("the {what} of this epoch is damaged: {way_on}"))
    }
}

/// What became of a report.
pub(crate) struct Reported<K: Claimable> {
    pub(crate) ledger: Ledger<K>,
    pub(crate) attempt: Attempt<K>,
    pub(crate) counts_as: TaskStatus,
    pub(crate) late: Option<LateReason>,
    /// Whether the same was reported before.
    existed: bool,
    notes: Vec<String>,
}

impl<K: Claimable> Reported<K> {
    /// Returns the end of the command; `fields` are more ones for programs.
    pub(crate) fn done(self, open: &OpenLedger<'_, K>, fields: Value) -> Done {
        let again = if self.existed { "; it was already reported, and nothing was written" } else { "" };
        let counts_as = self.counts_as.name();
        let (status, line) = match self.late {
            None => ("counted", format!("counted: {counts_as}{again}")),
            Some(reason) => {
                let (reason, what) = (reason.name(), K::LAYOUT.report);
                ("late", format!("late: {reason}; the {what} is kept and does not count{again}"))
            }
        };
        let existed = self.existed.then_some(true);
        let output = json!({"status": status, "counts_as": counts_as, "reason": self.late, "existed": existed});
        let Layout { acknowledges, noun, .. } = K::LAYOUT;
        let message = format!("{acknowledges} {noun} {} of {}: {counts_as}", self.attempt.of, open.title());
        Done::new(message, &object([output, fields]), vec![line]).noted(self.notes)
    }
}

/// What was given up.
pub(crate) struct Reclaimed<K: Claimable> {
    pub(crate) ledger: Ledger<K>,
    pub(crate) attempts: Vec<Attempt<K>>,
    /// One of the events, as all of them are published at once.
    pub(crate) event: Option<LedgerPath<K>>,
    /// Why nothing is given up, as far as that is known.
    pub(crate) why_none: Option<String>,
}

impl<K: Claimable> Reclaimed<K> {
    /// Returns the end of the command.
    pub(crate) fn done(self, open: &OpenLedger<'_, K>) -> Done {
        let noun = K::LAYOUT.noun;
        let line = |it: &Attempt<K>| format!("reclaimed: {noun} {}, now at epoch {}", it.of, it.epoch);
        let lines = self.attempts.iter().map(line).collect();
        let message = format!("Reclaim {} of {}", console::counted(self.attempts.len(), noun), open.title());
        let output = json!({"reclaimed": self.attempts.iter().map(attempt_output).collect::<Value>()});
        Done::new(message, &output, lines).noted(self.why_none)
    }
}

impl<K: Claimable> OpenLedger<'_, K> {
    pub(crate) fn read(&self) -> Result<Ledger<K>, Failure> {
        (self.read)()
    }

    /// Names the ledger in a sentence.
    pub(crate) fn title(&self) -> String {
        format!("{}{}", K::LAYOUT.title, self.name)
    }

    pub(crate) fn shown(&self, path: &dyn std::fmt::Display) -> String {
        self.folder.shown(&self.name, path)
    }

    /// Creates a file, and returns whether it did.
    pub(crate) fn create(&self, file: &NewFile<K>) -> Result<bool, Failure> {
        let path = self.shown(&file.path);
        self.files.announce(&path, &file.bytes)?;
        let created = self.folder.create(&self.name, file)?;
        if created {
            self.files.record_created(path);
        }
        Ok(created)
    }

    /// Decides on what the ledger is now and creates the file; if another process created it first, decides again.
    pub(crate) fn decided<T>(
        &self,
        decide: impl Fn(&Ledger<K>) -> Result<(T, Option<NewFile<K>>), CardError>,
    ) -> Result<(Ledger<K>, T), Failure> {
        for _ in 0..MAX_TRIES {
            let ledger = self.read()?;
            let (value, file) = decide(&ledger)?;
            let Some(file) = file else { return Ok((ledger, value)) };
            // A file that is named by its content was written by another process as it is.
            if self.create(&file)? || !file.path.is_exclusive() {
                return Ok((ledger, value));
            }
        }
        Err(Failure::Input(format!("`{}` cannot be written: other files are in its place", self.shown(&""))))
    }

    /// Claims what `pick` returns; it is given what tells whether a claim is that of this command, which was killed before.
    pub(crate) fn claim(
        &self,
        author: Option<&str>,
        pick: impl Fn(&Ledger<K>, &dyn Fn(&TaskState<K>) -> bool) -> Result<Option<TaskState<K>>, CardError>,
    ) -> Result<Claimed<K>, Failure> {
        let writer = self.files.writer(author)?;
        let repeats = |state: &TaskState<K>| {
            let path = self.shown(&LedgerPath::Claim(state.attempt()));
            state.status == TaskStatus::Dispatched && self.files.repeats(state.claim.as_ref(), &path, &writer)
        };
        let (ledger, (state, busy)) = self.decided(|ledger| {
            let Some(state) = pick(ledger, &repeats)? else { return Ok(((None, Some("empty")), None)) };
            let (busy, file) = match ledger.claim(&state, &writer) {
                Ok(file) => (None, Some(file)),
                Err("claimed") if repeats(&state) => (None, None),
                Err(reason) => (Some(reason), None),
            };
            Ok(((Some(state), busy), file))
        })?;
        let other = state.as_ref().filter(|_| busy == Some("claimed")).and_then(|it| it.claim.clone());
        Ok(Claimed { ledger, state, busy, other })
    }

    /// Reports how the attempt that `attempt` returns ended; `log` returns where its results are.
    pub(crate) fn report(
        &self,
        status: &str,
        args: &OutcomeArgs,
        attempt: impl Fn(&Ledger<K>) -> Result<Attempt<K>, CardError>,
        log: impl Fn(&Ledger<K>, &K) -> String,
    ) -> Result<Reported<K>, Failure> {
        let writer = self.files.writer(args.author.as_deref())?;
        let (mut outcome, redacted) = self.files.outcome(status, args)?;
        // Everything is checked before the box is written.
        let ledger = self.read()?;
        let checked = attempt(&ledger)?;
        ledger.decide_report(&checked, &outcome, &writer)?;
        let store = &self.files.cards.store;
        let results = match args.output.as_deref() {
            Some(name) => Some(store.existing_box(name)?),
            None => store.read_box(&log(&ledger, &checked.of))?,
        };
        outcome.output_box_id = results.map(|content| self.files.snapshot(&content)).transpose()?;
        let (ledger, (attempt, late, existed)) = self.decided(|ledger| {
            let attempt = attempt(ledger)?;
            let Decision { late, file } = ledger.decide_report(&attempt, &outcome, &writer)?;
            Ok(((attempt, late, file.is_none()), file))
        })?;
        if existed {
            self.files.record_known(self.shown(&LedgerPath::Report(attempt.clone())));
        }
        let redacted =
            (redacted > 0).then(|| format!("secrets were removed from {}", console::counted(redacted, "value")));
        let notes = redacted.into_iter().chain(unknown_word(&outcome.status)).collect();
        let counts_as = TaskStatus::of_word(&outcome.status);
        Ok(Reported { ledger, attempt, counts_as, late, existed, notes })
    }

    /// Gives up attempts that are claimed and not reported: those of what `named` returns, else all; `again` says how what has
    /// ended is done again.
    pub(crate) fn reclaim(
        &self,
        named: impl FnOnce(&Ledger<K>) -> Result<Option<K>, CardError>,
        after: Option<Duration>,
        again: &str,
    ) -> Result<Reclaimed<K>, Failure> {
        let writer = self.files.writer(None)?;
        let now = time(&writer.at)?;
        let ledger = self.read()?;
        let only = named(&ledger)?;
        let found = ledger.reclaim(only.as_ref(), &|at| is_old(at, after, now), &writer)?;
        let event = found.first().map(|(_, file)| file.path.clone());
        let mut attempts = Vec::new();
        for (attempt, file) in found {
            self.create(&file)?;
            attempts.push(attempt);
        }
        let states = ledger.states();
        let named = states.iter().find(|state| only.as_ref() == Some(&state.id));
        let of_interest = states.iter().filter(|state| only.as_ref().is_none_or(|only| *only == state.id));
        let why_none = why_in_future(of_interest, after, now, &self.name).or_else(|| {
            let ended = named.filter(|it| it.status.is_terminal())?;
            Some(format!("{} has ended: {}; to do it again, {again}", ended.id.words(), ended.status.name()))
        });
        Ok(Reclaimed { why_none: why_none.filter(|_| attempts.is_empty()), ledger, attempts, event })
    }
}

/// Says that a claim was made in the future, so that it cannot be given up by its age.
fn why_in_future<'s, K: Claimable>(
    mut states: impl Iterator<Item = &'s TaskState<K>>,
    after: Option<Duration>,
    now: SystemTime,
    ledger: &str,
) -> Option<String> {
    after?;
    states.find_map(|state| {
        let at = state.claim.as_ref()?.at.as_deref().filter(|_| state.status == TaskStatus::Dispatched)?;
        let (words, way_on) = (state.id.words(), state.id.way_on(ledger));
        age(at, now).is_none().then(|| {
            format!("{words} was claimed in the future, at {at}, so that it has no age; without `--after`, {way_on}")
        })
    })
}

/// Says that the word of a report is none of the known ones, and what it counts as.
fn unknown_word(word: &str) -> Option<String> {
    let known = TaskStatus::REPORTED.map(TaskStatus::name);
    let what = match nearest(word, known) {
        _ if known.contains(&word) => return None,
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("the known words are {}", known.join(", ")),
    };
    Some(format!("`{word}` counts as `{}`; {what}", TaskStatus::of_word(word).name()))
}

/// Returns whether a claim that was made at `at` is at least `after` old; `now` is the time of the writer.
///
/// A claim in the future has no age; one whose time cannot be read may be of any.
fn is_old(at: Option<&str>, after: Option<Duration>, now: SystemTime) -> bool {
    match (after, at) {
        (None | Some(Duration::ZERO), _) | (_, None) => true,
        (Some(after), Some(at)) => age(at, now).is_some_and(|age| age >= after),
    }
}

pub(crate) fn time(at: &str) -> Result<SystemTime, Failure> {
    humantime::parse_rfc3339(at).map_err(|error| Failure::Outside(Box::new(error)))
}

/// Returns how long ago a time was; `None` if it is in the future.
pub(crate) fn age(at: &str, now: SystemTime) -> Option<Duration> {
    now.duration_since(humantime::parse_rfc3339(at).ok()?).ok()
}
