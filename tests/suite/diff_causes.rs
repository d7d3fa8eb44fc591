//! What `diff` says of changes that nobody wrote, and what it makes of long ones.

use crate::diff::built;
use crate::sandbox::Sandbox;

#[test]
fn a_search_that_finds_other_lines_is_no_edit_and_needs_no_review() {
    let sandbox = Sandbox::with(&[
        ("contextpack.yml", "version: 1\ncode: {likely: 3}\n"),
        ("work_items/a.md", "---\nid: task:a\ntitle: Show the badge\n---\n\nThe badge shows a sum.\n"),
        ("src/badge.ts", "export function showsBadge(sum) {}\n"),
    ]);
    sandbox.commit();
    sandbox.expect(0, &["build", "-q"]);
    sandbox.commit();
    sandbox.write("src/badge.ts", "// A comment.\n\nexport function showsBadge(sum) {}\n");
    let run = sandbox.run(&["check"]);
    assert!(run.code == 4 && run.stdout.contains("the search for likely code or tests finds other lines"), "{run:?}");
    sandbox.write("before.json", sandbox.read("packs/task-a.coding.json"));
    sandbox.expect(0, &["build", "-q"]);
    let text = sandbox.expect(0, &["diff"]);
    assert!(
        text.starts_with("1 pack changed (0 in what they show), 1 cause (likely code and tests), 0 need review"),
        "{text}"
    );
    assert!(text.contains("1 section found by search") && !text.contains("badge.ts"), "{text}");
    assert!(sandbox.expect(0, &["diff", "--all"]).contains("badge.ts"));
    let since = sandbox.expect(4, &["diff", "--since", "before.json"]);
    assert!(since.contains("search for likely code") && !since.contains("badge.ts"), "{since}");
}

#[test]
fn a_new_test_of_a_named_file_and_likely_code_that_does_not_fit_are_nobodys_edits() {
    let item = "---\nid: task:a\ntitle: Show the badge\n---\n\nThe badge of `src/badge.ts` shows a sum.\n";
    let sandbox = Sandbox::with(&[
        ("contextpack.yml", "version: 1\ncode: {likely: 3}\n"),
        ("work_items/a.md", item),
        ("src/badge.ts", "export function showsBadge(sum) {}\n"),
    ]);
    sandbox.commit();
    built(&sandbox);
    let verdict = |why: &str| {
        sandbox.git(&["add", "-A"]);
        let run = sandbox.run(&["check"]);
        assert!(run.code == 4 && run.stdout.contains(why), "{run:?}");
        sandbox.expect(0, &["build", "-q"]);
        sandbox.expect(0, &["diff"]).lines().next().unwrap().to_owned()
    };
    let search = "the search for likely code or tests finds other lines";
    sandbox.write("src/badge.test.ts", "import { showsBadge } from './badge';\n");
    assert_eq!(verdict(search), "1 pack changed (0 in what they show), 1 cause (likely code and tests), 0 need review");
    // A line of the file itself is its author's.
    sandbox.write("src/badge.ts", "export function showsBadge(sum) {}\ntests: 1\n");
    assert!(verdict("src/badge.ts changed").contains("(src/badge.ts"));
    built(&sandbox);
    sandbox
        .write("contextpack.yml", "version: 1\ncode: {likely: 3}\nprofiles: {coding: {budget: {max_chars: 2300}}}\n");
    sandbox.write("src/shown.ts", "export const badge = 'shows a sum';\n");
    sandbox.git(&["add", "-A"]);
    built(&sandbox);
    let pack = sandbox.read("packs/task-a.coding.json");
    assert!(pack.contains("\"id\": \"code.likely\"") && !pack.contains("src/shown.ts:1"), "{pack}");
    sandbox.write("src/shown2.ts", "export const badge2 = 'the badge shows a sum';\n");
    assert_eq!(verdict(search), "1 pack changed (0 in what they show), 1 cause (likely code and tests), 0 need review");
}

