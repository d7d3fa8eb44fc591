#![expect(clippy::unwrap_used, reason = "tests")]

use crate::graph::samples::{corpus, corpus_with, edges, item, messages, show};
use crate::graph::{Corpus, Entry, Graph, ItemState, Target};
use crate::mentions::Via;
use crate::model::Code;
use crate::model::Relation::{BlockedBy, Blocks, Child, DependsOn, Parent, Related};

fn build(entries: Vec<Entry>) -> (Corpus, Graph) {
    let corpus = corpus(entries);
    let graph = Graph::build(&corpus);
    (corpus, graph)
}

fn codes(graph: &Graph) -> Vec<Code> {
    graph.diagnostics().iter().map(|d| d.code).collect()
}

#[test]
fn an_edge_stated_on_one_item_holds_for_both() {
    let (corpus, graph) = build(vec![
        item("a", "w/a.md").field(Parent, "p").field(DependsOn, "d").field(Related, "r").field(Blocks, "b"),
        item("p", "w/p.md"),
        item("d", "w/d.md"),
        item("r", "w/r.md"),
        item("b", "w/b.md"),
    ]);
    let of = |id| edges(&corpus, &graph, id);
    assert_eq!(
        of("a"),
        [
            "parent p Field w/a.md:2",
            "depends_on d Field w/a.md:2",
            "blocks b Field w/a.md:2",
            "related r Field w/a.md:2"
        ]
    );
    assert_eq!(of("p"), ["child a Field w/a.md:2"]);
    assert_eq!(of("d"), ["blocks a Field w/a.md:2"]);
    assert_eq!(of("r"), ["related a Field w/a.md:2"]);
    assert_eq!(of("b"), ["blocked_by a Field w/a.md:2"]);
    assert_eq!(graph.diagnostics(), []);
}

#[test]
fn edges_are_in_natural_order_whatever_the_order_of_the_source() {
    let ids = ["bd-au0.10", "bd-au0.5", "bd-au0.6"];
    let mut entries: Vec<Entry> =
        ids.iter().map(|id| item(id, &format!("w/{id}.md")).field(Parent, "bd-au0")).collect();
    entries.push(item("bd-au0", "w/x.md"));
    let (corpus, graph) = build(entries);
    let children: Vec<String> =
        edges(&corpus, &graph, "bd-au0").iter().map(|e| e.split(' ').nth(1).unwrap().into()).collect();
    assert_eq!(children, ["bd-au0.5", "bd-au0.6", "bd-au0.10"]);
    assert_eq!(edges(&corpus, &graph, "bd-au0.5").len(), 1, "dots infer nothing");
}

#[test]
fn each_relation_is_kept_once_with_its_strongest_evidence() {
    let (corpus, graph) = build(vec![
        item("a", "w/a.md").says(DependsOn, "b", Via::Body).field(DependsOn, "b"),
        item("b", "w/b.md").field(Blocks, "a").says(Child, "c", Via::Checklist),
        item("c", "w/c.md").says(Parent, "b", Via::Body),
    ]);
    assert_eq!(edges(&corpus, &graph, "a"), ["depends_on b Field w/a.md:2"], "one dependency edge a target");
    assert_eq!(edges(&corpus, &graph, "b"), ["child c Checklist w/b.md:10", "blocks a Field w/b.md:2"]);
    assert_eq!(edges(&corpus, &graph, "c"), ["parent b Checklist w/b.md:10"]);
}

#[test]
fn neighbours_are_listed_under_their_strongest_relation() {
    let (corpus, graph) = build(vec![
        item("a", "w/a.md").field(Related, "b").field(BlockedBy, "b").field(Child, "b").field(Related, "c"),
        item("b", "w/b.md"),
        item("c", "w/c.md"),
    ]);
    let neighbours: Vec<String> = graph.neighbours(0).into_iter().map(|edge| show(&corpus, edge)).collect();
    assert_eq!(neighbours, ["blocked_by b Field w/a.md:2", "related c Field w/a.md:2"]);
}

