//! The watch with scripted events.

use super::scripted_events::ScriptedEvents;
use contextpack::Environment;
use contextpack::internals::engine::{Session, SessionRequest};
use contextpack::internals::seal::Stamp;
use contextpack::internals::watch::{Event, Watch, WatchReport};
use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

struct TestDir {
    folder: tempfile::TempDir,
    script: ScriptedEvents,
}

impl TestDir {
    fn new() -> Self {
        let place = Self { folder: tempfile::tempdir().unwrap(), script: ScriptedEvents::default() };
        place.write("contextpack.yml", "output: {dir: packs}\n");
        place.write(".gitignore", "/target/\nnode_modules/\n");
        for (path, text) in [("target/debug/x.md", "x"), ("node_modules/x/y.md", "y"), ("empty/.keep", "")] {
            place.write(path, text);
        }
        fs::remove_file(place.root().join("empty/.keep")).unwrap();
        place.write(".git/HEAD", "ref: refs/heads/main\n");
        place.write(".git/objects/ab/c", "");
        place.write("work_items/a.md", "---\nid: task:a\n---\n\nAs ADR-0001 says.\n");
        place.write("docs/adr/0001-x.md", "# 1. X\n\n## Decision\n\nWe do.\n");
        place
    }

    /// The real path, as the program finds it.
    fn root(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join("repo")
    }

