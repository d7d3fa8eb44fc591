//! Builds in a workflow: shards, annotations, the summary and the outputs of a step.

use crate::cli::small;
use crate::sandbox::{Run, Sandbox, run};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;

/// Forty items, the first with a parent and a decision.
fn many() -> Sandbox {
    let sandbox = small();
    for number in 0..40 {
        let text = format!("---\nid: task-{number}\ntitle: Number {number}\ndepends_on: task:store\n---\n\nText.\n");
        sandbox.write(&format!("work_items/task-{number}.md"), text);
    }
    sandbox
}

/// The outputs in a file as the runner reads them.
pub(crate) fn outputs(text: &str) -> BTreeMap<String, String> {
    let mut lines = text.lines();
    let mut all = BTreeMap::new();
    while let Some(line) = lines.next() {
        let (name, word) = line.split_once("<<").unwrap_or_else(|| panic!("`{line}` is no output"));
        let value: Vec<&str> = lines.by_ref().take_while(|line| *line != word).collect();
        assert_eq!(all.insert(name.to_owned(), value.join("\n")), None, "{name} twice");
    }
    all
}

#[test]
fn all_shards_together_are_one_build() {
    let whole = many();
    whole.expect(0, &["build"]);
    for shards in [1, 3, 256] {
        let parts = many();
        let matrix: Value = serde_json::from_str(&parts.expect(0, &["list", "--matrix", &shards.to_string()])).unwrap();
        let jobs = matrix["include"].as_array().unwrap();
        assert!(!jobs.is_empty() && jobs.len() <= shards.min(43), "{matrix}");
        let mut roots = 0;
        for job in jobs {
            let shard = job["shard"].as_str().unwrap();
            assert_eq!(shard, format!("{}/{shards}", job["index"]));
            let written = parts.expect(0, &["build", "--shard", shard]);
            assert_eq!(written.lines().count() as u64, job["roots"].as_u64().unwrap(), "{shard}");
            roots += written.lines().count();
        }
        assert_eq!(roots, 43);
        let made = |sandbox: &Sandbox| -> Vec<(String, Vec<u8>)> {
            sandbox.files().into_iter().filter(|(path, _)| path.starts_with("packs/")).collect()
        };
        assert!(made(&parts) == made(&whole), "{shards} shards give other files");
        parts.expect(0, &["check"]);
    }
}

#[test]
fn all_shards_together_are_one_check() {
    let sandbox = many();
    sandbox.expect(0, &["build"]);
    for gone in ["task-7", "task-8"] {
        fs::remove_file(sandbox.root().join(format!("work_items/{gone}.md"))).unwrap();
    }
    sandbox.write("work_items/task-9.md", "---\nid: task-9\ntitle: Another\n---\n");
    fs::remove_file(sandbox.root().join("packs/task-3.coding.json")).unwrap();
    let check = |args: &[&str]| -> Vec<String> {
        let run = sandbox.run(&[&["check", "--format", "json"], args].concat());
        let checked: Value = serde_json::from_str(&run.stdout).unwrap();
        let packs = checked["packs"].as_array().unwrap();
        let stale = packs.iter().any(|pack| pack["status"] != "fresh");
        assert_eq!(run.code, if stale { 4 } else { 0 }, "{args:?}");
        packs.iter().map(ToString::to_string).collect()
    };
    let mut whole = check(&[]);
    assert_eq!(whole.iter().filter(|pack| pack.contains("orphaned")).count(), 2);
    whole.sort();
    for shards in ["1", "9"] {
        let matrix: Value = serde_json::from_str(&sandbox.expect(0, &["list", "--matrix", shards])).unwrap();
        let jobs = matrix["include"].as_array().unwrap();
        let mut parts: Vec<String> =
            jobs.iter().flat_map(|job| check(&["--shard", job["shard"].as_str().unwrap()])).collect();
        parts.sort();
        assert_eq!(parts, whole, "{shards}");
    }
    sandbox.expect(2, &["check", "--shard", "1/2", "feat:cache"]);
}

#[test]
fn a_root_stays_in_its_shard_when_others_come() {
    let sandbox = small();
    let before = sandbox.expect(0, &["build", "--shard", "1/2", "--out", "../one"]);
    let more = many();
    let after = more.expect(0, &["build", "--shard", "1/2", "--out", "../one"]);
    assert!(before.lines().all(|line| after.contains(line)), "{before}\n{after}");
    assert!(before.lines().count() < 3 || after.lines().count() < 43);
}

