//! Redacted Markdown → its blocks in order, each with the text that a reader sees and where that stands in the source.

use super::chunks::chunks;
use super::commands::is_for_shell;
use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd};
use std::ops::Range;

/// A line in bold with at most this many bytes is a label of the lines below it.
const LABEL: usize = 30;

/// The kinds of blocks.
#[derive(Debug, Clone)]
pub(super) enum BlockKind {
    Heading(u8),
    Paragraph,
    /// The first text of a list item.
    Item,
    /// A list begins; the block before it may introduce it.
    ListStart {
        ordered: bool,
    },
    ListEnd,
    /// A row of a table; the first one is its head.
    Row {
        is_head: bool,
        cells: Vec<InlineText>,
    },
    /// The content of a code block, by its place in the source, and whether it is meant for a shell.
    Code {
        ranges: Vec<Range<usize>>,
        is_shell: bool,
    },
}

/// A block of a document.
#[derive(Debug, Clone)]
pub(super) struct Block {
    pub(super) kind: BlockKind,
    pub(super) text: InlineText,
    /// How many lists it is in.
    pub(super) depth: usize,
    /// Whether it quotes somebody; notes and warnings in the form of a quotation do not count.
    pub(super) is_quoted: bool,
    /// Whether it is a footnote.
    pub(super) is_footnote: bool,
    /// Whether the task is done, if it is an item of a list of tasks.
    pub(super) task: Option<bool>,
}

/// A stretch of inline markup around text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Span {
    /// Its place in the visible text.
    pub(super) shown: Range<usize>,
    /// Its place in the source, with its markup.
    pub(super) source: Range<usize>,
    pub(super) kind: SpanKind,
}

/// The kinds of inline markup that matter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SpanKind {
    Code,
    Strong,
    Emphasis,
    Struck,
    Link,
}

/// The visible text of a block: parts of the source joined by spaces and line ends. Code keeps its backticks.
#[derive(Debug, Clone, Default)]
pub(super) struct InlineText {
    pub(super) shown: String,
    /// Where each part begins, in the visible text and in the source, in order.
    parts: Vec<(usize, usize)>,
    pub(super) spans: Vec<Span>,
    pub(super) images: usize,
}

impl InlineText {
    fn push(&mut self, text: &str, source: usize) {
        if self.parts.is_empty() {
            // Most blocks are no longer, so they are not copied while they grow.
            self.shown.reserve(256);
            self.parts.reserve(8);
        }
        self.parts.push((self.shown.len(), source));
        self.shown.push_str(text);
    }

    /// Returns the place in the source of a non-empty range of the visible text, with the markup that belongs to it alone.
    pub(super) fn source(&self, shown: &Range<usize>) -> Range<usize> {
        let place = |at: usize| {
            let part = self.parts.partition_point(|(start, _)| *start <= at).saturating_sub(1);
            self.parts.get(part).map_or(0, |(start, source)| source + (at - start))
        };
        let last = shown.end.saturating_sub(1).max(shown.start);
        let (mut start, mut end) = (place(shown.start), place(last) + 1);
        let first = self.spans.partition_point(|span| span.shown.start < shown.start);
        for span in self.spans[first..].iter().take_while(|span| span.shown.start == shown.start) {
            if span.shown.end <= shown.end {
                start = start.min(span.source.start);
            }
        }
        // The spans that begin in the range are few: each belongs to one sentence.
        for span in self.spans[first..].iter().take_while(|span| span.shown.start < shown.end) {
            if span.shown.end <= shown.end && span.shown.end >= shown.end.saturating_sub(1) {
                end = end.max(span.source.end);
            }
        }
        start..end
    }

    /// Returns the parts of the source that make up a range of the visible text, without markup.
    pub(super) fn pieces(&self, shown: &Range<usize>) -> impl Iterator<Item = Range<usize>> + '_ {
        let (from, to) = (shown.start, shown.end);
        let first = self.parts.partition_point(|(start, _)| *start <= from).saturating_sub(1);
        (first..self.parts.len()).map_while(move |index| {
            let (start, source) = self.parts[index];
            let end = self.parts.get(index + 1).map_or(self.shown.len(), |next| next.0);
            if start >= to {
                return None;
            }
            let (low, high) = (from.max(start), to.min(end));
            Some(source + (low - start)..source + (high.max(low) - start))
        })
    }

    /// Returns whether a range lies within one span of a kind that begins with it or with the text; its last character may
    /// stand behind the span.
    pub(super) fn is_within(&self, kind: SpanKind, range: &Range<usize>) -> bool {
        let first = self.spans.partition_point(|span| span.shown.start < range.start);
        let starting = self.spans[first..].iter().take_while(|span| span.shown.start == range.start);
        let leading = self.spans.iter().take_while(|span| span.shown.start == 0);
        starting.chain(leading).any(|span| span.kind == kind && span.shown.end + 1 >= range.end)
    }

    /// Returns whether the whole text is strong.
    pub(super) fn is_strong(&self) -> bool {
        let text = self.shown.trim_end_matches([':', '：', ' ']);
        self.spans.iter().any(|it| it.kind == SpanKind::Strong && it.shown.start == 0 && it.shown.end >= text.len())
            && !text.is_empty()
    }
}

