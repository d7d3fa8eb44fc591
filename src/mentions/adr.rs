//! The number and the status of an ADR.

use crate::markdown::Outline;
use crate::markdown::front_matter::front_matter;
use crate::model::is_typographic_hyphen;
use std::ops::Range;

/// Returns the number of an ADR by its file name; numbers in its title do not count.
///
/// A date is no number: `2022-08-02_020-x.md` is 20, `20200924-x.md` has none.
pub fn adr_number(file_name: &str) -> Option<u64> {
    let name = undated(file_name);
    let letters = name.len() - name.trim_start_matches(|c: char| c.is_ascii_alphabetic()).len();
    let prefix = name[..letters].to_ascii_lowercase();
    if !matches!(prefix.as_str(), "" | "adr" | "madr" | "dr" | "decision") {
        return None;
    }
    let rest = &name[letters..];
    let separates = |c| matches!(c, '-' | '_' | ' ' | '#') || is_typographic_hyphen(c);
    let digits = match rest.strip_prefix(separates) {
        Some(after) if letters > 0 => undated(after),
        _ => rest,
    };
    let length = digits.bytes().take_while(u8::is_ascii_digit).count();
    let ends = digits[length..].chars().next().is_none_or(|c| !c.is_alphanumeric());
    // Eight digits are a date, or no number that people give.
    (length > 0 && length < 8 && ends).then(|| digits[..length].parse().ok())?
}

/// Returns the text without the date that a name begins with; a name that is a date and words has no digits left.
fn undated(name: &str) -> &str {
    let bytes = name.as_bytes();
    let digits = |range: Range<usize>| bytes.get(range).is_some_and(|part| part.iter().all(u8::is_ascii_digit));
    let dash = |at: usize| bytes.get(at) == Some(&b'-');
    let length = if digits(0..4) && dash(4) && digits(5..7) && dash(7) && digits(8..10) {
        10
    } else if digits(0..8) && bytes.get(8).is_none_or(|byte| !byte.is_ascii_digit()) {
        8
    } else {
        return name;
    };
    name[length..].trim_start_matches(['-', '_', ' '])
}

/// Returns the status of an ADR: the bytes of its text, and their line.
///
/// It is looked for in the front matter, under a `Status` heading, in a line such as `* Status: **Accepted**` and in the
/// row of a table, in this order.
pub fn adr_status(text: &str, outline: &Outline) -> Option<(Range<usize>, u32)> {
    in_front_matter(text)
        .or_else(|| under_heading(text, outline))
        .or_else(|| in_line(text, outline))
        .filter(|(range, _)| !range.is_empty())
}

/// Returns a status without Markdown: `superseded by [ADR-0042](0042-x.md)` → `superseded by ADR-0042`.
pub fn without_markup(status: &str) -> String {
    let mut plain = String::with_capacity(status.len());
    let mut rest = status;
    while let Some((before, link)) = rest.split_once('[') {
        plain.push_str(before);
        let Some((title, after)) = link.split_once(']') else {
            rest = link;
            break;
        };
        plain.push_str(title);
        let target = after.strip_prefix('(').and_then(|target| target.split_once(')'));
        let label = || after.strip_prefix('[').and_then(|label| label.split_once(']'));
        rest = target.or_else(label).map_or(after, |(_, after)| after);
    }
    plain.push_str(rest);
    let plain = plain.replace(['*', '`', '~'], "");
    plain.trim_matches(|c: char| c == '_' || c.is_whitespace()).to_owned()
}

fn in_front_matter(text: &str) -> Option<(Range<usize>, u32)> {
    let yaml = front_matter(text)?.yaml;
    let mut lines = placed(text, yaml, 2);
    lines.find_map(|(start, number, line)| {
        let value = after_label(line, "status")?;
        let from = start + (line.len() - value.len());
        let end = value.find(" #").unwrap_or(value.len());
        let value = if value.starts_with('#') { "" } else { &value[..end] };
        bare(value, from, number)
    })
}

fn under_heading(text: &str, outline: &Outline) -> Option<(Range<usize>, u32)> {
    outline.headings.iter().enumerate().find_map(|(index, heading)| {
        let block = outline.blocks.get(heading.block)?;
        if let Some(value) = after_label(&heading.title, "status").map(str::trim_end).filter(|value| !value.is_empty())
        {
            let at = text.get(block.range.clone())?.find(value)?;
            return bare(value, block.range.start + at, heading.line);
        }
        if !heading.title.trim_end_matches(':').trim().eq_ignore_ascii_case("status") {
            return None;
        }
        let end = outline.headings.get(index + 1).map_or(outline.blocks.len(), |next| next.block);
        let blocks = outline.blocks.get(heading.block + 1..end)?;
        blocks.iter().filter(|block| block.prose || block.fence.is_none()).find_map(|block| {
            let lines = placed(text, block.range.clone(), block.line);
            first_content_line(lines)
        })
    })
}

/// Returns the first line with content outside HTML comments.
fn first_content_line<'a>(lines: impl Iterator<Item = (usize, u32, &'a str)>) -> Option<(Range<usize>, u32)> {
    let mut hidden = false;
    for (start, number, line) in lines {
        if hidden || line.trim_start().starts_with("<!--") {
            hidden = !line.contains("-->");
            continue;
        }
        if let Some(found) = bare(line, start, number) {
            return Some(found);
        }
    }
    None
}

