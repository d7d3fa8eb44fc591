//! Whatever happens between builds, a build that remembers gives what one gives that does not.

use super::memory::cases;
use contextpack::internals::engine::{Session, SessionRequest, Update};
use contextpack::internals::model::Diagnostic;
use contextpack::internals::redact::Environment;
use contextpack::internals::seal::Stamp;
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What somebody does between two builds.
#[derive(Debug, Clone)]
pub(crate) enum Step {
    Edit(usize, u8),
    Retitle(usize),
    Finish(usize),
    Relate(usize, usize),
    Create(usize),
    Delete(usize),
    Rename(usize),
    Adr(usize, u8),
    /// A line more above the fields and the text: both move down.
    Shift(usize),
    /// An issue of the snapshot, which the item of that number claims; or no such issue any more.
    Issue(usize, u8),
    /// An issue by a stranger, who says something of an item; or no such issue any more.
    Stranger(usize, u8),
    /// A file with several items.
    Lines(u8),
    Ignore(bool),
    Configure(usize),
    /// A pack is edited, or deleted.
    Tamper(usize, bool),
    /// A file of the cache is cut, overwritten or deleted.
    Damage(usize, u8),
    /// The program starts anew.
    Restart,
    Nothing,
}

pub(crate) fn step() -> impl Strategy<Value = Step> {
    let item = 0..6_usize;
    prop_oneof![
        3 => (item.clone(), 0..6_u8).prop_map(|(item, text)| Step::Edit(item, text)),
        1 => item.clone().prop_map(Step::Retitle),
        1 => item.clone().prop_map(Step::Finish),
        2 => (item.clone(), item.clone()).prop_map(|(item, other)| Step::Relate(item, other)),
        1 => item.clone().prop_map(Step::Create),
        1 => item.clone().prop_map(Step::Delete),
        1 => item.clone().prop_map(Step::Rename),
        2 => (0..3_usize, 0..4_u8).prop_map(|(adr, text)| Step::Adr(adr, text)),
        1 => item.clone().prop_map(Step::Shift),
        2 => (item.clone(), 0..5_u8).prop_map(|(item, text)| Step::Issue(item, text)),
        2 => (item.clone(), 0..5_u8).prop_map(|(item, text)| Step::Stranger(item, text)),
        1 => (0..4_u8).prop_map(Step::Lines),
        1 => any::<bool>().prop_map(Step::Ignore),
        1 => (0..CONFIGS.len()).prop_map(Step::Configure),
        2 => (item, any::<bool>()).prop_map(|(pack, delete)| Step::Tamper(pack, delete)),
        2 => (0..3_usize, 0..3_u8).prop_map(|(file, how)| Step::Damage(file, how)),
        2 => Just(Step::Restart),
        1 => Just(Step::Nothing),
    ]
}

const CONFIGS: [&str; 7] = [
    "output: {dir: packs}\ncode: {likely: 2}\n",
    "output: {dir: packs}\ndone_statuses: [finished]\n",
    "output: {dir: packs}\nprofiles: {coding: {budget: {max_chars: 2600, strategy: both}}}\n",
    "version: 1\nadrs: {include: [\"docs/adr/0001*.md\"]}\noutput: {dir: packs, profiles: [coding, review]}\n",
    "output: {dir: packs}\ngithub: {repo: o/r}\nprofiles: {coding: {sections_of: [related]}}\n",
    "version: 1\noutput: {dir: packs, markdown: true}\n",
    "output: {dir: packs}\nredaction: {rules: [{name: in-house, pattern: \"word-[0-9]+\", reason: ours}]}\nprofiles: {coding: {budget: {max_chars: 400}}}\n",
];

/// The files of a repo.
pub(crate) type Files = BTreeMap<String, String>;

fn item(n: usize) -> String {
    format!("work_items/t-{n}.md")
}

fn text(which: u8) -> String {
    match which {
        0 => String::new(),
        1 => "## Goal\n\nAs ADR-0002 says, word-12.\n".to_owned(),
        2 => format!("The token {} stands here.\n", ["gh", "p_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"].concat()),
        3 => format!("## Goal\n\n{}\n\n- [ ] a\n", "It has to be fast. ".repeat(80)),
        4 => "Blocked by T-1. See docs/adr/0001-a.md and docs/notes.txt.\n".to_owned(),
        _ => "## Child tasks\n\n- [ ] T-3\n- [ ] T-9\n".to_owned(),
    }
}

