//! What commands that add to a ledger, a batch or an inbox, have in common.

use super::args::{Global, OutcomeArgs, PublishArgs, WakeArgs};
use super::card::CardFiles;
use super::publish::{self, Published, Publisher, UnknownPush, Written};
use super::wake::{Doorbell, Ring};
use super::workspace::{configuration, stamp};
use crate::config::Settings;
use crate::console::Exit;
use crate::console::Failure;
use crate::console::{self, printable};
use crate::handoff::batches::decide::{Outcome, Writer};
use crate::handoff::batches::{ClaimState, LedgerFault};
use crate::handoff::cards::{BoxContent, CardError, ContentId, FileKind, ToolError};
use crate::store::{StoreError, random_name};
use serde_json::json;
use std::cell::RefCell;
use std::io::Write as _;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

/// The cards and ledgers of a repo, and the files that a command wrote.
pub(crate) struct LedgerFiles {
    pub(crate) cards: CardFiles,
    pub(crate) root: PathBuf,
    pub(crate) settings: Settings,
    written: RefCell<Written>,
    /// Commits what is written, if the command commits.
    publisher: RefCell<Option<Publisher>>,
}

/// What a command did, which is printed once it is published.
pub(crate) struct Done {
    pub(crate) exit: Exit,
    /// The message of the commit.
    pub(crate) message: String,
    /// What the doorbell says, if there is something to do for others.
    pub(crate) ring: Option<Ring>,
    pub(crate) print: Box<dyn FnOnce() -> Result<(), Failure>>,
}

