//! Starts git, waits for it, and says how it failed.

use crate::model::describe;
use std::ffi::OsStr;
use std::hash::{BuildHasher as _, RandomState};
use std::io::{self, Read, Write as _};
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

/// The longest time that git may take for one step of a publication.
pub const MAX_DURATION: Duration = Duration::from_secs(120);

/// The longest time that git may take to answer a question: a log of all branches of a large repository takes minutes.
const MAX_ANSWER: Duration = Duration::from_secs(3600);

const LOCK_TRIES: u32 = 10;

/// The most of git's messages that is read, in bytes, and the longest line of them that is shown, in characters: a remote writes
/// some of them.
const MAX_MESSAGES: u64 = 1 << 20;
const MAX_LINE: usize = 400;

/// A file that is empty on every machine.
const NO_FILE: &str = if cfg!(windows) { "NUL" } else { "/dev/null" };

#[derive(Debug)]
pub struct Git<'a> {
    command: Command,
    root: &'a Path,
    input: Option<&'a str>,
    limit: Duration,
}

#[derive(Debug, Default, PartialEq, Eq, thiserror::Error)]
#[error("{why}")]
pub struct GitError {
    /// The reason: a sentence without a secret.
    pub why: String,
    pub is_missing: bool,
    pub is_timeout: bool,
    /// Whether the remote received the push and refused it, so that it did not arrive.
    pub is_rejection: bool,
    is_locked: bool,
}

impl GitError {
    fn new(why: String) -> Self {
        Self { why, ..Self::default() }
    }

    fn not_started(error: &io::Error) -> Self {
        let is_missing = error.kind() == io::ErrorKind::NotFound;
        let why = match is_missing {
            true => "git is not installed, or not on the `PATH`".to_owned(),
            false => format!("git cannot be started: {}", describe(error)),
        };
        Self { is_missing, ..Self::new(why) }
    }
}

impl From<GitError> for String {
    fn from(error: GitError) -> Self {
        error.why
    }
}

impl<'a> Git<'a> {
    /// Prepares a question. Neither the environment nor the user's settings change its answer, and it starts no program that
    /// the repository's own settings name.
    pub fn isolated(root: &'a Path, arguments: &[&str]) -> Self {
        let options = ["safe.directory=*", "core.quotepath=off", "core.fsmonitor=false", "log.showSignature=false"];
        let mut git = Self::with_options(root, &options, arguments);
        for (name, _) in std::env::vars_os().filter(|(name, _)| name.as_encoded_bytes().starts_with(b"GIT_")) {
            git.command.env_remove(name);
        }
        git.env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_CONFIG_GLOBAL", NO_FILE)
            .env("GIT_OPTIONAL_LOCKS", "0")
            .env("GIT_TERMINAL_PROMPT", "0")
            // Replacements and grafts of one clone change what a commit is, and no other clone has them.
            .env("GIT_NO_REPLACE_OBJECTS", "1")
            .env("GIT_GRAFT_FILE", NO_FILE)
            .env("LC_ALL", "C")
    }

