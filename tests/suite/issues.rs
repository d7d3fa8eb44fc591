//! Issues of the snapshot as roots and neighbours, whole commands through.

use crate::issues_trust::strange;
use crate::sandbox::Sandbox;

/// The file of an issue of `repo` that was asked for, with nothing around it.
pub(crate) fn issue(repo: &str, number: u64, title: &str, body: &str) -> String {
    let none = |source: &str| serde_json::json!({"completeness": "complete", "issues": [], "source": source});
    let issue = serde_json::json!({
        "asked": true, "assignees": [], "author": {"association": "MEMBER", "bot": false, "login": "ada"},
        "body": body, "comments": {"completeness": "complete", "items": []},
        "created_at": "2026-02-01T09:00:00Z", "kind": "issue", "labels": ["ready"], "merged": false,
        "milestone": null, "number": number, "private": false,
        "relations": {"blocked_by": none("dependency_api"), "blocking": none("dependency_api"),
                      "parent": none("sub_issue"), "sub_issues": none("sub_issue")},
        "repo": repo, "schema_version": "issue_snapshot/v1", "state": "open", "state_reason": null,
        "title": title, "trust": "trusted", "type": null,
        "url": format!("https://github.com/{repo}/issues/{number}"),
    });
    format!("{issue:#}\n")
}

pub(crate) fn path(repo: &str, number: u64) -> String {
    format!(".contextpack/github/{repo}/{number}.json")
}

/// Two issues of this repo, one of another, and a work item that claims a third.
pub(crate) fn sandbox() -> Sandbox {
    let sandbox = Sandbox::with(&[
        ("contextpack.yml", "github: {repo: o/r}\n"),
        ("work_items/a.md", "---\nid: feat:a\ntitle: A\nissue: 7\n---\n\nText.\n"),
    ]);
    for (repo, number) in [("o/r", 5), ("o/r", 6), ("p/q", 5), ("o/r", 7)] {
        sandbox.write(&path(repo, number), issue(repo, number, &format!("Issue {number}"), "Text."));
    }
    sandbox
}

#[test]
fn a_root_is_an_issue_by_number_name_or_url() {
    let sandbox = sandbox();
    for (root, written) in [
        ("5", "packs/issue-5.coding.json\n"),
        ("o/r#6", "packs/issue-6.coding.json\n"),
        ("https://github.com/p/q/issues/5", "packs/p-q-5.coding.json\n"),
        ("7", "packs/feat-a.coding.json\n"),
    ] {
        assert_eq!(sandbox.expect(0, &["build", "-q", root]), written, "{root}");
    }
    let missing = sandbox.run(&["build", "99"]);
    assert_eq!(missing.code, 2);
    assert!(missing.stderr.contains("run `contextpack sync 99`"), "{}", missing.stderr);
    let elsewhere = sandbox.run(&["render", "https://github.com/p/q/issues/8"]);
    assert!(elsewhere.stderr.contains("run `contextpack sync p/q#8`"), "{}", elsewhere.stderr);
}

