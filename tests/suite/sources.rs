//! Decisions and documents of other projects, in git submodules and in copies.

use crate::sandbox::Sandbox;

const ADR: &str = "# Use a cache\n\n## Status\n\nAccepted\n\n## Decision\n\nOURS\n";
const ITEM: &str = "---\nid: feat:a\ntitle: T\nadrs: [TARGET]\n---\n\nDo it.\n";
const CONFIG: &str = "version: 1\nsources: {org/architecture: shared/arch}\n";

fn adrs(sandbox: &Sandbox, target: &str) -> Vec<String> {
    sandbox.write("work_items/a.md", ITEM.replace("TARGET", target));
    sandbox.commit();
    let pack = sandbox.json(0, &["build", "feat:a", "--out", "-"]);
    let ids = pack["sections"].as_array().unwrap().iter().map(|section| section["id"].as_str().unwrap().to_owned());
    let left_out = pack["omissions"].as_array().unwrap().iter().map(|omission| omission["reason"].to_string());
    ids.filter(|id| id.starts_with("adr.")).chain(left_out).collect()
}

fn sandbox() -> Sandbox {
    Sandbox::with(&[
        ("contextpack.yml", CONFIG),
        ("docs/adr/0012-ours.md", ADR),
        ("shared/arch/docs/adr/0012-theirs.md", &ADR.replace("OURS", "Theirs, as ADR-13 says.")),
        ("shared/arch/docs/adr/0013-more.md", &ADR.replace("Accepted", "Accepted, supersedes ADR-12")),
    ])
}

#[test]
fn a_number_is_that_of_the_project_that_is_named() {
    let sandbox = sandbox();
    let (ours, theirs) = ("adr.docs/adr/0012-ours.md", "adr.shared/arch/docs/adr/0012-theirs.md");
    let newer = "adr.shared/arch/docs/adr/0013-more.md";
    assert_eq!(adrs(&sandbox, "12"), [ours]);
    // Within a project, a number is one of its own: the newer decision is in force there, and not here.
    assert_eq!(adrs(&sandbox, "\"org/architecture#ADR-12\""), [theirs, newer]);
    assert_eq!(adrs(&sandbox, "\"Org/Architecture#adr-0013\""), [newer]);
    assert_eq!(adrs(&sandbox, "\"org/architecture#ADR-14\""), ["\"not_in_repo\""]);
    assert!(sandbox.run(&["build", "feat:a"]).stderr.contains("`org/architecture#ADR-14`"));
    assert_eq!(adrs(&sandbox, "13"), ["\"not_in_repo\""]);
    assert_eq!(adrs(&sandbox, "\"org/other#ADR-13\"").len(), 1);
    sandbox.write("work_items/b.md", "---\nid: feat:b\ntitle: T\n---\n\nAs org/architecture#ADR-13 and ADR-12 say.\n");
    sandbox.write("work_items/c.md", "---\nid: feat:c\ntitle: T\n---\n\nAs org/architecture#ADR-99 says.\n");
    assert!(sandbox.run(&["render", "feat:c"]).stderr.contains("is `org/architecture#ADR-99`"));
    let text = sandbox.expect(0, &["render", "feat:b"]);
    assert!(text.contains(newer) && text.contains(ours) && !text.contains(theirs), "{text}");
}

#[test]
fn a_submodule_is_read_and_a_missing_one_is_named() {
    let other = Sandbox::with(&[("docs/adr/0012-theirs.md", ADR), ("docs/x.md", "# X\n"), ("src/a.rs", "fn a() {}\n")]);
    other.commit();
    let sandbox = Sandbox::with(&[("contextpack.yml", CONFIG), ("work_items/b.md", "# B\n")]);
    sandbox.commit();
    let url = other.root().display().to_string();
    sandbox.git(&["-c", "protocol.file.allow=always", "submodule", "add", "-q", &url, "shared/arch"]);
    let theirs = "adr.shared/arch/docs/adr/0012-theirs.md";
    assert_eq!(adrs(&sandbox, "\"org/architecture#ADR-12\""), [theirs]);
    // What its index tracks counts as tracked, and a change there makes packs stale.
    assert!(sandbox.run(&["build", "--untracked", "untrusted", "--strict"]).code == 0);
    sandbox.write("shared/arch/docs/adr/0012-theirs.md", ADR.replace("OURS", "Other"));
    let said = sandbox.run(&["build"]);
    assert!(said.stderr.contains("1 updated"), "{}", said.stderr);
    // Another repository inside, and a clone without the submodule.
    sandbox.write("contextpack.yml", "version: 1\n");
    assert_eq!(adrs(&sandbox, "\"org/architecture#ADR-12\"").len(), 1);
    sandbox.write("contextpack.yml", CONFIG);
    sandbox.git(&["submodule", "deinit", "-f", "-q", "shared/arch"]);
    let said = sandbox.run(&["build"]);
    assert!(said.stderr.contains("`shared/arch`, the folder of `org/architecture`, has no files"), "{}", said.stderr);
    assert!(said.stderr.contains("git submodule update --init shared/arch"), "{}", said.stderr);
    for (wrong, why) in
        [("x: y", "is not a repo"), ("o/r: ../y", "leads out of the repo"), ("o/r: .", "cannot stand here")]
    {
        sandbox.write("contextpack.yml", format!("version: 1\nsources: {{{wrong}}}\n"));
        let said = sandbox.run(&["build"]);
        assert!(
            said.code == 3 && said.stderr.contains(why) && said.stderr.contains("contextpack.yml:2"),
            "{}",
            said.stderr
        );
    }
}
