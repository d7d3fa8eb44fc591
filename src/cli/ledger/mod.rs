//! What commands that add to a ledger, a batch or an inbox, have in common.

mod open;
mod output;
mod packs;

use crate::cli::args::{Global, OutcomeArgs, PublishArgs, WakeArgs};
use crate::cli::card::CardFiles;
use crate::cli::publish::{self, Published, Publisher, UnknownPush, Written};
use crate::cli::wake::{Doorbell, Ring};
use crate::cli::workspace::{configuration, stamp};
use crate::config::Settings;
use crate::console::{self, Exit, Failure, Format, printable};
use crate::handoff::cards::{BoxContent, ContentId, FileKind, ToolError};
use crate::handoff::ledger::{BATCHES, ClaimState, INBOXES, LedgerFolder, Outcome, Writer};
use crate::store::{StoreError, random_name};
pub(crate) use open::{OpenLedger, age, time};
pub(crate) use output::{attempt_output, fault_outputs, object, outcome_line, state_output, state_text};
use packs::HandedPack;
pub(crate) use packs::foreign_box;
use serde::Serialize;
use serde_json::json;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::PathBuf;
use std::rc::Rc;

/// The cards and ledgers of a repo, and the files that a command wrote.
pub(crate) struct LedgerFiles {
    pub(crate) global: Global,
    pub(crate) cards: CardFiles,
    pub(crate) root: PathBuf,
    pub(crate) settings: Settings,
    pub(crate) batches: LedgerFolder,
    pub(crate) inboxes: LedgerFolder,
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
            batches: LedgerFolder::new(&BATCHES, &root, dir),
            inboxes: LedgerFolder::new(&INBOXES, &root, dir),
            root,
            settings,
            packs: RefCell::default(),
            written: RefCell::default(),
            publisher: RefCell::default(),
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
