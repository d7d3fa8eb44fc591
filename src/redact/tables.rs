//! Tables in notations other than Markdown's: HTML, AsciiDoc, MediaWiki, DokuWiki, Textile, LaTeX, reStructuredText, dumps of SQL, and
//! the columns and rows of JSON. Each is read as rows of cells, which [`super::view::View::tables`] writes as a table of Markdown.

mod json;

use json::{json, json_rows};
use std::ops::Range;

/// The longest table that is read, and the most cells of one.
const MAX_TABLE: usize = 64 * 1024;
const MAX_CELLS: usize = 4096;

/// What a table begins with, in lower case, and how it is read.
const OPENERS: [(&str, Read); 20] = [
    ("<table", html),
    ("<tr>", html),
    ("<tr ", html),
    ("<row", html),
    ("<dl>", html),
    ("<dl ", html),
    ("|===", asciidoc),
    ("{| ", mediawiki),
    ("{|\n", mediawiki),
    ("|_.", textile),
    ("{tab", latex),
    ("{longtab", latex),
    ("-table::", directive),
    ("from stdin;\n", copy),
    ("\n^ ", dokuwiki),
    ("[[\"", json_rows),
    ("  [\"", json_rows),
    ("\"columns\":", json),
    ("\"headers\":", json),
    ("\"fields\":", json),
];

/// A table: the places of its cells by rows, and its end.
pub(super) struct Table {
    pub(super) rows: Vec<Vec<Range<usize>>>,
    pub(super) end: usize,
}

/// Reads the table whose opener ends at `at`; `text` ends after the longest table.
type Read = fn(text: &str, at: usize) -> Option<Table>;

/// What comes before an option in a list of arguments: `["mysql", "-u", "root"]`, `a1="-u"`.
const OPTIONS: [&str; 6] = [" \"-", ",\"-", " '-", ",'-", "=\"-", " \\\"-"];
/// How far after a table that does not end no other of its notation is looked for.
const MIN_DISTANCE: usize = 4096;

/// The places of a text that may be in a notation of this file, and of lists of arguments.
#[derive(Debug, Default)]
pub(super) struct Marks {
    /// The openers of tables, each with its end.
    openers: Vec<(usize, usize)>,
    /// The ends of the marks before options.
    pub(super) options: Vec<usize>,
}

impl Marks {
    /// Returns the words to search for, each with its number.
    pub(super) fn words() -> impl Iterator<Item = (&'static str, usize)> {
        OPENERS.iter().map(|(opener, _)| *opener).chain(OPTIONS).zip(0..)
    }

    /// Adds the word of a number, which ends at `end`.
    pub(super) fn add(&mut self, word: usize, end: usize) {
        match word {
            opener if opener < OPENERS.len() => self.openers.push((opener, end)),
            _ => self.options.push(end),
        }
    }

    #[cfg(test)]
    pub(super) fn of(text: &str) -> Self {
        let mut marks = Self::default();
        super::detect::built_in_marked(text.as_bytes(), false, &mut marks);
        marks
    }
}

/// Returns the tables of `text`, whose openers are known, in order.
pub(super) fn tables(text: &str, marks: &Marks) -> Vec<Table> {
    let mut found = Vec::new();
    let mut end = 0;
    let mut next = [0; OPENERS.len()];
    // Its opener has the end of the line before.
    if text.starts_with("^ ")
        && let Some(table) = dokuwiki(&text[..text.floor_char_boundary(MAX_TABLE)], 2)
    {
        end = table.end;
        found.push(table);
    }
    for &(opener, from) in &marks.openers {
        if from <= end || from < next[opener] {
            continue;
        }
        let window = &text[..text.floor_char_boundary(from + MAX_TABLE)];
        match OPENERS[opener].1(window, from) {
            Some(table) => {
                end = table.end;
                if table.rows.iter().any(|row| row.len() >= 2) {
                    found.push(table);
                }
            }
            None => next[opener] = from + MIN_DISTANCE,
        }
    }
    found
}

