//! The parts of a rendering: instructions, framed sections, and the list of omissions.

use super::form::Form;
use super::tag::Tag;

/// The most omissions, and the most shortened sections, that a rendering lists; the others are counted.
pub const LISTED: usize = 10;

/// A section in a rendering.
#[derive(Debug, Clone, Copy)]
pub struct Frame<'a> {
    /// The section's id.
    pub id: &'a str,
    /// The section's kind.
    pub kind: &'a str,
    /// Where the text can be read.
    pub source: &'a str,
    /// `trusted` or `untrusted`.
    pub trust: &'a str,
    /// The state; empty if the text has none.
    pub state: &'a str,
    /// The text.
    pub content: &'a str,
    /// Whether the budget shortened the text.
    pub shortened: bool,
    /// Whether the text is a pointer: where to read a text that is not shown.
    pub pointer: bool,
}

impl Frame<'_> {
    /// Returns whether the section is a line of the list of pointers and has no frame of its own.
    pub fn is_line(&self) -> bool {
        self.pointer && !matches!(self.kind, "work_item_json" | "edge_list") && !self.content.contains('\n')
    }

    /// Returns the line of the list of pointers, with its newline.
    pub fn pointer_line(&self) -> String {
        let mark = if self.trust == "untrusted" { "untrusted: " } else { "" };
        format!("- {mark}{}\n", self.content)
    }

    /// Returns the line that names this section among the shortened ones.
    pub fn shortened_line(&self) -> ShortenedLine<'_> {
        ShortenedLine { id: self.id, place: self.source, untrusted: self.trust == "untrusted" }
    }
}

/// A line of the list of shortened sections.
#[derive(Debug, Clone, Copy)]
pub struct ShortenedLine<'a> {
    /// The section's id.
    pub id: &'a str,
    /// Where the whole text can be read.
    pub place: &'a str,
    /// Whether an untrusted author may have written the text.
    pub untrusted: bool,
}

/// A line of the list of omissions.
#[derive(Debug, Clone, Copy)]
pub struct OmissionLine<'a> {
    /// The id that its section would have.
    pub id: &'a str,
    /// The title of the omitted section.
    pub title: &'a str,
    /// Why it was left out.
    pub reason: &'a str,
    /// Where it can be read.
    pub place: &'a str,
    /// Whether an untrusted author may have written its title or text.
    pub untrusted: bool,
}

/// The content of the end of a rendering: the omissions and the shortened sections.
#[derive(Debug, Clone, Default)]
pub struct Footer<'a> {
    /// The first [`LISTED`] omissions.
    pub left_out: Vec<OmissionLine<'a>>,
    /// The number of all omissions.
    pub left_out_count: usize,
    /// The first [`LISTED`] sections that the budget shortened, without pointers.
    pub shortened: Vec<ShortenedLine<'a>>,
    /// The number of all sections that the budget shortened.
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
}

impl Rendering {
    /// Joins both parts.
    pub fn whole(&self) -> String {
        [&*self.instructions, &*self.context].concat()
    }
}

/// Renders instructions, framed sections and the list of omissions.
pub fn render<'a>(
    form: Form,
    instructions: &str,
    frames: &[Frame<'_>],
    left_out: impl ExactSizeIterator<Item = OmissionLine<'a>>,
) -> Rendering {
    let tag = form.tag(instructions, frames);
    let mut context = String::new();
    let is_line = |frame: &&Frame<'_>| form == Form::Two && frame.is_line();
    for frame in frames.iter().filter(|frame| !is_line(frame)) {
        write_frame(&mut context, form, tag, frame);
        context.push('\n');
    }
    let pointers: String = frames.iter().filter(is_line).map(Frame::pointer_line).collect();
    if !pointers.is_empty() {
        let untrusted = frames.iter().filter(is_line).any(|frame| frame.trust == "untrusted");
        write_frame(&mut context, form, tag, &pointers_frame(pointers.trim_end_matches('\n'), untrusted));
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
    Rendering { instructions: format!("{}\n\n", instructions.trim_end()), context }
}

/// Returns the frame of the list of pointers.
fn pointers_frame(content: &str, untrusted: bool) -> Frame<'_> {
    let trust = if untrusted { "untrusted" } else { "trusted" };
    Frame { id: "pointers", kind: "pointers", source: "", trust, state: "", content, shortened: false, pointer: false }
}

/// Returns what the list of pointers takes at most without its lines.
pub fn empty_pointers(tag: Tag) -> String {
    empty_frame(tag, &pointers_frame("", true))
}

/// Returns what a frame adds to its content: the opening line, the closing line and the empty line after it.
pub fn empty_frame(tag: Tag, frame: &Frame<'_>) -> String {
    let mut text = String::new();
    write_frame(&mut text, Form::CURRENT, tag, &Frame { content: "", ..*frame });
    text.push('\n');
    text
}

/// Writes a frame, its content and the line that closes it.
pub(super) fn write_frame(out: &mut String, form: Form, tag: Tag, frame: &Frame<'_>) {
    out.push('<');
    out.push_str(&tag.name());
    for (name, value) in [
        ("id", frame.id),
        ("kind", frame.kind),
        ("source", frame.source),
        ("trust", frame.trust),
        ("state", frame.state),
    ] {
        out.push(' ');
        out.push_str(name);
        out.push_str("=\"");
        out.push_str(&form.escape(value));
        out.push('"');
    }
    out.push_str(">\n");
    out.push_str(frame.content);
    out.push_str("\n</");
    out.push_str(&tag.name());
    out.push_str(">\n");
}
