//! Reads Markdown event by event and finds the parts of it that are not visible on the page.

use super::super::invisible::{self, INVISIBLE};
use super::html::Html;
use super::references::{
    Definition, Footnote, FootnoteUse, HiddenAreas, label_end, target_and_title, unused_footnotes,
};
use super::unparsed::{declarations, is_escaped, is_marker, is_own_label, surplus_cells, words};
use super::{COMMENT, HIDDEN, HiddenRange, IMAGE, Replacement, drawn, target};
use pulldown_cmark::{CodeBlockKind, Event, LinkType, Options, Parser, Tag, TagEnd};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// The extensions that GitHub has. Formulas are searched for afterwards: whether a dollar begins one is never certain.
const OPTIONS: Options = Options::ENABLE_TABLES
    .union(Options::ENABLE_TASKLISTS)
    .union(Options::ENABLE_STRIKETHROUGH)
    .union(Options::ENABLE_FOOTNOTES);

/// The most bytes of a code block's language.
const LONGEST_LANGUAGE: usize = 24;

/// The start and the end of a section that GitHub's parser reads as a whole, whatever it contains.
const CDATA: (&str, &str) = ("<![CDATA[", "]]>");

/// Finds the hidden parts of a text, in no order; they may overlap.
pub(super) fn hidden_ranges(text: &str) -> Vec<HiddenRange> {
    // Each of them needs one of these characters.
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
    let mut reader = HiddenTextReader::new(text, &definitions);
    let mut events = parser.into_offset_iter();
    while let Some((event, range)) = events.next() {
        reader.event(event, range, &|label| {
            events.reference_definitions().get(label).map(|definition| definition.span.start)
        });
    }
    reader.finish()
}

/// A link or an image whose end is still to come.
struct InlineLink {
    start: usize,
    /// How far its text has been read.
    inner_end: usize,
    kind: LinkType,
    is_image: bool,
    /// Whether any of its text is visible.
    is_seen: bool,
    /// The start of the definition that it uses.
    definition: Option<usize>,
}

struct CodeRun {
    language: String,
    content: Option<Range<usize>>,
}

struct HiddenTextReader<'t> {
    text: &'t str,
    definitions: &'t [Definition],
    edits: Vec<HiddenRange>,
    /// The end of what is known to be visible, markup or hidden.
    at: usize,
    /// The index of the first definition that ends after `at`.
    next_definition: usize,
    links: Vec<InlineLink>,
    /// The starts of definitions and of links that use them.
    used: Vec<(usize, usize)>,
    /// Full references whose label is too long, and the starts of their definitions.
    relabelled: Vec<(Range<usize>, usize)>,
    footnotes: Vec<Footnote>,
    footnote_uses: Vec<FootnoteUse>,
    within: Option<usize>,
    code: Option<CodeRun>,
    html: Html,
    /// The lines of the current block of HTML.
    block: Option<Vec<Range<usize>>>,
    /// The current paragraph, heading or cell, and its code spans.
    inline: Option<Range<usize>>,
    code_spans: Vec<Range<usize>>,
    /// The number of nested images that are being skipped.
    skipping: usize,
}