/// Collects cells into rows.
struct Rows<'t> {
    text: &'t str,
    rows: Vec<Vec<Range<usize>>>,
    cells: usize,
}

impl<'t> Rows<'t> {
    fn new(text: &'t str) -> Self {
        Self { text, rows: vec![Vec::new()], cells: 0 }
    }

    fn next_row(&mut self) {
        if self.rows.last().is_some_and(|row| !row.is_empty()) {
            self.rows.push(Vec::new());
        }
    }

    fn cell(&mut self, start: usize, end: usize) {
        let content = &self.text[start..end];
        let start = start + content.len() - content.trim_start().len();
        let end = start.max(start + content.trim().len());
        self.cells += 1;
        if self.cells <= MAX_CELLS
            && let Some(row) = self.rows.last_mut()
        {
            row.push(start..end);
        }
    }

    fn table(mut self, end: usize) -> Option<Table> {
        self.rows.retain(|row| row.iter().any(|cell| !cell.is_empty()));
        Some(Table { rows: self.rows, end })
    }
}

/// Reads the rows of `<table>`, of a spreadsheet, or the terms and descriptions of `<dl>`. A table inside of a cell ends the reading.
fn html(text: &str, from: usize) -> Option<Table> {
    let mut rows = Rows::new(text);
    let mut open = None;
    let mut at = from;
    let mut end = from;
    while let Some(offset) = memchr::memchr(b'<', &text.as_bytes()[at..]) {
        let start = at + offset;
        let closes = text.as_bytes().get(start + 1) == Some(&b'/');
        let name = &text.as_bytes()[start + 1 + usize::from(closes)..];
        let name = &name[..name.iter().take(6).take_while(|b| b.is_ascii_alphanumeric()).count()];
        at = start + 1;
        let is = |names: &[&[u8]]| names.iter().any(|known| name.eq_ignore_ascii_case(known));
        let is_cell = is(&[b"td", b"th", b"dt", b"dd", b"cell"]);
        let is_row = is(&[b"tr", b"dt", b"row"]);
        let is_end = is(&[b"table", b"dl"]);
        if !is_cell && !is_row && !is_end {
            continue;
        }
        if let Some(from) = open.take() {
            rows.cell(from, start);
        }
        end = start + memchr::memchr(b'>', &text.as_bytes()[start..])? + 1;
        at = end;
        if is_end {
            break;
        }
        if is_row && !closes {
            rows.next_row();
        }
        if is_cell && !closes {
            open = Some(end);
        }
    }
    rows.table(end)
}

/// Reads the cells between `|===` and `|===`. The first line that has any tells how many are in a row.
fn asciidoc(text: &str, from: usize) -> Option<Table> {
    let end = from + text[from..].find("|===")?;
    let mut cells: Vec<Range<usize>> = Vec::new();
    let mut width = None;
    let mut at = from;
    for line in text[from..end].split_inclusive('\n') {
        let before = cells.len();
        let mut start = None;
        for (place, _) in line.match_indices('|') {
            // `2+|`, `a|`: how wide the cell is and how it is read.
            let lead = line[..place].chars().next_back();
            if lead.is_none_or(|c| c.is_whitespace() || c == '+' || place == 1) {
                if let Some(start) = start {
                    cells.push(at + start..at + place);
                }
                start = Some(place + 1);
            }
        }
        if let Some(start) = start {
            cells.push(at + start..at + line.len());
        }
        if cells.len() > before {
            width.get_or_insert(cells.len() - before);
        }
        at += line.len();
    }
    let mut rows = Rows::new(text);
    for row in cells.chunks(width?) {
        rows.next_row();
        row.iter().for_each(|cell| rows.cell(cell.start, cell.end));
    }
    rows.table(end)
}

