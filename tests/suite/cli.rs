//! Each command by its exit codes, its output and what it leaves on disk.

use crate::sandbox::{Run, Sandbox, run};
use serde_json::Value;
use std::fs;

/// A feature with a parent, a dependency and a decision.
pub(crate) fn small() -> Sandbox {
    Sandbox::with(&[
        (
            "work_items/feat-cache.md",
            "---\nid: feat:cache\ntitle: Cache answers\nstatus: open\ntype: feature\nparent: epic:speed\ndepends_on: task:store\n---\n\nSee ADR-0007.\n\n## Acceptance criteria\n\n- [ ] A second answer takes no second.\n",
        ),
        ("work_items/epic-speed.md", "---\nid: epic:speed\ntitle: Speed\nstatus: open\n---\n\nAll of it.\n"),
        ("work_items/task-store.md", "---\nid: task:store\ntitle: A store\nstatus: done\n---\n\nOn disk.\n"),
        ("docs/adr/0007-cache.md", "# 7. Cache\n\n## Status\n\nAccepted\n\n## Decision\n\nWe cache.\n"),
    ])
}

const PACK: &str = "packs/feat-cache.coding.json";

#[test]
fn build_prints_the_paths_that_it_wrote_and_only_those_that_changed() {
    let sandbox = small();
    let all = "packs/epic-speed.coding.json\npacks/feat-cache.coding.json\npacks/task-store.coding.json\n";
    assert_eq!(sandbox.expect(0, &["build"]), all);
    assert_eq!(sandbox.expect(0, &["build"]), "");
    sandbox.write("docs/adr/0007-cache.md", "# 7. Cache\n\n## Status\n\nAccepted\n\n## Decision\n\nWe cache more.\n");
    assert_eq!(sandbox.expect(0, &["build"]), "packs/feat-cache.coding.json\n");
    assert_eq!(sandbox.expect(0, &["build", "task:store"]), "");
    let state = sandbox.files().into_iter().filter(|(path, _)| path.starts_with(".contextpack/"));
    let mut other = state.filter(|(path, _)| !path.starts_with(".contextpack/cache/"));
    let unfinished = other.next().map(|(path, _)| path);
    assert_eq!(unfinished.as_deref(), Some(".contextpack/tmp/.gitignore"));
    assert_eq!(other.next(), None, "a build leaves no state but its cache");
}

#[test]
fn an_unchanged_pack_keeps_its_time_and_its_file() {
    let sandbox = small();
    sandbox.expect(0, &["build"]);
    let before = sandbox.read(PACK);
    assert!(before.contains("\"generated_at\": \"2026-02-22T01:20:00Z\""), "{before}");
    let long_ago = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000_000);
    let file = fs::File::options().write(true).open(sandbox.root().join(PACK)).unwrap();
    file.set_modified(long_ago).unwrap();
    let mut command = sandbox.command(&["build"]);
    command.env("SOURCE_DATE_EPOCH", "1800000000");
    assert_eq!(run(command, "").stdout, "");
    assert_eq!(sandbox.read(PACK), before);
    assert_eq!(fs::metadata(sandbox.root().join(PACK)).unwrap().modified().unwrap(), long_ago);
}

#[test]
fn the_time_of_a_build_is_now_or_the_one_that_is_given_and_never_part_of_the_hash() {
    let sandbox = small();
    let stamped = |epoch: Option<&str>| -> Run {
        let mut command = sandbox.command(&["build", "feat:cache", "--out", "-"]);
        match epoch {
            Some(epoch) => command.env("SOURCE_DATE_EPOCH", epoch),
            None => command.env_remove("SOURCE_DATE_EPOCH"),
        };
        run(command, "")
    };
    let pack = |run: &Run| serde_json::from_str::<Value>(&run.stdout).unwrap();
    let (given, now) = (pack(&stamped(Some("0"))), pack(&stamped(None)));
    assert_eq!(given["generated_at"], "1970-01-01T00:00:00Z");
    assert!(now["generated_at"].as_str().unwrap() > "2026", "{}", now["generated_at"]);
    assert_eq!((&given["hash"], &given["pack_id"]), (&now["hash"], &now["pack_id"]));
    for wrong in ["tomorrow", "-1", "99999999999999"] {
        assert_eq!(stamped(Some(wrong)).code, 2, "{wrong}");
    }
    assert_eq!(stamped(Some("")).code, 0);
}

