//! Where an ADR states its status, and which of its statements counts.

use crate::markdown::front_matter::{front_matter, key};
use crate::markdown::{Heading, Outline, words};
use crate::mentions::vocabulary::{means, pattern, words_for};
use crate::model::{
    DecisionState, StatusPosition, date_in, is_status_template, names_nothing, names_successor, state_at,
};
use regex::Regex;
use std::ops::Range;
use std::sync::LazyLock;

/// The status of an ADR.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AdrStatus {
    /// The bytes of the text that say it.
    pub range: Range<usize>,
    /// Their line.
    pub line: u32,
    /// What they say without markup: `superseded by [ADR-0042](0042-x.md)` → `superseded by ADR-0042`.
    pub plain: String,
    /// Whether they name what replaced the decision, in a field of their own.
    pub is_successor: bool,
    /// Whether the decision applies.
    pub state: DecisionState,
}

/// Returns the status of an ADR, which is looked for in the front matter, then under a `Status` heading, then above the second
/// section: in a line such as `* Status: **Accepted**`, or a column or row of a table.
///
/// Of several statements the last of a dated list counts, else one that the decision is inactive, else one that it is in force.
/// A field that names a successor counts unless the status says that the decision is inactive.
pub fn adr_status(text: &str, outline: &Outline) -> Option<AdrStatus> {
    let (stated, successors) = in_front_matter(text);
    let (in_head, more) = in_head(text, outline);
    let stated =
        chosen(text, stated).or_else(|| chosen(text, under_heading(text, outline))).or_else(|| chosen(text, in_head));
    if stated.as_ref().is_some_and(|status| status.state == DecisionState::Inactive) {
        return stated;
    }
    let named = successors.into_iter().chain(more).find_map(|statement| {
        let plain = without_markup(text.get(statement.range.clone())?);
        let state = DecisionState::Inactive;
        (!names_nothing(&plain)).then_some(AdrStatus {
            range: statement.range,
            line: statement.line,
            plain,
            is_successor: true,
            state,
        })
    });
    named.or(stated)
}

/// A part of a text that may say the status.
#[derive(Debug, Clone)]
struct Statement {
    range: Range<usize>,
    line: u32,
    /// What its date is read from, if that is not the statement: a row of a table.
    dated_by: Option<Range<usize>>,
}

/// A line of a text.
#[derive(Debug, Clone, Copy)]
struct Line<'a> {
    start: usize,
    number: u32,
    text: &'a str,
}

impl Line<'_> {
    /// Returns the part of the line from byte `from` to byte `to` of it, without marks around it.
    fn statement(&self, from: usize, to: usize) -> Option<Statement> {
        let range = bare(self.text.get(from..to)?)?;
        let start = self.start + from;
        Some(Statement { range: start + range.start..start + range.end, line: self.number, dated_by: None })
    }

    fn whole(&self) -> Option<Statement> {
        self.statement(0, self.text.len())
    }

    fn is_blank(&self) -> bool {
        self.text.trim().is_empty()
    }

    fn is_item(&self) -> bool {
        let text = self.text.trim_start();
        text.starts_with(['-', '*', '+']) && text.get(1..).is_some_and(|rest| rest.starts_with([' ', '\t']))
    }

    /// Returns whether it begins an entry of its own: of a list, or with a date.
    fn begins_entry(&self) -> bool {
        let first = self.text.split_whitespace().next().unwrap_or_default();
        let is_numbered = first.ends_with(['.', ')']) && first.starts_with(|c: char| c.is_ascii_digit());
        self.is_item() || is_numbered || date_in(first).is_some() || self.text.trim_start().starts_with('#')
    }

    /// Returns whether it is only the name of a box.
    fn is_box(&self) -> bool {
        let name = self.text.trim_matches(|c: char| !c.is_alphanumeric());
        means("box", &name.to_ascii_lowercase())
    }

    fn is_row(&self) -> bool {
        self.text.contains('|')
    }
}