#[test]
fn templates_prefixes_and_case_resolve_and_the_loose_ones_warn() {
    let eip = |id: &str| item(id, &format!("EIPS/{id}.md")).source(("EIP-", ""), &[]);
    let back = |id: &str| item(id, &format!("backlog/{id}.md")).source(("", ""), &["BACK-", "task-"]);
    let (corpus, graph) = build(vec![
        eip("EIP-4844").field(DependsOn, "1559"),
        eip("EIP-1559"),
        back("BACK-4").field(Related, "back-4.10"),
        back("BACK-4.10").field(Parent, "task-4"),
        back("BACK-4.1").field(Parent, "4"),
    ]);
    assert_eq!(edges(&corpus, &graph, "EIP-4844"), ["depends_on EIP-1559 Field EIPS/EIP-4844.md:2"]);
    assert_eq!(
        edges(&corpus, &graph, "BACK-4"),
        [
            "child BACK-4.1 Field backlog/BACK-4.1.md:2",
            "child BACK-4.10 Field backlog/BACK-4.10.md:2",
            "related BACK-4.10 Field backlog/BACK-4.md:2"
        ]
    );
    assert_eq!(
        messages(graph.diagnostics()),
        [
            "backlog/BACK-4.10.md:2 prefix-mismatch: `task-4` was taken as `BACK-4`",
            "backlog/BACK-4.md:2 case-mismatch: `back-4.10` was taken as `BACK-4.10`"
        ]
    );
}

#[test]
fn ids_are_exact_before_they_are_anything_else() {
    let (corpus, graph) = build(vec![
        item("a", "w/a.md").field(DependsOn, "4.10").field(Related, "X").field(Related, "y"),
        item("4.1", "w/1.md"),
        item("x", "w/2.md"),
        item("X", "w/3.md"),
        item("Y", "w/4.md"),
        item("Ý", "w/5.md"),
    ]);
    assert_eq!(edges(&corpus, &graph, "a"), ["related X Field w/a.md:2", "related Y Field w/a.md:2"]);
    assert_eq!(codes(&graph), [Code::UnknownId, Code::CaseMismatch]);
}

#[test]
fn two_ids_that_differ_in_case_are_ambiguous() {
    let (corpus, graph) =
        build(vec![item("a", "w/a.md").field(Related, "TASK-1"), item("Task-1", "w/1.md"), item("task-1", "w/2.md")]);
    assert_eq!(edges(&corpus, &graph, "a"), [""; 0]);
    assert_eq!(messages(graph.diagnostics()), ["w/a.md:2 ambiguous-reference: `TASK-1` may be `Task-1` or `task-1`"]);
}

#[test]
fn paths_folders_and_trees_of_this_repo_resolve() {
    for target in [
        "keps/sig-x/12-b/kep.yaml",
        "/keps/sig-x/12-b",
        "/keps/sig-x/12-b/",
        "../12-b",
        "../12-b/kep.yaml#summary",
        "https://github.com/O/R/tree/feature/x/keps/sig-x/12-b",
        "[the other](../12-b)",
    ] {
        let (corpus, graph) = build(vec![
            item("keps/sig-x/11-a", "keps/sig-x/11-a/kep.yaml").field(Related, target),
            item("K12", "keps/sig-x/12-b/kep.yaml"),
        ]);
        assert_eq!(edges(&corpus, &graph, "K12").len(), 1, "{target}");
        assert_eq!(graph.diagnostics(), [], "{target}");
    }
}

#[test]
fn what_leads_elsewhere_is_an_unknown_id_and_no_edge() {
    for target in
        ["nope", "../../../x", "https://github.com/p/q/tree/main/w/b.md", "https://x.org/b", "99", "w/none.md"]
    {
        let (corpus, graph) = build(vec![item("a", "w/a.md").field(DependsOn, target), item("b", "w/b.md")]);
        assert_eq!(edges(&corpus, &graph, "a"), [""; 0], "{target}");
        assert_eq!(codes(&graph), [Code::UnknownId], "{target}");
        assert_eq!(graph.diagnostics()[0].about, ["a"]);
    }
}