#[test]
fn build_as_json_says_what_became_of_each_pack() {
    let sandbox = small();
    let value = sandbox.json(0, &["build", "--format", "json", "feat:cache"]);
    let pack = &value["packs"][0];
    assert_eq!(
        (&pack["root"], &pack["profile"], &pack["path"]),
        (&"feat:cache".into(), &"coding".into(), &PACK.into())
    );
    assert_eq!((&pack["status"], &pack["reasons"][0]), (&"written".into(), &"new".into()));
    assert!(pack["hash"].as_str().unwrap().starts_with("sha256:"));
    assert!(pack["used_chars"].as_u64().unwrap() > 1000);
    for field in ["used_tokens", "omitted", "redacted"] {
        assert!(pack.get(field).is_some(), "{field}: {pack}");
    }
    assert_eq!(value["diagnostics"], serde_json::json!([]));

    sandbox.write("work_items/task-store.md", "---\nid: task:store\ntitle: Another store\n---\n");
    let value = sandbox.json(0, &["build", "--format", "json"]);
    let of = |value: &Value, root: &str| {
        value["packs"].as_array().unwrap().iter().find(|pack| pack["root"] == root).unwrap().clone()
    };
    assert_eq!(of(&value, "feat:cache")["reasons"], serde_json::json!(["work_items/task-store.md changed"]));
    assert_eq!(of(&value, "task:store")["status"], "written");
    fs::remove_file(sandbox.root().join("work_items/task-store.md")).unwrap();
    let value = sandbox.json(0, &["build", "--format", "json"]);
    assert_eq!(of(&value, "task:store")["status"], "removed");
    assert_eq!(value["diagnostics"][0]["code"], "unknown-id");
    assert_eq!(value["diagnostics"][0]["line"], 7);
    let value = sandbox.json(3, &["build", "--format", "json", "--max-chars", "500"]);
    assert_eq!(of(&value, "feat:cache")["status"], "failed");
}

#[test]
fn a_pack_can_go_to_standard_output_or_to_a_folder_of_its_own() {
    let sandbox = small();
    let printed = sandbox.expect(0, &["build", "feat:cache", "--out", "-"]);
    assert!(!sandbox.has("packs"));
    assert_eq!(sandbox.run_with(&["verify", "-"], &printed).code, 0);
    sandbox.expect(2, &["build", "--out", "-"]);

    let out = sandbox.beside("elsewhere");
    let said = sandbox.expect(0, &["build", "--out", out.to_str().unwrap()]);
    assert_eq!(said.lines().count(), 3);
    assert_eq!(fs::read_to_string(out.join("feat-cache.coding.json")).unwrap(), printed);
    assert!(!sandbox.has("packs"));
    // A folder inside the repo is no input either.
    sandbox.expect(0, &["build", "--out", "work_items/out"]);
    assert_eq!(sandbox.expect(0, &["build", "--out", "work_items/out"]), "");
}

