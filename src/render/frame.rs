//! The parts of a rendering: instructions, framed sections, and the list of omissions.

use super::tag::Tag;
use crate::model::{escape_markup, is_line_end, section_kind};
use std::borrow::Cow;
use std::fmt::Write as _;

/// The most omissions, and the most shortened sections, that a rendering lists; the others are counted.
pub const LISTED: usize = 10;

#[derive(Debug, Clone, Copy)]
pub struct Frame<'a> {
    pub id: &'a str,
    pub kind: &'a str,
    pub source: &'a str,
    /// `trusted` or `untrusted`.
    pub trust: &'a str,
    /// The state; empty if the text has none.
    pub state: &'a str,
    pub content: &'a str,
    pub shortened: bool,
    /// Whether the text is a pointer: where to read a text that is not shown.
    pub pointer: bool,
}

impl Frame<'_> {
    /// Returns whether the section is a line of the list of pointers and has no frame of its own.
    pub fn is_line(&self) -> bool {
        self.pointer
            && !matches!(self.kind, section_kind::WORK_ITEM_JSON | section_kind::EDGE_LIST)
            && !self.content.contains('\n')
    }

    pub fn pointer_line(&self) -> String {
        let mark = if self.trust == "untrusted" { "untrusted: " } else { "" };
        format!("- {mark}{}\n", self.content)
    }

    /// Returns the line that names this section among the shortened ones.
    pub fn shortened_line(&self) -> OmissionLine<'_> {
        let untrusted = self.trust == "untrusted";
        OmissionLine { id: self.id, title: "", reason: "", place: self.source, untrusted }
    }
}

/// A line of the list of omissions, or of that of shortened sections, which has neither title nor reason.
#[derive(Debug, Clone, Copy)]
pub struct OmissionLine<'a> {
    pub id: &'a str,
    pub title: &'a str,
    pub reason: &'a str,
    pub place: &'a str,
    pub untrusted: bool,
}

/// The content of the end of a rendering: the omissions and the shortened sections.
#[derive(Debug, Clone, Default)]
pub struct Footer<'a> {
    /// The first [`LISTED`] omissions.
    pub left_out: Vec<OmissionLine<'a>>,
    pub left_out_count: usize,
    /// The first [`LISTED`] sections that the budget shortened, without pointers.
    pub shortened: Vec<OmissionLine<'a>>,
    pub shortened_count: usize,
    /// How many of these have no line.
    pub unlisted_count: usize,
}

/// A rendering in its two parts, which joined are the whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rendering {
    /// The instructions, which are the same for every pack of a profile.
    pub instructions: String,
    /// Everything after the instructions.
    pub context: String,
    /// Where in `context` the frames with a text of their own end, in bytes, in order.
    pub frame_ends: Vec<usize>,
}

impl Rendering {
    /// Joins both parts.
    pub fn whole(&self) -> String {
        [&*self.instructions, &*self.context].concat()
    }
}

pub fn render<'a>(
    form: Form,
    instructions: &str,
    frames: &[Frame<'_>],
    left_out: impl ExactSizeIterator<Item = OmissionLine<'a>>,
) -> Rendering {
    let tag = form.tag(instructions, frames);
    let (mut context, mut frame_ends) = (String::new(), Vec::new());
    let is_line = |frame: &&Frame<'_>| form == Form::Two && frame.is_line();
    for frame in frames.iter().filter(|frame| !is_line(frame)) {
        write_frame(&mut context, form, tag, frame);
        context.push('\n');
        frame_ends.push(context.len());
    }
    let pointers: String = frames.iter().filter(is_line).map(Frame::pointer_line).collect();
    if !pointers.is_empty() {
        let untrusted = frames.iter().filter(is_line).any(|frame| frame.trust == "untrusted");
        let list = list_frame("pointers", "pointers", pointers.trim_end_matches('\n'), untrusted);
        write_frame(&mut context, form, tag, &list);
        context.push('\n');
    }
    let count = left_out.len();
    let all_shortened = frames.iter().filter(|frame| frame.shortened).count();
    let shortened = frames.iter().filter(|frame| frame.shortened && !is_line(frame));
    let shortened: Vec<_> = shortened.take(LISTED).map(Frame::shortened_line).collect();
    let footer = Footer {
        left_out: left_out.take(LISTED).collect(),
        left_out_count: count,
        shortened_count: all_shortened,
        unlisted_count: all_shortened - shortened.len(),
        shortened,
    };
    context.push_str(&form.footer(tag, &footer));
    Rendering { instructions: format!("{}\n\n", instructions.trim_end()), context, frame_ends }
}

