//! Reads Markdown and finds what of it does not show.

use super::super::invisible::{self, INVISIBLE};
use super::html::Html;
use super::{COMMENT, HIDDEN, HiddenRange, IMAGE, Replacement, drawn, target};
use pulldown_cmark::{CodeBlockKind, Event, LinkType, Options, Parser, Tag, TagEnd};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// What is read as GitHub reads it. Formulas are looked for afterwards: whether a dollar begins one is never certain.
const OPTIONS: Options = Options::ENABLE_TABLES
    .union(Options::ENABLE_TASKLISTS)
    .union(Options::ENABLE_STRIKETHROUGH)
    .union(Options::ENABLE_FOOTNOTES);

/// How long the language of a code block may be.
const LONGEST_LANGUAGE: usize = 24;

/// The ends of a section that GitHub's parser reads as a whole, whatever stands in it.
const CDATA: (&str, &str) = ("<![CDATA[", "]]>");

/// The places of what is hidden, in no order; they may overlap.
pub(super) fn edits(text: &str) -> Vec<HiddenRange> {
    // Each of them needs one of these marks.
    if !text.contains(['<', '&', '[', '`', '~', '|', '$']) {
        return Vec::new();
    }
    let parser = Parser::new_ext(text, OPTIONS);
    let mut definitions: Vec<Definition> = parser
        .reference_definitions()
        .iter()
        .map(|(label, definition)| Definition {
            span: definition.span.clone(),
            label: label.to_owned(),
            is_comment: matches!(&*definition.dest, "" | "#"),
        })
        .collect();
    definitions.sort_by_key(|definition| definition.span.start);
    let mut reader = Reader::new(text, &definitions);
    let mut events = parser.into_offset_iter();
    while let Some((event, range)) = events.next() {
        reader.event(event, range, &|label| {
            events.reference_definitions().get(label).map(|definition| definition.span.start)
        });
    }
    reader.finish()
}

/// A link definition that counts: the first of its label.
struct Definition {
    span: Range<usize>,
    label: String,
    is_comment: bool,
}

/// A link or an image that is being read.
struct InlineLink {
    start: usize,
    /// How far its text has been read.
    inner_end: usize,
    kind: LinkType,
    is_image: bool,
    /// Whether anything of its text shows.
    is_seen: bool,
    /// Where the definition begins that it uses.
    definition: Option<usize>,
}

/// A footnote's definition.
struct Footnote {
    label: String,
    range: Range<usize>,
    /// The mark in front of its text.
    mark: Range<usize>,
}

/// A mark of a footnote, and the definition in which it stands.
struct FootnoteUse {
    label: String,
    range: Range<usize>,
    within: Option<usize>,
}

struct CodeRun {
    language: String,
    content: Option<Range<usize>>,
}

struct Reader<'t> {
    text: &'t str,
    definitions: &'t [Definition],
    edits: Vec<HiddenRange>,
    /// How far every byte is known to show, to be markup, or to be hidden.
    at: usize,
    /// The first definition that ends after it.
    next_definition: usize,
    links: Vec<InlineLink>,
    /// Definitions and where they are used.
    used: Vec<(usize, usize)>,
    /// Full references with a label that says something, and the definition.
    relabelled: Vec<(Range<usize>, usize)>,
    footnotes: Vec<Footnote>,
    footnote_uses: Vec<FootnoteUse>,
    within: Option<usize>,
    code: Option<CodeRun>,
    html: Html,
    /// The lines of a block of HTML.
    block: Option<Vec<Range<usize>>>,
    /// The part of a paragraph, and its code spans.
    inline: Option<Range<usize>>,
    code_spans: Vec<Range<usize>>,
    /// How many images are being skipped.
    skipping: usize,
}

impl<'t> Reader<'t> {
    fn new(text: &'t str, definitions: &'t [Definition]) -> Self {
        Self {
            text,
            definitions,
            edits: Vec::new(),
            at: 0,
            next_definition: 0,
            links: Vec::new(),
            used: Vec::new(),
            relabelled: Vec::new(),
            footnotes: Vec::new(),
            footnote_uses: Vec::new(),
            within: None,
            code: None,
            html: Html::default(),
            block: None,
            inline: None,
            code_spans: Vec::new(),
            skipping: 0,
        }
    }

