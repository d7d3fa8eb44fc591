//! The parts of the rendering: instructions, framed sections, the list of what was left out.

use std::borrow::Cow;
use std::fmt::Write;

/// How many omissions the rendering lists; the rest is counted.
pub const LISTED: usize = 10;

/// The longest title in the list of omissions, in characters.
const LONGEST_TITLE: usize = 100;

/// A section as the rendering shows it.
#[derive(Debug, Clone, Copy)]
pub struct Frame<'a> {
    /// The section's id.
    pub id: &'a str,
    /// Its kind.
    pub kind: &'a str,
    /// Where it can be read.
    pub source: &'a str,
    /// Whether strangers may have written it.
    pub trust: &'a str,
    /// Its state; empty for a text that has none.
    pub state: &'a str,
    /// The text.
    pub content: &'a str,
}

/// A line of the list of omissions.
#[derive(Debug, Clone, Copy)]
pub struct LeftOut<'a> {
    /// Its title.
    pub title: &'a str,
    /// Why it was left out.
    pub reason: &'a str,
    /// Where it can be read.
    pub place: &'a str,
}

/// A rendering in its two parts; joined they are the whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parts {
    /// The instructions: the same for every pack of a profile.
    pub instructions: String,
    /// Everything after them.
    pub context: String,
}

impl Parts {
    /// The whole rendering.
    pub fn whole(&self) -> String {
        [&*self.instructions, &*self.context].concat()
    }
}

/// The frames' tag name: the first of `section`, `section-2`, … that no content uses as a tag.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Tag(u32);

impl Tag {
    /// The first tag that none of `contents` opens or closes, in any case.
    ///
    /// `<section` alone rules out every name that begins so only for the plain
    /// name: a content that says `</section-2>` rules out both.
    pub fn for_contents<'a>(contents: impl Iterator<Item = &'a str>) -> Self {
        let mut taken: Vec<u32> = contents.flat_map(taken).collect();
        taken.sort_unstable();
        taken.dedup();
        let free = (1..).zip(&taken).find(|(number, taken)| number != *taken);
        Self(free.map_or(taken.len() as u32 + 1, |(number, _)| number))
    }

    /// The name.
    pub fn name(self) -> Cow<'static, str> {
        match self.0 {
            1 => "section".into(),
            number => format!("section-{number}").into(),
        }
    }
}

/// The numbers of the tag names that stand in `content` right after `<` or `</`; 1 is the plain name.
fn taken(content: &str) -> Vec<u32> {
    const NAME: &[u8] = b"section";
    let bytes = content.as_bytes();
    let mut numbers = Vec::new();
    for (at, _) in content.match_indices('<') {
        let name = at + 1 + usize::from(bytes.get(at + 1) == Some(&b'/'));
        let Some(rest) = bytes.get(name..) else { continue };
        if rest.len() >= NAME.len() && rest[..NAME.len()].eq_ignore_ascii_case(NAME) {
            numbers.push(1);
            if let Some(number) = number_after(&rest[NAME.len()..]) {
                numbers.push(number);
            }
        }
    }
    numbers
}

fn number_after(rest: &[u8]) -> Option<u32> {
    let digits = rest.strip_prefix(b"-")?;
    let end = digits.iter().position(|b| !b.is_ascii_digit()).unwrap_or(digits.len());
    std::str::from_utf8(&digits[..end]).ok()?.parse().ok()
}

/// Renders instructions, framed sections and what was left out.
pub fn render<'a>(
    instructions: &str,
    frames: &[Frame<'_>],
    left_out: impl ExactSizeIterator<Item = LeftOut<'a>>,
) -> Parts {
    let tag = Tag::for_contents(frames.iter().map(|frame| frame.content));
    let mut context = String::new();
    for frame in frames {
        write_open(&mut context, tag, frame);
        context.push_str(frame.content);
        write_close(&mut context, tag);
    }
    let count = left_out.len();
    context.push_str(&footer(left_out, count));
    Parts { instructions: format!("{}\n\n", instructions.trim_end()), context }
}

