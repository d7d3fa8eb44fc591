//! The code that an item names: what of a long file is in its pack, and its tests.

use crate::sandbox::Sandbox;

/// A file of `count` functions, one of which is `load_task`.
fn source(count: usize) -> String {
    let function = |at: usize| format!("pub fn step_{at}(value: u32) -> u32 {{\n    value + {at}\n}}\n\n");
    let named = "/// Loads it.\npub fn load_task(id: u32) -> u32 {\n    id * 7\n}\n\n";
    (0..count).map(|at| if at == count / 2 { named.to_owned() } else { function(at) }).collect()
}

#[test]
fn outlines_grow_to_files_smallest_first_as_the_budget_grows() {
    let item =
        "---\nid: task:a\ntitle: A\n---\n\n`src/long.rs` and `src/longer.rs` have `load_task`; see `src/huge.rs`.\n";
    let [long, longer, huge] = [40, 90, 400].map(source);
    let sandbox = Sandbox::configured(&[
        ("work_items/a.md", item),
        ("src/long.rs", &long),
        ("src/longer.rs", &longer),
        ("src/huge.rs", &huge),
        ("tests/long.rs", "#[test]\nfn works() {}\n"),
    ]);
    sandbox.commit();
    let mut before: Vec<(String, usize)> = Vec::new();
    let mut seen = std::collections::BTreeSet::new();
    for limit in (6_000..30_000).step_by(1_500) {
        sandbox.expect(0, &["build", "--max-chars", &limit.to_string()]);
        let pack: serde_json::Value = serde_json::from_str(&sandbox.read("packs/task-a.coding.json")).unwrap();
        assert!(pack["budget"]["used_chars"].as_u64().unwrap() <= limit);
        let sections = pack["sections"].as_array().unwrap().iter();
        let code = sections.filter(|section| section["id"].as_str().unwrap().starts_with("code."));
        let shown: Vec<(String, usize)> = code
            .map(|section| {
                let [id, detail, text] = [&section["id"], &section["metadata"]["detail"], &section["content"]]
                    .map(|value| value.as_str().unwrap().to_owned());
                seen.insert((id.clone(), detail.clone()));
                let is_whole = detail == "full";
                assert!(is_whole || text.contains("id * 7") || detail == "pointer", "{id} {detail}: {text}");
                assert_eq!(text.contains("tests: tests/long.rs"), id == "code.src/long.rs" && detail != "pointer");
                (id, text.len())
            })
            .collect();
        for (id, length) in &before {
            let now = shown.iter().find(|(other, _)| other == id).map(|(_, length)| *length);
            assert!(now >= Some(*length), "{id} shrank at {limit}");
        }
        // The larger one never grows before the smaller.
        let is_full = |id: &str| {
            pack["sections"].as_array().unwrap().iter().any(|it| it["id"] == id && it["metadata"]["detail"] == "full")
        };
        assert!(is_full("code.src/long.rs") || !is_full("code.src/longer.rs"), "{limit}");
        before = shown;
    }
    let has = |id: &str, detail: &str| seen.contains(&(id.to_owned(), detail.to_owned()));
    assert!(has("code.src/longer.rs", "excerpt") && has("code.src/longer.rs", "full"), "{seen:?}");
    assert!(!has("code.src/huge.rs", "full"), "{seen:?}");
}

#[test]
fn a_large_parent_gives_way_to_what_the_root_names() {
    let text = |name: &str, lines: usize| -> String {
        (0..lines).map(|at| format!("{name} says in line {at} what it says in others.\n\n")).collect()
    };
    let parent = format!("---\nid: epic:a\ntitle: All\n---\n\n{}", text("The parent", 400));
    let item = "---\nid: task:a\ntitle: A\nparent: epic:a\ndocs: [docs/a.md]\n---\n\nDo it.\n";
    let document = format!("# A\n\n{}", text("The document", 150));
    let sandbox =
        Sandbox::configured(&[("work_items/epic.md", &parent), ("work_items/a.md", item), ("docs/a.md", &document)]);
    sandbox.expect(0, &["build", "task:a", "--max-chars", "13000"]);
    let pack: serde_json::Value = serde_json::from_str(&sandbox.read("packs/task-a.coding.json")).unwrap();
    let of = |id: &str| pack["sections"].as_array().unwrap().iter().find(|it| it["id"] == id).unwrap().clone();
    assert_eq!(of("file.docs/a.md")["metadata"]["detail"], "full");
    let chars = of("parent.epic:a")["metadata"]["chars"].as_u64().unwrap();
    assert!((500..13_000 * 3 / 10).contains(&chars), "{chars}");
}

/// Returns the section `id` of the only pack of an item.
fn section(sandbox: &Sandbox, pack: &str, id: &str) -> Option<serde_json::Value> {
    let pack: serde_json::Value = serde_json::from_str(&sandbox.read(pack)).unwrap();
    pack["sections"].as_array().unwrap().iter().find(|section| section["id"] == id).cloned()
}

