//! The state of a batch, as a pure function of the set of its files.

use super::entries::{LateReason, Report};
use super::ledger::Ledger;
use super::path::Turn;
use super::status::{BatchStatus, TaskStatus};

/// The state of a batch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BatchState {
    /// The state of the whole.
    pub status: BatchStatus,
    /// Whether it was joined, so that it does not change any more.
    pub joined: bool,
    /// The tasks, in order.
    pub tasks: Vec<TaskState>,
}

/// The state of a task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskState {
    /// The task, from 0.
    pub index: u32,
    /// Its state.
    pub status: TaskStatus,
    /// The epoch that it is at.
    pub epoch: u32,
    /// The claim of this epoch.
    pub claim: Option<ClaimState>,
    /// The report that counts.
    pub report: Option<Report>,
    /// Whether this epoch cannot be reported, since the file of its report is damaged.
    pub is_blocked: bool,
    /// All reports, by epoch, the one that counts included.
    pub reports: Vec<ReportState>,
}

/// A claim, as far as it can be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClaimState {
    /// Who claimed it.
    pub author_id: Option<String>,
    /// When; `None` if the file is damaged.
    pub at: Option<String>,
}

/// A report, and whether it counts.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ReportState {
    /// Its epoch.
    pub epoch: u32,
    /// When.
    pub at: String,
    /// Its word.
    pub status: String,
    /// Why it does not count; `None` if it does.
    pub late: Option<LateReason>,
}

impl Ledger {
    /// Returns the state that follows from these files, whatever their order was.
    ///
    /// A report counts if it is the one of its task's epoch, which only `reclaim` events raise. Once the batch was joined,
    /// its result is its state.
    pub fn state(&self) -> BatchState {
        let counted: Vec<Option<&Report>> = (0..self.tasks()).map(|task| self.counted(task)).collect();
        let failed_fast = self.batch.fail_fast
            && counted.iter().flatten().any(|report| TaskStatus::of_word(&report.status).fails_fast());
        let mut others = self.reports_by_task();
        let mut tasks = Vec::with_capacity(counted.len());
        for (task, counted) in (0..self.tasks()).zip(counted) {
            let reports = others.get_mut(task as usize).map(std::mem::take).unwrap_or_default();
            tasks.push(self.task(task, counted, failed_fast, reports));
        }
        let status = match &self.result {
            Some(result) => result.status,
            None => {
                let statuses: Vec<TaskStatus> = tasks.iter().map(|task| task.status).collect();
                BatchStatus::of_tasks(&statuses, failed_fast)
            }
        };
        BatchState { status, joined: self.result.is_some(), tasks }
    }

    fn tasks(&self) -> u32 {
        u32::try_from(self.batch.tasks.len()).unwrap_or(u32::MAX)
    }

    /// Returns the report of a task that counts: that of its epoch, or after the join the one that the result names.
    fn counted(&self, task: u32) -> Option<&Report> {
        let epoch = match &self.result {
            Some(result) => result.results.get(task as usize)?.epoch?,
            None => self.epoch(task),
        };
        self.reports.get(&Turn { task, epoch })?.as_ref()
    }

    fn task(&self, index: u32, counted: Option<&Report>, failed_fast: bool, reports: Vec<ReportState>) -> TaskState {
        let epoch = self.epoch(index);
        let turn = Turn { task: index, epoch };
        let is_blocked = matches!(self.reports.get(&turn), Some(None));
        let claim = self.claims.get(&turn).map(|claim| ClaimState {
            author_id: claim.as_ref().and_then(|claim| claim.author_id.clone()),
            at: claim.as_ref().map(|claim| claim.at.clone()),
        });
        let result = self.result.as_ref().and_then(|result| result.results.get(index as usize));
        let status = match (result, counted) {
            (Some(result), _) => result.status,
            (None, Some(report)) => TaskStatus::of_word(&report.status),
            (None, None) if failed_fast => TaskStatus::Canceled,
            (None, None) if claim.is_some() || is_blocked => TaskStatus::Dispatched,
            (None, None) => TaskStatus::Pending,
        };
        TaskState { index, status, epoch, claim, report: counted.cloned(), is_blocked, reports }
    }

    /// Returns why the report in the file of a turn does not count; `None` if it does.
    pub(super) fn lateness(&self, turn: Turn) -> Option<LateReason> {
        let counted = match &self.result {
            Some(result) => result.results.get(turn.task as usize).and_then(|it| it.epoch),
            None => Some(self.epoch(turn.task)),
        };
        match self.epoch(turn.task) {
            _ if counted == Some(turn.epoch) => None,
            epoch if turn.epoch < epoch => Some(LateReason::StaleEpoch),
            _ if self.result.is_some() => Some(LateReason::Closed),
            _ => Some(LateReason::FutureEpoch),
        }
    }

    fn reports_by_task(&self) -> Vec<Vec<ReportState>> {
        let mut by_task = vec![Vec::new(); self.batch.tasks.len()];
        let mut add = |report: &Report, late| {
            if let Some(reports) = by_task.get_mut(report.task_index as usize) {
                let Report { epoch, at, status, .. } = report.clone();
                reports.push(ReportState { epoch, at, status, late });
            }
        };
        for (turn, report) in &self.reports {
            let Some(report) = report else { continue };
            add(report, self.lateness(*turn));
        }
        for (reason, report) in &self.late {
            add(report, Some(*reason));
        }
        for reports in &mut by_task {
            reports.sort();
        }
        by_task
    }
}