#[test]
fn a_matrix_is_never_empty_and_on_one_line() {
    let sandbox = Sandbox::new();
    assert_eq!(
        sandbox.expect(0, &["list", "--matrix", "9"]),
        "{\"include\":[{\"shard\":\"1/9\",\"index\":1,\"roots\":0}]}\n"
    );
    for wrong in ["0", "257", "x"] {
        sandbox.expect(2, &["list", "--matrix", wrong]);
    }
}

#[test]
fn a_shard_prunes_nothing() {
    let sandbox = many();
    sandbox.expect(0, &["build"]);
    fs::remove_file(sandbox.root().join("work_items/task-7.md")).unwrap();
    sandbox.expect(0, &["build", "--shard", "1/2"]);
    sandbox.expect(0, &["build", "--shard", "2/2"]);
    assert!(sandbox.has("packs/task-7.coding.json"));
    for wrong in ["0/2", "3/2", "1", "1/257"] {
        sandbox.expect(2, &["build", "--shard", wrong]);
    }
    sandbox.expect(2, &["build", "--shard", "1/2", "feat:cache"]);
}

/// Commands that GitHub would obey, and the lines that it would not.
fn obeyed(log: &str) -> (Vec<String>, Vec<String>) {
    let (mut commands, mut others) = (Vec::new(), Vec::new());
    let mut fence: Option<String> = None;
    for line in log.lines() {
        match &fence {
            Some(end) if line == end => fence = None,
            Some(_) => others.push(line.to_owned()),
            None => match line.strip_prefix("::stop-commands::") {
                Some(word) => fence = Some(format!("::{word}::")),
                None if line.starts_with("::") || line.contains("##[") => commands.push(line.to_owned()),
                None => others.push(line.to_owned()),
            },
        }
    }
    assert_eq!(fence, None, "the fence is left open:\n{log}");
    (commands, others)
}

#[test]
fn annotations_keep_githubs_limits_and_no_text_is_a_command() {
    let sandbox = Sandbox::new();
    for number in 0..14 {
        let text = format!(
            "---\nid: task-{number}\ntitle: \"::error::x ##[add-mask]y\"\ndepends_on: \"::set-env name=a::b{number}\"\n---\n"
        );
        sandbox.write(&format!("work_items/{number:02}.md"), text);
    }
    sandbox.write("contextpack.yml", "work_items: [{include: [\"work_items/*.md\"], id: \"::error::{id}\"}]\n");
    let listed = sandbox.expect(0, &["list", "--format", "github"]);
    let (commands, others) = obeyed(&listed);
    assert!(commands.len() == 10 && commands.iter().all(|line| line.starts_with("::warning file=")), "{listed}");
    assert!(others.iter().any(|line| line.starts_with("::error::task-0 ")), "{listed}");
    sandbox.write("contextpack.yml", "output: {dir: packs}\n");

    let built = sandbox.run(&["build", "--format", "github"]);
    assert_eq!(built.code, 0, "{}", built.stderr);
    let (commands, others) = obeyed(&built.stdout);
    assert_eq!(commands.len(), 10, "{}", built.stdout);
    assert!(commands.iter().all(|line| line.starts_with("::warning file=work_items/")), "{commands:?}");
    assert!(others.last().unwrap().starts_with("4 more warnings in the log above"), "{others:?}");
    assert!(!built.stderr.contains("::") && !built.stderr.contains("##["), "{}", built.stderr);

    for number in 0..14 {
        sandbox.write(&format!("work_items/{number:02}.md"), format!("---\nid: task-{number}\ntitle: Changed\n---\n"));
    }
    let checked = sandbox.run(&["check", "--format", "github"]);
    assert_eq!(checked.code, 4);
    let (commands, others) = obeyed(&checked.stdout);
    assert_eq!(commands.len(), 10, "{}", checked.stdout);
    assert!(commands[0].starts_with("::error file=packs/task-0.coding.json,title=stale pack::stale: work_items/00.md"));
    assert_eq!(others.iter().filter(|line| line.starts_with("error[stale pack]")).count(), 4, "{others:?}");
}

#[test]
fn an_error_of_the_configuration_is_an_annotation_too() {
    let sandbox = Sandbox::with(&[("sub/contextpack.yml", "version: 1\noutptu: {}\n")]);
    let mut command = sandbox.command(&["-C", "sub", "check", "--format", "github"]);
    command.env("GITHUB_WORKSPACE", sandbox.root());
    let ended = run(command, "");
    assert_eq!(ended.code, 3);
    assert!(
        ended.stdout.starts_with("::error file=sub/contextpack.yml,line=2,col=1,title=invalid-config::"),
        "{}",
        ended.stdout
    );
    let usage = sandbox.run(&["-C", "sub", "build", "--format", "github", "--out", "-", "--summary", "x"]);
    assert_eq!(usage.code, 2);
    assert!(usage.stdout.starts_with("::error title=contextpack::"), "{}", usage.stdout);
}

