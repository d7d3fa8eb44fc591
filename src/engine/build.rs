//! Roots × profiles → sealed packs, in parallel, each handed on as soon as it is done.

use super::project::{COMMIT, Project, unreadable};
use super::referenced_files::ReferencedFiles;
use super::repository::diagnostics_of;
use super::{apply_severities, clean, notices};
use crate::config::{Budget, Instructions, Profile, Strategy, Tokenizer};
use crate::fit::{Amount, Counter, TooSmall, fit};
use crate::graph::Target;
use crate::intake::Repo;
use crate::model::{Code, Diagnostic, Digest, Digester, Severity, slug};
use crate::redact::Clean;
use crate::render;
use crate::seal::{Sealed, Stamp, seal};
use crate::select::{
    CommentRules, Input, OriginKind, ProfileInstructions, RootReferences, SelectionContext, TextOrigin, ingredients,
    select,
};
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::Hash as _;
use std::sync::{Mutex, PoisonError};

/// A pack about to be built, and everything that decides how it will be.
#[derive(Debug)]
pub struct Planned {
    /// The root's id.
    pub root: Clean,
    /// The profile.
    pub profile: String,
    /// The file's name.
    pub name: String,
    /// Of all that may stand in it and of its budget: where it is the same, under the same program and
    /// environment, so is the pack. Where nobody asks for it, it says nothing.
    pub fingerprint: Digest,
    /// Warnings about the references of this root.
    pub diagnostics: Vec<Diagnostic>,
}

/// Says of a pack whether it need not be built.
pub type IsUnchanged<'a> = dyn Fn(&Planned) -> bool + Sync + 'a;

/// How many roots share their neighbours' passages: more would hold more in memory than they save.
const AT_ONCE: usize = 128;

/// What to build.
#[derive(Debug, Clone)]
pub struct BuildJob {
    /// Indexes of the corpus.
    pub roots: Vec<usize>,
    /// Indexes of other roots whose packs have a place in the same folder.
    pub beside: Vec<usize>,
    /// Names of profiles that the settings have.
    pub profiles: Vec<String>,
    /// Limits that replace those of the profiles.
    pub limits: BudgetLimits,
    /// When and by what.
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
    /// How a pack is made to fit.
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
    /// What [`Planned::fingerprint`] was, where packs are told apart by it.
    pub fingerprint: Option<Digest>,
}

/// Why a pack was not built.
#[derive(Debug)]
pub struct PackFailure {
    /// What is wrong with the input.
    pub diagnostic: Diagnostic,
}

/// Git changed files of the repo while they were read, so that what was read may be of two states; nothing was built.
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
    /// A digest that has begun with all that holds for every pack of the profile.
    begun: Digester,
}

