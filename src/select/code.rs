//! The text of code: the lines that a reference names with the block around them, a small file, or an outline.

use super::origins::add_lines;
use super::source_text::SourceText;
use super::{CodeUse, ParsedDocument, ReferencedCode, TextLevels, WORDS};
use crate::config::CodeDetail;
use crate::graph::KeptCode;
use crate::model::{LineRange, OUTLINE_HEAD, RepoPath, TESTS, floor_cluster};
use crate::redact::{Clean, CleanBuf};
use std::collections::BTreeSet;
use std::iter;
use std::ops::Range;

const SMALL_FILE: (usize, usize) = (120, 6_000);
/// The most lines of a definition around named lines, and of one that is named itself.
const MAX_BLOCK: usize = 80;
const MAX_DEFINITION: usize = 200;
const LINES_AROUND: usize = 3;
/// The most named lines of one range that are shown; of more there is the outline.
const MAX_NAMED: usize = 400;
/// The most bytes of a section: lines of generated files may be very long.
const MAX_BYTES: usize = 24_000;
/// The most lines of an outline, the most characters of one, and the most bytes of all: 8 % of the largest built-in budget.
const OUTLINE: (usize, usize, usize) = (160, 160, 3_840);
const SHORTEST_NAME: usize = 4;
/// The most definitions of a file whose bodies are shown because the root's text names them.
const MAX_DEFINITIONS: usize = 8;

/// What a pack may show of a code file.
pub(super) struct CodeSection<'a> {
    pub(super) named: Option<LineRange>,
    pub(super) lines: Option<[u64; 2]>,
    pub(super) from: &'a CodeUse,
    pub(super) body: TextLevels,
    /// The whole of a long file and its lines, for a pack that has room when everything else is whole.
    pub(super) grown: Option<(Clean, [u64; 2])>,
    /// Whether it shows lines or definitions that the item names.
    pub(super) needed: bool,
}

/// Named lines that are shown together, counted from 0; in order, none touching another.
struct LineGroup<'a> {
    named: Vec<Range<usize>>,
    shown: Vec<Range<usize>>,
    uses: Vec<&'a CodeUse>,
}

struct CodeFile<'a> {
    document: &'a ParsedDocument,
    lines: SourceText<'a>,
    detail: CodeDetail,
}

/// Returns the names in a text that are spelled as code is: `loadTask`, `load_task`, `load(id)`, a code span.
pub(super) fn identifiers(text: &str) -> BTreeSet<&str> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let (mut found, mut at) = (BTreeSet::new(), 0);
    for word in text.split(|c| !is_part(c)) {
        let inner = word.trim_matches('_');
        let is_camel =
            inner.as_bytes().windows(2).any(|two| two[0].is_ascii_lowercase() && two[1].is_ascii_uppercase());
        let (before, after) = (&text[..at], &text[at + word.len()..]);
        // `load(id)`, but not `file(s)`.
        let is_call = after.starts_with('(') && !["(s)", "(es)"].iter().any(|end| after.starts_with(end));
        let is_marked = is_call || before.ends_with('`') && after.starts_with('`');
        if word.len() >= SHORTEST_NAME && (is_camel || inner.contains('_') || is_marked) {
            found.insert(word);
        }
        at += word.len() + after.chars().next().map_or(0, char::len_utf8);
    }
    found
}

