//! Keys that no name announces, recognized by their length: those of Azure storage, and tokens of Okta, Dropbox and the
//! robots of Quay.

use super::rules::{FindingLabel, decode_base64};
use super::text::contains_ignoring_case;
use super::{encoded, heuristics};

static STORAGE: FindingLabel =
    FindingLabel { name: "azure-key", reason: "has the form of the key of an Azure storage account", rank: 4 };
static OKTA: FindingLabel =
    FindingLabel { name: "okta-token", reason: "matches the pattern of an Okta token", rank: 4 };

static ROBOT: FindingLabel =
    FindingLabel { name: "quay-robot-token", reason: "matches the pattern of the token of a robot of Quay", rank: 4 };
static DROPBOX: FindingLabel =
    FindingLabel { name: "dropbox-token", reason: "matches the pattern of a Dropbox token", rank: 4 };

/// The labels of this file.
pub(super) static LABELS: [&FindingLabel; 4] = [&STORAGE, &OKTA, &ROBOT, &DROPBOX];

/// How much of a text around a key may say what it is.
const CONTEXT: usize = 256;
/// How much of the lines before a key may say that it is public.
const BEFORE: usize = 96;

/// Words before a run of Base64 that make it public.
const PUBLIC: &[&[u8]] = &[
    b"signature",
    b"signed",
    b"sig:",
    b"sig=",
    b"hash",
    b"sha2",
    b"sha3",
    b"sha5",
    b"sha-",
    b"integrity",
    b"digest",
    b"public",
    b"pubkey",
    b"cert",
    b"proof",
    b"nonce",
    b"checksum",
];

/// Returns the end and the label of the key that is the run of Base64 at `start..end`.
pub(super) fn key(text: &[u8], start: usize, end: usize) -> Option<(usize, &'static FindingLabel)> {
    let run = &text[start..end];
    match run.len() {
        86 if text[end..].starts_with(b"==") && is_storage_key(text, start, end + 2) => Some((end + 2, &STORAGE)),
        64 if is_robot_token(text, start, end) => Some((end, &ROBOT)),
        64 if is_dropbox_token(text, start, end) => Some((end, &DROPBOX)),
        42 if is_okta_token(text, start, end) => Some((end, &OKTA)),
        _ => None,
    }
}

/// Whether 64 bytes in Base64 are the key of a storage account: alone on a line, or where a text speaks of Azure, and
/// neither a digest nor a signature.
fn is_storage_key(text: &[u8], start: usize, end: usize) -> bool {
    let key = &text[start..end - 2];
    let next = text.get(end).is_none_or(|b| b.is_ascii_whitespace() || b.is_ascii_punctuation());
    // A text in Base64 is none.
    let random = decode_base64(key).iter().filter(|b| **b >= 0x80).count() >= 16;
    if !next
        || !random
        || !heuristics::has_all_kinds(key)
        || key.iter().any(|b| matches!(b, b'-' | b'_'))
        || is_public(text, start)
    {
        return false;
    }
    if is_alone(text, start, end) {
        return true;
    }
    let around = &text[start.saturating_sub(CONTEXT)..text.len().min(end + CONTEXT)];
    contains_ignoring_case(around, b"azure") || contains_ignoring_case(around, b".core.windows.net")
}

/// Whether a key is all of its line, and neither the last line of longer Base64 nor its first one.
fn is_alone(text: &[u8], start: usize, end: usize) -> bool {
    let blank = |b: &&u8| matches!(**b, b' ' | b'\t' | b'\r');
    let lead = text[..start].iter().rev().take(64).take_while(blank).count();
    let tail = text[end..].iter().take(64).take_while(blank).count();
    let above = match text[..start - lead].split_last() {
        None => return text.get(end + tail).is_none_or(|b| *b == b'\n'),
        Some((b'\n', above)) => above,
        Some(_) => return false,
    };
    let line = &above[above.iter().rev().take(128).position(|b| *b == b'\n').map_or(0, |at| above.len() - at)..];
    let encoded = line.len() >= 40 && line.trim_ascii().iter().all(|b| encoded::is_base64(*b));
    text.get(end + tail).is_none_or(|b| *b == b'\n') && !encoded
}

