//! Who is believed: comments, relations and answers by people who may not write to the repo.

use crate::issues::{issue, path, sandbox};
use crate::sandbox::Sandbox;

#[test]
fn comments_by_anyone_are_taken_where_the_configuration_says_so() {
    let sandbox = sandbox();
    let mut value: serde_json::Value = serde_json::from_str(&sandbox.read(&path("o/r", 5))).unwrap();
    value["comments"]["items"] = (1..=3)
        .map(|id| {
            serde_json::json!({"author": {"association": "NONE", "bot": false, "login": "eve"}, "body": format!("Words {id}"),
                "created_at": "2026-03-01T00:00:00Z", "edited": false, "id": id, "minimized": false,
                "trust": "untrusted", "url": format!("https://github.com/o/r/issues/5#issuecomment-{id}")})
        })
        .collect();
    sandbox.write(&path("o/r", 5), value.to_string());
    let pack = |config: &str| -> serde_json::Value {
        sandbox.write("contextpack.yml", format!("github: {{repo: o/r, {config}}}\n"));
        serde_json::from_str(&sandbox.expect(0, &["build", "-q", "5", "--out", "-"])).unwrap()
    };
    let named = |list: &serde_json::Value, key: &str| -> Vec<String> {
        let comments =
            list.as_array().unwrap().iter().filter(|entry| entry["id"].as_str().unwrap().starts_with("comment."));
        comments
            .map(|entry| format!("{} {}", entry["id"].as_str().unwrap(), entry[key].as_str().unwrap_or_default()))
            .collect()
    };
    let trusting = pack("min_trust: untrusted, comments: 2");
    let shown = |id: u64| format!("comment.{id} eve (NONE), 2026-03-01, not a collaborator here:\n\nWords {id}");
    assert_eq!(named(&trusting["sections"], "content"), [shown(2), shown(3)]);
    assert_eq!(named(&trusting["omissions"], "reason"), ["comment.1 limit"]);
    assert_eq!(trusting["sections"][4]["metadata"]["trust"], "untrusted");
    let default = pack("comments: 2");
    assert_eq!(named(&default["sections"], "content"), [""; 0]);
    assert_eq!(named(&default["omissions"], "reason").len(), 3);
}