/// An issue of the snapshot, with its neighbours and a comment.
fn issue(n: usize, which: u8) -> String {
    let none = |source: &str| serde_json::json!({"completeness": "complete", "issues": [], "source": source});
    let child = serde_json::json!({
        "number": n + 1, "repo": "o/r", "state": if which > 2 { "open" } else { "closed" }, "state_reason": null,
        "title": format!("Issue {}", n + 1), "url": format!("https://github.com/o/r/issues/{}", n + 1),
    });
    let author = serde_json::json!({"association": "MEMBER", "bot": false, "login": "ada"});
    let issue = serde_json::json!({
        "asked": true, "assignees": [], "author": author, "body": format!("{}\n", text(which)),
        "comments": {"completeness": "complete", "items": [{
            "author": author, "body": format!("Comment {which}"), "created_at": "2026-02-02T09:00:00Z", "edited": which == 2,
            "id": n + 70, "minimized": which == 4, "trust": "trusted",
            "url": format!("https://github.com/o/r/issues/{n}#issuecomment-{}", n + 70),
        }]},
        "created_at": "2026-02-01T09:00:00Z", "kind": "issue", "labels": ["ready"], "merged": false,
        "milestone": null, "number": n, "private": false,
        "relations": {"blocked_by": none("dependency_api"), "blocking": none("dependency_api"),
                      "parent": none("sub_issue"),
                      "sub_issues": {"completeness": "complete", "issues": [child], "source": "sub_issue"}},
        "repo": "o/r", "schema_version": "issue_snapshot/v1", "state": "open", "state_reason": null,
        "title": format!("Issue {n}, {which}"), "trust": "trusted", "type": null,
        "url": format!("https://github.com/o/r/issues/{n}"),
    });
    format!("{issue:#}\n")
}

pub(crate) fn start() -> Files {
    let mut files = Files::new();
    files.insert("contextpack.yml".to_owned(), CONFIGS[0].to_owned());
    for n in 0..4 {
        let parent = if n > 0 { "parent: T-0\n" } else { "" };
        let text = text(n as u8);
        files.insert(item(n), format!("---\nid: T-{n}\ntitle: Item {n}\n{parent}---\n\n{text}"));
    }
    for (n, name) in ["a", "b"].into_iter().enumerate() {
        let path = format!("docs/adr/{:04}-{name}.md", n + 1);
        files.insert(path, format!("# {name}\n\nStatus: accepted\n\n## Decision\n\nWe do.\n"));
    }
    files
}

/// Changes a file that is there.
fn change(files: &mut Files, path: &str, change: impl Fn(&str) -> String) {
    if let Some(text) = files.get_mut(path) {
        *text = change(text);
    }
}

