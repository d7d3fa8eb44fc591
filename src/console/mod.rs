//! Standard output and standard error, and the escaping of all text that goes there.
//!
//! GitHub's runner executes workflow commands that it finds in the log of any step. The character that would complete a
//! command is therefore printed as an escape such as `\u{5b}`.

mod annotations;
mod document;
mod explanation;
mod failure;
pub(crate) mod github;
mod guard;
pub(crate) mod report;
mod workspace;

pub(crate) use annotations::Annotations;
pub(crate) use document::{Column, Document, Line, TextOptions, TextStyle, line};
pub(crate) use explanation::explanation_document;
pub(crate) use failure::{Exit, Failure, PathFailure, without_secrets};
pub(crate) use guard::{guarded, start_threads};
pub(crate) use report::{Format, diagnostics};
pub(crate) use workspace::{Workspace, no_roots, settled, stamp, strict, user_caches};

use crate::engine::process_environment;
use crate::model::{Commands, harmless_json, is_hidden};
use crate::redact::invisible_at;
use anstream::AutoStream;
use serde_json::Value;
use std::borrow::Cow;
use std::io::{self, StderrLock, StdoutLock, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use unicode_width::UnicodeWidthStr as _;

/// Whether standard output was asked for, and may have some.
static HAS_OUTPUT: AtomicBool = AtomicBool::new(false);

/// Whether the command goes on when nobody reads standard output any more.
static OUTLIVES_READER: AtomicBool = AtomicBool::new(false);

/// Lets the command end with the exit code that it would have, also if a reader such as `head` has seen enough.
pub(crate) fn outlive_reader() {
    OUTLIVES_READER.store(true, Ordering::Relaxed);
}

pub(crate) fn has_output() -> bool {
    HAS_OUTPUT.load(Ordering::Relaxed)
}

/// Returns standard output, guarded against workflow commands. Styles are removed if it is no terminal.
pub(crate) fn stdout() -> Guarded<AutoStream<StdoutLock<'static>>> {
    HAS_OUTPUT.store(true, Ordering::Relaxed);
    Guarded::new(anstream::stdout().lock())
}

/// Returns standard error, guarded against workflow commands. Styles are removed if it is no terminal.
pub(crate) fn stderr() -> Guarded<AutoStream<StderrLock<'static>>> {
    Guarded::new(anstream::stderr().lock())
}

/// Returns unguarded standard output, for data that must not change: a pack, a rendering, a redacted text, a script.
///
/// The data may contain workflow commands; docs/actions.md says how to use it in a workflow.
pub(crate) fn exact() -> StdoutLock<'static> {
    HAS_OUTPUT.store(true, Ordering::Relaxed);
    io::stdout().lock()
}

/// Returns standard output for intended workflow commands; the caller escapes the texts in them.
pub(crate) fn workflow_commands() -> AutoStream<StdoutLock<'static>> {
    anstream::stdout().lock()
}

/// A stream in which no text becomes a workflow command.
pub(crate) struct Guarded<W> {
    out: W,
    commands: Commands,
}

impl<W: Write> Guarded<W> {
    pub(crate) fn new(out: W) -> Self {
        Self { out, commands: Commands::default() }
    }

    fn pass(&mut self, bytes: &[u8]) -> io::Result<()> {
        for chunk in bytes.utf8_chunks() {
            let (text, mut at, mut written) = (chunk.valid(), 0, 0);
            loop {
                at += self.commands.skip_plain(&text[at..]);
                let Some(c) = text[at..].chars().next() else { break };
                if self.commands.completes(c) {
                    self.out.write_all(&text.as_bytes()[written..at])?;
                    write!(self.out, "{}", c.escape_unicode())?;
                    written = at + c.len_utf8();
                }
                at += c.len_utf8();
            }
            self.out.write_all(&text.as_bytes()[written..])?;
            // Invalid UTF-8 completes no command.
            self.out.write_all(chunk.invalid())?;
        }
        Ok(())
    }
}

impl<W: Write> Write for Guarded<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.pass(bytes);
        let is_over = |error: &io::Error| error.kind() == io::ErrorKind::BrokenPipe;
        if written.as_ref().is_err_and(is_over) && OUTLIVES_READER.load(Ordering::Relaxed) {
            return Ok(bytes.len());
        }
        written.map(|()| bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Returns the text on one line; characters that a terminal would interpret or hide become `\u{…}`.
pub(crate) fn printable(text: &str) -> Cow<'_, str> {
    let is_invisible = invisible_at(text);
    if !text.char_indices().any(|(at, c)| is_hidden(c) || is_invisible(at)) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for (at, c) in text.char_indices() {
        if is_hidden(c) || is_invisible(at) {
            shown.extend(c.escape_default());
        } else {
            shown.push(c);
        }
    }
    Cow::Owned(shown)
}