    fn event(&mut self, event: Event<'_>, range: Range<usize>, definition: &dyn Fn(&str) -> Option<usize>) {
        if let Some(link) = self.links.last_mut() {
            let own = matches!(event, Event::End(TagEnd::Link | TagEnd::Image));
            if !own {
                link.inner_end = link.inner_end.max(range.end);
            }
        }
        match event {
            Event::Start(tag) => self.start(tag, range, definition),
            Event::End(tag) => self.end(tag, range),
            Event::Text(shown) => self.shown(&shown, range),
            Event::Code(shown) => {
                self.code_spans.push(range.clone());
                self.inline(range.clone());
                self.leaf(range, !shown.trim().is_empty());
            }
            Event::Html(_) => {
                self.gap(range.start);
                self.at = self.at.max(range.end);
                match &mut self.block {
                    Some(block) => block.push(range),
                    None => self.html.read(self.text, &[range], true, &mut self.edits),
                }
            }
            Event::InlineHtml(_) => {
                self.inline(range.clone());
                self.leaf(range.clone(), false);
                if self.skipping == 0 {
                    self.html.read(self.text, &[range], false, &mut self.edits);
                }
            }
            Event::FootnoteReference(label) => {
                self.leaf(range.clone(), true);
                self.footnote_uses.push(FootnoteUse { label: label.to_lowercase(), range, within: self.within });
            }
            Event::SoftBreak | Event::HardBreak => self.leaf(range, false),
            Event::Rule | Event::TaskListMarker(_) | Event::InlineMath(_) | Event::DisplayMath(_) => {
                self.leaf(range, true);
            }
        }
    }

    fn start(&mut self, tag: Tag<'_>, range: Range<usize>, definition: &dyn Fn(&str) -> Option<usize>) {
        match tag {
            Tag::Link { link_type, id, .. } => self.open(link_type, range.start, false, definition(&id)),
            Tag::Image { link_type, dest_url, id, .. } => {
                if self.skipping > 0 || !target::is_plain_path(&dest_url) {
                    if self.skipping == 0 {
                        self.leaf(range.clone(), true);
                        self.edits.push(HiddenRange::marked(range.clone(), &IMAGE));
                    }
                    self.skipping += 1;
                } else {
                    self.gap(range.start);
                    self.links.iter_mut().for_each(|link| link.is_seen = true);
                }
                self.open(link_type, range.start, true, definition(&id));
            }
            Tag::Emphasis | Tag::Strong | Tag::Strikethrough => {}
            tag => {
                self.end_inline();
                self.html.begin_block();
                self.block(tag, range);
            }
        }
    }

