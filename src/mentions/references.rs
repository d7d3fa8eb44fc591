//! Possible references to files and ADRs.

use crate::markdown::{LinkSpan, Run, Traced};
use crate::mentions::file_paths::{is_bare_name, is_file_shaped, lines_around, lines_of_target, path_mention};
use crate::mentions::hints::{HintedRun, pattern};
use crate::mentions::paths::{
    candidate_words, document_in, foreign, foreign_path, has_other_scheme, parts_by_script, path_in, word_url,
};
use crate::mentions::sections::HeadingMeaning;
use crate::mentions::traces::traced_lines;
use crate::model::{LineRange, LineStarts, has_document_extension, is_other_script, with_slashes, without_drive};
use regex::Regex;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::ops::Range;
use std::sync::LazyLock;

/// The shape in which a possible reference was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum ReferenceForm {
    /// The target of a link or of a link definition, as written: a path, perhaps with `#anchor`, or a URL.
    Link,
    /// A path in prose.
    Path,
    /// A path in a code span.
    CodeSpan,
    /// A path with a line in a code block: a stack trace or a compiler's message.
    Trace,
    /// A number of an ADR: the target is its digits, such as `012`.
    AdrNumber,
    /// The ADRs between two numbers, which are mentioned by themselves: the target is both, such as `001-004`.
    AdrsBetween,
}

/// A possible reference to a file or an ADR.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reference {
    /// As written: a path, a URL or the digits of an ADR's number.
    pub target: String,
    /// Its shape.
    pub form: ReferenceForm,
    /// The line.
    pub line: u32,
    /// The lines that are stated with a path or in the fragment of a link; empty for the whole file.
    pub lines: Vec<LineRange>,
    /// The word directly before an ADR's number or a path if it looks like a repo's name (`cosmos-sdk ADR020`).
    pub foreign: Option<String>,
    /// The target of the link around an ADR's number, which takes precedence over the number.
    pub link: Option<String>,
    /// Whether it is a part of the word of the last reference that is none, and counts only if that word leads nowhere.
    pub part: bool,
}

static ADR: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?i)adr(s?)[-_ \u{a0}\u{2010}-\u{2013}]?#?(\d{1,6})"));
/// The end of a range: `–ADR-4`, ` through 4`, and after a plural `-4`.
static RANGE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)^(\s{0,2})(?:(through|thru)|([\u{2012}\u{2013}]|\.{2,3}|…)|(to|until|bis)|[-~〜～\u{2010}\u{2011}\u{2014}])(\s{0,2})(adrs?[-_ \u{a0}\u{2010}-\u{2013}]?#?)?(\d{1,6})",
    )
});
/// A further number: `ADRs 3, 4 and 5`, `ADR-0002/0003`, `ADR-2, -3`.
static FURTHER: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?i)^((?:\s*(?:,|、|，|&|/|–|-|\band\b|\bor\b|\bthrough\b|\bto\b)\s*)+)(\d{1,6})"));
static LABEL: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)^[ \t]*(?:[-*•+][ \t]+)?(?:related |relevant )?adr(?:s|\(s\))?(?: links?)?[ \t]*(?:\([^()\n]{0,40}\)[ \t]*)?[:：]",
    )
});
static NUMBERS: LazyLock<Regex> = LazyLock::new(|| pattern(r"^[\s,、，;&/#*+-]*(?:and\s+)?(\d{1,5})"));

/// Collects the references of a text, run by run.
#[derive(Debug, Default)]
pub(super) struct ReferenceFinder {
    /// The references with their source offsets, by which they are sorted.
    found: Vec<(usize, Reference)>,
    /// The number of lists around an `ADRs:` line with nothing after it.
    label: Option<usize>,
}

impl ReferenceFinder {
    /// Adds the target of a link or of a link definition.
    pub(super) fn link(&mut self, target: &str, source: usize, lines: &LineStarts) {
        let target = target.trim();
        if !target.is_empty() && !target.starts_with('#') && !has_other_scheme(target) {
            self.add(target, ReferenceForm::Link, source, lines);
        }
    }

    /// Adds the files and lines of stack traces and compilers' messages in a code block.
    pub(super) fn code(&mut self, code: &Traced, lines: &LineStarts) {
        for traced in traced_lines(&code.text) {
            let source = code.source(traced.start);
            let reference = self.add(&traced.path, ReferenceForm::Trace, source, lines);
            reference.lines = vec![traced.lines];
        }
    }

