//! Judges packs that no file holds: a build may give them all the same, and the record of deliveries may name them.

use super::compare::Compared;
use super::find::{HashPrefix, folders};
use super::{ReadPack, missing};
use crate::cli::args::{BudgetArgs, Global};
use crate::cli::delivery::{self, DeliveryLine};
use crate::cli::failure::Failure;
use crate::cli::packs::{self, PackTarget, Probe};
use crate::config::Policy;
use crate::engine::{BudgetLimits, BuildJob, Built, Project, Repository, build_packs};
use crate::intake::{is_in_git, is_shallow};
use crate::review::SalvagedPack;
use crate::seal::Sealed;
use crate::wire::Pack;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};

/// The most packs that are built under profiles and for agents that the configuration does not ask for.
const MOST: usize = 20_000;

/// What builds and the record say of packs that no file holds.
pub(super) struct Search<'a, 's> {
    global: &'a Global,
    repository: &'a Repository,
    project: &'a Project<'s>,
    asked: Vec<HashPrefix>,
    /// The packs that a build gives and that were asked for, by hash.
    built: BTreeMap<String, Pack>,
    /// The profiles and the agents that packs were built for.
    tried: [Vec<String>; 2],
    /// Those that were left out, since there are too many packs.
    skipped: Vec<String>,
    delivered: Vec<DeliveryLine>,
}

impl<'a, 's> Search<'a, 's> {
    /// Looks for these packs: in the record, then among those that the configuration asks for, those of other profiles, and those
    /// for agents.
    ///
    /// # Errors
    /// If the system refuses to read the record, or nothing can be built.
    pub(super) fn run(
        global: &'a Global,
        repository: &'a Repository,
        project: &'a Project<'s>,
        asked: Vec<HashPrefix>,
    ) -> Result<Self, Failure> {
        let lines = delivery::log(repository)?.map(|log| log.lines).unwrap_or_default();
        let is_asked = |line: &DeliveryLine| asked.iter().any(|asked| asked.is_of(&line.hash));
        let delivered = lines.into_iter().filter(is_asked).collect();
        let (built, tried, skipped) = (BTreeMap::new(), [Vec::new(), Vec::new()], Vec::new());
        let mut search = Self { global, repository, project, asked, built, tried, skipped, delivered };
        search.record()?;
        let configured = &repository.settings().output.profiles;
        search.profiles(configured.clone())?;
        let others = repository.settings().profiles.keys().filter(|name| !configured.contains(name));
        for profile in others.cloned().collect::<Vec<_>>() {
            search.profiles(vec![profile])?;
        }
        search.agents()?;
        search.jobs()?;
        Ok(search)
    }

    fn is_over(&self) -> bool {
        self.asked.iter().all(|asked| self.built.keys().any(|built| asked.is_of(built)))
    }

    fn keep(&mut self, sealed: &Sealed) {
        let pack = sealed.pack();
        if self.asked.iter().any(|asked| asked.is_of(&pack.hash)) {
            self.built.insert(pack.hash.clone(), pack.clone());
        }
    }

    /// Builds what the record names, and whose file is gone.
    fn record(&mut self) -> Result<(), Failure> {
        let named: BTreeSet<_> = self.delivered.iter().map(target).collect();
        for (root, agent, profile, policy, job) in named {
            self.one(root.as_deref(), agent.as_deref(), Some(profile), policy.as_deref(), job.as_deref())?;
        }
        Ok(())
    }

    /// Builds the packs of all roots under these profiles.
    fn profiles(&mut self, profiles: Vec<String>) -> Result<(), Failure> {
        let roots = self.project.roots();
        let is_configured = profiles == self.repository.settings().output.profiles;
        if self.is_over() || !is_configured && self.is_too_much(roots.len(), &profiles) {
            return Ok(());
        }
        let budget = BudgetArgs { profiles: profiles.clone(), ..BudgetArgs::default() };
        let found = Mutex::new(Vec::new());
        packs::run(self.global, self.repository, self.project, roots, (&[], &budget), &|built| {
            self.hold(&found, built);
        })?;
        found.into_inner().unwrap_or_else(PoisonError::into_inner).iter().for_each(|sealed| self.keep(sealed));
        self.tried[0].extend(profiles);
        Ok(())
    }

    /// Builds the packs of all roots for each agent, and the starts of its sessions, within its own limits.
    fn agents(&mut self) -> Result<(), Failure> {
        let keys: Vec<String> = self.project.knowledge().agents.all.iter().map(|agent| agent.key.to_string()).collect();
        for key in keys {
            let roots = self.project.roots();
            if self.is_over() || self.is_too_much(roots.len() + 1, std::slice::from_ref(&key)) {
                continue;
            }
            // An agent that cannot be used has no packs.
            let Ok((agent, defaults)) = self.repository.agent(self.project, &key, None, None) else { continue };
            let Ok(profiles) = defaults.profiles(self.repository.configuration(), &[]) else { continue };
            let budget = BudgetArgs { profiles, ..BudgetArgs::default() };
            let job = packs::job(self.repository, self.project, roots, &[], &budget)?;
            let limits = defaults.limits(BudgetLimits::default());
            let job = BuildJob { limits, agent: Some(agent), session_start: true, ..job };
            let found = Mutex::new(Vec::new());
            build_packs(self.repository.files(), self.project, &job, None, &|built| self.hold(&found, built))?;
            found.into_inner().unwrap_or_else(PoisonError::into_inner).iter().for_each(|sealed| self.keep(sealed));
            self.tried[1].push(key);
        }
        Ok(())
    }

