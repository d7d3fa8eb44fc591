//! Builds finished packs again: those of items, of agents, and of handovers.

use super::packs::{OpenedRepository, PackKey};
use crate::config::Policy;
use crate::console::{Exit, Failure, stamp};
use crate::engine::{AgentContext, BudgetLimits, BudgetProbe, PackTarget};
use crate::handoff::cards::{CardError, CardStore};
use crate::handoff::handover::replay;
use crate::model::CardSource;
use crate::wire::{Pack, PackHandover, Section};

impl<'r> OpenedRepository<'r> {
    /// Prepares to build a finished pack again, with the limits that such a pack has now: with the same key but for its `root`,
    /// which may have another name now, or from the cards of the same handover.
    pub(crate) fn probe_again(&self, pack: &Pack, root: Option<String>) -> Result<BudgetProbe<'_, 'r>, Failure> {
        if let Some(handover) = &pack.handover {
            return self.probe_handover(pack, handover);
        }
        let PackKey { agent, profile, policy, job, .. } = PackKey::of(pack);
        let job = job.as_ref().and_then(|name| self.repository.settings().jobs.get_key_value(name));
        self.probe(&PackTarget {
            root: root.as_deref(),
            profiles: profile.as_slice(),
            limits: BudgetLimits::default(),
            agent: agent.as_deref(),
            policy: policy.as_deref().and_then(Policy::named),
            job: job.map(|(name, job)| (name.as_str(), job)),
        })
    }

    /// Prepares the pack of a handover to be built again from its context box, at the time at which it was made.
    fn probe_handover(&self, pack: &Pack, handover: &PackHandover) -> Result<BudgetProbe<'_, 'r>, Failure> {
        let Self { repository, project, .. } = self;
        let store = CardStore::new(repository.root(), repository.settings().handover.dir.clone());
        let given = |section: &Section| CardSource::ALL.into_iter().find(|given| given.name() == section.provenance);
        let own = pack.sections.iter().filter_map(|section| {
            let given = given(section).filter(|given| *given != CardSource::Inherited)?;
            Some((section.metadata.card.as_ref()?.id.as_str(), given))
        });
        let PackHandover { context_box_id, target_profile_box_id, output_box, .. } = handover;
        let now = &pack.generated_at;
        let plan = replay(context_box_id, target_profile_box_id, output_box, &own.collect(), &store, now);
        let redacted = |message: String| project.without_secrets(&message);
        let plan = plan.map_err(|error| Failure::from(error).map_message(redacted))?;
        let key = pack.agent.as_ref().map_or("", |agent| agent.key.as_str());
        let agent = project.agent_of_handover(key)?;
        let root = pack.root.work_item_id.as_ref().or(pack.root.issue_url.as_ref()).filter(|root| *root != key);
        let item = root_item(self, root)?;
        let handed = project.handed_over(&handover.recipe, handover.from.as_deref(), &plan);
        let (_, limits) = repository.with_defaults(project, Some(&agent), &[], BudgetLimits::default())?;
        let agent = Some(AgentContext { handover: Some(handed), ..agent });
        Ok(BudgetProbe { project, item, profile: pack.profile.clone(), limits, stamp: stamp()?, agent })
    }
}

pub(crate) fn root_item(opened: &OpenedRepository<'_>, root: Option<&String>) -> Result<Option<usize>, Failure> {
    let Some(root) = root else { return Ok(None) };
    Ok(opened.find_roots(std::slice::from_ref(root))?.first().copied())
}

/// The message may quote what was given, so that the caller redacts it.
impl From<CardError> for Failure {
    fn from(error: CardError) -> Self {
        match error {
            CardError::BadRequest(message) => Self::Usage(message),
            CardError::NotFound(message) => Self::NotFound(Exit::Input, message),
            CardError::Unauthorized(message) => Self::Unauthorized(message),
            CardError::Invalid(message) | CardError::Secret(message) => Self::Input(message),
            CardError::Store(error) => error.into(),
        }
    }
}