/// Chooses the statement that counts.
fn chosen(text: &str, statements: Vec<Statement>) -> Option<AdrStatus> {
    let mut read: Vec<(AdrStatus, Option<[u32; 3]>)> = Vec::new();
    for statement in statements {
        let Some(raw) = text.get(statement.range.clone()) else { continue };
        if text[..statement.range.start].trim_end().ends_with("{{") {
            continue;
        }
        if is_status_template(&without_markup(raw).to_lowercase()) {
            // `Proposed | **Accepted**`: the one in bold.
            let bold: Vec<&str> = raw.split("**").skip(1).step_by(2).collect();
            let [only] = bold[..] else { continue };
            let at = statement.range.start + raw.find(only)?;
            let range = at..at + only.len();
            let (plain, state) = (without_markup(only), state_at(only, StatusPosition::Status));
            read.push((AdrStatus { range, line: statement.line, plain, is_successor: false, state }, None));
            continue;
        }
        let when = date_in(text.get(statement.dated_by.clone().unwrap_or(statement.range.clone()))?);
        let begins = read.is_empty();
        read.push((status(text, &statement, begins), when));
    }
    let dated =
        |(status, when): &(AdrStatus, Option<[u32; 3]>)| when.filter(|_| status.state != DecisionState::Unknown);
    let latest = read.iter().filter_map(dated).max();
    if read.iter().filter_map(dated).count() > 1 {
        let last = read.iter().rposition(|entry| dated(entry) == latest);
        let mut index = 0;
        read.retain(|entry| {
            index += 1;
            dated(entry).is_none() || Some(index - 1) == last
        });
    }
    let best = read.iter().map(|(status, _)| status.state).max()?;
    read.into_iter().map(|(status, _)| status).find(|status| status.state == best)
}

/// Reads a statement: if one of its sentences says that the decision is inactive, that sentence, else its first line.
fn status(text: &str, statement: &Statement, begins: bool) -> AdrStatus {
    let raw = &text[statement.range.clone()];
    let mut state = DecisionState::Unknown;
    let mut start = 0;
    for (index, sentence) in sentences(raw).into_iter().enumerate() {
        let part = &raw[start..start + sentence];
        let (plain, at) = (without_markup(part), statement.range.start + start);
        start += sentence;
        let position = match (index, begins) {
            (0, true) => StatusPosition::Status,
            (0, false) => StatusPosition::Paragraph,
            _ => StatusPosition::Later,
        };
        let said = state_at(&plain, position);
        if said == DecisionState::Inactive {
            let undated = part.trim_start_matches(|c: char| {
                c.is_ascii_digit() || c.is_whitespace() || matches!(c, '-' | '/' | '.' | ':' | ',' | '–')
            });
            let skipped = if date_in(part).is_some() { part.len() - undated.len() } else { 0 };
            let found = bare(&part[skipped..]).map(|found| at + skipped + found.start..at + skipped + found.end);
            let range = found.unwrap_or(statement.range.clone());
            let above = text[statement.range.start..range.start].matches('\n').count();
            let line = statement.line + u32::try_from(above).unwrap_or(0);
            return AdrStatus {
                plain: without_markup(&text[range.clone()]),
                range,
                line,
                is_successor: false,
                state: said,
            };
        }
        state = state.max(said);
    }
    let mut all = lines(text, statement.range.clone(), statement.line);
    let first = all
        .find(|line| standing(line.text).is_some())
        .or_else(|| lines(text, statement.range.clone(), statement.line).next());
    let Statement { range, line, .. } = first.and_then(|line| line.whole()).unwrap_or_else(|| statement.clone());
    AdrStatus { plain: without_markup(&text[range.clone()]), range, line, is_successor: false, state }
}

