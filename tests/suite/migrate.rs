//! `docs/migrate-context-flow.py` turns an export of the original's tables into files that build.

use crate::sandbox::Sandbox;
use std::process::{Command, Output};

fn migrate(sandbox: &Sandbox, out: &str) -> Output {
    let here = env!("CARGO_MANIFEST_DIR");
    Command::new("python3")
        .args([format!("{here}/docs/migrate-context-flow.py"), format!("{here}/tests/migrate/export.json")])
        .args(["--out", out])
        .current_dir(sandbox.root())
        .output()
        .unwrap()
}

#[test]
fn an_export_becomes_files_that_build_and_holds_no_secret() {
    let sandbox = Sandbox::new();
    let run = migrate(&sandbox, ".");
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    let settings = String::from_utf8(run.stdout).unwrap();
    sandbox.write("contextpack.yml", &settings);
    for (path, bytes) in sandbox.files() {
        assert!(!String::from_utf8_lossy(&bytes).contains("canary"), "{path}");
    }
    let shown = sandbox.json(0, &["agent", "show", "agent:research:main", "--format", "json"]);
    assert_eq!(shown["purpose"], "Finds out what buyers want");
    let pack = sandbox.expect(0, &["render", "--agent", "research"]);
    for part in [
        "The shop sells tea to offices.",
        "Ada owns the shop.",
        "- Campaigns run in three accounts",
        "- Never pause a campaign without approval.",
        "Ads: accounts",
        "Every claim must have three sources.",
    ] {
        assert!(pack.contains(part), "{part}: {pack}");
    }
    // Another agent's document is nowhere.
    assert!(!pack.contains('製') && sandbox.expect(0, &["render", "--agent", "writer"]).contains("The shop sells tea"));
    let job = sandbox.expect(0, &["agent", "job", "daily-brief"]);
    assert!(job.trim_end().contains("Say what changed since yesterday."), "{job}");
    let again = migrate(&sandbox, ".");
    assert!(!again.status.success() && String::from_utf8_lossy(&again.stderr).contains("nothing was written"));
}
