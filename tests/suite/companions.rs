//! `output.markdown`: each pack has a companion with its rendering, as fresh as the pack.

use crate::cli::small;
use crate::sandbox::Sandbox;
use std::fs;

const PACK: &str = "packs/feat-cache.coding.json";
const MARKDOWN: &str = "packs/feat-cache.coding.md";

fn built() -> Sandbox {
    let sandbox = small();
    sandbox.write("contextpack.yml", "output: {markdown: true}\n");
    let written = sandbox.expect(0, &["build"]);
    assert!(written.contains(&format!("{PACK}\n{MARKDOWN}\n")), "{written}");
    sandbox.expect(0, &["check", "--strict"]);
    sandbox.expect(0, &["verify", "packs"]);
    sandbox
}

#[test]
fn the_markdown_beside_a_pack_is_exactly_its_rendering() {
    let sandbox = built();
    assert_eq!(sandbox.read(MARKDOWN), sandbox.expect(0, &["render", PACK]));
    assert_eq!(sandbox.expect(0, &["build"]), "", "nothing is written twice");
    sandbox.write("docs/adr/0007-cache.md", "# 7. Cache\n\n## Decision\n\nWe do not.\n");
    assert_eq!(sandbox.expect(0, &["build"]), format!("{PACK}\n{MARKDOWN}\n"));
    assert_eq!(sandbox.read(MARKDOWN), sandbox.expect(0, &["render", PACK]));
    let out = sandbox.beside("out");
    sandbox.expect(0, &["build", "--out", out.to_str().unwrap()]);
    assert_eq!(fs::read_to_string(out.join("feat-cache.coding.md")).unwrap(), sandbox.read(MARKDOWN));
}

#[test]
fn one_that_is_missing_or_edited_is_found_and_made_anew() {
    let sandbox = built();
    let text = sandbox.read(MARKDOWN);
    sandbox.write(MARKDOWN, text.replace("We cache.", "We cash."));
    assert_eq!(
        sandbox.expect(4, &["check"]),
        format!("edited: {PACK}: its Markdown `feat-cache.coding.md` is not its rendering\n")
    );
    let said = sandbox.expect(5, &["verify", "packs"]);
    assert!(said.contains(&format!("invalid: {PACK}: its Markdown `{MARKDOWN}` is not its rendering")), "{said}");
    assert_eq!(sandbox.expect(0, &["build"]), format!("{MARKDOWN}\n"));
    assert_eq!(sandbox.read(MARKDOWN), text);
    fs::remove_file(sandbox.root().join(MARKDOWN)).unwrap();
    assert_eq!(
        sandbox.expect(4, &["check"]),
        format!("missing: {PACK}: its Markdown `feat-cache.coding.md` is missing\n")
    );
    // A pack alone is valid: who received it may have nothing else.
    sandbox.expect(0, &["verify", "packs"]);
    let json = sandbox.json(0, &["build", "--format", "json", "feat:cache"]);
    assert_eq!(json["packs"][0]["status"], "written");
    assert_eq!(json["packs"][0]["files"], serde_json::json!([MARKDOWN]));
    assert_eq!(json["packs"][0]["reasons"][0], "its Markdown `feat-cache.coding.md` is missing");
}

#[test]
fn it_goes_with_its_pack_and_with_the_setting_and_no_other_file_does() {
    let sandbox = built();
    sandbox.write("packs/README.md", "Mine.\n");
    sandbox.write("packs/feat-cache.review.md", "Mine too.\n");
    fs::remove_file(sandbox.root().join("work_items/task-store.md")).unwrap();
    assert!(sandbox.expect(4, &["check"]).contains("orphaned: packs/task-store.coding.json"));
    let written = sandbox.expect(0, &["build"]);
    assert!(written.contains("packs/task-store.coding.json\npacks/task-store.coding.md\n"), "{written}");
    sandbox.expect(0, &["check"]);

    sandbox.write("contextpack.yml", "");
    let said = sandbox.expect(4, &["check"]);
    assert!(said.contains("`output.markdown` is off: `contextpack build` removes it"), "{said}");
    // A stale one is one too, and a text of somebody is not.
    sandbox.write("docs/adr/0007-cache.md", "# 7. Cache\n\n## Decision\n\nWe do not.\n");
    sandbox.write("packs/epic-speed.coding.md", "My notes on speed.\n");
    assert_eq!(sandbox.expect(0, &["build", "--no-prune"]), format!("{PACK}\n"));
    assert_eq!(sandbox.expect(0, &["build"]), format!("{MARKDOWN}\n"));
    let left: Vec<String> =
        sandbox.files().into_iter().map(|(path, _)| path).filter(|path| path.starts_with("packs/")).collect();
    assert_eq!(
        left,
        [
            "packs/README.md",
            "packs/epic-speed.coding.json",
            "packs/epic-speed.coding.md",
            PACK,
            "packs/feat-cache.review.md"
        ]
    );
    sandbox.expect(0, &["check"]);
}

#[cfg(unix)]
#[test]
fn no_link_is_written_through() {
    let sandbox = built();
    fs::write(sandbox.beside("mine.md"), "Mine.\n").unwrap();
    fs::remove_file(sandbox.root().join(MARKDOWN)).unwrap();
    std::os::unix::fs::symlink(sandbox.beside("mine.md"), sandbox.root().join(MARKDOWN)).unwrap();
    sandbox.expect(0, &["build"]);
    assert_eq!(fs::read_to_string(sandbox.beside("mine.md")).unwrap(), "Mine.\n");
    assert!(!sandbox.root().join(MARKDOWN).is_symlink());
}

#[test]
fn diff_notes_a_companion_that_is_not_the_rendering() {
    let sandbox = built();
    sandbox.commit();
    let other = sandbox.beside("before");
    sandbox.expect(0, &["build", "-q", "--out", other.to_str().unwrap()]);
    let sides = [&["diff"][..], &["diff", other.to_str().unwrap(), "packs"], &["diff", PACK, PACK]];
    for args in sides {
        assert!(!sandbox.run(args).stderr.contains("Markdown"), "{args:?}");
    }
    sandbox.write(MARKDOWN, sandbox.read(MARKDOWN).replace("We cache.", "We cash."));
    for args in sides {
        let run = sandbox.run(&[args, &["--exit-code"]].concat());
        let note = format!("note: {PACK}: its Markdown `{MARKDOWN}` is not its rendering; only packs are compared");
        assert!(run.code == 0 && run.stderr.matches(&note).count() == 1, "{args:?}: {run:?}");
        assert_eq!(sandbox.run(&[args, &["-q"]].concat()).stderr, "", "{args:?}");
    }
    // What was committed is compared alone.
    assert!(!sandbox.run(&["diff", "HEAD..HEAD"]).stderr.contains("Markdown"));
}

#[test]
fn one_of_an_earlier_rendering_goes_too_and_half_of_one_does_not() {
    let sandbox = built();
    let mut pack = contextpack::read_pack(sandbox.read(PACK).as_bytes()).unwrap();
    pack.budget.rendering = "markdown/1".to_owned();
    sandbox.write(MARKDOWN, contextpack::render(&pack).whole());
    let (half, text) = ("packs/task-store.coding.md", sandbox.read("packs/task-store.coding.md"));
    sandbox.write(half, &text.as_bytes()[..text.len() / 2]);
    sandbox.write("contextpack.yml", "");
    sandbox.expect(0, &["build"]);
    assert!(!sandbox.has(MARKDOWN) && sandbox.has(half));
}