    fn block(&mut self, tag: Tag<'_>, range: Range<usize>) {
        let rest = &self.text[range.clone()];
        match tag {
            Tag::Item => {
                let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
                self.leaf(range.start..range.start + digits, false);
            }
            Tag::CodeBlock(CodeBlockKind::Fenced(info)) => {
                let end = range.start + rest.find('\n').unwrap_or(rest.len());
                self.gap(range.start);
                self.at = self.at.max(end);
                let language = self.language(&info, range.start..end);
                self.code = Some(CodeRun { language, content: None });
            }
            Tag::CodeBlock(CodeBlockKind::Indented) => {
                self.code = Some(CodeRun { language: String::new(), content: None });
            }
            Tag::HtmlBlock => self.block = Some(Vec::new()),
            Tag::FootnoteDefinition(label) => {
                let mark = range.start..range.start + rest.find("]:").map_or(0, |end| end + 2);
                self.gap(mark.start);
                self.at = self.at.max(mark.end);
                self.within = Some(self.footnotes.len());
                self.footnotes.push(Footnote { label: label.to_lowercase(), range, mark });
            }
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd, range: Range<usize>) {
        match tag {
            TagEnd::Link | TagEnd::Image => self.close(range),
            TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough => {}
            tag => {
                self.end_inline();
                match tag {
                    TagEnd::CodeBlock => self.end_code(),
                    TagEnd::HtmlBlock => {
                        let lines = self.block.take().unwrap_or_default();
                        self.html.read(self.text, &lines, true, &mut self.edits);
                    }
                    TagEnd::FootnoteDefinition => self.within = None,
                    _ => {}
                }
            }
        }
    }

    /// Reads text that shows, or an entity for a character that does not.
    fn shown(&mut self, shown: &str, range: Range<usize>) {
        let visible = shown.chars().any(|c| !c.is_whitespace() && !invisible::is_invisible(c));
        match &mut self.code {
            Some(code) => {
                let start = code.content.as_ref().map_or(range.start, |content| content.start);
                code.content = Some(start..range.end);
            }
            None => {
                self.inline(range.clone());
                if self.text[range.clone()].starts_with('&') && shown.chars().all(invisible::is_invisible) {
                    self.edits.push(HiddenRange::silent(range.clone(), &INVISIBLE));
                }
            }
        }
        self.leaf(range, visible);
    }

    /// Notes that `range` is accounted for, and whether it shows.
    fn leaf(&mut self, range: Range<usize>, is_seen: bool) {
        self.gap(range.start);
        self.at = self.at.max(range.end);
        if is_seen && self.html.is_shown() {
            self.links.iter_mut().for_each(|link| link.is_seen = true);
        }
    }

    /// Finds words between what was read last and `end`: no markup has any.
    fn gap(&mut self, end: usize) {
        while self.at < end {
            while self.definitions.get(self.next_definition).is_some_and(|next| next.span.end <= self.at) {
                self.next_definition += 1;
            }
            let next = self.definitions.get(self.next_definition).map(|definition| &definition.span);
            let (stop, resume) = match next.filter(|span| span.start < end) {
                Some(span) => (span.start.max(self.at), span.end),
                None => (end, end),
            };
            for range in words(self.text, self.at..stop) {
                self.edits.push(HiddenRange::marked(range, &HIDDEN));
            }
            self.at = resume;
        }
    }

    fn open(&mut self, kind: LinkType, start: usize, is_image: bool, definition: Option<usize>) {
        let reference = matches!(kind, LinkType::Reference | LinkType::Collapsed | LinkType::Shortcut);
        let inner_end = start + 1 + usize::from(is_image);
        let definition = definition.filter(|_| reference);
        self.links.push(InlineLink { start, inner_end, kind, is_image, is_seen: false, definition });
    }

    /// Ends a link: without text that shows it is hidden, else what stands behind its text is judged.
    fn close(&mut self, range: Range<usize>) {
        let Some(link) = self.links.pop() else { return };
        if self.skipping > 0 {
            self.skipping -= usize::from(link.is_image);
            self.at = self.at.max(range.end);
            return;
        }
        if let Some(outer) = self.links.last_mut() {
            outer.inner_end = outer.inner_end.max(range.end);
        }
        if !link.is_seen && !link.is_image {
            self.at = self.at.max(range.end);
            self.edits.push(HiddenRange::marked(range, &HIDDEN));
            return;
        }
        let text = &self.text[..range.end];
        let tail = link.inner_end + text[link.inner_end.min(range.end)..].find(']').map_or(0, |end| end + 1);
        match link.kind {
            LinkType::Inline if tail < range.end => {
                self.gap(tail);
                // The bracket in front and the one behind stay.
                let parts = target_and_title(self.text, tail + 1..range.end - 1);
                self.judge(parts);
                self.at = self.at.max(range.end);
            }
            LinkType::Reference if tail < range.end => {
                self.gap(tail);
                self.at = self.at.max(range.end);
                let label = text[tail..].trim_matches(['[', ']']);
                match link.definition {
                    Some(definition) if !target::is_short(label) => {
                        self.relabelled.push((tail..range.end, definition));
                    }
                    Some(definition) => self.used.push((definition, link.start)),
                    None => {}
                }
            }
            _ => {
                if let Some(definition) = link.definition {
                    self.used.push((definition, link.start));
                }
                self.gap(range.end);
            }
        }
    }

    /// Takes prose out of a target, and a title away.
    fn judge(&mut self, (target, title): (Range<usize>, Range<usize>)) {
        let kept = target::kept(&self.text[target.clone()]);
        if kept < target.len() {
            self.edits.push(HiddenRange::silent(target.start + kept..target.end, &HIDDEN));
        }
        if !self.text[title.clone()].trim().is_empty() {
            self.edits.push(HiddenRange::silent(title, &HIDDEN));
        }
    }

    /// Judges what stands behind a fence; returns the language.
    fn language(&mut self, info: &str, line: Range<usize>) -> String {
        let text = &self.text[line.clone()];
        let fence = text.trim_start_matches([' ', '`', '~']);
        let start = line.end - fence.len();
        let start = start + (fence.len() - fence.trim_start().len());
        let rest = &self.text[start..line.end];
        let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '+' | '#' | '.' | '-' | '/');
        let length = rest.find(|c: char| !is_part(c)).unwrap_or(rest.len());
        let language = &rest[..length];
        let kept = if length <= LONGEST_LANGUAGE && target::is_short(language) { length } else { 0 };
        let hidden = rest[kept..].trim_end();
        if !hidden.trim_start().is_empty() && !info.is_empty() {
            self.edits.push(HiddenRange::silent(start + kept..start + kept + hidden.len(), &HIDDEN));
        }
        language[..kept].to_owned()
    }

