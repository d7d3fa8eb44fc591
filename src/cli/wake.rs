//! The doorbell: how others learn that there is something to do.
//!
//! The files are the truth, and the doorbell only saves others from looking again and again: it carries ids and no content,
//! and may ring more than once, or not at all.

use super::args::{WakeArgs, WakeMode};
use crate::config::Settings;
use crate::console::Failure;
use serde_json::Value;
use std::path::Path;

/// What the doorbell says.
pub(crate) struct Ring {
    pub(crate) event: &'static str,
    /// The ids of what there is to do.
    pub(crate) payload: Value,
    /// A file that the others need, from the repo's root.
    pub(crate) file: String,
}

/// A doorbell that can be rung.
pub(crate) enum Doorbell {
    #[cfg(feature = "github")]
    Github(Box<github::WakeEvent>),
}

impl Doorbell {
    /// Prepares the doorbell of the command line, so that whatever it lacks is found before anything is written.
    pub(crate) fn prepare(
        args: &WakeArgs,
        push: bool,
        root: &Path,
        settings: &Settings,
    ) -> Result<Option<Self>, Failure> {
        match args.wake {
            WakeMode::None => Ok(None),
            WakeMode::Github if !push => Err(Failure::usage(
                "`--wake github` needs `--push`: who is woken finds nothing before the push is there",
            )),
            #[cfg(feature = "github")]
            WakeMode::Github => {
                let event = github::WakeEvent::prepare(root, settings, args.wake_timeout)?;
                Ok(Some(Self::Github(Box::new(event))))
            }
            #[cfg(not(feature = "github"))]
            WakeMode::Github => {
                let _ = (root, settings);
                Err(Failure::usage("this program is built without `--wake github`"))
            }
        }
    }

    /// Rings.
    pub(crate) fn ring(&self, ring: &Ring) -> Result<(), Failure> {
        #[cfg(not(feature = "github"))]
        let _ = (ring.event, &ring.payload);
        match *self {
            #[cfg(feature = "github")]
            Self::Github(ref event) => event.send(ring),
        }
    }
}

#[cfg(feature = "github")]
mod github {
    use super::Ring;
    use crate::cli::sync::{IssueScope, secrets};
    use crate::config::Settings;
    use crate::console::Failure;
    use crate::github::{EventTarget, Http, SyncError, SystemClock, proxy_secrets, send_event};
    use std::path::Path;
    use std::time::Duration;

    /// An event that is to be sent to GitHub.
    pub(crate) struct WakeEvent {
        target: EventTarget,
    }

    impl WakeEvent {
        pub(super) fn prepare(root: &Path, settings: &Settings, max_wait: Duration) -> Result<Self, Failure> {
            let scope = IssueScope::of_pushes(root, settings)?;
            let secrets = secrets(&scope)?.and(proxy_secrets(&scope.api));
            if !secrets.is_authenticated() {
                return Err(Failure::usage(
                    "`--wake github` needs a token that may write contents: set `CONTEXTPACK_GITHUB_TOKEN`, or log in with `gh auth login`",
                ));
            }
            let IssueScope { api, repo, .. } = scope;
            Ok(Self { target: EventTarget { api, secrets, repo, max_wait } })
        }

        pub(super) fn send(&self, ring: &Ring) -> Result<(), Failure> {
            let EventTarget { api, secrets, max_wait, .. } = &self.target;
            let failed = |error: SyncError| Failure::Outside(secrets.mask(&error.to_string()).into());
            let mut transport = Http::new(api, secrets, *max_wait).map_err(failed)?;
            send_event(&mut transport, &mut SystemClock, &self.target, ring.event, &ring.payload).map_err(failed)
        }
    }
}
