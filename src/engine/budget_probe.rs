//! Builds of one root under several limits, to find what each limit adds.

use super::{AgentContext, BudgetLimits, BuildJob, BuildReport, Built, Project, Unsettled, build_packs};
use crate::intake::Repo;
use crate::model::Diagnostic;
use crate::seal::{Sealed, Stamp};
use crate::wire::Pack;

/// One root under one profile, to be built under several limits.
pub struct BudgetProbe<'p, 's> {
    project: &'p Project<'s>,
    /// The root; `None` for the start of an agent's session.
    pub item: Option<usize>,
    pub profile: String,
    stamp: Stamp,
    agent: Option<AgentContext>,
}

impl<'p, 's> BudgetProbe<'p, 's> {
    /// Prepares the root with the index `item` under `profile`.
    pub fn new(project: &'p Project<'s>, item: Option<usize>, profile: String, stamp: Stamp) -> Self {
        Self { project, item, profile, stamp, agent: None }
    }

    #[must_use]
    pub fn with_agent(mut self, agent: Option<AgentContext>) -> Self {
        self.agent = agent;
        self
    }

    pub fn agent(&self) -> Option<&AgentContext> {
        self.agent.as_ref()
    }

    /// Builds the pack under these limits, or returns the errors that prevent it.
    pub fn build(&self, limits: BudgetLimits) -> Result<Result<Sealed, Vec<Diagnostic>>, Unsettled> {
        let (mut packs, faults) = self.project.build(&self.job(limits), None, &|built: Built| built.outcome)?;
        let redacted = |fault| self.project.redacted_for_output(fault);
        Ok(match packs.pop() {
            Some(outcome) => outcome.map_err(|fault| vec![redacted(fault)]),
            None => Err(faults.into_iter().map(redacted).collect()),
        })
    }

    /// Builds the pack under these limits, with all diagnostics that a build of it alone reports; `files` are what the project
    /// was read from.
    pub fn report(&self, files: &Repo, limits: BudgetLimits) -> Result<(Option<Sealed>, BuildReport), Unsettled> {
        let built = build_packs(files, self.project, &self.job(limits), None, &|built: Built| built.outcome.ok())?;
        let (mut packs, report) = built;
        Ok((packs.pop().flatten(), report))
    }

    fn job(&self, limits: BudgetLimits) -> BuildJob {
        BuildJob {
            roots: self.item.into_iter().collect(),
            others: Vec::new(),
            profiles: vec![self.profile.clone()],
            limits,
            stamp: self.stamp.clone(),
            agent: self.agent.clone(),
            session_start: self.item.is_none(),
            are_named: true,
        }
    }

    pub fn limit(tokens: bool, limit: u64) -> BudgetLimits {
        let (max_chars, max_tokens) = if tokens { (None, Some(limit)) } else { (Some(limit), None) };
        BudgetLimits { max_chars, max_tokens, ..BudgetLimits::default() }
    }

    /// Returns the unit that the pack's limit counts, `tokens` or `chars`, and how many the pack uses.
    pub fn unit(pack: &Pack) -> (&'static str, u64) {
        match (pack.budget.max_tokens, pack.budget.used_tokens) {
            (Some(_), Some(used)) => ("tokens", used),
            _ => ("chars", pack.budget.used_chars),
        }
    }

    /// Returns the smallest limit above the use of `pack` at which `enough` holds; `None` if no limit is enough. A
    /// larger budget never removes anything, so bisection finds the limit.
    pub fn smallest_limit(&self, pack: &Pack, enough: &dyn Fn(&Pack) -> bool) -> Result<Option<u64>, Unsettled> {
        let (unit, used) = Self::unit(pack);
        let holds = |limit| -> Result<bool, Unsettled> {
            Ok(self.build(Self::limit(unit == "tokens", limit))?.is_ok_and(|sealed| enough(sealed.pack())))
        };
        let (mut low, mut high) = (used, used.saturating_mul(2).max(1000));
        while !holds(high)? {
            // No repo holds more.
            if high > 1_000_000_000 {
                return Ok(None);
            }
            (low, high) = (high, high * 4);
        }
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            if holds(middle)? { high = middle } else { low = middle }
        }
        Ok(Some(high))
    }
}