/// Outsiders are heard where that costs nothing: the newest first, shown oldest first, and never in place of anything else.
#[test]
fn comments_by_outsiders_fill_what_a_whole_pack_leaves_free() {
    let sandbox = sandbox();
    let mut value: serde_json::Value = serde_json::from_str(&sandbox.read(&path("o/r", 5))).unwrap();
    value["body"] = "Text.\n\nRelated: #6".into();
    let body = |id: u64| if id == 4 { "x ".repeat(2000) } else { format!("Words {id}") };
    value["comments"]["items"] = (1..=9)
        .map(|id| {
            let (login, trust) = if id == 5 { ("ada", "trusted") } else { ("eve", "untrusted") };
            serde_json::json!({"author": {"association": "NONE", "bot": id == 8, "login": login}, "body": body(id),
                "created_at": "2026-03-01T00:00:00Z", "edited": false, "id": id, "minimized": false,
                "trust": trust, "url": format!("https://github.com/o/r/issues/5#issuecomment-{id}")})
        })
        .collect();
    sandbox.write(&path("o/r", 5), value.to_string());
    let comments = |profile: &str, limit: u64| -> (Vec<u64>, Vec<String>, bool) {
        let args = ["build", "-q", "5", "--out", "-", "-p", profile, "--max-chars", &limit.to_string()];
        let run = sandbox.run(&args);
        if run.code != 0 {
            return (vec![], vec![], false);
        }
        let verified = sandbox.run_with(&["verify", "-"], &run.stdout);
        assert_eq!(verified.code, 0, "{limit}: {}", verified.stderr);
        let pack: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
        let id = |one: &serde_json::Value| one["id"].as_str().unwrap().strip_prefix("comment.").map(str::to_owned);
        let shown = pack["sections"].as_array().unwrap().iter().filter_map(id).map(|id| id.parse().unwrap()).collect();
        let omitted = pack["omissions"].as_array().unwrap().iter();
        let why = omitted.filter_map(|one| Some(format!("{} {}", id(one)?, one["reason"].as_str().unwrap()))).collect();
        let sections = pack["sections"].as_array().unwrap();
        let has_related = sections.iter().any(|one| one["id"] == "related.o/r#6");
        let whole = has_related && sections.iter().all(|one| one["metadata"]["detail"] == "full");
        (shown, why, whole)
    };
    assert_eq!(comments("coding", 32_000).0, [5]);
    assert_eq!(comments("review", 32_000), (vec![1, 2, 3, 4, 5, 6, 7, 9], vec!["8 low_trust".to_owned()], true));
    let mut before = Vec::new();
    let mut seen = std::collections::BTreeSet::new();
    for limit in (2000..9000).step_by(300) {
        let (shown, why, whole) = comments("review", limit);
        let fillers: Vec<u64> = shown.iter().copied().filter(|id| *id != 5).collect();
        assert!(whole || fillers.is_empty(), "{limit}");
        assert!(before.iter().all(|id| fillers.contains(id)), "{limit}: {before:?} {fillers:?}");
        // The newest without a gap, and each other one is an omission.
        let newest: Vec<u64> = [1, 2, 3, 4, 6, 7, 9].into_iter().rev().take(fillers.len()).rev().collect();
        assert_eq!(fillers, newest, "{limit}");
        assert!(!whole || shown.len() + why.len() == 9, "{limit}: {shown:?} {why:?}");
        seen.insert(fillers.len());
        before = fillers;
    }
    assert!(seen.contains(&0) && seen.contains(&3) && seen.contains(&7), "{seen:?}");
    sandbox.write(
        "contextpack.yml",
        "github: {repo: o/r}\nprofiles: {review: {fill_with: none}, coding: {fill_with: untrusted}}\n",
    );
    assert_eq!((comments("review", 32_000).0, comments("coding", 32_000).0.len()), (vec![5], 8));
}

/// The author of an issue answers questions about it, and takes no place from the maintainers.
#[test]
fn the_author_of_an_issue_is_heard_whatever_the_least_trust() {
    let sandbox = sandbox();
    let mut value: serde_json::Value = serde_json::from_str(&sandbox.read(&path("o/r", 5))).unwrap();
    value["author"]["login"] = "Mallory".into();
    value["trust"] = "untrusted".into();
    value["comments"]["items"] = ["ada", "ada", "mallory", "eve", "mallory", "mallory"]
        .iter()
        .zip(1..)
        .map(|(login, id)| {
            let (trust, role) = if *login == "ada" { ("trusted", "OWNER") } else { ("untrusted", "NONE") };
            serde_json::json!({"author": {"association": role, "bot": false, "login": login}, "body": "Words",
                "created_at": "2026-03-01T00:00:00Z", "edited": false, "id": id, "minimized": false,
                "trust": trust, "url": format!("https://github.com/o/r/issues/5#issuecomment-{id}")})
        })
        .collect();
    sandbox.write(&path("o/r", 5), value.to_string());
    sandbox.write("contextpack.yml", "github: {repo: o/r, comments: 2}\n");
    let pack: serde_json::Value =
        serde_json::from_str(&sandbox.expect(0, &["build", "-q", "5", "--out", "-"])).unwrap();
    let comments = pack["sections"].as_array().unwrap().iter().filter(|one| one["kind"] == "comment");
    let shown: Vec<String> =
        comments.map(|one| format!("{} {}", one["metadata"]["trust"], one["content"].as_str().unwrap())).collect();
    let own = "\"untrusted\" mallory (NONE, author of the issue), 2026-03-01, not a collaborator here:\n\nWords";
    let ours = "\"trusted\" ada (OWNER), 2026-03-01:\n\nWords";
    assert_eq!(shown, [ours, ours, own, own]);
}

