//! Keys of wireless networks: beside the name of the network, or after a word for a key near it.

use super::generic::{is_plain_password, is_strong_password};
use super::heuristics::{self, NameClass, WordList, looks_secret};
use super::rules::FindingLabel;

static NETWORK: FindingLabel =
    FindingLabel { name: "network-key", reason: "is the key of a wireless network", rank: 6 };

/// The label of this file.
pub(super) static LABEL: &FindingLabel = &NETWORK;

/// Words that announce a network.
pub(super) const KEYWORDS: &[&str] = &[
    "wifi",
    "wi-fi",
    "wlan",
    "ssid",
    "wpa",
    "sie\u{107}",
    "r\u{e9}seau",
    "a\u{11f} ad\u{131}",
    "(psk)",
    "network name",
    "netzwerk",
    "n\u{e4}tverk",
    "无线",
    "ワイファイ",
    "와이파이",
    "вайфай",
    "вай-фай",
    "wep ",
    "hotspot",
];
/// Words for its key, or the ends of such words.
const KEYS: [&str; 28] = [
    "key",
    "cl\u{e9}",
    "chiave",
    "klucz",
    "schl\u{fc}ssel",
    "schluessel",
    "llave",
    "clave",
    "chave",
    "sleutel",
    "nyckel",
    "n\u{f8}gle",
    "n\u{f8}kkel",
    "avain",
    "kl\u{ed}\u{10d}",
    "anahtar",
    "anahtar\u{131}",
    "ключ",
    "密钥",
    "密码",
    "code",
    "pass",
    "pw",
    "passphrase",
    "psk",
    "(psk)",
    "kod",
    "parola",
];
/// Words that mean nothing but a password.
const PASSWORDS: [&str; 17] = [
    "password",
    "passwort",
    "kennwort",
    "wachtwoord",
    "passe",
    "mdp",
    "contrase\u{f1}a",
    "senha",
    "has\u{142}o",
    "heslo",
    "salasana",
    "l\u{f6}senord",
    "l\u{f6}senordet",
    "adgangskode",
    "passord",
    "пароль",
    "\u{15f}ifre",
];
/// Words between the word for a key and the key.
static BETWEEN: WordList = WordList::new(
    "is = : - \u{2013} | est ist es \u{e8} \u{e9} \u{e4}r er jest on wpa wpa2 wpa3 wifi wi-fi wlan (psk) psk lautet de du del do la le il the to now still maintenant jetzt ora ahora agora nu teraz",
);

/// Words between a word for a key and the network.
const LINKS: [&str; 10] = [" del", " de la", " de", " du", " do", " da", " della", " of the", " for the", " van"];

/// How far the key may be.
const MAX_DISTANCE: usize = 200;
/// The longest saying that is a key.
const MAX_SAYING: usize = 64;

/// Whether the word whose keyword is before `rest` is the name of what is told of a network: `wifiVendorDriverVersion`, `wifiBand`.
fn is_property(rest: &[u8]) -> bool {
    const PROPERTIES: [&[u8]; 8] =
        [b"Version", b"Band", b"Driver", b"Channel", b"Standard", b"Strength", b"Vendor", b"Frequency"];
    let word = &rest[..rest.iter().take(48).take_while(|b| b.is_ascii_alphanumeric() || **b == b'_').count()];
    PROPERTIES.iter().any(|property| memchr::memmem::find(word, property).is_some())
}

