//! A batch or an inbox that a command adds to: claims, reports, and attempts that are given up.

use super::{Done, HandoffFiles};
use crate::cli::handoff::args::OutcomeArgs;
use crate::cli::handoff::card::removal_note;
use crate::cli::handoff::wake::Ring;
use crate::console::{self, Exit, Failure, object};
use crate::handoff::cards::{BoxSnapshot, CardError, LogName, PreparedCard, ToolError};
use crate::handoff::ledger::{
    Attempt, ClaimState, Decision, Ledger, LedgerFault, LedgerFolder, LedgerKind, LedgerPath, NewFile, Status,
    TaskState, TurnRequest, WorkId, Writer,
};
use crate::model::did_you_mean;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Display;
use std::time::{Duration, SystemTime};

/// How often a decision is made again after another process was first. Each time the ledger has come further.
const MAX_TRIES: usize = 1_000;

pub(crate) struct OpenLedger<'f> {
    pub(crate) files: &'f HandoffFiles,
    pub(crate) folder: &'f LedgerFolder,
    pub(crate) name: String,
}

impl OpenLedger<'_> {
    /// Reads the ledger, without secrets that were written by hand and turns that name the pack of another agent's handover.
    pub(crate) fn read(&self) -> Result<Ledger, Failure> {
        let (ledger, files) = (self.folder.read(&self.name)?, self.files);
        ledger.requests().try_for_each(|request| files.find_pack(&request.context_box_id).map(drop))?;
        let foreign = |it: &TurnRequest| files.pack_of(&it.context_box_id)?.refusal(&self.name, &it.agent);
        Ok(ledger.without(&foreign).redacted(&|text| files.redacted(text)))
    }

    fn kind(&self) -> &'static LedgerKind {
        self.folder.kind
    }

    fn title(&self) -> String {
        format!("{}{}", self.kind().title, self.name)
    }

    pub(crate) fn shown(&self, path: &dyn Display) -> String {
        self.folder.shown(&self.name, path)
    }

    pub(crate) fn faults(&self, ledger: &Ledger) -> Vec<String> {
        ledger.faults.iter().map(|fault| format!("`{}`: {}", self.shown(&fault.path), fault.message)).collect()
    }

    pub(crate) fn create(&self, file: &NewFile) -> Result<bool, Failure> {
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
        decide: impl Fn(&Ledger) -> Result<(T, Option<NewFile>), CardError>,
    ) -> Result<(Ledger, T), Failure> {
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

    /// Returns what the doorbell says about work that can be claimed; `file` is one that says so.
    pub(crate) fn ring(&self, ledger: &Ledger, attempt: &Attempt, file: &dyn Display) -> Ring {
        let (event, payload) = match ledger.request(&attempt.of) {
            None => ("contextpack-batch", json!({"batch": self.name})),
            Some(request) => {
                let redacted = |text: &str| self.files.redacted(text);
                let fields = json!({
                    "agent": redacted(&request.agent),
                    "inbox": self.name,
                    "correlation_id": redacted(&request.correlation()),
                    "trace_id": request.trace(),
                });
                ("contextpack-turn", object([attempt_output(attempt), fields]))
            }
        };
        Ring { event, payload, file: self.shown(file) }
    }

    /// Claims what `pick` returns; `None` if it returns `None`. Its second argument is a predicate: whether a claim was made by
    /// this very command, which was killed before it could report it.
    pub(crate) fn claim(
        &self,
        author: Option<&str>,
        pick: impl Fn(&Ledger, &dyn Fn(&TaskState) -> bool) -> Result<Option<TaskState>, CardError>,
    ) -> Result<Option<Done>, Failure> {
        let writer = self.files.writer(author)?;
        let repeats = |state: &TaskState| {
            let path = self.shown(&LedgerPath::Claim(state.attempt()));
            state.status == Status::Dispatched && self.files.repeats(state.claim.as_ref(), &path, &writer)
        };
        let (ledger, (state, busy)) = self.decided(|ledger| {
            let Some(state) = pick(ledger, &repeats)? else { return Ok(((None, None), None)) };
            let (busy, file) = match ledger.claim(&state, &writer) {
                Ok(file) => (None, Some(file)),
                Err("claimed") if repeats(&state) => (None, None),
                Err(reason) => (Some(reason), None),
            };
            Ok(((Some(state), busy), file))
        })?;
        let noun = self.kind().noun;
        let Some(state) = state else { return Ok(None) };
        let (id, epoch) = (&state.id, state.epoch);
        let batch = ledger.plan.is_some().then_some(&ledger.name);
        let attempt = object([attempt_output(&state.attempt()), json!({"batch_id": batch})]);
        let message = format!("Claim {noun} {id} of {}", self.title());
        let Some(reason) = busy else {
            let pointers = self.files.pointers(&ledger, id);
            let mut lines = vec![format!("accepted: {noun} {}, epoch {epoch}", ledger.name_of(id))];
            let line = |(name, field): &(&str, &str)| Some(format!("{name:<8}{}", pointers.get(field)?.as_str()?));
            lines.extend(POINTERS.iter().filter_map(line));
            if epoch > 1
                && let Some(left) = self.files.store.read_box(&ledger.output_box(id))?
            {
                let cards = console::counted(left.card_ids.len(), "card");
                lines.push(format!(
                    "earlier {}, with {cards}: look what was done before",
                    self.files.redacted(&left.name)
                ));
            }
            let output = object([json!({"status": "accepted"}), attempt, pointers]);
            return Ok(Some(Done::new(message, &output, lines).noted(self.files.pack_fault(&ledger, id))));
        };
        let other = state.claim.as_ref().filter(|_| reason == "claimed");
        let is_damaged = other.is_some_and(|claim| claim.at.is_none());
        let who = match other {
            Some(_) if is_damaged => ", by a claim that cannot be read".to_owned(),
            other => other.map_or_else(String::new, |it| by_and_at(it.author_id.as_ref(), it.at.as_ref())),
        };
        // A file that is damaged keeps it busy.
        let damaged = (reason == "claimed" && (state.is_blocked || is_damaged)).then(|| {
            let what = if state.is_blocked { self.kind().report } else { "claim" };
            format!("the {what} of this epoch is damaged: {}", id.way_on(&self.name))
        });
        let output = object([json!({"status": "busy", "reason": reason}), attempt, claim_output(other)]);
        let done = Done::new(message, &output, vec![format!("busy: {reason}{who}, epoch {epoch}")]);
        Ok(Some(Done { exit: Exit::Outside, ..done.noted(damaged) }))
    }

    /// Claims a task or turn.
    pub(crate) fn claim_one(&self, author: Option<&str>, id: &WorkId) -> Result<Done, Failure> {
        let missing = || Failure::Input(format!("{} is gone", id.words()));
        self.claim(author, |ledger, _| ledger.state_of(id).map(Some))?.ok_or_else(missing)
    }

    pub(crate) fn report(
        &self,
        of: &WorkId,
        epoch: Option<u32>,
        status: &str,
        args: &OutcomeArgs,
    ) -> Result<Done, Failure> {
        let writer = self.files.writer(args.author.as_deref())?;
        let (mut outcome, mut redacted) = self.files.outcome(status, args)?;
        // Everything is checked before the box is written.
        let ledger = self.read()?;
        let checked = ledger.attempt(of, epoch)?;
        let (store, written) = (&self.files.store, &self.files.written);
        let deliverable = args
            .deliverable
            .as_deref()
            .filter(|text| !text.is_empty())
            .map(|text| self.deliverable(text, &checked, &writer))
            .transpose()?;
        redacted += deliverable.iter().flatten().map(|card| card.redacted).sum::<usize>();
        let answer = deliverable
            .as_ref()
            .map(|cards| BoxSnapshot::new(cards.iter().map(|card| card.id.clone()).collect(), Vec::new()));
        outcome.output_box_id = answer.as_ref().map(BoxSnapshot::id);
        let is_late = ledger.decide_report(&checked, &outcome, &writer)?.late.is_some();
        if let Some((cards, answer)) = deliverable.as_deref().zip(answer.as_ref()) {
            outcome.output_box_id.take_if(|_| is_late);
            if !is_late {
                let log = LogName::new(&ledger.output_box(of))?;
                self.files.append_once(cards, &log, writer.author_id.as_deref().unwrap_or(log.as_str()))?;
                written.borrow_mut().snapshot(store, answer)?;
            }
        } else if args.deliverable.is_none() {
            let results = match args.output.as_deref() {
                Some(name) => Some(store.existing_box(name)?),
                None => store.read_box(&ledger.output_box(of))?,
            };
            outcome.output_box_id =
                results.map(|content| written.borrow_mut().snapshot_of(store, &content)).transpose()?;
        }
        let (ledger, (attempt, late, existed)) = self.decided(|ledger| {
            let attempt = ledger.attempt(of, epoch)?;
            let Decision { late, file } = ledger.decide_report(&attempt, &outcome, &writer)?;
            Ok(((attempt, late, file.is_none()), file))
        })?;
        let path = LedgerPath::Report(attempt.clone());
        if existed {
            self.files.record_known(self.shown(&path));
        }
        let LedgerKind { acknowledges, noun, report, .. } = self.kind();
        let counts_as = Status::of_word(&outcome.status).name();
        let again = if existed { "; it was already reported, and nothing was written" } else { "" };
        let (word, line) = match late {
            None => ("counted", format!("counted: {counts_as}{again}")),
            Some(reason) => {
                ("late", format!("late: {}; the {report} is kept and does not count{again}", reason.name()))
            }
        };
        let existed = existed.then_some(true);
        let mut output = json!({"status": word, "counts_as": counts_as, "reason": late, "existed": existed});
        let mut ring = None;
        if let Some(request) = ledger.request(&attempt.of) {
            let redacted = |text: &str| self.files.redacted(text);
            let fields = json!({"correlation_id": redacted(&request.correlation())});
            output = object([output, attempt_output(&attempt), fields]);
            let Ring { payload, file, .. } = self.ring(&ledger, &attempt, &path);
            let more = json!({"status": counts_as, "from_agent": request.from_agent.as_deref().map(redacted)});
            ring = Some(Ring { event: "contextpack-response", payload: object([payload, more]), file });
        }
        let message = format!("{acknowledges} {noun} {} of {}: {counts_as}", attempt.of, self.title());
        let lost = (is_late && deliverable.is_some()).then(|| "the text was not kept, since it is late".to_owned());
        let is_empty = args.deliverable.is_none() && outcome.output_box_id.is_none();
        let empty = format!("the log `{}` has no card, so that the {report} names no result", ledger.output_box(of));
        let empty = Some(empty).filter(|_| is_empty && counts_as == Status::Success.name());
        let notes = removal_note(redacted).into_iter().chain(unknown_word(&outcome.status)).chain(lost).chain(empty);
        let done = Done::new(message, &object([output]), vec![line]).noted(notes);
        Ok(Done { ring: ring.filter(|_| late.is_none()), ..done })
    }

    /// Returns a result of an attempt as a card, the same one if it is reported again.
    fn deliverable(&self, text: &str, attempt: &Attempt, writer: &Writer) -> Result<Vec<PreparedCard>, Failure> {
        let batch = matches!(attempt.of, WorkId::Task(_)).then_some(&self.name);
        Ok(self.files.card_writer().prepare(vec![json!({
            "type": "task.deliverable",
            "author_id": writer.author_id.as_deref().unwrap_or(&self.name),
            "content": {"kind": "text", "text": text},
            "metadata": object([attempt_output(attempt), json!({"batch_id": batch})]),
        })])?)
    }

    /// Gives up attempts that are claimed and not reported: those at `only`, else all.
    pub(crate) fn reclaim(&self, only: Option<&WorkId>, after: Option<Duration>) -> Result<Done, Failure> {
        let writer = self.files.writer(None)?;
        let now = time(&writer.at)?;
        let ledger = self.read()?;
        let found = ledger.reclaim(only, &|at| is_old(at, after, now), &writer)?;
        // All events are published at once, so that one of them is enough.
        let ring = found.first().map(|(attempt, file)| self.ring(&ledger, attempt, &file.path));
        for (_, file) in &found {
            self.create(file)?;
        }
        let noun = self.kind().noun;
        let line = |(it, _): &(Attempt, _)| format!("reclaimed: {noun} {}, now at epoch {}", it.of, it.epoch);
        let lines = found.iter().map(line).collect();
        let message = format!("Reclaim {} of {}", console::counted(found.len(), noun), self.title());
        let output = json!({"reclaimed": found.iter().map(|(it, _)| attempt_output(it)).collect::<Value>()});
        let why = found.is_empty().then(|| self.why_none_is_reclaimed(&ledger, only, after, now));
        Ok(Done { ring, ..Done::new(message, &output, lines).noted(why) })
    }

    fn why_none_is_reclaimed(
        &self,
        ledger: &Ledger,
        only: Option<&WorkId>,
        after: Option<Duration>,
        now: SystemTime,
    ) -> String {
        let LedgerKind { noun, again, .. } = self.kind();
        let states = ledger.states();
        for state in states.iter().filter(|state| only.is_none_or(|only| *only == state.id)) {
            let words = state.id.words();
            let claimed = state.claim.as_ref().filter(|_| state.status == Status::Dispatched && after.is_some());
            if let Some(at) = claimed.and_then(|claim| claim.at.as_ref()).filter(|at| age(at, now).is_none()) {
                let way_on = state.id.way_on(&self.name);
                let why = format!("{words} was claimed in the future, at {at}, so that it has no age");
                return format!("{why}; without `--after`, {way_on}");
            }
            if only.is_some() && state.status.is_terminal() {
                return format!("{words} has ended: {}; to do it again, {again}", state.status.name());
            }
        }
        if ledger.plan.is_some() && states.iter().all(|state| state.status.is_terminal()) {
            return "all tasks have ended; to do them again, fork the plan with another `key`".to_owned();
        }
        format!("no {noun} is claimed{}", after.map_or("", |_| " for so long"))
    }
}