    fn end_code(&mut self) {
        let Some(CodeRun { language, content: Some(content) }) = self.code.take() else { return };
        if is_marker(self.text[content.clone()].trim()) {
            return;
        }
        for range in drawn::undrawn(&language, self.text, content) {
            self.edits.push(HiddenRange::marked(range, &HIDDEN));
        }
    }

    fn inline(&mut self, range: Range<usize>) {
        let start = self.inline.as_ref().map_or(range.start, |inline| inline.start);
        self.inline = Some(start..range.end);
    }

    /// Looks for formulas in the paragraph, heading or cell that ends here, and for HTML that the parser does not know
    /// and GitHub's does.
    fn end_inline(&mut self) {
        let code = std::mem::take(&mut self.code_spans);
        let Some(part) = self.inline.take() else { return };
        let mut at = part.start;
        let mut spans = code.iter().peekable();
        while let Some(start) = self.text[at..part.end].find(CDATA.0).map(|offset| at + offset) {
            let Some(end) = self.text[start..part.end].find(CDATA.1) else { break };
            while spans.next_if(|span| span.end <= start).is_some() {}
            at = start + 1;
            if !spans.peek().is_some_and(|span| span.contains(&start)) && !is_escaped(self.text, start) {
                at = start + end + CDATA.1.len();
                let section = start..at;
                self.html.read(self.text, std::slice::from_ref(&section), false, &mut self.edits);
            }
        }
        for section in declarations(self.text, part.clone()) {
            if !code.iter().any(|span| span.contains(&section.start)) {
                self.html.read(self.text, std::slice::from_ref(&section), false, &mut self.edits);
            }
        }
        for range in surplus_cells(self.text, part.clone()) {
            self.edits.push(HiddenRange::marked(range, &HIDDEN));
        }
        if self.text[part.clone()].contains('$') {
            for range in drawn::formulas(self.text, part, &code) {
                self.edits.push(HiddenRange::marked(range, &HIDDEN));
            }
        }
    }

    /// Judges definitions and footnotes, now that all their uses are known.
    fn finish(mut self) -> Vec<HiddenRange> {
        self.end_inline();
        self.gap(self.text.len());
        self.html.finish(self.text, &mut self.edits);
        let hidden = Hidden::new(&self.edits);
        let mut edits = self.edits;
        let unused = unused_footnotes(&self.footnotes, &self.footnote_uses, &hidden);
        let mut gone: Vec<Range<usize>> = Vec::new();
        for (footnote, unused) in self.footnotes.iter().zip(&unused) {
            if *unused {
                let length = self.text[footnote.range.clone()].trim_end().len();
                gone.push(footnote.range.start..footnote.range.start + length);
            } else if !target::is_short(&footnote.label) {
                edits.push(HiddenRange::marked(footnote.mark.clone(), &HIDDEN));
            }
        }
        let long_uses = self.footnote_uses.iter().filter(|used| !target::is_short(&used.label));
        edits.extend(long_uses.map(|used| HiddenRange::marked(used.range.clone(), &HIDDEN)));
        let gone_at = Hidden::of(gone.iter());
        edits.extend(gone.into_iter().map(|range| HiddenRange::marked(range, &HIDDEN)));

        let is_gone = |at: usize| hidden.has(at) || gone_at.has(at);
        let used: BTreeSet<usize> =
            self.used.iter().filter(|(_, at)| !is_gone(*at)).map(|(definition, _)| *definition).collect();
        let mut targets: BTreeMap<usize, Range<usize>> = BTreeMap::new();
        let mut judged = Vec::new();
        for definition in self.definitions {
            let span = definition.span.clone();
            let inner = &self.text[span.clone()];
            let Some(colon) = label_end(inner) else { continue };
            let parts = target_and_title(self.text, span.start + colon..span.end);
            let kept = target::kept(&self.text[parts.0.clone()]);
            targets.insert(span.start, parts.0.start..parts.0.start + kept);
            if used.contains(&span.start) && !is_own_label(&definition.label) {
                judged.push(parts);
            } else {
                let label = if definition.is_comment { &COMMENT } else { &HIDDEN };
                let length = inner.trim_end().len();
                edits.push(HiddenRange::marked(span.start..span.start + length, label));
            }
        }
        for (tail, definition) in self.relabelled {
            let target = targets.get(&definition).map_or("", |target| &self.text[target.clone()]);
            edits.push(HiddenRange { range: tail, label: &HIDDEN, put: Replacement::Text(format!("({target})")) });
        }
        let mut rest = Reader { edits, ..Reader::new(self.text, &[]) };
        judged.into_iter().for_each(|parts| rest.judge(parts));
        rest.edits
    }
}