/// Finds the key of the network that the keyword ending at `from` announces.
pub(super) fn key(text: &[u8], from: usize) -> Option<(usize, usize)> {
    let window = &text[from..text.len().min(from + MAX_DISTANCE)];
    let lines = window.iter().enumerate().filter(|(_, b)| **b == b'\n').nth(2).map_or(window.len(), |(at, _)| at);
    let window = &window[..lines];
    if !window.iter().any(|b| b.is_ascii_digit() || matches!(b, b'-' | b':')) {
        return None;
    }
    if is_property(window) {
        return None;
    }
    let mut at = window.iter().take(16).take_while(|b| !b.is_ascii_whitespace() && **b != b':').count();
    // Whether the words so far lead to a key, and whether the border of a cell or a slash does.
    let (mut named, mut beside) = (false, false);
    let mut same = true;
    // Whether a word for a key is on this line.
    let mut said = false;
    // Whether a mark or a verb is directly before the next word.
    let mut led = false;
    // Whether a word for a password is.
    let mut asked = false;
    let word = text[..from].iter().rev().take(24).take_while(|b| !b.is_ascii_whitespace()).count();
    let before = &text[from.saturating_sub(word + 16)..from - word];
    let before = before[before.iter().rposition(|b| *b == b'\n').map_or(0, |end| end + 1)..].trim_ascii_end();
    // `clave del wifi`
    let before = LINKS.iter().find_map(|link| before.strip_suffix(link.as_bytes())).unwrap_or(before);
    let before = &before[before.iter().rposition(u8::is_ascii_whitespace).map_or(0, |end| end + 1)..];
    // `(PSK)`, `WPA2-Schlüssel`, `code wifi`
    if keyed(&text[from - word..from + at]) || keyed(before) {
        named = true;
    }
    while at < window.len() {
        let gap = window[at..].iter().take_while(|b| b.is_ascii_whitespace() || **b == b':').count();
        // What is beside the name of a network is on its line.
        same &= !window[at..at + gap].contains(&b'\n');
        said = (said || named) && !window[at..at + gap].contains(&b'\n');
        // `code wifi de la salle : …`
        let colon = window[at..at + gap].contains(&b':');
        named |= said && colon;
        at += gap;
        let length = window[at..].iter().take_while(|b| !b.is_ascii_whitespace()).count();
        if length == 0 {
            break;
        }
        let word = &window[at..at + length];
        let bare = word.strip_suffix(b":").unwrap_or(word);
        let bare = bare.strip_suffix(b",").unwrap_or(bare);
        let password = ends_in(bare, &PASSWORDS);
        let key = password || keyed(bare);
        let before = std::mem::replace(&mut led, word.ends_with(b":") || BETWEEN.has(bare));
        let after_password = std::mem::replace(&mut asked, password);
        let quoted = [&b"\":"[..], b"`:", b"\xc2\xbb:", b"\xe2\x80\x9d:", b"\xe2\x80\x9c:"]
            .iter()
            .any(|end| word.ends_with(end));
        if word == b"/" || word == b"|" || quoted {
            beside = same;
        } else if key {
            named = true;
            beside = false;
        } else if named && BETWEEN.has(&bare.to_ascii_lowercase()) {
        } else {
            let (start, end) = super::generic::trimmed(text, from + at, from + at + length);
            let value = &text[start..end];
            let last = || matches!(text[from + at + length..], [] | [b'\n' | b'\r', ..]);
            if before
                && said
                && let Some(end) = super::generic::saying_end(text, from + at)
            {
                return Some((from + at, end));
            }
            // "WPA2 key marble kite 1974", "the key is now …"
            if (named || before && said)
                && let Some(end) = numbered_words_end(text, from + at)
            {
                return Some((from + at, end));
            }
            let rest = line_from(text, from + at);
            let after_colon = colon || text[..from + at].trim_ascii_end().ends_with(b":");
            if named && after_colon && heuristics::is_saying(rest) {
                return Some((from + at, from + at + rest.len()));
            }
            let told = colon || after_password || before && after_colon;
            let chosen = named && told && last() && heuristics::is_plain_word(value);
            // `Guest`: X
            let after_name = beside && last() && text[..from + at].trim_ascii_end().ends_with(b":");
            let quoted = start > from + at && matches!(text[start - 1], b'`' | b'"');
            let marked = (after_name || named && quoted) && value.iter().any(u8::is_ascii_digit);
            if (named || beside || said && last()) && (is_key(value, named) || marked && is_chosen_key(value)) || chosen
            {
                return Some((start, end));
            }
            named = said && (BETWEEN.has(bare) || word.ends_with(b":"));
            beside = false;
            at += length;
            continue;
        }
        at += length;
    }
    None
}

/// Returns the end of the two to four words and the number after them that are all of a clause at `at`: `marble kite 1974`.
fn numbered_words_end(text: &[u8], at: usize) -> Option<usize> {
    let window = &text[at..text.len().min(at + MAX_SAYING)];
    let ends = |(at, byte): (usize, &u8)| match byte {
        b'\n' | b'\r' | b',' | b';' | b')' | b'`' | b'"' => true,
        b'.' | b'!' => window.get(at + 1).is_none_or(u8::is_ascii_whitespace),
        _ => false,
    };
    let end = window.iter().enumerate().position(ends).unwrap_or(window.len());
    heuristics::is_numbered_phrase(&window[..end]).then_some(at + end)
}

/// Returns the rest of the line at `at` without a mark of a sentence at its end.
fn line_from(text: &[u8], at: usize) -> &[u8] {
    let rest = &text[at..text.len().min(at + MAX_SAYING)];
    let line = rest[..rest.iter().position(|b| *b == b'\n').unwrap_or(rest.len())].trim_ascii_end();
    line.strip_suffix(b".").unwrap_or(line)
}

/// Whether a word names a key.
fn keyed(word: &[u8]) -> bool {
    ends_in(word, &KEYS)
}