#[test]
fn issues_are_the_items_that_claim_them_or_stay_unresolved() {
    let (corpus, graph) = build(vec![
        item("a", "w/a.md")
            .field(DependsOn, "#12")
            .field(Blocks, "https://github.com/O/R/issues/12")
            .field(Related, "p/q#3")
            .says(Related, "https://github.com/P/Q/pull/3", Via::Body)
            .says(DependsOn, "GH-7", Via::Body),
        item("b", "w/b.md").issue("12"),
    ]);
    assert_eq!(
        edges(&corpus, &graph, "a"),
        [
            "depends_on b Field w/a.md:2",
            "depends_on o/r#7 Body w/a.md:11",
            "blocks b Field w/a.md:2",
            "related p/q#3 Field w/a.md:2"
        ]
    );
    let urls: Vec<&str> = graph
        .edges(0)
        .iter()
        .filter_map(|edge| match &edge.to {
            Target::Issue { url, .. } => Some(&**url),
            Target::Item(_) => None,
        })
        .collect();
    assert_eq!(urls, ["https://github.com/o/r/issues/7", "https://github.com/p/q/issues/3"]);
    assert_eq!(codes(&graph), [Code::Cycle], "a waits for b and b for a");
}

#[test]
fn without_a_repo_issues_are_placed_only_where_they_are_claimed() {
    let corpus = corpus_with(
        vec![
            item("a", "w/a.md").field(DependsOn, "#12").field(Related, "https://github.com/o/r/issues/5").says(
                Related,
                "#6",
                Via::Body,
            ),
            item("b", "w/b.md").issue("#12"),
        ],
        None,
        &[],
    );
    let graph = Graph::build(&corpus);
    assert_eq!(edges(&corpus, &graph, "a"), ["depends_on b Field w/a.md:2"]);
    assert_eq!(codes(&graph), [Code::UnknownRepo, Code::UnknownRepo]);
}

#[test]
fn words_of_prose_that_match_nothing_are_ignored_unless_they_look_like_stable_ids() {
    let (corpus, graph) = build(vec![
        item("a", "w/a.md").says(DependsOn, "utf-8", Via::Body).says(DependsOn, "feat:gone", Via::Body).says(
            DependsOn,
            "feat:b",
            Via::Body,
        ),
        item("feat:b", "w/b.md"),
    ]);
    assert_eq!(edges(&corpus, &graph, "a"), ["depends_on feat:b Body w/a.md:12"]);
    assert_eq!(messages(graph.diagnostics()), ["w/a.md:11 unknown-id: no work item has the id `feat:gone`"]);
}

#[test]
fn lines_of_a_body_inside_json_are_those_of_the_record() {
    let mut a = item("a", "w/a.jsonl").says(Related, "x", Via::Body).says(DependsOn, "b", Via::Body);
    a.item.body.in_file = false;
    a.item.body.line = 7;
    let (corpus, graph) = build(vec![a, item("b", "w/b.md")]);
    assert_eq!(edges(&corpus, &graph, "a"), ["depends_on b Body w/a.jsonl:7"]);
}

#[test]
fn parents_cycles_and_self_references_are_warned_about_once() {
    let (corpus, graph) = build(vec![
        item("a", "w/a.md").field(DependsOn, "b").field(Parent, "p").field(Parent, "q").field(Related, "a"),
        item("b", "w/b.md").field(BlockedBy, "c"),
        item("c", "w/c.md").field(DependsOn, "a").field(DependsOn, "b"),
        item("p", "w/p.md").field(Parent, "q"),
        item("q", "w/q.md").field(Parent, "p"),
    ]);
    assert_eq!(
        messages(graph.diagnostics()),
        [
            "w/a.md:2 multiple-parents: `a` has 2 parents: `p`, `q`",
            "w/a.md:2 cycle: items depend on each other in a circle: `a` → `b` → `c` → `a`",
            "w/a.md:2 self-reference: `a` names itself as its `related`",
            "w/p.md:2 cycle: items contain each other in a circle: `p` → `q` → `p`",
        ]
    );
    assert_eq!(graph.diagnostics()[1].about, ["a", "b", "c"]);
    assert!(graph.diagnostics().iter().all(|d| d.help.is_some()));
    let parents = edges(&corpus, &graph, "a").iter().filter(|edge| edge.starts_with("parent")).count();
    assert_eq!(parents, 2, "both parents stay");
}

