//! A reader of renderings, written from docs/rendering.md and from nothing else.
#![expect(clippy::expect_used, reason = "tests")]

/// What a rendering says.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Read {
    pub(crate) tag: String,
    pub(crate) instructions: String,
    pub(crate) frames: Vec<Framed>,
    /// The lines of the list of pointers.
    pub(crate) pointers: Vec<String>,
    /// How many omissions there are, and those that are listed.
    pub(crate) count: usize,
    pub(crate) lines: Vec<Line>,
}

/// A frame: `id`, `kind`, `source`, `trust` and `state`, and the content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Framed {
    pub(crate) attributes: [String; 5],
    pub(crate) content: String,
}

/// A line of the list of omissions.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Line {
    pub(crate) what: String,
    pub(crate) title: String,
    pub(crate) reason: String,
    pub(crate) untrusted: bool,
    pub(crate) place: String,
}

/// Reads a rendering of the form `markdown/2`.
pub(crate) fn two(text: &str) -> Read {
    // The last line names the tag, and the first line that opens it begins the context.
    let tag = text.strip_suffix(">\n").and_then(|text| Some(text.rsplit_once("\n</")?.1)).expect("a last line");
    assert!(is_tag(tag), "{tag:?}");
    let open = format!("<{tag} ");
    let start = text.match_indices(&open).map(|(at, _)| at).find(|at| *at == 0 || text[..*at].ends_with('\n'));
    let (instructions, mut rest) = text.split_at(start.expect("a first frame"));
    let mut frames = Vec::new();
    loop {
        let (frame, after) = frame(tag, rest);
        frames.push(frame);
        if after.is_empty() {
            break;
        }
        rest = after.strip_prefix('\n').expect("an empty line between frames");
    }
    let list = frames.pop().unwrap();
    let attributes = frames.iter().chain([&list]).flat_map(|frame| &frame.attributes).chain([&list.content]);
    attributes.for_each(|text| assert!(!text.contains(['\u{2028}', '\u{2029}']), "{text:?}"));
    let (count, lines) = omissions(&list);
    let has_pointers = |frame: &mut Framed| frame.attributes[0] == "pointers" && frame.attributes[1] == "pointers";
    let pointers = frames.pop_if(has_pointers).map_or_else(Vec::new, |list| {
        let line = |line: &str| {
            let text = line.strip_prefix("- ").expect("a line of the list of pointers");
            text.strip_prefix("untrusted: ").unwrap_or(text).to_owned()
        };
        list.content.split('\n').map(line).collect()
    });
    Read { tag: tag.to_owned(), instructions: instructions.to_owned(), frames, pointers, count, lines }
}

/// Reads the context of a rendering of the form `markdown/1`: its frames, and the text after them.
pub(crate) fn one(context: &str) -> (Vec<Framed>, &str) {
    let (mut frames, mut rest) = (Vec::new(), context);
    let tag = context.strip_prefix('<').map(|text| &text[..text.find(' ').unwrap()]);
    while rest.starts_with('<') {
        let (frame, after) = frame(tag.unwrap(), rest);
        frames.push(frame);
        rest = after.strip_prefix('\n').expect("an empty line after a frame");
    }
    (frames, rest)
}

fn is_tag(tag: &str) -> bool {
    let number = tag.strip_prefix("section-").map(|digits| digits.parse::<u64>().map(|number| (number, digits)));
    tag == "section" || matches!(number, Some(Ok((number, digits))) if number > 1 && number.to_string() == digits)
}

/// A frame, and what follows the line that closes it.
fn frame<'a>(tag: &str, text: &'a str) -> (Framed, &'a str) {
    let mut rest = text.strip_prefix(&format!("<{tag}")).expect("a line that opens a frame");
    let attributes = ["id", "kind", "source", "trust", "state"].map(|name| {
        let quoted = rest.strip_prefix(&format!(" {name}=\"")).expect(name);
        let (value, after) = quoted.split_once('"').expect(name);
        rest = after;
        unescaped(value)
    });
    let body = rest.strip_prefix(">\n").expect("the end of the opening line");
    let close = format!("\n</{tag}>\n");
    // A content may be empty: its line end is the one before the close.
    let end = body.find(&close).expect("a line that closes the frame");
    (Framed { attributes, content: body[..end].to_owned() }, &body[end + close.len()..])
}