/// Returns the sections of a code file: one of the whole if that is referred to, one for each group of named lines.
///
/// Of a file that is too long to be shown, the definitions in `names` follow the outline, or stand beside the named lines.
pub(super) fn code_sections<'a>(
    detail: CodeDetail,
    reference: &'a ReferencedCode,
    names: &BTreeSet<&str>,
) -> Vec<CodeSection<'a>> {
    let Ok(document) = &reference.document else { return Vec::new() };
    let text = &document.text.clean;
    let file = CodeFile { document, lines: SourceText::new(reference.path.name(), text), detail };
    let count = file.lines.len();
    let small = count <= SMALL_FILE.0 && text.chars().take(SMALL_FILE.1 + 1).count() <= SMALL_FILE.1;
    let definitions = if small { Vec::new() } else { file.named_definitions(names) };
    let (mut groups, beyond) = file.groups(reference, &definitions);
    let mut sections = Vec::new();
    if let Some(from) = reference.whole.as_ref().or(beyond) {
        let mut body = file.whole_body(small, &definitions);
        if small && body.excerpt.is_some() && !groups.is_empty() {
            // Of a small file the named lines matter most.
            let named = file.fenced(&merged(groups.iter().flat_map(|group| group.named.clone()).collect()), None);
            body.excerpt = (named.len() < body.full.len()).then_some(named);
        }
        let lines = (count > 0).then(|| file.real_lines(0..count));
        sections.push(CodeSection { named: None, lines, from, body, grown: None, needed: !definitions.is_empty() });
        // A small file that is shown whole holds every line.
        groups.retain(|_| !small);
    }
    sections.extend(groups.iter().map(|group| {
        let [first, last] = file.real_lines(around(&group.named)).map(|line| u32::try_from(line).unwrap_or(u32::MAX));
        let (named, lines) = (LineRange::new(first, last), Some(file.real_lines(around(&group.shown))));
        CodeSection { named, lines, from: group.uses[0], body: file.lines_body(group), grown: None, needed: true }
    }));
    // Of several sections the lines would be in the pack twice.
    if let [CodeSection { from, body, grown, .. }] = &mut sections[..] {
        *grown = file.longer_than(body, small).filter(|_| from.commit.is_none());
    }
    if let (Some(CodeSection { body, grown, .. }), false) = (sections.first_mut(), reference.tests.is_empty()) {
        let grown = grown.as_mut().map(|(text, _)| text);
        let texts = body.excerpt.as_mut().into_iter().chain(grown);
        let full = (body.full_detail != "pointer").then_some(&mut body.full);
        texts.chain(full).for_each(|text| *text = with_tests(text, &reference.tests));
    }
    sections
}

pub(super) fn lines_at_commit(code: &KeptCode<Clean>, detail: CodeDetail) -> (TextLevels, u32) {
    let mut pointer = CleanBuf::new();
    add_lines(pointer.line(&code.shown).lit(":"), code.lines.first.into(), code.lines.last.into());
    let pointer = pointer.lit(" (as of commit ").line(&code.commit).lit(")").finish();
    let count = code.text.split('\n').count();
    let last = code.lines.first.saturating_add(u32::try_from(count - 1).unwrap_or(u32::MAX)).min(code.lines.last);
    if detail == CodeDetail::Pointer || code.text.len() > MAX_BYTES || count > MAX_NAMED {
        return (TextLevels::pointer(pointer), last);
    }
    let mut full = CleanBuf::new();
    full.lit("Lines as of commit ").line(&code.commit).lit(", not those of today.\n\n");
    add_block(&mut full, &code.path, &code.shown, &CleanBuf::new().text(&code.text).lit("\n").finish());
    (TextLevels::only(full.finish(), "full", pointer), last)
}