/// Returns the lengths of the sentences of a text, which full stops outside brackets end.
fn sentences(text: &str) -> Vec<usize> {
    let (mut lengths, mut start, mut depth) = (Vec::new(), 0, 0);
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        depth += i32::from(matches!(c, '[' | '(')) - i32::from(matches!(c, ']' | ')'));
        let ends = matches!(c, '.' | ';') && depth <= 0 && chars.peek().is_some_and(|(_, next)| next.is_whitespace());
        if ends {
            lengths.push(at + 1 - start);
            start = at + 1;
        }
    }
    lengths.push(text.len() - start);
    lengths
}

/// Returns a text without Markdown, tags and what is struck through, on one line.
fn without_markup(text: &str) -> String {
    let standing = standing(text);
    let untagged = TAG.replace_all(standing.as_deref().unwrap_or(text), "");
    let mut rest = &*untagged;
    let mut plain = String::with_capacity(rest.len());
    while let Some((before, link)) = rest.split_once('[') {
        plain.push_str(before);
        let Some((title, after)) = link.split_once(']') else {
            rest = link;
            break;
        };
        plain.push_str(title);
        let target = after.strip_prefix('(').and_then(|target| target.split_once(')'));
        let label = || after.strip_prefix('[').and_then(|label| label.split_once(']'));
        rest = target.or_else(label).map_or(after, |(_, after)| after);
    }
    plain.push_str(rest);
    let plain = plain.replace(['*', '`', '~'], "");
    let words: Vec<&str> = plain.split_whitespace().map(|word| word.trim_matches('_')).collect();
    words.join(" ").trim().to_owned()
}

/// Returns a text without what is struck through, or `None` if nothing is left.
fn standing(text: &str) -> Option<String> {
    let standing: String = text.split("~~").step_by(2).collect();
    standing.chars().any(char::is_alphanumeric).then_some(standing)
}

/// Returns the statements of `status`, and the values of fields that name a successor.
fn in_front_matter(text: &str) -> (Vec<Statement>, Vec<Statement>) {
    let (mut stated, mut successors) = (Vec::new(), Vec::new());
    let Some(place) = front_matter(text) else { return (stated, successors) };
    let mut open: Option<bool> = None;
    for line in lines(text, place.yaml, place.yaml_line) {
        let name = key(line.text).map(|(name, _)| name);
        if let Some(name) = name {
            open =
                if name.eq_ignore_ascii_case("status") { Some(true) } else { names_successor(name).then_some(false) };
        }
        let Some(is_status) = open else { continue };
        let from = name.and_then(|_| line.text.find(':')).map_or(0, |at| at + 1);
        let value = &line.text[from..];
        let to = from + if value.trim_start().starts_with('#') { 0 } else { value.find(" #").unwrap_or(value.len()) };
        let list = if is_status { &mut stated } else { &mut successors };
        list.extend(line.statement(from, to));
    }
    (stated, successors)
}

fn under_heading(text: &str, outline: &Outline) -> Vec<Statement> {
    for (index, heading) in outline.headings.iter().enumerate() {
        let Some(block) = outline.blocks.get(heading.block) else { continue };
        let Some(value) = own_status(&heading.title, true) else { continue };
        let mut stated = Vec::new();
        if value.chars().any(char::is_alphanumeric)
            && let Some(at) = text.get(block.range.clone()).and_then(|text| text.find(value))
        {
            let start = block.range.start + at;
            stated.extend(Line { start, number: heading.line, text: value }.whole());
        }
        // A heading of level 1 may be one of many.
        let ends = |next: &&Heading| heading.level == 1 || next.level <= heading.level;
        let end = outline.headings[index + 1..].iter().find(ends).map_or(outline.blocks.len(), |next| next.block);
        let blocks = outline.blocks.get(heading.block + 1..end).unwrap_or_default();
        let below: Vec<Line<'_>> = blocks
            .iter()
            .filter(|block| block.fence.is_none())
            .flat_map(|block| lines(text, block.range.clone(), block.line))
            .collect();
        stated.extend(statements(&below));
        if !stated.is_empty() {
            return stated;
        }
    }
    Vec::new()
}

