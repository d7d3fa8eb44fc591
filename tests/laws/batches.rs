//! The state of a batch against a specification that is written here, on every small world: all sets of files up to a
//! stated size, and all that two clones can do up to a stated number of steps.

use contextpack::Digest;
use contextpack::internals::ledger::{Attempt, Ledger, NewFile, Outcome, ShortId, Status, WorkId, Writer};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

const AT: &str = "2026-02-22T01:20:00Z";

/// The files of a batch, by path.
type Files = BTreeMap<String, Vec<u8>>;

/// What is known about a task in the specification: the epochs that are claimed and given up, and the words of reports.
#[derive(Debug, Clone, Default)]
struct Facts {
    claims: BTreeSet<u32>,
    reclaimed: BTreeSet<u32>,
    reports: BTreeMap<u32, &'static str>,
}

/// The specification: what a set of facts means, in the words of the contract.
fn specified(fail_fast: bool, tasks: &[Facts]) -> (&'static str, Vec<(&'static str, u32)>) {
    let epoch = |task: &Facts| task.reclaimed.iter().max().map_or(1, |last| last + 1);
    let word = |task: &Facts| {
        task.reports.get(&epoch(task)).map(|word| match *word {
            "success" | "canceled" | "timeout" | "partial" => *word,
            _ => "failed",
        })
    };
    let fast = fail_fast && tasks.iter().any(|task| matches!(word(task), Some("failed" | "canceled" | "timeout")));
    let states: Vec<(&str, u32)> = tasks
        .iter()
        .map(|task| {
            let open = if task.claims.contains(&epoch(task)) { "dispatched" } else { "pending" };
            (word(task).unwrap_or(if fast { "canceled" } else { open }), epoch(task))
        })
        .collect();
    let count = |wanted: &str| states.iter().filter(|(state, _)| *state == wanted).count();
    // One row of the ladder a line, the first that holds.
    let ladder = [
        (fast, "failed"),
        (count("pending") + count("dispatched") > 0, "open"),
        (count("success") == tasks.len(), "success"),
        (count("success") > 0, "partial"),
        (count("failed") > 0, "failed"),
        (count("timeout") > 0, "timeout"),
        (count("partial") > 0, "partial"),
        (count("canceled") == tasks.len(), "failed"),
    ];
    let batch = ladder.iter().find(|(holds, _)| *holds).map(|(_, state)| *state).unwrap();
    (batch, states)
}

fn canonical(value: &Value) -> Vec<u8> {
    serde_jcs::to_vec(value).unwrap()
}

/// The plan of a batch and its id.
fn plan(fail_fast: bool, tasks: usize) -> (ShortId, Vec<u8>) {
    let task = json!({"target_strategy": "new", "target_ref": "coder", "instruction": "do it"});
    let bytes = canonical(&json!({
        "schema_version": "batch/v1", "parent_agent": "planner", "fail_fast": fail_fast, "deadline_seconds": 900,
        "tasks": vec![task; tasks],
    }));
    let hex = Digest::of(&bytes).to_string();
    (ShortId::parse(&hex["sha256:".len()..][..12]).unwrap(), bytes)
}

/// The files of a world, written without the code under test.
fn files(fail_fast: bool, tasks: &[Facts]) -> (ShortId, Vec<(String, Vec<u8>)>) {
    let (id, batch) = plan(fail_fast, tasks.len());
    let mut files = vec![("batch.json".to_owned(), batch)];
    for (task, facts) in tasks.iter().enumerate() {
        let common = |version: &str, epoch: u32| json!({"schema_version": version, "batch_id": id, "task_index": task, "epoch": epoch, "at": AT});
        for epoch in &facts.claims {
            let mut claim = common("batch_claim/v1", *epoch);
            claim["nonce"] = "n".into();
            files.push((format!("claims/{task}-{epoch}.json"), canonical(&claim)));
        }
        for (epoch, word) in &facts.reports {
            let mut report = common("batch_report/v1", *epoch);
            report["nonce"] = "n".into();
            report["status"] = (*word).into();
            files.push((format!("reports/{task}-{epoch}.json"), canonical(&report)));
        }
        for epoch in &facts.reclaimed {
            let mut event = common("batch_event/v1", *epoch);
            event["kind"] = "reclaim".into();
            let bytes = canonical(&event);
            let hex = Digest::of(&bytes).to_string();
            files.push((format!("events/reclaim-{}.json", &hex["sha256:".len()..][..12]), bytes));
        }
    }
    (id, files)
}