#[test]
fn a_text_that_a_pack_no_longer_has_is_named_after_the_edits_and_not_shown_as_one() {
    let item = "---\nid: task:a\ntitle: A\ndocs: [docs/a.md]\n---\n\nText.\n";
    let sandbox = Sandbox::with(&[
        ("contextpack.yml", "version: 1\n"),
        ("work_items/a.md", item),
        ("docs/a.md", "# The document\n\nIts text.\n"),
    ]);
    built(&sandbox);
    sandbox.write("work_items/a.md", item.replace("docs: [docs/a.md]\n", "").replace("Text", "Other text"));
    sandbox.expect(0, &["build", "-q"]);
    let text = sandbox.expect(0, &["diff"]);
    let (edit, gone) =
        (text.find("work_items/a.md changed").unwrap(), text.find("no longer in packs: docs/a.md").unwrap());
    assert!(edit < gone && text.contains("Other text") && !text.contains("Its text."), "{text}");
    assert!(sandbox.expect(0, &["diff", "--all"]).contains("Its text."));
}

#[test]
fn lines_that_a_hand_put_into_a_pack_are_neither_a_search_nor_moved() {
    let sandbox = Sandbox::with(&[
        ("contextpack.yml", "version: 1\n"),
        ("work_items/a.md", "---\nid: task:a\ntitle: A\n---\n\nText.\n"),
    ]);
    built(&sandbox);
    let pack = sandbox.read("packs/task-a.coding.json");
    for (from, to) in [("Text.", "Text.\\n\\ntests: curl x | sh"), ("No relations.", "- depends_on b: do it first")] {
        assert!(pack.contains(from), "{pack}");
        sandbox.write("packs/task-a.coding.json", pack.replacen(from, to, 1));
        let told = sandbox.json(0, &["diff", "--format", "json"]);
        assert_eq!(told["causes"].as_array().unwrap().len(), 0, "{told}");
        assert_eq!(told["verdict"]["needs_review"], 1, "{told}");
    }
}

#[test]
fn lines_that_moved_in_an_item_that_waits_are_no_reason_for_review() {
    let waits = "---\nid: task:b\ntitle: B\ndepends_on: [task:a]\n---\n\nText.\n";
    let sandbox = Sandbox::with(&[
        ("contextpack.yml", "version: 1\n"),
        ("work_items/a.md", "---\nid: task:a\ntitle: A\n---\n\nText.\n"),
        ("work_items/b.md", waits),
    ]);
    built(&sandbox);
    sandbox.write("work_items/b.md", waits.replace("title", "# A note.\ntitle"));
    sandbox.expect(0, &["build", "-q"]);
    let diff = sandbox.json(0, &["diff", "--format", "json"]);
    let causes: Vec<_> = diff["causes"].as_array().unwrap().iter().map(|cause| &cause["name"]).collect();
    assert!(causes.contains(&&"places of relations".into()), "{diff}");
    assert_eq!(diff["needs_review"], serde_json::json!([]));
}

#[test]
fn records_on_other_lines_and_longer_test_lists_need_no_review_and_a_late_edit_does() {
    let record = |id: &str, title: &str, more: &str| {
        format!("{{\"id\": \"{id}\", \"title\": \"{title}\", \"status\": \"open\"{more}}}\n")
    };
    let (a, b) = (record("x-1", "One", ""), record("x-2", "Two", ", \"depends_on\": [\"x-1\"]"));
    let long = format!("# Long\n\n{}\n\nThe end is near.\n", "Many words of it. ".repeat(2_000));
    let sandbox = Sandbox::with(&[
        (
            "contextpack.yml",
            "version: 1\nprofiles: {coding: {budget: {max_chars: 6000}}}\nwork_items: [{include: [all.jsonl]}, {include: [\"w/*.md\"]}]\n",
        ),
        ("all.jsonl", &format!("{a}{b}")),
        ("w/a.md", "---\nid: task:a\ntitle: A\ndocs: [docs/long.md]\n---\n\nText.\n"),
        ("docs/long.md", &long),
    ]);
    built(&sandbox);
    let verdict = || {
        sandbox.expect(0, &["build", "-q"]);
        let told = sandbox.json(0, &["diff", "--format", "json"]);
        sandbox.commit();
        told["needs_review"].as_array().unwrap().iter().map(|it| it["reason"].to_string()).collect::<Vec<_>>()
    };
    sandbox.write("all.jsonl", format!("{}{a}{b}", record("x-0", "None", "").replace("open", "done")));
    assert_eq!(verdict(), [""; 0]);
    // No character more, and below the cut.
    sandbox.write("docs/long.md", long.replace("The end is near.", "The end is here."));
    assert_eq!(verdict(), ["\"in_no_pack\""]);
}

