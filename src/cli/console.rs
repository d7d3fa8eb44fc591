//! Standard output and standard error: whatever is printed goes through here.
//!
//! GitHub's runner reads the log of every step for commands, whatever program wrote it. In what this program says no text
//! makes one: the character that would complete it is printed as an escape such as `\u{5b}`.

use crate::model::{Commands, harmless_json, is_hidden};
use crate::review::unseen_at;
use anstream::AutoStream;
use std::borrow::Cow;
use std::io::{self, StderrLock, StdoutLock, Write};

/// What is for standard output, in which nothing is a command. Styles are taken out where none belong.
pub(crate) fn stdout() -> Guarded<AutoStream<StdoutLock<'static>>> {
    Guarded::new(anstream::stdout().lock())
}

/// What is for standard error, in which nothing is a command. Styles are taken out where none belong.
pub(crate) fn stderr() -> Guarded<AutoStream<StderrLock<'static>>> {
    Guarded::new(anstream::stderr().lock())
}

/// Standard output for data of which every byte counts: a pack, a rendering, a redacted text, a script.
///
/// It may hold commands; docs/actions.md says where it belongs in a workflow.
pub(crate) fn exact() -> StdoutLock<'static> {
    io::stdout().lock()
}

/// Standard output for commands that are meant; texts in them are escaped by whoever writes them.
pub(crate) fn workflow_commands() -> AutoStream<StdoutLock<'static>> {
    anstream::stdout().lock()
}

/// A stream in which no text is a command.
pub(crate) struct Guarded<W> {
    out: W,
    commands: Commands,
}

impl<W: Write> Guarded<W> {
    pub(crate) fn new(out: W) -> Self {
        Self { out, commands: Commands::default() }
    }
}

impl<W: Write> Write for Guarded<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for chunk in bytes.utf8_chunks() {
            let (text, mut written) = (chunk.valid(), 0);
            for (at, c) in text.char_indices() {
                if self.commands.completes(c) {
                    self.out.write_all(&text.as_bytes()[written..at])?;
                    write!(self.out, "{}", c.escape_unicode())?;
                    written = at + c.len_utf8();
                }
            }
            self.out.write_all(&text.as_bytes()[written..])?;
            // What is no text completes nothing.
            self.out.write_all(chunk.invalid())?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// The text on one line with nothing that a terminal obeys or hides: such characters become `\u{…}`.
pub(crate) fn printable(text: &str) -> Cow<'_, str> {
    let is_unseen = unseen_at(text);
    if !text.char_indices().any(|(at, c)| is_hidden(c) || is_unseen(at)) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for (at, c) in text.char_indices() {
        if is_hidden(c) || is_unseen(at) {
            shown.extend(c.escape_default());
        } else {
            shown.push(c);
        }
    }
    Cow::Owned(shown)
}

/// JSON for stdout: what a terminal or a workflow's log would obey or hide is an escape, which reads back the same.
pub(crate) fn json_text(value: &impl serde::Serialize) -> String {
    escaped(&format!("{:#}", serde_json::to_value(value).unwrap_or_default()))
}

/// The same on one line.
pub(crate) fn json_line(value: &impl serde::Serialize) -> String {
    escaped(&serde_json::to_value(value).unwrap_or_default().to_string())
}

fn escaped(json: &str) -> String {
    let is_unseen = unseen_at(json);
    harmless_json(json, |at, _| is_unseen(at))
}

/// `1 pack`, `2 packs`.
pub(crate) fn counted(count: impl TryInto<u64>, what: &str) -> String {
    let count = count.try_into().unwrap_or(u64::MAX);
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

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
