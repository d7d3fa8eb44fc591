#![expect(clippy::unwrap_used, reason = "tests")]

use crate::graph::samples::{clean, corpus_with, item, messages, path};
use crate::graph::{Entry, FileKind, FileLookup, Graph, ItemReferences, RepoFiles};
use crate::mentions::Markdown;
use crate::mentions::ReferenceForm::{AdrNumber, Link, Path};
use crate::model::{LineRange, RepoPath};
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
        "LICENSE",
        "LICENSE.md",
        "README.md",
        "docs/a b.md",
        "docs/guide.md",
        "docs/notes.txt",
        "docs/x/README.md",
        ".env.example",
        "Makefile",
        "app/(shop)/[id]/page.tsx",
        "app/src/tool.py",
        "bin/__init__.py",
        "bin/run",
        "src/a/util.go",
        "src/b/util.go",
        "conf/nginx/nginx.conf",
        "config.yml",
        "packages/scope/kit/index.js",
        "routes/$id.tsx",
        "sites/example.com",
        "src/index.js",
        "src/license.go",
        "src/main.go",
        "src/pkg/deep.go",
        "src/pkg/index.js",
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
    let all = RepoFiles::new(&files);
    let denied = |path: &RepoPath| {
        let name = path.name();
        name.starts_with(".env") && name != ".env.example" || name.starts_with("secrets.") && name != "secrets.rst"
    };
    graph.references(&corpus, 0, &lookup(&all, &denied))
}

fn lookup<'a>(files: &'a RepoFiles<'a>, denied: &'a (dyn Fn(&RepoPath) -> bool + Sync)) -> FileLookup<'a> {
    FileLookup { files, tracked: files, denied, generated: &|path| path.is_under("packs") }
}

fn refer(entry: Entry) -> ItemReferences {
    refer_in(Some("o/r"), &ADRS, entry)
}

fn a() -> Entry {
    item("a", "w/a.md")
}

/// An item with this text.
fn says(text: &str) -> Entry {
    let mut entry = a();
    entry.body.clean = clean(text);
    entry.item.body.text = entry.body.clean.clone();
    entry.body.markdown = Arc::new(Markdown::read(text));
    entry
}

/// `path lines` of the code files, then the omissions.
fn code_in(text: &str) -> String {
    let found = refer(says(text));
    let lines = |lines: Option<LineRange>| lines.map(|l| format!(" {}-{}", l.first, l.last)).unwrap_or_default();
    let code = found.files.iter().filter(|file| file.kind == FileKind::Code);
    let code = code.map(|file| format!("{}{}", file.path, lines(file.lines)));
    code.chain(missing(&found)).collect::<Vec<_>>().join("|")
}

