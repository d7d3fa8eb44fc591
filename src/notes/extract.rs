//! The built-in extractor: one pass over the blocks of a document.

use super::facts::Facts;
use super::keywords::Keywords;
use super::leads::{heading_level, lead, tells_effects};
use super::reader::{Block, BlockKind, read};
use super::rules::Rules;
use super::sections::Place;
use super::sentences::sentences;
use super::source::title;
use super::statements::is_template;
use super::summary::Summary;
use super::{LeftOut, Notes};
use crate::redact::Clean;

/// The most entries of each kind.
#[derive(Debug, Clone, Copy)]
pub struct NoteLimits {
    /// Bullets of the summary.
    pub bullets: usize,
    /// Rules.
    pub rules: usize,
    /// Key facts.
    pub key_facts: usize,
    /// Keywords.
    pub keywords: usize,
}

impl Default for NoteLimits {
    fn default() -> Self {
        Self { bullets: 10, rules: 60, key_facts: 60, keywords: 20 }
    }
}

/// Makes notes on a document: redacted Markdown without its front matter.
///
/// If its type or its name `binds`, its instructions are rules; see [`is_binding`](super::is_binding).
pub fn extract(document: &Clean, binds: bool, limits: &NoteLimits) -> Notes {
    let mut extractor = Extractor {
        document,
        place: Place::new(binds),
        before: None,
        rules: Rules::new(limits.rules),
        facts: Facts::new(limits.key_facts),
        summary: Summary::default(),
        keywords: Keywords::default(),
        skipped_sentences: 0,
    };
    read(document, &mut |block| extractor.block(block));
    let (rules, rules_left_out) = extractor.rules.finish();
    let (key_facts, facts_left_out) = extractor.facts.finish();
    let summary = extractor.summary.finish(limits.bullets, &rules);
    let keywords = extractor.keywords.finish(document, limits.keywords);
    let left_out = LeftOut { rules: rules_left_out, key_facts: facts_left_out, sentences: extractor.skipped_sentences };
    Notes { summary, key_facts, rules, keywords, left_out }
}

struct Extractor<'a> {
    document: &'a Clean,
    place: Place,
    /// The block before, which may introduce a list.
    before: Option<Block>,
    rules: Rules,
    facts: Facts,
    summary: Summary,
    keywords: Keywords,
    skipped_sentences: usize,
}

impl Extractor<'_> {
    fn block(&mut self, mut block: Block) {
        let document = self.document;
        match &block.kind {
            BlockKind::ListStart { ordered } => {
                let lead = lead(document, &self.place, self.before.as_ref(), *ordered);
                self.rules.begin_list();
                if self.place.leads.is_empty() {
                    self.summary.begin_list(&lead, &self.place);
                }
                self.place.leads.push(lead);
                self.before = None;
                return;
            }
            BlockKind::ListEnd => {
                self.rules.end_list(document, &self.place);
                self.place.leads.pop();
                if self.place.leads.is_empty() {
                    self.summary.end_list(&self.place);
                }
                self.before = None;
                return;
            }
            _ => {}
        }
        let level = heading_level(&block, &self.place);
        let is_template =
            level.is_none() && block.text.shown.len() <= super::cues::LONGEST && is_template(&block.text.shown);
        let mut sentences = if is_template { Vec::new() } else { sentences(&block.text) };
        let found = sentences.len();
        sentences.retain(|range| range.len() <= super::cues::LONGEST);
        self.skipped_sentences += found - sentences.len();
        if let Some(level) = level {
            block.kind = BlockKind::Heading(level);
            self.place.enter(level, title(document, &block.text));
        }
        // What a command does may stand in the items behind the one that says so.
        if let (BlockKind::Item, Some(Block { kind: BlockKind::Item, text, .. })) = (&block.kind, &self.before)
            && text.shown.ends_with(':')
            && tells_effects(&text.shown)
            && let Some(lead) = self.place.leads.last_mut()
        {
            lead.tells_effects = true;
        }
        let used = self.rules.read(document, &self.place, (self.before.as_ref(), &block), &sentences);
        self.summary.read(document, &self.place, &block, &sentences, &used);
        if level.is_none() {
            self.facts.read(document, &self.place, &block, &sentences);
        }
        if !self.place.is_skipped() {
            self.keywords.read(&block);
        }
        self.before = Some(block);
    }
}
