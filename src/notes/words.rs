//! Words: how they are counted and compared, and lists of them from the text files beside this one.

use std::borrow::Cow;
use std::hash::{BuildHasherDefault, Hasher};

/// The hash of tables whose keys are in the source code, so that no text can make them collide: FNV-1a.
pub(super) type FixedHash = BuildHasherDefault<Fnv>;

/// The state of [`FixedHash`].
pub(super) struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Hasher for Fnv {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
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
    let (mut words, mut cjk) = (0, 0);
    for word in text.split_whitespace() {
        let chars = if word.is_ascii() { 0 } else { word.chars().filter(|c| is_cjk(*c)).count() };
        cjk += chars;
        let has_other = word.chars().any(|c| c.is_alphanumeric() && !is_cjk(c));
        words += usize::from(has_other);
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
    let mut tokens = Vec::new();
    let mut begins_clause = true;
    let mut rest = lower;
    let mut before = ' ';
    while let Some(c) = rest.chars().next() {
        if c == '`' {
            let marks = rest.bytes().take_while(|b| *b == b'`').count();
            let (mark, after) = rest.split_at(marks);
            if let Some(end) = after.find(mark) {
                tokens.push(Token { text: CODE, begins_clause });
                begins_clause = false;
                rest = &after[end + marks..];
                before = '`';
                continue;
            }
        }
        if let Some(end) = quotation(rest, before) {
            tokens.push(Token { text: CODE, begins_clause });
            begins_clause = false;
            rest = &rest[end..];
            before = '"';
            continue;
        }
        if !c.is_alphanumeric() {
            begins_clause |= matches!(
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
            ) || c as u32 > 0x2190;
            rest = &rest[c.len_utf8()..];
            before = c;
            continue;
        }
        let mut end = 0;
        let mut chars = rest.char_indices().peekable();
        while let Some((at, c)) = chars.next() {
            let joins = matches!(c, '-' | '\'') && chars.peek().is_some_and(|(_, next)| next.is_alphanumeric());
            if !c.is_alphanumeric() && !joins {
                break;
            }
            end = at + c.len_utf8();
        }
        let (word, after) = rest.split_at(end);
        tokens.push(Token { text: word, begins_clause });
        begins_clause = false;
        before = 'a';
        rest = after;
    }
    tokens
}

/// Returns the length of the quotation that `rest` begins with, if it begins with one that is closed.
fn quotation(rest: &str, before: char) -> Option<usize> {
    let open = rest.chars().next()?;
    let close: &[char] = match open {
        '"' if !before.is_alphanumeric() => &['"'],
        '“' => &['”'],
        '„' => &['“', '”'],
        '«' => &['»'],
        _ => return None,
    };
    let start = open.len_utf8();
    let end = start + rest[start..].find(close)?;
    Some(end + rest[end..].chars().next().map_or(0, char::len_utf8))
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