    /// Builds the packs of all jobs.
    fn jobs(&mut self) -> Result<(), Failure> {
        let jobs = self.repository.settings().knowledge.jobs.iter();
        let jobs: Vec<_> = jobs.map(|(name, job)| (name.clone(), job.root.clone(), job.agent.name.clone())).collect();
        for (name, root, agent) in jobs {
            if !self.is_over() {
                self.one(root.as_deref(), Some(&agent), None, None, Some(&name))?;
            }
        }
        Ok(())
    }

    /// Builds one pack, if there is such a root, profile, agent and job.
    fn one(
        &mut self,
        root: Option<&str>,
        agent: Option<&str>,
        profile: Option<String>,
        policy: Option<&str>,
        job: Option<&str>,
    ) -> Result<(), Failure> {
        let jobs = &self.repository.settings().knowledge.jobs;
        let profiles = Vec::from_iter(profile.filter(|profile| !profile.is_empty()));
        let budget = BudgetArgs { profiles, ..BudgetArgs::default() };
        let target = PackTarget {
            root,
            budget: &budget,
            agent,
            policy: policy.and_then(Policy::named),
            job: job.and_then(|name| jobs.get_key_value(name).map(|(name, job)| (name.as_str(), job))),
        };
        let built = match packs::probe(self.repository, self.project, &target) {
            Ok(Probe { probe, limits, .. }) => probe.build(limits)?,
            Err(Failure::Usage(_) | Failure::Input(_)) => return Ok(()),
            Err(failure) => return Err(failure),
        };
        built.iter().for_each(|sealed| self.keep(sealed));
        Ok(())
    }

    /// Keeps a pack that was built by one of several threads, if it was asked for.
    fn hold(&self, found: &Mutex<Vec<Sealed>>, built: Built) {
        let is_asked = |sealed: &Sealed| self.asked.iter().any(|asked| asked.is_of(&sealed.pack().hash));
        if let Some(sealed) = built.outcome.ok().filter(is_asked) {
            found.lock().unwrap_or_else(PoisonError::into_inner).push(sealed);
        }
    }

    /// Returns whether so many more packs would take too long, and notes who is left out.
    fn is_too_much(&mut self, packs: usize, names: &[String]) -> bool {
        let roots = self.project.roots().len();
        let built = (self.tried[0].len() + self.tried[1].len()) * roots;
        let is_too_much = built + packs > MOST;
        if is_too_much {
            self.skipped.extend_from_slice(names);
        }
        is_too_much
    }

    /// Judges a pack that no file holds.
    pub(super) fn judge(&self, read: &ReadPack) -> Compared {
        let Some(hash) = &read.hash else {
            return missing(vec!["it is no hash of a pack: `contextpack trailer ROOT` prints the trailer".to_owned()]);
        };
        if let Some((_, pack)) = self.built.iter().find(|(built, _)| hash.is_of(built)) {
            let old = SalvagedPack { pack: Some(pack.clone()), ..SalvagedPack::default() };
            return Compared { status: "fresh", new: Some(old.clone()), old, ..missing(Vec::new()) };
        }
        let mut reasons = vec![self.searched()];
        let delivered = self.delivered.iter().rfind(|line| hash.is_of(&line.hash));
        if let Some(DeliveryLine { at, agent, root, .. }) = delivered {
            let whom = agent.as_ref().map(|agent| format!(" to `{agent}`")).unwrap_or_default();
            let root = root.as_ref().map(|root| format!(" for `{root}`")).unwrap_or_default();
            let reason = format!("the record has it: built {at} and delivered{whom}{root}, and its file there is gone");
            reasons.push(self.project.without_secrets(&reason));
        }
        reasons.push(self.next());
        missing(reasons)
    }

    /// Says where the packs were looked for.
    fn searched(&self) -> String {
        let list = |names: &[String]| names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        let root = self.repository.root();
        let folders = folders(self.repository).into_iter().map(|dir| dir.to_string());
        let output = self.repository.settings().output.dir.as_str();
        let folders: Vec<String> = folders.filter(|dir| dir == output || root.join(dir).is_dir()).collect();
        let history = if is_in_git(root) { ", nor any version of them that git has" } else { "" };
        let [profiles, agents] = &self.tried;
        let agents = if agents.is_empty() { String::new() } else { format!(", or for the agents {}", list(agents)) };
        let skipped = match self.skipped.is_empty() {
            true => String::new(),
            false => format!(" (not tried, since there are too many packs: {})", list(&self.skipped)),
        };
        format!(
            "no file in {} holds it{history}; and within the configured limits no build gives it now, under the profiles {}{agents}{skipped}",
            list(&folders),
            list(profiles)
        )
    }

    /// Says what to do.
    fn next(&self) -> String {
        let next = if self.project.roots().is_empty() {
            packs::no_roots(self.repository)
        } else if is_shallow(self.repository.root()) {
            "this clone is shallow: `git fetch --unshallow` gets the older packs"
        } else if self.repository.settings().commits_packs() {
            "name the file that was read, or fetch the branch that has it; `contextpack render --record` keeps a pack that is not committed"
        } else {
            "packs are not committed here: name the file that was read; `contextpack render --record` keeps each pack that it prints"
        };
        next.to_owned()
    }
}

/// The root, the agent, the profile, the policy and the job of a delivered pack.
type Target = (Option<String>, Option<String>, String, Option<String>, Option<String>);

fn target(line: &DeliveryLine) -> Target {
    let DeliveryLine { root, agent, profile, policy, job, .. } = line;
    (root.clone(), agent.clone(), profile.clone(), policy.clone(), job.clone())
}