/// Returns the statements in the lines of a section: its paragraphs and list items, outside HTML comments; of a table the cells
/// for the status, else its rows. Of a list with checkboxes those that are checked count.
fn statements(all: &[Line<'_>]) -> Vec<Statement> {
    let mut found: Vec<Statement> = Vec::new();
    let (mut hidden, mut goes_on) = (false, false);
    let mut at = 0;
    while let Some(line) = all.get(at) {
        at += 1;
        if hidden || line.text.trim_start().starts_with("<!--") {
            hidden = !line.text.contains("-->");
            continue;
        }
        if line.is_box() {
            goes_on = false;
            continue;
        }
        let is_table = line.is_row()
            && (line.text.trim_start().starts_with('|') || all.get(at).is_some_and(|next| is_delimiter(next.text)));
        if is_table {
            let length = all[at..].iter().take_while(|line| line.is_row()).count();
            let table = &all[at - 1..at + length];
            let cells = in_table(table);
            let rows = || table.iter().filter(|line| !is_delimiter(line.text)).filter_map(Line::whole).collect();
            found.extend(if cells.is_empty() { rows() } else { cells });
            (at, goes_on) = (at + length, false);
            continue;
        }
        let content = line.text.trim_start().trim_start_matches(['-', '*', '+', ' ']);
        let is_open_box = content.starts_with("[ ]");
        let box_length = if content.starts_with("[x]") || content.starts_with("[X]") { 3 } else { 0 };
        let statement = if is_open_box {
            None
        } else {
            line.statement(line.text.len() - content.len() + box_length, line.text.len())
        };
        match (statement, found.last_mut()) {
            (Some(more), Some(last)) if goes_on && !line.begins_entry() => last.range.end = more.range.end,
            (Some(statement), _) => found.push(statement),
            (None, _) => {}
        }
        goes_on = !line.is_blank() && !is_open_box;
    }
    found
}

/// Returns the statements of labels above the second section, and those that name a successor.
fn in_head(text: &str, outline: &Outline) -> (Vec<Statement>, Vec<Statement>) {
    // Further down, `Status:` is about other things.
    let mut parts = outline.headings.iter().filter(|heading| heading.level > 1);
    let end = parts.nth(1).map_or(outline.blocks.len(), |second| second.block);
    let blocks = outline.blocks.iter().take(end).filter(|block| block.fence.is_none() && block.heading.is_none());
    let all: Vec<Line<'_>> = blocks.flat_map(|block| lines(text, block.range.clone(), block.line)).collect();
    let (mut stated, mut successors) = (in_html(&all), Vec::new());
    for (at, line) in all.iter().enumerate() {
        if line.text.starts_with("    ") || line.text.starts_with('\t') {
            continue;
        }
        if line.is_row() && (at == 0 || !all[at - 1].is_row()) {
            let length = all[at..].iter().take_while(|line| line.is_row()).count();
            stated.extend(in_table(&all[at..at + length]));
        }
        let item = line.text.trim_start().trim_start_matches(['*', '-', '+', '_', '>', '|', ' ']);
        if let Some(value) = own_status(item, false) {
            let from = line.text.len() - value.len();
            stated.extend(line.statement(from, line.text.len()));
            let below =
                all[at + 1..].iter().skip_while(|line| line.is_blank() && !value.chars().any(char::is_alphanumeric));
            // What goes on below the label, or the paragraph below a label without a value.
            let goes_on = |next: &&Line<'_>| {
                let is_list = next.is_item() || label(next.text).is_some();
                !next.is_blank()
                    && (if value.chars().any(char::is_alphanumeric) {
                        !is_list && next.text.starts_with("  ")
                    } else {
                        label(next.text).is_none()
                    })
            };
            let more: Vec<Line<'_>> = below.take_while(goes_on).copied().collect();
            stated.extend(statements(&more));
        } else if let Some(value) = label(item).filter(|(name, _)| names_successor(name)).map(|(_, value)| value) {
            successors.extend(line.statement(line.text.len() - value.len(), line.text.len()));
        }
    }
    (stated, successors)
}