/// Ranges in which nothing shows.
struct Hidden(Vec<Range<usize>>);

impl Hidden {
    fn new(edits: &[HiddenRange]) -> Self {
        Self::of(edits.iter().filter(|edit| edit.put == Replacement::Marker).map(|edit| &edit.range))
    }

    fn of<'r>(ranges: impl Iterator<Item = &'r Range<usize>>) -> Self {
        let mut ranges: Vec<Range<usize>> = ranges.cloned().collect();
        ranges.sort_by_key(|range| range.start);
        let mut merged: Vec<Range<usize>> = Vec::new();
        for range in ranges {
            match merged.last_mut() {
                Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
                _ => merged.push(range),
            }
        }
        Self(merged)
    }

    fn has(&self, at: usize) -> bool {
        let after = self.0.partition_point(|range| range.start <= at);
        after.checked_sub(1).is_some_and(|last| at < self.0[last].end)
    }
}

/// For each footnote whether nothing that shows leads to it: the first of a label counts.
fn unused_footnotes(footnotes: &[Footnote], uses: &[FootnoteUse], hidden: &Hidden) -> Vec<bool> {
    let mut first: BTreeMap<&str, usize> = BTreeMap::new();
    for (index, footnote) in footnotes.iter().enumerate() {
        first.entry(&footnote.label).or_insert(index);
    }
    let mut within: BTreeMap<Option<usize>, Vec<usize>> = BTreeMap::new();
    for used in uses.iter().filter(|used| !hidden.has(used.range.start)) {
        if let Some(footnote) = first.get(used.label.as_str()) {
            within.entry(used.within).or_default().push(*footnote);
        }
    }
    let mut unused = vec![true; footnotes.len()];
    let mut open: Vec<usize> = within.remove(&None).unwrap_or_default();
    while let Some(footnote) = open.pop() {
        if std::mem::take(&mut unused[footnote]) {
            open.extend(within.remove(&Some(footnote)).unwrap_or_default());
        }
    }
    unused
}

/// Whether the character at `at` stands for itself.
fn is_escaped(text: &str, at: usize) -> bool {
    text.as_bytes()[..at].iter().rev().take_while(|byte| **byte == b'\\').count() % 2 == 1
}

/// Declarations and instructions at the start of a line within a paragraph: parsers differ in which of them begin a block.
fn declarations(text: &str, part: Range<usize>) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut at = part.start;
    for line in text[part.clone()].split_inclusive('\n') {
        let row = line.trim_start_matches([' ', '\t', '>']);
        let start = at + (line.len() - row.len());
        at += line.len();
        let begins = row.starts_with("<!") || row.starts_with("<?");
        if begins && found.last().is_none_or(|last| last.end <= start) {
            let end = text[start..part.end].find('>').map_or(part.end, |end| start + end + 1);
            found.push(start..end);
        }
    }
    found
}

