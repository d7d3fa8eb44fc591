//! A folder of its own and the program with a cleared environment.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

/// A repo on disk that vanishes with the value.
pub(crate) struct Sandbox {
    folder: tempfile::TempDir,
    vars: Vec<(String, String)>,
}

/// What a run of the program said.
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Sandbox {
    /// A folder with these files, and no git in or above it.
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        let sandbox = Self { folder: tempfile::tempdir().unwrap(), vars: Vec::new() };
        sandbox.write("contextpack.yml", "version: 1\n");
        for (path, text) in files {
            sandbox.write(path, text);
        }
        sandbox
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.folder.path().join("repo")
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.root().join(path)
    }

    pub(crate) fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        let path = self.path(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    pub(crate) fn read(&self, path: &str) -> String {
        std::fs::read_to_string(self.path(path)).unwrap()
    }

    /// Sets a variable of the program's environment.
    pub(crate) fn var(&mut self, name: &str, value: &str) {
        self.vars.push((name.to_owned(), value.to_owned()));
    }

    /// Runs the program in the repo. It has to end by itself within two minutes.
    pub(crate) fn run<S: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = S>) -> Ran {
        let mut command = Command::new(env!("CARGO_BIN_EXE_contextpack"));
        command
            .args(args)
            .current_dir(self.root())
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.folder.path())
            .env("SOURCE_DATE_EPOCH", "1767323045")
            .envs(self.vars.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        // What a system cannot start a program without.
        for name in ["SystemRoot", "TEMP", "TMP"] {
            command.envs(std::env::var_os(name).map(|value| (name, value)));
        }
        let child = command.spawn().unwrap();
        let output = ended(child);
        Ran {
            code: output.status.code().unwrap_or(-1),
            out: String::from_utf8_lossy(&output.stdout).into_owned(),
            err: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    /// The path of every file there is.
    pub(crate) fn files(&self) -> Vec<String> {
        let root = self.root();
        let walk = walkdir::WalkDir::new(&root).into_iter().map(Result::unwrap);
        let files = walk.filter(|entry| entry.file_type().is_file());
        let mut files: Vec<String> =
            files.map(|entry| entry.path().strip_prefix(&root).unwrap().to_str().unwrap().replace('\\', "/")).collect();
        files.sort();
        files
    }

    /// Every pack there is: its name and its bytes.
    pub(crate) fn packs(&self) -> Vec<(String, Vec<u8>)> {
        let Ok(entries) = std::fs::read_dir(self.path("packs")) else { return Vec::new() };
        let mut packs: Vec<_> = entries
            .map(|entry| {
                let entry = entry.unwrap();
                (entry.file_name().into_string().unwrap(), std::fs::read(entry.path()).unwrap())
            })
            .collect();
        packs.sort();
        packs
    }
}

/// Waits in the background, so that a program that hangs fails the test instead of holding it.
fn ended(child: std::process::Child) -> Output {
    let started = Instant::now();
    let (sender, receiver) = std::sync::mpsc::channel();
    std::thread::spawn(move || sender.send(child.wait_with_output()));
    let output = receiver.recv_timeout(Duration::from_secs(120));
    output.unwrap_or_else(|_| panic!("still running after {:?}", started.elapsed())).unwrap()
}

/// Runs git in a folder, without anybody's configuration.
pub(crate) fn git(dir: &Path, args: &[&str]) -> String {
    let output = Command::new("git")
        .args(args)
        .current_dir(dir)
        .env("GIT_CONFIG_GLOBAL", if cfg!(windows) { "NUL" } else { "/dev/null" })
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env_remove("GIT_DIR")
        .output()
        .unwrap();
    assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}
