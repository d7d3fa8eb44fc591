//! Bodies in the shape that GitHub's description of its API asks for.

use serde_json::{Map, Value, json};

const API: &str = "https://api.github.com";

/// Adds an address for each name: `<name>_url`, or `url` for an empty one.
fn addresses(mut body: Value, base: &str, names: &[&str]) -> Value {
    let fields: &mut Map<String, Value> = body.as_object_mut().unwrap();
    for name in names {
        let (field, end) = if name.is_empty() {
            ("url".to_owned(), String::new())
        } else {
            (format!("{name}_url"), format!("/{name}"))
        };
        fields.insert(field, format!("{base}{end}").into());
    }
    body
}

/// Somebody; bots say in their names that they are.
pub(crate) fn user(login: &str) -> Value {
    const LISTS: [&str; 10] = [
        "",
        "events",
        "followers",
        "following",
        "gists",
        "organizations",
        "received_events",
        "repos",
        "starred",
        "subscriptions",
    ];
    let kind = if login.ends_with("[bot]") { "Bot" } else { "User" };
    let body = json!({
        "login": login, "id": 7, "node_id": "U_7", "gravatar_id": "", "type": kind, "site_admin": false,
        "avatar_url": "https://avatars.githubusercontent.com/u/7?v=4", "html_url": format!("https://github.com/{login}"),
    });
    addresses(body, &format!("{API}/users/{login}"), &LISTS)
}

/// A repo with so many open issues and pull requests.
pub(crate) fn repo(name: &str, private: bool, open: usize) -> Value {
    const LISTS: [&str; 37] = [
        "",
        "archive",
        "assignees",
        "blobs",
        "branches",
        "collaborators",
        "comments",
        "commits",
        "compare",
        "contents",
        "contributors",
        "deployments",
        "downloads",
        "events",
        "forks",
        "git_commits",
        "git_refs",
        "git_tags",
        "hooks",
        "issue_comment",
        "issue_events",
        "issues",
        "keys",
        "labels",
        "languages",
        "merges",
        "milestones",
        "notifications",
        "pulls",
        "releases",
        "stargazers",
        "statuses",
        "subscribers",
        "subscription",
        "tags",
        "teams",
        "trees",
    ];
    let (owner, short) = name.split_once('/').unwrap();
    let page = format!("https://github.com/{name}");
    let mut body = json!({
        "id": 1, "node_id": "R_1", "name": short, "full_name": name, "owner": user(owner), "private": private,
        "description": null, "homepage": null, "language": null, "license": null, "mirror_url": null, "fork": false,
        "html_url": page, "clone_url": format!("{page}.git"), "git_url": format!("git://github.com/{name}.git"),
        "ssh_url": format!("git@github.com:{name}.git"), "svn_url": page, "default_branch": "main",
        "archived": false, "disabled": false, "open_issues": open, "open_issues_count": open,
        "created_at": time(0), "updated_at": time(0), "pushed_at": time(0),
    });
    let fields = body.as_object_mut().unwrap();
    for count in [
        "forks",
        "forks_count",
        "network_count",
        "size",
        "stargazers_count",
        "subscribers_count",
        "watchers",
        "watchers_count",
    ] {
        fields.insert(count.to_owned(), 0.into());
    }
    for has in ["issues", "projects", "wiki", "pages", "discussions", "downloads"] {
        fields.insert(format!("has_{has}"), (has == "issues").into());
    }
    addresses(body, &format!("{API}/repos/{name}"), &LISTS)
}

/// An open issue by a member, with a label, an assignee and line ends as browsers send them.
pub(crate) fn issue(repo: &str, number: u64) -> Value {
    let body = json!({
        "id": id(repo, number), "node_id": format!("I_{number}"), "number": number,
        "repository_url": format!("{API}/repos/{repo}"),
        "html_url": format!("https://github.com/{repo}/issues/{number}"),
        "title": format!("Issue {number}"), "body": format!("Text of {number}.\r\nMore."),
        "user": user("ada"), "author_association": "MEMBER", "labels": [label("agent-ready")],
        "state": "open", "state_reason": null, "locked": false, "active_lock_reason": null,
        "assignee": user("bob"), "assignees": [user("bob")], "milestone": null, "closed_by": null,
        "created_at": time(number), "updated_at": time(number + 1), "closed_at": null, "comments": 0,
        "reactions": reactions(), "performed_via_github_app": null, "type": null,
        "sub_issues_summary": {"total": 0, "completed": 0, "percent_completed": 0},
        "issue_dependencies_summary": {"blocked_by": 0, "total_blocked_by": 0, "blocking": 0, "total_blocking": 0},
    });
    addresses(body, &format!("{API}/repos/{repo}/issues/{number}"), &["", "labels", "comments", "events", "timeline"])
}

/// A comment on an issue.
pub(crate) fn comment(repo: &str, number: u64, id: u64, body: &str, association: &str) -> Value {
    json!({
        "id": id, "node_id": format!("C_{id}"), "user": user("eve"), "author_association": association, "body": body,
        "url": format!("{API}/repos/{repo}/issues/comments/{id}"),
        "issue_url": format!("{API}/repos/{repo}/issues/{number}"),
        "html_url": format!("https://github.com/{repo}/issues/{number}#issuecomment-{id}"),
        "created_at": time(id), "updated_at": time(id), "reactions": reactions(), "performed_via_github_app": null,
    })
}

/// What makes an issue a pull request.
pub(crate) fn pull(repo: &str, number: u64) -> Value {
    let page = format!("https://github.com/{repo}/pull/{number}");
    json!({
        "url": format!("{API}/repos/{repo}/pulls/{number}"), "html_url": page, "diff_url": format!("{page}.diff"),
        "patch_url": format!("{page}.patch"), "merged_at": null,
    })
}

/// A milestone.
pub(crate) fn milestone(title: &str, number: u64) -> Value {
    let body = json!({
        "id": number, "node_id": format!("M_{number}"), "number": number, "title": title, "description": null,
        "state": "open", "creator": user("ada"), "open_issues": 3, "closed_issues": 0, "due_on": null,
        "closed_at": null, "created_at": time(number), "updated_at": time(number),
        "html_url": format!("https://github.com/o/r/milestone/{number}"),
    });
    addresses(body, &format!("{API}/repos/o/r/milestones/{number}"), &["", "labels"])
}

/// A label.
pub(crate) fn label(name: &str) -> Value {
    json!({"id": 1, "node_id": "L_1", "url": format!("{API}/repos/o/r/labels/{name}"), "name": name, "color": "ffffff",
        "default": false, "description": null})
}

/// A number that no issue of another repo has.
fn id(repo: &str, number: u64) -> u64 {
    number + 100_000 * repo.bytes().fold(7, |id, byte| 31 * id % 9973 + u64::from(byte))
}

fn reactions() -> Value {
    json!({"url": format!("{API}/reactions"), "total_count": 3, "+1": 3, "-1": 0, "laugh": 0, "confused": 0, "heart": 0,
        "hooray": 0, "eyes": 0, "rocket": 0})
}

/// A time that rises with `n`.
pub(crate) fn time(n: u64) -> String {
    let (minutes, seconds) = (n / 60, n % 60);
    format!("2026-01-{:02}T{:02}:{:02}:{seconds:02}Z", 1 + minutes / 1440 % 28, minutes / 60 % 24, minutes % 60)
}
