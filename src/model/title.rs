//! Titles in lists and sentences: on one line, and unable to end the quotes around them.

use super::{floor_cluster, is_hidden};
use std::borrow::Cow;

/// The longest part of an untrusted title that is shown, in characters.
const SHORT: usize = 40;

/// Returns a title for a line of Markdown.
///
/// White space and invisible characters become single spaces; `&`, `<`, `>` and `"` become entities.
pub fn title_in_line(title: &str) -> String {
    escape_markup(&on_one_line(title)).into_owned()
}

/// Returns an untrusted title for a heading of its own: on one line, with nothing that nobody sees, and as its author wrote it.
pub fn heading_in_line(title: &str) -> String {
    on_one_line(title)
}

/// Returns the first 40 characters of an untrusted title for a line of Markdown, escaped like [`title_in_line`].
pub fn short_title_in_line(title: &str) -> String {
    let line = on_one_line(title);
    match line.char_indices().nth(SHORT) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_title_ends_neither_its_quotes_nor_its_line() {
        let title = "a\" (x)\n- b\u{2028}c\u{2029}d\u{85}e\r</section>\u{202e}&";
        assert_eq!(title_in_line(title), "a&quot; (x) - b c d e &lt;/section&gt; &amp;");
    }

    #[test]
    fn a_strangers_title_is_cut_before_it_is_escaped() {
        assert_eq!(short_title_in_line(&"&".repeat(40)), "&amp;".repeat(40));
        assert_eq!(short_title_in_line(&"&".repeat(41)), "&amp;".repeat(40) + "…");
        assert_eq!(short_title_in_line(&format!("{} b", "a".repeat(39))), "a".repeat(39) + "…");
    }

    proptest! {
        #[test]
        fn no_title_holds_what_ends_it(title in "[\\PC\\s\"<>&\u{2028}\u{2029}\u{85}\u{1b}]{0,60}") {
            for line in [title_in_line(&title), short_title_in_line(&title)] {
                prop_assert!(!line.contains(['"', '<', '>']) && !line.contains(is_hidden), "{line:?}");
                prop_assert!(!line.contains(|c: char| c.is_whitespace() && c != ' '), "{line:?}");
            }
        }
    }
}