fn text(section: &serde_json::Value) -> &str {
    section["content"].as_str().unwrap()
}

#[test]
fn named_lines_have_the_head_of_their_definition_and_grow_to_the_file() {
    let body: String = (0..100).map(|at| format!("    let a{at} = {at};\n")).collect();
    let code = format!("fn first() {{\n{body}}}\n\nfn second() {{\n{body}}}\n");
    let item = "---\nid: task:a\ntitle: A\n---\n\nMend `src/a.rs:60-110`.\n";
    let sandbox = Sandbox::configured(&[("work_items/a.md", item), ("src/a.rs", &code)]);
    sandbox.commit();
    let named = |limit: &str| {
        sandbox.expect(0, &["build", "task:a", "--max-chars", limit]);
        section(&sandbox, "packs/task-a.coding.json", "code.src/a.rs#L60-L110").unwrap()
    };
    // The lines begin in one function and end in another.
    let lines = named("5500");
    assert!(text(&lines).contains("fn first() {\n[… "), "{}", text(&lines));
    assert!(!text(&lines).contains("let a20 "));
    let whole = named("20000");
    assert_eq!(
        (&whole["source"]["lines"], &whole["metadata"]["detail"]),
        (&serde_json::json!([1, 205]), &"full".into())
    );
    assert!(text(&whole).contains("let a20 "));
}

#[test]
fn code_that_a_document_of_the_items_folder_names_is_in_the_pack_after_its_own() {
    let spec = "# Cache\n\nKeep answers, see `src/own.rs`.\n";
    let tasks =
        "- [ ] T1 Extend `src/cache.rs`\n- [ ] T2 Add `src/new.rs`\n- [ ] T3 `src/own.rs`, `src/key.pem`\n- [x] T0\n";
    let sandbox = Sandbox::with(&[
        (
            "contextpack.yml",
            "version: 1\nwork_items:\n  - include: [specs/*/spec.md]\n    id: \"{folder}\"\n    beside: [tasks.md]\n",
        ),
        ("specs/001-cache/spec.md", spec),
        ("specs/001-cache/tasks.md", tasks),
        ("src/cache.rs", "pub fn cache() {}\n"),
        ("src/own.rs", "pub fn own() {}\n"),
        ("src/key.pem", "A key.\n"),
        ("docs/rules.md", "# Rules\n\n## Names\n\nWhole words.\n"),
    ]);
    let config = sandbox.read("contextpack.yml");
    let files = "profiles: {coding: {files: [docs/rules.md#nope, docs/rules.md#names, docs/absent.md]}}\n";
    sandbox.write("contextpack.yml", config + files);
    sandbox.commit();
    sandbox.expect(0, &["build", "001-cache"]);
    let of = |id: &str| section(&sandbox, "packs/001-cache.coding.json", id);
    let named = of("code.src/cache.rs").unwrap();
    assert_eq!(named["metadata"]["evidence"]["at"], "specs/001-cache/tasks.md:1");
    assert_eq!(of("code.src/own.rs").unwrap()["metadata"]["evidence"]["at"], "specs/001-cache/spec.md:3");
    let edges = of("root.edges").unwrap();
    assert!(text(&edges).contains("1 of 4 boxes of specs/001-cache/tasks.md ticked"), "{edges}");
    // What is yet to be written is no omission.
    let pack = sandbox.read("packs/001-cache.coding.json");
    assert!(!pack.contains("code.src/new.rs"));
    // What is there and cannot be shown is one.
    let pack: serde_json::Value = serde_json::from_str(&pack).unwrap();
    let left_out = |id: &str| {
        let omission = pack["omissions"].as_array().unwrap().iter().find(|omission| omission["id"] == id).unwrap();
        [&omission["reason"], &omission["provenance"]].map(|value| value.as_str().unwrap().to_owned())
    };
    assert_eq!(left_out("code.src/key.pem"), ["denied_path", "code_ref"]);
    assert_eq!(left_out("file.docs/absent.md"), ["not_in_repo", "config"]);
    // A section that the document does not have is the whole of it, which holds the others.
    assert!(of("file.docs/rules.md").is_some() && of("file.docs/rules.md#names").is_none());
    sandbox.expect(0, &["check"]);
}

