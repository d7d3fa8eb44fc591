//! Keys without a form of their own, recognized by the name of their provider before them.
//!
//! `DATADOG_APP=…`, `"algolia_admin" => "…"`, `| Deepgram | … |`: the value has exactly the alphabet and the length of
//! that provider's keys. Values of names that contain id, commit, digest, url and the like are not touched.

use super::super::judge;
use super::super::letters;
use super::super::text::{contains_ignoring_case, is_name_byte, last_line, starts_token};
use super::FindingLabel;
use crate::redact::layouts;

/// The longest name.
const MAX_NAME_BYTES: usize = 64;
/// How many bytes before a name are searched for words such as `commit`.
const MAX_BYTES_BEFORE: usize = 48;
/// The most words between the provider and the separator: `Datadog app key for CI: …`.
const MAX_WORDS: usize = 4;

/// Words before a name on its line that make its value public.
const PUBLIC_BEFORE: &[&[u8]] = &[b"commit", b"digest", b"checksum", b"sha256", b"sha1", b"uses:", b"revision"];

/// An alphabet of values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Alphabet {
    /// Hexadecimal digits, letters in one case.
    Hex,
    Alnum,
    /// Letters, digits, `-`, `_` and `=`.
    Word,
    Base64,
    Uuid,
    /// Words with dots or colons between them.
    Dotted,
    /// Letters, digits, `-` and `_` as only a machine orders them: for providers whose form is not known.
    Made,
}

/// The form of a value: its alphabet, its least and its greatest length.
#[derive(Debug)]
pub(super) struct KeyForm(pub(super) Alphabet, pub(super) usize, pub(super) usize);

/// A provider whose keys are recognized by its name before them.
#[derive(Debug)]
pub(in super::super) struct NamedKey {
    pub(in super::super) label: FindingLabel,
    /// The spellings of the provider's name, in lower case.
    pub(in super::super) keywords: &'static [&'static str],
    pub(super) forms: &'static [KeyForm],
}

impl NamedKey {
    /// Finds the key whose name contains one of the provider's words at `hit..end`.
    pub(in super::super) fn find(&self, text: &[u8], hit: usize, end: usize) -> Option<(usize, usize)> {
        if !is_word_of_name(text, hit, end) {
            return None;
        }
        let low = hit.saturating_sub(MAX_NAME_BYTES);
        let start = hit - text[low..hit].iter().rev().take_while(|b| is_name_byte(**b)).count();
        if matches!(text[..start].last(), Some(b'/' | b'@' | b'#' | b'\\')) || text[..start].ends_with(b"[REDACTED:") {
            return None;
        }
        let separated = end_of_name(text, end).and_then(|name_end| {
            let at = layouts::value_after(text, start, name_end)?;
            Some((name_end, self.value(text, at, says_key(&text[start..name_end]))?))
        });
        let (name_end, value) = separated.or_else(|| self.after_blank(text, start, end))?;
        let line = last_line(&text[start.saturating_sub(MAX_BYTES_BEFORE)..start]);
        let public =
            PUBLIC_BEFORE.iter().any(|word| contains_ignoring_case(line, word)) || is_public(&text[start..name_end]);
        (!public).then_some(value)
    }

    fn value(&self, text: &[u8], at: usize, says_key: bool) -> Option<(usize, usize)> {
        self.forms.iter().find_map(|form| form.at(text, at, says_key))
    }

    /// Finds the key that blanks alone, or words that speak of a key, part from the name: `acme API key aB3…`.
    fn after_blank(&self, text: &[u8], start: usize, end: usize) -> Option<(usize, (usize, usize))> {
        let run = |at: usize| text[at..].iter().take(MAX_NAME_BYTES).take_while(|b| is_name_byte(**b)).count();
        let mut name_end = end + run(end);
        for _ in 0..MAX_WORDS {
            let blanks = text[name_end..].iter().take(16).take_while(|b| matches!(b, b' ' | b'"' | b'\'')).count();
            let at = name_end + blanks;
            if blanks == 0 {
                return None;
            }
            let named = says_key(&text[start..name_end]);
            if let Some((from, to)) = self.value(text, at, named) {
                let value = &text[from..to];
                let random =
                    !value.iter().all(u8::is_ascii_hexdigit) && !judge::is_uuid(value) && judge::is_machine_made(value);
                let ends = text.get(to).is_none_or(|b| !matches!(b, b'.' | b'=' | b':' | b'+' | b'@'));
                return (ends && (named || random)).then_some((name_end, (from, to)));
            }
            let word = at + run(at);
            if !KEY_WORDS.iter().any(|known| text[at..word].eq_ignore_ascii_case(known)) {
                return None;
            }
            name_end = word;
        }
        None
    }
}

/// Words between the name of a provider and its key.
const KEY_WORDS: [&[u8]; 11] =
    [b"api", b"key", b"token", b"secret", b"access", b"auth", b"app", b"apikey", b"api_key", b"private", b"code"];

/// Whether `name` says that its value is a key.
fn says_key(name: &[u8]) -> bool {
    [&b"key"[..], b"token", b"secret", b"auth", b"cred", b"pass", b"api", b"access"]
        .iter()
        .any(|word| contains_ignoring_case(name, word))
}

