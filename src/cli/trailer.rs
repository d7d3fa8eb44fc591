//! `contextpack trailer`, and the hook that adds what it prints to messages of commits.

use super::args::{Global, TargetArgs};
use super::input;
use super::since::TRAILER;
use crate::console::{self, Exit, Failure, PathFailure};
use crate::git::hooks_folder;
use std::fs::OpenOptions;
use std::io::{ErrorKind, Write as _};
use std::path::Path;

pub(crate) fn run(global: &Global, args: &TargetArgs) -> Result<Exit, Failure> {
    let (pack, exit) = input::pack(global, &args.pack(), true)?;
    let Some(pack) = pack else { return Ok(exit) };
    writeln!(console::stdout(), "{TRAILER}: {}", console::printable(&pack.hash))?;
    Ok(exit)
}

const HOOK: &str = "prepare-commit-msg";

/// The hook. It runs no program but git, so that it works where contextpack is not installed.
const SCRIPT: &str = include_str!("prepare-commit-msg.sh");

/// Why a hook of the same name was left alone, with what to do.
const FOREIGN_HOOK: &str = "it is another hook; to add trailers, let it run `git interpret-trailers --in-place --if-exists addIfDifferent --trailer \"$CONTEXTPACK_TRAILER\" \"$1\"` where the variable is set";

/// Writes the hook into the clone around `root`, and returns its path, and why a file of that name was left alone, if there is one.
pub(crate) fn write_hook(root: &Path) -> Result<(String, Option<&'static str>), Failure> {
    let unknown = || Failure::usage("git does not say where its hooks are: is it on the `PATH`?");
    let folder = hooks_folder(root).ok_or_else(unknown)?;
    let path = folder.join(HOOK);
    let shown = path.strip_prefix(root).unwrap_or(&path).display().to_string();
    let failed = |error| PathFailure::failure("write", shown.clone(), error);
    std::fs::create_dir_all(&folder).map_err(failed)?;
    let mut options = OpenOptions::new();
    // Neither a file nor a link in its place is replaced.
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o755);
    match options.open(&path) {
        Ok(mut file) => {
            file.write_all(SCRIPT.as_bytes()).map_err(|error| {
                // Half a hook must not stop the next try. The first error is the one to report.
                let _ = std::fs::remove_file(&path);
                failed(error)
            })?;
            Ok((shown, None))
        }
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            let is_own = std::fs::read(&path).is_ok_and(|text| text == SCRIPT.as_bytes());
            Ok((shown, Some(if is_own { "it has the hook" } else { FOREIGN_HOOK })))
        }
        Err(error) => Err(failed(error)),
    }
}
