//! `diff --since` and `render --trailer`: what moved since a pack was read, wherever the pack is found.

use crate::sandbox::Sandbox;
use serde_json::Value;
use std::fs;

const CACHE: &str = "---\nid: feat:cache\ntitle: Cache\nstatus: open\nblocked_by: [feat:store]\nadrs: [1]\n---\n\n# Cache\n\n\
                     Results are cached.\n\n## Acceptance criteria\n\n- A hit takes a millisecond.\n- Entries end after a minute.\n";
const STORE: &str = "---\nid: feat:store\ntitle: Store\nstatus: open\n---\n\nText.\n";
const ADR: &str = "# Memory\n\n## Status\n\nAccepted\n\n## Decision\n\nIn memory, for one minute at most.\n";
/// The pack as it was before the last build.
const PACK_BEFORE: &str = "before.json";
const PACK: &str = "packs/feat-cache.coding.json";

/// A repo with built packs, committed.
fn built() -> Sandbox {
    let sandbox = Sandbox::with(&[
        ("contextpack.yml", "version: 1\n"),
        ("work_items/cache.md", CACHE),
        ("work_items/store.md", STORE),
        ("docs/adr/0001-memory.md", ADR),
    ]);
    sandbox.expect(0, &["build", "-q"]);
    sandbox.commit();
    sandbox
}

/// The hash of the pack of `feat:cache` on disk.
fn hash(sandbox: &Sandbox) -> String {
    let pack: Value = serde_json::from_str(&sandbox.read(PACK)).unwrap();
    pack["hash"].as_str().unwrap().to_owned()
}

/// What `diff --since` says of one pack.
fn since(sandbox: &Sandbox, code: i32, args: &[&str]) -> Value {
    sandbox.json(code, &[&["diff", "--since"], args, &["--format", "json"]].concat())["packs"][0].clone()
}

/// The words of the causes in the diff, and the messages of what needs review.
fn changes(sandbox: &Sandbox, args: &[&str]) -> [Vec<String>; 2] {
    let told = sandbox.json(4, &[&["diff", "--since"], args, &["--format", "json"]].concat());
    [("causes", "words"), ("needs_review", "message")].map(|(list, text)| {
        let all = told["diff"][list].as_array().unwrap().iter();
        all.map(|it| it[text].as_str().unwrap().to_owned()).collect()
    })
}

#[test]
fn each_thing_that_moved_is_told_once_with_its_words() {
    let sandbox = built();
    let hash = hash(&sandbox);
    let told = since(&sandbox, 0, &[&hash]);
    assert_eq!((&told["status"], &told["now"]), (&"fresh".into(), &hash.clone().into()));
    sandbox.write("work_items/cache.md", CACHE.replace("a minute.", "ten minutes.\n- There is a limit."));
    sandbox.write("work_items/store.md", STORE.replace("open", "done"));
    sandbox.write("docs/adr/0001-memory.md", ADR.replace("Accepted", "Superseded by ADR-0002"));
    let told = since(&sandbox, 4, &[&hash]);
    let [causes, review] = changes(&sandbox, &[&hash]);
    let files = ["docs/adr/0001-memory.md", "work_items/cache.md", "work_items/store.md"];
    assert_eq!(causes, files.map(|file| format!("{file} changed")));
    assert_eq!(
        review,
        [
            "the decision's status was `Accepted` and is `Superseded by ADR-0002`",
            "the acceptance criterion ac.2 changed: Entries end after ten minutes.",
            "the acceptance criterion ac.3 was added: There is a limit.",
            "a new warning, `inactive-adr`: `docs/adr/0001-memory.md` is superseded by ADR-0002",
        ]
    );
    assert_eq!(told["path"], PACK);
    let run = sandbox.run(&["diff", "--since", &hash]);
    assert!(run.stdout.contains("    - - Entries end after a [-minute-].\n"), "{}", run.stdout);
    assert!(run.stdout.contains("related item ~ blocked_by feat:store, done: Store\n"), "{}", run.stdout);
    assert!(run.stderr.contains("0 of 1 packs are what a build gives now"), "{}", run.stderr);
}

