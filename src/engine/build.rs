//! Builds the packs of many roots under many profiles in parallel.

use super::project::{COMMIT, Project, unreadable};
use super::referenced_files::ReferencedFiles;
use super::repository::diagnostics_of;
use super::{apply_severities, clean, notices};
use crate::cache::FilePurpose;
use crate::config::{Budget, Instructions, Profile, Strategy, Tokenizer};
use crate::fit::{Amount, Counter, TooSmall, fit};
use crate::graph::Target;
use crate::intake::Repo;
use crate::model::{Code, Diagnostic, Digest, Digester, Severity, slug};
use crate::redact::Clean;
use crate::render;
use crate::seal::{Sealed, Stamp, seal};
use crate::select::{
    CommentRules, Input, OriginKind, ProfileInstructions, RootReferences, SelectionContext, TextOrigin,
    hash_selection_inputs, select,
};
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::Hash as _;
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
}

/// Limits and strategy given for one run.
#[derive(Debug, Clone, Copy, Default)]
pub struct BudgetLimits {
    /// Unicode scalar values.
    pub max_chars: Option<u64>,
    /// UTF-8 bytes.
    pub max_bytes: Option<u64>,
    /// Tokens.
    pub max_tokens: Option<u64>,
    /// How a pack is trimmed to its limits.
    pub strategy: Option<Strategy>,
}

/// A pack, or why there is none.
#[derive(Debug)]
pub struct Built {
    /// The root's id.
    pub root: Clean,
    /// The profile.
    pub profile: String,
    /// The file's name.
    pub name: String,
    /// The pack.
    pub outcome: Result<Sealed, PackFailure>,
    /// Warnings about the references of this root.
    pub diagnostics: Vec<Diagnostic>,
    /// The [`Planned::fingerprint`], if an [`IsUnchanged`] was given.
    pub fingerprint: Option<Digest>,
}

/// Why a pack was not built.
#[derive(Debug)]
pub struct PackFailure {
    /// The error.
    pub diagnostic: Diagnostic,
}

/// Git changed files while they were read, so that they may be of two commits. Nothing was built.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("git changed files while they were read")]
pub struct Unsettled;

/// What a build of several packs found besides the packs themselves.
#[derive(Debug, Clone, Default)]
pub struct BuildReport {
    /// What is wrong, redacted and sorted.
    pub diagnostics: Vec<Diagnostic>,
    /// Whether something kept a whole profile, roots with one file name, or packs that may hold what cannot be read
    /// from being built. Then it is not known which packs belong into the folder.
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
    let found = Mutex::new(diagnostics_of(files, project));
    let add = |diagnostics: Vec<Diagnostic>| found.lock().unwrap_or_else(PoisonError::into_inner).extend(diagnostics);
    let sink = |mut built: Built| {
        let mut diagnostics = std::mem::take(&mut built.diagnostics);
        diagnostics.extend(built.outcome.as_ref().err().map(|failure| failure.diagnostic.clone()));
        sink(built);
        add(diagnostics);
    };
    let faults = match is_unchanged {
        None => project.build(job, &sink)?,
        Some(is_unchanged) => {
            let is_unchanged = |planned: &Planned| {
                let unchanged = is_unchanged(planned);
                if unchanged {
                    add(planned.diagnostics.clone());
                }
                unchanged
            };
            project.build_unless(job, &is_unchanged, &sink)?
        }
    };
    let blocked = !faults.is_empty();
    let mut diagnostics = found.into_inner().unwrap_or_else(PoisonError::into_inner);
    diagnostics.extend(faults);
    let mut diagnostics: Vec<Diagnostic> =
        diagnostics.into_iter().map(|diagnostic| project.redacted_for_output(diagnostic)).collect();
    diagnostics.sort();
    diagnostics.dedup();
    Ok(BuildReport { diagnostics, blocked })
}

/// A profile ready to build with.
struct PreparedProfile<'a> {
    library: SelectionContext<'a>,
    budget: Budget,
    counter: &'a Counter,
    /// A digester fed with everything that holds for every pack of the profile.
    key_prefix: Digester,
}

impl PreparedProfile<'_> {
    /// Digests everything that decides the pack of `root` except its stamp: `fit` and `seal` get nothing else.
    fn fingerprint(&self, root: usize, references: &RootReferences) -> Digest {
        let mut digester = self.key_prefix.clone();
        hash_selection_inputs(&self.library, root, references, &mut digester);
        digester.digest()
    }
}

