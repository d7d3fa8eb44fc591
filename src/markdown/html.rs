//! The visible parts of HTML blocks.

/// HTML comments, which may begin in one HTML block and end in another.
#[derive(Debug, Default)]
pub(super) struct Comments {
    open: bool,
    /// Where the last comment of the text ends.
    last_end: usize,
}

impl Comments {
    /// Returns the comments of a text, of which nothing was read yet.
    pub(super) fn of(text: &str) -> Self {
        Self { open: false, last_end: text.rfind("-->").unwrap_or(0) }
    }

    /// Returns whether a comment is open after the last block.
    pub(super) fn open(&self) -> bool {
        self.open
    }

    /// Returns the parts of the HTML block at `source` outside comments, and where they begin.
    pub(super) fn shown<'h>(&mut self, html: &'h str, source: usize) -> Vec<(&'h str, usize)> {
        let (mut parts, mut at) = (Vec::new(), 0);
        while at < html.len() {
            let rest = &html[at..];
            if self.open {
                let Some(end) = rest.find("-->") else { break };
                self.open = false;
                at += end + 3;
                continue;
            }
            let start = rest.find("<!--");
            // One without an end hides nothing from a reader of the source.
            let start = start.filter(|start| source + at + start < self.last_end);
            let end = start.unwrap_or(rest.len());
            parts.push((&rest[..end], source + at));
            self.open = start.is_some();
            at += end + if self.open { 4 } else { 0 };
        }
        parts
    }
}

/// Returns the targets of the links in a piece of HTML with their offsets.
pub(super) fn links(html: &str) -> impl Iterator<Item = (&str, usize)> {
    html.match_indices('=').filter_map(|(at, _)| {
        let before = html[..at].trim_end();
        let start = before.len().checked_sub(4)?;
        let named = before.get(start..)?.eq_ignore_ascii_case("href");
        // `data-href` is another attribute.
        if !named || !before[..start].ends_with(|c: char| c.is_whitespace() || matches!(c, '"' | '\'')) {
            return None;
        }
        let value = html[at + 1..].trim_start();
        // An attribute that is not closed ends with its line.
        let target = match value.chars().next()? {
            quote @ ('"' | '\'') => value[1..].split([quote, '\n']).next()?,
            _ => value.split(|c: char| c.is_whitespace() || c == '>').next()?,
        };
        Some((target, start)).filter(|(target, _)| !target.is_empty())
    })
}

/// Returns the names of the tags in a piece of HTML with their offsets, and whether each is a closing one.
pub(super) fn tags(html: &str) -> impl Iterator<Item = (&str, usize, bool)> {
    html.match_indices('<').map(|(at, _)| {
        let tag = &html[at + 1..];
        let name = tag.strip_prefix('/').unwrap_or(tag);
        let length = name.bytes().take_while(u8::is_ascii_alphanumeric).count();
        (&name[..length], at, name.len() < tag.len())
    })
}

/// Returns whether the text in an element of this name is struck through.
pub(super) fn strikes(name: &str) -> bool {
    ["del", "s", "strike"].iter().any(|known| name.eq_ignore_ascii_case(known))
}

/// Returns where the last tag begins that ends struck text: a tag behind it strikes nothing.
pub(super) fn last_strike_end(text: &str) -> usize {
    let ends = ["</del>", "</s>", "</strike>", "</DEL>", "</S>", "</STRIKE>"];
    ends.iter().filter_map(|end| text.rfind(end)).max().unwrap_or(0)
}

/// Returns whether an element of this name begins a line.
pub(super) fn breaks(name: &str) -> bool {
    ["br", "div", "li", "p", "td", "tr"].iter().any(|known| name.eq_ignore_ascii_case(known))
}

/// Returns the text between the tags of a piece of HTML with its offsets, each with the tag that follows it.
pub(super) fn texts(html: &str) -> impl Iterator<Item = (&str, &str, usize)> {
    let mut at = 0;
    html.split_inclusive('>').map(move |piece| {
        let start = at;
        at += piece.len();
        let (text, tag) = piece.split_at(piece.find('<').unwrap_or(piece.len()));
        (text, tag, start)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_are_hidden_over_blocks_and_one_without_an_end_hides_nothing() {
        let text = "a<!-- b -->c<!-- d\n\ne --> f <!-- g";
        let mut comments = Comments::of(text);
        assert_eq!(comments.shown(&text[..18], 0), [("a", 0), ("c", 11)]);
        assert!(comments.open());
        assert_eq!(comments.shown(&text[20..], 20), [(" f <!-- g", 25)]);
        assert!(!comments.open());
    }

    #[test]
    fn links_and_texts_are_found_with_their_offsets() {
        let html = "<a href=\"x.md\">T</a> <a href='y.md'>U";
        assert_eq!(links(html).collect::<Vec<_>>(), [("x.md", 3), ("y.md", 24)]);
        let others = "<a class=\"b\" HREF = z.md id=q><a data-href=\"n.md\" title=href=x>";
        assert_eq!(links(others).collect::<Vec<_>>(), [("z.md", 13)]);
        assert_eq!(tags("<S>x</del >").collect::<Vec<_>>(), [("S", 0, false), ("del", 4, true)]);
        let messages: Vec<_> = texts(html).filter(|(text, ..)| !text.trim().is_empty()).collect();
        assert_eq!(messages, [("T", "</a>", 15), ("U", "", 36)]);
    }
}
