//! Where an ADR states its status, and which of its statements counts.

use crate::markdown::front_matter::{front_matter, key};
use crate::markdown::{Heading, Outline, TextBlockKind, text_blocks, words};
use crate::mentions::Markdown;
use crate::mentions::vocabulary::{means, pattern, words_for};
use crate::model::{
    DecisionState, StatusPosition, has_year, is_status_template, names_nothing, names_successor, state_at,
};
use regex::Regex;
use std::ops::Range;
use std::sync::LazyLock;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AdrStatus {
    pub range: Range<usize>,
    /// What they say without markup: `superseded by [ADR-0042](0042-x.md)` → `superseded by ADR-0042`.
    pub plain: String,
    /// Whether they name what replaced the decision, in a field of their own.
    pub is_successor: bool,
    pub state: DecisionState,
}

/// Returns the status of an ADR, which is looked for in the front matter, then under a `Status` heading, then above the second
/// section: in a line such as `* Status: **Accepted**`, or a column or row of a table.
///
/// Of several statements one that the decision is inactive counts, else one that it is in force.
/// A field that names a successor counts unless the status says that the decision is inactive.
pub fn adr_status(text: &str, outline: &Outline) -> Option<AdrStatus> {
    statuses(text, outline).into_iter().next()
}

/// Returns what an ADR says replaced it, its status first: targets of links, paths, numbers, or a field without any of these.
pub fn superseded_by(text: &str, outline: &Outline) -> Vec<String> {
    let successor = |AdrStatus { range, is_successor, .. }: AdrStatus| {
        let said = without_struck(&text[range]);
        let named = if is_successor { &said } else { &said[SUPERSEDED_BY.find(&said)?.end()..] };
        let line = named.trim().replace('\n', " ");
        // The text may define the links of the line.
        let found = Markdown::read(&format!("{line}\n\n{text}")).mentions.references.into_iter().next();
        let plain = line.trim_matches(['*', '[', ']', ' ']).to_owned();
        let Some(found) = found.filter(|found| found.line == 1) else { return Some(plain) };
        found.foreign.is_none().then(|| found.link.unwrap_or(found.target))
    };
    statuses(text, outline).into_iter().filter(|it| it.state == DecisionState::Inactive).filter_map(successor).collect()
}

/// Returns the status that counts, all others, and the fields that name a successor.
fn statuses(text: &str, outline: &Outline) -> Vec<AdrStatus> {
    let (fields, head) = (in_front_matter(text), in_head(text, outline));
    let stated = [fields.stated, under_heading(text, outline), head.stated].map(|it| read_statements(text, it));
    let named = fields.successors.into_iter().chain(head.successors);
    let named = named.map(|it| AdrStatus { is_successor: true, ..AdrStatus::new(text, it, DecisionState::Inactive) });
    let named: Vec<AdrStatus> = named.filter(|status| !names_nothing(&status.plain)).collect();
    let best = stated.iter().find_map(|read| read.iter().rev().max_by_key(|status| status.state));
    let counts = best.filter(|status| status.state == DecisionState::Inactive).or(named.first()).or(best).cloned();
    counts.into_iter().chain(stated.into_iter().flatten()).chain(named).collect()
}

/// Returns the links, paths and numbers of the decisions that an ADR in force says it replaced: above its first section, or
/// below a `Status` heading.
pub fn replaced_decisions(text: &str) -> Vec<&str> {
    if !REPLACED.is_match(text) {
        return Vec::new();
    }
    let outline = Outline::read(text);
    if adr_status(text, &outline).is_some_and(|it| matches!(it.state, DecisionState::Open | DecisionState::Inactive)) {
        return Vec::new();
    }
    let start = |heading: &Heading| outline.blocks.get(heading.block).map_or(text.len(), |block| block.range.start);
    let headings = &outline.headings;
    let introduction = headings.iter().find(|heading| heading.level > 1).map_or(text.len(), start);
    let below = |(at, heading): (usize, &Heading)| start(heading)..headings.get(at + 1).map_or(text.len(), start);
    let status = headings.iter().enumerate().find(|(_, heading)| own_status(&heading.title, true).is_some()).map(below);
    let parts = std::iter::once(0..introduction).chain(status);
    let mut read = Vec::new();
    text_blocks(text, &mut |block| match block.kind {
        TextBlockKind::Code { .. } | TextBlockKind::ListStart { .. } | TextBlockKind::ListEnd => {}
        TextBlockKind::Row { cells, .. } => read.extend(cells),
        _ => read.push(block.range),
    });
    let is_read = |at| read.iter().any(|range| range.contains(&at));
    let found = parts.flat_map(|part| {
        let names = REPLACED.captures_iter(&text[part.clone()]).filter_map(|found| found.get(1));
        names.filter(move |names| is_read(part.start + names.start()))
    });
    found.flat_map(|names| DECISION.find_iter(names.as_str()).map(|name| name.as_str())).collect()
}

