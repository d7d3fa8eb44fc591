//! Sections of code: the lines that a text names with the block around them, a small file, or an outline.

use super::candidates::SelectionBuilder;
use super::context::{Document, SelectionContext};
use super::rank::Rank;
use super::removals;
use super::source_text::SourceText;
use super::{
    Candidate, Evidence, Input, Omission, OriginKind, Role, SectionBody, TextLevels, TextOrigin, TrimRank, Trust,
};
use crate::config::{CodeDetail, Group};
use crate::graph::ShownPlace;
use crate::model::{LineRange, RepoPath, floor_cluster};
use crate::redact::{Clean, CleanBuf};
use std::ops::RangeInclusive;
use std::sync::Arc;

/// The most lines and characters of a file that is shown whole.
const SMALL_FILE: (usize, usize) = (120, 6_000);

/// The most lines of a block that is shown whole around the named lines.
const LONGEST_BLOCK: usize = 80;

/// The lines around the named ones that are shown with them.
const AROUND: usize = 3;

/// The most named lines of one range that are shown; of more there is the outline.
pub(super) const MOST_NAMED: usize = 400;

/// The most bytes of a section: lines of generated files may be very long.
pub(super) const MOST_BYTES: usize = 24_000;

/// The most lines of an outline, and of one of them in characters.
const OUTLINE: (usize, usize) = (160, 160);

/// A code file that the root, or a neighbour that the profile names, refers to.
#[derive(Debug, Clone)]
pub struct ReferencedCode {
    /// The file.
    pub path: RepoPath,
    /// The file's redacted path.
    pub shown: Clean,
    /// The text, or the reason of its omission (`docs/format.md`).
    pub document: Result<Arc<Document>, &'static str>,
    /// Whether an untrusted author could have put the file there.
    pub untrusted: bool,
    /// The first reference to the file as a whole, if there is one.
    pub whole: Option<CodeUse>,
    /// The named lines, in order.
    pub lines: Vec<(LineRange, CodeUse)>,
}

/// A reference to code.
#[derive(Debug, Clone)]
pub struct CodeUse {
    /// The referring item: an index into the corpus.
    pub by: usize,
    /// The place of the reference.
    pub at: ShownPlace,
    /// The commit whose lines are meant.
    pub commit: Option<Clean>,
}

/// Named lines that are shown together, counted from 0.
struct LineGroup<'a> {
    /// The named lines, in order, none touching another.
    named: Vec<RangeInclusive<usize>>,
    /// The lines that are shown, in order, none touching another.
    shown: Vec<RangeInclusive<usize>>,
    uses: Vec<&'a CodeUse>,
}

impl SelectionBuilder<'_> {
    /// Adds the sections of a code file: one of the whole, one for each group of named lines.
    pub(super) fn code(&mut self, reference: &ReferencedCode) {
        if self.has_section(&reference.path) {
            return;
        }
        let source = TextOrigin { path: Some(reference.shown.clone()), ..TextOrigin::new(OriginKind::File) };
        let document = match &reference.document {
            Ok(document) => document,
            Err(reason) => {
                let mut id = CleanBuf::new();
                id.lit("code.").text(&reference.shown);
                return self.omit(Omission {
                    id: id.finish(),
                    title: reference.shown.clone(),
                    origin: source,
                    provenance: "code_ref",
                    reason,
                    trust: Trust::Trusted,
                    chars: None,
                });
            }
        };
        self.record(Input { origin: source, digest: Some(document.digest) });
        let text = &document.text.clean;
        let lines = SourceText::new(reference.path.name(), text);
        let small = lines.len() <= SMALL_FILE.0 && text.chars().take(SMALL_FILE.1 + 1).count() <= SMALL_FILE.1;
        let (groups, beyond) = groups(reference, document, &lines);
        let whole = reference.whole.as_ref().or(beyond);
        if let Some(from) = whole {
            let mut body = whole_body(self.context, document, &lines, small);
            if small && body.excerpt.is_some() && !groups.is_empty() {
                // Of a small file the named lines matter most.
                let named = merged(groups.iter().flat_map(|group| group.named.clone()).collect());
                let named = fenced(document, &lines, &named, None);
                body.excerpt = (named.len() < body.full.len()).then_some(named);
            }
            let all = 0..=lines.len().saturating_sub(1);
            self.put_code(reference, document, &lines, (None, &all), from, body);
        }
        // A small file that is shown whole holds every line.
        if whole.is_some() && small {
            return;
        }
        for group in groups {
            let Some(from) = group.uses.first() else { continue };
            let body = lines_body(self.context, document, &lines, &group);
            let (Some(first), Some(last)) = (group.shown.first(), group.shown.last()) else { continue };
            let named = real_range(document, &group.named);
            self.put_code(reference, document, &lines, (named, &(*first.start()..=*last.end())), from, body);
        }
    }

    fn put_code(
        &mut self,
        reference: &ReferencedCode,
        document: &Document,
        lines: &SourceText<'_>,
        (named, shown): (Option<LineRange>, &RangeInclusive<usize>),
        from: &CodeUse,
        body: TextLevels,
    ) {
        let mut id = CleanBuf::new();
        id.lit("code.").text(&reference.shown);
        let mut title = CleanBuf::new();
        title.line(&reference.shown);
        if let Some(named) = named {
            id.lit("#");
            anchor(&mut id, named);
            title.lit(":").number(named.first.into());
            if named.last > named.first {
                title.lit("-").number(named.last.into());
            }
        }
        let origin = TextOrigin {
            path: Some(reference.shown.clone()),
            lines: (lines.len() > 0).then(|| real_lines(document, shown)),
            anchor: named.map(|named| anchor(&mut CleanBuf::new(), named).finish()),
            ..TextOrigin::new(OriginKind::File)
        };
        let inside = origin.lines.map_or(0..=0, |[first, last]| first..=last);
        let removals = removals::records(&document.removals, |removal| removal.in_body, &origin);
        let at = self.context.corpus.entries[from.by].shown_at(&from.at);
        let candidate = Candidate {
            id: id.finish(),
            kind: "file_excerpt",
            title: title.finish(),
            origin,
            provenance: "code_ref",
            role: Role::Rank(TrimRank::default()),
            body: SectionBody::Levels(Arc::new(body)),
            state: None,
            status: None,
            trust: Trust::of(reference.untrusted),
            by: None,
            relation: None,
            evidence: Some(Evidence { source: "reference", at }),
            document: None,
            card: None,
            removals: removals.into_iter().filter(|removal| inside.contains(&removal.line)).collect(),
        };
        // Lines are more to the point than a file.
        let second_hop = from.by != self.root;
        self.put(candidate, Rank { needed: named.is_some(), second_hop, ..Rank::of(Some(Group::Code)) });
    }
}

