//! Batches on the page.

use super::talk::CardsFolder;
use crate::batches::{BatchId, BatchStore, Ledger, TaskStatus};
use crate::cards::{CardError, ContentId};
use crate::config::RedactionSettings;
use crate::model::RepoPath;
use crate::redact::Redactor;
use crate::review::{BatchView, BatchViewReport, BatchViewTask, PageEntry};

/// Returns the entry of a batch, or of a file that is in no batch.
pub(super) fn batch(context: &CardsFolder, id: Option<&BatchId>, shown: &str) -> PageEntry {
    let Some(id) = id else {
        return PageEntry::faulty(shown, vec!["no file of this program is here".to_owned()]);
    };
    let redactor = Redactor::new(&RedactionSettings::default());
    match BatchStore::new(context.root(), &RepoPath::root()).read(id) {
        Ok(ledger) => {
            let faults = ledger.faults.iter();
            let faults = faults.map(|fault| redactor.line(&format!("{}: {}", fault.path, fault.message))).collect();
            PageEntry::batch(shown, &view(&ledger, shown, &redactor), faults)
        }
        Err(error) => PageEntry::faulty(shown, vec![redactor.line(&explained(error))]),
    }
}

fn explained(error: CardError) -> String {
    match error {
        CardError::NotFound(_) => "it has no `batch.json`: its fork was not finished".to_owned(),
        error => error.to_string(),
    }
}

/// Returns what the page says about a batch. Its files may have been made by hand, so that every text is redacted.
fn view(ledger: &Ledger, shown: &str, redactor: &Redactor) -> BatchView {
    let state = ledger.state();
    // Packs, boxes and logs stand beside the folder of batches.
    let beside = shown.strip_suffix(&format!("batches/{}", ledger.id)).unwrap_or_default();
    let log = |name: &str| redactor.line(&format!("{beside}logs/{name}"));
    let result_box = |id: &ContentId| {
        let hex = id.hex();
        format!("{beside}boxes/{}/{hex}.json", &hex[..2])
    };
    let text = |text: &str| redactor.line(text);
    let tasks = state.tasks.iter().zip(&ledger.batch.tasks).map(|(task, planned)| {
        let forked = ledger.forked(task.index);
        let report = task.report.as_ref();
        BatchViewTask {
            status: task.status.name(),
            ended: task.status.is_terminal(),
            epoch: task.epoch,
            agent: text(forked.map_or(planned.target_ref.as_str(), |forked| forked.agent.as_str())),
            instruction: text(&planned.instruction),
            root: planned.root.as_deref().map(text),
            pack: forked.map(|forked| {
                let name = forked.pack.rsplit('/').next().unwrap_or_default();
                text(&format!("{beside}packs/{name}"))
            }),
            log: forked.map(|forked| log(&forked.output_box)),
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
            output: report.and_then(|report| report.output_box_id.as_ref()).map(result_box),
            reports: task
                .reports
                .iter()
                .map(|report| BatchViewReport {
                    epoch: report.epoch,
                    status: text(&report.status),
                    at: report.at.clone(),
                    late: report.late.map(|reason| reason.name()),
                })
                .collect(),
        }
    });
    BatchView {
        id: ledger.id.to_string(),
        status: state.status.name(),
        joined_at: ledger.result().map(|result| result.at.clone()),
        parent: text(&ledger.batch.parent_agent),
        parent_log: ledger.parent_log().map(log),
        forked_at: ledger.forked_at().map(str::to_owned),
        deadline_seconds: ledger.batch.deadline_seconds,
        fail_fast: ledger.batch.fail_fast,
        tasks: tasks.collect(),
    }
}
