//! The items that the root's text names without a relation, and those that replace the root.

use super::SelectionContext;
use crate::graph::{Edge, Target};
use crate::model::{latin_parts, with_plain_hyphens};
use std::collections::BTreeSet;

/// The most items that a text names for its pack; a list of hundreds names none in particular.
const MOST_MENTIONED: usize = 30;

/// Words before the name of what replaces an item.
const SUCCESSION: &str = "superseded by, superceded by, supersededby, replaced by, obsoleted by, deprecated by, \
    in favor of, in favour of, duplicate of, moved to, successor, continued in";

/// An item that the root's text names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct MentionedItem {
    pub(super) item: usize,
    /// The line of the root's text.
    pub(super) line: u32,
    /// Whether the text says that it replaces the root.
    pub(super) replaces: bool,
}

/// Returns the items that the text of `root` names outside of code, each once, in the order of the text.
fn read_mentioned(context: &SelectionContext<'_>, root: usize) -> Vec<MentionedItem> {
    let entry = &context.corpus.entries[root];
    let text = entry.body.clean.as_str();
    let (mut found, mut seen): (Vec<MentionedItem>, BTreeSet<usize>) = (Vec::new(), BTreeSet::from([root]));
    for block in &entry.body.markdown.outline.blocks {
        let Some(part) = text.get(block.range.clone()).filter(|_| block.fence.is_none()) else { continue };
        for (line, number) in part.lines().zip(block.line..) {
            if line.trim_start().starts_with('>') {
                continue;
            }
            // Most lines name nothing.
            if !line.bytes().any(|byte| matches!(byte, b'-' | b'#' | b':' | b'_')) {
                continue;
            }
            let line = &*with_plain_hyphens(line);
            let whole = !line.contains("~~") && !line.contains('<');
            let parts = if whole { vec![line] } else { unstruck(line) };
            for word in parts.into_iter().flat_map(words) {
                let named = |word: &str| context.graph.named(context.corpus, word);
                let part = || latin_parts(word).find_map(|(_, part)| named(name_in(part)?));
                let Some(item) = named(word).or_else(|| if word.is_ascii() { None } else { part() }) else { continue };
                if seen.insert(item) {
                    found.push(MentionedItem { item, line: number, replaces: names_successor(line) });
                }
            }
            if found.len() >= MOST_MENTIONED {
                found.truncate(MOST_MENTIONED);
                return found;
            }
        }
    }
    found
}

/// Returns the parts of a line that are neither struck through nor a comment.
pub(super) fn unstruck(line: &str) -> Vec<&str> {
    let mut parts: Vec<&str> = line.split("~~").step_by(2).collect();
    for (begin, end) in [("<!--", "-->"), ("<del>", "</del>"), ("<s>", "</s>")] {
        let outside = |part| {
            let (first, rest) = str::split_once(part, begin).unwrap_or((part, ""));
            [first, rest.rsplit_once(end).map_or("", |(_, after)| after)]
        };
        parts = parts.into_iter().flat_map(outside).collect();
    }
    parts
}

/// Returns the words of a line that could be ids or issues.
pub(super) fn words(line: &str) -> Vec<&str> {
    let is_separator = |c: char| !(c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '#' | '/' | ':'));
    line.split(is_separator).filter_map(name_in).collect()
}

/// Returns the id or issue that a word without spaces could be.
fn name_in(word: &str) -> Option<&str> {
    let word = word.trim_end_matches(['.', ':', '-', '/', '#']).trim_start_matches(['.', '-', '/', ':']);
    let marked = word.bytes().any(|byte| matches!(byte, b'-' | b'#' | b':' | b'_' | b'/'));
    let is_issue = || word.contains('#') || word.contains("/issues/") || word.contains("/pull/");
    let is_name = || !word.contains('/') && !word.starts_with(|c: char| c.is_ascii_digit());
    (word.len() > 1 && marked && (is_name() || is_issue())).then_some(word)
}

/// Returns whether a line says what replaces its item.
pub(super) fn names_successor(line: &str) -> bool {
    let plain = line.to_lowercase().replace(['_', '-'], " ");
    SUCCESSION.split(", ").any(|words| plain.contains(words))
}

impl SelectionContext<'_> {
    /// Returns the items that the text of `root` names outside of code, read once.
    pub(super) fn mentioned(&self, root: usize) -> &[MentionedItem] {
        self.mentions[root].get_or_init(|| read_mentioned(self, root))
    }

    /// Returns the line of an item's file or text on which something was stated; empty if it is unknown.
    pub(super) fn line_of(&self, item: usize, path: &str, line: u32) -> &str {
        let entry = &self.corpus.entries[item];
        let body = &entry.item.body;
        let at = |text: &'_ str, line: u32| -> usize {
            // The byte at which the line begins.
            text.split_inclusive('\n').take(line.saturating_sub(1) as usize).map(str::len).sum()
        };
        let of = |text, line| -> std::ops::Range<usize> {
            let start = at(text, line);
            start..text[start..].find('\n').map_or(text.len(), |end| start + end)
        };
        if path == &*body.origin.shown
            && let Some(line) = entry.body.line_in_text(body, line)
        {
            return &entry.body.clean[of(&entry.body.clean, line)];
        }
        let is_head = path == &*entry.item.origin.shown && entry.item.line == 1 && body.in_file;
        if is_head { &entry.item.head[of(&entry.item.head, line)] } else { "" }
    }

    /// Returns whether an edge of an item was stated as what replaces it.
    pub(super) fn is_successor(&self, item: usize, edge: &Edge) -> bool {
        if !matches!(edge.to, Target::Item(_)) {
            return false;
        }
        let Some((path, line)) = edge.evidence.at.rsplit_once(':') else { return false };
        line.parse().is_ok_and(|line| names_successor(self.line_of(item, path, line)))
    }
}
