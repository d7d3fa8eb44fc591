//! What belongs to a rule besides its sentence: its subject, its conditions, and sentences that go on with it.

use super::cues::{limits_before, strength};
use super::leads::join;
use super::reader::{Block, BlockKind};
use super::references::{addresses_reader, is_narrowed, needs_antecedent, refers_back};
use super::sections::Place;
use super::sentences::words;
use super::statements::is_instruction;
use super::words::lower;
use crate::redact::{Clean, CleanBuf};
use std::ops::Range;

/// A sentence before a rule is added for what `it` means, and one behind it that goes on with it, if all have at most this
/// many words.
pub(super) const WITH_CONTEXT: usize = 60;
/// An item of a list of rules with at most this many words is one rule, with all of its sentences.
const WHOLE_ITEM: usize = 40;

/// Returns what tells the subject of a rule that does not name it: what introduces its list, or the heading.
pub(super) fn scope(place: &Place, is_item: bool) -> Option<Clean> {
    let lead = place.leads.last().filter(|_| is_item);
    lead.and_then(|lead| lead.carried.clone().or_else(|| lead.sentence.clone().filter(|it| !points_away(it))))
        .or_else(|| place.section().map(|section| section.title.clone()))
}

/// Returns the nearest heading, if only that says what a rule is about which tells the reader what to do.
pub(super) fn heading_needed(place: &Place, sentence: &str) -> Option<Clean> {
    narrowing(place, sentence).filter(|_| addresses_reader(sentence))
}

/// Returns the nearest heading, if it names something that a rule does not.
pub(super) fn narrowing(place: &Place, rule: &str) -> Option<Clean> {
    if place.leads.last().is_some_and(|lead| lead.condition.is_some()) {
        return None;
    }
    place.section().filter(|section| is_narrowed(rule, section)).map(|section| section.title.clone())
}

/// Returns whether what introduces a list says only that it does: `Follow these steps`, `Here are those steps in detail`.
fn points_away(lead: &str) -> bool {
    let lower = lower(lead);
    [
        "here are",
        "here is",
        "here's",
        "follow these",
        "follow the",
        "do the following",
        "these steps",
        "those steps",
        "the steps",
    ]
    .iter()
    .any(|start| lower.starts_with(start))
        || refers_back(lead)
}

/// Returns what a rule repeats with the conditions that its heading and what introduces its list set.
pub(super) fn limited(place: &Place, carried: Option<Clean>) -> Option<Clean> {
    let title = place.limit().map(|section| &section.title);
    let condition = place.leads.last().and_then(|lead| lead.condition.as_ref());
    [condition, title].into_iter().flatten().fold(carried, |carried, limit| match carried {
        Some(carried) if carried.contains(limit.as_str()) => Some(carried),
        Some(carried) if limit.contains(carried.as_str()) => Some(limit.clone()),
        Some(carried) => Some(join(Some(limit), &carried)),
        None => Some(limit.clone()),
    })
}

/// Returns an item of a list of tasks with its mark, which says whether it is done.
pub(super) fn with_mark(task: Option<bool>, rule: Clean) -> Clean {
    match task {
        Some(is_done) => CleanBuf::new().lit(if is_done { "[x] " } else { "[ ] " }).text(&rule).finish(),
        None => rule,
    }
}

/// Returns the part of an item that is one rule: all of it if it is short, else its first sentence with what limits it.
pub(super) fn whole_item(block: &Block, sentences: &[Range<usize>]) -> Option<Range<usize>> {
    let all = sentences.first()?.start..sentences.last()?.end;
    match words(&block.text.shown[all.clone()]) <= WHOLE_ITEM {
        true => Some(all),
        false => Some(with_exceptions(&block.text.shown, sentences, 0).0),
    }
}