/// Returns the state that the program derives.
fn derived(id: &ShortId, files: Vec<(String, Vec<u8>)>) -> (&'static str, Vec<(&'static str, u32)>) {
    let ledger = Ledger::of_batch(id, files).unwrap();
    // The worlds have no events of forks, which is a fault of the plan alone.
    assert!(ledger.faults.iter().all(|fault| fault.path == "batch.json"), "{:?}", ledger.faults);
    let states = ledger.states();
    (ledger.status(&states).name(), states.iter().map(|task| (task.status.name(), task.epoch)).collect())
}

fn check(fail_fast: bool, tasks: &[Facts]) {
    let (id, mut files) = files(fail_fast, tasks);
    let expected = specified(fail_fast, tasks);
    assert_eq!(derived(&id, files.clone()), expected, "{fail_fast} {tasks:?}");
    files.reverse();
    assert_eq!(derived(&id, files.clone()), expected, "reversed: {fail_fast} {tasks:?}");
    let middle = files.len() / 2;
    files.rotate_left(middle);
    assert_eq!(derived(&id, files), expected, "rotated: {fail_fast} {tasks:?}");
}

const WORDS: [&str; 6] = ["success", "failed", "canceled", "timeout", "partial", "done"];

fn subsets(of: &[u32]) -> Vec<BTreeSet<u32>> {
    (0..1_u32 << of.len())
        .map(|bits| of.iter().enumerate().filter(|(at, _)| bits & 1 << at != 0).map(|(_, epoch)| *epoch).collect())
        .collect()
}