impl AdrStatus {
    fn new(text: &str, range: Range<usize>, state: DecisionState) -> Self {
        Self { plain: without_markup(&text[range.clone()]), range, is_successor: false, state }
    }
}

/// Statements of the status, and values of fields that name a successor.
#[derive(Default)]
struct StatusStatements {
    stated: Vec<Range<usize>>,
    successors: Vec<Range<usize>>,
}

enum StatusPart {
    /// A paragraph, a list item or a heading.
    Text { range: Range<usize>, is_item: bool, is_quoted: bool },
    /// The cells of a table by rows.
    Table(Vec<Vec<Range<usize>>>),
}

/// Returns the parts of a range of a text in order, without code, and items without a check in their box.
fn parts(text: &str, range: Range<usize>) -> Vec<StatusPart> {
    let mut parts = Vec::new();
    let in_text = |part: Range<usize>| range.start + part.start..range.start + part.end;
    text_blocks(&text[range.clone()], &mut |block| match block.kind {
        TextBlockKind::Row { is_head, cells } => {
            let row = cells.into_iter().map(in_text).collect();
            match parts.last_mut() {
                Some(StatusPart::Table(rows)) if !is_head => rows.push(row),
                _ => parts.push(StatusPart::Table(vec![row])),
            }
        }
        TextBlockKind::Heading(_) | TextBlockKind::Paragraph | TextBlockKind::Item => {
            let (range, is_item) = (in_text(block.range), block.kind == TextBlockKind::Item);
            if !text[..range.start].trim_end().ends_with("[ ]") {
                parts.push(StatusPart::Text { range, is_item, is_quoted: block.quotation.is_some() });
            }
        }
        _ => {}
    });
    parts
}

fn lines(text: &str, range: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let mut end = range.start;
    text[range].split_inclusive('\n').map(move |line| {
        let start = end;
        end += line.len();
        start..start + line.trim_end_matches('\n').len()
    })
}

fn read_statements(text: &str, statements: Vec<Range<usize>>) -> Vec<AdrStatus> {
    let mut read: Vec<AdrStatus> = Vec::new();
    for range in statements {
        let raw = &text[range.clone()];
        if text[..range.start].trim_end().ends_with("{{") {
            continue;
        }
        if is_status_template(&without_markup(raw).to_lowercase()) {
            // `Proposed | **Accepted**`: the one in bold.
            let bold: Vec<&str> = raw.split("**").skip(1).step_by(2).collect();
            let [only] = bold[..] else { continue };
            let at = range.start + raw.find(only).unwrap_or_default();
            read.push(AdrStatus::new(text, at..at + only.len(), state_at(only, StatusPosition::Status)));
            continue;
        }
        let position = if read.is_empty() { StatusPosition::Status } else { StatusPosition::Paragraph };
        read.push(status(text, range, position));
    }
    read
}

/// Reads a statement: if one of its sentences says that the decision is inactive, that sentence, else its first line.
fn status(text: &str, range: Range<usize>, first: StatusPosition) -> AdrStatus {
    let mut state = DecisionState::Unknown;
    for (index, sentence) in sentences(text, range.clone()).into_iter().enumerate() {
        let part = &text[sentence.clone()];
        let position = if index == 0 { first } else { StatusPosition::Later };
        let stated = state_at(&without_markup(part), position);
        if stated == DecisionState::Inactive {
            let is_date = |c: char| c.is_ascii_digit() || c.is_whitespace() || "-/.:,–".contains(c);
            let undated = if has_year(part) { part.trim_start_matches(is_date) } else { part };
            let found = bare(text, sentence.end - undated.len()..sentence.end);
            return AdrStatus::new(text, found.unwrap_or(range), stated);
        }
        state = state.max(stated);
    }
    let mut lines = lines(text, range.clone());
    let first = lines.find(|line| !without_struck(&text[line.clone()]).is_empty());
    AdrStatus::new(text, first.and_then(|line| bare(text, line)).unwrap_or(range), state)
}