impl CodeFile<'_> {
    /// Returns the groups of named lines, and a reference to lines that the file does not have, or to very many of them.
    fn groups<'r>(
        &self,
        reference: &'r ReferencedCode,
        definitions: &[Range<usize>],
    ) -> (Vec<LineGroup<'r>>, Option<&'r CodeUse>) {
        let count = self.lines.len();
        let (mut groups, mut beyond) = (Vec::new(), None);
        for (named, from) in &reference.lines {
            let [first, last] = [named.first, named.last].map(|line| self.redacted_line(line));
            let named = first..(last + 1).min(count);
            if first >= count || named.len() > MAX_NAMED {
                beyond.get_or_insert(from);
                continue;
            }
            let near = first.saturating_sub(LINES_AROUND)..(named.end + LINES_AROUND).min(count);
            let shown = iter::once(near).chain(self.short_block(&named, MAX_BLOCK)).collect();
            groups.push(LineGroup { named: vec![named], shown: merged(shown), uses: vec![from] });
        }
        groups.sort_by_key(|group| around(&group.shown).start);
        let mut joined: Vec<LineGroup<'r>> = Vec::new();
        for group in groups {
            let touches = |last: &&mut LineGroup<'_>| around(&group.shown).start <= around(&last.shown).end;
            match joined.last_mut().filter(touches) {
                Some(last) => {
                    last.shown = merged([&*last.shown, &*group.shown].concat());
                    last.named = merged([&*last.named, &*group.named].concat());
                    last.uses.extend(group.uses);
                }
                None => joined.push(group),
            }
        }
        // Definitions that the item names stand with the lines in them, or with the first: they leave before those.
        for definition in definitions.iter().filter(|_| reference.whole.is_none() && beyond.is_none()) {
            let overlaps = |group: &LineGroup<'_>| {
                group.shown.iter().any(|shown| shown.start < definition.end && definition.start < shown.end)
            };
            let at = joined.iter().position(overlaps).unwrap_or(0);
            let Some(group) = joined.get_mut(at) else { break };
            let with = merged([&*group.shown, std::slice::from_ref(definition)].concat());
            if with.iter().map(|lines| self.lines.bytes(lines.clone()).len()).sum::<usize>() <= MAX_BYTES / 2 {
                group.shown = with;
            }
        }
        (joined, beyond)
    }

    /// Returns the definition around some lines with what belongs to it, only its first line if it is long.
    fn short_block(&self, named: &Range<usize>, most: usize) -> Option<Range<usize>> {
        let block = self.lines.block_around(named)?;
        let lead = self.lines.lead(block.start);
        let is_short = block.end - lead <= most;
        Some(if is_short { lead..block.end } else { block.start..block.start + 1 })
    }

    /// Returns the definitions with one of these names.
    fn named_definitions(&self, names: &BTreeSet<&str>) -> Vec<Range<usize>> {
        let is_named = |line: &usize| {
            let text = &self.document.text.clean[self.lines.bytes(*line..line + 1)];
            let head = text.split(['(', '=', ':', '{']).next().unwrap_or_default();
            head.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').any(|word| names.contains(word))
        };
        let found = (0..self.lines.len()).filter(is_named).filter(|line| self.lines.is_definition(*line));
        let found = found.take(MAX_DEFINITIONS);
        merged(found.filter_map(|line| self.short_block(&(line..line + 1), MAX_DEFINITION)).collect())
    }

    fn lines_body(&self, group: &LineGroup<'_>) -> TextLevels {
        let mut pointer = CleanBuf::new();
        pointer.line(&self.document.shown);
        for (index, range) in group.named.iter().enumerate() {
            let [first, last] = self.real_lines(range.clone());
            add_lines(pointer.lit(if index == 0 { ":" } else { "," }), first, last);
        }
        let pointer = pointer.lit(" (of ").number(self.lines.len() as u64).lit(" lines)").finish();
        if self.detail == CodeDetail::Pointer {
            return TextLevels::pointer(pointer);
        }
        let as_of = group.uses.iter().find_map(|from| from.commit.as_ref());
        // Lines out of a definition say little without its first line.
        let heads = group.named.iter().filter_map(|named| Some((self.lines.block_around(named)?.start, named.start)));
        let heads = heads.filter(|(head, first)| head < first).map(|(head, _)| head..head + 1);
        let named = merged(heads.chain(group.named.iter().cloned()).collect());
        let [full, excerpt] = [&group.shown, &named].map(|lines| self.fenced(lines, as_of));
        if full.len() <= MAX_BYTES {
            let excerpt = (excerpt.len() < full.len()).then_some(excerpt);
            TextLevels { excerpt, ..TextLevels::only(full, "full", pointer) }
        } else if excerpt.len() <= MAX_BYTES {
            TextLevels::only(excerpt, "excerpt", pointer)
        } else {
            TextLevels::pointer(pointer)
        }
    }

    /// Returns the whole of a file of which a section shows less, and its lines.
    fn longer_than(&self, body: &TextLevels, small: bool) -> Option<(Clean, [u64; 2])> {
        let lines = 0..self.lines.len();
        let is_shown = (small || self.document.text.clean.len() <= MAX_BYTES) && body.full_detail != "pointer";
        let whole = is_shown.then(|| self.fenced(std::slice::from_ref(&lines), None))?;
        (whole.len() > body.full.len()).then(|| (whole, self.real_lines(lines)))
    }

    fn whole_body(&self, small: bool, definitions: &[Range<usize>]) -> TextLevels {
        let count = self.lines.len();
        let mut pointer = CleanBuf::new();
        let pointer = pointer.line(&self.document.shown).lit(" (").number(count as u64).lit(" lines)").finish();
        if self.detail == CodeDetail::Pointer || count == 0 {
            return TextLevels::pointer(pointer);
        }
        let outline = self.outline();
        if small {
            let full = self.fenced(&[Range { start: 0, end: count }], None);
            let excerpt = outline.filter(|outline| outline.len() < full.len());
            return TextLevels { excerpt, ..TextLevels::only(full, "full", pointer) };
        }
        let named = (!definitions.is_empty()).then(|| self.fenced(definitions, None));
        let named = named.filter(|named| named.len() <= MAX_BYTES);
        match (outline, named) {
            (Some(outline), Some(named)) => {
                let title = "\n\nThe definitions that the item names:\n\n";
                let both = CleanBuf::new().text(&outline).lit(title).text(&named).finish();
                TextLevels { excerpt: Some(named), ..TextLevels::only(both, "excerpt", pointer) }
            }
            (Some(text), None) | (None, Some(text)) => TextLevels::only(text, "excerpt", pointer),
            (None, None) => TextLevels::pointer(pointer),
        }
    }

    /// Returns the definitions of a file, the outer ones if there are many; `None` if that is no use.
    fn outline(&self) -> Option<Clean> {
        let (lines, name) = (&self.lines, self.document.path.name());
        if WORDS.of("no_outline").iter().any(|end| name.ends_with(end)) {
            return None;
        }
        let mut found = lines.definitions();
        let size = |line: &usize| lines.bytes(*line..line + 1).len().min(OUTLINE.1);
        let is_long = |found: &[usize]| found.len() > OUTLINE.0 || found.iter().map(size).sum::<usize>() > OUTLINE.2;
        let mut cut = 0;
        while is_long(&found) {
            let deepest = found.iter().map(|line| lines.indent(*line)).max()?;
            let outer: Vec<usize> = found.iter().copied().filter(|line| lines.indent(*line) < deepest).collect();
            if outer.len() > 1 {
                found = outer;
            } else {
                found.pop();
                cut += 1;
            }
        }
        // A single key at the top says nothing about a file.
        if found.len() < 2 {
            return None;
        }
        let text = &self.document.text.clean;
        let mut parts = CleanBuf::new();
        for line in found {
            let range = lines.bytes(line..line + 1);
            let end = text[range.clone()].char_indices().nth(OUTLINE.1);
            let end = end.map_or(range.end, |(at, _)| floor_cluster(text, range.start + at));
            let kept = range.start..range.start + text[range.start..end].trim_end_matches([' ', '{']).len();
            parts.lit("\n").number(self.real_lines(line..line + 1)[0]).lit(": ").part(text, kept);
        }
        if cut > 0 {
            parts.lit("\n[… ").number(cut).lit(" more]");
        }
        let parts = parts.finish();
        let fence = fence_for(&parts);
        let mut out = CleanBuf::new();
        out.lit(OUTLINE_HEAD).number(lines.len() as u64).lit(" lines: the line of each definition.\n\n");
        Some(out.fence(&fence).lit("text").text(&parts).lit("\n").fence(&fence).finish())
    }

    /// Returns lines of a file as a fenced block, with marks for the gaps between them.
    fn fenced(&self, shown: &[Range<usize>], as_of: Option<&Clean>) -> Clean {
        let mut body = CleanBuf::new();
        for (index, range) in shown.iter().enumerate() {
            if index > 0 {
                body.lit("[… ").number((range.start - shown[index - 1].end) as u64).lit(" lines]\n");
            }
            body.part(&self.document.text.clean, self.lines.bytes(range.clone())).lit("\n");
        }
        let mut out = CleanBuf::new();
        if let Some(commit) = as_of {
            out.lit("Lines of today; the reference names them as of ").line(commit).lit(".\n\n");
        }
        add_block(&mut out, &self.document.path, &self.document.shown, &body.finish());
        out.finish()
    }

    /// Returns the index of a line of the file in its redacted text.
    fn redacted_line(&self, line: u32) -> usize {
        let is_at = |index: &usize| self.real_lines(*index..index + 1)[1] >= line.into();
        (0..self.lines.len()).find(is_at).unwrap_or(self.lines.len())
    }

    /// Returns the first and the last line of the file that some lines of its redacted text were.
    fn real_lines(&self, lines: Range<usize>) -> [u64; 2] {
        let text = &self.document.text;
        let [first, last] = [lines.start + 1, lines.end].map(|line| u32::try_from(line).unwrap_or(u32::MAX));
        [text.line_before(first), text.last_line_before(last)].map(u64::from)
    }
}

