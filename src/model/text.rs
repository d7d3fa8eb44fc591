//! Lines, hidden characters, titles of texts, and grapheme clusters: what a reader sees as one character, and a cut must not divide.

use percent_encoding::percent_decode_str;
use regex::Regex;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::sync::LazyLock;

/// The byte offsets at which the lines of a text begin.
#[derive(Debug, Default)]
pub struct LineStarts(Vec<usize>);

impl LineStarts {
    pub fn of(text: &str) -> Self {
        let after_breaks = memchr::memchr_iter(b'\n', text.as_bytes()).map(|at| at + 1);
        Self(std::iter::once(0).chain(after_breaks).collect())
    }

    /// Returns the line, from 1, that holds the byte at `offset`.
    pub fn line(&self, offset: usize) -> u32 {
        u32::try_from(self.0.partition_point(|start| *start <= offset)).unwrap_or(u32::MAX)
    }

    /// Returns the first byte of the line that holds the byte at `offset`.
    pub fn start_of(&self, offset: usize) -> usize {
        let after = self.0.partition_point(|start| *start <= offset);
        self.0.get(after.saturating_sub(1)).copied().unwrap_or(0)
    }

    /// Returns the lines of `text` from `first` up to, but not including, `end`; to the end of the text if `None`.
    pub fn between<'a>(&self, text: &'a str, first: u32, end: Option<u32>) -> &'a str {
        let at = |line: u32| self.0.get(line.saturating_sub(1) as usize).copied().unwrap_or(text.len());
        let (start, end) = (at(first), end.map_or(text.len(), at));
        text.get(start..end.max(start)).unwrap_or_default()
    }
}

/// A range of lines, both ends included, counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct LineRange {
    pub first: u32,
    pub last: u32,
}

impl LineRange {
    /// Creates a range; `None` if there is no line 0 or the ends are in the wrong order.
    pub fn new(first: u32, last: u32) -> Option<Self> {
        (first > 0 && first <= last).then_some(Self { first, last })
    }
}

/// Line ends that redaction removed within one line of the redacted text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct RemovedLines {
    /// The line of the redacted text, from 1.
    pub line: u32,
    pub lines: u32,
}

/// Returns whether a reader of a text obeys or hides `c` instead of showing it.
///
/// These are controls, bidirectional marks, line separators, fillers and invisible tags. Joiners and variation selectors
/// are not among them: emoji and scripts need them.
pub fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180e}'
            | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}'
            | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

/// Parses a limit: a number, or thousands followed by `k`. `None` if it is 0 or no JSON reader can represent it.
pub fn parse_limit(text: &str) -> Option<u64> {
    parse_amount(text.trim()).filter(|number| (1..1 << 53).contains(number))
}

pub fn parse_amount(text: &str) -> Option<u64> {
    let (digits, factor) = text.strip_suffix(['k', 'K']).map_or((text, 1), |digits| (digits, 1000));
    let is_number = digits.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| digits.parse::<u64>().ok()?.checked_mul(factor)).flatten()
}

/// Returns whether some program treats `c` as the end of a line.
pub fn is_line_end(c: char) -> bool {
    matches!(c, '\n' | '\u{b}' | '\u{c}' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// Returns a text with LF line ends and without a byte-order mark.
pub fn with_line_feeds(text: &str) -> String {
    text.strip_prefix('\u{feff}').unwrap_or(text).replace("\r\n", "\n").replace('\r', "\n")
}

/// Decodes percent-encoding such as `%20`; `None` if the result is not UTF-8. A `%` without two hexadecimal digits stays.
pub fn percent_decoded(text: &str) -> Option<String> {
    percent_decode_str(text).decode_utf8().ok().map(Cow::into_owned)
}

/// Joins the texts that stand above all frames of a rendering; one alone stays as it is.
pub fn joined_instructions<'t>(texts: &[&'t str]) -> Cow<'t, str> {
    if let [only] = texts {
        return Cow::Borrowed(only);
    }
    let texts = texts.iter().map(|text| text.trim()).filter(|text| !text.is_empty());
    Cow::Owned(texts.collect::<Vec<_>>().join("\n\n"))
}

/// The longest part of an untrusted title that is shown, in characters.
const SHORT_TITLE: usize = 40;

/// Returns a title for a line of Markdown.
///
/// White space and invisible characters become single spaces; `<` and `"` become entities, and `&` where it would begin one.
pub fn title_in_line(title: &str) -> String {
    escape_markup(&on_one_line(title)).replace("&gt;", ">").replace("&amp; ", "& ")
}

/// Returns an untrusted title for a heading of its own: on one line, with nothing that nobody sees, and as its author wrote it.
pub fn heading_in_line(title: &str) -> String {
    on_one_line(title)
}

/// Returns the first 40 characters of an untrusted title for a line of Markdown, with `&`, `<`, `>` and `"` as entities.
pub fn short_title_in_line(title: &str) -> String {
    let line = on_one_line(title);
    match line.char_indices().nth(SHORT_TITLE) {
        Some((end, _)) => escape_markup(line[..floor_cluster(&line, end)].trim_end()).into_owned() + "…",
        None => escape_markup(&line).into_owned(),
    }
}