#[test]
fn a_full_pack_keeps_the_likeliest_file() {
    let item = format!("---\nid: task:a\ntitle: Show the badge\n---\n\n{}", "The badge shows a sum.\n\n".repeat(60));
    let mut files = vec![
        ("contextpack.yml", "version: 1\ncode: {likely: 3}\n"),
        ("work_items/a.md", &item),
        ("src/components/badge.ts", "export function showsBadge(sum) {}\n"),
        ("src/components/sum_of_badge.ts", "export function sum(badge, shows) {}\n"),
        ("src/components/shows_sum.ts", "export function shows(badge) {}\n"),
    ];
    let document = "# All\n\n".to_owned() + &"Some words of it.\n\n".repeat(400);
    files.push(("docs/all.md", &document));
    let item = item.replace("title:", "docs: [docs/all.md]\ntitle:");
    files[1].1 = &item;
    let sandbox = Sandbox::with(&files);
    sandbox.commit();
    let listed = |limit: &str| {
        sandbox.expect(0, &["build", "task:a", "-p", "coding", "--max-chars", limit]);
        let found = section(&sandbox, "packs/task-a.coding.json", "code.likely");
        let files = found.map(|found| (found["metadata"]["files"].as_array().unwrap().len(), text(&found).to_owned()));
        files.map(|(files, text)| (files, text.matches("\n- ").count())).unwrap_or_default()
    };
    assert_eq!(listed("48000"), (3, 3));
    assert_eq!(listed("8000"), (1, 1));
}

#[test]
fn a_done_neighbour_begins_with_its_outcome_and_ends_with_its_log() {
    let done = "---\nid: task:b\ntitle: B\nstatus: done\n---\n\n## Description\n\nBuild it.\n\n## Review log\n\n- 2026-01-02: looked \
                at it\n\n## Outcome\n\nIt is built.\n";
    let item = "---\nid: task:a\ntitle: A\nstatus: open\ndepends_on: [task:b]\n---\n\nUse it.\n";
    let sandbox = Sandbox::configured(&[("work_items/a.md", item), ("work_items/b.md", done)]);
    sandbox.expect(0, &["build", "task:a"]);
    let found = section(&sandbox, "packs/task-a.coding.json", "dependency.task:b").unwrap();
    let places = ["# B", "## Outcome", "## Description", "## Review log"].map(|part| text(&found).find(part));
    assert!(places.is_sorted() && places[0].is_some(), "{}", text(&found));
}

#[test]
fn a_configured_excerpt_of_adrs_holds_where_there_is_room() {
    let item = "---\nid: task:a\ntitle: A\nadrs: [1]\ndocs: [docs/adr/0002-b.md#notes]\n---\n\nDo it.\n";
    let adr = format!("# 1. A\n\n## Decision\n\nWe cache.\n\n## Notes\n\n{}", "Long ago.\n\n".repeat(20));
    let sandbox = Sandbox::configured(&[
        ("work_items/a.md", item),
        ("docs/adr/0001-a.md", &adr),
        ("docs/adr/0002-b.md", &adr.replace("1. A", "2. B")),
    ]);
    let of = |id: &str| section(&sandbox, "packs/task-a.coding.json", id).unwrap();
    sandbox.expect(0, &["build", "task:a"]);
    assert_eq!(of("adr.docs/adr/0001-a.md")["metadata"]["detail"], "full");
    let config = sandbox.read("contextpack.yml");
    sandbox.write("contextpack.yml", config + "adrs: {excerpt: {headings: [Decision], max_lines: 20}}\n");
    sandbox.expect(0, &["build", "task:a"]);
    let short = of("adr.docs/adr/0001-a.md");
    assert_eq!(short["metadata"]["detail"], "excerpt");
    assert!(text(&short).contains("We cache.") && !text(&short).contains("Long ago."), "{}", text(&short));
    // What is asked for by name is there.
    assert!(text(&of("adr.docs/adr/0002-b.md#notes")).contains("Long ago."));
}

#[test]
fn what_git_tracks_is_meant_by_a_name_that_other_files_have() {
    let item = "---\nid: task:a\ntitle: A\nadrs: [1]\n---\n\nMend `cache_store.rs`.\n";
    let files = "version: 1\n\nprofiles:\n  coding:\n    files:\n      - docs/rules.md#nope\n";
    let sandbox = Sandbox::with(&[
        ("contextpack.yml", files),
        ("work_items/b.md", item),
        ("docs/adr/0001-b.md", "# 1. B\n\nWe do.\n"),
        ("docs/rules.md", "# Rules\n"),
        ("src/b/cache_store.rs", "fn b() {}\n"),
    ]);
    sandbox.commit();
    let untracked = [
        ("work_items/a.md", item),
        ("docs/adr/0001-a.md", "# 1. A\n\nWe do not.\n"),
        ("src/a/cache_store.rs", "fn a() {}\n"),
    ];
    untracked.iter().for_each(|(path, text)| sandbox.write(path, text));
    let run = sandbox.run(&["build", "task:a"]);
    assert!(run.stderr.contains("contextpack.yml:6"), "{}", run.stderr);
    let of = |id: &str| section(&sandbox, "packs/task-a.coding.json", id);
    assert!(of("adr.docs/adr/0001-b.md").is_some() && of("code.src/b/cache_store.rs").is_some());
    let pack: serde_json::Value = serde_json::from_str(&sandbox.read("packs/task-a.coding.json")).unwrap();
    let codes: Vec<&str> = pack["warnings"].as_array().unwrap().iter().map(|it| it["code"].as_str().unwrap()).collect();
    assert_eq!(codes, ["missing-anchor"]);
    assert_eq!(of("root.issue").unwrap()["source"]["path"], "work_items/b.md");
    // A build of all says that there is another.
    assert!(sandbox.run(&["build"]).stderr.contains("duplicate-id"));
}