fn with_tests(text: &Clean, tests: &[Clean]) -> Clean {
    let mut out = CleanBuf::new();
    out.text(text).lit("\n\n").lit(TESTS);
    for (at, test) in tests.iter().enumerate() {
        out.lit(if at > 0 { ", " } else { "" }).line(test);
    }
    out.finish()
}

/// Sorts ranges and joins those that overlap or touch.
fn merged(mut ranges: Vec<Range<usize>>) -> Vec<Range<usize>> {
    ranges.sort_by_key(|range| (range.start, range.end));
    let mut joined: Vec<Range<usize>> = Vec::new();
    for range in ranges {
        match joined.last_mut().filter(|last| range.start <= last.end) {
            Some(last) => last.end = last.end.max(range.end),
            None => joined.push(range),
        }
    }
    joined
}

/// Returns the range from the first of sorted ranges to the last.
fn around(ranges: &[Range<usize>]) -> Range<usize> {
    ranges.first().map_or(0, |range| range.start)..ranges.last().map_or(0, |range| range.end)
}

fn add_block(out: &mut CleanBuf, path: &RepoPath, shown: &Clean, lines: &Clean) {
    let fence = fence_for(lines);
    out.fence(&fence);
    add_tag(out, path, shown);
    out.lit("\n").text(lines).fence(&fence);
}

