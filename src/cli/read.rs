//! Reads what the command line names: bounded, and never waiting for a file.

use super::failure::{Failure, PathFailure};
use crate::store::{self, Links};
use std::io;
use std::path::Path;

/// Reads a file that the user named; it may be a link, or a pipe given as `<(…)`.
pub(crate) fn file(path: &Path) -> Result<Vec<u8>, Failure> {
    of(path, Links::Follow)
}

/// Reads a file that was found in a folder; a link is refused.
pub(crate) fn found(path: &Path) -> Result<Vec<u8>, Failure> {
    of(path, Links::Refuse)
}

fn of(path: &Path, links: Links) -> Result<Vec<u8>, Failure> {
    store::read_file(path, links).map_err(|error| PathFailure::failure("read", path.display().to_string(), error))
}

/// Reads standard input to its end.
pub(crate) fn stdin() -> Result<Vec<u8>, Failure> {
    store::read_stream(io::stdin().lock()).map_err(|error| PathFailure::failure("read", "standard input", error))
}
