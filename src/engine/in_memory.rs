//! Packs that are built in memory: the one that a command asks for, under several limits to find what each limit adds, and
//! many from one reading for users of the library.

use super::agents::{AgentContext, history};
use super::build::input_diagnostics;
use super::{
    BudgetLimits, BuildJob, BuildReport, Built, EngineError, Project, Repository, RootSummary, Unsettled, build_packs,
};
use crate::config::{Job, Policy};
use crate::intake::Repo;
use crate::model::Diagnostic;
use crate::seal::{Sealed, Stamp};
use crate::wire::Pack;
use rayon::prelude::*;

/// The pack that a command builds in memory.
#[derive(Debug, Clone, Copy, Default)]
pub struct PackTarget<'a> {
    /// The root; `None` for the start of an agent's session.
    pub root: Option<&'a str>,
    /// Its profile, of which at most one may be given; without any, the agent's or the first of the configuration is used.
    pub profiles: &'a [String],
    pub limits: BudgetLimits,
    pub agent: Option<&'a str>,
    pub policy: Option<Policy>,
    pub job: Option<(&'a str, &'a Job)>,
}

impl Repository {
    pub(crate) fn probe<'p, 's>(
        &self,
        project: &'p Project<'s>,
        target: &PackTarget<'_>,
        stamp: Stamp,
    ) -> Result<BudgetProbe<'p, 's>, EngineError> {
        self.refuse_tracked_cache()?;
        if target.profiles.len() > 1 {
            return Err(EngineError::Target("one pack has one profile: give `--profile` once"));
        }
        let agent = target.agent.map(|name| {
            // git and the documents do not wait for each other.
            let (history, _) = rayon::join(|| history(self.root(), self.settings()), || project.knowledge());
            project.agent_context(name, target.policy, target.job, Some(&history))
        });
        let agent = agent.transpose()?;
        let item = match target.root {
            Some(root) => self.find_roots(project, &[root.to_owned()])?.first().copied(),
            None => None,
        };
        let (profiles, limits) = self.with_defaults(project, agent.as_ref(), target.profiles, target.limits)?;
        let profile = profiles.into_iter().next().filter(|_| item.is_some() || agent.is_some());
        let profile = profile.ok_or(EngineError::Target("name an item, or an agent with `--agent`"))?;
        Ok(BudgetProbe { project, item, profile, limits, stamp, agent })
    }

    pub(crate) fn job(
        &self,
        project: &Project<'_>,
        roots: Vec<usize>,
        (profiles, limits): (&[String], BudgetLimits),
        stamp: Stamp,
    ) -> Result<BuildJob, EngineError> {
        let (profiles, others) = (self.configuration().profiles(profiles)?, project.roots());
        Ok(BuildJob { roots, others, profiles, limits, stamp, agent: None, session_start: false, are_named: false })
    }
}

/// One root under one profile, to be built under several limits.
pub struct BudgetProbe<'p, 's> {
    pub project: &'p Project<'s>,
    /// The root; `None` for the start of an agent's session.
    pub item: Option<usize>,
    pub profile: String,
    /// The limits that were asked for, else those of the agent.
    pub limits: BudgetLimits,
    pub stamp: Stamp,
    pub agent: Option<AgentContext>,
}

impl BudgetProbe<'_, '_> {
    /// Returns the stem of the agent's file.
    pub fn agent_stem(&self) -> Option<&str> {
        self.agent.as_ref().map(|agent| self.project.knowledge().agents.all[agent.agent].stem())
    }

    /// Builds the pack under these limits, or returns the errors that prevent it.
    pub fn build(&self, limits: BudgetLimits) -> Result<Result<Sealed, Vec<Diagnostic>>, Unsettled> {
        let (mut packs, faults) = self.project.build(&self.job(limits), None, &|built: Built| built.outcome)?;
        let outcome = packs.pop().map_or(Err(faults), |outcome| outcome.map_err(|fault| vec![fault]));
        Ok(outcome.map_err(|faults| self.project.redacted(&faults)))
    }

    /// Builds the pack under these limits, with all diagnostics that a build of it alone reports.
    pub fn report(&self, files: &Repo, limits: BudgetLimits) -> Result<(Option<Sealed>, BuildReport), Unsettled> {
        let (mut packs, report) =
            build_packs(files, self.project, &self.job(limits), None, &|built| built.outcome.ok())?;
        Ok((packs.pop().flatten(), report))
    }

