//! The items that the text of an item names without stating a relation.

use super::corpus::Corpus;
use super::edges::Graph;
use super::entry::ShownPlace;
use crate::markdown::Block;
use crate::model::{latin_parts, states_successor, with_plain_hyphens};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// An item that a text names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MentionedItem {
    /// Its index in the corpus.
    pub item: usize,
    pub place: ShownPlace,
    /// Whether the line says that it replaces the item whose text it is.
    pub replaces: bool,
}

/// The most items that a text names for its pack; a list of hundreds names none in particular.
const MAX_MENTIONED: usize = 30;
/// The longest end of an id that names it.
const LONGEST_END: usize = 8;

/// Returns the items that the texts of `root` name outside of code, each once, in the order of the texts.
pub(super) fn mentioned_items(graph: &Graph, corpus: &Corpus, root: usize) -> Vec<MentionedItem> {
    let entry = &corpus.entries[root];
    let (mut found, mut seen): (Vec<MentionedItem>, BTreeSet<usize>) = (Vec::new(), BTreeSet::from([root]));
    let prose = entry.body.markdown.outline.blocks.iter().filter(|block| block.fence.is_none());
    let text = |block: &Block| entry.body.clean.get(block.range.clone()).unwrap_or_default();
    // Trackers write ids without their common beginning: `a1b` for `proj-a1b`.
    let beginning = entry.item.id.rsplit_once('-').map(|(beginning, _)| beginning);
    let by_end = |word: &str| {
        let has = |kind: fn(&u8) -> bool| word.bytes().any(|byte| kind(&byte));
        let is_end = has(u8::is_ascii_digit) && has(u8::is_ascii_lowercase) && word.len() <= LONGEST_END;
        beginning.filter(|_| is_end).and_then(|start| graph.named(corpus, &format!("{start}-{word}")))
    };
    // Most blocks and lines name nothing, and the lines of quotations are others'.
    let may_hold = |text: &str| may_hold_name(text.as_bytes(), beginning.is_some());
    let may_name = |line: &str| may_hold(line) && !line.trim_start().starts_with('>');
    let path = &entry.item.body.origin.path;
    let blocks = prose.map(|block| (text(block), block.line)).filter(|(text, _)| may_hold(text));
    let lines = blocks.flat_map(|(text, first)| text.lines().zip(first..)).filter(|(line, _)| may_name(line));
    let lines = lines.map(|(line, number)| (line, path, entry.body.line_in_file(&entry.item.body, number)));
    let (fields, path) = (entry.field_texts(), &entry.item.origin.path);
    let fields = [(&entry.item.title, entry.item.line)].into_iter().chain(fields);
    let fields = fields.flat_map(|(text, line)| text.as_str().lines().map(move |text| (text, path, line)));
    for (line, path, number) in fields.filter(|(line, ..)| may_name(line)).chain(lines) {
        let line = &*with_plain_hyphens(line);
        let whole = !line.contains("~~") && !line.contains('<');
        let parts = if whole { vec![line] } else { unstruck(line) };
        for word in parts.into_iter().flat_map(words) {
            let named = |word: &str| graph.named(corpus, word);
            let part = || latin_parts(word).find_map(|(_, part)| named(name_in(part)?));
            let item = name_in(word).and_then(named).or_else(|| by_end(word));
            let Some(item) = item.or_else(|| if word.is_ascii() { None } else { part() }) else { continue };
            if seen.insert(item) {
                let place = ShownPlace { path: path.clone(), line: number };
                found.push(MentionedItem { item, place, replaces: states_successor(line) });
            }
        }
        if found.len() >= MAX_MENTIONED {
            found.truncate(MAX_MENTIONED);
            break;
        }
    }
    found
}

/// Returns whether a text has a mark inside of a word, an underscore, what may be a typographic hyphen or, if `by_digit`, a digit.
fn may_hold_name(text: &[u8], by_digit: bool) -> bool {
    let is_digit = |byte: u8| u8::from(by_digit) & u8::from(byte.is_ascii_digit());
    let is_kept = |byte: u8| u8::from(byte == b'_') | u8::from(byte == 0xe2) | is_digit(byte);
    let is_mark = |byte: u8| u8::from(byte == b'-') | u8::from(byte == b'#') | u8::from(byte == b':');
    let next = text.get(1..).unwrap_or_default();
    // Without branches the compiler takes many bytes at once.
    let any = |(bytes, next): (&[u8], &[u8])| {
        let pairs = bytes.iter().zip(next);
        pairs.fold(0, |any, (byte, next)| any | is_kept(*byte) | is_mark(*byte) & u8::from(*next > b' ')) != 0
    };
    text.last().is_some_and(|last| is_kept(*last) != 0) || text.chunks(64).zip(next.chunks(64)).any(any)
}

/// Returns the parts of a line that are neither struck through nor a comment.
pub(crate) fn unstruck(line: &str) -> Vec<&str> {
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

pub(crate) fn words(line: &str) -> impl Iterator<Item = &str> {
    let is_separator = |c: char| !(c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '#' | '/' | ':'));
    line.split(is_separator).map(|word| word.trim_end_matches(['.', ':']))
}

/// Returns the id or issue that a word without spaces could be.
pub(crate) fn name_in(word: &str) -> Option<&str> {
    let word = word.trim_end_matches(['.', ':', '-', '/', '#']).trim_start_matches(['.', '-', '/', ':']);
    let marked = word.bytes().any(|byte| matches!(byte, b'-' | b'#' | b':' | b'_' | b'/'));
    let is_issue = || word.contains('#') || word.contains("/issues/") || word.contains("/pull/");
    let is_name = || !word.contains('/') && !word.starts_with(|c: char| c.is_ascii_digit());
    (word.len() > 1 && marked && (is_name() || is_issue())).then_some(word)
}
