//! The reader of Markdown: one pass over the events of its parser.

use crate::markdown::front_matter::front_matter;
use crate::markdown::inline::{GAP, InlinePart, LinkSpan, MarkdownText, Run, Traced};
use crate::markdown::outline::{Outline, OutlineBuilder};
use crate::model::{ends_name, issue_url, with_plain_hyphens};
use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};
use std::ops::Range;

const LONGEST_FOLDERS: usize = 256;

impl Outline {
    pub fn read(text: &str) -> Self {
        MarkdownText::read(text).outline
    }
}

impl MarkdownText {
    /// Reads `text` in one pass.
    ///
    /// Tables, task lists, strike-through and footnotes are on; front matter is not read as Markdown.
    pub fn read(text: &str) -> Self {
        let body_start = front_matter(text).map_or(0, |found| found.body);
        MarkdownReader::of(text, body_start).read(body_start)
    }
}

#[derive(Default)]
struct MarkdownReader<'a> {
    text: &'a str,
    outline: OutlineBuilder<'a>,
    parts: Vec<InlinePart>,
    depth: usize,
    run: Option<Run>,
    links: Vec<OpenLink>,
    /// For each open list item, whether it has had its first text, and whether it has a checkbox.
    items: Vec<(bool, Option<bool>)>,
    quotes: usize,
    images: usize,
    struck: usize,
    /// Open elements such as `<del>` in the open run, and around it.
    struck_tags: (usize, usize),
    /// Where the last tag begins that ends such an element; found when first needed.
    last_strike_end: Option<usize>,
    /// The text of the open code block, and whether that is a list of tasks as GitHub had them.
    code_block: Option<(Traced, bool)>,
    in_tasklist: bool,
    /// The level of the open heading at depth 0, its title so far, and where it begins.
    heading: Option<(u8, String, usize)>,
    html: Option<(String, usize)>,
    comments: Comments,
}

struct OpenLink {
    spoken: usize,
    full: usize,
    target: String,
    source: usize,
    is_html: bool,
}

impl<'a> MarkdownReader<'a> {
    fn of(text: &'a str, body_start: usize) -> Self {
        let (outline, comments) = (OutlineBuilder::of(text, body_start), Comments::of(text));
        Self { text, outline, comments, ..Self::default() }
    }

    fn read(mut self, body_start: usize) -> MarkdownText {
        let options = Options::ENABLE_TABLES
            | Options::ENABLE_TASKLISTS
            | Options::ENABLE_STRIKETHROUGH
            | Options::ENABLE_FOOTNOTES;
        let parser = Parser::new_ext(&self.text[body_start..], options);
        let in_text = |span: &Range<usize>| body_start + span.start..body_start + span.end;
        let defined = parser.reference_definitions().iter();
        let mut defined: Vec<_> = defined.map(|(_, it)| (in_text(&it.span), it.dest.to_string())).collect();
        defined.sort_by_key(|(span, _)| span.start);
        for (event, range) in parser.into_offset_iter() {
            self.event(event, in_text(&range));
        }
        self.end_run();
        let (spans, targets): (Vec<_>, Vec<_>) = defined.into_iter().unzip();
        let definition = |(target, span): (String, &Range<usize>)| InlinePart::Link { target, source: span.start };
        self.parts.extend(targets.into_iter().zip(&spans).map(definition));
        let (outline, lines) = self.outline.finish(&spans);
        MarkdownText { outline, parts: self.parts, lines }
    }

    fn event(&mut self, event: Event<'_>, range: Range<usize>) {
        match event {
            Event::Start(tag) => {
                if self.depth == 0 {
                    self.outline.begin(Some(&tag), &range);
                }
                self.depth += 1;
                self.start(tag, range);
            }
            Event::End(tag) => {
                self.depth = self.depth.saturating_sub(1);
                self.end(tag, range);
            }
            Event::Rule => {
                if self.depth == 0 {
                    self.outline.begin(None, &range);
                }
                self.end_run();
            }
            Event::TaskListMarker(is_ticked) => {
                if self.quotes == 0 {
                    self.outline.add_boxes((is_ticked.into(), 1));
                }
                if let Some((_, ticked)) = self.items.last_mut() {
                    *ticked = Some(is_ticked);
                }
            }
            Event::Text(part) => match &mut self.code_block {
                Some((code, _)) => code.push(&part, range.start),
                None => self.push(&part, range.start),
            },
            Event::Code(code) => self.code(&code, range.start),
            Event::SoftBreak | Event::HardBreak => self.push("\n", range.start),
            Event::Html(html) => match &mut self.html {
                Some((all, _)) => all.push_str(&html),
                None => self.html = Some((html.into_string(), range.start)),
            },
            Event::InlineHtml(html) => self.html_tag(&html, range.start, false),
            _ => {}
        }
    }