/// Reads the lines between `{|` and `|}`: `|-` begins a row, `!` and `|` a cell, `!!` and `||` the next one on a line.
fn mediawiki(text: &str, from: usize) -> Option<Table> {
    // `{||` is the beginning of a closure.
    let begins = text[..from - 3].chars().next_back().is_none_or(|c| c == '\n' || c == ' ' || c == '>');
    let from = from - 1;
    let end = from + text[from..].find("\n|}").filter(|_| begins)?;
    let mut rows = Rows::new(text);
    let mut at = from;
    for line in text[from..end].split_inclusive('\n') {
        let trimmed = line.trim_start();
        let lead = line.len() - trimmed.len();
        if trimmed.starts_with("|-") || trimmed.starts_with("|+") {
            rows.next_row();
        } else if let Some(mark) = trimmed.chars().next().filter(|mark| matches!(mark, '|' | '!')) {
            let mut start = at + lead + 1;
            let stop = at + line.len();
            for part in text[start..stop].split(if mark == '!' { "!!" } else { "||" }) {
                // `style="…" | content`
                let skip = part.find('|').filter(|bar| part[..*bar].contains('=')).map_or(0, |bar| bar + 1);
                rows.cell(start + skip, start + part.len());
                start += part.len() + 2;
            }
        }
        at += line.len();
    }
    rows.table(end)
}

/// Reads the lines from the header whose first mark `|_.` ends at `from`.
fn textile(text: &str, from: usize) -> Option<Table> {
    let start = text[..from].rfind('\n').map_or(0, |end| end + 1);
    let mut rows = Rows::new(text);
    let mut at = start;
    for line in text[start..].split_inclusive('\n') {
        let content = line.trim();
        if !(content.starts_with('|') && content.ends_with('|') && content.len() > 1) {
            break;
        }
        rows.next_row();
        let mut cell = at + line.find('|').unwrap_or(0) + 1;
        for part in content[1..content.len() - 1].split('|') {
            let skip = if part.starts_with("_.") { 2 } else { 0 };
            rows.cell(cell + skip, cell + part.len());
            cell += part.len() + 1;
        }
        at += line.len();
    }
    rows.table(at)
}

/// Reads the rows of a `tabular`, which `\\` ends, and their cells, which `&` parts.
fn latex(text: &str, from: usize) -> Option<Table> {
    text[..from].rsplit_once('{').filter(|(before, _)| before.ends_with("\\begin"))?;
    let body = from + text[from..].find('\n')?;
    let end = body + text[body..].find("\\end{")?;
    let mut rows = Rows::new(text);
    let mut at = body;
    for row in text[body..end].split("\\\\") {
        rows.next_row();
        let mut cell = at;
        for part in row.split('&') {
            let content = part.trim_start();
            let skip = if content.starts_with("\\hline") { part.len() - content.len() + 6 } else { 0 };
            // `\texttt{…}`
            let content = &part[skip..];
            let inner = content.find('{').filter(|_| content.trim_start().starts_with('\\') && content.contains('}'));
            match inner {
                Some(open) => {
                    let close = content.rfind('}').filter(|close| *close > open).unwrap_or(content.len());
                    rows.cell(cell + skip + open + 1, cell + skip + close);
                }
                None => rows.cell(cell + skip, cell + part.len()),
            }
            cell += part.len() + 1;
        }
        at += row.len() + 2;
    }
    rows.table(end)
}

/// Reads a `list-table` or a `csv-table`.
fn directive(text: &str, from: usize) -> Option<Table> {
    let name = text[..from].strip_suffix("-table::")?;
    if name.ends_with("list") {
        list_table(text, from)
    } else {
        name.ends_with("csv").then(|| csv_table(text, from))?
    }
}

