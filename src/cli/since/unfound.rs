//! Judges packs that no file holds: a build may give them all the same, and the record of deliveries may name them.

use super::ReadPack;
use super::compare::Compared;
use super::find::{HashPrefix, folders};
use crate::cli::args::{BudgetArgs, Global};
use crate::cli::delivery::{self, DeliveryLine};
use crate::cli::packs::{self, PackKey};
use crate::console::Failure;
use crate::engine::{Project, Repository};
use crate::git::{is_in_git, is_shallow};
use crate::review::SalvagedPack;
use crate::seal::Sealed;
use crate::wire::Pack;
use std::collections::{BTreeMap, BTreeSet};

pub(super) struct Search<'a, 's> {
    global: &'a Global,
    repository: &'a Repository,
    project: &'a Project<'s>,
    asked: Vec<HashPrefix>,
    built: BTreeMap<String, Pack>,
    delivered: Vec<DeliveryLine>,
}

impl<'a, 's> Search<'a, 's> {
    /// Looks for these packs: in the record, then among those that the configuration asks for and those of jobs.
    pub(super) fn run(
        global: &'a Global,
        repository: &'a Repository,
        project: &'a Project<'s>,
        asked: Vec<HashPrefix>,
    ) -> Result<Self, Failure> {
        let lines = delivery::log(repository)?.map(|log| log.lines).unwrap_or_default();
        let is_asked = |line: &DeliveryLine| asked.iter().any(|asked| asked.is_of(&line.hash));
        let delivered: Vec<_> = lines.into_iter().filter(is_asked).collect();
        // What is likely comes first: what the record names, and whose file is gone.
        let recorded: BTreeSet<PackKey> = delivered.iter().map(recorded).collect();
        let mut search = Self { global, repository, project, asked, built: BTreeMap::new(), delivered };
        recorded.iter().try_for_each(|name| search.build(name))?;
        if !search.is_over() {
            search.build_configured()?;
        }
        for (name, job) in &repository.settings().jobs {
            let (root, agent) = (job.root.clone(), Some(job.agent.name.clone()));
            if !search.is_over() {
                search.build(&PackKey { root, agent, job: Some(name.clone()), ..PackKey::default() })?;
            }
        }
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

    fn build_configured(&mut self) -> Result<(), Failure> {
        let profiles = self.repository.settings().output.profiles.clone();
        let budget = BudgetArgs { profiles, ..BudgetArgs::default() };
        let is_asked = |sealed: &Sealed| self.asked.iter().any(|asked| asked.is_of(&sealed.pack().hash));
        let roots = self.project.roots();
        let (found, _) = packs::run(self.global, self.repository, self.project, roots, (&[], &budget), &|built| {
            built.outcome.ok().filter(is_asked)
        })?;
        found.iter().flatten().for_each(|sealed| self.keep(sealed));
        Ok(())
    }

    fn build(&mut self, key: &PackKey) -> Result<(), Failure> {
        let built = match key.probe(self.repository, self.project) {
            Ok(probe) => probe.build(probe.limits)?,
            Err(Failure::Usage(_) | Failure::Input(_)) => return Ok(()),
            Err(failure) => return Err(failure),
        };
        built.iter().for_each(|sealed| self.keep(sealed));
        Ok(())
    }

    pub(super) fn judge(&self, read: &ReadPack) -> Compared {
        let Some(hash) = &read.hash else {
            let reason = "it is no hash of a pack: `contextpack trailer ROOT` prints the trailer";
            return Compared::missing(vec![reason.to_owned()]);
        };
        if let Some((_, pack)) = self.built.iter().find(|(built, _)| hash.is_of(built)) {
            let old = SalvagedPack { pack: Some(pack.clone()), ..SalvagedPack::default() };
            return Compared { status: "fresh", new: Some(pack.clone()), old, ..Compared::default() };
        }
        let delivered = self.delivered.iter().rfind(|line| hash.is_of(&line.hash));
        let delivered = delivered.map(|DeliveryLine { at, agent, root, .. }| {
            let whom = agent.as_ref().map(|agent| format!(" to `{agent}`")).unwrap_or_default();
            let root = root.as_ref().map(|root| format!(" for `{root}`")).unwrap_or_default();
            format!("the record has it: built {at} and delivered{whom}{root}, and its file there is gone")
        });
        let reasons = [Some(self.searched()), delivered, Some(self.next().to_owned())].into_iter().flatten();
        Compared::missing(reasons.map(|reason| self.project.without_secrets(&reason)).collect())
    }

    fn searched(&self) -> String {
        let list = |names: &[String]| names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        let root = self.repository.root();
        let output = &self.repository.settings().output;
        let folders = folders(self.repository).into_iter().map(|dir| dir.to_string());
        let folders: Vec<String> =
            folders.filter(|dir| dir == output.dir.as_str() || root.join(dir).is_dir()).collect();
        let history = if is_in_git(root) { ", nor any version of them that git has" } else { "" };
        format!(
            "no file in {} holds it{history}; and within the configured limits no build gives it now, under the profiles {}",
            list(&folders),
            list(&output.profiles)
        )
    }

    fn next(&self) -> &'static str {
        if self.project.roots().is_empty() {
            packs::no_roots(self.repository)
        } else if is_shallow(self.repository.root()) {
            "this clone is shallow: `git fetch --unshallow` gets the older packs"
        } else if self.repository.settings().commits_packs() {
            "name the file that was read, or fetch the branch that has it; `contextpack render --record` keeps a pack that is not committed"
        } else {
            "packs are not committed here: name the file that was read; `contextpack render --record` keeps each pack that it prints"
        }
    }
}

fn recorded(line: &DeliveryLine) -> PackKey {
    let DeliveryLine { root, agent, profile, policy, job, .. } = line.clone();
    PackKey { root, agent, profile: Some(profile).filter(|profile| !profile.is_empty()), policy, job }
}