impl LedgerFiles {
    /// Opens the folder of cards of the repo around the current folder.
    pub(crate) fn open(global: &Global) -> Result<Self, Failure> {
        let (root, configuration) = configuration(global)?;
        let cards = CardFiles::open(global)?;
        Ok(Self {
            cards,
            root,
            settings: configuration.settings,
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
    ///
    /// # Errors
    /// If that cannot be written down.
    pub(crate) fn announce(&self, path: &str, bytes: &[u8]) -> Result<(), StoreError> {
        self.publisher.borrow_mut().as_mut().map_or(Ok(()), |publisher| publisher.announce(path, bytes))
    }

    /// Creates a file of a ledger by `create`, and returns whether it did.
    ///
    /// # Errors
    /// If the system refuses.
    pub(crate) fn created(
        &self,
        path: String,
        bytes: &[u8],
        create: impl FnOnce() -> Result<bool, CardError>,
    ) -> Result<bool, CardError> {
        self.announce(&path, bytes)?;
        let created = create()?;
        if created {
            self.record_created(path);
        }
        Ok(created)
    }

    /// Returns whether the claim at `path` is that of a command which was killed before it could say so, and which is repeated now.
    pub(crate) fn repeats(&self, claim: Option<&ClaimState>, path: &str, writer: &Writer) -> bool {
        let is_own = claim.is_some_and(|claim| claim.at.is_some() && claim.author_id == writer.author_id);
        is_own && self.publisher.borrow().as_ref().is_some_and(|publisher| publisher.has_left(path))
    }

    /// Converts an error to a failure of the command.
    pub(crate) fn failure(&self, error: CardError) -> Failure {
        self.cards.failure(error)
    }

    /// Runs a command that writes, publishes what it wrote, prints what it did, and rings the doorbell.
    ///
    /// A doorbell that fails takes nothing back: what was written is the truth.
    pub(crate) fn published(
        &self,
        global: &Global,
        options: PublishArgs,
        wake: Option<&WakeArgs>,
        command: impl Fn() -> Result<Done, Failure>,
    ) -> Result<Exit, Failure> {
        let doorbell =
            wake.map(|wake| Doorbell::prepare(wake, options.push, &self.root, &self.settings)).transpose()?;
        let publishes = options.commit || options.push;
        if publishes {
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
            let written = self.written.take();
            let published = match &mut *self.publisher.borrow_mut() {
                Some(publisher) if !written.is_empty() => publisher.publish(&written, &done.message, global.quiet),
                _ => Ok(Published::Done),
            };
            // A remote's address, which git prints, may hold a token.
            let published = published.map_err(|failure| match failure {
                Failure::Outside(error) => {
                    let text = self.cards.redacted(&error.to_string());
                    Failure::Outside(if error.is::<UnknownPush>() { Box::new(UnknownPush(text)) } else { text.into() })
                }
                failure => failure,
            })?;
            if published == Published::Done {
                break done;
            }
        };
        (done.print)()?;
        self.finish()?;
        let Some((doorbell, ring)) = doorbell.flatten().zip(done.ring) else { return Ok(done.exit) };
        let publisher = self.publisher.borrow();
        if let Err(why) = self.rung(&doorbell, ring, publisher.as_ref().filter(|_| options.push)) {
            if !global.quiet {
                let why = self.cards.redacted(&why.message());
                let line = format!("warning: the doorbell was not rung: {why}; what was written stays");
                writeln!(console::stderr(), "{}", printable(&line))?;
            }
            return Ok(done.exit.and(Exit::Outside));
        }
        Ok(done.exit)
    }

    fn finish(&self) -> Result<(), Failure> {
        self.publisher.borrow_mut().as_mut().map_or(Ok(()), Publisher::finish)
    }

    /// Rings, after a push only if the remote has what the others need.
    fn rung(&self, doorbell: &Doorbell, mut ring: Ring, publisher: Option<&Publisher>) -> Result<(), Failure> {
        if let Some(publisher) = publisher {
            ring.payload["ref"] = publisher.branch_with(&ring.file)?.into();
        }
        doorbell.ring(&ring)
    }

    /// Prints the files that cannot be used, and returns whether there are any; `shown` gives the path of each.
    pub(crate) fn report_faults(
        &self,
        faults: &[LedgerFault],
        shown: &dyn Fn(&str) -> String,
    ) -> Result<bool, Failure> {
        for fault in faults {
            let line = self.cards.redacted(&format!("error: `{}`: {}", shown(&fault.path), fault.message));
            writeln!(console::stderr(), "{}", printable(&line))?;
        }
        Ok(!faults.is_empty())
    }

    /// Returns who writes, when, and what makes the file differ from any other.
    pub(crate) fn writer(&self, author: Option<&str>) -> Result<Writer, Failure> {
        let author_id = author.map(|name| self.cards.writer().line(name)).transpose();
        let author_id = author_id.map_err(|error| self.failure(error))?;
        if author_id.as_deref().is_some_and(|name| name.trim().is_empty()) {
            return Err(Failure::usage("`--by` is empty"));
        }
        Ok(Writer { author_id, at: stamp()?.generated_at, nonce: random_name() })
    }

    /// Returns what a report says, without secrets, and how many values were changed.
    pub(crate) fn outcome(&self, status: &str, args: &OutcomeArgs) -> Result<(Outcome, usize), Failure> {
        if status.trim().is_empty() {
            return Err(Failure::usage("`--status` is empty"));
        }
        if status == "success" && args.error_code.is_some() {
            return Err(Failure::usage("`--error-code` is given, and the status is `success`"));
        }
        let mut value = json!({
            "status": status, "summary": args.summary, "code": args.error_code, "message": args.error_message,
        });
        let redacted = self.cards.writer().scrub_value(&mut value).map_err(|error| self.failure(error))?;
        let text = |key: &str| value.get(key).and_then(|value| value.as_str()).map(str::to_owned);
        let error = text("code").zip(text("message")).map(|(code, message)| ToolError { code, message });
        let status = text("status").unwrap_or_default();
        Ok((Outcome { status, summary: text("summary"), output_box_id: None, error }, redacted))
    }

    /// Returns the box with the results: the one that was named, which has to exist, or what `log` holds, if anything.
    pub(crate) fn output_box(&self, named: Option<&str>, log: &str) -> Result<Option<ContentId>, Failure> {
        let store = &self.cards.store;
        let content = match named {
            Some(name) => store.existing_box(name).map(Some),
            None => store.read_box(log),
        };
        let content = content.map_err(|error| self.failure(error))?;
        content.map(|content| self.snapshot(content)).transpose()
    }

    /// Returns the id of a box that never changes: of a log, a snapshot is written.
    pub(crate) fn snapshot(&self, content: BoxContent) -> Result<ContentId, Failure> {
        if let Some(id) = content.id {
            return Ok(id);
        }
        let snapshot = content.snapshot();
        self.record(self.cards.store.shown(FileKind::Box, &ContentId::of(&snapshot.bytes())));
        self.cards.store.write_box(&snapshot).map_err(|error| self.failure(error))
    }
}

/// Says that secrets were removed from what a command was given.
pub(crate) fn report_redacted(global: &Global, redacted: usize) -> Result<(), Failure> {
    if !global.quiet && redacted > 0 {
        writeln!(console::stderr(), "note: secrets were removed from {}", console::counted(redacted, "value"))?;
    }
    Ok(())
}

/// Returns whether a claim that was made at `at` is at least `after` old; `now` is the time of the writer.
///
/// A claim in the future has no age; one whose time cannot be read may be of any.
pub(crate) fn is_old(at: Option<&str>, after: Option<Duration>, now: SystemTime) -> bool {
    match (after, at) {
        (None | Some(Duration::ZERO), _) | (_, None) => true,
        (Some(after), Some(at)) => age(at, now).is_some_and(|age| age >= after),
    }
}

/// Parses the time of a writer.
pub(crate) fn time(at: &str) -> Result<SystemTime, Failure> {
    humantime::parse_rfc3339(at).map_err(|error| Failure::Outside(Box::new(error)))
}

/// Returns how long ago a time was; `None` if it is in the future.
pub(crate) fn age(at: &str, now: SystemTime) -> Option<Duration> {
    now.duration_since(humantime::parse_rfc3339(at).ok()?).ok()
}
