//! Possible references to files and ADRs, and the names of repos before and after those that are theirs.

use crate::markdown::{LinkSpan, Run, Traced};
use crate::mentions::adr::find_numbers;
use crate::mentions::lines::{lines_around, lines_of_target};
use crate::mentions::paths::{
    document_in, is_bare_name, is_file_shaped, parts_by_script, path_in, path_mention, path_words, scheme,
    traced_lines, word_url,
};
use crate::mentions::relations::HeadingMeaning;
use crate::mentions::vocabulary::{means, pattern};
use crate::model::{LineRange, LineStarts, has_document_extension, is_repo_name, with_slashes, without_drive};
use regex::Regex;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::ops::Range;
use std::sync::LazyLock;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum ReferenceForm {
    Link,
    Path,
    CodeSpan,
    /// A path with a line in a code block: a stack trace or a compiler's message.
    Trace,
    AdrNumber,
    /// The ADRs between two numbers, which are mentioned by themselves: the target is both, such as `001-004`.
    AdrsBetween,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reference {
    pub target: String,
    pub form: ReferenceForm,
    pub line: u32,
    pub lines: Vec<LineRange>,
    /// The word directly before an ADR's number or a path if it looks like a repo's name (`cosmos-sdk ADR020`).
    pub foreign: Option<String>,
    /// The target of the link around an ADR's number, which takes precedence over the number.
    pub link: Option<String>,
    /// Whether it is a part of the word of the last reference that is none, and counts only if that word leads nowhere.
    pub part: bool,
}

#[derive(Debug, Default)]
pub(super) struct ReferenceFinder {
    found: Vec<(usize, Reference)>,
    label: Option<usize>,
}

impl ReferenceFinder {
    pub(super) fn link(&mut self, target: &str, source: usize, lines: &LineStarts) {
        let target = target.trim();
        let is_web = |scheme: &str| scheme.eq_ignore_ascii_case("https") || scheme.eq_ignore_ascii_case("http");
        if !target.is_empty() && !target.starts_with('#') && scheme(target).is_none_or(is_web) {
            add(&mut self.found, target, ReferenceForm::Link, source, lines);
        }
    }

    /// Adds the files and lines of stack traces and compilers' messages in a code block.
    pub(super) fn code(&mut self, code: &Traced, lines: &LineStarts) {
        for traced in traced_lines(&code.text) {
            let source = code.source(traced.start);
            add(&mut self.found, &traced.path, ReferenceForm::Trace, source, lines).lines = vec![traced.lines];
        }
    }

    pub(super) fn read(&mut self, run: &Run, section: Option<HeadingMeaning>, lines: &LineStarts) {
        let text = run.full.text.as_str();
        if text.trim().is_empty() {
            return;
        }
        let edges = run.codes.iter().flat_map(|span| [span.start, span.end]).collect();
        let mut reader = RunReferences { run, text, edges, lines, found: &mut self.found };
        let has_name = || run.codes.iter().any(|span| is_bare_name(&text[span.clone()]));
        let paths = if may_hold_path(text.as_bytes()) || has_name() { reader.paths() } else { Vec::new() };
        find_numbers(&mut reader, &paths, section, &mut self.label);
    }

    pub(super) fn finish(mut self) -> Vec<Reference> {
        self.found.sort_by_key(|(source, _)| *source);
        self.found.into_iter().map(|(_, reference)| reference).collect()
    }
}

/// Returns whether a text has a mark inside a word that every URL and path has, but for a name such as `Makefile` alone.
fn may_hold_path(text: &[u8]) -> bool {
    let is_inside = |at: usize| {
        let next = text.get(at + 1).copied().unwrap_or(b' ');
        if text[at] == b':' {
            return next.is_ascii_digit() && at > 0 && text[at - 1].is_ascii_alphabetic();
        }
        next.is_ascii_alphanumeric() || matches!(next, b'_' | b'.' | b'/' | b'[' | b'(' | b'$' | b'@' | 128..)
    };
    memchr::memchr(b'\\', text).is_some() || memchr::memchr3_iter(b'.', b'/', b':', text).any(is_inside)
}

/// Adds a reference with the lines that a link's target states.
fn add<'a>(
    found: &'a mut Vec<(usize, Reference)>,
    target: &str,
    form: ReferenceForm,
    source: usize,
    lines: &LineStarts,
) -> &'a mut Reference {
    let stated = if form == ReferenceForm::Link { lines_of_target(target) } else { Vec::new() };
    let (target, line) = (target.to_owned(), lines.line(source));
    let reference = Reference { target, form, line, lines: stated, foreign: None, link: None, part: false };
    &mut found.push_mut((source, reference)).1
}

/// Returns whether one of some disjoint ranges in order holds a byte.
pub(super) fn hold(ranges: &[Range<usize>], at: usize) -> bool {
    let index = ranges.partition_point(|range| range.start <= at);
    index.checked_sub(1).is_some_and(|index| ranges[index].contains(&at))
}

