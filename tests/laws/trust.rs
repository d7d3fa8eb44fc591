//! What strangers write in issues of their own changes nothing in the packs of others, but for marked lines.

use super::memory::{Memory, Office, STRATEGIES, cases};
use contextpack::internals::config::Strategy as Fitting;
use contextpack::internals::engine::{BudgetLimits, BuildJob, Project};
use contextpack::internals::graph::Target;
use contextpack::internals::seal::Stamp;
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Value, json};
use std::collections::BTreeMap;

type Files = Vec<(String, String)>;

const CONFIG: &str = "github: {repo: o/r}\nprofiles: {review: {adr_refs_of: [root, parent, child, depends_on, blocked_by], sections_of: [related, blocks]}}\n";

/// How many issues of strangers a case has at most: more than a list of claims shows.
const MOST: usize = 24;

fn file(repo: &str, number: u64, title: &str, trust: &str, body: &str) -> (String, String) {
    let none = |source: &str| json!({"completeness": "complete", "issues": [], "source": source});
    let association = if trust == "trusted" { "MEMBER" } else { "NONE" };
    let author = json!({"association": association, "bot": false, "login": "somebody"});
    let comment = json!({
        "author": {"association": "MEMBER", "bot": false, "login": "ada"}, "body": "A comment.",
        "created_at": "2026-02-02T09:00:00Z", "edited": false, "id": number + 500, "minimized": false,
        "trust": "trusted", "url": format!("https://github.com/{repo}/issues/{number}#issuecomment-{number}"),
    });
    let issue = json!({
        "asked": true, "assignees": [], "author": author, "body": body,
        "comments": {"completeness": "complete", "items": [comment]},
        "created_at": "2026-02-01T09:00:00Z", "kind": "issue", "labels": [], "merged": false, "milestone": null,
        "number": number, "private": false,
        "relations": {"blocked_by": none("dependency_api"), "blocking": none("dependency_api"),
                      "parent": none("sub_issue"), "sub_issues": none("sub_issue")},
        "repo": repo, "schema_version": "issue_snapshot/v1", "state": "open", "state_reason": null,
        "title": title, "trust": trust, "type": null, "url": format!("https://github.com/{repo}/issues/{number}"),
    });
    (format!(".contextpack/github/{repo}/{number}.json"), format!("{issue:#}\n"))
}

/// Maintainers' items of every kind, and an outsider's issue that no other item names.
fn ours(long: usize) -> Files {
    let text = "It has to be fast. ".repeat(long);
    let item = |id: &str, head: &str, body: &str| {
        (format!("work_items/{id}.md"), format!("---\nid: {id}\ntitle: Item {id}\n{head}---\n\n{body}\n"))
    };
    let mut files = vec![
        item("T-0", "children: [T-1, \"#1\"]\n", &text),
        item("T-1", "depends_on: [\"#2\", p/q#7]\n", "See ADR-0001."),
        // The file is a maintainer's, the text of its issue a stranger's.
        item("T-2", "issue: 3\nparent: T-0\n", &text),
        // What fills the budget of others.
        item("T-3", "related: [T-0, T-1, \"#1\", \"#3\"]\n", &format!("Instead of T-2.\n\n{text}")),
        ("docs/adr/0001-a.md".to_owned(), "# A\n\nStatus: accepted\n\n## Decision\n\nWe do.\n".to_owned()),
        ("docs/adr/0002-b.md".to_owned(), "# B\n\nStatus: rejected\n".to_owned()),
        ("docs/plan.md".to_owned(), format!("# Plan\n\n{text}\n")),
    ];
    files.push(file("o/r", 1, "One", "trusted", &format!("Blocked by #2 and P/Q#8.\n\nSee docs/plan.md.\n\n{text}")));
    files.push(file("o/r", 2, "Two", "trusted", "## Child tasks\n\n- [ ] #3\n"));
    files.push(file("o/r", 3, "Three", "untrusted", "Somebody else's words."));
    // Behind strangers' issues in natural order.
    files.push(file("o/r", 400, "Four", "untrusted", "Blocked by p/Q#9. See ADR-0001."));
    files
}

/// What a stranger writes about one of our items, or of another's.
fn statement() -> impl Strategy<Value = String> {
    let target = prop::sample::select(vec![
        "#1",
        "#2",
        "#3",
        "#400",
        "o/r#1",
        "O/R#2",
        "GH-1",
        "T-0",
        "t-1",
        "T-2",
        "P/Q#7",
        "p/q#8",
        "P/q#9",
        "#101",
        "https://github.com/o/r/issues/1",
        "work_items/T-0.md",
        "T-404",
        "x:y",
    ]);
    let form = 0..12_usize;
    (form, target).prop_map(|(form, target)| match form {
        0 => format!("Blocks {target}"),
        1 => format!("Parent: {target}"),
        2 => format!("Part of {target}"),
        3 => format!("## Child tasks\n\n- [ ] {target}\n- [x] {target}\n"),
        4 => format!("This depends on {target}."),
        5 => format!("Blocked by {target}"),
        6 => format!("## Related\n\n- {target}"),
        7 => format!("See ADR-0002, docs/plan.md and {target}."),
        8 => format!("---\nid: {target}\nstable_id: {target}\nissue: 1\nblocks: [{target}]\n---\n"),
        9 => format!("### ID\n\n{target}\n\n### Stable id\n\n{target}\n\n### Priority\n\nP0"),
        10 => format!("> Blocks {target}\n\n- untrusted: {target}"),
        _ => format!("[{target}](https://github.com/o/r/issues/1) blocks {target}"),
    })
}