    /// Adds a reference with the lines that a link's target states.
    fn add(&mut self, target: &str, form: ReferenceForm, source: usize, lines: &LineStarts) -> &mut Reference {
        let stated = if form == ReferenceForm::Link { lines_of_target(target) } else { Vec::new() };
        let line = lines.line(source);
        let target = target.to_owned();
        let reference = Reference { target, form, line, lines: stated, foreign: None, link: None, part: false };
        let index = self.found.len();
        self.found.push((source, reference));
        &mut self.found[index].1
    }

    /// Reads a run in a section with the meaning `section`.
    pub(super) fn read(&mut self, run: &Run, section: Option<HeadingMeaning>, lines: &LineStarts) {
        let text = run.full.text.as_str();
        if text.trim().is_empty() {
            return;
        }
        let hints = HintedRun::of(text);
        let links = Spans::new(run.links.iter().map(|link| link.range.clone()));
        if hints.lines {
            self.names_with_lines(run, &links, lines);
        }
        if hints.paths || run.codes.iter().any(|span| text.get(span.clone()).is_some_and(is_bare_name)) {
            let paths = self.paths(run, &links, lines);
            if hints.adrs {
                self.numbers(run, &paths, &links, lines);
            }
        } else if hints.adrs {
            self.numbers(run, &Spans::new(std::iter::empty()), &links, lines);
        }
        self.bare(run, section, hints.adrs, &links, lines);
    }

    /// Finds paths and URLs, and returns their ranges.
    fn paths(&mut self, run: &Run, links: &Spans, lines: &LineStarts) -> Spans {
        let text = run.full.text.as_str();
        let whole = self.whole_spans(run, links, lines);
        let spans = Spans::new(run.codes.iter().cloned());
        let mut paths = Vec::new();
        for range in candidate_words(text, &edges(run)) {
            let Some(word) = text.get(range.clone()).filter(|_| !whole.hold(range.start)) else {
                continue;
            };
            let (link, in_span) = (links.index(range.start), spans.hold(range.start));
            let parts = if link.is_none() { parts_by_script(word) } else { Vec::new() };
            if let Some(at) = word.contains(':').then(|| word.find("://")).flatten() {
                let url = word_url(word, at);
                if !url.is_empty() && link.is_none() {
                    self.add(url, ReferenceForm::Link, run.full.source(range.start), lines);
                }
                for part in parts.iter().filter_map(|part| word.get(part.clone())) {
                    let url = part.find("://").map_or("", |at| word_url(part, at));
                    if !url.is_empty() {
                        self.add(url, ReferenceForm::Link, run.full.source(range.start), lines).part = true;
                    }
                }
                paths.push(range);
            } else if let Some(link) = link.and_then(|link| run.links.get(link)) {
                if let Some(stated) = lines_of_link_text(word, &link.target) {
                    self.add(&link.target, ReferenceForm::Link, run.full.source(range.start), lines).lines = stated;
                }
                paths.extend(path_in(word).is_some().then_some(range));
            } else {
                let before = self.found.len();
                let is_path = self.path(run, range.clone(), in_span, lines);
                let is_whole = self.found.len() > before;
                for part in parts {
                    let range = range.start + part.start..range.start + part.end;
                    let before = self.found.len();
                    if self.path(run, range.clone(), in_span, lines) && !is_path {
                        paths.push(range);
                    }
                    self.found[before..].iter_mut().for_each(|(_, found)| found.part = is_whole);
                }
                paths.extend(is_path.then_some(range));
            }
        }
        Spans::new(paths.into_iter())
    }

