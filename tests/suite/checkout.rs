//! Builds while git changes the files.

use crate::sandbox::Sandbox;
use std::fs;
use std::process::{Command, Stdio};
use std::thread::{sleep, spawn};
use std::time::{Duration, SystemTime};

fn repo() -> Sandbox {
    let sandbox = Sandbox::with(&[
        (".gitignore", ".contextpack/\n"),
        ("work_items/a.md", "---\nid: task:a\n---\n\nText.\n"),
        ("contextpack.yml", ""),
    ]);
    sandbox.commit();
    sandbox.expect(0, &["build"]);
    sandbox.write("work_items/a.md", "---\nid: task:a\n---\n\nMore.\n");
    sandbox
}

#[test]
fn a_lock_that_git_left_behind_stops_no_build() {
    let sandbox = repo();
    sandbox.write(".git/index.lock", "");
    let lock = fs::File::options().write(true).open(sandbox.root().join(".git/index.lock")).unwrap();
    lock.set_modified(SystemTime::now() - Duration::from_secs(3600)).unwrap();
    let run = sandbox.run(&["build"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(run.stderr.contains("warning[stale-lock]"), "{}", run.stderr);
    assert!(sandbox.read("packs/task-a.coding.json").contains("More."));
}

#[test]
fn a_lock_that_is_held_keeps_the_packs_as_they_are_and_one_that_goes_is_waited_for() {
    let sandbox = repo();
    sandbox.write(".git/index.lock", "");
    let before = sandbox.read("packs/task-a.coding.json");
    let run = sandbox.run(&["build"]);
    assert_eq!(run.code, 1, "{}", run.stderr);
    assert!(run.stderr.contains("index.lock"), "{}", run.stderr);
    assert_eq!(sandbox.read("packs/task-a.coding.json"), before);
    let lock = sandbox.root().join(".git/index.lock");
    let gone = spawn(move || {
        sleep(Duration::from_millis(200));
        fs::remove_file(lock).unwrap();
    });
    sandbox.expect(0, &["build"]);
    gone.join().unwrap();
    assert!(sandbox.read("packs/task-a.coding.json").contains("More."));
}

/// `git commit -a` holds a lock that is written already while its hooks run.
#[test]
fn a_hook_of_a_commit_builds() {
    let sandbox = repo();
    sandbox.write(".git/index.lock", "an index");
    let run = sandbox.run(&["build"]);
    assert_eq!((run.code, run.stderr.contains("lock")), (0, false), "{}", run.stderr);
}

/// Every pack is that of one of two commits, whatever git does meanwhile.
#[test]
fn a_build_during_a_checkout_mixes_no_commits() {
    let sandbox = Sandbox::new();
    let write = |text: &str| {
        for n in 0..60 {
            let parent = if n == 0 { String::new() } else { format!("parent: T-{}\n", n - 1) };
            sandbox.write(
                &format!("work_items/{n}.md"),
                format!("---\nid: T-{n}\n{parent}title: {text}\n---\n\n{text}\n"),
            );
        }
        sandbox.commit();
    };
    sandbox.write(".gitignore", ".contextpack/\npacks/\n");
    write("alpha-commit");
    sandbox.git(&["checkout", "-q", "-b", "other"]);
    write("omega-commit");
    let stop = sandbox.beside("stop");
    let script = format!(
        "n=0; while [ ! -e '{}' ] && [ $n -lt 3000 ]; do n=$((n+1)); git checkout -q main; git checkout -q other; done",
        stop.display()
    );
    let mut loops = Command::new("sh");
    loops.args(["-c", &script]).current_dir(sandbox.root()).stderr(Stdio::null());
    let mut loops = loops.spawn().unwrap();
    let mut ends = Vec::new();
    for _ in 0..6 {
        let run = sandbox.run(&["build"]);
        assert!(run.code <= 1, "{}", run.stderr);
        ends.push(run.code);
        // Git replaces the other files meanwhile.
        let packs = sandbox.root().join("packs");
        for (path, bytes) in packs.exists().then(|| crate::sandbox::files(&packs)).into_iter().flatten() {
            let text = String::from_utf8(bytes).unwrap();
            assert!(!(text.contains("alpha-commit") && text.contains("omega-commit")), "{path}: {text}");
        }
    }
    fs::write(stop, "").unwrap();
    loops.wait().unwrap();
    sandbox.git(&["checkout", "-q", "-f", "main"]);
    sandbox.expect(0, &["build"]);
    sandbox.expect(0, &["check"]);
}
