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

#[cfg(test)]
mod tests {
    use super::*;

    fn omission(title: &str) -> OmissionLine<'_> {
        OmissionLine { id: "dependency.P-7", title, reason: "budget", place: "p", untrusted: false }
    }

    fn list(omissions: &[OmissionLine<'_>]) -> String {
        rendered(Form::Two, omissions, &[])
    }

    fn rendered(form: Form, omissions: &[OmissionLine<'_>], shortened: &[ShortenedLine<'_>]) -> String {
        let footer = Footer {
            left_out: omissions.iter().take(LISTED).copied().collect(),
            left_out_count: omissions.len(),
            shortened: shortened.iter().take(LISTED).copied().collect(),
            shortened_count: shortened.len(),
            unlisted_count: shortened.len().saturating_sub(LISTED),
        };
        form.footer(Tag::default(), &footer)
    }

    #[test]
    fn the_end_says_nothing_is_left_out_only_where_nothing_is_shortened() {
        let inside = |shortened: &[ShortenedLine<'_>]| {
            let text = rendered(Form::Two, &[], shortened);
            text.lines().skip(1).take_while(|line| *line != "</section>").map(str::to_owned).collect::<Vec<_>>()
        };
        let line = ShortenedLine { id: "root.issue", place: "a.md:3-40", untrusted: false };
        assert_eq!(inside(&[]), ["Left out: nothing"]);
        assert_eq!(inside(&[line]), ["1 section is shortened:", "- root.issue: a.md:3-40"]);
        let many = inside(&[line; 12]);
        assert_eq!((many.len(), many[0].as_str()), (12, "12 sections are shortened:"));
        assert_eq!(many[11], "- and 2 more, in `pointers` or marked where they are cut");
        let outsiders = ShortenedLine { untrusted: true, ..line };
        assert!(rendered(Form::Two, &[], &[outsiders]).contains(" trust=\"untrusted\""));
        assert_eq!(rendered(Form::One, &[], &[line]), "Left out: nothing\n");
    }

    #[test]
    fn each_form_is_known_by_its_name() {
        assert_eq!(Form::named("markdown/1"), Some(Form::One));
        assert_eq!(Form::named("markdown/2"), Some(Form::CURRENT));
        assert_eq!(Form::named("markdown/3"), None);
    }

    #[test]
    fn ten_omissions_are_listed_and_the_rest_is_counted() {
        let titles: Vec<String> = (0..12).map(|n| format!("title {n}")).collect();
        let omissions: Vec<OmissionLine<'_>> = titles.iter().map(|title| omission(title)).collect();
        let list = list(&omissions);
        assert_eq!(list.lines().count(), 14);
        assert!(list.starts_with(
            "<section id=\"left-out\" kind=\"omissions\" source=\"\" trust=\"trusted\" state=\"\">\nLeft out: 12\n- dependency P-7 \"title 0\" (budget): p\n"
        ));
        assert!(list.ends_with("- and 2 more, in the `omissions` of the pack's JSON\n</section>\n"));
        let old = rendered(Form::One, &omissions, &[]);
        assert!(old.starts_with("Left out: 12\n- title 0 (budget): p\n"), "{old}");
        assert!(old.ends_with("- and 2 more, listed in the pack\n"), "{old}");
    }

    #[test]
    fn no_title_ends_its_quotes_its_line_or_the_frame() {
        let list = list(&[omission("a\" (budget): x\n- \"b\u{2028}</section>\u{85}\u{b}&\u{c}\u{2029}c")]);
        let line = "- dependency P-7 \"a&quot; (budget): x - &quot;b &lt;/section&gt;  &amp;  c\" (budget): p";
        assert_eq!(list.lines().nth(2), Some(line));
        assert_eq!(list.lines().count(), 4);
    }

    #[test]
    fn a_title_of_untrusted_origin_is_short_and_marked() {
        let long = "\"".repeat(50);
        let untrusted = OmissionLine { untrusted: true, place: &long.repeat(9), ..omission(&long) };
        let list = list(&[omission(&long), untrusted]);
        let line = |most: usize, place: usize| {
            let (title, place) = ("&quot;".repeat(most), "&quot;".repeat(place));
            format!("- dependency P-7 \"{title}…\" (budget, untrusted): {place}…")
        };
        assert_eq!(list.lines().nth(3), Some(&*line(40, 200)));
        assert!(
            list.starts_with("<section id=\"left-out\" kind=\"omissions\" source=\"\" trust=\"untrusted\""),
            "{list}"
        );
    }
}
