//! Commands that push and are killed at any call of git: the same command again does what it would have done.

use crate::batch_push::{cloned, executable, files_of, run_in};
use crate::batches::repo;
use crate::sandbox::{Run, Sandbox, run};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A git that kills the program before or after one of its calls that change something.
const KILLER: &str = r#"#!/bin/sh
for word; do case $word in -c | --literal-pathspecs | *=*) ;; *) break ;; esac; done
case $word in
  fetch|merge|update-index|write-tree|commit-tree|update-ref|reset|push)
    count=$(($(cat "$KILL_COUNT") + 1)); echo $count > "$KILL_COUNT" ;;
  *) count=0 ;;
esac
if [ "$count:before" = "$KILL_AT" ]; then kill -9 $PPID; exit 1; fi
"$KILL_GIT" "$@"; code=$?
if [ "$count:after" = "$KILL_AT" ]; then kill -9 $PPID; fi
exit $code
"#;

struct Place {
    sandbox: Sandbox,
    clone: PathBuf,
    id: String,
    turn: String,
}

/// A clone of a repo with an open batch of one task, a plan that is not forked, a turn, and a remote.
fn place() -> Place {
    let sandbox = repo();
    sandbox.write("other.yml", sandbox.read("tasks.yml").replace("Do a.", "Do z."));
    let plan = "parent_agent: planner\ntasks:\n  - {target_strategy: new, target_ref: coder, instruction: Do it.}\n";
    sandbox.write("tasks.yml", plan);
    sandbox.write(".gitignore", ".contextpack/\n");
    let id =
        sandbox.json(0, &["batch", "fork", "tasks.yml", "--format", "json"])["batch_id"].as_str().unwrap().to_owned();
    let dispatched = sandbox.json(0, &["inbox", "put", "coder", "--box", "planner", "--format", "json"]);
    let turn = dispatched["agent_turn_id"].as_str().unwrap().to_owned();
    let clone = cloned(&sandbox).remove(0);
    let bin = sandbox.beside("bin");
    fs::create_dir(&bin).unwrap();
    fs::write(bin.join("git"), KILLER).unwrap();
    executable(&bin.join("git"));
    Place { sandbox, clone, id, turn }
}

impl Place {
    fn git(&self, words: &[&str]) -> String {
        self.sandbox.git(&[&["-C", self.clone.to_str().unwrap()], words].concat())
    }

    /// Copies the clone and the remote aside, or back.
    fn copy(&self, from: &str, to: &str) {
        for name in ["one", "remote.git"] {
            let to = self.sandbox.beside(&format!("{name}{to}"));
            if to.exists() {
                fs::remove_dir_all(&to).unwrap();
            }
            let from = self.sandbox.beside(&format!("{name}{from}"));
            assert!(Command::new("cp").arg("-a").args([from, to]).status().unwrap().success());
        }
    }

    /// Runs a command whose process is killed at a call of git; the code is that of a killed process if it was.
    fn killed(&self, words: &[&str], at: &str) -> Run {
        let count = self.sandbox.beside("count");
        fs::write(&count, "0").unwrap();
        let path = std::env::var("PATH").unwrap();
        let real = path.split(':').map(|folder| Path::new(folder).join("git")).find(|git| git.is_file()).unwrap();
        let mut command = self.sandbox.command(words);
        command.current_dir(&self.clone).env("PATH", format!("{}:{path}", self.sandbox.beside("bin").display()));
        command.env("KILL_AT", at).env("KILL_COUNT", count).env("KILL_GIT", real);
        run(command, "")
    }

    /// What the remote has, after everything that the clone should have is compared with it.
    fn published(&self, what: &str) -> Vec<String> {
        let remote = self.sandbox.beside("remote.git");
        let head = self.sandbox.git(&["-C", remote.to_str().unwrap(), "rev-parse", "main"]);
        assert_eq!(self.git(&["rev-parse", "HEAD"]), head, "{what}");
        assert_eq!(self.git(&["status", "--porcelain", "--untracked-files=all"]), "", "{what}");
        let journal = fs::read_to_string(self.clone.join(".git/contextpack-publish.lock")).unwrap();
        let left = fs::read_dir(self.clone.join(".git")).unwrap().map(|entry| entry.unwrap().file_name());
        let left = left.filter(|name| name.to_string_lossy().starts_with("contextpack-index")).count();
        assert_eq!((&*journal, left), ("", 0), "{what}");
        self.git(&["ls-tree", "-r", "--name-only", "HEAD"]).lines().map(str::to_owned).collect()
    }
}