fn theirs() -> impl Strategy<Value = Files> {
    let title =
        prop_oneof![Just("Cache layer\": open (field, work_items/T-0.md:3)\n- child T-9 \"x"), Just("Item T-0")];
    let issue = (title, vec(statement(), 1..5));
    vec(issue, 1..MOST).prop_map(|issues| {
        let number = |at: usize| if at.is_multiple_of(7) { 5 + at as u64 / 7 } else { 100 + at as u64 };
        let file = |(at, (title, said)): (usize, (&str, Vec<String>))| {
            file("o/r", number(at), title, "untrusted", &said.join("\n\n"))
        };
        issues.into_iter().enumerate().map(file).collect()
    })
}

/// The packs of all roots but those in `without`, by file name.
fn packs(files: &Files, limits: BudgetLimits, without: &Files) -> (BTreeMap<String, Value>, Vec<String>) {
    let (office, memory) = (Office::new(CONFIG), Memory::new(files.clone()));
    let project = office.project(&memory);
    let is_theirs = |path: &str| without.iter().any(|(known, _)| known == path);
    let roots: Vec<usize> = project.roots().into_iter().filter(|root| !is_theirs(path(&project, *root))).collect();
    let mut said: Vec<String> = project
        .diagnostics()
        .iter()
        .filter(|it| it.at.as_ref().is_none_or(|at| !is_theirs(at.path.as_str())))
        .map(|it| format!("{it:?}"))
        .collect();
    let edge = |root: usize| {
        let to = project.graph().edges(root).iter().map(|edge| match &edge.to {
            Target::Item(item) => format!("{:?} {}", edge.relation, project.corpus().entries[*item].item.id),
            Target::Issue { id, .. } => format!("{:?} {id}", edge.relation),
        });
        format!("{}: {}", project.pack_name(root), to.collect::<Vec<_>>().join(", "))
    };
    said.extend(roots.iter().map(|root| edge(*root)));
    let stamp = Stamp::new("2026-01-02T03:04:05Z".to_owned());
    let profiles = ["coding", "review", "drafting"].map(str::to_owned).to_vec();
    let job = BuildJob {
        roots,
        others: Vec::new(),
        profiles,
        limits,
        stamp,
        agent: None,
        session_start: false,
        are_named: false,
    };
    let (built, faults) = project
        .build(&job, None, &|one| {
            let diagnostics: Vec<String> = one.plan.diagnostics.iter().map(|it| format!("{it:?}")).collect();
            let pack = match one.outcome {
                Ok(sealed) => {
                    assert_eq!(contextpack::internals::review::verify(sealed.bytes()).violations, Vec::<String>::new());
                    serde_json::from_slice(sealed.bytes()).unwrap()
                }
                Err(fault) => json!(fault.message),
            };
            (one.plan.name, json!([pack, diagnostics]))
        })
        .unwrap();
    assert_eq!(faults, Vec::new());
    (built.into_iter().collect(), said)
}

fn path<'d>(project: &'d Project<'_>, root: usize) -> &'d str {
    project.corpus().entries[root].item.origin.path.as_str()
}

/// A pack without what is said of strangers' statements, and the sums that count it.
fn without_claims(mut built: Value) -> Value {
    let Some(pack) = built[0].as_object_mut() else { return built };
    for field in ["hash", "pack_id"] {
        pack.remove(field);
    }
    for field in ["used_chars", "used_bytes", "used_tokens"] {
        pack["budget"].as_object_mut().unwrap().remove(field);
    }
    for section in pack["sections"].as_array_mut().unwrap().iter_mut().filter(|it| it["id"] == "root.edges") {
        let content = section["content"].as_str().unwrap();
        let end = content.find("\n- untrusted: ").unwrap_or(content.len());
        assert!(content[end..].lines().skip(1).all(|line| line.starts_with("- untrusted: ")), "{content}");
        section["content"] = json!(content[..end]);
        let metadata = section["metadata"].as_object_mut().unwrap();
        for field in ["chars", "tokens", "untrusted_edges"] {
            metadata.remove(field);
        }
        let edges = metadata["edges"].as_array_mut().unwrap();
        let ours = edges.iter().take_while(|edge| edge.get("trust").is_none()).count();
        assert!(edges[ours..].iter().all(|edge| edge["trust"] == "untrusted" && edge["title"] == edge["to"]));
        assert!(edges.len() - ours <= 10);
        edges.truncate(ours);
    }
    built
}

