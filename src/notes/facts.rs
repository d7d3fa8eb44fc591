//! Key facts: `Term: value`, rows of tables, and commands.

use super::extract::{Context, shown};
use super::words::{count, is_label};
use crate::markdown::{TextBlock, TextBlockKind};
use crate::redact::{Clean, CleanBuf};
use std::collections::HashSet;
use std::ops::Range;

/// The longest fact, in bytes.
const LONGEST: usize = 300;
/// How many words a term may have.
const TERM_WORDS: usize = 6;
/// How many commands of a code block are facts.
const COMMANDS: usize = 4;
/// Languages of code blocks that hold commands.
const SHELLS: [&str; 12] = [
    "bash",
    "cmd",
    "console",
    "fish",
    "powershell",
    "ps1",
    "sh",
    "shell",
    "shell-session",
    "shellsession",
    "terminal",
    "zsh",
];

/// The facts so far.
#[derive(Debug)]
pub(super) struct Facts {
    most: usize,
    found: Vec<Clean>,
    seen: HashSet<Clean>,
    left_out: usize,
}

impl Facts {
    pub(super) fn new(most: usize) -> Self {
        Self { most, found: Vec::new(), seen: HashSet::new(), left_out: 0 }
    }

    /// Takes the facts of a block.
    pub(super) fn read(&mut self, document: &Clean, context: &Context, block: &TextBlock) {
        match &block.kind {
            TextBlockKind::Paragraph | TextBlockKind::Item => {
                if let Some(fact) = definition(document, &block.range) {
                    self.add(fact);
                }
            }
            TextBlockKind::Row { is_head: false, cells } => {
                let mut cells = cells.iter().filter(|cell| !cell.is_empty()).map(|cell| shown(document, cell.clone()));
                let (Some(term), Some(value)) = (cells.next(), cells.next()) else { return };
                let mut fact = CleanBuf::new();
                fact.text(&term).lit(": ").text(&value);
                cells.for_each(|cell| {
                    fact.lit("; ").text(&cell);
                });
                self.add(fact.finish());
            }
            TextBlockKind::Code { language } if SHELLS.contains(&language.as_str()) => {
                let title = context.sections.last().map(|section| &section.title);
                for command in commands(&document[block.range.clone()], block.range.start).take(COMMANDS) {
                    let command = document.slice(command);
                    let mut fact = CleanBuf::new();
                    if let Some(title) = title {
                        fact.text(title).lit(": ");
                    }
                    self.add(fact.lit("`").text(&command).lit("`").finish());
                }
            }
            _ => {}
        }
    }

    fn add(&mut self, fact: Clean) {
        if fact.len() > LONGEST || self.found.len() >= self.most && !self.seen.contains(&fact) {
            self.left_out += 1;
        } else if self.seen.insert(fact.clone()) {
            self.found.push(fact);
        }
    }

    /// Returns the facts in the document's order, and how many are left out.
    pub(super) fn finish(self) -> (Vec<Clean>, usize) {
        (self.found, self.left_out)
    }
}

/// Returns `Term: value` or `**Term** — value` as a fact, if a block begins so.
fn definition(document: &Clean, range: &Range<usize>) -> Option<Clean> {
    let text = shown(document, range.clone());
    let (end, length) =
        [": ", "：", " — ", " – ", " - "].iter().filter_map(|mark| Some((text.find(mark)?, mark.len()))).min()?;
    let (term, value) = (text[..end].trim(), text[end + length..].trim());
    let is_bold = document[range.clone()].starts_with(['*', '_', '`']);
    let is_term = (1..=TERM_WORDS).contains(&count(term)) && !is_label(term) && !term.ends_with(['.', ')']);
    let is_marked = text[end..].starts_with([':', '：']) || is_bold;
    if !is_term || !is_marked || value.is_empty() || value.starts_with("//") {
        return None;
    }
    // One sentence: what follows says more than the fact.
    let value_end = super::sentences::sentences(value).first().map_or(value.len(), |first| first.end);
    let value_at = text.len() - text[end + length..].trim_start().len();
    let mut fact = CleanBuf::new();
    fact.text(&text.slice(0..end).trimmed()).lit(": ").text(&text.slice(value_at..value_at + value_end));
    Some(fact.finish())
}

/// Returns the places of commands in a code block: its lines but comments; where some begin with `$`, only these.
fn commands(code: &str, at: usize) -> impl Iterator<Item = Range<usize>> + '_ {
    let has_prompt = code.lines().any(|line| line.trim_start().starts_with("$ "));
    code.lines().filter_map(move |line| {
        let bare = line.trim_start_matches([' ', '\t', '>']);
        let command = if has_prompt { bare.strip_prefix("$ ")? } else { bare }.trim();
        let start = at + (command.as_ptr() as usize - code.as_ptr() as usize);
        let is_command = !command.is_empty() && !command.starts_with('#') && !command.contains('`');
        is_command.then_some(start..start + command.len())
    })
}