/// Every fact about a task up to these epochs and words.
fn facts(claims: &[u32], reclaimed: &[u32], words: &[(u32, &[&'static str])]) -> Vec<Facts> {
    let mut all = Vec::new();
    for claims in subsets(claims) {
        for reclaimed in subsets(reclaimed) {
            let mut reports = vec![BTreeMap::new()];
            for (epoch, words) in words {
                let with = |known: &BTreeMap<u32, &'static str>, word: &&'static str| {
                    let mut known = known.clone();
                    known.insert(*epoch, *word);
                    known
                };
                let more: Vec<_> =
                    reports.iter().flat_map(|known| words.iter().map(move |word| with(known, word))).collect();
                reports.extend(more);
            }
            all.extend(reports.into_iter().map(|reports| Facts {
                claims: claims.clone(),
                reclaimed: reclaimed.clone(),
                reports,
            }));
        }
    }
    all
}

#[test]
fn every_world_of_one_task_and_three_epochs_is_as_specified() {
    for task in facts(&[1, 2], &[1, 2], &[(1, &WORDS), (2, &WORDS), (3, &["success", "failed"])]) {
        for fail_fast in [false, true] {
            check(fail_fast, std::slice::from_ref(&task));
        }
    }
}

#[test]
fn every_world_of_two_tasks_and_two_epochs_is_as_specified() {
    let all = facts(&[1], &[1], &[(1, &["success", "failed", "partial"]), (2, &["success", "canceled"])]);
    for first in &all {
        for second in &all {
            for fail_fast in [false, true] {
                check(fail_fast, &[first.clone(), second.clone()]);
            }
        }
    }
}

#[test]
fn every_row_of_the_ladder_holds_for_three_tasks_with_every_word() {
    let all = facts(&[1], &[], &[(1, &WORDS)]);
    let mut rows = BTreeSet::new();
    for first in &all {
        for second in &all {
            for third in &all {
                for fail_fast in [false, true] {
                    let tasks = [first.clone(), second.clone(), third.clone()];
                    rows.insert((fail_fast, specified(fail_fast, &tasks).0));
                    check(fail_fast, &tasks);
                }
            }
        }
    }
    // Each state of a batch is reached, also under `fail_fast`, where a timeout is a failure.
    let states = |fail_fast| rows.iter().filter(|row| row.0 == fail_fast).map(|row| row.1).collect::<Vec<_>>();
    assert_eq!(states(false), ["failed", "open", "partial", "success", "timeout"]);
    assert_eq!(states(true), ["failed", "open", "partial", "success"]);
}

/// The rows of the ladder of the original, each with the words of three tasks that only this row decides.
#[test]
fn each_row_of_the_ladder_of_the_original_decides() {
    let rows: [(&str, bool, [&'static str; 3], &str); 13] = [
        ("all success", false, ["success", "success", "success"], "success"),
        ("any success", false, ["canceled", "timeout", "success"], "partial"),
        ("any success, although one failed", false, ["failed", "success", "partial"], "partial"),
        ("else any failed", false, ["timeout", "failed", "partial"], "failed"),
        ("an unknown word is failed", false, ["timeout", "ended", "partial"], "failed"),
        ("else any timeout", false, ["timeout", "partial", "canceled"], "timeout"),
        ("else any partial", false, ["canceled", "partial", "canceled"], "partial"),
        ("all canceled", false, ["canceled", "canceled", "canceled"], "failed"),
        ("fail_fast: failed", true, ["success", "failed", "success"], "failed"),
        ("fail_fast: canceled", true, ["success", "canceled", "success"], "failed"),
        ("fail_fast: timeout", true, ["success", "timeout", "success"], "failed"),
        ("fail_fast: partial is no failure", true, ["success", "partial", "success"], "partial"),
        ("fail_fast: all success", true, ["success", "success", "success"], "success"),
    ];
    for (row, fail_fast, words, expected) in rows {
        let tasks = words.map(|word| Facts { reports: [(1, word)].into(), ..Facts::default() });
        let (id, files) = files(fail_fast, &tasks);
        assert_eq!(derived(&id, files).0, expected, "{row}");
    }
    // Under `fail_fast` the first failure ends the batch and cancels the rest; otherwise it stays open.
    let tasks = [Some("failed"), None, None].map(|word| Facts {
        reports: word.map(|word| (1, word)).into_iter().collect(),
        claims: [1].into(),
        ..Facts::default()
    });
    for (fail_fast, batch, rest) in [(true, "failed", "canceled"), (false, "open", "dispatched")] {
        let (id, files) = files(fail_fast, &tasks);
        assert_eq!(derived(&id, files), (batch, vec![("failed", 1), (rest, 1), (rest, 1)]));
    }
}

/// What somebody does in one of two clones.
#[derive(Debug, Clone, Copy)]
enum Step {
    Claim(u32),
    Report(u32, u32, &'static str),
    Reclaim(u32),
    Cancel,
    Join,
    /// Takes over the files of the other clone; where both have a file, that of the other, which was pushed first.
    Merge,
}

fn writer(clone: usize) -> Writer {
    Writer { author_id: None, at: AT.to_owned(), nonce: ["a", "b"][clone].to_owned() }
}

fn outcome(word: &str) -> Outcome {
    Outcome { status: word.to_owned(), summary: None, output_box_id: None, error: None }
}

fn ledger(id: &ShortId, files: &Files) -> Ledger {
    let ledger = Ledger::of_batch(id, files.clone().into_iter().collect()).unwrap();
    // The worlds have no events of forks, which is a fault of the plan alone.
    assert!(ledger.faults.iter().all(|fault| fault.path == "batch.json"), "{:?}", ledger.faults);
    ledger
}

/// Returns the files that a step adds, in the order in which they are written.
fn added(ledger: &Ledger, clone: usize, step: Step) -> Vec<NewFile> {
    let writer = writer(clone);
    match step {
        Step::Claim(task) => {
            let state = ledger.state_of(&WorkId::Task(task)).unwrap();
            ledger.claim(&state, &writer).into_iter().collect()
        }
        Step::Report(task, epoch, word) => {
            match ledger.decide_report(&Attempt { of: WorkId::Task(task), epoch }, &outcome(word), &writer) {
                Ok(reported) => reported.file.into_iter().collect(),
                // The epoch has not begun.
                Err(_) => Vec::new(),
            }
        }
        Step::Reclaim(task) => {
            let reclaimed = ledger.reclaim(Some(&WorkId::Task(task)), &|_| true, &writer).unwrap();
            reclaimed.into_iter().map(|(_, file)| file).collect()
        }
        Step::Cancel => {
            ledger.end_open(&outcome("canceled"), &writer).into_iter().flat_map(|(_, files)| files).collect()
        }
        Step::Join => ledger.join(&writer).ok().and_then(|(_, file)| file).into_iter().collect(),
        Step::Merge => Vec::new(),
    }
}

/// What of the state of a closed batch must not change.
fn outcome_of(ledger: &Ledger) -> (Status, Vec<Status>, Option<Value>) {
    let states = ledger.states();
    let result = ledger.result.as_ref().map(|result| serde_json::to_value(result).unwrap());
    (ledger.status(&states), states.iter().map(|task| task.status).collect(), result)
}

/// Checks what must hold of the files of a clone, whatever led to them.
fn invariants(id: &ShortId, files: &Files) {
    let read = ledger(id, files);
    let states = read.states();
    let mut reversed: Vec<_> = files.clone().into_iter().collect();
    reversed.reverse();
    assert_eq!(Ledger::of_batch(id, reversed).unwrap(), read, "the order of files matters");
    for task in &states {
        let counted: Vec<_> = task.reports.iter().filter(|report| report.late.is_none()).collect();
        assert!(counted.len() <= 1, "two reports of a task count: {task:?}");
        assert_eq!(counted.first().map(|it| it.epoch), task.report.as_ref().map(|it| it.epoch));
        assert!(read.is_over() || counted.iter().all(|it| it.epoch == task.epoch), "a stale epoch counts: {task:?}");
    }
    // Nothing is lost: every report is in the state of its task.
    let reports = files.keys().filter(|path| path.starts_with("reports/") || path.starts_with("events/late"));
    assert_eq!(reports.count(), states.iter().map(|task| task.reports.len()).sum::<usize>());
    // It goes on: the batch can be ended from here.
    let mut files = files.clone();
    for step in [Step::Cancel, Step::Join] {
        for file in added(&ledger(id, &files), 0, step) {
            assert!(files.insert(file.path.to_string(), file.bytes).is_none(), "{step:?} writes what exists");
        }
    }
    let ended = ledger(id, &files);
    assert!(ended.is_over() && ended.states().iter().all(|task| task.status.is_terminal()));
}

/// Follows every sequence of steps of two clones up to a number of steps, and returns how many states there are.
fn explore(fail_fast: bool, tasks: usize, steps: &[Step], depth: usize) -> usize {
    let (id, batch) = plan(fail_fast, tasks);
    let start: Files = [("batch.json".to_owned(), batch)].into();
    let mut seen: BTreeSet<[Files; 2]> = [[start.clone(), start.clone()]].into();
    let mut checked: BTreeSet<Files> = [start].into();
    let mut last: Vec<[Files; 2]> = seen.iter().cloned().collect();
    for _ in 0..depth {
        let mut next = Vec::new();
        for clones in &last {
            for clone in 0..2 {
                let before = ledger(&id, &clones[clone]);
                for step in steps {
                    let mut clones = clones.clone();
                    if let Step::Merge = step {
                        let other = clones[1 - clone].clone();
                        for (path, bytes) in &other {
                            let exclusive =
                                ["claims/", "reports/", "result.json"].iter().any(|it| path.starts_with(it));
                            let conflicts = clones[clone].get(path).is_some_and(|own| own != bytes);
                            assert!(exclusive || !conflicts, "git would not merge {path}");
                        }
                        clones[clone].extend(other);
                    } else {
                        for file in added(&before, clone, *step) {
                            let replaced = clones[clone].insert(file.path.to_string(), file.bytes.clone());
                            // A late report that is sent twice is one file.
                            assert!(replaced.is_none_or(|old| old == file.bytes), "{step:?} changed {}", file.path);
                            // The process may be killed after each file.
                            if checked.insert(clones[clone].clone()) {
                                invariants(&id, &clones[clone]);
                            }
                        }
                    }
                    // A result of the other clone, which was pushed first, replaces one that was never pushed.
                    let after = ledger(&id, &clones[clone]);
                    let same_result = before.is_over() && before.result == after.result;
                    assert!(
                        !same_result || outcome_of(&before) == outcome_of(&after),
                        "{step:?} changed a closed batch"
                    );
                    if checked.insert(clones[clone].clone()) {
                        invariants(&id, &clones[clone]);
                    }
                    if seen.insert(clones.clone()) {
                        next.push(clones);
                    }
                }
            }
        }
        last = next;
    }
    seen.len()
}

#[test]
fn all_that_two_clones_can_do_with_one_task_in_five_steps_keeps_the_invariants() {
    let steps = [
        Step::Claim(0),
        Step::Report(0, 1, "success"),
        Step::Report(0, 1, "failed"),
        Step::Report(0, 2, "partial"),
        Step::Reclaim(0),
        Step::Cancel,
        Step::Join,
        Step::Merge,
    ];
    assert!(explore(false, 1, &steps, 5) > 1_000);
}

#[test]
fn all_that_two_clones_can_do_with_two_tasks_in_four_steps_keeps_the_invariants() {
    let steps = [
        Step::Claim(0),
        Step::Claim(1),
        Step::Report(0, 1, "success"),
        Step::Report(1, 1, "timeout"),
        Step::Report(1, 2, "success"),
        Step::Reclaim(1),
        Step::Cancel,
        Step::Join,
        Step::Merge,
    ];
    for fail_fast in [false, true] {
        assert!(explore(fail_fast, 2, &steps, 4) > 1_000);
    }
}