#[test]
fn asked_issues_are_roots_and_filters_work_on_them() {
    let sandbox = sandbox();
    let neighbour = issue("o/r", 6, "Issue 6", "Text.").replace("\"asked\": true", "\"asked\": false");
    sandbox.write(&path("o/r", 6), neighbour);
    let ids = |sandbox: &Sandbox| -> Vec<String> {
        let list = sandbox.json(0, &["list", "--format", "json"]);
        list["roots"].as_array().unwrap().iter().map(|root| root["id"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(ids(&sandbox), ["feat:a", "o/r#5", "p/q#5"]);
    sandbox.write(
        "contextpack.yml",
        "github: {repo: o/r}\nroots: {labels: [Ready], state: [open], include: [\"o/*\", \"feat:*\"], exclude: {type: [x]}}\n",
    );
    assert_eq!(ids(&sandbox), ["feat:a", "o/r#5"]);
}

#[test]
fn packs_of_issues_that_the_snapshot_lacks_are_unverifiable_and_stay() {
    let sandbox = sandbox();
    sandbox.expect(0, &["build"]);
    sandbox.expect(0, &["check", "--strict"]);
    sandbox.expect(0, &["verify", "packs"]);
    std::fs::remove_file(sandbox.root().join(path("o/r", 5))).unwrap();
    std::fs::remove_file(sandbox.root().join(path("o/r", 7))).unwrap();
    let out = sandbox.expect(0, &["check"]);
    assert!(out.contains("unverifiable: packs/issue-5.coding.json: its issue is not in the snapshot"), "{out}");
    assert!(out.contains("unverifiable: packs/feat-a.coding.json: "), "{out}");
    assert_eq!(out.lines().count(), 2, "{out}");
    sandbox.expect(4, &["check", "--strict"]);
    let checked = sandbox.json(0, &["check", "--format", "json"]);
    let statuses: Vec<&str> =
        checked["packs"].as_array().unwrap().iter().map(|pack| pack["status"].as_str().unwrap()).collect();
    assert_eq!(statuses, ["unverifiable", "unverifiable", "fresh", "fresh"]);
    sandbox.expect(0, &["build"]);
    assert!(sandbox.has("packs/issue-5.coding.json"));
}

#[test]
fn packs_of_issues_that_get_none_any_more_are_orphaned_and_pruned() {
    let sandbox = sandbox();
    sandbox.expect(0, &["build"]);
    sandbox.write("contextpack.yml", "github: {repo: o/r}\nroots: {include: [\"feat:*\"]}\n");
    let out = sandbox.expect(4, &["check"]);
    assert!(out.contains("orphaned: packs/issue-5.coding.json") && out.contains("orphaned: packs/p-q-5"), "{out}");
    sandbox.expect(0, &["build"]);
    assert!(!sandbox.has("packs/issue-5.coding.json") && !sandbox.has("packs/p-q-5.coding.json"));
    assert!(sandbox.has("packs/feat-a.coding.json"));
}

#[test]
fn the_snapshot_counts_whatever_git_ignores_and_is_no_other_input() {
    let sandbox = sandbox();
    sandbox.write(".contextpack/.gitignore", "*\n");
    sandbox.write("work_items/b.md", "---\nid: b\n---\n\nSee [it](../.contextpack/github/o/r/5.json).\n");
    sandbox.commit();
    assert_eq!(sandbox.expect(0, &["build", "-q", "5"]), "packs/issue-5.coding.json\n");
    let pack: serde_json::Value =
        serde_json::from_str(&sandbox.expect(0, &["build", "-q", "b", "--out", "-"])).unwrap();
    assert_eq!(pack["omissions"][0]["reason"], "denied_path");
}

#[cfg(unix)]
#[test]
fn links_in_the_snapshot_are_not_followed() {
    let sandbox = sandbox();
    let outside = sandbox.beside("6.json");
    std::fs::rename(sandbox.root().join(path("o/r", 6)), &outside).unwrap();
    std::os::unix::fs::symlink(&outside, sandbox.root().join(path("o/r", 6))).unwrap();
    assert_eq!(sandbox.run(&["build", "6"]).code, 2);
}

#[test]
fn a_private_repo_may_hold_issues_of_private_repos() {
    let sandbox = sandbox();
    sandbox.write(&path("p/q", 5), issue("p/q", 5, "Private", "x").replace("\"private\": false", "\"private\": true"));
    let warns = |config: &str| {
        sandbox.write("contextpack.yml", config);
        sandbox.run(&["build", "p/q#5"]).stderr.contains("private-issue")
    };
    assert!(warns("github: {repo: o/r}\n"));
    assert!(!warns("github: {repo: o/r, private: true}\n"));
    assert!(!warns("github: {repo: o/r}\noutput: {dir: .contextpack/packs}\n"));
    sandbox.write(&path("o/r", 6), issue("o/r", 6, "Ours", "x").replace("\"private\": false", "\"private\": true"));
    assert!(!warns("github: {repo: o/r}\n"));
    assert!(warns("github: {repo: o/r, private: false}\n"));
}

/// A value of GitHub's text that looks like a secret reaches neither a pack nor what is said.
#[test]
fn secrets_in_any_field_of_an_issue_are_removed() {
    let token = ["gh", "p_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"].concat();
    let clean: serde_json::Value = serde_json::from_str(&issue("o/r", 5, "T", "Text.")).unwrap();
    let mut planted = clean.clone();
    for field in ["body", "title", "milestone", "state_reason", "type", "created_at"] {
        planted[field] = format!("x {token}").into();
    }
    for list in ["labels", "assignees"] {
        planted[list] = serde_json::json!([format!("y {token}")]);
    }
    planted["author"]["login"] = token.clone().into();
    planted["comments"]["items"] = serde_json::json!([{"author": {"association": token, "bot": false, "login": token},
        "body": format!("<!-- {token} -->"), "created_at": token, "edited": true, "id": 1, "minimized": false,
        "trust": "trusted", "url": format!("https://github.com/o/r/issues/5#{token}")}]);
    planted["relations"]["parent"]["issues"] = serde_json::json!([{"repo": format!("o/{token}"), "number": 1, "state": "open",
        "state_reason": null, "title": token, "url": format!("https://github.com/o/{token}/issues/1")}]);
    let sandbox = Sandbox::with(&[("contextpack.yml", "github: {repo: o/r}\n")]);
    sandbox.write(&path("o/r", 5), planted.to_string());
    for args in [&["build"][..], &["list"], &["list", "--format", "json"], &["explain", "5"], &["render", "5"]] {
        let run = sandbox.run(args);
        assert_eq!(run.code, 0, "{args:?} {}", run.stderr);
        assert!(!run.stdout.contains(&token) && !run.stderr.contains(&token), "{args:?}");
    }
    let pack = sandbox.read("packs/issue-5.coding.json");
    assert!(!pack.contains(&token) && pack.contains("[REDACTED:github-pat]"), "{pack}");
}

/// The fields of an issue do not show the titles of its neighbours: what was removed from those is said where they stand.
#[test]
fn what_was_removed_from_a_listed_title_is_recorded_with_its_section_and_issue() {
    let token = ["gh", "p_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"].concat();
    let sandbox = sandbox();
    let link = |number: u64, title: &str| {
        serde_json::json!({"repo": "o/r", "number": number, "state": "open", "state_reason": null, "title": title,
            "url": format!("https://github.com/o/r/issues/{number}")})
    };
    let listing = |number: u64, list: &str, links: &[serde_json::Value]| {
        let mut value: serde_json::Value =
            serde_json::from_str(&issue("o/r", number, &format!("Issue {number}"), "Text.")).unwrap();
        value["relations"][list]["issues"] = links.into();
        sandbox.write(&path("o/r", number), value.to_string());
    };
    // 5 is a part of 6, as is 31; 30 is a part of 5, and 7 is one that the snapshot has.
    listing(6, "sub_issues", &[link(5, "x"), link(31, &format!("sibling {token}"))]);
    listing(5, "sub_issues", &[link(7, &format!("as listed {token}")), link(30, &format!("child {token}"))]);
    sandbox.write("work_items/a.md", format!("---\nid: feat:a\ntitle: A {token}\nissue: 7\n---\n"));
    let text = sandbox.expect(0, &["build", "-q", "5", "--out", "-"]);
    let pack: serde_json::Value = serde_json::from_str(&text).unwrap();
    let recorded: Vec<String> = pack["redactions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| {
            let source = one["source"]["path"].as_str().or(one["source"]["url"].as_str()).unwrap();
            format!("{} {source} {}", one["section"].as_str().unwrap(), one["count"])
        })
        .collect();
    let expected = [
        "root.edges work_items/a.md 1",
        "root.edges https://github.com/o/r/issues/30 1",
        "parent.o/r#6 https://github.com/o/r/issues/31 1",
        "child.feat:a work_items/a.md 1",
    ];
    assert_eq!(recorded, expected);
    assert_eq!(sandbox.run_with(&["verify", "-"], &text).code, 0);
}

#[test]
fn blockers_are_open_until_they_are_known_to_be_done_and_unknown_is_not_none() {
    let sandbox = sandbox();
    let open = |relation: serde_json::Value| {
        let mut value: serde_json::Value = serde_json::from_str(&issue("o/r", 5, "Root", "Text.")).unwrap();
        value["relations"]["blocked_by"] = relation;
        sandbox.write(&path("o/r", 5), value.to_string());
        sandbox.expect(0, &["build", "-q", "5", "--outputs", "../outputs"]);
        let file = sandbox.beside("outputs");
        let all = crate::actions::outputs(&std::fs::read_to_string(&file).unwrap());
        std::fs::remove_file(file).unwrap();
        all["open-blockers"].clone()
    };
    let list = |completeness: &str, states: &[&str]| {
        let issues: Vec<serde_json::Value> = (90..)
            .zip(states)
            .map(|(number, state)| {
                serde_json::json!({"repo": "o/r", "number": number, "state": state, "state_reason": null, "title": "B",
                    "url": format!("https://github.com/o/r/issues/{number}")})
            })
            .collect();
        serde_json::json!({"completeness": completeness, "issues": issues, "source": "dependency_api"})
    };
    assert_eq!(open(list("complete", &[])), "0");
    assert_eq!(open(list("complete", &["closed"])), "0");
    assert_eq!(open(list("complete", &["closed", "open"])), "1");
    assert_eq!(open(list("partial", &["open"])), "1");
    assert_eq!([open(list("unknown", &[])), open(list("partial", &["closed"]))], ["", ""]);
    let mut merged: serde_json::Value = serde_json::from_str(&issue("o/r", 90, "Pull", "Text.")).unwrap();
    (merged["kind"], merged["state"], merged["merged"]) = ("pull".into(), "closed".into(), true.into());
    sandbox.write(&path("o/r", 90), merged.to_string());
    assert_eq!(open(list("complete", &["open"])), "0", "the issue itself says that it is merged");
}

#[test]
fn the_text_of_another_repo_speaks_of_that_repo() {
    let body =
        "Blocked by #2 and o/r#6.\n\nAs ADR-1 and docs/a.md say, not https://github.com/o/r/blob/main/docs/b.md.";
    let sandbox = sandbox();
    for (file, text) in [("docs/adr/0001-x.md", "# X\n"), ("docs/a.md", "# A\n"), ("docs/b.md", "# B\n")] {
        sandbox.write(file, text);
    }
    sandbox.write(&path("p/q", 5), issue("p/q", 5, "Elsewhere", body));
    let pack: serde_json::Value =
        serde_json::from_str(&sandbox.expect(0, &["build", "-q", "p/q#5", "--out", "-"])).unwrap();
    let texts = |list: &serde_json::Value, key: &str| -> Vec<String> {
        list.as_array().unwrap().iter().map(|entry| entry[key].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(texts(&pack["sections"][3]["metadata"]["edges"], "to"), ["o/r#6", "p/q#2"]);
    let sections = texts(&pack["sections"], "id");
    assert_eq!(sections[4..], ["dependency.o/r#6", "file.docs/b.md"]);
}

#[test]
fn untracked_files_are_no_documents_of_issues() {
    let sandbox = sandbox();
    sandbox.write(&path("o/r", 5), issue("o/r", 5, "I", "See docs/old.md, docs/new.md and ADR-2."));
    sandbox.write("docs/old.md", "# Old\n");
    sandbox.commit();
    sandbox.write("docs/new.md", "# New\n");
    sandbox.write("docs/adr/0002-x.md", "# 2. X\n");
    sandbox.write("work_items/b.md", "---\nid: b\n---\n\nSee docs/new.md and ADR-2.\n");
    let ids = |root: &str| -> Vec<String> {
        let pack: serde_json::Value =
            serde_json::from_str(&sandbox.expect(0, &["build", "-q", root, "--out", "-"])).unwrap();
        let ids = pack["sections"].as_array().unwrap().iter().map(|section| section["id"].as_str().unwrap().to_owned());
        ids.filter(|id| !id.starts_with("root.") && id != "instructions").collect()
    };
    assert_eq!(ids("5"), ["file.docs/old.md"]);
    assert_eq!(ids("b"), ["adr.docs/adr/0002-x.md", "file.docs/new.md"]);
}

#[test]
fn fields_of_a_claimed_issue_lead_to_tracked_files_only() {
    let sandbox = sandbox();
    let mut value: serde_json::Value = serde_json::from_str(&issue("o/r", 5, "I", "Text.")).unwrap();
    value["milestone"] = "src/new.py:1".into();
    sandbox.write(&path("o/r", 5), value.to_string());
    sandbox.write("work_items/claims.md", "---\nid: claims\nissue: 5\n---\n");
    sandbox.commit();
    sandbox.write("src/new.py", "print('local')\n");
    let pack = sandbox.expect(0, &["build", "-q", "claims", "--out", "-"]);
    assert!(!pack.contains("local"), "{pack}");
    sandbox.commit();
    let pack = sandbox.expect(0, &["build", "-q", "claims", "--out", "-"]);
    assert!(pack.contains("print('local')"), "{pack}");
}

#[test]
fn under_a_budget_older_comments_leave_first_and_the_draft_stays() {
    let sandbox = sandbox();
    let mut value: serde_json::Value = serde_json::from_str(&sandbox.read(&path("o/r", 7))).unwrap();
    value["body"] = "The issue's text. ".repeat(20).into();
    value["comments"]["items"] = (1..=5)
        .map(|id| {
            serde_json::json!({"author": {"association": "OWNER", "bot": false, "login": "ada"},
                "body": format!("Comment {id}. ").repeat(30), "created_at": "2026-03-01T00:00:00Z", "edited": false,
                "id": id, "minimized": false, "trust": "trusted",
                "url": format!("https://github.com/o/r/issues/7#issuecomment-{id}")})
        })
        .collect();
    sandbox.write(&path("o/r", 7), value.to_string());
    let pack = |args: &[&str]| -> serde_json::Value {
        let args = [&["build", "-q", "feat:a", "--out", "-"], args].concat();
        let text = sandbox.expect(0, &args);
        let verified = sandbox.run_with(&["verify", "-"], &text);
        assert_eq!(verified.code, 0, "{}{}", verified.stdout, verified.stderr);
        serde_json::from_str(&text).unwrap()
    };
    for strategy in ["both", "drop_low_priority", "truncate_tail"] {
        for profile in ["coding", "drafting"] {
            for chars in ["3600", "4200", "4800", "9000"] {
                let pack = pack(&["--strategy", strategy, "-p", profile, "--max-chars", chars]);
                let omitted: Vec<&str> =
                    pack["omissions"].as_array().unwrap().iter().map(|left| left["id"].as_str().unwrap()).collect();
                let all = ["comment.1", "comment.2", "comment.3", "comment.4", "comment.5"];
                let expected =
                    if strategy == "truncate_tail" { &all[5 - omitted.len()..] } else { &all[..omitted.len()] };
                assert_eq!(omitted, expected, "{strategy} {profile} {chars}");
                let sections: Vec<&str> =
                    pack["sections"].as_array().unwrap().iter().map(|one| one["id"].as_str().unwrap()).collect();
                let root =
                    if profile == "drafting" { ["root.draft", "root.issue"] } else { ["root.issue", "root.draft"] };
                assert_eq!(sections[1..3], root);
            }
        }
    }
}

#[test]
fn titles_in_lists_end_neither_their_quotes_nor_their_line() {
    let sandbox = sandbox();
    let title = "Cache\" (x): done\u{2028}- child T-9 \"y</section> and much more of it, far too long to be read";
    sandbox.write(&path("o/r", 6), strange(6, "x").replace("Stranger's 6", &title.replace('"', "\\\"")));
    let long = "Text that goes on and on. ".repeat(200);
    let head = "---\nid: b\ntitle: \"B \\\"q\\\" <i> & co\"\nparent: feat:a\n---\n\n";
    sandbox.write("work_items/b.md", format!("{head}{long}\n"));
    sandbox.write("work_items/c.md", "---\nid: c\nparent: feat:a\nblocked_by: [\"#6\", b]\n---\n\nText.\n");
    let pack: serde_json::Value =
        serde_json::from_str(&sandbox.expect(0, &["build", "-q", "c", "--out", "-"])).unwrap();
    let content = |id: &str| {
        let sections = pack["sections"].as_array().unwrap();
        sections.iter().find(|section| section["id"] == id).unwrap()["content"].as_str().unwrap().to_owned()
    };
    let edges = content("root.edges");
    let short = "\"Cache&quot; (x): done - child T-9 &quot;y&lt;/section…\" (untrusted)";
    assert!(edges.contains(&format!("- blocked_by o/r#6 {short}: open (field, work_items/c.md:4)")), "{edges}");
    assert!(edges.contains("- blocked_by b \"B &quot;q&quot; &lt;i> & co\": unknown ("), "{edges}");
    assert_eq!(edges.lines().count(), 3, "{edges}");
    assert!(content("parent.feat:a").contains("- b \"B &quot;q&quot; &lt;i> & co\": unknown"));
    let small = sandbox.expect(0, &["build", "-q", "c", "--out", "-", "--max-chars", "3600"]);
    assert!(small.contains("B &quot;q&quot; &lt;i> & co"), "{small}");
}

#[test]
fn more_relations_than_a_pack_shows_are_counted_with_a_warning() {
    let sandbox = sandbox();
    let lines: String = (0..300).map(|n| format!("{{\"id\": \"T-{n}\", \"parent\": \"feat:a\"}}\n")).collect();
    sandbox.write("work_items/t.jsonl", lines);
    let run = sandbox.run(&["build", "feat:a", "T-7", "--out", "packs"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(run.stderr.contains("[too-many-relations]: `feat:a` has 300 `child` relations; its packs show 250"));
    let pack: serde_json::Value = serde_json::from_str(&sandbox.read("packs/feat-a.coding.json")).unwrap();
    let omission = pack["omissions"].as_array().unwrap().iter().find(|it| it["reason"] == "limit").unwrap();
    assert_eq!((&omission["id"], &omission["title"]), (&"root.edges".into(), &"50 relations".into()));
    let edges = pack["sections"].as_array().unwrap().iter().find(|it| it["id"] == "root.edges").unwrap();
    assert_eq!(edges["metadata"]["edges"].as_array().unwrap().len(), 250);
    let pack = sandbox.read("packs/t-7.coding.json");
    assert!(pack.contains("- T-99 \\\"T-99\\\": unknown\\n- and 200 more"), "{pack}");
    assert!(pack.len() < 50_000, "{}", pack.len());
    let list = sandbox.json(0, &["list", "--format", "json"]);
    let root = list["roots"].as_array().unwrap().iter().find(|root| root["id"] == "feat:a").unwrap();
    assert_eq!(root["edges"]["child"], 300, "counts are of all");
}

#[test]
fn an_issue_of_another_tracker_gets_no_address_in_this_repo() {
    let sandbox = Sandbox::with(&[("contextpack.yml", "version: 1\ngithub: {repo: o/r}\n")]);
    let url = |issue: &str| {
        sandbox.write("work_items/a.md", format!("---\nid: task:a\ntitle: A\nissue: {issue}\n---\n\nText.\n"));
        sandbox.expect(0, &["build", "-q"]);
        let pack: serde_json::Value = serde_json::from_str(&sandbox.read("packs/task-a.coding.json")).unwrap();
        pack["root"]["issue_url"].as_str().map(str::to_owned)
    };
    assert_eq!((url("PROJ-12"), url("Q3")), (None, None));
    assert_eq!(url("12").as_deref(), Some("https://github.com/o/r/issues/12"));
    assert_eq!(url("a/b#4").as_deref(), Some("https://github.com/a/b/issues/4"));
}
