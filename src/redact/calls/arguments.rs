//! The arguments of a call in any language, and the literal inside of one.

use super::super::heuristics::WordList;

/// The longest list of arguments that is read: 64 numbers and what surrounds them.
const MAX_BYTES: usize = 640;
/// The deepest nesting of brackets that is read.
const MAX_DEPTH: usize = 8;
/// Functions around a literal that only change how it is written.
static WRAPPERS: WordList = WordList::new(
    "array base64 base64decode b64decode buffer byte bytes charset decode decode_hex decode64 decodebase64 \
    decodehex decodestring encode from from_hex from_slice fromarray frombase64 frombase64string fromhex fromhexstring \
    getbytes hex hextobytes hex2bytes hex2bin hexdecode mustdecode of ok parse pack sha256 md5 secretkeyspec securestring \
    secretstr secretstring some slice str string strencode to_bytes tobytes tochararray uint8array unhexlify unhex \
    urlsafe_b64decode urlsafeb64decode utf8 vec",
);

/// A literal in an argument.
pub(super) struct Literal {
    pub(super) start: usize,
    pub(super) end: usize,
    /// The number of bytes that it lists as numbers; 0 for a string.
    pub(super) bytes: usize,
}

/// The arguments after the bracket of a call.
pub(super) struct Arguments<'t> {
    text: &'t [u8],
    at: usize,
    limit: usize,
}

impl<'t> Arguments<'t> {
    /// Reads the arguments that begin at `open`, after the bracket.
    pub(super) fn new(text: &'t [u8], open: usize) -> Self {
        Self { text, at: open, limit: text.len().min(open + MAX_BYTES) }
    }
}

impl Iterator for Arguments<'_> {
    type Item = (usize, usize);

    fn next(&mut self) -> Option<(usize, usize)> {
        if self.at >= self.limit {
            return None;
        }
        let (start, mut depth, mut quote) = (self.at, 0, None);
        let mut at = start;
        while at < self.limit {
            let byte = self.text[at];
            // The quotes of a text inside a text are escaped.
            let escaped = byte == b'\\' && matches!(self.text.get(at + 1), Some(b'"' | b'\''));
            match (quote, byte) {
                // A string goes over no line end, so that a stray quote costs one line only.
                (Some(_), b'\n') => break,
                (Some((open, true)), b'\\') if self.text.get(at + 1) == Some(&open) => {
                    quote = None;
                    at += 1;
                }
                (Some(_), b'\\') => at += 1,
                (Some((open, false)), close) if open == close => quote = None,
                (Some(_), _) => {}
                (None, b'\\') if escaped => {
                    quote = Some((self.text[at + 1], true));
                    at += 1;
                }
                (None, b'"' | b'\'' | b'`') => quote = Some((byte, false)),
                (None, b'(' | b'[' | b'{') if depth == MAX_DEPTH => break,
                (None, b'(' | b'[' | b'{') => depth += 1,
                (None, b')' | b']' | b'}') if depth == 0 => {
                    self.at = self.limit;
                    return Some((start, at));
                }
                (None, b')' | b']' | b'}') => depth -= 1,
                (None, b',') if depth == 0 => {
                    self.at = at + 1;
                    return Some((start, at));
                }
                _ => {}
            }
            at += 1;
        }
        self.at = self.limit;
        None
    }
}

/// Returns the literal of the argument at `from..to`, without what turns it into bytes; `None` if it is no literal.
pub(super) fn literal(text: &[u8], from: usize, to: usize) -> Option<Literal> {
    let mut at = from;
    for _ in 0..6 {
        at += text[at..to].iter().take_while(|b| b.is_ascii_whitespace() || matches!(b, b'&' | b'*')).count();
        let rest = &text[at..to];
        match rest.first()? {
            b'"' | b'\'' | b'`' => return string(text, at, to),
            b'\\' if matches!(rest.get(1), Some(b'"' | b'\'')) => return string(text, at, to),
            b'[' if rest.starts_with(b"[]byte") => at += 6,
            b'[' | b'{' | b'(' => at += 1,
            b'0'..=b'9' => return numbers(text, at, to),
            b'b' | b'r' | b'u' | b'@' | b'N' if matches!(rest.get(1), Some(b'"' | b'\'')) => at += 1,
            _ => at += wrapper(rest)?,
        }
    }
    None
}

/// Returns the length of what stands before a literal: `Buffer.from(`, `new `, `key=`.
fn wrapper(rest: &[u8]) -> Option<usize> {
    if rest.starts_with(b"new ") {
        return Some(4);
    }
    let encoder = b"TextEncoder().encode(";
    if rest.starts_with(encoder) {
        return Some(encoder.len());
    }
    let part = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b':' | b'!');
    let length = rest.iter().take(48).take_while(|b| part(b)).count();
    let name = &rest[..length];
    match rest.get(length)? {
        // A named argument; `==` compares.
        b'=' if rest.get(length + 1) != Some(&b'=') => Some(length + 1),
        b' ' if name.ends_with(b":") => Some(length),
        b'(' | b'[' | b'{' => {
            let name = name.strip_suffix(b"!").unwrap_or(name);
            let last = name.rsplit(|b| matches!(b, b'.' | b':')).next()?;
            WRAPPERS.has(last).then_some(length)
        }
        _ => None,
    }
}

/// Returns the string whose quote is at `at`, if nothing is added to it.
fn string(text: &[u8], at: usize, to: usize) -> Option<Literal> {
    let escaped = text[at] == b'\\';
    let open = at + usize::from(escaped);
    let quote = text[open];
    let start = open + 1;
    let mut end = start;
    while end < to && text[end] != quote {
        end += if text[end] == b'\\' && !(escaped && text.get(end + 1) == Some(&quote)) { 2 } else { 1 };
    }
    if end >= to {
        return None;
    }
    let after = text[end + 1..to].trim_ascii_start();
    let end = end - usize::from(escaped && text[end - 1] == b'\\');
    (!matches!(after.first(), Some(b'+' | b'%')) && end > start).then_some(Literal { start, end, bytes: 0 })
}

/// Returns the list of bytes that begins at `at`, if they are as mixed as random ones.
pub(super) fn numbers(text: &[u8], at: usize, to: usize) -> Option<Literal> {
    let mut seen = [false; 256];
    let (mut count, mut falls, mut previous, mut high, mut end) = (0, 0, 0, false, at);
    let mut next = at;
    loop {
        next += text[next..to].iter().take_while(|b| b.is_ascii_whitespace()).count();
        let length = text[next..to].iter().take(5).take_while(|b| b.is_ascii_alphanumeric()).count();
        let Some(value) = number(&text[next..next + length]) else { break };
        count += 1;
        falls += usize::from(value < previous);
        high |= value > 200;
        seen[usize::from(value)] = true;
        previous = value;
        end = next + length;
        next = end + text[end..to].iter().take_while(|b| b.is_ascii_whitespace()).count();
        if next >= to || text[next] != b',' {
            break;
        }
        next += 1;
    }
    let distinct = seen.iter().filter(|seen| **seen).count();
    let mixed = distinct * 4 >= count * 3 && falls * 4 >= count && falls * 4 <= count * 3 && high;
    (count >= 16 && mixed).then_some(Literal { start: at, end, bytes: count })
}

/// Reads a byte in decimal or hexadecimal digits.
fn number(word: &[u8]) -> Option<u8> {
    let word = std::str::from_utf8(word).ok()?;
    let (digits, radix) = word.strip_prefix("0x").map_or((word, 10), |digits| (digits, 16));
    u8::from_str_radix(digits, radix).ok().filter(|_| digits.len() <= 3)
}
