#![expect(clippy::unwrap_used, reason = "tests")]

use crate::graph::samples::{corpus_with, item, messages, path};
use crate::graph::{Entry, Graph, ItemReferences, RepoFiles};
use crate::mentions::ReferenceForm::{AdrNumber, Link, Path};
use crate::model::RepoPath;
use std::sync::Arc;

const ADRS: [&str; 5] = [
    "docs/adr/0003-cache.md",
    "docs/adr/0010-one.md",
    "docs/adr/0010-two.md",
    "docs/adr/0012-limits.md",
    "docs/adr/20200924-log4brains.md",
];

fn files() -> Vec<RepoPath> {
    let others = [
        "LICENSE.md",
        "README.md",
        "docs/a b.md",
        "docs/guide.md",
        "docs/notes.txt",
        "docs/x/README.md",
        "src/main.go",
        "w/a.md",
        "w/beside.md",
        "w/docs/guide.md",
    ];
    let mut all: Vec<RepoPath> = ADRS.iter().chain(&others).map(|file| path(file)).collect();
    all.sort();
    all
}

fn refer_in(repo: Option<&str>, adrs: &[&str], entry: Entry) -> ItemReferences {
    let corpus = corpus_with(vec![entry], repo, adrs);
    let graph = Graph::build(&corpus);
    let files = files();
    graph.references(&corpus, 0, &RepoFiles::new(&files), &RepoFiles::new(&files), &|path| {
        path.name().starts_with(".env")
    })
}

fn refer(entry: Entry) -> ItemReferences {
    refer_in(Some("o/r"), &ADRS, entry)
}

fn a() -> Entry {
    item("a", "w/a.md")
}

/// `Kind path#anchor`.
fn files_of(found: &ItemReferences) -> Vec<String> {
    let anchor = |anchor: &Option<String>| anchor.as_ref().map(|a| format!("#{a}")).unwrap_or_default();
    found.files.iter().map(|f| format!("{:?} {}{}", f.kind, f.path, anchor(&f.anchor))).collect()
}

fn missing(found: &ItemReferences) -> Vec<String> {
    found.missing.iter().map(|m| format!("{:?} {} {}", m.kind, m.written, m.reason)).collect()
}

fn nothing(found: &ItemReferences) -> bool {
    *found == ItemReferences::default()
}

#[test]
fn adrs_are_found_by_number_path_name_and_url() {
    for (form, target) in [
        (AdrNumber, "12"),
        (AdrNumber, "0012"),
        (Link, "../docs/adr/0012-limits.md"),
        (Link, "docs/adr/0012-limits.md#decision"),
        (Link, "/docs/adr/0012-limits.md"),
        (Link, "https://github.com/o/r/blob/main/docs/adr/0012-limits.md"),
        (Link, "https://github.com/O/R/blob/cal/adr/docs/adr/0012-limits.md#L10-L20"),
        (Link, "https://github.com/o/r/tree/0a1b2c/docs/adr/0012-limits.md?plain=1"),
        (Link, "../../blob/main/docs/adr/0012-limits.md"),
        (Link, "/adr/12"),
        (Link, "/o/r/blob/main/docs/adr/0012-limits.md"),
        (Link, "https://github.com/o/r/blob/main/old/0012-limits.md"),
        (Path, "docs/adr/0012-limits.md."),
        (Path, "docs/adr/0012-limits.md:12"),
        (Path, "0012-limits.md"),
        (Path, "old/0012-limits.md"),
    ] {
        let found = refer(a().refers(form, target));
        assert_eq!(files_of(&found), ["Adr docs/adr/0012-limits.md"], "{target}");
        assert_eq!(found.missing, [], "{target}");
    }
}

#[test]
fn adr_fields_take_all_forms() {
    for value in [
        "12",
        "0012",
        "ADR-0012",
        "adr 12",
        "docs/adr/0012-limits.md",
        "0012-limits.md",
        "0012-limits",
        "[Limits](../docs/adr/0012-limits.md)",
        "ADR-12: Limits",
    ] {
        let found = refer(a().adr(value));
        assert_eq!(files_of(&found), ["Adr docs/adr/0012-limits.md"], "{value}");
        assert_eq!(messages(&found.diagnostics), [""; 0], "{value}");
    }
    let found = refer(a().adr("../docs/guide.md").adr("Some words").adr("ADR-XXXX"));
    assert_eq!(files_of(&found), ["Adr docs/guide.md"], "what `adrs` names is an ADR");
    assert_eq!(missing(&found), ["Adr Some words not_in_repo"]);
}

