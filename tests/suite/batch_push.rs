//! Batches in several clones: a push is the transaction between them.

use crate::batches::batch;
use crate::sandbox::{Run, Sandbox, files, run};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;

/// A bare repository, and two clones of it that have a batch; the id of the batch.
pub(crate) fn clones(tasks: usize) -> (Sandbox, Vec<PathBuf>, String) {
    let (sandbox, id) = batch(tasks, "");
    let paths = cloned(&sandbox);
    (sandbox, paths, id)
}

/// A bare repository with all files of a repo, and two clones of it.
pub(crate) fn cloned(sandbox: &Sandbox) -> Vec<PathBuf> {
    sandbox.commit();
    let at = |name: &str| sandbox.beside(name);
    sandbox.git(&["clone", "-q", "--bare", ".", at("remote.git").to_str().unwrap()]);
    let paths = ["one", "other"].map(at).to_vec();
    for path in &paths {
        sandbox.git(&["clone", "-q", at("remote.git").to_str().unwrap(), path.to_str().unwrap()]);
        for (key, value) in [("user.name", "A"), ("user.email", "a@example.com")] {
            sandbox.git(&["-C", path.to_str().unwrap(), "config", key, value]);
        }
    }
    paths
}

/// The files of a clone, without the folder for unfinished ones.
pub(crate) fn files_of(clone: &Path) -> Vec<(String, Vec<u8>)> {
    files(clone).into_iter().filter(|(path, _)| !path.starts_with(".contextpack/")).collect()
}

fn in_clone(sandbox: &Sandbox, clone: &Path, words: &[&str]) -> Run {
    run_in(sandbox, clone, &[&["batch"], words].concat())
}

/// Runs the program in a clone.
pub(crate) fn run_in(sandbox: &Sandbox, clone: &Path, words: &[&str]) -> Run {
    let mut command = sandbox.command(words);
    command.current_dir(clone);
    run(command, "")
}