/// A pack of a discussion with hundreds of comments says how many are missing, and still lists the other omissions.
#[test]
fn many_comments_that_are_left_out_are_one_omission_a_reason() {
    let sandbox = sandbox();
    let mut value: serde_json::Value = serde_json::from_str(&sandbox.read(&path("o/r", 5))).unwrap();
    value["body"] = "See [it](docs/gone.md).".into();
    value["comments"]["items"] = (100..400)
        .map(|id| {
            let trust = if id % 10 == 0 { "untrusted" } else { "trusted" };
            serde_json::json!({"author": {"association": "MEMBER", "bot": id == 111, "login": "bob"}, "body": "12345",
                "created_at": format!("2026-0{}-01T00:00:00Z", id / 100), "edited": false, "id": id, "minimized": false,
                "trust": trust, "url": format!("https://github.com/o/r/issues/5#issuecomment-{id}")})
        })
        .collect();
    sandbox.write(&path("o/r", 5), value.to_string());
    let text = sandbox.expect(0, &["build", "-q", "5", "--out", "-"]);
    let verified = sandbox.run_with(&["verify", "-"], &text);
    assert_eq!(verified.code, 0, "{}{}", verified.stdout, verified.stderr);
    let pack: serde_json::Value = serde_json::from_str(&text).unwrap();
    let omitted: Vec<String> = pack["omissions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| format!("{} {} {} {}", one["id"], one["title"], one["reason"], one["chars"]))
        .collect();
    let expected = [
        r#""comment.100-390" "31 comments, 2026-01-01 to 2026-03-01" "low_trust" 155"#,
        r#""comment.101-394" "264 comments, 2026-01-01 to 2026-03-01" "limit" 1320"#,
        r#""file.docs/gone.md" "docs/gone.md" "not_in_repo" null"#,
    ];
    assert_eq!(omitted, expected);
    let left_out = sandbox.expect(0, &["render", "5"]);
    assert!(left_out.contains("Left out: 3\n- \"31 comments, 2026-01-01 to 2026-03-01\" (low_trust"), "{left_out}");
    assert!(left_out.contains("- \"264 comments, 2026-01-01 to 2026-03-01\" (limit"), "{left_out}");
}

/// An issue by a stranger.
pub(crate) fn strange(number: u64, body: &str) -> String {
    let text = issue("o/r", number, &format!("Stranger's {number}"), body);
    text.replace("\"trust\": \"trusted\"", "\"trust\": \"untrusted\"").replace("MEMBER", "NONE")
}

#[test]
fn what_strangers_state_of_an_issue_holds_nothing_up() {
    let sandbox = sandbox();
    let counted = |sandbox: &Sandbox| {
        sandbox.expect(0, &["build", "-q", "5", "--outputs", "../outputs"]);
        let file = sandbox.beside("outputs");
        let all = crate::actions::outputs(&std::fs::read_to_string(&file).unwrap());
        std::fs::remove_file(file).unwrap();
        let list = sandbox.json(0, &["list", "--format", "json"]);
        let root = list["roots"].as_array().unwrap().iter().find(|root| root["id"] == "o/r#5").unwrap().clone();
        let pack: serde_json::Value = serde_json::from_str(&sandbox.read("packs/issue-5.coding.json")).unwrap();
        (all["open-blockers"].clone(), root["edges"].clone(), pack)
    };
    let (open, edges, before) = counted(&sandbox);
    assert_eq!((&*open, edges), ("0", serde_json::json!({})));
    for number in 100..160 {
        sandbox.write(
            &path("o/r", number),
            strange(number, "Blocks #5\n\n## Child tasks\n\n- [ ] #5\n\n## Related\n\n- #5"),
        );
    }
    // Many parents and many circles, were they taken for true.
    sandbox.write("contextpack.yml", "github: {repo: o/r}\nwarnings: {multiple-parents: deny, cycle: deny}\n");
    let (open, edges, after) = counted(&sandbox);
    assert_eq!((&*open, edges), ("0", serde_json::json!({})));
    assert_eq!((&after["warnings"], &after["omissions"]), (&before["warnings"], &before["omissions"]));
    let section = |pack: &serde_json::Value, id: &str| {
        pack["sections"].as_array().unwrap().iter().find(|section| section["id"] == id).unwrap().clone()
    };
    assert_eq!(section(&after, "root.json"), section(&before, "root.json"));
    assert_eq!(after["sections"].as_array().unwrap().len(), before["sections"].as_array().unwrap().len());
    let list = section(&after, "root.edges");
    let lines: Vec<&str> = list["content"].as_str().unwrap().lines().collect();
    assert_eq!((lines.len(), lines[0], lines[11]), (12, "No relations.", "- untrusted: 170 more"));
    assert_eq!((&list["metadata"]["trust"], &list["metadata"]["untrusted_edges"]), (&"trusted".into(), &180.into()));

    // A maintainer's word, or GitHub's own list, makes it an edge.
    sandbox.write(&path("o/r", 5), issue("o/r", 5, "Issue 5", "Blocked by #101"));
    let (open, edges, _) = counted(&sandbox);
    assert_eq!((&*open, edges), ("1", serde_json::json!({"blocked_by": 1})));
    // The stranger's own pack has all of it.
    let own: serde_json::Value =
        serde_json::from_str(&sandbox.expect(0, &["build", "-q", "102", "--out", "-"])).unwrap();
    assert!(section(&own, "root.edges")["content"].as_str().unwrap().starts_with("- child o/r#5 \"Issue 5\": open"));
    assert_eq!(section(&own, "child.o/r#5")["provenance"], "child");
    // Why a pack is stale is said.
    sandbox.expect(0, &["build", "-q"]);
    sandbox.write(&path("o/r", 160), strange(160, "Blocks #5"));
    let out = sandbox.run(&["check", "5"]).stdout;
    assert!(out.contains("issue-5.coding.json: what untrusted texts state of it changed"), "{out}");
    let why = sandbox.expect(0, &["explain", "5", "--why-not", "103"]);
    assert!(why.contains("only authors who are not trusted state that it is `parent`"), "{why}");
}

#[test]
fn a_role_in_another_owners_repo_is_none_here() {
    let sandbox = sandbox();
    let claims = |sandbox: &Sandbox, root: &str| -> u64 {
        let text = sandbox.expect(0, &["build", "-q", root, "--out", "-"]);
        let pack: serde_json::Value = serde_json::from_str(&text).unwrap();
        let list = pack["sections"].as_array().unwrap().iter().find(|section| section["id"] == "root.edges").unwrap();
        list["metadata"]["untrusted_edges"].as_u64().unwrap_or_default()
    };
    let body = "Blocks o/r#5 and feat:a.\n\nBlocks #9";
    sandbox.write(&path("p/q", 5), issue("p/q", 5, "Theirs", body));
    sandbox.write(&path("p/q", 9), issue("p/q", 9, "Theirs too", "Text."));
    sandbox.write(&path("O/tools", 1), issue("O/tools", 1, "Ours", "Blocks o/r#6"));
    let counts = ["5", "feat:a", "6", "p/q#9"].map(|root| claims(&sandbox, root));
    assert_eq!(counts, [1, 1, 0, 0]);
}

#[test]
fn a_strangers_answers_are_no_fields_of_the_work_item_that_claims_the_issue() {
    let sandbox = sandbox();
    sandbox.write("contextpack.yml", "github: {repo: o/r}\nroots: {exclude: {priority: [low]}}\n");
    sandbox.write(&path("o/r", 7), strange(7, "### Priority\n\nlow\n\n### Area\n\nADR-1"));
    let pack = sandbox.expect(0, &["build", "-q", "feat:a", "--out", "-"]);
    assert!(pack.contains("### Priority") && !pack.contains("\\\"priority\\\""), "{pack}");
    let list = sandbox.json(0, &["list", "--format", "json"]);
    assert!(list["roots"].as_array().unwrap().iter().any(|root| root["id"] == "feat:a"), "{list}");
}
