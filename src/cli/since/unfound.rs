//! Judges packs that no file holds: a build may give them all the same, and the record of deliveries may name them.

use super::compare::Compared;
use super::find::{HashPrefix, folders};
use super::{ReadPack, missing};
use crate::cli::args::{BudgetArgs, Global};
use crate::cli::delivery::{self, DeliveryLine};
use crate::cli::packs::{self, PackTarget, Probe};
use crate::config::Policy;
use crate::console::Failure;
use crate::engine::{BudgetLimits, Project, Repository};
use crate::git::{is_in_git, is_shallow};
use crate::review::SalvagedPack;
use crate::seal::Sealed;
use crate::wire::Pack;
use std::collections::{BTreeMap, BTreeSet};

/// What builds and the record say of packs that no file holds.
pub(super) struct Search<'a, 's> {
    global: &'a Global,
    repository: &'a Repository,
    project: &'a Project<'s>,
    asked: Vec<HashPrefix>,
    /// The packs that a build gives and that were asked for, by hash.
    built: BTreeMap<String, Pack>,
    delivered: Vec<DeliveryLine>,
}

impl<'a, 's> Search<'a, 's> {
    /// Looks for these packs: in the record, then among those that the configuration asks for and those of jobs.
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
        let mut search = Self { global, repository, project, asked, built: BTreeMap::new(), delivered };
        // What is likely comes first.
        search.record()?;
        search.configured()?;
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

    /// Builds the packs that the configuration asks for.
    fn configured(&mut self) -> Result<(), Failure> {
        if self.is_over() {
            return Ok(());
        }
        let budget =
            BudgetArgs { profiles: self.repository.settings().output.profiles.clone(), ..BudgetArgs::default() };
        let is_asked = |sealed: &Sealed| self.asked.iter().any(|asked| asked.is_of(&sealed.pack().hash));
        let roots = self.project.roots();
        let (found, _) = packs::run(self.global, self.repository, self.project, roots, (&[], &budget), &|built| {
            built.outcome.ok().filter(is_asked)
        })?;
        found.iter().flatten().for_each(|sealed| self.keep(sealed));
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
        let target = PackTarget {
            root,
            profiles: &profiles,
            limits: BudgetLimits::default(),
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
            reasons.push(reason);
        }
        reasons.push(self.next());
        missing(reasons.iter().map(|reason| self.project.without_secrets(reason)).collect())
    }

    /// Says where the packs were looked for.
    fn searched(&self) -> String {
        let list = |names: &[String]| names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        let root = self.repository.root();
        let folders = folders(self.repository).into_iter().map(|dir| dir.to_string());
        let output = self.repository.settings().output.dir.as_str();
        let folders: Vec<String> = folders.filter(|dir| dir == output || root.join(dir).is_dir()).collect();
        let history = if is_in_git(root) { ", nor any version of them that git has" } else { "" };
        format!(
            "no file in {} holds it{history}; and within the configured limits no build gives it now, under the profiles {}",
            list(&folders),
            list(&self.repository.settings().output.profiles)
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
