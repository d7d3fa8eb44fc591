//! Conflicts of two versions of a file: the markers that git leaves in it.

/// What a line is in a text with a conflict.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Marker {
    Start,
    Base,
    Middle,
    End,
}

fn marker(line: &str) -> Option<Marker> {
    match line.as_bytes() {
        [b'<', ..] if line.starts_with("<<<<<<< ") => Some(Marker::Start),
        [b'|', ..] if line.starts_with("|||||||") => Some(Marker::Base),
        b"=======" => Some(Marker::Middle),
        [b'>', ..] if line.starts_with(">>>>>>> ") => Some(Marker::End),
        _ => None,
    }
}

/// Returns the number of the line with which git's markers of a conflict begin, from 1.
///
/// A text about conflicts may show one marker: all must be there, in their order.
pub fn conflict_line(text: &str) -> Option<u32> {
    memchr::memmem::find(text.as_bytes(), b"<<<<<<< ")?;
    first_conflict(text.lines().map(|line| (line, true)))
}

/// Returns what [`conflict_line`] does for a Markdown text, in which markers inside fenced code are text.
pub fn conflict_in_markdown(text: &str) -> Option<u32> {
    memchr::memmem::find(text.as_bytes(), b"<<<<<<< ")?;
    let mut fence: Option<(char, usize)> = None;
    first_conflict(text.lines().map(|line| {
        let content = line.trim();
        let first = content.chars().next().filter(|c| matches!(c, '`' | '~'));
        let run = first.map_or(0, |first| content.chars().take_while(|c| *c == first).count());
        let was_open = fence.is_some();
        match (fence, first) {
            (None, Some(first)) if run >= 3 && !(first == '`' && content[run..].contains('`')) => {
                fence = Some((first, run));
            }
            (Some((open, length)), Some(first)) if first == open && run >= length && content.len() == run => {
                fence = None;
            }
            _ => {}
        }
        (line, !was_open)
    }))
}

/// Returns the number of the first line that begins a conflict; each line comes with whether it may. One that may not is text,
/// and so are the markers that follow it. A side of a conflict may open a fence that the other one closes.
fn first_conflict<'a>(lines: impl Iterator<Item = (&'a str, bool)>) -> Option<u32> {
    let mut first = None;
    let mut has_middle = false;
    for (number, (line, may_begin)) in (1..).zip(lines) {
        match (marker(line), first) {
            (Some(Marker::Start), _) => (first, has_middle) = (may_begin.then_some(number), false),
            (Some(Marker::Middle), Some(_)) => has_middle = true,
            (Some(Marker::End), Some(_)) if has_middle => return first,
            _ => {}
        }
    }
    None
}

/// Returns the two texts that a conflict leaves to choose from. Lines that a side lacks are empty in it, so that all keep
/// their numbers.
pub fn conflict_sides(text: &str) -> [String; 2] {
    let mut sides = [String::with_capacity(text.len()), String::with_capacity(text.len())];
    let mut within = None;
    for line in text.split_inclusive('\n') {
        let found = marker(line.trim_end_matches('\n'));
        let kept = match (found, within) {
            (Some(Marker::Start), _) | (Some(_), Some(_)) => {
                within = found.filter(|marker| *marker != Marker::End);
                [false, false]
            }
            (_, None) => [true, true],
            (None, Some(part)) => [part == Marker::Start, part == Marker::Middle],
        };
        for (side, kept) in sides.iter_mut().zip(kept) {
            side.push_str(if kept { line } else { "\n" });
        }
    }
    sides
}