/// Kills a command at every call, or at each `step` of them, and compares what the same command again gives with what an undisturbed one does.
fn heals(step: usize, before: &[&[&str]], words: &[&str]) {
    let place = place();
    let fill = |words: &[&str]| -> Vec<String> {
        words.iter().map(|word| word.replace("BATCH", &place.id).replace("TURN", &place.turn)).collect()
    };
    let run =
        |words: &[String]| run_in(&place.sandbox, &place.clone, &words.iter().map(String::as_str).collect::<Vec<_>>());
    for words in before {
        let done = run(&fill(words));
        assert_eq!(done.code, 0, "{words:?}: {}", done.stderr);
    }
    let words = fill(words);
    place.copy("", ".before");
    let whole = run(&words);
    assert_eq!(whole.code, 0, "{words:?}: {}", whole.stderr);
    let expected = place.published("undisturbed");
    // Returns whether the command was killed.
    let check = |at: &str| {
        place.copy(".before", "");
        let killed = place.killed(&words.iter().map(String::as_str).collect::<Vec<_>>(), at);
        if killed.code >= 0 {
            assert_eq!(killed.code, 0, "{words:?} {at}: {}", killed.stderr);
            return false;
        }
        let again = run(&words);
        let what = format!("{words:?} killed at {at}, then {}: {}{}", again.code, again.stdout, again.stderr);
        assert_eq!(again.code, 0, "{what}");
        let said = whole.stdout.lines().next().unwrap_or_default();
        // What was given up is not given up again.
        assert!(again.stdout.starts_with(said) || words[1] == "reclaim" && again.stdout.is_empty(), "{what}");
        assert_eq!(place.published(&what), expected, "{what}");
        true
    };
    // What follows a call is there before the next one.
    let calls = (1..).step_by(step).take_while(|call| check(&format!("{call}:before"))).count();
    assert!(calls * step >= 6, "{calls}");
    let last = (calls - 1) * step + 1;
    assert!(check(&format!("{last}:after")));
}

const CLAIM: [&str; 7] = ["batch", "claim", "BATCH", "0", "--by", "me", "--push"];
const REPORT: [&str; 9] = ["batch", "report", "BATCH", "0", "--epoch", "1", "--status", "success", "--push"];

#[test]
fn a_fork_that_is_killed_is_made_by_the_same_command() {
    heals(1, &[], &["batch", "fork", "other.yml", "--push", "-q"]);
}

#[test]
fn a_claim_that_is_killed_is_accepted_by_the_same_command() {
    heals(1, &[], &CLAIM);
}

#[test]
fn a_report_that_is_killed_is_counted_by_the_same_command() {
    heals(3, &[&CLAIM], &REPORT);
}

#[test]
fn a_join_that_is_killed_is_made_by_the_same_command() {
    heals(3, &[&CLAIM, &REPORT], &["batch", "join", "BATCH", "--push"]);
}

#[test]
fn a_reclaim_that_is_killed_is_made_by_the_same_command() {
    heals(3, &[&CLAIM], &["batch", "reclaim", "BATCH", "0", "--push", "-q"]);
}

#[test]
fn a_dispatch_that_is_killed_is_made_by_the_same_command() {
    heals(3, &[], &["inbox", "put", "coder", "--box", "planner", "--key", "other", "--push"]);
}

#[test]
fn a_claim_of_a_turn_that_is_killed_is_accepted_by_the_same_command() {
    heals(3, &[], &["inbox", "claim", "coder", "--by", "me", "--push"]);
}

#[test]
fn an_acknowledgement_that_is_killed_is_counted_by_the_same_command() {
    heals(
        3,
        &[&["inbox", "claim", "coder", "--push"]],
        &["inbox", "ack", "coder", "TURN", "--status", "success", "--push"],
    );
}

