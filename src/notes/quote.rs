//! Whether a rule stands in a document word for word.

use super::extract::{Context, is_remark, title};
use super::sentences::{CodeText, sentences, visible};
use super::words::{TitleMeaning, title_meaning};
use crate::markdown::{TextBlock, TextBlockKind, text_blocks};
use crate::redact::Clean;
use std::ops::Range;
use std::sync::Arc;

/// The texts of a document that rules can be quoted from.
#[derive(Debug)]
pub struct QuotableText {
    passages: Vec<Passage>,
}

/// The text of a block as a reader sees it.
#[derive(Debug)]
struct Passage {
    text: String,
    sentences: Vec<Range<usize>>,
    /// Headings and introductions of lists that may stand before the rule, with a colon.
    carriers: Arc<[String]>,
    /// Whether the text means something else without one of them, as an item below `Never` does.
    needs_carrier: bool,
}

impl QuotableText {
    /// Reads a document. Code blocks, comments and quotations of others cannot be quoted.
    pub fn of(document: &Clean) -> Self {
        let mut context = Context::default();
        let mut before: Option<TextBlock> = None;
        let mut carriers: Arc<[String]> = Arc::default();
        let mut heads: Vec<Option<String>> = Vec::new();
        let mut passages = Vec::new();
        text_blocks(document, &mut |block| {
            let is_list = matches!(block.kind, TextBlockKind::ListStart { .. } | TextBlockKind::ListEnd);
            match &block.kind {
                TextBlockKind::Heading(level) => context.enter(*level, title(document, block.range.clone())),
                TextBlockKind::ListStart { ordered } => context.enter_list(document, before.take().as_ref(), *ordered),
                TextBlockKind::ListEnd => {
                    context.leads.pop();
                }
                _ => {}
            }
            if is_list || matches!(block.kind, TextBlockKind::Heading(_)) {
                let titles = context.sections.iter().map(|section| &section.title);
                let leads = context.leads.iter().filter_map(|lead| lead.text.as_ref());
                carriers = titles.chain(leads).map(|text| plain(text)).collect();
            }
            let is_quoted = block.quotation.is_some_and(|at| !is_remark(&document[at..]));
            if !is_quoted && !context.is_skipped() {
                let forbids = context.ruling().is_some_and(|section| section.meaning == Some(TitleMeaning::Forbidden));
                let is_carried = forbids || context.leads.iter().any(|lead| lead.carries);
                match &block.kind {
                    TextBlockKind::Row { is_head: true, cells } => {
                        let head = |cell: &Range<usize>| {
                            let text = plain(&document[cell.clone()]);
                            (title_meaning(&text) == Some(TitleMeaning::Forbidden)).then_some(text)
                        };
                        heads = cells.iter().map(head).collect();
                    }
                    TextBlockKind::Row { cells, .. } => {
                        passages.extend(cells.iter().enumerate().map(|(index, cell)| {
                            match heads.get(index).and_then(Option::as_ref) {
                                Some(head) => Passage::new(&document[cell.clone()], true, [head.clone()].into()),
                                None => Passage::new(&document[cell.clone()], false, Arc::clone(&carriers)),
                            }
                        }))
                    }
                    TextBlockKind::Paragraph | TextBlockKind::Item => {
                        let needs = is_carried && block.kind == TextBlockKind::Item;
                        passages.push(Passage::new(&document[block.range.clone()], needs, Arc::clone(&carriers)));
                    }
                    _ => {}
                }
            }
            before = if is_list { None } else { Some(block) };
        });
        Self { passages }
    }

    /// Returns whether the document holds `rule`: whole sentences of one block, word for word apart from white space, markup and the
    /// last full stop, with a heading or what introduces the list before them where the document needs or the rule has it.
    pub fn holds(&self, rule: &str) -> bool {
        let rule = plain(rule);
        !rule.is_empty() && self.passages.iter().any(|passage| passage.holds(&rule))
    }
}

impl Passage {
    fn new(source: &str, needs_carrier: bool, carriers: Arc<[String]>) -> Self {
        let mut text = String::new();
        let mut found = Vec::new();
        for range in sentences(source) {
            let sentence = plain(&source[range]);
            if !text.is_empty() {
                text.push(' ');
            }
            found.push(text.len()..text.len() + sentence.len());
            text.push_str(&sentence);
        }
        Self { text, sentences: found, carriers, needs_carrier }
    }

    fn holds(&self, rule: &str) -> bool {
        let carried = self.carriers.iter().filter(|carrier| !carrier.is_empty());
        let mut carried = carried.filter_map(|carrier| rule.strip_prefix(carrier.as_str())?.strip_prefix(": "));
        carried.any(|rest| self.quotes(rest)) || !self.needs_carrier && self.quotes(rule)
    }

    /// Returns whether whole sentences of the passage are `text`.
    fn quotes(&self, text: &str) -> bool {
        let text = text.trim_end_matches(['.', '。']);
        let ends = |start: usize| {
            let rest = self.text.get(start + text.len()..).unwrap_or_default();
            let rest = rest.trim_start_matches(['.', '。']);
            rest.is_empty()
                || rest.starts_with(' ') && self.sentences.iter().any(|it| it.start == self.text.len() - rest.len() + 1)
        };
        !text.is_empty() && self.sentences.iter().any(|it| self.text[it.start..].starts_with(text) && ends(it.start))
    }
}

/// Returns a text without markup, its white space as single spaces.
fn plain(text: &str) -> String {
    visible(text, CodeText::Keep)
}
