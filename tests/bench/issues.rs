//! How fast packs are made from a snapshot of GitHub: `cargo bench --bench issues`.
//!
//! The snapshot is made up, the same every time: issues of 1 to 8 KB with up to 30 comments, sub-issues,
//! blockers, references to each other, to another repo and to documents. The time of a pack should be the
//! same in both sizes. `CONTEXTPACK_BENCH_KEEP=DIR` writes both repos there instead, for other programs.

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a benchmark may stop, and prints what it found")]

mod prose;

use contextpack::internals::config::{self, DenyList, Settings};
use contextpack::internals::engine::{BudgetLimits, BuildJob, Built, Project};
use contextpack::internals::intake::{Repo, RepoOptions};
use contextpack::internals::model::{
    Completeness, SNAPSHOT_VERSION, SnapshotAuthor, SnapshotComment, SnapshotComments, SnapshotIssue, SnapshotRef,
    SnapshotRelation, SnapshotRelations,
};
use contextpack::internals::redact::Environment;
use contextpack::internals::seal::Stamp;
use divan::Bencher;
use divan::counter::ItemsCount;
use prose::{Random, prose};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

/// How many issues the two snapshots have.
const SIZES: [u64; 2] = [1000, 3000];

const CONFIG: &str = "version: 1\ngithub: {repo: octo/search}\n";

fn main() {
    match std::env::var_os("CONTEXTPACK_BENCH_KEEP") {
        Some(folder) => {
            for size in SIZES {
                let folder = Path::new(&folder).join(size.to_string());
                make_up(&folder, size);
                println!("{size} issues are in {}", folder.display());
            }
        }
        None => divan::main(),
    }
}

/// A repo whose snapshot has so many issues of its own, and a tenth as many of another repo.
fn make_up(root: &Path, issues: u64) {
    for dir in ["docs/adr", "work_items", ".contextpack/github/octo/search", ".contextpack/github/other/repo"] {
        fs::create_dir_all(root.join(dir)).unwrap();
    }
    fs::write(root.join("contextpack.yml"), CONFIG).unwrap();
    let mut random = Random(11);
    for n in 1..=40 {
        let mut text = format!("# Decision {n}\n\nStatus: accepted\n\n");
        prose(&mut text, &mut random, 4000);
        fs::write(root.join(format!("docs/adr/{n:04}-decision.md")), text).unwrap();
    }
    for number in 1..=issues {
        write(root, &issue(&mut random, "octo/search", number, issues));
        if number.is_multiple_of(20) {
            let item = format!("---\nid: feat:f{number}\ntitle: Feature {number}\nissue: {number}\n---\n\nA draft.\n");
            fs::write(root.join(format!("work_items/f{number}.md")), item).unwrap();
        }
    }
    for number in 1..=issues / 10 {
        let neighbour = SnapshotIssue { asked: false, ..issue(&mut random, "other/repo", number, issues / 10) };
        write(root, &neighbour);
    }
}

fn write(root: &Path, issue: &SnapshotIssue) {
    let path = root.join(format!(".contextpack/github/{}/{}.json", issue.repo, issue.number));
    fs::write(path, serde_json::to_string_pretty(issue).unwrap() + "\n").unwrap();
}

