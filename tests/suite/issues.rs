//! Issues of the snapshot as roots and neighbours, whole commands through.

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
fn sandbox() -> Sandbox {
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
    sandbox.expect(0, &["build", "--prune"]);
    assert!(sandbox.has("packs/issue-5.coding.json"));
}

#[test]
fn packs_of_issues_that_get_none_any_more_are_orphaned_and_pruned() {
    let sandbox = sandbox();
    sandbox.expect(0, &["build"]);
    sandbox.write("contextpack.yml", "github: {repo: o/r}\nroots: {include: [\"feat:*\"]}\n");
    let out = sandbox.expect(4, &["check"]);
    assert!(out.contains("orphaned: packs/issue-5.coding.json") && out.contains("orphaned: packs/p-q-5"), "{out}");
    sandbox.expect(0, &["build", "--prune"]);
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
        let whole = pack["sections"].as_array().unwrap().iter().all(|one| one["metadata"]["detail"] == "full");
        (shown, why, whole)
    };
    assert_eq!(comments("coding", 32_000).0, [5]);
    assert_eq!(comments("review", 32_000), (vec![1, 2, 3, 4, 5, 6, 7, 9], vec!["8 low_trust".to_owned()], true));
    let mut before = Vec::new();
    let mut seen = std::collections::BTreeSet::new();
    for limit in (2000..9000).step_by(100) {
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

/// An issue by a stranger.
fn strange(number: u64, body: &str) -> String {
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
    assert!(edges.contains("- blocked_by b \"B &quot;q&quot; &lt;i&gt; &amp; co\": unknown ("), "{edges}");
    assert_eq!(edges.lines().count(), 3, "{edges}");
    assert!(content("parent.feat:a").contains("- b \"B &quot;q&quot; &lt;i&gt; &amp; co\": unknown"));
    let small = sandbox.expect(0, &["build", "-q", "c", "--out", "-", "--max-chars", "3600"]);
    assert!(small.contains("B &quot;q&quot; &lt;i&gt; &amp; co"), "{small}");
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