/// Whether a run is the token of a robot account after its name: `team+robot:…`.
fn is_robot_token(text: &[u8], start: usize, end: usize) -> bool {
    let token = &text[start..end];
    let mixed = token.iter().any(u8::is_ascii_digit) && token.iter().any(u8::is_ascii_uppercase);
    let Some(before) = text[..start].strip_suffix(b":") else { return false };
    let is_part = |b: &&u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-');
    let robot = before.iter().rev().take(64).take_while(is_part).count();
    let Some(team) = before[..before.len() - robot].strip_suffix(b"+") else { return false };
    mixed
        && robot > 0
        && team.last().is_some_and(|b| is_part(&b))
        && token.iter().all(|b| b.is_ascii_digit() || b.is_ascii_uppercase())
        && !heuristics::is_placeholder(token)
}

/// Whether a run is a token of Dropbox: 11 letters and digits, ten times `A`, and 43 more.
fn is_dropbox_token(text: &[u8], start: usize, end: usize) -> bool {
    let token = &text[start..end];
    let (code, rest) = (&token[..11], &token[21..]);
    token[11..21] == *b"AAAAAAAAAA"
        && code.iter().all(|b| b.is_ascii_digit() || b.is_ascii_lowercase())
        && rest.iter().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'))
        && rest.iter().filter(|b| **b == b'A').count() < 8
        && text.get(end).is_none_or(|b| *b != b'=')
}

/// Whether a run that is alone on its line is a token of Okta: it begins with two zeros, and nothing else with such an
/// order of letters does.
fn is_okta_token(text: &[u8], start: usize, end: usize) -> bool {
    let token = &text[start..end];
    let quote = |b: &u8| matches!(b, b'"' | b'\'' | b'`' | b' ');
    let before = text[..start].iter().rev().take(8).find(|b| !quote(b));
    let after = text[end..].iter().take(8).find(|b| !quote(b));
    token.starts_with(b"00")
        && !token.iter().any(|b| matches!(b, b'+' | b'/'))
        && before.is_none_or(|b| *b == b'\n')
        && after.is_none_or(|b| matches!(b, b'\n' | b'\r'))
        && heuristics::has_all_kinds(token)
        && token.iter().any(u8::is_ascii_uppercase)
        && heuristics::is_machine_made(token)
        && !heuristics::is_sample(token)
        && !is_public(text, start)
}

/// Whether the words before `start`, on its line or the one above, say that what follows is public.
fn is_public(text: &[u8], start: usize) -> bool {
    let before = &text[start.saturating_sub(BEFORE)..start];
    PUBLIC.iter().any(|word| contains_ignoring_case(before, word))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::redact::canaries::{SEED, fill};

    fn found(template: &str) -> bool {
        let text = fill(template, SEED);
        let start = text.find('^').unwrap_or(0);
        let text = text.replace('^', "");
        let length = text[start..].bytes().take_while(|b| b.is_ascii_alphanumeric() || *b == b'_').count();
        key(text.as_bytes(), start, start + length).is_some()
    }

    #[test]
    fn keys_are_found_by_their_length() {
        assert!(found("the Azure account\n^<a82>87Qx=="));
        assert!(found("^<a82>87Qx==\nhttps://acme.blob.core.windows.net"));
        assert!(found("^00<a37>7Qx"));
        assert!(found("here it is:\n  ^<a82>87Qx==\n"));
        assert!(found("^<a82>87Qx=="));
        assert!(found("team+robot:^<u60>7QX9"));
        assert!(found("^<l8>7x9AAAAAAAAAA<a40>7Qx"));
    }

    #[test]
    fn digests_signatures_and_other_lengths_stay() {
        assert!(!found("the Azure image has the digest sha512-^<a82>87Qx=="));
        assert!(!found("the Azure token's signature:\n^<a82>87Qx=="));
        assert!(!found("the account ^<a82>87Qx=="));
        assert!(!found("<a76>\n^<a82>87Qx=="));
        assert!(!found("the Azure account\n^<a82>7Qx=="));
        assert!(!found("^00<a36>7Qx"));
        assert!(!found("^10<a37>7Qx"));
        assert!(!found("^00<d40>"));
        assert!(!found("table = ^00<a37>7Qx"));
        assert!(!found("robot:^<u60>7QX9"));
        assert!(!found("team+robot:^<u60>7qx9"));
        assert!(!found("^<l8>7x9AAAAAAAAAB<a40>7Qx"));
    }
}
