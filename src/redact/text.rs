//! Helpers for bytes of text: boundaries of words, comparison without case.

/// The number of bytes that [`flags`] gathers.
pub(super) const FLAGS: usize = 64;

/// Gathers bytes that are 0 or 1 as the bits of a number, the first one as the lowest.
pub(super) fn flags(bytes: &[u8; FLAGS]) -> u64 {
    let eights = bytes.as_chunks().0.iter().rev();
    // The product has the lowest bit of each byte in its highest byte.
    eights.fold(0, |bits, eight| bits << 8 | u64::from_le_bytes(*eight).wrapping_mul(0x0102_0408_1020_4080) >> 56)
}

/// Whether a token may begin at `at`: no letter or digit precedes it, except the end of an escape (`\n`, `%3D`,
/// `\u003d`) as in raw JSON and URLs.
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

/// Whether `byte` belongs to a word. Matches are extended to the end of a word, so that no part of a secret remains.
pub(super) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// A finder of the ends of tokens that reads each word once, however many positions in it are looked up.
#[derive(Debug, Default)]
pub(super) struct WordEnds {
    from: usize,
    to: usize,
}

impl WordEnds {
    /// Returns the end of the word at `at`.
    pub(super) fn end(&mut self, text: &[u8], at: usize) -> usize {
        // Rules match to different lengths, so the next place may be before the last one, in the same word.
        if at < self.from && self.from <= self.to && text[at..self.from].iter().all(|byte| is_word(*byte)) {
            self.from = at;
        }
        if at < self.from || at > self.to {
            let mut end = at + text[at..].iter().take_while(|byte| is_word(**byte)).count();
            while let Some(length) = random_part(&text[end..]) {
                end += length;
            }
            (self.from, self.to) = (at, end);
        }
        self.to
    }
}

/// Returns the length of a hyphen and a part after it that no word looks like: the rest of a token, not of a sentence.
fn random_part(rest: &[u8]) -> Option<usize> {
    let part = rest.strip_prefix(b"-")?;
    let part = &part[..part.iter().take_while(|byte| is_word(**byte)).count()];
    (part.len() >= 8 && has_three_classes(part)).then_some(1 + part.len())
}

/// Whether `text` has digits and letters of both cases.
pub(super) fn has_three_classes(text: &[u8]) -> bool {
    [u8::is_ascii_digit, u8::is_ascii_uppercase, u8::is_ascii_lowercase].iter().all(|class| text.iter().any(class))
}

/// Whether `text` contains `word`, ASCII case ignored.
pub(super) fn contains_ignoring_case(text: &[u8], word: &[u8]) -> bool {
    text.windows(word.len()).any(|window| window.eq_ignore_ascii_case(word))
}

/// Whether `text` begins with `word`, ASCII case ignored.
pub(super) fn starts_ignoring_case(text: &[u8], word: &[u8]) -> bool {
    text.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word))
}

/// Returns the part of `text` before its first line end.
pub(super) fn first_line(text: &[u8]) -> &[u8] {
    &text[..memchr::memchr(b'\n', text).unwrap_or(text.len())]
}

/// Returns the part of `text` after its last line end.
pub(super) fn last_line(text: &[u8]) -> &[u8] {
    &text[memchr::memrchr(b'\n', text).map_or(0, |end| end + 1)..]
}

/// Returns the number of line ends in `text`.
pub(super) fn line_ends(text: &str) -> u32 {
    u32::try_from(text.bytes().filter(|b| *b == b'\n').count()).unwrap_or(u32::MAX)
}

/// Whether `byte` may be part of a name such as `api_key` or `app.secret`.
pub(super) fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.')
}