    /// Prepares a command with the settings of the user, who is the author of the commits. It runs no hook, and no program that
    /// watches files.
    pub fn as_user(root: &'a Path, arguments: &[&str]) -> Self {
        // Hooks may be files of the branch, which nobody reviewed.
        let no_hooks = format!("core.hooksPath={NO_FILE}");
        let options =
            ["core.quotepath=off", "gc.auto=0", &no_hooks, "core.fsmonitor=false", "protocol.ext.allow=never"];
        let mut git = Self::with_options(root, &options, arguments).within(MAX_DURATION);
        for name in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX"] {
            git.command.env_remove(name);
        }
        git.env("GIT_TERMINAL_PROMPT", "0").env("LC_ALL", "C")
    }

    fn with_options(root: &'a Path, options: &[&str], arguments: &[&str]) -> Self {
        let mut command = Command::new("git");
        command.args(options.iter().flat_map(|option| ["-c", option])).args(arguments).current_dir(root);
        Self { command, root, input: None, limit: MAX_ANSWER }
    }

    #[must_use]
    pub fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    /// Refuses to fetch what a partial clone lacks.
    #[must_use]
    pub(super) fn offline(self) -> Self {
        self.env("GIT_NO_LAZY_FETCH", "1").env("GIT_ALLOW_PROTOCOL", "none")
    }

    #[must_use]
    pub fn input(self, input: Option<&'a str>) -> Self {
        Self { input, ..self }
    }

    /// Sets the longest time that it may take.
    #[must_use]
    pub fn within(self, limit: Duration) -> Self {
        Self { limit, ..self }
    }

    /// Starts it with pipes for requests and answers.
    pub(super) fn spawn(mut self) -> Result<std::process::Child, GitError> {
        let command = self.command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        command.spawn().map_err(|error| GitError::not_started(&error))
    }

    /// Runs it, and returns what it prints without the last line end.
    pub fn text(self) -> Result<String, GitError> {
        self.bytes().map(|bytes| String::from_utf8_lossy(&bytes).trim_end().to_owned())
    }

    /// Runs it, and returns what it prints.
    pub fn bytes(self) -> Result<Vec<u8>, GitError> {
        let root = self.root;
        let output = self.output()?;
        if output.status.success() { Ok(output.stdout) } else { Err(failure(root, &output.stderr)) }
    }

    pub(super) fn output(mut self) -> Result<GitOutput, GitError> {
        self.command.stdin(if self.input.is_some() { Stdio::piped() } else { Stdio::null() });
        let spawned = self.command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
        let mut child = spawned.map_err(|error| GitError::not_started(&error))?;
        let until = Instant::now() + self.limit;
        if let (Some(input), Some(mut stdin)) = (self.input, child.stdin.take()) {
            // If git ends early, its own error is the one to report.
            let _ = stdin.write_all(input.as_bytes());
        }
        let (stdout, stderr) = (read_all(child.stdout.take(), u64::MAX), read_all(child.stderr.take(), MAX_MESSAGES));
        let read = |stream: Receiver<Vec<u8>>| stream.recv_timeout(until.saturating_duration_since(Instant::now()));
        let (Ok(stdout), Ok(stderr)) = (read(stdout), read(stderr)) else {
            // A remote that does not answer must not hold the command for ever. Either fails only if git has ended.
            let _ = child.kill();
            let _ = child.wait();
            let limit = Duration::from_millis(u64::try_from(self.limit.as_millis()).unwrap_or(u64::MAX));
            let why = format!("git failed: there is no answer within {}", humantime::format_duration(limit));
            return Err(GitError { is_timeout: true, ..GitError::new(why) });
        };
        let status = child.wait().map_err(|error| GitError::not_started(&error))?;
        Ok(GitOutput { status, stdout, stderr })
    }
}

pub(super) struct GitOutput {
    pub(super) status: ExitStatus,
    pub(super) stdout: Vec<u8>,
    stderr: Vec<u8>,
}

/// Runs git with the settings of the user.
pub fn git(root: &Path, arguments: &[&str]) -> Result<String, String> {
    Ok(Git::as_user(root, arguments).text()?)
}

/// Runs git as [`git`] does, and waits while the user's own git, or one whose command was killed, holds a lock.
pub fn patient(root: &Path, arguments: &[&str], input: Option<&str>) -> Result<String, String> {
    for _ in 0..LOCK_TRIES {
        match Git::as_user(root, arguments).input(input).text() {
            Err(error) if error.is_locked => wait(),
            result => return Ok(result?),
        }
    }
    Err("git failed: its index stays locked (help: if no git command runs, remove the `.lock` files in git's folder)"
        .to_owned())
}

