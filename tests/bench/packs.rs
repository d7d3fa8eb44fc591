//! How fast packs are made: `cargo bench`.
//!
//! The repo is made up, the same every time: 1,000 items of 1 to 16 KB with
//! edges, and 50 ADRs. `CONTEXTPACK_BENCH_REPO=DIR cargo bench` measures a real
//! one instead, with the configuration that it has. Memory is told at the end,
//! where the system tells it; it is the peak of all that ran.

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a benchmark may stop, and prints what it found")]

mod prose;

use contextpack::internals::config::{self, DenyList, Settings, Tokenizer};
use contextpack::internals::engine::{BudgetLimits, BuildJob, Project};
use contextpack::internals::fit::Counter;
use contextpack::internals::intake::{Repo, RepoOptions};
use contextpack::internals::mentions::Markdown;
use contextpack::internals::model::{Digest, RepoPath, SourceTree};
use contextpack::internals::redact::{Clean, Environment, Piece, Redactor};
use contextpack::internals::review::verify;
use contextpack::internals::seal::{Sealed, Stamp};
use divan::Bencher;
use divan::counter::{BytesCount, ItemsCount};
use prose::{Random, prose};
use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::LazyLock;

fn main() {
    println!("repo: {}", if REPO.made_up { "1,000 made-up items, 50 ADRs" } else { "CONTEXTPACK_BENCH_REPO" });
    println!("texts: {} bytes of {} files\n", TEXTS.iter().map(String::len).sum::<usize>(), TEXTS.len());
    divan::main();
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    if let Some(peak) = status.lines().find_map(|line| line.strip_prefix("VmHWM:")) {
        println!("\npeak memory: {}", peak.trim());
    }
    if REPO.made_up {
        std::fs::remove_dir_all(&REPO.root).unwrap();
    }
}

/// The repo that is measured.
struct Bench {
    root: PathBuf,
    settings: Settings,
    deny: DenyList,
    made_up: bool,
}

static REPO: LazyLock<Bench> = LazyLock::new(Bench::new);

/// Every text of the repo that packs may be made of, up to 64 MB.
static TEXTS: LazyLock<Vec<String>> = LazyLock::new(|| {
    let repo = REPO.open();
    let is_text = |path: &&RepoPath| matches!(path.extension(), "md" | "yml" | "yaml" | "json" | "jsonl");
    let mut left = 64 << 20;
    let texts = repo.files().iter().filter(is_text).filter_map(|path| repo.read(path).ok());
    texts
        .take_while(|text| {
            let fits = text.len() < left;
            left = left.saturating_sub(text.len());
            fits
        })
        .collect()
});

impl Bench {
    fn new() -> Self {
        let given = std::env::var_os("CONTEXTPACK_BENCH_REPO").map(PathBuf::from);
        let made_up = given.is_none();
        let root = given.unwrap_or_else(|| {
            // A static value is never dropped: `main` removes the folder.
            let root = tempfile::tempdir().unwrap().keep();
            make_up(&root);
            root
        });
        let text = Repo::read_config(&root, None).unwrap().map(|(_, text)| text);
        let settings = config::load("contextpack.yml", text.as_deref()).unwrap();
        let deny = DenyList::new(&settings.redaction.deny_paths).unwrap();
        Self { root, settings, deny, made_up }
    }

    fn open(&self) -> Repo {
        Repo::open(
            &self.root,
            RepoOptions {
                deny: &self.deny,
                excluded: std::slice::from_ref(&self.settings.output.dir),
                sources: &[],
                snapshot: None,
            },
        )
        .unwrap()
    }

    fn project<'a>(&'a self, repo: &'a Repo) -> Project<'a> {
        Project::open(repo, &self.settings, &self.deny, Environment::new(std::iter::empty()))
    }

    fn job(&self, roots: Vec<usize>, max_tokens: Option<u64>) -> BuildJob {
        let limits = BudgetLimits { max_tokens, ..BudgetLimits::default() };
        let stamp = Stamp::new("2026-01-02T03:04:05Z".to_owned());
        BuildJob {
            roots,
            others: Vec::new(),
            profiles: vec!["coding".to_owned()],
            limits,
            stamp,
            agent: None,
            session_start: false,
            are_named: false,
        }
    }
}

fn make_up(root: &std::path::Path) {
    for dir in ["work_items", "docs/adr"] {
        std::fs::create_dir_all(root.join(dir)).unwrap();
    }
    std::fs::write(root.join("contextpack.yml"), "version: 1\n").unwrap();
    let mut random = Random(7);
    for n in 0..1000_u64 {
        let (parent, other, adr) = (n / 8, random.below(1000), random.below(50) + 1);
        let mut text =
            format!("---\nid: T-{n}\ntitle: Item {n}\nstatus: {}\n", if n % 5 == 0 { "done" } else { "open" });
        if n > 0 {
            let _ = writeln!(text, "parent: T-{parent}");
        }
        let _ = write!(text, "depends_on: [T-{other}]\nadrs: [{adr}]\n---\n\n");
        let size = 1000 << random.below(5);
        prose(&mut text, &mut random, size);
        std::fs::write(root.join(format!("work_items/t-{n}.md")), text).unwrap();
    }
    for n in 1..=50 {
        let mut text = format!("# Decision {n}\n\nStatus: accepted\n\n");
        prose(&mut text, &mut random, 6000);
        std::fs::write(root.join(format!("docs/adr/{n:04}-decision.md")), text).unwrap();
    }
}

