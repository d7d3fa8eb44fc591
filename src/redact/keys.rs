//! Private keys as blocks of text: PEM, OpenSSH, PGP and PuTTY, also truncated.

use super::letters;
use super::rules::FindingLabel;

/// The label of key blocks.
pub(super) static BLOCK: FindingLabel =
    FindingLabel { name: "private-key", reason: "is the block of a private key", rank: 0 };

/// The beginning of a block.
pub(super) const BEGIN: &str = "-----begin ";
/// The beginning of a block in RFC 4716; as long as [`BEGIN`].
pub(super) const BEGIN_SSH2: &str = "---- begin ";
/// The end of a block.
pub(super) const END: &str = "-----end ";
/// The beginning of the secret part of a PuTTY key.
pub(super) const PUTTY: &str = "private-lines:";
/// Four of five dashes: RFC 4716 has no more.
const DASHES: &[u8] = b"----";
/// The fewest characters of Base64 in a key: fewer are a header quoted in prose.
const MIN_BASE64: usize = 16;
/// The most bytes that are read backwards for a block without a beginning, and forwards for the end of one.
const MAX_BACKWARD_BYTES: usize = 32 * 1024;

/// Finds the block whose `-----BEGIN ` is at `hit`, whole or truncated; `None` if no key follows.
///
/// Lines may be indented, quoted, commented, or joined by `\n` as in JSON.
pub(super) fn block(text: &[u8], hit: usize) -> Option<(usize, usize)> {
    let start = label_end(text, hit + BEGIN.len())?;
    body_end(text, start).max(framed_end(text, start)).map(|end| (hit, end))
}

/// Returns the end of the block whose lines begin at `from` if it is closed and holds nothing but headers and Base64,
/// however its lines are broken.
fn framed_end(text: &[u8], from: usize) -> Option<usize> {
    let window = &text[from..text.len().min(from + MAX_BACKWARD_BYTES)];
    let close = window.windows(DASHES.len()).position(|part| part == DASHES)?;
    // The text may end within the dashes.
    let closed =
        || window[close..].starts_with(b"-----END ").then(|| label_end(text, from + close + END.len())).flatten();
    if is_mostly_base64(&window[..close]) {
        return closed();
    }
    let lines = window[..close].split(|b| *b == b'\n').map(<[u8]>::trim_ascii);
    let mut size = 0;
    for line in lines {
        if line.iter().all(|b| is_base64(*b)) {
            size += line.len();
        } else if size > 0 || header(line).is_none() {
            return None;
        }
    }
    if size >= 2 * MIN_BASE64 { closed() } else { None }
}

/// Whether long runs of Base64 make up most of `body`: what else is on its lines came with them, such as their numbers, or the
/// signs by which a tool shows where they end.
fn is_mostly_base64(body: &[u8]) -> bool {
    let runs = body.split(|b| !is_base64(*b)).map(<[u8]>::len).filter(|length| *length >= MIN_BASE64);
    let size: usize = runs.sum();
    let seen = body.iter().filter(|b| !b.is_ascii_whitespace()).count();
    size >= 3 * MIN_BASE64 && 2 * size >= seen
}

/// Finds the secret lines of a PuTTY key after the `Private-Lines:` at `hit`.
pub(super) fn putty(text: &[u8], hit: usize) -> Option<(usize, usize)> {
    let from = hit + PUTTY.len();
    let count = text[from..].iter().take(8).take_while(|b| **b == b' ' || b.is_ascii_digit()).count();
    let start = skip_gap(text, from + count);
    body_end(text, start).map(|end| (start, end))
}

