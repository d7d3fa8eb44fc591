//! The reader of Markdown: one pass over the events of its parser.

use crate::markdown::front_matter::front_matter;
use crate::markdown::html::{Comments, breaks, last_strike_end, links, strikes, tags, texts};
use crate::markdown::inline::{GAP, InlinePart, LinkSpan, MarkdownText, Run, Traced};
use crate::markdown::outline::{Anchors, Block, Heading, Outline};
use crate::model::{LineStarts, ends_name, issue_url, with_plain_hyphens};
use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd};
use std::ops::Range;

impl Outline {
    /// Reads the blocks and headings of `text`.
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
        MarkdownReader { text, body_start, ..MarkdownReader::default() }.read()
    }
}

impl MarkdownReader<'_> {
    fn read(mut self) -> MarkdownText {
        let (text, body_start) = (self.text, self.body_start);
        self.lines = LineStarts::of(text);
        self.comments = Comments::of(text);
        let mut reader = self;
        if body_start > 0 {
            reader.block(0, false, None);
        }
        let options = Options::ENABLE_TABLES
            | Options::ENABLE_TASKLISTS
            | Options::ENABLE_STRIKETHROUGH
            | Options::ENABLE_FOOTNOTES;
        let parser = Parser::new_ext(&text[body_start..], options);
        let mut definitions: Vec<(Range<usize>, String)> = parser
            .reference_definitions()
            .iter()
            .map(|(_, definition)| (definition.span.clone(), definition.dest.to_string()))
            .collect();
        definitions.sort_by_key(|(span, _)| span.start);
        for (event, range) in parser.into_offset_iter() {
            reader.event(event, body_start + range.start..body_start + range.end);
        }
        reader.end_run();
        for (span, target) in definitions {
            reader.definition(body_start + span.start..body_start + span.end, target);
        }
        reader.finish()
    }
}

/// How much of a path is looked at for whether it is one of Windows.
const LONGEST_FOLDERS: usize = 256;

#[derive(Default)]
struct MarkdownReader<'a> {
    text: &'a str,
    body_start: usize,
    lines: LineStarts,
    blocks: Vec<Block>,
    /// The range of each block's events; the block itself also covers text that Markdown drops.
    spans: Vec<Range<usize>>,
    headings: Vec<Heading>,
    anchors: Anchors,
    parts: Vec<InlinePart>,
    depth: usize,
    run: Option<Run>,
    /// Links that are open.
    links: Vec<OpenLink>,
    /// For each open list item, whether it has had its first text, and whether it has a checkbox.
    items: Vec<(bool, bool)>,
    quotes: usize,
    struck: usize,
    /// Open elements such as `<del>` in the open run, and around it.
    struck_tags: (usize, usize),
    /// Where the last tag begins that ends such an element; found when first needed.
    last_strike_end: Option<usize>,
    images: usize,
    /// The text of the open code block.
    code_block: Option<Traced>,
    /// Whether that is a list of tasks as GitHub had them.
    is_tasklist: bool,
    /// Whether the text itself is one.
    in_tasklist: bool,
    heading: Option<(u8, String, usize)>,
    html: Option<(String, usize)>,
    comments: Comments,
    /// Where blocks of link definitions begin.
    definitions: Vec<usize>,
    /// The block that the last of them follows.
    defined: Option<usize>,
}

/// A link that is open.
struct OpenLink {
    /// Where its text begins in [`Run::spoken`] and [`Run::full`].
    spoken: usize,
    full: usize,
    target: String,
    source: usize,
    /// Whether it is an element `<a>`.
    is_html: bool,
}

