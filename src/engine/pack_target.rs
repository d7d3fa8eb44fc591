//! The one pack that a command asks for, and its build in memory.

use super::agents::AgentDefaults;
use super::{AgentContext, BudgetLimits, BudgetProbe, BuildJob, EngineError, Project, Repository};
use crate::config::{Job, Policy};
use crate::seal::Stamp;

/// The pack that a command builds in memory.
#[derive(Debug, Clone, Copy, Default)]
pub struct PackTarget<'a> {
    /// The root; `None` for the start of an agent's session.
    pub root: Option<&'a str>,
    /// Its profile, of which at most one may be given; without any, the agent's or the first of the configuration is used.
    pub profiles: &'a [String],
    /// The limits that were asked for.
    pub limits: BudgetLimits,
    pub agent: Option<&'a str>,
    /// How much a pack for an agent holds.
    pub policy: Option<Policy>,
    pub job: Option<(&'a str, &'a Job)>,
}

/// A pack to be built, and its limits.
pub struct Probe<'p, 's> {
    /// The build.
    pub probe: BudgetProbe<'p, 's>,
    /// The limits that were asked for, else those of the agent.
    pub limits: BudgetLimits,
    /// The stem of the agent's file.
    pub agent: Option<String>,
}

impl Repository {
    pub(crate) fn probe<'p, 's>(
        &self,
        project: &'p Project<'s>,
        target: &PackTarget<'_>,
        stamp: Stamp,
    ) -> Result<Probe<'p, 's>, EngineError> {
        self.refuse_tracked_cache()?;
        if target.profiles.len() > 1 {
            return Err(EngineError::Target("one pack has one profile: give `--profile` once"));
        }
        let agent = target.agent.map(|name| self.agent(project, name, target.policy, target.job)).transpose()?;
        let item = match target.root {
            Some(root) => self.find_roots(project, &[root.to_owned()])?.first().copied(),
            None => None,
        };
        let (agent, profiles, limits) = self.with_defaults(agent, target.profiles, target.limits)?;
        let stem = agent.as_ref().map(|agent| project.knowledge().agents.all[agent.agent].stem().to_owned());
        match (profiles.into_iter().next(), item.is_some() || agent.is_some()) {
            (Some(profile), true) => {
                let probe = BudgetProbe::new(project, item, profile, stamp).with_agent(agent);
                Ok(Probe { probe, limits, agent: stem })
            }
            _ => Err(EngineError::Target("name a root, or an agent with `--agent`")),
        }
    }

    pub(crate) fn job(
        &self,
        project: &Project<'_>,
        items: Vec<usize>,
        (profiles, limits): (&[String], BudgetLimits),
        stamp: Stamp,
    ) -> Result<BuildJob, EngineError> {
        Ok(BuildJob {
            roots: items,
            others: project.roots(),
            profiles: self.configuration().profiles(profiles)?,
            limits,
            stamp,
            agent: None,
            session_start: false,
            are_named: false,
        })
    }

    /// Returns an agent with the profiles and limits of its packs: those given, else its own, else those of the configuration.
    pub(super) fn with_defaults(
        &self,
        agent: Option<(AgentContext, AgentDefaults)>,
        profiles: &[String],
        limits: BudgetLimits,
    ) -> Result<(Option<AgentContext>, Vec<String>, BudgetLimits), EngineError> {
        Ok(match agent {
            Some((agent, defaults)) => {
                (Some(agent), defaults.profiles(self.configuration(), profiles)?, defaults.limits(limits))
            }
            None => (None, self.configuration().profiles(profiles)?, limits),
        })
    }
}
