//! Numbers that open something, after a word for a code: "the code of the side door is 4711", "copier: code 4711".
//!
//! Codes are numbers of many things, so the line has to name what is opened.

use super::super::heuristics::{self, WordList};
use super::super::text::{contains_ignoring_case, last_line};
use super::{goes_on, line, number_end};

/// The words for a code, in lower case, up to the number or a word between.
pub(in super::super) const KEYWORDS: [&str; 53] = [
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
    "codice: ",
    "c\u{f3}digo: ",
    "kod: ",
    "kod ",
    "koden: ",
    "koden ",
    "код ",
    "код: ",
    "Код ",
    "Код: ",
    "код — ",
    "кода ",
    "コードは ",
    "コードは",
    "コード：",
    "コード: ",
    "code f\u{fc}r ",
    "code zum ",
    "code zur ",
    "code van ",
    "code voor ",
    "code for ",
    "code to ",
    "code of ",
    "code de ",
    "code du ",
    "Код от ",
    "代码：",
    "代码是",
];
/// How much of the line before and after may say what is opened.
const NEAR: usize = 110;

/// What a code opens, in several languages; the beginnings of words.
const PLACES: [&[u8]; 91] = [
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
    b"serrur",
    b"interphone",
    b"armoire",
    b"telefonillo",
    b"taquilla",
    b"interfone",
    b"arm\xc3\xa1rio",
    b"citofono",
    b"armadi",
    b"slot",
    b"grind",
    b"sk\xc3\xa5p",
    b"domofon",
    b"szaf",
    b"k\xc5\x82\xc3\xb3dk",
    b"schrank",
    b"tor ",
    "сейф".as_bytes(),
    "Сейф".as_bytes(),
    "двер".as_bytes(),
    "Двер".as_bytes(),
    "домофон".as_bytes(),
    "Домофон".as_bytes(),
    "сигнализац".as_bytes(),
    "ворот".as_bytes(),
    "калитк".as_bytes(),
    "шлагбаум".as_bytes(),
    "金庫".as_bytes(),
    "アラーム".as_bytes(),
];
/// What has a code that everybody may know.
const OTHERS: [&[u8]; 18] = [
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
    b"fehler",
    b"erreur",
    b"errore",
    b"erro",
    b"post",
    "ошибк".as_bytes(),
];
/// The words between a word for a code and its number, which say what it opens, and their greatest length.
const MAX_WORDS: usize = 6;
const MAX_LEAD: usize = 56;
/// The last of these words.
static VERBS: WordList =
    WordList::new("is ist lautet est es \u{e9} \u{e8} \u{e4}r er to on jest now jetzt nu \u{2014} \u{2013} - =");

/// Returns the place of the number that a few words lead to from `from` on: "code for the gate is 4711".
fn number_after(text: &[u8], from: usize) -> Option<usize> {
    let line = line(&text[from..], MAX_LEAD);
    let length = line.iter().position(u8::is_ascii_digit)?;
    let lead = &line[..length];
    let words = || lead.split(|b| *b == b' ').filter(|word| !word.is_empty());
    let last = words().next_back()?;
    let clause = !lead.iter().any(|b| matches!(b, b'.' | b';' | b'(' | b'=' | b'"' | b'`' | b',' | b'|'));
    let leads = VERBS.has(last) || last.ends_with(b":") || words().count() == 1 && !last.is_ascii();
    (clause && leads && words().count() <= MAX_WORDS && lead.ends_with(b" ")).then_some(from + length)
}

/// Returns the number after the word for a code at `start..end`.
pub(super) fn after(text: &[u8], start: usize, end: usize) -> Option<(usize, usize)> {
    let at = if text[end - 1].is_ascii_digit() { end - 1 } else { end };
    let at = if text.get(at)?.is_ascii_digit() { at } else { number_after(text, at)? };
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
    let between = &text[end..at.max(end)];
    let opens = has(before, &PLACES) || has(after, &PLACES) || has(between, &PLACES);
    // `close code 1003` of a connection.
    let closing = before.trim_ascii_end().ends_with(b"close");
    let next = &after[..after.len().min(16)];
    let other = closing || [before, between, next].iter().any(|part| has(part, &OTHERS));
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
            "сейф в серверной — код @",
            "cassaforte — codice @",
            "caja fuerte — código @",
            "kassaskåp – kod @",
            "de code van het alarm is @.",
            "Der Code für die Alarmanlage ist @.",
            "アラームの解除コードは @",
            "Ny röstbrevlådekod: @.",
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
            "the code for the door sensor needs 49173 bytes, code of Türsteuerung in line 49173",
            "дверь: код ошибки 49173",
            "código postal 49173, la puerta",
        ] {
            assert_eq!(scrub(text), text);
        }
    }
}
