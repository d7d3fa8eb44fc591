//! Builds the packs of many roots under many profiles in parallel.

use super::knowledge::AgentContext;
use super::prepared_profile::{BudgetLimits, InstructionTexts, PreparedProfile, counted_tokenizer};
use super::project::Project;
use super::referenced_files::ReferencedFiles;
use super::repository::diagnostics_of;
use super::{Unsettled, apply_severities, notices, orphans};
use crate::config::{Budget, BuiltinText, HANDOVER_TASK_INSTRUCTIONS, Profile, SESSION_INSTRUCTIONS, Tokenizer};
use crate::fit::{Amount, Counter, TooSmall, fit};
use crate::graph::{Edge, Target};
use crate::intake::Repo;
use crate::model::{Code, Diagnostic, Digest, Place, Relation, slug};
use crate::redact::Clean;
use crate::seal::{Sealed, Stamp, seal};
use crate::select::{RootReferences, select};
use crate::store::Folder;
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// A pack that is about to be built.
#[derive(Debug)]
pub struct Planned {
    /// The root's id.
    pub root: Clean,
    /// The profile.
    pub profile: String,
    /// The file's name.
    pub name: String,
    /// The digest of everything that the pack is selected from and of its budget: the same fingerprint under the same
    /// program and environment gives the same pack. Meaningless unless an [`IsUnchanged`] is given.
    pub fingerprint: Digest,
    /// Warnings about the references of this root.
    pub diagnostics: Vec<Diagnostic>,
}

/// Decides whether a pack is unchanged, so that it need not be built.
pub type IsUnchanged<'a> = dyn Fn(&Planned) -> bool + Sync + 'a;

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

