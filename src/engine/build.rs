//! Builds the packs of many roots under many profiles in parallel.

use super::agents::AgentContext;
use super::notices::ConcernedItems;
use super::prepared_profile::{PreparedProfile, counted_tokenizer};
use super::project::{HeldDamage, Project};
use super::reader::unreadable;
use super::referenced_files::ReferencedFiles;
use super::{Unsettled, apply_severities, notices, unmatched};
use crate::config::{
    Budget, BudgetLimits, BuiltinText, HANDOVER_TASK_INSTRUCTIONS, Profile, SESSION_INSTRUCTIONS, Tokenizer,
};
use crate::fit::{Amount, Counter, TooSmall, fit};
use crate::graph::{Edge, Target};
use crate::intake::Repo;
use crate::knowledge::Agent;
use crate::model::{Code, Diagnostic, Digest, OriginKind, Place, Refusal, Relation, RepoPath, Severity, slug};
use crate::redact::Clean;
use crate::render;
use crate::review::read;
use crate::seal::{Sealed, Stamp, seal};
use crate::select::{RootReferences, select};
use crate::store::Folder;
use crate::wire::PackInput;
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::error::Error as _;
use std::path::Path;

#[derive(Debug)]
pub struct Planned {
    pub root: Clean,
    pub profile: String,
    pub name: String,
    /// The digest of everything that the pack is selected from and of its budget, if packs may be skipped: the same
    /// fingerprint under the same program and environment gives the same pack.
    pub fingerprint: Option<Digest>,
    pub diagnostics: Vec<Diagnostic>,
}

/// A pack that was built.
#[derive(Debug)]
pub struct Built {
    /// What was to be built.
    pub plan: Planned,
    /// The pack, or the error that prevents it.
    pub outcome: Result<Sealed, Diagnostic>,
}

/// Returns the result for a pack that need not be built.
pub type Skip<'a, T> = dyn Fn(&Planned) -> Option<T> + Sync + 'a;

/// Returns the result for a pack that was built. It is called by several threads, in no order.
pub type Finish<'a, T> = dyn Fn(Built) -> T + Sync + 'a;

/// How many roots share cached passages of their neighbours; more would cost more memory than they save time.
const AT_ONCE: usize = 128;

/// A set of packs to build.
#[derive(Debug, Clone)]
pub struct BuildJob {
    /// Indexes of the corpus.
    pub roots: Vec<usize>,
    /// Indexes of the other roots whose packs are in the same folder.
    pub others: Vec<usize>,
    /// Names of profiles that the settings have.
    pub profiles: Vec<String>,
    /// Limits that replace those of the profiles.
    pub limits: BudgetLimits,
    /// The time of the build and the program.
    pub stamp: Stamp,
    /// The agent that the packs are for.
    pub agent: Option<AgentContext>,
    /// Whether to build the pack with which a session of the agent begins.
    pub session_start: bool,
    /// Whether somebody named the roots, and so does not ask about other items.
    pub are_named: bool,
}

/// The diagnostics of a build of several packs.
#[derive(Debug, Clone, Default)]
pub struct BuildReport {
    /// The diagnostics, redacted and sorted.
    pub diagnostics: Vec<Diagnostic>,
    /// Whether a whole profile, roots with one file name, or packs with unreadable inputs could not be built. Then it is
    /// not known which packs belong into the folder.
    pub blocked: bool,
}