impl Step {
    pub(crate) fn apply(&self, files: &mut Files) {
        match self {
            Self::Edit(n, which) => change(files, &item(*n), |old| {
                let head = old.find("---\n\n").map_or(0, |end| end + 5);
                format!("{}{}", &old[..head], text(*which))
            }),
            Self::Retitle(n) => change(files, &item(*n), |old| old.replace("title: Item", "title: Old item")),
            Self::Finish(n) => change(files, &item(*n), |old| old.replacen("---\n\n", "status: finished\n---\n\n", 1)),
            Self::Relate(n, other) => change(files, &item(*n), |old| {
                let field = if n < other { "depends_on" } else { "related" };
                old.replacen("---\n\n", &format!("{field}: T-{other}\n---\n\n"), 1)
            }),
            Self::Create(n) => drop(files.insert(item(*n), format!("---\nid: T-{n}\ntitle: Item {n}\n---\n\nNew.\n"))),
            Self::Delete(n) => drop(files.remove(&item(*n))),
            Self::Rename(n) => {
                if let Some(text) = files.remove(&item(*n)) {
                    files.insert(format!("work_items/moved/{n}.md"), text);
                }
            }
            Self::Adr(n, which) => {
                let path = format!("docs/adr/{:04}-{}.md", n + 1, ["a", "b", "c"][*n]);
                match which {
                    0 => drop(files.remove(&path)),
                    1 => drop(files.insert(path, "# New\n\nStatus: rejected\n".to_owned())),
                    which => drop(files.insert(path, format!("# New\n\n## Decision\n\n{}", text(*which)))),
                }
                let source = format!("src/{}.rs", ["a", "b", "c"][*n]);
                match which {
                    0 => drop(files.remove(&source)),
                    which => drop(files.insert(source, format!("fn stands_here() {{}}\n\n// {}", text(*which)))),
                }
            }
            Self::Shift(n) => change(files, &item(*n), |old| old.replacen("---\n", "---\n# note\n", 1)),
            Self::Issue(n, 0) => drop(files.remove(&format!(".contextpack/github/o/r/{n}.json"))),
            Self::Issue(n, which) => {
                files.insert(format!(".contextpack/github/o/r/{n}.json"), issue(*n, *which));
                change(files, &item(*n), |old| old.replacen("---\n\n", &format!("issue: {n}\n---\n\n"), 1));
            }
            Self::Stranger(n, 0) => drop(files.remove(&format!(".contextpack/github/o/r/{}.json", 80 + n))),
            Self::Stranger(n, which) => {
                let said = ["Blocks T-1", "Parent: T-0", "## Child tasks\n\n- [ ] T-2", "Depends on T-3 and #1"];
                let text = issue(80 + n, 1).replace("\"MEMBER\"", "\"NONE\"");
                let body = serde_json::Value::from(said[usize::from(*which) - 1]).to_string();
                let text =
                    text.replacen("\"trust\": \"trusted\",\n  \"type\"", "\"trust\": \"untrusted\",\n  \"type\"", 1);
                let old = serde_json::Value::from(format!("{}\n", self::text(1))).to_string();
                files.insert(format!(".contextpack/github/o/r/{}.json", 80 + n), text.replacen(&old, &body, 1));
            }
            Self::Lines(0) => drop(files.remove("work_items/list.jsonl")),
            Self::Lines(which) => {
                let line =
                    |n: u8| format!("{{\"id\":\"L-{n}\",\"parent\":\"T-{n}\",\"body\":\"Text {}\"}}\n", n % which);
                drop(files.insert("work_items/list.jsonl".to_owned(), (0..*which).map(line).collect()));
            }
            Self::Ignore(true) => drop(files.insert(".gitignore".to_owned(), "0002*\n".to_owned())),
            Self::Ignore(false) => drop(files.remove(".gitignore")),
            Self::Configure(which) => drop(files.insert("contextpack.yml".to_owned(), CONFIGS[*which].to_owned())),
            Self::Tamper(..) | Self::Damage(..) | Self::Restart | Self::Nothing => {}
        }
    }

    /// What is done to files that the program wrote.
    pub(crate) fn harm(&self, root: &Path) {
        match self {
            Self::Tamper(n, delete) => {
                let path = root.join(format!("packs/t-{n}.coding.json"));
                if let Ok(mut bytes) = fs::read(&path) {
                    fs::remove_file(&path).unwrap();
                    bytes.extend(b" ");
                    if !delete {
                        fs::write(path, bytes).unwrap();
                    }
                }
            }
            Self::Damage(file, how) => {
                let path = root.join(".contextpack/cache").join(["packs", "texts", ".gitignore"][*file]);
                if let Ok(bytes) = fs::read(&path) {
                    match how {
                        0 => fs::remove_file(path).unwrap(),
                        1 => fs::write(path, &bytes[..bytes.len() / 2]).unwrap(),
                        _ => fs::write(path, bytes.iter().map(|byte| byte ^ 1).collect::<Vec<u8>>()).unwrap(),
                    }
                }
            }
            _ => {}
        }
    }
}

