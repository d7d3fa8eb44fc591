//! References in texts that people wrote.

use super::*;
use crate::mentions::{Markdown, references_in_line};
use ReferenceForm::{AdrNumber, Path};

fn found(text: &str) -> Vec<(String, ReferenceForm, u32)> {
    let references = Markdown::read(text).mentions.references;
    // A code span is a path like any other here.
    let form = |form| if form == ReferenceForm::CodeSpan { Path } else { form };
    references.into_iter().map(|r| (r.target, form(r.form), r.line)).collect()
}

/// `Form target lines`, for files of any kind.
fn all(text: &str) -> Vec<String> {
    let lines = |lines: &LineRange| format!(" {}-{}", lines.first, lines.last);
    let shown = |r: Reference| format!("{:?} {}{}", r.form, r.target, r.lines.iter().map(lines).collect::<String>());
    Markdown::read(text).mentions.references.into_iter().map(shown).collect()
}

#[test]
fn files_of_any_kind_are_found_with_their_lines() {
    for (text, expected) in [
        ("[a](src/a.rs#L10-L20)", "Link src/a.rs#L10-L20 10-20"),
        ("[`a.rs:7`](../src/a.rs)", "Link ../src/a.rs|Link ../src/a.rs 7-7"),
        ("[x]: src/a.rs\n", "Link src/a.rs"),
        ("In `src/a.rs:120-140`, and (pkg/b.go:3).", "CodeSpan src/a.rs 120-140|Path pkg/b.go 3-3"),
        ("`src/a.rs` line 12", "CodeSpan src/a.rs 12-12"),
        ("`Makefile` and `bin/run`", "CodeSpan Makefile|CodeSpan bin/run"),
        ("`app/(group)/[id]/page.tsx:4`", "CodeSpan app/(group)/[id]/page.tsx 4-4"),
        ("see https://github.com/o/r/blob/main/a.rs#L3.", "Link https://github.com/o/r/blob/main/a.rs#L3 3-3"),
        ("the file main.go, app.run() and v1.2", "Path main.go"),
        ("```\n  at src/a.rs:1:2\ncat src/b.rs\n```\n", "Trace src/a.rs 1-1"),
        ("text\n\n    panic at src/a.rs:9\n", "Trace src/a.rs 9-9"),
        ("- item\n\n  ```\n  x.py:3: error\n  ```\n", "Trace x.py 3-3"),
        ("<!-- src/a.rs:3 -->", ""),
        ("`src/**/*.rs`, `src/{a,b}.rs` and `<dir>/a.rs`", ""),
        ("README.md and `NOTES.md:3`", "Path README.md|CodeSpan NOTES.md 3-3"),
        ("Makefile:12 and Makefile line 3", "Path Makefile 12-12|Path Makefile 3-3"),
        ("bin/run:3, scripts/x and `and/or`", "Path bin/run 3-3|Path scripts/x|CodeSpan and/or"),
        (
            "app/[slug]/page.tsx (app/(shop)/[...rest]/p.tsx:4)",
            "Path app/[slug]/page.tsx|Path app/(shop)/[...rest]/p.tsx 4-4",
        ),
        ("`[id].vue`, [[lang]]/x.ts, routes/$id.tsx", "CodeSpan [id].vue|Path [[lang]]/x.ts|Path routes/$id.tsx"),
        ("a.rs:3,7-9, then (b.rs(3,5)) and src/c.rs:3..5", "Path a.rs 3-3 7-9|Path b.rs 3-3|Path src/c.rs 3-5"),
    ] {
        assert_eq!(all(text).join("|"), expected, "{text}");
    }
}