/// Returns the width of the terminal that standard output is, in columns; `None` if it is none.
pub(crate) fn width() -> Option<usize> {
    let (terminal_size::Width(columns), _) = terminal_size::terminal_size_of(io::stdout())?;
    Some(usize::from(columns).max(NARROWEST))
}

const NARROWEST: usize = 40;

/// Breaks a line between words so that no part is wider than `width`, unless a word is; parts after the first are indented.
pub(crate) fn wrapped(line: &str, width: Option<usize>) -> Vec<Cow<'_, str>> {
    let shown_width = |text: &str| anstream::adapter::strip_str(text).map(|part| part.width()).sum::<usize>();
    let Some(width) = width.filter(|width| shown_width(line) > *width) else { return vec![Cow::Borrowed(line)] };
    let indent = line.len() - line.trim_start().len();
    let mut parts = Vec::new();
    let mut part = String::new();
    // The spaces between two words stay as they are, for columns.
    let mut rest = line;
    while !rest.is_empty() {
        let spaces = rest.len() - rest.trim_start_matches(' ').len();
        let end = rest[spaces..].find(' ').map_or(rest.len(), |end| spaces + end);
        let (word, after) = rest.split_at(end);
        if !part.trim().is_empty() && shown_width(&part) + shown_width(word) > width {
            let whole = std::mem::replace(&mut part, " ".repeat((indent + 4).min(width / 2)));
            parts.push(Cow::Owned(whole));
            part.push_str(word.trim_start_matches(' '));
        } else {
            part.push_str(word);
        }
        rest = after;
    }
    parts.push(Cow::Owned(part));
    parts
}

/// Serializes to indented JSON; characters that a terminal would interpret or hide become escapes of the same value.
pub(crate) fn json_text(value: &impl serde::Serialize) -> String {
    escaped(&process_environment().mask(&format!("{:#}", serde_json::to_value(value).unwrap_or_default())))
}

/// Returns an object without the fields that are null, together with those of other objects.
pub(crate) fn object<const N: usize>(parts: [Value; N]) -> Value {
    let fields = parts.into_iter().filter_map(|part| match part {
        Value::Object(fields) => Some(fields),
        _ => None,
    });
    fields.flatten().filter(|(_, value)| !value.is_null()).collect::<serde_json::Map<_, _>>().into()
}

pub(crate) fn json_line(value: &impl serde::Serialize) -> String {
    escaped(&serde_json::to_value(value).unwrap_or_default().to_string())
}

fn escaped(json: &str) -> String {
    let is_invisible = invisible_at(json);
    harmless_json(json, |at, _| is_invisible(at))
}

pub(crate) fn counted(count: impl TryInto<u64>, what: &str) -> String {
    let count = count.try_into().unwrap_or(u64::MAX);
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn long_lines_are_broken_between_words() {
        let of = |line: &str| wrapped(line, Some(20)).iter().map(|part| part.to_string()).collect::<Vec<_>>();
        assert_eq!(of("  short line"), ["  short line"]);
        assert_eq!(
            of("  feat:a   full   12 chars  A long title"),
            ["  feat:a   full   12", "      chars  A long", "      title"]
        );
        assert_eq!(of(&format!("  {}", "x".repeat(30))), [format!("  {}", "x".repeat(30))]);
        assert_eq!(of("日本語日本語日本語日本語"), ["日本語日本語日本語日本語"]);
        assert_eq!(of("日本語日本語日 本語日本語"), ["日本語日本語日", "    本語日本語"]);
        assert_eq!(wrapped("a b", None), ["a b"]);
    }

    #[test]
    fn no_text_is_a_command_however_it_comes_in_pieces() {
        let text = "::a::b\n \u{a0}::c::\nx ###[d]e\n[f] :: ##\n\u{1b}[1m::g::\n";
        let expected = ":\\u{3a}a::b\n \u{a0}:\\u{3a}c::\nx ###\\u{5b}d]e\n[f] :: ##\n\u{1b}[1m:\\u{3a}g::\n";
        for piece in [1, 2, 3, 7, text.len()] {
            let mut out = Guarded::new(Vec::new());
            text.as_bytes().chunks(piece).for_each(|piece| out.write_all(piece).unwrap());
            assert_eq!(String::from_utf8(out.out).unwrap(), expected, "{piece}");
        }
        let mut out = Guarded::new(Vec::new());
        out.write_all(b"\xff::a::\n#\xff#[b]").unwrap();
        assert_eq!(out.out, b"\xff:\\u{3a}a::\n#\xff#\\u{5b}b]");
    }
}
