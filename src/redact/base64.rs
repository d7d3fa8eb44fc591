//! Base64 that encodes a text, such as a whole file of settings.

use super::keys;

/// The least length of a run that is decoded.
const MIN_RUN: usize = 40;
/// How much of the beginning has to read as text.
const FIRST: usize = 24;

/// A run of Base64 that may go on over several lines, and the text that it encodes.
pub(super) struct Base64Run {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) decoded: Vec<u8>,
}

/// Finds the runs of Base64 that encode a text, in order.
///
/// A text is looked at only in so many places that no run can be missed.
pub(super) fn runs(text: &[u8]) -> impl Iterator<Item = Base64Run> {
    let (mut at, mut done) = (MIN_RUN - 1, 0);
    std::iter::from_fn(move || {
        while at < text.len() {
            if !is_base64(text[at]) {
                at += MIN_RUN;
                continue;
            }
            let start = at - text[done..at].iter().rev().take_while(|b| is_base64(**b)).count();
            // The mark of an added line.
            let start = start + usize::from(matches!(text[start], b'+' | b'-' | b'/'));
            let end = at + text[at..].iter().take_while(|b| is_base64(**b)).count();
            let run = if end.saturating_sub(start) >= MIN_RUN { decoded_run(text, start, end) } else { None };
            done = run.as_ref().map_or(end, |run| run.end);
            at = done + MIN_RUN - 1;
            if run.is_some() {
                return run;
            }
        }
        None
    })
}

fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'-' | b'_')
}

/// Decodes the Base64 at `start..end`, which may go on over the next lines. `None` if it is no text.
fn decoded_run(text: &[u8], start: usize, end: usize) -> Option<Base64Run> {
    // Images and fonts of a page are no secrets.
    let is_data = text[..start].ends_with(b"base64,");
    let first = decode(&text[start..start + FIRST]);
    let is_wide = is_wide(&first);
    if is_data || !is_wide && !reads_as_text(&first) {
        return None;
    }
    let (last, _) = keys::base64_lines(text, start);
    // The next line may look like Base64 and be none.
    [last.max(end), end].into_iter().find_map(|end| {
        let run: Vec<u8> = text[start..end].iter().copied().filter(|b| is_base64(*b)).collect();
        let mut decoded = decode(&run);
        if is_wide {
            decoded = decoded.chunks_exact(2).map(|pair| if pair[1] == 0 { pair[0] } else { b'?' }).collect();
        }
        let is_text = decoded.len() >= MIN_RUN / 2 && reads_as_text(&decoded);
        is_text.then_some(Base64Run { start, end, decoded })
    })
}

/// Whether bytes are those of UTF-16 as PowerShell encodes its commands: each second one is zero.
fn is_wide(bytes: &[u8]) -> bool {
    bytes.len() >= 8 && bytes.chunks_exact(2).all(|pair| pair[0] >= b'\t' && pair[1] == 0)
}

/// Whether bytes are a text: hardly any of them are controls, and it is valid UTF-8 but for a character that is cut off.
fn reads_as_text(bytes: &[u8]) -> bool {
    let valid = std::str::from_utf8(bytes).map_or_else(|fault| fault.error_len().is_none(), |_| true);
    valid && bytes.iter().all(|b| *b >= b' ' || b.is_ascii_whitespace())
}

/// Decodes Base64 of either alphabet, up to the first character that is in neither.
pub(super) fn decode(text: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len() * 3 / 4);
    let (mut held, mut bits) = (0_u32, 0_u32);
    for byte in text {
        let six = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => break,
        };
        held = (held << 6) | u32::from(six);
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.push(((held >> bits) & 0xff) as u8);
        }
        held &= 0xffff;
    }
    bytes
}