fn unknown_word(word: &str) -> Option<String> {
    let known = Status::REPORTED.map(Status::name);
    let counts = || format!("`{word}` counts as `{}`; {}", Status::of_word(word).name(), did_you_mean(word, known));
    (!known.contains(&word)).then(counts)
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

const LONGEST_SUMMARY: usize = 80;

const POINTERS: [(&str, &str); 5] =
    [("agent", "agent"), ("context", "context_box_id"), ("output", "output_box"), ("root", "root"), ("pack", "pack")];

pub(crate) fn fault_outputs(faults: &[LedgerFault]) -> Value {
    faults.iter().map(|it| json!({"path": it.path, "message": it.message})).collect()
}

pub(crate) fn attempt_output(attempt: &Attempt) -> Value {
    let LedgerKind { id_field, epoch_field, .. } = attempt.of.kind();
    json!({*id_field: attempt.of, *epoch_field: attempt.epoch})
}

pub(crate) fn claim_output(claim: Option<&ClaimState>) -> Value {
    json!({"claimed_by": claim.map(|claim| &claim.author_id), "claimed_at": claim.map(|claim| &claim.at)})
}

pub(crate) fn state_output(state: &TaskState) -> Value {
    let LedgerKind { epoch_field, reports, .. } = state.id.kind();
    let report_states = state.reports.iter().map(|it| {
        let counts = it.late.is_none();
        let reason = it.late;
        object([json!({*epoch_field: it.epoch, "status": it.outcome.status, "at": it.at, "counts": counts, "reason": reason})])
    });
    let outcome = state.outcome.as_ref();
    object([
        attempt_output(&state.attempt()),
        claim_output(state.claim.as_ref()),
        json!({
            "status": state.status,
            "claimed": state.claim.is_some(),
            "summary": outcome.map(|outcome| &outcome.summary),
            "output_box_id": outcome.map(|outcome| &outcome.output_box_id),
            "error": outcome.map(|outcome| &outcome.error),
            *reports: report_states.collect::<Value>(),
        }),
    ])
}

pub(crate) fn state_text(state: &TaskState) -> String {
    let claim = state.claim.as_ref();
    let claimed = claim.map(|claim| format!("  claimed{}", by_and_at(claim.author_id.as_ref(), claim.at.as_ref())));
    let report = state.report.as_ref();
    let reported = report.map(|it| format!("  reported{}", by_and_at(it.author_id.as_ref(), Some(&it.at))));
    let outcome =
        state.outcome.as_ref().map(|outcome| outcome_line(outcome.summary.as_deref(), outcome.error.as_ref()));
    let outcome = outcome.filter(|line| !line.is_empty()).map(|line| format!("  {line}"));
    let mut late: BTreeMap<String, usize> = BTreeMap::new();
    for (report, reason) in state.reports.iter().filter_map(|report| Some((report, report.late?))) {
        *late.entry(format!("{} (epoch {}, {})", report.outcome.status, report.epoch, reason.name())).or_default() += 1;
    }
    let times = |count| if count > 1 { format!(" x {count}") } else { String::new() };
    let late: Vec<String> = late.into_iter().map(|(text, count)| text + &times(count)).collect();
    let late = (!late.is_empty()).then(|| format!("  not counted: {}", late.join(", ")));
    [claimed, reported, outcome, late].into_iter().flatten().collect()
}

/// Returns who did something and when, as far as it is known, with a space before each.
fn by_and_at(by: Option<&String>, at: Option<&String>) -> String {
    [by.map(|by| format!(" by {by}")), at.map(|at| format!(" at {at}"))].into_iter().flatten().collect()
}

/// Returns what was done and why it did not succeed, in one line: the first line of the summary, then the error in parentheses.
pub(crate) fn outcome_line(summary: Option<&str>, error: Option<&ToolError>) -> String {
    let first = summary.and_then(|text| text.lines().find(|line| !line.trim().is_empty())).unwrap_or_default().trim();
    let mut line: String = first.chars().take(LONGEST_SUMMARY).collect();
    if line.len() < first.len() {
        line = line.trim_end().to_owned() + "…";
    }
    if let Some(ToolError { code, message }) = error {
        let space = if line.is_empty() { "" } else { " " };
        line += &format!("{space}({code}: {})", message.lines().next().unwrap_or_default());
    }
    line
}
