//! A sync that is killed at random points and resumed, compared with an uninterrupted one.

use crate::sandbox::{Sandbox, files};
use crate::stand_in::{Asked, StandIn, World};
use contextpack::internals::model::SnapshotIssue;
use std::collections::BTreeMap;
use std::fmt;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// What was measured.
#[derive(Debug, Default)]
pub(crate) struct Report {
    /// Requests of the undisturbed run, by what they ask for.
    pub(crate) requests: BTreeMap<&'static str, usize>,
    pub(crate) time: Duration,
    /// The most memory of the undisturbed run, in kB; nothing where the system does not tell.
    pub(crate) memory: Option<u64>,
    pub(crate) kills: usize,
    /// How many snapshots were put together from broken runs.
    pub(crate) rounds: usize,
    /// Requests of all runs of all rounds.
    pub(crate) again: usize,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sent: usize = self.requests.values().sum();
        writeln!(f, "in peace: {:.2} s, {sent} requests", self.time.as_secs_f64())?;
        for (kind, count) in &self.requests {
            writeln!(f, "{count:6} {kind}")?;
        }
        if let Some(memory) = self.memory {
            writeln!(f, "peak memory: {memory} kB")?;
        }
        let share = 100 * self.again / (self.rounds * sent).max(1);
        write!(f, "{} kills in {} rounds, with {share} % of the requests each", self.kills, self.rounds)
    }
}

/// A repo of so many issues: six of ten have comments, some more than a page of them; one of five has parts; one of
/// ten is blocked, some of these from another repo.
pub(crate) fn world(issues: u64) -> World {
    let mut world = World::with("o/r");
    world.repos.insert("p/q".to_owned(), false);
    for number in 1..=issues {
        world.issue("o/r", number);
        let comments = if number % 333 == 1 { 130 } else { [0, 1, 3, 0, 2, 1, 0, 7, 0, 1][number as usize % 10] };
        (0..comments).for_each(|n| world.comment("o/r", number, &format!("Comment {n}.\r\nMore."), "NONE"));
        if number % 5 == 0 && number + 4 <= issues {
            (1..=2).for_each(|n| world.part("o/r", number, number + n));
        }
        if number % 10 == 3 {
            world.block("o/r", number, "o/r", 1 + number % 7);
        }
        if number % 50 == 3 {
            world.block("o/r", number, "p/q", 1 + number % 11);
        }
    }
    world
}

/// Syncs once in peace; then in new repos, kills the process until there were `kills`, and compares each snapshot.
pub(crate) fn interrupted(server: &StandIn, kills: usize, seed: u64) -> Report {
    let whole = Sandbox::with(&[CONFIG]);
    let began = Instant::now();
    let mut child = start(&whole, server);
    let memory = peak(&mut child);
    assert!(child.wait().unwrap().success());
    let time = began.elapsed();
    let mut report = Report { time, memory, ..Report::default() };
    for asked in server.asked() {
        *report.requests.entry(kind(&asked)).or_default() += 1;
    }
    let expected = snapshot(&whole);
    let mut random = seed;
    while report.kills < kills {
        let broken = Sandbox::with(&[CONFIG]);
        let most = report.kills + 1 + next(&mut random, 6) as usize;
        loop {
            let mut child = start(&broken, server);
            // Every other round is broken early again and again, so that it is taken up at each stage.
            let share = if report.rounds.is_multiple_of(2) { 100 } else { 25 };
            std::thread::sleep(time.mul_f64(f64::from(next(&mut random, share)) / 100.0));
            if report.kills == most.min(kills) || child.try_wait().unwrap().is_some() {
                assert!(child.wait().unwrap().success());
                break;
            }
            // SIGKILL: nothing is tidied up.
            child.kill().unwrap();
            child.wait().unwrap();
            report.kills += 1;
            let left = snapshot(&broken);
            for (name, bytes) in &left {
                assert!(serde_json::from_slice::<SnapshotIssue>(bytes).is_ok(), "{name} is not whole");
            }
        }
        report.again += server.asked().len();
        report.rounds += 1;
        let found = snapshot(&broken);
        let differs = |name: &&String| found.get(*name) != expected.get(*name);
        let wrong: Vec<&String> = expected.keys().chain(found.keys()).filter(differs).collect();
        assert!(wrong.is_empty(), "round {} of seed {seed}: {wrong:?}", report.rounds);
    }
    report
}

const CONFIG: (&str, &str) = ("contextpack.yml", "version: 1\ngithub: {repo: o/r}\n");

fn start(sandbox: &Sandbox, server: &StandIn) -> Child {
    let mut command: Command = sandbox.command(&["sync", "-q"]);
    command.env("GITHUB_API_URL", &server.url).env("CONTEXTPACK_GITHUB_TOKEN", "planted-token-9K");
    command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

/// The issues' files. What a killed process left half written has another name, and is swept an hour later.
fn snapshot(sandbox: &Sandbox) -> BTreeMap<String, Vec<u8>> {
    let folder = sandbox.root().join(".contextpack/github");
    let files = if folder.is_dir() { files(&folder) } else { Vec::new() };
    files.into_iter().filter(|(name, _)| name.ends_with(".json")).collect()
}

/// Reads how much memory a process used at most until it ends; nothing where the system does not tell.
fn peak(child: &mut Child) -> Option<u64> {
    let mut peak = None;
    while child.try_wait().unwrap().is_none() {
        let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
        let reported =
            status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.strip_suffix("kB")?.trim().parse().ok());
        peak = reported.or(peak);
        std::thread::sleep(Duration::from_millis(2));
    }
    peak
}

fn kind(asked: &Asked) -> &'static str {
    let path = asked.path.split('?').next().unwrap_or_default();
    let rest = path.splitn(5, '/').nth(4).unwrap_or_default();
    match rest.split_once('/') {
        None if rest.is_empty() => "repos",
        None => "lists of issues",
        Some((_, "comments")) => "comments of the repo",
        Some((_, rest)) => match rest.split_once('/') {
            None => "single issues",
            Some((_, "comments")) => "comments of an issue",
            Some((_, "parent")) => "parents",
            Some((_, "sub_issues")) => "sub-issues",
            Some((_, "dependencies/blocked_by")) => "blocked by",
            Some(_) => "blocking",
        },
    }
}

/// A number below `below`; xorshift, so that a seed says it all.
fn next(random: &mut u64, below: u32) -> u32 {
    *random ^= *random << 13;
    *random ^= *random >> 7;
    *random ^= *random << 17;
    (*random % u64::from(below)) as u32
}