impl MarkdownReader<'_> {
    fn event(&mut self, event: Event<'_>, range: Range<usize>) {
        match event {
            Event::Start(tag) => {
                if self.depth == 0 {
                    self.begin_block(&tag, &range);
                }
                self.depth += 1;
                self.start(tag, &range);
            }
            Event::End(tag) => {
                self.depth = self.depth.saturating_sub(1);
                if tag == TagEnd::Strong {
                    self.dunder(&range);
                }
                if matches!(tag, TagEnd::Strong | TagEnd::Emphasis) {
                    self.end_bold();
                }
                self.end(tag);
            }
            Event::Rule => {
                if self.depth == 0 {
                    self.begin(range.start, range.end, false, None);
                }
                self.end_run();
            }
            Event::TaskListMarker(_) => {
                if let Some(item) = self.items.last_mut() {
                    item.1 = true;
                }
            }
            Event::Text(part) => match &mut self.code_block {
                Some(code) => code.push(&part, range.start),
                None => self.push(&part, range.start),
            },
            Event::Code(code) => self.code(&code, range.start),
            Event::SoftBreak | Event::HardBreak => self.push("\n", range.start),
            Event::Html(html) => match &mut self.html {
                Some((all, _)) => all.push_str(&html),
                None => self.html = Some((html.into_string(), range.start)),
            },
            Event::InlineHtml(html) => self.inline_html(&html, range.start),
            _ => {}
        }
    }

    fn begin_block(&mut self, tag: &Tag<'_>, range: &Range<usize>) {
        let prose = matches!(tag, Tag::Paragraph | Tag::List(_));
        let fence = match tag {
            Tag::CodeBlock(CodeBlockKind::Fenced(_)) => self.fence(range.start),
            _ => None,
        };
        self.begin(range.start, range.end, prose, fence);
    }

    /// Begins a block at the line of `start`; text that Markdown drops before the first one belongs to it.
    fn begin(&mut self, start: usize, end: usize, prose: bool, fence: Option<String>) {
        let shown = start;
        let first = self.blocks.len() == usize::from(self.body_start > 0);
        let start = if first { self.body_start } else { self.lines.start_of(start) };
        if self.blocks.last().is_none_or(|last| last.range.start < start) {
            self.block(start, prose, fence);
        }
        if let Some(last) = self.spans.last_mut() {
            *last = shown..end;
        }
    }

    fn block(&mut self, start: usize, prose: bool, fence: Option<String>) {
        let line = self.lines.line(start);
        self.blocks.push(Block { range: start..start, line, heading: None, prose, fence });
        self.spans.push(start..start);
    }

    /// Returns the line that closes the fenced code block that begins at `start`.
    fn fence(&self, start: usize) -> Option<String> {
        let line = self.text.get(start..)?.lines().next()?.trim_start();
        let mark = line.chars().next()?;
        Some(line.chars().take_while(|c| *c == mark).collect())
    }

    fn start(&mut self, tag: Tag<'_>, range: &Range<usize>) {
        match tag {
            Tag::Paragraph | Tag::TableCell | Tag::TableHead | Tag::TableRow | Tag::Table(_) | Tag::List(_) => {
                self.end_run();
            }
            Tag::Heading { level, .. } => {
                self.end_run();
                if self.depth == 1 {
                    self.heading = Some((level_number(level), String::new(), range.start));
                }
            }
            Tag::Item => {
                self.end_run();
                self.items.push((false, false));
            }
            Tag::BlockQuote(_) => {
                self.end_run();
                self.quotes += 1;
            }
            Tag::CodeBlock(kind) => {
                self.end_run();
                let is_tasklist = |info: &str| info.trim().eq_ignore_ascii_case("[tasklist]");
                self.is_tasklist = matches!(kind, CodeBlockKind::Fenced(info) if is_tasklist(&info));
                self.code_block = Some(Traced::default());
            }
            Tag::HtmlBlock => self.end_run(),
            Tag::FootnoteDefinition(_) => self.end_run(),
            Tag::Strikethrough => self.struck += 1,
            Tag::Image { .. } => self.images += 1,
            Tag::Strong => {
                self.dunder(range);
                self.begin_bold(false);
            }
            Tag::Emphasis => self.begin_bold(true),
            Tag::Link { dest_url, .. } => self.begin_link(dest_url.into_string(), range.start, false),
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Heading(_) => self.end_heading(),
            TagEnd::Item => {
                self.end_run();
                self.items.pop();
            }
            TagEnd::BlockQuote(_) => {
                self.end_run();
                self.quotes = self.quotes.saturating_sub(1);
            }
            TagEnd::CodeBlock => self.end_code(),
            TagEnd::Strikethrough => self.struck = self.struck.saturating_sub(1),
            TagEnd::Image => self.images = self.images.saturating_sub(1),
            TagEnd::Link => self.end_link(false),
            TagEnd::HtmlBlock => self.end_html(),
            TagEnd::Paragraph | TagEnd::TableCell | TagEnd::List(_) | TagEnd::FootnoteDefinition => self.end_run(),
            _ => {}
        }
    }

    /// Keeps the underscores of `pkg/__init__.py`, which Markdown takes for strong emphasis.
    fn dunder(&mut self, strong: &Range<usize>) {
        let source = self.text.get(strong.clone()).is_some_and(|text| text.starts_with("__"));
        let name = |at: usize| self.text.as_bytes().get(at).is_some_and(u8::is_ascii_alphanumeric);
        let file = self.text.as_bytes().get(strong.end) == Some(&b'.') && name(strong.end + 1);
        if source && file && self.images == 0 {
            self.run().full.push("__", strong.start);
        }
    }

    /// Returns the open run, or a new one.
    fn run(&mut self) -> &mut Run {
        let first_of_item = match self.items.last_mut() {
            Some(item) if self.run.is_none() => !std::mem::replace(&mut item.0, true),
            _ => false,
        };
        let task = self.items.last().is_some_and(|item| item.1);
        self.run.get_or_insert_with(|| Run {
            quoted: self.quotes > 0,
            lists: self.items.len(),
            first_of_item,
            task,
            heading: self.heading.is_some(),
            ..Run::default()
        })
    }

    fn push(&mut self, part: &str, source: usize) {
        if self.images > 0 {
            if let Some((_, title, _)) = &mut self.heading {
                title.push_str(part);
            }
            return;
        }
        if let Some((_, title, _)) = &mut self.heading {
            title.push_str(if part == "\n" { " " } else { part });
        }
        let struck = self.is_struck();
        let separator = self.is_escaped_separator(part, source);
        let run = self.run();
        if separator {
            run.full.push("\\", source);
        }
        run.full.push(part, source);
        if !struck {
            run.spoken.push(&with_plain_hyphens(part), source);
        } else if !run.spoken.text.ends_with(' ') {
            // Struck text states nothing: `blocked by ~~#2~~ #3` names #3.
            run.spoken.push(" ", source);
        }
    }

    fn code(&mut self, code: &str, source: usize) {
        if let Some((_, title, _)) = &mut self.heading {
            title.push_str(code);
        }
        if self.images > 0 {
            return;
        }
        let struck = self.is_struck();
        let run = self.run();
        let start = run.full.text.len();
        run.full.push(code, source);
        run.codes.push(start..start + code.len());
        if !struck {
            run.spoken_codes.push((run.spoken.text.len(), code.to_owned()));
        }
        run.spoken.push(GAP.encode_utf8(&mut [0; 4]), source);
    }

    /// Follows the tags in a text that links, strikes through or breaks lines.
    fn inline_html(&mut self, html: &str, source: usize) {
        let Some((name, _, closing)) = tags(html).next() else { return };
        let is = |known: &str| name.eq_ignore_ascii_case(known);
        if is("br") {
            self.push("\n", source);
        } else if ["b", "strong", "i", "em"].into_iter().any(is) {
            if closing { self.end_bold() } else { self.begin_bold(is("i") || is("em")) }
        } else if is("a") && closing {
            self.end_link(true);
        } else if is("a") {
            if let Some((target, _)) = links(html).next() {
                self.begin_link(target.to_owned(), source, true);
            }
        } else if strikes(name) {
            self.struck_tags.0 = self.struck_by(self.struck_tags.0, source, closing);
        }
    }

    /// Returns how many struck elements are open after a tag. One without an end strikes nothing.
    fn struck_by(&mut self, open: usize, source: usize, closing: bool) -> usize {
        if closing {
            return open.saturating_sub(1);
        }
        let last = *self.last_strike_end.get_or_insert_with(|| last_strike_end(self.text));
        open + usize::from(source < last)
    }

    fn is_struck(&self) -> bool {
        self.struck + self.struck_tags.0 + self.struck_tags.1 > 0
    }

    /// Returns whether the `\` before a part, which Markdown takes for an escape, divides the path of Windows that the run ends
    /// with: `src\app\_private.py`.
    fn is_escaped_separator(&self, part: &str, source: usize) -> bool {
        let escaped = source.checked_sub(1).and_then(|at| self.text.as_bytes().get(at)) == Some(&b'\\');
        let inside = |run: &Run| {
            let text = &run.full.text;
            let near = &text[text.ceil_char_boundary(text.len().saturating_sub(LONGEST_FOLDERS))..];
            let word = near.rsplit(ends_name).next().unwrap_or_default();
            word.contains('\\') && !word.ends_with('\\')
        };
        escaped && part.starts_with(['_', '.', '(', '[', '@', '$', '-']) && self.run.as_ref().is_some_and(inside)
    }

    /// Notes that the run begins with bold or italic text, whose end is not known yet.
    fn begin_bold(&mut self, is_italic: bool) {
        if self.run.as_ref().is_none_or(|run| run.full.text.trim().is_empty()) && self.images == 0 {
            let run = self.run();
            run.italic = is_italic && run.bold == 0;
            run.bold = usize::MAX;
        }
    }

    /// Keeps how much of the run is bold, if all of it is.
    fn end_bold(&mut self) {
        if let Some(run) = &mut self.run
            && run.bold == usize::MAX
        {
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
        let struck = self.is_struck();
        let Some(run) = &mut self.run else { return };
        // The URL names the repo of an issue, its text often only `#12`.
        match issue_url(&target) {
            Some(url) if !struck => {
                run.spoken.truncate(spoken);
                while run.spoken_codes.pop_if(|(at, _)| *at >= spoken).is_some() {}
                while run.spoken_links.pop_if(|link| link.range.start >= spoken).is_some() {}
                run.spoken.push(url, source);
            }
            None if !struck => {
                run.spoken_links.push(LinkSpan { range: spoken..run.spoken.text.len(), target: target.clone() });
            }
            _ => {}
        }
        run.links.push(LinkSpan { range: full..run.full.text.len(), target });
    }

    /// Adds a code block, and what a list of tasks says.
    fn end_code(&mut self) {
        let Some(code) = self.code_block.take() else { return };
        let tasks = (self.is_tasklist && !self.in_tasklist && !self.comments.open()).then(|| {
            let reader =
                MarkdownReader { text: &code.text, in_tasklist: true, quotes: self.quotes, ..Default::default() };
            Box::new(reader.read().inside(&code))
        });
        self.parts.push(InlinePart::Code(code));
        self.parts.extend(tasks.map(InlinePart::Tasks));
    }

    fn end_run(&mut self) {
        self.links.clear();
        self.struck_tags.0 = 0;
        let Some(run) = self.run.take() else { return };
        if self.comments.open() {
            return;
        }
        self.parts.push(InlinePart::Run(run));
    }

    fn end_heading(&mut self) {
        let Some((level, title, start)) = self.heading.take() else {
            return self.end_run();
        };
        let title = title.split_whitespace().collect::<Vec<_>>().join(" ");
        self.parts.push(InlinePart::Heading(self.headings.len()));
        self.end_run();
        let block = self.blocks.len().saturating_sub(1);
        if let Some(last) = self.blocks.last_mut() {
            last.heading = Some(self.headings.len());
        }
        let anchor = self.anchors.assign(&title);
        self.headings.push(Heading { level, title, anchor, block, line: self.lines.line(start) });
    }

    /// Adds the targets of the links and the visible text of an HTML block.
    fn end_html(&mut self) {
        let Some((html, source)) = self.html.take() else {
            return;
        };
        for (shown, at) in self.comments.shown(&html, source) {
            for (target, offset) in links(shown) {
                self.parts.push(InlinePart::Link { target: target.to_owned(), source: at + offset });
            }
            self.run = Some(Run { quoted: self.quotes > 0, lists: self.items.len(), ..Run::default() });
            for (text, tag, offset) in texts(shown) {
                self.push(text, at + offset);
                self.html_tag(tag, at + offset + text.len());
            }
            self.links.clear();
            self.parts.extend(self.run.take().map(InlinePart::Html));
        }
    }

    /// Follows a tag of an HTML block.
    fn html_tag(&mut self, tag: &str, source: usize) {
        let Some((name, _, closing)) = tags(tag).next() else { return };
        if strikes(name) {
            self.struck_tags.1 = self.struck_by(self.struck_tags.1, source, closing);
        } else if breaks(name) {
            self.push("\n", source);
        } else if name.eq_ignore_ascii_case("a") && closing {
            self.end_link(true);
        } else if name.eq_ignore_ascii_case("a")
            && let Some((target, _)) = links(tag).next()
        {
            self.open_link(target.to_owned(), source, true);
        }
    }

    /// Adds a link definition: a link, and a block of its own at depth 0.
    fn definition(&mut self, span: Range<usize>, target: String) {
        self.parts.push(InlinePart::Link { target, source: span.start });
        let start = self.lines.start_of(span.start);
        let before = self.blocks.partition_point(|block| block.range.start <= start).checked_sub(1);
        let Some(span_before) = before.and_then(|before| self.spans.get(before)) else {
            return;
        };
        // The range of a list may reach over a definition at the margin that ends it.
        let above = self.text.get(..start).unwrap_or_default().trim_end_matches('\n');
        let margin = span.start == start && start - above.len() > 1;
        // One inside a list or a quote, or before the first block, is a part of that.
        let outside = span.start >= span_before.end || margin && span.start > span_before.start;
        if outside && before != self.defined {
            self.definitions.push(start);
            self.defined = before;
        }
    }

    fn finish(mut self) -> MarkdownText {
        if self.blocks.len() == usize::from(self.body_start > 0) && self.body_start < self.text.len() {
            self.block(self.body_start, false, None);
        }
        let mut blocks = Vec::with_capacity(self.blocks.len() + self.definitions.len());
        let mut definitions = self.definitions.into_iter().peekable();
        let define = |start: usize, lines: &LineStarts| Block {
            range: start..start,
            line: lines.line(start),
            heading: None,
            prose: false,
            fence: None,
        };
        for block in self.blocks {
            while let Some(start) = definitions.next_if(|start| *start < block.range.start) {
                blocks.push(define(start, &self.lines));
            }
            if let Some(heading) = block.heading.and_then(|index| self.headings.get_mut(index)) {
                heading.block = blocks.len();
            }
            blocks.push(block);
        }
        blocks.extend(definitions.map(|start| define(start, &self.lines)));
        let ends: Vec<usize> = blocks.iter().skip(1).map(|block| block.range.start).collect();
        for (block, end) in blocks.iter_mut().zip(ends.into_iter().chain([self.text.len()])) {
            block.range.end = end;
        }
        let outline = Outline { blocks, headings: self.headings };
        MarkdownText { outline, parts: self.parts, lines: self.lines }
    }
}

