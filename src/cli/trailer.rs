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
const SCRIPT: &str = r#"#!/bin/sh
# Written by `contextpack init --hook`. Adds the lines of CONTEXTPACK_TRAILER, which `contextpack trailer` printed
# before the work began, to the message of each commit. Without the variable it does nothing.
printf '%s\n' "${CONTEXTPACK_TRAILER-}" | while IFS= read -r line; do
  case $line in
    "Context-Pack: "*) git interpret-trailers --in-place --if-exists addIfDifferent --trailer "$line" "$1" ;;
  esac
done
"#;

pub(crate) enum HookResult {
    /// It was written to this file.
    Written(String),
    /// This file is there already, and was left alone; whether it is the hook.
    Exists(String, bool),
    /// git does not say where its hooks are.
    NoFolder,
}

/// Writes the hook into the clone around `root`, unless there is one of that name.
pub(crate) fn write_hook(root: &Path) -> Result<HookResult, Failure> {
    let Some(folder) = hooks_folder(root) else { return Ok(HookResult::NoFolder) };
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
            Ok(HookResult::Written(shown))
        }
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            let is_ours = std::fs::read(&path).is_ok_and(|text| text == SCRIPT.as_bytes());
            Ok(HookResult::Exists(shown, is_ours))
        }
        Err(error) => Err(failed(error)),
    }
}
