//! The structure of source code by its indentation and the shape of its lines, for any language.
//!
//! There is no parser here: a grammar for each language would be larger than the rest of the program, and a file that a
//! grammar refuses would have no outline. Two observations hold for nearly all code that people commit: a block is
//! indented deeper than the line that begins it, and a definition begins with one of a few dozen words (`fn`, `def`,
//! `class`, `CREATE TABLE`) or has the form `name(…) {`. A line that is misjudged costs a line of an outline.

use super::WORDS;
use crate::knowledge::SourceParts;
use crate::markdown::{Heading, Outline};
use crate::model::has_document_extension;
use regex::Regex;
use std::ops::Range;
use std::sync::LazyLock;

const TAB: usize = 4;
/// The most lines of comments and attributes above a definition that belong to it.
const MOST_ABOVE: usize = 12;
/// The longest line that may be a definition, in bytes.
const LONGEST: usize = 400;
/// The most lines below its name on which the parameters of a function may end.
const MOST_OF_SIGNATURE: usize = 40;

/// A text by its lines, counted from 0.
pub(super) struct SourceText<'a> {
    text: &'a str,
    lines: Vec<Range<usize>>,
    indents: Vec<Option<usize>>,
    format: Option<&'static SourceFormat>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SourceDefinition {
    /// It may hold others: a class, a module.
    Container,
    /// What it holds is its own matter: a function.
    Leaf,
}

impl SourceDefinition {
    fn named(name: &str) -> Option<Self> {
        [("container", Self::Container), ("leaf", Self::Leaf)].into_iter().find(|it| it.0 == name).map(|it| it.1)
    }
}

struct SourceFormat {
    names: Regex,
    /// The columns by which a definition is indented at most.
    max_indent: usize,
    line: Regex,
    definition: SourceDefinition,
    /// Whether other lines may be definitions of code.
    holds_code: bool,
}

static FORMATS: LazyLock<Vec<SourceFormat>> = LazyLock::new(|| {
    let format = |line: &'static str| {
        let [_, definition, max_indent, names, line]: [&str; 5] =
            line.splitn(5, ' ').collect::<Vec<_>>().try_into().ok()?;
        let (names, line) = (Regex::new(names).ok()?, Regex::new(line).ok()?);
        let (definition, max_indent) = (SourceDefinition::named(definition)?, max_indent.parse().ok()?);
        Some(SourceFormat { holds_code: names.is_match(".html"), names, max_indent, line, definition })
    };
    DEFINITIONS.lines().filter(|line| line.starts_with("format ")).filter_map(format).collect()
});

/// A pattern of a definition in code.
struct DefinitionRule {
    /// `None` for a statement, which begins no definition.
    definition: Option<SourceDefinition>,
    condition: &'static str,
    pattern: Regex,
}

static RULES: LazyLock<Vec<DefinitionRule>> = LazyLock::new(|| {
    const NAME: &str = r#"(?:\s+[\w$`"'@]|[$`"'@])"#;
    let rule = |line: &'static str| {
        let [definition, condition, pattern]: [&str; 3] = line.splitn(3, ' ').collect::<Vec<_>>().try_into().ok()?;
        let pattern = Regex::new(&pattern.replace("NAME", NAME)).ok()?;
        Some(DefinitionRule { definition: SourceDefinition::named(definition), condition, pattern })
    };
    let is_rule = |line: &&str| !line.starts_with('#') && !line.starts_with("format ");
    DEFINITIONS.lines().filter(is_rule).filter_map(rule).collect()
});

const DEFINITIONS: &str = include_str!("definitions.txt");

