//! The cached notes on documents: packs for agents are the same with them and without.

use crate::agents::{CANARY, CONFIG, office};
use crate::sandbox::Sandbox;
use std::fs;
use std::thread::sleep;
use std::time::Duration;

const CACHE: &str = ".contextpack/cache";

/// Longer than a file must have rested for its state to identify its text.
const REST: Duration = Duration::from_millis(2_200);

const DELIVERIES: [&[&str]; 4] = [
    &["build", "--agent", "research", "--policy", "expanded"],
    &["build", "feat:root", "--agent", "research"],
    &["build", "feat:root", "--agent", "ops", "--policy", "expanded"],
    &["agent", "job", "daily"],
];

fn delivered(sandbox: &Sandbox) -> Vec<String> {
    DELIVERIES
        .iter()
        .map(|args| {
            let run = sandbox.run(args);
            run.stdout + &run.stderr
        })
        .collect()
}

/// Asserts that packs are the same with the cache and without.
fn compare(sandbox: &Sandbox, what: &str) {
    let (first, second) = (delivered(sandbox), delivered(sandbox));
    fs::remove_dir_all(sandbox.path(CACHE)).unwrap();
    let without = delivered(sandbox);
    assert_eq!(first, without, "{what}");
    assert_eq!(second, without, "{what}");
}

#[test]
fn packs_are_the_same_with_cached_notes_whatever_changes() {
    let sandbox = office();
    sleep(REST);
    delivered(&sandbox);
    let kept = sandbox.path(".contextpack/cache/documents");
    let bytes = fs::read(&kept).unwrap();
    assert!(bytes.len() > 1_000, "{}", bytes.len());
    assert!(!bytes.windows(CANARY.len()).any(|window| window == CANARY.as_bytes()));
    delivered(&sandbox);
    assert_eq!(fs::read(&kept).unwrap(), bytes, "nothing is made again");
    compare(&sandbox, "nothing");

    let parts: &[(&str, String)] = &[
        ("knowledge/tunnels.md", "# Tunnels\n\nUploads fail no longer in tunnels. Never drop parts.\n".to_owned()),
        ("knowledge/uploads.md.notes.yml", "summary: [Uploads are made in parts]\nrules: []\n".to_owned()),
        ("knowledge/uploads.md.notes.yml", "summary: [Uploads are never made]\nrules: []\n".to_owned()),
        ("knowledge/zebra.md", "---\npinned: true\nagent: research\n---\n# Zebra\n\nAlways stripe.\n".to_owned()),
        ("knowledge/keys.md", "# Keys\n\nNo secret any more.\n".to_owned()),
        ("agents/research.md", "---\nname: Research\nkey: agent:other\npurpose: zebra\n---\nYou read.\n".to_owned()),
        ("agents/zebra.md", "---\nname: Zebra\n---\nStripes.\n".to_owned()),
        ("contextpack.yml", CONFIG.replace("relevant: 2", "relevant: 3, bullets: 1")),
    ];
    for (path, text) in parts {
        sandbox.write(path, text);
        compare(&sandbox, path);
    }
    fs::remove_file(sandbox.path("knowledge/uploads.md.notes.yml")).unwrap();
    compare(&sandbox, "a removed file of notes");
}

#[test]
fn a_value_of_the_environment_is_never_cached() {
    let sandbox = office();
    let value = &["Kq7mB2xT", "9wPz4RnV", "8cLd"].concat();
    sandbox.write("knowledge/tunnels.md", format!("# Tunnels\n\nUploads fail in {value}.\n"));
    sleep(REST);
    let mut command = sandbox.command(DELIVERIES[0]);
    command.env("DEPLOY_TOKEN", value);
    let first = command.output().unwrap();
    assert!(!String::from_utf8_lossy(&first.stdout).contains(value), "{first:?}");
    let bytes = fs::read(sandbox.path(".contextpack/cache/documents")).unwrap();
    assert!(!bytes.windows(value.len()).any(|window| window == value.as_bytes()));
    let without = sandbox.run(DELIVERIES[0]);
    assert!(without.stdout.contains(value), "{without:?}");
    let mut command = sandbox.command(DELIVERIES[0]);
    command.env("DEPLOY_TOKEN", value);
    let with = command.output().unwrap();
    assert!(!String::from_utf8_lossy(&with.stdout).contains(value));
}