    fn start(&mut self, tag: Tag<'_>, range: Range<usize>) {
        match tag {
            Tag::Strikethrough => return self.struck += 1,
            Tag::Image { .. } => return self.images += 1,
            Tag::Strong => {
                self.keep_underscores(&range);
                return self.begin_bold(false);
            }
            Tag::Emphasis => return self.begin_bold(true),
            Tag::Link { dest_url, .. } => return self.begin_link(dest_url.into_string(), range.start, false),
            _ => self.end_run(),
        }
        match tag {
            Tag::Heading { level, .. } if self.depth == 1 => {
                self.heading = Some((level as u8, String::new(), range.start));
            }
            Tag::Item => self.items.push((false, None)),
            Tag::BlockQuote(_) => self.quotes += 1,
            Tag::CodeBlock(kind) => {
                let is_tasklist = |info: &str| info.trim().eq_ignore_ascii_case("[tasklist]");
                let is_tasklist = matches!(kind, CodeBlockKind::Fenced(info) if is_tasklist(&info));
                self.code_block = Some((Traced::default(), is_tasklist));
            }
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd, range: Range<usize>) {
        match tag {
            TagEnd::Strikethrough => self.struck = self.struck.saturating_sub(1),
            TagEnd::Image => self.images = self.images.saturating_sub(1),
            TagEnd::Strong => {
                self.keep_underscores(&range);
                self.end_bold();
            }
            TagEnd::Emphasis => self.end_bold(),
            TagEnd::Link => self.end_link(false),
            TagEnd::CodeBlock => self.end_code(),
            TagEnd::HtmlBlock => self.end_html(),
            TagEnd::Heading(_) => {
                if let Some((level, title, start)) = self.heading.take() {
                    let index = self.outline.heading(level, &title, start);
                    self.parts.push(InlinePart::Heading(index));
                }
                self.end_run();
            }
            _ => {
                self.end_run();
                match tag {
                    TagEnd::Item => drop(self.items.pop()),
                    TagEnd::BlockQuote(_) => self.quotes = self.quotes.saturating_sub(1),
                    _ => {}
                }
            }
        }
    }

    /// Keeps the underscores of `pkg/__init__.py`, which Markdown takes for strong emphasis.
    fn keep_underscores(&mut self, strong: &Range<usize>) {
        let after = &self.text.as_bytes()[strong.end..];
        let is_file = matches!(after, [b'.', letter, ..] if letter.is_ascii_alphanumeric());
        if is_file && self.text[strong.start..].starts_with("__") && self.images == 0 {
            self.run().full.push("__", strong.start);
        }
    }

    fn run(&mut self) -> &mut Run {
        let (quoted, lists, heading) = (self.quotes > 0, self.items.len(), self.heading.is_some());
        let item = self.items.last_mut();
        self.run.get_or_insert_with(|| {
            let (first_of_item, ticked) =
                item.map_or((false, None), |item| (!std::mem::replace(&mut item.0, true), item.1));
            Run { quoted, lists, first_of_item, ticked, heading, ..Run::default() }
        })
    }

    /// Adds a part to the title of the open heading, and returns whether it is the text of an image, which is in no run.
    fn is_in_image(&mut self, part: &str) -> bool {
        if let Some((_, title, _)) = &mut self.heading {
            title.push_str(part);
        }
        self.images > 0
    }

    fn push(&mut self, part: &str, source: usize) {
        if self.is_in_image(part) {
            return;
        }
        let is_struck = self.is_struck();
        let is_separator = self.is_escaped_separator(part, source);
        let run = self.run();
        if is_separator {
            run.full.push("\\", source);
        }
        run.full.push(part, source);
        if !is_struck {
            run.spoken.push(&with_plain_hyphens(part), source);
        } else if !run.spoken.text.ends_with(' ') {
            // Struck text states nothing: `blocked by ~~#2~~ #3` names #3.
            run.spoken.push(" ", source);
        }
    }

    fn code(&mut self, code: &str, source: usize) {
        if self.is_in_image(code) {
            return;
        }
        let is_struck = self.is_struck();
        let run = self.run();
        let start = run.full.text.len();
        run.full.push(code, source);
        run.codes.push(start..start + code.len());
        if !is_struck {
            run.spoken_codes.push((run.spoken.text.len(), code.to_owned()));
        }
        run.spoken.push(GAP.encode_utf8(&mut [0; 4]), source);
    }

    /// Follows a tag that links, strikes through, breaks lines or makes bold; the links of an HTML block are parts already.
    fn html_tag(&mut self, tag: &str, source: usize, in_block: bool) {
        let Some((name, is_closing)) = tag_name(tag) else { return };
        match &*name {
            "br" => self.push("\n", source),
            "div" | "li" | "p" | "td" | "tr" if in_block => self.push("\n", source),
            "b" | "strong" | "i" | "em" if in_block => {}
            "b" | "strong" | "i" | "em" if is_closing => self.end_bold(),
            "b" | "strong" | "i" | "em" => self.begin_bold(matches!(&*name, "i" | "em")),
            "a" if is_closing => self.end_link(true),
            "a" => match links(tag).next() {
                Some((target, _)) if in_block => self.open_link(target.to_owned(), source, true),
                Some((target, _)) => self.begin_link(target.to_owned(), source, true),
                None => {}
            },
            "del" | "s" | "strike" => {
                // One without an end strikes nothing.
                let last = *self.last_strike_end.get_or_insert_with(|| last_strike_end(self.text));
                let open = if in_block { &mut self.struck_tags.1 } else { &mut self.struck_tags.0 };
                *open = if is_closing { open.saturating_sub(1) } else { *open + usize::from(source < last) };
            }
            _ => {}
        }
    }

    fn is_struck(&self) -> bool {
        self.struck + self.struck_tags.0 + self.struck_tags.1 > 0
    }

    /// Returns whether the `\` before a part, which Markdown takes for an escape, divides the path of Windows that the run ends
    /// with: `src\app\_private.py`.
    fn is_escaped_separator(&self, part: &str, source: usize) -> bool {
        let is_escaped = source.checked_sub(1).and_then(|at| self.text.as_bytes().get(at)) == Some(&b'\\');
        let is_inside = |run: &Run| {
            let text = &run.full.text;
            let near = &text[text.ceil_char_boundary(text.len().saturating_sub(LONGEST_FOLDERS))..];
            let word = near.rsplit(ends_name).next().unwrap_or_default();
            word.contains('\\') && !word.ends_with('\\')
        };
        is_escaped && part.starts_with(['_', '.', '(', '[', '@', '$', '-']) && self.run.as_ref().is_some_and(is_inside)
    }

    fn begin_bold(&mut self, is_italic: bool) {
        if self.run.as_ref().is_none_or(|run| run.full.text.trim().is_empty()) && self.images == 0 {
            let run = self.run();
            run.italic = is_italic && run.bold == 0;
            run.bold = usize::MAX;
        }
    }

    fn end_bold(&mut self) {
        if let Some(run) = self.run.as_mut().filter(|run| run.bold == usize::MAX) {
            run.bold = run.full.text.len();
        }
    }

    fn begin_link(&mut self, target: String, source: usize, is_html: bool) {
        self.parts.push(InlinePart::Link { target: target.clone(), source });
        self.open_link(target, source, is_html);
    }

    fn open_link(&mut self, target: String, source: usize, is_html: bool) {
        let run = self.run();
        let (spoken, full) = (run.spoken.text.len(), run.full.text.len());
        self.links.push(OpenLink { spoken, full, target, source, is_html });
    }

    fn end_link(&mut self, is_html: bool) {
        // Elements in the text of a link end with it.
        let Some(at) = self.links.iter().rposition(|link| link.is_html == is_html) else { return };
        let OpenLink { spoken, full, target, source, .. } = self.links.swap_remove(at);
        self.links.truncate(at);
        let is_struck = self.is_struck();
        let Some(run) = &mut self.run else { return };
        if !is_struck {
            // The URL names the repo of an issue, its text often only `#12`.
            if let Some(url) = issue_url(&target) {
                run.spoken.truncate(spoken);
                run.spoken_codes.truncate(run.spoken_codes.partition_point(|(at, _)| *at < spoken));
                while run.spoken_links.pop_if(|link| link.range.start >= spoken).is_some() {}
                run.spoken.push(url, source);
            } else {
                let range = spoken..run.spoken.text.len();
                run.spoken_links.push(LinkSpan { range, target: target.clone() });
            }
        }
        run.links.push(LinkSpan { range: full..run.full.text.len(), target });
    }

    fn end_code(&mut self) {
        let Some((code, is_tasklist)) = self.code_block.take() else { return };
        let tasks = (is_tasklist && !self.in_tasklist && !self.comments.is_open).then(|| {
            let reader = MarkdownReader { in_tasklist: true, quotes: self.quotes, ..MarkdownReader::of(&code.text, 0) };
            let tasks = reader.read(0).inside(&code);
            self.outline.add_boxes(tasks.outline.boxes);
            InlinePart::Tasks(Box::new(tasks))
        });
        self.parts.push(InlinePart::Code(code));
        self.parts.extend(tasks);
    }

    fn end_run(&mut self) {
        self.links.clear();
        self.struck_tags.0 = 0;
        let run = self.run.take().filter(|_| !self.comments.is_open);
        self.parts.extend(run.map(InlinePart::Run));
    }

    fn end_html(&mut self) {
        let Some((html, source)) = self.html.take() else { return };
        for (shown, at) in self.comments.shown(&html, source) {
            let link =
                |(target, offset): (&str, usize)| InlinePart::Link { target: target.to_owned(), source: at + offset };
            self.parts.extend(links(shown).map(link));
            self.run = Some(Run { quoted: self.quotes > 0, lists: self.items.len(), ..Run::default() });
            for (text, tag, offset) in texts(shown) {
                self.push(text, at + offset);
                self.html_tag(tag, at + offset + text.len(), true);
            }
            self.links.clear();
            self.parts.extend(self.run.take().map(InlinePart::Html));
        }
    }
}

/// HTML comments, which may begin in one HTML block and end in another.
#[derive(Default)]
struct Comments {
    is_open: bool,
    last_end: usize,
}

impl Comments {
    fn of(text: &str) -> Self {
        Self { is_open: false, last_end: text.rfind("-->").unwrap_or(0) }
    }

