//! Runs git, and says how it failed.

use crate::intake::NO_FILE;
use crate::store::random_name;
use std::io::{self, Read, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

/// How long a push is tried again, and the longest time that git may take for one step.
pub(super) const LONGEST: Duration = Duration::from_secs(120);

/// How often git is tried while another git holds a lock.
const LOCK_TRIES: u32 = 10;

/// The most of git's messages that is read, in bytes, and the longest line of them that is shown, in characters: a remote writes
/// some of them.
const MAX_MESSAGES: u64 = 1 << 20;
const LONGEST_LINE: usize = 400;

/// Runs git for at most [`LONGEST`].
pub(super) fn git(root: &Path, arguments: &[&str]) -> Result<String, String> {
    output(command(root, arguments), None, LONGEST)
}

/// Runs git as [`git`] does, and waits while the user's own git, or one whose command was killed, holds a lock.
pub(super) fn patient(root: &Path, arguments: &[&str], input: Option<&str>) -> Result<String, String> {
    for _ in 0..LOCK_TRIES {
        match run(command(root, arguments), input, LONGEST) {
            Err(error) if error.is_locked => wait(),
            result => return result.map_err(|error| error.why),
        }
    }
    Err("git failed: its index stays locked (help: if no git command runs, remove the `.lock` files in git's folder)"
        .to_owned())
}

/// Waits between 0.1 and 1 second, by chance, so that clones do not collide again.
pub(super) fn wait() {
    let random = u64::from_str_radix(random_name().get(..8).unwrap_or_default(), 16).unwrap_or_default();
    thread::sleep(Duration::from_millis(100 + random % 900));
}

/// Prepares a git command with the settings of the user, who is the author of the commits. It runs no hook, and no program that
/// watches files.
pub(super) fn command(root: &Path, arguments: &[&str]) -> Command {
    let mut git = Command::new("git");
    for name in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX"] {
        git.env_remove(name);
    }
    git.env("GIT_TERMINAL_PROMPT", "0").env("LC_ALL", "C").args(["-c", "core.quotepath=off", "-c", "gc.auto=0"]);
    // Hooks may be files of the branch, which nobody reviewed.
    git.args(["-c", &format!("core.hooksPath={NO_FILE}"), "-c", "core.fsmonitor=false"]);
    git.args(["-c", "protocol.ext.allow=never"]);
    git.args(arguments).current_dir(root);
    git
}

/// Why git failed.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct GitError {
    /// The line that says why.
    pub(super) why: String,
    /// Whether git did not end in time.
    pub(super) is_timeout: bool,
    /// Whether the remote took the push and refused it, so that it did not arrive.
    pub(super) is_rejection: bool,
    /// Whether another git holds a lock.
    is_locked: bool,
}

/// Runs git for at most `limit`, and returns what it prints without the last line end.
pub(super) fn output(git: Command, input: Option<&str>, limit: Duration) -> Result<String, String> {
    run(git, input, limit).map_err(|error| error.why)
}

/// Runs git as [`output`] does, and says how it failed.
pub(super) fn run(mut git: Command, input: Option<&str>, limit: Duration) -> Result<String, GitError> {
    let error = |why: String| GitError { why, is_timeout: false, is_rejection: false, is_locked: false };
    git.stdin(if input.is_some() { Stdio::piped() } else { Stdio::null() });
    let cannot = |cause: io::Error| error(format!("git cannot be run: {}", cause.kind()));
    let mut child = git.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().map_err(cannot)?;
    let until = Instant::now() + limit;
    if let (Some(input), Some(mut stdin)) = (input, child.stdin.take()) {
        // If git ends early, its own error is the one to report.
        let _ = stdin.write_all(input.as_bytes());
    }
    let (stdout, stderr) = (whole(child.stdout.take(), u64::MAX), whole(child.stderr.take(), MAX_MESSAGES));
    let read = |stream: Receiver<Vec<u8>>| stream.recv_timeout(until.saturating_duration_since(Instant::now()));
    let (Ok(stdout), Ok(stderr)) = (read(stdout), read(stderr)) else {
        // A remote that does not answer must not hold the command for ever. Either fails only if git has ended.
        let _ = child.kill();
        let _ = child.wait();
        let limit = Duration::from_millis(u64::try_from(limit.as_millis()).unwrap_or(u64::MAX));
        let why = format!("git failed: there is no answer within {}", humantime::format_duration(limit));
        return Err(GitError { is_timeout: true, ..error(why) });
    };
    if child.wait().map_err(cannot)?.success() {
        return Ok(String::from_utf8_lossy(&stdout).trim_end().to_owned());
    }
    let stderr = String::from_utf8_lossy(&stderr);
    // The line that says why: what the remote says, then why it was rejected, then git's own error.
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
    let is_locked = stderr.contains(".lock': File exists");
    let is_rejection = ["! [rejected]", "! [remote rejected]"].into_iter().any(|word| begins(word).is_some());
    let line = shown(&line);
    let why = format!("git failed: {}", if line.is_empty() { "it does not say why" } else { &line });
    Err(GitError { is_rejection, is_locked, ..error(why) })
}

/// Returns a line without control characters, and not longer than is shown.
fn shown(line: &str) -> String {
    let mut shown: String = line.chars().filter(|c| !c.is_control()).take(LONGEST_LINE).collect();
    if line.chars().nth(LONGEST_LINE).is_some() {
        shown.push('…');
    }
    shown
}

/// Reads a stream to its end, in a thread that need not be waited for, and returns at most these many bytes.
fn whole(stream: Option<impl Read + Send + 'static>, most: u64) -> Receiver<Vec<u8>> {
    let (sender, receiver) = channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        // What was read before an error is all that git said; the receiver is gone after the time limit.
        let _ = stream.map(|mut stream| {
            let _ = stream.by_ref().take(most).read_to_end(&mut bytes);
            io::copy(&mut stream, &mut io::sink())
        });
        let _ = sender.send(bytes);
    });
    receiver
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn a_remote_that_does_not_answer_is_given_up() {
        let begun = Instant::now();
        let command = |words: &[&str]| {
            let mut command = Command::new("sh");
            command.args(["-c", &words.join(" ")]);
            command
        };
        let limit = Duration::from_millis(200);
        let hangs = output(command(&["echo some; exec sleep 100"]), None, limit);
        assert_eq!(hangs, Err("git failed: there is no answer within 200ms".to_owned()));
        assert!(begun.elapsed() < Duration::from_secs(50));
        let both = output(command(&["cat; echo noise >&2"]), Some("text"), Duration::from_secs(60));
        assert_eq!(both, Ok("text".to_owned()));
        let fails = output(command(&["echo 'fatal: no' >&2; exit 1"]), None, Duration::from_secs(60));
        assert_eq!(fails, Err("git failed: no".to_owned()));
        // A remote writes as much as it likes, and git waits until all of it is read.
        let flood = "(printf 'remote: \\033[31m'; head -c 3000000 /dev/zero | tr '\\0' x) >&2; exit 1";
        let flooded = output(command(&[flood]), None, Duration::from_secs(60)).err().unwrap_or_default();
        assert!(flooded.starts_with("git failed: remote: [31mxxx") && flooded.ends_with("x…"), "{flooded}");
        assert!(flooded.chars().count() < 2 * LONGEST_LINE);
    }
}