/// Returns the groups of named lines, and a reference to lines that the file does not have, or to very many of them.
fn groups<'a>(
    reference: &'a ReferencedCode,
    document: &Document,
    lines: &SourceText<'_>,
) -> (Vec<LineGroup<'a>>, Option<&'a CodeUse>) {
    let mut groups: Vec<LineGroup<'a>> = Vec::new();
    let mut beyond = None;
    for (named, from) in &reference.lines {
        let first = redacted_line(document, lines, named.first);
        let last = redacted_line(document, lines, named.last).min(lines.len().saturating_sub(1));
        if first >= lines.len() || last - first >= MOST_NAMED {
            beyond.get_or_insert(from);
            continue;
        }
        let named = first..=last.max(first);
        let near = named.start().saturating_sub(AROUND)..=(named.end() + AROUND).min(lines.len() - 1);
        let mut shown = vec![near];
        if let Some(block) = lines.block_around(&named) {
            let lead = lines.lead(*block.start());
            if block.end() - lead < LONGEST_BLOCK {
                shown.push(lead..=*block.end());
            } else {
                shown.push(*block.start()..=*block.start());
            }
        }
        groups.push(LineGroup { named: vec![named], shown: merged(shown), uses: vec![from] });
    }
    groups.sort_by_key(|group| group.shown.first().map_or(0, |first| *first.start()));
    let mut joined: Vec<LineGroup<'a>> = Vec::new();
    for group in groups {
        match joined.last_mut().filter(|last| touches(&last.shown, &group.shown)) {
            Some(last) => {
                last.shown.extend(group.shown);
                last.shown = merged(std::mem::take(&mut last.shown));
                last.named.extend(group.named);
                last.named = merged(std::mem::take(&mut last.named));
                last.uses.extend(group.uses);
            }
            None => joined.push(group),
        }
    }
    (joined, beyond)
}

/// Returns whether some lines of two groups overlap or touch. Both are sorted, and the second does not begin first.
fn touches(first: &[RangeInclusive<usize>], second: &[RangeInclusive<usize>]) -> bool {
    let Some(start) = second.first().map(|range| *range.start()) else { return false };
    first.iter().any(|range| start <= range.end() + 1)
}

/// Sorts ranges and joins those that overlap or touch.
fn merged(mut ranges: Vec<RangeInclusive<usize>>) -> Vec<RangeInclusive<usize>> {
    ranges.sort_by_key(|range| (*range.start(), *range.end()));
    let mut joined: Vec<RangeInclusive<usize>> = Vec::new();
    for range in ranges {
        match joined.last_mut().filter(|last| *range.start() <= last.end() + 1) {
            Some(last) => *last = *last.start()..=*last.end().max(range.end()),
            None => joined.push(range),
        }
    }
    joined
}