#[cfg(unix)]
pub(crate) fn executable(path: &Path) {
    use std::os::unix::fs::PermissionsExt as _;
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

#[cfg(not(unix))]
pub(crate) fn executable(_: &Path) {}

#[test]
fn a_push_is_the_transaction_between_clones() {
    let (sandbox, clones, id) = clones(2);
    let [one, other] = &clones[..] else { panic!() };
    let git = |clone: &Path, args: &[&str]| sandbox.git(&[&["-C", clone.to_str().unwrap()], args].concat());
    // A dirty tree and a used index do not matter, and stay as they are.
    fs::write(other.join("tasks.yml"), "changed").unwrap();
    fs::write(other.join("staged"), "staged").unwrap();
    git(other, &["add", "staged"]);
    let before = git(other, &["status", "--porcelain"]);
    assert_eq!(in_clone(&sandbox, one, &["claim", &id, "0", "--push"]).code, 0);
    let busy = in_clone(&sandbox, other, &["claim", &id, "0", "--push", "--format", "json"]);
    assert_eq!((busy.code, busy.stdout.contains("claimed")), (1, true), "{}", busy.stderr);
    assert_eq!(git(one, &["rev-parse", "HEAD"]), git(other, &["rev-parse", "HEAD"]));
    let claimed = in_clone(&sandbox, other, &["claim", &id, "1", "--push"]);
    assert!(claimed.code == 0 && claimed.stderr.contains("note: pushed "), "{}", claimed.stderr);
    // While one pushes, the other is first.
    let report = |task| ["report", &*id, task, "--epoch", "1", "--status", "success"];
    assert_eq!(in_clone(&sandbox, other, &[&report("1")[..], &["--commit"]].concat()).code, 0);
    let hook = sandbox.beside("remote.git").join("hooks/pre-receive");
    let environment = "unset GIT_DIR GIT_QUARANTINE_PATH GIT_OBJECT_DIRECTORY GIT_ALTERNATE_OBJECT_DIRECTORIES";
    let script = format!("#!/bin/sh\nrm '{}'\n{environment}\ngit -C '{}' push -q\n", hook.display(), other.display());
    fs::create_dir_all(hook.parent().unwrap()).unwrap();
    fs::write(&hook, script).unwrap();
    executable(&hook);
    let reported = in_clone(&sandbox, one, &[&report("0")[..], &["--push"]].concat());
    assert!(reported.code == 0 && reported.stderr.contains(" after 1 retry"), "{}", reported.stderr);
    assert_eq!(git(other, &["status", "--porcelain"]), before);
    let files = git(one, &["show", "--format=", "--name-only", "HEAD"]);
    assert_eq!(files, format!("context/batches/{id}/reports/0-1.json\n"));
    // One joins, the other finds it joined.
    for clone in [one, other] {
        let joined = in_clone(&sandbox, clone, &["join", &id, "--push"]);
        assert!(joined.code == 0 && joined.stdout.contains("success"), "{}", joined.stderr);
    }
    assert_eq!(git(one, &["rev-parse", "HEAD"]), git(other, &["rev-parse", "HEAD"]));
    assert_eq!(git(other, &["status", "--porcelain"]), before);
    assert_eq!(git(one, &["rev-list", "--merges", "--count", "HEAD"]), "0\n");
}

#[test]
fn a_push_that_cannot_be_made_leaves_no_file() {
    let (sandbox, clones, id) = clones(2);
    let [one, other] = &clones[..] else { panic!() };
    let state = files_of;
    let refused = |words: &[&str], message: &str| {
        let before = state(one);
        let run = in_clone(&sandbox, one, &[&["claim", &id, "0"], words].concat());
        assert!(run.code == 1 && run.stderr.contains(message), "{}", run.stderr);
        assert_eq!((state(one), &*run.stdout), (before, ""));
    };
    // The remote is gone.
    let (remote, gone) = (sandbox.beside("remote.git"), sandbox.beside("gone.git"));
    fs::rename(&remote, &gone).unwrap();
    refused(&["--push"], "nothing was pushed to `origin`");
    fs::rename(&gone, &remote).unwrap();
    // The branch has a commit that the remote lacks, and the remote has another.
    assert_eq!(in_clone(&sandbox, other, &["claim", &id, "1", "--push"]).code, 0);
    fs::write(one.join("new"), "").unwrap();
    sandbox.git(&["-C", one.to_str().unwrap(), "add", "new"]);
    sandbox.git(&["-C", one.to_str().unwrap(), "commit", "-q", "-m", "mine"]);
    refused(&["--push"], "the branch has commits that the remote lacks");
    // Without `--push` the commit stays here.
    let claimed = in_clone(&sandbox, one, &["claim", &id, "0", "--commit"]);
    assert!(claimed.code == 0 && claimed.stderr.contains("note: committed "), "{}", claimed.stderr);
    // A commit that cannot be made leaves no file either.
    fs::write(one.join(".git/index.lock"), "").unwrap();
    let before = state(one);
    let report = ["report", &*id, "0", "--epoch", "1", "--status", "success", "--commit"];
    let locked = in_clone(&sandbox, one, &report);
    assert!(locked.code == 1 && locked.stderr.contains("its index stays locked"), "{}", locked.stderr);
    assert_eq!(state(one), before);
    fs::remove_file(one.join(".git/index.lock")).unwrap();
    // Outside a repository nothing can be committed.
    let (sandbox, id) = batch(1, "");
    let run = sandbox.run(&["batch", "claim", &id, "0", "--commit"]);
    assert!(run.code == 2 && run.stderr.contains("nothing can be committed here"), "{}", run.stderr);
}

#[test]
fn a_slow_remote_is_waited_for_while_others_push() {
    let (sandbox, clones, id) = clones(2);
    let hook = sandbox.beside("remote.git").join("hooks/pre-receive");
    fs::create_dir_all(hook.parent().unwrap()).unwrap();
    fs::write(&hook, "#!/bin/sh\nsleep 1\n").unwrap();
    executable(&hook);
    // Both push at once, and the remote takes a second for each.
    let spawn = |clone: &Path, task: &str| {
        let mut command = sandbox.command(&["batch", "claim", &id, task, "--push"]);
        command.current_dir(clone).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    };
    let children = [spawn(&clones[0], "0"), spawn(&clones[1], "1")];
    assert!(children.into_iter().all(|mut child| child.wait().unwrap().success()));
    sandbox.git(&["-C", clones[0].to_str().unwrap(), "pull", "-q"]);
    let claims = files_of(&clones[0]).into_iter().filter(|(path, _)| path.contains("/claims/"));
    assert_eq!(claims.count(), 2);
}

#[test]
fn a_remote_that_rejects_is_reported_and_nothing_stays() {
    let (sandbox, clones, id) = clones(1);
    let hook = sandbox.beside("remote.git").join("hooks/pre-receive");
    fs::create_dir_all(hook.parent().unwrap()).unwrap();
    fs::write(&hook, "#!/bin/sh\necho 'not today' >&2\nexit 1\n").unwrap();
    executable(&hook);
    let before = files_of(&clones[0]);
    let run = in_clone(&sandbox, &clones[0], &["claim", &id, "0", "--push"]);
    assert!(run.code == 1 && run.stderr.contains("remote: not today"), "{}", run.stderr);
    assert_eq!(files_of(&clones[0]), before);
}

#[test]
fn a_push_publishes_nothing_else_and_nothing_that_others_cannot_read() {
    let (sandbox, clones, id) = clones(2);
    let [one, other] = &clones[..] else { panic!() };
    let git = |clone: &Path, args: &[&str]| sandbox.git(&[&["-C", clone.to_str().unwrap()], args].concat());
    // A commit that nobody asked to publish.
    git(one, &["commit", "-q", "--allow-empty", "-m", "unfinished"]);
    let before = files_of(one);
    let refused = in_clone(&sandbox, one, &["claim", &id, "0", "--push"]);
    assert!(refused.code == 1 && refused.stderr.contains("commits that the remote lacks"), "{}", refused.stderr);
    assert_eq!(files_of(one), before);
    git(one, &["reset", "-q", "--keep", "@{u}"]);
    let claimed = in_clone(&sandbox, one, &["claim", &id, "0", "--push"]);
    assert!(claimed.code == 0 && claimed.stderr.contains(" to origin/main"), "{}", claimed.stderr);
    // A report whose box holds a card that only this clone has.
    let words = ["card", "add", "--type", "task.deliverable", "--author", "coder", "--text", "Mine alone."];
    let card = run_in(&sandbox, one, &words).stdout;
    assert_eq!(run_in(&sandbox, one, &["box", "append", &format!("{id}.0"), card.trim()]).code, 0);
    let report = ["report", &*id, "0", "--epoch", "1", "--status", "success", "--push"];
    let before = files_of(one);
    let lacking = in_clone(&sandbox, one, &report);
    assert!(lacking.code == 3 && lacking.stderr.contains("others would lack"), "{}", lacking.stderr);
    assert_eq!(files_of(one), before, "what was written is taken back");
    git(one, &["add", "context"]);
    git(one, &["commit", "-q", "-m", "cards"]);
    git(one, &["push", "-q"]);
    assert_eq!(in_clone(&sandbox, one, &report).code, 0);
    git(other, &["pull", "-q"]);
    assert_eq!(run_in(&sandbox, other, &["verify", "context"]).code, 0);
}

#[test]
fn what_was_written_by_hand_is_redacted_and_what_is_no_file_stops_no_other() {
    let (sandbox, id) = batch(3, "");
    for task in ["0", "1"] {
        sandbox.expect(0, &["batch", "claim", &id, task]);
    }
    let report = ["batch", "report", &*id, "0", "--epoch", "1", "--status", "failed", "--summary", "the-summary"];
    sandbox.expect(0, &[&report[..], &["--error-code", "x", "--error-message", "the-message"]].concat());
    let path = format!("context/batches/{id}/reports/0-1.json");
    let secret = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
    let edited = sandbox.read(&path).replace("the-summary", secret).replace("the-message", secret);
    sandbox.write(&path, edited);
    fs::create_dir(sandbox.root().join(format!("context/batches/{id}/reports/1-1.json"))).unwrap();
    let status = sandbox.run(&["batch", "status", &id, "--format", "json"]);
    assert!(status.code == 3 && status.stderr.contains("reports/1-1.json"), "{}", status.stderr);
    sandbox.expect(0, &["batch", "reclaim", &id, "1"]);
    sandbox.expect(0, &["batch", "cancel", &id]);
    let joined = sandbox.run(&["batch", "join", &id, "--format", "json"]);
    let written = sandbox.read(&format!("context/batches/{id}/result.json"));
    for text in [&status.stdout, &joined.stdout, &written] {
        assert!(!text.contains("ghp_"), "{text}");
    }
    assert!(joined.stdout.contains("REDACTED"), "{}{}", joined.stdout, joined.stderr);
}

#[cfg(unix)]
#[test]
fn a_push_whose_end_is_not_known_is_looked_for_at_the_remote() {
    let (sandbox, clones, id) = clones(2);
    let one = &clones[0];
    let (remote, gone) = (sandbox.beside("remote.git"), sandbox.beside("gone.git"));
    let hook = remote.join("hooks/post-receive");
    fs::create_dir_all(hook.parent().unwrap()).unwrap();
    let ended_by = |script: &str| {
        fs::write(&hook, format!("#!/bin/sh\n{script}kill -9 $PPID\nsleep 1\n")).unwrap();
        executable(&hook);
    };
    let report = |task| ["report", &*id, task, "--epoch", "1", "--status", "success", "--push"];
    // The remote has the push, and the connection breaks before it says so.
    ended_by("");
    let pushed = in_clone(&sandbox, one, &report("0"));
    assert!(pushed.code == 0 && pushed.stderr.contains("note: pushed "), "{}", pushed.stderr);
    assert_eq!(pushed.stdout, "counted: success\n");
    // The remote is gone as well.
    ended_by(&format!("mv '{}' '{}'\n", remote.display(), gone.display()));
    let before = files_of(one);
    let unknown = in_clone(&sandbox, one, &report("1"));
    assert_eq!((unknown.code, &*unknown.stdout), (1, ""), "{}", unknown.stderr);
    assert!(unknown.stderr.contains("it is not known whether the push to `origin` arrived"), "{}", unknown.stderr);
    assert_eq!(files_of(one), before);
    // What the message says finds it out, and the same command again counts nothing twice.
    fs::rename(&gone, &remote).unwrap();
    fs::remove_file(&hook).unwrap();
    let help = unknown.stderr.split('`').find(|part| part.starts_with("git fetch")).unwrap();
    let check = std::process::Command::new("sh").args(["-c", help]).current_dir(one).status().unwrap();
    assert!(check.success(), "{help}");
    let again = in_clone(&sandbox, one, &[&report("1")[..], &["--format", "json"]].concat());
    assert!(again.code == 0 && again.stdout.contains("\"existed\": true"), "{}{}", again.stdout, again.stderr);
    let reports = files_of(one).into_iter().filter(|(path, _)| path.contains("/reports/") || path.contains("/late-"));
    assert_eq!(reports.count(), 2);
    // A push that was refused is no unknown one, even if the remote is gone after it.
    let hook = remote.join("hooks/pre-receive");
    fs::write(&hook, format!("#!/bin/sh\nmv '{}' '{}'\nexit 1\n", remote.display(), gone.display())).unwrap();
    executable(&hook);
    let refused = in_clone(&sandbox, one, &["claim", &id, "0", "--push"]);
    assert!(refused.code == 1 && !refused.stderr.contains("not known"), "{}", refused.stderr);
}

#[test]
fn what_was_written_and_not_committed_is_pushed_by_the_same_command() {
    let sandbox = crate::batches::repo();
    let clones = cloned(&sandbox);
    let [one, other] = &clones[..] else { panic!() };
    let id = in_clone(&sandbox, one, &["fork", "tasks.yml", "-q"]).stdout.trim().to_owned();
    let forked = in_clone(&sandbox, one, &["fork", "tasks.yml", "--push"]);
    assert!(forked.code == 0 && forked.stderr.contains("note: pushed "), "{}", forked.stderr);
    for task in ["0", "1"] {
        let words = ["report", &*id, task, "--epoch", "1", "--status", "success", "--commit"];
        assert_eq!(in_clone(&sandbox, one, &words).code, 0);
    }
    sandbox.git(&["-C", one.to_str().unwrap(), "push", "-q"]);
    let report = ["report", &*id, "2", "--epoch", "1", "--status", "success"];
    for words in [&report[..], &["join", &id]] {
        for push in [&[][..], &["--push"]] {
            let run = in_clone(&sandbox, one, &[words, push].concat());
            assert!(run.code == 0 && run.stderr.contains("note: pushed ") != push.is_empty(), "{}", run.stderr);
        }
    }
    sandbox.git(&["-C", other.to_str().unwrap(), "pull", "-q"]);
    let status = in_clone(&sandbox, other, &["status", &id]).stdout;
    assert!(status.starts_with(&format!("{id}  success, joined ")), "{status}");
    assert_eq!(files_of(one), files_of(other));
    let dirty = sandbox.git(&["-C", one.to_str().unwrap(), "status", "--porcelain"]);
    assert_eq!(dirty, "", "{dirty}");
}
