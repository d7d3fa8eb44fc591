//! The cutting of a large text into parts that are parsed one by one, so that memory stays bounded.

use std::ops::Range;

/// A text up to this many bytes is one part.
const WHOLE: usize = 1 << 20;
/// A part of a larger text ends at the first heading or empty line after this many bytes,
const SOFT: usize = 256 << 10;
/// or at the first line end after this many, whatever stands there.
const HARD: usize = 4 << 20;

/// Returns the parts of a text, in order and without gaps.
///
/// A part ends where Markdown begins anew: before an empty line that is in no fenced code block and no comment, and not
/// within a list. Only a block of more than 4 MiB is cut inside.
pub(super) fn chunks(text: &str) -> Vec<Range<usize>> {
    if text.len() <= WHOLE {
        return std::iter::once(0..text.len()).collect();
    }
    let mut parts = Vec::new();
    let (mut start, mut at) = (0, 0);
    let mut fence: Option<(char, usize)> = None;
    let mut in_comment = false;
    let mut after_empty = false;
    for line in text.split_inclusive('\n') {
        let size = at - start;
        let is_new = after_empty && fence.is_none() && !in_comment && line.starts_with(|c: char| !c.is_whitespace());
        let continues_list = line.starts_with(['-', '*', '+']) || line.starts_with(|c: char| c.is_ascii_digit());
        if size >= HARD || size >= SOFT && is_new && !continues_list {
            parts.push(start..at);
            start = at;
            fence = None;
            in_comment = false;
        }
        let bare = line.trim_start();
        match (fence, bare.chars().next().filter(|c| matches!(c, '`' | '~'))) {
            (None, Some(mark)) => {
                let length = bare.chars().take_while(|c| *c == mark).count();
                fence = (length >= 3).then_some((mark, length));
            }
            (Some((mark, length)), Some(_)) => {
                let closes = bare.chars().take_while(|c| *c == mark).count() >= length;
                if closes && bare.trim_end().chars().all(|c| c == mark) {
                    fence = None;
                }
            }
            _ => {}
        }
        if fence.is_none() {
            in_comment = match (line.rfind("<!--"), line.rfind("-->")) {
                (Some(open), close) => close.is_none_or(|close| close < open),
                (None, Some(_)) => false,
                (None, None) => in_comment,
            };
        }
        after_empty = bare.is_empty();
        at += line.len();
    }
    parts.push(start..text.len());
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_have_no_gaps_and_leave_fences_whole() {
        let piece =
            "# Heading\n\ntext\n\n```\ncode\n\n# no heading\n```\n\n<!-- hidden\n\n# hidden\n-->\n\n- a\n\n- b\n\n";
        let text = piece.repeat(40_000);
        let parts = chunks(&text);
        assert!(parts.len() > 5, "{}", parts.len());
        let mut end = 0;
        for part in &parts {
            assert_eq!(part.start, end);
            let first = text[part.clone()].lines().next().unwrap_or_default();
            assert!(["# Heading", "text", "```", "<!-- hidden"].contains(&first), "{first}");
            end = part.end;
        }
        assert_eq!(end, text.len());
        assert_eq!(chunks(&"x".repeat(10 << 20)).len(), 1, "one line is one part");
    }
}
