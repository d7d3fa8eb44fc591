//! A repo of its own for each test, and the program run in it with nothing of the machine around.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tempfile::TempDir;

/// The time of every build that says nothing else.
pub(crate) const EPOCH: &str = "1771723200";

/// Where the program of workflows comes from.
pub(crate) const ORIGIN: &str = "https://github.com/owner/contextpack@0123456789abcdef0123456789abcdef01234567";

/// A folder with a repo in it, removed at the end of the test.
pub(crate) struct Sandbox {
    dir: TempDir,
    root: PathBuf,
    /// Variables of the program's environment.
    variables: Vec<(String, String)>,
    /// Whether it got a configuration, which may be gone again.
    configured: AtomicBool,
}

/// How the program ended, and what it said.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Run {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Sandbox {
    /// An empty repo that is a plain folder.
    pub(crate) fn new() -> Self {
        Self::named("repo")
    }

    /// An empty repo in a folder of this name.
    pub(crate) fn named(name: &str) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join(name);
        fs::create_dir_all(&root).unwrap();
        fs::create_dir(dir.path().join("home")).unwrap();
        Self { dir, root, variables: Vec::new(), configured: AtomicBool::new(false) }
    }

    /// A repo with these files.
    pub(crate) fn with(files: &[(&str, &str)]) -> Self {
        let sandbox = Self::new();
        for (path, text) in files {
            sandbox.write(path, text);
        }
        sandbox
    }

    /// A repo with an empty configuration, which makes it one below any other folder, and these files.
    pub(crate) fn configured(files: &[(&str, &str)]) -> Self {
        let sandbox = Self::with(&[("contextpack.yml", "version: 1\n")]);
        files.iter().for_each(|(path, text)| sandbox.write(path, text));
        sandbox
    }

    /// Sets a variable of the program's environment.
    pub(crate) fn set_variable(&mut self, name: &str, value: &str) {
        self.variables.push((name.to_owned(), value.to_owned()));
    }

    /// The path of a file of the repo.
    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.root.join(path)
    }

    /// The repo's folder.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// A folder beside the repo.
    pub(crate) fn beside(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// Writes a file, with the folders it needs. A configuration that names no folder of packs keeps them in `packs`.
    pub(crate) fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        let text = match str::from_utf8(text.as_ref()) {
            Ok(config) if path.ends_with("contextpack.yml") && !path.starts_with('.') => {
                committing(config).into_bytes()
            }
            _ => text.as_ref().to_owned(),
        };
        self.write_exact(path, text);
    }

    /// Writes a file as it is.
    pub(crate) fn write_exact(&self, path: &str, text: impl AsRef<[u8]>) {
        let file = self.root.join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
        self.configured.fetch_or(path.starts_with("contextpack."), Ordering::Relaxed);
    }

    /// The text of a file.
    pub(crate) fn read(&self, path: &str) -> String {
        fs::read_to_string(self.root.join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    /// Whether a file is there.
    pub(crate) fn has(&self, path: &str) -> bool {
        self.root.join(path).symlink_metadata().is_ok()
    }

    /// Makes it a git repository with everything committed.
    pub(crate) fn commit(&self) {
        if !self.has(".git") {
            self.git(&["init", "-q", "-b", "main"]);
        }
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "--allow-empty", "-m", "files"]);
    }

    /// Runs git as an author who is always the same.
    pub(crate) fn git(&self, args: &[&str]) -> String {
        let mut command = self.bare("git");
        command.args(args);
        for who in ["AUTHOR", "COMMITTER"] {
            command.env(format!("GIT_{who}_NAME"), "A").env(format!("GIT_{who}_EMAIL"), "a@example.com");
            command.env(format!("GIT_{who}_DATE"), "2026-01-01T00:00:00Z");
        }
        let output = command.output().unwrap();
        assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    /// A command in the repo with no environment but a path and a home of its own.
    fn bare(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.current_dir(&self.root).env_clear().env("HOME", self.beside("home"));
        // Windows finds neither its own libraries nor a temporary folder without these.
        for name in ["PATH", "SystemRoot", "TEMP", "TMP"] {
            if let Some(value) = std::env::var_os(name) {
                command.env(name, value);
            }
        }
        command.env("GIT_CONFIG_NOSYSTEM", "1").env("GIT_CEILING_DIRECTORIES", self.dir.path());
        command
    }

    /// The program in the repo, at a time that is always the same. A repo without a configuration gets one that keeps packs
    /// in `packs`, unless it is empty, except for `init`, which is told where the program of workflows comes from.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = self.bare(env!("CARGO_BIN_EXE_contextpack"));
        command.args(args).env("SOURCE_DATE_EPOCH", EPOCH);
        if args.contains(&"init") {
            command.args(["--from", ORIGIN]);
        } else if !self.configured.load(Ordering::Relaxed) {
            let there = fs::read_dir(&self.root).into_iter().flatten().flatten().map(|entry| entry.file_name());
            let there: Vec<_> = there.filter(|name| name != ".git").collect();
            // `init` may have written one.
            if !there.is_empty() && !there.contains(&"contextpack.yml".into()) {
                self.write("contextpack.yml", "");
            }
        }
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        command
    }

    /// Runs the program.
    pub(crate) fn run(&self, args: &[&str]) -> Run {
        run(self.command(args), "")
    }

    /// Runs the program with `input` on its standard input.
    pub(crate) fn run_with(&self, args: &[&str], input: &str) -> Run {
        run(self.command(args), input)
    }

    /// Runs the program, which must end with this code, and gives its standard output.
    pub(crate) fn expect(&self, code: i32, args: &[&str]) -> String {
        let run = self.run(args);
        assert_eq!(run.code, code, "contextpack {args:?}\n{}{}", run.stdout, run.stderr);
        run.stdout
    }

    /// The same, read as JSON.
    pub(crate) fn json(&self, code: i32, args: &[&str]) -> serde_json::Value {
        let text = self.expect(code, args);
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("contextpack {args:?}: {error}\n{text}"))
    }

    /// Runs the first shell script after a heading of a page in `docs/`, as it stands there.
    #[cfg(unix)]
    pub(crate) fn run_script_of(&self, page: &str, heading: &str) -> Run {
        let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs").join(page);
        let text = fs::read_to_string(page).unwrap();
        let after = text.split(heading).nth(1).unwrap();
        let script = after.split("```sh\n").nth(1).unwrap().split("```").next().unwrap();
        let bin = Path::new(env!("CARGO_BIN_EXE_contextpack")).parent().unwrap();
        let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
        let mut shell = Command::new("sh");
        shell.args(["-euc", script]).current_dir(&self.root).env_clear().env("PATH", path);
        shell.env("HOME", self.beside("home")).env("GIT_CEILING_DIRECTORIES", self.dir.path());
        run(shell, "")
    }

    /// Every file of the repo outside `.git` with its bytes, sorted.
    pub(crate) fn files(&self) -> Vec<(String, Vec<u8>)> {
        files(&self.root)
    }

    /// Every file of the folder of packs with its bytes, sorted by name.
    pub(crate) fn packs(&self) -> Vec<(String, Vec<u8>)> {
        let packs = self.path("packs");
        if packs.is_dir() { files(&packs) } else { Vec::new() }
    }
}

