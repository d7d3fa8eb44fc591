//! Words: how they are counted and compared, and lists of them from the text files beside this one.

use std::borrow::Cow;
use std::collections::HashSet;
use std::hash::{BuildHasherDefault, Hasher};

/// What the hash of a table begins with, and is multiplied by.
const SEED: u64 = 0x9e37_79b9_7f4a_7c15;

/// The hash of tables whose keys are in the source code, so that no text can make them collide.
pub(super) type FixedHash = BuildHasherDefault<Folded>;

/// The state of [`FixedHash`]: eight bytes at once, multiplied and folded.
pub(super) struct Folded(u64);

impl Default for Folded {
    fn default() -> Self {
        Self(SEED)
    }
}

impl Folded {
    fn fold(&mut self, word: u64) {
        let product = u128::from(self.0 ^ word) * u128::from(SEED);
        self.0 = (product as u64) ^ ((product >> 64) as u64);
    }
}

impl Hasher for Folded {
    fn write(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks::<8>();
        words.iter().for_each(|word| self.fold(u64::from_le_bytes(*word)));
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        self.fold(u64::from_le_bytes(last) ^ (bytes.len() as u64) << 56);
    }

    fn write_u8(&mut self, byte: u8) {
        // What ends a text: its length is in the hash already.
        self.0 ^= u64::from(byte);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// How many Chinese or Japanese characters count as one word.
const CJK_CHARS_A_WORD: usize = 2;

/// Returns whether `c` belongs to a script without spaces between words.
pub(super) fn is_cjk(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '々' | '\u{20000}'..='\u{2fa1f}')
}

/// Counts words: runs of characters without a space that hold a letter or a digit; of Chinese and Japanese, two
/// characters are a word.
pub(super) fn count(text: &str) -> usize {
    // Whether the run so far holds a letter or a digit.
    let mut is_word = false;
    let mut words = 0;
    if text.is_ascii() {
        for byte in text.bytes() {
            let is_letter = byte.is_ascii_alphanumeric();
            // `is_ascii_whitespace` leaves out the vertical tab.
            let is_space = byte.is_ascii_whitespace() | (byte == 0x0b);
            words += usize::from(is_letter & !is_word);
            is_word = (is_word | is_letter) & !is_space;
        }
        return words;
    }
    let mut cjk = 0_usize;
    for c in text.chars() {
        if c.is_whitespace() {
            is_word = false;
        } else if is_cjk(c) {
            cjk += 1;
        } else if !is_word && c.is_alphanumeric() {
            is_word = true;
            words += 1;
        }
    }
    words + cjk.div_ceil(CJK_CHARS_A_WORD)
}

/// A word of a sentence in lower case, or a piece of code, which is never a word.
#[derive(Debug, Clone)]
pub(super) struct Token<'t> {
    pub(super) text: &'t str,
    /// Whether a clause may begin here: at the beginning, and after a punctuation mark.
    pub(super) begins_clause: bool,
}

/// What stands in the place of a piece of code.
pub(super) const CODE: &str = "`";

/// Returns the text in lower case, with straight apostrophes.
pub(super) fn lower(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        if text.bytes().any(|b| b.is_ascii_uppercase()) { text.to_ascii_lowercase().into() } else { text.into() }
    } else {
        text.to_lowercase().replace('’', "'").into()
    }
}

/// Cuts a sentence in lower case into words. Hyphens and apostrophes inside a word belong to it, so `must-have` is one.
/// What stands in quotation marks is spoken about, not said; it is left out, and so is what stands in backticks.
pub(super) fn tokens(lower: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::with_capacity(lower.len() / 5 + 1);
    let mut begins_clause = true;
    let mut at = 0;
    while let Some(byte) = lower.as_bytes().get(at) {
        let length = match byte {
            b' ' => {
                at += 1;
                continue;
            }
            b'`' => code(&lower[at..]),
            b'"' => quotation(lower, at),
            byte if byte.is_ascii() => None,
            _ => quotation(lower, at),
        };
        if let Some(length) = length {
            tokens.push(Token { text: CODE, begins_clause });
            begins_clause = false;
            at += length;
            continue;
        }
        let word = word_end(&lower[at..]);
        if word > 0 {
            tokens.push(Token { text: &lower[at..at + word], begins_clause });
            begins_clause = false;
            at += word;
            continue;
        }
        let Some(c) = lower[at..].chars().next() else { break };
        // A hyphen between spaces is a dash.
        begins_clause |= ends_clause(c) || c == '-' && lower[at + 1..].starts_with(' ');
        at += c.len_utf8();
    }
    tokens
}