fn in_line(text: &str, outline: &Outline) -> Option<(Range<usize>, u32)> {
    // Further down, `Status:` is about other things.
    let mut parts = outline.headings.iter().filter(|heading| heading.level > 1);
    let end = parts.nth(1).map_or(outline.blocks.len(), |second| second.block);
    let blocks = outline.blocks.iter().take(end).filter(|block| block.fence.is_none());
    blocks.flat_map(|block| placed(text, block.range.clone(), block.line)).find_map(|(start, number, line)| {
        if line.starts_with("    ") || line.starts_with('\t') {
            return None;
        }
        let item = line.trim_start().trim_start_matches(['*', '-', '+', '_', '|', ' ']);
        let value = after_label(item, "status").or_else(|| cell_after(line, item))?;
        let from = start + (line.len() - value.len());
        bare(value.trim_end_matches([' ', '|']), from, number)
    })
}

/// Returns the text after `label` and a colon; marks around the label are ignored.
fn after_label<'a>(line: &'a str, label: &str) -> Option<&'a str> {
    let rest = line.get(label.len()..).filter(|_| line[..label.len()].eq_ignore_ascii_case(label))?;
    let rest = rest.trim_start_matches(['*', '_', ' ', '"', '\'']).strip_prefix(':')?;
    Some(rest.trim_start_matches(['*', '_']).trim_start())
}

/// Returns the cell after `Status` in a table's row.
fn cell_after<'a>(line: &str, item: &'a str) -> Option<&'a str> {
    if !line.trim_start().starts_with('|') {
        return None;
    }
    let (name, rest) = item.split_once('|')?;
    let named = name.trim_matches(['*', '_', ' ']).eq_ignore_ascii_case("status");
    named.then_some(rest)
}

/// Returns the range of the text without marks, quotes and comments around it, or `None` if nothing is left.
fn bare(text: &str, start: usize, line: u32) -> Option<(Range<usize>, u32)> {
    let before = [' ', '\t', '\n', '*', '_', '-', '+', '>', '"', '\'', '{', '`', '#', '|'];
    let after = [' ', '\t', '\n', '*', '_', '"', '\'', '}', '`', '|'];
    let tail = text.trim_start_matches(before);
    let from = start + (text.len() - tail.len());
    let seen = tail.split("<!--").next().unwrap_or_default().trim_end();
    let core = seen.trim_end_matches(['.', ',']).trim_end_matches(after);
    core.chars().any(char::is_alphanumeric).then(|| (from..from + core.len(), line))
}

/// Returns the lines of a part of a text that begins on `line`: where each begins, its number, its text.
fn placed(text: &str, range: Range<usize>, line: u32) -> impl Iterator<Item = (usize, u32, &str)> {
    let mut start = range.start;
    let part = text.get(range).unwrap_or_default();
    part.split_inclusive('\n').zip(line..).map(move |(piece, number)| {
        let at = start;
        start += piece.len();
        (at, number, piece.trim_end_matches('\n'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_loses_its_markup() {
        for (status, plain) in [
            ("superseded by [ADR-0042](0042-x.md)", "superseded by ADR-0042"),
            ("**Accepted**", "Accepted"),
            ("~~proposed~~ [rejected][1] in `v2`", "proposed rejected in v2"),
            ("_deprecated_", "deprecated"),
            ("[open", "open"),
            ("", ""),
        ] {
            assert_eq!(without_markup(status), plain, "{status}");
        }
    }

    #[test]
    fn the_file_name_gives_the_number() {
        let cases = [
            ("0001-x.md", Some(1)),
            ("adr-001-x.md", Some(1)),
            ("ADR-0118-x.md", Some(118)),
            ("ADR-0094.md", Some(94)),
            ("adr012.md", Some(12)),
            ("ADR\u{2011}0012\u{2011}x.md", Some(12)),
            ("2022-08-02_020-x.md", Some(20)),
            ("20200924-0007-x.md", Some(7)),
            ("0003-日本-c++ → d.md.md", Some(3)),
            ("20200924-x.md", None),
            ("2022-08-02-x.md", None),
            ("template.md", None),
            ("ADR-XXXX-x.md", None),
            ("001x.md", None),
            ("adr-draft-2-x.md", None),
            ("", None),
        ];
        for (name, number) in cases {
            assert_eq!(adr_number(name), number, "{name}");
        }
    }

    fn status(text: &str) -> Option<(String, u32)> {
        adr_status(text, &Outline::read(text)).map(|(range, line)| (text[range].to_owned(), line))
    }

    #[test]
    fn the_status_is_found_where_people_write_it() {
        let cases = [
            ("---\nstatus: accepted # now\n---\n# A\n", "accepted", 2),
            ("---\nstatus: {proposed}\n---\n", "proposed", 2),
            ("---\nstatus: \"Accepted\"\n---\n\n## Status\n\nRejected\n", "Accepted", 2),
            ("# A\n\n## Status\n\nSuperseded by [9](0009-x.md)\n\nMore\n", "Superseded by [9](0009-x.md)", 5),
            ("# A\n\nStatus\n------\n<!-- one of\nmany -->\n\n**Accepted**.\n", "Accepted", 8),
            ("# A\n\n## Status: Draft\n", "Draft", 3),
            ("# A\n\n* Status: accepted\n* Date: x\n", "accepted", 3),
            ("# A\n\n- Date: x\n- **Status:** **Accepted**\n", "Accepted", 4),
            ("# A\n\n**Status**: Accepted in <https://e.org/1>\n", "Accepted in <https://e.org/1>", 3),
            ("# A\n\n| Status | Proposed |\n|---|---|\n", "Proposed", 3),
        ];
        for (text, expected, line) in cases {
            assert_eq!(status(text), Some((expected.to_owned(), line)), "{text}");
        }
    }

    #[test]
    fn a_text_without_a_status_has_none() {
        for text in ["", "# A\n\nText\n", "```\nStatus: x\n```\n", "# A\n## B\n## C\nStatus: 404\n", "## Status\n"] {
            assert_eq!(status(text), None, "{text}");
        }
    }
}
