//! Standard output and standard error: whatever is printed goes through here.
//!
//! GitHub's runner reads the log of every step for commands, whatever program wrote it. In what this program says no text
//! makes one: the character that would complete it is printed as an escape such as `\u{5b}`.

use crate::model::Commands;
use anstream::AutoStream;
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
