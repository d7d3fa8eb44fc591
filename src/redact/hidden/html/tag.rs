//! Tags of HTML as a browser reads them.

use std::ops::Range;

/// A tag as a browser reads it.
pub(super) struct HtmlTag {
    /// The offset after its `>`; `None` if it has none.
    pub(super) end: Option<usize>,
    /// Whether it ends within a quoted value.
    pub(super) in_quotes: bool,
    pub(super) attributes: Vec<Attribute>,
}

pub(super) struct Attribute {
    /// The attribute with the blanks before it.
    pub(super) whole: Range<usize>,
    pub(super) name: Range<usize>,
    pub(super) value: Range<usize>,
}

/// Parses a tag from the end of its name on.
pub(super) fn tag(html: &str, from: usize) -> HtmlTag {
    let bytes = html.as_bytes();
    let mut tag = HtmlTag { end: None, in_quotes: false, attributes: Vec::new() };
    let blank = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_whitespace);
    let mut at = from;
    loop {
        let whole = at;
        while blank(at) || bytes.get(at) == Some(&b'/') {
            at += 1;
        }
        match bytes.get(at) {
            None => return tag,
            Some(b'>') => {
                tag.end = Some(at + 1);
                return tag;
            }
            _ => {}
        }
        let name = at;
        // A `=` in front belongs to the name.
        at += 1;
        while bytes.get(at).is_some_and(|byte| !byte.is_ascii_whitespace() && !matches!(byte, b'/' | b'>' | b'=')) {
            at += 1;
        }
        let name = name..at;
        let mut value = at..at;
        let mut equals = at;
        while blank(equals) {
            equals += 1;
        }
        if bytes.get(equals) == Some(&b'=') {
            at = equals + 1;
            while blank(at) {
                at += 1;
            }
            match bytes.get(at) {
                Some(quote @ (b'"' | b'\'')) => {
                    let Some(length) = bytes[at + 1..].iter().position(|byte| byte == quote) else {
                        tag.in_quotes = true;
                        return tag;
                    };
                    value = at + 1..at + 1 + length;
                    at = value.end + 1;
                }
                _ => {
                    let start = at;
                    while bytes.get(at).is_some_and(|byte| !byte.is_ascii_whitespace() && *byte != b'>') {
                        at += 1;
                    }
                    value = start..at;
                }
            }
        }
        tag.attributes.push(Attribute { whole: whole..at, name, value });
    }
}

/// Returns the name of the tag whose name begins at `at`.
pub(super) fn name_at(html: &str, at: usize) -> &str {
    let rest = &html[at..];
    &rest[..rest.find(|c: char| c.is_ascii_whitespace() || matches!(c, '/' | '>')).unwrap_or(rest.len())]
}

/// Returns the end of the first closing tag of `name` at or after `from`.
pub(super) fn closing_of(html: &str, from: usize, name: &str) -> Option<usize> {
    let mut at = from;
    while let Some(start) = html[at..].find("</").map(|offset| at + offset) {
        if name_at(html, start + 2).eq_ignore_ascii_case(name) {
            return tag(html, start + 2 + name.len()).end;
        }
        at = start + 2;
    }
    None
}