/// Waits between 0.1 and 1 second, by chance, so that clones do not collide again.
pub fn wait() {
    let random = RandomState::new().hash_one(Instant::now());
    thread::sleep(Duration::from_millis(100 + random % 900));
}

/// Returns the failure that git's messages describe.
fn failure(root: &Path, stderr: &[u8]) -> GitError {
    let stderr = String::from_utf8_lossy(stderr);
    // The line that gives the reason: what the remote says, then why it was rejected, then git's own error.
    let lines = || stderr.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("hint:"));
    let begins = |with: &'static str| lines().find(|line| line.starts_with(with));
    let line = begins("remote: ").or_else(|| begins("! [")).or_else(|| begins("fatal: ")).or_else(|| lines().next());
    let line = line.unwrap_or_default().trim_start_matches("fatal: ").trim_start_matches("error: ");
    // Such a line ends with a colon; files follow, then what to do.
    let files: Vec<&str> = stderr.lines().filter(|line| line.starts_with('\t')).map(str::trim).take(5).collect();
    let line = match line.ends_with(':') {
        true => format!("{line} {} (help: commit or stash them)", files.join(", ")),
        false => line.to_owned(),
    };
    // git names the folder in full, and a place on one machine tells others nothing.
    let line = printable_line(&line.replace(&*root.to_string_lossy(), "."));
    let is_locked = stderr.contains(".lock': File exists");
    let is_rejection = ["! [rejected]", "! [remote rejected]"].into_iter().any(|word| begins(word).is_some());
    let why = format!("git failed: {}", if line.is_empty() { "it does not say why" } else { &line });
    GitError { is_rejection, is_locked, ..GitError::new(why) }
}

/// Returns a line without control characters, and not longer than is shown.
fn printable_line(line: &str) -> String {
    let mut shown: String = line.chars().filter(|c| !c.is_control()).take(MAX_LINE).collect();
    if line.chars().nth(MAX_LINE).is_some() {
        shown.push('…');
    }
    shown
}

/// Reads a stream to its end, in a thread that need not be waited for, and returns at most `most` bytes.
fn read_all(stream: Option<impl Read + Send + 'static>, most: u64) -> Receiver<Vec<u8>> {
    let (sender, receiver) = channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        // What was read before an error is all that git printed; the receiver is gone after the time limit.
        let _ = stream.map(|mut stream| {
            let _ = stream.by_ref().take(most).read_to_end(&mut bytes);
            io::copy(&mut stream, &mut io::sink())
        });
        let _ = sender.send(bytes);
    });
    receiver
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn shell(script: &str, input: Option<&str>, limit: Duration) -> Result<String, String> {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        Ok(Git { command, root: Path::new("/nowhere"), input, limit }.text()?)
    }

    #[test]
    fn a_remote_that_does_not_answer_is_given_up() {
        let begun = Instant::now();
        let minute = Duration::from_secs(60);
        let hangs = shell("echo some; exec sleep 100", None, Duration::from_millis(200));
        assert_eq!(hangs, Err("git failed: there is no answer within 200ms".to_owned()));
        assert!(begun.elapsed() < Duration::from_secs(50));
        assert_eq!(shell("cat; echo noise >&2", Some("text"), minute), Ok("text".to_owned()));
        let fails = shell("echo 'fatal: no /nowhere/x' >&2; exit 1", None, minute);
        assert_eq!(fails, Err("git failed: no ./x".to_owned()));
        // A remote writes as much as it likes, and git waits until all of it is read.
        let flood = "(printf 'remote: \\033[31m'; head -c 3000000 /dev/zero | tr '\\0' x) >&2; exit 1";
        let flooded = shell(flood, None, minute).err().unwrap_or_default();
        assert!(flooded.starts_with("git failed: remote: [31mxxx") && flooded.ends_with("x…"), "{flooded}");
        assert!(flooded.chars().count() < 2 * MAX_LINE);
    }
}
