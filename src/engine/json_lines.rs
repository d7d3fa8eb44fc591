//! Reads files of JSON lines that the configuration names.

use super::reader::InputReader;
use crate::model::{Code, Diagnostic, RepoPath, Severity};

/// A kind of file: the setting that names it, what its lines are, the most bytes, and what to do about more and about a line
/// that is none.
pub(super) struct JsonLines {
    pub(super) setting: &'static str,
    pub(super) content: &'static str,
    pub(super) largest: u64,
    pub(super) shorten: &'static str,
    pub(super) example: &'static str,
}

/// What of a file cannot be read: how many lines, none for the whole file, and the first fault.
pub(super) type Unreadable = Option<(u64, Diagnostic)>;

impl InputReader<'_> {
    /// Reads the lines of a file. One that is none is left out, so that no single line stops all packs.
    pub(super) fn json_lines<T>(
        &self,
        path: &RepoPath,
        kind: &JsonLines,
        read: fn(&str) -> Result<T, String>,
    ) -> Result<(Vec<T>, Unreadable), Diagnostic> {
        let JsonLines { setting, content, largest, shorten, example } = *kind;
        let of_file = |message: String| Diagnostic::in_file(Code::InvalidDocument, path, message);
        let unusable = |fault: Diagnostic| Ok((Vec::new(), Some((0, fault.with_severity(Severity::Warning)))));
        let too_large = || {
            of_file(format!("`{path}` is larger than {largest} bytes, so that it is no list of {content}"))
                .help(shorten)
        };
        if self.source().state(path).is_some_and(|state| state.size() > largest) {
            return unusable(too_large());
        }
        let raw = match self.raw(path) {
            Ok(raw) if raw.len() as u64 > largest => return unusable(too_large()),
            Ok(raw) => raw,
            Err(fault) if fault.severity == Severity::Error => return Err(fault),
            Err(fault) => return unusable(fault),
        };
        if let Some(withheld) = self.restriction(path, &raw) {
            let message = format!("`{path}` is {}, so that it is no list of {content}", withheld.reason());
            return Err(of_file(message).help(format!("take it out of `documents`, or out of `{setting}`")));
        }
        let (mut found, mut wrong) = (Vec::new(), Vec::new());
        for (number, text) in (1..).zip(raw.lines()).filter(|(_, text)| !text.trim().is_empty()) {
            match read(text) {
                Ok(line) => found.push(line),
                Err(why) => wrong.push((number, why)),
            }
        }
        let unreadable = wrong.first().map(|(number, why)| {
            let more = if wrong.len() > 1 { format!(", as {} more", wrong.len() - 1) } else { String::new() };
            let message = format!("{why}, so that the line is left out{more}");
            let fault = Diagnostic::on_line(Code::InvalidDocument, path, *number, message).help(example);
            (wrong.len() as u64, fault.with_severity(Severity::Warning))
        });
        Ok((found, unreadable))
    }
}
