//! What the command line names, and what lies in the output folder, is read in bounded time and memory.
#![cfg(unix)]

use crate::cli::small;
use crate::sandbox::Sandbox;
use std::fs::File;
use std::os::unix::fs::symlink;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Far more than any of it takes.
const LIMIT: Duration = Duration::from_secs(60);

/// Runs the program, which must end in time, with a file as its standard input; gives its exit code and what it said.
fn ended(sandbox: &Sandbox, args: &[&str], input: Stdio) -> (i32, String) {
    let out = sandbox.beside("said");
    let file = File::create(&out).unwrap();
    let mut command = sandbox.command(args);
    command.stdin(input).stdout(file.try_clone().unwrap()).stderr(file);
    let mut child = command.spawn().unwrap();
    let started = Instant::now();
    let code = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status.code().unwrap();
        }
        if started.elapsed() > LIMIT {
            child.kill().unwrap();
            panic!("contextpack {args:?} hangs");
        }
        std::thread::sleep(Duration::from_millis(20));
    };
    (code, std::fs::read_to_string(out).unwrap())
}

fn fifo(sandbox: &Sandbox, path: &str) {
    assert!(Command::new("mkfifo").arg(sandbox.root().join(path)).status().unwrap().success());
}

fn large(sandbox: &Sandbox, path: &str) {
    File::create(sandbox.root().join(path)).unwrap().set_len((64 << 20) + 1).unwrap();
}

const NAMED: [&[&str]; 10] = [
    &["verify", "@"],
    &["diff", "@", "packs/feat-cache.coding.json"],
    &["diff", "packs/feat-cache.coding.json", "@"],
    &["redact", "@"],
    &["redact", "--report", "@"],
    &["page", "-o", "-", "@"],
    &["git", "textconv", "@"],
    &["render", "@"],
    &["explain", "@"],
    &["git", "merge", "@", "@", "packs/feat-cache.coding.json"],
];

#[test]
fn a_named_file_that_is_none_or_too_large_is_refused() {
    let sandbox = small();
    sandbox.expect(0, &["build", "-q"]);
    fifo(&sandbox, "fifo");
    large(&sandbox, "large.json");
    symlink("/dev/zero", sandbox.root().join("zero.json")).unwrap();
    for file in ["fifo", "large.json", "zero.json", "/dev/zero"] {
        for args in NAMED {
            let args: Vec<&str> = args.iter().map(|arg| if *arg == "@" { file } else { arg }).collect();
            let (code, said) = ended(&sandbox, &args, Stdio::null());
            assert!([1, 2].contains(&code), "{args:?}: {code}: {said}");
            let why = if file == "large.json" { "larger than 64 MiB" } else { "not a regular file" };
            let root = matches!(args[0], "render" | "explain") && file != "large.json";
            assert!(root || args[1] == "merge" || said.contains(why), "{args:?}: {said}");
        }
    }
}

#[test]
fn standard_input_is_bounded_and_a_pipe_of_the_shell_is_read() {
    let sandbox = small();
    sandbox.expect(0, &["build", "-q"]);
    for args in [&["verify", "-"][..], &["render", "-"], &["redact"], &["diff", "-", "packs/feat-cache.coding.json"]] {
        let (code, said) = ended(&sandbox, args, File::open("/dev/zero").unwrap().into());
        assert!(code == 1 && said.contains("larger than 64 MiB"), "{args:?}: {code}: {said}");
    }
    let pack = || File::open(sandbox.root().join("packs/feat-cache.coding.json")).unwrap();
    let mut cat = Command::new("cat").stdin(pack()).stdout(Stdio::piped()).spawn().unwrap();
    let (code, said) = ended(&sandbox, &["verify", "/dev/fd/0"], cat.stdout.take().unwrap().into());
    assert_eq!(code, 0, "{said}");
    cat.wait().unwrap();
    symlink("packs/feat-cache.coding.json", sandbox.root().join("link.json")).unwrap();
    sandbox.expect(0, &["verify", "link.json"]);
}

#[test]
fn links_and_pipes_in_the_output_folder_are_not_followed() {
    let sandbox = small();
    sandbox.expect(0, &["build", "-q"]);
    let outside = sandbox.beside("outside.json");
    std::fs::write(&outside, sandbox.read("packs/feat-cache.coding.json").replace("We cache.", "Stolen.")).unwrap();
    symlink(&outside, sandbox.root().join("packs/link.json")).unwrap();
    symlink("/dev/zero", sandbox.root().join("packs/zero.json")).unwrap();
    fifo(&sandbox, "packs/fifo.json");
    for args in [&["page", "-o", "-"][..], &["page", "-o", "-", "packs"], &["check"], &["list"]] {
        let (code, said) = ended(&sandbox, args, Stdio::null());
        assert!(code == 0 && !said.contains("Stolen"), "{args:?}: {code}: {said}");
    }
    // A special file in place of a pack must not count as absent.
    let (code, said) = ended(&sandbox, &["verify", "packs"], Stdio::null());
    assert!(code == 5 && !said.contains("Stolen"), "{code}: {said}");
    assert_eq!(said.matches("it is not a regular file").count(), 3, "{said}");
    let (code, said) = ended(&sandbox, &["diff", "packs", "packs"], Stdio::null());
    assert!(code == 0 && !said.contains("Stolen"), "{code}: {said}");
    large(&sandbox, "packs/large.json");
    for args in [&["page", "-o", "-"][..], &["page", "-o", "-", "packs"], &["verify", "packs"]] {
        let (code, said) = ended(&sandbox, args, Stdio::null());
        // It stops no other pack.
        assert!(code == 5 && said.contains("larger than 64 MiB"), "{args:?}: {code}: {said}");
    }
}

