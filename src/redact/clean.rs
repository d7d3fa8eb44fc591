//! Text that has passed the door.

use crate::model::{is_line_end, short_title_in_line, title_in_line};
use std::fmt;
use std::ops::{Deref, Range};
use std::sync::Arc;

/// Text without secrets. Only `redact` can make one from raw text; everyone
/// else may cut and join those that exist.
///
/// Cheap to clone: packs share one text.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Clean(Arc<str>);

impl Clean {
    /// Vouches that `text` was scrubbed: for the scrubbing code of this room alone.
    pub(super) fn vouched(text: impl Into<Arc<str>>) -> Self {
        Self(text.into())
    }

    /// Our own words, written in the source code.
    pub fn literal(text: &'static str) -> Self {
        Self(text.into())
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// A part of a clean text is clean. Panics as slicing a `str` does.
    #[must_use]
    pub fn slice(&self, range: Range<usize>) -> Self {
        if range == (0..self.0.len()) {
            return self.clone();
        }
        Self(self.0[range].into())
    }

    /// What a parser read out of this text, such as a heading without its markup or its anchor; the
    /// text itself vouches for it. `None` where the letters and digits of `words` do not stand in this
    /// text in their order (case aside), as with an entity that spells something else.
    pub fn read_out(&self, words: &str) -> Option<Self> {
        let mut source = self.0.chars().flat_map(char::to_lowercase);
        words
            .chars()
            .filter(|c| c.is_alphanumeric())
            .flat_map(char::to_lowercase)
            .all(|wanted| source.any(|c| c == wanted))
            .then(|| Self(words.into()))
    }

    /// Without white space at both ends.
    #[must_use]
    pub fn trimmed(&self) -> Self {
        let text = self.0.trim();
        let start = text.as_ptr() as usize - self.0.as_ptr() as usize;
        self.slice(start..start + text.len())
    }
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

/// Joins clean texts, our own words and numbers into a new clean text.
#[derive(Debug, Default, Clone)]
pub struct CleanBuf(String);

impl CleanBuf {
    /// An empty text.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds our own words.
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

    /// Adds the beginning of a title that anybody could write, in the same form.
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
    pub fn json_part(&mut self, text: &Clean, range: Range<usize>) -> &mut Self {
        // JSON lets some of these stand as they are; others are escaped already.
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

    /// Whether nothing was added yet.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// What stands there so far.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The joined text; the buffer is empty again.
    pub fn finish(&mut self) -> Clean {
        Clean(std::mem::take(&mut self.0).into())
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn one_line_stays_one_for_every_reader() {
        let text = Clean::literal("a\nb\r\nc\u{b}d\u{c}e\u{85}f\u{2028}\u{2029}g");
        assert_eq!(CleanBuf::new().line(&text).as_str(), "a b c d e f g");
        let json = CleanBuf::new().json(&text).finish();
        assert!(!json.chars().any(is_line_end), "{json}");
        assert_eq!(serde_json::from_str::<String>(&json).unwrap(), text.as_str());
    }
}