#[test]
fn code_is_found_in_every_form() {
    for (text, expected) in [
        ("[x](../src/main.go#L3-L9)", "src/main.go 3-9"),
        ("[x]: ../src/main.go\n", "src/main.go"),
        ("`src/main.go:3` and src/main.go", "src/main.go|src/main.go 3-3"),
        ("https://github.com/o/r/blob/main/src/main.go#L3", "src/main.go 3-3"),
        ("https://github.com/o/r/blob/a/branch/src/main.go", "src/main.go"),
        ("pkg/deep.go and `deep.go`", "src/pkg/deep.go"),
        ("deep.go:12", "src/pkg/deep.go 12-12"),
        ("r/src/main.go or o/r/src/pkg/deep.go", "src/main.go|src/pkg/deep.go"),
        ("bin/__init__.py, src/main.go:Run() and **src/main.go**:4", "bin/__init__.py|src/main.go|src/main.go 4-4"),
        ("`Makefile`, Makefile and `bin/run`", "Makefile|bin/run"),
        ("```\n at src/main.go:7:1\n```", "src/main.go 7-7"),
        ("```\n\t/home/me/r/src/pkg/deep.go:12 +0x1d\n```", "src/pkg/deep.go 12-12"),
        ("```\n\t/go/src/github.com/o/r/src/main.go:12 +0x1d\n```", "src/main.go 12-12"),
        ("panic at /app/src/main.go:12", "src/main.go 12-12"),
        ("a/util.go:3 and `util.go:4`", "src/a/util.go 3-3|Code util.go ambiguous"),
        ("`.env.local` and `x/.env`", "Code .env.local denied_path|Code x/.env denied_path"),
        ("put it into .env, or secrets.md:3", "Code .env denied_path|Document secrets.md denied_path"),
        ("[x](../.env.example#L1), .env.example:2", ".env.example 1-1|.env.example 2-2"),
        ("[x](.env.example:3) [y](secrets.rst#x)", ".env.example 3-3|Document secrets.rst#x not_in_repo"),
        ("Makefile:1, line 3 of the Makefile, bin/run:2", "Makefile 1-1|Makefile 3-3|bin/run 2-2"),
        ("app/(shop)/[id]/page.tsx:3, routes/$id.tsx", "app/(shop)/[id]/page.tsx 3-3|routes/$id.tsx"),
        ("`[id]/page.tsx` and `(shop)/[id]/page.tsx:3..5`", "app/(shop)/[id]/page.tsx|app/(shop)/[id]/page.tsx 3-5"),
        ("```\n at /app/src/tool.py:3\n at /app/src/main.go:4\n```", "app/src/tool.py 3-3|src/main.go 4-4"),
        ("/app/config.yml:3, /usr/src/app/src/main.go:5", "config.yml 3-3|src/main.go 5-5"),
        ("```\n../src/main.go:3: error\n```", "src/main.go 3-3"),
        ("https://raw.githubusercontent.com/o/r/main/src/main.go", "src/main.go"),
        ("github.com/o/r/blob/main/src/main.go#L3", "src/main.go 3-3"),
        ("[x](../../blame/v1/src/main.go#L3)", "src/main.go 3-3"),
        ("@src/main.go, @/src/index.js and `@pkg/deep.go`", "src/index.js|src/main.go"),
        ("`src/license.go:3`", "src/license.go 3-3"),
        ("[a](../LICENSE) and [b](https://github.com/o/r/blob/main/LICENSE)", "Code LICENSE boilerplate"),
        ("[l](/LICENSE.md#x), `LICENSE.md`, LICENSE:3", "Code LICENSE boilerplate|Document LICENSE.md boilerplate"),
    ] {
        assert_eq!(code_in(text), expected, "{text}");
    }
}

#[test]
fn what_is_no_code_of_this_repo_is_nothing() {
    for text in [
        "src/gone.go, `src/gone.go:3` and [x](../src/gone.go)",
        "https://github.com/p/q/blob/main/src/main.go#L3",
        "in p/q: src/main.go",
        "cosmos-sdk's `pkg/deep.go`",
        "p/q/src/main.go",
        "deep.go, index.js and `index.js` without a line",
        "SRC/main.go, `Src/Main.go`",
        "`src/*.go`, `src/{main}.go`, `<src>/main.go`",
        "<!-- src/main.go -->",
        "```\ncat src/main.go\n--- a/src/main.go\n```",
        "```\n/usr/lib/go/pkg/deep.go:3\nnode_modules/pkg/deep.go:3\n/root/go/pkg/mod/x@v1/pkg/deep.go:3\n```",
        "```\n/go/src/github.com/p/q/src/main.go:12 +0x1d\n```",
        "src/pkg and `src/pkg/`",
        "packs/x.json and `.git/config`",
        "`secrets.TOKEN` and .git/config",
        "`w/a.md:3`",
        "app.run() and v1.2",
        "LICENSE.md in prose",
        "/etc/config.yml:3, `/etc/config.yml` and /etc/nginx/nginx.conf:3",
        "```\n/etc/nginx/nginx.conf:3\n```",
        "~/config.yml:3, ~/src/main.go:3 and `~/docs/guide.md`",
        "../../../other/src/main.go:3 and `../../../../config.yml:3`",
        "p/q has src/main.go:3",
        "src/main.go:3 of the p/q repo",
        "https://raw.githubusercontent.com/p/q/main/src/main.go",
        "github.com/p/q/blob/main/src/main.go",
        "example.com:80, `example.com` and http://localhost:3000/src/main.go:3",
        "`@scope/kit`, `@scope/kit/index.js`, @scope/kit/index.js:3",
        "kit@1.2.3/index.js:3",
    ] {
        assert_eq!(code_in(text), "", "{text}");
    }
}

