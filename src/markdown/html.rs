//! The visible parts of HTML.

/// HTML comments, which may begin in one HTML block and end in another.
#[derive(Default)]
pub(super) struct Comments {
    pub(super) is_open: bool,
    last_end: usize,
}

impl Comments {
    pub(super) fn of(text: &str) -> Self {
        Self { is_open: false, last_end: text.rfind("-->").unwrap_or(0) }
    }

    pub(super) fn shown<'h>(&mut self, html: &'h str, source: usize) -> Vec<(&'h str, usize)> {
        let (mut parts, mut at) = (Vec::new(), 0);
        while at < html.len() {
            let rest = &html[at..];
            if self.is_open {
                let Some(end) = rest.find("-->") else { break };
                self.is_open = false;
                at += end + 3;
                continue;
            }
            // One without an end hides nothing from a reader of the source.
            let start = rest.find("<!--").filter(|start| source + at + start < self.last_end);
            let end = start.unwrap_or(rest.len());
            parts.push((&rest[..end], source + at));
            self.is_open = start.is_some();
            at += end + if self.is_open { 4 } else { 0 };
        }
        parts
    }
}

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

pub(super) fn tag_name(tag: &str) -> Option<(String, bool)> {
    let tag = tag.strip_prefix('<')?;
    let name = tag.strip_prefix('/').unwrap_or(tag);
    let length = name.bytes().take_while(u8::is_ascii_alphanumeric).count();
    Some((name[..length].to_ascii_lowercase(), name.len() < tag.len()))
}

/// Returns where the last tag begins that ends struck text: a tag behind it strikes nothing.
pub(super) fn last_strike_end(text: &str) -> usize {
    let ends = ["</del>", "</s>", "</strike>", "</DEL>", "</S>", "</STRIKE>"];
    ends.iter().filter_map(|end| text.rfind(end)).max().unwrap_or(0)
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
