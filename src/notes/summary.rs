//! The summary: the first sentences of sections.

use super::extract::{Context, shown};
use super::words::count;
use crate::markdown::{TextBlock, TextBlockKind};
use crate::redact::{Clean, CleanBuf};
use std::ops::Range;

/// How many words a bullet has at least and at most: fewer say little, more are no summary.
const WORDS: std::ops::RangeInclusive<usize> = 4..=40;
/// How many steps of a list one bullet names.
const STEPS: usize = 3;
/// The longest step, in words.
const STEP_WORDS: usize = 15;

/// A section's sentence, or its list.
#[derive(Debug)]
struct Candidate {
    /// How deep the section is; a document's first sentences come first.
    depth: usize,
    section: usize,
    title: Option<Clean>,
    texts: Vec<Clean>,
    /// How many steps there are, if it is a list.
    steps: usize,
}

/// The candidates so far, in the document's order.
#[derive(Debug, Default)]
pub(super) struct Summary {
    candidates: Vec<Candidate>,
}

impl Summary {
    /// Reads a paragraph or an item; `used` says which of its sentences are rules already.
    pub(super) fn read(
        &mut self,
        document: &Clean,
        context: &Context,
        block: &TextBlock,
        sentences: &[Range<usize>],
        used: &[bool],
    ) {
        let section = context.headings;
        let last = self.candidates.last_mut().filter(|it| it.section == section);
        let unused = sentences.iter().zip(used).filter(|(_, used)| !**used).map(|(range, _)| range);
        if block.kind == TextBlockKind::Item {
            // Steps are what a section without sentences says.
            let is_step = context.leads.len() == 1 && context.leads[0].is_ordered;
            let Some(range) = unused.into_iter().next().filter(|_| is_step) else { return };
            match last {
                Some(list) if list.steps > 0 => {
                    list.steps += 1;
                    if list.texts.len() < STEPS && list.steps == list.texts.len() + 1 {
                        list.texts.extend(step(document, range));
                    }
                }
                Some(_) => {}
                None => {
                    let title = context.sections.last().map(|section| section.title.clone());
                    let texts = step(document, range).into_iter().collect();
                    self.candidates.push(Candidate { depth: context.sections.len(), section, title, texts, steps: 1 });
                }
            }
            return;
        }
        if last.is_some() || !context.leads.is_empty() {
            return;
        }
        // The beginning of a document may say more than one sentence.
        let most = if context.sections.len() <= 1 && self.candidates.is_empty() { 2 } else { 1 };
        let is_text = |range: &&Range<usize>| {
            let text = &document[(*range).clone()];
            WORDS.contains(&count(text)) && !text.ends_with([':', '：', '?', '!']) && !text.starts_with("[![")
        };
        let depth = context.sections.len();
        let found = unused.filter(is_text).take(most);
        let found: Vec<Candidate> = found
            .map(|range| Candidate {
                depth,
                section,
                title: None,
                texts: vec![shown(document, range.clone())],
                steps: 0,
            })
            .collect();
        self.candidates.extend(found);
    }

    /// Returns at most `most` bullets in the document's order; those of deeper sections leave first.
    pub(super) fn finish(self, most: usize) -> Vec<Clean> {
        let mut chosen: Vec<(usize, Candidate)> =
            self.candidates.into_iter().filter(|it| !it.texts.is_empty()).enumerate().collect();
        chosen.sort_by_key(|(index, candidate)| (candidate.depth, *index));
        chosen.truncate(most);
        chosen.sort_by_key(|(index, _)| *index);
        chosen.into_iter().map(|(_, candidate)| bullet(&candidate)).collect()
    }
}

fn step(document: &Clean, range: &Range<usize>) -> Option<Clean> {
    let text = shown(document, range.clone());
    let text = text.slice(0..text.trim_end_matches(['.', ':', ';']).len());
    (count(&text) <= STEP_WORDS).then_some(text)
}

fn bullet(candidate: &Candidate) -> Clean {
    let mut buf = CleanBuf::new();
    if let Some(title) = &candidate.title {
        buf.text(title).lit(": ");
    }
    for (index, text) in candidate.texts.iter().enumerate() {
        buf.lit(if index > 0 { "; " } else { "" }).text(text);
    }
    let more = candidate.steps.saturating_sub(candidate.texts.len());
    if more > 0 {
        buf.lit(" (+").number(more as u64).lit(")");
    }
    buf.finish()
}
