//! Views: a text as a reader sees it, without invisible characters, with escapes and entities decoded, and
//! without the marks that split a word.
//!
//! Rules are applied to views as well, so that `ghp_ab&#99;d` is found like `ghp_abcd`. A view maps findings
//! back to the bytes of the original.

use super::entity;
use super::findings::Finding;
use super::invisible;
use super::split;
use std::borrow::Cow;
use std::ops::Range;

/// Separates two stretches of a view. No rule matches across it.
const GAP: &str = "\n\0\n";
/// The longest tag or comment that counts as a mark inside a word.
const MAX_TAG_BYTES: usize = 96;
/// Tags that format a word and do not end it.
const INLINE: &[&[u8]] = &[
    b"a", b"abbr", b"b", b"bdi", b"bdo", b"big", b"cite", b"code", b"del", b"em", b"font", b"i", b"ins", b"kbd",
    b"mark", b"q", b"s", b"samp", b"small", b"span", b"strike", b"strong", b"sub", b"sup", b"tt", b"u", b"var", b"wbr",
];

/// The reading of a part of a text.
enum ViewRun {
    /// Nothing: a mark, a formatting tag, an invisible character.
    Nothing,
    /// This character.
    Char(char),
    /// This mark: the border of a table cell, the end of a term.
    Mark(&'static str),
}

/// A text derived from another one, with the origin of each of its bytes.
pub(super) struct View<'t> {
    pub(super) text: Cow<'t, str>,
    /// The runs of the view in order; empty if the view is the text itself.
    runs: Vec<MappedRun>,
    /// Whether the view has every line of the text.
    whole: bool,
}

/// A part of a view.
struct MappedRun {
    /// Its offset in the view.
    at: usize,
    /// The bytes of the original text.
    raw: Range<usize>,
    /// Whether it is a copy of them rather than their reading.
    copied: bool,
}

impl<'t> View<'t> {
    /// Makes a view of `raw` itself.
    pub(super) fn raw(raw: &'t str) -> Self {
        Self { text: Cow::Borrowed(raw), runs: Vec::new(), whole: true }
    }

    /// Makes a view of `raw` without its invisible characters; `None` if it has none.
    pub(super) fn visible(raw: &'t str, hidden: &[Range<usize>]) -> Option<Self> {
        if hidden.is_empty() {
            return None;
        }
        let mut view = Self::empty(raw.len(), true);
        let mut at = 0;
        for range in hidden {
            view.copy(raw, at..range.start);
            at = range.end;
        }
        view.copy(raw, at..raw.len());
        Some(view)
    }

    /// Makes a view of `raw` in which a command that goes on with an option after a backslash is on one line; `None` if
    /// there is none. It has the length of `raw`.
    pub(super) fn continued(raw: &'t str) -> Option<Self> {
        const CONTINUES: &str = " \\\n";
        let mut text = String::new();
        let mut at = 0;
        for end in memchr::memmem::find_iter(raw.as_bytes(), CONTINUES) {
            let before = raw[at..end].rsplit(|c: char| c.is_ascii_whitespace()).next().unwrap_or_default();
            let after = raw[end + CONTINUES.len()..].trim_start_matches(' ');
            if before.starts_with('-') || after.starts_with('-') {
                text.push_str(&raw[at..end]);
                text.push_str("   ");
                at = end + CONTINUES.len();
            }
        }
        if at == 0 {
            return None;
        }
        text.push_str(&raw[at..]);
        Some(Self { text: Cow::Owned(text), runs: Vec::new(), whole: false })
    }

    /// Makes a view of the decoded lines of `raw` on which something is encoded or split, each with its
    /// neighbours; `None` if there are none.
    pub(super) fn decoded(raw: &'t str) -> Option<Self> {
        let stretches = stretches(raw);
        if stretches.is_empty() {
            return None;
        }
        let length = stretches.iter().map(|range| range.len() + GAP.len()).sum();
        let mut view = Self::empty(length, false);
        for range in stretches {
            if !view.runs.is_empty() {
                view.text.to_mut().push_str(GAP);
            }
            view.decode(raw, range);
        }
        Some(view)
    }

    /// Whether the view has every line of the text.
    pub(super) fn is_whole(&self) -> bool {
        self.whole
    }

    /// Maps a finding to the original text.
    pub(super) fn to_raw(&self, finding: Finding) -> Option<Finding> {
        let last = finding.end.checked_sub(1)?;
        if self.runs.is_empty() {
            return Some(finding);
        }
        if !self.whole && self.text[finding.start..finding.end].contains(GAP) {
            return None;
        }
        Some(Finding { start: self.place(finding.start)?.start, end: self.place(last)?.end, ..finding })
    }

    /// Returns the bytes of the original text that the view's byte at `at` comes from.
    fn place(&self, at: usize) -> Option<Range<usize>> {
        let after = self.runs.partition_point(|run| run.at <= at);
        let run = &self.runs[after.checked_sub(1)?];
        let start = run.raw.start + (at - run.at);
        Some(if run.copied { start..start + 1 } else { run.raw.clone() })
    }