#[test]
fn titles_count_and_an_adrs_own_title_does_not() {
    assert_eq!(files_of(&refer(a().title("Do as ADR-3 says"))), ["Adr docs/adr/0003-cache.md"]);
    let mut own = item("x", "docs/adr/0012-limits.md").title("ADR-0003: Limits").refers(AdrNumber, "0003");
    Arc::make_mut(&mut own.body.markdown).outline.headings.push(crate::markdown::Heading {
        level: 1,
        title: "ADR-0003: Limits".to_owned(),
        anchor: String::new(),
        block: 0,
        line: 1,
    });
    assert!(nothing(&refer(own)));
    assert!(nothing(&refer(item("x", "docs/adr/0012-limits.md").refers(AdrNumber, "12"))), "no reference to itself");
}

#[test]
fn foreign_numbers_are_nothing_and_web_pages_do_not_make_them_foreign() {
    for link in ["https://github.com/p/q/blob/main/adr-012.md", "https://gitlab.com/p/q/-/tree/main/adr"] {
        assert!(nothing(&refer(a().links_number("12", link))), "{link}");
    }
    assert!(nothing(&refer(a().refers(AdrNumber, "12").foreign("cosmos-sdk"))));
    let found = refer(a().links_number("012", "https://example.org/decisions"));
    assert_eq!(files_of(&found), ["Adr docs/adr/0012-limits.md"]);
    let elsewhere = refer_in(None, &ADRS, a().links_number("12", "https://github.com/p/q/blob/main/adr-012.md"));
    assert!(nothing(&elsewhere), "foreign also where this repo has no name");
}

#[test]
fn two_files_with_one_number_are_ambiguous_unless_a_path_decides() {
    let found = refer(a().refers(AdrNumber, "0010"));
    assert_eq!((files_of(&found), missing(&found)), (vec![], vec!["Adr ADR-0010 ambiguous".to_owned()]));
    assert_eq!(
        messages(&found.diagnostics),
        ["w/a.md:10 ambiguous-reference: `ADR-0010` may be `docs/adr/0010-one.md` or `docs/adr/0010-two.md`"]
    );
    for entry in [
        a().links_number("10", "../docs/adr/0010-two.md"),
        a().refers(AdrNumber, "10").refers(Path, "docs/adr/0010-two.md"),
    ] {
        let found = refer(entry);
        assert_eq!(files_of(&found), ["Adr docs/adr/0010-two.md"]);
        assert_eq!(found.diagnostics, []);
    }
}

#[test]
fn a_number_that_no_file_has_dangles_whether_or_not_there_are_adrs() {
    let found = refer(a().refers(AdrNumber, "0099"));
    assert_eq!(missing(&found), ["Adr ADR-0099 not_in_repo"]);
    assert_eq!(messages(&found.diagnostics), ["w/a.md:10 dangling-reference: no ADR of this repo is `ADR-0099`"]);
    let without_adrs = refer_in(Some("o/r"), &[], a().refers(AdrNumber, "0099"));
    assert_eq!(missing(&without_adrs), ["Adr ADR-0099 not_in_repo"]);
    let linked = refer(a().links_number("99", "docs/adr/0099-x.md"));
    assert_eq!(missing(&linked), ["Adr docs/adr/0099-x.md not_in_repo"], "messages once");
    assert!(nothing(&refer(a().refers(Link, "docs/adr/ADR-XXXX-title.md"))));
    assert!(nothing(&refer(a().refers(AdrNumber, "99999999999999999999999999"))));
}

#[test]
fn stale_folders_resolve_by_a_unique_name() {
    let found = refer(a().refers(Link, "../old/0003-cache.md").refers(Link, "gone/notes.txt"));
    assert_eq!(files_of(&found), ["Adr docs/adr/0003-cache.md", "Document docs/notes.txt"]);
    assert_eq!(
        messages(&found.diagnostics),
        [
            "w/a.md:10 stale-reference: `../old/0003-cache.md` is now `docs/adr/0003-cache.md`",
            "w/a.md:11 stale-reference: `gone/notes.txt` is now `docs/notes.txt`"
        ]
    );
    let found = refer(a().refers(Link, "gone/guide.md").refers(Link, "gone/README.md"));
    assert_eq!(missing(&found), ["Document gone/README.md not_in_repo", "Document gone/guide.md not_in_repo"]);
}

