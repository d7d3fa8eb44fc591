//! Documents of headings, paragraphs, lists, tables and code, printed as text for a terminal or as Markdown.
//!
//! The renderers alone escape: no text of a document controls a terminal, or is markup, a link or a mention in Markdown.

use super::annotations::Annotations;
use super::report::{folded, print_diagnostics};
use super::{Format, json_text, printable, stdout, width, wrapped};
use crate::engine::process_environment;
use crate::model::Diagnostic;
use anstyle::{AnsiColor, Style};
use serde::Serialize;
use std::fmt::Write as _;
use std::io::{self, Write as _};
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

/// The most entries of a list or table, and lines of code, unless the whole document is asked for.
const MAX_ENTRIES: usize = 20;
const MAX_LINES: usize = 60;
const MAX_CODE_BYTES: usize = 12_000;
/// The most bytes of a page: GitHub accepts 65,536 characters in a comment.
const MAX_PAGE: usize = 65_000;
/// The longest part of a line of code, in characters; the middle of a longer one is left out.
const MAX_CODE_PART: usize = 400;
/// The longest text of Markdown, and the longest one in a cell, in characters.
const MAX_TEXT: usize = 1_000;
const MAX_CELL: usize = 300;
/// The narrowest column that a flexible one is shortened to.
const MIN_COLUMN: usize = 8;

/// What a part of a line is, which decides on its look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TextStyle {
    /// Words of the program.
    Plain,
    /// A text of a pack, a file or a user: code in Markdown, so that it links nothing.
    Data,
    Strong,
    Warning,
    Place,
    Added,
    Removed,
    /// Changed words within an added or removed line.
    AddedWords,
    RemovedWords,
}

impl TextStyle {
    fn style(self) -> Style {
        match self {
            Self::Plain | Self::Data => Style::new(),
            Self::Strong => Style::new().bold(),
            Self::Warning => AnsiColor::Yellow.on_default().bold(),
            Self::Place => AnsiColor::Cyan.on_default(),
            Self::Added => AnsiColor::Green.on_default(),
            Self::Removed => AnsiColor::Red.on_default(),
            Self::AddedWords => AnsiColor::Green.on_default().invert(),
            Self::RemovedWords => AnsiColor::Red.on_default().invert(),
        }
    }

    /// Returns the marks around changed words where there are no colours, as `git diff --word-diff` has them.
    fn marks(self) -> (&'static str, &'static str) {
        match self {
            Self::AddedWords => ("{+", "+}"),
            Self::RemovedWords => ("[-", "-]"),
            _ => ("", ""),
        }
    }
}

#[derive(Debug, Clone, Default)]
pub(crate) struct Line(Vec<(TextStyle, String)>);

/// Returns a line of the words of `template`, with a text of `data` in the place of each `{}`.
pub(crate) fn line(template: &str, data: &[&str]) -> Line {
    let mut data = data.iter();
    let mut line = Line::default();
    for (at, words) in template.split("{}").enumerate() {
        if at > 0 {
            line = line.then(TextStyle::Data, *data.next().unwrap_or(&""));
        }
        line = line.then(TextStyle::Plain, words);
    }
    line
}

impl Line {
    pub(crate) fn then(mut self, role: TextStyle, text: impl Into<String>) -> Self {
        self.0.extend(Some((role, text.into())).filter(|(_, text)| !text.is_empty()));
        self
    }

    pub(crate) fn join(mut self, other: Line) -> Self {
        self.0.extend(other.0);
        self
    }

    /// Returns the line with its texts of one of `roles` as strong ones.
    fn strong(&self, roles: &[TextStyle]) -> Self {
        let strong = |(role, text): &(TextStyle, String)| {
            (if roles.contains(role) { TextStyle::Strong } else { *role }, text.clone())
        };
        Self(self.0.iter().map(strong).collect())
    }

    fn text(&self, colours: bool, longest: usize) -> String {
        let mut text = String::new();
        for (role, part) in &self.0 {
            let (style, shown) = (role.style(), middle_cut(part, longest));
            let (open, close) = role.marks();
            let _ = match colours {
                true => write!(text, "{style}{shown}{style:#}"),
                false => write!(text, "{open}{shown}{close}"),
            };
        }
        text
    }

