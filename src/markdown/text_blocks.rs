//! Markdown → the blocks of text that a reader sees, in order, at any depth.

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};
use std::ops::Range;

/// What a block of text is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TextBlockKind {
    /// A heading of this level, 1 to 6.
    Heading(u8),
    /// A paragraph; also one of a list item, after its first text.
    Paragraph,
    /// The first text of a list item.
    Item,
    /// A list begins.
    ListStart {
        /// Whether its items are numbered.
        ordered: bool,
    },
    /// The list that began last ends.
    ListEnd,
    /// A row of a table.
    Row {
        /// Whether it is the first, which names the columns.
        is_head: bool,
        /// The cells.
        cells: Vec<Range<usize>>,
    },
    /// A code block with the first word after its fence, which is empty if there is none.
    Code {
        /// The language.
        language: String,
    },
}

/// A block of text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextBlock {
    /// What it is.
    pub kind: TextBlockKind,
    /// The bytes of its text with inline markup, of a code block those between the fences; lines of a quotation keep their `>`.
    pub range: Range<usize>,
    /// Where the outermost quotation around it begins, but for alerts such as `> [!NOTE]`.
    pub quotation: Option<usize>,
    /// Whether it is in a footnote.
    pub is_footnote: bool,
}

/// Calls `visit` with each block of `text`, in order.
pub fn text_blocks(text: &str, visit: &mut dyn FnMut(TextBlock)) {
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_GFM;
    let mut reader = Reader {
        visit,
        open: None,
        kind: None,
        items: Vec::new(),
        quotes: Vec::new(),
        cells: Vec::new(),
        footnotes: 0,
    };
    for (event, range) in Parser::new_ext(text, options).into_offset_iter() {
        reader.event(&event, range);
    }
    reader.end_text();
}

struct Reader<'v> {
    visit: &'v mut dyn FnMut(TextBlock),
    /// The text of the open block so far.
    open: Option<Range<usize>>,
    /// The kind of the open block, if its tag says one.
    kind: Option<TextBlockKind>,
    /// For each open list item whether it has had its first text.
    items: Vec<bool>,
    /// The beginning of each open quotation; `None` for an alert.
    quotes: Vec<Option<usize>>,
    cells: Vec<Range<usize>>,
    footnotes: usize,
}

impl Reader<'_> {
    fn event(&mut self, event: &Event<'_>, range: Range<usize>) {
        match event {
            Event::Start(tag) => self.start(tag, range),
            Event::End(tag) => self.end(*tag),
            Event::Text(_) | Event::Code(_) | Event::InlineHtml(_) | Event::FootnoteReference(_) => self.extend(range),
            _ => {}
        }
    }

    fn extend(&mut self, range: Range<usize>) {
        match &mut self.open {
            Some(open) => open.end = open.end.max(range.end),
            None => self.open = Some(range),
        }
    }

    fn start(&mut self, tag: &Tag<'_>, range: Range<usize>) {
        match tag {
            Tag::Strong | Tag::Emphasis | Tag::Strikethrough | Tag::Link { .. } | Tag::Image { .. } => {
                self.extend(range);
                return;
            }
            Tag::HtmlBlock | Tag::Paragraph | Tag::Table(_) | Tag::TableCell => {}
            _ => self.end_text(),
        }
        match tag {
            Tag::Heading { level, .. } => self.kind = Some(TextBlockKind::Heading(*level as u8)),
            Tag::List(first) => {
                self.emit(TextBlockKind::ListStart { ordered: first.is_some() }, range.start..range.start)
            }
            Tag::Item => self.items.push(false),
            Tag::BlockQuote(alert) => self.quotes.push(alert.is_none().then_some(range.start)),
            Tag::CodeBlock(kind) => {
                let language = match kind {
                    CodeBlockKind::Fenced(info) => {
                        info.split([' ', ',', '{']).next().unwrap_or_default().to_lowercase()
                    }
                    CodeBlockKind::Indented => String::new(),
                };
                self.kind = Some(TextBlockKind::Code { language });
            }
            Tag::FootnoteDefinition(_) => self.footnotes += 1,
            Tag::TableHead | Tag::TableRow => self.cells.clear(),
            Tag::HtmlBlock | Tag::Paragraph | Tag::Table(_) => self.end_text(),
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Strong | TagEnd::Emphasis | TagEnd::Strikethrough | TagEnd::Link | TagEnd::Image => return,
            TagEnd::TableCell => {
                self.cells.push(self.open.take().unwrap_or(0..0));
                return;
            }
            // Its text is no text of the document.
            TagEnd::HtmlBlock => self.open = None,
            _ => self.end_text(),
        }
        match tag {
            TagEnd::Item => {
                self.items.pop();
            }
            TagEnd::List(_) => self.emit(TextBlockKind::ListEnd, 0..0),
            TagEnd::BlockQuote(_) => {
                self.quotes.pop();
            }
            TagEnd::FootnoteDefinition => self.footnotes = self.footnotes.saturating_sub(1),
            TagEnd::TableHead | TagEnd::TableRow => {
                let cells = std::mem::take(&mut self.cells);
                self.emit(TextBlockKind::Row { is_head: tag == TagEnd::TableHead, cells }, 0..0);
            }
            _ => {}
        }
    }

    /// Ends the open text, if there is any.
    fn end_text(&mut self) {
        let kind = self.kind.take();
        let Some(range) = self.open.take() else { return };
        let kind = kind.unwrap_or_else(|| {
            let is_first = self.items.last_mut().is_some_and(|has_text| !std::mem::replace(has_text, true));
            if is_first { TextBlockKind::Item } else { TextBlockKind::Paragraph }
        });
        self.emit(kind, range);
    }

    fn emit(&mut self, kind: TextBlockKind, range: Range<usize>) {
        let quotation = self.quotes.iter().copied().flatten().next();
        (self.visit)(TextBlock { kind, range, quotation, is_footnote: self.footnotes > 0 });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_read_with_their_markup_at_any_depth() {
        let text = "# A *b*\n\nOne **two**\nthree.\n\n- x `y`\n  - z\n\n  more\n\n> q\n\n| a | b |\n|---|---|\n| c | |\n\n```sh run\nls\n```\n<p>no</p>\n";
        let mut found = Vec::new();
        text_blocks(text, &mut |block| {
            let cells = match &block.kind {
                TextBlockKind::Row { cells, .. } => cells.iter().map(|cell| &text[cell.clone()]).collect(),
                _ => vec![&text[block.range.clone()]],
            };
            if !matches!(block.kind, TextBlockKind::ListStart { .. } | TextBlockKind::ListEnd) {
                found.push(format!("{}{}", if block.quotation.is_some() { ">" } else { "" }, cells.join("|")));
            }
        });
        assert_eq!(found, ["A *b*", "One **two**\nthree.", "x `y`", "z", "more", ">q", "a|b", "c|", "ls\n"]);
    }
}
