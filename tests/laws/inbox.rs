//! The state of an inbox against a specification that is written here, on every small world: all sets of files up to a
//! stated size, and all that two clones can do up to a stated number of steps.

use contextpack::Digest;
use contextpack::internals::ledger::{
    Dispatched, Ledger, NewFile, Outcome, ShortId, Status, TurnRequest, WorkId, Writer,
};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

const AT: &str = "2026-02-22T01:20:00Z";

/// The files of an inbox, by path.
type Files = BTreeMap<String, Vec<u8>>;

fn canonical(value: &Value) -> Vec<u8> {
    serde_jcs::to_vec(value).unwrap()
}

fn short(bytes: &[u8]) -> String {
    Digest::of(bytes).to_string()["sha256:".len()..][..12].to_owned()
}

/// A request as it is on disk, written without the code under test.
fn request(key: &str) -> Vec<u8> {
    canonical(&json!({
        "schema_version": "inbox_request/v1", "agent": "agent:coder:main", "output_box": "coder", "key": key,
        "context_box_id": format!("sha256:{}", "0".repeat(64)),
    }))
}

fn event(mut event: Value) -> (String, Vec<u8>) {
    event["schema_version"] = "inbox_event/v1".into();
    let bytes = canonical(&event);
    (format!("events/{}-{}.json", event["kind"].as_str().unwrap(), short(&bytes)), bytes)
}

fn subsets(of: &[u32]) -> Vec<BTreeSet<u32>> {
    (0..1_u32 << of.len())
        .map(|bits| of.iter().enumerate().filter(|(at, _)| bits & 1 << at != 0).map(|(_, epoch)| *epoch).collect())
        .collect()
}

#[test]
fn every_world_of_one_turn_and_three_epochs_is_as_specified() {
    const WORDS: [&str; 6] = ["success", "failed", "canceled", "timeout", "partial", "done"];
    let bytes = request("a");
    let id = short(&bytes);
    let mut worlds = 0;
    for claims in subsets(&[1, 2, 3]) {
        for reclaimed in subsets(&[1, 2]) {
            for responses in subsets(&[1, 2, 3]) {
                for word in WORDS {
                    let mut files = vec![(format!("requests/00000001-{id}.json"), bytes.clone())];
                    for epoch in &claims {
                        let claim = json!({"schema_version": "inbox_claim/v1", "agent_turn_id": id, "turn_epoch": epoch,
                            "at": AT, "nonce": "n"});
                        files.push((format!("claims/{id}-{epoch}.json"), canonical(&claim)));
                    }
                    for epoch in &responses {
                        let response = json!({"schema_version": "inbox_response/v1", "agent_turn_id": id,
                            "turn_epoch": epoch, "correlation_id": id, "status": word, "at": AT, "nonce": "n"});
                        files.push((format!("responses/{id}-{epoch}.json"), canonical(&response)));
                    }
                    for epoch in &reclaimed {
                        let fields = json!({"kind": "reclaim", "agent_turn_id": id, "turn_epoch": epoch, "at": AT});
                        files.push(event(fields));
                    }
                    let epoch = reclaimed.iter().max().map_or(1, |last| last + 1);
                    let status = match (responses.contains(&epoch), claims.contains(&epoch)) {
                        (true, _) if word == "done" => "failed",
                        (true, _) => word,
                        (false, true) => "dispatched",
                        (false, false) => "pending",
                    };
                    let states: Vec<_> = (0..files.len())
                        .map(|turn| {
                            let mut files = files.clone();
                            files.rotate_left(turn);
                            let inbox = Ledger::of_inbox(files);
                            assert_eq!(inbox.faults, []);
                            let turns = inbox.states();
                            (turns.len(), turns[0].status.name(), turns[0].epoch, turns[0].reports.len())
                        })
                        .collect();
                    assert!(states.iter().all(|state| *state == (1, status, epoch, responses.len())), "{states:?}");
                    worlds += 1;
                }
            }
        }
    }
    assert_eq!(worlds, 8 * 4 * 8 * 6);
}

#[test]
fn an_inbox_is_closed_if_its_last_closing_is_not_over() {
    for closed in subsets(&[1, 2, 3]) {
        for opened in subsets(&[1, 2, 3]) {
            let close = closed.iter().map(|number| event(json!({"kind": "close", "number": number})));
            let open = opened.iter().map(|number| event(json!({"kind": "open", "number": number})));
            let inbox = Ledger::of_inbox(close.chain(open).collect());
            assert_eq!(inbox.faults, []);
            assert_eq!(inbox.is_closed(), closed.iter().max() > opened.iter().max());
            // It can be changed from here, and is then what was asked for.
            assert_eq!(
                (inbox.set_closed(true).is_none(), inbox.set_closed(false).is_some()),
                (inbox.is_closed(), inbox.is_closed())
            );
        }
    }
}