impl BudgetLimits {
    /// The profile's budget, or these limits in place of all of it.
    fn over(self, budget: &Budget) -> Budget {
        let given = self.max_chars.is_some() || self.max_bytes.is_some() || self.max_tokens.is_some();
        let limits = if given {
            self
        } else {
            Self { max_chars: budget.max_chars, max_bytes: budget.max_bytes, max_tokens: budget.max_tokens, ..self }
        };
        Budget {
            max_chars: limits.max_chars,
            max_bytes: limits.max_bytes,
            max_tokens: limits.max_tokens,
            strategy: self.strategy.unwrap_or(budget.strategy),
            margin: if given { 0 } else { budget.margin },
            ..budget.clone()
        }
    }
}

impl Project<'_> {
    /// Builds every root under every profile and hands each result to `sink`, from several threads, in no order.
    ///
    /// Returns the errors that keep a whole profile, roots with one file name, or packs with unreadable inputs from being
    /// built. If there are any, it is not known which packs belong into the folder.
    ///
    /// # Errors
    /// If git changed files while they were read: then nothing is handed on.
    pub fn build(&self, job: &BuildJob, sink: &(dyn Fn(Built) + Sync)) -> Result<Vec<Diagnostic>, Unsettled> {
        self.build_all(job, None, sink)
    }

    /// Builds every root under every profile except packs that are `known` to be unchanged, whose diagnostics the caller
    /// reports.
    ///
    /// # Errors
    /// As [`Project::build`].
    pub fn build_unless(
        &self,
        job: &BuildJob,
        known: &IsUnchanged<'_>,
        sink: &(dyn Fn(Built) + Sync),
    ) -> Result<Vec<Diagnostic>, Unsettled> {
        self.build_all(job, Some(known), sink)
    }

    fn build_all(
        &self,
        job: &BuildJob,
        known: Option<&IsUnchanged<'_>>,
        sink: &(dyn Fn(Built) + Sync),
    ) -> Result<Vec<Diagnostic>, Unsettled> {
        let profiles: Vec<&Profile> = job.profiles.iter().filter_map(|name| self.settings.profiles.get(name)).collect();
        let files = ReferencedFiles::fill(self, &job.roots, &profiles);
        let (roots, mut faults) = self.distinct_slugs(&job.roots, &job.others);
        let budgets: Vec<Budget> = profiles.iter().map(|profile| job.limits.over(&profile.budget)).collect();
        let counters: BTreeMap<Option<Tokenizer>, Counter> =
            budgets.iter().map(counted).map(|tokenizer| (tokenizer, Counter::new(tokenizer))).collect();
        let mut prepared = Vec::new();
        for (profile, budget) in profiles.iter().zip(budgets) {
            match self.profile_ready(profile, budget, &counters) {
                Ok(profile_ready) => prepared.extend(profile_ready),
                Err(fault) => faults.push(fault),
            }
        }
        faults.extend(self.unread.iter().chain(files.unread()).cloned());
        // Every input has been read, and nothing was handed on yet.
        if !self.source.is_settled() {
            return Err(Unsettled);
        }
        for roots in roots.chunks(AT_ONCE) {
            let pairs: Vec<(usize, &PreparedProfile<'_>)> = roots
                .iter()
                .flat_map(|root| prepared.iter().map(move |profile_ready| (*root, profile_ready)))
                .collect();
            pairs.par_iter().for_each(|(root, profile_ready)| {
                if let Some(built) = self.pack(*root, profile_ready, &files, &job.stamp, known) {
                    sink(built);
                }
            });
            prepared.iter_mut().for_each(|profile_ready| profile_ready.library.clear_passages());
            counters.values().for_each(Counter::clear_shared);
        }
        Ok(faults)
    }

    fn profile_ready<'b>(
        &'b self,
        profile: &'b Profile,
        budget: Budget,
        counters: &'b BTreeMap<Option<Tokenizer>, Counter>,
    ) -> Result<Option<PreparedProfile<'b>>, Diagnostic> {
        let (guidance, input) = self.instructions(profile)?;
        let rules = Input {
            origin: TextOrigin {
                id: Some(Clean::literal("redaction-rules")),
                version: Some(self.scrubber.redactor.rules_version()),
                ..TextOrigin::new(OriginKind::Builtin)
            },
            digest: None,
        };
        let github = &self.settings.github;
        let comments = CommentRules {
            most: usize::try_from(github.comments).unwrap_or(usize::MAX),
            trusted_only: github.trusted_only,
        };
        let excerpt = &self.settings.adrs.excerpt;
        let library =
            SelectionContext::new(&self.corpus, &self.graph, profile, excerpt, guidance, vec![input, rules], comments);
        let Some(counter) = counters.get(&counted(&budget)) else { return Ok(None) };
        let mut key_prefix = Digester::default();
        library.hash_settings(&mut key_prefix);
        budget.hash(&mut key_prefix);
        Ok(Some(PreparedProfile { library, budget, counter, key_prefix }))
    }

    fn instructions(&self, profile: &Profile) -> Result<(ProfileInstructions, Input), Diagnostic> {
        let (text, origin, removals) = match &profile.instructions {
            Instructions::Builtin { version, text } => {
                let origin = TextOrigin {
                    id: Some(clean::line(&self.scrubber.redactor, "profile", &profile.name)),
                    version: Some(*version),
                    ..TextOrigin::new(OriginKind::Builtin)
                };
                (Clean::literal(text), origin, Vec::new())
            }
            Instructions::File(path) => {
                let raw = self.source.read(path).map_err(|refusal| {
                    let diagnostic = unreadable(path, &refusal);
                    Diagnostic { severity: Severity::Error, ..diagnostic }
                })?;
                if self.untracked.distrusts(self.source, path) {
                    let message =
                        format!("git does not track `{path}`, so that anyone could have written these instructions");
                    let at = crate::model::Place::file(path.clone());
                    let diagnostic = Diagnostic::new(Code::UntrackedFile, Some(at), message).help(COMMIT);
                    return Err(Diagnostic { severity: Severity::Error, ..diagnostic });
                }
                let (shown, text, removals, _) = clean::file(&self.scrubber, path, FilePurpose::Document, &raw);
                (text.clean, TextOrigin { path: Some(shown), ..TextOrigin::new(OriginKind::File) }, removals)
            }
        };
        let text = text.trimmed();
        let mut input = Input { digest: Some(Digest::of(text.as_str())), origin: origin.clone() };
        if origin.kind == OriginKind::Builtin {
            let mut id = crate::redact::CleanBuf::new();
            id.lit("instructions/").text(&origin.id.clone().unwrap_or_default());
            input.origin.id = Some(id.finish());
        }
        Ok((ProfileInstructions { text, origin, removals }, input))
    }

    /// Returns the `roots` whose slug no other root has, and an error for each slug that several have.
    fn distinct_slugs(&self, roots: &[usize], others: &[usize]) -> (Vec<usize>, Vec<Diagnostic>) {
        let slug_of = |root: &usize| slug(&self.name(*root));
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
                faults.push(self.clash(&slug, &same));
            } else {
                kept.extend(same);
            }
        }
        (kept.into_iter().collect(), faults)
    }

    fn clash(&self, slug: &str, roots: &BTreeSet<usize>) -> Diagnostic {
        let items: Vec<_> = roots.iter().map(|root| &self.corpus.entries[*root].item).collect();
        let ids: Vec<String> = items.iter().map(|item| format!("`{}`", item.id)).collect();
        let at = items.first().map(|item| crate::model::Place::line(item.origin.path.clone(), item.line));
        let all = if ids.len() == 2 { "both" } else { "all" };
        let message = format!("{} would {all} be written to `{slug}.<profile>.json`", ids.join(" and "));
        items.iter().fold(
            Diagnostic::new(Code::SlugClash, at, message).help("give all but one of them another id; none is built"),
            |diagnostic, item| diagnostic.about(item.id.as_str()),
        )
    }

    fn pack(
        &self,
        root: usize,
        profile_ready: &PreparedProfile<'_>,
        files: &ReferencedFiles,
        stamp: &Stamp,
        known: Option<&IsUnchanged<'_>>,
    ) -> Option<Built> {
        let profile = profile_ready.library.profile;
        let item = &self.corpus.entries[root].item;
        let name = format!("{}.{}.json", slug(&self.name(root)), profile.name);
        if let Some(unread) = self.unread.first().or_else(|| files.unread_of(self, root, profile)) {
            return Some(Built {
                root: item.id.clone(),
                profile: profile.name.clone(),
                name,
                outcome: Err(PackFailure { diagnostic: unread.clone() }),
                diagnostics: Vec::new(),
                fingerprint: None,
            });
        }
        let (mut references, found) = files.of(self, root, profile);
        let of_github = self.of_github(root);
        let with = |more: Vec<Diagnostic>| apply_severities([found.clone(), more].concat(), self.settings);
        let (carried, diagnostics) = (with(of_github.carried), with(of_github.told));
        let neighbours = self.graph.shown(root).filter_map(|edge| match edge.to {
            Target::Item(item) => Some(self.corpus.entries[item].item.id.as_str()),
            Target::Issue { .. } => None,
        });
        references.warnings = self.notices.of(&item.id, neighbours);
        references
            .warnings
            .extend(carried.iter().map(|diagnostic| notices::notice(diagnostic, &self.scrubber.redactor)));
        let mut planned = Planned {
            root: item.id.clone(),
            profile: profile.name.clone(),
            name,
            fingerprint: Digest::of(""),
            diagnostics,
        };
        if let Some(known) = known {
            planned.fingerprint = profile_ready.fingerprint(root, &references);
            if known(&planned) {
                return None;
            }
        }
        let selection = select(&profile_ready.library, root, references);
        let outcome = match fit(selection, &profile_ready.budget, profile_ready.counter) {
            Ok(fitted) => self.guarded(&item.id, seal(&fitted, stamp)),
            Err(small) => Err(self.too_small(root, &profile_ready.budget, small)),
        };
        Some(Built {
            root: planned.root,
            profile: planned.profile,
            name: planned.name,
            outcome: outcome.map_err(|diagnostic| PackFailure { diagnostic }),
            diagnostics: planned.diagnostics,
            fingerprint: known.map(|_| planned.fingerprint),
        })
    }

    /// The last check: no value of a secret variable of this process may be in a pack.
    fn guarded(&self, id: &str, sealed: Sealed) -> Result<Sealed, Diagnostic> {
        if self.environment.is_empty() {
            return Ok(sealed);
        }
        let place = sealed
            .pack()
            .sections
            .iter()
            .find_map(|section| {
                let hit = self.environment.find(&section.content).or_else(|| self.environment.find(&section.title));
                hit.map(|(name, _)| {
                    (name.to_owned(), format!("section `{}`, from `{}`", section.id, render::place(&section.source)))
                })
            })
            .or_else(|| {
                let text = String::from_utf8_lossy(sealed.bytes());
                let (name, _) = self.environment.find(&text)?;
                let field = serde_json::to_value(sealed.pack()).ok().and_then(|pack| self.field_of_environment(&pack));
                Some((name.to_owned(), field.map_or("its fields".to_owned(), |field| format!("the pack's `{field}`"))))
            });
        match place {
            None => Ok(sealed),
            Some((name, place)) => {
                let message = format!("the value of the environment variable `{name}` stands in {place}");
                Err(Diagnostic::new(Code::EnvironmentSecret, None, message)
                    .help("remove it from the source and change the secret; the pack was not written")
                    .about(id))
            }
        }
    }

    /// The first field of a pack that holds a value of the environment, such as `root.title` or `warnings[0].message`.
    fn field_of_environment(&self, value: &serde_json::Value) -> Option<String> {
        use serde_json::Value;
        match value {
            Value::String(text) => self.environment.find(text).map(|_| String::new()),
            Value::Array(values) => values
                .iter()
                .enumerate()
                .find_map(|(index, value)| Some(format!("[{index}]{}", dotted(self.field_of_environment(value)?)))),
            Value::Object(fields) => fields
                .iter()
                .find_map(|(name, value)| Some(format!("{name}{}", dotted(self.field_of_environment(value)?)))),
            Value::Null | Value::Bool(_) | Value::Number(_) => None,
        }
    }

    fn too_small(&self, root: usize, budget: &Budget, small: TooSmall) -> Diagnostic {
        let item = &self.corpus.entries[root].item;
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
        let at = crate::model::Place::line(item.origin.path.clone(), item.line);
        let message = format!(
            "the budget cannot hold the instructions and the beginning of `{}`; the smallest that works is {}",
            item.id,
            needed.join(" and "),
        );
        Diagnostic::new(Code::BudgetTooSmall, Some(at), message)
            .help("raise the limit, or shorten the instructions")
            .about(item.id.as_str())
    }
}

/// The value of a field as text, as it follows the field's name.
fn dotted(below: String) -> String {
    if below.is_empty() || below.starts_with('[') { below } else { format!(".{below}") }
}

fn counted(budget: &Budget) -> Option<Tokenizer> {
    budget.max_tokens.map(|_| budget.tokenizer)
}