    fn markdown(&self, longest: usize) -> String {
        let mut text = String::new();
        for (role, part) in &self.0 {
            let cut = if part.chars().nth(longest).is_some() { "…" } else { "" };
            let part: String = part.chars().take(longest).collect();
            let _ = match role {
                TextStyle::Data => write!(text, "<code>{}{cut}</code>", escaped(&part)),
                TextStyle::Strong | TextStyle::Warning => write!(text, "**{}{cut}**", unlinked(&part)),
                _ => write!(text, "{}{cut}", unlinked(&part)),
            };
        }
        text
    }
}

impl<T: Into<String>> From<T> for Line {
    fn from(words: T) -> Self {
        Self::default().then(TextStyle::Plain, words)
    }
}

#[derive(Debug, Clone, Copy)]
pub(crate) enum Column {
    Left(&'static str),
    Right(&'static str),
    /// A column whose cells are shortened where the terminal is too narrow.
    Flexible(&'static str),
}

impl Column {
    fn name(self) -> &'static str {
        match self {
            Self::Left(name) | Self::Right(name) | Self::Flexible(name) => name,
        }
    }
}

#[derive(Debug, Clone)]
enum DocumentBlock {
    Title(Line),
    Heading(Line),
    Paragraph(Line),
    List(Vec<(Line, Document)>),
    Table(Vec<Column>, Vec<Vec<Line>>),
    Code(&'static str, Vec<Line>),
    Details(Line, Document),
}

#[derive(Debug, Clone, Default)]
pub(crate) struct Document {
    blocks: Vec<DocumentBlock>,
    /// Whether text cuts no list, table or code, even if it is not verbose.
    is_whole: bool,
}

/// How text is fitted to a terminal.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct TextOptions {
    pub(crate) width: Option<usize>,
    pub(crate) colours: bool,
    /// Whether no list, table or code is cut.
    pub(crate) whole: bool,
}

impl Document {
    /// Creates a document of which text leaves nothing out.
    pub(crate) fn whole() -> Self {
        Self { blocks: Vec::new(), is_whole: true }
    }

    pub(crate) fn title(&mut self, line: impl Into<Line>) {
        self.blocks.push(DocumentBlock::Title(line.into()));
    }

    /// Adds a heading; as text, what follows it is indented.
    pub(crate) fn heading(&mut self, line: impl Into<Line>) {
        self.blocks.push(DocumentBlock::Heading(line.into()));
    }

    pub(crate) fn paragraph(&mut self, line: impl Into<Line>) {
        self.blocks.push(DocumentBlock::Paragraph(line.into()));
    }

    pub(crate) fn list(&mut self, lines: impl IntoIterator<Item = Line>) {
        self.nested_list(lines.into_iter().map(|line| (line, Document::default())));
    }

    /// Adds a list of lines with what is below each, if there are any.
    pub(crate) fn nested_list(&mut self, items: impl IntoIterator<Item = (Line, Document)>) {
        let items: Vec<_> = items.into_iter().collect();
        self.blocks.extend((!items.is_empty()).then_some(DocumentBlock::List(items)));
    }

    /// Adds a table, if it has rows. A table whose columns have no names has no header as text.
    pub(crate) fn table(&mut self, columns: &[Column], rows: impl IntoIterator<Item = Vec<Line>>) {
        let rows: Vec<_> = rows.into_iter().collect();
        self.blocks.extend((!rows.is_empty()).then(|| DocumentBlock::Table(columns.to_vec(), rows)));
    }

    pub(crate) fn code(&mut self, language: &'static str, lines: Vec<Line>) {
        self.blocks.extend((!lines.is_empty()).then_some(DocumentBlock::Code(language, lines)));
    }

    /// Adds a document that Markdown folds below its summary.
    pub(crate) fn details(&mut self, summary: impl Into<Line>, below: Document) {
        self.blocks.push(DocumentBlock::Details(summary.into(), below));
    }

    /// Prints the document after `diagnostics`, or as JSON `value` alone.
    pub(crate) fn print<T: Serialize>(
        &self,
        format: Format,
        verbose: bool,
        diagnostics: &[Diagnostic],
        value: &T,
    ) -> io::Result<()> {
        match format {
            Format::Json => writeln!(stdout(), "{}", json_text(value)),
            Format::Markdown => write!(stdout(), "{}", self.markdown()),
            Format::Github => {
                let mut annotations = Annotations::new();
                annotations.add_diagnostics(diagnostics);
                self.print_log(annotations, verbose)
            }
            Format::Text | Format::Messages | Format::Anthropic | Format::Parts | Format::Table => {
                print_diagnostics(&folded(diagnostics, verbose))?;
                let colours = anstream::AutoStream::choice(&io::stdout()) != anstream::ColorChoice::Never;
                write!(stdout(), "{}", self.text(TextOptions { width: width(), colours, whole: verbose }))
            }
        }
    }

    /// Prints annotations of a workflow's log, and the document as lines of that log.
    pub(crate) fn print_log(&self, mut annotations: Annotations, verbose: bool) -> io::Result<()> {
        let text = self.text(TextOptions { whole: verbose, ..TextOptions::default() });
        text.lines().for_each(|line| annotations.log(line));
        annotations.print()
    }

    pub(crate) fn text(&self, options: TextOptions) -> String {
        let mut text = String::new();
        self.write_text(&mut text, 0, TextOptions { whole: options.whole || self.is_whole, ..options });
        process_environment().mask(&text)
    }

    fn write_text(&self, out: &mut String, mut indent: usize, options: TextOptions) {
        let (entries, most_lines) = if options.whole { (usize::MAX, usize::MAX) } else { (MAX_ENTRIES, MAX_LINES) };
        let push = |out: &mut String, indent: usize, line: &Line| {
            let text = format!("{:indent$}{}", "", line.text(options.colours, usize::MAX));
            wrapped(&text, options.width).iter().for_each(|part| push_line(out, part));
        };
        let more = |out: &mut String, indent: usize, rest: usize, what: &str| {
            if rest > 0 {
                push_line(out, &format!("{:indent$}{rest} more{what}: `-v` shows all", ""));
            }
        };
        let outer = indent;
        for (at, block) in self.blocks.iter().enumerate() {
            let follows_heading =
                at.checked_sub(1).is_none_or(|at| matches!(self.blocks[at], DocumentBlock::Heading(_)));
            match block {
                DocumentBlock::Title(line) => push(out, indent, &line.strong(&[TextStyle::Plain, TextStyle::Data])),
                DocumentBlock::Heading(line) => {
                    if !out.is_empty() {
                        out.push('\n');
                    }
                    push(out, outer, &line.strong(&[TextStyle::Plain, TextStyle::Data]));
                    indent = outer + 2;
                }
                DocumentBlock::Paragraph(line) => push(out, indent, line),
                DocumentBlock::List(items) => {
                    for (line, below) in items.iter().take(entries) {
                        push(out, indent, line);
                        below.write_text(out, indent + 2, options);
                    }
                    more(out, indent, items.len().saturating_sub(entries), "");
                }
                DocumentBlock::Table(columns, rows) => {
                    if !follows_heading {
                        out.push('\n');
                    }
                    let shown = &rows[..rows.len().min(entries)];
                    for row in table_text(columns, shown, indent, options) {
                        wrapped(&row, options.width).iter().for_each(|part| push_line(out, part));
                    }
                    more(out, indent, rows.len() - shown.len(), "");
                }
                DocumentBlock::Code(_, lines) => {
                    for line in lines.iter().take(most_lines) {
                        let text = line.text(options.colours, MAX_CODE_PART);
                        push_line(out, &format!("{:indent$}{text}", ""));
                    }
                    more(out, indent, lines.len().saturating_sub(most_lines), " lines");
                }
                DocumentBlock::Details(summary, below) => {
                    push(out, indent, &summary.strong(&[TextStyle::Data]));
                    below.write_text(out, indent + 2, options);
                }
            }
        }
    }

    /// Renders Markdown for a comment or a summary: long lists and code are cut, and blocks that do not fit a page are counted.
    pub(crate) fn markdown(&self) -> String {
        let mut page = String::new();
        let mut left_out = 0;
        for block in &self.blocks {
            // The rest is for the last line.
            let room = (MAX_PAGE - 100).saturating_sub(page.len());
            // What follows a long list has room as well.
            let part = block.markdown(3, if matches!(block, DocumentBlock::List(_)) { room / 2 } else { room });
            if part.len() < room {
                page.push_str(&part);
            } else {
                left_out += 1;
            }
        }
        if left_out > 0 {
            let _ = writeln!(
                page,
                "This lacks {} for which there is no room: the command shows them as text.\n",
                super::counted(left_out, "part")
            );
        }
        page
    }
}

impl DocumentBlock {
    /// Renders Markdown with headings from `level` on; entries of a list or a table for which there is no room are counted.
    fn markdown(&self, level: usize, room: usize) -> String {
        match self {
            Self::Title(line) => format!("{} {}\n\n", "#".repeat(level), line.markdown(MAX_TEXT)),
            Self::Heading(line) => format!("{} {}\n\n", "#".repeat(level + 1), line.markdown(MAX_TEXT)),
            Self::Paragraph(line) => format!("{}\n\n", line.markdown(MAX_TEXT)),
            Self::List(items) => {
                let item = |(line, below): &(Line, Document)| {
                    let below: String = below.blocks.iter().map(|block| block.markdown(level + 1, room)).collect();
                    let mut text = format!("- {}\n", line.markdown(MAX_TEXT));
                    below.trim_end().lines().for_each(|line| push_line(&mut text, &format!("  {line}")));
                    text
                };
                fitted(String::new(), items.iter().map(item), room, "- ")
            }
            Self::Table(columns, rows) => {
                let names: Vec<String> = columns.iter().map(|column| column.name().to_lowercase()).collect();
                let rules = columns.iter().map(|column| if matches!(column, Column::Right(_)) { "--:" } else { "---" });
                let head = format!("| {} |\n|{}|\n", names.join(" | "), rules.collect::<Vec<_>>().join("|"));
                let row = |row: &Vec<Line>| {
                    let cells: Vec<String> = row.iter().map(|cell| cell.markdown(MAX_CELL)).collect();
                    format!("| {} |\n", cells.join(" | "))
                };
                fitted(head, rows.iter().map(row), room, "\n")
            }
            Self::Code(language, lines) => {
                let lines = lines.iter().map(|line| format!("{}\n", line.text(false, MAX_CODE_PART).trim_end()));
                let (body, left_out) = taken(lines, MAX_CODE_BYTES);
                // No run of backticks in the body ends the fence.
                let longest = body.split(|c| c != '`').map(str::len).max().unwrap_or_default();
                let fence = "`".repeat(longest.max(2) + 1);
                let rest =
                    if left_out > 0 { format!("{left_out} more lines are not shown.\n\n") } else { String::new() };
                format!("{fence}{language}\n{body}{fence}\n\n{rest}")
            }
            Self::Details(summary, below) => {
                let below: String = below.blocks.iter().map(|block| block.markdown(level + 1, room)).collect();
                format!("<details><summary>{}</summary>\n\n{below}</details>\n\n", summary.markdown(MAX_CELL))
            }
        }
    }
}

fn taken(parts: impl Iterator<Item = String>, room: usize) -> (String, usize) {
    let mut text = String::new();
    let mut left_out = 0;
    for part in parts {
        if left_out == 0 && text.len() + part.len() <= room {
            text.push_str(&part);
        } else {
            left_out += 1;
        }
    }
    (text, left_out)
}

/// Returns the entries that fit below a head, and a last line that counts the others.
fn fitted(head: String, entries: impl Iterator<Item = String>, room: usize, last: &str) -> String {
    let (text, left_out) = taken(entries, room.saturating_sub(head.len() + 100));
    let rest = if left_out > 0 { format!("{last}and {left_out} more\n") } else { String::new() };
    format!("{head}{text}{rest}\n")
}

/// Returns the cells in aligned columns below the header; flexible columns give way to a narrow terminal, the widest first.
fn table_text(columns: &[Column], rows: &[Vec<Line>], indent: usize, options: TextOptions) -> Vec<String> {
    let header: Vec<String> = columns.iter().map(|column| column.name().to_owned()).collect();
    let has_header = header.iter().any(|name| !name.is_empty());
    let cells = rows.iter().map(|row| row.iter().map(|cell| cell.text(false, usize::MAX)).collect::<Vec<_>>());
    let lines: Vec<Vec<String>> = has_header.then_some(header).into_iter().chain(cells).collect();
    let mut widths: Vec<usize> = (0..columns.len())
        .map(|at| lines.iter().filter_map(|line| line.get(at)).map(|cell| cell.width()).max().unwrap_or_default())
        .collect();
    let needed = |widths: &[usize]| indent + widths.iter().map(|width| width + 2).sum::<usize>() - 2;
    while options.width.is_some_and(|width| needed(&widths) > width) {
        let flexible = |at: &usize| matches!(columns[*at], Column::Flexible(_)) && widths[*at] > MIN_COLUMN;
        let Some(widest) = (0..columns.len()).filter(flexible).max_by_key(|at| widths[*at]) else { break };
        widths[widest] -= 1;
    }
    let line = |cells: &Vec<String>| {
        let mut line = " ".repeat(indent);
        for ((cell, width), column) in cells.iter().zip(&widths).zip(columns) {
            let cell = shortened(cell, *width);
            let gap = " ".repeat(width.saturating_sub(cell.width()));
            line +=
                &if matches!(column, Column::Right(_)) { format!("{gap}{cell}  ") } else { format!("{cell}{gap}  ") };
        }
        line.trim_end().to_owned()
    };
    lines.iter().map(line).collect()
}

fn push_line(out: &mut String, line: &str) {
    out.push_str(line.trim_end());
    out.push('\n');
}

/// Returns a text without control characters, and without its middle if it is long.
fn middle_cut(text: &str, longest: usize) -> String {
    let count = text.chars().count();
    if count <= longest {
        return printable(text).into_owned();
    }
    let half = longest / 2;
    let head: String = text.chars().take(half).collect();
    let tail: String = text.chars().skip(count - half).collect();
    format!("{} […{} characters…] {}", printable(&head), count - 2 * half, printable(&tail))
}

fn shortened(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let mut room = width.saturating_sub(1);
    let fits = |c: &char| {
        let left = room.checked_sub(c.width().unwrap_or_default());
        room = left.unwrap_or_default();
        left.is_some()
    };
    text.chars().take_while(fits).chain(['…']).collect()
}

/// Escapes a text outside of code: GitHub resolves character references before it looks for mentions and numbers.
fn unlinked(text: &str) -> String {
    escaped(text).replace("&#64;", "&#64;<!-- -->").replace("&#35;", "&#35;<!-- -->")
}

/// Escapes a text for Markdown: punctuation becomes character references, so that it forms no markup, cell or link.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    let text = printable(text);
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let ends_word = chars.peek().is_none_or(|next| next.is_whitespace());
        let is_harmless = matches!(c, '-' | '/' | ',' | ';' | '(' | ')') || matches!(c, '.' | ':') && ends_word;
        if c.is_ascii_punctuation() && !is_harmless {
            let _ = write!(escaped, "&#{};", u32::from(c));
        } else {
            escaped.push(c);
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_is_markup_and_no_fence_ends_early() {
        let hostile = "</code> | <img src=x> `x` [a](b) @c #1 www.x \u{202e}\n";
        let mut document = Document::default();
        document.title(line("a {}", &[hostile]));
        document.table(&[Column::Left("NAME")], [vec![line("{}", &[hostile])]]);
        let page = document.markdown();
        let texts = page.replace("<code>", "").replace("</code>", "");
        assert!(!texts.contains(['<', '`', '[', '@', '.', '\u{202e}']) && page.lines().count() == 6, "{page}");
        let mut code = Document::default();
        code.code("diff", vec![Line::from("a ``` b ```` c")]);
        assert_eq!(code.markdown(), "`````diff\na ``` b ```` c\n`````\n\n");
    }

    #[test]
    fn text_is_indented_below_its_heading_and_cut() {
        let mut document = Document::default();
        document.heading("Things");
        document.nested_list((0..30).map(|n| {
            let mut below = Document::default();
            below.code("diff", vec![Line::default().then(TextStyle::Plain, "+ ").then(TextStyle::AddedWords, "new")]);
            (line("item {}", &[&n.to_string()]), below)
        }));
        let text = document.text(TextOptions::default());
        assert!(text.starts_with("Things\n  item 0\n    + {+new+}\n  item 1\n"), "{text}");
        assert!(text.ends_with("\n  10 more: `-v` shows all\n"), "{text}");
        assert_eq!(document.text(TextOptions { whole: true, ..TextOptions::default() }).lines().count(), 61);
    }

    #[test]
    fn a_table_fits_the_terminal_also_with_wide_characters() {
        let columns = [Column::Left("ID"), Column::Right("COUNT"), Column::Flexible("TITLE"), Column::Left("STATE")];
        let row = |id: &str, title: &str| [id, "12", title, "open"].map(Line::from).to_vec();
        let mut document = Document::default();
        document.heading("");
        document.table(&columns, [row("feat:a", &"A long title ".repeat(20)), row("feat:日本", "日本語の題名")]);
        for width in [60, 80, 120] {
            let text = document.text(TextOptions { width: Some(width), ..TextOptions::default() });
            let lines: Vec<&str> = text.lines().skip(1).collect();
            assert!(lines.iter().all(|line| line.width() <= width), "{lines:?}");
            let column = |line: &str| line.find("open").map(|at| line[..at].width());
            assert_eq!(column(lines[1]), column(lines[2]), "{lines:?}");
        }
        assert_eq!(shortened("日本語", 5), "日本…");
    }
}
