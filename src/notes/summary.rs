//! The summary: what a document is for and what it says to do, from the first sentences of sections and from lists.

use super::leads::Lead;
use super::reader::{Block, BlockKind, InlineText, SpanKind};
use super::sections::{Meaning, Place};
use super::sentences::{shortened, words};
use super::source::{shown_text, without_colon};
use super::statements::{begins_with_anaphor, is_imperative, is_stated};
use super::words::lower;
use crate::redact::{Clean, CleanBuf};
use std::collections::BTreeMap;
use std::ops::Range;

/// How many words a bullet has where the source allows.
const WORDS: usize = 20;
/// A sentence with more words that cannot be shortened is no bullet.
const MOST_WORDS: usize = 40;
/// The longest bullet, in bytes.
const LONGEST: usize = 400;
/// How many items of a list one bullet looks at.
const ITEMS: usize = 12;
/// How many bullets of one section there may be.
const PER_SECTION: usize = 3;
/// Candidates beyond this many are sorted and cut to a quarter, so that a document of a million sections stays cheap.
const CANDIDATES: usize = 512;

/// Words at the beginning of a sentence that say nothing about the document's matter.
const DECORATION: [&str; 52] = [
    "we are so",
    "we're so",
    "if you are reading",
    "the current",
    "date:",
    "author:",
    "authors:",
    "last updated",
    "datum:",
    "fecha:",
    "日期",
    "日付",
    "welcome",
    "thanks",
    "thank",
    "hi",
    "hello",
    "hey",
    "congratulations",
    "first off",
    "we love",
    "we're excited",
    "we are excited",
    "we're happy",
    "we are happy",
    "glad",
    "happy",
    "enjoy",
    "see ",
    "for more",
    "for further",
    "refer to",
    "please refer",
    "please see",
    "click",
    "back to",
    "this page",
    "read more",
    "more information",
    "vielen dank",
    "danke",
    "willkommen",
    "siehe",
    "merci",
    "bienvenue",
    "voir",
    "gracias",
    "bienvenid",
    "obrigad",
    "ありがとう",
    "感谢",
    "欢迎",
];

#[derive(Debug)]
struct Candidate {
    score: i32,
    at: usize,
    section: usize,
    /// What stands before the text.
    label: Option<Clean>,
    text: Clean,
    /// Whether the text is yet to be shortened, which only chosen ones are.
    is_long: bool,
}

impl Candidate {
    fn bullet(&self) -> Clean {
        let short = if self.is_long { short(&self.text) } else { None };
        labelled(self.label.as_ref(), &short.unwrap_or_else(|| self.text.clone()))
    }
}

/// A list that is being read at the top level of a section.
#[derive(Debug, Default)]
struct OpenList {
    label: Option<Clean>,
    /// Whether a text introduces it.
    has_lead: bool,
    is_ordered: bool,
    /// The first sentence of each item, at most [`ITEMS`].
    items: Vec<Clean>,
    /// The number of items, rules left aside.
    total: usize,
    /// Whether some items are rules.
    has_rules: bool,
}

impl OpenList {
    fn goes_on(&self, item: &str) -> bool {
        self.has_lead && item.starts_with(char::is_lowercase)
    }
}

/// The candidates for bullets so far.
#[derive(Debug, Default)]
pub(super) struct Summary {
    candidates: Vec<Candidate>,
    next: usize,
    /// The section whose first sentence was seen, and how many paragraphs of it.
    section: usize,
    paragraphs: usize,
    list: Option<OpenList>,
}

impl Summary {
    /// Reads a block; `used` says which of its sentences are rules already.
    pub(super) fn read(
        &mut self,
        document: &Clean,
        place: &Place,
        block: &Block,
        sentences: &[Range<usize>],
        used: &[bool],
    ) {
        if matches!(block.kind, BlockKind::Heading(_)) {
            self.list = None;
            return;
        }
        let forbids = place.ruling().is_some_and(|it| it.meaning == Some(Meaning::Forbid))
            || place.leads.iter().any(|lead| lead.carried.is_some());
        if block.is_quoted || block.is_footnote || place.is_skipped() || place.is_wrong() {
            return;
        }
        if self.section != place.headings {
            self.section = place.headings;
            self.paragraphs = 0;
        }
        let free = sentences.iter().zip(used).filter(|(_, used)| !**used).map(|(range, _)| range);
        match block.kind {
            BlockKind::Paragraph if block.depth == 0 && !forbids => {
                let is_first = self.paragraphs == 0;
                self.paragraphs += 1;
                for (index, range) in free.take(2).enumerate() {
                    if !is_first && index > 0 || block.text.shown[range.clone()].ends_with([':', '：']) {
                        continue;
                    }
                    let later = if is_first { 12 * index } else { 18 + 6 * self.paragraphs.min(5) };
                    let base = i32::try_from(later).map_or(0, |later| base(place) - later);
                    self.sentence(document, place, &block.text, range, base);
                }
            }
            BlockKind::Item if block.depth == 1 && !forbids => {
                let Some(list) = &mut self.list else { return };
                if used.first() == Some(&true) {
                    list.has_rules = true;
                    return;
                }
                let Some(range) = free.take(1).next() else { return };
                let shown = block.text.shown[range.clone()].trim();
                if block.text.is_within(SpanKind::Link, range)
                    || shown.is_empty()
                    || !is_stated(shown, &block.text, range)
                {
                    return;
                }
                list.total += 1;
                if list.items.len() < ITEMS && shown.len() <= LONGEST {
                    list.items.push(shown_text(document, &block.text, range));
                }
            }
            _ => {}
        }
    }