fn issue(random: &mut Random, repo: &str, number: u64, of: u64) -> SnapshotIssue {
    let url = |repo: &str, number: u64| format!("https://github.com/{repo}/issues/{number}");
    let other = |repo: &str, number: u64| SnapshotRef {
        repo: repo.to_owned(),
        number,
        state: Some("open".to_owned()),
        state_reason: None,
        title: Some(format!("Issue {number} of {repo}")),
        url: url(repo, number),
    };
    let size = 1000 << random.below(4);
    let mut body = String::new();
    prose(&mut body, random, size);
    let _ = write!(
        body,
        "Blocked by #{}, depends on other/repo#{}.\n\nSee ADR-{} and docs/adr/{:04}-decision.md, #{}.\n",
        random.below(of) + 1,
        random.below(of / 10 + 1) + 1,
        random.below(40) + 1,
        random.below(40) + 1,
        random.below(of) + 1
    );
    let said = if random.below(3) == 0 { random.below(30) } else { 0 };
    let comments = (0..said)
        .map(|n| {
            let (id, size) = (number * 100 + n, 100 << random.below(4));
            let mut body = String::new();
            prose(&mut body, random, size);
            let trusted = n % 3 != 0;
            let association = if trusted { "MEMBER" } else { "NONE" };
            SnapshotComment {
                author: SnapshotAuthor {
                    association: Some(association.to_owned()),
                    bot: false,
                    login: Some("ada".to_owned()),
                },
                body,
                created_at: "2026-02-01T09:00:00Z".to_owned(),
                edited: false,
                id,
                minimized: false,
                trust: if trusted { "trusted" } else { "untrusted" }.to_owned(),
                url: format!("{}#issuecomment-{id}", url(repo, number)),
            }
        })
        .collect();
    let relation = |source: &str, mut issues: Vec<SnapshotRef>| {
        issues.sort();
        SnapshotRelation { completeness: Completeness::Complete, issues, source: source.to_owned() }
    };
    // Every issue is a part of the one with a tenth of its number.
    let parent = (number >= 10).then(|| other(repo, number / 10));
    let children = (number * 10..number * 10 + 10).filter(|child| *child <= of).map(|child| other(repo, child));
    let blocker = number.is_multiple_of(4).then(|| other(repo, random.below(of) + 1));
    SnapshotIssue {
        asked: true,
        assignees: vec!["bob".to_owned()],
        author: SnapshotAuthor { association: Some("MEMBER".to_owned()), bot: false, login: Some("ada".to_owned()) },
        body: Some(body),
        code: Vec::new(),
        comments: SnapshotComments { completeness: Completeness::Complete, items: comments },
        created_at: Some("2026-02-01T09:00:00Z".to_owned()),
        edited: false,
        extra: BTreeMap::new(),
        kind: "issue".to_owned(),
        labels: vec!["agent-ready".to_owned()],
        merged: false,
        milestone: None,
        number,
        private: Some(false),
        relations: SnapshotRelations {
            blocked_by: relation("dependency_api", blocker.into_iter().collect()),
            blocking: relation("dependency_api", Vec::new()),
            parent: relation("sub_issue", parent.into_iter().collect()),
            sub_issues: relation("sub_issue", children.collect()),
        },
        repo: repo.to_owned(),
        schema_version: SNAPSHOT_VERSION.to_owned(),
        state: if number.is_multiple_of(5) { "closed" } else { "open" }.to_owned(),
        state_reason: None,
        title: format!("Issue {number} of {repo}"),
        trust: "trusted".to_owned(),
        issue_type: None,
        url: url(repo, number),
    }
}

struct Made {
    folder: tempfile::TempDir,
    settings: Settings,
    deny: DenyList,
}

impl Made {
    fn new(issues: u64) -> Self {
        let folder = tempfile::tempdir().unwrap();
        make_up(folder.path(), issues);
        let settings = config::load("contextpack.yml", Some(CONFIG)).unwrap();
        let deny = DenyList::new(&settings.redaction.deny_paths).unwrap();
        Self { folder, settings, deny }
    }

    fn open(&self) -> Repo {
        let never = std::slice::from_ref(&self.settings.output.dir);
        let snapshot = Some(&self.settings.github.snapshot);
        Repo::open(self.folder.path(), RepoOptions { deny: &self.deny, excluded: never, sources: &[], snapshot })
            .unwrap()
    }

    fn project<'a>(&'a self, repo: &'a Repo) -> Project<'a> {
        Project::open(repo, &self.settings, &self.deny, Environment::new(std::iter::empty()))
    }
}

#[divan::bench(sample_count = 3, sample_size = 1, args = SIZES)]
fn all_packs(bencher: Bencher<'_, '_>, issues: u64) {
    let made = Made::new(issues);
    let built = || {
        let repo = made.open();
        let project = made.project(&repo);
        let job = BuildJob {
            roots: project.roots(),
            others: Vec::new(),
            profiles: vec!["coding".to_owned()],
            limits: BudgetLimits::default(),
            stamp: Stamp::new("2026-01-02T03:04:05Z".to_owned()),
            agent: None,
            session_start: false,
            are_named: false,
        };
        let size = |pack: Built| pack.outcome.map_or(0, |sealed| sealed.bytes().len());
        let (sizes, faults) = project.build(&job, None, &size).unwrap();
        assert_eq!(faults, Vec::new());
        sizes.into_iter().sum::<usize>()
    };
    bencher.counter(ItemsCount::new(issues)).bench(built);
}

/// Reading, cleaning and drawing the graph, without a pack.
#[divan::bench(sample_count = 3, sample_size = 1, args = SIZES)]
fn one_desk(bencher: Bencher<'_, '_>, issues: u64) {
    let made = Made::new(issues);
    bencher.counter(ItemsCount::new(issues)).bench(|| made.project(&made.open()).roots().len());
}
