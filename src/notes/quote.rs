//! Whether a rule stands in a document word for word.

use super::extract::walk;
use super::rules::code_of_rule;
use super::sentences::{CodeText, sentences, visible};
use super::words::{TitleMeaning, title_meaning, title_words};
use crate::markdown::TextBlockKind;
use crate::redact::Clean;
use std::ops::Range;
use std::sync::Arc;

/// The texts of a document that rules can be quoted from.
#[derive(Debug)]
pub struct QuotableText {
    passages: Vec<QuotableBlock>,
}

/// The text of a block as a reader sees it.
#[derive(Debug)]
struct QuotableBlock {
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
        let mut carriers: Arc<[String]> = Arc::default();
        let mut heads: Vec<Option<String>> = Vec::new();
        let mut passages = Vec::new();
        let mut before = (0..0, false);
        walk(document, false, &mut |context, block| match &block.kind {
            TextBlockKind::Heading(_) | TextBlockKind::ListStart { .. } | TextBlockKind::ListEnd => {
                let titles = context.sections.iter().map(|section| &section.title);
                let leads = context.leads.iter().filter_map(|lead| lead.text.as_ref());
                carriers = titles.chain(leads).map(|text| plain(text)).collect();
                before = (0..0, false);
            }
            TextBlockKind::Row { is_head: true, cells } => {
                let head = |cell: &Range<usize>| {
                    let text = plain(&document[cell.clone()]);
                    (title_meaning(&title_words(&text)) == Some(TitleMeaning::Forbidden)).then_some(text)
                };
                heads = cells.iter().map(head).collect();
            }
            TextBlockKind::Row { cells, .. } => {
                let heads = heads.iter().chain(std::iter::repeat(&None));
                passages.extend(cells.iter().zip(heads).map(|(cell, head)| match head {
                    Some(head) => QuotableBlock::new(&document[cell.clone()], true, [head.clone()].into()),
                    None => QuotableBlock::new(&document[cell.clone()], false, Arc::clone(&carriers)),
                }));
            }
            TextBlockKind::Paragraph | TextBlockKind::Item => {
                let forbids = context.ruling().is_some_and(|section| section.meaning == Some(TitleMeaning::Forbidden));
                let is_carried = forbids || context.leads.iter().any(|lead| lead.carries);
                let needs = is_carried && block.kind == TextBlockKind::Item;
                passages.push(QuotableBlock::new(&document[block.range.clone()], needs, Arc::clone(&carriers)));
                before = (block.range.clone(), needs);
            }
            // A rule may end with the code that it announces.
            TextBlockKind::Code { .. } => {
                if let Some(code) = code_of_rule(document, &block.range) {
                    let text = format!("{} {code}", document[before.0.clone()].trim_end());
                    passages.push(QuotableBlock::new(&text, before.1, Arc::clone(&carriers)));
                }
            }
        });
        Self { passages }
    }

    /// Returns whether the document holds `rule` word for word: whole sentences of one block, behind a heading where needed.
    pub fn holds(&self, rule: &str) -> bool {
        let rule = plain(rule);
        !rule.is_empty() && self.passages.iter().any(|passage| passage.holds(&rule, !passage.needs_carrier))
    }
}

impl QuotableBlock {
    fn new(source: &str, needs_carrier: bool, carriers: Arc<[String]>) -> Self {
        let mut text = String::new();
        let mut found = Vec::new();
        let mut end = 0;
        for range in sentences(source) {
            if !text.is_empty() && end < range.start {
                text.push(' ');
            }
            end = range.end;
            let sentence = plain(&source[range]);
            found.push(text.len()..text.len() + sentence.len());
            text.push_str(&sentence);
        }
        Self { text, sentences: found, carriers, needs_carrier }
    }

    /// Returns whether it holds a rule, behind carriers if not `may_stand` without one.
    fn holds(&self, rule: &str, may_stand: bool) -> bool {
        let carriers = self.carriers.iter().filter(|carrier| !carrier.is_empty());
        let mut rests = carriers.filter_map(|carrier| rule.strip_prefix(carrier.as_str())?.strip_prefix(": "));
        may_stand && self.quotes(rule) || rests.any(|rest| self.holds(rest, true))
    }

    /// Returns whether whole sentences of the passage are `text`.
    fn quotes(&self, text: &str) -> bool {
        let text = text.trim_end_matches(['.', '。']);
        let ends = |start: usize| {
            let rest = self.text.get(start + text.len()..).unwrap_or_default();
            let rest = rest.trim_start_matches(['.', '。']).trim_start();
            rest.is_empty() || self.sentences.iter().any(|it| it.start == self.text.len() - rest.len())
        };
        !text.is_empty() && self.sentences.iter().any(|it| self.text[it.start..].starts_with(text) && ends(it.start))
    }
}

fn plain(text: &str) -> String {
    visible(text, CodeText::Keep)
}
