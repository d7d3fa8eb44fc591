//! Hidden parts of HTML in Markdown, read as a browser reads it, so far as GitHub keeps it.
//!
//! GitHub keeps some tags with few attributes, none of which is visible, and drops the others.

mod tag;

use super::super::entity;
use super::super::invisible::{self, INVISIBLE};
use super::{COMMENT, HIDDEN, HiddenRange, IMAGE, target};
use std::ops::Range;
use tag::{Attribute, HtmlTag, closing_of, name_at, tag};

/// Tags that load something when a page is shown.
const LOADING: [&str; 9] = ["img", "source", "video", "audio", "iframe", "embed", "object", "picture", "image"];

/// Tags that GitHub keeps, and some that it drops whose name alone carries no message.
const KNOWN: &str = "\
    a abbr b bdo big blockquote br caption center cite code col colgroup dd del details dfn div dl dt em \
    figcaption figure font g-emoji h1 h2 h3 h4 h5 h6 h7 h8 hr i img ins kbd li mark ol p picture pre q rt \
    ruby s samp section small source span strike strong sub summary sup table tbody td tfoot th thead time tr \
    tt u ul var wbr address";

/// Tags whose contents are not shown as text.
const UNSHOWN: &str = "\
    script style template noscript textarea title xmp iframe noembed noframes plaintext object select \
    datalist svg math canvas audio video head rp dialog applet map frameset option";

/// Tags that begin a block which continues to their end, across empty lines.
const RAW: [&str; 3] = ["script", "style", "textarea"];

/// Attributes that change the layout; their values are one short word.
const SHAPING: [&str; 12] =
    ["align", "valign", "width", "height", "colspan", "rowspan", "start", "open", "border", "reversed", "type", "dir"];

/// Tags that make text smaller; nested deeper than this it cannot be read.
const SMALL: [&str; 3] = ["sub", "sup", "small"];
const SMALLEST: usize = 3;

/// A reader of HTML that comes piece by piece from the parser of Markdown.
#[derive(Default)]
pub(super) struct Html {
    open: Option<OpenElement>,
    /// The open tags whose contents are not shown, in no order.
    unshown: Vec<HiddenElement>,
    small: usize,
}

/// An element that a piece left unfinished.
enum OpenElement {
    /// A comment that began at this byte: only HTML can end it.
    Comment(usize),
    /// A quoted value of a tag, in which all that follows disappears.
    Tag(usize),
}

struct HiddenElement {
    name: String,
    start: usize,
    depth: usize,
}

/// A piece as one text: the lines of a block without their prefixes.
struct HtmlPiece<'t> {
    text: std::borrow::Cow<'t, str>,
    /// Where each run of the piece begins, in the piece and in the whole text.
    runs: Vec<(usize, usize)>,
}

impl<'t> HtmlPiece<'t> {
    fn new(text: &'t str, ranges: &[Range<usize>]) -> Self {
        let mut runs: Vec<(usize, usize)> = Vec::new();
        let mut end = None;
        let mut length = 0;
        for range in ranges {
            if end != Some(range.start) {
                runs.push((length, range.start));
            }
            end = Some(range.end);
            length += range.len();
        }
        let text = match (&runs[..], ranges.first(), end) {
            ([_], Some(first), Some(end)) => std::borrow::Cow::Borrowed(&text[first.start..end]),
            _ => std::borrow::Cow::Owned(ranges.iter().map(|range| &text[range.clone()]).collect()),
        };
        Self { text, runs }
    }

    /// Returns the offset in the whole text of the byte at `at`.
    fn place(&self, at: usize) -> usize {
        let run = self.runs.partition_point(|(start, _)| *start <= at);
        run.checked_sub(1).map_or(0, |run| self.runs[run].1 + (at - self.runs[run].0))
    }

    /// Returns the range of the whole text that a part of the piece covers.
    fn range(&self, part: Range<usize>) -> Range<usize> {
        if part.is_empty() {
            self.place(part.start)..self.place(part.start)
        } else {
            self.place(part.start)..self.place(part.end - 1) + 1
        }
    }
}

impl Html {
    /// Whether text between the pieces is visible.
    pub(super) fn is_visible(&self) -> bool {
        self.open.is_none()
    }

    /// Begins another block, which tags for small text do not reach into.
    pub(super) fn begin_block(&mut self) {
        self.small = 0;
    }

