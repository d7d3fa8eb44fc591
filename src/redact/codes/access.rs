//! Numbers that open something, after a word for a code: "the code of the side door is 4711", "copier: code 4711".
//!
//! Codes are numbers of many things, so the line has to name what is opened.

use super::super::heuristics;
use super::super::text::{contains_ignoring_case, last_line};
use super::{goes_on, line, number_end};

/// The words for a code, in lower case, up to the number or a word between.
pub(in super::super) const KEYWORDS: [&str; 24] = [
    "code is ",
    "code: ",
    "code 1",
    "code 2",
    "code 3",
    "code 4",
    "code 5",
    "code 6",
    "code 7",
    "code 8",
    "code 9",
    "code 0",
    "code ist ",
    "code est ",
    "code : ",
    "codice ",
    "c\u{f3}digo ",
    "codice \u{e8} ",
    "c\u{f3}digo es ",
    "c\u{f3}digo \u{e9} ",
    "koden \u{e4}r ",
    "koden er ",
    "kod to ",
    "koodi on ",
];
/// How much of the line before and after may say what is opened.
const NEAR: usize = 110;

/// What a code opens, in several languages; the beginnings of words.
const PLACES: [&[u8]; 62] = [
    b"door",
    b"gate",
    b"alarm",
    b"safe",
    b"keypad",
    b"copier",
    b"locker",
    b"lockbox",
    b"garage",
    b"entry",
    b"entrance",
    b"elevator",
    b"shed",
    b"cabin",
    b"padlock",
    b"key box",
    b"keybox",
    b"bike lock",
    b"t\xc3\xbcr",
    b"haust",
    b"tresor",
    b"kopierer",
    b"schlie\xc3\x9ff",
    b"eingang",
    b"schloss",
    b"porte",
    b"portail",
    b"digicode",
    b"coffre",
    b"photocop",
    b"cadenas",
    b"puerta",
    b"port\xc3\xb3n",
    b"caja fuerte",
    b"copiadora",
    b"candado",
    b"port\xc3\xa3o",
    b"cofre",
    b"porta",
    b"cancello",
    b"cassaforte",
    b"fotocop",
    b"lucchetto",
    b"deur",
    b"poort",
    b"kluis",
    b"kopieer",
    b"d\xc3\xb8r",
    b"d\xc3\xb6rr",
    b"l\xc3\xa5s",
    b"larm",
    b"kassask",
    b"ovi ",
    b"oven ",
    b"drzwi",
    b"brama",
    b"sejf",
    b"dve\xc5\x99",
    b"br\xc3\xa1n",
    b"trezor",
    b"kap\xc4\xb1",
    b"intercom",
];
/// What has a code that everybody may know.
const OTHERS: [&[u8]; 12] = [
    b"error",
    b"exit",
    b"status",
    b"zip",
    b"postal",
    b"postcode",
    b"country",
    b"http",
    b"source",
    b"fault",
    b"return",
    b"product",
];

/// Returns the number after the word for a code at `start..end`.
pub(super) fn after(text: &[u8], start: usize, end: usize) -> Option<(usize, usize)> {
    let at = if text[end - 1].is_ascii_digit() { end - 1 } else { end };
    let last = number_end(text, at)?;
    // A keypad may have keys besides its digits.
    let rest = match &text[last..] {
        [b'A'..=b'F' | b'#' | b'*', rest @ ..] => rest,
        rest => rest,
    };
    if goes_on(rest) || rest.starts_with(b"-") || start > 0 && matches!(text[start - 1], b'_' | b'"' | b'.' | b'\'') {
        return None;
    }
    let before = last_line(&text[start.saturating_sub(NEAR)..start]);
    let after = line(&text[last..], NEAR / 2);
    let has = |part: &[u8], words: &[&[u8]]| words.iter().any(|word| contains_ignoring_case(part, word));
    let opens = has(before, &PLACES) || has(after, &PLACES);
    // `close code 1003` of a connection.
    let closing = before.trim_ascii_end().ends_with(b"close");
    let next = &after[..after.len().min(16)];
    let other = closing || has(before, &OTHERS) || has(next, &OTHERS);
    (opens && !other && !heuristics::is_placeholder(&text[at..last])).then_some((at, last))
}

#[cfg(test)]
mod tests {
    use crate::redact::canaries::scrub;

    #[test]
    fn numbers_that_open_something_are_found() {
        for text in [
            "- copier: code @",
            "The side door has a keypad, code is @ and then OFF",
            "Die Haust\u{fc}r: der Code ist @.",
            "un digicode, le code est @A.",
            "Allarme ufficio: codice @ (tastiera a destra)",
        ] {
            let scrubbed = scrub(&text.replace('@', "49173"));
            assert!(!scrubbed.contains("49173"), "{scrubbed}");
        }
    }

    #[test]
    fn other_codes_stay() {
        for text in [
            "The gate fails with error code 49173.",
            "exit code: 49173 of the door controller",
            "postal code 49173",
            "see code 49173 of the standard",
            "Il codice 49173 del manuale",
            "c\u{f3}digo 49173 del producto, puerta 3",
            "\"code: 49173\", the door",
        ] {
            assert_eq!(scrub(text), text);
        }
    }
}
