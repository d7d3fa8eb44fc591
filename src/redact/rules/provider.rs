//! Keys without a form of their own, recognized by the name of their provider before them.
//!
//! `DATADOG_APP=…`, `"algolia_admin" => "…"`, `| Deepgram | … |`: the value has exactly the alphabet and the length of
//! that provider's keys. Values of names that contain id, commit, digest, url and the like are not touched.

use super::super::heuristics::{self, WordList};
use super::super::letters;
use super::super::text::{contains_ignoring_case, is_name_byte, last_line, starts_token};
use super::{FindingLabel, WEAK, unseparated};

/// The longest name.
const MAX_NAME_BYTES: usize = 64;
/// How many bytes before a name are searched for words such as `commit`.
const MAX_BYTES_BEFORE: usize = 48;
/// The most blanks on one side of a separator: tables are padded.
const MAX_BLANKS: usize = 48;
/// The most words between the provider and the separator: `Datadog app key for CI: …`.
const MAX_WORDS: usize = 4;

/// Words of names whose values are public.
static PUBLIC: WordList = WordList::new(
    "id ids hash hashes digest sha sha1 sha256 md5 checksum commit commits rev revision ref \
    version ver url uri link host domain site endpoint public publishable pub pubkey name names index path \
    file dir tag image email user username account org team workspace region zone project page address \
    contract tx transaction block fingerprint cert certificate integrity etag trace span request run build \
    job event dashboard monitor board object blob tree branch nonce salt signature sig uuid guid action",
);

/// Words before a name on its line that make its value public.
const PUBLIC_BEFORE: &[&[u8]] = &[b"commit", b"digest", b"checksum", b"sha256", b"sha1", b"uses:", b"revision"];

/// An alphabet of values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Alphabet {
    /// Hexadecimal digits, letters in one case.
    Hex,
    /// Letters and digits.
    Alnum,
    /// Letters, digits, `-`, `_` and `=`.
    Word,
    /// Letters, digits and the marks of Base64.
    Base64,
    /// Hexadecimal digits in the groups of a UUID.
    Uuid,
    /// Words with dots or colons between them.
    Dotted,
    /// Letters, digits, `-` and `_` as only a machine orders them: for providers whose form is not known.
    Made,
}

/// The form of a value: its alphabet, its least and its greatest length.
#[derive(Debug)]
pub(super) struct TokenForm(pub(super) Alphabet, pub(super) usize, pub(super) usize);

/// A provider whose keys are recognized by its name before them.
#[derive(Debug)]
pub(in super::super) struct Provider {
    pub(in super::super) label: FindingLabel,
    /// The spellings of the provider's name, in lower case.
    pub(in super::super) words: &'static [&'static str],
    forms: &'static [TokenForm],
}

impl Provider {
    pub(super) const fn new(
        name: &'static str,
        reason: &'static str,
        words: &'static [&'static str],
        forms: &'static [TokenForm],
    ) -> Self {
        Self { label: FindingLabel { name, reason, rank: WEAK }, words, forms }
    }

    /// Finds the key whose name contains one of the provider's words at `hit..end`.
    pub(in super::super) fn find(&self, text: &[u8], hit: usize, end: usize) -> Option<(usize, usize)> {
        if !is_word_of_name(text, hit, end) {
            return None;
        }
        let start =
            hit - text[hit.saturating_sub(MAX_NAME_BYTES)..hit].iter().rev().take_while(|b| is_name_byte(**b)).count();
        let before = text[..start].last();
        // A marker is no name either: what follows the last of a chain would be found only after it was put there.
        if matches!(before, Some(b'/' | b'@' | b'#' | b'\\')) || text[..start].ends_with(b"[REDACTED:") {
            return None;
        }
        let separated = end_of_name(text, end).and_then(|name_end| {
            let at = value_start(text, (start, end), name_end)?;
            let said = text[name_end] == b'(' || says_key(&text[start..name_end]);
            let called = text[name_end] == b'(' || says_key(&text[end..name_end]);
            Some((name_end, self.value(text, at, (said, called))?))
        });
        let (name_end, value) = separated.or_else(|| self.without_separator(text, start, end))?;
        let line = last_line(&text[start.saturating_sub(MAX_BYTES_BEFORE)..start]);
        if PUBLIC_BEFORE.iter().any(|word| contains_ignoring_case(line, word)) || is_public(&text[start..name_end]) {
            return None;
        }
        Some(value)
    }

    /// Returns the value at `at` in one of the provider's forms. `said`: whether its name says that it is a key, and
    /// whether the words after the provider's do so, in which case any form counts that only a machine makes.
    fn value(&self, text: &[u8], at: usize, (said, after): (bool, bool)) -> Option<(usize, usize)> {
        const ANY: TokenForm = TokenForm(Alphabet::Made, 20, 100);
        let forms = self.forms.iter().chain(after.then_some(&ANY));
        forms.into_iter().find_map(|form| form.at(text, at, said))
    }

    /// Finds the key that blanks alone part from the name, or the end of a line that speaks of a key; returns the end of
    /// the name, too.
    fn without_separator(&self, text: &[u8], start: usize, word_end: usize) -> Option<(usize, (usize, usize))> {
        let place = unseparated::places(text, start, word_end)
            .find_map(|place| Some((self.value(text, place.at, (place.said, place.said))?, place)));
        let ((from, to), place) = place?;
        let value = &text[from..to];
        let random = !value.iter().all(u8::is_ascii_hexdigit) && heuristics::is_machine_made(value);
        let ends = text.get(to).is_none_or(|b| !matches!(b, b'.' | b'=' | b':' | b'+' | b'@'));
        (ends && (place.said || random && !heuristics::is_uuid(value))).then_some((place.name_end, (from, to)))
    }
}

