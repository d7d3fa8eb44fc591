//! Grapheme clusters: what a reader sees as one character, and a cut must not divide.

use regex::Regex;
use std::sync::LazyLock;

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