#[test]
fn a_url_of_a_commit_keeps_its_name_unless_the_lines_are_named_without_it() {
    let sha = "0a1b2c3d4e5f60718293a4b5c6d7e8f901234567";
    let url = format!("https://github.com/o/r/blob/{sha}/src/main.go#L3");
    let commits = |text: &str| -> Vec<Option<String>> {
        refer(says(text)).files.iter().map(|file| file.commit.as_ref().map(ToString::to_string)).collect()
    };
    assert_eq!(commits(&url), [Some(sha.to_owned())]);
    assert_eq!(commits(&format!("{url} src/main.go:3")), [None]);
}

#[test]
fn of_very_many_code_files_the_first_count() {
    let paths: Vec<RepoPath> = (0..130).map(|n| path(&format!("src/f{n:03}.go"))).collect();
    let text: String = paths.iter().map(|path| format!("{path}\n")).collect();
    let corpus = corpus_with(vec![says(&text)], None, &[]);
    let all = RepoFiles::new(&paths);
    let found = Graph::build(&corpus).references(&corpus, 0, &lookup(&all, &|_| false));
    assert_eq!((found.files.len(), found.missing.len()), (100, 30));
    assert!(found.missing.iter().all(|missing| missing.reason == "limit"));
}

#[test]
fn tens_of_thousands_of_paths_take_linear_time() {
    let paths: Vec<RepoPath> = (0..20_000).map(|n| path(&format!("d{n:06}/index.js"))).collect();
    let text: String = (0..20_000).map(|n| format!("x{n}/index.js:{n} index.js:1 d{n:06}/index.js\n")).collect();
    let corpus = corpus_with(vec![says(&text)], None, &[]);
    let all = RepoFiles::new(&paths);
    let found = Graph::build(&corpus).references(&corpus, 0, &lookup(&all, &|_| false));
    // The first hundred of those beyond the limit and their count, and the name that very many files have.
    assert_eq!((found.files.len(), found.missing.len()), (100, 102));
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
        ("../docs/x/README.md", "docs/x/README.md"),
        ("README.md", "README.md"),
        ("<../docs/a b.md>", "docs/a b.md"),
        ("../docs/a%20b.md", "docs/a b.md"),
        ("../docs/notes.txt#L3", "docs/notes.txt"),
    ] {
        assert_eq!(files_of(&refer(a().refers(Link, target))), [format!("Document {file}")], "{target}");
    }
}

#[test]
fn links_to_folders_pages_and_headings_are_nothing() {
    for target in [
        "../docs",
        "../docs/adr/",
        "x.png",
        "#heading",
        "https://example.org/a.md",
        "mailto:a@b.c",
        "https://github.com/o/r/issues/3",
        "../../issues/3",
        "https://github.com/p/q/blob/main/src/main.go",
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
    assert_eq!(files_of(&found), ["Document README.md", "Code src/main.go"]);
    assert_eq!(missing(&found), ["Document docs/none.md not_in_repo", "Document docs/x not_in_repo"]);
    assert_eq!(found.files[0].at.line, 5);
}

#[test]
fn paths_in_prose_count_only_where_they_name_a_document_that_is_there() {
    let found = refer(
        a().refers(Path, "docs/guide.md")
            .refers(Path, "docs/none.md")
            .refers(Path, "/api/v1/x.md")
            .refers(Path, "README.md"),
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
    let all = RepoFiles::new(&files);
    let found = graph.references(&corpus, at, &lookup(&all, &|_| false));
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
fn texts_of_other_fields_refer_to_what_is_there() {
    let found = refer(
        a().text("note", "see ADR-0003, docs/adr/0012-limits.md and docs/guide.md; not cosmos-sdk ADR020")
            .text("plan", "ADR-77 and docs/none.md")
            .text("id", "ADR-0010")
            .text("related", "ADR-0078")
            .text("status", "superseded by [Cache](../docs/adr/0003-cache.md)")
            .text("file", "pkg/deep.go"),
    );
    let expected = [
        "Adr docs/adr/0003-cache.md",
        "Adr docs/adr/0012-limits.md",
        "Document w/docs/guide.md",
        "Code src/pkg/deep.go",
    ];
    assert_eq!(files_of(&found), expected);
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