/// What somebody does in one of two clones.
#[derive(Debug, Clone, Copy)]
enum Step {
    Dispatch(&'static str),
    /// Claims the oldest turn that can be claimed.
    Claim,
    Acknowledge(&'static str, u32, &'static str),
    Reclaim,
    Close,
    Open,
    /// Takes over the files of the other clone; where both have a file, that of the other, which was pushed first.
    Merge,
}

fn read(files: &Files) -> Ledger {
    let inbox = Ledger::of_inbox(files.clone().into_iter().collect());
    assert_eq!(inbox.faults, []);
    inbox
}

/// Returns the files that a step adds.
fn added(inbox: &Ledger, clone: usize, step: Step) -> Vec<NewFile> {
    let writer = Writer { author_id: None, at: AT.to_owned(), nonce: ["a", "b"][clone].to_owned() };
    let id = |key: &str| WorkId::Turn(ShortId::of(&request(key)));
    match step {
        Step::Dispatch(key) => {
            let request: TurnRequest = serde_json::from_slice(&request(key)).unwrap();
            match inbox.dispatch(&request).unwrap() {
                Dispatched::New(file) => vec![file],
                _ => Vec::new(),
            }
        }
        Step::Claim => {
            let pending = inbox.states().into_iter().find(|turn| turn.status == Status::Pending);
            pending.map(|turn| inbox.claim(&turn, &writer).unwrap()).into_iter().collect()
        }
        Step::Acknowledge(key, epoch, word) => {
            let outcome = Outcome { status: word.to_owned(), summary: None, output_box_id: None, error: None };
            // There may be no such turn or epoch.
            let attempt = inbox.attempt(&id(key), Some(epoch)).unwrap();
            let reported = inbox.decide_report(&attempt, &outcome, &writer);
            reported.ok().and_then(|reported| reported.file).into_iter().collect()
        }
        Step::Reclaim => inbox.reclaim(None, &|_| true, &writer).unwrap().into_iter().map(|(_, file)| file).collect(),
        Step::Close => inbox.set_closed(true).into_iter().collect(),
        Step::Open => inbox.set_closed(false).into_iter().collect(),
        Step::Merge => Vec::new(),
    }
}

/// Checks what must hold of the files of a clone, whatever led to them.
fn invariants(files: &Files) {
    let inbox = read(files);
    let turns = inbox.states();
    let mut reversed: Vec<_> = files.clone().into_iter().collect();
    reversed.reverse();
    assert_eq!(Ledger::of_inbox(reversed).states(), turns, "the order of files matters");
    for turn in &turns {
        let counted: Vec<_> = turn.reports.iter().filter(|response| response.late.is_none()).collect();
        assert!(counted.len() <= 1 && counted.iter().all(|it| it.epoch == turn.epoch), "{turn:?}");
        assert_eq!(counted.len(), usize::from(turn.report.is_some()));
    }
    // Nothing is lost: every request is a turn, and every response is at its turn.
    let count = |prefix: &str| files.keys().filter(|path| path.starts_with(prefix)).count();
    let requests: BTreeSet<&Vec<u8>> =
        files.iter().filter(|(path, _)| path.starts_with("requests/")).map(|(_, bytes)| bytes).collect();
    assert_eq!(requests.len(), turns.len());
    let responses: usize = turns.iter().map(|turn| turn.reports.len()).sum();
    assert_eq!(count("responses/") + count("events/late"), responses);
    // It goes on: what is open can be claimed, after a reclaim.
    let mut files = files.clone();
    for step in [Step::Reclaim, Step::Claim] {
        for file in added(&read(&files), 0, step) {
            assert!(files.insert(file.path.to_string(), file.bytes).is_none(), "{step:?} writes what exists");
        }
    }
    let open = turns.iter().any(|turn| !turn.status.is_terminal());
    assert_eq!(read(&files).states().iter().any(|turn| turn.status.name() == "dispatched"), open);
}

#[test]
fn all_that_two_clones_can_do_in_five_steps_keeps_the_invariants() {
    let steps = [
        Step::Dispatch("a"),
        Step::Dispatch("b"),
        Step::Claim,
        Step::Acknowledge("a", 1, "success"),
        Step::Acknowledge("a", 2, "failed"),
        Step::Reclaim,
        Step::Close,
        Step::Open,
        Step::Merge,
    ];
    // One turn is there already, so that five steps lead further.
    let start: Files = [(format!("requests/00000001-{}.json", short(&request("a"))), request("a"))].into();
    let mut seen: BTreeSet<[Files; 2]> = [[start.clone(), start.clone()]].into();
    let mut last: Vec<[Files; 2]> = seen.iter().cloned().collect();
    for _ in 0..5 {
        let mut next = Vec::new();
        for clones in &last {
            for clone in 0..2 {
                let before = read(&clones[clone]);
                for step in steps {
                    let mut clones = clones.clone();
                    if let Step::Merge = step {
                        let other = clones[1 - clone].clone();
                        for (path, bytes) in &other {
                            let exclusive = path.starts_with("claims/") || path.starts_with("responses/");
                            let conflicts = clones[clone].get(path).is_some_and(|own| own != bytes);
                            assert!(exclusive || !conflicts, "git would not merge {path}");
                        }
                        clones[clone].extend(other);
                    } else {
                        for file in added(&before, clone, step) {
                            let replaced = clones[clone].insert(file.path.to_string(), file.bytes.clone());
                            // A late response that is sent twice is one file.
                            assert!(replaced.is_none_or(|old| old == file.bytes), "{step:?} changed {}", file.path);
                            invariants(&clones[clone]);
                        }
                    }
                    if seen.insert(clones.clone()) {
                        invariants(&clones[clone]);
                        next.push(clones);
                    }
                }
            }
        }
        last = next;
    }
    assert!(seen.len() > 1_000, "{}", seen.len());
}
