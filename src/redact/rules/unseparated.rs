//! Places of keys that no separator parts from their provider's name: `acme aB3…`, `acme API key aB3…`, `{acme aB3…}`,
//! `acmeKEY-aB3…`.

use super::super::heuristics::WordList;
use super::super::text::{contains_ignoring_case, is_name_byte};
use super::provider::says_key;

/// The most words between the name and the key, each of which speaks of a key.
const MAX_WORDS: usize = 3;
/// The most blanks before a word.
const MAX_BLANKS: usize = 16;
/// The longest rest of a line that ends before a key.
const MAX_LINE: usize = 80;
/// Words between the name and the key.
static KEY_WORDS: WordList =
    WordList::new("api key token secret access auth app apikey api-key api_key pat accesskey client");

/// A place at which a key may begin.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    pub(super) at: usize,
    /// The end of the name and of the words that belong to it.
    pub(super) name_end: usize,
    /// Whether the words before it, or the braces in which Jenkins keeps it, say that it is a key.
    pub(super) said: bool,
}

/// Returns the places after the name that begins at `start` and whose provider's word ends at `word_end`.
pub(super) fn places(text: &[u8], start: usize, word_end: usize) -> impl Iterator<Item = Place> {
    let run = |at: usize| text[at..].iter().take(64).take_while(|b| is_name_byte(**b)).count();
    let braced = text[..start].ends_with(b"{");
    let mut name_end = word_end + run(word_end);
    let parts = text[start..name_end].split(|b| matches!(b, b'-' | b'_' | b'.'));
    let mut said = braced || says_key(&text[word_end..name_end]) || parts.into_iter().any(is_key_word);
    let mut blanks = name_end;
    let mut words = 0;
    let blank = std::iter::from_fn(move || {
        if words > MAX_WORDS {
            return None;
        }
        words += 1;
        let lead = text[blanks..].iter().take(MAX_BLANKS).take_while(|b| **b == b' ').count();
        if lead == 0 {
            return None;
        }
        let place = Place { at: blanks + lead, name_end, said };
        let word = &text[place.at..place.at + run(place.at)];
        if KEY_WORDS.has(word) {
            name_end = place.at + word.len();
            said |= says_key(word);
            blanks = name_end;
        } else {
            words = MAX_WORDS + 1;
        }
        Some(place)
    });
    blank.chain(glued(text, word_end)).chain(next_line(text, word_end))
}

/// Whether a part of a name says that its value is a key.
fn is_key_word(part: &[u8]) -> bool {
    static KINDS: WordList = WordList::new("key token secret pat");
    KINDS.has(part)
}

/// Returns the place after the last hyphen of a name that says key or private before it: `acmeKEY-…`.
fn glued(text: &[u8], word_end: usize) -> Option<Place> {
    let run = text[word_end..].iter().take(96).take_while(|b| is_name_byte(**b)).count();
    let rest = &text[word_end..word_end + run];
    let at = word_end + rest.iter().rposition(|b| *b == b'-')?;
    let name = &text[word_end..at];
    let said = name.iter().any(u8::is_ascii_uppercase)
        && [&b"key"[..], b"private", b"token", b"secret"].iter().any(|word| contains_ignoring_case(name, word));
    said.then_some(Place { at: at + 1, name_end: at, said })
}

/// Returns the place of a quoted text after the `=` with which the next line begins, if this line speaks of a key.
fn next_line(text: &[u8], from: usize) -> Option<Place> {
    let rest = &text[from..text.len().min(from + MAX_LINE)];
    let end = memchr::memchr(b'\n', rest)?;
    let next = from + end + 1;
    let lead = text[next..].iter().take(MAX_BLANKS).take_while(|b| matches!(b, b' ' | b'\t')).count();
    let [b'=', b' ', b'"' | b'\'', ..] = text[next + lead..] else { return None };
    let said = rest[..end].split(|b| *b == b' ').any(|word| KEY_WORDS.has(word));
    said.then_some(Place { at: next + lead + 3, name_end: from, said })
}