impl TokenForm {
    /// Returns the value of this form at `at`. `said`: its name says that it is a key.
    fn at(&self, text: &[u8], at: usize, said: bool) -> Option<(usize, usize)> {
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
        let value = &window[..length];
        let runs_on =
            window.get(length).is_some_and(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'/' | b'('));
        (!runs_on && alphabet.is_key(value, said)).then_some((at, at + length))
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
    fn is_key(self, value: &[u8], said: bool) -> bool {
        let hexadecimal = value.iter().all(u8::is_ascii_hexdigit);
        let one_case = !value.iter().any(u8::is_ascii_uppercase) || !value.iter().any(u8::is_ascii_lowercase);
        let shaped = match self {
            Self::Hex => one_case,
            Self::Uuid => heuristics::is_uuid(value),
            Self::Dotted => value[1..].iter().any(|b| matches!(b, b'.' | b':')),
            // A commit's digest under another name.
            Self::Word | Self::Base64 => !(hexadecimal && matches!(value.len(), 40 | 64)),
            Self::Alnum => true,
            Self::Made => is_made(value, said),
        };
        let mixed = value.iter().any(u8::is_ascii_digit) && value.iter().any(u8::is_ascii_alphabetic)
            || said && self == Self::Made && is_scrambled(value);
        let made = hexadecimal || matches!(self, Self::Uuid | Self::Made) || !heuristics::is_name(value);
        shaped && mixed && made && !heuristics::is_sample(value) && !heuristics::is_placeholder(value)
    }
}

/// Whether a machine made `value`. UUIDs and values of the length of a digest count only where the name says key.
fn is_made(value: &[u8], said: bool) -> bool {
    if heuristics::is_uuid(value) {
        return said;
    }
    if said && is_scrambled(value) {
        return true;
    }
    let marked = value.iter().any(|b| !b.is_ascii_alphanumeric());
    let hexadecimal = heuristics::is_hexadecimal_key(value);
    hexadecimal && said
        || heuristics::is_machine_made(value) && !(marked && (value.len() < 32 || !heuristics::has_all_kinds(value)))
}

/// Whether `value` is a long run of letters of both cases in an order that no word has.
fn is_scrambled(value: &[u8]) -> bool {
    value.len() >= 20
        && value.iter().all(u8::is_ascii_alphabetic)
        && value.iter().any(u8::is_ascii_lowercase)
        && value.iter().filter(|b| b.is_ascii_uppercase()).count() >= 4
        && letters::are_random(value)
        && !heuristics::is_name(value)
}

/// Whether `name` says that its value is a key.
pub(super) fn says_key(name: &[u8]) -> bool {
    const SAID: &[&[u8]] = &[b"key", b"token", b"secret", b"auth", b"cred", b"pass", b"api", b"access"];
    SAID.iter().any(|word| contains_ignoring_case(name, word))
}

/// Whether a call of `name`, in which the provider's word ends at `word_end`, takes a key: `Acme(…)`, `AcmeClient(…)`,
/// `acme.init(…)`.
fn is_constructor(name: &[u8], word_end: usize) -> bool {
    static CALLS: WordList = WordList::new(
        "client init initialize initialise configure setup auth authenticate login connect new api sdk \
        key token",
    );
    let rest = &name[word_end..];
    let rest = rest.strip_prefix(b".").or_else(|| rest.strip_prefix(b"_")).unwrap_or(rest);
    rest.is_empty() || CALLS.has(rest)
}

