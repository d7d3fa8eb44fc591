//! Codes after a label in a sentence, a list or a table: recovery codes, PINs, licence keys, seeds of one-time passwords and
//! passwords of applications, in several languages.
//!
//! The form of a code is weak, so each label has its own: a number of a few digits is a PIN only after a word for one, or
//! after a word for any code where the line names what it opens.

mod access;
mod application;
mod keywords;
mod licence;
mod pin;
mod recovery;
mod seed;

pub(super) use access::KEYWORDS as ACCESS_KEYWORDS;
pub(super) use keywords::{CodeKind, KEYWORDS};

use super::generic::OnFinding;
use super::rules::FindingLabel;
use super::text::first_line;

pub(super) static RECOVERY: FindingLabel =
    FindingLabel { name: "recovery-codes", reason: "are codes to recover an account", rank: 6 };
pub(super) static PIN: FindingLabel =
    FindingLabel { name: "pin", reason: "is the number of a name that says PIN", rank: 6 };
pub(super) static LICENCE: FindingLabel =
    FindingLabel { name: "licence-key", reason: "is the key of a licence", rank: 6 };
pub(super) static SEED: FindingLabel =
    FindingLabel { name: "one-time-seed", reason: "is the seed of one-time passwords", rank: 6 };
static APPLICATION: FindingLabel =
    FindingLabel { name: "application-password", reason: "is the password of one application", rank: 6 };

/// The labels of this file.
pub(super) static LABELS: [&FindingLabel; 5] = [&RECOVERY, &PIN, &LICENCE, &SEED, &APPLICATION];

/// Passes the codes that the keyword between `start` and `end` announces to `found`; returns the end of what was read.
pub(super) fn find(text: &[u8], (start, end): (usize, usize), kind: CodeKind, found: OnFinding<'_>) -> Option<usize> {
    let (code, label) = match kind {
        CodeKind::Recovery => return recovery::after(text, end, |start, end| found(start, end, &RECOVERY)),
        CodeKind::Seed => {
            // `2fa` and the like occur in hexadecimal.
            let whole = !text[start].is_ascii() || start == 0 || !text[start - 1].is_ascii_alphanumeric();
            let short = matches!(&text[start..end].to_ascii_lowercase()[..], b"2fa" | b"mfa" | b"otp");
            let inside = |b: &u8| b.is_ascii_digit() || short && b.is_ascii_lowercase();
            if !whole || text[end - 1].is_ascii_alphanumeric() && text.get(end).is_some_and(inside) {
                return None;
            }
            let code = seed::after(text, end);
            if code.is_none() {
                recovery::lines(text, end, |start, end| found(start, end, &RECOVERY));
            }
            (code, &SEED)
        }
        CodeKind::Pin => (pin::after(text, start, end), &PIN),
        CodeKind::Access => (access::after(text, start, end), &PIN),
        CodeKind::Licence => (licence::after(text, end), &LICENCE),
        CodeKind::Application => (application::after(text, end), &APPLICATION),
    };
    let (start, end) = code?;
    found(start, end, label);
    None
}

/// Returns the end of the `count` lines from `from` on, of which `longest` bytes count.
fn lines_after(text: &[u8], from: usize, count: usize, longest: usize) -> usize {
    let window = &text[from..text.len().min(from + longest)];
    from + memchr::memchr_iter(b'\n', window).nth(count - 1).unwrap_or(window.len())
}

/// Returns the first line of `text`, of which `longest` bytes count.
fn line(text: &[u8], longest: usize) -> &[u8] {
    first_line(&text[..text.len().min(longest)])
}

/// Returns the end of the number of four to eight digits at `at`.
fn number_end(text: &[u8], at: usize) -> Option<usize> {
    let length = text[at..].iter().take(9).take_while(|b| b.is_ascii_digit()).count();
    (4..=8).contains(&length).then_some(at + length)
}

/// Whether `rest` continues the number before it to a longer value.
fn goes_on(rest: &[u8]) -> bool {
    match rest {
        [b'.' | b',' | b':' | b'-', next, ..] => next.is_ascii_digit(),
        [next, ..] => next.is_ascii_alphanumeric() || matches!(next, b'%' | b'_' | b'/' | b'@'),
        [] => false,
    }
}

#[cfg(test)]
mod tests {
    use crate::redact::canaries::{SEED, fill, scrub};

    #[test]
    fn codes_are_found_after_their_labels() {
        for (template, secret) in [
            ("## Recovery codes\n\n@\n@\n@\n", "<a5>-<a5>"),
            ("Here are the backup codes:\n1. @\n2. @\n", "<d8>"),
            ("| Codes de secours |\n|---|\n| @ |\n| @ |\n", "<d8>"),
            ("herstelcodes @ en @", "<u4>-<u4>"),
            ("PIN for the door: @", "<d4>"),
            ("Die PIN der Alarmanlage lautet @.", "<d4>"),
            ("SIM PUK @", "<d8>"),
            ("the alarm code is @", "<d6>"),
            ("the keypad is @#, wait", "<d4>"),
            ("the alarm panel inside wants @ within 30 seconds", "<d6>"),
            ("Windows 10 key from the sticker: @", "<u5>-8<u4>-K<d4>-<u3>2Z-W4<u3>"),
            ("Lizenzschlüssel: @", "<u6>-8<u5>-K<d5>-<u4>2Z"),
            ("Choose manual entry and type @ there", "<b32>"),
            ("2FA (authenticator): @", "<b32>"),
            ("AWS root MFA: the seed is @ for now", "<b32>"),
            ("Tablet 1 bis 4: Sperrcode @", "<d5>"),
            ("- copier: code @\n", "<d5>"),
            ("- alarme : code @\n", "<d5>"),
            ("# sim-pin\n@\n", "<d5>"),
            ("editor -batchmode -serial @ -quit", "G2-<u4>-8<u3>-K<u2>7-<u3>2"),
            ("Serial: @", "CG-8<u7>-K<u6>7-<u3>2"),
        ] {
            let secret = fill(secret, SEED).to_uppercase();
            let secret = if template.contains("authenticator") { secret.to_lowercase() } else { secret };
            let scrubbed = scrub(&template.replace('@', &secret));
            assert!(!scrubbed.contains(&secret), "{scrubbed}");
        }
        assert!(!scrub("Google app password: qxzv wkjh bvtq zrpl").contains("wkjh"));
    }

    #[test]
    fn what_only_resembles_codes_stays() {
        for text in [
            "## Recovery codes\n\nTen codes are made. Each works once and looks like `xxxxx-xxxxx`.\n",
            "## Backup codes\nv1.2.3\n2024-01-02\n",
            "PIN 13 is the LED. Connect pin: 12 to GND. The PIN is 6 digits. Pin your version: 2024.",
            "The access code runs in O(1), error code: 123456, postal code: 10115.",
            "License: Apache-2.0. license = \"MIT OR Apache-2.0\". Serial number: SN-2024",
            "An app password lets apps sign in. With that they have more time from here on.",
            "Set up 2FA with an authenticator such as Authy, then verify the code.",
            "0x2fa4c1d97e 2fa89cba77d3",
            "Serial: /dev/ttyUSB0, serial: A1-B2-C3, serial: DX-2021-03-04",
            "erreur : code 40418, status: code 2048\n# pin\n3\n",
            "The seed is 42. The seed that we use is 12345.",
        ] {
            assert_eq!(scrub(text), text);
        }
    }
}