#[test]
fn documents_are_found_beside_the_item_and_from_the_root() {
    for (target, file) in [
        ("beside.md", "w/beside.md"),
        ("./beside.md", "w/beside.md"),
        ("docs/guide.md", "w/docs/guide.md"),
        ("docs/notes.txt", "docs/notes.txt"),
        ("../LICENSE.md", "LICENSE.md"),
        ("README.md", "README.md"),
        ("<../docs/a b.md>", "docs/a b.md"),
        ("../docs/a%20b.md", "docs/a b.md"),
        ("../docs/notes.txt#L3", "docs/notes.txt"),
    ] {
        assert_eq!(files_of(&refer(a().refers(Link, target))), [format!("Document {file}")], "{target}");
    }
}

#[test]
fn links_to_folders_code_pages_and_headings_are_nothing() {
    for target in [
        "../docs",
        "../docs/adr/",
        "../src/main.go",
        "x.png",
        "#heading",
        "https://example.org/a.md",
        "mailto:a@b.c",
        "https://github.com/o/r/issues/3",
        "../../issues/3",
        "https://github.com/o/r/blob/main/src/main.go",
        "//example.org/x.md",
        "w/a.md",
        "a.md#part",
        "",
        "https://github.com/o/r/tree/main",
        "/o/r/actions",
    ] {
        assert!(nothing(&refer(a().refers(Link, target))), "{target}");
    }
}

#[test]
fn what_leads_out_of_the_repo_is_left_out_with_its_reason() {
    for target in ["../../x.md", "/etc/passwd", "~/notes.md", "%2e%2e/%2e%2e/x.md", "C:\\x.md", "file:///etc/passwd"] {
        for found in [refer(a().refers(Link, target)), refer(a().doc(target))] {
            assert_eq!(missing(&found), [format!("Document {target} outside_repo")]);
            assert_eq!(found.diagnostics.len(), 1);
        }
        assert!(nothing(&refer(a().refers(Path, target))), "prose: {target}");
    }
}

#[test]
fn denied_names_are_judged_before_existence() {
    for found in [refer(a().refers(Link, "../.env")), refer(a().doc(".env.local")), refer(a().refers(Path, "x/.env"))] {
        assert_eq!(found.missing.iter().map(|m| m.reason).collect::<Vec<_>>(), ["denied_path"]);
        assert_eq!(found.diagnostics, []);
    }
}

#[test]
fn doc_fields_take_any_file_and_report_what_is_not_there() {
    let found = refer(
        a().doc("src/main.go")
            .doc("README.md")
            .doc("docs/none.md")
            .doc("https://example.org/x.md")
            .doc("o/r#12")
            .doc("ask the team")
            .doc("docs/x"),
    );
    assert_eq!(files_of(&found), ["Document README.md", "Document src/main.go"]);
    assert_eq!(missing(&found), ["Document docs/none.md not_in_repo", "Document docs/x not_in_repo"]);
    assert_eq!(found.files[0].at.line, 5);
}

#[test]
fn paths_in_prose_count_only_where_they_name_a_document_that_is_there() {
    let found = refer(
        a().refers(Path, "docs/guide.md")
            .refers(Path, "docs/none.md")
            .refers(Path, "/api/v1/x.md")
            .refers(Path, "README.md")
            .refers(Path, "src/main.go"),
    );
    assert_eq!(files_of(&found), ["Document w/docs/guide.md"]);
    assert_eq!((found.missing, found.diagnostics), (vec![], vec![]));
}

#[test]
fn a_whole_file_wins_over_its_parts_and_each_part_is_kept() {
    let parts = || {
        a().refers(Link, "../docs/notes.txt#b").refers(Link, "../docs/notes.txt#a").refers(Link, "../docs/notes.txt#b")
    };
    assert_eq!(files_of(&refer(parts())), ["Document docs/notes.txt#a", "Document docs/notes.txt#b"]);
    assert_eq!(files_of(&refer(parts().refers(Link, "../docs/notes.txt"))), ["Document docs/notes.txt"]);
}

#[test]
fn blob_urls_warn_where_the_configuration_names_no_repo() {
    let url = "https://github.com/o/r/blob/main/docs/guide.md";
    let found = refer_in(None, &ADRS, a().refers(Link, url));
    assert_eq!(
        messages(&found.diagnostics),
        [format!("w/a.md:10 unknown-repo: `{url}` cannot be placed without knowing which repo this is")]
    );
    assert!(nothing(&refer_in(None, &ADRS, a().refers(Link, "https://github.com/p/q/blob/main/other.md"))));
}