/// Returns the text of a block that is nothing but an exception to the rule before it: an item or a paragraph that begins
/// with `Unless`, `Except`, `Only if` and the like.
pub(super) fn exception(block: &Block, sentences: &[Range<usize>]) -> Option<Range<usize>> {
    if !matches!(block.kind, BlockKind::Item | BlockKind::Paragraph) || block.is_quoted || block.task.is_some() {
        return None;
    }
    let all = sentences.first()?.start..sentences.last()?.end;
    let text = &block.text.shown[all.clone()];
    let start = lower(&text[..text.floor_char_boundary(24)]);
    let is_item = matches!(block.kind, BlockKind::Item);
    let begins = [
        "unless ",
        "except ",
        "exception",
        "the only exception",
        "only if ",
        "only when ",
        "if not,",
        "es sei denn",
        "ausnahme",
        "sauf ",
        "à moins ",
        "salvo ",
        "excepto ",
        "a menos ",
        "exceto ",
        "除非",
        "ただし",
    ]
    .iter()
    .any(|word| start.starts_with(word))
        || is_item
            && ["otherwise", "if so,", "in that case", "in this case"].iter().any(|word| start.starts_with(word));
    (begins && words(text) <= WITH_CONTEXT && !text.ends_with([':', '：'])).then_some(all)
}

/// Returns a sentence with those behind it that limit it or go on with it, and the number of the sentence behind them.
pub(super) fn with_exceptions(shown: &str, sentences: &[Range<usize>], index: usize) -> (Range<usize>, usize) {
    let mut whole = sentences[index].clone();
    let mut next = index + 1;
    while let Some(range) = sentences.get(next) {
        let sentence = &shown[range.clone()];
        let is_part = limits_before(sentence)
            || !sentence.ends_with([':', '：'])
                && goes_on(sentence)
                && words(&shown[whole.start..range.end]) <= WITH_CONTEXT;
        if !is_part {
            break;
        }
        whole.end = range.end;
        next += 1;
    }
    (whole, next)
}

/// Beginnings of a sentence that goes on with the rule before it: what else is so, what is allowed, how it is done.
const CONTINUATIONS: [&str; 60] = [
    "in that case",
    "in this case",
    "in these cases",
    "in such cases",
    "in those cases",
    "otherwise",
    "if so",
    "if not",
    "if it ",
    "if this ",
    "if that ",
    "if they ",
    "if none ",
    "if you do",
    "in which case",
    "this means",
    "that means",
    "this includes",
    "this excludes",
    "these include",
    "this applies",
    "this also applies",
    "that includes",
    "that is",
    "you may",
    "you can",
    "they may",
    "they can",
    "it may",
    "it can",
    "this can",
    "this may",
    "these may",
    "instead",
    "then ",
    "sonst",
    "andernfalls",
    "in diesem fall",
    "das gilt",
    "dies gilt",
    "das heißt",
    "dafür",
    "sinon",
    "dans ce cas",
    "cela s'applique",
    "vous pouvez",
    "de lo contrario",
    "en ese caso",
    "en este caso",
    "esto incluye",
    "esto se aplica",
    "caso contrário",
    "nesse caso",
    "isso inclui",
    "その場合",
    "それ以外",
    "そうでない",
    "否则",
    "在这种情况下",
    "这包括",
];

/// Returns whether a sentence goes on with the one before it: it begins so, is a rule about `it`, or is too short to stand
/// alone.
pub(super) fn goes_on(sentence: &str) -> bool {
    let start = sentence.trim_start_matches(|c: char| !c.is_alphanumeric());
    let first = lower(&start[..start.floor_char_boundary(24)]);
    CONTINUATIONS.iter().any(|known| first.as_bytes().first() == known.as_bytes().first() && first.starts_with(known))
        || is_fragment(sentence) && strength(sentence).is_some()
        || needs_antecedent(sentence) && (strength(sentence).is_some() || is_instruction(sentence))
}

/// Returns whether a sentence is too short to say what it is about, such as `NEVER CANCEL.` or `Please respect it!`
pub(super) fn is_fragment(sentence: &str) -> bool {
    let count = words(sentence);
    let bare = sentence.trim_end_matches(|c: char| !c.is_alphanumeric());
    count <= 2 || count <= 3 && [" it", " this", " that", " them"].iter().any(|word| bare.ends_with(word))
}

/// Returns whether a text introduces what a program prints, or an example.
pub(super) fn shows_output(text: &str) -> bool {
    let lower = lower(text);
    let mut words = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.any(|word| {
        matches!(
            word,
            "output"
                | "outputs"
                | "prints"
                | "printed"
                | "example"
                | "examples"
                | "looks"
                | "ausgabe"
                | "beispiel"
                | "exemple"
                | "ejemplo"
                | "exemplo"
                | "salida"
                | "sortie"
                | "saída"
        )
    }) || ["look like", "you should see", "will see", "for instance", "such as", "e.g.", "出力", "例", "输出"]
        .iter()
        .any(|words| lower.contains(words))
}