    /// Adds the path in a word, and returns whether there is one.
    fn path(&mut self, run: &Run, range: Range<usize>, in_span: bool, lines: &LineStarts) -> bool {
        let text = run.full.text.as_str();
        let word = slashed(text.get(range.clone()).unwrap_or_default());
        let word = without_drive(&word);
        let word = word.strip_prefix('<').and_then(|inner| inner.strip_suffix('>')).unwrap_or(word);
        let form = if in_span { ReferenceForm::CodeSpan } else { ReferenceForm::Path };
        if let Some(path) = path_in(word) {
            self.add(path, form, run.full.source(range.start), lines);
            return true;
        }
        // A name alone counts if it is one that is never opened, or if a place in the file is stated.
        if let Some(name) = document_in(word) {
            let reference = self.add(name, form, run.full.source(range.start), lines);
            reference.lines = path_mention(word).map(|mention| mention.lines).unwrap_or_default();
            return false;
        }
        let code = path_mention(word).filter(|mention| !has_document_extension(mention.path));
        let Some(mention) = code else { return false };
        let near = || lines_around(text, &range);
        let stated: Vec<LineRange> = if mention.lines.is_empty() { near() } else { mention.lines };
        // A method (`app.run()`), not a file.
        let called = stated.is_empty() && !mention.path.contains('/') && text[range.end..].starts_with('(');
        if called {
            return false;
        }
        let reference = self.add(mention.path, form, run.full.source(range.start), lines);
        reference.lines = stated;
        reference.foreign = foreign_path(&text[..range.start], &text[range.end..]);
        is_file_shaped(mention.path)
    }