pub(super) fn fence_for(text: &str) -> String {
    let longest = |mark: char| text.split(|c| c != mark).map(str::len).max().unwrap_or_default();
    let (ticks, tildes) = (longest('`'), longest('~'));
    if ticks <= tildes.max(2) { "`".repeat(ticks.max(2) + 1) } else { "~".repeat(tildes.max(2) + 1) }
}

/// Adds the language of a file as the tag of its fence: its extension, or the kind of a file with a well-known name.
fn add_tag(out: &mut CleanBuf, path: &RepoPath, shown: &Clean) {
    let (name, extension) = (path.name().to_ascii_lowercase(), path.extension());
    let tags = |list: &'static str| WORDS.of(list).iter().filter_map(|row| row.split_once(' '));
    let by_name = tags("tag_of_name").find(|(start, _)| name.starts_with(start));
    let by_extension = || tags("tag_of_extension").find(|(known, _)| *known == extension);
    let is_tag = extension.len() <= 12 && extension.bytes().all(|byte| byte.is_ascii_alphanumeric());
    if let Some((_, tag)) = by_name.or_else(by_extension) {
        out.lit(tag);
    } else if is_tag && shown.ends_with(extension) {
        out.part(shown, shown.len() - extension.len()..shown.len());
    }
}

pub(super) fn anchor(lines: LineRange) -> Clean {
    let mut anchor = CleanBuf::new();
    anchor.lit("L").number(lines.first.into());
    if lines.last > lines.first {
        anchor.lit("-L").number(lines.last.into());
    }
    anchor.finish()
}