#[test]
fn what_a_killed_command_left_is_not_in_the_way_of_others() {
    let place = place();
    let claim = CLAIM.map(|word| if word == "BATCH" { &*place.id } else { word });
    let files = files_of(&place.clone);
    // Before the commit: a command that does not push takes it back, and another one can claim.
    for (at, author) in [("2:before", "other"), ("4:after", "third")] {
        assert!(place.killed(&claim, at).code < 0);
        let other = run_in(&place.sandbox, &place.clone, &["batch", "claim", &place.id, "0", "--by", author]);
        assert!(other.code == 0, "{at}: {}{}", other.stdout, other.stderr);
        fs::remove_file(place.clone.join(format!("context/batches/{}/claims/0-1.json", place.id))).unwrap();
        assert_eq!(files_of(&place.clone), files);
    }
    // After the push: a command that does not push leaves the claim to one that does.
    assert!(place.killed(&claim, "5:after").code < 0);
    assert_ne!(files_of(&place.clone), files);
    let plain = run_in(&place.sandbox, &place.clone, &["inbox", "close", "coder"]);
    assert_eq!(plain.code, 0, "{}", plain.stderr);
    let again = run_in(&place.sandbox, &place.clone, &claim);
    assert!(again.code == 0 && again.stdout.starts_with("accepted: task "), "{}{}", again.stdout, again.stderr);
    // Nobody else is given what one has: the claim arrived, and its command was killed before it said so.
    let place = self::place();
    let claim = CLAIM.map(|word| if word == "BATCH" { &*place.id } else { word });
    assert!(place.killed(&claim, "7:after").code < 0);
    let other = run_in(&place.sandbox, &place.clone, &["batch", "claim", &place.id, "0", "--by", "other", "--push"]);
    assert!(other.code == 1 && other.stdout.contains("claimed by me"), "{}{}", other.stdout, other.stderr);
}

#[test]
fn files_that_the_remote_has_too_are_not_in_the_way() {
    let place = place();
    // The same card in two clones, which one of them has pushed.
    let other = place.sandbox.beside("other");
    let add = ["card", "add", "--type", "task.instruction", "--text", "the same"];
    let card = run_in(&place.sandbox, &other, &add).stdout;
    assert_eq!(run_in(&place.sandbox, &place.clone, &add).stdout, card);
    for words in [&["add", "context"][..], &["commit", "-q", "-m", "card"], &["push", "-q"]] {
        place.sandbox.git(&[&["-C", other.to_str().unwrap()], words].concat());
    }
    let claim = CLAIM.map(|word| if word == "BATCH" { &*place.id } else { word });
    let claimed = run_in(&place.sandbox, &place.clone, &claim);
    assert_eq!(claimed.code, 0, "{}", claimed.stderr);
    place.published("the same card");
}

#[test]
fn no_hook_runs_and_old_indexes_are_removed() {
    let place = place();
    let ran = place.sandbox.beside("ran");
    for folder in [place.clone.join(".git/hooks"), place.sandbox.beside("hooks")] {
        fs::create_dir_all(&folder).unwrap();
        let names =
            ["pre-push", "post-merge", "pre-commit", "post-commit", "reference-transaction", "post-index-change"];
        for name in names {
            fs::write(folder.join(name), format!("#!/bin/sh\necho {name} >> '{}'\n", ran.display())).unwrap();
            executable(&folder.join(name));
        }
    }
    let watcher = place.sandbox.beside("hooks/pre-push");
    place.git(&["config", "core.fsmonitor", watcher.to_str().unwrap()]);
    fs::write(place.clone.join(".git/contextpack-index"), "").unwrap();
    let other = place.sandbox.beside("other");
    assert_eq!(run_in(&place.sandbox, &other, &["inbox", "close", "coder", "--push"]).code, 0);
    let claim = CLAIM.map(|word| if word == "BATCH" { &*place.id } else { word });
    let claimed = run_in(&place.sandbox, &place.clone, &claim);
    assert_eq!(claimed.code, 0, "{}", claimed.stderr);
    place.git(&["config", "core.hooksPath", place.sandbox.beside("hooks").to_str().unwrap()]);
    let report = REPORT.map(|word| if word == "BATCH" { &*place.id } else { word });
    assert_eq!(run_in(&place.sandbox, &place.clone, &report).code, 0);
    assert!(!ran.exists(), "{}", fs::read_to_string(ran).unwrap());
    // Without them: git itself would run them.
    for name in ["core.hooksPath", "core.fsmonitor"] {
        place.git(&["config", "--unset", name]);
    }
    fs::remove_dir_all(place.clone.join(".git/hooks")).unwrap();
    place.published("hooks");
}