/// Calls `visit` with each block of `text`, in order. Large texts are read in parts of bounded size.
pub(super) fn read(text: &str, visit: &mut dyn FnMut(Block)) {
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_GFM;
    for range in chunks(text) {
        let mut reader = BlockReader { text, visit, state: State::default() };
        for (event, at) in Parser::new_ext(&text[range.clone()], options).into_offset_iter() {
            reader.event(event, range.start + at.start..range.start + at.end);
        }
        reader.end_text();
    }
}

struct BlockReader<'a> {
    text: &'a str,
    visit: &'a mut dyn FnMut(Block),
    state: State,
}

#[derive(Default)]
struct State {
    open: InlineText,
    /// The kind of the open block; `None` until its first text.
    kind: Option<BlockKind>,
    /// For each open list item whether it has had its first text.
    items: Vec<bool>,
    lists: usize,
    /// For each open quotation whether it is somebody else's words.
    quotes: Vec<bool>,
    /// How many of them are.
    foreign_quotes: usize,
    footnotes: usize,
    images: usize,
    /// The mark of the open item, if it is a task.
    task: Option<bool>,
    /// The open spans, by their index.
    open_spans: Vec<usize>,
    cells: Vec<InlineText>,
    /// The code of the open block, and whether its language is a shell, if it has one.
    code: Option<(Vec<Range<usize>>, Option<bool>)>,
}