/// Returns the levels of detail of named lines.
fn lines_body(
    context: &SelectionContext<'_>,
    document: &Document,
    lines: &SourceText<'_>,
    group: &LineGroup<'_>,
) -> TextLevels {
    let mut pointer = CleanBuf::new();
    pointer.line(&document.shown);
    for (index, range) in group.named.iter().enumerate() {
        let [first, last] = real_lines(document, range);
        pointer.lit(if index == 0 { ":" } else { "," }).number(first);
        if last > first {
            pointer.lit("-").number(last);
        }
    }
    let pointer = pointer.lit(" (of ").number(lines.len() as u64).lit(" lines)").finish();
    if context.profile.code_detail == CodeDetail::Pointer {
        return TextLevels { full: pointer.clone(), full_detail: "pointer", excerpt: None, pointer };
    }
    let as_of = group.uses.iter().find_map(|from| from.commit.as_ref());
    let full = fenced(document, lines, &group.shown, as_of);
    let excerpt = fenced(document, lines, &group.named, as_of);
    match (full.len() <= MOST_BYTES, excerpt.len() <= MOST_BYTES) {
        (true, _) => {
            let excerpt = (excerpt.len() < full.len()).then_some(excerpt);
            TextLevels { full, full_detail: "full", excerpt, pointer }
        }
        (false, true) => TextLevels { full: excerpt, full_detail: "excerpt", excerpt: None, pointer },
        (false, false) => TextLevels { full: pointer.clone(), full_detail: "pointer", excerpt: None, pointer },
    }
}

/// Returns the levels of detail of a whole file.
fn whole_body(context: &SelectionContext<'_>, document: &Document, lines: &SourceText<'_>, small: bool) -> TextLevels {
    let mut pointer = CleanBuf::new();
    pointer.line(&document.shown).lit(" (").number(lines.len() as u64).lit(" lines)");
    let pointer = pointer.finish();
    let only = |full: Clean, full_detail| TextLevels { full, full_detail, excerpt: None, pointer: pointer.clone() };
    if context.profile.code_detail == CodeDetail::Pointer || lines.len() == 0 {
        return only(pointer.clone(), "pointer");
    }
    let outline = outline(document, lines);
    if !small {
        return match outline {
            Some(outline) => only(outline, "excerpt"),
            None => only(pointer.clone(), "pointer"),
        };
    }
    let full = fenced(document, lines, &[0..=lines.len() - 1], None);
    let excerpt = outline.filter(|outline| outline.len() < full.len());
    TextLevels { full, full_detail: "full", excerpt, pointer }
}

/// Returns the definitions of a file with their lines; `None` if there are fewer than two, or too many to be of use.
///
/// The innermost definitions leave first if there are many.
fn outline(document: &Document, lines: &SourceText<'_>) -> Option<Clean> {
    let mut found = lines.definitions();
    while found.len() > OUTLINE.0 {
        let deepest = found.iter().map(|line| lines.indent(*line)).max()?;
        if found.iter().all(|line| lines.indent(*line) == deepest) {
            return None;
        }
        found.retain(|line| lines.indent(*line) < deepest);
    }
    // A single key at the top says nothing about a file.
    if found.len() < 2 {
        return None;
    }
    let text = &document.text.clean;
    let mut out = CleanBuf::new();
    out.lit("Outline of ").number(lines.len() as u64).lit(" lines: the line of each definition.\n\n");
    let mut parts = CleanBuf::new();
    for line in found {
        let range = lines.bytes(line..=line);
        let end = text[range.clone()].char_indices().nth(OUTLINE.1);
        let end = end.map_or(range.end, |(at, _)| floor_cluster(text, range.start + at));
        let kept = range.start..range.start + text[range.start..end].trim_end_matches([' ', '{']).len();
        parts.lit("\n").number(real_lines(document, &(line..=line))[0]).lit(": ").part(text, kept);
    }
    let parts = parts.finish();
    let fence = fence_for(&parts);
    out.fence(&fence).lit("text").text(&parts).lit("\n").fence(&fence);
    Some(out.finish())
}

/// Returns lines of a file as a fenced block, with marks for the gaps between them.
fn fenced(
    document: &Document,
    lines: &SourceText<'_>,
    shown: &[RangeInclusive<usize>],
    as_of: Option<&Clean>,
) -> Clean {
    let text = &document.text.clean;
    let mut body = CleanBuf::new();
    let mut next = None;
    for range in shown {
        if let Some(next) = next {
            body.lit("[… ").number((range.start() - next) as u64).lit(" lines]\n");
        }
        body.part(text, lines.bytes(range.clone())).lit("\n");
        next = Some(range.end() + 1);
    }
    let body = body.finish();
    let fence = fence_for(&body);
    let mut out = CleanBuf::new();
    if let Some(commit) = as_of {
        out.lit("Lines of today; the reference names them as of ").line(commit).lit(".\n\n");
    }
    out.fence(&fence);
    tag(&mut out, &document.path, &document.shown);
    out.lit("\n").text(&body).fence(&fence);
    out.finish()
}