fn sentences(text: &str, range: Range<usize>) -> Vec<Range<usize>> {
    let (mut found, mut start, mut depth) = (Vec::new(), range.start, 0);
    let mut chars = text[range.clone()].char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        depth += i32::from(matches!(c, '[' | '(')) - i32::from(matches!(c, ']' | ')'));
        let is_end = matches!(c, '.' | ';' | '?') && depth <= 0;
        if is_end && chars.peek().is_some_and(|(_, next)| next.is_whitespace()) {
            found.push(start..range.start + at + 1);
            start = range.start + at + 1;
        }
    }
    found.push(start..range.end);
    found
}

static SUPERSEDED_BY: LazyLock<Regex> = LazyLock::new(|| pattern("superseded by"));
static REPLACED: LazyLock<Regex> = LazyLock::new(|| pattern("replaced decisions"));
static DECISION: LazyLock<Regex> = LazyLock::new(|| pattern("name of a decision"));
static TAG: LazyLock<Regex> = LazyLock::new(|| pattern("tag"));
static LINK: LazyLock<Regex> = LazyLock::new(|| pattern("link"));
static MARKS: LazyLock<Regex> = LazyLock::new(|| pattern("mark"));

/// Returns a text without Markdown, tags and what is struck through, on one line.
fn without_markup(text: &str) -> String {
    let standing = without_struck(text);
    let untagged = TAG.replace_all(if standing.is_empty() { text } else { &standing }, "");
    let unlinked = LINK.replace_all(&untagged, "$1");
    let plain = MARKS.replace_all(&unlinked, "");
    plain.split_whitespace().map(|word| word.trim_matches('_')).collect::<Vec<_>>().join(" ").trim().to_owned()
}

/// Returns a text without what is struck through; empty if no word is left.
fn without_struck(text: &str) -> String {
    let standing: String = text.split("~~").step_by(2).collect();
    if has_words(&standing) { standing } else { String::new() }
}

fn has_words(text: &str) -> bool {
    text.contains(char::is_alphanumeric)
}

/// Returns the range without marks, quotes and comments around it, or `None` if nothing is left.
fn bare(text: &str, range: Range<usize>) -> Option<Range<usize>> {
    let tail = text[range.clone()]
        .trim_start_matches([' ', '\t', '\n', '*', '_', '-', '+', '>', '"', '\'', '{', '`', '#', '|']);
    let shown = tail.split("<!--").next().and_then(|shown| shown.split("<br").next()).unwrap_or_default().trim_end();
    let core = shown.trim_end_matches(['.', ',', ';']);
    let core = core.trim_end_matches([' ', '\t', '\n', '*', '_', '"', '\'', '}', '`', '|']);
    let start = range.end - tail.len();
    has_words(core).then_some(start..start + core.len())
}

fn in_front_matter(text: &str) -> StatusStatements {
    let mut found = StatusStatements::default();
    let Some(place) = front_matter(text) else { return found };
    let mut open: Option<bool> = None;
    for line in lines(text, place.yaml) {
        let written = &text[line.clone()];
        let name = key(written).map(|(name, _)| name);
        if let Some(name) = name {
            let is_status = name.eq_ignore_ascii_case("status");
            open = (is_status || names_successor(name)).then_some(is_status);
        }
        let Some(is_status) = open else { continue };
        let from = name.and_then(|_| written.find(':')).map_or(0, |at| at + 1);
        let value = &written[from..];
        let length = if value.trim_start().starts_with('#') { 0 } else { value.find(" #").unwrap_or(value.len()) };
        let value = line.start + from..line.start + from + length;
        let statements = if is_status { &mut found.stated } else { &mut found.successors };
        statements.extend(bare(text, value));
    }
    found
}

fn under_heading(text: &str, outline: &Outline) -> Vec<Range<usize>> {
    for (index, heading) in outline.headings.iter().enumerate() {
        let Some(block) = outline.blocks.get(heading.block) else { continue };
        let Some(value) = own_status(&heading.title, true) else { continue };
        let at = text[block.range.clone()].find(value).filter(|_| has_words(value)).map(|at| block.range.start + at);
        let mut stated: Vec<Range<usize>> = at.and_then(|at| bare(text, at..at + value.len())).into_iter().collect();
        // A heading of level 1 may be one of many.
        let ends = |next: &&Heading| heading.level == 1 || next.level <= heading.level;
        let next = outline.headings[index + 1..].iter().find(ends).and_then(|next| outline.blocks.get(next.block));
        let end = next.map_or(text.len(), |next| next.range.start);
        parts(text, block.range.end..end).iter().for_each(|part| stated.extend(statements(text, part)));
        if !stated.is_empty() {
            return stated;
        }
    }
    Vec::new()
}