#[test]
fn an_issue_field_that_names_no_issue_is_reported() {
    let (_, graph) = build(vec![item("a", "w/a.md").issue("soon")]);
    assert_eq!(messages(graph.diagnostics()), ["w/a.md:3 invalid-item: `issue: soon` names no issue"]);
}

#[test]
fn states_follow_the_status() {
    let states = [
        ("Done", ItemState::Done),
        ("closed", ItemState::Done),
        ("Won't Fix", ItemState::NotPlanned),
        ("not_planned", ItemState::NotPlanned),
        ("tombstone", ItemState::NotPlanned),
        ("In Progress", ItemState::Open),
        (" ", ItemState::Unknown),
    ];
    for (status, state) in states {
        assert_eq!(Graph::state(&corpus(vec![item("a", "w/a.md").status(status)]), 0), state, "{status}");
    }
    assert_eq!(Graph::state(&corpus(vec![item("a", "w/a.md")]), 0), ItemState::Unknown);
}

#[test]
fn the_order_of_the_entries_changes_nothing() {
    let entries = || {
        vec![
            item("a", "w/a.md").field(DependsOn, "b").field(Related, "P/q#1"),
            item("b", "w/b.md").field(Related, "p/Q#1").field(Parent, "A"),
            item("c", "w/c.md").field(Blocks, "b").field(Parent, "b"),
        ]
    };
    let (corpus, graph) = build(entries());
    let (turned, again) = build(entries().into_iter().rev().collect());
    for id in ["a", "b", "c"] {
        assert_eq!(edges(&corpus, &graph, id), edges(&turned, &again, id));
    }
    assert_eq!(graph.diagnostics(), again.diagnostics());
}

#[test]
fn fifty_thousand_items_under_one_parent_are_drawn_in_time() {
    let began = std::time::Instant::now();
    let mut entries: Vec<Entry> = (0..50_000)
        .map(|n| item(&format!("t-{n}"), &format!("w/{n}.md")).field(Parent, "p").field(Related, "w/"))
        .collect();
    entries.push(item("p", "p.md"));
    let (_, graph) = build(entries);
    assert_eq!(graph.edges(0).len(), 50_000);
    assert!(began.elapsed().as_secs() < 30, "{:?}", began.elapsed());
}

#[test]
fn bare_numbers_match_in_another_case_with_a_warning() {
    let back = |id: &str| item(id, &format!("w/{id}.md")).source(("", ""), &["BACK-", "task-"]);
    let (corpus, graph) = build(vec![back("back-4"), back("BACK-9").field(Parent, "4")]);
    assert_eq!(edges(&corpus, &graph, "BACK-9"), ["parent back-4 Field w/BACK-9.md:2"]);
    assert_eq!(codes(&graph), [Code::CaseMismatch]);
}

#[test]
fn a_folder_with_several_items_is_ambiguous_and_says_how_many() {
    let mut entries: Vec<Entry> = (0..7).map(|n| item(&format!("t-{n}"), &format!("many/{n}.md"))).collect();
    entries.push(item("a", "w/a.md").field(Related, "many/"));
    let (_, graph) = build(entries);
    assert_eq!(
        messages(graph.diagnostics()),
        ["w/a.md:2 ambiguous-reference: `many/` may be `t-0` or `t-1` or `t-2` or `t-3` or `t-4` and 2 more"]
    );
}

#[test]
fn joined_cycles_are_one_warning_with_a_shortest_path() {
    let (_, graph) = build(vec![
        item("a", "w/a.md").field(DependsOn, "b").field(DependsOn, "c"),
        item("b", "w/b.md").field(DependsOn, "a"),
        item("c", "w/c.md").field(DependsOn, "a"),
    ]);
    assert_eq!(
        messages(graph.diagnostics()),
        ["w/a.md:2 cycle: items depend on each other in a circle: `a` → `b` → `a`; part of a cycle of 3 items"]
    );
}
