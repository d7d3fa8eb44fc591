//! Checks of single fields of ledgers, as strict as what writes them: a file may have been made by hand.

use super::path::LAST_EPOCH;
use crate::handoff::cards::ToolError;

/// The longest name of an agent, in bytes.
const LONGEST_NAME: usize = 1_000;

/// The most digits of a nonce.
const LONGEST_NONCE: usize = 100;

/// Checks that a field has the value that it must have.
pub(crate) fn same<T: PartialEq + std::fmt::Display>(name: &str, found: &T, expected: &T) -> Result<(), String> {
    if found == expected { Ok(()) } else { Err(format!("its {name} is `{found}`, not `{expected}`")) }
}

/// Checks the form of a time.
pub(crate) fn check_time(at: &str) -> Result<(), String> {
    if at.len() == 20 && humantime::parse_rfc3339(at).is_ok() {
        return Ok(());
    }
    Err("its time is none such as `2026-01-31T12:00:00Z`".to_owned())
}

/// Checks the number of an attempt.
pub(crate) fn check_epoch(epoch: u32) -> Result<(), String> {
    if (1..=LAST_EPOCH).contains(&epoch) { Ok(()) } else { Err(format!("its epoch is not from 1 to {LAST_EPOCH}")) }
}

/// Checks the number of an attempt that is over, or of a closing: another one must be able to follow.
pub(crate) fn check_last(what: &str, number: u32) -> Result<(), String> {
    let last = LAST_EPOCH - 1;
    if (1..=last).contains(&number) { Ok(()) } else { Err(format!("its {what} is not from 1 to {last}")) }
}

/// Checks a text that may not be blank.
pub(crate) fn check_text(field: &str, text: &str) -> Result<(), String> {
    if text.trim().is_empty() { Err(format!("its `{field}` is empty")) } else { Ok(()) }
}

/// Checks the key of an agent, or another name on one line.
pub(crate) fn check_key(field: &str, key: &str) -> Result<(), String> {
    check_text(field, key)?;
    if key.len() <= LONGEST_NAME && !key.chars().any(char::is_control) {
        return Ok(());
    }
    Err(format!("its `{field}` is no name: it is on one line, and has at most {LONGEST_NAME} bytes"))
}

/// Checks who wrote an entry, and the digits that make it differ from others.
pub(crate) fn check_origin(author: Option<&String>, at: &str, nonce: &str) -> Result<(), String> {
    author.map_or(Ok(()), |author| check_text("author_id", author))?;
    check_time(at)?;
    if (1..=LONGEST_NONCE).contains(&nonce.len()) && nonce.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        return Ok(());
    }
    Err(format!("its `nonce` is made of 1 to {LONGEST_NONCE} letters and digits"))
}

/// Checks the word of a report or response, and its error.
pub(crate) fn check_outcome(what: &str, status: &str, error: Option<&ToolError>) -> Result<(), String> {
    if status.trim().is_empty() || status == "success" && error.is_some() {
        return Err(format!("a {what} has a status, and no error if it is `success`"));
    }
    Ok(())
}