fn omissions(list: &Framed) -> (usize, Vec<Line>) {
    let [id, kind, source, trust, state] = &list.attributes;
    assert_eq!([&**id, &**kind, &**source, &**state], ["left-out", "omissions", "", ""]);
    let mut rest = list.content.split('\n').peekable();
    if list.content == "Left out: nothing" {
        assert_eq!(trust, "trusted");
        return (0, Vec::new());
    }
    let (mut count, mut lines) = (0, Vec::new());
    if let Some(left_out) = rest.next_if(|line| line.starts_with("Left out: ")) {
        count = left_out["Left out: ".len()..].parse().expect("a count");
        lines.extend(rest.by_ref().take(count.min(10)).map(line));
        assert_eq!(lines.len(), count.min(10));
        if count > 10 {
            assert_eq!(
                rest.next(),
                Some(&*format!("- and {} more, in the `omissions` of the pack's JSON", count - 10))
            );
        }
    }
    let mut shortened = 0;
    if let Some(heading) = rest.next() {
        let number =
            heading.strip_suffix(" sections are shortened:").or(heading.strip_suffix(" section is shortened:"));
        let number: usize = number.expect("a count of shortened sections").parse().unwrap();
        while let Some(line) = rest.next_if(|line| line.contains(": ")) {
            let (id, place) =
                line.strip_prefix("- ").and_then(|line| line.split_once(": ")).expect("a shortened section");
            assert!(!unescaped(id).is_empty() && !unescaped(place).is_empty());
            shortened += 1;
        }
        assert!(shortened <= number.min(10));
        let more = number - shortened;
        let more = (more > 0).then(|| match shortened {
            0 => format!("- {more} in `pointers`"),
            _ => format!("- and {more} more, in `pointers` or marked where they are cut"),
        });
        assert_eq!((rest.next(), rest.next()), (more.as_deref(), None));
    }
    assert!(trust == "untrusted" || !lines.iter().any(|line| line.untrusted));
    assert!(trust == "trusted" || shortened > 0 || lines.iter().any(|line| line.untrusted));
    (count, lines)
}

fn line(line: &str) -> Line {
    let (what, rest) = line.strip_prefix("- ").and_then(|line| line.split_once('"')).expect(line);
    let (title, rest) = rest.split_once('"').expect(line);
    let (reason, place) = rest.strip_prefix(" (").and_then(|rest| rest.split_once("): ")).expect(line);
    let (reason, untrusted) = reason.strip_suffix(", untrusted").map_or((reason, false), |reason| (reason, true));
    let what = unescaped(what.strip_suffix(' ').unwrap_or(what));
    Line { what, title: unescaped(title), reason: unescaped(reason), untrusted, place: unescaped(place) }
}

fn unescaped(text: &str) -> String {
    assert!(text.chars().all(|c| !matches!(c, '<' | '>' | '"') && !c.is_control()), "{text:?}");
    let mut parts = text.split('&');
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (name, rest) = part.split_once(';').expect("an entity");
        out.push_str(match name {
            "amp" => "&",
            "lt" => "<",
            "gt" => ">",
            "quot" => "\"",
            other => panic!("&{other};"),
        });
        out.push_str(rest);
    }
    out
}

/// A text as an attribute or a line shows it.
pub(crate) fn flat(text: &str) -> String {
    text.chars().map(|c| if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}') { ' ' } else { c }).collect()
}

/// The first `most` characters of a text as a line shows it, with a mark where there are more.
pub(crate) fn cut(text: &str, most: usize) -> String {
    let cut: String = text.chars().take(most).collect();
    flat(&cut) + if cut.len() < text.len() { "…" } else { "" }
}
