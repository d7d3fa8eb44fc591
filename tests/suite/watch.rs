//! The program while it follows a repo: what it builds, what it says, and how it ends.

use crate::cli::small;
use crate::sandbox::{Sandbox, files};
use std::fs;
use std::io::{BufRead as _, BufReader, Read};
use std::process::{Child, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// Nothing takes so long, on however slow a machine.
const LIMIT: Duration = Duration::from_secs(120);

/// The program, following a repo.
pub(crate) struct Watching {
    child: Child,
    out: Receiver<String>,
    err: Receiver<String>,
    /// What it said on stderr so far.
    pub(crate) said: Vec<String>,
}

impl Watching {
    /// Starts it and waits for the end of the first build.
    pub(crate) fn start(sandbox: &Sandbox, args: &[&str]) -> Self {
        let mut command = sandbox.command(&[&["watch"], args].concat());
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let (out, err) = (lines(child.stdout.take().unwrap()), lines(child.stderr.take().unwrap()));
        let mut watching = Self { child, out, err, said: Vec::new() };
        watching.wait(" unchanged");
        watching
    }

    /// Waits for a line on stderr that holds `part`, and gives it.
    pub(crate) fn wait(&mut self, part: &str) -> String {
        let end = Instant::now() + LIMIT;
        loop {
            match self.err.recv_timeout(end.saturating_duration_since(Instant::now())) {
                Ok(line) => {
                    self.said.push(line.clone());
                    if line.contains(part) {
                        return line;
                    }
                }
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                    panic!("no line with `{part}` but\n{}", self.said.join("\n"))
                }
            }
        }
    }

    /// The next line on stdout.
    pub(crate) fn printed(&self) -> String {
        self.out.recv_timeout(LIMIT).unwrap_or_else(|_| panic!("nothing printed; said\n{}", self.said.join("\n")))
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn lines(stream: impl Read + Send + 'static) -> Receiver<String> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        for line in BufReader::new(stream).lines() {
            let Ok(line) = line else { break };
            if sender.send(line).is_err() {
                break;
            }
        }
    });
    receiver
}

fn packs(sandbox: &Sandbox) -> Vec<(String, Vec<u8>)> {
    files(&sandbox.root().join("packs"))
}

fn item(id: &str, body: &str) -> String {
    format!("---\nid: {id}\ntitle: {id}\n---\n\n{body}\n")
}

/// Saves as editors do: beside the old file, and then in its place.
pub(crate) fn save(sandbox: &Sandbox, path: &str, text: &str) {
    let path = sandbox.root().join(path);
    let beside = path.with_extension("md~");
    fs::write(&beside, text).unwrap();
    fs::rename(beside, path).unwrap();
}

#[test]
fn after_a_burst_of_every_kind_of_change_the_packs_are_those_of_a_cold_build() {
    let sandbox = small();
    sandbox.write(".gitignore", "target/\n*~\n");
    sandbox.write("work_items/group/one.md", item("task:one", "One."));
    sandbox.commit();
    // Written beside the repo, and moved into it with all it holds.
    let outside = sandbox.beside("incoming");
    fs::create_dir_all(outside.join("deep/er")).unwrap();
    for n in 0..30 {
        let text = item(&format!("task:in{n}"), "As ADR-0007 says, and docs/new/notes.txt.");
        fs::write(outside.join(format!("deep/er/{n}.md")), text).unwrap();
    }
    let mut watching = Watching::start(&sandbox, &[]);
    save(&sandbox, "work_items/feat-cache.md", &item("feat:cache", "Again, by ADR-0007."));
    fs::rename(&outside, sandbox.root().join("work_items/incoming")).unwrap();
    fs::rename(sandbox.root().join("work_items/group"), sandbox.root().join("work_items/renamed")).unwrap();
    sandbox.write("docs/new/notes.txt", "Notes.");
    for n in 0..40 {
        sandbox.write(&format!("target/debug/{n}.md"), "no input");
        sandbox.write("work_items/epic-speed.md", item("epic:speed", &format!("Draft {n}.")));
    }
    fs::remove_file(sandbox.root().join("work_items/task-store.md")).unwrap();
    // Whichever build saw this saw all that came before.
    sandbox.write("work_items/renamed/last.md", item("a:last", "First of the lines."));
    watching.wait("a:last ");
    // A folder that came during the watch is followed like any other.
    sandbox.write("work_items/incoming/deep/er/later.md", item("task:later", "Later."));
    watching.wait("task:later ");
    drop(watching);
    let watched = packs(&sandbox);
    for folder in ["packs", ".contextpack"] {
        fs::remove_dir_all(sandbox.root().join(folder)).unwrap();
    }
    sandbox.expect(0, &["build", "-q"]);
    let cold = packs(&sandbox);
    assert_eq!(cold.len(), 35);
    assert!(watched == cold);
}

