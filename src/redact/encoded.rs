//! Base64 with secrets inside, such as a whole file of settings. What is found inside takes all of it.

use super::detect::{self, Finding, RuleRef};
use super::keys;
use super::rules::decode_base64;
use super::sampled::MIN_RUN;

/// How often a text is decoded at most.
pub(super) const MAX_DEPTH: usize = 2;
/// How much of the beginning has to read as text.
const FIRST: usize = 24;

/// Whether `byte` belongs to Base64 of either alphabet.
pub(super) fn is_base64(byte: u8) -> bool {
    static KNOWN: [bool; 256] = {
        let mut known = [false; 256];
        let mut byte = 0;
        while byte < 128 {
            known[byte] = (byte as u8).is_ascii_alphanumeric() || matches!(byte as u8, b'+' | b'/' | b'-' | b'_');
            byte += 1;
        }
        known
    };
    KNOWN[usize::from(byte)]
}

/// Finds the secrets inside the Base64 at `start..end`, which may go on over the next lines; returns its end.
pub(super) fn payload(text: &[u8], start: usize, end: usize, depth: usize, findings: &mut Vec<Finding>) -> usize {
    // Images and fonts of a page are no secrets.
    let is_data = text[..start].ends_with(b"base64,");
    let first = decode_base64(&text[start..start + FIRST]);
    let is_wide = is_wide(&first);
    if depth >= MAX_DEPTH || is_data || !is_wide && !reads_as_text(&first) {
        return end;
    }
    let (last, _) = keys::base64_lines(text, start);
    // The next line may look like Base64 and be none.
    for end in [last.max(end), end] {
        let kept: Vec<u8> = text[start..end].iter().copied().filter(|b| is_base64(*b)).collect();
        let mut decoded = decode_base64(&kept);
        if is_wide {
            decoded = narrowed(&decoded);
        }
        if decoded.len() < MIN_RUN / 2 || !reads_as_text(&decoded) {
            continue;
        }
        let inside = detect::built_in_at(&decoded, false, depth + 1);
        let label = inside.iter().filter_map(|finding| match finding.rule {
            RuleRef::BuiltIn(label) => Some(label),
            RuleRef::User(_) => None,
        });
        if let Some(label) = label.min_by_key(|label| label.rank) {
            findings.push(Finding { start, end, rule: RuleRef::BuiltIn(label) });
        }
        return end;
    }
    end.max(last)
}

/// Whether bytes are those of UTF-16 as PowerShell encodes its commands: each second one is zero.
fn is_wide(bytes: &[u8]) -> bool {
    bytes.len() >= 8 && bytes.chunks_exact(2).all(|pair| pair[0] >= b'\t' && pair[1] == 0)
}

/// Returns the ASCII characters of UTF-16, others as `?`.
fn narrowed(bytes: &[u8]) -> Vec<u8> {
    bytes.chunks_exact(2).map(|pair| if pair[1] == 0 && pair[0].is_ascii() { pair[0] } else { b'?' }).collect()
}

/// Whether bytes are a text: hardly any of them are controls, and it is valid UTF-8 but for a character that is cut off.
fn reads_as_text(bytes: &[u8]) -> bool {
    let valid = match std::str::from_utf8(bytes) {
        Ok(_) => true,
        Err(fault) => fault.error_len().is_none(),
    };
    valid && bytes.iter().all(|b| *b >= b' ' || b.is_ascii_whitespace())
}

#[cfg(test)]
mod tests {
    use crate::redact::canaries::{SEED, fill};
    use base64::Engine as _;

    fn encode(text: &str) -> String {
        base64::engine::general_purpose::STANDARD.encode(text)
    }

    fn found(text: &str) -> Vec<&str> {
        let mut findings = Vec::new();
        super::super::sampled::find(text.as_bytes(), 0, &mut findings);
        findings.iter().map(|finding| &text[finding.start..finding.end]).collect()
    }

    #[test]
    fn what_holds_a_secret_is_removed_whole_also_if_encoded_twice_or_wrapped() {
        let settings = fill("database:\n  user: app\n  password: <a14>7q\nregion: eu-west-1\n", SEED);
        let once = encode(&settings);
        let twice = encode(&once);
        for code in [&once, &twice] {
            let code = code.trim_end_matches('=');
            assert_eq!(found(&format!("data: {code}\nmore")), [code]);
        }
        let lines: Vec<&str> = once.as_bytes().chunks(48).filter_map(|line| std::str::from_utf8(line).ok()).collect();
        let wrapped = lines.join("\n  ");
        assert_eq!(found(&format!("config:\n  {wrapped}\n\nmore")), [wrapped.as_str()]);
    }

    #[test]
    fn the_encoded_command_of_a_shell_of_windows_is_read() {
        let command = fill("$env:API_PASSWORD = '<a14>7q'; Start-Process app", SEED);
        let wide: Vec<u8> = command.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let code = base64::engine::general_purpose::STANDARD.encode(wide);
        let code = code.trim_end_matches('=');
        assert_eq!(found(&format!("powershell -enc {code}")), [code]);
    }

    #[test]
    fn other_base64_and_what_is_encoded_three_times_stay() {
        let settings = fill("password: <a14>7q and some more words", SEED);
        for text in [
            encode("a sentence without any secret, however long it may be, has nothing to remove"),
            encode(&encode(&encode(&settings))),
            format!("data:text/plain;base64,{}", encode(&settings)),
            fill("<h64> <a60> usr/share/doc/some-package/examples/with/a/long/path/to/it", SEED),
        ] {
            assert_eq!(found(&text), Vec::<&str>::new(), "{text}");
        }
    }
}
