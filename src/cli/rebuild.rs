//! Builds a finished pack again: for the same root, profile, agent, policy and job, or from the cards of the same handover.

use super::handover::replayed;
use super::packs::{self, PackTarget, Probe};
use crate::config::Policy;
use crate::console::Failure;
use crate::engine::{BudgetLimits, BudgetProbe, Project, Repository};
use crate::wire::Pack;

/// Returns the root of a pack as the command line takes it; empty for the start of an agent's session.
pub(crate) fn root(pack: &Pack) -> &str {
    let root = pack.root.work_item_id.as_deref().or(pack.root.issue_url.as_deref()).unwrap_or_default();
    // The start of a session is named by its agent.
    if pack.agent.as_ref().is_some_and(|agent| agent.key == root) { "" } else { root }
}

/// Prepares the pack of `root`, which is that of `pack` unless it has another name now, with the limits that such a pack has now.
///
/// # Errors
/// If there is no such root, profile, agent, job or handover.
pub(crate) fn probe<'p, 's>(
    repository: &Repository,
    project: &'p Project<'s>,
    pack: &Pack,
    root: &str,
) -> Result<(BudgetProbe<'p, 's>, BudgetLimits), Failure> {
    if let Some(handover) = &pack.handover {
        return replayed(repository, project, pack, handover);
    }
    let profiles = [pack.profile.clone()];
    let jobs = &repository.settings().jobs;
    let target = PackTarget {
        root: Some(root).filter(|root| !root.is_empty()),
        profiles: &profiles,
        limits: BudgetLimits::default(),
        agent: pack.agent.as_ref().map(|agent| agent.key.as_str()),
        policy: pack.policy.as_deref().and_then(Policy::named),
        job: pack.job.as_deref().and_then(|name| jobs.get_key_value(name).map(|(name, job)| (name.as_str(), job))),
    };
    packs::probe(repository, project, &target).map(|Probe { probe, limits, .. }| (probe, limits))
}