impl KeyForm {
    /// Returns the value of this form at `at`. `says_key`: its name says that it is a key.
    fn at(&self, text: &[u8], at: usize, says_key: bool) -> Option<(usize, usize)> {
        let Self(alphabet, least, most) = *self;
        let window = &text[at..text.len().min(at + most + 2)];
        let mut length = window.iter().take_while(|b| alphabet.has(**b)).count();
        // The end of a sentence.
        while length > 0 && matches!(window[length - 1], b'.' | b':') {
            length -= 1;
        }
        if length < least || length > most {
            return None;
        }
        let after = window.get(length);
        let runs_on = after.is_some_and(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'/' | b'('));
        (!runs_on && alphabet.is_key(&window[..length], says_key)).then_some((at, at + length))
    }
}

impl Alphabet {
    fn has(self, byte: u8) -> bool {
        match self {
            Self::Hex => byte.is_ascii_hexdigit(),
            Self::Uuid => byte.is_ascii_hexdigit() || byte == b'-',
            Self::Alnum => byte.is_ascii_alphanumeric(),
            Self::Word => byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'='),
            Self::Made => byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'),
            Self::Base64 => byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=' | b'-' | b'_'),
            Self::Dotted => byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b':'),
        }
    }

    /// Whether a value of the right length is a key: random and no placeholder.
    fn is_key(self, value: &[u8], says_key: bool) -> bool {
        let hex = value.iter().all(u8::is_ascii_hexdigit);
        let one_case = !value.iter().any(u8::is_ascii_uppercase) || !value.iter().any(u8::is_ascii_lowercase);
        let shaped = match self {
            Self::Hex => one_case,
            Self::Uuid => judge::is_uuid(value),
            Self::Dotted => value[1..].iter().any(|b| matches!(b, b'.' | b':')),
            // A commit's digest under another name.
            Self::Word | Self::Base64 => !(hex && matches!(value.len(), 40 | 64)),
            Self::Alnum => true,
            Self::Made => {
                says_key && (hex || judge::is_uuid(value)) || !hex && !judge::is_uuid(value) && judge::is_random(value)
            }
        };
        let mixed = value.iter().any(u8::is_ascii_digit) && value.iter().any(u8::is_ascii_alphabetic);
        let random = hex || matches!(self, Self::Uuid | Self::Made) || !letters::is_name(value);
        shaped && mixed && random && !judge::is_sample(value) && !judge::is_placeholder(value)
    }
}

/// Whether `hit..end` is a word of its own: `box` in `BOX_KEY` and `boxKey`, not in `mailbox` or `boxes`.
fn is_word_of_name(text: &[u8], hit: usize, end: usize) -> bool {
    let (first, last) = (text[hit], text[end - 1]);
    let hump = hit > 0 && text[hit - 1].is_ascii_lowercase() && first.is_ascii_uppercase();
    let rest = &text[end..text.len().min(end + 6)];
    let glued = || [&b"api"[..], b"key", b"token", b"secret"].iter().any(|word| contains_ignoring_case(rest, word));
    let ends = match rest.first() {
        Some(next) if next.is_ascii_alphabetic() => next.is_ascii_uppercase() && last.is_ascii_lowercase() || glued(),
        Some(next) => !next.is_ascii_digit(),
        None => false,
    };
    (hump || starts_token(text, hit)) && ends
}

/// Returns the end of the name that continues at `from`, with the words that follow it.
fn end_of_name(text: &[u8], from: usize) -> Option<usize> {
    let window = &text[..text.len().min(from + MAX_NAME_BYTES)];
    let run = |at: usize| window[at..].iter().take_while(|b| is_name_byte(**b)).count();
    let mut end = from + run(from);
    for _ in 0..MAX_WORDS {
        let next = match window.get(end..end + 2) {
            Some([b' ', letter]) if letter.is_ascii_alphabetic() && !window[end + 1..].starts_with(b"is ") => end + 1,
            _ => break,
        };
        end = next + run(next);
    }
    (end < window.len()).then_some(end)
}

/// Whether one of the words of `name` makes its value public.
fn is_public(name: &[u8]) -> bool {
    super::super::names::words_of(name).iter().any(|word| super::NAMES_PUBLIC.has(word.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::super::named_keys;
    use crate::redact::detect;
    use crate::redact::examples::{SEED, fill};

    #[test]
    fn the_name_of_a_provider_makes_a_value_of_its_form_a_key() {
        for key in named_keys() {
            for form in key.forms {
                let value = match form.0 {
                    super::Alphabet::Made => "<a32>".to_owned(),
                    super::Alphabet::Uuid => "<i>".to_owned(),
                    super::Alphabet::Hex => format!("<h{}>", form.1),
                    super::Alphabet::Dotted => format!("<a{}>:<a{}>", form.1 / 2, form.1 - form.1 / 2 - 1),
                    _ => format!("<a{}>", form.1),
                };
                let value = fill(&value, SEED);
                for (text, is_found) in [
                    (format!("{}_ADMIN={value}", key.keywords[0].to_uppercase()), true),
                    (format!("{}_ID={value}", key.keywords[0].to_uppercase()), false),
                ] {
                    let found = detect::find(text.as_bytes());
                    let found = found.iter().any(|found| text[found.start..found.end] == value);
                    assert_eq!(found, is_found, "{}: {text}", key.label.name);
                }
            }
        }
    }
}