    /// A list begins at the top level.
    pub(super) fn begin_list(&mut self, lead: &Lead, place: &Place) {
        let title = place.section().filter(|_| place.headings > 1).map(|section| section.title.clone());
        self.list =
            Some(OpenList { label: lead.label.clone().or(title), is_ordered: lead.is_ordered, ..OpenList::default() });
    }

    /// The list at the top level ends: short items become one bullet, long ones a bullet each.
    pub(super) fn end_list(&mut self, place: &Place) {
        let Some(list) = self.list.take().filter(|list| !list.items.is_empty()) else { return };
        if place.is_skipped() {
            return;
        }
        let base = base(place) - 4;
        let total: usize = list.items.iter().map(|item| words(item)).sum();
        let is_short = total <= 7 * list.items.len() || list.is_ordered;
        let is_part = list.label.is_none() && list.items.iter().any(|item| list.goes_on(item));
        if is_short && list.items.len() > 1 && !is_part {
            self.joined(&list, base);
            return;
        }
        for (index, item) in list.items.iter().take(PER_SECTION).enumerate() {
            let later = i32::try_from(index * 6).unwrap_or(0);
            let count = words(item);
            // An item that goes on with the sentence before its list needs that sentence.
            if list.goes_on(item) && list.label.is_none() {
                continue;
            }
            let is_part = list.goes_on(item) || begins_with_anaphor(item) || count < 5;
            let score = base - 6 - later + features(item, count);
            self.add(score, list.label.as_ref().filter(|_| is_part), item, count);
        }
    }

    /// Adds a list as one bullet: as many items as fit, and how many more there are. Steps are all kept, where at most
    /// [`PER_SECTION`] bullets hold them.
    fn joined(&mut self, list: &OpenList, base: i32) {
        if list.is_ordered && list.total == list.items.len() && !list.has_rules {
            let parts = steps(list);
            if parts.len() <= PER_SECTION {
                for part in parts {
                    self.push(base + 8, list.label.as_ref().map(without_colon), part, false);
                }
                return;
            }
        }
        let mut text = CleanBuf::new();
        if let Some(label) = &list.label {
            text.line(&without_colon(label)).lit(": ");
        }
        let mut count = 0;
        for item in &list.items {
            let end = item.trim_end_matches(['.', ';', ',', ':', '。', '；', '：']).len();
            if count > 0 && words(text.as_str()) + words(&item[..end]) > WORDS || text.as_str().len() + end > LONGEST {
                break;
            }
            if count > 0 {
                text.lit("; ");
            }
            text.part(item, 0..end);
            count += 1;
        }
        if count == 0 {
            return;
        }
        if list.total > count {
            text.lit(" (+").number((list.total - count) as u64).lit(")");
        }
        let text = text.finish();
        let first = list.items.first().map_or(0, |item| features(item, words(item)));
        self.push(base + first + if list.is_ordered { 8 } else { 0 }, None, text, false);
    }

    fn sentence(&mut self, document: &Clean, place: &Place, text: &InlineText, range: &Range<usize>, base: i32) {
        let shown = &text.shown[range.clone()];
        if shown.len() > super::cues::LONGEST || text.is_within(SpanKind::Link, range) || !is_stated(shown, text, range)
        {
            return;
        }
        let whole = shown_text(document, text, range);
        let section = place.section();
        let count = words(&whole);
        if count < 3
            && let Some(section) = section.filter(|section| section.meaning == Some(Meaning::Main))
        {
            // `Accepted` says nothing without its heading `Status`.
            self.add(base, Some(&section.title), &whole, count);
            return;
        }
        let title = section.filter(|_| begins_with_anaphor(shown)).map(|section| &section.title);
        let longer = if count > MOST_WORDS { 10 } else { 0 };
        self.add(base + features(&whole, count) - longer, title, &whole, count);
    }

    /// Adds a sentence of `count` words, unless it is too long and cannot be shortened.
    fn add(&mut self, score: i32, label: Option<&Clean>, text: &Clean, count: usize) {
        if score <= 0 {
            self.next += 1;
        } else if count <= WORDS || count <= MOST_WORDS && text.len() + label.map_or(0, |it| it.len()) < LONGEST {
            self.push(score, label.cloned(), text.clone(), count > WORDS);
        } else if let Some(text) = short(text) {
            self.push(score, label.cloned(), text, false);
        }
    }

