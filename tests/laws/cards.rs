//! Branches that add cards and append to logs merge without conflict, in any order, to one state.

use super::memory::cases;
use super::sandbox::Sandbox;
use contextpack::Digest;
use proptest::collection::vec;
use proptest::prelude::*;
use std::collections::BTreeSet;

/// A change on a branch.
#[derive(Debug, Clone)]
enum Change {
    /// Appends cards of these texts to a log.
    Append(usize, Vec<usize>),
    Snapshot(usize),
    Delete(usize),
    /// Hands a log over with a task.
    Handover(usize, usize),
}

const LOGS: [&str; 2] = ["coder", "reviewer"];

fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        4 => (0..LOGS.len(), vec(0_usize..6, 1..3)).prop_map(|(log, cards)| Change::Append(log, cards)),
        1 => (0..LOGS.len()).prop_map(Change::Snapshot),
        1 => (0_usize..6).prop_map(Change::Delete),
        2 => (0..LOGS.len(), 0_usize..3).prop_map(|(log, task)| Change::Handover(log, task)),
    ]
}

fn card(sandbox: &Sandbox, text: usize) -> String {
    let text = format!("text {text}");
    sandbox.expect(0, &["card", "add", "-q", "--type", "task.instruction", "--text", &text]).trim().to_owned()
}

/// Makes a change, and returns the cards that it appended.
fn apply(sandbox: &Sandbox, change: &Change) -> Vec<String> {
    match change {
        Change::Append(log, texts) => {
            let ids: Vec<String> = texts.iter().map(|text| card(sandbox, *text)).collect();
            let args: Vec<&str> =
                ["box", "append", LOGS[*log]].into_iter().chain(ids.iter().map(String::as_str)).collect();
            // A card that this branch deleted cannot be appended.
            if sandbox.run(&args).code == 0 { ids } else { Vec::new() }
        }
        Change::Snapshot(log) => {
            sandbox.run(&["box", "snapshot", LOGS[*log]]);
            Vec::new()
        }
        Change::Handover(log, task) => {
            let task = format!("instruction=task {task}");
            let args = ["handover", "launch", "--to", "coder", "--box", LOGS[*log], "--arg", &task];
            // A log that nobody appended to does not exist.
            let run = sandbox.run(&args);
            assert!(run.code == 0 || run.stderr.contains("box not found"), "{}", run.stderr);
            Vec::new()
        }
        Change::Delete(text) => {
            let id = card(sandbox, *text);
            sandbox.expect(0, &["card", "delete", "-q", &id]);
            Vec::new()
        }
    }
}

proptest! {
    #![proptest_config(cases(4))]

    #[test]
    fn branches_merge_without_conflict_to_one_state(
        first in vec(change(), 0..3),
        branches in vec(vec(change(), 1..4), 2..4),
        turn in any::<prop::sample::Index>(),
    ) {
        let sandbox = Sandbox::configured(&[("agents/coder.md", "---\npurpose: Writes code\n---\nWrites code.\n")]);
        // Packs of one handover differ where one branch deleted a card of it.
        let is_deletion = |change: &Change| matches!(change, Change::Delete(_));
        let is_handover = |change: &Change| matches!(change, Change::Handover(..));
        let both = branches.iter().flatten().any(is_deletion) && branches.iter().flatten().any(is_handover);
        prop_assume!(!both);
        let mut appended: BTreeSet<String> = first.iter().flat_map(|change| apply(&sandbox, change)).collect();
        sandbox.commit();
        for (index, changes) in branches.iter().enumerate() {
            sandbox.git(&["checkout", "-q", "-b", &format!("b{index}"), "main"]);
            appended.extend(changes.iter().flat_map(|change| apply(&sandbox, change)));
            sandbox.commit();
        }
        let mut order: Vec<String> = (0..branches.len()).map(|index| format!("b{index}")).collect();
        let mut states = Vec::new();
        for name in ["one", "other"] {
            sandbox.git(&["checkout", "-q", "-b", name, "main"]);
            for branch in &order {
                // It fails on any conflict.
                sandbox.git(&["merge", "-q", "--no-edit", branch]);
            }
            sandbox.expect(0, &["verify", "context"]);
            let logs: Vec<String> = LOGS.iter().map(|log| sandbox.run(&["box", "show", log, "--format", "json"]).stdout).collect();
            states.push((sandbox.git(&["rev-parse", "HEAD^{tree}"]), logs, sandbox.expect(0, &["box", "list", "--format", "json"])));
            order.rotate_left(turn.index(branches.len()));
            order.reverse();
        }
        prop_assert_eq!(&states[0], &states[1]);
        let logs = states[0].1.concat();
        prop_assert!(appended.iter().all(|id| logs.contains(id)));
        // Every name is the hash of the bytes, which are canonical by another implementation.
        for (path, bytes) in sandbox.files() {
            let Some(name) = path.strip_prefix("context/cards/").filter(|name| !name.contains(".deleted.")) else { continue };
            let value: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
            let canonical = serde_jcs::to_vec(&value).unwrap();
            let hex = Digest::of(&canonical).to_string().split_off("sha256:".len());
            let expected = format!("{}/{hex}.json", &hex[..2]);
            prop_assert_eq!((&canonical, name), (&bytes, expected.as_str()));
        }
    }
}