#[test]
fn an_adr_is_not_in_force_once_another_says_that_it_replaced_it() {
    let item = "---\nid: task:a\ntitle: A\nadrs: [3, 4, 5, 6, 7]\n---\n\nDo it.\n";
    let adr =
        |number: u8, status: &str| format!("# {number}. A\n\n## Status\n\n{status}\n\n## Context\n\nReplaces ADR-6.\n");
    // An example of a notice in a block of code replaced nothing.
    let newest = adr(
        9,
        "Accepted\n\n```text\nSupersedes ADR-5\n```\n\n- x\n\n  ```\n  Supersedes ADR-5\n  ```\n\n<!--\nSupersedes ADR-5\n-->\n\nSupersedes [3. A](0003-a.md) and ADR-4\n\n| a | b |\n|---|---|\n| Replaces | ADR-7 |",
    );
    let sandbox = Sandbox::configured(&[
        ("work_items/a.md", item),
        ("docs/adr/0003-a.md", &adr(3, "Accepted")),
        ("docs/adr/0004-a.md", &adr(4, "Accepted")),
        ("docs/adr/0005-a.md", &adr(5, "Accepted")),
        ("docs/adr/0006-a.md", &adr(6, "Accepted")),
        ("docs/adr/0007-a.md", &adr(7, "Accepted")),
        // What is only proposed replaced nothing yet.
        ("docs/adr/0008-a.md", &format!("---\nsupersedes: [0005]\n---\n\n{}", adr(8, "Proposed"))),
    ]);
    let warnings = || -> Vec<String> {
        let pack: serde_json::Value = serde_json::from_str(&sandbox.read("packs/task-a.coding.json")).unwrap();
        let warnings = pack["warnings"].as_array().unwrap();
        warnings.iter().map(|it| it["message"].as_str().unwrap().to_owned()).collect()
    };
    sandbox.expect(0, &["build"]);
    assert_eq!(warnings(), [""; 0]);
    sandbox.write("docs/adr/0009-a.md", &newest);
    let why = |change: &str| {
        let stdout = sandbox.run(&["check"]).stdout;
        assert!(stdout.contains(change), "{stdout}");
        sandbox.expect(0, &["build"]);
        let built = sandbox.read("packs/task-a.coding.json");
        std::fs::remove_dir_all(sandbox.root().join(".contextpack/cache")).unwrap();
        sandbox.expect(0, &["build"]);
        assert_eq!(sandbox.read("packs/task-a.coding.json"), built);
    };
    why("new: docs/adr/0009-a.md");
    let by = |number: u8| format!("`docs/adr/000{number}-a.md` is superseded by docs/adr/0009-a.md");
    assert_eq!(warnings(), [by(3), by(4), by(7)]);
    let old = section(&sandbox, "packs/task-a.coding.json", "adr.docs/adr/0003-a.md").unwrap();
    assert_eq!(old["title"], "3. A (superseded by docs/adr/0009-a.md)");
    let new = section(&sandbox, "packs/task-a.coding.json", "adr.docs/adr/0009-a.md").unwrap();
    assert_eq!((&new["provenance"], &new["metadata"]["evidence"]), (&"adr_ref".into(), &old["metadata"]["evidence"]));
    sandbox.write("docs/adr/0009-a.md", newest.replace("ADR-4", "`ADR-4`"));
    why("docs/adr/0009-a.md changed");
    assert_eq!(warnings(), [by(3), by(7)]);
    std::fs::remove_file(sandbox.root().join("docs/adr/0009-a.md")).unwrap();
    why("docs/adr/0009-a.md was removed");
    assert_eq!(warnings(), [""; 0]);
}