fn list_frame<'a>(id: &'a str, kind: &'a str, content: &'a str, untrusted: bool) -> Frame<'a> {
    let trust = if untrusted { "untrusted" } else { "trusted" };
    Frame { id, kind, source: "", trust, state: "", content, shortened: false, pointer: false }
}

/// Returns what the list of pointers takes at most without its lines.
pub fn empty_pointers(tag: Tag) -> String {
    empty_frame(tag, &list_frame("pointers", "pointers", "", true))
}

/// Returns what a frame adds to its content: the opening line, the closing line and the empty line after it.
pub fn empty_frame(tag: Tag, frame: &Frame<'_>) -> String {
    let mut text = String::new();
    write_frame(&mut text, Form::CURRENT, tag, &Frame { content: "", ..*frame });
    text.push('\n');
    text
}

pub(super) fn write_frame(out: &mut String, form: Form, tag: Tag, frame: &Frame<'_>) {
    let name = tag.name();
    let Frame { id, kind, source, trust, state, content, .. } = frame;
    let [id, kind, source, trust, state] = [id, kind, source, trust, state].map(|text| form.escape(text));
    // Writing to a `String` cannot fail.
    let _ = writeln!(
        out,
        "<{name} id=\"{id}\" kind=\"{kind}\" source=\"{source}\" trust=\"{trust}\" state=\"{state}\">\n{content}\n</{name}>"
    );
}

const LONGEST_TITLE: usize = 100;
const LONGEST_UNTRUSTED_TITLE: usize = 40;
/// The longest place of untrusted origin in the list of omissions, in characters: the URL of a comment on GitHub fits.
const LONGEST_UNTRUSTED_PLACE: usize = 200;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// `markdown/1`: the list of omissions is outside all frames. Read, and no longer written.
    One,
    /// `markdown/2`: only the instructions are outside frames.
    Two,
}

impl Form {
    pub const CURRENT: Self = Self::Two;

    pub fn named(name: &str) -> Option<Self> {
        [Self::One, Self::Two].into_iter().find(|form| form.name() == name)
    }

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
        left_out.iter().for_each(|omission| text.push_str(&self.omission_line(omission)));
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
        let untrusted = left_out.iter().chain(shortened).any(|line| line.untrusted);
        let mut framed = String::with_capacity(text.len() + 128);
        let list = list_frame("left-out", "omissions", text.trim_end_matches('\n'), untrusted);
        write_frame(&mut framed, self, tag, &list);
        framed
    }

    pub fn shortened_line(self, line: &OmissionLine<'_>) -> String {
        let most = if line.untrusted { LONGEST_UNTRUSTED_PLACE } else { usize::MAX };
        format!("- {}: {}\n", self.escape(&cut(line.id, most)), self.escape(&cut(line.place, most)))
    }

    fn omission_line(self, omission: &OmissionLine<'_>) -> String {
        let reason = self.escape(omission.reason);
        if self == Self::One {
            // `markdown/1` escapes a title before it cuts it.
            let title = self.escape(omission.title);
            return format!("- {} ({reason}): {}\n", cut(&title, LONGEST_TITLE), self.escape(omission.place));
        }
        let (title, place, mark) = match omission.untrusted {
            true => (LONGEST_UNTRUSTED_TITLE, LONGEST_UNTRUSTED_PLACE, ", untrusted"),
            false => (LONGEST_TITLE, usize::MAX, ""),
        };
        let what = what(&cut(omission.id, place));
        let (title, place) = (cut(omission.title, title), cut(omission.place, place));
        let [what, title, place] = [&*what, &*title, &*place].map(|text| self.escape(text));
        format!("- {what}\"{title}\" ({reason}{mark}): {place}\n")
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

fn cut(text: &str, most: usize) -> Cow<'_, str> {
    match text.char_indices().nth(most) {
        Some((at, _)) => Cow::Owned(format!("{}…", &text[..at])),
        None => Cow::Borrowed(text),
    }
}