    fn empty(length: usize, whole: bool) -> Self {
        Self { text: Cow::Owned(String::with_capacity(length)), runs: Vec::new(), whole }
    }

    fn copy(&mut self, raw: &str, range: Range<usize>) {
        if !range.is_empty() {
            self.runs.push(MappedRun { at: self.text.len(), raw: range.clone(), copied: true });
            self.text.to_mut().push_str(&raw[range]);
        }
    }

    fn decode(&mut self, raw: &str, range: Range<usize>) {
        let bytes = raw.as_bytes();
        let (mut at, mut copied) = (range.start, range.start);
        while let Some(next) = bytes[at..range.end].iter().position(|b| is_sign(*b)).map(|offset| at + offset) {
            let Some((length, reading)) = read(raw, next) else {
                at = next + 1;
                continue;
            };
            self.copy(raw, copied..next);
            at = (next + length).min(range.end);
            copied = at;
            self.runs.push(MappedRun { at: self.text.len(), raw: next..at, copied: false });
            match reading {
                ViewRun::Nothing => drop(self.runs.pop()),
                ViewRun::Char(c) => self.text.to_mut().push(c),
                ViewRun::Mark(mark) => self.text.to_mut().push_str(mark),
            }
        }
        self.copy(raw, copied..range.end);
    }
}

/// Finds the stretches of whole lines that are worth decoding, in order.
fn stretches(raw: &str) -> Vec<Range<usize>> {
    let bytes = raw.as_bytes();
    let mut found: Vec<Range<usize>> = Vec::new();
    each_sign(bytes, |at| {
        let place = match bytes[at] {
            // Such a backslash only keeps Markdown from reading `[[` as a reference, and neither bracket is inside of a word.
            b'\\' if bytes[at + 1..].starts_with(b"[[") && bytes[..at].ends_with(b" ") => None,
            b'\n' => split::line_end(bytes, at),
            b'"' | b'\'' => split::quote(bytes, at),
            _ => read(raw, at).map(|_| at),
        };
        let Some(place) = place else { return at + 1 };
        // What is on one line needs the same stretch, and a line may be long.
        let line = line_end(bytes, place);
        let end = line_end(bytes, (line + 1).min(bytes.len()));
        if found.last().is_some_and(|last| place < last.end && end <= last.end) {
            return line.max(at + 1);
        }
        let start = before(bytes, place);
        match found.last_mut() {
            Some(last) if start <= last.end + 1 => last.end = last.end.max(end),
            _ => found.push(start..end),
        }
        line.max(at + 1)
    });
    // A key has many lines, of which one may be encoded.
    let keys = !found.is_empty() && (raw.contains("-----BEGIN") || raw.contains("PRIVATE KEY"));
    if keys { vec![Range { start: 0, end: raw.len() }] } else { found }
}

/// Returns the start of the line before that of `at`.
fn before(bytes: &[u8], at: usize) -> usize {
    let start = memchr::memrchr(b'\n', &bytes[..at]).unwrap_or(0);
    memchr::memrchr(b'\n', &bytes[..start]).map_or(0, |end| end + 1)
}

fn line_end(bytes: &[u8], at: usize) -> usize {
    memchr::memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |offset| at + offset)
}

/// Whether something encoded may begin with `byte`.
fn is_sign(byte: u8) -> bool {
    static SIGNS: [bool; 256] = {
        let mut signs = [false; 256];
        let mut byte = 0;
        while byte < 256 {
            signs[byte] = matches!(
                byte as u8,
                b'&' | b'%' | b'=' | b'\\' | b'^' | b'*' | b'`' | b'~' | b'<' | b'_' | b'"' | b'\'' | b'\n' | 0xc2..
            );
            byte += 1;
        }
        signs
    };
    SIGNS[usize::from(byte)]
}

/// Passes the places that may begin something encoded or split to `found`, in order; it returns where to go on.
fn each_sign(bytes: &[u8], mut found: impl FnMut(usize) -> usize) {
    let mut next = 0;
    while let Some(place) = bytes[next.min(bytes.len())..].iter().position(|b| is_sign(*b)).map(|offset| next + offset)
    {
        next = found(place).max(place + 1);
    }
}