/// Returns the parts of a source file; `name` says what it is.
pub fn source_parts(name: &str, text: &str) -> SourceParts {
    if has_document_extension(name) {
        return SourceParts { definitions: sections(text), ..SourceParts::default() };
    }
    let source = SourceText::new(name, text);
    let parts = |head: usize| (source.lead(head)..source.end_of(head) + 1, head);
    let definitions: Vec<(Range<usize>, usize)> = source.definitions().into_iter().map(parts).collect();
    let is_import = |line: &usize| {
        let (rest, _) = without_modifiers(source.line(*line).trim());
        WORDS.has("import", rest.split([' ', '(', '"', '<']).next().unwrap_or_default()) || rest.contains("= require(")
    };
    let imports = (0..source.len()).filter(is_import).flat_map(|line| line..source.end_of(line) + 1);
    let first = definitions.first().map_or(0, |(lines, _)| lines.start);
    let comments = (0..first).filter(|line| is_lead(source.line(*line)));
    SourceParts { preamble: imports.chain(comments).collect(), definitions }
}

/// Returns the lines of each section of a Markdown text with those below it, and the line of its heading.
fn sections(text: &str) -> Vec<(Range<usize>, usize)> {
    let markdown = Outline::read(text);
    let lines: Vec<&str> = text.lines().collect();
    let line = |heading: &Heading| markdown.blocks[heading.block].line as usize - 1;
    let section = |(at, heading): (usize, &Heading)| {
        let next = markdown.headings[at + 1..].iter().find(|next| next.level <= heading.level);
        let below = line(heading)..next.map_or(lines.len(), line).min(lines.len());
        let blank = lines[below.clone()].iter().rev().take_while(|line| line.trim().is_empty()).count();
        (below.start..below.end - blank, below.start)
    };
    markdown.headings.iter().enumerate().map(section).collect()
}

impl<'a> SourceText<'a> {
    pub(super) fn new(name: &str, text: &'a str) -> Self {
        let mut lines = Vec::new();
        let mut start = 0;
        for line in text.split_inclusive('\n') {
            lines.push(start..start + line.trim_end_matches('\n').len());
            start += line.len();
        }
        let indents = lines.iter().map(|range| indent(&text[range.clone()])).collect();
        Self { text, lines, indents, format: FORMATS.iter().find(|format| format.names.is_match(&name.to_lowercase())) }
    }

    pub(super) fn len(&self) -> usize {
        self.lines.len()
    }

    /// Returns the bytes of some lines, without the last line's end.
    pub(super) fn bytes(&self, lines: Range<usize>) -> Range<usize> {
        let start = self.lines.get(lines.start).map_or(self.text.len(), |line| line.start);
        let end = self.lines.get(lines.end.saturating_sub(1)).map_or(self.text.len(), |line| line.end);
        start..end.max(start)
    }