    fn shown<'h>(&mut self, html: &'h str, source: usize) -> Vec<(&'h str, usize)> {
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

fn links(html: &str) -> impl Iterator<Item = (&str, usize)> {
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

fn tag_name(tag: &str) -> Option<(String, bool)> {
    let tag = tag.strip_prefix('<')?;
    let name = tag.strip_prefix('/').unwrap_or(tag);
    let length = name.bytes().take_while(u8::is_ascii_alphanumeric).count();
    Some((name[..length].to_ascii_lowercase(), name.len() < tag.len()))
}

/// Returns where the last tag begins that ends struck text: a tag behind it strikes nothing.
fn last_strike_end(text: &str) -> usize {
    let ends = ["</del>", "</s>", "</strike>", "</DEL>", "</S>", "</STRIKE>"];
    ends.iter().filter_map(|end| text.rfind(end)).max().unwrap_or(0)
}

/// Returns the text between the tags of a piece of HTML with its offsets, each with the tag that follows it.
fn texts(html: &str) -> impl Iterator<Item = (&str, &str, usize)> {
    let mut at = 0;
    html.split_inclusive('>').map(move |piece| {
        let start = at;
        at += piece.len();
        let (text, tag) = piece.split_at(piece.find('<').unwrap_or(piece.len()));
        (text, tag, start)
    })
}
