//! The doorbell: how others learn that there is something to do.
//!
//! The files are the truth, and the doorbell only saves others from looking again and again: it carries ids and no content,
//! and may ring more than once, or not at all.

use super::args::{WakeArgs, WakeMode};
#[cfg(feature = "github")]
use crate::cli::sync::{IssueScope, secrets};
use crate::config::Settings;
use crate::console::Failure;
#[cfg(feature = "github")]
use crate::github::{EventTarget, Http, SyncError, SystemClock, proxy_secrets, send_event};
use serde_json::Value;
use std::path::Path;

pub(crate) struct Ring {
    pub(crate) event: &'static str,
    pub(crate) payload: Value,
    /// A file that the others need, from the repo's root.
    pub(crate) file: String,
}

pub(crate) struct Doorbell {
    #[cfg(feature = "github")]
    target: EventTarget,
}

impl Doorbell {
    /// Prepares the doorbell of the command line, so that whatever it lacks is found before anything is written.
    pub(crate) fn prepare(args: &WakeArgs, root: &Path, settings: &Settings) -> Result<Option<Self>, Failure> {
        match args.wake {
            WakeMode::None => Ok(None),
            WakeMode::Github if !args.publish.push => Err(Failure::usage(
                "`--wake github` needs `--push`: who is woken finds nothing before the push is there",
            )),
            WakeMode::Github => Self::of_github(args, root, settings).map(Some),
        }
    }
}

#[cfg(not(feature = "github"))]
impl Doorbell {
    fn of_github(_: &WakeArgs, _: &Path, _: &Settings) -> Result<Self, Failure> {
        Err(Failure::usage("this program is built without `--wake github`"))
    }

    pub(crate) fn ring(&self, _: &Ring) -> Result<(), Failure> {
        Ok(())
    }
}

#[cfg(feature = "github")]
impl Doorbell {
    fn of_github(args: &WakeArgs, root: &Path, settings: &Settings) -> Result<Self, Failure> {
        let scope = IssueScope::of_pushes(root, settings)?;
        let secrets = secrets(&scope)?.and(proxy_secrets(&scope.api));
        if !secrets.is_authenticated() {
            return Err(Failure::usage(
                "`--wake github` needs a token that may write contents: set `CONTEXTPACK_GITHUB_TOKEN`, or log in with `gh auth login`",
            ));
        }
        let IssueScope { api, repo, .. } = scope;
        Ok(Self { target: EventTarget { api, secrets, repo, max_wait: args.wake_timeout } })
    }

    pub(crate) fn ring(&self, ring: &Ring) -> Result<(), Failure> {
        let EventTarget { api, secrets, max_wait, .. } = &self.target;
        let failed = |error: SyncError| Failure::Outside(secrets.mask(&error.to_string()).into());
        let mut transport = Http::new(api, secrets, *max_wait).map_err(failed)?;
        send_event(&mut transport, &mut SystemClock, &self.target, ring.event, &ring.payload).map_err(failed)
    }
}