/// Returns a fence that is longer than any run of its character in the text.
pub(super) fn fence_for(text: &str) -> String {
    let longest = |mark: char| {
        let runs = text.split(|c| c != mark).map(str::len);
        runs.max().unwrap_or_default()
    };
    let (ticks, tildes) = (longest('`'), longest('~'));
    if ticks <= tildes.max(2) { "`".repeat(ticks.max(2) + 1) } else { "~".repeat(tildes.max(2) + 1) }
}

/// Adds the language of a file as the tag of its fence: its extension, or the kind of a file with a well-known name.
pub(super) fn tag(out: &mut CleanBuf, path: &RepoPath, shown: &Clean) {
    let name = path.name();
    let lower = name.to_ascii_lowercase();
    let known = [
        ("dockerfile", "dockerfile"),
        ("makefile", "makefile"),
        ("justfile", "just"),
        ("jenkinsfile", "groovy"),
        ("gemfile", "ruby"),
        ("rakefile", "ruby"),
    ];
    if let Some((_, tag)) = known.iter().find(|(start, _)| lower.starts_with(start)) {
        out.lit(tag);
        return;
    }
    let languages = [
        ("bash", "sh"),
        ("cjs", "js"),
        ("ex", "elixir"),
        ("exs", "elixir"),
        ("h", "c"),
        ("hs", "haskell"),
        ("kt", "kotlin"),
        ("mjs", "js"),
        ("mts", "ts"),
        ("pl", "perl"),
        ("py", "python"),
        ("rb", "ruby"),
        ("rs", "rust"),
        ("sol", "solidity"),
        ("tf", "hcl"),
        ("yml", "yaml"),
    ];
    let extension = path.extension();
    if let Some((_, language)) = languages.iter().find(|(known, _)| *known == extension) {
        out.lit(language);
    } else if extension.len() <= 12
        && extension.bytes().all(|byte| byte.is_ascii_alphanumeric())
        && shown.ends_with(extension)
    {
        out.part(shown, shown.len() - extension.len()..shown.len());
    }
}

pub(super) fn anchor(out: &mut CleanBuf, lines: LineRange) -> &mut CleanBuf {
    out.lit("L").number(lines.first.into());
    if lines.last > lines.first {
        out.lit("-L").number(lines.last.into());
    }
    out
}

/// Returns the index of a line of the file in its redacted text.
fn redacted_line(document: &Document, lines: &SourceText<'_>, line: u32) -> usize {
    let text = &document.text;
    if text.folds.is_empty() {
        return line.saturating_sub(1) as usize;
    }
    let (mut low, mut high) = (0, lines.len());
    while low < high {
        let middle = usize::midpoint(low, high);
        if text.last_line_before(u32::try_from(middle + 1).unwrap_or(u32::MAX)) < line {
            low = middle + 1
        } else {
            high = middle
        }
    }
    low
}

/// Returns the first and the last line of the file that some lines of its redacted text were.
fn real_lines(document: &Document, lines: &RangeInclusive<usize>) -> [u64; 2] {
    let number = |index: usize| u32::try_from(index + 1).unwrap_or(u32::MAX);
    let text = &document.text;
    [text.line_before(number(*lines.start())), text.last_line_before(number(*lines.end()))].map(u64::from)
}

fn real_range(document: &Document, named: &[RangeInclusive<usize>]) -> Option<LineRange> {
    let (first, last) = (named.first()?, named.last()?);
    let [first, last] = real_lines(document, &(*first.start()..=*last.end()));
    LineRange::new(u32::try_from(first).ok()?, u32::try_from(last).ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_that_overlap_or_touch_are_one() {
        assert_eq!(merged(vec![8..=9, 0..=2, 3..=4, 1..=3, 6..=6]), [0..=4, 6..=6, 8..=9]);
        assert!(touches(&[0..=0, 5..=9], &[10..=12]) && !touches(&[0..=0, 5..=9], &[11..=12]));
    }

    #[test]
    fn a_fence_is_longer_than_any_run_in_the_text() {
        assert_eq!(fence_for("a ` b"), "```");
        assert_eq!(fence_for("```\n~~~~"), "````");
        assert_eq!(fence_for("`````` ~"), "~~~");
        assert_eq!(fence_for(""), "```");
    }
}