    fn line(&self, index: usize) -> &'a str {
        self.lines.get(index).map_or("", |range| &self.text[range.clone()])
    }

    /// Returns the innermost definition in which some lines begin, else the innermost block, without what [`Self::lead`] adds.
    pub(super) fn block_around(&self, lines: &Range<usize>) -> Option<Range<usize>> {
        let indents = self.indents.get(lines.clone())?;
        let (first, inner) = lines.clone().zip(indents).find_map(|(line, indent)| Some((line, (*indent)?)))?;
        // The end of a block is a part of it.
        let closes = self.line(first).trim_start().starts_with(['}', ')', ']']);
        let inner = inner + usize::from(closes);
        let head = if self.indents[first] == Some(inner) && self.definition(first).is_some() {
            first
        } else {
            self.head_above(first, inner)?
        };
        Some(head..(self.end_of(head) + 1).max(lines.end))
    }

    /// Returns the first line of the comments and attributes directly above a definition.
    pub(super) fn lead(&self, head: usize) -> usize {
        let belongs = |line: &usize| self.indents[*line] == self.indents[head] && is_lead(self.line(*line));
        (head.saturating_sub(MOST_ABOVE)..head).rev().take_while(belongs).last().unwrap_or(head)
    }

    fn head_above(&self, first: usize, inner: usize) -> Option<usize> {
        let mut limit = inner;
        let mut innermost = None;
        for line in (0..first).rev() {
            let Some(indent) = self.indents[line].filter(|indent| *indent < limit) else { continue };
            let text = self.line(line).trim();
            // Preprocessor lines and comments stand anywhere.
            if is_lead(text) {
                continue;
            }
            if text.starts_with(['}', ')', ']', '{', '(']) {
                // The head of this block is further up, at the same depth.
                limit = indent + 1;
                continue;
            }
            limit = indent;
            if self.definition(line).is_some() {
                return Some(line);
            }
            innermost.get_or_insert(line);
            if indent == 0 {
                break;
            }
        }
        innermost
    }

    fn end_of(&self, head: usize) -> usize {
        let own = self.indents[head].unwrap_or_default();
        let mut last = head;
        if is_lead(self.line(head)) {
            return head;
        }
        for line in head + 1..self.len() {
            let Some(indent) = self.indents[line] else { continue };
            if indent > own {
                last = line;
                continue;
            }
            let text = self.line(line).trim();
            if is_lead(text) {
                continue;
            }
            if indent < own {
                break;
            }
            let opens = text.ends_with(['{', '(', '[', ':']) || text.ends_with("=>") || self.line_below(line) == "{";
            // `): { … } => {` has braces in its type.
            let is_type = text.starts_with('}') && text.contains("=>") && opens;
            if text.starts_with(['{', '(']) || text.starts_with([')', ']']) && opens || is_type {
                last = line;
            } else if text.starts_with(['}', ')', ']']) || matches!(text, "end" | "fi" | "done" | "esac" | "end;") {
                return line;
            } else {
                break;
            }
        }
        last
    }

    pub(super) fn definitions(&self) -> Vec<usize> {
        let mut found = Vec::new();
        // The functions around a line, by indentation.
        let mut inside: Option<usize> = None;
        for (line, indent) in self.indents.iter().enumerate() {
            let Some(indent) = *indent else { continue };
            if inside.is_some_and(|outer| indent > outer) {
                continue;
            }
            if let Some(definition) = self.definition(line) {
                found.push(line);
                inside = (definition == SourceDefinition::Leaf).then_some(indent);
            }
        }
        found
    }

    /// Returns whether a definition begins on a line, perhaps inside of a function.
    pub(super) fn is_definition(&self, line: usize) -> bool {
        self.definition(line).is_some()
    }

    pub(super) fn indent(&self, line: usize) -> usize {
        self.indents.get(line).copied().flatten().unwrap_or_default()
    }

    fn definition(&self, index: usize) -> Option<SourceDefinition> {
        let line = self.line(index);
        let text = line.trim();
        if text.len() > LONGEST || text.is_empty() {
            return None;
        }
        let indent = self.indent(index);
        let code = || self.code_definition(index, text, indent);
        let Some(format) = self.format else { return code() };
        let found = (indent <= format.max_indent && format.line.is_match(text)).then_some(format.definition);
        found.or_else(|| if format.holds_code { code() } else { None })
    }

    fn code_definition(&self, index: usize, text: &str, indent: usize) -> Option<SourceDefinition> {
        if is_lead(text) || text.starts_with(['}', ')', ']', '{', '*']) {
            return None;
        }
        let (rest, exported) = without_modifiers(text);
        let is_top = indent == 0;
        let applies = |rule: &&DefinitionRule| {
            let holds = match rule.condition {
                "top" => is_top,
                "outer" => is_top || exported,
                "public" => is_top && exported,
                _ => true,
            };
            holds && rule.pattern.is_match(rest)
        };
        match RULES.iter().find(applies) {
            Some(rule) => rule.definition,
            None => self.is_declaration(index, rest).then_some(SourceDefinition::Leaf),
        }
    }

    /// Returns whether a line begins the form `type name(…) {`, `type name(…) => …` or `type name => …`, of which what follows
    /// the name may be on lines below.
    fn is_declaration(&self, index: usize, text: &str) -> bool {
        let (head, rest) = text.split_at(text.find(['(', '=']).unwrap_or(text.len()));
        let has_type = head.split_whitespace().count() > 1;
        let is_name = head.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '~' | '[' | '<' | '$'))
            && head.trim_end().ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '>' | '~'))
            && !head.contains(['"', '\'', '`', '.', '!', '|', '+', '{'])
            && ![" ? ", " if "].iter().any(|word| head.contains(word));
        let parameters = if is_name { self.after_parameters(index, rest) } else { None };
        let Some((last, tail)) = parameters else { return false };
        let below = self.line_below(last);
        // An arm of a `match` or `switch` ends with a comma, and `name: x => …` is an argument.
        let is_arrow = |tail: &str| has_type && tail.starts_with("=>") && !tail.ends_with(',') && !head.contains(':');
        match tail {
            "" => has_type && below == "{" || is_arrow(below),
            _ => tail.ends_with('{') && !tail.contains("=>") || is_arrow(tail),
        }
    }

    /// Returns what follows the parameters that `rest` of a line begins with, or the line below, and the line of their end.
    fn after_parameters<'t>(&'t self, index: usize, rest: &'t str) -> Option<(usize, &'t str)> {
        let first = if rest.is_empty() { self.line_below(index) } else { rest };
        if first.starts_with("=>") {
            return Some((index, rest));
        }
        let lines = (index + 1..self.len()).take(MOST_OF_SIGNATURE).map(|line| (line, self.line(line).trim()));
        let mut open = 0_usize;
        for (line, text) in std::iter::once((index, rest)).chain(lines).filter(|_| first.starts_with('(')) {
            for (at, c) in text.char_indices() {
                match c {
                    '(' => open += 1,
                    ')' if open == 1 => return Some((line, text[at + 1..].trim())),
                    ')' => open -= 1,
                    _ => {}
                }
            }
        }
        None
    }

    /// Returns the next line that is not empty.
    fn line_below(&self, index: usize) -> &'a str {
        let next = (index + 1..self.len()).find(|line| self.indents[*line].is_some());
        next.map_or("", |line| self.line(line).trim())
    }
}