/// The configuration with `packs` as the folder of packs, unless it names one.
fn committing(config: &str) -> String {
    let folder = "dir: packs";
    let lines: Vec<&str> = config.split_inclusive('\n').collect();
    let Some(at) = lines.iter().position(|line| line.starts_with("output:")) else {
        let end = if config.is_empty() || config.ends_with('\n') { "" } else { "\n" };
        return format!("{config}{end}output: {{{folder}}}\n");
    };
    let within = lines[at + 1..].iter().take_while(|line| line.starts_with(' ')).count();
    let (before, (output, after)) = (lines[..at].concat(), lines[at..].split_at(within + 1));
    let output = output.concat();
    let output = match output.contains("dir:") {
        true => output,
        false if output.contains('{') => output.replacen('{', &format!("{{{folder}, "), 1),
        false => format!("{}\n  {folder}\n", output.trim_end()),
    };
    before + &output + &after.concat()
}

/// Runs a command to its end, which has to come within two minutes.
pub(crate) fn run(mut command: Command, input: &str) -> Run {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // A program that does not read its input may be gone before all is written.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    // Waits in the background, so that a program that hangs fails the test instead of holding it.
    let (sender, receiver) = std::sync::mpsc::channel();
    std::thread::spawn(move || sender.send(child.wait_with_output()));
    let output = receiver.recv_timeout(Duration::from_secs(120));
    let output = output.unwrap_or_else(|_| panic!("the program still runs after two minutes")).unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Run { code: output.status.code().unwrap_or(-1), stdout: text(output.stdout), stderr: text(output.stderr) }
}

/// Every file below `folder` outside `.git` with its bytes, by its path with `/`, sorted.
pub(crate) fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let walk = walkdir::WalkDir::new(folder).into_iter().filter_entry(|entry| entry.file_name() != ".git");
    let mut files: Vec<(String, Vec<u8>)> = walk
        .map(|entry| entry.unwrap_or_else(|error| panic!("{error}")))
        .filter(|entry| entry.file_type().is_file())
        .map(|entry| {
            let path = entry.path().strip_prefix(folder).unwrap().to_str().unwrap().replace('\\', "/");
            (path, fs::read(entry.path()).unwrap())
        })
        .collect();
    files.sort();
    files
}