fn on_one_line(text: &str) -> String {
    let words = text.split(|c: char| c.is_whitespace() || is_hidden(c)).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ")
}

/// Replaces `&`, `<`, `>` and `"` with entities, so that the text can neither open a tag nor end an attribute or a quote.
pub(crate) fn escape_markup(text: &str) -> Cow<'_, str> {
    if !text.contains(['&', '<', '>', '"']) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c => out.push(c),
        }
    }
    Cow::Owned(out)
}

/// One extended grapheme cluster of Unicode (UAX 29), with what a virama joins in one, whichever script it belongs to.
static CLUSTER: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?xs)
        \r\n
        | \p{gcb=Prepend}*
          (?: \p{gcb=RI}{2}
            | \p{gcb=L}* (?: \p{gcb=LVT} | (?: \p{gcb=LV} | \p{gcb=V} ) \p{gcb=V}* ) \p{gcb=T}*
            | \p{gcb=L}+ | \p{gcb=T}+
            | \p{Extended_Pictographic} (?: \p{gcb=Extend}* \p{gcb=ZWJ} \p{Extended_Pictographic} )*
            | \p{L} (?: [\p{gcb=Extend}\p{gcb=ZWJ}]*
                [\u{94d}\u{9cd}\u{a4d}\u{acd}\u{b4d}\u{bcd}\u{c4d}\u{ccd}\u{d4d}\u{dca}\u{1039}\u{17d2}\u{1a60}\u{1b44}\u{1bab}\u{a9c0}\u{aaf6}]
                [\p{gcb=Extend}\p{gcb=ZWJ}]* \p{L} )+
            | . )
          [\p{gcb=Extend}\p{gcb=ZWJ}\p{gcb=SpacingMark}]*",
    )
    .ok()
});

/// Returns the logarithm of a positive number to base 2. Unlike the one of the platform it has the same bits everywhere: it only
/// adds, multiplies and divides.
pub fn log2(number: f64) -> f64 {
    const FRACTION: u64 = (1 << 52) - 1;
    let (exponent, one) = (number.to_bits() >> 52, 1.0_f64.to_bits());
    let part = f64::from_bits(number.to_bits() & FRACTION | one);
    let t = (part - 1.0) / (part + 1.0);
    let series = (0..16).rev().fold(0.0, |sum, term| sum * t * t + 1.0 / f64::from(2 * term + 1));
    2.0 * t * series / std::f64::consts::LN_2 + exponent as f64 - (one >> 52) as f64
}

/// The characters before a cut in which a place is looked for where clusters can be counted from.
const LOOKED_BACK: usize = 64;

/// Returns the last place at or before `at`, a character boundary, that divides no grapheme cluster and has no joiner before
/// it, which would join nothing.
pub fn floor_cluster(text: &str, at: usize) -> usize {
    let end = match text[at..].chars().next() {
        // Nothing joins an ASCII character to the one before it, nor the end of a text.
        None => at,
        Some(next) if next.is_ascii() && !text[..at].ends_with('\r') => at,
        Some(_) => {
            let start = start_of_count(&text[..at]);
            let clusters = CLUSTER.iter().flat_map(|cluster| cluster.find_iter(&text[start..]));
            clusters.map(|cluster| start + cluster.end()).take_while(|end| *end <= at).last().unwrap_or(start)
        }
    };
    text[..end].trim_end_matches(['\u{200c}', '\u{200d}', '\u{180e}']).len()
}

/// Returns a place from which clusters can be counted up to the end of `text`: an ASCII character, or one so far back that
/// counting finds the right places again. A row of flags can only be counted from its beginning.
fn start_of_count(text: &str) -> usize {
    let is_half_flag = |c: char| ('\u{1f1e6}'..='\u{1f1ff}').contains(&c);
    let mut far = text.char_indices().rev().enumerate();
    far.find(|(back, (_, c))| c.is_ascii() || *back >= LOOKED_BACK && !is_half_flag(*c)).map_or(0, |(_, (at, _))| at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn no_title_holds_what_ends_it(title in "[\\PC\\s\"<>&\u{2028}\u{2029}\u{85}\u{1b}]{0,60}") {
            for line in [title_in_line(&title), short_title_in_line(&title)] {
                prop_assert!(!line.contains(['"', '<']) && !line.contains(is_hidden), "{line:?}");
                prop_assert!(!line.contains(|c: char| c.is_whitespace() && c != ' '), "{line:?}");
            }
        }
    }

    #[test]
    fn long_rows_are_counted_from_a_place_that_is_right() {
        for cluster in ["🇩🇪", "👨\u{200d}👩\u{200d}👧", "क\u{94d}षि", "한"] {
            let row = cluster.repeat(500);
            for (at, _) in row.char_indices().skip(600) {
                assert_eq!(floor_cluster(&row, at), at - at % cluster.len(), "{at} of {cluster}");
            }
        }
    }
}