/// Finds the last part of a block that ends with the `-----END ` at `hit` and has lost its beginning.
pub(super) fn rest(text: &[u8], hit: usize) -> Option<(usize, usize)> {
    let end = label_end(text, hit + END.len())?;
    let window = &text[hit.saturating_sub(MAX_BACKWARD_BYTES)..hit];
    // Text before the dashes on their line is a prefix such as `> `.
    let prefix = window.iter().rev().take(64).position(|b| *b == b'\n')?;
    let mut line_start = hit - prefix;
    let mut start = hit;
    let mut size = 0;
    for line in window[..window.len() - prefix - 1].rsplit(|b| *b == b'\n') {
        line_start = line_start.saturating_sub(line.len() + 1);
        let mut prefix = line.iter().take_while(|b| is_gap(**b)).count();
        prefix += usize::from(matches!(line.get(prefix), Some(b'-' | b'+')));
        let content = line[prefix..].trim_ascii_end();
        // The last line of a key, which is read first, may be short.
        let short = content.len() < MIN_BASE64 || (letters::is_name(content) && content.len() < 40);
        if content.is_empty() || !content.iter().all(|b| is_base64(*b)) || (short && size > 0) {
            break;
        }
        size += content.len();
        start = line_start + prefix;
    }
    (size >= 2 * MIN_BASE64).then_some((start, end))
}

/// Returns the end and the size of the Base64 at `start`, which continues while the next line is as long.
pub(super) fn base64_lines(text: &[u8], start: usize) -> (usize, usize) {
    let run = |at: usize| text[at..].iter().take_while(|b| is_base64(**b)).count();
    let width = run(start);
    let (mut end, mut size) = (start + width, width);
    loop {
        let next = skip_gap(text, end);
        let between = &text[end..next];
        let breaks = between.contains(&b'\n') || between.contains(&b'\\') || between.contains(&b'<');
        let length = run(next);
        if width < 40 || !breaks || length == 0 || length > width {
            break;
        }
        if length < width && !is_tail(text, next, length) && length < MIN_BASE64 {
            break;
        }
        (end, size) = (next + length, size + length);
        if length < width {
            break;
        }
    }
    (end, size)
}

/// Returns the end of the closing dashes of a label that names a private key.
fn label_end(text: &[u8], from: usize) -> Option<usize> {
    let window = &text[from..text.len().min(from + 80)];
    let length = window.windows(DASHES.len()).position(|part| part == DASHES)?;
    let name = &window[..length];
    let private = name.windows(11).any(|part| part == b"PRIVATE KEY") || name.starts_with(b"OpenVPN Static key");
    let dashes = text[from + length..].iter().take(5).take_while(|b| **b == b'-').count();
    private.then_some(from + length + dashes)
}

