//! Looking around in bytes: edges of tokens, ends of lines.

/// Whether a token may begin at `at`: no letter or digit stands before it, or
/// only the end of an escape (`\n`, `%3D`, `\u003d`) as raw JSON and URLs have them.
pub(super) fn starts_token(text: &[u8], at: usize) -> bool {
    let before = &text[..at];
    match before.last() {
        None => true,
        Some(last) if !last.is_ascii_alphanumeric() => true,
        Some(_) => ends_in_escape(before),
    }
}

fn ends_in_escape(before: &[u8]) -> bool {
    let hex = |digits: usize| before.iter().rev().take(digits).filter(|b| b.is_ascii_hexdigit()).count() == digits;
    let back = |steps: usize| before.len().checked_sub(steps).map(|at| before[at]);
    matches!((back(2), back(1)), (Some(b'\\'), Some(b'n' | b'r' | b't' | b'b' | b'f')))
        || (hex(2) && back(3) == Some(b'%'))
        || (hex(4) && back(5) == Some(b'u') && back(6) == Some(b'\\'))
}

/// Whether `byte` belongs to a word: what a match is extended over, so that no rest of a secret stays.
pub(super) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Finds ends of words; asking for every place of a long word costs no more than asking once.
#[derive(Debug, Default)]
pub(super) struct WordEnds {
    from: usize,
    to: usize,
}

impl WordEnds {
    /// The end of the word that `at` stands in or touches.
    pub(super) fn end(&mut self, text: &[u8], at: usize) -> usize {
        if at < self.from || at > self.to {
            let length = text[at..].iter().take_while(|byte| is_word(**byte)).count();
            (self.from, self.to) = (at, at + length);
        }
        self.to
    }
}

/// Whether `text` contains `word` whatever the case; `word` is in lower case.
pub(super) fn contains_ignoring_case(text: &[u8], word: &[u8]) -> bool {
    text.windows(word.len()).any(|window| window.eq_ignore_ascii_case(word))
}

/// Whether `text` begins with `word` whatever the case.
pub(super) fn starts_ignoring_case(text: &[u8], word: &[u8]) -> bool {
    text.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word))
}
