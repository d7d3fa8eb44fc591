//! The summary: the first sentences of sections.

use super::extract::{Context, shown};
use super::words::count;
use crate::markdown::{TextBlock, TextBlockKind};
use crate::redact::Clean;
use std::ops::Range;

/// How many words a bullet has at least and at most: fewer say little, more are no summary.
const WORDS: std::ops::RangeInclusive<usize> = 4..=40;

/// The candidates so far, in the document's order.
#[derive(Debug, Default)]
pub(super) struct Summary {
    /// Each with how deep its section is.
    found: Vec<(usize, Clean)>,
    /// The section of the last one.
    section: Option<usize>,
}

impl Summary {
    /// Reads a block; `used` says which of its sentences are rules already.
    pub(super) fn read(
        &mut self,
        document: &Clean,
        context: &Context,
        block: &TextBlock,
        sentences: &[Range<usize>],
        used: &[bool],
    ) {
        let section = Some(context.headings);
        if block.kind != TextBlockKind::Paragraph || self.section == section || !context.leads.is_empty() {
            return;
        }
        let is_text = |range: &Range<usize>| {
            let text = &document[range.clone()];
            text.len() < 1000
                && !text.ends_with([':', '：', '?', '!'])
                && !text.starts_with("[![")
                && WORDS.contains(&count(text))
        };
        let unused = sentences.iter().zip(used).filter(|(range, used)| !**used && is_text(range));
        // The beginning of a document may say more than one sentence.
        let depth = context.sections.len();
        let most = if depth <= 1 && self.found.is_empty() { 2 } else { 1 };
        for (range, _) in unused.take(most) {
            self.section = section;
            self.found.push((depth, shown(document, range.clone())));
        }
    }

    /// Returns at most `most` bullets in the document's order; those of deeper sections leave first.
    pub(super) fn finish(self, most: usize) -> Vec<Clean> {
        let mut chosen: Vec<_> = self.found.into_iter().enumerate().collect();
        chosen.sort_by_key(|(index, (depth, _))| (*depth, *index));
        chosen.truncate(most);
        chosen.sort_by_key(|(index, _)| *index);
        chosen.into_iter().map(|(_, (_, text))| text).collect()
    }
}
