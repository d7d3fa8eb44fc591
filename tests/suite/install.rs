//! How a job of the workflows that `init` writes gets the program: from a release, by its digest, or from a commit.
#![cfg(target_os = "linux")]

use crate::sandbox::{Run, Sandbox};
use crate::workflows::{on_github, step};
use contextpack::internals::model::Digest;
use serde_yaml::Value;
use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;
use std::sync::{Arc, Mutex};

const ARCHIVE: &str = "contextpack-9.9.9-x86_64-unknown-linux-musl.tar.gz";

/// A job that installs the program, and a server in the place of github.com.
struct Install {
    sandbox: Sandbox,
    job: Value,
    /// The paths that were asked for.
    asked: Arc<Mutex<Vec<String>>>,
    digest: String,
}

fn program(sandbox: &Sandbox, name: &str, script: &str) {
    let path = sandbox.beside("programs").join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, format!("#!/bin/bash\n{script}\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
}

impl Install {
    /// Serves a release if `released` is set, else nothing.
    fn new(released: bool) -> Self {
        let sandbox = on_github();
        sandbox.expect(0, &["init"]);
        let workflow: Value = serde_yaml::from_str(&sandbox.read(".github/workflows/contextpack.yml")).unwrap();
        program(&sandbox, "release/contextpack", "echo released");
        fs::write(sandbox.beside("programs/release/man"), "not a program").unwrap();
        let folder = sandbox.beside("programs/release");
        let tar = Command::new("tar").args(["-czf", ARCHIVE, "contextpack", "man"]).current_dir(&folder).status();
        assert!(tar.unwrap().success());
        let archive = fs::read(folder.join(ARCHIVE)).unwrap();
        let digest = Digest::of(&archive).hex();

        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let asked = Arc::new(Mutex::new(Vec::new()));
        let log = Arc::clone(&asked);
        std::thread::spawn(move || {
            for mut stream in listener.incoming().flatten() {
                let mut head =
                    BufReader::new(&stream).lines().map_while(Result::ok).take_while(|line| !line.is_empty());
                let path = head.next().and_then(|line| line.split(' ').nth(1).map(str::to_owned));
                let _rest = head.count();
                log.lock().unwrap().extend(path);
                let (status, body) = if released { ("200 OK", &*archive) } else { ("404 Not Found", &b"no"[..]) };
                let head = format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", body.len());
                let _sent = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body));
            }
        });
        // What would go to github.com, without encryption to the server above.
        let curl = format!(
            "args=()\nfor arg; do\n  case $arg in\n  =https) arg==http ;;\n  https://github.com/*) arg=http://127.0.0.1:{port}/${{arg#https://github.com/}} ;;\n  https:* | http:*) exit 9 ;;\n  esac\n  args+=(\"$arg\")\ndone\nPATH=${{PATH#*:}} exec curl \"${{args[@]}}\""
        );
        program(&sandbox, "curl", &curl);
        program(&sandbox, "rustup", "");
        program(
            &sandbox,
            "cargo",
            "mkdir -p ~/.cargo/bin\nprintf '#!/bin/sh\\necho built\\n' > ~/.cargo/bin/contextpack\nchmod +x ~/.cargo/bin/contextpack",
        );
        Self { sandbox, job: workflow["jobs"]["packs"].clone(), asked, digest }
    }

    /// Runs the step; returns it with what the installed program says.
    fn run(&self, version: &str, sha256: &str, machine: (&str, &str)) -> (Run, String) {
        let installed = self.sandbox.beside("home/.cargo/bin/contextpack");
        let _none = fs::remove_file(&installed);
        let env = [
            ("CONTEXTPACK_REPOSITORY", "https://github.com/owner/contextpack"),
            ("CONTEXTPACK_COMMIT", "0123456789abcdef0123456789abcdef01234567"),
            ("CONTEXTPACK_VERSION", version),
            ("CONTEXTPACK_SHA256", sha256),
            ("RUNNER_OS", machine.0),
            ("RUNNER_ARCH", machine.1),
        ];
        let (ended, _) = step(&self.sandbox, &self.job, "Install contextpack", &env);
        let said = if installed.exists() { Command::new(&installed).output().unwrap().stdout } else { Vec::new() };
        (ended, String::from_utf8(said).unwrap())
    }

    fn asked(&self) -> Vec<String> {
        std::mem::take(&mut self.asked.lock().unwrap())
    }
}

const HERE: (&str, &str) = ("Linux", "X64");

#[test]
fn a_release_with_the_pinned_digest_is_installed_and_nothing_else_of_it() {
    let install = Install::new(true);
    let (ended, said) = install.run("9.9.9", &install.digest, HERE);
    assert_eq!((ended.code, &*said), (0, "released\n"), "{}{}", ended.stdout, ended.stderr);
    assert_eq!(install.asked(), [format!("/owner/contextpack/releases/download/v9.9.9/{ARCHIVE}")]);
    assert!(!install.sandbox.beside("home/.cargo/bin/man").exists());
}

#[test]
fn a_release_with_another_digest_ends_the_job_and_is_neither_unpacked_nor_replaced() {
    let install = Install::new(true);
    let (ended, said) = install.run("9.9.9", &"0".repeat(64), HERE);
    assert_eq!((ended.code, &*said), (1, ""), "{}{}", ended.stdout, ended.stderr);
    assert!(ended.stdout.contains("::error title=contextpack::") && ended.stdout.contains("does not have the SHA-256"));
    assert_eq!(install.asked().len(), 1);
}

#[test]
fn without_a_release_the_pinned_commit_is_built_and_the_log_says_why() {
    let missing = Install::new(false);
    let (ended, said) = missing.run("9.9.9", &missing.digest, HERE);
    assert_eq!((ended.code, &*said), (0, "built\n"), "{}{}", ended.stdout, ended.stderr);
    assert!(ended.stdout.contains("::warning title=contextpack::") && ended.stdout.contains("cannot be fetched"));
    assert_eq!(missing.asked().len(), 1);

    let install = Install::new(true);
    for (version, sha256, machine, why) in [
        ("", "", HERE, "CONTEXTPACK_SHA256 names no release: the commit is built"),
        ("9.9.9", &*install.digest, ("Linux", "ARM64"), "here the commit is built"),
        ("9.9.9", &*install.digest, ("macOS", "X64"), "here the commit is built"),
    ] {
        let (ended, said) = install.run(version, sha256, machine);
        assert_eq!((ended.code, &*said), (0, "built\n"), "{}{}", ended.stdout, ended.stderr);
        assert!(ended.stdout.contains(why), "{}", ended.stdout);
    }
    assert_eq!(install.asked(), Vec::<String>::new());
}

#[test]
fn a_release_that_is_pinned_by_half_or_wrongly_is_no_release() {
    let install = Install::new(true);
    let digest = &*install.digest;
    let two = format!("{digest}\n{digest}");
    for (version, sha256) in [
        ("9.9.9", ""),
        ("", digest),
        ("../9.9.9", digest),
        ("$(touch pwned)", digest),
        ("9.9.9", "main"),
        ("9.9.9", &digest[..63]),
        ("9.9.9", &two),
        ("9.9.9\n", digest),
    ] {
        let (ended, said) = install.run(version, sha256, HERE);
        assert_eq!((ended.code, &*said), (1, ""), "{version} {sha256}: {}{}", ended.stdout, ended.stderr);
        assert!(
            ended.stdout.contains("Set CONTEXTPACK_VERSION, a release, and CONTEXTPACK_SHA256"),
            "{}",
            ended.stdout
        );
    }
    assert_eq!(install.asked(), Vec::<String>::new());
}