pub(super) struct RunReferences<'a> {
    pub(super) run: &'a Run,
    pub(super) text: &'a str,
    /// Where code spans begin and end in the text, which has lost their marks.
    pub(super) edges: Vec<usize>,
    lines: &'a LineStarts,
    found: &'a mut Vec<(usize, Reference)>,
}

impl<'a> RunReferences<'a> {
    pub(super) fn add(&mut self, target: &str, form: ReferenceForm, at: usize) -> &mut Reference {
        add(self.found, target, form, self.run.full.source(at), self.lines)
    }

    pub(super) fn link_at(&self, at: usize) -> Option<&'a LinkSpan> {
        let links = &self.run.links;
        let index = links.partition_point(|link| link.range.start <= at).checked_sub(1)?;
        links.get(index).filter(|link| link.range.contains(&at))
    }

    /// Adds the path of a file with its lines, or those that the words around `range` state, and its repo.
    fn add_file(&mut self, path: &str, form: ReferenceForm, range: &Range<usize>, lines: Vec<LineRange>) {
        let lines = if lines.is_empty() { lines_around(self.text, range) } else { lines };
        let foreign = repo_of_path(&self.text[..range.start], &self.text[range.end..]);
        let reference = self.add(path, form, range.start);
        (reference.lines, reference.foreign) = (lines, foreign);
    }

    fn paths(&mut self) -> Vec<Range<usize>> {
        let text = self.text;
        let whole = self.whole_spans();
        let mut paths = Vec::new();
        for range in path_words(text, &self.edges) {
            let word = &text[range.clone()];
            if hold(&whole, range.start) {
                continue;
            }
            if let Some(link) = self.link_at(range.start) {
                if !word.contains("://")
                    && let Some(stated) = lines_of_link_text(word, &link.target)
                {
                    self.add(&link.target, ReferenceForm::Link, range.start).lines = stated;
                }
                if word.contains("://") || path_in(word).is_some() {
                    paths.push(range);
                }
                continue;
            }
            let parts = parts_by_script(word).into_iter().map(|part| range.start + part.start..range.start + part.end);
            let before = self.found.len();
            let is_path = self.path(range.clone());
            let is_whole = self.found.len() > before;
            let before = self.found.len();
            // A part of a URL is one too, or nothing.
            for part in parts.filter(|part| !word.contains("://") || text[part.clone()].contains("://")) {
                if self.path(part.clone()) && !is_path {
                    paths.push(part);
                }
            }
            self.found[before..].iter_mut().for_each(|(_, found)| found.part = is_whole);
            if is_path {
                paths.push(range);
            }
        }
        paths
    }

    /// Adds the path or URL in a word, and returns whether it is nothing else.
    fn path(&mut self, range: Range<usize>) -> bool {
        let word = &self.text[range.clone()];
        if let Some(at) = word.find("://") {
            let url = word_url(word, at);
            if !url.is_empty() {
                self.add(url, ReferenceForm::Link, range.start);
            }
            return true;
        }
        let word = slashed(word);
        let word = without_drive(&word);
        let word = word.strip_prefix('<').and_then(|inner| inner.strip_suffix('>')).unwrap_or(word);
        let is_code = hold(&self.run.codes, range.start);
        let form = if is_code { ReferenceForm::CodeSpan } else { ReferenceForm::Path };
        if let Some(path) = path_in(word) {
            self.add(path, form, range.start);
            return true;
        }
        let mention = path_mention(word);
        // A name alone counts if it is one that is never opened, or if a place in the file is stated.
        if let Some(name) = document_in(word) {
            self.add(name, form, range.start).lines = mention.map(|mention| mention.lines).unwrap_or_default();
            return false;
        }
        let Some(mention) = mention.filter(|mention| !has_document_extension(mention.path)) else { return false };
        // A method (`app.run()`), not a file.
        let is_called = !mention.path.contains('/')
            && self.text[range.end..].starts_with('(')
            && mention.lines.is_empty()
            && lines_around(self.text, &range).is_empty();
        if !is_called {
            self.add_file(mention.path, form, &range, mention.lines);
        }
        !is_called && is_file_shaped(mention.path)
    }

    /// Adds the code spans that are a path as a whole though no word of prose would be: `a b/c.md`, `Makefile`; returns their ranges.
    fn whole_spans(&mut self) -> Vec<Range<usize>> {
        let mut whole = Vec::new();
        for span in &self.run.codes {
            let inside = slashed(self.text[span.clone()].trim());
            let inside = without_drive(&inside);
            let target = if inside.contains(char::is_whitespace) {
                let has_path = || inside.split_whitespace().any(|word| path_in(word).is_some());
                path_in(inside).filter(|_| !has_path()).map(|path| (path, Vec::new()))
            } else if inside.contains(['(', '[', ',']) && inside.contains('/') || is_bare_name(inside) {
                path_mention(inside).map(|mention| (mention.path, mention.lines))
            } else {
                None
            };
            let Some((path, stated)) = target else { continue };
            whole.push(span.clone());
            if self.link_at(span.start).is_none() {
                self.add_file(path, ReferenceForm::CodeSpan, span, stated);
            }
        }
        whole
    }
}