#[test]
fn a_save_is_told_in_one_line_and_own_writes_cause_no_second_look() {
    let sandbox = small();
    let mut watching = Watching::start(&sandbox, &["-v", "feat:cache"]);
    let now = sandbox.read(".contextpack/now.md");
    assert!(now.contains("A second answer takes no second."), "{now}");
    let text = sandbox.read("work_items/feat-cache.md");
    for n in 1..4 {
        sandbox.write("work_items/feat-cache.md", text.replace("no second.", &format!("no {n} seconds.")));
        let line = watching.wait("feat:cache ");
        assert!(line.contains(" of 48,000 characters") && line.contains(": body changed, "), "{line}");
        assert!(sandbox.read(".contextpack/now.md").contains(&format!("no {n} seconds.")));
    }
    sandbox.write("docs/adr/0007-cache.md", "# 7. Cache\n\n## Status\n\nRejected\n");
    watching.wait("ADR-0007 changed");
    // What follows is one event; whatever the writes above had caused would have been told before.
    let touched = fs::File::options().write(true).open(sandbox.root().join("contextpack.yml"));
    let touched = touched.unwrap_or_else(|_| {
        sandbox.write("work_items/other.txt", "no item");
        fs::File::options().write(true).open(sandbox.root().join("work_items/other.txt")).unwrap()
    });
    drop(touched);
    watching.wait("nothing changed, ");
    let looks = watching.said.iter().filter(|line| line.contains("nothing changed")).count();
    assert_eq!(looks, 1, "{:#?}", watching.said);
    assert!(!sandbox.has("packs/task-store.coding.json"), "only the root that was asked for is built");
    let ignored = sandbox.read(".contextpack/.gitignore");
    assert!(ignored.contains("*\n"), "{ignored}");
}

#[test]
fn a_broken_configuration_is_told_once_and_the_last_good_packs_stay() {
    let sandbox = small();
    let mut watching = Watching::start(&sandbox, &[]);
    let before = packs(&sandbox);
    sandbox.write("contextpack.yml", "version: 1\nno_such: 1\n");
    watching.wait("no_such");
    // In the order of the lines: `now.md` is written before they are.
    assert!(sandbox.read(".contextpack/now.md").starts_with("> Not up to date: "));
    assert!(packs(&sandbox) == before);
    sandbox.write("contextpack.yml", "version: 1\nprofiles: {coding: {budget: {max_chars: 9000}}}\n");
    watching.wait("recovered: ");
    let line = watching.wait("feat:cache ");
    assert!(line.contains(" of 9,000 characters"), "{line}");
    assert!(!sandbox.read(".contextpack/now.md").starts_with('>'));
}

#[test]
fn a_root_that_is_deleted_and_made_again_is_built_again() {
    let sandbox = small();
    let mut watching = Watching::start(&sandbox, &["task:store", "--poll=100ms"]);
    assert!(watching.said.iter().any(|line| line.ends_with("polling every 100ms")), "{:?}", watching.said);
    let path = sandbox.root().join("work_items/task-store.md");
    fs::remove_file(&path).unwrap();
    watching.wait("not built: there is no item `task:store`");
    sandbox.write("work_items/task-store.md", item("task:store", "Back again."));
    watching.wait("task:store ");
    assert!(sandbox.read(".contextpack/now.md").contains("Back again."));
}