/// What a frame adds to its content, as text: the opening line, the closing line and the empty line after it.
pub fn frame_size(tag: Tag, frame: &Frame<'_>) -> String {
    let mut text = String::new();
    write_open(&mut text, tag, frame);
    write_close(&mut text, tag);
    text
}

fn write_open(out: &mut String, tag: Tag, frame: &Frame<'_>) {
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
        out.push_str(&escape(value));
        out.push('"');
    }
    out.push_str(">\n");
}

fn write_close(out: &mut String, tag: Tag) {
    out.push_str("\n</");
    out.push_str(&tag.name());
    out.push_str(">\n\n");
}

/// The list of what was left out, with its final newline.
///
/// `left_out` may stop after the first [`LISTED`]; `count` is how many there are.
pub fn footer<'a>(left_out: impl Iterator<Item = LeftOut<'a>>, count: usize) -> String {
    if count == 0 {
        return "Left out: nothing\n".to_owned();
    }
    let mut text = format!("Left out: {count}\n");
    for omission in left_out.take(LISTED) {
        text.push_str("- ");
        let mut title = escape(omission.title).into_owned();
        if let Some((cut, _)) = title.char_indices().nth(LONGEST_TITLE) {
            title.truncate(cut);
            title.push('…');
        }
        // Writing to a `String` cannot fail.
        let _ = writeln!(text, "{title} ({}): {}", escape(omission.reason), escape(omission.place));
    }
    if count > LISTED {
        let _ = writeln!(text, "- and {} more, listed in the pack", count - LISTED);
    }
    text
}

/// Text on one line that can neither end an attribute nor open a tag.
pub fn escape(text: &str) -> Cow<'_, str> {
    if !text.contains(|c: char| matches!(c, '&' | '<' | '>' | '"') || c.is_control()) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame<'a>(id: &'a str, content: &'a str) -> Frame<'a> {
        Frame { id, kind: "issue", source: "a.md", trust: "trusted", state: "open", content }
    }

    #[test]
    fn no_content_can_close_its_frame() {
        for (content, tag) in [
            ("a section in prose", "section"),
            ("</section>", "section-2"),
            ("<SECTION id=\"x\">", "section-2"),
            ("</section> </section-2>", "section-3"),
            ("</section-2>", "section-3"),
            ("</section-3>", "section-2"),
        ] {
            let text = render("Do.", &[frame("x", content)], std::iter::empty()).whole();
            assert!(text.contains(&format!("<{tag} id=\"x\"")), "{text}");
            assert_eq!(text.matches(&format!("</{tag}>\n")).count(), 1, "{text}");
        }
    }

    #[test]
    fn attributes_stay_inside_their_quotes() {
        let text = render("Do.", &[frame("a\"\n>b", "c")], std::iter::empty()).whole();
        assert!(text.contains("id=\"a&quot; &gt;b\""), "{text}");
    }

    #[test]
    fn ten_omissions_are_listed_and_the_rest_is_counted() {
        let titles: Vec<String> = (0..12).map(|n| format!("title {n}")).collect();
        let list = footer(titles.iter().map(|title| LeftOut { title, reason: "budget", place: "p" }), 12);
        assert_eq!(list.lines().count(), 12);
        assert!(list.starts_with("Left out: 12\n- title 0 (budget): p\n"));
        assert!(list.ends_with("- and 2 more, listed in the pack\n"));
    }

    #[test]
    fn the_parts_joined_are_the_whole() {
        let parts = render("# Do\n", &[frame("x", "c")], std::iter::empty());
        assert_eq!(parts.instructions, "# Do\n\n");
        assert_eq!(
            parts.whole(),
            "# Do\n\n<section id=\"x\" kind=\"issue\" source=\"a.md\" trust=\"trusted\" state=\"open\">\nc\n</section>\n\nLeft out: nothing\n"
        );
    }
}