#[test]
fn profiles_and_limits_are_those_that_are_given() {
    let sandbox = small();
    let written = sandbox.expect(0, &["build", "feat:cache", "-p", "review", "-p", "drafting", "-p", "review"]);
    assert_eq!(written, "packs/feat-cache.drafting.json\npacks/feat-cache.review.json\n");
    let run = sandbox.run(&["build", "-p", "codign"]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("`codign`") && run.stderr.contains("`coding`"), "{}", run.stderr);

    let budget = |args: &[&str]| {
        let pack = sandbox.json(0, &[&["build", "feat:cache", "--out", "-"], args].concat());
        pack["budget"].clone()
    };
    let both = budget(&["--max-tokens", "900", "--strategy", "truncate_tail"]);
    assert_eq!((&both["max_tokens"], &both["strategy"]), (&900.into(), &"truncate_tail".into()));
    assert!(both.get("max_chars").is_none(), "limits given replace all of the profile's: {both}");
    assert_eq!(budget(&["--max-bytes", "9000"])["max_bytes"], 9000);
}

#[test]
fn the_smallest_budget_that_an_error_names_works_and_one_less_does_not() {
    let sandbox = small();
    for (option, unit) in [("--max-chars", "max_chars"), ("--max-bytes", "max_bytes"), ("--max-tokens", "max_tokens")] {
        let failed = sandbox.run(&["build", "feat:cache", option, "9"]);
        assert_eq!(failed.code, 3);
        let smallest = failed.stderr.split(&format!("`{unit}: ")).nth(1).unwrap().split('`').next().unwrap();
        sandbox.expect(0, &["build", "feat:cache", "--out", "-", option, smallest]);
        let less = (smallest.parse::<u64>().unwrap() - 1).to_string();
        sandbox.expect(3, &["build", "feat:cache", "--out", "-", option, &less]);
        assert!(!sandbox.has(PACK), "no pack is written");
    }
}

#[test]
fn a_root_that_fails_keeps_its_old_pack_and_the_others_are_built() {
    let sandbox = small();
    sandbox.expect(0, &["build"]);
    let old = sandbox.read(PACK);
    let long = "A line that says the same thing again and again.\n".repeat(3);
    sandbox.write("work_items/feat-cache.md", format!("---\nid: feat:cache\ntitle: Changed\n---\n{long}"));
    sandbox.write("work_items/task-store.md", "---\nid: task:store\ntitle: Changed\n---\n");
    let smallest = sandbox.run(&["build", "task:store", "--max-chars", "9"]).stderr;
    let smallest = smallest.split("`max_chars: ").nth(1).unwrap().split('`').next().unwrap().to_owned();
    let run = sandbox.run(&["build", "feat:cache", "task:store", "--max-chars", &smallest]);
    assert_eq!((run.code, run.stdout.as_str()), (3, "packs/task-store.coding.json\n"), "{}", run.stderr);
    assert!(run.stderr.contains("the old pack was kept"), "{}", run.stderr);
    assert_eq!(sandbox.read(PACK), old);
}

#[test]
fn roots_are_found_by_id_path_and_prefix_and_nothing_else() {
    let sandbox = small();
    sandbox.write("contextpack.yml", "work_items: [{include: [\"work_items/*.md\"], prefixes: [BACK-, task-]}]\n");
    sandbox.write("work_items/back-7.md", "---\nid: BACK-7\ntitle: Seven\n---\n");
    for (root, id) in [
        ("feat:cache", "feat:cache"),
        ("work_items/feat-cache.md", "feat:cache"),
        ("Feat:Cache", "feat:cache"),
        ("BACK-7", "BACK-7"),
        ("7", "BACK-7"),
        ("task-7", "BACK-7"),
    ] {
        let pack = sandbox.json(0, &["build", root, "--out", "-"]);
        assert_eq!(pack["root"]["work_item_id"], id, "{root}");
    }
    for root in ["feat:cash", "", "../x", "123", "owner/repo#4"] {
        let run = sandbox.run(&["build", "--", root]);
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "`{root}`: {}", run.stderr);
        assert!(run.stderr.starts_with("error: "), "{}", run.stderr);
    }
    for typed in ["feat:cash", "cache", "cache answ"] {
        let said = sandbox.run(&["build", typed]).stderr;
        assert!(said.contains("did you mean `feat:cache` (Cache answers)"), "{typed}: {said}");
    }
    assert!(!sandbox.has("packs"));
}