/// Makes the folder hold these files, as an editor would: only what differs is written.
pub(crate) fn write(root: &Path, before: &Files, files: &Files) {
    for path in before.keys().filter(|path| !files.contains_key(*path)) {
        fs::remove_file(root.join(path)).unwrap();
    }
    for (path, text) in files.iter().filter(|(path, text)| before.get(*path) != Some(text)) {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
}

/// A folder for the key that all tests share, outside every repo.
pub(crate) fn caches() -> PathBuf {
    env!("CARGO_TARGET_TMPDIR").into()
}

fn session(root: &Path) -> Session {
    let request = SessionRequest {
        root: root.to_owned(),
        caches: Some(caches()),
        rest: Some(Duration::ZERO),
        ..SessionRequest::default()
    };
    Session::new(request, Environment::new(std::iter::empty()))
}

fn build(session: &mut Session) -> Update {
    session.build(Stamp::new("2026-01-02T03:04:05Z".to_owned())).unwrap()
}

/// The packs of a folder, but for those of roots that are gone or could not be built.
pub(crate) fn packs(root: &Path, but: &dyn Fn(&str) -> bool) -> BTreeMap<String, String> {
    let Ok(entries) = fs::read_dir(root.join("packs")) else { return BTreeMap::new() };
    let name = |entry: &fs::DirEntry| entry.file_name().into_string().unwrap();
    let entries = entries.map(Result::unwrap).filter(|entry| !but(&name(entry)));
    entries.map(|entry| (name(&entry), fs::read_to_string(entry.path()).unwrap())).collect()
}

pub(crate) fn cold(files: &Files) -> (BTreeMap<String, String>, Vec<Diagnostic>) {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), &Files::new(), files);
    let update = build(&mut session(folder.path()));
    (packs(folder.path(), &|_| false), update.diagnostics)
}

/// What the times of any two changes differ by at least.
pub(crate) const TICK: Duration = Duration::from_millis(12);

proptest! {
    #![proptest_config(cases(16))]

    #[test]
    fn a_build_that_remembers_gives_what_a_build_gives_that_does_not(steps in prop::collection::vec(step(), 1..7)) {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        let mut files = start();
        write(root, &Files::new(), &files);
        let mut running = session(root);
        build(&mut running);
        for (at, step) in steps.iter().enumerate() {
            let before = files.clone();
            step.apply(&mut files);
            write(root, &before, &files);
            step.harm(root);
            // Times of files go in steps; without this two changes could have the same one.
            std::thread::sleep(TICK);
            if matches!(step, Step::Restart) {
                running = session(root);
            }
            let update = build(&mut running);
            let (expected, diagnostics) = cold(&files);
            let found = packs(root, &|name| !expected.contains_key(name));
            prop_assert_eq!(found, expected, "after {:?}", &steps[..=at]);
            prop_assert_eq!(&update.diagnostics, &diagnostics, "after {:?}", &steps[..=at]);
            // Nothing changed since, so that nothing is to be done.
            let again = build(&mut running);
            prop_assert!(again.changes.iter().all(|change| change.summary.is_none()), "{:?}", again.changes);
            prop_assert_eq!(&again.diagnostics, &diagnostics);
        }
    }
}

#[test]
fn an_update_says_what_changed() {
    let folder = tempfile::tempdir().unwrap();
    let mut files = start();
    write(folder.path(), &Files::new(), &files);
    let mut running = session(folder.path());
    assert_eq!(build(&mut running).changes.len(), 4);
    let (before, packs) = (files.clone(), running.packs().clone());
    Step::Edit(3, 1).apply(&mut files);
    write(folder.path(), &before, &files);
    let update = build(&mut running);
    let changed: Vec<(&str, &str)> = update.changes.iter().map(|change| (&*change.name, &*change.reasons[0])).collect();
    let reason = "work_items/t-3.md changed";
    let found = ("t-1.coding.json", "the search for likely code or tests finds other lines");
    assert_eq!(
        changed,
        [("t-0.coding.json", reason), found, ("t-3.coding.json", "new: docs/adr/0002-b.md")],
        "{update:?}"
    );
    assert!(update.changes.iter().all(|change| change.summary.as_ref().is_some_and(|now| packs[&change.name] != *now)));
    let before = files.clone();
    Step::Delete(3).apply(&mut files);
    write(folder.path(), &before, &files);
    assert_eq!(build(&mut running).gone, ["t-3.coding.json"]);
}

#[test]
fn without_a_place_for_a_cache_everything_is_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let files = start();
    write(folder.path(), &Files::new(), &files);
    fs::write(folder.path().join(".contextpack"), "no folder").unwrap();
    let mut running = session(folder.path());
    assert_eq!(build(&mut running).changes.len(), 4);
    assert_eq!(packs(folder.path(), &|_| false), cold(&files).0);
    assert_eq!((build(&mut running).unchanged, fs::read(folder.path().join(".contextpack")).unwrap().len()), (4, 9));
}
