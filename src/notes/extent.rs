//! Which sentences around one that is a rule belong to it.

use super::context::{WITH_CONTEXT, heading_needed, is_fragment, scope, with_exceptions};
use super::cues::Strength;
use super::reader::{Block, BlockKind};
use super::references::{begins_optional, leans_on_before, needs_antecedent};
use super::sections::Place;
use super::sentences::words;
use super::statements::needs_subject;
use crate::redact::Clean;
use std::ops::Range;

/// A sentence behind one of two words is added to it if all have at most this many words.
const WITH_FRAGMENT: usize = 30;

/// The part of a block that is one rule.
pub(super) struct Extent {
    /// The text, from the beginning of a sentence to the end of one.
    pub(super) whole: Range<usize>,
    /// The index of the first sentence behind it.
    pub(super) end: usize,
    /// The heading that says what it speaks of.
    pub(super) subject: Option<Clean>,
}

/// Returns the part of a block that the sentence at `index`, a rule of this strength, stands for: with its exceptions, with what it
/// refers to and with what continues it. `None` if it would say something else without a text that is too long to be joined.
///
/// Sentences before it that it takes with it become `used`.
pub(super) fn extent(
    place: &Place,
    block: &Block,
    sentences: &[Range<usize>],
    (index, strength): (usize, Strength),
    used: &mut [bool],
) -> Option<Extent> {
    let text = &block.text.shown;
    let range = &sentences[index];
    let sentence = &text[range.clone()];
    let is_item = matches!(block.kind, BlockKind::Item);
    let (mut whole, mut end) = with_exceptions(text, sentences, index);
    if index > 0 && begins_optional(&text[sentences[0].clone()]) {
        // All of the item is optional.
        let start = sentences[0].start;
        let is_short = words(&text[start..whole.end]) <= 2 * WITH_CONTEXT;
        return is_short.then_some(Extent { whole: start..whole.end, end, subject: None });
    }
    let is_fragment = is_fragment(sentence);
    if !is_fragment && !needs_subject(sentence) && !leans_on_before(sentence) {
        let is_ordered = is_item && place.leads.last().is_some_and(|lead| lead.is_ordered);
        let subject = match strength == Strength::Listed && is_ordered {
            true => scope(place, is_item),
            false => heading_needed(place, sentence),
        };
        return Some(Extent { whole, end, subject });
    }
    let mut subject = None;
    let before =
        index.checked_sub(1).filter(|before| words(&text[sentences[*before].start..whole.end]) <= WITH_CONTEXT);
    match before {
        // What is too long to be joined is said twice rather than left out.
        Some(before) => {
            whole.start = sentences[before].start;
            used[before] = true;
        }
        None if is_fragment && sentences.len() > end => {}
        None => subject = scope(place, is_item),
    }
    // What is said in few words belongs to what follows too.
    if let Some(next) = sentences.get(end).filter(|_| is_fragment)
        && words(&text[whole.start..next.end]) <= WITH_FRAGMENT
    {
        whole.end = next.end;
        end += 1;
    }
    // What the sentence before refers to stands before that.
    let mut at = index.saturating_sub(1);
    while whole.start < range.start
        && at > 0
        && needs_antecedent(&text[sentences[at].clone()])
        && words(&text[sentences[at - 1].start..whole.end]) <= 2 * WITH_CONTEXT
    {
        at -= 1;
        whole.start = sentences[at].start;
    }
    // Without what it refers to, it says something else.
    let is_alone = subject.is_none() && whole.start == range.start;
    (!(is_alone && needs_antecedent(sentence) && place.headings > 1)).then_some(Extent { whole, end, subject })
}