    fn push(&mut self, score: i32, label: Option<Clean>, text: Clean, is_long: bool) {
        self.next += 1;
        if score > 0 && text.len() + label.as_ref().map_or(0, |label| label.len() + 2) <= LONGEST {
            self.candidates.push(Candidate { score, at: self.next, section: self.section, label, text, is_long });
        }
        if self.candidates.len() >= CANDIDATES {
            self.candidates.sort_by_key(|it| (std::cmp::Reverse(it.score), it.at));
            self.candidates.truncate(CANDIDATES / 4);
        }
    }

    /// Returns the best bullets in the order of the document.
    pub(super) fn finish(mut self, most: usize, rules: &[Clean]) -> Vec<Clean> {
        let key = |text: &str| text.trim_end_matches(['.', '!', ' ', '…']).to_lowercase();
        let mut seen: std::collections::BTreeSet<String> = rules.iter().map(|rule| key(rule)).collect();
        self.candidates.sort_by_key(|it| (std::cmp::Reverse(it.score), it.at));
        let mut of_section: BTreeMap<usize, usize> = BTreeMap::new();
        let mut chosen = Vec::new();
        for candidate in self.candidates {
            let count = of_section.entry(candidate.section).or_default();
            if chosen.len() >= most {
                break;
            }
            if *count >= PER_SECTION {
                continue;
            }
            let bullet = candidate.bullet();
            if seen.insert(key(&bullet)) {
                *count += 1;
                chosen.push((candidate.at, bullet));
            }
        }
        chosen.sort_by_key(|(at, _)| *at);
        chosen.into_iter().map(|(_, bullet)| bullet).collect()
    }
}

/// Returns the items of an ordered list with their numbers, as many as fit in each of several bullets.
fn steps(list: &OpenList) -> Vec<Clean> {
    let mut parts = Vec::new();
    let mut text = CleanBuf::new();
    for (index, item) in list.items.iter().enumerate() {
        let end = item.trim_end_matches(['.', ';', ',', ':', '。', '；', '：']).len();
        if !text.is_empty() && words(text.as_str()) + words(&item[..end]) > WORDS {
            parts.push(text.finish());
            text = CleanBuf::new();
        }
        if !text.is_empty() {
            text.lit("; ");
        }
        text.number(index as u64 + 1).lit(". ").part(item, 0..end);
    }
    parts.push(text.finish());
    parts
}

/// Returns whether a heading stands above what a record decides.
fn is_decision(title: &str) -> bool {
    ["decision", "entscheidung", "décision", "decisión", "decisão", "決定", "决定"]
        .iter()
        .any(|word| title.contains(word))
}

/// Returns what a place is worth: the beginning of the document most, then sections that readers look for.
fn base(place: &Place) -> i32 {
    let Some(section) = place.section() else { return 95 };
    let base = match (place.headings, section.level) {
        (1, _) => 95,
        (_, 1 | 2) => 50,
        (_, 3) => 38,
        _ => 28,
    };
    base + match section.meaning {
        // What a record decides matters more than its circumstances.
        Some(Meaning::Main) if is_decision(&section.subject) => 45,
        Some(Meaning::Main) => 25,
        Some(Meaning::Rules | Meaning::Bind) => 10,
        _ => 0,
    }
}

/// Returns what the words of a sentence, `count` of them, add to its worth.
fn features(sentence: &str, count: usize) -> i32 {
    let start = sentence.trim_start_matches(|c: char| !c.is_alphanumeric());
    let head = lower(&start[..start.floor_char_boundary(48)]);
    let mut score = 0;
    if DECORATION.iter().any(|word| head.as_bytes().first() == word.as_bytes().first() && head.starts_with(word)) {
        score -= 80;
    }
    // A line of links, such as one to other languages.
    if sentence.contains(['|', '·', '•', '｜'])
        && [" | ", " · ", " • ", " ｜ "].iter().any(|mark| sentence.matches(mark).nth(1).is_some())
    {
        score -= 80;
    }
    if is_imperative(sentence) {
        score += 10;
    }
    if sentence.contains('`') {
        score += 8;
    }
    if sentence.bytes().any(|b| b.is_ascii_digit()) {
        score += 5;
    }
    if sentence.ends_with(['!', '！']) {
        score -= 15;
    }
    if head.starts_with("i ") || head.starts_with("i'") || head.starts_with("todo") || head.starts_with("tbd") {
        score -= 25;
    }
    match count {
        0..=2 if sentence.contains('`') => score - 30,
        0..=2 => score - 80,
        3..=4 => score - 12,
        5..=WORDS => score + 4,
        21..=MOST_WORDS => score - 4,
        _ => score - 12,
    }
}

/// Returns a sentence within the number of words, or whole where it cannot be cut; `None` if that is too long.
fn short(sentence: &Clean) -> Option<Clean> {
    if words(sentence) <= WORDS {
        return Some(sentence.clone());
    }
    match shortened(sentence, WORDS) {
        Some(end) => Some(CleanBuf::new().part(sentence, 0..end).lit(" …").finish()),
        None => (words(sentence) <= MOST_WORDS).then(|| sentence.clone()),
    }
}

fn labelled(label: Option<&Clean>, text: &Clean) -> Clean {
    match label {
        Some(label) => CleanBuf::new().line(&without_colon(label)).lit(": ").text(text).finish(),
        None => text.clone(),
    }
}