/// Returns the end of the key whose lines begin at or after `from`.
fn body_end(text: &[u8], from: usize) -> Option<usize> {
    let (mut at, mut end, mut size, mut headers) = (from, from, 0_usize, 0);
    loop {
        at = skip_gap(text, at);
        let left = &text[at..];
        if left.starts_with(b"-----END ") || left.starts_with(b"---- END ") {
            if size >= MIN_BASE64 {
                end = label_end(text, at + END.len()).unwrap_or(end);
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
        let belongs = if run >= MIN_BASE64 {
            run >= 40 || size > 0 || !letters::is_name(&left[..run])
        } else {
            size >= MIN_BASE64 && run > 0 && is_tail(text, at, run)
        };
        if belongs {
            size += run;
            at += run;
            end = at;
        } else if size > 0 && (left.starts_with(b"...") || left.starts_with("…".as_bytes())) {
            at += 3;
        } else if let Some(next) = after_prefix(text, at) {
            at = next;
        } else {
            break;
        }
    }
    (size >= MIN_BASE64).then_some(end)
}

/// Returns the offset of the last word of the line at `at` if it belongs to a key, after a line number or the time of
/// a log.
fn after_prefix(text: &[u8], at: usize) -> Option<usize> {
    let before = text[..at].iter().rev().take_while(|b| matches!(b, b' ' | b'\t')).count();
    let line = &text[at..text.len().min(at + 160)];
    let line = line[..line.iter().position(|b| *b == b'\n').unwrap_or(line.len())].trim_ascii_end();
    let word = line.iter().rposition(|b| matches!(b, b' ' | b'\t' | b'|'))? + 1;
    let ends = line[..word].ends_with(b"-----END ") || line[word..].starts_with(b"-----END");
    let is_key = line.len() - word >= 40 && line[word..].iter().all(|b| is_base64(*b));
    (text[..at - before].last() == Some(&b'\n') && word <= 80 && (is_key || ends)).then_some(at + word)
}

/// Whether a short run is the last line of a block: dashes follow, it is padded, or it is alone and no word.
fn is_tail(text: &[u8], at: usize, run: usize) -> bool {
    let word = &text[at..at + run];
    let after = &text[at + run..];
    let alone = matches!(after.first(), None | Some(b'\n' | b'\r' | b'"' | b'\'' | b'\\' | b'`'));
    text[skip_gap(text, at + run)..].starts_with(DASHES)
        || word.contains(&b'=')
        || (alone
            && word.iter().any(|b| !b.is_ascii_lowercase())
            && (!letters::is_name(word) || word.iter().any(u8::is_ascii_digit)))
}

/// Returns the length of a header line such as `Proc-Type: 4,ENCRYPTED`.
fn header(left: &[u8]) -> Option<usize> {
    let name = left.iter().take(32).take_while(|b| b.is_ascii_alphabetic() || **b == b'-').count();
    if name < 3 || left.get(name) != Some(&b':') {
        return None;
    }
    let line = left.iter().take(256).take_while(|b| !matches!(b, b'\n' | b'\\')).count();
    Some(line)
}

/// Returns the first place at or after `at` that is no line end, indentation, prefix, quote or operator.
fn skip_gap(text: &[u8], mut at: usize) -> usize {
    const MARKUP: &[&[u8]] = &[
        b"<br>", b"<br/>", b"<br />", b"<BR>", b"</p>", b"<p>", b"</code>", b"<code>", b"&#10;", b"&#13;", b"&#xA;",
        b"&nbsp;", b"&gt;", b"&quot;",
    ];
    loop {
        let left = &text[at..];
        at += match left {
            [b'\\', b'n' | b'r' | b't' | b'"' | b'\'', ..] => 2,
            [b'\\', b'\\' | b'\n' | b'\r', ..] | [b'\\'] => 1,
            [byte, ..] if is_gap(*byte) => 1,
            [b'<' | b'&', ..] => match MARKUP.iter().find(|markup| left.starts_with(markup)) {
                Some(markup) => markup.len(),
                None => usize::from(is_operator(text, at)),
            },
            _ if at > 0 && starts_line(&text[..at]) => prefix(left),
            _ => usize::from(is_operator(text, at)),
        };
        if text.len() == at || text[at..].len() == left.len() {
            return at;
        }
    }
}

/// Whether strings are joined at `at`: `"…" +`, `. "…"`, `& _`.
fn is_operator(text: &[u8], at: usize) -> bool {
    let beside = |byte: Option<&u8>| byte.is_some_and(|b| b.is_ascii_whitespace() || matches!(b, b'"' | b'\'' | b'_'));
    matches!(text.get(at), Some(b'+' | b'.' | b'&'))
        && at.checked_sub(1).is_some_and(|before| beside(text.get(before)))
        && beside(text.get(at + 1))
}

/// Whether only blanks follow the last line end of `before`.
fn starts_line(before: &[u8]) -> bool {
    let blanks = before.iter().rev().take(32).take_while(|b| matches!(b, b' ' | b'\t')).count();
    before[..before.len() - blanks].last() == Some(&b'\n')
}

/// Returns the length of the prefix of a line in a listing or a diff: `+`, `-`, `//`, `;`, `12 |`.
fn prefix(line: &[u8]) -> usize {
    let digits = line.iter().take(6).take_while(|b| b.is_ascii_digit()).count();
    let blanks = line[digits..].iter().take(4).take_while(|b| **b == b' ').count();
    match line {
        _ if digits > 0 && matches!(line.get(digits + blanks), Some(b'|' | b':')) => digits + blanks + 1,
        [b'/', b'/', b' ', ..] => 3,
        [b'+' | b';' | b'%', ..] => 1,
        [b'-', ..] if !line.starts_with(DASHES) || line.starts_with(b"------") => 1,
        _ => 0,
    }
}

fn is_gap(byte: u8) -> bool {
    byte.is_ascii_whitespace() || matches!(byte, b'>' | b'|' | b'#' | b'*' | b'"' | b'\'' | b'`' | b',')
}

fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=')
}