#[test]
fn the_summary_says_what_is_stale_and_why() {
    let sandbox = small();
    sandbox.expect(0, &["build", "--summary", "../summary.md"]);
    sandbox.write("docs/adr/0007-cache.md", "# 7. Cache\n\n## Decision\n\nWe do not.\n");
    sandbox.expect(4, &["check", "--summary", "../summary.md"]);
    let text = fs::read_to_string(sandbox.beside("summary.md")).unwrap();
    let (build, check) = text.split_once("### contextpack check: ").unwrap();
    assert!(build.starts_with("### contextpack build: 3 packs (3 written)\n"), "{text}");
    assert!(
        check.starts_with("3 packs (2 fresh, 1 stale)\n\nRun <code>contextpack build</code> and commit"),
        "{check}"
    );
    let rows: Vec<&str> = check.lines().filter(|line| line.starts_with("| ")).collect();
    let [_, row] = rows[..] else { panic!("fresh packs are counted only: {check}") };
    assert!(
        row.contains("| stale | <code>docs/adr/0007-cache&#46;md changed</code> |") && row.contains("characters |"),
        "{row}"
    );
}

fn step(sandbox: &Sandbox, args: &[&str]) -> (Run, BTreeMap<String, String>) {
    let file = sandbox.beside("output");
    fs::write(&file, "").unwrap();
    let mut command = sandbox.command(args);
    command.args(["--outputs", "../output", "--markdown", "../md"]);
    (run(command, ""), outputs(&fs::read_to_string(file).unwrap()))
}

#[test]
fn the_outputs_of_one_root_are_those_of_its_pack() {
    let sandbox = small();
    let (ended, all) = step(&sandbox, &["build", "feat:cache", "--max-tokens", "4000"]);
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    let pack: Value = serde_json::from_str(&sandbox.read(&all["pack"])).unwrap();
    assert_eq!(all["packs"], "[\"packs/feat-cache.coding.json\"]");
    assert_eq!(all["changed"], all["packs"]);
    assert_eq!(
        (&*all["hash"], all["tokens"].parse().ok()),
        (pack["hash"].as_str().unwrap(), pack["budget"]["used_tokens"].as_u64())
    );
    assert_eq!(all["open-blockers"], "0", "its only dependency is done");
    assert_eq!(fs::read_to_string(&all["markdown"]).unwrap(), sandbox.expect(0, &["render", &all["pack"]]));

    sandbox.write("work_items/task-store.md", "---\nid: task:store\ntitle: A store\nstatus: open\n---\n");
    assert_eq!(step(&sandbox, &["build", "feat:cache"]).1["open-blockers"], "1");
}

#[test]
fn blockers_that_cannot_be_found_are_open() {
    let open = |fields: &str, body: &str| {
        let sandbox = small();
        let item = format!("---\nid: feat:mail\ntitle: Mail\nstatus: open\n{fields}---\n\n{body}\n");
        sandbox.write("work_items/feat-mail.md", item);
        step(&sandbox, &["build", "feat:mail"]).1["open-blockers"].clone()
    };
    assert_eq!(open("", "Related to feat:gone."), "0");
    assert_eq!(open("depends_on: [feat:templats]\n", ""), "1", "a misspelled id");
    assert_eq!(open("", "Depends on #77."), "1", "an issue of a repo that the configuration does not name");
    assert_eq!(open("blocked_by: [feat:templats, '#77']\n", "Depends on #77.\n\nDepends on feat:gone."), "3");
    assert_eq!(open("related: [feat:templats]\nblocks: [feat:gone]\n", ""), "0", "no blockers");
}

#[test]
fn the_outputs_of_several_roots_are_their_list() {
    let sandbox = small();
    let (_, all) = step(&sandbox, &["build"]);
    let packs: Vec<String> = serde_json::from_str(&all["packs"]).unwrap();
    assert_eq!((packs.len(), &*all["pack"], &*all["hash"], &*all["open-blockers"]), (3, "", "", ""));
    let (_, again) = step(&sandbox, &["build"]);
    assert_eq!((&again["packs"], &*again["changed"]), (&all["packs"], "[]"));
    sandbox.expect(2, &["build", "feat:cache", "--out", "-", "--outputs", "../output"]);
}