/// Returns whether a clause may begin behind `c`.
fn ends_clause(c: char) -> bool {
    matches!(
        c,
        ',' | ';'
            | ':'
            | '–'
            | '—'
            | '('
            | '•'
            | '.'
            | '!'
            | '?'
            | '\n'
            | '→'
            | '«'
            | '¡'
            | '¿'
            | '['
            | '*'
            | '"'
            | '“'
            | '„'
    ) || c as u32 > 0x2190
}

/// Returns the length of the piece of code that a text begins with, if it ends.
fn code(text: &str) -> Option<usize> {
    let marks = text.bytes().take_while(|b| *b == b'`').count();
    let (mark, after) = text.split_at(marks);
    Some(2 * marks + after.find(mark)?)
}

/// Returns the length of the word that a text begins with.
fn word_end(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut end = 0;
    if matches!(bytes.first(), Some(b'-' | b'\'')) {
        return 0;
    }
    loop {
        match bytes.get(end) {
            Some(byte) if byte.is_ascii_alphanumeric() => end += 1,
            Some(b'-' | b'\'') if text[end + 1..].starts_with(char::is_alphanumeric) => end += 1,
            Some(byte) if !byte.is_ascii() => match text[end..].chars().next() {
                Some(c) if c.is_alphanumeric() => end += c.len_utf8(),
                _ => return end,
            },
            _ => return end,
        }
    }
}

/// Returns the length of the quotation that begins at a place, if one begins there that is closed.
fn quotation(text: &str, at: usize) -> Option<usize> {
    let rest = &text[at..];
    let open = rest.chars().next()?;
    let close: &[char] = match open {
        '"' if !text[..at].ends_with(char::is_alphanumeric) => &['"'],
        '“' => &['”'],
        '„' => &['“', '”'],
        '«' => &['»'],
        _ => return None,
    };
    let start = open.len_utf8();
    let end = start + rest[start..].find(close)?;
    Some(end + rest[end..].chars().next().map_or(0, char::len_utf8))
}

/// Words of a text file.
pub(super) type WordSet = HashSet<&'static str, FixedHash>;

/// Returns the words of a class in a text file.
pub(super) fn word_set(file: &'static str, class: &str) -> WordSet {
    lists(file).filter(|(name, _)| *name == class).flat_map(|(_, words)| words).collect()
}

/// Returns the lists of a text file: its class and its phrases, for each line that is no comment.
pub(super) fn lists(file: &'static str) -> impl Iterator<Item = (&'static str, impl Iterator<Item = &'static str>)> {
    file.lines().filter(|line| !line.starts_with('#')).filter_map(|line| {
        let (class, phrases) = line.split_once(": ")?;
        Some((class, phrases.split(", ").map(str::trim).filter(|phrase| !phrase.is_empty())))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_counted_in_scripts_with_and_without_spaces() {
        assert_eq!(count("Run `make test` - twice, on v1.2!"), 6);
        assert_eq!(count("必ずテストを実行する"), 5);
        assert_eq!(count("使用 Docker 部署"), 3);
        assert_eq!(count(" - — "), 0);
    }

    #[test]
    fn hyphens_and_apostrophes_stay_inside_words_and_quoted_words_are_left_out() {
        let text = lower("A must-have: Don’t say \"must\" in `never run`");
        let words: Vec<_> = tokens(&text).into_iter().map(|it| (it.text.to_owned(), it.begins_clause)).collect();
        let expected =
            [("a", true), ("must-have", false), ("don't", true), ("say", false), ("`", false), ("in", false)];
        assert_eq!(words[..6], expected.map(|(word, begins)| (word.to_owned(), begins)));
        assert_eq!(words[6].0, "`");
    }
}
