//! Possible references to files and ADRs.

use crate::markdown::{LinkSpan, Run, Traced};
use crate::mentions::file_paths::{is_bare_name, is_file_shaped, lines_around, lines_of_target, path_mention};
use crate::mentions::hints::{HintedRun, pattern};
use crate::mentions::paths::{
    candidate_words, document_in, foreign, foreign_path, has_other_scheme, path_in, word_url,
};
use crate::mentions::sections::HeadingMeaning;
use crate::mentions::traces::traced_lines;
use crate::model::{LineRange, LineStarts, has_document_extension};
use regex::Regex;
use serde::{Deserialize, Serialize};
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
}

static ADR: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?i)adr(s?)[-_ \u{a0}]?#?(\d{1,6})"));
/// A further number after a plural: `ADRs 3, 4 and 5`.
static FURTHER: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?i)^(?:\s*(?:,|&|/|–|-|\band\b|\bor\b|\bthrough\b|\bto\b)\s*)+(\d{1,6})"));
static LABEL: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)^[ \t]*(?:[-*•+][ \t]+)?(?:related |relevant )?adr(?:s|\(s\))?(?: links?)?[ \t]*(?:\([^()\n]{0,40}\)[ \t]*)?[:：]",
    )
});
static NUMBERS: LazyLock<Regex> = LazyLock::new(|| pattern(r"^[\s,;&/#*+-]*(?:and\s+)?(\d{1,5})"));

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
            let reference = self.add(traced.path, ReferenceForm::Trace, source, lines);
            reference.lines = vec![traced.lines];
        }
    }

    /// Adds a reference with the lines that a link's target states.
    fn add(&mut self, target: &str, form: ReferenceForm, source: usize, lines: &LineStarts) -> &mut Reference {
        let stated = if form == ReferenceForm::Link { lines_of_target(target) } else { Vec::new() };
        let line = lines.line(source);
        let reference = Reference { target: target.to_owned(), form, line, lines: stated, foreign: None, link: None };
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
        for range in candidate_words(text) {
            let Some(word) = text.get(range.clone()).filter(|_| !whole.hold(range.start)) else {
                continue;
            };
            let (link, in_span) = (links.index(range.start), spans.hold(range.start));
            if let Some(at) = word.contains(':').then(|| word.find("://")).flatten() {
                let url = word_url(word, at);
                if !url.is_empty() && link.is_none() {
                    self.add(url, ReferenceForm::Link, run.full.source(range.start), lines);
                }
                paths.push(range);
            } else if let Some(link) = link.and_then(|link| run.links.get(link)) {
                if let Some(stated) = lines_of_link_text(word, &link.target) {
                    self.add(&link.target, ReferenceForm::Link, run.full.source(range.start), lines).lines = stated;
                }
                paths.extend(path_in(word).is_some().then_some(range));
            } else if self.path(run, range.clone(), in_span, lines) {
                paths.push(range);
            }
        }
        Spans::new(paths.into_iter())
    }

    /// Adds the path in a word, and returns whether there is one.
    fn path(&mut self, run: &Run, range: Range<usize>, in_span: bool, lines: &LineStarts) -> bool {
        let text = run.full.text.as_str();
        let word = text.get(range.clone()).unwrap_or_default();
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
            let inside = text.get(span.clone()).unwrap_or_default().trim();
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
        for found in ADR.captures_iter(text) {
            let (Some(whole), Some(plural), Some(digits)) = (found.get(0), found.get(1), found.get(2)) else {
                continue;
            };
            let before = text[..whole.start()].chars().next_back();
            let joined = before.is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | '-'));
            // `ADR020` has no separator, but `ADRS20` is a word of its own.
            let plural = !plural.is_empty();
            let glued = plural && digits.start() == plural_end(&found);
            if joined || glued || !ends_number(text, digits.end()) || paths.hold(whole.start()) {
                continue;
            }
            let foreign = foreign(&text[..whole.start()]);
            let link = links.index(whole.start()).and_then(|index| run.links.get(index));
            self.number(run, digits.range(), foreign.as_deref(), link, lines);
            let mut end = digits.end();
            while plural
                && let Some(further) = FURTHER.captures(&text[end..]).and_then(|further| further.get(1))
                && ends_number(text, end + further.end())
            {
                let range = end + further.start()..end + further.end();
                end = range.end;
                let link = links.index(range.start).and_then(|index| run.links.get(index));
                self.number(run, range, foreign.as_deref(), link, lines);
            }
        }
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
                at += digits.end();
                self.number(run, range, None, link, lines);
                if !line[at..].trim_start().starts_with([',', ';', '&', '/', '+']) && !and_number(&line[at..]) {
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

fn and_number(rest: &str) -> bool {
    let rest = rest.trim_start();
    rest.strip_prefix("and ").is_some_and(|rest| rest.trim_start().starts_with(|c: char| c.is_ascii_digit()))
}

/// Returns whether the digits before `end` are a whole number, neither `12a` nor `1.2`.
fn ends_number(text: &str, end: usize) -> bool {
    let mut rest = text[end..].chars();
    match rest.next() {
        Some('.') => !rest.next().is_some_and(|c| c.is_ascii_digit()),
        Some(c) => !c.is_alphanumeric() && c != '_',
        None => true,
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mentions::{Markdown, references_in_line};
    use ReferenceForm::{AdrNumber, Path};

    fn found(text: &str) -> Vec<(String, ReferenceForm, u32)> {
        let references = Markdown::read(text).mentions.references;
        // A code span is a path like any other here.
        let form = |form| if form == ReferenceForm::CodeSpan { Path } else { form };
        references.into_iter().map(|r| (r.target, form(r.form), r.line)).collect()
    }

    /// `Form target lines`, for files of any kind.
    fn all(text: &str) -> Vec<String> {
        let lines = |lines: &LineRange| format!(" {}-{}", lines.first, lines.last);
        let shown =
            |r: Reference| format!("{:?} {}{}", r.form, r.target, r.lines.iter().map(lines).collect::<String>());
        Markdown::read(text).mentions.references.into_iter().map(shown).collect()
    }

    #[test]
    fn files_of_any_kind_are_found_with_their_lines() {
        for (text, expected) in [
            ("[a](src/a.rs#L10-L20)", "Link src/a.rs#L10-L20 10-20"),
            ("[`a.rs:7`](../src/a.rs)", "Link ../src/a.rs|Link ../src/a.rs 7-7"),
            ("[x]: src/a.rs\n", "Link src/a.rs"),
            ("In `src/a.rs:120-140`, and (pkg/b.go:3).", "CodeSpan src/a.rs 120-140|Path pkg/b.go 3-3"),
            ("`src/a.rs` line 12", "CodeSpan src/a.rs 12-12"),
            ("`Makefile` and `bin/run`", "CodeSpan Makefile|CodeSpan bin/run"),
            ("`app/(group)/[id]/page.tsx:4`", "CodeSpan app/(group)/[id]/page.tsx 4-4"),
            ("see https://github.com/o/r/blob/main/a.rs#L3.", "Link https://github.com/o/r/blob/main/a.rs#L3 3-3"),
            ("the file main.go, app.run() and v1.2", "Path main.go"),
            ("```\n  at src/a.rs:1:2\ncat src/b.rs\n```\n", "Trace src/a.rs 1-1"),
            ("text\n\n    panic at src/a.rs:9\n", "Trace src/a.rs 9-9"),
            ("- item\n\n  ```\n  x.py:3: error\n  ```\n", "Trace x.py 3-3"),
            ("<!-- src/a.rs:3 -->", ""),
            ("`src/**/*.rs`, `src/{a,b}.rs` and `<dir>/a.rs`", ""),
            ("README.md and `NOTES.md:3`", "Path README.md|CodeSpan NOTES.md 3-3"),
            ("Makefile:12 and Makefile line 3", "Path Makefile 12-12|Path Makefile 3-3"),
            ("bin/run:3, scripts/x and `and/or`", "Path bin/run 3-3|Path scripts/x|CodeSpan and/or"),
            (
                "app/[slug]/page.tsx (app/(shop)/[...rest]/p.tsx:4)",
                "Path app/[slug]/page.tsx|Path app/(shop)/[...rest]/p.tsx 4-4",
            ),
            ("`[id].vue`, [[lang]]/x.ts, routes/$id.tsx", "CodeSpan [id].vue|Path [[lang]]/x.ts|Path routes/$id.tsx"),
            ("a.rs:3,7-9, then (b.rs(3,5)) and src/c.rs:3..5", "Path a.rs 3-3 7-9|Path b.rs 3-3|Path src/c.rs 3-5"),
        ] {
            assert_eq!(all(text).join("|"), expected, "{text}");
        }
    }

    #[test]
    fn the_name_of_a_repo_before_a_path_is_kept() {
        let of = |text: &str| -> Vec<Option<String>> {
            Markdown::read(text)
                .mentions
                .references
                .into_iter()
                .filter(|r| r.target.ends_with(".go"))
                .map(|r| r.foreign)
                .collect()
        };
        let repo = |name: &str| Some(name.to_owned());
        assert_eq!(
            of("in cosmos-sdk's `x/a.go`, and o/r: x/b.go, or see x/c.go"),
            [repo("cosmos-sdk"), repo("o/r"), None]
        );
        for text in [
            "o/r has x/a.go:3",
            "`o/r` defines `x/a.go`",
            "In o/r, x/a.go is wrong",
            "x/a.go:3 in o/r.",
            "`x/a.go` of the `o/r` repo",
            "the o/r repo: x/a.go",
        ] {
            assert_eq!(of(text), [repo("o/r")], "{text}");
        }
        for text in [
            "the read/write path in x/a.go:3",
            "client/server code: x/a.go",
            "x/a.go in read/write mode",
            "x/a.go in src/lib mode",
            "a test-suite has x/a.go",
            "o/r, x/a.go",
        ] {
            assert_eq!(of(text), [None], "{text}");
        }
    }

    fn targets(text: &str, form: ReferenceForm) -> Vec<String> {
        found(text).into_iter().filter(|(_, own, _)| *own == form).map(|(target, ..)| target).collect()
    }

    #[test]
    fn links_and_definitions_count_used_or_not_images_do_not() {
        let text = "[a](docs/a.md#x) ![i](i.png) [b][ADR 8] <https://e.org/x>\n[top](#top) [m](mailto:a@b.c)\n\n[ADR 8]: docs/8.md\n[unused]: ../u.md \"t\"\n";
        assert_eq!(
            found(text).into_iter().filter(|(_, form, _)| *form == ReferenceForm::Link).collect::<Vec<_>>(),
            [
                ("docs/a.md#x".to_owned(), ReferenceForm::Link, 1),
                ("docs/8.md".to_owned(), ReferenceForm::Link, 1),
                ("https://e.org/x".to_owned(), ReferenceForm::Link, 1),
                ("docs/8.md".to_owned(), ReferenceForm::Link, 4),
                ("../u.md".to_owned(), ReferenceForm::Link, 5),
            ]
        );
    }

    #[test]
    fn bare_urls_count_as_links_without_their_full_stop() {
        assert_eq!(
            targets("See https://github.com/o/r/blob/main/docs/a.md.", ReferenceForm::Link),
            ["https://github.com/o/r/blob/main/docs/a.md"]
        );
    }

    #[test]
    fn paths_in_prose_and_code_spans_lose_their_line_and_full_stop() {
        let text = "See docs/a.md:12, (docs/b.rst) `docs/c.txt` and docs/d.adoc#x. Also /docs/e.md and 0007-cache.md, `docs/f g.md`.\n\n| docs/h.md |\n|---|\n\nREADME.md";
        let expected = [
            "docs/a.md",
            "docs/b.rst",
            "docs/c.txt",
            "docs/d.adoc#x",
            "/docs/e.md",
            "0007-cache.md",
            "docs/f g.md",
            "docs/h.md",
            "README.md",
        ];
        assert_eq!(targets(text, Path), expected);
        for none in ["docs/*.md", "docs/{a}.md", "docs/adr/ADR-XXXX-x.md", "docs/NNNN-x.md", "`x` docs/.md"] {
            assert_eq!(targets(none, Path), Vec::<String>::new(), "{none}");
        }
    }

    #[test]
    fn numbers_of_adrs_are_found_in_every_spelling() {
        let text = "ADR-0012, ADR-13, ADR 14, ADR015 and adr_16; ADR-001 through ADR-0040. `ADR-17` ADRs 18, 19 and 20, [ADR 21](x.md).";
        let expected = ["0012", "13", "14", "015", "16", "001", "0040", "17", "18", "19", "20", "21"];
        assert_eq!(targets(text, AdrNumber), expected);
        for none in [
            "ADR-XXXX",
            "ADR 1.2",
            "ADR-12a",
            "XADR-12",
            "docs/adr/adr-012-x.md",
            "ADRs20",
            "ADR required: no",
            "the 12 ADRs",
        ] {
            assert_eq!(targets(none, AdrNumber), Vec::<String>::new(), "{none}");
        }
    }

    #[test]
    fn a_link_around_a_number_is_kept_with_it() {
        let references = Markdown::read("[see ADR013](../adr/013-x.md) and ADR 14").mentions.references;
        let links: Vec<_> = references.iter().filter(|r| r.form == AdrNumber).map(|r| r.link.as_deref()).collect();
        assert_eq!(links, [Some("../adr/013-x.md"), None]);
    }

    #[test]
    fn a_repo_name_directly_before_a_number_makes_it_foreign() {
        let foreign = |text: &str| references_of(text).first().and_then(|r| r.foreign.clone());
        assert_eq!(foreign("[cosmos-sdk ADR020](https://e.org)"), Some("cosmos-sdk".to_owned()));
        assert_eq!(foreign("owner/repo ADR-3"), Some("owner/repo".to_owned()));
        for none in [
            "see ADR-3",
            "and/or ADR-3",
            "follow-up ADR-3",
            "cosmos-sdk, ADR-3",
            "TASK-12 ADR-3",
            "v2 ADR-3",
            "ADR-1 ADR-3",
        ] {
            assert_eq!(foreign(none), None, "{none}");
        }
    }

    fn references_of(text: &str) -> Vec<Reference> {
        Markdown::read(text).mentions.references.into_iter().filter(|r| r.form == AdrNumber).collect()
    }

    #[test]
    fn bare_numbers_count_under_an_adr_heading_or_label() {
        assert_eq!(
            targets("### ADR link (if applicable)\n\n0012, 13 and 14\n\n- 15 – cache\n\n## Goal\n\n16\n", AdrNumber),
            ["0012", "13", "14", "15"]
        );
        assert_eq!(targets("ADRs: 7, 8\n\n9 times\n", AdrNumber), ["7", "8"]);
        assert_eq!(targets("ADR(s):\n- 0004\n- #5\n\n3 more\n", AdrNumber), ["0004"]);
        assert_eq!(targets("## ADR(s)\n\n3 ADRs matter, 2024.1\n", AdrNumber), Vec::<String>::new());
    }

    #[test]
    fn code_blocks_and_comments_hold_no_references_html_does() {
        for none in ["```\ndocs/a.md ADR-1\n```", "    ADR-1\n", "<!-- ADR-1 docs/a.md -->", "a <!-- ADR-1 --> b"] {
            assert_eq!(found(none), [], "{none}");
        }
        let html = "<details>\n<a href=\"docs/a.md\">ADR-1</a><!-- ADR-2 -->\n</details>\n";
        assert_eq!(found(html), [("docs/a.md".to_owned(), ReferenceForm::Link, 2), ("1".to_owned(), AdrNumber, 2)]);
    }

    #[test]
    fn references_in_a_title_have_its_line() {
        let references = references_in_line("Follow ADR-7 as in docs/a.md", 9);
        assert_eq!(
            references.iter().map(|r| (r.target.as_str(), r.line)).collect::<Vec<_>>(),
            [("7", 9), ("docs/a.md", 9)]
        );
    }

    #[test]
    fn hostile_texts_hold_at_most_two_references_a_piece() {
        for piece in [
            "ADR-1 ",
            "[ADR-1](x) ",
            "ADRs 1, ",
            "`a/b.md` ",
            "`a b/c.md` ",
            "docs/a.md:",
            "://",
            "<!--",
            "[x]: y\n",
            "-adr1",
        ] {
            let pieces = 100_000 / piece.len();
            assert!(found(&piece.repeat(pieces)).len() <= 2 * pieces, "{piece}");
            assert!(found(&format!("ADRs: {}", piece.repeat(pieces))).len() <= 2 * pieces, "{piece}");
        }
    }
}
