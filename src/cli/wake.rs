//! The doorbell: how others learn that there is something to do.
//!
//! The files are the truth, and the doorbell only saves others from looking again and again: it carries ids and no content,
//! and may ring more than once, or not at all.

use super::args::{WakeArgs, WakeMode};
use super::console::{self, printable};
use super::failure::Failure;
use super::process::{GroupedProcess, Running, words};
use crate::config::Settings;
use serde_json::{Value, json};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

/// How long to wait between looks at a program that still runs.
const POLL: Duration = Duration::from_millis(10);

/// What the doorbell says.
pub(crate) struct Ring {
    /// The type of the event.
    pub(crate) event: &'static str,
    /// The ids of what there is to do.
    pub(crate) payload: Value,
    /// A file that the others need, from the repo's root.
    pub(crate) file: String,
}

/// A doorbell that can be rung.
pub(crate) enum Doorbell {
    Command(WakeCommand),
    #[cfg(feature = "github")]
    Github(Box<github::WakeEvent>),
}

impl Doorbell {
    /// Prepares the doorbell of the command line, so that whatever it lacks is found before anything is written.
    ///
    /// # Errors
    /// If something is missing: the push or the token for an event, or the name of a program.
    pub(crate) fn prepare(
        args: &WakeArgs,
        push: bool,
        root: &Path,
        settings: &Settings,
    ) -> Result<Option<Self>, Failure> {
        match (args.wake, &args.wake_command) {
            (WakeMode::Command, Some(command)) => {
                let words = words(command, "--wake-command")?;
                let running = Running::ended_by_signals()?;
                let timeout = args.wake_timeout;
                Ok(Some(Self::Command(WakeCommand { words, timeout, root: root.to_owned(), running })))
            }
            (_, Some(_)) => Err(Failure::usage("`--wake-command` is given without `--wake command`")),
            (WakeMode::None | WakeMode::Command, None) => Ok(None),
            (WakeMode::Github, None) if !push => Err(Failure::usage(
                "`--wake github` needs `--push`: who is woken finds nothing before the push is there",
            )),
            #[cfg(feature = "github")]
            (WakeMode::Github, None) => {
                let event = github::WakeEvent::prepare(root, settings, args.wake_timeout)?;
                Ok(Some(Self::Github(Box::new(event))))
            }
            #[cfg(not(feature = "github"))]
            (WakeMode::Github, None) => {
                let _ = settings;
                Err(Failure::usage("this program is built without `--wake github`"))
            }
        }
    }

    /// Rings; `redacted` removes secrets from what a program prints.
    ///
    /// # Errors
    /// If the program fails, or the event is not taken.
    pub(crate) fn ring(&self, ring: &Ring, redacted: &dyn Fn(&str) -> String) -> Result<(), Failure> {
        match self {
            Self::Command(command) => command.run(ring, redacted),
            #[cfg(feature = "github")]
            Self::Github(event) => event.send(ring),
        }
    }
}

/// A program of the user's.
pub(crate) struct WakeCommand {
    words: Vec<String>,
    timeout: Duration,
    root: PathBuf,
    running: Running,
}

impl WakeCommand {
    fn run(&self, ring: &Ring, redacted: &dyn Fn(&str) -> String) -> Result<(), Failure> {
        let Some((program, arguments)) = self.words.split_first() else { return Ok(()) };
        let failed = |why: String| Failure::Outside(why.into());
        let mut command = Command::new(program);
        command.args(arguments).current_dir(&self.root);
        let mut process = GroupedProcess::start(command, &self.running)
            .map_err(|error| failed(format!("`{program}` cannot be started: {error}")))?;
        let (stdin, stdout) = process.streams();
        let event = json!({"event_type": ring.event, "client_payload": ring.payload}).to_string();
        // It may read nothing, and a child of it may keep its output open, so that neither thread is waited for.
        thread::spawn(move || stdin.map(|mut stdin| stdin.write_all(event.as_bytes())));
        thread::spawn(move || stdout.map(|mut stdout| io::copy(&mut stdout, &mut io::sink())));
        let until = Instant::now() + self.timeout;
        let ended = loop {
            match process.status() {
                Ok(Some(status)) if status.success() => break Ok(()),
                Ok(Some(status)) => break Err(format!("`{program}` failed: {status}")),
                Ok(None) if Instant::now() < until => thread::sleep(POLL),
                Ok(None) => {
                    process.stop();
                    let limit = humantime::format_duration(self.timeout);
                    break Err(format!("`{program}` did not end within {limit}"));
                }
                Err(error) => break Err(format!("`{program}` cannot be watched: {error}")),
            }
        };
        for line in process.last_words().lines().filter(|line| !line.trim().is_empty()) {
            writeln!(console::stderr(), "{}", printable(&redacted(line)))?;
        }
        ended.map_err(failed)
    }
}

#[cfg(feature = "github")]
mod github {
    use super::Ring;
    use crate::cli::failure::Failure;
    use crate::cli::sync::{IssueScope, proxies, secrets};
    use crate::config::Settings;
    use crate::github::{EventTarget, Http, Proxies, SyncError, SystemClock, send_event};
    use std::path::Path;
    use std::time::Duration;

    /// An event that is to be sent to GitHub.
    pub(crate) struct WakeEvent {
        target: EventTarget,
        proxies: Proxies,
    }

    impl WakeEvent {
        pub(super) fn prepare(root: &Path, settings: &Settings, max_wait: Duration) -> Result<Self, Failure> {
            let scope = IssueScope::of_pushes(root, settings)?;
            let proxies = proxies();
            let secrets = secrets(&scope)?.and(proxies.secrets());
            if !secrets.is_authenticated() {
                return Err(Failure::usage(
                    "`--wake github` needs a token that may write contents: set `CONTEXTPACK_GITHUB_TOKEN`, or log in with `gh auth login`",
                ));
            }
            let IssueScope { api, repo, .. } = scope;
            Ok(Self { target: EventTarget { api, secrets, repo, max_wait }, proxies })
        }

        pub(super) fn send(&self, ring: &Ring) -> Result<(), Failure> {
            let EventTarget { api, secrets, max_wait, .. } = &self.target;
            let failed = |error: SyncError| Failure::Outside(secrets.mask(&error.to_string()).into());
            let mut transport = Http::new(api, secrets, *max_wait, &self.proxies)
                .map_err(|error| failed(SyncError::Network(error.to_string())))?;
            send_event(&mut transport, &mut SystemClock, &self.target, ring.event, &ring.payload).map_err(failed)
        }
    }
}
