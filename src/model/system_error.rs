//! Errors of the operating system: which of them mean "absent", and how they are worded.

use std::io;

/// Returns the wording of an error, if possible in words that are the same on every system.
pub fn describe(error: &io::Error) -> String {
    let kind = error.kind().to_string();
    if kind == "uncategorized error" { error.to_string() } else { kind }
}

/// Returns whether an error says that there is nothing of that name. No other error counts as absence.
pub fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// Returns what an access found; `None` if there is nothing of that name.
///
/// # Errors
/// If something may be there all the same.
pub fn if_present<T>(result: io::Result<T>) -> io::Result<Option<T>> {
    match result {
        Ok(found) => Ok(Some(found)),
        Err(error) if is_absent(&error) => Ok(None),
        Err(error) => Err(error),
    }
}