/// Returns the lines that a link's text states of the file that it leads to: `[a.rs:12](src/a.rs)`.
fn lines_of_link_text(word: &str, target: &str) -> Option<Vec<LineRange>> {
    let mention = path_mention(word).filter(|mention| !mention.lines.is_empty())?;
    let path = target.split(['#', '?']).next().unwrap_or_default();
    let is_same = path.rsplit('/').next() == mention.path.rsplit('/').next();
    (is_same && lines_of_target(target).is_empty()).then_some(mention.lines)
}

/// Returns a word with `/` for `\`, unless it begins as an expression or an escape does: `\.env`.
fn slashed(word: &str) -> Cow<'_, str> {
    let begins = |rest: &str| rest.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '\\' | '_'));
    if word.strip_prefix('\\').is_none_or(begins) { with_slashes(word) } else { Cow::Borrowed(word) }
}

const NEAR_A_NAME: usize = 160;
const WORDS_BEFORE: usize = 3;

static REPO_DIRECTLY_BEFORE: LazyLock<Regex> = LazyLock::new(|| pattern("repo directly before"));
static REPO_BEFORE: LazyLock<Regex> = LazyLock::new(|| pattern("repo before"));
static REPO_BEFORE_VERB: LazyLock<Regex> = LazyLock::new(|| pattern("repo before a verb"));
static REPO_IN_LIST: LazyLock<Regex> = LazyLock::new(|| pattern("repo in a list"));
static REPO_AFTER: LazyLock<Regex> = LazyLock::new(|| pattern("repo after"));

pub(super) fn repo_directly_before(before: &str) -> Option<String> {
    name_in(&REPO_DIRECTLY_BEFORE, near_end(before))
}

/// Returns the repo that a path between two texts is said to be of, if there is a name that looks like one.
pub(super) fn repo_of_path(before: &str, after: &str) -> Option<String> {
    let before = near_end(before);
    // Most words before a path are no names, and few words are between a name and its path.
    let words = before.rsplit([' ', '\u{a0}']).filter(|word| word.contains(char::is_alphanumeric));
    let before = if words.take(WORDS_BEFORE).any(|word| word.contains(has_form)) { before } else { "" };
    // After a verb, and in `In o/r, x/a.go`, only `owner/name` is clear enough.
    let is_owned = |name: &String| is_repo_name(name);
    let verb = REPO_BEFORE_VERB.captures(before).filter(|found| means("verb of a repo", &found["verb"]));
    let before = if verb.is_some() {
        name_in(&REPO_BEFORE_VERB, before).filter(is_owned)
    } else if before.trim_end_matches(['"', '(', '`', '*', ' ', '\u{a0}']).ends_with(',') {
        name_in(&REPO_IN_LIST, before).filter(is_owned)
    } else {
        name_in(&REPO_BEFORE, before)
    };
    before.or_else(|| name_in(&REPO_AFTER, &after[..after.floor_char_boundary(NEAR_A_NAME)]).filter(is_owned))
}

fn near_end(text: &str) -> &str {
    &text[text.ceil_char_boundary(text.len().saturating_sub(NEAR_A_NAME))..]
}

/// Returns the name that a pattern finds, unless it is a word such as `and/or`, `TASK-12`, `v2` or `docs/adr`.
fn name_in(place: &Regex, text: &str) -> Option<String> {
    let found = place.captures(text)?.get(1)?;
    let name = found.as_str();
    // In other scripts words need no space between them, but a letter before the name is a part of it.
    let has_form = name.contains(has_form) && !text[..found.start()].ends_with(char::is_alphanumeric);
    let parts = name.split(['-', '/', '_', '.']);
    let first = parts.clone().next().unwrap_or_default().to_ascii_lowercase();
    let begins = |text: &str| text.starts_with(|c: char| c.is_ascii_digit());
    let is_number = parts.clone().next_back().is_some_and(|last| last.bytes().all(|byte| byte.is_ascii_digit()));
    let is_word = is_number
        || begins(&first)
        || first.strip_prefix('v').is_some_and(begins)
        || first.starts_with("adr")
        || means("prefix", &first)
        || means("alternative", &name.to_ascii_lowercase());
    (has_form && !is_word).then(|| name.to_owned())
}

/// Returns whether a name with this character looks like that of a repo.
fn has_form(c: char) -> bool {
    c.is_ascii_digit() || matches!(c, '-' | '/' | '_')
}
