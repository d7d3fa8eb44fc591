//! A program of the user's that makes notes.

use super::NoNotes;
use crate::cli::console::{self, printable};
use crate::cli::failure::Failure;
use crate::cli::process::{GroupedProcess, Running, words};
use crate::model::{Digest, Digester};
use crate::notes::{NoteLimits, WrittenNotes};
use crate::redact::Clean;
use crate::store::{init_state_dir, open_state};
use serde::Serialize;
use std::io::{Read, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// How many characters of a document a program gets.
const MOST_CHARS: usize = 16_000;
/// The largest answer, in bytes.
const LARGEST_ANSWER: u64 = 1 << 20;
/// How long to wait between looks at a program that still runs.
const POLL: Duration = Duration::from_millis(10);
/// How long the output of a program that has ended may stay open.
const REST: Duration = Duration::from_millis(200);

/// What a program is asked.
pub(super) struct Question<'a> {
    pub(super) title: &'a str,
    pub(super) doc_type: &'a str,
    /// The beginning of the document, up to where [`cut`] ends it.
    pub(super) content: &'a str,
    pub(super) body: &'a Clean,
}

/// A question as the program reads it.
#[derive(Serialize)]
struct Input<'a> {
    title: &'a str,
    doc_type: &'a str,
    content: &'a str,
    /// Whether the document goes on behind `content`.
    truncated: bool,
}

/// A program that makes notes, with the answers that it gave before.
pub(super) struct Program {
    words: Vec<String>,
    timeout: Duration,
    root: PathBuf,
    /// Whether the snapshot of GitHub is committed with the packs.
    commits_packs: bool,
    /// Whether answers are kept for the next time.
    keeps: bool,
    running: Running,
}

impl Program {
    /// Splits `command` into words.
    ///
    /// # Errors
    /// If that is impossible, or the system does not let this process end the program on Ctrl-C.
    pub(super) fn new(
        command: &str,
        timeout: Duration,
        (root, commits_packs): (&Path, bool),
        keeps: bool,
    ) -> Result<Self, Failure> {
        Ok(Self {
            words: words(command, "--command")?,
            timeout,
            root: root.to_owned(),
            commits_packs,
            keeps,
            running: Running::ended_by_signals()?,
        })
    }

    /// Returns the program's notes on a document: those it gave before for the same text, or else its answer.
    ///
    /// `scrub` redacts a text; an answer that it changes is refused.
    pub(super) fn notes(
        &self,
        question: &Question<'_>,
        source: &Digest,
        limits: &NoteLimits,
        scrub: &dyn Fn(&str) -> String,
    ) -> Result<WrittenNotes, NoNotes> {
        let name = self.cache_name(question, source);
        let cached = self.keeps.then(|| open_state(&self.root).and_then(|folder| folder.read(&name)));
        if let Some(Ok(Some(answer))) = cached
            && let Ok(notes) = checked(&answer, question.body, limits, scrub)
        {
            return Ok(notes);
        }
        let Question { title, doc_type, content, body } = question;
        let input = Input { title, doc_type, content, truncated: cut(body) < body.len() };
        let input = serde_json::to_vec(&input).map_err(|error| NoNotes::new("invalid", error.to_string()))?;
        let answer = self.ask(input, scrub)?;
        let notes = checked(&answer, question.body, limits, scrub)?;
        if self.keeps {
            // A cache that cannot be written costs time only.
            let _ = init_state_dir(&self.root, self.commits_packs)
                .and_then(|_| open_state(&self.root)?.write(&name, &answer));
        }
        Ok(notes)
    }

    fn cache_name(&self, question: &Question<'_>, source: &Digest) -> String {
        let parts = self.words.iter().fold(Digester::default(), |digest, word| digest.part(word));
        let digest = parts.part("").part(question.title).part(question.doc_type).part(source.bytes()).digest();
        format!("notes-{}.json", digest.hex())
    }

    /// Runs the program and returns what it prints.
    fn ask(&self, input: Vec<u8>, scrub: &dyn Fn(&str) -> String) -> Result<Vec<u8>, NoNotes> {
        let (program, arguments) =
            self.words.split_first().ok_or_else(|| NoNotes::new("exit", "there is no program"))?;
        let mut command = Command::new(program);
        command.args(arguments).current_dir(&self.root);
        let mut process = GroupedProcess::start(command, &self.running)
            .map_err(|error| NoNotes::new("exit", scrub(&format!("`{program}` cannot be started: {error}"))))?;
        let answer = self.answer(&mut process, input);
        process.stop();
        let (last_words, is_cut) = process.last_words();
        let mut stderr = console::stderr();
        let lines = is_cut.then_some("[…]").into_iter().chain(last_words.lines());
        for line in lines.filter(|line| !line.trim().is_empty()) {
            // A terminal that is gone is no reason to lose the answer.
            let _ = writeln!(stderr, "{}", printable(&scrub(line)));
        }
        let (answer, status) = answer?;
        if status.success() { Ok(answer) } else { Err(NoNotes::new("exit", format!("`{program}` failed: {status}"))) }
    }