#[test]
fn the_difference_of_the_rendering_or_all_of_it_is_printed() {
    let sandbox = small();
    let mut watching = Watching::start(&sandbox, &["task:store", "--print"]);
    sandbox.write("work_items/task-store.md", item("task:store", "On a disk."));
    let printed: Vec<String> = (0..2).map(|_| watching.printed()).collect();
    assert_eq!(printed, ["--- a/task-store.coding.md", "+++ b/task-store.coding.md"]);
    while watching.printed() != "-On disk." {}
    assert_eq!(watching.printed(), "+On a disk.");
    watching.wait("task:store ");
    drop(watching);
    let watching = Watching::start(&sandbox, &["task:store", "--print=full"]);
    let all = sandbox.expect(0, &["render", "task:store"]);
    for line in all.lines() {
        assert_eq!(watching.printed(), line);
    }
    assert_eq!(sandbox.read(".contextpack/now.md"), all);
}

#[test]
fn programs_get_one_line_of_json_a_build() {
    let sandbox = small();
    let mut command = sandbox.command(&["watch", "--format", "json", "--poll=100ms"]);
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let out = lines(child.stdout.take().unwrap());
    let read = || -> serde_json::Value { serde_json::from_str(&out.recv_timeout(LIMIT).unwrap()).unwrap() };
    assert_eq!(read()["packs"].as_array().unwrap().len(), 3);
    sandbox.write("work_items/task-store.md", item("task:store", "Elsewhere."));
    let built = read();
    let _ = child.kill();
    let _ = child.wait();
    let paths: Vec<&str> =
        built["packs"].as_array().unwrap().iter().map(|pack| pack["path"].as_str().unwrap()).collect();
    assert_eq!(paths, ["packs/feat-cache.coding.json", "packs/task-store.coding.json"]);
    assert_eq!(built["packs"][1]["status"], "written");
}

#[test]
fn nothing_that_a_terminal_obeys_is_told_raw() {
    let sandbox = small();
    let mut watching = Watching::start(&sandbox, &[]);
    sandbox.write("work_items/odd.md", "---\nid: \"task:\\e[31m\\u009bodd\"\ndepends_on: \"x\\e]0;y\"\n---\n");
    watching.wait("odd");
    sandbox.write("work_items/last.md", item("task:last", "Last."));
    watching.wait("task:last ");
    let raw = |line: &&String| line.chars().any(|c| c.is_control());
    assert_eq!(watching.said.iter().find(raw), None);
}

#[test]
fn what_is_typed_wrong_ends_the_watch_before_it_begins() {
    let sandbox = small();
    for (args, why) in [
        (&["task:nobody"][..], "there is no item `task:nobody`"),
        (&["-p", "nobody"], "there is no profile `nobody`"),
        (&["--format", "github"], "--format"),
        (&["--out", "-"], "folder"),
        (&["--print", "--format", "json"], "standard output"),
        (&["--poll=1ms"], "100ms"),
    ] {
        let run = sandbox.run(&[&["watch"], args].concat());
        assert!(run.code == 2 && (run.stderr + &run.stdout).contains(why), "{args:?}");
    }
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_it_with_its_own_code_and_leaves_whole_files() {
    use std::process::Command;
    let sandbox = small();
    let mut watching = Watching::start(&sandbox, &[]);
    for n in 0..50 {
        sandbox.write(&format!("work_items/n{n}.md"), item(&format!("task:n{n}"), "Text."));
    }
    let sent = Command::new("kill").args(["-INT", &watching.child.id().to_string()]).status().unwrap();
    assert!(sent.success());
    assert_eq!(watching.child.wait().unwrap().code(), Some(130));
    let unfinished = sandbox.files().into_iter().find(|(path, _)| path.ends_with(".tmp"));
    assert_eq!(unfinished, None);
    sandbox.expect(0, &["verify", "packs"]);
}
