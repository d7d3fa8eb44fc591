//! `attest` says what can be signed of packs, and `verify --against-repo` whether they are what the repo gives.

use crate::cli::small;
use sha2::Digest as _;

const PACK: &str = "packs/feat-cache.coding.json";

#[test]
fn a_statement_names_the_file_by_its_bytes_and_says_what_it_was_made_of() {
    let sandbox = small();
    sandbox.expect(0, &["build"]);
    let statement = sandbox.json(0, &["attest", PACK, "packs/task-store.coding.json"]);
    assert_eq!(statement["_type"], "https://in-toto.io/Statement/v1");
    assert_eq!(statement["predicateType"], "urn:contextpack:predicate:packs:1");
    let subject = &statement["subject"][0];
    assert_eq!(subject["name"], "feat-cache.coding.json");
    let sum = sha2::Sha256::digest(sandbox.read(PACK));
    let hex: String = sum.iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(subject["digest"]["sha256"], hex);
    let pack: serde_json::Value = serde_json::from_str(&sandbox.read(PACK)).unwrap();
    let attested = &statement["predicate"]["packs"][0];
    for field in ["schema_version", "hash", "pack_id", "profile", "root", "inputs", "generator", "generated_at"] {
        assert_eq!(attested[field], pack[field], "{field}");
    }
    assert_eq!(sandbox.json(0, &["attest", "--predicate", PACK])["packs"][0], *attested);
}

#[test]
fn what_is_not_valid_gets_no_statement() {
    let sandbox = small();
    sandbox.expect(0, &["build"]);
    sandbox.write("packs/other.json", "{}");
    sandbox.write(PACK, sandbox.read(PACK).replace("We cache.", "We cash."));
    for args in [&["attest", PACK][..], &["attest", "packs/task-store.coding.json", "packs/other.json"]] {
        assert_eq!(sandbox.expect(5, args), "");
    }
    sandbox.expect(1, &["attest", "packs/none.json"]);
    sandbox.expect(2, &["attest"]);
    sandbox.write("copy/task-store.coding.json", sandbox.read("packs/task-store.coding.json"));
    sandbox.expect(2, &["attest", "packs/task-store.coding.json", "copy/task-store.coding.json"]);
}

#[test]
fn a_pack_is_held_against_its_repo() {
    let sandbox = small();
    sandbox.expect(0, &["build"]);
    // Whenever it was built.
    let mut later = sandbox.command(&["verify", "packs", "--against-repo"]);
    later.env("SOURCE_DATE_EPOCH", "1800000000");
    assert_eq!(crate::sandbox::run(later, "").code, 0);
    sandbox.expect(0, &["build", "-p", "review", "feat:cache"]);
    sandbox.expect(0, &["verify", "packs/feat-cache.review.json", "--against-repo"]);
    sandbox.write("docs/adr/0007-cache.md", "# 7. Cache\n\n## Decision\n\nWe do not.\n");
    sandbox.expect(0, &["verify", "packs"]);
    let said = sandbox.expect(5, &["verify", "packs", "--against-repo"]);
    assert!(
        said.contains(&format!("invalid: {PACK}: the repo gives a different pack: docs/adr/0007-cache.md changed\n")),
        "{said}"
    );
    assert!(said.contains("valid: packs/task-store.coding.json"), "{said}");
    std::fs::remove_file(sandbox.root().join("work_items/feat-cache.md")).unwrap();
    let said = sandbox.expect(5, &["verify", PACK, "--against-repo"]);
    assert!(said.contains("the repo has no such pack: there is no item `feat:cache`"), "{said}");
}