/// Removes words such as `pub`, `export` and `async`; returns whether one of them makes the definition public.
fn without_modifiers(text: &str) -> (&str, bool) {
    let mut rest = text;
    let mut exported = false;
    loop {
        let word = rest.split(char::is_whitespace).next().unwrap_or_default();
        let public = WORDS.has("public", word) || word.starts_with("pub(");
        let known =
            public || WORDS.has("modifier", word) || matches!(word, "const" | "static") && is_modifier(rest, word);
        if !known || word.len() == rest.len() {
            return (rest, exported);
        }
        exported |= public;
        rest = rest[word.len()..].trim_start();
    }
}

/// Returns whether `const` or `static` only describes the function or type that follows: `const fn`, `static int f(`.
fn is_modifier(rest: &str, word: &str) -> bool {
    let after = rest[word.len()..].trim_start();
    let next = after.split(char::is_whitespace).next().unwrap_or_default();
    matches!(next, "fn" | "unsafe" | "async" | "class" | "enum" | "struct" | "extern")
        || word == "static" && after.contains('(') && !after.contains('=')
}

/// Returns whether a line is a comment or an attribute, which belongs to the definition below it.
fn is_lead(line: &str) -> bool {
    let text = line.trim();
    ["//", "#", "@", "/*", "* ", "--", ";;"].iter().any(|start| text.starts_with(start)) || matches!(text, "*" | "*/")
}

fn indent(line: &str) -> Option<usize> {
    let body = line.trim_start();
    if body.is_empty() {
        return None;
    }
    Some(line[..line.len() - body.len()].chars().map(|c| if c == '\t' { TAB } else { 1 }).sum())
}
