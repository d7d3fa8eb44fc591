//! What the root's own text stresses: items that it mentions, headings that it names, documents that state its requirements.

use super::candidates::SelectionBuilder;
use super::{Document, ReferencedFile};
use crate::markdown::words;
use std::borrow::Cow;

/// The words under or beside which a reference leads to what the work must fulfil.
const REQUIREMENTS: &str = "acceptance criteria,acceptance criterion,requirements,requirement,spec,specs,specification,\
    specifications,plan,plans";

impl SelectionBuilder<'_> {
    /// Returns whether the root's text mentions the item with this id.
    pub(super) fn is_mentioned(&self, id: &str) -> bool {
        let text = self.context.corpus.entries[self.root].body.clean.as_str();
        let is_part = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '/');
        memchr::memmem::find_iter(text.as_bytes(), id.as_bytes()).any(|at| {
            let (before, after) = (&text[..at], &text[at + id.len()..]);
            let mut rest = after.chars();
            // `TASK-1.2` is another item than `TASK-1`; a full stop may follow.
            let longer = match rest.next() {
                Some('.') => rest.next().is_some_and(char::is_alphanumeric),
                next => next.is_some_and(is_part),
            };
            !longer && !before.chars().next_back().is_some_and(is_part)
        })
    }

    /// Returns the headings of a document that the text which refers to it names: quoted, as code or emphasized, or
    /// beside the word "section".
    pub(super) fn named_headings(&self, by: usize, document: &Document) -> Vec<usize> {
        let text = self.context.corpus.entries[by].body.clean.as_str();
        let headings = &document.text.markdown.outline.headings;
        if text.is_empty() || headings.is_empty() {
            return Vec::new();
        }
        let lower = self.lower_text(by);
        let named = |title: &str| {
            let title = title.trim().to_lowercase();
            let finder = memchr::memmem::Finder::new(&title);
            !title.is_empty() && finder.find_iter(lower.as_bytes()).any(|at| is_naming(&lower, at, at + title.len()))
        };
        headings.iter().enumerate().filter(|(_, heading)| named(&heading.title)).map(|(index, _)| index).collect()
    }

    /// Returns the text of an item in lower case, made once for the root.
    fn lower_text(&self, item: usize) -> Cow<'_, str> {
        let lower = |item: usize| self.context.corpus.entries[item].body.clean.to_lowercase();
        if item == self.root {
            Cow::Borrowed(self.lower_root_text.get_or_init(|| lower(item)))
        } else {
            Cow::Owned(lower(item))
        }
    }

    /// Returns whether a reference is under or beside words such as "acceptance criteria" or "spec".
    pub(super) fn states_requirements(&self, reference: &ReferencedFile) -> bool {
        let entry = &self.context.corpus.entries[reference.by];
        let at = &reference.file.at;
        if at.path != entry.item.body.origin.path {
            return false;
        }
        let Some(line) = entry.body.line_in_text(&entry.item.body, at.line) else { return false };
        let outline = &entry.body.markdown.outline;
        let heading = outline.headings.iter().take_while(|heading| heading.line <= line).last();
        let beside = usize::try_from(line - 1).ok().and_then(|line| entry.body.clean.lines().nth(line));
        heading.map(|heading| heading.title.as_str()).into_iter().chain(beside).any(names_requirements)
    }
}

/// Returns whether the words at `start..end` stand where a heading is named.
pub(super) fn is_naming(text: &str, start: usize, end: usize) -> bool {
    let (before, after) = (&text[..start], &text[end..]);
    let line_before = before.rsplit('\n').next().unwrap_or_default();
    // The text's own heading of this name names nothing.
    if line_before.trim_start().starts_with('#') {
        return false;
    }
    let marked = before.ends_with(['"', '“', '`', '*', '_', '«', '‘', '\'', '§'])
        && after.starts_with(['"', '”', '`', '*', '_', '»', '’', '\'']);
    let numbered = before.trim_end().ends_with('§');
    let beside = |text: &str| text.starts_with("section") || text.starts_with("heading") || text.starts_with("chapter");
    let follows = after.strip_prefix(' ').is_some_and(beside);
    let precedes = ["section ", "section on ", "heading ", "chapter "].iter().any(|word| before.ends_with(word));
    let whole = !after.chars().next().is_some_and(char::is_alphanumeric);
    whole && (marked || numbered || follows || precedes)
}

pub(super) fn names_requirements(line: &str) -> bool {
    let words = words(line);
    REQUIREMENTS.split(',').any(|phrase| {
        let phrase: Vec<&str> = phrase.split(' ').collect();
        words.windows(phrase.len()).any(|window| window == phrase.as_slice())
    })
}