    /// Reads one piece: the lines of a block, or a tag within a line.
    pub(super) fn read(&mut self, text: &str, ranges: &[Range<usize>], is_block: bool, edits: &mut Vec<HiddenRange>) {
        let piece = HtmlPiece::new(text, ranges);
        let html: &str = &piece.text;
        let mut at = 0;
        match self.open {
            Some(OpenElement::Tag(_)) => return,
            Some(OpenElement::Comment(start)) => {
                let Some(end) = comment_end(html, 0) else { return };
                edits.push(HiddenRange::marked(start..piece.range(0..end).end, &COMMENT));
                self.open = None;
                at = end;
            }
            None => {}
        }
        while let Some(start) = html[at..].find('<').map(|offset| at + offset) {
            if is_block {
                entities(&piece, at..start, edits);
            }
            let rest = &html[start..];
            let next = rest.as_bytes().get(1).copied().unwrap_or_default();
            at = if rest.starts_with("<!--") {
                match comment_end(html, start + 2) {
                    Some(end) => {
                        edits.push(HiddenRange::marked(piece.range(start..end), &COMMENT));
                        end
                    }
                    None => {
                        self.open = Some(OpenElement::Comment(piece.place(start)));
                        return;
                    }
                }
            } else if matches!(next, b'!' | b'?')
                || (next == b'/' && !rest[2..].starts_with(|c: char| c.is_ascii_alphabetic()) && is_block)
            {
                // A declaration, an instruction or a comment of another spelling. A closing tag without a name is one.
                let (close, length) = match rest {
                    _ if rest.starts_with("<![CDATA[") => (rest.find("]]>"), 3),
                    _ if next == b'?' => (rest.find("?>"), 2),
                    _ => (rest.find('>'), 1),
                };
                let end = close.map_or(html.len(), |close| start + close + length);
                edits.push(HiddenRange::marked(piece.range(start..end), &COMMENT));
                // A browser ends all of them at the first `>`, and reads on there.
                rest.find('>').map_or(end, |close| start + close + 1)
            } else if next == b'/' && rest[2..].starts_with(|c: char| c.is_ascii_alphabetic()) {
                self.closing(&piece, start, edits)
            } else if next.is_ascii_alphabetic() {
                match self.opening(text, &piece, start, is_block, edits) {
                    Some(end) => end,
                    None => return,
                }
            } else {
                start + 1
            };
        }
        if is_block {
            entities(&piece, at.min(html.len())..html.len(), edits);
        }
    }

    /// Hides what is still open at the end of the text.
    pub(super) fn finish(self, text: &str, edits: &mut Vec<HiddenRange>) {
        match self.open {
            Some(OpenElement::Comment(start)) => edits.push(HiddenRange::marked(start..text.len(), &COMMENT)),
            Some(OpenElement::Tag(start)) => edits.push(HiddenRange::marked(start..text.len(), &HIDDEN)),
            None => {}
        }
    }

    /// Reads an opening tag; returns where it ends, `None` if nothing after it in the piece is HTML.
    fn opening(
        &mut self,
        text: &str,
        piece: &HtmlPiece<'_>,
        start: usize,
        is_block: bool,
        edits: &mut Vec<HiddenRange>,
    ) -> Option<usize> {
        let html: &str = &piece.text;
        let name = name_at(html, start + 1);
        let tag = tag(html, start + 1 + name.len());
        let name = name.to_ascii_lowercase();
        let Some(end) = tag.end else {
            if tag.in_quotes {
                self.open = Some(OpenElement::Tag(piece.place(start)));
            } else {
                edits.push(HiddenRange::marked(piece.range(start..html.len()), &HIDDEN));
            }
            return None;
        };
        let whole = piece.range(start..end);
        if UNSHOWN.split(' ').any(|tag| tag == name) {
            if let Some(close) = closing_of(html, end, &name).filter(|_| RAW.contains(&name.as_str())) {
                edits.push(HiddenRange::marked(piece.range(start..close), &HIDDEN));
                // Where GitHub shows the tag as text, its contents are HTML, and may open a comment.
                return Some(end);
            }
            // Without an end such a block continues to the end of its container.
            if is_block && RAW.contains(&name.as_str()) && html[..start].trim().is_empty() {
                edits.push(HiddenRange::marked(piece.range(start..html.len()), &HIDDEN));
                return Some(end);
            }
            match self.unshown.iter_mut().find(|open| open.name == name) {
                Some(open) => open.depth += 1,
                None => self.unshown.push(HiddenElement { name: name.clone(), start: whole.start, depth: 1 }),
            }
        }
        if LOADING.contains(&name.as_str()) && loads(html, &name, &tag) {
            edits.push(HiddenRange::marked(whole, &IMAGE));
        } else if !KNOWN.split(' ').any(|tag| tag == name) {
            edits.push(HiddenRange::marked(whole, &HIDDEN));
        } else if name == "a" && text[whole.end..].trim_start().starts_with("</a") {
            let close = text[whole.end..].find('>').map_or(text.len(), |close| whole.end + close + 1);
            edits.push(HiddenRange::marked(whole.start..close, &HIDDEN));
        } else {
            for attribute in &tag.attributes {
                if !is_kept(html, &name, attribute) {
                    edits.push(HiddenRange::silent(piece.range(attribute.whole.clone()), &HIDDEN));
                }
            }
            if SMALL.contains(&name.as_str()) {
                self.small += 1;
                if self.small > SMALLEST {
                    edits.push(HiddenRange::marked(whole, &HIDDEN));
                }
            }
        }
        Some(end)
    }