#[test]
fn the_name_of_a_repo_before_a_path_is_kept() {
    let of = |text: &str| -> Vec<Option<String>> {
        Markdown::read(text)
            .mentions
            .references
            .into_iter()
            .filter(|r| r.target.ends_with(".go"))
            .map(|r| r.foreign)
            .collect()
    };
    let repo = |name: &str| Some(name.to_owned());
    assert_eq!(of("in cosmos-sdk's `x/a.go`, and o/r: x/b.go, or see x/c.go"), [repo("cosmos-sdk"), repo("o/r"), None]);
    for text in [
        "o/r has x/a.go:3",
        "`o/r` defines `x/a.go`",
        "In o/r, x/a.go is wrong",
        "x/a.go:3 in o/r.",
        "`x/a.go` of the `o/r` repo",
        "the o/r repo: x/a.go",
    ] {
        assert_eq!(of(text), [repo("o/r")], "{text}");
    }
    for text in [
        "the read/write path in x/a.go:3",
        "client/server code: x/a.go",
        "x/a.go in read/write mode",
        "x/a.go in src/lib mode",
        "a test-suite has x/a.go",
        "o/r, x/a.go",
    ] {
        assert_eq!(of(text), [None], "{text}");
    }
}

fn targets(text: &str, form: ReferenceForm) -> Vec<String> {
    found(text).into_iter().filter(|(_, own, _)| *own == form).map(|(target, ..)| target).collect()
}

#[test]
fn links_and_definitions_count_used_or_not_images_do_not() {
    let text = "[a](docs/a.md#x) ![i](i.png) [b][ADR 8] <https://e.org/x>\n[top](#top) [m](mailto:a@b.c)\n\n[ADR 8]: docs/8.md\n[unused]: ../u.md \"t\"\n";
    assert_eq!(
        found(text).into_iter().filter(|(_, form, _)| *form == ReferenceForm::Link).collect::<Vec<_>>(),
        [
            ("docs/a.md#x".to_owned(), ReferenceForm::Link, 1),
            ("docs/8.md".to_owned(), ReferenceForm::Link, 1),
            ("https://e.org/x".to_owned(), ReferenceForm::Link, 1),
            ("docs/8.md".to_owned(), ReferenceForm::Link, 4),
            ("../u.md".to_owned(), ReferenceForm::Link, 5),
        ]
    );
}

#[test]
fn bare_urls_count_as_links_without_their_full_stop() {
    assert_eq!(
        targets("See https://github.com/o/r/blob/main/docs/a.md.", ReferenceForm::Link),
        ["https://github.com/o/r/blob/main/docs/a.md"]
    );
}

#[test]
fn paths_in_prose_and_code_spans_lose_their_line_and_full_stop() {
    let text = "See docs/a.md:12, (docs/b.rst) `docs/c.txt` and docs/d.adoc#x. Also /docs/e.md and 0007-cache.md, `docs/f g.md`.\n\n| docs/h.md |\n|---|\n\nREADME.md";
    let expected = [
        "docs/a.md",
        "docs/b.rst",
        "docs/c.txt",
        "docs/d.adoc#x",
        "/docs/e.md",
        "0007-cache.md",
        "docs/f g.md",
        "docs/h.md",
        "README.md",
    ];
    assert_eq!(targets(text, Path), expected);
    for none in ["docs/*.md", "docs/{a}.md", "docs/adr/ADR-XXXX-x.md", "docs/NNNN-x.md", "`x` docs/.md"] {
        assert_eq!(targets(none, Path), Vec::<String>::new(), "{none}");
    }
}

#[test]
fn numbers_of_adrs_are_found_in_every_spelling() {
    let text = "ADR-0012, ADR-13, ADR 14, ADR015 and adr_16; ADR-001 through ADR-0040. `ADR-17` ADRs 18, 19 and 20, [ADR 21](x.md).";
    let expected = ["0012", "13", "14", "015", "16", "001", "0040", "17", "18", "19", "20", "21"];
    assert_eq!(targets(text, AdrNumber), expected);
    for none in [
        "ADR-XXXX",
        "ADR 1.2",
        "ADR-12a",
        "XADR-12",
        "docs/adr/adr-012-x.md",
        "ADRs20",
        "ADR required: no",
        "the 12 ADRs",
    ] {
        assert_eq!(targets(none, AdrNumber), Vec::<String>::new(), "{none}");
    }
}