static TAG: LazyLock<Regex> = LazyLock::new(|| pattern(r"</?[a-zA-Z][a-zA-Z0-9]*(?:\s[^<>]*|/)?>"));

/// A row of a table in HTML whose first cell is `Status`.
static HTML_ROW: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"(?is)<t[hd][^>]*>\s*(?:<\w[^>]*>\s*)*status:?\s*(?:</\w+>\s*)*</t[hd]>\s*<td[^>]*>(.*?)</td>")
});

/// Returns the statements in rows of tables in HTML: the first line of the cell behind `Status`.
fn in_html(all: &[Line<'_>]) -> Vec<Statement> {
    if !all.iter().any(|line| line.text.contains("<t")) {
        return Vec::new();
    }
    let joined: String = all.iter().flat_map(|line| [line.text, "\n"]).collect();
    let cells = HTML_ROW.captures_iter(&joined).filter_map(|found| found.get(1));
    let statement = |cell: regex::Match<'_>| {
        let above = joined[..cell.start()].matches('\n').count();
        let column = cell.start() - joined[..cell.start()].rfind('\n').map_or(0, |end| end + 1);
        let line = all.get(above)?;
        line.statement(column, column + cell.as_str().lines().next()?.len())
    };
    cells.filter_map(statement).collect()
}

/// Returns what follows `Status` in a heading or a line, numbering and marks aside; in a line a separator must follow.
fn own_status(text: &str, is_heading: bool) -> Option<&str> {
    let bare = ["<b>", "<strong>"].into_iter().find_map(|tag| text.strip_prefix(tag)).unwrap_or(text);
    let is_number =
        |number: &str| number.len() < 5 && number.chars().all(|c| matches!(c, 'I' | 'V' | 'X') || !c.is_alphabetic());
    let numbered = bare.split_once(['.', ')']).filter(|(number, _)| is_number(number)).map_or(bare, |(_, rest)| rest);
    let numbered = numbered.trim_start_matches(|c: char| !c.is_alphabetic());
    let rest = words_for(if is_heading { "before status" } else { "before status in a line" })
        .iter()
        .find_map(|own| without_word(numbered, own))
        .map_or(numbered, str::trim_start);
    let rest = without_word(rest, "status")?;
    let rest = words_for("after status").iter().find_map(|own| without_word(rest.trim_start(), own)).unwrap_or(rest);
    let value = rest.trim_start_matches(['*', '_', ' ', '"', '\'']);
    let value = ["</b>", "</strong>"].into_iter().find_map(|tag| value.strip_prefix(tag)).unwrap_or(value);
    let separators = [':', '：', '=', '-', '–', '—'];
    match value.chars().next() {
        None => (is_heading || rest.starts_with(['*', '_'])).then_some(""),
        Some('(') => Some(value[1..].trim_end_matches(')')),
        // `Status-quo` is a word.
        Some(first) if separators.contains(&first) && !(first == '-' && rest.starts_with('-')) => {
            Some(value[first.len_utf8()..].trim_start_matches(['*', '_', ' ']))
        }
        Some(_) => None,
    }
}

/// Returns the text behind a word that it begins with, case ignored.
fn without_word<'a>(text: &'a str, word: &str) -> Option<&'a str> {
    let rest = text.get(word.len()..).filter(|_| text[..word.len()].eq_ignore_ascii_case(word))?;
    (!rest.starts_with(char::is_alphanumeric)).then_some(rest)
}

/// Returns the label that a line begins with, without marks, and what follows its colon.
fn label(line: &str) -> Option<(&str, &str)> {
    let line = line.trim_start().trim_start_matches(['*', '-', '+', '_', '>', ' ']);
    let (name, value) = line.split_once(':')?;
    let name = name.trim_matches(['*', '_', ' ']);
    (words(name).len() < 4).then(|| (name, value.trim_start_matches(['*', '_', ' '])))
}

