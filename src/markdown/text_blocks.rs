//! Markdown → the blocks of text that a reader sees, in order, at any depth.

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};
use std::ops::Range;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TextBlockKind {
    /// A heading of this level, 1 to 6.
    Heading(u8),
    /// A paragraph; also one of a list item, after its first text.
    Paragraph,
    /// The first text of a list item.
    Item,
    ListStart {
        ordered: bool,
    },
    /// The list that began last ends.
    ListEnd,
    /// The cells of a row of a table, of which the first names the columns.
    Row {
        is_head: bool,
        cells: Vec<Range<usize>>,
    },
    /// A code block with the first word after its fence, which is empty if there is none.
    Code {
        language: String,
    },
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextBlock {
    pub kind: TextBlockKind,
    /// The bytes of its text with inline markup, of a code block those between the fences; lines of a quotation keep their `>`.
    pub range: Range<usize>,
    /// Where the outermost quotation around it begins, but for alerts such as `> [!NOTE]`.
    pub quotation: Option<usize>,
    pub is_footnote: bool,
}

pub fn text_blocks(text: &str, visit: &mut dyn FnMut(TextBlock)) {
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_GFM;
    let (items, quotes, cells) = (Vec::new(), Vec::new(), Vec::new());
    let mut reader = TextBlockReader { visit, open: None, kind: None, items, quotes, cells, footnotes: 0 };
    for (event, range) in Parser::new_ext(text, options).into_offset_iter() {
        match event {
            Event::Start(tag) => reader.start(tag, range),
            Event::End(tag) => reader.end(tag),
            Event::Text(_) | Event::Code(_) | Event::InlineHtml(_) | Event::FootnoteReference(_) => {
                reader.extend(range)
            }
            _ => {}
        }
    }
    reader.end_text();
}

struct TextBlockReader<'v> {
    visit: &'v mut dyn FnMut(TextBlock),
    open: Option<Range<usize>>,
    kind: Option<TextBlockKind>,
    items: Vec<bool>,
    quotes: Vec<Option<usize>>,
    cells: Vec<Range<usize>>,
    footnotes: usize,
}

impl TextBlockReader<'_> {
    fn extend(&mut self, range: Range<usize>) {
        let open = self.open.get_or_insert_with(|| range.clone());
        open.end = open.end.max(range.end);
    }

    fn start(&mut self, tag: Tag<'_>, range: Range<usize>) {
        match tag {
            Tag::Strong | Tag::Emphasis | Tag::Strikethrough | Tag::Link { .. } | Tag::Image { .. } => {
                return self.extend(range);
            }
            Tag::TableCell => return,
            _ => self.end_text(),
        }
        match tag {
            Tag::Heading { level, .. } => self.kind = Some(TextBlockKind::Heading(level as u8)),
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
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Strong | TagEnd::Emphasis | TagEnd::Strikethrough | TagEnd::Link | TagEnd::Image => return,
            TagEnd::TableCell => return self.cells.push(self.open.take().unwrap_or(0..0)),
            _ => self.end_text(),
        }
        match tag {
            TagEnd::Item => drop(self.items.pop()),
            TagEnd::List(_) => self.emit(TextBlockKind::ListEnd, 0..0),
            TagEnd::BlockQuote(_) => drop(self.quotes.pop()),
            TagEnd::FootnoteDefinition => self.footnotes = self.footnotes.saturating_sub(1),
            TagEnd::TableHead | TagEnd::TableRow => {
                let cells = std::mem::take(&mut self.cells);
                self.emit(TextBlockKind::Row { is_head: tag == TagEnd::TableHead, cells }, 0..0);
            }
            _ => {}
        }
    }

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