/// Builds the packs of `job` from a `project` that was read from `files`, and reports all diagnostics.
pub fn build_packs<T: Send>(
    files: &Repo,
    project: &Project<'_>,
    job: &BuildJob,
    skip: Option<&Skip<'_, T>>,
    finish: &Finish<'_, T>,
) -> Result<(Vec<T>, BuildReport), Unsettled> {
    let named = job.are_named.then_some(&*job.roots);
    let mut found = diagnostics_of(files, project, named, job.agent.is_some());
    found.extend(apply_severities(project.find_held_damage(files.root()).to_vec(), project.settings()));
    found.extend(job.agent.iter().flat_map(|agent| agent.faults.clone()));
    let skip_reported = skip.map(|skip| |plan: &Planned| Some((skip(plan)?, plan.diagnostics.clone())));
    let skip_reported = skip_reported.as_ref().map(|skip| skip as &Skip<'_, _>);
    let (packs, faults) = project.build(job, skip_reported, &|mut built: Built| {
        let mut diagnostics = std::mem::take(&mut built.plan.diagnostics);
        diagnostics.extend(built.outcome.as_ref().err().cloned());
        (finish(built), diagnostics)
    })?;
    let blocked = !faults.is_empty();
    let (packs, of_packs): (Vec<T>, Vec<Vec<Diagnostic>>) = packs.into_iter().unzip();
    let all = found.into_iter().chain(of_packs.into_iter().flatten()).chain(faults);
    Ok((packs, BuildReport { diagnostics: redacted_and_sorted(project, all), blocked }))
}

/// Returns what a build of all roots reports about the input before it builds, redacted and sorted.
pub fn input_diagnostics(files: &Repo, project: &Project<'_>) -> Vec<Diagnostic> {
    redacted_and_sorted(project, diagnostics_of(files, project, None, false).into_iter())
}

fn redacted_and_sorted(project: &Project<'_>, all: impl Iterator<Item = Diagnostic>) -> Vec<Diagnostic> {
    let redacted: BTreeSet<Diagnostic> = all.map(|diagnostic| project.redacted_for_output(diagnostic)).collect();
    redacted.into_iter().collect()
}

/// Returns the diagnostics before packs are built. If somebody `named` the roots, warnings about other files are left out.
fn diagnostics_of(files: &Repo, project: &Project<'_>, named: Option<&[usize]>, is_for_agent: bool) -> Vec<Diagnostic> {
    let settings = project.reader.settings;
    let mut all = apply_severities(files.diagnostics().to_vec(), settings);
    all.extend_from_slice(&project.diagnostics);
    if let Some(roots) = named {
        let neighbours: Vec<usize> = roots.iter().flat_map(|root| project.neighbours(*root)).collect();
        let concerned = ConcernedItems::new(project.corpus(), roots, &neighbours);
        // An item that cannot be read keeps other packs from nothing.
        all.retain(|diagnostic| {
            diagnostic.severity == Severity::Error && !diagnostic.is_of_damaged_item() || concerned.by(diagnostic)
        });
    }
    all.extend(apply_severities(unmatched(settings, files), settings));
    // Who builds all packs learns of agents that get none.
    let has_rules = named.is_none() && settings.agents.allowed().iter().any(|(_, allowed)| allowed.is_some());
    if is_for_agent || has_rules || project.has_documents() || !settings.jobs.is_empty() {
        all.extend(apply_severities(project.knowledge().diagnostics.clone(), settings));
    }
    all
}

impl Project<'_> {
    /// Builds the start of an agent's session, if `job` asks for it, then every root under every profile, and returns the
    /// results in that order, with the errors that keep packs from being built: then it is not known which there should be.
    pub fn build<T: Send>(
        &self,
        job: &BuildJob,
        skip: Option<&Skip<'_, T>>,
        finish: &Finish<'_, T>,
    ) -> Result<(Vec<T>, Vec<Diagnostic>), Unsettled> {
        let profiles: Vec<&Profile> =
            job.profiles.iter().filter_map(|name| self.reader.settings.profiles.get(name)).collect();
        let agent = job.agent.as_ref();
        let budgets: Vec<Budget> = profiles.iter().map(|profile| job.limits.over(&profile.budget)).collect();
        let counter = |budget| (counted_tokenizer(budget), Counter::new(counted_tokenizer(budget)));
        // A vocabulary takes as long to load as some hundred files.
        let (files, counters): (_, BTreeMap<Option<Tokenizer>, Counter>) = rayon::join(
            || ReferencedFiles::read(self, &job.roots, &profiles, agent),
            || budgets.iter().map(counter).collect(),
        );
        let (roots, mut faults) = self.distinct_slugs(&job.roots, &job.others);
        let session = agent.filter(|_| job.session_start);
        let additions = self.additions(agent);
        let mut prepare = |instead: Option<BuiltinText>| {
            let mut prepared = Vec::new();
            for (profile, budget) in profiles.iter().zip(&budgets) {
                match self.prepare_profile(profile, budget.clone(), &counters, instead, additions) {
                    Ok(profile) => prepared.extend(profile),
                    Err(fault) => faults.push(fault),
                }
            }
            prepared
        };
        let starts = match session {
            None => Vec::new(),
            Some(AgentContext { handover: Some(_), .. }) => prepare(Some(HANDOVER_TASK_INSTRUCTIONS)),
            Some(_) => prepare(Some(SESSION_INSTRUCTIONS)),
        };
        // Instructions that are not needed need not be readable.
        let mut prepared = if session.is_some() && roots.is_empty() { Vec::new() } else { prepare(None) };
        faults.extend(self.unread.iter().chain(files.unread()).cloned());
        faults.extend(self.unread_sources().iter().cloned());
        faults.extend(self.unread_knowledge(agent).iter().filter(|fault| !self.unread.contains(fault)).cloned());
        // Every input has been read, and nothing was handed on yet.
        if !self.reader.source().is_settled() {
            return Err(Unsettled);
        }
        let one = PackBuild { project: self, files: &files, job, skip, finish };
        let mut results: Vec<T> = starts.iter().map(|start| one.build(None, start)).collect();
        for roots in roots.chunks(AT_ONCE) {
            let pairs: Vec<(usize, &PreparedProfile<'_>)> =
                roots.iter().flat_map(|root| prepared.iter().map(move |profile| (*root, profile))).collect();
            results.par_extend(pairs.par_iter().map(|(root, profile)| one.build(Some(*root), profile)));
            prepared.iter_mut().for_each(|profile| profile.context.shared.clear());
        }
        Ok((results, faults))
    }

    pub(super) fn neighbours(&self, root: usize) -> impl Iterator<Item = usize> {
        self.graph.shown(root).filter_map(|edge| match edge.to {
            Target::Item(item) => Some(item),
            Target::Issue { .. } => None,
        })
    }

    /// Returns why the root, an item that it has to do with, or another child of its parent cannot be read.
    fn damaged_input(&self, root: usize) -> Option<&Diagnostic> {
        if !self.has_damage {
            return None;
        }
        let damage = |item: usize| self.corpus.entries[item].damage.as_deref();
        let item_of = |edge: &Edge| match edge.to {
            Target::Item(item) => Some((edge.relation, item)),
            Target::Issue { .. } => None,
        };
        let around = |item: usize| self.graph.edges(item).iter().chain(self.graph.claims(item)).filter_map(item_of);
        let siblings = around(root)
            .filter(|(relation, _)| *relation == Relation::Parent)
            .flat_map(|(_, parent)| around(parent).filter(|(relation, _)| *relation == Relation::Child));
        let held = || damage(*self.held_damage.get()?.roots.get(&*self.corpus.entries[root].item.id)?);
        damage(root).or_else(|| around(root).chain(siblings).find_map(|(_, item)| damage(item))).or_else(held)
    }

    /// Finds the packs on disk that hold an item whose record cannot be read, and returns a diagnostic for each pack that
    /// cannot be read itself.
    fn find_held_damage(&self, top: &Path) -> &[Diagnostic] {
        let find = || {
            let entries = self.corpus.entries.iter().enumerate();
            let damaged = entries.filter(|(_, entry)| entry.damage.is_some()).map(|(at, entry)| (&*entry.item.id, at));
            let dir = &self.reader.settings.output.dir;
            // If the folder cannot be opened, nothing can be written there either.
            Folder::open(top, dir).map(|folder| holding(&folder, dir, &damaged.collect())).unwrap_or_default()
        };
        if self.has_damage { &self.held_damage.get_or_init(find).unread } else { &[] }
    }

    fn distinct_slugs(&self, roots: &[usize], others: &[usize]) -> (Vec<usize>, Vec<Diagnostic>) {
        let slug_of = |root: &usize| slug(&self.pack_name(*root));
        let mut by_slug: BTreeMap<String, BTreeSet<usize>> = BTreeMap::new();
        for root in roots {
            by_slug.entry(slug_of(root)).or_default().insert(*root);
        }
        for root in others {
            by_slug.get_mut(&slug_of(root)).into_iter().for_each(|same| _ = same.insert(*root));
        }
        let (kept, clashing): (Vec<_>, Vec<_>) = by_slug.into_iter().partition(|(_, same)| same.len() == 1);
        let kept: BTreeSet<usize> = kept.into_iter().flat_map(|(_, same)| same).collect();
        (kept.into_iter().collect(), clashing.iter().map(|(slug, same)| self.slug_clash(slug, same)).collect())
    }

    fn slug_clash(&self, slug: &str, roots: &BTreeSet<usize>) -> Diagnostic {
        let items: Vec<_> = roots.iter().map(|root| &self.corpus.entries[*root].item).collect();
        let ids: Vec<String> = items.iter().map(|item| format!("`{}`", item.id)).collect();
        let at = items.first().map(|item| Place::line(item.origin.path.clone(), item.line));
        let all = if ids.len() == 2 { "both" } else { "all" };
        let message = format!("{} would {all} be written to `{slug}.<profile>.json`", ids.join(" and "));
        items.iter().fold(
            Diagnostic::new(Code::SlugClash, at, message).help("give all but one of them another id; none is built"),
            |diagnostic, item| diagnostic.about(item.id.as_str()),
        )
    }
}

struct PackBuild<'b, 's, T> {
    project: &'b Project<'s>,
    files: &'b ReferencedFiles<'b, 's>,
    job: &'b BuildJob,
    skip: Option<&'b Skip<'b, T>>,
    finish: &'b Finish<'b, T>,
}

impl<T> PackBuild<'_, '_, T> {
    /// Builds the pack of `root`, or the one with which a session of the agent begins, unless it is skipped.
    fn build(&self, root: Option<usize>, prepared: &PreparedProfile<'_>) -> T {
        let Self { project, job, .. } = self;
        let mut plan = self.plan(root, prepared.context.profile);
        if let Some(unread) = self.first_unread(root, prepared.context.profile) {
            return (self.finish)(Built { plan, outcome: Err(unread.clone()) });
        }
        let mut references = match root {
            Some(root) => self.references(root, prepared.context.profile, &mut plan.diagnostics),
            None => RootReferences::default(),
        };
        let knowledge = project.knowledge_sections(&prepared.context, root, &references, job.agent.as_ref());
        if let Some(root) = root {
            let named = knowledge.paths().chain(&prepared.context.instructions.origin.path);
            let named: Vec<_> = named.chain(prepared.context.mentioned_paths(&references.mentioned)).collect();
            project.add_likely_code(root, &mut references, &named);
        }
        if let Some(skip) = self.skip {
            plan.fingerprint = Some(prepared.fingerprint(root.map(|root| (root, &references)), &knowledge));
            if let Some(skipped) = skip(&plan) {
                return skipped;
            }
        }
        let selection = select(&prepared.context, root, references, knowledge);
        let outcome = match fit(selection, &prepared.budget, prepared.counter) {
            Ok(fitted) => {
                let stamp = job.stamp.with_redaction_rules(project.reader.redactor.rules_version());
                project.checked_for_secrets(&plan.root, seal(&fitted, &stamp))
            }
            Err(small) => Err(self.too_small(root, &prepared.budget, small)),
        };
        (self.finish)(Built { plan, outcome })
    }

    fn plan(&self, root: Option<usize>, profile: &Profile) -> Planned {
        let agent = self.agent();
        let (id, name) = match root {
            Some(root) => (self.project.corpus.entries[root].item.id.clone(), self.project.pack_name(root)),
            None => agent.map(|agent| (agent.key.clone(), agent.key.to_string())).unwrap_or_default(),
        };
        let name = pack_file_name(&slug(&name), &profile.name, agent.map(Agent::stem));
        Planned { root: id, profile: profile.name.clone(), name, fingerprint: None, diagnostics: Vec::new() }
    }

    fn agent(&self) -> Option<&Agent> {
        self.job.agent.as_ref().map(|agent| &self.project.knowledge().agents.all[agent.agent])
    }

    fn first_unread(&self, root: Option<usize>, profile: &Profile) -> Option<&Diagnostic> {
        let of_knowledge = || self.project.unread_knowledge(self.job.agent.as_ref()).first();
        let Some(root) = root else { return of_knowledge() };
        let of_sources = || self.project.unread_sources().first();
        let first = self
            .project
            .unread
            .first()
            .or_else(of_knowledge)
            .or_else(of_sources)
            .or_else(|| self.project.damaged_input(root));
        first.or_else(|| self.files.first_unread(root, profile))
    }

    /// Returns the references of a root and what the pack says about them, and reports its diagnostics.
    fn references(&self, root: usize, profile: &Profile, diagnostics: &mut Vec<Diagnostic>) -> RootReferences {
        let Self { project, .. } = self;
        let (mut references, found) = self.files.for_pack(root, profile);
        let with_found =
            |more: Vec<Diagnostic>| apply_severities([found.clone(), more].concat(), project.reader.settings);
        let [in_pack, reported] = project.github_warnings(root).map(with_found);
        diagnostics.extend(reported);
        let entries = &project.corpus.entries;
        let neighbours = project.neighbours(root).map(|item| entries[item].item.id.as_str());
        references.warnings = project.notices.for_pack(&entries[root].item.id, neighbours);
        let noticed = in_pack.iter().map(|diagnostic| notices::notice(diagnostic, &project.reader));
        references.warnings.extend(noticed);
        references
    }

    /// Returns the error that a budget cannot hold the instructions and the root, with the smallest limits that work.
    fn too_small(&self, root: Option<usize>, budget: &Budget, small: TooSmall) -> Diagnostic {
        let is_handover = self.job.agent.as_ref().is_some_and(|agent| agent.handover.is_some());
        let given = if is_handover { "what is given with the task, and " } else { "" };
        let (what, at, about) = match (root.map(|root| &self.project.corpus.entries[root].item), self.agent()) {
            (Some(item), _) => {
                let at = Place::line(item.origin.path.clone(), item.line);
                (format!("the beginning of `{}`", item.id), Some(at), Some(item.id.to_string()))
            }
            (None, Some(agent)) => (format!("the agent `{}`", agent.key), Some(Place::file(agent.path.clone())), None),
            (None, None) => Default::default(),
        };
        let Amount { chars, bytes, tokens } = small.smallest;
        let limits = [(budget.max_chars, chars), (budget.max_bytes, bytes), (budget.max_tokens, tokens)];
        let needed = ["max_chars", "max_bytes", "max_tokens"].into_iter().zip(limits);
        let needed = needed.filter_map(|(name, (limit, smallest))| {
            let limit = limit.filter(|limit| *limit < smallest)?;
            Some(format!("`{name}: {smallest}` (given: {limit})"))
        });
        let needed = needed.collect::<Vec<_>>().join(" and ");
        let what = format!("the budget cannot hold the instructions and {given}{what}");
        let fault = Diagnostic::new(Code::BudgetTooSmall, at, format!("{what}; the smallest that works is {needed}"));
        Diagnostic { about: Vec::from_iter(about), ..fault.help("raise the limit, or shorten the instructions") }
    }
}

impl Project<'_> {
    /// Returns the pack of the item `id`, or an error if it holds a secret value.
    fn checked_for_secrets(&self, id: &str, sealed: Sealed) -> Result<Sealed, Diagnostic> {
        let environment = &self.reader.environment;
        if environment.is_empty() {
            return Ok(sealed);
        }
        let pack = sealed.pack();
        let in_section = pack.sections.iter().find_map(|section| {
            let (name, _) = environment.find(&section.content).or_else(|| environment.find(&section.title))?;
            Some((name.to_owned(), format!("section `{}`, from `{}`", section.id, render::place(&section.source))))
        });
        let in_field = || {
            let (name, _) = environment.find(&String::from_utf8_lossy(sealed.bytes()))?;
            Some((name.to_owned(), "the fields of the pack".to_owned()))
        };
        let Some((name, place)) = in_section.or_else(in_field) else { return Ok(sealed) };
        let message = format!("the value of the environment variable `{name}` stands in {place}");
        let help = "remove it from the source and change the secret; the pack was not written";
        Err(Diagnostic::new(Code::EnvironmentSecret, None, message).help(help).about(id))
    }
}