/// Returns the statements in a part: its entries; of a table the cells for the status, else its rows.
fn statements(text: &str, part: &StatusPart) -> Vec<Range<usize>> {
    match part {
        StatusPart::Text { range, .. } => entries(text, lines(text, range.clone())),
        StatusPart::Table(rows) => {
            let cells = in_table(text, rows);
            let whole = |row: &Vec<Range<usize>>| bare(text, whole_row(row)?);
            if cells.is_empty() { rows.iter().filter_map(whole).collect() } else { cells }
        }
    }
}

/// Joins lines to statements. A line that begins with a date begins one; the name of a box that renderers draw is none.
fn entries(text: &str, lines: impl Iterator<Item = Range<usize>>) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    for line in lines {
        let written = &text[line.clone()];
        let begins = written.split_whitespace().next().is_some_and(has_year);
        let name = written.trim_matches(|c: char| !c.is_alphanumeric()).to_ascii_lowercase();
        match found.last_mut() {
            _ if means("box", &name) => {}
            Some(last) if !begins => last.end = line.end,
            _ => found.push(line),
        }
    }
    found.into_iter().filter_map(|range| bare(text, range)).collect()
}

/// Returns the statements of labels above the second section, and those that name a successor.
fn in_head(text: &str, outline: &Outline) -> StatusStatements {
    let mut found = StatusStatements::default();
    // Further down, `Status:` is about other things.
    let sections = outline.headings.iter().filter(|heading| heading.level > 1);
    let starts = sections.filter_map(|heading| outline.blocks.get(heading.block)).map(|block| block.range.start);
    let mut starts = starts.chain([text.len(), text.len()]);
    let (introduction, end) = (starts.next().unwrap_or_default(), starts.next().unwrap_or_default());
    let start = front_matter(text).map_or(0, |place| place.body).min(end);
    let parts = parts(text, start..end);
    for (index, part) in parts.iter().enumerate() {
        let StatusPart::Text { range, is_quoted, .. } = part else {
            let StatusPart::Table(rows) = part else { continue };
            found.stated.extend(in_table(text, rows));
            continue;
        };
        let mut lines = lines(text, range.clone()).peekable();
        while let Some(line) = lines.next() {
            let item = text[line.clone()].trim_start().trim_start_matches(['*', '-', '+', '_', '>', '|', ' ']);
            if let Some(value) = own_status(item, false) {
                let at = line.end - item.len() + item.rfind(value).unwrap_or_default();
                found.stated.extend(bare(text, at..at + value.len()));
                // What goes on below the label, or the paragraph or list below a label without a value.
                let is_valued = has_words(value);
                let goes_on = |line: &Range<usize>| {
                    let next = &text[line.clone()];
                    label(next).is_none() && (!is_valued || next.starts_with("  "))
                };
                let more: Vec<Range<usize>> = std::iter::from_fn(|| lines.next_if(goes_on)).collect();
                let is_bare = !is_valued && more.is_empty() && lines.peek().is_none();
                found.stated.extend(entries(text, more.into_iter()));
                if is_bare {
                    found.stated.extend(below_label(text, &parts[index + 1..]));
                }
            } else if let Some((_, value)) = label(item).filter(|(name, _)| names_successor(name)) {
                found.successors.extend(bare(text, line.end - value.len()..line.end));
            } else if *is_quoted && line.start == range.start && range.end <= introduction {
                // `> This ADR is superseded by ADR-1.`
                let status = status(text, line.start..range.end, StatusPosition::Paragraph);
                let is_inactive = status.state == DecisionState::Inactive;
                found.stated.extend(bare(text, status.range).filter(|_| is_inactive));
            }
        }
    }
    found
}