#[test]
fn code_that_only_the_parent_names_fills_up_to_four_files() {
    let files = ["a", "b", "c", "d", "e", "f"].map(|name| format!("src/{name}.rs"));
    let parent = format!("---\nid: epic:a\ntitle: All\n---\n\n{}\n", files.join(", "));
    let own = "---\nid: task:own\ntitle: Own\nparent: epic:a\n---\n\nSee src/f.rs, src/c.rs and src/a.rs.\n";
    let none = "---\nid: task:none\ntitle: None\nparent: epic:a\n---\n\nDo it.\n";
    let sandbox = Sandbox::configured(&[
        ("work_items/epic.md", &parent),
        ("work_items/own.md", own),
        ("work_items/none.md", none),
    ]);
    files.iter().for_each(|path| sandbox.write(path, "fn a() {}\n"));
    sandbox.expect(0, &["build"]);
    for (pack, shown, omitted) in
        [("own", ["a", "b", "c", "f"], ["d", "e"]), ("none", ["a", "b", "c", "d"], ["e", "f"])]
    {
        let pack = format!("packs/task-{pack}.coding.json");
        for name in shown {
            assert!(section(&sandbox, &pack, &format!("code.src/{name}.rs")).is_some(), "{pack} {name}");
        }
        let pack: serde_json::Value = serde_json::from_str(&sandbox.read(&pack)).unwrap();
        let left_out: Vec<&str> =
            pack["omissions"].as_array().unwrap().iter().map(|it| it["id"].as_str().unwrap()).collect();
        assert_eq!(left_out, omitted.map(|name| format!("code.src/{name}.rs")));
        assert_eq!(pack["omissions"][0]["reason"], "limit");
    }
}

#[test]
fn likely_code_is_near_what_is_named_and_belongs_to_open_boxes() {
    let item = "---\nid: task:a\ntitle: Read the tree\n---\n\nSee src/parser/named.rs.\n\n- [x] The `alpha` walker\n- [ ] The `omega` walker\n";
    let sandbox = Sandbox::with(&[
        ("contextpack.yml", "version: 1\ncode: {likely: 4}\n"),
        ("work_items/a.md", item),
        ("src/lexer/tree_a.rs", "fn tree() {}\n"),
        ("src/parser/named.rs", "fn named() {}\n"),
        ("src/parser/tree_b.rs", "fn tree() {}\n"),
        ("src/walkers/alpha.rs", "fn walker() {}\n"),
        ("src/walkers/omega.rs", "fn walker() {}\n"),
    ]);
    sandbox.commit();
    sandbox.expect(0, &["build", "task:a", "-p", "coding", "--out", "packs"]);
    let found = section(&sandbox, "packs/task-a.coding.json", "code.likely").unwrap();
    let files = found["metadata"]["files"].as_array().unwrap();
    let place = |path: &str| files.iter().position(|file| file["path"] == path).unwrap();
    assert!(place("src/parser/tree_b.rs") < place("src/lexer/tree_a.rs"), "{files:?}");
    assert!(place("src/walkers/omega.rs") < place("src/walkers/alpha.rs"), "{files:?}");
}

#[test]
fn a_pack_has_the_decision_in_force_whichever_roots_are_built_and_none_by_distrusted_words() {
    let adr = |number: u8, status: &str| format!("# {number}. A\n\n## Status\n\n{status}\n");
    let item = |name: &str, adr: u8| format!("---\nid: task:{name}\ntitle: A\n---\n\nSee ADR-{adr}.\n");
    let sandbox = Sandbox::configured(&[
        ("work_items/a.md", &item("a", 1)),
        ("work_items/b.md", &item("b", 2)),
        ("work_items/c.md", &item("c", 3)),
        ("work_items/d.md", &item("d", 6)),
        // A circle, and a chain of statuses.
        ("docs/adr/0001-a.md", &format!("---\nsupersedes: [ADR-2]\n---\n\n{}", adr(1, "Accepted"))),
        ("docs/adr/0002-a.md", &format!("---\nsupersedes: [ADR-1]\n---\n\n{}", adr(2, "Accepted"))),
        ("docs/adr/0003-a.md", &adr(3, "Superseded by ADR-4")),
        ("docs/adr/0004-a.md", &adr(4, "Superseded by ADR-5")),
        ("docs/adr/0005-a.md", &adr(5, "Accepted")),
    ]);
    sandbox.commit();
    sandbox.write("docs/adr/0006-a.md", adr(6, "Superseded by [5. A](0005-a.md) (2024-01-02)"));
    let adrs = |name: &str| -> Vec<String> {
        let pack: serde_json::Value =
            serde_json::from_str(&sandbox.read(&format!("packs/task-{name}.coding.json"))).unwrap();
        let ids = pack["sections"].as_array().unwrap().iter().map(|it| it["id"].as_str().unwrap().to_owned());
        ids.filter_map(|id| Some(id.strip_prefix("adr.docs/adr/000")?[..1].to_owned())).collect()
    };
    let untrusted = ["--untracked", "untrusted"];
    sandbox.expect(0, &[&["build"], &untrusted[..]].concat());
    let all = ["a", "b", "c", "d"].map(|name| sandbox.read(&format!("packs/task-{name}.coding.json")));
    assert_eq!(["a", "b", "c", "d"].map(&adrs), [vec!["1"], vec!["2"], vec!["3", "5"], vec!["6"]]);
    for (name, pack) in ["a", "b", "c", "d"].into_iter().zip(all) {
        std::fs::remove_dir_all(sandbox.root().join("packs")).unwrap();
        sandbox.expect(0, &[&["build", &format!("task:{name}")], &untrusted[..]].concat());
        assert_eq!(sandbox.read(&format!("packs/task-{name}.coding.json")), pack, "{name}");
    }
}