    /// Reads a closing tag; returns where it ends.
    fn closing(&mut self, piece: &HtmlPiece<'_>, start: usize, edits: &mut Vec<HiddenRange>) -> usize {
        let html: &str = &piece.text;
        let name = name_at(html, start + 2);
        let after = start + 2 + name.len();
        let end = tag(html, after).end.unwrap_or(html.len());
        let name = name.to_ascii_lowercase();
        let whole = piece.range(start..end);
        if let Some(index) = self.unshown.iter().position(|open| open.name == name) {
            self.unshown[index].depth -= 1;
            if self.unshown[index].depth == 0 {
                let open = self.unshown.swap_remove(index);
                edits.push(HiddenRange::marked(open.start..whole.end, &HIDDEN));
                return end;
            }
        }
        if !KNOWN.split(' ').any(|tag| tag == name) {
            edits.push(HiddenRange::marked(whole, &HIDDEN));
        } else if !html[after..end].trim_end_matches('>').trim().is_empty() {
            edits.push(HiddenRange::silent(piece.range(after..end - 1), &HIDDEN));
        } else if SMALL.contains(&name.as_str()) {
            self.small = self.small.saturating_sub(1);
        }
        end
    }
}

/// Returns the end of the comment whose `--` is at `from`, or that continues from an earlier piece.
fn comment_end(html: &str, from: usize) -> Option<usize> {
    // `<!-->` is a whole comment.
    html[from..].find("-->").map(|end| from + end + 3)
}

/// Whether a tag loads something from elsewhere, even if GitHub would not load it.
fn loads(html: &str, name: &str, tag: &HtmlTag) -> bool {
    let is = |attribute: &Attribute, known: &[&str]| {
        known.iter().any(|known| html[attribute.name.clone()].eq_ignore_ascii_case(known))
    };
    let is_local = |attribute: &&Attribute| {
        name == "img" && is(attribute, &["src"]) && target::is_plain_path(&html[attribute.value.clone()])
    };
    let loading = |attribute: &&Attribute| {
        is(attribute, &["src", "srcset", "data", "href", "poster", "xlink:href", "background"])
    };
    let mut found = tag.attributes.iter().filter(loading);
    let first = found.next();
    first.is_some_and(|first| !is_local(&first)) || found.next().is_some()
}

/// Whether an attribute stays: it changes the layout, or is the target of a link or a local image.
fn is_kept(html: &str, tag: &str, attribute: &Attribute) -> bool {
    let (name, value) = (html[attribute.name.clone()].to_ascii_lowercase(), &html[attribute.value.clone()]);
    match name.as_str() {
        "href" => tag == "a" && !value.contains(char::is_whitespace) && target::kept_length(value) == value.len(),
        "src" => tag == "img" && target::is_plain_path(value),
        _ => {
            let short = value.len() <= 8
                && value.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'%' | b'.'));
            SHAPING.contains(&name.as_str()) && short
        }
    }
}

/// Finds entities for invisible characters in the text of a block of HTML.
fn entities(piece: &HtmlPiece<'_>, part: Range<usize>, edits: &mut Vec<HiddenRange>) {
    let html: &str = &piece.text;
    let mut at = part.start;
    while let Some(start) = html[at..part.end].find('&').map(|offset| at + offset) {
        at = start + 1;
        if let Some((length, c)) = entity::html(&html.as_bytes()[start..part.end])
            && invisible::is_invisible(c)
        {
            edits.push(HiddenRange::silent(piece.range(start..start + length), &INVISIBLE));
            at = start + length;
        }
    }
}