fn level_number(level: HeadingLevel) -> u8 {
    match level {
        HeadingLevel::H1 => 1,
        HeadingLevel::H2 => 2,
        HeadingLevel::H3 => 3,
        HeadingLevel::H4 => 4,
        HeadingLevel::H5 => 5,
        HeadingLevel::H6 => 6,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tiles(text: &str) -> Outline {
        let read = Outline::read(text);
        let (mut end, mut line) = (0, 1);
        for block in &read.blocks {
            assert_eq!((block.range.start, block.line as usize), (end, line), "{text:?}");
            end = block.range.end;
            line += text[block.range.clone()].matches('\n').count();
        }
        assert_eq!(end, text.len(), "{text:?}");
        read
    }

    fn parts(text: &str) -> Vec<&str> {
        tiles(text).blocks.into_iter().map(|block| &text[block.range]).collect()
    }

    #[test]
    fn blocks_tile_every_text() {
        for text in [
            "",
            "\n",
            "a",
            "\n\na\n\n\nb",
            "---\na: 1\n---\n",
            "---\na: 1\n---\n\n# T\n",
            "[a]: b\n",
            "\n\n[a]: b\n\ntext\n",
            "[a]: b\n\ntext\n\n[c]: d\n",
            "    code\n\n- a\n\n  b\n\n> q\n\n***\n",
            "| a |\n|---|\n| b |\ntail\n",
            "text[^1]\n\n[^1]: note\n",
            "<div>\n\n</div>\n日本\n",
        ] {
            tiles(text);
        }
        assert_eq!(
            parts("\n# T\ntext\nmore\n\n- a\n- b\n[x]: y\n\n[v]: y\n[z]: y\n\nend"),
            ["\n# T\n", "text\nmore\n\n", "- a\n- b\n[x]: y\n\n", "[v]: y\n[z]: y\n\n", "end"]
        );
    }

    #[test]
    fn prose_and_fences_are_marked() {
        assert_eq!(parts("\n\n[a]: b\n\ntext\n"), ["\n\n[a]: b\n\ntext\n"]);
        let read = tiles("---\na: 1\n---\ntext\n\n````md\n```\n````\n\n~~~\nopen\n");
        let found: Vec<_> = read.blocks.iter().map(|b| (b.prose, b.fence.as_deref())).collect();
        assert_eq!(found, [(false, None), (true, None), (false, Some("````")), (false, Some("~~~"))]);
    }

    #[test]
    fn headings_count_at_depth_0_only_and_never_in_code_or_front_matter() {
        let read = tiles(
            "---\n# a: 1\nb: 2\n---\n# One `two` *three*\n\n```\n## Code\n```\n\n> ## Quoted\n\n- ## Listed\n\nSetext\nlines\n---\n",
        );
        let found: Vec<_> = read.headings.iter().map(|h| (h.level, h.title.as_str(), h.line, h.block)).collect();
        assert_eq!(found, [(1, "One two three", 5, 1), (2, "Setext lines", 15, 5)]);
        assert_eq!(read.blocks[1].heading, Some(0));
    }

    #[test]
    fn headings_keep_their_block_after_link_definitions() {
        let read = tiles("text\n\n[a]: b\n\n# T\n");
        assert_eq!((read.headings[0].block, read.blocks[2].heading, read.blocks.len()), (2, Some(0), 3));
    }

    #[test]
    fn anchors_are_those_of_github() {
        let read = tiles("# What's new?\n# Foo & Bar\n# foo\n# Foo\n# foo-1\n# Foo\n# a_b-c 日本!\n# [Link](x) text\n");
        let anchors: Vec<_> = read.headings.iter().map(|h| h.anchor.as_str()).collect();
        assert_eq!(anchors, ["whats-new", "foo--bar", "foo", "foo-1", "foo-1-1", "foo-2", "a_b-c-日本", "link-text"]);
    }

    #[test]
    fn a_section_ends_at_the_next_heading_of_its_level() {
        let text = "# A\n\n## B\nb\n\n### C\nc\n\n## D\nd\n";
        let read = tiles(text);
        let section = |anchor| read.section(text.len(), anchor).map(|range| &text[range]);
        assert_eq!(section("b"), Some("## B\nb\n\n### C\nc\n\n"));
        assert_eq!(section("#D"), Some("## D\nd\n"));
        assert_eq!(section("a"), Some(text));
        assert_eq!(section("x"), None);
    }

    #[test]
    fn blocks_tile_hostile_texts() {
        for piece in
            ["[", "# a\n", "> ", "- ", "*a_", "`", "|a", "![", "<!--", "<a ", "~~", "\n\n", "a\n===\n", "&#", "[^1]: "]
        {
            tiles(&piece.repeat(100_000 / piece.len()));
        }
        tiles(&"x".repeat(1 << 20));
    }
}