impl BlockReader<'_> {
    fn event(&mut self, event: Event<'_>, range: Range<usize>) {
        match event {
            Event::Start(tag) => self.start(&tag, range),
            Event::End(tag) => self.end(tag),
            Event::Text(_) => match &mut self.state.code {
                Some((ranges, _)) => ranges.push(range),
                None => self.push(range),
            },
            Event::Code(_) => {
                self.span(SpanKind::Code, range.clone());
                self.push(range);
                self.end_span();
            }
            // `**Warning**` on a line of its own is no part of the sentence below it.
            Event::SoftBreak => {
                let open = &self.state.open;
                let is_label = open.shown.len() <= LABEL && open.is_strong();
                self.push_break(if is_label { "\n" } else { " " }, range.start);
            }
            Event::TaskListMarker(is_done) => self.state.task = Some(is_done),
            Event::HardBreak => self.push_break("\n", range.start),
            Event::InlineHtml(html) if html.to_ascii_lowercase().starts_with("<br") => {
                self.push_break("\n", range.start);
            }
            _ => {}
        }
    }

    fn start(&mut self, tag: &Tag<'_>, range: Range<usize>) {
        match tag {
            Tag::Heading { level, .. } => {
                self.end_text();
                self.state.kind = Some(BlockKind::Heading(level_number(*level)));
            }
            Tag::List(first) => {
                self.end_text();
                self.emit(BlockKind::ListStart { ordered: first.is_some() }, InlineText::default());
                self.state.lists += 1;
            }
            Tag::Item => {
                self.end_text();
                self.state.items.push(false);
                self.state.task = None;
            }
            Tag::BlockQuote(alert) => {
                self.end_text();
                let quotes_others = alert.is_none() && !is_remark(&self.text[range]);
                self.state.foreign_quotes += usize::from(quotes_others);
                self.state.quotes.push(quotes_others);
            }
            Tag::CodeBlock(kind) => {
                self.end_text();
                let is_shell = match kind {
                    CodeBlockKind::Fenced(language) if !language.trim().is_empty() => Some(is_shell(language)),
                    _ => None,
                };
                self.state.code = Some((Vec::new(), is_shell));
            }
            Tag::FootnoteDefinition(_) => {
                self.end_text();
                self.state.footnotes += 1;
            }
            Tag::Table(_) | Tag::HtmlBlock | Tag::Paragraph => self.end_text(),
            Tag::TableHead | Tag::TableRow => self.state.cells.clear(),
            Tag::TableCell => self.state.kind = Some(BlockKind::Paragraph),
            Tag::Strong => self.span(SpanKind::Strong, range),
            Tag::Emphasis => self.span(SpanKind::Emphasis, range),
            Tag::Strikethrough => self.span(SpanKind::Struck, range),
            Tag::Link { .. } => self.span(SpanKind::Link, range),
            Tag::Image { .. } => {
                self.state.images += 1;
                self.state.open.images += 1;
            }
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Item => {
                self.end_text();
                self.state.items.pop();
            }
            TagEnd::List(_) => {
                self.end_text();
                self.state.lists = self.state.lists.saturating_sub(1);
                self.emit(BlockKind::ListEnd, InlineText::default());
            }
            TagEnd::BlockQuote(_) => {
                self.end_text();
                let quoted_others = self.state.quotes.pop() == Some(true);
                self.state.foreign_quotes -= usize::from(quoted_others);
            }
            TagEnd::CodeBlock => {
                if let Some((ranges, is_shell)) = self.state.code.take() {
                    let code = ranges.first().and_then(|range| self.text.get(range.clone())).unwrap_or_default();
                    let is_shell = is_shell.unwrap_or_else(|| is_for_shell(code));
                    self.emit(BlockKind::Code { ranges, is_shell }, InlineText::default());
                }
            }
            TagEnd::FootnoteDefinition => {
                self.end_text();
                self.state.footnotes = self.state.footnotes.saturating_sub(1);
            }
            TagEnd::TableCell => {
                let cell = std::mem::take(&mut self.state.open);
                self.state.kind = None;
                self.state.cells.push(cell);
            }
            TagEnd::TableHead | TagEnd::TableRow => {
                let cells = std::mem::take(&mut self.state.cells);
                self.emit(BlockKind::Row { is_head: tag == TagEnd::TableHead, cells }, InlineText::default());
            }
            TagEnd::Image => self.state.images = self.state.images.saturating_sub(1),
            TagEnd::Strong | TagEnd::Emphasis | TagEnd::Strikethrough | TagEnd::Link => self.end_span(),
            TagEnd::Heading(_) | TagEnd::Paragraph => self.end_text(),
            _ => {}
        }
    }

    fn push(&mut self, range: Range<usize>) {
        if self.state.images > 0 {
            return;
        }
        if let Some(part) = self.text.get(range.clone()) {
            self.state.open.push(part, range.start);
        }
    }

    fn push_break(&mut self, text: &str, source: usize) {
        if self.state.images == 0 && !self.state.open.shown.is_empty() {
            self.state.open.push(text, source);
        }
    }

    fn span(&mut self, kind: SpanKind, source: Range<usize>) {
        let open = &mut self.state.open;
        self.state.open_spans.push(open.spans.len());
        open.spans.push(Span { shown: open.shown.len()..usize::MAX, source, kind });
    }

    fn end_span(&mut self) {
        let open = &mut self.state.open;
        if let Some(span) = self.state.open_spans.pop().and_then(|index| open.spans.get_mut(index)) {
            span.shown.end = open.shown.len();
        }
    }

    /// Ends the open text, if there is any.
    fn end_text(&mut self) {
        let kind = self.state.kind.take();
        self.state.open_spans.clear();
        let text = std::mem::take(&mut self.state.open);
        if text.shown.trim().is_empty() && kind.is_none() {
            return;
        }
        let kind = kind.unwrap_or_else(|| {
            let is_first = self.state.items.last_mut().is_some_and(|has_text| !std::mem::replace(has_text, true));
            if is_first { BlockKind::Item } else { BlockKind::Paragraph }
        });
        self.emit(kind, text);
    }

    fn emit(&mut self, kind: BlockKind, text: InlineText) {
        let task = if matches!(kind, BlockKind::Item) { self.state.task.take() } else { None };
        (self.visit)(Block {
            kind,
            text,
            depth: self.state.lists,
            is_quoted: self.state.foreign_quotes > 0,
            is_footnote: self.state.footnotes > 0,
            task,
        });
    }
}

/// Returns whether a quotation is a note or a warning of the document itself, such as `> **Note** …`.
fn is_remark(quotation: &str) -> bool {
    const WORDS: [&str; 14] = [
        "note",
        "warning",
        "important",
        "caution",
        "tip",
        "hinweis",
        "achtung",
        "wichtig",
        "attention",
        "remarque",
        "nota",
        "importante",
        "注意",
        "重要",
    ];
    let start = &quotation[..quotation.floor_char_boundary(60)];
    let first = start.lines().next().unwrap_or_default();
    let start = first.trim_start_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    let marked = first.trim_start_matches(['>', ' ']).starts_with(|c: char| !c.is_alphanumeric() && c != '"');
    WORDS.iter().any(|word| {
        start.strip_prefix(word).is_some_and(|rest| {
            rest.starts_with([':', '：', '*', '_', '!', ']']) || marked && !rest.starts_with(char::is_alphanumeric)
        })
    })
}

fn is_shell(language: &str) -> bool {
    const SHELLS: [&str; 12] = [
        "sh",
        "bash",
        "shell",
        "console",
        "zsh",
        "fish",
        "shell-session",
        "terminal",
        "powershell",
        "ps1",
        "cmd",
        "shellsession",
    ];
    let word = language.split([' ', ',', '{']).next().unwrap_or_default();
    SHELLS.iter().any(|shell| word.eq_ignore_ascii_case(shell))
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