    fn answer(&self, process: &mut GroupedProcess, input: Vec<u8>) -> Result<(Vec<u8>, ExitStatus), NoNotes> {
        let until = Instant::now() + self.timeout;
        let (stdin, stdout) = process.streams();
        let (sender, receiver) = channel();
        let read = Arc::<Mutex<Vec<u8>>>::default();
        let kept = Arc::clone(&read);
        // A program may answer before it has read everything, so both directions run at once. Neither thread is waited for:
        // a child of the program may keep the pipes open.
        thread::spawn(move || stdin.map(|mut stdin| stdin.write_all(&input)));
        thread::spawn(move || {
            // The receiver is gone after a timeout.
            let _ = sender.send(stdout.map_or(Ok(()), |stdout| keep_all(stdout.take(LARGEST_ANSWER + 1), &kept)));
        });
        let ended = loop {
            match receiver.recv_timeout(POLL) {
                Ok(ended) => break ended,
                Err(RecvTimeoutError::Disconnected) => break Ok(()),
                Err(RecvTimeoutError::Timeout) if Instant::now() >= until => return Err(self.too_slow()),
                Err(RecvTimeoutError::Timeout) => {}
            }
            // What it left behind may keep its output open for ever; its answer is what it printed itself.
            if matches!(process.status(), Ok(Some(_))) {
                break receiver.recv_timeout(REST).unwrap_or(Ok(()));
            }
        };
        ended.map_err(|error| NoNotes::new("exit", format!("the answer cannot be read: {error}")))?;
        let answer = std::mem::take(&mut *read.lock().unwrap_or_else(PoisonError::into_inner));
        if answer.len() as u64 > LARGEST_ANSWER {
            return Err(NoNotes::new("too-large", format!("the answer is larger than {LARGEST_ANSWER} bytes")));
        }
        loop {
            match process.status() {
                Ok(Some(status)) => return Ok((answer, status)),
                Ok(None) if Instant::now() < until => thread::sleep(POLL),
                Ok(None) => return Err(self.too_slow()),
                Err(error) => return Err(NoNotes::new("exit", error.to_string())),
            }
        }
    }

    fn too_slow(&self) -> NoNotes {
        NoNotes::new("timeout", format!("there was no answer within {}", humantime::format_duration(self.timeout)))
    }
}

/// Reads a stream to its end into `kept`, so that what has come is there before the end.
fn keep_all(mut stream: impl Read, kept: &Mutex<Vec<u8>>) -> std::io::Result<()> {
    let mut bytes = [0; 16 << 10];
    loop {
        match stream.read(&mut bytes) {
            Ok(0) => return Ok(()),
            Ok(count) => kept.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(&bytes[..count]),
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// Reads an answer, and refuses it as a whole if anything is wrong with it.
fn checked(
    answer: &[u8],
    body: &Clean,
    limits: &NoteLimits,
    scrub: &dyn Fn(&str) -> String,
) -> Result<WrittenNotes, NoNotes> {
    let invalid = |message: String| NoNotes::new("invalid", scrub(&message));
    let notes = WrittenNotes::from_json(answer, limits).map_err(|fault| invalid(fault.message))?;
    let lists = [&notes.summary, &notes.key_facts, &notes.rules, &notes.keywords];
    let is_changed = lists.into_iter().flatten().any(|text| scrub(text) != *text);
    if is_changed {
        return Err(NoNotes::new("invalid", "the answer holds something that looks like a secret"));
    }
    let misquoted = notes.misquoted(body).map(str::to_owned);
    match misquoted {
        Some(rule) => Err(invalid(format!("this rule does not stand in the document word for word: {rule}"))),
        None => Ok(notes),
    }
}

/// Returns how many bytes of a text a program gets: at most [`MOST_CHARS`] characters, up to an empty line if there is one.
pub(super) fn cut(text: &str) -> usize {
    let Some((end, _)) = text.char_indices().nth(MOST_CHARS) else { return text.len() };
    let kept = &text[..end];
    kept.rfind("\n\n").filter(|at| *at > 0).or_else(|| kept.rfind('\n')).map_or(end, |at| at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_is_cut_between_blocks() {
        assert_eq!(cut("short"), 5);
        let text = format!("{}\n\n{}", "é".repeat(10_000), "é".repeat(10_000));
        assert_eq!(cut(&text), 20_001);
        assert_eq!(cut(&"é".repeat(20_000)), 32_000);
    }
}