#[test]
fn two_items_that_a_root_may_mean_are_both_named() {
    let sandbox = Sandbox::with(&[
        (
            "contextpack.yml",
            "work_items: [{include: [\"a/*.md\"], prefixes: [A-]}, {include: [\"b/*.md\"], prefixes: [B-]}]\n",
        ),
        ("a/7.md", "---\nid: A-7\ntitle: A\n---\n"),
        ("b/7.md", "---\nid: B-7\ntitle: B\n---\n"),
    ]);
    let run = sandbox.run(&["render", "7"]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("A-7") && run.stderr.contains("B-7"), "{}", run.stderr);
}

#[test]
fn the_parts_of_a_rendering_joined_are_the_whole_that_the_budget_measured() {
    let sandbox = small();
    sandbox.expect(0, &["build", "feat:cache"]);
    let used = serde_json::from_str::<Value>(&sandbox.read(PACK)).unwrap()["budget"]["used_chars"].as_u64().unwrap();
    let whole = sandbox.expect(0, &["render", PACK]);
    let parts = ["instructions", "context"].map(|part| sandbox.expect(0, &["render", PACK, "--part", part]));
    assert_eq!(parts.concat(), whole);
    assert_eq!(whole.chars().count() as u64, used);
    assert!(whole.ends_with("\nLeft out: nothing\n</section>\n"), "{whole}");
    assert_eq!(sandbox.expect(0, &["render", "feat:cache"]), whole);
    assert_eq!(sandbox.run_with(&["render", "-"], &sandbox.read(PACK)).stdout, whole);
    let other = sandbox.expect(0, &["render", "epic:speed", "--part", "instructions"]);
    assert_eq!(other, parts[0], "what comes first is the same for all packs of a profile");
}

#[test]
fn render_and_explain_write_nothing_and_know_no_pack_from_a_bad_one() {
    let sandbox = small();
    for command in ["render", "explain"] {
        sandbox.expect(0, &[command, "feat:cache"]);
        sandbox.expect(2, &[command, "feat:none"]);
        sandbox.expect(3, &[command, "feat:cache", "--max-chars", "9"]);
        sandbox.expect(2, &[command, "feat:cache", "-p", "coding", "-p", "review"]);
        sandbox.write("bad.json", "{\"schema_version\": \"context_pack/v9\"}");
        sandbox.expect(5, &[command, "bad.json"]);
    }
    assert!(!sandbox.has("packs"));
    let explained = sandbox.json(0, &["explain", "feat:cache", "--format", "json"]);
    assert!(explained.is_object());
    let text = sandbox.expect(0, &["explain", "feat:cache"]);
    for expected in ["Budget", "Relations", "epic:speed", "task:store", "adr.docs/adr/0007-cache.md"] {
        assert!(text.contains(expected), "{expected}: {text}");
    }
}

#[test]
fn redact_ends_with_0_whether_or_not_it_removed_anything() {
    let sandbox = Sandbox::new();
    let token = ["gh", "p_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"].concat();
    let clean = sandbox.run_with(&["redact"], "nothing here\n");
    assert_eq!((clean.code, clean.stdout.as_str()), (0, "nothing here\n"));
    let found = sandbox.run_with(&["redact"], &format!("a {token} b\r\n"));
    assert_eq!((found.code, found.stdout.as_str()), (0, "a [REDACTED:github-pat] b\n"));
    sandbox.write("one.md", format!("{token}\n"));
    sandbox.write("two.md", "fine\n");
    let report = sandbox.expect(0, &["redact", "--report", "one.md", "two.md"]);
    assert!(report.contains("one.md:1: github-pat") && report.contains("two.md: nothing was removed"), "{report}");
    let json = sandbox.json(0, &["redact", "--report", "--format", "json", "one.md"]);
    assert_eq!(json["redactions"][0]["rule"], "github-pat");
    sandbox.expect(0, &["redact", "one.md", "two.md", "--out", "clean"]);
    assert_eq!(
        (sandbox.read("clean/one.md"), sandbox.read("clean/two.md")),
        ("[REDACTED:github-pat]\n".into(), "fine\n".into())
    );
    sandbox.expect(1, &["redact", "none.md"]);
    sandbox.write(".env", format!("TOKEN={token}\n"));
    let denied = sandbox.run(&["redact", ".env"]);
    assert_eq!((denied.code, denied.stdout.as_str()), (3, ""));
    for said in [report, denied.stderr, json.to_string()] {
        assert!(!said.contains(&token));
    }
}