/// The result of building one pack.
#[derive(Debug)]
pub struct Built {
    /// The root's id.
    pub root: Clean,
    /// The profile.
    pub profile: String,
    /// The file's name.
    pub name: String,
    /// The pack, or the error that prevents it.
    pub outcome: Result<Sealed, Diagnostic>,
    /// Warnings about the references of this root.
    pub diagnostics: Vec<Diagnostic>,
    /// The [`Planned::fingerprint`], if an [`IsUnchanged`] was given.
    pub fingerprint: Option<Digest>,
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

/// Builds the packs of `job` in parallel and hands each to `sink`, unless it `is_unchanged`; `files` are what `project`
/// was read from.
///
/// # Errors
/// If git changed files while they were read; then `sink` was given nothing.
pub fn build_packs(
    files: &Repo,
    project: &Project<'_>,
    job: &BuildJob,
    is_unchanged: Option<&IsUnchanged<'_>>,
    sink: &(dyn Fn(Built) + Sync),
) -> Result<BuildReport, Unsettled> {
    project.find_held_damage(files.root());
    let mut found = diagnostics_of(files, project, job);
    found.extend(job.agent.iter().flat_map(|agent| agent.faults.clone()));
    let found = Mutex::new(found);
    let add = |diagnostics: Vec<Diagnostic>| found.lock().unwrap_or_else(PoisonError::into_inner).extend(diagnostics);
    let sink = |mut built: Built| {
        let mut diagnostics = std::mem::take(&mut built.diagnostics);
        diagnostics.extend(built.outcome.as_ref().err().cloned());
        sink(built);
        add(diagnostics);
    };
    let reported = is_unchanged.map(|is_unchanged| {
        |planned: &Planned| {
            let unchanged = is_unchanged(planned);
            if unchanged {
                add(planned.diagnostics.clone());
            }
            unchanged
        }
    });
    let faults = project.build(job, reported.as_ref().map(|is_unchanged| is_unchanged as &IsUnchanged<'_>), &sink)?;
    let blocked = !faults.is_empty();
    let mut diagnostics = found.into_inner().unwrap_or_else(PoisonError::into_inner);
    diagnostics.extend(faults);
    let mut diagnostics: Vec<Diagnostic> =
        diagnostics.into_iter().map(|diagnostic| project.redacted_for_output(diagnostic)).collect();
    diagnostics.sort();
    diagnostics.dedup();
    Ok(BuildReport { diagnostics, blocked })
}

impl Project<'_> {
    /// Builds every root under every profile, except packs that are unchanged, and hands each result to `sink`, from
    /// several threads, in no order. The caller reports the diagnostics of unchanged packs.
    ///
    /// Returns the errors that keep a whole profile, roots with one file name, or packs with unreadable inputs from being
    /// built. If there are any, it is not known which packs belong into the folder.
    ///
    /// # Errors
    /// If git changed files while they were read; then `sink` was given nothing.
    pub fn build(
        &self,
        job: &BuildJob,
        is_unchanged: Option<&IsUnchanged<'_>>,
        sink: &(dyn Fn(Built) + Sync),
    ) -> Result<Vec<Diagnostic>, Unsettled> {
        let profiles: Vec<&Profile> = job.profiles.iter().filter_map(|name| self.settings.profiles.get(name)).collect();
        let agent = job.agent.as_ref();
        let files = ReferencedFiles::read(self, &job.roots, &profiles, agent);
        let (roots, mut faults) = self.distinct_slugs(&job.roots, &job.others);
        let budgets: Vec<Budget> = profiles.iter().map(|profile| job.limits.over(&profile.budget)).collect();
        let counters: BTreeMap<Option<Tokenizer>, Counter> =
            budgets.iter().map(counted_tokenizer).map(|tokenizer| (tokenizer, Counter::new(tokenizer))).collect();
        let session = agent.filter(|_| job.session_start);
        let additions = self.additions(agent);
        let mut prepare = |instead: Option<BuiltinText>| {
            let mut prepared = Vec::new();
            for (profile, budget) in profiles.iter().zip(&budgets) {
                let texts = InstructionTexts { instead, additions };
                match self.prepare_profile(profile, budget.clone(), &counters, texts) {
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
        faults.extend(self.unread_knowledge(agent).iter().filter(|fault| !self.unread.contains(fault)).cloned());
        // Every input has been read, and nothing was handed on yet.
        if !self.source.is_settled() {
            return Err(Unsettled);
        }
        if let Some(agent) = session {
            let built = starts.iter().filter_map(|start| self.build_session(start, agent, &job.stamp, is_unchanged));
            built.for_each(sink);
        }
        for roots in roots.chunks(AT_ONCE) {
            let pairs: Vec<(usize, &PreparedProfile<'_>)> =
                roots.iter().flat_map(|root| prepared.iter().map(move |profile| (*root, profile))).collect();
            pairs.par_iter().for_each(|(root, profile)| {
                if let Some(built) = self.build_pack(*root, profile, &files, job, is_unchanged) {
                    sink(built);
                }
            });
            prepared.iter_mut().for_each(|profile| profile.context.clear_passages());
            counters.values().for_each(Counter::clear_shared);
        }
        Ok(faults)
    }

    /// Returns the items that the pack of `root` shows as its neighbours.
    pub(super) fn neighbours(&self, root: usize) -> impl Iterator<Item = usize> {
        self.graph.shown(root).filter_map(|edge| match edge.to {
            Target::Item(item) => Some(item),
            Target::Issue { .. } => None,
        })
    }

    /// Returns why an item that the pack of `root` may hold cannot be read: the root itself, one that it has to do with, or
    /// another child of its parent.
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
        let held = || damage(*self.held_damage.get()?.get(&*self.corpus.entries[root].item.id)?);
        damage(root).or_else(|| around(root).chain(siblings).find_map(|(_, item)| damage(item))).or_else(held)
    }

    /// Finds the packs on disk that hold an item whose record cannot be read.
    fn find_held_damage(&self, top: &Path) {
        if !self.has_damage || self.held_damage.get().is_some() {
            return;
        }
        let entries = self.corpus.entries.iter().enumerate();
        let damaged: BTreeMap<&str, usize> =
            entries.filter(|(_, entry)| entry.damage.is_some()).map(|(at, entry)| (&*entry.item.id, at)).collect();
        // If the folder cannot be read, nothing can be written there either.
        let folder = Folder::open(top, &self.settings.output.dir).ok();
        let held = folder.map(|folder| orphans::holding(&folder, &damaged)).unwrap_or_default();
        let _ = self.held_damage.set(held);
    }

    /// Returns the `roots` whose slug no other root has, and an error for each slug that several have.
    fn distinct_slugs(&self, roots: &[usize], others: &[usize]) -> (Vec<usize>, Vec<Diagnostic>) {
        let slug_of = |root: &usize| slug(&self.pack_name(*root));
        let mut by_slug: BTreeMap<String, BTreeSet<usize>> = BTreeMap::new();
        for root in roots {
            by_slug.entry(slug_of(root)).or_default().insert(*root);
        }
        for root in others {
            if let Some(same) = by_slug.get_mut(&slug_of(root)) {
                same.insert(*root);
            }
        }
        let mut faults = Vec::new();
        let mut kept = BTreeSet::new();
        for (slug, same) in by_slug {
            if same.len() > 1 {
                faults.push(self.slug_clash(&slug, &same));
            } else {
                kept.extend(same);
            }
        }
        (kept.into_iter().collect(), faults)
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

    /// Builds the pack of `root`; `None` if it is unchanged.
    fn build_pack(
        &self,
        root: usize,
        prepared: &PreparedProfile<'_>,
        files: &ReferencedFiles,
        job: &BuildJob,
        is_unchanged: Option<&IsUnchanged<'_>>,
    ) -> Option<Built> {
        let profile = prepared.context.profile;
        let item = &self.corpus.entries[root].item;
        let name = self.file_name(&self.pack_name(root), profile, job.agent.as_ref());
        let unread = || self.unread.first().or_else(|| self.unread_knowledge(job.agent.as_ref()).first());
        let unread = || unread().or_else(|| self.damaged_input(root));
        if let Some(unread) = unread().or_else(|| files.first_unread(self, root, profile)) {
            return Some(Built {
                root: item.id.clone(),
                profile: profile.name.clone(),
                name,
                outcome: Err(unread.clone()),
                diagnostics: Vec::new(),
                fingerprint: None,
            });
        }
        let (mut references, found) = files.for_pack(self, root, profile, job.agent.as_ref());
        let github = self.github_warnings(root);
        let with_found = |more: Vec<Diagnostic>| apply_severities([found.clone(), more].concat(), self.settings);
        let (in_pack, diagnostics) = (with_found(github.in_pack), with_found(github.reported));
        let neighbours = self.neighbours(root).map(|item| self.corpus.entries[item].item.id.as_str());
        references.warnings = self.notices.for_pack(&item.id, neighbours);
        references
            .warnings
            .extend(in_pack.iter().map(|diagnostic| notices::notice(diagnostic, &self.scrubber.redactor)));
        let agent = job.agent.as_ref();
        let knowledge = self.knowledge_sections(&prepared.context, Some(root), &references, agent);
        let mut planned = Planned {
            root: item.id.clone(),
            profile: profile.name.clone(),
            name,
            fingerprint: Digest::of(""),
            diagnostics,
        };
        if let Some(is_unchanged) = is_unchanged {
            planned.fingerprint = prepared.fingerprint(Some((root, &references)), &knowledge);
            if is_unchanged(&planned) {
                return None;
            }
        }
        let selection = select(&prepared.context, Some(root), references, knowledge);
        let outcome = match fit(selection, &prepared.budget, prepared.counter) {
            Ok(fitted) => self.checked_for_secrets(&item.id, seal(&fitted, &self.stamped(&job.stamp))),
            Err(small) => Err(self.too_small(root, &prepared.budget, small, given(agent))),
        };
        Some(Built {
            root: planned.root,
            profile: planned.profile,
            name: planned.name,
            outcome,
            diagnostics: planned.diagnostics,
            fingerprint: is_unchanged.map(|_| planned.fingerprint),
        })
    }

    /// Returns the file name of the pack of `root`, which is an id, under a profile. An agent's pack names the agent.
    fn file_name(&self, root: &str, profile: &Profile, agent: Option<&AgentContext>) -> String {
        let stem = agent.map(|agent| self.knowledge().agents.all[agent.agent].stem());
        pack_file_name(&slug(root), &profile.name, stem)
    }

    /// Builds the pack with which a session of an agent begins; `None` if it is unchanged.
    fn build_session(
        &self,
        prepared: &PreparedProfile<'_>,
        agent: &AgentContext,
        stamp: &Stamp,
        is_unchanged: Option<&IsUnchanged<'_>>,
    ) -> Option<Built> {
        let profile = prepared.context.profile;
        let known = &self.knowledge().agents.all[agent.agent];
        let mut planned = Planned {
            root: known.key.clone(),
            profile: profile.name.clone(),
            name: self.file_name(&known.key, profile, Some(agent)),
            fingerprint: Digest::of(""),
            diagnostics: Vec::new(),
        };
        let built = |planned: Planned, outcome| Built {
            root: planned.root,
            profile: planned.profile,
            name: planned.name,
            outcome,
            diagnostics: Vec::new(),
            fingerprint: is_unchanged.map(|_| planned.fingerprint),
        };
        if let Some(unread) = self.unread_knowledge(Some(agent)).first() {
            return Some(Built { fingerprint: None, ..built(planned, Err(unread.clone())) });
        }
        let knowledge = self.knowledge_sections(&prepared.context, None, &RootReferences::default(), Some(agent));
        if let Some(is_unchanged) = is_unchanged {
            planned.fingerprint = prepared.fingerprint(None, &knowledge);
            if is_unchanged(&planned) {
                return None;
            }
        }
        let selection = select(&prepared.context, None, RootReferences::default(), knowledge);
        let outcome = match fit(selection, &prepared.budget, prepared.counter) {
            Ok(fitted) => self.checked_for_secrets(&known.key, seal(&fitted, &self.stamped(stamp))),
            Err(small) => {
                let at = Place::file(known.path.clone());
                let what = format!("{}the agent `{}`", given(Some(agent)), known.key);
                Err(too_small(&prepared.budget, small, &what, at))
            }
        };
        Some(built(planned, outcome))
    }

    /// Returns the stamp with the version of the redaction rules.
    fn stamped(&self, stamp: &Stamp) -> Stamp {
        stamp.with_redaction_rules(self.scrubber.redactor.rules_version())
    }

    fn too_small(&self, root: usize, budget: &Budget, small: TooSmall, given: &str) -> Diagnostic {
        let item = &self.corpus.entries[root].item;
        let at = Place::line(item.origin.path.clone(), item.line);
        too_small(budget, small, &format!("{given}the beginning of `{}`", item.id), at).about(item.id.as_str())
    }
}

/// Returns the file name of a pack; `agent` is the stem of the file of the agent that it is for, if any.
pub fn pack_file_name(slug: &str, profile: &str, agent: Option<&str>) -> String {
    let agent = agent.map(|stem| format!("@{stem}")).unwrap_or_default();
    format!("{slug}.{profile}{agent}.json")
}

/// Returns what a pack holds whole besides its instructions and its root.
fn given(agent: Option<&AgentContext>) -> &'static str {
    if agent.is_some_and(|agent| agent.handover.is_some()) { "what is given with the task, and " } else { "" }
}

/// Returns the error that a budget cannot hold the instructions and `what`, with the smallest limits that work.
fn too_small(budget: &Budget, small: TooSmall, what: &str, at: Place) -> Diagnostic {
    let Amount { chars, bytes, tokens } = small.smallest;
    let needed: Vec<String> = [
        ("max_chars", budget.max_chars, chars),
        ("max_bytes", budget.max_bytes, bytes),
        ("max_tokens", budget.max_tokens, tokens),
    ]
    .into_iter()
    .filter_map(|(name, limit, smallest)| {
        limit.filter(|limit| *limit < smallest).map(|limit| format!("`{name}: {smallest}` (given: {limit})"))
    })
    .collect();
    let message = format!(
        "the budget cannot hold the instructions and {what}; the smallest that works is {}",
        needed.join(" and "),
    );
    Diagnostic::new(Code::BudgetTooSmall, Some(at), message).help("raise the limit, or shorten the instructions")
}