#[test]
fn a_report_replaces_no_pipe_no_device_and_no_link() {
    let sandbox = small();
    sandbox.expect(0, &["build", "-q"]);
    fifo(&sandbox, "pipe.html");
    symlink("elsewhere.html", sandbox.root().join("link.html")).unwrap();
    for name in ["pipe.html", "link.html"] {
        let before = sandbox.root().join(name).symlink_metadata().unwrap().file_type();
        let (code, said) = ended(&sandbox, &["page", "-o", name], Stdio::null());
        assert!(code == 2 && said.contains(name), "{code}: {said}");
        assert_eq!(sandbox.root().join(name).symlink_metadata().unwrap().file_type(), before);
    }
    sandbox.expect(0, &["page", "-o", "page.html"]);
    sandbox.expect(0, &["page", "-o", "page.html"]);
}

#[test]
fn an_output_folder_that_is_a_link_is_refused() {
    let sandbox = small();
    let outside = sandbox.beside("elsewhere");
    std::fs::create_dir(&outside).unwrap();
    std::fs::write(outside.join("a.json"), "Stolen.").unwrap();
    symlink(&outside, sandbox.root().join("packs")).unwrap();
    let (code, said) = ended(&sandbox, &["page", "-o", "-"], Stdio::null());
    assert!(code == 1 && said.contains("is a link") && !said.contains("Stolen"), "{code}: {said}");
    #[cfg(feature = "page")]
    assert_eq!(ended(&sandbox, &["page", "--serve"], Stdio::null()).0, 1);
}

#[test]
fn packs_of_a_revision_are_bounded_together() {
    let sandbox = small();
    // A thousand names of one file, which git stores once.
    sandbox.write("packs/0.json", vec![b' '; 32 << 20]);
    sandbox.git(&["init", "-q", "-b", "main"]);
    for number in 1..40 {
        std::fs::hard_link(sandbox.root().join("packs/0.json"), sandbox.root().join(format!("packs/{number}.json")))
            .unwrap();
    }
    sandbox.commit();
    std::fs::remove_dir_all(sandbox.root().join("packs")).unwrap();
    let (code, said) = ended(&sandbox, &["diff", "HEAD"], Stdio::null());
    assert!(code == 1 && said.contains("larger than 1 GiB together"), "{code}: {said}");
}

#[test]
fn json_made_to_hurt_is_refused() {
    let sandbox = small();
    let deep =
        format!("{{\"schema_version\": \"context_pack/v1\", \"x\": {}{}}}", "[".repeat(1 << 20), "]".repeat(1 << 20));
    let number = format!("{{\"schema_version\": \"context_pack/v1\", \"x\": {}}}", "9".repeat(1 << 20));
    let power = format!("{{\"schema_version\": \"context_pack/v1\", \"x\": 1e{}}}", "9".repeat(1 << 20));
    let digits = format!("{{\"schema_version\": \"context_pack/v1\", \"x\": 0.{}1}}", "0".repeat(1 << 20));
    let list = format!("{{\"schema_version\": \"context_pack/v1\", \"sections\": [{}0]}}", "0,".repeat(1 << 20));
    for (name, text) in [("deep", deep), ("number", number), ("power", power), ("digits", digits), ("list", list)] {
        sandbox.write("hurt.json", text);
        for args in [&["verify", "hurt.json"][..], &["render", "hurt.json"], &["explain", "hurt.json"]] {
            let (code, said) = ended(&sandbox, args, Stdio::null());
            assert_eq!(code, 5, "{name} {args:?}: {}", &said[..said.len().min(500)]);
        }
        let (code, _) = ended(&sandbox, &["diff", "hurt.json", "hurt.json"], Stdio::null());
        assert!((0..=5).contains(&code), "{name}: {code}");
    }
}

#[test]
fn a_reader_that_has_seen_enough_changes_no_exit_code() {
    let sandbox = small();
    sandbox.expect(0, &["build", "-q"]);
    sandbox.write("bad.json", "{}");
    sandbox.write("binary.md", [0, 1, 2]);
    for (args, code) in [
        (&["verify", "bad.json"][..], 5),
        (&["verify", "packs"], 0),
        (&["notes", "binary.md"], 3),
        (&["check", "gone"], 2),
    ] {
        let (reader, out) = std::io::pipe().unwrap();
        drop(reader);
        let status = sandbox.command(args).stdout(out).stderr(Stdio::null()).status().unwrap();
        assert_eq!(status.code(), Some(code), "{args:?}");
    }
}