/// Whether `hit..end` is a word of its own: `box` in `BOX_KEY` and `boxKey`, not in `mailbox` or `boxes`.
fn is_word_of_name(text: &[u8], hit: usize, end: usize) -> bool {
    let (first, last) = (text[hit], text[end - 1]);
    let hump = hit > 0 && text[hit - 1].is_ascii_lowercase() && first.is_ascii_uppercase();
    let begins = hump || starts_token(text, hit);
    let ends = match text.get(end) {
        Some(next) if next.is_ascii_alphabetic() => {
            let rest = &text[end..text.len().min(end + 6)];
            let glued = [&b"api"[..], b"key", b"token", b"secret"]
                .iter()
                .any(|word| rest.get(..word.len()).is_some_and(|part| part.eq_ignore_ascii_case(word)));
            glued || (next.is_ascii_uppercase() && last.is_ascii_lowercase())
        }
        Some(next) => !next.is_ascii_digit(),
        None => false,
    };
    begins && ends
}

/// Returns the end of the name that continues at `from`, with the words that follow it.
fn end_of_name(text: &[u8], from: usize) -> Option<usize> {
    let window = &text[..text.len().min(from + MAX_NAME_BYTES)];
    let run = |at: usize| window[at..].iter().take_while(|b| is_name_byte(**b)).count();
    let mut end = from + run(from);
    for _ in 0..MAX_WORDS {
        let next = match window.get(end..end + 2) {
            Some([b' ', letter]) if letter.is_ascii_alphabetic() => end + 1,
            Some([b' ', b'(']) => end + 2,
            _ => break,
        };
        // The verb of a sentence.
        if window[next..].starts_with(b"is ") {
            break;
        }
        end = next + run(next);
        end += usize::from(window.get(end) == Some(&b')'));
    }
    (end < window.len()).then_some(end)
}

/// Returns the offset at which a value may begin after the name that ends at `end`; `None` without a separator.
///
/// The name begins at `start`, and the provider's word in it ends at `word_end`.
fn value_start(text: &[u8], (start, word_end): (usize, usize), end: usize) -> Option<usize> {
    let blank = |at: usize| at + text[at..].iter().take(MAX_BLANKS).take_while(|b| matches!(b, b' ' | b'\t')).count();
    let mark = |b: &&u8| matches!(**b, b'"' | b'\'' | b'`' | b'*' | b'\\' | b']' | b')');
    let closed = end + text[end..].iter().take(6).take_while(mark).count();
    let at = blank(closed);
    let rest = &text[at..];
    let starts = |sign: &str| rest.starts_with(sign.as_bytes());
    let length = if starts("::=") {
        3
    } else if starts(":::=") {
        4
    } else if starts("!= \"") || starts("!= '") || starts("== \"") || starts("== '") {
        2
    } else if starts("::") || starts("==") || starts("://") {
        return None;
    } else if ["=>", ":=", "->", "?=", ".=", "||"].iter().any(|sign| starts(sign)) {
        2
    } else if starts("=") || starts(":") || starts("|") || (starts(">") && text[..start].ends_with(b"<")) {
        1
    } else if starts("：") || starts("＝") {
        3
    } else if starts(",") && closed > end {
        1
    } else if starts("is ") && at > end {
        2
    } else if (starts("(\"") || starts("('")) && at == end && is_constructor(&text[start..end], word_end - start) {
        1
    } else if text[start..].starts_with(b"--") && at > closed {
        0
    } else {
        return None;
    };
    let at = blank(at + length);
    let quote = |b: &&u8| matches!(**b, b'"' | b'\'' | b'`' | b'*' | b'\\' | b'=' | b'<');
    let opened = at + text[at..].iter().take(6).take_while(quote).count();
    let opened = if text[opened..].starts_with("“".as_bytes()) { opened + 3 } else { blank(opened) };
    Some(opened + if text[opened..].starts_with(b"code>") { 5 } else { 0 })
}

