//! Quotations: slices of clean text for evidence, messages and omissions.

use crate::model::is_line_end;
use crate::redact::{Clean, CleanBuf};
use std::cell::{Cell, OnceCell};

/// How many bytes after the beginning of its line, or the last match, a word is searched.
const WINDOW: usize = 1 << 16;
/// How many bytes are searched for one text in total.
const EFFORT: usize = 1 << 25;
const LONGEST: usize = 200;

/// Finds words of a parsed text in the clean text, so that the quotation is clean; fastest in text order.
pub(super) struct Quoter<'a> {
    text: &'a Clean,
    lines: OnceCell<Vec<usize>>,
    /// The line that was searched last, and where its last match ends.
    cursor: Cell<(u32, usize)>,
    effort: Cell<usize>,
}

impl<'a> Quoter<'a> {
    pub(super) fn of(text: &'a Clean) -> Self {
        Self { text, lines: OnceCell::new(), cursor: Cell::default(), effort: Cell::new(EFFORT) }
    }

    /// Returns the first of `words` at or shortly after `line`; the search is bounded, whatever the text.
    pub(super) fn find(&self, line: u32, words: &[&str]) -> Option<Clean> {
        let begin = self.begin_of(line)?;
        let cursor = Some(self.cursor.get()).filter(|(last, _)| *last == line).map_or(begin, |(_, end)| end);
        for start in [cursor, begin] {
            for word in words.iter().filter(|word| !word.is_empty()) {
                if self.effort.get() == 0 {
                    return None;
                }
                let end = floor(self.text, start + WINDOW + word.len());
                let found = self.text[start..end].find(word);
                self.effort.set(self.effort.get().saturating_sub(found.unwrap_or(end - start)));
                if let Some(at) = found {
                    self.cursor.set((line, start + at + word.len()));
                    return Some(short(self.text, start + at, word.len()));
                }
            }
        }
        None
    }

    /// Returns the quotation of [`Quoter::find`], or the beginning of the line if there is none.
    pub(super) fn find_or_line(&self, line: u32, words: &[&str]) -> Clean {
        self.find(line, words).unwrap_or_else(|| {
            let begin = self.begin_of(line).unwrap_or(self.text.len());
            let start = &self.text[begin..floor(self.text, begin + LONGEST)];
            short(self.text, begin, start.find('\n').unwrap_or(start.len())).trimmed()
        })
    }

    fn begin_of(&self, line: u32) -> Option<usize> {
        let begins = || std::iter::once(0).chain(self.text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        let index = usize::try_from(line.saturating_sub(1)).unwrap_or(usize::MAX);
        self.lines.get_or_init(begins).get(index).copied()
    }
}

pub(super) fn shortened(text: &Clean) -> Clean {
    short(text, 0, text.len())
}

/// Returns a value for a message: on one line, and at most 200 bytes long.
pub(super) fn one_line(text: &str) -> String {
    let end = floor(text, LONGEST);
    let more = if end < text.len() { "…" } else { "" };
    let visible = |c: char| if c.is_control() || is_line_end(c) { ' ' } else { c };
    let line: String = text[..end].chars().map(visible).collect();
    line + more
}

fn short(text: &Clean, start: usize, length: usize) -> Clean {
    if length <= LONGEST {
        return text.slice(start..start + length);
    }
    CleanBuf::new().text(&text.slice(start..floor(text, start + LONGEST))).lit("…").finish()
}

fn floor(text: &str, at: usize) -> usize {
    text.floor_char_boundary(at.min(text.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_on_their_line_and_in_order_or_else_the_line_is_quoted() {
        let text = Clean::literal("one two\nthree two two\n b &amp; c\n");
        let quotes = Quoter::of(&text);
        for end in [17, 21] {
            assert_eq!(quotes.find(2, &["two"]).as_deref(), Some("two"));
            assert_eq!(quotes.cursor.get(), (2, end));
        }
        assert_eq!(quotes.find(9, &["two"]), None);
        assert_eq!(&*quotes.find_or_line(3, &["b & c"]), "b &amp; c");
        assert_eq!(&*quotes.find_or_line(9, &["x"]), "");
    }

    #[test]
    fn a_missing_word_is_searched_within_a_bound() {
        let text = Clean::literal("ADR 1 ".repeat(50_000).leak());
        let quotes = Quoter::of(&text);
        assert!((0..50_000).all(|_| quotes.find(1, &["ADR-1"]).is_none()));
        assert_eq!(quotes.effort.get(), 0);
    }
}