impl PreparedProfile<'_> {
    /// Everything that decides how the pack of `root` is built: `fit` and `seal` know nothing else of it, but for
    /// its stamp.
    fn fingerprint(&self, root: usize, references: &RootReferences) -> Digest {
        let mut digester = self.begun.clone();
        ingredients(&self.library, root, references, &mut digester);
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
    /// Returns what keeps a whole profile, two roots with one file name, or packs that may hold what cannot be read
    /// from being built: where there is any, it is not known which packs belong into the folder.
    ///
    /// # Errors
    /// If git changed files while they were read: then nothing is handed on.
    pub fn build(&self, job: &BuildJob, sink: &(dyn Fn(Built) + Sync)) -> Result<Vec<Diagnostic>, Unsettled> {
        self.build_all(job, None, sink)
    }

    /// Does the same, but builds no pack that is `known`: whoever says so takes what is to be said of it.
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
        let shelf = ReferencedFiles::fill(self, &job.roots, &profiles);
        let (roots, mut faults) = self.unclashed(&job.roots, &job.beside);
        let budgets: Vec<Budget> = profiles.iter().map(|profile| job.limits.over(&profile.budget)).collect();
        let counters: BTreeMap<Option<Tokenizer>, Counter> =
            budgets.iter().map(counted).map(|tokenizer| (tokenizer, Counter::new(tokenizer))).collect();
        let mut benches = Vec::new();
        for (profile, budget) in profiles.iter().zip(budgets) {
            match self.bench(profile, budget, &counters) {
                Ok(bench) => benches.extend(bench),
                Err(fault) => faults.push(fault),
            }
        }
        faults.extend(self.unread.iter().chain(shelf.unread()).cloned());
        // Every input has been read, and nothing was handed on yet.
        if !self.source.is_settled() {
            return Err(Unsettled);
        }
        for roots in roots.chunks(AT_ONCE) {
            let pairs: Vec<(usize, &PreparedProfile<'_>)> =
                roots.iter().flat_map(|root| benches.iter().map(move |bench| (*root, bench))).collect();
            pairs.par_iter().for_each(|(root, bench)| {
                if let Some(built) = self.pack(*root, bench, &shelf, &job.stamp, known) {
                    sink(built);
                }
            });
            benches.iter_mut().for_each(|bench| bench.library.forget());
            counters.values().for_each(Counter::forget);
        }
        Ok(faults)
    }

    fn bench<'b>(
        &'b self,
        profile: &'b Profile,
        budget: Budget,
        counters: &'b BTreeMap<Option<Tokenizer>, Counter>,
    ) -> Result<Option<PreparedProfile<'b>>, Diagnostic> {
        let (guidance, input) = self.instructions(profile)?;
        let rules = Input {
            origin: TextOrigin {
                id: Some(Clean::literal("redaction-rules")),
                version: Some(self.door.redactor.rules_version()),
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
        let mut begun = Digester::default();
        library.hash_settings(&mut begun);
        budget.hash(&mut begun);
        Ok(Some(PreparedProfile { library, budget, counter, begun }))
    }

    fn instructions(&self, profile: &Profile) -> Result<(ProfileInstructions, Input), Diagnostic> {
        let (text, origin, removals) = match &profile.instructions {
            Instructions::Builtin { version, text } => {
                let origin = TextOrigin {
                    id: Some(clean::line(&self.door.redactor, "profile", &profile.name)),
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
                let (shown, text, removals, _) = clean::document(&self.door, path, &raw);
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

    /// Those of `roots` that share their slug with no other root, and an error for each slug that is shared.
    fn unclashed(&self, roots: &[usize], beside: &[usize]) -> (Vec<usize>, Vec<Diagnostic>) {
        let slug_of = |root: &usize| slug(&self.name(*root));
        let mut by_slug: BTreeMap<String, BTreeSet<usize>> = BTreeMap::new();
        for root in roots {
            by_slug.entry(slug_of(root)).or_default().insert(*root);
        }
        for root in beside {
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
        bench: &PreparedProfile<'_>,
        shelf: &ReferencedFiles,
        stamp: &Stamp,
        known: Option<&IsUnchanged<'_>>,
    ) -> Option<Built> {
        let profile = bench.library.profile;
        let item = &self.corpus.entries[root].item;
        let name = format!("{}.{}.json", slug(&self.name(root)), profile.name);
        if let Some(unread) = self.unread.first().or_else(|| shelf.unread_of(self, root, profile)) {
            return Some(Built {
                root: item.id.clone(),
                profile: profile.name.clone(),
                name,
                outcome: Err(PackFailure { diagnostic: unread.clone() }),
                diagnostics: Vec::new(),
                fingerprint: None,
            });
        }
        let (mut references, found) = shelf.of(self, root, profile);
        let of_github = self.of_github(root);
        let with = |more: Vec<Diagnostic>| apply_severities([found.clone(), more].concat(), self.settings);
        let (carried, diagnostics) = (with(of_github.carried), with(of_github.told));
        let neighbours = self.graph.shown(root).filter_map(|edge| match edge.to {
            Target::Item(item) => Some(self.corpus.entries[item].item.id.as_str()),
            Target::Issue { .. } => None,
        });
        references.warnings = self.notices.of(&item.id, neighbours);
        references.warnings.extend(carried.iter().map(|diagnostic| notices::notice(diagnostic, &self.door.redactor)));
        let mut planned = Planned {
            root: item.id.clone(),
            profile: profile.name.clone(),
            name,
            fingerprint: Digest::of(""),
            diagnostics,
        };
        if let Some(known) = known {
            planned.fingerprint = bench.fingerprint(root, &references);
            if known(&planned) {
                return None;
            }
        }
        let selection = select(&bench.library, root, references);
        let outcome = match fit(selection, &bench.budget, bench.counter) {
            Ok(fitted) => self.guarded(&item.id, seal(&fitted, stamp)),
            Err(small) => Err(self.too_small(root, &bench.budget, small)),
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

    /// The last look: no value of a secret variable of this process may stand in a pack.
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

/// What stands below a field, as it follows the field's name.
fn dotted(below: String) -> String {
    if below.is_empty() || below.starts_with('[') { below } else { format!(".{below}") }
}

fn counted(budget: &Budget) -> Option<Tokenizer> {
    budget.max_tokens.map(|_| budget.tokenizer)
}