#[test]
fn a_few_documents_that_share_words_or_name_the_item_are_likely_too_and_none_that_the_pack_holds() {
    let sandbox = Sandbox::configured(&[
        (
            "contextpack.yml",
            "version: 1\ncode: {likely: 2}\ndocuments: [{include: [\"docs/*.md\"], type: reference}]\n",
        ),
        (
            "work_items/a.md",
            "---\nid: web-shop-a1\ntitle: Refund vouchers\ndepends_on: web-shop-c1\n---\n\nSee docs/held.md.\n",
        ),
        (
            "work_items/b.md",
            "---\nid: web-shop-b1\ntitle: Print refund vouchers\nstatus: done\n---\n\nA refund of many vouchers.\n",
        ),
        ("work_items/c.md", "---\nid: web-shop-c1\ntitle: Something first\n---\n"),
        ("work_items/d.md", "---\nid: web-shop-d1\ntitle: Other things\n---\n"),
        ("docs/plan.md", "# Plan\n\nFor web-shop-a1: in spring.\n"),
        ("docs/held.md", "# Vouchers\n\nA refund of vouchers.\n"),
        ("docs/other.md", "# Weather\n\nSunny.\n"),
        ("src/refund.rs", "fn refund_vouchers() {}\n"),
    ]);
    sandbox.write("docs/secret.md", "---\nsensitivity: contains_secrets\n---\n\n# Refund vouchers\n");
    sandbox.commit();
    sandbox.write("docs/untracked.md", "# Refund vouchers\n");
    sandbox.expect(0, &["build", "web-shop-a1", "-p", "coding", "--out", "packs"]);
    let found = section(&sandbox, "packs/web-shop-a1.coding.json", "code.likely").unwrap();
    let paths: Vec<_> = found["metadata"]["files"].as_array().unwrap().iter().map(|file| &file["path"]).collect();
    assert_eq!(paths, ["src/refund.rs", "docs/plan.md", "work_items/b.md"]);
}

#[test]
fn the_first_reference_of_a_status_leads_to_the_decision_in_force() {
    let statuses = [
        ("Superseded by [2. X](0002-x.md)", true),
        ("Superseded by\n[2. By id](0002-x.md#decision) and [3. Y](0003-y.md)", true),
        ("Superseded by ADR-2 (2024-01-02)", true),
        ("superseded by ADR-0002: Use X, not ADR-3", true),
        ("Superseded by `0002-x.md`, see ADR-3", true),
        ("**Superseded by** the decision [ADR-2](../adr/0002-x.md).", true),
        ("Superseded by cosmos-sdk ADR002", false),
        ("Superseded by [ADR-2](https://github.com/other/repo/blob/main/0002-x.md) (2024)", false),
        ("Superseded by ADR-77, before that ADR-2", false),
        ("Superseded by Ann on 2002-02-02", false),
        // The target of a link counts, not its text, whatever follows it.
        ("Superseded by [ADR-2](https://github.com/other/repo/blob/main/docs/adr/0002-x.md)", false),
        ("Superseded by [ADR-2](https://github.com/o/r/blob/main/docs/adr/0002-x.md)", true),
        ("Superseded by [ADR-3](0002-x.md)", true),
        ("Superseded by [ADR-3](0002-x.md), 2024", true),
        ("Superseded by [ADR-3][x]\n\n[x]: 0002-x.md", true),
        ("Superseded by [ADR-2][x]\n\n[x]: https://github.com/other/repo/blob/main/docs/adr/0002-x.md", false),
        // Only behind words that say so a reference is a successor.
        ("Rejected by the board, as ADR-2 says", false),
        ("Deprecated after a vote by the board, see ADR-2", false),
        ("Deprecated\n\nSuperseded by ADR-2", true),
        ("Superseded fully on 2 May 2024 by ADR-2", true),
        ("Obsoleted by 0002", true),
    ];
    let fields = [
        ("status: superseded\nsuperseded_by: ADR-2", true),
        ("status: superseded\nsuperseded_by: 0002", true),
        ("status: superseded\nsuperseded_by:\n  - ADR-2", true),
        ("superseded_by: \"[2. X](0002-x.md), 2024\"", true),
        ("status: rejected\nsuperseded_by: none", false),
        ("status: Superseded by ADR-2\nsuperseded_by: ADR-3", true),
        ("status: superseded\nsuperseded_by: \"[ADR-2](https://github.com/other/repo/blob/main/0002-x.md)\"", false),
    ];
    let mut files = vec![
        ("docs/adr/0002-x.md".to_owned(), "# 2. X\n\n## Status\n\nAccepted\n".to_owned()),
        ("docs/adr/0003-y.md".to_owned(), "# 3. Y\n\n## Status\n\nAccepted\n".to_owned()),
        ("contextpack.yml".to_owned(), "version: 1\ngithub: {repo: o/r}\n".to_owned()),
    ];
    let item = |number: usize| format!("---\nid: task:t{number}\ntitle: A\n---\n\nSee ADR-{number}.\n");
    for (number, (status, _)) in (10..).zip(statuses) {
        files.push((format!("docs/adr/00{number}-a.md"), format!("# {number}. A\n\n## Status\n\n{status}\n")));
        files.push((format!("work_items/t{number}.md"), item(number)));
    }
    for (number, (fields, _)) in (50..).zip(fields) {
        files.push((format!("docs/adr/00{number}-a.md"), format!("---\n{fields}\n---\n\n# {number}. A\n")));
        files.push((format!("work_items/t{number}.md"), item(number)));
    }
    let of_both = "---\nstatus: superseded\n---\n\n# 70. A\n\n## Status\n\nSuperseded by ADR-2\n";
    files.push(("docs/adr/0070-a.md".to_owned(), of_both.to_owned()));
    files.push(("work_items/t70.md".to_owned(), item(70)));
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (&**path, &**text)).collect();
    let sandbox = Sandbox::configured(&files);
    sandbox.commit();
    sandbox.expect(0, &["build"]);
    let leads = |number: usize| {
        let pack = format!("packs/task-t{number}.coding.json");
        assert_eq!(section(&sandbox, &pack, "adr.docs/adr/0003-y.md"), None);
        section(&sandbox, &pack, "adr.docs/adr/0002-x.md").is_some()
    };
    for (number, (status, expected)) in (10..).zip(statuses) {
        assert_eq!(leads(number), expected, "{status}");
    }
    for (number, (fields, expected)) in (50..).zip(fields) {
        assert_eq!(leads(number), expected, "{fields}");
    }
    assert!(leads(70));
}

