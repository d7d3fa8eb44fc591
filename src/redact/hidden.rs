//! What strangers can put into Markdown that its reader on a page does not see, or did not ask for.

use super::advice;
use super::engine::{Redactor, Removal};
use super::hygiene::{self, INVISIBLE};
use super::rules::Label;
use crate::model::{Digest, Fold};
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use std::collections::BTreeMap;
use std::ops::Range;

/// What a record says of a comment.
pub(super) static COMMENT: Label =
    Label { name: "hidden-comment", reason: "is a comment that nobody sees on the page", rank: 9 };

/// What a record says of an image.
pub(super) static IMAGE: Label =
    Label { name: "remote-image", reason: "is an image or a frame that would be loaded from elsewhere", rank: 9 };

/// Tags that load something when a page is shown.
const LOADING: [&str; 9] = ["img", "source", "video", "audio", "iframe", "embed", "object", "picture", "image"];

/// A text without what was hidden in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Revealed {
    /// The text; not scrubbed yet.
    pub text: String,
    /// What was taken out; the piece is 0, lines are those of the text as it was.
    pub removals: Vec<Removal>,
    /// Where line ends went with it.
    pub folds: Vec<Fold>,
}

impl Redactor {
    /// Takes comments, remote images and invisible entities out of Markdown that anyone could write.
    ///
    /// What stands in code is seen, and stays. `path` serves the user's allowances.
    pub fn revealed(&self, path: &str, text: &str) -> Revealed {
        let mut edits = edits(text);
        edits.retain(|(range, label)| !self.allows(path, label, &text[range.clone()]));
        edits.sort_by_key(|(range, _)| (range.start, std::cmp::Reverse(range.end)));
        let mut revealed =
            Revealed { text: String::with_capacity(text.len()), removals: Vec::new(), folds: Vec::new() };
        let mut records: BTreeMap<(u32, &str), (u32, &Label)> = BTreeMap::new();
        let (mut at, mut line, mut out_line) = (0, 1_u32, 1_u32);
        for (range, label) in edits {
            if range.start < at {
                continue;
            }
            let between = &text[at..range.start];
            revealed.text.push_str(between);
            line += line_ends(between);
            out_line += line_ends(between);
            records.entry((line, label.name)).or_insert((0, label)).0 += 1;
            if label.name != INVISIBLE.name {
                // A marker, so that what stands before and after cannot become something new.
                revealed.text.push_str("[REDACTED:");
                revealed.text.push_str(label.name);
                revealed.text.push(']');
            }
            let removed = &text[range.clone()];
            let kept_end = usize::from(removed.ends_with('\n'));
            let gone = line_ends(&removed[..removed.len() - kept_end]);
            if gone > 0 {
                revealed.folds.push(Fold { line: out_line, lines: gone });
                line += gone;
            }
            at = range.end - kept_end;
        }
        revealed.text.push_str(&text[at..]);
        let place = if records.is_empty() { None } else { self.place(path) };
        revealed.removals = records
            .into_iter()
            .map(|((line, _), (count, label))| Removal {
                piece: 0,
                line,
                rule: label.name.to_owned(),
                reason: label.reason.to_owned(),
                to_include: advice::to_include(label.name, place),
                count,
            })
            .collect();
        revealed
    }

    /// Whether the user lets a finding through: every part that an entry gives must match.
    fn allows(&self, path: &str, label: &Label, text: &str) -> bool {
        self.allow.iter().any(|entry| {
            entry.path.as_ref().is_none_or(|glob| glob.is_match(path))
                && entry.rule.as_deref().is_none_or(|rule| rule == label.name)
                && entry.sha256.as_ref().is_none_or(|wanted| Digest::of(text).hex().eq_ignore_ascii_case(wanted))
        })
    }
}

/// The places of what is hidden, in no order; they may overlap.
fn edits(text: &str) -> Vec<(Range<usize>, &'static Label)> {
    // Each of them needs one of these marks.
    if !text.contains(['<', '!', '&']) && !text.contains("]:") {
        return Vec::new();
    }
    let options =
        Options::ENABLE_TABLES | Options::ENABLE_TASKLISTS | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_FOOTNOTES;
    let parser = Parser::new_ext(text, options);
    let mut edits = Vec::new();
    for (_, definition) in parser.reference_definitions().iter() {
        if matches!(&*definition.dest, "" | "#") {
            edits.push((definition.span.clone(), &COMMENT));
        }
    }
    let (mut in_code, mut hidden_to) = (false, 0);
    for (event, range) in parser.into_offset_iter() {
        match event {
            Event::Start(Tag::CodeBlock(_)) => in_code = true,
            Event::End(TagEnd::CodeBlock) => in_code = false,
            Event::Start(Tag::Image { dest_url, .. }) if is_remote(&dest_url) => edits.push((range, &IMAGE)),
            Event::Html(_) | Event::InlineHtml(_) if range.end > hidden_to => {
                hidden_to = html(text, range.start.max(hidden_to)..range.end, &mut edits);
            }
            Event::Text(shown)
                if !in_code && text[range.clone()].starts_with('&') && shown.chars().all(hygiene::is_invisible) =>
            {
                edits.push((range, &INVISIBLE));
            }
            _ => {}
        }
    }
    edits
}