fn packs(project: &Project<'_>, job: &BuildJob) -> Vec<Sealed> {
    let (packs, _) = project.build(job, None, &|built| built.outcome).unwrap();
    packs.into_iter().flatten().collect()
}

/// Lists, reads, cleans, links, selects, fits and seals everything, and makes its bytes.
fn cold(max_tokens: Option<u64>, typed: Option<&str>) -> usize {
    let repo = REPO.open();
    let project = REPO.project(&repo);
    let mut roots = project.roots();
    if let Some(typed) = typed {
        roots.truncate(1);
        roots = project.find(typed).map_or(roots, |root| vec![root]);
    }
    packs(&project, &REPO.job(roots, max_tokens)).iter().map(|pack| pack.bytes().len()).sum()
}

#[divan::bench(sample_count = 3, sample_size = 1)]
fn all_packs_by_characters(bencher: Bencher<'_, '_>) {
    bencher.counter(ItemsCount::new(roots())).bench(|| cold(None, None));
}

#[divan::bench(sample_count = 3, sample_size = 1)]
fn all_packs_by_tokens(bencher: Bencher<'_, '_>) {
    bencher.counter(ItemsCount::new(roots())).bench(|| cold(Some(8000), None));
}

#[divan::bench(sample_count = 5, sample_size = 1)]
fn one_pack(bencher: Bencher<'_, '_>) {
    bencher.bench(|| cold(None, Some("T-7")));
}

fn roots() -> usize {
    let repo = REPO.open();
    REPO.project(&repo).roots().len()
}

fn bytes() -> BytesCount {
    BytesCount::new(TEXTS.iter().map(String::len).sum::<usize>())
}

#[divan::bench(sample_count = 3, sample_size = 1)]
fn scrub(bencher: Bencher<'_, '_>) {
    let redactor = Redactor::new(&REPO.settings.redaction);
    let scrub = |text: &String| redactor.scrub("", &[Piece { key: "body", text, line: 1 }]).texts.len();
    bencher.counter(bytes()).bench_local(|| TEXTS.iter().map(scrub).sum::<usize>());
}

#[divan::bench(sample_count = 3, sample_size = 1, args = ["o200k_base", "cl100k_base"])]
fn tokens(bencher: Bencher<'_, '_>, name: &str) {
    let known = [Tokenizer::O200kBase, Tokenizer::Cl100kBase];
    let counter = Counter::new(known.into_iter().find(|tokenizer| tokenizer.name() == name));
    bencher.counter(bytes()).bench_local(|| TEXTS.iter().map(|text| counter.measure(text).tokens).sum::<u64>());
}

/// The library for tokens alone, on the same texts.
#[divan::bench(sample_count = 3, sample_size = 1, args = ["o200k_base", "cl100k_base"])]
fn tokens_alone(bencher: Bencher<'_, '_>, name: &str) {
    let library = tiktoken::get_encoding(name).unwrap();
    bencher.counter(bytes()).bench_local(|| TEXTS.iter().map(|text| library.count(text)).sum::<usize>());
}

#[divan::bench(sample_count = 5, sample_size = 1)]
fn hash(bencher: Bencher<'_, '_>) {
    bencher.counter(bytes()).bench_local(|| TEXTS.iter().map(Digest::of).collect::<Vec<_>>());
}

/// The library for digests alone, on the same texts.
#[divan::bench(sample_count = 5, sample_size = 1)]
fn hash_alone(bencher: Bencher<'_, '_>) {
    use sha2::Digest as _;
    bencher.counter(bytes()).bench_local(|| TEXTS.iter().map(sha2::Sha256::digest).collect::<Vec<_>>());
}

#[divan::bench(sample_count = 3, sample_size = 1)]
fn markdown(bencher: Bencher<'_, '_>) {
    let redactor = Redactor::new(&REPO.settings.redaction);
    let clean = |text: &String| redactor.scrub("", &[Piece { key: "body", text, line: 1 }]).texts;
    let texts: Vec<Clean> = TEXTS.iter().flat_map(clean).collect();
    bencher
        .counter(bytes())
        .bench_local(|| texts.iter().map(|text| Markdown::read(text).outline.blocks.len()).sum::<usize>());
}

/// What it costs to trust a pack: its bytes are read and hashed again.
#[divan::bench(sample_count = 3, sample_size = 1)]
fn trust(bencher: Bencher<'_, '_>) {
    let repo = REPO.open();
    let project = REPO.project(&repo);
    let packs = packs(&project, &REPO.job(project.roots().into_iter().take(200).collect(), None));
    let bytes = packs.iter().map(|pack| pack.bytes().len()).sum::<usize>();
    let bencher = bencher.counter(BytesCount::new(bytes));
    bencher.bench_local(|| packs.iter().map(|pack| verify(pack.bytes()).violations.len()).sum::<usize>());
}