#[test]
fn a_pack_is_found_where_git_has_it_or_where_it_was_delivered() {
    let sandbox = built();
    let old = hash(&sandbox);
    sandbox.write("work_items/cache.md", CACHE.replace("cached.", "cached in memory."));
    sandbox.expect(0, &["build", "-q"]);
    sandbox.commit();
    let first = sandbox.git(&["rev-parse", "HEAD~1"]);
    let short = &old["sha256:".len()..][..8];
    let by_id = format!("cp_feat-cache_coding_{}", &old["sha256:".len()..][..12]);
    for named in [old.as_str(), &short.to_uppercase(), &by_id] {
        let told = since(&sandbox, 4, &[named]);
        assert_eq!((&told["path"], &told["commit"]), (&PACK.into(), &first.trim().into()), "{named}");
        assert_eq!(changes(&sandbox, &[named])[0], ["work_items/cache.md changed"]);
    }
    // What was never committed, but delivered.
    sandbox.expect(0, &["agent", "new", "Coder", "--purpose", "write code"]);
    sandbox.expect(0, &["render", "feat:cache", "--agent", "coder", "--record", "-q"]);
    let log = sandbox.read(".contextpack/delivered/delivered.jsonl");
    let delivered = serde_json::from_str::<Value>(log.trim()).unwrap()["hash"].as_str().unwrap().to_owned();
    let told = since(&sandbox, 0, &[&delivered]);
    assert_eq!((&told["status"], &told["agent"]), (&"fresh".into(), &"agent:coder:main".into()));
    sandbox.write("work_items/cache.md", CACHE.replace("millisecond", "second"));
    let [_, review] = changes(&sandbox, &[&delivered]);
    assert_eq!(review, ["the acceptance criterion ac.1 changed: A hit takes a second."]);
}

