//! `init` that was interrupted leaves whole files, and the next one goes on.

use crate::sandbox::{ORIGIN, Sandbox};

/// Kills `init` with SIGKILL at one moment after the other: each file is whole or not there, and the next run ends the work.
#[cfg(unix)]
#[test]
fn a_killed_init_leaves_no_half_file_and_the_next_one_goes_on() {
    let whole = Sandbox::new();
    whole.git(&["init", "-q"]);
    whole.expect(0, &["init", "--for", "claude"]);
    let whole: std::collections::BTreeMap<_, _> = whole.files().into_iter().collect();
    let mut seen = std::collections::BTreeSet::new();
    for turn in 0..18_u32 {
        let sandbox = Sandbox::new();
        sandbox.git(&["init", "-q"]);
        let mut command = sandbox.command(&["init", "--for", "claude"]);
        command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null());
        let mut child = command.spawn().unwrap();
        // As soon as so many files are there.
        let wanted = (turn % 9) as usize;
        let there = || {
            let walk =
                walkdir::WalkDir::new(sandbox.root()).into_iter().filter_entry(|entry| entry.file_name() != ".git");
            walk.filter_map(|entry| entry.ok().filter(|entry| entry.file_type().is_file())).count()
        };
        while there() < wanted && child.try_wait().unwrap().is_none() {}
        let _gone = child.kill();
        child.wait().unwrap();
        let files: Vec<_> = sandbox.files().into_iter().filter(|(path, _)| !path.ends_with(".tmp")).collect();
        seen.insert(files.len());
        for (path, bytes) in files {
            assert!(whole.get(&path) == Some(&bytes), "{path} is half");
        }
        sandbox.expect(0, &["init", "--for", "claude"]);
        let now: Vec<_> = sandbox.files().into_iter().filter(|(path, _)| !path.ends_with(".tmp")).collect();
        let names: Vec<_> = now.iter().map(|(path, _)| path.as_str()).collect();
        assert!(now.iter().all(|(path, bytes)| path.ends_with(".md") || whole[path] == *bytes), "{names:?}");
        sandbox.expect(0, &["build", "-q"]);
    }
    assert!(seen.len() > 2, "{seen:?}");
}

/// A limit on the size of files cuts writes as a full disk does, and kills the process besides.
#[cfg(unix)]
#[test]
fn a_write_that_is_cut_leaves_no_half_file_and_the_next_init_goes_on() {
    let whole = Sandbox::new();
    whole.expect(0, &["init"]);
    let whole = whole.files();
    for signal in ["", "trap '' XFSZ;"] {
        let sandbox = Sandbox::new();
        let plain = sandbox.command(&["init"]);
        let mut command = std::process::Command::new("bash");
        command.env_clear().current_dir(sandbox.root());
        command.envs(plain.get_envs().filter_map(|(name, value)| Some((name, value?))));
        let script = format!("{signal} ulimit -f 1; exec '{}' init --from {ORIGIN}", env!("CARGO_BIN_EXE_contextpack"));
        let run = crate::sandbox::run(
            {
                command.args(["-c", &script]);
                command
            },
            "",
        );
        assert_ne!(run.code, 0, "a file of more than 1 KiB was to be written");
        assert!(signal.is_empty() || run.stderr.contains("error: cannot write `"), "{}", run.stderr);
        let there = sandbox.files().into_iter().filter(|(path, _)| !path.ends_with(".tmp"));
        there.for_each(|file| assert!(whole.contains(&file), "{} is half", file.0));
        sandbox.expect(0, &["init"]);
        let now: Vec<_> = sandbox.files().into_iter().filter(|(path, _)| !path.ends_with(".tmp")).collect();
        assert!(now == whole);
    }
}