#[test]
fn a_link_around_a_number_is_kept_with_it() {
    let references = Markdown::read("[see ADR013](../adr/013-x.md) and ADR 14").mentions.references;
    let links: Vec<_> = references.iter().filter(|r| r.form == AdrNumber).map(|r| r.link.as_deref()).collect();
    assert_eq!(links, [Some("../adr/013-x.md"), None]);
}

#[test]
fn a_repo_name_directly_before_a_number_makes_it_foreign() {
    let foreign = |text: &str| references_of(text).first().and_then(|r| r.foreign.clone());
    assert_eq!(foreign("[cosmos-sdk ADR020](https://e.org)"), Some("cosmos-sdk".to_owned()));
    assert_eq!(foreign("owner/repo ADR-3"), Some("owner/repo".to_owned()));
    for none in [
        "see ADR-3",
        "and/or ADR-3",
        "follow-up ADR-3",
        "cosmos-sdk, ADR-3",
        "TASK-12 ADR-3",
        "v2 ADR-3",
        "ADR-1 ADR-3",
    ] {
        assert_eq!(foreign(none), None, "{none}");
    }
}

fn references_of(text: &str) -> Vec<Reference> {
    Markdown::read(text).mentions.references.into_iter().filter(|r| r.form == AdrNumber).collect()
}

#[test]
fn bare_numbers_count_under_an_adr_heading_or_label() {
    assert_eq!(
        targets("### ADR link (if applicable)\n\n0012, 13 and 14\n\n- 15 – cache\n\n## Goal\n\n16\n", AdrNumber),
        ["0012", "13", "14", "15"]
    );
    assert_eq!(targets("ADRs: 7, 8\n\n9 times\n", AdrNumber), ["7", "8"]);
    assert_eq!(targets("ADR(s):\n- 0004\n- #5\n\n3 more\n", AdrNumber), ["0004"]);
    assert_eq!(targets("## ADR(s)\n\n3 ADRs matter, 2024.1\n", AdrNumber), Vec::<String>::new());
}

#[test]
fn code_blocks_and_comments_hold_no_references_html_does() {
    for none in ["```\ndocs/a.md ADR-1\n```", "    ADR-1\n", "<!-- ADR-1 docs/a.md -->", "a <!-- ADR-1 --> b"] {
        assert_eq!(found(none), [], "{none}");
    }
    let html = "<details>\n<a href=\"docs/a.md\">ADR-1</a><!-- ADR-2 -->\n</details>\n";
    assert_eq!(found(html), [("docs/a.md".to_owned(), ReferenceForm::Link, 2), ("1".to_owned(), AdrNumber, 2)]);
}

#[test]
fn references_in_a_title_have_its_line() {
    let references = references_in_line("Follow ADR-7 as in docs/a.md", 9);
    assert_eq!(
        references.iter().map(|r| (r.target.as_str(), r.line)).collect::<Vec<_>>(),
        [("7", 9), ("docs/a.md", 9)]
    );
}

#[test]
fn hostile_texts_hold_at_most_two_references_a_piece() {
    for piece in [
        "ADR-1 ",
        "[ADR-1](x) ",
        "ADRs 1, ",
        "`a/b.md` ",
        "`a b/c.md` ",
        "docs/a.md:",
        "://",
        "<!--",
        "[x]: y\n",
        "-adr1",
    ] {
        let pieces = 100_000 / piece.len();
        assert!(found(&piece.repeat(pieces)).len() <= 2 * pieces, "{piece}");
        assert!(found(&format!("ADRs: {}", piece.repeat(pieces))).len() <= 2 * pieces, "{piece}");
    }
}