/// Returns the lines below that of `from` up to the first that is not indented, each with its offset.
fn indented(text: &str, from: usize) -> impl Iterator<Item = (usize, &str)> {
    let mut next = text[from..].find('\n').map_or(text.len(), |end| from + end + 1);
    let lines = text[next..].split_inclusive('\n').map(move |line| {
        let at = next;
        next += line.len();
        (at, line)
    });
    lines.take_while(|(_, line)| line.trim_start().is_empty() || line.starts_with(char::is_whitespace))
}

/// Reads the items of a `list-table`: `* -` begins a row, `-` a cell.
fn list_table(text: &str, from: usize) -> Option<Table> {
    let mut rows = Rows::new(text);
    let mut end = from;
    for (at, line) in indented(text, from) {
        end = at + line.len();
        let item = line.trim_start();
        let cell = match item.strip_prefix("* ") {
            Some(first) => {
                rows.next_row();
                first.trim_start()
            }
            None => item,
        };
        if let Some(cell) = cell.strip_prefix("- ") {
            rows.cell(end - cell.len(), end);
        }
    }
    rows.table(end)
}

/// Reads the option `:header:` of a `csv-table` and its rows.
fn csv_table(text: &str, from: usize) -> Option<Table> {
    let mut rows = Rows::new(text);
    let mut end = from;
    for (at, line) in indented(text, from) {
        end = at + line.len();
        let content = line.trim_start();
        let header = content.strip_prefix(":header:");
        if let Some(cells) = header.or((!content.starts_with(':')).then_some(content)) {
            rows.next_row();
            csv_cells(&mut rows, end - cells.len(), cells.trim_end());
        }
    }
    rows.table(end)
}

/// Reads the cells of a line at `at` that commas part, without their quotes.
fn csv_cells(rows: &mut Rows<'_>, at: usize, line: &str) {
    let mut start = 0;
    let mut quoted = false;
    for (place, c) in line.char_indices().chain([(line.len(), ',')]) {
        quoted ^= c == '"';
        if c == ',' && (!quoted || place == line.len()) {
            let cell = &line[start..place];
            let trimmed = cell.trim();
            let lead = start + cell.len() - cell.trim_start().len();
            let quote = usize::from(trimmed.len() >= 2 && trimmed.starts_with('"') && trimmed.ends_with('"'));
            rows.cell(at + lead + quote, at + lead + trimmed.len() - quote);
            start = place + 1;
        }
    }
}

/// Reads the columns of `COPY table (…) FROM stdin;` and the lines with tabs below it.
fn copy(text: &str, from: usize) -> Option<Table> {
    let line = text[..from - 1].rfind('\n').map_or(0, |end| end + 1);
    let open = line + text[line..from].find('(')?;
    let close = open + text[open..from].find(')')?;
    let mut rows = Rows::new(text);
    let mut at = open + 1;
    for name in text[at..close].split(',') {
        rows.cell(at, at + name.len());
        at += name.len() + 1;
    }
    let mut at = from;
    for line in text[from..].split_inclusive('\n') {
        if line.starts_with("\\.") || !line.contains('\t') {
            break;
        }
        rows.next_row();
        let mut start = at;
        for cell in line.split('\t') {
            rows.cell(start, start + cell.len());
            start += cell.len() + 1;
        }
        at += line.len();
    }
    rows.table(at)
}

