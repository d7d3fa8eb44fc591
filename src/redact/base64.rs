//! Base64 with secrets inside, such as a whole file of settings. What is found inside takes all of it.

use super::detect::{self, Findings, RuleRef};
use super::keys;

/// The least length of a run that is decoded.
const MIN_RUN: usize = 40;
/// How often a text is decoded at most.
const MAX_DEPTH: usize = 2;
/// How much of the beginning has to read as text.
const FIRST: usize = 24;

/// Finds the runs of Base64 that hold a secret, in a text that was decoded `depth` times.
///
/// A text is looked at only in so many places that no run can be missed.
pub(super) fn find(text: &[u8], depth: usize, findings: &mut Findings) {
    let (mut at, mut done) = (MIN_RUN - 1, 0);
    while depth < MAX_DEPTH && at < text.len() {
        if !is_base64(text[at]) {
            at += MIN_RUN;
            continue;
        }
        let start = at - text[done..at].iter().rev().take_while(|b| is_base64(**b)).count();
        // The mark of an added line.
        let start = start + usize::from(matches!(text[start], b'+' | b'-' | b'/'));
        let mut end = at + text[at..].iter().take_while(|b| is_base64(**b)).count();
        if end.saturating_sub(start) >= MIN_RUN {
            end = payload(text, start, end, depth, findings);
        }
        done = end;
        at = end + MIN_RUN - 1;
    }
}

fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'-' | b'_')
}

/// Finds the secrets inside the Base64 at `start..end`, which may go on over the next lines; returns its end.
fn payload(text: &[u8], start: usize, end: usize, depth: usize, findings: &mut Findings) -> usize {
    // Images and fonts of a page are no secrets.
    let is_data = text[..start].ends_with(b"base64,");
    let first = decode(&text[start..start + FIRST]);
    let is_wide = is_wide(&first);
    if is_data || !is_wide && !reads_as_text(&first) {
        return end;
    }
    let (last, _) = keys::base64_lines(text, start);
    // The next line may look like Base64 and be none.
    for end in [last.max(end), end] {
        let run: Vec<u8> = text[start..end].iter().copied().filter(|b| is_base64(*b)).collect();
        let mut decoded = decode(&run);
        if is_wide {
            decoded = decoded.chunks_exact(2).map(|pair| if pair[1] == 0 { pair[0] } else { b'?' }).collect();
        }
        if decoded.len() < MIN_RUN / 2 || !reads_as_text(&decoded) {
            continue;
        }
        let mut inside = Findings::default();
        detect::search(&decoded, depth + 1, &mut inside);
        let labels = inside.found.iter().filter_map(|finding| match finding.rule {
            RuleRef::BuiltIn(label) => Some(label),
            RuleRef::User(_) => None,
        });
        if let Some(label) = labels.min_by_key(|label| label.rank) {
            findings.add(start, end, label);
        }
        return end;
    }
    end
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