#[test]
fn lists_with_open_boxes_stay_where_a_text_has_ticked_ones_however_they_are_written() {
    let filler = "Some words that fill the page.\n\n".repeat(80);
    let cases = [
        ("- [x]", "- [ ]", true),
        ("* [x]", "+ [ ]", true),
        ("1. [X]", "2) [ ]", true),
        ("    - [x]", "- [ ]", false),
        ("- [ ]", "- [ ]", false),
        ("- [x]", "    - [ ]", false),
    ];
    for (ticked, open, is_kept) in cases {
        let text = format!(
            "# Plan\n\nShort.\n\n{filler}## Before\n\n{ticked} An old step\n\n## Left\n\n{open} The open step\n\n## Notes\n\n{filler}"
        );
        let sandbox = Sandbox::configured(&[
            ("work_items/a.md", "---\nid: task:a\ntitle: A\n---\n\nSee docs/plan.md.\n"),
            ("work_items/b.md", "---\nid: task:b\ntitle: B\ndepends_on: task:c\n---\n"),
            ("work_items/c.md", &format!("---\nid: task:c\ntitle: C\n---\n\n{text}")),
            ("docs/plan.md", &text),
        ]);
        sandbox.commit();
        sandbox.expect(0, &["build", "--max-chars", "4000"]);
        for (name, id) in [("a", "file.docs/plan.md"), ("b", "dependency.task:c"), ("c", "root.issue")] {
            let found = section(&sandbox, &format!("packs/task-{name}.coding.json"), id).unwrap();
            assert!(text_len(&found) < 4_000 && text_len(&found) > 500, "{name} {ticked}: {found}");
            assert_eq!(found["content"].as_str().unwrap().contains("The open step"), is_kept, "{name} {ticked} {open}");
        }
    }
}

fn text_len(section: &serde_json::Value) -> usize {
    text(section).len()
}

