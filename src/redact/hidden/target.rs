//! Limits on text in targets of links, labels of references and languages of code blocks.
//!
//! A reader sees a link's target at most when pointing at it. It stays, since agents follow links, unless it contains
//! prose that no address needs.

use super::super::entity;

/// Schemes of links that GitHub leaves in a page.
const SCHEMES: [&str; 6] = ["http", "https", "mailto", "xmpp", "irc", "ircs"];
/// The number of plain words in a row, separated by blanks, that make a sentence.
const WORDS_IN_SENTENCE: usize = 4;
/// The most plain words in a target, and in what follows its path.
const MAX_WORDS: usize = 32;
const MAX_WORDS_AFTER_PATH: usize = 20;
/// The most words and bytes of a name that is not visible.
const MAX_LABEL_WORDS: usize = 2;
const MAX_LABEL_BYTES: usize = 40;
/// How many shorter forms of a target are tried before only its host remains.
const MAX_TRIES: usize = 8;

/// Returns how many bytes of a target stay: all, all up to the query, the fragment or the part of the path that
/// contains prose, or none.
pub(in crate::redact) fn kept_length(target: &str) -> usize {
    if !has_known_scheme(target) {
        return 0;
    }
    if is_address(target) {
        return target.len();
    }
    let mut end = target.find(['?', '#']).unwrap_or(target.len());
    for _ in 0..MAX_TRIES {
        if is_address(&target[..end]) {
            return end;
        }
        end = match target[..end].trim_end_matches('/').rfind('/') {
            Some(slash) => slash + 1,
            None => return 0,
        };
    }
    let host = target.find("://").map_or(0, |scheme| {
        let after = scheme + 3;
        target[after..].find('/').map_or(target.len(), |slash| after + slash + 1)
    });
    if is_address(&target[..host]) { host } else { 0 }
}

/// Whether a name that is not visible is too short to carry a message.
pub(super) fn is_short(name: &str) -> bool {
    name.len() <= MAX_LABEL_BYTES && plain_words(&decoded(name)).count() <= MAX_LABEL_WORDS
}

/// Whether an image's address is a plain path below the page: on an issue's page it shows its description.
pub(super) fn is_plain_path(address: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-' | '/' | ' ');
    !address.is_empty()
        && !address.starts_with('/')
        && !address.contains("//")
        && !address.split('/').any(|part| part == "..")
        && address.chars().all(plain)
        && is_address(address)
}

fn has_known_scheme(target: &str) -> bool {
    let target = decoded(target);
    let Some((scheme, rest)) = target.split_once(':') else { return true };
    // A colon in a path or after it ends no scheme, nor does one before a line number.
    let is_line = || rest.chars().all(|c| c.is_ascii_digit() || c == ':');
    scheme.contains(['/', '?', '#']) || SCHEMES.iter().any(|known| known.eq_ignore_ascii_case(scheme)) || is_line()
}

fn is_address(target: &str) -> bool {
    let target = decoded(target);
    let after_path = target.find(['?', '#']).map_or("", |at| &target[at..]);
    let mut in_a_row = 0;
    let has_sentence = target.split(|c: char| c.is_whitespace() || c == '+').any(|part| {
        let bare = part.trim_matches(|c: char| !c.is_alphanumeric());
        let words = plain_words(part).count();
        let is_plain = bare.chars().all(|c| c.is_alphabetic() || matches!(c, '\'' | '’'));
        if is_plain {
            in_a_row += words;
            return in_a_row >= WORDS_IN_SENTENCE;
        }
        // A sentence may end where an address begins, unless that is the name of a file, and begin where it ends.
        let mut ends = part.split(|c: char| !c.is_alphanumeric());
        let ended =
            in_a_row + if part.contains('.') { 0 } else { plain_words(ends.next().unwrap_or_default()).count() };
        in_a_row = plain_words(ends.next_back().unwrap_or_default()).count();
        ended >= WORDS_IN_SENTENCE
    });
    // Without blanks all words are one row, which is counted as a whole.
    let has_sentence = has_sentence && target.contains(|c: char| c.is_whitespace() || c == '+');
    !has_sentence
        && plain_words(&target).count() <= MAX_WORDS
        && plain_words(after_path).count() <= MAX_WORDS_AFTER_PATH
}

/// Finds words as prose has them: letters only, in lower case, capitalised or in capitals. In scripts without blanks
/// between words two characters count as one.
fn plain_words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric()).flat_map(|token| {
        let wide = token.chars().filter(|c| *c >= '\u{2e80}').count();
        let small = || token.chars().skip(1).all(|c| !c.is_uppercase());
        let is_word = (2..=64).contains(&token.len())
            && token.chars().all(char::is_alphabetic)
            && (small() || token.chars().all(char::is_uppercase));
        std::iter::repeat_n(token, if wide > 0 { wide.div_ceil(2) } else { usize::from(is_word) })
    })
}

/// Decodes percent codes, entities and escapes, also those that are encoded up to three times.
fn decoded(target: &str) -> String {
    let mut text = target.to_owned();
    for _ in 0..3 {
        if !text.contains(['%', '&', '\\']) {
            break;
        }
        text = decoded_once(&text);
    }
    text
}

fn decoded_once(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'%' if let Some(byte) = entity::percent_byte(&bytes[at..]) => {
                out.push(byte);
                at += 3;
            }
            b'&' if let Some((length, c)) = entity::html(&bytes[at..]) => {
                out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
                at += length;
            }
            b'\\' if bytes.get(at + 1).is_some_and(u8::is_ascii_punctuation) => {
                out.push(bytes[at + 1]);
                at += 2;
            }
            byte => {
                out.push(byte);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}