#[test]
fn list_shows_roots_with_their_edges_and_the_state_of_their_packs() {
    let sandbox = small();
    sandbox.expect(0, &["build", "feat:cache"]);
    let text = sandbox.expect(0, &["list"]);
    let line = text.lines().find(|line| line.starts_with("feat:cache")).unwrap();
    for expected in ["feature", "open", "Cache answers", "1 parent", "1 depends_on", "coding fresh"] {
        assert!(line.contains(expected), "{expected}: {line}");
    }
    let json = sandbox.json(0, &["list", "--format", "json"]);
    let ids: Vec<&str> = json["roots"].as_array().unwrap().iter().map(|root| root["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["epic:speed", "feat:cache", "task:store"]);
    assert_eq!(json["roots"][0]["packs"][0]["status"], "missing");
    assert_eq!(json["roots"][1]["edges"]["depends_on"], 1);
    assert_eq!(json["roots"][2]["state"], "done");
}

#[test]
fn list_builds_no_pack_that_has_no_file() {
    let sandbox = small();
    sandbox.expect(0, &["build", "feat:cache"]);
    // No pack can be built within it: where one is built, the list says so.
    sandbox.write("contextpack.yml", "profiles: {coding: {budget: {max_chars: 10}}}\n");
    let list = sandbox.json(3, &["list", "--format", "json"]);
    let status = |root: usize| list["roots"][root]["packs"][0]["status"].clone();
    assert_eq!([status(0), status(1)], ["missing", "failed"], "{list}");
}

#[test]
fn an_error_of_the_configuration_has_line_column_and_the_nearest_name() {
    for (text, place, name) in [
        ("version: 1\noutput:\n  dri: x\n", "contextpack.yml:3:3", "`dir`"),
        ("profiles:\n  coding:\n    budget: {max_token: 5}\n", "contextpack.yml:3:14", "`max_tokens`"),
        ("profiles: {coding: {budget: {max_chars: 1, strategy: drop}}}\n", "contextpack.yml:1:54", "drop_low_priority"),
        ("warnings: {unknwon-id: deny}\n", "contextpack.yml:1:12", "`unknown-id`"),
        ("output: {dir: ../x}\n", "contextpack.yml:1:", "out of the repo"),
        ("a: [\n", "contextpack.yml:2", ""),
    ] {
        let sandbox = small();
        sandbox.write("contextpack.yml", text);
        for command in ["build", "check", "list"] {
            let run = sandbox.run(&[command]);
            assert_eq!(run.code, 3, "{command} {text}");
            assert!(run.stderr.contains("error[invalid-config]") && run.stderr.contains(place), "{}", run.stderr);
            assert!(run.stderr.contains(name), "{name}: {}", run.stderr);
        }
        assert!(!sandbox.has("packs"));
    }
    let sandbox = small();
    sandbox.write("contextpack.yml", "");
    sandbox.write("contextpack.yaml", "");
    let run = sandbox.run(&["build"]);
    assert!(run.code != 0 && run.stderr.contains("contextpack.yaml"), "{run:?}");
}

#[test]
fn another_required_version_is_wrong_usage_and_says_how_to_get_it() {
    let sandbox = small();
    sandbox.write("contextpack.yml", "required_version: \"9.8\"\nsomething_new: yes\n");
    let run = sandbox.run(&["build"]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("required-version") && run.stderr.contains("9.8"), "{}", run.stderr);
    assert!(run.stderr.contains("cargo install"), "{}", run.stderr);
    sandbox.write("contextpack.yml", format!("required_version: \"{}\"\n", env!("CARGO_PKG_VERSION")));
    sandbox.expect(0, &["build"]);
}

#[test]
fn warnings_are_errors_where_strict_or_the_configuration_says_so() {
    let sandbox = small();
    sandbox.write("work_items/task-store.md", "---\nid: task:store\ntitle: T\ndepends_on: task:none\n---\n");
    sandbox.expect(0, &["build"]);
    sandbox.expect(3, &["build", "--strict"]);
    sandbox.expect(3, &["check", "--strict"]);
    sandbox.write("contextpack.yml", "warnings: {unknown-id: deny}\n");
    sandbox.expect(3, &["build"]);
    sandbox.write("contextpack.yml", "warnings: {unknown-id: allow}\n");
    let run = sandbox.run(&["build", "--strict"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(!run.stderr.contains("unknown-id"));
}

#[test]
fn wrong_usage_ends_with_2_and_a_folder_that_is_not_there_with_1() {
    let sandbox = small();
    for args in
        [&["biuld"][..], &["build", "--max-chars", "many"], &["build", "--max-chars", "0"], &[], &["schema", "x"]]
    {
        assert_eq!(sandbox.run(args).code, 2, "{args:?}");
    }
    sandbox.expect(1, &["-C", "nowhere", "build"]);
    sandbox.expect(1, &["verify", "nowhere.json"]);
    for args in [&["--version"][..], &["help"], &["completions", "bash"], &["man"], &["schema"]] {
        assert!(!sandbox.expect(0, args).is_empty(), "{args:?}");
    }
}

#[test]
fn a_manual_page_has_the_usage_and_keeps_the_lines_of_examples() {
    let sandbox = small();
    for (command, usage) in [
        (&["man"][..], "contextpack [OPTIONS] <COMMAND>"),
        (
            &["man", "diff"],
            "contextpack diff [OPTIONS] [OLD|REV|REV..REV|REV...REV] [NEW]\ncontextpack diff [OPTIONS] \\-\\-since <HASH|PACK|\\->...\ncontextpack diff [OPTIONS] \\-\\-commits <REV..REV>",
        ),
        (&["man", "batch", "fork"], "contextpack batch fork [OPTIONS] <FILE|\\->"),
    ] {
        let page = sandbox.expect(0, command);
        assert!(page.contains(&format!(".SH \"SYNOPSIS\"\n.nf\n{usage}\n.fi\n")), "{command:?}: {page}");
        assert!(
            page.lines().any(|line| line.starts_with(".TH ") && line.contains("\"contextpack 0.1.0\"")),
            "{command:?}: {page}"
        );
        assert!(!page.contains("EXTRA"), "{command:?}");
    }
    let page = sandbox.expect(0, &["man", "diff"]);
    assert!(page.contains(".SH \"EXAMPLES\"\n.nf\ncontextpack diff  "), "{page}");
    assert!(page.contains(".SH \"EXIT STATUS\"\n.nf\n0  compared"), "{page}");
    assert!(page.contains("\\fB\\-\\-summary\\fR"), "{page}");
    assert_eq!(sandbox.run(&["man", "dfif"]).code, 2);
}

#[test]
fn the_repo_is_found_from_a_folder_below_and_by_the_option() {
    let sandbox = small();
    sandbox.commit();
    let whole = sandbox.expect(0, &["render", "feat:cache"]);
    let mut below = sandbox.command(&["render", "feat:cache"]);
    below.current_dir(sandbox.root().join("docs/adr"));
    assert_eq!(run(below, "").stdout, whole);
    let mut beside = sandbox.command(&["-C", sandbox.root().to_str().unwrap(), "render", "feat:cache"]);
    beside.current_dir(sandbox.beside("home"));
    assert_eq!(run(beside, "").stdout, whole);
}

#[test]
fn paths_on_the_command_line_are_meant_from_the_current_folder_and_from_c() {
    let sandbox = small();
    sandbox.commit();
    sandbox.write("other.yml", "version: 1\n");
    let whole = sandbox.expect(0, &["render", "feat:cache"]);
    for (folder, root) in [("work_items", "feat-cache.md"), ("docs/adr", "../../work_items/feat-cache.md")] {
        let mut below = sandbox.command(&["render", root]);
        below.current_dir(sandbox.root().join(folder));
        assert_eq!(run(below, "").stdout, whole, "{folder} {root}");
        assert_eq!(sandbox.expect(0, &["-C", folder, "render", root]), whole, "{folder} {root}");
    }
    let absolute = sandbox.root().join("work_items/feat-cache.md");
    assert_eq!(sandbox.expect(0, &["render", absolute.to_str().unwrap()]), whole);
    let written =
        sandbox.expect(0, &["-C", "docs", "--config", "../other.yml", "build", "feat:cache", "--out", "../out"]);
    assert_eq!(written.trim_end(), "../out/feat-cache.coding.json");
    assert!(sandbox.has("out/feat-cache.coding.json"));
    sandbox.expect(0, &["-C", "docs", "verify", "../out"]);
}

#[test]
fn a_finished_pack_takes_no_options_of_build() {
    let sandbox = small();
    sandbox.expect(0, &["build"]);
    for command in ["render", "explain"] {
        let run = sandbox.run(&[command, PACK, "--max-chars", "3000"]);
        assert_eq!(run.code, 2, "{command}");
        assert!(run.stderr.contains("is a finished pack"), "{}", run.stderr);
    }
}

#[test]
fn naming_a_file_of_the_output_folder_is_a_denied_path_whether_it_is_there_or_not() {
    let sandbox = Sandbox::with(&[
        ("work_items/a.md", "---\nid: a\n---\nSee [b](../packs/b.md) and [c](../packs/c.md).\n"),
        ("packs/b.md", "B\n"),
    ]);
    let pack: Value = serde_json::from_str(&sandbox.expect(0, &["build", "a", "--out", "-"])).unwrap();
    let reasons: Vec<&str> =
        pack["omissions"].as_array().unwrap().iter().filter_map(|left| left["reason"].as_str()).collect();
    assert_eq!(reasons, ["denied_path", "denied_path"]);
}

#[test]
fn a_root_whose_file_belongs_to_another_root_too_is_not_written_alone() {
    let sandbox = Sandbox::with(&[
        ("work_items/a.md", "---\nid: a:b\n---\n# One\n"),
        ("work_items/b.md", "---\nid: a/b\n---\n# Two\n"),
    ]);
    let run = sandbox.run(&["build", "a:b"]);
    assert_eq!((run.code, run.stdout.as_str()), (3, ""), "{}", run.stderr);
    assert!(run.stderr.contains("`a/b` and `a:b` would both be written to"), "{}", run.stderr);
    sandbox.expect(0, &["render", "a:b"]);
}

#[test]
fn an_empty_repo_is_no_error_and_says_what_to_do() {
    let sandbox = Sandbox::new();
    let run = sandbox.run(&["build"]);
    assert_eq!((run.code, run.stdout.as_str()), (0, ""));
    assert!(run.stderr.contains("no configuration") && run.stderr.contains("`contextpack init`"), "{}", run.stderr);
    sandbox.expect(0, &["check"]);
    sandbox.expect(0, &["list"]);
    assert_eq!(sandbox.files(), [], "nothing is left in a folder that was entered by mistake");
    sandbox.write("contextpack.yml", "version: 1\n");
    let run = sandbox.run(&["build"]);
    assert!(run.stderr.contains("no items: write one into `work_items/`"), "{}", run.stderr);
}