#[test]
fn what_a_pack_names_anyway_is_no_likely_code() {
    let config = "\
version: 1
code: {likely: 2}
overview: docs/overview.md
documents: [{include: [\"docs/*.md\"], type: reference}]
context: {relevant: 2}
profiles: {coding: {instructions: guide/coding.md}}
work_items: [{include: [\"items/*/item.md\"], body_file: text.md}]
";
    let text = "Refund vouchers of the web shop.\n";
    let sandbox = Sandbox::with(&[
        ("contextpack.yml", config),
        ("agents/research.md", "---\nname: Research\n---\nYou read.\n"),
        ("items/a/item.md", "---\nid: task:a\ntitle: Refund vouchers\ndepends_on: task:b\n---\n"),
        ("items/a/text.md", text),
        ("items/b/item.md", "---\nid: task:b\ntitle: Store\n---\n"),
        ("items/b/text.md", text),
        ("docs/overview.md", &format!("# Shop\n\n{text}")),
        ("docs/user.md", &format!("---\ndoc_type: project_user\n---\n\n# User\n\n{text}")),
        ("docs/plan.md", &format!("# Refund vouchers\n\n{text}")),
        ("docs/weather.md", "# Weather\n\nSunny.\n"),
        ("guide/coding.md", text),
        ("src/refund.rs", "fn refund_vouchers() {}\n"),
    ]);
    sandbox.commit();
    let likely = |agent: &[&str]| -> Vec<String> {
        let pack = sandbox.json(0, &[&["build", "task:a", "-p", "coding", "--out", "-"], agent].concat());
        let found = pack["sections"].as_array().unwrap().iter().find(|it| it["id"] == "code.likely").unwrap();
        let files = found["metadata"]["files"].as_array().unwrap().iter();
        files.map(|file| file["path"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(likely(&[]), ["src/refund.rs", "docs/plan.md"]);
    for policy in ["default", "expanded"] {
        assert_eq!(likely(&["--agent", "research", "--policy", policy]), ["src/refund.rs"], "{policy}");
    }
}

#[test]
fn what_a_pack_leaves_out_or_fills_space_with_is_no_likely_code() {
    let config = "version: 1\ncode: {likely: 8}\n";
    let words = "A zebra quagga widget.\n";
    let code = "def zebra_quagga_widget():\n    pass\n";
    let parent = "`src/a1.py`, `src/a2.py`, `src/a3.py`, `src/a4.py` and `src/a5.py`.";
    let parent = format!("---\nid: feat:p\ntitle: P\n---\n\n{parent}\n");
    let child = format!("{words}\nAfter feat:o, see [x](CONTRIBUTING.md).\n");
    let child = format!("---\nid: feat:c\ntitle: Zebra quagga widget\nparent: feat:p\n---\n\n{child}");
    let other = format!("---\nid: feat:o\ntitle: Zebra quagga\n---\n\n{words}");
    let mut files = vec![
        ("contextpack.yml", config),
        ("work_items/p.md", &parent),
        ("work_items/c.md", &child),
        ("work_items/o.md", &other),
    ];
    files.extend(["src/a1.py", "src/a2.py", "src/a3.py", "src/a4.py", "src/a5.py"].map(|path| (path, code)));
    files.extend(["tests/test_a1.py", "src/free.py"].map(|path| (path, code)));
    files.extend(["CONTRIBUTING.md", "docs/plan.md"].map(|path| (path, words)));
    files.push(("work_items/d.md", "---\nid: task:d\ntitle: D\n---\n\nMore.\n"));
    let sandbox = Sandbox::with(&files);
    sandbox.commit();
    let pack = sandbox.json(0, &["build", "feat:c", "-p", "coding", "--out", "-"]);
    let [sections, omissions] = ["sections", "omissions"].map(|list| pack[list].as_array().unwrap());
    let found = |list: &[serde_json::Value], id: &str| list.iter().find(|it| it["id"] == id).cloned().unwrap();
    assert_eq!(found(omissions, "code.src/a5.py")["reason"], "limit");
    assert_eq!(found(omissions, "file.CONTRIBUTING.md")["reason"], "boilerplate");
    assert_eq!(found(sections, "related.feat:o")["metadata"]["detail"], "full");
    assert!(text(&found(sections, "code.src/a1.py")).contains("tests: tests/test_a1.py"));
    let likely = found(sections, "code.likely");
    let paths: Vec<_> = likely["metadata"]["files"].as_array().unwrap().iter().map(|file| &file["path"]).collect();
    assert_eq!(paths, ["src/free.py", "docs/plan.md"]);
}

#[test]
fn a_definition_beside_named_lines_leaves_before_them() {
    let item =
        "---\nid: task:a\ntitle: A\ndocs: [docs/a.md]\nnotes: \"Why load_task is slow\"\n---\n\nSee `src/long.rs:3`.\n";
    let sandbox = Sandbox::configured(&[
        ("work_items/a.md", item),
        ("docs/a.md", &"Words of the plan. ".repeat(150)),
        ("src/long.rs", &source(90).replace("    id * 7\n", &"    id * 7;\n".repeat(150))),
    ]);
    sandbox.commit();
    let code = |limit: u32| {
        let limit = limit.to_string();
        let pack = sandbox.json(0, &["build", "-p", "coding", "--out", "-", "--max-chars", &limit]);
        let sections = pack["sections"].as_array().unwrap().clone();
        text(sections.iter().find(|it| it["id"] == "code.src/long.rs#L3").unwrap()).to_owned()
    };
    let shown: Vec<String> = (4_000..14_000).step_by(500).map(code).collect();
    let has = |words: &str| shown.iter().map(|text| text.contains(words)).collect::<Vec<_>>();
    let (lines, definition) = (has("fn step_0"), has("fn load_task"));
    assert!(definition.is_sorted() && lines.is_sorted(), "{lines:?} {definition:?}");
    assert!(definition.contains(&true) && lines.iter().zip(&definition).any(|(lines, defined)| *lines && !defined));
}