#[test]
fn a_pack_that_nothing_holds_is_refused() {
    let sandbox = built();
    let other = format!("sha256:{}", "0a".repeat(32));
    let run = sandbox.run(&["diff", "--since", &other]);
    assert_eq!((run.code, run.stdout.as_str()), (2, ""));
    assert!(run.stderr.contains("no file in `packs` holds it"), "{}", run.stderr);
    assert!(run.stderr.contains("name the file that was read"), "{}", run.stderr);
    for wrong in ["feat:cache", "0a0a", "sha256:0a0a0a0", "0a0a0a0g", &"0".repeat(65), "nothing.json", "--"] {
        assert_ne!(sandbox.run(&["diff", "--since", wrong]).code, 0, "{wrong}");
    }
    // A revision is none either, and has a command of its own.
    sandbox.commit();
    let run = sandbox.run(&["diff", "--since", "HEAD"]);
    assert!(run.stderr.contains("is a revision, whose packs `contextpack diff REV` compares"), "{}", run.stderr);
    // A text that only quotes the name of the field states no hash.
    sandbox.write("packs/odd.json", format!(r#"{{"x": "\"hash\": \"{other}\"", "hash": 1}}"#));
    assert_eq!(sandbox.run(&["diff", "--since", &other]).code, 2);
    // Packs that are not committed are in no history: the trailer keeps the one that was read.
    let cached =
        Sandbox::with(&[("contextpack.yml", "output: {dir: .contextpack/packs}\n"), ("work_items/store.md", STORE)]);
    let trailer = cached.expect(0, &["render", "feat:store", "--trailer"]);
    let hash = trailer.trim().strip_prefix("Context-Pack: ").unwrap();
    assert!(cached.run(&["diff", "--since", hash]).stderr.contains("packs are not committed here"));
    assert_eq!(cached.expect(0, &["render", "feat:store", "--trailer", "--record", "-q"]), trailer);
    assert_eq!(since(&cached, 0, &[hash])["status"], "fresh");
    cached.write("work_items/store.md", STORE.replace("Text", "Other"));
    assert_eq!(since(&cached, 4, &[hash])["status"], "stale");
}

#[test]
fn packs_that_the_configuration_does_not_ask_for_are_known_once_they_are_recorded() {
    let sandbox = built();
    sandbox.expect(0, &["agent", "new", "Coder", "--purpose", "write code"]);
    let trailer = |args: &[&str]| {
        let line = sandbox.expect(0, &[&["render", "feat:cache", "--trailer"], args].concat());
        line.trim().strip_prefix("Context-Pack: ").unwrap().to_owned()
    };
    for args in [&["-p", "review"][..], &["--agent", "coder"], &["--max-chars", "5000"]] {
        let run = sandbox.run(&["diff", "--since", &trailer(args)]);
        assert_eq!((run.code, run.stdout.as_str()), (2, ""));
        for said in ["no file in `packs` holds it", "`contextpack render --record`"] {
            assert!(run.stderr.contains(said), "{said}: {}", run.stderr);
        }
    }
    sandbox.expect(0, &["render", "feat:cache", "--max-chars", "5000", "--record", "-q"]);
    let hash = trailer(&["--max-chars", "5000"]);
    assert_eq!(since(&sandbox, 0, &[&hash])["status"], "fresh");
    // A record whose file is gone still says what the pack was.
    let file = format!(".contextpack/delivered/{}.json", &hash["sha256:".len()..]);
    fs::remove_file(sandbox.path(&file)).unwrap();
    let run = sandbox.run(&["diff", "--since", &hash]);
    assert!(
        run.code == 2 && run.stderr.contains("and delivered for `feat:cache`, and its file there is gone"),
        "{}",
        run.stderr
    );
    // A file says itself what it was built for.
    let text = sandbox.expect(0, &["build", "feat:cache", "-p", "review", "--max-chars", "5000", "--out", "-", "-q"]);
    sandbox.write("other.json", text);
    assert_eq!(since(&sandbox, 0, &["other.json"])["profile"], "review");
}

#[test]
fn what_is_only_no_longer_referred_to_was_not_removed_and_what_has_another_name_moved() {
    let sandbox = built();
    let hash = hash(&sandbox);
    let reasons = |change: &dyn Fn()| -> Vec<String> {
        change();
        let told = since(&sandbox, 4, &[&hash]);
        sandbox.git(&["checkout", "-q", "."]);
        sandbox.git(&["clean", "-q", "-f", "docs", "work_items"]);
        told["reasons"].as_array().unwrap().iter().map(|reason| reason.as_str().unwrap().to_owned()).collect()
    };
    let moved = |old: &str, new: &str| fs::rename(sandbox.path(old), sandbox.path(new)).unwrap();
    let cache = |old: &str, new: &str| sandbox.write("work_items/cache.md", CACHE.replace(old, new));
    let adr = "docs/adr/0001-memory.md";
    assert_eq!(
        reasons(&|| cache("adrs: [1]\n", "")),
        [&format!("{adr} is no longer referred to"), "work_items/cache.md changed"]
    );
    assert_eq!(reasons(&|| fs::remove_file(sandbox.path(adr)).unwrap()), [format!("{adr} was removed")]);
    assert_eq!(reasons(&|| moved(adr, "docs/adr/0001-cache.md")), [format!("{adr} is docs/adr/0001-cache.md now")]);
    // A decision is named by its number.
    assert_eq!(
        reasons(&|| {
            sandbox.write("docs/adr/0001-cache.md", ADR.replace("one minute", "two minutes"));
            fs::remove_file(sandbox.path(adr)).unwrap();
        }),
        [format!("{adr} is docs/adr/0001-cache.md now, and changed")]
    );
    assert_eq!(
        reasons(&|| {
            cache("cached.", "kept.");
            moved("work_items/cache.md", "work_items/kept.md");
        })[0],
        "work_items/cache.md is work_items/kept.md now, and changed"
    );
    assert_eq!(
        reasons(&|| cache("blocked_by: [feat:store]\n", "")),
        ["work_items/cache.md changed", "blocker feat:store is no longer one"]
    );
    assert_eq!(
        reasons(&|| sandbox.write("contextpack.yml", format!("version: 1\nredaction: {{deny_paths: [{adr}]}}\n"))),
        [format!("{adr} is one that is never opened now")]
    );
    let gone = reasons(&|| fs::remove_file(sandbox.path("work_items/store.md")).unwrap());
    assert_eq!(gone, ["blocker feat:store was removed"]);
}

#[test]
fn a_criterion_that_is_open_again_needs_review_and_one_that_was_ticked_or_cut_does_not() {
    let sandbox = built();
    let ticked = CACHE.replace("- A hit", "- [x] A hit").replace("- Entries", "- [ ] Entries");
    let review = |text: &str| {
        sandbox.write("work_items/cache.md", text);
        changes(&sandbox, &[PACK])[1].clone()
    };
    assert_eq!(review(&ticked), [""; 0]);
    sandbox.expect(0, &["build", "-q"]);
    let open_again = ticked.replace("[x]", "[ ]");
    assert_eq!(review(&open_again), ["the acceptance criterion ac.1 is open again: A hit takes a millisecond."]);
    let fewer = ticked.replace("- [ ] Entries end after a minute.\n", "");
    assert_eq!(review(&fewer), ["the acceptance criterion ac.2 was removed: Entries end after a minute."]);
    // The same words may say the opposite.
    sandbox.write("work_items/cache.md", ticked.replace("a millisecond", "< 5 ms"));
    sandbox.expect(0, &["build", "-q"]);
    assert_eq!(
        review(&ticked.replace("a millisecond", "> 5 ms")),
        ["the acceptance criterion ac.1 changed: A hit takes > 5 ms."]
    );
    sandbox.write("work_items/cache.md", &ticked);
    sandbox.expect(0, &["build", "-q"]);
    // What the budget cuts was removed by nobody.
    let long = fewer.replace("Results", &"Results of all kinds that are asked for often. ".repeat(1_500));
    assert!(!review(&long).iter().any(|it| it.contains("criterion")));
}

#[test]
fn trailers_of_commits_are_found_and_what_moved_is_a_warning_of_check() {
    let sandbox = built();
    let trailer = sandbox.expect(0, &["render", PACK, "--trailer"]);
    let other = format!("Context-Pack: sha256:{}", "0a".repeat(32));
    sandbox.git(&["checkout", "-q", "-b", "work"]);
    sandbox.git(&["commit", "-q", "--allow-empty", "-m", &format!("One\n\n{trailer}")]);
    sandbox.git(&["commit", "-q", "--allow-empty", "-m", &format!("Two\n\n{trailer}{other}\n")]);
    sandbox.git(&["commit", "-q", "--allow-empty", "-m", "Three\n\nContext-Pack: what?"]);
    let told = sandbox.json(0, &["diff", "--commits", "main..HEAD", "--format", "json"]);
    let packs: Vec<(&str, usize)> = told["packs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|pack| (pack["status"].as_str().unwrap(), pack["named_by"].as_array().unwrap().len()))
        .collect();
    assert_eq!(packs, [("fresh", 2), ("missing", 1), ("missing", 1)]);
    sandbox.expect(4, &["diff", "--commits", "main..HEAD", "--strict"]);
    assert_eq!(sandbox.run(&["diff", "--commits", "nowhere..HEAD"]).code, 2);
    assert_eq!(sandbox.run(&["diff", "--commits=--all"]).code, 2);
    assert!(sandbox.run(&["diff", "--commits", "main..main"]).stderr.contains("no commit names a pack"));

    sandbox.write(PACK_BEFORE, sandbox.read(PACK));
    sandbox.write("work_items/cache.md", CACHE.replace("a minute.", "a minute.\n- There is a limit."));
    sandbox.expect(0, &["build", "-q"]);
    let checked = sandbox.json(0, &["check", "--commits", "main..HEAD", "--format", "json"]);
    let codes: Vec<&str> =
        checked["diagnostics"].as_array().unwrap().iter().map(|it| it["code"].as_str().unwrap()).collect();
    assert_eq!(codes, ["unknown-context", "unknown-context", "moved-context"]);
    let message = checked["diagnostics"][2]["message"].as_str().unwrap();
    assert!(message.contains("the acceptance criterion ac.3 was added: There is a limit."), "{message}");
    sandbox.write("contextpack.yml", "version: 1\nwarnings: {unknown-context: allow, moved-context: deny}\n");
    let checked = sandbox.json(3, &["check", "--commits", "main..HEAD", "--format", "json"]);
    assert_eq!(checked["diagnostics"].as_array().unwrap().len(), 1);
    let page = sandbox.expect(4, &["diff", "--commits", "main..HEAD", "--format", "markdown"]);
    assert!(page.starts_with("### What the commits were written from\n"), "{page}");
    let page = sandbox.expect(4, &["diff", "--since", PACK_BEFORE, "--format", "markdown"]);
    assert!(
        page.starts_with("### What changed since packs were read\n") && page.contains("(coding)</code>: stale\n"),
        "{page}"
    );
    assert_eq!(page.lines().filter(|line| line.starts_with("### ")).count(), 1, "{page}");
    let annotated = sandbox.expect(4, &["diff", "--since", PACK_BEFORE, "--format", "github"]);
    assert!(annotated.contains("::the pack of feat:cache (coding) is stale now: "), "{annotated}");
    let annotated = sandbox.expect(4, &["diff", "--commits", "main..HEAD", "--format", "github"]);
    assert!(annotated.contains("::warning file=work_items/cache.md,title=moved-context::commit "), "{annotated}");
}

#[test]
fn what_the_commits_changed_themselves_is_told_apart() {
    let sandbox = built();
    let trailer = sandbox.expect(0, &["render", PACK, "--trailer"]);
    sandbox.git(&["checkout", "-q", "-b", "work"]);
    sandbox.write("work_items/cache.md", CACHE.replace("status: open", "status: done"));
    sandbox.write("src/other.rs", "fn f() {}\n");
    sandbox.git(&["add", "work_items", "src"]);
    sandbox.git(&["commit", "-q", "-m", &format!("Do it\n\n{trailer}")]);
    let own = "the commits that name it changed `work_items/cache.md` themselves";
    let said = sandbox.expect(4, &["diff", "--commits", "main..HEAD"]);
    assert!(said.contains(own) && !said.contains("other.rs"), "{said}");
    let checked = sandbox.run(&["check", "--commits", "main..HEAD"]);
    assert!(checked.stderr.contains("[moved-context]") && checked.stderr.contains(own), "{checked:?}");
    // What others changed is not theirs.
    sandbox.write("work_items/cache.md", CACHE);
    sandbox.write("docs/adr/0001-memory.md", ADR.replace("one minute", "ten minutes"));
    sandbox.git(&["commit", "-q", "-am", "Other"]);
    let said = sandbox.expect(4, &["diff", "--commits", "main..HEAD"]);
    assert!(!said.contains("themselves"), "{said}");
}

#[test]
fn a_root_with_another_id_is_followed_and_one_that_is_gone_is_told() {
    let sandbox = built();
    let hash = hash(&sandbox);
    sandbox.write("work_items/cache.md", CACHE.replace("id: feat:cache", "id: feat:memory"));
    let told = since(&sandbox, 4, &[&hash]);
    assert_eq!(told["status"], "stale");
    assert_eq!(told["reasons"][0], "`feat:cache` is `feat:memory` now");
    sandbox.git(&["checkout", "-q", "work_items"]);
    fs::rename(sandbox.path("work_items/cache.md"), sandbox.path("work_items/other.md")).unwrap();
    assert_eq!(since(&sandbox, 4, &[&hash])["status"], "stale", "its id names it wherever it is");
    fs::remove_file(sandbox.path("work_items/other.md")).unwrap();
    let told = since(&sandbox, 4, &[&hash]);
    assert_eq!((&told["status"], &told["now"]), (&"orphaned".into(), &Value::Null));
    assert!(told["reasons"][0].as_str().unwrap().starts_with("there is no item `feat:cache`"), "{told}");
}

#[test]
fn a_pack_has_its_own_limits_in_the_comparison() {
    let sandbox = built();
    let small = sandbox.path("small.json");
    let text = sandbox.expect(0, &["build", "feat:cache", "--max-chars", "6000", "--out", "-", "-q"]);
    fs::write(&small, text).unwrap();
    let told = since(&sandbox, 0, &["small.json"]);
    assert_eq!(told["status"], "fresh");
    assert_eq!(told["reasons"][0], "its limits are not the configured ones, and it is compared within its own");
    // A margin is part of the limits.
    sandbox.write(
        "contextpack.yml",
        "version: 1\nprofiles: {coding: {budget: {max_chars: 7000, margin: 15%, strategy: drop_low_priority}}}\n",
    );
    sandbox.expect(0, &["build", "-q"]);
    fs::copy(sandbox.path(PACK), sandbox.path("margin.json")).unwrap();
    assert_eq!(since(&sandbox, 0, &["margin.json"])["reasons"], Value::Array(Vec::new()));
    sandbox.write("contextpack.yml", "version: 1\n");
    assert_eq!(since(&sandbox, 0, &["margin.json"])["status"], "fresh");
}

#[test]
fn edited_packs_are_compared_and_damaged_and_later_ones_are_not() {
    let sandbox = built();
    let text = sandbox.read(PACK);
    let at = text.find("\"id\": \"adr.").unwrap();
    sandbox.write("torn.json", &text[..at]);
    let torn = since(&sandbox, 5, &["torn.json"]);
    assert_eq!(torn["status"], "invalid");
    assert!(torn["reasons"][0].as_str().unwrap().starts_with("it is damaged"), "{torn}");
    sandbox.write("edited.json", text.replace("a millisecond", "an hour"));
    // The hash that it states is not its own.
    let run = sandbox.run(&["diff", "--since", "edited.json"]);
    assert!(run.stdout.contains(&format!("which states {}", hash(&sandbox))), "{}", run.stdout);
    let edited = since(&sandbox, 4, &["edited.json"]);
    assert_eq!(edited["status"], "edited");
    let [_, review] = changes(&sandbox, &["edited.json"]);
    assert!(
        review.iter().any(|it| it == "the acceptance criterion ac.1 changed: A hit takes a millisecond."),
        "{review:?}"
    );
    sandbox.write("later.json", text.replace("context_pack/v1", "context_pack/v2"));
    let later = since(&sandbox, 5, &["later.json"]);
    assert_eq!(later["status"], "invalid");
    assert!(later["reasons"][0].as_str().unwrap().contains("`context_pack/v2`"), "{later}");
    for (name, other) in [("a.json", ""), ("b.json", "{}"), ("c.json", "[1]"), ("d.json", "\u{0}")] {
        sandbox.write(name, other);
        let told = since(&sandbox, 5, &[name]);
        assert_eq!((&told["status"], &told["hash"]), (&"invalid".into(), &Value::Null), "{name}");
    }
    let piped = sandbox.run_with(&["diff", "--since", "-", "--format", "json"], &text);
    assert_eq!(piped.code, 0, "{}", piped.stderr);
    // A version that somebody edited is not preferred to the one that git has.
    sandbox.write(PACK, text.replace("a millisecond", "an hour"));
    assert_eq!(since(&sandbox, 0, &[&hash(&sandbox)])["commit"].as_str().map(str::len), Some(40));
}

#[test]
fn secrets_of_older_packs_are_redacted_by_the_rules_of_today() {
    let sandbox = built();
    let secret = format!("ghp_{}", "a1B2c3D4e".repeat(4));
    let text = sandbox.read(PACK).replace("Results are cached", &format!("Results of {secret} are cached"));
    sandbox.write(PACK, text.replace("\"title\": \"Cache\"", &format!("\"title\": \"Cache {secret}\"")));
    sandbox.commit();
    let hash = hash(&sandbox);
    sandbox.git(&["commit", "-q", "--allow-empty", "-m", &format!("About {secret}\n\nContext-Pack: {hash}")]);
    for format in ["text", "json", "markdown", "github"] {
        let run = sandbox.run(&["diff", "--since", PACK, "--commits", "HEAD~1..HEAD", "--format", format, "-v"]);
        assert_eq!(run.code, 4, "{}", run.stderr);
        assert!(!run.stdout.contains("ghp_a1") && !run.stderr.contains("ghp_a1"), "{format}: {}", run.stdout);
        assert!(run.stdout.contains("REDACTED"), "{format}: {}", run.stdout);
    }
    let checked = sandbox.run(&["check", "--commits", "HEAD~1..HEAD"]);
    assert!(!checked.stderr.contains("ghp_a1"), "{}", checked.stderr);
}

#[test]
fn a_shallow_clone_says_what_it_lacks() {
    let sandbox = built();
    let old = hash(&sandbox);
    sandbox.write("work_items/cache.md", CACHE.replace("cached.", "cached in memory."));
    sandbox.expect(0, &["build", "-q"]);
    sandbox.commit();
    let clone = sandbox.beside("clone");
    let url = format!("file://{}", sandbox.root().display());
    sandbox.git(&["clone", "-q", "--depth", "1", &url, clone.to_str().unwrap()]);
    let folder = clone.to_str().unwrap();
    let run = sandbox.run(&["-C", folder, "diff", "--since", &old]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("`git fetch --unshallow`"), "{}", run.stderr);
    sandbox.git(&["-C", folder, "fetch", "-q", "--unshallow"]);
    assert_eq!(since(&sandbox, 4, &[&old, "-C", folder])["status"], "stale");
}

#[cfg(unix)]
#[test]
fn the_hook_of_the_documentation_adds_the_trailer_to_each_commit() {
    use std::os::unix::fs::PermissionsExt as _;
    let sandbox = built();
    let hook = ".git/hooks/prepare-commit-msg";
    let (_, script) = include_str!("../../docs/review.md").split_once("```sh\n#!/bin/sh\n").unwrap();
    sandbox.write(hook, format!("#!/bin/sh\n{}", script.split("```").next().unwrap()));
    fs::set_permissions(sandbox.path(hook), fs::Permissions::from_mode(0o755)).unwrap();
    let trailer = sandbox.expect(0, &["render", PACK, "--trailer"]);
    let commit = |variable: &str| {
        let script = "git -c user.name=A -c user.email=a@example.com commit -q --allow-empty -m Work";
        let mut command = std::process::Command::new("sh");
        command.args(["-c", script]).current_dir(sandbox.root()).env("CONTEXTPACK_TRAILER", variable);
        assert!(command.status().unwrap().success());
        sandbox.git(&["log", "-1", "--format=%B"])
    };
    assert_eq!(commit(trailer.trim()).trim(), format!("Work\n\n{}", trailer.trim()));
    let two = format!("{}Context-Pack: sha256:{}", trailer, "0a".repeat(32));
    assert_eq!(commit(&two).matches("Context-Pack: ").count(), 2);
    assert_eq!(commit("").trim(), "Work");
    assert_eq!(commit("$(touch broken); `touch broken`").trim(), "Work");
    assert!(!sandbox.has("broken"));
}

#[test]
fn a_recorded_pack_is_named_by_the_hash_that_render_says() {
    let sandbox = built();
    let run = sandbox.run(&["render", "feat:cache", "--max-chars", "5000", "--record"]);
    let hash = run.stderr.trim().strip_prefix("recorded ").unwrap().split(' ').next().unwrap().to_owned();
    assert!(run.stderr.ends_with("in `.contextpack/delivered`\n"), "{run:?}");
    assert!(sandbox.expect(0, &["diff", "--since", &hash]).contains("fresh"));
    assert_eq!(sandbox.run(&["render", "feat:cache", "--record", "-q"]).stderr, "");
    let folder = sandbox.path(".contextpack/delivered");
    let count = || std::fs::read_dir(&folder).unwrap().count();
    // What is refused was not delivered.
    let pack = sandbox.read(&format!(".contextpack/delivered/{}.json", hash.strip_prefix("sha256:").unwrap()));
    sandbox.write("odd.json", pack.replace("markdown/", "markdown/9"));
    let before = count();
    sandbox.expect(5, &["render", "odd.json", "--record"]);
    assert_eq!(count(), before);
}

#[test]
fn the_usage_of_a_command_shows_what_takes_the_place_of_its_argument() {
    let sandbox = built();
    for (command, option) in
        [("diff", "--commits <REV..REV>"), ("render", "--agent <AGENT>"), ("explain", "--agent <AGENT>")]
    {
        let said = sandbox.expect(0, &[command, "--help"]);
        let usage = said.split("Usage:").nth(1).unwrap().split("\n\n").next().unwrap();
        assert!(usage.contains(option), "{command}: {usage}");
    }
}
