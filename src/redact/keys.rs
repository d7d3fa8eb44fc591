//! Private keys written as blocks of text: PEM, OpenSSH, PGP, PuTTY, and PEM wrapped in Base64.

use super::judge;
use super::rules::{Label, decode};

/// What a record says of a key block.
pub(super) static BLOCK: Label = Label { name: "private-key", reason: "is the block of a private key", rank: 0 };

/// Begins a block.
pub(super) const BEGIN: &str = "-----begin ";
/// Ends a block.
pub(super) const END: &str = "-----end ";
/// Begins the secret part of a PuTTY key.
pub(super) const PUTTY: &str = "private-lines:";
/// `-----BEGIN` in Base64.
pub(super) const WRAPPED: &str = "ls0tls1crudjti";

const DASHES: &[u8] = b"-----";
/// Fewer characters of Base64 than this are no key: a header shown in prose.
const LEAST: usize = 16;
/// The most that is read backwards for a block without a beginning.
const LONGEST: usize = 32 * 1024;

/// The block whose `-----BEGIN ` stands at `hit`, whole or truncated; nothing where no key follows.
///
/// Lines may be indented, quoted, commented, or joined by `\n` as in JSON.
pub(super) fn block(text: &[u8], hit: usize) -> Option<(usize, usize)> {
    let label_end = label(text, hit + BEGIN.len())?;
    body(text, label_end).map(|end| (hit, end))
}

/// The secret lines of a PuTTY key after the `Private-Lines:` at `hit`.
pub(super) fn putty(text: &[u8], hit: usize) -> Option<(usize, usize)> {
    let from = hit + PUTTY.len();
    let count = text[from..].iter().take(8).take_while(|b| **b == b' ' || b.is_ascii_digit()).count();
    let start = gap(text, from + count);
    body(text, start).map(|end| (start, end))
}

/// The last part of a block that ends with the `-----END ` at `hit` and has lost its beginning.
pub(super) fn rest(text: &[u8], hit: usize) -> Option<(usize, usize)> {
    let end = label(text, hit + END.len())?;
    let window = &text[hit.saturating_sub(LONGEST)..hit];
    // What stands before the dashes on their own line is a prefix such as `> `.
    let prefix = window.iter().rev().take(64).position(|b| *b == b'\n')?;
    let mut line_start = hit - prefix;
    let mut start = hit;
    let mut size = 0;
    for line in window[..window.len() - prefix - 1].rsplit(|b| *b == b'\n') {
        line_start = line_start.saturating_sub(line.len() + 1);
        let prefix = line.iter().take_while(|b| is_gap(**b)).count();
        let content = line[prefix..].trim_ascii_end();
        // The last line, met first, is as short as the key leaves it.
        let short = content.len() < LEAST || (judge::is_name(content) && content.len() < 40);
        if content.is_empty() || !content.iter().all(|b| is_base64(*b)) || (short && size > 0) {
            break;
        }
        size += content.len();
        start = line_start + prefix;
    }
    (size >= 2 * LEAST).then_some((start, end))
}

/// The Base64 at `hit` where it wraps a private key.
pub(super) fn wrapped(text: &[u8], hit: usize) -> Option<(usize, usize)> {
    if !super::text::starts_token(text, hit) {
        return None;
    }
    let length = text[hit..].iter().take_while(|b| is_base64(**b)).count();
    let start = decode(&text[hit..hit + length.min(96)]);
    let header = super::text::contains_ignoring_case(&start, b"private key");
    (header && length >= 64).then_some((hit, hit + length))
}

/// The place after the closing dashes of a label that names a private key.
fn label(text: &[u8], from: usize) -> Option<usize> {
    let window = &text[from..text.len().min(from + 80)];
    let length = window.windows(DASHES.len()).position(|part| part == DASHES)?;
    window[..length].windows(11).any(|part| part == b"PRIVATE KEY").then_some(from + length + DASHES.len())
}

/// The end of the key whose lines begin at or after `from`.
fn body(text: &[u8], from: usize) -> Option<usize> {
    let (mut at, mut end, mut size, mut headers) = (from, from, 0_usize, 0);
    loop {
        at = gap(text, at);
        let left = &text[at..];
        if left.starts_with(b"-----END ") {
            if size >= LEAST {
                end = label(text, at + END.len()).unwrap_or(end);
            }
            break;
        }
        let run = left.iter().take_while(|b| is_base64(**b)).count();
        if size == 0
            && headers < 8
            && let Some(length) = header(left)
        {
            headers += 1;
            at += length;
            continue;
        }
        let belongs = if run >= LEAST {
            run >= 40 || size > 0 || !judge::is_name(&left[..run])
        } else {
            size >= LEAST && run > 0 && is_tail(text, at, run)
        };
        if belongs {
            size += run;
            at += run;
            end = at;
        } else if size > 0 && (left.starts_with(b"...") || left.starts_with("…".as_bytes())) {
            at += 3;
        } else {
            break;
        }
    }
    (size >= LEAST).then_some(end)
}

/// Whether a short run is a block's last line: the dashes follow, it is padded, or it stands alone and is no word.
fn is_tail(text: &[u8], at: usize, run: usize) -> bool {
    let word = &text[at..at + run];
    let after = &text[at + run..];
    let alone = matches!(after.first(), None | Some(b'\n' | b'\r' | b'"' | b'\'' | b'\\' | b'`'));
    text[gap(text, at + run)..].starts_with(DASHES)
        || word.contains(&b'=')
        || (alone
            && word.iter().any(|b| !b.is_ascii_lowercase())
            && (!judge::is_name(word) || word.iter().any(u8::is_ascii_digit)))
}

