//! The versions of the rendering, and how they differ.

use super::frame::{Footer, Frame, LISTED, OmissionLine, ShortenedLine, write_frame};
use super::tag::Tag;
use crate::model::{escape_markup, is_line_end};
use std::borrow::Cow;
use std::fmt::Write as _;

/// The longest title in the list of omissions, in characters.
const LONGEST_TITLE: usize = 100;

/// The longest title of untrusted origin in the list of omissions, in characters.
const LONGEST_UNTRUSTED_TITLE: usize = 40;

/// The longest place of untrusted origin in the list of omissions, in characters: the URL of a comment on GitHub fits.
const LONGEST_UNTRUSTED_PLACE: usize = 200;

/// A version of the rendering, named by a pack in `budget.rendering`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// `markdown/1`: the list of omissions is outside all frames. Read, and no longer written.
    One,
    /// `markdown/2`: only the instructions are outside frames.
    Two,
}

impl Form {
    /// The form of new packs.
    pub const CURRENT: Self = Self::Two;

    /// Returns the form with this name; `None` if it is unknown.
    pub fn named(name: &str) -> Option<Self> {
        [Self::One, Self::Two].into_iter().find(|form| form.name() == name)
    }

    /// Returns the name that packs use.
    pub fn name(self) -> &'static str {
        match self {
            Self::One => "markdown/1",
            Self::Two => crate::wire::RENDERING,
        }
    }

    /// Returns a tag that no content of the rendering uses.
    pub(super) fn tag(self, instructions: &str, frames: &[Frame<'_>]) -> Tag {
        Tag::for_texts(frames.iter().map(|frame| frame.content).chain(self.tag_like_lines(instructions)))
    }

    /// Returns a tag that is at least as long as that of any rendering whose contents are cuts of `texts`.
    pub fn longest_tag<'a>(self, instructions: &'a str, texts: impl Iterator<Item = &'a str>) -> Tag {
        Tag::for_cuts_of(texts.chain(self.tag_like_lines(instructions)))
    }

    /// Returns the lines of the instructions that could be mistaken for the first line of the context.
    fn tag_like_lines(self, instructions: &str) -> impl Iterator<Item = &str> {
        instructions.split('\n').filter(move |line| self == Self::Two && line.starts_with('<'))
    }

    /// Renders the list of omissions and of shortened sections, with the final newline of the rendering.
    pub fn footer(self, tag: Tag, footer: &Footer<'_>) -> String {
        let Footer { left_out, left_out_count, shortened, shortened_count, unlisted_count } = footer;
        let mut text = String::new();
        // Writing to a `String` cannot fail.
        let _ = match (self, left_out_count, shortened_count) {
            (Self::One, 0, _) | (Self::Two, 0, 0) => writeln!(text, "Left out: nothing"),
            (Self::Two, 0, _) => Ok(()),
            (_, count, _) => writeln!(text, "Left out: {count}"),
        };
        left_out.iter().for_each(|omission| self.write_line(&mut text, omission));
        if *left_out_count > LISTED {
            let place = if self == Self::One { "listed in the pack" } else { "in the `omissions` of the pack's JSON" };
            let _ = writeln!(text, "- and {} more, {place}", left_out_count - LISTED);
        }
        if self == Self::One {
            return text;
        }
        let _ = match shortened_count {
            0 => Ok(()),
            1 => writeln!(text, "1 section is shortened:"),
            count => writeln!(text, "{count} sections are shortened:"),
        };
        for line in shortened {
            text.push_str(&self.shortened_line(line));
        }
        let _ = match (unlisted_count, shortened.is_empty()) {
            (0, _) => Ok(()),
            (count, true) => writeln!(text, "- {count} in `pointers`"),
            (count, false) => writeln!(text, "- and {count} more, in `pointers` or marked where they are cut"),
        };
        let untrusted =
            left_out.iter().any(|omission| omission.untrusted) || shortened.iter().any(|line| line.untrusted);
        let frame = Frame {
            id: "left-out",
            kind: "omissions",
            source: "",
            trust: if untrusted { "untrusted" } else { "trusted" },
            state: "",
            content: text.trim_end_matches('\n'),
            shortened: false,
            pointer: false,
        };
        let mut framed = String::with_capacity(text.len() + 128);
        write_frame(&mut framed, self, tag, &frame);
        framed
    }

    /// Renders one line of the list of shortened sections, with its newline.
    pub fn shortened_line(self, line: &ShortenedLine<'_>) -> String {
        let place = if line.untrusted { cut(line.place, LONGEST_UNTRUSTED_PLACE) } else { Cow::Borrowed(line.place) };
        let id = if line.untrusted { cut(line.id, LONGEST_UNTRUSTED_PLACE) } else { Cow::Borrowed(line.id) };
        format!("- {}: {}\n", self.escape(&id), self.escape(&place))
    }

    fn write_line(self, out: &mut String, omission: &OmissionLine<'_>) {
        let reason = self.escape(omission.reason);
        let _ = match (self, omission.untrusted) {
            // `markdown/1` escapes a title before it cuts it.
            (Self::One, _) => {
                let title = self.escape(omission.title);
                writeln!(out, "- {} ({reason}): {}", cut(&title, LONGEST_TITLE), self.escape(omission.place))
            }
            (Self::Two, false) => {
                let (what, title) = (what(omission.id), cut(omission.title, LONGEST_TITLE));
                let (what, place) = (self.escape(&what), self.escape(omission.place));
                writeln!(out, "- {what}\"{}\" ({reason}): {place}", self.escape(&title))
            }
            (Self::Two, true) => {
                let title = cut(omission.title, LONGEST_UNTRUSTED_TITLE);
                let place = cut(omission.place, LONGEST_UNTRUSTED_PLACE);
                let what = what(cut(omission.id, LONGEST_UNTRUSTED_PLACE).as_ref());
                let (what, place) = (self.escape(&what), self.escape(&place));
                writeln!(out, "- {what}\"{}\" ({reason}, untrusted): {place}", self.escape(&title))
            }
        };
    }

    /// Returns the text on one line that can neither end an attribute nor open a tag.
    pub(super) fn escape(self, text: &str) -> Cow<'_, str> {
        let is_space = |c: char| c.is_control() || self == Self::Two && is_line_end(c);
        if text.contains(is_space) {
            return Cow::Owned(escape_markup(&text.replace(is_space, " ")).into_owned());
        }
        escape_markup(text)
    }
}

/// Returns what the id of a section says about it, with a space: `dependency PROJ-7 `, and `adr ` of a file, whose path is its
/// place.
fn what(id: &str) -> String {
    match id.split_once('.') {
        Some((relation @ ("parent" | "child" | "dependency" | "related"), id)) => {
            format!("{relation} {id} ")
        }
        Some((kind @ ("adr" | "file" | "code"), _)) => format!("{kind} "),
        _ => String::new(),
    }
}

/// Returns the first `most` characters, followed by `…` if there are more.
fn cut(text: &str, most: usize) -> Cow<'_, str> {
    match text.char_indices().nth(most) {
        Some((at, _)) => Cow::Owned(format!("{}…", &text[..at])),
        None => Cow::Borrowed(text),
    }
}