/// Returns the cells of a table that say the status: those below it in a column, or behind it in a row.
fn in_table(table: &[Line<'_>]) -> Vec<Statement> {
    let cells = |line: &Line<'_>| -> Vec<Range<usize>> {
        let mut cells = Vec::new();
        let mut start = 0;
        let mut is_escaped = false;
        for (at, c) in line.text.char_indices().chain([(line.text.len(), '|')]) {
            if c == '|' && !is_escaped {
                cells.push(start..at);
                start = at + 1;
            }
            is_escaped = c == '\\';
        }
        let is_edge = |range: &Range<usize>| line.text[range.clone()].trim().is_empty();
        if cells.first().is_some_and(is_edge) {
            cells.remove(0);
        }
        if cells.last().is_some_and(is_edge) {
            cells.pop();
        }
        cells
    };
    let name = |line: &Line<'_>, cell: &Range<usize>| {
        line.text[cell.clone()].trim_matches(['*', '_', ' ', ':']).to_lowercase()
    };
    let is_status = |name: &str| own_status(name, true) == Some("");
    let in_row = |line: &Line<'_>| {
        let cells = cells(line);
        let cell = cells.first().filter(|first| is_status(&name(line, first))).and_then(|_| cells.get(1))?;
        line.statement(cell.start, cell.end)
    };
    let [head, delimiter, rows @ ..] = table else { return table.iter().filter_map(in_row).collect() };
    let heads = cells(head);
    let column = heads.iter().position(|cell| is_status(&name(head, cell))).filter(|_| is_delimiter(delimiter.text));
    let Some(column) = column else { return table.iter().filter_map(in_row).collect() };
    let beside =
        heads.get(1).filter(|_| column == 0 && heads.len() == 2).map(|cell| without_markup(&head.text[cell.clone()]));
    if beside.is_some_and(|text| state_at(&text, StatusPosition::Status) != DecisionState::Unknown) {
        return in_row(head).into_iter().collect();
    }
    let is_about_others = heads.iter().any(|cell| means("column of others", &name(head, cell)));
    if rows.len() > 1 && is_about_others {
        return Vec::new();
    }
    let in_column = |line: &Line<'_>| {
        let cell = cells(line).get(column).cloned()?;
        let row = line.start..line.start + line.text.len();
        Some(Statement { dated_by: Some(row), ..line.statement(cell.start, cell.end)? })
    };
    rows.iter().filter_map(in_column).collect()
}

/// Returns whether a line divides the head of a table from its rows.
fn is_delimiter(line: &str) -> bool {
    line.contains('-') && line.contains('|') && line.chars().all(|c| matches!(c, '|' | '-' | ':' | ' ' | '\t'))
}

/// Returns the range of a text without marks, quotes and comments around it, or `None` if nothing is left.
fn bare(text: &str) -> Option<Range<usize>> {
    let before = [' ', '\t', '\n', '*', '_', '-', '+', '>', '"', '\'', '{', '`', '#', '|'];
    let after = [' ', '\t', '\n', '*', '_', '"', '\'', '}', '`', '|'];
    let tail = text.trim_start_matches(before);
    let from = text.len() - tail.len();
    let seen = tail.split("<!--").next().and_then(|seen| seen.split("<br").next()).unwrap_or_default().trim_end();
    let core = seen.trim_end_matches(['.', ',', ';']).trim_end_matches(after);
    core.chars().any(char::is_alphanumeric).then(|| from..from + core.len())
}

/// Returns the lines of a part of a text that begins on line `number`.
fn lines(text: &str, range: Range<usize>, number: u32) -> impl Iterator<Item = Line<'_>> {
    let mut start = range.start;
    let part = text.get(range).unwrap_or_default();
    part.split_inclusive('\n').zip(number..).map(move |(piece, number)| {
        let line = Line { start, number, text: piece.trim_end_matches('\n') };
        start += piece.len();
        line
    })
}