/// Whether one of the words of `name` makes its value public.
fn is_public(name: &[u8]) -> bool {
    let mut word: Vec<u8> = Vec::new();
    let mut previous = b' ';
    for byte in name.iter().chain(b" ") {
        let hump = byte.is_ascii_uppercase() && previous.is_ascii_lowercase();
        if hump || !byte.is_ascii_alphanumeric() {
            if PUBLIC.has(&word) {
                return true;
            }
            word.clear();
        }
        if byte.is_ascii_alphanumeric() {
            word.push(*byte);
        }
        previous = *byte;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::super::providers;
    use crate::redact::canaries::{SEED, fill};

    fn found(text: &str) -> Option<String> {
        let lower = text.to_ascii_lowercase();
        providers().iter().find_map(|provider| {
            provider.words.iter().find_map(|word| {
                let hits = lower.match_indices(word);
                let mut found = hits.filter_map(|(hit, word)| provider.find(text.as_bytes(), hit, hit + word.len()));
                found.next().map(|(start, end)| text[start..end].to_owned())
            })
        })
    }

    #[test]
    fn keys_are_found_in_every_notation() {
        for (template, value) in [
            ("DATADOG_APP=<h32>", "<h32>"),
            ("datadog: <h40>, then", "<h40>"),
            ("datadog_api ::= \"<h40>\"", "<h40>"),
            ("$datadog .= '<h40>'", "<h40>"),
            ("\"datadog_app\" => \"<h32>\"", "<h32>"),
            ("`ALGOLIA_ADMIN`: `<h32>`", "<h32>"),
            ("| Deepgram | <h40> |", "<h40>"),
            ("| `deepgram`     | `<h40>` |", "<h40>"),
            ("Datadog app (CI): <h32>.", "<h32>"),
            ("<heroku><i></heroku>", "<i>"),
            ("--snyk <i>", "<i>"),
            ("const boxKey = '<a32>';", "<a32>"),
            ("**Twilio:** <h32>", "<h32>"),
            ("setupDatadog: {datadogKey: '<h32>'}", "<h32>"),
            ("kagi: <a11>.<a43>。", "<a11>.<a43>"),
            ("veriphone = '<a32>'", "<a32>"),
            ("const veriphoneKey = '<h40>'", "<h40>"),
            ("VERIPHONE_ACCESS=<i>", "<i>"),
            ("// my veriphone key is <a32>.", "<a32>"),
            ("client = new VeriphoneClient(\"<a32>\")", "<a32>"),
            ("veriphone.init('<a32>')", "<a32>"),
            ("veriphone <a32>\n", "<a32>"),
            ("[DEBUG] using veriphone API key <h40>", "<h40>"),
            ("<id>{datadog <h32>}</id>", "<h32>"),
            ("datadog keyword, far from the real key\n = '<h32>'", "<h32>"),
            ("if veriphoneKey != \"<a32>\" {", "<a32>"),
            ("datadogKEY-<h32>", "<h32>"),
        ] {
            let text = fill(template, SEED);
            assert_eq!(found(&text), Some(fill(value, SEED)), "{text}");
        }
    }

    #[test]
    fn other_values_near_the_name_of_a_provider_stay() {
        for template in [
            "DATADOG_APP_ID=<h32>",
            "twilio account: <h32>",
            "uses: datadog/action@<h40>",
            "# pinned by commit: datadog: <h40>",
            "sentry-release-commit: <h40>",
            "datadog.sha256: <h64>",
            "datadog: <h33>",
            "datadog: <h31>",
            "Datadog is fine; <h32>",
            "mailbox: <a32>",
            "boxes: <a32>",
            "box: some-value",
            "linear: linear-gradient(0deg)",
            "dropbox: configuration",
            "dropbox: storageaccount1",
            "heroku: <h8>-<h4>",
            "algolia: xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
            "github.com/datadog: <h32>",
            "veriphone = '<h40>'",
            "veriphone: <i>",
            "veriphone: veriphone-web-7d9f8c6b5-x2x4z",
            "veriphone.lookup('<h32>')",
            "mapbox: pk.eyJ<a30>.<a22>",
            "veriphone <h40>",
            "veriphone build <a32>",
            "veriphone commit key <h40>",
            "veriphone <a32>.js",
            "the datadog board\n = '<h32>'",
            "veriphone.name != \"<a32>\"",
            "datadog-key-<h32>",
        ] {
            let text = fill(template, SEED);
            assert_eq!(found(&text), None, "{text}");
        }
    }

    #[test]
    fn words_are_in_lower_case() {
        for provider in providers() {
            assert!(provider.words.iter().all(|word| *word == word.to_ascii_lowercase()), "{provider:?}");
        }
    }
}
