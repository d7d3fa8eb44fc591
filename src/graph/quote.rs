//! Quotations: slices of clean text for evidence, messages and omissions.

use crate::model::is_line_end;
use crate::redact::Clean;

/// How many bytes after the beginning of its line, or the last match, a word is searched.
const WINDOW: usize = 1 << 16;

/// How many bytes are searched for one text in total.
const EFFORT: usize = 1 << 25;

/// The longest quotation, in bytes.
const LONGEST: usize = 200;

/// Finds words of a parsed text in the clean text, so that the quotation is clean; fastest in text order.
pub(super) struct Quoter<'a> {
    text: &'a Clean,
    /// Where each line begins; computed when first needed.
    lines: Vec<usize>,
    line: u32,
    cursor: usize,
    effort: usize,
}

impl<'a> Quoter<'a> {
    pub(super) fn of(text: &'a Clean) -> Self {
        Self { text, lines: Vec::new(), line: 0, cursor: 0, effort: EFFORT }
    }

    /// Returns the first of `words` at or shortly after `line` (from 1), or `None` if there is none.
    ///
    /// The search is bounded, whatever the text. Callers have another quotation for words that a hostile text puts beyond
    /// the bound.
    pub(super) fn find(&mut self, line: u32, words: &[&str]) -> Option<Clean> {
        if self.lines.is_empty() {
            self.lines = std::iter::once(0).chain(self.text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        }
        let index = usize::try_from(line.saturating_sub(1)).unwrap_or(usize::MAX);
        let begin = *self.lines.get(index)?;
        if line != self.line {
            (self.line, self.cursor) = (line, begin);
        }
        for start in [self.cursor, begin] {
            for word in words.iter().filter(|word| !word.is_empty()) {
                if self.effort == 0 {
                    return None;
                }
                let end = floor(self.text, start + WINDOW + word.len());
                let found = self.text[start..end].find(word);
                self.effort = self.effort.saturating_sub(found.unwrap_or(end - start));
                if let Some(at) = found {
                    self.cursor = start + at + word.len();
                    return Some(short(self.text, start + at, word.len()));
                }
            }
        }
        None
    }

    /// Returns the quotation of [`Quoter::find`], or the beginning of the line if there is none.
    pub(super) fn find_or_line(&mut self, line: u32, words: &[&str]) -> Clean {
        self.find(line, words).unwrap_or_else(|| {
            let index = usize::try_from(line.saturating_sub(1)).unwrap_or(usize::MAX);
            let begin = self.lines.get(index).copied().unwrap_or(self.text.len());
            let start = &self.text[begin..floor(self.text, begin + LONGEST)];
            short(self.text, begin, start.find('\n').unwrap_or(start.len())).trimmed()
        })
    }
}

/// Returns the beginning of a text that may be long, for a message or an omission.
pub(super) fn shortened(text: &Clean) -> Clean {
    short(text, 0, text.len())
}

/// Returns a value for a message: on one line, and at most 200 bytes long.
pub(super) fn one_line(text: &str) -> String {
    let end = text.floor_char_boundary(text.len().min(200));
    let more = if end < text.len() { "…" } else { "" };
    let visible = |c: char| if c.is_control() || is_line_end(c) { ' ' } else { c };
    let line: String = text[..end].chars().map(visible).collect();
    line + more
}

fn short(text: &Clean, start: usize, length: usize) -> Clean {
    let end = if length > LONGEST { floor(text, start + LONGEST) } else { start + length };
    text.slice(start..end)
}

/// Returns the last character boundary at or before `at`.
fn floor(text: &str, at: usize) -> usize {
    text.floor_char_boundary(at.min(text.len()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::samples::clean;

    #[test]
    fn words_are_found_on_their_line_and_in_order() {
        let text = Clean::literal("one two\nthree two two\n");
        let mut quotes = Quoter::of(&text);
        assert_eq!(quotes.find(2, &["two"]).as_deref(), Some("two"));
        assert_eq!(quotes.cursor, 17);
        assert_eq!(quotes.find(2, &["two"]).as_deref(), Some("two"));
        assert_eq!(quotes.cursor, 21);
        assert_eq!(quotes.find(9, &["two"]), None);
    }

    #[test]
    fn what_is_nowhere_is_looked_for_within_a_bound() {
        let text = clean(&"ADR 1 ".repeat(50_000));
        let mut quotes = Quoter::of(&text);
        let started = std::time::Instant::now();
        let found = (0..50_000).filter(|_| quotes.find(1, &["ADR-1"]).is_some()).count();
        assert_eq!((found, quotes.effort), (0, 0));
        assert!(started.elapsed().as_secs() < 20, "{:?}", started.elapsed());
    }

    #[test]
    fn what_is_not_there_is_quoted_by_its_line() {
        let text = Clean::literal("a\n b &amp; c\n");
        assert_eq!(&*Quoter::of(&text).find_or_line(2, &["b & c"]), "b &amp; c");
        assert_eq!(&*Quoter::of(&text).find_or_line(7, &["x"]), "");
    }
}
