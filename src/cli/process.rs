//! A running program of the user's, which ends with all processes of its group.

use super::exit::Exit;
use super::failure::Failure;
use super::watch::on_signal;
use std::collections::VecDeque;
use std::io::{self, Read as _};
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

/// How much of what a program prints on standard error is kept, in bytes.
const LAST_WORDS: usize = 8 << 10;
/// How long a program that has ended may keep its standard error open.
const LAST_WORDS_WAIT: Duration = Duration::from_millis(200);

/// The program that runs now, for the handler of signals; its group is not that of the terminal, which therefore does not end it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Running(Arc<Mutex<Option<u32>>>);

/// A program in a process group of its own, with pipes for all of its streams.
#[derive(Debug)]
pub(crate) struct GroupedProcess {
    child: Child,
    running: Running,
    last_words: Arc<Mutex<VecDeque<u8>>>,
    closed: Receiver<()>,
}

impl Running {
    /// Returns a place for the running program, which Ctrl-C and similar signals end together with this process.
    ///
    /// # Errors
    /// If the system does not take the handler.
    pub(crate) fn ended_by_signals() -> Result<Self, Failure> {
        let running = Self::default();
        let ended = running.clone();
        on_signal(move || {
            // Held to the end, so that no further program starts.
            let running = ended.lock();
            if let Some(group) = *running {
                end_group(group);
            }
            // Files are replaced atomically.
            std::process::exit(i32::from(Exit::Interrupted.code()));
        })?;
        Ok(running)
    }

    fn lock(&self) -> MutexGuard<'_, Option<u32>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl GroupedProcess {
    /// Starts a program.
    ///
    /// # Errors
    /// If the system cannot start it.
    pub(crate) fn start(mut command: Command, running: &Running) -> io::Result<Self> {
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = {
            let mut running = running.lock();
            let child = command.spawn()?;
            *running = Some(child.id());
            child
        };
        let last_words = Arc::<Mutex<VecDeque<u8>>>::default();
        let (sender, closed) = channel();
        if let Some(stderr) = child.stderr.take() {
            let kept = Arc::clone(&last_words);
            thread::spawn(move || {
                keep_last(stderr, &kept);
                // Nobody may wait for it any more.
                let _ = sender.send(());
            });
        }
        Ok(Self { child, running: running.clone(), last_words, closed })
    }

    /// Returns standard input and output, once.
    pub(crate) fn streams(&mut self) -> (Option<ChildStdin>, Option<ChildStdout>) {
        (self.child.stdin.take(), self.child.stdout.take())
    }

    /// Returns the status of a program that has ended.
    ///
    /// # Errors
    /// If the system does not say.
    pub(crate) fn status(&mut self) -> io::Result<Option<ExitStatus>> {
        // Held, since the number may soon be that of another process.
        let mut running = self.running.lock();
        let status = self.child.try_wait()?;
        if status.is_some() {
            *running = None;
        }
        Ok(status)
    }

    /// Ends the program and all processes of its group, and frees what the system keeps of it.
    pub(crate) fn stop(&mut self) {
        let mut running = self.running.lock();
        if let Some(group) = running.take() {
            end_group(group);
            // Either fails only if it has ended already.
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }

    /// Returns the end of what the program has printed on standard error.
    pub(crate) fn last_words(&self) -> String {
        let _ = self.closed.recv_timeout(LAST_WORDS_WAIT);
        let kept = self.last_words.lock().unwrap_or_else(PoisonError::into_inner);
        let bytes: Vec<u8> = kept.iter().copied().collect();
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

impl Drop for GroupedProcess {
    fn drop(&mut self) {
        self.stop();
    }
}

/// Reads a stream to its end, and keeps its last bytes.
fn keep_last(mut stderr: ChildStderr, kept: &Mutex<VecDeque<u8>>) {
    let mut bytes = [0; 4 << 10];
    while let Ok(count @ 1..) = stderr.read(&mut bytes) {
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.extend(&bytes[..count]);
        let surplus = kept.len().saturating_sub(LAST_WORDS);
        kept.drain(..surplus);
    }
}

/// Ends all processes of a group.
fn end_group(group: u32) {
    #[cfg(unix)]
    if let Some(group) = i32::try_from(group).ok().and_then(rustix::process::Pid::from_raw) {
        // It fails only if all have ended already.
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
    #[cfg(not(unix))]
    let _ = group;
}

/// Splits the command of an option into words, of which the first is a program.
///
/// # Errors
/// If that is impossible.
pub(crate) fn words(command: &str, option: &str) -> Result<Vec<String>, Failure> {
    let unclosed = || Failure::usage(format!("`{option}` has a quotation mark that is not closed"));
    let words = split(command).ok_or_else(unclosed)?;
    if words.first().is_none_or(String::is_empty) {
        return Err(Failure::usage(format!("`{option}` names no program")));
    }
    Ok(words)
}

/// Splits a command into words at white space; quotation marks join words. `None` if one is not closed.
fn split(command: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    for c in command.chars() {
        match (quote, c) {
            (Some(open), _) if c == open => quote = None,
            (None, '"' | '\'') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, _) if c.is_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    quote.is_none().then_some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_split_without_a_shell() {
        let words = |command| split(command).unwrap_or_default().join("|");
        assert_eq!(words("a  b 'c d' \"e'f\" g\"h i\"j ''"), "a|b|c d|e'f|gh ij|");
        assert_eq!(words("echo $HOME; rm *"), "echo|$HOME;|rm|*");
        assert_eq!(split("a 'b"), None);
    }
}