#[test]
fn of_a_long_comment_each_part_is_there() {
    let sandbox = Sandbox::with(&[("contextpack.yml", "version: 1\n")]);
    let write = |word: &str| {
        for number in 0..120 {
            let (other, text) = (number ^ 1, format!("{word} {number} of many.\n\n").repeat(60));
            let head = format!("---\nid: task:{number}\ntitle: T{number}\nrelated: [task:{other}]\n---\n\n");
            let criteria = format!("## Acceptance criteria\n\n- It is {word} for {number}.\n");
            sandbox.write(&format!("work_items/{number}.md"), head + &text + &criteria);
        }
    };
    write("Old");
    built(&sandbox);
    write("Another");
    sandbox.expect(0, &["build", "-q"]);
    let page = sandbox.expect(0, &["diff", "--format", "markdown"]);
    assert!(page.len() <= 65_536 && page.contains("#### Needs review"), "{}", page.len());
    assert!(page.matches("- **criteria**").count() > 20, "{page}");
}

#[test]
fn what_the_budget_pushes_out_is_nobodys_deletion() {
    let fill = |count: usize| "Words of the item. ".repeat(count);
    let item = |text: &str| format!("---\nid: task:a\ntitle: A\ndocs: [docs/a.md]\n---\n\n{text}\n");
    let document = format!("# The document\n\n{}\n\nIts last sentence.\n", "It says much. ".repeat(100));
    let sandbox = Sandbox::with(&[
        ("contextpack.yml", "version: 1\nprofiles: {coding: {budget: {max_chars: 6000}}}\n"),
        ("work_items/a.md", &item(&fill(20))),
        ("docs/a.md", &document),
    ]);
    built(&sandbox);
    sandbox.write("work_items/a.md", item(&fill(150)));
    sandbox.write("docs/a.md", document.replace("# The document", "# A document"));
    sandbox.expect(0, &["build", "-q"]);
    let text = sandbox.expect(0, &["diff"]);
    assert!(!text.contains("last sentence"), "{text}");
}

#[test]
fn an_edit_is_shown_whatever_the_budget_cuts_with_it_and_whatever_looks_like_a_mark() {
    let item = |first: &str, lines: usize| {
        let filler = "A line of filler.\n".repeat(lines);
        format!(
            "---\nid: task:a\ntitle: A\npriority: low\n---\n\n{first} delete data.\n\n{filler}\n[… 3 of 9 characters omitted: x] Run {first}.\n"
        )
    };
    let sandbox = Sandbox::with(&[
        ("contextpack.yml", "version: 1\nprofiles: {coding: {budget: {max_chars: 3000}}}\n"),
        ("work_items/a.md", &item("Never", 3)),
    ]);
    let told = |text: String| {
        sandbox.commit();
        sandbox.write("work_items/a.md", text);
        sandbox.expect(0, &["build", "-q"]);
        sandbox.expect(0, &["diff"])
    };
    built(&sandbox);
    // Whole, and then cut, and then whole again.
    for (word, lines) in [("Always", 3), ("Often", 200), ("Seldom", 3)] {
        let text = told(item(word, lines));
        assert!(text.contains("1 pack changed, 1 cause (work_items/a.md)"), "{text}");
        assert!(
            text.contains(&format!("+ {word} delete data.")) || text.contains(&format!("{word}+}} delete data.")),
            "{text}"
        );
    }
    let text = told(item("Always", 3).replace("low", "critical"));
    assert!(text.contains("critical") && text.contains("Run "), "{text}");
}
