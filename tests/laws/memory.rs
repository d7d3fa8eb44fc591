//! A repo in memory, and packs of it.

use contextpack::internals::config::{self, DenyList, Settings, Strategy};
use contextpack::internals::engine::{BudgetLimits, BuildJob, Built, Project};
use contextpack::internals::model::{Diagnostic, Refusal, RepoPath, SourceTree};
use contextpack::internals::redact::Environment;
use contextpack::internals::seal::{Sealed, Stamp};
use proptest::test_runner::{Config, RngSeed};
use std::collections::BTreeMap;

pub(crate) const STRATEGIES: [Strategy; 3] = [Strategy::Both, Strategy::DropLowPriority, Strategy::TruncateTail];

/// How many cases a law is tried on: `small`, the same in every run, unless `PROPTEST_CASES` asks for more,
/// which are others each time.
pub(crate) fn cases(small: u32) -> Config {
    let asked = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok());
    let rng_seed = if asked.is_some() { RngSeed::Random } else { RngSeed::Fixed(1) };
    Config {
        cases: asked.unwrap_or(small),
        rng_seed,
        failure_persistence: None,
        max_shrink_iters: 200,
        ..Config::default()
    }
}

/// A [`Source`] that holds its files; those below `.contextpack/github` are the snapshot.
pub(crate) struct Memory {
    files: Vec<RepoPath>,
    issues: Vec<RepoPath>,
    texts: BTreeMap<RepoPath, String>,
}

impl Memory {
    pub(crate) fn new(files: impl IntoIterator<Item = (String, String)>) -> Self {
        let texts: BTreeMap<RepoPath, String> =
            files.into_iter().map(|(path, text)| (RepoPath::new(&path).unwrap(), text)).collect();
        let (issues, files) = texts.keys().cloned().partition(|path| path.is_under(".contextpack/github"));
        Self { files, issues, texts }
    }
}

impl SourceTree for Memory {
    fn files(&self) -> &[RepoPath] {
        &self.files
    }

    fn read(&self, path: &RepoPath) -> Result<String, Refusal> {
        self.texts.get(path).cloned().ok_or(Refusal::NotInRepo)
    }

    fn issues(&self) -> &[RepoPath] {
        &self.issues
    }

    fn read_issue(&self, path: &RepoPath) -> Result<String, Refusal> {
        self.read(path)
    }
}

/// What a project needs besides its source.
pub(crate) struct Office {
    pub(crate) settings: Settings,
    pub(crate) deny: DenyList,
}

impl Office {
    pub(crate) fn new(config: &str) -> Self {
        let settings = config::load("contextpack.yml", Some(config)).unwrap();
        let deny = DenyList::new(&settings.redaction.deny_paths).unwrap();
        Self { settings, deny }
    }

    pub(crate) fn project<'a>(&'a self, source: &'a Memory) -> Project<'a> {
        Project::open(source, &self.settings, &self.deny, Environment::new(std::iter::empty()))
    }
}

pub(crate) fn chars(max: u64, strategy: Strategy) -> BudgetLimits {
    BudgetLimits { max_chars: Some(max), strategy: Some(strategy), ..BudgetLimits::default() }
}

/// The pack of the root `id` under the profile `coding`.
pub(crate) fn pack(project: &Project<'_>, id: &str, limits: BudgetLimits) -> Result<Sealed, Diagnostic> {
    let root = project.find(id).unwrap();
    let mut built = build(project, vec![root], limits);
    assert_eq!(built.len(), 1);
    built.pop().unwrap().outcome
}

/// The packs of `roots`, sorted by name.
pub(crate) fn build(project: &Project<'_>, roots: Vec<usize>, limits: BudgetLimits) -> Vec<Built> {
    let stamp = Stamp::new("2026-01-02T03:04:05Z".to_owned());
    let job = BuildJob {
        roots,
        others: Vec::new(),
        profiles: vec!["coding".to_owned()],
        limits,
        stamp,
        agent: None,
        session_start: false,
        are_named: false,
    };
    let (mut built, faults) = project.build(&job, None, &|one| one).unwrap();
    assert_eq!(faults, Vec::new());
    built.sort_by(|a: &Built, b| a.plan.name.cmp(&b.plan.name));
    built
}
