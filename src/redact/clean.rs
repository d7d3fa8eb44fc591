//! Text that has been scrubbed, and the few ways to make one from others.

use super::invisible::invisible;
use crate::model::{heading_in_line, is_line_end, short_title_in_line, title_in_line};
use std::fmt;
use std::ops::{Deref, Range};
use std::sync::Arc;

/// Text without secrets: only the scrubber makes it from raw text, everything else cuts and joins clean texts.
///
/// Cheap to clone: packs share one text. It cannot be deserialized; see [`CachedScrub`](super::CachedScrub).
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Clean(Arc<str>);

impl Clean {
    /// Marks `text` as clean: for results of scrubbing, in this module only.
    pub(super) fn scrubbed(text: impl Into<Arc<str>>) -> Self {
        Self(text.into())
    }

    /// Makes a clean text from words in the source code.
    pub fn literal(text: &'static str) -> Self {
        Self(text.into())
    }

    /// Returns the text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Cuts a part out of the text. Panics as slicing a `str` does.
    #[must_use]
    pub fn slice(&self, range: Range<usize>) -> Self {
        if range == (0..self.0.len()) {
            return self.clone();
        }
        Self(self.0[range].into())
    }

    /// Accepts `words` that a parser read out of this text, such as a heading without its markup, or its anchor.
    ///
    /// `None` unless each word of it occurs in this text, in the same order: its letters and digits directly one after
    /// another (case aside), with nothing but markup between them. So no word can be put together from letters that
    /// are scattered over the text.
    pub fn read_out(&self, words: &str) -> Option<Self> {
        let mut rest: &str = &self.0;
        for word in words.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
            let after = |from| after_word(from, word, false).or_else(|| after_word(from, word, true));
            rest = rest.char_indices().find_map(|(at, _)| after(&rest[at..]))?;
        }
        Some(Self(words.into()))
    }

    /// Accepts words as [`Clean::read_out`] does, on one line and without what nobody sees: escapes of YAML can write what
    /// redaction took out of this text.
    pub fn read_out_visible(&self, words: &str) -> Option<Self> {
        let line: String = words.chars().map(|c| if c.is_whitespace() || c.is_control() { ' ' } else { c }).collect();
        let mut seen = line.clone();
        for hidden in invisible(&line).into_iter().rev() {
            seen.replace_range(hidden, "");
        }
        self.read_out(seen.trim()).filter(|text| !text.is_empty())
    }

    /// Returns the text without white space at both ends.
    #[must_use]
    pub fn trimmed(&self) -> Self {
        let text = self.0.trim();
        let start = text.as_ptr() as usize - self.0.as_ptr() as usize;
        self.slice(start..start + text.len())
    }
}

/// Returns what follows `word` in `text`, which has to begin with it; markup may split it.
///
/// With `skips_tags` a tag, the target or label of a link and the mark of a footnote are markup as a whole; in code
/// they are text.
fn after_word<'t>(text: &'t str, word: &str, skips_tags: bool) -> Option<&'t str> {
    if let Some(rest) = text.strip_prefix(word) {
        return Some(rest);
    }
    let is_same = |a: char, b: char| match a.is_ascii() && b.is_ascii() {
        true => a.eq_ignore_ascii_case(&b),
        false => a.to_lowercase().next() == b.to_lowercase().next(),
    };
    let mut rest = text;
    for (index, wanted) in word.chars().enumerate() {
        loop {
            let c = rest.chars().next()?;
            if is_same(c, wanted) {
                rest = &rest[c.len_utf8()..];
                break;
            }
            if index == 0 || c.is_alphanumeric() {
                return None;
            }
            let close = match rest.as_bytes() {
                _ if !skips_tags => None,
                [b'<', ..] => rest.find('>'),
                [b']', b'(', ..] => rest.find(')'),
                [b']', b'[', ..] => rest[1..].find(']').map(|end| end + 1),
                [b'[', b'^', ..] => rest.find(']'),
                _ => None,
            };
            rest = &rest[close.map_or(c.len_utf8(), |close| close + 1)..];
        }
    }
    Some(rest)
}

impl Deref for Clean {
    type Target = str;
    fn deref(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Clean {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for Clean {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&*self.0, f)
    }
}

/// A clean text being built from clean texts, words in the source code and numbers.
#[derive(Debug, Default, Clone)]
pub struct CleanBuf(String);

impl CleanBuf {
    /// Makes an empty text.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds words in the source code.
    pub fn lit(&mut self, text: &'static str) -> &mut Self {
        self.0.push_str(text);
        self
    }

