//! Batches and inboxes on the page.

use super::talk::CardsFolder;
use crate::handoff::batches::{BatchId, BatchStore, Ledger, LedgerFault, ReportState, TaskStatus};
use crate::handoff::cards::{CardError, ContentId, LogName};
use crate::handoff::inbox::{Inbox, InboxStore};
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
        Some(LedgerName::Batch(id)) => BatchStore::new(context.root(), &RepoPath::root()).read(id).map(|ledger| {
            let names = Names { beside: beside(shown, "batches", id.as_str()), redactor };
            PageEntry::batch(shown, &batch_view(&ledger, &names), all(&ledger.faults))
        }),
        Some(LedgerName::Inbox(name)) => InboxStore::new(context.root(), &RepoPath::root()).read(name).map(|inbox| {
            let names = Names { beside: beside(shown, "inbox", name.as_str()), redactor };
            let is_pack = |pack: &str| context.root().join("packs").join(pack).is_file();
            PageEntry::inbox(shown, &inbox_view(name, &inbox, &names, &is_pack), all(&inbox.faults))
        }),
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

    fn reports(&self, reports: &[ReportState]) -> Vec<ReportView> {
        let view = |report: &ReportState| ReportView {
            epoch: report.epoch,
            status: self.text(&report.status),
            at: report.at.clone(),
            late: report.late.map(|reason| reason.name()),
        };
        reports.iter().map(view).collect()
    }
}

fn explained(error: CardError) -> String {
    match error {
        CardError::NotFound(_) => "it has no `batch.json`: its fork was not finished".to_owned(),
        error => error.to_string(),
    }
}

/// Returns what the page says about a batch.
fn batch_view(ledger: &Ledger, names: &Names<'_>) -> BatchView {
    let state = ledger.state();
    let text = |text: &str| names.text(text);
    let tasks = state.tasks.iter().zip(&ledger.batch.tasks).map(|(task, planned)| {
        let forked = ledger.forked(task.index);
        let report = task.report.as_ref();
        TaskView {
            id: task.index.to_string(),
            status: task.status.name(),
            ended: task.status.is_terminal(),
            epoch: task.epoch,
            agent: text(forked.map_or(planned.target_ref.as_str(), |forked| forked.agent.as_str())),
            instruction: Some(text(&planned.instruction)),
            root: planned.root.as_deref().map(text),
            pack: forked.map(|forked| names.pack(forked.pack.rsplit('/').next().unwrap_or_default())),
            log: forked.map(|forked| names.log(&forked.output_box)),
            claimed: task.claim.is_some(),
            claimed_by: task.claim.as_ref().and_then(|claim| claim.author_id.as_deref()).map(text),
            claimed_at: task.claim.as_ref().and_then(|claim| claim.at.clone()),
            summary: report.and_then(|report| report.summary.as_deref()).map(text),
            error: match report.and_then(|report| report.error.as_ref()) {
                Some(error) => Some((text(&error.code), text(&error.message))),
                None if report.is_none() && task.status == TaskStatus::Canceled => {
                    Some(("fail_fast".to_owned(), "another task did not succeed".to_owned()))
                }
                None => None,
            },
            output: report.and_then(|report| report.output_box_id.as_ref()).map(|id| names.content_box(id)),
            reports: names.reports(&task.reports),
            ..TaskView::default()
        }
    });
    BatchView {
        id: ledger.id.to_string(),
        status: state.status.name(),
        joined_at: ledger.result().map(|result| result.at.clone()),
        parent: text(&ledger.batch.parent_agent),
        parent_log: ledger.parent_log().map(|name| names.log(name)),
        forked_at: ledger.forked_at().map(str::to_owned),
        deadline_seconds: ledger.batch.deadline_seconds,
        fail_fast: ledger.batch.fail_fast,
        tasks: tasks.collect(),
    }
}

/// Returns what the page says about an inbox; `is_pack` tells whether a pack of this name is there.
fn inbox_view(name: &LogName, inbox: &Inbox, names: &Names<'_>, is_pack: &dyn Fn(&str) -> bool) -> InboxView {
    let text = |text: &str| names.text(text);
    let tasks = inbox.turns().into_iter().map(|turn| {
        let (request, claim, response) = (&turn.request, turn.claim.as_ref(), turn.response.as_ref());
        TaskView {
            id: turn.id.to_string(),
            status: turn.status.name(),
            ended: turn.status.is_terminal(),
            epoch: turn.epoch,
            agent: text(&request.agent),
            root: request.root.as_deref().map(text),
            from: request.from_agent.as_deref().map(text),
            context: Some(names.content_box(&request.context_box_id)),
            pack: Some(format!("{}.json", request.context_box_id.short()))
                .filter(|pack| is_pack(pack))
                .map(|pack| names.pack(&pack)),
            log: Some(names.log(&request.output_box)),
            claimed: claim.is_some(),
            claimed_by: claim.and_then(|claim| claim.author_id.as_deref()).map(text),
            claimed_at: claim.and_then(|claim| claim.at.clone()),
            summary: response.and_then(|response| response.summary.as_deref()).map(text),
            error: response
                .and_then(|response| response.error.as_ref())
                .map(|error| (text(&error.code), text(&error.message))),
            output: response.and_then(|response| response.output_box_id.as_ref()).map(|id| names.content_box(id)),
            reports: names.reports(&turn.responses),
            ..TaskView::default()
        }
    });
    InboxView { name: name.as_str().to_owned(), closed: inbox.is_closed(), tasks: tasks.collect() }
}