/// The length of a header line such as `Proc-Type: 4,ENCRYPTED`.
fn header(left: &[u8]) -> Option<usize> {
    let name = left.iter().take(32).take_while(|b| b.is_ascii_alphabetic() || **b == b'-').count();
    if name < 3 || left.get(name) != Some(&b':') {
        return None;
    }
    let line = left.iter().take(256).take_while(|b| !matches!(b, b'\n' | b'\\')).count();
    Some(line)
}

/// The first place at or after `at` that is no line end, indentation, prefix or quote.
fn gap(text: &[u8], mut at: usize) -> usize {
    loop {
        match text.get(at) {
            Some(b'\\') => match text.get(at + 1) {
                Some(b'n' | b'r' | b't' | b'"' | b'\'') => at += 2,
                Some(b'\\' | b'\n') | None => at += 1,
                Some(_) => return at,
            },
            Some(byte) if is_gap(*byte) => at += 1,
            _ => return at,
        }
    }
}

fn is_gap(byte: u8) -> bool {
    byte.is_ascii_whitespace() || matches!(byte, b'>' | b'|' | b'#' | b'*' | b'"' | b'\'' | b'`' | b',')
}

fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=')
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    const LINE: &str = "b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtz";

    fn found(text: &str) -> Option<&str> {
        let hit = text.to_ascii_lowercase().find(BEGIN)?;
        block(text.as_bytes(), hit).map(|(start, end)| &text[start..end])
    }

    #[test]
    fn a_whole_block_is_found_in_every_dress() {
        for (open, join, close) in [
            ("", "\n", ""),
            ("", "\\n", ""),
            ("", "\\\\n", ""),
            ("", " ", ""),
            ("    ", "\n    ", "\n"),
            ("> ", "\n> ", ""),
            ("# ", "\n# ", ""),
            ("\"", "\\n\" +\n  \"", "\""),
        ] {
            let key =
                ["-----BEGIN RSA PRIVATE KEY-----", LINE, LINE, "c2hvcnQ=", "-----END RSA PRIVATE KEY-----"].join(join);
            let key = key.replace("\" +\n", "\"\n");
            let text = format!("before {open}{key}{close} after");
            assert_eq!(found(&text), Some(key.as_str()), "{text}");
        }
    }

    #[test]
    fn a_truncated_block_is_removed_as_far_as_it_goes() {
        let text = format!("-----BEGIN OPENSSH PRIVATE KEY-----\n{LINE}\n{LINE}\nThe rest is prose.");
        assert_eq!(found(&text).unwrap().lines().count(), 3);
        let text = format!("{LINE}\nAbc1\n-----END EC PRIVATE KEY-----\n");
        let whole = Some((0, text.len() - 1));
        assert_eq!(rest(text.as_bytes(), text.find("-----END").unwrap()), whole);
        let text = "one\nword\n-----END EC PRIVATE KEY-----\n";
        assert_eq!(rest(text.as_bytes(), text.find("-----END").unwrap()), None);
        let text = format!("prose\n{LINE}\n{LINE}\n-----END EC PRIVATE KEY-----\nprose");
        let (start, end) = rest(text.as_bytes(), text.find("-----END").unwrap()).unwrap();
        assert_eq!((start, &text[end..]), (6, "\nprose"));
    }

    #[test]
    fn headers_inside_a_block_belong_to_it() {
        let text = format!(
            "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00\n\n{LINE}\n-----END RSA PRIVATE KEY-----"
        );
        assert_eq!(found(&text), Some(text.as_str()));
    }

    #[test]
    fn a_header_in_prose_a_certificate_and_a_public_key_stay() {
        for text in [
            "look for `-----BEGIN RSA PRIVATE KEY-----` in the file".to_owned(),
            "-----BEGIN PRIVATE KEY-----\nMIIE...\n-----END PRIVATE KEY-----".to_owned(),
            "-----BEGIN PRIVATE KEY----- authentication/authorization follows".to_owned(),
            format!("-----BEGIN CERTIFICATE-----\n{LINE}\n-----END CERTIFICATE-----"),
            format!("-----BEGIN PUBLIC KEY-----\n{LINE}\n-----END PUBLIC KEY-----"),
        ] {
            assert_eq!(found(&text), None, "{text}");
        }
    }

    #[test]
    fn keys_of_putty_and_wrapped_keys_are_found() {
        let text = format!("Private-Lines: 2\n{LINE}\n{LINE}\nPrivate-MAC: x");
        let (start, end) = putty(text.as_bytes(), 0).unwrap();
        assert_eq!(&text[start..end], format!("{LINE}\n{LINE}"));
        let text = "LS0tLS1CRUdJTiBSU0EgUFJJVkFURSBLRVktLS0tLQpNSUlFcEFJQkFBS0NBUUVBMGJ2Qg==";
        assert_eq!(wrapped(text.as_bytes(), 0), Some((0, text.len())));
        let certificate = "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1JSUVwQUlCQUFLQ0FRRUEwYnZCMGJ2QjB2QjA";
        assert_eq!(wrapped(certificate.as_bytes(), 0), None);
    }
}
