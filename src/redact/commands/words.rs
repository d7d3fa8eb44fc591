//! The words of a command line as a shell reads them.

/// The longest command that is read, and its most words.
const MAX_BYTES: usize = 400;
const MAX_WORDS: usize = 40;

/// A word of a command.
#[derive(Debug, Clone, Copy)]
pub(super) struct ShellWord {
    /// The place of the word without the quotes around it.
    pub(super) start: usize,
    pub(super) end: usize,
    /// Whether quotes are around it.
    pub(super) quoted: bool,
}

impl ShellWord {
    /// Returns the rest of the word at `from`, without quotes of its own.
    pub(super) fn from(self, text: &[u8], from: usize) -> Self {
        let (mut start, mut end) = (from.min(self.end), self.end);
        let quoted = end - start >= 2 && matches!(text[start], b'"' | b'\'') && text[end - 1] == text[start];
        if quoted {
            start += 1;
            end -= 1;
        }
        Self { start, end, quoted: quoted || self.quoted }
    }
}

/// The words of a command up to its end: a line end that is not escaped, or what a shell ends it with.
pub(super) struct Words<'t> {
    text: &'t [u8],
    at: usize,
    limit: usize,
    left: usize,
}

impl<'t> Words<'t> {
    /// Reads the words at `at`.
    pub(super) fn new(text: &'t [u8], at: usize) -> Self {
        Self { text, at, limit: text.len().min(at + MAX_BYTES), left: MAX_WORDS }
    }
}

impl Iterator for Words<'_> {
    type Item = ShellWord;

    fn next(&mut self) -> Option<ShellWord> {
        let text = &self.text[..self.limit];
        loop {
            match text[self.at..] {
                [b' ' | b'\t', ..] => self.at += 1,
                // A command goes on after an escaped line end: in shells, in PowerShell, in Windows.
                [b'\\' | b'`' | b'^', b'\n', ..] => self.at += 2,
                [b'\\' | b'`' | b'^', b'\r', b'\n', ..] => self.at += 3,
                [] | [b'\n' | b'\r' | b'|' | b';' | b'&' | b'#' | b')' | b'`', ..] => return None,
                _ => break,
            }
        }
        self.left = self.left.checked_sub(1)?;
        let start = self.at;
        let mut quote = None;
        while let Some(byte) = text.get(self.at) {
            match (quote, *byte) {
                (_, b'\n' | b'\r') => break,
                (Some(open), close) if open == close => quote = None,
                (Some(_), _) => {}
                (None, b'"' | b'\'') => quote = Some(*byte),
                (None, b' ' | b'\t' | b'|' | b';' | b'`') => break,
                (None, b'\\') => self.at += usize::from(!matches!(text.get(self.at + 1), Some(b'\n' | b'\r'))),
                _ => {}
            }
            self.at += 1;
        }
        self.at = self.at.min(self.limit);
        Some(ShellWord { start, end: self.at, quoted: false }.from(self.text, start))
    }
}