#[test]
fn a_body_file_is_the_base_of_its_own_links() {
    let mut entry = a().refers(Link, "guide.md").refers(Link, "../w/a.md");
    entry.item.body.origin.path = path("docs/README.md");
    let found = refer(entry);
    assert_eq!(files_of(&found), ["Document docs/guide.md"]);
    assert_eq!(found.files[0].at.path, path("docs/README.md"));
}

#[test]
fn a_hundred_thousand_dangling_links_are_a_hundred_rows_and_a_count() {
    let mut entry = a().refers(Link, "x0.md");
    let text: String = (0..100_000).map(|n| format!("[x](x{n}.md) ")).collect();
    entry.body.clean = crate::graph::samples::clean(&text);
    let markdown = Arc::make_mut(&mut entry.body.markdown);
    let one = markdown.mentions.references[0].clone();
    markdown.mentions.references =
        (0..100_000).map(|n| crate::mentions::Reference { target: format!("x{n}.md"), ..one.clone() }).collect();
    let mut long = one;
    long.target = "a/".repeat(500_000);
    markdown.mentions.references.push(long);
    let found = refer(entry);
    assert_eq!((found.missing.len(), &*found.missing[100].written), (101, "99900 more: not_in_repo"));
    assert!(found.missing.iter().all(|m| m.written.len() <= 200));
    assert!(files().len() > 1, "the files stayed: {:?}", files().first().unwrap());
}

#[test]
fn a_doc_field_that_names_an_item_is_no_reference_unless_the_item_is_a_file() {
    let corpus = corpus_with(
        vec![
            a().doc("TASK-1").doc("task-1").doc("feat:x").doc("docs/notes.txt").doc("docs/notes.txt#12"),
            item("TASK-1", "w/beside.md"),
            item("feat:x", "w/x.md"),
            item("docs/notes.txt", "docs/notes.txt"),
        ],
        Some("o/r"),
        &ADRS,
    );
    let graph = Graph::build(&corpus);
    let files = files();
    let at = corpus.entries.iter().position(|entry| &*entry.item.id == "a").unwrap();
    let found = graph.references(&corpus, at, &RepoFiles::new(&files), &RepoFiles::new(&files), &|_| false);
    assert_eq!(files_of(&found), ["Document docs/notes.txt"]);
    assert_eq!(missing(&found), [""; 0]);
}

#[test]
fn names_that_every_folder_has_say_nothing() {
    let adrs = ["docs/adr/0003-cache.md", "docs/x/README.md"];
    let found = refer_in(Some("o/r"), &adrs, a().refers(Link, "gone/README.md"));
    assert_eq!((files_of(&found), missing(&found)), (vec![], vec!["Document gone/README.md not_in_repo".to_owned()]));
}

#[test]
fn texts_of_other_fields_refer_to_adrs_only() {
    let found = refer(
        a().text("note", "see ADR-0003, docs/adr/0012-limits.md and docs/guide.md; not cosmos-sdk ADR020")
            .text("plan", "ADR-77 and docs/none.md")
            .text("id", "ADR-0010")
            .text("related", "ADR-0078"),
    );
    assert_eq!(files_of(&found), ["Adr docs/adr/0003-cache.md", "Adr docs/adr/0012-limits.md"]);
    assert_eq!(missing(&found), ["Adr ADR-77 not_in_repo"]);
}

#[test]
fn a_file_with_many_referenced_headings_is_included_whole() {
    let named = |count: usize| {
        let entry = (0..count).fold(a(), |entry, n| entry.refers(Link, &format!("docs/guide.md#part-{n}")));
        files_of(&refer(entry)).len()
    };
    assert_eq!((named(50), named(51)), (50, 1));
}

#[test]
fn many_references_that_lead_nowhere_are_counted() {
    let entry = (0..130).fold(a(), |entry, n| entry.refers(Link, &format!("docs/gone-{n}.md")));
    let found = refer(entry);
    assert_eq!((found.missing.len(), found.diagnostics.len()), (101, 101));
    let last = &found.missing[100];
    assert_eq!((&*last.written, last.reason), ("30 more: not_in_repo", "not_in_repo"));
    assert!(messages(&found.diagnostics)[100].ends_with("30 more of these, from here on"));
}