    fn write(&self, path: &str, text: &str) {
        let root = self.folder.path().join("repo");
        fs::create_dir_all(&root).unwrap();
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn request(&self) -> SessionRequest {
        SessionRequest { root: self.root(), ..SessionRequest::default() }
    }

    fn watch(&self) -> Watch {
        let stamp = || Stamp::new("2026-01-02T03:04:05Z".to_owned());
        let events = Box::new(self.script.clone());
        Watch::new(self.request(), Environment::new(std::iter::empty()), events, Box::new(stamp), false)
    }

    fn touched(&self, paths: &[&str]) -> Event {
        Event::Touched(paths.iter().map(|path| self.root().join(path)).collect())
    }

    /// Returns the report of the next check, if the events lead to one.
    fn next(&self, watch: &mut Watch, events: impl IntoIterator<Item = Event>) -> Option<WatchReport> {
        self.script.feed(events);
        watch.next_report()
    }

    fn followed(&self) -> Vec<String> {
        let followed = self.script.followed.lock().unwrap();
        let inside = followed.iter().filter_map(|folder| folder.strip_prefix(self.root()).ok());
        inside.map(|folder| folder.to_str().unwrap().to_owned()).collect()
    }

    fn packs(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let packs = fs::read_dir(self.root().join("packs")).unwrap().map(|entry| entry.unwrap().path());
        packs.map(|path| (path.clone(), fs::read(path).unwrap())).collect()
    }

    fn now(&self) -> String {
        fs::read_to_string(self.root().join(".contextpack/now.md")).unwrap()
    }
}

fn removed(report: &WatchReport) -> Vec<&str> {
    report.removed.iter().map(|removed| &*removed.name).collect()
}

fn names(report: &WatchReport) -> Vec<&str> {
    report.saved.iter().map(|saved| &*saved.state.name).collect()
}

#[test]
fn only_folders_where_an_input_can_appear_are_followed() {
    let place = TestDir::new();
    let mut watch = place.watch();
    assert_eq!(names(&watch.check()), ["task-a.coding.json"]);
    let folders = ["", ".contextpack", ".git", "docs", "docs/adr", "empty", "work_items"];
    assert_eq!(place.followed(), folders);
    place.write("new/deep/b.md", "b");
    place.write(".gitignore", "/docs/\n");
    place.write(".contextpack/github/o/r/1.json", "{}");
    assert!(place.next(&mut watch, [place.touched(&["new"])]).is_some());
    let followed = place.followed();
    for folder in ["new/deep", "node_modules/x", "target/debug", ".contextpack/github/o/r"] {
        assert!(followed.iter().any(|followed| followed == folder), "{folder}: {followed:?}");
    }
    assert!(!followed.iter().any(|folder| folder.starts_with("docs") || folder.contains("objects")), "{followed:?}");
}

#[test]
fn files_that_are_not_inputs_cause_no_check() {
    let place = TestDir::new();
    let mut watch = place.watch();
    watch.check();
    let own = ["packs", "packs/task-a.coding.json", ".contextpack/now.md", ".contextpack/cache", "target/x.md"];
    let of_git = [".git/index.lock", ".git/objects/ab/d", ".git/FETCH_HEAD"];
    assert!(place.next(&mut watch, [place.touched(&own), place.touched(&of_git)]).is_none());
    for news in [".git/index", ".contextpack/github", "docs/adr/0002-y.md", "empty/x", "contextpack.yml", "work_items"]
    {
        assert!(place.next(&mut watch, [place.touched(&[news])]).is_some_and(|report| report.is_quiet()), "{news}");
    }
}

#[test]
fn ten_thousand_events_and_an_overflow_are_one_check_each() {
    let place = TestDir::new();
    let mut watch = place.watch();
    watch.check();
    for n in 0..60 {
        place.write(&format!("work_items/many/{n}.md"), &format!("---\nid: task:{n}\nparent: task:a\n---\n"));
    }
    let burst = (0..10_000).map(|n| place.touched(&[&format!("work_items/many/{n}.md"), "work_items/many"]));
    let report = place.next(&mut watch, burst.chain([Event::Overflow])).unwrap();
    assert_eq!((report.saved.len(), watch.packs()), (61, 61));
    assert!(watch.next_report().is_none(), "the burst is over");
    let watched = place.packs();
    fs::remove_dir_all(place.root().join("packs")).unwrap();
    fs::remove_dir_all(place.root().join(".contextpack")).unwrap();
    let mut cold = Session::new(place.request(), Environment::new(std::iter::empty()));
    cold.build(Stamp::new("2026-01-02T03:04:05Z".to_owned())).unwrap();
    assert!(place.packs() == watched);
}

#[test]
fn now_md_keeps_the_last_good_state_while_the_configuration_is_broken() {
    let place = TestDir::new();
    let mut watch = place.watch();
    watch.check();
    let (good, packs) = (place.now(), place.packs());
    assert!(good.contains("As ADR-0001 says."), "{good}");
    place.write("contextpack.yml", "output: {dir: packs}\nno_such_field: 1\n");
    place.write("work_items/a.md", "---\nid: task:a\n---\n\nOther.\n");
    let report = place.next(&mut watch, [place.touched(&["contextpack.yml"])]).unwrap();
    assert!(report.problems[0].to_line().contains("no_such_field"), "{report:?}");
    assert!(place.packs() == packs);
    let now = place.now();
    assert!(now.starts_with("> Not up to date: `contextpack.yml:2:1` cannot be used"), "{now}");
    assert!(now.ends_with(&good));
    let report = place.next(&mut watch, [place.touched(&["contextpack.yml"])]).unwrap();
    assert!(report.is_quiet(), "the same problem is reported once: {report:?}");
    place.write("contextpack.yml", "output: {dir: packs}\n");
    let report = place.next(&mut watch, [Event::Tick]).unwrap();
    assert!(report.recovered && names(&report) == ["task-a.coding.json"], "{report:?}");
    assert!(place.now().contains("Other.") && !place.now().contains("Not up to date"));
}

#[test]
fn a_pack_of_a_former_id_is_removed_only_if_this_watch_wrote_it() {
    let place = TestDir::new();
    place.write("work_items/b.md", "---\nid: task:b\n---\n");
    place.watch().check();
    let mut watch = place.watch();
    assert!(watch.check().saved.is_empty());
    let text = |id: &str| format!("---\nid: {id}\n---\n\nText.\n");
    place.write("work_items/a.md", &text("task:aa"));
    let report = place.next(&mut watch, [Event::Tick]).unwrap();
    assert_eq!(report.orphaned, ["task-a.coding.json"], "an earlier program wrote it");
    place.write("work_items/a.md", &text("task:aaa"));
    let report = place.next(&mut watch, [Event::Tick]).unwrap();
    assert_eq!((removed(&report), names(&report)), (vec!["task-aa.coding.json"], vec!["task-aaa.coding.json"]));
    // The pack of a half-written file stays.
    fs::write(place.root().join("work_items/a.md"), b"---\nid: task:aaa\n---\n\n\xFF").unwrap();
    let report = place.next(&mut watch, [Event::Tick]).unwrap();
    assert_eq!((report.orphaned.len(), report.removed.len(), report.failed.len()), (0, 0, 1), "{report:?}");
    assert!(report.failed[0].reasons[0].ends_with("it is not UTF-8"), "{report:?}");
    assert!(place.now().starts_with("> Not up to date: "), "{}", place.now());
    place.write("work_items/a.md", &text("task:aaa"));
    let report = place.next(&mut watch, [Event::Tick]).unwrap();
    assert!(report.saved.is_empty() && !place.now().starts_with('>'), "{report:?}");
    fs::remove_file(place.root().join("work_items/a.md")).unwrap();
    assert_eq!(removed(&place.next(&mut watch, [Event::Tick]).unwrap()), ["task-aaa.coding.json"]);
}

#[test]
fn a_pack_that_was_edited_by_hand_is_left() {
    for edited in ["task-a.coding.json", "task-a.coding.md"] {
        let place = TestDir::new();
        place.write("contextpack.yml", "output: {dir: packs, markdown: true}\n");
        let mut watch = place.watch();
        watch.check();
        let path = place.root().join("packs").join(edited);
        fs::write(&path, fs::read_to_string(&path).unwrap().replace("Text", "Hand")).unwrap();
        place.write("work_items/a.md", "---\nid: task:other\n---\n");
        let report = place.next(&mut watch, [Event::Tick]).unwrap();
        assert_eq!(
            (removed(&report).len(), &*report.orphaned),
            (0, &["task-a.coding.json".to_owned()][..]),
            "{edited}"
        );
        assert!(path.exists());
        // One that somebody deleted is not there to be left.
        place.write("work_items/a.md", "---\nid: task:third\n---\n");
        fs::remove_file(place.root().join("packs/task-other.coding.json")).unwrap();
        let report = place.next(&mut watch, [Event::Tick]).unwrap();
        assert!(!report.orphaned.contains(&"task-other.coding.json".to_owned()), "{report:?}");
    }
}

#[test]
fn diagnostics_that_are_gone_are_named_and_those_that_moved_are_not() {
    let place = TestDir::new();
    place.write("work_items/a.md", "---\nid: task:a\ndepends_on: [task:none]\n---\n");
    let mut watch = place.watch();
    assert_eq!(watch.check().diagnostics.len(), 1);
    place.write("work_items/a.md", "---\nid: task:a\ntitle: t\ndepends_on: [task:none]\n---\n");
    let report = place.next(&mut watch, [Event::Tick]).unwrap();
    assert_eq!((report.diagnostics.len(), report.gone.len()), (0, 0), "{report:?}");
    place.write("work_items/a.md", "---\nid: task:a\n---\n");
    let report = place.next(&mut watch, [Event::Tick]).unwrap();
    assert_eq!((report.diagnostics.len(), report.gone.len()), (0, 1), "{report:?}");
}

#[test]
fn no_pack_is_removed_while_an_input_cannot_be_read() {
    let place = TestDir::new();
    let mut watch = place.watch();
    assert_eq!(names(&watch.check()), ["task-a.coding.json"]);
    let packs = place.packs();
    place.write("contextpack.yml", "output: {dir: packs}\nprofiles: {coding: {instructions: none.md}}\n");
    let report = place.next(&mut watch, [Event::Tick]).unwrap();
    assert_eq!((removed(&report).len(), report.orphaned.len(), place.packs()), (0, 0, packs), "{report:?}");
}

#[test]
fn the_pack_whose_own_text_changed_last_is_in_focus() {
    let place = TestDir::new();
    place.write("work_items/b.md", "---\nid: task:b\nparent: task:a\n---\n");
    let mut watch = place.watch();
    watch.check();
    assert_eq!(watch.focus(), Some("task-a.coding.json"), "the first while none changed");
    place.write("work_items/b.md", "---\nid: task:b\nparent: task:a\n---\n\nMore.\n");
    let report = place.next(&mut watch, [Event::Tick]).unwrap();
    assert_eq!(names(&report), ["task-a.coding.json", "task-b.coding.json"]);
    assert_eq!(watch.focus(), Some("task-b.coding.json"));
    assert_eq!(place.now(), watch.rendering());
}

#[test]
fn a_repo_that_is_removed_and_made_again_is_followed_again() {
    let place = TestDir::new();
    let mut watch = place.watch();
    watch.check();
    let root = place.root();
    fs::remove_dir_all(&root).unwrap();
    let report = place.next(&mut watch, [Event::Touched(vec![root.clone()])]).unwrap();
    assert_eq!(report.problems.len(), 1, "{report:?}");
    assert_eq!(place.followed(), [""; 0]);
    place.write("work_items/a.md", "---\nid: task:a\n---\n\nBack.\n");
    let report = place.next(&mut watch, [Event::Touched(vec![root])]).unwrap();
    assert!(report.recovered && names(&report) == ["task-a.coding.json"], "{report:?}");
    assert!(place.followed().contains(&"work_items".to_owned()));
}

#[test]
fn a_line_names_the_size_the_changes_and_the_time_of_a_saved_pack() {
    let place = TestDir::new();
    let mut watch = place.watch();
    let line = |report: &WatchReport, several| report.saved[0].line(several, Duration::from_micros(14_700));
    let new = line(&watch.check(), true);
    assert!(new.starts_with("task:a (coding) ") && new.ends_with(" of 48,000 characters: new, 14 ms"), "{new}");
    for (text, sign) in [("As ADR-0001 says, and as nobody doubts.", "(+"), ("As ADR-0001 says.", "(-")] {
        place.write("work_items/a.md", &format!("---\nid: task:a\n---\n\n{text}\n"));
        let changed = line(&place.next(&mut watch, [Event::Tick]).unwrap(), false);
        assert!(changed.contains(sign) && changed.ends_with("): body changed, 14 ms"), "{changed}");
    }
    for n in 0..9 {
        place.write(&format!("work_items/{n}.md"), &format!("---\nid: task:{n}\nparent: task:a\n---\n"));
    }
    let report = place.next(&mut watch, [Event::Tick]).unwrap();
    let many = report.saved.iter().find(|saved| saved.state.root == "task:a").unwrap();
    let many = many.line(false, Duration::ZERO);
    assert!(many.ends_with(" more, 0 ms"), "{many}");
}