/// Whether a word ends in one of `ends`, as the last part of a compound if it is short.
fn ends_in(word: &[u8], ends: &[&str]) -> bool {
    let word = word.trim_ascii();
    ends.iter().any(|key| {
        word.len() >= key.len() && word[word.len() - key.len()..].eq_ignore_ascii_case(key.as_bytes()) && {
            let before = &word[..word.len() - key.len()];
            before.is_empty()
                || matches!(before.last(), Some(b'-'))
                || key.len() > 4 && before.iter().all(|b| b.is_ascii_alphanumeric() || *b == b'-' || !b.is_ascii())
        }
    })
}

/// Whether a value is a word in small letters and its number: `sandcastle-01`.
fn is_numbered_word(value: &[u8]) -> bool {
    let word = value.iter().take_while(|b| b.is_ascii_lowercase()).count();
    let number = value[word..].strip_prefix(b"-").unwrap_or_default();
    word >= 6
        && (1..=4).contains(&number.len())
        && number.iter().all(u8::is_ascii_digit)
        && heuristics::is_plain_part(&value[..word])
}

/// Whether a value in quotes can be nothing but a key that a person chose.
fn is_chosen_key(value: &[u8]) -> bool {
    (8..=63).contains(&value.len())
        && !value.contains(&b'/')
        && !value.iter().all(u8::is_ascii_digit)
        && looks_secret(value, NameClass::Password, true)
        && !heuristics::is_placeholder(value)
}

fn is_key(value: &[u8], named: bool) -> bool {
    const STANDARDS: [&[u8]; 8] = [b"WPA", b"wpa", b"GHz", b"802.", b"PSK", b"TKIP", b"CCMP", b"EAP"];
    (8..=63).contains(&value.len())
        && !STANDARDS.iter().any(|standard| memchr::memmem::find(value, standard).is_some())
        && !value.contains(&b'/')
        && (is_strong_password(value)
            || is_plain_password(value)
            || named && is_numbered_word(value)
            || heuristics::is_word_chain(value, 3)
            || named && value.iter().all(u8::is_ascii_digit)
            || named
                && value.iter().filter(|b| b.is_ascii_digit()).count() >= 2
                && looks_secret(value, NameClass::Password, false))
}

#[cfg(test)]
mod tests {
    use crate::redact::canaries::{SEED, fill, scrub};

    #[test]
    fn keys_beside_networks_are_found() {
        let key = fill("<a12>4z", SEED);
        for template in [
            "WiFi: OfficeGuest / @",
            "Wi-Fi network \"Attic-5G\", key @",
            "SSID  Attic\nKey   @\n",
            "Le réseau Wi-Fi est « Atelier » et la clé est @.",
            "La rete è Casa, chiave WPA @.",
            "Sieć: SP14\nKlucz: @\n",
            "WLAN-Schlüssel: @",
            "| Wi-Fi staff | SSID `OFFICE-5G` | @ |",
            "Förnyckel (PSK): @",
            "- Guest Wi-Fi `Attic`: @\n",
        ] {
            let scrubbed = scrub(&template.replace('@', &key));
            assert!(!scrubbed.contains(&key), "{scrubbed}");
        }
    }

    #[test]
    fn keys_of_words_are_found_where_only_a_key_can_be() {
        for (template, key) in [
            ("Wi-Fi of the studio: the network Attic has changed, key: @\n", "hammer and anvil"),
            ("Wi-Fi w sali: sieć SP7-X, hasło @\n", "kredaitablica"),
            ("SSID Seaview1, key @\n", "sandcastle-01"),
            ("New: SSID `Lab-7`, WPA2 key @.\n", "marble kite 1974"),
            ("La clave del wifi de la sala ahora es @.", "perro verde 88"),
            ("Wi-Fi guests: SSID `ATTIC`, key `@`\n", "coffee4visitors"),
        ] {
            let scrubbed = scrub(&template.replace('@', key));
            assert!(!scrubbed.contains(key), "{scrubbed}");
        }
    }

    #[test]
    fn what_else_is_said_of_networks_stays() {
        for text in [
            "Problemi con la chiave Wi-Fi:\nil telefono la accetta,\nil portatile invece no.",
            "    key: Clé\n    ssid: Nom du réseau\n    wrong_key: Clé incorrecte\n",
            "WiFi: 802.11ac / 5GHz. Wi-Fi network \"Attic-5G\", channel 36. WiFi key: WPA2-PSK",
            "The WiFi driver is rtl8821cu, see key features of v5.15.2 in wlan0 / wlan1.",
            "The wifi key rotated march 2024, the wpa key length 63 and the wifi key changed since friday 13.",
            "| SSID | Band |\n|---|---|\n| Attic-5G | 5GHz |\n",
        ] {
            assert_eq!(scrub(text), text);
        }
    }
}