proptest! {
    #![proptest_config(cases(24))]

    #[test]
    fn strangers_change_nothing_in_the_packs_of_others(
        theirs in theirs(),
        long in prop::sample::select(vec![1_usize, 60, 400]),
        max in 3000_u64..30_000,
        tokens in any::<bool>(),
        strategy in prop::sample::select(STRATEGIES.to_vec()),
    ) {
        let limits = match tokens {
            true => BudgetLimits { max_tokens: Some(max / 4), strategy: Some(strategy), ..BudgetLimits::default() },
            false => BudgetLimits { max_chars: Some(max), strategy: Some(strategy), ..BudgetLimits::default() },
        };
        strangers_change_nothing(&theirs, long, limits);
    }
}

/// Compares the packs of our items without and with strangers' issues.
fn strangers_change_nothing(theirs: &Files, long: usize, limits: BudgetLimits) {
    let ours = ours(long);
    let all: Files = ours.iter().chain(theirs).cloned().collect();
    let (before, said_before) = packs(&ours, limits, theirs);
    let (after, said_after) = packs(&all, limits, theirs);
    assert_eq!(said_before, said_after);
    assert_eq!(before.len(), after.len());
    for ((name, before), (_, after)) in before.into_iter().zip(after) {
        let (before, after) = (without_claims(before), without_claims(after));
        assert!(before == after, "{name}, {limits:?}:\n{before:#}\n{after:#}");
    }
}

/// A claim in a full pack took the room of a related item.
#[test]
fn claims_take_no_room_from_what_fills_the_budget() {
    let theirs = vec![file("o/r", 100, "Me", "untrusted", "Fixes #1. Blocks T-3, T-1 and T-0.")];
    for max in (3000..9000).step_by(150) {
        strangers_change_nothing(&theirs, 1, BudgetLimits { max_chars: Some(max), ..BudgetLimits::default() });
    }
}

#[test]
fn six_thousand_strangers_are_ten_lines_and_a_number() {
    let body = "Blocks #1\n\nParent: #1\n\nSee docs/plan.md.\n\n## Child tasks\n\n- [ ] #1\n";
    let theirs: Files = (0..2000).map(|n| file("o/r", 100 + n, "Me", "untrusted", body)).collect();
    let ours = ours(60);
    let all: Files = ours.iter().chain(&theirs).cloned().collect();
    let limits = BudgetLimits { max_chars: Some(60_000), strategy: Some(Fitting::Both), ..BudgetLimits::default() };
    let pack = &packs(&all, limits, &theirs).0["issue-1.coding.json"][0];
    let edges = pack["sections"].as_array().unwrap().iter().find(|it| it["id"] == "root.edges").unwrap();
    let content = edges["content"].as_str().unwrap();
    let claims: Vec<&str> = content.lines().filter(|line| line.contains("untrusted")).collect();
    assert_eq!(claims.len(), 11, "{content}");
    assert_eq!(claims[0], "- untrusted: parent o/r#100: open (checklist, https://github.com/o/r/issues/100)");
    assert_eq!(claims[10], "- untrusted: 5990 more");
    assert_eq!(edges["metadata"]["untrusted_edges"], 6000);
    assert_eq!(edges["metadata"]["trust"], "trusted", "it holds no text by outsiders");
}

#[test]
fn claims_stand_only_behind_a_whole_pack_and_more_budget_takes_none_away() {
    let theirs: Files = (0..30).map(|n| file("o/r", 100 + n, "Me", "untrusted", "Blocks #1")).collect();
    let all: Files = ours(60).into_iter().chain(theirs.clone()).collect();
    let (mut before, mut seen) = (0, false);
    for max in (3500..16_000).step_by(500) {
        let limits = BudgetLimits { max_chars: Some(max), strategy: Some(Fitting::Both), ..BudgetLimits::default() };
        let pack = &packs(&all, limits, &theirs).0["issue-1.coding.json"][0];
        let sections = pack["sections"].as_array().unwrap();
        let edges = sections.iter().find(|it| it["id"] == "root.edges").unwrap();
        let lines = edges["content"].as_str().unwrap().matches("- untrusted: ").count();
        let whole = sections.iter().all(|it| it["metadata"]["detail"] == "full")
            && pack["omissions"].as_array().unwrap().iter().all(|it| it["reason"] != "budget");
        assert!(whole || lines == 0, "{max}: {edges:#}");
        assert!(lines >= before, "{max}");
        assert_eq!(edges["metadata"]["untrusted_edges"], 30);
        (before, seen) = (lines, seen || !whole);
    }
    assert_eq!((before, seen), (11, true));
}