/// Decodes the sequence at `at`; returns its length in bytes and its reading.
fn read(raw: &str, at: usize) -> Option<(usize, ViewRun)> {
    let bytes = raw.as_bytes();
    let rest = &bytes[at..];
    match rest[0] {
        b'&' => entity::html(rest).map(seen),
        b'%' => entity::percent(rest).map(seen),
        b'\\' if matches!(rest.get(1), Some(b'\n' | b'\r')) => split::continued(bytes, at).map(nothing),
        b'^' if rest.get(1) == Some(&b'\n') => split::continued(bytes, at).map(nothing),
        b'\\' if let Some(length) = split::joined(bytes, at) => Some(nothing(length)),
        b'\\' => entity::escape(rest).map(seen),
        b'"' | b'\'' => split::joined(bytes, at).map(nothing),
        b'=' if rest.get(1) == Some(&b'\n') => split::soft_break(bytes, at).map(nothing),
        b'\n' => split::wrapped(bytes, at).map(nothing),
        b'*' | b'`' | b'~' | b'_' => mark(bytes, at).map(nothing),
        b'<' => tag(bytes, at),
        0xc2.. => {
            let c = raw.get(at..)?.chars().next()?;
            let wide = matches!(c, '\u{ff01}'..='\u{ff5e}').then(|| char::from_u32(c as u32 - 0xfee0)).flatten();
            match wide {
                Some(narrow) => Some((c.len_utf8(), ViewRun::Char(narrow))),
                None => invisible::is_invisible(c).then_some((c.len_utf8(), ViewRun::Nothing)),
            }
        }
        _ => None,
    }
}

fn seen((length, c): (usize, char)) -> (usize, ViewRun) {
    (length, if invisible::is_invisible(c) { ViewRun::Nothing } else { ViewRun::Char(c) })
}

fn nothing(length: usize) -> (usize, ViewRun) {
    (length, ViewRun::Nothing)
}

/// Returns the length of the emphasis or code mark at `at` if it is inside a word.
fn mark(bytes: &[u8], at: usize) -> Option<usize> {
    let mark = bytes[at];
    let length = bytes[at..].iter().take(8).take_while(|b| **b == mark).count();
    let enough = if matches!(mark, b'_' | b'~') { length == 2 } else { length <= 3 };
    // A command whose output is assigned: ``KEY=`…` ``.
    let is_command = mark == b'`' && at > 0 && bytes[at - 1] == b'=';
    (enough && !is_command && is_within(bytes, at, at + length)).then_some(length)
}

/// Whether `start..end` is inside a word.
fn is_within(bytes: &[u8], start: usize, end: usize) -> bool {
    let word = |at: usize| bytes.get(at).is_some_and(|b| super::text::is_word(*b));
    let goes_on = word(end) || (bytes.get(end).copied().is_some_and(is_part) && word(end + 1));
    goes_on && start > 0 && is_part(bytes[start - 1])
}

fn is_part(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'/' | b'+' | b'=' | b'!' | b'@' | b'$' | b'#')
}

/// Reads the tag or the comments at `at`: their length, and what they read as.
fn tag(bytes: &[u8], at: usize) -> Option<(usize, ViewRun)> {
    let window = &bytes[at..bytes.len().min(at + MAX_TAG_BYTES)];
    if window.starts_with(b"<!--") {
        let mut length = 0;
        while window[length..].starts_with(b"<!--") {
            length += window[length..].windows(3).position(|part| part == b"-->")? + 3;
        }
        let is_seen = |byte: Option<&u8>| byte.is_some_and(|byte| *byte > b' ');
        let splits = at > 0 && is_seen(bytes.get(at - 1)) && is_seen(bytes.get(at + length));
        return splits.then_some((length, ViewRun::Nothing));
    }
    let name = &window[1 + usize::from(window.get(1) == Some(&b'/'))..];
    let length = name.iter().take(8).take_while(|b| b.is_ascii_alphanumeric()).count();
    let (name, after) = (&name[..length], *name.get(length)?);
    if length == 0 || !matches!(after, b'>' | b' ' | b'/') {
        return None;
    }
    let end = window.iter().position(|b| matches!(b, b'>' | b'\n')).filter(|end| window[*end] == b'>')?;
    let is = |known: &[&[u8]]| known.iter().any(|known| name.eq_ignore_ascii_case(known));
    let reading = if is(INLINE) {
        ViewRun::Nothing
    } else if is(&[b"td", b"th", b"dt", b"dd"]) {
        match (window[1], name[1] | 0x20) {
            (b'/', b't') if name[0] | 0x20 == b'd' => ViewRun::Mark(": "),
            (b'/', b'd' | b'h') => ViewRun::Mark(" | "),
            _ => ViewRun::Nothing,
        }
    } else if is(&[b"br"]) {
        ViewRun::Char('\n')
    } else {
        return None;
    };
    Some((end + 1, reading))
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::super::findings::RuleRef;
    use super::super::keys;
    use super::*;

    #[test]
    fn a_finding_is_carried_back_to_the_bytes_it_stands_for() {
        let raw = "x\n\nsay a&#98;c%64e f\n\n\nand **g**h";
        let view = View::decoded(raw).unwrap();
        let start = view.text.find("abcde").unwrap();
        let rule = RuleRef::BuiltIn(&keys::BLOCK);
        let found = view.to_raw(Finding { start, end: start + 5, rule }).unwrap();
        assert_eq!(&raw[found.start..found.end], "a&#98;c%64e");
        let last = view.to_raw(Finding { start: start + 1, end: start + 2, rule }).unwrap();
        assert_eq!(&raw[last.start..last.end], "&#98;");
        assert!(view.to_raw(Finding { start, end: view.text.len(), rule }).is_none() || !view.text.contains(GAP));
    }
}