    /// Adds the names without an extension that a line is stated with in prose: `Makefile line 3`.
    fn names_with_lines(&mut self, run: &Run, links: &Spans, lines: &LineStarts) {
        let text = run.full.text.as_str();
        let spans = Spans::new(run.codes.iter().cloned());
        let mut start = 0;
        for piece in text.split_inclusive(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-' | '/' | '.' | ':')))
        {
            let name = piece.trim_end_matches(|c: char| !c.is_alphanumeric());
            let range = start..start + name.len();
            start += piece.len();
            if !is_bare_name(name) || links.hold(range.start) || spans.hold(range.start) {
                continue;
            }
            let stated = lines_around(text, &range);
            if !stated.is_empty() {
                let source = run.full.source(range.start);
                let reference = self.add(name, ReferenceForm::Path, source, lines);
                reference.lines = stated;
                reference.foreign = foreign_path(&text[..range.start], &text[range.end..]);
            }
        }
    }

    /// Adds the code spans that are a path as a whole although a word of prose would not be one: with spaces or
    /// brackets in it, or without a full stop and a slash. Returns their ranges.
    fn whole_spans(&mut self, run: &Run, links: &Spans, lines: &LineStarts) -> Spans {
        let text = run.full.text.as_str();
        let mut whole = Vec::new();
        for span in &run.codes {
            let inside = slashed(text.get(span.clone()).unwrap_or_default().trim());
            let inside = without_drive(&inside);
            let words = inside.split_whitespace().count();
            let document =
                || path_in(inside).filter(|_| !inside.split_whitespace().any(|word| path_in(word).is_some()));
            let target = if words > 1 {
                document().map(|path| (path, Vec::new()))
            } else if inside.contains(['(', '[', ',']) && inside.contains('/') || is_bare_name(inside) {
                path_mention(inside).map(|mention| (mention.path, mention.lines))
            } else {
                None
            };
            let Some((path, stated)) = target else { continue };
            whole.push(span.clone());
            if !links.hold(span.start) {
                let near = || lines_around(text, span);
                let stated = if stated.is_empty() { near() } else { stated };
                let reference = self.add(path, ReferenceForm::CodeSpan, run.full.source(span.start), lines);
                reference.lines = stated;
                reference.foreign = foreign_path(&text[..span.start], &text[span.end..]);
            }
        }
        Spans::new(whole.into_iter())
    }

    /// Finds numbers of ADRs such as `ADR-012`.
    fn numbers(&mut self, run: &Run, paths: &Spans, links: &Spans, lines: &LineStarts) {
        let text = run.full.text.as_str();
        let edges = edges(run);
        let ends_number = |text: &str, end: usize| ends_number(text, end) || edges.binary_search(&end).is_ok();
        for found in ADR.captures_iter(text) {
            let (Some(whole), Some(plural), Some(digits)) = (found.get(0), found.get(1), found.get(2)) else {
                continue;
            };
            let before = text[..whole.start()].chars().next_back();
            let joined = before.is_some_and(|c| c.is_alphanumeric() && !is_other_script(c) || matches!(c, '_' | '-'))
                && edges.binary_search(&whole.start()).is_err();
            // `ADR020` has no separator, but `ADRS20` is a word of its own.
            let plural = !plural.is_empty();
            let glued = plural && digits.start() == plural_end(&found);
            if joined || glued || !ends_number(text, digits.end()) || paths.hold(whole.start()) {
                continue;
            }
            let foreign = foreign(&text[..whole.start()]);
            let link = links.index(whole.start()).and_then(|index| run.links.get(index));
            self.number(run, digits.range(), foreign.as_deref(), link, lines);
            let mut end = self.between(run, digits.range(), plural, foreign.as_deref(), lines);
            let mut before = digits.range();
            while let Some(found) = FURTHER.captures(&text[end..])
                && let (Some(joint), Some(further)) = (found.get(1), found.get(2))
                && (plural || is_further(&text[before.clone()], joint.as_str(), further.as_str()))
                && ends_number(text, end + further.end())
            {
                before = end + further.start()..end + further.end();
                let range = end + further.start()..end + further.end();
                let link = links.index(range.start).and_then(|index| run.links.get(index));
                self.number(run, range.clone(), foreign.as_deref(), link, lines);
                end = self.between(run, range, plural, foreign.as_deref(), lines);
            }
        }
    }

    /// Adds the ADRs from the number `first` to the one that a range ends with, and returns where the number or the range ends.
    fn between(
        &mut self,
        run: &Run,
        first: Range<usize>,
        plural: bool,
        foreign: Option<&str>,
        lines: &LineStarts,
    ) -> usize {
        let text = run.full.text.as_str();
        let Some(found) = RANGE.captures(&text[first.end..]) else { return first.end };
        let has = |group: usize| found.get(group).is_some_and(|part| !part.is_empty());
        // `ADR-7 – 3 reviewers` and `ADR-2024-01` are no ranges, but `ADR-0002 - 0004` and `ADR 12-14` are.
        let (named, tight) = (has(6), !has(1) && !has(5));
        let is_open = |last: &str| {
            let numbers = text[first.clone()].parse::<u64>().ok().zip(last.parse::<u64>().ok());
            let is_clear = has(4) || tight && text[..first.start].ends_with([' ', '\u{a0}']);
            is_clear && last.len() == first.len() && numbers.is_some_and(|(first, last)| first < last)
        };
        let is_range = |last: &str| is_padded(&text[first.clone()], last) || is_open(last);
        let Some(last) =
            found.get(7).filter(|last| named || plural || has(2) || has(3) && tight || is_range(last.as_str()))
        else {
            return first.end;
        };
        let last = first.end + last.start()..first.end + last.end();
        if !ends_number(text, last.end) {
            return first.end;
        }
        let end = if named { first.end } else { last.end };
        let target = format!("{}-{}", &text[first.clone()], &text[last.clone()]);
        let source = run.full.source(first.end);
        self.add(&target, ReferenceForm::AdrsBetween, source, lines).foreign = foreign.map(str::to_owned);
        // One with `ADR` before it is found by itself, unless a hyphen joins it.
        if !named || text[first.end..].starts_with('-') {
            self.number(run, last, foreign, None, lines);
        }
        end
    }

    fn number(
        &mut self,
        run: &Run,
        digits: Range<usize>,
        foreign: Option<&str>,
        link: Option<&LinkSpan>,
        lines: &LineStarts,
    ) {
        let source = run.full.source(digits.start);
        self.found.push((
            source,
            Reference {
                target: run.full.text.get(digits).unwrap_or_default().to_owned(),
                form: ReferenceForm::AdrNumber,
                line: lines.line(source),
                lines: Vec::new(),
                foreign: foreign.map(str::to_owned),
                link: link.map(|link| link.target.clone()),
                part: false,
            },
        ));
    }

    /// Finds bare numbers under an ADR heading or after an `ADRs:` label.
    fn bare(&mut self, run: &Run, section: Option<HeadingMeaning>, hinted: bool, links: &Spans, lines: &LineStarts) {
        let below = self.label.filter(|depth| run.lists > *depth && !run.heading);
        self.label = below;
        if !hinted && below.is_none() && section != Some(HeadingMeaning::Adrs) {
            return;
        }
        let text = run.full.text.as_str();
        let mut offset = 0;
        for line in text.split('\n') {
            let label = LABEL.find(line);
            let asked = label.is_some() || below.is_some() || section == Some(HeadingMeaning::Adrs) && !run.heading;
            let mut at = label.map_or(0, |label| label.end());
            if label.is_some() && line[at..].trim().is_empty() {
                self.label = Some(run.lists);
            }
            while asked
                && let Some(digits) = NUMBERS.captures(&line[at..]).and_then(|found| found.get(1))
                && ends_number(line, at + digits.end())
                && !line[at..at + digits.start()].ends_with('#')
                && !line[at + digits.end()..].trim_start().to_ascii_lowercase().starts_with("adr")
            {
                let range = offset + at + digits.start()..offset + at + digits.end();
                let link = links.index(range.start).and_then(|index| run.links.get(index));
                self.number(run, range.clone(), None, link, lines);
                at = (self.between(run, range, false, None, lines) - offset).min(line.len());
                if !line[at..].trim_start().starts_with([',', '、', '，', ';', '&', '/', '+'])
                    && !and_number(&line[at..])
                {
                    break;
                }
            }
            offset += line.len() + 1;
        }
    }

    /// Returns all that was read, in the order of the source.
    pub(super) fn finish(mut self) -> Vec<Reference> {
        self.found.sort_by_key(|(source, _)| *source);
        self.found.into_iter().map(|(_, reference)| reference).collect()
    }
}

/// Returns the lines that a link's text states of the file that it leads to: `[a.rs:12](src/a.rs)`.
fn lines_of_link_text(word: &str, target: &str) -> Option<Vec<LineRange>> {
    let mention = path_mention(word).filter(|mention| !mention.lines.is_empty())?;
    let name = |path: &str| path.rsplit('/').next().map(str::to_owned);
    let path = target.split(['#', '?']).next().unwrap_or_default();
    (lines_of_target(target).is_empty() && name(path) == name(mention.path)).then_some(mention.lines)
}

/// Returns where the `s` of `ADRs` ends.
fn plural_end(found: &regex::Captures<'_>) -> usize {
    found.get(1).map_or(0, |plural| plural.end())
}

/// Returns whether both numbers have the leading zeros that file names have.
fn is_padded(first: &str, last: &str) -> bool {
    first.len() == last.len() && first.starts_with('0') && last.starts_with('0')
}

/// Returns whether the number behind a single ADR is one as well: in its form, or with its hyphen.
fn is_further(before: &str, joint: &str, number: &str) -> bool {
    is_padded(before, number) || joint == "/" || joint.ends_with('-') && joint.trim() != "-"
}

fn and_number(rest: &str) -> bool {
    let rest = rest.trim_start();
    rest.strip_prefix("and ").is_some_and(|rest| rest.trim_start().starts_with(|c: char| c.is_ascii_digit()))
}

/// Returns whether the digits before `end` are a whole number, neither `12a` nor `1.2`.
fn ends_number(text: &str, end: usize) -> bool {
    let mut rest = text[end..].chars();
    match rest.next() {
        Some('.') => !rest.next().is_some_and(|c| c.is_ascii_digit()),
        Some(c) => !c.is_alphanumeric() && c != '_' || is_other_script(c),
        None => true,
    }
}

/// Returns where code spans begin and end in a run's text, which has lost their marks.
fn edges(run: &Run) -> Vec<usize> {
    run.codes.iter().flat_map(|span| [span.start, span.end]).collect()
}

/// Returns a word with `/` for `\`, unless it begins as an expression or an escape does: `\.env`.
fn slashed(word: &str) -> Cow<'_, str> {
    match word.strip_prefix('\\') {
        Some(rest) if !rest.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '\\' | '_')) => {
            Cow::Borrowed(word)
        }
        _ => with_slashes(word),
    }
}

/// Disjoint ranges in order.
struct Spans(Vec<Range<usize>>);

impl Spans {
    fn new(ranges: impl Iterator<Item = Range<usize>>) -> Self {
        Self(ranges.collect())
    }

    /// Returns the index of the range that holds a byte.
    fn index(&self, at: usize) -> Option<usize> {
        let index = self.0.partition_point(|range| range.start <= at).checked_sub(1)?;
        self.0.get(index).filter(|range| range.contains(&at)).map(|_| index)
    }

    fn hold(&self, at: usize) -> bool {
        self.index(at).is_some()
    }
}