/// Reads lines that begin with `^` or `|`, which also part their cells.
fn dokuwiki(text: &str, from: usize) -> Option<Table> {
    let start = from - 2;
    let mut rows = Rows::new(text);
    let mut at = start;
    for line in text[start..].split_inclusive('\n') {
        let content = line.trim_end();
        if content.len() < 2 || !content.starts_with(['^', '|']) || !content.ends_with(['^', '|']) {
            break;
        }
        rows.next_row();
        let mut cell = at + 1;
        for part in content[1..content.len() - 1].split(['^', '|']) {
            rows.cell(cell, cell + part.len());
            cell += part.len() + 1;
        }
        at += line.len();
    }
    rows.table(at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::redact::canaries::{SEED, fill, scrub};

    const TABLES: [&str; 18] = [
        "<tr><td>Host</td><td>Password</td></tr>\n<tr>\n <td>db1</td>\n <td>\n @\n </td></tr>",
        "<Row><Cell><Data>Host</Data></Cell><Cell><Data>Password</Data></Cell></Row>\n<Row><Cell><Data>db1</Data></Cell><Cell><Data>@</Data></Cell></Row>",
        "COPY public.users (host, password) FROM stdin;\ndb1\t@\n\\.\n",
        "x\n^ Host ^ Password ^\n| db1 | @ |\n",
        "[[\"host\", \"password\"], [\"db1\", \"@\"]]",
        "[\n  [\"host\", \"password\"],\n  [\"db1\", \"@\"]\n]",
        "<table>\n<tr><th>Host</th><th>Password</th></tr>\n<tr><td>db1</td><td>@</td></tr></table>",
        "<table class=\"t\"><tbody>\n<tr>\n<th><p>Host</p></th>\n<th><p>Password</p></th></tr>\n<tr>\n<td>db1\n<td>\n<code>@</code></table>",
        "<dl>\n<dt>Host</dt>\n<dd>db1</dd>\n<dt>Password</dt>\n<dd>@</dd>\n</dl>",
        "|===\n|Host |Password\n\n|db1\n|@\n|===\n",
        "{| class=\"wikitable\"\n! Host !! Password\n|-\n| db1 || @\n|}\n",
        "{|\n! scope=\"col\" | Host\n! Password\n|-\n| db1\n| @\n|}\n",
        "|_. Host |_. Password |\n| db1 | @ |\n",
        "\\begin{tabular}{ll}\nHost & Password \\\\\n\\hline\ndb1 & \\texttt{@} \\\\\n\\end{tabular}\n",
        ".. list-table::\n   :header-rows: 1\n\n   * - Host\n     - Password\n   * - db1\n     - @\n",
        ".. csv-table:: Accounts\n   :header: \"Host\", \"Password\"\n\n   \"db1\", \"@\"\n",
        "{\"columns\": [\"Host\", \"Password\"], \"rows\": [[\"db1\", \"@\"]]}",
        "{\n  \"fields\": [\n    \"Host\",\n    \"Password\"\n  ],\n  \"data\": [\n    [\"db1\", \"@\"]\n  ]\n}",
    ];

    #[test]
    fn a_table_is_read_as_rows_of_cells() {
        for text in TABLES {
            let tables = tables(text, &Marks::of(text));
            let rows: Vec<Vec<&str>> =
                tables[0].rows.iter().map(|row| row.iter().map(|cell| &text[cell.clone()]).collect()).collect();
            assert_eq!(tables.len(), 1, "{text}");
            assert_eq!((rows.len(), rows[0].len(), rows[1].len()), (2, 2, 2), "{text} {rows:?}");
            assert!(rows[1][1].contains('@'), "{rows:?}");
        }
    }

    #[test]
    fn what_a_column_holds_is_found() {
        for value in [fill("Qx7<a9>4zW", SEED), "copper-otter-42".to_owned()] {
            for text in TABLES {
                let scrubbed = scrub(&text.replace('@', &value));
                assert_eq!(scrubbed, text.replace('@', "[REDACTED:password]"));
            }
        }
    }

    #[test]
    fn what_only_begins_like_a_table_stays() {
        for text in [
            "<table",
            "<table><td",
            "|===",
            "map.each {|key, password| puts key }\n|}\n",
            "\\begin{tabular}{ll}\nHost & Password",
            ".. list-table::",
            "{\"fields\": [\"password\", \"name\"], \"unique\": [[\"password\", \"name\"]]}",
            "{\"columns\": [\"password\"",
            "<table><tr><th>Password</th></tr><tr><td>at least eight letters</td></tr></table>",
        ] {
            assert_eq!(scrub(text), text);
        }
    }
}
