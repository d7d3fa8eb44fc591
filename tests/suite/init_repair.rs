//! `init` that was interrupted leaves whole files, and makes whole what breaks off.

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

#[test]
fn every_file_that_breaks_off_is_made_whole_and_no_whole_one_is_touched() {
    let sandbox = Sandbox::new();
    let written = sandbox.expect(0, &["init", "--commit"]);
    for path in written.lines() {
        let whole = sandbox.read(path);
        for length in [0, 1, whole.len() / 3, whole.len() / 2, whole.len() - 2] {
            sandbox.write_exact(path, whole.as_bytes()[..length].trim_ascii_end());
            let again = sandbox.expect(0, &["init", "--commit", "-q"]);
            // What of the block's first line does not name the program may be somebody else's.
            let unsure = path == ".gitattributes" && length == 1;
            assert!(unsure || again == format!("{path}\n") && sandbox.read(path) == whole, "{path} {length}");
            sandbox.write(path, &whole);
        }
        let own = format!("# mine\n{whole}");
        sandbox.write(path, &own);
        let again = sandbox.expect(0, &["init", "--commit", "-q"]);
        assert!(!again.contains(path) && sandbox.read(path) == own, "{path}: {again}");
        sandbox.write(path, &whole);
    }
}

#[test]
fn a_block_that_breaks_off_anywhere_is_made_whole_and_all_else_stays() {
    let sandbox = Sandbox::new();
    sandbox.expect(0, &["init", "--commit"]);
    let block = sandbox.read(".gitattributes");
    // Less than the name may be anyone's, and stays.
    for at in (0..block.len() - 1).step_by(23).filter(|at| *at == 0 || *at >= "# contextpack".len()) {
        for (before, after) in [("*.png binary\n", ""), ("*.png binary\n", "*.rs text\n"), ("", "*.rs text\n")] {
            // Text that was appended since starts on a line of its own.
            let line = block[..at].rfind('\n').map_or(0, |end| end + 1);
            let end = if after.is_empty() { at } else { line };
            sandbox.write(".gitattributes", format!("{before}{}{after}", &block[..end]));
            sandbox.expect(0, &["init", "--commit", "-q"]);
            let expected = if end == 0 { format!("{before}{after}{block}") } else { format!("{before}{block}{after}") };
            assert_eq!(sandbox.read(".gitattributes"), expected, "{at}");
        }
    }
}