/// Returns the statements in the paragraph or the list that a label without a value stands above.
fn below_label(text: &str, parts: &[StatusPart]) -> Vec<Range<usize>> {
    let is_item = |part: &StatusPart| matches!(part, StatusPart::Text { is_item: true, .. });
    let is_labelled =
        |part: &StatusPart| matches!(part, StatusPart::Text { range, .. } if label(&text[range.clone()]).is_some());
    let items = parts.iter().take_while(|part| is_item(part)).count().max(1);
    parts.iter().take(items).take_while(|part| !is_labelled(part)).flat_map(|part| statements(text, part)).collect()
}

/// Returns what follows `Status` in a heading or a line, numbering and marks aside; in a line a separator must follow.
fn own_status(text: &str, is_heading: bool) -> Option<&str> {
    let bare = ["<b>", "<strong>"].into_iter().find_map(|tag| text.strip_prefix(tag)).unwrap_or(text);
    let is_number =
        |number: &str| number.len() < 5 && number.chars().all(|c| matches!(c, 'I' | 'V' | 'X') || !c.is_alphabetic());
    let numbered = bare.split_once(['.', ')']).filter(|(number, _)| is_number(number)).map_or(bare, |(_, rest)| rest);
    let numbered = numbered.trim_start_matches(|c: char| !c.is_alphabetic());
    let before = if is_heading { "before status" } else { "before status in a line" };
    let rest = without_word(behind(numbered, before).map_or(numbered, str::trim_start), "status")?;
    let rest = behind(rest.trim_start(), "after status").unwrap_or(rest);
    let value = rest.trim_start_matches(['*', '_', ' ', '"', '\'']);
    let value = ["</b>", "</strong>"].into_iter().find_map(|tag| value.strip_prefix(tag)).unwrap_or(value);
    match value.chars().next() {
        None => (is_heading || rest.starts_with(['*', '_'])).then_some(""),
        Some('(') => Some(value[1..].trim_end_matches(')')),
        // `Status-quo` is a word.
        Some(first) if ":：=-–—".contains(first) && !(first == '-' && rest.starts_with('-')) => {
            Some(value[first.len_utf8()..].trim_start_matches(['*', '_', ' ']))
        }
        Some(_) => None,
    }
}

fn behind<'a>(text: &'a str, list: &str) -> Option<&'a str> {
    words_for(list).iter().find_map(|phrase| without_word(text, phrase))
}

fn without_word<'a>(text: &'a str, word: &str) -> Option<&'a str> {
    let rest = text.get(word.len()..).filter(|_| text[..word.len()].eq_ignore_ascii_case(word))?;
    (!rest.starts_with(char::is_alphanumeric)).then_some(rest)
}

/// Returns the label that a line begins with, without marks, and what follows its colon.
fn label(line: &str) -> Option<(&str, &str)> {
    let marks = ['*', '-', '+', '_', '>', ' '];
    let (name, value) = line.trim_start().trim_start_matches(marks).split_once(':')?;
    let name = name.trim_matches(['*', '_', ' ']);
    (words(name).len() < 4).then(|| (name, value.trim_start_matches(['*', '_', ' '])))
}

fn whole_row(row: &[Range<usize>]) -> Option<Range<usize>> {
    let mut cells = row.iter().filter(|cell| !cell.is_empty());
    let first = cells.next()?;
    Some(first.start..cells.next_back().unwrap_or(first).end)
}

/// Returns the cells of a table that say the status: those below it in a column, or behind it in a row.
fn in_table(text: &str, rows: &[Vec<Range<usize>>]) -> Vec<Range<usize>> {
    let name = |cell: &Range<usize>| text[cell.clone()].trim_matches(['*', '_', ' ', ':']).to_lowercase();
    let is_status = |cell: &Range<usize>| own_status(&name(cell), true) == Some("");
    let in_row = |row: &Vec<Range<usize>>| match &row[..] {
        [first, value, ..] if is_status(first) => bare(text, value.clone()),
        _ => None,
    };
    let Some((head, below)) = rows.split_first() else { return Vec::new() };
    let Some(column) = head.iter().position(is_status) else { return rows.iter().filter_map(in_row).collect() };
    if let [_, value] = &head[..]
        && column == 0
        && state_at(&without_markup(&text[value.clone()]), StatusPosition::Status) != DecisionState::Unknown
    {
        return in_row(head).into_iter().collect();
    }
    if below.len() > 1 && head.iter().any(|cell| means("column of others", &name(cell))) {
        return Vec::new();
    }
    below.iter().filter_map(|row| bare(text, row.get(column)?.clone())).collect()
}