    /// Adds a clean text.
    pub fn text(&mut self, text: &Clean) -> &mut Self {
        self.0.push_str(text);
        self
    }

    /// Adds a part of a clean text. Panics as slicing a `str` does.
    pub fn part(&mut self, text: &Clean, range: Range<usize>) -> &mut Self {
        self.0.push_str(&text[range]);
        self
    }

    /// Adds a clean text on one line: every run of white space and control characters becomes a space.
    pub fn line(&mut self, text: &Clean) -> &mut Self {
        let mut first = true;
        for word in text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|w| !w.is_empty()) {
            if !first {
                self.0.push(' ');
            }
            first = false;
            self.0.push_str(word);
        }
        self
    }

    /// Adds a title in a list or a sentence: see [`title_in_line`].
    pub fn title(&mut self, title: &Clean) -> &mut Self {
        self.0.push_str(&title_in_line(title));
        self
    }

    /// Adds a title as the text of a heading: see [`heading_in_line`].
    pub fn heading(&mut self, title: &Clean) -> &mut Self {
        self.0.push_str(&heading_in_line(title));
        self
    }

    /// Adds the beginning of a title that anybody could have written, in the form of [`CleanBuf::title`].
    pub fn short_title(&mut self, title: &Clean) -> &mut Self {
        self.0.push_str(&short_title_in_line(title));
        self
    }

    /// Adds a number in decimal.
    pub fn number(&mut self, number: u64) -> &mut Self {
        self.0.push_str(&number.to_string());
        self
    }

    /// Adds a clean text as a JSON string, quoted and escaped.
    pub fn json(&mut self, text: &Clean) -> &mut Self {
        self.json_part(text, 0..text.len())
    }

    /// Adds a part of a clean text as a JSON string, quoted and escaped. Panics as slicing a `str` does.
    fn json_part(&mut self, text: &Clean, range: Range<usize>) -> &mut Self {
        // JSON allows some line ends unescaped; the others are escaped already.
        for c in serde_json::Value::from(&text[range]).to_string().chars() {
            if is_line_end(c) {
                self.0.push_str(&format!("\\u{:04x}", u32::from(c)));
            } else {
                self.0.push(c);
            }
        }
        self
    }

    /// Adds the line that closes a fenced code block: a run of one fence character, and nothing else.
    pub fn fence(&mut self, fence: &str) -> &mut Self {
        self.0.extend(fence.chars().filter(|c| matches!(c, '`' | '~')));
        self
    }

    /// Adds the hex digits of a hash, and nothing else.
    pub fn hex(&mut self, hash: &str) -> &mut Self {
        self.0.extend(hash.chars().filter(|c| matches!(c, '0'..='9' | 'a'..='f')));
        self
    }

    /// Whether the text is empty.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the text so far.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the text and empties the buffer.
    pub fn finish(&mut self) -> Clean {
        Clean(std::mem::take(&mut self.0).into())
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn words_are_read_out_of_markup_but_not_put_together_from_letters() {
        let text = Clean::literal("# The **Ca**che [of `Vec<T>`](https://x.org/y)s, v1.0 &amp; İstanbul");
        for words in ["the-cache-of-vect", "The Cache of Vec<T>s, v1.0 & İstanbul", "v10", "cache", "", "vecs"] {
            assert!(text.read_out(words).is_some(), "{words}");
        }
        for words in ["tches", "ch of hche", "cache the", "the cache v2", "thecache2", "atche"] {
            assert!(text.read_out(words).is_none(), "{words}");
        }
        assert!(text.read_out(&"the cache of istanbul".to_lowercase()).is_some());
    }

    #[test]
    fn one_line_stays_one_for_every_reader() {
        let text = Clean::literal("a\nb\r\nc\u{b}d\u{c}e\u{85}f\u{2028}\u{2029}g");
        assert_eq!(CleanBuf::new().line(&text).as_str(), "a b c d e f g");
        let json = CleanBuf::new().json(&text).finish();
        assert!(!json.chars().any(is_line_end), "{json}");
        assert_eq!(serde_json::from_str::<String>(&json).unwrap(), text.as_str());
    }
}