impl<'t> HiddenTextReader<'t> {
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
            Event::Text(shown) => self.text(&shown, range),
            Event::Code(shown) => {
                self.code_spans.push(range.clone());
                self.inline(range.clone());
                self.leaf(range, !shown.trim().is_empty());
            }
            Event::Html(_) => {
                self.hide_words_before(range.start);
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
            Tag::Link { link_type, id, .. } => self.open_link(link_type, range.start, false, definition(&id)),
            Tag::Image { link_type, dest_url, id, .. } => {
                if self.skipping > 0 || !target::is_plain_path(&dest_url) {
                    if self.skipping == 0 {
                        self.leaf(range.clone(), true);
                        self.edits.push(HiddenRange::marked(range.clone(), &IMAGE));
                    }
                    self.skipping += 1;
                } else {
                    self.hide_words_before(range.start);
                    self.links.iter_mut().for_each(|link| link.is_seen = true);
                }
                self.open_link(link_type, range.start, true, definition(&id));
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
                self.hide_words_before(range.start);
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
                self.hide_words_before(mark.start);
                self.at = self.at.max(mark.end);
                self.within = Some(self.footnotes.len());
                self.footnotes.push(Footnote { label: label.to_lowercase(), range, mark });
            }
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd, range: Range<usize>) {
        match tag {
            TagEnd::Link | TagEnd::Image => self.close_link(range),
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

    /// Reads visible text, or an entity for an invisible character.
    fn text(&mut self, shown: &str, range: Range<usize>) {
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

    /// Notes that `range` is accounted for, and whether it is visible.
    fn leaf(&mut self, range: Range<usize>, is_seen: bool) {
        self.hide_words_before(range.start);
        self.at = self.at.max(range.end);
        if is_seen && self.html.is_visible() {
            self.links.iter_mut().for_each(|link| link.is_seen = true);
        }
    }

    /// Hides words between what was read last and `end`: no markup has any.
    fn hide_words_before(&mut self, end: usize) {
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

    fn open_link(&mut self, kind: LinkType, start: usize, is_image: bool, definition: Option<usize>) {
        let reference = matches!(kind, LinkType::Reference | LinkType::Collapsed | LinkType::Shortcut);
        let inner_end = start + 1 + usize::from(is_image);
        let definition = definition.filter(|_| reference);
        self.links.push(InlineLink { start, inner_end, kind, is_image, is_seen: false, definition });
    }

    /// Ends a link: hides it if it has no visible text, else checks its target, title and label.
    fn close_link(&mut self, range: Range<usize>) {
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
                self.hide_words_before(tail);
                // The bracket in front and the one behind stay.
                let parts = target_and_title(self.text, tail + 1..range.end - 1);
                self.hide_prose(parts);
                self.at = self.at.max(range.end);
            }
            LinkType::Reference if tail < range.end => {
                self.hide_words_before(tail);
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
                self.hide_words_before(range.end);
            }
        }
    }

    /// Hides prose in a target, and a title.
    fn hide_prose(&mut self, (target, title): (Range<usize>, Range<usize>)) {
        let kept = target::kept_length(&self.text[target.clone()]);
        if kept < target.len() {
            self.edits.push(HiddenRange::silent(target.start + kept..target.end, &HIDDEN));
        }
        if !self.text[title.clone()].trim().is_empty() {
            self.edits.push(HiddenRange::silent(title, &HIDDEN));
        }
    }

    /// Hides what follows the language of a code block; returns the language.
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

    /// Ends a paragraph, heading or cell: searches it for formulas, and for HTML that GitHub's parser knows and
    /// pulldown-cmark does not.
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

    /// Hides definitions and footnotes that are not used, now that all uses are known.
    fn finish(mut self) -> Vec<HiddenRange> {
        self.end_inline();
        self.hide_words_before(self.text.len());
        self.html.finish(self.text, &mut self.edits);
        let hidden = HiddenAreas::new(&self.edits);
        let mut edits = self.edits;
        let unused = unused_footnotes(&self.footnotes, &self.footnote_uses, &hidden);
        let mut unused_ranges: Vec<Range<usize>> = Vec::new();
        for (footnote, unused) in self.footnotes.iter().zip(&unused) {
            if *unused {
                let length = self.text[footnote.range.clone()].trim_end().len();
                unused_ranges.push(footnote.range.start..footnote.range.start + length);
            } else if !target::is_short(&footnote.label) {
                edits.push(HiddenRange::marked(footnote.mark.clone(), &HIDDEN));
            }
        }
        let long_uses = self.footnote_uses.iter().filter(|used| !target::is_short(&used.label));
        edits.extend(long_uses.map(|used| HiddenRange::marked(used.range.clone(), &HIDDEN)));
        let unused_areas = HiddenAreas::of(unused_ranges.iter());
        edits.extend(unused_ranges.into_iter().map(|range| HiddenRange::marked(range, &HIDDEN)));

        let is_hidden = |at: usize| hidden.contains(at) || unused_areas.contains(at);
        let used: BTreeSet<usize> =
            self.used.iter().filter(|(_, at)| !is_hidden(*at)).map(|(definition, _)| *definition).collect();
        let mut targets: BTreeMap<usize, Range<usize>> = BTreeMap::new();
        let mut checked = Vec::new();
        for definition in self.definitions {
            let span = definition.span.clone();
            let inner = &self.text[span.clone()];
            let Some(colon) = label_end(inner) else { continue };
            let parts = target_and_title(self.text, span.start + colon..span.end);
            let kept = target::kept_length(&self.text[parts.0.clone()]);
            targets.insert(span.start, parts.0.start..parts.0.start + kept);
            if used.contains(&span.start) && !is_own_label(&definition.label) {
                checked.push(parts);
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
        let mut rest = HiddenTextReader { edits, ..HiddenTextReader::new(self.text, &[]) };
        checked.into_iter().for_each(|parts| rest.hide_prose(parts));
        rest.edits
    }
}