/// The cells beyond a header's in a table that goes on from a paragraph: GitHub's parser takes the last line of one for a
/// header, and ours does not.
fn surplus_cells(text: &str, part: Range<usize>) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    if !text[part.clone()].contains('|') || !text[part.clone()].contains('\n') {
        return found;
    }
    let mut at = part.start;
    let mut before = 0;
    let mut columns = None;
    for line in text[part].split_inclusive('\n') {
        let start = at;
        at += line.len();
        let row = line.trim_start_matches([' ', '\t', '>']);
        let start = start + (line.len() - row.len());
        let row = row.trim_end();
        let cells = cells(row);
        let is_rule = row.contains('-') && row.bytes().all(|byte| matches!(byte, b'|' | b'-' | b':' | b' ' | b'\t'));
        match columns {
            Some(columns) if cells.len() > columns => {
                found.push(start + cells[columns].start..start + cells[cells.len() - 1].end);
            }
            None if is_rule && cells.len() == before => columns = Some(before),
            _ => {}
        }
        before = cells.len();
    }
    found.retain(|range| text[range.clone()].contains(char::is_alphanumeric) && !is_marker(text[range.clone()].trim()));
    found
}

/// The cells of a row, without the bars around it.
fn cells(row: &str) -> Vec<Range<usize>> {
    let mut cells = Vec::new();
    let start = usize::from(row.starts_with('|'));
    let (mut from, mut escaped) = (start, false);
    for (at, byte) in row.bytes().enumerate().skip(start) {
        if byte == b'|' && !escaped {
            cells.push(from..at);
            from = at + 1;
        }
        escaped = byte == b'\\' && !escaped;
    }
    if from < row.len() {
        cells.push(from..row.len());
    }
    cells
}

/// Where the label of a definition ends: behind its colon.
fn label_end(definition: &str) -> Option<usize> {
    let mut escaped = false;
    for (at, byte) in definition.bytes().enumerate() {
        if byte == b']' && !escaped {
            return definition[at..].starts_with("]:").then_some(at + 2);
        }
        escaped = byte == b'\\' && !escaped;
    }
    None
}

/// The target of a link and what stands behind it, in the part of a text that holds both.
fn target_and_title(text: &str, part: Range<usize>) -> (Range<usize>, Range<usize>) {
    let bytes = text.as_bytes();
    let end = part.end.max(part.start);
    let mut start = part.start;
    // Quotes go on with a mark in front of each line.
    while start < end && (bytes[start].is_ascii_whitespace() || bytes[start] == b'>') {
        start += 1;
    }
    let angle = start < end && bytes[start] == b'<';
    let start = start + usize::from(angle);
    let (mut at, mut escaped) = (start, false);
    while at < end {
        let byte = bytes[at];
        let ends = if angle { byte == b'>' && !escaped } else { byte.is_ascii_whitespace() };
        if ends {
            break;
        }
        escaped = byte == b'\\' && !escaped;
        at += 1;
    }
    let title = (at + usize::from(angle)).min(end);
    (start..at, title..title + text[title..end].trim_end().len())
}

/// The parts of each line that hold words, markers of removals aside.
fn words(text: &str, part: Range<usize>) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut at = part.start;
    for line in text[part].split_inclusive('\n') {
        let start = at;
        at += line.len();
        let mut first = None;
        let mut last = 0;
        let mut rest = 0;
        while let Some(c) = line[rest..].chars().next() {
            if let Some(length) = marker(&line[rest..]) {
                rest += length;
                continue;
            }
            let end = rest + c.len_utf8();
            if c.is_alphanumeric() || (!c.is_ascii() && !c.is_whitespace() && !invisible::is_invisible(c)) {
                first.get_or_insert(rest);
                last = end;
            }
            rest = end;
        }
        let Some(first) = first else { continue };
        let outside = |c: char| c.is_whitespace() || matches!(c, '|' | '>');
        let from = line[..first].rfind(outside).map_or(0, |before| before + 1);
        let to = line[last..].find(outside).map_or(line.len(), |after| last + after);
        found.push(start + from..start + to);
    }
    found
}

/// The length of the marker at the start of `text`.
fn marker(text: &str) -> Option<usize> {
    let rest = text.strip_prefix("[REDACTED:")?;
    let end = rest.bytes().take(101).position(|byte| byte == b']')?;
    is_name(&rest[..end]).then_some("[REDACTED:".len() + end + 1)
}

fn is_marker(text: &str) -> bool {
    marker(text) == Some(text.len())
}

/// Whether a definition would make markers into links.
fn is_own_label(label: &str) -> bool {
    label.strip_prefix("REDACTED:").is_some_and(is_name)
}

fn is_name(name: &str) -> bool {
    [COMMENT.name, IMAGE.name, HIDDEN.name, INVISIBLE.name].contains(&name)
}
