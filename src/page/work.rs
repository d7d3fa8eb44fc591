//! Batches and inboxes on the page.

use super::talk::CardsFolder;
use crate::handoff::cards::{CardError, ContentId, LogName};
use crate::handoff::ledger::{
    BatchFolder, BatchId, BatchLedger, Claimable, Inbox, InboxFolder, LedgerFault, Outcome, REFUSED, TaskState,
};
use crate::model::RepoPath;
use crate::redact::Redactor;
use crate::review::{BatchView, InboxView, PageEntry, ReportView, TaskView};

/// A folder of files that are only ever added.
pub(super) enum LedgerName {
    Batch(BatchId),
    Inbox(LogName),
}

impl LedgerName {
    /// Returns the name of the ledger that a file belongs to, `None` if there is none of that name, and the path below the
    /// folder of all ledgers of its kind; `None` if the file is in no such folder.
    pub(super) fn parse(relative: &str) -> Option<(Option<Self>, &str)> {
        let (kind, below) = relative.split_once('/')?;
        let name = below.split_once('/').map(|(name, _)| name);
        let found = match kind {
            "batches" => name.and_then(BatchId::parse).map(Self::Batch),
            "inbox" => name.and_then(|name| LogName::new(name).ok()).map(Self::Inbox),
            _ => return None,
        };
        Some((found, below))
    }
}

/// Returns the entry of a batch or an inbox, or of a file that is in neither.
pub(super) fn ledger(context: &CardsFolder, name: Option<&LedgerName>, shown: &str) -> PageEntry {
    let redactor = Redactor::built_in();
    let all = |faults: &[LedgerFault]| {
        faults.iter().map(|fault| redactor.line(&format!("{}: {}", fault.path, fault.message))).collect()
    };
    let read = match name {
        None => return PageEntry::faulty(shown, vec!["no file of this program is here".to_owned()]),
        Some(LedgerName::Batch(id)) => BatchFolder::new(context.root(), &RepoPath::root()).read(id).map(|ledger| {
            let names = Names { beside: beside(shown, "batches", &id.to_string()), redactor };
            PageEntry::batch(shown, &batch_view(&ledger, &names), all(&ledger.faults))
        }),
        Some(LedgerName::Inbox(name)) => {
            InboxFolder::new(context.root(), &RepoPath::root()).read(name, REFUSED).map(|inbox| {
                let names = Names { beside: beside(shown, "inbox", name.as_str()), redactor };
                let is_pack = |pack: &str| context.root().join("packs").join(pack).is_file();
                PageEntry::inbox(shown, &inbox_view(name, &inbox, &names, &is_pack), all(&inbox.faults))
            })
        }
    };
    read.unwrap_or_else(|error| PageEntry::faulty(shown, vec![redactor.line(&explained(error))]))
}

/// Returns the displayed path of the folder that a ledger's kind has a folder in; packs, boxes and logs stand there too.
fn beside<'a>(shown: &'a str, kind: &str, name: &str) -> &'a str {
    shown.strip_suffix(&format!("{kind}/{name}")).unwrap_or_default()
}

/// The names of what a ledger leads to, as the page has them. Its files may have been made by hand, so that every text is
/// redacted.
struct Names<'a> {
    beside: &'a str,
    redactor: &'a Redactor,
}

impl Names<'_> {
    fn text(&self, text: &str) -> String {
        self.redactor.line(text)
    }

    fn log(&self, name: &str) -> String {
        self.text(&format!("{}logs/{name}", self.beside))
    }

    fn content_box(&self, id: &ContentId) -> String {
        let hex = id.hex();
        format!("{}boxes/{}/{hex}.json", self.beside, &hex[..2])
    }

    fn pack(&self, name: &str) -> String {
        self.text(&format!("{}packs/{name}", self.beside))
    }

    /// Returns what the page says about an attempt at a task or a turn that ended in this way.
    fn view<K: Claimable>(&self, task: &TaskState<K>, outcome: Option<&Outcome>) -> TaskView {
        let text = |text: &str| self.text(text);
        let claim = task.claim.as_ref();
        let reports = task.reports.iter().map(|report| ReportView {
            epoch: report.epoch,
            status: text(&report.status),
            at: report.at.clone(),
            late: report.late.map(|reason| reason.name()),
        });
        TaskView {
            id: task.id.to_string(),
            status: task.status.name(),
            ended: task.status.is_terminal(),
            epoch: task.epoch,
            claimed: claim.is_some(),
            claimed_by: claim.and_then(|claim| claim.author_id.as_deref()).map(text),
            claimed_at: claim.and_then(|claim| claim.at.clone()),
            summary: outcome.and_then(|outcome| outcome.summary.as_deref()).map(text),
            error: outcome.and_then(|it| it.error.as_ref()).map(|it| (text(&it.code), text(&it.message))),
            output: outcome.and_then(|outcome| outcome.output_box_id.as_ref()).map(|id| self.content_box(id)),
            reports: reports.collect(),
            ..TaskView::default()
        }
    }
}

fn explained(error: CardError) -> String {
    match error {
        CardError::NotFound(_) => "it has no `batch.json`: its fork was not finished".to_owned(),
        error => error.to_string(),
    }
}

/// Returns what the page says about a batch.
fn batch_view(ledger: &BatchLedger, names: &Names<'_>) -> BatchView {
    let states = ledger.states();
    let content = &ledger.content;
    let text = |text: &str| names.text(text);
    let tasks = states.iter().zip(&content.batch.tasks).map(|(task, planned)| {
        let forked = ledger.forked(task.id);
        TaskView {
            agent: text(forked.map_or(planned.target_ref.as_str(), |forked| forked.agent.as_str())),
            instruction: Some(text(&planned.instruction)),
            root: planned.root.as_deref().map(text),
            pack: forked.map(|forked| names.pack(forked.pack.rsplit('/').next().unwrap_or_default())),
            log: forked.map(|forked| names.log(&forked.output_box)),
            ..names.view(task, ledger.outcome_of(task).as_ref())
        }
    });
    BatchView {
        id: ledger.name.clone(),
        status: ledger.status(&states).name(),
        joined_at: content.result.as_ref().map(|result| result.at.clone()),
        parent: text(&content.batch.parent_agent),
        parent_log: content.fork.as_ref().map(|fork| names.log(&fork.parent_log)),
        forked_at: content.fork.as_ref().map(|fork| fork.at.clone()),
        deadline_seconds: content.batch.deadline_seconds,
        fail_fast: content.batch.fail_fast,
        tasks: tasks.collect(),
    }
}

/// Returns what the page says about an inbox; `is_pack` tells whether a pack of this name is there.
fn inbox_view(name: &LogName, inbox: &Inbox, names: &Names<'_>, is_pack: &dyn Fn(&str) -> bool) -> InboxView {
    let text = |text: &str| names.text(text);
    let tasks = inbox.turns().into_iter().map(|(request, turn)| {
        let pack = format!("{}.json", request.context_box_id.short());
        TaskView {
            agent: text(&request.agent),
            root: request.root.as_deref().map(text),
            from: request.from_agent.as_deref().map(text),
            context: Some(names.content_box(&request.context_box_id)),
            pack: is_pack(&pack).then(|| names.pack(&pack)),
            log: Some(names.log(&request.output_box)),
            ..names.view(&turn, turn.report.as_ref().map(|report| &report.outcome))
        }
    });
    InboxView { name: name.as_str().to_owned(), closed: inbox.is_closed(), tasks: tasks.collect() }
}