/// Reads a piece of HTML; returns where the last comment ends that begins in it.
fn html(text: &str, range: Range<usize>, edits: &mut Vec<(Range<usize>, &'static Label)>) -> usize {
    let mut at = range.start;
    while let Some(start) = text[at..range.end].find('<').map(|offset| at + offset) {
        let rest = &text[start..];
        let end = if rest.starts_with("<!--") {
            // `<!-->` is a whole one. Without an end it hides all that follows.
            Some(rest[2..].find("-->").map_or(text.len(), |end| start + 2 + end + 3))
        } else if rest.starts_with("<![CDATA[") {
            rest.find("]]>").map(|end| start + end + 3)
        } else if rest.starts_with("<?") {
            rest.find("?>").map(|end| start + end + 2)
        } else if rest.starts_with("<!") {
            rest.find('>').map(|end| start + end + 1)
        } else {
            None
        };
        if let Some(end) = end {
            edits.push((start..end, &COMMENT));
            at = end;
            if at >= range.end {
                return at;
            }
            continue;
        }
        let name = rest[1..].split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default();
        let tag = &rest[..rest.find('>').map_or(rest.len(), |end| end + 1)];
        if LOADING.iter().any(|known| known.eq_ignore_ascii_case(name)) && tag.contains("//") {
            edits.push((start..start + tag.len(), &IMAGE));
            at = start + tag.len();
        } else {
            at = start + 1;
        }
        if at >= range.end {
            break;
        }
    }
    range.end
}

/// Whether an image's address leads out of the text and its repo.
fn is_remote(address: &str) -> bool {
    address.starts_with("//")
        || address.split_once(':').is_some_and(|(scheme, _)| {
            scheme.len() > 1 && scheme.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.'))
        })
}

fn line_ends(text: &str) -> u32 {
    u32::try_from(text.bytes().filter(|b| *b == b'\n').count()).unwrap_or(u32::MAX)
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use crate::config;

    fn revealed(text: &str) -> (String, Vec<(u32, String, u32)>) {
        let redactor = Redactor::new(&config::load("contextpack.yml", None).unwrap().redaction);
        let found = redactor.revealed("x.json", text);
        (found.text, found.removals.into_iter().map(|removal| (removal.line, removal.rule, removal.count)).collect())
    }

    const C: &str = "[REDACTED:hidden-comment]";
    const I: &str = "[REDACTED:remote-image]";

    #[test]
    fn comments_become_markers_and_are_counted_at_their_line() {
        let (text, removals) =
            revealed("a <!-- b -->c\n\n<!-- d\n\ne --> f\n\n<?x y?>\n\n[//]: # (note)\n\n[n]: <> 'm'\ng <!-->\n");
        assert_eq!(text, format!("a {C}c\n\n{C} f\n\n{C}\n\n{C}\n\n{C}\ng {C}\n"));
        let lines: Vec<u32> = removals.iter().map(|(line, ..)| *line).collect();
        assert_eq!(lines, [1, 3, 7, 9, 11, 12]);
        assert!(removals.iter().all(|(_, rule, count)| rule == "hidden-comment" && *count == 1));
    }

    #[test]
    fn one_without_an_end_hides_the_rest_only_where_it_begins_a_block() {
        assert_eq!(revealed("a\n\n<!-- b\n\nc").0, format!("a\n\n{C}"));
        assert_eq!(revealed("a <!-- b\n\nc").0, "a <!-- b\n\nc");
        assert_eq!(revealed("<div>\n<!--\n\nb\n\n-->\nc</div>").0, format!("<div>\n{C}\nc</div>"));
        assert_eq!(revealed("x <!<!-- a -->-- b -->").0, format!("x <!{C}-- b -->"));
    }

    #[test]
    fn remote_images_are_taken_and_those_of_the_repo_stay() {
        let (text, removals) = revealed(
            "![a](https://x.org/1.png) [![b](//x.org/2)](https://x.org) ![c](docs/c.png) ![d][e]\n\n[e]: data:image/png;base64,AA\n\n<p><IMG alt='x' src=\"https://x.org\"></p>\n",
        );
        assert_eq!(
            text,
            format!("{I} [{I}](https://x.org) ![c](docs/c.png) {I}\n\n[e]: data:image/png;base64,AA\n\n<p>{I}</p>\n")
        );
        assert_eq!(removals, [(1, "remote-image".to_owned(), 3), (5, "remote-image".to_owned(), 1)]);
    }

    #[test]
    fn invisible_entities_leave_and_code_stays() {
        assert_eq!(
            revealed("a&#8203;b&zwj;c &amp; &copy;"),
            ("abc &amp; &copy;".to_owned(), vec![(1, "invisible-text".to_owned(), 2)])
        );
        for seen in
            ["`<!-- a -->` ![x", "```html\n<!-- a -->\n![i](https://x.org)&#8203;\n```\n", "    <!-- a -->\n", "plain"]
        {
            assert_eq!(revealed(seen), (seen.to_owned(), vec![]), "{seen}");
        }
    }

    #[test]
    fn hostile_texts_take_bounded_time() {
        for piece in ["<!--", "<!-- -->", "<img ", "![](", "[//]: # (", "<", "&#8203;", "<div>\n\n<!--\n\n"] {
            let text = piece.repeat(200_000 / piece.len());
            let _ = revealed(&text);
        }
    }
}