    fn job(&self, limits: BudgetLimits) -> BuildJob {
        let (roots, profiles) = (self.item.into_iter().collect(), vec![self.profile.clone()]);
        let (others, stamp, agent) = (Vec::new(), self.stamp.clone(), self.agent.clone());
        let session_start = self.item.is_none();
        BuildJob { roots, others, profiles, limits, stamp, agent, session_start, are_named: true }
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

    /// Returns the smallest limit above the use of `pack` at which `enough` holds; `None` if no limit is enough.
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

/// One pack to build.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct PackRequest {
    /// The root: an id, an issue (`12`, `#12`, `owner/repo#12`, a URL), or the path of a work item's file.
    ///
    /// The command line takes the same; its help shows `12`, because a shell takes a bare `#12` for a comment.
    pub root: String,
    /// The profile; `None` for the first of the configuration.
    pub profile: Option<String>,
    /// Limits that replace those of the profile.
    pub limits: BudgetLimits,
    /// The time of the build, as RFC 3339, for `generated_at`. The hash of the pack leaves it out.
    pub generated_at: String,
}

impl PackRequest {
    /// Asks for the pack of `root` under the first profile and its limits, built now.
    pub fn new(root: impl Into<String>) -> Self {
        let now = humantime::format_rfc3339_seconds(std::time::SystemTime::now()).to_string();
        Self { root: root.into(), profile: None, limits: BudgetLimits::default(), generated_at: now }
    }

    /// Limits the rendering to `tokens`, in place of the profile's limits.
    #[must_use]
    pub fn within_tokens(mut self, tokens: u64) -> Self {
        self.limits.max_tokens = Some(tokens);
        self
    }

    /// Builds under another profile.
    #[must_use]
    pub fn profile(mut self, profile: impl Into<String>) -> Self {
        self.profile = Some(profile.into());
        self
    }
}

/// The work items of a repository, read once: what later changes of files do not touch.
pub struct Snapshot<'a> {
    repository: &'a Repository,
    project: Project<'a>,
}

impl Repository {
    /// Reads all work items, for many packs.
    ///
    /// ```
    /// use contextpack::{OpenRequest, PackRequest, Repository};
    /// # use std::path::Path;
    ///
    /// # fn main() -> Result<(), contextpack::EngineError> {
    /// let repository = Repository::open(&OpenRequest::new(Path::new(".")))?;
    /// let snapshot = repository.snapshot();
    /// for diagnostic in snapshot.diagnostics() {
    ///     eprintln!("{diagnostic}");
    /// }
    /// for root in snapshot.roots()? {
    ///     let pack = snapshot.pack(&PackRequest::new(root.id))?;
    ///     println!("{}: {}", pack.pack().root.title, pack.pack().hash);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn snapshot(&self) -> Snapshot<'_> {
        Snapshot { repository: self, project: self.project() }
    }
}

impl Snapshot<'_> {
    /// Returns what is wrong with the input, redacted and sorted: the files, the work items and their graph, and the
    /// documents.
    pub fn diagnostics(&self) -> Vec<Diagnostic> {
        input_diagnostics(self.repository.files(), &self.project)
    }

    /// Lists the roots of the configuration, in natural order of their ids.
    ///
    /// # Errors
    /// If an input cannot be read, so that roots may be missing, or git changes files meanwhile.
    pub fn roots(&self) -> Result<Vec<RootSummary>, EngineError> {
        self.repository.confirm_all_read(&self.project)?;
        Ok(self.project.roots().into_iter().map(|item| self.project.summary(item)).collect())
    }

    /// Builds one pack in memory; nothing is written.
    ///
    /// # Errors
    /// If the root or the profile is unknown, an input cannot be read, or the budget cannot hold the root.
    pub fn pack(&self, request: &PackRequest) -> Result<Sealed, EngineError> {
        let PackRequest { root, profile, limits, generated_at } = request;
        let (root, profiles, limits) = (Some(root.as_str()), profile.as_slice(), *limits);
        let target = PackTarget { root, profiles, limits, ..PackTarget::default() };
        let probe = self.repository.probe(&self.project, &target, Stamp::new(generated_at.clone()))?;
        probe.build(probe.limits)?.map_err(|diagnostics| EngineError::NotBuilt { diagnostics })
    }

    /// Builds packs in memory, in parallel; nothing is written.
    ///
    /// Returns one result for each request, in their order. A pack that cannot be built stops no other.
    pub fn packs(&self, requests: &[PackRequest]) -> Vec<Result<Sealed, EngineError>> {
        requests.par_iter().map(|request| self.pack(request)).collect()
    }
}