/// Returns the file name of a pack; `agent` is the stem of the file of the agent that it is for, if any.
pub fn pack_file_name(slug: &str, profile: &str, agent: Option<&str>) -> String {
    let agent = agent.map(|stem| format!("@{stem}")).unwrap_or_default();
    format!("{slug}.{profile}{agent}.json")
}

/// Returns the roots whose packs in the folder hold one of these items, each with the first of them.
fn holding(folder: &Folder, dir: &RepoPath, items: &BTreeMap<&str, usize>) -> HeldDamage {
    let mut held = HeldDamage::default();
    for name in folder.list().unwrap_or_default() {
        let bytes = match folder.read(&name) {
            Ok(bytes) => bytes,
            // No pack is as large as that.
            Err(error) if error.is_too_large() => continue,
            Err(error) => {
                let cause = error.source().map_or_else(|| error.to_string(), ToString::to_string);
                let path = RepoPath::new(&format!("{dir}/{name}"));
                let fault = path.map(|path| unreadable(&path, &Refusal::Unreadable(cause)));
                held.unread.extend(fault.map(|fault| fault.help("make it readable, or remove it")));
                continue;
            }
        };
        let Some(Ok(pack)) = bytes.map(|bytes| read(&bytes)) else { continue };
        let is_item = |input: &&PackInput| input.kind == OriginKind::WorkItem.name();
        let inputs = pack.inputs.iter().filter(is_item).filter_map(|input| input.id.as_deref());
        let edges = pack.sections.iter().filter_map(|section| section.metadata.edges.as_ref()).flatten();
        let item = inputs.chain(edges.map(|edge| edge.to.as_str())).find_map(|id| items.get(id));
        if let (Some(item), Some(root)) = (item, pack.root.work_item_id) {
            held.roots.entry(root).or_insert(*item);
        }
    }
    held
}
