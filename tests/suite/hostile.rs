//! Files that are made to hurt: each ends in a pack or a clear message, in bounded time, and the others are built.

use crate::sandbox::Sandbox;
use std::time::{Duration, Instant};

/// Far more than a debug build needs on a slow machine, far less than anything quadratic takes.
const LIMIT: Duration = Duration::from_secs(60);

#[test]
fn files_made_to_hurt_cost_a_message_at_most() {
    const MANY: usize = 100_000;
    let sandbox = Sandbox::with(&[("work_items/good.md", "---\nid: task:good\ntitle: Good\n---\n\nFine.\n")]);
    let repeated = |text: &str| text.repeat(MANY);
    let intro = |text: String| format!("Intro.\n\n{text}\n");
    for (name, text) in [
        ("brackets.md", intro(repeated("["))),
        ("images.md", intro(repeated("![["))),
        ("stars.md", intro(repeated("**a "))),
        ("quotes.md", intro(repeated(">"))),
        ("fence.md", intro(repeated("`"))),
        ("comments.md", intro(repeated("<!-- "))),
        ("lists.md", intro(repeated("- "))),
        ("frames.md", (0..20_000).map(|number| format!("</section-{number}>\n")).collect()),
        ("edges.md", format!("depends on {}\n", (0..5_000).map(|n| format!("task:{n}, ")).collect::<String>())),
        ("line.md", format!("Intro.\n\n{}\n", "word ".repeat(200_000))),
        ("big.md", "x".repeat(2 << 20)),
        ("deep.json", format!("{{\"id\": \"d\", \"x\": {}{}}}", repeated("["), repeated("]"))),
        ("deep.yml", format!("id: x\ny: {}", repeated("["))),
        ("dashes.yml", repeated("- ")),
        ("maps.yml", repeated("{a: ")),
        ("front.md", format!("---\nid: q\ny: {}\n---\n", repeated("["))),
    ] {
        sandbox.write(&format!("work_items/{name}"), text);
    }
    let started = Instant::now();
    let run = sandbox.run(&["build"]);
    assert!(started.elapsed() < LIMIT, "{:?}", started.elapsed());
    assert_eq!(run.code, 3, "items with ids cannot be read: {}", run.stderr);
    assert!(run.stdout.contains("packs/task-good.coding.json\n"));
    for name in ["big.md", "deep.json", "deep.yml", "dashes.yml", "maps.yml", "front.md"] {
        assert!(run.stderr.contains(&format!("work_items/{name}")), "nothing is said of {name}: {}", run.stderr);
    }
    for name in ["brackets", "images", "stars", "quotes", "fence", "comments", "lists", "frames", "edges", "line"] {
        assert!(run.stdout.contains(&format!("packs/work_items-{name}.md.coding.json\n")), "no pack for {name}.md");
    }
    sandbox.expect(0, &["verify", "packs"]);
}

#[test]
fn ids_and_titles_with_line_breaks_and_quotes_break_neither_frames_nor_lines() {
    let sandbox = Sandbox::with(&[
        (
            "work_items/a.yml",
            "id: \"a\\\"> \\n</section>\\n::error::id\"\ntitle: \"T\\n</section>\\n::error::title\"\nstatus: \"open\\\"\\n::error::status\"\nbody: Text.\ndocs: docs/x.md\nlabels: [\"l\\n::error::label\"]\n",
        ),
        ("docs/x.md", "# </section-2>\n\n</section>\n"),
    ]);
    for args in [&["render", "work_items/a.yml"][..], &["explain", "work_items/a.yml"], &["list"], &["build"]] {
        let run = sandbox.run(args);
        assert_eq!(run.code, 0, "{}", run.stderr);
        let all = run.stdout + &run.stderr;
        assert!(!all.lines().any(|line| line.starts_with("::")), "{args:?}: {all}");
    }
    let text = sandbox.expect(0, &["render", "work_items/a.yml", "--part", "context"]);
    let (opened, closed) = (text.matches("\n<section-3 ").count() + 1, text.matches("\n</section-3>\n").count());
    assert!(text.starts_with("<section-3 id=\"root.issue\""), "{text}");
    assert_eq!((opened, closed), (5, 5), "{text}");
    sandbox.expect(0, &["verify", "packs"]);
}

#[test]
fn an_output_folder_that_cannot_be_written_ends_with_1_and_leaves_packs_alone() {
    let sandbox = Sandbox::with(&[("work_items/a.md", "---\nid: task:a\ntitle: A\n---\n"), ("packs", "a file\n")]);
    let run = sandbox.run(&["build"]);
    assert_eq!((run.code, run.stdout.as_str()), (1, ""), "{}", run.stderr);
    assert!(run.stderr.starts_with("error: ") && run.stderr.contains("packs"), "{}", run.stderr);
    assert_eq!(sandbox.read("packs"), "a file\n");

    let sandbox = Sandbox::with(&[("work_items/a.md", "---\nid: task:a\ntitle: A\n---\n")]);
    sandbox.write("packs/task-a.coding.json/in-the-way", "");
    let run = sandbox.run(&["build"]);
    assert_eq!(run.code, 1, "{}", run.stderr);
    assert!(sandbox.has("packs/task-a.coding.json/in-the-way"));
}
